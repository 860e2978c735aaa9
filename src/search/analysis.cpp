#include "awele/search/analysis.hpp"

#include <algorithm>
#include <sstream>

#include "awele/search/proof_graph.hpp"

namespace awele {

namespace {

constexpr int kHundredths = AlphaBeta::kHundredths;

/// What a task tells of its move, as a line of text.
struct Found {
  std::size_t move = 0;
  bool complete = true;
  std::uint64_t nodes = 0, hits = 0;
  Interval proven;
  bool estimated = false;
  int estimate = 0;
  std::vector<int> line;
};

std::string to_text(const Found& found) {
  std::ostringstream text;
  text << found.move << ' ' << found.complete << ' ' << found.nodes << ' ' << found.hits << ' '
       << found.proven.low << ' ' << found.proven.high << ' ' << found.estimated << ' ' << found.estimate
       << ' ' << found.line.size();
  for (int pit : found.line) text << ' ' << pit;
  text << '\n';
  return text.str();
}

bool read(std::istream& text, Found& found) {
  std::size_t length = 0;
  if (!(text >> found.move >> found.complete >> found.nodes >> found.hits >> found.proven.low >>
        found.proven.high >> found.estimated >> found.estimate >> length))
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

/// The search of one move for one purpose.
class Analysis::Task {
 public:
  Task(std::size_t move, const Move& made, RuleSet rules, const Leaves& leaves, bool proof,
       std::size_t table_bytes)
      : made_(made), leaves_(leaves), search_(rules, leaves_, table_bytes) {
    const int n = seeds(made.child);
    found_.move = move;
    proven_ = {-n, n};
    if (proof) graph_ = std::make_unique<ProofGraph>(rules, leaves_, made.child);
  }

  /// `most_expanded`: by the proof graph; 0 when a proof is of no use.
  std::string do_step(int depth, std::size_t most_expanded, int floor, Deadline deadline) {
    search_.set_deadline(deadline);
    found_.complete = true;
    const std::uint64_t nodes = total_nodes(), hits = leaves_.hits();
    try {
      graph_ ? prove(depth, most_expanded, floor, deadline) : estimate(depth);
    } catch (const Interrupted&) {
      found_.complete = false;
    }
    found_.proven = before_move(made_.captured, proven_);
    found_.nodes = total_nodes() - nodes;
    found_.hits = leaves_.hits() - hits;
    return to_text(found_);
  }

  std::size_t move() const { return found_.move; }

 private:
  std::uint64_t total_nodes() const { return search_.nodes() + (graph_ ? graph_->expanded() : 0); }

  void estimate(int depth) {
    const int most = kHundredths * seeds(made_.child) + 1;
    const int value = search_.search(made_.child, Horizon::estimate, depth - 1, -most, most);
    found_.estimated = true;
    found_.estimate = kHundredths * made_.captured - value;
    found_.line = search_.best_line(made_.child, depth - 1);
  }

  /// `floor`: what is proven of the situation without this move; less is all the same.
  void prove(int depth, std::size_t most_expanded, int floor, Deadline deadline) {
    if (most_expanded == 0) return;
    const int enough = made_.captured - floor;  // for the other side, after the move
    // First what decides whether the move matters, in a window of no width; then as far as it goes.
    raise_low(depth, std::min(proven_.high, enough) - 1, enough);
    raise_low(depth, proven_.low, enough);
    lower_high(depth, enough);
    constexpr int kLeastLog = 8, kMostLog = 40;
    graph_->grow(std::min(most_expanded, std::size_t{1} << std::min(kLeastLog + depth, kMostLog)), enough,
                 deadline);
    proven_.low = std::max(proven_.low, graph_->interval().low);
    proven_.high = std::min(proven_.high, graph_->interval().high);
    found_.complete = std::chrono::steady_clock::now() < deadline;
  }

  void raise_low(int depth, int alpha, int enough) {
    const int beta = std::min(proven_.high, enough);
    if (alpha < proven_.low || alpha >= beta) return;
    const int low = search_.search(made_.child, Horizon::worst, depth - 1, alpha, beta);
    if (low > alpha) proven_.low = std::max(proven_.low, low);
  }

  void lower_high(int depth, int enough) {
    const int beta = std::min(proven_.high, enough);
    if (proven_.low >= beta) return;
    const int high = search_.search(made_.child, Horizon::best, depth - 1, proven_.low, beta);
    if (high < beta) proven_.high = std::min(proven_.high, high);
  }

  Move made_;
  Leaves leaves_;
  AlphaBeta search_;
  std::unique_ptr<ProofGraph> graph_;  // for a proof
  Interval proven_;                    // of the board after the move
  Found found_;
};

Analysis::Analysis(const Situation& situation, RuleSet rules, const Leaves& leaves,
                   const AnalysisLimits& limits, int part, int parts)
    : leaves_(leaves), graph_positions_(limits.graph_positions) {
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
  const std::size_t all_tasks = 2 * open.size();
  for (std::size_t task = 0; task < all_tasks; ++task) {
    if (task % static_cast<std::size_t>(parts) != static_cast<std::size_t>(part)) continue;
    const auto& [move, made] = open[task % open.size()];
    tasks_.push_back(std::make_unique<Task>(move, made, rules, leaves_, task >= open.size(),
                                            limits.table_bytes / all_tasks));
  }
}

Analysis::~Analysis() = default;

bool Analysis::finished() const { return report_.proven.exact() || !searchable_; }

std::string Analysis::do_step(int depth, Deadline deadline) {
  std::size_t useful = 0;
  for (const MoveReport& move : report_.moves) useful += is_useful(move) ? 1 : 0;
  std::string text;
  for (const auto& task : tasks_) {
    const bool wanted = is_useful(report_.moves[task->move()]);
    text += task->do_step(depth, wanted ? graph_positions_ / useful : 0, report_.proven.low, deadline);
  }
  return text;
}

/// Whether a tighter proof for this move could tighten that of the situation.
bool Analysis::is_useful(const MoveReport& move) const {
  return !move.proven.exact() && move.proven.high > report_.proven.low;
}

void Analysis::finish_step(int depth, const std::vector<std::string>& found) {
  report_.depth = depth;
  report_.complete = true;
  for (const std::string& each : found) {
    std::istringstream text(each);
    for (Found one; read(text, one);) {
      MoveReport& move = report_.moves[one.move];
      move.proven = {std::max(move.proven.low, one.proven.low), std::min(move.proven.high, one.proven.high)};
      report_.nodes += one.nodes;
      report_.hits += one.hits;
      report_.complete = report_.complete && one.complete;
      if (!one.estimated) continue;
      move.estimate = one.estimate;
      move.line = {move.pit};
      move.line.insert(move.line.end(), one.line.begin(), one.line.end());
    }
  }
  sum_up();
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
  Analysis analysis(situation, rules, leaves, limits);
  const Deadline deadline =
      steady_clock::now() + duration_cast<steady_clock::duration>(duration<double>(effort.seconds));
  for (int depth = 1; depth <= effort.depth && !analysis.finished() && steady_clock::now() < deadline;
       ++depth)
    analysis.step(depth, deadline);
  return analysis.report();
}

}  // namespace awele
