#include "state_updates.hpp"

#include <algorithm>
#include <cstring>

#include "awele/support/error.hpp"
#include "byte_search.hpp"

namespace awele {

namespace {

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

}  // namespace

StateUpdates::StateUpdates(SliceState& state, std::size_t most) : state_(state), most_(most) {
  for (std::size_t s = 0; s < (state.with_distances() ? kPendingSets : 2); ++s) listed_[s].reserve(most);
}

std::uint64_t StateUpdates::begin(int t, int level) {
  t_ = t;
  level_ = level;
  const Code win = code::open_exit(t), loss = code::open_exit(-t);
  const std::uint64_t bit = std::uint64_t{1} << t;
  std::vector<std::uint32_t> wins, losses;
  std::uint64_t words = 0;
  for (int m = 0; m <= state_.n; ++m) {
    const std::uint64_t stride = state_.stride(m);
    for (std::uint64_t local = state_.rows.local_base(m); local < state_.rows.local_base(m + 1); ++local) {
      if (!(state_.exits_of_row[local] & bit)) continue;
      const std::uint64_t place = state_.offset(local, m);
      const Code* row = state_.codes.data() + place;
      wins.clear();
      losses.clear();
      for (std::uint64_t lane = 0; lane < stride; lane += kLane) {
        if (!holds_either(row + lane, win, loss)) continue;
        for (std::uint64_t c = lane; c < lane + kLane; c += 8) {
          const std::uint64_t word = load_word(row + c);
          each_byte(equal_bytes(word, win),
                    [&](std::uint32_t k) { wins.push_back(static_cast<std::uint32_t>(c) + k); });
          each_byte(equal_bytes(word, loss), [&](std::uint32_t k) {
            if (state_.count(place + c + k) == 0) losses.push_back(static_cast<std::uint32_t>(c) + k);
          });
        }
      }
      words += stride / 8;
      settle_found(Sign::win, {local, place, m, wins});
      settle_found(Sign::loss, {local, place, m, losses});
    }
  }
  return words;
}

void StateUpdates::prefetch(Sign sign, const RowUpdates& updates) const {
  if (sign == Sign::loss)
    for (std::uint32_t column : updates.columns)
      __builtin_prefetch(state_.codes.data() + updates.place + column, 1);
  else
    for (std::uint32_t column : updates.columns)
      __builtin_prefetch(state_.counts.data() + (updates.place + column) / 2, 1);
}

void StateUpdates::apply(Sign sign, const RowUpdates& updates) {
  updates_ += updates.columns.size();
  if (hits_.size() < updates.columns.size()) hits_.resize(updates.columns.size());
  if (sign == Sign::loss)
    win(updates);
  else
    count_down(updates);
}

/// A move to a position worth -t is worth +t: settles what is open.
void StateUpdates::win(const RowUpdates& updates) {
  std::size_t hits = 0;
  const Code* row = state_.codes.data() + updates.place;
  for (std::uint32_t column : updates.columns) {
    hits_[hits] = column;
    hits += code::is_open(row[column]);
  }
  settle(Sign::win, next(), {updates.local, updates.place, updates.seeds, std::span(hits_).first(hits)});
}

/// Takes one open move from each position. Those left without one wait a little: their byte is elsewhere in
/// memory.
void StateUpdates::count_down(const RowUpdates& updates) {
  int least = 0;
  std::size_t hits = 0;
  for (std::uint32_t column : updates.columns) {
    const std::uint64_t at = updates.place + column;
    std::uint8_t& pair = state_.counts[at >> 1];
    const int half = 4 * static_cast<int>(at & 1);
    const int left = (pair >> half & 15) - 1;
    least = std::min(least, left);
    pair = static_cast<std::uint8_t>(pair - (1 << half));
    hits_[hits] = column;
    hits += left == 0;
  }
  underflow_ = underflow_ || least < 0;
  for (std::size_t k = 0; k < hits; ++k) {
    const std::uint64_t at = updates.place + hits_[k];
    __builtin_prefetch(state_.codes.data() + at, 1);
    exhausted_.push_back({at, static_cast<std::uint32_t>(updates.local), hits_[k], updates.seeds});
  }
  if (exhausted_.size() > 2 * kAhead) settle_exhausted(kAhead);
}

/// Settles, of the positions without an open move, those whose best exit is not above -t; all but the last
/// `keep`.
void StateUpdates::settle_exhausted(std::size_t keep) {
  const Code most = code::open_exit(-t_);
  const std::size_t end = exhausted_.size() - std::min(keep, exhausted_.size());
  for (std::size_t k = 0; k < end; ++k) {
    const Exhausted& each = exhausted_[k];
    const Code c = state_.codes[each.place];
    if (!code::is_open(c) || c > most) continue;
    settle(Sign::loss, next(),
           {each.local, each.place - each.column, each.seeds, std::span(&each.column, 1)});
  }
  exhausted_.erase(exhausted_.begin(), exhausted_.begin() + static_cast<std::ptrdiff_t>(end));
}

void StateUpdates::mark_listed() {
  for (std::size_t s = 0; s < listed_.size(); ++s) {
    for (Settled each : listed_[s]) {
      const std::uint64_t local = each >> kColumnBits, column = each & ((Settled{1} << kColumnBits) - 1);
      const int m = state_.row_info[local].seeds;
      state_.codes[state_.offset(local, m) + column] = code::pending(s);
      state_.mark_pending(s, local, std::uint64_t{1} << (column >> state_.segment_shift(m)), 1);
    }
    listed_[s].clear();
  }
}

void StateUpdates::next_level() {
  if (!state_.with_distances()) return;
  if (++level_ >= 65535) throw Error("a distance does not fit in 16 bits; solve without --distances");
}

namespace {

/// Whether the rules end the game on the position, and with its value: no ply is left.
bool is_over(const SliceState& state, const RowUpdates& row, std::uint32_t column, int value) {
  const Half a = unpack(state.row_info[row.local].half, row.seeds);
  return moves(join(a, hole_at(state.n - row.seeds, column)), state.rules).ended == value;
}

/// Rules under which a side that holds seeds may have no legal move.
bool may_be_stuck(RuleSet rules) { return rules != RuleSet::awari && rules != RuleSet::unrestricted; }

}  // namespace

/// Settles what the search at a threshold found: one ply away, or none where the game is over.
void StateUpdates::settle_found(Sign sign, const RowUpdates& row) {
  if (!state_.with_distances() || (row.seeds > 0 && !may_be_stuck(state_.rules))) {
    settle(sign, next(), row);
    return;
  }
  const int value = sign == Sign::win ? t_ : -t_;
  for (const std::uint32_t& column : row.columns) {
    const bool over = state_.count(row.place + column) == 0 && is_over(state_, row, column, value);
    settle(sign, over ? 0 : 1, {row.local, row.place, row.seeds, std::span(&column, 1)});
  }
}

/// Settles positions of one row at +t or -t, to be expanded later.
void StateUpdates::settle(Sign sign, int level, const RowUpdates& row) {
  if (row.columns.empty()) return;
  const std::size_t set = pending_set(sign, level);
  settled_ += row.columns.size();
  if (state_.with_distances())
    for (std::uint32_t column : row.columns)
      state_.distances[row.place + column] = static_cast<std::uint16_t>(level);
  std::vector<Settled>& list = listed_[set];
  if (list.size() + row.columns.size() <= most_) {
    const Code settled = code::settled(sign == Sign::win ? t_ : -t_);
    for (std::uint32_t column : row.columns) {
      state_.codes[row.place + column] = settled;
      list.push_back(row.local << kColumnBits | column);
    }
    return;
  }
  const int shift = state_.segment_shift(row.seeds);
  std::uint64_t segments = 0;
  for (std::uint32_t column : row.columns) {
    state_.codes[row.place + column] = code::pending(set);
    segments |= std::uint64_t{1} << (column >> shift);
  }
  state_.mark_pending(set, row.local, segments, row.columns.size());
}

}  // namespace awele
