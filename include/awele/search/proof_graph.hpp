// Proofs that may rest on cycles: a part of the graph of positions, held in memory and solved as a database
// is.
//
// The graph holds positions that are expanded: every move of theirs is known. A move into the database has
// its exact value, or the bounds that an outcome database gives; a move to a position that is not held is
// worth, in one solution, the least that the rules allow, in the other the most. The value of a game rises
// with the values of its ends, so the two solutions bound the true value of every position. Each is computed
// by settling: slice by slice upward, all start at 0 and take the best of their moves until nothing changes.
// A value then only ever moves away from 0, when it can be forced in finitely many moves, and what neither
// side can force stays 0: an endless line is worth 0, as in the database. No path enters into this, so there
// is no graph-history problem.
//
// Where the graph grows is chosen by depth-first proof-number search for one question at a time, "is the root
// worth at least t?": phi of a position is a measure of what it takes to show that its mover gets what the
// question asks, delta of what it takes to show that it does not. A repetition on the path of that search
// counts as a likely answer, never as a proven one: proven are bounds of moves (at any time) and what solving
// finds. When the search has no more to do and solving does not agree, the nearest open positions are added.
// So in the end the graph is closed, and everything is exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "awele/search/alpha_beta.hpp"
#include "awele/search/leaves.hpp"
#include "awele/search/position_table.hpp"

namespace awele {

class ProofGraph {
 public:
  /// Bytes of memory for a position that may be held, at most.
  static constexpr std::size_t kBytesAPosition = 24;

  /// `root`: a board that is not in the database; `most`: positions that may be held, less than 2^31.
  ProofGraph(RuleSet rules, Leaves& leaves, const Board& root, std::size_t most);

  /// What to ask first: `thresholds` t of "is the root worth at least t?", and then what `guess`, which the
  /// root is thought to be worth, suggests.
  struct Wishes {
    std::vector<int> thresholds;
    int guess = 0;
  };
  /// Adds positions until there are `until`, the root is exact, the graph is full() or the deadline has
  /// passed.
  void grow(std::size_t until, const Wishes& wishes, Deadline deadline);

  /// What is proven of the root's value.
  Interval interval() const { return of(root_); }
  /// The same of any board (that is not in the database).
  Interval of(const Board& board) const { return of(key_of(board)); }
  std::size_t positions() const { return table_.size(); }
  /// No more positions may be held.
  bool full() const { return full_; }

 private:
  using Slot = PositionTable::Slot;
  using Entry = PositionTable::Entry;
  struct Edge {
    BoardKey key;
    int gain;
    Slot slot = PositionTable::kAbsent;  // once it has been looked up, and was there
  };
  /// What can be done in a position: moves to positions beyond the database, and what is proven of the best
  /// of all others.
  struct Options {
    std::array<Edge, kHalfPits> edges;
    int count = 0;
    std::optional<Interval> exit;
  };
  struct Numbers {
    int phi, delta;
  };
  /// The choice that a position has in the search: the move to look at next, and what it is worth.
  struct Choice {
    Numbers numbers;
    int best = -1;   ///< of the edges
    int second = 0;  ///< delta of the next best child
    int others = 0;  ///< undecided children but one
  };
  class Slice;

  Interval of(BoardKey key) const;
  Interval of(const Edge& edge) const;
  void look_up(Options& options) const;
  Options options_of(const Board& board, bool exits);
  Slot add(BoardKey key);
  Slot root();
  void tighten(Slot at, const Options& options);
  bool decided(int threshold) const;
  void look_at_clock();

  std::vector<int> questions(const Wishes& wishes) const;
  void ask(int threshold, std::size_t until);
  void search(int threshold, std::size_t until);
  void visit(Slot at, int threshold, Numbers limits, int ply);
  Choice choose(Slot at, int threshold, const Options& options) const;
  Numbers numbers_of(const Edge& edge, int threshold) const;
  bool add_nearest(int threshold, std::size_t most);

  void solve();
  void solve_slice(int n);

  RuleSet rules_;
  Leaves& leaves_;
  BoardKey root_;
  PositionTable table_;
  Deadline deadline_ = Deadline::max();
  std::size_t until_ = 0;       // the present search adds no more positions
  std::uint64_t visits_ = 0;    // since a position was added
  std::size_t portion_ = 1024;  // positions for a question before others have their turn
  std::size_t solved_at_ = 0;   // size when last solved
  double solving_ = 0;          // seconds that this took a position
  bool full_ = false;
};

}  // namespace awele
