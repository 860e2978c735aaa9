// Capture exits: what a position can win from the smaller slices.
//
// Each smaller slice n-k (k = 2..15) is read once, in file order, each rank a contiguous range of whole rows.
// For a row X and each way back (pit i, s seeds) to a mover half A, the captures of k seeds by pattern (q, j)
// lead from fixed columns B of state row A to fixed places of row X: these (place, column) pairs depend on n
// - M(A), (q, j) and k alone. So exits are row against row: best[A][column] = max(best, k - value[X][place]).
#pragma once

#include <cstdint>

#include "awele/comm/communicator.hpp"
#include "awele/comm/exchange.hpp"
#include "capture_tables.hpp"
#include "slice_source.hpp"
#include "slice_state.hpp"

namespace awele {

/// What a rank reads and sends exits with.
struct ExitTools {
  SliceSource& source;
  const Communicator& ranks;
  Exchange& exchange;
  CaptureTables& tables;
  std::size_t most_waiting;  ///< bytes for other ranks that may wait for an exchange
};

/// So much may wait when the rounds come in batches of `batch` positions: less than their buffers take, which
/// are not there yet.
constexpr std::size_t exits_waiting(std::uint64_t batch) { return 32 * batch; }

/// Merges the exits of slice n - captured (captured = 2 .. most_captured(n)) into `state`; adds the time
/// spent on reading and inflating it to `read_seconds`. Collective. Throws awele::Error when the slice is
/// missing or damaged; its CRC-32 is compared before anything uses the state. Returns that CRC-32.
std::uint32_t read_exits(SliceState& state, int captured, const ExitTools& tools, double& read_seconds);

}  // namespace awele
