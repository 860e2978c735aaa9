// The probing library: batches, the cache, distances, slices that appear, and the C interface with its
// errors.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "awele/awele.h"
#include "awele/index/slice_index.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/probe/order.hpp"
#include "awele/probe/probe.hpp"
#include "awele/probe/statistics.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

namespace fs = std::filesystem;

constexpr int kTop = 8;          // seeds; slice 8 has two chunks
constexpr int kDistanceTop = 6;  // seeds of the databases with distances

/// A true database of `rules`, made once.
fs::path true_database(RuleSet rules, bool distances = false) {
  static const test::ScratchDirectory scratch;
  const auto dir = scratch.path() / (std::string(name(rules)) + (distances ? "-distances" : ""));
  if (!fs::exists(dir)) test::make_database(dir, distances ? kDistanceTop : kTop, rules, distances);
  return dir;
}

/// `count` boards of 0..top seeds, every other one with a waiting half without a hole where there are seeds
/// enough.
std::vector<Board> random_boards(int top, std::size_t count) {
  std::mt19937 random(2002);
  std::vector<Board> boards;
  while (boards.size() < count) {
    int left = static_cast<int>(random() % static_cast<unsigned>(top + 1));
    Board board{};
    if (boards.size() % 2 == 1 && left >= kHalfPits)
      for (int k = kHalfPits; k < kPits; ++k, --left) board[k] = 1;
    for (; left > 0; --left) ++board[random() % kPits];
    boards.push_back(board);
  }
  return boards;
}

template <typename Action>
ProbeFault fault_of(Action action, const std::string& word) {
  try {
    action();
  } catch (const ProbeError& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    return error.fault();
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// Inverts a byte in the middle of `stream`, a piece of the file.
void damage(const fs::path& path, const std::vector<std::byte>& stream) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string wanted(reinterpret_cast<const char*>(stream.data()), stream.size());
  const std::size_t at = bytes.find(wanted);
  ASSERT_NE(at, std::string::npos);
  bytes[at + stream.size() / 2] = static_cast<char>(~bytes[at + stream.size() / 2]);
  std::ofstream(path, std::ios::binary) << bytes;
}

void damage_values(const fs::path& path) {
  std::vector<std::byte> stream;
  SliceReader(path).read_stream(0, stream);
  damage(path, stream);
}

fs::path copy_of(const fs::path& dir, const test::ScratchDirectory& scratch) {
  const auto to = scratch.path() / "copy";
  fs::copy(dir, to);
  return to;
}

void expect_same(const BoardAnswer& a, const BoardAnswer& b) {
  EXPECT_EQ(a.seeds, b.seeds);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.distance, b.distance);
  EXPECT_EQ(a.best, b.best);
  for (int i = 0; i < kHalfPits; ++i) {
    EXPECT_EQ(a.moves[i].value, b.moves[i].value);
    EXPECT_EQ(a.moves[i].distance, b.moves[i].distance);
    EXPECT_EQ(a.moves[i].captured, b.moves[i].captured);
  }
}

// ------------------------------------------------------------------------------------ batches and the cache

TEST(Library, BatchesAnswerLikeSingleBoards) {
  for (const RuleSet rules : kRuleSets) {
    for (const bool distances : {false, true}) {
      const Prober prober(true_database(rules, distances));
      const std::vector<Board> boards = random_boards(prober.largest(), 2000);
      const auto values = prober.values(boards);
      const auto answers = prober.answers(boards);
      ASSERT_EQ(values.size(), boards.size());
      ASSERT_EQ(answers.size(), boards.size());
      for (std::size_t k = 0; k < boards.size(); ++k) {
        EXPECT_EQ(values[k], prober.value(boards[k]));
        EXPECT_EQ(answers[k].value, values[k]);
        if (k % 10 == 0) expect_same(answers[k], prober.answer(boards[k]));
      }
    }
  }
}

TEST(Library, ABatchReadsEveryChunkOnceWithoutACache) {
  const Prober prober(true_database(RuleSet::awari), 0);
  const std::vector<Board> boards = random_boards(kTop, 5000);
  prober.values(boards);
  EXPECT_EQ(prober.cache_use().reads, 10u);  // nine slices, of which the last has two chunks
  EXPECT_EQ(prober.cache_use().bytes, 0u);
  EXPECT_TRUE(prober.values({}).empty());
  EXPECT_TRUE(prober.answers({}).empty());
}

/// Whatever part of the chunks is in the cache when the call begins.
TEST(Library, BatchesAreTheSameWithEveryCache) {
  for (const bool distances : {false, true}) {
    const auto dir = true_database(RuleSet::abapa, distances);
    const Prober reference(dir);
    const std::vector<Board> boards = random_boards(reference.largest(), 3000);
    const auto values = reference.values(boards);
    const auto answers = reference.answers(boards);
    for (const std::size_t cache :
         {std::size_t{0}, kChunk / 2, 2 * kChunk, 3 * kChunk, Prober::kDefaultCache}) {
      Prober prober(dir, cache);
      for (int warm = 0; warm < 2; ++warm) {
        if (warm == 1) prober.value(boards[7]);
        EXPECT_EQ(prober.values(boards), values) << cache;
        const auto found = prober.answers(boards);
        for (std::size_t k = 0; k < boards.size(); k += 7) expect_same(found[k], answers[k]);
        EXPECT_LE(prober.cache_use().bytes, cache);
      }
    }
  }
}

TEST(Library, AWarmBatchReadsNothing) {
  const Prober prober(true_database(RuleSet::awari));
  const std::vector<Board> boards = random_boards(kTop, 5000);
  prober.answers(boards);
  const std::uint64_t reads = prober.cache_use().reads;
  EXPECT_EQ(reads, 10u);  // nine slices, of which the last has two chunks
  prober.values(boards);
  prober.answers(boards);
  EXPECT_EQ(prober.cache_use().reads, reads);
}

TEST(Library, TheCacheStaysWithinItsBound) {
  Prober prober(true_database(RuleSet::awari));
  const std::vector<Board> boards = random_boards(kTop, 3000);
  for (const Board& board : boards) prober.value(board);
  EXPECT_EQ(prober.cache_use().reads, 10u);
  EXPECT_GT(prober.cache_use().hits, 2500u);
  EXPECT_GT(prober.cache_use().bytes, std::size_t{100000});
  prober.set_cache(2 * kChunk);
  EXPECT_LE(prober.cache_use().bytes, 2 * kChunk);
  for (const Board& board : boards) {
    prober.value(board);
    ASSERT_LE(prober.cache_use().bytes, 2 * kChunk);
  }
  EXPECT_GT(prober.cache_use().reads, 20u);
  prober.set_cache(0);
  EXPECT_EQ(prober.cache_use().bytes, 0u);
}

TEST(Library, SeesSlicesAfterRefreshAndKeepsThoseThatWereReplaced) {
  const test::ScratchDirectory scratch;
  const auto source = true_database(RuleSet::awari);
  Prober prober(scratch.path(), 0);
  EXPECT_EQ(prober.largest(), -1);
  EXPECT_EQ(prober.complete_up_to(), -1);
  EXPECT_FALSE(prober.rules());
  for (int n : {0, 1, 2, 5}) fs::copy(slice_path(source, n), slice_path(scratch.path(), n));
  EXPECT_FALSE(prober.has_slice(2));
  EXPECT_EQ(prober.refresh(), 4);
  EXPECT_EQ(prober.refresh(), 0);
  EXPECT_TRUE(prober.has_slice(2));
  EXPECT_EQ(prober.largest(), 5);
  EXPECT_EQ(prober.complete_up_to(), 2);
  EXPECT_EQ(prober.rules(), RuleSet::awari);
  EXPECT_EQ(prober.contents().size(), 4u);
  EXPECT_EQ(prober.contents()[3].positions, slice_size(5));
  fs::remove(slice_path(scratch.path(), 5));
  EXPECT_EQ(prober.value(Board{5}), Prober(source).value(Board{5}));
  // A file of other rules is refused, and the rest goes on.
  fs::copy(slice_path(true_database(RuleSet::abapa), 3), slice_path(scratch.path(), 3));
  EXPECT_EQ(fault_of([&] { prober.refresh(); }, "slice_03.h5"), ProbeFault::file);
  EXPECT_FALSE(prober.has_slice(3));
  EXPECT_EQ(prober.value(Board{2}), Prober(source).value(Board{2}));
}

/// Each refresh replaces what is open, so nobody may hold a part of it without holding it. The address
/// sanitizer says whether somebody did.
TEST(Library, AnyThreadMayRefreshBesideTheOthers) {
  Prober prober(true_database(RuleSet::awari));
  std::atomic<bool> done = false;
  std::vector<std::thread> refreshing;
  for (int t = 0; t < 2; ++t)
    refreshing.emplace_back([&] {
      while (!done) prober.refresh();
    });
  for (int k = 0; k < 500; ++k) {
    EXPECT_EQ(prober.contents().size(), std::size_t{kTop + 1});
    EXPECT_NO_THROW(prober.require_rules(RuleSet::awari));
    EXPECT_EQ(fault_of([&] { prober.require_rules(RuleSet::abapa); }, "slice_00.h5"), ProbeFault::file);
    EXPECT_EQ(prober.rules(), RuleSet::awari);
    EXPECT_EQ(prober.complete_up_to(), kTop);
    EXPECT_TRUE(prober.has_slice(kTop));
    EXPECT_FALSE(prober.has_distances(kTop));
    EXPECT_NO_THROW(prober.require_solved(Board{kTop}));
  }
  done = true;
  for (std::thread& thread : refreshing) thread.join();
}

/// What a forked child does with a database that other threads of its parent were using; its exit status.
int ask_in_child(Prober& prober, const fs::path& dir, const std::vector<Board>& boards,
                 const std::vector<std::int8_t>& expected) {
  alarm(60);  // a child that hangs ends with a signal
  if (prober.refresh() != 0 || prober.contents().size() != kTop + 1) return 1;
  if (prober.values(boards) != expected) return 2;
  for (std::size_t k = 0; k < boards.size(); ++k)
    if (prober.value(boards[k]) != expected[k]) return 3;
  awele_db* db = nullptr;
  int value = 0;
  if (awele_open(dir.c_str(), 0, &db) != AWELE_OK || awele_value(db, boards[0].data(), &value) != AWELE_OK ||
      value != expected[0])
    return 4;
  awele_close(db);
  return 0;
}

TEST(Library, AForkedChildMayGoOn) {
  const auto dir = true_database(RuleSet::awari);
  const std::vector<Board> boards = random_boards(kTop, 100);
  const auto expected = Prober(dir).values(boards);
  for (const std::size_t cache : {std::size_t{0}, 2 * kChunk}) {
    Prober prober(dir, cache);
    std::atomic<bool> done = false;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        while (!done)
          if (t == 0)
            prober.refresh();
          else
            prober.values(boards);
      });
    for (int k = 0; k < 15; ++k) {
      const pid_t child = fork();
      if (child == 0) _exit(ask_in_child(prober, dir, boards, expected));
      int status = -1;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0) << (WIFSIGNALED(status) ? "hung" : "wrong");
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(prober.values(boards), expected);
  }
}

// ------------------------------------------------------------------------------------------------- bad input

TEST(Library, DamagedChunksGiveAnErrorNotANumber) {
  const test::ScratchDirectory scratch;
  const auto dir = copy_of(true_database(RuleSet::awari), scratch);
  damage_values(slice_path(dir, 7));
  const Prober prober(dir);
  const Board damaged{1, 1, 1, 1, 1, 1, 1};
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(fault_of([&] { prober.value(damaged); }, "slice_07.h5 is damaged: chunk 0"), ProbeFault::file);
    EXPECT_EQ(fault_of([&] { prober.answer(damaged); }, "slice_07.h5"), ProbeFault::file);
    EXPECT_EQ(fault_of(
                  [&] {
                    prober.values(std::vector{Board{1}, damaged});
                  },
                  "slice_07.h5"),
              ProbeFault::file);
  }
  EXPECT_EQ(prober.value(Board{6}), Prober(true_database(RuleSet::awari)).value(Board{6}));
}

TEST(Library, ValuesOutOfRangeAreDamage) {
  const test::ScratchDirectory scratch;
  std::vector<std::int8_t> values(slice_size(2));
  values[5] = 2;
  test::write_slice(scratch.path(), 2, RuleSet::awari, values);
  EXPECT_NO_THROW(Prober(scratch.path()).value(Board{2}));
  SliceWriter writer(scratch.path(), 2, RuleSet::awari);
  values[5] = 3;
  std::vector<std::byte> stream;
  Compressor().append(values, stream);
  writer.write_stream(0, stream, crc32(0, std::span(std::as_const(values))));
  writer.finish(crc32(0, std::span(std::as_const(values))), {slice_size(2), 0, 0, 0, 0});
  EXPECT_EQ(fault_of([&] { Prober(scratch.path()).value(Board{2}); }, "a value of 3"), ProbeFault::file);
}

TEST(Library, ChunksWithAnotherDigestAreDamage) {
  const test::ScratchDirectory scratch;
  SliceWriter writer(scratch.path(), 2, RuleSet::awari);
  const std::vector<std::int8_t> values(slice_size(2));
  std::vector<std::byte> stream;
  Compressor().append(values, stream);
  writer.write_stream(0, stream, 1);
  writer.finish(1, {0, 0, slice_size(2), 0, 0});
  EXPECT_EQ(fault_of([&] { Prober(scratch.path()).value(Board{2}); }, "the CRC-32 of chunk 0 of /values"),
            ProbeFault::file);
}

TEST(Library, BoardsOutsideTheDatabase) {
  const test::ScratchDirectory scratch;
  const auto dir = copy_of(true_database(RuleSet::awari), scratch);
  fs::remove(slice_path(dir, 5));
  const Prober prober(dir);
  EXPECT_EQ(prober.complete_up_to(), 4);
  EXPECT_EQ(fault_of([&] { prober.value(Board{49}); }, "49 seeds"), ProbeFault::board);
  EXPECT_EQ(fault_of([&] { prober.value(Board{9}); }, "only up to 8"), ProbeFault::not_solved);
  EXPECT_EQ(fault_of([&] { prober.value(Board{5}); }, "slice_05.h5 is missing"), ProbeFault::not_solved);
  EXPECT_EQ(fault_of(
                [&] {
                  prober.values(std::vector{Board{1}, Board{5}});
                },
                "slice_05.h5"),
            ProbeFault::not_solved);
  // Its own slice is there, but not the one that a capture leads to.
  const Board captures{0, 0, 0, 0, 0, 1, 1, 1, 4};
  EXPECT_EQ(prober.value(captures), Prober(true_database(RuleSet::awari)).value(captures));
  EXPECT_EQ(fault_of([&] { prober.answer(captures); }, "slice_05.h5"), ProbeFault::not_solved);
  EXPECT_EQ(fault_of([&] { prober.distance(Board{1}); },
                     "slice_01.h5 has no distances; solve it again, in the same directory, with: awele solve "
                     "--distances --seeds 1 --db " +
                         dir.string() + " --rules awari"),
            ProbeFault::no_distances);
  EXPECT_EQ(fault_of([&] { prober.require_rules(RuleSet::abapa); }, "awari, not abapa"), ProbeFault::file);
  EXPECT_EQ(fault_of([&] { Prober(dir / "none"); }, "no such directory"), ProbeFault::file);
}

// ------------------------------------------------------------------------------------------------- the order

TEST(Order, IsWhatTheSliceIndexSays) {
  for (int n = 0; n <= kTop; ++n) {
    ASSERT_EQ(stored_positions(n), slice_size(n));
    for (std::uint64_t index = 0; index < slice_size(n); index += n < 5 ? 1 : 97) {
      const Board board = unrank(n, index);
      ASSERT_EQ(seeds(board), n);
      ASSERT_TRUE(has_hole(waiting_half(board)));
      ASSERT_EQ(position_index(board), index);
    }
  }
  EXPECT_EQ(position_index(unrank(kMaxSeeds, slice_size(kMaxSeeds) - 1)), slice_size(kMaxSeeds) - 1);
  EXPECT_EQ(unrank(1, 0), Board{1});
}

TEST(Order, OfWhatIsNoBoardOrNoPlace) {
  const Board holeless{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  EXPECT_THROW(position_index(holeless), Error);
  EXPECT_THROW(position_index(Board{49}), Error);
  EXPECT_THROW(unrank(3, slice_size(3)), Error);
  EXPECT_THROW(unrank(-1, 0), Error);
  EXPECT_THROW(unrank(49, 0), Error);
  std::uint64_t index = 99;
  Board board{9};
  EXPECT_EQ(awele_index(Board{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}.data(), &index), AWELE_OK);
  EXPECT_EQ(index, slice_size(1) - 1);
  EXPECT_EQ(awele_index(holeless.data(), &index), AWELE_ERROR_BOARD);
  EXPECT_NE(std::string(awele_message()).find("no empty pit"), std::string::npos) << awele_message();
  EXPECT_EQ(awele_unrank(3, slice_size(3), board.data()), AWELE_ERROR_ARGUMENT);
  EXPECT_NE(std::string(awele_message()).find("the last one is 363"), std::string::npos) << awele_message();
  EXPECT_EQ(awele_unrank(49, 0, board.data()), AWELE_ERROR_ARGUMENT);
  EXPECT_EQ(index, slice_size(1) - 1);
  EXPECT_EQ(board, Board{9});
  EXPECT_EQ(awele_unrank(1, slice_size(1) - 1, board.data()), AWELE_OK);
  EXPECT_EQ(board, (Board{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

// ------------------------------------------------------------------------------------------------- distances

TEST(Distances, AreReadBackAndChecked) {
  const test::ScratchDirectory scratch;
  const auto dir = copy_of(true_database(RuleSet::awari, true), scratch);
  std::vector<std::vector<std::int8_t>> values;
  for (int n = 0; n <= kDistanceTop; ++n) {
    values.push_back(test::iterate_values(n, RuleSet::awari, values));
    const auto expected = test::iterate_distances(n, RuleSet::awari, values);
    const SliceReader slice(slice_path(dir, n));
    ASSERT_TRUE(slice.has_distances());
    EXPECT_EQ(slice.info().distance_crc, crc32(0, std::span(expected)));
    std::vector<std::uint16_t> found;
    slice.read_distance_chunk(0, found);
    EXPECT_EQ(found, expected);
    EXPECT_LT(*std::max_element(expected.begin(), expected.end()), 1000);
  }
}

TEST(Distances, DamageIsNoticed) {
  const test::ScratchDirectory scratch;
  const auto dir = copy_of(true_database(RuleSet::awari, true), scratch);
  std::vector<std::byte> stream;
  SliceReader(slice_path(dir, 4)).read_distance_stream(0, stream);
  damage(slice_path(dir, 4), stream);
  const Prober prober(dir);
  const Board board{4};
  EXPECT_EQ(fault_of([&] { prober.distance(board); }, "slice_04.h5 is damaged: chunk 0 of /distance"),
            ProbeFault::file);
  EXPECT_EQ(fault_of([&] { prober.answer(board); }, "/distance"), ProbeFault::file);
  EXPECT_EQ(prober.value(board), Prober(true_database(RuleSet::awari)).value(board));
}

TEST(Distances, LargeOnesSurvive) {
  const test::ScratchDirectory scratch;
  std::vector<std::int8_t> values(slice_size(8));
  std::vector<std::uint16_t> distances(slice_size(8));
  std::mt19937 random(1);
  for (auto& distance : distances) distance = static_cast<std::uint16_t>(random());
  test::write_slice(scratch.path(), 8, RuleSet::abapa, values, distances);
  const Prober prober(scratch.path());
  EXPECT_TRUE(prober.has_distances(8));
  for (std::uint64_t p = 0; p < distances.size(); p += 101)
    ASSERT_EQ(prober.distance(position_at(8, p)), distances[p]);
}

TEST(Distances, AreCounted) {
  for (const RuleSet rules : kRuleSets) {
    const Database database(true_database(rules, true));
    std::vector<std::vector<std::int8_t>> values;
    for (int n = 0; n <= kDistanceTop; ++n) {
      values.push_back(test::iterate_values(n, rules, values));
      const auto expected = test::iterate_distances(n, rules, values);
      const auto counts = distance_counts(database, n);
      ASSERT_EQ(counts.size(), *std::max_element(expected.begin(), expected.end()) + 1u);
      for (std::size_t d = 0; d < counts.size(); ++d) {
        const auto first = std::find(expected.begin(), expected.end(), d);
        EXPECT_EQ(counts[d].positions,
                  static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), d)));
        EXPECT_EQ(counts[d].example,
                  first == expected.end()
                      ? Board{}
                      : position_at(n, static_cast<std::uint64_t>(first - expected.begin())));
      }
    }
  }
}

/// By what each move leads to, board by board.
TEST(BestMoves, AreCounted) {
  for (const RuleSet rules : kRuleSets) {
    const Prober prober(true_database(rules));
    for (int n = 0; n <= 6; ++n) {
      std::array<std::uint64_t, 7> expected{};
      for (std::uint64_t place = 0; place < slice_size(n); ++place) {
        const Board board = position_at(n, place);
        std::size_t best = 0;
        for (const Move& move : moves(board, rules).pit) {
          if (move.kind == Move::Kind::known) best += move.value == prober.value(board);
          if (move.kind == Move::Kind::inner || move.kind == Move::Kind::capture)
            best += move.captured - prober.value(move.child) == prober.value(board);
        }
        ++expected[best];
      }
      EXPECT_EQ(best_move_counts(prober, n), expected) << n;
    }
  }
}

/// Plays the best moves to the end: the value is collected, each capture after exactly the stated plies.
void play_out(const Prober& prober, Board board) {
  const int promised = prober.value(board);
  int won = 0, sign = 1;
  for (int ply = 0; ply < 10000; ++ply) {
    const BoardAnswer answer = prober.answer(board);
    ASSERT_EQ(won + sign * answer.value, promised);
    if (answer.value == 0 || answer.best.empty()) return;
    const int pit = answer.best.front();
    const Move move = moves(board, *prober.rules()).pit[static_cast<std::size_t>(pit)];
    if (move.kind == Move::Kind::known) return;
    if (move.kind == Move::Kind::inner) {
      ASSERT_EQ(prober.distance(move.child), *answer.distance - 1) << format_board(board);
    }
    if (move.kind == Move::Kind::capture) {
      ASSERT_EQ(*answer.distance, 1);
    }
    won += sign * move.captured;
    sign = -sign;
    board = move.child;
  }
  FAIL() << "no end from " << format_board(board);
}

TEST(Distances, LeadToTheValueUnderEveryRuleSet) {
  for (const RuleSet rules : kRuleSets) {
    const Prober prober(true_database(rules, true));
    for (const Board& board : random_boards(kDistanceTop, 500)) play_out(prober, board);
  }
}

TEST(Distances, ThatContradictTheMovesAreNoticed) {
  const test::ScratchDirectory scratch;
  const auto dir = copy_of(true_database(RuleSet::awari, true), scratch);
  std::vector<std::vector<std::int8_t>> values;
  for (int n = 0; n <= 3; ++n) values.push_back(test::iterate_values(n, RuleSet::awari, values));
  auto distances = test::iterate_distances(3, RuleSet::awari, values);
  const Board board = parse_board("0 1 0 0 1 0 0 0 0 0 0 1");
  distances[position_rank(board)] += 2;
  test::write_slice(dir, 3, RuleSet::awari, values[3], distances);
  EXPECT_EQ(fault_of([&] { Prober(dir).answer(board); }, "a distance of"), ProbeFault::file);
}

// ------------------------------------------------------------------------------------------- the C interface

class CInterface : public testing::Test {
 protected:
  void TearDown() override { awele_close(db_); }
  void open(const fs::path& dir) { ASSERT_EQ(awele_open(dir.c_str(), 0, &db_), AWELE_OK) << awele_message(); }
  static std::string message() { return awele_message(); }

  awele_db* db_ = nullptr;
};

TEST_F(CInterface, AnswersLikeTheLibrary) {
  const auto dir = true_database(RuleSet::majority_slam, true);
  open(dir);
  const Prober prober(dir);
  EXPECT_STREQ(awele_rules(db_), "majority-slam");
  EXPECT_EQ(awele_largest(db_), kDistanceTop);
  EXPECT_EQ(awele_complete_up_to(db_), kDistanceTop);
  const auto boards = random_boards(kDistanceTop, 500);
  std::vector<std::int8_t> values(boards.size());
  std::vector<awele_board_answer> answers(boards.size());
  ASSERT_EQ(awele_values(db_, boards[0].data(), boards.size(), values.data()), AWELE_OK) << message();
  ASSERT_EQ(awele_answers(db_, boards[0].data(), boards.size(), answers.data()), AWELE_OK) << message();
  for (std::size_t k = 0; k < boards.size(); ++k) {
    const BoardAnswer expected = prober.answer(boards[k]);
    int value = 99, distance = 99, pit = 99;
    EXPECT_EQ(awele_value(db_, boards[k].data(), &value), AWELE_OK);
    EXPECT_EQ(awele_distance(db_, boards[k].data(), &distance), AWELE_OK);
    EXPECT_EQ(awele_best_move(db_, boards[k].data(), &pit),
              expected.best.empty() ? AWELE_ERROR_NO_MOVE : AWELE_OK);
    EXPECT_EQ(pit, expected.best.empty() ? 99 : expected.best.front());
    EXPECT_EQ(value, expected.value);
    EXPECT_EQ(values[k], expected.value);
    EXPECT_EQ(distance, *expected.distance);
    EXPECT_EQ(answers[k].value, expected.value);
    EXPECT_EQ(answers[k].distance, *expected.distance);
    for (int i = 0; i < kHalfPits; ++i) {
      const awele_move& move = answers[k].moves[i];
      EXPECT_EQ(move.kind == AWELE_MOVE_LEGAL, expected.moves[i].value.has_value());
      EXPECT_EQ(move.kind == AWELE_MOVE_EMPTY, boards[k][i] == 0);
      if (move.kind != AWELE_MOVE_LEGAL) continue;
      EXPECT_EQ(move.value, *expected.moves[i].value);
      EXPECT_EQ(move.distance, *expected.moves[i].distance);
      EXPECT_EQ(move.best, std::count(expected.best.begin(), expected.best.end(), i));
    }
  }
}

TEST_F(CInterface, TellsWhatASliceHolds) {
  open(true_database(RuleSet::awari));
  awele_slice slice;
  ASSERT_EQ(awele_get_slice(db_, 3, &slice), AWELE_OK);
  EXPECT_EQ(slice.seeds, 3);
  EXPECT_EQ(slice.has_distances, 0);
  EXPECT_EQ(slice.positions, slice_size(3));
  const SliceReader file(slice_path(true_database(RuleSet::awari), 3));
  EXPECT_EQ(slice.crc32, file.info().crc);
  EXPECT_TRUE(std::equal(file.info().histogram.begin(), file.info().histogram.end(), slice.histogram));
  EXPECT_EQ(awele_get_slice(db_, 9, &slice), AWELE_ERROR_NOT_SOLVED);
  EXPECT_EQ(awele_get_slice(db_, 49, &slice), AWELE_ERROR_ARGUMENT);
  EXPECT_EQ(awele_get_slice(db_, -1, &slice), AWELE_ERROR_ARGUMENT);
}

TEST_F(CInterface, ErrorsHaveCodesAndSentencesAndWriteNothing) {
  const test::ScratchDirectory scratch;
  const auto dir = copy_of(true_database(RuleSet::awari), scratch);
  fs::remove(slice_path(dir, 5));
  damage_values(slice_path(dir, 7));
  open(dir);
  int number = 99;
  awele_board_answer answer{};
  answer.value = 99;
  const auto expect_error = [&](const Board& board, awele_status status, const std::string& word) {
    EXPECT_EQ(awele_value(db_, board.data(), &number), status);
    EXPECT_NE(message().find(word), std::string::npos) << message();
    EXPECT_EQ(awele_answer(db_, board.data(), &answer), status);
    EXPECT_EQ(awele_best_move(db_, board.data(), &number), status);
    EXPECT_EQ(number, 99);
    EXPECT_EQ(answer.value, 99);
  };
  expect_error(Board{255, 255}, AWELE_ERROR_BOARD, "510 seeds");
  expect_error(Board{9}, AWELE_ERROR_NOT_SOLVED, "9 seeds");
  expect_error(Board{5}, AWELE_ERROR_NOT_SOLVED, "slice_05.h5");
  expect_error(Board{7}, AWELE_ERROR_FILE, "slice_07.h5");
  EXPECT_EQ(awele_distance(db_, Board{1}.data(), &number), AWELE_ERROR_NO_DISTANCES);
  EXPECT_EQ(awele_best_move(db_, Board{0, 0, 0, 0, 0, 0, 1}.data(), &number), AWELE_ERROR_NO_MOVE);
  EXPECT_EQ(awele_value(db_, nullptr, &number), AWELE_ERROR_ARGUMENT);
  EXPECT_EQ(awele_value(nullptr, Board{1}.data(), &number), AWELE_ERROR_ARGUMENT);
  EXPECT_EQ(awele_value(db_, Board{1}.data(), nullptr), AWELE_ERROR_ARGUMENT);
  EXPECT_EQ(number, 99);
  awele_db* none = nullptr;
  EXPECT_EQ(awele_open("/no/such/place", 0, &none), AWELE_ERROR_FILE);
  EXPECT_NE(message().find("/no/such/place"), std::string::npos);
  EXPECT_EQ(none, nullptr);
  awele_close(nullptr);
}

TEST_F(CInterface, RefreshFindsNewSlices) {
  const test::ScratchDirectory scratch;
  open(scratch.path());
  EXPECT_STREQ(awele_rules(db_), "");
  fs::copy(slice_path(true_database(RuleSet::abapa), 0), slice_path(scratch.path(), 0));
  int opened = 0;
  EXPECT_EQ(awele_refresh(db_, &opened), AWELE_OK);
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(awele_largest(db_), 0);
  EXPECT_EQ(awele_set_cache(db_, 1), AWELE_OK);
  int value = 99;
  EXPECT_EQ(awele_value(db_, Board{}.data(), &value), AWELE_OK);
  EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace awele
