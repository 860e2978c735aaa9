// Solving slices 0..N on any number of ranks, each written as DIR/slice_NN.h5.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/game/board.hpp"
#include "awele/game/scope.hpp"
#include "awele/solver/control.hpp"
#include "awele/support/error.hpp"

namespace awele {

struct SolveOptions {
  int seeds = 12;  ///< N, 0..48
  std::filesystem::path dir;
  RuleSet rules = RuleSet::awari;
  /// Exact values, or outcomes only: clamped to what decides games of so many seeds.
  Scope scope;
  /// Also store for each position the plies to the next capture or the end (awele/store/distances.hpp).
  /// Rounds are then strict: more of them, and two more bytes per position.
  bool distances = false;
  /// Bytes that a rank can receive in one exchange; 0: eight for each position of a batch.
  std::uint64_t exchange_bytes = 0;
  /// Width of the grid of the two-hop exchange; 0: decided by the number of ranks; as many as ranks: one hop.
  int ranks_per_node = 0;
  /// Positions that a rank expands at a time; 0: chosen by the size of its share. Large batches un-sow each
  /// frontier row less often.
  std::uint64_t batch = 0;
  /// Keep open moves apart from the rest of a position's state, in 1.5 bytes, also where one byte holds both.
  bool counts_apart = false;

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

/// Where a slice stands after a round.
struct RoundStatus {
  int threshold = 0;          ///< of W..1, the largest value of the slice first
  std::uint64_t rounds = 0;   ///< so far
  std::uint64_t settled = 0;  ///< positions, on all ranks
  double seconds_left = 0;    ///< to the end of the slice, as far as can be told
};

/// A checkpoint that was written, used, found bad or failed.
struct CheckpointReport {
  int seeds = 0;
  std::filesystem::path path;
  std::string reason;       ///< why it is bad, or could not be written
  std::uint64_t bytes = 0;  ///< when written
  double seconds = 0;
};

/// Told of what goes on, on every rank; only rank 0's should print.
class SolveObserver {
 public:
  virtual ~SolveObserver() = default;
  virtual void slice_found(const SliceReport&) {}
  virtual void slice_begins(int /*seeds*/, std::uint64_t /*positions*/) {}
  virtual void round_done(const RoundStatus&) {}
  virtual void phase_begins(const char* /*name*/) {}
  virtual void slice_done(const SliceReport&) {}
  virtual void checkpoint_begins(int /*seeds*/) {}
  virtual void checkpoint_done(const CheckpointReport&) {}
  virtual void checkpoint_failed(const CheckpointReport&) {}  ///< the run goes on without it
  virtual void checkpoint_bad(const CheckpointReport&) {
  }  ///< an older one, or the slice's beginning, is used
  virtual void resumed(const CheckpointReport&) {}
  /// Anything else that the user should know.
  virtual void note(const std::string& /*sentence*/) {}
};

/// The options with everything that was left to the program filled in, for `ranks` ranks.
SolveOptions resolved(SolveOptions options, int ranks);

/// The slices a solve for N seeds makes: 0..N, without 47 when N is 48.
std::vector<int> slices_to_solve(int seeds);

/// Width of the grid in which messages of `ranks` ranks take two hops; 0: they go straight to their ranks.
/// `on_node`: most ranks of one node.
int exchange_grid(const SolveOptions& options, int ranks, int on_node);

/// True when one byte holds all there is to know of a position of slice n while it is solved; else it takes
/// one and a half.
bool one_byte_a_position(int n, const SolveOptions& options);

/// Bytes that the state of slice n takes on `rank` of `ranks`.
std::uint64_t state_memory(int n, const SolveOptions& options, int rank, int ranks);

/// Bytes of memory that `rank` of `ranks` needs for slice n: the state, and everything else.
struct MemoryNeed {
  std::uint64_t state = 0;    ///< of the rank's positions
  std::uint64_t batches = 0;  ///< what batches larger than the smallest take: a share of the positions
  std::uint64_t fixed = 0;    ///< besides, at any number of positions
  std::uint64_t all() const { return state + batches + fixed; }
};
MemoryNeed solve_memory(int n, const SolveOptions& options, int rank, int ranks, int on_node);

/// Thrown on all ranks at once when a run was asked to stop and has saved what it had: nobody waits, so MPI
/// is left in good order.
class Stopped : public Error {
 public:
  explicit Stopped(const std::string& what) : Error(ExitCode::stopped, what) {}
};

/// Collective. Skips the slices already there after checking their structure and digests, not their values;
/// goes on from the newest valid checkpoint of a slice that is not. Throws awele::Error; Stopped when
/// `control` wished so. Temporary files that other runs left in the directory are removed: no other run may
/// be at work there.
std::vector<SliceReport> solve(SolveOptions options, const Communicator& ranks, SolveObserver& observer,
                               SolveControl& control);

/// Collective. Solves slice n from the smaller ones in options.dir, which must be there, into a directory
/// inside it that is removed again: whatever options.dir holds stays as it is.
SliceReport solve_afresh(SolveOptions options, int n, const Communicator& ranks, SolveObserver& observer);

}  // namespace awele
