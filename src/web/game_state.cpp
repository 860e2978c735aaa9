#include "game_state.hpp"

#include <fmt/format.h>

#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/support/error.hpp"

namespace awele::web {

namespace {

/// What `read` returns; its Error becomes a problem.
template <typename Read>
auto or_problem(const char* code, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Problem(400, code, error.what());
  }
}

void play(Game& game, const std::string& moves) {
  for (const char letter : moves) {
    const Side side = game.now().to_move;
    const auto pit = pit_of_letter(letter);
    if (!pit || letter != pit_letter(side, *pit))
      throw Problem(
          400, "bad_moves",
          fmt::format("move {} is '{}', but the {} player moves, whose pits are {}", game.plies() + 1, letter,
                      name(side), side == Side::first ? "A to F" : "a to f"));
    try {
      game.play(*pit);
    } catch (const Error& error) {
      throw Problem(400, "bad_moves",
                    fmt::format("move {}, {}, is not legal: {}", game.plies() + 1, letter, error.what()));
    }
  }
}

}  // namespace

Game read_state(const Query& query, RuleSet rules, std::size_t most_moves) {
  if (!query.has("board"))
    throw Problem(400, "bad_board",
                  "the parameter board is missing: 12 numbers of seeds, the side to move first");
  Situation start;
  const std::string begins = query.get("begins", "first");
  if (begins != "first" && begins != "second") throw Problem(400, "bad_begins", "begins is first or second");
  start.to_move = begins == "first" ? Side::first : Side::second;
  start.board = or_problem("bad_board", [&] { return parse_board(query.get("board")); });
  start.stores = or_problem("bad_stores", [&] { return parse_stores(query.get("stores", "0,0")); });
  const int total =
      query.number("total", 0, kMaxSeeds, seeds(start.board) + start.stores[0] + start.stores[1]);
  or_problem("bad_stores", [&] { check_totals(start, total, rules); });
  const std::string moves = query.get("moves");
  if (moves.size() > most_moves)
    throw Problem(400, "bad_moves", fmt::format("a game of more than {} moves is not taken", most_moves));
  GameOptions options;
  options.repetitions = query.number("repetitions", 2, 99, options.repetitions);
  if (query.has("sharing")) {
    options.sharing = parse_sharing(query.get("sharing"));
    if (!options.sharing) throw Problem(400, "bad_sharing", "sharing is split or rows");
  }
  Game game(rules, start, options);
  play(game, moves);
  return game;
}

std::string move_letters(const Game& game) {
  std::string letters;
  for (std::size_t ply = 0; ply < game.plies(); ++ply)
    letters += pit_letter(game.move(ply).side, game.move(ply).pit);
  return letters;
}

}  // namespace awele::web
