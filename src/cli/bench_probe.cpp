// awele bench probe: how many look-ups per second a database answers.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <thread>

#include "awele/index/slice_index.hpp"
#include "awele/probe/probe.hpp"
#include "awele/run/json.hpp"
#include "awele/support/stopwatch.hpp"
#include "commands.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Looks up the values of random stored positions of one slice, and prints how many per
second:
  single_cold  one by one without a cache: every look-up reads and inflates a chunk
               of 65,536 positions
  single_warm  one by one, with the whole slice in the cache
  batch_cold   one call for many boards, sorted by chunk, starting with an empty cache
  batch_warm   the same with the whole slice in the cache
  answers_single_warm, answers_warm
               the same two for whole answers: the values of a board and of all its
               moves, with everything they need in the cache
  threads_warm single_warm, on as many threads at once as there are processors
Cold refers to the cache of the library; the operating system keeps the file in
memory all the same, if there is room. warm_up_seconds is how long reading and
checking the whole slice took, warm_up_bytes how much the cache then holds. The warm
measurements take turns, so that their ratios hold on a busy machine too.

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

std::atomic<std::int64_t> kept;  // so that the look-ups are not left out

/// Looks up the next few boards, going round; returns how many.
template <typename LookUp>
std::size_t next_boards(const std::vector<Board>& boards, std::size_t& at, LookUp look_up) {
  const std::size_t from = at, to = std::min(from + 1024, boards.size());
  std::int64_t sum = 0;
  for (std::size_t k = from; k < to; ++k) sum += look_up(boards[k]);
  kept += sum;
  at = to == boards.size() ? 0 : to;
  return to - from;
}

/// Does some boards, and returns how many.
using Work = std::function<std::size_t()>;

struct Rate {
  double boards = 0, seconds = 0;
  void measure(const Work& work, double at_least) {
    const Stopwatch watch;
    do boards += static_cast<double>(work());
    while (watch.seconds() < at_least);
    seconds += watch.seconds();
  }
  double a_second() const { return boards / seconds; }
};

double rate(double seconds, const Work& work) {
  Rate rate;
  rate.measure(work, seconds);
  return rate.a_second();
}

/// Boards a second of each; `seconds` for each, in turns.
std::vector<double> rates(double seconds, const std::vector<Work>& works) {
  constexpr int kTurns = 5;
  std::vector<Rate> found(works.size());
  for (int turn = 0; turn < kTurns; ++turn)
    for (std::size_t w = 0; w < works.size(); ++w) found[w].measure(works[w], seconds / kTurns);
  std::vector<double> rates;
  for (const Rate& each : found) rates.push_back(each.a_second());
  return rates;
}

Work singles(const Prober& prober, const std::vector<Board>& boards) {
  return [&prober, &boards, at = std::size_t{0}]() mutable {
    return next_boards(boards, at, [&](const Board& board) { return prober.value(board); });
  };
}

double threads_rate(const Prober& prober, const std::vector<Board>& boards, double seconds,
                    unsigned threads) {
  std::vector<std::future<double>> running;  // which pass on what a thread throws
  for (unsigned k = 0; k < threads; ++k)
    running.push_back(std::async(std::launch::async, [&] { return rate(seconds, singles(prober, boards)); }));
  double sum = 0;
  for (std::future<double>& each : running) sum += each.get();
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
  Prober prober(options.db, 0, Accept::any);
  Board any{};
  any[0] = static_cast<std::uint8_t>(n);
  prober.require_solved(any);
  const std::vector<Board> boards = random_boards(n, options.batch, 1);
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  nlohmann::ordered_json json = {{"slice", n}, {"positions", slice_size(n)}, {"batch", options.batch}};
  if (!prober.scope().exact()) json["total"] = prober.scope().total();
  const double seconds = options.seconds;
  const Work single = singles(prober, boards);
  const Work batch = [&] { return prober.values(boards).size(); };
  const Work answers = [&] { return prober.answers(boards).size(); };
  const Work single_answers = [&, at = std::size_t{0}]() mutable {
    return next_boards(boards, at, [&](const Board& board) { return prober.answer(board).value; });
  };
  json["single_cold"] = rate(seconds, [&, at = std::size_t{0}]() mutable {
    at = (at + 1) % boards.size();
    kept += prober.value(boards[at]);
    return std::size_t{1};
  });
  json["batch_cold"] = rate(seconds, batch);
  prober.set_cache(kNoBound);
  json["warm_up_seconds"] = warm_up(prober, n);
  json["warm_up_bytes"] = prober.cache_use().bytes;
  answers();  // the smaller slices that captures lead to
  const std::vector<double> warm = rates(seconds, {single, batch, single_answers, answers});
  json["single_warm"] = warm[0];
  json["batch_warm"] = warm[1];
  json["threads"] = threads;
  json["threads_warm"] = threads_rate(prober, boards, seconds, threads);
  json["answers_single_warm"] = warm[2];
  json["answers_warm"] = warm[3];
  return json;
}

int run(const Options& options) {
  const nlohmann::ordered_json json = measure(options);
  if (options.format == "json") {
    put("{}\n", json_text(json));
    return static_cast<int>(ExitCode::ok);
  }
  for (const auto& [name, value] : json.items()) {
    if (name == "warm_up_seconds")
      put("{:<20} {:>14.3f}\n", name, value.get<double>());
    else
      put("{:<20} {:>14.0f}\n", name, value.get<double>());
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
      ->transform(real(0, 60));
  command->add_option("--batch", options->batch, "Boards per call (default 1000000)")
      ->type_name("BOARDS")
      ->transform(whole(1, std::uint64_t{1} << 28));
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
  return command;
}

}  // namespace awele::cli
