"""Inputs that were made to cost much cost what others of their size do. Not measured by the clock: the
time of the processor is limited to many times what is needed, and to a fraction of what these took
when keys could be chosen that collide in hash tables, or names were read once for each symbol.

    tests/run.py costs
"""

import random
import resource
import subprocess
from pathlib import Path

import pytest
import small_elf

CPU_S = 8
FUNCTIONS = 200_000
# Of the multiplicative hash that tables had before they were seeded: an odd constant, and the bits
# of the product that chose a slot.
CONSTANT = 0x9E3779B97F4A7C15
INVERSE = pow(CONSTANT, -1, 1 << 64)
SLOT_BITS_FROM, SLOT_BITS_TO = 32, 52


def colliding_addresses(count):
    """Addresses whose products with the constant agree in all bits that chose a slot."""
    drawn = random.Random(10)
    addresses = set()
    while len(addresses) < count:
        product = drawn.getrandbits(64 - SLOT_BITS_TO) << SLOT_BITS_TO | drawn.getrandbits(SLOT_BITS_FROM)
        address = product * INVERSE % (1 << 64)
        if address % 4 == 0:
            addresses.add(address)
    return sorted(addresses)


def trace(addresses):
    """Calls each address once, by a register: no other branch reaches them all."""
    lines = ["Tarmac Text Rev 3t", "          0 tic ES  EXC Reset", " " * 20 + "R SP_EL1 0000000003f00000"]
    for at, address in enumerate(addresses):
        site = 0x8000 + 4 * at
        lines.append(f"{3 * at + 1:11d} tic ES  ({site:016x}:d63f0200) O el1h_s:         BLR      x16")
        lines.append(" " * 20 + f"R X30 {site + 4:016x}")
        lines.append(f"{3 * at + 2:11d} tic ES  ({address:016x}:d503201f) O el1h_s:         NOP")
        lines.append(f"{3 * at + 3:11d} tic ES  ({address + 4:016x}:d65f03c0) O el1h_s:         RET")
    lines.append(f"{3 * len(addresses) + 1:11d} tic ES  ({0x8000 + 4 * len(addresses):016x}:d503201f) O el1h_s: NOP")
    return "\n".join(lines).encode() + b"\n"


def suffixes(count, length):
    """An image with symbols that are all ends of one long string."""
    step = length // count
    return small_elf.image(b"\0" + b"a" * length + b"\0", [(1 + i * step, 0x8000 + 4 * i, 4) for i in range(count)])


def run(trawl, place, command):
    done = subprocess.run([trawl, *command], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=limited)  # fmt: skip
    assert done.returncode in (0, 1), (command, done)  # 1: there is no such name


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def annotated(programs, sources):
    corpus = Path(__file__).resolve().parents[2] / "corpus"
    return subprocess.run(
        [programs / "trawl", "annotate", corpus / "traces" / "recursion-a64.it.tarmac", "--image", corpus / "elf" / "recursion-a64.elf",
         "--source", sources, "--function", "main", "--format", "json"], stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=limited,
    ).stdout


def source_is_cut(programs, place):
    """Whether of a source file that says it has a terabyte the beginning is shown, as if that were all."""
    name = "recursion.c"
    source = (Path(__file__).resolve().parents[2] / "corpus" / "programs" / name).read_bytes()
    shown = []
    for size in (len(source), 1 << 40):
        (place / str(size)).mkdir()
        with open(place / str(size) / name, "wb") as file:
            file.write(source)
            file.truncate(size)
        shown.append(annotated(programs, place / str(size)))
    return b"pegs[0] = 4" in shown[0] and shown[0] == shown[1]


@pytest.fixture(scope="module")
def colliding():
    return trace(colliding_addresses(FUNCTIONS))


@pytest.mark.parametrize("command", ["profile", "flamegraph", "export"])
def test_addresses(trawl, place, colliding, command):
    (place / "t").write_bytes(colliding)
    more = [] if command == "export" else ["--memory-index"]
    run(trawl, place, [command, "t", "-q", "--threads", "1", *more])


@pytest.mark.parametrize("command", [["profile"], ["callinfo", "b"]], ids=" ".join)
def test_names(trawl, place, command):
    (place / "short").write_bytes(trace([0x8000 + 4 * 70_000]))
    (place / "names.elf").write_bytes(suffixes(250_000, 1_000_000))
    run(trawl, place, [command[0], "short", "-q", "--image", "names.elf", "--memory-index", *command[1:]])


def test_source(programs, place):
    assert source_is_cut(programs, place)
