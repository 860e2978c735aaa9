// awele stats: histograms of values.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "awele/probe/statistics.hpp"
#include "awele/support/error.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Counts boards of n seeds by value (see awele probe --help): the stored ones, whose
waiting half has an empty pit, or with --all-boards all C(n+11,11). The stored
ones are counted in the slice files and come at once; the others are valued by
one ply, which reads the slices n and n-2 .. n-15. More --memory means fewer
passes over them.

Formats: table; csv with the header seeds,value,positions; json. Only values that
occur are printed, ascending by seeds, then value.

Example:
  awele stats --db awari --slice 12 --all-boards --format csv)";

struct Options {
  std::string db, format;
  int slice = -1;
  bool all_boards = false;
  std::uint64_t memory = kStatisticsMemory >> 20;
};

void print_table(int n, const Histogram& histogram, bool first) {
  const std::uint64_t total = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  if (first) fmt::print("{:>5}  {:>5}  {:>15}  {:>8}\n", "seeds", "value", "positions", "share");
  for (int v = -n; v <= n; ++v)
    if (const std::uint64_t count = histogram[static_cast<std::size_t>(v + n)])
      fmt::print("{:>5}  {:>5}  {:>15}  {:>7.3f}%\n", n, v, count,
                 100.0 * static_cast<double>(count) / static_cast<double>(total));
  fmt::print("{:>5}  {:>5}  {:>15}\n\n", n, "all", total);
}

void print_csv(int n, const Histogram& histogram, bool first) {
  if (first) fmt::print("seeds,value,positions\n");
  for (int v = -n; v <= n; ++v)
    if (const std::uint64_t count = histogram[static_cast<std::size_t>(v + n)])
      fmt::print("{},{},{}\n", n, v, count);
}

nlohmann::ordered_json to_json(int n, const Histogram& histogram) {
  nlohmann::ordered_json slice;
  slice["seeds"] = n;
  slice["positions"] = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  slice["values"] = nlohmann::ordered_json::array();
  for (int v = -n; v <= n; ++v)
    if (const std::uint64_t count = histogram[static_cast<std::size_t>(v + n)])
      slice["values"].push_back({{"value", v}, {"positions", count}});
  return slice;
}

int run(const Options& options) {
  const Database database(options.db);
  if (database.empty())
    throw Error(fmt::format("{} holds no slice files; build them with: awele solve --seeds 12 --db {}",
                            options.db, options.db));
  const std::vector<int> slices = options.slice >= 0 ? std::vector<int>{options.slice} : database.slices();
  nlohmann::ordered_json json;
  json["rules"] = name(database.rules());
  json["boards"] = options.all_boards ? "all" : "stored";
  json["slices"] = nlohmann::ordered_json::array();
  bool first = true;
  for (int n : slices) {
    const Histogram histogram = options.all_boards ? all_boards_histogram(database, n, options.memory << 20)
                                                   : stored_histogram(database, n);
    if (options.format == "json") json["slices"].push_back(to_json(n, histogram));
    if (options.format == "csv") print_csv(n, histogram, first);
    if (options.format == "table") print_table(n, histogram, first);
    std::fflush(stdout);  // a large slice takes minutes
    first = false;
  }
  if (options.format == "json") fmt::print("{}\n", json.dump());
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_stats(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "stats", "Print how many boards have which value", kDetails);
  add_db(*command, options->db);
  add_seeds(*command, "--slice", options->slice, "Only the boards of N seeds (default: every slice present)");
  command->add_flag("--all-boards", options->all_boards,
                    "Also the boards that are not stored because the waiting half has no empty pit");
  add_format(*command, options->format, {"table", "csv", "json"});
  command
      ->add_option("--memory", options->memory,
                   fmt::format("With --all-boards: MiB for boards in work (default {})", options->memory))
      ->type_name("MIB")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 24).description(""));
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
