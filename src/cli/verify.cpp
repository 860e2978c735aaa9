// awele verify: every value from the values of its children.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "awele/comm/communicator.hpp"
#include "awele/index/slice_index.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/store/database.hpp"
#include "awele/support/error.hpp"
#include "awele/support/memory.hpp"
#include "awele/support/stopwatch.hpp"
#include "awele/verify/verifier.hpp"
#include "commands.hpp"
#include "messages.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "progress.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Derives each stored value, and each distance where there are any, again from those
of the positions one move later, on plain boards of twelve pits, with code that
shares nothing with the solver but the reader of the files.

What this proves: no value contradicts the rules by one move. What it does not:
wrong values that support each other along a cycle of moves without capture
would pass. It complements the digests and the published numbers.

Under mpirun the work is dealt to the ranks:
  mpirun -n 8 awele verify --db awari
  awele verify --db awari --slice 24 --sample 1000000

Prints one line per slice, and every half minute how far it is and how much time is
left; exit code 3 if a value is wrong. A verification that was interrupted continues
with --from and the slice it was at. The work on a slice can be cut into parts, to be
done by one job after the other or by several at once:
  mpirun -n 64 awele verify --db awari --from 36
  mpirun -n 64 awele verify --db awari --slice 48 --part 3 --parts 16)";

struct Options {
  std::string db;
  std::optional<int> slice;
  int from = 0, to = kMaxSeeds;
  int part = 1, parts = 1;
  std::uint64_t sample = 0, seed = 1;
};

/// The slices that are asked for, of those that are there.
std::vector<int> chosen(const Options& options, const Database& database) {
  if (options.slice) return {*options.slice};
  std::vector<int> slices = database.slices();
  std::erase_if(slices, [&](int n) { return n < options.from || n > options.to; });
  if (slices.empty())
    throw Error(fmt::format("{} holds no slices from {} to {}; awele info --db {} tells which it holds",
                            options.db, options.from, options.to, options.db));
  return slices;
}

/// Positions of a slice that will be checked by all ranks.
double to_check(const Options& options, int n) {
  const auto positions = static_cast<double>(slice_size(n));
  const auto sample = static_cast<double>(options.sample);
  return (options.sample > 0 ? std::min(sample, positions) : positions) / options.parts;
}

/// Lines on what rank 0 has done of its share, at intervals. Slices take as long as they have positions.
class VerifyProgress {
 public:
  VerifyProgress(const Options& options, const std::vector<int>& slices, int ranks)
      : options_(options), ranks_(ranks) {
    for (int n : slices) all_ += to_check(options, n);
  }

  void begin(int n) {
    done_ += current_;
    seeds_ = n;
    current_ = to_check(options_, n);
  }
  void checked(std::uint64_t own) {
    if (last_.seconds() < kInterval) return;
    last_ = Stopwatch();
    const double here = std::min(static_cast<double>(own) * ranks_, current_);
    const double a_position = watch_.seconds() / (done_ + here);
    message("slice {:2}: {:.1f} % checked, {} left for it, {} in all", seeds_, 100 * here / current_,
            format_seconds((current_ - here) * a_position),
            format_seconds((all_ - done_ - here) * a_position));
  }

 private:
  static constexpr double kInterval = 30;  // seconds
  const Options& options_;
  const double ranks_;
  double all_ = 0, done_ = 0, current_ = 0;  // positions
  int seeds_ = 0;
  Stopwatch watch_, last_;
};

/// The share of this node's memory that a rank may use.
std::uint64_t memory_share(const Communicator& ranks) {
  const Communicator node = ranks.node();
  const std::uint64_t shared = node.min(node_memory().bytes) / static_cast<std::uint64_t>(node.size());
  return ranks.min(std::min(shared, process_memory().bytes));
}

/// The sum over the ranks; the first wrong place is the first of all.
VerifyResult total(const VerifyResult& own, const Communicator& ranks) {
  VerifyResult all = own;
  std::array<std::uint64_t, 3> sums = {own.checked, own.wrong, own.wrong_distances};
  ranks.sum(sums);
  all.checked = sums[0];
  all.wrong = sums[1];
  all.wrong_distances = sums[2];
  all.first = ranks.min(own.first);
  return all;
}

int run(const Options& options, const Communicator& ranks) {
  const Database database(options.db);
  if (database.empty())
    throw Error(fmt::format("{} holds no slices; solve some with: awele solve --seeds 12 --db {}", options.db,
                            options.db));
  if (options.part > options.parts)
    throw Error(ExitCode::usage, fmt::format("there is no part {} of {}: --part goes from 1 to --parts",
                                             options.part, options.parts));
  const std::vector<int> slices = chosen(options, database);
  Verifier verifier(database, (options.part - 1) * ranks.size() + ranks.rank(), options.parts * ranks.size(),
                    memory_share(ranks));
  VerifyProgress so_far(options, slices, ranks.size());
  if (ranks.root()) verifier.progress = [&](std::uint64_t checked) { so_far.checked(checked); };
  if (ranks.root())
    message("verifying with {:.0f} MiB of memory per rank, {} positions at a time",
            static_cast<double>(verifier.memory()) / (1 << 20), verifier.batch());
  std::uint64_t wrong = 0;
  for (int n : slices) {
    const Stopwatch watch;
    so_far.begin(n);
    const VerifyResult result = total(
        options.sample > 0 ? verifier.sample(n, options.sample, options.seed) : verifier.slice(n), ranks);
    wrong += result.wrong + result.wrong_distances;
    if (!ranks.root()) continue;
    put("slice {:2}: {:>15} of {:>15} positions checked, {} wrong{}, {}\n", n, result.checked,
        database.slice(n).info().positions, result.wrong,
        database.slice(n).has_distances() ? fmt::format(", {} wrong distances", result.wrong_distances) : "",
        format_seconds(watch.seconds()));
    if (result.wrong + result.wrong_distances == 0) continue;
    const VerifyResult bad = verifier.position(n, result.first);
    if (bad.wrong > 0)
      put("  the first: {} is stored as {:+}, its moves give {:+}\n", format_board(bad.board), bad.stored,
          bad.derived);
    else
      put("  the first: {} is stored as {} plies from the next capture or the end, its moves give {}\n",
          format_board(bad.board), bad.stored_distance, bad.derived_distance);
  }
  if (ranks.root()) put("{}\n", kVerifyMeaning);
  return static_cast<int>(wrong == 0 ? ExitCode::ok : ExitCode::verification_failed);
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "verify", "Derive stored values again by looking one move ahead", kDetails);
  add_db(*command, options->db);
  command->add_option("--slice", options->slice, "Only the slice of this many seeds, 0 to 48 (default: all)")
      ->type_name("N")
      ->transform(whole(0, kMaxSeeds));
  command->add_option("--from", options->from, "From this slice on (default 0)")
      ->type_name("N")
      ->excludes("--slice")
      ->transform(whole(0, kMaxSeeds));
  command->add_option("--to", options->to, "Up to this slice (default: all)")
      ->type_name("N")
      ->excludes("--slice")
      ->transform(whole(0, kMaxSeeds));
  command->add_option("--part", options->part, "Which part of each slice, from 1 on (default 1)")
      ->type_name("I")
      ->transform(whole(1, 1 << 16));
  command->add_option("--parts", options->parts, "Parts that each slice is cut into (default 1)")
      ->type_name("P")
      ->transform(whole(1, 1 << 16));
  command
      ->add_option("--sample", options->sample,
                   "Check K random positions per slice (default 0: all positions)")
      ->type_name("K")
      ->transform(whole(0));
  command->add_option("--seed", options->seed, "Random seed for --sample (default 1)")
      ->type_name("S")
      ->transform(whole(0));
  command->callback([options, &context] {
    context.command = [options, &context] {
      return run_parallel(context, [&](const Communicator& ranks) { return run(*options, ranks); });
    };
  });
}

}  // namespace awele::cli
