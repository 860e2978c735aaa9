// One writer a directory: DIR/lock.
//
// The lock is a file that only one process can create (no flock, which NFS may not have). It holds a line of
// JSON: host, process, start of the process, job, restart count and a random token. Its owner refreshes the
// file's time every 30 s. Another run takes it over from a job of the same id with a lower restart count,
// from a process of the same host that is gone, and from anybody after ten minutes without refresh.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace awele {

/// What a lock says of its owner.
struct LockOwner {
  std::string host, job, token;
  long pid = 0,
       process_start = 0;  ///< the latter as in /proc/PID/stat, which tells a process from a later one
  int restart = 0;
  std::string text() const;  ///< "process 12 on host a (job 34)"
  bool on_this_host() const;
  bool gone() const;  ///< it is a process of this host and does not run any more
};

/// The lock of a directory as a reader sees it.
struct LockState {
  bool held = false;
  LockOwner owner;
  std::chrono::seconds age{0};  ///< since the last refresh
  bool stale() const;           ///< the owner is gone, or has not refreshed it for too long
};
LockState lock_state(const std::filesystem::path& dir);

/// Holds DIR/lock for its life. Refreshes it from a thread of its own.
class RunLock {
 public:
  static constexpr std::chrono::seconds kRefresh{30};
  static constexpr std::chrono::minutes kStale{10};

  /// Makes the directory if need be. Throws awele::Error naming the other run when it is locked.
  explicit RunLock(const std::filesystem::path& dir);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  const std::string& token() const;
  /// A sentence about the run it was taken over from; empty when it was free.
  const std::string& taken_over() const;
  const std::filesystem::path& path() const;
  /// Reads the file: throws awele::Error when another run has taken it.
  void require_held() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace awele
