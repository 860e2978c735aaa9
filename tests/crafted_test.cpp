// Slice files as a stranger could make them (craft_slices.py), each given to the C library, to the program
// and to awele.py in a child process with limits on time and memory: refused in a sentence that names the
// file; no crash, no hang, no memory by the gigabyte, no answer.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>

#include "awele/awele.h"
#include "awele/index/slice_index.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

namespace fs = std::filesystem;

constexpr int kSeeds = 5;
constexpr unsigned kTime = 120;       // seconds; a trial takes some milliseconds
constexpr long kMemory = 300 * 1024;  // KiB resident; also under the address sanitizer
constexpr rlim_t kAddresses = rlim_t{2} << 30;

std::string read_file(const fs::path& path) {
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

/// How a child ended, and what it said.
struct Ending {
  int status = 0;
  long resident = 0;  // KiB at most
  std::string said;
  bool exited_with(int code) const { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
};

class Crafted : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (std::strlen(AWELE_PYTHON) == 0) return;
    scratch_ = std::make_unique<test::ScratchDirectory>();
    test::make_database(dir() / "true", kSeeds, RuleSet::awari);
    const std::string list = (dir() / "list").string();
    ASSERT_EQ(std::system((std::string(AWELE_PYTHON " " AWELE_CRAFT " craft ") +
                           slice_path(dir() / "true", kSeeds).string() + " " + (dir() / "crafted").string() +
                           " >" + list)
                              .c_str()),
              0);
    std::ifstream in(list);
    for (std::string name; std::getline(in, name);) {
      cases_.push_back(name);
      for (int n = 0; n < kSeeds; ++n)
        fs::create_hard_link(slice_path(dir() / "true", n), slice_path(dir() / "crafted" / name, n));
    }
    ASSERT_GE(cases_.size(), 100u);
  }
  static void TearDownTestSuite() {
    scratch_.reset();
    cases_.clear();
  }
  void SetUp() override {
    if (std::strlen(AWELE_PYTHON) == 0) GTEST_SKIP() << "no Python with h5py here";
  }

  static fs::path dir() { return scratch_->path(); }
  static std::string database(const std::string& name) { return (dir() / "crafted" / name).string(); }

  /// Runs `action` in a child with limits; what it writes to its standard output and error is kept.
  static Ending run(const std::function<void()>& action) {
    const std::string said = (dir() / "said").string();
    const pid_t child = ::fork();
    if (child == 0) {
      if (!std::freopen(said.c_str(), "w", stdout) || ::dup2(STDOUT_FILENO, STDERR_FILENO) < 0) ::_exit(99);
      ::alarm(kTime);
#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes of addresses
      const rlimit limit{kAddresses, kAddresses};
      ::setrlimit(RLIMIT_AS, &limit);
#endif
      action();
      std::fflush(nullptr);
      ::_exit(0);
    }
    Ending ending;
    rusage use{};
    ::wait4(child, &ending.status, 0, &use);
    ending.resident = use.ru_maxrss;
    ending.said = read_file(said);
    return ending;
  }

  static Ending run_program(const std::vector<std::string>& arguments) {
    return run([&] {
      std::vector<char*> argv{const_cast<char*>(AWELE_BINARY)};
      for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      ::execv(AWELE_BINARY, argv.data());
      ::_exit(98);
    });
  }

  /// Ended by itself within the limits, and named the file.
  static void expect_refusal(const Ending& ending, std::initializer_list<int> codes) {
    EXPECT_TRUE(WIFEXITED(ending.status)) << "status " << ending.status << ": " << ending.said;
    EXPECT_NE(std::find(codes.begin(), codes.end(), WEXITSTATUS(ending.status)), codes.end())
        << WEXITSTATUS(ending.status) << ": " << ending.said;
    EXPECT_LT(ending.resident, kMemory);
    EXPECT_NE(ending.said.find("slice_05.h5"), std::string::npos) << ending.said;
  }

  static std::unique_ptr<test::ScratchDirectory> scratch_;
  static std::vector<std::string> cases_;
};

std::unique_ptr<test::ScratchDirectory> Crafted::scratch_;
std::vector<std::string> Crafted::cases_;

/// Opens the directory and asks all there is to ask; says what went wrong.
void ask_library(const std::string& dir) {
  awele_db* db = nullptr;
  awele_slice slice;
  awele_board_answer answer;
  const unsigned char board[12] = {0, 0, 5};
  int value = 0;
  for (awele_status status :
       {awele_open(dir.c_str(), 0, &db), db ? awele_get_slice(db, kSeeds, &slice) : AWELE_OK,
        db ? awele_value(db, board, &value) : AWELE_OK, db ? awele_answer(db, board, &answer) : AWELE_OK}) {
    if (status == AWELE_OK) continue;
    std::printf("%s\n", awele_message());
    std::fflush(stdout);
    ::_exit(status);
  }
  awele_close(db);
}

TEST_F(Crafted, CLibrary) {
  for (const std::string& name : cases_) {
    SCOPED_TRACE(name);
    const Ending ending = run([&] { ask_library(database(name)); });
    if (name == "control")
      EXPECT_TRUE(ending.exited_with(0)) << ending.said;
    else
      expect_refusal(ending, {AWELE_ERROR_FILE});
  }
}

TEST_F(Crafted, Check) {
  for (const std::string& name : cases_) {
    SCOPED_TRACE(name);
    const Ending ending = run_program({"check", "--db", database(name)});
    if (name == "control")
      EXPECT_TRUE(ending.exited_with(0)) << ending.said;
    else
      expect_refusal(ending, {1, 3});
  }
}

/// Asks for the values of boards of n seeds all over the slice, which is alone in its directory.
void ask_values(const std::string& dir, int n) {
  awele_db* db = nullptr;
  awele_status status = awele_open(dir.c_str(), 0, &db);
  for (std::uint64_t place = 0; status == AWELE_OK && place < slice_size(n); place += slice_size(n) / 10) {
    const Board board = position_at(n, place);
    int value = 0;
    status = awele_value(db, board.data(), &value);
  }
  if (status == AWELE_OK) awele_close(db);
  std::printf("%s\n", awele_message());
  std::fflush(stdout);
  ::_exit(status);
}

/// Chance instead of ideas: changes of the metadata that its checksums do not show. A slice of one chunk, and
/// one with an index of its chunks. (AWELE_FLIPS: how many of each.)
TEST_F(Crafted, FlipsUnderTrueChecksums) {
  const char* wanted = std::getenv("AWELE_FLIPS");
  const std::string count = wanted ? wanted : "150";
  for (int n : {4, 9}) {
    const fs::path source = dir() / ("source" + std::to_string(n)),
                   flips = dir() / ("flips" + std::to_string(n));
    fs::create_directory(source);
    test::write_slice(source, n, RuleSet::awari, std::vector<std::int8_t>(slice_size(n), 1));
    ASSERT_EQ(std::system((AWELE_PYTHON " " AWELE_CRAFT " flip " + slice_path(source, n).string() + " " +
                           flips.string() + " " + count)
                              .c_str()),
              0);
    int refused = 0;
    for (const auto& entry : fs::directory_iterator(flips)) {
      const Ending ending = run([&] { ask_values(entry.path().string(), n); });
      EXPECT_TRUE(ending.exited_with(AWELE_OK) || ending.exited_with(AWELE_ERROR_FILE))
          << entry.path() << ": status " << ending.status << ": " << ending.said;
      EXPECT_LT(ending.resident, kMemory) << entry.path();
      if (ending.exited_with(AWELE_ERROR_FILE)) ++refused;
    }
    std::cout << "slice " << n << ": " << refused << " of " << count << " refused" << std::endl;
    EXPECT_GT(refused, std::stoi(count) / 3);
  }
}

TEST_F(Crafted, Python) {
  std::string command = AWELE_PYTHON " " AWELE_CRAFT " ask " AWELE_SCRIPTS " " + (dir() / "crafted").string();
  for (const std::string& name : cases_) command += " " + name;
  const Ending ending = run([&] { ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr); });
  EXPECT_TRUE(ending.exited_with(0));
  std::istringstream lines(ending.said);
  std::size_t answered = 0;
  for (std::string line; std::getline(lines, line); ++answered) {
    const std::string name = line.substr(0, line.find(':'));
    if (name == "control") {
      EXPECT_EQ(line, "control: answered");
      continue;
    }
    EXPECT_TRUE(line.starts_with(name + ": Damaged: ") || line.starts_with(name + ": Unreadable: ")) << line;
    EXPECT_NE(line.find("slice_05.h5"), std::string::npos) << line;
  }
  EXPECT_EQ(answered, cases_.size());
}

/// Values out of range are found by whatever reads the values.
TEST_F(Crafted, OtherCommands) {
  const std::string out = (dir() / "out").string();
  for (const std::string name :
       {"array_rules", "virtual_of_itself_histogram", "external_pipe_values", "pipe",
        "histogram_that_overflows", "values_wrong_inside", "values_minimum_inside"}) {
    SCOPED_TRACE(name);
    const std::string db = database(name);
    expect_refusal(run_program({"export", "--db", db, "--slice", "5", "--out", out}), {1, 3});
    EXPECT_FALSE(fs::exists(out));
    expect_refusal(run_program({"probe", "--db", db, "0,0,5,0,0,0,0,0,0,0,0,0"}), {1});
    expect_refusal(run_program({"solve", "--db", db, "--seeds", "7", "--progress", "none"}), {1});
    EXPECT_FALSE(fs::exists(slice_path(db, 7)));
    if (name.starts_with("values")) continue;  // which these two do not read
    expect_refusal(run_program({"info", "--db", db}), {1});
    expect_refusal(run_program({"stats", "--db", db}), {1});
  }
}

}  // namespace
}  // namespace awele
