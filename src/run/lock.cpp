#include "awele/run/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include "awele/run/json.hpp"
#include "awele/run/signals.hpp"
#include "awele/support/decimal.hpp"
#include "awele/support/error.hpp"
#include "awele/support/files.hpp"

namespace awele {

namespace fs = std::filesystem;

namespace {

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Field 22 of /proc/PID/stat: when the process started, in ticks since boot; 0 when it does not run. One
/// that is dead and waits to be fetched by its parent (after mpirun has gone: by init, which may take its
/// time) does not.
long process_start(long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string all{std::istreambuf_iterator<char>(file), {}};
  const auto name_end = all.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(all.substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return 0;
  for (int k = 4; k < 22; ++k) fields >> skipped;
  long ticks = 0;
  fields >> ticks;
  return ticks;
}

/// Where process numbers mean what they mean here: hosts and containers of one name are not the same.
std::string this_machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  std::error_code ignored;
  return boot + " " + fs::read_symlink("/proc/self/ns/pid", ignored).string();
}

std::string random_token() {
  std::random_device random;
  return fmt::format("{:08x}", random());
}

LockOwner this_run() {
  LockOwner own;
  own.host = host_name();
  own.machine = this_machine();
  own.pid = ::getpid();
  own.process_start = process_start(own.pid);
  own.job = variable("SLURM_JOB_ID");
  own.restart = static_cast<int>(parse_decimal(variable("SLURM_RESTART_COUNT")).value_or(0));
  own.token = random_token();
  return own;
}

std::string to_text(const LockOwner& owner) {
  nlohmann::ordered_json json;
  json["host"] = owner.host;
  json["machine"] = owner.machine;
  json["pid"] = owner.pid;
  json["process_start"] = owner.process_start;
  json["job"] = owner.job;
  json["restart"] = owner.restart;
  json["token"] = owner.token;
  json["started"] = fmt::format("{}", std::time(nullptr));
  return json_text(json) + "\n";
}

/// Not known() when the text is no lock's.
LockOwner from_text(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  LockOwner owner;
  try {
    owner.host = json.value("host", "");
    owner.machine = json.value("machine", "");
    owner.pid = json.value("pid", 0L);
    owner.process_start = json.value("process_start", 0L);
    owner.job = json.value("job", "");
    owner.restart = json.value("restart", 0);
    owner.token = json.value("token", "");
  } catch (const nlohmann::json::exception&) {  // fields of other types
    return {};
  }
  const bool possible = owner.pid > 0 && owner.pid <= std::numeric_limits<pid_t>::max();
  return possible && !owner.token.empty() ? owner : LockOwner{};
}

[[noreturn]] void fail_writing(const fs::path& path, int reason) {
  throw Error(
      reason == ENOSPC || reason == EDQUOT ? ExitCode::no_resources : ExitCode::failure,
      fmt::format("{} cannot be written ({}); make room or make the directory writable, or give another --db",
                  path.string(), std::strerror(reason)));
}

/// Writes a file that was not there before. Returns 0 or errno.
int write_new(const fs::path& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  int reason = 0;
  for (std::size_t done = 0; done < text.size() && reason == 0;) {
    errno = 0;
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written > 0) done += static_cast<std::size_t>(written);
    if (written <= 0 && errno != EINTR) reason = errno ? errno : EIO;
  }
  if (::close(fd) != 0 && reason == 0 && errno != EINTR) reason = errno;
  if (reason != 0) ::unlink(path.c_str());
  return reason;
}

/// The lock, whole from the first moment; false when there is one.
bool create(const fs::path& path, const LockOwner& owner) {
  const std::string text = to_text(owner);
  const fs::path whole = fmt::format("{}.{}.new", path.string(), owner.token);
  if (const int reason = write_new(whole, text)) fail_writing(path, reason);
  int reason = ::link(whole.c_str(), path.c_str()) == 0 ? 0 : errno;
  struct stat info {};
  // Over NFS the answer to a link that was made may be lost, and the second attempt finds it made.
  if (reason == EEXIST && ::stat(whole.c_str(), &info) == 0 && info.st_nlink == 2) reason = 0;
  ::unlink(whole.c_str());
  if (reason == EPERM || reason == ENOTSUP || reason == ENOSYS)  // a file system without links
    reason = write_new(path, text);
  if (reason == ENOENT) return false;  // the owner of the directory has removed the new file as a leftover
  if (reason != 0 && reason != EEXIST) fail_writing(path, reason);
  return reason == 0;
}

/// Whether `next` is a later start of the job that `owner` was.
bool same_job_restarted(const LockOwner& owner, const LockOwner& next) {
  return !owner.job.empty() && owner.job == next.job && owner.restart < next.restart;
}

}  // namespace

std::string LockOwner::text() const {
  if (!known()) return "an unknown run";
  return fmt::format("process {} on host {}{}", pid, host, job.empty() ? "" : fmt::format(" (job {})", job));
}

bool LockOwner::on_this_machine() const {
  return known() && host == host_name() && (machine.empty() || machine == this_machine());
}

bool LockOwner::alive() const {
  if (const long start = awele::process_start(pid)) return process_start == 0 || start == process_start;
  // Not to be seen in /proc: of another user, where that hides them; or dead, or about to be.
  return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == EPERM;
}

bool LockState::stale() const { return owner.on_this_machine() ? !owner.alive() : age > RunLock::kStale; }

namespace {

/// The lock of a directory; none at all when one that was there could not be read.
std::optional<LockState> look_once(const fs::path& dir) {
  LockState state;
  const fs::path path = dir / "lock";
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return state;
    throw Error(fmt::format("{} cannot be read: {}", path.string(), std::strerror(errno)));
  }
  if (!S_ISREG(info.st_mode))
    throw Error(fmt::format("{} is not a regular file, so it is not a run's lock; remove it", path.string()));
  state.held = true;
  state.time_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  state.age = std::chrono::seconds(std::max<long>(0, std::time(nullptr) - info.st_mtime));
  try {
    state.text = read_file(path);
  } catch (const Error&) {
    return std::nullopt;
  }
  state.owner = from_text(state.text);
  return state;
}

}  // namespace

LockState lock_state(const fs::path& dir) {
  // One that goes away between two calls may be followed by the next run's at once.
  for (int tries = 0; tries < 20; ++tries)
    if (const auto state = look_once(dir)) return *state;
  throw Error(fmt::format("{} cannot be read; check its permissions, or remove it if no run is in progress",
                          (dir / "lock").string()));
}

struct RunLock::Impl {
  fs::path path;
  LockTimes times;
  Tell tell;
  LockOwner own = this_run();
  std::string taken_over;
  std::mutex mutex;
  std::condition_variable ending;
  bool end = false;
  std::atomic<bool> lost{false};
  std::thread refresher;

  LockState look() const { return lock_state(path.parent_path()); }

  bool held() const {
    try {
      return look().owner.token == own.token;
    } catch (const Error&) {
      return false;
    }
  }

  /// Moves a lock that nobody needs any more out of the way: of several that try, one succeeds.
  void take_over(const LockState& state) {
    const fs::path aside = fmt::format("{}.{}.old", path.string(), own.token);
    std::error_code error;
    fs::rename(path, aside, error);
    if (error) {
      if (error == std::errc::no_such_file_or_directory) return;
      throw Error(fmt::format("{} is left over from {} and cannot be removed ({}); remove it", path.string(),
                              state.owner.text(), error.message()));
    }
    struct stat info {};
    const bool right_one =
        ::stat(aside.c_str(), &info) == 0 && read_file(aside) == state.text &&
        std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec == state.time_ns;
    // Otherwise somebody else was quicker, or its owner has just woken up: it is put back, unless there is
    // one.
    if (!right_one) [[maybe_unused]]
      const int ignored = ::link(aside.c_str(), path.c_str());
    fs::remove(aside, error);
  }

  /// Watches a lock for that long; whether it stayed as it was.
  bool unchanged(const LockState& state, std::chrono::milliseconds time) const {
    using Clock = std::chrono::steady_clock;
    const auto nap = std::min<std::chrono::milliseconds>(time / 10, std::chrono::seconds(1));
    for (const auto until = Clock::now() + time; Clock::now() < until;) {
      std::this_thread::sleep_for(nap);
      if (stop_signalled() || end_signalled())
        throw Error(ExitCode::stopped, fmt::format("stopped on request while waiting for {}", path.string()));
      const LockState now = look();
      if (!now.held || now.text != state.text || now.time_ns != state.time_ns) return false;
    }
    return true;
  }

  [[noreturn]] void refuse(const LockState& state) const {
    throw Error(fmt::format("{} is in use by {}, which holds {}; wait for it, stop it, or give another --db",
                            path.parent_path().string(), state.owner.text(), path.string()));
  }

  /// Why a lock may be taken over; empty when it went away or changed hands meanwhile. An Error when it may
  /// not.
  std::string reason_to_take(const LockState& state) const {
    if (!state.owner.known())
      return unchanged(state, times.no_lock) ? "the file is not a lock made by a run" : "";
    if (state.owner.on_this_machine()) {
      if (state.owner.alive()) refuse(state);
      return "which is no longer running";
    }
    if (same_job_restarted(state.owner, own)) return "an earlier start of this job";
    const auto watch =
        std::clamp<std::chrono::milliseconds>(times.silent - state.age, times.least, times.silent);
    if (tell)
      tell(
          fmt::format("{} belongs to {}; watching for a sign of life for at most {} s: if you know that it "
                      "is not running, remove the file",
                      path.string(), state.owner.text(),
                      std::chrono::duration_cast<std::chrono::seconds>(watch).count()));
    if (unchanged(state, watch))
      return fmt::format("silent for {} s while watched",
                         std::chrono::duration_cast<std::chrono::seconds>(watch).count());
    const LockState now = look();
    if (now.held && now.owner.token == state.owner.token) refuse(now);
    return "";
  }

  void acquire() {
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (create(path, own)) return;
      const LockState state = look();
      if (!state.held) continue;
      const std::string reason = reason_to_take(state);
      if (reason.empty()) continue;
      taken_over = fmt::format("took {} over from {}, {}", path.string(), state.owner.text(), reason);
      take_over(state);
    }
    throw Error(fmt::format("{} is being taken by several runs at once; start again", path.string()));
  }

  void refresh() {
    try {
      const LockState state = look();
      if (state.owner.token == own.token)
        ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
      else
        lost = state.held;
    } catch (const std::exception&) {
      // The file system does not answer as it should: the next time perhaps.
    }
  }

  void refresh_until_end() {
    std::unique_lock guard(mutex);
    while (!ending.wait_for(guard, times.refresh, [&] { return end; })) refresh();
  }
};

RunLock::RunLock(const fs::path& dir, const Tell& tell, const LockTimes& times)
    : impl_(std::make_unique<Impl>()) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error || !fs::is_directory(dir))
    throw Error(fmt::format("the directory {} cannot be created ({}); give another --db", dir.string(),
                            error ? error.message() : "a file of that name exists"));
  impl_->path = dir / "lock";
  impl_->tell = tell;
  impl_->times = times;
  impl_->acquire();
  // Signals are for the thread that solves.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  impl_->refresher = std::thread([impl = impl_.get()] { impl->refresh_until_end(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RunLock::~RunLock() {
  {
    const std::lock_guard guard(impl_->mutex);
    impl_->end = true;
  }
  impl_->ending.notify_all();
  impl_->refresher.join();
  if (impl_->held()) ::unlink(impl_->path.c_str());
}

const std::string& RunLock::token() const { return impl_->own.token; }
const std::string& RunLock::taken_over() const { return impl_->taken_over; }
const fs::path& RunLock::path() const { return impl_->path; }

bool RunLock::lost() const { return impl_->lost; }

bool RunLock::require_held() const {
  LockState state = impl_->look();
  if (state.owner.token == impl_->own.token) return false;
  if (!state.held && create(impl_->path, impl_->own)) return true;
  state = impl_->look();
  throw Error(fmt::format(
      "{} now belongs to {}: this run has lost it and stops without touching the other run's files",
      impl_->path.string(), state.owner.text()));
}

}  // namespace awele
