// What a solve will take, from the formulas the solver itself uses (memory) and from counts and times
// measured on small slices (everything else). Starts no MPI, reads no files.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "awele/solver/solve.hpp"

namespace awele {

/// Where a solve runs. A GB is 10^9 bytes.
struct Machine {
  int ranks = 1;
  int ranks_per_node = 1;
  std::uint64_t memory_per_node = 0;  ///< bytes
  double network = 12.5;              ///< GB a second, in and out of a node each
  double disk = 1;                    ///< GB a second, of the file system

  int nodes() const { return (ranks + ranks_per_node - 1) / ranks_per_node; }
};

/// Seconds by what they are spent on, on the busiest rank; they do not overlap.
struct PlanSeconds {
  double exits = 0;       ///< the state filled, smaller slices inflated, captures applied
  double moves = 0;       ///< inner moves taken back: positions x moves a position
  double thresholds = 0;  ///< search for the positions that a threshold settles by itself
  double imbalance = 0;   ///< what the busiest rank has more to do than the mean, in a round
  double records = 0;     ///< packing and unpacking what goes to other ranks
  double latency = 0;     ///< rounds x exchanges and reductions per round
  double network = 0;     ///< bytes between nodes
  double finish = 0;      ///< transposition, compression
  double disk_in = 0, disk_out = 0;

  double all() const {
    return exits + moves + thresholds + imbalance + records + latency + network + finish + disk_in + disk_out;
  }
  PlanSeconds& operator+=(const PlanSeconds& other);
};

struct SlicePlan {
  int seeds = 0;
  std::uint64_t positions = 0;
  MemoryNeed memory;              ///< of the rank that needs most
  std::uint64_t memory_node = 0;  ///< of the node that needs most
  double moves = 0;               ///< inner moves of the slice, taken back or not
  double predecessors = 0;        ///< inner moves taken back
  double rounds = 0;              ///< in which something is settled
  double exit_exchanges = 0;      ///< in which captures are handed over
  double messages = 0;            ///< of a rank
  double bytes = 0;               ///< handed to other ranks, all ranks
  double disk_bytes = 0;          ///< of the file
  double values_read = 0;         ///< of smaller slices
  double checkpoint_bytes = 0;    ///< of one checkpoint; two may lie side by side for a while
  double checkpoint_seconds = 0;
  double verify_seconds = 0;   ///< awele verify, afterwards
  double warning_seconds = 0;  ///< before its end a run must know of it, to stop with a checkpoint
  PlanSeconds seconds;
};

struct Plan {
  Machine machine;
  std::vector<SlicePlan> slices;
  MemoryNeed memory;              ///< of the rank that needs most, over the slices
  std::uint64_t memory_node = 0;  ///< likewise of a node
  double messages = 0, bytes = 0, disk_bytes = 0;
  double verify_seconds = 0;
  double warning_seconds = 0;  ///< the longest of the slices
  PlanSeconds seconds;

  bool fits() const { return memory_node <= machine.memory_per_node; }
};

/// Of slice n alone.
SlicePlan plan_slice(int n, const SolveOptions& options, const Machine& machine);
/// Of all slices up to options.seeds.
Plan plan_solve(const SolveOptions& options, const Machine& machine);

/// The fewest nodes, each with machine.ranks_per_node ranks, that have the memory; none if 2^16 do not.
std::optional<int> fewest_nodes(const SolveOptions& options, Machine machine);
/// The number of ranks from which twice as many save less than a tenth of the time: a power of two times the
/// ranks of a node.
int most_useful_ranks(const SolveOptions& options, Machine machine);

/// Inner moves of all stored positions of slice n, counted exactly but for grand slams and moves that starve.
double inner_moves(int n);
/// Moves of all stored positions of slice n, whatever they do: the pits of the mover's half that hold seeds.
double all_moves(int n);

}  // namespace awele
