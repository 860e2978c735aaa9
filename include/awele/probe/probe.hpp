// Querying a database: the C++ interface of libawele_probe. Needs no MPI, and does not expose HDF5.
//
//   awele::Prober prober("awari");
//   awele::BoardAnswer answer = prober.answer(awele::parse_board("1 1 1 1 1 1 1 1 1 1 1 1"));
//
// Conventions: a board is 12 numbers of seeds (awele/game/board.hpp), the mover's six pits first. A value is
// from -n to n for n seeds on the board, for the side to move. A distance is a number of plies, see
// BoardAnswer. The C interface to the same library is awele/awele.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "awele/game/board.hpp"
#include "awele/game/scope.hpp"
#include "awele/support/error.hpp"
#include "awele/support/export.hpp"

namespace awele {

/// Why a question has no answer.
enum class ProbeFault {
  board,         ///< not a board: more than 48 seeds
  not_solved,    ///< the slice of the board, or one that its moves lead to, is not in the database
  no_distances,  ///< the slice was solved without distances
  file           ///< a file or directory is missing, cannot be read, is damaged or has other rules
};

/// What Prober throws. code() is ExitCode::usage for a board that cannot be in the database (too many seeds),
/// ExitCode::failure otherwise; what() is a sentence that names the board's seeds or the file, and the
/// remedy.
class AWELE_API ProbeError : public Error {
 public:
  ProbeError(ProbeFault fault, ExitCode code, const std::string& what) : Error(code, what), fault_(fault) {}
  ProbeFault fault() const { return fault_; }

 private:
  ProbeFault fault_;
};

/// What is known of one of the mover's pits.
struct MoveAnswer {
  Move::Kind kind = Move::Kind::empty;
  int captured = 0;
  std::optional<int> value;  ///< for the side that makes the move; none when the pit is empty or illegal
  /// Plies until the next capture or the end, this move included: 1 when it captures or ends the game itself.
  /// 0 when it is worth 0. None without a value, and where the slice has no distances.
  std::optional<int> distance;
};

/// What is known of a board.
struct BoardAnswer {
  int seeds = 0;
  int value = 0;  ///< for the side to move
  /// Plies until the next capture or the end, when both sides play for value first, and then the winner
  /// hurries and the loser delays. 0 when nothing is to come: the board is worth 0, or the game is over on
  /// it. None where the slice has no distances.
  std::optional<int> distance;
  std::array<MoveAnswer, kHalfPits> moves;
  /// Pits whose move is worth `value`, ascending; where there are distances, of these the ones with the least
  /// distance if the value is positive, the greatest if it is negative. Always playing one of them collects
  /// `value` in all. Empty when the rules end the game on this board, or when that end is better than any
  /// move (possible under majority-slam only).
  std::vector<int> best;
};

/// What the values of a BoardAnswer say, see Scope: all of them are exact in an exact database.
struct BoardBounds {
  Bound value = Bound::exact;
  std::array<Bound, kHalfPits> moves{};  ///< of each move that has a value
};

/// Which databases a Prober opens.
enum class Accept : std::uint8_t {
  exact,  ///< exact ones: all values are what they seem to be
  any     ///< also outcome databases, whose largest and smallest values are bounds
};

/// One slice of a database.
struct SliceContents {
  int seeds = 0;
  std::uint64_t positions = 0;  ///< stored positions
  std::uint64_t bytes = 0;      ///< size of the file
  std::uint32_t crc = 0;        ///< zlib's CRC-32 of the values
  bool distances = false;
  std::vector<std::uint64_t> histogram;  ///< stored positions of value v at index v + seeds
};

/// How the cache has done so far.
struct CacheUse {
  std::size_t bytes = 0;     ///< held now
  std::size_t capacity = 0;  ///< at most
  std::uint64_t hits = 0;    ///< look-ups (a batch: groups of look-ups in one chunk) that found their chunk
  std::uint64_t reads = 0;   ///< chunks read and checked
};

/// Answers questions about boards from a directory of slice files. A board is stored when its waiting half
/// has an empty pit (every board after a move has one); any other is valued by looking one move ahead.
///
/// Chunks of 65,536 positions are read and checked as they are needed and kept in a cache, from which the
/// least recently used go first. A slice once opened stays usable, whatever happens to its name; slices that
/// a solver adds are seen after refresh().
///
/// Thread safety: all member functions may be called concurrently, except for the constructor and the
/// destructor. The library calls HDF5 under one lock of its own, as HDF5 is usually not thread safe: a
/// program that calls HDF5 itself must not do so while another of its threads is in here. HDF5's own printing
/// of errors is switched off. A fork() waits for what is being read; the child may go on.
///
/// Errors: ProbeError (std::bad_alloc when memory is short). An error changes nothing for later calls; a
/// chunk that was damaged is read again when it is needed again.
class AWELE_API Prober {
 public:
  static constexpr std::size_t kDefaultCache = std::size_t{64} << 20;

  /// Opens every slice_NN.h5 of `dir` (none at all is no error). `cache_bytes`: see set_cache(). Throws
  /// ProbeFault::file when there is no such directory, a file is damaged or the files differ in rules.
  explicit Prober(const std::filesystem::path& dir, std::size_t cache_bytes = kDefaultCache);
  /// The same, for any kind of database. In an outcome database (Scope) value() and values() give the clamped
  /// values, from -W to W; answer() gives of each move, and of the board, the most that is known: a number,
  /// and in BoardBounds whether it is the value or a bound. Best moves are then those of the best clamped
  /// value: they keep every win and every draw of the games that the database is for.
  Prober(const std::filesystem::path& dir, std::size_t cache_bytes, Accept accept);
  ~Prober();
  Prober(Prober&&) noexcept;
  Prober& operator=(Prober&&) noexcept;

  const std::filesystem::path& dir() const;
  /// The rule set; none while there is no slice.
  std::optional<RuleSet> rules() const;
  /// Exact, or outcomes of games of how many seeds; exact while there is no slice.
  Scope scope() const;
  /// Throws ProbeFault::file unless the slices are of `rules` (no slice at all passes).
  void require_rules(RuleSet rules) const;
  /// The slices that are open, ascending.
  std::vector<SliceContents> contents() const;
  /// The largest number of seeds of any slice; -1 when there is none.
  int largest() const;
  /// The largest n such that the slices 0..n are all there; -1 when there is none. (Slice 47 is not needed
  /// for 48: a single seed is never captured.)
  int complete_up_to() const;
  bool has_slice(int n) const;
  bool has_distances(int n) const;

  /// Opens slices that have appeared since. Returns how many. Throws as the constructor does, and then
  /// nothing has changed.
  int refresh();

  /// Bounds the cache: bytes of chunks held, 65,536 for a chunk of values and twice that of distances. With 0
  /// every look-up reads its chunk again.
  void set_cache(std::size_t bytes);
  CacheUse cache_use() const;

  /// Throws what value() would throw before it reads anything: ProbeFault::board or not_solved. Says nothing
  /// about the slices that captures lead to.
  void require_solved(const Board& board) const;

  /// The value of a board. For a stored one its slice is enough; any other needs the slices its moves lead
  /// to.
  int value(const Board& board) const;
  /// The distance of a board (BoardAnswer::distance); ProbeFault::no_distances when its slice has none.
  int distance(const Board& board) const;
  /// The board, all its moves, and the best ones. Needs the slice of the board and those its captures lead
  /// to. ProbeFault::file when the value stored is not the one the moves give.
  BoardAnswer answer(const Board& board) const;
  BoardAnswer answer(const Board& board, BoardBounds& bounds) const;
  /// The value and what it says. For a board that is not stored, as in answer().
  KnownValue known_value(const Board& board) const;
  /// The first of answer().best; none when that is empty.
  std::optional<int> best_move(const Board& board) const;

  /// The same for many boards, in their order, never slower than one by one: what is in the cache is
  /// answered at once, the rest in the order of the files, each chunk read once. 16 bytes per look-up are
  /// needed besides the results (1 per board for values, up to 14 for answers). When one board has no answer
  /// the whole call throws.
  std::vector<std::int8_t> values(std::span<const Board> boards) const;
  std::vector<BoardAnswer> answers(std::span<const Board> boards) const;
  /// With one BoardBounds per board.
  std::vector<BoardAnswer> answers(std::span<const Board> boards, std::vector<BoardBounds>& bounds) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace awele
