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

std::vector<Advice> Player::advise(const Game& game) {
  const AnalysisReport report = analyze(game.now(), rules_, Leaves(&prober_), effort_, limits_);
  std::vector<Advice> all;
  for (const MoveReport& move : report.moves) {
    const std::optional<int> repetition = game.value_by_repetition(move.pit);
    Advice advice{move.pit, move.proven, move.estimate, move.known, repetition.has_value()};
    if (repetition) advice.proven = {*repetition, *repetition};
    if (advice.proven.exact()) advice.estimate.reset();
    all.push_back(advice);
  }
  return all;
}

Advice Player::choose(const Game& game) {
  const std::vector<Advice> all = advise(game);
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
  const std::string proven = fmt::format("proven within [{}, {}]", signed_number(advice.proven.low),
                                         signed_number(advice.proven.high));
  return advice.estimate ? fmt::format("about {:+.2f}, {}", *advice.estimate / 100.0, proven) : proven;
}

}  // namespace awele
