// A part of a saved slice state: one HDF5 file with a contiguous range of pieces.
//
//   /codes   uint8, one-dimensional: one byte per position, chunks of kPiecePositions, deflate
//   /counts  uint8: open moves, two positions a byte (the first in the low half), half as many a chunk; only
//   of a
//            state that keeps them apart from the codes
//   /distances  uint8, only of a solve with distances: two bytes per position, the lower first
//   /crc32   uint32 little-endian, three a piece, piece after piece, one for each of these planes: zlib's
//            CRC-32 of the plane's bytes, 0 of one that is not there; Fletcher-32
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

/// The arrays that a state can have, by number: codes, counts, distances.
inline constexpr std::size_t kMostPlanes = 3;
/// Which of them a part holds; codes always.
struct PlaneSet {
  bool counts = false, distances = false;
  bool has(std::size_t plane) const { return plane == 0 || (plane == 1 ? counts : distances); }
};
/// Bytes of a plane for that many positions.
inline std::uint64_t plane_bytes(std::size_t plane, std::uint64_t positions) {
  return plane == 0 ? positions : plane == 1 ? (positions + 1) / 2 : 2 * positions;
}

/// One piece: for each plane its CRC-32 and its zlib stream; 0 and none where there is no such plane.
struct PieceStreams {
  std::array<std::uint32_t, kMostPlanes> crc{};
  std::array<std::vector<std::byte>, kMostPlanes> stream;
};

/// Writes one part. Removes the file unless finish() is reached. Errors are awele::Error and name the file.
class StatePartWriter {
 public:
  /// `positions`: of the part, > 0; all its pieces but the last are full.
  StatePartWriter(const std::filesystem::path& path, std::uint64_t positions, const PlaneSet& planes);
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
  StatePartReader(const std::filesystem::path& path, std::uint64_t positions, const PlaneSet& planes);
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
