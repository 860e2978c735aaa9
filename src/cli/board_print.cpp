#include "board_print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "awele/probe/board_text.hpp"

namespace awele::cli {

namespace {

/// A bound lies beyond what the captures so far can outweigh.
std::string bound_in_words(const BoardAnswer& answer, Bound bound, RuleSet rules, Scope scope) {
  const std::string value = describe(KnownValue{answer.value, bound});
  const char* wins = answer.value > 0 ? "the side to move" : "its opponent";
  if (rules == RuleSet::majority_slam)
    return fmt::format("Value {}: whatever has been captured so far, {} wins ({} seeds on the board).", value,
                       wins, answer.seeds);
  return fmt::format(
      "Value {}: of the {} seeds on the board {} captures at least {} more than {}, enough to win any game "
      "of {} seeds.",
      value, answer.seeds, wins, std::abs(answer.value),
      answer.value > 0 ? "its opponent" : "the side to move", scope.total());
}

std::string value_in_words(const BoardAnswer& answer, Bound bound, RuleSet rules, Scope scope) {
  if (bound != Bound::exact) return bound_in_words(answer, bound, rules, scope);
  const int v = answer.value;
  const std::string seeds = fmt::format("{} seed{}", answer.seeds, answer.seeds == 1 ? "" : "s");
  if (rules == RuleSet::majority_slam)
    return fmt::format(
        "Value {:+}: with d seeds more captured so far than its opponent, the side to move wins if "
        "d + ({:+}) > 0 and draws if it is 0 ({} on the board).",
        v, v, seeds);
  if (v == 0) return fmt::format("Value 0: of the {} on the board both sides capture equally many.", seeds);
  return fmt::format("Value {:+}: of the {} on the board {} captures {} more than {}.", v, seeds,
                     v > 0 ? "the side to move" : "its opponent", std::abs(v),
                     v > 0 ? "its opponent" : "the side to move");
}

std::string distance_in_words(const BoardAnswer& answer) {
  if (!answer.distance || answer.value == 0 || *answer.distance == 0) return {};
  return fmt::format("Distance {}: the next capture, or the end, is {} pl{} away.\n", *answer.distance,
                     *answer.distance, *answer.distance == 1 ? "y" : "ies");
}

void print_move(int i, int seeds, const MoveAnswer& move, Bound bound, int width, bool best) {
  if (!move.value) {
    fmt::print(
        "  {:>3}  {:>5}  {}\n", i, seeds,
        move.kind == Move::Kind::empty ? "empty" : "illegal: it would leave the opponent without seeds");
    return;
  }
  const std::string value = describe(KnownValue{*move.value, bound});
  const std::string distance = move.distance ? fmt::format("  {:>8}", *move.distance) : "";
  fmt::print("  {:>3}  {:>5}  {:>8}  {:>{}}{}{}\n", i, seeds, move.captured, value, width, distance,
             best ? " *" : "");
}

}  // namespace

const char* bound_sign(Bound bound) {
  return bound == Bound::at_least ? ">=" : bound == Bound::at_most ? "<=" : "";
}

std::string short_text(KnownValue known) {
  return bound_sign(known.bound) + describe(KnownValue{known.value});
}

const char* bound_name(Bound bound) {
  return bound == Bound::at_least ? "at least" : bound == Bound::at_most ? "at most" : "exact";
}

std::string result_name(int lead, KnownValue value) {
  const int sum = lead + value.value;
  const bool more = value.bound == Bound::at_least, less = value.bound == Bound::at_most;
  if (sum > 0) return less ? "unknown" : "win";
  if (sum < 0) return more ? "unknown" : "loss";
  return more ? "win or draw" : less ? "draw or loss" : "draw";
}

void print_answer(const Board& board, const BoardAnswer& answer, const BoardBounds& bounds, RuleSet rules,
                  Scope scope) {
  const bool clamped = std::any_of(bounds.moves.begin(), bounds.moves.end(),
                                   [](Bound bound) { return bound != Bound::exact; });
  const int width = clamped ? 12 : 5;
  fmt::print("{}\n{}\n{}\n", draw_board(board), value_in_words(answer, bounds.value, rules, scope),
             distance_in_words(answer));
  fmt::print("  pit  seeds  captures  {:>{}}{}\n", "value", width, answer.distance ? "  distance" : "");
  bool legal = false;
  for (int i = 0; i < kHalfPits; ++i) {
    const MoveAnswer& move = answer.moves[i];
    legal = legal || move.value.has_value();
    print_move(i, board[i], move, bounds.moves[static_cast<std::size_t>(i)], width,
               std::find(answer.best.begin(), answer.best.end(), i) != answer.best.end());
  }
  if (!legal)
    fmt::print("\nThere is no legal move: the game ends here, under the rules {}.\n", name(rules));
  else if (answer.best.empty())
    fmt::print("\nThe value is that of having no other move: each side keeps its own pits.\n");
}

}  // namespace awele::cli
