// Capture exits: what a position can win from the smaller slices.
//
// Each smaller slice n-k (k = 2..15) is read once, in file order, each rank a contiguous range of whole rows.
// For a row X and each way back (pit i, s seeds) to a mover half A, the captures of k seeds by pattern (q, j)
// lead from fixed columns B of state row A to fixed places of row X: these (place, column) pairs depend on n
// - M(A), (q, j) and k alone. So exits are row against row: best[A][column] = max(best, k - value[X][place]).
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/comm/exchange.hpp"
#include "slice_source.hpp"
#include "slice_state.hpp"

namespace awele {

/// The captures of exactly k seeds by one pattern from waiting halves with a given number of seeds.
struct CaptureEdges {
  std::vector<std::uint32_t> place;   ///< rank of the next mover's half in its row
  std::vector<std::uint32_t> column;  ///< hole rank of the waiting half before the move, ascending
};

/// Edges by seeds of the waiting half, number captured and q, made when first asked for and kept within a
/// bound of bytes; the oldest go first. All edges for one k fit up to some 35 seeds; beyond, a table serves
/// the rows of a batch.
class CaptureTables {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;  ///< one table may be larger
  static constexpr int kMostCaptured = 15;  ///< five pits of three; a capture of all six starves
  /// Valid until the next call. Preconditions: 1 <= p.j, 2 <= k <= kMostCaptured.
  const CaptureEdges& edges(int waiting_seeds, const Pattern& p, int k);

 private:
  struct Table {
    int waiting_seeds, q, k;
    std::array<CaptureEdges, kHalfPits + 1> edges;  // by j
    std::uint64_t bytes = 0;
  };
  static Table make(int waiting_seeds, int q, int k);
  void drop_oldest();

  std::uint64_t bytes_ = 0;
  std::list<Table> tables_;  // newest first
  std::array<std::array<std::array<Table*, kMostCaptured + 1>, 3>, kMaxSeeds + 1> index_{};
};

/// Most seeds that a move into slice n's smaller slices captures.
inline int most_captured(int n) { return std::min(n, CaptureTables::kMostCaptured); }

/// Merges the exits of slice n - captured (captured = 2 .. most_captured(n)) into `state`; adds the time
/// spent on reading and inflating it to `read_seconds`. Collective. Throws awele::Error when the slice is
/// missing or damaged; its CRC-32 is compared before anything uses the state. Returns that CRC-32.
std::uint32_t read_exits(SliceState& state, int captured, SliceSource& source, const Communicator& ranks,
                         Exchange& exchange, CaptureTables& tables, double& read_seconds);

}  // namespace awele
