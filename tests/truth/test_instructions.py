"""Compares what instructions read and write according to our table (src/arch/arm/effects.h) with what the machine did: every register that
a trace shows as written is an output, every access is one of the instruction, and what the table calls a copy has the value of its source.

    tests/run.py instructions

The traces are those of corpus/, or that TRAWL_TEST_TRACES names (separated by colons). They are read here, not by trawl.
"""

import collections
import os
import re
import subprocess
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "traces"
TRACES = [Path(name) for name in os.environ.get("TRAWL_TEST_TRACES", "").split(":") if name] or sorted(CORPUS.glob("*.tarmac"))
KINDS_MIN = {"a64": 700, "a32": 500, "t32": 500}  # different encodings in the corpus
PAIRED = re.compile(r"[-\d]+ (?:clk|tic|ns|ps|cs|cyc) (?:(cpu\d+) )?I[TS] \(\d+\) ([0-9a-f]+)(?::\S+)? ([0-9a-f]+) ([OAT]) [^:]*: (.*)")
SPLIT = re.compile(r"\s*\d+ (?:clk|tic|ns|ps|cs|cyc) (?:(cpu\d+) )?E([SWX]) +\(([0-9a-f]+):([0-9a-f]+)\) ([OAT]) [^:]*:? (.*)")
SKIPPED = re.compile(r" IS \(")
WRITE = re.compile(r"R (\w+) ([0-9a-fA-F:_.]+)$")
ACCESS = re.compile(r"M([RW])(\d+)\w* ([0-9a-f]+)")
HELD = re.compile(r"(LD|ST) ([0-9a-f]+) (.*)")
ISAS = {"O": "a64", "A": "a32", "T": "t32"}
PLACE = re.compile(r"([a-z]+)(\d*)(?:\+(\d+))?:(\d+)$")
FLAGS = {"cpsr": set("NZCVQG"), "fpsr": set("f"), "fpcr": set("c"), "fpscr": set("vfc"), "apsr": set("NZCVQG")}
STACKS = re.compile(r"(?:xsp|wsp|sp|msp|psp)(?:_\w+)?$")


class Flow:
    def __init__(self, text):
        output, _, inputs = text.partition(" <-")
        self.output = output
        self.inputs = inputs.split()


class Event:
    """An instruction of a trace, with what follows it."""

    def __init__(self, isa, size, it, encoding, place):
        self.key = (isa, size, it, encoding)
        self.place = place
        self.writes, self.reads, self.stores = [], [], []


def events_of(path):
    """The executed instructions of a trace."""
    last, pending, current = {}, {}, ""
    with open(path, errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip()
            at = PAIRED.match(line) or SPLIT.match(line)
            if at:
                if at.re is PAIRED:
                    core, pc, encoding, state, _ = at.groups()
                    skipped = bool(SKIPPED.search(line))
                else:
                    core, how, pc, encoding, state, _ = at.groups()
                    skipped = how == "S" and "CCFAIL" in line
                core = core or ""
                if core in last and last[core]:
                    yield last[core]
                isa, size, pc = ISAS[state], len(encoding) // 2, int(pc, 16)
                it = 15
                conditions = pending.get(core)
                if isa == "t32":
                    if conditions and conditions[0] == pc:
                        it = conditions[1].pop(0)
                        pending[core] = (pc + size, conditions[1]) if conditions[1] else None
                    value = int(encoding, 16)
                    if size == 2 and value >> 8 == 0xBF and value & 15:
                        pending[core] = (pc + size, it_block(value))
                last[core] = None if skipped else Event(isa, size, it, encoding, f"{path.name}:{number}")
                current = core
                continue
            event = last.get(current) if last else None
            if not event:
                continue
            rest = re.sub(r"^\S+ (?:clk|tic|ns|ps|cs|cyc) (?:cpu\d+ )?", "", line.strip())
            if rest.startswith(("E ", "INFO", "SIGNAL")) or " EXC" in line or "CoreEvent" in rest:
                last[current] = None
                yield event
            elif found := WRITE.match(rest):
                event.writes.append((found[1].lower(), found[2]))
            elif found := ACCESS.match(rest):
                (event.reads if found[1] == "R" else event.stores).append((int(found[3], 16), int(found[2])))
            elif found := HELD.match(rest):
                column = found[3].split("  ")[0].replace(" ", "")
                shown = [i for i in range(0, len(column), 2) if column[i] != "."]
                if shown: # the lowest address is at the right
                    low = len(column) // 2 - 1 - shown[-1] // 2
                    (event.reads if found[1] == "LD" else event.stores).append((int(found[2], 16) + low, len(shown)))
    for event in last.values():
        if event:
            yield event


def it_block(encoding):
    mask, condition, count = encoding & 15, encoding >> 4 & 15, 4
    while not mask & 1:
        mask >>= 1
        count -= 1
    return [condition] + [(condition & 14) | (encoding >> (4 - i) & 1) for i in range(1, count)]


def ask(program, keys):
    """The flows of each kind of instruction; None: not known, and whether it calls more."""
    keys = sorted(keys)
    asked = "\n".join(f"{isa} {size} {it} {encoding}" for isa, size, it, encoding in keys)
    lines = subprocess.run([str(program)], input=asked, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    assert len(lines) == len(keys)
    found = {}
    for key, line in zip(keys, lines):
        is_exception = line.endswith(" !")
        line = line.removesuffix(" !").strip()
        found[key] = None if line == "unknown" else [Flow(text) for text in line.split("; ") if text], is_exception
    return found


def place_of(name, isa, digits):
    """The place in the notation of the table that a register line writes: a letter with a number, the first byte, how many."""
    bank = re.match(r"r(\d+)_\w+$", name)
    number = re.match(r"([a-z]+?)(\d+)$", name)
    bytes_ = len(re.sub(r"[^0-9a-fA-F]", "", digits)) // 2
    if STACKS.match(name):
        return ("x31", 0, bytes_) if isa == "a64" else ("x13", 0, 4)
    if name == "lr" or name.startswith("lr_"):
        return ("x30", 0, 8) if isa == "a64" else ("x14", 0, 4)
    if bank:
        return (f"x{bank[1]}", 0, 4)
    if not number or int(number[2]) > 31:
        return None
    kind, n = number[1], int(number[2])
    if kind in ("x", "w", "r", "e"):
        return (f"x{n}", 0, min(bytes_, 8 if isa == "a64" else 4))
    if kind in ("q", "v", "z"):
        return (f"v{n}", 0, min(bytes_, 16))
    if isa == "a64" and kind in ("d", "s", "h", "b"):
        return (f"v{n}", 0, bytes_)
    if kind == "d":
        return (f"v{n // 2}", n % 2 * 8, 8)
    if kind == "s":
        return (f"v{n // 4}", n % 4 * 4, 4)
    return None


def is_to_nowhere(event):
    """A load to the zero register; or an emulator that makes a store to monitored memory of a comparison and a swap."""
    isa, _, _, encoding = event.key
    value = int(encoding, 16)
    return isa == "a64" and (value & 31 == 31 or value & 0x3F400000 == 0x08000000)


def fault_of_event(event, flows):
    """What the event did that no flow has."""
    isa = event.key[0]
    outputs, systems, flags = collections.defaultdict(set), 0, set()
    memory_out, memory_in = set(), set()
    for flow in flows:
        if flow.output.startswith("s:"):
            systems += 1
        elif found := PLACE.match(flow.output):
            low, size = int(found[3] or 0), int(found[4])
            if found[1] == "m":
                memory_out.update(range(low, low + size) if size else [-1])
            else:
                outputs[found[1] + found[2]].update(range(low, low + min(size, 64)))
        elif flow.output != "pc":
            flags.update(flow.output)
        for place in flow.inputs:
            found = PLACE.match(place.lstrip("=@?"))
            if found and found[1] == "m":
                low, size = int(found[3] or 0), int(found[4])
                memory_in.update(range(low, low + size) if size else [-1])
            elif found and flow.output.startswith("m") and place[0] == "=":
                # The tracer of the corpus also shows the sources of a store that updates its base.
                low, size = int(found[3] or 0), 8 if found[1] == "x" else int(found[4])
                outputs[found[1] + found[2]].update(range(low, low + size))
    for name, digits in event.writes:
        known = next((marks for prefix, marks in FLAGS.items() if name.startswith(prefix)), None)
        if known:
            leaves = isa != "a64" and any(flow.output == "pc" for flow in flows)  # perhaps to the other instruction set
            if not flags & known and not systems and not leaves:
                return f"writes {name}"
            continue
        place = place_of(name, isa, digits)
        if place is None:
            if not systems:
                return f"writes {name}"
            continue
        missing = set(range(place[1], place[1] + place[2])) - outputs[place[0]]
        if missing and not (systems and STACKS.match(name)):
            return f"writes {name}: bytes {sorted(missing)} of {place[0]} are no output"
    for what, accesses, named in (("reads", event.reads, memory_in), ("writes", event.stores, memory_out)):
        if not accesses or -1 in named:
            continue
        low = min(address for address, _ in accesses)
        touched = {address + i - low for address, size in accesses for i in range(size)}
        if not named and what == "reads" and is_to_nowhere(event):
            continue
        if touched - named:
            return f"{what} {len(touched)} bytes of memory, the table has {len(named)}"
    return None


@pytest.fixture(scope="module")
def program(prefix):
    return prefix / "tests" / "effects-rows"


def distinct(events):
    """One of those that did the same: the instruction, the names of registers and the shape of its accesses."""
    seen = {}
    for event in events:
        low = min((address for address, _ in event.reads + event.stores), default=0)
        shape = (event.key, tuple((name, len(digits)) for name, digits in event.writes),
                 tuple((address - low, size) for address, size in event.reads),
                 tuple((address - low, size) for address, size in event.stores))  # fmt: skip
        seen.setdefault(shape, event)
    return list(seen.values())


def test_everything_that_traces_show(checker, program):
    kinds = collections.Counter()
    every = [event for path in TRACES for event in distinct(events_of(path))]
    table = ask(program, {event.key for event in every})
    for key in table:
        kinds[key[0]] += 1
    for event in every:
        flows, is_exception = table[event.key]
        checker.check("instructions of traces are known", flows is not None, event.key, at=event.place)
        if flows is None or is_exception:
            continue
        checker.no_fault("what instructions do is in the table", fault_of_event(event, flows), at=f"{event.place} {event.key}")
    for isa, least in KINDS_MIN.items():
        checker.check(f"there are instructions of {isa}", kinds[isa] >= least or TRACES[0].parent != CORPUS, kinds[isa])
    checker.tell(f"{len(every)} shapes of {sum(kinds.values())} instructions: {dict(kinds)}")
