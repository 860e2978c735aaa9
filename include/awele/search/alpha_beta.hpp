// Depth-limited negamax with alpha-beta pruning and a transposition table: estimates, and nothing more.
//
// The graph-history problem: a value that rests on a repetition belongs to the path that repeats. A
// repetition on the path scores 0 (the rest is split evenly), and what rests on a repetition of a position
// above a node is not stored for that node. What is proven comes from ProofGraph, never from here.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/search/leaves.hpp"
#include "awele/search/position_table.hpp"

namespace awele {

using Deadline = std::chrono::steady_clock::time_point;

/// Thrown when the deadline passes in the middle of a search.
struct Interrupted {};

class AlphaBeta {
 public:
  static constexpr int kHundredths = 100;  ///< of a seed: the unit of estimates

  /// `table_bytes`: of the transposition table, rounded down to a power of two of entries.
  AlphaBeta(RuleSet rules, Leaves& leaves, std::size_t table_bytes);

  void set_deadline(Deadline deadline) { deadline_ = deadline; }

  /// An estimate of the value of `board`, whose waiting half has a hole, from `depth` >= 0 plies. Throws
  /// Interrupted.
  int search(const Board& board, int depth) {
    return search(board, depth, -seeds(board) * kHundredths, seeds(board) * kHundredths);
  }
  /// The same within a window: a result <= alpha is only an upper bound of it, one >= beta only a lower one.
  int search(const Board& board, int depth, int alpha, int beta);
  /// The same, looked for around `guess` first.
  int search_near(const Board& board, int depth, int guess);

  /// The pits that the table takes for best from `board` on, at most `most`.
  std::vector<int> best_line(Board board, int most) const;

  std::uint64_t nodes() const { return nodes_; }

 private:
  struct Entry {
    BoardKey key = 0;  // 0: no entry
    std::int16_t lower = 0, upper = 0;
    std::uint8_t depth = 0, pit = 0;
  };
  struct Node {
    Board board;
    int n;
    int depth, ply, quiet;  // quiet: plies since the last capture, which is as far as repetitions reach
  };
  struct Choice {
    int value, pit;
  };
  static constexpr std::uint8_t kNoPit = 7;
  static constexpr int kNoRepetition = 1 << 20;
  static constexpr int kSown = 16;  // seeds that history tells apart

  int negamax(const Node& node, int alpha, int beta, int& repeats);
  int expand(const Node& node, int alpha, int beta, int& repeats, int first_pit);
  int try_move(const Node& node, const Move& move, int reduction, int alpha, int beta, bool first,
               int& repeats);
  int repeated_ply(const Node& node) const;
  std::array<int, kHalfPits> order(const Node& node, const Moves& all, int first_pit) const;
  std::uint32_t& history(const Board& board, int pit) {
    return history_[static_cast<std::size_t>(pit * kSown + std::min<int>(board[pit], kSown - 1))];
  }
  void store(const Node& node, const Choice& choice, int alpha, int beta);
  const Entry* find(BoardKey key) const;
  Entry& slot_for(BoardKey key, int depth);
  std::size_t slot(BoardKey key) const;
  void count_node();

  RuleSet rules_;
  Leaves& leaves_;
  std::vector<Entry> table_;
  std::vector<Board> path_;
  std::array<std::uint32_t, kHalfPits * kSown> history_{};
  std::uint64_t nodes_ = 0;
  Deadline deadline_ = Deadline::max();
};

}  // namespace awele
