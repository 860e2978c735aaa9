// The database at the leaves of a search.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "awele/probe/probe.hpp"

namespace awele {

/// What is proven of a number: it is at least `low` and at most `high`.
struct Interval {
  int low = 0, high = 0;

  bool exact() const { return low == high; }
  bool contains(int value) const { return low <= value && value <= high; }
  bool operator==(const Interval&) const = default;
};

/// What is known of a value of n seeds, as an interval.
inline Interval interval_of(KnownValue known, int n) {
  return {known.bound == Bound::at_most ? -n : known.value, known.bound == Bound::at_least ? n : known.value};
}

/// Values of stored boards, of those slices that were there when this was made.
class Leaves {
 public:
  /// Slices above `most` seeds are left unused. No prober: no slices. The prober must outlive this.
  explicit Leaves(const Prober* prober, int most = kMaxSeeds)
      : prober_(prober), scope_(prober ? prober->scope() : Scope{}) {
    for (int n = 0; n <= kMaxSeeds; ++n) has_[n] = prober && n <= most && prober->has_slice(n);
  }

  bool has(int n) const { return has_[n]; }
  // The following: precondition: has(seeds(board)), and the waiting half of `board` has a hole (as after
  // every move).
  /// The number that the database holds: the value, or, in an outcome database, perhaps a bound of it.
  int value(const Board& board) {
    ++hits_;
    return prober_->value(board);
  }
  KnownValue known(const Board& board) { return scope_.known(seeds(board), value(board)); }
  /// What is proven of the value.
  Interval interval(const Board& board) { return interval_of(known(board), seeds(board)); }
  std::uint64_t hits() const { return hits_; }

 private:
  const Prober* prober_;
  Scope scope_;
  std::array<bool, kMaxSeeds + 1> has_{};
  std::uint64_t hits_ = 0;
};

}  // namespace awele
