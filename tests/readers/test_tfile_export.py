"""The output of `trawl export --format tfile`, read back by a second reader and by GDB, compared with `trawl state`.

    tests/run.py tfile_export

For traces of each kind, registers, memory and variables of every frame are compared. Without gdb-multiarch, the comparison with GDB is
skipped by name.
"""

import json
import pathlib
import shutil

import pytest
import quick
from checker import Checker
from tfile_reader import TraceFile

TESTS = pathlib.Path(__file__).resolve().parents[1]
CORPUS = TESTS.parent / "corpus"
GDB = shutil.which("gdb-multiarch")
TIMEOUT_S = 120
STACK_BYTES = 256
VARIABLES = ["trawl_event", "trawl_time", "trawl_unknown", "trawl_unknown_vector"]
DATA_BYTES = 48

# Trace, points, core, and whether the core is big-endian. An address may be a name of the image.
CASES = [
    ("recursion-a64.it", ["--pc", "hanoi", "--at", "start", "--at", "end"], None, False),
    ("exceptions-a64.es", ["--every", "150"], None, False),
    ("fp-a64.gem5", ["--every", "130", "--lane-events", "20.."], None, False),
    ("neon-a64.it", ["--at", "time:700", "--at", "line:300", "--pc", "main"], None, False),
    ("twocores-a64.it", ["--every", "120"], "cpu1", False),
    ("fp-a32.it", ["--every", "90", "--time", "100..900"], None, False),
    ("fp-t32.es", ["--every", "200"], None, False),
    ("longjmp-t32.it", ["--every", "90"], None, False),
    ("semihosting-a32be.es", ["--every", "120"], None, True),
    ("sort-a32be.it", ["--every", "500"], None, True),
    ("neon-a64.it", ["--every", "170"], None, True),  # as if its core were big-endian
]


class Check(Checker):
    def __init__(self, trawl, name, points, lane, big_endian, directory):
        super().__init__(trawl)
        self.name, self.points, self.big_endian = name, points, big_endian
        self.trace = directory / f"{name}.tarmac"
        shutil.copy(CORPUS / "traces" / f"{name}.tarmac", self.trace)
        self.image = CORPUS / "elf" / f"{name.split('.')[0]}.elf"
        self.common = ["--lane", lane] if lane else []
        self.common += ["--bi"] if big_endian else []
        self.file = directory / f"{name}.tf"
        self.is_a64 = "a64" in name

    def run(self, *words):
        status, out, err, killed = quick.answer([str(word) for word in words], TIMEOUT_S)
        assert not killed and status == 0 and b"Traceback" not in err, f"{words}: {err.decode()}"
        return out.decode()

    def compare(self, frame, what, found, wanted):
        self.expect(f"{self.name}: {what}", found, wanted, frame)

    def export(self):
        """Writes the file and reads it back."""
        data = 0x81000 if self.is_a64 else 0x11000
        self.ranges = [f"sp-16:{STACK_BYTES}", f"0x{data:x}:{DATA_BYTES}"]
        words = [w for text in self.ranges for w in ("--memory", text)]
        self.run(self.trawl, "export", "--format", "tfile", self.trace, "-o", self.file, "--image", self.image,
                 *self.points, *self.common, *words)  # fmt: skip
        self.read = TraceFile(self.file.read_bytes(), self.big_endian)
        count = len(self.read.frames)
        assert f"tframes:{count:x};" in self.read.status + ";" and 3 <= count <= 60, f"{count} frames"

    def position(self, event):
        return "start" if event == -1 else f"event:{event}"

    def registers_of(self, state, pc):
        """The registers under their names in the file: value (0 if unknown) and whether it is known."""
        registers = {"pc": (int(pc, 16), True)} if pc else {}
        for name, about in state["lanes"][0]["registers"].items():
            digits = (about["value"] or "0x0")[2:].replace(".", "0")
            registers["cpsr" if name == "psr" else name] = (int(digits, 16), about["known"])
        return registers

    def known_bytes(self, memory):
        """Address to byte."""
        found = {}
        for window in memory:
            text = window["bytes"] or ""
            for i in range(0, len(text), 2):
                if text[i] != ".":
                    found[int(window["address"], 16) + i // 2] = int(text[i : i + 2], 16)
        return found

    def state(self, event, ranges):
        words = [self.trawl, "state", self.trace, "--at", self.position(event), "--format", "json", *self.common]
        for text in ranges:
            words += ["--memory", text]
        return json.loads(self.run(*words))

    def check_reader(self, number, frame, state):
        wanted = self.registers_of(state, None)
        unknown = [frame.variables["trawl_unknown"], frame.variables["trawl_unknown_vector"]]
        core = 34 if self.is_a64 else 17
        for i, (name, _, _) in enumerate(self.read.registers):
            is_known = not unknown[i >= core] >> (i - core if i >= core else i) & 1
            if name == "pc":
                continue
            value, was_known = wanted[name]
            found = self.read.register(frame, name)
            if not was_known and name == "cpsr" and found == 0x20:
                value = 0x20  # Thumb code: the trace shows it without this register
            self.compare(number, name, found if found is not None else 0, value)
            self.compare(number, f"whether {name} is known", is_known, was_known)

    def check_all(self):
        self.export()
        events = [frame.variables["trawl_event"] for frame in self.read.frames]
        self.compare("-", "order of events", events, sorted(set(events)))
        self.states = []
        for number, frame in enumerate(self.read.frames):
            event = frame.variables["trawl_event"]
            sp_known = not frame.variables["trawl_unknown"] >> (31 if self.is_a64 else 13) & 1
            state = self.state(event, self.ranges if sp_known else self.ranges[1:])
            self.states.append(state)
            self.check_reader(number, frame, state)
            time = state["position"]["time"] if state["position"] else 0
            self.compare(number, "time", frame.variables["trawl_time"], time)
            known = self.known_bytes(state["memory"])
            found = {at + i: byte for at, data in frame.memory for i, byte in enumerate(data)}
            self.compare(number, "memory", found, known)
            pc = self.read.register(frame, "pc")
            self.compare(number, "tracepoint", self.read.tracepoints[frame.tracepoint], pc)
            self.compare(number, "pc", pc, self.pc_behind(event, frame, state))
        self.check_read_back()
        if GDB:
            self.check_gdb()

    def check_read_back(self):
        """trawl reads its own file, whose byte order only the frames show, and finds what another reader does."""
        for number, frame in enumerate(self.read.frames):
            back = json.loads(self.run(self.trawl, "state", self.file, "--at", f"event:{number}", "--format", "json"))
            registers = {name: value and int(value, 16) for name, value in back["registers"].items()}
            wanted = {name: self.read.register(frame, name) for name, _, _ in self.read.registers}
            wanted = {name: value for name, value in wanted.items() if value is not None}
            self.compare(number, "registers read back", {name: registers[name] for name in wanted}, wanted)
            found = {at + i: byte for at, data in frame.memory for i, byte in enumerate(data)}
            self.compare(number, "memory read back", self.known_bytes(back["memory"]), found)

    def pc_behind(self, event, frame, state):
        """The PC of the next event with an instruction; the event's own PC if none follows."""
        following = event
        while frame.variables["trawl_unknown"] >> (32 if self.is_a64 else 15) & 1 == 0:
            following += 1
            position = self.state(following, [])["position"]
            if position["pc"] and position["event"] == following and self.is_of_lane(position):
                return int(position["pc"], 16)
        return int(state["position"]["pc"], 16)

    def is_of_lane(self, position):
        return not self.common or "--lane" not in self.common or position["lane"] == self.common[1]

    def check_gdb(self):
        """The same in GDB, for registers that GDB has under the same names; GDB opens the file without the image."""
        names = [name for name, _, _ in self.read.registers]
        windows = [[[w["address"], len(w["bytes"] or "") // 2] for w in s["memory"]] for s in self.states]
        setup = ["-ex", "set endian big"] if self.big_endian else []
        asked = json.dumps({"file": str(self.file), "registers": names, "variables": VARIABLES, "memory": windows})
        script = self.file.with_suffix(".json")
        script.write_text(asked)
        told = self.run(GDB, "-q", "-batch", "-nx", *setup, "-ex", f"py asked = '{script}'", "-x", TESTS / "support" / "tfile_gdb.py")
        frames = [json.loads(line[1:]) for line in told.splitlines() if line.startswith("=")]
        self.compare("-", "frames in GDB", len(frames), len(self.read.frames))
        for number, (gdb, frame) in enumerate(zip(frames, self.read.frames)):
            self.compare(number, "number in GDB", gdb["number"], number)
            self.compare(number, "tracepoint in GDB", gdb["tracepoint"], frame.tracepoint)
            self.compare(number, "variables in GDB", gdb["variables"], frame.variables)
            for name, _, _ in self.read.registers:
                self.compare(number, f"{name} in GDB", gdb["registers"][name], self.read.register(frame, name))
            told = [window["bytes"] or "" for window in self.states[number]["memory"]]
            self.compare(number, "memory in GDB", gdb["memory"], told)


class ChoiceCheck(Checker):
    """Which points the options select, and the limits of a frame."""

    def __init__(self, trawl, directory):
        super().__init__(trawl)
        self.directory = directory

    def read(self, trace, *words):
        run = quick.run([self.trawl, "export", "--format", "tfile", trace, *words], check=True, timeout=TIMEOUT_S)  # fmt: skip
        return TraceFile(run.stdout)

    def events(self, *words):
        return [f.variables["trawl_event"] for f in self.read(self.trace, *words).frames]

    def visits(self, address):
        words = [self.trawl, "pc", self.trace, address, "--format", "json"]
        return [v["event"] for v in json.loads(quick.run(words, check=True).stdout)]

    def check_points(self):
        self.trace = self.directory / "points.tarmac"
        shutil.copy(CORPUS / "traces" / "recursion-a64.it.tarmac", self.trace)
        visits = self.visits("0x80790")
        last = self.events()[0]
        self.expect("visits", self.events("--pc", "0x80790"), [v - 1 for v in visits])
        self.expect("visits of the first instruction", self.events("--pc", "0x80000"), [0])
        within = [v - 1 for v in visits if 300 <= v <= visits[9]]
        self.expect("visits in a range", self.events("--pc", "0x80790", "--lane-events", f"300..{visits[9]}"), within)
        self.expect("every", self.events("--every", "400"), list(range(0, last + 1, 400)))
        self.expect("every in a range", self.events("--every", "7", "--lane-events", "11..40"), list(range(11, 41, 7)))
        self.expect("every in times", self.events("--every", "7", "--time", "11..40"), list(range(11, 41, 7)))
        self.expect("every, only once", self.events("--every", str(2**64 - 1), "--lane-events", "3.."), [3])
        both = self.events("--every", "100", "--lane-events", "..300", "--at", "start", "--at", "event:200", "--at", "end")
        self.expect("once each", both, [-1, 0, 100, 200, 300, last])
        frames = self.read(self.trace, "--pc", "0x80790", "--pc", "0x80610").frames
        self.expect("tracepoints", {f.tracepoint for f in frames}, {1, 2})

    def check_limits(self):
        """More addresses than tracepoints are made for, and more memory than one block holds."""
        trace = self.directory / "limits.tarmac"
        addresses, size = 5000, 70000
        lines = []
        for i in range(size // 8):
            pc = 0x10000 + 4 * (i % addresses)
            lines.append(f"{i} clk IT ({i}) {pc:08x} d503201f O EL1h_n : NOP")
            lines.append(f"{i} clk MW8 {0x400000 + 8 * i:08x} {i * 0x9E3779B97F4A7C15 % 2**64:016x}")
        trace.write_text("\n".join(lines) + "\n")
        read = self.read(trace, "--every", "1", "--memory", "sp:16")
        self.expect("tracepoints of many addresses", len(read.tracepoints), 4097)
        shared = {read.register(f, "pc") for f in read.frames if read.tracepoints[f.tracepoint] == 0}
        self.expect("addresses that share one", len(shared), addresses - 4096)
        read = self.read(trace, "--memory", f"0x400000:{size}", "--memory", "0x3fffff:3")
        wanted = b"".join((i * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8, "little") for i in range(size // 8))
        (frame,) = read.frames
        blocks = [(at, len(data)) for at, data in frame.memory]
        self.expect("blocks", blocks, [(0x400000, 65535), (0x400000 + 65535, size - 65535), (0x400000, 2)])
        self.expect("bytes", b"".join(data for _, data in frame.memory[:2]), wanted)
        self.expect("a block without vectors", read.block_bytes, 268)


@pytest.fixture(params=CASES, ids=lambda case: case[0] + "-big" * case[3])
def exported(request, trawl, place):
    return Check(trawl, *request.param, place)


@pytest.fixture
def choice(trawl, place):
    return ChoiceCheck(trawl, place)


def test_export(exported):
    exported.check_all()
    if not GDB:
        exported.skip("what GDB shows", "there is no gdb-multiarch")


def test_points(choice):
    choice.check_points()


def test_limits(choice):
    choice.check_limits()
