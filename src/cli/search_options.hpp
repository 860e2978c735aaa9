// What the commands that search have in common: the tuning of a search, and what to say where it ends.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "awele/probe/probe.hpp"
#include "awele/search/analysis.hpp"

namespace awele::cli {

/// --table and --graph.
void add_search_tuning(CLI::App& command, AnalysisLimits& limits);

/// A sentence for a report whose graph is full.
std::string graph_is_full(const AnalysisReport& report, const AnalysisLimits& limits);

/// How to have a board in the database.
struct SolveHint {
  double seconds = 0;    ///< that it takes, by the formulas of awele plan
  std::string sentence;  ///< with the command
};
/// None when nothing is missing, or the memory that is free here is not enough. `ranks`: of the solve.
std::optional<SolveHint> hint_to_solve(const Prober& prober, const Board& board, RuleSet rules, int ranks);

}  // namespace awele::cli
