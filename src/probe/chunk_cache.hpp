// The chunks that were used last, shared by threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "at_fork.hpp"
#include "awele/probe/probe.hpp"

namespace awele {

/// The numbers of one chunk of /values or of /distance: one of the two is empty.
struct Chunk {
  std::vector<std::int8_t> values;
  std::vector<std::uint16_t> distances;

  int at(std::size_t k) const { return values.empty() ? distances[k] : values[k]; }
  void prefetch(std::size_t k) const {
    __builtin_prefetch(values.empty() ? static_cast<const void*>(&distances[k]) : &values[k]);
  }
};
using ChunkPtr = std::shared_ptr<const Chunk>;

/// Thread safe. A chunk that several threads ask for at once is loaded by one of them; the others wait.
class ChunkCache {
 public:
  explicit ChunkCache(std::size_t capacity) : capacity_(capacity) {}

  /// The chunk `key`; `load` makes it when it is not there, outside of the lock. What `load` throws is thrown
  /// to all who wait, and the chunk is not kept. `bytes`: what it counts for.
  ChunkPtr get(std::uint32_t key, std::size_t bytes, const std::function<ChunkPtr()>& load);

  /// The chunk if it is there, or null; reads nothing and waits for nothing that is being read.
  ChunkPtr find(std::uint32_t key);

  void set_capacity(std::size_t bytes);
  CacheUse use() const;

  void before_fork() { mutex_.lock(); }
  void after_fork(ForkSide side);

 private:
  struct Entry {
    std::uint32_t key;
    std::size_t bytes;
    ChunkPtr ready;  // or, while it is being loaded:
    std::shared_future<ChunkPtr> coming;
  };
  using Entries = std::list<Entry>;  // most recently used first

  // The next two: with the lock held.
  void forget(Entries::iterator entry);
  void shrink();
  ChunkPtr load_reserved(std::uint32_t key, std::promise<ChunkPtr>& promise,
                         const std::function<ChunkPtr()>& load);

  mutable std::mutex mutex_;
  std::size_t capacity_;
  std::size_t held_ = 0;
  std::uint64_t hits_ = 0, reads_ = 0;
  Entries entries_;
  std::unordered_map<std::uint32_t, Entries::iterator> where_;
};

}  // namespace awele
