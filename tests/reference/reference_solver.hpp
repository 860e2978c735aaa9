// The second algorithm: forward value iteration over all positions of a slice, on boards of twelve pits.
// Shares neither sowing, nor capturing, nor indexing with the solver. For tests, up to 12 or 13 seeds.
#pragma once

#include <cstdint>
#include <vector>

#include "awele/game/board.hpp"

namespace awele::reference {

/// Values of slices 0..N, each in the published order: result[n][place]. With a total of T seeds, T >= N, all
/// exits of slice n are clamped to what decides games of T seeds, T - n + 1, before anything follows from
/// them.
std::vector<std::vector<std::int8_t>> reference_slices(RuleSet rules, int N, int total = 0);

/// The value of any board, with or without a hole, by one ply. `slices` must reach its number of seeds.
int reference_value(const std::vector<std::vector<std::int8_t>>& slices, RuleSet rules, const Board& board);

/// The value of the move from `pit`; precondition: it is legal.
int reference_move(const std::vector<std::vector<std::int8_t>>& slices, RuleSet rules, const Board& board,
                   int pit);

}  // namespace awele::reference
