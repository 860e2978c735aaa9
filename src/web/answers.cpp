#include "answers.hpp"

#include <algorithm>
#include <optional>

#include "awele/play/guide.hpp"
#include "awele/play/notation.hpp"
#include "awele/search/player.hpp"
#include "game_state.hpp"
#include "query.hpp"

namespace awele::web {

namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json letter(Side side, int pit) { return std::string(1, pit_letter(side, pit)); }

/// Whole seeds as an integer, half ones as 23.5.
Json from_halves(int halves) { return halves % 2 == 0 ? Json(halves / 2) : Json(halves / 2.0); }

bool is_over_limit(const Error& error) { return dynamic_cast<const ProbeError*>(&error) == nullptr; }

/// What the database says; the search for distances within the budget. With `values_only` none is made.
std::optional<Guidance> ask(const Situation& situation, const Prober& prober, const Budget& budget,
                            bool values_only = false) {
  try {
    return Guide(prober, budget.positions).guide(situation, !values_only);
  } catch (const Error& error) {
    if (!is_over_limit(error)) throw;
    throw OverBudget();
  }
}

/// "at_least" or "at_most" for a number of an outcome database that the value may lie beyond; else null.
Json bound_code(Bound bound) {
  return bound == Bound::at_least ? Json("at_least") : bound == Bound::at_most ? Json("at_most") : Json();
}

/// Why a move cannot be made.
const char* reason(const Game& game, const Move& move) {
  if (move.kind == Move::Kind::empty) return "empty";
  if (game.outcome()) return "game_over";
  return game.rules() == RuleSet::majority_slam && move.captured > 0 ? "slam_without_majority" : "starves";
}

/// The pits that seeds go to, in order, and those of them that are captured; numbered as the mover sees the
/// board.
struct Track {
  std::vector<int> sown, taken;
};
Track track_of(const Board& board, int pit, int captured) {
  Track track;
  Board after = board;
  after[static_cast<std::size_t>(pit)] = 0;
  int at = pit;
  for (int left = board[static_cast<std::size_t>(pit)]; left > 0; --left) {
    do at = (at + 1) % kPits;
    while (at == pit);
    ++after[static_cast<std::size_t>(at)];
    track.sown.push_back(at);
  }
  for (; captured > 0 && at >= kHalfPits; --at) {
    track.taken.push_back(at);
    captured -= after[static_cast<std::size_t>(at)];
  }
  return track;
}

Json after_json(const Game& game, int pit) {
  Game next = game;
  next.play(pit);
  Json json = to_json(next.now());
  json["outcome"] = to_json(next.outcome());
  return json;
}

Json move_json(const Game& game, int pit, bool legal, const Move& move,
               const std::optional<Guidance>& known) {
  const Situation& now = game.now();
  const auto at = static_cast<std::size_t>(pit);
  Json json;
  json["pit"] = letter(now.to_move, pit);
  json["seeds"] = now.board[at];
  json["legal"] = legal;
  json["reason"] = legal ? Json() : Json(reason(game, move));
  if (!legal) return json;
  const PlayedMove played{now.to_move, pit, now.board[at], move.captured, 0};
  const Track track = track_of(now.board, pit, move.captured);
  json["move"] = format_move(played);
  json["sown"] = track.sown;
  json["captured"] = move.captured;
  json["taken"] = track.taken;
  std::optional<int> value;
  if (known) value = known->values[at];
  json["value"] = or_null(value);
  json["bound"] = value ? bound_code(known->bounds.moves[at]) : Json();
  json["distance"] = known ? or_null(known->distances[at]) : Json();
  // A repetition ends this game with what its sharing gives, whatever the position is worth.
  const auto repeats = game.value_by_repetition(pit);
  json["repeats"] = repeats.has_value();
  json["lead"] = repeats ? Json(now.lead() + *repeats) : value ? Json(now.lead() + *value) : Json();
  json["best"] = value && *value == known->value;
  json["after"] = after_json(game, pit);
  return json;
}

/// Adds what a game that is over was worth, or what the database knows of one that goes on.
void add_knowledge(Json& json, const Game& game, const std::optional<Guidance>& known) {
  const Situation& now = game.now();
  if (game.outcome()) {
    json["value"] = json["bound"] = json["distance"] = nullptr;
    json["lead"] = from_halves(game.outcome()->lead(now.to_move));
    return;
  }
  json["value"] = known ? Json(known->value) : Json();
  json["bound"] = known ? bound_code(known->bounds.value) : Json();
  json["distance"] =
      known && known->choice ? or_null(known->distances[static_cast<std::size_t>(*known->choice)]) : Json();
  json["lead"] = known ? Json(now.lead() + known->value) : Json();
}

}  // namespace

Json to_json(const Situation& situation) {
  Json json;
  json["board"] = situation.board;
  json["stores"] = situation.stores;
  json["to_move"] = name(situation.to_move);
  return json;
}

Json to_json(const std::optional<Outcome>& outcome) {
  if (!outcome) return nullptr;
  constexpr const char* kEndings[] = {"majority", "emptied", "no_move", "starved", "repetition", "agreed"};
  Json json;
  json["ending"] = kEndings[static_cast<std::size_t>(outcome->ending)];
  json["stores"] = {from_halves(outcome->halves[0]), from_halves(outcome->halves[1])};
  json["sharing"] = name(outcome->sharing);
  const auto winner = outcome->winner();
  json["winner"] = winner ? Json(name(*winner)) : Json();
  return json;
}

Json position_json(const Game& game, const Prober& prober, const Budget& budget) {
  const Situation& now = game.now();
  const bool over = game.outcome().has_value();
  const auto known = over ? std::nullopt : ask(now, prober, budget);
  Json json;
  json["rules"] = name(game.rules());
  json["seeds"] = seeds(now.board);
  json.update(to_json(now));
  json["total"] = game.start().total();
  add_knowledge(json, game, known);
  json["choice"] = known && known->choice ? letter(now.to_move, *known->choice) : Json();
  json["occurrences"] = game.occurrences();
  json["outcome"] = to_json(game.outcome());
  const Moves all = moves(now.board, game.rules());
  const auto legal = legal_moves(now, game.rules());
  json["moves"] = Json::array();
  for (int pit = 0; pit < kHalfPits; ++pit) {
    const auto at = static_cast<std::size_t>(pit);
    json["moves"].push_back(move_json(game, pit, legal[at] && !over, all.pit[at], known));
  }
  return json;
}

Json line_json(const Game& from, const Prober& prober, std::size_t limit, const Budget& budget) {
  // To the end even when one side has the majority; a position that comes up again closes the line, with the
  // even split that values take for granted.
  Game game(from.rules(), from.now(), {.repetitions = 2, .play_on = true, .sharing = Sharing::split});
  Json json;
  json["moves"] = Json::array();
  while (!game.outcome() && json["moves"].size() < limit &&
         std::chrono::steady_clock::now() < budget.deadline) {
    const auto known = ask(game.now(), prober, budget);
    if (!known) throw Problem(404, "not_solved", "the database lacks a slice that this line needs");
    const int pit = known->choice.value();
    Json move;
    move["value"] = known->value;
    move["bound"] = bound_code(known->bounds.value);
    move["distance"] = or_null(known->distances[static_cast<std::size_t>(pit)]);
    const PlayedMove& played = game.play(pit);
    move["move"] = format_move(played);
    move["pit"] = letter(played.side, pit);
    move["rest"] = played.rest;
    move.update(to_json(game.now()));
    json["moves"].push_back(std::move(move));
  }
  json["outcome"] = to_json(game.outcome());
  json["complete"] = game.outcome().has_value();
  return json;
}

Json game_json(const Game& game, const Prober& prober) {
  Json json;
  json["rules"] = name(game.rules());
  json["start"] = to_json(game.start());
  json["letters"] = move_letters(game);
  json["notes"] = Json::array();
  json["moves"] = Json::array();
  for (std::size_t ply = 0; ply < game.plies(); ++ply) {
    const PlayedMove& played = game.move(ply);
    const auto known = ask(game.before(ply), prober, {}, true);
    std::optional<int> value;
    if (known) value = known->values[static_cast<std::size_t>(played.pit)];
    Json move;
    move["move"] = format_move(played);
    move["pit"] = letter(played.side, played.pit);
    move["value"] = or_null(value);
    move["best"] = known ? Json(known->value) : Json();
    // What lies beyond a bound is not known, nor how much of it was given away.
    const bool exact = value && known->bounds.value == Bound::exact &&
                       known->bounds.moves[static_cast<std::size_t>(played.pit)] == Bound::exact;
    move["gave_away"] = exact ? Json(known->value - *value) : Json();
    move.update(to_json(game.before(ply + 1)));
    json["moves"].push_back(std::move(move));
  }
  json["outcome"] = to_json(game.outcome());
  return json;
}

Json analysis_json(const Game& game, const Prober& prober, double seconds) {
  Effort effort;
  effort.seconds = seconds;
  const AnalysisReport report = analyze(game.now(), game.rules(), Leaves(&prober), effort);
  Json json;
  json["depth"] = report.depth;
  json["nodes"] = report.nodes;
  json["proven"] = {report.proven.low, report.proven.high};
  const Side side = game.now().to_move;
  json["choice"] =
      report.best ? letter(side, report.moves[static_cast<std::size_t>(*report.best)].pit) : Json();
  json["moves"] = Json::array();
  for (const MoveReport& each : report.moves) {
    Json move;
    move["pit"] = letter(side, each.pit);
    move["proven"] = {each.proven.low, each.proven.high};
    move["estimate"] = each.estimate && !each.proven.exact() ? Json(*each.estimate / 100.0) : Json();
    move["repeats"] = game.value_by_repetition(each.pit).has_value();
    std::string line;
    Side turn = side;
    for (const int pit : each.line) {
      line += pit_letter(turn, pit);
      turn = other(turn);
    }
    move["line"] = line;
    json["moves"].push_back(std::move(move));
  }
  return json;
}

}  // namespace awele::web
