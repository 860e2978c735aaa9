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

namespace {

template <typename T>
void fit(HugeArray<T>& array, std::uint64_t size) {
  if (array.size() >= size) return;
  array = {};
  array = HugeArray<T>(size);
}

StateArrays& fitted(StateArrays& arrays, int n, const StateForm& form, int rank, int ranks) {
  arrays.fit(n, form, rank, ranks);
  return arrays;
}

}  // namespace

void StateArrays::fit(int n, const StateForm& form, int rank, int ranks) {
  const std::uint64_t columns = own_columns(Dealing(n, Dealing::Rows::state, rank, ranks));
  awele::fit(codes, columns);
  if (!form.joined) awele::fit(counts, columns / 2);
  if (form.with_distances) awele::fit(distances, columns);
}

SliceState::SliceState(int n_, RuleSet rules_, const StateForm& form, int rank_, int ranks_,
                       StateArrays& arrays)
    : n(n_),
      rules(rules_),
      meaning(form.width, form.joined),
      rank(rank_),
      ranks(ranks_),
      rows(n_, Dealing::Rows::state, rank_, ranks_),
      frontier(n_, Dealing::Rows::frontier, rank_, ranks_),
      codes(fitted(arrays, n_, form, rank_, ranks_).codes.data(), own_columns(rows)),
      counts(arrays.counts.data(), form.joined ? 0 : codes.size() / 2),
      distances(arrays.distances.data(), form.with_distances ? codes.size() : 0),
      row_info(state_rows(rows, rules_ == RuleSet::abapa)),
      frontier_halves(waiting_halves(frontier)),
      exits_of_row(rows.local_rows(), 0),
      with_distances_(form.with_distances) {
  std::uint64_t offset = 0;
  for (int m = 0; m <= n; ++m) {
    const auto at = static_cast<std::size_t>(m);
    stride_[at] = padded(columns(m));
    offset_[at] = offset;
    offset += (rows.local_base(m + 1) - rows.local_base(m)) * stride_[at];
    shift_[at] = std::max(0, static_cast<int>(std::bit_width(columns(m) - 1)) - 6);
  }
  for (std::size_t s = 0; s < (with_distances_ ? kPendingSets : 2); ++s) {
    pending_segments[s].assign(rows.local_rows(), 0);
    pending_rows[s].assign((rows.local_rows() + 63) / 64, 0);
  }
}

std::uint64_t SliceState::memory(int n, const StateForm& form, int rank, int ranks) {
  const Dealing rows(n, Dealing::Rows::state, rank, ranks), frontier(n, Dealing::Rows::frontier, rank, ranks);
  const std::uint64_t columns = own_columns(rows);
  const std::uint64_t a_row = sizeof(StateRow) + (form.with_distances ? 5 : 3) * sizeof(std::uint64_t) + 1;
  return columns + (form.joined ? 0 : columns / 2) + (form.with_distances ? 2 * columns : 0) +
         rows.local_rows() * a_row + frontier.local_rows() * sizeof(PackedHalf);
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

/// The numbers of inner moves of one row, a nibble a column.
class RowCounts {
 public:
  explicit RowCounts(std::uint64_t stride) : nibbles_(stride / 16) {}
  void clear() { std::fill(nibbles_.begin(), nibbles_.end(), 0); }
  void add(const Word* one) {
    for (std::size_t w = 0; w < nibbles_.size(); ++w) nibbles_[w] += one[w];
  }
  void set(std::uint64_t column, int count) {
    const int shift = 4 * static_cast<int>(column % 16);
    Word& word = nibbles_[column / 16];
    word = (word & ~(Word{15} << shift)) | static_cast<Word>(count) << shift;
  }
  const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(nibbles_.data()); }

 private:
  std::vector<Word> nibbles_;
};

/// Replaces the count and adds the rule exits of one position by what the rules say in full.
void settle_by_rules(RuleSet rules, const Half& a, const Half& b, Code& best, RowCounts& counts,
                     std::uint64_t column) {
  const Moves all = moves(join(a, b), rules);
  int inner = 0;
  if (all.ended) merge_exit(best, *all.ended);
  for (const Move& move : all.pit) {
    inner += move.kind == Move::Kind::inner;
    if (move.kind == Move::Kind::known) merge_exit(best, move.value);
  }
  counts.set(column, inner);
}

/// Of the moves that `a` offers, those that capture nothing from each waiting half. Returns the patterns of
/// all of them: bit 7q + j.
Word count_quiet(const Half& a, QuietColumns& quiet, RowCounts& counts) {
  Word laid = 0;
  counts.clear();
  for (int i = 0; i < kHalfPits; ++i) {
    const int s = a[static_cast<std::size_t>(i)];
    if (s == 0) continue;
    const Pattern p = pattern(i, s);
    laid |= Word{1} << (7 * p.q + p.j);
    counts.add(quiet[p]);
  }
  return laid;
}

/// Turns merged exits and counts into the codes of the rounds.
class Joiner {
 public:
  explicit Joiner(const Meaning& meaning) : padding_(meaning.padding()), joined_(meaning.joined()) {
    for (int c = 0; c < 256; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const auto open = static_cast<Code>(c);
      // Apart, a missing exit stays what it is: it is below all.
      const bool stays = !joined_ && open == code::open_missing;
      const int e = std::clamp(code::exit_of(open), -meaning.width(), meaning.width());
      none_[at] = stays ? open : meaning.open(e, 0);
      each_[at] = static_cast<Code>(stays ? 0 : meaning.open(e, 1) - meaning.open(e, 0));
    }
  }
  void run(const std::uint8_t* counts, std::uint64_t columns, std::span<Code> row) const {
    for (std::uint64_t k = 0; k < columns; ++k) {
      const int count = counts[k / 2] >> (4 * (k % 2)) & 15;
      row[k] = static_cast<Code>(none_[row[k]] + each_[row[k]] * count);
    }
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(columns), row.end(), padding_);
  }

 private:
  const Code padding_;
  const bool joined_;
  std::array<Code, 256> none_, each_;  ///< by merged exit: without an open move; what one more adds
};

void finish_row(SliceState& state, std::uint64_t local, int m, QuietColumns& quiet,
                const std::vector<Special>& specials, const Joiner& joiner, RowCounts& counts) {
  const Half a = unpack(state.row_info[local].half, m);
  const std::uint64_t place = state.offset(local, m), columns = state.columns(m), stride = state.stride(m);
  Code* row = state.codes.data() + place;
  const Word laid = count_quiet(a, quiet, counts);
  for (const Special& special : specials)
    if (special.slam == Pattern{} || laid >> (7 * special.slam.q + special.slam.j) & 1)
      settle_by_rules(state.rules, a, special.half, row[special.column], counts, special.column);
  if (m == 0)  // the game is over on each position
    for (std::uint64_t column = 0; column < columns; ++column)
      settle_by_rules(state.rules, a, hole_at(state.n, column), row[column], counts, column);
  joiner.run(counts.bytes(), columns, {row, stride});
  if (!state.meaning.joined()) std::memcpy(state.counts.data() + place / 2, counts.bytes(), stride / 2);
}

}  // namespace

void begin_exits(SliceState& state) {
  std::fill(state.codes.begin(), state.codes.end(), code::open_missing);
  std::fill(state.distances.begin(), state.distances.end(), 0);
}

void finish_exits(SliceState& state) {
  const Joiner joiner(state.meaning);
  for (int m = 0; m <= state.n; ++m) {
    const int waiting = state.n - m;
    QuietColumns quiet(waiting, state.stride(m));
    RowCounts counts(state.stride(m));
    const std::vector<Special> specials = special_halves(waiting);
    for (std::uint64_t local = state.rows.local_base(m); local < state.rows.local_base(m + 1); ++local)
      finish_row(state, local, m, quiet, specials, joiner, counts);
  }
}

void note_exits(SliceState& state) {
  std::array<Word, 256> bit{};
  for (int c = 0; c < 256; ++c)
    bit[static_cast<std::size_t>(c)] = state.meaning.exit_bit(static_cast<Code>(c));
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
        if (!state.meaning.is_pending(row[column])) continue;
        const auto set = static_cast<std::size_t>(row[column] - state.meaning.pending(0));
        state.mark_pending(set, local, Word{1} << (column >> state.segment_shift(m)), 1);
      }
    }
}

}  // namespace awele
