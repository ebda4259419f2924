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


SP_OF_TWO_MODES = """1 clk cpu0 IT (1) 00080000 910003e1 O EL1h_s : MOV x1,sp
1 clk cpu0 R X1 0000000003effff0
2 clk cpu0 IT (2) 00080004 910043ff O EL1h_s : ADD sp,sp,#0x10
2 clk cpu0 R SP_EL1 0000000003f00000
3 clk cpu0 IT (3) 00080008 d5184101 O EL1h_s : MSR sp_el0,x1
3 clk cpu0 R SP_EL0 0000000003effff0
4 clk cpu0 IT (4) 0008000c d69f03e0 O EL1h_s : ERET
4 clk cpu0 R cpsr 00000000
5 clk cpu0 IT (5) 00090000 d10043ff O {mode}_s : SUB sp,sp,#0x10
5 clk cpu0 R {name} {value}
6 clk cpu0 IT (6) 00090004 910003e2 O {mode}_s : MOV x2,sp
6 clk cpu0 R X2 {value}
"""


@pytest.mark.parametrize(
    "mode, name, value, is_same",
    [("EL0t", "SP_EL0", "0000000003efffe0", False), ("EL1h", "SP_EL1", "0000000003effff0", True)],
)
def test_sp_of_another_mode(trawl, place, checker, mode, name, value, is_same):
    """The first instruction after a change of mode finds the stack pointer of that mode, also if it writes it."""
    (place / "a.tarmac").write_text(SP_OF_TWO_MODES.format(mode=mode, name=name, value=value))
    made = run(trawl, place, "origin", "-q", "a.tarmac", "x2", "--at", "time:6", "--all", "--format", "csv")
    wanted = {2, 5, 6} if is_same else {5, 6}
    checker.no_fault("what made a stack pointer after ERET", not (wanted <= events_of(made, "time") and (2 in events_of(made, "time")) == is_same) and made, at=mode)
    checker.no_fault("the slice says where the mode changed", ("the mode changed" in made) == is_same and made, at=mode)
    reached = run(trawl, place, "reaches", "-q", "a.tarmac", "sp", "--at", "time:2", "--format", "csv")
    checker.no_fault("what a stack pointer reaches after ERET", events_of(reached, "time") != ({5, 6} if is_same else set()) and reached, at=mode)
