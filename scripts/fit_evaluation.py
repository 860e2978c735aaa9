#!/usr/bin/env python3
"""Fits the weights of the evaluation (src/search/evaluation.cpp) to exact values of a database, and tells how far it is
off on slices above those: the mean error in seeds, beside that of the evaluation by straight weights that was there
before, and of taking every position for a draw.

usage: fit_evaluation.py DATABASE [--fit 16,22] [--try 23,24] [--games 3000] [--seed 1]

The positions are those of games played at random from four seeds a pit, where captures are taken every other time, and
as many random boards. A position of a side that can capture at once is left out: the search looks further there. An
outcome database serves as well where its values are exact, up to 24 seeds of 48. Takes minutes, and numpy and h5py.
"""
import argparse
import random

import numpy

import awele

MOST = 15  # seeds of a pit that have weights of their own
OLD_SEEDS, OLD_PIT = (4, 6, 8, 10, 12, 16), 12


def captures(board, rules):
    return any(move.kind != "illegal" and move.captured for move in awele.moves(board, rules)[0])


def play(chance, rules, wanted, least, most):
    """Adds the quiet positions of one random game to `wanted`, by number of seeds."""
    board = (4,) * 12
    for _ in range(400):
        n = sum(board)
        options = [move for move in awele.moves(board, rules)[0] if move.kind == "move"]
        if n < least or not options:
            return
        taking = [move for move in options if move.captured]
        if n <= most and not taking and 0 in board[6:]:
            wanted[n].add(board)
        choice = chance.choice(taking if taking and chance.random() < 0.5 else options)
        board = tuple(choice.child)


def random_boards(chance, rules, n, count):
    boards = set()
    while len(boards) < count:
        board = [0] * 12
        for _ in range(n):
            board[chance.randrange(12)] += 1
        if 0 in board[6:] and not captures(tuple(board), rules):
            boards.add(tuple(board))
    return boards


def features(boards):
    """A row for each board: for each pit a 1 at its number of seeds."""
    rows = numpy.zeros((len(boards), 12 * (MOST + 1)), numpy.float32)
    for pit in range(12):
        rows[numpy.arange(len(boards)), pit * (MOST + 1) + numpy.minimum(boards[:, pit], MOST)] = 1
    return rows


def old_evaluation(boards):
    own, other = boards[:, :6], boards[:, 6:]
    weights = numpy.array(OLD_SEEDS)
    return ((own - other) @ weights + OLD_PIT * ((own > 0).sum(axis=1) - (other > 0).sum(axis=1))) / 100


def fitted(rows, values, ridge=5, smooth=100):
    """Least squares; weights of neighbouring numbers of seeds are kept together where positions are few."""
    square = rows.T @ rows + ridge * numpy.eye(rows.shape[1])
    for pit in range(12):
        for seeds in range(1, MOST + 1):
            step = numpy.zeros(rows.shape[1])
            step[pit * (MOST + 1) + seeds], step[pit * (MOST + 1) + seeds - 1] = 1, -1
            square += smooth * (0.1 if seeds < 4 else 1) * numpy.outer(step, step)
    return numpy.linalg.solve(square, rows.T @ values)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("database")
    parser.add_argument("--fit", default="16,22")
    parser.add_argument("--try", dest="trial", default="23,24")
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    fit, trial = (tuple(map(int, text.split(","))) for text in (given.fit, given.trial))
    database = awele.Database(given.database, outcomes=True)
    if database.total and trial[1] > (database.total + 1) // 2:
        parser.error(f"the values of an outcome database are exact up to {(database.total + 1) // 2} seeds only")
    chance = random.Random(given.seed)
    samples = {n: set() for n in range(fit[0], trial[1] + 1)}
    for _ in range(given.games):
        play(chance, database.rules, samples, fit[0], trial[1])
    boards, values = {}, {}
    for n, some in samples.items():
        some |= random_boards(chance, database.rules, n, len(some))
        boards[n] = numpy.array(sorted(some), dtype=numpy.int64)
        values[n] = database.values(boards[n]).astype(numpy.float64)
    learned = range(fit[0], fit[1] + 1)
    weights = fitted(features(numpy.concatenate([boards[n] for n in learned])).astype(numpy.float64),
                     numpy.concatenate([values[n] for n in learned]))
    print("seeds  boards  fitted   old  draw   (mean error in seeds)")
    for n in samples:
        errors = [numpy.abs(guess - values[n]).mean()
                  for guess in (features(boards[n]) @ weights, old_evaluation(boards[n]), 0)]
        print(f"{n:5}  {len(boards[n]):6}  {errors[0]:6.2f}  {errors[1]:4.2f}  {errors[2]:4.2f}"
              f"{'' if n in learned else '   not fitted'}")
    print("\nHundredths of a seed, a line a pit: with 0, 1, .. seeds; the last stands for more, too.")
    for pit in range(12):
        line = numpy.rint(100 * weights[pit * (MOST + 1) : (pit + 1) * (MOST + 1)]).astype(int)
        print("    {" + ", ".join(map(str, line)) + "},")


if __name__ == "__main__":
    main()
