#include "scan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "awele/store/database.hpp"
#include "awele/store/read_errors.hpp"

namespace awele::cli {

std::vector<ScannedSlice> scan(const std::filesystem::path& dir) {
  std::vector<ScannedSlice> slices;
  std::vector<const SliceInfo*> usable;
  const auto attempt = [](ScannedSlice& slice, auto action) {
    try {
      action();
    } catch (const Error& error) {
      slice.reader.reset();
      slice.error = error.what();
      slice.unreadable = dynamic_cast<const Unreadable*>(&error) != nullptr;
    }
  };
  for (int n : slices_in(dir)) {
    slices.push_back({n, slice_path(dir, n), {}, {}, false});
    attempt(slices.back(), [&] { slices.back().reader = open_slice_file(dir, n); });
  }
  for (const ScannedSlice& slice : slices)
    if (slice.reader) usable.push_back(&slice.reader->info());
  if (!usable.empty()) {
    const SliceInfo kind = prevailing(usable);
    for (ScannedSlice& slice : slices)
      if (slice.reader) attempt(slice, [&] { require_same_kind(slice.path, slice.reader->info(), kind); });
  }
  if (slices.empty())
    throw Error(
        fmt::format("{} holds no slice files (slice_00.h5, slice_01.h5, ...); build them with: awele "
                    "solve --seeds 12 --db {}",
                    dir.string(), dir.string()));
  return slices;
}

SliceReader open_slice(const std::filesystem::path& dir, int n) {
  const std::vector<int> present = slices_in(dir);
  if (std::ranges::find(present, n) == present.end())
    throw Error(fmt::format("{} is missing; solve it with: awele solve --seeds {} --db {}",
                            slice_path(dir, n).string(), n, dir.string()));
  return open_slice_file(dir, n);
}

}  // namespace awele::cli
