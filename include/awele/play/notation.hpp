// Moves and games as text.
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

/// The board with stores and letters: the first player's pits below, the second's above, right to left.
std::string draw_situation(const Situation& situation);

/// "14,9": two numbers, neither negative. Throws Error (usage).
Stores parse_stores(std::string_view text);

/// A game as text: the lines
///   awele game 1
///   rules awari
///   board 4,4,4,4,4,4,4,4,4,4,4,4      the first player's pits first; the first player moves
///   stores 0,0
///   1 E4 e4                            a line for two plies
///   ...
///   end 26-22 majority                 or: end unfinished
/// Lines that are empty or begin with # may stand anywhere.
std::string save_game(const Game& game);
/// Reads one back: every move must be legal and written as it is played, and the end must be the one
/// reached. Throws Error (usage) that names `name` and the line.
Game load_game(std::string_view text, const std::string& name);

}  // namespace awele
