// Look-ups of many boards, answered in the order of the files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "awele/game/board.hpp"
#include "chunk_cache.hpp"
#include "open_slice.hpp"

namespace awele {

/// What a slice holds of a position.
enum class Plane : std::uint8_t { values, distances };

/// Where a position's number lies: which chunk, and where in it.
struct Place {
  std::uint32_t chunk;  ///< seeds, plane and index in one; ascending in the order of the files
  std::uint32_t at;
};

/// Precondition: has_hole(waiting_half(board)).
Place place_of(const Board& board, Plane plane);

/// The chunk, from the cache or from its slice. Throws ProbeError, also when the slice is not there.
ChunkPtr fetch(const Shelf& shelf, const std::filesystem::path& dir, ChunkCache& cache, std::uint32_t chunk);

/// The errors for a slice that is not there, and for one without distances.
[[noreturn]] void fail_missing(const Shelf& shelf, const std::filesystem::path& dir, int n);
[[noreturn]] void fail_without_distances(const OpenSlice& slice);

class LookUps {
 public:
  /// `slot`, -1..100, tells the look-ups of a board apart.
  void add(const Board& looked_up, Plane plane, std::size_t board, int slot);
  /// Calls found(board, slot, number) for each, in any order.
  template <typename Found>
  void run(const Shelf& shelf, const std::filesystem::path& dir, ChunkCache& cache, Found found) {
    sort();
    ChunkPtr chunk;
    std::uint32_t held = kNone;
    for (const LookUp& each : all_) {
      if (each.place.chunk != held) chunk = fetch(shelf, dir, cache, each.place.chunk);
      held = each.place.chunk;
      found(std::size_t{each.board}, each.slot(), chunk->at(each.at()));
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr int kSlotShift = 16;  // a place in a chunk is below 2^16

  struct LookUp {
    Place place;  // with the slot in the high half of `at`
    std::uint32_t board;
    int slot() const { return static_cast<std::int16_t>(place.at >> kSlotShift); }
    std::uint32_t at() const { return place.at & 0xffff; }
  };
  void sort();

  std::vector<LookUp> all_;
};

}  // namespace awele
