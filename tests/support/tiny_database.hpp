// A small database made by plain value iteration, for tests of what reads databases.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/index/slice_index.hpp"
#include "awele/store/codec.hpp"
#include "awele/store/slice_file.hpp"

namespace awele::test {

/// Values of slice n, given those of all smaller slices: everything starts at 0 and takes the best of its
/// moves until nothing changes.
inline std::vector<std::int8_t> iterate_values(int n, RuleSet rules,
                                               const std::vector<std::vector<std::int8_t>>& smaller) {
  const std::uint64_t size = slice_size(n);
  std::vector<std::int8_t> values(size), exits(size, std::numeric_limits<std::int8_t>::min());
  std::vector<std::uint32_t> children;
  std::vector<std::size_t> first{0};
  for (std::uint64_t p = 0; p < size; ++p) {
    const Moves all = moves(position_at(n, p), rules);
    const auto offer = [&](int value) { exits[p] = std::max(exits[p], static_cast<std::int8_t>(value)); };
    if (all.ended) offer(*all.ended);
    for (const Move& move : all.pit) {
      if (move.kind == Move::Kind::known) offer(move.value);
      if (move.kind == Move::Kind::capture)
        offer(move.captured -
              smaller[static_cast<std::size_t>(n - move.captured)][position_rank(move.child)]);
      if (move.kind == Move::Kind::inner)
        children.push_back(static_cast<std::uint32_t>(position_rank(move.child)));
    }
    first.push_back(children.size());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint64_t p = 0; p < size; ++p) {
      std::int8_t best = exits[p];
      for (std::size_t c = first[p]; c < first[p + 1]; ++c)
        best = std::max(best, static_cast<std::int8_t>(-values[children[c]]));
      changed = changed || best != values[p];
      values[p] = best;
    }
  }
  return values;
}

inline void write_slice(const std::filesystem::path& dir, int n, RuleSet rules,
                        const std::vector<std::int8_t>& values) {
  SliceWriter writer(dir, n, rules);
  Compressor compressor;
  std::vector<std::uint64_t> histogram(static_cast<std::size_t>(2 * n + 1));
  for (std::int8_t value : values) ++histogram[static_cast<std::size_t>(value + n)];
  const std::uint64_t chunk = chunk_size(n);
  for (std::uint64_t index = 0; index * chunk < values.size(); ++index) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(index * chunk);
    std::vector<std::int8_t> piece(begin, begin + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(
                                                      chunk, values.size() - index * chunk)));
    const std::uint32_t crc = crc32(0, std::span<const std::int8_t>(piece));
    piece.resize(chunk);
    std::vector<std::byte> stream;
    compressor.append(piece, stream);
    writer.write_stream(index, stream, crc);
  }
  writer.finish(crc32(0, std::span(values)), histogram);
}

/// Writes slices 0..n into `dir`, which is made.
inline void make_database(const std::filesystem::path& dir, int n, RuleSet rules) {
  std::filesystem::create_directories(dir);
  std::vector<std::vector<std::int8_t>> slices;
  for (int m = 0; m <= n; ++m) {
    slices.push_back(iterate_values(m, rules, slices));
    write_slice(dir, m, rules, slices.back());
  }
}

/// Writes slices 0..n with made-up values, for tests of look-ups that do not care what the values are. A few
/// different chunks are repeated, so that it is quick; the digests and histograms in the files are not true.
inline void make_arbitrary_database(const std::filesystem::path& dir, int n, RuleSet rules) {
  std::filesystem::create_directories(dir);
  std::mt19937 random(12345);
  Compressor compressor;
  for (int m = 0; m <= n; ++m) {
    SliceWriter writer(dir, m, rules);
    std::array<std::vector<std::byte>, 7> streams;
    std::array<std::vector<std::int8_t>, 7> pieces;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      auto& piece = pieces[i];
      piece.resize(chunk_size(m));
      for (auto& value : piece)
        value = static_cast<std::int8_t>(static_cast<int>(random() % static_cast<unsigned>(2 * m + 1)) - m);
      compressor.append(piece, streams[i]);
    }
    for (std::uint64_t index = 0; index < chunk_count(m); ++index) {
      const auto values = std::span<const std::int8_t>(pieces[index % pieces.size()]);
      writer.write_stream(index, streams[index % streams.size()],
                          crc32(0, values.first(chunk_length(m, index))));
    }
    writer.finish(0, std::vector<std::uint64_t>(static_cast<std::size_t>(2 * m + 1)));
  }
}

}  // namespace awele::test
