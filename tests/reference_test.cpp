// The second algorithm against published and independently computed numbers, and the verifier on its slices.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "awele/store/codec.hpp"
#include "awele/store/database.hpp"
#include "awele/store/slice_file.hpp"
#include "awele/support/error.hpp"
#include "awele/verify/plain_game.hpp"
#include "awele/verify/plain_index.hpp"
#include "awele/verify/verifier.hpp"
#include "reference/reference_solver.hpp"
#include "support/csv.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

namespace fs = std::filesystem;
using Slices = std::vector<std::vector<std::int8_t>>;

#ifdef __SANITIZE_ADDRESS__
constexpr int kTop = 9;
#else
constexpr int kTop = 12;
#endif

/// Slices 0..top, solved once in a process.
const Slices& slices(RuleSet rules, int top = kTop) {
  static std::map<std::pair<RuleSet, int>, Slices> solved;
  Slices& entry = solved[{rules, top}];
  if (entry.empty()) entry = reference::reference_slices(rules, top);
  return entry;
}

using test::table;

std::string hex(std::uint32_t value) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", value);
  return text;
}

std::string digest(RuleSet rules, int n) {
  return hex(crc32(0, std::span<const std::int8_t>(slices(rules)[static_cast<std::size_t>(n)])));
}

// ---------------------------------------------------------------------------------------------- numbers

TEST(Reference, DigestsOfTheDefaultRules) {
  for (const auto& row : table("scores_crc32.csv")) {
    const int n = std::stoi(row[0]);
    if (n > kTop) continue;
    EXPECT_EQ(std::to_string(slices(RuleSet::awari)[static_cast<std::size_t>(n)].size()), row[1]) << n;
    EXPECT_EQ(digest(RuleSet::awari, n), row[2]) << n;
  }
}

TEST(Reference, DigestsOfTheOtherRules) {
  for (const auto& row : table("rule_crc32.csv")) {
    const RuleSet rules = parse_rules(row[0]).value();
    const int n = std::stoi(row[1]);
    if (n <= kTop) {
      EXPECT_EQ(digest(rules, n), row[2]) << row[0] << ' ' << n;
    }
  }
}

using Histogram = std::map<int, std::uint64_t>;

/// Values of all boards of n seeds, those without a hole by one ply.
Histogram histogram(RuleSet rules, int n) {
  Histogram counts;
  Board board = plain::first_board(n);
  std::size_t stored = 0;
  do {
    const int value = plain::hole(board) ? slices(rules)[static_cast<std::size_t>(n)][stored++]
                                         : reference::reference_value(slices(rules), rules, board);
    ++counts[value];
  } while (plain::next_board(board));
  return counts;
}

/// Compares the histograms of `rules` in `rows` (seeds, value, positions from column `first` on) up to kTop.
void compare_histograms(RuleSet rules, const std::vector<std::vector<std::string>>& rows, std::size_t first) {
  std::map<int, Histogram> expected;
  for (const auto& row : rows)
    if (first == 0 || row[0] == name(rules))
      expected[std::stoi(row[first])][std::stoi(row[first + 1])] = std::stoull(row[first + 2]);
  EXPECT_FALSE(expected.empty());
  for (const auto& [n, counts] : expected) {
    if (n <= kTop) {
      EXPECT_EQ(histogram(rules, n), counts) << name(rules) << ' ' << n;
    }
  }
}

/// Clamping commutes with the solution: clamped exits lead to the clamped values.
TEST(Reference, ClampedExitsGiveTheClampedValues) {
  constexpr int kClampedTop = 8;
  for (RuleSet rules : kRuleSets)
    for (int total : {8, 9, 10, 12, 14}) {
      if (rules == RuleSet::majority_slam) total = kMaxSeeds;
      const Slices found = reference::reference_slices(rules, kClampedTop, total);
      for (int n = 0; n <= kClampedTop; ++n) {
        const auto most = static_cast<std::int8_t>(std::min(n, total - n + 1));
        std::vector<std::int8_t> expected = slices(rules)[static_cast<std::size_t>(n)];
        for (std::int8_t& value : expected) value = std::clamp(value, static_cast<std::int8_t>(-most), most);
        EXPECT_TRUE(found[static_cast<std::size_t>(n)] == expected)
            << name(rules) << ", " << n << " of " << total;
      }
    }
}

TEST(Reference, PublishedHistograms) {
  compare_histograms(RuleSet::awari, table("published_histograms.csv"), 0);
}

TEST(Reference, HistogramsOfTheOtherRules) {
  for (RuleSet rules : kRuleSets)
    if (rules != RuleSet::awari) compare_histograms(rules, table("rule_histograms.csv"), 1);
}

TEST(Reference, KnownBoards) {
  int compared = 0;
  for (const auto& row : table("positions.csv")) {
    if (std::stoi(row[1]) > kTop) continue;
    ++compared;
    Board board{};
    std::istringstream pits(row[0]), moves(row[3]);
    for (auto& pit : board) {
      int seeds = 0;
      pits >> seeds;
      pit = static_cast<std::uint8_t>(seeds);
    }
    const Slices& solved = slices(RuleSet::awari);
    EXPECT_EQ(reference::reference_value(solved, RuleSet::awari, board), std::stoi(row[2])) << row[0];
    const plain::Moves all = plain::moves(board, RuleSet::awari);
    for (int pit = 0; pit < 6; ++pit) {
      std::string expected;
      moves >> expected;
      const bool legal = all.pit[static_cast<std::size_t>(pit)].legal;
      const std::string found =
          board[static_cast<std::size_t>(pit)] == 0 ? "-"
          : legal ? std::to_string(reference::reference_move(solved, RuleSet::awari, board, pit))
                  : "illegal";
      EXPECT_EQ(found, expected) << row[0] << ", pit " << pit;
    }
  }
  EXPECT_GE(compared, 6);
}

TEST(Reference, OnePlyAgreesWithStoredValues) {
  // The stored values are a fixed point: one ply of look-ahead gives them back.
  for (RuleSet rules : kRuleSets)
    for (int n = 0; n <= 7; ++n)
      for (std::uint64_t place = 0; place < plain::position_count(n); ++place)
        ASSERT_EQ(reference::reference_value(slices(rules), rules, plain::board_at(n, place)),
                  slices(rules)[static_cast<std::size_t>(n)][place])
            << name(rules) << ' ' << n << ' ' << place;
}

// ---------------------------------------------------------------------------------------------- verifier

/// A directory with slices 0..kSeeds of one rule set.
class Verify : public testing::TestWithParam<RuleSet> {
 protected:
  static constexpr int kSeeds = 8;

  void SetUp() override {
    dir = fs::temp_directory_path() /
          ("awele_verify_" + std::string(name(GetParam())) + "_" + std::to_string(::getpid()));
    fs::remove_all(dir);
    fs::create_directories(dir);
    for (int n = 0; n <= kSeeds; ++n) write(n, slices(GetParam(), kSeeds)[static_cast<std::size_t>(n)]);
  }
  void TearDown() override { fs::remove_all(dir); }

  void write(int n, const std::vector<std::int8_t>& values) const {
    test::write_slice(dir, n, GetParam(), values);
  }

  /// All ranks' results of slice n, one after the other.
  static VerifyResult all_ranks(const Database& database, int n, int ranks) {
    VerifyResult sum;
    for (int rank = 0; rank < ranks; ++rank) sum.add(Verifier(database, rank, ranks).slice(n));
    return sum;
  }

  fs::path dir;
};

TEST_P(Verify, RightValuesPass) {
  const Database database(dir);
  for (int n = 0; n <= kSeeds; ++n)
    for (int ranks : {1, 3, 7}) {
      const VerifyResult result = all_ranks(database, n, ranks);
      EXPECT_EQ(result.checked, plain::position_count(n)) << n;
      EXPECT_EQ(result.wrong, 0u) << n;
      EXPECT_EQ(result.first, VerifyResult::kNone) << n;
    }
}

TEST_P(Verify, SmallBatchesGiveTheSame) {
  const Database database(dir);
  const std::uint64_t limit = Verifier::memory(kSeeds, Verifier::kSmallestBatch);
  Verifier verifier(database, 0, 1, limit);
  EXPECT_EQ(verifier.batch(), Verifier::kSmallestBatch);
  EXPECT_LE(verifier.memory(), limit);
  std::uint64_t reported = 0;
  int batches = 0;
  verifier.progress = [&](std::uint64_t checked) {
    EXPECT_GT(checked, reported);
    reported = checked;
    ++batches;
  };
  const VerifyResult result = verifier.slice(kSeeds);
  EXPECT_EQ(result.checked, plain::position_count(kSeeds));
  EXPECT_EQ(reported, result.checked);
  EXPECT_GT(batches, 10);
  EXPECT_EQ(result.wrong, 0u);
}

TEST_P(Verify, AWrongValueIsFound) {
  const int n = kSeeds;
  const std::uint64_t place = 4321;
  std::vector<std::int8_t> values = slices(GetParam(), kSeeds)[static_cast<std::size_t>(n)];
  const int right = values[place];
  values[place] = static_cast<std::int8_t>(right == 0 ? 1 : -right);
  write(n, values);
  const Database database(dir);
  for (int ranks : {1, 3}) {
    const VerifyResult result = all_ranks(database, n, ranks);
    EXPECT_GE(result.wrong, 1u);
    EXPECT_LE(result.first, place);
  }
  const VerifyResult there = Verifier(database, 0, 1).position(n, place);
  EXPECT_EQ(there.checked, 1u);
  EXPECT_EQ(there.wrong, 1u);
  EXPECT_EQ(there.first, place);
  EXPECT_EQ(there.board, plain::board_at(n, place));
  EXPECT_EQ(there.stored, values[place]);
  EXPECT_EQ(there.derived, right);
}

TEST_P(Verify, AWrongSmallerSliceIsFound) {
  // All values of a slice turned round: its own check fails, and so does that of the slices above it.
  std::vector<std::int8_t> values = slices(GetParam(), kSeeds)[4];
  for (auto& value : values) value = static_cast<std::int8_t>(-value);
  write(4, values);
  const Database database(dir);
  EXPECT_EQ(Verifier(database, 0, 1).slice(3).wrong, 0u);
  EXPECT_GT(Verifier(database, 0, 1).slice(4).wrong, 0u);
  EXPECT_GT(Verifier(database, 0, 1).slice(6).wrong, 0u);
}

TEST_P(Verify, DistancesToo) {
  const int n = 6;
  const auto& all = slices(GetParam(), kSeeds);
  const std::vector<std::uint16_t> right = test::iterate_distances(n, GetParam(), all);
  const auto& values = all[n];
  test::write_slice(dir, n, GetParam(), values, right);
  for (int ranks : {1, 3}) {
    const VerifyResult result = all_ranks(Database(dir), n, ranks);
    EXPECT_EQ(result.wrong + result.wrong_distances, 0u);
  }
  // One of a position won, lost, even; the first and the last of each.
  for (const int sign : {-1, 0, 1})
    for (const bool last : {false, true}) {
      std::uint64_t place = last ? values.size() - 1 : 0;
      while ((values[place] > 0) - (values[place] < 0) != sign) place += last ? ~std::uint64_t{0} : 1;
      std::vector<std::uint16_t> wrong = right;
      wrong[place] = static_cast<std::uint16_t>(wrong[place] + 40);
      test::write_slice(dir, n, GetParam(), values, wrong);
      const Database database(dir);
      const VerifyResult result = all_ranks(database, n, 3);
      EXPECT_EQ(result.wrong, 0u);
      EXPECT_GE(result.wrong_distances, 1u);
      EXPECT_LE(result.first, place);
      const VerifyResult there = Verifier(database, 0, 1).position(n, place);
      EXPECT_EQ(there.wrong_distances, 1u) << sign << last;
      EXPECT_EQ(there.stored_distance, wrong[place]);
      EXPECT_EQ(there.derived_distance, right[place]);
    }
}

TEST_P(Verify, AnotherRuleSetsValuesFail) {
  const RuleSet other = GetParam() == RuleSet::abapa ? RuleSet::awari : RuleSet::abapa;
  const int n = kSeeds;
  write(n, slices(other, kSeeds)[static_cast<std::size_t>(n)]);
  EXPECT_GT(Verifier(Database(dir), 0, 1).slice(n).wrong, 0u);
}

TEST_P(Verify, SamplesDependOnTheSeedAlone) {
  const int n = kSeeds;
  std::vector<std::int8_t> values = slices(GetParam(), kSeeds)[static_cast<std::size_t>(n)];
  for (std::size_t i = 0; i < values.size(); i += 50) values[i] = static_cast<std::int8_t>(-values[i]);
  write(n, values);
  const Database database(dir);
  const auto sample = [&](std::uint64_t k, std::uint64_t seed, int ranks) {
    VerifyResult sum;
    for (int rank = 0; rank < ranks; ++rank) sum.add(Verifier(database, rank, ranks).sample(n, k, seed));
    return sum;
  };
  const VerifyResult one = sample(5000, 1, 1);
  EXPECT_EQ(one.checked, 5000u);
  EXPECT_GT(one.wrong, 0u);
  for (int ranks : {2, 5}) {
    const VerifyResult several = sample(5000, 1, ranks);
    EXPECT_EQ(several.checked, one.checked);
    EXPECT_EQ(several.wrong, one.wrong);
    EXPECT_EQ(several.first, one.first);
    EXPECT_EQ(several.board, one.board);
  }
  EXPECT_NE(sample(5000, 2, 1).first, one.first);
  // No fewer positions than asked for in a slice that has no more.
  EXPECT_EQ(sample(1000000, 1, 2).checked, plain::position_count(n));
}

TEST_P(Verify, AMissingSliceIsNamed) {
  fs::remove(slice_path(dir, 3));
  const Database database(dir);
  for (int n : {3, 5, 8}) {
    try {
      Verifier(database, 0, 1).slice(n);
      FAIL() << n;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("slice_03.h5"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(Verifier(database, 0, 1).slice(4).wrong, 0u);  // one seed alone is never captured
}

TEST_P(Verify, TooLittleMemoryIsRefused) {
  const Database database(dir);
  try {
    Verifier(database, 0, 1, Verifier::memory(kSeeds, Verifier::kSmallestBatch) - 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::no_resources);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, Verify, testing::ValuesIn(kRuleSets),
                         [](const testing::TestParamInfo<RuleSet>& rules) {
                           std::string text(name(rules.param));
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

}  // namespace
}  // namespace awele
