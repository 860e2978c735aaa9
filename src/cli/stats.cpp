// awele stats: what a database says of the game in numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "awele/probe/probe.hpp"
#include "awele/probe/statistics.hpp"
#include "awele/run/json.hpp"
#include "awele/support/error.hpp"
#include "board_print.hpp"
#include "chart.hpp"
#include "commands.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Counts boards of n seeds (for value and distance see awele probe --help): the
stored ones, whose waiting half has an empty pit, or with --all-boards all
C(n+11,11). For each slice it shows one of
  values     boards by value. Read from the slice files at once; --all-boards values
             the other boards by looking one ply ahead, which reads the slices
             n and n-2 .. n-15 (more --memory means fewer passes over them)
  distances  stored boards by distance, with the first of each as an example: 12
             numbers, the mover's pits first. Reads the slice once
  moves      stored boards by how many of their moves are best, that is, worth what
             the board is worth: 1 is a single best move, 0 that the game is over
             on it, or that ending it is better than any move. Looks every move up:
             one second for about a million boards when --memory holds the slice and
             those its captures lead to
  summary    one line per slice: boards, how many of them the side to move wins,
             draws and loses, and their mean value; and, of the stored ones, how many
             have a single best move, the longest distance and an example of it

Formats: table; csv, with a header; json, where every slice has positions, won,
drawn, lost and mean as well; svg, a picture of the values: of one slice how many
boards have each, of all slices the share won, drawn and lost. Only values,
distances and numbers of moves that occur are printed. What a slice does not hold
is - (table), empty (csv) or null.

In an outcome database (awele clamp, awele solve --outcome) the outermost values
stand for all beyond them: every format writes them as "<= -W" and ">= W", the mean
is not known, and moves are best when they decide the game alike.

Examples:
  awele stats --db awari --slice 12 --all-boards --format csv
  awele stats --db awari --show summary
  awele stats --db awari --slice 12 --format svg > slice-12.svg)";

struct Options {
  std::string db, format, show = "values";
  int slice = -1;
  bool all_boards = false;
  std::uint64_t memory = kStatisticsMemory >> 20;
};

using Row = std::vector<std::string>;
using Json = nlohmann::ordered_json;

/// What the side to move makes of the boards of a histogram.
struct Outcomes {
  std::uint64_t positions = 0, won = 0, drawn = 0, lost = 0;
  double mean = 0;
};

Outcomes outcomes(int n, const Histogram& histogram) {
  Outcomes found;
  double sum = 0;
  for (int v = -n; v <= n; ++v) {
    const std::uint64_t count = histogram[static_cast<std::size_t>(v + n)];
    found.positions += count;
    (v > 0 ? found.won : v < 0 ? found.lost : found.drawn) += count;
    sum += v * static_cast<double>(count);
  }
  if (found.positions > 0) found.mean = sum / static_cast<double>(found.positions);
  return found;
}

std::string pits(const Board& board) { return fmt::format("{}", fmt::join(board, " ")); }

/// The values that a cell counts: one, or in an outcome database also all beyond an outermost one.
std::string cell_name(KnownValue known) {
  return fmt::format("{}{}{}", bound_sign(known.bound), known.bound == Bound::exact ? "" : " ", known.value);
}

/// What is shown of one slice: rows for table and csv, and an entry for json.
struct Shown {
  std::vector<Row> rows;
  Json json;
};

class Statistics {
 public:
  explicit Statistics(const Options& options) : options_(options), database_(options.db) {
    if (database_.empty())
      throw Error(fmt::format("{} holds no slice files; build them with: awele solve --seeds 12 --db {}",
                              options.db, options.db));
    if (options.show == "moves" || options.show == "summary")
      prober_.emplace(options.db, static_cast<std::size_t>(options.memory) << 20, Accept::any);
  }

  const Database& database() const { return database_; }

  /// The header, as csv has it.
  Row header() const {
    if (options_.show == "distances") return {"seeds", "distance", "positions", "example"};
    if (options_.show == "moves") return {"seeds", "best_moves", "positions"};
    if (options_.show == "summary")
      return {"seeds", "positions", "won", "drawn", "lost", "mean", "single_best", "longest", "example"};
    return {"seeds", "value", "positions"};
  }

  Histogram histogram(int n) const {
    return options_.all_boards ? all_boards_histogram(database_, n, options_.memory << 20)
                               : stored_histogram(database_, n);
  }

  Shown show(int n) const {
    const Histogram histogram = this->histogram(n);
    const Outcomes all = outcomes(n, histogram);
    Shown shown;
    shown.json = {{"seeds", n},         {"positions", all.positions}, {"won", all.won},
                  {"drawn", all.drawn}, {"lost", all.lost},           {"mean", all.mean}};
    if (database_.scope().clamps(n)) shown.json["mean"] = nullptr;
    if (options_.show == "distances")
      show_distances(n, shown);
    else if (options_.show == "moves")
      show_moves(n, shown);
    else if (options_.show == "summary")
      show_summary(n, all, shown);
    else
      show_values(n, histogram, shown);
    return shown;
  }

 private:
  void show_values(int n, const Histogram& histogram, Shown& shown) const {
    shown.json["values"] = Json::array();
    for (int v = -n; v <= n; ++v)
      if (const std::uint64_t count = histogram[static_cast<std::size_t>(v + n)]) {
        const KnownValue known = database_.scope().known(n, v);
        shown.rows.push_back({fmt::to_string(n), cell_name(known), fmt::to_string(count)});
        Json cell = {{"value", v}, {"positions", count}};
        if (known.bound != Bound::exact) cell["value"] = cell_name(known);
        shown.json["values"].push_back(cell);
      }
  }

  void show_distances(int n, Shown& shown) const {
    shown.json["distances"] = Json::array();
    const std::vector<DistanceCount> counts = distance_counts(database_, n);
    for (std::size_t d = 0; d < counts.size(); ++d) {
      if (counts[d].positions == 0) continue;
      shown.rows.push_back({fmt::to_string(n), fmt::to_string(d), fmt::to_string(counts[d].positions),
                            pits(counts[d].example)});
      shown.json["distances"].push_back(
          {{"distance", d}, {"positions", counts[d].positions}, {"example", counts[d].example}});
    }
  }

  void show_moves(int n, Shown& shown) const {
    shown.json["best_moves"] = Json::array();
    const auto counts = best_move_counts(*prober_, n);
    for (std::size_t moves = 0; moves < counts.size(); ++moves) {
      if (counts[moves] == 0) continue;
      shown.rows.push_back({fmt::to_string(n), fmt::to_string(moves), fmt::to_string(counts[moves])});
      shown.json["best_moves"].push_back({{"moves", moves}, {"positions", counts[moves]}});
    }
  }

  void show_summary(int n, const Outcomes& all, Shown& shown) const {
    const std::uint64_t single = best_move_counts(*prober_, n)[1];
    Row row = {fmt::to_string(n),        fmt::to_string(all.positions),
               fmt::to_string(all.won),  fmt::to_string(all.drawn),
               fmt::to_string(all.lost), shown.json["mean"].is_null() ? "" : fmt::format("{:.6f}", all.mean),
               fmt::to_string(single)};
    shown.json["single_best"] = single;
    shown.json["longest"] = nullptr;
    if (database_.slice(n).has_distances()) {
      const std::vector<DistanceCount> counts = distance_counts(database_, n);
      row.push_back(fmt::to_string(counts.size() - 1));
      row.push_back(pits(counts.back().example));
      shown.json["longest"] = {{"distance", counts.size() - 1}, {"example", counts.back().example}};
    } else {
      row.insert(row.end(), 2, "");
    }
    shown.rows.push_back(row);
  }

  const Options& options_;
  Database database_;
  std::optional<Prober> prober_;  // for what needs moves
};

void print_values_table(int n, const Shown& shown, bool first) {
  const Json& slice = shown.json;
  if (first) put("{:>5}  {:>6}  {:>15}  {:>8}\n", "seeds", "value", "positions", "share");
  const auto total = slice["positions"].get<double>();
  for (std::size_t k = 0; k < shown.rows.size(); ++k)
    put("{:>5}  {:>6}  {:>15}  {:>7.3f}%\n", n, shown.rows[k][1], shown.rows[k][2],
        100.0 * slice["values"][k]["positions"].get<double>() / total);
  put("{:>5}  {:>6}  {:>15}\n", n, "all", slice["positions"].get<std::uint64_t>());
  put("{:>5}  won {}, drawn {}, lost {}{}\n\n", n, slice["won"].get<std::uint64_t>(),
      slice["drawn"].get<std::uint64_t>(), slice["lost"].get<std::uint64_t>(),
      slice["mean"].is_null() ? "" : fmt::format("; mean value {:+.6f}", slice["mean"].get<double>()));
}

/// Right-aligned, but for a board, which ends its line.
void print_table_row(const Row& row) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::string& word = row[k].empty() ? "-" : row[k];
    if (k + 1 == row.size() && row.size() > 3)
      put("  {}\n", word);
    else
      put("{}{:>{}}{}", k == 0 ? "" : "  ", word, k == 0 ? 5 : 12, k + 1 == row.size() ? "\n" : "");
  }
}

// Colours that people with any kind of colour vision tell apart (Okabe and Ito).
const std::vector<Chart::Series> kOutcomes = {{"lost", "#d55e00"}, {"drawn", "#999999"}, {"won", "#0072b2"}};

std::string boards_of(const Options& options) { return options.all_boards ? "boards" : "stored boards"; }

/// Boards of one slice by value.
Chart values_chart(const Options& options, const Statistics& statistics) {
  const Scope scope = statistics.database().scope();
  const int n = options.slice;
  Chart chart{fmt::format("Awele: {} of {} seeds by their value for the side to move ({})",
                          boards_of(options), n, describe(scope)),
              "value",
              boards_of(options),
              kOutcomes,
              {}};
  const Histogram histogram = statistics.histogram(n);
  for (int v = -n; v <= n; ++v) {
    const std::uint64_t count = histogram[static_cast<std::size_t>(v + n)];
    if (count == 0) continue;
    const KnownValue known = scope.known(n, v);
    Chart::Column column{known.bound == Bound::exact ? fmt::format("{:+}", v) : cell_name(known), {0, 0, 0}};
    column.parts[v < 0 ? 0 : v == 0 ? 1 : 2] = static_cast<double>(count);
    chart.columns.push_back(column);
  }
  return chart;
}

/// Percent of the boards of each slice that are lost, drawn and won.
Chart outcomes_chart(const Options& options, const Statistics& statistics) {
  Chart chart{fmt::format("Awele: {} that the side to move wins, draws and loses ({})", boards_of(options),
                          describe(statistics.database().scope())),
              "seeds",
              "percent",
              kOutcomes,
              {}};
  for (int n : statistics.database().slices()) {
    const Outcomes all = outcomes(n, statistics.histogram(n));
    const double percent = 100 / static_cast<double>(all.positions);
    chart.columns.push_back(
        {fmt::to_string(n),
         {percent * static_cast<double>(all.lost), percent * static_cast<double>(all.drawn),
          percent * static_cast<double>(all.won)}});
  }
  return chart;
}

/// The slices asked for, as far as there is something to show.
std::vector<int> slices_of(const Options& options, const Database& database) {
  std::vector<int> slices = options.slice >= 0 ? std::vector<int>{options.slice} : database.slices();
  if (options.show != "distances") return slices;
  std::erase_if(slices, [&](int n) { return !database.slice(n).has_distances(); });
  if (slices.empty())
    throw Error(
        fmt::format("{} has no distances; solve again, in the same directory, with: awele solve "
                    "--distances --seeds {} --db {} --rules {}",
                    options.slice >= 0 ? slice_path(options.db, options.slice).string() : options.db,
                    options.slice >= 0 ? options.slice : database.complete_up_to(), options.db,
                    std::string(name(database.rules())) + solve_options(database.scope())));
  return slices;
}

int run(const Options& options) {
  if (options.all_boards && (options.show == "distances" || options.show == "moves"))
    throw Error(ExitCode::usage,
                fmt::format("--show {} counts stored boards; leave --all-boards out", options.show));
  if (options.format == "svg" && options.show != "values")
    throw Error(ExitCode::usage,
                fmt::format("--format svg draws values; --show {} has no picture", options.show));
  const Statistics statistics(options);
  if (options.format == "svg") {
    put_text(
        to_svg(options.slice >= 0 ? values_chart(options, statistics) : outcomes_chart(options, statistics)));
    return static_cast<int>(ExitCode::ok);
  }
  const Database& database = statistics.database();
  const std::vector<int> slices = slices_of(options, database);
  Json json;
  json["rules"] = name(database.rules());
  json["total"] = nullptr;
  if (!database.scope().exact()) json["total"] = database.scope().total();
  json["boards"] = options.all_boards ? "all" : "stored";
  json["slices"] = Json::array();
  const bool values_table = options.format == "table" && options.show == "values";
  if (options.format == "csv") put("{}\n", fmt::join(statistics.header(), ","));
  if (options.format == "table" && !values_table) print_table_row(statistics.header());
  bool first = true;
  for (int n : slices) {
    const Shown shown = statistics.show(n);
    if (options.format == "json") json["slices"].push_back(shown.json);
    if (values_table) print_values_table(n, shown, std::exchange(first, false));
    for (const Row& row : shown.rows) {
      if (options.format == "csv") put("{}\n", fmt::join(row, ","));
      if (options.format == "table" && !values_table) print_table_row(row);
    }
    deliver_results();  // a large slice takes minutes
  }
  if (options.format == "json") put("{}\n", json_text(json));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_stats(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "stats", "Count boards by value, distance or number of best moves", kDetails);
  add_db(*command, options->db);
  add_seeds(*command, "--slice", options->slice, "Only the boards of N seeds (default: every slice present)");
  command->add_option("--show", options->show, "values (default), distances, moves or summary")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"values", "distances", "moves", "summary"}).description(""));
  command->add_flag("--all-boards", options->all_boards,
                    "Also count boards that are not stored because the waiting half has no empty pit");
  add_format(*command, options->format, {"table", "csv", "json", "svg"});
  command
      ->add_option(
          "--memory", options->memory,
          fmt::format(
              "MiB for boards in progress, or for the values in which moves are looked up (default {})",
              options->memory))
      ->type_name("MIB")
      ->transform(whole(1, std::uint64_t{1} << 24));
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
