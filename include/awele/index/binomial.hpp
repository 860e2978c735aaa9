// Binomial coefficients, the only arithmetic behind every index of this program.
#pragma once

#include <array>
#include <cstdint>

namespace awele {

namespace detail {
inline constexpr int kBinomialTop = 64;
inline constexpr int kBinomialBottom = 13;

constexpr auto make_binomials() {
  std::array<std::array<std::uint64_t, kBinomialBottom>, kBinomialTop> c{};
  for (int a = 0; a < kBinomialTop; ++a) {
    c[a][0] = 1;
    for (int b = 1; b < kBinomialBottom && b <= a; ++b) c[a][b] = c[a - 1][b - 1] + (b < a ? c[a - 1][b] : 0);
  }
  return c;
}
inline constexpr auto kBinomials = make_binomials();
}  // namespace detail

/// C(a, b) for a < 64 and 0 <= b <= 12; 0 where a < b, also for negative a.
constexpr std::uint64_t binomial(int a, int b) { return a < b ? 0 : detail::kBinomials[a][b]; }

}  // namespace awele
