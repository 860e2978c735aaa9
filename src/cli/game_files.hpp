// Saved games, and how long the program may think about them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "awele/play/game_record.hpp"
#include "awele/search/analysis.hpp"

namespace awele::cli {

/// A record in any of the forms of load_game; `path` may be - for standard input. `rules` are those of a
/// record that names none. With `sharing` what is left of a game that goes round is shared like that,
/// whatever the record says. Throws Error (usage) when the file is missing or holds no game.
GameRecord read_game(const std::string& path, RuleSet rules, std::optional<Sharing> sharing);
/// Throws Error (failure) when the file cannot be written.
void write_game(const std::string& path, const Game& game);

/// --repetition: none unless it is given.
void add_repetition(CLI::App& command, std::optional<Sharing>& sharing);

/// --time and --depth.
void add_effort(CLI::App& command, Effort& effort);

}  // namespace awele::cli
