#include "awele/probe/board_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

#include "awele/support/error.hpp"

namespace awele {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ExitCode::usage,
              what + "; write 12 numbers, the mover's pits first, such as 4,4,4,4,4,4,4,4,4,4,4,4");
}

std::vector<std::string_view> split(std::string_view text) {
  // White space separates any number of times, a comma exactly once: "1,,2" has an empty number.
  constexpr std::string_view kBlank = " \t\r\n";
  std::vector<std::string_view> words;
  bool after_comma = false;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    if (text.front() == ',') {
      if (after_comma || words.empty()) refuse("the board has a comma with no number before it");
      after_comma = true;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,"), text.size());
    words.push_back(text.substr(0, end));
    after_comma = false;
    text.remove_prefix(end);
  }
  if (after_comma) refuse("the board has a comma with no number after it");
  return words;
}

int parse_pit(std::string_view word) {
  long long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || (error != std::errc{} && error != std::errc::result_out_of_range))
    refuse(fmt::format("'{}' in the board is not a whole number", word));
  if (word.front() == '-' && (value != 0 || error != std::errc{}))
    refuse(fmt::format("{} in the board is negative", word));
  if (error != std::errc{} || value > kMaxSeeds)
    refuse(fmt::format("{} seeds in one pit are more than the {} of the game", word, kMaxSeeds));
  return static_cast<int>(value);
}

}  // namespace

Board parse_board(std::string_view text) {
  const std::vector<std::string_view> words = split(text);
  std::vector<int> pits;
  for (std::string_view word : words) pits.push_back(parse_pit(word));
  if (pits.size() != kPits)
    refuse(fmt::format("the board has {} number{}, not 12", pits.size(), pits.size() == 1 ? "" : "s"));
  Board board;
  int total = 0;
  for (int i = 0; i < kPits; ++i) {
    board[i] = static_cast<std::uint8_t>(pits[i]);
    total += pits[i];
  }
  if (total > kMaxSeeds)
    refuse(fmt::format("the board holds {} seeds, more than the {} of the game", total, kMaxSeeds));
  return board;
}

std::string format_board(const Board& board) { return fmt::format("{}", fmt::join(board, ",")); }

std::string draw_board(const Board& board) {
  std::string labels_above = "  waiting ", above = "           |", below = "           |";
  std::string labels_below = "  to move ";
  for (int k = 0; k < kHalfPits; ++k) {
    labels_above += fmt::format(" {:>4}", kPits - 1 - k);
    above += fmt::format(" {:>2} |", board[kPits - 1 - k]);
    below += fmt::format(" {:>2} |", board[k]);
    labels_below += fmt::format(" {:>4}", k);
  }
  std::string line = "           +";
  for (int k = 0; k < kHalfPits; ++k) line += "----+";
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", labels_above, line, above, line, below, line,
                     labels_below);
}

}  // namespace awele
