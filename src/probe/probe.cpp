#include "awele/probe/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "at_fork.hpp"
#include "chunk_cache.hpp"
#include "look_ups.hpp"
#include "open_slice.hpp"

namespace awele {

struct Prober::Impl {
  std::filesystem::path dir;
  Accept accept;
  mutable ChunkCache cache;
  std::mutex refreshing;
  mutable std::mutex mutex;           // of the next line alone
  std::shared_ptr<const Shelf> open;  // replaced as a whole: who holds the old one may go on using it

  Impl(const std::filesystem::path& where, std::size_t cache_bytes, Accept kinds)
      : dir(where), accept(kinds), cache(cache_bytes) {}

  std::shared_ptr<const Shelf> shelf() const {
    const std::lock_guard lock(mutex);
    return open;
  }

  void require_solved(const Shelf& shelf, const Board& board) const;
  const OpenSlice& slice(const Shelf& shelf, int n) const {
    return *shelf.slices[static_cast<std::size_t>(n)];
  }
  int stored(const Shelf& shelf, const Board& board, Plane plane) const {
    const Place place = place_of(board, plane);
    return fetch(shelf, dir, cache, place.chunk)->at(place.at);
  }
  void require_consistent(const Shelf& shelf, const BoardAnswer& answer, int stored,
                          std::optional<int> ended) const;

 private:
  const AtFork at_fork{[this] {
                         refreshing.lock();
                         mutex.lock();
                         cache.before_fork();
                       },
                       [this](ForkSide side) {
                         cache.after_fork(side);
                         mutex.unlock();
                         refreshing.unlock();
                       }};
};

// ------------------------------------------------------------------------------------------ the directory

Prober::Prober(const std::filesystem::path& dir, std::size_t cache_bytes)
    : Prober(dir, cache_bytes, Accept::exact) {}
Prober::Prober(const std::filesystem::path& dir, std::size_t cache_bytes, Accept accept)
    : impl_(std::make_unique<Impl>(dir, cache_bytes, accept)) {
  auto shelf = std::make_shared<Shelf>();
  shelf->open_new(dir, accept);
  impl_->open = std::move(shelf);
}
Prober::~Prober() = default;
Prober::Prober(Prober&&) noexcept = default;
Prober& Prober::operator=(Prober&&) noexcept = default;

int Prober::refresh() {
  const std::lock_guard one_at_a_time(impl_->refreshing);
  auto shelf = std::make_shared<Shelf>(*impl_->shelf());
  const int opened = shelf->open_new(impl_->dir, impl_->accept);
  const std::lock_guard lock(impl_->mutex);
  impl_->open = std::move(shelf);
  return opened;
}

const std::filesystem::path& Prober::dir() const { return impl_->dir; }
std::optional<RuleSet> Prober::rules() const { return impl_->shelf()->rules(); }
Scope Prober::scope() const { return impl_->shelf()->scope(); }

void Prober::require_rules(RuleSet wanted) const {
  const auto shelf = impl_->shelf();  // held as long as its slices are looked at
  for (const auto& slice : shelf->slices)
    if (slice && slice->info().rules != wanted)
      throw ProbeError(
          ProbeFault::file, ExitCode::failure,
          fmt::format("{} has the rule set {}, not {}; give --rules {} where the command has it, or "
                      "another directory",
                      slice->path().string(), name(slice->info().rules), name(wanted),
                      name(slice->info().rules)));
}

std::vector<SliceContents> Prober::contents() const {
  std::vector<SliceContents> all;
  const auto shelf = impl_->shelf();
  for (const auto& slice : shelf->slices) {
    if (!slice) continue;
    const SliceInfo& info = slice->info();
    all.push_back(
        {info.seeds, info.positions, slice->file_bytes(), info.crc, slice->has_distances(), info.histogram});
  }
  return all;
}

int Prober::largest() const { return impl_->shelf()->largest(); }

int Prober::complete_up_to() const {
  const auto shelf = impl_->shelf();
  const auto has = [&](int n) {
    return n <= kMaxSeeds && shelf->slices[static_cast<std::size_t>(n)] != nullptr;
  };
  int top = -1;
  while (has(top + 1)) ++top;
  // A 48-seed solve leaves 47 out: one seed alone can never be captured.
  return top == kMaxSeeds - 2 && has(kMaxSeeds) ? kMaxSeeds : top;
}

bool Prober::has_slice(int n) const {
  return n >= 0 && n <= kMaxSeeds && impl_->shelf()->slices[static_cast<std::size_t>(n)] != nullptr;
}

bool Prober::has_distances(int n) const {
  const auto shelf = impl_->shelf();
  return n >= 0 && n <= kMaxSeeds && shelf->slices[static_cast<std::size_t>(n)] != nullptr &&
         impl_->slice(*shelf, n).has_distances();
}

void Prober::set_cache(std::size_t bytes) { impl_->cache.set_capacity(bytes); }
CacheUse Prober::cache_use() const { return impl_->cache.use(); }

// ---------------------------------------------------------------------------------------------- one board

void Prober::Impl::require_solved(const Shelf& shelf, const Board& board) const {
  const int n = seeds(board);
  const auto refuse = [](ProbeFault fault, const std::string& what) {
    throw ProbeError(fault, ExitCode::usage, what);
  };
  if (n > kMaxSeeds)
    refuse(ProbeFault::board, fmt::format("the board holds {} seeds, but the game has {}; remove {} of them",
                                          n, kMaxSeeds, n - kMaxSeeds));
  if (shelf.slices[static_cast<std::size_t>(n)]) return;
  const int top = shelf.largest();
  if (top < 0)
    refuse(ProbeFault::not_solved,
           fmt::format("{} holds no slice files; build them with: awele solve --seeds {} "
                       "--db {}",
                       dir.string(), n, dir.string()));
  if (n > top)
    refuse(ProbeFault::not_solved, fmt::format("the board holds {} seeds, but {} is solved only up to {}; "
                                               "continue with: awele solve --seeds {} --db {} --rules {}{}",
                                               n, dir.string(), top, n, dir.string(), name(*shelf.rules()),
                                               solve_options(shelf.scope())));
  fail_missing(shelf, dir, n);
}

void Prober::require_solved(const Board& board) const { impl_->require_solved(*impl_->shelf(), board); }

int Prober::value(const Board& board) const {
  const auto shelf = impl_->shelf();
  impl_->require_solved(*shelf, board);
  if (has_hole(waiting_half(board))) return impl_->stored(*shelf, board, Plane::values);
  return values(std::span(&board, 1)).front();
}

int Prober::distance(const Board& board) const {
  const auto shelf = impl_->shelf();
  impl_->require_solved(*shelf, board);
  const int n = seeds(board);
  if (!impl_->slice(*shelf, n).has_distances()) fail_without_distances(*shelf, impl_->dir, n);
  if (has_hole(waiting_half(board))) return impl_->stored(*shelf, board, Plane::distances);
  return *answer(board).distance;
}

BoardAnswer Prober::answer(const Board& board) const {
  return std::move(answers(std::span(&board, 1)).front());
}

BoardAnswer Prober::answer(const Board& board, BoardBounds& bounds) const {
  std::vector<BoardBounds> found;
  BoardAnswer answer = std::move(answers(std::span(&board, 1), found).front());
  bounds = found.front();
  return answer;
}

KnownValue Prober::known_value(const Board& board) const {
  if (has_hole(waiting_half(board)) || scope().exact()) {
    const int number = value(board);
    return scope().known(seeds(board), number);
  }
  BoardBounds bounds;
  const int number = answer(board, bounds).value;
  return {number, bounds.value};
}

std::optional<int> Prober::best_move(const Board& board) const {
  const BoardAnswer found = answer(board);
  if (found.best.empty()) return std::nullopt;
  return found.best.front();
}

// -------------------------------------------------------------------------------------------- many boards

namespace {

constexpr std::int8_t kNoValue = std::numeric_limits<std::int8_t>::min();
// Slots 0..5 are values of the boards after the moves; then:
constexpr int kOwnValue = 6, kOwnDistance = 7, kMoveDistance = 8;

bool looked_up(const Move& move) {
  return move.kind == Move::Kind::inner || move.kind == Move::Kind::capture;
}

/// The best that is known without look-ups, or kNoValue.
int value_at_once(const Moves& all) {
  int best = all.ended.value_or(kNoValue);
  for (const Move& move : all.pit)
    if (move.kind == Move::Kind::known) best = std::max(best, move.value);
  return best;
}

/// What the moves give at once, and the look-ups for the rest, which are entered into `answer`.
template <typename Sink>
void begin_answer(const Board& board, const Moves& all, bool distances, std::size_t at, BoardAnswer& answer,
                  Sink& look_ups) {
  answer.seeds = seeds(board);
  answer.value = value_at_once(all);
  for (int i = 0; i < kHalfPits; ++i) {
    const Move& move = all.pit[i];
    answer.moves[i] = {move.kind, move.captured, {}, {}};
    if (move.kind == Move::Kind::known) answer.moves[i].value = move.value;
    if (looked_up(move)) look_ups.add(move.child, Plane::values, at, i);
    if (distances && move.kind == Move::Kind::inner)
      look_ups.add(move.child, Plane::distances, at, kMoveDistance + i);
    else if (distances && (looked_up(move) || move.kind == Move::Kind::known))
      answer.moves[i].distance = 1;
  }
  if (!has_hole(waiting_half(board))) return;
  look_ups.add(board, Plane::values, at, kOwnValue);
  if (distances) look_ups.add(board, Plane::distances, at, kOwnDistance);
}

/// Enters one number that was looked up.
void enter(BoardAnswer& answer, std::int8_t& stored, int slot, int number) {
  if (slot < kHalfPits) {
    MoveAnswer& move = answer.moves[static_cast<std::size_t>(slot)];
    move.value = move.captured - number;
    answer.value = std::max(answer.value, *move.value);
  } else if (slot == kOwnValue) {
    stored = static_cast<std::int8_t>(number);
  } else if (slot == kOwnDistance) {
    answer.distance = number;
  } else {
    answer.moves[static_cast<std::size_t>(slot - kMoveDistance)].distance = 1 + number;
  }
}

/// What such a number says of the move that it is looked up for, if it is a value of one.
void enter_bound(const BoardAnswer& answer, Scope scope, int slot, int number, BoardBounds& bounds) {
  if (slot >= kHalfPits) return;
  const auto pit = static_cast<std::size_t>(slot);
  const int captured = answer.moves[pit].captured;
  bounds.moves[pit] = after_move(captured, scope.known(answer.seeds - captured, number)).bound;
}

/// What an answer from an outcome database says: the most that follows from its moves.
void find_bounds(BoardAnswer& answer, std::optional<int> ended, BoardBounds& bounds) {
  std::optional<KnownValue> best;
  if (ended) best = KnownValue{*ended};
  for (std::size_t i = 0; i < answer.moves.size(); ++i) {
    if (!answer.moves[i].value) continue;
    const KnownValue move{*answer.moves[i].value, bounds.moves[i]};
    best = best ? better_of(*best, move) : move;
  }
  if (!best) return;
  answer.value = best->value;
  bounds.value = best->bound;
}

/// Whether a value is as good as the board's, as far as the database tells values apart.
bool as_good(std::optional<int> value, const BoardAnswer& answer, Scope scope) {
  return value && scope.clamp(answer.seeds, *value) == scope.clamp(answer.seeds, answer.value);
}

/// The distance of the best moves, those worth `value`; none when no move is.
std::optional<int> best_distance(const BoardAnswer& answer, Scope scope) {
  std::optional<int> best;
  for (const MoveAnswer& move : answer.moves) {
    if (!as_good(move.value, answer, scope)) continue;
    if (!best) best = move.distance;
    best = answer.value > 0 ? std::min(best, move.distance) : std::max(best, move.distance);
  }
  return best;
}

/// Chooses the best moves and, for a board that is not stored, its distance.
void finish_answer(BoardAnswer& answer, std::optional<int> ended, bool distances, Scope scope) {
  if (distances)
    for (MoveAnswer& move : answer.moves)
      if (move.value == 0) move.distance = 0;  // a capture that wins nothing is not forced
  const std::optional<int> wanted = best_distance(answer, scope);
  for (int i = 0; i < kHalfPits; ++i) {
    const MoveAnswer& move = answer.moves[static_cast<std::size_t>(i)];
    if (as_good(move.value, answer, scope) && move.distance == wanted) answer.best.push_back(i);
  }
  if (distances && !answer.distance) answer.distance = as_good(ended, answer, scope) ? 0 : wanted;
}

/// True unless the moves give another distance than the one stored.
bool same_distance(const BoardAnswer& answer, std::optional<int> ended, Scope scope) {
  return !answer.distance || as_good(ended, answer, scope) || answer.distance == best_distance(answer, scope);
}

}  // namespace

/// What is stored is what the moves give; a file that says otherwise is not what the solver wrote.
void Prober::Impl::require_consistent(const Shelf& shelf, const BoardAnswer& answer, int stored,
                                      std::optional<int> ended) const {
  const Scope scope = shelf.scope();
  std::string what;
  if (stored != scope.clamp(answer.seeds, answer.value))
    what = fmt::format("says {} for this board, but its moves say {}", stored, answer.value);
  else if (!same_distance(answer, ended, scope))
    what = fmt::format("says a distance of {} for this board, but its moves say {}", *answer.distance,
                       best_distance(answer, scope).value_or(0));
  else
    return;
  throw ProbeError(
      ProbeFault::file, ExitCode::failure,
      fmt::format("{} {}: one of the slices in {} is wrong; find out which with: awele check --db {}",
                  slice(shelf, answer.seeds).path().string(), what, dir.string(), dir.string()));
}

std::vector<BoardAnswer> Prober::answers(std::span<const Board> boards) const {
  std::vector<BoardBounds> bounds;
  return answers(boards, bounds);
}

std::vector<BoardAnswer> Prober::answers(std::span<const Board> boards,
                                         std::vector<BoardBounds>& bounds) const {
  const auto shelf = impl_->shelf();
  const Scope scope = shelf->scope();
  bounds.assign(boards.size(), BoardBounds{});
  std::vector<BoardAnswer> answers(boards.size());
  std::vector<std::int8_t> stored(boards.size(), kNoValue);
  std::vector<std::optional<int>> ended(boards.size());
  LookUps look_ups(*shelf, impl_->dir, impl_->cache, boards.size(), [&](std::size_t k, int slot, int number) {
    enter(answers[k], stored[k], slot, number);
    if (!scope.exact()) enter_bound(answers[k], scope, slot, number, bounds[k]);
  });
  const auto has_distances = [&](int n) { return impl_->slice(*shelf, n).has_distances(); };
  for (std::size_t k = 0; k < boards.size(); ++k) {
    impl_->require_solved(*shelf, boards[k]);
    const Moves all = moves(boards[k], *shelf->rules());
    ended[k] = all.ended;
    begin_answer(boards[k], all, has_distances(seeds(boards[k])), k, answers[k], look_ups);
  }
  look_ups.finish();
  for (std::size_t k = 0; k < answers.size(); ++k) {
    if (!scope.exact()) find_bounds(answers[k], ended[k], bounds[k]);
    finish_answer(answers[k], ended[k], has_distances(answers[k].seeds), scope);
    if (stored[k] != kNoValue) impl_->require_consistent(*shelf, answers[k], stored[k], ended[k]);
  }
  return answers;
}

std::vector<std::int8_t> Prober::values(std::span<const Board> boards) const {
  const auto shelf = impl_->shelf();
  std::vector<std::int8_t> values(boards.size(), kNoValue);
  LookUps look_ups(*shelf, impl_->dir, impl_->cache, boards.size(),
                   [&](std::size_t k, int captured, int number) {
                     const int value = captured < 0 ? number : captured - number;
                     values[k] = std::max(values[k], static_cast<std::int8_t>(value));
                   });
  for (std::size_t k = 0; k < boards.size(); ++k) {
    impl_->require_solved(*shelf, boards[k]);
    if (has_hole(waiting_half(boards[k]))) {
      look_ups.add(boards[k], Plane::values, k, -1);
      continue;
    }
    const Moves all = moves(boards[k], *shelf->rules());
    values[k] = static_cast<std::int8_t>(value_at_once(all));
    for (const Move& move : all.pit)
      if (looked_up(move)) look_ups.add(move.child, Plane::values, k, move.captured);
  }
  look_ups.finish();
  const Scope scope = shelf->scope();
  if (scope.exact()) return values;
  for (std::size_t k = 0; k < boards.size(); ++k)
    values[k] = static_cast<std::int8_t>(scope.clamp(seeds(boards[k]), values[k]));
  return values;
}

}  // namespace awele
