// Games as people exchange them: OGN, letters, squares. All are moves in a row, with comments and numbers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "awele/play/notation.hpp"
#include "awele/support/error.hpp"
#include "record_builder.hpp"

namespace awele {

namespace {

constexpr std::string_view kForms =
    "a game is read as a saved game (awele game 1), as OGN, as letters (FfAe, A-F for first and a-f for "
    "second) or as squares (d1e2)";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == ',' || c == '\t' || c == '\n'; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// "24.5" as 49; none for anything else.
std::optional<int> parse_halves(std::string_view text) {
  int whole = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc{} || whole < 0 || whole > kMaxSeeds) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  if (rest.empty()) return 2 * whole;
  return rest == ".5" ? std::optional(2 * whole + 1) : std::nullopt;
}

/// "26-22": what both have in the end, in half seeds.
std::optional<Stores> parse_result(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_halves(text.substr(0, dash)), second = parse_halves(text.substr(dash + 1));
  return first && second ? std::optional(Stores{*first, *second}) : std::nullopt;
}

bool is_result(std::string_view word) {
  return word == "*" || word == "1/2-1/2" || parse_result(word).has_value();
}

std::optional<RuleSet> rules_of_variant(std::string_view variant) {
  const std::string text = lower(variant);
  if (text == "oware abapa" || text == "oware") return RuleSet::abapa;
  return parse_rules(text);
}

/// "d1e2": from a square to a square.
bool is_squares(std::string_view word) {
  const auto file = [](char c) { return c >= 'a' && c <= 'f'; };
  const auto row = [](char c) { return c == '1' || c == '2'; };
  return word.size() == 4 && file(word[0]) && row(word[1]) && file(word[2]) && row(word[3]);
}

std::string square_of_pit(int pit) {
  return pit < kHalfPits ? fmt::format("{}1", static_cast<char>('a' + pit))
                         : fmt::format("{}2", static_cast<char>('a' + kPits - 1 - pit));
}

/// A row of squares from left to right: 3S is a pit of three seeds, 2 are two empty pits. Empty when it is
/// none.
std::vector<int> parse_row(std::string_view row) {
  std::vector<int> pits;
  while (!row.empty()) {
    const std::string_view word = row.substr(0, row.find(','));
    row.remove_prefix(std::min(word.size() + 1, row.size()));
    const auto halves = parse_halves(word.substr(0, word.find('S')));
    if (!halves || *halves % 2 != 0) return {};
    if (word.ends_with('S'))
      pits.push_back(*halves / 2);
    else
      pits.resize(pits.size() + static_cast<std::size_t>(*halves / 2));
  }
  return pits.size() == kHalfPits ? pits : std::vector<int>{};
}

/// 0..11 in sowing order from the first player's leftmost pit: row 1 to the right, then row 2 to the left.
int pit_of_square(char file, char row) { return row == '1' ? file - 'a' : kPits - 1 - (file - 'a'); }

class MovetextReader {
 public:
  MovetextReader(std::string_view text, const std::string& name, RuleSet rules)
      : text_(text), name_(name), rules_(rules) {}

  GameRecord read() {
    skip_blanks();
    while (at_ < text_.size() && text_[at_] == '[') read_tag();
    begin();
    while (!ended_ && skip_blanks()) read_piece();
    if (tags_.empty() && builder_->game().plies() == 0) refuse(fmt::format("there is no move; {}", kForms));
    heed_result();
    prove_gain();
    GameRecord record = builder_->finish();
    record.notes.insert(record.notes.end(), notes_.begin(), notes_.end());
    record.tags = tags_;
    if (!result_.empty() && tag("Result").empty()) record.tags.emplace_back("Result", result_);
    return record;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    const auto begin = text_.begin(), end = begin + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
    refuse_record(name_, 1 + static_cast<int>(std::count(begin, end, '\n')), why);
  }

  /// Past blanks and comments to the end of a line; false at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#' || text_[at_] == ';'))
      at_ = is_blank(text_[at_]) ? at_ + 1 : std::min(text_.find('\n', at_), text_.size());
    return at_ < text_.size();
  }

  // ------------------------------------------------------------------------------------------- the tags

  /// [Name "value"], a quote or backslash in the value behind a backslash.
  void read_tag() {
    const std::size_t quote = text_.find('"', at_);
    std::string name(text_.substr(at_ + 1, quote == std::string_view::npos ? 0 : quote - at_ - 1)), value;
    std::erase_if(name, is_blank);
    std::size_t k = quote + 1;
    const bool named = !name.empty() && name.find_first_of("[]") == std::string::npos;
    for (; named && k < text_.size() && text_[k] != '"'; ++k) {
      if (text_[k] == '\\' && k + 1 < text_.size()) ++k;
      value += text_[k];
    }
    const std::size_t close = named ? text_.find_first_not_of(" \t\n", k + 1) : std::string_view::npos;
    if (close == std::string_view::npos || text_[close] != ']')
      refuse("a tag is written [Name \"value\"], and this is not");
    at_ = close + 1;
    tags_.emplace_back(name, value);
    skip_blanks();
  }

  /// The value of a tag; "" when it is missing or unknown.
  std::string tag(std::string_view name) const {
    for (const auto& [each, value] : tags_)
      if (each == name && value != "?") return value;
    return "";
  }

  void begin() {
    if (const std::string variant = tag("Variant"); !variant.empty()) {
      const auto rules = rules_of_variant(variant);
      if (!rules)
        refuse(fmt::format("the variant '{}' is not known; it may be Oware Abapa or one of {}",
                           quoted(variant), rule_names()));
      rules_ = *rules;
    }
    std::optional<Sharing> sharing;
    if (const std::string text = tag("Repetition"); !text.empty()) {
      sharing = parse_sharing(text);
      if (!sharing) refuse(fmt::format("the tag Repetition is split or rows, not '{}'", quoted(text)));
    }
    Situation start;
    start.board.fill(4);
    if (const std::string fen = tag("FEN"); !fen.empty())
      start = read_fen(fen);
    else if (skip_blanks() && begins_with_second())
      start.to_move = Side::second;
    try {
      check_totals(start, start.total(), rules_);
    } catch (const Error& error) {
      refuse(error.what());
    }
    builder_.emplace(rules_, start, sharing);
  }

  /// Whether the first move is one of the second player's.
  bool begins_with_second() const {
    std::size_t move = text_.find_first_not_of("0123456789. \t\n", at_);
    while (move != std::string_view::npos && text_[move] == '{')
      move = text_.find_first_not_of("}0123456789. \t\n", text_.find('}', move));
    if (move == std::string_view::npos) return false;
    const std::string_view word = text_.substr(move, 4);
    if (is_squares(word)) return word[1] == '2';
    return word[0] >= 'a' && word[0] <= 'f';
  }

  /// Who moves first, from 12 pits in sowing order, the first player's first, two stores, and S or N.
  static Situation situation_of(const std::vector<int>& numbers, std::string_view mover) {
    Situation start;
    start.to_move = mover == "S" ? Side::first : Side::second;
    const int turn = start.to_move == Side::first ? 0 : kHalfPits;
    for (int k = 0; k < kPits; ++k)
      start.board[k] = static_cast<std::uint8_t>(numbers[static_cast<std::size_t>((k + turn) % kPits)]);
    start.stores = {numbers[kPits], numbers[kPits + 1]};
    return start;
  }

  /// 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S, or by rows of squares, the second player's above: 4S,5/5,4S 20 20 S 1.
  Situation read_fen(std::string_view fen) {
    std::vector<int> numbers;
    if (fen.find('/') != std::string_view::npos) return read_rows(fen);
    std::string_view rest = fen;
    for (std::size_t dash = rest.find('-'); dash != std::string_view::npos; dash = rest.find('-')) {
      const auto halves = parse_halves(rest.substr(0, dash));
      if (!halves || *halves % 2 != 0) break;
      numbers.push_back(*halves / 2);
      rest.remove_prefix(dash + 1);
    }
    if (numbers.size() != kPits + 2 || (rest != "S" && rest != "N"))
      refuse(
          fmt::format("the start '{}' is not 12 pits, two stores and S or N: "
                      "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
                      quoted(fen)));
    return situation_of(numbers, rest);
  }

  Situation read_rows(std::string_view fen) {
    std::vector<std::string_view> words;
    for (std::string_view rest = fen; !rest.empty();) {
      words.push_back(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(words.back().size() + 1, rest.size()));
    }
    const std::string_view rows = words.empty() ? std::string_view() : words[0];
    const std::vector<int> above = parse_row(rows.substr(0, rows.find('/'))),
                           below = parse_row(rows.substr(std::min(rows.find('/') + 1, rows.size())));
    const bool whole =
        words.size() >= 4 && !above.empty() && !below.empty() && (words[3] == "S" || words[3] == "N");
    const auto first = whole ? parse_halves(words[1]) : std::nullopt,
               second = whole ? parse_halves(words[2]) : std::nullopt;
    if (!first || !second)
      refuse(
          fmt::format("the start '{}' is not two rows of squares, two stores and S or N: "
                      "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S",
                      quoted(fen)));
    std::vector<int> numbers = below;
    numbers.insert(numbers.end(), above.rbegin(), above.rend());
    numbers.insert(numbers.end(), {*first / 2, *second / 2});
    return situation_of(numbers, words[3]);
  }

  // ------------------------------------------------------------------------------------------ the moves

  void read_piece() {
    switch (text_[at_]) {
      case '{':
        return skip_comment();
      case '(':
        return skip_variation();
      case '[':
        notes_.push_back("Another game follows in the record; only the first one was read.");
        ended_ = true;
        return;
      default:
        break;
    }
    const std::size_t end = std::min(text_.find_first_of(" ,\t\n{}()[];#", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    if (word.empty()) refuse(fmt::format("'{}' has no meaning here", text_[at_]));
    read_word(word);
    at_ = end;
  }

  void skip_comment() {
    const std::size_t close = text_.find('}', at_);
    if (close == std::string_view::npos) refuse("the comment that begins here has no end");
    at_ = close + 1;
  }

  void skip_variation() {
    const std::size_t begin = at_;
    int depth = 0;
    do {
      if (text_[at_] == '{') {
        skip_comment();
        continue;
      }
      depth += (text_[at_] == '(' ? 1 : 0) - (text_[at_] == ')' ? 1 : 0);
      ++at_;
    } while (depth > 0 && at_ < text_.size());
    if (depth == 0) return;
    at_ = begin;
    refuse("the variation that begins here has no end");
  }

  void read_word(std::string_view word) {
    if (word.front() == '$' || word.find_first_not_of("!?") == std::string_view::npos) return;  // a remark
    if (!result_.empty()) {
      notes_.push_back(fmt::format("After the result {} the record continues with '{}', which was not read.",
                                   result_, quoted(word)));
      ended_ = true;
      return;
    }
    if (is_result(word)) {
      result_ = word;
      return;
    }
    read_number(word);
    if (!word.empty()) is_squares(word) ? read_squares(word) : read_letters(word);
  }

  /// Takes the number of a move, if there is one, off the beginning: 12 or 12. or 12...
  void read_number(std::string_view& word) const {
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    if (digits == 0) return;
    const std::string expected = std::to_string(builder_->game().plies() / 2 + 1);
    if (word.substr(0, digits) != expected)
      refuse(fmt::format("the move numbered {} is expected here, not '{}'", expected, quoted(word)));
    word.remove_prefix(digits);
    word.remove_prefix(std::min(word.find_first_not_of('.'), word.size()));
  }

  const PlayedMove& play(std::string_view word, Side side, int pit) {
    if (unproven_gain_) refuse_gain(*unproven_gain_);
    if (side != builder_->game().now().to_move) refuse(not_a_move(word, builder_->game().now().to_move));
    try {
      return builder_->play(pit);
    } catch (const Error& error) {
      refuse(fmt::format("the move {} is not legal: {}", quoted(word), error.what()));
    }
  }

  void read_squares(std::string_view word) {
    const int from = pit_of_square(word[0], word[1]), to = pit_of_square(word[2], word[3]);
    const PlayedMove& move = play(word, from < kHalfPits ? Side::first : Side::second, from % kHalfPits);
    const int last = (from + move.sown + (move.sown - 1) / (kPits - 1)) % kPits;
    if (last != to)
      refuse(fmt::format("the move {} ends on {} on this board", quoted(word), square_of_pit(last)));
  }

  /// One move or several: F, FfAe, A+2, E3x5!
  void read_letters(std::string_view word) {
    while (!word.empty()) {
      const auto pit = pit_of_letter(word.front());
      if (!pit) refuse(fmt::format("'{}' is not a move; {}", quoted(word), kForms));
      const std::size_t next = word.find_first_of("ABCDEFabcdef", 1);
      const std::string_view one = word.substr(0, next);
      const PlayedMove& move = play(one, word.front() <= 'F' ? Side::first : Side::second, *pit);
      check_details(one, move);
      word.remove_prefix(one.size());
    }
  }

  /// What may follow the letter of a move: seeds sown, x or + and seeds captured, remarks such as !?
  void check_details(std::string_view word, const PlayedMove& move) {
    std::string_view details = word.substr(1, word.find_first_of("!?") - 1);
    const std::size_t digits = std::min(details.find_first_not_of("0123456789"), details.size());
    const std::string_view sown = details.substr(0, digits);
    details.remove_prefix(digits);
    const bool gain = !details.empty() && (details[0] == 'x' || details[0] == '+') && details.size() > 1 &&
                      std::all_of(details.begin() + 1, details.end(), is_digit);
    if (!details.empty() && !gain) refuse(fmt::format("'{}' is not a move; {}", quoted(word), kForms));
    if (!sown.empty() && sown != std::to_string(move.sown))
      refuse(fmt::format("the move {} is {} on this board", quoted(word), format_move(move)));
    if (gain && details.substr(1) != std::to_string(move.captured))
      unproven_gain_ = {std::string(word), std::string(details.substr(1)), move};
  }

  struct Gain {
    std::string word, seeds;
    PlayedMove move;
  };

  /// The gain of the last move may count what the end of the game gave its maker.
  void prove_gain() const {
    if (!unproven_gain_) return;
    const Game& game = builder_->game();
    const Side side = unproven_gain_->move.side;
    const auto gain = parse_halves(unproven_gain_->seeds);
    const int before = 2 * game.before(game.plies() - 1).store(side);
    const auto agrees = [&](const Outcome& outcome) {
      return gain && outcome.halves[static_cast<std::size_t>(side)] - before == *gain;
    };
    if (!(game.outcome() && agrees(*game.outcome())) && !agrees(game.shared(Sharing::rows)))
      refuse_gain(*unproven_gain_);
  }

  [[noreturn]] void refuse_gain(const Gain& gain) const {
    refuse(fmt::format("the move {} is {} on this board", quoted(gain.word), format_move(gain.move)));
  }

  // ----------------------------------------------------------------------------------------- the result

  /// A result may tell more than the moves: what the players agreed on.
  void heed_result() {
    if (result_.empty()) result_ = tag("Result");
    const auto halves = parse_result(result_);
    if (!halves || result_ == "1-0" || result_ == "0-1") return;
    const Game& game = builder_->game();
    for (Sharing sharing : {game.sharing(), Sharing::split, Sharing::rows})
      if (!game.outcome() && !builder_->decided() && game.shared(sharing).halves == *halves)
        builder_->agree(sharing);
    const auto outcome = builder_->decided() ? builder_->decided()->outcome : game.outcome();
    if (!outcome)
      notes_.push_back(
          fmt::format("The result {} of the record is not one that its moves lead to.", result_));
    else if (outcome->halves != *halves && !builder_->decided())
      notes_.push_back(fmt::format("The result of the record is {}, but its moves lead to {}-{}.", result_,
                                   format_halves(outcome->halves[0]), format_halves(outcome->halves[1])));
  }

  std::string_view text_;
  std::string name_;
  RuleSet rules_;
  std::size_t at_ = 0;
  std::vector<std::pair<std::string, std::string>> tags_;
  std::optional<RecordBuilder> builder_;
  std::optional<Gain> unproven_gain_;  // of the last move: it may include what an ending gave
  std::string result_;
  std::vector<std::string> notes_;
  bool ended_ = false;
};

}  // namespace

GameRecord read_movetext(std::string_view text, const std::string& name, RuleSet rules) {
  return MovetextReader(text, name, rules).read();
}

}  // namespace awele
