// awele plan: what a solve will take, before it is started.
#include "awele/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "awele/run/json.hpp"
#include "awele/support/error.hpp"
#include "awele/support/memory.hpp"
#include "chart.hpp"
#include "commands.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "table.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Estimates what awele solve --seeds N would take on such a machine: memory, from the
formulas that solve itself checks before it starts; disk, messages and time, from
counts and times measured on slices of up to 24 seeds and extrapolated (so the further
N is from there, the rougher). Solves nothing, and needs no mpirun.

  awele plan --seeds 32 --ranks 2
  awele plan --seeds 48 --ranks 1024 --ranks-per-node 64 --memory-per-node 512GB

Columns: memory of the rank that needs most, rounds, bytes sent to other ranks,
messages per rank, bytes on disk, seconds. The seconds are split by what they are
spent on, on the busiest rank: exits (filling the state, inflating smaller slices,
applying captures), moves (positions x inner moves per position, taken back),
thresholds (searching for what each settles by itself), imbalance (what the busiest
rank has to do beyond the mean), records (packing and unpacking for other ranks),
latency (exchanges of rounds and of exits, reductions), network (bytes between
nodes), finish (transposing, compressing), disk in, disk out. All slices from 0 on
are counted; those that exist already take no time.

Formats: table; json, one object: memory in bytes, times in seconds; svg, a picture
of the time by slice and by what it is spent on.

  awele plan --seeds 48 --ranks 1024 --ranks-per-node 64 --format svg > plan.svg)";

struct Options {
  int ranks_per_node = 0;
  std::string rules{name(RuleSet::awari)}, format;
  Machine machine;
  OutcomeOptions outcome;
  SolveOptions solve;
};

constexpr double kMiB = 1 << 20;
double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / kMiB; }
/// Of the whole game's solve, an example that many have.
constexpr int kClusterNodes = 16, kClusterCores = 64;

struct Term {
  const char* name;
  double PlanSeconds::*seconds;
  const char* colour;  ///< in pictures (Paul Tol's muted scheme)
};
constexpr Term kTerms[] = {
    {"exits", &PlanSeconds::exits, "#332288"},           {"moves", &PlanSeconds::moves, "#88ccee"},
    {"thresholds", &PlanSeconds::thresholds, "#44aa99"}, {"imbalance", &PlanSeconds::imbalance, "#117733"},
    {"records", &PlanSeconds::records, "#999933"},       {"latency", &PlanSeconds::latency, "#ddcc77"},
    {"network", &PlanSeconds::network, "#cc6677"},       {"finish", &PlanSeconds::finish, "#882255"},
    {"disk in", &PlanSeconds::disk_in, "#aa4499"},       {"disk out", &PlanSeconds::disk_out, "#777777"}};

nlohmann::ordered_json to_json(const PlanSeconds& seconds) {
  nlohmann::ordered_json json;
  for (const Term& term : kTerms) {
    std::string key = term.name;
    for (char& c : key)
      if (c == ' ') c = '_';
    json[key] = seconds.*term.seconds;
  }
  json["all"] = seconds.all();
  return json;
}

nlohmann::ordered_json to_json(const SlicePlan& slice) {
  nlohmann::ordered_json json;
  json["seeds"] = slice.seeds;
  json["positions"] = slice.positions;
  json["memory_rank"] = slice.memory.all();
  json["memory_fixed"] = slice.memory.fixed;
  json["memory_node"] = slice.memory_node;
  json["rounds"] = slice.rounds;
  json["moves"] = slice.moves;
  json["predecessors"] = slice.predecessors;
  json["bytes"] = slice.bytes;
  json["exit_exchanges"] = slice.exit_exchanges;
  json["messages_rank"] = slice.messages;
  json["disk_bytes"] = slice.disk_bytes;
  json["checkpoint_bytes"] = slice.checkpoint_bytes;
  json["checkpoint_seconds"] = slice.checkpoint_seconds;
  json["verify_seconds"] = slice.verify_seconds;
  json["seconds"] = to_json(slice.seconds);
  return json;
}

nlohmann::ordered_json to_json(const Plan& plan) {
  nlohmann::ordered_json json;
  json["seeds"] = plan.slices.back().seeds;
  json["ranks"] = plan.machine.ranks;
  json["nodes"] = plan.machine.nodes();
  json["memory_per_node"] = plan.machine.memory_per_node;
  json["network"] = plan.machine.network;
  json["disk"] = plan.machine.disk;
  json["memory_rank"] = plan.memory.all();
  json["memory_fixed"] = plan.memory.fixed;
  json["memory_node"] = plan.memory_node;
  json["fits"] = plan.fits();
  json["bytes"] = plan.bytes;
  json["messages_rank"] = plan.messages;
  json["disk_bytes"] = plan.disk_bytes;
  json["checkpoint_bytes"] = plan.slices.back().checkpoint_bytes;
  json["verify_seconds"] = plan.verify_seconds;
  json["warning_seconds"] = static_cast<long>(std::ceil(plan.warning_seconds));
  json["seconds"] = to_json(plan.seconds);
  json["slices"] = nlohmann::ordered_json::array();
  for (const SlicePlan& slice : plan.slices) json["slices"].push_back(to_json(slice));
  return json;
}

void print_table(const Plan& plan) {
  Table table({{"seeds", 5},
               {"positions", 15, 3},
               {"MiB/rank", 10},
               {"rounds", 6, 5},
               {"GB sent", 9, 2},
               {"messages", 10, 4},
               {"GB disk", 9, 1},
               {"seconds", 10}});
  const auto row = [&](std::string seeds, std::string positions, std::uint64_t memory, std::string rounds,
                       const auto& sums, double seconds) {
    table.add({std::move(seeds), std::move(positions), fmt::format("{:.0f}", mib(memory)), std::move(rounds),
               fmt::format("{:.3f}", sums.bytes / 1e9), fmt::format("{:.0f}", sums.messages),
               fmt::format("{:.3f}", sums.disk_bytes / 1e9), fmt::format("{:.2f}", seconds)});
  };
  for (const SlicePlan& s : plan.slices)
    row(std::to_string(s.seeds), std::to_string(s.positions), s.memory.all(), fmt::format("{:.0f}", s.rounds),
        s, s.seconds.all());
  row("all", "", plan.memory.all(), "", plan, plan.seconds.all());
  table.print();
  put("\n");
}

void print_terms(const Plan& plan) {
  const PlanSeconds& largest = plan.slices.back().seconds;
  put("{:<12}  {:>12}  {:>12}\n", "seconds", "largest", "all slices");
  for (const Term& term : kTerms)
    put("{:<12}  {:>12.2f}  {:>12.2f}\n", term.name, largest.*term.seconds, plan.seconds.*term.seconds);
  put("{:<12}  {:>12.2f}  {:>12.2f}\n\n", "all", largest.all(), plan.seconds.all());
}

std::string ranks_and_nodes(const Machine& machine) {
  return fmt::format("{} rank{} on {} node{}", machine.ranks, machine.ranks == 1 ? "" : "s", machine.nodes(),
                     machine.nodes() == 1 ? "" : "s");
}

/// Time by slice, in a unit that gives numbers people can read.
Chart time_chart(const Plan& plan) {
  double most = 0;
  for (const SlicePlan& slice : plan.slices) most = std::max(most, slice.seconds.all());
  const auto [unit, seconds] = most >= 7200  ? std::pair("hours", 3600)
                               : most >= 120 ? std::pair("minutes", 60)
                                             : std::pair("seconds", 1);
  Chart chart{fmt::format("awele solve, {}: {} in all, as planned", ranks_and_nodes(plan.machine),
                          format_seconds(plan.seconds.all())),
              "seeds",
              unit,
              {},
              {}};
  for (const Term& term : kTerms) chart.series.push_back({term.name, term.colour});
  for (const SlicePlan& slice : plan.slices) {
    Chart::Column column{std::to_string(slice.seeds), {}};
    for (const Term& term : kTerms) column.parts.push_back(slice.seconds.*term.seconds / seconds);
    chart.columns.push_back(column);
  }
  return chart;
}

/// A sentence or two on what a machine with so many ranks would need.
std::string needs(const Plan& plan) {
  return fmt::format(
      "{}: {:.0f} MiB per rank ({:.0f} MiB of it fixed), {:.1f} GiB per node, {:.1f} GB of disk, {}",
      ranks_and_nodes(plan.machine), mib(plan.memory.all()), mib(plan.memory.fixed),
      mib(plan.memory_node) / 1024, plan.disk_bytes / 1e9, format_seconds(plan.seconds.all()));
}

Plan cluster_plan(const Options& options) {
  Machine cluster = options.machine;
  cluster.ranks = kClusterNodes * kClusterCores;
  cluster.ranks_per_node = kClusterCores;
  return plan_solve(options.solve, cluster);
}

int run(Options options) {
  options.solve.rules = *parse_rules(options.rules);
  options.solve.scope = scope_of(options.outcome, options.solve.seeds, options.solve.rules);
  Machine& machine = options.machine;
  machine.ranks_per_node = options.ranks_per_node ? options.ranks_per_node : machine.ranks;
  if (machine.memory_per_node == 0) machine.memory_per_node = node_memory().bytes;
  const Plan plan = plan_solve(options.solve, machine);
  if (options.format == "svg") {
    put_text(to_svg(time_chart(plan)));
    return static_cast<int>(ExitCode::ok);
  }
  const std::optional<int> nodes = fewest_nodes(options.solve, machine);
  const int useful = most_useful_ranks(options.solve, machine);
  const bool whole_game = options.solve.seeds == kMaxSeeds;
  if (options.format == "json") {
    nlohmann::ordered_json json = to_json(plan);
    json["fewest_nodes"] = nodes ? nlohmann::ordered_json(*nodes) : nlohmann::ordered_json();
    json["most_useful_ranks"] = useful;
    if (whole_game) {
      json["cluster"] = to_json(cluster_plan(options));
      json["cluster"].erase("slices");
    }
    put("{}\n", json_text(json));
    return static_cast<int>(ExitCode::ok);
  }
  print_table(plan);
  print_terms(plan);
  put("{}.\n", needs(plan));
  put("A node is taken to have {:.1f} GiB ({:.1f} GB): {}.\n", mib(machine.memory_per_node) / 1024,
      static_cast<double>(machine.memory_per_node) / 1e9,
      plan.fits() ? "that is enough" : "that is not enough");
  if (nodes)
    put("With {} rank{} per node, the fewest with enough memory: {} node{}.\n", machine.ranks_per_node,
        machine.ranks_per_node == 1 ? "" : "s", *nodes, *nodes == 1 ? "" : "s");
  else
    put("With {} ranks per node, no number of nodes has enough memory.\n", machine.ranks_per_node);
  const SlicePlan& largest = plan.slices.back();
  put("A checkpoint of the largest slice takes {} and up to {:.1f} GB of disk, twice that while the next is "
      "written.\nWarn a batch job {:.0f} s before its end: --signal=B:USR1@{:.0f}.\n",
      format_seconds(largest.checkpoint_seconds), largest.checkpoint_bytes / 1e9,
      std::ceil(plan.warning_seconds), std::ceil(plan.warning_seconds));
  put("Verifying all slices afterwards takes {} on these ranks.\n", format_seconds(plan.verify_seconds));
  put("Doubling beyond {} ranks saves under 10 % of the time.\n", useful);
  if (whole_game)
    put("\nOn a cluster of {} nodes with {} cores each:\n{}.\n", kClusterNodes, kClusterCores,
        needs(cluster_plan(options)));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "plan", "Say what a solve will take without running it", kDetails);
  Machine& machine = options->machine;
  add_seeds(*command, "--seeds", options->solve.seeds, "Largest number of seeds, 0 to 48")->required();
  add_rules(*command, options->rules, fmt::format("Rule set (default {})", options->rules));
  add_outcome(*command, options->outcome);
  add_distances(*command, options->solve);
  command->add_option("--ranks", machine.ranks, "Number of ranks (default 1)")
      ->type_name("R")
      ->transform(whole(1, 1 << 20));
  command->add_option("--ranks-per-node", options->ranks_per_node, "Ranks per node (default: all on one)")
      ->type_name("P")
      ->transform(whole(1, 1 << 16));
  command
      ->add_option("--memory-per-node", machine.memory_per_node,
                   "Memory per node, such as 512GB or 480GiB (default: what is free on this one)")
      ->transform(bytes(1))
      ->type_name("BYTES");
  command
      ->add_option("--network", machine.network,
                   fmt::format("GB per second in and out of a node (default {})", machine.network))
      ->type_name("GB/s")
      ->transform(real(1e-6, 1e6));
  command
      ->add_option("--disk", machine.disk,
                   fmt::format("GB per second of the file system (default {})", machine.disk))
      ->type_name("GB/s")
      ->transform(real(1e-6, 1e6));
  add_format(*command, options->format, {"table", "json", "svg"});
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
