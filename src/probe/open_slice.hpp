// The slices of a directory that are open, for several threads at once.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "awele/probe/probe.hpp"
#include "awele/store/slice_file.hpp"
#include "chunk_cache.hpp"

namespace awele {

/// HDF5 as Debian and most others build it is not thread safe: held during every call.
std::mutex& hdf5_lock();

/// One slice file. Thread safe: HDF5 is called under one lock, which all slices share; chunks are inflated
/// outside of it. The file stays open, and usable when its name goes to another file.
class OpenSlice {
 public:
  OpenSlice(const std::filesystem::path& path, int n);
  ~OpenSlice();
  OpenSlice(const OpenSlice&) = delete;
  OpenSlice& operator=(const OpenSlice&) = delete;

  const SliceInfo& info() const { return info_; }
  const std::filesystem::path& path() const { return path_; }
  std::uint64_t file_bytes() const { return bytes_; }
  bool has_distances() const { return info_.distance_crc.has_value(); }

  /// One chunk, checked: the stream's checksum, the CRC-32 that the file states, and that all values lie in
  /// the range of the slice.
  ChunkPtr values(std::uint64_t index) const;
  ChunkPtr distances(std::uint64_t index) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<SliceReader> reader_;
  SliceInfo info_;
  std::uint64_t bytes_ = 0;
};

/// What is open at one time. Copies share the slices.
struct Shelf {
  std::array<std::shared_ptr<const OpenSlice>, kMaxSeeds + 1> slices;

  std::optional<RuleSet> rules() const;
  Scope scope() const;  ///< exact while there is no slice
  int largest() const;
  /// Opens those of `dir` that are not open yet; returns how many. Throws ProbeError, also for a database of
  /// a kind that is not accepted.
  int open_new(const std::filesystem::path& dir, Accept accept);

 private:
  /// Of the smallest slice; null when there is none.
  const SliceInfo* first() const;
};

}  // namespace awele
