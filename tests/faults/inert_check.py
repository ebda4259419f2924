#!/usr/bin/env python3
"""Text of traces, images and logs is shown inert: no byte that a terminal obeys gets through in what
a command writes for people, on standard output or standard error, on a terminal or not. JSON and SVG
hold such text in their own ways; CSV and collapsed stacks keep their lines. Under the tarmac-* names
bytes are as they are where the output is redirected, and inert on a terminal.
"""

import csv
import io
import json
import os
import pty
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import small_elf

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
# Escape sequences, a newline and a carriage return, DEL, C1 controls as UTF-8 and bare, a mark that
# turns the direction of writing, what is no UTF-8, and a letter that has to stay.
EVIL = {
    0x8000: b"caller\x1b[2Jz",
    0x9000: b"callee\nmain;fake 99\r\x7f",
    0xA000: b"c1\xc2\x9b31m\x9b31m\xe2\x80\xae\xff",
    0xB000: b"quoted\",\x1b]0;title\x07\xc3\xa9",
}


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, what, seen=b""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}: {seen[:300]!r}")


def is_inert(text):
    """Whether bytes are UTF-8 without anything that a terminal obeys but line ends and tabs."""
    try:
        shown = text.decode()
    except UnicodeDecodeError:
        return False
    turns = set(map(chr, [*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
    return not any((ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 or c in turns for c in shown)


def trace():
    """The caller calls the callees; a CPU has a name, and a line is damaged."""
    lines = ["Tarmac Text Rev 3t", "          0 tic ES  EXC Reset"]
    time = 0

    def step(pc, text):
        nonlocal time
        time += 1
        lines.append(f"{time:11d} tic ES  ({pc:016x}:d503201f) O el1h_s:         {text}")

    lines.append(" " * 20 + "R SP_EL1 0000000003f00000")
    for at, callee in enumerate([0x9000, 0xA000, 0xB000, 0x9000]):
        step(0x8000 + 4 * at, "BL f")
        lines.append(" " * 20 + f"R X30 {0x8004 + 4 * at:016x}")
        step(callee, "NOP\x1b[31m\x9b")
        step(callee, "RET")
    step(0x8010, "NOP")
    return "\n".join(lines).encode("latin-1") + b"\n"


class Place:
    def __init__(self, directory, programs):
        self.directory, self.programs = directory, programs

    def run(self, command, out=subprocess.PIPE, err=subprocess.PIPE, **environment):
        words = [str(self.programs / command[0]), *command[1:]]
        return subprocess.run(
            words, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=TIMEOUT_S,
            env={**os.environ, "TERM": "dumb", **environment},
        )

    def on_terminal(self, command):
        """What a terminal gets of both streams; its own line ends taken back."""
        ours, theirs = pty.openpty()
        seen = b""
        words = [str(self.programs / command[0]), *command[1:]]
        process = subprocess.Popen(
            words, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
            env={**os.environ, "TERM": "dumb"},
        )
        os.close(theirs)
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:
                break
            if not block:
                break
            seen += block
        os.close(ours)
        process.wait(TIMEOUT_S)
        return seen.replace(b"\r\n", b"\n")


IMAGE = ["--image", "evil.elf"]
QUIET = ["-q", "--memory-index"]
FOR_PEOPLE = [
    ["trawl", "profile", "t", *IMAGE, *QUIET],
    ["trawl", "profile", "t", *IMAGE, *QUIET, "--format", "csv"],
    ["trawl", "calltree", "t", *IMAGE, *QUIET],
    ["trawl", "calltree", "t", *IMAGE, *QUIET, "--format", "csv"],
    ["trawl", "callinfo", "t", *IMAGE, *QUIET, EVIL[0x9000]],
    ["trawl", "callinfo", "t", *IMAGE, *QUIET, "no\x1b[31m"],
    ["trawl", "flamegraph", "t", *IMAGE, *QUIET],
    ["trawl", "state", "t", *IMAGE, *QUIET, "--at", "event:1"],
    ["trawl", "pc", "t", *IMAGE, *QUIET, "0x9000"],
    ["trawl", "stack", "t", *IMAGE, *QUIET, "--at", "event:1"],
    ["trawl", "info", "t", *IMAGE, *QUIET, "--functions"],
    ["trawl", "profile", "t", *IMAGE, *QUIET, "--by", "line"],
    ["trawl", "flamegraph", "t", *IMAGE, *QUIET, "--lines", "--inlines"],
    ["trawl", "annotate", "t", *IMAGE, *QUIET],
    ["trawl", "diff", "t", "other\x1b", *IMAGE, *QUIET, "--registers"],
    ["trawl", "profile", "t", *IMAGE, *QUIET, "--diff", "other\x1b"],
    ["trawl", "grep", "t", "NOP", *QUIET],
    ["trawl", "show", "t", *QUIET, "--at", "event:1"],
    *(["trawl", "export", "t", *IMAGE, *QUIET, "--format", form, "--table", "events"] for form in ("csv", "jsonl")),
    ["trawl", "index", "--follow", "damaged\x1b", "--index", "made\x1b"],
    ["trawl", "serve", "--notes", "--no-open", "--memory-index", "noted\x1b"],
    ["trawl", "serve", "--listen", "\x1b[31m", "t"],
    ["trawl", "browse", "\x1b[31m"],
    ["trawl", "profile", "\x1b[31m"],
    ["trawl", "profile", "t", "--\x1b[31m"],
    ["trawl", "profile", "t", "--format", "\x1b[31m"],
    ["trawl", "\x1b[31m"],
    ["trawl", "xray", "\x1b[31m"],
    ["trawl", "profile", "t", "--image", "none\x9b.elf".encode("latin-1")],
    ["trawl", "profile", "-v", "damaged\x1b"],
]
ON_TERMINALS = [
    *FOR_PEOPLE,
    ["trawl", "profile", "t", *IMAGE, *QUIET, "--format", "json"],
    ["trawl", "export", "t", *IMAGE, "-q"],
    ["trawl", "vcd", "t", *IMAGE, "-q"],
    ["trawl", "flamegraph", "t", *IMAGE, *QUIET, "--format", "svg"],
    ["tarmac-profile", "t", *IMAGE, "-q"],
    ["tarmac-calltree", "t", *IMAGE, "-q"],
    ["tarmac-flamegraph", "t", *IMAGE, "-q"],
    ["tarmac-profile", "damaged\x1b", "-q"],
    ["tarmac-profile", "t", "--\x1b[31m"],
]


def shown(command):
    return " ".join(repr(word) for word in command)


def check_people(place, tally):
    for command in FOR_PEOPLE:
        done = place.run(command)
        tally.check(done.stdout + done.stderr, f"{shown(command)}: says something")
        tally.check(is_inert(done.stdout), f"{shown(command)}: output", done.stdout)
        tally.check(is_inert(done.stderr), f"{shown(command)}: messages", done.stderr)
    done = place.run(["trawl", "--version"], TRAWL_ISA="\x1b[31m")
    tally.check(done.stderr and is_inert(done.stderr), "a variable of the environment", done.stderr)
    for command in ON_TERMINALS:
        seen = place.on_terminal(command)
        tally.check(seen, f"{shown(command)}: says something on a terminal")
        tally.check(is_inert(seen), f"{shown(command)}: on a terminal", seen)


def check_lines(place, tally):
    stacks = place.run(["trawl", "flamegraph", "t", *IMAGE, *QUIET]).stdout.decode(errors="replace").splitlines()
    tally.check(len(stacks) >= 4, "collapsed stacks: lines", repr(stacks).encode())
    tally.check(all(line.rsplit(" ", 1)[-1].isdigit() for line in stacks), "collapsed stacks: counts")
    text = place.run(["trawl", "profile", "t", *IMAGE, *QUIET, "--format", "csv"]).stdout.decode(errors="replace")
    rows = list(csv.reader(io.StringIO(text)))
    tally.check(len(rows) >= 5 and len({len(row) for row in rows}) == 1, "CSV: rows", text.encode())
    tally.check(any(row[-1] == 'quoted",?]0;title?é' for row in rows), "CSV: a name", text.encode())


def check_forms(place, tally):
    text = place.run(["trawl", "profile", "t", *IMAGE, *QUIET, "--format", "json"]).stdout
    names = {row["function"] for row in json.loads(text)}
    exact = {EVIL[0x8000].decode(), EVIL[0x9000].decode(), EVIL[0xB000].decode()}
    tally.check(exact <= names, "JSON: names as they are", text)
    tally.check(is_inert(text), "JSON: escaped", text)
    text = place.run(["trawl", "export", "t", *IMAGE, "-q"]).stdout
    tally.check(exact <= {event.get("name") for event in json.loads(text)["traceEvents"]}, "trace events: names")
    tally.check(is_inert(text), "trace events: escaped", text)
    text = place.run(["trawl", "flamegraph", "t", *IMAGE, *QUIET, "--format", "svg"]).stdout
    ElementTree.fromstring(text)
    tally.check(is_inert(text), "SVG: inert", text)
    text = place.run(["trawl", "vcd", "t", *IMAGE, "-q"]).stdout
    tally.check(is_inert(text), "VCD: escaped", text)


def check_reference(place, tally):
    """The tools of the reference write names as they are, but for terminals; that at the lowest
    address they never find."""
    for name in ("tarmac-profile", "tarmac-flamegraph", "tarmac-calltree"):
        text = place.run([name, "t", *IMAGE, "-q"]).stdout
        tally.check(all(evil in text for at, evil in EVIL.items() if at > 0x8000), f"{name}: bytes as they are", text)


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="trawl-inert-") as directory:
        place = Place(Path(directory), Path(sys.argv[1]).resolve())
        (place.directory / "evil.elf").write_bytes(small_elf.named(EVIL))
        (place.directory / "t").write_bytes(trace())
        (place.directory / "damaged\x1b").write_bytes(trace() + b"          9 tic ES  \x1b[31m \x9b nothing\n")
        (place.directory / "other\x1b").write_bytes(trace().replace(b"NOP", b"\x9bADD\x1b[31m", 1).replace(b"9000:", b"a000:", 1))
        (place.directory / "noted\x1b").write_bytes(trace())
        (place.directory / "noted\x1b.notes.json").write_bytes(b'{"\x1b[31m": 1}')
        check_people(place, tally)
        check_lines(place, tally)
        check_forms(place, tally)
        check_reference(place, tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
