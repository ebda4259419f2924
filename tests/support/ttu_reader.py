"""A second reader of indexes of Arm's Tarmac Trace Utilities (format 17), written only from the description of the format.

It checks everything that their programs rely on: orders, disjoint items, annotations, depth arrays, adjacent lines and bytes.
"""

import hashlib
import struct
from collections import Counter, namedtuple

MAGIC = b"TarmacIndexV0017"
HEADER = struct.Struct(">16sIQQI")
NODE = struct.Struct(">QQII")
EVENT = struct.Struct(">QQQQIIQIQI")  # after NODE
VISIT = struct.Struct(">QIB")
ITEM = struct.Struct(">cBQQQII")
PIECE = struct.Struct(">QQQB")
DEPTH = struct.Struct(">IIIQQ")
DEPTH_END = 0xfffffffe
WITHOUT_PC = 2
PC_OF_EXCEPTIONS = 6
TOP = (1 << 64) - 1
LEVELS_MAX = 500

Event = namedtuple("Event", "time pc position size_bytes line lines root depth array entries")
Item = namedtuple("Item", "space is_known lo hi contents line latest")
Piece = namedtuple("Piece", "lo data")


class Wrong(Exception):
    """The file violates the format."""


def check(holds, what):
    if not holds:
        raise Wrong(what)


class Index:
    def __init__(self, data):
        self.data = data
        magic, self.flags, self.event_root, self.visit_root, self.header_lines = HEADER.unpack_from(data)
        check(magic == MAGIC, "magic")
        check(self.flags & 4, "not complete")
        self.events = [event for _, event in self.nodes(self.event_root, EVENT, Event._make)]
        self.visits = [visit[:2] for _, visit in self.nodes(self.visit_root, VISIT, tuple)]
        self.learned = {}  # offset of a cell: its pieces
        self.latest = {}  # {offset of an item: result of check_latest}

    def node(self, offset, layout):
        check(HEADER.size <= offset <= len(self.data) - NODE.size - layout.size, "offset of a node")
        left, right, height, references = NODE.unpack_from(self.data, offset)
        check(references == 0, "references")
        return left, right, height, layout.unpack_from(self.data, offset + NODE.size)

    def nodes(self, root, layout, make):
        """(offset, payload) of each node of a tree, in its order."""
        above, offset = [], root
        while above or offset:
            check(len(above) < LEVELS_MAX, "levels of a tree")
            if offset:
                left, right, _, payload = self.node(offset, layout)
                above.append((offset, right, payload))
                offset = left
                continue
            offset, right, payload = above.pop()
            yield offset, make(payload)
            offset = right

    def contents(self, offset, size_bytes):
        check(HEADER.size <= offset <= len(self.data) - size_bytes, "contents")
        return self.data[offset:offset + size_bytes]

    def items(self, root):
        return [Item._make(payload) for _, payload in self.nodes(root, ITEM, tuple)]

    def pieces_of(self, cell):
        """The contents of a cell."""
        if cell not in self.learned:
            root, = struct.unpack(">Q", self.contents(cell, 8))
            pieces, end = [], -1
            for _, (lo, hi, contents, _) in self.nodes(root, PIECE, tuple):
                check(end < lo <= hi, "order of pieces")
                pieces.append(Piece(lo, self.contents(contents, hi - lo + 1)))
                end = hi
            self.learned[cell] = pieces
        return self.learned[cell]

    # --- Checks ----------------------------------------------------------------------------------

    def check_events(self, trace_bytes):
        line, position = 1, self.events[0].position
        for event in self.events:
            check(event.line == line and event.lines, "lines of events are not adjacent")
            check(event.position == position and event.size_bytes, "bytes of events are not adjacent")
            check(event.root, "no memory root")
            line, position = line + event.lines, position + event.size_bytes
        check(position <= trace_bytes, "events end beyond the trace")

    def depth_array(self, event):
        return [DEPTH.unpack_from(self.data, event.array + DEPTH.size * i) for i in range(event.entries)] if event else []

    def check_depths(self, offset=None):
        """Checks the array of a subtree. Returns its height, and its lines and events by depth: {depth: (lines, events)}."""
        if offset is None:
            offset = self.event_root
        if not offset:
            return 0, {}, []
        left, right, height, payload = self.node(offset, EVENT)
        event = Event._make(payload)
        left_height, left_sums, left_array = self.check_depths_of(left)
        right_height, right_sums, right_array = self.check_depths_of(right)
        check(height == 1 + max(left_height, right_height), "height of an event")
        sums = {event.depth: (event.lines, 1)}
        for part in (left_sums, right_sums):
            for depth, (lines, events) in part.items():
                have = sums.get(depth, (0, 0))
                sums[depth] = (have[0] + lines, have[1] + events)
        wanted, lines, events, links = [], 0, 0, [0, 0]
        for depth in [*sorted(sums), DEPTH_END]:
            for side, array in enumerate((left_array, right_array)):
                while array and array[links[side]][0] < depth:
                    links[side] += 1
            wanted.append((depth, lines, events, *links))
            more = sums.get(depth, (0, 0))
            lines, events = lines + more[0], events + more[1]
        array = self.depth_array(event)
        check(array == wanted, "depth array")
        return height, sums, array

    def check_depths_of(self, offset):
        return self.check_depths(offset) if offset else (0, {}, [])

    def check_visits(self):
        """Returns the lines of events with an exception."""
        check(self.visits == sorted(self.visits), "order of visits")
        left = Counter(self.visits)
        left.subtract((event.pc & ~1, event.line) for event in self.events if event.pc != WITHOUT_PC)
        lines = {event.line for event in self.events}
        for (pc, line), count in left.items():
            check(count == 0 or (count == 1 and pc == PC_OF_EXCEPTIONS and line in lines), "visits")
        return {line for (_, line), count in left.items() if count}

    def check_memory(self, event):
        """Checks the memory tree of an event, and returns its items."""
        ends = {b"m": -1, b"r": -1}
        items = self.items(event.root)
        spaces = [item.space for item in items]
        check(spaces == sorted(spaces), "spaces")
        for item in items:
            check(item.is_known in (0, 1), "known")
            check(ends[item.space] < item.lo <= item.hi <= TOP, "items that are not disjoint")
            check(item.line <= event.line, "an item of a later event")
            check(item.is_known or item.space == b"m", "an unknown register")
            ends[item.space] = item.hi
            if item.is_known:
                self.contents(item.contents, item.hi - item.lo + 1)
            else:
                self.pieces_of(item.contents)
        self.check_latest(event.root)
        return items

    def check_latest(self, offset):
        """Checks a subtree, which many trees share."""
        if not offset:
            return 0, 0
        if offset in self.latest:
            return self.latest[offset]
        left, right, height, payload = self.node(offset, ITEM)
        item = Item._make(payload)
        parts = [self.check_latest(child) for child in (left, right)]
        check(item.latest == max(item.line, parts[0][0], parts[1][0]), "latest line of a subtree")
        check(height == 1 + max(parts[0][1], parts[1][1]), "height of an item")
        self.latest[offset] = item.latest, height
        return item.latest, height

    # --- The state at an event -------------------------------------------------------------------

    def registers(self, event):
        """{offset in the register space: (byte, line)}."""
        found = {}
        for item in self.items(event.root):
            if item.space == b"r":
                data = self.contents(item.contents, item.hi - item.lo + 1)
                found.update({item.lo + i: (byte, item.line) for i, byte in enumerate(data)})
        return found

    def memory(self, event):
        """[(address, bytes, line)] of all known memory, as divided in the index; [(lo, hi, line)] of memory that was written but is
        unknown."""
        known, unknown = [], []
        for item in self.items(event.root):
            if item.space != b"m":
                continue
            if item.is_known:
                known.append((item.lo, self.contents(item.contents, item.hi - item.lo + 1), item.line))
                continue
            for piece in self.pieces_of(item.contents):
                lo, hi = max(piece.lo, item.lo), min(piece.lo + len(piece.data) - 1, item.hi)
                if lo <= hi:
                    known.append((lo, piece.data[lo - piece.lo:hi - piece.lo + 1], item.line))
            if item.line and unknown and unknown[-1][1:] == (item.lo - 1, item.line):
                unknown[-1] = (unknown[-1][0], item.hi, item.line)
            elif item.line:
                unknown.append((item.lo, item.hi, item.line))
        return known, unknown

    def text(self, numbers):
        """Everything that must be equal in two indexes of a trace at likeness level B, with the state after some events."""
        lines = [f"flags {self.flags:x} header {self.header_lines}"]
        for number, event in enumerate(self.events):
            lines.append(f"{event.time} {event.pc:x} {event.position} {event.size_bytes} {event.line} {event.lines} {event.depth}")
            if number in numbers:
                known, unknown = self.memory(event)
                lines += [f"m {lo:x} {data.hex()} {line}" for lo, data, line in known]
                lines += [f"? {lo:x} {hi:x} {line}" for lo, hi, line in unknown]
                lines += [f"r {at:x} {byte:02x} {line}" for at, (byte, line) in sorted(self.registers(event).items())]
        lines += [f"visit {pc:x} {line}" for pc, line in self.visits]
        return "\n".join(lines) + "\n"

    def digest(self, numbers):
        return hashlib.sha256(self.text(numbers).encode()).hexdigest()[:32]


def samples_of(count, wanted):
    """`wanted` numbers of events, spread over the trace."""
    return set(range(count)) if count <= wanted else {i * (count - 1) // (wanted - 1) for i in range(wanted)}


def read(path):
    with open(path, "rb") as file:
        return Index(file.read())


def check_all(index, trace_bytes, numbers):
    """Checks the whole index, and the memory trees of some events."""
    index.check_events(trace_bytes)
    index.check_depths()
    index.check_visits()
    for number in sorted(numbers):
        index.check_memory(index.events[number])
