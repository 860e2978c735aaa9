#include "awele/probe/order.hpp"

#include <fmt/format.h>

#include "awele/index/slice_index.hpp"

namespace awele {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ExitCode::usage, what); }

}  // namespace

std::uint64_t stored_positions(int seeds) {
  if (seeds < 0 || seeds > kMaxSeeds)
    refuse(fmt::format("there is no slice of {} seeds; a slice has 0 to {}", seeds, kMaxSeeds));
  return slice_size(seeds);
}

std::uint64_t position_index(const Board& board) {
  if (seeds(board) > kMaxSeeds)
    refuse(fmt::format("the board holds {} seeds, but the game has {}", seeds(board), kMaxSeeds));
  if (!has_hole(waiting_half(board)))
    refuse("the board is not stored, as its waiting half has no empty pit: it has a value, but no index");
  return position_rank(board);
}

Board unrank(int seeds, std::uint64_t index) {
  const std::uint64_t size = stored_positions(seeds);
  if (index >= size)
    refuse(fmt::format("the slice of {} seeds has no index {}; the last one is {}", seeds, index, size - 1));
  return position_at(seeds, index);
}

}  // namespace awele
