// The game: examples for every rule set, and every board of few seeds against the plain implementation.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>

#include "awele/game/board.hpp"
#include "awele/game/scope.hpp"
#include "awele/game/sowing.hpp"
#include "awele/verify/plain_game.hpp"
#include "awele/verify/plain_index.hpp"

namespace awele {
namespace {

using Kind = Move::Kind;

std::string text(const Board& board) {
  std::ostringstream out;
  for (int pit : board) out << pit << ' ';
  return out.str();
}

// ------------------------------------------------------------------------------------------------ names

TEST(Rules, NamesAndParsingAreInverse) {
  for (RuleSet rules : kRuleSets) EXPECT_EQ(parse_rules(name(rules)), rules);
  EXPECT_EQ(rule_names(), "awari, unrestricted, majority-slam, never-starve, abapa");
  EXPECT_FALSE(parse_rules("Awari"));
  EXPECT_FALSE(parse_rules(""));
}

TEST(Board, HalvesAndSeeds) {
  const Board board{1, 2, 3, 4, 5, 6, 0, 1, 0, 2, 0, 3};
  EXPECT_EQ(seeds(board), 27);
  EXPECT_EQ(seeds(mover_half(board)), 21);
  EXPECT_EQ(seeds(waiting_half(board)), 6);
  EXPECT_EQ(join(mover_half(board), waiting_half(board)), board);
  EXPECT_TRUE(has_hole(waiting_half(board)));
  EXPECT_FALSE(has_hole(mover_half(board)));
}

// --------------------------------------------------------------------------------------------- examples

TEST(Moves, OpeningMoveSowsWithoutCapture) {
  const Board start{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
  for (RuleSet rules : kRuleSets) {
    const Moves all = moves(start, rules);
    EXPECT_FALSE(all.ended);
    EXPECT_EQ(all.pit[5].kind, Kind::inner);
    EXPECT_EQ(all.pit[5].child, (Board{5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0}));
    EXPECT_EQ(all.pit[0].child, (Board{4, 4, 4, 4, 4, 4, 0, 5, 5, 5, 5, 4}));
  }
}

TEST(Moves, CaptureGoesBackUntilAPitHoldsNeitherTwoNorThree) {
  // The last seed makes 2; behind it 3, then 4.
  const Board board{0, 0, 0, 0, 0, 3, 3, 2, 1, 7, 0, 0};
  for (RuleSet rules : kRuleSets) {
    const Move move = moves(board, rules).pit[5];
    EXPECT_EQ(move.kind, Kind::capture);
    EXPECT_EQ(move.captured, 5);
    EXPECT_EQ(move.child, (Board{4, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0}));
  }
}

TEST(Moves, NothingIsCapturedInTheMoversOwnHalf) {
  const Board board{1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 5};
  for (RuleSet rules : kRuleSets) {
    const Move move = moves(board, rules).pit[0];
    EXPECT_EQ(move.kind, Kind::inner);
    EXPECT_EQ(move.child, (Board{1, 0, 0, 0, 0, 5, 0, 2, 0, 0, 0, 0}));
  }
}

TEST(Moves, TheOriginIsPassedOverOnEveryLap) {
  // 23 seeds: two laps of eleven, and one seed more.
  const Board board{0, 0, 0, 0, 0, 23, 0, 0, 0, 0, 0, 5};
  for (RuleSet rules : kRuleSets) {
    const Move move = moves(board, rules).pit[5];
    EXPECT_EQ(move.kind, Kind::capture);
    EXPECT_EQ(move.captured, 3);
    EXPECT_EQ(move.child, (Board{0, 2, 2, 2, 2, 7, 2, 2, 2, 2, 2, 0}));
  }
}

TEST(Moves, EmptyMoverHalf) {
  const Board board{0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2};
  for (RuleSet rules : kRuleSets) {
    const Moves all = moves(board, rules);
    EXPECT_EQ(all.ended, rules == RuleSet::never_starve ? 0 : -12);
    for (const Move& move : all.pit) EXPECT_EQ(move.kind, Kind::empty);
  }
}

TEST(Moves, EmptyBoardIsWorthNothing) {
  for (RuleSet rules : kRuleSets) EXPECT_EQ(moves(Board{}, rules).ended, 0);
}

TEST(Moves, GrandSlamBesideAFeedingMove) {
  // Pit 5 takes the only waiting seed with it (2); pit 4 feeds nobody; pit 0 reaches nobody either.
  // A feeding move: none but pit 3 with its 4 seeds.
  const Board board{0, 0, 0, 4, 0, 1, 1, 0, 0, 0, 0, 0};
  {
    const Moves all = moves(board, RuleSet::awari);
    EXPECT_EQ(all.pit[5].kind, Kind::illegal);
    EXPECT_EQ(all.pit[3].kind, Kind::inner);
    EXPECT_FALSE(all.ended);
  }
  {
    const Moves all = moves(board, RuleSet::unrestricted);
    EXPECT_EQ(all.pit[5].kind, Kind::known);
    EXPECT_EQ(all.pit[5].value, 6);
  }
  {
    const Moves all = moves(board, RuleSet::majority_slam);
    EXPECT_EQ(all.pit[5].kind, Kind::known);
    EXPECT_EQ(all.pit[5].value, 2 * 2 - 6 - 1);
    EXPECT_FALSE(all.ended);
  }
  EXPECT_EQ(moves(board, RuleSet::never_starve).pit[5].kind, Kind::illegal);
  {
    const Moves all = moves(board, RuleSet::abapa);
    EXPECT_EQ(all.pit[5].kind, Kind::inner);
    EXPECT_EQ(all.pit[5].child, (Board{2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0}));
  }
}

TEST(Moves, OnlyAGrandSlam) {
  const Board board{0, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0};
  EXPECT_EQ(moves(board, RuleSet::awari).pit[5].kind, Kind::known);
  EXPECT_EQ(moves(board, RuleSet::awari).pit[5].value, 4);
  EXPECT_EQ(moves(board, RuleSet::unrestricted).pit[5].value, 4);
  {
    const Moves all = moves(board, RuleSet::majority_slam);
    EXPECT_EQ(all.pit[5].kind, Kind::known);
    EXPECT_EQ(all.pit[5].value, 2 * 4 - 4 - 1);
    EXPECT_EQ(all.ended, 0);  // each side keeps its two
  }
  {
    const Moves all = moves(board, RuleSet::never_starve);
    EXPECT_EQ(all.pit[5].kind, Kind::illegal);
    EXPECT_EQ(all.ended, 0);
  }
  {
    const Moves all = moves(board, RuleSet::abapa);
    EXPECT_EQ(all.pit[5].kind, Kind::inner);
    EXPECT_EQ(all.pit[5].captured, 0);
    EXPECT_EQ(all.pit[5].child, (Board{2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_FALSE(all.ended);
  }
}

TEST(Moves, NobodyCanBeFed) {
  const Board board{2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (RuleSet rules : {RuleSet::awari, RuleSet::unrestricted}) {
    EXPECT_EQ(moves(board, rules).pit[0].kind, Kind::known);
    EXPECT_EQ(moves(board, rules).pit[0].value, 3);
    EXPECT_FALSE(moves(board, rules).ended);
  }
  for (RuleSet rules : {RuleSet::majority_slam, RuleSet::abapa}) {
    EXPECT_EQ(moves(board, rules).pit[0].kind, Kind::illegal);
    EXPECT_EQ(moves(board, rules).ended, 3);
  }
  EXPECT_EQ(moves(board, RuleSet::never_starve).pit[0].kind, Kind::illegal);
  EXPECT_EQ(moves(board, RuleSet::never_starve).ended, 0);
}

TEST(Moves, FeedingIsADutyWhereItIsPossible) {
  const Board board{2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  for (RuleSet rules : kRuleSets) {
    const Moves all = moves(board, rules);
    EXPECT_EQ(all.pit[5].kind, Kind::inner);
    EXPECT_EQ(all.pit[5].child, (Board{1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0}));
    EXPECT_EQ(all.pit[0].kind, rules == RuleSet::unrestricted ? Kind::known : Kind::illegal);
    EXPECT_FALSE(all.ended);
  }
}

// ------------------------------------------------------------------------- against the plain implementation

/// Empty when the two implementations agree on a board, else what differs.
std::string difference(const Board& board, RuleSet rules) {
  const Moves fast = moves(board, rules);
  const plain::Moves slow = plain::moves(board, rules);
  const std::string where = std::string(name(rules)) + ", " + text(board);
  if (fast.ended != slow.ended) return "value without a move: " + where;
  for (std::size_t i = 0; i < 6; ++i) {
    const Move& f = fast.pit[i];
    const plain::Move& s = slow.pit[i];
    const std::string pit = "pit " + std::to_string(i) + ": " + where;
    if ((f.kind == Kind::empty) != (board[i] == 0)) return "empty " + pit;
    if ((f.kind != Kind::empty && f.kind != Kind::illegal) != s.legal) return "legal " + pit;
    if (!s.legal) continue;
    if ((f.kind == Kind::known) != s.known) return "known " + pit;
    if (f.captured != s.captured) return "captured " + pit;
    if (s.known ? f.value != s.value : f.child != s.child) return "result " + pit;
    if (!s.known && (f.kind == Kind::inner) != (s.captured == 0)) return "kind " + pit;
  }
  return {};
}

TEST(MovesAgainstPlain, EveryBoardOfUpToEightSeeds) {
  for (RuleSet rules : kRuleSets)
    for (int n = 0; n <= 8; ++n) {
      Board board = plain::first_board(n);
      do {
        ASSERT_EQ(difference(board, rules), "");
      } while (plain::next_board(board));
    }
}

/// Seeds thrown one by one into the pits, some of which are closed, so that large and empty pits occur.
Board random_board(std::mt19937& random, int n) {
  std::array<int, kPits> open;
  const int pits = std::uniform_int_distribution(1, kPits)(random);
  for (int& pit : open) pit = std::uniform_int_distribution(0, kPits - 1)(random);
  Board board{};
  for (int s = 0; s < n; ++s)
    ++board[static_cast<std::size_t>(
        open[static_cast<std::size_t>(std::uniform_int_distribution(0, pits - 1)(random))])];
  return board;
}

TEST(MovesAgainstPlain, RandomBoardsOfUpTo48Seeds) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const Board board = random_board(random, std::uniform_int_distribution(9, kMaxSeeds)(random));
    for (RuleSet rules : kRuleSets) ASSERT_EQ(difference(board, rules), "");
  }
}

TEST(Moves, SeedsAreConserved) {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const Board board = random_board(random, std::uniform_int_distribution(1, kMaxSeeds)(random));
    for (RuleSet rules : kRuleSets)
      for (const Move& move : moves(board, rules).pit) {
        if (move.kind != Kind::inner && move.kind != Kind::capture) continue;
        ASSERT_EQ(seeds(move.child) + move.captured, seeds(board)) << text(board);
        ASSERT_TRUE(has_hole(waiting_half(move.child))) << text(board);
      }
  }
}

// ----------------------------------------------------------------------------------------------- patterns

/// One seed at a time from pit `i` into eleven others; `last` becomes the pit of the last seed.
std::array<int, kPits> one_by_one(int i, int s, int& last) {
  std::array<int, kPits> gets{};
  last = i;
  for (int hand = s; hand > 0;) {
    last = (last + 1) % kPits;
    if (last == i) continue;
    ++gets[static_cast<std::size_t>(last)];
    --hand;
  }
  return gets;
}

TEST(Sowing, PatternAndOwnSeedsAgainstOneByOne) {
  for (int i = 0; i < kHalfPits; ++i)
    for (int s = 1; s <= kMaxSeeds; ++s) {
      int last = 0;
      const auto gets = one_by_one(i, s, last);
      const Pattern p = pattern(i, s);
      EXPECT_EQ(p.j, last < kHalfPits ? 0 : last - kHalfPits + 1) << i << ' ' << s;
      EXPECT_GE(p.q, 0);
      EXPECT_LT(p.q, kPatternLaps);
      int given = 0;
      for (int k = 0; k < kHalfPits; ++k) {
        EXPECT_EQ(own_seeds(i, s, k), gets[static_cast<std::size_t>(k)]) << i << ' ' << s << ' ' << k;
        EXPECT_EQ(p.at(k), gets[static_cast<std::size_t>(k + kHalfPits)]) << i << ' ' << s << ' ' << k;
        given += gets[static_cast<std::size_t>(k + kHalfPits)];
      }
      EXPECT_EQ(p.given(), given);
    }
}

TEST(Sowing, PatternSaysWhereTheLastSeedFalls) {
  EXPECT_EQ(pattern(0, 11), (Pattern{0, 6}));
  EXPECT_EQ(pattern(5, 7), (Pattern{1, 0}));
  EXPECT_EQ(pattern(5, 6), (Pattern{0, 6}));
  EXPECT_EQ(pattern(5, 12), (Pattern{1, 1}));
  EXPECT_EQ(pattern(0, 5), (Pattern{0, 0}));
}

TEST(Sowing, CaptureAgainstOneByOne) {
  std::mt19937 random(3);
  for (int i = 0; i < kHalfPits; ++i)
    for (int s = 1; s <= kMaxSeeds; ++s)
      for (int trial = 0; trial < 200; ++trial) {
        Half before;
        for (auto& pit : before) pit = static_cast<std::uint8_t>(std::uniform_int_distribution(0, 3)(random));
        int last = 0;
        const auto gets = one_by_one(i, s, last);
        const Pattern p = pattern(i, s);
        Half after = before, expected;
        for (int k = 0; k < kHalfPits; ++k) {
          after[static_cast<std::size_t>(k)] += static_cast<std::uint8_t>(p.at(k));
          expected[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(
              before[static_cast<std::size_t>(k)] + gets[static_cast<std::size_t>(k + kHalfPits)]);
        }
        int taken = 0;
        for (int at = last; at >= kHalfPits; --at) {
          std::uint8_t& pit = expected[static_cast<std::size_t>(at - kHalfPits)];
          if (pit != 2 && pit != 3) break;
          taken += pit;
          pit = 0;
        }
        ASSERT_EQ(capture(after, p), taken) << i << ' ' << s;
        ASSERT_EQ(after, expected) << i << ' ' << s;
      }
}

// ------------------------------------------------------------------------------------------------ scope

TEST(Scope, HowFarValuesGo) {
  EXPECT_TRUE(Scope{}.exact());
  EXPECT_EQ(Scope{}, Scope::outcome(0));
  EXPECT_EQ(Scope{}.width(40), 40);
  EXPECT_FALSE(Scope{}.clamps(40));
  constexpr Scope game = Scope::outcome(48);
  EXPECT_EQ(game.width(24), 24);
  EXPECT_FALSE(game.clamps(24));
  EXPECT_EQ(game.width(25), 24);
  EXPECT_TRUE(game.clamps(25));
  EXPECT_EQ(game.width(36), 13);
  EXPECT_EQ(game.width(46), 3);
  EXPECT_EQ(game.width(48), 1);
  EXPECT_EQ(game.clamp(46, -20), -3);
  EXPECT_EQ(game.clamp(46, 2), 2);
}

TEST(Scope, ClampedValuesDecideEveryGame) {
  for (int total = 1; total <= kMaxSeeds; ++total)
    for (int n = 0; n <= total; ++n)
      for (int ahead = n - total; ahead <= total - n; ++ahead)
        for (int value = -n; value <= n; ++value) {
          const int clamped = Scope::outcome(total).clamp(n, value);
          ASSERT_EQ(ahead + value > 0, ahead + clamped > 0) << total << ' ' << n << ' ' << value;
          ASSERT_EQ(ahead + value < 0, ahead + clamped < 0) << total << ' ' << n << ' ' << value;
        }
}

TEST(Scope, WhatItAdmits) {
  EXPECT_TRUE(Scope{}.admits(48, RuleSet::majority_slam));
  EXPECT_TRUE(Scope::outcome(12).admits(12, RuleSet::awari));
  EXPECT_FALSE(Scope::outcome(12).admits(13, RuleSet::awari));
  EXPECT_FALSE(Scope::outcome(49).admits(3, RuleSet::awari));
  EXPECT_FALSE(Scope::outcome(12).admits(3, RuleSet::majority_slam));
  EXPECT_TRUE(Scope::outcome(48).admits(3, RuleSet::majority_slam));
}

}  // namespace
}  // namespace awele
