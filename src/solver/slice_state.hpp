// What a rank holds of a slice while it is being solved: for each of its state rows (mover half A) one byte a
// column (waiting halves with a hole and n - M(A) seeds, in order), and where that byte does not hold it the
// number of open moves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/index/partition.hpp"
#include "awele/support/huge_array.hpp"
#include "meaning.hpp"
#include "packed_half.hpp"

namespace awele {

/// The side a newly settled position is on: worth +t or -t.
enum class Sign : int { win = 0, loss = 1 };

/// Newly settled positions wait in a set until they are expanded: one a sign; when distances are asked for
/// two a sign, which take turns from level to level.
inline constexpr std::size_t kPendingSets = 4;
constexpr std::size_t pending_set(Sign sign, int level) {
  return static_cast<std::size_t>(sign) + 2 * (static_cast<std::size_t>(level) & 1);
}

/// What a state keeps of each position.
struct StateForm {
  int width;    ///< W: values lie in -W..W
  bool joined;  ///< best exit and open moves in one byte (meaning.hpp), else in one and a half
  bool with_distances = false;  ///< two bytes more
};

/// Memory for the large arrays, kept from slice to slice: pages that were touched once stay.
struct StateArrays {
  HugeArray<Code> codes;
  HugeArray<std::uint8_t> counts;      ///< as large as a state apart needed
  HugeArray<std::uint16_t> distances;  ///< empty unless asked for
  /// Room for slice n on `rank`; what was held before is given up first if it is too small.
  void fit(int n, const StateForm& form, int rank, int ranks);
};

/// What is known of an own state row beforehand.
struct StateRow {
  PackedHalf half;     ///< the mover half
  std::uint8_t seeds;  ///< of it
  std::uint8_t mask;   ///< its unsow_mask, once it is the half of the side to move
};

class SliceState {
 public:
  /// Lies in `arrays`, which must outlive it; begin_exits() fills them.
  SliceState(int n, RuleSet rules, const StateForm& form, int rank, int ranks, StateArrays& arrays);

  const int n;
  const RuleSet rules;
  const Meaning meaning;  ///< of codes, from finish_exits() on
  const int rank, ranks;
  const Dealing rows;      ///< state rows
  const Dealing frontier;  ///< rows by waiting half

  /// Bytes the arrays take on a rank.
  static std::uint64_t memory(int n, const StateForm& form, int rank, int ranks);

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
  /// Apart: open inner moves, two positions a byte, even column in the low half; empty when joined.
  const std::span<std::uint8_t> counts;

  /// Plies to the next capture or the end, of settled positions, 0 for others; empty unless asked for.
  const std::span<std::uint16_t> distances;
  bool with_distances() const { return with_distances_; }

  /// Apart.
  int count(std::uint64_t place) const { return counts[place >> 1] >> (4 * (place & 1)) & 15; }

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

/// Fills codes: no exit is known yet.
void begin_exits(SliceState& state);

/// After all captures are merged: adds the exits that the rules give at once (starving moves, empty halves,
/// grand slams) and the number of inner moves of every position, and turns the codes into those of the
/// rounds, with exits clamped to the width. A row at a time, so that no array of counts is needed before.
void finish_exits(SliceState& state);

/// Notes in exits_of_row which exits each row holds, after finish_exits() or when the state was restored.
void note_exits(SliceState& state);

/// Marks the rows that hold pending positions, after the state was restored.
void note_pending(SliceState& state);

}  // namespace awele
