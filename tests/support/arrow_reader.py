"""Reads Arrow's IPC files as `trawl export` writes them, according to the format's description
(https://arrow.apache.org/docs/format/Columnar.html, Schema.fbs, Message.fbs, File.fbs): columns of numbers and doubles, and of texts
as the numbers of those in dictionaries, without compression."""

import struct


class Flat:
    """A table of a FlatBuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.fields = at - struct.unpack_from("<i", data, at)[0]
        self.size = struct.unpack_from("<H", data, self.fields)[0]

    def place(self, number):
        slot = 4 + 2 * number
        offset = struct.unpack_from("<H", self.data, self.fields + slot)[0] if slot < self.size else 0
        return self.at + offset if offset else None

    def number(self, number, code, default=0):
        place = self.place(number)
        if place is None:
            return default
        assert (place % struct.calcsize(code)) == 0, "aligned"
        return struct.unpack_from("<" + code, self.data, place)[0]

    def target(self, number):
        place = self.place(number)
        return None if place is None else place + struct.unpack_from("<I", self.data, place)[0]

    def table(self, number):
        return Flat(self.data, self.target(number))

    def text(self, number):
        at = self.target(number)
        length = struct.unpack_from("<I", self.data, at)[0]
        assert self.data[at + 4 + length] == 0
        return self.data[at + 4 : at + 4 + length].decode()

    def vector(self, number, code):
        """Items as tuples."""
        at, step = self.target(number), struct.calcsize("<" + code)
        count = struct.unpack_from("<I", self.data, at)[0]
        return [struct.unpack_from("<" + code, self.data, at + 4 + i * step) for i in range(count)]

    def tables(self, number):
        at = self.target(number)
        count = struct.unpack_from("<I", self.data, at)[0]
        places = range(at + 4, at + 4 + 4 * count, 4)
        return [Flat(self.data, place + struct.unpack_from("<I", self.data, place)[0]) for place in places]


def root(data):
    return Flat(data, struct.unpack_from("<I", data)[0])


def columns_of(schema):
    """(name, type) of each: 2 a number, 3 a double, 5 a text."""
    columns = [(field.text(0), field.number(2, "B")) for field in schema.tables(1)]
    ids = [field.table(4).number(0, "q") for field, (_, kind) in zip(schema.tables(1), columns, strict=True) if kind == 5]
    assert ids == [number for number, (_, kind) in enumerate(columns) if kind == 5]
    for field, (name, kind) in zip(schema.tables(1), columns, strict=True):
        assert field.number(1, "B") == 1, name
        assert (field.target(4) is not None) == (kind == 5), name
        if kind == 5:  # pyarrow wants to be told the default
            index = field.table(4).table(1)
            assert (index.number(0, "i"), index.number(1, "B")) == (32, 1), name
        if kind == 2:
            assert (field.table(3).number(0, "i"), field.table(3).number(1, "B")) == (64, 0), name
    return columns


def message_at(data, at):
    mark, size = struct.unpack_from("<II", data, at)
    assert mark == 0xFFFFFFFF
    assert (at + 8) % 8 == 0 and size % 8 == 0
    return size, (root(data[at + 8 : at + 8 + size]) if size else None)


def column(kind, count, body, buffers, texts):
    (has_at, has_size), (at, size) = buffers
    has = [not has_size or body[has_at + i // 8] >> i % 8 & 1 for i in range(count)]
    assert size == (4 if kind == 5 else 8) * count
    cells = struct.unpack_from(f"<{count}{'i' if kind == 5 else 'Q' if kind == 2 else 'd'}", body, at)
    if kind == 5:
        cells = [texts[cell] if is_there else None for cell, is_there in zip(cells, has, strict=True)]
    return [cell if is_there else None for cell, is_there in zip(cells, has, strict=True)]


def batch(columns, header, body, texts):
    count = header.number(0, "q")
    nodes, buffers = header.vector(1, "qq"), header.vector(2, "qq")
    assert all(at % 8 == 0 and at + size <= len(body) for at, size in buffers)
    values = []
    for number, ((_, kind), (length, empty)) in enumerate(zip(columns, nodes, strict=True)):
        own, buffers = buffers[:2], buffers[2:]
        cells = column(kind, count, body, own, texts.get(number))
        assert length == count and empty == cells.count(None)
        values.append(cells)
    assert not buffers
    return [dict(zip([name for name, _ in columns], row, strict=True)) for row in zip(*values, strict=True)]


def dictionary(header, body):
    """The number of its column, and its texts, each once."""
    data = header.table(1)
    ((length, empty),), ((_, has_size), (ends_at, ends_size), (text_at, text_size)) = data.vector(1, "qq"), data.vector(2, "qq")
    assert (data.number(0, "q"), empty, has_size, ends_size) == (length, 0, 0, 4 * (length + 1))
    ends = struct.unpack_from(f"<{length + 1}i", body, ends_at)
    assert ends[0] == 0 and ends[-1] == text_size and list(ends) == sorted(ends)
    texts = [body[text_at + a : text_at + b].decode() for a, b in zip(ends, ends[1:])]
    assert len(set(texts)) == len(texts)
    return header.number(0, "q"), texts


def read(data):
    """The rows as dictionaries, and the number of batches."""
    assert data[:8] == b"ARROW1\0\0" and data[-6:] == b"ARROW1"
    footer_size = struct.unpack_from("<i", data, len(data) - 10)[0]
    footer_at = len(data) - 10 - footer_size
    footer = root(data[footer_at:])
    assert footer.number(0, "h") == 4
    columns, blocks, text_blocks, at = columns_of(footer.table(1)), footer.vector(3, "qi4xq"), footer.vector(2, "qi4xq"), 8
    size, message = message_at(data, at)
    assert message.number(1, "B") == 1 and columns_of(message.table(2)) == columns
    at += 8 + size
    found = []
    for kind, (offset, head_size, body_size) in [(3, block) for block in blocks] + [(2, block) for block in text_blocks]:
        size, message = message_at(data, at)
        assert (offset, head_size) == (at, 8 + size) and message.number(1, "B") == kind
        assert message.number(3, "q") == body_size and message.number(0, "h") == 4
        found.append((message.table(2), data[at + 8 + size : at + 8 + size + body_size]))
        at += 8 + size + body_size
    assert message_at(data, at) == (0, None) and at + 8 == footer_at
    texts = dict(dictionary(*one) for one in found[len(blocks) :])
    assert sorted(texts) == [number for number, (_, kind) in enumerate(columns) if kind == 5]
    return [row for one in found[: len(blocks)] for row in batch(columns, *one, texts)], len(blocks)
