// Depth-limited negamax with alpha-beta pruning and a transposition table.
//
// What stands for a position at the horizon decides what a result means. With an evaluation it is an estimate
// and nothing more. With the worst that the rules allow for the side to move (it loses all n seeds) it is a
// proven lower bound, with the best (it wins all n) a proven upper bound: between the horizon and the root
// there are then only true statements and the rules. The three kinds never share an entry of the table.
//
// The graph-history problem: a value that rests on a repetition belongs to the path that repeats. Estimates
// score a repetition on the path as 0 (the rest is split evenly), and what rests on a repetition of a
// position above a node is not stored for that node. Proofs do not look at the path at all: a repeated
// position is searched on like any other, down to the horizon. So a bound is true whatever has been played
// before, and may be stored. What can only be proven by cycles is left to ProofGraph.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/search/leaves.hpp"

namespace awele {

/// What stands for a position that is searched no further; seen by the side to move.
enum class Horizon : std::uint8_t { estimate, worst, best };

using Deadline = std::chrono::steady_clock::time_point;

/// Thrown when the deadline passes in the middle of a search.
struct Interrupted {};

/// The evaluation, in hundredths of a seed, for the side to move: seeds in its pits less the other side's,
/// each weighted by how far right its pit is as its owner sees it (seeds there are about to be sown among
/// the opponent's, those on the left last longest), and the same for the number of pits that are not empty.
/// (Captures are counted exactly on the way to the leaf.)
int evaluate(const Board& board);

class AlphaBeta {
 public:
  static constexpr int kHundredths = 100;  ///< estimates are in hundredths of a seed, proofs in seeds

  /// `table_bytes`: of the transposition table, rounded down to a power of two of entries.
  AlphaBeta(RuleSet rules, Leaves& leaves, std::size_t table_bytes);

  void set_deadline(Deadline deadline) { deadline_ = deadline; }

  /// The value of `board` (whose waiting half has a hole) at `depth` plies from its horizon, within the
  /// window; a result <= alpha is only an upper bound of that, one >= beta only a lower bound. What is proven
  /// of the true value v: with Horizon::worst, v >= result if result > alpha; with Horizon::best, v <= result
  /// if result < beta. Throws Interrupted.
  int search(const Board& board, Horizon horizon, int depth, int alpha, int beta);

  /// The pits that the table takes for best from `board` on, at most `most`.
  std::vector<int> best_line(Board board, int most) const;

  std::uint64_t nodes() const { return nodes_; }

 private:
  struct Entry {
    Board board;
    std::int16_t lower, upper;
    std::uint8_t depth;
    std::uint8_t horizon;  // kUnused: no entry
    std::uint8_t pit;
  };
  struct Node {
    Board board;
    int n;
    Horizon horizon;
    int depth, ply, quiet;  // quiet: plies since the last capture, which is as far as repetitions reach
  };
  struct Choice {
    int value, pit;
  };
  static constexpr std::uint8_t kUnused = 255, kNoPit = 7;
  static constexpr int kNoRepetition = 1 << 20;

  int negamax(const Node& node, int alpha, int beta, int& repeats);
  int expand(const Node& node, int alpha, int beta, int& repeats, int first_pit);
  int leaf(const Node& node) const;
  int at_horizon(const Node& node) const;
  int repeated_ply(const Node& node) const;
  static std::array<int, kHalfPits> order(const Moves& all, int first_pit);
  void store(const Node& node, const Choice& choice, int alpha, int beta);
  Entry* find(const Board& board, Horizon horizon);
  const Entry* find(const Board& board, Horizon horizon) const;
  Entry& slot_for(const Node& node);
  std::size_t slot(const Board& board, Horizon horizon) const;
  void count_node();

  RuleSet rules_;
  Leaves& leaves_;
  std::vector<Entry> table_;
  std::vector<Board> path_;
  std::uint64_t nodes_ = 0;
  Deadline deadline_ = Deadline::max();
};

}  // namespace awele
