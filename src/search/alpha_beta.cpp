#include "awele/search/alpha_beta.hpp"

#include <algorithm>
#include <bit>

#include "board_hash.hpp"

namespace awele {

namespace {

int unit(Horizon horizon) { return horizon == Horizon::estimate ? AlphaBeta::kHundredths : 1; }

/// What is worst for one side is best for the other.
Horizon flipped(Horizon horizon) {
  if (horizon == Horizon::estimate) return horizon;
  return horizon == Horizon::worst ? Horizon::best : Horizon::worst;
}

}  // namespace

int evaluate(const Board& board) {
  constexpr std::array<int, kHalfPits> kWeight = {4, 6, 8, 10, 12, 16};
  constexpr int kMobility = 12;
  int value = 0;
  for (int k = 0; k < kHalfPits; ++k) {
    value += kWeight[k] * (board[k] - board[k + kHalfPits]);
    value += kMobility * ((board[k] > 0) - (board[k + kHalfPits] > 0));
  }
  return value;
}

AlphaBeta::AlphaBeta(RuleSet rules, Leaves& leaves, std::size_t table_bytes)
    : rules_(rules),
      leaves_(leaves),
      table_(std::bit_floor(std::max<std::size_t>(table_bytes / sizeof(Entry), 2))) {
  for (Entry& entry : table_) entry.horizon = kUnused;
}

int AlphaBeta::search(const Board& board, Horizon horizon, int depth, int alpha, int beta) {
  path_.assign(static_cast<std::size_t>(depth + 2), Board{});
  int repeats = kNoRepetition;
  return negamax({board, seeds(board), horizon, depth, 0, 0}, alpha, beta, repeats);
}

void AlphaBeta::count_node() {
  constexpr std::uint64_t kLook = 4096;
  if (++nodes_ % kLook == 0 && std::chrono::steady_clock::now() >= deadline_) throw Interrupted{};
}

int AlphaBeta::leaf(const Node& node) const {
  if (node.horizon == Horizon::estimate) return kHundredths * leaves_.value(node.board);
  const Interval proven = leaves_.interval(node.board);
  return node.horizon == Horizon::worst ? proven.low : proven.high;
}

int AlphaBeta::at_horizon(const Node& node) const {
  if (node.horizon == Horizon::estimate)
    return std::clamp(evaluate(node.board), -node.n * kHundredths, node.n * kHundredths);
  return node.horizon == Horizon::worst ? -node.n : node.n;
}

int AlphaBeta::repeated_ply(const Node& node) const {
  for (int back = 4; back <= node.quiet; back += 2)
    if (path_[static_cast<std::size_t>(node.ply - back)] == node.board) return node.ply - back;
  return kNoRepetition;
}

/// `repeats`: lowered to the least ply of a repeated position above the node that the result rests on.
int AlphaBeta::negamax(const Node& node, int alpha, int beta, int& repeats) {
  count_node();
  const int scale = unit(node.horizon), most = node.n * scale;
  if (leaves_.has(node.n)) return leaf(node);
  if (most <= alpha) return most;
  if (-most >= beta) return -most;
  if (node.horizon == Horizon::estimate) {
    const int ply = repeated_ply(node);
    repeats = std::min(repeats, ply);
    if (ply != kNoRepetition) return 0;
  }
  if (node.depth == 0) return at_horizon(node);
  int first_pit = kNoPit;
  if (const Entry* entry = find(node.board, node.horizon)) {
    const bool deep = entry->depth >= node.depth;
    // Proven bounds hold at any depth. Of the others (estimates; how far a proof got) only deeper ones serve.
    const bool lower = deep || node.horizon == Horizon::worst, upper = deep || node.horizon == Horizon::best;
    if (lower && entry->lower >= beta) return entry->lower;
    if (upper && entry->upper <= alpha) return entry->upper;
    if (lower && upper && entry->lower == entry->upper) return entry->lower;
    first_pit = entry->pit;
  }
  int below = kNoRepetition;
  const int value = expand(node, alpha, beta, below, first_pit);
  if (below < node.ply) repeats = std::min(repeats, below);
  return value;
}

std::array<int, kHalfPits> AlphaBeta::order(const Moves& all, int first_pit) {
  std::array<int, kHalfPits> pits;
  std::array<int, kHalfPits> rank;
  for (int i = 0; i < kHalfPits; ++i) {
    pits[i] = i;
    rank[i] = i == first_pit ? 1000 : 10 * all.pit[i].captured + i;
  }
  std::sort(pits.begin(), pits.end(), [&](int a, int b) { return rank[a] > rank[b]; });
  return pits;
}

int AlphaBeta::expand(const Node& node, int alpha, int beta, int& repeats, int first_pit) {
  const int scale = unit(node.horizon);
  path_[static_cast<std::size_t>(node.ply)] = node.board;
  const Moves all = moves(node.board, rules_);
  Choice best{all.ended ? *all.ended * scale : -kMaxSeeds * scale - 1, kNoPit};
  for (int i = 0; i < kHalfPits; ++i)
    if (all.pit[i].kind == Move::Kind::known && all.pit[i].value * scale > best.value)
      best = {all.pit[i].value * scale, i};
  for (int i : order(all, first_pit)) {
    const Move& move = all.pit[i];
    if (move.kind != Move::Kind::inner && move.kind != Move::Kind::capture) continue;
    if (best.value >= beta) break;
    const int gain = move.captured * scale, floor = std::max(alpha, best.value);
    const Node child{move.child,     node.n - move.captured, flipped(node.horizon),
                     node.depth - 1, node.ply + 1,           move.captured > 0 ? 0 : node.quiet + 1};
    const int value = gain - negamax(child, gain - beta, gain - floor, repeats);
    if (value > best.value) best = {value, i};
  }
  if (repeats >= node.ply) store(node, best, alpha, beta);
  return best.value;
}

std::size_t AlphaBeta::slot(const Board& board, Horizon horizon) const {
  return (board_hash(board) + static_cast<std::size_t>(horizon) * 0x9E3779B97F4A7C15u) & (table_.size() - 1);
}

const AlphaBeta::Entry* AlphaBeta::find(const Board& board, Horizon horizon) const {
  const std::size_t at = slot(board, horizon);
  for (std::size_t place : {at, at ^ 1}) {
    const Entry& entry = table_[place];
    if (entry.horizon == static_cast<std::uint8_t>(horizon) && entry.board == board) return &entry;
  }
  return nullptr;
}

AlphaBeta::Entry* AlphaBeta::find(const Board& board, Horizon horizon) {
  return const_cast<Entry*>(static_cast<const AlphaBeta*>(this)->find(board, horizon));
}

/// The first place of a pair keeps the deeper search, the second takes what comes.
AlphaBeta::Entry& AlphaBeta::slot_for(const Node& node) {
  if (Entry* entry = find(node.board, node.horizon)) return *entry;
  const std::size_t at = slot(node.board, node.horizon);
  Entry& kept = table_[at & ~std::size_t{1}];
  return kept.horizon == kUnused || node.depth >= kept.depth ? kept : table_[at | 1];
}

void AlphaBeta::store(const Node& node, const Choice& choice, int alpha, int beta) {
  const int most = node.n * unit(node.horizon);
  Entry fresh{node.board,
              static_cast<std::int16_t>(choice.value > alpha ? choice.value : -most),
              static_cast<std::int16_t>(choice.value < beta ? choice.value : most),
              static_cast<std::uint8_t>(node.depth),
              static_cast<std::uint8_t>(node.horizon),
              static_cast<std::uint8_t>(choice.pit)};
  Entry& entry = slot_for(node);
  const bool same = entry.horizon == fresh.horizon && entry.board == fresh.board;
  if (same && node.horizon == Horizon::worst) fresh.lower = std::max(fresh.lower, entry.lower);
  if (same && node.horizon == Horizon::best) fresh.upper = std::min(fresh.upper, entry.upper);
  entry = fresh;
}

std::vector<int> AlphaBeta::best_line(Board board, int most) const {
  std::vector<int> line;
  std::vector<Board> seen;
  while (static_cast<int>(line.size()) < most && std::find(seen.begin(), seen.end(), board) == seen.end()) {
    const Entry* entry = find(board, Horizon::estimate);
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
