// JSON as this program writes and reads it. Paths, host names and lines of input may hold any bytes.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace awele {

/// The text of `json`, on one line when `indent` is negative. Bytes that are not UTF-8 are replaced by
/// U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Whether `json` is a T: a number for a floating-point type, one without a fraction that fits for an
/// integer, a string.
template <typename T>
bool json_is(const nlohmann::ordered_json& json) {
  if constexpr (std::floating_point<T>)
    return json.is_number();
  else if constexpr (std::integral<T>)
    return json.is_number_unsigned()
               ? std::in_range<T>(json.template get<std::uint64_t>())
               : json.is_number_integer() && std::in_range<T>(json.template get<std::int64_t>());
  else
    return json.is_string();
}

/// A field of the object `json`: `otherwise` when it is not there, none when it is of another type than T.
template <typename T>
std::optional<T> json_field(const nlohmann::ordered_json& json, const char* name, T otherwise) {
  const auto field = json.find(name);
  if (field == json.end()) return otherwise;
  if (!json_is<T>(*field)) return std::nullopt;
  return field->template get<T>();
}

}  // namespace awele
