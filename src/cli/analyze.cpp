// awele analyze: search beyond the database.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis_print.hpp"
#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/run/json.hpp"
#include "awele/search/analysis.hpp"
#include "awele/support/error.hpp"
#include "awele/support/stopwatch.hpp"
#include "commands.hpp"
#include "messages.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "results.hpp"
#include "search_options.hpp"
#include "situation_options.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(For boards with more seeds than the database has. Deepens ply by ply; after each
step it prints a line with the depth, the nodes searched so far, nodes per second,
database look-ups, what is proven about the value, and the expected line; at the end
a table of the moves.

Two things are reported for every move, and never mixed:
  proven    an interval [at least, at most] of its value: how many more of the
            seeds on the board (this move's capture included) the side that
            makes it captures than its opponent, under best play by both. It
            rests on the rules and the database alone: on a part of the graph of
            positions that is grown where it matters and solved with its cycles,
            as a database is (an endless line splits what is left evenly), taking
            the worst and the best for what is not part of it. Who wins is asked
            first. Where an outcome database knows only bounds, these are used.
  estimate  what a search of this depth expects, with the database and, beyond
            it, an evaluation at the horizon: weights of seeds in pits, fitted
            to exact values. No more than an estimate, but always within what is
            proven.

Within reach of the database (the missing slices have at most 1000 times the
positions of --graph, or of a million) most of the time goes to proofs, elsewhere
all of it goes to estimates. It says when the graph is full, and when solving the
missing slices would take less time than searching.

With --stores the final difference is shown too: the value plus the lead of the side
to move. (Under majority-slam values are thresholds, see awele probe --help: the
side to move wins if that sum is positive, draws if it is 0.)

It stops when the value is proven, or at the first limit reached: --depth, --time
(10 s if no limit is given), or, after the step that exceeds it, --nodes. With
--depth or --nodes the result is the same for any number of ranks. Under mpirun
one rank grows the graph, and the moves are dealt to the others for their
estimates: up to seven ranks have work.

With --format json it prints one object per step, each on its own line:
  {"depth":..,"complete":..,"nodes":..,"seconds":..,"hits":..,"graph":..,
   "graph_full":..,"at_least":..,"at_most":..,"best":..,"moves":[{"pit":..,"move":"E3x5","captured":..,
   "at_least":..,"at_most":..,"estimate":..,"line":["E3x5",..]},..]}
with values of the seeds on the board; with --stores also "difference":[..,..].

Examples:
  awele analyze 4 4 4 4 4 4 4 4 4 4 4 4 --db awari --time 30
  mpirun -n 2 awele analyze 2 2 2 2 2 2 2 2 2 2 2 2 --db awari --stores 12,12)";

struct Options {
  std::string db, rules, format;
  SituationOptions situation;
  std::optional<int> depth;
  std::optional<double> time;
  std::optional<std::uint64_t> nodes;
  int up_to = kMaxSeeds;
  std::size_t cache = Prober::kDefaultCache;
  AnalysisLimits limits;
};

constexpr double kDefaultSeconds = 10;
/// What solving may take to be worth a hint whatever the search took.
constexpr double kWorthSolving = 60;
constexpr int kDeepest = 200;

nlohmann::ordered_json to_json(const AnalysisReport& report, const Situation& situation,
                               const Options& options, RuleSet rules, double seconds) {
  nlohmann::ordered_json json;
  json["depth"] = report.depth;
  json["complete"] = report.complete;
  json["nodes"] = report.nodes;
  json["seconds"] = seconds;
  json["hits"] = report.hits;
  json["graph"] = report.graph_positions;
  json["graph_full"] = report.graph_full;
  json["at_least"] = report.proven.low;
  json["at_most"] = report.proven.high;
  if (!options.situation.stores.empty())
    json["difference"] = {report.proven.low + situation.lead(), report.proven.high + situation.lead()};
  json["best"] = nullptr;
  if (report.best) json["best"] = report.moves[static_cast<std::size_t>(*report.best)].pit;
  json["moves"] = nlohmann::ordered_json::array();
  for (const MoveReport& move : report.moves) {
    const std::vector<std::string> line = line_in_words(situation, rules, move.line);
    nlohmann::ordered_json each = {{"pit", move.pit},
                                   {"move", line.front()},
                                   {"captured", move.captured},
                                   {"at_least", move.proven.low},
                                   {"at_most", move.proven.high}};
    each["estimate"] = nullptr;
    if (move.estimate) each["estimate"] = *move.estimate / 100.0;
    each["line"] = line;
    json["moves"].push_back(each);
  }
  return json;
}

class Run {
 public:
  Run(const Options& options, const Communicator& ranks)
      : options_(options), ranks_(ranks), prober_(options.db, options.cache, Accept::any) {
    if (!options.rules.empty()) prober_.require_rules(*parse_rules(options.rules));
    rules_ = prober_.rules().value_or(options.rules.empty() ? RuleSet::awari : *parse_rules(options.rules));
    situation_ = read_situation(options.situation, rules_);
    const double seconds = options.time.value_or(options.depth || options.nodes ? 1e9 : kDefaultSeconds);
    deadline_ =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double>(std::min(seconds, 1e9)));
  }

  int run() {
    Analysis analysis(situation_, rules_, Leaves(&prober_, options_.up_to), options_.limits, ranks_.rank(),
                      ranks_.size());
    begin();
    if (analysis.finished()) print_step(analysis.report());
    for (int depth = 1; !stop(analysis, depth); ++depth) {
      const std::vector<std::string> found = exchange(analysis.do_step(depth, deadline_));
      analysis.finish_step(depth, found);
      print_step(analysis.report());
    }
    if (!ranks_.root()) return 0;
    if (!json()) print_analysis(analysis.report(), situation_, rules_, stores());
    if (!analysis.finished()) say_what_would_help(analysis.report());
    return 0;
  }

 private:
  bool json() const { return options_.format == "json"; }
  bool stores() const { return !options_.situation.stores.empty(); }

  /// Rank 0 decides, as clocks differ.
  bool stop(const Analysis& analysis, int depth) const {
    const AnalysisReport& report = analysis.report();
    const bool enough = analysis.finished() || depth > options_.depth.value_or(kDeepest) ||
                        (options_.nodes && report.nodes >= *options_.nodes) ||
                        std::chrono::steady_clock::now() >= deadline_;
    return ranks_.any(ranks_.root() && enough);
  }

  /// What every rank found, on every rank. (No line break is lost: a text ends with one.)
  std::vector<std::string> exchange(const std::string& own) const {
    const std::vector<std::string> all = ranks_.gather(own);
    return {ranks_.broadcast(fmt::format("{}", fmt::join(all, "")))};
  }

  void say_what_would_help(const AnalysisReport& report) const {
    if (report.too_far) message("note: the database is too far for proofs: all the time was for estimates");
    if (report.graph_full) message("note: {}", graph_is_full(report, options_.limits));
    const auto hint = hint_to_solve(prober_, situation_.board, rules_, ranks_.size());
    if (hint && hint->seconds <= std::max(kWorthSolving, 10 * watch_.seconds()))
      message("note: {}", hint->sentence);
  }

  void begin() const {
    if (!ranks_.root() || json()) return;
    put("{}\n  depth        nodes  nodes/s  look-ups  proven        line\n", draw_situation(situation_));
  }

  void print_step(const AnalysisReport& report) const {
    if (!ranks_.root()) return;
    const double seconds = watch_.seconds();
    if (json())
      put("{}\n", json_text(to_json(report, situation_, options_, rules_, seconds)));
    else
      print_progress(report, situation_, rules_, seconds);
    deliver_results();
  }

  const Options& options_;
  const Communicator& ranks_;
  Prober prober_;
  RuleSet rules_ = RuleSet::awari;
  Situation situation_;
  Deadline deadline_;
  Stopwatch watch_;
};

void add_limits(CLI::App& command, Options& options) {
  command.add_option("--depth", options.depth, "Search to a depth of D plies")
      ->type_name("D")
      ->transform(whole(1, kDeepest));
  command.add_option("--time", options.time, "Search for S seconds")->type_name("S")->transform(real(0, 1e9));
  command.add_option("--nodes", options.nodes, "Begin no further step after K nodes")
      ->type_name("K")
      ->transform(whole(0));
}

}  // namespace

void add_analyze(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "analyze", "Search a board beyond the database: what is proven, what is estimated", kDetails);
  add_db(*command, options->db);
  add_rules(*command, options->rules,
            "Rule set if the database is empty; any other database must be of it (default: the database's, "
            "or awari)");
  add_situation(*command, options->situation);
  add_limits(*command, *options);
  add_seeds(*command, "--slices", options->up_to, "Use only the slices of up to N seeds (default: all)");
  add_search_tuning(*command, options->limits);
  command->add_option("--cache", options->cache, "Memory per rank for pieces of the database (default 64MiB)")
      ->transform(bytes(0))
      ->type_name("BYTES");
  add_format(*command, options->format, {"text", "json"});
  command->callback([options, &context] {
    context.command = [options, &context] {
      return run_parallel(context, [&](const Communicator& ranks) { return Run(*options, ranks).run(); });
    };
  });
}

}  // namespace awele::cli
