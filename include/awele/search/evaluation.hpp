// What a position beyond the reach of a search is thought to be worth.
#pragma once

#include "awele/game/board.hpp"

namespace awele {

/// In hundredths of a seed, for the side to move: weights of seeds and of empty pits, fitted to exact values
/// (tests/fit_evaluation_main.cpp). (Captures are counted exactly on the way to the leaf.)
int evaluate(const Board& board);

}  // namespace awele
