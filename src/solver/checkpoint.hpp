// Saving and restoring the state of a slice under way.
//
// DIR/checkpoint_NN_SSSS/ (slice NN, SSSS counts up) holds part_KKKK.h5, one per node, with contiguous pieces
// of the state in an order that knows nothing of ranks (awele/store/state_part.hpp), and `control`: a line
// with format version and CRC-32, then a Boost text archive with SliceProgress and the list of parts. It is
// written as checkpoint_NN_SSSS.TOKEN.tmp, flushed, read back and renamed; only then is the one before
// removed.
//
// Whatever is wrong with a checkpoint - damaged, of another version of this program or of Boost, made on top
// of other smaller slices than those that are there - it is skipped with a warning.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/comm/exchange.hpp"
#include "awele/game/scope.hpp"
#include "awele/solver/control.hpp"
#include "awele/store/state_part.hpp"
#include "awele/support/error.hpp"
#include "delivery.hpp"
#include "slice_state.hpp"

namespace awele {

/// How far a slice had come. Counters are sums over the ranks of all runs so far.
struct SliceProgress {
  enum class At : int {
    exits,   ///< the exits of the slices n-2 .. n-captured are merged
    rounds,  ///< at `threshold`, between two rounds
    done     ///< everything is settled, the file is not written
  };
  At at = At::exits;
  int captured = 1, threshold = 0;
  int level = 0;  ///< with distances: that is expanded next
  std::uint64_t rounds = 0, settled = 0, predecessors = 0, candidates = 0, words_touched = 0;
  double seconds = 0, round_seconds = 0;
  /// What the state rests on: the slices whose exits are merged, n-2 .. n-captured, and their CRC-32s.
  std::map<int, std::uint32_t> exit_crcs;

  /// Another list of fields is another version of the control file (checkpoint.cpp).
  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& at& captured& threshold& level& rounds& settled& predecessors& candidates& words_touched&
        seconds& round_seconds& exit_crcs;
  }
};

/// Removes checkpoints and temporary files of slices and checkpoints that other runs left in `dir`. On rank
/// 0, by the owner of the directory's lock. Returns what was removed.
std::vector<std::string> remove_leftovers(const std::filesystem::path& dir);

class Checkpoints {
 public:
  Checkpoints(std::filesystem::path dir, RuleSet rules, Scope scope, const Communicator& ranks,
              const Communicator& node, Exchange& exchange, SolveControl& control);

  /// Bytes held on a rank while a checkpoint of slice n is written or read.
  static std::uint64_t memory(int n, const StateForm& form);

  struct Saved {
    std::filesystem::path path;  ///< empty when it could not be written
    std::string error;           ///< then: why
    std::uint64_t bytes = 0;
    std::vector<std::string> notes;  ///< on rank 0: what the user should know besides
  };
  /// Collective. The state must not have listed positions (Rounds::mark_listed). The same result on all
  /// ranks.
  Saved save(const SliceState& state, const SliceProgress& progress);

  struct Restored {
    std::filesystem::path path;
    SliceProgress progress;
  };
  /// The CRC-32 of the values of slice n as it is now. Collective, the same on all ranks.
  using SliceCrc = std::function<std::uint32_t(int n)>;
  /// Told of a checkpoint that is not used, and why.
  using Bad = std::function<void(const std::filesystem::path&, const std::string&)>;
  /// Collective. Fills codes and counts from the newest valid checkpoint of the slice; `bad` is called on
  /// rank 0 for each that is not.
  std::optional<Restored> restore(SliceState& state, const SliceCrc& slice_crc, const Bad& bad);

  /// On rank 0: removes all checkpoints of slice n. Returns a sentence for each that could not be removed.
  std::vector<std::string> remove(int n) const;

 private:
  static constexpr std::uint64_t kMostParts = std::uint64_t{1} << 20;  ///< nodes
  struct Part {
    std::uint64_t first = 0, positions = 0,
                  bytes = 0;   ///< first piece; positions in the part; size of the file
    std::uint64_t digest = 0;  ///< of its contents: a part of another checkpoint is not this one's
    /// See Control.
    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
      archive& first& positions& bytes& digest;
    }
  };
  struct Control {
    int seeds = 0, rules = 0;  ///< the latter a RuleSet
    int total = 0;             ///< see Scope
    bool joined = false;       ///< see StateForm
    bool distances = false;
    SliceProgress progress;
    std::vector<Part> parts;
    /// Another list of fields is another version of the control file (checkpoint.cpp). Nothing here is of a
    /// length that the file alone decides.
    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
      std::uint64_t count = parts.size();
      archive& seeds& rules& total& joined& distances& progress& count;
      if (count > kMostParts) throw Error(fmt::format("it names {} parts", count));
      parts.resize(count);
      for (Part& part : parts) archive& part;
    }
  };
  /// The pieces of a node: first, first + 1, ... end - 1, dealt to its ranks in turn.
  struct NodeShare {
    std::uint64_t first = 0, end = 0;
    int leader = 0;
    std::vector<int> ranks;
  };

  std::vector<NodeShare> shares(std::uint64_t pieces) const;
  std::vector<std::uint64_t> pieces_of_wave(const std::vector<NodeShare>& shares, std::uint64_t wave) const;
  void gather_wave(const SliceState& state, const std::vector<std::uint64_t>& pieces);
  void scatter_wave(SliceState& state, const std::vector<std::uint64_t>& pieces);
  void assemble(const SliceState& state, std::uint64_t piece);
  std::string write_parts(const SliceState& state, const std::filesystem::path& dir,
                          std::vector<Part>& parts);
  std::string read_parts(SliceState& state, const std::filesystem::path& dir, const Control& control);
  std::string publish(const std::filesystem::path& temporary, const std::filesystem::path& path,
                      const Control& control) const;
  std::string agree_on_error(const std::string& own) const;
  std::string read_control(const std::filesystem::path& path, const SliceState& state,
                           Control& control) const;
  std::string fault_of(const Control& control, const SliceState& state) const;
  std::string other_slice(const SliceProgress& progress, const SliceCrc& slice_crc) const;

  const std::filesystem::path dir_;
  const RuleSet rules_;
  const Scope scope_;
  const Communicator& ranks_;
  const Communicator& node_;
  SolveControl& control_;
  Delivery delivery_;
  std::vector<int> node_of_;  ///< leader's rank, by rank
  std::vector<std::uint8_t> outgoing_;
  std::vector<std::uint64_t> starts_;
  PlaneSet set_;                                               ///< of the checkpoint at hand
  std::array<std::vector<std::uint8_t>, kMostPlanes> planes_;  ///< of the piece at hand
};

}  // namespace awele
