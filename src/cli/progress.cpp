#include "progress.hpp"

#include <fmt/format.h>

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

void SolveProgress::round_done(const RoundStatus& round) {
  const bool due = last_.seconds() >= (style_ == ProgressStyle::bar ? 0.1 : interval_);
  if (style_ == ProgressStyle::none || !due) return;
  const double share = static_cast<double>(round.settled) / static_cast<double>(positions_);
  const double so_far = slice_.seconds();
  const std::string left = format_seconds(round.seconds_left);
  if (style_ == ProgressStyle::bar) {
    constexpr int width = 30;
    const int full = static_cast<int>(width * so_far / (so_far + round.seconds_left + 1e-9));
    show(fmt::format("slice {:2} [{:#<{}}{:.<{}}] threshold {:2}, {:.1f} % settled, {} left", seeds_, "",
                     full, "", width - full, round.threshold, 100 * share, left),
         true);
  } else {
    show(fmt::format("slice {:2}: threshold {}, {} of {} settled ({:.1f} %), {} so far, {} left", seeds_,
                     round.threshold, round.settled, positions_, 100 * share, format_seconds(so_far), left),
         true);
  }
}

void SolveProgress::phase_begins(const char* name) {
  show(fmt::format("slice {:2}: {}", seeds_, name), last_.seconds() >= interval_);
}

void SolveProgress::slice_done(const SliceReport& report) {
  if (style_ == ProgressStyle::none) return;
  clear_bar();
  fmt::print(stderr, "slice {:2}: {} positions in {}, {:.0f} ns a position\n", report.seeds, report.positions,
             format_seconds(report.seconds), 1e9 * report.seconds / static_cast<double>(report.positions));
}

void SolveProgress::note(const std::string& sentence) {
  if (style_ == ProgressStyle::none) return;
  clear_bar();
  fmt::print(stderr, "{}\n", sentence);
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
