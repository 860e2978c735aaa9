#!/usr/bin/env python3
"""Messages that cannot be written end no run; results that cannot be written are an error (exit code 1).

Usage: output_test.py AWELE "MPIEXEC -n"
"""
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading

from checks import check, finish

AWELE, MPIEXEC = sys.argv[1], sys.argv[2].split()
SCRATCH = tempfile.mkdtemp(prefix="awele-test-")
DB = SCRATCH + "/db"
BOARD = "0 0 0 0 1 1 1 0 0 0 0 0".split()


# --- where output may go -------------------------------------------------------------------------------------------

def broken_pipe():
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def gone_terminal():
    master, slave = pty.openpty()
    os.close(master)
    return slave


def full_pipe_that_does_not_block():
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:
        os.dup(reading)  # stays open, and nobody reads
    return writing


SINKS = {
    "full disk": lambda: os.open("/dev/full", os.O_WRONLY),
    "broken pipe": broken_pipe,
    "terminal that is gone": gone_terminal,
    "closed": lambda: None,
}


def run(arguments, stdin=subprocess.DEVNULL, out=subprocess.PIPE, err=subprocess.PIPE, ranks=0, sigpipe=signal.SIG_DFL,
        program=None):
    """`out`, `err`: a descriptor, or None for a closed one. Returns exit code, results and messages as far as kept."""
    command = (MPIEXEC + [str(ranks)] if ranks else []) + [program or AWELE] + arguments

    def prepare():
        signal.signal(signal.SIGPIPE, sigpipe)
        for number, target in enumerate((stdin, out, err)):
            if target is None:
                os.close(number)

    child = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=err, preexec_fn=prepare, restore_signals=False,
                             env=ENVIRONMENT)
    try:
        results, messages = child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        results, messages = child.communicate()
        return "hangs", results, messages
    return child.returncode, results or b"", messages or b""


def with_sink(name, action):
    descriptor = SINKS[name]()
    try:
        return action(descriptor)
    finally:
        if descriptor is not None:
            os.close(descriptor)


ENVIRONMENT = dict(os.environ)


# --- the commands --------------------------------------------------------------------------------------------------

def new_directory():
    shutil.rmtree(SCRATCH + "/new", ignore_errors=True)
    return SCRATCH + "/new"


# Arguments of a command that ends well, made anew for each run.
COMMANDS = {
    "--help": lambda: ["--help"],
    "solve --help": lambda: ["solve", "--help"],
    "--version": lambda: ["--version"],
    "solve": lambda: ["solve", "--seeds", "4", "--db", new_directory()],
    "status": lambda: ["status", "--db", DB],
    "status json": lambda: ["status", "--format", "json", "--db", DB],
    "probe": lambda: ["probe", "--db", DB] + BOARD,
    "probe json": lambda: ["probe", "--format", "json", "--db", DB] + BOARD,
    "line": lambda: ["line", "--db", DB] + BOARD,
    "analyze": lambda: ["analyze", "--depth", "3", "--db", DB] + BOARD,
    "play": lambda: ["play", "--first", "program", "--seeds-per-pit", "1", "--depth", "2", "--time", "0.1", "--db", DB],
    "annotate": lambda: ["annotate", GAME, "--depth", "2", "--time", "0.1", "--db", DB],
    "stats": lambda: ["stats", "--db", DB],
    "stats csv": lambda: ["stats", "--all-boards", "--format", "csv", "--db", DB],
    "export": lambda: ["export", "--force", "--slice", "5", "--out", SCRATCH + "/scores", "--db", DB],
    "info": lambda: ["info", "--db", DB],
    "info json": lambda: ["info", "--format", "json", "--db", DB],
    "check": lambda: ["check", "--db", DB],
    "verify": lambda: ["verify", "--db", DB],
    "plan": lambda: ["plan", "--seeds", "20"],
    "bench": lambda: ["bench", "--slice", "4", "--seconds", "0", "--db", new_directory()],
    "bench probe": lambda: ["bench", "probe", "--slice", "5", "--seconds", "0", "--batch", "10", "--db", DB],
}
# And of some that do not: the message is lost, the exit code stays.
FAIL = {
    "a command that does not exist": (2, ["nonsense"]),
    "an option that does not exist": (2, ["solve", "--nonsense"]),
    "no database": (1, ["info", "--db", "/no/such/place"]),
    "a file in place of the directory": (1, ["solve", "--seeds", "3", "--db", AWELE]),
    "stopped at once": (75, ["solve", "--seeds", "12", "--time-limit", "0.00001", "--db", "NEW"]),
}


def messages_lost():
    for sink in SINKS:
        for sigpipe in (signal.SIG_DFL, signal.SIG_IGN) if sink == "broken pipe" else (signal.SIG_DFL,):
            for name in ("verify", "bench"):
                code, _, _ = with_sink(sink, lambda fd: run(COMMANDS[name](), err=fd, sigpipe=sigpipe))
                check(code == 0, f"{name}, messages to a {sink}: exit code {code}")
            for style in ("bar", "lines"):
                arguments = ["solve", "--seeds", "6", "--progress", style, "--interval", "0", "--db", new_directory()]
                code, results, _ = with_sink(sink, lambda fd: run(arguments, err=fd, sigpipe=sigpipe))
                check(code == 0 and b"3b93f2fd" in results, f"solve with {style} to a {sink}: exit code {code}")
                log = open(SCRATCH + "/new/log").read()
                check('"done"' in log, f"solve with {style} to a {sink}: the log does not say that it is done")
            for name, (expected, arguments) in FAIL.items():
                arguments = [new_directory() if each == "NEW" else each for each in arguments]
                code, _, _ = with_sink(sink, lambda fd: run(arguments, err=fd, sigpipe=sigpipe))
                check(code == expected, f"{name}, messages to a {sink}: exit code {code}, not {expected}")


def results_lost():
    for sink in SINKS:
        for name, arguments in COMMANDS.items():
            if sink != "full disk" and name not in ("--help", "probe", "check", "solve"):
                continue
            code, _, messages = with_sink(sink, lambda fd: run(arguments(), out=fd))
            own = [line for line in messages.split(b"\n") if b"cannot be written to standard output" in line]
            check(code == 1 and len(own) == 1, f"{name}, results to a {sink}: exit code {code}, {messages}")


def nothing_to_write_to():
    for name in ("--help", "info", "solve", "export"):
        code, _, _ = run(COMMANDS[name](), stdin=None, out=None, err=None)
        check(code == 1, f"{name} with descriptors 0 to 2 closed: exit code {code}, not 1")


def closed_input():
    """A slice file that is opened as descriptor 0 is not read as boards."""
    code, results, messages = run(["probe", "--db", DB, "-"], stdin=None)
    check(code == 1 and results == b"" and messages.count(b"\n") == 1, f"probe - without input: {code} {results} {messages}")


def slow_reader():
    """Whoever made the pipe not block gets all of the results, however late they read."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    got = []
    boards = SCRATCH + "/boards"
    with open(boards, "w") as file:
        file.write((" ".join(BOARD) + "\n") * 20000)
    reader = threading.Thread(target=lambda: got.append(open(reading, "rb").read()))
    threading.Timer(0.5, reader.start).start()
    with open(boards) as file:
        code, _, messages = run(["probe", "--db", DB, "-"], stdin=file, out=writing)
    os.close(writing)
    while not reader.ident:
        pass
    reader.join()
    check(code == 0 and got[0].count(b"\n") == 20000, f"a slow reader gets {len(got[0])} bytes, exit code {code} {messages}")


def on_terminal(columns, arguments, bars=False):
    """What a terminal of so many columns gets: messages when `bars`, else results."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    got = []

    def read():
        try:
            while part := os.read(master, 65536):
                got.append(part)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    code, _, _ = run(arguments, **{"err" if bars else "out": slave})
    os.close(slave)
    reader.join()
    os.close(master)
    check(code == 0, f"{arguments} on {columns} columns: {code}")
    return b"".join(got).decode()


def narrow_terminals():
    for columns in (20, 60, 80):
        arguments = ["solve", "--seeds", "13", "--progress", "auto", "--db", new_directory()]
        text = on_terminal(columns, arguments, bars=True)
        bars = re.findall("\r([^\r\n]*left) *", text)
        check(bars and max(map(len, bars)) < columns, f"bars on {columns} columns: {bars}")
        check(("[#" in text or "[." in text) == (columns >= 80), f"the graph of the bar on {columns} columns: {bars}")
    for columns in (60, 80, 200):
        for name in ("solve", "info", "plan"):
            arguments = COMMANDS[name]()
            lines = on_terminal(columns, arguments).replace("\r", "").split("\n")
            begin = next(k for k, line in enumerate(lines) if "seeds" in line[:6])
            rest = lines[begin:]
            end = next(k for k, line in enumerate(rest) if not line.strip() or line.startswith("Left out"))
            table = rest[:end]
            check(len(table) > 4 and max(map(len, table)) <= columns, f"{name} on {columns} columns: {table}")
            check(len({len(line) for line in table}) == 1, f"{name} on {columns} columns is ragged: {table}")
            cut = any("Left out" in line for line in lines)
            check(cut == (columns == 60), f"{name} on {columns} columns: {lines}")
    # A file gets all.
    code, results, _ = run(COMMANDS["info"]())
    check(b"bytes/pos." in results and b"Left out" not in results, results)


def full_pipe():
    descriptor = full_pipe_that_does_not_block()
    code, _, _ = run(["nonsense"], err=descriptor)
    os.close(descriptor)
    check(code == 2, f"a message to a full pipe that does not block: {code}")


def under_mpirun():
    """What mpirun does with its own standard error is its affair; here each rank's is lost before it."""
    lose = SCRATCH + "/lose"
    for redirection in ("2>/dev/full", "2>&-"):
        with open(lose, "w") as file:
            file.write(f'#!/bin/sh\nexec {AWELE} "$@" {redirection}\n')
        os.chmod(lose, 0o755)
        code, results, _ = run(["solve", "--seeds", "4", "--progress", "bar", "--db", new_directory()], ranks=2,
                               program=lose)
        check(code == 0 and b"3b93f2fd" in results, f"solve on two ranks with {redirection}: {code}")
        code, _, _ = run(["solve", "--seeds", "4", "--db", AWELE], ranks=2, program=lose)
        check(code == 1, f"an error on two ranks with {redirection}: {code}")
    for redirection in (">/dev/full", ">&-"):
        with open(lose, "w") as file:
            file.write(f'#!/bin/sh\nexec {AWELE} "$@" {redirection}\n')
        for name in ("solve", "verify", "analyze", "bench"):
            code, _, messages = run(COMMANDS[name](), ranks=2, program=lose)
            check(code == 1 and b"cannot be written to standard output" in messages,
                  f"{name} on two ranks with {redirection}: {code} {messages}")


try:
    code, _, messages = run(["solve", "--seeds", "6", "--db", DB])
    assert code == 0, messages
    GAME = SCRATCH + "/game"
    played = subprocess.run([AWELE, "play", "--first", "person", "--seeds-per-pit", "1", "--db", DB, "--time", "0.1"],
                            input=f"A\nsave {GAME}\nquit\n".encode(), env=ENVIRONMENT, stdout=subprocess.PIPE)
    assert played.returncode == 0
    for name, arguments in COMMANDS.items():
        code, _, messages = run(arguments())
        check(code == 0, f"{name}: {code} {messages}")
    messages_lost()
    results_lost()
    nothing_to_write_to()
    closed_input()
    slow_reader()
    full_pipe()
    narrow_terminals()
    under_mpirun()
finally:
    shutil.rmtree(SCRATCH)
finish()
