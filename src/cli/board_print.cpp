#include "board_print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "awele/probe/board_text.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

std::string value_in_words(const BoardAnswer& answer, RuleSet rules) {
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

void print_move(int i, int seeds, const MoveAnswer& move, bool best) {
  if (!move.value) {
    put("  {:>3}  {:>5}  {}\n", i, seeds,
        move.kind == Move::Kind::empty ? "empty" : "illegal: it would leave the opponent without seeds");
    return;
  }
  const std::string value = *move.value == 0 ? "0" : fmt::format("{:+}", *move.value);
  const std::string distance = move.distance ? fmt::format("  {:>8}", *move.distance) : "";
  put("  {:>3}  {:>5}  {:>8}  {:>5}{}{}\n", i, seeds, move.captured, value, distance, best ? " *" : "");
}

}  // namespace

void print_answer(const Board& board, const BoardAnswer& answer, RuleSet rules) {
  put("{}\n{}\n{}\n", draw_board(board), value_in_words(answer, rules), distance_in_words(answer));
  put("  pit  seeds  captures  value{}\n", answer.distance ? "  distance" : "");
  bool legal = false;
  for (int i = 0; i < kHalfPits; ++i) {
    const MoveAnswer& move = answer.moves[i];
    legal = legal || move.value.has_value();
    print_move(i, board[i], move, std::find(answer.best.begin(), answer.best.end(), i) != answer.best.end());
  }
  if (!legal)
    put("\nThere is no legal move: the game ends here, under the rules {}.\n", name(rules));
  else if (answer.best.empty())
    put("\nThe value is that of having no other move: each side keeps its own pits.\n");
}

}  // namespace awele::cli
