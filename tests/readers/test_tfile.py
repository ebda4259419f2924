"""Compares what `trawl tfile` reads from real trace files with GDB and with a second reader.

    tests/run.py tfile

Registers, PC, memory and variables of every frame must equal those found by a reader in Python and, for every frame or an even selection,
those shown by GDB. Without gdb-multiarch or gdb that part is skipped by name. Then damage: trawl reads parts of real files that GDB cannot
read, and survives files truncated or damaged anywhere, with the same result for any number of threads.
"""

import csv
import functools
import io
import json
import pathlib
import random
import re
import shutil
import subprocess

import pytest
import quick
from bounded import run_bounded
from checker import Checker
from tfile_reader import TraceFile

TESTS = pathlib.Path(__file__).resolve().parents[1]
CORPUS = TESTS.parent / "corpus" / "tfile"
GDB = shutil.which("gdb-multiarch") or shutil.which("gdb")
TIMEOUT_S = 120
FRAMES_FOR_GDB = 24
SPOILED_FILES = 150

# Valid files; and what GDB cannot show although the frame has it, such as parts of registers.
SOUND = ["stacks", "stacks-fp", "pie", "steps", "many", "full", "passes", "i386", "saved-16"]
NOT_SHOWN = re.compile(r"st\d|ymm\d+h|zmm\d+h|[xy]mm(1[6-9]|[23]\d)|k\d|mxcsr|pkru|bnd.*|.*_base")


class Reader(TraceFile):
    """Reads files that GDB makes: tracepoints with steps and conditions, at several places."""

    def read_tracepoints(self):
        found = {}
        for text in self.values("tp"):
            match = re.match(r"T(\w+):(\w+):[ED]:(\w+):", text)
            if match:
                found.setdefault(int(match[1], 16), []).append((int(match[2], 16), int(match[3], 16)))
        return found

    @functools.cached_property
    def address_mask(self):
        """Addresses of 32 bits are sign-extended."""
        return 2**32 - 1 if any(name == "eip" for name, _, _ in self.registers) else 2**64 - 1

    def pc(self, frame):
        for name in ("rip", "eip"):
            if frame.block and any(name == other for other, _, _ in self.registers):
                return self.register(frame, name)
        places = self.tracepoints[frame.tracepoint]
        return places[0][0] if len(places) == 1 and places[0][1] == 0 else None


# A valid file whose buffer was full: not everything that was requested is there, which is reported.
LACKING = "full.tf"


class Check(Checker):
    def run(self, *words, allowed=(0,), stdin=b""):
        if allowed == (0,) and words[0] != "verify" and CORPUS / LACKING in words:
            allowed = (3,)
        status, out, err, killed = quick.answer([self.trawl, *map(str, words)], TIMEOUT_S, stdin)
        claim = f"{' '.join(map(str, words[:2]))} ends as it should"
        self.check(claim, not killed and status in allowed, f"{words}: status {status}, killed {killed}: {err.decode()[:300]}")
        return out.decode()

    def rows(self, path):
        """PC, registers, memory and variables of each frame, as `trawl tfile` shows them."""
        frames = json.loads(self.run("tfile", "frames", "--format", "json", path))
        for frame in frames:
            frame.update(registers={}, memory=[], variables={})
        numbers = [frame["frame"] for frame in frames]
        for first in range(0, len(numbers), 2000):
            shown = self.run("tfile", "show", "--all-registers", "--format", "json", path, *numbers[first : first + 2000])
            for row in json.loads(shown):
                frame = frames[row["frame"]]
                if row["kind"] == "register":
                    frame["registers"].setdefault(row["name"], int(row["value"], 16))
                elif row["kind"] == "memory":
                    frame["memory"].append((int(row["address"], 16), row["value"]))
                elif row["kind"] == "variable":
                    frame["variables"][row["name"]] = int(row["number"])
        return frames


def byte_of(memory, address):
    """The byte at an address, from the first block that contains it."""
    for start, data in memory:
        if start <= address < start + len(data) // 2:
            return data[2 * (address - start) :][:2]
    return ".."


# --- A second reader ------------------------------------------------------------------------------


def check_reader(check, name, frames):
    reader = Reader((CORPUS / f"{name}.tf").read_bytes())
    check.expect(f"{name}: frames", len(frames), len(reader.frames))
    for number, (found, frame) in enumerate(zip(frames, reader.frames)):
        wanted = {
            "tracepoint": frame.tracepoint,
            "pc": reader.pc(frame),
            "registers": {r: reader.register(frame, r) for r, _, _ in reader.registers} if frame.block else {},
            "memory": [(at & reader.address_mask, data.hex()) for at, data in frame.memory],
            "variables": frame.variables,
        }
        if name == "full":  # its tracepoint collects registers and memory at each hit
            wanted["marks"] = None if frame.block and frame.memory else "short"
        have = {key: found[key] for key in wanted}
        have["pc"] = int(found["pc"], 16) if found["pc"] else None
        check.expect(f"{name}: contents of frames", have, wanted, number)


def check_series(check, name, frames):
    """The columns of a series equal the values of the frames."""
    registers = sorted({register for frame in frames for register in frame["registers"]})[:12]
    variables = sorted({variable for frame in frames for variable in frame["variables"]})
    columns = [*registers, *variables, "pc"]
    text = check.run("tfile", "series", CORPUS / f"{name}.tf", *columns)
    shown = list(csv.DictReader(io.StringIO(text)))
    check.expect(f"{name}: rows", len(shown), len(frames))
    for row, frame in zip(shown, frames):
        have = {key: int(row[key], 0) if row[key] else None for key in columns}
        wanted = {r: frame["registers"].get(r) for r in registers}
        wanted.update({v: frame["variables"].get(v) for v in variables})
        wanted["pc"] = int(frame["pc"], 16) if frame["pc"] else None
        check.expect(f"{name}: values of a series", have, wanted, row["frame"])
    single = check.run("tfile", "series", "--threads", 1, CORPUS / f"{name}.tf", *columns)
    check.expect(f"{name}: one thread", single, text)


def stretches(blocks):
    """Blocks of memory joined to stretches without gaps, in order of addresses; for each byte, the first block counts."""
    known = {}
    for address, text in blocks:
        for i, byte in enumerate(bytes.fromhex(text)):
            known.setdefault(address + i, byte)
    found = []
    for address in sorted(known):
        if not found or found[-1][0] + len(found[-1][1]) != address:
            found.append((address, bytearray()))
        found[-1][1].append(known[address])
    return [(address, data.hex()) for address, data in found]


def check_questions(check, name, frames):
    """`trawl state` for some frames, and `trawl writes` for values that change."""
    path = CORPUS / f"{name}.tf"
    for frame in frames[:: max(1, len(frames) // 5)]:
        number = frame["frame"]
        state = json.loads(check.run("state", "--format", "json", "--at", f"event:{number}", path))
        have = {register: int(value, 16) for register, value in state["registers"].items() if value}
        check.expect(f"{name}: state: registers", have, frame["registers"], number)
        have = {variable: int(value) for variable, value in state["variables"].items() if value}
        check.expect(f"{name}: state: variables", have, frame["variables"], number)
        have = [(int(block["address"], 16), block["bytes"]) for block in state["memory"]]
        check.expect(f"{name}: state: memory", have, stretches(frame["memory"]), number)
    for what in {key for frame in frames[:3] for key in [*list(frame["registers"])[:6], *frame["variables"]]}:
        changes, last = [], None
        for frame in frames:
            value = frame["registers"].get(what, frame["variables"].get(what))
            if value is not None and value != last:
                changes.append((str(frame["frame"]), value % 2**64))
                last = value
        rows = csv.DictReader(io.StringIO(check.run("writes", "--all", "--format", "csv", path, what)))
        check.expect(f"{name}: writes {what}", [(row["event"], int(row["value"], 16)) for row in rows], changes)


# --- GDB ------------------------------------------------------------------------------------------


def ask_gdb(check, name, wanted, place):
    asked = place / "asked.json"
    asked.write_text(json.dumps(wanted))
    status, out, err, killed = run_bounded(
        [GDB, "-q", "-nx", "-batch", "-ex", f"python asked = {str(asked)!r}", "-x", TESTS / "support" / "tfile_gdb.py"],
        TIMEOUT_S, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    lines = [json.loads(line[1:]) for line in out.decode().split("\n") if line.startswith("=")]
    check.expect(f"{name}: frames that GDB shows ({killed}, {status}, {err.decode()[-300:]})", len(lines), len(wanted["frames"]))
    return lines


def check_gdb(check, path, frames, place):
    name = path.stem
    step = -(-len(frames) // FRAMES_FOR_GDB)
    chosen = frames[::step]
    registers = sorted({r for frame in chosen for r in frame["registers"] if not NOT_SHOWN.fullmatch(r)})
    variables = sorted({variable for frame in frames for variable in frame["variables"]})
    wanted = {
        "file": str(path),
        "frames": [frame["frame"] for frame in chosen],
        "registers": [*registers, "pc"],
        "variables": variables,
        "memory": [[(f"{at:x}", len(data) // 2 + 1) for at, data in frame["memory"]] for frame in chosen],
    }
    for shown, frame in zip(ask_gdb(check, name, wanted, place), chosen):
        what, number = f"{name}: GDB", frame["frame"]
        check.expect(f"{what}: registers", {r: frame["registers"].get(r) for r in registers},
                     {r: shown["registers"][r] for r in registers}, number)
        check.expect(f"{what}: variables", {v: frame["variables"].get(v) for v in variables}, shown["variables"], number)
        if frame["registers"]:  # otherwise GDB uses the source, which it does not have here
            check.expect(f"{what}: pc", int(frame["pc"], 16), shown["registers"]["pc"], number)
        memory = ["".join(byte_of(frame["memory"], at + i) for i in range(len(data) // 2 + 1))
                  for at, data in frame["memory"]]
        check.expect(f"{what}: memory", memory, shown["memory"], number)


@pytest.fixture
def check(trawl):
    return Check(trawl)


def test_undefined(check, place):
    """Frames of a tracepoint that the header does not define are read, as GDB does."""
    path = place / "undefined.tf"
    path.write_bytes(re.sub(rb"(?m)^tp (\w)2:", rb"no \g<1>2:", (CORPUS / "stacks.tf").read_bytes()))
    frames = check.rows(path)
    check.expect("undefined: frames", [frame["registers"] for frame in frames],
                 [frame["registers"] for frame in check.rows(CORPUS / "stacks.tf")])
    check.expect("undefined: tracepoints", 2 in {frame["tracepoint"] for frame in frames}, True)
    if GDB:
        check_gdb(check, path, frames, place)


# --- Damage ---------------------------------------------------------------------------------------


def test_real_damage(check):
    """Real damaged files: how many frames are missing, and how many are found nevertheless."""
    for name, told, found, status in [("torn", 149, 129, 3), ("wrapped", 17, 17, 3), ("long-line", 30, 30, 0)]:
        info = json.loads(check.run("info", "--format", "json", CORPUS / f"{name}.tf", allowed=(status,)))
        check.expect(f"{name}: frames", (info["frames_reported"], info["frames"]), (told, found))
    # In the n-th visit, `visits` is n; stale frames would be out of order.
    text = check.run("tfile", "series", "--image", CORPUS / "walk.elf", CORPUS / "torn.tf", "visits:u32", allowed=(3,))
    visits = [int(line.split(",")[2]) for line in text.split("\n")[1:-1]]
    check.expect("torn: visits", visits, sorted(set(visits)))


def test_wrong(check, place):
    """A single wrong number affects only its frame, and is reported."""
    path = place / "wrong.tf"

    def edited(name, at, old, new):
        data = bytearray((CORPUS / f"{name}.tf").read_bytes())
        at = data.index(b"\n\n") + 2 + at if isinstance(at, int) else data.index(at)
        assert data[at : at + len(old)] == old
        data[at : at + len(old)] = new
        path.write_bytes(data)
        frames = json.loads(check.run("tfile", "frames", "--format", "json", path, allowed=(3,)))
        return [frame["marks"] for frame in frames]

    check.expect("too large a frame", edited("passes", 2, b"*\0", b"+\0"), ["recovered", "recovered"])
    check.expect("too small a frame", edited("passes", 2, b"*\0", b")\0"), ["recovered", "recovered"])
    check.expect("too long a block", edited("passes", 15, b"\x10\0", b"\xff\xff"), ["damaged", None, None])
    check.expect("an unknown block", edited("passes", 6, b"M", b"Q"), ["damaged", None, None])
    check.expect("too small registers", set(edited("steps", b"R 970", b"R 970", b"R 96f")), {"damaged"})
    check.expect("too large registers", set(edited("steps", b"R 970", b"R 970", b"R fff")), {"damaged"})
    check.expect("no blank line", edited("passes", -1, b"\n", b"x"), [])


def test_cuts(check):
    data = (CORPUS / "passes.tf").read_bytes()
    head = data.index(b"\n\n") + 2
    whole = check.run("tfile", "series", CORPUS / "passes.tf", "0x404064:u32").split("\n")
    for end in [*range(0, head, 997), *range(head - 3, len(data))]:
        status, out, _, killed = quick.answer([check.trawl, "tfile", "series", "-", "0x404064:u32"], TIMEOUT_S, data[:end])
        check.expect("cut: status", (killed, status in (0, 1, 3)), (False, True), end)
        rows = out.decode().split("\n")[:-1]
        have = [row for row in rows if row and not row.endswith(",")]
        check.expect("cut: rows", have, whole[: len(have)], end)


def test_spoiled(check, place):
    chance = random.Random(5)
    for number in range(SPOILED_FILES):
        data = bytearray((CORPUS / f"{chance.choice(['passes', 'torn', 'i386'])}.tf").read_bytes())
        for _ in range(chance.choice([1, 3, 40])):
            at = chance.randrange(len(data)) if number % 2 else chance.randrange(2000)
            data[at] = chance.choice([0, 0xFF, 0x0A, 0x3A, chance.randrange(256)])
        path = place / "spoiled.tf"
        path.write_bytes(data)
        for words in [["info", path], ["tfile", "frames", path], ["tfile", "series", path, "pc"]]:
            check.run(*words, allowed=(0, 1, 3))


@pytest.mark.parametrize("name", SOUND)
def test_sound(check, place, name):
    frames = check.rows(CORPUS / f"{name}.tf")
    check_reader(check, name, frames)
    check_series(check, name, frames)
    check_questions(check, name, frames)
    if GDB:
        check_gdb(check, CORPUS / f"{name}.tf", frames, place)
    else:
        check.skip("comparison with GDB", "no gdb-multiarch and no gdb")
