// Reading smaller slices with at most one rank a node opening files: it hands the compressed chunks to the
// others.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/store/slice_file.hpp"

namespace awele {

class SliceSource {
 public:
  SliceSource(std::filesystem::path dir, const Communicator& ranks);

  /// The stated CRC-32 of slice n's values. Collective over all ranks.
  std::uint32_t stated_crc(int n);
  /// Collective over the ranks of a node: each asks for the values of `count` (0 for none) chunks of slice n
  /// from `first` on, which are put one after the other into `values` (chunk_size(n) elements each).
  void fetch(int n, std::uint64_t first, std::uint64_t count, std::vector<std::int8_t>& values);
  std::filesystem::path path(int n) const { return slice_path(dir_, n); }

 private:
  const SliceReader& reader(int n);
  void serve(int n, std::uint64_t first, std::uint64_t count, std::vector<std::byte>& blob);
  void inflate(int n, std::uint64_t first, std::uint64_t count, std::span<const std::byte> blob,
               std::vector<std::int8_t>& values);

  std::filesystem::path dir_;
  const Communicator& ranks_;
  Communicator node_;
  std::map<int, SliceReader> readers_;
  Decompressor decompressor_;
  std::vector<std::byte> stream_, blob_;
};

}  // namespace awele
