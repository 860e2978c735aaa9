// What an analysis found out, as text.
#pragma once

#include <string>
#include <vector>

#include "awele/play/game.hpp"
#include "awele/search/analysis.hpp"

namespace awele::cli {

/// "+3", "0", "-2".
std::string signed_number(int value);
/// "[-2, +4]", or "+3" when exact.
std::string interval_in_words(const Interval& interval);
/// The moves of a line from a situation in notation.
std::vector<std::string> line_in_words(const Situation& situation, RuleSet rules,
                                       const std::vector<int>& pits);

/// One line for a step.
void print_progress(const AnalysisReport& report, const Situation& situation, RuleSet rules, double seconds);
/// The table of moves and the result; `stores`: with final differences.
void print_analysis(const AnalysisReport& report, const Situation& situation, RuleSet rules, bool stores);

}  // namespace awele::cli
