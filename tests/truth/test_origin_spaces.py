"""`trawl origin --all` and `trawl reaches` where processes have different memory at one address, and one place has several addresses.

    tests/run.py origin_spaces

The machines are those of test_spaces.py, with registers: they load, store and add, and remember for each byte of the registers and of each
place in memory which events made it. Nothing here knows how trawl finds places: an access is made where the tables of the machine have it.
"""

import csv
import io
import random

import pytest
import quick
from test_spaces import KINDS, PAGE, contexts_of

SEEDS = 120
PARTS = 4
POINTS = 3
REGISTERS = 6
BASE = 9
LOADS = {1: 0x39400000, 2: 0x79400000, 4: 0xB9400000, 8: 0xF9400000}
STORES = {1: 0x39000000, 2: 0x79000000, 4: 0xB9000000, 8: 0xF9000000}
MARK = -1


class Byte:
    def __init__(self, value=0, made=frozenset()):
        self.value, self.made = value, made


class Machine:
    """`mark`: (event, what) whose bytes have the value that is followed forwards."""

    def __init__(self, seed, mark=None):
        self.chance = chance = random.Random(f"origin {seed}")
        self.mark, self.reached = mark, set()
        self.kind = KINDS[seed % len(KINDS)]
        self.contexts = contexts_of(self.kind, chance)
        self.lanes = 2 if self.kind == "cores" or chance.random() < 0.2 else 1
        self.registers = [{n: [Byte() for _ in range(8)] for n in range(REGISTERS)} for _ in range(self.lanes)]
        self.memory, self.seen, self.lines = {}, {}, []
        self.pcs = [0x8000] * self.lanes
        self.current, self.values = [None] * self.lanes, [{} for _ in range(self.lanes)]
        self.after = []  # each event: its lane, what each register was made by, and (address, what made each byte) of some memory
        for self.event in range(chance.randrange(40, 140)):
            lane = chance.randrange(self.lanes)
            context = self.current[lane]
            if context is None or chance.random() < 0.15:
                self.switch(lane)
            else:
                self.run(lane, context)
            self.remember(lane)

    def made(self, cells):
        made = frozenset([self.event]).union(*(cell.made for cell in cells))
        if MARK in made:
            self.reached.add(self.event)
        return made

    def emit(self, lane, text):
        self.lines.append("%d clk %s%s" % (self.event + 1, "cpu%d " % lane if self.lanes > 1 else "", text))

    def instruction(self, lane, encoding, text):
        pc = self.pcs[lane] = self.pcs[lane] + 4  # without gaps
        self.emit(lane, "IT (%d) %016x:%012x_NS %08x O %s : %s" % (self.event + 1, pc, pc, encoding, self.mode, text))

    def show(self, lane, n):
        self.emit(lane, "R X%d %016x" % (n, int.from_bytes(bytes(cell.value for cell in self.registers[lane][n]), "little")))

    def switch(self, lane):
        context = self.current[lane] = self.chance.choice(self.contexts)
        self.mode = "EL1h_n" if context.mode == "EL0t_n" else context.mode
        self.instruction(lane, 0xD518201F, "MSR      ttbr0_el1,xzr")
        for name, value in context.registers.items():
            if self.values[lane].get(name) != value:
                self.emit(lane, "R %s %016x" % (name, value))
            self.values[lane][name] = value

    def table(self, context, address):
        """The world and physical page of an address; None: there is none."""
        table = context.kernel if address >> 63 else context.table
        return table.get(address & ~0xFFF if address >> 63 else address & ~0xFF00000000000FFF)

    def place(self, context, address):
        world, page = self.table(context, address)
        return world, page + address % PAGE

    def cell(self, place):
        return self.memory.setdefault(place, Byte(random.Random("%s %x" % place).randrange(256)))

    def run(self, lane, context):
        chance, registers = self.chance, self.registers[lane]
        if self.kind == "remapped" and chance.random() < 0.1:
            context.table[chance.choice(sorted(context.table))] = ("_NS", 0xA0000000 + PAGE * self.event)
        self.mode = "EL1h_n" if context.kernel and chance.random() < 0.3 else context.mode
        if chance.random() < 0.2:
            d, n, m = (chance.randrange(REGISTERS) for _ in range(3))
            number = lambda r: int.from_bytes(bytes(cell.value for cell in registers[r]), "little")
            total, made = (number(n) + number(m)) % 2**64, self.made(registers[n] + registers[m])
            registers[d] = [Byte(total >> 8 * i & 255, made) for i in range(8)]
            self.instruction(lane, 0x8B000000 | m << 16 | n << 5 | d, f"ADD      x{d},x{n},x{m}")
            self.show(lane, d)
            return
        self.access(lane, context, registers)

    def access(self, lane, context, registers):
        chance, t, size = self.chance, self.chance.randrange(REGISTERS), self.chance.choice([1, 2, 4, 8])
        is_kernel = self.mode == "EL1h_n" and context.kernel
        page = chance.choice(sorted(context.kernel if is_kernel and chance.random() < 0.7 else context.table))
        address = page + chance.randrange(24 // size) * size
        if size > 1 and chance.random() < 0.2:  # into the next page, if the trace shows where that is
            there = self.table(context, page + PAGE)
            if there and self.seen.get((context, page + PAGE)) == there:
                address = page + PAGE - chance.randrange(1, size)
        tag = 0 if address >> 63 else chance.choice(context.tags)
        cells = [self.cell(self.place(context, address + i)) for i in range(size)]
        is_load = chance.random() < 0.5
        before = list(registers[t])
        if is_load:
            registers[t] = [Byte(cell.value, self.made([cell])) for cell in cells] + [Byte(0, self.made([])) for _ in range(8 - size)]
        else:
            for cell, source in zip(cells, before):
                cell.value, cell.made = source.value, self.made([source])
        self.instruction(lane, (LOADS if is_load else STORES)[size] | BASE << 5 | t, "%s      r%d,[x9]" % ("LDR" if is_load else "STR", t))
        if is_load:
            self.show(lane, t)
        world, physical = self.place(context, address)
        digits = "".join("%02x" % cell.value for cell in reversed(cells))
        self.emit(lane, "M%s%d %016x:%012x%s %s" % ("WR"[is_load], size, tag | address, physical, world, digits))
        self.seen[context, page] = self.table(context, page)

    def remember(self, lane):
        """What the registers and some memory are made by, and there the mark."""
        registers = self.registers[lane]
        context = self.current[lane]
        memory = {}
        for (of, page), where in self.seen.items():
            if of is context and self.table(context, page) == where and context.mode == self.mode:
                memory[page] = [self.cell(self.place(context, page + i)) for i in range(8)]
        if self.mark and self.mark[0] == self.event:
            what = self.mark[1]
            for cell in registers[what] if what < REGISTERS else memory[what]:
                cell.made |= {MARK}
        union = lambda cells: frozenset().union(*(cell.made for cell in cells)) - {MARK}
        self.after.append(({n: union(cells) for n, cells in registers.items()}, {page: union(cells) for page, cells in memory.items()}))

    def choose(self, chance, lowest):
        """An event, and a register or the address of memory after it."""
        event = chance.randrange(lowest, len(self.after))
        return event, chance.choice(sorted(self.after[event][1]) or [0]) if chance.random() < 0.5 else chance.randrange(REGISTERS)

    def made_by(self, event, what):
        return self.after[event][what >= REGISTERS][what]


def ask(trawl, place, command, event, what):
    named = f"x{what}" if what < REGISTERS else f"{what:#x}:8"
    words = [trawl, command, "-q", "--memory-index", "t", named, "--at", f"event:{event}", "--format", "csv", *["--all"] * (command == "origin")]
    done = quick.run(words, cwd=place)
    assert done.returncode == 0, (words, done.stderr)
    return words, frozenset(int(row["event"]) for row in csv.DictReader(io.StringIO(done.stdout.decode())))


@pytest.mark.parametrize("part", range(PARTS))
def test_slices(trawl, quick_place, checker, part):
    for seed in range(part, SEEDS, PARTS):
        machine, chance = Machine(seed), random.Random(seed)
        (quick_place / "t").write_text("\n".join(machine.lines) + "\n")
        for _ in range(POINTS):
            event, what = machine.choose(chance, 10)
            words, found = ask(trawl, quick_place, "origin", event, what)
            wanted = machine.made_by(event, what)
            wrong = found != wanted and f"lacks {sorted(wanted - found)}, has {sorted(found - wanted)}"
            checker.no_fault(f"slices over address spaces ({machine.kind})", wrong, at=f"seed {seed}: {words}")


@pytest.mark.parametrize("part", range(PARTS))
def test_reaches(trawl, quick_place, checker, part):
    for seed in range(part, SEEDS, PARTS):
        chance = random.Random(seed)
        machine = Machine(seed, Machine(seed).choose(chance, 5))
        (quick_place / "t").write_text("\n".join(machine.lines) + "\n")
        words, found = ask(trawl, quick_place, "reaches", *machine.mark)
        wrong = found != machine.reached and f"lacks {sorted(machine.reached - found)}, has {sorted(found - machine.reached)}"
        checker.no_fault(f"what is reached over address spaces ({machine.kind})", wrong, at=f"seed {seed}: {words}")
