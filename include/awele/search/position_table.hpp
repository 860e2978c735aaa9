// The positions of a proof graph: a hash table of 12 bytes a slot, at most seven slots of eight in use.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/search/leaves.hpp"

namespace awele {

/// A board in 60 bits: a one, then for each pit as many zeros as it holds seeds, with a one between two pits.
/// Never 0. So the length of the key tells the number of seeds.
using BoardKey = std::uint64_t;

constexpr BoardKey key_of(const Board& board) {
  BoardKey key = 1;
  for (int k = 0; k + 1 < kPits; ++k) key = key << (board[k] + 1) | 1;
  return key << board[kPits - 1];
}
constexpr Board board_of(BoardKey key) {
  Board board{};
  for (int k = kPits - 1; k >= 0; --k) {
    board[k] = static_cast<std::uint8_t>(std::countr_zero(key));
    key >>= board[k] + 1;
  }
  return board;
}
constexpr int seeds_of(BoardKey key) { return std::bit_width(key) - kPits; }

class PositionTable {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kAbsent = ~Slot{0};

  /// What is known of a position.
  struct Entry {
    BoardKey key() const { return (std::uint64_t{key_high_} << 32 | key_low_) & kKeyBits; }
    bool used() const { return key_high_ != 0 || key_low_ != 0; }
    /// A bound of an outcome database among its moves: no search brings `high` below it.
    bool open() const { return (key_high_ & kOpen) != 0; }
    bool on_path() const { return (key_high_ & kOnPath) != 0; }
    void set_on_path(bool on) { key_high_ = on ? key_high_ | kOnPath : key_high_ & ~kOnPath; }

    std::int8_t low = 0, high = 0;    ///< proven of its value
    std::uint8_t phi = 0, delta = 0;  ///< see ProofGraph; for the search only, not proven
    /// The question that phi and delta belong to, as far as two bits tell.
    int question() const { return static_cast<int>(key_high_ >> 30); }
    void set_question(int q) {
      key_high_ = (key_high_ & ~kQuestion) | static_cast<std::uint32_t>(q & 3) << 30;
    }

   private:
    friend class PositionTable;
    static constexpr BoardKey kKeyBits = (BoardKey{1} << 60) - 1;
    static constexpr std::uint32_t kOpen = 1u << 28, kOnPath = 1u << 29, kQuestion = 3u << 30;
    std::uint32_t key_low_ = 0, key_high_ = 0;
  };

  /// `most` positions at most, less than 2^31.
  explicit PositionTable(std::size_t most) : most_(std::max<std::size_t>(most, 1)) {
    rebuild(std::min(most_, kFirst));
  }

  std::size_t size() const { return size_; }
  /// How many have room before the table must grow.
  std::size_t room() const { return capacity_ - size_; }
  bool full() const { return size_ >= most_; }
  /// It cannot grow.
  bool largest() const { return capacity_ == most_; }
  /// Makes room, unless it is the largest. Slots change.
  void grow() { rebuild(std::min(most_, kGrowth * capacity_)); }

  Slot find(BoardKey key) const {
    for (Slot at = first_slot(key);; at = next(at)) {
      if (!slots_[at].used()) return kAbsent;
      if (slots_[at].key() == key) return at;
    }
  }
  /// Preconditions: `key` is absent, room() > 0.
  Slot insert(BoardKey key, const Interval& proven, bool open);

  Entry& operator[](Slot at) { return slots_[at]; }
  const Entry& operator[](Slot at) const { return slots_[at]; }
  /// Slots, used or not.
  Slot slots() const { return static_cast<Slot>(slots_.size()); }

 private:
  static constexpr std::size_t kFirst = 1 << 14, kGrowth = 4;

  static std::uint64_t hash(BoardKey key) {
    key *= 0x9E3779B97F4A7C15u;
    key ^= key >> 29;
    return key * 0xBF58476D1CE4E5B9u;
  }
  Slot first_slot(BoardKey key) const { return static_cast<Slot>((hash(key) >> 32) * slots_.size() >> 32); }
  Slot next(Slot at) const { return at + 1 == slots_.size() ? 0 : at + 1; }
  void rebuild(std::size_t capacity);

  std::size_t most_, capacity_ = 0, size_ = 0;
  std::vector<Entry> slots_;
};

}  // namespace awele
