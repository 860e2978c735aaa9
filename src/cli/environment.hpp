// Environment variables of this program. A name that starts with AWELE_ and is not listed here is an error:
// a misspelt setting must not be ignored.
#pragma once

#include <string_view>
#include <vector>

namespace awele::cli {

/// All names that are understood, in one place.
inline const std::vector<std::string_view> kEnvironmentVariables = {
    "AWELE_INJECT",  // a fault for tests, see awele/run/run_control.hpp
};

/// Throws awele::Error (ExitCode::usage) for the first unknown name.
void check_environment();

}  // namespace awele::cli
