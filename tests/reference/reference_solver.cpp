#include "reference/reference_solver.hpp"

#include <algorithm>
#include <numeric>

#include "awele/verify/plain_game.hpp"
#include "awele/verify/plain_index.hpp"

namespace awele::reference {

namespace {

using Slices = std::vector<std::vector<std::int8_t>>;

constexpr int kNone = -128;

int seeds_of(const Board& board) { return std::accumulate(board.begin(), board.end(), 0); }

/// The worth of a move whose child lies in a finished slice, or that needs none.
int worth(const Slices& slices, const plain::Move& move) {
  if (move.known) return move.value;
  const auto& slice = slices[static_cast<std::size_t>(seeds_of(move.child))];
  return move.captured - slice[plain::rank(move.child)];
}

/// One slice as a graph: what each position has for sure, and where its moves without capture lead.
struct Graph {
  std::vector<std::int8_t> exit;     // the best value that does not depend on this slice, or kNone
  std::vector<std::uint32_t> first;  // children of position i: child[first[i]] .. child[first[i+1]-1]
  std::vector<std::uint32_t> child;
};

Graph expand(const Slices& slices, RuleSet rules, int n, int total) {
  const int most = total > 0 ? total - n + 1 : n;
  Graph graph;
  const std::uint64_t size = plain::position_count(n);
  graph.exit.reserve(size);
  graph.first.reserve(size + 1);
  Board board = plain::first_board(n);
  do {
    if (!plain::hole(board)) continue;
    const plain::Moves moves = plain::moves(board, rules);
    int exit = moves.ended.value_or(kNone);
    graph.first.push_back(static_cast<std::uint32_t>(graph.child.size()));
    for (const plain::Move& move : moves.pit) {
      if (!move.legal) continue;
      if (!move.known && move.captured == 0)
        graph.child.push_back(static_cast<std::uint32_t>(plain::rank(move.child)));
      else
        exit = std::max(exit, worth(slices, move));
    }
    if (exit != kNone) exit = std::clamp(exit, -most, most);
    graph.exit.push_back(static_cast<std::int8_t>(exit));
  } while (plain::next_board(board));
  graph.first.push_back(static_cast<std::uint32_t>(graph.child.size()));
  return graph;
}

/// From 0 everywhere to the fixed point. In place: every intermediate value is that of a game broken off with
/// 0 somewhere, so it lies between 0 and the true value, and what can be forced arrives after finitely many
/// sweeps; what cannot stays 0.
std::vector<std::int8_t> iterate(const Graph& graph) {
  std::vector<std::int8_t> value(graph.exit.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < value.size(); ++i) {
      int best = graph.exit[i];
      for (std::uint32_t c = graph.first[i]; c < graph.first[i + 1]; ++c)
        best = std::max(best, -value[graph.child[c]]);
      changed = changed || best != value[i];
      value[i] = static_cast<std::int8_t>(best);
    }
  }
  return value;
}

}  // namespace

std::vector<std::vector<std::int8_t>> reference_slices(RuleSet rules, int N, int total) {
  Slices slices;
  for (int n = 0; n <= N; ++n) slices.push_back(iterate(expand(slices, rules, n, total)));
  return slices;
}

int reference_value(const Slices& slices, RuleSet rules, const Board& board) {
  const plain::Moves moves = plain::moves(board, rules);
  int best = moves.ended.value_or(kNone);
  for (const plain::Move& move : moves.pit)
    if (move.legal) best = std::max(best, worth(slices, move));
  return best;
}

int reference_move(const Slices& slices, RuleSet rules, const Board& board, int pit) {
  return worth(slices, plain::moves(board, rules).pit[static_cast<std::size_t>(pit)]);
}

}  // namespace awele::reference
