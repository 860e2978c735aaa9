#!/usr/bin/env python3
"""Without mpirun the program is one process, and none is left when it ends, however it does.

Usage: singleton_test.py AWELE
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

from checks import check, finish

AWELE = sys.argv[1]
MARK = f"AWELE_TEST_MARK={os.getpid()}"


def marked():
    """Processes that inherited the mark, with their command lines."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if MARK.encode() in file.read().split(b"\0"):
                    found[int(pid)] = open(f"/proc/{pid}/cmdline").read().replace("\0", " ")
        except OSError:
            pass
    return found


def none_left(what):
    end = time.time() + 10
    while marked() and time.time() < end:
        time.sleep(0.1)
    check(not marked(), f"{what}: left are {marked()}")
    for pid in marked():
        os.kill(pid, signal.SIGKILL)


def start(arguments, prepare=None, **variables):
    name, value = MARK.split("=")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_COMM", "PMIX_", "SLURM_"))}
    environment.update(variables, **{name: value})
    return subprocess.Popen([AWELE] + arguments, env=environment, preexec_fn=prepare, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def ended(process, seconds=60):
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def killed(scratch):
    """While it works; then there is no other process to begin with."""
    db = scratch + "/killed"
    process = start(["solve", "--seeds", "9", "--db", db], AWELE_INJECT="pause@rounds:9")
    end = time.time() + 60
    while time.time() < end and not (os.path.exists(db + "/log") and '"injected"' in open(db + "/log").read()):
        time.sleep(0.05)
    check(list(marked()) == [process.pid], f"while it works there are {marked()}")
    process.kill()
    process.wait()
    none_left("killed")


def limited(scratch, what, kind, limit):
    process = start(["solve", "--seeds", "5", "--db", f"{scratch}/{kind}"],
                    lambda: resource.setrlimit(kind, (limit, limit)))
    ended(process, 20)
    none_left(f"{what} limited to {limit}")


def closed(scratch):
    def close_all():
        for fd in range(3):
            os.close(fd)
    ended(start(["solve", "--seeds", "5", "--db", scratch + "/closed"], close_all))
    none_left("descriptors closed")


with tempfile.TemporaryDirectory(prefix="awele-test-") as scratch:
    killed(scratch)
    for files in (9, 20):
        limited(scratch, "open files", resource.RLIMIT_NOFILE, files)
    for megabytes in (200, 500):
        limited(scratch, "address space (MB)", resource.RLIMIT_AS, megabytes * 1000 * 1000)
    closed(scratch)
finish()
