// Un-sowing of many positions at once: the columns of their predecessors, pattern by pattern.
//
// Which positions have a predecessor by a pattern, and in which column, depends on the mover half and the
// pattern alone. So the positions of a block of frontier rows are gone through pattern by pattern in long
// loops without branches, and each way back from a row finds its list ready.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "frontier_item.hpp"

namespace awele {

class UnsowBlock {
 public:
  static constexpr std::size_t kMostItems = 1024;

  /// `slams_stay`: under abapa a grand slam is an inner move.
  explicit UnsowBlock(bool slams_stay);

  /// Takes at most kMostItems positions, of rows whose mover halves have `mover` seeds. Spans given out
  /// before are no longer valid.
  void load(std::span<const FrontierItem> items, int mover);

  /// Columns, in their state row, of the predecessors of items first..last-1 by pattern `p`. Valid until
  /// load().
  std::span<const std::uint32_t> columns(const Pattern& p, std::size_t first, std::size_t last) {
    const auto at = static_cast<std::size_t>(7 * p.q + p.j);
    if (!(made_ >> at & 1)) make(p);
    const List& list = lists_[at];
    return {list.columns.data() + list.start[first], list.columns.data() + list.start[last]};
  }

  /// (position, pattern) pairs looked at so far.
  std::uint64_t candidates() const { return candidates_; }

 private:
  struct List {
    std::vector<std::uint16_t> start;  ///< by item: columns of the items before it
    std::vector<std::uint32_t> columns;
  };
  void make(const Pattern& p);
  std::size_t choose(const Pattern& p, List& list);
  int highest_hole(const Pattern& p, std::size_t item) const;

  const bool slams_stay_;
  int mover_ = 0;
  std::size_t count_ = 0;
  std::vector<PrefixSums> prefixes_;
  std::vector<std::uint64_t> holes_;  ///< bit 7 of byte k: pit k is empty; where none is: holds one seed
  std::vector<std::uint64_t>
      always_;                       ///< all ones where a pit is empty: the pattern then makes no higher hole
  std::vector<std::uint8_t> masks_;  ///< unsow_mask; bit 7: the same for pattern (1, 0)
  std::vector<std::uint32_t> chosen_;
  std::array<List, 7 * kPatternLaps> lists_;
  std::uint64_t made_ = 0;
  std::uint64_t candidates_ = 0;
};

}  // namespace awele
