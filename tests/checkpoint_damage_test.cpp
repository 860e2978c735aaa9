// Damaged checkpoints: truncated, with one bit flipped, with a file missing or of another checkpoint. Each
// damaged copy is resumed in a child process with a time-out. The run says that it is bad and goes on from
// the one before, or from the beginning of the slice, or the damage does not matter; in all cases the slice
// has the right values.
//
// The tests named DISABLED_ take long; tests/damage_full.sh runs them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "awele/index/slice_index.hpp"
#include "awele/solver/solve.hpp"
#include "awele/store/slice_file.hpp"
#include "awele/store/state_part.hpp"
#include "support/control_file.hpp"
#include "support/damage.hpp"
#include "support/program.hpp"
#include "support/published.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"
#include "support/trials.hpp"

namespace awele {
namespace {

namespace fs = std::filesystem;
using test::Damage;
using test::Outcome;
using test::read_file;
using test::write_file;

constexpr int kSeeds = 11;  // two pieces
constexpr unsigned kSeconds = 120;

/// MPI for the life of a child process: the parent must not have started it when it forks.
class World {
 public:
  const Communicator& ranks() const { return ranks_; }

 private:
  int argc_ = 0;
  char** argv_ = nullptr;
  MpiSession session_{argc_, argv_};
  Communicator ranks_ = Communicator::world();
};

class Listener : public SolveObserver {
 public:
  void checkpoint_bad(const CheckpointReport& report) override { bad.push_back(report); }
  void resumed(const CheckpointReport& report) override { from = report.path; }

  std::vector<CheckpointReport> bad;
  fs::path from;
};

/// A directory in which slice 11 was stopped twice, among its exits and among its rounds: the slices below
/// it, and two checkpoints.
class Interrupted {
 public:
  Interrupted() {
    for (const fs::path& each : {older(), newer()}) {
      const auto result = test::run_program(
          scratch_.path(), 0,
          "solve --progress none --seeds " + std::to_string(kSeeds) + " --db " + dir().string(),
          std::string("AWELE_INJECT=stop@") + (each == older() ? "exits:" : "rounds:") +
              std::to_string(kSeeds));
      const fs::path made = newest();
      if (result.code != 75 || made.empty())
        throw std::runtime_error("no checkpoint was made: " + result.err);
      fs::rename(made, scratch_.path() / "kept");
      if (each == older()) fs::copy(scratch_.path() / "kept", made, fs::copy_options::recursive);
      fs::rename(scratch_.path() / "kept", each);
    }
    if (const fs::path left = newest(); !left.empty()) fs::remove_all(left);
  }

  fs::path scratch() const { return scratch_.path(); }
  fs::path dir() const { return scratch_.path() / "db"; }
  fs::path older() const { return scratch_.path() / "older"; }
  fs::path newer() const { return scratch_.path() / "newer"; }

 private:
  fs::path newest() const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(dir()))
      if (entry.is_directory()) found = std::max(found, entry.path());
    return found;
  }

  test::ScratchDirectory scratch_;
};

class DamagedCheckpoint : public testing::Test {
 protected:
  static constexpr const char* kControl = "control";
  static constexpr const char* kPart = "part_0000.h5";

  static void SetUpTestSuite() { interrupted_ = std::make_unique<Interrupted>(); }
  static void TearDownTestSuite() { interrupted_.reset(); }

  void SetUp() override { random_.seed(77); }

  static fs::path db() { return interrupted_->dir(); }
  static fs::path older() { return db() / "checkpoint_11_0001"; }
  static fs::path newer() { return db() / "checkpoint_11_0002"; }
  static std::string whole(const std::string& file) { return read_file(interrupted_->newer() / file); }

  /// Slice 11 missing, the newer checkpoint whole, the older one if wished.
  static void restore_all(bool with_older) {
    fs::remove(slice_path(db(), kSeeds));
    for (const fs::path& each : {older(), newer()}) fs::remove_all(each);
    fs::copy(interrupted_->newer(), newer(), fs::copy_options::recursive);
    if (with_older) fs::copy(interrupted_->older(), older(), fs::copy_options::recursive);
  }

  /// Resumes; what the run must say when it does not use the newer checkpoint.
  static Outcome resume(const World& world, bool with_older) {
    Listener listener;
    SolveControl undisturbed;
    SolveOptions options;
    options.seeds = kSeeds;
    options.dir = db();
    try {
      const auto reports = solve(options, world.ranks(), listener, undisturbed);
      if (reports.back().crc != test::published_crc(kSeeds) ||
          SliceReader(slice_path(db(), kSeeds)).info().crc != test::published_crc(kSeeds))
        return Outcome::wrong;
    } catch (const Error& error) {
      std::cerr << "not resumed: " << error.what() << '\n';
      return Outcome::unclear;
    }
    if (listener.bad.empty() && listener.from == newer()) return Outcome::right;
    const bool clear = listener.bad.size() == 1 && listener.bad[0].path == newer() &&
                       listener.bad[0].reason.find(newer().string()) != std::string::npos &&
                       listener.bad[0].reason.find('\n') == std::string::npos &&
                       listener.from == (with_older ? older() : fs::path());
    if (!clear) std::cerr << "bad: " << (listener.bad.empty() ? "none" : listener.bad[0].reason) << '\n';
    return clear ? Outcome::refused : Outcome::unclear;
  }

  /// Every other trial has an older checkpoint to fall back to.
  test::Tally try_all(const std::string& what, std::size_t count,
                      const std::function<void(std::size_t)>& harm) {
    const auto outcomes = test::run_trials(
        count, kSeconds, [] { return World(); },
        [&](const World& world, std::size_t i) {
          restore_all(i % 2 == 0);
          harm(i);
          return resume(world, i % 2 == 0);
        });
    const test::Tally tally = test::tally(outcomes);
    std::cout << "checkpoint of slice " << kSeeds << ", " << what << ", " << count << " trials: " << tally
              << std::endl;
    EXPECT_EQ(tally.bad(), 0u);
    return tally;
  }
  test::Tally try_all(const std::string& what, const std::string& file, const std::vector<Damage>& damages) {
    const std::string bytes = whole(file);
    return try_all(file + " (" + std::to_string(bytes.size()) + " bytes), " + what, damages.size(),
                   [&](std::size_t i) { write_file(newer() / file, damages[i].apply(bytes)); });
  }

  /// Bytes of the part that are not in the streams of its pieces.
  static std::vector<std::size_t> metadata_bytes() {
    const StatePartReader reader(interrupted_->newer() / kPart, slice_size(kSeeds), PlaneSet{});
    std::vector<std::vector<std::byte>> streams;
    for (std::uint64_t piece = 0; piece * kPiecePositions < slice_size(kSeeds); ++piece) {
      PieceStreams codes;
      reader.read(piece, codes);
      streams.push_back(std::move(codes.stream[0]));
    }
    return test::bytes_outside(whole(kPart), streams);
  }

  static std::unique_ptr<Interrupted> interrupted_;
  std::mt19937 random_;
};

std::unique_ptr<Interrupted> DamagedCheckpoint::interrupted_;

TEST_F(DamagedCheckpoint, WholeOnesAreUsed) {
  EXPECT_EQ(try_all("undamaged", kPart, std::vector<Damage>(2, {whole(kPart).size()})).of(Outcome::right),
            2u);
}

TEST_F(DamagedCheckpoint, Truncated) {
  for (const char* file : {kControl, kPart}) {
    const auto all = test::truncations(whole(file).size(), 20, random_);
    EXPECT_EQ(try_all("truncated", file, all).of(Outcome::refused), all.size());
  }
}

TEST_F(DamagedCheckpoint, RandomBitFlips) {
  try_all("random flips", kPart, test::flips(whole(kPart).size(), 100, random_));
}

TEST_F(DamagedCheckpoint, MetadataFlips) {
  try_all("random flips", kControl, test::flips(whole(kControl).size(), 50, random_));
  std::vector<std::size_t> bytes = metadata_bytes();
  std::shuffle(bytes.begin(), bytes.end(), random_);
  bytes.resize(100);
  try_all("flips in a sample of the metadata bytes", kPart,
          test::flips_in(bytes, whole(kPart).size(), random_));
}

TEST_F(DamagedCheckpoint, MissingFiles) {
  const std::vector<std::function<void()>> harms = {[] { fs::remove(newer() / kControl); },
                                                    [] { fs::remove(newer() / kPart); },
                                                    [] {
                                                      fs::remove_all(newer());
                                                      fs::create_directory(newer());
                                                    }};
  const auto tally = try_all("files missing", 2 * harms.size(), [&](std::size_t i) { harms[i / 2](); });
  EXPECT_EQ(tally.of(Outcome::refused), 2 * harms.size());
}

/// A part that is whole, but of another checkpoint of the same slice: what a copy that was broken off may
/// leave.
TEST_F(DamagedCheckpoint, PartOfAnotherCheckpoint) {
  const auto tally = try_all("a part of another checkpoint", 2, [&](std::size_t) {
    write_file(newer() / kPart, read_file(interrupted_->older() / kPart));
  });
  EXPECT_EQ(tally.of(Outcome::refused), 2u);
}

/// As tests/checkpoint_test.cpp has many of them: control files whose checksum is right and whose contents
/// are not.
TEST_F(DamagedCheckpoint, ControlOfAnotherLayout) {
  const std::string archive = whole(kControl).substr(whole(kControl).find('\n') + 1);
  const std::vector<std::string> files = {test::control_file(1, archive), test::control_file(4, archive),
                                          test::control_file(3, "22 serialization::archive 99 0 0"),
                                          test::control_file(3, archive.substr(0, archive.size() / 2))};
  ASSERT_EQ(test::control_file(3, archive), whole(kControl));
  const auto tally = try_all("of another layout", 2 * files.size(),
                             [&](std::size_t i) { write_file(newer() / kControl, files[i / 2]); });
  EXPECT_EQ(tally.of(Outcome::refused), 2 * files.size());
}

TEST_F(DamagedCheckpoint, ControlThatIsNoFile) {
  const auto tally = try_all("no file", 4, [&](std::size_t i) {
    fs::remove(newer() / kControl);
    if (i < 2)
      fs::create_directory(newer() / kControl);
    else
      ASSERT_EQ(::mkfifo((newer() / kControl).c_str(), 0600), 0);
  });
  EXPECT_EQ(tally.of(Outcome::refused), 4u);
}

/// As users run it: the message is on standard error and in the log.
class ResumedProgram : public DamagedCheckpoint, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, ResumedProgram, testing::Values(0, 1, 2, 3));

TEST_P(ResumedProgram, SaysThatACheckpointIsBad) {
  for (const char* file : {kControl, kPart}) {
    restore_all(true);
    const std::string bytes = whole(file);
    write_file(newer() / file, Damage{bytes.size(), 4 * bytes.size()}.apply(bytes));
    const auto result = test::run_program(
        interrupted_->scratch(), GetParam(),
        "solve --progress lines --seeds " + std::to_string(kSeeds) + " --db " + db().string());
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.err.find(newer().string()), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(older().string()), std::string::npos) << result.err;
    EXPECT_NE(read_file(db() / "log").find("bad_checkpoint"), std::string::npos);
    EXPECT_EQ(SliceReader(slice_path(db(), kSeeds)).info().crc, test::published_crc(kSeeds));
    EXPECT_FALSE(fs::exists(newer()));
    EXPECT_FALSE(fs::exists(older()));
  }
}

// ------------------------------------------------------------------------------------------ in full

TEST_F(DamagedCheckpoint, DISABLED_EveryMetadataByte) {
  try_all("a flip in every metadata byte", kPart,
          test::flips_in(metadata_bytes(), whole(kPart).size(), random_));
}

TEST_F(DamagedCheckpoint, DISABLED_EveryBitOfTheControlFile) {
  try_all("a flip of every bit", kControl, test::all_flips(whole(kControl).size()));
}

TEST_F(DamagedCheckpoint, DISABLED_ManyBitFlips) {
  try_all("random flips", kPart, test::flips(whole(kPart).size(), 2000, random_));
}

// ------------------------------------------------------------------------------------ the test of the test

/// Exits of a smaller slice that is consistent in itself, but wrong.
TEST_F(DamagedCheckpoint, WrongValuesAreNoticed) {
  constexpr int kSmaller = 8;
  const std::string before = read_file(slice_path(db(), kSmaller));
  const auto outcomes = test::run_trials(
      2, kSeconds, [] { return World(); },
      [&](const World& world, std::size_t i) {
        restore_all(false);
        write_file(newer() / kControl, "");
        if (i == 1)
          test::write_slice(db(), kSmaller, RuleSet::awari,
                            std::vector<std::int8_t>(slice_size(kSmaller), 1));
        return resume(world, false);
      });
  write_file(slice_path(db(), kSmaller), before);
  EXPECT_EQ(outcomes, (std::vector<Outcome>{Outcome::refused, Outcome::wrong}));
}

}  // namespace
}  // namespace awele
