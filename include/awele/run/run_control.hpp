// What makes a solve save its state or stop: signals, the files DIR/stop and DIR/checkpoint, a time limit,
// the clock; and, for tests, faults injected at a known place.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "awele/run/lock.hpp"
#include "awele/run/run_log.hpp"
#include "awele/solver/control.hpp"

namespace awele {

/// A fault for tests, from the environment variable AWELE_INJECT: "ACTION@STAGE:SEEDS[:RANK]", several with
/// commas between. Each acts once. ACTION: pause (60 s, or until a signal), throw, bad_alloc, checkpoint,
/// stop (with a checkpoint). STAGE as in name(Stage). RANK: 0 if not given.
struct Injection {
  std::string action, stage;
  int seeds = 0, rank = 0;
};
/// Throws awele::Error (usage) when the text is none.
std::vector<Injection> parse_injections(const std::string& text);

struct RunLimits {
  double checkpoint_minutes = 30;  ///< between two checkpoints, at least; 0: none by the clock
  std::optional<std::chrono::system_clock::time_point> end;  ///< the run must have stopped by then
};

class RunControl : public SolveControl {
 public:
  /// `lock`: on rank 0; none on the others. Signals must be watched already.
  RunControl(std::filesystem::path dir, int rank, const RunLimits& limits, const RunLock* lock,
             std::vector<Injection> injections);

  Wish wish(Stage stage, int seeds, const Outlook& outlook) override;
  void before_rename() override;
  /// What the user should know of what was noticed since the last call.
  std::vector<std::string> take_notes();
  std::string token() const override;

  /// A sentence about the run that has taken the directory over from this one; empty when none has.
  std::string lost_to() const;

  /// On rank 0, of a run that was stopped: "file" (DIR/stop), "time" (the limit), or "signal".
  std::string_view stop_reason() const;

  /// A slice was begun, or its state saved (or that was tried) in so many seconds: from now on work can be
  /// lost.
  void work_is_safe(double seconds = 0);

 private:
  using Clock = std::chrono::steady_clock;
  Wish inject(Stage stage, int seeds);
  Wish act(const Injection& injection);
  Wish wish_of_root(const Outlook& outlook);
  void look_at_files();
  bool limit_reached(const Outlook& outlook) const;
  bool checkpoint_due(const Outlook& outlook) const;

  const std::filesystem::path dir_;
  const int rank_;
  const RunLimits limits_;
  const RunLock* lock_;
  RunLog log_;
  std::vector<Injection> injections_;
  std::vector<std::string> notes_;
  const std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point safe_ = begun_, asked_ = begun_, looked_{};
  double saving_ = 0;   ///< seconds spent on checkpoints
  double longest_ = 0;  ///< seconds between two calls, the longest lately
  bool stop_file_ = false, checkpoint_file_ = false, late_ = false;
};

/// Removes DIR/stop and DIR/checkpoint; true when there was a DIR/stop.
bool clear_requests(const std::filesystem::path& dir);

/// The end of this Slurm job (SLURM_JOB_END_TIME), if there is one.
std::optional<std::chrono::system_clock::time_point> job_end();

}  // namespace awele
