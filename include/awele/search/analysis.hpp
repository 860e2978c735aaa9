// Analysis of one situation: every move with what is proven of its value and with an estimate, deepened step
// by step.
//
// Root splitting: each move's subtree is searched by itself with its own tables, as each move's own values
// are wanted and not only the best one's. The work of a step is dealt to parts (ranks) by move and by kind
// (estimate, proof); what a part finds out does not depend on who does the rest, so the results of a step are
// the same for any number of parts, unless a deadline cuts it short.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "awele/play/game.hpp"
#include "awele/search/alpha_beta.hpp"
#include "awele/search/leaves.hpp"

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
  std::vector<MoveReport> moves;
  Interval proven;          ///< of the situation's value; exact when the rules end the game here
  std::optional<int> best;  ///< index into moves: the one that is expected to be worth most

  /// What a move is expected to be worth, in hundredths: the estimate brought within what is proven, or the
  /// middle of what is proven.
  static int expected(const MoveReport& move);
};

struct AnalysisLimits {
  std::size_t table_bytes = std::size_t{64} << 20;  ///< of all transposition tables together
  std::size_t graph_positions = 1'000'000;          ///< of all proof graphs together
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
  class Task;
  void sum_up();
  bool is_useful(const MoveReport& move) const;

  AnalysisReport report_;
  std::optional<int> ended_;  // the value without a move, where the rules end the game
  bool searchable_ = false;   // a move leads beyond the database
  std::vector<std::unique_ptr<Task>> tasks_;
  Leaves leaves_;
  std::size_t graph_positions_;
};

/// How long one process may think about a situation.
struct Effort {
  int depth = 200;
  double seconds = 3;
};

/// Deepens until the value is proven or the effort is spent.
AnalysisReport analyze(const Situation& situation, RuleSet rules, const Leaves& leaves, const Effort& effort,
                       const AnalysisLimits& limits = {});

}  // namespace awele
