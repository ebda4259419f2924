"""Writes small ELF images with the symbol tables that tests need."""

import struct
from dataclasses import dataclass

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOBITS, SHT_DYNSYM = 1, 2, 3, 8, 11
LOCAL, GLOBAL, WEAK, UNIQUE = 0, 1, 2, 10
NOTYPE, OBJECT, FUNC, SECTION, FILE, TLS = 0, 1, 2, 3, 4, 6
UNDEFINED, TEXT, ABSOLUTE = 0, 1, 0xFFF1
HEADER_FIELDS = ["e_shoff", "e_shentsize", "e_shnum"]
SECTION_FIELDS = ["sh_type", "sh_offset", "sh_size", "sh_link", "sh_entsize"]
# Offset and struct code, for 32 and for 64 bits.
PLACES = {
    "e_shoff": ((32, "I"), (40, "Q")),
    "e_shentsize": ((46, "H"), (58, "H")),
    "e_shnum": ((48, "H"), (60, "H")),
    "sh_type": ((4, "I"), (4, "I")),
    "sh_offset": ((16, "I"), (24, "Q")),
    "sh_size": ((20, "I"), (32, "Q")),
    "sh_link": ((24, "I"), (40, "I")),
    "sh_entsize": ((36, "I"), (56, "Q")),
}


@dataclass
class Symbol:
    """One entry of a symbol table."""

    name: str
    value: int
    size: int = 0
    kind: int = FUNC
    binding: int = GLOBAL
    section: int = TEXT


@dataclass
class Section:
    """One section: its header fields and its bytes."""

    name: str
    kind: int
    data: bytes
    link: int = 0
    info: int = 0
    entry_size: int = 0
    flags: int = 0
    address: int = 0
    size: int = 0  # of a section without bytes in the file


class ElfWriter:
    """Packs sections into an ELF file of one class and byte order."""

    def __init__(self, bits=64, big_endian=False, machine=183):
        self.bits = bits
        self.order = ">" if big_endian else "<"
        self.big_endian = big_endian
        self.machine = machine

    def symbol_table(self, symbols):
        """Return the bytes of a symbol table and of its strings."""
        strings, table = bytearray(b"\0"), bytearray(self.pack_symbol(0, Symbol("", 0, 0, 0, 0, 0)))
        for symbol in symbols:
            offset = len(strings) if symbol.name else 0
            if symbol.name:
                strings += symbol.name.encode() + b"\0"
            table += self.pack_symbol(offset, symbol)
        return bytes(table), bytes(strings)

    def pack_symbol(self, name, symbol):
        """Return one packed symbol."""
        info = symbol.binding << 4 | symbol.kind
        if self.bits == 32:
            return struct.pack(self.order + "IIIBBH", name, symbol.value & 0xFFFFFFFF,
                               symbol.size & 0xFFFFFFFF, info, 0, symbol.section)
        return struct.pack(self.order + "IBBHQQ", name, info, 0, symbol.section, symbol.value,
                           symbol.size)

    def file(self, sections):
        """Return the whole file: header, section bytes, section headers."""
        sections = [Section("", 0, b"")] + sections
        names = bytearray(b"\0")
        offsets = []
        sections.append(Section(".shstrtab", SHT_STRTAB, b""))
        for section in sections:
            offsets.append(len(names) if section.name else 0)
            names += section.name.encode() + b"\0" if section.name else b""
        sections[-1].data = bytes(names)
        header_size = 52 if self.bits == 32 else 64
        body, headers = bytearray(), bytearray()
        for section, name in zip(sections, offsets):
            body += b"\0" * (-len(body) % 8)
            headers += self.section_header(section, name, header_size + len(body))
            body += section.data
        body += b"\0" * (-len(body) % 8)
        return self.file_header(len(sections), header_size + len(body)) + bytes(body + headers)

    def section_header(self, section, name, offset):
        """Return one packed section header."""
        layout = "10I" if self.bits == 32 else "IIQQQQIIQQ"
        return struct.pack(self.order + layout, name, section.kind, section.flags, section.address,
                           offset, len(section.data) or section.size, section.link, section.info, 8, section.entry_size)

    def file_header(self, section_count, section_offset):
        """Return the packed ELF header."""
        ident = b"\x7fELF" + bytes([1 if self.bits == 32 else 2, 2 if self.big_endian else 1, 1])
        layout = "HHIIIIIHHHHHH" if self.bits == 32 else "HHIQQQIHHHHHH"
        size, entry = (52, 40) if self.bits == 32 else (64, 64)
        return ident.ljust(16, b"\0") + struct.pack(
            self.order + layout, 2, self.machine, 1, 0, 0, section_offset, 0, size, 0, 0, entry,
            section_count, section_count - 1)

    def set_field(self, data, field, section, value):
        """Put a value, truncated to the width of the field, into the file header or the header of a section."""
        at, code = PLACES[field][self.bits == 64]
        if field in SECTION_FIELDS:
            start, kind = PLACES["e_shoff"][self.bits == 64]
            table = struct.unpack_from(self.order + kind, data, start)[0]
            at += table + section * (40 if self.bits == 32 else 64)
        width = struct.calcsize(code)
        if at + width <= len(data):
            struct.pack_into(self.order + code, data, at, value % (1 << 8 * width))

    def image(self, symbols):
        """Return an image with one symbol table."""
        return self.file(self.with_tables([symbols]))

    def with_tables(self, tables, kind=SHT_SYMTAB):
        """Return sections: a text section, then each table with its strings."""
        sections = [Section(".text", SHT_PROGBITS, b"\0" * 16)]
        for symbols in tables:
            table, strings = self.symbol_table(symbols)
            entry = 16 if self.bits == 32 else 24
            sections.append(Section(".symtab", kind, table, len(sections) + 2, 1, entry))
            sections.append(Section(".strtab", SHT_STRTAB, strings))
        return sections
