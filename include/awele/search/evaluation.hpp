// What a position beyond the reach of a search is thought to be worth.
#pragma once

#include "awele/game/board.hpp"

namespace awele {

/// In hundredths of a seed, for the side to move: a sum of weights, one for each pit and number of seeds in
/// it, fitted to exact values (scripts/fit_evaluation.py). Captures are counted exactly on the way to the
/// leaf.
int evaluate(const Board& board);

}  // namespace awele
