// The program as a player and adviser: perfect inside the database, by search outside it.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "awele/play/guide.hpp"
#include "awele/search/analysis.hpp"

namespace awele {

/// What can be said of a legal move in a game. Values as in MoveReport.
struct Advice {
  int pit = 0;
  Interval proven;
  std::optional<int> estimate;  ///< in hundredths of a seed, within `proven`; none when the value is proven
  /// What the database says, where the move leads into it: perhaps a bound.
  std::optional<KnownValue> known = std::nullopt;
  /// What the rules allow; where nothing more is proven there is nothing to tell.
  Interval possible{-kMaxSeeds, kMaxSeeds};
  bool repeats = false;  ///< ends this game by repetition: worth what its sharing gives, and so proven
};

/// How well the program plays, and how evenly.
struct Style {
  int give_away = 0;       ///< seeds that a move may be worth less than the best one
  bool vary = false;       ///< choose by lot among moves that are as good, as far as can be told
  std::uint64_t seed = 1;  ///< of what is left to chance

  /// Always the same move, the best.
  bool plain() const { return give_away == 0 && !vary; }
};

/// Limits of the search for a move in a game: proofs only where the database is near.
AnalysisLimits limits_in_play();

class Player {
 public:
  /// The prober must outlive the player.
  Player(const Prober& prober, RuleSet rules, const Effort& effort,
         const AnalysisLimits& limits = limits_in_play(), const Style& style = {})
      : prober_(prober),
        rules_(rules),
        effort_(effort),
        limits_(limits),
        style_(style),
        random_(style.seed),
        guide_(prober) {}

  /// Every legal move. Values are those of the positions, wherever they come up: of what was played before,
  /// only a move that ends the game by repetition at once is taken into account.
  std::vector<Advice> advise(const Game& game);
  /// The move to make: of best value, and inside the database of best distance; with a style that is not
  /// plain one that gives no more away. Precondition: the game is not over.
  Advice choose(const Game& game);

 private:
  std::vector<Advice> advise(const Game& game, const AnalysisLimits& limits) const;
  Advice best_move(const Game& game, const std::vector<Advice>& all);
  bool is_good_enough(const std::vector<Advice>& all, const Advice& move) const;

  const Prober& prober_;
  RuleSet rules_;
  Effort effort_;
  AnalysisLimits limits_;
  Style style_;
  std::mt19937_64 random_;
  Guide guide_;
};

/// What a move is expected to be worth, in hundredths of a seed.
int expected(const Advice& advice);
/// The advice that is best, and if several are the one of which more is proven, and then the first.
const Advice& best_of(const std::vector<Advice>& advice);

/// What a move gave away: the value of the best move less its own.
struct Loss {
  Interval proven;
  int estimate = 0;  ///< in hundredths of a seed, within `proven`
};
/// What `played`, one of `all`, gave away.
Loss loss_of(const std::vector<Advice>& all, const Advice& played);

/// "+2", "at least +3", or "about +0.35, proven within [-4, +10]"; bounds that the rules give are left out.
std::string describe(const Advice& advice);

}  // namespace awele
