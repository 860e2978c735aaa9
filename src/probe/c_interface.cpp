// awele/awele.h on top of Prober: no exception may leave, and nothing is written unless all went well.
#include <algorithm>
#include <cstring>
#include <new>

#include "awele/awele.h"
#include "awele/probe/order.hpp"
#include "awele/probe/probe.hpp"
#include "awele/support/version.hpp"

struct awele_db {
  awele::Prober prober;
};

namespace {

thread_local std::string last_message;

awele_status fail(awele_status status, const char* what) noexcept {
  try {
    last_message = what;
  } catch (...) {
    last_message.clear();
  }
  return status;
}

awele_status status_of(awele::ProbeFault fault) {
  switch (fault) {
    case awele::ProbeFault::board:
      return AWELE_ERROR_BOARD;
    case awele::ProbeFault::not_solved:
      return AWELE_ERROR_NOT_SOLVED;
    case awele::ProbeFault::no_distances:
      return AWELE_ERROR_NO_DISTANCES;
    case awele::ProbeFault::file:
      return AWELE_ERROR_FILE;
  }
  return AWELE_ERROR_INTERNAL;
}

/// Runs `action`; its exceptions become a status and a message.
template <typename Action>
awele_status guarded(Action action) noexcept {
  try {
    return action();
  } catch (const awele::ProbeError& error) {
    return fail(status_of(error.fault()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(AWELE_ERROR_MEMORY, "not enough memory; free some, or give a smaller cache");
  } catch (const std::exception& error) {
    return fail(AWELE_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(AWELE_ERROR_INTERNAL, "an unknown error");
  }
}

bool any_null(std::initializer_list<const void*> pointers) {
  return std::find(pointers.begin(), pointers.end(), nullptr) != pointers.end();
}

awele_status null_pointer() noexcept {
  return fail(AWELE_ERROR_ARGUMENT, "a pointer that must not be null is null");
}

awele::Board to_board(const unsigned char* pits) {
  awele::Board board;
  std::copy_n(pits, awele::kPits, board.begin());
  return board;
}

std::vector<awele::Board> to_boards(const unsigned char* pits, std::size_t count) {
  std::vector<awele::Board> boards(count);
  for (std::size_t k = 0; k < count; ++k) boards[k] = to_board(pits + k * awele::kPits);
  return boards;
}

awele_move to_c(const awele::MoveAnswer& move, bool best) {
  awele_move out{};
  out.kind = move.value                              ? AWELE_MOVE_LEGAL
             : move.kind == awele::Move::Kind::empty ? AWELE_MOVE_EMPTY
                                                     : AWELE_MOVE_ILLEGAL;
  out.captured = move.captured;
  out.value = move.value.value_or(0);
  out.distance = move.distance.value_or(AWELE_NO_DISTANCE);
  out.best = best;
  return out;
}

awele_board_answer to_c(const awele::BoardAnswer& answer) {
  awele_board_answer out{};
  out.seeds = answer.seeds;
  out.value = answer.value;
  out.distance = answer.distance.value_or(AWELE_NO_DISTANCE);
  for (int i = 0; i < awele::kHalfPits; ++i)
    out.moves[i] = to_c(answer.moves[static_cast<std::size_t>(i)],
                        std::find(answer.best.begin(), answer.best.end(), i) != answer.best.end());
  return out;
}

awele_slice to_c(const awele::SliceContents& contents) {
  awele_slice out{};
  out.seeds = contents.seeds;
  out.has_distances = contents.distances;
  out.positions = contents.positions;
  out.bytes = contents.bytes;
  out.crc32 = contents.crc;
  std::copy(contents.histogram.begin(), contents.histogram.end(), out.histogram);
  return out;
}

int to_c(awele::Bound bound) {
  switch (bound) {
    case awele::Bound::exact:
      return AWELE_EXACT;
    case awele::Bound::at_least:
      return AWELE_AT_LEAST;
    case awele::Bound::at_most:
      return AWELE_AT_MOST;
  }
  return AWELE_EXACT;
}

awele_board_bounds to_c(const awele::BoardBounds& bounds) {
  awele_board_bounds out{};
  out.value = to_c(bounds.value);
  for (std::size_t i = 0; i < bounds.moves.size(); ++i) out.moves[i] = to_c(bounds.moves[i]);
  return out;
}

awele_status open_as(const char* directory, std::size_t cache_bytes, awele::Accept accept, awele_db** db) {
  if (any_null({directory, db})) return null_pointer();
  return guarded([&] {
    *db = new awele_db{
        awele::Prober(directory, cache_bytes ? cache_bytes : awele::Prober::kDefaultCache, accept)};
    return AWELE_OK;
  });
}

}  // namespace

const char* awele_message(void) { return last_message.c_str(); }
const char* awele_version(void) { return awele::kVersion; }

awele_status awele_open(const char* directory, size_t cache_bytes, awele_db** db) {
  return open_as(directory, cache_bytes, awele::Accept::exact, db);
}
awele_status awele_open_any(const char* directory, size_t cache_bytes, awele_db** db) {
  return open_as(directory, cache_bytes, awele::Accept::any, db);
}
int awele_total(const awele_db* db) { return db->prober.scope().total(); }

void awele_close(awele_db* db) { delete db; }

awele_status awele_refresh(awele_db* db, int* opened) {
  if (any_null({db})) return null_pointer();
  return guarded([&] {
    const int count = db->prober.refresh();
    if (opened) *opened = count;
    return AWELE_OK;
  });
}

awele_status awele_set_cache(awele_db* db, size_t bytes) {
  if (any_null({db})) return null_pointer();
  return guarded([&] {
    db->prober.set_cache(bytes);
    return AWELE_OK;
  });
}

const char* awele_rules(const awele_db* db) {
  const auto rules = db->prober.rules();
  return rules ? awele::name(*rules).data() : "";  // the names are string literals
}

int awele_largest(const awele_db* db) { return db->prober.largest(); }
int awele_complete_up_to(const awele_db* db) { return db->prober.complete_up_to(); }

awele_status awele_index(const unsigned char board[12], uint64_t* index) {
  if (any_null({board, index})) return null_pointer();
  try {
    *index = awele::position_index(to_board(board));
    return AWELE_OK;
  } catch (const std::exception& error) {
    return fail(AWELE_ERROR_BOARD, error.what());
  }
}

awele_status awele_unrank(int seeds, uint64_t index, unsigned char board[12]) {
  if (any_null({board})) return null_pointer();
  try {
    const awele::Board found = awele::unrank(seeds, index);
    std::copy(found.begin(), found.end(), board);
    return AWELE_OK;
  } catch (const std::exception& error) {
    return fail(AWELE_ERROR_ARGUMENT, error.what());
  }
}

awele_status awele_get_slice(const awele_db* db, int seeds, awele_slice* slice) {
  if (any_null({db, slice})) return null_pointer();
  if (seeds < 0 || seeds > awele::kMaxSeeds) return fail(AWELE_ERROR_ARGUMENT, "a slice has 0 to 48 seeds");
  return guarded([&] {
    awele::Board board{};
    board[0] = static_cast<std::uint8_t>(seeds);
    db->prober.require_solved(board);
    for (const awele::SliceContents& contents : db->prober.contents())
      if (contents.seeds == seeds) *slice = to_c(contents);
    return AWELE_OK;
  });
}

awele_status awele_value(const awele_db* db, const unsigned char board[12], int* value) {
  if (any_null({db, board, value})) return null_pointer();
  return guarded([&] {
    *value = db->prober.value(to_board(board));
    return AWELE_OK;
  });
}

awele_status awele_distance(const awele_db* db, const unsigned char board[12], int* distance) {
  if (any_null({db, board, distance})) return null_pointer();
  return guarded([&] {
    *distance = db->prober.distance(to_board(board));
    return AWELE_OK;
  });
}

awele_status awele_best_move(const awele_db* db, const unsigned char board[12], int* pit) {
  if (any_null({db, board, pit})) return null_pointer();
  return guarded([&] {
    const auto best = db->prober.best_move(to_board(board));
    if (!best) return fail(AWELE_ERROR_NO_MOVE, "there is no move, or none as good as ending the game here");
    *pit = *best;
    return AWELE_OK;
  });
}

awele_status awele_answer(const awele_db* db, const unsigned char board[12], awele_board_answer* answer) {
  if (any_null({db, board, answer})) return null_pointer();
  return guarded([&] {
    *answer = to_c(db->prober.answer(to_board(board)));
    return AWELE_OK;
  });
}

awele_status awele_values(const awele_db* db, const unsigned char* boards, size_t count, int8_t* values) {
  if (any_null({db}) || (count > 0 && any_null({boards, values}))) return null_pointer();
  return guarded([&] {
    const auto found = db->prober.values(to_boards(boards, count));
    std::copy(found.begin(), found.end(), values);
    return AWELE_OK;
  });
}

awele_status awele_answers(const awele_db* db, const unsigned char* boards, size_t count,
                           awele_board_answer* answers) {
  if (any_null({db}) || (count > 0 && any_null({boards, answers}))) return null_pointer();
  return guarded([&] {
    const auto found = db->prober.answers(to_boards(boards, count));
    std::transform(found.begin(), found.end(), answers, [](const auto& answer) { return to_c(answer); });
    return AWELE_OK;
  });
}

awele_status awele_value_bound(const awele_db* db, const unsigned char board[12], int* value, int* bound) {
  if (any_null({db, board, value, bound})) return null_pointer();
  return guarded([&] {
    const awele::KnownValue known = db->prober.known_value(to_board(board));
    *value = known.value;
    *bound = to_c(known.bound);
    return AWELE_OK;
  });
}

awele_status awele_answer_bounds(const awele_db* db, const unsigned char board[12],
                                 awele_board_answer* answer, awele_board_bounds* bounds) {
  if (any_null({db, board, answer, bounds})) return null_pointer();
  return guarded([&] {
    awele::BoardBounds found;
    *answer = to_c(db->prober.answer(to_board(board), found));
    *bounds = to_c(found);
    return AWELE_OK;
  });
}

awele_status awele_answers_bounds(const awele_db* db, const unsigned char* boards, size_t count,
                                  awele_board_answer* answers, awele_board_bounds* bounds) {
  if (any_null({db}) || (count > 0 && any_null({boards, answers, bounds}))) return null_pointer();
  return guarded([&] {
    std::vector<awele::BoardBounds> found;
    const auto all = db->prober.answers(to_boards(boards, count), found);
    std::transform(all.begin(), all.end(), answers, [](const auto& answer) { return to_c(answer); });
    std::transform(found.begin(), found.end(), bounds, [](const auto& each) { return to_c(each); });
    return AWELE_OK;
  });
}
