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
#include "awele/store/distances.hpp"
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

/// Distances of slice n, given its values and those of all smaller slices, clamped or exact: in step r all
/// positions settle whose best moves say r. A board on which the game is over has 0.
inline std::vector<std::uint16_t> iterate_distances(int n, RuleSet rules,
                                                    const std::vector<std::vector<std::int8_t>>& values,
                                                    Scope scope = {}) {
  constexpr int kOpen = 65535;
  const auto& own = values[static_cast<std::size_t>(n)];
  std::vector<std::uint16_t> distances(own.size(), kOpen);
  const auto derived = [&](std::uint64_t p) {
    const int value = own[p];
    const Moves all = moves(position_at(n, p), rules);
    if (value == 0 || (all.ended && scope.clamp(n, *all.ended) == value)) return 0;
    int best = value > 0 ? kOpen : 0;
    for (const Move& move : all.pit) {
      if (move.kind == Move::Kind::empty || move.kind == Move::Kind::illegal) continue;
      const bool known = move.kind == Move::Kind::known;
      const std::uint64_t child = known ? 0 : position_rank(move.child);
      const auto& slice = values[static_cast<std::size_t>(n - move.captured)];
      if (scope.clamp(n, known ? move.value : move.captured - slice[child]) != value) continue;
      const int distance = move.kind != Move::Kind::inner ? 1 : std::min(kOpen, 1 + distances[child]);
      best = value > 0 ? std::min(best, distance) : std::max(best, distance);
    }
    return best;
  };
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::uint16_t> next = distances;
    for (std::uint64_t p = 0; p < own.size(); ++p)
      if (distances[p] == kOpen) next[p] = static_cast<std::uint16_t>(derived(p));
    changed = next != distances;
    distances = std::move(next);
  }
  return distances;
}

/// What one chunk holds of `all`.
template <typename T>
std::span<const T> own_chunk(const std::vector<T>& all, std::uint64_t index) {
  return std::span(all).subspan(index * kChunk, std::min<std::uint64_t>(kChunk, all.size() - index * kChunk));
}

/// One chunk of `all`, padded with zeros.
template <typename T>
std::vector<T> padded_chunk(const std::vector<T>& all, std::uint64_t index, std::uint64_t chunk) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(index * chunk);
  std::vector<T> piece(
      begin, begin + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(chunk, all.size() - index * chunk)));
  piece.resize(chunk);
  return piece;
}

/// Without `distances` a file without.
inline void write_slice(const std::filesystem::path& dir, int n, RuleSet rules,
                        const std::vector<std::int8_t>& values,
                        const std::vector<std::uint16_t>& distances = {}, Scope scope = {}) {
  SliceWriter writer(dir, n, rules, {}, scope);
  Compressor compressor;
  std::vector<std::uint64_t> histogram(static_cast<std::size_t>(2 * n + 1));
  for (std::int8_t value : values) ++histogram[static_cast<std::size_t>(value + n)];
  const std::uint64_t chunk = chunk_size(n);
  for (std::uint64_t index = 0; index * chunk < values.size(); ++index) {
    std::vector<std::byte> stream;
    compressor.append(padded_chunk(values, index, chunk), stream);
    writer.write_stream(index, stream, crc32(0, own_chunk(values, index)));
    if (distances.empty()) continue;
    stream.clear();
    append_distances(compressor, padded_chunk(distances, index, chunk), stream);
    writer.write_distance_stream(index, stream, crc32(0, own_chunk(distances, index)));
  }
  writer.finish(crc32(0, std::span(values)), histogram);
}

/// Writes slices 0..n into `dir`, which is made; `distances`: with distances.
inline void make_database(const std::filesystem::path& dir, int n, RuleSet rules, bool distances = false) {
  std::filesystem::create_directories(dir);
  std::vector<std::vector<std::int8_t>> slices;
  for (int m = 0; m <= n; ++m) {
    slices.push_back(iterate_values(m, rules, slices));
    write_slice(dir, m, rules, slices.back(),
                distances ? iterate_distances(m, rules, slices) : std::vector<std::uint16_t>{});
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
    std::vector<std::uint64_t> histogram(static_cast<std::size_t>(2 * m + 1));
    histogram.front() = slice_size(m);
    writer.finish(0, histogram);
  }
}

}  // namespace awele::test
