"""Logs of RISC-V as they are found: with what the program wrote in between, with lines that are cut, merged or changed, with harts that take
turns anywhere, and logs of other simulators that look alike. What was not touched is read as before, and the rest is said.

    tests/run.py riscv_mixed

Each case is made at random, from the logs that producers wrote (corpus/riscv) and from riscv_forms; with --thorough, 200 of each kind.
"""

import csv
import io
import json
import lzma
import random
import re
from collections import Counter
from pathlib import Path

import pytest
import riscv_forms as forms
from test_riscv import commits_of, run, write

from extent import pick

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "riscv"
# Which program, and what makes its log in each form.
KINDS = {
    "spike": ("hello64", lambda text: text),
    "commits": ("hello64", commits_of),
    "instructions": ("hello64.l", lambda text: text),
    "harts": ("hello64.2harts", lambda text: text),
    "cva6": ("hello64.cva6", lambda text: text),
    "ibex": ("ibex-hello.ibex", lambda text: text),
    "e40p": ("e40p-floats.e40p", lambda text: text),
    "sail": ("traps0.sail", lambda text: text),
    "rvvi": ("hello32", lambda text: forms.rvvi(text)[0]),
}
CONSOLE = ["Hello, world 0x12", "[    0.000000] Linux version 6.1", "", "U", "x = 5", "*** FAIL", "   ", "warning: tohost and fromhost symbols not in ELF"]
WHOLE_LINES = 250  # of each log: enough for recognition


def log_of(kind):
    program, make = KINDS[kind]
    name = program if "." in program else f"{program}.both"
    text = make(lzma.decompress((CORPUS / f"{name}.log.xz").read_bytes()).decode())
    return text.splitlines()[:3000]


def instructions_of(trawl, trace):
    status, out, err = run(trawl, "info", "--force-index", trace, "--format", "json")
    return status, json.loads(out)["trace"] if status in (0, 3) else {}, err


@pytest.mark.parametrize("kind", KINDS)
def test_console(trawl, checker, quick_place, kind):
    """Whole lines of the program, of any number and at any place, change no instruction, register, access or call."""
    lines, chance = log_of(kind), random.Random(kind)
    clean = write(quick_place, "clean", "\n".join(lines) + "\n")
    _, wanted, _ = run(trawl, "profile", clean, "--format", "csv")
    for number in range(pick(2, 200)):
        mixed, share = [], chance.choice([0.001, 0.02, 0.3])
        for at, line in enumerate(lines):
            while at > WHOLE_LINES and chance.random() < share:
                mixed.append(chance.choice(CONSOLE))
            mixed.append(line)
        trace = write(quick_place, "mixed", "\n".join(mixed) + "\n")
        status, out, err = run(trawl, "profile", trace, "--format", "csv")
        checker.check(f"{kind}: text of the program changes no call", status == 0 and out == wanted, f"{number}: {err[:300]}")
        status, out, err = run(trawl, "diff", "-q", "--registers", "--memory", "--force-index", clean, trace, "--format", "csv")
        checker.check(f"{kind}: nor a value", status == 0 and len(out.splitlines()) == 1, f"{number}: {out[:300]} {err[:300]}")


def change(lines, chance):
    """Changes some lines, and returns them with the numbers of those: cut, without their end, with other text before them, a byte changed."""
    changed, out = set(), []
    for at, line in enumerate(lines):
        kind = chance.random() if at > WHOLE_LINES and line else 1
        if kind > 0.02:
            out.append(line)
            continue
        changed.add(at)
        if kind < 0.006:
            out.append(line[: chance.randrange(len(line))])
        elif kind < 0.011 and out:
            out[-1] += line
            changed.add(at - 1)
        elif kind < 0.015:
            out.append(chance.choice(["Hello", "U", "["]) + line)
        else:
            place = chance.randrange(len(line))
            out.append(line[:place] + chance.choice("0f xz()\t:~") + line[place + 1 :])
    return out, changed


@pytest.mark.parametrize("kind", KINDS)
def test_changed(trawl, checker, quick_place, kind):
    """Lines that were changed cost at most themselves: every other instruction is there, and the answer says what was lost."""
    lines, chance = log_of(kind), random.Random(kind)
    _, clean, _ = instructions_of(trawl, write(quick_place, "clean", "\n".join(lines) + "\n"))
    for number in range(200):
        text, changed = change(lines, chance)
        if number not in pick({0, 1, 126}, range(200)):  # e40p's 126: a return to the handler, of which the calls were missing, had no end
            continue
        status, about, err = instructions_of(trawl, write(quick_place, "changed", "\n".join(text) + "\n"))
        lost = clean["instructions"] - about.get("instructions", 0)
        checker.check(f"{kind}: has a documented status", status in (0, 3), f"{number}: {status} {err[:300]}")
        checker.check(f"{kind}: only changed lines are lost", -len(changed) <= lost <= len(changed), f"{number}: {lost} of {len(changed)}")
        checker.check(f"{kind}: damage is said", (status == 3) == (about.get("damaged_lines", 0) > 0), f"{number}: {status} {about}")


def test_turns(trawl, checker, quick_place):
    """Two harts whose lines take turns anywhere, also between the two lines of an instruction: each hart does what it did."""
    lines = log_of("harts")
    harts = {hart: [line for line in lines if line.startswith(f"core{hart:4}: ")] for hart in (0, 1)}
    chance, wanted = random.Random(2), {}

    def rows(trace, image=CORPUS / "hello64.elf"):
        status, out, err = run(trawl, "calls", "--force-index", trace, "--image", image, "--format", "csv")
        checker.check("is read without damage", status == 0, err)
        return Counter((row["function"], row["lane"], row["self"], row["end"]) for row in csv.DictReader(io.StringIO(out)))

    wanted = rows(write(quick_place, "apart", "\n".join(harts[0] + harts[1]) + "\n"))
    for number in range(pick(6, 200)):
        left, mixed, longest = {hart: list(reversed(of_hart)) for hart, of_hart in harts.items()}, [], chance.choice([1, 2, 7, 400])
        while left[0] or left[1]:
            hart = chance.choice([hart for hart in left if left[hart]])
            for _ in range(chance.randrange(1, longest + 1)):
                if left[hart]:
                    mixed.append(left[hart].pop())
        checker.check("harts are told apart", rows(write(quick_place, "mixed", "\n".join(mixed) + "\n")) == wanted, number)


def alike(kind, chance):
    """A line as another simulator or core writes it."""
    pc, code, value, number = 0x80000000 + 2 * chance.randrange(4096), chance.getrandbits(32) | 3, chance.getrandbits(64), chance.randrange(1, 32)
    return {
        "QEMU": f'0, {pc:#x}, {code:#x}, "sd                      a5,0(a6)"' + chance.choice(["", f", store, 0x{value & 0xFFFFFFFF:08x}, RAM"]),
        "Whisper": f"#{chance.randrange(1 << 20)} 0  M {pc:016x} {code:08x} {chance.choice('rm')} {number:016x} {value:016x} sd x15,0(x16)",
        "Dromajo": f"0 3 0x{pc:016x} (0x{code:08x})" + chance.choice(["", f" x{number:2} 0x{value:016x}"]),
        "VeeR": f"{chance.randrange(1 << 20):7} : #{chance.randrange(1 << 16)} 0 {pc:08x} {code:08x} a{number % 8}={value & 0xFFFFFFFF:08x} ; addi a0,a0,1",
    }[kind]


@pytest.mark.parametrize("kind", ["QEMU", "Whisper", "Dromajo", "VeeR"])
def test_alike(trawl, checker, quick_place, kind):
    """Logs that look alike are refused by their names, also with text of the program in between."""
    chance = random.Random(kind)
    for number in range(pick(4, 200)):
        lines = []
        for _ in range(chance.choice([60, 400])):
            if chance.random() < 0.05:
                lines.append(chance.choice(CONSOLE))
            lines.append(alike(kind, chance))
        status, out, err = run(trawl, "profile", write(quick_place, "alike", "\n".join(lines) + "\n"))
        checker.check(f"{kind}: is refused by its name", status == 1 and kind in err and not out, f"{number}: {status} {err[:200]}")
        checker.check(f"{kind}: in one line", len(re.findall("trawl: ", err)) == 1 and len(err.splitlines()) < 4, err)
