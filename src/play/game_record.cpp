#include "awele/play/game_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "awele/play/notation.hpp"
#include "awele/support/error.hpp"
#include "awele/support/text.hpp"
#include "record_builder.hpp"

namespace awele {

namespace {

constexpr int kNoRepetition = 1 << 20;
constexpr std::size_t kMostPlies = 4000;

bool is_saved_game(std::string_view text) {
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    if (text.front() != '#') return text.starts_with("awele game");
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

}  // namespace

const PlayedMove& RecordBuilder::play(int pit) {
  if (game_.plies() == kMostPlies)
    throw Error(ExitCode::usage, fmt::format("games of more than {} moves are not read", kMostPlies));
  const auto& outcome = game_.outcome();
  if (outcome && (outcome->ending == Ending::majority || outcome->ending == Ending::repetition)) {
    decided_ = Decision{game_.plies(), *outcome};
    game_ = replayed(game_, {kNoRepetition, true, game_.options().sharing});
  }
  return game_.play(pit);
}

void RecordBuilder::agree(Sharing sharing) {
  GameOptions options = game_.options();
  options.sharing = sharing;
  if (sharing != game_.sharing()) game_ = replayed(game_, options);
  game_.agree();
}

GameRecord RecordBuilder::finish() const { return {game_, decided_}; }

std::vector<std::string> GameRecord::all_notes() const {
  std::vector<std::string> all = notes;
  if (decided)
    all.push_back(fmt::format("The game was decided after ply {}, but the record continues to ply {}. {}",
                              decided->plies, game.plies(), describe(decided->outcome, game.rules())));
  return all;
}

void refuse_record(const std::string& name, int line, const std::string& why) {
  throw Error(ExitCode::usage, fmt::format("{}, line {}: {}", name, line, why));
}

std::string not_a_move(std::string_view word, Side side) {
  return fmt::format("'{}' is not a move of the {} player, whose pits are {}", quoted(word), name(side),
                     side == Side::first ? "A-F" : "a-f");
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string shown(text.substr(0, kMost));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = '?';
  return text.size() > kMost ? shown + "..." : shown;
}

GameRecord load_game(std::string_view text, const std::string& name, RuleSet rules) {
  const std::string plain = plain_text(text, name);
  return is_saved_game(plain) ? read_saved_game(plain, name) : read_movetext(plain, name, rules);
}

}  // namespace awele
