"""Checks of the scripts that drive the program from outside: all are made, those that fail are told and counted."""
import sys

_failed = 0


def check(condition, text):
    global _failed
    if not condition:
        _failed += 1
        print("FAILED:", text)


def finish():
    """Ends the script: exit code 1 when a check has failed."""
    print(f"{_failed} failed")
    sys.exit(_failed > 0)
