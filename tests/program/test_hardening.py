"""Checks that the programs are built so that a bug of ours is hard to exploit.

    tests/run.py hardening

Read from their ELF files: programs are position-independent; what the loader resolves is read-only before they start; no memory is both
writable and executable; an overwritten stack ends the program; the C library checks buffers. The shared library likewise.
"""

import struct

ET_DYN = 3
PT_LOAD, PT_DYNAMIC, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 0x6474E551, 0x6474E552
EXECUTE, WRITE = 1, 2
DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_BIND_NOW, DT_FLAGS, DT_FLAGS_1, DT_TEXTREL = 5, 6, 10, 24, 30, 0x6FFFFFFB, 22
DF_BIND_NOW, DF_TEXTREL, DF_1_NOW, DF_1_PIE = 8, 4, 1, 0x08000000


class Elf:
    """A 64-bit little-endian file: its segments, its entries for the loader, and the names that it looks up."""

    def __init__(self, path):
        self.data = path.read_bytes()
        assert self.data[:6] == b"\x7fELF\x02\x01", "no such ELF file"
        (self.type,) = struct.unpack_from("<H", self.data, 16)
        (at,) = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        # (type, flags, offset, address, ...)
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.data, at + i * size) for i in range(count)]
        self.dynamic = dict(self._dynamic())

    def _dynamic(self):
        for kind, _, offset, _, _, size, *_ in self.segments:
            if kind == PT_DYNAMIC:
                yield from struct.iter_unpack("<QQ", self.data[offset : offset + size])

    def _offset(self, address):
        for kind, _, offset, start, _, size, *_ in self.segments:
            if kind == PT_LOAD and start <= address < start + size:
                return offset + address - start
        raise AssertionError("an address outside of the file")

    def names(self):
        """The strings with the names of dynamic symbols."""
        at = self._offset(self.dynamic[DT_STRTAB])
        return set(self.data[at : at + self.dynamic[DT_STRSZ]].split(b"\0"))


def check_segments(elf):
    kinds = {kind: flags for kind, flags, *_ in elf.segments}
    assert all(flags & (WRITE | EXECUTE) != WRITE | EXECUTE for _, flags, *_ in elf.segments), "writable code"
    assert PT_GNU_STACK in kinds and not kinds[PT_GNU_STACK] & EXECUTE, "an executable stack"


def check_relro(elf):
    assert PT_GNU_RELRO in [kind for kind, *_ in elf.segments], "no RELRO"
    flags, flags_1 = elf.dynamic.get(DT_FLAGS, 0), elf.dynamic.get(DT_FLAGS_1, 0)
    assert flags & DF_BIND_NOW or flags_1 & DF_1_NOW or DT_BIND_NOW in elf.dynamic, "not full RELRO: bound late"
    assert not flags & DF_TEXTREL and DT_TEXTREL not in elf.dynamic, "code that the loader changes"


def check_is_program(path):
    elf = Elf(path)
    assert elf.type == ET_DYN and elf.dynamic.get(DT_FLAGS_1, 0) & DF_1_PIE, "not position-independent"
    check_segments(elf)
    check_relro(elf)
    names = elf.names()
    assert b"__stack_chk_fail" in names, "no stack protector"
    # With headers for clang, such as Zig's own, snprintf calls the checked vsnprintf.
    assert b"__memcpy_chk" in names and b"__vsnprintf_chk" in names, "no _FORTIFY_SOURCE"


def check_library(path):
    elf = Elf(path)
    check_segments(elf)
    check_relro(elf)
    assert b"__stack_chk_fail" in elf.names(), "no stack protector"


def test_program(trawl):
    check_is_program(trawl)


def test_program_of_tests(prefix):
    check_is_program(prefix / "tests" / "make-index")


def test_library(prefix):
    check_library(prefix / "lib" / "libtrawl.so")
