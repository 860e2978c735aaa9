// awele info: what a database holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "awele/run/json.hpp"
#include "awele/support/error.hpp"
#include "commands.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "results.hpp"
#include "scan.hpp"
#include "table.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(For each slice: seeds, stored positions, how many of them the side to move wins
(value above 0), draws and loses, the CRC-32 of the values, bytes on disk, bytes
per position, and whether distances are stored too. Then totals, the largest number
of seeds up to which every slice is there, and the slices missing below the largest
one.

The first line names the rules and, for an outcome database, the seeds of the games
that it is for (with --format json "total", null when the values are exact).

Reads attributes and small checksums only; awele check reads the values.
A file that cannot be used is named on standard error, and the exit code is 1.

Example:
  awele info --db awari --format json)";

struct Options {
  std::string db, format;
};

struct Totals {
  std::uint64_t positions = 0, won = 0, drawn = 0, lost = 0, bytes = 0;
  void add(const SliceReader& slice) {
    positions += slice.info().positions;
    won += slice.info().count_above();
    drawn += slice.info().count_zero();
    lost += slice.info().count_below();
    bytes += slice.file_bytes();
  }
};

struct Summary {
  std::optional<RuleSet> rules;
  Scope scope;  ///< exact when no slice is usable
  Totals totals;
  int complete = -1;         ///< every slice up to this many seeds is there; -1 when none is
  std::vector<int> missing;  ///< below the largest slice, damaged ones included
};

Summary summarize(const std::vector<ScannedSlice>& slices) {
  Summary summary;
  std::vector<bool> usable(kMaxSeeds + 1);
  int top = -1;
  for (const ScannedSlice& slice : slices) {
    top = slice.seeds;
    if (!slice.reader) continue;
    summary.rules = slice.reader->info().rules;
    summary.scope = slice.reader->info().scope;
    summary.totals.add(*slice.reader);
    usable[static_cast<std::size_t>(slice.seeds)] = true;
  }
  // A 48-seed solve leaves 47 out: no position leads there, and none of 48 seeds needs it.
  if (usable[kMaxSeeds]) usable[kMaxSeeds - 1] = true;
  for (int n = 0; n <= top; ++n)
    if (!usable[static_cast<std::size_t>(n)]) summary.missing.push_back(n);
  summary.complete = summary.missing.empty() ? top : summary.missing.front() - 1;
  return summary;
}

double a_position(std::uint64_t bytes, std::uint64_t positions) {
  return positions == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(positions);
}

std::vector<std::string> row(const std::string& label, const Totals& t, const std::string& crc,
                             const std::string& distances) {
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  return {label,         text(t.positions),
          text(t.won),   text(t.drawn),
          text(t.lost),  crc,
          text(t.bytes), fmt::format("{:.3f}", a_position(t.bytes, t.positions)),
          distances};
}

void print_table(const std::string& dir, const std::vector<ScannedSlice>& slices, const Summary& summary) {
  put("{}: rules {}{}\n\n", dir, summary.rules ? name(*summary.rules) : "unknown",
      summary.scope.exact() ? "" : ", " + describe(summary.scope));
  Table table({{"seeds", 5},
               {"positions", 15},
               {"won", 15, 2},
               {"drawn", 15, 3},
               {"lost", 15, 4},
               {"CRC-32", 8, 1},
               {"bytes", 15, 6},
               {"bytes/pos.", 10, 7},
               {"distances", 9, 5}});
  for (const ScannedSlice& slice : slices) {
    if (!slice.reader) continue;
    Totals own;
    own.add(*slice.reader);
    table.add(row(std::to_string(slice.seeds), own, fmt::format("{:08x}", slice.reader->info().crc),
                  slice.reader->has_distances() ? "yes" : "no"));
  }
  table.add(row("all", summary.totals, "", ""));
  table.print();
  if (summary.complete >= 0)
    put("\nComplete up to {} seeds.\n", summary.complete);
  else
    put("\nNot complete: slice 0 is missing.\n");
  if (!summary.missing.empty()) put("Missing: {}.\n", fmt::join(summary.missing, ", "));
}

nlohmann::ordered_json to_json(const Totals& t) {
  return {{"positions", t.positions}, {"won", t.won},
          {"drawn", t.drawn},         {"lost", t.lost},
          {"bytes", t.bytes},         {"bytes_per_position", a_position(t.bytes, t.positions)}};
}

void print_json(const std::string& dir, const std::vector<ScannedSlice>& slices, const Summary& summary) {
  nlohmann::ordered_json json;
  json["dir"] = dir;
  json["rules"] = nullptr;
  if (summary.rules) json["rules"] = name(*summary.rules);
  json["total"] = nullptr;
  if (!summary.scope.exact()) json["total"] = summary.scope.total();
  json["slices"] = nlohmann::ordered_json::array();
  json["damaged"] = nlohmann::ordered_json::array();
  json["unreadable"] = nlohmann::ordered_json::array();
  for (const ScannedSlice& slice : slices) {
    if (!slice.reader) {
      json[slice.unreadable ? "unreadable" : "damaged"].push_back(
          {{"file", slice.path.string()}, {"error", slice.error}});
      continue;
    }
    Totals own;
    own.add(*slice.reader);
    nlohmann::ordered_json entry = {{"seeds", slice.seeds}};
    entry.update(to_json(own));
    entry["crc32"] = fmt::format("{:08x}", slice.reader->info().crc);
    entry["distances"] = slice.reader->has_distances();
    entry["program_version"] = slice.reader->info().program_version;
    json["slices"].push_back(entry);
  }
  json["totals"] = to_json(summary.totals);
  json["complete_up_to"] = nullptr;
  if (summary.complete >= 0) json["complete_up_to"] = summary.complete;
  json["missing"] = summary.missing;
  put("{}\n", json_text(json));
}

int run(const Options& options) {
  const std::vector<ScannedSlice> slices = scan(options.db);
  const Summary summary = summarize(slices);
  if (options.format == "json")
    print_json(options.db, slices, summary);
  else
    print_table(options.db, slices, summary);
  bool damaged = false;
  for (const ScannedSlice& slice : slices) {
    if (slice.reader) continue;
    error_message(slice.error);
    damaged = true;
  }
  return static_cast<int>(damaged ? ExitCode::failure : ExitCode::ok);
}

}  // namespace

void add_info(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "info", "Print what a database holds", kDetails);
  add_db(*command, options->db);
  add_format(*command, options->format, {"table", "json"});
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
