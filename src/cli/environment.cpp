#include "environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "awele/support/error.hpp"

namespace awele::cli {

void check_environment() {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("AWELE_")) continue;
    const auto& known = kEnvironmentVariables;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ExitCode::usage,
                fmt::format("the environment variable {} is not one of awele's ({}); unset {}", name,
                            known.empty() ? "it has none" : fmt::format("{}", fmt::join(known, ", ")), name));
  }
}

}  // namespace awele::cli
