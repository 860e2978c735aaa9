// Boards as text, the value of single boards, and the histograms of values.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "awele/index/slice_index.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/probe/probe.hpp"
#include "awele/probe/statistics.hpp"
#include "awele/support/error.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

constexpr int kTop = 8;  // seeds of the databases made here

std::string message_of(const std::function<void()>& action, ExitCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// The directory of a true database of `rules` up to kTop seeds, made once.
std::filesystem::path true_database(RuleSet rules) {
  static const test::ScratchDirectory scratch;
  const auto dir = scratch.path() / name(rules);
  if (!std::filesystem::exists(dir)) test::make_database(dir, kTop, rules);
  return dir;
}

std::vector<std::vector<std::string>> read_csv(const std::string& file) {
  std::ifstream in(std::string(AWELE_TEST_DATA) + "/" + file);
  EXPECT_TRUE(in.is_open()) << file;
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);  // header
  while (std::getline(in, line)) {
    std::vector<std::string> row;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    rows.push_back(row);
  }
  EXPECT_FALSE(rows.empty()) << file;
  return rows;
}

std::vector<Board> boards_without_hole(int n) {
  std::vector<Board> boards;
  for (int waiting = kHalfPits; waiting <= n; ++waiting) {
    Half base = half_at(waiting - kHalfPits, 0);
    do {
      Half full = base;
      for (auto& pit : full) ++pit;
      Half mover = half_at(n - waiting, 0);
      do {
        boards.push_back(join(mover, full));
      } while (next_half(mover));
    } while (next_half(base));
  }
  return boards;
}

// ---------------------------------------------------------------------------------------- boards as text

TEST(BoardText, ReadsCommasAndSpaces) {
  const Board expected{1, 2, 3, 4, 5, 6, 0, 0, 10, 0, 0, 11};
  EXPECT_EQ(parse_board("1 2 3 4 5 6 0 0 10 0 0 11"), expected);
  EXPECT_EQ(parse_board("1,2,3,4,5,6,0,0,10,0,0,11"), expected);
  EXPECT_EQ(parse_board("  1, 2 ,3\t4 5 6 0 0,10 0 0 11 "), expected);
  EXPECT_EQ(parse_board(format_board(expected)), expected);
}

TEST(BoardText, RefusesWhatIsNotABoard) {
  const std::map<std::string, std::string> wrong = {
      {"", "0 numbers"},
      {"1", "1 number,"},
      {"1 2 3 4 5 6 0 0 0 0 0", "11 numbers"},
      {"1 2 3 4 5 6 0 0 0 0 0 0 0", "13 numbers"},
      {"1 2 3 4 5 -6 0 0 0 0 0 0", "-6 in the board is negative"},
      {"1 2 3 4 5 -99999999999999999999 0 0 0 0 0 0", "negative"},
      {"1 2 3 4 5 x 0 0 0 0 0 0", "'x' in the board is not a whole number"},
      {"1 2 3 4 5 1.5 0 0 0 0 0 0", "'1.5'"},
      {"1 2 3 4 5 6x 0 0 0 0 0 0", "'6x'"},
      {"1 2 3 4 5 - 0 0 0 0 0 0", "'-'"},
      {"1,,2,3,4,5,6,0,0,0,0,0", "comma"},
      {",1,2,3,4,5,6,0,0,0,0,0,0", "comma"},
      {"1,2,3,4,5,6,0,0,0,0,0,0,", "comma"},
      {"49 0 0 0 0 0 0 0 0 0 0 0", "49 seeds"},
      {"256 0 0 0 0 0 0 0 0 0 0 0", "256 seeds"},
      {"4294967296 0 0 0 0 0 0 0 0 0 0 0", "4294967296 seeds"},
      {"99999999999999999999 0 0 0 0 0 0 0 0 0 0 0", "99999999999999999999 seeds"},
      {"4 4 4 4 4 4 4 4 4 4 4 5", "49 seeds"},
      {"48 48 48 48 48 48 48 48 48 48 48 48", "576 seeds"},
  };
  for (const auto& [text, what] : wrong) {
    const std::string message = message_of([&] { parse_board(text); }, ExitCode::usage);
    EXPECT_NE(message.find(what), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find("write 12 numbers"), std::string::npos) << message;
  }
  EXPECT_EQ(seeds(parse_board("4 4 4 4 4 4 4 4 4 4 4 4")), kMaxSeeds);
}

TEST(BoardText, DrawsTheWaitingSideAboveRightToLeft) {
  const std::string drawn = draw_board({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_NE(drawn.find("| 12 | 11 | 10 |  9 |  8 |  7 |"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("|  1 |  2 |  3 |  4 |  5 |  6 |"), std::string::npos) << drawn;
  EXPECT_LT(drawn.find("| 12 |"), drawn.find("|  1 |"));
}

// ---------------------------------------------------------------------------------------- single boards

TEST(Prober, AgreesWithTheListOfKnownPositions) {
  const Prober prober(true_database(RuleSet::awari));
  int checked = 0;
  for (const auto& row : read_csv("positions.csv")) {
    if (std::stoi(row[1]) > kTop) continue;
    ++checked;
    const Board board = parse_board(row[0]);
    const BoardAnswer answer = prober.answer(board);
    EXPECT_EQ(answer.seeds, std::stoi(row[1]));
    EXPECT_EQ(answer.value, std::stoi(row[2])) << row[0];
    EXPECT_EQ(prober.value(board), answer.value);
    std::stringstream words(row[3]);
    for (int i = 0; i < kHalfPits; ++i) {
      std::string expected;
      words >> expected;
      const MoveAnswer& move = answer.moves[i];
      const std::string found = move.value                         ? std::to_string(*move.value)
                                : move.kind == Move::Kind::illegal ? "illegal"
                                                                   : "-";
      EXPECT_EQ(found, expected) << row[0] << ", pit " << i;
      const bool best = std::count(answer.best.begin(), answer.best.end(), i) == 1;
      EXPECT_EQ(best, move.value == answer.value) << row[0] << ", pit " << i;
    }
  }
  EXPECT_GE(checked, 5);
}

TEST(Prober, ReadsEveryStoredValueWithAnySizeOfCache) {
  const Database database(true_database(RuleSet::awari));
  std::vector<std::int8_t> values;
  database.slice(kTop).read_chunk(1, values);
  for (std::size_t chunks : {0, 1, 2, 64}) {
    const Prober prober(database.dir(), chunks * kChunk);
    for (std::uint64_t k = 0; k < values.size(); k += 97) {
      // Boards of two chunks in turn.
      EXPECT_EQ(prober.value(position_at(kTop, kChunk + k)), values[k]);
      prober.value(position_at(kTop, k));
    }
  }
}

TEST(Prober, ValuesEveryBoardByItsMovesUnderEveryRuleSet) {
  for (RuleSet rules : kRuleSets) {
    const Prober prober(true_database(rules));
    for (int n = 0; n <= 7; ++n) {
      for (std::uint64_t place = 0; place < slice_size(n); place += 1 + place / 1000)
        prober.answer(position_at(n, place));  // throws when the stored value is not that of the moves
      for (const Board& board : boards_without_hole(n)) {
        const BoardAnswer answer = prober.answer(board);
        EXPECT_EQ(answer.value, prober.value(board));
        EXPECT_TRUE(std::abs(answer.value) <= n);
      }
    }
  }
}

TEST(Prober, SaysThatTheGameIsOver) {
  const Board starved{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  for (RuleSet rules : kRuleSets) {
    const BoardAnswer answer = Prober(true_database(rules)).answer(starved);
    EXPECT_EQ(answer.value, rules == RuleSet::never_starve ? 0 : -6);
    EXPECT_TRUE(answer.best.empty());
    for (const MoveAnswer& move : answer.moves) EXPECT_EQ(move.kind, Move::Kind::empty);
  }
}

TEST(Prober, RefusesMoreSeedsThanSolved) {
  const Prober prober(true_database(RuleSet::abapa));
  for (const Board& board : {Board{9}, Board{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}}) {
    const std::string message = message_of([&] { prober.value(board); }, ExitCode::usage);
    EXPECT_NE(message.find("is solved only up to 8"), std::string::npos) << message;
    EXPECT_NE(message.find("awele solve --seeds"), std::string::npos) << message;
    EXPECT_NE(message.find("--rules abapa"), std::string::npos) << message;
  }
  message_of([&] { prober.answer(Board{40, 9}); }, ExitCode::usage);
}

TEST(Prober, RefusesAnEmptyDirectory) {
  const test::ScratchDirectory scratch;
  const std::string message = message_of([&] { Prober(scratch.path()).value(Board{1}); }, ExitCode::usage);
  EXPECT_NE(message.find(scratch.path().string()), std::string::npos) << message;
}

TEST(Prober, NamesTheMissingSlice) {
  const test::ScratchDirectory scratch;
  std::filesystem::copy(true_database(RuleSet::awari), scratch.path(),
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove(slice_path(scratch.path(), 5));
  const std::string message = message_of([&] { Prober(scratch.path()).value(Board{5}); }, ExitCode::failure);
  EXPECT_NE(message.find("slice_05.h5"), std::string::npos) << message;
}

TEST(Prober, NoticesASliceThatContradictsItsMoves) {
  const test::ScratchDirectory scratch;
  for (int n = 0; n <= 4; ++n) {
    std::vector<std::int8_t> values(slice_size(n), static_cast<std::int8_t>(n));
    test::write_slice(scratch.path(), n, RuleSet::awari, values);
  }
  const std::string message = message_of(
      [&] {
        Prober(scratch.path()).answer(Board{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1});
      },
      ExitCode::failure);
  EXPECT_NE(message.find("slice_03.h5"), std::string::npos) << message;
}

// ------------------------------------------------------------------------------------------ histograms

TEST(Statistics, AllBoardsAgreeWithTheReferenceUnderEveryRuleSet) {
  std::map<std::pair<std::string, int>, std::map<int, std::uint64_t>> expected;
  for (const auto& row : read_csv("published_histograms.csv"))
    expected[{"awari", std::stoi(row[0])}][std::stoi(row[1])] = std::stoull(row[2]);
  for (const auto& row : read_csv("rule_histograms.csv"))
    expected[{row[0], std::stoi(row[1])}][std::stoi(row[2])] = std::stoull(row[3]);
  for (RuleSet rules : kRuleSets) {
    const Database database(true_database(rules));
    for (int n = 0; n <= (rules == RuleSet::awari ? 8 : 7); ++n) {
      const Histogram histogram = all_boards_histogram(database, n);
      auto& cells = expected.at({std::string(name(rules)), n});
      for (int v = -n; v <= n; ++v)
        EXPECT_EQ(histogram[static_cast<std::size_t>(v + n)], cells[v])
            << name(rules) << ", " << n << " seeds, value " << v;
    }
  }
}

/// The plain way: every board by its moves.
Histogram plain_histogram(const Database& database, int n) {
  Histogram histogram(static_cast<std::size_t>(2 * n + 1));
  const Prober prober(database.dir());
  for (int value : prober.values(boards_without_hole(n))) ++histogram.at(static_cast<std::size_t>(value + n));
  return histogram;
}

// Grand slams of a waiting half without a hole begin at 12 seeds, so the slices need not be true but large.
TEST(Statistics, BoardsWithoutHoleAgreeWithSingleLookUps) {
  for (RuleSet rules : kRuleSets) {
    const test::ScratchDirectory scratch;
    test::make_arbitrary_database(scratch.path(), 14, rules);
    const Database database(scratch.path());
    for (int n : {6, 11, 12, 14}) {
      const Histogram expected = plain_histogram(database, n);
      // In one batch, in some, and (where that is quick) one mover's half a batch.
      for (std::uint64_t memory : {n < 12 ? std::uint64_t{1} : std::uint64_t{4000}, kStatisticsMemory})
        EXPECT_EQ(holeless_histogram(database, n, memory), expected) << name(rules) << ", " << n << " seeds";
    }
  }
}

// From 18 seeds on a sowing goes round the board before a waiting half without a hole.
TEST(Statistics, BoardsWithoutHoleAgreeWithSingleLookUpsPastTheOriginPit) {
  const test::ScratchDirectory scratch;
  test::make_arbitrary_database(scratch.path(), 18, RuleSet::awari);
  const Database database(scratch.path());
  EXPECT_EQ(holeless_histogram(database, 18, 100000), plain_histogram(database, 18));
}

TEST(Statistics, NamesTheMissingSlice) {
  const test::ScratchDirectory scratch;
  std::filesystem::copy(true_database(RuleSet::awari), scratch.path(),
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove(slice_path(scratch.path(), 5));
  const Database database(scratch.path());
  const std::string message = message_of([&] { all_boards_histogram(database, 7); }, ExitCode::failure);
  EXPECT_NE(message.find("slice_05.h5"), std::string::npos) << message;
  EXPECT_NO_THROW(all_boards_histogram(database, 6));  // one seed alone is never captured
}

}  // namespace
}  // namespace awele
