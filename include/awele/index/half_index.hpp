// Ranks of halves among the halves with the same number of seeds, in ascending lexicographic order with the
// rightmost pit (pit 5) slowest: the order of the published database, applied to six pits.
#pragma once

#include <cstdint>

#include "awele/game/board.hpp"
#include "awele/index/binomial.hpp"

namespace awele {

/// Number of halves with `s` seeds: C(s+5, 5).
constexpr std::uint64_t half_count(int s) { return s < 0 ? 0 : binomial(s + 5, 5); }
/// Number of those with an empty pit: C(s+5, 5) - C(s-1, 5).
constexpr std::uint64_t hole_count(int s) { return s < 0 ? 0 : binomial(s + 5, 5) - binomial(s - 1, 5); }

/// Rank among all halves with as many seeds, 0 .. half_count - 1.
std::uint64_t half_rank(const Half& half);
Half half_at(int s, std::uint64_t rank);

/// Rank among the halves with a hole and as many seeds, 0 .. hole_count - 1. Precondition: has_hole(half).
std::uint64_t hole_rank(const Half& half);
Half hole_at(int s, std::uint64_t rank);

/// The next half with as many seeds in the order; false (and `half` unchanged) after the last.
bool next_half(Half& half);

}  // namespace awele
