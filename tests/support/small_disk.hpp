// A file system of a few megabytes of its own, which can be filled, made read-only and enlarged. Mounted in a
// mount namespace of this process, so that nothing is left of it however the process ends.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace awele::test {

/// Moves this process to a mount namespace of its own: as root, or in a user namespace where those are
/// allowed. False when neither works.
inline bool may_mount() {
  static const bool may = [] {
    const auto write = [](const char* path, const std::string& line) { std::ofstream(path) << line; };
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (user == 0) {
      if (::unshare(CLONE_NEWNS) != 0) return false;
    } else {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
      write("/proc/self/setgroups", "deny");
      write("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
      write("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
    }
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }();
  return may;
}

class SmallDisk {
 public:
  /// `where` is made; `kib` is the disk's size. Needs may_mount().
  SmallDisk(std::filesystem::path where, int kib) : path_(std::move(where)), kib_(kib) {
    std::filesystem::create_directories(path_);
    mount(0);
  }
  ~SmallDisk() { ::umount2(path_.c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void resize(int kib) {
    kib_ = kib;
    mount(MS_REMOUNT);
  }
  void read_only(bool on) { mount(MS_REMOUNT | (on ? MS_RDONLY : 0)); }

  /// Leaves `kib` KiB free.
  void fill(int kib) {
    empty();
    const auto space = std::filesystem::space(path_);
    const auto bytes = static_cast<off_t>(space.available) - 1024 * static_cast<off_t>(kib);
    const int fd = ::open(filler().c_str(), O_CREAT | O_WRONLY, 0600);
    const bool ok = fd >= 0 && (bytes <= 0 || ::posix_fallocate(fd, 0, bytes) == 0);
    if (fd >= 0) ::close(fd);
    if (!ok) throw std::runtime_error("the small disk cannot be filled");
  }
  void empty() { std::filesystem::remove(filler()); }
  std::filesystem::path filler() const { return path_ / "filler"; }

 private:
  void mount(unsigned long flags) {
    const std::string options = "size=" + std::to_string(kib_) + "k";
    if (::mount("tmpfs", path_.c_str(), "tmpfs", flags, options.c_str()) != 0)
      throw std::runtime_error("mount: " + std::string(std::strerror(errno)));
  }

  std::filesystem::path path_;
  int kib_;
};

}  // namespace awele::test
