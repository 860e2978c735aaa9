// `awele bench` and `awele plan` as users run them: the counters add up, the same on any number of ranks, and
// the database stays as it was.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "awele/index/slice_index.hpp"
#include "awele/store/slice_file.hpp"
#include "support/csv.hpp"
#include "support/scratch_directory.hpp"

namespace awele {
namespace {

using nlohmann::json;

constexpr int kSlice = 12;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

class Bench : public testing::Test {
 protected:
  std::string run(const std::string& arguments, int ranks) {
    const std::string out = (scratch_.path() / "out").string();
    const std::string launcher =
        ranks == 0 ? "" : std::string(AWELE_MPIEXEC) + " " + std::to_string(ranks) + " ";
    const int status =
        std::system(("timeout 120 " + launcher + AWELE_BINARY " " + arguments + " >" + out).c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << arguments;
    return read_file(out);
  }
  json bench(int ranks, const std::string& more = "") {
    return json::parse(run("bench --seconds 0.01 --format json --slice " + std::to_string(kSlice) + " --db " +
                               db_.string() + more,
                           ranks));
  }

  test::ScratchDirectory scratch_;
  const std::filesystem::path db_ = scratch_.path() / "db";
};

std::string published_crc(int n) {
  for (const auto& row : test::table("scores_crc32.csv"))
    if (row.at(0) == std::to_string(n)) return row.at(2);
  return "";
}

void expect_sums(const json& one, int ranks) {
  const double positions = one["positions"];
  EXPECT_EQ(one["slice"], kSlice);
  EXPECT_EQ(one["ranks"], ranks);
  EXPECT_EQ(one["positions"], slice_size(kSlice));
  EXPECT_EQ(one["settled"].get<std::uint64_t>() + one["drawn"].get<std::uint64_t>(), slice_size(kSlice));
  EXPECT_EQ(one["won"].get<std::uint64_t>() + one["lost"].get<std::uint64_t>(), one["settled"]);
  EXPECT_NEAR(one["ns_per_position"].get<double>(), one["seconds"].get<double>() * 1e9 * ranks / positions,
              1);
  double phases = 0, bytes = 0;
  for (const auto& [name, value] : one["phases"].items()) phases += value.get<double>();
  EXPECT_GT(phases, 0);
  EXPECT_LE(phases, 1.01 * one["ns_per_position"].get<double>());
  for (const auto& [name, value] : one["bytes_sent_by_phase"].items()) bytes += value.get<double>();
  EXPECT_NEAR(bytes, one["bytes_sent_per_position"].get<double>(), 1e-9);
  EXPECT_GT(one["predecessors_per_position"], 0);
  EXPECT_GE(one["candidates_per_position"], one["predecessors_per_position"]);
  EXPECT_GT(one["g_ns"], 0);
  EXPECT_GT(one["rounds"], 0);
  EXPECT_GT(one["peak_bytes_per_position"], 0);
  EXPECT_GT(one["disk_bytes"], 0);
}

TEST_F(Bench, CountersAddUpOnOneAndTwoRanks) {
  const json one = bench(0), two = bench(2, " --repeat 2");
  EXPECT_FALSE(std::filesystem::exists(slice_path(db_, kSlice)));  // only what it needs was built
  EXPECT_TRUE(std::filesystem::exists(slice_path(db_, kSlice - 2)));
  expect_sums(one, 1);
  expect_sums(two, 2);
  for (const char* same : {"crc32", "settled", "won", "rounds", "predecessors_per_position", "disk_bytes"})
    EXPECT_EQ(one[same], two[same]) << same;
  EXPECT_EQ(one["crc32"], published_crc(kSlice));
  EXPECT_EQ(one["bytes_sent_per_position"], 0);
  EXPECT_EQ(one["messages"], 0);
  // Every other value and every other move concerns the other rank, more or less.
  const double bytes = two["bytes_sent_per_position"];
  EXPECT_NEAR(two["bytes_sent_by_phase"]["values"].get<double>(), 0.5, 0.01);
  EXPECT_GT(bytes, two["predecessors_per_position"].get<double>());
  EXPECT_NEAR(two["bytes_sent_over_share"].get<double>(), 2 * bytes, 1e-9);
  EXPECT_EQ(two["messages"], 2 * two["exchanges"].get<std::uint64_t>());
  EXPECT_EQ(two["messages_per_rank_per_exchange"], 1);
}

TEST_F(Bench, LeavesTheSliceAsItWas) {
  run("solve --progress none --seeds " + std::to_string(kSlice) + " --db " + db_.string(), 0);
  const std::string before = read_file(slice_path(db_, kSlice));
  const std::string text = run("bench --seconds 0.01 --slice 12 --db " + db_.string(), 0);
  EXPECT_NE(text.find("ns_per_position"), std::string::npos);
  EXPECT_NE(text.find("phases: rounds"), std::string::npos);
  EXPECT_EQ(read_file(slice_path(db_, kSlice)), before);
  EXPECT_EQ(test::unexpected_files(db_), std::vector<std::string>());
}

TEST_F(Bench, SmallestSlices) {
  for (const char* slice : {"0", "1", "2"}) {
    const json one = json::parse(
        run(std::string("bench --seconds 0 --format json --db ") + db_.string() + " --slice " + slice, 2));
    EXPECT_EQ(one["settled"].get<std::uint64_t>() + one["drawn"].get<std::uint64_t>(), one["positions"]);
  }
}

TEST_F(Bench, ABatchIsNotSlowerThanSingleBoards) {
  run("solve --progress none --seeds 10 --db " + db_.string(), 0);
  const json found = json::parse(
      run("bench probe --slice 10 --batch 100000 --seconds 0.5 --format json --db " + db_.string(), 0));
  EXPECT_GT(found["batch_warm"].get<double>(), 0.9 * found["single_warm"].get<double>()) << found.dump();
  EXPECT_GT(found["answers_warm"].get<double>(), 0.9 * found["answers_single_warm"].get<double>())
      << found.dump();
}

TEST_F(Bench, PlanRunsAlone) {
  const json plan = json::parse(run("plan --seeds 48 --ranks 1024 --ranks-per-node 64 --format json", 0));
  EXPECT_EQ(plan["slices"].size(), 48u);
  EXPECT_EQ(plan["nodes"], 16);
  EXPECT_EQ(plan["memory_rank"], plan["slices"].back()["memory_rank"]);
  EXPECT_EQ(plan["cluster"]["ranks"], 1024);
  EXPECT_EQ(plan["cluster"]["memory_rank"], plan["memory_rank"]);
  const std::string text = run("plan --seeds 48 --ranks 2", 0);
  for (const char* word :
       {"moves", "thresholds", "latency", "network", "disk in", "disk out", "16 nodes with 64"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace awele
