#!/usr/bin/env python3
"""Kills a solve at known places and resumes it: nothing may be lost.

  kill_test.py --awele PROGRAM --mpiexec "mpiexec -n" [--runs 3] [--first-seed 1] [--work DIR]

A table of target (one rank, all ranks, mpirun) x stage (exits, rounds, transposition, writing a slice, writing a
checkpoint, renaming a slice, renaming a checkpoint). In each run a slice of 11 to 14 seeds is solved, a pause is injected
at the stage, the log proves that it was reached, the target gets SIGKILL, and the same command is started again on
another number of ranks (1, 2, 3, 5 in turn) until it is done. A loss is a digest that differs from that of an
undisturbed run, a run that does not end, or a checkpoint that was complete before the kill and was not used.
Prints one line a cell and the totals; the exit code is 0 when nothing was lost.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TARGETS = ("one rank", "all ranks", "mpirun")
STAGES = ("exits", "rounds", "transposition", "writing", "checkpoint", "renaming", "renaming-checkpoint")
RANKS = (1, 2, 3, 5)
SEEDS = (11, 12, 13, 14)


class Loss(Exception):
    pass


def events(db):
    try:
        lines = (db / "log").read_text().splitlines()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines if line.endswith("}")]


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Bench:
    """What all runs share: the program and finished smaller slices."""

    def __init__(self, arguments, work):
        self.awele = arguments.awele
        self.mpiexec = shlex.split(arguments.mpiexec)
        self.whole = work / "whole"
        self.work = work
        self.start(self.whole, max(SEEDS), 2, "").wait(300)
        self.digests = self.digests_of(self.whole)

    def start(self, db, seeds, ranks, inject):
        environment = {k: v for k, v in os.environ.items() if k != "AWELE_INJECT"}
        if inject:
            environment["AWELE_INJECT"] = inject
        command = [*self.mpiexec, str(ranks), self.awele, "solve", "--seeds", str(seeds), "--db", str(db),
                   "--progress", "none"]
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL,
                                stderr=open(db.parent / f"{db.name}.err", "a"), start_new_session=True)

    def digests_of(self, db):
        text = subprocess.run([self.awele, "info", "--db", str(db), "--format", "json"], check=True, timeout=60,
                              capture_output=True, text=True).stdout
        return {slice["seeds"]: slice["crc32"] for slice in json.loads(text)["slices"]}

    def below(self, seeds, name):
        """A database with all slices below `seeds`."""
        db = self.work / name
        db.mkdir()
        for n in range(seeds):
            os.link(self.whole / f"slice_{n:02}.h5", db / f"slice_{n:02}.h5")
        return db


def wait_for_pause(db, stage, process):
    end = time.time() + 60
    while time.time() < end:
        for event in events(db):
            if event["event"] == "injected" and event["action"] == "pause" and event["stage"] == stage:
                return
        if process.poll() is not None:
            raise Loss(f"ended with {process.returncode} before the stage {stage}")
        time.sleep(0.02)
    raise Loss(f"the stage {stage} was not reached")


def kill(target, process, choice):
    ranks = [pid for pid in children(process.pid)]
    victims = {"one rank": [choice.choice(ranks)], "all ranks": ranks, "mpirun": [process.pid]}[target]
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    process.wait(60)
    end = time.time() + 30
    while any(running(pid) for pid in ranks):
        if time.time() > end:
            raise Loss("ranks went on after the kill")
        time.sleep(0.05)


def one_run(bench, target, stage, number, choice):
    seeds = SEEDS[number % len(SEEDS)]
    ranks = [RANKS[(number + k) % len(RANKS)] for k in range(4)]
    db = bench.below(seeds, f"run-{target.replace(' ', '-')}-{stage}-{number}")
    saved = None
    if stage in ("rounds", "transposition", "writing", "checkpoint", "renaming-checkpoint"):
        # A complete checkpoint from an earlier run, which must survive.
        if bench.start(db, seeds, ranks[0], f"stop@exits:{seeds}").wait(120) != 75:
            raise Loss("did not stop with a checkpoint")
        saved = [e["path"] for e in events(db) if e["event"] == "checkpoint"][-1]
    inject = f"pause@{stage}:{seeds}"
    if "checkpoint" in stage:
        inject = f"checkpoint@rounds:{seeds}," + inject
    process = bench.start(db, seeds, ranks[1], inject)
    wait_for_pause(db, stage, process)
    kill(target, process, choice)
    if bench.start(db, seeds, ranks[2], "").wait(120) != 0:
        raise Loss("the resumed run failed: " + (db.parent / f"{db.name}.err").read_text()[-500:])
    log = events(db)
    last_start = max(k for k, e in enumerate(log) if e["event"] == "start")
    resumed = [e["path"] for e in log[last_start:] if e["event"] == "resumed"]
    if saved and resumed != [saved]:
        raise Loss(f"{saved} was not used but {resumed}")
    digests = bench.digests_of(db)
    if any(digests.get(n) != bench.digests[n] for n in range(seeds + 1)):
        raise Loss("the digests differ")
    left = [p.name for p in db.iterdir() if p.suffix != ".h5" and p.name not in ("log", "status.json")]
    if left:
        raise Loss(f"left behind: {left}")
    shutil.rmtree(db)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--awele", required=True)
    parser.add_argument("--mpiexec", default="mpiexec -n")
    parser.add_argument("--runs", type=int, default=3, help="runs a cell")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--work")
    arguments = parser.parse_args()
    losses = runs = 0
    with tempfile.TemporaryDirectory(dir=arguments.work, prefix="awele-kill-") as work:
        bench = Bench(arguments, pathlib.Path(work))
        for stage in STAGES:
            for target in TARGETS:
                lost = 0
                for run in range(arguments.runs):
                    choice = random.Random(arguments.first_seed + runs)
                    runs += 1
                    try:
                        one_run(bench, target, stage, runs, choice)
                    except (Loss, subprocess.TimeoutExpired) as failure:
                        lost += 1
                        print(f"LOST: {target}, {stage}, run {run}: {failure}", flush=True)
                losses += lost
                print(f"{stage:<20} {target:<10} {arguments.runs} runs, {lost} lost", flush=True)
    print(f"{runs} runs, {losses} lost")
    return 1 if losses or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
