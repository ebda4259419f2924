"""sp, lr and other registers with banks are those of the mode in which an instruction ran.

    tests/run.py banks

Random small traces of cores that change their mode at random: exception levels of AArch64 (SP_EL0 to SP_EL3), modes of AArch32 (r13 and r14
of each), threads and handlers of the M profile with and without the Security Extension. Registers are written under the names of banks,
also of banks that are not in use, and under their plain names. A model of the machine knows the value of each bank, and so what sp and lr
are at each event. The index does not depend on the size of chunks, and is the same from shards, with and without surveys.
"""

import json
import random

import pytest
import quick

TIMEOUT_S = 60
SEEDS = 200
SEGMENT_EVENTS = 16
X13, X14, XSP = 13 * 8, 14 * 8, 0xF8
A32_MODES = ["usr", "sys", "svc", "irq", "fiq", "abt", "und", "mon", "hyp"]


class Bank:
    """The values of a register, by bank; of a bank that was never written: None."""

    def __init__(self):
        self.values = {}

    def write(self, bank, value):
        self.values[bank] = value

    def now(self, bank):
        return self.values.get(bank)


class Trace:
    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.lines, self.wanted = [], []  # of each event: {offset: (bytes, value or None)}
        self.time = 0

    def instruction(self, isa, mode, bits):
        self.time += 1
        self.lines.append("%d clk IT (%d) %08x %s %s %s : NOP" % (self.time, self.time, 0x8000 + 4 * self.time, bits, isa, mode))

    def register(self, name, value, digits):
        self.lines.append("%d clk R %s %0*x" % (self.time, name, digits, value))

    def value(self):
        return self.chance.randrange(1, 1 << 16) * 16

    def text(self):
        return "\n".join(self.lines) + "\n"


def a64(seed):
    """SP_EL0 to SP_EL3, by the exception level and SPSel."""
    trace, sp = Trace(seed), Bank()
    chance, level, mode = trace.chance, "EL3", "EL3h"
    suffix = chance.choice(["", "_s", "_n", "_ns"])
    for _ in range(chance.randrange(2, 40)):
        if chance.random() < 0.3:
            level = chance.choice(["EL0", "EL1", "EL2", "EL3"])
            mode = level + ("t" if level == "EL0" or chance.random() < 0.2 else "h")
        bank = "EL0" if mode.endswith("t") else level
        trace.instruction("O", mode + suffix, "d503201f")
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            value = trace.value()
            written = bank if chance.random() < 0.6 else chance.choice(["EL0", "EL1", "EL2", "EL3"])
            plain = written == bank and chance.random() < 0.3
            trace.register("SP" if plain else chance.choice(["SP_%s", "sp_%s"]) % written, value, 16)
            sp.write(written, value)
        trace.wanted.append({XSP: (8, sp.now(bank))} if sp.values else {})
    return trace


def a32(seed):
    """r13 and r14 of each mode."""
    trace, sp, link = Trace(seed), Bank(), Bank()
    chance, mode = trace.chance, "svc"
    suffix = chance.choice(["", "_s", "_ns"])
    isa = chance.choice(["A", "T"])
    for _ in range(chance.randrange(2, 40)):
        if chance.random() < 0.3:
            mode = chance.choice(A32_MODES)
        trace.instruction(isa, mode + suffix, "e1a00000" if isa == "A" else "bf00")
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            value, is_link = trace.value(), chance.random() < 0.5
            written = mode if chance.random() < 0.6 else chance.choice(A32_MODES[:-1])
            plain = written == mode and chance.random() < 0.3
            if plain:
                trace.register("r14" if is_link else chance.choice(["r13", "sp"]), value, 8)
            else:
                trace.register(chance.choice(["r14_%s", "lr_%s"] if is_link else ["r13_%s", "sp_%s"]) % written, value, 8)
            bank = "usr" if written == "sys" or (is_link and written == "hyp") else written
            (link if is_link else sp).write(bank, value)
        of_sp = "usr" if mode == "sys" else mode
        of_link = "usr" if mode in ("sys", "hyp") else mode
        trace.wanted.append({X13: (4, sp.now(of_sp)), X14: (4, link.now(of_link))})
    return trace


def user32(seed):
    """A kernel in AArch64, which uses r13 and r14 of a program in AArch32 as x13 and x14."""
    trace, sp, links = Trace(seed), Bank(), {}
    chance, is_user = trace.chance, False
    for _ in range(chance.randrange(2, 40)):
        is_user ^= chance.random() < 0.3
        trace.instruction("A" if is_user else "O", "usr" if is_user else "EL1h", "e1a00000" if is_user else "d503201f")
        for _ in range(chance.choice([0, 1, 2])):
            number, value = chance.choice([13, 14, 31]), trace.value()
            if number == 31:
                trace.register("SP_EL1", value, 16)
                sp.write("EL1", value)
            else:
                trace.register("r%d_usr" % number if is_user and chance.random() < 0.5 else "rX"[not is_user] + str(number), value,
                               8 if is_user else 16)  # fmt: skip
                links[number] = value
        wanted = {number * 8: (4, value) for number, value in links.items()}
        if not is_user and sp.values:
            wanted[XSP] = (8, sp.now("EL1"))
        trace.wanted.append(wanted)
    return trace


def m_profile(seed):
    """MSP and PSP, of two security states in half of the traces."""
    trace = Trace(seed)
    chance = trace.chance
    worlds = chance.choice([[""], ["_s", "_ns"]])
    stacks = {(world, name): None for world in worlds for name in ("MSP", "PSP")}
    spsel = dict.fromkeys(worlds, False)
    world, is_handler = worlds[0], False
    trace.instruction("T", "thread" + world, "bf00")
    for (of_world, name) in stacks:
        stacks[of_world, name] = trace.value()
        trace.register(name + of_world, stacks[of_world, name], 8)
    for of_world in worlds:
        trace.register("CONTROL" + of_world, 0, 8)
    trace.wanted.append({})
    for _ in range(chance.randrange(2, 40)):
        if chance.random() < 0.3:
            world, is_handler = chance.choice(worlds), chance.random() < 0.4
        trace.instruction("T", ("handler" if is_handler else "thread") + world, "bf00")
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            of_world = chance.choice(worlds)
            if chance.random() < 0.3:
                spsel[of_world] = chance.random() < 0.5
                trace.register("CONTROL" + of_world, 2 * spsel[of_world], 8)
            else:
                name = chance.choice(["MSP", "PSP"])
                stacks[of_world, name] = trace.value()
                trace.register(name + of_world, stacks[of_world, name], 8)
        in_use = stacks[world, "PSP" if spsel[world] and not is_handler else "MSP"]
        trace.wanted.append({X13: (4, in_use)})
    return trace


KINDS = {"a64": a64, "a32": a32, "user32": user32, "m": m_profile}


def index(trawl, place, *words):
    quick.run([trawl, "index", "-q", "--force-index", "--segment-events=%d" % SEGMENT_EVENTS, *words, "t"], cwd=place, timeout=TIMEOUT_S)


def differences(library, path, trace):
    """Events at which a register is not what the machine had."""
    with library.open(path) as opened:
        for event, wanted in enumerate(trace.wanted):
            for offset, (size, value) in wanted.items():
                values, known = opened.registers(0, event, offset, size)
                found = int.from_bytes(values, "little") if all(known) else None
                if found != value:
                    yield "event %d, offset %#x: %s, not %s" % (event, offset, found and hex(found), value and hex(value))


def same_from_shards(trawl, place, count, is_surveyed):
    """Whether the index merged from shards is that of the whole trace."""
    for old in place.glob("s[0-9]*"):
        old.unlink()
    words = []
    for number in range(1, count + 1) if is_surveyed else []:
        index(trawl, place, "--survey", "--shard=%d/%d" % (number, count), "--index=s%dy" % number)
        words = ["--after", "s*y"]
    parts = ["s%dp" % number for number in range(1, count + 1)]
    for number, part in enumerate(parts, 1):
        index(trawl, place, "--shard=%d/%d" % (number, count), "--index=" + part, *words)
    (place / "merged").unlink(missing_ok=True)
    quick.run([trawl, "merge", *parts, "-o", "merged"], cwd=place, timeout=TIMEOUT_S)
    return (place / "merged").exists() and (place / "merged").read_bytes() == (place / "whole").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_banks(trawl, library, checker, quick_place, kind):
    for seed in range(SEEDS):
        trace = KINDS[kind](seed)
        (quick_place / "t").write_text(trace.text())
        index(trawl, quick_place, "--index=whole")
        wrong = list(differences(library, quick_place / "whole", trace))
        checker.check("%s, seed %d" % (kind, seed), not wrong, "; ".join(wrong[:3]))
        index(trawl, quick_place, "--index=cut", "--chunk-size=%d" % random.Random(seed).choice([1, 64, 100, 300]))
        is_same = (quick_place / "cut").read_bytes() == (quick_place / "whole").read_bytes()
        checker.check("%s, seed %d: the same in chunks" % (kind, seed), is_same)
        if seed % 10 == 0:
            for is_surveyed in (False, True):
                checker.check("%s, seed %d: the same from shards, surveys: %s" % (kind, seed, is_surveyed),
                              same_from_shards(trawl, quick_place, 3, is_surveyed))  # fmt: skip


def test_values_before_the_first_instruction(trawl, checker, quick_place):
    """A core writes all its registers before its first instruction, in any order, x13 among them, whose place r13 of AArch32 has."""
    for seed in range(40):
        chance = random.Random(seed)
        mode, used = chance.choice([("EL1h_n", "SP_EL1"), ("EL0t_n", "SP_EL0"), ("EL2h_n", "SP_EL2"), ("EL1t_n", "SP_EL0")])
        values = {name: chance.getrandbits(64) for name in ["X13", "X14", "X30", "SP_EL0", "SP_EL1", "SP_EL2"] if chance.random() < 0.8}
        names = chance.sample(list(values), len(values))
        lines = ["1 clk R %s %016x" % (name, values[name]) for name in names]
        lines += ["%d clk IT (%d) %08x d503201f O %s : NOP" % (time, time, 0x8000 + 4 * time, mode) for time in (2, 3)]
        (quick_place / "t").write_text("\n".join(lines) + "\n")
        done = quick.run([trawl, "state", "--memory-index", "--format", "json", "t", "sp"], cwd=quick_place, timeout=TIMEOUT_S)
        found = json.loads(done.stdout)["lanes"][0]["registers"]["sp"]
        wanted = "0x%016x" % values[used] if used in values else None
        checker.check(f"seed {seed}, {mode}, {names}", (found["value"] if found["known"] else None) == wanted, (found, wanted))
