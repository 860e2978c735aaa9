// awele check: are the slice files as they were written?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "awele/store/distances.hpp"
#include "awele/store/read_errors.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "results.hpp"
#include "scan.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Reads every value of every slice (about 2 ns per position besides the disk) and
compares their CRC-32 and their histogram with what the file says; likewise the
CRC-32 of the distances, where there are any. A slice also records which smaller
slices it was made from: those in the directory must be the same. Prints one line per
slice: ok, or what is wrong. Continues after a damaged slice. Exit code 3 if any slice
is wrong, 1 if none is, but some could not be read (no permission, an I/O error).

This finds files damaged since they were written. It does not prove that the values
are those of the game; awele verify derives them again from their successors.

Example:
  awele check --db awari)";

struct Options {
  std::string db;
  int slice = -1;
};

/// What is wrong with the values of a slice; empty when nothing is.
std::string find_fault(const SliceReader& slice) {
  std::array<std::uint64_t, 256> counts{};
  std::vector<std::int8_t> values;
  std::uint32_t crc = 0;
  for (std::uint64_t index = 0; index < slice.chunk_count(); ++index) {
    slice.read_chunk(index, values);
    crc = crc32(crc, std::span(std::as_const(values)));
    for (std::int8_t value : values) ++counts[static_cast<std::uint8_t>(value)];
  }
  const SliceInfo& info = slice.info();
  if (crc != info.crc)
    return fmt::format(
        "{} is damaged: the CRC-32 of its values is {:08x}, its attribute says {:08x}; remove it (or "
        "restore it from a copy) and solve it again",
        slice.path().string(), crc, info.crc);
  for (int v = -128; v <= 127; ++v) {
    const bool possible = std::abs(v) <= info.scope.width(info.seeds);
    const std::uint64_t said = possible ? info.histogram[static_cast<std::size_t>(v + info.seeds)] : 0;
    const std::uint64_t found = counts[static_cast<std::uint8_t>(static_cast<std::int8_t>(v))];
    if (found != said)
      return fmt::format(
          "{} is damaged: {} of its values are {}, its histogram says {}; remove it (or restore it "
          "from a copy) and solve it again",
          slice.path().string(), found, v, said);
  }
  return {};
}

/// What is wrong with the distances of a slice; empty when nothing is, or when it has none.
std::string find_distance_fault(const SliceReader& slice) {
  if (!slice.has_distances()) return {};
  std::vector<std::uint16_t> distances;
  std::uint32_t crc = 0;
  for (std::uint64_t index = 0; index < slice.chunk_count(); ++index) {
    slice.read_distance_chunk(index, distances);
    crc = crc32(crc, std::span(std::as_const(distances)));
  }
  if (crc == *slice.info().distance_crc) return {};
  return fmt::format(
      "{} is damaged: the CRC-32 of its distances is {:08x}, its attribute says {:08x}; remove it (or "
      "restore it from a copy) and solve it again",
      slice.path().string(), crc, *slice.info().distance_crc);
}

enum class State { right, wrong, unread };

/// Which of the smaller slices is not the one that this slice was made from; empty when none is.
std::string find_other_exits(const SliceReader& slice, const std::vector<ScannedSlice>& all) {
  const std::vector<std::uint32_t>& made_from = slice.info().exit_crcs;
  for (std::size_t k = 0; k < made_from.size(); ++k) {
    const int n = slice.info().seeds - 2 - static_cast<int>(k);
    for (const ScannedSlice& each : all)
      if (each.seeds == n && each.reader && each.reader->info().crc != made_from[k])
        return fmt::format(
            "{} was made from a slice {} whose values have the CRC-32 {:08x}, but those of {} have {:08x}: "
            "one of the two belongs to another database; remove the wrong one and solve it again",
            slice.path().string(), n, made_from[k], each.path.string(), each.reader->info().crc);
  }
  return {};
}

/// Prints the line of one slice.
State check(const ScannedSlice& slice, const std::vector<ScannedSlice>& all) {
  std::string fault = slice.error;
  bool unread = slice.unreadable;
  if (slice.reader) try {
      fault = find_fault(*slice.reader);
      if (fault.empty()) fault = find_distance_fault(*slice.reader);
      if (fault.empty()) fault = find_other_exits(*slice.reader, all);
    } catch (const Error& error) {
      fault = error.what();
      unread = dynamic_cast<const Unreadable*>(&error) != nullptr;
    }
  const std::string file = slice.path.filename().string();
  if (fault.empty())
    put("{}  {:>15} positions  CRC-32 {:08x}  ok\n", file, slice.reader->info().positions,
        slice.reader->info().crc);
  else
    put("{}  {}: {}\n", file, unread ? "NOT READ" : "WRONG", fault);
  deliver_results();
  return fault.empty() ? State::right : unread ? State::unread : State::wrong;
}

int run(const Options& options) {
  const std::vector<ScannedSlice> slices = scan(options.db);
  std::vector<std::string> wrong, unread;
  std::size_t checked = 0;
  for (const ScannedSlice& slice : slices) {
    if (options.slice >= 0 && slice.seeds != options.slice) continue;
    ++checked;
    const State state = check(slice, slices);
    if (state == State::wrong) wrong.push_back(slice.path.string());
    if (state == State::unread) unread.push_back(slice.path.string());
  }
  if (checked == 0) open_slice(options.db, options.slice);  // says that it is missing
  std::vector<std::string> faults;
  if (!wrong.empty())
    faults.push_back(
        fmt::format("{} of {} slices are wrong: {}", wrong.size(), checked, fmt::join(wrong, ", ")));
  if (!unread.empty())
    faults.push_back(fmt::format("{} of {} slices could not be read: {}", unread.size(), checked,
                                 fmt::join(unread, ", ")));
  if (faults.empty()) return static_cast<int>(ExitCode::ok);
  throw Error(wrong.empty() ? ExitCode::failure : ExitCode::verification_failed,
              fmt::format("{}", fmt::join(faults, "; ")));
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "check", "Recompute every slice's digest and histogram from its values", kDetails);
  add_db(*command, options->db);
  add_seeds(*command, "--slice", options->slice, "Only the slice of N seeds (default: every slice present)");
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
