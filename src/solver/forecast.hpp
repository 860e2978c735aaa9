// What a slice and a checkpoint will take: time, from what the ones before took in this run; room on disk,
// from the slice files that are there.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "awele/solver/solve.hpp"

namespace awele {

class Forecast {
 public:
  explicit Forecast(int ranks) : guess_(20e-9 / ranks) {}

  void slice_took(const SliceReport& report) {
    const auto positions = static_cast<double>(report.positions);
    share_[report.seeds] = static_cast<double>(report.settled) / positions;
    if (report.positions < kEnough) return;
    finish_ = (report.phase.transposition + report.phase.compress + report.phase.write) / positions;
    rounds_ = report.phase.rounds / positions;
    exits_ = (report.phase.read + report.phase.exits) / positions;
  }
  /// A slice that is there, whoever solved it.
  void slice_holds(const SliceReport& report) {
    if (report.positions >= kEnough)
      bytes_[report.seeds] = static_cast<double>(report.file_bytes) / static_cast<double>(report.positions);
  }
  void checkpoint_took(double positions, double seconds) { checkpoint_ = seconds / positions; }

  double finish(double positions) const { return positions * known(finish_); }
  /// Before the first checkpoint: it compresses half as much again as a finished slice.
  double checkpoint(double positions) const {
    return checkpoint_ > 0 ? checkpoint_ * positions : 0.01 + 2 * finish(positions);
  }
  /// All rounds of a slice not begun.
  double rounds(double positions) const { return positions * (rounds_ > 0 ? rounds_ : 4 * guess_); }
  double exits(double positions) const { return positions * (exits_ > 0 ? exits_ : guess_ / 2); }
  /// Bytes of the file of slice n, as many a position as the next smaller one has; nothing when none is there
  /// that says anything.
  std::optional<double> file_bytes(int n, double positions) const {
    const auto above = bytes_.lower_bound(n);
    if (above == bytes_.begin()) return std::nullopt;
    return positions * std::prev(above)->second;
  }
  /// Bytes of a checkpoint, when all is settled (less before): measured, half as much again as the file of
  /// the slice.
  static double checkpoint_bytes(double file_bytes) { return 1.5 * file_bytes; }
  /// The rounds left when `settled` positions are settled after `seconds` in rounds.
  double rounds_left(int n, double positions, double settled, double seconds) const {
    const double done = std::clamp(settled / positions / share(n), 1e-9, 1.0);
    return done > 0.05 ? seconds * (1 / done - 1) : rounds(positions) * (1 - done);
  }

 private:
  static constexpr std::uint64_t kEnough = 100'000;  ///< smaller slices say nothing of larger ones
  double known(double value) const { return value > 0 ? value : guess_; }
  /// The share of positions that will be settled; the rest is worth 0. Slices of equal parity are alike.
  double share(int n) const {
    for (int like : {n - 2, n - 1})
      if (const auto known = share_.find(like); known != share_.end()) return std::max(known->second, 0.1);
    return 0.9;
  }

  double guess_;  ///< seconds a position, for lack of a measurement
  double finish_ = 0, rounds_ = 0, exits_ = 0, checkpoint_ = 0;
  std::map<int, double> share_;
  std::map<int, double> bytes_;  ///< of a position, by slice
};

}  // namespace awele
