"""ELF images with a string table and symbols, for tests of names that no compiler generates."""

import struct

HEADER_BYTES = 64
SHT_PROGBITS, SHT_SYMTAB = 1, 2
SHN_ABS = 0xFFF1
STT_NOTYPE, STT_FUNC = 0, 2
SECTION_NAMES = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"


def section_header(name, kind, flags, address, offset, size, link, info, align, entry):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, address, offset, size, link, info, align, entry)


def image(strings, symbols, code=(0, 1 << 40)):
    """An AArch64 image with code from an address on, of a size; symbols are (offset of the name in strings, address, size), and if they are no functions of .text, also
    (section, type)."""
    rows = [bytes(24)]
    for at, value, size, *other in symbols:
        section, kind = other or (1, STT_FUNC)
        rows.append(struct.pack("<IBBHQQ", at, 0x10 | kind, 0, section, value, size))
    table = b"".join(rows)
    strings_at = HEADER_BYTES + len(table)
    names_at = strings_at + len(strings)
    sections_at = (names_at + len(SECTION_NAMES) + 7) & ~7
    header = b"\x7fELF\2\1\1" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, 0, 0, sections_at, 0, 64, 56, 0, 64, 5, 4)
    body = header + table + strings + SECTION_NAMES
    sections = bytes(64)
    sections += section_header(1, 8, 6, code[0], 0, code[1], 0, 0, 4, 0)
    sections += section_header(7, 2, 0, 0, HEADER_BYTES, len(table), 3, 1, 8, 24)
    sections += section_header(15, 3, 0, 0, strings_at, len(strings), 0, 0, 1, 0)
    sections += section_header(23, 3, 0, 0, names_at, len(SECTION_NAMES), 0, 0, 1, 0)
    return body.ljust(sections_at, b"\0") + sections


def named(names):
    """An image of {address: name}, each of four bytes of code."""
    strings, symbols = b"\0", []
    for address, name in names.items():
        symbols.append((len(strings), address, 4))
        strings += name + b"\0"
    return image(strings, symbols)


def form(data, fields):
    return ("<" if data[5] == 1 else ">") + fields


def machine(data):
    return struct.unpack_from(form(data, "H"), data, 18)[0]


def section_headers(data):
    """The position of each section's header."""
    is_64 = data[4] == 2
    start = struct.unpack_from(form(data, "Q" if is_64 else "I"), data, 40 if is_64 else 32)[0]
    size, count = struct.unpack_from(form(data, "HH"), data, 58 if is_64 else 46)
    return range(start, start + size * count, size)


def sections(data):
    """(name's offset, type, flags, address, offset, size, link, info, align, size of an entry) of each."""
    fields = form(data, "IIQQQQIIQQ" if data[4] == 2 else "10I")
    return [struct.unpack_from(fields, data, at) for at in section_headers(data)]


def symbols(data, table):
    """(value, size, type) of each symbol of a table, which is one of `sections`."""
    for at in range(table[4], table[4] + table[5], table[9]):
        if data[4] == 2:
            _, info, _, _, value, size = struct.unpack_from(form(data, "IBBHQQ"), data, at)
        else:
            _, value, size, info, _, _ = struct.unpack_from(form(data, "IIIBBH"), data, at)
        yield value, size, info & 15


def function_entries(data):
    """(position of its symbol, name) of each function of a 64-bit little-endian image."""
    every = sections(data)
    for table in (section for section in every if section[1] == SHT_SYMTAB):
        for at in range(table[4], table[4] + table[5], table[9]):
            name, info = struct.unpack_from("<IB", data, at)
            begin = every[table[6]][4] + name
            if info & 15 == STT_FUNC:
                yield at, bytes(data[begin : data.index(b"\0", begin)]).decode()


def without_symbols(image):
    """The same image, with tables of symbols that are not recognized, as if it was stripped."""
    data = bytearray(image)
    for at, section in zip(section_headers(data), sections(data)):
        if section[1] == SHT_SYMTAB:
            struct.pack_into(form(data, "I"), data, at + 4, SHT_PROGBITS)
    return bytes(data)


def section_named(data, name):
    """(position of its header, its offset) in a 64-bit image."""
    names = sections(data)[struct.unpack_from(form(data, "H"), data, 62)[0]][4]
    for at, section in zip(section_headers(data), sections(data)):
        begin = names + section[0]
        if bytes(data[begin : data.index(b"\0", begin)]).decode() == name:
            return at, section[4]
    raise KeyError(name)
