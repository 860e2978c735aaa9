// awele probe: the value of boards and of their moves.
#include "awele/probe/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "awele/play/game.hpp"
#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/probe/order.hpp"
#include "awele/run/json.hpp"
#include "awele/support/error.hpp"
#include "board_print.hpp"
#include "commands.hpp"
#include "line_reader.hpp"
#include "options.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(A board is 12 numbers: the seeds in the pits in sowing order, first the six of
the side to move, then the six of the waiting side, each side's leftmost pit
first as its owner sees it. One argument or twelve, commas or spaces.

Its value is how many more of the seeds on the board the side to move captures
than its opponent, under best play by both: from -n to n for n seeds, where what
is left of an endless line counts as split evenly, whatever the rules. The value
of a move is the same count for the side that makes it. Under the rules
majority-slam a value v is a threshold: a side that has captured d more than
its opponent so far wins if d + v > 0 and draws if d + v = 0.

Where distances are stored (awele solve --distances): the number of plies until
the next capture or the end when both play for value first and the winner then
hurries while the loser delays; 0 for what is worth 0. The best moves are those
with the best value and, among these, the best distance.

Printed as text: the board, its value, the value of each move (best moves marked
with *). With --format json, one line:
  {"seeds":..,"value":..,"moves":[..],"best":[..]}
where moves has six entries: a value, null for an empty pit, or "illegal"; best
lists pits, 0 being the leftmost. With distances also "distance":.. and
"distances":[..], six entries, null where there is no move.

In an outcome database (awele clamp, awele solve --outcome) values are exact only
up to what can still decide the game; a number beyond that is a bound and is shown
as one: "at least +3", "at most -3". With --format json then also "bound", and
"bounds" with six entries: "exact", "at least", "at most", null where there is no
move; BOARD - writes >=3 and <=-3. Best moves there are those that decide the
game alike: they keep every win and draw.

--stores A,B are the seeds captured so far, the side to move first; with the board
they must add up to 48, or to --total. Then the answer says who wins under best play;
with --format json also "result": "win", "draw" or "loss" for the side to move
("win or draw", "draw or loss", "unknown" where an outcome database is for smaller
games than this one).

BOARD - reads boards from standard input, one per line, and answers each with one
line, in the same order: with --format json as above, or {"error":".."}; as
text the value and the six moves (- for an empty pit, illegal), with distances
then the distance and six more (- where there is no move), or "error: ..". Lines
that have arrived are looked up together, sorted by chunk, so many boards are
fast, and a program that waits for each answer gets it. Exit code 2 when there
was an error line; a damaged file ends it with exit code 1.

--index N:I asks for the stored board of N seeds at place I of its file, from 0:
the boards of N seeds whose waiting half has an empty pit, in ascending
lexicographic order of the pits from the last to the first. With --format json
the answer then begins with "board":[..].

Examples:
  awele probe --db awari 1 1 1 1 1 1 1 1 1 1 1 1
  awele probe --db awari --index 12:1339701
  awele probe --db awari 0 0 2 1 0 3 1 0 0 2 2 1 --stores 20,16
  awele probe --db awari --format json - < boards.txt)";

/// `outcomes`: from an outcome database, so that values may be bounds.
nlohmann::ordered_json to_json(const BoardAnswer& answer, const BoardBounds& bounds, bool outcomes) {
  nlohmann::ordered_json json;
  json["seeds"] = answer.seeds;
  json["value"] = answer.value;
  if (outcomes) json["bound"] = bound_name(bounds.value);
  json["moves"] = nlohmann::ordered_json::array();
  for (const MoveAnswer& move : answer.moves) {
    if (move.value)
      json["moves"].push_back(*move.value);
    else if (move.kind == Move::Kind::empty)
      json["moves"].push_back(nullptr);
    else
      json["moves"].push_back("illegal");
  }
  if (outcomes) json["bounds"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; outcomes && i < answer.moves.size(); ++i) {
    if (answer.moves[i].value)
      json["bounds"].push_back(bound_name(bounds.moves[i]));
    else
      json["bounds"].push_back(nullptr);
  }
  json["best"] = answer.best;
  if (!answer.distance) return json;
  json["distance"] = *answer.distance;
  json["distances"] = nlohmann::ordered_json::array();
  for (const MoveAnswer& move : answer.moves) {
    if (move.distance)
      json["distances"].push_back(*move.distance);
    else
      json["distances"].push_back(nullptr);
  }
  return json;
}

std::string to_line(const BoardAnswer& answer, const BoardBounds& bounds) {
  std::string line = fmt::format("{}{}", bound_sign(bounds.value), answer.value);
  for (std::size_t i = 0; i < answer.moves.size(); ++i) {
    const MoveAnswer& move = answer.moves[i];
    line += move.value                       ? fmt::format(" {}{}", bound_sign(bounds.moves[i]), *move.value)
            : move.kind == Move::Kind::empty ? " -"
                                             : " illegal";
  }
  if (!answer.distance) return line;
  line += fmt::format(" {}", *answer.distance);
  for (const MoveAnswer& move : answer.moves)
    line += move.distance ? fmt::format(" {}", *move.distance) : " -";
  return line;
}

struct Options {
  std::string db, rules, format, index, stores;
  int total = kMaxSeeds;
  std::vector<std::string> board;
};

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// The board that N:I names.
Board board_at(std::string_view text) {
  const std::size_t colon = text.find(':');
  int n = 0;
  std::uint64_t index = 0;
  if (colon == std::string_view::npos || !read_number(text.substr(0, colon), n) ||
      !read_number(text.substr(colon + 1), index))
    throw Error(
        ExitCode::usage,
        fmt::format("--index {}: write seeds and place as two whole numbers, such as 12:1339701", text));
  return unrank(n, index);
}

/// Many boards, one per line.
class Conversation {
 public:
  Conversation(const Prober& prober, bool json) : prober_(prober), json_(json) {}

  int run() {
    LineReader input;
    for (auto lines = input.next(kBatch); !lines.empty(); lines = input.next(kBatch)) answer(lines);
    return static_cast<int>(errors_ ? ExitCode::usage : ExitCode::ok);
  }

 private:
  static constexpr std::size_t kBatch = std::size_t{1} << 18;

  /// The board of a line, or none: then `error` says why.
  std::optional<Board> board_of(const std::string& line, std::string& error) const {
    try {
      const Board board = parse_board(line);
      prober_.require_solved(board);
      return board;
    } catch (const Error& refused) {
      error = refused.what();
      return std::nullopt;
    }
  }

  void answer(const std::vector<std::string>& lines) {
    std::vector<Board> boards;
    std::vector<std::string> errors(lines.size());
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (const auto board = board_of(lines[k], errors[k])) boards.push_back(*board);
    std::vector<BoardBounds> bounds;
    const std::vector<BoardAnswer> answers = prober_.answers(boards, bounds);
    std::size_t next = 0;
    for (const std::string& error : errors) {
      if (!error.empty()) {
        print_error(error);
        continue;
      }
      print(answers[next], bounds[next]);
      ++next;
    }
    deliver_results();
  }

  void print(const BoardAnswer& answer, const BoardBounds& bounds) const {
    put("{}\n",
        json_ ? json_text(to_json(answer, bounds, !prober_.scope().exact())) : to_line(answer, bounds));
  }

  void print_error(const std::string& what) {
    errors_ = true;
    if (json_)
      put("{}\n", json_text(nlohmann::ordered_json{{"error", what}}));
    else
      put("error: {}\n", what);
  }

  const Prober& prober_;
  bool json_;
  bool errors_ = false;
};

/// Who wins a game that has come to this.
void print_result(const Situation& situation, KnownValue value, RuleSet rules, Scope scope) {
  const std::string result = result_name(situation.lead(), value);
  const int ahead = situation.lead() + value.value;
  std::string by;  // a threshold says who wins, not by how much
  if (rules != RuleSet::majority_slam && (result == "win" || result == "loss"))
    by = fmt::format(", {}{} seed{} {}", value.bound == Bound::exact ? "" : "at least ", std::abs(ahead),
                     std::abs(ahead) == 1 ? "" : "s", ahead > 0 ? "ahead" : "behind");
  const std::string what = result == "win"    ? "the side to move wins" + by
                           : result == "loss" ? "the side to move loses" + by
                           : result == "draw"
                               ? "a draw"
                               : fmt::format(
                                     "{} for the side to move: the database is for games of {} "
                                     "seeds, this one has {}",
                                     result, scope.total(), situation.total());
  put("\nStores {}-{}: {}.\n", situation.stores[0], situation.stores[1], what);
}

int run(const Options& options) {
  const bool many = options.board == std::vector<std::string>{"-"};
  const bool json = options.format == "json";
  Board board{};
  if (!options.index.empty())
    board = board_at(options.index);
  else if (!many)
    board = parse_board(fmt::format("{}", fmt::join(options.board, " ")));
  if (many && !options.stores.empty())
    throw Error(ExitCode::usage, "--stores is for one board; leave it out with BOARD -");
  const Prober prober(options.db, Prober::kDefaultCache, Accept::any);
  if (!options.rules.empty()) prober.require_rules(*parse_rules(options.rules));
  if (many) return Conversation(prober, json).run();
  Situation situation{.board = board};
  BoardBounds bounds;
  const BoardAnswer answer = prober.answer(board, bounds);
  if (!options.stores.empty()) {
    situation.stores = parse_stores(options.stores);
    check_totals(situation, options.total, *prober.rules());
  }
  const KnownValue value{answer.value, bounds.value};
  if (json) {
    nlohmann::ordered_json line;
    if (!options.index.empty()) line["board"] = board;
    line.update(to_json(answer, bounds, !prober.scope().exact()));
    if (!options.stores.empty()) line["result"] = result_name(situation.lead(), value);
    put("{}\n", json_text(line));
  } else {
    print_answer(board, answer, bounds, *prober.rules(), prober.scope());
    if (!options.stores.empty()) print_result(situation, value, *prober.rules(), prober.scope());
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_probe(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "probe", "Print the value of boards and of each of their moves", kDetails);
  add_db(*command, options->db);
  add_rules(*command, options->rules, "Refuse a database of any other rule set (default: accept all)");
  add_format(*command, options->format, {"text", "json"});
  CLI::Option* stores = command
                            ->add_option("--stores", options->stores,
                                         "Seeds captured so far, the side to move first; adds who wins")
                            ->type_name("A,B");
  add_seeds(*command, "--total", options->total,
            "Seeds of the whole game, with --stores: what they and the board add up to (default 48)")
      ->needs(stores);
  CLI::Option* board =
      command
          ->add_option("BOARD", options->board,
                       "12 numbers, the mover's pits first; - reads many boards from standard input")
          ->type_name("")
          ->expected(1, -1);
  command->add_option("--index", options->index, "Instead of BOARD: the stored board of N seeds at place I")
      ->type_name("N:I")
      ->excludes(board);
  command->callback([options, &context] {
    if (options->board.empty() && options->index.empty()) throw CLI::RequiredError("BOARD");
    context.command = [options] { return run(*options); };
  });
}

}  // namespace awele::cli
