#include "awele/run/run_control.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <regex>
#include <sstream>
#include <utility>

#include "awele/run/signals.hpp"
#include "awele/support/decimal.hpp"
#include "awele/support/error.hpp"

namespace awele {

namespace {

constexpr std::array<const char*, 5> kActions = {"pause", "throw", "bad_alloc", "checkpoint", "stop"};

std::filesystem::path stop_file(const std::filesystem::path& dir) { return dir / "stop"; }
std::filesystem::path checkpoint_file(const std::filesystem::path& dir) { return dir / "checkpoint"; }

bool can_be_heeded(Stage stage) {
  return stage != Stage::checkpoint && stage != Stage::renaming && stage != Stage::renaming_checkpoint;
}

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

namespace {

Injection parse_injection(const std::string& text) {
  static const std::regex pattern("([a-z_]+)@([a-z-]+):([0-9]{1,2})(?::([0-9]{1,6}))?");
  std::smatch match;
  const auto known = [](const std::string& action) {
    return std::find(kActions.begin(), kActions.end(), action) != kActions.end();
  };
  if (!std::regex_match(text, match, pattern) || !known(match[1]))
    throw Error(ExitCode::usage,
                fmt::format("AWELE_INJECT is '{}'; it must be ACTION@STAGE:SEEDS[:RANK] with one of {}", text,
                            fmt::join(kActions, ", ")));
  bool stage_known = false;
  for (int s = 0; s <= static_cast<int>(Stage::renaming_checkpoint); ++s)
    stage_known = stage_known || match[2].str() == name(static_cast<Stage>(s));
  if (!stage_known)
    throw Error(ExitCode::usage,
                fmt::format("AWELE_INJECT names the stage '{}', which does not exist", match[2].str()));
  return {match[1], match[2], std::stoi(match[3]), match[4].matched ? std::stoi(match[4]) : 0};
}

}  // namespace

std::vector<Injection> parse_injections(const std::string& text) {
  std::vector<Injection> all;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) all.push_back(parse_injection(part));
  return all;
}

RunControl::RunControl(std::filesystem::path dir, int rank, const RunLimits& limits, const RunLock* lock,
                       std::vector<Injection> injections)
    : dir_(std::move(dir)),
      rank_(rank),
      limits_(limits),
      lock_(lock),
      log_(dir_),
      injections_(std::move(injections)) {}

Wish RunControl::wish(Stage stage, int seeds, const Outlook& outlook) {
  Wish wish = inject(stage, seeds);
  longest_ = std::max(0.9 * longest_, seconds_since(asked_));
  asked_ = Clock::now();
  if (!can_be_heeded(stage)) return Wish::go_on;
  if (end_signalled()) {
    if (stage == Stage::between || grace_left() < outlook.to_checkpoint) end_at_once();
    return Wish::checkpoint_stop;
  }
  if (stop_signalled()) wish = std::max(wish, Wish::stop);
  if (rank_ == 0) wish = std::max(wish, wish_of_root(outlook));
  return wish;
}

Wish RunControl::wish_of_root(const Outlook& outlook) {
  if (lock_ && lock_->lost()) lock_->require_held();  // two runs at work: this one ends before it writes
  look_at_files();
  late_ = limit_reached(outlook);
  if (stop_file_ || late_) return Wish::stop;
  return checkpoint_file_ || checkpoint_due(outlook) ? Wish::checkpoint : Wish::go_on;
}

/// Twice a second at most: a look at a file on a parallel file system is not free.
void RunControl::look_at_files() {
  if (seconds_since(looked_) < 0.5) return;
  looked_ = Clock::now();
  std::error_code ignored;
  stop_file_ = stop_file_ || std::filesystem::exists(stop_file(dir_), ignored);
  checkpoint_file_ = checkpoint_file_ || std::filesystem::exists(checkpoint_file(dir_), ignored);
}

/// Whether what the state takes to be saved, and what passes until the next question, just fits.
bool RunControl::limit_reached(const Outlook& outlook) const {
  if (!limits_.end) return false;
  const std::chrono::duration<double> left = *limits_.end - std::chrono::system_clock::now(),
                                      all = *limits_.end - started_;
  const double reserve = std::clamp(0.05 * all.count(), 0.5, 15.0);
  return left.count() < 1.5 * (outlook.to_checkpoint + longest_) + reserve;
}

/// By the clock, but never so often that saving takes more than about a tenth of the run's time. The whole
/// run counts: a checkpoint takes a fifth of what its slice does, however large the slice is.
bool RunControl::checkpoint_due(const Outlook& outlook) const {
  if (limits_.checkpoint_minutes <= 0 || seconds_since(safe_) < 60 * limits_.checkpoint_minutes) return false;
  return saving_ + outlook.to_checkpoint < 0.1 * seconds_since(begun_);
}

void RunControl::work_is_safe(double seconds) {
  safe_ = Clock::now();
  saving_ += seconds;
  if (rank_ != 0 || !checkpoint_file_) return;
  checkpoint_file_ = false;
  std::error_code ignored;
  std::filesystem::remove(checkpoint_file(dir_), ignored);
}

/// The first fault meant for this moment, if any, once.
Wish RunControl::inject(Stage stage, int seeds) {
  const auto meant = [&](const Injection& each) {
    return each.stage == name(stage) && each.seeds == seeds && each.rank == rank_;
  };
  const auto found = std::find_if(injections_.begin(), injections_.end(), meant);
  if (found == injections_.end()) return Wish::go_on;
  const Injection injection = *found;
  injections_.erase(found);
  return act(injection);
}

Wish RunControl::act(const Injection& injection) {
  const std::string& action = injection.action;
  log_.event("injected", {{"action", action},
                          {"stage", injection.stage},
                          {"seeds", injection.seeds},
                          {"rank", rank_},
                          {"pid", ::getpid()}});
  if (action == "pause") sleep_until_signal(60);
  if (action == "throw") throw Error("a fault was injected (AWELE_INJECT); unset it");
  if (action == "bad_alloc") throw std::bad_alloc();
  if (action == "checkpoint") return Wish::checkpoint;
  return action == "stop" ? Wish::checkpoint_stop : Wish::go_on;
}

std::string_view RunControl::stop_reason() const {
  std::error_code ignored;
  // The file counts even when it came too late to be the cause, as it is removed when the run ends.
  if (stop_file_ || std::filesystem::exists(stop_file(dir_), ignored)) return "file";
  return late_ ? "time" : "signal";
}

void RunControl::before_rename() {
  if (!lock_ || !lock_->require_held()) return;
  notes_.push_back(
      fmt::format("{} was missing and nobody else holds the directory: it has been created again and the run "
                  "continues; do not remove it while a run is in progress",
                  lock_->path().string()));
  log_.event("lock_missing", {{"sentence", notes_.back()}});
}

std::string RunControl::lost_to() const {
  try {
    if (lock_) lock_->require_held();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<std::string> RunControl::take_notes() { return std::exchange(notes_, {}); }

std::string RunControl::token() const { return lock_ ? lock_->token() : "tmp"; }

bool clear_requests(const std::filesystem::path& dir) {
  std::error_code ignored;
  std::filesystem::remove(checkpoint_file(dir), ignored);
  return std::filesystem::remove(stop_file(dir), ignored);
}

std::optional<std::chrono::system_clock::time_point> job_end() {
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  const auto seconds = text ? parse_decimal(text) : std::nullopt;
  constexpr std::uint64_t latest = std::uint64_t{1} << 33;  // in nanoseconds it must fit as well
  if (!seconds || *seconds == 0 || *seconds > latest) return std::nullopt;
  return std::chrono::system_clock::from_time_t(static_cast<std::time_t>(*seconds));
}

}  // namespace awele
