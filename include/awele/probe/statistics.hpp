// Histograms of values: how many boards of n seeds are worth -n, ..., n.
#pragma once

#include <cstdint>
#include <vector>

#include "awele/store/database.hpp"

namespace awele {

/// Index value + seeds, 2 * seeds + 1 entries.
using Histogram = std::vector<std::uint64_t>;

/// Memory that all_boards_histogram takes for boards in work, unless told otherwise.
inline constexpr std::uint64_t kStatisticsMemory = std::uint64_t{512} << 20;

/// The boards that are stored (waiting half with a hole), from the slice file's own histogram.
Histogram stored_histogram(const Database& database, int n);

/// All C(n+5,11) boards whose waiting half has no hole, valued by one ply. Needs the slices n and n-2 .. n-15
/// as far as they exist. They are read in file order once a batch; a batch holds as many boards as `memory`
/// bytes allow (about one byte a board; tables of some 4 C(n+1,7) bytes come on top: 33 MB at n = 35, 0.4 GB
/// at n = 48). More memory means fewer batches.
Histogram holeless_histogram(const Database& database, int n, std::uint64_t memory = kStatisticsMemory);

/// All C(n+11,11) boards of n seeds: the sum of the two.
Histogram all_boards_histogram(const Database& database, int n, std::uint64_t memory = kStatisticsMemory);

}  // namespace awele
