// awele check: are the slice files as they were written?
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "awele/store/distances.hpp"
#include "awele/support/error.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "scan.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Reads every value of every slice (about 2 ns a position besides the disk) and
compares their CRC-32 and their histogram with what the file says; likewise the
CRC-32 of the distances, where there are any. One line a slice: ok, or what is
wrong. Goes on after a damaged slice. Exit code 3 if any slice is wrong.

This finds files damaged since they were written. It does not prove that the
values are those of the game; awele verify re-derives them from their children.

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

/// Prints the line of one slice; true when it is right.
bool check(const ScannedSlice& slice) {
  std::string fault = slice.error;
  if (slice.reader) try {
      fault = find_fault(*slice.reader);
      if (fault.empty()) fault = find_distance_fault(*slice.reader);
    } catch (const Error& error) {
      fault = error.what();
    }
  const std::string file = slice.path.filename().string();
  if (fault.empty())
    fmt::print("{}  {:>15} positions  CRC-32 {:08x}  ok\n", file, slice.reader->info().positions,
               slice.reader->info().crc);
  else
    fmt::print("{}  WRONG: {}\n", file, fault);
  std::fflush(stdout);
  return fault.empty();
}

int run(const Options& options) {
  std::vector<ScannedSlice> slices = scan(options.db);
  if (options.slice >= 0) {
    std::erase_if(slices, [&](const ScannedSlice& slice) { return slice.seeds != options.slice; });
    if (slices.empty()) open_slice(options.db, options.slice);  // says that it is missing
  }
  std::size_t wrong = 0;
  std::string names;
  for (const ScannedSlice& slice : slices) {
    if (check(slice)) continue;
    ++wrong;
    names += (names.empty() ? "" : ", ") + slice.path.string();
  }
  if (wrong == 0) return static_cast<int>(ExitCode::ok);
  throw Error(ExitCode::verification_failed,
              fmt::format("{} of {} slices are wrong: {}", wrong, slices.size(), names));
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "check", "Re-compute every slice's digest and histogram from its values", kDetails);
  add_db(*command, options->db);
  add_seeds(*command, "--slice", options->slice, "Only the slice of N seeds (default: every slice present)");
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
