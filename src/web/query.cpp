#include "query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace awele::web {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string decode(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '+') {
      out += ' ';
    } else if (text[k] != '%') {
      out += text[k];
    } else {
      const int high = k + 2 < text.size() ? hex_digit(text[k + 1]) : -1;
      const int low = k + 2 < text.size() ? hex_digit(text[k + 2]) : -1;
      if (high < 0 || low < 0)
        throw Problem(400, "bad_query",
                      "a percent sign in the query is not followed by two hexadecimal digits");
      out += static_cast<char>(16 * high + low);
      k += 2;
    }
  }
  return out;
}

}  // namespace

Query::Query(std::string_view text, std::initializer_list<std::string_view> known) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const std::size_t equal = std::min(part.find('='), part.size());
    const std::string name = decode(part.substr(0, equal));
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Problem(400, "unknown_parameter", fmt::format("there is no parameter '{}' here", name));
    const auto value = decode(part.substr(std::min(equal + 1, part.size())));
    if (!values_.emplace(name, value).second)
      throw Problem(400, "repeated_parameter",
                    fmt::format("the parameter '{}' is given more than once", name));
  }
}

std::string Query::get(const std::string& name, std::string otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::move(otherwise) : found->second;
}

int Query::number(const std::string& name, int low, int high, int otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return otherwise;
  const std::string& text = found->second;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty() || number < low ||
      number > high)
    throw Problem(400, "bad_number",
                  fmt::format("{} must be a number from {} to {}, not '{}'", name, low, high, text));
  return number;
}

}  // namespace awele::web
