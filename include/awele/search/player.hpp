// The program as a player and adviser: perfect inside the database, by search outside it.
#pragma once

#include <optional>
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
  bool repeats = false;  ///< ends this game by repetition: worth what its sharing gives, and so proven
};

class Player {
 public:
  /// The prober must outlive the player.
  Player(const Prober& prober, RuleSet rules, const Effort& effort, const AnalysisLimits& limits = {})
      : prober_(prober), rules_(rules), effort_(effort), limits_(limits), guide_(prober) {}

  /// Every legal move. Values are those of the positions, wherever they come up: of what was played before,
  /// only a move that ends the game by repetition at once is taken into account.
  std::vector<Advice> advise(const Game& game);
  /// The move to make: of best value, and inside the database of best distance. Precondition: the game is not
  /// over.
  Advice choose(const Game& game);

 private:
  const Prober& prober_;
  RuleSet rules_;
  Effort effort_;
  AnalysisLimits limits_;
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

/// "+2", "at least +3", or "about +0.35, proven within [-4, +10]".
std::string describe(const Advice& advice);

}  // namespace awele
