#include "awele/plan/plan.hpp"

#include <algorithm>
#include <cmath>

#include "../solver/exit_mail.hpp"
#include "../solver/exit_walk.hpp"
#include "awele/comm/exchange.hpp"
#include "awele/game/sowing.hpp"
#include "awele/index/half_index.hpp"
#include "awele/index/slice_index.hpp"
#include "awele/plan/calibration.hpp"

namespace awele {

PlanSeconds& PlanSeconds::operator+=(const PlanSeconds& other) {
  exits += other.exits;
  moves += other.moves;
  thresholds += other.thresholds;
  imbalance += other.imbalance;
  records += other.records;
  latency += other.latency;
  network += other.network;
  finish += other.finish;
  disk_in += other.disk_in;
  disk_out += other.disk_out;
  return *this;
}

namespace {

/// Halves of `seeds` seeds whose pit k holds v; of these, those with a hole.
std::uint64_t halves_with(int seeds, int v) { return v > seeds ? 0 : binomial(seeds - v + 4, 4); }
std::uint64_t holes_with(int seeds, int v) {
  return halves_with(seeds, v) - (v > 0 && v < seeds ? binomial(seeds - v - 1, 4) : 0);
}

/// Waiting halves of `seeds` seeds with a hole of which pattern p captures nothing.
std::uint64_t quiet_halves(int seeds, const Pattern& p) {
  std::uint64_t quiet = hole_count(seeds);
  if (p.j == 0) return quiet;
  for (int after : {2, 3})
    if (const int before = after - p.q - 1; before >= 0) quiet -= holes_with(seeds, before);
  return quiet;
}

double size(int n) { return static_cast<double>(slice_size(n)); }

/// A quantity that grows evenly with the logarithm of the number of seeds.
double by_logarithm(const calibration::Law& law, int n) {
  return std::max(0.0, law.at_24 + law.slope * std::log(std::max(n, 1) / 24.0));
}

/// Of a slice with values in -width..width.
double rounds_of(int n, int width) {
  using namespace calibration;
  const double all = std::max(0.0, kRounds.at_24 + (n - 24) * (kRounds.slope + (n - 24) * kRounds.bend));
  return n == 0 ? 0 : all * (1 - std::pow(1 - static_cast<double>(width) / n, kFewerRounds));
}

/// Time by which an inner move becomes dearer while slices outgrow the caches.
double move_nanoseconds(int n) {
  using namespace calibration;
  return kMoveNs * std::clamp(1 + kMoveNsGrowth * (std::min(n, kMoveNsLast) - 24), 0.3, 2.0);
}

/// Larger slices are read several times, as a batch of positions needs rows from all over them.
double verify_nanoseconds(int n) {
  using namespace calibration;
  const double far = std::clamp((n - kVerifyNear) / static_cast<double>(kVerifyFar - kVerifyNear), 0.0, 1.0);
  return kVerifyNs + (kVerifyFarNs - kVerifyNs) * far;
}

/// All positions of the slices n-2 .. n-15, which slice n reads.
double values_read(int n) {
  double values = 0;
  for (int k = 2; k <= 15 && k <= n; ++k) values += size(n - k);
  return values;
}

double disk_bytes_of(int n, Scope scope) {
  using namespace calibration;
  const double left = scope.clamps(n) ? 1 - kClampedLess * std::exp(-kClampedLessSlope * scope.width(n)) : 1;
  return size(n) * by_logarithm(kDiskBytes, n) * left + kFileOverhead;
}

double disk_bytes_read(int n, Scope scope) {
  double bytes = 0;
  for (int k = 2; k <= 15 && k <= n; ++k) bytes += disk_bytes_of(n - k, scope);
  return bytes;
}

/// Microseconds of an exchange without content, and of a reduction.
struct Latency {
  double exchange = 0, reduction = 0;
  double messages = 0;  ///< that a rank sends in an exchange
};

Latency latency_of(const SolveOptions& options, const Machine& machine) {
  using namespace calibration;
  Latency latency;
  if (machine.ranks == 1) return latency;
  const int grid = exchange_grid(options, machine.ranks, std::min(machine.ranks, machine.ranks_per_node));
  const bool hops = grid > 0 && grid < machine.ranks;
  const int across = hops ? (machine.ranks + grid - 1) / grid : 0;
  latency.messages = hops ? grid - 1 + across - 1 : machine.ranks - 1;
  const double far = machine.nodes() > 1 ? kNetworkLatencyUs : 0;
  latency.exchange = kExchangeUs + latency.messages * kMessageUs + far;
  const double levels = std::ceil(std::log2(machine.ranks)),
               far_levels = std::ceil(std::log2(machine.nodes()));
  latency.reduction = kReductionUs * levels + 2 * kNetworkLatencyUs * far_levels;
  return latency;
}

/// Bytes for one rank in an exchange.
double slot_of(const SolveOptions& options, const Machine& machine) {
  const auto bytes = resolved(options, machine.ranks).exchange_bytes;
  return static_cast<double>(
      std::max<std::uint64_t>(bytes / static_cast<std::uint64_t>(machine.ranks), Exchange::kSmallestSlot));
}

/// One for each batch of values that a rank reads, and then as many as the longest row of exits takes through
/// the slot of its rank: captures from boards whose mover has hardly any seeds. Against a simulation:
/// tests/exits_test.cpp.
double exit_exchanges_of(int n, const SolveOptions& options, const Machine& machine) {
  if (machine.ranks == 1) return 0;
  const double room = slot_of(options, machine) - sizeof(ExitRecord);
  double exchanges = 0;
  for (int k = 2; k <= most_captured(n); ++k) {
    std::uint64_t longest = 0;
    for (int j = 1; j <= std::min(n, kHalfPits); ++j)
      longest = std::max(longest, edge_count({n - j, {0, j}, k}));
    const double batches = size(n - k) / machine.ranks / static_cast<double>(ExitWalk::kBatchValues);
    exchanges += std::max(1.0, std::ceil(batches)) + std::floor(static_cast<double>(longest) / room);
  }
  return exchanges;
}

/// Batches in which the ranks work off one expansion after another.
double exchanges_of(const SlicePlan& slice, const SolveOptions& options, const Machine& machine) {
  if (machine.ranks == 1) return 0;
  const double a_round = calibration::kExchangesARound * slice.rounds;
  // Full slots: what a rank sends, in portions of what a rank receives at most.
  const double full =
      slice.bytes / machine.ranks / static_cast<double>(resolved(options, machine.ranks).exchange_bytes);
  return a_round + full + slice.exit_exchanges;
}

void add_time(SlicePlan& slice, const SolveOptions& options, const Machine& machine) {
  using namespace calibration;
  const int n = slice.seeds;
  const double ranks = machine.ranks, nodes = machine.nodes(), ns = 1e-9 / ranks;
  const double positions = size(n);
  PlanSeconds& s = slice.seconds;
  s.exits = ns * (positions * kStateNs + slice.values_read * kInflateNs +
                  (all_moves(n) - slice.moves) * kCaptureNs);
  s.moves = ns * slice.predecessors * move_nanoseconds(n);
  s.thresholds = ns * positions * options.scope.width(n) / 8 * std::min(1.0, kThresholdShare * n) * kWordNs;
  // Measured: the mean over the busiest rank is 1 / (1 + ranks x rounds / state rows), at 20 and 24 seeds.
  const double rows = static_cast<double>(binomial(n + 6, 6));
  s.imbalance = ranks > 1 ? (s.moves + s.thresholds) * std::min(ranks - 1, ranks * slice.rounds / rows) : 0;
  s.records = ns * slice.bytes * kByteNs;
  const Latency latency = latency_of(options, machine);
  const double exchanges = exchanges_of(slice, options, machine);
  slice.messages = exchanges * latency.messages;
  s.latency = 1e-6 * exchanges * (latency.exchange + kReductionsAnExchange * latency.reduction);
  const double between = nodes > 1 ? slice.bytes * (1 - 1 / nodes) / (1 - 1 / ranks) : 0;
  s.network = between / nodes / (machine.network * 1e9);
  s.finish = ns * positions * (kTranspositionNs + kCompressNs);
  // Smaller slices come from the page cache when the nodes have the memory for it.
  const double need = disk_bytes_read(n, options.scope);
  const double has =
      nodes * static_cast<double>(machine.memory_per_node) - ranks * static_cast<double>(slice.memory.all());
  s.disk_in = need > has ? need / (machine.disk * 1e9) : 0;
  // One rank writes, and receives from all others.
  const double rate = std::min({machine.disk, nodes > 1 ? machine.network : machine.disk, 1 / kWriteNs});
  s.disk_out = slice.disk_bytes / (rate * 1e9) + kFileSeconds;
}

/// Checkpoints are written by all nodes at once. The solver is asked between rounds, and takes its time with
/// a margin (RunControl::limit_reached).
void add_interruption(SlicePlan& slice, const SolveOptions& options, const Machine& machine) {
  using namespace calibration;
  const auto positions = static_cast<double>(slice.positions);
  slice.checkpoint_bytes =
      positions * (one_byte_a_position(slice.seeds, options) ? kCheckpointBytes : kCheckpointBytesApart);
  slice.checkpoint_seconds = 1e-9 * positions * kCheckpointNs / machine.ranks +
                             slice.checkpoint_bytes / (machine.disk * 1e9) + kFileSeconds;
  const double rounds =
      slice.seconds.moves + slice.seconds.imbalance + slice.seconds.records + slice.seconds.network;
  slice.warning_seconds = 15 + 1.5 * (slice.checkpoint_seconds + kLongestRound * rounds);
}

}  // namespace

double all_moves(int n) {
  double moves = 0;
  for (int m = 1; m <= n; ++m)
    moves += static_cast<double>(kHalfPits * half_count(m - 1)) * static_cast<double>(hole_count(n - m));
  return moves;
}

double inner_moves(int n) {
  double moves = 0;
  for (int m = 1; m <= n; ++m)
    for (int i = 0; i < kHalfPits; ++i)
      for (int s = 1; s <= m; ++s)
        moves +=
            static_cast<double>(halves_with(m, s)) * static_cast<double>(quiet_halves(n - m, pattern(i, s)));
  return moves;
}

SlicePlan plan_slice(int n, const SolveOptions& options, const Machine& machine) {
  using namespace calibration;
  SlicePlan slice;
  slice.seeds = n;
  slice.positions = slice_size(n);
  const int on_node = std::min(machine.ranks, machine.ranks_per_node);
  for (int rank = 0; rank < on_node; ++rank) {
    // Rows are dealt in turn, so no rank has more than rank 0, and no node more than the first.
    const MemoryNeed need = solve_memory(n, options, rank, machine.ranks, on_node);
    slice.memory_node += need.all();
    if (rank == 0) slice.memory = need;
  }
  slice.moves = inner_moves(n);
  slice.predecessors = slice.moves * by_logarithm(kTakenBack, n);
  slice.rounds = rounds_of(n, options.scope.width(n));
  slice.values_read = values_read(n);
  slice.disk_bytes = disk_bytes_of(n, options.scope);
  const double elsewhere = 1 - 1.0 / machine.ranks;
  slice.bytes = elsewhere * (slice.predecessors * kBytesAMove + size(n) * (kBytesAPosition + 1) +
                             (all_moves(n) - slice.moves) * kBytesACapture);
  slice.exit_exchanges = exit_exchanges_of(n, options, machine);
  add_time(slice, options, machine);
  slice.verify_seconds = 1e-9 * size(n) * verify_nanoseconds(n) / machine.ranks;
  add_interruption(slice, options, machine);
  return slice;
}

Plan plan_solve(const SolveOptions& options, const Machine& machine) {
  Plan plan;
  plan.machine = machine;
  for (int n : slices_to_solve(options.seeds)) {
    const SlicePlan slice = plan_slice(n, options, machine);
    if (slice.memory.all() > plan.memory.all()) plan.memory = slice.memory;
    plan.memory_node = std::max(plan.memory_node, slice.memory_node);
    plan.messages += slice.messages;
    plan.bytes += slice.bytes;
    plan.disk_bytes += slice.disk_bytes;
    plan.seconds += slice.seconds;
    plan.verify_seconds += slice.verify_seconds;
    plan.warning_seconds = std::max(plan.warning_seconds, slice.warning_seconds);
    plan.slices.push_back(slice);
  }
  return plan;
}

namespace {

bool fits(const SolveOptions& options, Machine machine, int nodes) {
  machine.ranks = nodes * machine.ranks_per_node;
  return plan_slice(options.seeds, options, machine).memory_node <= machine.memory_per_node;
}

}  // namespace

std::optional<int> fewest_nodes(const SolveOptions& options, Machine machine) {
  constexpr int kMost = 1 << 16;
  int enough = 1;
  while (!fits(options, machine, enough))
    if ((enough *= 2) > kMost) return std::nullopt;
  int too_few = enough / 2;
  while (enough - too_few > 1) {
    const int middle = (enough + too_few) / 2;
    (fits(options, machine, middle) ? enough : too_few) = middle;
  }
  return enough;
}

int most_useful_ranks(const SolveOptions& options, Machine machine) {
  constexpr int kMost = 1 << 20;
  machine.ranks = machine.ranks_per_node;
  double seconds = plan_solve(options, machine).seconds.all();
  while (machine.ranks < kMost) {
    machine.ranks *= 2;
    const double more = plan_solve(options, machine).seconds.all();
    if (more > 0.9 * seconds) return machine.ranks / 2;
    seconds = more;
  }
  return machine.ranks;
}

}  // namespace awele
