// Options of the commands that look at a situation: a board, the stores, the total.
#pragma once

#include <string>
#include <vector>

#include "awele/play/game.hpp"
#include "commands.hpp"

namespace awele::cli {

struct SituationOptions {
  std::vector<std::string> board;
  std::string stores;
  int total = kMaxSeeds;
};

/// BOARD, --stores and --total.
void add_situation(CLI::App& command, SituationOptions& options);
/// Throws Error (usage) when they do not fit together. Without --stores both are empty, and the total is what
/// is on the board.
Situation read_situation(const SituationOptions& options, RuleSet rules);

}  // namespace awele::cli
