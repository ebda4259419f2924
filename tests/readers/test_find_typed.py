"""Expressions of C (`trawl find`, WHAT of `writes`), compared with a plain reading of the text and readelf.

    tests/run.py find_typed

Programs of the corpus with their types (corpus/typed: the same code as corpus/elf). Layouts of structures are those of the sources, addresses
are the symbol table's. A plain reader follows the accesses to memory and the registers in the lines of a trace; generated conditions over
variables are evaluated after each event. Where variables of functions are comes from readelf's location lists, run by a reader of 30 lines.
"""

import csv
import io
import pathlib
import random
import re
import shutil
import subprocess

import pytest
import quick
from extent import pick
from plain_memory import byte_after_each

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = pick(60, 400)
START = re.compile(r"clk (?:cpu\d+ )?(?:IT|IS) \(\d+\) ([0-9a-f]+)")
REGISTER = re.compile(r" R [XrR](\d+)(?:_\w+)? ([0-9a-fA-F]+)$")
ACCESS = re.compile(r" M([RW])(\d+)\w* ([0-9a-fA-F]+)(?::\w+)? ([0-9a-fA-F_]+)$")

needs_readelf = pytest.mark.skipif(not shutil.which("readelf"), reason="readelf is not installed")


class Event:
    def __init__(self, line, pc):
        self.line, self.pc, self.stored, self.loaded, self.registers, self.next_pc = line, pc, {}, {}, {}, None


def read_events(text):
    events, registers = [Event(1, None)], {}
    for number, line in enumerate(text.split("\n"), 1):
        match = START.search(line)
        if match:
            pc = int(match.group(1), 16) & ~1
            if number > 1 or events[0].pc is not None:
                events[-1].next_pc = pc
                events.append(Event(number, pc))
        match = REGISTER.search(line)
        if match:
            registers[int(match.group(1))] = int(match.group(2), 16)
        match = ACCESS.search(line)
        if match:
            size, address, digits = int(match.group(2)), int(match.group(3), 16), match.group(4).replace("_", "")
            value = int(digits, 16).to_bytes(size, "little")
            (events[-1].stored if match.group(1) == "W" else events[-1].loaded).update(
                {address + i: value[i] for i in range(size)})
        events[-1].registers = dict(registers)
    return events


class Memory:
    """A byte after each event: by the last access, or by the first load after it and before a store."""

    def __init__(self, events):
        self.events, self.bytes = events, {}

    def byte(self, address):
        if address not in self.bytes:
            self.bytes[address] = byte_after_each(self.events, address)
        return self.bytes[address]

    def load(self, number, address, size, is_signed=False):
        values = [self.byte(address + i)[number] for i in range(size)]
        return None if None in values else int.from_bytes(bytes(values), "little", signed=is_signed)


def symbols(image):
    result = subprocess.run(["readelf", "-sW", image], capture_output=True, text=True, check=True).stdout
    return {words[7]: int(words[1], 16) for words in map(str.split, result.split("\n")) if len(words) > 7 and words[0][:-1].isdigit()}


def open_trace(trawl, place, name, image):
    text = (ROOT / "corpus" / "traces" / (name + ".tarmac")).read_text()
    (place / "t").write_text(text)
    image = ROOT / "corpus" / "typed" / (image + ".elf")
    built = quick.run([trawl, "index", "--index=x", "--image=%s" % image, "t"], cwd=place)
    assert built.returncode == 0, built.stderr
    return read_events(text), image


def rows_of(trawl, place, command, image, *words):
    result = quick.run([trawl, command, "--index=x", "--format=csv", "--image=%s" % image, "t", *words], cwd=place)
    assert result.returncode == 0, "%s: %s" % (words, result.stderr.decode()[:300])
    return list(csv.DictReader(io.StringIO(result.stdout.decode())))


def begins(events, holds):
    """Lines of the events at which a condition of (event number) begins to hold."""
    found, was = [], False
    for number, event in enumerate(events):
        now = bool(holds(number))
        if now and not was:
            found.append(event.line)
        was = now
    return found


# --- Variables of all the program ----------------------------------------------------------------

JOBS, JOB = 6, 24  # corpus/programs/corrupt.c
MEMBERS = {"valid": (0, 4), "ticks": (4, 4), "next": (16, 8)}


def job_place(draw, memory, at):
    """A job: (text that ends before '.' or '->', operator, function from an event to an address)."""
    kind = draw.randrange(4)
    number = draw.randrange(JOBS)
    first = lambda n: memory.load(n, at["first"], 8)
    if kind == 0:
        return "jobs[%d]" % number, ".", lambda n: at["jobs"] + JOB * number
    if kind == 1:
        return draw.choice(["first", "corrupt.c::first", "(&*first)"]), "->", first
    if kind == 2:
        return "(jobs + %d)" % number, "->", lambda n: at["jobs"] + JOB * number
    hop = lambda n: None if first(n) is None else memory.load(n, first(n) + 16, 8)
    return "first->next", "->", hop


def typed_value(draw, memory, at):
    text, operator, place = job_place(draw, memory, at)
    if draw.random() < 0.3:
        index = draw.randrange(8)
        get = lambda n: None if place(n) is None else memory.load(n, place(n) + 8 + index, 1)
        return "%s%sname[%d]" % (text, operator, index), get, place, 8 + index, 1
    member = draw.choice(list(MEMBERS))
    offset, size = MEMBERS[member]
    get = lambda n: None if place(n) is None else memory.load(n, place(n) + offset, size)
    return "%s%s%s" % (text, operator, member), get, place, offset, size


def typed_condition(draw, events, memory, at):
    text, get, place, offset, size = typed_value(draw, memory, at)
    kind = draw.randrange(5)
    if kind == 0:  # at events, not from one on

        def changed(n):
            now, before = get(n), get(n - 1) if n else None
            return now is not None and before is not None and now != before

        return "changed(%s)" % text, changed, True
    if kind == 1:

        def written(n):
            return place(n) is not None and any(place(n) + offset + i in events[n].stored for i in range(size))

        return "written(%s)" % text, written, True
    seen = sorted({get(n) for n in range(0, len(events), 7)} - {None}) or [0]
    value = draw.choice(seen)
    sign, compare = draw.choice([("==", lambda a: a == value), ("!=", lambda a: a != value), (">", lambda a: a > value),
                                 ("<=", lambda a: a <= value)])
    if kind == 2:
        # A sum of numbers: with a pointer, it would be one of elements.
        other, get2 = typed_value(draw, memory, at)[:2]
        text, other = "(uint64_t)" + text, "(uint64_t)" + other
        both = lambda n: None if None in (get(n), get2(n)) else get(n) + 2 * get2(n)
        return ("%s + 2 * %s %s %d" % (text, other, sign, value),
                lambda n: both(n) is not None and compare(both(n)), False)
    return "%s %s %#x" % (text, sign, value), lambda n: get(n) is not None and compare(get(n)), False


@needs_readelf
def test_structures(trawl, place, checker):
    events, image = open_trace(trawl, place, "corrupt-a64.it", "corrupt-a64")
    memory, at, draw, counted = Memory(events), symbols(image), random.Random(45), 0
    for _ in range(CASES):
        text, holds, is_of_events = typed_condition(draw, events, memory, at)
        if is_of_events:
            wanted = [event.line for number, event in enumerate(events) if holds(number)]
        else:
            wanted = begins(events, holds)
        rows = rows_of(trawl, place, "find", image, text)
        checker.expect("points of conditions over structures", [int(row["line"]) for row in rows], wanted, at=text)
        counted += len(wanted)
    checker.check("conditions that hold somewhere", counted > CASES // 4)
    assert not checker.failed


@needs_readelf
def test_writes(trawl, place, checker):
    events, image = open_trace(trawl, place, "corrupt-a64.it", "corrupt-a64")
    at = symbols(image)
    for number in range(JOBS):
        for member, (offset, size) in {**MEMBERS, "name": (8, 8)}.items():
            first = at["jobs"] + JOB * number + offset
            wanted = [event.line for event in events if any(first + i in event.stored for i in range(size))]
            for text in ("jobs[%d].%s" % (number, member), "(&jobs[%d])->%s" % (number, member)):
                rows = rows_of(trawl, place, "writes", image, text, "--all")
                checker.expect("writes of a member", [int(row["line"]) for row in rows], wanted, at=text)
        wanted = [event.line for event in events
                  if any(at["jobs"] + JOB * number + i in event.stored for i in range(JOB))]
        rows = rows_of(trawl, place, "find", image, "written(jobs[%d])" % number)
        checker.expect("writes of an object", [int(row["line"]) for row in rows], wanted, at=number)
    assert not checker.failed


# --- Variables of functions ----------------------------------------------------------------------

LIST_ROW = re.compile(r"^\s+[0-9a-f]{8} (?:v[0-9a-f]+ v[0-9a-f]+ views.*|([0-9a-f]{8,16}) ([0-9a-f]{8,16}) \((.*)\))$")


def location_lists(image):
    """{(function, variable): [(low, high, operations)]} of variables with one location list, from readelf."""
    info = subprocess.run(["readelf", "--debug-dump=info", image], capture_output=True, text=True).stdout
    lists, current = {}, None
    for line in subprocess.run(["readelf", "--debug-dump=loc", image], capture_output=True, text=True).stdout.split("\n"):
        start = re.match(r"^\s+([0-9a-f]{8}) ", line)
        match = LIST_ROW.match(line)
        if start and match and match.group(1):
            current = current if current is not None else int(start.group(1), 16)
            lists.setdefault(current, []).append((int(match.group(1), 16), int(match.group(2), 16), match.group(3)))
        elif "End of list" in line:
            current = None
    found, function, tag, wanted, seen = {}, None, "", None, {}
    for line in info.split("\n"):
        match = re.match(r"^ <(\d+)><[0-9a-f]+>: Abbrev Number: \d+ \((DW_TAG_\w+)\)", line)
        if match:
            tag, wanted = match.group(2), None
            if match.group(1) == "1":
                function = None
        name = re.search(r"DW_AT_name\s+: (?:\(.*\): )?(\S+)", line)
        if name and tag == "DW_TAG_subprogram":
            function = name.group(1)
        place = re.search(r"DW_AT_location\s+: 0x([0-9a-f]+) \(location list\)", line)
        if place:
            wanted = int(place.group(1), 16)
        if name and tag in ("DW_TAG_variable", "DW_TAG_formal_parameter") and function:
            seen[function, name.group(1)] = seen.get((function, name.group(1)), 0) + 1
            if wanted in lists:
                found[function, name.group(1)] = lists[wanted]
    return {key: rows for key, rows in found.items() if seen[key] == 1}


def run_location(operations, registers, mask, load):
    """The value that a location description computes, or that is where it says; None: unknown."""
    stack = []
    for operation in operations.split("; "):
        word, _, rest = operation.partition(" ")
        match = re.match(r"DW_OP_(reg|breg|lit)(\d+)", word)
        if match and match.group(1) == "reg":
            return registers.get(int(match.group(2)))
        if match and match.group(1) == "lit":
            stack.append(int(match.group(2)))
        elif match:
            if int(match.group(2)) not in registers:
                return None
            stack.append(registers[int(match.group(2))] + int(rest.split(":")[1]))
        elif word in ("DW_OP_or", "DW_OP_and", "DW_OP_plus", "DW_OP_minus", "DW_OP_mul"):
            right, left = stack.pop(), stack.pop()
            stack.append({"or": left | right, "and": left & right, "plus": left + right, "minus": left - right,
                          "mul": left * right}[word[6:]] & mask)
        elif word in ("DW_OP_consts:", "DW_OP_constu:", "DW_OP_plus_uconst:"):
            value = int(rest)
            stack.append(((stack.pop() + value) if "plus" in word else value) & mask)
        elif word == "DW_OP_stack_value":
            return stack[-1]
        else:
            return None
    return load(stack[-1] & mask)  # an address


LOCALS = [
    ("corrupt-a64.it", "corrupt-a64", 64, {("work", "i"): (4, False), ("work", "sum"): (4, False), ("run_jobs", "job"): (8, False),
                                            ("run_jobs", "sum"): (4, False), ("name_job", "to"): (8, False)}),
    ("sort-t32.it", "sort-t32", 32, {("quick_sort", "i"): (4, True), ("quick_sort", "j"): (4, True), ("quick_sort", "pivot"): (4, True),
                                      ("sift_down", "root"): (4, True), ("ascending", "a"): (4, True)}),
]


@needs_readelf
@pytest.mark.parametrize("name, program, bits, variables", LOCALS, ids=[case[0] for case in LOCALS])
def test_locals(trawl, place, checker, name, program, bits, variables):
    events, image = open_trace(trawl, place, name, program)
    lists, memory, counted, mask = location_lists(image), Memory(events), 0, (1 << bits) - 1
    for (function, variable), (size, is_signed) in variables.items():
        rows = lists.get((function, variable))
        assert rows, (function, variable)

        def value(number):
            event = events[number]
            for low, high, operations in rows:
                if event.next_pc is not None and low <= event.next_pc < high:
                    result = run_location(operations, event.registers, mask, lambda at: memory.load(number, at, size))
                    return None if result is None else int.from_bytes(
                        (result & ((1 << 8 * size) - 1)).to_bytes(size, "little"), "little", signed=is_signed)
            return None

        values = [value(number) for number in range(len(events))]
        seen = sorted(set(values) - {None})
        draw = random.Random(variable)
        for chosen in [draw.choice(seen) for _ in range(4)]:
            sign, compare = draw.choice([("==", lambda a: a == chosen), (">=", lambda a: a >= chosen), ("<", lambda a: a < chosen)])
            wanted = begins(events, lambda n: values[n] is not None and compare(values[n]))
            text = "%s::%s %s %d" % (function, variable, sign, chosen)
            found = [int(row["line"]) for row in rows_of(trawl, place, "find", image, text)]
            checker.expect("points of variables of functions", found, wanted, at=(name, text))
            counted += len(wanted)
            text = "pc in %s && %s %s %d" % (function, variable, sign, chosen)
            found = [int(row["line"]) for row in rows_of(trawl, place, "find", image, text, "--all")]
            functions = symbols(image)
            ends = sorted(at & ~1 for at in functions.values())
            low = functions[function] & ~1
            high = next(at for at in ends if at > low)
            wanted = [event.line for n, event in enumerate(events)
                      if event.pc is not None and low <= event.pc < high and values[n] is not None and compare(values[n])]
            checker.expect("the same with pc in FUNCTION", found, wanted, at=(name, text))
    checker.check("conditions on variables of %s that hold somewhere" % name, counted > 10)
    assert not checker.failed


# --- What is typed -------------------------------------------------------------------------------

WRONG = {
    "jobs[6].ticks > 1": ("the array has only 6 elements", 6),
    "jobs[2].nam > 1": ("there is no member named 'nam'", 9),
    "jobs[2] > 1": ("an object of 24 bytes is no number", 1),
    "*x0 > 1": ("not a pointer", 2),
    "first.ticks == 1": ("a pointer has no members: expected '->ticks'", 1),
    "first->": ("expected the name of a member", 8),
    "jobs[1": ("expected closing ']'", 7),
    "jobs[1)": ("expected closing ']'", 7),
    "(jobs[1)]": ("expected closing ']'", 8),
    "&first->ticks[0]": ("neither an array nor a pointer", 2),
    "lib.c::first == 0": ("has a variable 'first' in the file 'lib.c'", 8),
    "work::first == 0": ("has a variable 'first' in the function 'work'", 7),
    "(struct job)x0 == 0": ("expected a cast to an integer or a pointer", 1),
    "sizeof(nothing)": ("unrecognized identifier name 'nothing'", 8),
    "&7": ("it has no address", 2),
    "changed(jobs[1]": ("expected closing ')'", 16),
    "*" * 100 + "first": ("nested more than", 65),
    "first" + "->next" * 100 + " == 0": ("operands and operators", None),
}


@needs_readelf
def test_wrong(trawl, place, checker):
    _, image = open_trace(trawl, place, "corrupt-a64.it", "corrupt-a64")
    for text, (message, column) in WRONG.items():
        result = quick.run([trawl, "find", "--index=x", "--image=%s" % image, "t", text], cwd=place)
        error = result.stderr.decode()
        is_there = message in error and (column is None or "(character %d)" % column in error)
        checker.check("faults with their places", result.returncode in (1, 2) and is_there and error.count("\n") == 1,
                      (text, error[:300]))
    for text in ("first / 0 == 1", "first % (jobs[0].ticks - 20) == 0", "jobs[first->ticks << 60].ticks == 0"):
        result = quick.run([trawl, "find", "--index=x", "--image=%s" % image, "t", text], cwd=place)
        checker.check("what is unknown is said", b"it is unknown in" in result.stderr or result.stdout.count(b"\n") > 1,
                      (text, result.stderr))
    long = "1 + " * 300000 + "1"
    result = quick.run([trawl, "find", "--index=x", "t", long[:100000]], cwd=place)
    checker.check("long text", result.returncode in (1, 2) and b"longer than" in result.stderr, result.stderr[:200])
    assert not checker.failed


@needs_readelf
def test_spoiled(trawl, place, checker):
    """Damaged DWARF: an answer or one clear line, never more."""
    _, image = open_trace(trawl, place, "corrupt-a64.it", "corrupt-a64")
    data, draw = image.read_bytes(), random.Random(7)
    result = subprocess.run(["readelf", "-SW", image], capture_output=True, text=True, check=True).stdout
    places = [(int(words[3], 16), int(words[4], 16)) for words in
              (re.sub(r"^\s*\[\s*\d+\]", "", line).split() for line in result.split("\n")) if len(words) > 5 and words[0].startswith(".debug")]
    for turn in range(pick(40, 400)):
        spoiled = bytearray(data)
        for _ in range(draw.choice([1, 5, 40])):
            start, length = draw.choice(places)
            spoiled[start + draw.randrange(length)] = draw.randrange(256)
        (place / "spoiled.elf").write_bytes(spoiled)
        text = draw.choice(["first->next->ticks == 3", "work::i > 2", "changed(jobs[1])", "pc in work && sum > 3", "(struct job *)x0 == first",
                            "written(jobs)", "sizeof(struct job) == 24"])
        result = quick.run([trawl, "find", "--index=x", "--image=spoiled.elf", "t", text, "--count"], cwd=place)
        checker.check("damaged types", result.returncode in (0, 1, 2, 3), (turn, text, result.returncode, result.stderr[:200]))
    assert not checker.failed
