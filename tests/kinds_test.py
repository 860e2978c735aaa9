"""Kinds of databases, and files of older formats: kinds_test.py AWELE SCRIPTS"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

import h5py

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


class Kinds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.exact = os.path.join(cls.scratch.name, "exact")
        run("solve", "--seeds", 6, "--db", cls.exact)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def copy(self, source):
        """A copy of a database, removed at the end of the test."""
        directory = tempfile.mkdtemp(dir=self.scratch.name)
        self.addCleanup(shutil.rmtree, directory)
        return shutil.copytree(source, os.path.join(directory, "db"))

    def test_version_2_is_read(self):
        old = self.copy(self.exact)
        for n in range(7):
            to_version_2(path(old, n))
        self.assertNotIn("damaged", run("check", "--db", old))
        board = "1 0 0 2 0 1 0 1 0 0 1 0".split()
        self.assertEqual(run("probe", "--db", old, *board), run("probe", "--db", self.exact, *board))
        with awele.open(old) as db, awele.open(self.exact) as new:
            self.assertEqual(db.moves(board), new.moves(board))
        run("solve", "--seeds", 7, "--db", old)  # on top of the old ones
        self.assertIn("up to 7 seeds", run("info", "--db", old))

    def test_other_versions_are_refused(self):
        for version in (1, 4):
            other = self.copy(self.exact)
            with h5py.File(path(other, 3), "r+", libver=("v110", "v110")) as file:
                file.attrs.modify("format_version", version)
            said = run("probe", "--db", other, *("1" + " 0" * 11).split(), code=1)
            self.assertIn(f"format version {version}, this program reads versions 2 to 3", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
