// Analysis of one situation: every move with what is proven of its value and with an estimate, deepened step
// by step.
//
// What is proven comes from one graph of positions for the whole situation (ProofGraph), estimates from
// alpha-beta searches, move by move with tables of their own, as each move's own value is wanted and not only
// the best one's. Under MPI these searches and the graph are dealt to parts (ranks). What one of them finds
// out does not depend on who does the rest, so the results of a step are the same for any number of parts,
// unless a deadline cuts it short.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "awele/play/game.hpp"
#include "awele/search/alpha_beta.hpp"
#include "awele/search/leaves.hpp"
#include "awele/search/proof_graph.hpp"

namespace awele {

/// What is known of a legal move. Values count the remaining seeds (those captured by the move included),
/// for the side that makes it.
struct MoveReport {
  int pit = 0;
  int captured = 0;
  Interval proven;  ///< of its value
  /// Of its value, in hundredths of a seed: within what is proven, and beyond that no claim of any kind.
  std::optional<int> estimate;
  /// What the rules and the database say at once, where the move leads into the database or ends the game.
  std::optional<KnownValue> known = std::nullopt;
  std::vector<int> line;  ///< pits, this move first, as the estimate expects the game to go
};

struct AnalysisReport {
  int depth = 0;            ///< of the last step
  bool complete = true;     ///< false when the deadline cut the step short
  std::uint64_t nodes = 0;  ///< searched or expanded so far, by all parts
  std::uint64_t hits = 0;   ///< database look-ups so far
  /// Positions that the proof graph holds; no more than the limit, and then it is full.
  std::size_t graph_positions = 0;
  bool graph_full = false;
  /// The slices that are missing are too large for a proof: all the effort goes into estimates.
  bool too_far = false;
  std::vector<MoveReport> moves;
  Interval proven;          ///< of the situation's value; exact when the rules end the game here
  std::optional<int> best;  ///< index into moves: the one that is expected to be worth most

  /// What a move is expected to be worth, in hundredths: the estimate brought within what is proven, or the
  /// middle of what is proven.
  static int expected(const MoveReport& move);
};

struct AnalysisLimits {
  std::size_t table_bytes = std::size_t{64} << 20;  ///< of all transposition tables together
  std::size_t graph_positions = 8'000'000;          ///< that the proof graph may hold, less than 2^31
  /// Proofs are tried when the missing slices have at most so many times the positions of the graph, or of
  /// one of a million.
  double reach = 1000;
  /// Estimates are wanted of the best move only: those of others say no more than that they are not better.
  bool best_only = false;
};

class Analysis {
 public:
  /// The part-th of `parts` of the analysis. Every part is given the same situation, database and limits.
  Analysis(const Situation& situation, RuleSet rules, const Leaves& leaves, const AnalysisLimits& limits,
           int part = 0, int parts = 1);
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  /// What is known without a search: the database and the rules.
  const AnalysisReport& report() const { return report_; }
  /// Whether the value is proven, or there is nothing (more) to search.
  bool finished() const;

  /// This part's share of the step to `depth` >= 1, as text for finish_step().
  std::string do_step(int depth, Deadline deadline);
  /// Takes in what all parts found out in a step.
  void finish_step(int depth, const std::vector<std::string>& found);

  /// A whole step, for one part.
  const AnalysisReport& step(int depth, Deadline deadline = Deadline::max());

 private:
  class Estimate;
  class BestMove;
  class Proof;
  void add_tasks(const std::vector<std::pair<std::size_t, Move>>& open, const Board& board, RuleSet rules,
                 const AnalysisLimits& limits, int part, int parts);
  std::size_t wanted_positions() const;
  void take(const std::string& found);
  void sum_up();

  AnalysisReport report_;
  std::optional<int> ended_;  // the value without a move, where the rules end the game
  bool searchable_ = false;   // a move leads beyond the database
  int lead_ = 0;
  std::vector<std::unique_ptr<Estimate>> estimates_;
  std::unique_ptr<BestMove> best_move_;
  std::unique_ptr<Proof> proof_;
  Leaves leaves_;
};

/// How many positions the slices have that the database lacks for a board of n seeds.
double missing_positions(const Leaves& leaves, int n);

/// How long one process may think about a situation.
struct Effort {
  int depth = 200;
  double seconds = 3;
};

/// Deepens until the value is proven or the effort is spent.
AnalysisReport analyze(const Situation& situation, RuleSet rules, const Leaves& leaves, const Effort& effort,
                       const AnalysisLimits& limits = {});

}  // namespace awele
