#include "rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "awele/support/error.hpp"

namespace awele {

namespace {

constexpr int kRowShift = kPackedBits + 7;

/// Positions of one state row for one rank: half (4 bytes), its seeds (1), count (1), then places (2 or 4
/// each).
constexpr std::size_t kPositionsHeader = 6;

/// Updates of one state row: the row, local at its owner (4 bytes), count (2), then columns (2 or 4 each).
constexpr std::size_t kUpdatesHeader = 6;

/// Bytes in which numbers below `end` are sent.
std::size_t width(std::uint64_t end) { return end <= 65536 ? 2 : 4; }

void put(std::byte* out, std::size_t bytes, std::uint64_t value) { std::memcpy(out, &value, bytes); }
std::uint32_t get(const std::byte* in, std::size_t bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, in, bytes);
  return value;
}

/// Bit 7 of each byte of `word` that equals `c`, exactly.
std::uint64_t equal_bytes(std::uint64_t word, Code c) {
  constexpr std::uint64_t ones = 0x0101010101010101u, low = 0x7f7f7f7f7f7f7f7fu;
  word ^= ones * c;
  return ~(((word & low) + low) | word | low);
}

std::uint64_t load_word(const void* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Codes that are compared at a time; rows are padded to multiples of it.
constexpr std::size_t kLane = 16;

/// Whether one of the kLane codes from `at` on is `a` or `b`.
bool holds_either(const Code* at, Code a, Code b) {
  using Lane [[gnu::vector_size(kLane)]] = Code;
  using Words [[gnu::vector_size(kLane)]] = std::uint64_t;
  Lane codes;
  std::memcpy(&codes, at, sizeof codes);
  const auto hits = reinterpret_cast<Words>((codes == a) | (codes == b));
  return (hits[0] | hits[1]) != 0;
}

constexpr std::array<Code, 2> kPendingCode = {code::pending_win, code::pending_loss};

}  // namespace

Rounds::Rounds(SliceState& state, const Communicator& ranks, Exchange& exchange, std::size_t batch)
    : state_(state),
      ranks_(ranks),
      exchange_(exchange),
      batch_(std::max<std::size_t>(batch, 64)),
      slams_stay_(state.rules == RuleSet::abapa),
      open_records_(static_cast<std::size_t>(ranks.size())),
      decoded_(Row::kMostItems),
      masks_(Row::kMostItems),
      chosen_(Row::kMostItems) {
  for (auto& list : settled_) list.reserve(batch_);
}

std::uint64_t Rounds::memory(std::size_t batch, std::size_t exchange_capacity, int ranks) {
  // Items twice, for sorting; a received position takes at least two bytes.
  const std::uint64_t received = ranks > 1 ? exchange_capacity / 2 : 0;
  return 2 * sizeof(Item) * (batch + received) + 2 * sizeof(Settled) * batch;
}

void Rounds::run(const std::function<void(const RoundProgress&)>& progress) {
  for (t_ = state_.n; t_ >= 1; --t_) {
    ++counters_.thresholds;
    search_threshold(t_);
    agree();
    while (all_pending_[0] + all_pending_[1] > 0) {
      // Losses first would meet counts that the wins are about to lower: winners first, then all losers at
      // once.
      if (all_pending_[0] > 0) expand(Sign::win);
      if (all_pending_[1] > 0) expand(Sign::loss);
      ++counters_.rounds;
      progress({t_, all_settled_});
    }
  }
  if (ranks_.sum(counters_.predecessors) != ranks_.sum(counters_.updates) ||
      counters_.settled != counters_.expanded)
    throw Error("updates were lost or settled positions not expanded; this is a fault of the program");
}

// ------------------------------------------------------------------------------------------ thresholds

/// Finds the open positions whose best exit is t, and those without an open inner move whose best exit is -t.
void Rounds::search_threshold(int t) {
  const Code win = code::open_exit(t), loss = code::open_exit(-t);
  const std::uint64_t bit = std::uint64_t{1} << t;
  std::array<std::vector<std::uint32_t>, 2> found;
  for (int m = 0; m <= state_.n; ++m)
    for (std::uint64_t local = state_.rows.local_base(m); local < state_.rows.local_base(m + 1); ++local) {
      if (!(state_.exits_of_row[local] & bit)) continue;
      const std::uint64_t place = state_.offset(local, m);
      found[0].clear();
      found[1].clear();
      const Code* row = state_.codes.data() + place;
      for (std::uint64_t c = 0; c < state_.stride(m); c += kLane) {
        if (!holds_either(row + c, win, loss)) continue;
        for (std::uint64_t k = c; k < c + kLane; ++k) {
          if (row[k] == win) found[0].push_back(static_cast<std::uint32_t>(k));
          if (row[k] == loss && state_.count(place + k) == 0)
            found[1].push_back(static_cast<std::uint32_t>(k));
        }
      }
      counters_.words_touched += state_.stride(m) / 8;
      settle(Sign::win, local, m, place, found[0].data(), found[0].size());
      settle(Sign::loss, local, m, place, found[1].data(), found[1].size());
    }
}

/// One reduction: what is pending on all ranks, how much is settled, whether a count went wrong anywhere.
void Rounds::agree() {
  std::array<std::uint64_t, 4> all = {state_.pending[0] + settled_[0].size(),
                                      state_.pending[1] + settled_[1].size(), counters_.settled, underflow_};
  ranks_.sum(all);
  all_pending_ = {all[0], all[1]};
  all_settled_ = all[2];
  if (all[3]) throw Error("a count of open moves went below zero; this is a fault of the program");
}

// ------------------------------------------------------------------------------------------ a round

void Rounds::expand(Sign sign) {
  emit_settled_ = emit_word_ = 0;
  bool more = true;
  while (more) {
    ++counters_.batches;
    items_.clear();
    const bool emitted = emit(sign);
    if (emitted) settled_[static_cast<std::size_t>(sign)].clear();
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
bool Rounds::emit(Sign sign) {
  for (auto& record : open_records_) record = {};
  if (!emit_settled(sign)) return false;
  auto& bits = state_.pending_rows[static_cast<std::size_t>(sign)];
  if (state_.pending[static_cast<std::size_t>(sign)] == 0) return true;
  int m = 0;
  for (; emit_word_ < bits.size(); ++emit_word_) {
    while (bits[emit_word_]) {
      const std::uint64_t local =
          emit_word_ * 64 + static_cast<std::uint64_t>(std::countr_zero(bits[emit_word_]));
      while (local >= state_.rows.local_base(m + 1)) ++m;
      if (!emit_row(sign, local, m)) return false;
      bits[emit_word_] &= bits[emit_word_] - 1;
    }
  }
  counters_.words_touched += bits.size();
  return true;
}

bool Rounds::emit_settled(Sign sign) {
  const std::vector<Settled>& list = settled_[static_cast<std::size_t>(sign)];
  std::uint64_t row = ~std::uint64_t{0};
  PackedHalf half = 0;
  std::uint8_t mask = 0;
  int m = 0;
  for (; emit_settled_ < list.size(); ++emit_settled_) {
    const std::uint64_t local = list[emit_settled_] >> kColumnBits;
    if (local != row) {
      row = local;
      m = state_.row_seeds(local);
      half = state_.halves[local];
      mask = unsow_mask(pit_sets(unpack(half, m)), slams_stay_);
      ++emitting_row_;
    }
    if (!emit_position(half, m, mask, list[emit_settled_] & ((Settled{1} << kColumnBits) - 1))) return false;
    ++counters_.expanded;
  }
  return true;
}

bool Rounds::emit_row(Sign sign, std::uint64_t local, int m) {
  const auto s = static_cast<std::size_t>(sign);
  const Code pending = kPendingCode[s], settled = code::settled(sign == Sign::win ? t_ : -t_);
  const PackedHalf half = state_.halves[local];
  const std::uint8_t mask = unsow_mask(pit_sets(unpack(half, m)), slams_stay_);
  const std::uint64_t stride = state_.stride(m);
  const int shift = state_.segment_shift(m);
  Code* codes = state_.codes.data() + state_.offset(local, m);
  ++emitting_row_;
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
        if (!emit_position(half, m, mask, column)) return false;
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

bool Rounds::emit_position(PackedHalf a, int m, std::uint8_t mask, std::uint64_t column) {
  const int waiting = state_.n - m;
  const std::uint64_t base = state_.frontier.base(waiting), row = base + column;
  const int owner = state_.frontier.owner(row);
  const std::uint64_t local = state_.frontier.local(row);
  if (owner == state_.rank) {
    if (items_.size() >= batch_) return false;
    items_.push_back(local << kRowShift | std::uint64_t{mask} << kPackedBits | a);
    return true;
  }
  // Rows are sent relative to the block's first, which is the same number (or one less) on every rank.
  const std::uint64_t first = state_.frontier.local(base);
  const std::size_t bytes = width(hole_count(waiting) / static_cast<std::uint64_t>(state_.ranks) + 2);
  OpenRecord& record = open_records_[static_cast<std::size_t>(owner)];
  const bool fresh = record.row != emitting_row_ || record.header[5] == std::byte{255};
  if (exchange_.room(owner) < bytes + (fresh ? kPositionsHeader : 0)) return false;
  if (fresh) {
    record = {emitting_row_, exchange_.end(owner)};
    put(record.header, 4, a);
    put(record.header + 4, 2, static_cast<std::uint64_t>(m));
    exchange_.add(owner, kPositionsHeader);
  }
  put(exchange_.end(owner), bytes, local - first);
  exchange_.add(owner, bytes);
  record.header[5] = static_cast<std::byte>(static_cast<int>(record.header[5]) + 1);
  return true;
}

void Rounds::receive_positions(std::span<const std::byte> bytes) {
  const std::byte* in = bytes.data();
  const std::byte* end = in + bytes.size();
  while (in < end) {
    const PackedHalf half = get(in, 4);
    const int m = static_cast<int>(in[4]), count = static_cast<int>(in[5]);
    in += kPositionsHeader;
    const int waiting = state_.n - m;
    const std::uint64_t first = state_.frontier.local(state_.frontier.base(waiting));
    const std::size_t size = width(hole_count(waiting) / static_cast<std::uint64_t>(state_.ranks) + 2);
    const std::uint64_t tail =
        std::uint64_t{unsow_mask(pit_sets(unpack(half, m)), slams_stay_)} << kPackedBits | half;
    for (int k = 0; k < count; ++k, in += size) items_.push_back((first + get(in, size)) << kRowShift | tail);
  }
}

/// Brings the positions of each frontier row together.
void Rounds::sort_items() {
  next_item_ = 0;
  row_open_ = false;
  const int bits = std::bit_width(state_.frontier.local_rows());
  if (items_.size() < 4096) {
    std::sort(items_.begin(), items_.end());
    return;
  }
  const int passes = (bits + 10) / 11, digit = (bits + passes - 1) / passes;
  sorted_.resize(items_.size());
  std::vector<std::uint32_t> start(std::size_t{1} << digit);
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = kRowShift + pass * digit;
    const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
    std::fill(start.begin(), start.end(), 0);
    for (Item item : items_) ++start[item >> shift & mask];
    std::uint32_t at = 0;
    for (auto& place : start) at += std::exchange(place, at);
    for (Item item : items_) sorted_[start[item >> shift & mask]++] = item;
    items_.swap(sorted_);
  }
}

// ------------------------------------------------------------------------------------------ un-sow

/// Goes through the frontier rows of the batch; false when the slot of some rank is full. Own rows are
/// updated some hundred updates late, so that what was prefetched has time to arrive.
bool Rounds::unsow(Sign sign) {
  for (;;) {
    if (!row_open_) {
      if (next_item_ == items_.size()) break;
      const std::uint64_t local = items_[next_item_] >> kRowShift;
      std::size_t last = next_item_ + 1;
      while (last < items_.size() && last - next_item_ < Row::kMostItems &&
             items_[last] >> kRowShift == local)
        ++last;
      while (newest_ - oldest_ == kRing || (waiting_updates_ > kUpdatesAhead && newest_ > oldest_))
        apply_oldest(sign);
      open_row(ring_[newest_ % kRing], next_item_, last, sign);
      next_item_ = last;
      row_open_ = true;
      target_ = column_ = 0;
    }
    if (!send_others(ring_[newest_ % kRing])) return false;
    row_open_ = false;
    waiting_updates_ += ring_[newest_++ % kRing].updates;
  }
  while (newest_ > oldest_) apply_oldest(sign);
  settle_exhausted(0);
  return true;
}

void Rounds::open_row(Row& row, std::size_t first, std::size_t last, Sign sign) {
  ++counters_.rows_unsown;
  const std::uint64_t local = items_[first] >> kRowShift;
  const int waiting = state_.frontier.seeds_of(local), mover = state_.n - waiting;
  row.columns.clear();
  row.lists.fill({});
  row.own.clear();
  row.others.clear();
  row.updates = 0;
  decode(first, last, mover);
  each_unsowing(unpack(state_.frontier_halves[local], waiting), mover, [&](const Unsowing& back) {
    const int list = 7 * back.laid.q + back.laid.j;
    Row::List& columns = row.lists[static_cast<std::size_t>(list)];
    if (columns.begin > columns.end) {
      columns.begin = row.columns.size();
      find_columns(row, back.laid, first, last, mover);
      columns.end = row.columns.size();
    }
    const std::size_t count = columns.end - columns.begin;
    if (count == 0) return;
    counters_.predecessors += count;
    const int m = waiting + back.given;
    std::uint32_t above = 0;
    int prefix = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      prefix += back.before[k];
      above += kRanks.any[k][static_cast<std::size_t>(prefix)];
    }
    const std::uint64_t number = state_.rows.base(m) + half_count(m) - 1 - above;
    if (state_.rows.owner(number) != state_.rank) {
      row.others.push_back({number, 0, m, list});
      return;
    }
    const std::uint64_t own = state_.rows.local(number);
    row.own.push_back({own, state_.offset(own, m), m, list});
    row.updates += count;
    prefetch(row, row.own.back(), sign);
  });
}

void Rounds::decode(std::size_t first, std::size_t last, int mover) {
  constexpr std::uint64_t ones = 0x010101010101u, tops = 0x808080808080u, low = 0x7f7f7f7f7f7fu;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t half = items_[i];
    const std::uint64_t prefixes = (half & 63) | (half & 63 << 6) << 2 | (half & 63 << 12) << 4 |
                                   (half & 63 << 18) << 6 | (half & std::uint64_t{63} << 24) << 8 |
                                   static_cast<std::uint64_t>(mover) << 40;
    const std::uint64_t pits = prefixes - (prefixes << 8 & 0xffffffffffffu);
    const std::uint64_t empty = ~(pits + low) & tops;  // pits stay below 128: no carry between bytes
    const std::uint64_t single = ~((pits ^ ones) + low) & tops;
    masks_[i - first] = static_cast<std::uint8_t>(half >> kPackedBits & 127);
    decoded_[i - first] = {prefixes, empty ? empty : single, empty ? ~std::uint64_t{0} : 0};
  }
}

/// Appends the columns of the predecessors of items [first, last) by pattern `p`.
void Rounds::find_columns(Row& row, const Pattern& p, std::size_t first, std::size_t last, int mover) {
  const std::size_t count = last - first;
  counters_.candidates += count;
  std::size_t chosen = 0;
  if (p.q == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      chosen_[chosen] = static_cast<std::uint32_t>(i);
      chosen += masks_[i] >> p.j & 1;
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const Half y =
          unpack(static_cast<PackedHalf>(items_[first + i] & ((std::uint64_t{1} << kPackedBits) - 1)), mover);
      if (can_unsow(y, pit_sets(y), p, slams_stay_)) chosen_[chosen++] = static_cast<std::uint32_t>(i);
    }
  }
  const int before = mover - p.given();  // seeds of the waiting half before the move
  std::uint64_t laid = 0, reached = 0;   // prefix sums of the pattern; bytes of the first j pits
  for (int k = 0; k < 5; ++k)
    laid |= static_cast<std::uint64_t>(p.q * (k + 1) + std::min(k + 1, p.j)) << (8 * k);
  for (int k = 0; k < p.j; ++k) reached |= std::uint64_t{0xff} << (8 * k);
  const std::size_t start = row.columns.size();
  row.columns.resize(start + chosen);
  for (std::size_t c = 0; c < chosen; ++c) {
    const Decoded& item = decoded_[chosen_[c]];
    const std::uint64_t prefixes = item.prefixes - laid;
    std::size_t z;
    if (p.q == 0) {
      z = static_cast<std::size_t>(63 - std::countl_zero(item.holes & (reached | item.always))) / 8;
    } else {
      z = 5;  // the highest pit that the pattern empties
      const std::uint64_t pits = item.prefixes - (item.prefixes << 8);
      while ((pits >> (8 * z) & 0xff) != static_cast<std::uint64_t>(p.at(static_cast<int>(z)))) --z;
    }
    const auto& table = kRanks.hole[z];
    row.columns[start + c] = kRanks.hole_base[z == 5][static_cast<std::size_t>(before)] -
                             table[0][prefixes & 0xff] - table[1][prefixes >> 8 & 0xff] -
                             table[2][prefixes >> 16 & 0xff] - table[3][prefixes >> 24 & 0xff] -
                             table[4][prefixes >> 32 & 0xff];
  }
}

void Rounds::prefetch(const Row& row, const Row::Target& target, Sign sign) const {
  const Row::List& list = row.lists[static_cast<std::size_t>(target.list)];
  if (sign == Sign::loss)
    for (std::size_t k = list.begin; k < list.end; ++k)
      __builtin_prefetch(state_.codes.data() + target.place + row.columns[k], 1);
  else
    for (std::size_t k = list.begin; k < list.end; ++k)
      __builtin_prefetch(state_.counts.data() + (target.place + row.columns[k]) / 2, 1);
}

/// Sends the updates of rows of other ranks; false when a slot is full.
bool Rounds::send_others(const Row& row) {
  for (; target_ < row.others.size(); ++target_, column_ = 0) {
    const Row::Target& target = row.others[target_];
    const Row::List& list = row.lists[static_cast<std::size_t>(target.list)];
    const int owner = state_.rows.owner(target.row);
    const std::size_t bytes = width(state_.columns(target.seeds));
    while (list.begin + column_ < list.end) {
      const std::size_t room = exchange_.room(owner);
      if (room < kUpdatesHeader + bytes) return false;
      const std::size_t take = std::min({(room - kUpdatesHeader) / bytes, list.end - list.begin - column_,
                                         std::size_t{std::numeric_limits<std::uint16_t>::max()}});
      std::byte* out = exchange_.end(owner);
      put(out, 4, state_.rows.local(target.row));
      put(out + 4, 2, take);
      out += kUpdatesHeader;
      for (std::size_t k = 0; k < take; ++k, out += bytes)
        put(out, bytes, row.columns[list.begin + column_ + k]);
      exchange_.add(owner, kUpdatesHeader + take * bytes);
      column_ += take;
    }
  }
  return true;
}

// ------------------------------------------------------------------------------------------ apply

void Rounds::apply_oldest(Sign sign) {
  const Row& row = ring_[oldest_++ % kRing];
  waiting_updates_ -= row.updates;
  for (const Row::Target& target : row.own) {
    const Row::List& list = row.lists[static_cast<std::size_t>(target.list)];
    apply(sign, target.row, target.seeds, target.place, row.columns.data() + list.begin,
          list.end - list.begin);
  }
}

void Rounds::receive_updates(std::span<const std::byte> bytes, Sign sign) {
  const std::byte* in = bytes.data();
  const std::byte* end = in + bytes.size();
  std::vector<std::uint32_t> columns;
  while (in < end) {
    const std::uint64_t local = get(in, 4);
    const std::size_t count = get(in + 4, 2);
    in += kUpdatesHeader;
    const int m = state_.row_seeds(local);
    const std::size_t size = width(state_.columns(m));
    columns.resize(count);
    for (std::size_t k = 0; k < count; ++k, in += size) columns[k] = get(in, size);
    apply(sign, local, m, state_.offset(local, m), columns.data(), count);
  }
  settle_exhausted(0);
}

/// The predecessors in one state row of positions worth +t (`sign` win: count down) or -t (loss: settle at
/// +t).
void Rounds::apply(Sign sign, std::uint64_t local, int m, std::uint64_t place, const std::uint32_t* columns,
                   std::size_t count) {
  counters_.updates += count;
  hits_.resize(std::max(hits_.size(), count));
  if (sign == Sign::loss) {
    std::size_t hits = 0;
    for (std::size_t k = 0; k < count; ++k) {
      hits_[hits] = columns[k];
      Code& c = state_.codes[place + columns[k]];
      const bool open = code::is_open(c);
      c = open ? code::settled(t_) : c;
      hits += open;
    }
    settle(Sign::win, local, m, place, hits_.data(), hits);
    return;
  }
  count_down(local, m, place, columns, count);
}

/// Takes one open move from each position. Those left without one wait a little: their byte is elsewhere in
/// memory.
void Rounds::count_down(std::uint64_t local, int m, std::uint64_t place, const std::uint32_t* columns,
                        std::size_t count) {
  int least = 0;
  std::size_t hits = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t at = place + columns[k];
    std::uint8_t& pair = state_.counts[at >> 1];
    const int half = 4 * static_cast<int>(at & 1);
    const int left = (pair >> half & 15) - 1;
    least = std::min(least, left);
    pair = static_cast<std::uint8_t>(pair - (1 << half));
    hits_[hits] = columns[k];
    hits += left == 0;
  }
  underflow_ = underflow_ || least < 0;
  for (std::size_t k = 0; k < hits; ++k) {
    const std::uint64_t at = place + hits_[k];
    __builtin_prefetch(state_.codes.data() + at, 1);
    exhausted_.push_back({at, static_cast<std::uint32_t>(local), hits_[k], m});
  }
  if (exhausted_.size() - next_exhausted_ > 2 * kUpdatesAhead) settle_exhausted(kUpdatesAhead);
}

/// Settles, of the positions without an open move, those whose best exit is not above -t; all but the last
/// `keep`.
void Rounds::settle_exhausted(std::size_t keep) {
  const Code most = code::open_exit(-t_);
  for (; exhausted_.size() - next_exhausted_ > keep; ++next_exhausted_) {
    const Exhausted& each = exhausted_[next_exhausted_];
    const Code c = state_.codes[each.place];
    if (!code::is_open(c) || c > most) continue;
    settle(Sign::loss, each.local, each.seeds, each.place - each.column, &each.column, 1);
  }
  exhausted_.erase(exhausted_.begin(), exhausted_.begin() + static_cast<std::ptrdiff_t>(next_exhausted_));
  next_exhausted_ = 0;
}

/// Settles positions of one row at +t or -t, to be expanded later.
void Rounds::settle(Sign sign, std::uint64_t local, int m, std::uint64_t place, const std::uint32_t* columns,
                    std::size_t count) {
  if (count == 0) return;
  const auto s = static_cast<std::size_t>(sign);
  counters_.settled += count;
  std::vector<Settled>& list = settled_[s];
  if (list.size() + count <= batch_) {
    const Code settled = code::settled(sign == Sign::win ? t_ : -t_);
    for (std::size_t k = 0; k < count; ++k) {
      state_.codes[place + columns[k]] = settled;
      list.push_back(local << kColumnBits | columns[k]);
    }
    return;
  }
  const int shift = state_.segment_shift(m);
  std::uint64_t segments = 0;
  for (std::size_t k = 0; k < count; ++k) {
    state_.codes[place + columns[k]] = kPendingCode[s];
    segments |= std::uint64_t{1} << (columns[k] >> shift);
  }
  state_.mark_pending(sign, local, segments, count);
}

}  // namespace awele
