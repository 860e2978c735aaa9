#!/usr/bin/env python3
"""Analyses random boards from a part of a database and compares whatever is called proven, after every step and of
every move, with the values of the whole of it. Prints how many values, and how many signs, were found.

usage: check_analyses.py AWELE DATABASE [--boards 200] [--seeds 13,16] [--slices 10] [--time 5] [--ranks R] [-- OPTION...]

DATABASE has the slices up to the largest number of seeds; --slices of them are used for the analyses. Options after
-- go to awele analyze: -- --nodes 300000 instead of --time gives the same on every machine. The boards are always the
same. Exit code: 0 when nothing that was called proven is false, else 3.
"""
import argparse
import json
import random
import shlex
import subprocess
import sys


def random_boards(count, least, most):
    chance = random.Random(2026)
    for k in range(count):
        board = [0] * 12
        for _ in range(least + k % (most - least + 1)):
            board[chance.randrange(12)] += 1
        yield board


def truth_of(awele, database, board):
    text = " ".join(map(str, board))
    return json.loads(subprocess.check_output([awele, "probe", "--db", database, "--format", "json", text]))


def false_claims(steps, truth):
    """Statements of any step that the truth contradicts, in words."""
    for step in steps:
        claims = [("the board", step["at_least"], step["at_most"], truth["value"])]
        claims += [(m["move"], m["at_least"], m["at_most"], truth["moves"][m["pit"]]) for m in step["moves"]]
        for what, low, high, value in claims:
            if not low <= value <= high:
                yield f"depth {step['depth']}: {what} is worth {value}, not within [{low}, {high}]"
        for move in step["moves"]:
            estimate = move["estimate"]
            if estimate is not None and not move["at_least"] <= estimate <= move["at_most"]:
                yield f"depth {step['depth']}: the estimate {estimate} of {move['move']} is beyond what is proven"


def sign_known(low, high):
    return low > 0 or high < 0 or low == high == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("awele")
    parser.add_argument("database")
    parser.add_argument("--boards", type=int, default=200)
    parser.add_argument("--seeds", default="13,16")
    parser.add_argument("--slices", type=int, default=10)
    parser.add_argument("--time", type=float, default=5)
    parser.add_argument("--ranks", type=int, default=0)
    parser.add_argument("--mpiexec", default="mpirun -n")
    parser.add_argument("--least", type=int, default=0, help="fail when fewer values are found")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given = parser.parse_args(sys.argv[1:end])
    least, most = map(int, given.seeds.split(","))
    limits = sys.argv[end + 1 :] or ["--time", str(given.time)]
    launcher = shlex.split(given.mpiexec) + [str(given.ranks)] if given.ranks else []
    exact = signs = boards = nodes = 0
    false = []
    for board in random_boards(given.boards, least, most):
        truth = truth_of(given.awele, given.database, board)
        command = [given.awele, "analyze", "--db", given.database, "--slices", str(given.slices), "--format", "json"]
        out = subprocess.run(launcher + command + limits + list(map(str, board)), stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=True).stdout
        steps = [json.loads(line) for line in out.splitlines()]
        last = steps[-1]
        boards += 1
        exact += last["at_least"] == last["at_most"]
        signs += sign_known(last["at_least"], last["at_most"])
        nodes += last["nodes"]
        found = [f"{board}: {claim}" for claim in false_claims(steps, truth)]
        false += found
        for line in found:
            print(line)
        print(f"{sum(board):2} seeds: [{last['at_least']:+}, {last['at_most']:+}] in truth {truth['value']:+}  "
              f"{last['nodes']} nodes, {last['seconds']:.1f} s", flush=True)
    print(f"{boards} boards: {exact} exact, {signs} signs known, {len(false)} false; {nodes} nodes")
    if exact < given.least:
        sys.exit(f"fewer than {given.least} values were found")
    sys.exit(3 if false else 0)


if __name__ == "__main__":
    main()
