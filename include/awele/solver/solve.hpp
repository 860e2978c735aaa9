// Solving slices 0..N on any number of ranks, each written as DIR/slice_NN.h5.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/game/board.hpp"

namespace awele {

struct SolveOptions {
  int seeds = 12;  ///< N, 0..48
  std::filesystem::path dir;
  RuleSet rules = RuleSet::awari;
  /// Bytes that a rank can receive in one exchange; 0: eight for each position of a batch.
  std::uint64_t exchange_bytes = 0;
  /// Width of the grid of the two-hop exchange; 0: decided by the number of ranks; as many as ranks: one hop.
  int ranks_per_node = 0;
  /// Positions that a rank expands at a time; 0: chosen by the size of its share. Large batches un-sow each
  /// frontier row less often.
  std::uint64_t batch = 0;

  template <typename Archive>
  void serialize(Archive& archive, unsigned version);
};

/// Seconds of a slice by phase, the mean over the ranks.
struct PhaseSeconds {
  double read = 0, exits = 0, rounds = 0, transposition = 0, compress = 0, write = 0;
};

/// What ranks handed to one another in one phase, sums over the ranks.
struct Traffic {
  std::uint64_t bytes = 0, messages = 0;
  std::uint64_t exchanges = 0;  ///< that each rank took part in
};

/// What is known of a slice once it is there.
struct SliceReport {
  int seeds = 0;
  std::uint64_t positions = 0, won = 0, drawn = 0, lost = 0;
  std::uint32_t crc = 0;
  std::uint64_t file_bytes = 0;
  bool found = false;  ///< was there before; nothing below is known then
  std::uint64_t rounds = 0;
  double seconds = 0;
  PhaseSeconds phase;
  std::uint64_t predecessors = 0, candidates = 0, exchanged_bytes = 0;  ///< sums over the ranks
  std::uint64_t messages = 0, exchanges = 0, words_touched = 0, settled = 0;
  Traffic exit_traffic, round_traffic, value_traffic;  ///< the parts of exchanged_bytes, messages, exchanges
};

/// Told of what goes on, on every rank; only rank 0's should print.
class SolveObserver {
 public:
  virtual ~SolveObserver() = default;
  virtual void slice_found(const SliceReport&) {}
  virtual void slice_begins(int /*seeds*/, std::uint64_t /*positions*/) {}
  /// After a round: `settled` positions on all ranks, at threshold t of seeds..1.
  virtual void round_done(int /*threshold*/, std::uint64_t /*settled*/) {}
  virtual void phase_begins(const char* /*name*/) {}
  virtual void slice_done(const SliceReport&) {}
};

/// The options with everything that was left to the program filled in, for `ranks` ranks.
SolveOptions resolved(SolveOptions options, int ranks);

/// The slices a solve for N seeds makes: 0..N, without 47 when N is 48.
std::vector<int> slices_to_solve(int seeds);

/// Width of the grid in which messages of `ranks` ranks take two hops; 0: they go straight to their ranks.
/// `on_node`: most ranks of one node.
int exchange_grid(const SolveOptions& options, int ranks, int on_node);

/// Bytes that the state of slice n takes on `rank` of `ranks`.
std::uint64_t state_memory(int n, int rank, int ranks);

/// Bytes of memory that `rank` of `ranks` needs for slice n: the state, and everything else.
struct MemoryNeed {
  std::uint64_t state = 0;    ///< of the rank's positions
  std::uint64_t batches = 0;  ///< what batches larger than the smallest take: a share of the positions
  std::uint64_t fixed = 0;    ///< besides, at any number of positions
  std::uint64_t all() const { return state + batches + fixed; }
};
MemoryNeed solve_memory(int n, const SolveOptions& options, int rank, int ranks, int on_node);

/// Collective. Skips the slices already there after checking their structure. Throws awele::Error.
std::vector<SliceReport> solve(SolveOptions options, const Communicator& ranks, SolveObserver& observer);

/// Collective. Solves slice n from the smaller ones in options.dir, which must be there, into a directory
/// inside it that is removed again: whatever options.dir holds stays as it is.
SliceReport solve_afresh(SolveOptions options, int n, const Communicator& ranks, SolveObserver& observer);

}  // namespace awele
