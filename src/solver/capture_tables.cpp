#include "capture_tables.hpp"

#include <utility>

#include "awele/index/slice_index.hpp"

namespace awele {

namespace {

/// Pits first..j-1 are captured; `before` has their seeds before the move, and nothing in the others.
struct Taken {
  Half before{};
  int first;
};

/// All ways to capture `left` more seeds when the pits from `so_far.first` on are captured already.
void find_taken(const Taken& so_far, const Pattern& laid, int left, std::vector<Taken>& all) {
  if (left == 0) all.push_back(so_far);
  if (left == 0 || so_far.first == 0) return;
  for (int held : {2, 3}) {
    const int before = held - laid.at(so_far.first - 1);
    if (held > left || before < 0) continue;
    Taken more = so_far;
    more.before[static_cast<std::size_t>(--more.first)] = static_cast<std::uint8_t>(before);
    find_taken(more, laid, left - held, all);
  }
}

std::vector<Taken> ways_to_take(const CaptureKind& kind) {
  std::vector<Taken> all;
  find_taken({{}, kind.laid.j}, kind.laid, kind.k, all);
  return all;
}

bool is_free(const Taken& taken, int j, int pit) { return pit < taken.first || pit >= j; }

/// Ways to put `s` seeds into `pits` pits so that the half has a hole; `hole`: another pit is one.
std::uint64_t ways(int pits, int s, bool hole) {
  if (s < 0 || (pits == 0 && (s > 0 || !hole))) return 0;
  if (pits == 0) return 1;
  return binomial(s + pits - 1, pits - 1) - (hole ? 0 : binomial(s - 1, pits - 1));
}

/// The halves that are captured from in one way.
std::uint64_t count_halves(const Taken& taken, const CaptureKind& kind) {
  const int pits = taken.first + kHalfPits - kind.laid.j, s = kind.waiting_seeds - seeds(taken.before);
  if (pits == 0 || s < 0) return 0;  // a grand slam: the rules know its value
  bool hole = false;
  for (int pit = taken.first; pit < kind.laid.j; ++pit)
    hole = hole || taken.before[static_cast<std::size_t>(pit)] == 0;
  std::uint64_t count = ways(pits, s, hole);
  // The capture ends before a pit that then holds neither two nor three.
  if (taken.first > 0)
    for (int held : {2, 3})
      if (const int before = held - kind.laid.at(taken.first - 1); before >= 0)
        count -= ways(pits - 1, s - before, hole || before == 0);
  const bool slam = taken.first == 0 && kind.laid.q == 0 && s == 0;
  return count - (slam ? 1 : 0);
}

/// Calls f(half) for all ways to put `s` seeds into the free pits, in order.
template <typename F>
void each_half(const Taken& taken, int j, int s, F f) {
  std::array<std::size_t, kHalfPits> free{};
  std::size_t pits = 0;
  for (int pit = 0; pit < kHalfPits; ++pit)
    if (is_free(taken, j, pit)) free[pits++] = static_cast<std::size_t>(pit);
  if (pits == 0 || s < 0) return;
  Half half = taken.before;
  half[free[0]] = static_cast<std::uint8_t>(s);
  for (;;) {
    f(half);
    // As next_half does: one seed moves up from the lowest pit that has any, the others below it go back.
    std::size_t low = 0;
    while (low < pits && half[free[low]] == 0) ++low;
    if (low + 1 >= pits) return;
    const std::uint8_t held = half[free[low]];
    half[free[low]] = 0;
    half[free[0]] = static_cast<std::uint8_t>(held - 1);
    ++half[free[low + 1]];
  }
}

void add_edges(const Taken& taken, const CaptureKind& kind, CaptureEdges& edges) {
  const Pattern& p = kind.laid;
  each_half(taken, p.j, kind.waiting_seeds - seeds(taken.before), [&](const Half& before) {
    if (!has_hole(before)) return;
    Half after = before;
    for (int pit = 0; pit < kHalfPits; ++pit)
      after[static_cast<std::size_t>(pit)] += static_cast<std::uint8_t>(p.at(pit));
    if (capture(after, p) != kind.k || seeds(after) == 0) return;
    edges.place.push_back(static_cast<std::uint32_t>(half_rank(after)));
    edges.column.push_back(static_cast<std::uint32_t>(hole_rank(before)));
  });
}

/// Bytes of all edges that slice n needs for one number captured, the largest of them.
std::uint64_t needed(int n) {
  static const auto table = [] {
    std::array<std::uint64_t, kMaxSeeds + 1> most{};
    for (int k = 2; k <= kMostCaptured; ++k) {
      std::uint64_t sum = 0;
      for (int w = 0; w <= kMaxSeeds; ++w) {
        for (int q = 0; q < 3; ++q)
          for (int j = 1; j <= kHalfPits; ++j) sum += edge_bytes({w, {q, j}, k});
        // A mover's half is not empty, so slice n has waiting halves of up to n - 1 seeds.
        if (w < kMaxSeeds)
          most[static_cast<std::size_t>(w + 1)] = std::max(most[static_cast<std::size_t>(w + 1)], sum);
      }
    }
    return most;
  }();
  return table[static_cast<std::size_t>(n)];
}

}  // namespace

std::uint64_t edge_count(const CaptureKind& kind) {
  std::uint64_t count = 0;
  for (const Taken& taken : ways_to_take(kind)) count += count_halves(taken, kind);
  return count;
}

CaptureEdges make_edges(const CaptureKind& kind) {
  CaptureEdges edges;
  const std::uint64_t count = edge_count(kind);
  edges.place.reserve(count);
  edges.column.reserve(count);
  for (const Taken& taken : ways_to_take(kind)) add_edges(taken, kind, edges);
  return edges;
}

std::uint64_t CaptureTables::bound(int n, int ranks) {
  const std::uint64_t share = slice_size(n) / static_cast<std::uint64_t>(ranks);
  return std::min({needed(n), kLittle + share / kPositionsAByte, kEnough});
}

CaptureTables::Table*& CaptureTables::known(const CaptureKind& kind) {
  return known_[static_cast<std::size_t>(kind.waiting_seeds)][static_cast<std::size_t>(kind.laid.q)]
               [static_cast<std::size_t>(kind.laid.j)][static_cast<std::size_t>(kind.k)];
}

const CaptureEdges& CaptureTables::edges(const CaptureKind& kind) {
  static const CaptureEdges none;
  if (kind.laid.q >= static_cast<int>(kLaps)) return none;
  Table*& table = known(kind);
  if (!table) {
    const std::uint64_t bytes = edge_bytes(kind);
    make_room(kind.k, bytes);
    tables_.push_front({kind, bytes, make_(kind)});
    bytes_ += bytes;
    table = &tables_.front();
  }
  return table->edges;
}

/// Drops first what is for another number captured, then what is for most seeds.
void CaptureTables::make_room(int k, std::uint64_t bytes) {
  const auto use = [k](const Table& table) { return std::pair(table.kind.k != k, table.kind.waiting_seeds); };
  while (!tables_.empty() && bytes_ + bytes > most_bytes_) {
    const auto least = std::max_element(tables_.begin(), tables_.end(),
                                        [&](const Table& a, const Table& b) { return use(a) < use(b); });
    bytes_ -= least->bytes;
    known(least->kind) = nullptr;
    tables_.erase(least);
  }
}

}  // namespace awele
