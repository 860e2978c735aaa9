// Several threads ask one Prober at once, with a cache that is too small, while slices are added and the
// cache is resized. Built with the thread sanitizer: any race ends it with an error. Without GoogleTest,
// which is not.
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include "awele/awele.h"
#include "awele/probe/probe.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

constexpr int kTop = 8;
constexpr int kThreads = 4;

std::vector<Board> random_boards(unsigned seed, std::size_t count, int top) {
  std::mt19937 random(seed);
  std::vector<Board> boards(count);
  for (Board& board : boards)
    for (auto left = random() % static_cast<unsigned>(top + 1); left > 0; --left) ++board[random() % kPits];
  return boards;
}

/// One thread's questions; counts answers that differ from `expected`.
void ask(const Prober& prober, const std::vector<Board>& boards, const std::vector<std::int8_t>& expected,
         std::atomic<int>& wrong) {
  for (std::size_t k = 0; k < boards.size(); ++k) {
    if (prober.value(boards[k]) != expected[k]) ++wrong;
    if (k % 7 == 0 && prober.answer(boards[k]).value != expected[k]) ++wrong;
  }
  if (prober.values(boards) != expected) ++wrong;
}

/// Boards outside the database, and a database that is opened and closed.
void ask_for_trouble(const std::filesystem::path& dir, const Prober& prober, std::atomic<int>& wrong) {
  for (int k = 0; k < 30; ++k) {
    try {
      prober.value(Board{20});
      ++wrong;
    } catch (const ProbeError&) {
    }
    awele_db* db = nullptr;
    int value = 0;
    if (awele_open(dir.c_str(), 1, &db) != AWELE_OK || awele_value(db, Board{1}.data(), &value) != AWELE_OK ||
        awele_value(db, Board{20}.data(), &value) != AWELE_ERROR_NOT_SOLVED)
      ++wrong;
    awele_close(db);
  }
}

/// What is open, asked while two threads replace it.
void ask_what_is_open(const Prober& prober, std::atomic<int>& wrong) {
  for (int k = 0; k < 300; ++k) {
    if (prober.contents().size() < kTop || prober.rules() != RuleSet::awari ||
        prober.complete_up_to() < kTop - 1)
      ++wrong;
    prober.require_rules(RuleSet::awari);
    prober.require_solved(Board{kTop - 1});
  }
}

int run() {
  const test::ScratchDirectory scratch;
  const auto source = scratch.path() / "source", dir = scratch.path() / "growing";
  test::make_database(source, kTop, RuleSet::awari);
  std::filesystem::create_directories(dir);
  for (int n = 0; n < kTop; ++n) std::filesystem::copy(slice_path(source, n), slice_path(dir, n));
  Prober prober(dir, 3 * kChunk);

  std::vector<std::vector<Board>> boards;
  std::vector<std::vector<std::int8_t>> expected;
  for (unsigned t = 0; t < kThreads; ++t) {
    boards.push_back(random_boards(t / 2, 400, kTop - 1));  // two threads each ask the same at the same time
    expected.push_back(Prober(source).values(boards.back()));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] { ask(prober, boards[t], expected[t], wrong); });
  threads.emplace_back([&] { ask_for_trouble(dir, prober, wrong); });
  threads.emplace_back([&] { ask_what_is_open(prober, wrong); });
  threads.emplace_back([&] {
    for (int k = 0; k < 100; ++k) prober.refresh();
  });
  for (int k = 0; k < 20; ++k) {
    if (k == 10) std::filesystem::copy(slice_path(source, kTop), slice_path(dir, kTop));
    prober.refresh();
    prober.set_cache(static_cast<std::size_t>(k % 4) * kChunk);
    if (prober.cache_use().bytes > 3 * kChunk || prober.contents().empty()) ++wrong;
  }
  for (std::thread& thread : threads) thread.join();
  if (prober.largest() != kTop) ++wrong;
  std::printf("%d threads, %d wrong answers\n", kThreads + 4, wrong.load());
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace awele

int main() { return awele::run(); }
