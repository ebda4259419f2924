"""Reads Parquet files as `trawl export` writes them, according to the format's description (https://github.com/apache/parquet-format):
flat columns with optional values, pages of version 1, dictionaries, deltas, pages compressed with Zstandard (by the system's libzstd) or
uncompressed. It checks what the file states about itself: sizes, numbers of values, statistics."""

import ctypes
import datetime
import struct
import urllib.parse

MAGIC = b"PAR1"
PLAIN, RLE, DELTA, PLACES = 0, 3, 5, 8
DATA_PAGE, DICTIONARY_PAGE = 0, 2
INT64, DOUBLE, BYTES = 2, 5, 6


class Thrift:
    """Structs of the compact protocol, as dictionaries by the number of the field."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.signed()
        if kind == 8:
            length = self.varint()
            self.at += length
            assert self.at <= len(self.data), "text within the file"
            return bytes(self.data[self.at - length : self.at])
        if kind == 9:
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        assert kind == 12, f"type {kind}"
        return self.struct()

    def struct(self):
        fields, number = {}, 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.signed()
            fields[number] = self.value(head & 15)
        return fields


def decompress(data, size):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    buffer = ctypes.create_string_buffer(max(size, 1))
    written = library.ZSTD_decompress(buffer, ctypes.c_size_t(size), bytes(data), ctypes.c_size_t(len(data)))
    assert written == size, "the size of an unpacked page"
    return buffer.raw[:size]


def unpack(data, at, count, width):
    """Numbers of `width` bits each, the first in the lowest bits."""
    bits = int.from_bytes(data[at : at + (count * width + 7) // 8], "little")
    mask = (1 << width) - 1
    return [bits >> i * width & mask for i in range(count)]


def hybrid(data, width, count):
    """Runs and packed groups of eight."""
    reader, values = Thrift(data), []
    while len(values) < count:
        head = reader.varint()
        if head & 1:
            groups = head >> 1
            values += unpack(data, reader.at, 8 * groups, width)
            reader.at += groups * width
        else:
            size = (width + 7) // 8
            values += [int.from_bytes(data[reader.at : reader.at + size], "little")] * (head >> 1)
            reader.at += size
        assert reader.at <= len(data), "runs within the page"
    assert reader.at == len(data), "nothing after the runs"
    return values[:count]


def deltas(data, count):
    reader = Thrift(data)
    block, parts, total, value = reader.varint(), reader.varint(), reader.varint(), reader.signed()
    assert block % 128 == 0 and block // parts % 32 == 0 and total == count, "the head of deltas"
    values, part = [value], block // parts
    while len(values) < count:
        least = reader.signed()
        widths = [reader.byte() for _ in range(parts)]
        for width in widths:
            if len(values) >= count:
                assert width == 0, "no width of parts that are not there"
                continue
            for packed in unpack(data, reader.at, part, width):
                value = (value + least + packed) & 0xFFFFFFFFFFFFFFFF
                values.append(value)
            reader.at += part * width // 8
    assert reader.at == len(data), "nothing after deltas"
    return [value & 0xFFFFFFFFFFFFFFFF for value in values[:count]]


def entries(data, count):
    found, at = [], 0
    for _ in range(count):
        size = struct.unpack_from("<I", data, at)[0]
        found.append(data[at + 4 : at + 4 + size].decode())
        at += 4 + size
    assert at == len(data), "nothing after the dictionary"
    return found


class Column:
    def __init__(self, data, about, element):
        meta = about[3]
        self.data, self.element, self.meta = data, element, meta
        self.dictionary, self.values = None, []
        start = meta.get(11, meta[9])
        assert about[2] == start, "where a column begins"
        end, unpacked = start + meta[7], 0
        reader = Thrift(data, start)
        while reader.at < end:
            before = reader.at
            head = reader.struct()
            unpacked += reader.at - before + head[2]
            body = data[reader.at : reader.at + head[3]]
            reader.at += head[3]
            body = decompress(body, head[2]) if meta[4] == 6 else body
            assert len(body) == head[2], "the size of a page"
            self.page(head, body)
        assert reader.at == end and unpacked == meta[6] and len(self.values) == meta[5], "what a column says of itself"
        self.check_statistics(meta[12])

    def page(self, head, body):
        if head[1] == DICTIONARY_PAGE:
            assert self.dictionary is None and head[7][2] == PLAIN, "one plain dictionary"
            self.dictionary = entries(body, head[7][1])
            return
        about, levels_bytes = head[5], struct.unpack_from("<I", body)[0]
        assert about[2] in self.meta[2] and about[3] == RLE, "encodings that the column has said"
        has = hybrid(body[4 : 4 + levels_bytes], 1, about[1])
        values = iter(self.plain(about[2], body[4 + levels_bytes :], sum(has)))
        self.values += [next(values) if there else None for there in has]

    def plain(self, encoding, body, count):
        if encoding == PLACES:
            return [self.dictionary[place] for place in (hybrid(body[1:], body[0], count) if count else [])]
        if encoding == DELTA:
            return deltas(body, count)
        assert encoding == PLAIN and len(body) == 8 * count, "plain numbers"
        return struct.unpack(f"<{count}{'d' if self.meta[1] == DOUBLE else 'Q'}", body)

    def check_statistics(self, said):
        there = [value for value in self.values if value is not None]
        assert said[3] == len(self.values) - len(there), "how many are empty"
        if not there or (self.meta[1] == BYTES and 5 not in said):
            assert 5 not in said and (not there or max(len(value) for value in there) > 256), "no extremes of nothing"
            return
        code = "d" if self.meta[1] == DOUBLE else "Q"
        most, least = (said[key].decode() if self.meta[1] == BYTES else struct.unpack("<" + code, said[key])[0] for key in (5, 6))
        order = (lambda value: value.encode()) if self.meta[1] == BYTES else None
        assert (most, least) == (max(there, key=order), min(there, key=order)), "extremes"


def convert(element, values):
    if 8 in element.get(10, {}):  # microseconds since 1970
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return [value if value is None else epoch + datetime.timedelta(microseconds=value) for value in values]
    return values


def read(path):
    """The rows of a file, its keys and values, and the number of rows of each group."""
    data = path.read_bytes()
    size = struct.unpack("<I", data[-8:-4])[0]
    assert data[:4] == MAGIC and data[-4:] == MAGIC and size + 12 <= len(data), "a Parquet file"
    reader = Thrift(data, len(data) - 8 - size)
    footer = reader.struct()
    assert reader.at == len(data) - 8, "nothing after the footer"
    elements = footer[2][1:]
    assert footer[2][0][5] == len(elements), "columns"
    names = [element[4].decode() for element in elements]
    columns, groups = {name: [] for name in names}, []
    for group in footer[4]:
        assert len(group[1]) == len(elements), "a chunk of each column"
        for about, element in zip(group[1], elements):
            assert about[3][3] == [element[4]] and about[3][1] == element[1], "the name and type of a column"
            column = Column(data, about, element)
            assert len(column.values) == group[3], "rows of a group"
            columns[element[4].decode()] += convert(element, column.values)
        assert group[2] == sum(about[3][6] for about in group[1]) and group[6] == sum(about[3][7] for about in group[1])
        groups.append(group[3])
    assert sum(groups) == footer[3], "rows"
    rows = [dict(zip(names, values)) for values in zip(*columns.values())]
    return rows, {pair[1].decode(): pair[2].decode() for pair in footer.get(5, [])}, groups


def partition_value(name):
    return urllib.parse.unquote(name.partition("=")[2])


def read_table(directory):
    """All rows of a table, each with its trace and lane; lanes in the order of their names."""
    rows = []
    for path in sorted(directory.glob("trace=*/lane=*/*.parquet")):
        trace, lane = partition_value(path.parent.parent.name), partition_value(path.parent.name)
        rows += [{"trace": trace, "lane": lane, **row} for row in read(path)[0]]
    return rows
