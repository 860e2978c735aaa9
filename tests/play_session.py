#!/usr/bin/env python3
"""Types at `awele play` through a terminal, waiting for each prompt, and compares what both said with a recorded
session: lines that begin with a prompt hold what is typed. Use --record to write the session anew.

usage: play_session.py AWELE DATABASE SESSION [--record]
"""
import os
import pty
import re
import select
import shutil
import sys
import tempfile
import time

PROMPT = re.compile(rb"(?:^|\n)(?:first|second|over)> $")
SECONDS = 60


class Terminal:
    def __init__(self, arguments, folder):
        self.said = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execv(arguments[0], arguments)

    def read_until(self, done):
        """Reads until done(what was said) or the end of the program; False at the end."""
        end = time.monotonic() + SECONDS
        while not done(self.said):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit(f"no prompt within {SECONDS} s after:\n{self.said.decode()[-800:]}")
            try:
                piece = os.read(self.fd, 65536)
            except OSError:  # Linux's way to say that the other end is closed
                piece = b""
            if not piece:
                return False
            self.said += piece.replace(b"\r\n", b"\n")
        return True

    def type(self, line):
        """The terminal echoes what is typed, so it becomes part of what was said."""
        os.write(self.fd, line.encode() + b"\n")
        before = len(self.said)
        self.read_until(lambda said: b"\n" in said[before:])

    def exit_code(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def typed_lines(session):
    return [m.group(1) for m in re.finditer(r"^(?:first|second|over)> (.*)$", session, re.M)]


def main():
    awele, database, path = sys.argv[1:4]
    recorded = open(path).read()
    command = recorded.split("\n", 1)[0]
    assert command.startswith("$ awele play "), "a session begins with its command"
    folder = tempfile.mkdtemp(prefix="awele-session-")
    try:
        arguments = [os.path.abspath(awele)] + command.split()[2:]
        arguments = [os.path.abspath(database) if a == "DATABASE" else a for a in arguments]
        terminal = Terminal(arguments, folder)
        for line in typed_lines(recorded):
            if not terminal.read_until(PROMPT.search):
                break
            terminal.type(line)
        terminal.read_until(lambda said: False)
        said = command + "\n" + terminal.said.decode()
        code = terminal.exit_code()
    finally:
        shutil.rmtree(folder)
    if "--record" in sys.argv:
        open(path, "w").write(said)
        print(said)
    elif said != recorded:
        sys.exit(f"the session differs from {path}:\n{said}")
    if code != 0:
        sys.exit(f"exit code {code}")


main()
