// Which captures lead from where to where: for waiting halves with a given number of seeds, a pattern and a
// number captured, the columns of the state row they start from and the places of the row they end in.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "awele/game/sowing.hpp"

namespace awele {

inline constexpr int kMostCaptured = 15;  ///< five pits of three; a capture of all six starves

/// Most seeds that a move into slice n's smaller slices captures.
inline int most_captured(int n) { return std::min(n, kMostCaptured); }

/// The captures of exactly k seeds by one pattern from waiting halves with a given number of seeds.
struct CaptureEdges {
  std::vector<std::uint32_t> place;   ///< rank of the next mover's half in its row
  std::vector<std::uint32_t> column;  ///< hole rank of the waiting half before the move
};

/// Which edges: those of waiting halves with so many seeds. 1 <= j <= 6, 2 <= k <= kMostCaptured.
struct CaptureKind {
  int waiting_seeds = 0;
  Pattern laid;
  int k = 0;
};

/// Makes the edges of a kind: some 20 ns each.
CaptureEdges make_edges(const CaptureKind& kind);
/// How many there are, by counting; also what edges they take in bytes.
std::uint64_t edge_count(const CaptureKind& kind);
inline std::uint64_t edge_bytes(const CaptureKind& kind) {
  return edge_count(kind) * 2 * sizeof(std::uint32_t);
}

/// Edges by kind, made when first asked for and kept within a bound of bytes. Where all do not fit, those of
/// few seeds stay: they are small, and it is the many short rows that use them again and again.
class CaptureTables {
 public:
  using Make = std::function<CaptureEdges(const CaptureKind&)>;
  explicit CaptureTables(std::uint64_t most_bytes = kLittle, Make make = make_edges)
      : most_bytes_(most_bytes), make_(std::move(make)) {}

  /// The bound for slice n on `ranks` ranks: what one number captured needs, the largest of them, if that is
  /// little or little against the rank's share of the slice, and not more than what thrashes nowhere
  /// (tests/exits_test.cpp).
  static std::uint64_t bound(int n, int ranks);
  static constexpr std::uint64_t kLittle = std::uint64_t{9} << 20, kEnough = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kPositionsAByte = 16;

  /// One table may be larger.
  void set_bound(std::uint64_t most_bytes) { most_bytes_ = most_bytes; }
  /// Valid until the next call.
  const CaptureEdges& edges(const CaptureKind& kind);

 private:
  struct Table {
    CaptureKind kind;
    std::uint64_t bytes;
    CaptureEdges edges;
  };
  static constexpr std::size_t kLaps = 3;  // with more every pit of the waiting side holds four or more
  Table*& known(const CaptureKind& kind);
  void make_room(int k, std::uint64_t bytes);

  std::uint64_t most_bytes_;
  Make make_;
  std::uint64_t bytes_ = 0;
  std::list<Table> tables_;
  std::array<std::array<std::array<std::array<Table*, kMostCaptured + 1>, kHalfPits + 1>, kLaps>,
             kMaxSeeds + 1>
      known_{};
};

}  // namespace awele
