#pragma once

#include <cstdint>
#include <cstring>

#include "awele/game/board.hpp"

namespace awele {

inline std::uint64_t board_hash(const Board& board) {
  std::uint64_t low = 0, high = 0;
  std::memcpy(&low, board.data(), 8);
  std::memcpy(&high, board.data() + 8, 4);
  std::uint64_t mixed = (low ^ (high * 0xC2B2AE3D27D4EB4Fu)) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9u;
  return mixed ^ (mixed >> 32);
}

}  // namespace awele
