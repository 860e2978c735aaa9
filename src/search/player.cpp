#include "awele/search/player.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace awele {

namespace {

std::string signed_number(int value) { return value == 0 ? "0" : fmt::format("{:+}", value); }

}  // namespace

int expected(const Advice& advice) {
  const int low = 100 * advice.proven.low, high = 100 * advice.proven.high;
  return std::clamp(advice.estimate.value_or((low + high) / 2), low, high);
}

AnalysisLimits limits_in_play() {
  AnalysisLimits limits;
  limits.reach = 30;
  return limits;
}

std::vector<Advice> Player::advise(const Game& game) { return advise(game, limits_); }

std::vector<Advice> Player::advise(const Game& game, const AnalysisLimits& limits) const {
  const AnalysisReport report = analyze(game.now(), rules_, Leaves(&prober_), effort_, limits);
  const int n = seeds(game.now().board);
  std::vector<Advice> all;
  for (const MoveReport& move : report.moves) {
    const std::optional<int> repetition = game.value_by_repetition(move.pit);
    Advice advice{.pit = move.pit,
                  .proven = move.proven,
                  .estimate = move.estimate,
                  .known = move.known,
                  .possible = {2 * move.captured - n, n},
                  .repeats = repetition.has_value()};
    if (repetition) advice.proven = {*repetition, *repetition};
    if (advice.proven.exact()) advice.estimate.reset();
    all.push_back(advice);
  }
  return all;
}

Advice Player::choose(const Game& game) {
  AnalysisLimits limits = limits_;
  limits.best_only = style_.plain();
  const std::vector<Advice> all = advise(game, limits);
  const Advice best = best_move(game, all);
  if (style_.plain()) return best;
  // Where a win must make headway a move of the same value need not.
  if (style_.give_away == 0 && best.proven.exact() && best.proven.low != 0) return best;
  std::vector<Advice> good;
  for (const Advice& each : all)
    if (is_good_enough(all, each)) good.push_back(each);
  return good[std::uniform_int_distribution<std::size_t>(0, good.size() - 1)(random_)];
}

/// Whether the style allows the move, one of `all`. The best one always is.
bool Player::is_good_enough(const std::vector<Advice>& all, const Advice& move) const {
  constexpr int kAsGood = 10;  // hundredths that an estimate does not tell apart
  const Loss loss = loss_of(all, move);
  const int margin = loss.proven.exact() ? 0 : kAsGood;
  return loss.proven.low <= style_.give_away && loss.estimate <= 100 * style_.give_away + margin;
}

Advice Player::best_move(const Game& game, const std::vector<Advice>& all) {
  const Advice& best = best_of(all);
  const bool known = std::all_of(all.begin(), all.end(), [](const Advice& each) {
    return each.proven.exact() || each.known.has_value();
  });
  if (!known || best.repeats) return best;
  std::optional<Guidance> guidance;
  try {
    guidance = guide_.guide(game.now());
  } catch (const ProbeError&) {
    throw;
  } catch (const Error&) {
    // The way to the next capture is too long to be found without distances: the value alone must do.
  }
  if (!guidance || !guidance->choice) return best;
  for (const Advice& each : all)
    if (each.pit == *guidance->choice && !each.repeats) return each;
  return best;
}

const Advice& best_of(const std::vector<Advice>& advice) {
  return *std::max_element(advice.begin(), advice.end(), [](const Advice& a, const Advice& b) {
    return std::pair(expected(a), a.proven.low) < std::pair(expected(b), b.proven.low);
  });
}

Loss loss_of(const std::vector<Advice>& all, const Advice& played) {
  Loss loss;  // compared with itself, a move gives nothing away
  for (const Advice& each : all) {
    if (each.pit == played.pit) continue;
    loss.proven.low = std::max(loss.proven.low, each.proven.low - played.proven.high);
    loss.proven.high = std::max(loss.proven.high, each.proven.high - played.proven.low);
  }
  loss.estimate =
      std::clamp(expected(best_of(all)) - expected(played), 100 * loss.proven.low, 100 * loss.proven.high);
  return loss;
}

std::string describe(const Advice& advice) {
  if (advice.repeats) return signed_number(advice.proven.low) + " (the position repeats, and the game ends)";
  if (advice.proven.exact()) return signed_number(advice.proven.low);
  if (advice.known) return describe(*advice.known);
  const bool low = advice.proven.low > advice.possible.low, high = advice.proven.high < advice.possible.high;
  const std::string least = signed_number(advice.proven.low), most = signed_number(advice.proven.high);
  const std::string proven = low && high ? fmt::format("proven within [{}, {}]", least, most)
                             : low       ? fmt::format("proven to be at least {}", least)
                             : high      ? fmt::format("proven to be at most {}", most)
                                         : "";
  if (!advice.estimate) return proven.empty() ? "unknown" : proven;
  const std::string about = fmt::format("about {:+.2f}", *advice.estimate / 100.0);
  return proven.empty() ? about : fmt::format("{}, {}", about, proven);
}

}  // namespace awele
