// Everything that settles positions: the search at a threshold, and the updates that predecessors receive.
// The layout of the state (meaning.hpp) is a type: it says where open moves are counted, and how.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "slice_state.hpp"

namespace awele {

/// Columns of one own state row with `seeds` seeds; `place` is that of its first column in the state.
struct RowUpdates {
  std::uint64_t local;
  std::uint64_t place;
  int seeds;
  std::span<const std::uint32_t> columns;
};

/// Open moves in the byte of the position: counting down shows at once what is lost.
class Joined {
 public:
  explicit Joined(SliceState& state);
  /// Starts threshold t.
  void begin(int t);
  /// Whether an open position has no open move, of those whose byte is open(-t, 0).
  bool no_move(std::uint64_t /*place*/) const { return true; }
  const void* counter(std::uint64_t place) const { return state_.codes.data() + place; }
  /// Takes one open move from each position. Puts the columns of those that are lost by it into `hits` and
  /// returns their number.
  std::size_t count_down(const RowUpdates& updates, std::uint32_t* hits);
  bool underflow() const { return underflow_; }

  /// count_down() finds what is lost, not only what has no open move.
  static constexpr bool kFindsLost = true;

 private:
  SliceState& state_;
  std::array<Code, 256> less_;  ///< Meaning::counted_down
  unsigned stuck_, lost_ = 0;   ///< the first byte without an open move; of those, the first that is lost
  bool underflow_ = false;
};

/// Open moves in an array of their own.
class Apart {
 public:
  explicit Apart(SliceState& state) : state_(state) {}
  void begin(int) {}
  bool no_move(std::uint64_t place) const { return state_.count(place) == 0; }
  const void* counter(std::uint64_t place) const { return state_.counts.data() + place / 2; }
  /// Takes one open move from each position. Puts the columns of those without any left into `hits` and
  /// returns their number.
  std::size_t count_down(const RowUpdates& updates, std::uint32_t* hits);
  bool underflow() const { return underflow_; }

  static constexpr bool kFindsLost = false;

 private:
  SliceState& state_;
  bool underflow_ = false;
};

template <typename Layout>
class StateUpdates {
 public:
  /// At most `most` newly settled positions of a sign are listed; what is more is marked in the state.
  StateUpdates(SliceState& state, std::size_t most);

  /// Starts threshold t: settles the open positions whose best exit is t, and those without an open inner
  /// move whose best exit is -t. Returns the number of 8-byte words looked at. With distances, `level` is 0,
  /// or where a restored state stood; then nothing is left to be settled here.
  std::uint64_t begin(int t, int level);

  /// With distances: positions at `level` plies from the next capture or the end are being expanded, and what
  /// they settle is one ply further away. Without, the level stays 0.
  int level() const { return level_; }
  /// All positions of the level are expanded. Throws awele::Error when distances no longer fit in 16 bits.
  void next_level();

  /// The predecessors in one row of positions worth -t (loss: they are worth +t) or +t (win: one open move
  /// less).
  void apply(Sign sign, const RowUpdates& updates);
  /// Asks for the cache lines that apply() will use.
  void prefetch(Sign sign, const RowUpdates& updates) const;
  /// After the last apply() of a round.
  void flush() { settle_exhausted(0); }

  /// A newly settled position: local state row << 24 | column.
  using Settled = std::uint64_t;
  static constexpr int kColumnBits = 24;
  /// The newly settled positions of a sign that are listed, to be expanded and then cleared by the caller.
  std::vector<Settled>& listed(Sign sign) { return listed_[set(sign)]; }
  /// The set of positions of a sign that are expanded now.
  std::size_t set(Sign sign) const { return pending_set(sign, level_); }
  /// Marks what is listed in the state and empties the lists.
  void mark_listed();
  /// All newly settled positions of a set, listed or marked.
  std::uint64_t pending(std::size_t set) const { return listed_[set].size() + state_.pending[set]; }

  std::uint64_t settled() const { return settled_; }  ///< so far
  std::uint64_t updates() const { return updates_; }
  /// A count of open moves went below zero: a fault.
  bool underflow() const { return layout_.underflow(); }

  static constexpr std::size_t kAhead = 256;  ///< updates between prefetch and use

 private:
  /// Apart: a position whose last open move was refuted, and whose byte is on its way from memory.
  struct Exhausted {
    std::uint64_t place;
    std::uint32_t local, column;
    int seeds;
  };
  void win(const RowUpdates& updates);
  void count_down(const RowUpdates& updates);
  bool is_over(const RowUpdates& row, std::uint32_t column, int value);
  void settle_exhausted(std::size_t keep);
  void settle_found(Sign sign, const RowUpdates& row);
  void settle(Sign sign, int level, const RowUpdates& row);
  int next() const { return state_.with_distances() ? level_ + 1 : 0; }

  SliceState& state_;
  Layout layout_;
  const std::size_t most_;
  int t_ = 0, level_ = 0;
  std::array<std::vector<Settled>, kPendingSets> listed_;
  std::vector<Exhausted> exhausted_;
  std::vector<std::uint32_t> hits_;
  std::uint64_t settled_ = 0, updates_ = 0;
};

}  // namespace awele
