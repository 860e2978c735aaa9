// The commands line, analyze, play and annotate as users run them, mostly with bad input.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/damage.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

class PlayCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new test::ScratchDirectory;
    test::make_database(db(), 6, RuleSet::awari);
    test::make_database(scratch_->path() / "abapa", 4, RuleSet::abapa);
  }
  static void TearDownTestSuite() { delete scratch_; }

  static std::filesystem::path db() { return scratch_->path() / "awari"; }
  static test::ProgramResult awele(const std::string& arguments, int ranks = 0) {
    return test::run_program(scratch_->path(), ranks, arguments + " --db " + db().string());
  }
  static test::ProgramResult abapa(const std::string& arguments, const std::string& input = "") {
    return test::run_program(
        scratch_->path(), 0,
        arguments + " --db " + (scratch_->path() / "abapa").string() + " <" + file(input));
  }
  static std::string file(const std::string& bytes) {
    const auto path = scratch_->path() / "input";
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  /// What is typed goes in through a file.
  static test::ProgramResult play(const std::string& typed, const std::string& arguments = "") {
    const auto path = scratch_->path() / "typed";
    std::ofstream(path) << typed;
    return awele("play --time 0.1 " + arguments + " <" + path.string());
  }
  static std::string game(const std::string& text) {
    const auto path = scratch_->path() / "saved";
    std::ofstream(path) << text;
    return path.string();
  }
  static void expect_refused(const test::ProgramResult& result, const std::string& sentence, int code = 2) {
    EXPECT_EQ(result.code, code) << result.err;
    ASSERT_EQ(result.messages().size(), 1u) << result.err;
    EXPECT_NE(result.messages()[0].find(sentence), std::string::npos) << result.err;
  }

  static test::ScratchDirectory* scratch_;
};

test::ScratchDirectory* PlayCommands::scratch_ = nullptr;

const std::string kSix = " 0 0 1 0 1 1 1 0 1 0 1 0 ";

TEST_F(PlayCommands, StoresMustAddUp) {
  for (const std::string command : {"line", "analyze"}) {
    expect_refused(awele(command + kSix + "--stores 20,20"), "add up to 46, not 48; correct them, or state");
    expect_refused(awele(command + kSix + "--stores 20"), "the stores '20' are not two numbers");
    expect_refused(awele(command + kSix + "--stores 20,-1"), "are not two numbers");
    EXPECT_EQ(awele(command + kSix + "--stores 20,20 --total 46").code, 0);
    expect_refused(awele(command + " 1 2 3"), "3 numbers, not 12");
  }
  expect_refused(play("quit\n", "--board 1,1,1,1,1,1,0,0,0,0,0,0 --stores 1,2"), "add up to 9, not 48");
}

TEST_F(PlayCommands, LineBeyondTheDatabase) {
  expect_refused(awele("line 1 1 1 1 1 1 1 1 1 1 1 1"), "is solved only up to 6");
}

TEST_F(PlayCommands, LineTellsACycle) {
  const auto result = awele("line 1 0 0 0 0 0 1 0 0 0 0 0 --stores 23,23");
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find(
                "A cycle: plies 1 to 12 lead back to the same position; the 2 seeds left are split 1-1."),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("A draw 24-24"), std::string::npos);
}

// Three seeds that can go round for ever, two of them in first's row: five plies, then a circle of twelve.
const std::string kUneven = " 1 0 0 1 0 0 1 0 0 0 0 0 --stores 22,23 ";
const std::string kUnevenBoard = " --board 1,0,0,1,0,0,1,0,0,0,0,0 --stores 22,23 ";
const std::string kWayIn = "A a B b D ", kRound = "c C d E e D f F a A b B ";

std::string commas(std::string numbers) {
  for (char& c : numbers)
    if (c == '-') c = ',';
  return numbers;
}

std::string lines(std::string words) {
  for (char& c : words)
    if (c == ' ') c = '\n';
  return words;
}

TEST_F(PlayCommands, LineTellsBothWaysToShareACycle) {
  const auto result = abapa("line" + kUneven);
  EXPECT_NE(result.out.find("the 3 seeds left are split 1.5-1.5."), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Split evenly (as by values): Second wins 23.5-24.5"), std::string::npos);
  EXPECT_NE(result.out.find("By rows (as in tournaments): A draw 24-24"), std::string::npos);
}

TEST_F(PlayCommands, RepetitionUnderAbapaGoesByRows) {
  const std::string played = lines(kWayIn + kRound + kRound), two = "--second person " + kUnevenBoard;
  const auto rows =
      abapa("play " + two, played + "save " + (scratch_->path() / "my 'own' game.txt").string() + "\nquit\n");
  EXPECT_NE(rows.out.find("A draw 24-24: the position repeats; each side keeps its own row."),
            std::string::npos)
      << rows.out;
  EXPECT_NE(abapa("play --repetition split " + two, played)
                .out.find("Second wins 23.5-24.5: the position repeats; what is left is split evenly."),
            std::string::npos);
  const std::string annotate = "annotate \"" + (scratch_->path() / "my 'own' game.txt").string() + "\"";
  const auto annotated = abapa(annotate);
  EXPECT_NE(annotated.out.find("A draw 24-24: the position repeats"), std::string::npos) << annotated.err;
  EXPECT_NE(annotated.out.find("values count an even split"), std::string::npos);
  EXPECT_NE(annotated.out.find("   29  B1      +1 (the position repeats"), std::string::npos)
      << annotated.out;
  EXPECT_NE(abapa(annotate + " --repetition split").out.find("23.5-24.5"), std::string::npos);
  const auto loaded = abapa("play", "load \"" + (scratch_->path() / "my 'own' game.txt").string() + "\"\n");
  EXPECT_NE(loaded.out.find("A draw 24-24: the position repeats"), std::string::npos) << loaded.out;
}

TEST_F(PlayCommands, TheProgramAgreesToWhatItExpects) {
  // By rows first is one ahead of what playing on is worth, split it is not.
  const auto rows = abapa("play" + kUnevenBoard, "endless\nquit\n");
  EXPECT_NE(rows.out.find("the program expects more from playing on"), std::string::npos) << rows.out;
  const auto split = abapa("play --repetition split" + kUnevenBoard, "endless\nundo\nquit\n");
  EXPECT_NE(split.out.find("23.5-24.5: endless by agreement; what is left is split evenly."),
            std::string::npos);
}

TEST_F(PlayCommands, TypedTextMayHaveMarksAndOtherLineEnds) {
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    const auto result =
        play("\xEF\xBB\xBF" + ("F" + end) + "quit" + end, "--seeds-per-pit 1 --second person");
    EXPECT_NE(result.out.find("first plays F1x2"), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("not understood"), std::string::npos) << result.out;
    const std::string boards = "1 0 0 0 0 0 1 0 0 0 0 0" + end + "0 0 1 0 1 1 1 0 1 0 1 0" + end;
    const auto plain = awele("probe - <" + file("1 0 0 0 0 0 1 0 0 0 0 0\n0 0 1 0 1 1 1 0 1 0 1 0\n"));
    EXPECT_EQ(plain.code, 0);
    for (const std::string mark : {"", "\xEF\xBB\xBF"}) {
      const auto probed = awele("probe - <" + file(mark + boards));
      EXPECT_EQ(probed.out, plain.out);
      EXPECT_EQ(probed.code, 0);
    }
    EXPECT_EQ(awele("probe - <" + file("1 2 3" + end + end)).out.find("error"), 0u);
    const std::string joined =
        "\xEF\xBB\xBF"
        "1 0 0 0 0 0 1 0 0 0 0 0" +
        end;
    EXPECT_EQ(awele("probe - <" + file(joined + joined)).code, 0);
  }
  EXPECT_EQ(awele("probe - <" + file("\xEF\xBB\xBF")).out, "");
  const std::string wide(
      "\xFF\xFE"
      "1\0 \0"
      "0\0\n\0",
      10);
  expect_refused(awele("probe - <" + file(wide)),
                 "standard input is UTF-16 text, which is not read; save it as UTF-8");
  expect_refused(awele("probe - <" + file(wide.substr(2))), "standard input is UTF-16 text");
  expect_refused(awele("annotate " + game(wide)), "saved is UTF-16 text");
}

/// A program that asks and waits for each answer gets it, whatever ends its lines.
TEST_F(PlayCommands, EveryLineIsAnsweredWhenItIsThere) {
  const std::string talk =
      "import subprocess, sys\n"
      "asked = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
      "for end in (b'\\r', b'\\r\\n', b'\\n', b'\\r\\n', b'\\r'):\n"
      "    asked.stdin.write(b'1 0 0 0 0 0 1 0 0 0 0 0' + end)\n"
      "    asked.stdin.flush()\n"
      "    assert asked.stdout.readline().startswith(b'0 '), 'no answer'\n"
      "asked.stdin.close()\n"
      "sys.exit(asked.wait() or len(asked.stdout.read()))\n";
  const auto script = scratch_->path() / "talk.py";
  std::ofstream(script) << talk;
  EXPECT_EQ(std::system(("timeout 60 python3 " + script.string() + " " AWELE_BINARY " probe --db " +
                         db().string() + " -")
                            .c_str()),
            0);
}

/// What is shown of a loss agrees with the values that are shown, over games of more seeds than are solved.
TEST_F(PlayCommands, AnnotatedLossesAgreeWithTheValues) {
  int exact = 0, estimated = 0;
  for (const std::string start :
       {"1-1-1-1-0-1-1-0-1-1-0-0", "0-2-0-1-1-1-0-0-2-0-1-1", "1-0-3-0-1-1-0-2-0-0-1-0"}) {
    const auto played = awele("play --first program --second program --depth 1 --board " + commas(start));
    std::string moves;
    for (std::size_t at = played.out.find(" plays "); at != std::string::npos;
         at = played.out.find(" plays ", at + 1))
      moves += played.out[at + 7];
    const auto result = awele("annotate --depth 1 - <" + file("[FEN \"" + start + "-0-0-S\"] " + moves));
    EXPECT_EQ(result.code, 0) << result.err;
    std::istringstream rows(result.out);
    for (std::string row; std::getline(rows, row);) {
      std::istringstream words(row);
      int ply = 0;
      std::string move, value, pit, best, loss, proven;
      if (!(words >> ply >> move >> value >> pit >> best >> loss) || pit.size() != 1) continue;
      ++(loss[0] == '~' ? estimated : exact);
      if (value[0] != '~' && best[0] != '~') {
        EXPECT_EQ(loss, std::to_string(std::stoi(best) - std::stoi(value))) << row;
      }
      int low = 0, high = 0;
      std::string to;
      if (loss[0] == '~' && words >> proven >> low >> to >> high) {
        EXPECT_LE(low, std::stod(loss.substr(1))) << row;
        EXPECT_GE(high, std::stod(loss.substr(1))) << row;
      }
    }
  }
  EXPECT_GE(exact, 20);
  EXPECT_GE(estimated, 3);
}

TEST_F(PlayCommands, AnnotateReadsRecordsAndWritesOgn) {
  const std::string start = "[FEN \"0-0-1-0-1-1-1-0-1-0-1-0-21-21-S\"] ";
  const auto table = awele("annotate - <" + file(start + "[South \"Ama\"] F+2 c {why?} *"));
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("    1  F1x2 "), std::string::npos) << table.out;
  const auto ogn = awele("annotate --format ogn - <" + file(start + "[South \"Ama\"] C a"));
  EXPECT_NE(ogn.out.find("[South \"Ama\"]\n"), std::string::npos) << ogn.out;
  EXPECT_NE(ogn.out.find("gave away"), std::string::npos) << ogn.out;
  EXPECT_EQ(awele("annotate --format ogn " + game(ogn.out)).out, ogn.out);
  expect_refused(awele("annotate --format pdf " + game(ogn.out)),
                 "'pdf' is not a format; use one of text, ogn");
  // A record without rules is one of the database's; one that goes on past the end is read with a note.
  EXPECT_NE(abapa("annotate --depth 2 -", "FfAeC").out.find("    5  C7 "), std::string::npos);
  const auto past = awele("annotate - <" + file("[FEN \"0-0-1-0-1-1-1-0-1-0-1-0-23-19-S\"] F c"));
  EXPECT_NE(past.err.find("note: The game was decided after ply 1, but the record continues to ply 2."),
            std::string::npos)
      << past.err;
  EXPECT_NE(past.out.find("First wins 25-19"), std::string::npos) << past.out;
  EXPECT_NE(past.out.find("    2  c1 "), std::string::npos) << past.out;
}

TEST_F(PlayCommands, IllegalMovesAreExplained) {
  const auto result = play("A\nB\nX\nF2\nquit\n", "--board 0,1,0,0,0,1,0,0,0,0,0,0 --second person");
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find("A is not legal: the pit is empty"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("B is not legal: it would leave the opponent without seeds"), std::string::npos);
  EXPECT_NE(result.out.find("'X' is not understood"), std::string::npos);
  EXPECT_NE(result.out.find("there are 1 seeds in pit F, not as 'F2' says"), std::string::npos);
}

TEST_F(PlayCommands, EndOfInputLeavesTheGame) {
  const auto result = play("F", "--seeds-per-pit 1 --second person");
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find("first plays F1x2"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("The game is left unfinished."), std::string::npos);
}

TEST_F(PlayCommands, ProgramAgainstItselfUnderEveryRuleSet) {
  const auto empty = scratch_->path() / "empty";
  std::filesystem::create_directories(empty);
  for (RuleSet rules : kRuleSets) {
    const auto result = test::run_program(scratch_->path(), 0,
                                          "play --first program --second program --depth 3 --board "
                                          "0,1,0,1,0,1,0,1,0,1,0,0 --stores 3,2 --total 10 "
                                          "--rules " +
                                              std::string(name(rules)) + " --db " + empty.string());
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(result.out.find(" wins ") != std::string::npos ||
                result.out.find("A draw") != std::string::npos)
        << result.out;
  }
}

TEST_F(PlayCommands, CorruptGamesAreRefused) {
  const std::string head = "awele game 1\nrules awari\nboard 0,0,1,0,1,1,1,0,1,0,1,0\nstores 21,21\n";
  const auto annotate = [](const std::string& path) { return awele("annotate " + path); };
  EXPECT_EQ(annotate(game(head + "1 F1x2\nend unfinished\n")).code, 0);
  expect_refused(annotate(game(head + "1 F1\nend unfinished\n")),
                 "line 5: the move F1 is F1x2 on this board");
  expect_refused(annotate(game(head + "1 A0\nend unfinished\n")), "line 5: the move A0 is not legal");
  expect_refused(annotate(game(head + "1 F1x2\n")), "its line 'end ...' is missing");
  expect_refused(annotate(game("")), "there is no move; a game is read as a saved game");
  expect_refused(annotate((scratch_->path() / "nowhere").string()), "cannot be read: No such file");
  expect_refused(annotate(scratch_->path().string()), "cannot be read");
  expect_refused(annotate(game("awele game 1\nrules abapa\nboard 0,0,1,0,1,1,1,0,1,0,1,0\nstores 21,21\nend "
                               "unfinished\n")),
                 "abapa", 1);
  expect_refused(play("", "--load " + game(head + "1 F2\nend unfinished\n")), "line 5");
}

TEST_F(PlayCommands, AnnotateFindsTheMistake) {
  // F1x2 wins two; C1 lets the other side capture.
  const auto result = awele(
      "annotate " +
      game("awele game 1\nrules awari\nboard 0,0,1,0,1,1,1,0,1,0,1,0\nstores 21,21\n1 C1\nend unfinished\n"));
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find(" ?"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Second gave away 0 for certain in 0 moves."), std::string::npos) << result.out;
}

TEST_F(PlayCommands, AnalyzeAsJson) {
  const auto result = awele("analyze 1 1 1 0 1 1 1 0 1 0 1 0 --stores 20,20 --depth 4 --format json", 2);
  EXPECT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  int steps = 0;
  for (std::string line; std::getline(lines, line); ++steps) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_LE(json["at_least"].get<int>(), json["at_most"].get<int>());
    EXPECT_EQ(json["difference"][0], json["at_least"]);
  }
  EXPECT_GE(steps, 1);
}

/// What a person does in a game but for moves.
TEST_F(PlayCommands, HintUndoRedoResignFlip) {
  const auto result = play("hint\nF1x2\nundo\nredo\nflip\nresign\nF\nundo\nredo\nquit\n",
                           "--seeds-per-pit 1 --second person");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("try "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("     a    b    c    d    e    f"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("First wins: second resigns."), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("over> the game is over"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("there is no move to play again"), std::string::npos) << result.out;
}

TEST_F(PlayCommands, AWrongCaptureIsRefused) {
  const auto result = play("F1x3\nF1x2\nquit\n", "--seeds-per-pit 1 --second person");
  EXPECT_NE(result.out.find("the move from pit F captures 2, not as 'F1x3' says"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("first plays F1x2"), std::string::npos);
}

TEST_F(PlayCommands, WhatALoadedGameWouldIgnoreIsRefused) {
  const std::string load =
      "--load " +
      game("awele game 1\nrules awari\nboard 0,0,1,0,1,1,1,0,1,0,1,0\nstores 21,21\nend unfinished\n");
  EXPECT_EQ(play("quit\n", load).code, 0);
  for (const std::string ignored :
       {" --seeds-per-pit 3", " --board 0,0,1,0,1,1,1,0,1,0,1,0", " --stores 21,21"})
    EXPECT_EQ(play("quit\n", load + ignored).code, 2) << ignored;
}

/// The same seed, the same choices.
TEST_F(PlayCommands, WeakerAndVariedPlay) {
  const std::string start =
      "--first program --second program --board 0,0,1,0,1,1,1,0,1,0,1,0 --stores 21,21 ";
  for (const std::string style : {"--vary --seed 5 ", "--give-away 2 --seed 3 "}) {
    const auto once = play("", start + style);
    EXPECT_EQ(once.code, 0) << once.err;
    EXPECT_EQ(play("", start + style).out, once.out);
  }
}

TEST_F(PlayCommands, GamesAndLinesAsJson) {
  const auto result = play("F\nadvice\nX\nquit\n", "--seeds-per-pit 1 --second person --format json");
  std::istringstream lines(result.out);
  std::map<std::string, int> events;
  for (std::string line; std::getline(lines, line);)
    ++events[nlohmann::json::parse(line)["event"].get<std::string>()];
  for (const char* event : {"position", "ask", "move", "advice", "error"})
    EXPECT_GE(events[event], 1) << event;
  const auto line =
      nlohmann::json::parse(awele("line 1 0 0 0 0 0 1 0 0 0 0 0 --stores 23,23 --format json").out);
  EXPECT_EQ(line["moves"].size(), 12u);
  EXPECT_EQ(line["cycle"], 0);
  EXPECT_EQ(line["outcome"]["winner"], nullptr);
}

TEST_F(PlayCommands, AFullGraphAndAQuickerSolveAreSaid) {
  const auto result = awele("analyze 1 1 1 1 1 1 1 0 1 1 1 0 --depth 6 --graph 100");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("the graph for proofs is full with"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--graph 400"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("awele solve --seeds 10 --db"), std::string::npos) << result.err;
}

TEST_F(PlayCommands, HelpTeaches) {
  for (const std::string command : {"line", "analyze", "play", "annotate"}) {
    const auto result = awele(command + " --help");
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("Example"), std::string::npos);
  }
}

/// Saving that fails leaves what was saved before.
TEST_F(PlayCommands, SavingThatFailsLosesNothing) {
  const std::string path = (scratch_->path() / "kept").string();
  const auto save_after = [&](const std::string& moves, const std::string& environment) {
    return test::run_program(scratch_->path(), 0,
                             "play --board 0,0,1,0,1,1,1,0,1,0,1,0 --second person --db " + db().string() +
                                 " <" + file(moves + "save " + path + "\nquit\n"),
                             environment);
  };
  EXPECT_EQ(save_after("", "").code, 0);
  const std::string before = test::read_file(path);
  EXPECT_NE(before, "");
  // Files may not grow; what is printed goes through a pipe.
  const auto failed =
      save_after("C\n", R"(bash -c '(trap "" XFSZ; ulimit -f 0; exec "$@" 2>&1) | cat' play)");
  EXPECT_NE(failed.out.find("cannot be written"), std::string::npos) << failed.out << failed.err;
  EXPECT_EQ(test::read_file(path), before);
  EXPECT_EQ(save_after("C\n", "").code, 0);
  EXPECT_NE(test::read_file(path), before);
}

}  // namespace
}  // namespace awele
