// Which build of the program this is.
#pragma once

#include <string>

namespace awele {

/// Version and commit, "0.2.0 (7c19cbae2cdc)"; "-dirty" follows the commit of sources that were changed
/// since, and "unknown" stands for that of sources without git. What files carry is kVersion (version.hpp)
/// alone: their bytes do not depend on the commit.
std::string build_version();

}  // namespace awele
