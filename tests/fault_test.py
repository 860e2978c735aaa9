#!/usr/bin/env python3
"""Lets every single call on files of a solve fail once, or from then on: nothing wrong may be left behind.

  fault_test.py --awele PROGRAM --shim faulty_io.so --mpiexec "mpiexec -n" [--ranks 1 3] [--sample 40] [--work DIR]

The solve resumes a slice of 6 seeds from a checkpoint beside what a killed run left, saves another checkpoint and
finishes the slice. Its calls on files are counted; then, for each call and each kind of fault (EIO, ENOSPC, EINTR, a
short write; once, or from then on), a copy of the same directory is solved with that fault. It must end with a documented
exit code, without a crash or a hang; every slice file must be whole and right, byte for byte, and so must the next run's,
which leaves nothing else behind. --sample N tries N of these faults at each number of ranks, chosen at random. Prints one
line for each fault that was not borne, and the totals; the exit code is 0 when all were.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

SEEDS = 6
DOCUMENTED = (0, 1, 4)
KINDS = ("EIO", "ENOSPC", "EINTR", "SHORT")
WRITES = ("write", "pwrite", "pwrite64")
REMOVALS = ("unlink", "unlinkat", "remove", "rmdir", "open", "openat", "openat64")


class Unborne(Exception):
    pass


class Bench:
    """What all trials share: the program, the directory they begin with, and what must come out."""

    def __init__(self, arguments, work):
        self.awele, self.shim = arguments.awele, arguments.shim
        self.mpiexec = shlex.split(arguments.mpiexec)
        self.work = work
        whole, self.begun = work / "whole", work / "begun"
        self.must(self.solve(whole, 1), 0)
        self.slices = {path.name: path.read_bytes() for path in whole.glob("*.h5")}
        self.must(self.solve(self.begun, 1, {"AWELE_INJECT": f"stop@rounds:{SEEDS}"}), 75)
        for name in (f"slice_{SEEDS:02}.h5.0123abcd.tmp", ".writable.1", "status.json.1.tmp"):
            (self.begun / name).write_bytes(b"left by a killed run")
        (self.begun / f"checkpoint_{SEEDS:02}_0002.0123abcd.tmp").mkdir()
        (self.begun / f"checkpoint_{SEEDS:02}_0002.0123abcd.tmp" / "part_0000.h5").write_bytes(b"")

    @staticmethod
    def must(result, code):
        if result.returncode != code:
            sys.exit(f"without a fault: exit code {result.returncode}, not {code}\n{result.stderr}")

    def solve(self, db, ranks, environment={}):
        command = [*self.mpiexec, str(ranks)] if ranks > 1 else []
        clean = {k: v for k, v in os.environ.items() if k not in ("AWELE_INJECT", "LD_PRELOAD")}
        if ranks > 1 and "LD_PRELOAD" in environment:  # into the program alone, not into the launcher
            environment = dict(environment)
            command += ["env", "LD_PRELOAD=" + environment.pop("LD_PRELOAD")]
        command += [self.awele, "solve", "--seeds", str(SEEDS), "--db", str(db), "--progress", "none"]
        return subprocess.run(command, env={**clean, **environment}, capture_output=True, text=True, errors="replace",
                              timeout=120)

    def faulty(self, db, ranks, **fault):
        return self.solve(db, ranks, {"LD_PRELOAD": self.shim, "FAULT_DIR": str(db),
                                      "AWELE_INJECT": f"checkpoint@rounds:{SEEDS}",
                                      **{f"FAULT_{k.upper()}": str(v) for k, v in fault.items()}})

    def copy(self, name):
        db = self.work / name
        shutil.copytree(self.begun, db)
        return db

    def calls(self, ranks):
        """The calls of a run without a fault: (name, path)."""
        db, log = self.copy(f"count-{ranks}"), self.work / f"calls-{ranks}"
        self.must(self.faulty(db, ranks, at=0, log=log), 0)
        shutil.rmtree(db)
        return [tuple(line.split(" ", 2)[1:]) for line in log.read_text().splitlines()]

    def wrong_slices(self, db):
        return [p.name for p in db.glob("slice_*.h5") if p.read_bytes() != self.slices.get(p.name)]

    def leftovers(self, db):
        return sorted(p.name for p in db.iterdir() if p.name not in self.slices and p.name not in ("log", "status.json"))

    def torn_lines(self, db):
        torn = 0
        for line in (db / "log").read_text().splitlines():
            try:
                json.loads(line)
            except ValueError:
                torn += 1
        return torn

    def trial(self, ranks, at, kind, on, call):
        db = self.copy(f"db-{ranks}-{at}-{kind}-{on}")
        result = self.faulty(db, ranks, at=at, kind=kind, on=on)
        if result.returncode not in DOCUMENTED:
            raise Unborne(f"exit code {result.returncode}: {result.stderr[-400:]}")
        if result.returncode != 0 and "awele: " not in result.stderr:
            raise Unborne(f"exit code {result.returncode} without a message: {result.stderr[-400:]}")
        if wrong := self.wrong_slices(db):
            raise Unborne(f"exit code {result.returncode} leaves wrong {wrong}")
        if result.returncode == 0:
            if missing := [name for name in self.slices if not (db / name).exists()]:
                raise Unborne(f"exit code 0 without {missing}")
            if not on and call not in REMOVALS and (left := self.leftovers(db)):
                raise Unborne(f"exit code 0 leaves {left}")
        if torn := self.torn_lines(db):
            raise Unborne(f"{torn} torn lines in the log")
        after = self.solve(db, ranks)
        if after.returncode != 0:
            raise Unborne(f"the next run: exit code {after.returncode}: {after.stderr[-400:]}")
        if {p.name: p.read_bytes() for p in db.glob("*.h5")} != self.slices:
            raise Unborne("the next run leaves other bytes")
        if left := self.leftovers(db):
            raise Unborne(f"the next run leaves {left}")
        shutil.rmtree(db)
        return result.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--awele", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--mpiexec", default="mpiexec -n")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--sample", type=int, help="faults to try at each number of ranks (default: all)")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work")
    arguments = parser.parse_args()
    tried = unborne = 0
    with tempfile.TemporaryDirectory(dir=arguments.work, prefix="awele-fault-") as work:
        bench = Bench(arguments, pathlib.Path(work).resolve())
        for ranks in arguments.ranks:
            calls = bench.calls(ranks)
            faults = [(ranks, at, kind, on, call) for at, (call, _) in enumerate(calls, 1) for kind in KINDS
                      for on in (0, 1) if kind != "SHORT" or call in WRITES]
            if arguments.sample and arguments.sample < len(faults):
                faults = random.Random(arguments.first_seed).sample(faults, arguments.sample)
            codes = dict.fromkeys(DOCUMENTED, 0)
            with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
                for fault, trial in [(fault, pool.submit(bench.trial, *fault)) for fault in faults]:
                    tried += 1
                    try:
                        codes[trial.result()] += 1
                    except (Unborne, subprocess.TimeoutExpired) as failure:
                        unborne += 1
                        _, at, kind, on, call = fault
                        where = pathlib.Path(calls[at - 1][1]).name
                        print(f"{ranks} ranks, call {at} ({call} {where}), {kind} {'from then on' if on else 'once'}: "
                              f"{failure}", flush=True)
            print(f"{ranks} ranks: {len(calls)} calls, {len(faults)} faults, ended with "
                  + ", ".join(f"{code}: {count}" for code, count in codes.items()), flush=True)
    print(f"{tried} faults, {unborne} not borne")
    return 1 if unborne or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
