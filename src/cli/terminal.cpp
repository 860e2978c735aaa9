#include "terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace awele::cli {

namespace {

constexpr int kUsualColumns = 80;  ///< of a terminal that does not know

int columns(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

bool forwarded() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

/// Of the terminal that the parent process has as its descriptor `fd`.
std::optional<int> columns_of_parent(int fd) {
  const std::string path = fmt::format("/proc/{}/fd/{}", ::getppid(), fd);
  std::error_code error;
  const std::string target = std::filesystem::read_symlink(path, error).string();
  if (error || (!target.starts_with("/dev/pts/") && !target.starts_with("/dev/tty"))) return std::nullopt;
  const int terminal = ::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  const int found = columns(terminal);
  if (terminal >= 0) ::close(terminal);
  return found;
}

}  // namespace

std::optional<int> columns_of_results() {
  if (!::isatty(STDOUT_FILENO)) return std::nullopt;
  // A terminal made by the launcher, which does not tell where it forwards to.
  if (forwarded()) return columns_of_parent(STDOUT_FILENO);
  return columns(STDOUT_FILENO);
}

std::optional<int> columns_of_messages() {
  if (::isatty(STDERR_FILENO)) return columns(STDERR_FILENO);
  return forwarded() ? columns_of_parent(STDERR_FILENO) : std::nullopt;
}

}  // namespace awele::cli
