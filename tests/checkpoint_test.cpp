// Saving and resuming the state of a slice, on one set of ranks. Other numbers of ranks, killed processes and
// damaged files: kill_test.sh, damage_test.
#include "solver/checkpoint.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "awele/solver/solve.hpp"
#include "awele/store/slice_file.hpp"
#include "support/control_file.hpp"
#include "support/damage.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

/// A directory of rank 0's that all ranks use.
class SharedDirectory {
 public:
  explicit SharedDirectory(const Communicator& ranks) {
    if (ranks.root()) scratch_.emplace();
    path_ = ranks.broadcast(scratch_ ? scratch_->path().string() : "");
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::optional<test::ScratchDirectory> scratch_;
  std::filesystem::path path_;
};

/// Wishes `wish` at the question number `at`, counted over those that can be heeded.
class WishAt : public SolveControl {
 public:
  WishAt(Wish wish, int at) : wish_(wish), at_(at) {}
  Wish wish(Stage stage, int, const Outlook&) override {
    if (stage == Stage::checkpoint || stage == Stage::renaming || stage == Stage::renaming_checkpoint)
      return Wish::go_on;
    return ++asked_ == at_ ? wish_ : Wish::go_on;
  }

 private:
  Wish wish_;
  int at_, asked_ = 0;
};

class EveryTime : public SolveControl {
 public:
  Wish wish(Stage, int, const Outlook&) override { return Wish::checkpoint; }
};

class Count : public SolveObserver {
 public:
  void checkpoint_done(const CheckpointReport&) override { ++saved; }
  void checkpoint_bad(const CheckpointReport& report) override {
    ++bad;
    reason = report.reason;
  }
  void resumed(const CheckpointReport&) override { ++resumed_runs; }
  int saved = 0, bad = 0, resumed_runs = 0;
  std::string reason;
};

SolveOptions options_for(RuleSet rules, int seeds, const std::filesystem::path& dir) {
  SolveOptions options;
  options.rules = rules;
  options.seeds = seeds;
  options.dir = dir;
  return options;
}

/// Of slices that were there before only rank 0 knows them.
std::vector<std::uint64_t> digests(const std::vector<SliceReport>& reports, const Communicator& ranks) {
  std::vector<std::uint64_t> all;
  for (const SliceReport& each : reports) all.push_back(ranks.max(std::uint64_t{each.crc}));
  return all;
}

std::vector<std::uint64_t> undisturbed(RuleSet rules, int seeds, const Communicator& ranks) {
  const SharedDirectory dir(ranks);
  SolveObserver quiet;
  SolveControl control;
  const auto result = digests(solve(options_for(rules, seeds, dir.path()), ranks, quiet, control), ranks);
  ranks.barrier();
  return result;
}

/// Solves by runs that each stop at a question further on; returns the digests of the last.
std::vector<std::uint64_t> by_pieces(const SolveOptions& options, const Communicator& ranks, int step,
                                     Count& count) {
  for (int run = 0;; ++run) {
    WishAt control(Wish::checkpoint_stop, step + run % 3);
    try {
      return digests(solve(options, ranks, count, control), ranks);
    } catch (const Stopped&) {
    }
    if (run > 10000) throw Error("it never ends");
  }
}

TEST(Checkpoint, StoppedAnywhereTheSliceIsTheSame) {
  const Communicator ranks = Communicator::world();
  for (const RuleSet rules : {RuleSet::awari, RuleSet::abapa})
    for (const int step : {7, 40}) {
      const SharedDirectory dir(ranks);
      Count count;
      const auto expected = undisturbed(rules, 8, ranks);
      EXPECT_EQ(by_pieces(options_for(rules, 8, dir.path()), ranks, step, count), expected)
          << name(rules) << step;
      EXPECT_GT(count.resumed_runs, 2) << step;
      EXPECT_EQ(count.bad, 0);
      ranks.barrier();
      EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 9)
          << "only slices are left";
      ranks.barrier();
    }
}

TEST(Checkpoint, WithTinyBatchesSoThatPositionsAreMarked) {
  const Communicator ranks = Communicator::world();
  const SharedDirectory dir(ranks);
  SolveOptions options = options_for(RuleSet::awari, 8, dir.path());
  options.batch = 64;
  options.exchange_bytes = 1024;
  Count count;
  EXPECT_EQ(by_pieces(options, ranks, 11, count), undisturbed(RuleSet::awari, 8, ranks));
  ranks.barrier();
}

TEST(Checkpoint, SavedAtEveryQuestionNothingChanges) {
  const Communicator ranks = Communicator::world();
  const SharedDirectory dir(ranks);
  Count count;
  EveryTime control;
  EXPECT_EQ(digests(solve(options_for(RuleSet::awari, 7, dir.path()), ranks, count, control), ranks),
            undisturbed(RuleSet::awari, 7, ranks));
  EXPECT_GT(count.saved, 100);
  ranks.barrier();
}

/// A stop is heeded at the latest at the end of the slice.
TEST(Checkpoint, AskedToStopItStopsSoon) {
  const Communicator ranks = Communicator::world();
  const SharedDirectory dir(ranks);
  class Stop : public SolveControl {
   public:
    Wish wish(Stage, int seeds, const Outlook&) override { return seeds >= 7 ? Wish::stop : Wish::go_on; }
  } control;
  SolveObserver quiet;
  EXPECT_THROW(solve(options_for(RuleSet::awari, 9, dir.path()), ranks, quiet, control), Stopped);
  ranks.barrier();
  EXPECT_FALSE(std::filesystem::exists(slice_path(dir.path(), 7)) &&
               std::filesystem::exists(slice_path(dir.path(), 8)));
  ranks.barrier();
}

/// Stops in slice 8 with the exits of the slices 6 down to 8 - captured merged.
class StopAfterExits : public SolveControl {
 public:
  explicit StopAfterExits(int captured) : left_(captured - 1) {}
  Wish wish(Stage stage, int seeds, const Outlook&) override {
    return stage == Stage::exits && seeds == 8 && --left_ == 0 ? Wish::checkpoint_stop : Wish::go_on;
  }

 private:
  int left_;
};

/// A slice that was consistent, but another one, when its exits were merged: what rests on it is given up.
TEST(Checkpoint, OfOtherSmallerSlicesIsNotUsed) {
  const Communicator ranks = Communicator::world();
  const auto expected = undisturbed(RuleSet::awari, 8, ranks);
  constexpr int kOther = 5;
  for (const int captured : {2, 3, 8}) {
    const SharedDirectory dir(ranks);
    const SolveOptions smaller = options_for(RuleSet::awari, 7, dir.path()),
                       options = options_for(RuleSet::awari, 8, dir.path());
    Count count;
    SolveControl undisturbed_control;
    solve(smaller, ranks, count, undisturbed_control);
    const std::filesystem::path right = dir.path() / "right";
    if (ranks.root()) {
      std::filesystem::rename(slice_path(dir.path(), kOther), right);
      test::write_slice(dir.path(), kOther, RuleSet::awari, std::vector<std::int8_t>(slice_size(kOther), 1));
    }
    ranks.barrier();
    StopAfterExits control(captured);
    EXPECT_THROW(solve(options, ranks, count, control), Stopped);
    if (ranks.root()) std::filesystem::rename(right, slice_path(dir.path(), kOther));
    ranks.barrier();
    EXPECT_EQ(digests(solve(options, ranks, count, undisturbed_control), ranks), expected) << captured;
    const bool merged = captured >= 8 - kOther;
    if (ranks.root()) {
      EXPECT_EQ(count.bad, merged) << captured;
      if (merged) {
        EXPECT_NE(count.reason.find("slice_05.h5"), std::string::npos) << count.reason;
      }
    }
    EXPECT_EQ(count.resumed_runs, !merged) << captured;
    ranks.barrier();
  }
}

/// Random codes and counts survive, in both layouts, whoever shares a node with whom when they are saved and
/// when they are restored.
class CheckpointedState : public testing::TestWithParam<bool> {};

TEST_P(CheckpointedState, IsTheSameForAnyGroupingIntoNodes) {
  const Communicator ranks = Communicator::world();
  const SharedDirectory dir(ranks);
  constexpr int n = 12;
  Exchange exchange(ranks, 1 << 16, 0);
  SolveControl control;
  StateArrays arrays;
  SliceState state(n, RuleSet::awari, {n, GetParam()}, ranks.rank(), ranks.size(), arrays);
  const auto forget = [&] {
    begin_exits(state);
    finish_exits(state);
  };
  forget();
  std::mt19937 random(static_cast<unsigned>(ranks.rank()));
  for (int m = 0; m <= n; ++m)
    for (std::uint64_t local = state.rows.local_base(m); local < state.rows.local_base(m + 1); ++local)
      for (std::uint64_t c = 0; c < state.columns(m); ++c) {
        const std::uint64_t place = state.offset(local, m) + c;
        state.codes[place] = static_cast<Code>(random() | 0x80);
        if (!GetParam())
          state.counts[place / 2] ^= static_cast<std::uint8_t>((random() & 7) << 4 * (place % 2));
      }
  const std::vector<Code> codes(state.codes.begin(), state.codes.end());
  const std::vector<std::uint8_t> counts(state.counts.begin(), state.counts.end());
  SliceProgress progress;
  progress.at = SliceProgress::At::rounds;
  progress.captured = n;
  for (int k = 2; k <= n; ++k) progress.exit_crcs[n - k] = static_cast<std::uint32_t>(n - k);
  progress.threshold = 5;
  progress.settled = std::uint64_t{1} << 40;
  for (int saved_by = 1; saved_by <= 3; ++saved_by)
    for (int read_by = 1; read_by <= 3; ++read_by) {
      const Communicator save_node = ranks.split(ranks.rank() / saved_by);
      const Communicator read_node = ranks.split(ranks.rank() / read_by);
      Checkpoints saving(dir.path(), RuleSet::awari, {}, ranks, save_node, exchange, control);
      Checkpoints reading(dir.path(), RuleSet::awari, {}, ranks, read_node, exchange, control);
      ASSERT_TRUE(saving.save(state, progress).error.empty());
      forget();
      const auto restored = reading.restore(
          state, [](int slice) { return static_cast<std::uint32_t>(slice); },
          [](const auto&, const std::string& why) { FAIL() << why; });
      ASSERT_FALSE(ranks.any(!restored.has_value()));
      EXPECT_EQ(restored->progress.threshold, 5);
      EXPECT_EQ(restored->progress.settled, std::uint64_t{1} << 40);
      EXPECT_TRUE(std::equal(codes.begin(), codes.end(), state.codes.begin()));
      EXPECT_TRUE(std::equal(counts.begin(), counts.end(), state.counts.begin()));
      ranks.barrier();
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, CheckpointedState, testing::Bool(),
                         [](const auto& joined) { return joined.param ? "joined" : "apart"; });

/// Numbers that cannot be, fields too few and too many, another version, another Boost: refused, or harmless.
TEST(Checkpoint, ControlOfAnotherLayout) {
  const Communicator ranks = Communicator::world();
  const SharedDirectory dir(ranks);
  constexpr int n = 7, kVersion = 3;
  Exchange exchange(ranks, 1 << 16, 0);
  SolveControl undisturbed_control;
  StateArrays arrays;
  SliceState state(n, RuleSet::awari, {n, true}, ranks.rank(), ranks.size(), arrays);
  begin_exits(state);
  finish_exits(state);  // any codes will do
  const std::vector<Code> codes(state.codes.begin(), state.codes.end());
  SliceProgress progress;
  progress.captured = 4;
  for (int k = 2; k <= 4; ++k) progress.exit_crcs[n - k] = 1;
  Checkpoints checkpoints(dir.path(), RuleSet::awari, {}, ranks, ranks, exchange, undisturbed_control);
  const std::filesystem::path control = checkpoints.save(state, progress).path / "control";
  const std::string whole = ranks.root() ? test::read_file(control) : "";
  const std::string archive = whole.substr(whole.find('\n') + 1);
  std::vector<std::string> words;
  std::istringstream in(archive);
  for (std::string word; in >> word;) words.push_back(word);
  const auto joined = [&](const std::vector<std::string>& all, std::size_t count) {
    std::string text;
    for (std::size_t k = 0; k < count; ++k) text += (k ? " " : "") + all[k];
    return test::control_file(kVersion, text + "\n");
  };
  std::vector<std::string> files;
  if (ranks.root()) {
    ASSERT_EQ(test::control_file(kVersion, archive), whole);
    files = {"",
             "\n",
             test::control_file(kVersion - 1, archive),
             test::control_file(kVersion + 1, archive),
             test::control_file(kVersion, ""),
             test::control_file(kVersion, "22 serialization::archive 99 0 0")};
    for (std::size_t count = 1; count < words.size(); ++count) files.push_back(joined(words, count));
  }
  const std::uint64_t refused = ranks.max(files.size());
  if (ranks.root())
    for (std::size_t k = 0; k < words.size(); ++k)
      for (const char* number : {"-7", "77", "4294967295", "99999999999999999999999"}) {
        auto other = words;
        other[k] = number;
        files.push_back(joined(other, other.size()));
      }
  for (std::uint64_t k = 0; k < ranks.max(files.size()); ++k) {
    if (ranks.root()) test::write_file(control, files[k]);
    ranks.barrier();
    std::string why;
    const auto restored = checkpoints.restore(
        state, [](int) { return 1u; }, [&](const auto&, const std::string& reason) { why = reason; });
    if (k < refused) {
      EXPECT_FALSE(restored.has_value()) << k;
    }
    if (restored) {
      EXPECT_TRUE(std::equal(codes.begin(), codes.end(), state.codes.begin())) << k;
    } else if (ranks.root()) {
      EXPECT_NE(why, "");
      EXPECT_EQ(why.find('\n'), std::string::npos) << why;
    }
    ranks.barrier();
  }
}

}  // namespace
}  // namespace awele
