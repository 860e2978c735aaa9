// The five ways to ask a database, the library, its C interface, the command line, Python and HTTP, against
// the second algorithm and the table of known positions.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "awele/awele.h"
#include "awele/probe/board_text.hpp"
#include "awele/probe/probe.hpp"
#include "awele/verify/plain_game.hpp"
#include "reference/reference_solver.hpp"
#include "support/csv.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

constexpr int kTop = 10;  // seeds of the databases of all rule sets
constexpr std::size_t kBoards = 10000;

using Lines = std::vector<std::string>;

std::string database(RuleSet rules) {
  return std::string(AWELE_TEST_DATABASES) + "/" + std::string(name(rules));
}

/// Boards of 0..kTop seeds; half of those with six seeds or more have a waiting half without a hole.
std::vector<Board> random_boards(RuleSet rules) {
  std::mt19937 random(static_cast<unsigned>(rules));
  std::vector<Board> boards(kBoards);
  for (Board& board : boards) {
    int left = static_cast<int>(random() % (kTop + 1));
    if (left >= kHalfPits && random() % 2 == 0)
      for (int k = kHalfPits; k < kPits; ++k, --left) board[k] = 1;
    for (; left > 0; --left) ++board[random() % kPits];
  }
  return boards;
}

// One line a board, the value and the six moves, from each of the ways.

std::string reference_line(const std::vector<std::vector<std::int8_t>>& slices, RuleSet rules,
                           const Board& board) {
  std::string line = std::to_string(reference::reference_value(slices, rules, board));
  const plain::Moves moves = plain::moves(board, rules);
  for (int i = 0; i < kHalfPits; ++i) {
    line += ' ';
    line += moves.pit[i].legal ? std::to_string(reference::reference_move(slices, rules, board, i))
            : board[i] == 0    ? "-"
                               : "illegal";
  }
  return line;
}

std::string to_line(const BoardAnswer& answer) {
  std::string line = std::to_string(answer.value);
  for (const MoveAnswer& move : answer.moves) {
    line += ' ';
    line += move.value ? std::to_string(*move.value) : move.kind == Move::Kind::empty ? "-" : "illegal";
  }
  return line;
}

Lines ask_library(const std::string& db, const std::vector<Board>& boards) {
  const Prober prober(db);
  Lines lines;
  for (const BoardAnswer& answer : prober.answers(boards)) lines.push_back(to_line(answer));
  for (std::size_t k = 0; k < boards.size(); ++k)
    if (std::to_string(prober.value(boards[k])) != lines[k].substr(0, lines[k].find(' ')))
      lines[k] += " differs alone";
  return lines;
}

Lines ask_c(const std::string& db, const std::vector<Board>& boards) {
  awele_db* open = nullptr;
  EXPECT_EQ(awele_open(db.c_str(), 0, &open), AWELE_OK) << awele_message();
  Lines lines;
  for (const Board& board : boards) {
    awele_board_answer answer;
    if (awele_answer(open, board.data(), &answer) != AWELE_OK) {
      lines.push_back(awele_message());
      continue;
    }
    lines.push_back(std::to_string(answer.value));
    for (const awele_move& move : answer.moves) {
      lines.back() += ' ';
      lines.back() += move.kind == AWELE_MOVE_LEGAL   ? std::to_string(move.value)
                      : move.kind == AWELE_MOVE_EMPTY ? "-"
                                                      : "illegal";
    }
  }
  awele_close(open);
  return lines;
}

/// What a program answers to the boards on its standard input.
Lines ask_program(const std::string& command, const std::vector<Board>& boards) {
  const test::ScratchDirectory scratch;
  const std::string in = scratch.path() / "in", out = scratch.path() / "out";
  {
    std::ofstream file(in);
    for (const Board& board : boards) file << format_board(board) << "\n";
  }
  const int status = std::system((command + " <" + in + " >" + out).c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command;
  Lines lines;
  std::ifstream file(out);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void expect_lines(const Lines& found, const Lines& expected, const std::vector<Board>& boards,
                  const char* way) {
  ASSERT_EQ(found.size(), expected.size()) << way;
  int wrong = 0;
  for (std::size_t k = 0; k < found.size() && wrong < 10; ++k) {
    EXPECT_EQ(found[k], expected[k]) << way << ", board " << format_board(boards[k]);
    wrong += found[k] != expected[k];
  }
}

void expect_all_ways(const std::string& db, const std::vector<Board>& boards, const Lines& expected) {
  expect_lines(ask_library(db, boards), expected, boards, "library");
  expect_lines(ask_c(db, boards), expected, boards, "C");
  expect_lines(ask_program("'" AWELE_BINARY "' probe --db " + db + " -", boards), expected, boards,
               "command line");
  if (*AWELE_PYTHON)
    expect_lines(ask_program(AWELE_PYTHON " " AWELE_SCRIPTS "/awele.py " + db, boards), expected, boards,
                 "Python");
}

/// Through the explorer's API: the values of all boards, the moves of every kEvery-th. (Under majority-slam
/// moves depend on the stores, which the other ways do not know.)
void expect_http(RuleSet rules, const std::vector<Board>& boards, Lines expected) {
  constexpr std::size_t kEvery = 10;
  const bool moves = rules != RuleSet::majority_slam;
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (!moves || k % kEvery != 0) expected[k] = expected[k].substr(0, expected[k].find(' ')) + " ?";
  expect_lines(ask_program("python3 " AWELE_TEST_DATA "/../web/ask_http.py '" AWELE_BINARY "' " +
                               database(rules) + " " + std::to_string(moves ? kEvery : 0),
                           boards),
               expected, boards, "HTTP");
}

class Ask : public testing::TestWithParam<RuleSet> {};

TEST_P(Ask, RandomBoardsAgreeWithTheSecondAlgorithm) {
  const auto slices = reference::reference_slices(GetParam(), kTop);
  const std::vector<Board> boards = random_boards(GetParam());
  Lines expected;
  std::size_t holeless = 0;
  for (const Board& board : boards) {
    expected.push_back(reference_line(slices, GetParam(), board));
    holeless += !has_hole(waiting_half(board));
  }
  EXPECT_GT(holeless, kBoards / 10);
  expect_all_ways(database(GetParam()), boards, expected);
  expect_http(GetParam(), boards, expected);
}

INSTANTIATE_TEST_SUITE_P(Rules, Ask, testing::ValuesIn(kRuleSets), [](const auto& rules) {
  return "rules_" + std::to_string(static_cast<int>(rules.param));
});

TEST(Known, Positions) {
  std::vector<Board> boards;
  Lines expected;
  for (const auto& row : test::table("positions.csv")) {
    boards.push_back(parse_board(row[0]));
    expected.push_back(row[2] + " " + row[3]);
  }
  ASSERT_EQ(boards.size(), 14u);
  expect_all_ways(database(RuleSet::awari), boards, expected);
  const Prober prober(database(RuleSet::awari));
  for (std::size_t k = 0; k < boards.size(); ++k)  // one by one as well
    EXPECT_EQ(to_line(prober.answer(boards[k])), expected[k]);
}

/// With distances: what C++ wrote, any HDF5 reads, and the answers are the same.
TEST(Distances, AreTheSameInEveryWay) {
  for (const RuleSet rules : kRuleSets) {
    const test::ScratchDirectory scratch;
    constexpr int kSeeds = 7;
    test::make_database(scratch.path(), kSeeds, rules, true);
    std::vector<Board> boards = random_boards(rules);
    std::erase_if(boards, [](const Board& board) { return seeds(board) > kSeeds; });
    Lines expected;
    for (const BoardAnswer& answer : Prober(scratch.path()).answers(boards)) {
      expected.push_back(to_line(answer) + ' ' + std::to_string(answer.distance.value()));
      for (const MoveAnswer& move : answer.moves)
        expected.back() += move.distance ? ' ' + std::to_string(*move.distance) : " -";
    }
    const std::string db = scratch.path();
    expect_lines(ask_program("'" AWELE_BINARY "' probe --db " + db + " -", boards), expected, boards,
                 "command line");
    if (*AWELE_PYTHON)
      expect_lines(ask_program(AWELE_PYTHON " " AWELE_SCRIPTS "/awele.py " + db, boards), expected, boards,
                   "Python");
  }
}

/// A solver adds slices while the database is asked.
TEST(Growing, WhileASolverRuns) {
  const test::ScratchDirectory scratch;
  const std::string command = "'" AWELE_BINARY "' solve --seeds 12 --progress none --db " +
                              scratch.path().string() + " >" + scratch.path().string() + "/out 2>&1";
  std::atomic<int> status = -1;
  std::thread solver([&] { status = std::system(command.c_str()); });
  Prober growing(scratch.path(), 4 << 16);
  const Prober complete(database(RuleSet::awari));
  std::mt19937 random(5);
  int asked = 0;
  while (growing.largest() < 12 && (status == -1 || growing.refresh() > 0)) {
    growing.refresh();
    const int top = growing.complete_up_to();
    for (int k = 0; k < 20 && top >= 0; ++k, ++asked) {
      Board board{};
      for (int left = top; left > 0; --left) ++board[random() % kPits];
      const BoardAnswer answer = growing.answer(board);
      ASSERT_EQ(answer.value, complete.value(board)) << format_board(board);
    }
  }
  solver.join();
  EXPECT_EQ(status, 0);
  EXPECT_EQ(growing.largest(), 12);
  EXPECT_GT(asked, 20);
}

TEST(Python, HasItToo) {
  if (!*AWELE_PYTHON) GTEST_SKIP() << "no Python with h5py and numpy";
  const std::string command = AWELE_PYTHON " " AWELE_TEST_DATA "/../awele_py_test.py " AWELE_SCRIPTS
                                           " " AWELE_TEST_DATABASES " '" AWELE_BINARY "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace awele
