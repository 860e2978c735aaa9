// How much memory this process may still use, by every limit that applies to it.
#pragma once

#include <cstdint>
#include <string>

namespace awele {

struct MemoryLimit {
  std::uint64_t bytes;
  std::string source;  ///< "MemAvailable", "the cgroup", "ulimit -v", "SLURM_MEM_PER_NODE", ...
};

/// The least limit that all processes of the node share: MemAvailable, cgroup (v1 or v2), SLURM_MEM_*.
MemoryLimit node_memory();
/// What the least limit of this process alone leaves: ulimit -v and -d.
MemoryLimit process_memory();
/// Peak resident memory of this process so far.
std::uint64_t peak_memory();

}  // namespace awele
