"""Compares a reader that was written from idx/FORMAT.md with libtrawl, and the example in that document
with the output of trawl.

    tests/run.py format
"""

import collections
import lzma
import pathlib
import random
import re

import extent
import format_traces
import index_draft
import index_reader
import libtrawl
import pytest
import quick
import xxh3
from index_reader import EXCEPTION, EXCEPTIONS, HAS_INSTRUCTION, LOAD, START, Segment

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "corpus" / "traces"
STACKS = ROOT / "corpus" / "stacks"
DOCUMENT = ROOT / "idx" / "FORMAT.md"
TIMEOUT_S = 120
SEED = 1

# Traces, options of make-index, events per segment.
INDEXED = [
    ("recursion-a64.gem5", [], 1),
    ("twocores-a64.it", [], 100),
    ("twocores-a64.gem5", ["--ttu"], 131072),
    ("semihosting-a32be.it", ["--bi"], 70),
    ("semihosting-a64.es", [], 131072),
    ("exceptions-a32.es", [], 300),
    ("neon-a64.es", [], 131072),
    ("fp-a32.it", [], 500),
    ("sort-t32.es", ["--implicit-thumb"], 50),
    ("coding", [], 131072),
    ("late", [], 3),
    ("memory", [], 40),
    ("registers", [], 13),
    ("coroutines-a64.it", [], 700),
]
# The number of questions of each kind for each index, and the number of bits that are damaged in an index.
SAMPLES = extent.pick(40, 100)
FLIPS = extent.pick(120, 1000)


def equal(what, ours, theirs):
    assert ours == theirs, "%s: the reader of the document says %s, libtrawl %s" % (what, ours, theirs)


def start_as_none(event):
    return libtrawl.START if event == START else event


# --- Against libtrawl ----------------------------------------------------------------------------


class Comparison:
    """One index in both readers."""

    def __init__(self, ours, theirs, draw):
        self.ours, self.theirs, self.draw = ours, theirs, draw
        self.events = [ours.event(event) for event in range(ours.event_count)]
        self.theirs.see_memory(is_physical=True)  # compares places; test_spaces looks addresses up
        self.words = sorted({word for segment in ours.segments for word in segment.words})

    def sample(self, values):
        values = list(values)
        return values if len(values) <= SAMPLES else self.draw.sample(values, SAMPLES)

    def points(self):
        """Some events, including those around the ends of segments."""
        ends = [START, 0, self.ours.event_count - 1]
        for segment in self.sample(self.ours.segments)[:10]:
            ends += [segment.first, segment.first + segment.count - 1]
        return ends + self.sample(range(self.ours.event_count))

    def about(self):
        info = self.theirs.info
        fields = "trace_bytes trace_mtime_ns fingerprint_low fingerprint_high options segment_events events lines "
        fields += "header_lines damaged_lines damaged_bytes refused_lane_lines ticks_per_second"
        equal("identity", self.ours.identity[:13], [getattr(info, field) for field in fields.split()])
        equal("kind", self.ours.kind, info.kind.decode())
        equal("functions of images", self.ours.images_functions, info.functions)
        equal("machine", (self.ours.address_bytes, self.ours.elf_machine), (info.address_bytes, info.machine))
        version, has_log = (self.ours.log_version, True) if self.ours.buffers is not None else (0, False)
        equal("version of the kind", (version, has_log), (info.kind_version, info.is_by_lanes))
        equal("segments and lanes", (self.ours.segment_count, len(self.ours.lanes)), (info.segments, info.lanes))
        for number, figures in enumerate(self.ours.lanes):
            lane = self.theirs.lane(number)
            fields = "line_events events instructions root transfers calls_returned calls_dropped calls_unreturned"
            figures = [libtrawl.NONE if i == 3 and figure == 2**64 - 1 else figure for i, figure in enumerate(figures)]
            thread = tuple(self.ours.log_lanes[number][:2]) if has_log else (libtrawl.NONE,) * 2
            equal("thread of a lane", thread, (lane.process_id, lane.thread_id))
            equal("lane", figures[:8], [getattr(lane, field) for field in fields.split()])
            equal("name of a lane", self.ours.lane_names[number], lane.name)
            equal("calls of a lane", figures[9], lane.calls)

    def all_events(self):
        for event in self.events:
            theirs = self.theirs.event(event.event)
            equal("event", event, index_reader.Event(*(getattr(theirs, field) for field in event._fields)))
        for event in self.sample(self.events):
            equal("event of a lane", event.event, self.theirs.event_of_lane(event.lane, event.in_lane))
            if self.ours.has_lines:
                theirs = self.theirs.instruction_of(event.event)
                equal("instruction of an event", self.ours.instruction_of(event.event), theirs)

    def places(self):
        last = max(self.events, key=lambda event: event.position)
        for line in self.sample(range(last.line + 3)) if self.ours.has_lines else ():
            equal("line", start_as_none(self.ours.event_at_line(line)), self.theirs.event_at_line(line))
        for position in self.sample(range(last.position + 3)):
            ours, theirs = self.ours.event_at_position(position), self.theirs.event_at_position(position)
            equal("position", start_as_none(ours), theirs)
        for event in self.sample(self.events):
            for lane in (None, event.lane):
                time = event.time + self.draw.randrange(-1, 2) & 2**64 - 1
                theirs = self.theirs.event_at_time(libtrawl.ANY_LANE if lane is None else lane, time)
                equal("time", start_as_none(self.ours.event_at_time(lane, time)), theirs)

    def visits(self):
        pcs = {event.pc & ~1 for event in self.events}
        for pc in [EXCEPTIONS, 0x1234, *self.sample(sorted(pcs))[:20]]:
            lane = self.draw.choice([None, self.events[-1].lane])
            of = libtrawl.ANY_LANE if lane is None else lane
            ours = self.ours.visits(lane, pc)
            found, at = [], self.theirs.visit(of, pc, libtrawl.START, libtrawl.FORWARD)
            while at is not None:
                found.append(at)
                at = self.theirs.visit(of, pc, at, libtrawl.FORWARD)
            equal("visits", ours, found)
            found, at = [], self.ours.event_count - 1
            while (at := self.theirs.visit(of, pc, at & libtrawl.START, libtrawl.BACKWARD)) is not None:
                found.append(at)
                at -= 1
            equal("visits backwards", ours, found[::-1])

    def registers(self):
        for event in self.points():
            for lane in range(len(self.ours.lanes)):
                theirs = self.theirs.registers(lane, start_as_none(event), 0, self.ours.register_bytes)
                equal("registers", self.ours.registers(lane, event), theirs)

    def nearest(self, what, writes, before, after):
        """Compare the writes before and after some points."""
        for event in self.sample(self.points())[:10]:
            at = start_as_none(event)
            equal("last " + what, max((w for w in writes if w <= event), default=None), before(at))
            equal("next " + what, min((w for w in writes if w > event), default=None), after(at))

    def register_writes(self):
        for key in self.sample(sorted(self.ours.written))[:15]:
            lane, offset = key >> 24, 8 * (key >> 8 & 0xFFFF) + self.draw.randrange(8)
            size = min(self.draw.choice([1, 4, 8, 16]), self.ours.register_bytes - offset)
            self.nearest(
                "write to a register",
                self.ours.register_writes(lane, offset, size),
                lambda at, w=(offset, size), l=lane: self.theirs.register_written(l, at, libtrawl.BACKWARD, *w),
                lambda at, w=(offset, size), l=lane: self.theirs.register_written(l, at, libtrawl.FORWARD, *w),
            )

    def memory(self):
        for event in self.sample(self.points()):
            word = self.draw.choice(self.words or [0])
            values, known = self.theirs.memory(start_as_none(event), 8 * word, 8)
            ours = [self.ours.memory_byte(8 * word + i, event) for i in range(8)]
            equal("memory", ours, [value if is_known else None for value, is_known in zip(values, known)])

    def memory_writes(self):
        for word in self.sample(self.words)[:15]:
            address, size = 8 * word + self.draw.randrange(8), self.draw.choice([1, 4, 8, 13])
            self.nearest(
                "write to memory",
                self.ours.memory_writes(address, size),
                lambda at, w=(address, size): self.event_of(self.theirs.memory_written(at, libtrawl.BACKWARD, *w)),
                lambda at, w=(address, size): self.event_of(self.theirs.memory_written(at, libtrawl.FORWARD, *w)),
            )

    def all_memory_writes(self):
        for word in self.sample(self.words)[:8]:
            address, size = 8 * word + self.draw.randrange(8), self.draw.choice([1, 8])
            writes = self.ours.memory_writes(address, size)
            for event in [START, self.ours.event_count - 1, *self.sample(range(self.ours.event_count))[:3]]:
                at, capacity = start_as_none(event), self.draw.choice([1, 4, 10000])
                wanted = [[w for w in writes if w > event][:capacity], [w for w in reversed(writes) if w <= event][:capacity]]
                found = [self.theirs.memory_writes(at, way, address, size, capacity) for way in (0, 1)]
                equal("writes to memory", wanted, found)

    def stored_words(self):
        stores = [
            (record.event, 8 * word)
            for segment in self.ours.segments
            for word, records in segment.words.items()
            for record in records
            if record.kind != index_reader.LOAD
        ]
        for _ in range(6):
            after, until = sorted(self.draw.choice([START, *range(self.ours.event_count)]) for _ in range(2))
            least, capacity = self.draw.choice([0, *(8 * word for word in self.words)]), self.draw.choice([1, 7, 10000])
            wanted = sorted({address for event, address in stores if after < event <= until and address >= least})
            found = self.theirs.stored_words(start_as_none(after), start_as_none(until), least, capacity)
            equal("stored words", wanted[:capacity], found)

    def sizes(self):
        sizes = self.theirs.sizes()
        equal("bytes that are told of", self.theirs.info.index_bytes, sum(sizes.values()))
        equal("bytes of source lines", len(self.ours.sections.get(index_reader.SOURCE_LINES, b"")), sizes.get(b"source lines", 0))

    def calls(self):
        for lane, figures in enumerate(self.ours.lanes):
            for number in range(figures[9]):
                equal("call", self.ours.call(lane, number), self.call(self.theirs.call(lane, number)))
            for in_lane in self.sample(range(figures[1])):
                equal("stack", self.ours.call_at(lane, in_lane), self.call(self.theirs.call_at(lane, in_lane)))
                entered = sum(self.ours.call(lane, number).entry <= in_lane for number in range(figures[9]))
                equal("calls entered", entered, self.theirs.calls_entered(lane, in_lane))

    def blocks(self):
        """Blocks contain the answers to single questions, wherever they begin."""
        size, count = self.draw.choice([1, 7, 1000]), self.ours.event_count
        wanted = [(e.lane, e.in_lane, e.time, e.line, e.position, e.pc, e.flags) for e in self.events]
        for first in self.sample(range(count))[:10] + [count - 1, count, libtrawl.START]:
            equal("block of events", wanted[first : first + size], self.theirs.events(first, size))
        equal("all events", wanted, self.theirs.events(0, count + 5))

    def accesses(self):
        for segment in self.sample(self.ours.segments)[:10]:
            wanted, size = self.ours.accesses(segment), self.draw.choice([1, 3, 100, 5000])
            end = segment.first + segment.count
            equal("accesses of a segment", wanted, self.theirs.accesses(segment.first, end, size))
            event = segment.first + self.draw.randrange(segment.count)
            of_event = [row for row in wanted if row[0] == event]
            equal("accesses of an event", of_event, self.theirs.accesses(event, event + 1, size))
        if self.ours.event_count < 5000:
            wanted = [row for segment in self.ours.segments for row in self.ours.accesses(segment)]
            equal("all accesses", wanted, self.theirs.accesses(0, 2**64 - 1, 1000))

    def loads(self):
        wanted, size = [row for segment in self.ours.segments for row in segment.loads], self.draw.choice([1, 3, 100, 5000])
        if not self.ours.options >> 9 & 1:
            return equal("reads of an index that lists none", [], wanted)
        equal("reads", wanted, self.theirs.loads(0, 2**64 - 1, max(size, len(wanted) // 50 + 1)))
        for event in self.sample(self.points()):
            if event != START:
                own = [row for row in wanted if row[0] == event]
                equal("reads of an event", (own[:size], len(own)), self.theirs.loads_of(event, size))

    def memory_reads(self):
        if not self.ours.options >> 9 & 1:
            return
        for word in self.sample(self.words)[:15]:
            address, size = 8 * word + self.draw.randrange(8), self.draw.choice([1, 4, 8, 13])
            reads, writes = self.ours.memory_reads(address, size), self.ours.memory_writes(address, size)
            for event in [START, self.ours.event_count - 1, *self.sample(range(self.ours.event_count))[:3]]:
                at, capacity = start_as_none(event), self.draw.choice([1, 4, 10000])
                wanted = [[r for r in reads if r > event][:capacity], [r for r in reversed(reads) if r <= event][:capacity]]
                found = [[row[0] for row in self.theirs.memory_reads(at, way, address, size, capacity)] for way in (0, 1)]
                equal("reads of memory", wanted, found)
            self.nearest(
                "access",
                sorted({*reads, *writes}),
                lambda at, w=(address, size): self.event_of(self.theirs.memory_accessed(at, libtrawl.BACKWARD, *w)),
                lambda at, w=(address, size): self.event_of(self.theirs.memory_accessed(at, libtrawl.FORWARD, *w)),
            )

    def register_log(self):
        numbers = range(len(self.ours.segments))
        for number in self.sample(numbers)[:10]:
            wanted, size = self.ours.register_log(self.ours.segments[number]), self.draw.choice([1, 3, 100, 5000])
            equal("registers of a segment", wanted, self.theirs.register_log(number, number + 1, size))
        if self.ours.event_count < 5000:
            wanted = [row for number in numbers for row in self.ours.register_log(self.ours.segments[number])]
            equal("all writes to registers", wanted, self.theirs.register_log(0, 2**64 - 1, 1000))

    def all_register_writes(self):
        for key in self.sample(sorted(self.ours.written))[:8]:
            lane, offset = key >> 24, 8 * (key >> 8 & 0xFFFF)
            writes = self.ours.register_writes(lane, offset, 8)
            for event in [START, self.ours.event_count - 1, *self.sample(range(self.ours.event_count))[:3]]:
                at, size = start_as_none(event), self.draw.choice([1, 4, 10000])
                wanted = [w for w in writes if w > event][:size], [w for w in reversed(writes) if w <= event][:size]
                found = [self.theirs.register_writes(lane, at, way, offset, 8, size) for way in (0, 1)]
                equal("writes to a register", list(wanted), found)

    def register_values(self):
        for key in self.sample(sorted(self.ours.written))[:8]:
            lane, offset = key >> 24, 8 * (key >> 8 & 0x7FFF) + self.draw.randrange(8)
            size = self.draw.randrange(1, 9 - offset % 8)
            writes = self.ours.register_writes(lane, offset, size)
            after = self.draw.choice([START, *self.sample(range(self.ours.event_count))[:3]])
            found = self.theirs.register_values(lane, start_as_none(after), offset, size, self.draw.choice([1, 4, 10000]))
            equal("events of values of a register", [w for w in writes if w > after], [event for event, _, _ in found])
            for event, value, mask in found[:30]:
                values, known = self.ours.registers(lane, event)
                wanted = [(values[offset + i], 1) if known[offset + i] else (0, 0) for i in range(size)]
                equal("values of a register", wanted, [(value >> 8 * i & 255, mask >> i & 1) for i in range(size)])
            for _ in range(5):
                low, high = sorted(self.draw.choice([0, 2 ** (8 * size) - 1, *(value for _, value, _ in found)]) for _ in range(2))
                until = self.draw.choice([START, *self.sample(range(self.ours.event_count))[:3]])
                allowed = [e for e, value, mask in found if mask != 2**size - 1 or low <= value <= high]
                allowed = [e for e in allowed if until == START or e < until]
                ours = self.theirs.register_within(lane, start_as_none(after), start_as_none(until), offset, size, low, high)
                equal("a value in a range", allowed[0] if allowed else None, ours)

    def functions(self):
        for lane in (*range(len(self.ours.lanes)), libtrawl.ANY_LANE):
            wanted = self.ours.functions(None if lane == libtrawl.ANY_LANE else lane)
            equal("functions", wanted, self.theirs.functions(lane, 0, len(wanted) + 3))
            equal("functions from a PC", wanted[1:3], self.theirs.functions(lane, wanted[0][0] + 1 if wanted else 5, 2))

    def call_blocks(self):
        for lane, figures in enumerate(self.ours.lanes):
            count, size = figures[9], self.draw.choice([1, 5, 3000])
            rows = []
            for number in range(count):
                c = self.ours.call(lane, number)
                parent = libtrawl.NONE if c.parent is None else c.parent
                rows.append((c.call, c.entry, c.exit, c.pc, c.depth, parent, int(c.is_open), self.ours.inside(lane, number)))
            for first in [0, *self.sample(range(count + 1))[:10]]:
                equal("block of calls", rows[first : first + size], self.theirs.calls(lane, first, size))
                wanted, at = [], first
                while at < count and rows[at][5] == rows[first][5] and len(wanted) < size:
                    wanted.append(rows[at])
                    at += 1 + rows[at][7]
                equal("siblings", wanted, self.theirs.siblings(lane, first, size))

    def tasks(self):
        for lane, figures in enumerate(self.ours.lanes):
            runs = self.ours.task_runs(lane)
            known = [tuple(libtrawl.NONE if value is None else value for value in row) for row in self.ours.tasks(lane)]
            equal("tasks", known, self.theirs.tasks(lane))
            equal("runs of tasks", runs, self.theirs.task_runs(lane))
            for in_lane in [*self.sample(range(figures[1])), figures[1]]:
                at = [run for run in runs if run[2] <= in_lane <= run[3]]
                equal("task at an event", at[0] if at else None, self.theirs.task_run_at(lane, in_lane))

    def symbols(self):
        symbols, pieces = self.ours.symbols
        equal("symbols", symbols, self.theirs.symbols())
        addresses = {start + step & 2**64 - 1 for start, _ in pieces for step in (-1, 0, 1)} | {0, 2**64 - 1}
        for address in self.sample(sorted(addresses)):
            equal("symbol at %#x" % address, self.ours.symbol_at(address), self.theirs.symbol_at(address))
        for name in {name for name, *_ in self.sample(symbols)} | {b"", b"nothing", b"zzz"}:
            first = next((symbol for symbol in symbols if symbol[0] == name), None)
            equal("symbol by name", first, self.theirs.symbol_named(name))

    def source_lines(self):
        pieces = self.ours.source_lines
        equal("source lines", pieces, self.theirs.lines())
        addresses = {piece[0] + step & 2**64 - 1 for piece in pieces for step in (-1, 0, 1)} | {0, 2**64 - 1}
        for address in self.sample(sorted(addresses)):
            equal("line at %#x" % address, self.ours.line_at(address), self.theirs.line_at(address))

    def layout(self):
        ours, theirs = self.ours.registers_of_layout, self.theirs.layout()
        equal("registers that there are", ours, [self.register(found) for found in theirs])
        names = {found.name for found in ours} | {"x1_y", "r14_svc", "SP_el1", "lr_", "X007", "x", "7", "_", "", "pc_"}
        for name in self.sample(sorted(names)):
            for isa in range(4):
                for written in (name, name.upper()):
                    theirs = self.register(self.theirs.register_named(isa, written.encode("latin-1")))
                    equal("register " + written, self.ours.register_named(isa, written), theirs)

    @staticmethod
    def register(theirs):
        if theirs is None:
            return None
        dwarf = None if theirs.dwarf == 2**32 - 1 else theirs.dwarf
        return index_reader.Register(theirs.name.decode("latin-1"), theirs.offset, theirs.size_bytes, theirs.flags,
                                     theirs.isas, theirs.shown, dwarf)

    @staticmethod
    def event_of(write):
        return write.event if write else None

    @staticmethod
    def call(theirs):
        if theirs is None:
            return None
        call = index_reader.Call(*(getattr(theirs, field) for field in index_reader.Call._fields))
        return call._replace(parent=None if call.parent == libtrawl.NONE else call.parent)

    def all(self):
        for part in ("about all_events places visits registers register_writes memory memory_writes calls layout "
                     "blocks accesses loads memory_reads register_log all_register_writes register_values all_memory_writes stored_words sizes "
                     "call_blocks functions "
                     "symbols source_lines tasks").split():
            getattr(self, part)()


# --- What the document promises of the parts -----------------------------------------------------


def check_filters(segment):
    """The filters have the bits of all instructions and exceptions, and no others."""
    filters = [0] * -(-segment.count // 1024)
    for row, (pc, flags) in enumerate(zip(segment.of_events(Segment.PC), segment.of_events(Segment.FLAGS))):
        if flags & HAS_INSTRUCTION:
            filters[row // 1024] |= 1 << index_reader.filter_bit(pc)
        if flags & EXCEPTION:
            filters[row // 1024] |= 1 << index_reader.filter_bit(EXCEPTIONS)
    words = [bits >> 64 * i & 2**64 - 1 for bits in filters for i in range(4)]
    assert words == segment.column(Segment.FILTER), "filters"


def check_segment(index, segment):
    """A segment and the directories must agree."""
    row = index.segment_rows[segment.number]
    times, lines = segment.of_events(Segment.TIME), segment.of_events(Segment.LINE)
    host_calls = segment.column(Segment.HOST_CALLS) if Segment.HOST_CALLS in segment else []
    assert row[3:8] == (lines[0], segment.of_events(Segment.POSITION)[0], times[0], max(times), len(host_calls))
    for number in segment.parts:
        if number != Segment.TIMELINES:
            segment.column(number)
    check_filters(segment)
    masks = [mask & 0xFF for mask in segment.column(Segment.RECORD_KINDS)]
    touched = segment.column(Segment.TOUCHED)
    assert len(touched) == (len(masks) + 63) // 64
    for i, together in enumerate(touched):
        wanted = 0
        for mask in masks[64 * i : 64 * i + 64]:
            wanted |= mask
        assert together == wanted, "masks or-ed together"
    for word, records in segment.words.items():
        for kinds in ({LOAD}, {0, 1}):
            if any(record.kind in kinds for record in records):
                assert segment.number in index.touching(int(LOAD in kinds), word), "a segment that its node hides"


def check_checkpoints(index):
    """A checkpoint contains what the segments before it wrote; it is empty if events are snapshots."""
    cells = {}
    for segment in index.segments:
        if index.has_snapshots:
            assert not segment.checkpoint, "a checkpoint among snapshots"
            continue
        assert segment.checkpoint == [(cell, mask, value) for cell, (mask, value) in sorted(cells.items())]
        writes = []
        for key, (events, values) in segment.timelines.items():
            writes += [(event, key >> 8, key & 0xFF, value) for event, value in zip(events, values)]
        for _, lane_cell, mask, value in sorted(writes):
            is_unknown = lane_cell & index_reader.VALUE_UNKNOWN
            lane_cell &= ~index_reader.VALUE_UNKNOWN
            known, old = cells.get(lane_cell, (0, 0))
            for i, byte in index_reader.unmask(value, mask):
                old = old & ~(0xFF << 8 * i) | byte << 8 * i
            cells[lane_cell] = known & ~mask if is_unknown else known | mask, old
            if not cells[lane_cell][0]:
                del cells[lane_cell]


def check_parts(index):
    """Decodes everything, and checks that it is consistent."""
    index.check_extents()
    index.messages()
    index.doubts()
    index.piece_hashes()
    keys = collections.defaultdict(list)
    for segment in index.segments:
        check_segment(index, segment)
        for key in segment.timelines:
            keys[key].append(segment.number)
    assert keys == index.written, "the directory of registers"
    check_checkpoints(index)


def piece_hashes(trace):
    size = index_reader.PIECE_BYTES
    return [xxh3.hash64(trace[at : at + size]) for at in range(0, len(trace), size)]


# --- Damage --------------------------------------------------------------------------------------


def is_sound_to_us(data):
    try:
        check_parts(index_reader.Index(data))
        return True
    except index_reader.Damaged:
        return False


def is_sound_to_them(library, path):
    try:
        with library.open(path) as index:
            index.verify()
        return True
    except libtrawl.Refused:
        return False


def check_damage(library, path, draw):
    """Whichever bit is wrong, both readers find the damage."""
    data = path.read_bytes()
    assert is_sound_to_us(data) and is_sound_to_them(library, path)
    for at in draw.sample(range(len(data)), FLIPS):
        spoiled = bytearray(data)
        spoiled[at] ^= 1 << draw.randrange(8)
        if 10 <= at < 12:  # any minor version is accepted
            continue
        path.write_bytes(spoiled)
        assert not is_sound_to_us(bytes(spoiled)), "byte %d is covered by no check of the document" % at
        assert not is_sound_to_them(library, path), "byte %d is covered by no check of libtrawl" % at


# --- The checks ----------------------------------------------------------------------------------


class Indexes:
    def __init__(self, prefix, library, directory):
        self.prefix, self.library, self.directory = prefix, library, directory

    def make_index(self, trace, *options):
        index = self.directory / "index"
        program = self.prefix / "tests" / "make-index"
        command = [str(word) for word in (program, *options, trace, index)]
        status, *_, was_killed = quick.answer(command, TIMEOUT_S)
        assert status == 0 and not was_killed, "make-index: status %d" % status
        return index

    def write_trace(self, lines):
        trace = self.directory / "trace"
        trace.write_text("".join(line + "\n" for line in lines))
        return trace

    def trace(self, name, draw):
        made = {"coding": lambda: format_traces.coding_trace(draw), "late": format_traces.late_trace}
        made["memory"] = lambda: format_traces.memory_trace(draw)
        made["registers"] = lambda: format_traces.registers_trace(draw)
        packed = STACKS / (name + ".tarmac.xz")
        if packed.exists():
            made[name] = lambda: lzma.decompress(packed.read_bytes()).decode("latin-1").splitlines()
        return self.write_trace(made[name]()) if name in made else TRACES / (name + ".tarmac")

    def check_index(self, name, options, segment_events):
        draw = random.Random(SEED)
        trace = self.trace(name, draw)
        path = self.make_index(trace, *options, "--segment-events", str(segment_events))
        ours = index_reader.Index(path.read_bytes())
        check_parts(ours)
        assert ours.piece_hashes() == piece_hashes(trace.read_bytes()), "hashes of the trace"
        assert name != "late" or ours.late, "no event went on in another segment"
        assert name != "memory" or ours.regions, "no region"
        assert name != "coroutines-a64.it" or len(ours.task_runs(0)) > 9, "no tasks"
        with self.library.open(path) as theirs:
            Comparison(ours, theirs, draw).all()

    def check_sparse_checkpoints(self):
        """With many cells, most checkpoints contain few; added up, they equal what the previous segments wrote."""
        draw = random.Random(SEED)
        path = self.make_index(self.write_trace(format_traces.cores_trace(draw)), "--segment-events", "100")
        ours = index_reader.Index(path.read_bytes())
        check_parts(ours)
        sparse = [segment for segment in ours.segments if segment.base]
        assert len(sparse) > len(ours.segments) / 2, "few checkpoints are sparse"
        assert max(len(segment.checkpoint_data) for segment in ours.segments) > 4 * len(sparse[-1].checkpoint_data)
        with self.library.open(path) as theirs:
            for _ in range(SAMPLES):
                lane, event = draw.randrange(len(ours.lanes)), draw.randrange(ours.event_count)
                equal("registers", ours.registers(lane, event), theirs.registers(lane, event, 0, ours.register_bytes))

    def check_lies_of_sparse_checkpoints(self):
        """A sparse checkpoint adds to an earlier checkpoint, which must exist."""
        draw = random.Random(SEED)
        path = self.make_index(self.write_trace(format_traces.cores_trace(draw)), "--segment-events", "100")
        data = path.read_bytes()
        count = len(index_reader.Index(data).segments)
        for lie in ([1] * count, [2] * count, [0] * (count - 1), [0, *[1] * count]):
            draft = index_draft.Draft(data)
            draft.lies[index_reader.CHECKPOINTS, 1] = lambda _, values=lie: index_draft.encode(values)
            path.write_bytes(draft.build())
            try:
                with self.library.open(path) as theirs:
                    theirs.registers(0, 60 * 100 + 5, 0, 8)
            except libtrawl.Refused as error:
                assert "directory of checkpoints" in str(error), error
            else:
                raise AssertionError("nothing was said of %s" % lie[:3])

    def check_example(self):
        """The trace and the bytes in the document are the actual ones."""
        text = DOCUMENT.read_text()
        example = text[text.index("## 16 ") :]
        blocks = re.findall(r"^```\n(.*?)^```$", example, re.MULTILINE | re.DOTALL)
        path = self.make_index(self.write_trace(blocks[0].splitlines()))
        shown = bytearray(path.stat().st_size)
        for line in "".join(blocks[1:]).splitlines():
            at, data = re.match(r"([0-9a-f]{3})  ((?:[0-9a-f]{2} ?)+)", line).groups()
            data = bytes.fromhex(data)
            shown[int(at, 16) : int(at, 16) + len(data)] = data
        assert shown == path.read_bytes(), "the example is not what trawl writes"

    def check_damage(self):
        trace = self.write_trace(format_traces.late_trace())
        check_damage(self.library, self.make_index(trace, "--segment-events", "20"), random.Random(SEED))


@pytest.fixture
def indexes(prefix, library, place):
    return Indexes(prefix, library, place)


@pytest.mark.parametrize("case", INDEXED, ids=lambda case: f"{case[0]}-{case[2]}")
def test_index(indexes, case):
    indexes.check_index(*case)


def test_every_form_is_read(indexes):
    for case in INDEXED:
        indexes.check_index(*case)
    wanted = {(shape, coding) for shape in range(3) for coding in range(4)}
    unread = sorted(wanted - index_reader.FORMS_READ)
    assert not unread, f"never read: {unread}"


def test_sparse_checkpoints(indexes):
    indexes.check_sparse_checkpoints()


def test_lies_of_sparse_checkpoints(indexes):
    indexes.check_lies_of_sparse_checkpoints()


def steps_trace(draw, events):
    """A program of 40 instructions, of which some show more lines than usual: the text, (line, position) of each event, and the last line."""
    lines, found, position, at = [], [], 0, 0
    for event in range(events):
        found.append((len(lines) + 1, position))
        pc = 0x8000 + 4 * at
        own = ["%d clk IT (%d) %08x e3a00006 A svc_s : MOV%s" % (event, event, pc, " r0,#6" * (at % 5))]
        own += ["%d clk R r%d %08x" % (event, n, draw.randrange(1 << 32)) for n in range(at % 4 + (draw.random() < 0.05))]
        own += ["%d clk" % event] * (draw.random() < 0.05)  # a line without content
        lines += own
        position += sum(len(line) + 1 for line in own)
        at = draw.randrange(40) if draw.random() < 0.1 else (at + 1) % 40
    return "\n".join(lines) + "\n", found, len(lines)


@pytest.mark.parametrize("events, per_segment", [(255, 1000), (400, 1000), (3000, 1000), (3000, 333), (3000, 131072)])
def test_steps(trawl, library, place, events, per_segment):
    """Lines and positions that are stored as steps by PC are those of the text."""
    text, wanted, last_line = steps_trace(random.Random(SEED), events)
    (place / "t").write_text(text)
    command = [trawl, "index", "-q", "--no-sync", "--index=x", "--segment-events=%d" % per_segment, "t"]
    done = quick.run(command, cwd=place, timeout=TIMEOUT_S)
    assert done.returncode in (0, 3), done.stderr
    data = (place / "x").read_bytes()
    ours = index_reader.Index(data)
    assert (index_reader.FORMS in ours.sections) == (events >= 256)
    assert [(ours.event(event).line, ours.event(event).position) for event in range(events)] == wanted
    with library.open(place / "x") as theirs:
        theirs.verify()
        assert [(about.line, about.position) for about in map(theirs.event, range(events))] == wanted
        for first in 0, 1, 63, 64, 100, events - 5:
            assert [row[3:5] for row in theirs.events(first, 1100)] == wanted[first : first + 1100]
        starts = [line for line, _ in wanted] + [last_line + 1]
        for event in range(events):
            for line in starts[event], starts[event + 1] - 1:
                assert theirs.event_at_line(line) == ours.event_at_line(line) == event
            assert theirs.event_at_position(wanted[event][1]) == event


def test_example(indexes):
    indexes.check_example()


def test_damage(indexes):
    indexes.check_damage()
