#include "awele/search/analysis.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "awele/index/slice_index.hpp"
#include "awele/search/proof_graph.hpp"

namespace awele {

namespace {

constexpr int kHundredths = AlphaBeta::kHundredths;

/// What a task tells of a move, as a line of text.
struct Found {
  std::size_t move = 0;
  bool complete = true;
  std::uint64_t nodes = 0, hits = 0;
  Interval proven{-kMaxSeeds, kMaxSeeds};
  std::size_t graph_positions = 0;
  bool graph_full = false;
  bool estimated = false;
  int estimate = 0;
  std::vector<int> line{};
};

std::string to_text(const Found& found) {
  std::ostringstream text;
  text << found.move << ' ' << found.complete << ' ' << found.nodes << ' ' << found.hits << ' '
       << found.proven.low << ' ' << found.proven.high << ' ' << found.graph_positions << ' '
       << found.graph_full << ' ' << found.estimated << ' ' << found.estimate << ' ' << found.line.size();
  for (int pit : found.line) text << ' ' << pit;
  text << '\n';
  return text.str();
}

bool read(std::istream& text, Found& found) {
  std::size_t length = 0;
  if (!(text >> found.move >> found.complete >> found.nodes >> found.hits >> found.proven.low >>
        found.proven.high >> found.graph_positions >> found.graph_full >> found.estimated >> found.estimate >>
        length))
    return false;
  found.line.resize(length);
  for (int& pit : found.line) text >> pit;
  return true;
}

/// Counted from the board before a move that captures `gain`, what is known of the board after it.
Interval before_move(int gain, const Interval& after) { return {gain - after.high, gain - after.low}; }

}  // namespace

int AnalysisReport::expected(const MoveReport& move) {
  const int low = move.proven.low * kHundredths, high = move.proven.high * kHundredths;
  return std::clamp(move.estimate.value_or((low + high) / 2), low, high);
}

/// The search of one move.
class Analysis::Estimate {
 public:
  Estimate(std::size_t move, const Move& made, RuleSet rules, const Leaves& leaves, std::size_t table_bytes)
      : made_(made), leaves_(leaves), search_(rules, leaves_, table_bytes) {
    found_.move = move;
  }

  std::string do_step(int depth, Deadline deadline) {
    search_.set_deadline(deadline);
    const std::uint64_t nodes = search_.nodes(), hits = leaves_.hits();
    found_.complete = true;
    try {
      value_ = search_.search_near(made_.child, depth - 1, value_);
      found_.estimated = true;
      found_.estimate = kHundredths * made_.captured - value_;
      found_.line = search_.best_line(made_.child, depth - 1);
    } catch (const Interrupted&) {
      found_.complete = false;
    }
    found_.nodes = search_.nodes() - nodes;
    found_.hits = leaves_.hits() - hits;
    return to_text(found_);
  }

 private:
  Move made_;
  Leaves leaves_;
  AlphaBeta search_;
  int value_ = 0;  // after the move, for the other side
  Found found_;
};

/// The search for the best of all moves: the others are only shown not to be better.
class Analysis::BestMove {
 public:
  BestMove(std::vector<std::pair<std::size_t, Move>> open, RuleSet rules, const Leaves& leaves,
           std::size_t table_bytes)
      : open_(std::move(open)), leaves_(leaves), search_(rules, leaves_, table_bytes) {}

  /// `floor`: in hundredths, what a move is worth that need not be searched.
  std::string do_step(int depth, std::optional<int> floor, Deadline deadline) {
    search_.set_deadline(deadline);
    const std::uint64_t nodes = search_.nodes(), hits = leaves_.hits();
    std::vector<Found> found;
    bool complete = true;
    std::optional<int> best = floor;
    try {
      search_moves(depth, best, found);
    } catch (const Interrupted&) {
      complete = false;
      // What was not looked at was not better before.
      for (std::size_t k = found.size(); !found.empty() && k < open_.size(); ++k)
        found.push_back({.move = open_[k].first, .estimated = true, .estimate = *best - 1});
    }
    if (found.empty()) found.push_back({.move = open_.front().first});
    found.front().nodes = search_.nodes() - nodes;
    found.front().hits = leaves_.hits() - hits;
    found.front().complete = complete;
    std::string text;
    for (const Found& each : found) text += to_text(each);
    return text;
  }

 private:
  /// `best`: raised to what the best move is worth, which comes first from then on.
  void search_moves(int depth, std::optional<int>& best, std::vector<Found>& found) {
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const auto [move, made] = open_[k];
      const int gain = kHundredths * made.captured;
      int value = 0;
      if (k == 0) {
        value = gain - search_.search_near(made.child, depth - 1, gain - guess_);
        guess_ = value;
      } else {
        value = gain - search_.search(made.child, depth - 1, gain - *best - 1, gain - *best);
        if (value > *best) value = gain - search_.search_near(made.child, depth - 1, gain - value);
      }
      const bool better = !best || value > *best;
      found.push_back({.move = move,
                       .estimated = true,
                       .estimate = better ? value : std::min(value, *best - 1),
                       .line = search_.best_line(made.child, depth - 1)});
      if (!better) continue;
      best = guess_ = value;
      std::rotate(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(k),
                  open_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    }
  }

  std::vector<std::pair<std::size_t, Move>> open_;
  Leaves leaves_;
  AlphaBeta search_;
  int guess_ = 0;
};

/// The graph of the whole situation.
class Analysis::Proof {
 public:
  Proof(std::vector<std::pair<std::size_t, Move>> open, const Board& board, RuleSet rules,
        const Leaves& leaves, std::size_t most)
      : open_(std::move(open)), leaves_(leaves), graph_(rules, leaves_, board, most) {}

  std::string do_step(std::size_t until, const ProofGraph::Wishes& wishes, Deadline deadline) {
    const std::uint64_t hits = leaves_.hits(), positions = graph_.positions();
    graph_.grow(until, wishes, deadline);
    Found found{.complete = std::chrono::steady_clock::now() < deadline,
                .nodes = graph_.positions() - positions,
                .hits = leaves_.hits() - hits,
                .graph_positions = graph_.positions(),
                .graph_full = graph_.full()};
    std::string text;
    for (const auto& [move, made] : open_) {
      found.move = move;
      found.proven = before_move(made.captured, graph_.of(made.child));
      text += to_text(found);
      found.nodes = found.hits = 0;
    }
    return text;
  }

 private:
  std::vector<std::pair<std::size_t, Move>> open_;
  Leaves leaves_;
  ProofGraph graph_;
};

double missing_positions(const Leaves& leaves, int n) {
  double missing = 0;
  for (int k = 0; k <= n; ++k)
    if (!leaves.has(k)) missing += static_cast<double>(slice_size(k));
  return missing;
}

Analysis::Analysis(const Situation& situation, RuleSet rules, const Leaves& leaves,
                   const AnalysisLimits& limits, int part, int parts)
    : lead_(situation.lead()), leaves_(leaves) {
  const Moves all = moves(situation.board, rules);
  const int n = seeds(situation.board);
  ended_ = all.ended;
  std::vector<std::pair<std::size_t, Move>> open;
  for (int i = 0; i < kHalfPits; ++i) {
    const Move& move = all.pit[i];
    if (!legal_moves(situation, rules)[i]) {
      // A grand slam that these stores do not allow is none of the moves, but a value is a threshold for all
      // stores.
      if (move.kind == Move::Kind::known) ended_ = std::max(ended_.value_or(move.value), move.value);
      continue;
    }
    MoveReport report{i, move.captured, {-n, n}, std::nullopt, std::nullopt, {i}};
    if (move.kind == Move::Kind::known) {
      report.known = KnownValue{move.value};
      report.proven = {move.value, move.value};
    } else if (leaves_.has(n - move.captured)) {
      const KnownValue child = leaves_.known(move.child);
      report.known = after_move(move.captured, child);
      report.proven = before_move(move.captured, interval_of(child, n - move.captured));
      if (!report.proven.exact()) report.estimate = kHundredths * report.known->value;
    } else {
      report.proven = before_move(move.captured, {move.captured - n, n - move.captured});
      open.emplace_back(report_.moves.size(), move);
    }
    report_.moves.push_back(report);
  }
  report_.hits = leaves_.hits() - leaves.hits();
  searchable_ = !open.empty();
  sum_up();
  if (finished()) return;
  add_tasks(open, situation.board, rules, limits, part, parts);
}

/// The graph goes to the last part, which leaves the estimates to the others where there are any.
void Analysis::add_tasks(const std::vector<std::pair<std::size_t, Move>>& open, const Board& board,
                         RuleSet rules, const AnalysisLimits& limits, int part, int parts) {
  // A small graph is full soon, and then leaves the time to the estimates.
  constexpr std::size_t kSmall = 1'000'000;
  report_.too_far = missing_positions(leaves_, seeds(board)) >
                    limits.reach * static_cast<double>(std::max(limits.graph_positions, kSmall));
  if (!report_.too_far && part == parts - 1)
    proof_ = std::make_unique<Proof>(open, board, rules, leaves_, limits.graph_positions);
  if (limits.best_only) {
    if (part == 0) best_move_ = std::make_unique<BestMove>(open, rules, leaves_, limits.table_bytes);
    return;
  }
  const auto takers = static_cast<std::size_t>(report_.too_far ? parts : std::max(parts - 1, 1));
  for (std::size_t k = 0; k < open.size(); ++k)
    if (k % takers == static_cast<std::size_t>(part))
      estimates_.push_back(std::make_unique<Estimate>(open[k].first, open[k].second, rules, leaves_,
                                                      limits.table_bytes / open.size()));
}

Analysis::~Analysis() = default;

bool Analysis::finished() const { return report_.proven.exact() || !searchable_; }

std::string Analysis::do_step(int depth, Deadline deadline) {
  std::string text;
  if (proof_) {
    ProofGraph::Wishes wishes;
    if (report_.best) {
      const int expected = AnalysisReport::expected(report_.moves[static_cast<std::size_t>(*report_.best)]);
      wishes.guess = (expected + (expected > 0 ? kHundredths / 2 : -kHundredths / 2)) / kHundredths;
    }
    // Who wins comes first: what is likely true, then the other half of it.
    wishes.thresholds = {1 - lead_, -lead_};
    if (wishes.guess + lead_ <= 0) std::swap(wishes.thresholds[0], wishes.thresholds[1]);
    text += proof_->do_step(wanted_positions(), wishes, deadline);
  }
  for (const auto& estimate : estimates_) text += estimate->do_step(depth, deadline);
  if (best_move_) {
    std::optional<int> floor;
    for (const MoveReport& move : report_.moves)
      if (move.known)
        floor = std::max(floor.value_or(-kMaxSeeds * kHundredths), AnalysisReport::expected(move));
    text += best_move_->do_step(depth, floor, deadline);
  }
  return text;
}

/// Within reach of the database most of the time is for proofs: a position costs about as much there as ten
/// nodes of an estimate.
std::size_t Analysis::wanted_positions() const {
  constexpr std::size_t kAtLeast = 2048;
  return kAtLeast + static_cast<std::size_t>(report_.nodes - report_.graph_positions);
}

void Analysis::finish_step(int depth, const std::vector<std::string>& found) {
  report_.depth = depth;
  report_.complete = true;
  for (const std::string& each : found) take(each);
  sum_up();
}

void Analysis::take(const std::string& found) {
  std::istringstream text(found);
  for (Found one; read(text, one);) {
    MoveReport& move = report_.moves[one.move];
    move.proven = {std::max(move.proven.low, one.proven.low), std::min(move.proven.high, one.proven.high)};
    report_.nodes += one.nodes;
    report_.hits += one.hits;
    report_.graph_positions = std::max(report_.graph_positions, one.graph_positions);
    report_.graph_full = report_.graph_full || one.graph_full;
    report_.complete = report_.complete && one.complete;
    if (!one.estimated) continue;
    move.estimate = one.estimate;
    move.line = {move.pit};
    move.line.insert(move.line.end(), one.line.begin(), one.line.end());
  }
}

const AnalysisReport& Analysis::step(int depth, Deadline deadline) {
  finish_step(depth, {do_step(depth, deadline)});
  return report_;
}

void Analysis::sum_up() {
  // Of equal moves the one of which more is proven.
  const auto order = [](const MoveReport& move) {
    return std::pair(AnalysisReport::expected(move), move.proven.low);
  };
  report_.best.reset();
  for (MoveReport& move : report_.moves)
    if (move.estimate) move.estimate = AnalysisReport::expected(move);
  std::optional<Interval> all;
  if (ended_) all = Interval{*ended_, *ended_};
  for (std::size_t m = 0; m < report_.moves.size(); ++m) {
    const MoveReport& move = report_.moves[m];
    all = all ? Interval{std::max(all->low, move.proven.low), std::max(all->high, move.proven.high)}
              : move.proven;
    if (!report_.best || order(move) > order(report_.moves[static_cast<std::size_t>(*report_.best)]))
      report_.best = static_cast<int>(m);
  }
  report_.proven = all.value_or(Interval{});
}

AnalysisReport analyze(const Situation& situation, RuleSet rules, const Leaves& leaves, const Effort& effort,
                       const AnalysisLimits& limits) {
  using namespace std::chrono;
  const Deadline deadline =
      steady_clock::now() + duration_cast<steady_clock::duration>(duration<double>(effort.seconds));
  Analysis analysis(situation, rules, leaves, limits);
  for (int depth = 1; depth <= effort.depth && !analysis.finished() && steady_clock::now() < deadline;
       ++depth)
    analysis.step(depth, deadline);
  return analysis.report();
}

}  // namespace awele
