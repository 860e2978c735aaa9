// Slice files: slice_NN.h5, format version 3. Readable by h5dump and h5py without a plug-in.
//
//   /values     int8, one-dimensional, slice_size(n) elements in the published order (slice_index.hpp),
//   chunked
//               (65,536 elements, fewer when the slice is smaller), deflate
//   /histogram  uint64 little-endian, 2n+1 elements: number of stored positions with value v at index v + n;
//               Fletcher-32
//   /chunk_crc32  uint32 little-endian, one element a chunk of /values: zlib's CRC-32 of the chunk's values
//               (without what pads the last chunk), chunked, Fletcher-32. Joined in order they give crc32.
//   /distance   optional: uint16 little-endian, the same order and chunks; shuffle, deflate (distances.hpp);
//               with it /distance_chunk_crc32, like /chunk_crc32, of the little-endian bytes
//   /exit_crc32  optional: uint32 little-endian, 14 elements, for n < 15 n-1, none for n < 2; Fletcher-32:
//               crc32 of the slices n-2, n-3, ... that this one was made from
//   attributes of the root group: format_version (int32), rules (string), seeds (int32), positions (uint64),
//               crc32 (uint32, zlib's, of the bytes of /values), program_version (string),
//               meta_crc32 (uint32, of the histogram's bytes and the other attributes; see slice_file.cpp);
//               with /distance also distance_crc32 (uint32, of its uncompressed bytes);
//               total (int32): 0, or absent, when the values are exact; T when they are clamped to what
//               decides games of T seeds (scope.hpp)
//
// Why /chunk_crc32: zlib streams end with an Adler-32, which some single flipped bits get past. A bit that
// changes the distance of a match replaces a few values by others, and when their differences and the first
// moment of these add up to 0, so does the Adler-32's: 8 of 21,774 flips tried in slice 16 gave wrong values.
//
// Library version bounds V110, so that HDF5 1.10 and later can read it and its metadata carries checksums.
// The bytes of /values depend on the rules, n and total alone. A file is written under a temporary name and
// renamed when complete.
//
// Versions. The version must be raised whenever an older program would misread a new file, or refuse it with
// a wrong reason: a new attribute or dataset, another meaning, order or type. Version 3 added `total` and
// /exit_crc32.
// This program also reads version 2, whose values are exact. Programs of version 2 say of a file of version 3
// that they do not read that version.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/game/scope.hpp"
#include "awele/store/codec.hpp"

namespace awele {

inline constexpr int kFormatVersion = 3;
/// The oldest version that is read.
inline constexpr int kOldestFormatVersion = 2;

/// Elements of a full chunk of /values.
inline constexpr std::uint64_t kChunk = 65536;

/// What a slice file says of itself, all of it covered by meta_crc32, but exit_crcs by a Fletcher-32.
struct SliceInfo {
  int seeds = 0;
  RuleSet rules = RuleSet::awari;
  std::uint64_t positions = 0;
  std::uint32_t crc = 0;
  std::string program_version;
  std::vector<std::uint64_t> histogram;  ///< index value + seeds, 2 * seeds + 1 entries
  /// Of /distance; none when the file holds no distances.
  std::optional<std::uint32_t> distance_crc = std::nullopt;
  /// Exact, or clamped to -scope.width(seeds)..scope.width(seeds).
  Scope scope = {};
  /// The CRC-32s of the slices it was made from: seeds - 2, seeds - 3, ...; exit_count(seeds) of them, or
  /// none when the file does not say.
  std::vector<std::uint32_t> exit_crcs = {};

  std::uint64_t count_above() const;  ///< positions won by the side to move
  std::uint64_t count_zero() const;
  std::uint64_t count_below() const;
  bool operator==(const SliceInfo&) const = default;
};

/// How many slices the captures of slice n lead to: 2 to 15 seeds less, as five pits of three are the most.
constexpr std::size_t exit_count(int n) { return n < 2 ? 0 : static_cast<std::size_t>(n < 15 ? n : 15) - 1; }

/// DIR/slice_NN.h5
std::filesystem::path slice_path(const std::filesystem::path& dir, int n);

/// Elements of a chunk of slice n, and the number of chunks.
std::uint64_t chunk_size(int n);
std::uint64_t chunk_count(int n);
/// Elements of chunk `index` of slice n that belong to the slice (the last chunk may be shorter).
std::uint64_t chunk_length(int n, std::uint64_t index);

/// Inflates the stream of one chunk into `values` (chunk_size(n) elements); an Error that names `path` when
/// the stream is damaged or a value lies outside of -width..width (Scope::width()). Of digests it checks the
/// stream's Adler-32 only: compare the values' CRC-32 as well, of the chunk or of the whole slice.
void inflate_chunk(const std::filesystem::path& path, int n, int width, std::uint64_t index,
                   std::span<const std::byte> stream, Decompressor& decompressor,
                   std::span<std::int8_t> values);
/// The error for values whose digest is not the one the file states.
[[noreturn]] void fail_digest(const std::filesystem::path& path, std::uint32_t found, std::uint32_t stated);
/// An Error that names `path` unless the chunk's digest is the one the file states. `dataset`: "/values" or
/// "/distance".
void require_chunk_digest(const std::filesystem::path& path, const char* dataset, std::uint64_t index,
                          std::uint32_t found, std::uint32_t stated);
/// The error for a chunk of /distance whose stream is damaged.
[[noreturn]] void fail_distance_chunk(const std::filesystem::path& path, std::uint64_t index);

/// Reads one slice file. Construction checks structure, attributes and the small checksums, not the values.
/// All errors are awele::Error and name the file; Unreadable when the system gave no bytes (read_errors.hpp).
/// A file that holds anything that this program does not write is refused before HDF5 opens it
/// (screened_file.hpp). Not thread safe.
class SliceReader {
 public:
  explicit SliceReader(const std::filesystem::path& path);
  ~SliceReader();
  SliceReader(SliceReader&&) noexcept;
  SliceReader& operator=(SliceReader&&) noexcept;

  const SliceInfo& info() const;
  const std::filesystem::path& path() const;
  std::uint64_t file_bytes() const;

  std::uint64_t chunk_size() const;  ///< elements
  std::uint64_t chunk_count() const;
  /// Elements of chunk `index` that belong to the slice (the last chunk may be shorter).
  std::uint64_t chunk_length(std::uint64_t index) const;

  /// The chunk's zlib stream as it lies in the file.
  void read_stream(std::uint64_t index, std::vector<std::byte>& stream) const;
  /// The chunk's values, chunk_length(index) of them; the stream's checksum and the values' CRC-32 are
  /// checked.
  void read_chunk(std::uint64_t index, std::vector<std::int8_t>& values) const;
  /// The CRC-32 that the file states for the values of a chunk.
  std::uint32_t chunk_crc(std::uint64_t index) const;
  /// An Error unless the checksums of the chunks, joined, are those that the attributes state, of values and
  /// of distances. The values themselves are not read.
  void require_digests() const;
  /// Any range of values: first .. first + out.size() - 1.
  void read(std::uint64_t first, std::span<std::int8_t> out) const;

  bool has_distances() const { return info().distance_crc.has_value(); }
  // The following: precondition has_distances().
  /// The chunk's stream of /distance as it lies in the file, for inflate_distances().
  void read_distance_stream(std::uint64_t index, std::vector<std::byte>& stream) const;
  /// The CRC-32 that the file states for the distances of a chunk.
  std::uint32_t distance_chunk_crc(std::uint64_t index) const;
  /// The chunk's distances, chunk_length(index) of them, checked like values.
  void read_distance_chunk(std::uint64_t index, std::vector<std::uint16_t>& distances) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Writes one slice file. Unless finish() is reached, nothing of that name appears in the directory, and the
/// temporary file is removed.
class SliceWriter {
 public:
  /// The temporary file is slice_NN.h5.TOKEN.tmp, or slice_NN.h5.tmp without a token.
  /// Precondition: scope.admits(n, rules).
  SliceWriter(const std::filesystem::path& dir, int n, RuleSet rules, const std::string& token = {},
              Scope scope = {});
  ~SliceWriter();
  SliceWriter(const SliceWriter&) = delete;
  SliceWriter& operator=(const SliceWriter&) = delete;

  /// Stores a zlib stream of exactly chunk_size elements (the last chunk padded with zeros) and the CRC-32 of
  /// the chunk_length elements among them that belong to the slice.
  void write_stream(std::uint64_t index, std::span<const std::byte> stream, std::uint32_t crc);
  /// Stores a stream of append_distances() and the CRC-32 of the chunk_length distances among them. The first
  /// one makes the file one with distances: then all chunks must follow.
  void write_distance_stream(std::uint64_t index, std::span<const std::byte> stream, std::uint32_t crc);
  /// What SliceInfo::exit_crcs is to be.
  void made_from(std::vector<std::uint32_t> exit_crcs);
  /// Completes the file, flushes it to disk and renames it; `before_rename` may throw to prevent that.
  /// Returns its size in bytes.
  std::uint64_t finish(std::uint32_t crc, const std::vector<std::uint64_t>& histogram,
                       const std::function<void()>& before_rename = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace awele
