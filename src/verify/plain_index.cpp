#include "awele/verify/plain_index.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace awele::plain {

namespace {

constexpr int kTop = 48;

/// Ways to fill the pits below `pits` (p[pits-1] .. p[0]) with `s` seeds, so that the board has a hole;
/// `found`: a higher pit already is one.
class Ways {
 public:
  Ways() {
    for (int pits = 0; pits <= 12; ++pits)
      for (int s = 0; s <= kTop; ++s)
        for (int found = 0; found < 2; ++found) fill(pits, s, found);
  }

  /// Ways with fewer than `v` seeds in pit `pits - 1`; v = s + 1 gives all ways.
  std::uint64_t below(int pits, int s, bool found, int v) const {
    return table_[static_cast<std::size_t>((((pits * 2 + found) * (kTop + 1)) + s) * (kTop + 2) + v)];
  }
  std::uint64_t all(int pits, int s, bool found) const { return below(pits, s, found, s + 1); }

 private:
  std::uint64_t& at(int pits, int s, int found, int v) {
    return table_[static_cast<std::size_t>((((pits * 2 + found) * (kTop + 1)) + s) * (kTop + 2) + v)];
  }

  void fill(int pits, int s, int found) {
    at(pits, s, found, 0) = 0;
    if (pits == 0) {  // no pit left: one way, if no seed is left either and there is a hole
      for (int v = 1; v <= s + 1; ++v) at(pits, s, found, v) = s == 0 && found ? 1 : 0;
      return;
    }
    for (int v = 0; v <= s; ++v) {
      const bool empty_waiting_pit = v == 0 && pits > 6;
      at(pits, s, found, v + 1) =
          at(pits, s, found, v) + all(pits - 1, s - v, found != 0 || empty_waiting_pit);
    }
  }

  std::vector<std::uint64_t> table_ =
      std::vector<std::uint64_t>(static_cast<std::size_t>(13 * 2 * (kTop + 1) * (kTop + 2)));
};

const Ways& ways() {
  static const Ways table;
  return table;
}

/// The next array with the same sum, last entry slowest: one seed moves up from the lowest pit that has any,
/// the rest of that pit goes back to the start.
template <std::size_t N>
bool advance(std::array<std::uint8_t, N>& pits) {
  std::size_t low = 0;
  while (low < N && pits[low] == 0) ++low;
  if (low + 1 >= N) return false;
  const int held = pits[low];
  pits[low] = 0;
  pits[low + 1]++;
  pits[0] = static_cast<std::uint8_t>(held - 1);
  return true;
}

}  // namespace

std::uint64_t position_count(int n) { return ways().all(12, n, false); }

std::uint64_t board_count(int n) { return ways().all(12, n, true); }

bool hole(const Board& board) { return std::find(board.begin() + 6, board.end(), 0) != board.end(); }

std::uint64_t rank(const Board& board) {
  const Ways& table = ways();
  int left = 0;
  for (int pit = 0; pit < 12; ++pit) left += board[pit];
  bool found = false;
  std::uint64_t place = 0;
  for (int pit = 11; pit > 0; --pit) {
    place += table.below(pit + 1, left, found, board[pit]);
    left -= board[pit];
    if (pit >= 6 && board[pit] == 0) found = true;
  }
  return place;
}

Board board_at(int n, std::uint64_t place) {
  const Ways& table = ways();
  Board board{};
  int left = n;
  bool found = false;
  for (int pit = 11; pit > 0; --pit) {
    int v = 0;
    while (table.below(pit + 1, left, found, v + 1) <= place) ++v;
    place -= table.below(pit + 1, left, found, v);
    board[pit] = static_cast<std::uint8_t>(v);
    left -= v;
    if (pit >= 6 && v == 0) found = true;
  }
  board[0] = static_cast<std::uint8_t>(left);
  return board;
}

bool next_board(Board& board) { return advance(board); }

Board first_board(int n) {
  Board board{};
  board[0] = static_cast<std::uint8_t>(n);
  return board;
}

std::vector<Half> halves(int s, bool only_with_hole) {
  std::vector<Half> list;
  Half half{};
  half[0] = static_cast<std::uint8_t>(s);
  do {
    const bool empty_pit = std::find(half.begin(), half.end(), 0) != half.end();
    if (empty_pit || !only_with_hole) list.push_back(half);
  } while (advance(half));
  return list;
}

}  // namespace awele::plain
