"""The true stacks of corpus/stacks, as the tracer wrote them (corpus/README.md), and those that trawl finds."""

import collections
import csv
import io
import re
import struct

import quick

TIMEOUT_S = 60
INSTRUCTION = re.compile(rb"^[ \d]*(?:clk|tic|ps) +(?:I[TS] \(|ES +\([0-9a-f]+:)")
PLACE = re.compile(rb"^[ \d]*(?:clk|tic|ps) +(?:I[TS] \(\d+\) |ES +\()([0-9a-f]+)[: ]")


class Truth:
    """The stack of the running task from each line on, up to `last_line`: the effect of the last instruction is visible only if the
    trace continues after it."""

    def __init__(self, path, last_line=None):
        self.changes = []  # (line, entries from the root up, task)
        self.handlers = []  # for each change, which entries interrupted the code around them
        self.unwindable = []  # for each change, the entries whose frames can be unwound
        self.calls = collections.Counter()  # the number of frames that began at each entry
        self.tasks = set()
        tasks, current = {"0": []}, "0"
        lines = path.read_text().splitlines()
        assert lines[0] == "stacks 1", path
        for text in lines[1:]:
            line, what, value, *rest = text.split()
            if last_line and int(line) > last_line:
                break
            stack = tasks[current]
            if what in "ctes":
                # A handler to which a vector branched is called from it; any other replaces its caller.
                if what == "t":
                    what = "T" if stack[-1][1] in "eT" else what
                    if stack[-1][1] != "e":
                        stack.pop()
                stack.append((int(value, 16), what))
                self.calls[int(value, 16)] += 1
            elif what == "w":
                current = value
                if rest[0] == "n":
                    tasks[current] = []
                self.tasks.add(current)
            else:
                del stack[len(stack) - int(value) :]
            entries = [entry for entry, _ in tasks[current]]
            if self.changes and self.changes[-1][0] == int(line):
                self.changes.pop()
                self.handlers.pop()
                self.unwindable.pop()
            self.changes.append((int(line), entries, current))
            self.handlers.append([what == "e" for _, what in tasks[current]])
            # A handler replaces the vector of an exception if that branched to it.
            after = [what for _, what in tasks[current]][1:] + [""]
            self.unwindable.append([entry for entry, what in zip(entries, after) if what != "T"])

    def numbers_at_lines(self, lines):
        """The index of the change that is valid at each of the sorted lines."""
        changes, at = self.changes, 0
        for line in lines:
            while at + 1 < len(changes) and changes[at + 1][0] <= line:
                at += 1
            yield at

    def at_lines(self, lines):
        """(line, entries, task) of each of the sorted lines."""
        for line, at in zip(lines, self.numbers_at_lines(lines)):
            yield line, *self.changes[at][1:]


def instructions(trace):
    """(line, time) of each instruction."""
    with open(trace, "rb") as file:
        return [(number, int(line.split()[0])) for number, line in enumerate(file, 1) if INSTRUCTION.match(line)]


def places(trace):
    """(line, PC) of each instruction."""
    with open(trace, "rb") as file:
        found = ((number, PLACE.match(line)) for number, line in enumerate(file, 1))
        return [(number, int(match[1], 16)) for number, match in found if match]


def last_time(trace):
    """The time of the last line, even if it is not an instruction."""
    with open(trace, "rb") as file:
        return max(int(line.split()[0]) for line in file if re.match(rb"^ *\d+ ", line))


def functions(image):
    """(address, name) of an ELF image's functions, sorted."""
    data = image.read_bytes()
    is_64, order = data[4] == 2, "<>"[data[5] - 1]
    header = struct.unpack_from(order + "IQ"[is_64], data, 40 if is_64 else 32)[0]
    size, count = struct.unpack_from(order + "HH", data, 58 if is_64 else 46)
    form = order + ("IIQQQQIIQQ" if is_64 else "10I")
    sections = [struct.unpack_from(form, data, header + number * size) for number in range(count)]
    table = next(section for section in sections if section[1] == 2)
    names = sections[table[6]][4]
    found = []
    for at in range(table[4], table[4] + table[5], table[9]):
        if is_64:
            name, info, _, _, value, _ = struct.unpack_from(order + "IBBHQQ", data, at)
        else:
            name, value, _, info, _, _ = struct.unpack_from(order + "IIIBBH", data, at)
        if info & 15 == 2:
            found.append((value & ~1, data[names + name : data.index(b"\0", names + name)].decode()))
    return sorted(found)


def run(*words):
    done = quick.run([str(word) for word in words], text=True, timeout=TIMEOUT_S)
    assert done.returncode in (0, 3), f"{words}: status {done.returncode}: {done.stderr[:300]}"
    return done.stdout


def rows(*words):
    return list(csv.DictReader(io.StringIO(run(*words))))


class Calls:
    """The call tree of a trace of one core."""

    def __init__(self, trawl, trace, *options):
        self.rows = [
            (int(row["depth"]), int(row["entry_line"]), int(row["exit_line"]), int(row["entry_pc"], 16) & ~1,
             row.get("kind", ""))
            for row in rows(trawl, "calltree", "--format", "csv", *options, trace)
        ]  # fmt: skip

    def at_lines(self, lines):
        """(line, entries from the root up) of each of the sorted lines. Rows are in preorder."""
        stack, at = [], 0
        for line in lines:
            while stack and stack[-1][2] < line:
                stack.pop()
            while at < len(self.rows) and self.rows[at][1] <= line:
                row = self.rows[at]
                at += 1
                if row[2] >= line and row[0] == len(stack):
                    stack.append(row)
            entries = [row[3] for row in stack]
            begins_task = len(stack) > 1 and stack[1][4].startswith("task")
            yield line, entries[begins_task:]
