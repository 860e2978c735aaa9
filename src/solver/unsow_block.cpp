#include "unsow_block.hpp"

#include <algorithm>
#include <bit>

namespace awele {

namespace {

constexpr std::uint64_t kOnes = 0x010101010101u, kTops = 0x808080808080u, kLow = 0x7f7f7f7f7f7fu;

}  // namespace

UnsowBlock::UnsowBlock(bool slams_stay)
    : slams_stay_(slams_stay),
      prefixes_(kMostItems),
      holes_(kMostItems),
      always_(kMostItems),
      masks_(kMostItems),
      chosen_(kMostItems + 1) {}

void UnsowBlock::load(std::span<const FrontierItem> items, int mover) {
  mover_ = mover;
  count_ = items.size();
  made_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const PrefixSums prefixes = prefix_sums(frontier_item::half(items[i]), mover);
    const std::uint64_t pits = pits_of(prefixes);
    const std::uint64_t empty = ~(pits + kLow) & kTops;  // pits stay below 128: no carry between bytes
    const std::uint64_t single = ~((pits ^ kOnes) + kLow) & kTops;
    prefixes_[i] = prefixes;
    holes_[i] = empty ? empty : single;
    always_[i] = empty ? ~std::uint64_t{0} : 0;
    // (1, 0): one seed from each pit, and one pit must become empty.
    const int once_round = empty == 0 && single != 0;
    masks_[i] = static_cast<std::uint8_t>(frontier_item::mask(items[i]) | once_round << 7);
  }
}

/// The items with a predecessor by `p`, in chosen_; how many before each, in list.start.
std::size_t UnsowBlock::choose(const Pattern& p, List& list) {
  std::size_t chosen = 0;
  if (p.q == 0 || p == Pattern{1, 0}) {
    const int bit = p.q == 0 ? p.j : 7;
    for (std::size_t i = 0; i < count_; ++i) {
      list.start[i] = static_cast<std::uint16_t>(chosen);
      chosen_[chosen] = static_cast<std::uint32_t>(i);
      chosen += masks_[i] >> bit & 1;
    }
    return chosen;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    list.start[i] = static_cast<std::uint16_t>(chosen);
    if (always_[i]) continue;  // an empty pit cannot have received a seed
    const Half y = half_of(prefixes_[i]);
    chosen_[chosen] = static_cast<std::uint32_t>(i);
    chosen += can_unsow(y, pit_sets(y), p, slams_stay_);
  }
  return chosen;
}

/// The highest pit that is empty once the pattern is taken back.
int UnsowBlock::highest_hole(const Pattern& p, std::size_t item) const {
  const std::uint64_t pits = pits_of(prefixes_[item]);
  int z = 5;
  while (static_cast<int>(pits >> (8 * z) & 0xff) != p.at(z)) --z;
  return z;
}

void UnsowBlock::make(const Pattern& p) {
  List& list = lists_[static_cast<std::size_t>(7 * p.q + p.j)];
  made_ |= std::uint64_t{1} << (7 * p.q + p.j);
  candidates_ += count_;
  list.start.resize(kMostItems + 1);
  list.columns.resize(kMostItems);
  const std::size_t chosen = choose(p, list);
  list.start[count_] = static_cast<std::uint16_t>(chosen);

  std::uint64_t laid = 0, reached = 0;  // prefix sums of the pattern; bytes of the first j pits
  for (int k = 0; k < 5; ++k)
    laid |= static_cast<std::uint64_t>(p.q * (k + 1) + std::min(k + 1, p.j)) << (8 * k);
  for (int k = 0; k < p.j; ++k) reached |= std::uint64_t{0xff} << (8 * k);
  const auto before =
      static_cast<std::size_t>(mover_ - p.given());  // seeds of the waiting half before the move
  const std::array<std::uint32_t, 2> base = {kRanks.hole_base[0][before], kRanks.hole_base[1][before]};
  for (std::size_t c = 0; c < chosen; ++c) {
    const std::uint32_t i = chosen_[c];
    const auto z = static_cast<std::size_t>(
        p.q == 0 ? (63 - std::countl_zero(holes_[i] & (reached | always_[i]))) / 8 : highest_hole(p, i));
    const std::uint64_t sums = prefixes_[i] - laid;
    const auto& table = kRanks.hole[z];
    list.columns[c] = base[z == 5] - table[0][sums & 0xff] - table[1][sums >> 8 & 0xff] -
                      table[2][sums >> 16 & 0xff] - table[3][sums >> 24 & 0xff] - table[4][sums >> 32 & 0xff];
  }
}

}  // namespace awele
