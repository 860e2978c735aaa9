// awele probe: the value of boards and of their moves.
#include "awele/probe/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

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
its opponent so far wins if d + v > 0, draws if d + v = 0.

Where distances are stored (awele solve --distances): the number of plies until
the next capture or the end, when both play for value first and the winner then
hurries while the loser delays; 0 for what is worth 0. Best moves are those of
the best value and, among these, of the best distance.

Printed as text: the board, its value, the value of each move (best moves marked
with *). With --format json, one line:
  {"seeds":..,"value":..,"moves":[..],"best":[..]}
where moves has six entries: a value, null for an empty pit, or "illegal"; best
lists pits, 0 being the leftmost. With distances also "distance":.. and
"distances":[..], six entries, null where there is no move.

BOARD - reads boards from standard input, one a line, and answers each with one
line, in the same order: with --format json as above, or {"error":".."}; as
text the value and the six moves (- for an empty pit, illegal), with distances
then the distance and six more (- where there is no move), or "error: ..". Lines
that are there already are looked up together, sorted by chunk, so many boards
are fast, and a program that waits for each answer gets it. Exit code 2 when
there was an error line; a damaged file ends it with exit code 1.

--index N:I asks for the stored board of N seeds at place I of its file, from 0:
the boards of N seeds whose waiting half has an empty pit, in ascending
lexicographic order of the pits from the last to the first. With --format json
the answer then begins with "board":[..].

Examples:
  awele probe --db awari 1 1 1 1 1 1 1 1 1 1 1 1
  awele probe --db awari --index 12:1339701
  awele probe --db awari --format json - < boards.txt)";

nlohmann::ordered_json to_json(const BoardAnswer& answer) {
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

std::string to_line(const BoardAnswer& answer) {
  std::string line = fmt::format("{}", answer.value);
  for (const MoveAnswer& move : answer.moves)
    line += move.value ? fmt::format(" {}", *move.value) : move.kind == Move::Kind::empty ? " -" : " illegal";
  if (!answer.distance) return line;
  line += fmt::format(" {}", *answer.distance);
  for (const MoveAnswer& move : answer.moves)
    line += move.distance ? fmt::format(" {}", *move.distance) : " -";
  return line;
}

struct Options {
  std::string db, rules, format, index;
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

/// Many boards, one a line.
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
    const std::vector<BoardAnswer> answers = prober_.answers(boards);
    auto next = answers.begin();
    for (const std::string& error : errors) {
      if (error.empty())
        print_board(*next++);
      else
        print_error(error);
    }
    deliver_results();
  }

  void print_board(const BoardAnswer& answer) const {
    put("{}\n", json_ ? json_text(to_json(answer)) : to_line(answer));
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

int run(const Options& options) {
  const bool many = options.board == std::vector<std::string>{"-"};
  const bool json = options.format == "json";
  Board board{};
  if (!options.index.empty())
    board = board_at(options.index);
  else if (!many)
    board = parse_board(fmt::format("{}", fmt::join(options.board, " ")));
  const Prober prober(options.db);
  if (!options.rules.empty()) prober.require_rules(*parse_rules(options.rules));
  if (many) return Conversation(prober, json).run();
  const BoardAnswer answer = prober.answer(board);
  if (json && !options.index.empty()) {
    nlohmann::ordered_json with_board = {{"board", board}};
    with_board.update(to_json(answer));
    put("{}\n", json_text(with_board));
  } else if (json)
    put("{}\n", json_text(to_json(answer)));
  else
    print_answer(board, answer, *prober.rules());
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_probe(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "probe", "Print the value of boards and of each of their moves", kDetails);
  add_db(*command, options->db);
  add_rules(*command, options->rules, "Refuse a database of another rule set than this (default: take any)");
  add_format(*command, options->format, {"text", "json"});
  CLI::Option* board = command
                           ->add_option("BOARD", options->board,
                                        "12 numbers, the mover's pits first; - for many, from standard input")
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
