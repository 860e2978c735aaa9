// The propagation inside a slice: for t = n..1 the positions worth +t and -t are settled, in rounds.
//
// Expanding a newly settled position (mover half A, waiting half B), which lies in state row A:
//   emit    its owner sends it to the owner of frontier row B (A is all that row needs to know of it);
//   un-sow  the frontier rows that received positions are gone through one by one. For a row and a pattern
//   (q, j) the
//           columns of all predecessors are the same for every way back (pit, seeds) with that pattern, so
//           they are computed once; each way back gives a state row, and (state row, columns) goes to the
//           owner of the row;
//   apply   that owner settles the predecessors of a position worth -t, or counts them down.
// Everything a rank holds for this is bounded: a round works in as many batches as its positions need.
#pragma once

#include <functional>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/comm/exchange.hpp"
#include "slice_state.hpp"

namespace awele {

/// Work done, on this rank, for one slice.
struct RoundCounters {
  std::uint64_t thresholds = 0, rounds = 0, batches = 0;
  std::uint64_t settled = 0;       ///< positions settled at +-1 .. +-n
  std::uint64_t expanded = 0;      ///< of these, expanded: all, at the end
  std::uint64_t rows_unsown = 0;   ///< frontier rows gone through
  std::uint64_t candidates = 0;    ///< (position, pattern) pairs looked at
  std::uint64_t predecessors = 0;  ///< updates sent or applied
  std::uint64_t updates = 0;       ///< updates applied
  std::uint64_t words_touched =
      0;  ///< 8-byte words of state and summaries searched for thresholds and pending
};

/// Where a slice stands, for progress lines.
struct RoundProgress {
  int threshold;
  std::uint64_t settled;  ///< on all ranks
};

class Rounds {
 public:
  /// `batch`: positions of its own that a rank expands at a time, at least 64.
  Rounds(SliceState& state, const Communicator& ranks, Exchange& exchange, std::size_t batch);

  /// Bytes held on a rank besides the state.
  static std::uint64_t memory(std::size_t batch, std::size_t exchange_capacity, int ranks);

  /// Collective. Settles the slice; `progress` is called on every rank after each round.
  void run(const std::function<void(const RoundProgress&)>& progress);

  const RoundCounters& counters() const { return counters_; }

 private:
  /// A position to expand: local frontier row << 37 | unsow_mask << 30 | mover half.
  using Item = std::uint64_t;

  /// A newly settled position: local state row << 24 | column.
  using Settled = std::uint64_t;
  static constexpr int kColumnBits = 24;

  /// The positions of one frontier row that are expanded together, and what their un-sowing leads to.
  struct Row {
    static constexpr std::size_t kMostItems = 512;
    struct Target {
      std::uint64_t row;    ///< state row: local for an own row, else its number
      std::uint64_t place;  ///< of its first column, for an own row
      int seeds;
      int list;
    };
    struct List {
      std::size_t begin = 1, end = 0;  ///< not made yet
    };
    std::vector<std::uint32_t> columns;
    std::array<List, 7 * kPatternLaps> lists;
    std::vector<Target> own, others;
    std::size_t updates = 0;  ///< of own rows
  };

  /// A position whose last open move was refuted, and whose byte is on its way from memory.
  struct Exhausted {
    std::uint64_t place;  ///< in the state
    std::uint32_t local, column;
    int seeds;
  };

  /// One item of the row at hand, with its prefix sums in the bytes of a word.
  struct Decoded {
    std::uint64_t prefixes;
    std::uint64_t holes;   ///< bit 7 of byte k: pit k is empty; where none is: holds one seed
    std::uint64_t always;  ///< all ones where a pit is empty: then the pattern does not matter for the hole
  };

  void search_threshold(int t);
  void expand(Sign sign);
  bool emit(Sign sign);
  bool emit_settled(Sign sign);
  bool emit_row(Sign sign, std::uint64_t local, int m);
  bool emit_position(PackedHalf a, int m, std::uint8_t mask, std::uint64_t column);
  void receive_positions(std::span<const std::byte> bytes);
  void sort_items();
  bool unsow(Sign sign);
  void open_row(Row& row, std::size_t first, std::size_t last, Sign sign);
  void decode(std::size_t first, std::size_t last, int mover);
  void find_columns(Row& row, const Pattern& p, std::size_t first, std::size_t last, int mover);
  void prefetch(const Row& row, const Row::Target& target, Sign sign) const;
  void apply_oldest(Sign sign);
  void count_down(std::uint64_t local, int m, std::uint64_t place, const std::uint32_t* columns,
                  std::size_t count);
  void settle_exhausted(std::size_t keep);
  bool send_others(const Row& row);
  void receive_updates(std::span<const std::byte> bytes, Sign sign);
  void apply(Sign sign, std::uint64_t local, int m, std::uint64_t place, const std::uint32_t* columns,
             std::size_t count);
  void settle(Sign sign, std::uint64_t local, int m, std::uint64_t place, const std::uint32_t* columns,
              std::size_t count);
  void agree();

  SliceState& state_;
  const Communicator& ranks_;
  Exchange& exchange_;
  const std::size_t batch_;
  const bool slams_stay_;
  int t_ = 0;

  /// Newly settled positions by sign, as long as they fit in a batch; what does not fit stays marked in the
  /// state.
  std::array<std::vector<Settled>, 2> settled_;
  std::size_t emit_settled_ = 0, emit_word_ = 0;
  std::vector<Item> items_, sorted_;
  /// The record under way in each slot of the exchange during emit, and of which call of begin_row() it is.
  struct OpenRecord {
    std::uint64_t row = 0;
    std::byte* header = nullptr;
  };
  std::vector<OpenRecord> open_records_;
  std::uint64_t emitting_row_ = 0;

  std::size_t next_item_ = 0;
  std::vector<Decoded> decoded_;
  std::vector<std::uint8_t> masks_;  ///< unsow_mask of the items of the row at hand
  std::vector<std::uint32_t> chosen_, hits_;
  /// Rows whose own updates are prefetched and wait to be applied, oldest first: a ring.
  static constexpr std::size_t kRing = 16;
  static constexpr std::size_t kUpdatesAhead = 256;
  std::array<Row, kRing> ring_;
  std::size_t oldest_ = 0, newest_ = 0;  ///< newest_ - oldest_ rows wait
  std::size_t waiting_updates_ = 0;
  std::vector<Exhausted> exhausted_;
  std::size_t next_exhausted_ = 0;
  bool row_open_ = false;
  std::size_t target_ = 0, column_ = 0;

  std::array<std::uint64_t, 2> all_pending_{};
  std::uint64_t all_settled_ = 0;
  bool underflow_ = false;
  RoundCounters counters_;
};

}  // namespace awele
