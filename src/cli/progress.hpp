// Progress of a solve: a bar on a terminal, as wide as that is, plain lines at intervals elsewhere.
// Everything goes to standard error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "awele/solver/solve.hpp"
#include "awele/support/stopwatch.hpp"

namespace awele::cli {

enum class ProgressStyle { none, lines, bar };

class SolveProgress : public SolveObserver {
 public:
  /// `interval`: seconds between two lines.
  SolveProgress(ProgressStyle style, double interval) : style_(style), interval_(interval) {}

  void slice_found(const SliceReport& report) override;
  void slice_begins(int seeds, std::uint64_t positions) override;
  void round_done(const RoundStatus& round) override;
  void phase_begins(const char* name) override;
  void slice_done(const SliceReport& report) override;
  void note(const std::string& sentence) override;

 private:
  void show_bar(const std::vector<std::string>& texts);
  void show_line(const std::string& text);
  void clear_bar();

  ProgressStyle style_;
  double interval_;
  int seeds_ = 0;
  std::uint64_t positions_ = 0;
  Stopwatch slice_, last_;
  std::size_t bar_ = 0;  ///< characters of the bar that is shown
};

/// "1:02:03", "2:03" or "3.1 s".
std::string format_seconds(double seconds);

}  // namespace awele::cli
