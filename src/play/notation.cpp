#include "awele/play/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "awele/probe/board_text.hpp"
#include "awele/support/error.hpp"

namespace awele {

namespace {

constexpr std::string_view kHeading = "awele game 1";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (!(line = trim(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::string ending_word(Ending ending) {
  constexpr std::array<const char*, 5> kWords = {"majority", "emptied", "no-move", "starved", "repetition"};
  return kWords[static_cast<std::size_t>(ending)];
}

std::string end_line(const Game& game) {
  if (!game.outcome()) return "end unfinished";
  const Outcome& outcome = *game.outcome();
  return fmt::format("end {}-{} {}", format_halves(outcome.halves[0]), format_halves(outcome.halves[1]),
                     ending_word(outcome.ending));
}

/// The lines of a saved game that say something, one after the other.
class GameReader {
 public:
  GameReader(std::string_view text, const std::string& name) : text_(text), name_(name) { next(); }

  Game read() {
    if (line_ != kHeading) refuse(fmt::format("a saved game begins with '{}'", kHeading));
    next();
    const RuleSet rules = read_rules();
    Situation start;
    start.board = guarded([&] { return parse_board(field("board")); });
    next();
    start.stores = guarded([&] { return parse_stores(field("stores")); });
    guarded([&] { return check_totals(start, start.total(), rules), 0; });
    next();
    Game game(rules, start);
    while (!line_.starts_with("end")) read_moves(game);
    read_end(game);
    return game;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ExitCode::usage, fmt::format("{}, line {}: {}", name_, number_, why));
  }

  /// Adds the place to what `read` refuses.
  template <typename Read>
  auto guarded(Read read) const -> decltype(read()) {
    try {
      return read();
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  void next() {
    do {
      if (text_.empty()) {
        line_ = {};
        ++number_;
        ended_ = true;
        return;
      }
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line_ = trim(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
    } while (line_.empty() || line_.front() == '#');
  }

  std::string_view field(std::string_view name) const {
    if (!line_.starts_with(name) || line_.size() == name.size() || line_[name.size()] != ' ')
      refuse(fmt::format("'{} ...' is expected here, not '{}'", name, line_));
    return trim(line_.substr(name.size()));
  }

  RuleSet read_rules() {
    const std::string_view text = field("rules");
    const auto rules = parse_rules(text);
    if (!rules) refuse(fmt::format("'{}' is not a rule set; use one of {}", text, rule_names()));
    next();
    return *rules;
  }

  void read_moves(Game& game) {
    if (ended_) refuse("the game breaks off: its line 'end ...' is missing");
    const std::vector<std::string> words = words_of(line_);
    const std::string expected = std::to_string(game.plies() / 2 + 1);
    if (game.plies() % 2 != 0) refuse("only the last line of moves may hold a single move");
    if (words[0] != expected)
      refuse(fmt::format("the moves numbered {} are expected here, not '{}'", expected, line_));
    if (words.size() < 2 || words.size() > 3) refuse("a line of moves holds its number and one or two moves");
    for (std::size_t k = 1; k < words.size(); ++k) read_move(game, words[k]);
    next();
  }

  void read_move(Game& game, const std::string& word) {
    const auto pit = pit_of_letter(word[0]);
    if (!pit || word[0] != pit_letter(game.now().to_move, *pit))
      refuse(fmt::format("'{}' is not a move of the {} player, whose pits are {}", word,
                         name(game.now().to_move), game.now().to_move == Side::first ? "A-F" : "a-f"));
    std::string played;
    try {
      played = format_move(game.play(*pit));
    } catch (const Error& error) {
      refuse(fmt::format("the move {} is not legal: {}", word, error.what()));
    }
    if (played != word) refuse(fmt::format("the move {} is {} on this board", word, played));
  }

  void read_end(const Game& game) {
    if (line_ != end_line(game))
      refuse(fmt::format("the moves lead to '{}', not to '{}'", end_line(game), line_));
    next();
    if (!ended_) refuse(fmt::format("nothing may follow the end of the game, but there is '{}'", line_));
  }

  std::string_view text_, line_;
  std::string name_;
  int number_ = 0;
  bool ended_ = false;
};

}  // namespace

char pit_letter(Side side, int pit) { return static_cast<char>((side == Side::first ? 'A' : 'a') + pit); }

std::string format_move(const PlayedMove& move) {
  return fmt::format("{}{}{}", pit_letter(move.side, move.pit), move.sown,
                     move.captured > 0 ? fmt::format("x{}", move.captured) : "");
}

std::optional<int> pit_of_letter(char letter) {
  if (letter >= 'A' && letter <= 'F') return letter - 'A';
  if (letter >= 'a' && letter <= 'f') return letter - 'a';
  return std::nullopt;
}

std::string draw_situation(const Situation& situation) {
  const bool first = situation.to_move == Side::first;
  const Half below = first ? mover_half(situation.board) : waiting_half(situation.board);
  const Half above = first ? waiting_half(situation.board) : mover_half(situation.board);
  std::string labels_above, row_above, row_below, labels_below, line = "  +";
  for (int k = 0; k < kHalfPits; ++k) {
    const int back = kHalfPits - 1 - k;
    labels_above += fmt::format(" {:>3} ", pit_letter(Side::second, back));
    row_above += fmt::format(" {:>2} |", above[back]);
    row_below += fmt::format(" {:>2} |", below[k]);
    labels_below += fmt::format(" {:>3} ", pit_letter(Side::first, k));
    line += "----+";
  }
  const auto player = [&](Side side) {
    return fmt::format("   {} {:>2}{}", name(side), situation.store(side),
                       side == situation.to_move ? "  <- to move" : "");
  };
  return fmt::format("  {}\n{}\n  |{}{}\n{}\n  |{}{}\n{}\n  {}\n", labels_above, line, row_above,
                     player(Side::second), line, row_below, player(Side::first), line, labels_below);
}

Stores parse_stores(std::string_view text) {
  Stores stores{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int k = 0; k < 2; ++k) {
    const auto [stop, error] = std::from_chars(at, end, stores[k]);
    const bool good = error == std::errc{} && (k == 0 ? stop != end && *stop == ',' : stop == end);
    if (!good || stores[k] < 0 || stores[k] > kMaxSeeds)
      throw Error(ExitCode::usage,
                  fmt::format("the stores '{}' are not two numbers of seeds; write them as 14,9, the side to "
                              "move first",
                              text));
    if (k == 0) at = stop + 1;
  }
  return stores;
}

std::string save_game(const Game& game) {
  std::string text =
      fmt::format("{}\nrules {}\nboard {}\nstores {},{}\n", kHeading, name(game.rules()),
                  format_board(game.start().board), game.start().stores[0], game.start().stores[1]);
  for (std::size_t ply = 0; ply < game.plies(); ++ply)
    text += ply % 2 == 0 ? fmt::format("{} {}", ply / 2 + 1, format_move(game.move(ply)))
                         : fmt::format(" {}\n", format_move(game.move(ply)));
  if (game.plies() % 2 != 0) text += "\n";
  return text + end_line(game) + "\n";
}

Game load_game(std::string_view text, const std::string& name) { return GameReader(text, name).read(); }

}  // namespace awele
