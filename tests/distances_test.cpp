// awele solve --distances: the distances of the second algorithm, at any number of ranks and after
// interruptions; and what they are for: playing by value, then distance, collects every value in exactly the
// stated plies.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "awele/index/slice_index.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/probe/probe.hpp"
#include "awele/store/database.hpp"
#include "reference/reference_solver.hpp"
#include "support/damage.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

namespace fs = std::filesystem;

class Distances : public testing::TestWithParam<RuleSet> {
 protected:
  /// Solved by the program with distances, `ranks` ranks and what else is given.
  fs::path solve(const std::string& dir, int seeds, int ranks, const std::string& more = "",
                 const std::string& environment = "", int code = 0) {
    const auto result = test::run_program(
        scratch_.path(), ranks,
        "solve --progress none --distances --rules " + std::string(name(GetParam())) + " --seeds " +
            std::to_string(seeds) + " --db " + (scratch_.path() / dir).string() + " " + more,
        environment);
    EXPECT_EQ(result.code, code) << result.err;
    return scratch_.path() / dir;
  }

  test::ScratchDirectory scratch_;
};

std::vector<std::uint16_t> stored(const SliceReader& slice) {
  std::vector<std::uint16_t> all, chunk;
  for (std::uint64_t c = 0; c < slice.chunk_count(); ++c) {
    slice.read_distance_chunk(c, chunk);
    all.insert(all.end(), chunk.begin(), chunk.end());
  }
  return all;
}

TEST_P(Distances, AreThoseOfTheSecondAlgorithm) {
  constexpr int kTop = 10;
  const Database database(solve("all", kTop, 2));
  const auto values = reference::reference_slices(GetParam(), kTop);
  for (int n = 0; n <= kTop; ++n)
    EXPECT_TRUE(stored(database.slice(n)) == test::iterate_distances(n, GetParam(), values)) << n;
}

TEST_P(Distances, OfOutcomesAreThoseOfTheSecondAlgorithm) {
  for (const int total : {9, 12, 48}) {
    if (GetParam() == RuleSet::majority_slam && total != kMaxSeeds) continue;
    const std::string dir = "outcomes" + std::to_string(total);
    const Database database(solve(dir, 9, 2, "--outcome --total " + std::to_string(total)));
    const auto values = reference::reference_slices(GetParam(), 9, total);
    for (int n = 0; n <= 9; ++n)
      EXPECT_TRUE(stored(database.slice(n)) ==
                  test::iterate_distances(n, GetParam(), values, Scope::outcome(total)))
          << n << " of " << total;
  }
}

TEST_P(Distances, AreTheSameForAnyRanksBatchesAndInterruptions) {
  constexpr int kTop = 9;
  const Database one(solve("one", kTop, 0)),
      three(solve("three", kTop, 3, "--counts-apart --batch 64 --exchange-bytes 512"));
  solve("stopped", kTop, 2, "", "AWELE_INJECT=stop@rounds:9", 75);
  solve("stopped", kTop, 3, "", "AWELE_INJECT=stop@writing:9", 75);
  const Database stopped(solve("stopped", kTop, 1));
  for (int n = 0; n <= kTop; ++n) {
    EXPECT_EQ(one.slice(n).info().distance_crc, three.slice(n).info().distance_crc) << n;
    EXPECT_EQ(one.slice(n).info().distance_crc, stopped.slice(n).info().distance_crc) << n;
    EXPECT_EQ(one.slice(n).info().crc, stopped.slice(n).info().crc) << n;
  }
}

/// One step of a game played by value, then distance: what the best move leads to is as good, and one ply
/// nearer.
void expect_step_forward(const Prober& prober, RuleSet rules, const Board& board, const BoardAnswer& answer) {
  if (answer.value == 0 || answer.best.empty()) return;
  const Move move = moves(board, rules).pit[static_cast<std::size_t>(answer.best.front())];
  if (move.kind != Move::Kind::inner) {
    ASSERT_EQ(*answer.distance, 1) << format_board(board);
    return;
  }
  ASSERT_EQ(prober.value(move.child), -answer.value) << format_board(board);
  ASSERT_EQ(prober.distance(move.child), *answer.distance - 1) << format_board(board);
}

/// By induction over the distance this plays out every position.
TEST_P(Distances, EveryPositionGetsItsValueInTheStatedPlies) {
  constexpr int kTop = 8;
  const Prober prober(solve("played", kTop, 2));
  for (int n = 0; n <= kTop; ++n) {
    std::vector<Board> boards;
    for (std::uint64_t p = 0; p < slice_size(n); ++p) boards.push_back(position_at(n, p));
    const std::vector<BoardAnswer> answers = prober.answers(boards);
    for (std::size_t k = 0; k < boards.size(); ++k)
      expect_step_forward(prober, GetParam(), boards[k], answers[k]);
  }
}

std::string word(const testing::TestParamInfo<RuleSet>& rules) {
  std::string text(name(rules.param));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}
INSTANTIATE_TEST_SUITE_P(Rules, Distances, testing::ValuesIn(kRuleSets), word);

/// Under one rule set, but on more seeds.
class DistancesOfAwari : public Distances {};
INSTANTIATE_TEST_SUITE_P(Awari, DistancesOfAwari, testing::Values(RuleSet::awari), word);

Board random_board(int seeds, std::mt19937& random) {
  Board board{};
  for (int k = 0; k < seeds; ++k) ++board[random() % kPits];
  return board;
}

/// The difference that both sides together make of a board when each plays the best move; nothing more is to
/// come once the value is 0.
int play(const Prober& prober, RuleSet rules, Board board) {
  int difference = 0, sign = 1;
  for (int ply = 0; ply < 100000; ++ply) {
    const BoardAnswer answer = prober.answer(board);
    if (answer.value == 0) return difference;
    if (answer.best.empty()) return difference + sign * answer.value;
    const Move move = moves(board, rules).pit[static_cast<std::size_t>(answer.best.front())];
    if (move.kind == Move::Kind::known) return difference + sign * move.value;
    difference += sign * move.captured;
    sign = -sign;
    board = move.child;
  }
  ADD_FAILURE() << "a game without end";
  return 1000;
}

/// The last row of every slice that `awele stats` prints, split at commas.
std::map<std::string, std::vector<std::string>> longest_distances(const test::ProgramResult& stats) {
  std::map<std::string, std::vector<std::string>> rows;
  std::stringstream lines(stats.out);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> words;
    std::stringstream rest(line);
    for (std::string word; std::getline(rest, word, ',');) words.push_back(word);
    rows[words.at(0)] = words;
  }
  return rows;
}

/// And the longest distances are those that others have found.
TEST_P(DistancesOfAwari, AThousandGamesEndWithTheStoredValue) {
  const std::string dir = solve("games", 12, 2).string();
  const Prober prober(dir);
  const auto stats = test::run_program(scratch_.path(), 0, "stats --show distances --format csv --db " + dir);
  const auto longest = longest_distances(stats);
  EXPECT_EQ(longest.at("10").at(1), "69");
  EXPECT_EQ(longest.at("11").at(1), "92");
  EXPECT_EQ(longest.at("12").at(1), "130");
  EXPECT_EQ(prober.distance(parse_board(longest.at("12").at(3))), 130);
  EXPECT_EQ(prober.distance(parse_board("1 0 0 0 1 0 1 2 3 0 1 3")), 130);
  std::mt19937 random(7);
  for (int game = 0; game < 1000; ++game) {
    const Board board = random_board(12, random);
    ASSERT_EQ(play(prober, GetParam(), board), prober.value(board)) << format_board(board);
  }
}

/// Slices that are there without distances are solved again, with the same values.
/// Of slice 12 the ranks hand over several pieces at once.
TEST_P(DistancesOfAwari, FilesAreTheSameByteForByteAtAnyNumberOfRanks) {
  constexpr int kTop = 12;
  const fs::path one = solve("one", kTop, 0), three = solve("three", kTop, 3);
  for (int n = 0; n <= kTop; ++n)
    EXPECT_TRUE(test::read_file(slice_path(one, n)) == test::read_file(slice_path(three, n))) << n;
}

TEST_P(DistancesOfAwari, AreAddedToADatabaseWithoutThem) {
  const auto dir = (scratch_.path() / "added").string();
  ASSERT_EQ(test::run_program(scratch_.path(), 2, "solve --progress none --seeds 8 --db " + dir).code, 0);
  const std::uint32_t crc = Database(dir).slice(8).info().crc;
  const Database database(solve("added", 8, 2));
  EXPECT_EQ(database.slice(8).info().crc, crc);
  for (int n = 0; n <= 8; ++n) EXPECT_TRUE(database.slice(n).has_distances()) << n;
}

}  // namespace
}  // namespace awele
