// What this machine does by itself: the units in which the solver's times are stated.
#pragma once

#include <cstdint>

#include "awele/comm/communicator.hpp"

namespace awele::cli {

/// Collective. G: nanoseconds of one random 2-byte update of a large array, software-prefetched in batches of
/// 256, huge pages asked for, on all ranks at once; the mean over the ranks.
double update_nanoseconds(const Communicator& ranks, double seconds);

/// Collective. Microseconds of one reduction of `words` 64-bit numbers.
double reduction_microseconds(const Communicator& ranks, int words, double seconds);

/// Processor time of this process so far, in seconds.
double processor_seconds();

/// Bytes of this process that are its own (not of a file), and of these in huge pages.
struct PageUse {
  std::uint64_t anonymous = 0, huge = 0;
};
PageUse page_use();

}  // namespace awele::cli
