#include "results.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "awele/support/error.hpp"
#include "messages.hpp"

namespace awele::cli {

namespace {

constexpr std::size_t kMostKept = 1 << 16;

std::string kept;
int failure = 0;  ///< errno of the first write that failed

void remember(int error) {
  if (failure == 0) failure = error;
}

/// Once a part is lost, the rest would only be misread.
void write_all(std::string_view text) {
  while (failure == 0 && !text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waiting{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      remember(errno);
    }
  }
}

constexpr const char* kLost = "the results cannot be written to standard output";

}  // namespace

void put_text(std::string_view text) {
  static const bool terminal = ::isatty(STDOUT_FILENO);
  kept += text;
  if (kept.size() >= kMostKept || (terminal && text.find('\n') != std::string_view::npos)) flush_results();
}

void flush_results() noexcept {
  write_all(kept);
  kept.clear();
}

void deliver_results() {
  flush_results();
  if (failure != 0)
    throw Error(
        fmt::format("{} ({}); make room there, or send them elsewhere", kLost, std::strerror(failure)));
}

int close_results(int code) noexcept {
  flush_results();
  // Some file systems tell only now that there is no room.
  if (::close(STDOUT_FILENO) != 0 && errno != EINTR) remember(errno);
  if (failure == 0) return code;
  write_message(
      {"awele: ", kLost, " (", std::strerror(failure), "); make room there, or send them elsewhere\n"});
  return code != 0 ? code : static_cast<int>(ExitCode::failure);
}

}  // namespace awele::cli
