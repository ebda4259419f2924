"""Compares `trawl sframe` with a second reader (sframe_reader.py), with the recorded output of binutils' readelf for the corpus, and with
hand-made tables, valid and damaged."""

import json
import random
import re
import subprocess
from pathlib import Path

import pytest
import quick
import sframe_reader
from checker import Checker
from sframe_tables import Function, Row, Words, elf, table

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus" / "sframe"
ADDRESS = 0x400000
RANDOM_TABLES = 100
MUTANTS = 150


class Program(Checker):
    def __init__(self, trawl, scratch):
        super().__init__(trawl)
        self.scratch = scratch

    def run(self, *words, stdin=b""):
        words = [self.trawl, "sframe", *words]
        status, out, err, killed = quick.answer([str(w) for w in words], 60, stdin)
        return None if killed else status, out, err

    def look_up(self, path, pcs):
        text = "".join(f"{pc:x}\n" for pc in pcs).encode()
        status, out, _ = self.run(path, "--lookup", "-", "--format", "tsv", stdin=text)
        return status, out.decode().splitlines()

    def write(self, data, name="made.elf"):
        path = self.scratch / name
        path.write_bytes(data)
        return path


def compare(program, path, judge, statuses=(0,)):
    """The first PC at which the two readers differ; "" if there is none."""
    pcs = judge.boundaries()
    status, lines = program.look_up(path, pcs)
    if status not in statuses:
        return f"status {status}"
    wanted = [judge.look_up(pc) for pc in pcs]
    for got, want in zip(lines, wanted):
        if got != want:
            return f"got {got!r}, wanted {want!r}"
    return "" if len(lines) == len(wanted) else f"{len(lines)} lines, wanted {len(wanted)}"


# --- The corpus ---


@pytest.fixture
def program(trawl, place):
    return Program(trawl, place)


def test_corpus(program):
    for path in sorted(CORPUS.glob("*.elf")):
        if not path.name.startswith("segment"):
            judge = sframe_reader.read(path, path.name == "pasted-x86_64-v2.elf")
            program.no_fault(f"{path.name}: look-ups", compare(program, path, judge))
            stored = program.scratch / "stored.sframe"
            status, _, err = program.run("convert", path, "-o", stored)
            program.no_fault(f"{path.name}: convert", err.decode() or status)
            program.no_fault(f"{path.name}: look-ups in the stored array", compare(program, stored, judge))
    for path in sorted(CORPUS.glob("*.readelf")):
        status, out, err = program.run(path.with_suffix(""))
        same = out == path.read_bytes()
        program.no_fault(f"{path.name}", "" if same and status == 0 else f"other text, status {status}, {err.decode()}")


# --- Tables made at random ---


def random_words(rng, abi, flexible):
    size = rng.choice([1, 1, 2, 4])
    top = 1 << (8 * size - 1)

    def number():
        return rng.choice([rng.randrange(-top, top), 8 * rng.randrange(-16, 16)])

    if rng.random() < 0.05:
        return Words(size)
    if not flexible:
        return Words(size, *(number() for _ in range(rng.randrange(1, 4))))
    registers = [6, 7, 10, 15, 29]

    def pair(cfa=False):
        control = rng.choice([0, 2]) | (1 if cfa else rng.choice([0, 1])) | rng.choice(registers) << 3
        return [control, number()]

    words = pair(cfa=True)
    if rng.random() < 0.7:
        words += rng.choice([[0], pair()])
        if rng.random() < 0.7:
            words += pair()
    return Words(size, *words)


def random_rows(rng, abi, limit, width, flexible):
    limit = min(limit, 255 if width == 0 else 65535 if width == 1 else limit)
    starts = sorted(rng.choices(range(limit + 1), k=rng.choice([0, 1, 1, 2, 3, 8, 40])))
    if starts and rng.random() < 0.9:
        starts[0] = 0
    return [
        Row(start, random_words(rng, abi, flexible), rng.random() < 0.6, abi < 3 and rng.random() < 0.2)
        for start in starts
    ]


def random_functions(rng, version, abi, overlapping):
    functions, at = [], 0x1000
    for _ in range(rng.choice([0, 1, 2, 5, 60])):
        size = rng.choice([0, 1, 16, 90, 300, 5000, 70000])
        flexible = version == 3 and rng.random() < 0.3
        repeat = rng.choice([0, 0, 0, 16, 32, 24]) if version > 1 else rng.choice([0, 0, 16])
        width = rng.randrange(3)
        rows = random_rows(rng, abi, repeat or size, width, flexible)
        signal = version == 3 and rng.random() < 0.1
        functions.append(Function(at, size, rows, width, repeat, signal, flexible, abi < 3 and rng.random() < 0.2))
        step = rng.randrange(0, size + 40) if overlapping else size + rng.choice([0, 0, 8, 4096, 100000])
        at += -(-step // 16) * 16
    return functions


def test_random(program):
    for seed in range(RANDOM_TABLES):
        rng = random.Random(seed)
        version = rng.randrange(1, 4)
        abi = rng.choice([1, 2, 3] if version == 1 else [1, 2, 3, 4])
        functions = random_functions(rng, version, abi, rng.random() < 0.2)
        flags = (4 if version > 1 and rng.random() < 0.7 else 0) | 1
        # A table without both flags may be that of an object file, which has its own test.
        if flags & 4 and rng.random() < 0.4:
            rng.shuffle(functions)
            flags &= rng.choice([4, 5])
        blob = table(
            version, abi, functions, ADDRESS, flags, bytes(rng.choice([0, 0, 12])),
            rng.choice([(0, 0), (4, 8)]), (rng.choice([0, 0, 0, -16]), rng.choice([None, None, -8, 0])),
        )  # fmt: skip
        path = program.write(elf(blob, abi, ADDRESS))
        judge = sframe_reader.read(path)
        statuses = (3,) if judge.damaged else (0,)
        program.no_fault(f"random table {seed}", compare(program, path, judge, statuses))


# --- Tables made by hand ---


def simple(version, abi=3, flags=1, starts=(0x1000, 0x1040, 0x1080)):
    rows = [Row(0, Words(1, 8)), Row(4, Words(1, 16, -16)), Row(8, Words(1, 16, -16), sp=False)]
    return table(version, abi, [Function(start, 0x40, rows) for start in starts], ADDRESS, flags)


def one_pc(program, path, pc):
    status, lines = program.look_up(path, [pc])
    return (status, *lines)


def test_by_hand(program):
    row = "1044\trow\trsp+16\t[cfa-8]\t[cfa-16]\t"
    for version in (1, 2, 3):
        blob = simple(version)
        for what, data in (
            ("by name", elf(blob, 3, ADDRESS)),
            ("by type", elf(blob, 3, ADDRESS, ".unwind", 0x6FFFFFF4)),
            ("by segment, longer than the table", elf(blob, 3, ADDRESS, segment=True, headers=False, tail=58)),
        ):
            got = one_pc(program, program.write(data), 0x1044)
            program.no_fault(f"version {version} {what}", "" if got == (0, row) else got)
    first = simple(3, flags=4, starts=(0x1080,))
    first += bytes(-len(first) % 8)
    rows = [Row(0, Words(1, 24))]
    second = table(3, 3, [Function(0x1040, 0x10, rows), Function(0, 0x2000, rows)], ADDRESS + len(first), 4)
    path = program.write(elf(first + second, 3, ADDRESS, code=(0x1000, 0x1000)))
    program.no_fault("two tables", "" if one_pc(program, path, 0x1045)[1] == "1045\trow\trsp+24\t[cfa-8]\tsame\t" else "no row")
    program.no_fault("a discarded function is none", "" if one_pc(program, path, 0x1070)[1] == "1070\tmiss" else "a row")
    # The table of an object file: in version 2 without the flag, starts are relative to their own fields.
    rows = [Row(0, Words(1, 8))]
    functions = [Function(0x2000 + 0x20 * i + 28 + 20 * i, 0x20, rows) for i in range(9)]
    unlinked = table(2, 3, functions, ADDRESS, 0)
    path = program.write(elf(unlinked, 3, ADDRESS))
    got = [one_pc(program, path, 0x2000 + 56 + 0x20 * i + 40 * i)[1] for i in range(9)]
    fault = [line for line in got if "row" not in line]
    program.no_fault("a table that nobody linked", fault)
    status, out, _ = program.run(program.write(elf(b"", 3, ADDRESS)))
    program.no_fault("a section of no bytes", "" if status == 0 and b"No data" in out else (status, out))
    status, out, _ = program.run(program.write(elf(table(3, 3, [], ADDRESS), 3, ADDRESS)), "--lookup", "1000")
    program.no_fault("a table without functions", "" if status == 0 and b"miss" in out else (status, out))


def test_alike(program):
    """Rows with bytes that were seen before, but with another meaning, or incomplete."""
    rows = [Row(0, Words(1, 0x39, 16), sp=False)]
    functions = [Function(0x1000 + 0x10 * i, 0x10, rows, flexible=i % 2 == 1) for i in range(4)]
    path = program.write(elf(table(3, 3, functions, ADDRESS, 5), 3, ADDRESS))
    got = [one_pc(program, path, 0x1000 + 0x10 * i)[1].split("\t")[2] for i in range(4)]
    program.no_fault("the same words of other functions", "" if got == ["rbp+57", "rsp+16"] * 2 else got)
    for short in range(1, 4):
        blob = bytearray(simple(2))
        blob[16:20] = (int.from_bytes(blob[16:20], "little") - short).to_bytes(4, "little")
        path = program.write(elf(bytes(blob), 3, ADDRESS))
        program.no_fault(f"rows that end {short} bytes early", compare(program, path, sframe_reader.read(path), (3,)))


def test_damage(program):
    seeds = [
        (version, abi, simple(version, abi, flags))
        for version in (1, 2, 3)
        for abi in (2, 3)
        for flags in (1, 5 if version > 1 else 1)
    ]
    rng = random.Random(1)
    for number in range(MUTANTS):
        version, abi, blob = rng.choice(seeds)
        data = bytearray(blob)
        for _ in range(rng.choice([1, 1, 2, 5])):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        path = program.write(elf(bytes(data), abi, ADDRESS))
        fault = ""
        for words in ([path], [path, "--check"], [path, "--stats"], [path, "--format", "json"]):
            status, _, err = program.run(*words)
            failed = 2 if "--check" in words else 1
            if status not in (0, 1, 3, failed) or (status == failed and not err):
                fault = f"{words[1:]}: status {status}, {err[-300:]}"
        try:
            judge = sframe_reader.read(path)
            same_order = (abi in (1, 4)) == (judge.tables[0].order == ">")
            known = bytes(data[3:5]) == bytes(blob[3:5]) and same_order
        except Exception:  # the header is not valid
            known = False
        if known and not fault:
            fault = compare(program, path, judge, (0, 1, 3))
            fault = "" if fault == "status 1" or fault.startswith("0 lines") else fault
        program.no_fault(f"mutant {number}", fault)


def test_stored(program):
    """A stored array with one wrong byte is refused."""
    rng = random.Random(2)
    source = program.write(elf(simple(3, flags=5), 3, ADDRESS))
    stored = program.scratch / "stored.sframe"
    program.run("convert", source, "-o", stored)
    whole = stored.read_bytes()
    for number in range(60):
        data = bytearray(whole)
        data[rng.randrange(8, len(data))] ^= 1 << rng.randrange(8)
        if number % 3 == 0:
            del data[rng.randrange(8, len(data)) :]
        status, _, err = program.run(program.write(bytes(data), "bad.sframe"), "--lookup", "1000")
        program.no_fault(f"damaged array {number}", "" if status == 1 and b"is damaged" in err else (status, err))


# --- Beside the call frame information of the same image ---

# Assemblers that make each kind of mistake are not at hand: the CFA of a row is changed, and readelf says what .eh_frame has there.


def by_readelf(path, pc):
    """The CFA of a PC in .eh_frame."""
    text = subprocess.run(["readelf", "-wF", path], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^([0-9a-f]{16}) (\S+)", text, re.M)
    return max((int(at, 16), cfa) for at, cfa in rows if int(at, 16) <= pc)[1]


def change_row(program, path, pc, row):
    """The file with 8 more in the CFA's offset of a row, which is a start, an info byte, and offsets of one byte."""
    before = program.look_up(path, [pc - 1, pc])[1]
    data = path.read_bytes()
    offset = int(row["cfa"][4:])
    for match in re.finditer(re.escape(bytes([row["start"]])) + b"." + re.escape(bytes([offset])), data, re.S):
        changed = bytearray(data)
        changed[match.end() - 1] += 8
        status, after = program.look_up(program.write(changed), [pc - 1, pc])
        if status == 0 and after[0] == before[0] and after[1] == before[1].replace(f"rsp+{offset}", f"rsp+{offset + 8}"):
            return changed
    raise AssertionError(f"no row at {pc:#x}")


def differences(program, path):
    return [finding for finding in json.loads(program.run("--check", "--format", "json", path)[1]) if finding["kind"] == "difference"]


def test_differences(program):
    for version in (1, 2, 3):
        path = CORPUS / f"stacks-x86_64-v{version}.elf"
        program.check(f"{path.name}: no difference as it is", differences(program, path) == [])
        for function in json.loads(program.run(path, "--format", "json")[1])["tables"][0]["functions"]:
            rows = [row for row in function["rows"] if row["cfa"].startswith("rsp+") and row["start"] > 0]
            if not rows:
                continue
            pc = int(function["pc"], 0) + rows[0]["start"]
            found = differences(program, program.write(change_row(program, path, pc, rows[0])))
            expected = f"CFA rsp+{int(rows[0]['cfa'][4:]) + 8}, {by_readelf(path, pc)} by .eh_frame"
            is_right = len(found) == 1 and int(found[0]["pc"], 0) == pc and found[0]["text"].endswith(expected)
            program.check(f"{path.name}: a changed row at {pc:#x}", is_right, found)


def test_several(program):
    """A table for a directory: images without tables and other files are left out, named ones are not."""
    folder = program.scratch / "several"
    (folder / "lib").mkdir(parents=True)
    for name in ("stacks-x86_64-v3.elf", "plt-x86_64-v3.elf"):
        (folder / "lib" / name).write_bytes((CORPUS / name).read_bytes())
    (folder / "text").write_text("no image")
    (folder / "plain.elf").write_bytes((ROOT / "corpus/elf/hash-a64.elf").read_bytes())
    status, out, err = program.run("--check", "--format", "csv", folder)
    lines = out.decode().splitlines()
    program.check("a row for each image with tables, status 1", status == 1 and len(lines) == 3, (status, lines))
    program.check("what has none is counted", b"images without SFrame tables: 1" in err, err)
    program.check("figures", lines[2].endswith("lib/stacks-x86_64-v3.elf,8,6,270,0,0,0,1"), lines[2])
    status, _, err = program.run("--check", folder / "lib/stacks-x86_64-v3.elf", folder / "plain.elf")
    program.check("a named image without tables", status == 2 and b"has no SFrame section" in err, (status, err))
    program.check("gaps alone are status 0", program.run("--check", folder / "lib/stacks-x86_64-v3.elf")[0] == 0)
