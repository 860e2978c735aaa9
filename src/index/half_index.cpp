#include "awele/index/half_index.hpp"

namespace awele {

std::uint64_t half_rank(const Half& half) {
  // C(s+5,5) - 1 - sum over k = 0..4 of C(P_k + k, k + 1), P_k the prefix sums.
  int prefix = 0;
  std::uint64_t above = 0;
  for (int k = 0; k < 5; ++k) {
    prefix += half[k];
    above += binomial(prefix + k, k + 1);
  }
  return binomial(prefix + half[5] + 5, 5) - 1 - above;
}

std::uint64_t hole_rank(const Half& half) {
  // Less the halves without a hole that come before: a sum that stops at the highest empty pit.
  std::uint64_t before = 0;
  int r = seeds(half);
  for (int j = 5; j >= 1 && half[j] != 0; --j) {
    before += binomial(r - 1, j) - binomial(r - half[j], j);
    r -= half[j];
  }
  return half_rank(half) - before;
}

namespace {

/// Walks down the pits; `count(j, rest, hole)` is the number of ways to fill pits 0..j-1 with `rest` seeds.
template <typename Count>
Half unrank(int s, std::uint64_t rank, Count count) {
  Half half{};
  int rest = s;
  bool hole = false;
  for (int j = 5; j >= 1; --j) {
    int v = 0;
    for (;; ++v) {
      const std::uint64_t ways = count(j, rest - v, hole || v == 0);
      if (rank < ways) break;
      rank -= ways;
    }
    half[j] = static_cast<std::uint8_t>(v);
    rest -= v;
    hole = hole || v == 0;
  }
  half[0] = static_cast<std::uint8_t>(rest);
  return half;
}

}  // namespace

Half half_at(int s, std::uint64_t rank) {
  return unrank(s, rank, [](int pits, int rest, bool) { return binomial(rest + pits - 1, pits - 1); });
}

Half hole_at(int s, std::uint64_t rank) {
  return unrank(s, rank, [](int pits, int rest, bool hole) {
    return binomial(rest + pits - 1, pits - 1) - (hole ? 0 : binomial(rest - 1, pits - 1));
  });
}

bool next_half(Half& half) {
  // Move one seed up from the lowest non-empty pit below 5, and gather what lies below in pit 0.
  int k = 0;
  while (k < kHalfPits - 1 && half[k] == 0) ++k;
  if (k == kHalfPits - 1) return false;
  const std::uint8_t moved = half[k];
  half[k] = 0;
  half[0] = static_cast<std::uint8_t>(moved - 1);
  ++half[k + 1];
  return true;
}

}  // namespace awele
