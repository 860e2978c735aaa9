// `awele solve` and `awele verify` when something is wrong, alone and under mpirun: one sentence that names
// the thing, the documented exit code, no hang, no damaged or half-written slice, nothing replaced silently.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "awele/store/slice_file.hpp"
#include "support/csv.hpp"
#include "support/memory_cgroup.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

struct Result {
  int code;
  std::string out, err;
};

/// Each test runs alone (0) and on 2 ranks.
class Trouble : public testing::TestWithParam<int> {
 protected:
  Trouble() : db_(scratch_.path() / "db") {}

  Result run(const std::string& arguments, const std::string& before = "", int ranks = -1) {
    if (ranks < 0) ranks = GetParam();
    const std::string out = (scratch_.path() / "out").string(), err = (scratch_.path() / "err").string();
    const std::string launcher =
        ranks == 0 ? "" : std::string(AWELE_MPIEXEC) + " " + std::to_string(ranks) + " ";
    const std::string command = "timeout 60 " + launcher + "sh -c '" + before + " exec " AWELE_BINARY " " +
                                arguments + "' >" + out + " 2>" + err;
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }
  std::string solve(int seeds) const {
    return "solve --progress none --seeds " + std::to_string(seeds) + " --db " + db_.string();
  }
  void solved(int seeds) { ASSERT_EQ(run(solve(seeds), "", 0).code, 0); }

  /// Ends with `code` and exactly one line of the program's own on standard error, which holds all of
  /// `words`.
  void expect_trouble(const std::string& arguments, int code, const std::vector<std::string>& words,
                      const std::string& before = "") {
    SCOPED_TRACE(before + " awele " + arguments);
    const Result result = run(arguments, before);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    std::istringstream lines(result.err);
    std::vector<std::string> own;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("awele: ")) own.push_back(line);
    // Alone one line; of several ranks each may speak for itself.
    ASSERT_GE(own.size(), 1u) << result.err;
    if (GetParam() == 0) {
      EXPECT_EQ(own.size(), 1u) << result.err;
    }
    for (const std::string& line : own)
      for (const std::string& word : words)
        EXPECT_NE(line.find(word), std::string::npos) << word << "\n" << line;
    if (!fs::is_directory(db_)) return;
    std::vector<std::string> unexpected = test::unexpected_files(db_);
    // A rank that is killed because another one failed may leave the lock, which does not hinder the next
    // run.
    if (GetParam() != 0) std::erase(unexpected, "lock");
    EXPECT_EQ(unexpected, std::vector<std::string>());
  }

  std::string slice(int n) const { return slice_path(db_, n).string(); }

  test::ScratchDirectory scratch_;
  const fs::path db_;
};

TEST_P(Trouble, WrongCommandLines) {
  expect_trouble("solve --seeds 49 --db " + db_.string(), 2, {"49"});
  expect_trouble("solve --seeds -1 --db " + db_.string(), 2, {"-1"});
  expect_trouble("solve --seeds twelve --db " + db_.string(), 2, {"twelve"});
  expect_trouble("solve --seeds 5 --rules wari --db " + db_.string(), 2, {"wari", "awari, unrestricted"});
  expect_trouble("solve --seeds 5 --fast --db " + db_.string(), 2, {"--fast"});
  expect_trouble("solve --seeds 5", 2, {"--db"});
  expect_trouble("solve --seeds 5 --db " + db_.string(), 2, {"AWELE_INJCT"}, "export AWELE_INJCT=abapa;");
  EXPECT_FALSE(fs::exists(db_));
}

TEST_P(Trouble, DirectoryThatIsAFile) {
  std::ofstream(db_) << "text";
  expect_trouble(solve(5), 1, {db_.string()});
  EXPECT_EQ(read_file(db_), "text");
}

TEST_P(Trouble, DirectoryThatCannotBeMade) {
  expect_trouble("solve --seeds 5 --db /proc/awele", 1, {"/proc/awele"});
}

TEST_P(Trouble, SlicesOfAnotherRuleSet) {
  solved(6);
  expect_trouble(solve(7) + " --rules abapa", 1, {"slice_00.h5", "awari", "abapa"});
  EXPECT_FALSE(fs::exists(slice(7)));
}

TEST_P(Trouble, TruncatedSlice) {
  solved(8);
  fs::resize_file(slice(6), fs::file_size(slice(6)) / 2);
  const std::string before = read_file(slice(6));
  expect_trouble(solve(9), 1, {"slice_06.h5"});
  EXPECT_EQ(read_file(slice(6)), before);
  EXPECT_FALSE(fs::exists(slice(9)));
}

TEST_P(Trouble, NotHdf5) {
  solved(5);
  std::ofstream(slice(5)) << "nothing of the kind";
  expect_trouble(solve(6), 1, {"slice_05.h5", "not an HDF5 file"});
}

TEST_P(Trouble, SliceOfAnotherName) {
  solved(6);
  fs::rename(slice(4), slice(5));
  expect_trouble(solve(7), 1, {"slice_05.h5", "4"});
}

/// Flips in the values are found while the slice is read for exits, before anything is computed from it.
TEST_P(Trouble, FlippedBitInTheValues) {
  solved(9);
  std::string bytes = read_file(slice(8));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  std::ofstream(slice(8), std::ios::binary) << bytes;
  expect_trouble(solve(10), 1, {"slice_08.h5"});
  EXPECT_FALSE(fs::exists(slice(10)));
  EXPECT_EQ(read_file(slice(8)), bytes);
}

TEST_P(Trouble, MissingLowerSliceIsSolvedAgain) {
  solved(8);
  const std::string before = read_file(slice(5));
  fs::remove(slice(5));
  EXPECT_EQ(run(solve(8)).code, 0);
  EXPECT_TRUE(fs::exists(slice(5)));
}

TEST_P(Trouble, LeftoverOfAnInterruptedRun) {
  solved(5);
  std::ofstream(slice(6) + ".tmp") << "half a slice";
  EXPECT_EQ(run(solve(6)).code, 0);
  EXPECT_FALSE(fs::exists(slice(6) + ".tmp"));
}

/// Another slice, consistent in itself, among those that were made from the one that was there.
TEST_P(Trouble, SliceThatOthersWereNotMadeFrom) {
  solved(8);
  EXPECT_EQ(run("check --db " + db_.string(), "", 0).code, 0);
  test::write_slice(db_, 5, RuleSet::awari, std::vector<std::int8_t>(slice_size(5), 1));
  const Result result = run("check --db " + db_.string(), "", 0);
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("2 of 9 slices are wrong: " + slice(7) + ", " + slice(8)), std::string::npos)
      << result.err;
  EXPECT_NE(result.out.find("was made from a slice 5"), std::string::npos) << result.out;
  EXPECT_EQ(run("check --slice 7 --db " + db_.string(), "", 0).code, 3);
  EXPECT_EQ(run("check --slice 6 --db " + db_.string(), "", 0).code, 0);
}

TEST_P(Trouble, MissingSliceInVerify) {
  solved(8);
  fs::remove(slice(5));
  const Result result = run("verify --db " + db_.string());
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("slice_05.h5"), std::string::npos) << result.err;
}

/// The rank that held the lock is dead, but its parent has not fetched it yet: after mpirun has gone that is
/// up to init, which in a container may never do it.
TEST_P(Trouble, LockOfAProcessThatIsDeadAndNotFetched) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  std::istringstream fields(read_file("/proc/" + std::to_string(child) + "/stat"));
  std::string start;
  for (int k = 1; k <= 22; ++k) fields >> start;
  char host[256] = "";
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  fs::create_directory(db_);
  std::ofstream(db_ / "lock") << R"({"host":")" << host << R"(","pid":)" << child << R"(,"process_start":)"
                              << start << R"(,"job":"","restart":0,"token":"00000000","started":"0"})"
                              << std::endl;
  const Result result = run("solve --seeds 5 --db " + db_.string());
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("is no longer running"), std::string::npos) << result.err;
}

#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes of address space
TEST_P(Trouble, TooLittleMemory) {
  // Open MPI itself needs some hundred MiB of address space: below that it hangs before the program can say
  // anything.
  expect_trouble(solve(30), 4, {"MiB", "ulimit -v"}, "ulimit -v 1500000;");
  EXPECT_FALSE(fs::exists(slice(0)));
}

/// Slices that would fit, were it not for what libraries and MPI have mapped: 651 and 699 MiB a rank.
TEST_P(Trouble, TooLittleMemoryBesideTheLibraries) {
  expect_trouble(solve(GetParam() == 0 ? 25 : 26), 4, {"MiB", "ulimit -v"}, "ulimit -v 750000;");
  EXPECT_FALSE(fs::exists(slice(0)));
}
#endif

TEST_P(Trouble, TooLittleMemoryBySlurm) {
  char host[256] = "";
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  // What all of it takes, not the first slice for which there is no room.
  expect_trouble(solve(24), 4,
                 {"slice 24 needs the most", "SLURM_MEM_PER_NODE", "enough for slices up to", host},
                 "export SLURM_MEM_PER_NODE=200;");
}

TEST_P(Trouble, TooLittleMemoryByCgroup) {
  const test::MemoryCgroup cgroup(300 << 20);
  if (!cgroup.made()) GTEST_SKIP() << "a cgroup with a memory limit cannot be made here";
  expect_trouble(solve(24), 4, {"slice ", "the cgroup leaves", "use more nodes"}, cgroup.enter());
  EXPECT_FALSE(fs::exists(slice(0)));
  // What fits is not refused.
  const Result fits = run(solve(10), cgroup.enter());
  EXPECT_EQ(fits.code, 0) << fits.err;
}

INSTANTIATE_TEST_SUITE_P(Ranks, Trouble, testing::Values(0, 2));

class Alone : public Trouble {};

TEST_P(Alone, StartedAsSingletons) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE=4", "PMI_SIZE=4", "SLURM_NTASKS=4"})
    expect_trouble(solve(5), 1, {"4 ranks", "mpirun"}, std::string("export ") + variable + ";");
}

INSTANTIATE_TEST_SUITE_P(Ranks, Alone, testing::Values(0));

/// One rank of several fails while the others wait for it in a collective.
class OneRankFails : public Trouble {
 protected:
  /// Injects "ACTION@STAGE:10:RANK": within seconds all ranks have ended with that rank's words and `code`,
  /// and nothing is lost: the next run finishes the slice.
  void expect_end(const std::string& action, const std::string& stage, int rank, int code,
                  const std::string& words) {
    const std::string fault = action + "@" + stage + ":10:" + std::to_string(rank);
    SCOPED_TRACE(fault);
    fs::remove(slice(10));
    const auto begin = std::chrono::steady_clock::now();
    const Result failed = run(solve(10), "export AWELE_INJECT=" + fault + ";");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    EXPECT_EQ(failed.code, code) << failed.err;
    EXPECT_NE(failed.err.find(own_words(rank)), std::string::npos) << failed.err;
    EXPECT_NE(failed.err.find(words), std::string::npos) << failed.err;
    EXPECT_TRUE(all_have_ended());
    EXPECT_TRUE(fs::exists(slice(9)));
    EXPECT_FALSE(fs::exists(slice(10)));
    const Result next = run(solve(10));
    EXPECT_EQ(next.code, 0) << next.err;
    EXPECT_NE(next.out.find(test::table("scores_crc32.csv").at(10).at(2)), std::string::npos) << next.out;
  }

  std::string own_words(int rank) const {
    return GetParam() == 0 ? "awele: " : "awele: [rank " + std::to_string(rank) + "] ";
  }

  /// No process whose command line names this test's directory is left, after a moment.
  bool all_have_ended() const {
    for (int attempt = 0; attempt < 50; ++attempt) {
      if (!any_process()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }

 private:
  bool any_process() const {
    for (const auto& entry : fs::directory_iterator("/proc"))
      if (read_file(entry.path() / "cmdline").find(db_.string()) != std::string::npos) return true;
    return false;
  }
};

TEST_P(OneRankFails, Throws) {
  const int last = std::max(GetParam() - 1, 0);
  expect_end("throw", "exits", 0, 1, "a fault was injected");
  expect_end("throw", "rounds", last, 1, "a fault was injected");
  expect_end("throw", "transposition", last, 1, "a fault was injected");
}

/// Memory that the check before the slice did not foresee.
TEST_P(OneRankFails, OutOfMemory) {
  const int last = std::max(GetParam() - 1, 0);
  expect_end("bad_alloc", "exits", last, 4, "not enough memory; ");
  expect_end("bad_alloc", "rounds", 0, 4, "not enough memory; ");
}

#ifndef __SANITIZE_ADDRESS__
TEST_P(OneRankFails, HasTooLittleMemory) {
  const int last = std::max(GetParam() - 1, 0);
  expect_trouble(
      solve(30), 4, {own_words(last) + "slice ", "ulimit -v"},
      "if [ ${OMPI_COMM_WORLD_RANK:-0} = " + std::to_string(last) + " ]; then ulimit -v 1000000; fi;");
  EXPECT_TRUE(all_have_ended());
}
#endif

INSTANTIATE_TEST_SUITE_P(Ranks, OneRankFails, testing::Values(0, 2, 3, 5));

}  // namespace
}  // namespace awele
