#include "awele/run/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

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

std::string random_token() {
  std::random_device random;
  return fmt::format("{:08x}", random());
}

LockOwner this_run() {
  LockOwner own;
  own.host = host_name();
  own.pid = ::getpid();
  own.process_start = process_start(own.pid);
  own.job = variable("SLURM_JOB_ID");
  own.restart = std::atoi(variable("SLURM_RESTART_COUNT").c_str());
  own.token = random_token();
  return own;
}

std::string to_text(const LockOwner& owner) {
  nlohmann::ordered_json json;
  json["host"] = owner.host;
  json["pid"] = owner.pid;
  json["process_start"] = owner.process_start;
  json["job"] = owner.job;
  json["restart"] = owner.restart;
  json["token"] = owner.token;
  json["started"] = fmt::format("{}", std::time(nullptr));
  return json.dump() + "\n";
}

/// An owner of whom nothing is known when the text is no lock's (just being written, or damaged).
LockOwner from_text(const std::string& text) {
  LockOwner owner;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return owner;
  owner.host = json.value("host", "");
  owner.pid = json.value("pid", 0L);
  owner.process_start = json.value("process_start", 0L);
  owner.job = json.value("job", "");
  owner.restart = json.value("restart", 0);
  owner.token = json.value("token", "");
  return owner;
}

/// Creates the file with the text; false when it exists.
bool create(const fs::path& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) return false;
  const bool written = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  if (fd >= 0) ::close(fd);
  if (written) return true;
  if (fd >= 0) ::unlink(path.c_str());
  throw Error(
      reason == ENOSPC ? ExitCode::no_resources : ExitCode::failure,
      fmt::format("{} cannot be written ({}); make room or make the directory writable, or give another --db",
                  path.string(), std::strerror(reason)));
}

/// Whether `next` is a later start of the job that `owner` was.
bool same_job_restarted(const LockOwner& owner, const LockOwner& next) {
  return !owner.job.empty() && owner.job == next.job && owner.restart < next.restart;
}

}  // namespace

std::string LockOwner::text() const {
  if (pid == 0) return "an unknown run";
  return fmt::format("process {} on host {}{}", pid, host, job.empty() ? "" : fmt::format(" (job {})", job));
}

bool LockOwner::on_this_host() const { return host == host_name(); }
bool LockOwner::gone() const {
  return pid != 0 && on_this_host() && awele::process_start(pid) != process_start;
}

bool LockState::stale() const { return owner.gone() || age > RunLock::kStale; }

LockState lock_state(const fs::path& dir) {
  LockState state;
  struct stat info {};
  const fs::path path = dir / "lock";
  if (::stat(path.c_str(), &info) != 0) return state;
  state.held = true;
  state.age = std::chrono::seconds(std::max<long>(0, std::time(nullptr) - info.st_mtime));
  try {
    state.owner = from_text(read_file(path));
  } catch (const Error&) {  // it went away between the two calls
    state.held = fs::exists(path);
  }
  return state;
}

struct RunLock::Impl {
  fs::path path;
  LockOwner own = this_run();
  std::string taken_over;
  std::mutex mutex;
  std::condition_variable ending;
  bool end = false;
  std::thread refresher;

  bool held() const {
    try {
      return from_text(read_file(path)).token == own.token;
    } catch (const Error&) {
      return false;
    }
  }

  /// Moves a lock that nobody needs any more out of the way: of several that try, one succeeds.
  void take_over(const LockState& state) {
    const fs::path aside = fmt::format("{}.{}.old", path.string(), own.token);
    std::error_code error;
    fs::rename(path, aside, error);
    if (error) return;
    const bool right_one = from_text(read_file(aside)).token == state.owner.token;
    if (right_one)
      fs::remove(aside, error);
    else
      fs::rename(aside, path, error);  // somebody else was quicker, and this is that run's lock
  }

  void acquire() {
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (create(path, to_text(own))) return;
      const LockState state = lock_state(path.parent_path());
      if (!state.held) continue;
      const bool restarted = same_job_restarted(state.owner, own);
      if (!restarted && !state.stale())
        throw Error(
            fmt::format("{} is in use by {}, which refreshed {} {} s ago; wait for it, stop it, or give "
                        "another --db (without refresh it can be taken over after {} minutes)",
                        path.parent_path().string(), state.owner.text(), path.string(), state.age.count(),
                        kStale.count()));
      taken_over = fmt::format("took {} over from {}, {}", path.string(), state.owner.text(),
                               restarted            ? "an earlier start of this job"
                               : state.owner.gone() ? "which does not run any more"
                                                    : fmt::format("silent for {} s", state.age.count()));
      take_over(state);
    }
    throw Error(fmt::format("{} is being taken by several runs at once; start again", path.string()));
  }

  void refresh_until_end() {
    std::unique_lock guard(mutex);
    while (!ending.wait_for(guard, kRefresh, [&] { return end; }))
      if (held()) ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  }
};

RunLock::RunLock(const fs::path& dir) : impl_(std::make_unique<Impl>()) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error || !fs::is_directory(dir))
    throw Error(fmt::format("{} cannot be made a directory ({}); give another --db", dir.string(),
                            error ? error.message() : "a file of that name exists"));
  impl_->path = dir / "lock";
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

void RunLock::require_held() const {
  if (impl_->held()) return;
  const LockState state = lock_state(impl_->path.parent_path());
  throw Error(fmt::format(
      "{} now belongs to {}: this run has lost it and stops, without touching the files of the other",
      impl_->path.string(), state.held ? state.owner.text() : "nobody"));
}

}  // namespace awele
