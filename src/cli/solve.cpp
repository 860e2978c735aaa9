// awele solve: all slices up to N seeds.
#include "awele/solver/solve.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "awele/probe/probe.hpp"
#include "awele/run/lock.hpp"
#include "awele/run/run_control.hpp"
#include "awele/run/signals.hpp"
#include "awele/store/database.hpp"
#include "awele/support/build_version.hpp"
#include "awele/support/error.hpp"
#include "board_print.hpp"
#include "commands.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "results.hpp"
#include "run_observer.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Solves the slices 0, 1, ..., N (all positions with that many seeds left) and writes
each as DIR/slice_NN.h5 when it is complete. Slices that exist already are skipped:
their attributes, histogram and chunk checksums are compared with one another, but no
value is read (awele check does that). A slice in progress resumes from its newest
checkpoint, so running the same command again continues what was interrupted, on any
number of ranks.
With --seeds 48 slice 47 is left out: no line of play needs it. Under every rule
set a value counts what is left of an endless line as split evenly.

With --outcome values are clamped to what decides games of T seeds (--total): they
tell who wins each position of every such game, but no longer by how much once that
is beyond doubt. This takes a third less memory, and less disk and time. A directory
holds exact slices or those of one T, never both.

Runs on any number of ranks and writes the same files:
  mpirun -n 8 awele solve --seeds 24 --db awari
  awele solve --seeds 12 --db awari

Needs about 1.6 bytes of memory per position of the largest slice, over all ranks
(1.1 up to 25 seeds and with --outcome), and half a byte of disk per position of all
slices: 0.5 GiB and 0.6 GB for 24 seeds. Memory and disk are checked before a slice
is started: a warning when the disk may get tight, counting checkpoints; exit code 4
when the slice cannot fit.

To stop without losing work: send SIGUSR1, create the file DIR/stop, or give
--time-limit. The run then saves the state of the slice in progress (or finishes the
slice, if that is quicker) and ends with exit code 75. Creating DIR/checkpoint saves
the state and continues. SIGTERM, SIGINT and SIGHUP (without nohup) stop it
immediately; the next run resumes from the last checkpoint. DIR/lock keeps a second
run out; DIR/log records what happened, one line of JSON per event; awele status
--db DIR shows how far a run has come.

At the end it prints a table of the slices, and when N is 12, 24, 36 or 48 the
start position with N/12 seeds per pit and the value of each of its moves.)";

struct Options {
  std::string rules{name(RuleSet::awari)}, dir, progress = "auto";
  double interval = 30;
  RunLimits limits;
  double time_limit = 0;  ///< minutes; 0: that of the job
  int grace = 0;
  OutcomeOptions outcome;
  SolveOptions solve;
};

void print_table(const std::vector<SliceReport>& reports) {
  Table table({{"seeds", 5},
               {"positions", 15},
               {"won", 15, 2},
               {"drawn", 15, 3},
               {"lost", 15, 4},
               {"rounds", 6, 6},
               {"seconds", 9, 1},
               {"bytes on disk", 14, 5},
               {"CRC-32", 8}});
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  for (const SliceReport& r : reports)
    table.add({text(static_cast<std::uint64_t>(r.seeds)), text(r.positions), text(r.won), text(r.drawn),
               text(r.lost), r.found ? "-" : text(r.rounds),
               r.found ? "there" : fmt::format("{:.2f}", r.seconds), text(r.file_bytes),
               fmt::format("{:08x}", r.crc)});
  table.print();
}

void print_start(int seeds, const std::string& dir) {
  if (seeds == 0 || seeds % kPits != 0) return;
  Board start;
  start.fill(static_cast<std::uint8_t>(seeds / kPits));
  const Prober prober(dir, Prober::kDefaultCache, Accept::any);
  const int each = seeds / kPits;
  put("\nThe start position with {} seed{} a pit:\n\n", each, each == 1 ? "" : "s");
  BoardBounds bounds;
  const BoardAnswer answer = prober.answer(start, bounds);
  print_answer(start, answer, bounds, *prober.rules(), prober.scope());
}

ProgressStyle style_of(const std::string& wanted) {
  if (wanted == "none") return ProgressStyle::none;
  if (wanted == "lines") return ProgressStyle::lines;
  if (wanted == "bar" || columns_of_messages()) return ProgressStyle::bar;
  return ProgressStyle::lines;
}

/// What the log's first line says of this run.
nlohmann::ordered_json about(const Options& options, const Communicator& ranks) {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const std::vector<std::string> all = ranks.gather(std::string(host));
  const std::set<std::string> hosts(all.begin(), all.end());
  const SolveOptions solve = resolved(options.solve, ranks.size());
  nlohmann::ordered_json json;
  json["log_version"] = kLogVersion;
  json["version"] = build_version();
  json["mpi"] = MpiSession::library();
  json["hdf5"] = hdf5_version();
  json["hosts"] = hosts;
  json["ranks"] = ranks.size();
  json["pid"] = ::getpid();
  json["seeds"] = solve.seeds;
  json["rules"] = name(solve.rules);
  if (!solve.scope.exact()) json["total"] = solve.scope.total();
  json["batch"] = solve.batch;
  json["exchange_bytes"] = solve.exchange_bytes;
  json["checkpoint_minutes"] = options.limits.checkpoint_minutes;
  if (options.limits.end) json["end"] = utc_time(*options.limits.end);
  return json;
}

RunLimits limits_of(const Options& options) {
  using namespace std::chrono;
  RunLimits limits = options.limits;
  limits.end = job_end();
  if (options.time_limit > 0)
    limits.end = system_clock::now() +
                 duration_cast<system_clock::duration>(duration<double>(60 * options.time_limit));
  return limits;
}

/// Whether the directory is there for reading only: if all slices are there, that is no fault.
bool read_only(const std::filesystem::path& dir) {
  std::error_code ignored;
  return std::filesystem::is_directory(dir, ignored) && ::access(dir.c_str(), W_OK) != 0;
}

/// Solves, and sees to it that the log tells how it ended.
std::vector<SliceReport> solve_logged(const SolveOptions& options, const Communicator& ranks,
                                      RunObserver& observer, RunControl& control) {
  try {
    const std::vector<SliceReport> reports = solve(options, ranks, observer, control);
    observer.end("finished", fmt::format("all slices up to {} seeds are there", options.seeds));
    return reports;
  } catch (const Stopped& stopped) {
    observer.end("stopped", stopped.what());
    if (ranks.root()) clear_requests(options.dir);
    throw;
  } catch (const std::exception& error) {
    // A file that is missing because another run has tidied up is not what the user must hear of.
    if (const std::string lost = control.lost_to(); !lost.empty()) {
      observer.lost(lost);
      throw Error(lost);
    }
    // The others may be waiting: whoever fails writes it down, the process ends next.
    observer.failed(ranks.rank(), error.what());
    throw;
  }
}

int run(Options options, const Communicator& ranks) {
  options.solve.dir = options.dir;
  options.solve.rules = *parse_rules(options.rules);
  options.solve.scope = scope_of(options.outcome, options.solve.seeds, options.solve.rules);
  options.limits = limits_of(options);
  const char* injected = std::getenv("AWELE_INJECT");
  const auto injections = injected ? parse_injections(injected) : std::vector<Injection>();
  const ProgressStyle style = ranks.root() ? style_of(options.progress) : ProgressStyle::none;
  // Nothing is written without a lock: solve() fails when there is something to write.
  const std::unique_ptr<RunLock> lock = read_only(options.dir) ? nullptr : lock_directory(options.dir, ranks);
  RunControl control(options.dir, ranks.rank(), options.limits, lock.get(), injections);
  RunObserver observer(style, options.interval, ranks.root(), options.solve, control);
  if (lock && !lock->taken_over().empty()) observer.note(lock->taken_over());
  if (ranks.root() && clear_requests(options.dir))
    observer.note(fmt::format("removed {}/stop, left over from an earlier request", options.dir));
  observer.begin(about(options, ranks));
  const std::vector<SliceReport> reports = solve_logged(options.solve, ranks, observer, control);
  if (ranks.root()) {
    print_table(reports);
    print_start(options.solve.seeds, options.dir);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_solve(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "solve", "Solve all slices up to a number of seeds", kDetails);
  add_seeds(*command, "--seeds", options->solve.seeds, "Largest number of seeds, 0 to 48")->required();
  add_db(*command, options->dir)->description("Directory of the slice files; created if it does not exist");
  add_rules(*command, options->rules, fmt::format("Rule set (default {})", options->rules));
  add_outcome(*command, options->outcome);
  add_distances(*command, options->solve);
  command
      ->add_option(
          "--progress", options->progress,
          "bar, lines, none, or auto: a bar if messages go to a terminal, otherwise lines (default auto)")
      ->type_name("STYLE")
      ->check(CLI::IsMember({"auto", "bar", "lines", "none"}).description(""));
  command->add_option("--interval", options->interval, "Seconds between progress lines (default 30)")
      ->type_name("SECONDS")
      ->transform(real(0, 86400));
  const auto safety = "Interruption";
  command
      ->add_option("--checkpoint-every", options->limits.checkpoint_minutes,
                   "Minutes between checkpoints of a slice; fewer are made if they would take more than 10 % "
                   "of the run time; 0: no regular checkpoints (default 30)")
      ->type_name("MINUTES")
      ->transform(real(0, 1e6))
      ->group(safety);
  command
      ->add_option("--time-limit", options->time_limit,
                   "Save a checkpoint and stop before this many minutes have passed (default: the end of the "
                   "Slurm job, from SLURM_JOB_END_TIME)")
      ->type_name("MINUTES")
      ->transform(real(1e-6, 1e6))
      ->group(safety);
  command
      ->add_option("--grace", options->grace,
                   "Seconds left after SIGTERM, SIGINT or SIGHUP: a checkpoint is saved if it is expected to "
                   "fit (default 0; mpirun kills the ranks one second after passing SIGTERM on, see "
                   "odls_base_sigkill_timeout)")
      ->type_name("SECONDS")
      ->transform(whole(0, 86400))
      ->group(safety);
  add_solve_tuning(*command, options->solve);
  command->callback([options, &context] {
    context.command = [options, &context] {
      watch_signals(options->grace);  // before MPI starts: a signal may come at any time
      return run_parallel(context, [&](const Communicator& ranks) { return run(*options, ranks); });
    };
  });
}

}  // namespace awele::cli
