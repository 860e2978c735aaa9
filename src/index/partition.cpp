#include "awele/index/partition.hpp"

#include <algorithm>

namespace awele {

Dealing::Dealing(int n, Rows rows, int rank, int ranks) : n_(n), rank_(rank), ranks_(ranks) {
  std::uint64_t row = 0;
  for (int m = 0; m <= n + 1; ++m) {
    const auto at = static_cast<std::size_t>(m);
    base_[at] = row;
    local_base_[at] = local_before(row);
    row += rows == Rows::state ? half_count(m) : hole_count(m);
  }
}

std::uint64_t Dealing::local_before(std::uint64_t row) const {
  const auto r = static_cast<std::uint64_t>(rank_), all = static_cast<std::uint64_t>(ranks_);
  return row > r ? (row - r + all - 1) / all : 0;
}

int Dealing::seeds_of(std::uint64_t local) const {
  const auto end = local_base_.begin() + n_ + 2;
  return static_cast<int>(std::upper_bound(local_base_.begin(), end, local) - local_base_.begin()) - 1;
}

std::uint64_t owned_positions(int n, int rank, int ranks) {
  const Dealing dealing(n, Dealing::Rows::state, rank, ranks);
  std::uint64_t positions = 0;
  for (int m = 0; m <= n; ++m)
    positions += (dealing.local_base(m + 1) - dealing.local_base(m)) * state_row_length(n, m);
  return positions;
}

}  // namespace awele
