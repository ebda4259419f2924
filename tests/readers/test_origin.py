"""`trawl origin` and `trawl reaches` against programs that are made together with their answers (support/flow_model.py), in A64 and A32.

    tests/run.py origin
"""

import csv
import io
import random
import re
from pathlib import Path

import pytest
import quick
from flow_model import Program

TIMEOUT_S = 60
PROGRAMS = 200
PARTS = 4
POINTS = 2  # of each program
TRACES = Path(__file__).resolve().parents[2] / "corpus" / "traces"
# Instructions that write one register and no flags.
SINGLE = re.compile(r"(\d+) clk IT \(\d+\) \S+ \S+ \S \S+ : (ADD|SUB|EOR|ORR|AND|MOV|LDRB?|MUL|LSL|LSR|UXTB) .*\n\d+ clk (?:MR.*\n\d+ clk )?R ([XRxr]\d+) ")


def run(trawl, place, *words):
    done = quick.run([trawl, *words], cwd=place)
    assert done.returncode == 0, (words, done.stderr[-400:])
    return done.stdout.decode() if isinstance(done.stdout, bytes) else done.stdout


def events_of(text, key="event"):
    return frozenset(int(row[key]) for row in csv.DictReader(io.StringIO(text)) if row[key])


def write(place, program):
    (place / "a.tarmac").write_text(program.text())
    return "a.tarmac"


@pytest.mark.parametrize("isa", ["a64", "a32"])
@pytest.mark.parametrize("part", range(PARTS))
def test_origin_of_made_programs(trawl, place, checker, isa, part):
    """The slice of a register is the set of events that made it, with and without addresses."""
    for seed in range(part, PROGRAMS, PARTS):
        program = Program(seed, isa)
        trace, rng = write(place, program), random.Random(seed)
        name = "x" if isa == "a64" else "r"
        for _ in range(POINTS):
            event, n, addresses = rng.randrange(20, program.event + 1), rng.randrange(program.usable), rng.randrange(2)
            words = ["origin", "-q", trace, f"{name}{n}", "--at", f"event:{event}", "--format", "csv"]
            found = events_of(run(trawl, place, *words, "--addresses" if addresses else "--all"))
            wanted = program.slice_of(event, n, addresses)
            checker.no_fault(
                f"slices of programs of {isa}",
                found != wanted and f"lacks {sorted(wanted - found)}, has {sorted(found - wanted)}",
                at=f"{seed}: {words} {addresses}",
            )


@pytest.mark.parametrize("isa", ["a64", "a32"])
@pytest.mark.parametrize("part", range(PARTS))
def test_reaches_of_made_programs(trawl, place, checker, isa, part):
    """What a register reaches are the events that made something of it."""
    for seed in range(part, PROGRAMS, PARTS):
        rng = random.Random(seed)
        event, n, addresses = rng.randrange(14, 90), rng.randrange(8), rng.randrange(2)
        program = Program(seed, isa, mark=(event, n))
        trace, name = write(place, program), "x" if isa == "a64" else "r"
        words = ["reaches", "-q", trace, f"{name}{n}", "--at", f"event:{event}", "--format", "csv"]
        found = events_of(run(trawl, place, *words, *["--addresses"] * addresses))
        wanted = program.reached_by_address if addresses else program.reached
        checker.no_fault(
            f"what registers of programs of {isa} reach",
            found != wanted and f"lacks {sorted(wanted - found)}, has {sorted(found - wanted)}",
            at=f"{seed}: {words} {addresses}",
        )


@pytest.mark.parametrize("name", ["sort-a64", "hash-a64", "corrupt-a64", "recursion-a32", "sort-a32", "sort-t32", "recursion-t32"])
def test_duality(trawl, place, checker, name):
    """An event is in the slice of another exactly if it reaches that one. In these traces, each instruction has a time of its own."""
    text = (TRACES / f"{name}.it.tarmac").read_text()
    (place / "a.tarmac").write_text(text)
    single, rng = [(int(time), register) for time, _, register in SINGLE.findall(text)], random.Random(name)
    assert len(single) > 100
    starts, targets = rng.sample(single, 20), rng.sample(single, 10)

    def ask(command, time, register):
        words = [command, "-q", "a.tarmac", register, "--at", f"time:{time}", "--format", "csv"]
        return events_of(run(trawl, place, *words, *["--all"] * (command == "origin")), "time")

    reached = [ask("reaches", *start) for start in starts]
    slices = [ask("origin", *target) for target in targets]
    for (start, _), forwards in zip(starts, reached):
        for (target, _), back in zip(targets, slices):
            if start < target:
                checker.check(f"duality in {name}", (target in forwards) == (start in back), f"{start} and {target}")
