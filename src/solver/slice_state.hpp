// What a rank holds of a slice while it is being solved: for each of its state rows (mover half A) one byte
// and one count a column (waiting halves with a hole and n - M(A) seeds, in order).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/index/partition.hpp"
#include "awele/support/huge_array.hpp"
#include "packed_half.hpp"

namespace awele {

/// The byte of a position. Open: bit 7, and its best exit; settled: its value; between the two, for the
/// threshold t at hand, "settled at +t (-t) and not yet expanded".
namespace code {
using Code = std::uint8_t;
inline constexpr Code open_missing = 0x80;  ///< open, no exit
/// By pending set, see pending_set(): 1 .. 4.
constexpr Code pending(std::size_t set) { return static_cast<Code>(1 + set); }
constexpr bool is_pending(Code c) { return c >= 1 && c <= 4; }
inline constexpr Code padding =
    64;  ///< fills rows up to their stride; the code of a settled 0, never searched for
constexpr Code open_exit(int e) { return static_cast<Code>(0xC0 + e); }
constexpr Code settled(int v) { return static_cast<Code>(64 + v); }
constexpr bool is_open(Code c) { return c & 0x80; }
/// At the end of the slice: what is still open is worth 0.
constexpr std::int8_t value(Code c) { return static_cast<std::int8_t>(is_open(c) ? 0 : c - 64); }
}  // namespace code

using code::Code;

/// The side a newly settled position is on: worth +t or -t.
enum class Sign : int { win = 0, loss = 1 };

/// Newly settled positions wait in a set until they are expanded: one a sign; when distances are asked for
/// two a sign, which take turns from level to level.
inline constexpr std::size_t kPendingSets = 4;
constexpr std::size_t pending_set(Sign sign, int level) {
  return static_cast<std::size_t>(sign) + 2 * (static_cast<std::size_t>(level) & 1);
}

/// Memory for the large arrays, kept from slice to slice: pages that were touched once stay.
struct StateArrays {
  HugeArray<Code> codes;
  HugeArray<std::uint8_t> counts;
  HugeArray<std::uint16_t> distances;  ///< empty unless asked for
  /// Room for slice n on `rank`; what was held before is given up first if it is too small.
  void fit(int n, int rank, int ranks, bool with_distances);
};

/// What is known of an own state row beforehand.
struct StateRow {
  PackedHalf half;     ///< the mover half
  std::uint8_t seeds;  ///< of it
  std::uint8_t mask;   ///< its unsow_mask, once it is the half of the side to move
};

class SliceState {
 public:
  /// Lies in `arrays`, which must outlive it; initialise() fills them.
  SliceState(int n, RuleSet rules, int rank, int ranks, StateArrays& arrays, bool with_distances = false);

  const int n;
  const RuleSet rules;
  const int rank, ranks;
  const Dealing rows;      ///< state rows
  const Dealing frontier;  ///< rows by waiting half

  /// Bytes the arrays take on a rank.
  static std::uint64_t memory(int n, int rank, int ranks, bool with_distances);

  /// Columns of a state row with m seeds.
  std::uint64_t columns(int m) const { return state_row_length(n, m); }
  /// Columns with padding: rows start at multiples of 16, so that counts can be handled 16 at a time.
  std::uint64_t stride(int m) const { return stride_[static_cast<std::size_t>(m)]; }
  /// Place of the first column of an own row with m seeds in `codes` and (in nibbles) `counts`.
  std::uint64_t offset(std::uint64_t local, int m) const {
    return offset_[static_cast<std::size_t>(m)] + (local - rows.local_base(m)) * stride(m);
  }
  /// Columns are grouped 1 << segment_shift(m) to a bit of the pending summaries.
  int segment_shift(int m) const { return shift_[static_cast<std::size_t>(m)]; }

  const std::span<Code> codes;
  const std::span<std::uint8_t>
      counts;  ///< open inner moves, two positions a byte, even column in the low half

  /// Plies to the next capture or the end, of settled positions, 0 for others; empty unless asked for.
  const std::span<std::uint16_t> distances;
  bool with_distances() const { return with_distances_; }

  int count(std::uint64_t place) const { return counts[place >> 1] >> (4 * (place & 1)) & 15; }
  void set_count(std::uint64_t place, int count) {
    const int shift = 4 * static_cast<int>(place & 1);
    counts[place >> 1] = static_cast<std::uint8_t>((counts[place >> 1] & ~(15 << shift)) | count << shift);
  }

  std::vector<StateRow> row_info;
  std::vector<PackedHalf> frontier_halves;  ///< waiting half of each own frontier row
  /// Bit |e| of a row: it may hold an open position whose best exit is e.
  std::vector<std::uint64_t> exits_of_row;
  /// By pending set: bit b of a row's word: segment b may hold a pending position; and one bit a row.
  std::array<std::vector<std::uint64_t>, kPendingSets> pending_segments, pending_rows;
  std::array<std::uint64_t, kPendingSets> pending{};  ///< positions

  void mark_pending(std::size_t s, std::uint64_t local, std::uint64_t segments, std::uint64_t positions) {
    pending_segments[s][local] |= segments;
    pending_rows[s][local >> 6] |= std::uint64_t{1} << (local & 63);
    pending[s] += positions;
  }

 private:
  bool with_distances_;  // a rank without positions has no array either way
  std::array<std::uint64_t, kMaxSeeds + 2> stride_{}, offset_{};
  std::array<int, kMaxSeeds + 1> shift_{};
};

/// Fills codes and counts: the number of inner moves of every position, and the exits that the rules give at
/// once (starving moves, empty halves, grand slams).
void initialise(SliceState& state);

/// Notes in exits_of_row which exits each row holds, after all exits are known.
void note_exits(SliceState& state);

/// Marks the rows that hold pending positions, after the state was restored.
void note_pending(SliceState& state);

}  // namespace awele
