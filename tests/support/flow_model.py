"""A plain second idea of where values come from: programs of straight lines that are made together with the answer.

A program is executed while it is made. Every byte of every register, every flag and every byte of memory has beside its value the set of
events that made it, and the set with what computed the addresses. What an instruction does is stated here as it is made, next to its
encoding, and nothing is looked up in trawl's table.
"""

import random

MASK = (1 << 64) - 1
BASE = 28  # of memory; not written but at the start
MEMORY = 0x90000


class Cell:
    """A byte or a flag: its value, the events it was made by, and these with addresses. Never shared by two places."""

    __slots__ = ("value", "made", "addressed")

    def __init__(self, value=0, made=frozenset(), addressed=frozenset()):
        self.value, self.made, self.addressed = value, made, addressed

    def made_by(self, with_addresses):
        return self.addressed if with_addresses else self.made


class Program:
    """A64 or A32 in the dialect of Fast Models; `word` is the size of registers."""

    MARK = -1  # among the events that made a byte: it has the value that is followed forwards

    def __init__(self, seed, isa, length=120, mark=None):
        self.mark, self.reached, self.reached_by_address = mark, set(), set()
        self.rng = random.Random(f"{isa}/{seed}")
        self.isa, self.word = isa, 8 if isa == "a64" else 4
        self.registers = {n: [Cell() for _ in range(8)] for n in range(31)}
        self.flags = [Cell() for _ in range(4)]  # V C Z N
        self.memory = {}
        self.lines, self.event, self.pc = ["0 clk E 00080000:000000080000 00000000 CoreEvent_Reset"], 0, 0x80000
        self.snapshots = []  # without a mark, after each event: the cells of each register that is used
        self.begin()
        for _ in range(length):
            self.rng.choice(self.choices())()

    # --- Events ------------------------------------------------------------------------------------------------------------------

    def emit(self, encoding, text, registers=(), accesses=(), skipped=False):
        """Writes the lines of an instruction that was executed: the registers and memory that it shows."""
        self.event += 1
        time = self.event
        kind, mode = ("IS" if skipped else "IT"), "O EL1h_s" if self.isa == "a64" else "A svc_s"
        self.lines.append(f"{time} clk {kind} ({time}) {self.pc:08x} {encoding:08x} {mode} : {text}")
        for is_store, address, data in accesses:
            digits = "".join("%02x" % byte for byte in reversed(data))
            self.lines.append(f"{time} clk {'MW' if is_store else 'MR'}{len(data)} {address:08x}:{address:012x} {digits}")
        for n in registers:
            value = int.from_bytes(bytes(cell.value for cell in self.registers[n][: self.word]), "little")
            self.lines.append(f"{time} clk R {'X' if self.isa == 'a64' else 'r'}{n} {value:0{2 * self.word}x}")
        self.pc += 4
        if self.mark and self.mark[0] == self.event:
            for cell in self.registers[self.mark[1]][: self.word]:
                cell.made, cell.addressed = cell.made | {self.MARK}, cell.addressed | {self.MARK}
        if not self.mark:  # cells do not change
            self.snapshots.append([self.registers[n][: self.word] for n in range(self.usable)])

    def join(self, cells, addresses=()):
        """The sets of a byte that the next event makes of some others."""
        made = frozenset([self.event + 1]).union(*(cell.made for cell in cells))
        addressed = frozenset([self.event + 1]).union(*(cell.addressed for cell in [*cells, *addresses]))
        if self.MARK in made:
            self.reached.add(self.event + 1)
        if self.MARK in addressed:
            self.reached_by_address.add(self.event + 1)
        return made, addressed

    def number(self, n, size=None):
        return int.from_bytes(bytes(cell.value for cell in self.registers[n][: size or self.word]), "little")

    def write(self, n, value, inputs, size=None, conditions=()):
        """Sets a register to a value computed from all of some cells; the rest is cleared."""
        size = size or self.word
        made, addressed = self.join([*inputs, *conditions])
        nothing = self.join(conditions)
        for i in range(self.word):
            byte = value >> 8 * i & 255 if i < size else 0
            self.registers[n][i] = Cell(byte, *((made, addressed) if i < size else nothing))

    def bytes_of(self, n, size=None):
        return list(self.registers[n][: size or self.word])

    def place(self, cells, addresses=(), conditions=(), over=()):
        """Copies of cells, each of one. A byte that is copied to where it is (`over`) stays as it was."""
        if over and all(cell is old for cell, old in zip(cells, over)):
            return list(cells)
        return [Cell(cell.value, *self.join([cell, *conditions], addresses)) for cell in cells]

    def any(self):
        return self.rng.randrange(self.usable)

    def begin(self):
        if self.isa == "a64":
            self.usable = 12
            self.write(BASE, MEMORY, [])
            self.emit(0xD2A00000 | (MEMORY >> 16) << 5 | BASE, f"MOVZ x{BASE},#9,LSL #16", [BASE])
        else:
            self.usable, self.base = 8, 11
            self.write(self.base, MEMORY, [])
            self.emit(0xE3A00000 | self.base << 12 | 0x809, f"MOV r{self.base},#0x90000", [self.base])
        for n in range(self.usable):
            value = self.rng.randrange(256)
            self.write(n, value, [])
            encoding = 0xD2800000 | value << 5 | n if self.isa == "a64" else 0xE3A00000 | n << 12 | value
            self.emit(encoding, f"MOV {n},#{value}", [n])

    def choices(self):
        if self.isa == "a64":
            return [self.move, self.constant, self.insert, self.add, self.add, self.exclusive, self.compare, self.select, self.carry,
                    self.load, self.load, self.store, self.store, self.pair, self.extend, self.swap]  # fmt: skip
        return [self.move32, self.add32, self.top32, self.compare32, self.carry32, self.load32, self.load32, self.store32, self.store32,
                self.multiple32, self.extend32, self.shift32]  # fmt: skip

    def set_flags(self, result, inputs, size):
        made = self.join(inputs)
        values = [self.rng.randrange(2), self.rng.randrange(2), int(result == 0), result >> (8 * size - 1) & 1]
        self.flags = [Cell(value, *made) for value in values]

    # --- A64 ---------------------------------------------------------------------------------------------------------------------

    def move(self):
        d, m, size = self.any(), self.any(), self.rng.choice([4, 8])
        copied = self.place(self.bytes_of(m, size), over=self.registers[d]) + [Cell(0, *self.join([])) for _ in range(8 - size)]
        self.registers[d] = copied
        self.emit((0xAA0003E0 if size == 8 else 0x2A0003E0) | m << 16 | d, f"MOV {d},{m}", [d])

    def constant(self):
        d, value = self.any(), self.rng.randrange(1 << 16)
        self.write(d, value, [])
        self.emit(0xD2800000 | value << 5 | d, f"MOVZ {d}", [d])

    def insert(self):
        """MOVK leaves the other bytes, which are not made by it."""
        d, value, half = self.any(), self.rng.randrange(1 << 16), self.rng.randrange(4)
        for i in (0, 1):
            self.registers[d][2 * half + i] = Cell(value >> 8 * i & 255, *self.join([]))
        self.emit(0xF2800000 | half << 21 | value << 5 | d, f"MOVK {d}", [d])

    def add(self):
        d, n, m, size = self.any(), self.any(), self.any(), self.rng.choice([4, 8])
        value = (self.number(n, size) + self.number(m, size)) % (1 << 8 * size)
        inputs = self.bytes_of(n, size) + self.bytes_of(m, size)
        self.write(d, value, inputs, size)
        sets = self.rng.randrange(2)
        if sets:
            self.set_flags(value, inputs, size)
        self.emit((0x8B000000 if size == 8 else 0x0B000000) | sets << 29 | m << 16 | n << 5 | d, f"ADD {d}", [d])

    def exclusive(self):
        d, n, m = self.any(), self.any(), self.any()
        if n == m:
            return
        self.write(d, self.number(n) ^ self.number(m), self.bytes_of(n) + self.bytes_of(m))
        self.emit(0xCA000000 | m << 16 | n << 5 | d, f"EOR {d}", [d])

    def compare(self):
        n, m = self.any(), self.any()
        self.set_flags((self.number(n) - self.number(m)) & MASK, self.bytes_of(n) + self.bytes_of(m), 8)
        self.emit(0xEB00001F | m << 16 | n << 5, f"CMP {n},{m}")

    def select(self):
        """CSEL: of both, because nothing is concluded from which one was taken."""
        d, n, m, condition = self.any(), self.any(), self.any(), self.rng.randrange(4)
        flag = self.flags[[2, 1][condition // 2]]
        taken = n if (flag.value == 1) != (condition & 1) else m
        cells = [
            Cell(self.registers[taken][i].value, *self.join([self.registers[n][i], self.registers[m][i], flag])) for i in range(8)
        ]
        self.registers[d] = cells
        self.emit(0x9A800000 | m << 16 | condition << 12 | n << 5 | d, f"CSEL {d}", [d])

    def carry(self):
        d, n, m = self.any(), self.any(), self.any()
        value = (self.number(n) + self.number(m) + self.flags[1].value) & MASK
        self.write(d, value, self.bytes_of(n) + self.bytes_of(m) + [self.flags[1]])
        self.emit(0x9A000000 | m << 16 | n << 5 | d, f"ADC {d}", [d])

    def cells_at(self, address, size):
        return [self.memory.setdefault(address + i, Cell(0)) for i in range(size)]

    def load(self):
        d, size = self.any(), self.rng.choice([1, 2, 4, 8])
        offset = self.rng.randrange(8) * size
        cells = self.cells_at(MEMORY + offset, size)
        data = bytes(cell.value for cell in cells)
        base = self.bytes_of(BASE)
        self.registers[d] = self.place(cells, base) + [Cell(0, *self.join([])) for _ in range(8 - size)]
        opcode = {1: 0x39400000, 2: 0x79400000, 4: 0xB9400000, 8: 0xF9400000}[size]
        self.emit(opcode | offset // size << 10 | BASE << 5 | d, f"LDR {d}", [d], [(False, MEMORY + offset, data)])

    def store(self):
        t, size = self.any(), self.rng.choice([1, 2, 4, 8])
        offset = self.rng.randrange(8) * size
        for i, cell in enumerate(self.place(self.bytes_of(t, size), self.bytes_of(BASE))):
            self.memory[MEMORY + offset + i] = cell
        data = bytes(cell.value for cell in self.registers[t][:size])
        opcode = {1: 0x39000000, 2: 0x79000000, 4: 0xB9000000, 8: 0xF9000000}[size]
        self.emit(opcode | offset // size << 10 | BASE << 5 | t, f"STR {t}", [], [(True, MEMORY + offset, data)])

    def pair(self):
        a, b, offset = self.any(), self.any(), self.rng.randrange(4) * 8
        base, address = self.bytes_of(BASE), MEMORY + offset
        if self.rng.randrange(2) and a != b:
            cells = self.cells_at(address, 16)
            data = bytes(cell.value for cell in cells)
            moved = self.place(cells, base)
            self.registers[a], self.registers[b] = moved[:8], moved[8:]
            accesses = [(False, address, data[:8]), (False, address + 8, data[8:])]
            self.emit(0xA9400000 | offset // 8 << 15 | b << 10 | BASE << 5 | a, f"LDP {a},{b}", [a, b], accesses)
            return
        for i, cell in enumerate(self.place(self.bytes_of(a) + self.bytes_of(b), base)):
            self.memory[address + i] = cell
        data = bytes(self.memory[address + i].value for i in range(16))
        accesses = [(True, address, data[:8]), (True, address + 8, data[8:])]
        self.emit(0xA9000000 | offset // 8 << 15 | b << 10 | BASE << 5 | a, f"STP {a},{b}", [], accesses)

    def extend(self):
        """UXTB and a shift by whole bytes move bytes."""
        d, n = self.any(), self.any()
        zeros = [Cell(0, *self.join([])) for _ in range(8)]
        if self.rng.randrange(2):
            self.registers[d] = self.place(self.bytes_of(n, 1), over=self.registers[d]) + zeros[1:]
            self.emit(0x53001C00 | n << 5 | d, f"UXTB {d},{n}", [d])
        else:
            self.registers[d] = self.place(self.bytes_of(n)[1:]) + zeros[7:]
            self.emit(0xD348FC00 | n << 5 | d, f"LSR {d},{n},#8", [d])

    def swap(self):
        s, t, offset = self.any(), self.any(), 0
        if s == t:
            return
        old = self.cells_at(MEMORY + offset, 8)
        new, base = self.bytes_of(s), self.bytes_of(BASE)
        moved, stored = self.place(old, base), self.place(new, base)
        accesses = [
            (False, MEMORY, bytes(cell.value for cell in old)),
            (True, MEMORY, bytes(cell.value for cell in new)),
        ]
        self.registers[t] = moved
        for i, cell in enumerate(stored):
            self.memory[MEMORY + i] = cell
        self.emit(0xF8208000 | s << 16 | BASE << 5 | t, f"SWP {s},{t}", [t], accesses)

    # --- A32 ---------------------------------------------------------------------------------------------------------------------

    def condition(self):
        """A condition, the flags that it reads, and whether it holds."""
        if self.rng.randrange(2):
            return 14, [], True
        condition = self.rng.randrange(8)
        flag = self.flags[[2, 1, 3, 0][condition // 2]]
        return condition, [flag], (flag.value == 1) != (condition & 1)

    def data32(self, opcode, text, d, value, inputs, copies=None):
        condition, flags, holds = self.condition()
        if not holds:
            self.join(flags)  # the value decided that it is skipped
        if holds and copies is not None:
            self.registers[d] = self.place(copies, (), flags, self.registers[d]) + [Cell()] * 4
        elif holds:
            self.write(d, value & 0xFFFFFFFF, inputs, 4, flags)
        self.emit(condition << 28 | opcode, text, [d] if holds else [], (), not holds)

    def move32(self):
        d, m = self.any(), self.any()
        self.data32(0x01A00000 | d << 12 | m, f"MOV {d},{m}", d, 0, [], self.bytes_of(m))

    def add32(self):
        d, n, m = self.any(), self.any(), self.any()
        value = self.number(n) + self.number(m)
        self.data32(0x00800000 | n << 16 | d << 12 | m, f"ADD {d}", d, value, self.bytes_of(n) + self.bytes_of(m))

    def top32(self):
        """MOVT leaves the lower half."""
        d, value = self.any(), self.rng.randrange(1 << 12)
        for i in (0, 1):
            self.registers[d][2 + i] = Cell(value >> 8 * i & 255, *self.join([]))
        self.emit(0xE3400000 | d << 12 | value, f"MOVT {d}", [d])

    def compare32(self):
        n, m = self.any(), self.any()
        self.set_flags((self.number(n) - self.number(m)) & 0xFFFFFFFF, self.bytes_of(n) + self.bytes_of(m), 4)
        self.emit(0xE1500000 | n << 16 | m, f"CMP {n},{m}")

    def carry32(self):
        d, n, m = self.any(), self.any(), self.any()
        value = self.number(n) + self.number(m) + self.flags[1].value
        inputs = self.bytes_of(n) + self.bytes_of(m) + [self.flags[1]]
        self.data32(0x00A00000 | n << 16 | d << 12 | m, f"ADC {d}", d, value, inputs)

    def load32(self):
        d, size = self.any(), self.rng.choice([1, 4])
        offset = self.rng.randrange(8) * size
        cells = self.cells_at(MEMORY + offset, size)
        data = bytes(cell.value for cell in cells)
        self.registers[d] = self.place(cells, self.bytes_of(self.base)) + [Cell(0, *self.join([])) for _ in range(8 - size)]
        encoding = 0xE5900000 | (size == 1) << 22 | self.base << 16 | d << 12 | offset
        self.emit(encoding, f"LDR {d}", [d], [(False, MEMORY + offset, data)])

    def store32(self):
        t, size = self.any(), self.rng.choice([1, 4])
        offset = self.rng.randrange(8) * size
        for i, cell in enumerate(self.place(self.bytes_of(t, size), self.bytes_of(self.base))):
            self.memory[MEMORY + offset + i] = cell
        data = bytes(cell.value for cell in self.registers[t][:size])
        encoding = 0xE5800000 | (size == 1) << 22 | self.base << 16 | t << 12 | offset
        self.emit(encoding, f"STR {t}", [], [(True, MEMORY + offset, data)])

    def multiple32(self):
        """LDM and STM, of one word for each register, the lowest number at the lowest address."""
        chosen = sorted(self.rng.sample(range(self.usable), self.rng.randrange(1, 6)))
        bits, base, accesses = sum(1 << n for n in chosen), self.bytes_of(self.base), []
        is_load = self.rng.randrange(2)
        for i, n in enumerate(chosen):
            address = MEMORY + 4 * i
            if is_load:
                cells = self.cells_at(address, 4)
                accesses.append((False, address, bytes(cell.value for cell in cells)))
                self.registers[n] = self.place(cells, base) + [Cell()] * 4
            else:
                cells = self.place(self.bytes_of(n), base)
                accesses.append((True, address, bytes(cell.value for cell in cells)))
                for k, cell in enumerate(cells):
                    self.memory[address + k] = cell
        encoding = 0xE8900000 if is_load else 0xE8800000
        self.emit(encoding | self.base << 16 | bits, "LDM", chosen if is_load else [], accesses)

    def extend32(self):
        d, m = self.any(), self.any()
        self.registers[d] = self.place(self.bytes_of(m, 1), over=self.registers[d]) + [Cell(0, *self.join([])) for _ in range(7)]
        self.emit(0xE6EF0070 | d << 12 | m, f"UXTB {d},{m}", [d])

    def shift32(self):
        d, m, shift = self.any(), self.any(), self.rng.choice([1, 3, 5])
        self.write(d, self.number(m) << shift & 0xFFFFFFFF, self.bytes_of(m))
        self.emit(0xE1A00000 | d << 12 | shift << 7 | m, f"LSL {d},{m},#{shift}", [d])

    # --- Answers -----------------------------------------------------------------------------------------------------------------

    def text(self):
        return "\n".join(self.lines) + "\n"

    def slice_of(self, event, n, with_addresses=False):
        """The events that made a register as it is after an event."""
        return frozenset().union(*(cell.made_by(with_addresses) for cell in self.snapshots[event - 1][n]))
