// A second implementation of the rules, for verification: one seed at a time on a board of twelve pits. It is
// written from the rules alone and shares nothing with sowing.hpp and board.cpp but the types, so that a
// fault there cannot hide here.
#pragma once

#include <array>
#include <optional>

#include "awele/game/board.hpp"

namespace awele::plain {

/// What a sowing does to the board, before the rules are asked whether it is a move.
struct Played {
  Board sown;        ///< all seeds laid, nothing captured
  Board after;       ///< with the capture carried out
  int last = 0;      ///< the pit of the last seed, 0..11
  int captured = 0;  ///< seeds
  bool starves = false;
};
/// Precondition: pit `origin`, 0..5, holds seeds.
Played play(const Board& board, int origin);

/// What one pit offers. A legal move is worth `value` where it is `known`, else `captured` less the value of
/// `child`.
struct Move {
  bool legal = false;
  bool known = false;
  int value = 0;
  int captured = 0;
  Board child{};  ///< seen by the side that moves next; it has captured seeds fewer
};

struct Moves {
  std::array<Move, 6> pit;
  /// What the board is worth without a move, where the rules end the game on it. The value of the board is
  /// the largest of this and of the moves' values.
  std::optional<int> ended;
};

/// All moves of the side to move, under `rules`.
Moves moves(const Board& board, RuleSet rules);

}  // namespace awele::plain
