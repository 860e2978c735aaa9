#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "awele/support/build_version.hpp"
#include "awele/support/decimal.hpp"
#include "awele/support/error.hpp"
#include "numbers.hpp"

namespace awele::cli {

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& details) {
  CLI::App* command = app.add_subcommand(name, description);
  command->set_help_flag("--help,-h", "Print this help and exit");
  command->set_version_flag("--version", fmt::format("awele {}", build_version()),
                            "Print the version and exit");
  command->footer(details);
  return command;
}

CLI::Option* add_db(CLI::App& command, std::string& dir) {
  return command.add_option("--db", dir, "Directory of the slice files slice_00.h5, slice_01.h5, ...")
      ->type_name("DIR")
      ->required();
}

CLI::Option* add_rules(CLI::App& command, std::string& rules, const std::string& description) {
  const auto known = [](const std::string& text) {
    return parse_rules(text) ? std::string()
                             : fmt::format("'{}' is not a rule set; use one of {}", text, rule_names());
  };
  return command.add_option("--rules", rules, fmt::format("{}; one of {}", description, rule_names()))
      ->type_name("RULES")
      ->check(CLI::Validator(known, "", "rules"));
}

CLI::Option* add_seeds(CLI::App& command, const std::string& option, int& seeds,
                       const std::string& description) {
  const auto in_range = [](std::string& text) {
    const auto value = parse_decimal(text);
    if (!value || *value > kMaxSeeds)
      return fmt::format("'{}' is not a number of seeds; give a whole number from 0 to {}", text, kMaxSeeds);
    text = std::to_string(*value);
    return std::string();
  };
  return command.add_option(option, seeds, description)
      ->type_name("N")
      ->transform(CLI::Validator(in_range, "", "seeds"));
}

CLI::Option* add_format(CLI::App& command, std::string& format, const std::vector<std::string>& formats) {
  format = formats.front();
  const auto known = [formats](const std::string& text) {
    return std::find(formats.begin(), formats.end(), text) != formats.end()
               ? std::string()
               : fmt::format("'{}' is not a format; use one of {}", text, fmt::join(formats, ", "));
  };
  return command
      .add_option("--format", format,
                  fmt::format("How to print: {} (default {})", fmt::join(formats, ", "), formats.front()))
      ->type_name("FORMAT")
      ->check(CLI::Validator(known, "", "format"));
}

void add_outcome(CLI::App& command, OutcomeOptions& options) {
  CLI::Option* outcome =
      command.add_flag("--outcome", options.wanted,
                       "Store only what decides games: values are clamped to W = min(n, T - n + 1), beyond "
                       "which a position of n seeds is won or lost however the captured ones are split");
  command
      .add_option("--total", options.total,
                  fmt::format("Seeds T of the whole game, from the largest slice to {} (default {})",
                              kMaxSeeds, kMaxSeeds))
      ->type_name("T")
      ->transform(whole(1, kMaxSeeds))
      ->needs(outcome);
}

Scope scope_of(const OutcomeOptions& options, int n, RuleSet rules) {
  if (!options.wanted) return {};
  const Scope scope = Scope::outcome(options.total);
  if (scope.admits(n, rules)) return scope;
  if (n > options.total)
    throw Error(ExitCode::usage,
                fmt::format("a game of {} seeds never has {} on the board; give a --total of {} to {}",
                            options.total, n, n, kMaxSeeds));
  throw Error(ExitCode::usage, fmt::format("the rules {} are those of a game of {} seeds; leave out --total",
                                           name(rules), kMaxSeeds));
}

void add_distances(CLI::App& command, SolveOptions& options) {
  command.add_flag("--distances", options.distances,
                   "Also store how many plies away the next capture or the end is when both sides play for "
                   "value first; takes two more bytes of memory per position, and more time");
}

void add_solve_tuning(CLI::App& command, SolveOptions& options) {
  const auto group = "Tuning (the results do not depend on it)";
  command
      .add_option("--exchange-bytes", options.exchange_bytes,
                  "Most bytes a rank receives in one exchange of messages (default: eight for each position "
                  "of a batch)")
      ->transform(bytes(1, std::uint64_t{1} << 30))
      ->type_name("BYTES")
      ->group(group);
  command
      .add_option("--ranks-per-node", options.ranks_per_node,
                  "Width of the grid in which messages take two hops; 0: chosen from the number of ranks and "
                  "nodes; the "
                  "number of ranks: one hop (default 0)")
      ->type_name("K")
      ->transform(whole(0, 1 << 20))
      ->group(group);
  command
      .add_option(
          "--batch", options.batch,
          "Positions a rank expands at a time (default: depends on the largest slice, at least 131072)")
      ->type_name("POSITIONS")
      ->transform(whole(64, std::uint64_t{1} << 28))
      ->group(group);
  command
      .add_flag("--counts-apart", options.counts_apart,
                "Keep the number of open moves separate from the rest of a position's state, in 1.5 bytes, "
                "even where one byte could hold both: exact slices of up to 25 seeds, outcomes of any number")
      ->group(group);
}

}  // namespace awele::cli
