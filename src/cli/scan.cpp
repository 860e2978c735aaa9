#include "scan.hpp"

#include <fmt/format.h>

#include "awele/store/database.hpp"
#include "awele/support/error.hpp"

namespace awele::cli {

namespace {

void require_directory(const std::filesystem::path& dir) {
  if (!std::filesystem::is_directory(dir))
    throw Error(
        fmt::format("{}: no such directory; build a database there with: awele solve --seeds 12 --db {}",
                    dir.string(), dir.string()));
}

SliceReader open_as(const std::filesystem::path& path, int n) {
  SliceReader reader(path);
  if (reader.info().seeds != n)
    throw Error(
        fmt::format("{} holds the slice of {} seeds, not of {}; rename it to its true name or remove it",
                    path.string(), reader.info().seeds, n));
  return reader;
}

}  // namespace

std::vector<ScannedSlice> scan(const std::filesystem::path& dir) {
  require_directory(dir);
  std::vector<ScannedSlice> slices;
  std::optional<SliceInfo> first;
  for (int n = 0; n <= kMaxSeeds; ++n) {
    ScannedSlice slice;
    slice.seeds = n;
    slice.path = slice_path(dir, n);
    if (!std::filesystem::exists(slice.path)) continue;
    try {
      slice.reader = open_as(slice.path, n);
      if (!first) first = slice.reader->info();
      require_same_kind(slice.path, slice.reader->info(), *first);
    } catch (const Error& error) {
      slice.reader.reset();
      slice.error = error.what();
    }
    slices.push_back(std::move(slice));
  }
  if (slices.empty())
    throw Error(
        fmt::format("{} holds no slice files (slice_00.h5, slice_01.h5, ...); build them with: awele "
                    "solve --seeds 12 --db {}",
                    dir.string(), dir.string()));
  return slices;
}

SliceReader open_slice(const std::filesystem::path& dir, int n) {
  require_directory(dir);
  const auto path = slice_path(dir, n);
  if (!std::filesystem::exists(path))
    throw Error(fmt::format("{} is missing; solve it with: awele solve --seeds {} --db {}", path.string(), n,
                            dir.string()));
  return open_as(path, n);
}

}  // namespace awele::cli
