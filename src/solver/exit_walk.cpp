#include "exit_walk.hpp"

#include <algorithm>

#include "awele/index/slice_index.hpp"

namespace awele {

namespace {

std::uint64_t share(std::uint64_t size, int rank, int ranks) {
  const auto r = static_cast<std::uint64_t>(rank), all = static_cast<std::uint64_t>(ranks);
  return size / all * r + size % all * r / all;  // no overflow: at most 2^38 positions, 2^26 ranks
}

}  // namespace

ExitWalk::ExitWalk(int n, int captured, int rank, int ranks)
    : n_(n), captured_(captured), slice_(n - captured) {
  const std::uint64_t size = slice_size(slice_), begin = share(size, rank, ranks);
  end_ = share(size, rank + 1, ranks);
  if (begin == size) return;
  // The first row that starts at or after `begin`.
  x_ = row_at(slice_, begin);
  start_ = row_start(slice_, x_);
  more_ = true;
  if (start_ < begin) step();
  more_ = more_ && start_ < end_;
}

void ExitWalk::step() {
  start_ += row_length(slice_, x_);
  more_ = next_row(slice_, x_);
}

void ExitWalk::next_batch() {
  rows_.clear();
  first_ = start_;
  while (more_ && start_ - first_ < kBatchValues) {
    rows_.push_back({x_, seeds(x_), start_});
    step();
    more_ = more_ && start_ < end_;
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.seeds < b.seeds; });
}

void ExitWalk::find_targets(const Row& row, const Dealing& rows, std::vector<Target>& targets) const {
  targets.clear();
  const int mover_seeds = slice_ - row.seeds;  // of the side that moves next, after the capture
  if (mover_seeds == 0) return;                // the capture starved
  each_unsowing(prefix_sums(pack(row.x), row.seeds), mover_seeds + captured_, [&](const Unsowing& back) {
    if (back.laid.j == 0) return;
    const int m = row.seeds + back.given;
    targets.push_back({rows.base(m) + rank_of(back.before), {n_ - m, back.laid, captured_}});
  });
}

}  // namespace awele
