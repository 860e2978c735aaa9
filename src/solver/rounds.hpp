// The propagation inside a slice: for t = n..1 the positions worth +t and -t are settled, in rounds.
//
// Expanding a newly settled position (mover half A, waiting half B), which lies in state row A:
//   emit    its owner sends it to the owner of frontier row B (A is all that row needs to know of it);
//   un-sow  the frontier rows that received positions are gone through one by one: each way back from a row
//   (pit,
//           seeds) leads to one state row, and the columns in it are known from the pattern
//           (unsow_block.hpp);
//   apply   the owner of that row settles the predecessors of a position worth -t, or counts them down
//           (state_updates.hpp). Updates of own rows are applied at once, some hundred after their prefetch.
// The layout of the state is a type: Joined or Apart (state_updates.hpp).
// Everything a rank holds for this is bounded: a round works in as many batches as its positions need.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/comm/exchange.hpp"
#include "awele/solver/control.hpp"
#include "frontier_item.hpp"
#include "slice_state.hpp"
#include "state_updates.hpp"
#include "unsow_block.hpp"

namespace awele {

/// Work done, on this rank, for one slice.
struct RoundCounters {
  std::uint64_t thresholds = 0, rounds = 0, batches = 0;
  std::uint64_t settled = 0;        ///< positions settled at +-1 .. +-n
  std::uint64_t expanded = 0;       ///< of these, expanded: all, at the end
  std::uint64_t rows_unsown = 0;    ///< frontier rows gone through
  std::uint64_t candidates = 0;     ///< (position, pattern) pairs looked at
  std::uint64_t predecessors = 0;   ///< updates sent or applied
  std::uint64_t updates = 0;        ///< updates applied
  std::uint64_t words_touched = 0;  ///< 8-byte words of state and summaries searched
};

/// Where a slice stands, for progress lines.
struct RoundProgress {
  int threshold;
  std::uint64_t settled;  ///< on all ranks
};

/// Bytes that the rounds hold on a rank besides the state.
std::uint64_t rounds_memory(std::size_t batch, int ranks, bool with_distances);

/// What the caller does between rounds, on every rank.
struct RoundHooks {
  std::function<void(const RoundProgress&)> progress;  ///< after each round
  std::function<Wish()> wish;                          ///< must not communicate
  std::function<void(Wish)> heed;                      ///< collective; the most urgent wish of all ranks
};

template <typename Layout>
class Rounds {
 public:
  /// `batch`: positions that a rank expands at a time of its own, and again of those of others; at least 64.
  Rounds(SliceState& state, const Communicator& ranks, Exchange& exchange, std::size_t batch);

  /// Collective. Settles the slice, from threshold `from` (its width, or where a restored state stood) down
  /// to 1. `level`: 0, or where it stood, see StateUpdates. `settled_before`: positions on all ranks that
  /// were settled in a run before.
  void run(int from, int level, std::uint64_t settled_before, const RoundHooks& hooks);

  /// Marks in the state what was listed as newly settled: the state then says all there is to know between
  /// rounds.
  void mark_listed() { updates_.mark_listed(); }
  int threshold() const { return t_; }
  int level() const { return updates_.level(); }
  std::uint64_t settled() const { return updates_.settled(); }  ///< by this rank in this run

  const RoundCounters& counters() const { return counters_; }

 private:
  using Updates = StateUpdates<Layout>;
  /// Updates of a row of another rank; `row` is its number.
  struct Foreign {
    std::uint64_t row;
    int seeds;
    std::span<const std::uint32_t> columns;
  };
  /// The state row whose positions are handed on.
  struct Emitting {
    std::uint64_t serial = 0;  ///< a new number for each row
    StateRow row{};
    std::uint64_t base = 0, first = 0;  ///< number, and local number, of the first frontier row of its block
    std::size_t bytes = 0;
  };
  /// The record under way in a slot of the exchange during emit, and of which row it is.
  struct OpenRecord {
    std::uint64_t serial = 0;
    std::byte* header = nullptr;
    std::size_t positions = 0;  ///< in the slot, all records
  };
  /// Updates that arrived from another rank, decoded.
  struct Group {
    std::vector<std::uint32_t> columns;
    std::vector<RowUpdates> updates;
  };

  void expand(Sign sign);
  bool emit(Sign sign);
  bool emit_listed(Sign sign);
  bool emit_row(Sign sign, std::uint64_t local);
  void begin_row(std::uint64_t local);
  bool emit_position(std::uint64_t column);
  std::size_t place_width(int waiting) const;
  void receive_positions(std::span<const std::byte> bytes);
  void sort_items();
  bool unsow(Sign sign);
  bool load_block();
  void open_row(Sign sign);
  void apply_own(Sign sign, std::size_t ahead);
  bool send_foreign();
  void receive_updates(std::span<const std::byte> bytes, Sign sign);
  const std::byte* read_group(const std::byte* in, const std::byte* end, Group& group) const;
  void agree();
  void heed_wish();
  void finish_counters();

  SliceState& state_;
  const Communicator& ranks_;
  Exchange& exchange_;
  const std::size_t batch_, slot_batch_;  ///< the latter: for one other rank
  const bool slams_stay_;
  int t_ = 0;
  Updates updates_;

  std::size_t emit_listed_ = 0, emit_word_ = 0;
  std::vector<OpenRecord> open_records_;
  Emitting emitting_;
  std::vector<FrontierItem> items_, sorted_;

  UnsowBlock block_;
  std::size_t block_begin_ = 0, block_end_ = 0, next_item_ = 0;  ///< in items_
  int waiting_ = 0;                                              ///< seeds of the rows of the block
  std::vector<RowUpdates> own_;  ///< prefetched, to be applied from next_own_ on
  std::size_t next_own_ = 0, own_waiting_ = 0;
  std::vector<Foreign> foreign_;  ///< of the row at hand, sent up to column next_column_ of next_foreign_
  std::size_t next_foreign_ = 0, next_column_ = 0;
  Group arriving_, arrived_;

  std::array<std::uint64_t, kPendingSets> all_pending_{};
  std::uint64_t all_settled_ = 0, settled_before_ = 0, restored_ = 0;
  Wish all_wish_ = Wish::go_on;  ///< not yet heeded
  const RoundHooks* hooks_ = nullptr;
  RoundCounters counters_;
};

}  // namespace awele
