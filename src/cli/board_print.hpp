// A board and its answer as text, for `awele probe` and the end of `awele solve`.
#pragma once

#include <string>

#include "awele/probe/probe.hpp"

namespace awele::cli {

/// The board drawn, its value in words, a table of the moves. `bounds`: how much the values say; `scope`: of
/// the database they come from.
void print_answer(const Board& board, const BoardAnswer& answer, const BoardBounds& bounds, RuleSet rules,
                  Scope scope);

/// What comes before a number that may be a bound: "", ">=" or "<=".
const char* bound_sign(Bound bound);
/// "+3", ">=+3", "<=-3".
std::string short_text(KnownValue known);
/// "exact", "at least" or "at most", as JSON has it.
const char* bound_name(Bound bound);

/// Who wins when the side to move is `lead` seeds ahead: "win", "draw" or "loss" for the side to move, "win
/// or draw", "draw or loss", or "unknown" where a bound leaves it open.
std::string result_name(int lead, KnownValue value);

}  // namespace awele::cli
