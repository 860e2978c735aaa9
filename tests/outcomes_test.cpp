// Outcome databases: what the solver makes with values clamped to what decides games of so many seeds is,
// byte for byte, what the exact values clamped afterwards are; at whatever number of ranks it is started
// with, with large and with tiny buffers, in both layouts, in one go and in pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "awele/solver/solve.hpp"
#include "awele/store/codec.hpp"
#include "reference/reference_solver.hpp"
#include "support/csv.hpp"
#include "support/scratch_directory.hpp"

namespace awele {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kTop = 8;
#else
constexpr int kTop = 10;
#endif

using Digests = std::vector<std::uint32_t>;

/// Seeds of games under a rule set.
std::vector<int> totals(RuleSet rules, bool all) {
  if (rules == RuleSet::majority_slam) return {48};
  if (!all) return {7, 12};
  if (rules == RuleSet::awari) return {1, 6, 10, 12, 13, 14, 15, 16, 48};
  return {12, 14, 48};
}

/// The values of slice n clamped to what decides games of `total` seeds.
std::vector<std::int8_t> clamped(const std::vector<std::int8_t>& values, int n, int total) {
  const auto most = static_cast<std::int8_t>(std::min(n, total - n + 1));
  std::vector<std::int8_t> all(values);
  for (std::int8_t& value : all) value = std::clamp(value, static_cast<std::int8_t>(-most), most);
  return all;
}

/// Exchange capacity, batch, layout; the largest slice, and whether games of any number of seeds are tried.
struct Shape {
  const char* name;
  std::uint64_t exchange_bytes, batch;
  bool counts_apart;
  int top;
  bool all_totals = false;
};

class Outcomes : public testing::TestWithParam<Shape> {
 protected:
  SolveOptions options(RuleSet rules, int total) const {
    SolveOptions options;
    options.rules = rules;
    options.scope = Scope::outcome(total);
    options.seeds = std::min({GetParam().top, kTop, total});
    options.exchange_bytes = GetParam().exchange_bytes;
    options.batch = GetParam().batch;
    options.counts_apart = GetParam().counts_apart;
    return options;
  }
  /// A new directory, the same on all ranks, for the life of the object.
  struct Directory {
    explicit Directory(const Communicator& ranks) {
      if (ranks.root()) scratch.emplace();
      path = ranks.broadcast(scratch ? scratch->path().string() : "");
    }
    std::optional<test::ScratchDirectory> scratch;
    std::string path;
  };
  Digests solve_digests(SolveOptions options, SolveControl& control) const {
    SolveObserver quiet;
    Digests digests;
    for (const SliceReport& report : solve(options, ranks_, quiet, control))
      digests.push_back(static_cast<std::uint32_t>(ranks_.max(report.crc)));
    return digests;
  }
  /// Digests of the clamped exact values.
  static Digests expected(RuleSet rules, int top, int total) {
    static std::array<std::vector<std::vector<std::int8_t>>, kRuleSets.size()> known;
    auto& exact = known[static_cast<std::size_t>(rules)];
    if (exact.empty()) exact = reference::reference_slices(rules, kTop);
    Digests digests;
    for (int n = 0; n <= top; ++n)
      digests.push_back(
          crc32(0, std::span<const std::int8_t>(clamped(exact[static_cast<std::size_t>(n)], n, total))));
    return digests;
  }

  const Communicator ranks_ = Communicator::world();
};

TEST_P(Outcomes, AreTheClampedExactValues) {
  for (RuleSet rules : kRuleSets)
    for (int total : totals(rules, GetParam().all_totals)) {
      const Directory dir(ranks_);
      SolveOptions each = options(rules, total);
      each.dir = dir.path;
      SolveControl undisturbed;
      const Digests found = solve_digests(each, undisturbed);
      if (ranks_.root()) {
        EXPECT_EQ(found, expected(rules, each.seeds, total)) << name(rules) << ", " << total;
      }
      ranks_.barrier();
    }
}

/// Saves and stops at every so manieth question.
class StopOften : public SolveControl {
 public:
  explicit StopOften(int questions) : left_(questions) {}
  Wish wish(Stage stage, int, const Outlook&) override {
    if (stage == Stage::checkpoint || stage == Stage::renaming || stage == Stage::renaming_checkpoint)
      return Wish::go_on;
    return --left_ == 0 ? Wish::checkpoint_stop : Wish::go_on;
  }

 private:
  int left_;
};

TEST_P(Outcomes, AreTheSameInPieces) {
  for (RuleSet rules : {RuleSet::awari, RuleSet::abapa})
    for (int total : {8, 12}) {
      const Directory dir(ranks_);
      SolveOptions each = options(rules, total);
      each.dir = dir.path;
      each.seeds = std::min(each.seeds, 8);
      Digests found;
      int stops = 0;
      for (; found.empty() && stops < 1000; ++stops) {
        StopOften control(25 + stops % 3);
        try {
          found = solve_digests(each, control);
        } catch (const Stopped&) {
        }
      }
      EXPECT_GT(stops, 3);
      if (ranks_.root()) {
        EXPECT_EQ(found, expected(rules, each.seeds, total)) << name(rules) << ", " << total;
      }
      ranks_.barrier();
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Outcomes,
                         testing::Values(Shape{"normal", 4 << 20, 1 << 19, false, 10, true},
                                         Shape{"apart", 4 << 20, 1 << 19, true, 8},
                                         Shape{"tiny", 1, 64, false, 7},
                                         Shape{"tiny_apart", 300, 64, true, 7}),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace awele
