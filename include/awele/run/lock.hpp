// One writer a directory: DIR/lock.
//
// The lock is a file that appears whole, under a name that only one process can take (a link; no flock, which
// NFS may not have). It holds a line of JSON: host, machine, process, start of the process, job, restart
// count and a random token. Its owner refreshes the file's time every 30 s.
//
// A live process of this machine keeps its lock, however old the file seems. Another run takes the lock over
// from a process of this machine that is gone, from a job of the same id with a lower restart count, and from
// a run elsewhere that gives no sign of life: clocks of two machines are never compared for that, the file is
// watched. A file that is no lock (empty, or not what a run writes) is left over after seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace awele {

/// What a lock says of its owner.
struct LockOwner {
  std::string host, job, token;
  /// The boot and the process namespace that `pid` belongs to; empty when the lock does not say.
  std::string machine;
  long pid = 0,
       process_start = 0;  ///< the latter as in /proc/PID/stat, which tells a process from a later one
  int restart = 0;
  bool known() const { return pid != 0; }  ///< otherwise the file is no lock
  std::string text() const;                ///< "process 12 on host a (job 34)"
  bool on_this_machine() const;
  bool alive() const;  ///< Precondition: on_this_machine(): the process runs
  bool gone() const { return on_this_machine() && !alive(); }
};

/// The lock of a directory as a reader sees it.
struct LockState {
  bool held = false;
  std::string text;  ///< of the file
  LockOwner owner;
  std::int64_t time_ns = 0;     ///< the file's, of its last refresh
  std::chrono::seconds age{0};  ///< since then, by the clock of this machine
  /// Nobody is at work, or probably nobody: the owner is gone, or elsewhere and silent for long by the clock
  /// of this machine.
  bool stale() const;
};
/// Throws awele::Error when there is something of that name that cannot be read or is no regular file.
LockState lock_state(const std::filesystem::path& dir);

/// How often a lock is refreshed, and how long one is watched before it is taken over.
struct LockTimes {
  std::chrono::milliseconds refresh = std::chrono::seconds(30);
  /// Without a refresh, of an owner elsewhere; at least `least` of it is watched, whatever the clocks say.
  std::chrono::milliseconds silent = std::chrono::minutes(10), least = std::chrono::minutes(2);
  std::chrono::milliseconds no_lock = std::chrono::seconds(5);  ///< of a file that is no lock
};

/// Holds DIR/lock for its life. Refreshes it from a thread of its own.
class RunLock {
 public:
  static constexpr std::chrono::minutes kStale{10};  ///< see LockState::stale

  /// Told, before it waits, that and why it does.
  using Tell = std::function<void(const std::string& sentence)>;
  /// Makes the directory if need be. Throws awele::Error naming the other run when it is locked; with
  /// ExitCode::stopped when a signal asks to stop while it waits.
  explicit RunLock(const std::filesystem::path& dir, const Tell& tell = {}, const LockTimes& times = {});
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  const std::string& token() const;
  /// A sentence about the run it was taken over from; empty when it was free.
  const std::string& taken_over() const;
  const std::filesystem::path& path() const;
  /// Reads the file: throws awele::Error when another run has taken it. One that is missing, without another
  /// run in its place, is made again: true then.
  bool require_held() const;
  /// What was found at the last refresh: another run has the lock.
  bool lost() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace awele
