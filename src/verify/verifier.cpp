#include "awele/verify/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/sort/spreadsort/integer_sort.hpp>

#include "awele/support/error.hpp"
#include "awele/verify/plain_game.hpp"
#include "awele/verify/plain_index.hpp"
#include "row_check.hpp"

namespace awele {

namespace {

// A look-up of a single position is one 64-bit number: seeds captured (0..15; 1 cannot happen and stands for
// the position's own stored value), place in the slice, position in the batch. In this order sorting brings
// together what lies in one chunk.
constexpr int kBatchBits = 22;
constexpr int kPlaceBits = 38;
constexpr std::uint64_t kOwn = 1;
constexpr int kMostCaptured = 15;  // five pits of 3; a capture of six pits starves and is known at once

constexpr std::uint64_t kLookUpsAPosition = 7;

/// Single positions at a time: look-ups have no room for more, and take no more memory than rows do.
std::uint64_t singles(std::uint64_t batch) { return std::min(batch / 4, std::uint64_t{1} << kBatchBits); }

std::uint64_t look_up_of(std::uint64_t captured, std::uint64_t place, std::uint64_t position) {
  return captured << (kPlaceBits + kBatchBits) | place << kBatchBits | position;
}
std::uint64_t captured_of(std::uint64_t look_up) { return look_up >> (kPlaceBits + kBatchBits); }
std::uint64_t place_of(std::uint64_t look_up) {
  return look_up >> kBatchBits & ((std::uint64_t{1} << kPlaceBits) - 1);
}
std::uint64_t position_of(std::uint64_t look_up) { return look_up & ((std::uint64_t{1} << kBatchBits) - 1); }

/// A well-mixed 64-bit number for each `x` (the finalizer of splitmix64).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
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
  // What the file library holds: its own some 24 MiB, and for each file in use up to 32 MiB of the index of
  // its chunks.
  std::uint64_t library = std::uint64_t{24} << 20;
  for (int k = 0; k <= std::min(n, kMostCaptured); ++k)
    library += std::min(16 * (plain::position_count(n - k) / kChunk), std::uint64_t{32} << 20);
  return batch * RowCheck::bytes_a_position(distances) + RowCheck::fixed_bytes(n, distances) + library +
         (std::uint64_t{1} << 20);
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

Verifier::~Verifier() = default;

void Verifier::begin(int n) {
  require_slices(n);
  n_ = n;
  result_ = {};
  derived_ = std::make_unique<Derived>(n, scope_, database_.slice(n).has_distances());
  look_ups_.reserve(singles(batch_) * kLookUpsAPosition);
}

VerifyResult Verifier::slice(int n) {
  require_slices(n);
  VerifyResult result;
  RowCheck(database_, n, batch_, result, progress).run(rank_, size_);
  return result;
}

VerifyResult Verifier::sample(int n, std::uint64_t k, std::uint64_t seed) {
  const std::uint64_t positions = plain::position_count(n);
  if (k >= positions) return slice(n);
  begin(n);
  const std::uint64_t start = mix(mix(seed) + static_cast<std::uint64_t>(n));
  for (std::uint64_t i = rank_; i < k; i += size_) {
    const std::uint64_t place = mix(start + i) % positions;
    if (derived_->size() == singles(batch_)) settle();
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
  const std::uint64_t position = derived_->size();
  derived_->add(1);
  const plain::Moves moves = plain::moves(board, rules_);
  if (moves.ended) derived_->ends(position, *moves.ended);
  look_ups_.push_back(look_up_of(kOwn, place, position));
  for (const plain::Move& move : moves.pit) {
    if (!move.legal) continue;
    if (move.known)
      derived_->offer(position, move.value, 1);
    else
      look_ups_.push_back(
          look_up_of(static_cast<std::uint64_t>(move.captured), plain::rank(move.child), position));
  }
}

void Verifier::settle() {
  if (derived_->size() == 0) return;
  stored_.resize(derived_->size());
  stored_distance_.resize(derived_->size());
  boost::sort::spreadsort::integer_sort(look_ups_.begin(), look_ups_.end());
  look_up();
  compare();
  result_.checked += derived_->size();
  derived_->clear();
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
    const bool distances = derived_->with_distances() && (own || captured == 0);
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
        derived_->offer(position, static_cast<int>(captured) - chunk_[at],
                        distances ? 1 + distance_chunk_[at] : 1);
      }
    }
  }
}

void Verifier::compare() {
  // The positions' own look-ups stand together, sorted by place.
  auto next = std::lower_bound(look_ups_.begin(), look_ups_.end(), look_up_of(kOwn, 0, 0));
  for (; next != look_ups_.end() && captured_of(*next) == kOwn; ++next) {
    const std::uint64_t position = position_of(*next);
    derived_->judge(position, place_of(*next), stored_[position], stored_distance_[position], result_);
  }
}

}  // namespace awele
