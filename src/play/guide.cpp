#include "awele/play/guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "awele/support/error.hpp"

namespace awele {

namespace {

struct BoardHash {
  std::size_t operator()(const Board& board) const {
    std::uint64_t words[2] = {0, 0};
    std::memcpy(words, board.data(), board.size());
    return (words[0] * 0x9E3779B97F4A7C15u) ^ (words[1] * 0xC2B2AE3D27D4EB4Fu >> 7);
  }
};

/// Distances found by search: iterative deepening over the moves that keep the value, each position
/// remembering its distance, or to which depth there is none.
class DistanceSearch {
 public:
  DistanceSearch(const Prober& prober, RuleSet rules, std::size_t limit)
      : prober_(prober), rules_(rules), limit_(limit) {}

  int distance(const Board& board) {
    for (int depth = 0;; ++depth)
      if (within(board, depth)) return known_.at(board).distance;
  }

 private:
  struct Known {
    int value = 0;
    int distance = -1;  ///< once it is found
    int none_within = -1;
    bool exit = false;  ///< a best move captures or ends the game
    std::vector<Board> inner;
  };

  /// Whether the distance of `board` is at most `depth`; if so, it is found.
  bool within(const Board& board, int depth) {
    Known& known = look_up(board);
    if (known.distance >= 0) return known.distance <= depth;
    if (depth <= known.none_within) return false;
    const int found = depth == 0 ? -1 : known.value > 0 ? shortest(known, depth) : longest(known, depth);
    if (found >= 0)
      known.distance = found;
    else
      known.none_within = depth;
    return found >= 0;
  }

  int shortest(const Known& known, int depth) {
    if (known.exit) return 1;
    int best = -1;
    for (const Board& child : known.inner)
      if (within(child, depth - 1)) {
        const int found = 1 + known_.at(child).distance;
        best = best < 0 ? found : std::min(best, found);
      }
    return best;
  }

  int longest(const Known& known, int depth) {
    int best = known.exit ? 1 : 0;
    for (const Board& child : known.inner) {
      if (!within(child, depth - 1)) return -1;
      best = std::max(best, 1 + known_.at(child).distance);
    }
    return best;
  }

  /// References stay valid: a node of the map never moves.
  Known& look_up(const Board& board) {
    const auto [at, added] = known_.try_emplace(board);
    if (added) expand(board, at->second);
    return at->second;
  }

  void expand(const Board& board, Known& known) {
    if (known_.size() > limit_)
      throw Error(
          fmt::format("the way to the next capture from {} seeds is too long to be found without "
                      "distances; solve the database with: awele solve --distances",
                      seeds(board)));
    const BoardAnswer answer = prober_.answer(board);
    known.value = answer.value;
    if (answer.value == 0 || answer.best.empty()) known.distance = 0;
    const Moves all = moves(board, rules_);
    for (int pit : answer.best) {
      if (all.pit[pit].kind == Move::Kind::inner)
        known.inner.push_back(all.pit[pit].child);
      else
        known.exit = true;
    }
  }

  const Prober& prober_;
  RuleSet rules_;
  std::size_t limit_;
  std::unordered_map<Board, Known, BoardHash> known_;
};

}  // namespace

struct Guide::Impl {
  const Prober& prober;
  std::size_t limit;

  std::optional<BoardAnswer> answer(const Board& board, BoardBounds& bounds) const {
    try {
      return prober.answer(board, bounds);
    } catch (const ProbeError& error) {
      if (error.fault() == ProbeFault::not_solved) return std::nullopt;
      throw;
    }
  }

  int distance_of(const Move& move, int value, DistanceSearch& search) const {
    if (value == 0) return 0;
    return move.kind == Move::Kind::inner ? 1 + search.distance(move.child) : 1;
  }

  void find_distances(const Board& board, const Moves& all, const BoardAnswer& answer,
                      Guidance& guidance) const {
    DistanceSearch search(prober, *prober.rules(), limit);
    for (int i = 0; i < kHalfPits; ++i) {
      if (!guidance.values[i]) continue;
      if (prober.has_distances(seeds(board)))
        guidance.distances[i] = answer.moves[i].distance;
      else if (as_good(board, *guidance.values[i], guidance.value))
        guidance.distances[i] = distance_of(all.pit[i], *guidance.values[i], search);
    }
  }

  bool as_good(const Board& board, int value, int best) const {
    const int n = seeds(board);
    return prober.scope().clamp(n, value) == prober.scope().clamp(n, best);
  }

  void choose(const Board& board, Guidance& guidance) const {
    for (int i = 0; i < kHalfPits; ++i) {
      if (!guidance.values[i] || !as_good(board, *guidance.values[i], guidance.value)) continue;
      if (!guidance.choice) guidance.choice = i;
      const int own = guidance.distances[i].value_or(0);
      const int best = guidance.distances[*guidance.choice].value_or(0);
      if (guidance.value > 0 ? own < best : own > best) guidance.choice = i;
    }
  }
};

Guide::Guide(const Prober& prober, std::size_t limit) : impl_(new Impl{prober, limit}) {}
Guide::~Guide() = default;

std::optional<Guidance> Guide::guide(const Situation& situation, bool distances) {
  Guidance guidance;
  const auto answer = impl_->answer(situation.board, guidance.bounds);
  if (!answer) return std::nullopt;
  const RuleSet rules = *impl_->prober.rules();
  const auto legal = legal_moves(situation, rules);
  const Moves all = moves(situation.board, rules);
  std::optional<KnownValue> best;
  for (int i = 0; i < kHalfPits; ++i) {
    if (!legal[i]) continue;
    guidance.values[i] = answer->moves[i].value;
    const KnownValue move{*guidance.values[i], guidance.bounds.moves[static_cast<std::size_t>(i)]};
    best = best ? better_of(*best, move) : move;
  }
  // Without a legal move the rules end the game: the value is that end's.
  if (!best) best = KnownValue{all.ended.value_or(0)};
  guidance.value = best->value;
  guidance.bounds.value = best->bound;
  if (distances) impl_->find_distances(situation.board, all, *answer, guidance);
  impl_->choose(situation.board, guidance);
  return guidance;
}

OptimalLine optimal_line(const Prober& prober, const Situation& start) {
  if (!prober.rules())
    throw Error(fmt::format("{} holds no slices; solve some with: awele solve --seeds {} --db {}",
                            prober.dir().string(), seeds(start.board), prober.dir().string()));
  prober.require_solved(start.board);
  Guide guide(prober);
  // Values split what is left of a circle, and so does the line that they lead along.
  OptimalLine line{
      Game(*prober.rules(), start, {.repetitions = 2, .play_on = true, .sharing = Sharing::split}), {}};
  while (!line.game.outcome()) {
    const auto guidance = guide.guide(line.game.now());
    if (!guidance)
      throw Error(
          fmt::format("{} lacks a slice that captures lead to; solve with: awele solve --seeds {} --db {}",
                      prober.dir().string(), seeds(start.board), prober.dir().string()));
    const int pit = guidance->choice.value();
    const int distance = guidance->distances[pit].value_or(0);
    line.moves.push_back({line.game.play(pit), {guidance->value, guidance->bounds.value}, distance});
  }
  return line;
}

}  // namespace awele
