"""Logs that cores in RTL wrote themselves: nothing converted. Ibex ran a program, and Spike ran the same image, so each instruction, register
and store of one must be in the other; and an Ibex run with timer interrupts has as many calls as it took interrupts.

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
from test_riscv import run, steps_of, values, write

from extent import pick

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "riscv"
BOOT_ROM = 5  # instructions of Spike's before the program


def unpacked(place, name):
    return write(place, name, lzma.decompress((CORPUS / f"{name}.log.xz").read_bytes()).decode())


@pytest.mark.parametrize("name", ["ibex32.ibex", "ibex-hello.ibex"])
def test_understood(trawl, checker, quick_place, name):
    log = unpacked(quick_place, name)
    lines = log.read_text().splitlines()
    status, out, err = run(trawl, "doctor", log)
    checker.check("every line is understood", status == 0 and f"{len(lines) - 1} of {len(lines) - 1} (100.00 %)" in out, out + err)


def test_same_run(trawl, checker, quick_place):
    """The only differences are Spike's boot ROM, and where each simulation stopped."""
    spike, ibex = unpacked(quick_place, "ibex32.both"), unpacked(quick_place, "ibex32.ibex")
    status, out, err = run(trawl, "diff", "--registers", "--memory", "--format", "csv", spike, ibex)
    rows = list(csv.DictReader(io.StringIO(out)))
    found = [(row["what"], int(row["only_a"]), row["only_b"], int(row["event_a"])) for row in rows]
    last = len(steps_of(spike.read_text())) - 1
    checker.check("only the ends differ", status == 1 and found == [("only in A", BOOT_ROM, "0", 0), ("only in A", 1, "0", last)], out[:400] + err[:400])


def test_states(trawl, checker, quick_place):
    """Registers after instructions of Ibex are those that Spike shows, and so are calls by function."""
    ibex, image = unpacked(quick_place, "ibex32.ibex"), CORPUS / "ibex32.elf"
    spike = unpacked(quick_place, "ibex32.both")
    steps = steps_of(spike.read_text())[BOOT_ROM:]
    status, _, err = run(trawl, "index", "-q", "--force-index", ibex)
    checker.check("is indexed without damage", status == 0 and not err, err)
    chance = random.Random(5)
    for point in sorted(chance.randrange(100, len(steps)) for _ in range(pick(20, 1000))):
        known = {}
        for step in steps[: point + 1]:
            known.update({name: value for name, value in step.registers.items() if re.fullmatch(r"x[1-9]\d*", name)})
        visit = sum(step.pc == steps[point].pc for step in steps[: point + 1])
        _, out, _ = run(trawl, "state", ibex, "--at", f"pc:{steps[point].pc:#x}#{visit}", "--format", "json")
        found = values(json.loads(out)["lanes"][0]["registers"])
        wrong = {name: (value, found.get(name)) for name, value in known.items() if int(found.get(name) or "-1", 16) != int(value, 16)}
        checker.no_fault("registers are those of Spike", wrong, at=str(point))
    calls = []
    for log in (spike, ibex):
        _, out, _ = run(trawl, "profile", "--image", image, "--format", "json", log)
        calls.append({row["function"]: row["calls"] for row in json.loads(out) if row["function"] and row["function"][0] != "_"})
    checker.check("calls by function are those of Spike", calls[0] == calls[1] and len(calls[0]) > 20, str(calls))


def test_interrupts(trawl, checker, quick_place):
    """Ibex marks the first instruction of a handler ("==>"), which trawl finds by the flow: vectored, from wfi."""
    log = unpacked(quick_place, "ibex-hello.ibex")
    marked = len(re.findall("\t==>", log.read_text()))
    _, out, _ = run(trawl, "profile", "--image", CORPUS / "ibex-hello.elf", "--format", "json", log)
    counts = {row["function"]: row["calls"] for row in json.loads(out)}
    checker.check("each interrupt is a call of the handler", marked > 3 and counts["simple_timer_handler"] == marked, str(counts))
