// A plain opponent for scripts/match.py: alpha-beta to a fixed depth, seeds captured count, nothing else.
// Rules awari. usage: plain_player DEPTH; reads one move a line (its letter), and answers an empty line with
// its own.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <string>

#include "awele/game/board.hpp"

namespace {

using namespace awele;

/// Seeds that the side to move captures more than the other within `depth` plies.
int search(const Board& board, int depth, int alpha, int beta) {
  const Moves all = moves(board, RuleSet::awari);
  if (all.ended) return *all.ended;
  if (depth == 0) return 0;
  int best = -kMaxSeeds - 1;
  for (int captured = kMaxSeeds; captured >= 0; --captured)
    for (const Move& move : all.pit) {
      if (move.kind == Move::Kind::empty || move.kind == Move::Kind::illegal || move.captured != captured)
        continue;
      const int value =
          move.kind == Move::Kind::known
              ? move.value
              : captured - search(move.child, depth - 1, captured - beta, captured - std::max(alpha, best));
      best = std::max(best, value);
      if (best >= beta) return best;
    }
  return best;
}

int choose(const Board& board, int depth) {
  const Moves all = moves(board, RuleSet::awari);
  int best = -kMaxSeeds - 1, choice = 0;
  for (int i = 0; i < kHalfPits; ++i) {
    const Move& move = all.pit[i];
    if (move.kind == Move::Kind::empty || move.kind == Move::Kind::illegal) continue;
    const int value = move.kind == Move::Kind::known
                          ? move.value
                          : move.captured - search(move.child, depth - 1, -kMaxSeeds, move.captured - best);
    if (value > best) best = value, choice = i;
  }
  return choice;
}

}  // namespace

int main(int argc, char** argv) {
  const int depth = argc > 1 ? std::atoi(argv[1]) : 10;
  Board board;
  board.fill(4);
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty())
      std::cout << static_cast<char>('A' + choose(board, depth)) << std::endl;
    else
      board = moves(board, RuleSet::awari).pit[std::toupper(line[0]) - 'A'].child;
  }
}
