// The order of the stored boards of a slice, which their places in its file follow: ascending lexicographic
// order of (p11, p10, ..., p0), boards whose waiting half has no empty pit left out. Needs no database.
#pragma once

#include <cstdint>

#include "awele/game/board.hpp"
#include "awele/support/error.hpp"
#include "awele/support/export.hpp"

namespace awele {

/// How many boards of so many seeds are stored; awele::Error (ExitCode::usage) unless 0 <= seeds <= 48. Any
/// thread.
AWELE_API std::uint64_t stored_positions(int seeds);

/// The place of a board in its slice, from 0. awele::Error (ExitCode::usage) when it has more than 48 seeds
/// or is not stored: its waiting half has no empty pit. Any thread.
AWELE_API std::uint64_t position_index(const Board& board);

/// The inverse: the board of so many seeds at a place; awele::Error (ExitCode::usage) unless 0 <= seeds <= 48
/// and index < stored_positions(seeds). Any thread.
AWELE_API Board unrank(int seeds, std::uint64_t index);

}  // namespace awele
