#include "awele/play/game.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "awele/game/sowing.hpp"
#include "awele/support/error.hpp"

namespace awele {

namespace {

std::size_t index(Side side) { return static_cast<std::size_t>(side); }

bool has_majority(int store, int total) { return 2 * store > total; }

bool is_legal(const Move& move, const Situation& situation, RuleSet rules) {
  if (move.kind == Move::Kind::empty || move.kind == Move::Kind::illegal) return false;
  if (rules != RuleSet::majority_slam || move.kind != Move::Kind::known) return true;
  return has_majority(situation.store(situation.to_move) + move.captured, situation.total());
}

/// The board after a grand slam that wins, seen by the side that was slammed: it holds nothing.
Board after_slam(const Board& board, int pit) {
  Half own = mover_half(board);
  const int sown = own[pit];
  own[pit] = 0;
  for (int k = 0; k < kHalfPits; ++k) own[k] = static_cast<std::uint8_t>(own[k] + own_seeds(pit, sown, k));
  return join(Half{}, own);
}

/// What the side to move gets more than the other of the seeds on the board.
int shared_lead(const Board& board, Sharing sharing) {
  return sharing == Sharing::split ? 0 : seeds(mover_half(board)) - seeds(waiting_half(board));
}

}  // namespace

Sharing usual_sharing(RuleSet rules) { return rules == RuleSet::abapa ? Sharing::rows : Sharing::split; }

std::string name(Sharing sharing) { return sharing == Sharing::split ? "split" : "rows"; }

std::optional<Sharing> parse_sharing(std::string_view text) {
  for (Sharing each : {Sharing::split, Sharing::rows})
    if (text == name(each)) return each;
  return std::nullopt;
}

std::string name(Side side) { return side == Side::first ? "first" : "second"; }

void check_totals(const Situation& situation, int total, RuleSet rules) {
  const int n = seeds(situation.board);
  const auto [a, b] = situation.stores;
  if (a < 0 || b < 0) throw Error(ExitCode::usage, fmt::format("the stores {},{} cannot be negative", a, b));
  if (total > kMaxSeeds || total < 0)
    throw Error(ExitCode::usage, fmt::format("a game has 0 to {} seeds, not {}", kMaxSeeds, total));
  if (n + a + b != total)
    throw Error(
        ExitCode::usage,
        fmt::format("the stores {} and {} and the {} seeds on the board add up to {}, not {}; correct "
                    "them, or state the total with --total",
                    a, b, n, n + a + b, total));
  if (rules == RuleSet::majority_slam && total % 2 != 0)
    throw Error(ExitCode::usage,
                fmt::format("under majority-slam the seeds of a game are an even number, not {}", total));
}

std::array<bool, kHalfPits> legal_moves(const Situation& situation, RuleSet rules) {
  const Moves all = moves(situation.board, rules);
  std::array<bool, kHalfPits> legal{};
  for (int i = 0; i < kHalfPits; ++i) legal[i] = is_legal(all.pit[i], situation, rules);
  return legal;
}

std::string why_illegal(const Situation& situation, RuleSet rules, int pit) {
  if (pit < 0 || pit >= kHalfPits) return "there is no such pit";
  const Move move = moves(situation.board, rules).pit[pit];
  if (move.kind == Move::Kind::empty) return "the pit is empty";
  if (rules == RuleSet::majority_slam && move.captured > 0)
    return "a grand slam is legal only when it brings its player more than half of all seeds";
  return fmt::format("it would leave the opponent without seeds, which the rules {} forbid here",
                     name(rules));
}

std::optional<Side> Outcome::winner() const {
  if (halves[0] == halves[1]) return std::nullopt;
  return halves[0] > halves[1] ? Side::first : Side::second;
}

int Outcome::lead(Side side) const { return halves[index(side)] - halves[index(other(side))]; }

std::string format_halves(int halves) { return fmt::format("{}{}", halves / 2, halves % 2 ? ".5" : ""); }

std::string describe(const Outcome& outcome, RuleSet rules) {
  const auto winner = outcome.winner();
  const std::string result = winner ? (*winner == Side::first ? "First wins" : "Second wins") : "A draw";
  const bool lost = rules == RuleSet::never_starve, rows = outcome.sharing == Sharing::rows;
  const char* why = "";
  switch (outcome.ending) {
    case Ending::majority:
      why = "more than half of the seeds";
      break;
    case Ending::emptied:
      why = lost ? "no seeds to move; what is left goes to nobody"
                 : "no seeds to move; what is left goes to the other side";
      break;
    case Ending::no_move:
      why =
          lost ? "no legal move; what is left goes to nobody" : "no legal move; each side keeps its own pits";
      break;
    case Ending::starved:
      why = "the last move left the opponent without seeds and took the rest";
      break;
    case Ending::repetition:
      why = rows ? "the position repeats; each side keeps its own row"
                 : "the position repeats; what is left is split evenly";
      break;
    case Ending::agreed:
      why = rows ? "endless by agreement; each side keeps its own row"
                 : "endless by agreement; what is left is split evenly";
      break;
  }
  return fmt::format("{} {}-{}: {}.", result, format_halves(outcome.halves[0]),
                     format_halves(outcome.halves[1]), why);
}

Game::Game(RuleSet rules, const Situation& start, const GameOptions& options)
    : rules_(rules), start_(start), options_(options), total_(start.total()) {
  find_outcome();
}

const PlayedMove& Game::play(int pit) {
  if (outcome_) throw Error(ExitCode::usage, "the game is over: " + describe(*outcome_, rules_));
  const Situation before = now();
  if (pit < 0 || pit >= kHalfPits || !legal_moves(before, rules_)[pit])
    throw Error(ExitCode::usage, why_illegal(before, rules_, pit));
  const Move move = moves(before.board, rules_).pit[pit];
  Step step{{before.to_move, pit, before.board[pit], move.captured, 0}, before};
  step.after.to_move = other(before.to_move);
  int gained = move.captured;
  last_move_ended_.reset();
  if (move.kind != Move::Kind::known) {
    step.after.board = move.child;
  } else if (rules_ == RuleSet::majority_slam) {
    step.after.board = after_slam(before.board, pit);
    last_move_ended_ = Ending::majority;
  } else {
    step.move.rest = seeds(before.board) - move.captured;
    gained += step.move.rest;
    step.after.board = {};
    last_move_ended_ = Ending::starved;
  }
  step.after.stores[index(before.to_move)] += gained;
  line_.push_back(step);
  find_outcome();
  return line_.back().move;
}

void Game::agree() {
  agreed_ = true;
  find_outcome();
}

void Game::undo() {
  if (!agreed_) line_.pop_back();
  agreed_ = false;
  last_move_ended_.reset();  // such a move was the last one
  outcome_.reset();
  find_outcome();
}

int Game::count(const Situation& situation) const {
  int found = start_ == situation ? 1 : 0;
  for (const Step& step : line_) found += step.after == situation ? 1 : 0;
  return found;
}

int Game::occurrences() const { return count(now()); }

std::optional<int> Game::value_by_repetition(int pit) const {
  const Move move = moves(now().board, rules_).pit[pit];
  if (move.kind != Move::Kind::inner) return std::nullopt;  // captured seeds never come back
  Situation after = now();
  after.board = move.child;
  after.to_move = other(after.to_move);
  if (1 + count(after) < options_.repetitions) return std::nullopt;
  return -shared_lead(after.board, sharing());
}

Outcome Game::shared(Sharing sharing, Ending ending) const {
  const Situation& here = now();
  const int n = seeds(here.board), lead = shared_lead(here.board, sharing);
  Outcome outcome{ending, {2 * here.stores[0], 2 * here.stores[1]}, sharing};
  outcome.halves[index(here.to_move)] += n + lead;
  outcome.halves[index(other(here.to_move))] += n - lead;
  return outcome;
}

std::size_t Game::first_occurrence() const {
  std::size_t ply = 0;
  while (!(before(ply) == now())) ++ply;
  return ply;
}

void Game::find_outcome() {
  const Situation& here = now();
  const int n = seeds(here.board);
  const auto ends = [&](Ending ending, int rest_first, int rest_second) {
    outcome_ = Outcome{ending, {2 * here.stores[0] + rest_first, 2 * here.stores[1] + rest_second}, {}};
  };
  if (last_move_ended_) return ends(*last_move_ended_, 0, 0);
  if (!options_.play_on && (has_majority(here.stores[0], total_) || has_majority(here.stores[1], total_)))
    return ends(Ending::majority, 0, 0);
  const Moves all = moves(here.board, rules_);
  const auto legal = legal_moves(here, rules_);
  if (all.ended && std::none_of(legal.begin(), legal.end(), [](bool each) { return each; })) {
    const Ending how = seeds(mover_half(here.board)) == 0 ? Ending::emptied : Ending::no_move;
    const bool nobody = rules_ == RuleSet::never_starve;
    const int mover = nobody ? 0 : n + *all.ended, waiting = nobody ? 0 : n - *all.ended;
    return here.to_move == Side::first ? ends(how, mover, waiting) : ends(how, waiting, mover);
  }
  if (agreed_) outcome_ = shared(sharing());
  if (occurrences() >= options_.repetitions) outcome_ = shared(sharing(), Ending::repetition);
}

Game replayed(const Game& game, const GameOptions& options) {
  Game again(game.rules(), game.start(), options);
  for (std::size_t ply = 0; ply < game.plies() && !again.outcome(); ++ply) again.play(game.move(ply).pit);
  if (!again.outcome() && game.outcome() && game.outcome()->ending == Ending::agreed) again.agree();
  return again;
}

}  // namespace awele
