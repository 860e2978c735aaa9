// A disk that is full or read-only while slices are written: a clear sentence and the documented exit code,
// nothing half-written under a final name, no hang, and the run goes on once there is room.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "awele/index/slice_index.hpp"
#include "awele/store/codec.hpp"
#include "awele/store/slice_file.hpp"
#include "awele/support/error.hpp"
#include "support/damage.hpp"
#include "support/program.hpp"
#include "support/published.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_disk.hpp"
#include "support/tiny_database.hpp"
#include "support/trials.hpp"

namespace awele {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class Disk : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::may_mount()) GTEST_SKIP() << "mounting a small disk needs root or user namespaces";
  }

  test::ScratchDirectory scratch_;
};

std::vector<std::int8_t> random_values(int n) {
  std::mt19937 random(7);
  std::vector<std::int8_t> values(slice_size(n));
  for (auto& value : values)
    value = static_cast<std::int8_t>(static_cast<int>(random() % static_cast<unsigned>(2 * n + 1)) - n);
  return values;
}

std::vector<std::int8_t> read_all(const fs::path& path) {
  const SliceReader reader(path);
  std::vector<std::int8_t> values(reader.info().positions);
  reader.read(0, values);
  return values;
}

/// Files that this process holds open, also removed ones, which still take up room.
std::ptrdiff_t open_files() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

/// Every number of pages that is too few, so that every write of the file is once the first that fails. After
/// each failure there is room again, and the same process writes the slice.
TEST_F(Disk, FullAtEveryPageOfASlice) {
  constexpr int kSlice = 9, kPage = 4;
  const auto values = random_values(kSlice);
  test::SmallDisk disk(scratch_.path() / "disk", 1024);
  const fs::path path = slice_path(disk.path(), kSlice);
  test::write_slice(disk.path(), kSlice, RuleSet::awari, values);
  const int pages = static_cast<int>(fs::file_size(path)) / 1024 / kPage;
  fs::remove(path);

  const auto failing_write = [&](int free_pages) {
    disk.fill(kPage * free_pages);
    try {
      test::write_slice(disk.path(), kSlice, RuleSet::awari, values);
      const Outcome outcome = read_all(path) == values ? Outcome::right : Outcome::wrong;
      fs::remove(path);
      return outcome;
    } catch (const Error& error) {
      const std::string what = error.what();
      const bool clear = error.code() == ExitCode::no_resources && what.find(path.string()) != what.npos &&
                         what.find("the disk is full") != what.npos;
      if (!clear) std::cerr << what << '\n';
      return clear ? Outcome::refused : Outcome::unclear;
    }
  };
  const auto outcomes = test::run_trials(static_cast<std::size_t>(pages), 20, [&](std::size_t free_pages) {
    const std::ptrdiff_t open_before = open_files();
    const Outcome outcome = failing_write(static_cast<int>(free_pages));
    if (open_files() != open_before) return Outcome::wrong;
    for (const auto& entry : fs::directory_iterator(disk.path()))
      if (entry.path() != disk.filler()) return Outcome::wrong;
    disk.empty();
    test::write_slice(disk.path(), kSlice, RuleSet::awari, values);
    const bool same = read_all(path) == values;
    fs::remove(path);
    return same ? outcome : Outcome::wrong;
  });
  const test::Tally tally = test::tally(outcomes);
  std::cout << "disk full at each of " << pages << " pages: " << tally << std::endl;
  EXPECT_EQ(tally.bad(), 0u);
  // A page of the file may be a hole, so that one less is enough.
  EXPECT_GE(tally.of(Outcome::refused), outcomes.size() - 2);
  EXPECT_GE(outcomes.size(), 20u);
}

/// `awele solve` alone (0) and on 2 ranks.
class SolveOnDisk : public Disk, public testing::WithParamInterface<int> {
 protected:
  test::ProgramResult solve(int seeds, const fs::path& db) {
    return run("solve --progress none --seeds " + std::to_string(seeds) + " --db " + db.string());
  }
  test::ProgramResult run(const std::string& arguments) {
    return test::run_program(scratch_.path(), GetParam(), arguments);
  }
  void expect_one_sentence(const test::ProgramResult& result, const std::vector<std::string>& words) {
    const std::vector<std::string> messages = result.messages();
    ASSERT_EQ(messages.size(), 1u) << result.err;
    // Alone nothing else is said, by a library for instance.
    if (GetParam() == 0) {
      EXPECT_EQ(result.err, messages[0] + '\n');
    }
    for (const std::string& word : words)
      EXPECT_NE(messages[0].find(word), std::string::npos) << word << '\n' << messages[0];
  }
  /// No file of the directory is a half-written one, and every slice is as it should be.
  void expect_only_whole_slices(const fs::path& db) {
    for (const auto& entry : fs::directory_iterator(db)) {
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(name.ends_with(".h5") || name == "log" || name == "status.json") << name;
    }
    const auto check = test::run_program(scratch_.path(), 0, "check --db " + db.string());
    EXPECT_EQ(check.code, 0) << check.out << check.err;
  }
};
INSTANTIATE_TEST_SUITE_P(Ranks, SolveOnDisk, testing::Values(0, 2));

TEST_P(SolveOnDisk, CompleteAndReadOnly) {
  test::SmallDisk disk(scratch_.path() / "disk", 4000);
  ASSERT_EQ(solve(8, disk.path()).code, 0);
  disk.read_only(true);
  const auto complete = solve(8, disk.path());
  EXPECT_EQ(complete.code, 0) << complete.err;
  EXPECT_NE(complete.out.find("8a107b6b"), std::string::npos) << complete.out;
  const auto incomplete = solve(9, disk.path());
  EXPECT_EQ(incomplete.code, 1) << incomplete.err;
  EXPECT_NE(incomplete.err.find("cannot be written to"), std::string::npos) << incomplete.err;
  disk.read_only(false);
}

TEST_P(SolveOnDisk, FullWhileASliceIsWritten) {
  for (const int kib : {1000, 400}) {  // full in slice 12 or 11, and in slice 10
    test::SmallDisk disk(scratch_.path() / "disk", kib);
    const auto full = solve(12, disk.path());
    EXPECT_EQ(full.code, 4) << full.err;
    expect_one_sentence(full, {disk.path().string(), "run the same command again"});
    expect_only_whole_slices(disk.path());
    EXPECT_FALSE(fs::exists(slice_path(disk.path(), 12)));

    disk.resize(4000);
    const auto roomy = solve(12, disk.path());
    EXPECT_EQ(roomy.code, 0) << roomy.err;
    expect_only_whole_slices(disk.path());
    for (int n = 0; n <= 12; ++n)
      EXPECT_EQ(SliceReader(slice_path(disk.path(), n)).info().crc, test::published_crc(n));
  }
}

/// Slice 12 takes 0.6 MB.
TEST_P(SolveOnDisk, LookedAtBeforeASliceIsSolved) {
  test::SmallDisk disk(scratch_.path() / "disk", 4000);
  ASSERT_EQ(solve(11, disk.path()).code, 0);
  const auto begun = [&] {
    return test::read_file(disk.path() / "log").find("\"event\":\"slice_begins\",\"seeds\":12,") !=
           std::string::npos;
  };
  const std::string command = "solve --progress lines --seeds 12 --db " + disk.path().string();
  disk.fill(300);
  const auto hopeless = run(command);
  EXPECT_EQ(hopeless.code, 4) << hopeless.err;
  EXPECT_NE(hopeless.err.find("slice 12 needs about 0."), std::string::npos) << hopeless.err;
  EXPECT_NE(hopeless.err.find("free some space and run the same command again"), std::string::npos);
  EXPECT_FALSE(begun());

  disk.fill(900);
  const auto tight = run(command);
  EXPECT_EQ(tight.code, 0) << tight.err;
  EXPECT_NE(tight.err.find("with checkpoints up to"), std::string::npos) << tight.err;
  EXPECT_TRUE(begun());
}

/// ulimit -f. (Under mpirun the launcher's own files would not grow far enough.)
TEST_P(SolveOnDisk, LimitOfFileSizes) {
  if (GetParam() > 0) GTEST_SKIP();
  const fs::path db = scratch_.path() / "db";
  const auto limited = test::run_program(
      scratch_.path(), 0, "solve --progress none --seeds 9 --db " + db.string(), "prlimit --fsize=40960");
  EXPECT_EQ(limited.code, 4);
  expect_one_sentence(limited, {"slice_09.h5", "ulimit -f"});
  expect_only_whole_slices(db);
  EXPECT_EQ(solve(9, db).code, 0);
  EXPECT_EQ(SliceReader(slice_path(db, 9)).info().crc, test::published_crc(9));
}

TEST_P(SolveOnDisk, ReadOnlyDirectory) {
  test::SmallDisk disk(scratch_.path() / "disk", 4000);
  ASSERT_EQ(solve(6, disk.path()).code, 0);
  disk.read_only(true);
  const auto refused = solve(8, disk.path());
  EXPECT_EQ(refused.code, 1);
  expect_one_sentence(refused, {disk.path().string(), "Read-only file system"});
  // What only reads works.
  expect_only_whole_slices(disk.path());
  EXPECT_EQ(test::run_program(scratch_.path(), 0, "stats --db " + disk.path().string()).code, 0);
  disk.read_only(false);
  EXPECT_EQ(solve(8, disk.path()).code, 0);
  EXPECT_EQ(SliceReader(slice_path(disk.path(), 8)).info().crc, test::published_crc(8));
}

/// Room for the slices below, but not for the state of slice 9. (Of slices so small nobody can tell
/// beforehand how much they will take.)
TEST_P(SolveOnDisk, FullWhileACheckpointIsWritten) {
  for (const std::string action : {"checkpoint", "stop"}) {
    test::SmallDisk disk(scratch_.path() / "disk", 100);
    const auto full = test::run_program(scratch_.path(), GetParam(),
                                        "solve --progress lines --seeds 9 --db " + disk.path().string(),
                                        "AWELE_INJECT=" + action + "@rounds:9");
    // After "checkpoint" the run goes on without one, until there is no room for the slice either.
    EXPECT_EQ(full.code, 4) << full.err;
    EXPECT_NE(full.err.find("checkpoint_09_0001"), std::string::npos) << full.err;
    EXPECT_NE(full.err.find("the disk is full"), std::string::npos) << full.err;
    expect_only_whole_slices(disk.path());

    disk.resize(4000);
    const auto roomy = solve(9, disk.path());
    EXPECT_EQ(roomy.code, 0) << roomy.err;
    expect_only_whole_slices(disk.path());
    EXPECT_EQ(SliceReader(slice_path(disk.path(), 9)).info().crc, test::published_crc(9));
  }
}

}  // namespace
}  // namespace awele
