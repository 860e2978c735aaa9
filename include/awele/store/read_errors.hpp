// Why a file could not be used: its bytes are wrong, or they could not be had.
#pragma once

#include <filesystem>
#include <string>

#include "awele/support/error.hpp"

namespace awele {

/// The system did not give the bytes of a file or directory: no permission, no free descriptor, a lock, an
/// I/O error. The file may be as good as ever. Any other Error about a file: its bytes were read and are
/// wrong.
class Unreadable : public Error {
 public:
  using Error::Error;
};

/// The end of a sentence about a damaged slice.
inline constexpr const char* kSolveAgain = "remove it (or restore it from a copy) and solve it again";

/// Throws the Error "PATH is damaged: WHAT; REMEDY".
[[noreturn]] void fail_damaged(const std::filesystem::path& path, const std::string& what,
                               const std::string& remedy = kSolveAgain);

/// Throws the Error for a file or directory that could not be read, with the remedy for `error` (errno),
/// which is not 0. Of a file that may be as good as ever.
[[noreturn]] void fail_unreadable(const std::filesystem::path& path, int error);

}  // namespace awele
