#!/usr/bin/env python3
"""Makes the rows of tests/unit/control_rows.h: the effect of instructions on control flow according to Capstone.

    tools/control_rows.py > tests/unit/control_rows.h      (needs the Python package capstone, 5.0)

Encodings are random, most of them similar to branches of each instruction set; those unknown to Capstone are left out.
"""

import random
import re

import capstone as cs
from capstone import arm, arm64

PC = 0x40000
ROWS_EACH = 220
SEED = 1

# Bits with a fixed value, and bits that are random.
PATTERNS = {
    "ISA_AARCH64": [
        (0x14000000, 0x83FFFFFF), (0x54000000, 0x00FFFFEF), (0x34000000, 0x81FFFFFF), (0x36000000, 0x81FFFFFF),
        (0xD61F0000, 0x000003E0), (0xD63F0000, 0x000003E0), (0xD65F0000, 0x000003E0), (0xD69F03E0, 0),
        (0xD71F0800, 0x000007FF), (0xD61F081F, 0x000007E0), (0xD73F0800, 0x000007FF), (0xD65F0BFF, 0x00000400),
        (0xD4000001, 0x001FFFE2), (0xD503201F, 0x00000FE0), (0, 0xFFFFFFFF),
    ],
    "ISA_ARM": [
        (0x0A000000, 0xF1FFFFFF), (0x012FFF10, 0xF000002F), (0xE8108000, 0x07EF7FFF), (0x08108000, 0xF3EF7FFF),
        (0x0410F000, 0xF3EF0FFF), (0x0610F000, 0xF1EF0FE0), (0x01A0F000, 0xF0000FFF), (0x0000F000, 0xF3EF0FFF),
        (0xF8100A00, 0x03AF0000), (0xFA000000, 0x01FFFFFF), (0x0F000000, 0xF0FFFFFF), (0xE1400070, 0x002FFF0F),
        (0, 0xFFFFFFFF),
    ],
    "T16": [
        (0xD000, 0x0FFF), (0xE000, 0x07FF), (0xB100, 0x0AFF), (0x4700, 0x00F8), (0xBC00, 0x01FF), (0x4687, 0x0078),
        (0x4487, 0x0078), (0, 0xFFFF),
    ],
    "T32": [
        (0xF0008000, 0x07FF7FFF), (0xE8908000, 0x002F5FFF), (0xE9108000, 0x002F5FFF), (0xF850F000, 0x008F0FFF),
        (0xE8D0F000, 0x000F001F), (0xE810C000, 0x002F0000), (0xE990C000, 0x002F0000), (0xF3DE8F00, 0x000000FF),
        (0xE8000000, 0x17FFFFFF),
    ],
}  # fmt: skip


def is_plain(mnemonic, name):
    return re.fullmatch(name + r"(eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(\.w)?", mnemonic) is not None


def kind_of_a64(insn):
    name, operands = insn.mnemonic, insn.op_str
    if name in ("cbz", "cbnz", "tbz", "tbnz") or name.startswith("b."):
        return "BRANCH_JUMP", True
    if name == "b":
        return "BRANCH_JUMP", False
    if name.startswith("bl"):
        return "BRANCH_CALL", False
    if re.fullmatch(r"br(aa|ab|aaz|abz)?", name):
        return ("BRANCH_RETURN" if operands.split(",")[0] in ("x30", "lr") else "BRANCH_INDIRECT"), False
    if name.startswith("ret"):
        return "BRANCH_RETURN", False
    if name.startswith("eret"):
        return "BRANCH_LEAVES", False
    return ("BRANCH_EXCEPTION" if name in ("svc", "hvc", "smc") else "BRANCH_NONE"), False


def kind_of_arm(insn, isa):
    name, operands = insn.mnemonic, insn.op_str
    condition = insn.cc not in (arm.ARM_CC_AL, arm.ARM_CC_INVALID)
    _, written = insn.regs_access()
    writes_pc = arm.ARM_REG_PC in written or operands.startswith("pc")
    if name in ("cbz", "cbnz"):
        return "BRANCH_JUMP", True
    if is_plain(name, "b"):
        return "BRANCH_JUMP", condition
    if is_plain(name, "bl") or is_plain(name, "blx"):
        return "BRANCH_CALL", condition
    if is_plain(name, "bx") or is_plain(name, "bxj"):
        return ("BRANCH_RETURN" if operands == "lr" else "BRANCH_INDIRECT"), condition
    if name.startswith("rfe") or is_plain(name, "eret"):
        return "BRANCH_LEAVES", condition
    if is_plain(name, "svc") or is_plain(name, "hvc") or is_plain(name, "smc"):
        return "BRANCH_EXCEPTION", condition
    if name.startswith(("tbb", "tbh")):
        return "BRANCH_INDIRECT", condition
    if name.startswith(("pop", "ldm")) and re.search(r"\bpc\}", operands):
        return ("BRANCH_LEAVES" if operands.endswith("^") else "BRANCH_RETURN"), condition
    if not writes_pc or name.startswith(("cmp", "cmn", "tst", "teq", "str", "stm", "push", "msr", "mcr")):
        return "BRANCH_NONE", condition
    if insn.update_flags and not is_plain(name, "(adc|sbc|rsc)"):  # Capstone says that these always set flags
        return "BRANCH_LEAVES", condition
    if name.startswith(("ldr", "pop")) and (name.startswith("pop") or "[sp" in operands):
        return "BRANCH_RETURN", condition
    return ("BRANCH_RETURN" if is_plain(name, "mov") and operands == "pc, lr" else "BRANCH_INDIRECT"), condition


def target_of(insn, kind):
    immediates = [op.imm for op in insn.operands if op.type in (arm.ARM_OP_IMM, arm64.ARM64_OP_IMM)]
    if kind in ("BRANCH_JUMP", "BRANCH_CALL") and immediates:
        return immediates[-1]
    return None


def is_unpredictable(isa, encoding):
    """Whether Capstone takes it for a write of the PC that the architecture leaves undefined: LDRB, LDRT, LDM with base PC."""
    if isa == "ISA_ARM":
        is_load = encoding & 0x0C10F000 == 0x0410F000 and encoding >> 28 != 15
        return is_load and bool(encoding & 0x00400000 or encoding & 0x01200000 == 0x00200000)
    return isa == "ISA_THUMB" and encoding & 0xFFDF8000 in (0xE89F8000, 0xE91F8000)


def make_rows(isa, bits, engine, size_bytes, rng):
    rows = {}
    patterns = PATTERNS[bits]
    for number in range(100 * ROWS_EACH):
        fixed, drawn = patterns[number % len(patterns)]
        encoding = fixed | (rng.getrandbits(32) & drawn)
        data = encoding.to_bytes(4, "little")[:size_bytes]
        if bits == "T32":
            data = (encoding >> 16).to_bytes(2, "little") + (encoding & 0xFFFF).to_bytes(2, "little")
        found = list(engine.disasm(data, PC))
        if len(found) != 1 or found[0].size != size_bytes or len(rows) >= ROWS_EACH:
            continue
        if isa == "ISA_ARM" and encoding & 0x0E000010 == 0x06000010:
            continue  # no media instruction is defined that writes the PC
        insn = found[0]
        kind, condition = kind_of_a64(insn) if isa == "ISA_AARCH64" else kind_of_arm(insn, isa)
        target = target_of(insn, kind)
        thumb = (isa == "ISA_THUMB") ^ (insn.mnemonic.startswith("blx") and target is not None)
        where = "ADDRESS_UNKNOWN" if target is None else f"0x{(target & (2**64 if isa == 'ISA_AARCH64' else 2**32) - 1) | thumb:x}"
        rows.setdefault(encoding, f"    {{{isa}, {size_bytes}, 0x{encoding:x}, {kind}, {str(condition).lower()}, {where}}}, // {insn.mnemonic} {insn.op_str}")
    return [row for encoding, row in rows.items() if not is_unpredictable(isa, encoding)]


def main():
    rng = random.Random(SEED)
    a64 = cs.Cs(cs.CS_ARCH_ARM64, cs.CS_MODE_ARM)
    a32 = cs.Cs(cs.CS_ARCH_ARM, cs.CS_MODE_ARM | cs.CS_MODE_V8)
    thumb = cs.Cs(cs.CS_ARCH_ARM, cs.CS_MODE_THUMB | cs.CS_MODE_V8)
    for engine in (a64, a32, thumb):
        engine.detail = True
    print("// What Capstone " + ".".join(map(str, cs.cs_version()[:2])) + " says; made by tools/control_rows.py.")
    print("// clang-format off")
    print("static const struct control_row control_rows[] = {")
    for isa, bits, engine, size in (("ISA_AARCH64", "ISA_AARCH64", a64, 4), ("ISA_ARM", "ISA_ARM", a32, 4),
                                    ("ISA_THUMB", "T16", thumb, 2), ("ISA_THUMB", "T32", thumb, 4)):  # fmt: skip
        for row in make_rows(isa, bits, engine, size, rng):
            print(row)
    print("};")


if __name__ == "__main__":
    main()
