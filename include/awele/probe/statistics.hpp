// What can be counted in a slice: boards by value, by distance, and by their number of best moves.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/probe/probe.hpp"
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
/// bytes allow (about one byte each; tables of some 4 C(n+1,7) bytes come on top: 33 MB at n = 35, 0.4 GB
/// at n = 48). More memory means fewer batches.
Histogram holeless_histogram(const Database& database, int n, std::uint64_t memory = kStatisticsMemory);

/// All C(n+11,11) boards of n seeds: the sum of the two.
Histogram all_boards_histogram(const Database& database, int n, std::uint64_t memory = kStatisticsMemory);

/// Boards at one distance.
struct DistanceCount {
  std::uint64_t positions = 0;
  Board example{};  ///< the first of them in the order of the slice; nothing when there are none
};

/// The stored boards of slice n by distance, index 0 to the longest. Reads the slice once, from its
/// beginning. Precondition: database.slice(n).has_distances().
std::vector<DistanceCount> distance_counts(const Database& database, int n);

/// The stored boards of slice n by their number of best moves, 0 to 6: moves worth what the board is worth
/// (distances do not matter). 0: the game is over on the board, or its end is better than any move. Needs the
/// slices that captures lead to; a cache that holds them and slice n makes it fast.
std::array<std::uint64_t, kHalfPits + 1> best_move_counts(const Prober& prober, int n);

}  // namespace awele
