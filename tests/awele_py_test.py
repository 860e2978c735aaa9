"""scripts/awele.py: awele_py_test.py SCRIPTS DATABASES AWELE"""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib

import h5py
import numpy

SCRIPTS, DATABASES, AWELE = sys.argv[1:4]
sys.path.insert(0, SCRIPTS)
import awele


def orders(n):
    """The boards of n seeds in the published order, by brute force."""
    def fill(pit, left):
        if pit == 0:
            yield (left,)
            return
        for seeds in range(left + 1):
            for below in fill(pit - 1, left - seeds):
                yield below + (seeds,)
    return [board for board in fill(11, n) if 0 in board[6:]]


def with_distances(directory, n, distances):
    """Gives a copy of slice n a /distance as the program would."""
    stored = numpy.array(distances, "<u2")
    with h5py.File(os.path.join(directory, f"slice_{n:02}.h5"), "r+", libver="v110") as file:
        file.create_dataset("distance", data=stored, chunks=stored.shape, compression=1, shuffle=True, fillvalue=None)
        file.create_dataset("distance_chunk_crc32", data=numpy.array([zlib.crc32(stored)], "<u4"), chunks=(1,),
                            fletcher32=True, fillvalue=None)
        file.attrs.create("distance_crc32", zlib.crc32(stored), dtype="<u4")
        named = {name: value.decode() if isinstance(value, bytes) else value for name, value in file.attrs.items()}
        line = (f"{named['format_version']} {named['rules']} {named['seeds']} {named['positions']} {named['crc32']:08x} "
                f"{named['program_version']} {named['distance_crc32']:08x} total {named['total']}")
        file.attrs.modify("meta_crc32", numpy.uint32(zlib.crc32(line.encode(), zlib.crc32(file["histogram"][:]))))


def subprocess_open(directory):
    """awele.open in another process; raises what it raised there."""
    result = subprocess.run([sys.executable, os.path.join(SCRIPTS, "awele.py"), directory], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True)
    if "cannot be read" in result.stderr and "damaged" not in result.stderr:
        raise awele.Unreadable(result.stderr)
    if result.returncode != 0:
        raise awele.Damaged(result.stderr)


class Python(unittest.TestCase):
    def setUp(self):
        self.db = awele.open(os.path.join(DATABASES, "awari"))
        self.scratch = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.db.close()
        self.scratch.cleanup()

    def copy(self, *slices):
        for n in slices:
            shutil.copy(os.path.join(DATABASES, "awari", f"slice_{n:02}.h5"), self.scratch.name)
        return self.scratch.name

    def test_index(self):
        for n in range(9):
            boards = orders(n)
            self.assertEqual(len(boards), awele.slice_size(n))
            self.assertEqual([awele.index(board) for board in boards], list(range(len(boards))))

            self.assertEqual([awele.unrank(n, place) for place in range(len(boards))], boards)
        for n, place in ((48, awele.slice_size(48) - 1), (47, 10**11), (30, 12345678)):
            self.assertEqual(awele.index(awele.unrank(n, place)), place)
        for n, place in ((3, 364), (3, -1), (49, 0), (-1, 0)):
            with self.assertRaises(IndexError):
                awele.unrank(n, place)

    def test_unrank_is_the_program_s(self):
        found = subprocess.run([AWELE, "probe", "--db", self.db.directory, "--format", "json", "--index", "12:777777"],
                               check=True, capture_output=True, text=True).stdout
        board = json.loads(found)["board"]
        self.assertEqual(board, list(awele.unrank(12, 777777)))
        self.assertEqual(json.loads(found)["value"], self.db.value(board))

    def test_arrays_of_boards(self):
        for rules in awele.RULES:
            with awele.open(os.path.join(DATABASES, rules)) as db:
                random = numpy.random.default_rng(7)
                boards = numpy.zeros((600, 12), numpy.uint8)
                for board in boards:  # few pits, so that moves starve; every third without a hole on the waiting side
                    pits = random.choice(12, size=random.integers(1, 12))
                    numpy.add.at(board, random.choice(pits, size=random.integers(0, 5)), 1)
                boards[::3, 6:] += 1
                self.assertEqual(db.values(boards).tolist(), [db.value(board) for board in boards])
                number = {None: awele.EMPTY, "illegal": awele.ILLEGAL}
                self.assertEqual(db.move_values(boards).tolist(),
                                 [[number.get(each, each) for each in db.moves(board)] for board in boards])
                self.assertEqual(db.values(boards[:0]).shape, (0,))
                self.assertEqual(db.move_values(boards[:0]).shape, (0, 6))

    def test_arrays_of_what_is_no_board(self):
        good = numpy.ones((3, 12), int)
        for change in (lambda a: a[:, :11], lambda a: a[0], lambda a: a.astype(float), lambda a: a * 5, lambda a: -a,
                       lambda a: a * 2**40):
            for ask in (self.db.values, self.db.move_values):
                with self.assertRaises(awele.BoardError):
                    ask(change(good))
        with self.assertRaises(awele.NotSolved):
            self.db.values(good * 2)

    def test_histogram(self):
        for n in (0, 1, 12, 18):
            stats = subprocess.run([AWELE, "stats", "--db", self.db.directory, "--slice", str(n), "--format", "csv"],
                                   check=True, capture_output=True, text=True).stdout
            rows = [tuple(map(int, line.split(","))) for line in stats.splitlines()[1:]]
            self.assertEqual(self.db.histogram(n), {value: count for seeds, value, count in rows if count})

    def test_contents(self):
        self.assertEqual(self.db.rules, "awari")
        self.assertEqual(self.db.slices, list(range(19)))

    def test_board_as_text_list_and_array(self):
        pits = [0, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0]
        for board in (pits, tuple(pits), numpy.array(pits), "0,1,2,0,0,0,0,1,2,0,0,0", " 0 1 2 0 0 0 0 1 2 0 0 0\n"):
            self.assertEqual(self.db.value(board), 0)
            self.assertEqual(self.db.moves(board), [None, -6, 0, None, None, None])
            self.assertEqual(self.db.best_moves(board), [2])

    def test_what_is_no_board(self):
        for board in ("1 2 3", "1_0 0 0 0 0 0 0 0 0 0 0 0", "+5 0 0 0 0 0 0 0 0 0 0 0", "\u0665 0 0 0 0 0 0 0 0 0 0 0", "x 0 0 0 0 0 0 0 0 0 0 0", [0.5] + 11 * [0], [-1] + 11 * [0], 12 * [5], [49] + 11 * [0]):
            with self.assertRaises(awele.BoardError):
                self.db.value(board)

    def test_text_as_people_have_it(self):
        def ask(text):
            return subprocess.run([sys.executable, os.path.join(SCRIPTS, "awele.py"), self.db.directory], input=text,
                                  capture_output=True)

        board = b"0 1 2 0 0 0 0 1 2 0 0 0"
        for mark, end in ((b"\xef\xbb\xbf", b"\n"), (b"", b"\r\n"), (b"\xef\xbb\xbf", b"\r")):
            asked = ask(mark + board + end + mark + board + end)
            self.assertEqual((asked.returncode, asked.stdout.count(b"0 - -6 0")), (0, 2), (mark, end))
        for encoding in ("utf-16", "utf-16-be"):
            asked = ask(board.decode().encode(encoding))
            self.assertEqual(asked.returncode, 2)
            self.assertIn(b"standard input is UTF-16 text", asked.stderr)
        asked = ask(board + b"\xe4\n" + board + b"\n")
        self.assertEqual((asked.returncode, asked.stdout.count(b"error: ")), (2, 1))

    def test_what_is_not_solved(self):
        with self.assertRaisesRegex(awele.NotSolved, "24 seeds.*awele solve --seeds 24"):
            self.db.value(12 * [2])
        with self.assertRaises(awele.NoDistances):
            self.db.distance([1] + 11 * [0])
        with self.assertRaises(awele.NotSolved):
            self.db.histogram(19)

    def test_damage(self):
        directory = pathlib.Path(self.copy(7))
        path = directory / "slice_07.h5"
        with h5py.File(path, "r") as file:
            chunk = file["values"].id.read_direct_chunk((0,))[1]
        data = path.read_bytes()
        at = data.index(chunk) + len(chunk) // 2
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xff]) + data[at + 1:])
        with awele.open(directory) as db, self.assertRaisesRegex(awele.Damaged, "slice 7"):
            db.value([7] + 11 * [0])
        path.write_bytes(data)
        with h5py.File(path, "r+") as file:
            file["values"][3] ^= 1  # intact as a stream, but not what was solved
        with awele.open(directory) as db, self.assertRaisesRegex(awele.Damaged, "its CRC-32 is wrong"):
            db.value([7] + 11 * [0])
        path.write_bytes(data[:len(data) // 2])
        with self.assertRaisesRegex(awele.Damaged, "slice_07.h5"):
            awele.open(directory)

    def test_other_rules(self):
        shutil.copy(os.path.join(DATABASES, "abapa", "slice_03.h5"), self.copy(2))
        with self.assertRaisesRegex(awele.Damaged, "abapa"):
            awele.open(self.scratch.name)

    def test_refresh(self):
        with awele.open(self.copy(2)) as db:
            self.copy(3)
            self.assertEqual(db.slices, [2])
            db.refresh()
            self.assertEqual(db.slices, [2, 3])

    def test_fork_while_other_threads_read(self):
        done, asked = threading.Event(), []

        def read():
            with awele.open(self.db.directory, 0) as db:
                while not done.is_set():
                    asked.append(db.value([6] + 5 * [0] + [6] + 5 * [0]))

        threads = [threading.Thread(target=read) for _ in range(3)]
        for each in threads:
            each.start()
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    signal.alarm(60)  # a child that hangs ends with a signal
                    os._exit(0 if awele.open(self.db.directory).value([1] + 11 * [0]) == 1 else 1)
                self.assertEqual(os.waitpid(child, 0), (child, 0))
        finally:
            done.set()
            for each in threads:
                each.join()
        self.assertEqual(set(asked), {self.db.value([6] + 5 * [0] + [6] + 5 * [0])})

    def test_distances(self):
        """A made-up /distance is read where it should be: the place itself, below 2^16."""
        directory = self.copy(*range(6))
        with_distances(directory, 5, numpy.arange(awele.slice_size(5)))
        with awele.open(directory) as db:
            for place, board in enumerate(orders(5)):
                self.assertEqual(db.distance(board), place)
            with self.assertRaises(awele.NoDistances):
                db.distance([4] + 11 * [0])

    def test_distances_without_their_digest_are_refused(self):
        directory = self.copy(*range(6))
        with_distances(directory, 5, numpy.zeros(awele.slice_size(5)))
        with h5py.File(os.path.join(directory, "slice_05.h5"), "r+") as file:
            del file.attrs["distance_crc32"]
        result = subprocess.run([AWELE, "probe", "--db", directory, "1,1,1,0,0,0,0,0,0,0,0,0"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("slice_05.h5 is damaged: it has /distance without distance_crc32", result.stderr)
        with self.assertRaisesRegex(awele.Damaged, "slice_05.h5"):
            awele.open(directory)

    def test_flipped_bytes(self):
        """Anywhere in the file: found, or nothing that is asked depends on it."""
        path = pathlib.Path(self.copy(*range(8))) / "slice_07.h5"
        data, boards = path.read_bytes(), orders(7)[::1000]
        right = [self.db.value(board) for board in boards]
        found = 0
        for at in [*range(0, 48), *range(48, len(data), 97)]:
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x5a]) + data[at + 1:])
            try:
                with awele.open(self.scratch.name) as db:
                    self.assertEqual(db.histogram(7), self.db.histogram(7), at)
                    self.assertEqual([db.value(board) for board in boards], right, at)
            except awele.Damaged as damaged:
                self.assertIn("slice_07.h5", str(damaged))
                found += 1
        self.assertGreater(found, 60)

    def test_zeroed_sector(self):
        path = pathlib.Path(self.copy(7)) / "slice_07.h5"
        data = path.read_bytes()
        with h5py.File(path, "r") as file:
            at = data.index(file["histogram"].id.read_direct_chunk((0,))[1]) // 512 * 512
        path.write_bytes(data[:at] + bytes(512) + data[at + 512:])
        with self.assertRaisesRegex(awele.Damaged, "slice_07.h5"):
            awele.open(self.scratch.name)

    def test_what_cannot_be_read_is_not_damaged(self):
        path = pathlib.Path(self.copy(7)) / "slice_07.h5"
        path.rename(path.with_suffix(".away"))
        os.mkfifo(path)
        with self.assertRaisesRegex(awele.Unreadable, "slice_07.h5 is not a regular file"):
            awele.open(self.scratch.name)
        path.unlink()
        path.symlink_to("nowhere")
        with self.assertRaisesRegex(awele.Unreadable, "No such file.*slice_07.h5"):
            awele.open(self.scratch.name)
        path.unlink()
        path.with_suffix(".away").rename(path)
        with h5py.File(path, "r+"), self.assertRaises(awele.Unreadable):  # in use; here in this process
            subprocess_open(self.scratch.name)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        try:
            with self.assertRaisesRegex(awele.Unreadable, "Too many open files"):
                awele.open(self.scratch.name)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        with self.assertRaisesRegex(awele.Unreadable, "no such directory"):
            awele.open(path.parent / "none")

    def test_published_reader(self):
        """`awele export --out DIRECTORY` writes DIRECTORY/scores.n: one signed byte a position, found by seeking to the
        rank of the board, which is how the reader published with the VU database works (AWARI_PATH)."""
        for n in (0, 3, 12):
            subprocess.run([AWELE, "export", "--db", self.db.directory, "--slice", str(n), "--out", self.scratch.name],
                           check=True, stdout=subprocess.DEVNULL)
        path = pathlib.Path(self.scratch.name)
        self.assertEqual(sorted(each.name for each in path.iterdir()), ["scores.0", "scores.12", "scores.3"])
        board = (0, 0, 2, 1, 0, 3, 1, 0, 0, 2, 2, 1)
        with open(path / "scores.12", "rb") as file:
            file.seek(awele.index(board))
            self.assertEqual(int.from_bytes(file.read(1), "little", signed=True), self.db.value(board))
        self.assertEqual((path / "scores.12").stat().st_size, 1339702)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
