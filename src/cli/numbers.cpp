#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "awele/support/decimal.hpp"

namespace awele::cli {

namespace {

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// "k", "MB", "gib", ...: how many bytes one is.
std::optional<double> parse_unit(std::string_view text) {
  std::string unit(text);
  for (char& c : unit) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (unit.ends_with('b')) unit.pop_back();
  if (unit.empty()) return 1;
  const double base = unit.ends_with('i') ? 1024 : 1000;
  if (base == 1024) unit.pop_back();
  constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t power = unit.size() == 1 ? kPrefixes.find(unit[0]) : std::string_view::npos;
  if (power == std::string_view::npos) return std::nullopt;
  return std::pow(base, power + 1);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = text.substr(0, end);
  const std::size_t unit_at = std::min(text.find_first_not_of(' ', end), text.size());
  const auto unit = parse_unit(text.substr(unit_at));
  if (!unit) return std::nullopt;
  if (*unit == 1) return parse_decimal(number);
  const auto value = parse_real(number);
  if (!value || *value * *unit >= 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*value * *unit));
}

}  // namespace

CLI::Validator whole(std::uint64_t low, std::uint64_t high) {
  const auto make_plain = [low, high](std::string& text) {
    const auto value = parse_decimal(text);
    if (value && *value >= low && *value <= high) {
      text = std::to_string(*value);  // without leading zeros, which the library takes for octal
      return std::string();
    }
    const bool bounded = high != std::numeric_limits<std::uint64_t>::max();
    return fmt::format(
        "'{}' is not a whole number {}", text,
        bounded ? fmt::format("from {} to {}", low, high) : fmt::format("of at least {}", low));
  };
  return CLI::Validator(make_plain, "", "whole");
}

CLI::Validator real(double low, double high) {
  const auto make_plain = [low, high](std::string& text) {
    const auto value = parse_real(text);
    return value && *value >= low && *value <= high
               ? std::string()
               : fmt::format("'{}' is not a number from {} to {}", text, low, high);
  };
  return CLI::Validator(make_plain, "", "real");
}

CLI::Validator bytes(std::uint64_t low, std::uint64_t high) {
  const auto make_plain = [low, high](std::string& text) {
    const auto value = parse_bytes(text);
    if (!value)
      return fmt::format(
          "'{}' is not a number of bytes; write for example 500000, 512MB (10^6) or 2GiB (2^30)", text);
    if (*value < low || *value > high)
      return fmt::format("'{}' is not a number of bytes from {} to {}", text, low, high);
    text = std::to_string(*value);
    return std::string();
  };
  return CLI::Validator(make_plain, "", "bytes");
}

}  // namespace awele::cli
