// Trials that may crash or hang, each survived by the test: they run in child processes with a time-out.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <new>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace awele::test {

enum class Outcome : unsigned char {
  refused,  ///< with a sentence that names the file
  right,    ///< nothing was refused and every answer is right
  unclear,  ///< refused without a clear sentence
  wrong,    ///< at least one answer is wrong
  crash,
  hang,
};
inline constexpr std::size_t kOutcomes = 6;

/// How many trials ended how.
class Tally {
 public:
  void add(Outcome outcome) { ++counts_[static_cast<std::size_t>(outcome)]; }
  std::size_t of(Outcome outcome) const { return counts_[static_cast<std::size_t>(outcome)]; }
  std::size_t bad() const {
    return of(Outcome::unclear) + of(Outcome::wrong) + of(Outcome::crash) + of(Outcome::hang);
  }

  friend std::ostream& operator<<(std::ostream& out, const Tally& tally) {
    constexpr std::array<const char*, kOutcomes> kWords = {
        "refused", "all answers right", "unclear sentences", "WRONG", "crashes", "hangs"};
    for (std::size_t k = 0; k < kOutcomes; ++k)
      out << (k ? ", " : "") << kWords[k] << ' ' << tally.counts_[k];
    return out;
  }

 private:
  std::array<std::size_t, kOutcomes> counts_{};
};

/// Runs trial(world, 0) .. trial(world, count - 1) in child processes, `seconds` for each at most. A child
/// makes itself a world = begin() and goes on until a trial ends it; the next child takes up after that one.
template <typename Begin, typename Trial>
std::vector<Outcome> run_trials(std::size_t count, unsigned seconds, Begin begin, Trial trial) {
  // Shared by parent and children: the trial under way, then the outcomes.
  const std::size_t bytes = sizeof(std::size_t) + count;
  void* shared = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  auto& at = *static_cast<std::size_t*>(shared);
  auto* outcomes = reinterpret_cast<Outcome*>(static_cast<std::byte*>(shared) + sizeof at);
  while (at < count) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
      {
        ::alarm(seconds);
        const auto world = begin();
        for (; at < count; ++at) {
          ::alarm(seconds);
          outcomes[at] = trial(world, at);
        }
      }
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    const bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    outcomes[at++] = hang ? Outcome::hang : Outcome::crash;
  }
  const std::vector<Outcome> all(outcomes, outcomes + count);
  ::munmap(shared, bytes);
  return all;
}

/// Trials that need no world.
template <typename Trial>
std::vector<Outcome> run_trials(std::size_t count, unsigned seconds, Trial trial) {
  return run_trials(
      count, seconds, [] { return 0; }, [&](int, std::size_t i) { return trial(i); });
}

inline Tally tally(const std::vector<Outcome>& outcomes) {
  Tally result;
  for (Outcome outcome : outcomes) result.add(outcome);
  return result;
}

}  // namespace awele::test
