#include "process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>

#include "awele/support/error.hpp"
#include "messages.hpp"

namespace awele::cli {

namespace {

/// One that was closed is opened the wrong way round: reading standard input or writing results fails as it
/// would have. Messages are lost.
void open_standard_descriptors() {
  const int wrong_way[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", wrong_way[fd]) < 0)
      return;  // takes the lowest that is free
}

[[noreturn]] void end_uncaught() {
  const auto failure = static_cast<int>(ExitCode::failure);
  try {
    if (const auto current = std::current_exception()) std::rethrow_exception(current);
    error_message("internal error: the program called std::terminate; please report it");
  } catch (const std::exception& error) {
    write_message({"awele: internal error, please report it: ", error.what(), "\n"});
  } catch (...) {
    error_message("internal error: an unknown exception; please report it");
  }
  ::_exit(failure);
}

}  // namespace

void prepare_process() {
  open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_uncaught);
}

}  // namespace awele::cli
