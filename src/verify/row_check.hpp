// All positions of a slice, derived with look-ups of whole rows.
//
// What a move does to the mover's half, given the number of seeds, says which row it ends in; what it does to
// a waiting half depends only on how many seeds are laid there and whether the last one is among them. So a
// block (some mover halves times some waiting halves with a hole, of one sum each) is worked off move by
// move: for each waiting half the place in the row and the number captured come from a list, which is made
// once, one seed at a time, for all mover halves that lay as much. The rows of a batch of blocks are sorted,
// so every chunk of a file is read once a batch.
//
// Moves that starve depend on the other moves of the board: boards with such a move are asked of
// plain::moves() as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "awele/store/database.hpp"
#include "awele/verify/plain_game.hpp"
#include "awele/verify/verifier.hpp"
#include "derived.hpp"

namespace awele {

/// Whole chunks of one file that lie side by side, kept as long as requests move on.
template <typename T>
class RowReader {
 public:
  /// The elements first .. last, valid until the next call. Preconditions: first <= last, both in the slice.
  const T* read(const SliceReader& reader, std::uint64_t first, std::uint64_t last);

 private:
  const SliceReader* reader_ = nullptr;
  std::uint64_t begin_ = 0, end_ = 0;  // chunks
  std::vector<T> values_, chunk_;
};

class RowCheck {
 public:
  /// `batch`: positions at a time; adds what it finds to `result`, and calls `progress` after each batch.
  RowCheck(const Database& database, int n, std::uint64_t batch, VerifyResult& result,
           const std::function<void(std::uint64_t)>& progress);

  /// Bytes a position of a batch takes, with everything that belongs to it.
  static std::uint64_t bytes_a_position(bool with_distances);
  /// Bytes besides.
  static std::uint64_t fixed_bytes(int n, bool with_distances);

  /// Every position that is dealt to `rank` of `size`.
  void run(std::uint64_t rank, std::uint64_t size);

 private:
  /// What laying does to one waiting half: the next mover's half is at `place` among those of its sum.
  struct Entry {
    std::uint32_t place, waiting;
  };
  /// The same laid over each half of a list.
  struct Laid {
    std::vector<Entry> entries;  // by number captured
    std::array<std::size_t, 17> starts{};
    std::array<std::uint32_t, 16> first{}, last{};  // places, smallest and largest of a number captured
    std::vector<std::uint32_t> starving;            // waiting halves that the move leaves without a seed
  };
  /// Waiting halves of one sum, side by side in the order, and what was laid over them so far.
  struct Group {
    int seeds = 0;
    std::vector<Half> waiting;
    std::map<int, Laid> laid;  // by seeds laid and where the last one fell
  };
  /// Groups whose lists are held at the same time.
  using Window = std::vector<std::shared_ptr<Group>>;
  struct Block {
    std::uint64_t base;         // position of its first board in the batch
    std::uint64_t width;        // waiting halves
    std::uint64_t first_mover;  // place among the halves of its sum
    std::uint64_t movers;
  };
  /// A row to look up in: it has waiting half `x`, as a number that sorts in file order.
  struct Job {
    std::uint64_t x;
    const Laid* laid;
    std::uint64_t base;
  };
  struct OwnJob {
    std::uint64_t x;
    std::uint32_t block, waiting;
  };

  std::vector<Window> windows() const;
  std::uint64_t positions_of(const Window& window, const Half& family, int free_pits) const;
  void add_family(const Window& window, const Half& family, int free_pits);
  void add_block(const std::shared_ptr<Group>& group, std::span<const Half> movers);
  void add_moves(Group& group, const Half& mover, std::uint64_t base);
  const Laid& laid_of(Group& group, const Half& mover, int pit, const plain::Played& alone);
  Laid lay(const std::vector<Half>& waiting, const Half& mover, int pit) const;
  void add_starving(const Board& board, std::uint64_t position);
  void add_single(const Board& child, std::uint64_t position);
  void settle();
  void look_up(int captured);
  void look_up(const Job& job, int captured, const SliceReader& reader);
  void prefetch(const OwnJob& job) const;
  void compare();

  const Database& database_;
  const int n_;
  const RuleSet rules_;
  const std::uint64_t batch_;
  VerifyResult& result_;
  const std::function<void(std::uint64_t)>& progress_;

  Derived derived_;
  std::vector<Block> blocks_;
  std::vector<Job> jobs_;
  std::vector<OwnJob> own_;
  std::deque<Laid> singles_;
  std::vector<std::uint32_t> starving_;
  RowReader<std::int8_t> values_;
  RowReader<std::uint16_t> distances_;
  std::array<std::int16_t, 256> offered_{};  // by stored value, for one number captured
};

}  // namespace awele
