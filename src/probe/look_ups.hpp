// Look-ups of many boards, answered in the order of the files.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
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

/// What chunks count for in the cache.
std::uint64_t bytes_of(std::span<const std::uint32_t> chunks);

/// The errors for a slice that is not there, and for one without distances.
[[noreturn]] void fail_missing(const Shelf& shelf, const std::filesystem::path& dir, int n);
[[noreturn]] void fail_without_distances(const Shelf& shelf, const std::filesystem::path& dir, int n);

/// One number to look up.
struct LookUp {
  /// `slot`, -1..100, tells the look-ups of a board apart.
  LookUp(const Board& looked_up, Plane plane, std::size_t for_board, int slot)
      : chunk(0),
        packed(static_cast<std::uint32_t>(slot) << kSlotShift),
        board(static_cast<std::uint32_t>(for_board)) {
    const Place place = place_of(looked_up, plane);
    chunk = place.chunk;
    packed |= place.at;
  }
  LookUp() = default;
  int slot() const { return static_cast<std::int16_t>(packed >> kSlotShift); }
  std::uint32_t at() const { return packed & 0xffff; }

  std::uint32_t chunk, packed, board;

 private:
  static constexpr int kSlotShift = 16;  // a place in a chunk is below 2^16
};

/// By chunk, then place.
void sort_by_place(std::vector<LookUp>& look_ups);

/// The chunks that one call has come across in the cache, so that most look-ups take no lock. Holds at most
/// as many bytes as the cache may.
class NearChunks {
 public:
  NearChunks(ChunkCache& cache, std::size_t boards);

  /// The chunk, or null when the cache did not have it at the first look. Stays valid until release() or
  /// clear().
  const Chunk* find(std::uint32_t chunk) {
    Entry& entry = entries_[(chunk * 0x9e3779b1u) >> shift_];
    if (entry.chunk != chunk) look(entry, chunk);
    return entry.held.get();
  }
  /// Lets go of chunks whose place another one has taken.
  void release() { replaced_.clear(); }
  /// Forgets all; the chunks that were not found, ascending.
  std::vector<std::uint32_t> clear();

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Entry {
    std::uint32_t chunk = kNone;
    ChunkPtr held;
  };
  void look(Entry& entry, std::uint32_t chunk);

  ChunkCache& cache_;
  int shift_;
  std::vector<Entry> entries_;
  std::vector<ChunkPtr> replaced_;
  std::vector<std::uint32_t> missing_;
};

/// Answers look-ups, in any order, by found(board, slot, number). Those whose chunk is in the cache are
/// answered soon after they are added; the others by finish(), which reads each chunk once, in the order of
/// the files.
template <typename Found>
class LookUps {
 public:
  LookUps(const Shelf& shelf, const std::filesystem::path& dir, ChunkCache& cache, std::size_t boards,
          Found found)
      : shelf_(shelf), dir_(dir), cache_(cache), near_(cache, boards), found_(std::move(found)) {}

  void add(const Board& looked_up, Plane plane, std::size_t board, int slot) {
    add(LookUp(looked_up, plane, board, slot));
  }

  void finish() {
    answer_ready();
    const std::vector<std::uint32_t> missing = near_.clear();
    if (later_.empty()) return;
    if (bytes_of(missing) <= cache_.use().capacity) {
      for (const std::uint32_t chunk : missing) fetch(shelf_, dir_, cache_, chunk);
      for (const LookUp& each : std::exchange(later_, {})) add(each);
      answer_ready();
    }
    answer_in_order();
  }

 private:
  struct Ready {
    LookUp look_up;
    const Chunk* chunk;
  };

  void add(const LookUp& look_up) {
    const Chunk* chunk = near_.find(look_up.chunk);
    if (!chunk) {
      later_.push_back(look_up);
      return;
    }
    chunk->prefetch(look_up.at());
    ready_[count_++] = {look_up, chunk};
    if (count_ == ready_.size()) answer_ready();
  }

  void answer(const LookUp& look_up, const Chunk& chunk) {
    found_(std::size_t{look_up.board}, look_up.slot(), chunk.at(look_up.at()));
  }

  void answer_ready() {
    for (std::size_t k = 0; k < count_; ++k) answer(ready_[k].look_up, *ready_[k].chunk);
    count_ = 0;
    near_.release();
  }

  /// More chunks than the cache may hold.
  void answer_in_order() {
    sort_by_place(later_);
    ChunkPtr chunk;
    for (std::size_t k = 0; k < later_.size(); ++k) {
      if (k == 0 || later_[k].chunk != later_[k - 1].chunk)
        chunk = fetch(shelf_, dir_, cache_, later_[k].chunk);
      answer(later_[k], *chunk);
    }
  }

  const Shelf& shelf_;
  const std::filesystem::path& dir_;
  ChunkCache& cache_;
  NearChunks near_;
  Found found_;
  std::array<Ready, 32> ready_;
  std::size_t count_ = 0;
  std::vector<LookUp> later_;
};

}  // namespace awele
