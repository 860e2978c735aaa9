#include "rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "awele/solver/round_words.hpp"
#include "awele/support/error.hpp"
#include "byte_search.hpp"

namespace awele {

namespace {

/// Positions of one state row for one rank: a header of 48 bits, then places (2 or 4 bytes each). From the
/// lowest bit on: half (30), its seeds (6), its unsow_mask (7), count (5).
constexpr std::size_t kPositionsHeader = 6;
constexpr int kMostPositions = 31;

void put_header(std::byte* out, const StateRow& row) {
  const std::uint64_t header =
      std::uint64_t{row.half} | std::uint64_t{row.seeds} << 30 | std::uint64_t{row.mask} << 36;
  std::memcpy(out, &header, kPositionsHeader);
}

StateRow get_header(const std::byte* in, int& count) {
  std::uint64_t header = 0;
  std::memcpy(&header, in, kPositionsHeader);
  count = static_cast<int>(header >> 43);
  return {static_cast<PackedHalf>(header & ((std::uint64_t{1} << kPackedBits) - 1)),
          static_cast<std::uint8_t>(header >> 30 & 63), static_cast<std::uint8_t>(header >> 36 & 127)};
}

/// The count lies in the upper five bits of the last byte.
int positions_in(const std::byte* header) { return static_cast<int>(header[5]) >> 3; }
void count_position(std::byte* header) {
  header[5] = static_cast<std::byte>(static_cast<int>(header[5]) + 8);
}

/// Updates of one state row: the row, local at its owner (4 bytes), its seeds << 10 | count (2), then columns
/// (2 or 4 bytes each).
constexpr std::size_t kUpdatesHeader = 6;
constexpr int kCountBits = 10;
constexpr std::size_t kMostColumns = (1 << kCountBits) - 1;

/// Bytes in which numbers below `end` are sent.
std::size_t width(std::uint64_t end) { return end <= 65536 ? 2 : 4; }

void put(std::byte* out, std::size_t bytes, std::uint64_t value) {
  if (bytes == 2) {
    const auto narrow = static_cast<std::uint16_t>(value);
    std::memcpy(out, &narrow, sizeof narrow);
  } else {
    const auto wide = static_cast<std::uint32_t>(value);
    std::memcpy(out, &wide, sizeof wide);
  }
}

std::uint32_t get(const std::byte* in, std::size_t bytes) {
  if (bytes == 2) {
    std::uint16_t narrow;
    std::memcpy(&narrow, in, sizeof narrow);
    return narrow;
  }
  std::uint32_t wide;
  std::memcpy(&wide, in, sizeof wide);
  return wide;
}

}  // namespace

template <typename Layout>
Rounds<Layout>::Rounds(SliceState& state, const Communicator& ranks, Exchange& exchange, std::size_t batch)
    : state_(state),
      ranks_(ranks),
      exchange_(exchange),
      batch_(std::max<std::size_t>(batch, 64)),
      slot_batch_(std::max<std::size_t>(batch_ / static_cast<std::size_t>(ranks.size()), 1)),
      slams_stay_(state.rules == RuleSet::abapa),
      updates_(state, batch_),
      open_records_(static_cast<std::size_t>(ranks.size())),
      block_(slams_stay_) {}

std::uint64_t rounds_memory(std::size_t batch, int ranks, bool with_distances) {
  // Items twice, for sorting; settled positions by pending set.
  const std::uint64_t items =
      batch + (ranks > 1 ? std::max<std::uint64_t>(batch, static_cast<std::uint64_t>(ranks)) : 0);
  return 2 * sizeof(FrontierItem) * items +
         (with_distances ? 4 : 2) * sizeof(StateUpdates<Apart>::Settled) * batch;
}

template <typename Layout>
void Rounds<Layout>::run(int from, int level, std::uint64_t settled_before, const RoundHooks& hooks) {
  hooks_ = &hooks;
  settled_before_ = settled_before;
  restored_ = std::accumulate(state_.pending.begin(), state_.pending.end(), std::uint64_t{0});
  for (t_ = from; t_ >= 1; --t_) {
    ++counters_.thresholds;
    counters_.words_touched += updates_.begin(t_, std::exchange(level, 0));
    agree();
    heed_wish();
    while (std::accumulate(all_pending_.begin(), all_pending_.end(), std::uint64_t{0}) > 0) {
      // Wins first: then the losses they make are expanded together with those already there. With distances
      // they are of the next level, and wait.
      for (const Sign sign : {Sign::win, Sign::loss})
        if (all_pending_[updates_.set(sign)] > 0) expand(sign);
      updates_.next_level();
      ++counters_.rounds;
      hooks.progress({t_, all_settled_});
      heed_wish();
    }
  }
  finish_counters();
}

template <typename Layout>
void Rounds<Layout>::finish_counters() {
  counters_.settled = updates_.settled();
  counters_.updates = updates_.updates();
  counters_.candidates = block_.candidates();
  if (ranks_.sum(counters_.predecessors) != ranks_.sum(counters_.updates) ||
      ranks_.any(counters_.settled + restored_ != counters_.expanded))
    throw Error("updates were lost or settled positions not expanded; this is a bug, please report it");
}

/// One reduction: what is pending on all ranks, how much is settled, whether a count went wrong anywhere,
/// what the ranks wish (one counter a wish).
template <typename Layout>
void Rounds<Layout>::agree() {
  constexpr std::size_t settled = kPendingSets, underflow = settled + 1, wishes = underflow + 1;
  std::array<std::uint64_t, wishes + 4> all{};
  static_assert(all.size() == kRoundWords);
  for (std::size_t set = 0; set < kPendingSets; ++set) all[set] = updates_.pending(set);
  all[settled] = updates_.settled();
  all[underflow] = updates_.underflow();
  ++all[wishes + static_cast<std::size_t>(hooks_->wish())];
  ranks_.sum(all);
  std::copy_n(all.begin(), kPendingSets, all_pending_.begin());
  all_settled_ = settled_before_ + all[settled];
  std::size_t most = 3;
  while (all[wishes + most] == 0) --most;
  all_wish_ = std::max(all_wish_, static_cast<Wish>(most));
  if (all[underflow]) throw Error("a count of open moves went below zero; this is a bug, please report it");
}

template <typename Layout>
void Rounds<Layout>::heed_wish() {
  const Wish wish = std::exchange(all_wish_, Wish::go_on);
  if (wish != Wish::go_on) hooks_->heed(wish);
}

template <typename Layout>
void Rounds<Layout>::expand(Sign sign) {
  emit_listed_ = emit_word_ = 0;
  bool more = true;
  while (more) {
    ++counters_.batches;
    items_.clear();
    const bool emitted = emit(sign);
    if (emitted) updates_.listed(sign).clear();
    exchange_.run([&](int, std::span<const std::byte> bytes) { receive_positions(bytes); });
    sort_items();
    bool done = false, all_done = false;
    while (!all_done) {
      done = done || unsow(sign);
      exchange_.run([&](int, std::span<const std::byte> bytes) { receive_updates(bytes, sign); });
      std::array<std::uint64_t, 2> left = {!done, !emitted};
      if (ranks_.size() > 1) ranks_.sum(left);
      all_done = left[0] == 0;
      more = left[1] != 0;
    }
  }
  agree();
}

// ------------------------------------------------------------------------------------------ emit

/// Hands on pending positions, row by row, until none is left (true) or the batch or a slot is full (false).
template <typename Layout>
bool Rounds<Layout>::emit(Sign sign) {
  for (auto& record : open_records_) record = {};
  if (!emit_listed(sign)) return false;
  const std::size_t set = updates_.set(sign);
  auto& bits = state_.pending_rows[set];
  if (state_.pending[set] == 0) return true;
  for (; emit_word_ < bits.size(); ++emit_word_) {
    while (bits[emit_word_]) {
      const std::uint64_t local =
          emit_word_ * 64 + static_cast<std::uint64_t>(std::countr_zero(bits[emit_word_]));
      if (!emit_row(sign, local)) return false;
      bits[emit_word_] &= bits[emit_word_] - 1;
    }
  }
  counters_.words_touched += bits.size();
  return true;
}

template <typename Layout>
bool Rounds<Layout>::emit_listed(Sign sign) {
  const std::vector<typename Updates::Settled>& list = updates_.listed(sign);
  std::uint64_t row = ~std::uint64_t{0};
  for (; emit_listed_ < list.size(); ++emit_listed_) {
    const std::uint64_t local = list[emit_listed_] >> Updates::kColumnBits;
    if (local != row) begin_row(row = local);
    const std::uint64_t column = list[emit_listed_] & ((std::uint64_t{1} << Updates::kColumnBits) - 1);
    if (!emit_position(column)) return false;
    ++counters_.expanded;
  }
  return true;
}

template <typename Layout>
bool Rounds<Layout>::emit_row(Sign sign, std::uint64_t local) {
  begin_row(local);
  const std::size_t s = updates_.set(sign);
  const Code pending = state_.meaning.pending(s),
             settled = state_.meaning.settled(sign == Sign::win ? t_ : -t_);
  const int m = state_.row_info[local].seeds;
  const std::uint64_t stride = state_.stride(m);
  const int shift = state_.segment_shift(m);
  Code* codes = state_.codes.data() + state_.offset(local, m);
  std::uint64_t& segments = state_.pending_segments[s][local];
  while (segments) {
    // A run of marked segments is one range of columns, searched by aligned words.
    const int first = std::countr_zero(segments);
    const int run = std::countr_one(segments >> first);
    const std::uint64_t begin = (static_cast<std::uint64_t>(first) << shift) & ~std::uint64_t{7};
    const std::uint64_t end = std::min(stride, static_cast<std::uint64_t>(first + run) << shift);
    for (std::uint64_t c = begin; c < end; c += 8) {
      for (std::uint64_t hits = equal_bytes(load_word(codes + c), pending); hits; hits &= hits - 1) {
        const std::uint64_t column = c + static_cast<std::uint64_t>(std::countr_zero(hits)) / 8;
        if (!emit_position(column)) return false;
        codes[column] = settled;
        --state_.pending[s];
        ++counters_.expanded;
      }
    }
    counters_.words_touched += (end - begin + 7) / 8;
    segments = run == 64 ? 0 : segments & ~(((std::uint64_t{1} << run) - 1) << first);
  }
  return true;
}

/// The positions that follow lie in own state row `local`.
template <typename Layout>
void Rounds<Layout>::begin_row(std::uint64_t local) {
  const StateRow& row = state_.row_info[local];
  const int waiting = state_.n - row.seeds;
  const std::uint64_t base = state_.frontier.base(waiting);
  ++emitting_.serial;
  emitting_.row = row;
  emitting_.base = base;
  emitting_.first = state_.frontier.local(base);
  emitting_.bytes = place_width(waiting);
}

/// Bytes in which the places of frontier rows are sent, relative to the first of their block.
template <typename Layout>
std::size_t Rounds<Layout>::place_width(int waiting) const {
  return width(hole_count(waiting) / static_cast<std::uint64_t>(state_.ranks) + 2);
}

template <typename Layout>
bool Rounds<Layout>::emit_position(std::uint64_t column) {
  const std::uint64_t row = emitting_.base + column;
  const int owner = state_.frontier.owner(row);
  const std::uint64_t local = state_.frontier.local(row);
  if (owner == state_.rank) {
    if (items_.size() >= batch_) return false;
    items_.push_back(frontier_item::make(local, emitting_.row.mask, emitting_.row.half));
    return true;
  }
  OpenRecord& record = open_records_[static_cast<std::size_t>(owner)];
  const bool fresh = record.serial != emitting_.serial || positions_in(record.header) == kMostPositions;
  if (record.positions == slot_batch_ ||
      exchange_.room(owner) < emitting_.bytes + (fresh ? kPositionsHeader : 0))
    return false;
  if (fresh) {
    record.serial = emitting_.serial;
    record.header = exchange_.end(owner);
    put_header(record.header, emitting_.row);
    exchange_.add(owner, kPositionsHeader);
  }
  // The block's first row has the same local number, or one less, on every rank.
  put(exchange_.end(owner), emitting_.bytes, local - emitting_.first);
  exchange_.add(owner, emitting_.bytes);
  count_position(record.header);
  ++record.positions;
  return true;
}

template <typename Layout>
void Rounds<Layout>::receive_positions(std::span<const std::byte> bytes) {
  const std::byte* in = bytes.data();
  const std::byte* end = in + bytes.size();
  while (in < end) {
    int count = 0;
    const StateRow row = get_header(in, count);
    in += kPositionsHeader;
    const int waiting = state_.n - row.seeds;
    const std::uint64_t first = state_.frontier.local(state_.frontier.base(waiting));
    const std::size_t size = place_width(waiting);
    for (int k = 0; k < count; ++k, in += size)
      items_.push_back(frontier_item::make(first + get(in, size), row.mask, row.half));
  }
}

/// Brings the positions of each frontier row together.
template <typename Layout>
void Rounds<Layout>::sort_items() {
  next_item_ = block_begin_ = block_end_ = 0;
  const int bits = std::bit_width(state_.frontier.local_rows());
  if (items_.size() < 4096) {
    std::sort(items_.begin(), items_.end());
    return;
  }
  const int passes = (bits + 10) / 11, digit = (bits + passes - 1) / passes;
  sorted_.resize(items_.size());
  std::vector<std::uint32_t> start(std::size_t{1} << digit);
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = frontier_item::kRowShift + pass * digit;
    const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
    std::fill(start.begin(), start.end(), 0);
    for (FrontierItem item : items_) ++start[item >> shift & mask];
    std::uint32_t at = 0;
    for (auto& place : start) at += std::exchange(place, at);
    for (FrontierItem item : items_) sorted_[start[item >> shift & mask]++] = item;
    items_.swap(sorted_);
  }
}

// ------------------------------------------------------------------------------------------ un-sow

/// Goes through the frontier rows of the batch; false when the slot of some rank is full.
template <typename Layout>
bool Rounds<Layout>::unsow(Sign sign) {
  for (;;) {
    if (!send_foreign()) return false;
    if (next_item_ == block_end_) {
      apply_own(sign, 0);
      if (!load_block()) break;
    }
    open_row(sign);
    apply_own(sign, Updates::kAhead);
  }
  updates_.flush();
  return true;
}

/// The next items whose rows have equal seeds, whole rows where possible; false when there are none.
template <typename Layout>
bool Rounds<Layout>::load_block() {
  block_begin_ = block_end_;
  if (block_begin_ == items_.size()) return false;
  const std::uint64_t first = frontier_item::row(items_[block_begin_]);
  waiting_ = state_.frontier.seeds_of(first);
  const std::uint64_t limit = state_.frontier.local_base(waiting_ + 1);
  const std::size_t most = std::min(items_.size(), block_begin_ + UnsowBlock::kMostItems);
  while (block_end_ < most && frontier_item::row(items_[block_end_]) < limit) ++block_end_;
  block_.load(std::span(items_).subspan(block_begin_, block_end_ - block_begin_), state_.n - waiting_);
  next_item_ = block_begin_;
  return true;
}

/// The updates that the items of the next row lead to: own ones prefetched and queued, others ready to be
/// sent.
template <typename Layout>
void Rounds<Layout>::open_row(Sign sign) {
  ++counters_.rows_unsown;
  const std::uint64_t local = frontier_item::row(items_[next_item_]);
  const std::size_t first = next_item_ - block_begin_;
  while (next_item_ < block_end_ && frontier_item::row(items_[next_item_]) == local) ++next_item_;
  const std::size_t last = next_item_ - block_begin_;
  foreign_.clear();
  next_foreign_ = next_column_ = 0;
  const PrefixSums x = prefix_sums(state_.frontier_halves[local], waiting_);
  each_unsowing(x, state_.n - waiting_, [&](const Unsowing& back) {
    const std::span<const std::uint32_t> columns = block_.columns(back.laid, first, last);
    if (columns.empty()) return;
    counters_.predecessors += columns.size();
    const int m = waiting_ + back.given;
    const std::uint64_t number = state_.rows.base(m) + rank_of(back.before);
    if (state_.rows.owner(number) != state_.rank) {
      foreign_.push_back({number, m, columns});
      return;
    }
    const std::uint64_t own = state_.rows.local(number);
    own_.push_back({own, state_.offset(own, m), m, columns});
    own_waiting_ += columns.size();
    updates_.prefetch(sign, own_.back());
  });
}

/// Applies queued updates, oldest first, until at most `ahead` are left.
template <typename Layout>
void Rounds<Layout>::apply_own(Sign sign, std::size_t ahead) {
  for (; own_waiting_ > ahead; ++next_own_) {
    own_waiting_ -= own_[next_own_].columns.size();
    updates_.apply(sign, own_[next_own_]);
  }
  if (next_own_ < own_.size()) return;
  own_.clear();
  next_own_ = 0;
}

/// Sends the updates of rows of other ranks; false when a slot is full.
template <typename Layout>
bool Rounds<Layout>::send_foreign() {
  for (; next_foreign_ < foreign_.size(); ++next_foreign_, next_column_ = 0) {
    const Foreign& target = foreign_[next_foreign_];
    const int owner = state_.rows.owner(target.row);
    const std::size_t bytes = width(state_.columns(target.seeds));
    while (next_column_ < target.columns.size()) {
      const std::size_t room = exchange_.room(owner);
      if (room < kUpdatesHeader + bytes) return false;
      const std::size_t take =
          std::min({(room - kUpdatesHeader) / bytes, target.columns.size() - next_column_, kMostColumns});
      std::byte* out = exchange_.end(owner);
      put(out, 4, state_.rows.local(target.row));
      put(out + 4, 2, static_cast<std::uint64_t>(target.seeds) << kCountBits | take);
      out += kUpdatesHeader;
      for (std::size_t k = 0; k < take; ++k, out += bytes) put(out, bytes, target.columns[next_column_ + k]);
      exchange_.add(owner, kUpdatesHeader + take * bytes);
      next_column_ += take;
    }
  }
  return true;
}

/// Applies a message in groups of some hundred updates, each prefetched while the one before is applied.
template <typename Layout>
void Rounds<Layout>::receive_updates(std::span<const std::byte> bytes, Sign sign) {
  const std::byte* in = bytes.data();
  const std::byte* end = in + bytes.size();
  while (in < end) {
    in = read_group(in, end, arriving_);
    for (const RowUpdates& each : arriving_.updates) updates_.prefetch(sign, each);
    for (const RowUpdates& each : arrived_.updates) updates_.apply(sign, each);
    arrived_.updates.clear();
    std::swap(arriving_, arrived_);
  }
  for (const RowUpdates& each : arrived_.updates) updates_.apply(sign, each);
  arrived_.updates.clear();
  updates_.flush();
}

template <typename Layout>
const std::byte* Rounds<Layout>::read_group(const std::byte* in, const std::byte* end, Group& group) const {
  group.updates.clear();
  group.columns.resize(Updates::kAhead + kMostColumns);
  std::size_t used = 0;
  while (in < end && used < Updates::kAhead) {
    const std::uint64_t local = get(in, 4);
    const std::uint32_t seeds_and_count = get(in + 4, 2);
    const int m = static_cast<int>(seeds_and_count >> kCountBits);
    const std::size_t count = seeds_and_count & kMostColumns;
    in += kUpdatesHeader;
    const std::size_t size = width(state_.columns(m));
    std::uint32_t* columns = group.columns.data() + used;
    for (std::size_t k = 0; k < count; ++k, in += size) columns[k] = get(in, size);
    used += count;
    group.updates.push_back({local, state_.offset(local, m), m, {columns, count}});
  }
  return in;
}

template class Rounds<Joined>;
template class Rounds<Apart>;

}  // namespace awele
