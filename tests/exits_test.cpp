// What exits cost at 48 seeds, counted without running the slice: tables made, exchanges taken. And the
// tables themselves, against every half.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>
#include <span>

#include "awele/comm/exchange.hpp"
#include "awele/plan/plan.hpp"
#include "awele/solver/solve.hpp"
#include "solver/exit_mail.hpp"
#include "solver/exit_walk.hpp"
#include "solver/exits.hpp"

namespace awele {
namespace {

using Pairs = std::multiset<std::pair<std::uint32_t, std::uint32_t>>;

/// The same by going through all halves.
Pairs all_captures(const CaptureKind& kind) {
  Pairs pairs;
  std::uint32_t column = 0;
  Half before = half_at(kind.waiting_seeds, 0);
  do {
    if (!has_hole(before)) continue;
    Half after = before;
    for (int pit = 0; pit < kHalfPits; ++pit)
      after[static_cast<std::size_t>(pit)] += static_cast<std::uint8_t>(kind.laid.at(pit));
    if (capture(after, kind.laid) == kind.k && seeds(after) > 0)
      pairs.emplace(static_cast<std::uint32_t>(half_rank(after)), column);
    ++column;
  } while (next_half(before));
  return pairs;
}

TEST(CaptureEdges, AreThoseOfAllHalves) {
  std::uint64_t all = 0;
  for (int w = 0; w <= 16; ++w)
    for (int q = 0; q < 4; ++q)
      for (int j = 1; j <= kHalfPits; ++j)
        for (int k = 2; k <= kMostCaptured; ++k) {
          const CaptureKind kind{w, {q, j}, k};
          const CaptureEdges edges = make_edges(kind);
          Pairs pairs;
          for (std::size_t e = 0; e < edges.column.size(); ++e)
            pairs.emplace(edges.place[e], edges.column[e]);
          ASSERT_EQ(pairs, all_captures(kind)) << w << " " << q << " " << j << " " << k;
          ASSERT_EQ(edge_count(kind), pairs.size());
          all += pairs.size();
        }
  EXPECT_GT(all, 100'000u);
}

TEST(CaptureTables, StayWithinTheirBound) {
  for (int n = 2; n <= kMaxSeeds; ++n)
    for (int ranks : {1, 64, 1024, 4096}) {
      const std::uint64_t bound = CaptureTables::bound(n, ranks);
      EXPECT_GE(bound, CaptureTables::bound(n - 1, ranks));
      EXPECT_LE(bound, CaptureTables::bound(n, 1));
    }
  EXPECT_LT(CaptureTables::bound(24, 1), CaptureTables::kLittle);
  EXPECT_EQ(CaptureTables::bound(kMaxSeeds, 1), CaptureTables::kEnough);
}

/// Edge counts of one number captured, looked up.
class Counts {
 public:
  explicit Counts(int k) {
    for (int w = 0; w <= kMaxSeeds; ++w)
      for (int q = 0; q < 3; ++q)
        for (int j = 1; j <= kHalfPits; ++j) table_[w][q][j] = edge_count({w, {q, j}, k});
  }
  std::uint32_t of(const CaptureKind& kind) const {
    return kind.laid.q < 3 ? static_cast<std::uint32_t>(table_[kind.waiting_seeds][kind.laid.q][kind.laid.j])
                           : 0;
  }

 private:
  std::uint64_t table_[kMaxSeeds + 1][3][kHalfPits + 1] = {};
};

/// The slots of one rank's exchange, that deliver nothing; what is for rank `me` can be read.
class Slots {
 public:
  Slots(int ranks, std::size_t slot, int me)
      : slot_(slot), me_(me), used_(static_cast<std::size_t>(ranks)), bytes_(slot), others_(slot) {}
  std::size_t room(int to) const { return slot_ - used_[static_cast<std::size_t>(to)]; }
  std::byte* end(int to) {
    return to == me_ ? bytes_.data() + used_[static_cast<std::size_t>(to)] : others_.data();
  }
  void add(int to, std::size_t bytes) { used_[static_cast<std::size_t>(to)] += bytes; }
  std::span<const std::byte> slot_of_me() const {
    return {bytes_.data(), used_[static_cast<std::size_t>(me_)]};
  }
  void deliver() { std::fill(used_.begin(), used_.end(), 0); }

 private:
  std::size_t slot_;
  int me_;
  std::vector<std::size_t> used_;
  std::vector<std::byte> bytes_, others_;
};

/// As a solve of slice n has them on so many ranks.
struct Buffers {
  std::size_t slot, waiting;
};
Buffers buffers_of(int n, int ranks) {
  SolveOptions options;
  options.seeds = n;
  options = resolved(options, ranks);
  return {std::max<std::size_t>(options.exchange_bytes / static_cast<std::size_t>(ranks),
                                Exchange::kSmallestSlot),
          exits_waiting(options.batch)};
}

/// One rank on its way through slice n - k, as read_exits does it, without values. Takes every `stride`-th
/// batch.
class Rank {
 public:
  using Applied = std::function<void(const CaptureKind&)>;
  Rank(int n, int k, int rank, int ranks, const Buffers& buffers, const Counts& counts, int me,
       int stride = 1)
      : k_(k),
        rank_(rank),
        stride_(stride),
        counts_(counts),
        rows_(n, Dealing::Rows::state, rank, ranks),
        walk_(n, k, rank, ranks),
        slots_(ranks, buffers.slot, me),
        mail_(slots_, buffers.waiting) {}

  bool done() const { return !walk_.more() && row_ == walk_.rows().size() && mail_.empty(); }
  Slots& slots() { return slots_; }

  /// Up to the next exchange. Of each target of its own or of others it needs the edges.
  void go(const Applied& applied) {
    if (row_ == walk_.rows().size()) {
      for (int skipped = 1; skipped < stride_; ++skipped) walk_.next_batch();
      walk_.next_batch();
      row_ = 0;
      find_targets();
    }
    mail_.refill();
    for (; row_ < walk_.rows().size(); ++row_, find_targets())
      for (; target_ < targets_.size(); ++target_) {
        if (mail_.full()) return;
        const ExitWalk::Target& target = targets_[target_];
        if (applied) applied(target.kind);
        const int owner = rows_.owner(target.row);
        // The simulated record carries the waiting seeds where a real one has the row.
        if (owner != rank_)
          mail_.put(owner,
                    {static_cast<std::uint32_t>(target.kind.waiting_seeds), 0, counts_.of(target.kind),
                     static_cast<std::uint8_t>(target.kind.laid.q),
                     static_cast<std::uint8_t>(target.kind.laid.j), static_cast<std::uint8_t>(k_)},
                    [](Code*, std::uint32_t, std::uint32_t) {});
      }
  }

 private:
  void find_targets() {
    targets_.clear();
    target_ = 0;
    if (row_ < walk_.rows().size()) walk_.find_targets(walk_.rows()[row_], rows_, targets_);
  }

  const int k_, rank_, stride_;
  const Counts& counts_;
  Dealing rows_;
  ExitWalk walk_;
  Slots slots_;
  ExitMail<Slots> mail_;
  std::vector<ExitWalk::Target> targets_;
  std::size_t row_ = 0, target_ = 0;
};

/// Of one rank, for one number captured.
struct Work {
  std::uint64_t tables = 0, made = 0, applied = 0;  // tables made, and edges made, used
};

/// What rank `me` does for the captures of k seeds, sending and receiving, in every `stride`-th batch.
Work work_of(int n, int k, int me, int ranks, int stride) {
  const Counts counts(k);
  Work work;
  CaptureTables tables(CaptureTables::bound(n, ranks), [&](const CaptureKind& kind) {
    ++work.tables;
    work.made += counts.of(kind);
    return CaptureEdges{};
  });
  const auto use = [&](const CaptureKind& kind, std::uint64_t edges) {
    tables.edges(kind);
    work.applied += edges;
  };
  const Buffers buffers = buffers_of(n, ranks);
  std::vector<std::unique_ptr<Rank>> all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(std::make_unique<Rank>(n, k, rank, ranks, buffers, counts, me, stride));
  for (bool left = true; left;) {
    left = false;
    for (int rank = 0; rank < ranks; ++rank) {
      Rank& from = *all[static_cast<std::size_t>(rank)];
      from.go(rank == me ? [&](const CaptureKind& kind) { use(kind, counts.of(kind)); } : Rank::Applied());
      left = left || !from.done();
    }
    for (const auto& from : all) {
      for (auto bytes = from->slots().slot_of_me(); !bytes.empty();) {
        ExitRecord record;
        std::memcpy(&record, bytes.data(), sizeof record);
        use({static_cast<int>(record.row), {record.q, record.j}, record.k}, record.count);
        bytes = bytes.subspan(sizeof record + record.count);
      }
      from->slots().deliver();
    }
  }
  return work;
}

// An edge takes some 20 times as long to make as to use. With tables that the newest drove out whatever they
// were used for, within 8 MiB, slice 48 took 112,565 tables a rank of 64.
TEST(ExitsOf48Seeds, TablesAreMadeOnceAndUsedOften) {
  for (int ranks : {64, 1024}) {
    const int stride = 2048 / ranks;
    const Work work = work_of(kMaxSeeds, 2, 5, ranks, stride);
    std::printf("%d ranks, one batch of %d: %ju tables, %ju edges made, %ju used\n", ranks, stride,
                std::uintmax_t{work.tables}, std::uintmax_t{work.made}, std::uintmax_t{work.applied});
    EXPECT_LT(work.tables, 1000u) << ranks;
    EXPECT_LT(work.made, work.applied * static_cast<std::uint64_t>(stride) / 16) << ranks;
  }
}

std::uint64_t exchanges_of(int n, int k, int rank, int ranks, const Counts& counts) {
  Rank one(n, k, rank, ranks, buffers_of(n, ranks), counts, rank);
  std::uint64_t exchanges = 0;
  do {
    one.go(nullptr);
    one.slots().deliver();
    ++exchanges;
  } while (!one.done());
  return exchanges;
}

/// An exchange serves all ranks, and none waits for another: as many as the rank takes that takes the most.
std::uint64_t exchanges_of(int n, int ranks) {
  std::uint64_t sum = 0;
  for (int k = 2; k <= most_captured(n); ++k) {
    const Counts counts(k);
    std::uint64_t most = 0;
    for (int rank = 0; rank < ranks; rank += rank < 8 ? 1 : ranks / 16)
      most = std::max(most, exchanges_of(n, k, rank, ranks, counts));
    sum += most;
  }
  return sum;
}

TEST(ExitsOf48Seeds, TakeFewExchanges) {
  for (const auto& [ranks, most] : {std::pair(1024, 400u), std::pair(4096, 800u)}) {
    const std::uint64_t exchanges = exchanges_of(kMaxSeeds, ranks);
    Machine machine;
    machine.ranks = ranks;
    machine.ranks_per_node = 64;
    SolveOptions options;
    options.seeds = kMaxSeeds;
    const double planned = plan_slice(kMaxSeeds, options, machine).exit_exchanges;
    std::printf("%d ranks: %ju exchanges, planned %.0f\n", ranks, std::uintmax_t{exchanges}, planned);
    EXPECT_LT(exchanges, most) << ranks;
    EXPECT_NEAR(planned / static_cast<double>(exchanges), 1, 0.3) << ranks;
  }
}

}  // namespace
}  // namespace awele
