// awele solve: all slices up to N seeds.
#include "awele/solver/solve.hpp"

#include <fmt/format.h>

#include <memory>

#include "awele/probe/probe.hpp"
#include "awele/store/database.hpp"
#include "awele/support/error.hpp"
#include "board_print.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "progress.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Solves the slices 0, 1, ..., N (all positions with that many seeds left), each
written as DIR/slice_NN.h5 when it is complete. Slices that are already there
are checked and skipped, so the same command resumes what was interrupted.
With --seeds 48 slice 47 is left out: no line of play needs it.

Starts on any number of ranks, with the same files as the result:
  mpirun -n 8 awele solve --seeds 24 --db awari
  awele solve --seeds 12 --db awari

Needs about 1.6 bytes of memory a position of the largest slice, over all ranks,
and half a byte of disk a position of all slices: 0.6 GiB and 0.6 GB for
24 seeds. Memory is checked before a slice is started.

Printed at the end: a table of the slices, and when N is 12, 24, 36 or 48 the
start position with N/12 seeds a pit and the value of each of its moves.)";

struct Options {
  std::string rules{name(RuleSet::awari)}, dir, progress = "auto";
  double interval = 30;
  SolveOptions solve;
};

void print_table(const std::vector<SliceReport>& reports) {
  fmt::print("{:>5}  {:>15}  {:>15}  {:>15}  {:>15}  {:>6}  {:>9}  {:>14}  {:>8}\n", "seeds", "positions",
             "won", "drawn", "lost", "rounds", "seconds", "bytes on disk", "CRC-32");
  for (const SliceReport& r : reports) {
    const std::string rounds = r.found ? "-" : fmt::format("{}", r.rounds);
    const std::string seconds = r.found ? "there" : fmt::format("{:.2f}", r.seconds);
    fmt::print("{:>5}  {:>15}  {:>15}  {:>15}  {:>15}  {:>6}  {:>9}  {:>14}  {:08x}\n", r.seeds, r.positions,
               r.won, r.drawn, r.lost, rounds, seconds, r.file_bytes, r.crc);
  }
}

void print_start(int seeds, const std::string& dir) {
  if (seeds == 0 || seeds % kPits != 0) return;
  Board start;
  start.fill(static_cast<std::uint8_t>(seeds / kPits));
  const Database database(dir);
  Prober prober(database);
  const int each = seeds / kPits;
  fmt::print("\nThe start position with {} seed{} a pit:\n\n", each, each == 1 ? "" : "s");
  print_answer(start, prober.answer(start), database.rules());
}

ProgressStyle style_of(const std::string& wanted) {
  if (wanted == "none") return ProgressStyle::none;
  if (wanted == "lines") return ProgressStyle::lines;
  if (wanted == "bar" || messages_reach_terminal()) return ProgressStyle::bar;
  return ProgressStyle::lines;
}

int run(Options options, const Communicator& ranks) {
  options.solve.dir = options.dir;
  options.solve.rules = *parse_rules(options.rules);
  const ProgressStyle style = ranks.root() ? style_of(options.progress) : ProgressStyle::none;
  SolveProgress progress(style, options.interval);
  const std::vector<SliceReport> reports = solve(options.solve, ranks, progress);
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
  add_db(*command, options->dir)->description("Directory of the slice files; made when it is not there");
  add_rules(*command, options->rules, fmt::format("Rule set (default {})", options->rules));
  command
      ->add_option(
          "--progress", options->progress,
          "bar, lines, none, or auto: a bar where messages reach a terminal, else lines (default auto)")
      ->type_name("STYLE")
      ->check(CLI::IsMember({"auto", "bar", "lines", "none"}).description(""));
  command->add_option("--interval", options->interval, "Seconds between two lines of progress (default 30)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 86400.0).description(""));
  add_solve_tuning(*command, options->solve);
  command->callback([options, &context] {
    context.command = [options, &context] {
      return run_parallel(context, [&](const Communicator& ranks) { return run(*options, ranks); });
    };
  });
}

}  // namespace awele::cli
