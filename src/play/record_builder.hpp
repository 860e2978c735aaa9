// What readers of records share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "awele/play/game_record.hpp"

namespace awele {

inline constexpr std::string_view kSavedGameHeading = "awele game 1";

/// Plays the moves of a record. Those past a majority or a repetition are played on.
class RecordBuilder {
 public:
  RecordBuilder(RuleSet rules, const Situation& start, std::optional<Sharing> sharing)
      : game_(rules, start, {.sharing = sharing}) {}

  const Game& game() const { return game_; }
  const std::optional<Decision>& decided() const { return decided_; }
  /// Throws Error (usage) when the move is not legal, or the game over for good.
  const PlayedMove& play(int pit);
  /// Ends the game as one that goes round forever, with what is left shared as given.
  void agree(Sharing sharing);
  GameRecord finish() const;

 private:
  Game game_;
  std::optional<Decision> decided_;
};

/// Throws Error (usage): name, line, why.
[[noreturn]] void refuse_record(const std::string& name, int line, const std::string& why);
/// Why a letter is no move of the side to move.
std::string not_a_move(std::string_view word, Side side);
/// A piece of a file in a message: without control characters, and not too long.
std::string quoted(std::string_view text);

GameRecord read_saved_game(std::string_view text, const std::string& name);
GameRecord read_movetext(std::string_view text, const std::string& name, RuleSet rules);

}  // namespace awele
