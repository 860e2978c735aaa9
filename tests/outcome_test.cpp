// Outcome databases: what the library, the checks and the search say of clamped values, against the exact
// values of the second algorithm.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "awele/awele.h"
#include "awele/index/slice_index.hpp"
#include "awele/probe/probe.hpp"
#include "awele/probe/statistics.hpp"
#include "awele/search/analysis.hpp"
#include "awele/search/player.hpp"
#include "awele/verify/verifier.hpp"
#include "reference/reference_solver.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

// Existing programs rely on these.
static_assert(sizeof(awele_move) == 5 * sizeof(int));
static_assert(sizeof(awele_board_answer) == 3 * sizeof(int) + 6 * sizeof(awele_move));

using Slices = std::vector<std::vector<std::int8_t>>;

constexpr int kSeeds = 8;

// --------------------------------------------------------------------------------------------- arithmetic

constexpr int kFar = 1000;
Interval open_interval(KnownValue known) {
  return {known.bound == Bound::at_most ? -kFar : known.value,
          known.bound == Bound::at_least ? kFar : known.value};
}

std::vector<KnownValue> all_known() {
  std::vector<KnownValue> all;
  for (int value = -4; value <= 4; ++value)
    for (Bound bound : {Bound::exact, Bound::at_least, Bound::at_most}) all.push_back({value, bound});
  return all;
}

TEST(Known, OfAMoveAsOfIntervals) {
  for (KnownValue child : all_known()) {
    const Interval before = open_interval(child), after = open_interval(after_move(3, child));
    EXPECT_EQ(after.low, before.high == kFar ? -kFar : 3 - before.high);
    EXPECT_EQ(after.high, before.low == -kFar ? kFar : 3 - before.low);
  }
}

TEST(Known, TheBetterOfTwoAsOfIntervals) {
  for (KnownValue a : all_known())
    for (KnownValue b : all_known()) {
      const Interval x = open_interval(a), y = open_interval(b);
      const Interval truth{std::max(x.low, y.low), std::max(x.high, y.high)};
      Interval found = open_interval(better_of(a, b));
      if (found.low == -kFar && truth.high < kFar) found.low = truth.low;  // the end that is given up
      EXPECT_EQ(found, truth) << describe(a) << ", " << describe(b);
      EXPECT_EQ(better_of(a, b), better_of(b, a));
    }
}

TEST(Known, InWords) {
  EXPECT_EQ(describe(KnownValue{3}), "+3");
  EXPECT_EQ(describe(KnownValue{0}), "0");
  EXPECT_EQ(describe(KnownValue{-3, Bound::at_most}), "at most -3");
  EXPECT_EQ(describe(KnownValue{3, Bound::at_least}), "at least +3");
}

// ------------------------------------------------------------------------------------------- one database

struct Case {
  RuleSet rules;
  int total;
};

const Slices& exact_slices(RuleSet rules) {
  static std::map<RuleSet, Slices> known;
  Slices& slices = known[rules];
  if (slices.empty()) slices = reference::reference_slices(rules, kSeeds);
  return slices;
}

class Outcomes : public testing::TestWithParam<Case> {
 protected:
  Outcomes() : rules(GetParam().rules), scope(Scope::outcome(GetParam().total)), exact(exact_slices(rules)) {
    for (int n = 0; n <= kSeeds; ++n) {
      std::vector<std::int8_t> values = exact[static_cast<std::size_t>(n)];
      for (auto& value : values) value = static_cast<std::int8_t>(scope.clamp(n, value));
      test::write_slice(scratch.path(), n, rules, values, {}, scope);
    }
  }

  int truth(const Board& board) const { return reference::reference_value(exact, rules, board); }
  Prober open() const { return Prober(scratch.path(), Prober::kDefaultCache, Accept::any); }

  /// Boards of up to `most` seeds, with and without a hole.
  static std::vector<Board> random_boards(int count, int least = 0, int most = kSeeds) {
    std::mt19937 random(7);
    std::vector<Board> boards(static_cast<std::size_t>(count));
    for (Board& board : boards)
      for (int seeds = std::uniform_int_distribution(least, most)(random); seeds > 0; --seeds)
        ++board[std::uniform_int_distribution<std::size_t>(0, kPits - 1)(random)];
    return boards;
  }

  /// What clamped slices can tell of a move, from the exact ones.
  KnownValue expected_move(const Move& move, int n) const {
    if (move.kind == Move::Kind::known) return {move.value};
    const int left = n - move.captured;
    return after_move(move.captured, scope.known(left, scope.clamp(left, truth(move.child))));
  }

  const RuleSet rules;
  const Scope scope;
  const Slices& exact;
  test::ScratchDirectory scratch;
};

bool allows(KnownValue known, int value) {
  if (known.bound == Bound::at_least) return known.value <= value;
  return known.bound == Bound::at_most ? known.value >= value : known.value == value;
}

TEST_P(Outcomes, ExactCallersAreNotMisled) {
  const auto refused = [&](auto action) {
    try {
      action();
    } catch (const ProbeError& error) {
      EXPECT_EQ(error.fault(), ProbeFault::file);
      EXPECT_NE(std::string(error.what()).find("outcomes of games of"), std::string::npos) << error.what();
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { Prober{scratch.path()}; }));
  awele_db* db = nullptr;
  EXPECT_EQ(awele_open(scratch.path().c_str(), 0, &db), AWELE_ERROR_FILE);
  EXPECT_EQ(db, nullptr);
}

TEST_P(Outcomes, SlicesThatAppearLaterAreLookedAtToo) {
  test::ScratchDirectory other;
  Prober prober(other.path());
  std::filesystem::copy(slice_path(scratch.path(), 3), other.path());
  EXPECT_THROW(prober.refresh(), ProbeError);
  EXPECT_EQ(prober.largest(), -1);
}

TEST_P(Outcomes, AnswersSayAllThatIsKnown) {
  const Prober prober = open();
  EXPECT_EQ(prober.scope(), scope);
  const std::vector<Board> boards = random_boards(10000);
  std::vector<BoardBounds> bounds;
  const std::vector<BoardAnswer> answers = prober.answers(boards, bounds);
  const std::vector<std::int8_t> values = prober.values(boards);
  ASSERT_EQ(bounds.size(), boards.size());
  int open_values = 0;
  for (std::size_t k = 0; k < boards.size(); ++k) {
    const Board& board = boards[k];
    const int n = seeds(board), value = truth(board), clamped = scope.clamp(n, value);
    ASSERT_EQ(values[k], clamped);
    const Moves all = moves(board, rules);
    std::optional<KnownValue> best;
    if (all.ended) best = KnownValue{*all.ended};
    for (int i = 0; i < kHalfPits; ++i) {
      const auto pit = static_cast<std::size_t>(i);
      const bool legal = all.pit[pit].kind != Move::Kind::empty && all.pit[pit].kind != Move::Kind::illegal;
      ASSERT_EQ(answers[k].moves[pit].value.has_value(), legal);
      if (!legal) continue;
      const KnownValue found{*answers[k].moves[pit].value, bounds[k].moves[pit]};
      ASSERT_EQ(found, expected_move(all.pit[pit], n));
      const int worth = reference::reference_move(exact, rules, board, i);
      ASSERT_TRUE(allows(found, worth));
      best = best ? better_of(*best, found) : found;
      const bool among = std::ranges::find(answers[k].best, i) != answers[k].best.end();
      ASSERT_EQ(among, scope.clamp(n, worth) == clamped);
    }
    const KnownValue own{answers[k].value, bounds[k].value};
    ASSERT_EQ(own, *best);
    ASSERT_TRUE(allows(own, value));
    ASSERT_EQ(scope.clamp(n, own.value), clamped);
    open_values += own.bound != Bound::exact;
  }
  if (scope.clamps(kSeeds)) {
    EXPECT_GT(open_values, 100);
  }
}

TEST_P(Outcomes, OneBoardAsManyAndTheCInterfaceToo) {
  const Prober prober = open();
  awele_db* db = nullptr;
  ASSERT_EQ(awele_open_any(scratch.path().c_str(), 0, &db), AWELE_OK);
  EXPECT_EQ(awele_total(db), scope.total());
  for (const Board& board : random_boards(1000)) {
    BoardBounds bounds;
    const BoardAnswer answer = prober.answer(board, bounds);
    awele_board_answer c_answer;
    awele_board_bounds c_bounds;
    ASSERT_EQ(awele_answer_bounds(db, board.data(), &c_answer, &c_bounds), AWELE_OK);
    EXPECT_EQ(c_answer.value, answer.value);
    EXPECT_EQ(c_bounds.value, static_cast<int>(bounds.value));
    for (std::size_t i = 0; i < kHalfPits; ++i) {
      EXPECT_EQ(c_answer.moves[i].value, answer.moves[i].value.value_or(0));
      EXPECT_EQ(c_bounds.moves[i], static_cast<int>(bounds.moves[i]));
    }
    const KnownValue known = prober.known_value(board);
    int value = 0, bound = -1;
    ASSERT_EQ(awele_value_bound(db, board.data(), &value, &bound), AWELE_OK);
    EXPECT_EQ(value, known.value);
    EXPECT_EQ(bound, static_cast<int>(known.bound));
    EXPECT_TRUE(allows(known, truth(board)));
    EXPECT_EQ(scope.clamp(seeds(board), known.value), prober.value(board));
    awele_board_answer many;
    awele_board_bounds many_bounds;
    ASSERT_EQ(awele_answers_bounds(db, board.data(), 1, &many, &many_bounds), AWELE_OK);
    EXPECT_EQ(many.value, c_answer.value);
    EXPECT_EQ(many_bounds.value, c_bounds.value);
  }
  awele_close(db);
}

TEST_P(Outcomes, StatisticsOfAllBoards) {
  const Database database(scratch.path());
  for (int n : {6, 7, kSeeds}) {
    Histogram expected(static_cast<std::size_t>(2 * n + 1));
    for (std::uint64_t place = 0; place < slice_size(n); ++place)
      ++expected[static_cast<std::size_t>(scope.clamp(n, exact[static_cast<std::size_t>(n)][place]) + n)];
    EXPECT_EQ(stored_histogram(database, n), expected);
    // The others: one seed more in each pit of the waiting half than a board of n - 6 seeds has.
    Board board{};
    std::function<void(std::size_t, int)> fill = [&](std::size_t pit, int left) {
      if (pit + 1 == kPits) {
        board[pit] = static_cast<std::uint8_t>(left);
        Board full = board;
        for (std::size_t k = kHalfPits; k < kPits; ++k) ++full[k];
        ++expected[static_cast<std::size_t>(scope.clamp(n, truth(full)) + n)];
        return;
      }
      for (int s = 0; s <= left; ++s) {
        board[pit] = static_cast<std::uint8_t>(s);
        fill(pit + 1, left - s);
      }
    };
    fill(0, n - kHalfPits);
    EXPECT_EQ(all_boards_histogram(database, n), expected) << n;
  }
}

TEST_P(Outcomes, VerifyDerivesClampedValues) {
  const auto wrong = [&](const std::filesystem::path& dir, int n) {
    const Database database(dir);
    return Verifier(database, 0, 1).slice(n).wrong;
  };
  for (int n = 0; n <= kSeeds; ++n) EXPECT_EQ(wrong(scratch.path(), n), 0u) << n;
  std::vector<std::int8_t> values = exact[kSeeds];
  for (auto& value : values) value = static_cast<std::int8_t>(scope.clamp(kSeeds, value));
  const int at_end = scope.width(kSeeds);
  const auto changed = std::ranges::find(values, at_end);
  *changed = static_cast<std::int8_t>(at_end - 1);
  test::write_slice(scratch.path(), kSeeds, rules, values, {}, scope);
  EXPECT_GE(wrong(scratch.path(), kSeeds), 1u);
}

TEST_P(Outcomes, ProofsStaySound) {
  std::filesystem::remove(slice_path(scratch.path(), kSeeds));
  const Prober prober = open();
  AnalysisLimits limits;
  limits.table_bytes = 1 << 16;
  limits.graph_positions = 500;
  int searched = 0;
  for (const Board& board : random_boards(40, kSeeds, kSeeds)) {
    const Situation situation{.board = board};
    Analysis analysis(situation, rules, Leaves(&prober), limits);
    for (int depth = 1; depth <= 4 && !analysis.finished(); ++depth) {
      const AnalysisReport& report = analysis.step(depth);
      ++searched;
      EXPECT_TRUE(report.proven.contains(truth(board)));
      for (const MoveReport& move : report.moves) {
        EXPECT_TRUE(move.proven.contains(reference::reference_move(exact, rules, board, move.pit)));
        if (!move.estimate) continue;
        EXPECT_LE(100 * move.proven.low, *move.estimate);
        EXPECT_GE(100 * move.proven.high, *move.estimate);
      }
    }
  }
  EXPECT_GT(searched, 0);
}

/// Games of `total` seeds played by the database alone never give a win or a draw away, whatever the replies.
TEST_P(Outcomes, ThePlayerKeepsWhatItHas) {
  const Prober prober = open();
  std::mt19937 random(11);
  // Under majority-slam values are thresholds of games of 48 seeds.
  const int total = rules == RuleSet::majority_slam ? kMaxSeeds : std::min(scope.total(), kSeeds + 4);
  const auto sign = [](int value) { return (value > 0) - (value < 0); };
  for (const Board& board : random_boards(60, kSeeds - 2, kSeeds)) {
    Situation start{.board = board};
    const int captured = total - seeds(board);
    start.stores[0] = std::uniform_int_distribution(0, captured)(random);
    start.stores[1] = captured - start.stores[0];
    Player player(prober, rules, {.depth = 1, .seconds = 1});
    Game game(rules, start, {.play_on = true});
    const int promised = sign(start.lead() + truth(board));
    for (int ply = 0; ply < 60 && !game.outcome(); ++ply) {
      const Situation& now = game.now();
      if (now.to_move == Side::first) {
        const int before = sign(now.lead() + truth(now.board));
        const Advice advice = player.choose(game);
        const int after =
            sign(now.lead() +
                 (advice.repeats ? 0 : reference::reference_move(exact, rules, now.board, advice.pit)));
        EXPECT_EQ(before, after);
        game.play(advice.pit);
        continue;
      }
      std::vector<int> pits;
      const auto legal = legal_moves(now, rules);
      for (int i = 0; i < kHalfPits; ++i)
        if (legal[static_cast<std::size_t>(i)]) pits.push_back(i);
      game.play(pits[std::uniform_int_distribution<std::size_t>(0, pits.size() - 1)(random)]);
    }
    if (game.outcome()) {
      EXPECT_GE(sign(game.outcome()->lead(Side::first)), promised);
    }
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string text(name(info.param.rules));
  std::ranges::replace(text, '-', '_');
  return text + "_" + std::to_string(info.param.total);
}

INSTANTIATE_TEST_SUITE_P(Cases, Outcomes,
                         testing::Values(Case{RuleSet::awari, 9}, Case{RuleSet::awari, 12},
                                         Case{RuleSet::awari, 48}, Case{RuleSet::unrestricted, 11},
                                         Case{RuleSet::majority_slam, 48}, Case{RuleSet::never_starve, 10},
                                         Case{RuleSet::abapa, 10}),
                         case_name);

}  // namespace
}  // namespace awele
