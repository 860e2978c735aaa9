// What `awele plan` says: memory by the solver's own formula, sums, growth, and the budget of what a rank
// needs besides its share of the state.
#include "awele/plan/plan.hpp"

#include <gtest/gtest.h>

#include "awele/index/slice_index.hpp"

namespace awele {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

SolveOptions options(int seeds) {
  SolveOptions options;
  options.seeds = seeds;
  return options;
}

Machine machine(int ranks, int ranks_per_node) {
  Machine machine;
  machine.ranks = ranks;
  machine.ranks_per_node = ranks_per_node;
  machine.memory_per_node = std::uint64_t{512} << 30;
  return machine;
}

double terms(const PlanSeconds& s) {
  return s.exits + s.moves + s.thresholds + s.imbalance + s.records + s.latency + s.network + s.finish +
         s.disk_in + s.disk_out;
}

/// The moves of all stored positions by the rules themselves.
struct Counted {
  double all = 0, inner = 0;
};

Counted count_moves(int n) {
  Counted counted;
  for (std::uint64_t k = 0; k < slice_size(n); ++k) {
    const Board board = position_at(n, k);
    for (int i = 0; i < kHalfPits; ++i) counted.all += board[static_cast<std::size_t>(i)] > 0;
    const Moves all = moves(board, RuleSet::awari);
    for (const Move& move : all.pit) counted.inner += move.kind == Move::Kind::inner;
  }
  return counted;
}

TEST(Plan, MovesAreThoseOfTheRules) {
  for (int n : {7, 9, 11}) {
    const Counted counted = count_moves(n);
    EXPECT_EQ(all_moves(n), counted.all) << n;
    EXPECT_NEAR(inner_moves(n) / counted.inner, 1, 0.05) << n;  // moves that starve are not told apart
  }
}

TEST(Plan, MemoryIsWhatSolveChecks) {
  for (int n : {0, 1, 7, 24, 35, 48})
    for (int ranks : {1, 2, 3, 64, 100, 1024})
      for (int per_node : {1, 16, 64}) {
        const SlicePlan plan = plan_slice(n, options(n), machine(ranks, per_node));
        const int on_node = std::min(ranks, per_node);
        std::uint64_t largest = 0, first_node = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const MemoryNeed need = solve_memory(n, options(n), rank, ranks, on_node);
          largest = std::max(largest, need.all());
          if (rank < on_node) first_node += need.all();
        }
        EXPECT_EQ(plan.memory.all(), largest) << n << " " << ranks;
        EXPECT_EQ(plan.memory_node, first_node) << n << " " << ranks;
        EXPECT_EQ(plan.memory.state, state_memory(n, options(n), 0, ranks));
      }
}

/// Rows have their own few bytes, which larger slices spread over more positions.
TEST(Plan, OutcomesTakeOneByteAPosition) {
  for (int n : {28, 30, 37, 48})
    for (int ranks : {1, 2, 64}) {
      SolveOptions outcome = options(n);
      outcome.scope = Scope::outcome(48);
      std::uint64_t state = 0, exact = 0, apart = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        state += state_memory(n, outcome, rank, ranks);
        exact += state_memory(n, options(n), rank, ranks);
      }
      EXPECT_LE(static_cast<double>(state), 1.05 * static_cast<double>(slice_size(n))) << n;
      EXPECT_GE(static_cast<double>(exact), 1.5 * static_cast<double>(slice_size(n))) << n;
      outcome.counts_apart = true;
      for (int rank = 0; rank < ranks; ++rank) apart += state_memory(n, outcome, rank, ranks);
      EXPECT_EQ(apart, exact);
    }
}

TEST(Plan, FixedMemoryOfARankIsBounded) {
  for (int ranks : {1, 2, 3, 4, 7, 16, 31, 32, 33, 64, 100, 256, 1000, 1024, 2048, 4095, 4096})
    for (int per_node : {1, 2, 64}) {
      const MemoryNeed need = solve_memory(48, options(48), 0, ranks, std::min(ranks, per_node));
      EXPECT_LE(need.fixed, 64 * kMiB) << ranks << " ranks, " << per_node << " a node";
    }
}

TEST(Plan, ExitsTakeFewExchanges) {
  // Simulated in exits_test.cpp: fewer than the rounds take.
  EXPECT_EQ(plan_slice(30, options(30), machine(1, 1)).exit_exchanges, 0);
  for (int ranks : {2, 64, 1024, 4096}) {
    const SlicePlan plan = plan_slice(48, options(48), machine(ranks, 64));
    EXPECT_GE(plan.exit_exchanges, 14) << ranks;  // one for each number captured
    EXPECT_LT(plan.exit_exchanges, ranks < 64 ? 1e5 : 4 * plan.rounds) << ranks;
  }
}

TEST(Plan, VerifyingIsSharedByTheRanks) {
  const Plan one = plan_solve(options(30), machine(1, 1)), many = plan_solve(options(30), machine(64, 64));
  EXPECT_NEAR(one.verify_seconds / many.verify_seconds, 64, 1e-6);
  const Plan small = plan_solve(options(18), machine(1, 1));
  EXPECT_LT(small.verify_seconds, small.seconds.all());
}

TEST(Plan, SlicesAddUp) {
  for (int ranks : {1, 2, 1024}) {
    const Plan plan = plan_solve(options(48), machine(ranks, 64));
    ASSERT_EQ(plan.slices.size(), 48u);  // 47 is left out
    double seconds = 0, bytes = 0, disk = 0, messages = 0;
    std::uint64_t positions = 1;  // the start position, which is valued by one ply
    for (const SlicePlan& slice : plan.slices) {
      EXPECT_DOUBLE_EQ(terms(slice.seconds), slice.seconds.all());
      seconds += slice.seconds.all();
      bytes += slice.bytes;
      disk += slice.disk_bytes;
      messages += slice.messages;
      positions += slice.positions;
    }
    EXPECT_EQ(positions, 889'063'398'406u);
    EXPECT_NEAR(plan.seconds.all() / seconds, 1, 1e-9);
    EXPECT_NEAR(terms(plan.seconds) / seconds, 1, 1e-9);
    EXPECT_DOUBLE_EQ(plan.bytes, bytes);
    EXPECT_DOUBLE_EQ(plan.disk_bytes, disk);
    EXPECT_DOUBLE_EQ(plan.messages, messages);
    EXPECT_EQ(plan.memory_node, plan.slices.back().memory_node);
  }
}

TEST(Plan, OneRankSendsNothing) {
  const Plan plan = plan_solve(options(30), machine(1, 1));
  EXPECT_EQ(plan.bytes, 0);
  EXPECT_EQ(plan.messages, 0);
  // A checkpoint costs a part of its slice, and the warning leaves room for it.
  EXPECT_GT(plan.slices.back().checkpoint_seconds, 0);
  EXPECT_LT(plan.slices.back().checkpoint_seconds, plan.slices.back().seconds.all() / 2);
  EXPECT_GT(plan.warning_seconds, plan.slices.back().checkpoint_seconds);
  EXPECT_EQ(plan.seconds.latency + plan.seconds.network + plan.seconds.records + plan.seconds.imbalance, 0);
  EXPECT_EQ(plan_solve(options(30), machine(8, 8)).seconds.network, 0);  // one node
}

TEST(Plan, GrowsWithSeeds) {
  for (int ranks : {1, 2, 64})
    for (int n = 12; n < 48; ++n) {
      const SlicePlan small = plan_slice(n, options(n), machine(ranks, 64));
      const SlicePlan large = plan_slice(n + 1, options(n + 1), machine(ranks, 64));
      EXPECT_LT(small.memory.all(), large.memory.all()) << n;
      EXPECT_LT(small.predecessors / static_cast<double>(small.positions),
                large.predecessors / static_cast<double>(large.positions))
          << n;
      EXPECT_LT(small.rounds, large.rounds) << n;
      EXPECT_LE(small.bytes, large.bytes) << n;
      EXPECT_LT(small.disk_bytes, large.disk_bytes) << n;
      EXPECT_LT(small.seconds.all(), large.seconds.all()) << n;
      for (double value : {large.rounds, large.moves, large.predecessors, large.disk_bytes})
        EXPECT_GT(value, 0);
      EXPECT_LT(large.predecessors, large.moves) << n;
    }
}

TEST(Plan, MoreRanksShareTheWork) {
  for (int ranks = 2; ranks < 2048; ranks *= 2) {
    const SlicePlan some = plan_slice(48, options(48), machine(ranks, 64));
    const SlicePlan more = plan_slice(48, options(48), machine(2 * ranks, 64));
    EXPECT_LT(more.seconds.all(), some.seconds.all()) << ranks;
    EXPECT_LT(more.memory.state, some.memory.state) << ranks;
  }
}

TEST(Plan, FewestNodesAreJustEnough) {
  Machine small = machine(1, 8);
  small.memory_per_node = std::uint64_t{16} << 30;
  const int nodes = fewest_nodes(options(48), small).value();
  small.ranks = nodes * 8;
  EXPECT_TRUE(plan_solve(options(48), small).fits());
  small.ranks = (nodes - 1) * 8;
  EXPECT_FALSE(plan_solve(options(48), small).fits());
  small.memory_per_node = 1000;
  EXPECT_FALSE(fewest_nodes(options(48), small));
}

TEST(Plan, UsefulRanksAreWholeNodes) {
  const int ranks = most_useful_ranks(options(30), machine(1, 48));
  EXPECT_EQ(ranks % 48, 0);
  EXPECT_GE(most_useful_ranks(options(48), machine(1, 48)), ranks);
}

}  // namespace
}  // namespace awele
