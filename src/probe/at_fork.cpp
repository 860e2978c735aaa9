#include "at_fork.hpp"

#include <pthread.h>

#include <mutex>
#include <utility>

#include "open_slice.hpp"

namespace awele {

namespace {

// Without constructors and destructors that run: other code may fork before main() and while it exits.
constinit std::mutex registering;  // taken before all other locks
constinit AtFork* first = nullptr;

}  // namespace

void before_fork() {
  registering.lock();
  for (AtFork* each = first; each; each = each->next_) each->before_();
  hdf5_lock().lock();  // the innermost
}

void after_fork(ForkSide side) {
  hdf5_lock().unlock();
  for (AtFork* each = first; each; each = each->next_) each->after_(side);
  registering.unlock();
}

namespace {

/// Fails for want of memory only, when the library is loaded; then forks are as they are without it.
[[maybe_unused]] const int registered = pthread_atfork(
    before_fork, [] { after_fork(ForkSide::parent); }, [] { after_fork(ForkSide::child); });

}  // namespace

AtFork::AtFork(std::function<void()> before, std::function<void(ForkSide)> after)
    : before_(std::move(before)), after_(std::move(after)) {
  const std::lock_guard lock(registering);
  if (first) first->previous_ = this;
  next_ = std::exchange(first, this);
}

AtFork::~AtFork() {
  const std::lock_guard lock(registering);
  (previous_ ? previous_->next_ : first) = next_;
  if (next_) next_->previous_ = previous_;
}

}  // namespace awele
