// The end of a slice: from state rows (by mover half) to file order (by waiting half), compressed, written.
//
// The file is cut into pieces of whole chunks, dealt to the ranks in turn. Every rank sends what it owns of a
// piece to the piece's rank, which puts it in order, takes its CRC and histogram and deflates it; rank 0
// writes the streams.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/comm/exchange.hpp"
#include "awele/game/scope.hpp"
#include "awele/solver/control.hpp"
#include "slice_state.hpp"

namespace awele {

struct FinishedSlice {
  std::uint32_t crc = 0;
  std::vector<std::uint64_t> histogram;  ///< as in SliceInfo
  std::uint64_t file_bytes = 0;
};

/// Seconds of the parts of finish_slice on this rank.
struct FinishTimes {
  double transposition = 0, compress = 0, write = 0, distances = 0;
};

/// Bytes held on a rank besides the state.
std::uint64_t finish_memory(int n, int ranks, bool with_distances);

/// Called on all ranks after pieces were written, with the share of all that is. May throw on all ranks: the
/// file is given up.
using PiecesWritten = std::function<void(double share)>;

/// Collective. Writes DIR/slice_NN.h5, with what SliceInfo::exit_crcs is to be; the result is the same on all
/// ranks.
FinishedSlice finish_slice(const SliceState& state, Scope scope, const std::filesystem::path& dir,
                           const Communicator& ranks, Exchange& exchange, SolveControl& control,
                           const std::vector<std::uint32_t>& exit_crcs, const PiecesWritten& pieces_written,
                           FinishTimes& times);

}  // namespace awele
