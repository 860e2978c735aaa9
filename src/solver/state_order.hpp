// The state of a slice as one sequence of positions that knows nothing of ranks: state rows by number of
// seeds, then in order, columns without padding; cut into pieces of kPiecePositions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "awele/index/partition.hpp"
#include "awele/store/state_part.hpp"
#include "slice_state.hpp"

namespace awele {

/// A range of columns of one state row, and where it lies in a piece.
struct PieceRow {
  std::uint64_t row;  ///< number
  int seeds;
  std::uint64_t column, count;
  std::uint64_t place;
};

class StateOrder {
 public:
  explicit StateOrder(const Dealing& rows) : rows_(rows) {
    for (int m = 0; m <= rows.seeds(); ++m)
      start_[static_cast<std::size_t>(m) + 1] =
          start_[static_cast<std::size_t>(m)] +
          (rows.base(m + 1) - rows.base(m)) * state_row_length(rows.seeds(), m);
  }

  std::uint64_t positions() const { return start_[static_cast<std::size_t>(rows_.seeds()) + 1]; }
  std::uint64_t pieces() const { return (positions() + kPiecePositions - 1) / kPiecePositions; }
  std::uint64_t length(std::uint64_t piece) const {
    return std::min(kPiecePositions, positions() - piece * kPiecePositions);
  }

  /// Calls f(PieceRow) for the rows that have a share in a piece, in order.
  template <typename F>
  void each_row(std::uint64_t piece, F f) const {
    std::uint64_t at = piece * kPiecePositions;
    const std::uint64_t begin = at, end = at + length(piece);
    int m = 0;
    while (at < end) {
      while (start_[static_cast<std::size_t>(m) + 1] <= at) ++m;
      const std::uint64_t columns = state_row_length(rows_.seeds(), m),
                          in_block = at - start_[static_cast<std::size_t>(m)];
      std::uint64_t row = rows_.base(m) + in_block / columns, column = in_block % columns;
      const std::uint64_t block_end = std::min(end, start_[static_cast<std::size_t>(m) + 1]);
      for (; at < block_end; ++row, column = 0) {
        const std::uint64_t count = std::min(columns - column, block_end - at);
        f(PieceRow{row, m, column, count, at - begin});
        at += count;
      }
    }
  }

 private:
  Dealing rows_;
  std::array<std::uint64_t, kMaxSeeds + 2> start_{};
};

}  // namespace awele
