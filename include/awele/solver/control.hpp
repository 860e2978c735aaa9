// How a run under way is asked to save its state or to stop. The solver asks between pieces of work; what
// signals, files and clocks mean is decided by who implements this.
#pragma once

#include <string>
#include <string_view>

namespace awele {

/// The pieces of work between which the solver asks, and the moments at which tests inject faults.
enum class Stage {
  between,             ///< two slices; the smaller one is finished
  exits,               ///< after the exits of one smaller slice
  rounds,              ///< after a round
  transposition,       ///< before the first piece of the finished slice
  writing,             ///< after a piece of the finished slice was written
  checkpoint,          ///< after a piece of a checkpoint was written
  renaming,            ///< before a slice gets its final name
  renaming_checkpoint  ///< before a checkpoint gets its final name
};
std::string_view name(Stage stage);

/// What a rank wishes, in order of urgency: the most urgent wish of any rank counts.
enum class Wish {
  go_on,
  checkpoint,      ///< save the state, then go on
  stop,            ///< stop, by a checkpoint or at the end of the slice, whichever comes sooner
  checkpoint_stop  ///< save the state, then stop
};

/// What the solver expects, in seconds.
struct Outlook {
  double to_finish = 0;      ///< the slice at hand, to its final name
  double to_checkpoint = 0;  ///< saving the state
};

class SolveControl {
 public:
  virtual ~SolveControl() = default;
  /// On every rank; must be quick and must not communicate. `outlook` is the same on all ranks.
  virtual Wish wish(Stage, int /*seeds*/, const Outlook&) { return Wish::go_on; }
  /// On rank 0, before a file or directory gets its final name; throws when this run must not write any more.
  virtual void before_rename() {}
  /// A word, the same for the whole run and no other, that temporary names carry. On rank 0.
  virtual std::string token() const { return "tmp"; }
};

}  // namespace awele
