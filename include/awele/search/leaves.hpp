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

/// Exact values of stored boards, of those slices that were there when this was made.
class Leaves {
 public:
  /// Slices above `most` seeds are left unused. No prober: no slices. The prober must outlive this.
  explicit Leaves(const Prober* prober, int most = kMaxSeeds) : prober_(prober) {
    for (int n = 0; n <= kMaxSeeds; ++n) has_[n] = prober && n <= most && prober->has_slice(n);
  }

  bool has(int n) const { return has_[n]; }
  /// Precondition: has(seeds(board)), and the waiting half of `board` has a hole (as after every move).
  int value(const Board& board) {
    ++hits_;
    return prober_->value(board);
  }
  std::uint64_t hits() const { return hits_; }

 private:
  const Prober* prober_;
  std::array<bool, kMaxSeeds + 1> has_{};
  std::uint64_t hits_ = 0;
};

}  // namespace awele
