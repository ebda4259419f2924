"""Symbols as text: nm, System.map and kallsyms, maps of GNU ld, LLD and armlink, each with the names of the ELF file they were made from.

    tests/run.py symbol_text

Random programs of the corpus' size, whose symbols are written in each form; and images that are position-independent, which are found where
the trace shows their code.
"""

import json
import random

import pytest
import quick
import small_elf
import test_overlapping_images as overlapping

TIMEOUT_S = 60
CODE, DATA = 0x8000, 0x20000000


def program(chance):
    """{address: (name, size)} of functions that follow each other, and of objects."""
    functions, objects, at = {}, {}, CODE
    for number in range(chance.randint(2, 30)):
        size = 4 * chance.randint(1, 20)
        functions[at] = ("function_%d" % number, size)
        at += size
    for number in range(chance.randint(1, 5)):
        objects[DATA + 16 * number] = ("object_%d" % number, 8)
    return functions, objects


def nm(functions, objects, with_sizes, digits):
    rows = [(at, "tT"[at // 4 % 2], *what) for at, what in functions.items()] + [(at, "bBdD"[at // 16 % 4], *what) for at, what in objects.items()]
    rows.append((CODE, "t", "$x", 0))
    return "".join("%0*x %s%s %s\n" % (digits, at, "%0*x " % (digits, size) if with_sizes and size else "", kind, name) for at, kind, name, size in rows)


def kallsyms(functions, objects):
    return "".join("%016x t %s\t[md4]\n" % (at, name) for at, (name, _) in functions.items()) + "ffff800080000000 T _text\n"


def gnu_ld(functions, objects):
    text = "Archive member included\n\nlibc.a(x.o)\n\nMemory Configuration\n\nName Origin Length\n*default* 0x0 0xffffffff\n\nLinker script and memory map\n\nLOAD a.o\n\n.text           0x%016x     0x1000\n" % CODE
    for at, (name, size) in functions.items():
        text += " .text.%s\n                0x%016x       0x%x a.o\n                0x%016x                %s\n" % (name, at, size, at, name)
    text += "                0x%016x                        _etext = .\n\n.data           0x%016x      0x100\n" % (CODE + 0x1000, DATA)
    return text + "".join("                0x%016x                %s\n" % (at, name) for at, (name, _) in objects.items())


def lld(functions, objects):
    text = "     VMA      LMA     Size Align Out     In      Symbol\n%8x %8x %8x %5d .text\n%8x %8x %8x %5d         a.o:(.text)\n" % (CODE, CODE, 0x1000, 4, CODE, CODE, 0x1000, 4)
    row = "%8x %8x %8x %5d                 %s\n"
    text += "".join(row % (at, at, size, 1, name) for at, (name, size) in functions.items())
    text += "%8x %8x %8x %5d .data\n" % (DATA, DATA, 0x100, 4)
    return text + "".join(row % (at, at, size, 1, name) for at, (name, size) in objects.items())


def armlink(functions, objects):
    text = "    Image Symbol Table\n\n    Global Symbols\n\n    Symbol Name                              Value     Ov Type        Size  Object(Section)\n\n"
    text += "".join("    %-40s 0x%08x   Thumb Code  %4d  a.o(.text)\n" % (name, at | 1, size) for at, (name, size) in functions.items())
    return text + "".join("    %-40s 0x%08x   Data        %4d  a.o(.data)\n" % (name, at, size) for at, (name, size) in objects.items())


def names(trawl, place, *words):
    done = quick.run([trawl, "coverage", "--by=instruction", "--format=json", *words, "t"], cwd=place, timeout=TIMEOUT_S)
    return [(row["address"], row["function"]) for row in json.loads(done.stdout)], done.stderr.decode()


@pytest.mark.parametrize("part", range(2))
def test_symbol_text(trawl, checker, quick_place, part):
    for seed in range(part, 60, 2):
        chance = random.Random(seed)
        functions, objects = program(chance)
        end = max(at + size for at, (_, size) in functions.items())
        shown = sorted({chance.randrange(CODE, end, 4) for _ in range(40)} | {end + 0x100000})
        (quick_place / "t").write_text("".join("%d clk IT (%d) %08x d503201f O EL1h_n : NOP\n" % (i, i, at) for i, at in enumerate(shown)))
        wanted = []
        for at in shown:
            name = next(("%s+0x%x" % (name, at - start) if at > start else name for start, (name, size) in functions.items() if start <= at < start + size), None)
            wanted.append((hex(at), name))
        forms = [nm(functions, objects, False, 16), nm(functions, objects, True, 16), nm(functions, objects, True, 8), kallsyms(functions, objects), gnu_ld(functions, objects),
                 lld(functions, objects), armlink(functions, objects)]  # fmt: skip
        for number, text in enumerate(forms):
            (quick_place / "map").write_text(text)
            found, said = names(trawl, quick_place, "--image=map")
            checker.check("seed %d form %d" % (seed, number), found == wanted and not said, "%s, not %s (%s)" % (found, wanted, said))


def test_refused(trawl, quick_place):
    (quick_place / "t").write_text("1 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n")
    for text, wanted in (("hello\n", "map: not an ELF file"), ("0000000000000000 T _text\n0000000000000000 t x\n", "all addresses are 0")):
        (quick_place / "map").write_text(text)
        done = quick.run([trawl, "profile", "--image=map", "t"], cwd=quick_place, timeout=TIMEOUT_S)
        assert done.returncode == 1 and wanted in done.stderr.decode(), done.stderr


@pytest.mark.parametrize("part", range(2))
def test_place(trawl, checker, quick_place, part):
    """A position-independent image is found where the trace shows it, and no other image is moved."""
    for seed in range(part, 60, 2):
        chance = random.Random(seed)
        words = [0x91000000 | chance.randrange(1 << 12) << 10 for _ in range(200)]
        functions = {"f%d" % i: (10 * i, 10) for i in range(20)}
        at, offset = 0x1000, chance.choice([0, 0x10000, 0x55550000, 0xFFFF800080000000])
        data = bytearray(overlapping.elf(at, functions, words))
        is_movable = chance.random() < 0.8
        data[16] = 3 if is_movable else 2
        (quick_place / "p.elf").write_bytes(data)
        first = [chance.randrange(180) for _ in range(8)]
        lines = [(at + offset + 4 * (start + i) & 0xFFFFFFFFFFFFFFFF, words[start + i]) for start in first for i in range(12)]
        (quick_place / "t").write_text("".join("%d clk IT (%d) %016x %08x O EL1h_n : ADD\n" % (i, i, *line) for i, line in enumerate(lines)))
        found, said = names(trawl, quick_place, "--image=p.elf")
        wanted = []
        for place, _ in sorted(set(lines)):
            index = (place - at - offset & 0xFFFFFFFFFFFFFFFF) // 4
            name = "f%d" % (index // 10) + ("+0x%x" % (4 * (index % 10)) if index % 10 else "")
            wanted.append((hex(place), name if is_movable or not offset else None))
        checker.check("seed %d" % seed, found == wanted, "%s, not %s (%s)" % (found, wanted, said))
