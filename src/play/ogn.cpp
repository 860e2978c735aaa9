// Games in Oware Game Notation, as they are written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "awele/play/notation.hpp"
#include "record_builder.hpp"

namespace awele {

namespace {

using Tags = std::vector<std::pair<std::string, std::string>>;

constexpr std::array<const char*, 8> kRoster = {"Variant", "Event", "Site",  "Date",
                                                "Round",   "South", "North", "Result"};
constexpr std::array<const char*, 4> kOwn = {"Variant", "Result", "FEN", "Repetition"};

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The pits A to F and a to f, the stores, and who moves first.
std::string fen(const Situation& start) {
  const bool first = start.to_move == Side::first;
  std::string text;
  for (int k = 0; k < kPits; ++k)
    text += fmt::format("{}-", start.board[static_cast<std::size_t>((k + (first ? 0 : kHalfPits)) % kPits)]);
  return text + fmt::format("{}-{}-{}", start.stores[0], start.stores[1], first ? 'S' : 'N');
}

bool is_usual_start(const Situation& start) {
  Situation usual;
  usual.board.fill(4);
  return start == usual;
}

std::string tag(const GameRecord& record, const std::string& name, const std::string& otherwise) {
  const auto at = std::find_if(record.tags.begin(), record.tags.end(),
                               [&](const auto& each) { return each.first == name; });
  return at == record.tags.end() ? otherwise : at->second;
}

/// That of the moves; if they lead to none, the one that was recorded.
std::string result(const GameRecord& record) {
  const auto outcome = record.outcome();
  if (!outcome) return tag(record, "Result", "*");
  return fmt::format("{}-{}", format_halves(outcome->halves[0]), format_halves(outcome->halves[1]));
}

std::string tag_line(const std::string& name, const std::string& value) {
  std::string escaped;
  for (char c : value) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return fmt::format("[{} \"{}\"]\n", name, escaped);
}

std::string tag_lines(const GameRecord& record) {
  const Game& game = record.game;
  const auto known = [&](const std::string& name) -> std::string {
    if (name == "Variant")
      return game.rules() == RuleSet::abapa ? "Oware Abapa" : std::string(awele::name(game.rules()));
    if (name == "Result") return result(record);
    return tag(record, name, "?");
  };
  std::string text;
  for (const std::string name : kRoster) text += tag_line(name, known(name));
  if (!is_usual_start(game.start())) text += tag_line("FEN", fen(game.start()));
  if (game.sharing() != usual_sharing(game.rules())) text += tag_line("Repetition", name(game.sharing()));
  for (const auto& [name, value] : record.tags)
    if (!is_one_of(kRoster, name) && !is_one_of(kOwn, name)) text += tag_line(name, value);
  return text;
}

/// Words in lines of less than 80 characters.
class Words {
 public:
  void add(const std::string& word) {
    if (!line_.empty() && line_.size() + 1 + word.size() >= 80) end_line();
    line_ += line_.empty() ? word : " " + word;
  }
  std::string text() {
    end_line();
    return text_;
  }

 private:
  void end_line() {
    if (!line_.empty()) text_ += line_ + "\n";
    line_.clear();
  }
  std::string text_, line_;
};

}  // namespace

std::string save_ogn(const GameRecord& record, const std::vector<std::string>& comments) {
  const Game& game = record.game;
  Words words;
  for (std::size_t ply = 0; ply < game.plies(); ++ply) {
    const PlayedMove& move = game.move(ply);
    const int gain = move.captured + move.rest;
    if (ply % 2 == 0) words.add(fmt::format("{}.", ply / 2 + 1));
    words.add(fmt::format("{}{}", pit_letter(move.side, move.pit), gain > 0 ? fmt::format("+{}", gain) : ""));
    if (!comments.empty()) words.add("{ " + comments[ply] + " }");
  }
  if (result(record) != "*") words.add(result(record));
  return tag_lines(record) + "\n" + words.text();
}

}  // namespace awele
