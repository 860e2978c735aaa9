// The program's own form of a game.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/support/error.hpp"
#include "record_builder.hpp"

namespace awele {

namespace {

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
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

/// A line without its comments.
std::string said(std::string_view line) {
  std::string kept(line.substr(0, line.find_first_of("#;")));
  for (std::size_t open = kept.find('{'); open != std::string::npos; open = kept.find('{', open)) {
    const std::size_t close = kept.find('}', open);
    if (close == std::string::npos) break;
    kept.erase(open, close - open + 1);
  }
  return std::string(trim(kept));
}

std::string ending_word(Ending ending) {
  constexpr std::array<const char*, 6> kWords = {"majority", "emptied",    "no-move",
                                                 "starved",  "repetition", "agreed"};
  return kWords[static_cast<std::size_t>(ending)];
}

std::string end_line(const std::optional<Outcome>& outcome) {
  if (!outcome) return "end unfinished";
  return fmt::format("end {}-{} {}", format_halves(outcome->halves[0]), format_halves(outcome->halves[1]),
                     ending_word(outcome->ending));
}

/// As seen by the first player, whoever moves; and back.
Board first_players_view(const Situation& situation) {
  if (situation.to_move == Side::first) return situation.board;
  return join(waiting_half(situation.board), mover_half(situation.board));
}

/// The lines that say something, one after the other.
class SavedGameReader {
 public:
  SavedGameReader(std::string_view text, const std::string& name) : text_(text), name_(name) { next(); }

  GameRecord read() {
    if (line_ != kSavedGameHeading)
      refuse(fmt::format("a saved game begins with '{}', not with '{}'", kSavedGameHeading, quoted(line_)));
    next();
    const RuleSet rules = read_rules();
    const Situation start = read_start(rules);
    RecordBuilder builder(rules, start, read_repetition());
    while (!line_.starts_with("end")) read_moves(builder);
    read_end(builder);
    return builder.finish();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { refuse_record(name_, number_, why); }

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
      line_ = said(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
    } while (line_.empty());
  }

  std::string_view field(std::string_view name) const {
    const std::string_view line = line_;
    if (!line.starts_with(name) || line.size() == name.size() || line[name.size()] != ' ')
      refuse(fmt::format("'{} ...' is expected here, not '{}'", name, quoted(line)));
    return trim(line.substr(name.size()));
  }

  RuleSet read_rules() {
    const std::string_view text = field("rules");
    const auto rules = parse_rules(text);
    if (!rules) refuse(fmt::format("'{}' is not a rule set; use one of {}", quoted(text), rule_names()));
    next();
    return *rules;
  }

  Situation read_start(RuleSet rules) {
    Situation start;
    start.board = guarded([&] { return parse_board(field("board")); });
    next();
    if (line_ == "begins second") {
      start.to_move = Side::second;
      start.board = first_players_view(start);
      next();
    }
    start.stores = guarded([&] { return parse_stores(field("stores")); });
    guarded([&] { return check_totals(start, start.total(), rules), 0; });
    next();
    return start;
  }

  std::optional<Sharing> read_repetition() {
    if (!line_.starts_with("repetition")) return std::nullopt;
    const std::string_view text = field("repetition");
    const auto sharing = parse_sharing(text);
    if (!sharing) refuse(fmt::format("'{}' is not split or rows", quoted(text)));
    next();
    return sharing;
  }

  void read_moves(RecordBuilder& builder) {
    if (ended_) refuse("the game breaks off: its line 'end ...' is missing");
    const std::vector<std::string> words = words_of(line_);
    const std::size_t plies = builder.game().plies();
    const std::string expected = std::to_string(plies / 2 + 1);
    if (plies % 2 != 0) refuse("only the last line of moves may hold a single move");
    if (words[0] != expected)
      refuse(fmt::format("the moves numbered {} are expected here, not '{}'", expected, quoted(line_)));
    if (words.size() < 2 || words.size() > 3) refuse("a line of moves holds its number and one or two moves");
    for (std::size_t k = 1; k < words.size(); ++k) read_move(builder, words[k]);
    next();
  }

  void read_move(RecordBuilder& builder, const std::string& word) {
    const Side side = builder.game().now().to_move;
    const auto pit = pit_of_letter(word[0]);
    if (!pit || word[0] != pit_letter(side, *pit)) refuse(not_a_move(word, side));
    std::string played;
    try {
      played = format_move(builder.play(*pit));
    } catch (const Error& error) {
      refuse(fmt::format("the move {} is not legal: {}", quoted(word), error.what()));
    }
    if (played != word) refuse(fmt::format("the move {} is {} on this board", quoted(word), played));
  }

  /// The end may also be an agreement, which no move tells, or that of a decision that moves follow.
  void read_end(RecordBuilder& builder) {
    const Game& game = builder.game();
    if (!game.outcome() && line_ == end_line(game.shared(game.sharing()))) builder.agree(game.sharing());
    if (line_ != end_line(game.outcome()) &&
        !(builder.decided() && line_ == end_line(builder.decided()->outcome)))
      refuse(fmt::format("the moves lead to '{}', not to '{}'", end_line(game.outcome()), quoted(line_)));
    next();
    if (!ended_)
      refuse(fmt::format("nothing may follow the end of the game, but there is '{}'", quoted(line_)));
  }

  std::string_view text_;
  std::string line_, name_;
  int number_ = 0;
  bool ended_ = false;
};

}  // namespace

std::string save_game(const Game& game) {
  const Situation& start = game.start();
  std::string text = fmt::format("{}\nrules {}\nboard {}\n", kSavedGameHeading, name(game.rules()),
                                 format_board(first_players_view(start)));
  if (start.to_move == Side::second) text += "begins second\n";
  text += fmt::format("stores {},{}\n", start.stores[0], start.stores[1]);
  if (game.sharing() != usual_sharing(game.rules()))
    text += fmt::format("repetition {}\n", name(game.sharing()));
  for (std::size_t ply = 0; ply < game.plies(); ++ply)
    text += ply % 2 == 0 ? fmt::format("{} {}", ply / 2 + 1, format_move(game.move(ply)))
                         : fmt::format(" {}\n", format_move(game.move(ply)));
  if (game.plies() % 2 != 0) text += "\n";
  return text + end_line(game.outcome()) + "\n";
}

GameRecord read_saved_game(std::string_view text, const std::string& name) {
  return SavedGameReader(text, name).read();
}

}  // namespace awele
