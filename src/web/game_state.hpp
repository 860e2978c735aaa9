// The state that a request speaks of: a start and the moves made from it. The side to move at the start is
// the first player (South on the page).
#pragma once

#include <cstddef>
#include <string>

#include "awele/play/game.hpp"
#include "query.hpp"

namespace awele::web {

/// Names of the parameters of a state, for Query.
#define AWELE_WEB_STATE_PARAMETERS "board", "begins", "stores", "moves", "total", "repetitions", "sharing"

/// Reads board (12 numbers, the side to move first; required), begins (first or second; first), stores (the
/// first player's, the second's; 0,0), moves (letters whose case says the side; none), total (board and
/// stores together, or it is refused) repetitions (2..99; 3) and sharing (split or rows; the usual
/// one of the rules). Throws Problem 400: `bad_board`,
/// `bad_stores`, `bad_moves` or `bad_number`.
Game read_state(const Query& query, RuleSet rules, std::size_t most_moves);

/// The letters of all moves: "AbCd".
std::string move_letters(const Game& game);

}  // namespace awele::web
