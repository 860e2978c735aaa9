// A real game: whose turn it is, what has been captured, what has been played, and how it ends. A board is
// always seen by the side to move (awele/game/board.hpp).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "awele/game/board.hpp"

namespace awele {

enum class Side : std::uint8_t { first, second };

constexpr Side other(Side side) { return side == Side::first ? Side::second : Side::first; }
/// "first" or "second".
std::string name(Side side);

/// Seeds captured, by side.
using Stores = std::array<int, 2>;

struct Situation {
  Board board{};
  Side to_move = Side::first;
  Stores stores{};

  int store(Side side) const { return stores[static_cast<std::size_t>(side)]; }
  /// What the side to move has captured more than the other.
  int lead() const { return store(to_move) - store(other(to_move)); }
  /// Seeds on the board and in the stores. (Under never-starve seeds can leave the game; not before its end.)
  int total() const { return seeds(board) + stores[0] + stores[1]; }
  bool operator==(const Situation&) const = default;
};

/// Throws Error (usage) unless the stores are not negative, board and stores hold `total` seeds, and the
/// rules can count them: majority-slam knows even totals only, as its values are thresholds.
void check_totals(const Situation& situation, int total, RuleSet rules);

/// The legal moves in a game. They are those of moves(), but for majority-slam, where the stores say whether
/// a grand slam is legal.
std::array<bool, kHalfPits> legal_moves(const Situation& situation, RuleSet rules);

/// A move that has been made.
struct PlayedMove {
  Side side = Side::first;
  int pit = 0;       ///< 0..5 from the mover's left
  int sown = 0;      ///< seeds that were in it
  int captured = 0;  ///< by the last seed
  int rest = 0;      ///< seeds besides that went to the mover, because the move ended the game
};

/// Who gets the seeds on the board when a game goes round forever. Values take an even split for granted, as
/// they cannot know where in its circle a game will stop; in tournament Oware each side keeps its own row.
enum class Sharing : std::uint8_t { split, rows };

/// `rows` under abapa, otherwise `split`.
Sharing usual_sharing(RuleSet rules);
/// "split" or "rows".
std::string name(Sharing sharing);
std::optional<Sharing> parse_sharing(std::string_view text);

/// How a game ends.
enum class Ending : std::uint8_t {
  majority,    ///< a side holds more than half of all seeds
  emptied,     ///< there are no seeds to move; the other side gets what is left (never-starve: nobody does)
  no_move,     ///< seeds but no legal move; each side keeps its own pits (never-starve: nobody does)
  starved,     ///< the last move left the opponent without seeds and took all that was left
  repetition,  ///< the position has come up often enough; what is left is shared
  agreed       ///< the players agree that the game goes round forever; what is left is shared
};

struct Outcome {
  Ending ending = Ending::majority;
  Stores halves{};                   ///< final stores in half seeds: an odd number of seeds can be split
  Sharing sharing = Sharing::split;  ///< how, if what was left was shared

  std::optional<Side> winner() const;
  /// What `side` has more than the other, in half seeds.
  int lead(Side side) const;
};

/// Half seeds as people write them: "24", "23.5".
std::string format_halves(int halves);
/// One sentence: "First wins 26-22: more than half of the seeds."
std::string describe(const Outcome& outcome, RuleSet rules);

struct GameOptions {
  int repetitions =
      3;  ///< the occurrence of a position (board and side to move) that ends the game, at least 2
  bool play_on = false;  ///< go on when a side has more than half of the seeds, to see the difference
  std::optional<Sharing> sharing{};  ///< of what is left when the game goes round; none: usual_sharing
};

class Game {
 public:
  Game(RuleSet rules, const Situation& start, const GameOptions& options = {});

  RuleSet rules() const { return rules_; }
  const Situation& start() const { return start_; }
  const GameOptions& options() const { return options_; }
  Sharing sharing() const { return options_.sharing.value_or(usual_sharing(rules_)); }
  const Situation& now() const { return line_.empty() ? start_ : line_.back().after; }
  /// Set when the game is over.
  const std::optional<Outcome>& outcome() const { return outcome_; }

  /// Plays the move from `pit`. Throws Error (usage) with the reason when it is not legal or the game is
  /// over.
  const PlayedMove& play(int pit);
  /// Ends the game as one that goes round forever, which the players agree on. Precondition: it is not over.
  void agree();
  /// Takes the last move back, or the agreement that came after it. Precondition: there is one.
  void undo();

  std::size_t plies() const { return line_.size(); }
  const PlayedMove& move(std::size_t ply) const { return line_[ply].move; }
  /// The situation before ply `ply`; for plies() the present one.
  const Situation& before(std::size_t ply) const { return ply == 0 ? start_ : line_[ply - 1].after; }
  /// How often the present position has come up, this time included.
  int occurrences() const;
  /// If the move from `pit` ends the game by repetition: what its maker gets more than the other of the seeds
  /// that are left.
  std::optional<int> value_by_repetition(int pit) const;
  /// What would be final if the game ended here as one that goes round forever.
  Outcome shared(Sharing sharing, Ending ending = Ending::agreed) const;
  /// The ply before which the present position came up first.
  std::size_t first_occurrence() const;

 private:
  struct Step {
    PlayedMove move;
    Situation after;
  };
  int count(const Situation& situation) const;
  void find_outcome();

  RuleSet rules_;
  Situation start_;
  GameOptions options_;
  int total_;
  std::vector<Step> line_;
  std::optional<Ending> last_move_ended_;  ///< when the last move ended the game by itself
  bool agreed_ = false;
  std::optional<Outcome> outcome_;
};

/// The same moves under other options: as many as can be played. What was agreed stays agreed.
Game replayed(const Game& game, const GameOptions& options);

/// Why the move from `pit` is not legal: a sentence for the player.
std::string why_illegal(const Situation& situation, RuleSet rules, int pit);

}  // namespace awele
