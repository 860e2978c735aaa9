// Which rank owns what in one slice. State rows (by mover half A, all halves) and frontier rows (by waiting
// half X, halves with a hole) are numbered by (number of seeds, then in order) and dealt to the ranks
// cyclically: row number mod ranks. Rows of equal number of seeds are equally long, so the shares are even,
// and the place of a local row is a small table over the number of seeds: no rank holds a table over all
// rows.
#pragma once

#include <array>
#include <cstdint>

#include "awele/index/half_index.hpp"

namespace awele {

/// One dealing of rows, grouped in blocks by number of seeds m = 0..n. A value, the same on all ranks but for
/// `rank`.
class Dealing {
 public:
  enum class Rows { state, frontier };
  Dealing() = default;
  Dealing(int n, Rows rows, int rank, int ranks);

  int seeds() const { return n_; }
  /// Number of the first row with m seeds, 0 <= m <= n + 1; base(n + 1) is the number of all rows.
  std::uint64_t base(int m) const { return base_[static_cast<std::size_t>(m)]; }
  // Row numbers fit in 32 bits (25.8 million rows at 48 seeds), and 32-bit division is the faster one.
  int owner(std::uint64_t row) const {
    return static_cast<int>(static_cast<std::uint32_t>(row) % static_cast<std::uint32_t>(ranks_));
  }
  /// Index of a row among those of its owner.
  std::uint64_t local(std::uint64_t row) const {
    return static_cast<std::uint32_t>(row) / static_cast<std::uint32_t>(ranks_);
  }
  /// Number of the row with local index `local` on this rank.
  std::uint64_t row(std::uint64_t local) const {
    return local * static_cast<std::uint64_t>(ranks_) + static_cast<std::uint64_t>(rank_);
  }
  /// Number of own rows whose number is below `row`.
  std::uint64_t local_before(std::uint64_t row) const;
  /// Local index of the first own row with at least m seeds; local_base(n + 1) is the number of own rows.
  std::uint64_t local_base(int m) const { return local_base_[static_cast<std::size_t>(m)]; }
  std::uint64_t local_rows() const { return local_base(n_ + 1); }
  /// Number of seeds of an own row.
  int seeds_of(std::uint64_t local) const;

 private:
  int n_ = 0, rank_ = 0, ranks_ = 1;
  std::array<std::uint64_t, kMaxSeeds + 2> base_{}, local_base_{};
};

/// Number of positions in state rows with m seeds of slice n: the halves with a hole and n - m seeds.
inline std::uint64_t state_row_length(int n, int m) { return hole_count(n - m); }

/// Stored positions of slice n that `rank` owns, by its state rows.
std::uint64_t owned_positions(int n, int rank, int ranks);

}  // namespace awele
