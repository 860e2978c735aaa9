// What the values of a database say: exactly how much each position is worth, or only what can still decide a
// game of so many seeds. The one place that knows how far values are kept; knows nothing of files or MPI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "awele/game/board.hpp"

namespace awele {

/// What a number says about a value.
enum class Bound : std::uint8_t {
  exact,     ///< it is the value
  at_least,  ///< the value is at least that
  at_most    ///< the value is at most that
};

/// What is known about a value.
struct KnownValue {
  int value = 0;
  Bound bound = Bound::exact;
  friend constexpr bool operator==(const KnownValue&, const KnownValue&) = default;
};

/// What a move is worth that captures so many seeds and leaves its opponent with `child`.
constexpr KnownValue after_move(int captured, KnownValue child) {
  const Bound bound = child.bound == Bound::at_least  ? Bound::at_most
                      : child.bound == Bound::at_most ? Bound::at_least
                                                      : Bound::exact;
  return {captured - child.value, bound};
}

/// What the choice between two moves is worth. (Of an exact value below one that is at most so much, which
/// leaves a range open at both ends, the upper end is kept.)
constexpr KnownValue better_of(KnownValue a, KnownValue b) {
  if (a.value < b.value || (a.value == b.value && b.bound == Bound::exact)) std::swap(a, b);
  if (b.bound == Bound::at_least) return a.bound == Bound::at_most ? b : KnownValue{a.value, b.bound};
  return a;
}

/// "+3", "0", "at least +3", "at most -3".
inline std::string describe(KnownValue known) {
  const std::string number = (known.value > 0 ? "+" : "") + std::to_string(known.value);
  return (known.bound == Bound::at_least  ? "at least "
          : known.bound == Bound::at_most ? "at most "
                                          : "") +
         number;
}

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
  /// What a number of slice n says.
  constexpr KnownValue known(int n, int stored) const {
    if (!clamps(n) || (stored != width(n) && stored != -width(n))) return {stored, Bound::exact};
    return {stored, stored > 0 ? Bound::at_least : Bound::at_most};
  }

  friend constexpr bool operator==(const Scope&, const Scope&) = default;

 private:
  int total_ = 0;
};

/// What `awele solve` needs besides for such a database: "", or " --outcome --total 48".
inline std::string solve_options(Scope scope) {
  return scope.exact() ? "" : " --outcome --total " + std::to_string(scope.total());
}

/// "exact values" or "outcomes of games of 48 seeds", for messages.
inline std::string describe(Scope scope) {
  return scope.exact() ? "exact values" : "outcomes of games of " + std::to_string(scope.total()) + " seeds";
}

}  // namespace awele
