// What moves say about a batch of positions, and how that compares with what is stored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "awele/game/scope.hpp"
#include "awele/verify/verifier.hpp"

namespace awele {

class Derived {
 public:
  Derived(int n, Scope scope, bool with_distances) : n_(n), scope_(scope), with_distances_(with_distances) {}

  static std::uint64_t bytes_a_position(bool with_distances) {
    return sizeof(std::int16_t) + (with_distances ? sizeof(std::int16_t) + sizeof(std::uint16_t) : 0);
  }
  bool with_distances() const { return with_distances_; }
  std::uint64_t size() const { return best_.size(); }
  void clear();
  /// `count` positions more, of which nothing is known yet.
  void add(std::uint64_t count);

  /// The rules may end the game on the position, which is then worth `value`.
  void ends(std::uint64_t position, int value);
  /// A move that gives `value`, with so many plies to the next capture or the end. Among moves of one value
  /// who wins takes the shortest, who loses the longest. In any order the same comes out.
  void offer(std::uint64_t position, int value, int distance);
  /// The same where nobody asks for distances; `value` is clamped already.
  void offer_clamped(std::uint64_t position, std::int16_t value) {
    best_[position] = std::max(best_[position], value);
  }
  /// Numbers of an outcome database stand for all beyond them, so what moves give is clamped as well; what no
  /// position can be worth stays as it is, to be seen.
  std::int16_t clamped(int value) const;

  void prefetch(std::uint64_t position) const { __builtin_prefetch(best_.data() + position); }
  /// All moves are offered: the position, which lies at `place` of its slice, is compared with what is
  /// stored.
  void judge(std::uint64_t position, std::uint64_t place, int stored, int stored_distance,
             VerifyResult& result) const;

 private:
  const int n_;
  const Scope scope_;
  const bool with_distances_;
  std::vector<std::int16_t> best_;
  // With distances: what the moves known so far say, and what the board is worth if the game may end on it.
  std::vector<std::uint16_t> best_distance_;
  std::vector<std::int16_t> ended_;
};

}  // namespace awele
