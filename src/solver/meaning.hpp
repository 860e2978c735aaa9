// What the byte of a position says while its slice is solved.
//
// As long as exits are merged it is the best exit so far (namespace code). From the rounds on there are two
// layouts, both with values, pending sets and open positions, whose bytes Meaning knows:
//   apart   an open position is its best exit; the number of its open moves lies elsewhere, in four bits
//   joined  an open position is its best exit and, when that is negative, the number of its open moves as
//           well. One whose best exit is 0 or more is never lost, so nobody needs to count its moves; a
//           missing exit is as good as the worst. With values in -W..W these are 2W + 1 values, 4 pending
//           sets, W + 1 exits of 0 and more, and W negative ones with 0 to 6 moves each: 10W + 6 bytes in
//           all, so W can be 25.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace awele {

using Code = std::uint8_t;

/// While exits are merged, in both layouts: bit 7, and the best exit. The better of two is the larger byte.
namespace code {
inline constexpr Code open_missing = 0x80;  ///< no exit yet
constexpr Code open_exit(int e) { return static_cast<Code>(0xC0 + e); }
/// The exit of such a byte; a missing one is worse than all.
constexpr int exit_of(Code c) { return static_cast<int>(c) - 0xC0; }
}  // namespace code

/// The largest W for which the joined layout has bytes enough.
inline constexpr int kJoinedWidth = 25;
/// A side has six pits, so a position has at most six moves.
inline constexpr int kMostMoves = 6;

class Meaning {
 public:
  /// Values lie in -width..width. Precondition: width <= kJoinedWidth when joined.
  constexpr Meaning(int width, bool joined)
      : width_(width),
        joined_(joined),
        zero_(joined ? width : 64),
        pending_(joined ? 2 * width + 1 : 1),
        open_(joined ? 2 * width + 5 : 0x80),
        counted_(3 * width + 6) {}

  constexpr int width() const { return width_; }
  constexpr bool joined() const { return joined_; }

  constexpr Code settled(int value) const { return static_cast<Code>(zero_ + value); }
  /// Settled at the threshold at hand and not yet expanded; by pending set, see pending_set().
  constexpr Code pending(std::size_t set) const {
    return static_cast<Code>(pending_ + static_cast<int>(set));
  }
  constexpr bool is_pending(Code c) const { return c >= pending_ && c < pending_ + 4; }
  /// Fills rows up to their stride; it is never searched for.
  constexpr Code padding() const { return settled(0); }

  constexpr bool is_open(Code c) const { return c >= open_; }
  /// Open, with that best exit in -width..width; the number of open moves counts when joined and e < 0.
  constexpr Code open(int e, int moves) const {
    if (!joined_) return code::open_exit(e);
    return static_cast<Code>(e >= 0 ? open_ + e : counted_ + moves * width_ - e - 1);
  }
  /// Joined: the byte with one open move less; the same where they are not counted, or none is left.
  constexpr Code counted_down(Code c) const {
    return static_cast<Code>(c >= counted_ + width_ ? c - width_ : c);
  }
  /// Joined: open, with a negative exit, and without an open move.
  constexpr bool is_stuck(Code c) const { return c >= counted_ && c < counted_ + width_; }

  /// Bit |e| for an open position that its best exit e can settle, now or when its moves are counted down;
  /// else 0. One whose best exit is -width, or missing, is settled as soon as it has no open move.
  constexpr std::uint64_t exit_bit(Code c) const {
    if (!is_open(c) || width_ == 0) return 0;
    int e = code::exit_of(c);
    if (joined_) e = c < counted_ ? c - open_ : (c - counted_) % width_ + 1;
    e = std::max(e, -e);
    if (e > width_ || (joined_ && e == width_ && c >= counted_ && !is_stuck(c))) return 0;
    return std::uint64_t{1} << e;
  }

  /// At the end of the slice: what is still open is worth 0.
  constexpr std::int8_t value(Code c) const {
    const int v = static_cast<int>(c) - zero_;
    return static_cast<std::int8_t>(v >= -width_ && v <= width_ ? v : 0);
  }

 private:
  int width_;
  bool joined_;
  /// The bytes of a settled 0, of the first pending set, of the first open position, and, joined, of the
  /// first of those whose moves are counted.
  int zero_, pending_, open_, counted_;
};

}  // namespace awele
