// awele bench: where the time, the memory and the bytes of a slice go.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "awele/comm/exchange.hpp"
#include "awele/run/json.hpp"
#include "awele/solver/round_words.hpp"
#include "awele/solver/solve.hpp"
#include "awele/support/error.hpp"
#include "awele/support/memory.hpp"
#include "awele/support/stopwatch.hpp"
#include "commands.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "terminal.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Solves one slice and measures what it costs. Smaller slices that it needs are first
built in DIR where they are missing; the slice itself is solved from scratch in a
directory inside DIR that is removed again, so an existing slice_NN.h5 stays as it is.
  mpirun -n 2 awele bench --slice 20 --db awari --repeat 3

total is 0 for exact values, T with --outcome --total T; one_byte says whether code
and open moves of a position share a byte. ns_per_position and the phases are
nanoseconds of rank time (seconds x ranks) per position of the slice;
cpu_ns_per_position is processor time, which is less where the ranks had to wait for
processors. g_ns is the unit to compare machines by: one random 2-byte update of a
large array, prefetched, on all ranks at once. exchange_us is one empty exchange of
messages, empty_round_us what a round without work costs (one reduction of ten
numbers), allreduce_us one of a single number. bytes_sent_* are bytes per position
sent to other ranks; over_share is the sum divided by 1 - 1/ranks, the share of
everything that concerns another rank. fixed_bytes_per_rank is the most that a rank
held besides the state of the slice.

Formats: table; json, one object. awele bench probe measures look-ups instead.)";

struct Options {
  std::string rules{name(RuleSet::awari)}, dir, format;
  int slice = -1, repeat = 1;
  double seconds = 1;
  OutcomeOptions outcome;
  SolveOptions solve;
};

/// Passes on progress, and looks at the pages while the state is still held.
class BenchObserver : public SolveProgress {
 public:
  using SolveProgress::SolveProgress;
  void phase_begins(const char* name) override {
    SolveProgress::phase_begins(name);
    if (std::string_view(name) == "writing") pages = page_use();
  }
  PageUse pages;
};

struct Measured {
  SliceReport report;
  int ranks = 1;
  double huge_share = 0, cpu = 0;     ///< cpu: seconds of all ranks
  std::uint64_t peak = 0, fixed = 0;  ///< memory: sum over the ranks; most of a rank besides the state
  double g = 0, reduction = 0, round = 0, exchange = 0;
};

/// Solves what slice n needs and is not there: the slices up to n - 2.
void solve_smaller(SolveOptions options, int n, const Communicator& ranks, SolveObserver& observer) {
  if (n < 2) return;
  options.seeds = n - 2;
  options.distances = false;  // those of a slice do not depend on smaller ones'
  SolveControl undisturbed;
  solve(options, ranks, observer, undisturbed);
}

double exchange_microseconds(const SolveOptions& wanted, const Communicator& ranks, double seconds) {
  if (ranks.size() == 1) return 0;
  const SolveOptions options = resolved(wanted, ranks.size());
  const int on_node = static_cast<int>(ranks.max(static_cast<std::uint64_t>(ranks.node().size())));
  Exchange exchange(ranks, options.exchange_bytes, exchange_grid(options, ranks.size(), on_node));
  std::uint64_t times = 0;
  ranks.barrier();
  const Stopwatch watch;
  do {
    for (int k = 0; k < 20; ++k) exchange.run([](int, std::span<const std::byte>) {});
    times += 20;
  } while (ranks.any(ranks.root() && watch.seconds() < seconds));
  return watch.seconds() * 1e6 / static_cast<double>(times);
}

Measured measure(const Options& options, const Communicator& ranks) {
  const ProgressStyle style = !ranks.root()           ? ProgressStyle::none
                              : columns_of_messages() ? ProgressStyle::bar
                                                      : ProgressStyle::lines;
  BenchObserver observer(style, 30);
  const std::unique_ptr<RunLock> lock = lock_directory(options.dir, ranks);
  solve_smaller(options.solve, options.slice, ranks, observer);
  Measured measured;
  for (int k = 0; k < options.repeat; ++k) {
    const double before = processor_seconds();
    const SliceReport report = solve_afresh(options.solve, options.slice, ranks, observer);
    const double used = processor_seconds() - before;
    if (k > 0 && report.seconds >= measured.report.seconds) continue;
    measured.report = report;
    measured.cpu = used;
  }
  measured.ranks = ranks.size();
  measured.cpu = static_cast<double>(ranks.sum(static_cast<std::uint64_t>(measured.cpu * 1e6))) / 1e6;
  std::array<std::uint64_t, 2> pages = {observer.pages.anonymous, observer.pages.huge};
  ranks.sum(pages);
  measured.huge_share = pages[0] ? static_cast<double>(pages[1]) / static_cast<double>(pages[0]) : 0;
  const std::uint64_t peak = peak_memory(),
                      state = state_memory(options.slice, options.solve, ranks.rank(), ranks.size());
  measured.peak = ranks.sum(peak);
  measured.fixed = ranks.max(peak > state ? peak - state : 0);
  measured.exchange = exchange_microseconds(options.solve, ranks, options.seconds);
  measured.reduction = reduction_microseconds(ranks, 1, options.seconds);
  measured.round = reduction_microseconds(ranks, kRoundWords, options.seconds);
  measured.g = update_nanoseconds(ranks, options.seconds);
  return measured;
}

nlohmann::ordered_json to_json(const Options& options, const Measured& measured) {
  const SliceReport& r = measured.report;
  const double positions = static_cast<double>(r.positions), all = measured.ranks;
  const auto nanoseconds = [&](double seconds) { return seconds * 1e9 * all / positions; };
  const auto each = [&](std::uint64_t count) { return static_cast<double>(count) / positions; };
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : 0; };
  const double rank_rounds = all * static_cast<double>(r.rounds);
  nlohmann::ordered_json json;
  json["slice"] = r.seeds;
  json["rules"] = options.rules;
  json["total"] = options.solve.scope.total();
  json["distances"] = options.solve.distances ? 1 : 0;
  json["one_byte"] = one_byte_a_position(r.seeds, options.solve) ? 1 : 0;
  json["ranks"] = measured.ranks;
  json["positions"] = r.positions;
  json["crc32"] = fmt::format("{:08x}", r.crc);
  json["won"] = r.won;
  json["drawn"] = r.drawn;
  json["lost"] = r.lost;
  json["settled"] = r.settled;
  json["seconds"] = r.seconds;
  json["ns_per_position"] = nanoseconds(r.seconds);
  json["cpu_ns_per_position"] = measured.cpu * 1e9 / positions;
  json["phases"] = {
      {"read", nanoseconds(r.phase.read)},         {"exits", nanoseconds(r.phase.exits)},
      {"rounds", nanoseconds(r.phase.rounds)},     {"transposition", nanoseconds(r.phase.transposition)},
      {"compress", nanoseconds(r.phase.compress)}, {"write", nanoseconds(r.phase.write)}};
  json["g_ns"] = measured.g;
  json["total_over_g"] = ratio(nanoseconds(r.seconds), measured.g);
  json["rounds"] = r.rounds;
  json["candidates_per_position"] = each(r.candidates);
  json["predecessors_per_position"] = each(r.predecessors);
  json["words_touched_per_position"] = each(r.words_touched);
  json["bytes_sent_per_position"] = each(r.exchanged_bytes);
  json["bytes_sent_by_phase"] = {{"exits", each(r.exit_traffic.bytes)},
                                 {"rounds", each(r.round_traffic.bytes)},
                                 {"values", each(r.value_traffic.bytes)}};
  json["bytes_sent_over_share"] = all > 1 ? each(r.exchanged_bytes) / (1 - 1 / all) : 0;
  json["messages"] = r.messages;
  json["exchanges"] = r.exchanges;
  json["messages_per_rank_per_round"] = ratio(static_cast<double>(r.round_traffic.messages), rank_rounds);
  json["messages_per_rank_per_exchange"] =
      ratio(static_cast<double>(r.messages), all * static_cast<double>(r.exchanges));
  json["exchanges_per_round"] =
      ratio(static_cast<double>(r.round_traffic.exchanges), static_cast<double>(r.rounds));
  json["empty_round_us"] = measured.round;
  json["exchange_us"] = measured.exchange;
  json["allreduce_us"] = measured.reduction;
  json["peak_bytes_per_position"] = each(measured.peak);
  json["fixed_bytes_per_rank"] = measured.fixed;
  json["huge_page_share"] = measured.huge_share;
  json["disk_bytes"] = r.file_bytes;
  json["disk_bytes_per_position"] = each(r.file_bytes);
  return json;
}

void print_value(const std::string& name, const nlohmann::ordered_json& value) {
  if (value.is_object()) {
    for (const auto& [key, part] : value.items()) print_value(fmt::format("{}: {}", name, key), part);
  } else if (value.is_number_float()) {
    put("{:<32} {:>18.3f}\n", name, value.get<double>());
  } else if (value.is_string()) {
    put("{:<32} {:>18}\n", name, value.get<std::string>());
  } else {
    put("{:<32} {:>18}\n", name, value.get<std::uint64_t>());
  }
}

int run(Options options, const Communicator& ranks) {
  options.solve.dir = options.dir;
  options.solve.rules = *parse_rules(options.rules);
  options.solve.scope = scope_of(options.outcome, options.slice, options.solve.rules);
  const Measured measured = measure(options, ranks);
  if (!ranks.root()) return static_cast<int>(ExitCode::ok);
  const nlohmann::ordered_json json = to_json(options, measured);
  if (options.format == "json") {
    put("{}\n", json_text(json));
  } else {
    for (const auto& [name, value] : json.items()) print_value(name, value);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "bench", "Measure what a slice costs", kDetails);
  CLI::Option* slice =
      add_seeds(*command, "--slice", options->slice, "The slice to solve, by its number of seeds, 0 to 48")
          ->required();
  CLI::Option* dir = add_db(*command, options->dir);
  dir->description("Directory of the slice files; created if it does not exist");
  add_rules(*command, options->rules, fmt::format("Rule set (default {})", options->rules));
  add_format(*command, options->format, {"table", "json"});
  command->add_option("--repeat", options->repeat, "Solve the slice K times and keep the fastest (default 1)")
      ->type_name("K")
      ->transform(whole(1, 1000));
  command
      ->add_option("--seconds", options->seconds,
                   "Duration of each measurement of the machine itself (default 1)")
      ->type_name("SECONDS")
      ->transform(real(0, 60));
  add_outcome(*command, options->outcome);
  add_distances(*command, options->solve);
  add_solve_tuning(*command, options->solve);
  CLI::App* probe = add_bench_probe(*command, context);
  probe->preparse_callback([slice, dir](std::size_t) {  // it has its own
    slice->required(false);
    dir->required(false);
  });
  command->callback([options, probe, &context] {
    if (probe->parsed()) return;
    context.command = [options, &context] {
      return run_parallel(context, [&](const Communicator& ranks) { return run(*options, ranks); });
    };
  });
}

}  // namespace awele::cli
