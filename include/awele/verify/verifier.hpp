// Re-derives stored values from those of their children, one forward move, on plain boards of twelve pits.
// Uses plain_game, plain_index and the file reader, nothing of what computed the files.
//
// All positions of a slice are taken row by row (src/verify/row_check.hpp). Single ones (a sample) are looked
// up one by one: look-ups are collected for a batch of positions, sorted by chunk, and every chunk is read
// once a batch.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/store/database.hpp"

namespace awele {

class Derived;

/// What a successful verification means; for the user.
inline constexpr const char* kVerifyMeaning =
    "Every value checked follows by one move from the values of the positions after it. This is necessary "
    "but not sufficient: wrong values that support each other along a cycle of moves without capture would "
    "pass. Distances, where there are any, are checked in the same way.";

/// What one rank, or all of them together, found in a slice.
struct VerifyResult {
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;            ///< values
  std::uint64_t wrong_distances = 0;  ///< of positions whose value is right
  std::uint64_t first = kNone;        ///< smallest place of a wrong value or distance
  // Of the position at `first`, when there is one:
  Board board{};
  int stored = 0;
  int derived = 0;
  int stored_distance = 0, derived_distance = 0;  ///< when the values are equal

  void add(const VerifyResult& other);
};

class Verifier {
 public:
  /// Work is dealt to `size` ranks; every rank makes the same calls and the results are to be added up.
  /// `memory_limit`: bytes this rank may use, 0 for no limit. Larger batches read fewer chunks, so the
  /// largest batch that fits is taken; an Error with ExitCode::no_resources when the smallest does not fit.
  /// Precondition: the database is not empty.
  Verifier(const Database& database, int rank, int size, std::uint64_t memory_limit = 0);
  ~Verifier();

  /// Bytes that a rank needs to verify slices of at most `n` seeds in batches of `batch` positions.
  static std::uint64_t memory(int n, std::uint64_t batch, bool distances = false);
  static constexpr std::uint64_t kLargestBatch = std::uint64_t{1} << 24;
  static constexpr std::uint64_t kSmallestBatch = std::uint64_t{1} << 12;

  /// Bytes that this rank needs at most.
  std::uint64_t memory() const;
  std::uint64_t batch() const { return batch_; }

  /// Every value of slice n that is dealt to this rank. An Error that names it when slice n or one of the
  /// slices its captures lead to is missing, the same on all ranks.
  VerifyResult slice(int n);
  /// This rank's share of `k` positions drawn at random, with repetition; which ones depends on n, k and
  /// `seed` alone. All positions, when the slice has no more than k.
  VerifyResult sample(int n, std::uint64_t k, std::uint64_t seed);
  /// The position at one place of slice n: to get, from the smallest `first` of all ranks, what is wrong
  /// there.
  VerifyResult position(int n, std::uint64_t place);

  /// Called after each batch with the number of positions of the current slice this rank has checked.
  std::function<void(std::uint64_t checked)> progress;

 private:
  void require_slices(int n) const;
  void begin(int n);
  void add(const Board& board, std::uint64_t place);
  void settle();
  void look_up();
  void compare();

  const Database& database_;
  RuleSet rules_;
  Scope scope_;
  std::uint64_t rank_, size_;
  std::uint64_t batch_;

  int n_ = 0;
  VerifyResult result_;
  // Single positions: what their moves say so far, what is stored, and what is still to be read.
  std::unique_ptr<Derived> derived_;
  std::vector<std::int8_t> stored_;
  std::vector<std::uint16_t> stored_distance_;
  std::vector<std::uint64_t> look_ups_;
  std::vector<std::int8_t> chunk_;
  std::vector<std::uint16_t> distance_chunk_;
};

}  // namespace awele
