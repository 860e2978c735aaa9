#include "awele/game/board.hpp"

#include <algorithm>
#include <numeric>

#include "awele/game/sowing.hpp"

namespace awele {

int seeds(const Half& half) { return std::accumulate(half.begin(), half.end(), 0); }
int seeds(const Board& board) { return std::accumulate(board.begin(), board.end(), 0); }

Half mover_half(const Board& board) {
  Half half;
  std::copy_n(board.begin(), kHalfPits, half.begin());
  return half;
}

Half waiting_half(const Board& board) {
  Half half;
  std::copy_n(board.begin() + kHalfPits, kHalfPits, half.begin());
  return half;
}

Board join(const Half& mover, const Half& waiting) {
  Board board;
  std::copy(mover.begin(), mover.end(), board.begin());
  std::copy(waiting.begin(), waiting.end(), board.begin() + kHalfPits);
  return board;
}

bool has_hole(const Half& half) { return std::find(half.begin(), half.end(), 0) != half.end(); }

namespace {
constexpr std::array<std::string_view, 5> kNames = {"awari", "unrestricted", "majority-slam", "never-starve",
                                                    "abapa"};
}

std::string_view name(RuleSet rules) { return kNames[static_cast<std::size_t>(rules)]; }

std::optional<RuleSet> parse_rules(std::string_view text) {
  for (RuleSet rules : kRuleSets)
    if (name(rules) == text) return rules;
  return std::nullopt;
}

std::string rule_names() {
  std::string all;
  for (std::string_view each : kNames) (all += all.empty() ? "" : ", ") += each;
  return all;
}

int capture(Half& after, const Pattern& p) {
  int captured = 0;
  for (int k = p.j - 1; k >= 0 && (after[k] == 2 || after[k] == 3); --k) {
    captured += after[k];
    after[k] = 0;
  }
  return captured;
}

namespace {

struct Sown {
  Half own, other;  // before any capture
  Half left;        // the waiting half after the capture
  int captured = 0;
  bool starves() const { return seeds(left) == 0; }
};

Sown sow(const Board& board, int i) {
  Sown sown{mover_half(board), waiting_half(board), {}, 0};
  const int s = board[i];
  const Pattern p = pattern(i, s);
  sown.own[i] = 0;
  for (int k = 0; k < kHalfPits; ++k) {
    sown.own[k] += own_seeds(i, s, k);
    sown.other[k] += p.at(k);
  }
  sown.left = sown.other;
  sown.captured = capture(sown.left, p);
  return sown;
}

Move ordinary(const Sown& sown) {
  return {sown.captured ? Move::Kind::capture : Move::Kind::inner, sown.captured, 0,
          join(sown.left, sown.own)};
}

/// A move that starves, as the rules take it; `others` says whether a non-starving move exists.
Move starving(const Sown& sown, int n, RuleSet rules, bool others) {
  Move move;
  move.kind = Move::Kind::illegal;
  const bool slam = sown.captured > 0;
  const auto known = [&](int value) { move = {Move::Kind::known, sown.captured, value, {}}; };
  switch (rules) {
    case RuleSet::awari:
      if (!others) known(n);
      break;
    case RuleSet::unrestricted:
      known(n);
      break;
    case RuleSet::majority_slam:
      // Legal, and winning, exactly from a store difference of n + 2 - 2k on: a threshold one below that.
      if (slam) known(2 * sown.captured - n - 1);
      break;
    case RuleSet::never_starve:
      break;
    case RuleSet::abapa:
      if (slam) move = {Move::Kind::inner, 0, 0, join(sown.other, sown.own)};
      break;
  }
  return move;
}

/// The value of a board whose mover holds seeds but has no move, or none but threshold slams.
int stuck_value(const Board& board, RuleSet rules) {
  if (rules == RuleSet::never_starve) return 0;
  return seeds(mover_half(board)) - seeds(waiting_half(board));
}

}  // namespace

Moves moves(const Board& board, RuleSet rules) {
  Moves all;
  const int n = seeds(board);
  if (seeds(mover_half(board)) == 0) {
    all.ended = rules == RuleSet::never_starve ? 0 : -n;
    return all;
  }
  std::array<Sown, kHalfPits> sown;
  bool others = false;
  for (int i = 0; i < kHalfPits; ++i) {
    if (board[i] == 0) continue;
    sown[i] = sow(board, i);
    others = others || !sown[i].starves();
  }
  bool moved = false;
  for (int i = 0; i < kHalfPits; ++i) {
    if (board[i] == 0) continue;
    all.pit[i] = sown[i].starves() ? starving(sown[i], n, rules, others) : ordinary(sown[i]);
    const bool threshold = rules == RuleSet::majority_slam && all.pit[i].kind == Move::Kind::known;
    moved = moved || (all.pit[i].kind != Move::Kind::illegal && !threshold);
  }
  if (!moved) all.ended = stuck_value(board, rules);
  return all;
}

}  // namespace awele
