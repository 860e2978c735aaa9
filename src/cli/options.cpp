#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "awele/support/version.hpp"

namespace awele::cli {

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& details) {
  CLI::App* command = app.add_subcommand(name, description);
  command->set_help_flag("--help,-h", "Print this help and exit");
  command->set_version_flag("--version", fmt::format("awele {}", kVersion), "Print the version and exit");
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
  const auto in_range = [](const std::string& text) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good =
        error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= kMaxSeeds;
    return good ? std::string()
                : fmt::format("'{}' is not a number of seeds; give a whole number from 0 to {}", text,
                              kMaxSeeds);
  };
  return command.add_option(option, seeds, description)
      ->type_name("N")
      ->check(CLI::Validator(in_range, "", "seeds"));
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

void add_distances(CLI::App& command, SolveOptions& options) {
  command.add_flag("--distances", options.distances,
                   "Also store how many plies the next capture or the end is away when both sides play for "
                   "the value first; "
                   "takes two more bytes of memory a position, and more time");
}

void add_solve_tuning(CLI::App& command, SolveOptions& options) {
  const auto group = "Tuning (the results do not depend on it)";
  command
      .add_option("--exchange-bytes", options.exchange_bytes,
                  "Bytes a rank receives at most in one exchange of messages (default: eight for each "
                  "position of a batch)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("BYTES")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30).description(""))
      ->group(group);
  command
      .add_option("--ranks-per-node", options.ranks_per_node,
                  "Width of the grid in which messages take two hops; 0: chosen from the number of ranks and "
                  "nodes; the "
                  "number of ranks: one hop (default 0)")
      ->type_name("K")
      ->check(CLI::Range(0, 1 << 20).description(""))
      ->group(group);
  command
      .add_option("--batch", options.batch,
                  "Positions that a rank expands at a time (default: by the size of the largest slice, at "
                  "least 131072)")
      ->type_name("POSITIONS")
      ->check(CLI::Range(std::uint64_t{64}, std::uint64_t{1} << 28).description(""))
      ->group(group);
}

}  // namespace awele::cli
