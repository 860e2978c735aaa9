#include "slice_source.hpp"

#include <cstring>

namespace awele {

SliceSource::SliceSource(std::filesystem::path dir, const Communicator& ranks)
    : dir_(std::move(dir)), ranks_(ranks), node_(ranks.node()) {}

const SliceReader& SliceSource::reader(int n) {
  auto found = readers_.find(n);
  if (found == readers_.end()) {
    readers_.clear();  // slices are read one after the other: one open file
    found = readers_.emplace(n, SliceReader(path(n))).first;
  }
  return found->second;
}

std::uint32_t SliceSource::stated_crc(int n) {
  return static_cast<std::uint32_t>(ranks_.max(ranks_.root() ? reader(n).info().crc : 0));
}

/// Appends `count` chunks to `blob`, each with its length before it.
void SliceSource::serve(int n, std::uint64_t first, std::uint64_t count, std::vector<std::byte>& blob) {
  blob.clear();
  for (std::uint64_t c = first; c < first + count; ++c) {
    reader(n).read_stream(c, stream_);
    const std::uint64_t bytes = stream_.size();
    const auto* head = reinterpret_cast<const std::byte*>(&bytes);
    blob.insert(blob.end(), head, head + sizeof bytes);
    blob.insert(blob.end(), stream_.begin(), stream_.end());
  }
}

void SliceSource::inflate(int n, std::uint64_t first, std::uint64_t count, std::span<const std::byte> blob,
                          std::vector<std::int8_t>& values) {
  values.resize(count * chunk_size(n));
  for (std::uint64_t c = 0; c < count; ++c) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, blob.data(), sizeof bytes);
    inflate_chunk(path(n), n, n, first + c, blob.subspan(sizeof bytes, bytes), decompressor_,
                  std::span(values).subspan(c * chunk_size(n), chunk_size(n)));
    blob = blob.subspan(sizeof bytes + bytes);
  }
}

void SliceSource::fetch(int n, std::uint64_t first, std::uint64_t count, std::vector<std::int8_t>& values) {
  if (node_.size() > 1) {
    const std::vector<std::uint64_t> firsts = node_.gather(first), counts = node_.gather(count);
    if (node_.root()) {
      for (int r = 1; r < node_.size(); ++r) {
        const auto at = static_cast<std::size_t>(r);
        if (counts[at] == 0) continue;
        serve(n, firsts[at], counts[at], blob_);
        node_.send(r, blob_);
      }
    } else if (count > 0) {
      node_.receive(0, blob_);
    }
  }
  if (node_.root() && count > 0) serve(n, first, count, blob_);
  if (count > 0) inflate(n, first, count, blob_, values);
}

}  // namespace awele
