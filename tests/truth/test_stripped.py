"""Functions of images without symbols, from call frame information and SFrame: their starts and sizes are those of the removed symbols, and
calls recognized by them are the true ones of corpus/stacks.

    tests/run.py stripped
"""

import collections
import csv
import io
import struct
from pathlib import Path

import pytest
import quick
import sframe_tables
import small_elf
import test_stacks

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
IMAGES = sorted([*CORPUS.glob("elf/*.elf"), *CORPUS.glob("sframe/*.elf"), *CORPUS.glob("stacks/*.elf")])
MACHINES = (40, 183)  # Arm, AArch64
FUNCTIONS_MIN = 800
# Branches to assembly without frame information: wrong stacks of the 1,000, self times, counts of calls.
UNTOLD = {
    "rtos-a32.es": (108, 2, 2),
    "rtos-a32.it": (138, 4, 2),
    "rtos-a64.es": (80, 0, 2),
    "rtos-a64.it": (97, 5, 2),
    "rtos-m.it": (17, 3, 1),
}
AARCH64, CODE = 2, 0x10000
CALLED, WITH_FRAME = sframe_tables.Words(1, 0), sframe_tables.Words(1, 16, -16, -8)


def run(*words, status=(0,)):
    done = quick.run([str(word) for word in words], text=True, timeout=60)
    assert done.returncode in status, f"{words}: status {done.returncode}: {done.stderr[:300]}"
    return done.stdout, done.stderr


def functions_of(frame_rows, path):
    """(sorted ({start, size, whether it is a part}), faults)"""
    lines = [line.split(" ", 1) for line in run(frame_rows, "--functions", path)[0].splitlines()]
    found = {(int(rest.split()[0], 16), int(rest.split()[1]), what == "part") for what, rest in lines if what != "fault"}
    return sorted(found), [rest for what, rest in lines if what == "fault"]


def symbols_of(image):
    """{start: sizes} of the functions in an image's symbols, and of labels of assembly, which have no type."""
    data, symbols = image.read_bytes(), collections.defaultdict(set)
    for section in small_elf.sections(data):
        for start, size, kind in small_elf.symbols(data, section) if section[1] == small_elf.SHT_SYMTAB else []:
            if kind in (small_elf.STT_NOTYPE, small_elf.STT_FUNC):
                symbols[start & ~1].add(size)
    return symbols


@pytest.fixture(scope="session")
def frame_rows(prefix):
    return prefix / "tests" / "frame-rows"


def test_starts(checker, frame_rows):
    """Symbols of assembly may have no size."""
    total = 0
    for image in IMAGES:
        if small_elf.machine(image.read_bytes()) not in MACHINES:
            continue
        symbols = symbols_of(image)
        if not symbols:
            continue
        found, faults = functions_of(frame_rows, image)
        other = [entry for entry in found if not symbols.get(entry[0], set()) & {0, entry[1]}]
        parts = [entry for entry in found if entry[2]]
        total += len(found)
        checker.check(f"{image.name}: functions", not other and not parts and not faults, (other, parts, faults))
    checker.check("functions that symbols name", total >= FUNCTIONS_MIN, total)


def without_names(text):
    """Rows of a report without names of functions."""
    return [{key: value for key, value in row.items() if key != "function"} for row in csv.DictReader(io.StringIO(text))]


def by_address(text, names):
    """A flame graph's text with addresses instead of names, without the Thumb bit."""
    counts = collections.Counter()
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        starts = (int(names.get(name, name), 16) & ~1 for name in stack.split(";"))
        counts[";".join(map(hex, starts))] += int(count)
    return counts


def check_reports(checker, trace, stripped):
    """Reports with the image are the same without its symbols, except for names."""
    line = trace.points[len(trace.points) // 2]
    entry = hex(next(trace.truth.at_lines([line]))[1][-1])
    names = {name: hex(start) for start, name in trace.functions}
    for words in (["profile"], ["calltree"], ["callinfo"], ["stack", "--at", f"line:{line}"],
                  ["stack", "--unwind", "calls", "--at", f"line:{line}"]):  # fmt: skip
        words = [checker.trawl, words[0], "--format", "csv", "--memory-index", *words[1:], trace.path]
        words += [entry] if "callinfo" in words else []
        with_symbols, without = (run(*words, "--image", image)[0] for image in (trace.image, stripped))
        checker.check(f"{trace.name}: {' '.join(map(str, words[1:]))}", without_names(with_symbols) == without_names(without),
                      f"{with_symbols[:300]}, not {without[:300]}")  # fmt: skip
    graphs = [run(checker.trawl, "flamegraph", trace.path, "--image", image)[0] for image in (trace.image, stripped)]
    checker.check(f"{trace.name}: flamegraph", by_address(graphs[0], names) == by_address(graphs[1], {}), graphs[1])
    checker.check(f"{trace.name}: no name", not any(f"{name} " in graphs[1] for name in names), graphs[1])


def image_of(packed):
    return packed.with_name(packed.name.split(".")[0] + ".elf")


def debug_frame(starts):
    """{start: (size, instructions)} as call frame information (DWARF) of AArch64, whose CFA is SP at first."""

    def entry(body):
        body += bytes(-(len(body) + 4) % 8)  # DW_CFA_nop
        return struct.pack("<I", len(body)) + body

    functions = (struct.pack("<IQQ", 0, start, size) + rest for start, (size, rest) in starts.items())
    return entry(b"\xff\xff\xff\xff\x01\0\x04\x78\x1e\x0c\x1f\x00") + b"".join(map(entry, functions))


def test_made(checker, frame_rows, place):
    """Separate parts of functions, whose frame exists from their start; and damaged tables."""
    path, code = place / "made.elf", (CODE, 0x1000)
    wanted = [(CODE, 64, False), (CODE + 0x40, 32, True), (CODE + 0x80, 16, False)]
    rows = [[sframe_tables.Row(0, CALLED), sframe_tables.Row(4, WITH_FRAME)], [sframe_tables.Row(0, WITH_FRAME)],
            [sframe_tables.Row(0, CALLED)]]  # fmt: skip
    functions = [sframe_tables.Function(start, size, row) for (start, size, _), row in zip(wanted, rows)]
    stubs = sframe_tables.Function(CODE + 0x100, 64, rows[0], repeat=16)
    for version in (2, 3):
        table = sframe_tables.table(version, AARCH64, [*functions, stubs], 0x20000)
        path.write_bytes(sframe_tables.elf(table, AARCH64, 0x20000, code=code))
        checker.check(f"SFrame {version}", functions_of(frame_rows, path) == (wanted, []), functions_of(frame_rows, path))
        path.write_bytes(sframe_tables.elf(table, AARCH64, 0x20000, code=code).replace(struct.pack("<H", 183), struct.pack("<H", 62), 1))
        checker.check(f"SFrame {version} of another machine", functions_of(frame_rows, path) == ([], []))
    late = b"\x44\x0e\x10"  # DW_CFA_advance_loc 4, DW_CFA_def_cfa_offset 16
    frames = debug_frame(dict(zip((entry[0] for entry in wanted), ((64, late), (32, late[1:]), (16, b"")))))
    path.write_bytes(sframe_tables.elf(frames, AARCH64, 0, name=".debug_frame", code=code))
    checker.check("call frame information", functions_of(frame_rows, path) == (wanted, []), functions_of(frame_rows, path))
    path.write_bytes(sframe_tables.elf(frames[:-4], AARCH64, 0, name=".debug_frame", code=code))
    found, faults = functions_of(frame_rows, path)
    checker.check("cut short", (found, len(faults)) == (wanted[:2], 1) and "1 entries" in faults[0], (found, faults))


def test_damaged(checker, place):
    """A report continues without what cannot be read, with a message of one line."""
    packed = CORPUS / "stacks" / "siblings-Os-a64.it.tarmac.xz"
    trace, spoiled = test_stacks.Trace(packed, place), place / "spoiled.elf"
    data = bytearray(small_elf.without_symbols(trace.image.read_bytes()))
    header, offset = small_elf.section_named(data, ".eh_frame")
    plain = run(checker.trawl, "profile", "--format", "csv", trace.path)
    for what, at, value in (("an absurd size", header + 32, 1 << 40), ("a wild length", offset, 0x7FFFFFFF)):
        other = bytearray(data)
        struct.pack_into("<Q" if value >> 32 else "<I", other, at, value)
        spoiled.write_bytes(other)
        found = run(checker.trawl, "profile", "--format", "csv", trace.path, "--image", spoiled)
        is_said = found[1].count("\n") == 1 and "spoiled.elf" in found[1]
        checker.check(what, without_names(found[0]) == without_names(plain[0]) and is_said, found)


PACKED = sorted((CORPUS / "stacks").glob("*.tarmac.xz"))


@pytest.mark.parametrize("packed", [path for path in PACKED if image_of(path).exists()], ids=lambda path: path.name.removesuffix(".tarmac.xz"))
def test_calls(checker, place, packed):
    trace, stripped = test_stacks.Trace(packed, place), place / "stripped.elf"
    stripped.write_bytes(small_elf.without_symbols(trace.image.read_bytes()))
    options = ["--image", stripped]
    wrong = [test_stacks.wrong_stacks(checker.trawl, trace, options),
             *test_stacks.wrong_functions(checker.trawl, trace, options)]  # fmt: skip
    most = UNTOLD.get(trace.name, test_stacks.NOTHING)
    is_right = all(len(found) <= allowed for found, allowed in zip(wrong, most))
    checker.check(f"{trace.name}: stacks, self times, calls", is_right, [found[:1] for found in wrong])
    if trace.name not in UNTOLD:
        check_reports(checker, trace, stripped)
