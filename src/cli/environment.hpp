// Environment variables of this program. A name that is nearly one of these is an error: a misspelt setting
// must not be ignored. Others may begin with AWELE_ (AWELE_ROOT of CMake and site modules, for example).
#pragma once

#include <string_view>
#include <vector>

namespace awele::cli {

/// All names that are understood, in one place.
inline const std::vector<std::string_view> kEnvironmentVariables = {
    "AWELE_INJECT",  // a fault for tests, see awele/run/run_control.hpp
};

/// Throws awele::Error (ExitCode::usage) for the first that is nearly one of them.
void check_environment();

}  // namespace awele::cli
