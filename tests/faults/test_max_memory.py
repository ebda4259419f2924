"""--max-memory is obeyed, or refused with a reason: either the answer is the same as without it, and the memory that the kernel counts
for the process never exceeds it; or one line says what is lacking, with status 1 and no file.

    tests/run.py max_memory [--table]

The memory of a process is read from the kernel (VmData in /proc) while it runs: heap, stacks, and all writable mappings without a file.
--table prints the maximum in MB.
"""

import random
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import costly_input
import growth
import pytest
from checker import Checker
from hard_traces import branch_with_link

TIMEOUT_S = 120
MB = 1 << 20
SIZES_MB = (32, 64, 256)
USUAL_THREADS = ["--threads", "4"]
LACKING = "no memory"


def loop(rounds):
    """Calls, returns and writes to memory, repeatedly: much to read, and little to keep."""
    lines = ["Tarmac Text Rev 3t", "0 tic ES  EXC Reset", " " * 20 + "R SP_EL1 0000000003f00000"]
    draw = random.Random(3)
    for i in range(rounds):
        site, at = 0x8000 + 4 * (i % 50), 4 * i
        if i and i % 50 == 0:
            lines.append("%d tic ES  (%016x:17ffffce) O el1h_s: B 0x8000" % (at, 0x8000 + 4 * 50))
        lines += [
            "%d tic ES  (%016x:%08x) O el1h_s: BL f" % (at + 1, site, branch_with_link(site, 0x9000)),
            " " * 20 + "R X30 %016x" % (site + 4),
            "%d tic ES  (%016x:d503201f) O el1h_s: NOP" % (at + 2, 0x9000),
            " " * 20 + "R X0 %016x" % draw.getrandbits(64),
            "%d tic ES  (%016x:d65f03c0) O el1h_s: RET" % (at + 3, 0x9004),
        ]
    return growth.as_bytes(lines)


def functions(count):
    """Functions that are each called once, in one loop: all of it must be kept."""
    lines = ["Tarmac Text Rev 3t", "0 tic ES  EXC Reset"]
    for i in range(count):
        site, entry = 0x8000 + 4 * i, 0x40_0000 + 64 * i
        lines += [
            "%d tic ES  (%016x:%08x) O el1h_s: BL f" % (3 * i + 1, site, branch_with_link(site, entry)),
            " " * 20 + "R X30 %016x" % (site + 4),
            "%d tic ES  (%016x:d503201f) O el1h_s: NOP" % (3 * i + 2, entry),
            "%d tic ES  (%016x:d65f03c0) O el1h_s: RET" % (3 * i + 3, entry + 4),
        ]
    return growth.as_bytes(lines)


def log(count):
    """Calls of a thousand functions."""
    header = struct.pack("<HHIQQ", 5, 1, 3, 1000000000, 1 << 20).ljust(32, b"\0")
    pairs = (struct.pack("<IIII", (1 + i % 1000) << 4, 3, (1 + i % 1000) << 4 | 2, 3) for i in range(count))
    return header + costly_input.xray_buffer(1, 1, b"".join(pairs))


def make_traces(place):
    (place / "loop").write_bytes(loop(60_000))
    (place / "functions").write_bytes(functions(60_000))
    (place / "deep").write_bytes(growth.deep(60_000))
    (place / "log").write_bytes(log(200_000))
    (place / "snapshots").write_bytes(growth.tfile_frames(20_000))


def commands():
    for trace in ("loop", "functions", "deep"):
        yield ["index", trace, "--force-index", "--no-sync"]
        yield ["index", trace, "--format", "ttu", "--no-sync"]
        yield ["profile", trace, "--memory-index"]
        yield ["callinfo", trace, "--memory-index", "0x9000"]
    yield ["flamegraph", "loop", "--memory-index"]
    yield ["flamegraph", "functions", "--memory-index"]
    yield ["calltree", "loop", "--memory-index"]
    yield ["calltree", "functions", "--memory-index", "--depth", "3"]
    yield ["export", "functions", "--memory-index"]
    yield ["export", "loop", "--memory-index", "--table", "events", "--format", "csv"]
    yield ["export", "loop", "--memory-index", "--table", "registers", "--format", "arrow"]
    yield ["export", "functions", "--memory-index", "--table", "calls", "--format", "arrow"]
    yield ["index", "loop", "--follow", "--force-index", "--no-sync"]
    yield ["vcd", "loop"]
    yield ["index", "log", "--force-index", "--no-sync"]
    yield ["profile", "log"]
    yield ["export", "log"]
    yield ["index", "snapshots", "--force-index", "--no-sync"]
    yield ["xray", "account", "log"]
    yield ["xray", "graph", "log"]
    yield ["xray", "stack", "log"]
    yield ["xray", "convert", "log", "-f", "trace_event"]


def data_bytes(pid):
    """The kernel's current figure; 0 if the process has ended."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().split("\n"):
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    except (OSError, ProcessLookupError):
        pass
    return 0


def has_own_index(command):
    return command[0] == "index" and "ttu" not in command


class Run:
    """One run of a command: status, output as a file, messages, and the maximum of its memory."""

    def __init__(self, trawl, place, command, more):
        self.output = place / "out"
        index = place / "x.index"
        for path in (self.output, index):
            path.unlink(missing_ok=True)
        target = ["--index", index.name] if has_own_index(command) else ["-o", self.output.name]
        process = subprocess.Popen(
            [trawl, *command, *target, *more], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.peak, end = 0, time.monotonic() + TIMEOUT_S
        while process.poll() is None and time.monotonic() < end:
            self.peak = max(self.peak, data_bytes(process.pid))
            time.sleep(0.004)
        process.kill()
        self.message = process.stderr.read().decode(errors="replace")
        self.status = process.wait()
        self.bytes = self.output.read_bytes() if self.output.exists() else None
        self.has_index = index.exists()
        self.left = sorted(path.name for path in place.iterdir())


class Bounded(Checker):
    def __init__(self, trawl, place):
        super().__init__(trawl)
        self.place = place
        self.traces = {path.name for path in place.iterdir()}

    def answers(self):
        """The answers of an index, to compare indexes with different segments."""
        report = subprocess.run(
            [self.trawl, "calltree", self.trace, "--index", "x.index", "--no-index", "-q", "--depth", "2"],
            cwd=self.place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
        )
        return report.returncode, report.stdout

    def judge(self, name, run, usual, answers, size_mb):
        self.check(name, run.peak <= size_mb * MB, f"took {run.peak / MB:.0f} MB")
        is_refused = run.status == 1 and usual.status != 1
        if is_refused:
            lines = run.message.strip().split("\n")
            self.check(name, f"--max-memory allows {size_mb} MB" in lines[-1] and LACKING in lines[-1], run.message[-300:])
            self.check(name, set(run.left) == self.traces, f"left {set(run.left) - self.traces}")
        else:
            self.check(name, run.status == usual.status, f"status {run.status}: {run.message[-300:]}")
            self.check(name, run.bytes == usual.bytes and run.has_index == usual.has_index, "another output")
            if answers:
                self.check(name, self.answers() == answers, "another answer of the index")
        return is_refused

    def command(self, command):
        """The maximum of its memory, without a limit and with each limit; None: refused."""
        self.trace = command[2] if command[0] == "xray" else command[1]
        quiet = [] if command[0] == "xray" else ["-q"]
        usual = Run(self.trawl, self.place, command, [*quiet, *USUAL_THREADS])
        self.check(" ".join(command), usual.status in (0, 3), f"status {usual.status}: {usual.message[-300:]}")
        answers = self.answers() if has_own_index(command) and self.trace != "snapshots" else None
        peaks = [usual.peak]
        for size_mb in SIZES_MB:
            more = [*quiet, *USUAL_THREADS, "--max-memory", f"{size_mb}M"]
            run = Run(self.trawl, self.place, command, more)
            is_refused = self.judge(" ".join([*command, *more]), run, usual, answers, size_mb)
            peaks.append(None if is_refused else run.peak)
        return peaks


@pytest.fixture(scope="session")
def traces():
    """A directory with traces, for all tests of a worker."""
    with tempfile.TemporaryDirectory(prefix="trawl-memory-") as directory:
        make_traces(Path(directory))
        yield Path(directory)


@pytest.fixture
def checker(trawl, traces):
    for made in ("out", "x.index"):
        (traces / made).unlink(missing_ok=True)
    return Bounded(trawl, traces)


def test_values(checker):
    """An invalid size, or one that is too small, is a misuse."""
    for value in ("", "x", "31M", "0", "-1", "64MB", "99999999999999999999G"):
        done = subprocess.run(
            [checker.trawl, "profile", "loop", "--max-memory", value], cwd=checker.place, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
        )
        checker.check(f"--max-memory '{value}'", done.returncode == 2 and b"a size from 32M" in done.stderr and not done.stdout, done.stderr)


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_commands(checker, table, command):
    peaks = checker.command(command)
    if table:
        figures = ("refused" if peak is None else str(round(peak / MB)) for peak in peaks)
        checker.tell(" ".join(command).ljust(45) + "".join(f"{figure:>9}" for figure in figures))
    if command == next(commands()):
        checker.check("the usual index takes so much that something is tested", peaks[0] > 96 * MB, peaks)
    if command[:2] == ["index", "deep"]:
        checker.check("something is refused", None in peaks, peaks)
