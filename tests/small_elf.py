"""ELF images made of a string table and symbols, for tests of names that no compiler makes."""

import struct

HEADER_BYTES = 64
SECTION_NAMES = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"


def section(name, kind, flags, address, offset, size, link, info, align, entry):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, address, offset, size, link, info, align, entry)


def image(strings, symbols):
    """An AArch64 image; symbols are (offset of the name in strings, address, size)."""
    table = bytes(24) + b"".join(struct.pack("<IBBHQQ", at, 0x12, 0, 1, value, size) for at, value, size in symbols)
    strings_at = HEADER_BYTES + len(table)
    names_at = strings_at + len(strings)
    sections_at = (names_at + len(SECTION_NAMES) + 7) & ~7
    header = b"\x7fELF\2\1\1" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, 0, 0, sections_at, 0, 64, 56, 0, 64, 5, 4)
    body = header + table + strings + SECTION_NAMES
    sections = bytes(64)
    sections += section(1, 8, 6, 0, 0, 1 << 40, 0, 0, 4, 0)
    sections += section(7, 2, 0, 0, HEADER_BYTES, len(table), 3, 1, 8, 24)
    sections += section(15, 3, 0, 0, strings_at, len(strings), 0, 0, 1, 0)
    sections += section(23, 3, 0, 0, names_at, len(SECTION_NAMES), 0, 0, 1, 0)
    return body.ljust(sections_at, b"\0") + sections


def named(names):
    """An image of {address: name}, each of four bytes of code."""
    strings, symbols = b"\0", []
    for address, name in names.items():
        symbols.append((len(strings), address, 4))
        strings += name + b"\0"
    return image(strings, symbols)
