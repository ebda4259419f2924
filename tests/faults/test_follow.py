"""`trawl index --follow`: each index that appears while a trace is being written is, byte for byte, the index of the beginning of the
trace that it claims to cover, whatever happens to the writer or the follower.

    tests/run.py follow

The writer waits for indexes, never for a time: it continues when an index covers what it wrote before.
"""

import gzip
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
import quick
from index_reader import IdentityOnly
from test_growing import has_leases

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "corpus" / "traces"
TIMEOUT_S = 60
FIRST_BYTES = 65536  # before that, nothing is indexed
STEPS = 7


class Followed:
    """A trace that is being written, and its follower."""

    def __init__(self, checker, place, name, data, options=()):
        self.checker, self.place, self.name, self.data = checker, place, name, data
        self.trawl, self.options = str(checker.trawl), ["--segment-events", "300", "--chunk-size", "16K", *options]
        self.trace = place / "t"
        self.index = place / "t.index"
        self.copies = place / "copies"
        self.copies.mkdir()
        self.writer = open(self.trace, "ab", buffering=0)
        self.written = 0
        self.process = None
        self.seen = {}  # {bytes covered: index}

    def start(self):
        self.process = subprocess.Popen([self.trawl, "index", "--follow", *self.options, "t"], cwd=self.place,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_until_it_listens(self):
        """Waits until a signal no longer ends it at once."""
        bit, status = 1 << signal.SIGINT - 1, Path(f"/proc/{self.process.pid}/status")
        deadline = time.monotonic() + TIMEOUT_S
        while not int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16) & bit:
            assert time.monotonic() < deadline, "it does not listen to signals"
            time.sleep(0.005)

    def write_up_to(self, size):
        self.writer.write(self.data[self.written:size])
        self.written = size

    def look(self):
        """Stores the current index, and returns how much it covers. None: there is none."""
        try:
            state = self.index.read_bytes()
        except FileNotFoundError:
            return None
        identity = IdentityOnly(state).identity
        self.seen[identity[0]] = (state, identity[1])
        return identity[0]

    def wait_for(self, size):
        """Waits until the index covers all whole lines of the first `size` bytes. False: the follower has ended, or does not get there."""
        wanted = self.data.rfind(b"\n", 0, size) + 1
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline and self.process.poll() is None:
            if self.look() == wanted:
                return True
            time.sleep(0.005)
        return False

    def end(self, number=None):
        """Its status and messages, after it got this signal, or after it noticed that the writer is gone."""
        if number is None:
            self.writer.close()
        else:
            self.process.send_signal(number)
        _, err = self.process.communicate(timeout=TIMEOUT_S)
        self.writer.close()
        self.look()
        return self.process.returncode, err.decode(errors="replace")

    def run(self, *words, cwd=None):
        return quick.run([self.trawl, *words], cwd or self.place, timeout=TIMEOUT_S)

    def index_of(self, size, mtime_ns):
        """The index of the beginning of the trace, built at once."""
        copy = self.copies / "t"
        copy.write_bytes(self.data[:size])
        os.utime(copy, ns=(mtime_ns, mtime_ns))
        result = self.run("index", "--force-index", *self.options, "t", cwd=self.copies)
        return (self.copies / "t.index").read_bytes() if result.returncode in (0, 3) else result.stderr

    def check_states(self, at_least):
        self.checker.check(f"{self.name}: {at_least} states appear", len(self.seen) >= at_least, sorted(self.seen))
        for size, (state, mtime_ns) in self.seen.items():
            self.checker.check(f"{self.name}: the index of {size} bytes", state == self.index_of(size, mtime_ns))
        self.check_nothing_left()

    def check_nothing_left(self):
        left = sorted(set(os.listdir(self.place)) - {"t", "t.index", "copies"})
        self.checker.check(f"{self.name}: nothing is left", not left, left)


def steps(size, count=STEPS):
    """Where the writer stops each time, inside lines."""
    return [FIRST_BYTES + 4097 + (size - FIRST_BYTES - 4097) * i // count for i in range(count)]


def follow_steps(followed, count=STEPS):
    for size in steps(len(followed.data), count):
        followed.write_up_to(size)
        if not followed.wait_for(size):
            return False
    return True


def check_growth(checker, place, name, data, options=()):
    """The trace grows in steps that end inside lines; then the writer closes it."""
    followed = Followed(checker, place, name, data, options)
    followed.start()
    checker.check(f"{name}: it keeps up", follow_steps(followed), sorted(followed.seen))
    options = [word for word in options if not word.startswith("--threads=")]
    asked = followed.run("state", "--at", "end", "t")
    covered = followed.look()
    beginning = followed.copies / "asked"
    beginning.write_bytes(data[:covered])
    expected = followed.run("state", "--at", "end", "--memory-index", *options, "asked", cwd=followed.copies)
    checker.check(f"{name}: a question", asked.stdout == expected.stdout and b"of whole lines" in asked.stderr, asked)
    followed.write_up_to(len(data))
    if has_leases(place):
        status, err = followed.end()
    else:
        followed.wait_for(len(data))
        status, err = followed.end(signal.SIGINT)
    plain = followed.run("index", "--memory-index", "t")
    checker.check(f"{name}: status", status == plain.returncode, (status, err))
    checker.check(f"{name}: all of it is in the end", followed.look() == len(data), followed.look())
    followed.check_states(STEPS)


def check_interrupt(checker, place, number, data):
    name = f"signal {number}"
    followed = Followed(checker, place, name, data)
    followed.start()
    checker.check(f"{name}: it keeps up", follow_steps(followed, 2))
    status, err = followed.end(number)
    checker.check(f"{name}: ends in good order", status == 0, (status, err))
    checker.check(f"{name}: all whole lines", followed.look() == data.rfind(b"\n", 0, followed.written) + 1)
    followed.check_states(2)


def check_kill(checker, place, data):
    followed = Followed(checker, place, "kill", data)
    followed.start()
    checker.check("kill: it keeps up", follow_steps(followed, 3))
    followed.write_up_to(len(data))
    followed.end(signal.SIGKILL)
    followed.check_states(3)
    again = followed.run("index", *followed.options, "t")
    checker.check("kill: the next run", again.returncode == 0 and followed.look() == len(data), again)


def check_begun_anew(checker, place, data, other, how):
    """The trace is truncated, or replaced by another one: the index becomes that of the new one."""
    followed = Followed(checker, place, how, data)
    followed.start()
    checker.check(f"{how}: it keeps up", follow_steps(followed, 2))
    followed.data, followed.written, before = other, 0, dict(followed.seen)
    if how == "replaced":
        (place / "new").write_bytes(b"")
        writer = open(place / "new", "ab", buffering=0)
        os.rename(place / "new", followed.trace)
        followed.writer.close()
        followed.writer = writer
    else:
        os.ftruncate(followed.writer.fileno(), 0)
    followed.seen = {}
    size = len(other) - 1000
    followed.write_up_to(size)
    checker.check(f"{how}: it goes on with the other", followed.wait_for(size), sorted(followed.seen))
    status, err = followed.end(signal.SIGINT)
    checker.check(f"{how}: is said", status == 0 and "was truncated or rewritten" in err, (status, err))
    for covered in [covered for covered in followed.seen if followed.seen[covered] == before.get(covered)]:
        del followed.seen[covered]  # of the previous trace, until the first index of the other
    followed.check_states(1)


def check_short(checker, place, data):
    """A trace that is shorter than what the follower waits for is indexed when it ends."""
    if not has_leases(place):
        return
    followed = Followed(checker, place, "short", data[: data.rfind(b"\n", 0, 3000) + 1])
    followed.write_up_to(len(followed.data))
    followed.start()
    followed.wait_until_it_listens()
    status, err = followed.end(signal.SIGINT)
    checker.check("short: status", status == 0 and followed.look() == len(followed.data), (status, err))


def check_finished(checker, place, data):
    """A trace that nobody writes any more is read to its end at once, whatever its length."""
    if not has_leases(place):
        pytest.skip("no leases here, so who writes a file is not known")
    followed = Followed(checker, place, "finished", data, ["--chunk-size", "4K"])
    followed.write_up_to(len(data))
    followed.writer.close()
    followed.start()
    status, err = followed.end()
    checker.check("finished: status", status == 0 and followed.look() == len(data), (status, err))


def test_refusals(checker, place):
    log = sorted((ROOT / "corpus" / "xray").glob("*.xray"))[:1]
    packed = place / "t.gz"
    packed.write_bytes(gzip.compress((TRACES / "sort-a64.it.tarmac").read_bytes(), 0))
    os.mkfifo(place / "fifo")
    cases = [(["t.gz"], 1, b"cannot be followed"), (["fifo"], 1, b"cannot be followed"), (["-"], 2, b"standard input"), (["a", "b"], 2, b"a single trace"),
             (["--memory-index", "a"], 2, b"cannot be combined with"), (["--no-index", "a"], 2, b"cannot be combined with")]
    cases += [([str(path)], 1, b"cannot be followed") for path in log if path.stat().st_size >= FIRST_BYTES]
    for words, status, text in cases:
        result = subprocess.run([checker.trawl, "index", "--follow", *words], cwd=place, capture_output=True,
                                stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
        checker.check(f"refused: {words}", result.returncode == status and text in result.stderr, result)


def damaged(data):
    lines = data.splitlines(keepends=True)
    for i in range(200, len(lines), 611):
        lines[i] = b"\x00\xff no line of a trace\n"
    return b"".join(lines)


SORT, CALLS, HOST, CORES = ((TRACES / f"{name}.tarmac").read_bytes() for name in ("sort-a64.it", "recursion-a64.es", "semihosting-a64.es", "twocores-a64.it"))
GROWING = {
    "sort": [SORT],
    "calls": [CALLS, ["--image", str(ROOT / "corpus" / "elf" / "recursion-a64.elf")]],
    "host calls": [HOST],
    "two cores": [CORES, ["--threads=1"]],
    "damaged": [damaged(CALLS)],
    "half a line": [SORT[:-20]],
}


@pytest.mark.parametrize("name", GROWING)
def test_growth(checker, place, name):
    check_growth(checker, place, name, *GROWING[name])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_interrupt(checker, place, number):
    check_interrupt(checker, place, number, CALLS)


@pytest.mark.parametrize("how", ["cut", "replaced"])
def test_begun_anew(checker, place, how):
    check_begun_anew(checker, place, CALLS, SORT, how)


@pytest.mark.parametrize("check", [check_kill, check_short, check_finished], ids=lambda check: check.__name__.removeprefix("check_"))
def test_ends(checker, place, check):
    check(checker, place, CALLS)
