#include "awele/support/memory.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "awele/support/decimal.hpp"

namespace awele {

namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

void take_least(MemoryLimit& least, std::uint64_t bytes, const char* source) {
  if (bytes < least.bytes) least = {bytes, source};
}

/// The first number in a file; kNone when there is none (no such file, or "max").
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = kNone;
  return file >> value ? value : kNone;
}

/// The number after `key` in a file of "key value" lines.
std::uint64_t field(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t value = 0;
  while (file >> word)
    if (word == key && file >> value) return value;
  return kNone;
}

/// What a cgroup leaves: its limit less what is used and cannot be reclaimed.
void take_cgroup(MemoryLimit& least, const std::string& dir, const char* limit, const char* usage) {
  const std::uint64_t most = number_in(dir + limit), used = number_in(dir + usage);
  if (most == kNone || used == kNone || most >> 62) return;
  std::uint64_t cache = field(dir + "/memory.stat", "inactive_file");
  if (cache == kNone) cache = 0;
  const std::uint64_t held = used > cache ? used - cache : 0;
  take_least(least, most > held ? most - held : 0, "the cgroup");
}

/// The cgroups of this process, each with its ancestors.
void take_cgroups(MemoryLimit& least) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && controllers.find("memory") == std::string::npos) continue;
    const std::string root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::string path = line.substr(second + 1);; path.erase(path.find_last_of('/'))) {
      if (path == "/") path.clear();
      take_cgroup(least, root + path, v2 ? "/memory.max" : "/memory.limit_in_bytes",
                  v2 ? "/memory.current" : "/memory.usage_in_bytes");
      if (path.empty()) break;
    }
  }
}

std::uint64_t megabytes_in(const char* variable) {
  const char* text = std::getenv(variable);
  const std::uint64_t value = text ? parse_decimal(text).value_or(0) : 0;
  return value && value < kNone >> 20 ? value << 20 : kNone;
}

std::uint64_t limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNone;
  return limit.rlim_cur;
}

/// What a limit leaves beyond what the kernel counts against it already: libraries and MPI alone have mapped
/// hundreds of MiB by now.
void take_rlimit(MemoryLimit& least, __rlimit_resource resource, const char* used_key, const char* source) {
  const std::uint64_t most = limit_of(resource);
  if (most == kNone) return;
  const std::uint64_t kib = field("/proc/self/status", used_key);
  const std::uint64_t used = kib == kNone ? 0 : kib << 10;
  take_least(least, most > used ? most - used : 0, source);
}

}  // namespace

MemoryLimit node_memory() {
  MemoryLimit least{kNone, "no limit"};
  const std::uint64_t kib = field("/proc/meminfo", "MemAvailable:");
  if (kib != kNone) take_least(least, kib << 10, "MemAvailable");
  take_cgroups(least);
  take_least(least, megabytes_in("SLURM_MEM_PER_NODE"), "SLURM_MEM_PER_NODE");
  const std::uint64_t per_cpu = megabytes_in("SLURM_MEM_PER_CPU");
  const char* text = std::getenv("SLURM_CPUS_ON_NODE");
  const std::uint64_t cpus = text ? parse_decimal(text).value_or(0) : 0;
  if (per_cpu != kNone && cpus > 0 && per_cpu < kNone / cpus)
    take_least(least, per_cpu * cpus, "SLURM_MEM_PER_CPU");
  return least;
}

MemoryLimit process_memory() {
  MemoryLimit least{kNone, "no limit"};
  take_rlimit(least, RLIMIT_AS, "VmSize:", "ulimit -v");
  take_rlimit(least, RLIMIT_DATA, "VmData:", "ulimit -d");
  return least;
}

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

}  // namespace awele
