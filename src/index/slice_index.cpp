#include "awele/index/slice_index.hpp"

namespace awele {

std::uint64_t row_start(int n, const Half& x) {
  std::uint64_t start = 0;
  int t = n;
  bool hole = false;
  for (int j = 5; j >= 0; --j) {
    start += binomial(t + 6 + j, 6 + j) - binomial(t - x[j] + 6 + j, 6 + j);
    // Boards without a hole that come before; none once a pit of x itself is empty.
    hole = hole || x[j] == 0;
    if (!hole) start -= binomial(t + 5, 6 + j) - binomial(t - x[j] + 6, 6 + j);
    t -= x[j];
  }
  return start;
}

namespace {

/// Boards with `rest` seeds over waiting pits 0..pits-1 and all six of the mover's, that have a hole.
std::uint64_t boards_below(int pits, int rest, bool hole) {
  return binomial(rest + pits + 5, pits + 5) - (hole ? 0 : binomial(rest + 5, pits + 5));
}

/// Finds the row of a place and reduces `index` to the place in the row.
Half locate(int n, std::uint64_t& index) {
  Half x{};
  int rest = n;
  bool hole = false;
  for (int j = 5; j >= 0; --j) {
    int v = 0;
    for (;; ++v) {
      const std::uint64_t boards = boards_below(j, rest - v, hole || v == 0);
      if (index < boards) break;
      index -= boards;
    }
    x[j] = static_cast<std::uint8_t>(v);
    rest -= v;
    hole = hole || v == 0;
  }
  return x;
}

}  // namespace

Half row_at(int n, std::uint64_t index) { return locate(n, index); }

Board position_at(int n, std::uint64_t index) {
  const Half x = locate(n, index);
  return join(half_at(n - seeds(x), index), x);
}

std::uint64_t position_rank(const Board& board) {
  return row_start(seeds(board), waiting_half(board)) + half_rank(mover_half(board));
}

bool next_row(int n, Half& x) {
  int total = seeds(x);
  do {
    int j = 0;
    while (total >= n) {  // pit j can take no more: empty it and carry
      if (j == kHalfPits) return false;
      total -= x[j];
      x[j++] = 0;
    }
    if (j == kHalfPits) return false;
    ++x[j];
    ++total;
  } while (!has_hole(x));
  return true;
}

}  // namespace awele
