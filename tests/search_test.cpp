// What an analysis calls proven is true, and estimates keep out of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "awele/index/slice_index.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/search/alpha_beta.hpp"
#include "awele/search/analysis.hpp"
#include "awele/search/player.hpp"
#include "awele/search/proof_graph.hpp"
#include "reference/reference_solver.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

std::string rules_name(const testing::TestParamInfo<RuleSet>& test) {
  std::string text(name(test.param));
  for (char& c : text)
    if (c == '-') c = '_';
  return text;
}

class EveryRuleSet : public testing::TestWithParam<RuleSet> {};

/// Without any database: the graph of a board of few seeds is closed, so everything must be proven, cycles
/// too.
TEST_P(EveryRuleSet, WholeGraphProvesTheValue) {
  constexpr int kSeeds = 5;
  const auto slices = reference::reference_slices(GetParam(), kSeeds);
  for (int n = 1; n <= kSeeds; ++n)
    for (std::uint64_t p = 0; p < slice_size(n); p += n < 4 ? 1 : 11) {
      Leaves none(nullptr);
      ProofGraph graph(GetParam(), none, position_at(n, p), 1'000'000);
      graph.grow(1'000'000, {}, Deadline::max());
      const int value = slices[static_cast<std::size_t>(n)][p];
      ASSERT_EQ(graph.interval(), (Interval{value, value})) << format_board(position_at(n, p));
    }
}

/// At every size of the graph, with slices missing, whatever is asked first.
TEST_P(EveryRuleSet, BoundsHoldTheValueAtEverySize) {
  constexpr int kSeeds = 8, kSolved = 4;
  const auto slices = reference::reference_slices(GetParam(), kSeeds);
  test::ScratchDirectory scratch;
  test::make_database(scratch.path() / "db", kSolved, GetParam());
  const Prober prober(scratch.path() / "db");
  std::mt19937 random(1);
  for (int trial = 0; trial < 120; ++trial) {
    const int n = kSolved + 1 + trial % (kSeeds - kSolved);
    const Board board = position_at(n, random() % slice_size(n));
    const int value = slices[static_cast<std::size_t>(n)][position_rank(board)];
    Leaves leaves(&prober);
    ProofGraph graph(GetParam(), leaves, board, 5000);
    const ProofGraph::Wishes wishes{{1, 0}, static_cast<int>(random() % 9) - 4};
    for (int step = 1; step <= 10; ++step) {
      graph.grow(std::size_t{1} << (step + 3), wishes, Deadline::max());
      EXPECT_TRUE(graph.interval().contains(value)) << format_board(board);
      const Moves all = moves(board, GetParam());
      for (const Move& move : all.pit) {
        if (move.kind != Move::Kind::inner) continue;
        const int child = slices[static_cast<std::size_t>(n)][position_rank(move.child)];
        EXPECT_TRUE(graph.of(move.child).contains(child)) << format_board(move.child);
      }
    }
  }
}

/// Whole analyses of any boards, with and without a hole: equal to the database where it reaches, true
/// elsewhere.
TEST_P(EveryRuleSet, AnalysesAreTrue) {
  constexpr int kSeeds = 8;
  const auto slices = reference::reference_slices(GetParam(), kSeeds);
  test::ScratchDirectory scratch;
  test::make_database(scratch.path() / "db", kSeeds, GetParam());
  const Prober prober(scratch.path() / "db");
  std::mt19937 random(3);
  for (int trial = 0; trial < 150; ++trial) {
    const int n = 4 + 2 * (trial % 3);
    Board board{};
    for (int k = 0; k < n; ++k) ++board[random() % 12];
    const int value = reference::reference_value(slices, GetParam(), board);
    const int ahead = static_cast<int>(random() % 7);  // the total stays even
    const Situation situation{board, Side::first, {ahead, 6 - ahead}};
    EXPECT_EQ(analyze(situation, GetParam(), Leaves(&prober), {1, 10}).proven, (Interval{value, value}))
        << format_board(board);
    Analysis partial(situation, GetParam(), Leaves(&prober, n - 1 - trial % 3), {1 << 14, 2000});
    for (int depth = 1; depth <= 6 && !partial.finished(); ++depth) {
      const AnalysisReport& report = partial.step(depth);
      EXPECT_TRUE(report.proven.contains(value)) << format_board(board);
      for (const MoveReport& move : report.moves)
        EXPECT_TRUE(move.proven.contains(reference::reference_move(slices, GetParam(), board, move.pit)))
            << format_board(board) << " pit " << move.pit;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Search, EveryRuleSet, testing::ValuesIn(kRuleSets), rules_name);

TEST(PositionTable, KeepsWhatItHoldsWhileItGrows) {
  constexpr int kSeeds = 9;
  constexpr std::size_t kMost = 40000;
  PositionTable table(kMost);
  const auto board_at = [](std::size_t k) { return position_at(kSeeds, 3 * k); };
  for (std::size_t k = 0; k < kMost; ++k) {
    if (table.room() == 0) table.grow();
    ASSERT_EQ(table.find(key_of(board_at(k))), PositionTable::kAbsent);
    table.insert(key_of(board_at(k)), {-static_cast<int>(k % 9), 3}, k % 2 == 0);
  }
  EXPECT_TRUE(table.full());
  for (std::size_t k = 0; k < kMost; ++k) {
    const BoardKey key = key_of(board_at(k));
    ASSERT_EQ(board_of(key), board_at(k));
    ASSERT_EQ(seeds_of(key), kSeeds);
    const PositionTable::Entry& entry = table[table.find(key)];
    ASSERT_EQ(entry.key(), key);
    ASSERT_EQ(entry.low, -static_cast<int>(k % 9));
    ASSERT_EQ(entry.open(), k % 2 == 0);
  }
  EXPECT_LE(12 * static_cast<std::size_t>(table.slots()), 14 * kMost);
}

/// The mistake that the graph-history problem is about: scores of repetitions on the path are kept for the
/// position, whatever the path.
class CarelessSearch {
 public:
  explicit CarelessSearch(const std::vector<std::vector<std::int8_t>>& slices) : slices_(slices) {}

  int value(const Board& board) {
    if (const auto known = known_.find(board); known != known_.end()) return known->second;
    if (std::find(path_.begin(), path_.end(), board) != path_.end()) return 0;
    path_.push_back(board);
    const Moves all = moves(board, RuleSet::awari);
    int best = all.ended.value_or(-kMaxSeeds);
    for (const Move& move : all.pit) {
      if (move.kind == Move::Kind::known) best = std::max(best, move.value);
      if (move.kind == Move::Kind::inner) best = std::max(best, -value(move.child));
      if (move.kind == Move::Kind::capture)
        best = std::max(
            best,
            move.captured - slices_[static_cast<std::size_t>(seeds(move.child))][position_rank(move.child)]);
    }
    path_.pop_back();
    return known_[board] = best;
  }

 private:
  const std::vector<std::vector<std::int8_t>>& slices_;
  std::map<Board, int> known_;
  std::vector<Board> path_;
};

/// Positions built for the problem: those that the careless search gets wrong.
TEST(GraphHistory, PositionsThatACarelessTableGetsWrong) {
  constexpr int kSeeds = 5;
  const auto slices = reference::reference_slices(RuleSet::awari, kSeeds);
  int wrong = 0;
  for (std::uint64_t p = 0; p < slice_size(kSeeds) && wrong < 40; p += 3) {
    const Board board = position_at(kSeeds, p);
    const int value = slices[kSeeds][p];
    if (CarelessSearch(slices).value(board) == value) continue;
    ++wrong;
    Leaves none(nullptr);
    ProofGraph graph(RuleSet::awari, none, board, 1'000'000);
    for (int step = 1; step <= 12; ++step) {
      graph.grow(std::size_t{1} << step, {{1, 0}, -value}, Deadline::max());
      EXPECT_TRUE(graph.interval().contains(value)) << format_board(board);
    }
    graph.grow(1'000'000, {}, Deadline::max());
    EXPECT_EQ(graph.interval(), (Interval{value, value})) << format_board(board);
  }
  EXPECT_GE(wrong, 10) << "the careless search must be wrong somewhere, or this tests nothing";
}

/// The database made for tests, by the program itself.
std::string awari() { return std::string(AWELE_TEST_DATABASES) + "/awari"; }

bool within(int hundredths, const Interval& proven) {
  return 100 * proven.low <= hundredths && hundredths <= 100 * proven.high;
}

void expect_true(const Board& board, const AnalysisReport& report, const BoardAnswer& truth) {
  EXPECT_TRUE(report.proven.contains(truth.value)) << format_board(board);
  for (const MoveReport& move : report.moves)
    if (move.estimate) {
      EXPECT_TRUE(within(*move.estimate, move.proven)) << format_board(board) << " pit " << move.pit;
    }
  for (const MoveReport& move : report.moves)
    EXPECT_TRUE(move.proven.contains(truth.moves[static_cast<std::size_t>(move.pit)].value.value()))
        << format_board(board) << " pit " << move.pit;
}

Board random_board(int n, std::mt19937& random) {
  Board board{};
  for (int k = 0; k < n; ++k) ++board[random() % kPits];
  return board;
}

TEST(Proofs, TwoHundredRandomBoardsAboveTheDatabase) {
  const Prober prober(awari());
  std::mt19937 random(2026);
  int exact = 0;
  for (int k = 0; k < 200; ++k) {
    const Board board = random_board(13 + k % 2, random);
    if (moves(board, RuleSet::awari).ended) continue;
    Analysis analysis({board, Side::first, {0, 0}}, RuleSet::awari, Leaves(&prober, 10), {1 << 20, 20000});
    const BoardAnswer truth = prober.answer(board);
    for (int depth = 1; depth <= 7 && !analysis.finished(); ++depth)
      expect_true(board, analysis.step(depth), truth);
    expect_true(board, analysis.report(), truth);
    exact += analysis.report().proven.exact();
  }
  std::printf("%d of 200 proven exactly\n", exact);
  EXPECT_GE(exact, 10);
}

TEST(Proofs, AllSlicesPresentGiveTheDatabase) {
  const Prober prober(awari());
  std::mt19937 random(7);
  for (int k = 0; k < 200; ++k) {
    const Board board = random_board(12 + k % 7, random);
    const AnalysisReport report =
        analyze({board, Side::first, {0, 0}}, RuleSet::awari, Leaves(&prober), {3, 10});
    const BoardAnswer truth = prober.answer(board);
    ASSERT_TRUE(report.proven.exact());
    EXPECT_EQ(report.proven.low, truth.value);
    for (const MoveReport& move : report.moves)
      EXPECT_EQ(move.proven.low, truth.moves[static_cast<std::size_t>(move.pit)].value.value());
  }
}

/// What is said of a move and of what it gives away, with little time, from slices far below.
TEST(Advices, KeepWithinWhatIsProven) {
  constexpr int kSolved = 5;
  const Prober truth(awari());
  test::ScratchDirectory scratch;
  test::make_database(scratch.path() / "db", kSolved, RuleSet::awari);
  const Prober prober(scratch.path() / "db");
  std::mt19937 random(6);
  int open = 0;
  for (int k = 0; k < 300; ++k) {
    const Board board = random_board(8 + k % 3, random);
    if (moves(board, RuleSet::awari).ended) continue;
    const BoardAnswer answer = truth.answer(board);
    const std::vector<Advice> all = Player(prober, RuleSet::awari, {1 + k % 3, 10}, {1 << 16, 150})
                                        .advise(Game(RuleSet::awari, {board, Side::first, {0, 0}}));
    for (const Advice& each : all) {
      if (each.estimate) {
        EXPECT_TRUE(within(*each.estimate, each.proven)) << format_board(board) << " pit " << each.pit;
      }
      const Loss loss = loss_of(all, each);
      const int lost = answer.value - answer.moves[static_cast<std::size_t>(each.pit)].value.value();
      EXPECT_TRUE(loss.proven.contains(lost)) << format_board(board) << " pit " << each.pit;
      EXPECT_TRUE(within(loss.estimate, loss.proven)) << format_board(board) << " pit " << each.pit;
      const Advice& best = best_of(all);
      const bool alone = std::all_of(all.begin(), all.end(), [&](const Advice& other) {
        return other.pit == each.pit || other.proven.high <= best.proven.low;
      });
      if (best.proven.exact() && each.proven.exact() && alone) {
        EXPECT_EQ(loss.proven, (Interval{lost, lost})) << format_board(board) << " pit " << each.pit;
      }
      open += loss.proven.exact() ? 0 : 1;
    }
  }
  std::printf("%d losses known but for bounds\n", open);
  EXPECT_GE(open, 50);
}

TEST(Advices, TheLossOfAForcedMoveIsNone) {
  const Advice only{2, {-5, 7}, 100};
  EXPECT_EQ(loss_of({only}, only).proven, (Interval{0, 0}));
  EXPECT_EQ(loss_of({only}, only).estimate, 0);
  // Of the best move for certain it is none either, however little is known of its value.
  const Advice worse{3, {-9, -5}, std::nullopt};
  EXPECT_EQ(loss_of({only, worse}, only).proven, (Interval{0, 0}));
  EXPECT_EQ(loss_of({only, worse}, worse).proven, (Interval{0, 16}));
}

/// Even starts: of 12 and 16 seeds against the database, of 20 against values from a larger one.
TEST(Proofs, EvenStarts) {
  const Prober prober(awari());
  const auto check = [&](const Board& board, int slices, const BoardAnswer& truth) {
    Analysis analysis({board, Side::first, {0, 0}}, RuleSet::awari, Leaves(&prober, slices),
                      {1 << 22, 120000});
    for (int depth = 1; depth <= 9 && !analysis.finished(); ++depth)
      expect_true(board, analysis.step(depth), truth);
    std::printf("%d seeds from slices up to %d: [%d, %d], in truth %d\n", seeds(board), slices,
                analysis.report().proven.low, analysis.report().proven.high, truth.value);
  };
  const Board twelve = parse_board("1 1 1 1 1 1 1 1 1 1 1 1"),
              sixteen = parse_board("2 1 1 2 1 1 2 1 1 2 1 1");
  check(twelve, 8, prober.answer(twelve));
  check(sixteen, 10, prober.answer(sixteen));
  check(sixteen, 12, prober.answer(sixteen));
  BoardAnswer twenty;
  constexpr std::array<int, kHalfPits> kValues = {0, -1, -2, -2, 0, -3};
  for (std::size_t i = 0; i < kValues.size(); ++i) twenty.moves[i].value = kValues[i];
  check(parse_board("2 2 1 2 2 1 2 2 1 2 2 1"), 14, twenty);
  check(parse_board("2 2 1 2 2 1 2 2 1 2 2 1"), 18, twenty);
}

TEST(Proofs, AreTheSameForAnyNumberOfRanks) {
  test::ScratchDirectory scratch;
  const std::string arguments =
      "analyze 2 1 2 1 2 1 1 1 1 1 2 1 --slices 8 --depth 8 --graph 20000 --format json --db " + awari();
  const auto lines = [&](int ranks) {
    std::istringstream out(test::run_program(scratch.path(), ranks, arguments).out);
    std::vector<std::string> all;
    for (std::string line; std::getline(out, line);) {
      const std::size_t from = line.find("\"seconds\""), to = line.find("\"hits\"");
      all.push_back(line.substr(0, from) + line.substr(std::min(to, line.size())));
    }
    return all;
  };
  const std::vector<std::string> alone = lines(0);
  EXPECT_EQ(alone.size(), 8u);
  for (int ranks : {1, 2, 3}) EXPECT_EQ(lines(ranks), alone) << ranks;
}

/// The program's moves keep the value to the end, whatever its opponent does.
TEST(ProgramPlays, PerfectlyInsideTheDatabase) {
  const Prober prober(awari());
  Player player(prober, RuleSet::awari, {2, 1});
  std::mt19937 random(5);
  for (int k = 0; k < 20; ++k) {
    const Board board = random_board(10 + k % 5, random);
    Game game(RuleSet::awari, {board, Side::first, {0, 0}}, {.repetitions = 3, .play_on = true});
    const int value = prober.value(board);
    for (int ply = 0; !game.outcome() && ply < 2000; ++ply) {
      const auto legal = legal_moves(game.now(), RuleSet::awari);
      int pit = static_cast<int>(random() % kHalfPits);
      while (!legal[static_cast<std::size_t>(pit)]) pit = (pit + 1) % kHalfPits;
      game.play(game.now().to_move == Side::first ? player.choose(game).pit : pit);
    }
    ASSERT_TRUE(game.outcome()) << format_board(board);
    EXPECT_GE(game.outcome()->lead(Side::first), 2 * value) << format_board(board);
  }
}

}  // namespace
}  // namespace awele
