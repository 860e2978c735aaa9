"""Kinds of databases, and files of older formats: kinds_test.py AWELE SCRIPTS"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

import h5py
import numpy

AWELE, SCRIPTS = sys.argv[1:3]
sys.path.insert(0, SCRIPTS)
import awele


def run(*arguments, code=0):
    """What the program prints, standard output and messages together; its exit code must be `code`."""
    done = subprocess.run([AWELE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != code:
        raise AssertionError(f"{arguments} ended with {done.returncode}, not {code}:\n{done.stdout}")
    return done.stdout


def path(directory, n):
    return os.path.join(directory, f"slice_{n:02}.h5")


def word(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def to_version_2(file_name):
    """Makes of a slice what programs wrote before files knew `total`."""
    with h5py.File(file_name, "r+", libver=("v110", "v110")) as file:
        del file.attrs["total"]
        file.attrs.modify("format_version", 2)
        at = file.attrs
        line = f"2 {word(at['rules'])} {at['seeds']} {at['positions']} {at['crc32']:08x} {word(at['program_version'])}"
        file.attrs.modify("meta_crc32", zlib.crc32(line.encode(), zlib.crc32(file["histogram"][:].tobytes())))


N = 10
TOTAL = 12  # W is 3 at 10 seeds, 4 at 9, 5 at 8, and n from 6 downwards


def width(n, total):
    return min(n, total - n + 1)


def random_boards(count, seed=1):
    """Boards of up to N seeds, with and without an empty pit in the waiting half."""
    generator = random.Random(seed)
    boards = []
    for _ in range(count):
        board = [0] * 12
        for pit in generator.choices(range(12), k=generator.randint(0, N)):
            board[pit] += 1
        boards.append(board)
    return boards


def allows(known, truth):
    return {"exact": known.value == truth, "at least": known.value <= truth, "at most": known.value >= truth}[known.bound]


class Kinds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.exact = os.path.join(cls.scratch.name, "awari")
        cls.outcomes = os.path.join(cls.scratch.name, "outcomes")
        for rules in awele.RULES:
            run("solve", "--seeds", N, "--db", os.path.join(cls.scratch.name, rules), "--rules", rules)
        run("clamp", "--db", cls.exact, "--out", cls.outcomes, "--total", TOTAL)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def directory(self):
        """A new directory, removed at the end of the test."""
        directory = tempfile.mkdtemp(dir=self.scratch.name)
        self.addCleanup(shutil.rmtree, directory)
        return directory

    def copy(self, source):
        return shutil.copytree(source, os.path.join(self.directory(), "db"))

    # -------------------------------------------------------------------------------------------- awele clamp

    def expect_clamped(self, rules, totals):
        exact = os.path.join(self.scratch.name, rules)
        values = []
        for n in range(N + 1):
            out = os.path.join(self.directory(), "bytes")
            run("export", "--db", exact, "--slice", n, "--out", out)
            values.append(numpy.fromfile(out, numpy.int8))
        for total in totals:
            out = os.path.join(self.directory(), "db")
            said = run("clamp", "--db", exact, "--out", out, "--total", total).splitlines()[1:]
            for n in range(N + 1):
                expected = values[n].clip(-width(n, total), width(n, total))
                self.assertEqual(said[n].split(), [str(n), str(width(n, total)), str(len(expected)),
                                                   f"{zlib.crc32(expected.tobytes()):08x}"])
                with h5py.File(path(out, n), "r") as file:
                    self.assertTrue((file["values"][:] == expected).all())
                    self.assertEqual(file.attrs["total"], total)
                    self.assertEqual(word(file.attrs["rules"]), rules)
                    counts = numpy.bincount(expected.astype(int) + n, minlength=2 * n + 1)
                    self.assertEqual(list(file["histogram"][:]), list(counts))
            self.assertEqual(sorted(os.listdir(out)), [f"slice_{n:02}.h5" for n in range(N + 1)])
            self.assertNotIn("WRONG", run("check", "--db", out))

    def test_clamped_awari(self):
        self.expect_clamped("awari", (12, 13, 14, 15, 16, 48))

    def test_clamped_other_rules(self):
        for rules in ("unrestricted", "never-starve", "abapa"):
            self.expect_clamped(rules, (12, 15))
        self.expect_clamped("majority-slam", (48,))

    def test_clamp_resumes(self):
        out = self.copy(self.outcomes)
        os.remove(path(out, 5))
        said = run("clamp", "--db", self.exact, "--out", out, "--total", TOTAL).splitlines()[1:]
        self.assertEqual([line.endswith("there") for line in said], [n != 5 for n in range(N + 1)])
        self.assertNotIn("WRONG", run("check", "--db", out))
        only = os.path.join(self.directory(), "db")
        self.assertEqual(len(run("clamp", "--db", self.exact, "--out", only, "--total", 6, "--seeds", 6).splitlines()), 8)

    def test_clamp_keeps_distances_where_values_stay(self):
        exact, out = os.path.join(self.directory(), "db"), os.path.join(self.directory(), "db")
        run("solve", "--seeds", 8, "--db", exact, "--distances")
        run("clamp", "--db", exact, "--out", out, "--total", TOTAL)
        for n in range(9):
            with h5py.File(path(exact, n), "r") as before, h5py.File(path(out, n), "r") as after:
                self.assertEqual("distance" in after, n <= 6)
                if n <= 6:
                    self.assertTrue((before["distance"][:] == after["distance"][:]).all())
        run("check", "--db", out)

    def test_clamp_refuses(self):
        out = os.path.join(self.directory(), "db")
        slam = os.path.join(self.scratch.name, "majority-slam")
        for arguments, code, words in (
                (("--db", self.exact, "--out", out, "--total", 9), 2, "slices of up to 10 seeds, more than a game of 9"),
                (("--db", self.exact, "--out", out, "--total", 49), 2, "'49' is not a number of seeds"),
                (("--db", slam, "--out", out, "--total", 12), 2, "thresholds of a game of 48 seeds"),
                (("--db", self.exact, "--out", self.exact, "--total", 12), 2, "is the exact database"),
                (("--db", self.outcomes, "--out", out, "--total", 12), 1, "holds outcomes of games of 12 seeds, not exact"),
                (("--db", self.exact, "--out", self.outcomes, "--total", 13), 1, "games of 12 seeds, not outcomes of games of 13"),
                (("--db", self.exact, "--out", slam, "--total", 48), 1, "majority-slam"),
                (("--db", self.exact, "--out", self.copy(self.exact), "--total", 12), 1, "holds exact values, not outcomes"),
        ):
            self.assertIn(words, run("clamp", *arguments, code=code))
        self.assertFalse(os.path.exists(out))

    def test_clamp_notices_what_is_wrong(self):
        other = self.copy(self.outcomes)  # a slice that is not this one clamped
        shutil.copy(path(os.path.join(self.scratch.name, "never-starve"), 0), path(other, 0))
        self.assertIn("never-starve", run("clamp", "--db", self.exact, "--out", other, "--total", TOTAL, code=1))
        bad = self.copy(self.exact)
        with open(path(bad, 9), "r+b") as file:
            file.seek(os.path.getsize(path(bad, 9)) // 2)
            file.write(b"\0\1\2\3")
        out = os.path.join(self.directory(), "db")
        self.assertIn("damaged", run("clamp", "--db", bad, "--out", out, "--total", TOTAL, code=1))
        self.assertFalse(os.path.exists(path(out, 9)))
        self.assertEqual([name for name in os.listdir(out) if "tmp" in name or name == "lock"], [])

    # ---------------------------------------------------------------------------- one directory, one kind

    def test_kinds_are_not_mixed(self):
        mixed = self.copy(self.outcomes)
        shutil.copy(path(self.exact, 7), path(mixed, 7))
        board = "1 0 0 2 0 1 0 1 0 0 1 0".split()
        for command in (("probe", *board), ("line", *board), ("stats",), ("verify",), ("solve", "--seeds", 10)):
            said = run(command[0], "--db", mixed, *command[1:], code=1)
            self.assertIn("slice_07.h5 holds exact values", said)
            self.assertIn("games of 12 seeds", said)
        self.assertIn("slice_07.h5 holds exact values", run("info", "--db", mixed, code=1))
        self.assertIn("slice_07.h5 holds exact values", run("check", "--db", mixed, code=3))
        with self.assertRaisesRegex(awele.Damaged, "slice_07.h5 holds exact values"):
            awele.open(mixed, outcomes=True)
        os.remove(path(mixed, 7))
        shutil.copy(path(self.exact, 6), path(mixed, 7))  # under another name, too
        self.assertIn("slice of 6 seeds, not of 7", run("probe", "--db", mixed, *board, code=1))

    def test_a_game_smaller_than_its_slice(self):
        with h5py.File(path(self.copy(self.outcomes), 8), "r+", libver=("v110", "v110")) as file:
            file.attrs.modify("total", 7)
            broken = file.filename
        self.assertIn("games of 7 seeds", run("info", "--db", os.path.dirname(broken), code=1))

    def test_exact_solve_in_an_outcome_directory(self):
        self.assertIn("holds outcomes of games of 12 seeds, not exact values", run("solve", "--seeds", 10, "--db", self.outcomes, code=1))

    # ------------------------------------------------------------------------------------------- commands

    def boards_at_bounds(self, count):
        """Stored boards of 10 seeds with values of -W or W, and some in between."""
        with awele.open(self.outcomes, outcomes=True) as db:
            boards = [board for board in random_boards(3000) if sum(board) == N and 0 in board[6:]]
            least = [board for board in boards if db.known(board).bound == "at least"]
            most = [board for board in boards if db.known(board).bound == "at most"]
            return least[:count], most[:count]

    def test_python(self):
        for rules, total in (("awari", 12), ("never-starve", 13), ("abapa", 12)):
            exact, out = os.path.join(self.scratch.name, rules), os.path.join(self.directory(), "db")
            run("clamp", "--db", exact, "--out", out, "--total", total)
            with awele.open(exact) as truth, awele.open(out, outcomes=True) as db:
                self.assertEqual((truth.total, db.total), (0, total))
                bounds = 0
                for board in random_boards(1500):
                    w = width(sum(board), total)
                    value = truth.value(board)
                    self.assertEqual(truth.known(board), (value, "exact"))
                    self.assertEqual(db.value(board), max(-w, min(w, value)))
                    self.assertTrue(allows(db.known(board), value), board)
                    for known, worth in zip(db.known_moves(board), truth.moves(board)):
                        if isinstance(known, awele.Known):
                            self.assertTrue(allows(known, worth), board)
                            self.assertTrue(known.bound == "exact" or abs(known.value) >= w, board)
                            bounds += known.bound != "exact"
                        else:
                            self.assertEqual(known, worth)
                    best = [pit for pit, worth in enumerate(truth.moves(board))
                            if isinstance(worth, int) and max(-w, min(w, worth)) == max(-w, min(w, value))]
                    self.assertEqual(db.best_moves(board), best)
                self.assertGreater(bounds, 100)
        with self.assertRaisesRegex(awele.Damaged, "holds outcomes of games of 12 seeds"):
            awele.open(self.outcomes)

    def test_many_boards_as_the_program_and_python_print_them(self):
        text = "\n".join(" ".join(map(str, board)) for board in random_boards(2000))
        ours = subprocess.run([AWELE, "probe", "--db", self.outcomes, "-"], input=text, text=True, capture_output=True, check=True)
        python = subprocess.run([sys.executable, os.path.join(SCRIPTS, "awele.py"), self.outcomes], input=text, text=True,
                                capture_output=True, check=True)
        self.assertEqual(ours.stdout, python.stdout)
        self.assertIn(">=", ours.stdout)
        self.assertIn("<=", ours.stdout)
        answers = subprocess.run([AWELE, "probe", "--db", self.outcomes, "--format", "json", "-"], input=text, text=True,
                                 capture_output=True, check=True).stdout.splitlines()
        sign = {"exact": "", "at least": ">=", "at most": "<="}
        for line, answer in zip(ours.stdout.splitlines(), map(json.loads, answers)):
            words = [sign[answer["bound"]] + str(answer["value"])]
            for move, bound in zip(answer["moves"], answer["bounds"]):
                words.append(sign[bound] + str(move) if bound else "-" if move is None else move)
            self.assertEqual(line.split(), words)

    def test_probe(self):
        least, most = self.boards_at_bounds(5)
        for board in least:
            self.assertRegex(run("probe", "--db", self.outcomes, *board), r"Value (at least )?\+\d+: of the 10 seeds")
        for board in most:
            self.assertRegex(run("probe", "--db", self.outcomes, *board),
                             r"Value at most -\d+: of the 10 seeds on the board its opponent captures at least")
        exact = json.loads(run("probe", "--db", self.exact, "--format", "json", *least[0]))
        self.assertNotIn("bound", exact)

    def test_who_wins(self):
        boards = [board for board in random_boards(60) if sum(board) >= 7]
        with awele.open(self.exact) as truth:
            for board in boards:
                for store in range(TOTAL - sum(board) + 1):
                    stores = f"{store},{TOTAL - sum(board) - store}"
                    final = store - (TOTAL - sum(board) - store) + truth.value(board)
                    expected = "win" if final > 0 else "loss" if final < 0 else "draw"
                    for db in (self.exact, self.outcomes):
                        answer = json.loads(run("probe", "--db", db, "--format", "json", "--stores", stores, "--total", TOTAL, *board))
                        self.assertEqual(answer["result"], expected, (board, stores))
        board = self.boards_at_bounds(1)[0][0]
        self.assertRegex(run("probe", "--db", self.outcomes, "--stores", "0,2", "--total", 12, *board),
                         "Stores 0-2: the side to move wins, (at least )?[0-9]+ seeds? ahead")
        # A game of more seeds than the database is for.
        self.assertIn("the database is for games of 12 seeds, this one has 48",
                      run("probe", "--db", self.outcomes, "--stores", "0,38", *self.boards_at_bounds(1)[0][0]))
        self.assertIn("add up to 13, not 48", run("probe", "--db", self.exact, "--stores", "1,2", *board, code=2))
        self.assertIn("--stores is for one board", run("probe", "--db", self.exact, "--stores", "1,2", "-", code=2))

    def test_line(self):
        for board in self.boards_at_bounds(4)[0]:
            said = run("line", "--db", self.outcomes, *board, "--stores", "1,1", "--total", 12)
            self.assertIn("From outcomes of games of 12 seeds", said)
            self.assertRegex(said, r">=\+\d|\+\d")
            self.assertIn("First wins", said)
            said = run("line", "--db", self.outcomes, *board, "--stores", "19,19")
            self.assertIn("This game has 48 seeds", said)
        for board in self.boards_at_bounds(4)[1]:
            self.assertIn("Second wins", run("line", "--db", self.outcomes, *board, "--stores", "2,0", "--total", 12))

    def test_play_and_annotate(self):
        board = self.boards_at_bounds(1)[0][0]
        saved = os.path.join(self.directory(), "game")
        done = subprocess.run([AWELE, "play", "--db", self.outcomes, "--board", ",".join(map(str, board)), "--stores", "1,1",
                               "--total", "12"], input=f"advice\nprogram\nadvice\nsave {saved}\nquit\n", text=True,
                              capture_output=True, check=True).stdout
        self.assertIn("The database holds outcomes of games of 12 seeds", done)
        self.assertRegex(done, "at (least|most)")
        self.assertNotIn("about", done)
        self.assertRegex(run("annotate", saved, "--db", self.outcomes), r">=\+|<=-|gave away 0")

    def test_analyze(self):
        """Beyond the database: bounds at the leaves, and what is proven stays true."""
        small, out = self.copy(self.exact), os.path.join(self.directory(), "db")
        for n in (9, 10):
            os.remove(path(small, n))
        run("clamp", "--db", small, "--out", out, "--total", 10)  # W is 3 at 8 seeds
        with awele.open(self.exact) as truth:
            for board in [board for board in random_boards(60) if sum(board) > 8][:12]:
                said = run("analyze", "--db", out, *board, "--depth", 4, "--format", "json", "--graph", 2000).splitlines()
                worth = truth.moves(board)
                steps = [json.loads(line) for line in said if not line.startswith("note: ")]
                self.assertTrue(steps)
                for step in steps:
                    self.assertLessEqual(step["at_least"], truth.value(board))
                    self.assertGreaterEqual(step["at_most"], truth.value(board))
                    for move in step["moves"]:
                        self.assertLessEqual(move["at_least"], worth[move["pit"]], board)
                        self.assertGreaterEqual(move["at_most"], worth[move["pit"]], board)
                        if move["estimate"] is not None:
                            self.assertLessEqual(move["at_least"], move["estimate"])
                            self.assertGreaterEqual(move["at_most"], move["estimate"])
        board = self.boards_at_bounds(1)[0][0]  # inside the database there is nothing to search
        self.assertIn("at least", run("analyze", "--db", self.outcomes, *board, "--time", 100))

    def test_stats(self):
        for arguments in ((), ("--all-boards",)):
            stats = ("stats", "--slice", 10, *arguments, "--format")
            rows = [line.split(",") for line in run(*stats, "csv", "--db", self.outcomes).splitlines()[1:]]
            self.assertEqual([row[1] for row in rows], ["<= -3", "-2", "-1", "0", "1", "2", ">= 3"])
            exact = [line.split(",") for line in run(*stats, "csv", "--db", self.exact).splitlines()[1:]]
            expected = dict.fromkeys((row[1] for row in rows), 0)
            for _, value, count in exact:
                value = int(value)
                expected["<= -3" if value <= -3 else ">= 3" if value >= 3 else str(value)] += int(count)
            self.assertEqual({row[1]: int(row[2]) for row in rows}, expected)
            table = run(*stats, "table", "--db", self.outcomes)
            self.assertIn("<= -3", table)
            self.assertIn(">= 3", table)
            cells = json.loads(run(*stats, "json", "--db", self.outcomes))
            self.assertEqual(cells["total"], 12)
            self.assertEqual([cell["value"] for cell in cells["slices"][0]["values"]], ["<= -3", -2, -1, 0, 1, 2, ">= 3"])
        self.assertNotIn("=", run("stats", "--db", self.outcomes, "--slice", 6, "--format", "csv"))

    def test_info_and_bench(self):
        self.assertIn("rules awari, outcomes of games of 12 seeds", run("info", "--db", self.outcomes))
        self.assertEqual(json.loads(run("info", "--db", self.outcomes, "--format", "json"))["total"], 12)
        self.assertIsNone(json.loads(run("info", "--db", self.exact, "--format", "json"))["total"])
        bench = json.loads(run("bench", "probe", "--db", self.outcomes, "--slice", 6, "--seconds", 0.01, "--batch", 100,
                               "--format", "json"))
        self.assertEqual(bench["total"], 12)

    def test_export(self):
        out = self.directory()
        self.assertIn("give --clamped", run("export", "--db", self.outcomes, "--slice", 9, "--out", out, code=2))
        self.assertIn("leave --clamped out", run("export", "--db", self.exact, "--slice", 9, "--out", out, "--clamped", code=2))
        self.assertEqual(os.listdir(out), [])
        self.assertIn("clamped to -4..4", run("export", "--db", self.outcomes, "--slice", 9, "--out", out, "--clamped"))
        self.assertEqual(os.listdir(out), ["clamped.9"])
        with h5py.File(path(self.outcomes, 9), "r") as file:
            self.assertEqual(numpy.fromfile(os.path.join(out, "clamped.9"), numpy.int8).tobytes(), file["values"][:].tobytes())

    def test_verify(self):
        self.assertEqual(run("verify", "--db", self.outcomes).count(" 0 wrong"), N + 1)

    # ------------------------------------------------------------------------------------- older formats

    def test_version_2_is_read(self):
        old = self.copy(self.exact)
        for n in range(N + 1):
            to_version_2(path(old, n))
        self.assertNotIn("damaged", run("check", "--db", old))
        board = "1 0 0 2 0 1 0 1 0 0 1 0".split()
        self.assertEqual(run("probe", "--db", old, *board), run("probe", "--db", self.exact, *board))
        with awele.open(old) as db, awele.open(self.exact) as new:
            self.assertEqual(db.moves(board), new.moves(board))
        os.remove(path(old, N))
        run("solve", "--seeds", N, "--db", old)  # on top of the old ones
        self.assertIn(f"up to {N} seeds", run("info", "--db", old))
        run("clamp", "--db", old, "--out", os.path.join(self.directory(), "db"))

    def test_other_versions_are_refused(self):
        for version in (1, 4):
            other = self.copy(self.exact)
            with h5py.File(path(other, 3), "r+", libver=("v110", "v110")) as file:
                file.attrs.modify("format_version", version)
            said = run("probe", "--db", other, *("1" + " 0" * 11).split(), code=1)
            self.assertIn(f"format version {version}, this program reads versions 2 to 3", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
