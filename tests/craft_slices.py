"""Slice files as a stranger could make them, for crafted_test.cpp.

    craft_slices.py craft SLICE DIR           DIR/CASE/slice_05.h5 for each case, made from a true slice of 5 seeds
    craft_slices.py flip SLICE DIR COUNT      DIR/0/NAME, DIR/1/NAME, ...: SLICE with one byte of its metadata changed, and
                                              the checksums of HDF5 made true again
    craft_slices.py ask SCRIPTS DIR CASE...   what awele.py says of each: a line "CASE: answered" or "CASE: CLASS: MESSAGE"

The case "control" is what the program writes, made here with h5py: it must be accepted, or the others prove nothing.
"""

import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import sys
import zlib

import h5py
import numpy
from h5py import h5a, h5d, h5f, h5g, h5p, h5s, h5t

N = 5


# ------------------------------------------------------------------------------------------- a slice, taken apart


class Slice:
    """What a slice file is made of; a case changes some of it."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.version = int(file.attrs["format_version"])
            self.attributes = {name: (attribute_type(file, name), h5s.create(h5s.SCALAR), file.attrs[name])
                               for name in file.attrs}
            self.values = file["values"][:]
            self.histogram = file["histogram"][:]
        self.datasets = {
            "values": (h5t.STD_I8LE, self.values, dict(chunk=len(self.values), deflate=1)),
            "histogram": (h5t.STD_U64LE, self.histogram, dict(chunk=len(self.histogram), fletcher=True)),
            "chunk_crc32": (h5t.STD_U32LE, numpy.array([zlib.crc32(self.values)], "u4"), dict(chunk=1, fletcher=True)),
        }
        self.access, self.creation = dict(bounds=(h5f.LIBVER_V110, h5f.LIBVER_V110)), h5p.create(h5p.FILE_CREATE)

    def attribute(self, name, dtype, value=None, shape=None):
        space = h5s.create(h5s.SCALAR) if shape is None else h5s.create_simple(shape)
        self.attributes[name] = (dtype, space, value)

    def reseal(self):
        """Digests as the program computes them, of whatever the slice holds now."""
        crc = zlib.crc32(self.values)
        self.set("crc32", crc)
        self.datasets["chunk_crc32"] = (h5t.STD_U32LE, numpy.array([crc], "u4"), dict(chunk=1, fletcher=True))
        texts = {name: self.attributes[name][2] for name in ("rules", "program_version")}
        texts = {name: text.decode() if isinstance(text, bytes) else text for name, text in texts.items()}
        line = (f"{self.version} {texts['rules']} {self.number('seeds')} {self.number('positions')} {crc:08x} "
                f"{texts['program_version']}")
        if self.version >= 3:
            line += f" total {self.number('total')}"
        self.set("meta_crc32", zlib.crc32(line.encode(), zlib.crc32(self.datasets["histogram"][1])))

    def number(self, name):
        return int(self.attributes[name][2])

    def set(self, name, value):
        dtype, space, old = self.attributes[name]
        self.attributes[name] = (dtype, space, numpy.array(value, old.dtype))

    def write(self, path):
        access = h5p.create(h5p.FILE_ACCESS)
        access.set_libver_bounds(*self.access["bounds"])
        file = h5f.create(os.fsencode(path), h5f.ACC_TRUNC, fcpl=self.creation, fapl=access)
        for name, (dtype, data, how) in self.datasets.items():
            write_dataset(file, name, dtype, data, **how)
        for name, (dtype, space, value) in self.attributes.items():
            write_attribute(file, name, dtype, space, value)
        file.close()


def attribute_type(file, name):
    return h5a.open(file.id, name.encode()).get_type()


def write_attribute(file, name, dtype, space, value):
    attribute = h5a.create(file, name.encode(), dtype, space)
    if value is None:
        return
    if dtype.get_class() == h5t.STRING:
        text = value if isinstance(value, bytes) else str(value).encode()
        value = numpy.full(space.shape, text, f"S{dtype.get_size()}")
    attribute.write(numpy.asarray(value), mtype=dtype if dtype.get_class() == h5t.STRING else None)


def write_dataset(file, name, dtype, data, chunk=None, deflate=None, shuffle=False, fletcher=False, most=None,
                  prepare=None, write=None, shape=None):
    """prepare: sets more properties of the dataset; write: writes the data, instead of simply doing so."""
    layout = h5p.create(h5p.DATASET_CREATE)
    if chunk:
        layout.set_chunk(chunk if isinstance(chunk, tuple) else (chunk,))
    if shuffle:
        layout.set_shuffle()
    if deflate:
        layout.set_deflate(deflate)
    if fletcher:
        layout.set_fletcher32()
    if prepare:
        prepare(layout)
    space = h5s.create_simple(shape or data.shape, most or shape or data.shape)
    dataset = h5d.create(file, name.encode(), dtype, space, dcpl=layout)
    if write:
        write(dataset)
    elif shape is None:
        dataset.write(h5s.ALL, h5s.ALL, numpy.ascontiguousarray(data))


def text_type(size):
    dtype = h5t.C_S1.copy()
    dtype.set_size(size)
    return dtype


def variable_text():
    dtype = h5t.C_S1.copy()
    dtype.set_size(h5t.VARIABLE)
    return dtype


# ----------------------------------------------------------------------------------------------------- the cases

CASES = {}


def case(function):
    """function(slice, directory) changes the slice, or writes the file itself and returns True."""
    CASES[function.__name__] = function
    return function


def cases(names, function):
    for name in names:
        CASES[f"{function.__name__}_{name}"] = lambda slice, directory, name=name: function(slice, directory, name)


@case
def control(slice, directory):
    pass


# Attributes.

def array(slice, directory, name):
    dtype = slice.attributes[name][0]
    count = 60000 // dtype.get_size()
    slice.attribute(name, dtype, "x" if dtype.get_class() == h5t.STRING else numpy.zeros(count, dtype.dtype), (count,))


def array_of_one(slice, directory, name):
    dtype, _, value = slice.attributes[name]
    slice.attribute(name, dtype, value if dtype.get_class() == h5t.STRING else numpy.array([value]), (1,))


def missing(slice, directory, name):
    del slice.attributes[name]


ATTRIBUTES = ("format_version", "rules", "seeds", "positions", "crc32", "program_version", "meta_crc32")
cases(ATTRIBUTES, array)
cases(ATTRIBUTES, missing)
cases(("rules", "seeds"), array_of_one)


def variable(slice, directory, name):
    slice.attribute(name, variable_text())


cases(("rules", "program_version", "seeds"), variable)


@case
def rules_long(slice, directory):
    slice.attribute("rules", text_type(60000), b"awari")


@case
def rules_without_an_end(slice, directory):
    slice.attribute("rules", text_type(64), 64 * b"x")


@case
def rules_null(slice, directory):
    slice.attributes["rules"] = (text_type(6), h5s.create(h5s.NULL), None)


@case
def seeds_float(slice, directory):
    slice.attribute("seeds", h5t.IEEE_F64LE, 5.0)


@case
def seeds_wide(slice, directory):
    slice.attribute("seeds", h5t.STD_I64LE, numpy.int64(5))


@case
def seeds_big_endian(slice, directory):
    slice.attribute("seeds", h5t.STD_I32BE, numpy.int32(5))


@case
def seeds_compound(slice, directory):
    slice.attribute("seeds", h5t.py_create(numpy.dtype([("a", "i4"), ("b", "S1000")])))


@case
def seeds_enumeration(slice, directory):
    dtype = h5t.enum_create(h5t.STD_I32LE)
    dtype.enum_insert(b"five", 5)
    slice.attribute("seeds", dtype)


@case
def seeds_sequence(slice, directory):
    slice.attribute("seeds", h5t.vlen_create(h5t.STD_I32LE))


@case
def seeds_array_type(slice, directory):
    slice.attribute("seeds", h5t.array_create(h5t.STD_I32LE, (1000,)))


@case
def seeds_reference(slice, directory):
    slice.attribute("seeds", h5t.STD_REF_OBJ)


@case
def seeds_out_of_range(slice, directory):
    slice.set("seeds", 2147483647)


@case
def positions_out_of_range(slice, directory):
    slice.set("positions", 1 << 63)


@case
def version_of_the_future(slice, directory):
    slice.set("format_version", 99)


@case
def attribute_too_many(slice, directory):
    slice.attribute("comment", text_type(8), b"hello")


@case
def attributes_dense(slice, directory):
    for k in range(20):
        slice.attribute(f"comment{k}", text_type(8), b"hello")


# Datasets.

DATASETS = ("values", "histogram", "chunk_crc32")


def change(slice, name, dtype=None, data=None, **how):
    old = slice.datasets[name]
    slice.datasets[name] = (dtype or old[0], old[1] if data is None else data, {**old[2], **how})


def gone(slice, directory, name):
    del slice.datasets[name]


def contiguous(slice, directory, name):
    slice.datasets[name] = (*slice.datasets[name][:2], {})


def compact(slice, directory, name):
    slice.datasets[name] = (*slice.datasets[name][:2], dict(prepare=lambda layout: layout.set_layout(h5d.COMPACT)))


def external_pipe(slice, directory, name):
    dtype, data, _ = slice.datasets[name]
    os.mkfifo(directory / "fifo")
    slice.datasets[name] = (dtype, data, dict(shape=data.shape, prepare=lambda layout: layout.set_external(
        os.fsencode(directory / "fifo"), 0, h5f.UNLIMITED)))


def external_zeros(slice, directory, name):
    dtype, data, _ = slice.datasets[name]
    slice.datasets[name] = (dtype, data, dict(shape=data.shape, prepare=lambda layout: layout.set_external(
        b"/dev/zero", 0, h5f.UNLIMITED)))


def virtual(slice, name, source, dataset):
    dtype, data, _ = slice.datasets[name]
    space = h5s.create_simple(data.shape)
    slice.datasets[name] = (dtype, data, dict(shape=data.shape, prepare=lambda layout: layout.set_virtual(
        space, os.fsencode(source), dataset.encode(), space)))


def virtual_of_itself(slice, directory, name):
    virtual(slice, name, ".", name)


def virtual_of_a_pipe(slice, directory, name):
    os.mkfifo(directory / "fifo")
    virtual(slice, name, directory / "fifo", name)


def two_dimensions(slice, directory, name):
    data = slice.datasets[name][1]
    change(slice, name, data=data.reshape(1, -1), chunk=(1, len(data)))


def extendible(slice, directory, name):
    change(slice, name, most=(h5s.UNLIMITED,))


def too_long(slice, directory, name):
    data = slice.datasets[name][1]
    change(slice, name, data=numpy.concatenate([data, data]))


def enormous(slice, directory, name):
    slice.datasets[name] = (slice.datasets[name][0], None, dict(shape=(1 << 60,), chunk=1 << 20, deflate=1))


def other_type(slice, directory, name):
    data = slice.datasets[name][1]
    slice.datasets[name] = (h5t.IEEE_F64LE, data.astype("f8"), slice.datasets[name][2])


def sequences(slice, directory, name):
    dtype, data, how = slice.datasets[name]
    slice.datasets[name] = (h5t.vlen_create(dtype), data, dict(shape=data.shape, chunk=how["chunk"]))


def bomb(slice, directory, name):
    """A chunk of 256 MiB, of some 256 KiB in the file."""
    dtype, data, _ = slice.datasets[name]
    chunk = (1 << 28) // dtype.get_size()
    packed = zlib.compress(bytes(1 << 28), 1)
    slice.datasets[name] = (dtype, data, dict(shape=data.shape, most=(h5s.UNLIMITED,), chunk=chunk, deflate=1,
                                              write=lambda dataset: dataset.write_direct_chunk((0,), packed)))


def bomb_of_the_right_chunk(slice, directory, name):
    """The chunk is of the right size, its stream inflates to 16 MiB."""
    packed = zlib.compress(bytes(1 << 24), 9)
    change(slice, name, write=lambda dataset: dataset.write_direct_chunk((0,), packed))


def chunk_never_written(slice, directory, name):
    change(slice, name, shape=slice.datasets[name][1].shape)


def filters_skipped(slice, directory, name):
    data = bytes(slice.datasets[name][1])
    change(slice, name, write=lambda dataset: dataset.write_direct_chunk((0,), data, 1))


def more_filters(slice, directory, name):
    change(slice, name, shuffle=True, deflate=9, fletcher=True)


def unknown_filter(slice, directory, name):
    change(slice, name, prepare=lambda layout: layout.set_filter(305, h5py.h5z.FLAG_OPTIONAL, tuple(range(100))))


for each in (gone, contiguous, compact, external_pipe, external_zeros, virtual_of_itself, virtual_of_a_pipe,
             two_dimensions, extendible, too_long, enormous, other_type, sequences, bomb, bomb_of_the_right_chunk,
             chunk_never_written, filters_skipped, more_filters):
    cases(DATASETS, each)


def fill_value(slice, directory, name):
    change(slice, name, prepare=lambda layout: layout.set_fill_value(numpy.array(7, slice.datasets[name][1].dtype)))


cases(DATASETS, fill_value)


def small_chunks(slice, directory, name):
    change(slice, name, chunk=2)


cases(("values", "histogram"), small_chunks)


@case
def values_wrong_inside(slice, directory):
    """Whole and consistent, but 100 is no value of a board of 5 seeds."""
    slice.values[7] = 100
    slice.reseal()


@case
def values_minimum_inside(slice, directory):
    slice.values[7] = -128
    slice.reseal()


@case
def histogram_that_does_not_add_up(slice, directory):
    slice.datasets["histogram"][1][3] += 1
    slice.reseal()


@case
def histogram_that_overflows(slice, directory):
    slice.datasets["histogram"][1][2] += numpy.uint64(1 << 63)
    slice.datasets["histogram"][1][3] += numpy.uint64(1 << 63)
    slice.reseal()


# What else may lie in the root group.

def after(action):
    """A case whose file is written as it should be; then `action` changes it."""
    def changed(slice, directory):
        path = directory / "slice_05.h5"
        slice.write(path)
        with h5py.File(path, "r+", libver="v110") as file:
            action(file, directory)
        return True
    CASES[action.__name__] = changed
    return action


@after
def more_datasets(file, directory):
    file["more"] = numpy.zeros(3)


@after
def a_circle(file, directory):
    file["self"] = file["/"]


@after
def soft_link(file, directory):
    file.move("histogram", "other")
    file["histogram"] = h5py.SoftLink("/other")


@after
def soft_link_to_itself(file, directory):
    del file["histogram"]
    file["histogram"] = h5py.SoftLink("/histogram")


@after
def link_to_another_file(file, directory):
    os.mkfifo(directory / "fifo")
    del file["values"]
    file["values"] = h5py.ExternalLink(str(directory / "fifo"), "/values")


@after
def a_group_as_values(file, directory):
    del file["values"]
    file.create_group("values")


@after
def a_type_as_histogram(file, directory):
    del file["histogram"]
    file["histogram"] = numpy.dtype("u8")


@after
def the_root_as_values(file, directory):
    del file["values"]
    file["values"] = file["/"]


@after
def one_dataset_for_two(file, directory):
    del file["chunk_crc32"]
    file["chunk_crc32"] = file["histogram"]


@after
def dataset_with_attributes(file, directory):
    file["values"].attrs["units"] = "seeds"


@after
def many_links(file, directory):
    for k in range(1000):
        file[f"link{k}"] = file["values"]


@after
def attribute_of_a_named_type(file, directory):
    file["type"] = numpy.dtype("i4")
    del file.attrs["seeds"]
    file.attrs.create("seeds", 5, dtype=file["type"])


@after
def distances_outside(file, directory):
    """With everything that they need, but their bytes come out of a pipe."""
    os.mkfifo(directory / "fifo")
    layout = h5p.create(h5p.DATASET_CREATE)
    layout.set_external(os.fsencode(directory / "fifo"), 0, h5f.UNLIMITED)
    h5d.create(file.id, b"distance", h5t.STD_U16LE, file["values"].id.get_space(), dcpl=layout)
    file.create_dataset("distance_chunk_crc32", data=numpy.zeros(1, "u4"), chunks=(1,), fletcher32=True)
    file.attrs.create("distance_crc32", 0, dtype="u4")


# The file as a whole.

@case
def old_format(slice, directory):
    slice.access = dict(bounds=(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST))


@case
def user_block(slice, directory):
    slice.creation.set_userblock(512)


@case
def superblock_extension(slice, directory):
    slice.creation.set_file_space_strategy(h5f.FSPACE_STRATEGY_PAGE, True, 1)


@case
def order_of_links(slice, directory):
    slice.creation.set_link_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)


@case
def order_of_attributes(slice, directory):
    slice.creation.set_attr_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)


def raw(action):
    """A case in which bytes of the finished file are changed: action(bytes) returns others."""
    def changed(slice, directory):
        path = directory / "slice_05.h5"
        slice.write(path)
        path.write_bytes(action(path.read_bytes()))
        return True
    CASES[action.__name__] = changed
    return action


@raw
def empty(data):
    return b""


@raw
def signature_only(data):
    return data[:8]


@raw
def text(data):
    return b"no slice at all\n" * 100


@raw
def too_short(data):
    return data[:-1]


@raw
def too_many_bytes(data):
    return data + b"\0"


@raw
def left_open(data):
    return sealed(data[:11] + b"\1" + data[12:])


@raw
def based_elsewhere(data):
    return sealed(data[:12] + (8).to_bytes(8, "little") + data[20:])


@raw
def root_in_itself(data):
    return sealed(data[:36] + (1 << 40).to_bytes(8, "little") + data[44:])


def sealed(data):
    """With the checksum of its superblock."""
    return data[:44] + checksum(data[:44]).to_bytes(4, "little") + data[48:]


def checksum(data):
    """HDF5's: lookup3."""
    most = 0xffffffff

    def rotated(x, by):
        return (x << by | x >> 32 - by) & most

    a = b = c = 0xdeadbeef + len(data)
    while True:
        words = [int.from_bytes(data[k:k + 4].ljust(4, b"\0"), "little") for k in (0, 4, 8)]
        a, b, c = (old + word & most for old, word in zip((a, b, c), words))
        if len(data) <= 12:
            break
        for by in (4, 6, 8, 16, 19, 4):
            a, b, c = b, c + b & most, (a - c & most) ^ rotated(c, by)
        data = data[12:]
    for by in (14, 11, 25, 16, 4, 14, 24):
        a, b, c = b, (c ^ b) - rotated(b, by) & most, a
    return b


def not_a_file(function):
    def changed(slice, directory):
        function(directory / "slice_05.h5")
        return True
    CASES[function.__name__] = changed
    return function


@not_a_file
def pipe(path):
    os.mkfifo(path)


@not_a_file
def directory_itself(path):
    path.mkdir()


@not_a_file
def device(path):
    path.symlink_to("/dev/zero")


@not_a_file
def listening_socket(path):
    where = os.getcwd()
    os.chdir(path.parent)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)
    os.chdir(where)


@not_a_file
def link_to_a_pipe(path):
    os.mkfifo(path.parent / "fifo")
    path.symlink_to("fifo")


@not_a_file
def link_to_nowhere(path):
    path.symlink_to("nowhere")


# --------------------------------------------------------------------------------------------------- the program


def craft(source, directory):
    for name, change in CASES.items():
        where = pathlib.Path(directory) / name
        where.mkdir(parents=True)
        slice = Slice(source)
        if not change(slice, where):
            slice.write(where / "slice_05.h5")
        print(name)


def blocks(data):
    """(first byte, end) of every block of metadata, its checksum at the end included."""
    found = [(0, 48)]
    for signature in (b"OHDR", b"OCHK", b"FAHD", b"FADB"):
        at = data.find(signature)
        while at >= 0:
            found += [(at, end) for end in range(at + 12, min(at + 700, len(data)) + 1)
                      if checksum(data[at:end - 4]) == int.from_bytes(data[end - 4:end], "little")][:1]
            at = data.find(signature, at + 1)
    return found


def flip(source, directory, count):
    data, name = pathlib.Path(source).read_bytes(), pathlib.Path(source).name
    chance, where = random.Random(2024), blocks(data)
    for k in range(int(count)):
        first, end = chance.choice(where)
        at = chance.randrange(first, end - 4)
        byte = chance.choice([0, 1, 0x7f, 0x80, 0xff, data[at] ^ 1 << chance.randrange(8), chance.randrange(256)])
        body = data[first:at] + bytes([byte]) + data[at + 1:end - 4]
        target = pathlib.Path(directory) / str(k)
        target.mkdir(parents=True)
        (target / name).write_bytes(data[:first] + body + checksum(body).to_bytes(4, "little") + data[end:])


def ask_one(awele, directory):
    try:
        with awele.open(directory) as db:
            db.histogram(N)
            db.value([0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0])
            return "answered"
    except (awele.Damaged, awele.Unreadable) as error:
        return f"{type(error).__name__}: {error}"


def ask(scripts, directory, names):
    sys.path.insert(0, scripts)
    import awele
    for name in names:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
            print(f"{name}: {ask_one(awele, os.path.join(directory, name))}")
            sys.stdout.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status != 0:
            print(f"{name}: ended with the status {status}")


if __name__ == "__main__":
    if sys.argv[1] == "craft":
        craft(*sys.argv[2:])
    elif sys.argv[1] == "flip":
        flip(*sys.argv[2:])
    else:
        ask(sys.argv[2], sys.argv[3], sys.argv[4:])
