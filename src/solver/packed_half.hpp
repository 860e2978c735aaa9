// A half as its prefix sums, and everything that is looked up from them. P_k is the number of seeds in pits
// 0..k. Prefix sums make un-sowing a subtraction and ranks a sum of five small look-ups (index/half_index.hpp
// has the formulas in terms of pits).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "awele/game/sowing.hpp"
#include "awele/index/half_index.hpp"

namespace awele {

/// P_0..P_4 in six bits each, P_0 lowest: 30 bits. P_5, the number of seeds, is known from the context.
using PackedHalf = std::uint32_t;
inline constexpr int kPackedBits = 30;

inline PackedHalf pack(const Half& half) {
  PackedHalf packed = 0;
  std::uint32_t prefix = 0;
  for (int k = 0; k < 5; ++k) packed |= (prefix += half[k]) << (6 * k);
  return packed;
}

inline Half unpack(PackedHalf packed, int seeds) {
  Half half;
  int before = 0;
  for (int k = 0; k < 5; ++k) {
    const int prefix = static_cast<int>(packed >> (6 * k)) & 63;
    half[k] = static_cast<std::uint8_t>(prefix - before);
    before = prefix;
  }
  half[5] = static_cast<std::uint8_t>(seeds - before);
  return half;
}

/// What one pit of a half needs to be un-sown from: sets of pits as bits.
struct PitSets {
  std::uint8_t zero = 0, one = 0, two_or_three = 0;
};

inline PitSets pit_sets(const Half& half) {
  PitSets sets;
  for (int k = 0; k < kHalfPits; ++k) {
    sets.zero = static_cast<std::uint8_t>(sets.zero | (half[k] == 0) << k);
    sets.one = static_cast<std::uint8_t>(sets.one | (half[k] == 1) << k);
    sets.two_or_three = static_cast<std::uint8_t>(sets.two_or_three | (half[k] == 2 || half[k] == 3) << k);
  }
  return sets;
}

/// True for (2|3)^j 0^(6-j): what a grand slam that ends in pit j-1 takes whole.
inline bool is_slam(const PitSets& sets, int j) {
  const int low = (1 << j) - 1;
  return sets.two_or_three == low && sets.zero == (63 & ~low);
}

/// Whether `y`, a mover half after the turn of the board, can have come from an inner move that laid pattern
/// `p` over it: enough seeds, no capture on the way forward, a hole before, not empty. Under abapa
/// (`slams_stay`) a grand slam is an inner move.
inline bool can_unsow(const Half& y, const PitSets& sets, const Pattern& p, bool slams_stay) {
  bool hole = false;
  for (int k = 0; k < kHalfPits; ++k) {
    if (y[k] < p.at(k)) return false;
    hole = hole || y[k] == p.at(k);
  }
  if (!hole || sets.zero == 63) return false;
  if (p.j == 0 || !(sets.two_or_three >> (p.j - 1) & 1)) return true;
  return slams_stay && is_slam(sets, p.j);
}

/// can_unsow for the seven patterns (0, j) at once: bit j.
inline std::uint8_t unsow_mask(const PitSets& sets, bool slams_stay) {
  if (sets.zero == 63) return 0;
  const int lead = std::countr_zero(static_cast<unsigned>(sets.zero) | 64u);  // pits 0..lead-1 hold seeds
  int mask = (2 << lead) - 1;
  mask &= ~(sets.two_or_three << 1);
  // Without an empty pit one of the first j must become empty: j must reach the lowest pit with one seed.
  if (sets.zero == 0) mask &= sets.one ? ~((2 << std::countr_zero(static_cast<unsigned>(sets.one))) - 1) : 0;
  if (slams_stay && lead >= 1 && lead < kHalfPits && is_slam(sets, lead)) mask |= 1 << lead;
  return static_cast<std::uint8_t>(mask);
}

/// Tables that turn prefix sums into ranks. One object serves all slices.
struct RankTables {
  /// half_rank = half_count - 1 - sum of any[k][P_k].
  std::array<std::array<std::uint32_t, 64>, 5> any{};
  /// hole_rank = hole_base[z == 5][s] - sum of hole[z][k][P_k], z the highest empty pit.
  std::array<std::array<std::array<std::uint32_t, 64>, 5>, 6> hole{};
  std::array<std::array<std::uint32_t, kMaxSeeds + 1>, 2> hole_base{};

  constexpr RankTables() {
    for (int k = 0; k < 5; ++k)
      for (int p = 0; p <= kMaxSeeds; ++p) {
        any[k][p] = static_cast<std::uint32_t>(binomial(p + k, k + 1));
        for (int z = 0; z < 6; ++z) {
          // Halves without a hole that come before are C(s-1,5) - C(P_z, z+1) - sum over k > z of C(P_k - 1,
          // k+1).
          const std::uint64_t full = k < z ? 0 : k == z ? binomial(p, k + 1) : binomial(p - 1, k + 1);
          hole[z][k][p] = static_cast<std::uint32_t>(binomial(p + k, k + 1) - full);
        }
      }
    for (int s = 0; s <= kMaxSeeds; ++s) {
      hole_base[0][s] = static_cast<std::uint32_t>(half_count(s) - 1 - binomial(s - 1, 5));
      hole_base[1][s] = static_cast<std::uint32_t>(half_count(s) - 1);
    }
  }
};
inline constexpr RankTables kRanks;

/// A half as its prefix sums P_0..P_5 in the bytes of a word, P_0 lowest: arithmetic on all of them at once.
using PrefixSums = std::uint64_t;

/// One seed in pit `p`.
constexpr PrefixSums seed_in(int p) { return (0x010101010101u << (8 * p)) & 0xffffffffffffu; }

inline PrefixSums prefix_sums(PackedHalf half, int seeds) {
  const std::uint64_t h = half;
  return (h & 63) | (h & 63 << 6) << 2 | (h & 63 << 12) << 4 | (h & 63 << 18) << 6 | (h & 63 << 24) << 8 |
         static_cast<std::uint64_t>(seeds) << 40;
}
/// Seeds of each pit in the bytes of a word.
inline std::uint64_t pits_of(PrefixSums sums) { return sums - (sums << 8 & 0xffffffffffffu); }
inline Half half_of(PrefixSums sums) {
  Half half;
  for (int k = 0; k < kHalfPits; ++k) half[k] = static_cast<std::uint8_t>(pits_of(sums) >> (8 * k));
  return half;
}
/// half_rank, in five look-ups.
inline std::uint64_t rank_of(PrefixSums sums) {
  const auto seeds = static_cast<std::size_t>(sums >> 40);
  return kRanks.hole_base[1][seeds] - kRanks.any[0][sums & 0xff] - kRanks.any[1][sums >> 8 & 0xff] -
         kRanks.any[2][sums >> 16 & 0xff] - kRanks.any[3][sums >> 24 & 0xff] -
         kRanks.any[4][sums >> 32 & 0xff];
}

/// One way back from a row: the mover's half before a move that ended in waiting half X, and the pattern it
/// laid.
struct Unsowing {
  PrefixSums before;  ///< the mover's half before the move
  int given;          ///< seeds that went to the other side
  Pattern laid;
};

namespace detail {
/// Where the s-th seed from pit i falls: a pit of the own side, or -1; and the pattern of s seeds.
struct Step {
  std::int8_t own = -1;
  std::int8_t q = 0, j = 0;
};
constexpr auto make_steps() {
  std::array<std::array<Step, kMaxSeeds + 1>, kHalfPits> steps{};
  for (int i = 0; i < kHalfPits; ++i)
    for (int s = 1; s <= kMaxSeeds; ++s) {
      const int place = (s - 1) % (kPits - 1);
      const int own = place < kHalfPits - 1 - i ? i + 1 + place : place - (kPits - 1 - i);
      const Pattern p = pattern(i, s);
      steps[i][s] = {static_cast<std::int8_t>(own >= 0 ? own : -1), static_cast<std::int8_t>(p.q),
                     static_cast<std::int8_t>(p.j)};
    }
  return steps;
}
inline constexpr auto kSteps = make_steps();
}  // namespace detail

/// Calls f(Unsowing) for every pit i and number of seeds s from which a move can have ended in half `x` with
/// at most `most` seeds given to the other side. Pit i of x is empty for each.
template <typename F>
void each_unsowing(PrefixSums x, int most, F f) {
  const std::uint64_t pits = pits_of(x);
  for (int i = 0; i < kHalfPits; ++i) {
    if (pits >> (8 * i) & 0xff) continue;
    std::uint64_t left = pits;
    PrefixSums before = x;
    int given = 0;
    for (int s = 1; s <= kMaxSeeds; ++s) {
      const detail::Step& step = detail::kSteps[static_cast<std::size_t>(i)][static_cast<std::size_t>(s)];
      if (step.own >= 0) {
        if (!(left >> (8 * step.own) & 0xff)) break;
        left -= std::uint64_t{1} << (8 * step.own);
        before -= seed_in(step.own);
      } else if (++given > most) {
        break;
      }
      before += seed_in(i);
      f(Unsowing{before, given, {step.q, step.j}});
    }
  }
}

}  // namespace awele
