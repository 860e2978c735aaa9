/* example_c DIR: the value and the best move of a board, in C. */
#include <awele/awele.h>
#include <stdio.h>

int main(int argc, char** argv) {
  static const unsigned char board[12] = {0, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0};
  awele_db* db;
  int value, pit;
  if (argc != 2) return 2;
  if (awele_open(argv[1], 1 << 20, &db) != AWELE_OK) {
    fprintf(stderr, "%s\n", awele_message());
    return 1;
  }
  if (awele_value(db, board, &value) != AWELE_OK || awele_best_move(db, board, &pit) != AWELE_OK) {
    fprintf(stderr, "%s\n", awele_message());
    awele_close(db);
    return 1;
  }
  printf("%s, %d seeds: value %d, best move %d\n", awele_rules(db), awele_largest(db), value, pit);
  awele_close(db);
  return 0;
}
