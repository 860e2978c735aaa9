// A board and its answer as text, for `awele probe` and the end of `awele solve`.
#pragma once

#include "awele/probe/probe.hpp"

namespace awele::cli {

/// The board drawn, its value in words, a table of the moves.
void print_answer(const Board& board, const BoardAnswer& answer, RuleSet rules);

}  // namespace awele::cli
