"""Runs single instructions in an emulator (Unicorn, from PyPI), and looks for inputs and outputs that our table of what instructions read
and write (src/arch/arm/effects.h) lacks.

    tests/with_pypi unicorn -- tests/run.py perturbed

For each output, everything that is not one of its inputs is made anew: the output must stay. What an instruction changes must be an output,
and what the table calls a copy must have the value of its source. The instructions are those of tests/unit/effects_rows.h and random ones.
"""

import random
import re
import subprocess
from pathlib import Path

import extent
import pytest

unicorn = pytest.importorskip("unicorn")
from unicorn import arm64_const as a64  # noqa: E402
from unicorn import arm_const as a32  # noqa: E402

ROWS = Path(__file__).resolve().parents[1] / "unit" / "effects_rows.h"
CODE, MEMORY, MEMORY_BYTES = 0x20000, 0x10000000, 0x2000
RANDOM = 4000 if extent.IS_THOROUGH else 150
ROUNDS = 3  # with different states
RAN_MIN = 60  # of an instruction set, at least
PLACE = re.compile(r"([xvm])(\d*)(?:\+(\d+))?:(\d+)$")
PSR = {"N": 1 << 31, "Z": 1 << 30, "C": 1 << 29, "V": 1 << 28, "Q": 1 << 27, "G": 15 << 16}
FPSR = {"v": 0xF << 28, "f": 0x0800009F}
SKIPPED = re.compile(r"s:|p\d")  # system registers, the exclusive monitor and predicates are not made anew
CONDITIONS = ["Z", "C", "N", "V", "ZC", "NV", "NZV"]


def holds(condition, psr):
    n, z, c, v = (bool(psr & PSR[flag]) for flag in "NZCV")
    value = [z, c, n, v, c and not z, n == v, n == v and not z, True][condition >> 1]
    return value != bool(condition & 1) or condition == 14


class Place:
    def __init__(self, text):
        self.role = text[0] if text[0] in "=@?" else ""
        text = text.lstrip("=@?")
        found = PLACE.match(text)
        self.kind, self.flags = (found[1], "") if found else (text if text == "pc" else "flags", text)
        self.name = found[1] + found[2] if found else ""
        self.low, self.size = (int(found[3] or 0), int(found[4])) if found else (0, 0)


class Machine:
    """A core with its memory, whose whole state is a dictionary."""

    def __init__(self, isa):
        self.isa, self.is_a64 = isa, isa == "a64"
        mode = unicorn.UC_MODE_THUMB if isa == "t32" else unicorn.UC_MODE_ARM
        self.core = unicorn.Uc(unicorn.UC_ARCH_ARM64 if self.is_a64 else unicorn.UC_ARCH_ARM, mode)
        self.core.ctl_set_cpu_model(a64.UC_CPU_ARM64_MAX if self.is_a64 else a32.UC_CPU_ARM_CORTEX_A15)
        self.core.mem_map(CODE, 0x10000)
        self.core.mem_map(MEMORY, MEMORY_BYTES)
        self.core.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, self.on_access)
        if self.is_a64:
            self.core.reg_write(a64.UC_ARM64_REG_CPACR_EL1, 3 << 20)
            names = [f"X{n}" for n in range(31)]
            self.registers = {f"x{n}": (getattr(a64, f"UC_ARM64_REG_{name}"), 8) for n, name in enumerate(names)}
            self.registers["x31"] = (a64.UC_ARM64_REG_SP, 8)
            self.vectors = {f"v{n}": [(a64.UC_ARM64_REG_Q0 + n, 16)] for n in range(32)}
            self.psr, self.fpcr, self.fpsr = a64.UC_ARM64_REG_PSTATE, a64.UC_ARM64_REG_FPCR, a64.UC_ARM64_REG_FPSR
        else:
            self.core.reg_write(a32.UC_ARM_REG_CP_REG, (15, 0, 0, 1, 0, 0, 2, 0xF << 20))
            self.core.reg_write(a32.UC_ARM_REG_FPEXC, 1 << 30)
            names = [f"R{n}" for n in range(13)] + ["SP", "LR"]
            self.registers = {f"x{n}": (getattr(a32, f"UC_ARM_REG_{name}"), 4) for n, name in enumerate(names)}
            self.vectors = {f"v{n}": [(a32.UC_ARM_REG_D0 + 2 * n + i, 8) for i in range(2)] for n in range(16)}
            self.psr, self.fpcr, self.fpsr = a32.UC_ARM_REG_CPSR, None, a32.UC_ARM_REG_FPSCR
        self.psr_mask = 0xF << 28 if self.is_a64 else 0xF80F0000
        self.fpsr_mask = FPSR["f"] if self.is_a64 else FPSR["f"] | FPSR["v"]
        self.mode = self.core.reg_read(self.psr) & ~self.psr_mask & 0xFFFFFFFF

    def on_access(self, _core, kind, address, size, _value, _data):
        (self.written if kind == unicorn.UC_MEM_WRITE else self.read).append((address, address + size))

    def make(self, dice, bases, indexes):
        """A random state, in which some registers point to memory."""
        state = {"memory": bytearray(dice.randbytes(MEMORY_BYTES))}
        for name, (_, size) in self.registers.items():
            value = dice.choice((dice.getrandbits(64), dice.randrange(64), dice.getrandbits(32), 0, (1 << 64) - dice.randrange(1, 9)))
            if name in bases or name in ("x31", "x13"):
                value = MEMORY + 0x800 + dice.randrange(0x100) * 16
            elif name in indexes:
                value = dice.randrange(32) * 8
            state[name] = bytearray((value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))
        for name in self.vectors:
            state[name] = bytearray(dice.randbytes(16))
        state["psr"], state["fpsr"] = dice.getrandbits(32) & self.psr_mask, dice.getrandbits(32) & self.fpsr_mask
        state["fpcr"] = dice.getrandbits(32) & 0x07C00000
        return state

    def run(self, state, code, at):
        """The state after the instruction, and where it goes on; None: it faults."""
        core, self.read, self.written = self.core, [], []
        for name, (number, _) in self.registers.items():
            core.reg_write(number, int.from_bytes(state[name], "little"))
        for name, parts in self.vectors.items():
            for i, (number, size) in enumerate(parts):
                core.reg_write(number, int.from_bytes(state[name][i * size : (i + 1) * size], "little"))
        core.reg_write(self.psr, state["psr"] | self.mode)
        core.reg_write(self.fpsr, state["fpsr"] | (0 if self.is_a64 else state["fpcr"]))
        if self.fpcr:
            core.reg_write(self.fpcr, state["fpcr"])
        core.mem_write(MEMORY, bytes(state["memory"]))
        core.mem_write(at, code)
        core.ctl_remove_cache(at, at + 16)
        try:
            core.emu_start(at | (self.isa == "t32"), at + 0x4000, count=1)
        except unicorn.UcError:
            return None
        after = {"memory": bytearray(core.mem_read(MEMORY, MEMORY_BYTES))}
        for name, (number, size) in self.registers.items():
            after[name] = bytearray(core.reg_read(number).to_bytes(8, "little")[:size])
        for name, parts in self.vectors.items():
            after[name] = bytearray(b"".join(core.reg_read(number).to_bytes(size, "little") for number, size in parts))
        after["psr"], status = core.reg_read(self.psr) & self.psr_mask, core.reg_read(self.fpsr)
        after["fpsr"] = status & self.fpsr_mask
        after["fpcr"] = (core.reg_read(self.fpcr) if self.fpcr else status) & 0x07C00000
        after["pc"] = core.reg_read(a64.UC_ARM64_REG_PC if self.is_a64 else a32.UC_ARM_REG_PC)
        return after


def values(state, place, access):
    """What a state has at a place; `access`: where the memory of the instruction begins."""
    if place.kind in "xv":
        return bytes(state[place.name][place.low : place.low + place.size])
    if place.kind == "m":
        return bytes(state["memory"][access - MEMORY + place.low : access - MEMORY + place.low + place.size])
    if place.kind == "pc":
        return state["pc"]
    psr, fpsr = (sum(masks.get(flag, 0) for flag in place.flags) for masks in (PSR, FPSR))
    return state["psr"] & psr, state["fpsr"] & fpsr, state["fpcr"] if "c" in place.flags else 0


def keep(state, old, place, access):
    """Gives a place the value that it had."""
    if place.kind in "xv":
        state[place.name][place.low : place.low + place.size] = old[place.name][place.low : place.low + place.size]
    elif place.kind == "m" and access is not None:
        low = access - MEMORY + place.low
        state["memory"][low : low + place.size] = old["memory"][low : low + place.size]
    elif place.kind == "flags":
        for name, masks in (("psr", PSR), ("fpsr", FPSR)):
            mask = sum(masks.get(flag, 0) for flag in place.flags)
            state[name] = state[name] & ~mask | old[name] & mask
        if "c" in place.flags:
            state["fpcr"] = old["fpcr"]


def unexplained(before, after, flows, machine):
    """What changed that is no output."""
    outputs = [output for output, _ in flows]
    for name, value in before.items():
        if name in ("psr", "fpsr", "fpcr"):
            mask = sum((PSR if name == "psr" else FPSR).get(flag, 0) for output in outputs for flag in output.flags)
            if name == "fpcr" and any("c" in output.flags for output in outputs):
                mask = ~0
            if (value ^ after[name]) & ~mask:
                return f"{name} changes"
        elif name != "memory":
            named = {output.low + i for output in outputs if output.name == name for i in range(output.size)}
            changed = {i for i in range(len(value)) if value[i] != after[name][i]} - named
            if changed:
                return f"bytes {sorted(changed)} of {name} change"
    if machine.written and not any(output.kind == "m" for output in outputs):
        return "memory is written"
    return None


def fault(machine, dice, code, flows, condition):
    """What the table lacks; None: nothing, or the instruction does not run."""
    places = [place for _, inputs in flows for place in inputs]
    bases = {place.name for _, inputs in flows for place in [p for p in inputs if p.role == "@"][:1] if place.kind == "x"}
    indexes = {place.name for place in places if place.role == "@" and place.kind == "x"} - bases
    before = machine.make(dice, bases, indexes)
    after = machine.run(before, code, CODE)
    if after is None:
        return "did not run"
    if condition is not None and not holds(condition, before["psr"]):
        return unexplained(before, after, [], machine)
    if changed := unexplained(before, after, flows, machine):
        return changed
    read, written = min(machine.read, default=(None,))[0], min(machine.written, default=(None,))[0]
    if min(read or MEMORY, written or MEMORY) < MEMORY:  # relative to the PC
        return None
    for output, inputs in flows:
        if output.kind == "m" and written is None:
            continue
        other = machine.make(dice, bases, indexes)
        for place in inputs:
            keep(other, before, place, read)
        if condition is not None:
            keep(other, before, Place(CONDITIONS[condition >> 1]), None)
        is_here = output.kind == "pc" or any(place.kind == "pc" for place in inputs)
        again = machine.run(other, code, CODE if is_here else CODE + 0x8000)
        if again is None:
            continue
        place = min(machine.written, default=(None,))[0]
        if values(after, output, written) != values(again, output, place):
            return f"{output.name or output.flags}: an input is missing"
        copied = [place for place in inputs if place.role == "="]
        if len(copied) == 1 and copied[0].kind in "xvm" and output.kind in "xvm":
            source = values(before, copied[0], read)
            sign = b"\xff" if source[-1] & 128 else b"\0"
            wanted = (source + sign * output.size)[: output.size]
            if values(after, output, written) != wanted and not any(place.role == "?" for place in inputs):
                return f"{output.name}: is no copy"
    return None


def encodings(isa, dice):
    rows, found = ROWS.read_text(), []
    for name in ("t32", "t16") if isa == "t32" else (isa,):
        table = rows.partition(f"effect_rows_{name}[]")[2].partition("};")[0]
        found += [(2 if name == "t16" else 4, int(value, 16)) for value in re.findall(r"\{(0x[0-9a-f]+),", table)]
    for _ in range(RANDOM):
        word = dice.getrandbits(32)
        if isa == "a64":
            found.append((4, word & ~(15 << 25) | dice.choice((4, 5, 6, 7, 8, 9, 12, 13, 14, 15)) << 25))
        elif isa == "a32":
            found.append((4, word & 0x0FFFFFFF | dice.choice((0xE, 0xE, 0xF, 0)) << 28))
        elif word >> 29 == 7 and word >> 27 & 3:
            found.append((4, word))
        elif (word >> 24) != 0xBF:
            found.append((2, word >> 16))
    return found


@pytest.mark.parametrize("isa", ["a64", "a32", "t32"])
def test_perturbed(checker, prefix, isa):
    dice = random.Random(isa)
    machine, kinds, ran = Machine(isa), encodings(isa, dice), 0
    asked = "\n".join(f"{isa} {size} 15 {encoding:x}" for size, encoding in kinds)
    lines = subprocess.run([str(prefix / "tests" / "effects-rows")], input=asked, capture_output=True, text=True, check=True, timeout=60)
    for (size, encoding), line in zip(kinds, lines.stdout.splitlines(), strict=True):
        if line == "unknown" or line.endswith("!") or SKIPPED.search(line) or ":0" in line or " 0 " in line:
            continue
        if isa == "a64" and encoding & 0xFFC09400 == 0x2F401000:  # FCMLA: the emulator also computes a half that does not count
            continue
        flows = []
        for flow in filter(None, line.split("; ")):
            output, _, inputs = flow.partition(" <-")
            output, inputs = Place(output), [Place(text) for text in inputs.split()]
            if isa == "a64" and output.kind == "v":  # the emulator does not show the rest of z
                output.size = min(output.size, 16 - output.low)
            if output.kind != "v" or output.size > 0:
                flows.append((output, inputs))
        condition = None
        if isa == "a32" and encoding >> 28 < 14:
            condition = encoding >> 28
        elif isa == "t32" and (encoding >> 12 == 13 if size == 2 else encoding & 0xF800D000 == 0xF0008000):
            condition = encoding >> 8 & 15 if size == 2 else encoding >> 22 & 15
            condition = condition if condition < 14 else None
        code = encoding.to_bytes(size, "little")
        if isa == "t32" and size == 4:
            code = code[2:] + code[:2]
        every = [fault(machine, dice, code, flows, condition) for _ in range(ROUNDS)]
        answers = [found for found in every if found != "did not run"]
        ran += bool(answers)
        if answers:
            found = next(filter(None, answers), None)
            checker.no_fault(f"what {isa} reads and writes is in the table", found, at=f"{encoding:08x} {line}")
    checker.check(f"instructions of {isa} ran", ran >= RAN_MIN, ran)
    checker.tell(f"{isa}: {ran} instructions ran")
