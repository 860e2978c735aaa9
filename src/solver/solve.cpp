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
#include "awele/support/build_version.hpp"
#include "awele/support/error.hpp"
#include "awele/support/files.hpp"
#include "awele/support/memory.hpp"
#include "awele/support/stopwatch.hpp"
#include "awele/support/version.hpp"
#include "checkpoint.hpp"
#include "exits.hpp"
#include "finish.hpp"
#include "forecast.hpp"
#include "rounds.hpp"
#include "slice_state.hpp"

namespace awele {

template <typename Archive>
void SolveOptions::serialize(Archive& archive, unsigned) {
  std::string path = dir.string(), rule_set(name(rules));
  int total = scope.total();
  archive& seeds& path& rule_set& total& distances& exchange_bytes& ranks_per_node& batch& counts_apart;
  dir = path;
  scope = Scope::outcome(total);
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
  if (config.version != build_version())
    throw Error(fmt::format(
        "rank {} runs version {} of the program, rank 0 version {}; start the same program everywhere",
        ranks.rank(), build_version(), config.version));
  return config;
}

void require_writable(const std::filesystem::path& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error || !std::filesystem::is_directory(dir))
    throw Error(fmt::format("the directory {} cannot be created ({}); give another --db", dir.string(),
                            error ? error.message() : "a file of that name exists"));
  try {
    const FileUnderWay probe(dir / ".writable");
  } catch (const std::filesystem::filesystem_error& failure) {
    throw Error(fmt::format("{} cannot be written to ({}); make it writable or give another --db",
                            dir.string(), failure.code().message()));
  }
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// A new directory inside `dir`, for the life of the object.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::filesystem::path& dir) {
    std::string name = (dir / ".afresh-XXXXXX").string();
    if (!::mkdtemp(name.data()))
      throw Error(fmt::format("no directory can be created in {} ({}); make it writable or give another --db",
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

StateForm form_of(int n, const SolveOptions& options) {
  return {options.scope.width(n), one_byte_a_position(n, options), options.distances};
}

/// Everything that lasts from slice to slice.
class Solver {
 public:
  /// `out`: where slices and checkpoints are written; slices are read from options.dir.
  Solver(const SolveOptions& options, std::filesystem::path out, const Communicator& ranks,
         SolveObserver& observer, SolveControl& control)
      : options_(options),
        out_(std::move(out)),
        ranks_(ranks),
        observer_(observer),
        control_(control),
        node_(ranks.node()),
        on_node_(static_cast<int>(ranks.max(static_cast<std::uint64_t>(node_.size())))),
        exchange_(ranks, options.exchange_bytes, exchange_grid(options, ranks.size(), on_node_)),
        checkpoints_(out_, options.rules, options.scope, ranks, node_, exchange_, control),
        source_(options.dir, ranks),
        forecast_(ranks.size()) {}

  /// Throws, on all ranks, unless the slices fit, which are solved one after the other. The sentence is about
  /// the one that needs the most, so that whoever finds room for it need not come back.
  void require_memory(const std::vector<int>& slices) const {
    const MemoryLimit node = node_memory(), process = process_memory();
    const std::uint64_t node_has = node_.min(node.bytes);
    int largest = -1, fitting = -1;
    bool all_fit = true, node_short = false, process_short = false;
    std::uint64_t most = 0, own = 0, node_need = 0;
    for (int n : slices) {
      const std::uint64_t need = solve_memory(n, options_, ranks_.rank(), ranks_.size(), on_node_).all();
      const std::uint64_t together = node_.sum(need), over_all = ranks_.sum(need);
      if (!ranks_.any(together > node_has || need > process.bytes)) {
        if (all_fit) fitting = n;
        continue;
      }
      all_fit = false;
      if (over_all < most) continue;
      most = over_all;
      largest = n;
      own = need;
      node_need = together;
      node_short = together > node_has;
      process_short = need > process.bytes;
    }
    if (all_fit) return;
    // Only the first rank that is short speaks, but all stop.
    const bool is_short = node_short || process_short;
    const std::uint64_t first = ranks_.min(is_short ? static_cast<std::uint64_t>(ranks_.rank()) : ~0ull);
    if (first != static_cast<std::uint64_t>(ranks_.rank())) ranks_.barrier();
    constexpr double mib = 1 << 20;
    const std::string enough = fitting < 0 ? "" : fmt::format(", enough for slices up to {}", fitting);
    if (node_short)
      throw Error(ExitCode::no_resources,
                  fmt::format("slice {} needs the most, {:.0f} MiB on {} ({} ranks), and {} leaves {:.0f} "
                              "MiB{}; use more nodes, a node with more memory, or fewer seeds",
                              largest, static_cast<double>(node_need) / mib, host_name(), node_.size(),
                              node.source, static_cast<double>(node_has) / mib, enough));
    throw Error(ExitCode::no_resources,
                fmt::format("slice {} needs the most, {:.0f} MiB per rank, and {} on {} allows {:.0f} MiB{}; "
                            "raise it, use more ranks, or fewer seeds",
                            largest, static_cast<double>(own) / mib, process.source, host_name(),
                            static_cast<double>(process.bytes) / mib, enough));
  }

  /// On rank 0: an Error when slice n, solved, could not be written for lack of room; a note when it may
  /// become tight, also because of checkpoints: while one is saved or the slice is written, the one before is
  /// still there.
  void require_disk(int n) const {
    if (!ranks_.root()) return;
    const auto positions = static_cast<double>(slice_size(n));
    const std::optional<double> file = forecast_.file_bytes(n, positions);
    std::error_code unknown;
    const auto free = static_cast<double>(std::filesystem::space(out_, unknown).available);
    if (!file || unknown) return;
    constexpr double kHopeless = 0.7, kTight = 1.1;  // of what is expected, which may be somewhat wrong
    constexpr double kMb = 1e6;
    const double with_checkpoints = *file + Forecast::checkpoint_bytes(*file);
    if (free < kHopeless * *file)
      throw Error(
          ExitCode::no_resources,
          fmt::format("slice {} needs about {:.1f} MB of disk and {} has {:.1f} MB left; free some space and "
                      "run the same command again",
                      n, *file / kMb, out_.string(), free / kMb));
    if (free < kTight * with_checkpoints)
      observer_.note(
          fmt::format("slice {:2}: needs about {:.1f} MB of disk, with checkpoints up to {:.1f} MB, and {} "
                      "has {:.1f} MB left",
                      n, *file / kMb, with_checkpoints / kMb, out_.string(), free / kMb));
  }
  void slice_holds(const SliceReport& report) { forecast_.slice_holds(report); }

  /// Address space for slice n and all smaller ones; it takes memory only as it is used.
  void reserve(int n) { arrays_.fit(n, form_of(n, options_), ranks_.rank(), ranks_.size()); }

  SliceReport solve_slice(int n) {
    Slice slice{n, static_cast<double>(slice_size(n)),
                SliceState(n, options_.rules, form_of(n, options_), ranks_.rank(), ranks_.size(), arrays_)};
    require_disk(n);
    observer_.slice_begins(n, slice_size(n));
    restore(slice);
    const ExchangeCounters start = exchange_.counters();
    find_exits(slice);
    const ExchangeCounters exits_read = exchange_.counters();
    if (slice.state.meaning.joined())
      settle<Joined>(slice);
    else
      settle<Apart>(slice);
    const ExchangeCounters rounds_done = exchange_.counters();
    SliceReport report = write(slice);
    report.round_traffic = traffic(exits_read, rounds_done);
    report.exit_traffic = traffic(start, exits_read);
    report.value_traffic = traffic(rounds_done, exchange_.counters());
    for (const Traffic* part : {&report.exit_traffic, &report.round_traffic, &report.value_traffic}) {
      report.exchanged_bytes += part->bytes;
      report.messages += part->messages;
      report.exchanges += part->exchanges;
    }
    forget_checkpoints(n);
    forecast_.slice_took(report);
    forecast_.slice_holds(report);
    observer_.slice_done(report);
    return report;
  }

  /// Of a slice that is there.
  void forget_checkpoints(int n) const {
    if (!ranks_.root()) return;
    for (const std::string& sentence : checkpoints_.remove(n)) observer_.note(sentence);
  }

  /// Between two slices: throws Stopped when any rank wishes to stop.
  void between_slices(int next) {
    if (most_urgent(Stage::between, next, {}) >= Wish::stop)
      throw Stopped(fmt::format(
          "stopped on request before slice {}; run the same command to continue from there", next));
  }

 private:
  /// A slice under way.
  struct Slice {
    int n;
    double positions;
    SliceState state;
    SliceProgress progress{};
    PhaseSeconds phase{};
    Stopwatch watch{}, all{};
    double seconds_before = 0;  ///< in runs before

    double seconds() const { return seconds_before + all.seconds(); }
  };

  // ------------------------------------------------------------------------------- the work, phase by phase

  void restore(Slice& slice) {
    const auto bad = [&](const std::filesystem::path& path, const std::string& reason) {
      observer_.checkpoint_bad({slice.n, path, reason});
    };
    const auto crc = [&](int n) { return source_.stated_crc(n); };
    if (const auto restored = checkpoints_.restore(slice.state, crc, bad)) {
      slice.progress = restored->progress;
      slice.seconds_before = slice.progress.seconds;
      observer_.resumed({slice.n, restored->path, {}});
    }
  }

  void find_exits(Slice& slice) {
    observer_.phase_begins("exits");
    SliceProgress& progress = slice.progress;
    if (progress.at == SliceProgress::At::exits) {
      tables_.set_bound(CaptureTables::bound(slice.n, ranks_.size()));
      const ExitTools tools{source_, ranks_, exchange_, tables_, exits_waiting(options_.batch)};
      if (progress.captured < 2) begin_exits(slice.state);
      while (progress.captured < most_captured(slice.n)) {
        ++progress.captured;
        progress.exit_crcs[slice.n - progress.captured] =
            read_exits(slice.state, progress.captured, tools, slice.phase.read);
        const double left = 1 - progress.captured / static_cast<double>(most_captured(slice.n));
        consider(slice, Stage::exits,
                 forecast_.exits(slice.positions) * left + forecast_.rounds(slice.positions) +
                     forecast_.finish(slice.positions));
      }
      finish_exits(slice.state);
    } else if (progress.at == SliceProgress::At::rounds) {
      note_pending(slice.state);
    }
    if (progress.at != SliceProgress::At::done) note_exits(slice.state);
    slice.phase.exits = slice.watch.lap() - slice.phase.read;
  }

  template <typename Layout>
  void settle(Slice& slice) {
    SliceProgress& progress = slice.progress;
    if (progress.at == SliceProgress::At::done) return;
    observer_.phase_begins("rounds");
    if (progress.at == SliceProgress::At::exits) progress.threshold = slice.state.meaning.width();
    progress.at = SliceProgress::At::rounds;
    const SliceProgress before = progress;
    const Stopwatch watch;
    Rounds<Layout> rounds(slice.state, ranks_, exchange_, options_.batch);
    Outlook outlook;
    RoundHooks hooks;
    hooks.progress = [&](const RoundProgress& at) {
      outlook.to_finish = forecast_.rounds_left(slice.n, slice.positions, static_cast<double>(at.settled),
                                                before.round_seconds + watch.seconds()) +
                          forecast_.finish(slice.positions);
      outlook.to_checkpoint = forecast_.checkpoint(slice.positions);
      observer_.round_done(
          {at.threshold, before.rounds + rounds.counters().rounds, at.settled, outlook.to_finish});
    };
    hooks.progress({progress.threshold, progress.settled});
    hooks.wish = [&] { return control_.wish(Stage::rounds, slice.n, outlook); };
    hooks.heed = [&](Wish wish) {
      rounds.mark_listed();
      progress.threshold = rounds.threshold();
      progress.level = rounds.level();
      add_counters(progress, before, rounds, watch.seconds());
      heed(slice, wish, outlook);
    };
    rounds.run(progress.threshold, progress.level, progress.settled, hooks);
    add_counters(progress, before, rounds, watch.seconds());
    progress.at = SliceProgress::At::done;
    slice.phase.rounds = slice.watch.lap();
  }

  /// As in SliceInfo. Precondition: all exits are merged.
  static std::vector<std::uint32_t> exit_crcs(const Slice& slice) {
    std::vector<std::uint32_t> crcs;
    for (int k = 2; k <= most_captured(slice.n); ++k)
      crcs.push_back(slice.progress.exit_crcs.at(slice.n - k));
    return crcs;
  }

  SliceReport write(Slice& slice) {
    observer_.phase_begins("writing");
    const double expected = forecast_.finish(slice.positions);
    consider(slice, Stage::transposition, expected);
    FinishTimes times;
    const FinishedSlice finished = finish_slice(
        slice.state, options_.scope, out_, ranks_, exchange_, control_, exit_crcs(slice),
        [&](double share) { consider(slice, Stage::writing, expected * (1 - share)); }, times);
    slice.phase.transposition = times.transposition;
    slice.phase.compress = times.compress;
    slice.phase.write = times.write + times.distances;
    const SliceInfo info{slice.n,      options_.rules, slice_size(slice.n),
                         finished.crc, kVersion,       finished.histogram,
                         {},           options_.scope};
    SliceReport report = report_of(info, finished.file_bytes);
    report.seconds = slice.seconds();
    report.rounds = slice.progress.rounds;
    report.settled = slice.progress.settled;
    report.predecessors = slice.progress.predecessors;
    report.candidates = slice.progress.candidates;
    report.words_touched = slice.progress.words_touched;
    report.phase = mean(slice.phase);
    return report;
  }

  // ------------------------------------------------------------------------------------------- wishes

  Wish most_urgent(Stage stage, int n, const Outlook& outlook) const {
    return static_cast<Wish>(ranks_.max(static_cast<std::uint64_t>(control_.wish(stage, n, outlook))));
  }

  void consider(Slice& slice, Stage stage, double to_finish) {
    const Outlook outlook{to_finish, forecast_.checkpoint(slice.positions)};
    const Wish wish = most_urgent(stage, slice.n, outlook);
    if (wish != Wish::go_on) heed(slice, wish, outlook);
  }

  /// Collective: saves the state, stops, or goes on because the slice is done sooner than the state is saved.
  void heed(Slice& slice, Wish wish, const Outlook& outlook) {
    // Clocks differ: rank 0's counts.
    const bool sooner = ranks_.any(ranks_.root() && outlook.to_finish <= outlook.to_checkpoint);
    if (wish == Wish::stop && sooner) {
      if (std::exchange(told_, slice.n) != slice.n)
        observer_.note(
            fmt::format("asked to stop: slice {} will be finished in about {:.1f} s, sooner than its state "
                        "could be saved",
                        slice.n, outlook.to_finish));
      return;
    }
    const Checkpoints::Saved saved = save(slice);
    if (wish == Wish::checkpoint) return;
    if (saved.path.empty())
      throw Error(ExitCode::no_resources,
                  fmt::format("stopped on request, but without a new checkpoint: {}", saved.error));
    throw Stopped(fmt::format("stopped on request in slice {}; run the same command to continue from {}",
                              slice.n, saved.path.string()));
  }

  Checkpoints::Saved save(Slice& slice) {
    observer_.checkpoint_begins(slice.n);
    const Stopwatch watch;
    slice.progress.seconds = slice.seconds();
    const Checkpoints::Saved saved = checkpoints_.save(slice.state, slice.progress);
    for (const std::string& sentence : saved.notes) observer_.note(sentence);
    forecast_.checkpoint_took(slice.positions, watch.seconds());
    const CheckpointReport report{slice.n, saved.path, saved.error, saved.bytes, watch.seconds()};
    if (saved.path.empty())
      observer_.checkpoint_failed(report);
    else
      observer_.checkpoint_done(report);
    return saved;
  }

  template <typename Layout>
  void add_counters(SliceProgress& progress, const SliceProgress& before, const Rounds<Layout>& rounds,
                    double seconds) const {
    const RoundCounters& own = rounds.counters();
    std::array<std::uint64_t, 4> sums = {own.predecessors, own.candidates, own.words_touched,
                                         rounds.settled()};
    ranks_.sum(sums);
    progress.rounds = before.rounds + own.rounds;
    progress.predecessors = before.predecessors + sums[0];
    progress.candidates = before.candidates + sums[1];
    progress.words_touched = before.words_touched + sums[2];
    progress.settled = before.settled + sums[3];
    progress.round_seconds = before.round_seconds + seconds;
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
  SolveControl& control_;
  Communicator node_;
  const int on_node_;
  Exchange exchange_;
  Checkpoints checkpoints_;
  SliceSource source_;
  CaptureTables tables_;
  StateArrays arrays_;
  Forecast forecast_;
  int told_ = -1;  ///< the slice of which the user was told that it is finished before the stop
};

}  // namespace

namespace {
constexpr std::uint64_t kSmallestBatch = std::uint64_t{1} << 17, kLargestBatch = std::uint64_t{1} << 22;
}

SolveOptions resolved(SolveOptions options, int ranks) {
  // A batch of a 256th of a rank's positions takes up to a quarter of a byte per position, all buffers
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

bool one_byte_a_position(int n, const SolveOptions& options) {
  return !options.counts_apart && options.scope.width(n) <= kJoinedWidth;
}

std::uint64_t state_memory(int n, const SolveOptions& options, int rank, int ranks) {
  return SliceState::memory(n, form_of(n, options), rank, ranks);
}

MemoryNeed solve_memory(int n, const SolveOptions& wanted, int rank, int ranks, int on_node) {
  const auto buffers = [&](const SolveOptions& options) {
    return rounds_memory(options.batch, ranks, options.distances) +
           Exchange::memory(ranks, options.exchange_bytes, exchange_grid(options, ranks, on_node));
  };
  const SolveOptions options = resolved(wanted, ranks);
  SolveOptions least = options;
  least.batch = std::min(options.batch, kSmallestBatch);
  least.exchange_bytes = std::min(options.exchange_bytes, 8 * kSmallestBatch);
  // What the runtime, MPI and HDF5 take by themselves, and the heap keeps from phase to phase: measured, 25
  // MiB per rank. What the exits read and send takes no more than the buffers of the rounds, which come
  // later.
  const std::uint64_t runtime = std::uint64_t{25} << 20;
  const StateForm form = form_of(n, wanted);
  const std::uint64_t tables = CaptureTables::bound(n, ranks);
  const std::uint64_t few_tables = std::min(tables, CaptureTables::kLittle);
  return {SliceState::memory(n, form, rank, ranks), buffers(options) - buffers(least) + tables - few_tables,
          buffers(least) + few_tables +
              std::max(finish_memory(n, ranks, wanted.distances), Checkpoints::memory(n, form)) + runtime};
}

std::vector<SliceReport> solve(SolveOptions options, const Communicator& ranks, SolveObserver& observer,
                               SolveControl& control) {
  RunConfig config{build_version(), options, {}};
  std::vector<SliceReport> reports;
  if (ranks.root()) {
    if (!std::filesystem::is_directory(options.dir)) require_writable(options.dir);  // which makes it
    for (const std::string& file : remove_leftovers(options.dir))
      observer.note(fmt::format("removed {}, left over from a run that ended early", file));
    const Database database(options.dir);
    database.require_rules(options.rules);
    database.require_scope(options.scope);
    config.present = database.slices();
    if (options.distances)
      for (int n : config.present)
        if (!database.slice(n).has_distances())
          observer.note(fmt::format("slice {:2}: exists without distances and is solved again with them", n));
    std::erase_if(config.present,
                  [&](int n) { return options.distances && !database.slice(n).has_distances(); });
    for (int n : config.present) {
      const SliceReader& reader = database.slice(n);
      reader.require_digests();
      reports.push_back(report_of(reader.info(), reader.file_bytes()));
      reports.back().found = true;
    }
  }
  config = share(config, ranks);
  options = resolved(config.options, ranks.size());
  const std::vector<SliceReport> found = std::move(reports);
  reports.clear();
  Solver solver(options, options.dir, ranks, observer, control);
  const auto present = [&](int n) {
    return std::find(config.present.begin(), config.present.end(), n) != config.present.end();
  };
  std::vector<int> missing = slices_to_solve(options.seeds);
  std::erase_if(missing, present);
  if (ranks.root() && !missing.empty()) require_writable(options.dir);
  solver.require_memory(missing);
  if (!missing.empty()) solver.reserve(missing.back());
  for (int n : slices_to_solve(options.seeds)) {
    if (!present(n)) {
      solver.between_slices(n);
      reports.push_back(solver.solve_slice(n));
      continue;
    }
    solver.forget_checkpoints(n);
    SliceReport report;
    report.seeds = n;
    report.found = true;
    for (const SliceReport& each : found)
      if (each.seeds == n) report = each;
    reports.push_back(report);
    solver.slice_holds(report);
    observer.slice_found(report);
  }
  return reports;
}

SliceReport solve_afresh(SolveOptions options, int n, const Communicator& ranks, SolveObserver& observer) {
  options.seeds = n;
  options = resolved(share({build_version(), options, {}}, ranks).options, ranks.size());
  std::optional<TemporaryDirectory> out;
  if (ranks.root()) {
    require_writable(options.dir);
    out.emplace(options.dir);
  }
  SolveControl undisturbed;
  Solver solver(options, ranks.broadcast(out ? out->path().string() : ""), ranks, observer, undisturbed);
  solver.require_memory({n});
  solver.reserve(n);
  return solver.solve_slice(n);
}

}  // namespace awele
