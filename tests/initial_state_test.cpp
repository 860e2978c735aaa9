// Counts of inner moves and exits by rule of every position of interest, before any propagation, against the
// plain rules.
#include <gtest/gtest.h>

#include <algorithm>

#include "awele/index/half_index.hpp"
#include "awele/verify/plain_game.hpp"
#include "solver/slice_state.hpp"

namespace awele {
namespace {

class InitialState : public testing::TestWithParam<RuleSet> {};

/// The code and count of a position whose captures have not been looked up yet.
std::pair<Code, int> expected(const Board& board, RuleSet rules) {
  const plain::Moves moves = plain::moves(board, rules);
  Code code = code::open_missing;
  int inner = 0;
  const auto exit = [&](int e) { code = std::max(code, code::open_exit(e)); };
  if (moves.ended) exit(*moves.ended);
  for (const auto& move : moves.pit) {
    if (!move.legal) continue;
    if (move.known) exit(move.value);
    inner += !move.known && move.captured == 0;
  }
  return {code, inner};
}

/// All positions with few waiting seeds, where the rules differ, and every 997th row of the others.
void check(int n, RuleSet rules) {
  StateArrays arrays;
  SliceState state(n, rules, 0, 1, arrays);
  initialise(state);
  for (int m = 0; m <= n; ++m) {
    const int waiting = n - m;
    for (std::uint64_t row = state.rows.local_base(m); row < state.rows.local_base(m + 1); ++row) {
      if (waiting > 10 && m > 0 && row % 997 != 0) continue;
      const std::uint64_t place = state.offset(row, m);
      const Half a = half_at(m, row - state.rows.base(m));
      for (std::uint64_t column = 0; column < state.columns(m); ++column) {
        const Board board = join(a, hole_at(waiting, column));
        const auto [code, count] = expected(board, rules);
        ASSERT_EQ(state.codes[place + column], code) << testing::PrintToString(board);
        ASSERT_EQ(state.count(place + column), count) << testing::PrintToString(board);
      }
    }
  }
}

TEST_P(InitialState, AgreesWithThePlainRules) {
  for (int n : {0, 1, 5, 6, 7, 11, 12, 13}) check(n, GetParam());
}

#ifndef __SANITIZE_ADDRESS__
/// From 18 seeds on a move can lap the board twice and take a half whose pits were nearly empty.
TEST_P(InitialState, AgreesWithThePlainRulesWhereMovesLapTwice) { check(19, GetParam()); }
#endif

INSTANTIATE_TEST_SUITE_P(Rules, InitialState, testing::ValuesIn(kRuleSets), [](const auto& param) {
  std::string text(name(param.param));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
});

}  // namespace
}  // namespace awele
