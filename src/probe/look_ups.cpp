#include "look_ups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "awele/index/slice_index.hpp"
#include "awele/probe/probe.hpp"

namespace awele {

namespace {

constexpr int kPlaneShift = 24;  // slice 48 has 3.1 million chunks
constexpr int kSeedsShift = 25;
static_assert(slice_size(kMaxSeeds) / kChunk < (std::uint64_t{1} << kPlaneShift));

}  // namespace

Place place_of(const Board& board, Plane plane) {
  const int n = seeds(board);
  const std::uint64_t rank = position_rank(board);
  return {static_cast<std::uint32_t>(n) << kSeedsShift |
              static_cast<std::uint32_t>(plane == Plane::distances) << kPlaneShift |
              static_cast<std::uint32_t>(rank / kChunk),
          static_cast<std::uint32_t>(rank % kChunk)};
}

void fail_missing(const Shelf& shelf, const std::filesystem::path& dir, int n) {
  const auto rules = shelf.rules();
  throw ProbeError(ProbeFault::not_solved, ExitCode::failure,
                   fmt::format("{} is missing; solve it with: awele solve --seeds {} --db {}{}",
                               slice_path(dir, n).string(), n, dir.string(),
                               rules ? fmt::format(" --rules {}", name(*rules)) : ""));
}

void fail_without_distances(const OpenSlice& slice) {
  throw ProbeError(
      ProbeFault::no_distances, ExitCode::failure,
      fmt::format("{} has no distances; solve it in another directory with: awele solve --distances",
                  slice.path().string()));
}

ChunkPtr fetch(const Shelf& shelf, const std::filesystem::path& dir, ChunkCache& cache, std::uint32_t chunk) {
  const int n = static_cast<int>(chunk >> kSeedsShift);
  const bool distances = (chunk >> kPlaneShift & 1) != 0;
  const std::uint64_t index = chunk & ((1u << kPlaneShift) - 1);
  const OpenSlice* slice = shelf.slices[static_cast<std::size_t>(n)].get();
  if (!slice) fail_missing(shelf, dir, n);
  if (distances && !slice->has_distances()) fail_without_distances(*slice);
  const auto load = [&] { return distances ? slice->distances(index) : slice->values(index); };
  return cache.get(chunk, chunk_size(n) * (distances ? sizeof(std::uint16_t) : 1), std::ref(load));
}

void LookUps::add(const Board& looked_up, Plane plane, std::size_t board, int slot) {
  Place place = place_of(looked_up, plane);
  place.at |= static_cast<std::uint32_t>(slot) << kSlotShift;
  all_.push_back({place, static_cast<std::uint32_t>(board)});
}

void LookUps::sort() {
  std::sort(all_.begin(), all_.end(), [](const LookUp& a, const LookUp& b) {
    return a.place.chunk != b.place.chunk ? a.place.chunk < b.place.chunk : a.at() < b.at();
  });
}

}  // namespace awele
