#include "machine.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "awele/support/huge_array.hpp"
#include "awele/support/memory.hpp"
#include "awele/support/stopwatch.hpp"

namespace awele::cli {

namespace {

constexpr std::uint64_t kBatch = 256;
constexpr std::uint64_t kMostElements = 200'000'000;

/// Elements a rank: far more than caches hold, and at most a quarter of what the node has to give.
std::uint64_t elements(const Communicator& ranks) {
  const Communicator node = ranks.node();
  const std::uint64_t share = node.min(node_memory().bytes) / static_cast<std::uint64_t>(node.size()) / 4;
  return ranks.min(std::min(kMostElements, std::max<std::uint64_t>(share / 2, kBatch)));
}

void update_batch(HugeArray<std::uint16_t>& array, std::uint64_t& random) {
  std::array<std::uint64_t, kBatch> index;
  for (std::uint64_t& at : index) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    at = (random >> 32) * array.size() >> 32;
    __builtin_prefetch(&array[at], 1);
  }
  for (const std::uint64_t at : index) ++array[at];
}

}  // namespace

double update_nanoseconds(const Communicator& ranks, double seconds) {
  HugeArray<std::uint16_t> array(elements(ranks));
  std::fill(array.data(), array.data() + array.size(), std::uint16_t{1});
  std::uint64_t random = 88172645463325252u + static_cast<std::uint64_t>(ranks.rank());
  ranks.barrier();
  const Stopwatch watch;
  std::uint64_t batches = 0;
  while (watch.seconds() < seconds)
    for (int k = 0; k < 1000; ++k, ++batches) update_batch(array, random);
  const double nanoseconds = watch.seconds() * 1e9 / static_cast<double>(batches * kBatch);
  return static_cast<double>(ranks.sum(static_cast<std::uint64_t>(nanoseconds * 1000))) / 1000 / ranks.size();
}

double reduction_microseconds(const Communicator& ranks, int words, double seconds) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(words), 0);
  std::uint64_t times = 0;
  ranks.barrier();
  const Stopwatch watch;
  // All ranks must stop together, so the first decides; its vote is one reduction in a hundred.
  do {
    for (int k = 0; k < 100; ++k) ranks.sum(values);
    times += 100;
  } while (ranks.any(ranks.root() && watch.seconds() < seconds));
  return watch.seconds() * 1e6 / static_cast<double>(times);
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

PageUse page_use() {
  std::ifstream file("/proc/self/smaps_rollup");
  PageUse use;
  std::string word;
  std::uint64_t kib = 0;
  while (file >> word) {
    if (word == "Anonymous:" && file >> kib) use.anonymous = kib << 10;
    if (word == "AnonHugePages:" && file >> kib) use.huge = kib << 10;
  }
  return use;
}

}  // namespace awele::cli
