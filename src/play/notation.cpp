#include "awele/play/notation.hpp"

#include <fmt/format.h>

#include <charconv>

#include "awele/support/error.hpp"

namespace awele {

char pit_letter(Side side, int pit) { return static_cast<char>((side == Side::first ? 'A' : 'a') + pit); }

std::string format_move(const PlayedMove& move) {
  return fmt::format("{}{}{}", pit_letter(move.side, move.pit), move.sown,
                     move.captured > 0 ? fmt::format("x{}", move.captured) : "");
}

std::optional<int> pit_of_letter(char letter) {
  if (letter >= 'A' && letter <= 'F') return letter - 'A';
  if (letter >= 'a' && letter <= 'f') return letter - 'a';
  return std::nullopt;
}

std::string draw_situation(const Situation& situation, Side below) {
  const bool mover_below = situation.to_move == below;
  const Half lower = mover_below ? mover_half(situation.board) : waiting_half(situation.board);
  const Half upper = mover_below ? waiting_half(situation.board) : mover_half(situation.board);
  std::string labels_above, row_above, row_below, labels_below, line = "  +";
  for (int k = 0; k < kHalfPits; ++k) {
    const int back = kHalfPits - 1 - k;
    labels_above += fmt::format(" {:>3} ", pit_letter(other(below), back));
    row_above += fmt::format(" {:>2} |", upper[back]);
    row_below += fmt::format(" {:>2} |", lower[k]);
    labels_below += fmt::format(" {:>3} ", pit_letter(below, k));
    line += "----+";
  }
  const auto player = [&](Side side) {
    return fmt::format("   {} {:>2}{}", name(side), situation.store(side),
                       side == situation.to_move ? "  <- to move" : "");
  };
  return fmt::format("  {}\n{}\n  |{}{}\n{}\n  |{}{}\n{}\n  {}\n", labels_above, line, row_above,
                     player(other(below)), line, row_below, player(below), line, labels_below);
}

Stores parse_stores(std::string_view text) {
  Stores stores{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int k = 0; k < 2; ++k) {
    const auto [stop, error] = std::from_chars(at, end, stores[k]);
    const bool good = error == std::errc{} && (k == 0 ? stop != end && *stop == ',' : stop == end);
    if (!good || stores[k] < 0 || stores[k] > kMaxSeeds)
      throw Error(ExitCode::usage,
                  fmt::format("the stores '{}' are not two numbers of seeds; write them as 14,9, the side to "
                              "move first",
                              text));
    if (k == 0) at = stop + 1;
  }
  return stores;
}

}  // namespace awele
