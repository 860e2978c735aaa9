#!/usr/bin/env python3
"""Asks an Awele database, with h5py and numpy only.

    import awele
    db = awele.open("awari")
    print(db.value("1 1 1 1 1 1 1 1 1 1 1 1"), db.moves("1 1 1 1 1 1 1 1 1 1 1 1"))

A board is 12 numbers (a string, a list, an array): the seeds in the pits in sowing order, first the six of the side
to move, its leftmost first, then the six of the waiting side. A value is how many more of the seeds on the board the
side to move captures than its opponent, when both play best. (Under the rules majority-slam it is a threshold: with d
seeds more captured so far, the side to move wins if d + value > 0.) A distance is the number of plies until the next
capture or the end, when both play for value first and then the winner hurries and the loser delays; 0 when nothing
is to come.

An outcome database (awele clamp, awele solve --outcome) keeps of a value only what can decide a game of `total` seeds:
beyond W = min(n, total - n + 1) it holds W, or -W. open() refuses one unless it is told outcomes=True, so that no bound
is taken for a value. Then known() and known_moves() tell what is exact ("exact") and what a bound ("at least", "at
most"); value() gives the clamped value, moves() the numbers of known_moves(), and best moves are those of the best
clamped value: they keep every win and every draw.

Errors: BoardError (a ValueError) for what is no board, NotSolved (a LookupError) for a board that is not in the
database, NoDistances (a LookupError), Damaged (an OSError) for a file that was read and is not what the solver wrote,
Unreadable (an OSError) for a file or directory that could not be read and may be sound (no permission, in use, no free
descriptor, an I/O error). Never a number instead. Not thread safe: one thread at a time may use a Database. A process
may fork at any time; the child may go on.

Files are looked at before anything of them is read, and only what the solver writes is accepted. A file that somebody
made up to attack the HDF5 library itself may still end Python: `awele check` also compares the rest of the metadata.

Many boards, an array of 12 numbers a row, are looked up together, each chunk read once: values() and move_values().

As a program it answers boards from standard input, one per line, as `awele probe --db DIR -` does:

    awele.py DIR < boards.txt
"""

from __future__ import annotations

import collections
import functools
import math
import os
import re
import stat
import sys
import zlib
from collections.abc import Sequence
from typing import Union

import h5py
import numpy
from h5py import h5a, h5d, h5l, h5s, h5t, h5z

__version__ = "0.2.0"

RULES = ("awari", "unrestricted", "majority-slam", "never-starve", "abapa")
MAX_SEEDS = 48
CHUNK = 65536

Board = Union[str, Sequence[int], numpy.ndarray]  # 12 numbers
Worth = Union[int, str, None]  # of a pit: a number, None for an empty pit, "illegal"

# h5py has one lock; a fork while another thread holds it would leave it locked in the child forever.
os.register_at_fork(before=h5py._objects.phil.acquire, after_in_parent=h5py._objects.phil.release,
                    after_in_child=h5py._objects.phil.release)

Move = collections.namedtuple("Move", "kind captured value child")  # value: of a move that needs no look-up
Move.__doc__ = """What a pit offers: kind is "empty", "illegal", "known" (its value is known at once) or "move"."""


Known = collections.namedtuple("Known", "value bound")
Known.__doc__ = """What is known of a value: it is `value`, or "at least" or "at most" that."""


class BoardError(ValueError):
    pass


class NotSolved(LookupError):
    pass


class NoDistances(LookupError):
    pass


class Damaged(OSError):
    pass


class Unreadable(OSError):
    pass


# ------------------------------------------------------------------------------------------------------ boards


def parse_board(board: Board) -> tuple[int, ...]:
    """A tuple of 12 numbers, from text (spaces or commas) or any sequence."""
    pits = board.replace(",", " ").split() if isinstance(board, str) else list(board)
    if len(pits) != 12:
        raise BoardError(f"the board has {len(pits)} numbers, not 12; write the mover's pits first")
    try:
        pits = tuple(_number(pit) if isinstance(pit, str) else pit.__index__() for pit in pits)
    except (ValueError, AttributeError):
        raise BoardError(f"{board!r} has something in it that is not a whole number") from None
    if min(pits) < 0:
        raise BoardError(f"{min(pits)} in the board is negative")
    if sum(pits) > MAX_SEEDS:
        raise BoardError(f"the board holds {sum(pits)} seeds, more than the {MAX_SEEDS} of the game")
    return pits


def _number(text):
    """Digits only: int() also takes 1_0, +5 and the digits of other scripts."""
    if not re.fullmatch("-?[0-9]+", text):
        raise ValueError(text)
    return int(text)


def slice_size(n: int) -> int:
    """Stored positions of n seeds: the boards whose waiting half has an empty pit."""
    return math.comb(n + 11, 11) - math.comb(n + 5, 11)


def _fewer(j, t, x):
    """Ways to put t seeds in the pits 0..j with fewer than x of them in pit j."""
    return math.comb(t + j, j) - math.comb(t - x + j, j) if t >= 0 else 0


def index(board: Sequence[int]) -> int:
    """The place of a board in its slice: its rank in the order of (p11, p10, ..., p0) among those whose waiting half
    has an empty pit. Precondition: its own has one."""
    rank, left, hole = 0, sum(board), False
    for j in range(11, 0, -1):
        seeds = board[j]
        rank += _fewer(j, left, seeds)
        hole = hole or (j >= 6 and seeds == 0)
        if j >= 6 and not hole:
            # Not counted: boards without an empty pit in 6..11. With one seed taken out of each of 6..j they are the
            # boards of fewer seeds.
            rank -= _fewer(j, left - (j - 5), seeds - 1)
        left -= seeds
    return rank


def unrank(n: int, place: int) -> tuple[int, ...]:
    """The board of n seeds at a place of its slice: the inverse of index()."""
    if not 0 <= n <= MAX_SEEDS or not 0 <= place < slice_size(n):
        raise IndexError(f"there is no board of {n} seeds at place {place}")
    board, left, hole = [0] * 12, n, False
    for j in range(11, 0, -1):

        def before(seeds):
            """Boards with fewer seeds in pit j."""
            count = _fewer(j, left, seeds)
            if j >= 6 and not hole and seeds > 0:
                count -= _fewer(j, left - (j - 5), seeds - 1)
            return count

        seeds = max(seeds for seeds in range(left + 1) if before(seeds) <= place)
        place -= before(seeds)
        board[j] = seeds
        left -= seeds
        hole = hole or (j >= 6 and seeds == 0)
    board[0] = left
    return tuple(board)


# ------------------------------------------------------------------------------------------------------ the game


def _sow(board, pit):
    """(own half, waiting half, waiting half after the capture, seeds captured)"""
    pits = list(board)
    hand, at = pits[pit], pit
    pits[pit] = 0
    while hand:
        at = (at + 1) % 12
        if at != pit:
            pits[at] += 1
            hand -= 1
    after = pits[6:]
    captured = 0
    while at >= 6 and after[at - 6] in (2, 3):
        captured += after[at - 6]
        after[at - 6] = 0
        at -= 1
    return tuple(pits[:6]), tuple(pits[6:]), tuple(after), captured


def _starving(own, other, captured, n, rules, others):
    """A move that leaves the other side without seeds, as the rules take it; others: there is a move that does not."""
    if rules == "unrestricted" or (rules == "awari" and not others):
        return Move("known", captured, n, None)
    if rules == "majority-slam" and captured:
        return Move("known", captured, 2 * captured - n - 1, None)
    if rules == "abapa" and captured:
        return Move("move", 0, None, other + own)
    return Move("illegal", 0, None, None)


def moves(board: Sequence[int], rules: str) -> tuple[list[Move], int | None]:
    """(six Moves, value of having no move or None) of a board that parse_board() has made."""
    n = sum(board)
    if not any(board[:6]):
        return [Move("empty", 0, None, None)] * 6, 0 if rules == "never-starve" else -n
    sown = [_sow(board, pit) if board[pit] else None for pit in range(6)]
    others = any(each and any(each[2]) for each in sown)
    result = []
    for each in sown:
        if not each:
            result.append(Move("empty", 0, None, None))
            continue
        own, other, after, captured = each
        if any(after):
            result.append(Move("move", captured, None, after + own))
        else:
            result.append(_starving(own, other, captured, n, rules, others))
    threshold = rules == "majority-slam"
    if any(move.kind == "move" or (move.kind == "known" and not threshold) for move in result):
        return result, None
    return result, 0 if rules == "never-starve" else sum(board[:6]) - sum(board[6:])


# ------------------------------------------------------------------------------------ arrays of boards, a row each

EMPTY, ILLEGAL = -128, -127  # in move_values(); no value is below -48

_COMB = numpy.array([[math.comb(n, k) for k in range(12)] for n in range(MAX_SEEDS + 12)])


def _check_boards(boards):
    """Any array of boards as int16."""
    boards = numpy.asarray(boards)
    if boards.ndim != 2 or boards.shape[1] != 12 or boards.dtype.kind not in "iu":
        raise BoardError(f"an array of boards has 12 whole numbers a row; this is {boards.dtype} {boards.shape}")
    wrong = ((boards < 0) | (boards > MAX_SEEDS)).any(axis=1) | (boards.sum(axis=1, dtype=numpy.int64) > MAX_SEEDS)
    if wrong.any():
        row = int(wrong.argmax())
        raise BoardError(f"row {row}, {boards[row].tolist()}, is no board: the game has {MAX_SEEDS} seeds")
    return boards.astype(numpy.int16)


def _fewer_each(j, t, x):
    return numpy.where(t >= 0, _COMB[numpy.maximum(t + j, 0), j] - _COMB[numpy.maximum(t - x + j, 0), j], 0)


def _index_each(boards):
    """index() of each row."""
    left = boards.sum(axis=1, dtype=numpy.int64)
    rank, hole = numpy.zeros_like(left), numpy.zeros(len(boards), bool)
    for j in range(11, 0, -1):
        seeds = boards[:, j].astype(numpy.int64)
        rank += _fewer_each(j, left, seeds)
        if j >= 6:
            hole |= seeds == 0
            rank -= numpy.where(hole, 0, _fewer_each(j, left - (j - 5), seeds - 1))
        left -= seeds
    return rank


def _sow_each(boards, pit):
    """Boards after sowing from one pit, the same after the capture, seeds captured."""
    hand = boards[:, pit]
    sown = boards.copy()
    sown[:, pit] = 0
    for step in range(1, 12):
        sown[:, (pit + step) % 12] += (hand + 11 - step) // 11
    last = (pit + 1 + (hand - 1) % 11) % 12
    after, captured, going = sown.copy(), numpy.zeros(len(boards), numpy.int16), hand > 0
    for j in range(11, 5, -1):
        reached = going & (j <= last)
        taken = reached & ((after[:, j] == 2) | (after[:, j] == 3))
        captured += numpy.where(taken, after[:, j], 0)
        after[taken, j] = 0
        going &= taken | ~reached
    return sown, after, captured


def _turned(boards):
    return numpy.hstack([boards[:, 6:], boards[:, :6]])


def _moves_each(boards, rules):
    """moves() of each row: for each pit the values known at once (EMPTY, ILLEGAL; 0 for a move to look up), what is to be
    looked up, the board there and the seeds captured; then the value of having no move, or EMPTY."""
    n = boards.sum(axis=1)
    sown = [_sow_each(boards, pit) for pit in range(6)]
    filled = [boards[:, pit] > 0 for pit in range(6)]
    feeds = [filled[pit] & after[:, 6:].any(axis=1) for pit, (_, after, _) in enumerate(sown)]
    others = numpy.logical_or.reduce(feeds)
    known = numpy.full((len(boards), 6), EMPTY, numpy.int16)
    look, children, captures = [], [], []
    going_on = numpy.zeros(len(boards), bool)  # the rules do not end the game here
    for pit, (before, after, captured) in enumerate(sown):
        starving = filled[pit] & ~feeds[pit]
        if rules == "unrestricted":
            finished, worth = starving, n
        elif rules == "awari":
            finished, worth = starving & ~others, n
        else:
            finished, worth = starving & (captured > 0) & (rules == "majority-slam"), 2 * captured - n - 1
        slam = starving & (captured > 0) & (rules == "abapa")  # legal, and captures nothing
        known[:, pit] = numpy.where(starving, numpy.where(finished, worth, ILLEGAL), known[:, pit])
        look.append(feeds[pit] | slam)
        known[look[pit], pit] = 0
        children.append(_turned(numpy.where(slam[:, None], before, after)))
        captures.append(numpy.where(slam, 0, captured))
        going_on |= look[pit] | (finished & (rules != "majority-slam"))
    rest = boards[:, :6].sum(axis=1) - boards[:, 6:].sum(axis=1)
    ended = numpy.where(going_on, EMPTY, 0 if rules == "never-starve" else rest)
    return known, look, children, captures, ended


# -------------------------------------------------------------------------------------------------- the database


# What a slice file holds. Attributes of the root group, single elements: name, type; datasets: name, type, filters.
_ATTRIBUTES = {
    "format_version": h5t.STD_I32LE,
    "rules": None,  # text
    "seeds": h5t.STD_I32LE,
    "positions": h5t.STD_U64LE,
    "crc32": h5t.STD_U32LE,
    "program_version": None,
    "meta_crc32": h5t.STD_U32LE,
}
_MAY_BE_ABSENT = {"total": h5t.STD_I32LE, "distance_crc32": h5t.STD_U32LE}
_MOST_TEXT = 64
_VALUES = {"values": (h5t.STD_I8LE, [h5z.FILTER_DEFLATE])}
_TABLES = {"histogram": (h5t.STD_U64LE, [h5z.FILTER_FLETCHER32]), "chunk_crc32": (h5t.STD_U32LE, [h5z.FILTER_FLETCHER32])}
_DISTANCES = {"distance": (h5t.STD_U16LE, [h5z.FILTER_SHUFFLE, h5z.FILTER_DEFLATE]),
              "distance_chunk_crc32": (h5t.STD_U32LE, [h5z.FILTER_FLETCHER32])}
_EXITS = {"exit_crc32": (h5t.STD_U32LE, [h5z.FILTER_FLETCHER32])}  # may be absent
_CRC_BLOCK = 1024  # elements of a chunk of the tables of digests


class _Wrong(Exception):
    """What is wrong with a file."""


def _require(condition, what):
    if not condition:
        raise _Wrong(what)


def _fail(path, error):
    """Raises Unreadable for what the system says, Damaged for everything else."""
    if isinstance(error, (MemoryError, Damaged, Unreadable)):
        raise error
    number = getattr(error, "errno", None)
    if isinstance(error, OSError) and number is None:  # HDF5 tells it in its text only
        found = re.search("errno = ([0-9]+)", str(error))
        number = int(found[1]) if found else None
    if number:
        raise Unreadable(number, f"cannot be read: {os.strerror(number)}; it may be sound: see to permissions, open files "
                         "(ulimit -n) and who else uses it, and try again", path) from None
    raise Damaged(f"{path} is damaged: {error or type(error).__name__}; remove it (or restore it from a copy) and solve it "
                  "again") from None


def _slices_in(directory):
    """Seeds of the slice files that are there."""
    try:
        if not stat.S_ISDIR(os.stat(directory).st_mode):
            raise FileNotFoundError
    except FileNotFoundError:
        raise Unreadable(f"{directory}: no such directory") from None
    except OSError as error:
        _fail(directory, error)
    found = []
    for n in range(MAX_SEEDS + 1):
        try:
            os.lstat(os.path.join(directory, f"slice_{n:02}.h5"))
            found.append(n)
        except FileNotFoundError:
            pass
        except OSError as error:
            _fail(directory, error)
    return found


def _kind(total):
    return f"outcomes of games of {total} seeds" if total else "exact values"


class _Slice:
    def __init__(self, path, n):
        self.path, self.n, self.file = path, n, None
        try:
            self._require_file()
            self.file = h5py.File(path, "r")
            self._read_attributes()
            self._open_datasets()
            self._read_histogram()
        except Exception as error:  # h5py has many for what HDF5 finds wrong
            self.close()
            _fail(path, error)

    def close(self):
        if self.file:
            self.file.close()

    def _require_file(self):
        """A regular file that begins with the superblock that the solver writes, and is as long as that says."""
        if not stat.S_ISREG(os.stat(self.path).st_mode):
            raise Unreadable(f"{self.path} is not a regular file; move it away")
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            head, size = os.pread(descriptor, 48, 0), os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
        _require(head[:8] == b"\x89HDF\r\n\x1a\n", "it is not an HDF5 file")
        _require(len(head) == 48 and head[8:11] == b"\3\10\10" and head[12:28] == bytes(8) + b"\xff" * 8
                 and int.from_bytes(head[28:36], "little") == size, "it is cut short, or its superblock is another")

    def _read_attributes(self):
        names = set(self.file.attrs)
        _require(set(_ATTRIBUTES) <= names, "an attribute is missing")
        self.version = self._attribute("format_version", h5t.STD_I32LE)
        if self.version not in (2, 3):
            raise Damaged(f"{self.path} is of format version {self.version}; this program reads 2 and 3")
        forms = {**_ATTRIBUTES, **_MAY_BE_ABSENT}
        _require(names <= set(forms), "it has an attribute that no slice has")
        self.attributes = {name: self._attribute(name, forms[name]) for name in names}
        self.rules = self.attributes["rules"]
        _require(self.rules in RULES, "it names an unknown rule set")
        if self.attributes["seeds"] != self.n:
            raise Damaged(f"{self.path} is the slice of {self.attributes['seeds']} seeds; rename it to match")
        _require(self.attributes["positions"] == slice_size(self.n), "its number of positions is wrong")
        self.total = self.attributes.get("total", 0)
        _require(self.total == 0 or self.n <= self.total <= MAX_SEEDS, f"it claims to be of games of {self.total} seeds")
        self.width = min(self.n, self.total - self.n + 1) if self.total else self.n

    def _attribute(self, name, dtype):
        attribute = h5a.open(self.file.id, name.encode())
        found = attribute.get_type()
        _require(attribute.get_space().get_simple_extent_type() == h5s.SCALAR, f"its attribute {name} is not one element")
        if dtype is not None:
            _require(found.equal(dtype), f"its attribute {name} is of another type")
            value = numpy.zeros((), dtype.dtype)
            attribute.read(value)
            return int(value)
        _require(found.get_class() == h5t.STRING and not found.is_variable_str() and found.get_size() <= _MOST_TEXT,
                 f"its attribute {name} is no short text")
        value = numpy.zeros((), f"S{found.get_size()}")
        attribute.read(value, mtype=found)
        return bytes(value[()]).split(b"\0")[0].decode("ascii")

    def _open_datasets(self):
        forms = {**_VALUES, **_TABLES}
        if "distance_crc32" in self.attributes:
            forms.update(_DISTANCES)
        if self.n >= 2 and "exit_crc32" in self.file:
            forms.update(_EXITS)
        creation = self.file["/"].id.get_create_plist()
        _require(creation.get_link_creation_order() == creation.get_attr_creation_order() == 0
                 and set(self.file) == set(forms), "its datasets are not those of a slice")
        size = slice_size(self.n)
        self.chunk = min(CHUNK, size)
        self.chunks = -(-size // self.chunk)
        block = min(self.chunks, _CRC_BLOCK)
        exits = min(self.n, 15) - 1
        shapes = {"values": (size, self.chunk), "distance": (size, self.chunk), "chunk_crc32": (self.chunks, block),
                  "distance_chunk_crc32": (self.chunks, block), "histogram": (2 * self.n + 1, 2 * self.n + 1),
                  "exit_crc32": (exits, exits)}
        opened = {name: self._dataset(name, *form, *shapes[name]) for name, form in forms.items()}
        self.planes = {"values": opened["values"], "distances": opened.get("distance")}
        self.digests = {"values": opened["chunk_crc32"], "distances": opened.get("distance_chunk_crc32")}
        self.counts = opened["histogram"]

    @property
    def distances(self):
        return self.planes["distances"]

    def _dataset(self, name, dtype, filters, size, chunk):
        _require(self.file.id.links.get_info(name.encode()).type == h5l.TYPE_HARD, f"/{name} is a link")
        dataset = h5d.open(self.file.id, name.encode())
        layout = dataset.get_create_plist()
        _require(layout.get_layout() == h5d.CHUNKED and layout.get_external_count() == 0
                 and layout.get_chunk() == (chunk,) and dataset.get_type().equal(dtype)
                 and dataset.get_space().get_simple_extent_dims(True) == (size,) == dataset.shape
                 and [layout.get_filter(k)[0] for k in range(layout.get_nfilters())] == filters
                 and layout.fill_value_defined() == h5d.FILL_VALUE_DEFAULT and h5a.get_num_attrs(dataset) == 0,
                 f"/{name} is not stored as in a slice")
        return dataset

    def _block(self, dataset, first, count):
        """Elements of a dataset that is not compressed: the chunk that begins at `first`."""
        mask, stored = dataset.read_direct_chunk((first,))
        elements = dataset.get_create_plist().get_chunk()[0]
        _require(mask == 0 and len(stored) == elements * dataset.dtype.itemsize + 4, "a table has a chunk of another length")
        values = numpy.zeros(count, dataset.dtype)
        space = dataset.get_space()
        space.select_hyperslab((first,), (count,))
        dataset.read(h5s.create_simple((count,)), space, values)
        return values

    def _read_histogram(self):
        self.histogram = self._block(self.counts, 0, 2 * self.n + 1)
        named = self.attributes
        line = (f"{self.version} {self.rules} {self.n} {named['positions']} {named['crc32']:08x} "
                f"{named['program_version']}")
        if "distance_crc32" in named:
            line += f" {named['distance_crc32']:08x}"
        if self.version >= 3:
            line += f" total {self.total}"
        _require(zlib.crc32(line.encode(), zlib.crc32(self.histogram)) == named["meta_crc32"],
                 "the checksum over its histogram and attributes is wrong")
        _require(sum(map(int, self.histogram)) == named["positions"], "its histogram does not add up")

    def read_chunk(self, plane, number):
        """Chunk `number`, without what pads the last one; checked."""
        try:
            return self._checked_chunk(plane, number)
        except Exception as error:
            _fail(self.path, error)

    def _checked_chunk(self, plane, number):
        dataset, where = self.planes[plane], f"chunk {number} of /{plane} of slice {self.n}"
        width = dataset.dtype.itemsize
        mask, stored = dataset.read_direct_chunk((number * self.chunk,))
        _require(mask == 0, f"{where} is not compressed")
        inflater = zlib.decompressobj()
        inflated = inflater.decompress(stored, self.chunk * width + 1)
        _require(len(inflated) == self.chunk * width and inflater.eof, f"{where} is not of the right length")
        if plane == "distances":  # all low bytes, then all high bytes
            inflated = numpy.frombuffer(inflated, "u1").reshape(width, self.chunk).T.tobytes()
        chunk = numpy.frombuffer(inflated, dataset.dtype)[:slice_size(self.n) - number * self.chunk]
        first = number - number % _CRC_BLOCK
        stated = self._block(self.digests[plane], first, min(_CRC_BLOCK, self.chunks - first))
        _require(zlib.crc32(chunk) == stated[number - first], f"{where}: its CRC-32 is wrong")
        _require(plane != "values" or (chunk.min() >= -self.width and chunk.max() <= self.width), f"{where} has a value out of range")
        return chunk


class Database:
    """The slices of a directory. Chunks of 65,536 positions are kept, at most `cache_bytes` of them."""

    def __init__(self, directory: str | os.PathLike[str], cache_bytes: int = 64 << 20, outcomes: bool = False) -> None:
        self.directory = os.fspath(directory)
        self._outcomes = outcomes
        self._slices = {}
        self._chunk = functools.lru_cache(maxsize=max(1, cache_bytes // CHUNK))(self._read_chunk)
        self.refresh()

    def refresh(self) -> None:
        """Opens slices that have appeared since."""
        for n in _slices_in(self.directory):
            if n in self._slices:
                continue
            path = os.path.join(self.directory, f"slice_{n:02}.h5")
            fresh = _Slice(path, n)
            if self.rules not in (None, fresh.rules):
                fresh.close()
                raise Damaged(f"{path} has the rule set {fresh.rules}, other slices have {self.rules}")
            if fresh.total and not self._outcomes:
                raise Damaged(f"{path} holds outcomes of games of {fresh.total} seeds, not exact values; open the directory "
                              "with outcomes=True, or give that of an exact database")
            if self._slices and self.total != fresh.total:
                raise Damaged(f"{path} holds {_kind(fresh.total)}, other slices {_kind(self.total)}; keep each kind of "
                              "database in a directory of its own")
            self._slices[n] = fresh

    def close(self) -> None:
        for each in self._slices.values():
            each.close()
        self._slices.clear()
        self._chunk.cache_clear()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def rules(self) -> str | None:
        """The rule set, None while there is no slice."""
        return next((each.rules for each in self._slices.values()), None)

    @property
    def total(self) -> int:
        """Seeds of the games that an outcome database is for, 0 for an exact one."""
        return next((each.total for each in self._slices.values()), 0)

    @property
    def slices(self) -> list[int]:
        """Seeds of the slices that are there, ascending."""
        return sorted(self._slices)

    def histogram(self, n: int) -> dict[int, int]:
        """Stored positions of n seeds by value: a dictionary {value: positions}, without zeros."""
        counts = self._slice(n).histogram
        return {value - n: int(count) for value, count in enumerate(counts) if count}

    def value(self, board: Board) -> int:
        board = parse_board(board)
        self._slice(sum(board))
        if 0 in board[6:]:
            return self._stored("values", board)
        return self._clamp(sum(board), self._look_ahead(board)[0])

    def known(self, board: Board) -> Known:
        """What is known of a board's value: a Known. Always "exact" in an exact database."""
        board = parse_board(board)
        self._slice(sum(board))
        if 0 in board[6:]:
            return self._known(sum(board), self._stored("values", board))
        return self._known_ahead(board)[0]

    def known_moves(self, board: Board) -> list[Known | str | None]:
        """The same for each of the mover's pits; None for an empty pit, "illegal"."""
        board = parse_board(board)
        self._slice(sum(board))
        return self._known_ahead(board)[1]

    def moves(self, board: Board) -> list[Worth]:
        """What each of the mover's pits is worth to the side to move: a number, None for an empty pit, "illegal"."""
        board = parse_board(board)
        self._slice(sum(board))
        return self._look_ahead(board)[1]

    def values(self, boards: numpy.ndarray) -> numpy.ndarray:
        """The values of an array of boards, as int8."""
        boards = _check_boards(boards)
        self._require(boards)
        stored = (boards[:, 6:] == 0).any(axis=1)
        values = numpy.empty(len(boards), numpy.int8)
        values[stored] = self._stored_each(boards[stored])
        values[~stored] = self._look_ahead_each(boards[~stored])[0]
        if self.total:
            n = boards.sum(axis=1)
            widths = numpy.minimum(n, self.total - n + 1)
            values = values.clip(-widths, widths).astype(numpy.int8)
        return values

    def move_values(self, boards: numpy.ndarray) -> numpy.ndarray:
        """What the mover's pits of each of an array of boards are worth: int8, six a row, EMPTY and ILLEGAL where there
        is no move."""
        boards = _check_boards(boards)
        self._require(boards)
        return self._look_ahead_each(boards)[1]

    def distance(self, board: Board) -> int:
        return self.distances(board)[0]

    def distances(self, board: Board) -> tuple[int, list[int | None]]:
        """(distance of the board, six distances of its moves or None)"""
        board = parse_board(board)
        if self._slice(sum(board)).distances is None:
            raise NoDistances(f"the slice of {sum(board)} seeds in {self.directory} has no distances; solve it again, in the "
                              f"same directory, with: awele solve --distances --seeds {sum(board)} --db "
                              f"{self.directory} --rules {self.rules}")
        value, worth = self._look_ahead(board)
        options, ended = moves(board, self.rules)
        each = [self._move_distance(move, of) for move, of in zip(options, worth)]
        if 0 in board[6:]:
            return self._stored("distances", board), each
        if value == 0 or (ended is not None and self._as_good(board, ended, value)):
            return 0, each
        best = [distance for distance, of in zip(each, worth) if isinstance(of, int) and self._as_good(board, of, value)]
        return (min(best) if value > 0 else max(best)), each

    def best_moves(self, board: Board) -> list[int]:
        """Pits of the best moves, by value, then by distance where there are distances; ascending."""
        board = parse_board(board)
        self._slice(sum(board))
        value, worth = self._look_ahead(board)
        best = [pit for pit in range(6) if isinstance(worth[pit], int) and self._as_good(board, worth[pit], value)]
        if self._slices[sum(board)].distances is None or value == 0 or not best:
            return best
        each = self.distances(board)[1]
        wanted = (min if value > 0 else max)(each[pit] for pit in best)
        return [pit for pit in best if each[pit] == wanted]

    def _slice(self, n):
        if n not in self._slices:
            raise NotSolved(f"the slice of {n} seeds is not in {self.directory}; solve it with: awele solve --seeds {n} "
                            f"--db {self.directory}" + (f" --rules {self.rules}" if self.rules else ""))
        return self._slices[n]

    def _read_chunk(self, n, plane, number):
        return self._slice(int(n)).read_chunk(plane, int(number))

    def _stored(self, plane, board):
        number, place = divmod(index(board), CHUNK)
        return int(self._chunk(sum(board), plane, number)[place])

    def _require(self, boards):
        for n in numpy.unique(boards.sum(axis=1)):
            self._slice(int(n))

    def _stored_each(self, boards):
        """The values of stored boards, each chunk read once."""
        numbers, places = numpy.divmod(_index_each(boards), CHUNK)
        keys = boards.sum(axis=1).astype(numpy.int64) << 32 | numbers
        order = numpy.argsort(keys, kind="stable")
        chunks, starts = numpy.unique(keys[order], return_index=True)
        values = numpy.empty(len(boards), numpy.int8)
        for key, rows in zip(chunks.tolist(), numpy.split(order, starts[1:])):
            values[rows] = self._chunk(key >> 32, "values", key & 0xffffffff)[places[rows]]
        return values

    def _look_ahead_each(self, boards):
        """Values of boards and of their moves."""
        if len(boards) == 0:
            return numpy.empty(0, numpy.int8), numpy.empty((0, 6), numpy.int8)
        worth, look, children, captures, ended = _moves_each(boards, self.rules)
        asked = numpy.concatenate([each[where] for each, where in zip(children, look)])
        self._require(asked)
        found = numpy.split(self._stored_each(asked), numpy.cumsum([where.sum() for where in look])[:-1])
        for pit in range(6):
            worth[look[pit], pit] = captures[pit][look[pit]] - found[pit]
        best = numpy.maximum(numpy.where(worth == ILLEGAL, EMPTY, worth).max(axis=1), ended)
        return best.astype(numpy.int8), worth.astype(numpy.int8)

    def _clamp(self, n, value):
        width = min(n, self.total - n + 1) if self.total else n
        return max(-width, min(width, value))

    def _as_good(self, board, value, best):
        """Whether the two are equal as far as the database tells values apart."""
        return self._clamp(sum(board), value) == self._clamp(sum(board), best)

    def _known(self, n, stored):
        width = min(n, self.total - n + 1) if self.total else n
        if width == n or abs(stored) < width:
            return Known(stored, "exact")
        return Known(stored, "at least" if stored > 0 else "at most")

    def _known_worth(self, move):
        worth = self._worth(move)
        if move.kind != "move":
            return Known(worth, "exact") if move.kind == "known" else worth
        child = self._known(sum(move.child), move.captured - worth)
        return Known(worth, {"exact": "exact", "at least": "at most", "at most": "at least"}[child.bound])

    def _known_ahead(self, board):
        """(Known of the board, as its moves tell it; six of the moves)"""
        options, ended = moves(board, self.rules)
        worth = [self._known_worth(move) for move in options]
        each = [one for one in worth if isinstance(one, Known)] + ([] if ended is None else [Known(ended, "exact")])
        least = [one.value for one in each if one.bound != "at most"]
        most = max(one.value for one in each)
        if any(one.bound == "at least" for one in each):
            return Known(max(least), "at least"), worth
        return Known(most, "exact" if least and max(least) == most else "at most"), worth

    def _worth(self, move):
        if move.kind == "known":
            return move.value
        if move.kind == "move":
            self._slice(sum(move.child))
            return move.captured - self._stored("values", move.child)
        return None if move.kind == "empty" else "illegal"

    def _look_ahead(self, board):
        options, ended = moves(board, self.rules)
        worth = [self._worth(move) for move in options]
        return max([each for each in worth if isinstance(each, int)] + ([] if ended is None else [ended])), worth

    def _move_distance(self, move, worth):
        if not isinstance(worth, int):
            return None
        if worth == 0:
            return 0
        return 1 + self._stored("distances", move.child) if move.kind == "move" and not move.captured else 1


def open(directory: str | os.PathLike[str], cache_bytes: int = 64 << 20, outcomes: bool = False) -> Database:
    """The database in a directory; outcomes: also an outcome database."""
    return Database(directory, cache_bytes, outcomes)


# --------------------------------------------------------------------------------------------------- the program


def _word(known):
    if not isinstance(known, Known):
        return "-" if known is None else known
    return {"exact": "", "at least": ">=", "at most": "<="}[known.bound] + str(known.value)


def _line(db, board):
    board = parse_board(board)
    db.value(board)
    known, each = db._known_ahead(board)
    words = [_word(known)] + [_word(one) for one in each]
    try:
        distance, each = db.distances(board)
        words += [distance] + ["-" if one is None else one for one in each]
    except NoDistances:
        pass
    return " ".join(map(str, words))


def _boards(stream):
    """Lines of text as people have it: with any line ends, byte order marks left out, UTF-16 named."""
    stream.reconfigure(encoding="utf-8", errors="replace", newline=None)
    for number, line in enumerate(stream):
        if number == 0 and (line.startswith("\ufffd\ufffd") or "\0" in line):
            print("awele.py: standard input is UTF-16 text, which is not read; save it as UTF-8", file=sys.stderr)
            sys.exit(2)
        yield line.replace("\ufeff", "", 1) if line.startswith("\ufeff") else line


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    db = open(arguments[0], outcomes=True)
    errors = False
    for line in _boards(sys.stdin):
        try:
            print(_line(db, line))
        except (BoardError, NotSolved) as error:
            errors = True
            print(f"error: {error}")
    return 2 if errors else 0


def run() -> None:
    """The program, as it is started."""
    try:
        sys.exit(main(sys.argv[1:]))
    except (Damaged, Unreadable) as error:
        print(f"awele.py: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    run()
