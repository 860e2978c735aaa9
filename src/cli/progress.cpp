#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace awele::cli {

std::string format_seconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

void SolveProgress::slice_found(const SliceReport& report) {
  if (style_ != ProgressStyle::none) fmt::print(stderr, "slice {:2}: already there\n", report.seeds);
}

void SolveProgress::slice_begins(int seeds, std::uint64_t positions) {
  seeds_ = seeds;
  positions_ = positions;
  slice_ = Stopwatch();
}

/// The share of positions that will be settled; the rest is worth 0. Slices of equal parity are alike.
double SolveProgress::expected_share() const {
  for (int n : {seeds_ - 2, seeds_ - 1})
    if (const auto known = settled_share_.find(n); known != settled_share_.end()) return known->second;
  return 0.9;
}

void SolveProgress::round_done(int threshold, std::uint64_t settled) {
  const bool due = last_.seconds() >= (style_ == ProgressStyle::bar ? 0.1 : interval_);
  if (style_ == ProgressStyle::none || !due) return;
  const double share = static_cast<double>(settled) / static_cast<double>(positions_);
  const double done = std::clamp(share / expected_share(), 1e-9, 1.0);
  const std::string left = done > 0.02 ? format_seconds(rounds_.seconds() * (1 / done - 1)) : "?";
  if (style_ == ProgressStyle::bar) {
    constexpr int width = 30;
    const int full = static_cast<int>(done * width);
    show(fmt::format("slice {:2} [{:#<{}}{:.<{}}] threshold {:2}, {:.1f} % settled, {} left", seeds_, "",
                     full, "", width - full, threshold, 100 * share, left),
         true);
  } else {
    show(fmt::format("slice {:2}: threshold {}, {} of {} settled ({:.1f} %), {} so far, {} left", seeds_,
                     threshold, settled, positions_, 100 * share, format_seconds(slice_.seconds()), left),
         true);
  }
}

void SolveProgress::phase_begins(const char* name) {
  if (std::string_view(name) == "rounds") rounds_ = Stopwatch();
  show(fmt::format("slice {:2}: {}", seeds_, name), last_.seconds() >= interval_);
}

void SolveProgress::slice_done(const SliceReport& report) {
  settled_share_[report.seeds] = static_cast<double>(report.settled) / static_cast<double>(report.positions);
  if (style_ == ProgressStyle::none) return;
  clear_bar();
  fmt::print(stderr, "slice {:2}: {} positions in {}, {:.0f} ns a position\n", report.seeds, report.positions,
             format_seconds(report.seconds), 1e9 * report.seconds / static_cast<double>(report.positions));
}

void SolveProgress::show(const std::string& text, bool due) {
  if (style_ == ProgressStyle::bar) {
    fmt::print(stderr, "\r{:<110}", text);
    std::fflush(stderr);
    bar_shown_ = true;
  } else if (style_ == ProgressStyle::lines && due) {
    fmt::print(stderr, "{}\n", text);
  } else {
    return;
  }
  last_ = Stopwatch();
}

void SolveProgress::clear_bar() {
  if (bar_shown_) fmt::print(stderr, "\r{:110}\r", "");
  bar_shown_ = false;
}

}  // namespace awele::cli
