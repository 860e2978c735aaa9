// What all files of the store have in common: version bounds, reading chunks, flushing to disk, the errors of
// a failed read and of a failed write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hdf5.hpp"

namespace awele {

/// File access with checksummed metadata, readable by HDF5 1.10 and later. Let it outlive the call that it is
/// for: closing it empties HDF5's error stack.
PropertyList version_bounds();

/// No deflater makes the stream of a chunk of `bytes` longer than this.
inline std::uint64_t longest_stream(std::uint64_t bytes) { return bytes + bytes / 8 + 64; }

/// Chunk `index` of a dataset with chunks of `elements`, as it lies in the file; fail_reading() when it is
/// missing or longer than `most` bytes. `name`: of the dataset.
void read_chunk_stream(const std::filesystem::path& path, hid_t dataset, const char* name,
                       std::uint64_t index, std::uint64_t elements, std::uint64_t most,
                       std::vector<std::byte>& stream, const std::string& remedy);

/// Throws for a file of which HDF5 could not read `what`: the system's error when there was one (the file may
/// be sound), Damage otherwise. To be called before HDF5 is called again, also by closing something.
[[noreturn]] void fail_reading(const std::filesystem::path& path, const std::string& what,
                               const std::string& remedy);

/// Flushes a file or a directory to disk.
void flush_to_disk(const std::filesystem::path& path);

/// Throws the Error for `what` of `path` that could not be written: exit code no_resources when the disk is
/// full. `error`: of the system, where it is known; otherwise what HDF5 says.
[[noreturn]] void fail_writing(const std::filesystem::path& path, const std::string& what, int error = 0);

}  // namespace awele
