// Options and help that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/solver/solve.hpp"

namespace awele::cli {

/// A command with --help and --version. `details` follows the options in its help: what is printed, units,
/// an example.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& details);

/// --db DIR, required.
CLI::Option* add_db(CLI::App& command, std::string& dir);
/// --rules RULES; an unknown name is refused while parsing. Read it with parse_rules().
CLI::Option* add_rules(CLI::App& command, std::string& rules, const std::string& description);
/// An option for a number of seeds, 0..48.
CLI::Option* add_seeds(CLI::App& command, const std::string& option, int& seeds,
                       const std::string& description);
/// --format, one of `formats`, of which the first is the default.
CLI::Option* add_format(CLI::App& command, std::string& format, const std::vector<std::string>& formats);

/// --outcome and --total T.
struct OutcomeOptions {
  bool wanted = false;
  int total = kMaxSeeds;
};
void add_outcome(CLI::App& command, OutcomeOptions& options);
/// What they ask for; an Error unless slice n can belong to such a database.
Scope scope_of(const OutcomeOptions& options, int n, RuleSet rules);
/// --distances
void add_distances(CLI::App& command, SolveOptions& options);
/// Options of a solve that the results do not depend on.
void add_solve_tuning(CLI::App& command, SolveOptions& options);

}  // namespace awele::cli
