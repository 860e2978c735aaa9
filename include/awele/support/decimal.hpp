// Numbers as people write them: decimal, without a sign, a base or anything after them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace awele {

/// The number when `text` is digits alone, leading zeros included, and below 2^64; none otherwise.
inline std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace awele
