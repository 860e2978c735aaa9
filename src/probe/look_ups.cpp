#include "look_ups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "awele/index/slice_index.hpp"
#include "awele/probe/probe.hpp"

namespace awele {

namespace {

constexpr int kPlaneShift = 24;  // slice 48 has 3.1 million chunks
constexpr int kSeedsShift = 25;
static_assert(slice_size(kMaxSeeds) / kChunk < (std::uint64_t{1} << kPlaneShift));

int seeds_of(std::uint32_t chunk) { return static_cast<int>(chunk >> kSeedsShift); }
bool of_distances(std::uint32_t chunk) { return (chunk >> kPlaneShift & 1) != 0; }

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
  throw ProbeError(
      ProbeFault::not_solved, ExitCode::failure,
      fmt::format("{} is missing; solve it with: awele solve --seeds {} --db {}{}",
                  slice_path(dir, n).string(), n, dir.string(),
                  rules ? fmt::format(" --rules {}{}", name(*rules), solve_options(shelf.scope())) : ""));
}

void fail_without_distances(const Shelf& shelf, const std::filesystem::path& dir, int n) {
  throw ProbeError(
      ProbeFault::no_distances, ExitCode::failure,
      fmt::format("{} has no distances; solve it again, in the same directory, with: awele solve "
                  "--distances --seeds {} --db {} --rules {}",
                  slice_path(dir, n).string(), n, dir.string(), name(*shelf.rules())));
}

ChunkPtr fetch(const Shelf& shelf, const std::filesystem::path& dir, ChunkCache& cache, std::uint32_t chunk) {
  const int n = seeds_of(chunk);
  const std::uint64_t index = chunk & ((1u << kPlaneShift) - 1);
  const OpenSlice* slice = shelf.slices[static_cast<std::size_t>(n)].get();
  if (!slice) fail_missing(shelf, dir, n);
  if (of_distances(chunk) && !slice->has_distances()) fail_without_distances(shelf, dir, n);
  const auto load = [&] { return of_distances(chunk) ? slice->distances(index) : slice->values(index); };
  return cache.get(chunk, bytes_of(std::span(&chunk, 1)), std::ref(load));
}

std::uint64_t bytes_of(std::span<const std::uint32_t> chunks) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t chunk : chunks)
    bytes += chunk_size(seeds_of(chunk)) * (of_distances(chunk) ? sizeof(std::uint16_t) : 1);
  return bytes;
}

void sort_by_place(std::vector<LookUp>& look_ups) {
  std::sort(look_ups.begin(), look_ups.end(), [](const LookUp& a, const LookUp& b) {
    return a.chunk != b.chunk ? a.chunk < b.chunk : a.at() < b.at();
  });
}

NearChunks::NearChunks(ChunkCache& cache, std::size_t boards) : cache_(cache) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  const std::size_t may_hold = std::max(kLeast, cache.use().capacity / kChunk);
  const std::size_t size = std::bit_floor(std::min(std::clamp(boards, kLeast, kMost), may_hold));
  entries_.resize(size);
  shift_ = 32 - std::countr_zero(size);
}

void NearChunks::look(Entry& entry, std::uint32_t chunk) {
  if (entry.held) replaced_.push_back(std::move(entry.held));
  entry = {chunk, cache_.find(chunk)};
  if (!entry.held) missing_.push_back(chunk);
}

std::vector<std::uint32_t> NearChunks::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  replaced_.clear();
  std::sort(missing_.begin(), missing_.end());
  missing_.erase(std::unique(missing_.begin(), missing_.end()), missing_.end());
  return std::exchange(missing_, {});
}

}  // namespace awele
