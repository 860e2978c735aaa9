// awele play: a game in the terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>

#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/run/json.hpp"
#include "awele/search/player.hpp"
#include "awele/support/error.hpp"
#include "commands.hpp"
#include "game_files.hpp"
#include "line_reader.hpp"
#include "messages.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "results.hpp"
#include "search_options.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(First has the pits A to F below, second the pits a to f above; each side sees
its leftmost pit as A or a. A person types moves and commands; the program plays
perfectly where the database reaches and searches elsewhere (--time, --depth).
With --give-away K it is weaker: it plays by lot one of the moves that are worth
at most K seeds less than the best, as far as it can tell. With --vary it plays
by lot among moves that are as good.

The rules are those of the database (or --rules, when it is empty). Beyond what
they say about starving: a side with more than half of all seeds (25 of 48) has
won; a side that cannot move ends the game; and the game ends when a position comes
up for the third time, or when the players agree that it goes round forever. Then
each side keeps its own row under abapa, as in tournaments, and elsewhere what is
left is split evenly (--repetition). Values count an endless line as an even split.

Type
  E (or E4)       play the move from pit E
  advice          the value of every move: proven, or estimated
  hint            the move that the program would make
  program         let the program make this move
  endless         end a game that goes round forever; the program agrees unless it
                  expects more from playing on
  resign          give the game up
  undo            take back the last move, and the program's before it
  redo            play again what was taken back
  board, moves    show the board; show the moves so far
  flip            show the board from the other side
  save FILE       write the game as text
  load FILE       continue a saved game, or any record that annotate reads
  help, quit

A move may be written with its seeds, E4, and with its capture, E4x2; then they
must be right. Put a name with blanks at its ends in quotes. A value counts the
seeds on the board: how many more of them the side that moves captures than its
opponent, under best play by both. From an outcome database (awele clamp, awele
solve --outcome) it may be a bound, "at least +3"; the program then plays for a win,
draw or loss in games of as many seeds as the database is for.

With --format json everything is said in objects, one a line, each with its
"event":
  position   "board" (the side to move first), "stores" (first's first), "to_move"
  move       "side", "pit", "move", "captured", and for a move of the program
             "value", as in advice
  advice     "moves":[{"pit":..,"at_least":..,"at_most":..,"estimate":..,
             "repeats":..,"best":..},..]; hint is the same with one move
  ask        waits for a line of input; "side", or null when the game is over
  over       "winner" (null for a draw), "stores", "text"
  text, error  "text"

Examples:
  awele play --db awari
  awele play --db awari --first program --second program --seeds-per-pit 1
  awele play --db awari --board 0,0,2,1,0,3,1,0,0,2,2,1 --stores 20,16)";

constexpr const char* kCommands =
    "Type a pit (A-F), advice, hint, program, undo, redo, endless, resign, board, flip, moves, save FILE, "
    "load "
    "FILE, help or quit";

struct Options {
  std::string db, rules, board, stores, load, format, first = "person", second = "program";
  int seeds_per_pit = 4, total = kMaxSeeds;
  bool advice = false;
  std::optional<Sharing> repetition;
  Effort effort;
  AnalysisLimits limits = limits_in_play();
  Style style;
  std::optional<std::uint64_t> seed;
};

Situation start_of(const Options& options, RuleSet rules) {
  Situation start;
  start.board.fill(static_cast<std::uint8_t>(options.seeds_per_pit));
  if (!options.board.empty()) start.board = parse_board(options.board);
  if (!options.stores.empty()) start.stores = parse_stores(options.stores);
  check_totals(start, options.stores.empty() ? seeds(start.board) : options.total, rules);
  return start;
}

/// The name in what follows a command: in quotes if they stand around it.
std::string named_file(const std::string& text) {
  if (text == "-") throw Error("the standard streams are taken by the game; give the name of a file");
  const bool in_quotes =
      text.size() > 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
  return in_quotes ? text.substr(1, text.size() - 2) : text;
}

/// A line typed: its words, and what follows the first one.
struct Typed {
  std::vector<std::string> words;
  std::string rest;
};

Typed parse_typed(const std::string& line) {
  constexpr const char* kBlank = " \t";
  Typed typed;
  std::istringstream text(line);
  for (std::string word; text >> word;) typed.words.push_back(word);
  if (typed.words.size() < 2) return typed;
  const std::size_t begin = line.find_first_not_of(kBlank, line.find(typed.words[0]) + typed.words[0].size());
  typed.rest = line.substr(begin, line.find_last_not_of(kBlank) - begin + 1);
  return typed;
}

using Json = nlohmann::ordered_json;

Json to_json(Side side, const Advice& advice) {
  Json json = {{"pit", std::string(1, pit_letter(side, advice.pit))},
               {"at_least", advice.proven.low},
               {"at_most", advice.proven.high}};
  json["estimate"] = advice.estimate ? Json(*advice.estimate / 100.0) : Json();
  json["repeats"] = advice.repeats;
  return json;
}

Json halves(int count) { return count % 2 == 0 ? Json(count / 2) : Json(count / 2.0); }

/// What is said in a game, as text or as JSON.
class Voice {
 public:
  explicit Voice(bool json) : json_(json) {}

  void text(const std::string& sentence) const {
    say({{"event", "text"}, {"text", sentence}}, sentence + "\n");
  }
  void error(const std::string& sentence) const {
    say({{"event", "error"}, {"text", sentence}}, sentence + "\n");
  }

  void board(const Situation& situation, Side below) const {
    say({{"event", "position"},
         {"board", situation.board},
         {"stores", situation.stores},
         {"to_move", name(situation.to_move)}},
        "\n" + draw_situation(situation, below) + "\n");
  }

  void move(const PlayedMove& move, const Advice* advice) const {
    Json json = {{"event", "move"},
                 {"side", name(move.side)},
                 {"pit", std::string(1, pit_letter(move.side, move.pit))},
                 {"move", format_move(move)},
                 {"captured", move.captured}};
    if (advice) json["value"] = to_json(move.side, *advice);
    say(json, fmt::format("{} plays {}{}\n", name(move.side), format_move(move),
                          advice ? ": " + describe(*advice) : ""));
  }

  void advice(Side side, const std::vector<Advice>& all) const {
    const int best = best_of(all).pit;
    Json json = {{"event", "advice"}, {"moves", Json::array()}};
    std::string text;
    for (const Advice& each : all) {
      json["moves"].push_back(to_json(side, each));
      json["moves"].back()["best"] = each.pit == best;
      text += fmt::format("  {}{} {}\n", pit_letter(side, each.pit), each.pit == best ? "*" : " ",
                          describe(each));
    }
    say(json, text);
  }

  void hint(Side side, const Advice& advice) const {
    say({{"event", "hint"}, {"moves", {to_json(side, advice)}}},
        fmt::format("try {}: {}\n", pit_letter(side, advice.pit), describe(advice)));
  }

  void over(std::optional<Side> winner, const Stores& stores, const std::string& sentence) const {
    say({{"event", "over"},
         {"winner", winner ? Json(name(*winner)) : Json()},
         {"stores", {halves(stores[0]), halves(stores[1])}},
         {"text", sentence}},
        sentence + "\n");
  }

  void ask(std::optional<Side> side) const {
    if (json_)
      say({{"event", "ask"}, {"side", side ? Json(name(*side)) : Json()}}, "");
    else
      put("{}> ", side ? name(*side) : "over");
    deliver_results();
  }

  /// The input ends where a line was asked for.
  void end_of_input() const {
    if (!json_) put("\n");
  }

 private:
  void say(const Json& json, const std::string& text) const {
    put("{}", json_ ? json_text(json) + "\n" : text);
  }

  bool json_;
};

class Session {
 public:
  Session(const Options& options, const Prober& prober, RuleSet rules)
      : options_(options),
        prober_(prober),
        voice_(options.format == "json"),
        game_(rules, start_of(options, rules), {.sharing = options.repetition}),
        player_(prober, rules, options.effort, options.limits, options.style) {
    if (!options.load.empty()) load(options.load);
  }

  int run() {
    print_kind();
    show_board();
    while (!quit_) {
      if (over()) {
        if (!after_the_end()) break;
      } else if (is_program(game_.now().to_move)) {
        program_moves();
      } else {
        person_moves();
      }
    }
    return 0;
  }

 private:
  bool is_program(Side side) const {
    return (side == Side::first ? options_.first : options_.second) == "program";
  }
  bool over() const { return resigned_ || game_.outcome(); }
  void require_going_on() const {
    if (over()) throw Error("the game is over");
  }

  /// What an outcome database lets the program play for.
  void print_kind() const {
    const Scope scope = prober_.scope();
    if (scope.exact()) return;
    voice_.text(
        fmt::format("The database holds outcomes of games of {} seeds: inside it the program keeps every win "
                    "and draw, by how "
                    "much is not in it.",
                    scope.total()));
    if (game_.start().total() > scope.total())
      voice_.text(
          fmt::format("This game has {} seeds: there a bound need not decide it.", game_.start().total()));
  }

  void show_board() const { voice_.board(game_.now(), below_); }

  /// The next line typed; nothing at the end of the input.
  std::optional<Typed> ask(std::optional<Side> side) {
    voice_.ask(side);
    const std::vector<std::string> lines = input_.next(1);
    if (!lines.empty()) return parse_typed(lines[0]);
    voice_.end_of_input();
    return std::nullopt;
  }

  void say_how_it_ended() const {
    if (!resigned_) {
      const Outcome& outcome = *game_.outcome();
      voice_.over(outcome.winner(), outcome.halves, describe(outcome, game_.rules()));
      return;
    }
    const Stores& stores = game_.now().stores;
    voice_.over(other(*resigned_), {2 * stores[0], 2 * stores[1]},
                fmt::format("{} wins: {} resigns.", *resigned_ == Side::first ? "Second" : "First",
                            name(*resigned_)));
  }

  /// Both sides may be the program: then there is nobody to ask.
  bool after_the_end() {
    say_how_it_ended();
    if (is_program(Side::first) && is_program(Side::second)) return false;
    while (!quit_ && over()) {
      const auto typed = ask(std::nullopt);
      if (!typed) return false;
      obey(*typed);
    }
    return !quit_;
  }

  void person_moves() {
    if (options_.advice) show_advice();
    const Side side = game_.now().to_move;
    const std::size_t plies = game_.plies();
    while (!quit_ && game_.plies() == plies && game_.now().to_move == side && !over()) {
      const auto typed = ask(side);
      if (!typed) {
        quit_ = true;
        voice_.text("The game is left unfinished.");
        return;
      }
      obey(*typed);
    }
  }

  void program_moves() {
    mention_solving();
    const Advice advice = player_.choose(game_);
    undone_.clear();
    voice_.move(game_.play(advice.pit), &advice);
    show_board();
  }

  /// Once, where the slices that a search would need are solved in a minute.
  void mention_solving() {
    constexpr double kWorthSolving = 60;
    if (mentioned_ || prober_.complete_up_to() >= seeds(game_.now().board)) return;
    const auto hint = hint_to_solve(prober_, game_.now().board, game_.rules(), 1);
    if (!hint || hint->seconds > kWorthSolving) return;
    mentioned_ = true;
    message("note: {}", hint->sentence);
  }

  void obey(const Typed& typed) {
    if (typed.words.empty()) return;
    try {
      if (!command(typed)) move(typed.words[0]);
    } catch (const Error& error) {
      voice_.error(error.what());
    }
  }

  bool command(const Typed& typed) {
    const std::string& what = typed.words[0];
    const bool known = (what == "save" || what == "load") == (typed.words.size() > 1);
    if (!known)
      throw Error(fmt::format("'{}' is not understood. {}", fmt::join(typed.words, " "), kCommands));
    const std::pair<const char*, void (Session::*)()> plain[] = {
        {"quit", &Session::quit},          {"help", &Session::help},
        {"advice", &Session::show_advice}, {"hint", &Session::show_hint},
        {"undo", &Session::undo},          {"redo", &Session::redo},
        {"endless", &Session::agree},      {"resign", &Session::resign},
        {"board", &Session::draw_board},   {"flip", &Session::flip},
        {"moves", &Session::show_moves},   {"program", &Session::program_on_request}};
    for (const auto& [word, act] : plain)
      if (what == word) {
        (this->*act)();
        return true;
      }
    if (what == "save")
      save(named_file(typed.rest));
    else if (what == "load")
      load(named_file(typed.rest)), show_board();
    else
      return false;
    return true;
  }

  void quit() { quit_ = true; }
  void help() { voice_.text(kCommands); }
  void draw_board() { show_board(); }
  void flip() {
    below_ = other(below_);
    show_board();
  }
  void show_moves() {
    std::string text = save_game(game_);
    text.pop_back();  // the last line break
    voice_.text(text);
  }
  void program_on_request() {
    require_going_on();
    program_moves();
  }
  void resign() {
    require_going_on();
    resigned_ = game_.now().to_move;
  }

  void move(const std::string& word) {
    const auto pit = pit_of_letter(word[0]);
    if (!pit) throw Error(fmt::format("'{}' is not understood. {}", word, kCommands));
    require_going_on();
    const Situation& now = game_.now();
    const int sown = now.board[static_cast<std::size_t>(*pit)];
    const int captured = moves(now.board, game_.rules()).pit[static_cast<std::size_t>(*pit)].captured;
    const std::string said = word.substr(1), seeds = std::to_string(sown);
    if (!said.empty() && said != seeds && !said.starts_with(seeds + "x"))
      throw Error(fmt::format("there are {1} seeds in pit {0}, not as '{2}' says",
                              pit_letter(now.to_move, *pit), sown, word));
    if (said.starts_with(seeds + "x") && said != fmt::format("{}x{}", sown, captured))
      throw Error(fmt::format("the move from pit {} captures {}, not as '{}' says",
                              pit_letter(now.to_move, *pit), captured, word));
    try {
      voice_.move(game_.play(*pit), nullptr);
      undone_.clear();
    } catch (const Error& error) {
      throw Error(fmt::format("{} is not legal: {}", pit_letter(now.to_move, *pit), error.what()));
    }
    show_board();
  }

  void undo() {
    if (resigned_) {
      resigned_.reset();
      return show_board();
    }
    const bool agreed = game_.outcome() && game_.outcome()->ending == Ending::agreed;
    if (game_.plies() == 0 && !agreed) throw Error("there is no move to take back");
    std::vector<int> taken;
    const auto take_back = [&] {
      taken.insert(taken.begin(), game_.move(game_.plies() - 1).pit);
      game_.undo();
    };
    agreed ? game_.undo() : take_back();
    while (game_.plies() > 0 && is_program(game_.now().to_move)) take_back();
    if (!taken.empty()) undone_.push_back(taken);
    show_board();
  }

  void redo() {
    if (undone_.empty()) throw Error("there is no move to play again");
    for (int pit : undone_.back()) game_.play(pit);
    undone_.pop_back();
    show_board();
  }

  void agree() {
    require_going_on();
    const Side side = game_.now().to_move;
    if (is_program(other(side)) && !program_agrees())
      throw Error("the program expects more from playing on than from an endless game");
    game_.agree();
  }

  /// Whether the program, which is not to move, gets at least what it expects from playing on.
  bool program_agrees() {
    const int half_lead = game_.shared(game_.sharing()).lead(game_.now().to_move) - 2 * game_.now().lead();
    return 50 * half_lead <= expected(best_of(player_.advise(game_)));
  }

  void show_advice() {
    require_going_on();
    mention_solving();
    voice_.advice(game_.now().to_move, player_.advise(game_));
  }

  void show_hint() {
    require_going_on();
    mention_solving();
    voice_.hint(game_.now().to_move, player_.choose(game_));
  }

  void save(const std::string& path) const {
    write_game(path, game_);
    voice_.text("saved in " + path + (resigned_ ? "; as unfinished, since records know no resignation" : ""));
  }

  void load(const std::string& path) {
    GameRecord loaded = read_game(path, game_.rules(), options_.repetition);
    if (loaded.game.rules() != game_.rules())
      throw Error(ExitCode::usage, fmt::format("{} is a game of the rules {}, not {}", path,
                                               awele::name(loaded.game.rules()), awele::name(game_.rules())));
    for (const std::string& note : loaded.all_notes()) voice_.text("Note: " + note);
    game_ = std::move(loaded.game);
    resigned_.reset();
    undone_.clear();
  }

  const Options& options_;
  const Prober& prober_;
  Voice voice_;
  Game game_;
  Player player_;
  LineReader input_;
  Side below_ = Side::first;
  std::optional<Side> resigned_;
  std::vector<std::vector<int>> undone_;  // by each undo, pits in the order of play
  bool quit_ = false, mentioned_ = false;
};

int run(Options options) {
  options.style.seed = options.seed ? *options.seed : std::random_device{}();
  const Prober prober(options.db, Prober::kDefaultCache, Accept::any);
  if (!options.rules.empty()) prober.require_rules(*parse_rules(options.rules));
  const RuleSet rules =
      prober.rules().value_or(options.rules.empty() ? RuleSet::awari : *parse_rules(options.rules));
  return Session(options, prober, rules).run();
}

void add_players(CLI::App& command, Options& options) {
  const auto known = [](const std::string& text) {
    return text == "person" || text == "program"
               ? std::string()
               : fmt::format("'{}' is no player; use person or program", text);
  };
  command.add_option("--first", options.first, "Who plays first: person or program (default person)")
      ->type_name("WHO")
      ->check(CLI::Validator(known, "", "player"));
  command.add_option("--second", options.second, "Who plays second: person or program (default program)")
      ->type_name("WHO")
      ->check(CLI::Validator(known, "", "player"));
}

void add_start(CLI::App& command, Options& options) {
  CLI::Option* even =
      command
          .add_option("--seeds-per-pit", options.seeds_per_pit, "Start with N seeds in every pit (default 4)")
          ->type_name("N")
          ->transform(whole(1, 4));
  command
      .add_option("--board", options.board,
                  "Start from another board: 12 numbers with commas, first's pits first")
      ->type_name("BOARD")
      ->excludes(even);
  CLI::Option* stores =
      command.add_option("--stores", options.stores, "Seeds captured before the start: first's, second's")
          ->type_name("A,B");
  command
      .add_option("--total", options.total,
                  "Seeds of the whole game, with --stores: what they and the board add up to (default 48)")
      ->type_name("N")
      ->transform(whole(0, kMaxSeeds))
      ->needs(stores);
  CLI::Option* load =
      command.add_option("--load", options.load, "Continue a recorded game; - reads it from standard input")
          ->type_name("FILE")
          ->excludes(even)
          ->excludes(stores);
  load->excludes(command.get_option("--board"));
}

void add_style(CLI::App& command, Options& options) {
  command
      .add_option("--give-away", options.style.give_away,
                  "Seeds that a move of the program may be worth less than the best (default 0)")
      ->type_name("K")
      ->transform(whole(0, kMaxSeeds));
  command.add_flag("--vary", options.style.vary, "Choose among equally good moves by lot");
  command
      .add_option(
          "--seed", options.seed,
          "For --give-away and --vary: the same number, the same choices (default: another each time)")
      ->type_name("K")
      ->transform(whole(0));
}

}  // namespace

void add_effort(CLI::App& command, Effort& effort) {
  command
      .add_option("--time", effort.seconds,
                  fmt::format("Seconds a search may take (default {})", effort.seconds))
      ->type_name("S")
      ->transform(real(0, 1e6));
  command
      .add_option("--depth", effort.depth,
                  "Most plies a search may look ahead (default 200: limited by time alone)")
      ->type_name("D")
      ->transform(whole(1, 200));
}

void add_play(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "play", "Play a game in the terminal", kDetails);
  add_db(*command, options->db);
  add_rules(*command, options->rules,
            "Rule set if the database is empty; any other database must be of it (default: the database's, "
            "or awari)");
  add_players(*command, *options);
  add_start(*command, *options);
  add_repetition(*command, options->repetition);
  command->add_flag("--advice", options->advice, "Show advice before each move of a person");
  add_style(*command, *options);
  add_effort(*command, options->effort);
  add_search_tuning(*command, options->limits);
  add_format(*command, options->format, {"text", "json"});
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
