#include "search_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "awele/plan/plan.hpp"
#include "awele/support/memory.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace awele::cli {

void add_search_tuning(CLI::App& command, AnalysisLimits& limits) {
  command
      .add_option("--table", limits.table_bytes,
                  "Memory for the transposition tables, all ranks together (default 64MiB)")
      ->transform(bytes(0))
      ->type_name("BYTES");
  command
      .add_option(
          "--graph", limits.graph_positions,
          fmt::format("Positions that the graph for proofs may hold; up to {} bytes each (default {})",
                      ProofGraph::kBytesAPosition, limits.graph_positions))
      ->type_name("K")
      ->transform(whole(0, (std::uint64_t{1} << 31) - 1));
}

std::string graph_is_full(const AnalysisReport& report, const AnalysisLimits& limits) {
  return fmt::format(
      "the graph for proofs is full with {} positions; --graph {} lets it grow on (up to {} bytes a "
      "position)",
      report.graph_positions, 4 * limits.graph_positions, ProofGraph::kBytesAPosition);
}

std::optional<SolveHint> hint_to_solve(const Prober& prober, const Board& board, RuleSet rules, int ranks) {
  const int n = seeds(board);
  SolveOptions options;
  options.seeds = n;
  options.rules = rules;
  options.scope = prober.scope();
  if (!options.scope.admits(n, rules)) return std::nullopt;
  Machine machine;
  machine.ranks = machine.ranks_per_node = ranks;
  machine.memory_per_node = node_memory().bytes;
  SolveHint hint;
  for (int k : slices_to_solve(n)) {
    if (prober.has_slice(k)) continue;
    const SlicePlan slice = plan_slice(k, options, machine);
    if (slice.memory_node > machine.memory_per_node) return std::nullopt;
    hint.seconds += slice.seconds.all();
  }
  if (hint.seconds == 0) return std::nullopt;
  hint.sentence = fmt::format(
      "solving the missing slices takes about {}{} and settles this and every other board of up to {} seeds: "
      "{}awele solve --seeds {}{}{} --db {}",
      format_seconds(hint.seconds), ranks > 1 ? fmt::format(" on {} ranks", ranks) : "", n,
      ranks > 1 ? fmt::format("mpirun -n {} ", ranks) : "", n,
      rules == RuleSet::awari ? "" : fmt::format(" --rules {}", name(rules)), solve_options(options.scope),
      prober.dir().string());
  return hint;
}

}  // namespace awele::cli
