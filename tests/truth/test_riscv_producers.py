"""Logs that producers wrote themselves: nothing converted. Ibex, CV32E40P and Sail's emulator ran programs, and CVA6's tracer wrote runs of Spike that its
port was given; Spike ran the same images, so each instruction, register and store of one must be in the other. An Ibex run with timer
interrupts has as many calls as it took interrupts.

    tests/run.py riscv_producers

corpus/README.md says how the logs were made.
"""

import csv
import io
import json
import lzma
import random
import re
from pathlib import Path

import pytest
from test_riscv import run, steps_of, write

from extent import pick

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "riscv"
BOOT_ROM = 5  # instructions of Spike's before the program


def unpacked(place, name):
    return write(place, name, lzma.decompress((CORPUS / f"{name}.log.xz").read_bytes()).decode())


# What Spike ran, the log of another producer of the same run, and whether that begins with the boot ROM, too.
RUNS = [
    ("ibex32", "ibex32.ibex", False),
    ("ibex32", "ibex32.e40p", False),
    ("e40p-floats", "e40p-floats.e40p", False),
    ("calls64", "calls64.cva6", True),
    ("hello64", "hello64.cva6", True),
    ("sail64", "sail64.sail", True),
    ("traps0", "traps0.sail", True),
]
runs = pytest.mark.parametrize(("program", "name", "has_boot"), RUNS, ids=[name for _, name, _ in RUNS])


@pytest.mark.parametrize("name", ["ibex-hello.ibex", *(name for _, name, _ in RUNS)])
def test_understood(trawl, checker, quick_place, name):
    log = unpacked(quick_place, name)
    status, out, err = run(trawl, "doctor", log)
    checker.check("every line is understood", status == 0 and "(100.00 %)" in out and "not understood" not in out, out + err)


def has_trapped(lines, number):
    """Whether what a line shows as an instruction trapped: only Sail's emulator says so of others than ecall."""
    return "00000073" in lines[number - 1] or any(line.startswith("trapping from") for line in lines[number : number + 5])


@runs
def test_same_run(trawl, checker, quick_place, program, name, has_boot):
    """Nothing differs but Spike's boot ROM, where each simulation stopped, and what trapped: it never retired, but is a line of each of the
    others, an illegal instruction of Sail's alone. Sail's mstatus has bits that Spike's had not, and it writes otherwise what is stored to tohost."""
    spike, other = unpacked(quick_place, f"{program}.both"), unpacked(quick_place, name)
    is_sail = name.endswith(".sail")
    ignored = ["--ignore", "mstatus"] if is_sail else []
    status, out, err = run(trawl, "diff", "--registers", "--memory", *ignored, "--format", "csv", spike, other)
    rows = list(csv.DictReader(io.StringIO(out)))
    lines = other.read_text().splitlines()
    trapped = [row for row in rows if row["only_b"] == "1" and row["event_b"] and has_trapped(lines, int(row["line_b"]))]
    boot = [row for row in rows if row["event_a"] == "0" and row["only_a"] == str(BOOT_ROM)]
    ends = [row for row in rows if not row["event_a"] or not row["event_b"]]
    stores = [row for row in rows if row["changed"] == "1" and lines[int(row["line_b"])].startswith("htif[")]
    wanted = len(re.findall(r"exception trap_" if is_sail else r"exception trap_machine_ecall", spike.read_text()))
    checker.check("only what is expected differs", len(trapped) + len(boot) + len(ends) + len(stores) == len(rows), out[:600] + err[:400])
    checker.check("no value differs", sum(int(row["changed"]) for row in rows) == len(stores) == is_sail, out[:600])
    checker.check("the boot ROM does", len(boot) == (not has_boot), out[:400])
    checker.check("and each trap", len(trapped) == wanted, f"{len(trapped)} {wanted} {out[:400]}")
    checker.check("and at most the end", sum(int(row["only_a"]) for row in ends) < 120, out[:400])


@runs
def test_states(trawl, checker, quick_place, program, name, has_boot):
    """Registers after instructions of a core are those that Spike shows, and so are calls by function."""
    other, image, spike = unpacked(quick_place, name), CORPUS / f"{program.removesuffix('0')}.elf", unpacked(quick_place, f"{program}.both")
    steps = steps_of(spike.read_text())[0 if has_boot else BOOT_ROM :]
    status, _, err = run(trawl, "index", "-q", "--force-index", other)
    checker.check("is indexed without damage", status == 0 and not err, err)
    chance = random.Random(5)
    tried = 0
    for point in sorted(chance.randrange(100, len(steps)) for _ in range(pick(12, 1000))):
        known = {}
        for step in steps[: point + 1]:
            known.update({name: value for name, value in step.registers.items() if re.fullmatch(r"x[1-9]\d*|f\d+", name)})
        visit = sum(step.pc == steps[point].pc for step in steps[: point + 1])
        status, out, _ = run(trawl, "state", other, "--at", f"pc:{steps[point].pc:#x}#{visit}", "--format", "json")
        if status != 0:  # Spike went on for longer
            continue
        tried += 1
        shown = json.loads(out)["lanes"][0]["registers"]  # the upper half of f registers is unknown where a log shows 32 bits
        found = {register: item["value"].replace(".", "") for register, item in shown.items() if item["value"]}
        wrong = {name: (value, found.get(name)) for name, value in known.items() if int(found.get(name) or "-1", 16) != int(value, 16)}
        checker.no_fault("registers are those of Spike", wrong, at=str(point))
    checker.check("at most of the points", tried > pick(12, 1000) * 0.9, tried)
    calls = []
    for log in (spike, other):
        _, out, _ = run(trawl, "profile", "--image", image, "--format", "json", log)
        calls.append({row["function"]: row["calls"] for row in json.loads(out) if row["function"] and row["function"][0] != "_"})
    checker.check("calls by function are those of Spike", calls[0] == calls[1] and len(calls[0]) > 5, str(calls))


def test_interrupts(trawl, checker, quick_place):
    """Ibex marks the first instruction of a handler ("==>"), which trawl finds by the flow: vectored, from wfi."""
    log = unpacked(quick_place, "ibex-hello.ibex")
    marked = len(re.findall("\t==>", log.read_text()))
    _, out, _ = run(trawl, "profile", "--image", CORPUS / "ibex-hello.elf", "--format", "json", log)
    counts = {row["function"]: row["calls"] for row in json.loads(out)}
    checker.check("each interrupt is a call of the handler", marked > 3 and counts["simple_timer_handler"] == marked, str(counts))
