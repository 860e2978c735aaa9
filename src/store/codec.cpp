#include "awele/store/codec.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <new>

namespace awele {

Compressor::Compressor(int level) : state_(libdeflate_alloc_compressor(level)) {
  if (!state_) throw std::bad_alloc();
}
Compressor::~Compressor() = default;
void Compressor::Deleter::operator()(void* p) const {
  libdeflate_free_compressor(static_cast<libdeflate_compressor*>(p));
}

std::size_t Compressor::append(std::span<const std::int8_t> values, std::vector<std::byte>& out) {
  auto* state = static_cast<libdeflate_compressor*>(state_.get());
  const std::size_t before = out.size();
  out.resize(before + libdeflate_zlib_compress_bound(state, values.size()));
  const std::size_t bytes =
      libdeflate_zlib_compress(state, values.data(), values.size(), out.data() + before, out.size() - before);
  out.resize(before + bytes);
  return bytes;
}

Decompressor::Decompressor() : state_(libdeflate_alloc_decompressor()) {
  if (!state_) throw std::bad_alloc();
}
Decompressor::~Decompressor() = default;
void Decompressor::Deleter::operator()(void* p) const {
  libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(p));
}

bool Decompressor::run(std::span<const std::byte> stream, std::span<std::int8_t> values) {
  // A null for the actual size makes any other length than values.size() an error.
  return libdeflate_zlib_decompress(static_cast<libdeflate_decompressor*>(state_.get()), stream.data(),
                                    stream.size(), values.data(), values.size(),
                                    nullptr) == LIBDEFLATE_SUCCESS;
}

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
}
std::uint32_t crc32(std::uint32_t crc, std::span<const std::int8_t> values) {
  return crc32(crc, std::as_bytes(values));
}

void PieceCrc::add(std::span<const std::int8_t> values) {
  crc = awele::crc32(crc, values);
  bytes += values.size();
}

void PieceCrc::append(const PieceCrc& next) {
  crc = static_cast<std::uint32_t>(crc32_combine(crc, next.crc, static_cast<z_off_t>(next.bytes)));
  bytes += next.bytes;
}

}  // namespace awele
