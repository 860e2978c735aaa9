#include "row_check.hpp"

#include <algorithm>
#include <boost/sort/spreadsort/integer_sort.hpp>

#include "awele/verify/plain_index.hpp"

namespace awele {

namespace {

constexpr int kMostCaptured = 15;  // five pits of 3; a capture of six pits starves and is known at once
constexpr std::uint64_t kManyRanks = 32;   // from here on the largest family is too much for one
constexpr std::uint64_t kMostMovers = 64;  // of a block
constexpr std::uint64_t kMostLists = 40;   // of a group: patterns of a move of up to 48 seeds

Board join_halves(const Half& mover, const Half& waiting) {
  Board board{};
  std::copy(mover.begin(), mover.end(), board.begin());
  std::copy(waiting.begin(), waiting.end(), board.begin() + 6);
  return board;
}

int sum(const Half& half) {
  int seeds = 0;
  for (int pit : half) seeds += pit;
  return seeds;
}

/// A waiting half as a number; in this order rows stand in every file.
std::uint64_t number_of(const Half& x) {
  std::uint64_t number = 0;
  for (int pit = 5; pit >= 0; --pit) number = number << 8 | x[static_cast<std::size_t>(pit)];
  return number;
}
Half half_of(std::uint64_t number) {
  Half x;
  for (std::size_t pit = 0; pit < 6; ++pit) x[pit] = static_cast<std::uint8_t>(number >> (8 * pit));
  return x;
}

/// Place of the row of `x` in slice n: its first board has all other seeds in p0.
std::uint64_t row_start(int n, const Half& x) {
  return plain::rank(join_halves({static_cast<std::uint8_t>(n - sum(x))}, x));
}
/// Place of a half among all of its sum: those before an empty waiting half are the first row.
std::uint32_t place_of(const Half& mover) {
  return static_cast<std::uint32_t>(plain::rank(join_halves(mover, {})));
}

Half mover_of(const Board& board) {
  Half half;
  std::copy(board.begin(), board.begin() + 6, half.begin());
  return half;
}
Half waiting_of(const Board& board) {
  Half half;
  std::copy(board.begin() + 6, board.end(), half.begin());
  return half;
}

std::uint64_t at_least_one(std::uint64_t x) { return std::max<std::uint64_t>(x, 1); }

/// Number of halves of `s` seeds: five nested sums of ones.
std::uint64_t count_halves(int s) {
  std::vector<std::uint64_t> ways(static_cast<std::size_t>(s + 1), 1);
  for (int pit = 1; pit < 6; ++pit)
    for (std::size_t i = 1; i < ways.size(); ++i) ways[i] += ways[i - 1];
  return ways.back();
}

/// Halves with a hole of up to `n` seeds: all less those that are left when each pit gives one.
std::uint64_t all_waiting(int n) {
  std::uint64_t all = 0;
  for (int s = 0; s <= n; ++s) all += count_halves(s) - (s >= 6 ? count_halves(s - 6) : 0);
  return all;
}

std::uint64_t share(std::uint64_t positions, std::uint64_t rank, std::uint64_t size) {
  return positions / size * rank + positions % size * rank / size;
}

/// Ways to put `left` seeds into the free pits.
std::uint64_t family_size(int left, int free_pits) {
  const auto s = static_cast<std::uint64_t>(left);
  return free_pits == 3 ? (s + 1) * (s + 2) / 2 : s + 1;
}

/// The next choice of the upper pits with at most n seeds, the last pit slowest.
bool next_family(Half& family, int n, int free_pits) {
  for (std::size_t pit = static_cast<std::size_t>(free_pits); pit < 6; ++pit) {
    if (sum(family) < n) {
      ++family[pit];
      return true;
    }
    family[pit] = 0;
  }
  return false;
}

const std::int8_t* chunk_of(const SliceReader& reader, std::uint64_t index, std::vector<std::int8_t>& chunk) {
  reader.read_chunk(index, chunk);
  return chunk.data();
}
const std::uint16_t* chunk_of(const SliceReader& reader, std::uint64_t index,
                              std::vector<std::uint16_t>& chunk) {
  reader.read_distance_chunk(index, chunk);
  return chunk.data();
}

}  // namespace

template <typename T>
const T* RowReader<T>::read(const SliceReader& reader, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t size = reader.chunk_size(), from = first / size, to = last / size;
  if (reader_ != &reader || from < begin_ || from >= end_) {
    reader_ = &reader;
    values_.clear();
    begin_ = end_ = from;
  } else if (to >= end_) {
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>((from - begin_) * size));
    begin_ = from;
  }
  for (; end_ <= to; ++end_) {
    const T* chunk = chunk_of(reader, end_, chunk_);
    values_.insert(values_.end(), chunk, chunk + chunk_.size());
  }
  return values_.data() + (first - begin_ * size);
}

RowCheck::RowCheck(const Database& database, int n, std::uint64_t batch, VerifyResult& result,
                   const std::function<void(std::uint64_t)>& progress)
    : database_(database),
      n_(n),
      rules_(database.rules()),
      batch_(batch),
      result_(result),
      progress_(progress),
      derived_(n, database.scope(), database.slice(n).has_distances()) {}

// A batch ends when the jobs, the own rows or the lists take what is counted here.
std::uint64_t RowCheck::bytes_a_position(bool with_distances) {
  return Derived::bytes_a_position(with_distances) + sizeof(Job) / 4 + sizeof(OwnJob) / 4 + sizeof(Entry) / 2;
}

std::uint64_t RowCheck::fixed_bytes(int n, bool with_distances) {
  // The waiting halves, those of one sum perhaps in a vector twice as long; the values of a long row,
  // likewise.
  const std::uint64_t halves = count_halves(n);
  return sizeof(Half) * (all_waiting(n) + 2 * halves) + (with_distances ? 3 : 1) * 2 * (halves + 3 * kChunk);
}

void RowCheck::run(std::uint64_t rank, std::uint64_t size) {
  // All ranks go through the same windows and families; each takes what lies in its share of the positions.
  const std::uint64_t positions = plain::position_count(n_);
  const std::uint64_t begin = share(positions, rank, size), end = share(positions, rank + 1, size);
  const int free_pits = size > kManyRanks ? 2 : 3;
  std::uint64_t at = 0;
  for (Window& window : windows()) {
    for (Half family{}; at < end;) {
      const std::uint64_t own = positions_of(window, family, free_pits);
      if (at >= begin) add_family(window, family, free_pits);
      at += own;
      if (!next_family(family, n_, free_pits)) break;
    }
    settle();
    window.clear();
  }
}

/// Waiting halves in portions whose lists fit.
std::vector<RowCheck::Window> RowCheck::windows() const {
  const std::uint64_t room = at_least_one(batch_ / 2 / kMostLists);
  std::vector<Window> windows(1);
  std::uint64_t held = 0;
  for (int s = 0; s <= n_; ++s) {
    const std::vector<Half> waiting = plain::halves(s, true);
    for (std::uint64_t w = 0; w < waiting.size();) {
      if (held == room) {
        windows.emplace_back();
        held = 0;
      }
      const std::uint64_t last =
          std::min<std::uint64_t>({waiting.size(), w + room - held, w + at_least_one(batch_ / 256)});
      const auto group = std::make_shared<Group>();
      group->seeds = s;
      group->waiting.assign(waiting.begin() + static_cast<std::ptrdiff_t>(w),
                            waiting.begin() + static_cast<std::ptrdiff_t>(last));
      windows.back().push_back(group);
      held += last - w;
      w = last;
    }
  }
  return windows;
}

std::uint64_t RowCheck::positions_of(const Window& window, const Half& family, int free_pits) const {
  std::uint64_t positions = 0;
  for (const std::shared_ptr<Group>& group : window) {
    const int left = n_ - group->seeds - sum(family);
    if (left >= 0) positions += group->waiting.size() * family_size(left, free_pits);
  }
  return positions;
}

/// All boards with mover halves of a family: its seeds in the upper pits, any in the free ones.
void RowCheck::add_family(const Window& window, const Half& family, int free_pits) {
  for (const std::shared_ptr<Group>& group : window) {
    const int left = n_ - group->seeds - sum(family);
    if (left < 0) continue;
    std::vector<Half> movers;  // in the order of the halves of their sum, where they lie side by side
    for (int top = 0; top <= (free_pits == 3 ? left : 0); ++top)
      for (int middle = 0; middle <= left - top; ++middle) {
        Half mover = family;
        mover[2] = static_cast<std::uint8_t>(mover[2] + top);
        mover[1] = static_cast<std::uint8_t>(middle);
        mover[0] = static_cast<std::uint8_t>(left - top - middle);
        movers.push_back(mover);
      }
    const std::uint64_t most =
        at_least_one(std::min({batch_ / group->waiting.size(), batch_ / 64, kMostMovers}));
    for (std::uint64_t m = 0; m < movers.size(); m += most)
      add_block(group, std::span(movers).subspan(m, std::min<std::uint64_t>(most, movers.size() - m)));
  }
}

void RowCheck::add_block(const std::shared_ptr<Group>& group, std::span<const Half> movers) {
  const std::uint64_t width = group->waiting.size();
  if (derived_.size() + width * movers.size() > batch_ || 4 * (jobs_.size() + 6 * movers.size()) > batch_ ||
      4 * (own_.size() + width) > batch_)
    settle();
  const std::uint64_t base = derived_.size();
  derived_.add(width * movers.size());
  for (std::uint64_t w = 0; w < width; ++w)
    own_.push_back({number_of(group->waiting[w]), static_cast<std::uint32_t>(blocks_.size()),
                    static_cast<std::uint32_t>(w)});
  blocks_.push_back({base, width, place_of(movers.front()), movers.size()});
  for (std::uint64_t m = 0; m < movers.size(); ++m) add_moves(*group, movers[m], base + m * width);
}

/// The moves of all boards with this mover half; that with group.waiting[0] is position `base`.
void RowCheck::add_moves(Group& group, const Half& mover, std::uint64_t base) {
  starving_.clear();
  for (int pit = 0; pit < 6; ++pit) {
    if (mover[static_cast<std::size_t>(pit)] == 0) continue;
    const plain::Played alone = plain::play(join_halves(mover, {}), pit);
    const Laid& laid = laid_of(group, mover, pit, alone);
    jobs_.push_back({number_of(mover_of(alone.sown)), &laid, base});
    starving_.insert(starving_.end(), laid.starving.begin(), laid.starving.end());
  }
  if (sum(mover) == 0)
    for (std::uint32_t w = 0; w < group.waiting.size(); ++w) starving_.push_back(w);
  std::sort(starving_.begin(), starving_.end());
  starving_.erase(std::unique(starving_.begin(), starving_.end()), starving_.end());
  for (std::uint32_t w : starving_) add_starving(join_halves(mover, group.waiting[w]), base + w);
}

/// `alone`: the same move over an empty waiting half.
const RowCheck::Laid& RowCheck::laid_of(Group& group, const Half& mover, int pit,
                                        const plain::Played& alone) {
  const int key = 2 * sum(waiting_of(alone.sown)) + (alone.last >= 6 ? 1 : 0);
  const auto found = group.laid.find(key);
  if (found != group.laid.end()) return found->second;
  return group.laid.emplace(key, lay(group.waiting, mover, pit)).first->second;
}

RowCheck::Laid RowCheck::lay(const std::vector<Half>& waiting, const Half& mover, int pit) const {
  Laid laid;
  std::array<std::vector<Entry>, kMostCaptured + 1> by_captured;
  for (std::uint32_t w = 0; w < waiting.size(); ++w) {
    const plain::Played played = plain::play(join_halves(mover, waiting[w]), pit);
    if (played.starves)
      laid.starving.push_back(w);
    else
      by_captured[static_cast<std::size_t>(played.captured)].push_back(
          {place_of(waiting_of(played.after)), w});
  }
  laid.entries.reserve(waiting.size());
  for (std::size_t k = 0; k < by_captured.size(); ++k) {
    const std::vector<Entry>& some = by_captured[k];
    const auto ends = std::minmax_element(some.begin(), some.end(),
                                          [](const Entry& a, const Entry& b) { return a.place < b.place; });
    if (!some.empty()) laid.first[k] = ends.first->place;
    if (!some.empty()) laid.last[k] = ends.second->place;
    laid.entries.insert(laid.entries.end(), some.begin(), some.end());
    laid.starts[k + 1] = laid.entries.size();
  }
  return laid;
}

/// A board with a move that starves, or without any: what the rules say of it.
void RowCheck::add_starving(const Board& board, std::uint64_t position) {
  const plain::Moves moves = plain::moves(board, rules_);
  if (moves.ended) derived_.ends(position, *moves.ended);
  for (int pit = 0; pit < 6; ++pit) {
    const plain::Move& move = moves.pit[static_cast<std::size_t>(pit)];
    if (!move.legal) continue;
    if (move.known)
      derived_.offer(position, move.value, 1);
    else if (plain::play(board, pit).starves)
      add_single(move.child, position);
  }
}

/// A move that would starve, captures nothing and leads to `child`.
void RowCheck::add_single(const Board& child, std::uint64_t position) {
  Laid& laid = singles_.emplace_back();
  laid.entries = {{place_of(mover_of(child)), 0}};
  std::fill(laid.starts.begin() + 1, laid.starts.end(), 1);
  laid.first[0] = laid.last[0] = laid.entries[0].place;
  jobs_.push_back({number_of(waiting_of(child)), &laid, position});
}

void RowCheck::settle() {
  if (derived_.size() == 0) return;
  const auto by_x = [](const auto& a, const auto& b) { return a.x < b.x; };
  std::sort(jobs_.begin(), jobs_.end(), by_x);
  std::sort(own_.begin(), own_.end(),
            [](const OwnJob& a, const OwnJob& b) { return a.x != b.x ? a.x < b.x : a.block < b.block; });
  look_up(0);
  for (int k = 2; k <= std::min(n_, kMostCaptured); ++k) look_up(k);
  compare();
  result_.checked += derived_.size();
  derived_.clear();
  jobs_.clear();
  own_.clear();
  singles_.clear();
  blocks_.clear();
  if (progress_) progress_(result_.checked);
}

void RowCheck::look_up(int captured) {
  const SliceReader& reader = database_.slice(n_ - captured);
  for (int value = -128; value < 128; ++value)
    offered_[static_cast<std::uint8_t>(value)] = derived_.clamped(captured - value);
  for (const Job& job : jobs_) {
    const auto k = static_cast<std::size_t>(captured);
    if (job.laid->starts[k] < job.laid->starts[k + 1]) look_up(job, captured, reader);
  }
}

void RowCheck::look_up(const Job& job, int captured, const SliceReader& reader) {
  const Laid& laid = *job.laid;
  const auto k = static_cast<std::size_t>(captured);
  const std::uint64_t start = row_start(n_ - captured, half_of(job.x));
  const std::uint64_t first = start + laid.first[k], last = start + laid.last[k];
  const std::int8_t* values = values_.read(reader, first, last);
  const std::uint32_t from = laid.first[k];
  const Entry* entry = laid.entries.data() + laid.starts[k];
  const Entry* const end = laid.entries.data() + laid.starts[k + 1];
  if (!derived_.with_distances()) {
    for (; entry != end; ++entry)
      derived_.offer_clamped(job.base + entry->waiting,
                             offered_[static_cast<std::uint8_t>(values[entry->place - from])]);
    return;
  }
  // A capture is what the distance counts to.
  const std::uint16_t* plies = captured == 0 ? distances_.read(reader, first, last) : nullptr;
  for (; entry != end; ++entry)
    derived_.offer(job.base + entry->waiting, captured - values[entry->place - from],
                   plies ? 1 + plies[entry->place - from] : 1);
}

/// The positions of an own row lie far apart in the batch.
void RowCheck::prefetch(const OwnJob& job) const {
  const Block& block = blocks_[job.block];
  for (std::uint64_t m = 0; m < block.movers; ++m)
    derived_.prefetch(block.base + m * block.width + job.waiting);
}

void RowCheck::compare() {
  constexpr std::size_t kAhead = 4;
  const SliceReader& reader = database_.slice(n_);
  std::uint64_t x = ~std::uint64_t{0}, start = 0;
  for (std::size_t k = 0; k < own_.size(); ++k) {
    if (k + kAhead < own_.size()) prefetch(own_[k + kAhead]);
    const OwnJob& job = own_[k];
    if (job.x != x) start = row_start(n_, half_of(x = job.x));
    const Block& block = blocks_[job.block];
    const std::uint64_t first = start + block.first_mover, last = first + block.movers - 1;
    const std::int8_t* stored = values_.read(reader, first, last);
    const std::uint16_t* plies = derived_.with_distances() ? distances_.read(reader, first, last) : nullptr;
    for (std::uint64_t m = 0; m < block.movers; ++m)
      derived_.judge(block.base + m * block.width + job.waiting, first + m, stored[m], plies ? plies[m] : 0,
                     result_);
  }
}

}  // namespace awele
