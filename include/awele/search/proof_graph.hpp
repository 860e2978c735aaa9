// Proofs that may rest on cycles: a part of the graph of positions, held in memory and solved as a database
// is.
//
// Positions are expanded from a root. Every move of an expanded position is known; a move into the database
// has its exact value, or the bounds that an outcome database gives; an unexpanded position is worth, in one
// solution, the least that the rules allow, in the other the most. The value of a game rises with the values
// of its ends, so the two solutions bound the true value of every position. Each is computed by settling:
// slice by slice upward, all start at 0 and take the best of their moves until nothing changes. A value then
// only ever moves away from 0, when it can be forced in finitely many moves, and what neither side can force
// stays 0: an endless line is worth 0, as in the database. No path enters into this, so there is no
// graph-history problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "awele/search/alpha_beta.hpp"
#include "awele/search/leaves.hpp"

namespace awele {

class ProofGraph {
 public:
  /// `root`: a board whose waiting half has a hole and which is not in the database.
  ProofGraph(RuleSet rules, Leaves& leaves, const Board& root);

  /// Expands the positions that can still tighten the root's interval, nearest first, until `most` are
  /// expanded, the interval is exact or the deadline has passed, and solves. That the root is worth at least
  /// `enough` is all that is wanted of values above it.
  void grow(std::size_t most, int enough, Deadline deadline);

  /// What is proven of the root's value.
  Interval interval() const { return {bounds_[0].low, bounds_[0].high}; }
  std::size_t expanded() const { return expanded_; }

 private:
  using Id = std::uint32_t;
  struct Node {
    Board board;
    std::int8_t seeds;
    // What is proven of the best move or end that the rules or the database know; kNone: there is none.
    std::int8_t exit_low, exit_high;
    std::uint8_t edges = 0;
    bool expanded = false;
    std::size_t first_edge = 0;
  };
  struct Bounds {
    std::int8_t low, high;
    bool operator==(const Bounds&) const = default;
  };
  struct Window {
    Id id;
    int low, high;
  };
  static constexpr std::int8_t kNone = -128;
  static constexpr Id kFree = ~Id{0};

  Id id_of(const Board& board);
  void rehash();
  void expand(Id id);
  std::vector<Id> useful_leaves(std::size_t most, int enough);
  void visit_children(const Window& at, std::vector<Window>& queue);
  void solve();
  void solve_slice(const std::vector<Id>& slice);
  Bounds derived(Id id) const;

  RuleSet rules_;
  Leaves& leaves_;
  std::vector<Node> nodes_;
  std::vector<Bounds> bounds_;
  std::vector<Id> edges_;
  std::vector<Id> hash_;
  std::vector<std::uint32_t> visited_;
  std::uint32_t visit_ = 0;
  std::size_t expanded_ = 0;
};

}  // namespace awele
