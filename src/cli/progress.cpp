#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "messages.hpp"
#include "terminal.hpp"

namespace awele::cli {

namespace {

/// Characters that a bar may have. The last column stays free: some terminals begin a new line when it is
/// written.
std::size_t room() {
  constexpr int without_terminal = 80;
  return static_cast<std::size_t>(columns_of_messages().value_or(without_terminal) - 1);
}

}  // namespace

std::string format_seconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::min(seconds, 1e15) + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

void SolveProgress::slice_found(const SliceReport& report) {
  if (style_ != ProgressStyle::none) message("slice {:2}: already there", report.seeds);
}

void SolveProgress::slice_begins(int seeds, std::uint64_t positions) {
  seeds_ = seeds;
  positions_ = positions;
  slice_ = Stopwatch();
}

void SolveProgress::round_done(const RoundStatus& round) {
  const bool due = last_.seconds() >= (style_ == ProgressStyle::bar ? 0.1 : interval_);
  if (style_ == ProgressStyle::none || !due) return;
  const double share = 100 * static_cast<double>(round.settled) / static_cast<double>(positions_);
  const double so_far = slice_.seconds();
  const std::string left = format_seconds(round.seconds_left);
  if (style_ == ProgressStyle::bar) {
    const double done = so_far / (so_far + round.seconds_left + 1e-9);
    const std::string settled = fmt::format("{:.1f} % settled, {} left", share, left);
    const std::string threshold = fmt::format("threshold {:2}, {}", round.threshold, settled);
    const auto graph = [&](int width) {
      const int full = static_cast<int>(width * done);
      return fmt::format("slice {:2} [{:#<{}}{:.<{}}] {}", seeds_, "", full, "", width - full, threshold);
    };
    show_bar({graph(30), graph(20), fmt::format("slice {:2}: {}", seeds_, threshold),
              fmt::format("slice {:2}: {}", seeds_, settled), fmt::format("{:2}: {} left", seeds_, left)});
  } else {
    show_line(fmt::format("slice {:2}: threshold {}, {} of {} settled ({:.1f} %), {} so far, {} left", seeds_,
                          round.threshold, round.settled, positions_, share, format_seconds(so_far), left));
  }
}

void SolveProgress::phase_begins(const char* name) {
  const std::string text = fmt::format("slice {:2}: {}", seeds_, name);
  if (style_ == ProgressStyle::bar) show_bar({text});
  if (style_ == ProgressStyle::lines && last_.seconds() >= interval_) show_line(text);
}

void SolveProgress::slice_done(const SliceReport& report) {
  if (style_ == ProgressStyle::none) return;
  clear_bar();
  message("slice {:2}: {} positions in {}, {:.0f} ns per position", report.seeds, report.positions,
          format_seconds(report.seconds), 1e9 * report.seconds / static_cast<double>(report.positions));
}

void SolveProgress::note(const std::string& sentence) {
  if (style_ == ProgressStyle::none) return;
  clear_bar();
  message("{}", sentence);
}

/// The first text that fits, in place of the bar before.
void SolveProgress::show_bar(const std::vector<std::string>& texts) {
  const std::size_t most = room();
  auto text = std::find_if(texts.begin(), texts.end(), [&](const auto& each) { return each.size() <= most; });
  if (text == texts.end()) --text;
  const std::string shown = text->substr(0, most);
  const std::string rest(std::clamp(bar_, shown.size(), most) - shown.size(), ' ');
  write_message({"\r", shown, rest});
  bar_ = shown.size();
  last_ = Stopwatch();
}

void SolveProgress::show_line(const std::string& text) {
  message("{}", text);
  last_ = Stopwatch();
}

void SolveProgress::clear_bar() {
  if (bar_ > 0) write_message({"\r", std::string(std::min(bar_, room()), ' '), "\r"});
  bar_ = 0;
}

}  // namespace awele::cli
