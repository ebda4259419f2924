"""The run of a log of Spike (-l --log-commits) in the forms of other producers, exactly as their format strings write it: Sail's emulator
(c_emulator/riscv_callbacks_log.cpp, model/postlude/step.sail), RVVI-TEXT (Sail's riscv_callbacks_rvvi_text.cpp, and as the specification
has it), Ibex (ibex_tracer.sv), CV32E40P and old Ibex (cv32e40p_instr_trace.svh). Each returns the text and its instructions."""

import re

LINE = re.compile(r"core +(\d+): 0x([0-9a-f]+) \(0x([0-9a-f]+)\) (.*)$")
COMMIT = re.compile(r"core +(\d+): ([0-3]) 0x([0-9a-f]+) \(0x([0-9a-f]+)\)(.*)$")
TRAP = re.compile(r"core +(\d+): exception (\w+(?: #\d+)?), epc 0x([0-9a-f]+)$")
MODES = {"0": "U", "1": "S", "3": "M"}


class Step:
    """An instruction, retired or (trap) not."""

    def __init__(self, hart, mode, pc, code, text):
        self.hart, self.mode, self.pc, self.text, self.trap = hart, mode, int(pc, 16), text, None
        self.width, self.code, self.size = len(pc), int(code, 16), len(code) // 2
        self.registers, self.csrs, self.loads, self.stores = {}, {}, [], []

    def take(self, rest):
        words, at = rest.split(), 0
        while at < len(words):
            word = words[at]
            if word == "mem":
                is_store = at + 2 < len(words) and words[at + 2].startswith("0x")
                if is_store:
                    self.stores.append((int(words[at + 1], 16), words[at + 2][2:]))
                else:
                    self.loads.append(int(words[at + 1], 16))
                at += 3 if is_store else 2
            elif re.fullmatch(r"e\d+|mf?\d+|l\d+", word):
                at += 1
            elif word[0] == "c":
                number, name = word[1:].split("_", 1)
                self.csrs[name] = (int(number), words[at + 1][2:])
                at += 2
            else:
                self.registers[word] = words[at + 1][2:]
                at += 2

    def load_bytes(self):
        """How many bytes a scalar load gets; None: another instruction."""
        opcode, kind = self.code & 0x7F, self.code >> 12 & 7
        if self.size == 4:
            sizes = {0: 1, 1: 2, 2: 4, 3: 8, 4: 1, 5: 2, 6: 4}
            return sizes.get(kind) if opcode in (0x03, 0x07, 0x2F) else None
        quadrant, kind = self.code & 3, self.code >> 13
        is_64 = self.width == 16
        if quadrant in (0, 2) and kind in (1, 2, 3):
            return 4 if kind == 2 or (kind == 3 and not is_64) else 8
        return None

    def loaded(self):
        """The digits of what a load got, from the register that it wrote; None: not shown."""
        size = self.load_bytes()
        values = [value for name, value in self.registers.items() if name[0] in "xf" and name != "x0"]
        return values[0][-2 * size :] if size and len(values) == 1 and 2 * size <= len(values[0]) else None


def steps_of(text):
    """The instructions of a log, with those that trapped; interrupts are in `interrupts`: before which instruction."""
    steps, pending, interrupts, texts = [], None, set(), {}
    for line in text.splitlines():
        commit, shown, trap = COMMIT.match(line), LINE.match(line), TRAP.match(line)
        if commit:
            if pending:
                texts[commit[3], commit[4]] = pending[3]
            step = Step(int(commit[1]), commit[2], commit[3], commit[4], texts[commit[3], commit[4]])
            step.take(commit[5])
            steps.append(step)
            pending = None
        elif trap:
            if trap[2].startswith("interrupt"):
                interrupts.add(len(steps))
            elif pending:
                code = pending[2][-4:] if int(pending[2], 16) & 3 != 3 else pending[2][-8:]
                step = Step(int(pending[0]), steps[-1].mode if steps else "3", pending[1], code, pending[3])
                step.trap = trap[2].removeprefix("trap_").replace("_", "-")
                steps.append(step)
            pending = None
        elif shown:
            pending = shown.groups()
    return steps, interrupts


def sail(text, fetches=True):
    lines, (steps, interrupts) = [], steps_of(text)
    lines.append("Running file prog.elf.")
    for number, step in enumerate(steps):
        if number in interrupts:
            lines += ["Handling interrupt: 0x0000000000000080", ""]
        digits = 14 if step.width == 16 else 9
        for half in range(step.size // 2 if fetches else 0):
            lines.append(f"mem[X,0x{step.pc + 2 * half:0{digits}X}] -> 0x{step.code >> 16 * half & 0xFFFF:04X}")
        name = re.sub(r" +", " ", step.text)
        lines.append(f"[{number}] [{MODES[step.mode]}]: 0x{step.pc:0{step.width}X} (0x{step.code:0{2 * step.size}X}) {name}")
        if step.loads and step.loaded():
            lines.append(f"mem[R,0x{step.loads[0]:0{digits}X}] -> 0x{step.loaded().upper()}")
        for address, value in step.stores:
            lines.append(f"mem[W,0x{address:0{digits}X}] <- 0x{value.upper()}")
        lines += [f"{register} <- 0x{value.upper()}" for register, value in step.registers.items() if register != "x0"]
        lines += [f"CSR {csr} (0x{number:03X}) <- 0x{value.upper()}" for csr, (number, value) in step.csrs.items()]
        if step.trap:
            lines.append(f"trapping from {MODES[step.mode]} to M to handle {step.trap}")
            lines.append(f"handling exc#{step.trap} at priv M | tval=0x{0:0{step.width}X} | tval2=0x0 | tinst=0x0")
        lines.append("")
    return "\n".join(lines) + "\n", steps


def rvvi(text, is_plain=False):
    """Sail's, or (is_plain) as the specification writes it: without 0x, with comments."""
    steps, _ = steps_of(text)
    width = steps[0].width
    lines = ["VERSION 0 5", 'VENDOR "sail_riscv" 0 1', f"PARAMS 6 ILEN 32 XLEN {width * 4} FLEN 64 VLEN 0 NHART 1 RETIRE 1"]
    before = "" if is_plain else "0x"
    for step in steps:
        words = ["HART 0", "TRAP" if step.trap else "RET", f"{before}{step.pc:0{width}X}", f"{before}{step.code:08X}"]
        if is_plain:
            words.append("'" + step.text.replace("'", "") + "'")
        for register, value in step.registers.items():
            words.append(f"{register[0].upper()} {register[1:]} {before}{value.upper()}")
        words += [f"C {before}{number:X} {before}{value.upper()}" for number, value in step.csrs.values()]
        if not is_plain:
            words.append(f"MEM I {step.size} 0x{step.pc:0{width}X} 0x{step.pc:0{width}X} 0")
        for address in step.loads + [address for address, _ in step.stores]:
            size = step.load_bytes() or (len(step.stores[0][1]) // 2 if step.stores else 4)
            words.append(f"MEM D {size} 0x{address:0{width}X} 0x{address:0{width}X} 0")
        words.append("MODE 0x%s VIRT 0x0" % step.mode if not is_plain else "MODE %s" % step.mode)
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n", steps


def stored_register(step):
    """The register that an instruction stores; None: it is no store of an x register."""
    code = step.code
    if step.size == 4:
        return code >> 20 & 31 if code & 0x7F == 0x23 else None
    if code & 3 == 0 and code >> 13 == 6:
        return (code >> 2 & 7) + 8
    return code >> 2 & 31 if code & 3 == 2 and code >> 13 == 6 else None


def cycles_of(steps):
    """The cycle of each instruction: some take longer than others."""
    cycle, cycles = 7, []
    for step in steps:
        cycles.append(cycle)
        cycle += 1 + (2 if step.loads else 0) + (1 if step.code & 0x7F in (0x63, 0x6F) else 0)
    return cycles


def ibex(text):
    steps, _ = steps_of(text)
    values, lines = {}, ["Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents"]
    for step, cycle in zip(steps, cycles_of(steps), strict=True):
        name, *operands = re.split(r" +", step.text, maxsplit=1)
        decoded = name + ("\t" + operands[0].replace(", ", ",") if operands else "")
        line = f"{2 * cycle:15d}\t{cycle:10d}\t{step.pc:08x}\t{step.code:0{2 * step.size}x}\t{decoded}\t"
        read = stored_register(step)
        if step.size == 4 and step.code & 0x7F in (0x23, 0x63, 0x33, 0x13, 0x03):
            rs1 = step.code >> 15 & 31
            line += f" {'x%d' % rs1:>3}:0x{values.get(rs1, 0):08x}"
        if read is not None:
            line += f" {'x%d' % read:>3}:0x{values.get(read, 0):08x}"
        for register, value in step.registers.items():
            if register[0] == "x":
                line += f" {register:>3}=0x{value}"
                values[int(register[1:])] = int(value, 16)
        if step.trap:
            line += "  x0=0x00000000"
        if step.loads or step.stores:
            address = step.loads[0] if step.loads else step.stores[0][0]
            line += f" PA:0x{address:08x} store:0x{0xDEADBEEF:08x}" + (f" load:0x{0xFFFFFFFF:08x}" if step.stores else "")
        lines.append(line)
    return "\n".join(lines) + "\n", steps


def expanded(code):
    """The instruction with 32 bits that a compressed one of RV32 stands for; where it neither jumps nor accesses memory, an addi."""

    def bits(*places):
        return sum((code >> at & 1) << to for at, to in places)

    def sign(value, width):
        return value - (1 << width) if value >> (width - 1) else value

    quadrant, kind, rd, low = code & 3, code >> 13, code >> 7 & 31, code >> 2 & 31
    near, near_rd = (code >> 7 & 7) + 8, (code >> 2 & 7) + 8
    if quadrant == 1 and kind in (1, 5):
        to = sign(bits((12, 11), (11, 4), (10, 9), (9, 8), (8, 10), (7, 6), (6, 7), (5, 3), (4, 2), (3, 1), (2, 5)), 12) & 0xFFFFFFFF
        return 0x6F | (0x80 if kind == 1 else 0) | (to >> 20 & 1) << 31 | (to >> 1 & 0x3FF) << 21 | (to >> 11 & 1) << 20 | (to >> 12 & 0xFF) << 12
    if quadrant == 1 and kind in (6, 7):
        to = sign(bits((12, 8), (11, 4), (10, 3), (6, 7), (5, 6), (4, 2), (3, 1), (2, 5)), 9) & 0xFFFFFFFF
        return 0x63 | (kind == 7) << 12 | near << 15 | (to >> 12 & 1) << 31 | (to >> 5 & 0x3F) << 25 | (to >> 1 & 15) << 8 | (to >> 11 & 1) << 7
    if quadrant == 2 and kind == 4 and low == 0 and rd:
        return 0x67 | rd << 15 | (0x80 if code >> 12 & 1 else 0)
    if quadrant == 0 and kind in (2, 6):
        offset = bits((12, 5), (11, 4), (10, 3), (6, 2), (5, 6))
        return 0x2003 | near_rd << 7 | near << 15 | offset << 20 if kind == 2 else (
            0x2023 | near_rd << 20 | near << 15 | (offset >> 5) << 25 | (offset & 31) << 7)  # fmt: skip
    if quadrant == 2 and kind == 2:
        return 0x2003 | rd << 7 | 2 << 15 | bits((12, 5), (6, 4), (5, 3), (4, 2), (3, 7), (2, 6)) << 20
    if quadrant == 2 and kind == 6:
        offset = bits((12, 5), (11, 4), (10, 3), (9, 2), (8, 7), (7, 6))
        return 0x2023 | low << 20 | 2 << 15 | (offset >> 5) << 25 | (offset & 31) << 7
    if quadrant == 1 and kind == 3 and rd == 2:
        return 0x13 | 2 << 7 | 2 << 15 | (sign(bits((12, 9), (6, 4), (5, 6), (4, 8), (3, 7), (2, 5)), 10) & 0xFFF) << 20
    if quadrant == 1 and kind == 0:  # c.addi, which may move sp
        return 0x13 | rd << 7 | rd << 15 | (sign(bits((12, 5), (6, 4), (5, 3), (4, 2), (3, 1), (2, 0)), 6) & 0xFFF) << 20
    return 0x13 | (rd << 7 if quadrant != 0 else near_rd << 7) | 1 << 20


ABI = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()


def cv32e40p(text, has_0x=False, is_symbolic=False, has_context=False):
    """CV32E40P; has_0x: as Ibex before August 2019; has_context: with the column that was added in 2023."""
    steps, _ = steps_of(text)
    before, values = "0x" if has_0x else "", {}
    lines = ["Time\tCycle\tPC\tInstr\tDecoded instruction\tRegister and memory contents"]

    def named(number):
        return f"{ABI[number]:>4}" if is_symbolic else f"{'x%d' % number:>3}"

    for step, cycle in zip(steps, cycles_of(steps), strict=True):
        name, *operands = re.split(r" +", step.text, maxsplit=1)
        if step.size == 2 and not name.startswith("c."):
            name = "c." + name
        shown = f"{name:<16} {operands[0]}" if operands else name
        context = f"{'(C)' if step.trap else '':<3} " if has_context else ""
        code = step.code if step.size == 4 else expanded(step.code)
        line = f"{str(10 * cycle) + ' ns':>20} {cycle:15d} {step.pc:08x} {code:08x} {context}{shown:<36}"
        for register, value in step.registers.items():
            if register[0] == "x" and register != "x0":
                line += f" {named(int(register[1:]))}={before}{value}"
        read = stored_register(step)
        if read:
            line += f" {named(read)}:{before}{values.get(read, 0):08x}"
        values.update({int(register[1:]): int(value, 16) for register, value in step.registers.items() if register[0] == "x"})
        if step.loads or step.stores:
            address = step.loads[0] if step.loads else step.stores[0][0]
            line += f"  PA:{before}{address:08x}"
        lines.append(line)
    return "\n".join(lines) + "\n", steps
