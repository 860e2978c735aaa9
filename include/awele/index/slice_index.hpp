// The published order of the positions of a slice: ascending lexicographic order of (p11, p10, ..., p0),
// boards whose waiting half has no hole left out. Positions with the same waiting half are contiguous: a row.
#pragma once

#include <cstdint>

#include "awele/game/board.hpp"
#include "awele/index/half_index.hpp"

namespace awele {

/// Number of stored positions of slice n: C(n+11, 11) - C(n+5, 11). 203,648,015,935 for n = 48.
constexpr std::uint64_t slice_size(int n) { return binomial(n + 11, 11) - binomial(n + 5, 11); }
/// Number of all boards with n seeds, with or without a hole: C(n+11, 11).
constexpr std::uint64_t board_count(int n) { return binomial(n + 11, 11); }

/// Place of the first position of the row of waiting half `x` in the file of slice n.
/// Preconditions: has_hole(x), seeds(x) <= n.
std::uint64_t row_start(int n, const Half& x);
/// Number of positions in that row: all mover halves with n - seeds(x) seeds.
inline std::uint64_t row_length(int n, const Half& x) { return half_count(n - seeds(x)); }
/// The next waiting half of the file order of slice n; false after the last. Rows of all seed counts
/// interleave.
bool next_row(int n, Half& x);

/// Place of a board in its slice. Precondition: has_hole(waiting_half(board)).
std::uint64_t position_rank(const Board& board);
/// The board at a place. Precondition: index < slice_size(n).
Board position_at(int n, std::uint64_t index);
/// The row that holds a place.
Half row_at(int n, std::uint64_t index);

}  // namespace awele
