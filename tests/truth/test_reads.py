"""Reads of memory: `trawl reads`, and the loads in an index.

A second reader takes all loads from the text of traces of the corpus, in both dialects: byte by byte, with the line and the value. The index
must have the same, each at the event of its line; `reads` must find the last, the next and all of them at any point, with the value that
the line shows. The rows of `export --table memory`, which are read from the text, are those of the index.

    tests/run.py reads
"""

import bisect
import csv
import io
import json
import lzma
import random
import re

import index_reader
import libtrawl
import pytest
import quick
from index_draft import Draft, decode, encode
from test_tables import TRACES

STACKS = TRACES.parent / "stacks"
TIMEOUT_S = 120
NAMES = ["neon-a64.it", "neon-a64.es", "conditional-a32.it", "conditional-t32.es", "exceptions-a64.it", "fp-a32.es", "pointers-a64.it", "cut-a64.it",
         "sort-t32.it", "semihosting-a64.es", "recursion-a64.es", "twocores-a64.it", "longjmp-a32.es"]  # fmt: skip
PACKED = ["rtos-a64.it", "rtos-a32.es", "modified-a64.it", "rtos-m.it"]
POINTS = 12
IT = re.compile(r"^\d+ \w+ (?:\w+ )?M([RW])(\d+)X? ([0-9a-f]+)(?::\w+)? ([0-9a-fA-F_]+)$")
ES = re.compile(r"^ +(LD|ST|) +([0-9a-f]{8,16}) ((?:[0-9a-f.#]{8} ){3}[0-9a-f.#]{8})")


def loads_of(text):
    """{line: {address of a byte: its value}}"""
    found, kind = {}, ""
    for number, line in enumerate(text.splitlines(), 1):
        if (access := IT.match(line)) and access[1] == "R":
            data, start = bytes.fromhex(access[4].replace("_", "")), int(access[3], 16)
            assert len(data) == int(access[2])
            found[number] = {start + len(data) - 1 - i: byte for i, byte in enumerate(data)}
        elif access := ES.match(line):
            kind = access[1] or kind  # a line without one continues the access before
            if kind != "LD":
                continue
            digits, start = access[3].replace(" ", ""), int(access[2], 16)
            pairs = [digits[i : i + 2] for i in range(0, 32, 2)]
            found[number] = {start + 15 - i: int(pair, 16) for i, pair in enumerate(pairs) if "." not in pair and "#" not in pair}
    return found


def text_of(name):
    if name in PACKED:
        return lzma.open(STACKS / (name + ".tarmac.xz")).read().decode()
    return (TRACES / (name + ".tarmac")).read_text()


class Reads:
    """A trace in both readers."""

    def __init__(self, trawl, library, place, name, *words):
        self.trawl, self.place = trawl, place
        self.loads = loads_of(text_of(name))
        (place / "t").write_text(text_of(name))
        self.run("index", "--only-index", "--index=x", *words, "t")
        with library.open(place / "x") as opened:
            events = opened.events(0, 10**7)
            self.rows = opened.loads(0, 2**64 - 1, 10**6)
        self.starts = [event[3] for event in events]
        self.by_event = {}  # {event: {address: value}}; the last load of a byte counts
        for line, found in self.loads.items():
            self.by_event.setdefault(self.event_of(line), {}).update(found)

    def run(self, *words):
        done = quick.run([self.trawl, *map(str, words)], cwd=self.place, timeout=TIMEOUT_S)
        assert done.returncode in (0, 3), (words, done.stderr[-300:])
        return done.stdout.decode()

    def event_of(self, line):
        return max(bisect.bisect_right(self.starts, line) - 1, 0)

    def reads(self, address, size):
        """[(event, first byte, bytes, value)] of all events that read any of the bytes."""
        found = []
        for event, values in sorted(self.by_event.items()):
            read = [at for at in range(address, address + size) if at in values]
            if read:
                span = range(read[0], read[-1] + 1)
                found.append((event, read[0], len(span), [values.get(at) for at in span]))
        return found

    def listed(self, address, size, *words):
        out = self.run("reads", "--index=x", "--format=csv", "t", "%#x:%d" % (address, size), *words)
        return list(csv.DictReader(io.StringIO(out)))


def shown(values):
    """A value as `reads` formats it."""
    if len(values) in (1, 2, 4, 8):
        values = values[::-1]
    return "".join("%02x" % value for value in values)


def same(rows, wanted):
    return [(int(row["event"]), int(row["address"], 16), int(row["size"]), row["value"].removeprefix("0x")) for row in rows] == [
        (event, first, size, shown(values)) for event, first, size, values in wanted if None not in values]


@pytest.mark.parametrize("name", NAMES + PACKED)
def test_reads(trawl, library, checker, quick_place, name):
    trace = Reads(trawl, library, quick_place, name, "--segment-events=700")
    wanted = sorted((trace.event_of(line), address) for line, found in trace.loads.items() for address in found)
    found = sorted((event, address + i) for event, address, size in trace.rows for i in range(size))
    checker.check("loads", wanted == found, (len(wanted), len(found)))
    checker.check("loads: some", len(wanted) > 20)
    checker.check("a table", rows_of_table(trace) == trace.rows, name)
    draw, everywhere = random.Random(name), sorted({address for _, address in wanted})
    for _ in range(POINTS):
        address, size, point = draw.choice(everywhere) - draw.choice([0, 0, 3]), draw.choice([1, 4, 8, 16]), draw.randrange(len(trace.starts))
        reads = trace.reads(address, size)
        if any(None in values for *_, values in reads):
            continue  # not all bytes from the first to the last were read
        before = [read for read in reads if read[0] <= point][::-1]
        after = [read for read in reads if read[0] > point]
        about = "%#x:%d at event %d" % (address, size, point)
        at = "--at=line:%d" % trace.starts[point]
        checker.check("the last read", same(trace.listed(address, size, at), before[:1]), about)
        checker.check("the next read", same(trace.listed(address, size, at, "--next"), after[:1]), about)
        checker.check("the last reads", same(trace.listed(address, size, at, "--last=5"), before[:5]), about)
        checker.check("all reads", same(trace.listed(address, size, "--all"), reads), about)


def rows_of_table(trace):
    """The loads of `export --table memory`, which reads the text."""
    out = trace.run("export", "--table", "memory", "--format", "jsonl", "t")
    rows = [json.loads(line) for line in out.splitlines()]
    return [(row["event"], int(row["address"], 16), row["size"]) for row in rows if row["kind"] == "load"]


def test_earlier_index(trawl, library, checker, quick_place):
    """An index of an earlier version, without reads, serves other questions, and is built anew when reads are asked for."""
    trace = Reads(trawl, library, quick_place, "pointers-a64.it")
    draft = Draft((quick_place / "x").read_bytes())
    for parts in draft.segments:
        for number in range(index_reader.Segment.LOAD_EVENTS, index_reader.Segment.LOAD_STRANGE + 1):
            parts.pop(number, None)
    for number in range(6, 11):
        draft.sections[index_reader.MEMORY].pop(number, None)
    (identity,) = decode(draft.sections[index_reader.IDENTITY][1])
    identity[4] &= ~(1 << 9)
    draft.sections[index_reader.IDENTITY][1] = encode(identity)
    (quick_place / "x").write_bytes(earlier := draft.build())
    address = trace.rows[-1][1]
    with library.open(quick_place / "x") as opened:
        checker.expect("no reads are known", opened.memory_reads(0, libtrawl.FORWARD, address, 8, 1), [])
    trace.run("writes", "--index=x", "t", "%#x:8" % address)
    checker.check("writes use it", (quick_place / "x").read_bytes() == earlier)
    wanted = trace.reads(address, 8)[-1:]
    checker.check("reads build another", same(trace.listed(address, 8, "--at=end"), wanted), wanted)
    checker.check("with reads", index_reader.Index((quick_place / "x").read_bytes()).options >> 9 & 1)
