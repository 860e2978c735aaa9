#include "analysis_print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "awele/play/notation.hpp"
#include "results.hpp"

namespace awele::cli {

std::string signed_number(int value) { return value == 0 ? "0" : fmt::format("{:+}", value); }

std::string interval_in_words(const Interval& interval) {
  if (interval.exact()) return signed_number(interval.low);
  return fmt::format("[{}, {}]", signed_number(interval.low), signed_number(interval.high));
}

std::vector<std::string> line_in_words(const Situation& situation, RuleSet rules,
                                       const std::vector<int>& pits) {
  Game game(rules, situation, {.repetitions = 1 << 20, .play_on = true});
  std::vector<std::string> line;
  for (int pit : pits) {
    if (game.outcome() || !legal_moves(game.now(), rules)[static_cast<std::size_t>(pit)]) break;
    line.push_back(format_move(game.play(pit)));
  }
  return line;
}

void print_progress(const AnalysisReport& report, const Situation& situation, RuleSet rules, double seconds) {
  std::string line;
  if (report.best)
    line = fmt::format(
        "{}",
        fmt::join(line_in_words(situation, rules, report.moves[static_cast<std::size_t>(*report.best)].line),
                  " "));
  put("  {:>5} {:>12} {:>8.0f} {:>9}  {:<12}  {}{}\n", report.depth, report.nodes,
      static_cast<double>(report.nodes) / std::max(seconds, 1e-6), report.hits,
      interval_in_words(report.proven), line, report.complete ? "" : "  (cut short)");
}

namespace {

void print_move(const MoveReport& move, const Situation& situation, RuleSet rules, bool best) {
  const std::vector<std::string> line = line_in_words(situation, rules, move.line);
  const std::string estimate = move.estimate ? fmt::format("{:+.2f}", *move.estimate / 100.0) : "-";
  const std::string rest = fmt::format("{}", fmt::join(line.begin() + 1, line.end(), " "));
  put("  {:<6}{} {:>12}  {:>8}  {}\n", line.front(), best ? "*" : " ", interval_in_words(move.proven),
      estimate, rest);
}

void print_difference(const Interval& proven, const Situation& situation, RuleSet rules) {
  const Interval final{proven.low + situation.lead(), proven.high + situation.lead()};
  if (rules != RuleSet::majority_slam)
    put("Proven: the final difference is {}{} for the side to move.\n", final.exact() ? "" : "within ",
        interval_in_words(final));
  const char* result = final.low > 0     ? "the side to move wins"
                       : final.high < 0  ? "the side to move loses"
                       : final.exact()   ? "a draw"
                       : final.low == 0  ? "the side to move does not lose"
                       : final.high == 0 ? "the side to move does not win"
                                         : "nothing about who wins";
  put("Proven: {}.\n", result);
}

}  // namespace

void print_analysis(const AnalysisReport& report, const Situation& situation, RuleSet rules, bool stores) {
  if (!report.moves.empty()) put("\n  move          proven  estimate  expected line\n");
  for (std::size_t m = 0; m < report.moves.size(); ++m)
    print_move(report.moves[m], situation, rules, report.best == static_cast<int>(m));
  if (report.moves.empty()) put("\nThere is no legal move: the game ends here.\n");
  const int n = seeds(situation.board);
  if (report.proven.exact())
    put("\nProven: the value is {} ({} seeds on the board).\n", signed_number(report.proven.low), n);
  else
    put("\nProven: the value is at least {} and at most {} ({} seeds on the board).\n",
        signed_number(report.proven.low), signed_number(report.proven.high), n);
  if (stores) print_difference(report.proven, situation, rules);
}

}  // namespace awele::cli
