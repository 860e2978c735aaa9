// A position on its way through a round, packed into 64 bits so that positions of a row are brought together
// by sorting plain numbers: local frontier row << 37 | unsow_mask << 30 | mover half.
#pragma once

#include <cstdint>

#include "packed_half.hpp"

namespace awele {

using FrontierItem = std::uint64_t;

namespace frontier_item {
inline constexpr int kRowShift = kPackedBits + 7;

inline FrontierItem make(std::uint64_t row, std::uint8_t mask, PackedHalf half) {
  return row << kRowShift | std::uint64_t{mask} << kPackedBits | half;
}
inline std::uint64_t row(FrontierItem item) { return item >> kRowShift; }
inline std::uint8_t mask(FrontierItem item) { return static_cast<std::uint8_t>(item >> kPackedBits & 127); }
inline PackedHalf half(FrontierItem item) {
  return static_cast<PackedHalf>(item & ((std::uint64_t{1} << kPackedBits) - 1));
}
}  // namespace frontier_item

}  // namespace awele
