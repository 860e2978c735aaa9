#include "run_observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "awele/index/slice_index.hpp"

namespace awele::cli {

namespace {

constexpr std::uint64_t kEnough = 100'000;  ///< positions of a slice from which others can be predicted

std::string crc_text(std::uint32_t crc) { return fmt::format("{:08x}", crc); }

}  // namespace

RunObserver::RunObserver(ProgressStyle style, double interval, bool root, const SolveOptions& options,
                         RunControl& control)
    : SolveProgress(style, interval),
      root_(root),
      interval_(interval),
      log_(options.dir),
      control_(control),
      to_solve_(slices_to_solve(options.seeds)) {
  status_["state"] = "running";
  status_["rules"] = name(options.rules);
  status_["seeds"] = options.seeds;
}

void RunObserver::begin(const nlohmann::ordered_json& about) {
  if (!root_) return;
  log_.event("start", about);
  status_.update(about);
  update(true);
}

void RunObserver::end(const std::string& state, const std::string& sentence) {
  if (!root_) return;
  status_["state"] = state;
  status_["sentence"] = sentence;
  nlohmann::ordered_json how{{"sentence", sentence}};
  if (state == "stopped") how["reason"] = control_.stop_reason();
  log_.event(state == "stopped" ? "stop" : "done", how);
  update(true);
}

void RunObserver::failed(int rank, const std::string& sentence) {
  log_.event("error", {{"rank", rank}, {"sentence", sentence}});
  if (!root_) return;
  status_["state"] = "failed";
  status_["sentence"] = sentence;
  update(true);
}

void RunObserver::lost(const std::string& sentence) const {
  log_.event("error", {{"rank", 0}, {"sentence", sentence}});
}

void RunObserver::slice_found(const SliceReport& report) {
  SolveProgress::slice_found(report);
  std::erase(to_solve_, report.seeds);
}

void RunObserver::slice_begins(int seeds, std::uint64_t positions) {
  SolveProgress::slice_begins(seeds, positions);
  control_.work_is_safe();
  if (!root_) return;
  std::erase(to_solve_, seeds);
  log_.event("slice_begins", {{"seeds", seeds}, {"positions", positions}});
  status_["slice"] = seeds;
  status_["positions"] = positions;
  status_["settled"] = 0;
  status_.erase("threshold");
  status_["seconds_left_in_slice"] = static_cast<double>(positions) * seconds_a_position_;
}

void RunObserver::phase_begins(const char* name) {
  SolveProgress::phase_begins(name);
  if (!root_) return;
  log_.event("phase", {{"seeds", status_["slice"]}, {"name", name}});
  status_["phase"] = name;
  update(false);
}

void RunObserver::round_done(const RoundStatus& round) {
  SolveProgress::round_done(round);
  if (!root_) return;
  status_["threshold"] = round.threshold;
  status_["rounds"] = round.rounds;
  status_["settled"] = round.settled;
  status_["seconds_left_in_slice"] = round.seconds_left;
  if (logged_.seconds() >= interval_) {
    logged_ = Stopwatch();
    log_.event("round", {{"seeds", status_["slice"]},
                         {"threshold", round.threshold},
                         {"rounds", round.rounds},
                         {"settled", round.settled},
                         {"seconds_left", round.seconds_left}});
  }
  update(false);
}

void RunObserver::slice_done(const SliceReport& report) {
  SolveProgress::slice_done(report);
  if (!root_) return;
  tell_notes();
  if (report.positions >= kEnough)
    seconds_a_position_ = report.seconds / static_cast<double>(report.positions);
  log_.event("slice", {{"seeds", report.seeds},
                       {"positions", report.positions},
                       {"won", report.won},
                       {"drawn", report.drawn},
                       {"lost", report.lost},
                       {"rounds", report.rounds},
                       {"seconds", report.seconds},
                       {"file_bytes", report.file_bytes},
                       {"bytes_sent", report.exchanged_bytes},
                       {"crc32", crc_text(report.crc)}});
  status_["last_finished"] = report.seeds;
  status_["seconds_left_in_slice"] = 0;
  status_.erase("checkpoint");
  update(false);
}

void RunObserver::checkpoint_begins(int seeds) {
  if (root_) log_.event("checkpoint_begins", {{"seeds", seeds}});
}

void RunObserver::checkpoint_done(const CheckpointReport& report) {
  control_.work_is_safe(report.seconds);
  if (!root_) return;
  tell_notes();
  note(fmt::format("slice {:2}: state saved in {} ({:.1f} MB, {:.1f} s)", report.seeds, report.path.string(),
                   static_cast<double>(report.bytes) / 1e6, report.seconds));
  log_.event("checkpoint", {{"seeds", report.seeds},
                            {"path", report.path.string()},
                            {"bytes", report.bytes},
                            {"seconds", report.seconds}});
  status_["checkpoint"] = {{"path", report.path.string()}, {"time", utc_time()}};
  update(true);
}

void RunObserver::checkpoint_failed(const CheckpointReport& report) {
  control_.work_is_safe(report.seconds);  // the next attempt comes when it is due again
  if (!root_) return;
  note(fmt::format("slice {:2}: the state could not be saved, the previous checkpoint is kept: {}",
                   report.seeds, report.reason));
  log_.event("checkpoint_failed", {{"seeds", report.seeds}, {"reason", report.reason}});
}

void RunObserver::checkpoint_bad(const CheckpointReport& report) {
  if (!root_) return;
  note(fmt::format("slice {:2}: {} is not used: {}", report.seeds, report.path.string(), report.reason));
  log_.event("bad_checkpoint",
             {{"seeds", report.seeds}, {"path", report.path.string()}, {"reason", report.reason}});
}

void RunObserver::resumed(const CheckpointReport& report) {
  if (!root_) return;
  note(fmt::format("slice {:2}: resumes from {}", report.seeds, report.path.string()));
  log_.event("resumed", {{"seeds", report.seeds}, {"path", report.path.string()}});
  status_["checkpoint"] = {{"path", report.path.string()}};
}

/// What the control has noticed meanwhile.
void RunObserver::tell_notes() {
  for (const std::string& sentence : control_.take_notes()) note(sentence);
}

/// Seconds for the slices after the one at hand, as if each position took what the last ones did.
double RunObserver::left_after_slice() const {
  double positions = 0;
  for (int n : to_solve_) positions += static_cast<double>(slice_size(n));
  return positions * seconds_a_position_;
}

/// Once in two seconds is enough for whoever looks.
void RunObserver::update(bool at_once) {
  if (!at_once && updated_.seconds() < 2) return;
  updated_ = Stopwatch();
  status_["seconds_so_far"] = run_.seconds();
  if (seconds_a_position_ > 0)
    status_["seconds_left"] = status_.value("seconds_left_in_slice", 0.0) + left_after_slice();
  status_["updated"] = utc_time();
  log_.status(status_);
  if (!log_.trouble().empty() && !std::exchange(told_trouble_, true)) note(log_.trouble());
}

}  // namespace awele::cli
