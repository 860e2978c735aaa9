// Distances: per position the number of plies until the next capture or the end of the game, when both sides
// play for value first and the winner then hurries while the loser delays. 0: nothing to come, because the
// position is worth 0 and neither side can force anything, or because the game is over on it.
//
// In a slice file: dataset /distance, unsigned 16-bit little-endian, the order and the chunks of /values; the
// shuffle filter (all low bytes, then all high bytes), then deflate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "awele/store/codec.hpp"

namespace awele {

/// Appends one chunk of /distance to `out`, as SliceWriter::write_distance_stream takes it: shuffled and
/// deflated. `distances` holds a full chunk (the last one padded with zeros). Returns its length in bytes.
std::size_t append_distances(Compressor& compressor, std::span<const std::uint16_t> distances,
                             std::vector<std::byte>& out);

/// The reverse: true when `stream` is intact and holds exactly `distances.size()` distances.
[[nodiscard]] bool inflate_distances(std::span<const std::byte> stream, Decompressor& decompressor,
                                     std::span<std::uint16_t> distances);

/// zlib's CRC-32 over the little-endian bytes, continued from `crc` (0 to begin).
std::uint32_t crc32(std::uint32_t crc, std::span<const std::uint16_t> distances);

}  // namespace awele
