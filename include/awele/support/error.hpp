// The one exception type that reaches the user, with the exit code of the process.
#pragma once

#include <stdexcept>
#include <string>

#include "awele/support/export.hpp"

namespace awele {

enum class ExitCode : int {
  ok = 0,
  failure = 1,              ///< run-time error
  usage = 2,                ///< unknown option, value out of range
  verification_failed = 3,  ///< check or verify found a wrong value or a damaged file
  no_resources = 4,         ///< not enough memory or disk
  stopped = 75              ///< stopped on request, with a valid checkpoint
};

/// One clear sentence that names the thing and the remedy.
class AWELE_API Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  explicit Error(const std::string& what) : Error(ExitCode::failure, what) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace awele
