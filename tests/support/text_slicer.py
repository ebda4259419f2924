"""A plain slicer over the text of a trace of a Cortex-A: which events made a value, from the disassembly in the lines and nothing else.

What an instruction does is derived here from its mnemonic and operands, not from its encoding, and not with anything of trawl's. A slice is
found by walking back over all events with the set of bytes that are wanted. It is slow, and knows the instructions of the corpus only; any
other one raises UnknownInstruction.

A place is a tuple: ("x", n, byte) of A64, where n is 31 for the zero register; ("SP_EL1", byte); ("v", n, byte); ("r", n, byte) of AArch32,
("d", n, byte); ("flag", letter), ("fpflag", letter); ("m", address); ("sys", name, byte).
"""

import re

LINE = re.compile(
    r"^(?:\S+ (?:clk|ns|ps|tic)\s+)?(?:(?P<core>cpu\S*) )?(?P<is>IT|IS) \(\d+\) (?P<pc>[0-9a-f]+)(?::\S+)? (?P<code>[0-9a-f]+) (?P<isa>[AOT]) (?P<mode>\S+) : *(?P<text>.*)$"
)
ES = re.compile(r"^ *\d+ tic (?P<is>ES|IS)  \((?P<pc>[0-9a-f]+):(?P<code>[0-9a-f]+)\) (?P<isa>[AOT]) (?P<mode>[a-z0-9_]+): +(?P<text>.*)$", re.IGNORECASE)
ACCESS = re.compile(r" M(?P<way>[RW])(?P<size>\d+)X? (?P<address>[0-9a-f]+):\S+ (?P<digits>[0-9a-fA-F_]+)")
DRAWN = re.compile(r"^ +(?P<way>LD|ST)? *(?P<address>[0-9a-f]{8,16}) (?P<words>[0-9a-f.#]{8} [0-9a-f.#]{8} [0-9a-f.#]{8} [0-9a-f.#]{8}) ")
REGISTER = re.compile(r"(?:^|\s)R (?P<name>\S+) (?P<digits>[0-9a-fA-F_]+)")
TIME = re.compile(r" *\S+ (clk )?")
CONDITIONS = {
    "EQ": "Z", "NE": "Z", "CS": "C", "HS": "C", "CC": "C", "LO": "C", "MI": "N", "PL": "N", "VS": "V", "VC": "V",
    "HI": "CZ", "LS": "CZ", "GE": "NV", "LT": "NV", "GT": "NZV", "LE": "NZV",
}  # fmt: skip
NAMES = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14, "pc": 15}
LANES = {"b": 1, "h": 2, "s": 4, "d": 8}
FLAGS = [("flag", letter) for letter in "NZCV"]


class UnknownInstruction(Exception):
    pass


class Event:
    def __init__(self, line, match, core):
        self.line, self.core, self.mode, self.isa = line, core, match["mode"].split("_")[0].lower(), match["isa"]
        self.text = match["text"].split(";")[0].strip().lower()
        self.is_executed = match["is"] != "IS" and not self.text.startswith("ccfail")
        self.reads, self.writes, self.shown = {}, {}, []  # bytes by address; registers by name
        self.after = []  # of an exception at the same time
        self.before = []  # registers that lines before the instruction show: of taking an exception
        self.is_exception = False
        self.changed = set()  # addresses where a load shows another value than memory had
        self.mode_changes = False
        self.ends = set()  # what it makes in a way that the trace does not show
        self.flows, self.addresses = {}, set()  # what each place is made from; what computed the address of its access


def split(text):
    """Operands, which commas in brackets and braces do not divide."""
    found, depth, current = [], 0, ""
    for letter in text:
        depth += letter in "[{"
        depth -= letter in "]}"
        if letter == "," and not depth:
            found.append(current.strip())
            current = ""
        else:
            current += letter
    return [*found, current.strip()] if current.strip() else found


class Reader:
    def __init__(self, text, is_big=False):
        self.is_big, self.events = is_big, []
        self.names_system = bool(re.search(r" R sp_el\d", text, re.IGNORECASE))  # gem5 does not show them
        self.read(text)
        modes, memory, host = {}, {}, None
        names = {name.lower() for name, _ in REGISTER.findall(text)}
        ever = {place for event in self.events[:1] for name in names for place in named(name, event)}
        self.memory, self.numbers = memory, {}
        for event in self.events:
            bank = "usr" if event.mode == "sys" else event.mode
            event.mode_changes = modes.get(event.core, bank) != bank
            modes[event.core] = bank
            for address, value in event.reads.items():
                if memory.get(address, value) != value and ("m", address) in (host.flows if host else []):
                    pass  # of the debug host
                elif memory.get(address, value) != value and host:
                    host.flows["m", address] = {None}
                elif memory.get(address, value) != value:
                    event.changed.add(address)
                memory[address] = value
            memory.update(event.writes)
            if event.is_executed:
                Meaning(event, is_big, self.names_system)
            shown = {place for name, _ in event.shown for place in named(name, event)}
            for place in [place for place in event.flows if place[1] == "d" and place not in shown and place in ever]:
                del event.flows[place]  # a corpus trace shows these only if their value changes: then nobody can know
            is_host = event.is_executed and re.match(r"hlt|bkpt|svc +#(0x123456|0xab)\b", event.text)
            if is_host:
                self.take_shown(event)
                self.take_host_memory(event)
            host = event if is_host else host
            for name, number in event.before + event.shown:
                self.numbers[event.core, re.sub(r"^w(?=\d)", "x", name.split("_")[0])] = number

    def read(self, text):
        event, waiting, exception, way = None, [], None, None  # exception: its line and time
        for number, line in enumerate(text.split("\n"), 1):
            match = LINE.match(line) or ES.match(line)
            if match:
                if exception and exception[1] != line[: len(exception[1])]:  # an event of its own
                    waiting, exception = [], None
                elif exception and event and event.time == exception[1]:  # with the instruction before it
                    event.after, waiting, exception = waiting, [], None
                event = Event(exception[0] if exception else number, match, (match.groupdict().get("core") or ""))
                event.before, event.is_exception = waiting, exception is not None
                event.time = re.match(TIME, line)[0]
                self.events.append(event)
                waiting, exception = [], None
            elif re.search(r"clk (cpu\S* )?E |ES  EXC", line):
                exception = exception or (number, re.match(TIME, line)[0])
            elif found := ACCESS.search(line):
                value, size = int(found["digits"].replace("_", ""), 16), int(found["size"])
                data = value.to_bytes(size, "big" if self.is_big else "little")
                (event.reads if found["way"] == "R" else event.writes).update({int(found["address"], 16) + i: data[i] for i in range(size)})
            elif found := DRAWN.match(line):
                way = found["way"] or way
                digits = found["words"].replace(" ", "")
                for i in range(16):
                    pair = digits[2 * i : 2 * i + 2]
                    if pair != "..":
                        address = int(found["address"], 16) + 15 - i
                        (event.reads if way == "LD" else event.writes)[address] = int(pair, 16) if pair != "##" else -1
            elif found := REGISTER.search(line):
                shown = found["name"].lower(), int(found["digits"].replace("_", "")[-16:], 16)
                (waiting if exception or event is None else event.shown).append(shown)

    def take_shown(self, event):
        """Registers that the trace shows and the instruction does not explain: of the debug host."""
        for name, _ in event.shown:
            places = named(name, event)
            if places and not any(place in event.flows for place in places):
                event.flows.update((place, {None}) for place in places)

    def take_host_memory(self, event):
        """What a semihosting call may have written, by the block of its parameters as memory was before."""
        letter, size = ("x", 8) if event.isa == "O" else ("r", 4)
        operation = self.numbers.get((event.core, letter + "0"), 0) & 0xFFFFFFFF
        block = self.numbers.get((event.core, letter + "1"), 0)
        words = []
        for n in range(3):
            word = [self.memory.get(block + size * n + i) for i in range(size)]
            words.append(None if None in word else int.from_bytes(bytes(word), "big" if self.is_big else "little"))
        regions = {
            0x06: [(words[1], words[2])],  # SYS_READ
            0x0D: [(words[0], words[2])],  # SYS_TMPNAM
            0x15: [(words[0], words[1]), (block + size, size)],  # SYS_GET_CMDLINE
            0x16: [(words[0], 4 * size)],  # SYS_HEAPINFO
            0x30: [(block, 8)],  # SYS_ELAPSED
        }
        for start, length in regions.get(operation, []):
            if start is not None and length is not None:
                event.flows.update((("m", start + i), {None}) for i in range(length))

    def made_one(self, event):
        """The register that an event makes and nothing else; None: it makes more, or memory."""
        made = {place[:3] for place in event.flows}
        is_one = len(made) == 1 and len(next(iter(event.flows))) == 4 and event.is_executed and not event.after and not event.is_exception
        return next(iter(made)) if is_one and next(iter(made))[1] in ("x", "r") else None

    def slice_of(self, number, places, addresses=False):
        """The lines of the events that made the places after event `number`."""
        wanted, found = set(places), []
        for event in reversed(self.events[: number + 1]):
            taken = [place for name, _ in event.after for place in named(name, event) if place in wanted]
            wanted.difference_update(taken)
            hits = [place for place in event.flows if place in wanted and event.flows[place] != {place}]
            wanted.difference_update(hits, event.ends)
            for place in hits:
                wanted.update(input for input in event.flows[place] if input is not None)
                if addresses and event.addresses and (place[0] == "m" or any(input and input[0] == "m" for input in event.flows[place])):
                    wanted.update(event.addresses)
            if hits or taken:
                found.append(event.line)
            if event.is_exception:
                taken = [place for name, _ in event.before for place in named(name, event) if place in wanted]
                wanted.difference_update(taken)
                if taken and event.line not in found[-1:]:
                    found.append(event.line)
            if event.mode_changes and event.isa != "O":
                wanted = {place for place in wanted if place[:3] not in ((event.core, "r", 13), (event.core, "r", 14))}
        return frozenset(found)


def named(name, event):
    """The places of a register that a line shows."""
    core = event.core
    if match := re.fullmatch(r"[xw](\d+)", name):
        return [(core, "x", int(match[1]), i) for i in range(8)]
    if name.startswith("sp_el"):
        return [(core, name, i) for i in range(8)]
    if match := re.fullmatch(r"v(\d+)|q(\d+)", name):
        if event.isa == "O":
            return [(core, "v", int(match[1] or match[2]), i) for i in range(16)]
    if match := re.fullmatch(r"d(\d+)", name):
        return [(core, "d", int(match[1]), i) for i in range(8)] if event.isa != "O" else []
    if match := re.fullmatch(r"s(\d+)", name):
        return [(core, "d", int(match[1]) // 2, int(match[1]) % 2 * 4 + i) for i in range(4)] if event.isa != "O" else []
    if match := re.fullmatch(r"q(\d+)", name):
        return [(core, "d", 2 * int(match[1]) + d, i) for d in range(2) for i in range(8)]
    base = name.split("_")[0]
    if event.isa != "O" and (base in NAMES or re.fullmatch(r"r\d+", base)):
        number = NAMES[base] if base in NAMES else int(base[1:])
        return [(core, "r", number, i) for i in range(4)] if number != 15 else []
    if event.isa == "O" and re.fullmatch(r"[a-z0-9_]+_el\d|s\d_.*", name):
        return [(core, "sys", name, i) for i in range(8)]
    return []


class Meaning:
    """Sets the flows of an event that was executed."""

    def __init__(self, event, is_big, names_system):
        self.event, self.is_big, self.names_system, self.core = event, is_big, names_system, event.core
        self.conditions = set()
        words = event.text.split(None, 1)
        self.mnemonic, self.operands = words[0].upper(), split(words[1]) if len(words) > 1 else []
        (self.a64 if event.isa == "O" else self.a32)()

    # --- Flows -------------------------------------------------------------------------------------------------------------------

    def value(self, outputs, *inputs):
        """All of the outputs from all of the inputs."""
        made = {place for place in set().union(*inputs) | self.conditions if place and place[1:3] != ("x", 31)}
        for place in outputs:
            if place and place[1:3] != ("x", 31):
                self.event.flows[place] = made

    def copy(self, outputs, inputs):
        """Each output from one input; further outputs from the last one, as signs are."""
        for i, place in enumerate(outputs):
            self.value([place], [inputs[min(i, len(inputs) - 1)]])

    def flags(self, letters, *inputs):
        self.value([self.flag(letter) for letter in letters], *inputs)

    def flag(self, letter, of="flag"):
        return (self.core, of, letter)

    def condition(self, name):
        return {self.flag(letter) for letter in CONDITIONS[name.upper()]}

    # --- Registers -----------------------------------------------------------------------------------------------------------------

    def reg(self, name, whole=False):
        """The bytes of an operand. `whole`: those that are written, where the rest of them becomes 0."""
        name, core = name.strip(), self.core
        if self.event.isa == "O":
            if name in ("sp", "wsp"):
                bank = "sp_el0" if self.event.mode[-1] == "t" else "sp_el" + self.event.mode[2]
                return [(core, bank, i) for i in range(8 if whole or name == "sp" else 4)]
            if match := re.fullmatch(r"([xw])(\d+|zr)", name):
                n = 31 if match[2] == "zr" else int(match[2])
                return [(core, "x", n, i) for i in range(8 if whole or match[1] == "x" else 4)]
            if match := re.fullmatch(r"([qdshb])(\d+)", name):
                size = {"q": 16, **LANES}[match[1]]
                return [(core, "v", int(match[2]), i) for i in range(16 if whole else size)]
            if match := re.fullmatch(r"v(\d+)\.(\d+)([bhsd])", name):
                return [(core, "v", int(match[1]), i) for i in range(16 if whole else int(match[2]) * LANES[match[3]])]
            if match := re.fullmatch(r"v(\d+)\.([bhsd])\[(\w+)\]", name):
                size = LANES[match[2]]
                return [(core, "v", int(match[1]), int(match[3], 0) * size + i) for i in range(size)]
        elif name in NAMES or re.fullmatch(r"r\d+", name):
            n = NAMES[name] if name in NAMES else int(name[1:])
            return [(core, "r", n, i) for i in range(4)] if n != 15 else []
        elif match := re.fullmatch(r"([sdq])(\d+)", name):
            n = int(match[2])
            if match[1] == "s":
                return [(core, "d", n // 2, n % 2 * 4 + i) for i in range(4)]
            return [(core, "d", d, i) for d in ([n] if match[1] == "d" else [2 * n, 2 * n + 1]) for i in range(8)]
        elif match := re.fullmatch(r"d(\d+)\[(\d+)\]", name):
            size = int(re.search(r"\d+$", self.mnemonic)[0]) // 8
            return [(core, "d", int(match[1]), int(match[2]) * size + i) for i in range(size)]
        raise UnknownInstruction(self.event.text)

    def inputs(self, operands):
        """The registers among operands, of which one may be shifted or extended."""
        found = set()
        for i, text in enumerate(operands):
            if text.startswith("#") or re.match(r"(lsl|lsr|asr|ror|msl)\b", text):
                shift = text.split()
                if len(shift) > 1 and not shift[1].startswith("#"):
                    found.update(self.reg(shift[1])[:1])
                continue
            if re.match(r"[us]xt", text) or re.fullmatch(r"[a-z]{2}", text) and text.upper() in CONDITIONS and text not in NAMES:
                continue
            bytes_of = self.reg(text)
            if i + 1 < len(operands) and (extended := re.match(r"[us]xt([bhwx])", operands[i + 1])):
                bytes_of = bytes_of[: {"b": 1, "h": 2, "w": 4, "x": 8}[extended[1]]]
            found.update(bytes_of)
        return found

    def write(self, name, *inputs):
        """A register from values. In A64, the rest of it becomes 0."""
        low, all_of = self.reg(name), self.reg(name, True) if self.event.isa == "O" else self.reg(name)
        self.value(low, *inputs)
        if self.event.isa == "O":
            self.value(all_of[len(low) :])

    def move(self, name, inputs):
        low, all_of = self.reg(name), self.reg(name, True) if self.event.isa == "O" else self.reg(name)
        self.copy(low, inputs)
        if self.event.isa == "O":
            self.value(all_of[len(low) :])

    # --- Memory --------------------------------------------------------------------------------------------------------------------

    def accessed(self, size, is_load):
        """Places in memory in the order of registers' bytes; for each size of an element, the lowest byte first."""
        cells = sorted(self.event.reads if is_load else self.event.writes)
        places = [("m", address) if not (is_load and address in self.event.changed) else None for address in cells]
        if self.is_big:
            places = [place for i in range(0, len(places), size) for place in reversed(places[i : i + size])]
        return places

    def address(self, text, rest):
        """Notes what computed an address, and what that does to its base: "[x0,#8]!", "[x0],#8"."""
        inside = split(re.sub(r":0x[0-9a-f]+$|:\d+$", "", text.strip("!")[1:-1]))
        registers = [self.reg(name.lstrip("-")) for name in inside if re.fullmatch(r"-?[a-z]+\d*", name) and name != "pc"]
        for name, after in zip(inside, [*inside[1:], ""]):
            if re.match(r"[us]xtw", after):
                registers[-1] = registers[-1][:4]
        self.event.addresses.update(*registers)
        steps = [self.reg(name.lstrip("-")) for name in rest if not name.startswith("#") and not re.match(r"lsl|asr", name)]
        if text.endswith("!") or rest:
            base = registers[0]
            self.value(base, *(registers if text.endswith("!") else [base, *steps]))

    def load(self, names, size, text, rest, sign=False):
        places = self.accessed(size, True)
        self.address(text, rest)
        for i, name in enumerate(names):
            part = places[size * i : size * i + size]
            low = self.reg(name)
            if self.event.isa == "O":
                self.copy(self.reg(name, True) if sign == "x" else low if sign else low[:size], part)
                if not sign:
                    self.value(self.reg(name, True)[size:])
                elif sign == "w":
                    self.value(self.reg(name, True)[4:])
            else:
                self.copy(low if sign else low[:size], part)
                if not sign:
                    self.value(low[size:])

    def store(self, names, size, text, rest):
        places = self.accessed(size, False)
        self.address(text, rest)
        for i, name in enumerate(names):
            source = self.reg(name)[:size]
            for place, byte in zip(places[size * i : size * i + size], source):
                self.value([place], [byte])

    # --- A64 -----------------------------------------------------------------------------------------------------------------------

    def a64(self):
        name, ops = self.mnemonic, self.operands
        if name.startswith("B.") or name in ("B", "RET", "BR", "CBZ", "CBNZ", "TBZ", "TBNZ", "NOP", "ISB", "DSB", "DMB", "HLT", "SVC", "CLREX"):
            return None
        if name in ("BL", "BLR"):
            return self.value(self.reg("x30"))
        if name == "ERET":
            return self.flags("NZCV")
        if name in ("MOVZ", "MOVN", "ADR", "ADRP", "MOVI"):
            return self.value(self.reg(ops[0], True))
        if name == "MOVK":
            half = int(ops[2].split("#")[1], 0) // 8 if len(ops) > 2 else 0
            return self.value(self.reg(ops[0], True)[half : half + 2])
        if name in ("MOV", "FMOV"):
            return self.value(self.reg(ops[0], True)) if ops[1].startswith("#") else self.move(ops[0], self.reg(ops[1]))
        if name in ("ADD", "SUB", "AND", "ORR", "EOR", "BIC", "LSL", "LSR", "ASR", "ROR", "MUL", "MVN", "UMULL", "SMULL", "MADD", "MSUB",
                    "UMADDL", "SMADDL", "SMULH", "UMULH", "UDIV", "SDIV", "NEG", "UBFIZ", "UBFX", "SBFX", "ORN", "EON"):  # fmt: skip
            return self.write(ops[0], self.inputs(ops[1:]))
        if name in ("ADDS", "SUBS", "ANDS"):
            self.flags("NZCV", self.inputs(ops[1:]))
            return self.write(ops[0], self.inputs(ops[1:]))
        if name in ("CMP", "CMN", "TST"):
            return self.flags("NZCV", self.inputs(ops))
        if name in ("CSEL", "FCSEL"):
            first, second, low = self.reg(ops[1]), self.reg(ops[2]), self.reg(ops[0])
            for i, place in enumerate(low):
                self.value([place], [first[i], second[i]], self.condition(ops[3]))
            return self.value(self.reg(ops[0], True)[len(low) :])
        if name in ("CSINC", "CSINV", "CSNEG"):
            first, second, low = self.reg(ops[1]), self.reg(ops[2]), self.reg(ops[0])
            for i, place in enumerate(low):
                self.value([place], [first[i]], second, self.condition(ops[3]))
            return self.value(self.reg(ops[0], True)[len(low) :])
        if name in ("CSET", "CSETM"):
            return self.write(ops[0], self.condition(ops[1]))
        if name == "SXTW":
            return self.copy(self.reg(ops[0], True), self.reg(ops[1])[:4])
        if name == "BFI":
            return self.insert(*ops)
        if name == "MSR" and not self.names_system:
            self.event.ends.update((self.core, *place) for place in self.system(ops[0]))
            return None
        if name == "MRS" and not self.names_system:
            return self.value(self.reg(ops[0], True))
        if name == "MSR":
            return None if ops[1].startswith("#") else self.copy([(self.core, *place) for place in self.system(ops[0])], self.reg(ops[1]))
        if name == "MRS":
            return self.move(ops[0], [(self.core, *place) for place in self.system(ops[1])])
        if re.match(r"(LD|ST)", name):
            return self.a64_access(name, ops)
        return self.a64_vector(name, ops)

    def system(self, name):
        return [(name, i) if name.startswith("sp_el") else ("sys", name, i) for i in range(8)]

    def insert(self, target, source, low, width):
        """BFI: bytes that it fills are made from its source; those that it fills in part, also from what was there."""
        low, width = int(low[1:], 0), int(width[1:], 0)
        for i, place in enumerate(self.reg(target)):
            bits = set(range(8 * i, 8 * i + 8)) & set(range(low, low + width))
            if bits:
                self.value([place], self.reg(source), [] if len(bits) == 8 else [place])
        self.value(self.reg(target, True)[len(self.reg(target)) :])

    def a64_access(self, name, ops):
        if name == "LDR" and len(ops) == 2 and ops[1].startswith(("#", "{pc}")):
            return self.load([ops[0]], len(self.reg(ops[0])), "[]", [])
        if match := re.fullmatch(r"(LD|ST)([1-4])(R?)", name):
            return self.structures(match[1] == "LD", int(match[2]), match[3], ops)
        where = next(i for i, text in enumerate(ops) if text.startswith("["))
        size = {"B": 1, "H": 2}.get(name[-1] if name not in ("LDP", "STP") else "") or len(self.reg(ops[0]))
        if name in ("STXR", "STLXR"):
            size = len(self.reg(ops[1]))
            if self.event.writes:
                self.store([ops[1]], size, ops[2], [])
            return self.write(ops[0])  # the monitor is not followed
        sign = re.match(r"LDU?RS", name) and ("x" if ops[0][0] == "x" else "w")
        if sign:
            size = {"B": 1, "H": 2, "W": 4}[name[-1]]
        (self.load if name.startswith("LD") else self.store)(ops[:where], size, ops[where], ops[where + 1 :], *([sign] if sign else []))

    def structures(self, is_load, count, replicates, ops):
        """LD1 to LD4: elements go to the registers in turn."""
        names = split(re.match(r"\{(.*)\}", ops[0])[1])
        lane = re.search(r"\}\[(\w+)\]", ops[0])
        element = LANES[names[0][-1]]
        self.address(ops[1], ops[2:])
        places = self.accessed(element, is_load)
        full = 16 if lane or re.search(r"\.(16b|8h|4s|2d)$", names[0]) else 8
        for at, name in enumerate(names):
            register = [(self.core, "v", int(re.match(r"v(\d+)", name)[1]), i) for i in range(16)]
            for number in [int(lane[1], 0)] if lane else range(full // element):
                if count == 1 and not lane and not replicates:
                    first = (at * (full // element) + number) * element
                else:
                    first = ((0 if lane or replicates else number) * count + at) * element
                part, own = places[first : first + element], register[number * element : number * element + element]
                self.copy(own, part) if is_load else [self.value([place], [byte]) for place, byte in zip(part, own)]
            if is_load and not lane:
                self.value(register[full:])

    def a64_vector(self, name, ops):
        if name == "UMOV":
            return self.move(ops[0], self.reg(ops[1])) if len(self.reg(ops[1])) == len(self.reg(ops[0])) else self.narrow(ops)
        if name == "INS":
            return self.copy(self.reg(ops[0]), self.reg(ops[1]))
        if name == "DUP":
            low, source = self.reg(ops[0]), self.reg(ops[1])
            size = LANES[ops[0][-1]]
            for i, place in enumerate(low):
                self.value([place], [source[i % size]])
            return self.value(self.reg(ops[0], True)[len(low) :])
        if name == "FCMP":
            return self.flags("NZCV", self.inputs([text for text in ops if not text.startswith("#")]))
        if name in ("UADDL2", "UMULL2", "USHLL2", "SHLL2", "UADDW2"):  # of the upper halves
            narrow = ops[2:] if name == "UADDW2" else [text for text in ops[1:] if not text.startswith("#")]
            upper = [place for text in narrow for place in self.reg(text)[8:]]
            return self.write(ops[0], upper, self.reg(ops[1]) if name == "UADDW2" else [])
        reads_target = name in ("FMLA", "MLA", "MLS", "USRA", "SSRA", "BSL", "BIT", "BIF")
        if name in ("EOR", "ADD", "FADD", "FSUB", "FMUL", "FDIV", "FMADD", "FMSUB", "CNT", "ADDV", "UADDW", "UADDL", "USHLL", "SHLL", "USHR", "SHL", "EXT",
                    "UMULL", "MUL", "FCVTZS", "FCVTZU", "UCVTF", "SCVTF", "UZP1", "UZP2", "ZIP1", "ZIP2", "FABS",
                    "FNEG", "FSQRT", "CMHI", "CMEQ", "AND", "ORR", "SUB", "XTN") or reads_target:  # fmt: skip
            return self.write(ops[0], self.inputs(ops[1:]), self.reg(ops[0]) if reads_target else [])
        if name.endswith("2"):
            raise UnknownInstruction(self.event.text)
        if name == "TBL":
            return self.write(ops[0], self.inputs(split(ops[1][1:-1])), self.reg(ops[2]))
        raise UnknownInstruction(self.event.text)

    def narrow(self, ops):
        source, low = self.reg(ops[1]), self.reg(ops[0], True)
        self.copy(low[: len(source)], source)
        self.value(low[len(source) :])

    # --- A32 and T32 ---------------------------------------------------------------------------------------------------------------

    PLAIN = ("ADD", "SUB", "RSB", "ADC", "SBC", "AND", "ORR", "EOR", "BIC", "MVN", "LSL", "LSR", "ASR", "ROR", "MUL", "MLA", "MLS", "UXTB", "UXTH", "SXTB", "SXTH", "ORN")
    OTHERS = ("MOV", "MOVW", "MOVT", "CMP", "CMN", "TST", "TEQ", "LDR", "STR", "LDRB", "STRB", "LDRH", "STRH", "LDRD", "STRD", "LDM", "STM", "PUSH", "POP", "BX", "BLX", "BL",
              "B", "VMOV", "VCMP", "LDRSB", "LDRSH", "UMULL", "ADR", "SVC", "MRC", "MCR", "VLDR", "VSTR", "STMIA", "LDMIA", "STMDB", "LDMDB", "VMRS", "VMSR", "CBZ", "CBNZ",
              "CPS", "CPSIE", "CPSID", "ISB", "NOP", "IT", "RFE", "SRS", "MRS", "MSR", "SUBS", "CLREX", "SMULL", "SETEND")  # fmt: skip

    def a32(self):
        """Takes the condition from the mnemonic."""
        head, dot, kind = self.mnemonic.removesuffix(".W").removesuffix(".N").partition(".")
        is_known = lambda head: head in self.OTHERS + self.PLAIN or head.removesuffix("S") in self.PLAIN or head == "MOVS"
        stem, end = head[:-2], head[-2:]
        if end in CONDITIONS and is_known(stem) and not is_known(head):
            self.conditions, head = self.condition(end), stem
        self.a32_named(head + dot + kind, self.operands)

    def a32_named(self, name, ops):
        if name in ("B", "BX", "CBZ", "CBNZ", "NOP", "ISB", "SVC", "MCR", "CPS", "CPSIE", "CPSID", "VMSR", "DMB", "DSB", "CLREX", "SETEND") or re.fullmatch(r"I[TE]+", name):
            return None
        if name in ("BL", "BLX"):
            return self.value(self.reg("lr"))
        if name in ("MOVW", "ADR", "MRC", "MRS"):
            return self.value(self.reg(ops[2 if name == "MRC" else 0]))
        if name == "MOVT":
            return self.value(self.reg(ops[0])[2:])
        if name in ("MOV", "MOVS"):
            return self.a32_move(name, ops)
        if name in ("CMP", "CMN"):
            return self.flags("NZCV", self.inputs(ops))
        if name in ("TST", "TEQ"):
            return self.logical_flags(ops, self.inputs(ops))
        if name in ("UXTB", "UXTH", "SXTB", "SXTH") and len(ops) == 2:
            size, low = 1 if name[-1] == "B" else 2, self.reg(ops[0])
            self.copy(low if name[0] == "S" else low[:size], self.reg(ops[1])[:size])
            return self.value(low[size:]) if name[0] == "U" else None
        if name in ("UMULL", "SMULL"):
            return self.value(self.reg(ops[0]) + self.reg(ops[1]), self.inputs(ops[2:]))
        base = name.removesuffix("S") if name not in ("MLS",) else name
        if base in self.PLAIN:
            return self.a32_compute(base, name != base, ops)
        if re.match(r"LD|ST|PUSH|POP|VLD|VST|VPUSH|VPOP", name):
            return self.a32_access(name, ops)
        return self.a32_vector(name, ops)

    def a32_move(self, name, ops):
        if ops[0] == "pc":
            return None
        source = None if ops[1].startswith("#") else self.reg(ops[1])
        if name == "MOVS":
            self.flags("NZ", source or [])
        if len(ops) > 2:
            return self.value(self.reg(ops[0]), self.inputs(ops[1:]))
        return self.copy(self.reg(ops[0]), source) if source else self.value(self.reg(ops[0]))

    def logical_flags(self, ops, inputs):
        shifted = any(re.match(r"lsl|lsr|asr|ror", text) for text in ops)
        number = [int(text[1:], 0) & 0xFFFFFFFF for text in ops if text.startswith("#")]
        self.flags("NZC" if shifted or (number and number[-1] > 255) else "NZ", inputs)

    def a32_compute(self, base, sets, ops):
        inputs = self.inputs(ops if len(ops) == 2 and base not in ("MVN", "UXTB", "UXTH") else ops[1:])
        if base in ("ADC", "SBC"):
            inputs.add(self.flag("C"))
        if sets and base in ("ADD", "SUB", "RSB", "ADC", "SBC"):
            self.flags("NZCV", inputs)
        elif sets and base in ("LSL", "LSR", "ASR", "ROR"):
            self.flags("NZC", inputs)
        elif sets and base == "MUL":
            self.flags("NZ", inputs)
        elif sets:
            self.logical_flags(ops, inputs)
        return self.value(self.reg(ops[0]), inputs) if ops[0] != "pc" else None

    def list_of(self, text):
        return split(text.strip("{}^ "))

    def a32_access(self, name, ops):
        if name in ("PUSH", "POP", "VPUSH", "VPOP"):
            is_load, names, base, written = name.endswith("POP"), self.list_of(ops[0]), "sp", True
        elif re.match(r"V?(LD|ST)M", name):
            is_load, names, base, written = "LD" in name, self.list_of(ops[1]), ops[0].rstrip("!"), ops[0].endswith("!")
        elif re.match(r"V(LD|ST)\d", name):
            return self.a32_structures(name, ops)
        else:
            return self.a32_single(name, ops)
        size = len(self.reg(names[0])) if names[0] != "pc" else 4
        self.event.addresses.update(self.reg(base))
        if written:
            self.value(self.reg(base), self.reg(base))
        places = self.accessed(min(size, 8), is_load)
        for i, register in enumerate(names):
            part = places[size * i : size * i + size]
            if register == "pc":
                continue
            if is_load:
                self.copy(self.reg(register), part)
            else:
                for place, byte in zip(part, self.reg(register)):
                    self.value([place], [byte])

    def a32_structures(self, name, ops):
        element, registers = int(name.split(".")[1]) // 8, [place for register in self.list_of(ops[0]) for place in self.reg(register)]
        places = self.accessed(element, name.startswith("VLD"))
        self.address(ops[1], ops[2:])
        for place, byte in zip(places, registers):
            self.value(*(([byte], [place]) if name.startswith("VLD") else ([place], [byte])))

    def a32_single(self, name, ops):
        base = name.removeprefix("V")
        where = next((i for i, text in enumerate(ops) if text.startswith("[")), None)
        size = {"B": 1, "H": 2}.get(base[3:][-1:]) or (len(self.reg(ops[0])) if ops[0] != "pc" else 4)
        if where is None:
            return self.load([ops[0]], size, "[]", [])
        names = [text for text in ops[:where] if text != "pc"]
        sign = base.startswith("LDRS")
        (self.load if base.startswith("LD") else self.store)(names, size, ops[where], ops[where + 1 :], *(["w"] if sign else []))

    def a32_vector(self, name, ops):
        if name == "VMRS":
            for letter in "NZCV":
                self.value([self.flag(letter)], [self.flag(letter, "fpflag")])
            return None
        head = name.split(".")[0]
        if head == "VCMP":
            return self.value([self.flag(letter, "fpflag") for letter in "NZCV"], self.inputs([text for text in ops if not text.startswith("#")]))
        if head == "VMOV" and ops[1].startswith("#"):
            return self.value(self.reg(ops[0]))
        if head == "VMOV":
            source, low = self.reg(ops[1]), self.reg(ops[0])
            self.copy(low[: len(source)], source)
            return self.value(low[len(source) :])
        if head in ("VREV16", "VREV32", "VREV64"):
            element, group = int(name.split(".")[1]) // 8, int(head[4:]) // 8
            source = self.reg(ops[1])
            for i, place in enumerate(self.reg(ops[0])):
                within = i % group
                self.value([place], [source[i - within + (group // element - 1 - within // element) * element + within % element]])
            return None
        if head in ("VADD", "VSUB", "VMUL", "VDIV", "VCVT", "VEOR", "VORR", "VAND", "VCGT", "VCEQ", "VMOVL", "VNEG", "VABS"):
            if head == "VORR" and ops[1] == ops[2]:
                return self.copy(self.reg(ops[0]), self.reg(ops[1]))
            return self.value(self.reg(ops[0]), self.inputs(ops[1:]))
        if head in ("VFMA", "VMLA", "VMLS", "VSRA"):
            return self.value(self.reg(ops[0]), self.inputs(ops))
        raise UnknownInstruction(self.event.text)
