"""A simple and slow reader of indexes, written only from idx/FORMAT.md.

Comments with numbers refer to sections of that document. Nothing is decoded before it is needed, and any fault raises Damaged.
"""

import bisect
import collections
import functools
import heapq

import xxh3

HEADER_BYTES = 512
MAGIC = b"TRAWLIDX"
HEADER_SECTIONS_MAX, SECTIONS_MAX, PARTS_MAX, COUNT_MAX = 20, 64, 64, 2**48
(
    IDENTITY, SEGMENTS, LANES, REGISTERS, MEMORY, CALLS, REGIONS, LATE, MESSAGES, BLOCKS, XRAY, TFILE, LAYOUT, OTHER_CALLS,
    SYMBOLS, SOURCE_LINES, TASKS, ACCESS_POINTS, CHECKPOINTS, FILES, DOUBTS, UNKNOWN_WRITES, OUTSIDE, PLACES, PROGRAMS,
    FURTHER, FORMS, NESTING,
) = range(1, 29)
MASK64 = 2**64 - 1
BLOCK = 1024
CALL_GROUP = 16384
PIECE_BYTES = 1 << 20
REGISTER_BYTES = 0x2318  # in every trace
VALUE_UNKNOWN = 0x8000  # in the number of a cell
REGISTER_SPACE_MAX = 0x40000
STORE, UNKNOWN_STORE, LOAD = range(3)
START = -1
EXCEPTIONS = 6
HAS_INSTRUCTION, EXCEPTION = 1 << 2, 1 << 5

Event = collections.namedtuple("Event", "event lane in_lane time line position pc flags")
Call = collections.namedtuple("Call", "call entry exit pc depth parent is_open how began")
Record = collections.namedtuple("Record", "segment row event kind mask value is_before_host_call is_outside")

Run = collections.namedtuple("Run", "name count offset size beside stride flags states dwarf")
Register = collections.namedtuple("Register", "name offset size flags isas shown dwarf")
LANES_MAX = 65536
BANKED, VARIABLE = 1 << 13, 1 << 3


def register_of(run, number):
    """Register `number` of a run."""
    place = run.offset + number // run.beside * run.stride + number % run.beside * run.size
    isas, shown = run.states & 15, run.states >> 4 & run.states & 15
    name = run.name + str(number) if run.count else run.name
    return Register(name, place, run.size, run.flags, isas, shown, run.dwarf - 1 + number if run.dwarf else None)


PACKED_AT_ONCE = 16
FORMS_READ = set()  # (shape, coding) of blocks, for a test that all were read


class Damaged(Exception):
    """The bytes violate a rule of the document."""


def require(condition, what):
    if not condition:
        raise Damaged(what)


# --- 1 Conventions -------------------------------------------------------------------------------


def check_of(data):
    return xxh3.hash64(data) & 0xFFFFFFFF


def little(data):
    return int.from_bytes(data, "little")


def width_of(greatest):
    width = greatest.bit_length()
    return 64 if width > 56 else width


def unzigzag(number):
    return (number >> 1) ^ -(number & 1)


class Cursor:
    """Bytes that are read from front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        require(count <= len(self.data) - self.at, "bytes are cut")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        at = self.at
        if at < len(self.data) and self.data[at] < 0x80:  # the most common case
            self.at = at + 1
            return self.data[at]
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                require(number <= MASK64, "a varint of more than 64 bits")
                return number
            require(shift < 70, "a varint of more than ten bytes")

    def width(self):
        width = self.byte()
        require(width <= 56 or width == 64, "a width that does not occur")
        return width

    def packed(self, count, width):
        data, mask, found = self.take((count * width + 7) // 8), (1 << width) - 1, []
        for first in range(0, count, PACKED_AT_ONCE):  # each begins at a byte
            bits = little(data[first * width // 8 : (first + PACKED_AT_ONCE) * width // 8])
            here = min(count - first, PACKED_AT_ONCE)
            require(bits >> here * width == 0, "bits are left")
            found += [bits >> i * width & mask for i in range(here)]
        return found


def unmask(value, mask):
    """The masked value as pairs (byte of the word, its value)."""
    lowest = (mask & -mask).bit_length() - 1
    return [(i, value >> 8 * (i - lowest) & 0xFF) for i in range(8) if mask >> i & 1]


# --- 3 Parts -------------------------------------------------------------------------------------


class Container:
    def __init__(self, data):
        cursor = Cursor(data)
        check = little(cursor.take(4))
        count = cursor.varint()
        require(count <= PARTS_MAX, "too many parts")
        sizes = [(cursor.varint(), cursor.varint()) for _ in range(count)]
        require(check_of(data[4 : cursor.at]) == check, "check of a table of parts")
        numbers = [number for number, _ in sizes]
        require(numbers == sorted(set(numbers)), "parts do not rise")
        self.parts = {number: cursor.take(size) for number, size in sizes}
        self.opened = {}
        require(cursor.at == len(data), "bytes behind the parts")

    def __contains__(self, number):
        return number in self.parts

    def part(self, number):
        require(number in self.parts, "part %d is missing" % number)
        return self.parts[number]

    def column(self, number):
        if number not in self.opened:
            self.opened[number], end = read_column(self.part(number), 0)
            require(end == len(self.part(number)), "part %d holds more than its column" % number)
        return self.opened[number]

    def columns(self, *numbers):
        """Columns of equal length."""
        columns = [self.column(number) for number in numbers]
        require(len({len(column) for column in columns}) == 1, "columns differ in length")
        return columns

    def text(self, number):
        part = self.part(number)
        require(len(part) >= 4 and little(part[:4]) == check_of(part[4:]), "check of a text")
        return part[4:]


# --- 4 Columns -----------------------------------------------------------------------------------


def read_column(data, at):
    """Returns the values of the column at a position, and the position after it."""
    cursor = Cursor(data[at:])
    check = little(cursor.take(4))
    widths, flags = cursor.byte(), cursor.byte()
    min_bytes, range_bytes, start_bytes, is_short = widths & 15, widths >> 4, flags & 15, flags >> 4
    count, payload_bytes, base = cursor.varint(), cursor.varint(), cursor.varint()
    require(max(min_bytes, range_bytes, start_bytes) <= 8 and is_short < 2, "widths of a column")
    require(count <= COUNT_MAX and (range_bytes or not payload_bytes), "counts of a column")
    blocks = (count + BLOCK - 1) // BLOCK
    entry_bytes = min_bytes + range_bytes + start_bytes + (0 if is_short else 4)
    directory = Cursor(cursor.take(blocks * entry_bytes))
    checked = cursor.at
    payloads = cursor.take(payload_bytes)
    end = cursor.at
    require(check == check_of(cursor.data[4 : end if is_short else checked]), "check of a column")
    entries = []
    for _ in range(blocks):
        least = base + little(directory.take(min_bytes))
        greatest = least + little(directory.take(range_bytes))
        require(greatest <= MASK64, "a block above 64 bits")
        start = little(directory.take(start_bytes))
        entries.append((least, greatest, start, None if is_short else little(directory.take(4))))
    values = []
    for i, (least, greatest, start, payload_check) in enumerate(entries):
        here = min(count - i * BLOCK, BLOCK)
        if least == greatest:
            values += [least] * here
            continue
        payload = payloads[start : entries[i + 1][2] if i + 1 < blocks else payload_bytes]
        require(payload_check in (None, check_of(payload)), "check of a payload")
        block = read_block(payload, here, least, greatest)
        require((min(block), max(block)) == (least, greatest), "extremes of a block")
        values += block
    require(not values or min(values) == base, "base of a column")
    return values, at + end


def read_block(payload, count, least, greatest):
    cursor = Cursor(payload)
    form, width = cursor.byte(), width_of(greatest - least)
    shape = form & 3
    require(form < 16 and shape < 3, "form of a block")
    FORMS_READ.add((shape, form >> 2))
    if shape == 0:
        values = read_numbers(cursor, form, count, least, width)
    elif shape == 1:
        stride, more = unzigzag(cursor.varint()), cursor.varint()
        starts = [0] + read_places(cursor, more, count)
        firsts = read_numbers(cursor, form, more + 1, least, width)
        ends = starts[1:] + [count]
        values = [first + stride * i for start, end, first in zip(starts, ends, firsts) for i in range(end - start)]
    else:
        smallest, step_width = unzigzag(cursor.varint()), cursor.width()
        anchors = [least + anchor for anchor in cursor.packed((count + 31) // 32, width)]
        values = anchors[:1]
        for step in read_numbers(cursor, form, count - 1, smallest, step_width):
            values.append(values[-1] + step & MASK64)
        require(values[::32] == anchors, "a value that does not follow from its steps")
    require(cursor.at == len(payload), "bytes behind a block")
    return [value & MASK64 for value in values]


def read_numbers(cursor, form, count, least, width):
    is_dictionary, is_patched = form & 4, form & 8
    entries, packed_width, base = None, width, least
    if is_dictionary:
        entry_count = cursor.varint() + 1
        require(entry_count <= 256, "too many entries")
        entries = [entry + least for entry in cursor.packed(entry_count, width)]
        packed_width = width_of(entry_count - 1)
    elif is_patched:
        base += cursor.varint()
        packed_width = cursor.width()
    patches = {}
    if is_patched:
        patch_count = cursor.varint()
        places = read_places(cursor, patch_count, count)
        patches = dict(zip(places, (patch + least for patch in cursor.packed(patch_count, width))))
    packed = cursor.packed(count, packed_width)
    if is_dictionary:
        require(max(packed) < len(entries), "an index behind the dictionary")
        numbers = [entries[index] for index in packed]
    else:
        numbers = [base + offset for offset in packed]
    for place, patch in patches.items():
        require(packed[place] == 0, "something is packed in place of a patch")
        numbers[place] = patch
    return numbers


def read_places(cursor, count, universe):
    require(count <= universe, "too many places")
    width, words = width_of(universe - 1), (universe + 63) // 64
    if count * width <= 75 * words:
        places = cursor.packed(count, width)
    else:
        bits = little(cursor.take(8 * words))
        places = [i for i in range(64 * words) if bits >> i & 1]
        ranks = cursor.packed(words, 11)
        require(ranks == [bisect.bisect_left(places, 64 * i) for i in range(words)], "ranks of places")
    require(places == sorted(set(places)) and len(places) == count, "places do not rise")
    require(not places or places[-1] < universe, "a place outside of the block")
    return places


# --- 6 to 8 Segments -----------------------------------------------------------------------------


def filter_bit(pc):
    return ((pc >> 6) * 0x9E3779B97F4A7C15 & MASK64) >> 56


class Segment(Container):
    """A segment; its columns have the numbers of their parts."""

    TIME, LINE, POSITION, PC, FLAGS, LANE, FILTER, HOST_CALLS = range(1, 9)
    KEYS, KEY_STARTS, TIMELINES, WORDS, WORD_STARTS, RECORD_EVENTS, RECORD_KINDS, RECORD_VALUES, TOUCHED = range(9, 18)
    ORIGIN_EVENTS, ORIGIN_PCS = 18, 19
    LOAD_EVENTS, LOAD_COUNTS, LOAD_FIRSTS, LOAD_SIZES, LOAD_VISITS, LOAD_PLACES, LOAD_STRANGE = range(20, 27)
    PAGES, PAGE_EVENTS, PAGE_OWNERS, PAGE_PLACES, REGIMES = range(27, 32)
    STEP_PCS, STEP_LINES, STEP_BYTES, STEP_EXCEPTIONS, MORE_LINES, MORE_BYTES, VALUE_STARTS = range(32, 39)
    ENTRY_PCS, BLOCK_ENTRIES, BLOCK_DEPTHS, BLOCK_LEASTS, EXCEPTION_EVENTS, EXCEPTION_DEPTHS, EXCEPTION_PCS = range(39, 46)

    def __init__(self, data, number, first, count, checkpoint):
        super().__init__(data)
        self.number, self.first, self.count, self.checkpoint_data = number, first, count, checkpoint
        self.lanes = [0] * count  # if the segment does not contain them
        self.pcs = None  # likewise
        self.base = None  # the segment to whose checkpoint this one adds

    def of_events(self, number):
        if number == self.LANE and number not in self:
            return self.lanes
        if number in (self.LINE, self.POSITION) and self.STEP_PCS in self:
            return self.lines if number == self.LINE else self.positions
        if number == self.PC and self.pcs is not None:
            return self.pcs
        column = self.column(number)
        require(len(column) == self.count, "not a row an event")
        return column

    def by_steps(self, anchors, usual, more):
        pcs = self.column(self.STEP_PCS)
        require(len(set(pcs)) == len(pcs) <= 65536, "PCs of steps are repeated")
        steps = dict(zip(pcs, self.columns(self.STEP_PCS, usual)[1]))
        require(len(self.column(anchors)) == (self.count + 63) // 64, "not a row for 64 events")
        exceptions = self.column(self.STEP_EXCEPTIONS)
        require(exceptions == sorted(set(exceptions)) and all(row + 1 < self.count for row in exceptions), "rows of exceptions")
        exceptions, values = dict(zip(*self.columns(self.STEP_EXCEPTIONS, more))), []
        for row, pc in enumerate(self.of_events(self.PC)):
            require(pc in steps, "an event without a usual step")
            values.append(self.column(anchors)[row // 64] if row % 64 == 0 else value)
            value = values[-1] + steps[pc] + unzigzag(exceptions.get(row, 0)) & MASK64
            at_anchor = row % 64 == 63 and row + 1 < self.count
            require(not at_anchor or value == self.column(anchors)[row // 64 + 1], "steps that do not lead to the next row")
        return values

    @functools.cached_property
    def lines(self):
        return self.by_steps(self.LINE, self.STEP_LINES, self.MORE_LINES)

    @functools.cached_property
    def positions(self):
        return self.by_steps(self.POSITION, self.STEP_BYTES, self.MORE_BYTES)

    @functools.cached_property
    def timelines(self):
        """{key: (rows of events, values)}"""
        data, found = self.part(self.TIMELINES), {}
        keys, starts = self.columns(self.KEYS, self.KEY_STARTS)
        value_starts = self.columns(self.KEYS, self.VALUE_STARTS)[1] if self.VALUE_STARTS in self else [None] * len(keys)
        end, columns = 0, {}

        def column_at(start):
            nonlocal end
            require(start == end or start in columns, "a gap between columns of timelines")
            if start == end:
                columns[start], end = read_column(data, start)
            return columns[start]

        for key, start, value_start in zip(keys, starts, value_starts):
            events = column_at(start)
            values = column_at(end if value_start is None else value_start)
            require(len(events) == len(values) > 0, "a timeline without rows")
            require(events == sorted(set(events)) and events[-1] < self.count, "events of a timeline")
            found[key] = events, values
        require(end == len(data), "bytes behind the timelines")
        return found

    @functools.cached_property
    def timelines_of_lanes(self):
        """{lane: [(key, rows of events, values)]}"""
        found = {}
        for key, (events, values) in self.timelines.items():
            found.setdefault(key >> 24, []).append((key, events, values))
        return found

    @functools.cached_property
    def checkpoint_of_lanes(self):
        """{lane: rows of the checkpoint}"""
        found = {}
        for row in self.checkpoint:
            found.setdefault(row[0] >> 16, []).append(row)
        return found

    @functools.cached_property
    def checkpoint(self):
        """[(lane << 16 | cell, mask, value)]"""
        own = list(zip(*Container(self.checkpoint_data).columns(1, 2, 3)))
        cells = [cell for cell, _, _ in own]
        require(cells == sorted(set(cells)), "cells of a checkpoint do not rise")
        if not self.base:
            return own
        found = {row[0]: row for row in self.base.checkpoint} | {row[0]: row for row in own}
        return [found[cell] for cell in sorted(found)]

    @functools.cached_property
    def places(self):
        """{page: [(event, lane, regime, page of its place)]}"""
        found = {}
        if self.PAGES in self:
            rows = list(zip(*self.columns(self.PAGES, self.PAGE_EVENTS, self.PAGE_OWNERS, self.PAGE_PLACES)))
            require(rows == sorted(rows), "places do not rise")
            for page, row, owner, place in rows:
                require(row < self.count, "the event of a place")
                found.setdefault(page, []).append((self.first + row, owner >> 2, owner & 3, place))
        return found

    @functools.cached_property
    def regimes(self):
        """[(row, lane, regime)]"""
        changes = self.column(self.REGIMES) if self.REGIMES in self else []
        return [(change >> 18, (change & 0x3FFFF) >> 2, change & 3) for change in changes]

    @functools.cached_property
    def words(self):
        """{number: Records in order}"""
        events, kinds, values = self.columns(self.RECORD_EVENTS, self.RECORD_KINDS, self.RECORD_VALUES)
        words, starts = self.columns(self.WORDS, self.WORD_STARTS)
        require(words == sorted(set(words)), "words do not rise")
        found = {}
        for word, start, end in zip(words, starts, starts[1:] + [len(events)]):
            require(start < end <= len(events), "a word without records")
            found[word] = [
                Record(self.number, row, self.first + events[row], kinds[row] >> 8 & 3, kinds[row] & 0xFF, values[row],
                       bool(kinds[row] >> 10 & 1), bool(kinds[row] >> 11 & 1))
                for row in range(start, end)
            ]
        return found


    @functools.cached_property
    def loads(self):
        """[(event, address, bytes)] of all reads of memory, in the order of the trace."""
        if self.LOAD_EVENTS not in self:
            return []
        keys = list(zip(self.of_events(self.PC), self.of_events(self.LANE), [flags >> 3 & 1 for flags in self.of_events(self.FLAGS)]))
        sizes, places = list(self.column(self.LOAD_SIZES)), list(self.column(self.LOAD_PLACES))
        counts_of = list(self.column(self.LOAD_VISITS)) if self.LOAD_VISITS in self else []
        words = self.column(self.WORDS) + (self.column(self.LOAD_STRANGE) if self.LOAD_STRANGE in self else [])
        visits = {}
        for row, key in enumerate(keys):
            visits.setdefault(key, []).append(row)
        groups = []  # (whether it is near, {row: [its loads, as (where its difference is, bytes)]}, first difference)
        for row, count, first in zip(*self.columns(self.LOAD_EVENTS, self.LOAD_COUNTS, self.LOAD_FIRSTS)):
            rows, near, count = visits[keys[row]], count & 1, count >> 1
            if count:
                of_visits, own = [count] * len(rows), [sizes.pop(0) for _ in range(count)] * len(rows)
                order = [k * len(rows) + visit for visit in range(len(rows)) for k in range(count)]
            else:
                of_visits = [counts_of.pop(0) for _ in rows]
                own = [sizes.pop(0) for _ in range(sum(of_visits))]
                order = range(len(own))
            differences = [first] + [places.pop(0) for _ in own[1:]]
            rest = iter(zip([unzigzag(differences[i]) for i in order], own))
            groups.append((near, {at: [next(rest) for _ in range(n)] for at, n in zip(rows, of_visits) if n}))
            require(min(groups[-1][1]) == row, "the first event of a group of reads")
        require(not sizes and not places and not counts_of, "rows that belong to no group of reads")
        of_rows = {}
        for number, (_, found) in enumerate(groups):
            for row, loads in found.items():
                require(row not in of_rows, "two groups of reads of an event")
                of_rows[row] = number, loads
        found, before, last = [], 0, {}
        for row, (number, loads) in sorted(of_rows.items()):
            place = before if groups[number][0] else last.get(number, before)
            for k, (difference, size) in enumerate(loads):
                place = place + difference & MASK64
                last[number] = place if k == 0 else last[number]
                before = place
                found.append((self.first + row, 8 * words[place >> 3] + (place & 7) & MASK64, size))
        return found


def is_doubt(record):
    """Whether a record only says that bytes may have been changed from outside."""
    return record.kind == UNKNOWN_STORE and record.is_outside


def is_behind(host, record):
    """Whether the host call of an event comes after a record."""
    return host > record.event or host == record.event and record.is_before_host_call


# --- The index -----------------------------------------------------------------------------------


class IdentityOnly:
    """The identity of the trace in an index, without the rest of the index."""

    def __init__(self, data):
        self.data, self.extents = memoryview(data), []
        self.sections = Index._read_header(self)
        self.identity = Container(self.sections[IDENTITY]).column(1)

    def _take(self, offset, size):
        return Index._take(self, offset, size)

    def _read_sections(self, table, sections):
        Index._read_sections(self, table, sections)


class Index:
    """An index; `data` is the whole file."""

    def __init__(self, data):
        self.data = memoryview(data)
        self.extents = [(0, HEADER_BYTES)]  # parts of the file that were read
        self.sections = self._read_header()
        self.identity = self._section(IDENTITY).column(1)
        require(len(self.identity) >= 13, "identity")
        self.kind = self._section(IDENTITY).text(2).decode()
        require(len(self.kind) < 32 and "\0" not in self.kind, "kind")
        self.options, self.per_segment, self.event_count = self.identity[4:7]
        self.images_functions = self.identity[13] if len(self.identity) > 13 else 0
        require(1 <= self.per_segment <= 2**24, "events of a segment")
        self.segment_count = -(-self.event_count // self.per_segment)
        self._read_segments()
        self._read_lanes()
        self._read_directories()
        self._read_calls()
        self._read_layout()

    def _read_header(self):
        header = bytes(self.data[:HEADER_BYTES])
        require(len(header) == HEADER_BYTES and header[:8] == MAGIC, "no index")
        require(little(header[8:10]) == 2, "another major version")
        require(check_of(header[:12] + bytes(4) + header[16:]) == little(header[12:16]), "check of the header")
        require(little(header[16:24]) == len(self.data), "the file was cut")
        count, sections = little(header[24:28]), {}
        require(count <= HEADER_SECTIONS_MAX, "too many sections")
        require(not any(header[32 + 24 * count :]), "bytes behind the table of sections")
        self._read_sections(header[32 : 32 + 24 * count], sections)
        further = sections.pop(FURTHER, None)
        if further is not None:
            require(check_of(further[4:]) == little(further[:4]), "check of the table of sections")
            require((len(further) - 4) % 24 == 0 and len(further) > 4, "bytes of the table of sections")
            self._read_sections(further[4:], sections)
            require(len(sections) <= SECTIONS_MAX, "too many sections")
        return sections

    def _read_sections(self, table, sections):
        for at in range(0, len(table), 24):
            number, flags = little(table[at : at + 4]), little(table[at + 4 : at + 8])
            require(number <= NESTING or not flags & 1, "a section that must be known")
            require(number not in sections, "two sections of a number")
            sections[number] = self._take(little(table[at + 8 : at + 16]), little(table[at + 16 : at + 24]))

    def _take(self, offset, size):
        """Bytes of the file that belong to one part."""
        require(offset + size <= len(self.data), "a position outside the file")
        self.extents.append((offset, size))
        return bytes(self.data[offset : offset + size])

    def _section(self, number):
        require(number in self.sections, "section %d is missing" % number)
        return Container(self.sections[number])

    def check_extents(self):
        """Checks that header, sections, segments, checkpoints, nodes and groups cover the file."""
        end = 0
        for offset, size in sorted(self.extents):
            require(offset == end, "bytes that belong to no part, or to two parts")
            end += size
        require(end == len(self.data), "bytes that belong to no part")

    def _read_segments(self):
        section = self._section(SEGMENTS)
        self.segment_rows = list(zip(*section.columns(*range(1, 11))))
        require(len(self.segment_rows) == self.segment_count, "number of segments")
        self.segments = []
        for i, (offset, size, events, *_, checkpoint_offset, checkpoint_size) in enumerate(self.segment_rows):
            first = i * self.per_segment
            require(events == min(self.event_count - first, self.per_segment), "events of a segment")
            checkpoint = self._take(checkpoint_offset, checkpoint_size)
            self.segments.append(Segment(self._take(offset, size), i, first, events, checkpoint))
        if CHECKPOINTS in self.sections:
            sparse = self._section(CHECKPOINTS).column(1)
            require(len(sparse) == self.segment_count and set(sparse) <= {0, 1}, "which checkpoints are sparse")
            for i, is_sparse in enumerate(sparse):
                require(not is_sparse or i & (i - 1), "a sparse checkpoint that adds to nothing")
                self.segments[i].base = self.segments[i & (i - 1)] if is_sparse else None
        self.lane_events = section.column(11) if 11 in section else None
        self.nesting_rows = section.columns(12, 13) if NESTING in self.sections else None

    def _read_lanes(self):
        section = self._section(LANES)
        figures = section.column(2)
        self.lanes = [figures[i : i + 10] for i in range(0, len(figures), 10)]
        names = section.text(1).split(b"\0")
        require(len(figures) % 10 == 0 and len(self.lanes) <= LANES_MAX, "lanes")
        require(len(names) == len(self.lanes) + 1 and names[-1] == b"", "names of lanes")
        self.lane_names = names[:-1]
        self.buffers = None
        self.has_snapshots = TFILE in self.sections
        self.has_lines = XRAY not in self.sections and TFILE not in self.sections
        if TFILE in self.sections:
            self._read_tfile()
        if XRAY in self.sections:
            self._read_xray()
        elif len(self.lanes) > 1:
            rows = len(self.lanes) * self.segment_count
            require(self.lane_events is not None and len(self.lane_events) == rows, "events of lanes")

    def _read_xray(self):
        """The records of lanes are consecutive."""
        section = self._section(XRAY)
        self.log_type, self.log_version, self.log_is_big_endian, self.log_frequency_hz = section.column(1)[:4]
        self.buffers = list(zip(*section.columns(2, 3, 4, 5)))  # (offset, bytes, lane, first event)
        rows = section.column(6)
        require(len(rows) == 7 * len(self.lanes), "lanes of a log")
        self.log_lanes = [rows[i : i + 7] for i in range(0, len(rows), 7)]
        require(len(section.column(7)) % 4 == 0, "faults")
        lanes = [lane for lane, figures in enumerate(self.lanes) for _ in range(figures[1])]
        require(len(lanes) == self.event_count, "events of lanes")
        for segment in self.segments:
            segment.lanes = lanes[segment.first : segment.first + segment.count]
            require(Segment.LANE not in segment, "a column of lanes")
        require(all(lane < len(self.lanes) for _, _, lane, _ in self.buffers), "lane of a buffer")
        if NESTING in self.sections:
            self._read_nesting()

    def _read_nesting(self):
        """Calls, and the PCs of exits, which are not stored."""
        self.nested_calls, stack, lane, before = [], [], None, 0
        for segment, entries, least in zip(self.segments, *self.nesting_rows):
            require(entries == len(self.nested_calls), "entries before a segment")
            require(Segment.PC not in segment, "a column of PCs")
            entry_pcs, exceptions, blocks = segment.column(Segment.ENTRY_PCS), {}, []
            if Segment.EXCEPTION_EVENTS in segment:
                rows = segment.columns(Segment.EXCEPTION_EVENTS, Segment.EXCEPTION_DEPTHS, Segment.EXCEPTION_PCS)
                require(rows[0] == sorted(set(rows[0])) and rows[0] and rows[0][-1] < segment.count, "exceptions")
                exceptions = {row: about for row, *about in zip(*rows)}
            segment.pcs, depths = [], []
            for row, flags in enumerate(segment.of_events(Segment.FLAGS)):
                if row % BLOCK == 0:
                    blocks.append((len(self.nested_calls) - entries, before))
                if segment.lanes[row] != lane:
                    self._end_lane(lane, stack)
                    require(lane is None or row in exceptions, "the begin of a lane")
                    lane, in_lane = segment.lanes[row], 0
                after, pc = exceptions.get(row, (None, None))
                if flags & HAS_INSTRUCTION:
                    require(after in (None, len(stack) + 1), "an exception that is none")
                    pc = entry_pcs[len(self.nested_calls) - entries]
                    parent = len(self.nested_calls) - stack[-1] if stack else 0
                    stack.append(len(self.nested_calls))
                    self.nested_calls.append([in_lane, None, len(stack), parent, pc, 0, 0, 0])
                else:
                    require(after is not None or stack, "an exit without a call")
                    pc = self.nested_calls[stack[-1]][4] if pc is None else pc
                    after = len(stack) - 1 if after is None else after
                    require(after <= len(stack), "an exit that opens calls")
                    while len(stack) > after:
                        call = self.nested_calls[stack.pop()]
                        call[1] = in_lane - 1 - call[0]
                segment.pcs.append(pc)
                depths.append(before := len(stack))
                in_lane += 1
            require(least == min(depths), "least depth of a segment")
            require(len(entry_pcs) == len(self.nested_calls) - entries, "entries of a segment")
            leasts = [min(depths[at : at + BLOCK]) for at in range(0, segment.count, BLOCK)]
            stored = list(zip(*segment.columns(Segment.BLOCK_ENTRIES, Segment.BLOCK_DEPTHS, Segment.BLOCK_LEASTS)))
            require(stored == [(*block, fewest) for block, fewest in zip(blocks, leasts)], "blocks of a segment")
        self._end_lane(lane, stack)

    def _end_lane(self, lane, stack):
        for number in stack:
            call = self.nested_calls[number]
            call[1], call[5] = self.lanes[lane][1] - 1 - call[0], 1
        stack.clear()

    def _read_tfile(self):
        section = self._section(TFILE)
        big_endian, self.block_bytes = section.column(2)[:2]
        self.order = "big" if big_endian else "little"
        names = [name.decode() for name in section.text(1).split(b"\0")]
        require(len(names) == 3 and names[-1] == "", "names")
        self.machine, self.architecture = names[:2]
        self.gdb_numbers, variables = section.column(3), list(map(unzigzag, section.column(4)))
        self.variable_rows = list(zip(variables[::2], variables[1::2]))  # (number, initial value)

    # --- 7 The layout

    def _read_layout(self):
        """Runs of registers, as Run."""
        self.runs, self.any_case, self.registers_of_layout = [], False, []
        self.address_bytes = self.elf_machine = 0
        self.register_bytes = REGISTER_BYTES
        if LAYOUT not in self.sections:
            return
        section = self._section(LAYOUT)
        any_case, self.address_bytes, self.elf_machine = section.column(2)[:3]
        self.any_case = bool(any_case)
        columns = section.columns(3, 4, 5, 6, 7, 8, 9, 10)
        names = section.text(1).split(b"\0")
        require(len(names) == len(columns[0]) + 1 and names[-1] == b"", "names of registers")
        self.runs = [Run(name.decode("latin-1"), *row) for name, row in zip(names, zip(*columns))]
        for run in self.runs:
            require(run.beside > 0, "registers side by side")
            if not run.flags & BANKED:
                self.registers_of_layout += [register_of(run, number) for number in range(max(run.count, 1))]
        ends = [found.offset + found.size for found in self.registers_of_layout]
        require(all(end <= REGISTER_SPACE_MAX for end in ends), "a place")
        self.register_bytes = (max([REGISTER_BYTES, *ends]) + 7) // 8 * 8

    # --- 19 Symbols

    @functools.cached_property
    def symbols(self):
        """[(name, address, size)], and pieces of the address space as (start, number + 1)."""
        if SYMBOLS not in self.sections:
            return [], []
        section = self._section(SYMBOLS)
        names = section.text(2).split(b"\0")
        addresses, sizes = section.columns(3, 4)
        require(names[-1] == b"" and len(names) == len(addresses) + 1 and names[:-1] == sorted(names[:-1]), "names")
        pieces = list(zip(*section.columns(5, 6)))
        require([start for start, _ in pieces] == sorted({start for start, _ in pieces}), "ranges")
        require(all(number <= len(addresses) for _, number in pieces), "a symbol that is not there")
        section.text(1)
        require(7 not in section or set(section.columns(3, 7)[1]) <= {0, 1}, "whether symbols are code of 32-bit Arm")
        return list(zip(names, addresses, sizes)), pieces

    def symbol_at(self, address):
        symbols, pieces = self.symbols
        place = bisect.bisect_right([start for start, _ in pieces], address)
        number = pieces[place - 1][1] if place else 0
        return symbols[number - 1] if number else None

    # --- 20 Source lines

    @functools.cached_property
    def source_lines(self):
        """Pieces of the address space: [(start, end, file, line, column)]; file None: unknown."""
        if SOURCE_LINES not in self.sections:
            return []
        section = self._section(SOURCE_LINES)
        files = section.text(1).split(b"\0")
        require(files.pop() == b"", "files")
        require(files == sorted(set(files)), "order of files")
        starts, numbers, lines, in_columns = section.columns(2, 3, 4, 5)
        require(starts == sorted(set(starts)), "pieces of lines")
        require(all(number <= len(files) for number in numbers), "a file that is not there")
        require(all(number < 1 << 32 for number in lines + in_columns), "a line")
        if 6 in section:
            texts = section.text(6).split(b"\0")
            require(texts.pop() == b"" and len(texts) == len(section.column(7)), "images whose lines are not kept")
        ends = starts[1:] + [0]
        return [(start, end, files[number - 1] if number else None, line, column)
                for start, end, number, line, column in zip(starts, ends, numbers, lines, in_columns)]

    def line_at(self, address):
        pieces = self.source_lines
        place = bisect.bisect_right([piece[0] for piece in pieces], address)
        return pieces[place - 1] if place and pieces[place - 1][2] is not None else None

    def register_named(self, isa, name):
        """The Register that a name means in an instruction set, or None."""
        front, underscore, _ = name.partition("_")
        for run in self.runs:
            wanted = front if run.flags & BANKED else name
            number = None
            if run.count:
                letters = wanted.rstrip("0123456789")
                number, wanted = wanted[len(letters) :], letters
                if not number or int(number) >= run.count:
                    continue
            if not run.states >> isa & 1 or run.flags & BANKED and not underscore:
                continue
            if run.name == wanted or self.any_case and run.name.lower() == wanted.lower():
                return register_of(run, int(number or 0))
        return None

    def snapshots(self):
        """For each event, the bytes that only it writes: of registers by position, of memory by address."""
        for segment in self.segments:
            registers, memory = ([{} for _ in range(segment.count)] for _ in range(2))
            for key, (rows, values) in segment.timelines.items():
                for row, value in zip(rows, values):
                    registers[row].update((8 * (key >> 8 & 0x7FFF) + i, byte) for i, byte in unmask(value, key & 0xFF))
            for word, records in segment.words.items():
                for record in records:
                    bytes_of = unmask(record.value, record.mask)
                    memory[record.event - segment.first].update((8 * word + i, byte) for i, byte in bytes_of)
            yield from zip(range(segment.first, segment.first + segment.count), registers, memory)

    def _first_of_lane(self, lane):
        return sum(figures[1] for figures in self.lanes[:lane])

    def _read_directories(self):
        section = self._section(REGISTERS)
        keys, starts = section.columns(1, 2)
        segments = section.column(3)
        self.written = {
            key: segments[start:end] for key, start, end in zip(keys, starts, starts[1:] + [len(segments)])
        }
        self.nodes = {}  # (kind, level): [(shift, set of entries)]
        for kind, level, shift, offset, size in zip(*self._section(MEMORY).columns(1, 2, 3, 4, 5)):
            entries, end = read_column(self._take(offset, size), 0)
            require(kind < 2 and 1 <= level <= 15 and 3 <= shift <= 63 and end == size, "a node")
            require(entries == sorted(set(entries)), "entries of a node do not rise")
            self.nodes.setdefault((kind, level), []).append((shift, set(entries)))
        if 6 in self._section(MEMORY):  # words that are only read again
            data, end = self._section(MEMORY).part(10), 0
            for level, shift, offset, size in zip(*self._section(MEMORY).columns(6, 7, 8, 9)):
                entries, taken = read_column(data[offset : offset + size], 0)
                require(1 <= level <= 15 and 3 <= shift <= 63 and taken == size, "a node")
                require(entries == sorted(set(entries)), "entries of a node do not rise")
                self.nodes.setdefault((2, level), []).append((shift, set(entries)))
                end += size
            require(end == len(data), "bytes behind the nodes")
        self.regions = collections.defaultdict(list)  # (n, block): events
        if REGIONS in self.sections:
            rows = list(zip(*self._section(REGIONS).columns(1, 2, 3)))
            require(rows == sorted(rows), "regions do not rise")
            for shift, block, event in rows:
                self.regions[shift, block].append(event)
        self.late = list(zip(*self._section(LATE).columns(1, 2, 3))) if LATE in self.sections else []

    def _read_calls(self):
        section, self.calls = self._section(CALLS), []
        for offset, size, entry, exit_max in zip(*section.columns(1, 2, 3, 4)):
            group = Container(self._take(offset, size))
            columns = group.columns(1, 2, 3, 4, 5)
            opens = group.column(6) if 6 in group else [0] * len(columns[0])
            hows = group.column(7) if 7 in group else [0] * len(columns[0])
            befores = group.column(8) if 8 in group else [0] * len(columns[0])
            rows = list(zip(*columns, opens, hows, befores))
            require(rows[0][0] == entry and max(row[0] + row[1] for row in rows) == exit_max, "a group")
            require(not len(self.calls) % CALL_GROUP, "a group that is not full")
            self.calls += rows
        if NESTING in self.sections:
            require(not self.calls, "calls that are listed")
            self.calls = [tuple(call) for call in self.nested_calls]
        require(section.column(5) == [len(self.calls)], "number of calls")
        self.other_calls = []
        if OTHER_CALLS in self.sections:
            figures = self._section(OTHER_CALLS).column(1)
            require(len(figures) == 7 * len(self.lanes), "figures of other calls")
            self.other_calls = [figures[i : i + 7] for i in range(0, len(figures), 7)]
        first = sum(lane[9] for lane in self.lanes)
        for lane in self.other_calls:
            require(lane[5] == first, "other calls")
            first += lane[6]
        require(first == len(self.calls), "calls of lanes")

    def piece_hashes(self):
        return self._section(BLOCKS).column(1)

    # --- 13 Messages

    def messages(self):
        """[(kind, line, position, description, line or subject)]"""
        if MESSAGES not in self.sections:
            return []
        section = self._section(MESSAGES)
        figures, text = section.column(1), Cursor(section.text(2))
        require(len(figures) % 8 == 0, "messages")
        found = []
        for i in range(0, len(figures), 8):
            kind, line, position, first, *_, words, subject = figures[i : i + 8]
            require(kind <= 5, "a kind of message")
            if kind == 5:
                require(line <= position and (first == 0) == (subject == 0), "an unknown word")
            found.append((kind, line, position, bytes(text.take(words)), bytes(text.take(subject))))
        require(text.at == len(text.data), "text behind the messages")
        return found

    def doubts(self):
        """{kind: (number, line of the first)}"""
        if DOUBTS not in self.sections:
            return {}
        rows = self._section(DOUBTS).column(1)
        require(len(rows) % 3 == 0 and rows, "doubts")
        require(list(rows[::3]) == sorted(set(rows[::3])) and 0 not in rows[1::3], "kinds of doubts")
        return {rows[i]: (rows[i + 1], rows[i + 2]) for i in range(0, len(rows), 3)}

    # --- 14 Questions: events

    def event(self, event):
        segment, row = self.segments[event // self.per_segment], event % self.per_segment
        time, line, position, pc, flags, lane = (segment.of_events(part)[row] for part in range(1, 7))
        if self.buffers is not None:
            flags = flags & 0x3F | (flags & 0xC0) << 2  # as in libtrawl, separate from the flags of other kinds
        for late_event, late_pc, late_flags in self.late:
            if late_event == event:
                flags |= late_flags
                pc = late_pc if late_flags & HAS_INSTRUCTION else pc
        in_lane = event
        if self.buffers is not None:
            in_lane = event - self._first_of_lane(lane)
        elif len(self.lanes) > 1:
            lanes = segment.of_events(Segment.LANE)
            in_lane = self.lane_events[lane * self.segment_count + segment.number] + lanes[:row].count(lane)
        return Event(event, lane, in_lane, time, line, position, pc, flags)

    def instruction_of(self, number):
        """The PC of the instruction to which an event belongs; None: there is none."""
        event = self.event(number)
        if not event.flags & HAS_INSTRUCTION:
            segment, row = self.segments[number // self.per_segment], number % self.per_segment
            if Segment.ORIGIN_EVENTS in segment:
                rows = list(segment.column(Segment.ORIGIN_EVENTS))
                require(rows == sorted(set(rows)) and rows[-1] < segment.count, "events with an origin")
                if row in rows:
                    return segment.column(Segment.ORIGIN_PCS)[rows.index(row)]
        lane = event.lane
        while event.lane != lane or not event.flags & HAS_INSTRUCTION:
            if number == 0:
                return None
            number -= 1
            event = self.event(number)
        return event.pc

    def _last_not_above(self, directory, part, wanted):
        number = bisect.bisect_right([row[directory - 1] for row in self.segment_rows], wanted) - 1
        if number < 0:
            return START
        segment = self.segments[number]
        return segment.first + bisect.bisect_right(segment.of_events(part), wanted) - 1

    def event_at_line(self, line):
        return self._last_not_above(4, Segment.LINE, line)

    def event_at_position(self, position):
        if self.buffers is not None:
            return self._event_at_byte(position)
        return self._last_not_above(5, Segment.POSITION, position)

    def _event_at_byte(self, byte):
        for number, (offset, size, lane, first) in enumerate(self.buffers):
            if not offset <= byte < offset + size:
                continue
            last = [*(row[3] for row in self.buffers[number + 1 :]), self.event_count][0]
            found = [event for event in range(first, last) if self.event(event).position <= byte]
            event = found[-1] if found else first - 1
            return event if event >= self._first_of_lane(lane) else START
        return START

    def event_at_time(self, lane, time):
        """The last event of a lane (None: any) that is not after the time."""
        for segment in reversed(self.segments):
            times, lanes = segment.of_events(Segment.TIME), segment.of_events(Segment.LANE)
            for row in reversed(range(segment.count)):
                if times[row] <= time and lane in (None, lanes[row]):
                    return segment.first + row
        return START

    def visits(self, lane, pc):
        """All visits to an address by a lane (None: any), ascending. Blocks are skipped by their filters."""
        bit, found = filter_bit(pc), {late[0] for late in self.late}
        for segment in self.segments:
            filters = segment.column(Segment.FILTER)
            for block in range(0, segment.count, BLOCK):
                if filters[block // BLOCK * 4 + bit // 64] >> bit % 64 & 1:
                    found.update(range(segment.first + block, segment.first + min(block + BLOCK, segment.count)))
        return [event for event in sorted(found) if self._is_visit(self.event(event), lane, pc)]

    @staticmethod
    def _is_visit(event, lane, pc):
        if lane not in (None, event.lane):
            return False
        is_at = event.flags & HAS_INSTRUCTION and event.pc & ~1 == pc & ~1
        return bool(is_at or pc == EXCEPTIONS and event.flags & EXCEPTION)

    # --- Registers

    def registers(self, lane, event):
        """(values, known) of all bytes of the register space."""
        values, known = bytearray(self.register_bytes), bytearray(self.register_bytes)
        if event == START:
            return values, known
        segment, row = self.segments[event // self.per_segment], event % self.per_segment
        writes = [
            (-1, cell, [(i, value >> 8 * i & 0xFF) for i in range(8) if mask >> i & 1])
            for cell, mask, value in (() if self.has_snapshots else segment.checkpoint_of_lanes.get(lane, ()))
        ]
        for key, events, masked in segment.timelines_of_lanes.get(lane, ()):
            place = bisect.bisect_right(events, row) - 1
            if place >= 0 and (not self.has_snapshots or events[place] == row):
                writes.append((events[place], key >> 8, unmask(masked[place], key & 0xFF)))
        for _, lane_cell, written in sorted(writes):
            for i, byte in written:
                at = 8 * (lane_cell & 0x7FFF) + i
                require(at < len(values), "a register that has no name")
                values[at], known[at] = (0, 0) if lane_cell & VALUE_UNKNOWN else (byte, 1)
        return values, known

    def register_writes(self, lane, offset, size):
        """All events that write to any of the bytes, ascending."""
        found = set()
        for cell in range(offset // 8, (offset + size + 7) // 8):
            wanted = sum(1 << i for i in range(8) if offset <= 8 * cell + i < offset + size)
            for mask in range(1, 256):
                for key in (lane << 24 | (cell | flag) << 8 | mask for flag in (0, VALUE_UNKNOWN)):
                    for number in self.written.get(key, ()) if mask & wanted else ():
                        segment = self.segments[number]
                        require(key in segment.timelines, "a timeline that is not there")
                        found.update(segment.first + row for row in segment.timelines[key][0])
        return sorted(found)

    # --- Memory

    def touching(self, kind, word, back=False, level=None, number=0):
        """Numbers of the segments that the directory has for a word."""
        if level is None:
            level = max((above for of, above in self.nodes if of == kind), default=0)
            require(level == 0 or len(self.nodes[kind, level]) == 1, "several nodes at the top")
        elif level == 0:
            if number < self.segment_count:
                yield number
            return
        nodes = self.nodes.get((kind, level), [])
        if number >= len(nodes) or word >> nodes[number][0] - 3 not in nodes[number][1]:
            return
        children = range(16 * number, 16 * number + 16)
        for child in reversed(children) if back else children:
            yield from self.touching(kind, word, back, level - 1, child)

    def records(self, address, kinds=(0, 1), back=False):
        """Records of a byte, in order or backwards."""
        word, bit = address >> 3, address & 7
        trees = [self.touching(kind, word, back) for kind in kinds]
        seen = None
        for number in heapq.merge(*trees, reverse=back):
            if number == seen:
                continue
            seen = number
            found = self.segments[number].words.get(word, [])
            yield from (record for record in (reversed(found) if back else found) if record.mask >> bit & 1)

    def region_events(self, address):
        """Events of the host calls that may have written a byte, ascending."""
        shifts = {shift for shift, _ in self.regions}
        return sorted(event for shift in shifts for event in self.regions.get((shift, address >> shift), ()))

    def _space(self, lane, event, regime, is_upper):
        """What tells the address space of a lane apart from others (8, Places)."""
        values, known = self.registers(lane, event)

        def value(*names):
            for name in names:
                register = next((self.register_named(isa, name) for isa in range(3) if self.register_named(isa, name)), None)
                if register and known[register.offset]:
                    number = int.from_bytes(values[register.offset : register.offset + 8], "little")
                    return number & ~1 if "_EL" in name and name.startswith("TTBR") else number
            return None

        if regime == 3:
            return value("TTBR0_EL3"), 0
        if regime == 2:
            return value("TTBR1_EL2" if is_upper else "TTBR0_EL2", *([] if is_upper else ["HTTBR"])), 0
        machine, other = value("VTTBR_EL2", "VTTBR"), value("TTBR1_EL1")
        if is_upper:
            return None, machine
        table = value("TTBR0_EL1", "TTBR0", "TTBR0_EL2", "CONTEXTIDR_EL1", "CONTEXTIDR")
        return (table, other >> 49 if other is not None else 0), machine

    def place_of(self, lane, event, address):
        """The place of an address as a lane has it at an event (14). None: that is not sure, or no access shows it."""
        if PLACES not in self.sections:
            return address
        is_upper = address >> 55 & 1
        page = ((address & (1 << 56) - 1) | (0xFF << 56 if is_upper else 0)) >> 12
        segment = self.segments[event // self.per_segment]
        regime = ([r for row, of, r in segment.regimes if of == lane and row <= event % self.per_segment] or [0])[-1]
        space = self._space(lane, event, regime, is_upper)
        rows = [row for one in self.segments for row in one.places.get(page, [])]
        own = [row for row in rows
               if (not regime or not row[2] or row[2] == regime) and self._space(row[1], row[0], row[2], is_upper) == space]  # fmt: skip
        before, after = [row for row in own if row[0] <= event], [row for row in own if row[0] > event]
        places = {row[3] for row in rows}
        if before or after:
            return (before[-1] if before else after[0])[3] << 12 | address & 0xFFF
        return places.pop() << 12 | address & 0xFFF if len(places) == 1 else None

    def memory_byte(self, address, event):
        """The value of a byte of memory at a place; None: unknown."""
        if self.has_snapshots:
            stores = [record for record in self.records(address, [0]) if record.event == event]
            return dict(unmask(stores[-1].value, stores[-1].mask))[address & 7] if stores else None
        bit, hosts = address & 7, self.region_events(address)
        host = max((at for at in hosts if at <= event), default=START)
        of_ttu = self.options & 1  # read by the rules of the Tarmac Trace Utilities
        records = (record for record in self.records(address, back=True) if not of_ttu or record.kind != LOAD and not record.is_outside)
        store = next((record for record in records if record.event <= event), None)
        if store and is_behind(host, store):
            store = None
        if store and store.kind != UNKNOWN_STORE:
            value = dict(unmask(store.value, store.mask))[bit]
            later = next((record for record in self.records(address) if record.event > event), None)
            if (not of_ttu and store.event < event and later and later.kind == LOAD and dict(unmask(later.value, later.mask))[bit] != value
                    and not any(event < at and not is_behind(at, later) for at in hosts)):  # fmt: skip
                return None  # it was changed from outside
            return value
        origin = store.event if store else host
        for record in self.records(address):
            if (record.segment, record.row) <= (store.segment, store.row) if store else is_behind(origin, record):
                continue
            if of_ttu and record.kind != LOAD and record.is_outside:
                continue
            if record.kind != LOAD or record.is_outside and not of_ttu or any(origin < at and not is_behind(at, record) for at in hosts):
                return None
            return dict(unmask(record.value, record.mask))[bit]
        return None

    def memory_writes(self, address, size):
        """All events that write to any of the bytes, ascending."""
        found = set()
        for at in range(address, address + size):
            found.update(record.event for record in self.records(at, [0]) if record.kind != LOAD and not is_doubt(record))
            found.update(self.region_events(at))
        return sorted(found)

    def memory_reads(self, address, size):
        """All events that read any of the bytes, ascending."""
        numbers = {
            number
            for word in range(address >> 3, (address + size - 1 >> 3) + 1)
            for kind in (1, 2)
            for number in self.touching(kind, word)
        }
        return sorted({
            event
            for number in numbers
            for event, at, bytes_ in self.segments[number].loads
            if at < address + size and address < at + bytes_
        })

    def accesses(self, segment):
        """(event, address, bytes from the first to the last, mask, value, kind) of a segment, by event and address."""
        found = []
        for word, records in segment.words.items():
            for record in records:
                first = (record.mask & -record.mask).bit_length() - 1
                mask = record.mask >> first
                if is_doubt(record):
                    continue
                found.append((record.event, 8 * word + first, mask.bit_length(), mask, record.value, LOAD if record.is_outside else record.kind, record.row))
        return [row[:6] for row in sorted(found, key=lambda row: (row[0], row[6]))]

    def register_log(self, segment):
        """(event, lane, offset, mask, value) of each write to registers in a segment, by timeline and event."""
        found = []
        for key, (rows, values) in sorted(segment.timelines.items()):
            if key >> 8 & VALUE_UNKNOWN:
                continue
            first = (key & -key & 0xFF).bit_length() - 1
            about = key >> 24, 8 * (key >> 8 & 0xFFFF) + first, (key & 0xFF) >> first
            found += [(segment.first + row, *about, value) for row, value in zip(rows, values)]
        return found

    # --- Calls

    def functions(self, lane):
        """[(PC of the entry, calls)] of a lane, or (None) of all lanes."""
        first, count = self.lanes[lane][8:10] if lane is not None else (0, len(self.calls))
        return sorted(collections.Counter(row[4] & ~1 for row in self.calls[first : first + count]).items())

    def inside(self, lane, number):
        """The number of calls inside a call, including nested ones."""
        first, count = self.lanes[lane][8:10]
        rows = self.calls[first : first + count]
        end = number + 1
        while end < count and rows[end][2] > rows[number][2]:
            end += 1
        return end - number - 1

    def call(self, lane, number):
        entry, length, depth, parent, pc, is_open, how, before = self.calls[self.lanes[lane][8] + number]
        require(parent <= number, "a parent that does not exist")
        require(before <= entry, "a call that began before its lane")
        return Call(number, entry, entry + length, pc, depth, number - parent if parent else None, bool(is_open), how, entry - before)

    def tasks(self, lane):
        """[(task, stack, lowest, entry)]"""
        if TASKS not in self.sections:
            return [(0, None, None, None)]
        section = self._section(TASKS)
        counts = section.column(1)
        require(len(counts) == len(self.lanes) and max(counts) <= 4096, "tasks of lanes")
        first = sum(counts[:lane])
        rows = list(zip(*section.columns(3, 4, 5)))
        require(len(rows) == sum(counts), "tasks")
        known = [[None if value == MASK64 else value for value in row] for row in rows[first : first + counts[lane]]]
        return [(number, *row) for number, row in enumerate(known)] or [(0, None, None, None)]

    def task_runs(self, lane):
        """[(run, task, first event, last event)]"""
        end, switches = self.lanes[lane][1], []
        if TASKS in self.sections:
            section = self._section(TASKS)
            counts = section.column(2)
            rows = list(zip(*section.columns(6, 7)))
            require(len(counts) == len(self.lanes) and len(rows) == sum(counts), "switches")
            switches = rows[sum(counts[:lane]) :][: counts[lane]]
        starts = [(0, 0), *switches] if end else []
        ends = [event for event, _ in starts[1:]] + [end]
        require(all(first < last for (first, _), last in zip(starts, ends)), "switches that do not rise")
        require(all(not task or task < len(self.tasks(lane)) for _, task in starts), "a task that does not exist")
        return [(run, task, first, last - 1) for run, ((first, task), last) in enumerate(zip(starts, ends))]

    def call_at(self, lane, in_lane):
        """The innermost call at an event of a lane."""
        first, count = self.lanes[lane][8:10]
        rows = self.calls[first : first + count]
        active = [i for i, (entry, length, *_) in enumerate(rows) if entry <= in_lane <= entry + length]
        return self.call(lane, active[-1]) if active else None
