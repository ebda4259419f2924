"""Makes SFrame tables that no assembler would write, and ELF files that contain them."""

import struct


class Words:
    """Words of a row: their size in bytes, and their values."""

    def __init__(self, size, *values):
        self.size, self.values = size, values


class Row:
    def __init__(self, start, words, sp=True, mangled=False):
        self.start, self.words, self.sp, self.mangled = start, words, sp, mangled

    def encode(self, order, width):
        size = {1: 0, 2: 1, 4: 2}[self.words.size]
        values = [value % (1 << 8 * self.words.size) for value in self.words.values]
        info = self.sp | len(values) << 1 | size << 5 | self.mangled << 7
        return struct.pack(f"{order}{'BHI'[width]}B{len(values)}{'BHI'[size]}", self.start, info, *values)


class Function:
    """`width` is the type of its rows: 0, 1 or 2 for starts of 1, 2 or 4 bytes."""

    def __init__(self, start, size, rows, width=0, repeat=0, signal=False, flexible=False, key_b=False):
        self.start, self.size, self.rows, self.width = start, size, rows, width
        self.repeat, self.signal, self.flexible, self.key_b = repeat, signal, flexible, key_b

    def info(self):
        return self.width | (0x10 if self.repeat else 0) | (0x20 if self.key_b else 0) | (0x80 if self.signal else 0)


def table(version, abi, functions, address, flags=0, auxiliary=b"", gaps=(0, 0), fixed=(0, None), count=None):
    """The bytes of a table that is loaded at `address`. `gaps` are inserted before functions and before rows."""
    order = ">" if abi in (1, 4) else "<"
    fixed_ra = (-8 if abi == 3 else 0) if fixed[1] is None else fixed[1]
    width = {1: 17, 2: 20, 3: 16}[version]
    header_end = 28 + len(auxiliary)
    entries, rows, total = b"", b"", 0
    for number, function in enumerate(functions):
        field = header_end + gaps[0] + number * width
        value = function.start - address - (field if flags & 4 else 0)
        start = len(rows)
        if version == 3:
            entries += struct.pack(order + "qII", value, function.size, start)
            rows += struct.pack(
                order + "HBBB", len(function.rows), function.info(), function.flexible, function.repeat
            )
        else:
            info = function.info() & 0x3F
            entries += struct.pack(order + "iIIIB", value, function.size, start, len(function.rows), info)
            if version == 2:
                entries += struct.pack(order + "BH", function.repeat, 0)
        rows += b"".join(row.encode(order, function.width) for row in function.rows)
        total += len(function.rows)
    number = len(functions) if count is None else count
    fde_at, fre_at = gaps[0], gaps[0] + len(entries) + gaps[1]
    header = struct.pack(order + "HBBBbbB", 0xDEE2, version, flags, abi, fixed[0], fixed_ra, len(auxiliary))
    header += struct.pack(order + "IIIII", number, total, len(rows), fde_at, fre_at)
    return header + auxiliary + bytes(gaps[0]) + entries + bytes(gaps[1]) + rows


def elf(blob, abi, address, name=".sframe", type_=1, code=None, segment=False, headers=True, tail=0):
    """An ELF file whose section `name` contains `blob`. `code`: (address, size) of executable bytes."""
    order = ">" if abi in (1, 4) else "<"
    machine = {1: 183, 2: 183, 3: 62, 4: 22}[abi]
    names = b"\0.shstrtab\0.text\0" + name.encode() + b"\0"
    at = 64 + (56 if segment else 0)
    blob_at, names_at = at, at + len(blob) + tail
    table_at = names_at + len(names)
    sections = [(0,) * 10, (1, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)]
    sections.append((17, type_, 2, address, blob_at, len(blob), 0, 0, 8, 0))
    if code:
        sections.append((11, 8, 6, code[0], 0, code[1], 0, 0, 1, 0))
    count = len(sections) if headers else 0
    head = b"\x7fELF\x02" + (b"\x02" if order == ">" else b"\x01") + b"\x01" + bytes(9)
    head += struct.pack(order + "HHIQQQI", 2, machine, 1, 0, 64 if segment else 0, table_at if headers else 0, 0)
    head += struct.pack(order + "HHHHHH", 64, 56, 1 if segment else 0, 64, count, 1 if headers else 0)
    if segment:
        length = len(blob) + tail
        head += struct.pack(order + "IIQQQQQQ", 0x6474E554, 4, blob_at, address, address, length, length, 8)
    body = head + blob + bytes(tail) + names
    if headers:
        body += b"".join(struct.pack(order + "IIQQQQIIQQ", *section) for section in sections)
    return body
