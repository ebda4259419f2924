"""Every known dialect of Tarmac, as its producers write it, is understood completely.

    tests/run.py dialects

tests/dialects/NAME.dialect is a part of a trace and its meaning, written by hand from its source's description of the format:

    producer: who writes such traces
    source: where that is public
    sample: the line of the trace that docs/dialects.md shows
    instructions: how many
    lanes: names of the cores, or - for one without a name
    state: [LANE:]REGISTER=VALUE..., at the end; `.` is a digit that is not known
    memory: ADDRESS=BYTES..., in the order of addresses
    called: what the exceptions are called, with | between
    isa, exceptions, damaged, first-time, last-time: where they matter
    --- trace
    the lines

Nothing in it may be reported as unknown or damaged except what `damaged` counts. docs/dialects.md lists each with its sample and source.
"""

import json
import pathlib
import re

import pytest
import quick

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIALECTS = ROOT / "tests" / "dialects"
TABLE = ROOT / "docs" / "dialects.md"
TIMEOUT_S = 60


class Dialect:
    def __init__(self, path):
        head, self.trace = path.read_bytes().split(b"--- trace\n", 1)
        self.name = path.stem
        self.facts = dict(line.split(": ", 1) for line in head.decode().splitlines())

    def number(self, fact, default=0):
        return int(self.facts.get(fact, default))

    def pairs(self, fact):
        return [word.split("=") for word in self.facts.get(fact, "").split()]

    def sample(self):
        line = self.trace.splitlines()[self.number("sample") - 1].decode("utf-8-sig")
        return re.sub(r"\s+", " ", line).strip()


class Runner:
    def __init__(self, trawl, directory, dialect):
        self.trawl, self.dialect = trawl, dialect
        self.trace = directory / dialect.name
        self.trace.write_bytes(dialect.trace)

    def run(self, command, *options):
        options = list(options)
        behind = options.pop() if command == "callinfo" else None
        words = [str(self.trawl), command, *options, str(self.trace), *([behind] if behind else [])]
        status, out, err, _ = quick.answer(words, TIMEOUT_S)
        return status, out, err.decode()

    def json(self, command, *options):
        status, out, err = self.run(command, "--memory-index", "--format=json", *options)
        if not out:
            raise AssertionError(f"{command}: status {status}: {err}")
        return json.loads(out)


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: {found}, not {wanted}")


def check_messages(runner):
    damaged = runner.dialect.number("damaged")
    status, _, err = runner.run("profile", "-v")
    expect("status", status, 3 if damaged else 0)
    unknown = re.findall(r"unknown .*|unsupported .*", err)
    expect("unknown", unknown, [])
    counts = re.findall(r"damaged lines left out: (\d+)", err)
    expect("damaged", counts, [str(damaged)] if damaged else [])


def check_counts(runner):
    info = runner.json("info")
    dialect = runner.dialect
    expect("instructions", info["trace"]["instructions"], dialect.number("instructions"))
    lanes = [lane["lane"] or "-" for lane in info["lanes"]]
    expect("lanes", lanes, dialect.facts["lanes"].split())
    for fact in ("first", "last"):
        if f"{fact}-time" in dialect.facts:
            expect(f"{fact} time", info["trace"][f"{fact}_time"], dialect.number(f"{fact}-time"))


def matches(found, wanted):
    return bool(re.fullmatch(wanted.lower(), found.lower()))


def check_state(runner):
    state = runner.json("state", "--registers=all", "--all", "--at=end")
    by_lane = {lane["lane"] or "": lane["registers"] for lane in state["lanes"]}
    for name, wanted in runner.dialect.pairs("state"):
        lane, register = name.rsplit(":", 1) if ":" in name else (next(iter(by_lane)), name)
        value = by_lane[lane][register]["value"] or ""
        digits = wanted.removeprefix("0x")
        found = value.removeprefix("0x")[-len(digits):] or "." * len(digits)
        if not matches(found, digits):
            raise AssertionError(f"{name}: {value}, not {wanted}")


def check_memory(runner):
    for address, wanted in runner.dialect.pairs("memory"):
        size = len(wanted) // 2
        state = runner.json("state", "--at=end", f"--memory={address}:{size}")
        expect(f"memory at {address}", state["memory"][0]["bytes"], wanted)


def check_lines(runner):
    """Facts that follow from the instructions and exceptions."""
    dialect = runner.dialect
    if "isa" in dialect.facts:
        position = runner.json("state", "--at=end")["position"]
        expect("isa", position["isa"], dialect.facts["isa"])
    if "exceptions" in dialect.facts:
        status, out, _ = runner.run("callinfo", "--format=csv", "0x6")
        expect("exceptions", out.count(b"\n") - 1 if status == 0 else 0, dialect.number("exceptions"))
    if "called" in dialect.facts:
        status, out, _ = runner.run("callinfo", "--format=csv", "0x6")
        names = [line.rsplit(",", 1)[1] for line in out.decode().splitlines()[1:]]
        expect("what exceptions are called", " | ".join(names), dialect.facts["called"])


def check_table(dialect, table):
    rows = [re.sub(r"\s+", " ", row.replace("\\|", "|")) for row in table if dialect.sample() in
            re.sub(r"\s+", " ", row.replace("\\|", "|"))]
    expect("rows of docs/dialects.md with its sample", len(rows), 1)
    expect("row begins with", rows[0].split("|")[1].strip(), f"`{dialect.name}`")


CHECKS = (check_messages, check_counts, check_state, check_memory, check_lines)


@pytest.mark.parametrize("path", sorted(DIALECTS.glob("*.dialect")), ids=lambda path: path.stem)
def test_dialect(checker, place, path):
    dialect = Dialect(path)
    runner = Runner(checker.trawl, place, dialect)
    for check in CHECKS:
        with checker.attempt(check.__name__):
            check(runner)
    with checker.attempt("docs/dialects.md"):
        check_table(dialect, TABLE.read_text().splitlines())
