// A cgroup with a memory limit, for the life of a test.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace awele::test {

/// Version 1 or 2, whichever can be made here; `made()` is false where neither can (no root, or a container
/// that does not own its cgroups).
class MemoryCgroup {
 public:
  explicit MemoryCgroup(std::uint64_t bytes) {
    const std::string own = "awele-test-" + std::to_string(::getpid());
    if (!make("/sys/fs/cgroup/memory/" + own, "memory.limit_in_bytes", bytes))
      make("/sys/fs/cgroup/" + own, "memory.max", bytes);
  }
  /// Its last process may still be on its way out.
  ~MemoryCgroup() {
    std::error_code error;
    for (int attempt = 0; made() && attempt < 100; ++attempt) {
      if (std::filesystem::remove(dir_, error)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;

  bool made() const { return !dir_.empty(); }
  /// What a shell does to enter it.
  std::string enter() const { return "echo $$ > " + (dir_ / "cgroup.procs").string() + ";"; }

 private:
  bool make(const std::filesystem::path& dir, const char* limit, std::uint64_t bytes) {
    std::error_code error;
    if (!std::filesystem::create_directory(dir, error)) return false;
    std::ofstream file;
    // Without the memory controller there is no such file; on a plain file system there must not be one.
    if (std::filesystem::exists(dir / limit, error)) file.open(dir / limit);
    if (file << bytes << std::flush) {
      dir_ = dir;
      return true;
    }
    std::filesystem::remove(dir, error);
    return false;
  }

  std::filesystem::path dir_;
};

}  // namespace awele::test
