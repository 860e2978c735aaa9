#include "awele/support/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include "awele/support/error.hpp"

namespace awele {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const char* what, const fs::path& path) {
  throw fs::filesystem_error(what, path, std::error_code(errno, std::generic_category()));
}

int open_file(const fs::path& path, int flags) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

void write_all(int fd, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    errno = 0;
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot be written", path);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void flush_file(int fd, const fs::path& path) {
  while (::fsync(fd) != 0)
    if (errno != EINTR) fail("cannot be flushed to disk", path);
}

/// Some file systems tell of a failed write only now. After EINTR it is closed as well.
void close_file(int fd, const fs::path& path) {
  if (::close(fd) != 0 && errno != EINTR) fail("cannot be closed", path);
}

/// A file descriptor that is closed again; throws with the name when it cannot be opened.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : path_(path), fd_(open_file(path, flags)) {
    if (fd_ < 0) fail("cannot be opened", path);
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(const std::string& text) const { write_all(fd_, std::as_bytes(std::span(text)), path_); }
  void flush() const { flush_file(fd_, path_); }
  void close() { close_file(std::exchange(fd_, -1), path_); }

 private:
  fs::path path_;
  int fd_;
};

struct Closed {
  int fd;
  ~Closed() { ::close(fd); }
};

constexpr std::size_t kLongestName = 255;

fs::path temporary_name(const fs::path& path, std::uint32_t number) {
  std::array<char, 16> end{};
  std::snprintf(end.data(), end.size(), ".%08x.tmp", number);
  const std::string name = path.filename().string();
  return path.parent_path() / (name.substr(0, kLongestName - std::strlen(end.data())) + end.data());
}

}  // namespace

FileUnderWay::FileUnderWay(fs::path path) : path_(std::move(path)) {
  std::random_device random;
  do {
    temporary_ = temporary_name(path_, random());
    fd_ = open_file(temporary_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) fail("cannot be made", temporary_);
}

FileUnderWay::~FileUnderWay() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileUnderWay::write(std::span<const std::byte> bytes) { write_all(fd_, bytes, temporary_); }
void FileUnderWay::flush() { flush_file(fd_, temporary_); }

void FileUnderWay::finish() {
  close_file(std::exchange(fd_, -1), temporary_);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be renamed", temporary_);
  temporary_.clear();
}

void write_file(const fs::path& path, const std::string& text) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  file.write(text);
  file.flush();
  file.close();
}

void replace_file(const fs::path& path, const std::string& text) {
  FileUnderWay file(path);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

void flush_directory(const fs::path& dir) { Descriptor(dir, O_RDONLY | O_DIRECTORY).flush(); }

std::string read_file(const fs::path& path) {
  const auto fail = [&](const char* why) { throw Error(path.string() + " cannot be read: " + why); };
  // Not blocking: a FIFO of that name must not make anybody wait for its writer.
  const int fd = open_file(path, O_RDONLY | O_NONBLOCK);
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
