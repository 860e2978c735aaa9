// How boards without a hole are valued in bulk.
//
// Fix the mover's half A of a board and the pit i it sows from. Whatever the waiting half B, the board after
// the move has the same waiting half A' (what the move makes of A), so all look-ups of the move fall into
// one row: row A' of slice n, or of slice n - k where k seeds are captured. And k, with the place in the row,
// depends on B and on the pattern the move lays over it alone, not on A: one table for each (seeds of B,
// pattern) serves every A. So a batch of mover halves is taken, its (A, i) sorted by A', and the rows are
// read in file order, each chunk once. The rules matter only where a move starves; such boards are noted and
// their starving moves valued by moves().

#include "awele/probe/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "awele/game/sowing.hpp"
#include "awele/index/slice_index.hpp"
#include "awele/support/error.hpp"

namespace awele {

namespace {

constexpr int kLargestCapture = 15;  // five pits of 3; a capture of all six always starves
constexpr std::uint32_t kStarves = 0xffffffff;
constexpr int kCaptureShift = 24;  // a place in a row is below C(53,5) < 2^22
constexpr std::int8_t kNoMove = std::numeric_limits<std::int8_t>::min();

/// Number of halves of m seeds without a hole.
std::uint64_t full_count(int m) { return binomial(m - 1, kHalfPits - 1); }

/// They are the halves of m - 6 seeds with one more in each pit, and numbered like these.
Half add_one_each(Half half) {
  for (auto& pit : half) ++pit;
  return half;
}

/// Part of a row, first..last; empty when first > last.
struct Range {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t last = 0;
  bool empty() const { return first > last; }
  std::uint64_t size() const { return std::uint64_t{last} - first + 1; }
  void add(const Range& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};
using Ranges = std::array<Range, kLargestCapture + 1>;

/// For each waiting half of m seeds without a hole: where a pattern leads. Seeds captured << kCaptureShift |
/// place in the row, or kStarves.
struct Table {
  std::vector<std::uint32_t> entries;
  Ranges used;  ///< by seeds captured: the part of the row that the entries name
  bool starves = false;
};

Table make_table(int m, const Pattern& pattern, RuleSet rules) {
  Table table;
  table.entries.reserve(full_count(m));
  Half base = half_at(m - kHalfPits, 0);
  do {
    Half after = add_one_each(base);
    for (int k = 0; k < kHalfPits; ++k) after[k] = static_cast<std::uint8_t>(after[k] + pattern.at(k));
    Half left = after;
    int captured = capture(left, pattern);
    if (seeds(left) == 0) {
      if (rules != RuleSet::abapa) {
        table.entries.push_back(kStarves);
        table.starves = true;
        continue;
      }
      left = after;  // a grand slam is legal but captures nothing
      captured = 0;
    }
    const auto place = static_cast<std::uint32_t>(half_rank(left));
    table.entries.push_back(static_cast<std::uint32_t>(captured) << kCaptureShift | place);
    table.used[captured].add({place, place});
  } while (next_half(base));
  return table;
}

/// The mover's half after sowing from pit i.
Half sown_half(const Half& mover, int i) {
  Half after = mover;
  const int s = mover[i];
  after[i] = 0;
  for (int k = 0; k < kHalfPits; ++k) after[k] = static_cast<std::uint8_t>(after[k] + own_seeds(i, s, k));
  return after;
}

/// Halves as numbers that ascend in the order of the rows.
std::uint64_t pack(const Half& half) {
  std::uint64_t key = 0;
  for (int k = kHalfPits - 1; k >= 0; --k) key = key << 8 | half[k];
  return key;
}
Half unpack(std::uint64_t key) {
  Half half;
  for (auto& pit : half) {
    pit = static_cast<std::uint8_t>(key & 0xff);
    key >>= 8;
  }
  return half;
}

/// The next half of at most `most` seeds, in the order of the rows; false after the last.
bool next_up_to(int most, Half& half) {
  int total = seeds(half);
  int k = 0;
  while (k < kHalfPits && total >= most) {
    total -= half[k];
    half[k++] = 0;
  }
  if (k == kHalfPits) return false;
  ++half[k];
  return true;
}

/// Reads a slice in ascending order, each chunk once.
class Cursor {
 public:
  explicit Cursor(const SliceReader& slice) : slice_(&slice) {}
  void copy(std::uint64_t first, std::span<std::int8_t> out) {
    while (!out.empty()) {
      const std::uint64_t index = first / slice_->chunk_size();
      if (index != index_) slice_->read_chunk(index, values_);
      index_ = index;
      const std::uint64_t skip = first % slice_->chunk_size();
      const std::uint64_t take = std::min<std::uint64_t>(out.size(), values_.size() - skip);
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(skip), take, out.begin());
      out = out.subspan(take);
      first += take;
    }
  }

 private:
  const SliceReader* slice_;
  std::uint64_t index_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::int8_t> values_;
};

class HolelessCount {
 public:
  HolelessCount(const Database& database, int n, std::uint64_t memory)
      : n_(n), rules_(database.rules()), scope_(database.scope()), memory_(memory) {
    for (int k = 0; k <= std::min(n, kLargestCapture); ++k)
      if (k != 1) cursors_.emplace(k, Cursor(database.slice(n - k)));
    tables_.resize(static_cast<std::size_t>((n + 1) * kPatternLaps * (kHalfPits + 1)));
  }

  Histogram run() {
    Half mover{};
    bool more = true;
    while (more) {
      movers_.clear();
      std::uint64_t boards = 0;
      std::uint64_t bytes = 0;
      do {
        const int m = n_ - seeds(mover);
        bytes += full_count(m) + sizeof(Mover) + kHalfPits * sizeof(Task);
        if (!movers_.empty() && bytes > memory_) break;
        movers_.push_back({mover, m, boards});
        boards += full_count(m);
      } while ((more = next_up_to(n_ - kHalfPits, mover)));
      best_.assign(boards, kNoMove);
      value_batch();
      for (std::int8_t value : best_) ++counts_[static_cast<std::uint8_t>(value)];
    }
    return histogram();
  }

 private:
  struct Mover {
    Half half;
    int waiting_seeds;
    std::uint64_t first;  // of its boards in best_
  };
  struct Task {
    std::uint64_t row;  // pack() of the row its look-ups fall into
    std::uint32_t mover;
    std::uint8_t q, j;  // of the pattern
  };

  const Table& table(int m, const Pattern& p) {
    Table& found = tables_[static_cast<std::size_t>((m * kPatternLaps + p.q) * (kHalfPits + 1) + p.j)];
    if (found.entries.empty()) found = make_table(m, p, rules_);
    return found;
  }
  const Table& table(const Task& task) { return table(movers_[task.mover].waiting_seeds, {task.q, task.j}); }

  void value_batch() {
    std::vector<Task> tasks;
    tasks.reserve(movers_.size() * kHalfPits);
    for (std::uint32_t a = 0; a < movers_.size(); ++a) {
      const Half& half = movers_[a].half;
      for (int i = 0; i < kHalfPits; ++i) {
        if (half[i] == 0) continue;
        const Pattern p = pattern(i, half[i]);
        tasks.push_back(
            {pack(sown_half(half, i)), a, static_cast<std::uint8_t>(p.q), static_cast<std::uint8_t>(p.j)});
      }
    }
    std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.row < b.row; });
    special_.clear();
    for (std::size_t first = 0; first < tasks.size();) {
      std::size_t last = first;
      while (last < tasks.size() && tasks[last].row == tasks[first].row) ++last;
      load_rows(std::span(tasks).subspan(first, last - first));
      for (; first < last; ++first) apply(tasks[first]);
    }
    if (seeds(movers_.front().half) == 0)
      for (std::uint32_t b = 0; b < full_count(n_); ++b) special_.push_back({0, b});
    for (const auto& [mover, b] : special_) value_special(movers_[mover], b);
  }

  /// Brings the parts of one row, and of the same row in smaller slices, that `tasks` need into rows_.
  void load_rows(std::span<const Task> tasks) {
    Ranges used;
    for (const Task& task : tasks)
      for (int k = 0; k <= kLargestCapture; ++k) used[k].add(table(task).used[k]);
    const std::uint64_t bytes = std::accumulate(
        used.begin(), used.end(), std::uint64_t{0},
        [](std::uint64_t sum, const Range& range) { return sum + (range.empty() ? 0 : range.size()); });
    if (rows_.size() < bytes) rows_.resize(bytes);
    const Half row = unpack(tasks.front().row);
    std::uint64_t at = 0;
    for (int k = 0; k <= kLargestCapture; ++k) {
      if (used[k].empty()) continue;
      cursors_.at(k).copy(row_start(n_ - k, row) + used[k].first,
                          std::span(rows_).subspan(at, used[k].size()));
      offsets_[k] = static_cast<std::int64_t>(at) - used[k].first;
      at += used[k].size();
    }
  }

  void apply(const Task& task) {
    const Table& where = table(task);
    std::int8_t* best = best_.data() + movers_[task.mover].first;
    for (std::uint32_t b = 0; b < where.entries.size(); ++b) {
      const std::uint32_t entry = where.entries[b];
      if (where.starves && entry == kStarves) {
        special_.push_back({task.mover, b});
        continue;
      }
      const auto captured = static_cast<int>(entry >> kCaptureShift);
      const std::int64_t place = offsets_[captured] + (entry & ((1u << kCaptureShift) - 1));
      const auto value = static_cast<std::int8_t>(captured - rows_[static_cast<std::size_t>(place)]);
      best[b] = std::max(best[b], value);
    }
  }

  /// A board with a starving move or an empty mover's half: what the rules say at once.
  void value_special(const Mover& mover, std::uint32_t b) {
    const Half waiting = add_one_each(half_at(mover.waiting_seeds - kHalfPits, b));
    const Moves all = moves(join(mover.half, waiting), rules_);
    std::int8_t& best = best_[mover.first + b];
    const auto offer = [&](int value) { best = std::max(best, static_cast<std::int8_t>(value)); };
    if (all.ended) offer(*all.ended);
    for (const Move& move : all.pit)
      if (move.kind == Move::Kind::known) offer(move.value);
  }

  Histogram histogram() const {
    Histogram result(static_cast<std::size_t>(2 * n_ + 1));
    std::uint64_t sum = 0;
    for (int value = -n_; value <= n_; ++value) {
      const std::uint64_t count = counts_[static_cast<std::uint8_t>(static_cast<std::int8_t>(value))];
      result[static_cast<std::size_t>(scope_.clamp(n_, value) + n_)] += count;
      sum += count;
    }
    if (sum != binomial(n_ + 5, 11))
      throw Error(
          fmt::format("{} boards of {} seeds get no value within -{}..{}: a slice is wrong; find it with "
                      "awele check",
                      binomial(n_ + 5, 11) - sum, n_, n_, n_));
    return result;
  }

  int n_;
  RuleSet rules_;
  Scope scope_;
  std::uint64_t memory_;
  std::map<int, Cursor> cursors_;  // by seeds captured
  std::vector<Table> tables_;      // made when first used
  std::vector<Mover> movers_;      // of the batch
  std::vector<std::int8_t> best_;  // of the batch: by mover, then waiting half
  std::vector<std::int8_t> rows_;
  std::array<std::int64_t, kLargestCapture + 1> offsets_{};  // from a place in the row to rows_
  std::vector<std::pair<std::uint32_t, std::uint32_t>> special_;
  std::array<std::uint64_t, 256> counts_{};
};

}  // namespace

Histogram stored_histogram(const Database& database, int n) { return database.slice(n).info().histogram; }

Histogram holeless_histogram(const Database& database, int n, std::uint64_t memory) {
  if (n < kHalfPits) return Histogram(static_cast<std::size_t>(2 * n + 1));
  return HolelessCount(database, n, memory).run();
}

Histogram all_boards_histogram(const Database& database, int n, std::uint64_t memory) {
  Histogram sum = stored_histogram(database, n);
  const Histogram holeless = holeless_histogram(database, n, memory);
  std::transform(sum.begin(), sum.end(), holeless.begin(), sum.begin(), std::plus<>());
  return sum;
}

std::vector<DistanceCount> distance_counts(const Database& database, int n) {
  const SliceReader& slice = database.slice(n);
  std::vector<std::uint64_t> counts, first;
  std::vector<std::uint16_t> distances;
  std::uint64_t place = 0;
  for (std::uint64_t chunk = 0; chunk < slice.chunk_count(); ++chunk) {
    slice.read_distance_chunk(chunk, distances);
    for (const std::uint16_t distance : distances) {
      if (distance >= counts.size()) {
        counts.resize(distance + std::size_t{1});
        first.resize(counts.size());
      }
      if (counts[distance]++ == 0) first[distance] = place;
      ++place;
    }
  }
  std::vector<DistanceCount> result(counts.size());
  for (std::size_t d = 0; d < counts.size(); ++d)
    if (counts[d] > 0) result[d] = {counts[d], position_at(n, first[d])};
  return result;
}

std::array<std::uint64_t, kHalfPits + 1> best_move_counts(const Prober& prober, int n) {
  std::array<std::uint64_t, kHalfPits + 1> counts{};
  const Scope scope = prober.scope();
  std::vector<Board> boards;
  for (std::uint64_t first = 0; first < slice_size(n); first += boards.size()) {
    boards.clear();
    const std::uint64_t last = std::min(first + kChunk, slice_size(n));
    for (std::uint64_t place = first; place < last; ++place) boards.push_back(position_at(n, place));
    for (const BoardAnswer& answer : prober.answers(boards))
      ++counts[static_cast<std::size_t>(
          std::count_if(answer.moves.begin(), answer.moves.end(), [&](const MoveAnswer& move) {
            return move.value && scope.clamp(n, *move.value) == scope.clamp(n, answer.value);
          }))];
  }
  return counts;
}

}  // namespace awele
