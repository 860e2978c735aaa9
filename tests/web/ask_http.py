#!/usr/bin/env python3
"""Answers boards on standard input, one a line, as `awele probe -` does, through the HTTP API: the values of all by POST
positions, the moves of every EVERY-th by GET position (the others' are "?"; 0: of none).

  ask_http.py PROGRAM DB EVERY

Checks on the way what the second algorithm does not say: each move's position afterwards, by a sowing of its own, and
that its value there and the seeds captured add up to the move's."""
import sys

from served import Client, Server, state

program, db, every = sys.argv[1], sys.argv[2], int(sys.argv[3])
boards = [list(map(int, line.replace(",", " ").split())) for line in sys.stdin]


def sown(board, pit):
    """Without captures, as the mover sees it."""
    after, at = list(board), pit
    after[pit] = 0
    for _ in range(board[pit]):
        at = (at + 1) % 12
        if at == pit:
            at = (at + 1) % 12
        after[at] += 1
    return after


def check_after(board, pit, move, client):
    after = sown(board, pit)
    assert sum(after[each] for each in move["taken"]) == move["captured"], (board, move)
    assert len(move["sown"]) == board[pit] and pit not in move["sown"], (board, move)
    for each in move["taken"]:
        after[each] = 0
    there = move["after"]["board"]
    if sum(there) != sum(board) - move["captured"]:
        return  # the move took all the rest
    assert there == after[6:] + after[:6], (board, move)
    if move["after"]["outcome"] is None and not move["repeats"]:
        assert client.values([there]) == [move["captured"] - move["value"]], (board, move)


with Server(program, db) as server:
    client = Client(server)
    values = []
    for k in range(0, len(boards), 4096):
        values += client.values(boards[k:k + 4096])
    for k, board in enumerate(boards):
        words = [str(values[k])]
        if every == 0 or k % every:
            words.append("?")
        else:
            # In a game of this many seeds nobody has a majority yet.
            answer = client.json("/api/v1/position?" + state(board))
            for pit, move in enumerate(answer["moves"]):
                words.append(str(move["value"]) if move["legal"] else "-" if board[pit] == 0 else "illegal")
                if move["legal"]:
                    check_after(board, pit, move, client)
        print(" ".join(words))
