// Un-sowing, as the rounds do it, is the inverse of the inner moves; rank tables agree with the formulas over
// pits.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "awele/index/half_index.hpp"
#include "awele/index/slice_index.hpp"
#include "awele/verify/plain_game.hpp"
#include "solver/packed_half.hpp"

namespace awele {
namespace {

using Boards = std::multiset<Board>;

/// The stored boards from which an inner move leads to `board`, found backwards.
Boards predecessors(const Board& board, RuleSet rules) {
  const Half y = mover_half(board), x = waiting_half(board);
  const bool slams_stay = rules == RuleSet::abapa;
  const PitSets sets = pit_sets(y);
  Boards all;
  each_unsowing(prefix_sums(pack(x), seeds(x)), seeds(y), [&](const Unsowing& back) {
    const bool possible = can_unsow(y, sets, back.laid, slams_stay);
    if (back.laid.q == 0) {
      EXPECT_EQ(possible, (unsow_mask(sets, slams_stay) >> back.laid.j & 1) != 0);
    }
    if (!possible) return;
    Half b = y;
    for (int k = 0; k < kHalfPits; ++k) b[k] = static_cast<std::uint8_t>(b[k] - back.laid.at(k));
    all.insert(join(half_of(back.before), b));
  });
  return all;
}

/// Boards an inner move leads to, by the plain rules.
std::vector<Board> inner_children(const Board& board, RuleSet rules) {
  std::vector<Board> children;
  for (const auto& move : plain::moves(board, rules).pit)
    if (move.legal && !move.known && move.captured == 0) children.push_back(move.child);
  return children;
}

class Unsow : public testing::TestWithParam<RuleSet> {};

TEST_P(Unsow, IsTheInverseOfSowingOnWholeSlices) {
  for (int n = 0; n <= 7; ++n) {
    std::map<Board, Boards> forward;
    for (std::uint64_t place = 0; place < slice_size(n); ++place) {
      const Board board = position_at(n, place);
      for (const Board& child : inner_children(board, GetParam())) forward[child].insert(board);
    }
    for (std::uint64_t place = 0; place < slice_size(n); ++place) {
      const Board board = position_at(n, place);
      ASSERT_EQ(predecessors(board, GetParam()), forward[board]) << "n = " << n << ", place " << place;
    }
  }
}

TEST_P(Unsow, IsTheInverseOfSowingOnSamplesOfLargeSlices) {
  std::mt19937_64 random(7);
  for (int n : {12, 13, 24, 36, 48})
    for (int k = 0; k < 3000; ++k) {
      const Board board = position_at(n, random() % slice_size(n));
      for (const Board& child : inner_children(board, GetParam()))
        ASSERT_EQ(predecessors(child, GetParam()).count(board), 1u);
      for (const Board& before : predecessors(board, GetParam())) {
        const auto children = inner_children(before, GetParam());
        ASSERT_NE(std::find(children.begin(), children.end(), board), children.end());
      }
    }
}

/// Few pits with many seeds: laps past the origin pit.
TEST_P(Unsow, IsTheInverseOfSowingWithLongLaps) {
  std::mt19937_64 random(8);
  for (int k = 0; k < 20000; ++k) {
    Board board{};
    const int pits = 1 + static_cast<int>(random() % 3);
    for (int s = 0; s < 48; ++s) ++board[(random() % static_cast<unsigned>(pits)) * 5 % 12];
    for (int extra = static_cast<int>(random() % 20); extra > 0; --extra) {
      std::uint8_t& from = board[0];
      if (from == 0) break;
      --from;
      ++board[random() % 12];
    }
    if (!has_hole(waiting_half(board))) continue;
    for (const Board& child : inner_children(board, GetParam()))
      ASSERT_EQ(predecessors(child, GetParam()).count(board), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, Unsow, testing::ValuesIn(kRuleSets), [](const auto& param) {
  std::string text(name(param.param));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
});

TEST(RankTables, AgreeWithTheFormulasOverPits) {
  for (int s = 0; s <= 14; ++s) {
    Half half = half_at(s, 0);
    do {
      const PackedHalf packed = pack(half);
      ASSERT_EQ(unpack(packed, s), half);
      std::uint64_t any = half_count(s) - 1;
      for (int k = 0; k < 5; ++k) any -= kRanks.any[k][packed >> (6 * k) & 63];
      ASSERT_EQ(any, half_rank(half));
      ASSERT_EQ(rank_of(prefix_sums(packed, s)), half_rank(half));
      ASSERT_EQ(half_of(prefix_sums(packed, s)), half);
      if (!has_hole(half)) continue;
      int z = 5;
      while (half[z] != 0) --z;
      std::uint64_t hole = kRanks.hole_base[z == 5][s];
      for (int k = 0; k < 5; ++k) hole -= kRanks.hole[z][k][packed >> (6 * k) & 63];
      ASSERT_EQ(hole & 0xffffffffu, hole_rank(half));
    } while (next_half(half));
  }
}

}  // namespace
}  // namespace awele
