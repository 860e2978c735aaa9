// What all files of the store have in common: version bounds, flushing to disk, the error of a failed write.
#pragma once

#include <filesystem>
#include <string>

#include "hdf5.hpp"

namespace awele {

/// File access with checksummed metadata, readable by HDF5 1.10 and later. Let it outlive the call that it is
/// for: closing it empties HDF5's error stack.
PropertyList version_bounds();

/// Flushes a file or a directory to disk.
void flush_to_disk(const std::filesystem::path& path);

/// Throws the Error for `what` of `path` that could not be written: exit code no_resources when the disk is
/// full. `error`: of the system, where it is known; otherwise what HDF5 says.
[[noreturn]] void fail_writing(const std::filesystem::path& path, const std::string& what, int error = 0);

}  // namespace awele
