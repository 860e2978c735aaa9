// Saved games, and how long the program may think about them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "awele/play/game.hpp"
#include "awele/search/analysis.hpp"

namespace awele::cli {

/// Throws Error (usage) when the file is missing or not a saved game.
Game read_game(const std::string& path);
/// Throws Error (failure) when the file cannot be written.
void write_game(const std::string& path, const Game& game);

/// --time and --depth.
void add_effort(CLI::App& command, Effort& effort);

}  // namespace awele::cli
