// Compression of chunks as zlib streams (HDF5's deflate filter) and the CRC-32 of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace awele {

/// Deflates one chunk at a time. Not thread safe; one a thread.
class Compressor {
 public:
  explicit Compressor(int level = 1);
  ~Compressor();
  /// Appends the zlib stream of `values` to `out` and returns its length in bytes.
  std::size_t append(std::span<const std::int8_t> values, std::vector<std::byte>& out);

 private:
  struct Deleter {
    void operator()(void*) const;
  };
  std::unique_ptr<void, Deleter> state_;
};

/// Inflates one chunk at a time, checking the stream's Adler-32. Not thread safe.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  /// True when `stream` is intact and holds exactly `values.size()` bytes.
  [[nodiscard]] bool run(std::span<const std::byte> stream, std::span<std::int8_t> values);

 private:
  struct Deleter {
    void operator()(void*) const;
  };
  std::unique_ptr<void, Deleter> state_;
};

/// CRC-32 as zlib computes it, continued from `crc` (0 to begin).
std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes);
std::uint32_t crc32(std::uint32_t crc, std::span<const std::int8_t> values);

/// A CRC-32 and the number of bytes it covers; joined in order.
struct PieceCrc {
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
  void add(std::span<const std::int8_t> values);
  /// This piece followed by `next`.
  void append(const PieceCrc& next);
};

}  // namespace awele
