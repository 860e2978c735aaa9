#include "chunk_cache.hpp"

namespace awele {

ChunkPtr ChunkCache::get(std::uint32_t key, std::size_t bytes, const std::function<ChunkPtr()>& load) {
  std::shared_future<ChunkPtr> coming;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = where_.find(key); found != where_.end()) {
      ++hits_;
      entries_.splice(entries_.begin(), entries_, found->second);
      if (entries_.front().ready) return entries_.front().ready;
      coming = entries_.front().coming;
    }
  }
  if (coming.valid()) return coming.get();

  std::promise<ChunkPtr> promise;
  const std::shared_future<ChunkPtr> mine = promise.get_future().share();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = where_.find(key); found != where_.end()) {  // another thread was faster
      ++hits_;
      if (found->second->ready) return found->second->ready;
      coming = found->second->coming;
    } else {
      ++reads_;
      entries_.push_front({key, bytes, nullptr, mine});
      where_[key] = entries_.begin();
      held_ += bytes;
      shrink();
    }
  }
  if (coming.valid()) return coming.get();
  return load_reserved(key, promise, load);
}

ChunkPtr ChunkCache::find(std::uint32_t key) {
  const std::lock_guard lock(mutex_);
  const auto found = where_.find(key);
  if (found == where_.end() || !found->second->ready) return nullptr;
  ++hits_;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->ready;
}

ChunkPtr ChunkCache::load_reserved(std::uint32_t key, std::promise<ChunkPtr>& promise,
                                   const std::function<ChunkPtr()>& load) {
  try {
    ChunkPtr chunk = load();
    promise.set_value(chunk);
    const std::lock_guard lock(mutex_);
    // It may have been pushed out meanwhile, and even be under way a second time; a chunk is the same each
    // time.
    if (const auto found = where_.find(key); found != where_.end()) found->second->ready = chunk;
    return chunk;
  } catch (...) {
    promise.set_exception(std::current_exception());
    const std::lock_guard lock(mutex_);
    if (const auto found = where_.find(key); found != where_.end() && !found->second->ready)
      forget(found->second);
    throw;
  }
}

void ChunkCache::forget(Entries::iterator entry) {
  held_ -= entry->bytes;
  where_.erase(entry->key);
  entries_.erase(entry);
}

void ChunkCache::shrink() {
  while (held_ > capacity_) forget(std::prev(entries_.end()));
}

void ChunkCache::set_capacity(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
  shrink();
}

void ChunkCache::after_fork(ForkSide side) {
  // The threads that were loading chunks are not in the child, which would wait for them forever.
  if (side == ForkSide::child)
    for (auto entry = entries_.begin(); entry != entries_.end();)
      if (const auto each = entry++; !each->ready) forget(each);
  mutex_.unlock();
}

CacheUse ChunkCache::use() const {
  const std::lock_guard lock(mutex_);
  return {held_, capacity_, hits_, reads_};
}

}  // namespace awele
