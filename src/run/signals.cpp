#include "awele/run/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

namespace awele {

namespace {

volatile std::sig_atomic_t stop = 0, end_signal = 0;
std::sig_atomic_t grace_seconds = 0;
std::atomic<long> end_time{0};
char lock_path[4096] = "", lock_token[64] = "";

long now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

// From here on only calls that are safe in a handler.

/// Whether the file is still the lock of this run, which another one may have taken over.
bool lock_is_own() {
  const int fd = ::open(lock_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  static char text[4096];  // a lock is far shorter
  const ssize_t size = ::read(fd, text, sizeof text);
  ::close(fd);
  const auto length = static_cast<ssize_t>(std::strlen(lock_token));
  for (ssize_t at = 0; at + length <= size; ++at)
    if (std::memcmp(text + at, lock_token, static_cast<std::size_t>(length)) == 0) return true;
  return false;
}

[[noreturn]] void end_process() {
  if (lock_path[0] && lock_is_own()) ::unlink(lock_path);
  ::_exit(128 + end_signal);
}

void on_stop(int) { stop = 1; }

void on_end(int signal) {
  const int error = errno;
  const bool again = end_signal != 0;
  if (!again) end_signal = signal;
  if (grace_seconds == 0 || again) end_process();
  end_time = now() + grace_seconds;
  ::alarm(static_cast<unsigned>(grace_seconds));
  errno = error;
}

void on_alarm(int) { end_process(); }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

bool ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void watch_signals(int grace) {
  grace_seconds = grace;
  handle(SIGUSR1, on_stop);
  handle(SIGTERM, on_end);
  handle(SIGINT, on_end);
  if (!ignored(SIGHUP)) handle(SIGHUP, on_end);  // nohup
  handle(SIGALRM, on_alarm);
}

void remove_when_ended(const std::string& path, const std::string& token) {
  if (path.size() >= sizeof lock_path || token.size() >= sizeof lock_token) return;
  std::strncpy(lock_token, token.c_str(), sizeof lock_token - 1);
  std::strncpy(lock_path, path.c_str(), sizeof lock_path - 1);  // last: a signal may come at any time
}

bool stop_signalled() { return stop != 0; }
bool end_signalled() { return end_signal != 0; }
double grace_left() { return static_cast<double>(end_time - now()); }
void end_at_once() { end_process(); }

void sleep_until_signal(int seconds) {
  // In short naps: the signal may have been taken by another thread of the process, MPI's for example.
  const long end = now() + seconds;
  while (now() < end && !stop && !end_signal) {
    const timespec nap{0, 50'000'000};
    nanosleep(&nap, nullptr);
  }
}

}  // namespace awele
