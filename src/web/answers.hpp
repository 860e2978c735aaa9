// What is known of games, as JSON. Numbers that are not known are null, never 0.
#pragma once

#include <nlohmann/json.hpp>

#include "awele/play/game.hpp"
#include "awele/probe/probe.hpp"
#include "awele/web/api.hpp"

namespace awele::web {

using Json = nlohmann::ordered_json;

/// {"board", "stores", "to_move"}
Json to_json(const Situation& situation);
/// {"ending", "stores", "winner"}; null for a game that goes on.
Json to_json(const std::optional<Outcome>& outcome);

/// The present position of a game and its six moves. Throws OverBudget when the search for the move to play
/// does.
Json position_json(const Game& game, const Prober& prober, const Budget& budget);
/// An optimal line of at most `limit` moves from the present position: {"moves", "outcome", "complete"}.
Json line_json(const Game& game, const Prober& prober, std::size_t limit, const Budget& budget);
/// A game from its start, each move with what it gave away.
Json game_json(const Game& game, const Prober& prober);
/// What a search of so many seconds finds out about the present position.
Json analysis_json(const Game& game, const Prober& prober, double seconds);

}  // namespace awele::web
