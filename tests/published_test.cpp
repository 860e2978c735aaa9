// Databases solved by the program on two ranks, against every published and independently computed number.
#include <gtest/gtest.h>

#include "awele/index/slice_index.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/probe/probe.hpp"
#include "awele/probe/statistics.hpp"
#include "support/csv.hpp"

namespace awele {
namespace {

Database database(std::string_view rules) {
  return Database(std::string(AWELE_TEST_DATABASES) + "/" + std::string(rules));
}

/// Compares the histograms over all boards with the cells of a table whose last three columns are seeds,
/// value, positions; every cell of every slice that the table has must agree, and no value may be missing
/// from it.
void compare(const Database& db, const std::vector<std::vector<std::string>>& cells) {
  std::map<int, Histogram> expected;
  for (const auto& row : cells) {
    const std::size_t at = row.size() - 3;
    const int n = std::stoi(row[at]);
    Histogram& histogram = expected[n];
    histogram.resize(static_cast<std::size_t>(2 * n + 1));
    histogram.at(static_cast<std::size_t>(std::stoi(row[at + 1]) + n)) = std::stoull(row[at + 2]);
  }
  ASSERT_FALSE(expected.empty());
  for (const auto& [n, histogram] : expected)
    EXPECT_EQ(all_boards_histogram(db, n), histogram) << n << " seeds";
}

TEST(Published, HistogramsOverAllBoards) {
  compare(database("awari"), test::table("published_histograms.csv"));
}

TEST(Published, HistogramsOfTheOtherRules) {
  for (RuleSet rules : kRuleSets) {
    if (rules == RuleSet::awari) continue;
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : test::table("rule_histograms.csv"))
      if (row[0] == name(rules)) cells.push_back(row);
    compare(database(name(rules)), cells);
  }
}

/// Digests and histograms of the largest run so far: what of it can be checked here must agree.
TEST(Measured, SlicesOfTheLargestRun) {
  const Database db = database("awari");
  for (const auto& row : test::table("measured_slices.csv")) {
    const int n = std::stoi(row[0]);
    EXPECT_EQ(std::stoull(row[1]), slice_size(n));
    if (db.has(n)) {
      EXPECT_EQ(std::stoul(row[2], nullptr, 16), db.slice(n).info().crc) << n << " seeds";
    }
  }
}

TEST(Measured, HistogramsOfTheLargestRun) {
  std::map<int, std::uint64_t> boards;
  std::vector<std::vector<std::string>> small;
  for (const auto& row : test::table("measured_histograms.csv")) {
    const int n = std::stoi(row[0]);
    boards[n] += std::stoull(row[2]);
    if (n <= 16) small.push_back(row);
  }
  EXPECT_EQ(small, test::table("published_histograms.csv"));
  for (const auto& [n, count] : boards) EXPECT_EQ(count, board_count(n)) << n << " seeds";
}

TEST(Published, Positions) {
  const Prober db(std::string(AWELE_TEST_DATABASES) + "/awari");
  for (const auto& row : test::table("positions.csv")) {
    if (std::stoi(row[1]) > db.complete_up_to()) continue;
    const BoardAnswer answer = db.answer(parse_board(row[0]));
    EXPECT_EQ(answer.value, std::stoi(row[2])) << row[0];
    std::string moves;
    for (const MoveAnswer& move : answer.moves) {
      if (!moves.empty()) moves += ' ';
      moves += move.value ? std::to_string(*move.value) : move.kind == Move::Kind::empty ? "-" : "illegal";
    }
    EXPECT_EQ(moves, row[3]) << row[0];
  }
  EXPECT_GE(db.complete_up_to(), 18) << "not all of the table was tried";
}

}  // namespace
}  // namespace awele
