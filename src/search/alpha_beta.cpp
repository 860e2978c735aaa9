#include "awele/search/alpha_beta.hpp"

#include <algorithm>
#include <bit>

#include "awele/search/evaluation.hpp"

namespace awele {

AlphaBeta::AlphaBeta(RuleSet rules, Leaves& leaves, std::size_t table_bytes)
    : rules_(rules),
      leaves_(leaves),
      table_(std::bit_floor(std::max<std::size_t>(table_bytes / sizeof(Entry), 2))) {}

int AlphaBeta::search(const Board& board, int depth, int alpha, int beta) {
  path_.assign(static_cast<std::size_t>(depth + 2), Board{});
  int repeats = kNoRepetition;
  return negamax({board, seeds(board), depth, 0, 0}, alpha, beta, repeats);
}

int AlphaBeta::search_near(const Board& board, int depth, int guess) {
  const int most = seeds(board) * kHundredths;
  for (int width = kHundredths / 2;; width *= 4) {
    const int alpha = std::max(-most, guess - width), beta = std::min(most, guess + width);
    const int value = search(board, depth, alpha, beta);
    if ((value > alpha || alpha == -most) && (value < beta || beta == most)) return value;
    guess = std::clamp(value, -most, most);
  }
}

void AlphaBeta::count_node() {
  constexpr std::uint64_t kLook = 4096;
  if (++nodes_ % kLook == 0 && std::chrono::steady_clock::now() >= deadline_) throw Interrupted{};
}

int AlphaBeta::repeated_ply(const Node& node) const {
  for (int back = 4; back <= node.quiet; back += 2)
    if (path_[static_cast<std::size_t>(node.ply - back)] == node.board) return node.ply - back;
  return kNoRepetition;
}

/// `repeats`: lowered to the least ply of a repeated position above the node that the result rests on.
int AlphaBeta::negamax(const Node& node, int alpha, int beta, int& repeats) {
  count_node();
  const int most = node.n * kHundredths;
  if (leaves_.has(node.n)) return kHundredths * leaves_.value(node.board);
  if (most <= alpha) return most;
  if (-most >= beta) return -most;
  const int ply = repeated_ply(node);
  repeats = std::min(repeats, ply);
  if (ply != kNoRepetition) return 0;
  if (node.depth <= 0) return std::clamp(evaluate(node.board), -most, most);
  int first_pit = kNoPit;
  if (const Entry* entry = find(key_of(node.board))) {
    if (entry->depth >= node.depth) {
      if (entry->lower >= beta) return entry->lower;
      if (entry->upper <= alpha) return entry->upper;
      if (entry->lower == entry->upper) return entry->lower;
    }
    first_pit = entry->pit;
  }
  int below = kNoRepetition;
  const int value = expand(node, alpha, beta, below, first_pit);
  if (below < node.ply) repeats = std::min(repeats, below);
  return value;
}

/// The move of the table first, then captures, then what has often been good with so many seeds in its pit.
std::array<int, kHalfPits> AlphaBeta::order(const Node& node, const Moves& all, int first_pit) const {
  constexpr std::int64_t kFirst = std::int64_t{1} << 60, kCapture = std::int64_t{1} << 40;
  std::array<int, kHalfPits> pits;
  std::array<std::int64_t, kHalfPits> rank;
  for (int i = 0; i < kHalfPits; ++i) {
    pits[i] = i;
    const auto at = static_cast<std::size_t>(i * kSown + std::min<int>(node.board[i], kSown - 1));
    rank[i] = i == first_pit ? kFirst : kCapture * all.pit[i].captured + 8 * std::int64_t{history_[at]} + i;
  }
  std::sort(pits.begin(), pits.end(), [&](int a, int b) { return rank[a] > rank[b]; });
  return pits;
}

/// Moves but the first are only to be shown worse, in a window of no width; late ones without a capture at a
/// lesser depth. What turns out better is searched again.
int AlphaBeta::try_move(const Node& node, const Move& move, int reduction, int alpha, int beta, bool first,
                        int& repeats) {
  const int gain = kHundredths * move.captured;
  Node child{move.child, node.n - move.captured, node.depth - 1 - reduction, node.ply + 1,
             move.captured > 0 ? 0 : node.quiet + 1};
  const auto value = [&](int low, int high) {
    return gain - negamax(child, gain - high, gain - low, repeats);
  };
  if (first) return value(alpha, beta);
  int found = value(alpha, alpha + 1);
  if (reduction > 0 && found > alpha) {
    child.depth = node.depth - 1;
    found = value(alpha, alpha + 1);
  }
  return found > alpha && found < beta ? value(alpha, beta) : found;
}

int AlphaBeta::expand(const Node& node, int alpha, int beta, int& repeats, int first_pit) {
  constexpr int kReducedFrom = 3, kLate = 3;  // plies; moves tried before
  path_[static_cast<std::size_t>(node.ply)] = node.board;
  const Moves all = moves(node.board, rules_);
  Choice best{all.ended ? *all.ended * kHundredths : -kMaxSeeds * kHundredths - 1, kNoPit};
  for (int i = 0; i < kHalfPits; ++i)
    if (all.pit[i].kind == Move::Kind::known && all.pit[i].value * kHundredths > best.value)
      best = {all.pit[i].value * kHundredths, i};
  int tried = 0;
  for (int i : order(node, all, first_pit)) {
    const Move& move = all.pit[i];
    if (move.kind != Move::Kind::inner && move.kind != Move::Kind::capture) continue;
    if (best.value >= beta) break;
    const bool late = tried >= kLate && node.depth >= kReducedFrom && move.captured == 0;
    const int value =
        try_move(node, move, late ? 1 : 0, std::max(alpha, best.value), beta, tried == 0, repeats);
    ++tried;
    if (value > best.value) best = {value, i};
  }
  if (best.value >= beta && best.pit != kNoPit)
    history(node.board, best.pit) += static_cast<std::uint32_t>(node.depth * node.depth);
  if (repeats >= node.ply) store(node, best, alpha, beta);
  return best.value;
}

std::size_t AlphaBeta::slot(BoardKey key) const {
  key *= 0x9E3779B97F4A7C15u;
  key ^= key >> 32;
  return (key * 0xBF58476D1CE4E5B9u >> 20) & (table_.size() - 1);
}

const AlphaBeta::Entry* AlphaBeta::find(BoardKey key) const {
  const std::size_t at = slot(key);
  for (std::size_t place : {at, at ^ 1})
    if (table_[place].key == key) return &table_[place];
  return nullptr;
}

/// The first place of a pair keeps the deeper search, the second takes what comes.
AlphaBeta::Entry& AlphaBeta::slot_for(BoardKey key, int depth) {
  const std::size_t at = slot(key);
  for (std::size_t place : {at, at ^ 1})
    if (table_[place].key == key) return table_[place];
  Entry& kept = table_[at & ~std::size_t{1}];
  return kept.key == 0 || depth >= kept.depth ? kept : table_[at | 1];
}

void AlphaBeta::store(const Node& node, const Choice& choice, int alpha, int beta) {
  const int most = node.n * kHundredths;
  const BoardKey key = key_of(node.board);
  slot_for(key, node.depth) = {key, static_cast<std::int16_t>(choice.value > alpha ? choice.value : -most),
                               static_cast<std::int16_t>(choice.value < beta ? choice.value : most),
                               static_cast<std::uint8_t>(node.depth), static_cast<std::uint8_t>(choice.pit)};
}

std::vector<int> AlphaBeta::best_line(Board board, int most) const {
  std::vector<int> line;
  std::vector<Board> seen;
  while (static_cast<int>(line.size()) < most && std::find(seen.begin(), seen.end(), board) == seen.end()) {
    const Entry* entry = find(key_of(board));
    if (!entry || entry->pit >= kHalfPits) break;
    const Move move = moves(board, rules_).pit[entry->pit];
    if (move.kind == Move::Kind::empty || move.kind == Move::Kind::illegal) break;
    line.push_back(entry->pit);
    if (move.kind == Move::Kind::known) break;
    seen.push_back(board);
    board = move.child;
  }
  return line;
}

}  // namespace awele
