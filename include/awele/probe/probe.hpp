// Looking up boards in a database: the value of a board and of each of its moves. Needs no MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/store/database.hpp"

namespace awele {

/// What is known of one of the mover's pits.
struct MoveAnswer {
  Move::Kind kind = Move::Kind::empty;
  int captured = 0;
  std::optional<int> value;  ///< for the side that makes the move; none when the pit is empty or illegal
};

struct BoardAnswer {
  int seeds = 0;
  int value = 0;  ///< for the side to move
  std::array<MoveAnswer, kHalfPits> moves;
  /// Pits whose move is worth `value`, ascending. Empty when the rules end the game on this board, or when
  /// that end is better than any move (possible under majority-slam only).
  std::vector<int> best;
};

/// Answers questions about boards from a database, which must outlive it. Keeps a few chunks of values in
/// memory, the least recently used ones go first. Not thread safe; one a thread.
///
/// Errors are awele::Error: with ExitCode::usage for a board the database cannot know (more seeds than were
/// solved), with ExitCode::failure for a missing or damaged file.
class Prober {
 public:
  static constexpr std::size_t kDefaultChunks = 64;

  /// Holds at most `chunks` (at least 1) chunks of up to 65,536 bytes.
  explicit Prober(const Database& database, std::size_t chunks = kDefaultChunks);

  /// The value of any board of at most as many seeds as were solved. A board whose waiting half has no hole
  /// is not stored: it is valued by its moves.
  int value(const Board& board);
  /// The value of the board, of each move, and the best moves.
  BoardAnswer answer(const Board& board);

 private:
  struct Chunk {
    std::uint64_t key;
    std::vector<std::int8_t> values;
  };

  void require_solved(const Board& board) const;
  int stored(const Board& board);
  std::optional<int> value_of(const Move& move);
  BoardAnswer look_ahead(const Board& board);

  const Database& database_;
  std::size_t capacity_;
  std::list<Chunk> chunks_;  // most recently used first
  std::unordered_map<std::uint64_t, std::list<Chunk>::iterator> where_;
};

}  // namespace awele
