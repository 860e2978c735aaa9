// Sowing seen half by half: what a move from pit i with s seeds does to the mover's half, and which pattern
// (q, j) it lays over the waiting half. A pattern says where the last seed falls: in pit j-1 of the waiting
// side (j = 1..6; its first j pits got q+1 seeds, the others q), or in the mover's own half (j = 0, all six
// got q).
#pragma once

#include "awele/game/board.hpp"

namespace awele {

struct Pattern {
  int q = 0;  ///< seeds that every pit of the waiting half gets, 0..4
  int j = 0;  ///< the first j pits get one more, 0..6

  int given() const { return kHalfPits * q + j; }
  int at(int pit) const { return q + (pit < j ? 1 : 0); }
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// Number of values of Pattern::q for boards of at most 48 seeds.
inline constexpr int kPatternLaps = 5;

/// The pattern of a move from pit `i` (0..5) with `s` >= 1 seeds. The origin pit is skipped on every lap.
constexpr Pattern pattern(int i, int s) {
  const int lap = (s - 1) / (kPits - 1);
  const int last = (s - 1) % (kPits - 1);  // 0-based place of the last seed on the ring of the 11 other pits
  const int first_waiting = kHalfPits - 1 - i;
  if (last < first_waiting) return {lap, 0};
  if (last < first_waiting + kHalfPits) return {lap, last - first_waiting + 1};
  return {lap + 1, 0};
}

/// Seeds that pit `k` of the mover's own half receives from such a move; 0 for k = i.
constexpr int own_seeds(int i, int s, int k) {
  if (k == i) return 0;
  const int place = k > i ? k - i - 1 : kPits - 1 - i + k;
  return (s + kPits - 2 - place) / (kPits - 1);
}

/// Seeds captured when pattern `p` has been laid and the waiting half now holds `after`, grand slam or not.
/// `after` is changed to what the capture leaves.
int capture(Half& after, const Pattern& p);

}  // namespace awele
