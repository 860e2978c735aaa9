// awele play: a game in the terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <sstream>

#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/search/player.hpp"
#include "awele/support/error.hpp"
#include "commands.hpp"
#include "game_files.hpp"
#include "line_reader.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(First has the pits A to F below, second the pits a to f above; each side sees
its leftmost pit as A or a. A person types moves and commands; the program plays
perfectly where the database reaches and searches elsewhere (--time, --depth).

The rules are those of the database (or --rules, when it is empty). Beyond what
they say about starving: a side with more than half of all seeds (25 of 48) has
won; a side that cannot move ends the game; and the game ends when a position comes
up for the third time, or when the players agree that it goes round forever. Then
each side keeps its own row under abapa, as in tournaments, and elsewhere what is
left is split evenly (--repetition). Values count an endless line as an even split.

Type
  E (or E4)       play the move from pit E
  advice          the value of every move: proven, or estimated
  program         let the program make this move
  endless         end a game that goes round forever; the program agrees unless it
                  expects more from playing on
  undo            take back the last move, and the program's before it
  board, moves    show the board; show the moves so far
  save FILE       write the game as text
  load FILE       continue a saved game, or any record that annotate reads
  help, quit

Put a name with blanks at its ends in quotes. A value counts the seeds on the
board: how many more of them the side that moves captures than its opponent,
under best play by both. From an outcome database (awele clamp, awele solve
--outcome) it may be a bound, "at least +3"; the program then plays for a win, draw
or loss in games of as many seeds as the database is for.

Examples:
  awele play --db awari
  awele play --db awari --first program --second program --seeds-per-pit 1
  awele play --db awari --board 0,0,2,1,0,3,1,0,0,2,2,1 --stores 20,16)";

constexpr const char* kCommands =
    "Type a pit (A-F), advice, program, undo, endless, board, moves, save FILE, load FILE, help or quit";

struct Options {
  std::string db, rules, board, stores, load, first = "person", second = "program";
  int seeds_per_pit = 4, total = kMaxSeeds;
  bool advice = false;
  std::optional<Sharing> repetition;
  Effort effort;
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

class Session {
 public:
  Session(const Options& options, const Prober& prober, RuleSet rules)
      : options_(options),
        scope_(prober.scope()),
        game_(rules, start_of(options, rules), {.sharing = options.repetition}),
        player_(prober, rules, options.effort) {
    if (!options.load.empty()) load(options.load);
  }

  int run() {
    print_kind();
    show_board();
    while (!quit_) {
      if (game_.outcome()) {
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

  /// What an outcome database lets the program play for.
  void print_kind() const {
    if (scope_.exact()) return;
    put("The database holds outcomes of games of {} seeds: inside it the program keeps every win and draw, "
        "by how much is not in it.\n",
        scope_.total());
    if (game_.start().total() > scope_.total())
      put("This game has {} seeds: there a bound need not decide it.\n", game_.start().total());
  }

  void show_board() const { put("\n{}\n", draw_situation(game_.now())); }

  /// The next line typed; nothing at the end of the input.
  std::optional<Typed> ask(const std::string& prompt) {
    put("{}> ", prompt);
    deliver_results();
    const std::vector<std::string> lines = input_.next(1);
    if (!lines.empty()) return parse_typed(lines[0]);
    put("\n");
    return std::nullopt;
  }

  /// Both sides may be the program: then there is nobody to ask.
  bool after_the_end() {
    put("{}\n", describe(*game_.outcome(), game_.rules()));
    if (is_program(Side::first) && is_program(Side::second)) return false;
    while (!quit_ && game_.outcome()) {
      const auto typed = ask("over");
      if (!typed) return false;
      obey(*typed);
    }
    return !quit_;
  }

  void person_moves() {
    if (options_.advice) show_advice();
    const Side side = game_.now().to_move;
    const std::size_t plies = game_.plies();
    while (!quit_ && game_.plies() == plies && game_.now().to_move == side && !game_.outcome()) {
      const auto typed = ask(name(side));
      if (!typed) {
        quit_ = true;
        put("The game is left unfinished.\n");
        return;
      }
      obey(*typed);
    }
  }

  void program_moves() {
    const Advice advice = player_.choose(game_);
    const PlayedMove& move = game_.play(advice.pit);
    put("{} plays {}: {}\n", name(move.side), format_move(move), describe(advice));
    show_board();
  }

  void obey(const Typed& typed) {
    if (typed.words.empty()) return;
    try {
      if (!command(typed)) move(typed.words[0]);
    } catch (const Error& error) {
      put("{}\n", error.what());
    }
  }

  bool command(const Typed& typed) {
    const std::string& what = typed.words[0];
    const bool known = (what == "save" || what == "load") == (typed.words.size() > 1);
    if (!known)
      throw Error(fmt::format("'{}' is not understood. {}", fmt::join(typed.words, " "), kCommands));
    if (what == "quit")
      quit_ = true;
    else if (what == "help")
      put("{}\n", kCommands);
    else if (what == "advice")
      show_advice();
    else if (what == "program")
      game_.outcome() ? throw Error("the game is over") : program_moves();
    else if (what == "undo")
      undo();
    else if (what == "endless")
      agree();
    else if (what == "board")
      show_board();
    else if (what == "moves")
      put("{}", save_game(game_));
    else if (what == "save")
      save(named_file(typed.rest));
    else if (what == "load")
      load(named_file(typed.rest)), show_board();
    else
      return false;
    return true;
  }

  void move(const std::string& word) {
    const auto pit = pit_of_letter(word[0]);
    if (!pit) throw Error(fmt::format("'{}' is not understood. {}", word, kCommands));
    const Side side = game_.now().to_move;
    const int sown = game_.now().board[static_cast<std::size_t>(*pit)];
    if (word.size() > 1 && word.substr(1) != std::to_string(sown) &&
        !word.substr(1).starts_with(std::to_string(sown) + "x"))
      throw Error(fmt::format("there are {1} seeds in pit {0}, not as '{2}' says", pit_letter(side, *pit),
                              sown, word));
    try {
      put("{} plays {}\n", name(side), format_move(game_.play(*pit)));
    } catch (const Error& error) {
      throw Error(fmt::format("{} is not legal: {}", pit_letter(side, *pit), error.what()));
    }
    show_board();
  }

  void undo() {
    const bool agreed = game_.outcome() && game_.outcome()->ending == Ending::agreed;
    if (game_.plies() == 0 && !agreed) throw Error("there is no move to take back");
    game_.undo();
    while (game_.plies() > 0 && is_program(game_.now().to_move)) game_.undo();
    show_board();
  }

  void agree() {
    if (game_.outcome()) throw Error("the game is over");
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
    if (game_.outcome()) throw Error("the game is over");
    const std::vector<Advice> all = player_.advise(game_);
    const int best = best_of(all).pit;
    for (const Advice& each : all)
      put("  {}{} {}\n", pit_letter(game_.now().to_move, each.pit), each.pit == best ? "*" : " ",
          describe(each));
  }

  void save(const std::string& path) const {
    write_game(path, game_);
    put("saved in {}\n", path);
  }

  void load(const std::string& path) {
    GameRecord loaded = read_game(path, game_.rules(), options_.repetition);
    if (loaded.game.rules() != game_.rules())
      throw Error(ExitCode::usage, fmt::format("{} is a game of the rules {}, not {}", path,
                                               awele::name(loaded.game.rules()), awele::name(game_.rules())));
    for (const std::string& note : loaded.all_notes()) put("Note: {}\n", note);
    game_ = std::move(loaded.game);
  }

  const Options& options_;
  Scope scope_;
  Game game_;
  Player player_;
  LineReader input_;
  bool quit_ = false;
};

int run(const Options& options) {
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
  command.add_option("--load", options.load, "Continue a recorded game; - reads it from standard input")
      ->type_name("FILE");
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
  add_effort(*command, options->effort);
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
