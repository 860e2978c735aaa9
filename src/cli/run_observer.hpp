// Everything a run tells: progress to the user, events to DIR/log, its state to DIR/status.json.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "awele/run/run_control.hpp"
#include "awele/run/run_log.hpp"
#include "progress.hpp"

namespace awele::cli {

class RunObserver : public SolveProgress {
 public:
  /// On ranks other than 0 style must be none, and only `control` is told.
  RunObserver(ProgressStyle style, double interval, bool root, const SolveOptions& options,
              RunControl& control);

  /// Adds the fields (version, hosts, ...) to the event that starts the log, and to the status.
  void begin(const nlohmann::ordered_json& about);
  /// "finished" or "stopped", with a sentence.
  void end(const std::string& state, const std::string& sentence);
  /// An error on any rank.
  void failed(int rank, const std::string& sentence);
  /// On rank 0, when another run has the directory: the status is that one's.
  void lost(const std::string& sentence) const;

  void slice_found(const SliceReport& report) override;
  void slice_begins(int seeds, std::uint64_t positions) override;
  void phase_begins(const char* name) override;
  void round_done(const RoundStatus& status) override;
  void slice_done(const SliceReport& report) override;
  void checkpoint_begins(int seeds) override;
  void checkpoint_done(const CheckpointReport& report) override;
  void checkpoint_failed(const CheckpointReport& report) override;
  void checkpoint_bad(const CheckpointReport& report) override;
  void resumed(const CheckpointReport& report) override;

 private:
  void update(bool at_once);
  void tell_notes();
  double left_after_slice() const;

  const bool root_;
  const double interval_;
  RunLog log_;
  RunControl& control_;
  std::vector<int> to_solve_;
  nlohmann::ordered_json status_;
  double seconds_a_position_ = 0;
  bool told_trouble_ = false;
  Stopwatch run_, updated_, logged_;
};

}  // namespace awele::cli
