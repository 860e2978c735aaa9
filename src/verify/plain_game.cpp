#include "awele/verify/plain_game.hpp"

namespace awele::plain {

namespace {

int count(const Board& board, int first) {
  int total = 0;
  for (int pit = first; pit < first + 6; ++pit) total += board[pit];
  return total;
}

}  // namespace

Played play(const Board& board, int origin) {
  Played played{board, {}, origin, 0, false};
  Board& pits = played.sown;
  int hand = pits[origin];
  pits[origin] = 0;
  int at = origin;
  while (hand > 0) {
    at = at == 11 ? 0 : at + 1;
    if (at == origin) continue;  // the pit the move started from is skipped on every lap
    ++pits[at];
    --hand;
  }
  played.last = at;
  played.after = pits;
  while (at >= 6 && (pits[at] == 2 || pits[at] == 3)) {
    played.captured += pits[at];
    played.after[at] = 0;
    --at;
  }
  played.starves = count(played.after, 6) == 0;
  return played;
}

namespace {

/// The board as the other side sees it.
Board turned(const Board& board) {
  Board other;
  for (int pit = 0; pit < 12; ++pit) other[pit] = board[pit < 6 ? pit + 6 : pit - 6];
  return other;
}

Move worth(int value, int captured) { return {true, true, value, captured, {}}; }

/// A move that leaves the waiting side without a seed. `n`: seeds on the board; `feeding`: the mover could
/// also leave it some.
Move starving(const Played& played, int n, bool feeding, RuleSet rules) {
  const bool slam = played.captured > 0;
  if (rules == RuleSet::awari && !feeding) return worth(n, played.captured);
  if (rules == RuleSet::unrestricted) return worth(n, played.captured);
  // A slam must bring its player to 25 of the 48 seeds. With a store difference d it owns (48 - n + d) / 2 of
  // them before, so the slam needs d >= n + 2 - 2 captured: exactly then d + (2 captured - n - 1) is above 0.
  if (rules == RuleSet::majority_slam && slam) return worth(2 * played.captured - n - 1, played.captured);
  if (rules == RuleSet::abapa && slam) return {true, false, 0, 0, turned(played.sown)};
  return {};
}

/// The value of a board on which the mover holds seeds and may not move.
int stuck(const Board& board, RuleSet rules) {
  return rules == RuleSet::never_starve ? 0 : count(board, 0) - count(board, 6);
}

}  // namespace

Moves moves(const Board& board, RuleSet rules) {
  Moves all;
  const int n = count(board, 0) + count(board, 6);
  if (count(board, 0) == 0) {
    all.ended = rules == RuleSet::never_starve ? 0 : -n;
    return all;
  }
  std::array<Played, 6> played;
  bool feeding = false;
  for (int pit = 0; pit < 6; ++pit) {
    if (board[pit] == 0) continue;
    played[pit] = play(board, pit);
    if (!played[pit].starves) feeding = true;
  }
  bool free = false;  // a move that does not depend on the seeds captured before
  for (int pit = 0; pit < 6; ++pit) {
    if (board[pit] == 0) continue;
    Move& move = all.pit[pit];
    if (played[pit].starves)
      move = starving(played[pit], n, feeding, rules);
    else
      move = {true, false, 0, played[pit].captured, turned(played[pit].after)};
    if (move.legal && !(rules == RuleSet::majority_slam && move.known)) free = true;
  }
  if (!free) all.ended = stuck(board, rules);
  return all;
}

}  // namespace awele::plain
