#include "situation_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "numbers.hpp"

namespace awele::cli {

void add_situation(CLI::App& command, SituationOptions& options) {
  command.add_option("BOARD", options.board, "12 numbers, the mover's pits first")
      ->type_name("")
      ->required()
      ->expected(1, -1);
  CLI::Option* stores =
      command
          .add_option("--stores", options.stores,
                      "Seeds captured so far, the side to move first; with the board they must add up to the "
                      "total (default: none captured, and the board is all there is)")
          ->type_name("A,B");
  command.add_option("--total", options.total, "Seeds of the whole game, with --stores (default 48)")
      ->type_name("N")
      ->transform(whole(0, kMaxSeeds))
      ->needs(stores);
}

Situation read_situation(const SituationOptions& options, RuleSet rules) {
  Situation situation;
  situation.board = parse_board(fmt::format("{}", fmt::join(options.board, " ")));
  if (!options.stores.empty()) situation.stores = parse_stores(options.stores);
  check_totals(situation, options.stores.empty() ? seeds(situation.board) : options.total, rules);
  return situation;
}

}  // namespace awele::cli
