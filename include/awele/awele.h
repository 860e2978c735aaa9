/* Querying an Awele database: the C interface of libawele_probe. Needs no MPI.
 *
 *   awele_db* db;
 *   int value;
 *   const unsigned char board[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
 *   if (awele_open("awari", 0, &db) != AWELE_OK || awele_value(db, board, &value) != AWELE_OK)
 *     fprintf(stderr, "%s\n", awele_message());
 *
 * A board is 12 numbers of seeds in sowing order: first the six pits of the side to move, its leftmost first,
 * then the six of the waiting side, its own leftmost first; at most 48 in all. A value is how many more of
 * the seeds on the board the side to move captures than its opponent, when both play best: -n..n for n seeds.
 * (Under the rules majority-slam it is a threshold: with d seeds more captured so far, the side to move wins
 * if d + value > 0.) A distance is the number of plies until the next capture or the end of the game, when
 * both play for value first and then the winner hurries and the loser delays; 0 when nothing is to come,
 * because the board is worth 0 or the game is over on it.
 *
 * Outcome databases keep only as much of a value as can decide a game of T seeds (say, 48): in the slice of n
 * seeds a value of W = min(n, T - n + 1) or more is stored as W, one of -W or less as -W. awele_open refuses
 * them, so that no bound is mistaken for a value; awele_open_any opens them, and the functions with "bound"
 * in their names tell one from the other.
 *
 * Results: every function that can fail returns AWELE_OK (0) or, on failure, another awele_status. On
 * failure nothing has been written through its result pointers, and awele_message() says in one sentence what
 * is wrong and what to do. No answer is ever a number that does not follow from the database.
 *
 * Thread safety: stated for each function. "Any thread": may be called concurrently, even with the same
 * awele_db. HDF5 is called under one lock of this library; a program that uses HDF5 itself must
 * not call it while another of its threads is in a function of this library. (HDF5's own printing of errors
 * is switched off.)
 *
 * A process may fork() at any time, whatever its other threads are doing here: fork() waits until no file is
 * being read, and the child may continue to use its own copy of every awele_db and closes that itself.
 */
#ifndef AWELE_AWELE_H
#define AWELE_AWELE_H

#include <stddef.h>
#include <stdint.h>

#ifndef AWELE_API
#define AWELE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum awele_status {
  AWELE_OK = 0,
  AWELE_ERROR_ARGUMENT = 1,     /* a null pointer, or a number out of range */
  AWELE_ERROR_BOARD = 2,        /* not a board: more than 48 seeds */
  AWELE_ERROR_NOT_SOLVED = 3,   /* the slice of the board, or one its moves lead to, is missing */
  AWELE_ERROR_NO_DISTANCES = 4, /* the slice holds no distances */
  AWELE_ERROR_NO_MOVE = 5,      /* the game is over on this board, or ending it is better than any move */
  AWELE_ERROR_FILE = 6,         /* a file or directory is missing, unreadable, damaged or of other rules */
  AWELE_ERROR_MEMORY = 7,       /* not enough memory */
  AWELE_ERROR_INTERNAL = 8      /* anything else */
} awele_status;

/* An open database. */
typedef struct awele_db awele_db;

/* The sentence for the last error of the calling thread; "" when there was none yet. Valid until the next
 * call of this thread that fails. Thread safety: any thread, each has its own message. */
AWELE_API const char* awele_message(void);

/* The version of the library, such as "0.2.0". Any thread. */
AWELE_API const char* awele_version(void);

/* Opens every slice_NN.h5 of the directory (none at all is no error) and sets *db.
 * cache_bytes: what chunks of values may take in memory, 0 for 64 MiB.
 * Fails: AWELE_ERROR_FILE when there is no such directory, a file is damaged, the files differ in rules, or
 * they are those of an outcome database.
 * Precondition: directory is a string, db not null. The result goes to awele_close(). Any thread. */
AWELE_API awele_status awele_open(const char* directory, size_t cache_bytes, awele_db** db);

/* The same, for any kind of database. In an outcome database awele_value and awele_values give the clamped
 * values, -W..W; awele_answer and awele_answers the most that is known, a number that may be a bound. The
 * best moves are then those of the best clamped value: they keep every win and every draw. Any thread. */
AWELE_API awele_status awele_open_any(const char* directory, size_t cache_bytes, awele_db** db);

/* Seeds of the games that an outcome database is for; 0 for an exact one, and while there is no slice.
 * Precondition: db is open. Any thread. */
AWELE_API int awele_total(const awele_db* db);

/* Closes it and frees everything; null is allowed. Precondition: no other call on db is in
 * progress or follows. */
AWELE_API void awele_close(awele_db* db);

/* Opens slices that have appeared since (a solver may be adding them). *opened, unless null: how many.
 * Fails like awele_open; then nothing has changed. Any thread. */
AWELE_API awele_status awele_refresh(awele_db* db, int* opened);

/* Bounds the cache in bytes; 0: every look-up reads its chunk again. Fails: AWELE_ERROR_ARGUMENT. Any
 * thread. */
AWELE_API awele_status awele_set_cache(awele_db* db, size_t bytes);

/* The rule set: "awari", "unrestricted", "majority-slam", "never-starve" or "abapa"; "" while there is no
 * slice. A constant string. Precondition: db is open. Any thread. */
AWELE_API const char* awele_rules(const awele_db* db);

/* The largest number of seeds of any slice; -1 when there is none. Precondition: db is open. Any thread. */
AWELE_API int awele_largest(const awele_db* db);

/* The largest n such that the slices 0..n are all there (47 is not needed for 48: a single seed is never
 * captured); -1 when there is none. Precondition: db is open. Any thread. */
AWELE_API int awele_complete_up_to(const awele_db* db);

/* The place of a board in its slice, from 0: its rank in the ascending lexicographic order of (board[11],
 * ..., board[0]) among the boards whose waiting side has an empty pit. Needs no database. Fails:
 * AWELE_ERROR_BOARD, also for a board whose waiting side has none, which is not stored. Any thread. */
AWELE_API awele_status awele_index(const unsigned char board[12], uint64_t* index);

/* The inverse: the board of `seeds` seeds at a place. Needs no database. Fails: AWELE_ERROR_ARGUMENT unless
 * 0 <= seeds <= 48 and index is below the number of stored positions. Any thread. */
AWELE_API awele_status awele_unrank(int seeds, uint64_t index, unsigned char board[12]);

/* One slice. */
typedef struct awele_slice {
  int seeds;
  int has_distances;      /* 1 or 0 */
  uint64_t positions;     /* stored positions: boards whose waiting side has an empty pit */
  uint64_t bytes;         /* size of the file */
  uint32_t crc32;         /* zlib's, of the values */
  uint64_t histogram[97]; /* stored positions of value v at index v + seeds, 2 * seeds + 1 entries */
} awele_slice;

/* What slice `seeds` holds. Fails: AWELE_ERROR_ARGUMENT unless 0 <= seeds <= 48, AWELE_ERROR_NOT_SOLVED when
 * it is not there. Any thread. */
AWELE_API awele_status awele_get_slice(const awele_db* db, int seeds, awele_slice* slice);

/* The value of a board. Fails: AWELE_ERROR_BOARD, AWELE_ERROR_NOT_SOLVED, AWELE_ERROR_FILE. Any thread. */
AWELE_API awele_status awele_value(const awele_db* db, const unsigned char board[12], int* value);

/* The distance of a board. Fails like awele_value, and with AWELE_ERROR_NO_DISTANCES. Any thread. */
AWELE_API awele_status awele_distance(const awele_db* db, const unsigned char board[12], int* distance);

/* The best move of a board: by value, then, where there are distances, by distance; the leftmost of several
 * equal ones. *pit: 0..5. Where there are distances, always playing it collects the value of the board; else
 * a win can go round in circles. Fails like awele_answer, and with AWELE_ERROR_NO_MOVE. Any thread. */
AWELE_API awele_status awele_best_move(const awele_db* db, const unsigned char board[12], int* pit);

typedef enum awele_move_kind {
  AWELE_MOVE_EMPTY = 0,   /* no seeds in the pit */
  AWELE_MOVE_ILLEGAL = 1, /* forbidden here: it would leave the opponent without seeds */
  AWELE_MOVE_LEGAL = 2
} awele_move_kind;

enum { AWELE_NO_DISTANCE = -1 };

/* One of the mover's pits. */
typedef struct awele_move {
  int kind;     /* an awele_move_kind; unless AWELE_MOVE_LEGAL the rest means nothing */
  int captured; /* seeds captured */
  int value;    /* for the side that makes the move */
  int distance; /* plies until the next capture or the end, this move included; 0 when it is worth 0;
                 * AWELE_NO_DISTANCE where the slice has none */
  int best;     /* 1 for the best moves, by value and then distance, else 0 */
} awele_move;

/* A board. */
typedef struct awele_board_answer {
  int seeds;
  int value;
  int distance; /* or AWELE_NO_DISTANCE */
  awele_move moves[6];
} awele_board_answer;

/* The value of a board and of all its moves. Needs the slices that captures lead to. Fails:
 * AWELE_ERROR_BOARD, AWELE_ERROR_NOT_SOLVED, AWELE_ERROR_FILE (also when the value stored is not the one the
 * moves give). Any thread. */
AWELE_API awele_status awele_answer(const awele_db* db, const unsigned char board[12],
                                    awele_board_answer* answer);

/* What a number says about a value. */
typedef enum awele_bound {
  AWELE_EXACT = 0,    /* it is the value */
  AWELE_AT_LEAST = 1, /* the value is at least that */
  AWELE_AT_MOST = 2   /* the value is at most that */
} awele_bound;

/* Of an awele_board_answer: an awele_bound for the value of the board and of each legal move. All are
 * AWELE_EXACT in an exact database. */
typedef struct awele_board_bounds {
  int value;
  int moves[6];
} awele_board_bounds;

/* The value of a board as far as it is known, and an awele_bound. Fails like awele_value. Any thread. */
AWELE_API awele_status awele_value_bound(const awele_db* db, const unsigned char board[12], int* value,
                                         int* bound);

/* awele_answer, with what its values say. Fails like awele_answer. Any thread. */
AWELE_API awele_status awele_answer_bounds(const awele_db* db, const unsigned char board[12],
                                           awele_board_answer* answer, awele_board_bounds* bounds);

/* The values of `count` boards, in their order. What is not in the cache is looked up by slice and chunk,
 * each chunk is read once: never slower than one by one, and much faster where chunks must be read. boards:
 * 12 * count bytes; values: count elements. When one board has no value the call fails like awele_value and
 * writes nothing. Any thread. */
AWELE_API awele_status awele_values(const awele_db* db, const unsigned char* boards, size_t count,
                                    int8_t* values);

/* The same for whole answers. */
AWELE_API awele_status awele_answers(const awele_db* db, const unsigned char* boards, size_t count,
                                     awele_board_answer* answers);

/* The same with bounds, `count` elements. */
AWELE_API awele_status awele_answers_bounds(const awele_db* db, const unsigned char* boards, size_t count,
                                            awele_board_answer* answers, awele_board_bounds* bounds);

#ifdef __cplusplus
}
#endif

#endif
