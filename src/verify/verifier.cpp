#include "awele/verify/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <cmath>

#include "awele/support/error.hpp"
#include "awele/verify/plain_game.hpp"
#include "awele/verify/plain_index.hpp"

namespace awele {

namespace {

// A look-up is one 64-bit number: seeds captured (0..15; 1 cannot happen and stands for the position's own
// stored value), place in the slice, position in the batch. In this order sorting brings together what lies
// in one chunk.
constexpr int kBatchBits = 22;
constexpr int kPlaceBits = 38;
constexpr std::uint64_t kOwn = 1;
constexpr int kMostCaptured = 15;  // five pits of 3; a capture of six pits starves and is known at once
constexpr std::uint64_t kLookUpsAPosition = 7;

static_assert(Verifier::kLargestBatch <= std::uint64_t{1} << kBatchBits);

std::uint64_t look_up_of(std::uint64_t captured, std::uint64_t place, std::uint64_t position) {
  return captured << (kPlaceBits + kBatchBits) | place << kBatchBits | position;
}
std::uint64_t captured_of(std::uint64_t look_up) { return look_up >> (kPlaceBits + kBatchBits); }
std::uint64_t place_of(std::uint64_t look_up) {
  return look_up >> kBatchBits & ((std::uint64_t{1} << kPlaceBits) - 1);
}
std::uint64_t position_of(std::uint64_t look_up) { return look_up & ((std::uint64_t{1} << kBatchBits) - 1); }

constexpr std::int16_t kNoValue = std::numeric_limits<std::int16_t>::min();
constexpr int kLongest = std::numeric_limits<std::uint16_t>::max();

/// A well-mixed 64-bit number for each `x` (the finalizer of splitmix64).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Number of halves of `s` seeds: five nested sums of ones.
std::uint64_t count_halves(int s) {
  std::vector<std::uint64_t> ways(static_cast<std::size_t>(s + 1), 1);
  for (int pit = 1; pit < 6; ++pit)
    for (std::size_t i = 1; i < ways.size(); ++i) ways[i] += ways[i - 1];
  return ways.back();
}

Board join_halves(const Half& mover, const Half& waiting) {
  Board board;
  std::copy(mover.begin(), mover.end(), board.begin());
  std::copy(waiting.begin(), waiting.end(), board.begin() + 6);
  return board;
}

/// Sides of a block: about square, longer where the other list is short.
struct Block {
  std::uint64_t waiting, mover;
};
Block block_of(std::uint64_t waiting, std::uint64_t mover, std::uint64_t area) {
  const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(area)));
  Block block{std::min(waiting, side), 0};
  block.mover = std::clamp<std::uint64_t>(area / block.waiting, 1, mover);
  block.waiting = std::clamp<std::uint64_t>(area / block.mover, 1, waiting);
  return block;
}

}  // namespace

void VerifyResult::add(const VerifyResult& other) {
  checked += other.checked;
  wrong += other.wrong;
  wrong_distances += other.wrong_distances;
  if (other.first >= first) return;
  first = other.first;
  board = other.board;
  stored = other.stored;
  derived = other.derived;
  stored_distance = other.stored_distance;
  derived_distance = other.derived_distance;
}

std::uint64_t Verifier::memory(int n, std::uint64_t batch, bool distances) {
  const std::uint64_t a_position = kLookUpsAPosition * sizeof(std::uint64_t) + sizeof(std::int16_t) +
                                   sizeof(std::int8_t) + (distances ? 3 * sizeof(std::uint16_t) : 0);
  // Two lists of halves, each perhaps in a vector twice as long.
  const std::uint64_t lists = 2 * 2 * sizeof(Half) * count_halves(n);
  // What the file library holds: its own some 24 MiB, and for each file in use up to 32 MiB of the index of
  // its chunks.
  std::uint64_t library = std::uint64_t{24} << 20;
  for (int k = 0; k <= std::min(n, kMostCaptured); ++k)
    library += std::min(16 * (plain::position_count(n - k) / kChunk), std::uint64_t{32} << 20);
  return batch * a_position + lists + library + 2 * kChunk + (std::uint64_t{1} << 20);
}

Verifier::Verifier(const Database& database, int rank, int size, std::uint64_t memory_limit)
    : database_(database),
      rules_(database.rules()),
      scope_(database.scope()),
      rank_(static_cast<std::uint64_t>(rank)),
      size_(static_cast<std::uint64_t>(size)),
      batch_(kLargestBatch) {
  while (memory_limit != 0 && memory() > memory_limit && batch_ > kSmallestBatch) batch_ /= 2;
  if (memory_limit != 0 && memory() > memory_limit)
    throw Error(ExitCode::no_resources,
                fmt::format("verifying {} needs {} bytes of memory per rank and {} are available; use fewer "
                            "ranks per node or a node with more memory",
                            database.dir().string(), memory(), memory_limit));
}

std::uint64_t Verifier::memory() const {
  const std::vector<int> slices = database_.slices();
  const bool distances =
      std::any_of(slices.begin(), slices.end(), [&](int n) { return database_.slice(n).has_distances(); });
  return memory(slices.back(), batch_, distances);
}

void Verifier::require_slices(int n) const {
  database_.slice(n);
  for (int k = 2; k <= std::min(n, kMostCaptured); ++k) database_.slice(n - k);
}

void Verifier::begin(int n) {
  require_slices(n);
  n_ = n;
  with_distances_ = database_.slice(n).has_distances();
  result_ = {};
  best_.reserve(batch_);
  stored_.reserve(batch_);
  look_ups_.reserve(batch_ * kLookUpsAPosition);
  if (!with_distances_) return;
  best_distance_.reserve(batch_);
  stored_distance_.reserve(batch_);
  ended_.reserve(batch_);
}

VerifyResult Verifier::slice(int n) {
  begin(n);
  // In a small slice smaller blocks, so that every rank gets some; the sum does not depend on them.
  const std::uint64_t share = plain::position_count(n) / (8 * size_);
  const std::uint64_t area = std::clamp(share, std::uint64_t{1} << 10, batch_);
  std::uint64_t number = 0;
  for (int s = 0; s <= n; ++s) {
    const std::vector<Half> waiting = plain::halves(s, true);
    const std::vector<Half> mover = plain::halves(n - s, false);
    if (waiting.empty()) continue;
    const Block block = block_of(waiting.size(), mover.size(), area);
    for (std::uint64_t w = 0; w < waiting.size(); w += block.waiting)
      for (std::uint64_t m = 0; m < mover.size(); m += block.mover)
        if (number++ % size_ == rank_)
          add_block(waiting, w, std::min(w + block.waiting, waiting.size()), mover, m,
                    std::min(m + block.mover, mover.size()));
  }
  settle();
  return result_;
}

void Verifier::add_block(const std::vector<Half>& waiting, std::uint64_t w, std::uint64_t w_end,
                         const std::vector<Half>& mover, std::uint64_t m, std::uint64_t m_end) {
  if (best_.size() + (w_end - w) * (m_end - m) > batch_) settle();
  for (std::uint64_t x = w; x < w_end; ++x) {
    // Halves of equal sum are neighbours in the file order of the row, so their places are consecutive.
    std::uint64_t place = plain::rank(join_halves(mover[m], waiting[x]));
    for (std::uint64_t y = m; y < m_end; ++y) add(join_halves(mover[y], waiting[x]), place++);
  }
}

VerifyResult Verifier::sample(int n, std::uint64_t k, std::uint64_t seed) {
  const std::uint64_t positions = plain::position_count(n);
  if (k >= positions) return slice(n);
  begin(n);
  const std::uint64_t start = mix(mix(seed) + static_cast<std::uint64_t>(n));
  for (std::uint64_t i = rank_; i < k; i += size_) {
    const std::uint64_t place = mix(start + i) % positions;
    if (best_.size() == batch_) settle();
    add(plain::board_at(n, place), place);
  }
  settle();
  return result_;
}

VerifyResult Verifier::position(int n, std::uint64_t place) {
  begin(n);
  add(plain::board_at(n, place), place);
  settle();
  return result_;
}

void Verifier::add(const Board& board, std::uint64_t place) {
  const std::uint64_t position = best_.size();
  const plain::Moves moves = plain::moves(board, rules_);
  const auto ended = static_cast<std::int16_t>(moves.ended ? clamped(*moves.ended) : kNoValue);
  best_.push_back(ended);
  if (with_distances_) {
    best_distance_.push_back(0);
    ended_.push_back(ended);
  }
  look_ups_.push_back(look_up_of(kOwn, place, position));
  for (const plain::Move& move : moves.pit) {
    if (!move.legal) continue;
    if (move.known)
      offer(position, move.value, 1);
    else
      look_ups_.push_back(
          look_up_of(static_cast<std::uint64_t>(move.captured), plain::rank(move.child), position));
  }
}

/// Numbers of an outcome database stand for all beyond them, so what moves give is clamped as well; what no
/// position can be worth stays as it is, to be seen.
int Verifier::clamped(int value) const { return std::abs(value) <= n_ ? scope_.clamp(n_, value) : value; }

/// A move that gives `offered`, with so many plies to the next capture or the end. Among moves of one value
/// who wins takes the shortest, who loses the longest. In any order the same comes out.
void Verifier::offer(std::uint64_t position, int offered, int distance) {
  const int value = clamped(offered);
  std::int16_t& best = best_[position];
  const bool better = value > best, equal = value == best;
  if (better) best = static_cast<std::int16_t>(value);
  if (!with_distances_ || !(better || equal)) return;
  std::uint16_t& best_distance = best_distance_[position];
  const auto own = static_cast<std::uint16_t>(std::min(distance, kLongest));
  best_distance = better ? own : value > 0 ? std::min(best_distance, own) : std::max(best_distance, own);
}

void Verifier::settle() {
  if (best_.empty()) return;
  stored_.resize(best_.size());
  stored_distance_.resize(best_distance_.size());
  boost::sort::spreadsort::integer_sort(look_ups_.begin(), look_ups_.end());
  look_up();
  compare();
  result_.checked += best_.size();
  best_.clear();
  best_distance_.clear();
  ended_.clear();
  look_ups_.clear();
  if (progress) progress(result_.checked);
}

void Verifier::look_up() {
  for (auto next = look_ups_.begin(); next != look_ups_.end();) {
    const std::uint64_t captured = captured_of(*next);
    const bool own = captured == kOwn;
    const SliceReader& reader = database_.slice(own ? n_ : n_ - static_cast<int>(captured));
    const std::uint64_t index = place_of(*next) / reader.chunk_size();
    const std::uint64_t first = index * reader.chunk_size();
    reader.read_chunk(index, chunk_);
    const bool distances = with_distances_ && (own || captured == 0);
    if (distances) reader.read_distance_chunk(index, distance_chunk_);
    for (;
         next != look_ups_.end() && captured_of(*next) == captured && place_of(*next) - first < chunk_.size();
         ++next) {
      const std::uint64_t at = place_of(*next) - first, position = position_of(*next);
      if (own) {
        stored_[position] = chunk_[at];
        if (distances) stored_distance_[position] = distance_chunk_[at];
      } else {
        // A capture is what the distance counts to.
        offer(position, static_cast<int>(captured) - chunk_[at], distances ? 1 + distance_chunk_[at] : 1);
      }
    }
  }
}

void Verifier::compare() {
  // The positions' own look-ups stand together, sorted by place.
  auto next = std::lower_bound(look_ups_.begin(), look_ups_.end(), look_up_of(kOwn, 0, 0));
  for (; next != look_ups_.end() && captured_of(*next) == kOwn; ++next) {
    const std::uint64_t position = position_of(*next), place = place_of(*next);
    const int stored = stored_[position];
    const int derived = best_[position];
    if (stored != derived || std::abs(stored) > scope_.width(n_)) {
      result_.add({0, 1, 0, place, plain::board_at(n_, place), stored, derived, 0, 0});
      continue;
    }
    if (!with_distances_) continue;
    const int distance = derived == 0 || derived == ended_[position] ? 0 : best_distance_[position];
    if (distance != stored_distance_[position])
      result_.add({0, 0, 1, place, plain::board_at(n_, place), stored, derived, stored_distance_[position],
                   distance});
  }
}

}  // namespace awele
