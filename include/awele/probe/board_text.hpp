// Boards as users write and see them.
#pragma once

#include <string>
#include <string_view>

#include "awele/game/board.hpp"

namespace awele {

/// Reads 12 numbers separated by commas or white space, the mover's pits first, both sides leftmost pit first
/// as their owner sees it (sowing order). Throws awele::Error (ExitCode::usage) for anything but 12 numbers,
/// for negative numbers and for more than 48 seeds in all.
AWELE_API Board parse_board(std::string_view text);

/// "4,4,4,4,4,4,4,4,4,4,4,4"
AWELE_API std::string format_board(const Board& board);

/// Several lines, each ended by a newline: the waiting side's pits above, right to left (so that sowing runs
/// counter-clockwise), the mover's below, each pit with its number 0..11.
AWELE_API std::string draw_board(const Board& board);

}  // namespace awele
