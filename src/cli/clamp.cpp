// awele clamp: an outcome database from an exact one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "awele/game/scope.hpp"
#include "awele/run/lock.hpp"
#include "awele/run/signals.hpp"
#include "awele/store/database.hpp"
#include "awele/store/distances.hpp"
#include "awele/support/error.hpp"
#include "commands.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Makes the outcome database for games of T seeds in OUT from the exact database in
DIR. In a game of T seeds, T - n have been captured once n are left, so a value
beyond T - n wins or loses whatever the captures were. Values of slice n are clamped
to -W..W with W = min(n, T - n + 1): they still tell who wins every position of
every such game, and compress better. The slices up to (T + 1) / 2 seeds keep their
exact values.

Distances are copied with the slices that keep their exact values and left out of
the others: towards a clamped value the winner may have a shorter way than towards
the exact one, so the distances of an exact slice would be wrong there. To get them,
solve: awele solve --outcome --distances.

Every value read is checked against the checksums of its file, and each slice
appears under its name only when it is complete. Slices that OUT has already are
compared by their histograms and kept, so running the same command again continues
what was interrupted. OUT/lock keeps other writers out.

Prints one line per slice: seeds, largest value W, positions and CRC-32.

Example:
  awele clamp --db exact --out outcomes --total 48)";

struct Options {
  std::string db, out;
  int total = kMaxSeeds, seeds = -1;
};

/// The slices to convert, ascending.
std::vector<int> wanted(const Database& exact, const Options& options) {
  if (exact.empty())
    throw Error(fmt::format("{} holds no slice files; build them with: awele solve --seeds 12 --db {}",
                            options.db, options.db));
  exact.require_scope(Scope{});
  std::vector<int> slices = exact.slices();
  if (options.seeds >= 0) {
    exact.slice(options.seeds);  // says that it is missing
    std::erase_if(slices, [&](int n) { return n > options.seeds; });
  }
  if (slices.back() > options.total)
    throw Error(
        ExitCode::usage,
        fmt::format("{} has slices of up to {} seeds, more than a game of {} seeds has; give a larger "
                    "--total, or --seeds {} to leave the larger slices out",
                    options.db, slices.back(), options.total, options.total));
  if (!Scope::outcome(options.total).admits(slices.back(), exact.rules()))
    throw Error(
        ExitCode::usage,
        fmt::format("under the rules {} values are thresholds of a game of {} seeds; leave --total out",
                    name(exact.rules()), kMaxSeeds));
  return slices;
}

/// The histogram that clamping gives.
std::vector<std::uint64_t> clamped_histogram(const SliceInfo& exact, Scope scope) {
  std::vector<std::uint64_t> histogram(exact.histogram.size());
  for (int value = -exact.seeds; value <= exact.seeds; ++value)
    histogram[static_cast<std::size_t>(scope.clamp(exact.seeds, value) + exact.seeds)] +=
        exact.histogram[static_cast<std::size_t>(value + exact.seeds)];
  return histogram;
}

[[noreturn]] void fail_damaged(const SliceReader& slice, const std::string& what) {
  throw Error(fmt::format("{} is damaged: {}; remove it (or restore it from a copy) and solve it again",
                          slice.path().string(), what));
}

/// Copies the distances of a slice whose values stay as they are.
void copy_distances(const SliceReader& exact, SliceWriter& writer) {
  std::vector<std::byte> stream;
  std::vector<std::uint16_t> distances;
  std::uint32_t crc = 0;
  for (std::uint64_t index = 0; index < exact.chunk_count(); ++index) {
    exact.read_distance_chunk(index, distances);  // for its checks
    crc = crc32(crc, std::span(std::as_const(distances)));
    exact.read_distance_stream(index, stream);
    writer.write_distance_stream(index, stream, exact.distance_chunk_crc(index));
  }
  if (crc != *exact.info().distance_crc)
    fail_damaged(exact, fmt::format("the CRC-32 of its distances is {:08x}, its attribute says {:08x}", crc,
                                    *exact.info().distance_crc));
}

/// Writes the clamped slice; returns its CRC-32.
std::uint32_t write_clamped(const SliceReader& exact, Scope scope, const std::filesystem::path& out,
                            const RunLock& lock) {
  const int n = exact.info().seeds;
  SliceWriter writer(out, n, exact.info().rules, lock.token(), scope);
  Compressor compressor;
  std::vector<std::int8_t> values;
  std::vector<std::byte> stream;
  std::vector<std::uint64_t> histogram(exact.info().histogram.size());
  std::uint32_t read = 0, written = 0;
  for (std::uint64_t index = 0; index < exact.chunk_count(); ++index) {
    exact.read_chunk(index, values);
    read = crc32(read, std::span(std::as_const(values)));
    for (std::int8_t& value : values) {
      if (value < -n || value > n) fail_damaged(exact, fmt::format("it has a value of {}", value));
      value = static_cast<std::int8_t>(scope.clamp(n, value));
      ++histogram[static_cast<std::size_t>(value + n)];
    }
    const std::uint32_t crc = crc32(0, std::span(std::as_const(values)));
    written = crc32(written, std::span(std::as_const(values)));
    values.resize(exact.chunk_size());  // the last chunk is padded with zeros
    stream.clear();
    compressor.append(values, stream);
    writer.write_stream(index, stream, crc);
  }
  if (read != exact.info().crc) fail_digest(exact.path(), read, exact.info().crc);
  if (histogram != clamped_histogram(exact.info(), scope))
    fail_damaged(exact, "its histogram is not that of its values");
  if (exact.has_distances() && !scope.clamps(n)) copy_distances(exact, writer);
  writer.finish(written, histogram, [&] { lock.require_held(); });
  return written;
}

/// Removes what a killed run has left of slices. Precondition: this run holds the lock.
void remove_leftovers(const std::filesystem::path& out) {
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with("slice_") && file.ends_with(".tmp")) old.push_back(entry.path());
  }
  for (const auto& path : old) {
    std::filesystem::remove(path);
    message("awele: removed {}, left over from an earlier run", path.string());
  }
}

/// A slice that OUT has already must be the one that would be written.
void require_same(const SliceReader& there, const SliceReader& exact, Scope scope) {
  if (there.info().histogram != clamped_histogram(exact.info(), scope))
    throw Error(
        fmt::format("{} exists already, but its histogram is not that of {} clamped; remove it, or give "
                    "another --out",
                    there.path().string(), exact.path().string()));
}

int run(const Options& options) {
  const Database exact(options.db);
  const std::vector<int> slices = wanted(exact, options);
  const Scope scope = Scope::outcome(options.total);
  std::error_code ignored;
  if (std::filesystem::equivalent(options.db, options.out, ignored))
    throw Error(ExitCode::usage,
                fmt::format("--out is the exact database {} itself; give another directory", options.db));
  watch_signals(0);
  const RunLock lock(options.out);
  remove_when_ended(lock.path().string(), lock.token());
  if (!lock.taken_over().empty()) error_message(lock.taken_over());
  remove_leftovers(options.out);
  const Database there(options.out);
  there.require_rules(exact.rules());
  there.require_scope(scope);
  put("{:>5}  {:>3}  {:>15}  {:>8}\n", "seeds", "W", "positions", "CRC-32");
  for (int n : slices) {
    std::uint32_t crc = 0;
    if (there.has(n)) {
      require_same(there.slice(n), exact.slice(n), scope);
      crc = there.slice(n).info().crc;
    } else {
      crc = write_clamped(exact.slice(n), scope, options.out, lock);
    }
    put("{:>5}  {:>3}  {:>15}  {:08x}{}\n", n, scope.width(n), exact.slice(n).info().positions, crc,
        there.has(n) ? "  there" : "");
    deliver_results();
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_clamp(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "clamp", "Make an outcome database from an exact one", kDetails);
  add_db(*command, options->db)->description("Directory of the exact database");
  command->add_option("--out", options->out, "Directory to write; created if it does not exist")
      ->type_name("OUT")
      ->required();
  add_seeds(*command, "--total", options->total, fmt::format("Seeds of a game (default {})", kMaxSeeds))
      ->type_name("T");
  add_seeds(*command, "--seeds", options->seeds, "Only the slices up to N seeds (default: all)");
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
