"""Makes random ELF images whose symbols fit a trace, well or badly."""

import elf
from elf import ElfWriter, Section, Symbol

NAMES = ["main", "foo", "bar", "handler", "memcpy", "_start", "f#1", "dup", "dup", "a b", "x;y",
         "very_long_name_" * 8, "na\u00efve", "0x8000", "f@plt", "loop"]
MAPPING = ["$a", "$t", "$x", "$d", "$a.1", "$x.foo", "$tail", "$data", "$dollar", "$", "$b"]


def make_image(rng, functions):
    """Return an image for functions given as (address, state), and names to ask for."""
    writer = ElfWriter(rng.pick([32, 64, 64]), rng.chance(30), rng.pick([40, 183, 62]))
    symbols = []
    if rng.chance(60):
        symbols.append(Symbol("lowest", 0, rng.pick([0, 0x100000000])))
    for address, isa in functions:
        symbols.extend(function_symbols(rng, address, isa))
    symbols.extend(odd_symbols(rng, functions))
    shuffle(rng, symbols)
    return layout(rng, writer, symbols), names_to_ask(rng, symbols)


def function_symbols(rng, address, isa):
    """Return the symbols of one function: usually one, sometimes none or several."""
    if rng.chance(12):
        return []
    thumb = 1 if isa == "T" and rng.chance(80) else 0
    size = rng.pick([0, 0x10, 0x20, 0x40, 0x100, 0x1000])
    value = address + rng.pick([0, 0, 0, 0, 4, -4, -8]) + thumb
    name = rng.pick(NAMES) if rng.chance(30) else "fn_%x" % address
    binding = rng.pick([elf.LOCAL, elf.GLOBAL, elf.GLOBAL, elf.WEAK, elf.UNIQUE])
    symbols = [Symbol(name, value, size, elf.FUNC, binding)]
    if rng.chance(20):
        symbols.append(Symbol(name + "_alias", value, rng.pick([0, size, 8]), elf.NOTYPE))
    if rng.chance(15):
        symbols.append(Symbol(name + "_inner", value + 8, 4, elf.FUNC, elf.LOCAL))
    return symbols


def odd_symbols(rng, functions):
    """Return symbols of the rarer kinds."""
    symbols = []
    for _ in range(rng.below(8)):
        address = rng.pick(functions)[0] if functions else 0x8000
        value = address + rng.pick([-0x40, -4, 0, 1, 2, 4, 0x10, 0x200])
        kind = rng.pick([elf.NOTYPE, elf.OBJECT, elf.FUNC, elf.SECTION, elf.FILE, elf.TLS])
        section = rng.pick([elf.TEXT, elf.UNDEFINED, elf.ABSOLUTE])
        name = rng.pick(NAMES + MAPPING + MAPPING + [""])
        symbols.append(Symbol(name, max(0, value), rng.pick([0, 1, 4, 0x40, 0x800]), kind,
                              rng.pick([elf.LOCAL, elf.GLOBAL, elf.WEAK]), section))
    return symbols


def shuffle(rng, items):
    """Shuffle the items."""
    for last in range(len(items) - 1, 0, -1):
        other = rng.below(last + 1)
        items[last], items[other] = items[other], items[last]


def layout(rng, writer, symbols):
    """Return the file, with the symbols in one table, in two, or next to a decoy."""
    shape = rng.pick_weighted([("one", 8), ("two", 2), ("dynamic", 1), ("decoy", 1), ("none", 1),
                                 ("damaged", 1)])
    if shape == "two":
        half = len(symbols) // 2
        return writer.file(writer.with_tables([symbols[:half], symbols[half:]]))
    if shape == "dynamic":
        return writer.file(writer.with_tables([symbols], elf.SHT_DYNSYM))
    if shape == "damaged":
        return damaged(rng, writer, symbols)
    sections = writer.with_tables([symbols] if shape != "none" else [])
    if shape == "decoy":
        table = writer.symbol_table([Symbol("decoy", symbols[0].value if symbols else 4, 4)])[0]
        sections.append(Section(".symtab2", elf.SHT_SYMTAB, table, 1, 1, len(table) // 2))
    return writer.file(sections)


def damaged(rng, writer, symbols):
    """Return a file that is truncated, has wrong fields, or has a table that does not match."""
    sections = writer.with_tables([symbols])
    harm = rng.pick(["cut", "class", "order", "stride", "link", "short", "null", "fields",
                     "fields", "fields"])
    if harm == "stride":
        sections[1].entry_size = rng.pick([8, 16, 24, 48])
    elif harm == "link":
        sections[1].link = rng.pick([0, 1, 2, 99])
    elif harm == "short":
        sections[rng.pick([1, 2])].data = sections[1].data[:-rng.between(1, 30)]
    elif harm == "null":
        sections[1].data = sections[1].data[len(sections[1].data) // (len(symbols) + 1):]
    data = writer.file(sections)
    if harm == "class":
        return data[:4] + bytes([rng.below(4)]) + data[5:]
    if harm == "order":
        return data[:5] + bytes([rng.below(4)]) + data[6:]
    if harm == "fields":
        return with_odd_fields(rng, writer, data)
    return data[:rng.below(len(data))] if harm == "cut" else data


def with_odd_fields(rng, writer, data):
    """Return the file with a few header fields that are wrong, or about to overflow."""
    data = bytearray(data)
    for _ in range(rng.between(1, 3)):
        where = rng.pick(elf.HEADER_FIELDS + elf.SECTION_FIELDS * 2)
        value = rng.pick([0, 1, 2, 3, 5, 8, 40, 64, len(data), len(data) - 1, len(data) // 2,
                          -len(data), -24, -1, 1 << 31, 1 << 32, 1 << 63]) + rng.pick([0, 0, 1, -1])
        if where in ("sh_size", "e_shnum") and not 0 <= value < 1 << 20:
            value = rng.pick([7, 100, 0xFFFF])  # the reference tries symbols one by one
        writer.set_field(data, where, rng.between(1, 3), value)
    return bytes(data)


def names_to_ask(rng, symbols):
    """Return names for callinfo: known ones, numbered ones, wrong ones."""
    known = [symbol.name for symbol in symbols if symbol.name]
    if not known:
        return ["main"]
    names = [rng.pick(known) for _ in range(rng.between(1, 3))]
    names.append(rng.pick(known) + rng.pick(["#0", "#1", "#2", "#", "#x", "#1x", "#-1", "#99", "#+1"]))
    names.append(rng.pick(["nothing", "", "MAIN", "dup", "dup#1", "f#1#0", "$a"]))
    return names
