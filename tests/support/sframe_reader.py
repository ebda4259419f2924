"""A second reader of SFrame, written from the format's specification: slow and simple, to check the reader in C. It reads linked ELF
files with section headers.

    tables = read(path)
    tables.look_up(pc)    the line of `trawl sframe --lookup PC --format tsv`
"""

import struct
from pathlib import Path

AARCH64_BIG, AARCH64_LITTLE, AMD64, S390X = 1, 2, 3, 4
NAMES = {
    AMD64: {7: "rsp", 6: "rbp"},
    AARCH64_LITTLE: {31: "sp", 29: "x29", 30: "x30"},
    AARCH64_BIG: {31: "sp", 29: "x29", 30: "x30"},
    S390X: {15: "r15", 11: "r11", 14: "r14"},
}
SP = {AMD64: 7, AARCH64_LITTLE: 31, AARCH64_BIG: 31, S390X: 15}
FP = {AMD64: 6, AARCH64_LITTLE: 29, AARCH64_BIG: 29, S390X: 11}


class Damaged(Exception):
    """An invalid function."""


def elf_sections(data):
    """Name, type, flags, address, offset, size, link, info of each section; ELF type; order."""
    order = "<" if data[5] == 1 else ">"
    kind = struct.unpack_from(order + "H", data, 16)[0]
    is_64 = data[4] == 2
    (table,) = struct.unpack_from(order + ("Q" if is_64 else "I"), data, 40 if is_64 else 32)
    entry, count, names = struct.unpack_from(order + "HHH", data, 58 if is_64 else 46)
    fields = "IIQQQQIIQQ" if is_64 else "10I"
    raw = [struct.unpack_from(order + fields, data, table + i * entry) for i in range(count)]
    found = []
    for name, type_, flags, address, offset, size, link, info, _, _ in raw:
        at = raw[names][4] + name
        text = data[at : data.index(b"\0", at)].decode("latin-1")
        found.append((text, type_, flags, address, offset, size, link, info))
    return found, kind, order


class Function:
    def __init__(self, table, index):
        order, data = table.order, table.data
        width = {1: 17, 2: 20, 3: 16}[table.version]
        self.field = table.header_end + table.fde_offset + index * width
        at = table.base + self.field
        self.info2 = self.repeat = 0
        fres = table.base + table.header_end + table.fre_offset
        if table.version == 3:
            value, self.size, offset = struct.unpack_from(order + "qII", data, at)
            if offset + 5 > table.fre_bytes:
                raise Damaged
            self.count, self.info, self.info2, self.repeat = struct.unpack_from(order + "HBBB", data, fres + offset)
            self.rows_at = offset + 5
        else:
            value, self.size, self.rows_at, self.count = struct.unpack_from(order + "iIII", data, at)
            self.info = data[at + 16]
            self.repeat = 16 if table.version == 1 else data[at + 17]
        relative = table.unlinked or (table.flags & 4 if table.version > 1 else 0)
        self.start = (table.address + value + (self.field if relative else 0)) % 2**64
        self.mask = bool(self.info & 0x10)
        self.signal = table.version == 3 and bool(self.info & 0x80)
        self.flexible = self.info2 & 0x1F == 1
        self.key_b = bool(self.info & 0x20) and table.abi in (AARCH64_BIG, AARCH64_LITTLE)
        if self.info2 & 0x1F > 1 or self.info & 0xF > 2 or (self.mask and not self.repeat):
            raise Damaged
        if self.start + self.size >= 2**64 or self.rows_at > table.fre_bytes:
            raise Damaged
        self.rows = []
        for row in self.read_rows(table, fres):
            if self.rows and row[0] < self.rows[-1][0]:
                raise Damaged
            self.rows.append(row)

    def read_rows(self, table, fres):
        at = self.rows_at
        start_code = "BHI"[self.info & 0xF]
        for _ in range(self.count):
            width = struct.calcsize(start_code)
            if at + width + 1 > table.fre_bytes:
                raise Damaged
            (start,) = struct.unpack_from(table.order + start_code, table.data, fres + at)
            info = table.data[fres + at + width]
            at += width + 1
            count, size = info >> 1 & 15, info >> 5 & 3
            if size == 3 or at + (count << size) > table.fre_bytes:
                raise Damaged
            words = table.data[fres + at : fres + at + (count << size)]
            at += count << size
            signed = struct.unpack(f"{table.order}{count}{'bhi'[size]}", words)
            plain = struct.unpack(f"{table.order}{count}{'BHI'[size]}", words)
            yield start, self.rule(table, info, signed, plain)

    def marks(self, info):
        names = [(self.signal, "signal"), (info & 0x80, "mangled-ra"), (self.key_b, "bkey")]
        return " ".join(name for is_set, name in names if is_set)

    def rule(self, table, info, signed, plain):
        if not signed:
            return "outermost"
        places = self.flexible_places if self.flexible else self.default_places
        cfa, ra, fp = places(table, info, signed, plain)
        return "\t".join(["row", cfa, ra, fp, self.marks(info)])

    def default_places(self, table, info, signed, _plain):
        base = SP if info & 1 else FP
        offset = signed[0]
        if table.abi == S390X:
            offset = offset * 8 + 160
        cfa = f"{table.name(base[table.abi])}{offset:+d}"
        ra = f"[cfa{table.fixed_ra:+d}]" if table.fixed_ra else "same"
        fp = f"[cfa{table.fixed_fp:+d}]" if table.fixed_fp else "same"
        rest = list(signed[1:])
        if not table.fixed_ra and rest:
            word = rest.pop(0)
            ra = self.saved(table, word) if word else "same"
        if not table.fixed_fp and rest:
            fp = self.saved(table, rest.pop(0))
        return cfa, ra, fp

    @staticmethod
    def saved(table, word):
        if table.abi == S390X and table.version == 2 and word & 1:
            return table.name(word % 2**32 >> 1)
        return f"[cfa{word:+d}]"

    @staticmethod
    def flexible_places(table, _info, signed, plain):
        ra = f"[cfa{table.fixed_ra:+d}]" if table.fixed_ra else "same"
        fp = f"[cfa{table.fixed_fp:+d}]" if table.fixed_fp else "same"
        places, at = [None, ra, fp], 0
        for which in range(3):
            if at == len(signed):
                break
            control = plain[at]
            at += 1
            if control == 0:
                continue
            if at == len(signed):
                raise Damaged
            offset = signed[at] * 8 + 160 if which == 0 and table.abi == S390X else signed[at]
            at += 1
            base = table.name(control >> 3) if control & 1 else "cfa"
            text = f"{base}{offset:+d}"
            if which == 0 and not control & 1:
                raise Damaged
            if control & 2:
                places[which] = f"[{text}]"
            else:
                places[which] = base if which and offset == 0 else text
        if places[0] is None or at < len(signed) or len(signed) > 6:
            raise Damaged
        return places

    def look_up(self, pc):
        if not self.rows:
            return "norows-signal" if self.signal else "norows"
        at = pc - self.start
        if self.mask:
            at %= self.repeat
        rule = "miss"
        for start, candidate in self.rows:
            if start <= at:
                rule = candidate
        return rule


class Table:
    def __init__(self, data, base, address, unlinked):
        self.data, self.base, self.address, self.unlinked = data, base, address, unlinked
        self.order = "<" if data[base : base + 2] == b"\xe2\xde" else ">"
        assert data[base : base + 2] in (b"\xe2\xde", b"\xde\xe2")
        fields = struct.unpack_from(self.order + "BBBbbBIIIII", data, base + 2)
        self.version, self.flags, self.abi, self.fixed_fp, self.fixed_ra, auxiliary = fields[:6]
        self.count, self.row_count, self.fre_bytes, self.fde_offset, self.fre_offset = fields[6:]
        self.header_end = 28 + auxiliary
        self.end = self.header_end + self.fre_offset + self.fre_bytes
        width = {1: 17, 2: 20, 3: 16}[self.version]
        if self.header_end + self.fde_offset + self.count * width > len(data) - base:
            raise Damaged
        self.functions, self.damaged = [], 0
        for index in range(self.count):
            try:
                self.functions.append(Function(self, index))
            except (Damaged, struct.error):
                self.damaged += 1

    def name(self, number):
        return NAMES[self.abi].get(number, f"dw{number}")


class Tables:
    def __init__(self, tables):
        self.tables = tables
        self.functions = sorted(
            (function for table in tables for function in table.functions if function.size),
            key=lambda function: function.start,
        )
        self.damaged = sum(table.damaged for table in tables)
        pairs = zip(self.functions, self.functions[1:])
        self.overlaps = any(a.start + a.size > b.start for a, b in pairs)

    def function_at(self, pc):
        """If functions overlap, the one that starts last, then the first in the table."""
        if self.overlaps:
            covering = [f for f in self.functions if f.start <= pc < f.start + f.size]
            return max(covering, key=lambda function: function.start, default=None)
        low, high = 0, len(self.functions)
        while low < high:
            middle = (low + high) // 2
            if self.functions[middle].start <= pc:
                low = middle + 1
            else:
                high = middle
        function = self.functions[low - 1] if low else None
        return function if function and pc < function.start + function.size else None

    def look_up(self, pc):
        function = self.function_at(pc)
        return f"{pc:x}\t{function.look_up(pc) if function else 'miss'}"

    def boundaries(self):
        """Every PC at which the answer may change, and its neighbours."""
        pcs = set()
        for function in self.functions:
            edges = [0, function.size]
            step = function.repeat if function.mask else function.size
            for block in range(0, function.size, step)[:4]:
                edges += [block + start for start, _ in function.rows]
            for edge in edges:
                pcs.update((function.start + edge + d) % 2**64 for d in (-1, 0, 1))
        return sorted(pcs)


def read(path, unlinked=False):
    """`unlinked`: the linker copied an object's table unchanged."""
    data = Path(path).read_bytes()
    sections, kind, _ = elf_sections(data)
    _, _, _, address, offset, size, _, _ = next(s for s in sections if s[0] == ".sframe")
    assert kind != 1, "objects are not for this reader"
    blob = data[offset : offset + size]
    tables, at = [], 0
    while at < size and blob[at : at + 2] in (b"\xe2\xde", b"\xde\xe2"):
        tables.append(Table(blob, at, address + at, unlinked))
        at = (at + tables[-1].end + 7) & ~7
    return Tables(tables)
