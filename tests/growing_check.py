#!/usr/bin/env python3
"""Traces that somebody still writes to: a command that reads one while it grows shows all of what was there
before, or all of what is there after, with the status of that, or says that it was changed, with status 1. An
index that was made meanwhile is never taken for one of what the trace is now.

    growing_check.py BIN
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cut_check  # noqa: E402

TIMEOUT_S = 60
TRIES = 6
CHANGED = "changed while it was read"
PAGE_BYTES = 4096


def more_tarmac():
    return b"".join(b"%d clk IT (%d) 00009000 e1a00000 A svc_s : NOP\n" % (i, i) for i in range(200000, 200500))


def half_a_line():
    return more_tarmac() + b"200500 clk IT (2005"


def more_xray():
    return cut_check.xray_buffer(9, 99, bytes(8) + b"\2" + bytes(7))


def more_tfile():
    return b"\1\0\0\1"


KINDS = {
    "tarmac": (cut_check.make_tarmac, more_tarmac),
    "half": (cut_check.make_tarmac, half_a_line),
    "xray": (cut_check.make_xray, more_xray),
    "tfile": (cut_check.make_tfile, more_tfile),
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


def without_text(out):
    """Output without the text of the instruction, which is left out of a trace that has changed when it is looked up."""
    return re.sub(rb"(?m) (executed|skipped): .*$", rb" \1", out)


class Growing:
    def __init__(self, trawl, place, kind):
        self.trawl, self.place = trawl, place
        make, more = KINDS[kind]
        self.trace = place / "t"
        make(self.trace)
        self.before = self.trace.read_bytes()
        self.after = self.before + more()
        self.caught = 0

    def start(self, command):
        return subprocess.Popen(
            [self.trawl, *command], cwd=self.place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def run(self, command):
        process = self.start(command)
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, without_text(out), err.decode(errors="replace")

    def usual(self, command):
        """What the command says of the trace before and after, and how long it takes."""
        shown = []
        for content in (self.before, self.after):
            self.trace.write_bytes(content)
            started = time.monotonic()
            status, out, _ = self.run(command)
            shown.append((status, out))
        return shown, time.monotonic() - started

    def grown_meanwhile(self, command, delay_s):
        self.trace.write_bytes(self.before)
        for path in self.place.glob("t.index*"):
            path.unlink()
        process = self.start(command)
        time.sleep(delay_s)
        with open(self.trace, "ab") as file:
            file.write(self.after[len(self.before):])
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, without_text(out), err.decode(errors="replace")

    def is_of_some_moment(self, command, shown):
        """Whether that is what the command says of some part of what is added: the kernel shows what is written page
        by page."""
        first = len(self.before) // PAGE_BYTES + 1
        for end in range(first * PAGE_BYTES, len(self.after), PAGE_BYTES):
            self.trace.write_bytes(self.after[:end])
            if self.run(command)[:2] == shown:
                return True
        return False

    def fault(self, command, usual, delay_s):
        """What is wrong with one run; None if nothing is."""
        status, out, err = self.grown_meanwhile(command, delay_s)
        if status == 1:
            self.caught += 1
            if CHANGED not in err:
                return f"status 1: {err[-300:]}"
            return "left an index" if command[0] == "index" and (self.place / "t.index").exists() else None
        if (status, out) not in usual and not self.is_of_some_moment(command, (status, out)):
            return f"status {status}, and neither what was before nor after: {err[-300:]}"
        return None

    def stale_index(self):
        """Of the trace before, beside the trace after."""
        self.trace.write_bytes(self.before)
        self.run(["index", "--force-index", "--no-sync", "t"])
        with open(self.trace, "ab") as file:
            file.write(self.after[len(self.before):])
        question = ["state", "--at", "end", "t"]
        answer = self.run(question)[:2]
        right = self.run([*question, "--memory-index"])[:2]
        return None if answer == right else "an answer from an index of less than the trace"


def main():
    trawl = str((Path(sys.argv[1]) / "trawl").resolve())
    chance = random.Random(5)
    passed = failed = caught = 0
    for kind in KINDS:
        with tempfile.TemporaryDirectory(prefix="trawl-growing-") as directory:
            growing = Growing(trawl, Path(directory), kind)
            faults = [("stale index", growing.stale_index())]
            for command in commands_of(kind):
                usual, took_s = growing.usual(command)
                faults += [(" ".join(command), growing.fault(command, usual, took_s * chance.random())) for _ in range(TRIES)]
            for name, fault in faults:
                failed += fault is not None
                passed += fault is None
                if fault:
                    print(f"FAIL {kind}: {name}: {fault}")
            caught += growing.caught
    if os.environ.get("VERBOSE"):
        print(f"{caught} runs said that the trace was changed")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
