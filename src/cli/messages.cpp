#include "messages.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace awele::cli {

namespace {

constexpr std::size_t kMostParts = 8;
constexpr int kPatience = 1000;  ///< milliseconds for a reader that set its end to not block

/// Moves past what was written.
void advance(iovec*& next, std::size_t& left, std::size_t written) {
  while (left > 0 && written >= next->iov_len) {
    written -= next->iov_len;
    ++next;
    --left;
  }
  if (left == 0) return;
  next->iov_base = static_cast<char*>(next->iov_base) + written;
  next->iov_len -= written;
}

bool becomes_writable() {
  pollfd waiting{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&waiting, 1, kPatience) > 0;
}

}  // namespace

void write_message(std::initializer_list<std::string_view> parts) noexcept {
  const int before = errno;
  std::array<iovec, kMostParts> all;
  std::size_t left = 0;
  for (std::string_view part : parts)
    if (!part.empty() && left < kMostParts) all[left++] = {const_cast<char*>(part.data()), part.size()};
  for (iovec* next = all.data(); left > 0;) {
    const ssize_t written = ::writev(STDERR_FILENO, next, static_cast<int>(left));
    if (written >= 0)
      advance(next, left, static_cast<std::size_t>(written));
    else if (errno != EINTR && !(errno == EAGAIN && becomes_writable()))
      break;
  }
  errno = before;
}

void error_message(std::string_view sentence) noexcept { write_message({"awele: ", sentence, "\n"}); }

}  // namespace awele::cli
