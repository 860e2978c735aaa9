#include "awele/search/evaluation.hpp"

#include <array>

namespace awele {

int evaluate(const Board& board) {
  constexpr std::array<int, kHalfPits> kWeight = {4, 6, 8, 10, 12, 16};
  constexpr int kMobility = 12;
  int value = 0;
  for (int k = 0; k < kHalfPits; ++k) {
    value += kWeight[k] * (board[k] - board[k + kHalfPits]);
    value += kMobility * ((board[k] > 0) - (board[k + kHalfPits] > 0));
  }
  return value;
}

}  // namespace awele
