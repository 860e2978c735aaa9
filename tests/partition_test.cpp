// Every row is owned exactly once, and the shares are even.
#include "awele/index/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "awele/index/slice_index.hpp"

namespace awele {
namespace {

/// Counts how often each row number is claimed by the local rows of all ranks.
std::vector<int> claims(int n, Dealing::Rows rows, int ranks) {
  std::vector<int> claimed(Dealing(n, rows, 0, ranks).base(n + 1), 0);
  for (int r = 0; r < ranks; ++r) {
    const Dealing dealing(n, rows, r, ranks);
    for (std::uint64_t local = 0; local < dealing.local_rows(); ++local) {
      const std::uint64_t row = dealing.row(local);
      if (row < claimed.size() && dealing.owner(row) == r && dealing.local(row) == local) ++claimed[row];
    }
  }
  return claimed;
}

TEST(Partition, EveryRowIsOwnedExactlyOnce) {
  for (int n : {0, 1, 5, 6, 12, 15})
    for (int ranks : {1, 2, 3, 4, 7, 16, 64, 1000})
      for (Dealing::Rows rows : {Dealing::Rows::state, Dealing::Rows::frontier}) {
        const std::vector<int> claimed = claims(n, rows, ranks);
        EXPECT_EQ(std::count(claimed.begin(), claimed.end(), 1), static_cast<std::ptrdiff_t>(claimed.size()))
            << "n = " << n << ", ranks = " << ranks;
      }
}

TEST(Partition, BlocksHoldTheRowsOfTheirSeeds) {
  for (int ranks : {1, 3, 64, 5000})
    for (int r : {0, ranks / 2, ranks - 1}) {
      const Dealing dealing(12, Dealing::Rows::frontier, r, ranks);
      for (std::uint64_t local = 0; local < dealing.local_rows(); ++local) {
        const int m = dealing.seeds_of(local);
        EXPECT_GE(dealing.row(local), dealing.base(m));
        EXPECT_LT(dealing.row(local), dealing.base(m + 1));
      }
    }
}

TEST(Partition, AllPositionsAreOwned) {
  for (int n : {0, 7, 20, 48})
    for (int ranks : {1, 7, 64}) {
      std::uint64_t all = 0;
      for (int r = 0; r < ranks; ++r) all += owned_positions(n, r, ranks);
      EXPECT_EQ(all, slice_size(n));
    }
}

double largest_over_mean(int n, int ranks) {
  std::uint64_t largest = 0;
  for (int r = 0; r < ranks; ++r) largest = std::max(largest, owned_positions(n, r, ranks));
  return static_cast<double>(largest) * ranks / static_cast<double>(slice_size(n));
}

TEST(Partition, SharesAreWithinFivePercentOfTheMean) {
  for (int ranks = 2; ranks <= 64; ++ranks) EXPECT_LE(largest_over_mean(20, ranks), 1.05) << ranks;
  for (int ranks : {2, 3, 16, 64, 100, 256, 1000, 1024, 2048, 3000, 4095, 4096})
    EXPECT_LE(largest_over_mean(48, ranks), 1.05) << ranks;
}

}  // namespace
}  // namespace awele
