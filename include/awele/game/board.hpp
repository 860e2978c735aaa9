// The game itself: boards, sowing, capturing and the rules. Knows nothing of indices, files or MPI.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "awele/support/export.hpp"

namespace awele {

inline constexpr int kHalfPits = 6;
inline constexpr int kPits = 12;
inline constexpr int kMaxSeeds = 48;

/// Seeds of one side, leftmost pit first as its owner sees it. 0..48 per pit.
using Half = std::array<std::uint8_t, kHalfPits>;

/// Pits in sowing order: 0..5 the mover's, 6..11 the waiting side's.
using Board = std::array<std::uint8_t, kPits>;

AWELE_API int seeds(const Half& half);
AWELE_API int seeds(const Board& board);
AWELE_API Half mover_half(const Board& board);
AWELE_API Half waiting_half(const Board& board);
AWELE_API Board join(const Half& mover, const Half& waiting);

/// True when the waiting half has an empty pit. Only such boards are stored (every board after a move is
/// one).
AWELE_API bool has_hole(const Half& half);

/// The five rule sets. They differ only in starving moves, empty halves and grand slams; see
/// src/game/README.md.
enum class RuleSet : std::uint8_t { awari, unrestricted, majority_slam, never_starve, abapa };

inline constexpr std::array<RuleSet, 5> kRuleSets = {
    RuleSet::awari, RuleSet::unrestricted, RuleSet::majority_slam, RuleSet::never_starve, RuleSet::abapa};

AWELE_API std::string_view name(RuleSet rules);
/// The rule set of that name, or nothing.
AWELE_API std::optional<RuleSet> parse_rules(std::string_view text);
/// "awari, unrestricted, ..." for messages.
AWELE_API std::string rule_names();

/// What one pit offers to the side to move.
struct Move {
  enum class Kind : std::uint8_t {
    empty,    ///< no seeds in the pit
    illegal,  ///< a starving move that the rules forbid here
    inner,    ///< legal, nothing captured: leads to `child`, a board of the same slice
    capture,  ///< legal: leads to `child`, `captured` seeds fewer
    known     ///< legal, and its value is known at once (`value`): no look-up
  };
  Kind kind = Kind::empty;
  int captured = 0;
  int value = 0;
  Board child{};  ///< seen by the side that moves next
};

struct Moves {
  std::array<Move, kHalfPits> pit;
  /// What the board is worth without a move, where the rules end the game on it: no seeds to move, or no
  /// legal move. Under majority-slam a slam (Kind::known) can stand beside it; the value is the larger of the
  /// two.
  std::optional<int> ended;
};

/// All moves of the side to move, under `rules`.
AWELE_API Moves moves(const Board& board, RuleSet rules);

}  // namespace awele
