#include "awele/search/evaluation.hpp"

#include <algorithm>
#include <array>

namespace awele {

namespace {

constexpr std::size_t kSeeds = 16;
using Weights = std::array<std::array<std::int16_t, kSeeds>, kPits>;

// Of each pit with 0, 1, .. seeds, and with 15 or more: as scripts/fit_evaluation.py printed them, fitted to
// slices of 16 to 22 seeds of the rules awari.
constexpr Weights kWeights = {{
    {-250, -110, -68, 85, 108, 131, 91, 76, 43, 20, -28, -76, -99, -74, -58, 0},
    {-182, -29, 81, 145, 154, 129, 91, 27, -16, -88, -146, -158, -99, -59, -42, -17},
    {-115, 30, 115, 154, 125, 97, 53, 18, -48, -129, -169, -139, -115, -57, -8, -21},
    {-71, 50, 99, 89, 70, 21, -4, -98, -168, -183, -134, -56, -16, 68, 61, 61},
    {-141, -38, -56, -54, -73, -112, -140, -207, -158, -54, 40, 141, 233, 161, 142, 105},
    {-230, -179, -164, -159, -171, -180, -215, -188, -70, 48, 171, 301, 232, 227, 211, 157},
    {238, 61, 18, -70, -94, -115, -121, -134, -113, -74, -18, 55, 98, 60, 31, -32},
    {205, -6, -83, -137, -139, -149, -148, -88, -32, 29, 78, 125, 100, 53, 18, -36},
    {138, -54, -129, -162, -162, -161, -117, -74, -16, 72, 153, 148, 134, 65, 8, -54},
    {82, -74, -115, -131, -124, -87, -44, 20, 109, 179, 152, 95, 53, -25, -110, -188},
    {169, 46, 33, 22, 43, 73, 135, 200, 231, 161, 56, -45, -148, -252, -429, -505},
    {255, 158, 136, 135, 156, 188, 225, 258, 196, 108, -9, -146, -358, -496, -506, -509},
}};

}  // namespace

int evaluate(const Board& board) {
  int value = 0;
  for (std::size_t k = 0; k < kPits; ++k) value += kWeights[k][std::min<std::size_t>(board[k], kSeeds - 1)];
  return value;
}

}  // namespace awele
