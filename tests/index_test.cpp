// The index: rank and unrank are inverse and ascending, and agree with the plain index.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "awele/index/slice_index.hpp"
#include "awele/verify/plain_index.hpp"

namespace awele {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kHalvesTop = 24;
constexpr int kSamples = 2000;
#else
constexpr int kHalvesTop = kMaxSeeds;
constexpr int kSamples = 20000;
#endif

/// The order of the published database: the last pit is the most significant.
template <std::size_t N>
bool before(const std::array<std::uint8_t, N>& a, const std::array<std::uint8_t, N>& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

TEST(Binomial, KnownValues) {
  EXPECT_EQ(binomial(0, 0), 1u);
  EXPECT_EQ(binomial(59, 11), 279871768995u);
  EXPECT_EQ(binomial(5, 6), 0u);
  EXPECT_EQ(binomial(-1, 5), 0u);
  EXPECT_EQ(binomial(63, 12), 2668424446233u);
}

TEST(HalfIndex, EveryHalfOfEverySum) {
  for (int s = 0; s <= kHalvesTop; ++s) {
    Half half{}, previous{};
    half[0] = static_cast<std::uint8_t>(s);
    std::uint64_t number = 0, with_hole = 0;
    do {
      ASSERT_EQ(seeds(half), s);
      if (number > 0) {
        ASSERT_TRUE(before(previous, half));
      }
      ASSERT_EQ(half_rank(half), number);
      ASSERT_EQ(half_at(s, number), half);
      if (has_hole(half)) {
        ASSERT_EQ(hole_rank(half), with_hole);
        ASSERT_EQ(hole_at(s, with_hole), half);
        ++with_hole;
      }
      ++number;
      previous = half;
    } while (next_half(half));
    EXPECT_EQ(half, previous);  // unchanged at the end
    EXPECT_EQ(number, half_count(s));
    EXPECT_EQ(with_hole, hole_count(s));
  }
}

TEST(HalfIndex, AgreesWithThePlainLists) {
  for (int s = 0; s <= 14; ++s)
    for (bool only_with_hole : {false, true}) {
      const std::vector<Half> list = plain::halves(s, only_with_hole);
      ASSERT_EQ(list.size(), only_with_hole ? hole_count(s) : half_count(s));
      for (std::size_t i = 0; i < list.size(); ++i)
        ASSERT_EQ(only_with_hole ? hole_at(s, i) : half_at(s, i), list[i]);
    }
}

TEST(HalfIndex, NegativeSumsHaveNoHalves) {
  EXPECT_EQ(half_count(-1), 0u);
  EXPECT_EQ(hole_count(-1), 0u);
}

TEST(SliceIndex, Sizes) {
  EXPECT_EQ(slice_size(0), 1u);
  EXPECT_EQ(slice_size(6), 12375u);
  EXPECT_EQ(slice_size(48), 203648015935u);
  std::uint64_t all = slice_size(48) + 1;
  for (int n = 0; n <= 46; ++n) all += slice_size(n);
  EXPECT_EQ(all, 889063398406u);
  for (int n = 0; n <= kMaxSeeds; ++n) {
    EXPECT_EQ(slice_size(n), plain::position_count(n)) << n;
    EXPECT_EQ(board_count(n), plain::board_count(n)) << n;
    std::uint64_t rows = 0;
    for (int s = 0; s <= n; ++s) rows += hole_count(s) * half_count(n - s);
    EXPECT_EQ(rows, slice_size(n)) << n;
  }
}

TEST(SliceIndex, EveryPositionOfSmallSlices) {
  for (int n = 0; n <= 9; ++n) {
    Board board = plain::first_board(n), previous{};
    std::uint64_t number = 0, boards = 0;
    do {
      ++boards;
      ASSERT_EQ(has_hole(waiting_half(board)), plain::hole(board));
      if (!plain::hole(board)) continue;
      if (number > 0) {
        ASSERT_TRUE(before(previous, board));
      }
      ASSERT_EQ(position_rank(board), number);
      ASSERT_EQ(position_at(n, number), board);
      ASSERT_EQ(row_at(n, number), waiting_half(board));
      ASSERT_EQ(plain::rank(board), number);
      ASSERT_EQ(plain::board_at(n, number), board);
      previous = board;
      ++number;
    } while (plain::next_board(board));
    EXPECT_EQ(number, slice_size(n));
    EXPECT_EQ(boards, board_count(n));
  }
}

TEST(SliceIndex, RowsFollowEachOther) {
  for (int n = 0; n <= 14; ++n) {
    Half row{};
    std::uint64_t start = 0;
    Half previous{};
    do {
      ASSERT_TRUE(has_hole(row));
      if (start > 0) {
        ASSERT_TRUE(before(previous, row));
      }
      ASSERT_EQ(row_start(n, row), start);
      start += row_length(n, row);
      previous = row;
    } while (next_row(n, row));
    EXPECT_EQ(start, slice_size(n));
  }
}

TEST(SliceIndex, SampledPositionsOfLargeSlices) {
  for (int n : {30, 40, 48}) {
    const std::uint64_t size = slice_size(n);
    const std::uint64_t step = size / kSamples;
    Board previous{};
    for (std::uint64_t k = 0; k <= kSamples; ++k) {
      const std::uint64_t place = k == kSamples ? size - 1 : k * step + k % 7;
      const Board board = position_at(n, place);
      ASSERT_EQ(seeds(board), n);
      ASSERT_TRUE(has_hole(waiting_half(board)));
      ASSERT_EQ(position_rank(board), place);
      ASSERT_EQ(plain::board_at(n, place), board);
      ASSERT_EQ(plain::rank(board), place);
      if (k > 0) {
        ASSERT_TRUE(before(previous, board));
      }
      previous = board;

      const Half row = waiting_half(board);
      ASSERT_EQ(row_at(n, place), row);
      ASSERT_EQ(row_start(n, row) + half_rank(mover_half(board)), place);
      // The row and its successor meet without a gap.
      Half next = row;
      if (next_row(n, next)) {
        ASSERT_TRUE(has_hole(next));
        ASSERT_TRUE(before(row, next));
        ASSERT_EQ(row_start(n, next), row_start(n, row) + row_length(n, row));
      }
      // So do the position and the next one.
      if (place + 1 < size) {
        const Board successor = position_at(n, place + 1);
        ASSERT_TRUE(before(board, successor));
        ASSERT_EQ(position_rank(successor), place + 1);
      }
    }
  }
}

TEST(SliceIndex, FirstAndLastPosition) {
  for (int n = 1; n <= kMaxSeeds; ++n) {
    EXPECT_EQ(position_at(n, 0), plain::first_board(n));
    Board last{};
    last[11] = static_cast<std::uint8_t>(n);
    EXPECT_EQ(position_rank(last), slice_size(n) - 1);
    EXPECT_EQ(position_at(n, slice_size(n) - 1), last);
    Half row = waiting_half(last);
    EXPECT_FALSE(next_row(n, row));
  }
}

}  // namespace
}  // namespace awele
