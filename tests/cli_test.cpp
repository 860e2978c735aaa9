// The program as users run it: results, messages and exit codes of the commands that read a database.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/scratch_directory.hpp"
#include "support/tiny_database.hpp"

namespace awele {
namespace {

constexpr int kTop = 8;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Result {
  int code;
  std::string out, err;
};

class Cli : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    kept_ = new test::ScratchDirectory;
    test::make_database(kept_->path() / "awari", kTop, RuleSet::awari);
    test::make_database(kept_->path() / "abapa", 4, RuleSet::abapa);
  }
  static void TearDownTestSuite() {
    delete kept_;
    kept_ = nullptr;
  }

  static std::string awari() { return (kept_->path() / "awari").string(); }
  static std::string abapa() { return (kept_->path() / "abapa").string(); }

  /// A copy that may be damaged.
  std::string copy() {
    const auto dir = scratch_.path() / "copy";
    std::filesystem::remove_all(dir);
    std::filesystem::copy(awari(), dir);
    return dir.string();
  }
  std::string scratch(const std::string& name) const { return (scratch_.path() / name).string(); }

  Result run(const std::string& arguments, const std::string& environment = "") {
    const std::string out = scratch("out"), err = scratch("err");
    const int status =
        std::system((environment + " '" AWELE_BINARY "' " + arguments + " >" + out + " 2>" + err).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }

  /// Fails with `code`, nothing on standard output, one line on standard error that holds all of `words`.
  void expect_error(const std::string& arguments, int code, const std::vector<std::string>& words,
                    const std::string& environment = "") {
    SCOPED_TRACE("awele " + arguments);
    const Result result = run(arguments, environment);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    for (const std::string& word : words)
      EXPECT_NE(result.err.find(word), std::string::npos) << word << "\n" << result.err;
  }

  std::string expect_success(const std::string& arguments) {
    SCOPED_TRACE("awele " + arguments);
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  static test::ScratchDirectory* kept_;
  test::ScratchDirectory scratch_;
};

test::ScratchDirectory* Cli::kept_ = nullptr;

TEST_F(Cli, EveryCommandHasHelpAndVersion) {
  EXPECT_NE(expect_success("--help").find("probe"), std::string::npos);
  EXPECT_NE(expect_success("--version").find("awele "), std::string::npos);
  for (std::string command : {"probe", "stats", "export", "info", "check"}) {
    const std::string help = expect_success(command + " --help");
    EXPECT_NE(help.find("--db"), std::string::npos) << help;
    EXPECT_NE(help.find("Example"), std::string::npos) << help;
    EXPECT_NE(expect_success(command + " --version").find("awele "), std::string::npos);
  }
}

TEST_F(Cli, WrongUsageEndsWithTwo) {
  const std::string db = "--db " + awari();
  expect_error("", 2, {"command is missing", "probe", "awele --help"});
  expect_error("prove", 2, {"'prove' is not a command", "probe", "awele --help"});
  expect_error("--frobnicate", 2, {"--frobnicate", "awele --help"});
  expect_error("probe --frobnicate " + db + " 1", 2, {"--frobnicate", "awele probe --help"});
  expect_error("probe 1", 2, {"--db", "awele probe --help"});
  expect_error("probe " + db, 2, {"BOARD", "awele probe --help"});
  expect_error("info " + db + " extra", 2, {"extra", "awele info --help"});
  expect_error("stats " + db + " " + db, 2, {"--db", "awele stats --help"});
  expect_error("probe --rules chess " + db + " 1", 2, {"'chess' is not a rule set", "majority-slam"});
  expect_error("probe --format xml " + db + " 1", 2, {"'xml' is not a format", "json"});
  for (std::string seeds : {"49", "-1", "x", "3x", "1.5", "''", "4294967296"})
    expect_error("stats --slice=" + seeds + " " + db, 2, {"--slice"});
  expect_error("export " + db + " --slice 3", 2, {"--out"});
}

TEST_F(Cli, MisspeltEnvironmentVariablesAreRefused) {
  for (std::string name : {"AWELE_INJCT", "AWELE_INEJCT", "AWELE_INJECTS", "awele_inject", "AWLE_INJECT"})
    expect_error("info --db " + awari(), 2, {name, "AWELE_INJECT is", "unset"}, name + "=1");
  // Site modules and CMake set the first.
  for (std::string name :
       {"AWELE_ROOT", "AWELE_DIR", "AWELE_HOME", "AWELE_VERSION", "AWELE_DB", "AWELE_INCLUDE"})
    EXPECT_EQ(run("info --db " + awari(), name + "=/opt/awele").code, 0) << name;
}

TEST_F(Cli, NumbersAreDecimal) {
  const std::string db = " --db " + awari();
  EXPECT_EQ(expect_success("check --slice 03" + db), expect_success("check --slice 3" + db));
  EXPECT_EQ(expect_success("check --slice 008" + db), expect_success("check --slice 8" + db));
  EXPECT_EQ(expect_success("plan --format json --seeds 012 --ranks 010 --memory-per-node 1GB"),
            expect_success("plan --format json --seeds 12 --ranks 10 --memory-per-node 1000000000"));
  const std::string board = " 0 1 2 0 0 0 0 1 2 0 0 0";
  const std::vector<std::string> wholes = {"check --slice",
                                           "stats --slice",
                                           "stats --memory",
                                           "export --out x --slice",
                                           "verify --slice",
                                           "verify --from",
                                           "verify --to",
                                           "verify --part",
                                           "verify --parts",
                                           "verify --sample",
                                           "verify --seed",
                                           "bench probe --slice",
                                           "bench probe --slice 3 --batch",
                                           "bench --slice",
                                           "bench --slice 3 --repeat",
                                           "bench --slice 3 --batch",
                                           "bench --slice 3 --ranks-per-node",
                                           "solve --seeds",
                                           "solve --seeds 3 --grace",
                                           "solve --seeds 3 --exchange-bytes",
                                           "analyze" + board + " --depth",
                                           "analyze" + board + " --nodes",
                                           "analyze" + board + " --graph",
                                           "analyze" + board + " --table",
                                           "analyze" + board + " --cache",
                                           "analyze" + board + " --slices",
                                           "analyze" + board + " --stores 1,1 --total",
                                           "line" + board + " --stores 1,1 --total",
                                           "play --depth",
                                           "play --seeds-per-pit",
                                           "play --stores 1,1 --total"};
  const auto refused = [&](const std::string& command, const std::string& value) {
    expect_error(command + " " + value + db, 2, {command.substr(command.rfind("--"))});
  };
  for (const std::string& command : wholes)
    for (std::string value : {"0x4", "-1", "1e1", "2.5", "nan", "inf", "+3", "1_0", "99999999999999999999"})
      refused(command, value);
  for (std::string command :
       {"solve --seeds 3 --interval", "solve --seeds 3 --checkpoint-every", "solve --seeds 3 --time-limit",
        "bench --slice 3 --seconds", "bench probe --slice 3 --seconds", "play --time"})
    for (std::string value : {"0x4", "-1", "nan", "inf", "-nan", "1e999", "1,5", "+3"})
      refused(command, value);
  for (std::string command : {"plan --seeds 3 --network", "plan --seeds 3 --disk"})
    for (std::string value : {"0x4", "-1", "nan", "inf"})
      expect_error(command + " " + value, 2, {command.substr(command.rfind("--"))});
  for (std::string value : {"512QB", "GB", "-1GB", "nanGB", "1.2.3MB", "1EiB", "0"})
    expect_error("plan --seeds 3 --memory-per-node " + value, 2, {"--memory-per-node", "bytes"});
}

TEST_F(Cli, AGigabyteIsABillionBytes) {
  const auto bytes = [&](const std::string& text) {
    return nlohmann::json::parse(
               expect_success("plan --seeds 3 --format json --memory-per-node " + text))["memory_per_node"]
        .get<std::uint64_t>();
  };
  EXPECT_EQ(bytes("512GB"), 512'000'000'000u);
  EXPECT_EQ(bytes("512G"), 512'000'000'000u);
  EXPECT_EQ(bytes("512GiB"), std::uint64_t{512} << 30);
  EXPECT_EQ(bytes("512gib"), std::uint64_t{512} << 30);
  EXPECT_EQ(bytes("1.5KiB"), 1536u);
  EXPECT_EQ(bytes("010"), 10u);
  EXPECT_NE(expect_success("plan --seeds 3 --memory-per-node 512GB").find("476.8 GiB (512.0 GB)"),
            std::string::npos);
}

TEST_F(Cli, OptionsWithoutAValue) {
  expect_error("check --db= --slice 3", 2, {"'--db=' has no value", "awele check --help"});
  expect_error("export --slice 3 --out= --db " + awari(), 2, {"'--out=' has no value"});
  expect_error("check --db ''", 2, {"the argument after '--db' is empty"});
}

TEST_F(Cli, BytesThatAreNotUtf8) {
  const std::string db = scratch("\xE4wari");
  std::filesystem::copy(awari(), db);
  const auto info = nlohmann::json::parse(expect_success("info --format json --db " + db));
  EXPECT_NE(info["dir"].get<std::string>().find("\uFFFDwari"), std::string::npos);
  write_file(scratch("boards"), "\xE4 1 2\n0 1 2 0 0 0 0 1 2 0 0 0\n");
  const Result answers = run("probe --format json --db " + db + " - <" + scratch("boards"));
  EXPECT_EQ(answers.code, 2);
  EXPECT_EQ(answers.err, "");
  EXPECT_NE(answers.out.find("{\"error\":\"'\uFFFD' in the board"), std::string::npos) << answers.out;
  EXPECT_NE(answers.out.find("\n{\"seeds\":6,"), std::string::npos) << answers.out;
}

TEST_F(Cli, StatusOfAnotherShape) {
  const std::string db = copy();
  write_file(db + "/status.json",
             R"({"state":"finished","rules":"awari","seeds":8,"ranks":1,"seconds_so_far":2})");
  EXPECT_NE(expect_success("status --db " + db).find("finished"), std::string::npos);
  for (std::string wrong :
       {R"({"state":1})", R"({"seeds":"8"})", R"({"ranks":1.5})", R"({"ranks":1e300})", R"({"positions":-1})",
        R"({"seconds_so_far":"2"})", R"({"checkpoint":3})", R"({"checkpoint":{"path":[]}})",
        R"({"rules":null})", R"([])", R"(3)", "{", "\xE4"}) {
    write_file(db + "/status.json", wrong);
    for (std::string format : {"", " --format json"})
      expect_error("status --db " + db + format, 1,
                   {"status.json is damaged", "the next run writes a new one"});
  }
  write_file(db + "/status.json", R"({"state":"running"})");
  for (std::string wrong :
       {R"({"host":1,"pid":2})", R"({"host":"a","pid":"2"})", R"({"token":3})", "[]", "\xE4"}) {
    write_file(db + "/lock", wrong);
    EXPECT_NE(expect_success("status --db " + db).find("an unknown run"), std::string::npos) << wrong;
  }
}

TEST_F(Cli, BoardsThatAreNone) {
  const std::string probe = "probe --db " + awari() + " ";
  expect_error(probe + "1 2 3", 2, {"3 numbers, not 12"});
  expect_error(probe + "1 1 1 1 1 1 1 1 1 1 1 1 1", 2, {"13 numbers"});
  expect_error(probe + "1 1 1 -1 0 0 0 0 0 0 0 0", 2, {"-1 in the board is negative"});
  expect_error(probe + "-1 1 1 1 0 0 0 0 0 0 0 0", 2, {"-1 in the board is negative"});
  expect_error(probe + "'1 1 1 -1 0 0 0 0 0 0 0 0'", 2, {"-1 in the board is negative"});
  expect_error(probe + "1 1 1 x 0 0 0 0 0 0 0 0", 2, {"'x'"});
  expect_error(probe + "9 4 4 4 4 4 4 4 4 4 4 4", 2, {"53 seeds", "48"});
  expect_error(probe + "4 4 4 4 4 4 4 4 4 4 4 4", 2,
               {"48 seeds", awari(), "up to 8", "awele solve --seeds 48"});
}

TEST_F(Cli, DirectoriesThatAreNoDatabase) {
  std::filesystem::create_directory(scratch("empty"));
  const std::string board = " 1 0 0 0 0 0 0 0 0 0 0 0";
  for (std::string command : {"info", "check", "stats"}) {
    expect_error(command + " --db /no/such/place", 1, {"/no/such/place", "awele solve"});
    expect_error(command + " --db " + scratch("empty"), 1, {scratch("empty"), "awele solve"});
  }
  expect_error("probe --db /no/such/place" + board, 1, {"/no/such/place", "awele solve"});
  expect_error("probe --db " + scratch("empty") + board, 2, {scratch("empty"), "awele solve"});
  expect_error("export --slice 1 --out x --db " + scratch("empty"), 1,
               {"slice_01.h5 is missing", "awele solve"});
  expect_error("stats --slice 9 --db " + awari(), 1, {"slice_09.h5 is missing", "awele solve --seeds 9"});
  expect_error("check --slice 9 --db " + awari(), 1, {"slice_09.h5 is missing", "awele solve --seeds 9"});
}

TEST_F(Cli, OtherRules) {
  expect_error("probe --rules abapa --db " + awari() + " 1 0 0 0 0 0 0 0 0 0 0 0", 1,
               {"slice_00.h5", "awari", "abapa"});
  const std::string db = copy();
  std::filesystem::copy_file(slice_path(abapa(), 3), slice_path(db, 3),
                             std::filesystem::copy_options::overwrite_existing);
  expect_error("stats --db " + db, 1, {"abapa"});
  const Result check = run("check --db " + db);
  EXPECT_EQ(check.code, 3);
  EXPECT_NE(check.err.find("slice_03.h5"), std::string::npos) << check.err;
}

TEST_F(Cli, ProbePrintsJson) {
  const std::string probe = "probe --format json --db " + awari() + " ";
  EXPECT_EQ(expect_success(probe + "0 1 2 0 0 0 0 1 2 0 0 0"),
            "{\"seeds\":6,\"value\":0,\"moves\":[null,-6,0,null,null,null],\"best\":[2]}\n");
  EXPECT_EQ(expect_success(probe + "0,0,0,0,1,1,1,0,0,0,0,0"),
            "{\"seeds\":3,\"value\":1,\"moves\":[null,null,null,null,1,\"illegal\"],\"best\":[4]}\n");
  EXPECT_EQ(expect_success(probe + "'0 0 0 0 0 0 1 1 1 1 1 1'"),
            "{\"seeds\":6,\"value\":-6,\"moves\":[null,null,null,null,null,null],\"best\":[]}\n");
}

TEST_F(Cli, ProbeAnswersManyBoardsInTheirOrder) {
  write_file(scratch("boards"),
             "0 1 2 0 0 0 0 1 2 0 0 0\n0,0,0,0,1,1,1,0,0,0,0,0\n1 2 3\n\n4 4 4 4 4 4 4 4 4 4 4 4\n"
             "0 0 0 0 0 0 1 1 1 1 1 1");  // the last line without an end
  const Result text = run("probe --db " + awari() + " - <" + scratch("boards"));
  EXPECT_EQ(text.code, 2);
  EXPECT_EQ(text.err, "");
  std::istringstream lines(text.out);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) found.push_back(line);
  ASSERT_EQ(found.size(), 6u) << text.out;
  EXPECT_EQ(found[0], "0 - -6 0 - - -");
  EXPECT_EQ(found[1], "1 - - - - 1 illegal");
  EXPECT_NE(found[2].find("error: the board has 3 numbers, not 12"), std::string::npos) << found[2];
  EXPECT_NE(found[3].find("error: the board has 0 numbers"), std::string::npos) << found[3];
  EXPECT_NE(found[4].find("only up to 8"), std::string::npos) << found[4];
  EXPECT_EQ(found[5], "-6 - - - - - -");
  const Result json = run("probe --format json --db " + awari() + " - <" + scratch("boards"));
  EXPECT_EQ(json.code, 2);
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 6);
  EXPECT_EQ(json.out.find("{\"seeds\":6,\"value\":0,\"moves\":[null,-6,0,null,null,null],\"best\":[2]}\n"),
            0u)
      << json.out;
  EXPECT_NE(json.out.find("{\"error\":\"the board has 3 numbers"), std::string::npos) << json.out;
  const Result none = run("probe --db " + awari() + " - </dev/null");
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.out, "");
  expect_error("probe --rules abapa --db " + awari() + " - <" + scratch("boards"), 1, {"awari", "not abapa"});
}

TEST_F(Cli, ProbeAnswersEachLineWhenAProgramWaitsForIt) {
  // A coprocess that sends its second board after it has seen the first answer.
  const std::string script =
      "coproc '" AWELE_BINARY "' probe --db " + awari() +
      " -; echo 0 0 0 0 1 1 1 0 0 0 0 0 >&${COPROC[1]}; read -r -t 20 first <&${COPROC[0]}; "
      "echo 0 0 0 0 0 0 1 1 1 1 1 1 >&${COPROC[1]}; read -r -t 20 second <&${COPROC[0]}; "
      "echo \"$first/$second\"";
  write_file(scratch("script"), script);
  ASSERT_EQ(std::system(("bash " + scratch("script") + " >" + scratch("out")).c_str()), 0);
  EXPECT_EQ(read_file(scratch("out")), "1 - - - - 1 illegal/-6 - - - - - -\n");
}

TEST_F(Cli, ProbePrintsDistancesWhereTheyAreStored) {
  test::make_database(scratch("distances"), 4, RuleSet::awari, true);
  const std::string probe = "probe --db " + scratch("distances") + " ";
  const std::string board = "0 0 0 0 1 1 1 0 0 0 0 0";
  const auto json = nlohmann::json::parse(expect_success(probe + "--format json " + board));
  EXPECT_EQ(json["distances"].size(), 6u);
  EXPECT_EQ(json["distance"], json["distances"][4]);
  EXPECT_TRUE(json["distances"][0].is_null());
  EXPECT_NE(expect_success(probe + board).find("Distance " + json["distance"].dump()), std::string::npos);
  write_file(scratch("boards"), board + "\n");
  EXPECT_EQ(
      expect_success(probe + "- <" + scratch("boards")),
      "1 - - - - 1 illegal " + json["distance"].dump() + " - - - - " + json["distance"].dump() + " -\n");
  EXPECT_NE(expect_success("check --db " + scratch("distances")).find("ok"), std::string::npos);
}

TEST_F(Cli, BenchProbeMeasuresLookUps) {
  const auto json = nlohmann::json::parse(
      expect_success("bench probe --seconds 0.01 --batch 1000 --slice 8 --format json --db " + awari()));
  for (const char* rate :
       {"single_cold", "single_warm", "batch_cold", "batch_warm", "answers_warm", "threads_warm"})
    EXPECT_GT(json[rate], 0) << rate;
  EXPECT_EQ(json["warm_up_bytes"], 131072);
  EXPECT_NE(
      expect_success("bench probe --seconds 0 --batch 10 --slice 8 --db " + awari()).find("single_warm"),
      std::string::npos);
  expect_error("bench probe --slice 9 --db " + awari(), 2, {"only up to 8"});
  expect_error("bench probe --db " + awari(), 2, {"--slice"});
}

TEST_F(Cli, ProbePrintsText) {
  const std::string text = expect_success("probe --rules awari --db " + awari() + " 0 0 0 0 1 1 1 0 0 0 0 0");
  EXPECT_NE(text.find("Value +1"), std::string::npos) << text;
  EXPECT_NE(text.find("the side to move captures 1 more"), std::string::npos) << text;
  EXPECT_NE(text.find("empty"), std::string::npos) << text;
  EXPECT_NE(text.find("illegal"), std::string::npos) << text;
  EXPECT_NE(text.find("+1 *"), std::string::npos) << text;
}

TEST_F(Cli, StatsPrintsThePublishedNumbers) {
  std::ifstream in(AWELE_TEST_DATA "/published_histograms.csv");
  std::string expected, line;
  while (std::getline(in, line))
    if (line.starts_with("seeds") || std::stoi(line) <= kTop) expected += line + "\n";
  EXPECT_EQ(expect_success("stats --all-boards --format csv --db " + awari()), expected);
}

TEST_F(Cli, StatsFormats) {
  EXPECT_EQ(expect_success("stats --slice 2 --format csv --db " + awari()),
            "seeds,value,positions\n2,-2,40\n2,0,13\n2,2,25\n");
  const auto json = nlohmann::json::parse(expect_success("stats --slice 2 --format json --db " + awari()));
  EXPECT_EQ(json["rules"], "awari");
  EXPECT_EQ(json["slices"][0]["positions"], 78);
  EXPECT_EQ(json["slices"][0]["values"][1], (nlohmann::json{{"value", 0}, {"positions", 13}}));
  EXPECT_EQ(json["slices"][0]["lost"], 40);
  std::stringstream table(expect_success("stats --slice 2 --db " + awari()));
  EXPECT_NE(table.str().find("won 25, drawn 13, lost 40; mean value -0.384615"), std::string::npos)
      << table.str();
  std::string line;
  std::getline(table, line);
  const std::size_t width = line.size();
  std::getline(table, line);
  EXPECT_EQ(line.size(), width);
}

TEST_F(Cli, StatsSummary) {
  const std::string summary = expect_success("stats --slice 2 --show summary --format csv --db " + awari());
  EXPECT_TRUE(
      summary.starts_with("seeds,positions,won,drawn,lost,mean,single_best,longest,example\n"
                          "2,78,25,13,40,-0.384615,"))
      << summary;
  EXPECT_TRUE(summary.ends_with(",,\n")) << summary;  // there are no distances
  const auto json = nlohmann::json::parse(
      expect_success("stats --slice 2 --show summary --all-boards --format json --db " + awari()));
  EXPECT_EQ(json["slices"][0]["won"], 25);
  EXPECT_EQ(json["slices"][0]["mean"], -30.0 / 78.0);
  EXPECT_TRUE(json["slices"][0]["longest"].is_null());
  const auto moves =
      nlohmann::json::parse(expect_success("stats --show moves --format json --db " + awari()));
  for (const auto& slice : moves["slices"]) {
    std::uint64_t sum = 0;
    for (const auto& row : slice["best_moves"]) sum += row["positions"].get<std::uint64_t>();
    EXPECT_EQ(sum, slice["positions"]);
  }
  expect_error("stats --slice 2 --show distances --db " + awari(), 1,
               {"slice_02.h5 has no distances", "in the same directory"});
  expect_error("stats --show distances --all-boards --db " + awari(), 2, {"--all-boards"});
}

TEST_F(Cli, ProbeByIndex) {
  const auto json =
      nlohmann::json::parse(expect_success("probe --index 8:4711 --format json --db " + awari()));
  const auto board = json["board"].get<Board>();
  EXPECT_EQ(board, position_at(8, 4711));
  std::vector<std::int8_t> value(1);
  SliceReader(slice_path(awari(), 8)).read(4711, value);
  EXPECT_EQ(json["value"], value[0]);
  for (const std::string wrong : {"8", "8:", ":1", "8:1x", "8:-1", "9999999999:1", "8:99999999999999999999"})
    expect_error("probe --index " + wrong + " --db " + awari(), 2, {"--index", "12:1339701"});
  expect_error("probe --index 3:364 --db " + awari(), 2, {"3 seeds has no index 364", "363"});
  expect_error("probe --index 49:0 --db " + awari(), 2, {"49"});
  expect_error("probe --index 3:1 --db " + awari() + " 1 0 0 0 0 0 0 0 0 0 0 0", 2, {"--index"});
}

TEST_F(Cli, InfoListsTheSlices) {
  const auto json = nlohmann::json::parse(expect_success("info --format json --db " + awari()));
  EXPECT_EQ(json["rules"], "awari");
  EXPECT_EQ(json["slices"].size(), kTop + 1u);
  EXPECT_EQ(json["slices"][3]["positions"], 364);
  EXPECT_EQ(json["slices"][3]["crc32"], "3b93f2fd");
  EXPECT_EQ(json["complete_up_to"], kTop);
  EXPECT_TRUE(json["missing"].empty());
  EXPECT_EQ(json["slices"][3]["distances"], false);
  const std::string table = expect_success("info --db " + awari());
  EXPECT_NE(table.find("Complete up to 8 seeds"), std::string::npos);
  EXPECT_NE(table.find("bytes/pos.  distances\n"), std::string::npos) << table;

  const std::string db = copy();
  std::filesystem::remove(slice_path(db, 4));
  const auto partial = nlohmann::json::parse(expect_success("info --format json --db " + db));
  EXPECT_EQ(partial["complete_up_to"], 3);
  EXPECT_EQ(partial["missing"], nlohmann::json{4});
}

TEST_F(Cli, ExportWritesTheValues) {
  const std::string out = scratch("scores.8");
  expect_success("export --slice 8 --db " + awari() + " --out " + out);
  std::vector<std::int8_t> expected(slice_size(8));
  SliceReader(slice_path(awari(), 8)).read(0, expected);
  EXPECT_EQ(read_file(out), std::string(expected.begin(), expected.end()));
  EXPECT_FALSE(std::filesystem::exists(out + ".tmp"));
  expect_error("export --slice 7 --db " + awari() + " --out " + out, 2, {out, "--force"});
  EXPECT_EQ(std::filesystem::file_size(out), slice_size(8));
  expect_success("export --force --slice 7 --db " + awari() + " --out " + out);
  EXPECT_EQ(std::filesystem::file_size(out), slice_size(7));
  expect_error("export --slice 7 --db " + awari() + " --out /no/such/place/x", 1, {"/no/such/place/x"});
  expect_error("export --force --slice 7 --db " + awari() + " --out /dev/null", 2, {"not a file"});
  std::filesystem::create_directory(scratch("scores"));
  expect_success("export --slice 7 --db " + awari() + " --out " + scratch("scores"));
  EXPECT_EQ(read_file(scratch("scores/scores.7")).size(), slice_size(7));
  expect_error("export --slice 7 --db " + awari() + " --out " + scratch("scores"), 2, {"scores.7 exists"});
}

/// Whole files of one slice or the other, whoever is last.
TEST_F(Cli, TwoExportsToOneFileDoNotMix) {
  const std::string out = scratch("scores"),
                    command = " export --force --db " + awari() + " --out " + out + " --slice ";
  std::vector<std::string> whole;
  for (const char* slice : {"8", "7"}) {
    expect_success(command.substr(1) + slice);
    whole.push_back(read_file(out));
  }
  for (int k = 0; k < 10; ++k) {
    const std::string both = "'" AWELE_BINARY "'" + command + "8 >/dev/null & '" AWELE_BINARY "'" + command +
                             "7 >/dev/null && wait $!";
    ASSERT_EQ(std::system(both.c_str()), 0);
    const std::string found = read_file(out);
    EXPECT_TRUE(found == whole[0] || found == whole[1]) << found.size();
  }
}

TEST_F(Cli, ExportTouchesNoFileOfAnotherName) {
  const std::string out = scratch("scores"), other = scratch("other");
  write_file(other, "mine");
  std::filesystem::create_symlink(other, out + ".tmp");
  expect_success("export --slice 7 --db " + awari() + " --out " + out);
  EXPECT_EQ(read_file(other), "mine");
  EXPECT_TRUE(std::filesystem::is_symlink(out + ".tmp"));
  EXPECT_EQ(read_file(out).size(), slice_size(7));
  // The temporary name is no longer than a name may be.
  for (const std::size_t length : {242u, 255u})
    expect_success("export --slice 3 --db " + awari() + " --out " + scratch(std::string(length, 'x')));
}

TEST_F(Cli, CheckPrintsALineASlice) {
  const std::string text = expect_success("check --db " + awari());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kTop + 1) << text;
  EXPECT_NE(text.find("3b93f2fd  ok"), std::string::npos) << text;
  const std::string one = expect_success("check --slice 3 --db " + awari());
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 1) << one;
}

TEST_F(Cli, VerifyTakesRangesAndParts) {
  const auto checked = [](const std::string& text) {
    std::size_t sum = 0;
    for (auto at = text.find("slice"); at != std::string::npos; at = text.find("\nslice", at + 1))
      sum += std::stoul(text.substr(text.find(':', at) + 1));
    return sum;
  };
  const std::string db = " --db " + awari();
  const auto verify = [&](const std::string& options) {
    const Result result = run("verify " + options + db);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const std::string all = verify("--from 6 --to 7");
  EXPECT_EQ(all.find("slice  5:"), std::string::npos) << all;
  EXPECT_EQ(all.find("slice  8:"), std::string::npos) << all;
  std::size_t sum = 0;
  for (std::string part : {"1", "2", "3"}) {
    const std::size_t own = checked(verify("--from 6 --to 7 --parts 3 --part " + part));
    EXPECT_LT(own, checked(all));
    sum += own;
  }
  EXPECT_EQ(sum, checked(all));
  expect_error("verify --part 2" + db, 2, {"--part", "--parts"});
  expect_error("verify --slice 3 --from 2" + db, 2, {"--slice"});
  expect_error("verify --from 30" + db, 1, {"no slices from 30"});
}

/// Slice 6 is unusable or has wrong values; the commands say so and go on where they can.
class DamagedSlice : public Cli {
 protected:
  void expect_noticed(const std::string& db) {
    const Result check = run("check --db " + db);
    EXPECT_EQ(check.code, 3);
    EXPECT_EQ(std::count(check.out.begin(), check.out.end(), '\n'), kTop + 1) << check.out;
    EXPECT_NE(check.out.find("slice_06.h5  WRONG"), std::string::npos) << check.out;
    EXPECT_NE(check.out.find("slice_08.h5"), std::string::npos) << check.out;
    EXPECT_EQ(std::count(check.err.begin(), check.err.end(), '\n'), 1) << check.err;
    EXPECT_NE(check.err.find("1 of 9 slices are wrong"), std::string::npos) << check.err;
    EXPECT_NE(check.err.find("slice_06.h5"), std::string::npos) << check.err;
    EXPECT_EQ(run("check --slice 5 --db " + db).code, 0);
    EXPECT_EQ(run("check --slice 6 --db " + db).code, 3);

    const std::string out = scratch("scores.6");
    const Result exported = run("export --slice 6 --db " + db + " --out " + out);
    EXPECT_TRUE(exported.code == 1 || exported.code == 3) << exported.code;
    EXPECT_NE(exported.err.find("slice_06.h5"), std::string::npos) << exported.err;
    EXPECT_FALSE(std::filesystem::exists(out));
    EXPECT_FALSE(std::filesystem::exists(out + ".tmp"));
  }

  void expect_unusable(const std::string& db) {
    expect_noticed(db);
    expect_error("stats --db " + db, 1, {"slice_06.h5"});
    expect_error("probe --db " + db + " 1 0 0 0 0 0 0 0 0 0 0 0", 1, {"slice_06.h5"});
    const Result info = run("info --db " + db);
    EXPECT_EQ(info.code, 1);
    EXPECT_NE(info.err.find("slice_06.h5"), std::string::npos) << info.err;
    EXPECT_NE(info.out.find("Missing: 6."), std::string::npos) << info.out;
  }
};

TEST_F(DamagedSlice, Truncated) {
  const std::string db = copy();
  const auto path = slice_path(db, 6);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  expect_unusable(db);
}

TEST_F(DamagedSlice, Empty) {
  const std::string db = copy();
  write_file(slice_path(db, 6), "");
  expect_unusable(db);
}

TEST_F(DamagedSlice, NotHdf5) {
  const std::string db = copy();
  write_file(slice_path(db, 6), "seeds,value\n");
  expect_unusable(db);
}

TEST_F(DamagedSlice, AChunkThatAProbeNeeds) {
  const std::string db = copy();
  const auto path = slice_path(db, 6);
  std::vector<std::byte> stream;
  SliceReader(path).read_stream(0, stream);
  std::string bytes = read_file(path);
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(stream.data()), stream.size()));
  ASSERT_NE(at, std::string::npos);
  bytes[at + stream.size() / 2] = static_cast<char>(~bytes[at + stream.size() / 2]);
  write_file(path, bytes);
  expect_error("probe --db " + db + " 6 0 0 0 0 0 0 0 0 0 0 0", 1,
               {"slice_06.h5 is damaged: chunk 0", "solve it again"});
  write_file(scratch("boards"), "6 0 0 0 0 0 0 0 0 0 0 0\n");
  expect_error("probe --db " + db + " - <" + scratch("boards"), 1, {"slice_06.h5 is damaged: chunk 0"});
  EXPECT_EQ(run("probe --db " + db + " 5 0 0 0 0 0 0 0 0 0 0 0").code, 0);
}

TEST_F(DamagedSlice, OfAnotherSliceThanItsNameSays) {
  const std::string db = copy();
  std::filesystem::copy_file(slice_path(db, 5), slice_path(db, 6),
                             std::filesystem::copy_options::overwrite_existing);
  expect_unusable(db);
}

TEST_F(DamagedSlice, BitsFlippedInTheValues) {
  const std::string db = copy();
  const auto path = slice_path(db, 6);
  std::vector<std::byte> stream;
  SliceReader(path).read_stream(0, stream);
  std::string bytes = read_file(path);
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(stream.data()), stream.size()));
  ASSERT_NE(at, std::string::npos);
  for (std::size_t offset = 2; offset < stream.size(); offset += stream.size() / 5) {
    std::string damaged = bytes;
    damaged[at + offset] = static_cast<char>(damaged[at + offset] ^ 0x10);
    write_file(path, damaged);
    expect_noticed(db);
  }
}

TEST_F(DamagedSlice, ValuesThatDoNotFitTheDigest) {
  const std::string db = copy();
  std::vector<std::int8_t> values(slice_size(6));
  SliceReader(slice_path(db, 6)).read(0, values);
  std::vector<std::uint64_t> histogram(13);
  for (std::int8_t value : values) ++histogram[static_cast<std::size_t>(value + 6)];
  const std::uint32_t crc = crc32(0, std::span(std::as_const(values)));
  std::swap(*std::find(values.begin(), values.end(), 6), *std::find(values.begin(), values.end(), -6));
  {
    SliceWriter writer(db, 6, RuleSet::awari);
    std::vector<std::byte> stream;
    Compressor().append(values, stream);
    writer.write_stream(0, stream, crc32(0, std::span(std::as_const(values))));
    writer.finish(crc, histogram);
  }
  expect_noticed(db);
  EXPECT_EQ(run("export --slice 6 --db " + db + " --out " + scratch("x")).code, 3);
}

TEST_F(DamagedSlice, HistogramThatDoesNotFitTheValues) {
  const std::string db = copy();
  std::vector<std::int8_t> values(slice_size(6));
  SliceReader(slice_path(db, 6)).read(0, values);
  {
    SliceWriter writer(db, 6, RuleSet::awari);
    std::vector<std::byte> stream;
    Compressor().append(values, stream);
    writer.write_stream(0, stream, crc32(0, std::span(std::as_const(values))));
    std::vector<std::uint64_t> histogram(13);
    histogram.front() = values.size();
    writer.finish(crc32(0, std::span(std::as_const(values))), histogram);
  }
  const Result check = run("check --db " + db);
  EXPECT_EQ(check.code, 3);
  EXPECT_NE(check.out.find("its histogram says " + std::to_string(values.size())), std::string::npos)
      << check.out;
}

/// What the system does not give need not be damaged, and nobody should remove it.
class UnreadableSlice : public Cli {
 protected:
  void expect_unread(const std::string& db, const std::string& words, const std::string& before = "") {
    expect_error("probe --db " + db + " 1 0 0 0 0 0 0 0 0 0 0 0", 1, {db, words}, before);
    expect_error("export --slice 6 --db " + db + " --out " + scratch("scores.6"), 1, {db, words}, before);
    for (const char* command :
         {"probe 1,0,0,0,0,0,0,0,0,0,0,0", "stats", "info", "check", "solve --seeds 9"}) {
      SCOPED_TRACE(command);
      const Result result = run(std::string(command) + " --db " + db, before);
      EXPECT_EQ(result.code, 1) << result.err;
      EXPECT_EQ((result.out + result.err).find("damaged"), std::string::npos) << result.out << result.err;
      EXPECT_NE((result.out + result.err).find(words), std::string::npos) << result.out << result.err;
    }
  }
  /// Runs the rest of a command line as a user without rights, where the test has them.
  static std::string as_nobody() {
    return ::geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : "";
  }
};

#ifndef __SANITIZE_ADDRESS__  // the sanitizers want a descriptor of their own when an exception is looked at
TEST_F(UnreadableSlice, NoFreeDescriptor) {
  const std::string db = copy();
  expect_error("probe --db " + db + " 1 0 0 0 0 0 0 0 0 0 0 0", 1,
               {"slice_0", "Too many open files", "ulimit -n"}, "prlimit --nofile=9");
  const Result check = run("check --db " + db, "prlimit --nofile=9");
  EXPECT_EQ(check.code, 1);
  EXPECT_NE(check.out.find("NOT READ"), std::string::npos) << check.out;
  EXPECT_EQ(check.out.find("WRONG"), std::string::npos) << check.out;
}
#endif

TEST_F(UnreadableSlice, OpenElsewhere) {
  const std::string db = copy();
  const int fd = ::open(slice_path(db, 6).c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  expect_unread(db, "HDF5_USE_FILE_LOCKING=FALSE");
  EXPECT_EQ(run("check --db " + db, "HDF5_USE_FILE_LOCKING=FALSE").code, 0);
  ::close(fd);
}

TEST_F(UnreadableSlice, PipeInItsPlace) {
  const std::string db = copy();
  std::filesystem::remove(slice_path(db, 6));
  ASSERT_EQ(::mkfifo(slice_path(db, 6).c_str(), 0666), 0);
  expect_unread(db, "slice_06.h5 is not a regular file");
}

TEST_F(UnreadableSlice, NoPermission) {
  const std::string db = copy();
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms::all);
  std::filesystem::permissions(slice_path(db, 6), std::filesystem::perms::none);
  const Result check = run("check --db " + db, as_nobody());
  if (check.err.find("setpriv") != std::string::npos) GTEST_SKIP() << "the user cannot be changed here";
  EXPECT_EQ(check.code, 1) << check.err;
  EXPECT_NE(check.out.find("slice_06.h5  NOT READ"), std::string::npos) << check.out;
  EXPECT_NE(check.err.find("1 of 9 slices could not be read"), std::string::npos) << check.err;
  expect_error("probe --db " + db + " 1 0 0 0 0 0 0 0 0 0 0 0", 1, {"slice_06.h5", "Permission denied"},
               as_nobody());
}

TEST_F(UnreadableSlice, DirectoryThatMayNotBeSearched) {
  const std::string db = copy();
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms::all);
  std::filesystem::permissions(db, std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
  if (run("--version", as_nobody()).code != 0) GTEST_SKIP() << "the user cannot be changed here";
  for (const std::string command : {"probe 1,0,0,0,0,0,0,0,0,0,0,0", "check", "info", "stats"})
    expect_error(command + " --db " + db, 1, {db + " cannot be read: Permission denied"}, as_nobody());
}

/// The one that is of other rules is named, wherever it stands.
TEST_F(Cli, ForeignSlicesAreNamed) {
  for (int foreign : {0, 3}) {
    const std::string db = copy();
    std::filesystem::copy_file(slice_path(abapa(), foreign), slice_path(db, foreign),
                               std::filesystem::copy_options::overwrite_existing);
    const std::string file = slice_path(db, foreign).string() + " has the rule set abapa";
    expect_error("probe --db " + db + " 1 0 0 0 0 0 0 0 0 0 0 0", 1, {file});
    expect_error("stats --db " + db, 1, {file});
    const Result check = run("check --db " + db);
    EXPECT_EQ(check.code, 3);
    EXPECT_NE(check.err.find("1 of 9 slices are wrong: " + slice_path(db, foreign).string()),
              std::string::npos)
        << check.err;
  }
}

}  // namespace
}  // namespace awele
