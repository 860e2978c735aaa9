// Records of games as text: the program's own form, and those that people exchange.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awele/play/game.hpp"

namespace awele {

/// When a game was decided.
struct Decision {
  std::size_t plies = 0;  ///< played until then
  Outcome outcome;
};

struct GameRecord {
  Game game;                         ///< with all moves
  std::optional<Decision> decided;   ///< when moves follow the end of the game: that end
  std::vector<std::string> notes{};  ///< what its reader noticed, in sentences
  std::vector<std::pair<std::string, std::string>> tags{};  ///< of an OGN record, names and values

  /// The end of the game, if it has one.
  std::optional<Outcome> outcome() const { return decided ? decided->outcome : game.outcome(); }
  /// The notes, and what is to be said of moves that follow the end.
  std::vector<std::string> all_notes() const;
};

/// A game as text: the lines
///   awele game 1
///   rules awari
///   board 4,4,4,4,4,4,4,4,4,4,4,4      the first player's pits first
///   begins second                      left out when the first player moves first
///   stores 0,0                         the first player's first
///   repetition rows                    left out when it is the usual one of the rules
///   1 E4 e4                            a line for two plies
///   ...
///   end 26-22 majority                 or: end unfinished
/// Lines that are empty or begin with # may stand anywhere; so may comments, {..} within a line, or # or ; to
/// its end.
std::string save_game(const Game& game);

/// A game in Oware Game Notation: tags, then numbered moves. `comments`: none, or one for each ply.
std::string save_ogn(const GameRecord& record, const std::vector<std::string>& comments = {});

/// Reads a game, told apart by its content:
///   the form of save_game: every move legal and written as it is played, and the end the one reached;
///   OGN: tags such as [South "Ama"] or none, then moves: 1. F f 2. A+2 e {a comment} ... 25-23;
///   letters: FfAeC..., upper case for the first player (south), lower case for the second;
///   squares: d1e2 b2c1 ..., from and to, the first player's row 1 from left to right, above it row 2.
/// Moves may follow a decision (a majority, a repetition). `rules` are those of a record that names none.
/// Throws Error (usage) that names `name` and the line.
GameRecord load_game(std::string_view text, const std::string& name, RuleSet rules);

}  // namespace awele
