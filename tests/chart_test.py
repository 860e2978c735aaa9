#!/usr/bin/env python3
"""The pictures of stats and plan are XML, and their columns are as tall as the numbers that the same command prints.

Usage: chart_test.py AWELE
"""
import csv
import io
import json
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from checks import check, finish

AWELE = sys.argv[1]
SCRATCH = tempfile.mkdtemp(prefix="awele-test-")
SVG = "{http://www.w3.org/2000/svg}"


def run(*words, code=0):
    ended = subprocess.run([AWELE, *words], capture_output=True, text=True)
    check(ended.returncode == code, f"awele {' '.join(words)}: {ended.returncode}: {ended.stderr}")
    return ended.stdout


def parts(picture):
    """(column, series) -> (number in its title, height in pixels)"""
    root = xml.fromstring(picture)
    check(root.tag == SVG + "svg" and root.find(SVG + "title").text, "no svg with a title")
    found = {}
    for rect in root.iter(SVG + "rect"):
        title = rect.find(SVG + "title")
        if title is None:
            continue  # of the legend
        column, rest = title.text.split(": ")
        series, number = rest.rsplit(" ", 1)
        check(float(rect.get("y")) + float(rect.get("height")) < 400 and float(rect.get("x")) + float(rect.get("width")) < 800,
              f"{title.text} lies outside of the picture")
        found[column, series] = float(number), float(rect.get("height"))
    return found


def compare(drawn, expected, what):
    expected = {key: number for key, number in expected.items() if number > 0}
    check(set(drawn) == set(expected), f"{what}: {sorted(set(drawn) ^ set(expected))}")
    tallest = max(drawn, key=lambda key: drawn[key][1])
    scale = drawn[tallest][1] / expected[tallest]
    for key, number in expected.items():
        shown, height = drawn.get(key, (0, 0))
        check(abs(shown - number) <= 1e-4 * number, f"{what}, {key}: {shown} instead of {number}")
        check(abs(height - scale * number) < 0.02, f"{what}, {key}: {height} pixels for {number}")


def of_value(name):
    return "lost" if name[0] in "<-" else "drawn" if name == "+0" else "won"


def values(db, n, *options):
    rows = csv.DictReader(io.StringIO(run("stats", "--db", db, "--slice", str(n), "--format", "csv", *options)))
    cells = {}
    for row in rows:
        name = row["value"] if row["value"][0] in "<>" else f"{int(row['value']):+d}"
        cells[name, of_value(name)] = int(row["positions"])
    return cells


try:
    exact, outcome = SCRATCH + "/exact", SCRATCH + "/outcome"
    run("solve", "--seeds", "8", "--db", exact)
    run("clamp", "--db", exact, "--out", outcome, "--total", "10")
    for db in exact, outcome:
        for n in 0, 1, 8:
            compare(parts(run("stats", "--db", db, "--slice", str(n), "--format", "svg")), values(db, n), f"{db}, {n}")
        shares = {}
        for entry in json.loads(run("stats", "--db", db, "--format", "json"))["slices"]:
            for series in "lost", "drawn", "won":
                shares[str(entry["seeds"]), series] = 100 * entry[series] / entry["positions"]
        compare(parts(run("stats", "--db", db, "--format", "svg")), shares, db)
    all_boards = parts(run("stats", "--db", exact, "--slice", "8", "--all-boards", "--format", "svg"))
    compare(all_boards, values(exact, 8, "--all-boards"), "all boards")
    check(any(name.startswith(">=") for name, _ in parts(run("stats", "--db", outcome, "--slice", "8", "--format", "svg"))),
          "clamped cells are not named so")
    run("stats", "--db", exact, "--show", "moves", "--format", "svg", code=2)

    for seeds, ranks, unit in ("24", "1", 1), ("34", "2", 60), ("48", "2", 3600):
        options = "plan", "--seeds", seeds, "--ranks", ranks, "--memory-per-node", "512GB"
        plan = json.loads(run(*options, "--format", "json"))
        times = {(str(entry["seeds"]), name.replace("_", " ")): seconds / unit
                 for entry in plan["slices"] for name, seconds in entry["seconds"].items() if name != "all"}
        compare(parts(run(*options, "--format", "svg")), times, f"plan of {seeds}")
finally:
    shutil.rmtree(SCRATCH)
finish()
