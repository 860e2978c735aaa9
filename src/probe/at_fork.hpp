// A fork copies one thread only: a lock that another thread holds at that moment is never released in the
// child.
#pragma once

#include <functional>

namespace awele {

enum class ForkSide { parent, child };

/// What a fork() of this process must find at rest. While it lives, every fork() calls `before`, which takes
/// locks (and so waits for their holders), then copies the process, and calls `after` on both sides. Thread
/// safe. Make it the last member of what it protects.
class AtFork {
 public:
  AtFork(std::function<void()> before, std::function<void(ForkSide)> after);
  ~AtFork();
  AtFork(const AtFork&) = delete;
  AtFork& operator=(const AtFork&) = delete;

 private:
  friend void before_fork();
  friend void after_fork(ForkSide side);

  std::function<void()> before_;
  std::function<void(ForkSide)> after_;
  AtFork* previous_ = nullptr;
  AtFork* next_ = nullptr;
};

}  // namespace awele
