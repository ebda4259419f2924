"""The points that `trawl find` finds, compared with two plain readers.

    tests/run.py find

Random traces of up to three cores, with stores and loads of a memory that agrees with itself, have a model that knows after each event what
every register and byte is, or that it is unknown; random conditions over it (registers, memory at fixed and at computed addresses, the pc,
what an event changed or wrote) are evaluated after every event of every core. And on traces of the corpus, in both styles and in all three
instruction sets, another reader follows the lines of general registers.
"""

import csv
import functools
import io
import pathlib
import random
import re

import pytest
import quick
import small_elf
from extent import pick
from plain_memory import byte_after_each

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 120
SEEDS = range(1, pick(21, 201))
CONDITIONS = 10  # of a trace
BASE = 0x100  # of the memory that is accessed
MEMORY = 24
FUNCTIONS = {0x8000: 0x10, 0x8010: 0x20, 0x8030: 0x30}
LAST_PC = 0x805C


# --- Random traces -------------------------------------------------------------------------------


class Event:
    def __init__(self, core, pc):
        self.core, self.pc = core, pc
        self.written, self.stored, self.loaded = {}, {}, {}  # register: value; address: value


class Trace:
    def __init__(self, draw, length=None, value=None):
        value = value or (lambda: draw.choice([0, 1, 2, BASE, BASE + 8, 0xFFFFFFFFFFFFFFFF]))
        self.cores = ["cpu%d" % i for i in range(draw.randrange(1, 4))]
        self.events = []
        memory, lines = [draw.randrange(4) for _ in range(MEMORY)], []
        for time in range(length or draw.randrange(20, 300)):
            event = Event(draw.choice(self.cores), draw.randrange(0x8000, LAST_PC + 1, 4))
            head = "%d clk %s " % (time + 1, event.core)
            lines.append(head + "IT (%d) %08x d503201f O EL1h : NOP" % (time, event.pc))
            for _ in range(draw.choice([0, 0, 1, 1, 2])):
                number, now = draw.randrange(4), value()
                event.written["x%d" % number] = now
                lines.append(head + "R X%d %016x" % (number, now))
            if draw.random() < 0.4:
                size = draw.choice([1, 2, 4, 8])
                at = draw.randrange(MEMORY - size + 1)
                is_store = draw.random() < 0.5
                for i in range(at, at + size):
                    if is_store:
                        memory[i] = draw.randrange(4)
                    (event.stored if is_store else event.loaded)[BASE + i] = memory[i]
                digits = "".join("%02x" % memory[i] for i in reversed(range(at, at + size)))
                lines.append(head + "M%s%d %08x %s" % ("W" if is_store else "R", size, BASE + at, digits))
            self.events.append(event)
        self.text = "\n".join(lines) + "\n"
        self.bytes = {BASE + i: byte_after_each(self.events, BASE + i) for i in range(MEMORY)}

    def load(self, number, address, size):
        if not all(address + i in self.bytes for i in range(size)):
            return None
        values = [self.bytes[address + i][number] for i in range(size)] if number >= 0 else [None]
        return None if None in values else int.from_bytes(bytes(values), "little")


# Conditions are functions of a Point, which return a number, or None if it is unknown.
class Point:
    def __init__(self, trace, number, registers, pc, before):
        self.trace, self.number, self.registers, self.pc, self.before = trace, number, registers, pc, before
        self.event = trace.events[number] if number >= 0 else None


def known(function):
    return lambda *values: None if None in values else int(function(*values))


def both(left, right):
    return 0 if left == 0 or right == 0 else None if None in (left, right) else 1


def either(left, right):
    return 1 if left or right else None if None in (left, right) else 0


OPERATORS = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, "&": lambda a, b: a & b, "^": lambda a, b: a ^ b,
}


def number_of(draw):
    value = draw.choice([0, 1, 2, 3, BASE, BASE + 8, 0x102])
    return hex(value), lambda point: value


def value_of(draw, own):
    """A value: (text, function, whether it asks for registers of the core)."""
    kind = draw.randrange(5)
    if kind < 2:
        name = "x%d" % draw.randrange(4)
        return name, (lambda point: point.registers.get(name)), True
    size = draw.choice([1, 2, 4, 8])
    if kind == 2:
        name, offset = "x%d" % draw.randrange(4), draw.randrange(8)

        def read(point):
            base = point.registers.get(name)
            return None if base is None else point.trace.load(point.number, (base + offset) % 2**64, size)

        return "u%d(%s + %d)" % (size * 8, name, offset), read, True
    address = BASE + draw.randrange(MEMORY - size + 1)
    return "u%d(%#x)" % (size * 8, address), (lambda point: point.trace.load(point.number, address, size)), False


def trace_events(trace, first, last):
    return trace.events[first : last + 1]


def atom(draw):
    kind = draw.randrange(8)
    if kind == 0:
        start, size = draw.choice(list(FUNCTIONS.items()))
        return "pc in f%x" % start, lambda p: None if p.pc is None else int(start <= p.pc < start + size), True
    if kind == 1:
        pc = draw.randrange(0x8000, LAST_PC + 1, 4)
        return "%#x == pc" % pc, lambda p: None if p.pc is None else int(p.pc == pc), True
    if kind == 2:
        name = "x%d" % draw.randrange(4)
        return "written(%s)" % name, lambda p: int(name in p.event.written), True
    if kind == 3:
        address = BASE + draw.randrange(MEMORY - 3)
        return ("written(u32(%#x))" % address,
                lambda p: int(any(address + i in event.stored for i in range(4)
                                  for event in trace_events(p.trace, p.before.number + 1, p.number))), False)
    text, read, is_own = value_of(draw, True)
    if kind == 4:

        def changed(point):
            now, before = read(point), read(point.before)
            return None if None in (now, before) else int(now != before)

        return "changed(%s)" % text, changed, is_own
    operator = draw.choice(list(OPERATORS))
    digits, number = number_of(draw)
    compare = known(OPERATORS[operator])
    return "(%s %s %s)" % (text, operator, digits), lambda p: compare(read(p), number(p)), is_own


def condition(draw, depth=2):
    if depth == 0 or draw.random() < 0.3:
        return atom(draw)
    left, right = condition(draw, depth - 1), condition(draw, depth - 1)
    kind = draw.randrange(5)
    if kind == 0:
        inverse = known(lambda value: not value)
        return "!(%s)" % left[0], lambda p: inverse(left[1](p)), left[2]
    join, sign = (both, "&&") if kind < 4 else (either, "||")
    return ("(%s) %s (%s)" % (left[0], sign, right[0]), lambda p: join(left[1](p), right[1](p)),
            left[2] or right[2])


def wanted_points(trace, text, holds, is_own, wants_all):
    """[(event, core, point)] by evaluating the condition after every event, for every core that it is asked for."""
    is_of_events = "changed" in text or "written" in text
    found = []
    for core in trace.cores if is_own else [None]:
        registers, was = {}, False
        before = Point(trace, -1, {}, None, None)
        for number, event in enumerate(trace.events):
            if core not in (None, event.core):
                continue
            registers = {**registers, **event.written}
            point = Point(trace, number, registers, event.pc, before)
            value = bool(holds(point))
            if value and (not was or is_of_events or wants_all):
                found.append((number, core or event.core, point))
            was, before = value and not is_of_events, point
    return sorted(found, key=lambda one: one[:2])


def shown_of(row, point):
    """(what a row shows of a point, what it is): its time, pc and values."""
    told, wanted = [int(row["time"]), row["pc"]], [point.number + 1, "%#x" % point.event.pc]
    for word in row["values"].split():
        name, value = word.split("=")
        memory = re.fullmatch(r"u(\d+)\((0x[0-9a-f]+)\)", name)
        known = point.trace.load(point.number, int(memory[2], 16), int(memory[1]) // 8) if memory else point.registers.get(name)
        told.append(word)
        wanted.append("%s=%s" % (name, "?" if known is None else "%#x" % known))
    return told, wanted


def find(trawl, directory, *words):
    result = quick.run([trawl, "find", "--index=x", "--format=csv", *words], cwd=directory)
    assert result.returncode == 0, "%s: %s" % (words, result.stderr.decode()[:300])
    return list(csv.DictReader(io.StringIO(result.stdout.decode())))


def build(trawl, place, trace, segment_events):
    (place / "t").write_text(trace.text)
    strings, symbols = b"\0", []
    for start, size in FUNCTIONS.items():
        symbols.append((len(strings), start, size))
        strings += b"f%x\0" % start
    (place / "e").write_bytes(small_elf.image(strings, symbols))
    built = quick.run([trawl, "index", "--index=x", "--image=e", "--segment-events=%d" % segment_events, "t"], cwd=place)
    assert built.returncode == 0, built.stderr


@pytest.mark.parametrize("seed", SEEDS)
def test_random(trawl, place, checker, seed):
    draw = random.Random(seed)
    trace = Trace(draw)
    build(trawl, place, trace, draw.choice([7, 64, 1000]))
    for _ in range(CONDITIONS):
        text, holds, is_own = condition(draw)
        for wants_all in (False, True):
            words = ["--image=e", "t", text] + (["--all"] if wants_all else [])
            wanted = wanted_points(trace, text, holds, is_own, wants_all)
            rows = find(trawl, place, *words)
            what = "points of random conditions" + (", all" if wants_all else "")
            rows.sort(key=lambda row: (int(row["event"]), row["lane"]))
            checker.expect(what, [(int(row["event"]), row["lane"]) for row in rows], [one[:2] for one in wanted], at=(seed, text))
            told, shown = zip(*(shown_of(row, point) for row, (*_, point) in zip(rows, wanted))) if rows else ((), ())
            checker.expect("what rows show", told, shown, at=(seed, text))
        begins = wanted_points(trace, text, holds, is_own, False)
        at = draw.randrange(len(trace.events))
        before, after = [one for one in begins if one[0] <= at], [one for one in begins if one[0] > at]
        for words, part in ((["--first"], begins[:1]), (["--last"], begins[-1:]),
                            (["--previous", "--at=event:%d" % at], before[-1:]), (["--next", "--at=event:%d" % at], after[:1])):  # fmt: skip
            rows = find(trawl, place, "--image=e", "t", text, *words)
            checker.expect("the %s point" % words[0][2:], [int(row["event"]) for row in rows], [one[0] for one in part], at=(seed, text))
            told, shown = zip(*(shown_of(row, point) for row, (*_, point) in zip(rows, part))) if rows else ((), ())
            checker.expect("what the row shows", told, shown, at=(seed, text))
        rows = find(trawl, place, "--image=e", "t", text, "--count")
        checker.expect("their number", [int(row["points"]) for row in rows], [len(begins)], at=(seed, text))
    assert not checker.failed


# Conditions that most blocks of writes rule out, over traces in which registers have many of them: what is left out must hold nothing.
RARE = [0, 77, 2**64 - 1]
EDGES = [0, 76, 77, 78, 999, 1000, 1025, 1050, 2**64 - 1]
MIRRORED = {"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def rare_part(draw):
    kind = draw.randrange(6)
    if kind == 0:
        return atom(draw)
    register, operator, edge = "x%d" % draw.randrange(4), draw.choice(list(MIRRORED)), draw.choice(EDGES)
    if draw.random() < 0.5:
        operator, edge = "==", draw.choice(RARE)
    compare = known(OPERATORS[operator])
    text = "%s %s %#x" % (register, operator, edge)
    if kind == 1:
        text = "%#x %s %s" % (edge, MIRRORED[operator], register)
    if kind == 2:
        text = "%s %s (%#x - 4)" % (register, operator, (edge + 4) % 2**64)
    return text, lambda p: compare(p.registers.get(register), edge), True


@pytest.mark.parametrize("seed", range(1, pick(7, 61)))
def test_leaps(trawl, place, checker, seed):
    draw = random.Random(seed)
    trace = Trace(draw, 9000, lambda: draw.choice(RARE) if draw.random() < 0.002 else 1000 + draw.randrange(50))
    build(trawl, place, trace, draw.choice([700, 3000, 131072]))
    for _ in range(CONDITIONS):
        parts = [rare_part(draw) for _ in range(draw.choice([1, 2, 2, 3]))]
        text, is_own = " && ".join(part[0] for part in parts), any(part[2] for part in parts)
        holds = lambda p: functools.reduce(both, (part[1](p) for part in parts))
        for wants_all in (False, True):
            wanted = wanted_points(trace, text, holds, is_own, wants_all)
            rows = find(trawl, place, "--image=e", "t", text, *["--all"] * wants_all)
            rows.sort(key=lambda row: (int(row["event"]), row["lane"]))
            found = [(int(row["event"]), row["lane"]) for row in rows]
            checker.expect("points behind leaps" + (", all" if wants_all else ""), found, [one[:2] for one in wanted], at=(seed, text))
            told, shown = zip(*(shown_of(row, point) for row, (*_, point) in zip(rows, wanted))) if rows else ((), ())
            checker.expect("what their rows show", told, shown, at=(seed, text))
    assert not checker.failed


# --- The corpus ----------------------------------------------------------------------------------

PROGRAMS = ["hash-a64.it", "hash-a64.es", "pointers-a32.es", "conditional-a32.it", "cut-t32.it", "fp-t32.es",
            "tailcall-a64.it", "exceptions-t32.it"]
INSTRUCTION = re.compile(rb"(?:^|\s)(?:IT|IS|ES)\s+(?:\(\d+\)\s+)?\(?([0-9a-fA-F]{8,16})\b")
REGISTER = re.compile(rb"(?:^|\s)R\s+([XrR])(\d+)(?:_\w+)?\s+([0-9a-fA-F]+)\s*$")


def text_states(data):
    """(line, pc, registers) after each instruction's lines, from the lines alone."""
    registers, states, start = {}, [], (1, None)  # before the first instruction
    for number, line in enumerate(data.split(b"\n"), 1):
        match = INSTRUCTION.search(line)
        if match:
            if start[1] or registers:
                states.append((*start, dict(registers)))
            start = number, int(match.group(1), 16)
        match = REGISTER.search(line)
        if match:
            registers[int(match.group(2))] = int(match.group(3), 16)
    return states + [(*start, dict(registers))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_corpus(trawl, place, checker, name):
    data = (ROOT / "corpus" / "traces" / (name + ".tarmac")).read_bytes()
    (place / "t").write_bytes(data)
    assert quick.run([trawl, "index", "--index=x", "t"], cwd=place).returncode == 0
    states = text_states(data)
    draw, letter = random.Random(name), "x" if "a64" in name else "r"
    lines, counted = [line for line, _, _ in states], 0
    for case in range(25):
        line, pc, registers = draw.choice(states[1:])
        number = draw.randrange(4)
        value = registers.get(number, 0)
        text, holds = draw.choice([
            ("%s%d == %#x" % (letter, number, value), lambda at, r: r.get(number) == value),
            ("%s%d > %#x" % (letter, number, value), lambda at, r: number in r and r[number] > value),
            ("pc == %#x && %s%d <= %#x" % (pc & ~1, letter, number, value),
             lambda at, r: at == pc and number in r and r[number] <= value),
        ])
        wanted, was = [], False
        for line, at, registers in states:
            now = holds(at, registers)
            if now and not was:
                wanted.append(line)
            was = now
        rows = find(trawl, place, "t", text)
        found = []  # of events without an instruction, the instruction before
        for row in rows:
            found.append(max([line for line in lines if line <= int(row["line"])], default=lines[0]))
        checker.expect("points of %s" % name, found, wanted, at=text)
        counted += len(wanted)
    checker.check("conditions that hold somewhere in %s" % name, counted > 25)
    assert not checker.failed


# --- What is typed -------------------------------------------------------------------------------

WRONG = {
    "x0 ==": "unexpected end of expression",
    "written(x0 + 1) && 1": "written() takes a register",
    "pc in nowhere": "unrecognized symbol name",
    "pc in 5": "expected a symbol after 'in'",
    "v0 == 1": "has more than 64 bits",
    "changed(x0": "expected closing ')'",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong(trawl, place, text):
    (place / "t").write_text("1 clk IT (1) 00008000 d503201f O EL1h : NOP\n1 clk R X0 0000000000000000\n"
                             "1 clk R V0 00000000000000000000000000000000\n")
    result = quick.run([trawl, "find", "--memory-index", "t", text], cwd=place)
    assert result.returncode in (1, 2) and WRONG[text] in result.stderr.decode(), result.stderr
