#include "environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "awele/support/error.hpp"

namespace awele::cli {

namespace {

/// Letters to be changed, added, left out or swapped with their neighbour to make `a` of `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The variable that `name` was probably meant to be.
std::optional<std::string_view> misspelt(std::string_view name) {
  constexpr std::size_t kNear = 2;
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (std::string_view known : kEnvironmentVariables)
    if (name != known && distance(upper, known) <= kNear) return known;
  return std::nullopt;
}

}  // namespace

void check_environment() {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (const auto meant = misspelt(name))
      throw Error(ExitCode::usage,
                  fmt::format("the environment variable {} is not read, but {} is; rename or unset it", name,
                              *meant));
  }
}

}  // namespace awele::cli
