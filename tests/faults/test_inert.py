"""Text of traces, images and logs is shown inert: no byte that controls a terminal is in what a command writes for humans, to standard
output or standard error, on a terminal or not. JSON and SVG encode such text in their own ways; CSV and collapsed stacks keep their
lines. Under the tarmac-* names, bytes are unchanged if the output is redirected, and inert on a terminal.
"""

import csv
import io
import json
import os
import pty
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import small_elf

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
# Escape sequences, a newline and a carriage return, DEL, C1 controls as UTF-8 and as bytes, a mark that changes the direction of writing,
# invalid UTF-8, and a letter that must stay.
EVIL = {
    0x8000: b"caller\x1b[2Jz",
    0x9000: b"callee\nmain;fake 99\r\x7f",
    0xA000: b"c1\xc2\x9b31m\x9b31m\xe2\x80\xae\xff",
    0xB000: b"quoted\",\x1b]0;title\x07\xc3\xa9",
}


def is_inert(text):
    """Whether bytes are UTF-8 without anything that controls a terminal, except line ends and tabs."""
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
        """What a terminal receives from both streams, with its own changes of line ends undone."""
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
        tally.check(f"{shown(command)}: says something", done.stdout + done.stderr)
        tally.check(f"{shown(command)}: output", is_inert(done.stdout), done.stdout)
        tally.check(f"{shown(command)}: messages", is_inert(done.stderr), done.stderr)
    done = place.run(["trawl", "--version"], TRAWL_ISA="\x1b[31m")
    tally.check("a variable of the environment", done.stderr and is_inert(done.stderr), done.stderr)
    for command in ON_TERMINALS:
        seen = place.on_terminal(command)
        tally.check(f"{shown(command)}: says something on a terminal", seen)
        tally.check(f"{shown(command)}: on a terminal", is_inert(seen), seen)


def check_lines(place, tally):
    stacks = place.run(["trawl", "flamegraph", "t", *IMAGE, *QUIET]).stdout.decode(errors="replace").splitlines()
    tally.check("collapsed stacks: lines", len(stacks) >= 4, repr(stacks).encode())
    tally.check("collapsed stacks: counts", all(line.rsplit(" ", 1)[-1].isdigit() for line in stacks))
    text = place.run(["trawl", "profile", "t", *IMAGE, *QUIET, "--format", "csv"]).stdout.decode(errors="replace")
    rows = list(csv.reader(io.StringIO(text)))
    tally.check("CSV: rows", len(rows) >= 5 and len({len(row) for row in rows}) == 1, text.encode())
    tally.check("CSV: a name", any(row[-1] == 'quoted",?]0;title?é' for row in rows), text.encode())


def check_forms(place, tally):
    text = place.run(["trawl", "profile", "t", *IMAGE, *QUIET, "--format", "json"]).stdout
    names = {row["function"] for row in json.loads(text)}
    exact = {EVIL[0x8000].decode(), EVIL[0x9000].decode(), EVIL[0xB000].decode()}
    tally.check("JSON: names as they are", exact <= names, text)
    tally.check("JSON: escaped", is_inert(text), text)
    text = place.run(["trawl", "export", "t", *IMAGE, "-q"]).stdout
    tally.check("trace events: names", exact <= {event.get("name") for event in json.loads(text)["traceEvents"]})
    tally.check("trace events: escaped", is_inert(text), text)
    text = place.run(["trawl", "flamegraph", "t", *IMAGE, *QUIET, "--format", "svg"]).stdout
    ElementTree.fromstring(text)
    tally.check("SVG: inert", is_inert(text), text)
    text = place.run(["trawl", "vcd", "t", *IMAGE, "-q"]).stdout
    tally.check("VCD: escaped", is_inert(text), text)


def check_reference(place, tally):
    """The tools of the reference write names unchanged, except to terminals. They never find the name at the lowest address."""
    for name in ("tarmac-profile", "tarmac-flamegraph", "tarmac-calltree"):
        text = place.run([name, "t", *IMAGE, "-q"]).stdout
        tally.check(f"{name}: bytes as they are", all(evil in text for at, evil in EVIL.items() if at > 0x8000), text)


@pytest.fixture
def there(programs, place):
    """A directory with traces, an image and notes with hostile text."""
    (place / "evil.elf").write_bytes(small_elf.named(EVIL))
    (place / "t").write_bytes(trace())
    (place / "damaged\x1b").write_bytes(trace() + b"          9 tic ES  \x1b[31m \x9b nothing\n")
    (place / "other\x1b").write_bytes(trace().replace(b"NOP", b"\x9bADD\x1b[31m", 1).replace(b"9000:", b"a000:", 1))
    (place / "noted\x1b").write_bytes(trace())
    (place / "noted\x1b.notes.json").write_bytes(b'{"\x1b[31m": 1}')
    return Place(place, programs)


@pytest.mark.parametrize("check", [check_people, check_lines, check_forms, check_reference], ids=lambda check: check.__name__.removeprefix("check_"))
def test_text_is_inert(checker, there, check):
    check(there, checker)
