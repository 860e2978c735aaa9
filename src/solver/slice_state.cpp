#include "slice_state.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace awele {

namespace {

constexpr std::uint64_t kAlign = 16;

std::uint64_t padded(std::uint64_t columns) { return (columns + kAlign - 1) / kAlign * kAlign; }

std::vector<PackedHalf> waiting_halves(const Dealing& dealing) {
  std::vector<PackedHalf> halves(dealing.local_rows());
  for (int m = 0; m <= dealing.seeds(); ++m)
    for (std::uint64_t local = dealing.local_base(m); local < dealing.local_base(m + 1); ++local)
      halves[local] = pack(hole_at(m, dealing.row(local) - dealing.base(m)));
  return halves;
}

std::vector<StateRow> state_rows(const Dealing& dealing, bool slams_stay) {
  std::vector<StateRow> rows;
  rows.reserve(dealing.local_rows());
  for (int m = 0; m <= dealing.seeds(); ++m)
    for (std::uint64_t local = dealing.local_base(m); local < dealing.local_base(m + 1); ++local) {
      const Half half = half_at(m, dealing.row(local) - dealing.base(m));
      rows.push_back({pack(half), static_cast<std::uint8_t>(m), unsow_mask(pit_sets(half), slams_stay)});
    }
  return rows;
}

std::uint64_t own_columns(const Dealing& rows) {
  std::uint64_t columns = 0;
  for (int m = 0; m <= rows.seeds(); ++m)
    columns += (rows.local_base(m + 1) - rows.local_base(m)) * padded(state_row_length(rows.seeds(), m));
  return columns;
}

}  // namespace

void StateArrays::fit(int n, int rank, int ranks, bool with_distances) {
  const std::uint64_t columns = own_columns(Dealing(n, Dealing::Rows::state, rank, ranks));
  if (codes.size() < columns) {
    codes = {};
    counts = {};
    codes = HugeArray<Code>(columns);
    counts = HugeArray<std::uint8_t>(columns / 2);
  }
  if (with_distances && distances.size() < columns) {
    distances = {};
    distances = HugeArray<std::uint16_t>(columns);
  }
}

namespace {
StateArrays& fitted(StateArrays& arrays, int n, int rank, int ranks, bool with_distances) {
  arrays.fit(n, rank, ranks, with_distances);
  return arrays;
}
}  // namespace

SliceState::SliceState(int n_, RuleSet rules_, int rank_, int ranks_, StateArrays& arrays,
                       bool with_distances)
    : n(n_),
      rules(rules_),
      rank(rank_),
      ranks(ranks_),
      rows(n_, Dealing::Rows::state, rank_, ranks_),
      frontier(n_, Dealing::Rows::frontier, rank_, ranks_),
      codes(fitted(arrays, n_, rank_, ranks_, with_distances).codes.data(), own_columns(rows)),
      counts(arrays.counts.data(), codes.size() / 2),
      distances(arrays.distances.data(), with_distances ? codes.size() : 0),
      row_info(state_rows(rows, rules_ == RuleSet::abapa)),
      frontier_halves(waiting_halves(frontier)),
      exits_of_row(rows.local_rows(), 0),
      with_distances_(with_distances) {
  std::uint64_t offset = 0;
  for (int m = 0; m <= n; ++m) {
    const auto at = static_cast<std::size_t>(m);
    stride_[at] = padded(columns(m));
    offset_[at] = offset;
    offset += (rows.local_base(m + 1) - rows.local_base(m)) * stride_[at];
    shift_[at] = std::max(0, static_cast<int>(std::bit_width(columns(m) - 1)) - 6);
  }
  for (std::size_t s = 0; s < (with_distances ? kPendingSets : 2); ++s) {
    pending_segments[s].assign(rows.local_rows(), 0);
    pending_rows[s].assign((rows.local_rows() + 63) / 64, 0);
  }
}

std::uint64_t SliceState::memory(int n, int rank, int ranks, bool with_distances) {
  const Dealing rows(n, Dealing::Rows::state, rank, ranks), frontier(n, Dealing::Rows::frontier, rank, ranks);
  const std::uint64_t columns = own_columns(rows);
  const std::uint64_t a_row = sizeof(StateRow) + (with_distances ? 5 : 3) * sizeof(std::uint64_t) + 1;
  return columns + columns / 2 + (with_distances ? 2 * columns : 0) + rows.local_rows() * a_row +
         frontier.local_rows() * sizeof(PackedHalf);
}

namespace {

using Word = std::uint64_t;

void merge_exit(Code& c, int e) { c = std::max(c, code::open_exit(e)); }

/// Whether a last seed that makes `after` seeds in a waiting pit captures.
bool captures(int after) { return after == 2 || after == 3; }

/// One nibble a column, 1 where a move of pattern (q, j) captures nothing. It depends on pit j-1 alone.
std::vector<Word> quiet_columns(int seeds, std::uint64_t stride, const Pattern& p) {
  std::vector<Word> nibbles(stride / 16, 0);
  std::uint64_t column = 0;
  Half b = half_at(seeds, 0);
  do {
    if (!has_hole(b)) continue;
    const bool quiet = p.j == 0 || !captures(b[static_cast<std::size_t>(p.j - 1)] + p.q + 1);
    nibbles[column / 16] |= Word{quiet} << (4 * (column % 16));
    ++column;
  } while (next_half(b));
  return nibbles;
}

/// The vectors of quiet_columns for one block of state rows, made when first asked for.
class QuietColumns {
 public:
  QuietColumns(int seeds, std::uint64_t stride) : seeds_(seeds), stride_(stride) {}
  const Word* operator[](const Pattern& p) {
    // From q = 3 on nothing is captured any more, as with j = 0.
    const Pattern same = p.q >= 3 || p.j == 0 ? Pattern{0, 0} : p;
    auto& vector = vectors_[static_cast<std::size_t>(7 * same.q + same.j)];
    if (vector.empty()) vector = quiet_columns(seeds_, stride_, same);
    return vector.data();
  }

 private:
  int seeds_;
  std::uint64_t stride_;
  std::array<std::vector<Word>, 21> vectors_;
};

/// A waiting half that a move of pattern `slam` takes whole; the empty half, which most moves leave empty.
struct Special {
  Half half;
  Pattern slam;
  std::uint64_t column;
};

void add_specials(std::vector<Special>& all, int seeds, const Pattern& slam, int least) {
  for (int more = 0; more < 1 << slam.j; ++more) {
    Special special{{}, slam, 0};
    for (int k = 0; k < slam.j; ++k)
      special.half[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(least + (more >> k & 1));
    if (awele::seeds(special.half) != seeds) continue;
    special.column = hole_rank(special.half);
    all.push_back(special);
  }
}

/// All pits that hold seeds after the sowing must then hold 2 or 3, from the last one down to the first:
/// (1|2)^j 0^(6-j) for patterns (0, j) with j < 6 (with j = 6 there is no hole), (0|1)^6 for (1, 6), the
/// empty half for (2, 6).
std::vector<Special> special_halves(int seeds) {
  if (seeds == 0) return {{Half{}, {}, 0}};
  std::vector<Special> all;
  for (int j = 1; j < kHalfPits; ++j) add_specials(all, seeds, {0, j}, 1);
  if (seeds < kHalfPits) add_specials(all, seeds, {1, kHalfPits}, 0);
  return all;
}

/// Replaces count and rule exits of one position by what the rules say in full.
void settle_by_rules(SliceState& state, std::uint64_t place, const Half& a, const Half& b) {
  const Moves all = moves(join(a, b), state.rules);
  int inner = 0;
  if (all.ended) merge_exit(state.codes[place], *all.ended);
  for (const Move& move : all.pit) {
    inner += move.kind == Move::Kind::inner;
    if (move.kind == Move::Kind::known) merge_exit(state.codes[place], move.value);
  }
  state.set_count(place, inner);
}

void initialise_row(SliceState& state, std::uint64_t local, int m, QuietColumns& quiet,
                    const std::vector<Special>& specials) {
  const Half a = unpack(state.row_info[local].half, m);
  const std::uint64_t place = state.offset(local, m), columns = state.columns(m), stride = state.stride(m);
  std::memset(state.codes.data() + place, code::open_missing, columns);
  std::memset(state.codes.data() + place + columns, code::padding, stride - columns);
  auto* counts = reinterpret_cast<Word*>(state.counts.data() + place / 2);
  std::memset(counts, 0, stride / 2);
  Word laid = 0;  // bit 7q + j: a move of pattern (q, j)
  for (int i = 0; i < kHalfPits; ++i) {
    const int s = a[static_cast<std::size_t>(i)];
    if (s == 0) continue;
    const Pattern p = pattern(i, s);
    laid |= Word{1} << (7 * p.q + p.j);
    const Word* one = quiet[p];
    for (std::uint64_t w = 0; w < stride / 16; ++w) counts[w] += one[w];
  }
  for (const Special& special : specials)
    if (special.slam == Pattern{} || laid >> (7 * special.slam.q + special.slam.j) & 1)
      settle_by_rules(state, place + special.column, a, special.half);
}

}  // namespace

void initialise(SliceState& state) {
  std::fill(state.distances.begin(), state.distances.end(), 0);
  for (int m = 0; m <= state.n; ++m) {
    const int waiting = state.n - m;
    QuietColumns quiet(waiting, state.stride(m));
    const std::vector<Special> specials = special_halves(waiting);
    for (std::uint64_t local = state.rows.local_base(m); local < state.rows.local_base(m + 1); ++local)
      initialise_row(state, local, m, quiet, specials);
  }
  // The row of the empty mover half: the game is over on each of its positions.
  if (state.rows.local_base(1) > 0) {
    const std::uint64_t place = state.offset(0, 0);
    for (std::uint64_t column = 0; column < state.columns(0); ++column)
      settle_by_rules(state, place + column, Half{}, hole_at(state.n, column));
  }
}

void note_exits(SliceState& state) {
  std::array<Word, 256> bit{};
  for (int e = -state.n; e <= state.n; ++e) bit[code::open_exit(e)] = Word{1} << std::abs(e);
  for (int m = 0; m <= state.n; ++m)
    for (std::uint64_t local = state.rows.local_base(m); local < state.rows.local_base(m + 1); ++local) {
      const Code* row = state.codes.data() + state.offset(local, m);
      Word exits = 0;
      for (std::uint64_t column = 0; column < state.columns(m); ++column) exits |= bit[row[column]];
      state.exits_of_row[local] = exits;
    }
}

void note_pending(SliceState& state) {
  for (int m = 0; m <= state.n; ++m)
    for (std::uint64_t local = state.rows.local_base(m); local < state.rows.local_base(m + 1); ++local) {
      const Code* row = state.codes.data() + state.offset(local, m);
      for (std::uint64_t column = 0; column < state.columns(m); ++column) {
        if (!code::is_pending(row[column])) continue;
        const auto set = static_cast<std::size_t>(row[column] - code::pending(0));
        state.mark_pending(set, local, Word{1} << (column >> state.segment_shift(m)), 1);
      }
    }
}

}  // namespace awele
