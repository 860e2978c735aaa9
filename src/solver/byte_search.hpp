// Searching bytes eight at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace awele {

inline std::uint64_t load_word(const void* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Bit 7 of each byte of `word` that equals `c`, exactly.
inline std::uint64_t equal_bytes(std::uint64_t word, std::uint8_t c) {
  constexpr std::uint64_t ones = 0x0101010101010101u, low = 0x7f7f7f7f7f7f7f7fu;
  word ^= ones * c;
  return ~(((word & low) + low) | word | low);
}

/// Calls f(k) for each byte k of a word whose bit 7 is set, lowest first.
template <typename F>
void each_byte(std::uint64_t hits, F f) {
  for (; hits; hits &= hits - 1) f(static_cast<std::uint32_t>(std::countr_zero(hits)) / 8);
}

}  // namespace awele
