"""Trace files without a description of the target, of every machine that GDB names: registers at the places, and with the names, that GDB has
built in for it. Then descriptions of any machine.

    tests/run.py tfile_machines
"""

import csv
import io
import random
import re
import shutil
import struct
import subprocess

import pytest
import quick

GDB = shutil.which("gdb-multiarch")
TIMEOUT_S = 60
BLOCK_BYTES = 4800

# GDB's name, that in ELF, bits, and byte order.
MACHINES = {
    "alpha": ("alpha", 0x9026, 64, "little"),
    "hppa": ("hppa1.0", 15, 32, "big"),
    "ia64": ("ia64-elf64", 50, 64, "little"),
    "m32r": ("m32r", 88, 32, "big"),
    "m68k": ("m68k", 4, 32, "big"),
    "mips": ("mips", 8, 32, "big"),
    "mips-little": ("mips", 8, 32, "little"),
    "mips64": ("mips:isa64", 8, 64, "big"),
    "powerpc": ("powerpc:common", 20, 32, "big"),
    "powerpc64": ("powerpc:common64", 21, 64, "big"),
    "powerpc64le": ("powerpc:common64", 21, 64, "little"),
    "riscv32": ("riscv:rv32", 243, 32, "little"),
    "riscv64": ("riscv:rv64", 243, 64, "little"),
    "s390": ("s390:31-bit", 22, 32, "big"),
    "s390x": ("s390:64-bit", 22, 64, "big"),
    "sh4": ("sh4", 42, 32, "little"),
    "sparc": ("sparc", 2, 32, "big"),
    "sparc64": ("sparc:v9", 43, 64, "big"),
}
# The registers of MIPS have no names in GDB's block, but as pseudo registers.
MIPS = "zero at v0 v1 a0 a1 a2 a3 t0 t1 t2 t3 t4 t5 t6 t7 s0 s1 s2 s3 s4 s5 s6 s7 t8 t9 k0 k1 gp sp s8 ra sr lo hi bad cause pc".split()
MIPS += [*(f"f{number}" for number in range(32)), "fsr", "fir"]


def image(machine, bits, order, flags=0):
    """An ELF file with nothing but a header."""
    ends = "<" if order == "little" else ">"
    ident = b"\x7fELF" + bytes([1 if bits == 32 else 2, 1 if order == "little" else 2, 1]) + bytes(9)
    words = "HHIIIIIHHHHHH" if bits == 32 else "HHIQQQIHHHHHH"
    return ident + struct.pack(ends + words, 2, machine, 1, 0x1000, 0, 0, flags, 52 if bits == 32 else 64, 32 if bits == 32 else 56, 0, 40 if bits == 32 else 64, 0, 0)


def trace(block, order, description=()):
    """A trace file of one frame with a block of registers."""
    head = f"R {len(block):x}\nstatus 0;tstop::0;tframes:1;tcreated:1;tfree:100;tsize:200;circular:0;disconn:0;starttime:0;stoptime:0;username:;notes::\n"
    head += "tp T1:1000:E:0:0\n" + "".join(f"tdesc {line}\n" for line in description) + "\n"
    data = b"R" + block
    return b"\x7fTRACE0\n" + head.encode() + struct.pack("<HI" if order == "little" else ">HI", 1, len(data)) + data + bytes(2)


def ask_gdb(name, order, path, elf=None):
    """The name and the bytes of each register, in GDB's order."""
    machine = [f"file {elf}"] if elf else [f"set architecture {name}", f"set endian {order}"]
    words = ["set osabi GNU/Linux", *machine, f"target tfile {path}", "tfind 0", "maint print raw-registers"]
    done = subprocess.run([GDB, "-nx", "-batch", *(word for command in words for word in ("-ex", command))], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, check=False)
    rows = re.findall(r"^ *(\S+) +(\d+) +\d+ +\d+ +\d+ +.*? (0x[0-9a-f]+|<unavailable>|<invalid>) *$", done.stdout, re.M)
    assert len(rows) > 15, done.stdout[-500:]
    return [(name, value) for name, _, value in rows]


def registers_of(trawl, elf, path):
    done = quick.run([trawl, "tfile", "series", "--image", elf, path, "all-registers"], timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader(io.StringIO(done.stdout.decode()))
    del row["frame"], row["tracepoint"]
    return row


def number(text):
    return int(text, 16) if text.startswith("0x") else int(text)


@pytest.mark.skipif(not GDB, reason="needs gdb-multiarch")
@pytest.mark.parametrize("machine", MACHINES)
def test_built_in(trawl, place, machine):
    name, elf_machine, bits, order = MACHINES[machine]
    block = random.Random(machine).randbytes(BLOCK_BYTES)
    elf, path = place / "image.elf", place / "block.tf"
    elf.write_bytes(image(elf_machine, bits, order))
    path.write_bytes(trace(block, order))
    found = registers_of(trawl, elf, path)
    compared = 0
    for at, (known, value) in enumerate(ask_gdb(name, order, path)):
        if machine.startswith("mips") and at < len(MIPS):
            known = MIPS[at]
        if known in ("''", "") or not value.startswith("0x"):
            continue
        assert known in found, known
        assert number(found[known]) == int(value, 16), known
        compared += 1
    assert compared == len(found) > 20


@pytest.mark.skipif(not GDB, reason="needs gdb-multiarch")
@pytest.mark.parametrize("flags", [0, 2, 4, 6, 8, 8 | 2, 8 | 4])
@pytest.mark.parametrize("bits", [32, 64])
def test_riscv(trawl, place, bits, flags):
    """GDB adds the floating-point registers that the image says it passes numbers in, and leaves out those that RV32E lacks."""
    if bits == 64 and flags & 8:
        pytest.skip("GDB takes a 64-bit RV32E for 32 bits")
    block = random.Random(flags).randbytes(BLOCK_BYTES)
    elf, path = place / "image.elf", place / "block.tf"
    elf.write_bytes(image(243, bits, "little", flags))
    path.write_bytes(trace(block, "little"))
    found = registers_of(trawl, elf, path)
    # fflags and frm are made from fcsr, and are not in a block.
    wanted = [(name, value) for name, value in ask_gdb("", "little", path, elf)
              if value.startswith("0x") and name not in ("fflags", "frm") and not name.startswith("csr")]
    assert [name for name, _ in wanted] == list(found)
    assert len(found) == (17 if flags & 8 else 33) + (33 if flags & 6 else 0)
    assert [number(value) for value in found.values()] == [int(value, 16) for _, value in wanted]


def numbered(prefix, count, bits, kind):
    return [(f"{prefix}{number}", bits, kind) for number in range(count)]


# The features that GDB requires of a machine, and some that it does not know.
DESCRIBED = {
    "powerpc64": ("powerpc:common64", "big", {
        "org.gnu.gdb.power.core": [*numbered("r", 32, 64, "uint64"), ("pc", 64, "code_ptr"), ("msr", 64, "uint64"), ("cr", 32, "uint32"),
                                   ("lr", 64, "code_ptr"), ("ctr", 64, "uint64"), ("xer", 32, "uint32")],
        "org.gnu.gdb.power.fpu": [*numbered("f", 32, 64, "ieee_double"), ("fpscr", 32, "int")],
        "org.example.more": numbered("more", 5, 16, "uint16"),
    }),
    "s390x": ("s390:64-bit", "big", {
        "org.gnu.gdb.s390.core": [("pswm", 64, "uint64"), ("pswa", 64, "uint64"), *numbered("r", 16, 64, "uint64")],
        "org.gnu.gdb.s390.acr": numbered("acr", 16, 32, "uint32"),
        "org.gnu.gdb.s390.fpr": [("fpc", 32, "uint32"), *numbered("f", 16, 64, "ieee_double")],
        "org.example.more": numbered("more", 3, 8, "uint8"),
    }),
    "m68k": ("m68k", "big", {
        "org.gnu.gdb.m68k.core": [*numbered("d", 8, 32, "int32"), *numbered("a", 6, 32, "data_ptr"), ("fp", 32, "data_ptr"), ("sp", 32, "data_ptr"),
                                  ("ps", 32, "int32"), ("pc", 32, "code_ptr")],
        "org.gnu.gdb.coldfire.fp": [*numbered("fp", 8, 64, "float"), ("fpcontrol", 32, "int"), ("fpstatus", 32, "int"), ("fpiaddr", 32, "int")],
    }),
}  # fmt: skip


@pytest.mark.skipif(not GDB, reason="needs gdb-multiarch")
@pytest.mark.parametrize("machine", DESCRIBED)
@pytest.mark.parametrize("is_shuffled", [False, True], ids=["in-order", "numbered"])
def test_described(trawl, place, machine, is_shuffled):
    """Descriptions in files: of machines that GDB knows, with further registers, and with registers in any order."""
    name, order, features = DESCRIBED[machine]
    draw = random.Random(machine)
    names = [row[0] for rows in features.values() for row in rows]
    numbers = list(range(len(names)))
    if is_shuffled:
        draw.shuffle(numbers)
    number_of = dict(zip(names, numbers))
    lines = ["", '<!DOCTYPE target SYSTEM "gdb-target.dtd">', "<target>", f"  <architecture>{name}</architecture>"]
    for feature, rows in features.items():
        lines.append(f'  <feature name="{feature}">')
        for register, bits, kind in rows:
            given = f' regnum="{number_of[register]}"' if is_shuffled else ""
            lines.append(f'    <reg name="{register}" bitsize="{bits}" type="{kind}"{given}/>')
        lines.append("  </feature>")
    block = draw.randbytes(sum(row[1] for rows in features.values() for row in rows) // 8 + 1)
    elf, path = place / "image.elf", place / "block.tf"
    elf.write_bytes(image(MACHINES[machine][1], MACHINES[machine][2], order))
    path.write_bytes(trace(block, order, [*lines, "</target>"]))
    found = registers_of(trawl, elf, path)
    compared = 0
    for known, value in ask_gdb(name, order, path):
        if known in number_of and value.startswith("0x"):
            assert number(found[known]) == int(value, 16), known
            compared += 1
    assert set(found) == set(names) and compared >= len(names) - 5
