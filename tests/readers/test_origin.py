"""`trawl origin` and `trawl reaches` against programs that are made together with their answers (support/flow_model.py), in A64 and A32.

    tests/run.py origin
"""

import csv
import io
import json
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


def graph_of(text):
    """(nodes, edges) of a graph as Graphviz reads it, one of each in a line."""
    lines = text.splitlines()
    assert (lines[0], lines[1], lines[-1]) == ("digraph origin {", "  node [shape=box, fontname=monospace];", "}")
    nodes = [re.fullmatch(r'  e(\d+) \[label="(?:[^"\\]|\\.)*"\];', line) for line in lines[2:-1]]
    edges = [re.fullmatch(r"  e(\d+) -> e(\d+)(?: \[style=(?:dotted|dashed)\])?;", line) for line in lines[2:-1]]
    assert all(node or edge for node, edge in zip(nodes, edges))
    return {int(node[1]) for node in nodes if node}, {(int(edge[1]), int(edge[2])) for edge in edges if edge}


@pytest.mark.parametrize("isa", ["a64", "a32"])
def test_graphs_of_made_programs(trawl, place, checker, isa):
    """The nodes of both graphs are the slice, and their edges lead from each of these events to one that wrote a byte of the register."""
    for seed in range(20):
        program = Program(seed, isa)
        trace, rng, name = write(place, program), random.Random(seed), "x" if isa == "a64" else "r"
        event, n, addresses = rng.randrange(20, program.event + 1), rng.randrange(program.usable), seed % 2
        words = ["origin", "-q", trace, f"{name}{n}", "--at", f"event:{event}", "--addresses" if addresses else "--all", "--graph"]
        told = json.loads(run(trawl, place, *words, "json"))
        nodes, edges = {node["event"] for node in told["nodes"]}, {(edge["from"], edge["to"]) for edge in told["edges"]}
        wanted = program.slice_of(event, n, addresses)
        checker.no_fault("nodes", nodes != wanted and f"{nodes} and not {wanted}", at=f"{seed}: {words}")
        led = {max(made) for cell in program.snapshots[event - 1][n] if (made := cell.made_by(addresses))}
        for one in sorted(wanted, reverse=True):
            led |= {source for source, to in edges if to == one} if one in led else set()
        checker.no_fault("edges", led != wanted and f"{sorted(wanted - led)} lead nowhere", at=f"{seed}: {words}")
        checker.no_fault("edges go forward", any(source >= to for source, to in edges) and f"{edges}", at=f"{seed}: {words}")
        checker.no_fault("dot", graph_of(run(trawl, place, *words, "dot")) != (nodes, edges) and "not the graph of json", at=f"{seed}: {words}")


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
    wanted = {2, 5, 6} if is_same else {1, 3, 5, 6}  # what MSR wrote to SP_EL0
    checker.no_fault("what made a stack pointer after ERET", events_of(made, "time") != wanted and made, at=mode)
    checker.no_fault("the slice goes on where the mode changed", "the mode changed" in made and made, at=mode)
    unnamed = SP_OF_TWO_MODES.format(mode=mode, name=name, value=value).replace("R SP_EL0 0000000003effff0", "R X9 0")
    (place / "b.tarmac").write_text(unnamed)
    made = run(trawl, place, "origin", "-q", "b.tarmac", "x2", "--at", "time:6", "--all", "--format", "csv")
    checker.no_fault("the slice says where the mode changed", ("the mode changed" in made) == is_same and made, at=mode)
    reached = run(trawl, place, "reaches", "-q", "a.tarmac", "x1", "--at", "time:1", "--format", "csv")
    checker.no_fault("what reaches SP_EL0", events_of(reached, "time") != ({3} if is_same else {3, 5, 6}) and reached, at=mode)
    reached = run(trawl, place, "reaches", "-q", "a.tarmac", "sp", "--at", "time:2", "--format", "csv")
    checker.no_fault("what a stack pointer reaches after ERET", events_of(reached, "time") != ({5, 6} if is_same else set()) and reached, at=mode)


SYSTEM = """1 clk cpu0 IT (1) 00080000 d28000a1 O EL1h_s : MOVZ x1,#5
1 clk cpu0 R X1 0000000000000005
2 clk cpu0 IT (2) 00080004 d51bd041 O EL1h_s : MSR tpidr_el0,x1
{shown}3 clk cpu0 IT (3) 00080008 d2800001 O EL1h_s : MOVZ x1,#0
3 clk cpu0 R X1 0000000000000000
4 clk cpu0 IT (4) 0008000c d53bd042 O EL1h_s : MRS x2,tpidr_el0
4 clk cpu0 R X2 {read:016x}
5 clk cpu0 IT (5) 00080010 8b020043 O EL1h_s : ADD x3,x2,x2
5 clk cpu0 R X3 {twice:016x}
"""
SHOWN = "2 clk cpu0 R TPIDR_EL0 0000000000000005\n"


@pytest.mark.parametrize("shown, read, is_followed", [(SHOWN, 5, True), (SHOWN, 6, False), ("", 5, False)])
def test_system_registers(trawl, place, checker, shown, read, is_followed):
    """MRS is followed to the MSR that the trace shows, if the register still had that value."""
    (place / "a.tarmac").write_text(SYSTEM.format(shown=shown, read=read, twice=2 * read))
    made = run(trawl, place, "origin", "-q", "a.tarmac", "x3", "--at", "time:5", "--all", "--format", "csv")
    checker.no_fault("what made a system register", events_of(made, "time") != ({1, 2, 4, 5} if is_followed else {4, 5}) and made, at=(shown, read))
    checker.no_fault("the slice says that it ends there", ("from a system register" in made) == is_followed and made, at=(shown, read))
    reached = run(trawl, place, "reaches", "-q", "a.tarmac", "x1", "--at", "time:1", "--format", "csv")
    checker.no_fault("what reaches a system register", events_of(reached, "time") != ({2, 4, 5} if is_followed else {2}) and reached, at=(shown, read))
    chain = run(trawl, place, "origin", "-q", "a.tarmac", "x2", "--at", "time:5", "--format", "csv")
    checker.no_fault("the chain of a system register", (",move,TPIDR_EL0," in chain) != is_followed and chain, at=(shown, read))


PAUSED = """1 clk cpu0 IT (1) 00080000 d28000a1 O EL1h_s : MOVZ x1,#5
1 clk cpu0 R X1 0000000000000005
2 clk cpu0 IT (2) 00080004 d28000a2 O EL1h_s : MOVZ x2,#5
2 clk cpu0 R X2 0000000000000005
3 clk cpu0 IT (3) 00080008 f9000061 O EL1h_s : STR x1,[x3]
3 clk cpu0 MW8 00090000:000000090000 0000000000000005
{pause}4 clk cpu0 IT (4) {pc:08x} d28000a2 O EL1h_s : MOVZ x2,#5
4 clk cpu0 R X2 0000000000000005
5 clk cpu0 IT (5) {pc5:08x} 8b020024 O EL1h_s : ADD x4,x1,x2
5 clk cpu0 R X4 000000000000000a
6 clk cpu0 IT (6) {pc6:08x} f9400065 O EL1h_s : LDR x5,[x3]
6 clk cpu0 MR8 00090000:000000090000 0000000000000005
6 clk cpu0 R X5 0000000000000005
"""


@pytest.mark.parametrize("pc, pause, is_gap", [(0x8000C, "", False), (0x80040, "", True), (0x80010, "4 clk cpu0 IT (4) 000800zz d2800001 O EL1h_s : MOVZ\n", True)])
def test_gaps(trawl, place, checker, pc, pause, is_gap):
    """Over lines that are missing, a register is not followed; memory is, where a load shows that it is as it was."""
    (place / "a.tarmac").write_text(PAUSED.format(pc=pc, pc5=pc + 4, pc6=pc + 8, pause=pause))

    def ask(command, what, at, *words):
        done = quick.run([trawl, command, "-q", "a.tarmac", what, "--at", f"time:{at}", *words, "--format", "csv"], cwd=place)
        return done.stdout.decode()

    said = "lines are missing, which may have written it"
    made = ask("origin", "x4", 6, "--all")
    checker.no_fault("a slice over a gap", events_of(made, "time") != ({4, 5} if is_gap else {1, 4, 5}) and made, at=pc)
    checker.no_fault("it says where lines are missing", (said in made) != is_gap and made, at=pc)
    chain = ask("origin", "x1", 6)
    checker.no_fault("a chain says where lines are missing", (f"{said}, between 0 and 3" in chain.replace('"', "")) != is_gap and chain, at=pc)
    reached = ask("reaches", "x1", 1)
    checker.no_fault("what is reached over a gap", events_of(reached, "time") != ({3, 6} if is_gap else {3, 5, 6}) and reached, at=pc)
    loaded = ask("origin", "x5", 6, "--all")
    checker.no_fault("what a load shows is followed over a gap", events_of(loaded, "time") != {1, 3, 6} and loaded, at=pc)


def made(*events):
    """A trace of A64: for each event an encoding, and what its other lines show: ("R", register, value), ("MW" or "MR", size, address, value)."""
    lines, pc = [], 0x80000
    for time, (encoding, *shown) in enumerate(events, 1):
        lines.append(f"{time} clk cpu0 IT ({time}) {pc:08x} {encoding:08x} O EL1h_s : made")
        for kind, *about in shown:
            if kind == "R":
                lines.append(f"{time} clk cpu0 R {about[0]} {about[1]:016x}")
            else:
                lines.append(f"{time} clk cpu0 {kind}{about[0]} {about[1]:08x}:{about[1]:012x} {about[2]:0{2 * about[0]}x}")
        pc += -4 if encoding == 0x17FFFFFF else 4
    return "\n".join(lines) + "\n"


FIVE, SIX_X2, SEVEN_X4 = (0xD28000A1, ("R", "X1", 5)), (0xD28000C2, ("R", "X2", 6)), (0xD28000E4, ("R", "X4", 7))
STORE_X4 = (0xF9000064, ("MW", 8, 0x90000, 7))
SPECIAL = {  # the trace; questions: command, register, time, and the times of the events
    "code that changes": (
        made((0xD28000A0, ("R", "X0", 5)), SIX_X2, (0xAA0003E1, ("R", "X1", 5)), (0x17FFFFFF,), (0xAA0203E1, ("R", "X1", 6)), (0x17FFFFFF,)),
        [("origin", "x1", 3, {1, 3}), ("origin", "x1", 5, {2, 5}), ("reaches", "x0", 1, {3}), ("reaches", "x2", 2, {5})],
    ),
    "DC ZVA": (
        made(FIVE, (0xF9000481, ("MW", 8, 0x90008, 5)), (0xD50B7423, *[("MW", 8, 0x90000 + 8 * i, 0) for i in range(8)]), (0xF9400482, ("MR", 8, 0x90008, 0), ("R", "X2", 0))),
        [("origin", "x2", 4, {3, 4}), ("reaches", "x1", 1, {2})],
    ),
    "LDADD": (
        made(FIVE, SEVEN_X4, STORE_X4, (0xF8210062, ("MR", 8, 0x90000, 7), ("MW", 8, 0x90000, 12), ("R", "X2", 7)), (0xF9400065, ("MR", 8, 0x90000, 12), ("R", "X5", 12))),
        [("origin", "x2", 4, {2, 3, 4}), ("origin", "x5", 5, {1, 2, 3, 4, 5}), ("reaches", "x1", 1, {4, 5}), ("reaches", "x4", 2, {3, 4, 5})],
    ),
    "SWP": (
        made(FIVE, SEVEN_X4, STORE_X4, (0xF8218062, ("MR", 8, 0x90000, 7), ("MW", 8, 0x90000, 5), ("R", "X2", 7)), (0xF9400065, ("MR", 8, 0x90000, 5), ("R", "X5", 5))),
        [("origin", "x2", 4, {2, 3, 4}), ("origin", "x5", 5, {1, 4, 5}), ("reaches", "x1", 1, {4, 5}), ("reaches", "x4", 2, {3, 4})],
    ),
    "an exclusive pair": (
        made(SEVEN_X4, STORE_X4, (0xC85F7C62, ("MR", 8, 0x90000, 7), ("R", "X2", 7)), (0xC8067C62, ("MW", 8, 0x90000, 7), ("R", "W6", 0)), (0xF9400065, ("MR", 8, 0x90000, 7), ("R", "X5", 7))),
        [("origin", "x5", 5, {1, 2, 3, 4, 5}), ("reaches", "x4", 1, {2, 3, 4, 5})],
    ),
    "an access over the end of a page": (
        made(FIVE, (0xF9000061, ("MW", 8, 0x90FFC, 5)), (0xB9400482, ("MR", 4, 0x91000, 0), ("R", "X2", 0)), (0xB9400083, ("MR", 4, 0x90FFC, 5), ("R", "X3", 5))),
        [("origin", "x2", 3, {1, 2, 3}), ("origin", "x3", 4, {1, 2, 4}), ("reaches", "x1", 1, {2, 3, 4})],
    ),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special(trawl, place, checker, name):
    """Instructions whose slices are plain to see, and which the corpus lacks."""
    text, questions = SPECIAL[name]
    (place / "a.tarmac").write_text(text)
    for command, register, time, wanted in questions:
        words = [command, "-q", "a.tarmac", register, "--at", f"time:{time}", *["--all"] * (command == "origin"), "--format", "csv"]
        found = events_of(run(trawl, place, *words), "time")
        checker.no_fault(f"{name}", found != wanted and f"{sorted(found)}, not {sorted(wanted)}", at=words)
