// A part of a saved slice state: one HDF5 file with a contiguous range of pieces.
//
//   /codes   uint8, one-dimensional: a byte a position, chunks of kPiecePositions, deflate
//   /counts  uint8: open moves, two positions a byte (the first in the low half), half as many a chunk
//   /distances  uint8, only of a solve with distances: two bytes a position, the lower first
//   /crc32   uint32 little-endian, one for each of these planes of a piece, piece after piece: zlib's
//            CRC-32 of the plane's bytes; Fletcher-32
//
// Positions lie in state order: state rows (mover halves) by number of seeds, then in order; in a row the
// waiting halves with a hole, in order. The order knows nothing of ranks. Version bounds V110, as for slices.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "awele/store/codec.hpp"

namespace awele {

/// Positions of a full piece, even.
inline constexpr std::uint64_t kPiecePositions = std::uint64_t{1} << 19;

/// The arrays of a state: codes, counts, and with distances those.
inline constexpr std::size_t kMostPlanes = 3;
/// Bytes of a plane for that many positions.
inline std::uint64_t plane_bytes(std::size_t plane, std::uint64_t positions) {
  return plane == 0 ? positions : plane == 1 ? (positions + 1) / 2 : 2 * positions;
}

/// One piece: for each plane its CRC-32 and its zlib stream.
struct PieceStreams {
  std::array<std::uint32_t, kMostPlanes> crc{};
  std::array<std::vector<std::byte>, kMostPlanes> stream;
};

/// Writes one part. Removes the file unless finish() is reached. Errors are awele::Error and name the file.
class StatePartWriter {
 public:
  /// `positions`: of the part, > 0; all its pieces but the last are full. `planes`: 2, or 3 with distances.
  StatePartWriter(const std::filesystem::path& path, std::uint64_t positions, std::size_t planes);
  ~StatePartWriter();
  StatePartWriter(const StatePartWriter&) = delete;
  StatePartWriter& operator=(const StatePartWriter&) = delete;

  /// `piece`: counted from the first of the part.
  void write(std::uint64_t piece, const PieceStreams& streams);
  /// Completes the file, flushes it to disk, reads it again and compares. Returns its size in bytes.
  std::uint64_t finish();
  /// A digest of all pieces, as the reader has it.
  std::uint32_t digest() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads one part.
class StatePartReader {
 public:
  StatePartReader(const std::filesystem::path& path, std::uint64_t positions, std::size_t planes);
  ~StatePartReader();
  StatePartReader(StatePartReader&&) noexcept;
  StatePartReader& operator=(StatePartReader&&) noexcept;

  void read(std::uint64_t piece, PieceStreams& streams) const;
  /// A digest of all pieces: of their CRC-32s.
  std::uint32_t digest() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace awele
