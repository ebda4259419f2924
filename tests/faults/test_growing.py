"""Traces that are still being written: a command that reads one while it grows shows everything that was there when it began, with the
same status. A trace that is rewritten meanwhile is refused, unless it was read completely before or after that. A question that finds an
index of a trace that has grown since answers from it, with a note.

    tests/run.py growing
"""

import fcntl
import functools
import random
import re
import subprocess
import tempfile
import time
from pathlib import Path

import costly_input
import extent
import pytest
import test_cut

TIMEOUT_S = 60
TRIES = extent.pick(3, 20)
CHANGED = "changed while it was read"
PAGE_BYTES = 4096


def has_leases(directory):
    """Whether the kernel reports writers of files on this file system."""
    path = directory / "lease"
    path.write_bytes(b"")
    with open(path, "rb") as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except OSError:
            return False
        finally:
            path.unlink()
    return True


def more_tarmac():
    return b"".join(b"%d clk IT (%d) 00009000 e1a00000 A svc_s : NOP\n" % (i, i) for i in range(200000, 200500))


def half_a_line():
    return more_tarmac() + b"200500 clk IT (2005"


def more_xray():
    return costly_input.xray_buffer(9, 99, bytes(8) + b"\2" + bytes(7))


def more_tfile():
    return b"\1\0\0\1"


KINDS = {
    "tarmac": (test_cut.make_tarmac, more_tarmac),
    "half": (test_cut.make_tarmac, half_a_line),
    "xray": (test_cut.make_xray, more_xray),
    "tfile": (test_cut.make_tfile, more_tfile),
}


def commands_of(kind):
    yield ["index", "--force-index", "--no-sync", "--segment-events", "2000", "t"]
    if kind == "tfile":
        yield from (["tfile", "frames", "t"], ["info", "t"])
        return
    yield from (["profile", "--memory-index", "t"], ["calltree", "--depth", "2", "--memory-index", "t"])
    if kind == "xray":
        yield from (["xray", "account", "t"], ["xray", "stack", "t"], ["xray", "graph", "t"], ["export", "t"])
    else:
        yield from (["vcd", "-o", "-", "t"], ["info", "t"], ["state", "--at", "end", "--memory-index", "t"])


def halves():
    yield from (["profile", "t"], ["state", "--at", "end", "t"], ["index", "--no-sync", "t"], ["grep", "--count", "t", "IT"])
    yield from (["show", "--at", "end", "t"], ["calltree", "t"])


BEING_WRITTEN = re.compile(rb"is being written; this covers the (\d+) bytes")
LEFT_OUT = b"has changed: text of its lines is left out"


def without_text(out):
    """Output without the text of the instruction."""
    return re.sub(rb"(?m) (executed|skipped): .*$", rb" \1", out)


@functools.cache
def contents_of(kind):
    """The contents before and after the trace has grown."""
    make, more = KINDS[kind]
    with tempfile.NamedTemporaryFile() as file:
        make(Path(file.name))
        before = Path(file.name).read_bytes()
    return before, before + more()


class Growing:
    def __init__(self, trawl, place, kind):
        self.trawl, self.place = trawl, place
        self.trace = place / "t"
        self.before, self.after = contents_of(kind)
        # Truncated, then written with other contents, which are longer.
        self.other = self.before[: len(self.before) // 3] + self.before[: len(self.before) // 2] + self.after

    def start(self, command):
        return subprocess.Popen(
            [self.trawl, *command], cwd=self.place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def run(self, command):
        process = self.start(command)
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, err.decode(errors="replace")

    def usual(self, command):
        """The output of the command for the other trace, and for this one before and after, and how long it takes."""
        shown = []
        for content in (self.other, self.before, self.after):
            self.write_anew(content)
            started = time.monotonic()
            status, out, _ = self.run(command)
            shown.append((status, out))
        return shown, time.monotonic() - started

    def write_anew(self, content):
        for path in self.place.glob("t.index*"):
            path.unlink()
        self.trace.write_bytes(content)

    def grown_meanwhile(self, command, delay_s):
        self.write_anew(self.before)
        process = self.start(command)
        time.sleep(delay_s)
        with open(self.trace, "ab") as file:
            file.write(self.after[len(self.before):])
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, err.decode(errors="replace")

    def is_of_some_moment(self, command, shown):
        """Whether this is the output for some part of the added lines: the kernel shows a write page by page, and only whole lines count
        while a trace is being written."""
        first = len(self.before) // PAGE_BYTES + 1
        for end in [*range(first * PAGE_BYTES, len(self.after), PAGE_BYTES), len(self.after)]:
            for part in (self.after[:end], self.after[: self.after.rfind(b"\n", 0, end) + 1]):
                self.write_anew(part)
                if self.run(command)[:2] == shown:
                    return True
        return False

    def fault(self, command, usual, delay_s):
        """What is wrong with one run; None: nothing."""
        status, out, err = self.grown_meanwhile(command, delay_s)
        if (status, out) not in usual and not self.is_of_some_moment(command, (status, out)):
            return f"status {status}, and neither what was before nor after: {err[-300:]}"
        return None

    def is_of_beginning(self, command, content, status, out, err):
        """Whether this is the output for as much of the contents as the command reports: if it started late, it saw the new contents
        before they were complete."""
        said = BEING_WRITTEN.search(err)
        if not said:
            return False
        self.write_anew(content[: int(said[1])])
        return self.run(command)[:2] == (status, out)

    def written_anew_meanwhile(self, command, usual, delay_s):
        self.write_anew(self.before)
        process = self.start(command)
        time.sleep(delay_s)
        self.trace.write_bytes(self.other)
        out, err = process.communicate(timeout=TIMEOUT_S)
        if process.returncode == 1:
            return None if CHANGED in err.decode(errors="replace") or not out else f"{err[-300:]!r}"
        shape = without_text if LEFT_OUT in err else bytes  # which was reported, so the rest must be right
        if (process.returncode, shape(out)) in [(status, shape(shown)) for status, shown in usual] or process.returncode == 3:
            return None
        if self.is_of_beginning(command, self.other, process.returncode, out, err):
            return None
        return f"status {process.returncode}, of neither contents: {err[-300:]!r}"

    def half_line(self, command):
        """If a process has the trace open, an incomplete last line does not count; once it is closed, it does."""
        self.write_anew(self.before)
        usual = self.run(command)[:2]
        self.write_anew(self.before)
        with open(self.trace, "ab") as file:
            file.write(b"200500 clk IT (2005")
            file.flush()
            status, out, err = self.run(command)
            if (status, out) != usual or "of whole lines" not in err:
                return f"status {status}, half a line counts: {err[-300:]}"
        for path in self.place.glob("t.index*"):
            path.unlink()
        looks_at_lines = command[0] not in ("show", "grep")
        return None if self.run(command)[0] == 3 * looks_at_lines else "half a line at the end is no damage"

    def stale_index(self):
        """The index of the trace as it was before, next to the trace after it has grown."""
        question = ["state", "--at", "end", "t"]
        self.write_anew(self.before)
        self.run(["index", "--no-sync", "t"])
        before = self.run(question)[:2]
        with open(self.trace, "ab") as file:
            file.write(self.after[len(self.before):])
        lines = self.before.count(b"\n")
        status, out, err = self.run(question)
        if self.run(["index", "--no-sync", "t"])[0] != self.run(["index", "--memory-index", "t"])[0]:
            return "the index is not brought up to date"
        is_up_to_date = self.run(question)[:2] == self.run([*question, "--memory-index"])[:2]
        if not is_up_to_date:
            return "an answer from an index of less than the trace"
        covers = b"covers %d of %d bytes" % (len(self.before), self.trace.stat().st_size)
        if status != 3 or out.split(b"\ncovers ")[0] != before[1] or covers not in out or f"covers the first {lines} lines" not in err:
            return f"status {status}, not the answer of the trace before: {err[-300:]}"
        return None


@pytest.fixture
def growing(trawl, place, kind):
    return Growing(trawl, place, kind)


@pytest.mark.parametrize("kind", ["tarmac", "half"])
def test_stale_index(checker, growing):
    checker.no_fault("stale index", growing.stale_index())


@pytest.mark.parametrize("kind", ["tarmac"])
@pytest.mark.parametrize("command", list(halves()), ids=" ".join)
def test_half_a_line(checker, growing, command):
    if not has_leases(growing.place):
        pytest.skip("no leases here, so who writes a file is not known")
    checker.no_fault(" ".join(command), growing.half_line(command))


@pytest.mark.parametrize("kind, command", [(kind, command) for kind in KINDS for command in commands_of(kind)],
                         ids=lambda words: words if isinstance(words, str) else " ".join(words))
def test_growth(checker, growing, kind, command):
    (other, before, after), took_s = growing.usual(command)
    chance = random.Random(f"{kind} {command}")
    for _ in range(TRIES):
        checker.no_fault("grown", growing.fault(command, [before, after], took_s * chance.random()))
        checker.no_fault("anew", growing.written_anew_meanwhile(command, [other, before], took_s * chance.random()))
