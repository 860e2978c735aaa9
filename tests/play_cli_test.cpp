// The commands line, analyze, play and annotate as users run them, mostly with bad input.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

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
  }
  static void TearDownTestSuite() { delete scratch_; }

  static std::filesystem::path db() { return scratch_->path() / "awari"; }
  static test::ProgramResult awele(const std::string& arguments, int ranks = 0) {
    return test::run_program(scratch_->path(), ranks, arguments + " --db " + db().string());
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
  expect_refused(awele("line 1 1 1 1 1 1 1 1 1 1 1 1"), "is solved up to 6 only");
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
  expect_refused(annotate(game("")), "a saved game begins with");
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

TEST_F(PlayCommands, HelpTeaches) {
  for (const std::string command : {"line", "analyze", "play", "annotate"}) {
    const auto result = awele(command + " --help");
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("Example"), std::string::npos);
  }
}

}  // namespace
}  // namespace awele
