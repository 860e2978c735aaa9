// awele line: an optimal line to the end of the game.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "awele/play/guide.hpp"
#include "awele/play/notation.hpp"
#include "awele/run/json.hpp"
#include "board_print.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "results.hpp"
#include "situation_options.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Both sides play for value first; then the winner hurries towards the next
capture or the end, and the loser delays it. The database must hold the board's
slice and all smaller ones. Without stored distances (awele solve --distances)
the ones needed are searched for, which can take a while on boards with many
seeds.

The side to move is called first, its pits A to F, leftmost first as it sees
them; the other is second, its pits a to f. A move is written as its pit, the
seeds sown, and after an x the seeds captured: E3x5. For each move: its value,
which is how many more of the seeds then on the board its maker still captures than
the other side; its distance, plies to the next capture or the end (0 when the value
is 0); and the stores after it. A position that comes back is reported as a cycle:
what is left is then split evenly, as values count it under every rule set. In
tournament Oware (abapa) each side keeps its own row instead: with --stores both
results are given. The line continues to the end even when one side already has more
than half of all seeds.

From an outcome database (awele clamp, awele solve --outcome) the line keeps what
is won or drawn in games of as many seeds as the database is for; of values beyond
that it says only that they are at least (>=) or at most (<=) a number.

With --format json one object:
  {"moves":[{"side":..,"pit":..,"move":"E3x5","captured":..,"rest":..,
    "value":..,"bound":..,"distance":..,"stores":[..,..]},..],
   "outcome":{"text":..,"winner":..,"stores":[..,..]},"cycle":..}
bound: at_least or at_most for a number that the value may lie beyond, else null;
rest: seeds taken besides by a move that ends the game; stores: first's first;
cycle: the number of plies before the first time of a position that comes back,
else null.

Example:
  awele line --db awari 0 0 2 1 0 3 1 0 0 2 2 1 --stores 20,16)";

struct Options {
  std::string db, rules, format;
  SituationOptions situation;
};

void print_moves(const OptimalLine& line) {
  put("  ply  move    value  distance  stores\n");  // a bound takes the blanks before it as well
  const int half = line.game.start().total() / 2;
  bool decided = false;
  for (std::size_t ply = 0; ply < line.moves.size(); ++ply) {
    const LineMove& each = line.moves[ply];
    const Stores& stores = line.game.before(ply + 1).stores;
    const bool now = stores[0] > half || stores[1] > half;
    put("  {:>3}  {:<6} {:>6}  {:>8}  {:>2}-{}{}{}\n", ply + 1, format_move(each.move),
        short_text(each.value), each.distance, stores[0], stores[1],
        each.move.rest > 0 ? fmt::format("  takes the remaining {}", each.move.rest) : "",
        now && !decided ? "  more than half" : "");
    decided = decided || now;
  }
}

void print_result(const char* how, const Outcome& outcome, RuleSet rules) {
  put("  {:<28} {}\n", how, describe(outcome, rules));
}

/// How a cycle would end by each way of sharing what is left. Values know of one only.
void print_both_results(const Game& game) {
  print_result("Split evenly (as by values):", *game.outcome(), game.rules());
  print_result("By rows (as in tournaments):", game.shared(Sharing::rows, Ending::repetition), game.rules());
}

void print_cycle(const Game& game) {
  const std::size_t first = game.first_occurrence();
  const int n = seeds(game.now().board);
  put("A cycle: plies {} to {} lead back to the same position; the {} seed{} left are split {}-{}.\n",
      first + 1, game.plies(), n, n == 1 ? "" : "s", format_halves(n), format_halves(n));
}

/// What a line from an outcome database is, and is not.
void print_kind(Scope scope, int total) {
  if (scope.exact()) return;
  put("From outcomes of games of {} seeds: both sides keep what is won or drawn in such games, by how much "
      "is "
      "not in the database; >= and <= mark bounds.\n",
      scope.total());
  if (total > scope.total())
    put("This game has {} seeds: a bound need not decide it, so the line may give a win or a draw away.\n",
        total);
  put("\n");
}

using Json = nlohmann::ordered_json;

Json halves(int count) { return count % 2 == 0 ? Json(count / 2) : Json(count / 2.0); }

Json to_json(const LineMove& each, const Stores& after) {
  const PlayedMove& move = each.move;
  Json json = {{"side", name(move.side)},   {"pit", std::string(1, pit_letter(move.side, move.pit))},
               {"move", format_move(move)}, {"captured", move.captured},
               {"rest", move.rest},         {"value", each.value.value}};
  json["bound"] = each.value.bound == Bound::exact      ? Json()
                  : each.value.bound == Bound::at_least ? Json("at_least")
                                                        : Json("at_most");
  json["distance"] = each.distance;
  json["stores"] = after;
  return json;
}

Json to_json(const OptimalLine& line) {
  Json json;
  json["moves"] = Json::array();
  for (std::size_t ply = 0; ply < line.moves.size(); ++ply)
    json["moves"].push_back(to_json(line.moves[ply], line.game.before(ply + 1).stores));
  const Outcome& outcome = *line.game.outcome();
  const auto winner = outcome.winner();
  json["outcome"] = {{"text", describe(outcome, line.game.rules())},
                     {"winner", winner ? Json(name(*winner)) : Json()},
                     {"stores", {halves(outcome.halves[0]), halves(outcome.halves[1])}}};
  const bool cycle = outcome.ending == Ending::repetition;
  json["cycle"] = cycle ? Json(line.game.first_occurrence()) : Json();
  return json;
}

int run(const Options& options) {
  const Prober prober(options.db, Prober::kDefaultCache, Accept::any);
  if (!options.rules.empty()) prober.require_rules(*parse_rules(options.rules));
  const RuleSet rules = prober.rules().value_or(RuleSet::awari);
  const OptimalLine line = optimal_line(prober, read_situation(options.situation, rules));
  if (options.format == "json") {
    put("{}\n", json_text(to_json(line)));
    return 0;
  }
  put("{}\n", draw_situation(line.game.start()));
  print_kind(prober.scope(), line.game.start().total());
  if (!line.moves.empty()) print_moves(line);
  const bool cycle = line.game.outcome()->ending == Ending::repetition;
  if (cycle) print_cycle(line.game);
  if (cycle && !options.situation.stores.empty())
    print_both_results(line.game);
  else
    put("{}\n", describe(*line.game.outcome(), rules));
  return 0;
}

}  // namespace

void add_line(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "line", "Play an optimal line to the end of the game", kDetails);
  add_db(*command, options->db);
  add_rules(*command, options->rules, "Refuse a database of any other rule set (default: accept all)");
  add_situation(*command, options->situation);
  add_format(*command, options->format, {"text", "json"});
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
