#include "awele/support/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "awele/support/error.hpp"

namespace awele {

namespace fs = std::filesystem;

namespace {

/// A file descriptor that is closed again; throws with the name when it cannot be opened.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail("cannot be opened");
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t wrote = ::write(fd_, text.data() + done, text.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) fail("cannot be written");
      done += static_cast<std::size_t>(wrote);
    }
  }
  void flush() const {
    if (::fsync(fd_) != 0) fail("cannot be flushed to disk");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw fs::filesystem_error(what, path_, std::error_code(errno, std::generic_category()));
  }
  fs::path path_;
  int fd_;
};

struct Closed {
  int fd;
  ~Closed() { ::close(fd); }
};

}  // namespace

void write_file(const fs::path& path, const std::string& text) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  file.write(text);
  file.flush();
}

void replace_file(const fs::path& path, const std::string& text) {
  const fs::path temporary = path.string() + "." + std::to_string(::getpid()) + ".tmp";
  {
    const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    file.write(text);
  }
  fs::rename(temporary, path);
}

void flush_directory(const fs::path& dir) { Descriptor(dir, O_RDONLY | O_DIRECTORY).flush(); }

std::string read_file(const fs::path& path) {
  const auto fail = [&](const char* why) { throw Error(path.string() + " cannot be read: " + why); };
  // Not blocking: a FIFO of that name must not make anybody wait for its writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail(std::strerror(errno));
  const Closed closed{fd};
  struct stat info {};
  if (::fstat(fd, &info) != 0) fail(std::strerror(errno));
  if (!S_ISREG(info.st_mode)) fail("it is not a regular file");
  std::string text;
  for (std::array<char, 4096> piece;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace awele
