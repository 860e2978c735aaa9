#include "awele/support/build_version.hpp"

#include "awele/support/version.hpp"
#include "commit.hpp"

namespace awele {

std::string build_version() { return std::string(kVersion) + " (" + AWELE_COMMIT + ")"; }

}  // namespace awele
