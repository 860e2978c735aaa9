// A second implementation of the published order, for verification: counts of boards by recursion over the
// pits, without binomials, halves or rows. Shares nothing with src/index.
//
// The order: ascending lexicographic order of (p11, p10, ..., p0), boards without an empty pit among
// p6..p11 (a hole) left out.
#pragma once

#include <cstdint>
#include <vector>

#include "awele/game/board.hpp"

namespace awele::plain {

/// Number of boards of n seeds with a hole, 0 <= n <= 48.
std::uint64_t position_count(int n);
/// Number of all boards of n seeds.
std::uint64_t board_count(int n);

/// True when one of p6..p11 is empty.
bool hole(const Board& board);

/// Place of a board among those with a hole and as many seeds. Precondition: hole(board).
std::uint64_t rank(const Board& board);
/// The board at a place. Precondition: place < position_count(n).
Board board_at(int n, std::uint64_t place);

/// The next of all boards with as many seeds, with or without a hole; false (and `board` unchanged) after the
/// last.
bool next_board(Board& board);
/// The first board of n seeds: all of them in p0. It has a hole.
Board first_board(int n);

/// All halves of `s` seeds in the order, or only those with an empty pit.
std::vector<Half> halves(int s, bool only_with_hole);

}  // namespace awele::plain
