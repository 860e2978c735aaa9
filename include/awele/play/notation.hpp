// Moves and boards of a game as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "awele/play/game.hpp"

namespace awele {

/// 'A'..'F' for the pits of the first player, leftmost first as that player sees it, 'a'..'f' for the second.
char pit_letter(Side side, int pit);
/// "E3x5": pit, seeds sown, seeds captured ("E3" without a capture).
std::string format_move(const PlayedMove& move);
/// The pit of a letter, upper or lower case; none for any other character.
std::optional<int> pit_of_letter(char letter);

/// The board with stores and letters: the pits of `below` from left to right, above them the other side's
/// from right to left.
std::string draw_situation(const Situation& situation, Side below = Side::first);

/// "14,9": two numbers, neither negative. Throws Error (usage).
Stores parse_stores(std::string_view text);

}  // namespace awele
