// The slice files of a directory, opened one by one, so that one damaged file does not hide the others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "awele/store/slice_file.hpp"

namespace awele::cli {

struct ScannedSlice {
  int seeds = 0;  ///< as the file's name says
  std::filesystem::path path;
  std::optional<SliceReader> reader;  ///< none when the file cannot be used
  std::string error;                  ///< then one sentence that says why
  bool unreadable = false;            ///< then: the system did not give its bytes; it may be sound
};

/// Every slice_NN.h5 of `dir`, ascending. A file is unusable when it is damaged, holds another slice than its
/// name says or is of other rules or another kind than most of the others. Throws awele::Error when there
/// is no such directory, or no slice file in it.
std::vector<ScannedSlice> scan(const std::filesystem::path& dir);

/// Slice n alone; the other files are not looked at. Throws awele::Error when it is not there or unusable.
SliceReader open_slice(const std::filesystem::path& dir, int n);

}  // namespace awele::cli
