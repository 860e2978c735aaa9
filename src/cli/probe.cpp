// awele probe: the value of one board and of its moves.
#include "awele/probe/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "awele/probe/board_text.hpp"
#include "awele/support/error.hpp"
#include "board_print.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(A board is 12 numbers: the seeds in the pits in sowing order, first the six of
the side to move, then the six of the waiting side, each side's leftmost pit
first as its owner sees it. One argument or twelve, commas or spaces.

Its value is how many more of the seeds on the board the side to move captures
than its opponent, under best play by both: from -n to n for n seeds. The value
of a move is the same count for the side that makes it. Under the rules
majority-slam a value v is a threshold: a side that has captured d more than
its opponent so far wins if d + v > 0, draws if d + v = 0.

Printed as text: the board, its value, the value of each move (best moves marked
with *). With --format json, one line:
  {"seeds":..,"value":..,"moves":[..],"best":[..]}
where moves has six entries: a value, null for an empty pit, or "illegal"; best
lists pits, 0 being the leftmost.

Example:
  awele probe --db awari 1 1 1 1 1 1 1 1 1 1 1 1)";

void print_json(const BoardAnswer& answer) {
  nlohmann::ordered_json json;
  json["seeds"] = answer.seeds;
  json["value"] = answer.value;
  json["moves"] = nlohmann::ordered_json::array();
  for (const MoveAnswer& move : answer.moves) {
    if (move.value)
      json["moves"].push_back(*move.value);
    else if (move.kind == Move::Kind::empty)
      json["moves"].push_back(nullptr);
    else
      json["moves"].push_back("illegal");
  }
  json["best"] = answer.best;
  fmt::print("{}\n", json.dump());
}

struct Options {
  std::string db, rules, format;
  std::vector<std::string> board;
};

int run(const Options& options) {
  const Board board = parse_board(fmt::format("{}", fmt::join(options.board, " ")));
  const Database database(options.db);
  if (!options.rules.empty()) database.require_rules(*parse_rules(options.rules));
  Prober prober(database);
  const BoardAnswer answer = prober.answer(board);
  if (options.format == "json")
    print_json(answer);
  else
    print_answer(board, answer, database.rules());
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_probe(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "probe", "Print the value of a board and of each of its moves", kDetails);
  add_db(*command, options->db);
  add_rules(*command, options->rules, "Refuse a database of another rule set than this (default: take any)");
  add_format(*command, options->format, {"text", "json"});
  command->add_option("BOARD", options->board, "12 numbers, the mover's pits first")
      ->type_name("")
      ->required()
      ->expected(1, -1);
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
