// The size of the reduction that ends a round.
#pragma once

namespace awele {

/// Numbers that all ranks sum at the end of a round: what is pending in each of four sets, what is settled,
/// faults, and one a wish.
inline constexpr int kRoundWords = 10;

}  // namespace awele
