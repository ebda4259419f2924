"""Names that an index stores from an image: reports are the same as with the image, the names can be replaced without a new index, and the
tarmac-* names of the program never use them.

    tests/run.py index_names
"""

import bisect
import os
import random
import re
import shutil
import struct
import subprocess
from pathlib import Path

import index_reader
import pytest
import quick
import test_format
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "corpus" / "traces"
IMAGES = ROOT / "corpus" / "elf"
REPORTS = ["profile t", "calltree t", "flamegraph t", "state t --at line:700", "writes t sp", "pc t 0x80610",
           "profile t --function main", "stack t --at line:500 --unwind calls", "info t --functions"]


class Names(Checker):
    def __init__(self, trawl, folder):
        super().__init__(trawl)
        self.folder = folder
        shutil.copy(TRACES / "recursion-a64.it.tarmac", folder / "t")
        for image in ("recursion-a64", "sort-a64"):
            shutil.copy(IMAGES / (image + ".elf"), folder / (image + ".elf"))

    def run(self, line):
        words = line.split()
        done = quick.run([self.trawl.with_name(words[0]), *words[1:]], cwd=self.folder, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def data(self):
        return (self.folder / "t.index").read_bytes()


def symbols_offset(data):
    """The offset of the sections of images, which are the last ones in the file."""
    sections = index_reader.Index(data).sections
    return len(data) - len(sections[index_reader.SYMBOLS]) - len(sections[index_reader.SOURCE_LINES])


@pytest.fixture
def without_names(trawl, place):
    """A trace and images, without an index."""
    return Names(trawl, place)


@pytest.fixture
def names(without_names):
    """The trace has an index with the names of its image."""
    assert without_names.run("trawl index --image recursion-a64.elf t")[0] == 0
    return without_names


def test_reports(without_names):
    names = without_names
    without = {line: names.run("trawl " + line) for line in REPORTS[:3]}
    names.expect("index", names.run("trawl index --image recursion-a64.elf t")[0], 0)
    for line in REPORTS:
        command, rest = line.split(" ", 1)
        names.expect(line, names.run("trawl " + line)[:2], names.run(f"trawl {command} --image recursion-a64.elf {rest}")[:2])
    names.expect("a name", b"main" in names.run("trawl profile t")[1], True)
    names.expect("an image goes before", names.run("trawl profile --force-image --image sort-a64.elf t"),
                 names.run("trawl profile --force-image --image sort-a64.elf --memory-index t"))
    for line, wanted in without.items():
        names.expect(line + " --memory-index", names.run("trawl " + line + " --memory-index"), wanted)
    for line in ("tarmac-profile", "tarmac-calltree"):
        names.expect(line, names.run(line + " t"), names.run(line + " --memory-index t"))


def test_asking_by_name(names):
    """Names on the command line, and suggestions for misspelled ones, are also looked up in the index."""
    with_image = names.run("trawl callinfo --image recursion-a64.elf t main fibonacci")
    names.expect("callinfo", names.run("trawl callinfo t main fibonacci")[:2], with_image[:2])
    status, _, said = names.run("trawl callinfo t fibonaci")
    names.expect("a near name", (status, b"did you mean 'fibonacci'" in said), (1, True))
    names.expect("no index", b"a name needs an image" in names.run("trawl callinfo --memory-index t main")[2], True)


def test_automatic(names):
    """An index built for a report stores the names given with it; an existing index keeps its own."""
    (names.folder / "t.index").unlink()
    names.run("trawl state --image recursion-a64.elf --at line:700 t")
    made = names.data()
    names.expect("by a question", b"fibonacci" in names.run("trawl state --at line:700 t")[1], True)
    names.run("trawl state --force-image --image sort-a64.elf --at line:700 t")
    names.expect("another image", names.data(), made)
    names.expect("and the same as", names.run("trawl index --image recursion-a64.elf t")[0], 0)
    names.expect("by the command", names.data(), made)


def test_info(names):
    told = names.run("trawl info t")[1]
    index = index_reader.Index(names.data())
    for key, count in (b"symbols", len(index.symbols[0])), (b"source lines", len(index.source_lines)):
        names.expect("info: " + key.decode(), re.search(rb"^%s +(\d+)$" % key, told, re.MULTILINE)[1], b"%d" % count)


DEBUG_SECTIONS = ".debug_line", ".debug_line_str", ".debug_info", ".debug_abbrev", ".debug_str"
HOSTILE_IMAGES = 60


def section_extents(image):
    """{name: (offset, bytes)} of the sections of a 64-bit little-endian ELF file."""
    (table,), (size, count, strings) = struct.unpack_from("<Q", image, 40), struct.unpack_from("<HHH", image, 58)
    rows = [struct.unpack_from("<IIQQQQ", image, table + i * size) for i in range(count)]
    name_of = lambda row: image[rows[strings][4] + row[0] :].split(b"\0", 1)[0].decode()
    return {name_of(row): (row[4], row[5]) for row in rows}


def test_hostile_lines(names):
    """Whatever the line tables of an image contain, trawl makes an index in bounded time; the index is sound and stores names."""
    sound = (IMAGES / "recursion-a64.elf").read_bytes()
    extents = [extent for name, extent in section_extents(sound).items() if name in DEBUG_SECTIONS]
    draw, statuses = random.Random("lines"), set()
    shutil.copy(names.folder / "t", names.folder / "spoiled")
    names.expect("sections of DWARF", len(extents) >= 4, True)
    for number in range(HOSTILE_IMAGES):
        spoiled = bytearray(sound)
        for _ in range(draw.choice([1, 3, 40])):
            start, size = extents[number % len(extents)]
            spoiled[start + draw.randrange(size)] = draw.choice([0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)])
        (names.folder / "spoiled.elf").write_bytes(spoiled)
        status, _, said = names.run("trawl index --force-index --no-sync --image spoiled.elf spoiled")
        names.expect("hostile lines: status", status in (0, 1, 3), True, (number, said))
        statuses.add(status)
        if status == 1:
            names.expect("hostile lines: a message", said.startswith(b"trawl: "), True, number)
            continue
        names.expect("hostile lines: sound", names.run("trawl verify spoiled")[0], 0, number)
        index_reader.Index((names.folder / "spoiled.index").read_bytes()).source_lines
        names.expect("hostile lines: names", b"main" in names.run("trawl profile spoiled")[1], True)
    names.expect("an index with whatever lines", 0 in statuses, True)
    for left in names.folder.glob("spoiled*"):
        left.unlink()


def test_functions_of_ids(names):
    """The index of an XRay log stores the names of its functions."""
    log, image = ROOT / "corpus" / "xray" / "recursion.fdr.xray", ROOT / "corpus" / "xray" / "recursion.elf"
    shutil.copy(log, names.folder / "log")
    names.expect("index of a log", names.run(f"trawl index --image {image} log")[0], 0)
    for line in "stack log --at byte:2000", "profile --index log.index log", "profile --index log.index --function _Z4bodyl log":
        command, rest = line.split(" ", 1)
        wanted = names.run(f"trawl {command} --image {image} {rest}")
        names.expect(line, names.run("trawl " + line)[:2], wanted[:2])
        names.expect(f"{line}: a name", b"body(long)" in wanted[1] or b"_Z4bodyl" in wanted[1], True)
    index = index_reader.Index((names.folder / "log.index").read_bytes())
    names.expect("PCs of functions", {address % 2 for _, address, _ in index.symbols[0]}, {0})
    for left in names.folder.glob("log*"):
        left.unlink()


def test_movable(names):
    """For a trace file, trawl needs to know at which address such an image was loaded."""
    trace, image = ROOT / "corpus" / "tfile" / "pie.tf", ROOT / "corpus" / "tfile" / "walk-pie.elf"
    shutil.copy(trace, names.folder / "frames")
    status, _, said = names.run(f"trawl index --image {image} frames")
    names.expect("a movable image", (status, b"its names are kept in the index only with --image FILE@OFFSET" in said),
                 (0, True))
    for left in names.folder.glob("frames*"):
        left.unlink()


def test_symbols(names, library):
    """The same functions that nm finds."""
    tool = shutil.which("nm")
    listed = subprocess.run([tool, "recursion-a64.elf"], cwd=names.folder, capture_output=True, check=True) if tool else None
    index = index_reader.Index(names.data())
    with library.open(names.folder / "t.index") as theirs:
        test_format.Comparison(index, theirs, test_format.random.Random(1)).symbols()
        theirs.verify()
    for address, name in re.findall(rb"^([0-9a-f]+) [Tt] ([a-z_]+)$", listed.stdout if listed else b"", re.MULTILINE):
        at = {row[0] for row in index.symbols[0] if row[1] == int(address, 16)}
        names.expect("symbols at an address", name in at, True, name)
        names.expect("names of addresses", index.symbol_at(int(address, 16))[0] in at, True, address)


# File, line and address of a row of a line table; the row at the end of a sequence has no line.
ROW = re.compile(rb"^(\S+) +(\d+|-) +0x([0-9a-f]+)", re.MULTILINE)


def rows_of(tool, image):
    """[(address, file, line)] of an image in ascending order, as readelf decodes its line tables. A line of None: no line there."""
    text = subprocess.run([tool, "--debug-dump=decodedline", image], stdout=subprocess.PIPE, check=True).stdout
    rows, last = {}, None
    for file, line, address in ROW.findall(text):
        if line == b"-" and int(address, 16) in rows and last != int(address, 16):
            continue # another sequence began there
        last = int(address, 16)
        rows[last] = (file, None if line == b"-" else int(line))
    return sorted((address, *row) for address, row in rows.items())


def test_lines(names, library):
    """For every executed address of each image of the corpus, the same file and line as readelf decodes."""
    tool = shutil.which("readelf") or pytest.skip("no readelf")
    seen = 0
    for image in sorted(IMAGES.glob("*.elf")):
        trace = next(iter(sorted(TRACES.glob(image.stem + ".*tarmac"))), None)
        if not trace:
            continue
        shutil.copy(trace, names.folder / "lines")
        names.run(f"trawl index --image {image} --force-index lines")
        index = index_reader.Index((names.folder / "lines.index").read_bytes())
        with library.open(names.folder / "lines.index") as theirs:
            test_format.Comparison(index, theirs, test_format.random.Random(1)).source_lines()
            theirs.verify()
            events = theirs.events(0, 1 << 20)
        rows = rows_of(tool, image)
        starts = [row[0] for row in rows]
        for pc in sorted({pc & ~1 for *_, pc, flags in events if flags & index_reader.HAS_INSTRUCTION}):
            found, place = index.line_at(pc), bisect.bisect_right(starts, pc)
            wanted = rows[place - 1][1:] if place and rows[place - 1][2] is not None else None
            names.expect(f"lines of {image.stem}", found and (found[2].rsplit(b"/", 1)[-1], found[3]), wanted, f"{pc:#x}")
            seen += found is not None
        for left in names.folder.glob("lines*"):
            left.unlink()
    names.expect("lines of code", seen > 1000, True)


def test_replacing(names, library):
    before, inode = names.data(), (names.folder / "t.index").stat().st_ino
    names.run("trawl index --image recursion-a64.elf t")
    names.expect("the same image", (names.folder / "t.index").stat().st_ino, inode)
    with library.open(names.folder / "t.index") as reader:
        names.expect("another image", names.run("trawl index --force-image --image sort-a64.elf t")[0], 0)
        names.expect("who reads the old one", reader.symbol_named(b"main")[0], b"main")
        reader.verify()
    after, end = names.data(), symbols_offset(before)
    names.expect("the rest of the file", after[512:end], before[512:end])
    names.expect("names", after[end:] != before[end:], True)
    names.expect("verify", names.run("trawl verify t")[0], 0)
    names.expect("moved", names.run("trawl index --image recursion-a64.elf@0x1000 t")[0], 0)
    names.expect("moved names", names.run("trawl profile t")[1],
                 names.run("trawl profile --image recursion-a64.elf@0x1000 t")[1])
    names.run("trawl index --image recursion-a64.elf t")
    names.expect("and back", names.data(), before)
    names.expect("nothing is left", sorted(p.name for p in names.folder.iterdir()),
                 ["recursion-a64.elf", "sort-a64.elf", "t", "t.index"])


def test_damage(names):
    """Reports do not use an index with damaged names; they read the trace instead."""
    data = names.data()
    wanted = names.run("trawl profile t --memory-index")[1]
    named = names.run("trawl profile t")[1]
    for at in range(symbols_offset(data), len(data), 17):
        spoiled = bytearray(data)
        spoiled[at] ^= 0x41
        (names.folder / "t.index").write_bytes(spoiled)
        out = names.run("trawl profile t --no-index")
        names.expect("a spoiled byte", out[1] in (wanted, named) or out[0] == 1, True, at)
        names.expect("a spoiled byte, a question", names.run("trawl pc t 0x80610 --count")[0], 0, at)
    (names.folder / "t.index").write_bytes(data)


def with_large_lines(image):
    """The image with line tables of more than 4 MB: what is added to them belongs to no unit."""
    data = bytearray(image.read_bytes())
    at, entry, count, names = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HHH", data, 58)
    strings = struct.unpack_from("<Q", data, at + names * entry + 24)[0]
    for header in range(at, at + count * entry, entry):
        name = strings + struct.unpack_from("<I", data, header)[0]
        if data[name : data.index(0, name)] == b".debug_line":
            offset, size = struct.unpack_from("<QQ", data, header + 24)
            struct.pack_into("<QQ", data, header + 24, len(data), size + (5 << 20))
            return bytes(data + data[offset : offset + size] + bytes(5 << 20))
    raise AssertionError("no line tables")


def test_lines_that_stay_in_the_image(without_names):
    """An index keeps no lines of an image with very many; they are read where they are, or it is said that they are missing."""
    names = without_names
    image = names.folder / "recursion-a64.elf"
    small = image.read_bytes()
    image.write_bytes(with_large_lines(image))
    lines = ["stack t --at line:500 --unwind calls --lines", "state t --at line:700 --lines"]
    assert names.run("trawl index --image recursion-a64.elf t")[0] == 0
    index = index_reader.Index(names.data())
    test_format.check_parts(index)
    names.expect("no lines in the index", len(index.source_lines), 0)
    for line in lines:
        command, rest = line.split(" ", 1)
        wanted = names.run(f"trawl {command} --image recursion-a64.elf --memory-index {rest}")
        found = names.run("trawl " + line)
        names.expect(line, found[:2], wanted[:2])
        names.expect(line + ": it has lines", b".c:" in found[1], True)
    confined = {name: value for name, value in os.environ.items() if name != "TRAWL_SANDBOX"}
    for line in lines:
        done = subprocess.run([names.trawl, *line.split()], cwd=names.folder, env=confined, capture_output=True, timeout=60)
        names.expect(line + ": confined", (b".c:" in done.stdout, done.stderr), (True, b""))
    image.rename(names.folder / "away")
    for line in lines:
        status, out, said = names.run("trawl " + line)
        names.expect(line + ": without the image", (b".c:" in out, b"recursion-a64.elf" in said and b"source lines are left out" in said), (False, True))
    image.write_bytes(small)
    for line in lines:
        status, out, said = names.run("trawl " + line)
        names.expect(line + ": another image", (b".c:" in out, b"is not the image that the index was built with" in said), (False, True))
