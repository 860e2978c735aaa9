// Real games: how each rule set starves, slams, ends and repeats, notation, saved games, optimal lines.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "awele/play/guide.hpp"
#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/support/error.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

Situation situation(const std::string& board, Stores stores = {0, 0}) {
  return {parse_board(board), Side::first, stores};
}

/// Plays letters one after the other; the result is how the game ends, or "refused LETTER" or "goes on".
std::string result(RuleSet rules, const Situation& start, const std::string& letters) {
  Game game(rules, start);
  for (char letter : letters) {
    const int pit = pit_of_letter(letter).value();
    EXPECT_EQ(pit_letter(game.now().to_move, pit), letter);
    if (game.outcome() || !legal_moves(game.now(), rules)[static_cast<std::size_t>(pit)])
      return std::string("refused ") + letter;
    game.play(pit);
  }
  return game.outcome() ? describe(*game.outcome(), rules) : "goes on";
}

struct Case {
  const char* what;
  Situation start;
  std::string letters;
  /// In the order of kRuleSets: awari, unrestricted, majority-slam, never-starve, abapa.
  std::array<const char*, 5> results;
};

const char* const kTookAll = "the last move left the opponent without seeds and took the rest.";
const char* const kOwn = "no legal move; each side keeps its own pits.";

std::vector<Case> cases() {
  static const std::string took20 = std::string("First wins 2-0: ") + kTookAll;
  static const std::string took10 = std::string("First wins 1-0: ") + kTookAll;
  static const std::string took1311 = std::string("First wins 13-11: ") + kTookAll;
  static const std::string took2521 = std::string("First wins 26-22: ") + kTookAll;
  static const std::string own10 = std::string("First wins 1-0: ") + kOwn;
  const char* nobody = "A draw 0-0: no legal move; what is left goes to nobody.";
  const char* emptied = "Second wins 0-1: no seeds to move; what is left goes to the other side.";
  const char* emptied_nobody = "A draw 0-0: no seeds to move; what is left goes to nobody.";
  const char* split = "A draw 1-1: the position repeats; what is left is split evenly.";
  const char* slam = "First wins 25-22: more than half of the seeds.";
  const char* majority = "First wins 25-20: more than half of the seeds.";
  const std::string circle = "AaBbCcDdEeFf";
  return {
      {"a starving move beside another",
       situation("1 0 0 0 0 1 0 0 0 0 0 0"),
       "A",
       {"refused A", took20.c_str(), "refused A", "refused A", "refused A"}},
      {"only starving moves",
       situation("1 0 0 0 0 0 0 0 0 0 0 0"),
       "A",
       {took10.c_str(), took10.c_str(), "refused A", "refused A", "refused A"}},
      {"only starving moves: the end",
       situation("1 0 0 0 0 0 0 0 0 0 0 0"),
       "",
       {"goes on", "goes on", own10.c_str(), nobody, own10.c_str()}},
      {"nothing to move",
       situation("0 0 0 0 0 0 1 0 0 0 0 0"),
       "",
       {emptied, emptied, emptied, emptied_nobody, emptied}},
      {"a grand slam beside another move",
       situation("1 0 0 0 0 1 1 0 0 0 0 0", {10, 11}),
       "F",
       {"refused F", took1311.c_str(), "refused F", "refused F", "goes on"}},
      {"a grand slam for the majority",
       situation("1 0 0 0 0 1 1 0 0 0 0 0", {23, 22}),
       "F",
       {"refused F", took2521.c_str(), slam, "refused F", "goes on"}},
      {"a grand slam short of the majority",
       situation("1 0 0 0 0 1 1 0 0 0 0 0", {22, 23}),
       "F",
       {"refused F", "First wins 25-23: the last move left the opponent without seeds and took the rest.",
        "refused F", "refused F", "goes on"}},
      {"round and round",
       situation("1 0 0 0 0 0 1 0 0 0 0 0"),
       circle + circle,
       {split, split, split, split, split}},
      {"round once",
       situation("1 0 0 0 0 0 1 0 0 0 0 0"),
       circle,
       {"goes on", "goes on", "goes on", "goes on", "goes on"}},
      {"half of the seeds reached",
       situation("0 0 0 0 0 1 1 0 0 0 1 0", {23, 20}),
       "F",
       {majority, majority, majority, majority, majority}},
  };
}

TEST(Play, EveryRuleSetStarvesSlamsEndsAndRepeats) {
  for (const Case& each : cases())
    for (std::size_t r = 0; r < kRuleSets.size(); ++r) {
      const bool odd = each.start.total() % 2 != 0;
      EXPECT_EQ(result(kRuleSets[r], each.start, each.letters), each.results[r])
          << each.what << ", " << name(kRuleSets[r]) << (odd ? " (odd total)" : "");
    }
}

TEST(Play, AbapaGrandSlamCapturesNothing) {
  Game game(RuleSet::abapa, situation("1 0 0 0 0 1 1 0 0 0 0 0"));
  EXPECT_EQ(format_move(game.play(5)), "F1");
  EXPECT_EQ(game.now().board, parse_board("2 0 0 0 0 0 1 0 0 0 0 0"));
  EXPECT_EQ(game.now().stores, (Stores{0, 0}));
}

TEST(Play, UndoTakesEverythingBack) {
  Game game(RuleSet::unrestricted, situation("1 0 0 0 0 1 0 0 0 0 0 0"));
  game.play(0);
  ASSERT_TRUE(game.outcome());
  EXPECT_THROW(game.play(5), Error);
  game.undo();
  EXPECT_FALSE(game.outcome());
  EXPECT_EQ(game.now(), game.start());
  game.play(5);
  EXPECT_EQ(game.plies(), 1u);
}

TEST(Play, TotalsMustAddUp) {
  const auto refused = [](const Situation& start, int total, RuleSet rules) {
    try {
      check_totals(start, total, rules);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Situation start = situation("1 1 1 1 1 1 1 1 1 1 1 1", {20, 15});
  EXPECT_NE(refused(start, 48, RuleSet::awari).find("add up to 47, not 48"), std::string::npos);
  EXPECT_EQ(refused(start, 47, RuleSet::awari), "");
  EXPECT_NE(refused(start, 47, RuleSet::majority_slam).find("even number"), std::string::npos);
}

std::string finished_game() {
  Game game(RuleSet::awari, situation("1 0 0 0 0 0 1 0 0 0 0 0", {23, 23}));
  for (int lap = 0; lap < 2; ++lap)
    for (int pit = 0; pit < kHalfPits; ++pit) {
      game.play(pit);
      game.play(pit);
    }
  return save_game(game);
}

TEST(SavedGame, ComesBack) {
  const std::string text = finished_game();
  const Game game = load_game("# a comment\n\n" + text, "game");
  EXPECT_EQ(save_game(game), text);
  EXPECT_EQ(describe(*game.outcome(), game.rules()),
            "A draw 24-24: the position repeats; what is left is split evenly.");
}

/// Every byte changed, every line left out or doubled: refused, or the same game.
TEST(SavedGame, DamageIsNoticed) {
  const std::string text = finished_game();
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::string damaged = text;
    damaged[k] = static_cast<char>(damaged[k] ^ 1);
    try {
      const Game game = load_game(damaged, "game");
      // Another legal game: only the start can have changed, and then its end says so too, or it is white
      // space.
      EXPECT_TRUE(save_game(game) == text || game.start().stores != Stores({23, 23}) ||
                  game.rules() != RuleSet::awari)
          << damaged;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("game, line "), std::string::npos) << error.what();
    }
  }
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_THROW(load_game(text.substr(0, length), "game"), Error) << length;
}

TEST(SavedGame, SaysWhatIsWrong) {
  const auto refused = [](const std::string& text) {
    try {
      load_game(text, "my.game");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string head = "awele game 1\nrules awari\nboard 4,4,4,4,4,4,4,4,4,4,4,4\nstores 0,0\n";
  EXPECT_EQ(refused("hello\n"), "my.game, line 1: a saved game begins with 'awele game 1'");
  EXPECT_EQ(refused(head + "1 A4 a9\nend unfinished\n"), "my.game, line 5: the move a9 is a4 on this board");
  EXPECT_EQ(refused(head + "1 A4 A4\nend unfinished\n"),
            "my.game, line 5: 'A4' is not a move of the second player, whose pits are a-f");
  EXPECT_EQ(refused(head + "1 A4 a4\n2 A0\nend unfinished\n"),
            "my.game, line 6: the move A0 is not legal: the pit is empty");
  EXPECT_EQ(refused(head + "1 A4\n"), "my.game, line 6: the game breaks off: its line 'end ...' is missing");
  EXPECT_EQ(refused(head + "1 A4\nend 25-23 majority\n"),
            "my.game, line 6: the moves lead to 'end unfinished', not to 'end 25-23 majority'");
  EXPECT_EQ(refused("awele game 1\nrules awari\nboard 4,4,4,4,4,4,4,4,4,4,4,4\nstores 9,9\n"),
            "my.game, line 4: a game has 0 to 48 seeds, not 66");
}

/// Optimal lines of every board of up to five seeds: their final difference is the value, with stored
/// distances and without, and both have the same lengths.
class Lines : public testing::TestWithParam<RuleSet> {};

TEST_P(Lines, LeadToTheValue) {
  const RuleSet rules = GetParam();
  constexpr int kSeeds = 5;
  test::ScratchDirectory scratch;
  test::make_database(scratch.path() / "with", kSeeds, rules, true);
  test::make_database(scratch.path() / "without", kSeeds, rules, false);
  const Prober with(scratch.path() / "with"), without(scratch.path() / "without");
  int cycles = 0, halves = 0;
  for (int n = 1; n <= kSeeds; ++n)
    for (std::uint64_t p = 0; p < slice_size(n); p += 37) {
      if (rules == RuleSet::majority_slam && n % 2 != 0) continue;
      const Situation start{position_at(n, p), Side::first, {0, 0}};
      const OptimalLine line = optimal_line(with, start), other = optimal_line(without, start);
      const Outcome& outcome = *line.game.outcome();
      const int value = with.value(start.board);
      cycles += outcome.ending == Ending::repetition;
      halves += outcome.halves[0] % 2;
      if (rules == RuleSet::majority_slam) {
        EXPECT_EQ((outcome.lead(Side::first) > 0) - (outcome.lead(Side::first) < 0),
                  (value > 0) - (value < 0))
            << format_board(start.board);
        continue;
      }
      EXPECT_EQ(outcome.lead(Side::first), 2 * value) << format_board(start.board);
      EXPECT_EQ(other.game.outcome()->halves, outcome.halves) << format_board(start.board);
      // The first capture comes at the distance, or there is none to come.
      ASSERT_EQ(line.moves.size() > 0, other.moves.size() > 0);
      if (!line.moves.empty()) {
        EXPECT_EQ(line.moves[0].distance, other.moves[0].distance) << format_board(start.board);
      }
      for (std::size_t k = 0; k + 1 < line.moves.size(); ++k)
        if (line.moves[k].distance > 1) {
          ASSERT_EQ(line.moves[k + 1].distance, line.moves[k].distance - 1) << format_board(start.board);
        }
    }
  const bool cyclic = rules != RuleSet::unrestricted;  // where starving wins, so few seeds never go round
  EXPECT_EQ(cycles > 0, cyclic);
  if (cyclic && rules != RuleSet::majority_slam) {
    EXPECT_GT(halves, 0) << "an odd seed is halved somewhere";
  }
}

INSTANTIATE_TEST_SUITE_P(EveryRuleSet, Lines, testing::ValuesIn(kRuleSets), [](const auto& test) {
  std::string text(name(test.param));
  for (char& c : text)
    if (c == '-') c = '_';
  return text;
});

}  // namespace
}  // namespace awele
