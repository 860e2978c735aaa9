// The way of a rank through one smaller slice: which rows it reads, in which batches, and which state rows
// can capture into each of them.
#pragma once

#include <cstdint>
#include <vector>

#include "awele/index/partition.hpp"
#include "capture_tables.hpp"
#include "packed_half.hpp"

namespace awele {

class ExitWalk {
 public:
  /// Values of a batch, but for the last row.
  static constexpr std::uint64_t kBatchValues = std::uint64_t{4} << 20;

  struct Row {
    Half x;
    int seeds;
    std::uint64_t start;  ///< place in the slice
  };
  struct Target {
    std::uint64_t row;  ///< number of a state row
    CaptureKind kind;
  };

  /// Over the rank's share of slice n - captured: whole rows that lie side by side.
  ExitWalk(int n, int captured, int rank, int ranks);

  int slice() const { return slice_; }
  bool more() const { return more_; }
  /// The next batch in rows(); empty at the end.
  void next_batch();
  /// By number of seeds: rows with as many use the same edges, which are then in the cache.
  const std::vector<Row>& rows() const { return rows_; }
  /// The batch lies in the places first() .. last() - 1 of the slice.
  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return start_; }

  /// The state rows, numbered as by `rows`, that can capture into `row`.
  void find_targets(const Row& row, const Dealing& rows, std::vector<Target>& targets) const;

 private:
  void step();

  const int n_, captured_, slice_;
  Half x_{};  // the next row
  std::uint64_t start_ = 0, end_ = 0, first_ = 0;
  bool more_ = false;
  std::vector<Row> rows_;
};

}  // namespace awele
