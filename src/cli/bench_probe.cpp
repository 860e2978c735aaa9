// awele bench probe: how many look-ups a second a database answers.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "awele/index/slice_index.hpp"
#include "awele/probe/probe.hpp"
#include "awele/support/stopwatch.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Looks up the values of random stored positions of one slice, and prints how many a
second:
  single_cold  one by one without a cache: every look-up reads and inflates a chunk
               of 65,536 positions
  single_warm  one by one, with the whole slice in the cache
  batch_cold   one call for many boards, sorted by chunk; the cache is empty before
  batch_warm   the same with the whole slice in the cache
  answers_warm one call for many boards: their values and those of all their moves,
               with everything in the cache
  threads_warm single_warm, on as many threads at once as there are processors
Cold means the cache of the library; the operating system keeps the file in memory
all the same, if there is room. warm_up_seconds is what reading and checking the
whole slice took, warm_up_bytes what it holds then.

Starts no MPI. Formats: table; json, one object. Example:
  awele bench probe --db awari --slice 20)";

struct Options {
  std::string db, format;
  int slice = -1;
  double seconds = 1;
  std::size_t batch = 1000000;
};

std::vector<Board> random_boards(int n, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::uint64_t> place(0, slice_size(n) - 1);
  std::vector<Board> boards(count);
  for (Board& board : boards) board = position_at(n, place(random));
  return boards;
}

/// Look-ups a second, one by one, for about `seconds`.
double single_rate(const Prober& prober, const std::vector<Board>& boards, double seconds) {
  const Stopwatch watch;
  std::size_t done = 0;
  int sum = 0;
  do {
    const std::size_t from = done % boards.size(), to = std::min(from + 16, boards.size());
    for (std::size_t k = from; k < to; ++k) sum += prober.value(boards[k]);
    done += to - from;
  } while (watch.seconds() < seconds);
  static std::atomic<int> kept;  // so that the look-ups are not left out
  kept += sum;
  return static_cast<double>(done) / watch.seconds();
}

/// Boards a second of one call after the other.
template <typename Call>
double batch_rate(std::size_t boards, double seconds, Call call) {
  const Stopwatch watch;
  std::size_t done = 0;
  do {
    call();
    done += boards;
  } while (watch.seconds() < seconds);
  return static_cast<double>(done) / watch.seconds();
}

double threads_rate(const Prober& prober, const std::vector<Board>& boards, double seconds,
                    unsigned threads) {
  std::vector<double> rates(threads);
  std::vector<std::thread> running;
  for (double& rate : rates) running.emplace_back([&] { rate = single_rate(prober, boards, seconds); });
  for (std::thread& thread : running) thread.join();
  double sum = 0;
  for (double rate : rates) sum += rate;
  return sum;
}

/// Brings the whole slice into the cache; returns the seconds that took.
double warm_up(const Prober& prober, int n) {
  std::vector<Board> first_of_chunks;
  for (std::uint64_t place = 0; place < slice_size(n); place += 65536)
    first_of_chunks.push_back(position_at(n, place));
  const Stopwatch watch;
  prober.values(first_of_chunks);
  return watch.seconds();
}

nlohmann::ordered_json measure(const Options& options) {
  const int n = options.slice;
  constexpr std::size_t kNoBound = std::size_t{1} << 62;
  Prober prober(options.db, 0);
  Board any{};
  any[0] = static_cast<std::uint8_t>(n);
  prober.require_solved(any);
  const std::vector<Board> boards = random_boards(n, options.batch, 1);
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  nlohmann::ordered_json json = {{"slice", n}, {"positions", slice_size(n)}, {"batch", options.batch}};
  const double seconds = options.seconds;
  json["single_cold"] = single_rate(prober, boards, seconds);
  json["batch_cold"] = batch_rate(boards.size(), seconds, [&] { prober.values(boards); });
  prober.set_cache(kNoBound);
  json["warm_up_seconds"] = warm_up(prober, n);
  json["warm_up_bytes"] = prober.cache_use().bytes;
  json["single_warm"] = single_rate(prober, boards, seconds);
  json["batch_warm"] = batch_rate(boards.size(), seconds, [&] { prober.values(boards); });
  json["threads"] = threads;
  json["threads_warm"] = threads_rate(prober, boards, seconds, threads);
  prober.answers(boards);  // the smaller slices that captures lead to
  json["answers_warm"] = batch_rate(boards.size(), seconds, [&] { prober.answers(boards); });
  return json;
}

int run(const Options& options) {
  const nlohmann::ordered_json json = measure(options);
  if (options.format == "json") {
    fmt::print("{}\n", json.dump());
    return static_cast<int>(ExitCode::ok);
  }
  for (const auto& [name, value] : json.items()) {
    if (name == "warm_up_seconds")
      fmt::print("{:<16} {:>14.3f}\n", name, value.get<double>());
    else
      fmt::print("{:<16} {:>14.0f}\n", name, value.get<double>());
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

CLI::App* add_bench_probe(CLI::App& bench, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(bench, "probe", "Measure look-ups in a database", kDetails);
  add_db(*command, options->db);
  add_seeds(*command, "--slice", options->slice, "The slice of N seeds")->required();
  add_format(*command, options->format, {"table", "json"});
  command->add_option("--seconds", options->seconds, "Duration of each measurement (default 1)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 60.0).description(""));
  command->add_option("--batch", options->batch, "Boards of a call (default 1000000)")
      ->type_name("BOARDS")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 28).description(""));
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
  return command;
}

}  // namespace awele::cli
