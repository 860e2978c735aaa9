// What the values of a database say: exactly how much each position is worth, or only what can still decide a
// game of so many seeds. The one place that knows how far values are kept; knows nothing of files or MPI.
#pragma once

#include <algorithm>
#include <string>

#include "awele/game/board.hpp"

namespace awele {

/// An exact database, or the outcome database of games of `total` seeds. In such a game total - n seeds have
/// been captured once n are left, so the captures of the two sides differ by at most total - n, and a value
/// beyond that decides the game whatever the split. So values of slice n are clamped to -W..W with
/// W = min(n, total - n + 1); they still tell who wins every position of every such game.
class Scope {
 public:
  /// Exact.
  constexpr Scope() = default;
  /// Precondition: 0 <= total <= 48; 0 gives an exact scope, as the attribute `total` of a file does.
  static constexpr Scope outcome(int total) {
    Scope scope;
    scope.total_ = total;
    return scope;
  }

  constexpr bool exact() const { return total_ == 0; }
  /// Seeds of the whole game; 0 when exact.
  constexpr int total() const { return total_; }
  /// True when a slice of n seeds can belong to such a database: always when exact, else n <= total. Under
  /// majority-slam, whose values are thresholds of a game of 48 seeds, the total is 48.
  constexpr bool admits(int n, RuleSet rules) const {
    return exact() ||
           (n <= total_ && total_ <= kMaxSeeds && (rules != RuleSet::majority_slam || total_ == kMaxSeeds));
  }

  // The following: precondition: exact, or n <= total.
  /// The largest value of a slice, W(n); n when exact.
  constexpr int width(int n) const { return exact() ? n : std::min(n, total_ - n + 1); }
  /// True when values of -width(n) and width(n) stand for all beyond them.
  constexpr bool clamps(int n) const { return width(n) < n; }
  constexpr int clamp(int n, int value) const { return std::clamp(value, -width(n), width(n)); }

  friend constexpr bool operator==(const Scope&, const Scope&) = default;

 private:
  int total_ = 0;
};

/// "exact values" or "outcomes of games of 48 seeds", for messages.
inline std::string describe(Scope scope) {
  return scope.exact() ? "exact values" : "outcomes of games of " + std::to_string(scope.total()) + " seeds";
}

}  // namespace awele
