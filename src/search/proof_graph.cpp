#include "awele/search/proof_graph.hpp"

#include <algorithm>
#include <bit>

namespace awele {

namespace {

/// Stands for "as far as can be seen now this cannot be shown".
constexpr int kNever = 31 << 14;
constexpr std::uint8_t kUnknown = 0, kNeverCode = 255;

/// A number in eight bits: exact up to 31, then in steps of a sixteenth, rounded up. 0 stands for none.
std::uint8_t encode(int number) {
  if (number >= kNever) return kNeverCode;
  if (number < 32) return static_cast<std::uint8_t>(std::max(number, 1));
  const int shift = std::bit_width(static_cast<unsigned>(number)) - 5;
  const int mantissa = (number + (1 << shift) - 1) >> shift;  // 16..32
  return static_cast<std::uint8_t>(16 * shift + mantissa);
}
int decode(std::uint8_t code) {
  if (code == kUnknown) return 1;
  return code < 32 ? code : (16 + code % 16) << (code / 16 - 1);
}

std::int8_t to_byte(int value) { return static_cast<std::int8_t>(value); }

}  // namespace

ProofGraph::ProofGraph(RuleSet rules, Leaves& leaves, const Board& root, std::size_t most)
    : rules_(rules), leaves_(leaves), root_(key_of(root)), table_(most) {
  add(root_);
}

ProofGraph::Slot ProofGraph::root() { return table_.find(root_); }

Interval ProofGraph::of(BoardKey key) const {
  const Slot at = table_.find(key);
  if (at == PositionTable::kAbsent) return {-seeds_of(key), seeds_of(key)};
  return {table_[at].low, table_[at].high};
}

Interval ProofGraph::of(const Edge& edge) const {
  if (edge.slot == PositionTable::kAbsent) return {-seeds_of(edge.key), seeds_of(edge.key)};
  return {table_[edge.slot].low, table_[edge.slot].high};
}

/// Slots stay what they are until the table grows.
void ProofGraph::look_up(Options& options) const {
  for (int e = 0; e < options.count; ++e) {
    Edge& edge = options.edges[static_cast<std::size_t>(e)];
    if (edge.slot == PositionTable::kAbsent) edge.slot = table_.find(edge.key);
  }
}

bool ProofGraph::decided(int threshold) const {
  return interval().low >= threshold || interval().high < threshold;
}

/// With `exits` false the exit is left out: once its worth is in the bounds of the position (and it is not
/// open) it need not be looked up again.
ProofGraph::Options ProofGraph::options_of(const Board& board, bool exits) {
  const Moves all = moves(board, rules_);
  const int n = seeds(board);
  Options options;
  const auto exit = [&](const Interval& worth) {
    if (!options.exit) options.exit = worth;
    options.exit = {std::max(options.exit->low, worth.low), std::max(options.exit->high, worth.high)};
  };
  if (all.ended) exit({*all.ended, *all.ended});
  for (const Move& move : all.pit) {
    if (move.kind == Move::Kind::known) {
      exit({move.value, move.value});
    } else if (move.kind == Move::Kind::inner || move.kind == Move::Kind::capture) {
      if (!leaves_.has(n - move.captured)) {
        options.edges[static_cast<std::size_t>(options.count++)] = {key_of(move.child), move.captured};
      } else if (exits) {
        const Interval child = leaves_.interval(move.child);
        exit({move.captured - child.high, move.captured - child.low});
      }
    }
  }
  return options;
}

/// Precondition: the table has room.
ProofGraph::Slot ProofGraph::add(BoardKey key) {
  const int n = seeds_of(key);
  Options options = options_of(board_of(key), true);
  look_up(options);
  Interval proven{-n, n};
  bool open = false;
  if (options.exit) {
    proven.low = std::max(proven.low, options.exit->low);
    open = options.exit->low < options.exit->high;
    if (options.count == 0) proven.high = options.exit->high;
  }
  const Slot at = table_.insert(key, proven, open);
  tighten(at, options);
  visits_ = 0;
  return at;
}

/// By its moves. An exit that is not open is in `low` already, and what is proven of the value from below may
/// stand for it from above, too.
void ProofGraph::tighten(Slot at, const Options& options) {
  Entry& entry = table_[at];
  int low = entry.low, high = entry.low;
  if (entry.open()) high = options.exit ? std::max<int>(high, options.exit->high) : entry.high;
  for (int e = 0; e < options.count; ++e) {
    const Edge& edge = options.edges[static_cast<std::size_t>(e)];
    const Interval child = of(edge);
    low = std::max(low, edge.gain - child.high);
    high = std::max(high, edge.gain - child.low);
  }
  entry.low = to_byte(low);
  entry.high = to_byte(std::min<int>(high, entry.high));
}

// ---- growth

/// Those not yet decided, what matters most first.
std::vector<int> ProofGraph::questions(const Wishes& wishes) const {
  const Interval known = interval();
  const int guess = std::clamp(wishes.guess, known.low, known.high);
  std::vector<int> all = wishes.thresholds;
  // Whether it is worth what it is thought to be; then half-way from there to what is proven.
  for (int threshold :
       {guess, guess + 1, guess - (guess - known.low) / 2, guess + 1 + (known.high - guess) / 2})
    all.push_back(threshold);
  std::vector<int> open;
  for (int threshold : all)
    if (!decided(threshold) && std::find(open.begin(), open.end(), threshold) == open.end())
      open.push_back(threshold);
  return open;
}

void ProofGraph::grow(std::size_t until, const Wishes& wishes, Deadline deadline) {
  deadline_ = deadline;
  try {
    while (!interval().exact() && !full_ && table_.size() < until) {
      for (int threshold : questions(wishes)) {
        if (decided(threshold)) continue;
        ask(threshold, std::min(until, table_.size() + portion_));
        if (table_.size() >= until) break;
      }
      portion_ = std::max(portion_, table_.size() / 4);
    }
  } catch (const Interrupted&) {
    for (Slot at = 0; at < table_.slots(); ++at) table_[at].set_on_path(false);
  }
  try {
    if (!interval().exact() && table_.size() > solved_at_) solve();
  } catch (const Interrupted&) {
    // What was proven before holds.
  }
}

/// Positions are added as long as there is time to solve them.
void ProofGraph::look_at_clock() {
  constexpr std::uint64_t kLook = 256;
  constexpr double kMargin = 1.5;
  if (++visits_ % kLook != 0 || deadline_ == Deadline::max()) return;
  const std::chrono::duration<double> needed(kMargin * solving_ * static_cast<double>(table_.size()));
  if (std::chrono::steady_clock::now() + needed >= deadline_) throw Interrupted{};
}

/// Adds positions for one question until it is decided or there are `until`.
void ProofGraph::ask(int threshold, std::size_t until) {
  while (!decided(threshold) && table_.size() < until && !full_) {
    search(threshold, until);
    if (decided(threshold)) return;
    const bool stuck = table_.size() < until && !full_;
    if (stuck || table_.size() > solved_at_ + solved_at_ / 2) solve();
    if (stuck && !decided(threshold) && !add_nearest(threshold, 64 + table_.size() / 8)) return;
  }
}

void ProofGraph::search(int threshold, std::size_t until) {
  until_ = until;
  while (true) {
    visits_ = 0;
    visit(root(), threshold, {kNever, kNever}, 0);
    if (table_.room() > 0) return;
    if (table_.full()) {
      full_ = true;
      return;
    }
    table_.grow();
  }
}

/// A child that is not held is one of which nothing is known. One on the path repeats: within a slice, so
/// that the rest is worth 0.
ProofGraph::Numbers ProofGraph::numbers_of(const Edge& edge, int threshold) const {
  if (edge.slot == PositionTable::kAbsent) return {1, 1};
  const Entry& child = table_[edge.slot];
  if (child.on_path()) return threshold <= 0 ? Numbers{1, kNever} : Numbers{kNever, 1};
  if (child.question() != (threshold & 3)) return {1, 1};
  return {decode(child.phi), decode(child.delta)};
}

ProofGraph::Choice ProofGraph::choose(Slot at, int threshold, const Options& options) const {
  Choice choice{{kNever, 1}, -1, kNever, 0};
  int undecided = 0;
  for (int e = 0; e < options.count; ++e) {
    const Edge& edge = options.edges[static_cast<std::size_t>(e)];
    const int asked = edge.gain - threshold + 1;
    if (of(edge).low >= asked) continue;
    const Numbers child = numbers_of(edge, asked);
    ++undecided;
    choice.numbers.delta = std::max(choice.numbers.delta, child.phi);
    if (child.delta < choice.numbers.phi) {
      choice.second = choice.numbers.phi;
      choice.numbers.phi = child.delta;
      choice.best = e;
    } else {
      choice.second = std::min(choice.second, child.delta);
    }
  }
  choice.others = std::max(undecided - 1, 0);
  // The children share much of what is below them: their numbers are not added up.
  choice.numbers.delta = std::min(choice.numbers.delta + choice.others, kNever);
  if (table_[at].open()) choice.numbers.delta = kNever;
  return choice;
}

/// Searches below a position until one of its numbers reaches its limit. Precondition: it is not on the path.
void ProofGraph::visit(Slot at, int threshold, Numbers limits, int ply) {
  constexpr int kDeepest = 1500;
  constexpr std::uint64_t kMostVisits = 100000;
  look_at_clock();
  Options options = options_of(board_of(table_[at].key()), table_[at].open());
  table_[at].set_on_path(true);
  while (true) {
    look_up(options);
    tighten(at, options);
    Entry& entry = table_[at];
    if (entry.low >= threshold || entry.high < threshold) break;
    const Choice choice = choose(at, threshold, options);
    entry.set_question(threshold);
    entry.phi = encode(choice.numbers.phi);
    entry.delta = encode(choice.numbers.delta);
    if (choice.numbers.phi >= limits.phi || choice.numbers.delta >= limits.delta) break;
    if (table_.size() >= until_ || table_.room() == 0 || visits_ > kMostVisits || ply > kDeepest) break;
    const Edge& edge = options.edges[static_cast<std::size_t>(choice.best)];
    if (edge.slot == PositionTable::kAbsent) {
      add(edge.key);
      continue;
    }
    const Numbers child_limits{limits.delta - choice.others,
                               std::min(limits.phi, choice.second + choice.second / 4 + 1)};
    visit(edge.slot, edge.gain - threshold + 1, child_limits, ply + 1);
  }
  table_[at].set_on_path(false);
}

/// Adds positions, the nearest first, that can still matter to the question; false when there are none.
bool ProofGraph::add_nearest(int threshold, std::size_t most) {
  struct Place {
    Slot at;
    int threshold;
  };
  // Now, as slots must stay.
  while (table_.room() < most && !table_.largest()) table_.grow();
  std::vector<Place> queue{{root(), threshold}};
  table_[queue[0].at].set_on_path(true);  // stands for: in the queue
  std::size_t added = 0;
  for (std::size_t next = 0; next < queue.size() && added < most && table_.room() > 0; ++next) {
    const Place place = queue[next];
    Options options = options_of(board_of(table_[place.at].key()), false);
    look_up(options);
    for (int e = 0; e < options.count && table_.room() > 0; ++e) {
      const Edge& edge = options.edges[static_cast<std::size_t>(e)];
      const int asked = edge.gain - place.threshold + 1;
      const Interval child = of(edge);
      if (child.low >= asked || child.high < asked) continue;
      if (edge.slot == PositionTable::kAbsent) {
        add(edge.key);
        ++added;
      } else if (!table_[edge.slot].on_path()) {
        table_[edge.slot].set_on_path(true);
        queue.push_back({edge.slot, asked});
      }
    }
  }
  for (const Place& place : queue) table_[place.at].set_on_path(false);
  full_ = table_.full();
  return added > 0;
}

// ---- solving

/// Slice by slice upward, as captures lead downward.
void ProofGraph::solve() {
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n <= seeds_of(root_); ++n)
    if (!leaves_.has(n)) solve_slice(n);
  // What the search took for an answer has been proven now, or may be wrong.
  for (Slot at = 0; at < table_.slots(); ++at)
    if (table_[at].phi == kNeverCode || table_[at].delta == kNeverCode)
      table_[at].phi = table_[at].delta = kUnknown;
  solved_at_ = table_.size();
  solving_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
             static_cast<double>(solved_at_);
}

/// The positions of one slice whose values are not known, numbered in the order of their slots, with the
/// moves among them.
class ProofGraph::Slice {
 public:
  Slice(const PositionTable& table, int n) : bits_(table.slots() / 64 + 1), before_(bits_.size() + 1) {
    for (Slot at = 0; at < table.slots(); ++at) {
      const Entry& entry = table[at];
      if (entry.used() && entry.low < entry.high && seeds_of(entry.key()) == n) bits_[at / 64] |= bit(at);
    }
    for (std::size_t w = 0; w < bits_.size(); ++w)
      before_[w + 1] = before_[w] + static_cast<std::uint32_t>(std::popcount(bits_[w]));
    edges_.reserve(kHalfPits * size());  // most of it is never touched
    positions_.reserve(size());
  }

  std::size_t size() const { return before_.back(); }
  bool has(Slot at) const { return (bits_[at / 64] & bit(at)) != 0; }

  template <typename Visit>
  void for_each_slot(Visit visit) const {
    for (std::size_t w = 0; w < bits_.size(); ++w)
      for (std::uint64_t left = bits_[w]; left != 0; left &= left - 1)
        visit(static_cast<Slot>(64 * w + static_cast<std::size_t>(std::countr_zero(left))));
  }

  /// `fixed`: what is proven without moves in the slice; `high`: of the value. All start at 0, as far as
  /// that is possible.
  void begin_position(const Interval& fixed, int high) {
    positions_.push_back({to_byte(fixed.low), to_byte(std::min(fixed.high, high)), to_byte(high),
                          to_byte(std::clamp(0, fixed.low, high)), to_byte(std::clamp(0, fixed.low, high)),
                          0});
  }
  void add_edge(Slot child) {
    edges_.push_back(number(child));
    ++positions_.back().edges;
  }

  /// Until nothing changes, in turn from both ends: what follows from what is then found in few sweeps.
  void settle(Deadline deadline) {
    for (bool changed = true, forward = true; changed; forward = !forward) {
      if (std::chrono::steady_clock::now() >= deadline) throw Interrupted{};
      changed = forward ? sweep_up() : sweep_down();
    }
  }

  Interval value(std::size_t place) const { return {positions_[place].low, positions_[place].high}; }

 private:
  struct Position {
    std::int8_t fixed_low, fixed_high, most;
    std::int8_t low, high;
    std::uint8_t edges;
  };
  static std::uint64_t bit(Slot at) { return std::uint64_t{1} << at % 64; }
  std::uint32_t number(Slot at) const {
    return before_[at / 64] + static_cast<std::uint32_t>(std::popcount(bits_[at / 64] & (bit(at) - 1)));
  }

  bool sweep_up() {
    bool changed = false;
    const std::uint32_t* edge = edges_.data();
    for (Position& position : positions_) {
      changed = update(position, edge) || changed;
      edge += position.edges;
    }
    return changed;
  }
  bool sweep_down() {
    bool changed = false;
    const std::uint32_t* edge = edges_.data() + edges_.size();
    for (auto position = positions_.rbegin(); position != positions_.rend(); ++position) {
      edge -= position->edges;
      changed = update(*position, edge) || changed;
    }
    return changed;
  }
  bool update(Position& position, const std::uint32_t* edge) {
    int low = position.fixed_low, high = position.fixed_high;
    for (int e = 0; e < position.edges; ++e) {
      const Position& child = positions_[edge[e]];
      low = std::max(low, -child.high);
      high = std::max(high, -child.low);
    }
    low = std::min<int>(low, position.most);
    high = std::min<int>(high, position.most);
    if (low == position.low && high == position.high) return false;
    position.low = to_byte(low);
    position.high = to_byte(high);
    return true;
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> before_, edges_;
  std::vector<Position> positions_;
};

void ProofGraph::solve_slice(int n) {
  Slice slice(table_, n);
  if (slice.size() == 0) return;
  std::uint64_t looked = 0;
  slice.for_each_slot([&](Slot at) {
    if (++looked % 4096 == 0 && std::chrono::steady_clock::now() >= deadline_) throw Interrupted{};
    const Entry& entry = table_[at];
    Options options = options_of(board_of(entry.key()), entry.open());
    look_up(options);
    Interval fixed{entry.low, entry.open() && options.exit ? options.exit->high : entry.low};
    std::array<Slot, kHalfPits> inner;
    std::size_t inner_count = 0;
    for (int e = 0; e < options.count; ++e) {
      const Edge& edge = options.edges[static_cast<std::size_t>(e)];
      if (edge.slot != PositionTable::kAbsent && slice.has(edge.slot)) {
        inner[inner_count++] = edge.slot;
        continue;
      }
      const Interval worth = of(edge);
      fixed = {std::max(fixed.low, edge.gain - worth.high), std::max(fixed.high, edge.gain - worth.low)};
    }
    slice.begin_position({std::min<int>(fixed.low, entry.high), fixed.high}, entry.high);
    for (std::size_t k = 0; k < inner_count; ++k) slice.add_edge(inner[k]);
  });
  slice.settle(deadline_);
  std::size_t place = 0;
  slice.for_each_slot([&](Slot at) {
    const Interval value = slice.value(place++);
    Entry& entry = table_[at];
    entry.low = to_byte(std::max<int>(entry.low, value.low));
    entry.high = to_byte(std::min<int>(entry.high, value.high));
  });
}

}  // namespace awele
