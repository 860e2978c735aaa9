#include "game_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "awele/support/error.hpp"
#include "awele/support/files.hpp"
#include "line_reader.hpp"

namespace awele::cli {

namespace {

std::string contents(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  const auto refuse = [&](const char* why) {
    throw Error(ExitCode::usage, fmt::format("the game {} cannot be read: {}", path, why));
  };
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) refuse("it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string text;
  for (char c; file.get(c);) {
    text += c;
    if (text.size() > kMost) refuse("it is larger than a record of a game can be");
  }
  if (file.bad()) refuse(std::strerror(EIO));
  return text;
}

}  // namespace

GameRecord read_game(const std::string& path, RuleSet rules, std::optional<Sharing> sharing) {
  GameRecord record = path == "-" ? load_game(read_standard_input(), "standard input", rules)
                                  : load_game(contents(path), path, rules);
  if (!sharing || *sharing == record.game.sharing()) return record;
  const auto share = [&](Game& game) {
    GameOptions options = game.options();
    options.sharing = sharing;
    game = replayed(game, options);
  };
  share(record.game);
  if (record.decided && record.decided->outcome.ending == Ending::repetition) {
    Game decided(record.game.rules(), record.game.start(), {.sharing = sharing});
    for (std::size_t ply = 0; ply < record.decided->plies; ++ply) decided.play(record.game.move(ply).pit);
    record.decided->outcome = *decided.outcome();
  }
  return record;
}

void write_game(const std::string& path, const Game& game) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("the game cannot be written to {}: {}", path, why));
  };
  const std::string text = save_game(game);
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown)) {
    std::ofstream file(path, std::ios::binary);  // a terminal, a pipe
    file << text;
    if (!file.flush()) refuse(std::strerror(errno ? errno : EIO));
    return;
  }
  try {
    // Where a symbolic link leads; what was saved before stays until this is whole.
    replace_file(std::filesystem::weakly_canonical(path), text);
  } catch (const std::filesystem::filesystem_error& error) {
    refuse(error.code().message());
  }
}

void add_repetition(CLI::App& command, std::optional<Sharing>& sharing) {
  const auto known = [](const std::string& text) {
    return parse_sharing(text) ? std::string() : fmt::format("'{}' is not split or rows", text);
  };
  command
      .add_option_function<std::string>(
          "--repetition", [&sharing](const std::string& text) { sharing = parse_sharing(text); },
          "Who gets what is left of a game that goes round in circles: split (evenly) or rows (each side its "
          "own pits) (default: rows under abapa, otherwise split)")
      ->type_name("HOW")
      ->check(CLI::Validator(known, "", "sharing"));
}

}  // namespace awele::cli
