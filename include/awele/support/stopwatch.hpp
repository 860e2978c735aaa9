// Wall-clock seconds.
#pragma once

#include <chrono>

namespace awele {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Seconds since the start or the last lap.
  double lap() {
    const double all = seconds();
    start_ = Clock::now();
    return all;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace awele
