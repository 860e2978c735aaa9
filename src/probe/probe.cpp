#include "awele/probe/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "awele/index/slice_index.hpp"
#include "awele/support/error.hpp"

namespace awele {

Prober::Prober(const Database& database, std::size_t chunks)
    : database_(database), capacity_(std::max<std::size_t>(chunks, 1)) {}

void Prober::require_solved(const Board& board) const {
  const int n = seeds(board);
  const std::string dir = database_.dir().string();
  if (n > kMaxSeeds)
    throw Error(ExitCode::usage,
                fmt::format("the board holds {} seeds, but the game has {}; remove {} of them", n, kMaxSeeds,
                            n - kMaxSeeds));
  if (database_.empty())
    throw Error(ExitCode::usage,
                fmt::format("{} holds no slice files; build them with: awele solve --seeds {} "
                            "--db {}",
                            dir, n, dir));
  const int top = database_.slices().back();
  if (n > top)
    throw Error(ExitCode::usage,
                fmt::format("the board holds {} seeds, but {} is solved up to {} only; go on "
                            "with: awele solve --seeds {} --db {} --rules {}",
                            n, dir, top, n, dir, name(database_.rules())));
}

int Prober::stored(const Board& board) {
  const int n = seeds(board);
  const SliceReader& slice = database_.slice(n);
  const std::uint64_t place = position_rank(board);
  const std::uint64_t index = place / slice.chunk_size();
  const std::uint64_t key = static_cast<std::uint64_t>(n) << 48 | index;
  if (const auto found = where_.find(key); found != where_.end()) {
    chunks_.splice(chunks_.begin(), chunks_, found->second);
  } else {
    Chunk fresh{key, {}};
    slice.read_chunk(index, fresh.values);
    if (chunks_.size() == capacity_) {
      where_.erase(chunks_.back().key);
      chunks_.pop_back();
    }
    chunks_.push_front(std::move(fresh));
    where_[key] = chunks_.begin();
  }
  return chunks_.front().values[place % slice.chunk_size()];
}

std::optional<int> Prober::value_of(const Move& move) {
  switch (move.kind) {
    case Move::Kind::empty:
    case Move::Kind::illegal:
      return std::nullopt;
    case Move::Kind::known:
      return move.value;
    case Move::Kind::inner:
    case Move::Kind::capture:
      break;
  }
  // Every board after a move has a hole, so this needs no further look-ahead.
  return move.captured - stored(move.child);
}

BoardAnswer Prober::look_ahead(const Board& board) {
  BoardAnswer answer;
  answer.seeds = seeds(board);
  const Moves all = moves(board, database_.rules());
  std::optional<int> best = all.ended;
  for (int i = 0; i < kHalfPits; ++i) {
    const Move& move = all.pit[i];
    answer.moves[i] = {move.kind, move.captured, value_of(move)};
    if (answer.moves[i].value && (!best || *answer.moves[i].value > *best)) best = answer.moves[i].value;
  }
  answer.value = best.value();
  for (int i = 0; i < kHalfPits; ++i)
    if (answer.moves[i].value == answer.value) answer.best.push_back(i);
  return answer;
}

int Prober::value(const Board& board) {
  require_solved(board);
  return has_hole(waiting_half(board)) ? stored(board) : look_ahead(board).value;
}

BoardAnswer Prober::answer(const Board& board) {
  require_solved(board);
  BoardAnswer answer = look_ahead(board);
  // A stored value is the best of its moves; a file that says otherwise is not what the solver wrote.
  if (has_hole(waiting_half(board)) && stored(board) != answer.value)
    throw Error(
        fmt::format("{} says {} for this board, but its moves say {}: one of the slices in {} is wrong; "
                    "find out which with: awele check --db {}",
                    database_.slice(answer.seeds).path().string(), stored(board), answer.value,
                    database_.dir().string(), database_.dir().string()));
  return answer;
}

}  // namespace awele
