// The solver against independently computed digests and the second algorithm, at whatever number of ranks it
// is started with, with large and with tiny message buffers, by one hop and by two.
#include "awele/solver/solve.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "awele/index/partition.hpp"
#include "awele/store/codec.hpp"
#include "reference/reference_solver.hpp"
#include "support/csv.hpp"
#include "support/scratch_directory.hpp"

namespace awele {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kTop = 9;
#else
constexpr int kTop = 12;
#endif

using Digests = std::vector<std::uint32_t>;

/// CRC-32 of slices 0..top, solved into a new directory; the same on all ranks.
Digests solve_digests(const Communicator& ranks, SolveOptions options) {
  std::optional<test::ScratchDirectory> scratch;
  if (ranks.root()) scratch.emplace();
  options.dir = ranks.broadcast(scratch ? scratch->path().string() : "");
  SolveObserver quiet;
  SolveControl undisturbed;
  Digests digests;
  for (const SliceReport& report : solve(options, ranks, quiet, undisturbed)) digests.push_back(report.crc);
  ranks.barrier();
  return digests;
}

SolveOptions options_for(RuleSet rules, int seeds) {
  SolveOptions options;
  options.rules = rules;
  options.seeds = seeds;
  return options;
}

Digests reference_digests(RuleSet rules, int top) {
  Digests digests;
  for (const auto& values : reference::reference_slices(rules, top))
    digests.push_back(crc32(0, std::span(values)));
  return digests;
}

/// Exchange capacity, grid width, batch: the normal ones, and some so small that every path of many rounds
/// runs; in both layouts.
struct Shape {
  const char* name;
  std::uint64_t exchange_bytes;
  int ranks_per_node;
  std::uint64_t batch;
  bool counts_apart = false;
};

class Solve : public testing::TestWithParam<Shape> {
 protected:
  SolveOptions options(RuleSet rules, int seeds) const {
    SolveOptions options = options_for(rules, seeds);
    options.exchange_bytes = GetParam().exchange_bytes;
    options.ranks_per_node = GetParam().ranks_per_node;
    options.batch = GetParam().batch;
    options.counts_apart = GetParam().counts_apart;
    return options;
  }
  const Communicator ranks_ = Communicator::world();
};

TEST_P(Solve, GivesTheIndependentDigestsOfAwari) {
  const Digests found = solve_digests(ranks_, options(RuleSet::awari, kTop));
  for (const auto& row : test::table("scores_crc32.csv")) {
    const auto n = static_cast<std::size_t>(std::stoi(row[0]));
    if (n >= found.size()) continue;
    EXPECT_EQ(found[n], std::stoul(row[2], nullptr, 16)) << "slice " << n;
  }
}

TEST_P(Solve, GivesTheIndependentDigestsOfTheOtherRules) {
  for (RuleSet rules : kRuleSets) {
    if (rules == RuleSet::awari) continue;
    const Digests found = solve_digests(ranks_, options(rules, 8));
    for (const auto& row : test::table("rule_crc32.csv")) {
      if (row[0] != name(rules)) continue;
      EXPECT_EQ(found.at(std::stoul(row[1])), std::stoul(row[2], nullptr, 16)) << row[0] << " " << row[1];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Solve,
                         testing::Values(Shape{"normal", 4 << 20, 0, 1 << 19}, Shape{"tiny", 1, 0, 64},
                                         Shape{"two_hops", 4 << 20, 2, 1 << 19},
                                         Shape{"tiny_two_hops", 300, 3, 100},
                                         Shape{"apart", 4 << 20, 0, 1 << 19, true},
                                         Shape{"tiny_apart", 1, 0, 64, true}),
                         [](const auto& shape) { return shape.param.name; });

TEST(SolveRules, GivesTheBytesOfTheSecondAlgorithm) {
  const Communicator ranks = Communicator::world();
  for (RuleSet rules : kRuleSets) {
    const Digests found = solve_digests(ranks, options_for(rules, kTop));
    if (ranks.root()) {
      EXPECT_EQ(found, reference_digests(rules, kTop)) << name(rules);
    }
  }
}

/// More ranks than rows in places, more than cores everywhere: also run on 64 ranks, with a grid of 8 x 8.
TEST(SolveAnyRanks, GivesTheIndependentDigests) {
  const Communicator ranks = Communicator::world();
  const Digests found = solve_digests(ranks, options_for(RuleSet::awari, 7));
  for (const auto& row : test::table("scores_crc32.csv")) {
    const auto n = static_cast<std::size_t>(std::stoi(row[0]));
    if (n >= found.size()) continue;
    EXPECT_EQ(found[n], std::stoul(row[2], nullptr, 16)) << "slice " << n;
  }
}

/// Words of state and summaries searched: at thresholds each row that may hold such an exit, in rounds the
/// summary of rows and the marked segments of rows with pending positions. With c = n/8 + 4 words a settled
/// position:
TEST(SolveWork, IsProportionalToWhatIsSettled) {
  const Communicator ranks = Communicator::world();
  std::optional<test::ScratchDirectory> scratch;
  if (ranks.root()) scratch.emplace();
  for (std::uint64_t batch : {std::uint64_t{64}, std::uint64_t{1} << 18}) {
    SolveOptions options = options_for(RuleSet::awari, kTop);
    options.batch = batch;
    options.dir = ranks.broadcast(scratch ? (scratch->path() / std::to_string(batch)).string() : "");
    SolveObserver quiet;
    SolveControl undisturbed;
    for (const SliceReport& report : solve(options, ranks, quiet, undisturbed)) {
      if (report.seeds < 6) continue;
      const Dealing rows(report.seeds, Dealing::Rows::state, 0, 1);
      const auto all = static_cast<std::uint64_t>(ranks.size());
      const std::uint64_t summaries = 2 * report.rounds * (rows.base(report.seeds + 1) / 64 + all);
      const double c = report.seeds / 8.0 + 4;
      EXPECT_LE(static_cast<double>(report.words_touched),
                c * static_cast<double>(report.settled) + static_cast<double>(summaries))
          << "slice " << report.seeds << ", batch " << batch;
      // What is settled is won or lost, and nothing is settled twice.
      EXPECT_EQ(report.settled, report.won + report.lost);
      EXPECT_EQ(report.positions, report.won + report.drawn + report.lost);
    }
    ranks.barrier();
  }
}

TEST(SolveOptions, LeavesOutSlice47OnlyForTheWholeGame) {
  EXPECT_EQ(slices_to_solve(47).size(), 48u);
  EXPECT_EQ(slices_to_solve(48).size(), 48u);
  EXPECT_EQ(slices_to_solve(48).back(), 48);
  EXPECT_EQ(slices_to_solve(48)[46], 46);
}

}  // namespace
}  // namespace awele
