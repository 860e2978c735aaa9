#include "state_updates.hpp"

#include <algorithm>
#include <cstring>

#include "awele/support/error.hpp"
#include "byte_search.hpp"

namespace awele {

namespace {

/// Seeds of a waiting half that a capture takes whole: at most two in each of five pits.
constexpr int kMostStarved = 10;

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

// ----------------------------------------------------------------------------------------- the two layouts

Joined::Joined(SliceState& state) : state_(state), stuck_(state.meaning.open(-1, 0)) {
  for (int c = 0; c < 256; ++c)
    less_[static_cast<std::size_t>(c)] = state.meaning.counted_down(static_cast<Code>(c));
}

void Joined::begin(int t) { lost_ = state_.meaning.open(-t, 0); }

std::size_t Joined::count_down(const RowUpdates& updates, std::uint32_t* hits) {
  // A position that had no open move before, and is open, cannot lose one. What has none now is lost when its
  // exit is -t or worse.
  const auto width = static_cast<unsigned>(state_.meaning.width());
  const unsigned stuck = stuck_, lost = lost_, lost_bytes = stuck + width - lost;
  Code* row = state_.codes.data() + updates.place;
  bool underflow = false;
  std::size_t count = 0;
  for (std::uint32_t column : updates.columns) {
    const unsigned before = row[column], after = less_[before];
    row[column] = static_cast<Code>(after);
    underflow |= before - stuck < width;
    hits[count] = column;
    count += after - lost < lost_bytes;
  }
  underflow_ = underflow_ || underflow;
  return count;
}

std::size_t Apart::count_down(const RowUpdates& updates, std::uint32_t* hits) {
  int least = 0;
  std::size_t count = 0;
  for (std::uint32_t column : updates.columns) {
    const std::uint64_t at = updates.place + column;
    std::uint8_t& pair = state_.counts[at >> 1];
    const int half = 4 * static_cast<int>(at & 1);
    const int left = (pair >> half & 15) - 1;
    least = std::min(least, left);
    pair = static_cast<std::uint8_t>(pair - (1 << half));
    hits[count] = column;
    count += left == 0;
  }
  underflow_ = underflow_ || least < 0;
  return count;
}

// ------------------------------------------------------------------------------------------- both of them

template <typename Layout>
StateUpdates<Layout>::StateUpdates(SliceState& state, std::size_t most)
    : state_(state), layout_(state), most_(most) {
  for (std::size_t s = 0; s < (state.with_distances() ? kPendingSets : 2); ++s) listed_[s].reserve(most);
}

template <typename Layout>
std::uint64_t StateUpdates<Layout>::begin(int t, int level) {
  t_ = t;
  level_ = level;
  layout_.begin(t);
  const Code win = state_.meaning.open(t, 0), loss = state_.meaning.open(-t, 0);
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
            if (layout_.no_move(place + c + k)) losses.push_back(static_cast<std::uint32_t>(c) + k);
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

template <typename Layout>
void StateUpdates<Layout>::prefetch(Sign sign, const RowUpdates& updates) const {
  if (sign == Sign::loss)
    for (std::uint32_t column : updates.columns)
      __builtin_prefetch(state_.codes.data() + updates.place + column, 1);
  else
    for (std::uint32_t column : updates.columns)
      __builtin_prefetch(layout_.counter(updates.place + column), 1);
}

template <typename Layout>
void StateUpdates<Layout>::apply(Sign sign, const RowUpdates& updates) {
  updates_ += updates.columns.size();
  if (hits_.size() < updates.columns.size()) hits_.resize(updates.columns.size());
  if (sign == Sign::loss)
    win(updates);
  else
    count_down(updates);
}

/// A move to a position worth -t is worth +t: settles what is open.
template <typename Layout>
void StateUpdates<Layout>::win(const RowUpdates& updates) {
  std::size_t hits = 0;
  const Code* row = state_.codes.data() + updates.place;
  const Meaning meaning = state_.meaning;
  for (std::uint32_t column : updates.columns) {
    hits_[hits] = column;
    hits += meaning.is_open(row[column]);
  }
  settle(Sign::win, next(), {updates.local, updates.place, updates.seeds, std::span(hits_).first(hits)});
}

/// Takes one open move from each position. Apart, those left without one wait a little: their byte is
/// elsewhere in memory.
template <typename Layout>
void StateUpdates<Layout>::count_down(const RowUpdates& updates) {
  const auto hits = std::span(hits_).first(layout_.count_down(updates, hits_.data()));
  if constexpr (Layout::kFindsLost) {
    settle(Sign::loss, next(), {updates.local, updates.place, updates.seeds, hits});
  } else {
    for (const std::uint32_t column : hits) {
      const std::uint64_t at = updates.place + column;
      __builtin_prefetch(state_.codes.data() + at, 1);
      exhausted_.push_back({at, static_cast<std::uint32_t>(updates.local), column, updates.seeds});
    }
    if (exhausted_.size() > 2 * kAhead) settle_exhausted(kAhead);
  }
}

/// Settles, of the positions without an open move, those whose best exit is not above -t; all but the last
/// `keep`.
template <typename Layout>
void StateUpdates<Layout>::settle_exhausted(std::size_t keep) {
  const Code most = state_.meaning.open(-t_, 0);
  const std::size_t end = exhausted_.size() - std::min(keep, exhausted_.size());
  for (std::size_t k = 0; k < end; ++k) {
    const Exhausted& each = exhausted_[k];
    const Code c = state_.codes[each.place];
    if (!state_.meaning.is_open(c) || c > most) continue;
    settle(Sign::loss, next(),
           {each.local, each.place - each.column, each.seeds, std::span(&each.column, 1)});
  }
  exhausted_.erase(exhausted_.begin(), exhausted_.begin() + static_cast<std::ptrdiff_t>(end));
}

template <typename Layout>
void StateUpdates<Layout>::mark_listed() {
  for (std::size_t s = 0; s < listed_.size(); ++s) {
    for (Settled each : listed_[s]) {
      const std::uint64_t local = each >> kColumnBits, column = each & ((Settled{1} << kColumnBits) - 1);
      const int m = state_.row_info[local].seeds;
      state_.codes[state_.offset(local, m) + column] = state_.meaning.pending(s);
      state_.mark_pending(s, local, std::uint64_t{1} << (column >> state_.segment_shift(m)), 1);
    }
    listed_[s].clear();
  }
}

template <typename Layout>
void StateUpdates<Layout>::next_level() {
  if (!state_.with_distances()) return;
  if (++level_ >= 65535) throw Error("a distance does not fit in 16 bits; solve without --distances");
}

/// Whether the rules end the game on the position, and with its value: no ply is left. A side that holds
/// seeds has a move unless all its moves starve; those find the waiting half empty, or take it whole.
template <typename Layout>
bool StateUpdates<Layout>::is_over(const RowUpdates& row, std::uint32_t column, int value) {
  const int waiting = state_.n - row.seeds, width = state_.meaning.width();
  if (row.seeds > 0 && waiting > kMostStarved) return false;
  const Half a = unpack(state_.row_info[row.local].half, row.seeds), b = hole_at(waiting, column);
  if (row.seeds > 0 && *std::max_element(b.begin(), b.end()) > 2) return false;
  const std::optional<int> ended = moves(join(a, b), state_.rules).ended;
  return ended && std::clamp(*ended, -width, width) == value;
}

namespace {

/// Rules under which a side that holds seeds may have no legal move.
bool may_be_stuck(RuleSet rules) { return rules != RuleSet::awari && rules != RuleSet::unrestricted; }

}  // namespace

/// Settles what the search at a threshold found: one ply away, or none where the game is over.
template <typename Layout>
void StateUpdates<Layout>::settle_found(Sign sign, const RowUpdates& row) {
  if (!state_.with_distances() || (row.seeds > 0 && !may_be_stuck(state_.rules))) {
    settle(sign, next(), row);
    return;
  }
  const int value = sign == Sign::win ? t_ : -t_;
  for (const std::uint32_t& column : row.columns)
    settle(sign, is_over(row, column, value) ? 0 : 1,
           {row.local, row.place, row.seeds, std::span(&column, 1)});
}

/// Settles positions of one row at +t or -t, to be expanded later.
template <typename Layout>
void StateUpdates<Layout>::settle(Sign sign, int level, const RowUpdates& row) {
  if (row.columns.empty()) return;
  const std::size_t set = pending_set(sign, level);
  settled_ += row.columns.size();
  if (state_.with_distances())
    for (std::uint32_t column : row.columns)
      state_.distances[row.place + column] = static_cast<std::uint16_t>(level);
  std::vector<Settled>& list = listed_[set];
  if (list.size() + row.columns.size() <= most_) {
    const Code settled = state_.meaning.settled(sign == Sign::win ? t_ : -t_);
    for (std::uint32_t column : row.columns) {
      state_.codes[row.place + column] = settled;
      list.push_back(row.local << kColumnBits | column);
    }
    return;
  }
  const int shift = state_.segment_shift(row.seeds);
  std::uint64_t segments = 0;
  for (std::uint32_t column : row.columns) {
    state_.codes[row.place + column] = state_.meaning.pending(set);
    segments |= std::uint64_t{1} << (column >> shift);
  }
  state_.mark_pending(set, row.local, segments, row.columns.size());
}

template class StateUpdates<Joined>;
template class StateUpdates<Apart>;

}  // namespace awele
