#include "derived.hpp"

#include <algorithm>
#include <cstdlib>

#include "awele/verify/plain_index.hpp"

namespace awele {

namespace {

constexpr std::int16_t kNoValue = std::numeric_limits<std::int16_t>::min();
constexpr int kLongest = std::numeric_limits<std::uint16_t>::max();

}  // namespace

void Derived::clear() {
  best_.clear();
  best_distance_.clear();
  ended_.clear();
}

void Derived::add(std::uint64_t count) {
  best_.resize(best_.size() + count, kNoValue);
  if (!with_distances_) return;
  best_distance_.resize(best_.size(), 0);
  ended_.resize(best_.size(), kNoValue);
}

std::int16_t Derived::clamped(int value) const {
  return static_cast<std::int16_t>(std::abs(value) <= n_ ? scope_.clamp(n_, value) : value);
}

void Derived::ends(std::uint64_t position, int value) {
  best_[position] = std::max(best_[position], clamped(value));
  if (with_distances_) ended_[position] = clamped(value);
}

void Derived::offer(std::uint64_t position, int offered, int distance) {
  const std::int16_t value = clamped(offered);
  std::int16_t& best = best_[position];
  const bool better = value > best, equal = value == best;
  if (better) best = value;
  if (!with_distances_ || !(better || equal)) return;
  std::uint16_t& best_distance = best_distance_[position];
  const auto own = static_cast<std::uint16_t>(std::min(distance, kLongest));
  best_distance = better ? own : value > 0 ? std::min(best_distance, own) : std::max(best_distance, own);
}

void Derived::judge(std::uint64_t position, std::uint64_t place, int stored, int stored_distance,
                    VerifyResult& result) const {
  const int derived = best_[position];
  if (stored != derived || std::abs(stored) > scope_.width(n_)) {
    result.add({0, 1, 0, place, plain::board_at(n_, place), stored, derived, 0, 0});
    return;
  }
  if (!with_distances_) return;
  const int distance = derived == 0 || derived == ended_[position] ? 0 : best_distance_[position];
  if (distance != stored_distance)
    result.add({0, 0, 1, place, plain::board_at(n_, place), stored, derived, stored_distance, distance});
}

}  // namespace awele
