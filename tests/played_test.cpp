// Outcome databases played out: from random positions with random stores, whoever plays by value and distance
// never ends with less than the exact database promises, against best and against random replies.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <vector>

#include "awele/play/guide.hpp"
#include "awele/probe/probe.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"

namespace awele {
namespace {

constexpr int kPositions = 1000, kMostPlies = 600;

int sign(int value) { return (value > 0) - (value < 0); }

enum class Replies { best, random };

struct Case {
  int total;
  Replies replies;
};

class Played : public testing::TestWithParam<Case> {
 protected:
  Played() {
    const std::string total = std::to_string(GetParam().total);
    const auto solved = test::run_program(scratch_.path(), 0,
                                          "solve --outcome --distances --total " + total + " --seeds " +
                                              total + " --db " + scratch_.path().string());
    EXPECT_EQ(solved.code, 0) << solved.err;
  }

  Situation random_situation(int total) {
    Situation start;
    const int left = any(2, total);
    for (int k = 0; k < left; ++k) ++start.board[static_cast<std::size_t>(any(0, kPits - 1))];
    start.stores[0] = any(0, total - left);
    start.stores[1] = total - left - start.stores[0];
    return start;
  }

  /// A legal move of the exact database's best value, or any.
  int reply(Guide& exact, const Situation& now) {
    std::vector<int> pits;
    const Guidance known = exact.guide(now, false).value();
    for (int i = 0; i < kHalfPits; ++i) {
      const auto& value = known.values[static_cast<std::size_t>(i)];
      if (value && (GetParam().replies == Replies::random || *value == known.value)) pits.push_back(i);
    }
    return pits[static_cast<std::size_t>(any(0, static_cast<int>(pits.size()) - 1))];
  }

  int any(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

  test::ScratchDirectory scratch_;
  std::mt19937 random_{2};
};

TEST_P(Played, NeverGivesAWinOrADrawAway) {
  const Prober exact_values(std::filesystem::path(AWELE_TEST_DATABASES) / "awari");
  const Prober outcomes(scratch_.path(), Prober::kDefaultCache, Accept::any);
  Guide exact(exact_values), guide(outcomes);
  int won = 0, drawn = 0;
  for (int k = 0; k < kPositions; ++k) {
    Game game(RuleSet::awari, random_situation(GetParam().total));
    if (game.outcome()) continue;
    const int promised = sign(game.start().lead() + exact.guide(game.start(), false)->value);
    if (promised < 0) continue;
    (promised > 0 ? won : drawn)++;
    for (int ply = 0; ply < kMostPlies && !game.outcome(); ++ply) {
      const Situation& now = game.now();
      game.play(now.to_move == game.start().to_move ? *guide.guide(now)->choice : reply(exact, now));
    }
    ASSERT_TRUE(game.outcome()) << "position " << k << " is not over after " << kMostPlies << " plies";
    EXPECT_GE(sign(game.outcome()->lead(game.start().to_move)), promised) << "position " << k;
  }
  EXPECT_GT(won, kPositions / 5);
  EXPECT_GT(drawn, kPositions / 50);
}

INSTANTIATE_TEST_SUITE_P(Games, Played,
                         testing::Values(Case{12, Replies::best}, Case{12, Replies::random},
                                         Case{14, Replies::best}, Case{14, Replies::random}),
                         [](const auto& each) {
                           return std::to_string(each.param.total) +
                                  (each.param.replies == Replies::best ? "_best" : "_random");
                         });

}  // namespace
}  // namespace awele
