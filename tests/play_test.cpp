// Real games: how each rule set starves, slams, ends and repeats, notation, saved games, optimal lines.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "awele/play/game_record.hpp"
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
  const char* rows = "A draw 1-1: the position repeats; each side keeps its own row.";
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
       {split, split, split, split, rows}},
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

Game load_saved(const std::string& text) { return load_game(text, "game", RuleSet::awari).game; }

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
  const Game game = load_saved("# a comment\n\n" + text);
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
      const Game game = load_saved(damaged);
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
  EXPECT_THROW(load_saved(""), Error);
  for (std::size_t length = 2; length + 1 < text.size(); ++length)  // "a" is a game of one move
    EXPECT_THROW(load_saved(text.substr(0, length)), Error) << length;
}

TEST(SavedGame, SaysWhatIsWrong) {
  const auto refused = [](const std::string& text) {
    try {
      load_game(text, "my.game", RuleSet::awari);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string head = "awele game 1\nrules awari\nboard 4,4,4,4,4,4,4,4,4,4,4,4\nstores 0,0\n";
  EXPECT_EQ(refused("awele game 2\n"),
            "my.game, line 1: a saved game begins with 'awele game 1', not with 'awele game 2'");
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

// ------------------------------------------------------------------------------- games that go round

const char* const kCircle = "AaBbCcDdEeFf";

void play_all(Game& game, const std::string& letters) {
  for (char letter : letters) game.play(pit_of_letter(letter).value());
}

/// Three seeds against one on the board, 44 captured evenly.
Situation uneven() { return situation("1 0 0 1 0 0 1 0 0 0 0 0", {22, 23}); }

TEST(Endless, ByRowsEachSideKeepsItsOwn) {
  for (RuleSet rules : kRuleSets) EXPECT_EQ(usual_sharing(rules) == Sharing::rows, rules == RuleSet::abapa);
  Game game(RuleSet::abapa, uneven());
  EXPECT_EQ(describe(game.shared(Sharing::rows), game.rules()),
            "A draw 24-24: endless by agreement; each side keeps its own row.");
  EXPECT_EQ(describe(game.shared(Sharing::split), game.rules()),
            "Second wins 23.5-24.5: endless by agreement; what is left is split evenly.");
  game.play(0);
  EXPECT_EQ(game.shared(Sharing::rows).halves, (Stores{48, 48})) << "seen from the other side";
}

TEST(Endless, ARepetitionIsWorthItsRows) {
  const Situation start = situation("1 0 0 0 0 0 1 0 0 0 0 0", {23, 23});
  for (Sharing sharing : {Sharing::split, Sharing::rows}) {
    Game game(RuleSet::abapa, start, {.sharing = sharing});
    play_all(game, std::string(kCircle) + "AaBbCcDdEeF");
    ASSERT_FALSE(game.outcome());
    EXPECT_EQ(game.value_by_repetition(5), 0);
    game.play(5);
    ASSERT_TRUE(game.outcome());
    EXPECT_EQ(game.outcome()->sharing, sharing);
  }
}

TEST(Endless, AgreementEndsTheGameAndIsTakenBack) {
  Game game(RuleSet::abapa, uneven());
  game.agree();
  ASSERT_TRUE(game.outcome());
  EXPECT_EQ(game.outcome()->ending, Ending::agreed);
  EXPECT_THROW(game.play(0), Error);
  EXPECT_EQ(save_game(load_saved(save_game(game))), save_game(game));
  game.undo();
  EXPECT_FALSE(game.outcome());
  const Game split = replayed(game, {.sharing = Sharing::split});
  EXPECT_NE(save_game(split).find("\nrepetition split\n"), std::string::npos) << save_game(split);
  EXPECT_EQ(load_saved(save_game(split)).sharing(), Sharing::split);
}

// ---------------------------------------------------------------------- records as people exchange them

GameRecord load(const std::string& text) { return load_game(text, "record", RuleSet::abapa); }

std::string letters_of(const Game& game) {
  std::string letters;
  for (std::size_t ply = 0; ply < game.plies(); ++ply)
    letters += pit_letter(game.move(ply).side, game.move(ply).pit);
  return letters;
}

std::string why_refused(const std::string& text) {
  try {
    load(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST(Records, TheSameGameInEveryForm) {
  for (const std::string text : {
           "FfAeC",
           "F f A e C",
           "F4 f4 A5 e4 C7",
           "1 F f 2 A e 3 C",
           "1. F f 2. A e 3. C",
           "1.F f\n2.A e\n3.C *\n",
           "F {first} f ; to the end\n# a line\nA (B b (C)) e! C!? $4",
           "[South \"Ama \\\"A\\\" Osei\"]\n[North \"?\"]\n[Variant \"Oware Abapa\"]\n\n1. F f 2. A e 3. C\n",
       }) {
    EXPECT_EQ(letters_of(load(text).game), "FfAeC") << text;
  }
}

TEST(Records, Squares) {
  // a2 is the second player's pit f: above A.
  EXPECT_EQ(letters_of(load("{first} f1c2, a2d1, a1f1").game), "FfA");
  EXPECT_EQ(why_refused("f1d2"), "record, line 1: the move f1d2 ends on c2 on this board");
  EXPECT_EQ(letters_of(load("a2d1 f1c2").game), "fF") << "the second player begins";
  EXPECT_EQ(letters_of(load("{a {} 1. f F").game), "fF") << "after a comment, too";
  const Situation start = load("[FEN \"1,2S,2,3S,1/11S,4,7S 13 12 N 9\"] b2a1").game.start();
  EXPECT_EQ(start.board, parse_board("0 3 0 0 2 0 11 0 0 0 0 7"));
  EXPECT_EQ(start.to_move, Side::second);
  EXPECT_EQ(start.stores, (Stores{13, 12}));
  EXPECT_NE(why_refused("[FEN \"1,2S,3S,1/11S,4,7S 13 12 N\"] F").find("is not two rows of squares"),
            std::string::npos);
}

TEST(Records, OgnComesBack) {
  GameRecord record = load("[South \"Ama\"]\n[Opening \"7\"]\nFfAeC");
  const std::string text = save_ogn(record, {"a", "b", "c", "d", "e"});
  const GameRecord again = load(text);
  EXPECT_EQ(letters_of(again.game), "FfAeC");
  EXPECT_NE(
      text.find("[South \"Ama\"]\n[North \"?\"]\n[Result \"*\"]\n[Opening \"7\"]\n\n1. F { a } f { b } 2. A"),
      std::string::npos)
      << text;
  EXPECT_EQ(save_ogn(again, {"a", "b", "c", "d", "e"}), text);
}

TEST(Records, AStartOfItsOwn) {
  const GameRecord record = load("[FEN \"1-0-0-1-0-0-1-0-0-0-0-0-22-23-N\"] a");
  EXPECT_EQ(record.game.start().to_move, Side::second);
  EXPECT_EQ(record.game.start().board, parse_board("1 0 0 0 0 0 1 0 0 1 0 0"));
  EXPECT_EQ(letters_of(load(save_ogn(record)).game), "a");
  EXPECT_EQ(load(save_ogn(record)).game.start(), record.game.start());
  EXPECT_EQ(load(save_game(record.game)).game.start(), record.game.start());
  EXPECT_NE(why_refused("[FEN \"4-4-S\"] F").find("the start '4-4-S' is not 12 pits, two stores and S or N"),
            std::string::npos);
}

TEST(Records, ResultsTellOfAgreements) {
  const std::string start = "[FEN \"1-0-0-1-0-0-1-0-0-0-0-0-22-23-S\"] A a ";
  EXPECT_EQ(load(start).game.outcome().has_value(), false);
  EXPECT_EQ(load(start + "24-24").game.outcome()->ending, Ending::agreed);
  EXPECT_EQ(load(start + "24-24").game.sharing(), Sharing::rows);
  EXPECT_EQ(load(start + "23.5-24.5").game.sharing(), Sharing::split);
  const GameRecord other = load(start + "26-22");
  ASSERT_EQ(other.notes.size(), 1u);
  EXPECT_EQ(other.notes[0], "The result 26-22 of the record is not one that its moves lead to.");
}

TEST(Records, MovesThatFollowTheEnd) {
  const std::string start = "[FEN \"0-0-0-0-0-1-1-0-0-0-1-0-23-20-S\"] [Variant \"awari\"]\n";
  const GameRecord record = load(start + "F+2 e 25-20");
  ASSERT_TRUE(record.decided);
  EXPECT_EQ(record.decided->plies, 1u);
  EXPECT_EQ(record.game.plies(), 2u);
  EXPECT_EQ(
      record.all_notes(),
      std::vector<std::string>{"The game was decided after ply 1, but the record continues to ply 2. First "
                               "wins 25-20: more than half of the seeds."});
  EXPECT_EQ(load(save_game(record.game)).game.plies(), 2u);
  EXPECT_NE(save_ogn(record).find("25-20\n"), std::string::npos);
  // A position for the fourth time.
  const GameRecord round =
      load("[FEN \"1-0-0-0-0-0-1-0-0-0-0-0-23-23-S\"] " + std::string(kCircle) + kCircle + "Aa");
  EXPECT_EQ(round.game.plies(), 26u);
  EXPECT_EQ(round.outcome()->ending, Ending::repetition);
}

TEST(Records, TheLastGainMayCountTheEnd) {
  // Second cannot move after F: first gets its row, which some count as a gain.
  EXPECT_EQ(load("F+0 f").game.plies(), 2u);
  EXPECT_EQ(why_refused("F+3 f"), "record, line 1: the move F+3 is F4 on this board");
  EXPECT_EQ(why_refused("F f+9"), "record, line 1: the move f+9 is f4 on this board");
  EXPECT_EQ(load("[FEN \"1-0-0-1-0-0-1-0-0-0-0-0-22-23-S\"] A a+1").game.plies(), 2u);
}

TEST(Records, SayWhatIsWrong) {
  EXPECT_NE(why_refused("").find("record, line 1: there is no move; a game is read as"), std::string::npos);
  EXPECT_NE(
      why_refused("hello\n").find("record, line 1: 'hello' is not a move; a game is read as a saved game"),
      std::string::npos);
  EXPECT_EQ(why_refused("F\nA"),
            "record, line 2: 'A' is not a move of the second player, whose pits are a-f");
  EXPECT_EQ(why_refused("1. F f 3. A"), "record, line 1: the move numbered 2 is expected here, not '3.'");
  EXPECT_EQ(why_refused("FfAeCfFfF").substr(0, 25), "record, line 1: the move ");
  EXPECT_EQ(why_refused("F {f"), "record, line 1: the comment that begins here has no end");
  EXPECT_EQ(why_refused("F (f"), "record, line 1: the variation that begins here has no end");
  EXPECT_EQ(why_refused("[South Ama]\nF"),
            "record, line 1: a tag is written [Name \"value\"], and this is not");
  EXPECT_NE(why_refused("[Variant \"Kalah\"]\nF").find("the variant 'Kalah' is not known"),
            std::string::npos);
  EXPECT_NE(why_refused("F5").find("the move F5 is F4 on this board"), std::string::npos);
  EXPECT_EQ(load("F f * 1. A a").notes.size(), 1u) << "what follows the result";
  EXPECT_EQ(load("F f *\n[South \"B\"]\nA a").notes[0],
            "Another game follows in the record; only the first one was read.");
}

TEST(Records, TooManyMovesAreRefused) {
  std::string text = "[FEN \"1-0-0-0-0-0-1-0-0-0-0-0-23-23-S\"]\n";
  for (int k = 0; k < 400; ++k) text += kCircle;
  EXPECT_NE(why_refused(text).find("games of more than 4000 moves are not read"), std::string::npos);
}

/// Cut short and with bytes changed: read or refused, nothing else.
TEST(Records, DamageEndsInASentence) {
  const std::string text =
      "[South \"Ama\"]\n[FEN \"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S\"]\n1. F f {well} 2. A (B) e 3. C7 24-24\n";
  for (std::size_t k = 0; k <= text.size(); ++k) {
    EXPECT_NE(why_refused(text.substr(0, k)), "");
    for (int bit = 0; bit < 8 && k < text.size(); ++bit) {
      std::string damaged = text;
      damaged[k] = static_cast<char>(damaged[k] ^ (1 << bit));
      EXPECT_NE(why_refused(damaged), "");
    }
  }
}

TEST(SavedGame, MayHoldComments) {
  const std::string head = "awele game 1\nrules awari\nboard 4,4,4,4,4,4,4,4,4,4,4,4\nstores 0,0 # begin\n";
  const GameRecord record = load(head + "1 F4 {well} f4 ; so so\n2 A5 # last\nend unfinished\n");
  EXPECT_EQ(letters_of(record.game), "FfA");
}

// ----------------------------------------------------------------------------------- text as people have it

std::string in_utf16(const std::string& text, bool mark, bool big) {
  std::string wide = !mark ? "" : big ? "\xFE\xFF" : "\xFF\xFE";
  for (char c : text) wide += big ? std::string{'\0', c} : std::string{c, '\0'};
  return wide;
}

TEST(Text, MarksAndLineEndsMakeNoDifference) {
  const std::string text = finished_game();
  for (const std::string end : {"\n", "\r\n", "\r"})
    for (const std::string mark : {"", "\xEF\xBB\xBF"}) {
      std::string other = mark;
      for (char c : text) other += c == '\n' ? end : std::string(1, c);
      EXPECT_EQ(save_game(load_saved(other)), text);
      EXPECT_EQ(letters_of(load(mark + "F f" + end + "A e C" + end).game), "FfAeC");
    }
}

TEST(Text, WideEncodingsAreNamed) {
  const std::string remedy = " text, which is not read; save it as UTF-8";
  for (bool mark : {true, false})
    for (bool big : {true, false})
      EXPECT_NE(why_refused(in_utf16(finished_game(), mark, big)).find("record is UTF-16" + remedy),
                std::string::npos);
  EXPECT_NE(why_refused(std::string("\xFF\xFE\0\0F\0\0\0", 8)).find("record is UTF-32" + remedy),
            std::string::npos);
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
