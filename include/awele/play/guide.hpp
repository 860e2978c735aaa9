// Perfect play from a database: which move to make, and optimal lines.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "awele/play/game.hpp"
#include "awele/probe/probe.hpp"

namespace awele {

/// What a database says of the moves of a situation.
struct Guidance {
  int value = 0;  ///< of the remaining seeds, for the side to move, by the best legal move or the end
  std::array<std::optional<int>, kHalfPits> values;  ///< of each legal move, for its maker
  BoardBounds bounds;  ///< how much these say: all are exact in an exact database
  std::array<std::optional<int>, kHalfPits>
      distances;              ///< plies to the next capture or the end; 0 for value 0
  std::optional<int> choice;  ///< a best move: of best value as far as the database tells values apart, then
                              ///< of best distance; none when the game ends here
};

/// Plays perfectly where a database reaches; with an outcome database it keeps what is won or drawn in the
/// games that the database is for, and does not care by how much. Where its slices have distances it goes by
/// value and distance; elsewhere it finds the distances it needs by searching the moves that keep the value:
/// by value alone the winner could walk in circles.
class Guide {
 public:
  /// The database must outlive the guide. `limit`: positions that the search for a distance may hold.
  explicit Guide(const Prober& prober, std::size_t limit = std::size_t{1} << 20);
  ~Guide();
  Guide(const Guide&) = delete;
  Guide& operator=(const Guide&) = delete;

  /// None when the database lacks a slice that is needed. With `distances` false only values (and no choice
  /// among equal ones). Throws Error when the search for a distance needs more than the limit.
  std::optional<Guidance> guide(const Situation& situation, bool distances = true);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A move of an optimal line.
struct LineMove {
  PlayedMove move;
  KnownValue value;  ///< of what remained before it, for its maker
  int distance = 0;
};

struct OptimalLine {
  Game game;  ///< played to its end; a repetition ends it at the second occurrence, with an even split
  std::vector<LineMove> moves;
};

/// Both sides play by value, then by distance. Throws Error (failure) when the database lacks a slice.
OptimalLine optimal_line(const Prober& prober, const Situation& start);

}  // namespace awele
