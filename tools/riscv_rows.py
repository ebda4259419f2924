#!/usr/bin/env python3
"""Makes the rows of tests/unit/riscv_rows.h: what RISC-V instructions do to control, and what they access, according to LLVM.

    tools/riscv_rows.py > tests/unit/riscv_rows.h      (needs llvm-mc, 14 or later, with RISC-V)

Encodings are random, most of them jumps, loads and stores; those unknown to LLVM are left out.
"""

import random
import re
import subprocess

PC = 0x40000
ROWS_EACH = 400
LINKS = ("ra", "t0")
ABI = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()
FLOAT = ["ft%d" % n for n in range(8)] + ["fs0", "fs1"] + ["fa%d" % n for n in range(8)] + ["fs%d" % n for n in range(2, 12)] + [
    "ft%d" % n for n in range(8, 12)]
SIZES = "bhwdq"


def number_of(name):
    return int(name[1:]) if name[0] == "v" else FLOAT.index(name) if name in FLOAT else ABI.index(name)


def encodings():
    random.seed(1)
    opcodes = [0x03, 0x07, 0x07, 0x0F, 0x23, 0x27, 0x27, 0x2F, 0x2F, 0x33, 0x63, 0x67, 0x67, 0x6F, 0x73]
    for fixed in (0x73, 0x100073, 0x10200073, 0x30200073, 0x7B200073, 0x9002, 0x8082, 0x8282, 0x9082, 0x9282, 0x00128067, 0x000080E7):
        yield fixed
    while True:
        if random.random() < 0.4:
            yield random.choice([c for c in range(4)][:3]) | random.getrandbits(14) << 2
            continue
        code = random.getrandbits(25) << 7 | random.choice(opcodes)
        for low in (7, 15):
            if random.random() < 0.4:
                code = code & ~(31 << low) | random.choice([0, 1, 5, 6]) << low
        if code & 0x7F == 0x67 or random.random() < 0.1:
            code &= ~(7 << 12)
        if code & 0x7F in (0x07, 0x27) and random.random() < 0.5:
            code &= ~(0x7F << 25) & ~(0x1F << 20)
        yield code


def disassemble(codes, bits):
    text = "\n".join(" ".join("0x%02x" % byte for byte in code.to_bytes(2 if code & 3 != 3 else 4, "little")) for code in codes)
    made = subprocess.run(
        ["llvm-mc", "-disassemble", f"-triple=riscv{bits}", "-mattr=+m,+a,+f,+d,+c,+v,+experimental-zfh", "-M", "no-aliases", "-show-encoding"],
        input=text, capture_output=True, text=True, check=False)
    known = {}
    for line in made.stdout.splitlines():
        found = re.match(r"\s+(\S+)\s*(.*?)\s*# encoding: \[(.*)\]", line)
        if found:
            code = int.from_bytes(bytes(int(byte, 16) for byte in found[3].split(",")), "little")
            known[code] = (found[1], [word.strip() for word in found[2].split(",")] if found[2] else [])
    return known


def control_of(name, operands):
    """The kind, whether it is conditional, and the offset."""
    base = re.search(r"(\w+)\)?$", operands[-1])[1] if operands else ""
    if name in ("jal", "c.jal", "c.j"):
        link = {"c.jal": "ra", "c.j": "zero"}.get(name) or operands[0]
        return ("CALL" if link in LINKS else "JUMP", False, int(operands[-1]))
    if re.fullmatch(r"(c\.)?b(eq|ne|lt|ge)(z|u)?", name):
        return ("JUMP", True, int(operands[-1]))
    if name in ("jalr", "c.jr", "c.jalr"):
        link = {"c.jr": "zero", "c.jalr": "ra"}.get(name) or operands[0]
        if link in LINKS:
            return ("RETURN" if base == "ra" and link == "t0" else "CALL", False, None)
        return ("RETURN" if base == "ra" else "INDIRECT", False, None)
    if name in ("ecall", "ebreak", "c.ebreak"):
        return ("EXCEPTION", False, None)
    if name in ("uret", "sret", "mret", "dret"):
        return ("LEAVES", False, None)
    return ("NONE", False, None)


def access_of(name, operands):
    """The kind, size, sign, file and number."""
    plain = re.sub(r"sp$", "", name[2:]) if name.startswith("c.") else name
    first = number_of(operands[0]) if operands and operands[0] in ABI + FLOAT + ["v%d" % n for n in range(32)] else 0
    found = re.fullmatch(r"(f?)([ls])([bhwdq])(u?)", plain)
    if found:
        loads = found[2] == "l"
        return ("LOAD" if loads else "STORE", 1 << SIZES.index(found[3]), loads and not found[4] and not found[1],
                "F" if found[1] else "X", first)
    found = re.match(r"(lr|sc|amo\w+)\.([wd])", plain)
    if found:
        kind = {"lr": "LOAD", "sc": "STORE_CONDITIONAL"}.get(found[1], "ATOMIC")
        return (kind, 1 << SIZES.index(found[2]), kind != "STORE_CONDITIONAL", "X",
                number_of(operands[1]) if found[1] == "sc" else first)
    found = re.fullmatch(r"v([ls])(?:[ou]x(?:seg\d)?ei\d+|s?(?:seg\d)?e(\d+)(?:ff)?|\dre(\d+)|(\d)r|(m))\.v", plain)
    if found:
        size = int(found[2] or found[3] or (8 if found[4] or found[5] else 0)) // 8
        return ("LOAD" if found[1] == "l" else "STORE", size, False, "V", first)
    return None


def main():
    print("// What LLVM says; made by tools/riscv_rows.py.\n// clang-format off\nstatic const struct riscv_row riscv_rows[] = {")
    for bits in (32, 64):
        made = encodings()
        known = disassemble([next(made) for _ in range(ROWS_EACH * 4)], bits)
        if bits == 32:  # their codes may be of Zcmp
            known = {code: row for code, row in known.items() if row[0] != "c.fsdsp"}
        for code, (name, operands) in list(known.items())[:ROWS_EACH]:
            kind, conditional, offset = control_of(name, operands)
            target = "ADDRESS_UNKNOWN" if offset is None else "0x%x" % ((PC + offset) % (1 << bits))
            access = access_of(name, operands)
            shown = "RISCV_%s, %d, %s, RISCV_%s, %d" % (
                access[0], access[1], str(bool(access[2])).lower(), access[3], access[4]) if access else "RISCV_NO_ACCESS, 0, false, RISCV_X, 0"
            print("    {RISCV_%d, 0x%x, BRANCH_%s, %s, %s, {%s}}, // %s" % (
                bits, code, kind, str(conditional).lower(), target, shown, " ".join([name, ", ".join(operands)]).strip()))
    print("};")


main()
