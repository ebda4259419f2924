"""Splits an index into its parts, and joins it again with other numbers and correct checksums.

The layout is that of idx/FORMAT.md, as in index_reader.py, which does the splitting.
"""

import index_reader
from index_reader import BLOCK, CALLS, MASK64, MEMORY, SEGMENTS, check_of, width_of

TIMELINES, TIMELINE_STARTS = 11, 10  # parts of a segment
REREAD_COLUMNS = 10  # part of MEMORY
# The parts that are text, by their sections.
TEXTS = {
    index_reader.IDENTITY: 2, index_reader.LANES: 1, index_reader.MESSAGES: 2, index_reader.TFILE: 1,
    index_reader.LAYOUT: 1, index_reader.SYMBOLS: 1, index_reader.SOURCE_LINES: 1,
}
PLAIN, STEPS, WIDE = "plain", "steps", "wide"


# --- Columns -------------------------------------------------------------------------------------


def little(number, size):
    return number.to_bytes(size, "little")


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number):
    return (number << 1 ^ -(number >> 63)) & MASK64


def packed(numbers, width):
    bits = 0
    for i, number in enumerate(numbers):
        bits |= (number & ((1 << width) - 1)) << i * width
    return little(bits, (len(numbers) * width + 7) // 8)


def payload(values, least, greatest, shape):
    """A block. Shapes STEPS and WIDE can hold any numbers, regardless of what is claimed."""
    width = width_of(greatest - least)
    if shape == PLAIN:
        return b"\0" + packed([value - least for value in values], width)
    if shape == WIDE:  # patched, but without patches: offsets have a separate width
        return b"\x08" + b"\0" + b"\x40" + b"\0" + packed([value - least for value in values], 64)
    steps = [(b - a) & MASK64 for a, b in zip(values, values[1:])]
    anchors = packed([value - least for value in values[::32]], width)
    return b"\x02" + varint(zigzag(0)) + b"\x40" + anchors + packed(steps, 64)


def extremes(values):
    """(least, greatest) of each block."""
    blocks = [values[i : i + BLOCK] for i in range(0, len(values), BLOCK)]
    return [(min(block), max(block)) for block in blocks]


def encode(values, shape=PLAIN, claims=None):
    """A column. `claims` are extremes of blocks for the directory, instead of the true ones."""
    blocks = [values[i : i + BLOCK] for i in range(0, len(values), BLOCK)]
    claimed = claims or extremes(values)
    payloads = [
        b"" if least == greatest else payload(block, least, greatest, shape)
        for block, (least, greatest) in zip(blocks, claimed)
    ]
    base = min((least for least, _ in claimed), default=0)
    size = sum(map(len, payloads))
    is_short = size <= 256 and bool(blocks)
    min_bytes = (max((least - base for least, _ in claimed), default=0).bit_length() + 7) // 8
    range_bytes = (max((greatest - least for least, greatest in claimed), default=0).bit_length() + 7) // 8
    start_bytes = (size.bit_length() + 7) // 8 if len(blocks) > 1 else 0
    directory, start = b"", 0
    for (least, greatest), part in zip(claimed, payloads):
        directory += little(least - base, min_bytes) + little(greatest - least, range_bytes)
        directory += little(start, start_bytes) + (b"" if is_short else little(check_of(part), 4))
        start += len(part)
    head = bytes([min_bytes | range_bytes << 4, start_bytes | is_short << 4])
    head += varint(len(values)) + varint(size) + varint(base) + directory
    return little(check_of(head + b"".join(payloads) if is_short else head), 4) + head + b"".join(payloads)


def encode_alike(value, count):
    """A column that claims `count` equal values, for which it takes no bytes."""
    head = bytes([0, 0x10]) + varint(count) + varint(0) + varint(value)
    return little(check_of(head), 4) + head


def decode(data):
    """The consecutive columns in some bytes."""
    columns, end = [], 0
    while end < len(data):
        values, end = index_reader.read_column(data, end)
        columns.append(values)
    return columns


def encode_text(text):
    return little(check_of(text), 4) + text


# --- The index -----------------------------------------------------------------------------------


def container(parts):
    table = varint(len(parts)) + b"".join(varint(number) + varint(len(part)) for number, part in sorted(parts.items()))
    return little(check_of(table), 4) + table + b"".join(part for _, part in sorted(parts.items()))


class Draft:
    """An index as containers of parts: {number: bytes}. Offsets and sizes are computed again."""

    def __init__(self, data):
        index = index_reader.Index(data)
        self.version = bytes(index.data[8:12])
        self.flags = {}
        for at in range(32, 32 + 24 * len(index.sections), 24):
            self.flags[int.from_bytes(index.data[at : at + 4], "little")] = bytes(index.data[at + 4 : at + 8])
        self.segments = [dict(segment.parts) for segment in index.segments]
        self.checkpoints = [dict(index_reader.Container(s.checkpoint_data).parts) for s in index.segments]
        self.sections = {number: dict(index_reader.Container(index.sections[number]).parts) for number in self.flags}
        self.nodes = [bytes(index.data[at : at + size]) for at, size in self._places(index, MEMORY, 4, 5)]
        groups = self._places(index, CALLS, 1, 2)
        self.groups = [dict(index_reader.Container(bytes(index.data[at : at + size])).parts) for at, size in groups]
        self.lies = {}  # {(section, part): a function of the true bytes}

    @staticmethod
    def _places(index, section, offsets, sizes):
        parts = index_reader.Container(index.sections[section])
        return list(zip(parts.column(offsets), parts.column(sizes)))

    def build(self):
        out, places = bytearray(512), {}

        def put(what, data):
            places.setdefault(what, []).append((len(out), len(data)))
            out.extend(data)

        for segment, checkpoint in zip(self.segments, self.checkpoints):
            put("checkpoints", container(checkpoint))
            put("segments", container(segment))
        for node in self.nodes:
            put("nodes", node)
        for group in self.groups:
            put("groups", container(group))
        sections = {number: dict(parts) for number, parts in self.sections.items()}
        for number, what, offsets, sizes in [
            (SEGMENTS, "segments", 1, 2), (SEGMENTS, "checkpoints", 9, 10), (MEMORY, "nodes", 4, 5),
            (CALLS, "groups", 1, 2),
        ]:
            sections[number][offsets] = encode([at for at, _ in places.get(what, [])])
            sections[number][sizes] = encode([size for _, size in places.get(what, [])])
        for (number, part), lie in self.lies.items():
            sections[number][part] = lie(sections[number][part])
        table = b""
        for number, flags in self.flags.items():
            data = container(sections[number])
            table += little(number, 4) + flags + little(len(out), 8) + little(len(data), 8)
            out.extend(data)
        out[:12] = index_reader.MAGIC + self.version
        out[16:32] = little(len(out), 8) + little(len(self.flags), 4) + bytes(4)
        out[32 : 32 + len(table)] = table
        out[12:16] = little(check_of(bytes(out[:512])), 4)
        return bytes(out)

    # --- Places for wrong values

    def places(self):
        """The places of numbers: (name, whether it is a series of columns, function that sets its bytes, its bytes)."""

        def setter(parts, number):
            return lambda data: parts.__setitem__(number, data)

        for what, all_parts in ("segment", self.segments), ("checkpoint", self.checkpoints), ("group", self.groups):
            for i, parts in enumerate(all_parts):
                for number, data in list(parts.items()):
                    is_series = what == "segment" and number == TIMELINES
                    yield "%s %d part %d" % (what, i, number), is_series, setter(parts, number), data
        for i, data in enumerate(self.nodes):
            yield "node %d" % i, False, setter(self.nodes, i), data
        for number, parts in self.sections.items():
            for part, data in list(parts.items()):
                if TEXTS.get(number) == part or (number, part) == (index_reader.SYMBOLS, 2):
                    continue
                set_lie = lambda data, key=(number, part): self.lies.__setitem__(key, lambda _: data)
                yield "section %d part %d" % (number, part), (number, part) == (MEMORY, REREAD_COLUMNS), set_lie, data
