"""Golden tests of whole commands: tests/golden/*.test.

A file contains cases. Each runs in a separate empty directory with links to `corpus` and `fixtures` (tests/golden/fixtures), which it
may read, and with zig-out/bin first in PATH:

    # before the first case: the subject of the file
    === name of the case
    --- file trace.tarmac
    contents of a file for the next command
    $ tarmac-profile trace.tarmac | head -1
    --- stdin
    what the command reads; by default, nothing
    --- stdout
    what it must write there; by default, nothing
    --- stderr
    likewise
    --- status 1

The command is one line for the shell, without escapes. More commands may follow in the same case. The default status is 0. An empty line
separates two cases. In a text, `\\` starts an escape: `\\\\`, `\\r`, `\\xNN`, `\\=`, `\\-`, `\\$` (if a text line starts like one of the
lines above), and in expected text `\\*`, which matches anything in the line. A last line `\\no newline` removes the newline before it.
The path of the case's directory is written as `$WORK`.

    tests/run.py golden [-k TEXT] [--accept]

-k runs only cases with that word in "FILE: NAME". --accept rewrites the expected parts that differ: review the change before you commit
it.
"""

import difflib
import os
import re
import subprocess
from pathlib import Path

import pytest
import quick
from bounded import run_bounded

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
TIMEOUT_S = 60
ANYTHING = b"\\*"
NO_NEWLINE = b"\\no newline\n"
ESCAPE = re.compile(rb"\\(r|x[0-9a-f]{2}|[\\=$-])")
# What needs no shell: it is run without one, which is quicker.
PLAIN = re.compile(rb"[\w.-]+(?: [\w./:=,+@%-]+)*")
STRUCTURE = re.compile(rb"=== |--- |\$ ")


class Fault(Exception):
    """An invalid test file."""


class Block:
    """The text after a `--- KIND ARGUMENT` line, as in the file."""

    def __init__(self, kind, argument):
        self.kind, self.argument, self.text = kind, argument, b""

    def lines(self):
        head = b"--- " + self.kind.encode() + (b" " + self.argument if self.argument else b"") + b"\n"
        return head + self.text


class Step:
    """One command: the files made before it, its line (None after the last), its blocks."""

    def __init__(self):
        self.files, self.command, self.blocks = [], None, []

    def block(self, kind):
        for block in self.blocks:
            if block.kind == kind:
                return block
        return None

    def lines(self):
        command = b"$ " + self.command + b"\n" if self.command is not None else b""
        return b"".join(b.lines() for b in self.files) + command + b"".join(b.lines() for b in self.blocks)


class Case:
    def __init__(self, file, name):
        self.file, self.name, self.steps = file, name, [Step()]
        self.label = f"{file.name}: {name}"


def add_block(case, line, where):
    kind, _, argument = line[4:].partition(b" ")
    block = Block(kind.decode(), argument)
    step = case.steps[-1]
    if block.kind == "file":
        if step.command is not None:
            step = Step()
            case.steps.append(step)
        step.files.append(block)
    elif block.kind in ("stdin", "stdout", "stderr", "status") and step.command is not None:
        step.blocks.append(block)
    else:
        raise Fault(f"{where}: '--- {block.kind}' makes no sense here")
    return block


def add_command(case, line):
    if case.steps[-1].command is not None:
        case.steps.append(Step())
    case.steps[-1].command = line[2:]


def drop_separator(step):
    """Removes the empty line that separates the text from the next case."""
    blocks = step.blocks or step.files
    if blocks and (blocks[-1].text == b"\n" or blocks[-1].text.endswith(b"\n\n")):
        blocks[-1].text = blocks[-1].text[:-1]


def read_cases(file):
    """The text before the first case, and the cases of a file."""
    preface, cases, block = b"", [], None
    for number, line in enumerate(file.read_bytes().split(b"\n")[:-1], 1):
        where = f"{file.name}:{number}"
        if line.startswith(b"=== "):
            cases.append(Case(file, line[4:].decode()))
            block = None
        elif not cases:
            preface += line + b"\n"
        elif line.startswith(b"--- "):
            block = add_block(cases[-1], line, where)
        elif line.startswith(b"$ "):
            add_command(cases[-1], line)
            block = None
        elif block is not None:
            block.text += line + b"\n"
        elif line:
            raise Fault(f"{where}: text that belongs to nothing")
    for case in cases[:-1]:
        drop_separator(case.steps[-1])
    return preface, cases


def decode(text):
    """The bytes that a text of a file represents."""
    if text.endswith(NO_NEWLINE):
        text = text[: -len(NO_NEWLINE) - 1]
    return ESCAPE.sub(decode_escape, text)


def decode_escape(match):
    code = match.group(1)
    if code == b"r":
        return b"\r"
    return bytes([int(code[1:], 16)]) if len(code) == 3 else code


def encode_line(line):
    """A line of output for a file: visible, and without characters that an editor would change."""
    line = line.replace(b"\\", b"\\\\").replace(b"\r", b"\\r")
    line = re.sub(rb"[\x00-\x08\x0b-\x1f\x7f]", lambda m: b"\\x%02x" % m.group()[0], line)
    line = re.sub(rb"[ \t]\Z", lambda m: b"\\x%02x" % m.group()[0], line)
    try:
        line.decode()
    except UnicodeDecodeError:
        line = re.sub(rb"[\x80-\xff]", lambda m: b"\\x%02x" % m.group()[0], line)
    return b"\\" + line if STRUCTURE.match(line) else line


def encode(output):
    if not output:
        return b""
    lines = [encode_line(line) for line in output.split(b"\n")]
    if lines[-1] == b"":
        return b"\n".join(lines)
    return b"\n".join(lines) + b"\n" + NO_NEWLINE


def matches(expected, actual):
    """Whether `actual` matches the text of a file, where `\\*` matches anything in a line."""
    if ANYTHING not in expected:
        return expected == actual
    tokens = re.findall(rb"(?s)\\.|[^\\]+", expected)
    pattern = b"".join(b"[^\n]*" if token == ANYTHING else re.escape(token) for token in tokens)
    return re.fullmatch(pattern, actual) is not None


def run_command(command, stdin, directory, programs):
    """Runs one line of shell. Returns its status (128 + signal, as in shells), out and err."""
    environment = {
        "PATH": f"{programs}:{os.environ.get('PATH', os.defpath)}",
        "HOME": str(directory),
        "LC_ALL": "C",
        "TERM": "dumb",
    }
    program, *words = command.decode().split(" ")
    if PLAIN.fullmatch(command) and (programs / program).exists():
        status, out, err, killed = quick.answer([programs / program, *words], TIMEOUT_S, stdin, directory, environment)
    else:
        status, out, err, killed = run_bounded(
            ["/bin/sh", "-c", command],
            TIMEOUT_S,
            stdin,
            cwd=directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    if killed:
        err += b"\n[no end after %d s]\n" % TIMEOUT_S
    return (128 - status if status < 0 else status), out, err


def compare(step, results, label):
    """Yields a difference, as lines, for each part that is not as expected, and corrects the part."""
    for kind, actual in results.items():
        block = step.block(kind)
        expected = (block.argument if kind == "status" else block.text) if block else b""
        if matches(expected, actual):
            continue
        command = step.command.decode(errors="replace")
        yield [f"{label}: {kind} of: {command}"] + list(
            difflib.unified_diff(
                expected.decode(errors="replace").splitlines(),
                actual.decode(errors="replace").splitlines(),
                "expected",
                "found",
                lineterm="",
            )
        )
        set_block(step, kind, actual)


def set_block(step, kind, actual):
    order = ["stdin", "stdout", "stderr", "status"]
    block = step.block(kind)
    if block is None:
        block = Block(kind, b"")
        step.blocks.append(block)
        step.blocks.sort(key=lambda b: order.index(b.kind))
    if kind == "status":
        block.argument = actual
    else:
        block.text = actual
    if not actual:
        step.blocks.remove(block)


def run_case(case, programs, directory):
    """Runs a case. Yields its differences, each as a list of lines."""
    (directory / "corpus").symlink_to(ROOT / "corpus")
    (directory / "fixtures").symlink_to(GOLDEN / "fixtures")
    for step in case.steps:
        for block in step.files:
            path = directory / block.argument.decode()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(decode(block.text))
        if step.command is None:
            continue
        stdin = step.block("stdin")
        status, out, err = run_command(
            step.command, decode(stdin.text) if stdin else b"", directory, programs
        )
        work = os.fsencode(directory)
        results = {
            "stdout": encode(out.replace(work, b"$WORK")),
            "stderr": encode(err.replace(work, b"$WORK")),
            "status": b"%d" % status if status else b"",
        }
        yield from compare(step, results, case.label)


def write_cases(file, preface, cases):
    texts = [b"=== " + c.name.encode() + b"\n" + b"".join(s.lines() for s in c.steps) for c in cases]
    file.write_bytes(preface + b"\n".join(texts))


FILES = {file: read_cases(file) for file in sorted(GOLDEN.glob("*.test"))}
CASES = [case for _, cases in FILES.values() for case in cases]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_case(programs, place, accept, case):
    assert not (accept and "PYTEST_XDIST_WORKER" in os.environ), "--accept goes with one suite"
    differences = list(run_case(case, programs, place.resolve()))
    if accept and differences:
        write_cases(case.file, *FILES[case.file])
    assert accept or not differences, "\n".join(line for difference in differences for line in difference)
