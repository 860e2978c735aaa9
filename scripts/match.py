#!/usr/bin/env python3
"""Plays matches between programs: each opening, some plies at random from four seeds a pit, twice, with sides changed.
Prints the score of the first program, 1 for a win and 0.5 for a draw, with its standard error.

usage: match.py A B [--games 100] [--opening 6] [--seed 1]

A and B are what starts a program:
  "awele play --db DIR --time 1"     any build of awele play, with its options
  "plain_player 10"                  a plain alpha-beta search of that depth (tests/plain_player_main.cpp)
Example: match.py "build/release/src/awele play --db db-12 --time 1" "build/release/tests/plain_player 10"
"""
import argparse
import math
import random
import re
import shlex
import subprocess
import sys
import time

PROMPT = re.compile(rb"(?:^|\n)(first|second|over)> $")


class Referee:
    """A game as awele play sees it: one of these for each player, told of all moves."""

    def __init__(self, command):
        self.process = subprocess.Popen(command + ["--first", "person", "--second", "person"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.said = self.read()

    def read(self):
        said = b""
        while not PROMPT.search(said):
            piece = self.process.stdout.read1(65536)
            if not piece:
                sys.exit(f"the program ended after: {said.decode()[-500:]}")
            said += piece
        return said.decode()

    def tell(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        self.said = self.read()
        return self.said

    def to_move(self):
        return PROMPT.search(self.said.encode()).group(1).decode()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Awele:
    def __init__(self, command):
        self.game = Referee(command)

    def choose(self):
        return re.search(r"(?:first|second) plays ([A-Fa-f])", self.game.tell("program")).group(1)

    def play(self, letter):
        self.game.tell(letter)

    def close(self):
        self.game.close()


class Plain:
    """Is told the moves, one letter a line, and asked with an empty line."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def choose(self):
        print(file=self.process.stdin, flush=True)
        return self.process.stdout.readline().strip()

    def play(self, letter):
        print(letter, file=self.process.stdin, flush=True)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def player(text):
    command = shlex.split(text)
    return Awele(command) if "play" in command else Plain(command)


def opening(chance, referee, plies):
    letters = []
    while len(letters) < plies and referee.to_move() != "over":
        letter = chance.choice("ABCDEF")
        if " plays " in referee.tell(letter):
            letters.append(letter)
    return letters


def game(commands, referee_command, letters):
    """(score of the first of `commands`, which plays first; plies; seconds each has taken at most for a move)"""
    referee = Referee(referee_command)
    players = [player(each) for each in commands]
    slowest = [0.0, 0.0]
    for letter in letters:
        referee.tell(letter)
        for each in players:
            each.play(letter)
    plies = len(letters)
    while referee.to_move() != "over":
        turn = 0 if referee.to_move() == "first" else 1
        begin = time.monotonic()
        letter = players[turn].choose()
        slowest[turn] = max(slowest[turn], time.monotonic() - begin)
        referee.tell(letter)
        if " plays " not in referee.said:
            sys.exit(f"{commands[turn]} chose {letter}: {referee.said}")
        if isinstance(players[turn], Plain):
            players[turn].play(letter)
        players[1 - turn].play(letter)
        plies += 1
    score = 1 if "First wins" in referee.said else 0 if "Second wins" in referee.said else 0.5
    for each in players:
        each.close()
    referee.close()
    return score, plies, slowest


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--opening", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    referee_command = shlex.split(given.a)
    scores, slowest = [], [0.0, 0.0]
    while len(scores) < given.games:
        referee = Referee(referee_command)
        letters = opening(chance, referee, given.opening)
        referee.close()
        for turned in (False, True):
            commands = (given.b, given.a) if turned else (given.a, given.b)
            score, plies, seconds = game(commands, referee_command, letters)
            scores.append(1 - score if turned else score)
            slowest = [max(a, b) for a, b in zip(slowest, reversed(seconds) if turned else seconds)]
            print(f"{len(scores):4}  {''.join(letters)}  {'B' if turned else 'A'} first  {plies:3} plies  "
                  f"score of A {scores[-1]}  in all {sum(scores)}", flush=True)
    mean = sum(scores) / len(scores)
    error = math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores) / max(len(scores) - 1, 1))
    wins, draws = scores.count(1), scores.count(0.5)
    print(f"A: {wins} wins, {draws} draws, {len(scores) - wins - draws} losses: {100 * mean:.1f} % +- {100 * error:.1f} %; "
          f"slowest moves {slowest[0]:.2f} s and {slowest[1]:.2f} s")


if __name__ == "__main__":
    main()
