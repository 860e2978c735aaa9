// Counts of inner moves and exits by rule of every position of interest, before any propagation, against the
// plain rules, in both layouts and clamped.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "awele/index/half_index.hpp"
#include "awele/verify/plain_game.hpp"
#include "solver/slice_state.hpp"

namespace awele {
namespace {

class InitialState : public testing::TestWithParam<RuleSet> {};

/// The best exit and the inner moves of a position whose captures have not been looked up yet.
std::pair<std::optional<int>, int> expected(const Board& board, RuleSet rules) {
  const plain::Moves moves = plain::moves(board, rules);
  std::optional<int> best;
  int inner = 0;
  const auto exit = [&](int e) { best = std::max(best.value_or(e), e); };
  if (moves.ended) exit(*moves.ended);
  for (const auto& move : moves.pit) {
    if (!move.legal) continue;
    if (move.known) exit(move.value);
    inner += !move.known && move.captured == 0;
  }
  return {best, inner};
}

/// All positions with few waiting seeds, where the rules differ, and every 997th row of the others.
void check(int n, RuleSet rules, const StateForm& form) {
  StateArrays arrays;
  SliceState state(n, rules, form, 0, 1, arrays);
  begin_exits(state);
  finish_exits(state);
  for (int m = 0; m <= n; ++m) {
    const int waiting = n - m;
    for (std::uint64_t row = state.rows.local_base(m); row < state.rows.local_base(m + 1); ++row) {
      if (waiting > 10 && m > 0 && row % 997 != 0) continue;
      const std::uint64_t place = state.offset(row, m);
      const Half a = half_at(m, row - state.rows.base(m));
      for (std::uint64_t column = 0; column < state.columns(m); ++column) {
        const Board board = join(a, hole_at(waiting, column));
        const auto [best, count] = expected(board, rules);
        const int exit = std::clamp(best.value_or(-form.width), -form.width, form.width);
        const Code code = !form.joined && !best ? code::open_missing : state.meaning.open(exit, count);
        ASSERT_EQ(state.codes[place + column], code) << testing::PrintToString(board);
        if (!form.joined) {
          ASSERT_EQ(state.count(place + column), count) << testing::PrintToString(board);
        }
      }
    }
  }
}

/// In both layouts, exact and clamped.
void check_all(int n, RuleSet rules) {
  check(n, rules, {n, false});
  check(n, rules, {n, true});
  check(n, rules, {(n + 1) / 2, true});
  if (n <= 11) check(n, rules, {std::min(n, 1), false});
}

TEST_P(InitialState, AgreesWithThePlainRules) {
  for (int n : {0, 1, 5, 6, 7, 11, 12, 13}) check_all(n, GetParam());
}

#ifndef __SANITIZE_ADDRESS__
/// From 18 seeds on a move can lap the board twice and take a half whose pits were nearly empty.
TEST_P(InitialState, AgreesWithThePlainRulesWhereMovesLapTwice) {
  check(19, GetParam(), {19, false});
  check(19, GetParam(), {19, true});
}
#endif

/// No two of the things that a byte can say share one, at every width.
TEST(Meaning, EveryByteSaysOneThing) {
  for (const bool joined : {false, true})
    for (int width = 1; width <= (joined ? kJoinedWidth : kMaxSeeds); ++width) {
      const Meaning meaning(width, joined);
      std::set<Code> seen;
      std::size_t all = 0;
      const auto add = [&](Code c, bool open, bool pending) {
        seen.insert(c);
        ++all;
        EXPECT_EQ(meaning.is_open(c), open);
        EXPECT_EQ(meaning.is_pending(c), pending);
      };
      for (int v = -width; v <= width; ++v) {
        add(meaning.settled(v), false, false);
        EXPECT_EQ(meaning.value(meaning.settled(v)), v);
      }
      for (std::size_t set = 0; set < 4; ++set) add(meaning.pending(set), false, true);
      for (int e = -width; e <= width; ++e)
        for (int moves = 0; moves <= (joined && e < 0 ? kMostMoves : 0); ++moves) {
          const Code c = meaning.open(e, moves);
          add(c, true, false);
          EXPECT_EQ(meaning.value(c), 0);
          const bool waits = joined && e == -width && moves > 0;
          EXPECT_EQ(meaning.exit_bit(c), waits ? 0 : std::uint64_t{1} << std::abs(e));
          if (!joined) continue;
          EXPECT_EQ(meaning.counted_down(c), meaning.open(e, std::max(moves - 1, 0)));
          EXPECT_EQ(meaning.is_stuck(c), e < 0 && moves == 0);
        }
      EXPECT_EQ(seen.size(), all) << width;
    }
}

INSTANTIATE_TEST_SUITE_P(Rules, InitialState, testing::ValuesIn(kRuleSets), [](const auto& param) {
  std::string text(name(param.param));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
});

}  // namespace
}  // namespace awele
