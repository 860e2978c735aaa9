#include "awele/solver/solve.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include "awele/index/slice_index.hpp"
#include "awele/store/database.hpp"
#include "awele/support/error.hpp"
#include "awele/support/memory.hpp"
#include "awele/support/stopwatch.hpp"
#include "awele/support/version.hpp"
#include "exits.hpp"
#include "finish.hpp"
#include "rounds.hpp"
#include "slice_state.hpp"

namespace awele {

template <typename Archive>
void SolveOptions::serialize(Archive& archive, unsigned) {
  std::string path = dir.string(), rule_set(name(rules));
  archive& seeds& path& rule_set& exchange_bytes& ranks_per_node& batch;
  dir = path;
  rules = parse_rules(rule_set).value();
}

namespace {

/// What rank 0 tells the others before the first slice.
struct RunConfig {
  std::string version;
  SolveOptions options;
  std::vector<int> present;  ///< slices already there

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& version& options& present;
  }
};

RunConfig share(RunConfig config, const Communicator& ranks) {
  std::ostringstream out;
  boost::archive::text_oarchive(out) << static_cast<const RunConfig&>(config);
  std::istringstream in(ranks.broadcast(out.str()));
  boost::archive::text_iarchive(in) >> config;
  if (config.version != kVersion)
    throw Error(fmt::format(
        "rank {} runs version {} of the program, rank 0 version {}; start the same program everywhere",
        ranks.rank(), kVersion, config.version));
  return config;
}

void require_writable(const std::filesystem::path& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error || !std::filesystem::is_directory(dir))
    throw Error(fmt::format("{} cannot be made a directory ({}); give another --db", dir.string(),
                            error ? error.message() : "a file of that name exists"));
  const auto probe = dir / fmt::format(".writable.{}", ::getpid());
  FILE* file = std::fopen(probe.c_str(), "w");
  if (!file)
    throw Error(fmt::format("{} cannot be written to ({}); make it writable or give another --db",
                            dir.string(), std::strerror(errno)));
  std::fclose(file);
  std::filesystem::remove(probe, error);
}

/// A new directory inside `dir`, for the life of the object.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::filesystem::path& dir) {
    std::string name = (dir / ".afresh-XXXXXX").string();
    if (!::mkdtemp(name.data()))
      throw Error(fmt::format("no directory can be made in {} ({}); make it writable or give another --db",
                              dir.string(), std::strerror(errno)));
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

SliceReport report_of(const SliceInfo& info, std::uint64_t file_bytes) {
  SliceReport report;
  report.seeds = info.seeds;
  report.positions = info.positions;
  report.won = info.count_above();
  report.drawn = info.count_zero();
  report.lost = info.count_below();
  report.crc = info.crc;
  report.file_bytes = file_bytes;
  return report;
}

/// Everything that lasts from slice to slice.
class Solver {
 public:
  /// `out`: where slices are written; they are read from options.dir.
  Solver(const SolveOptions& options, std::filesystem::path out, const Communicator& ranks,
         SolveObserver& observer)
      : options_(options),
        out_(std::move(out)),
        ranks_(ranks),
        observer_(observer),
        node_(ranks.node()),
        on_node_(static_cast<int>(ranks.max(static_cast<std::uint64_t>(node_.size())))),
        exchange_(ranks, options.exchange_bytes, exchange_grid(options, ranks.size(), on_node_)),
        source_(options.dir, ranks) {}

  void require_memory(int n) const {
    const std::uint64_t own = solve_memory(n, options_, ranks_.rank(), ranks_.size(), on_node_).all();
    const std::uint64_t node_need = node_.sum(own);
    const MemoryLimit node = node_memory(), process = process_memory();
    const std::uint64_t node_has = node_.min(node.bytes);
    const bool node_short = node_need > node_has, process_short = own > process.bytes;
    // Only the first rank that is short speaks, but all stop.
    const bool any_short = ranks_.any(node_short || process_short);
    if (!any_short) return;
    const std::uint64_t first =
        ranks_.min(node_short || process_short ? static_cast<std::uint64_t>(ranks_.rank()) : ~0ull);
    if (first != static_cast<std::uint64_t>(ranks_.rank())) ranks_.barrier();
    constexpr double mib = 1 << 20;
    if (node_short)
      throw Error(
          ExitCode::no_resources,
          fmt::format(
              "slice {} needs {:.0f} MiB on this node ({} ranks) and {} leaves {:.0f} MiB; use more nodes, "
              "a node with more memory, or fewer seeds",
              n, static_cast<double>(node_need) / mib, node_.size(), node.source,
              static_cast<double>(node_has) / mib));
    throw Error(
        ExitCode::no_resources,
        fmt::format("slice {} needs {:.0f} MiB a rank and {} allows {:.0f} MiB; raise it, use more ranks, or "
                    "fewer seeds",
                    n, static_cast<double>(own) / mib, process.source,
                    static_cast<double>(process.bytes) / mib));
  }

  /// Address space for slice n and all smaller ones; it takes memory only as it is used.
  void reserve(int n) { arrays_.fit(n, ranks_.rank(), ranks_.size()); }

  SliceReport solve_slice(int n) {
    Stopwatch all, watch;
    const ExchangeCounters start = exchange_.counters();
    observer_.slice_begins(n, slice_size(n));
    observer_.phase_begins("exits");
    PhaseSeconds phase;
    SliceState state(n, options_.rules, ranks_.rank(), ranks_.size(), arrays_);
    initialise(state);
    read_exits(state, source_, ranks_, exchange_, tables_, phase.read);
    note_exits(state);
    phase.exits = watch.lap() - phase.read;
    const ExchangeCounters exits_read = exchange_.counters();
    observer_.phase_begins("rounds");
    Rounds rounds(state, ranks_, exchange_, options_.batch);
    rounds.run([&](const RoundProgress& at) { observer_.round_done(at.threshold, at.settled); });
    phase.rounds = watch.lap();
    const ExchangeCounters rounds_done = exchange_.counters();
    observer_.phase_begins("writing");
    FinishTimes times;
    const FinishedSlice finished = finish_slice(state, out_, ranks_, exchange_, times);
    phase.transposition = times.transposition;
    phase.compress = times.compress;
    phase.write = times.write;

    SliceInfo info{n, options_.rules, slice_size(n), finished.crc, kVersion, finished.histogram};
    SliceReport report = report_of(info, finished.file_bytes);
    report.seconds = all.seconds();
    add_counters(report, rounds.counters());
    report.exit_traffic = traffic(start, exits_read);
    report.round_traffic = traffic(exits_read, rounds_done);
    report.value_traffic = traffic(rounds_done, exchange_.counters());
    for (const Traffic* part : {&report.exit_traffic, &report.round_traffic, &report.value_traffic}) {
      report.exchanged_bytes += part->bytes;
      report.messages += part->messages;
      report.exchanges += part->exchanges;
    }
    report.phase = mean(phase);
    observer_.slice_done(report);
    return report;
  }

 private:
  void add_counters(SliceReport& report, const RoundCounters& own) const {
    report.rounds = own.rounds;
    std::array<std::uint64_t, 4> sums = {own.predecessors, own.candidates, own.words_touched, own.settled};
    ranks_.sum(sums);
    report.predecessors = sums[0];
    report.candidates = sums[1];
    report.words_touched = sums[2];
    report.settled = sums[3];
  }

  Traffic traffic(const ExchangeCounters& before, const ExchangeCounters& after) const {
    std::array<std::uint64_t, 2> sums = {after.bytes - before.bytes, after.messages - before.messages};
    ranks_.sum(sums);
    return {sums[0], sums[1], after.exchanges - before.exchanges};
  }

  PhaseSeconds mean(const PhaseSeconds& own) const {
    const auto micros = [](double s) { return static_cast<std::uint64_t>(s * 1e6); };
    std::array<std::uint64_t, 6> sums = {micros(own.read),          micros(own.exits),    micros(own.rounds),
                                         micros(own.transposition), micros(own.compress), micros(own.write)};
    ranks_.sum(sums);
    const auto seconds = [&](std::size_t k) { return static_cast<double>(sums[k]) / 1e6 / ranks_.size(); };
    return {seconds(0), seconds(1), seconds(2), seconds(3), seconds(4), seconds(5)};
  }

  const SolveOptions options_;
  const std::filesystem::path out_;
  const Communicator& ranks_;
  SolveObserver& observer_;
  Communicator node_;
  const int on_node_;
  Exchange exchange_;
  SliceSource source_;
  CaptureTables tables_;
  StateArrays arrays_;
};

}  // namespace

namespace {
constexpr std::uint64_t kSmallestBatch = std::uint64_t{1} << 18, kLargestBatch = std::uint64_t{1} << 22;
}

SolveOptions resolved(SolveOptions options, int ranks) {
  // A batch of a 256th of a rank's positions takes up to a quarter of a byte a position, all buffers
  // included.
  const std::uint64_t share = slice_size(options.seeds) / static_cast<std::uint64_t>(ranks) / 256;
  if (options.batch == 0) options.batch = std::clamp(share, kSmallestBatch, kLargestBatch);
  if (options.exchange_bytes == 0) options.exchange_bytes = 8 * options.batch;
  return options;
}

std::vector<int> slices_to_solve(int seeds) {
  std::vector<int> slices;
  for (int n = 0; n <= seeds; ++n)
    if (seeds != kMaxSeeds || n != kMaxSeeds - 1) slices.push_back(n);
  return slices;
}

int exchange_grid(const SolveOptions& options, int ranks, int on_node) {
  constexpr int kOneHop = 32;  // up to here a rank may as well talk to each other one
  if (options.ranks_per_node > 0) return options.ranks_per_node;
  if (ranks <= kOneHop) return 0;
  const bool by_node = on_node > 1 && on_node < ranks;
  return by_node ? on_node : static_cast<int>(std::ceil(std::sqrt(ranks)));
}

std::uint64_t state_memory(int n, int rank, int ranks) { return SliceState::memory(n, rank, ranks); }

MemoryNeed solve_memory(int n, const SolveOptions& wanted, int rank, int ranks, int on_node) {
  const auto buffers = [&](const SolveOptions& options) {
    return Rounds::memory(options.batch, ranks) +
           Exchange::memory(ranks, options.exchange_bytes, exchange_grid(options, ranks, on_node));
  };
  const SolveOptions options = resolved(wanted, ranks);
  SolveOptions least = options;
  least.batch = std::min(options.batch, kSmallestBatch);
  least.exchange_bytes = std::min(options.exchange_bytes, 8 * kSmallestBatch);
  // What the runtime, MPI and HDF5 take by themselves: measured, 20 MiB a rank.
  const std::uint64_t runtime = std::uint64_t{20} << 20;
  return {SliceState::memory(n, rank, ranks), buffers(options) - buffers(least),
          buffers(least) + CaptureTables::kMostBytes + finish_memory(n, ranks) + runtime};
}

std::vector<SliceReport> solve(SolveOptions options, const Communicator& ranks, SolveObserver& observer) {
  RunConfig config{kVersion, options, {}};
  std::vector<SliceReport> reports;
  if (ranks.root()) {
    require_writable(options.dir);
    const Database database(options.dir);
    database.require_rules(options.rules);
    config.present = database.slices();
    for (int n : config.present) {
      const SliceReader& reader = database.slice(n);
      reports.push_back(report_of(reader.info(), reader.file_bytes()));
      reports.back().found = true;
    }
  }
  config = share(config, ranks);
  options = resolved(config.options, ranks.size());
  const std::vector<SliceReport> found = std::move(reports);
  reports.clear();
  Solver solver(options, options.dir, ranks, observer);
  const auto present = [&](int n) {
    return std::find(config.present.begin(), config.present.end(), n) != config.present.end();
  };
  int largest = -1;
  for (int n : slices_to_solve(options.seeds))
    if (!present(n)) solver.require_memory(largest = n);
  if (largest >= 0) solver.reserve(largest);
  for (int n : slices_to_solve(options.seeds)) {
    if (!present(n)) {
      reports.push_back(solver.solve_slice(n));
      continue;
    }
    SliceReport report;
    report.seeds = n;
    report.found = true;
    for (const SliceReport& each : found)
      if (each.seeds == n) report = each;
    reports.push_back(report);
    observer.slice_found(report);
  }
  return reports;
}

SliceReport solve_afresh(SolveOptions options, int n, const Communicator& ranks, SolveObserver& observer) {
  options.seeds = n;
  options = resolved(share({kVersion, options, {}}, ranks).options, ranks.size());
  std::optional<TemporaryDirectory> out;
  if (ranks.root()) {
    require_writable(options.dir);
    out.emplace(options.dir);
  }
  Solver solver(options, ranks.broadcast(out ? out->path().string() : ""), ranks, observer);
  solver.require_memory(n);
  solver.reserve(n);
  return solver.solve_slice(n);
}

}  // namespace awele
