"""Programs that have the same addresses are told apart: by the encodings in the trace, or by the core that the user named.

    tests/run.py overlapping_images

Random traces of two or three programs at overlapping addresses, and of a kernel that switches between them, on one or two cores. Which
program each instruction is of is known because the trace is made from them. Some of a program's instructions are like another's, some
were patched, and some programs have no image: their code must have no name. The answers must not depend on how the trace is cut, nor on
whether they come from the trace or from an index.
"""

import collections
import json
import random
import struct

import pytest
import quick
import small_elf
from served import Served

TIMEOUT_S = 60
SEEDS = 200
PARTS = 4
BASE, KERNEL = 0x400000, 0xFFFF800008000000
NOP, RET = 0xD503201F, 0xD65F03C0
NAMES = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"


def elf(base, functions, words):
    """An AArch64 image: functions as {name: (first word, count)}, and its code."""
    code = struct.pack("<%dI" % len(words), *words)
    strings, table = b"\0", bytes(24)
    for name, (first, count) in functions.items():
        table += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, base + 4 * first, 4 * count)
        strings += name.encode() + b"\0"
    parts = [(1, 1, 6, base, code, 0, 0, 4, 0), (7, 2, 0, 0, table, 3, 1, 8, 24), (15, 3, 0, 0, strings, 0, 0, 1, 0), (23, 3, 0, 0, NAMES, 0, 0, 1, 0)]
    body, sections = b"", bytes(64)
    for name, kind, flags, address, contents, link, info, align, entry in parts:
        at = 64 + len(body)
        sections += small_elf.section_header(name, kind, flags, address, at, len(contents), link, info, align, entry)
        body = (body + contents).ljust((len(body) + len(contents) + 7) & ~7, b"\0")
    header = b"\x7fELF\2\1\1" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, base, 0, 64 + len(body), 0, 64, 56, 0, 64, 5, 4)
    return header + body + sections


class Program:
    """`main` calls the others in a loop. Where control can arrive from elsewhere, encodings differ from those of all other programs."""

    def __init__(self, chance, number, base, nops):
        self.base, self.number = base, number
        self.words, self.functions = [], {}
        count = chance.randint(1, 3)
        bodies = [[self.word(chance)] + [NOP if chance.random() < nops else self.word(chance) for _ in range(chance.randint(0, 4))] + [RET] for _ in range(count)]
        main, at = 2 * count + 1, 2 * count + 1
        for i, body in enumerate(bodies):
            self.functions["p%d_f%d" % (number, i)] = (at, len(body))
            at += len(body)
        for first, _ in list(self.functions.values()):
            self.words += [self.word(chance), 0x94000000 | ((first - len(self.words) - 1) & 0x3FFFFFF)]
        self.words.append(0x14000000 | (-(main - 1) & 0x3FFFFFF))
        self.functions["p%d_main" % number] = (0, main)
        self.words += sum(bodies, [])
        self.words += [self.word(chance) for _ in range(64 - len(self.words))]  # so that all have the same addresses
        self.at, self.link = 0, None

    def word(self, chance):
        """add x0, x0, #n, with the program's number in n."""
        return 0x91000000 | (chance.randrange(1 << 8) << 4 | self.number) << 10

    def step(self):
        """(address, encoding, function) of the next instruction; may be interrupted after it?"""
        at = self.at
        word = self.words[at]
        name = next(name for name, (first, count) in self.functions.items() if first <= at < first + count)
        if word == RET:
            self.at = self.link
        elif word >> 26 == 0x25:
            self.link, self.at = at + 1, at + (word & 0x3FFFFFF)
        elif word >> 26 == 0x05:
            self.at = 0
        else:
            self.at = at + 1
        return self.base + 4 * at, word, name

    def may_switch(self):
        """Whether the instruction at which it goes on is certainly its own."""
        return self.words[self.at] >> 24 == 0x91


class Trace:
    def __init__(self, seed):
        chance = self.chance = random.Random(seed)
        self.lanes = chance.choice([1, 1, 2])
        count, is_one_nameless = chance.randint(2, 3), chance.random() < 0.4
        # Without an image, what is alike must not be so long that it looks like another's.
        self.programs = [Program(chance, n, BASE + 4 * chance.choice([0, 0 if is_one_nameless else 2, 0 if is_one_nameless else 8]), 0 if is_one_nameless else 0.3) for n in range(count)]
        self.kernel = [0x92000000 | chance.randrange(1 << 12) << 10 for _ in range(3)] + [0xD69F03E0]
        self.fixed = self.lanes == 2 and chance.random() < 0.5  # each core has one program
        self.without = chance.choice(self.programs) if len(self.programs) == 3 and not self.fixed and is_one_nameless else None
        self.truth, self.executed, self.lines, self.time = collections.Counter(), collections.Counter(), [], 0
        self.before = {}  # of each core: the address of an instruction after which one may be patched
        self.last = {}  # of each core: the time and function of its last instruction
        running = [self.programs[lane] for lane in range(self.lanes)]
        for _ in range(chance.randint(30, 90)):
            lane = chance.randrange(self.lanes)
            program = running[lane]
            for _ in range(chance.randint(1, 12)):
                self.instruction(lane, *program.step(), "EL0t", program is self.without, program)
            while not program.may_switch():
                self.instruction(lane, *program.step(), "EL0t", program is self.without, program)
            if self.fixed or chance.random() < 0.4:
                continue
            self.lines.append("%d clk %sE %016x 00000480 CoreEvent_LOWER_64_IRQ" % (self.time + 1, self.core(lane), KERNEL))
            for at, word in enumerate(self.kernel):
                self.instruction(lane, KERNEL + 4 * at, word, "kernel", "EL1h", False, None)
            others = [other for other in self.programs if other not in running]
            running[lane] = chance.choice(others) if others else program

    def core(self, lane):
        return "cpu%d " % lane if self.lanes > 1 else ""

    def instruction(self, lane, address, word, name, mode, is_nameless, program):
        self.time += 1
        # A debugger's breakpoint, inside a straight run and not at its beginning.
        is_inside = self.before.get(lane) == address - 4
        self.before[lane] = address if word == NOP or word >> 24 == 0x91 else None
        if program and is_inside and self.chance.random() < 0.05 and word >> 24 == 0x91:
            self.before[lane] = None
            word = 0xD4200000 | self.chance.randrange(16) << 5
        self.executed[None if is_nameless else name] += 1
        before = self.last.get(lane)
        if before:
            self.truth[before[1]] += self.time - before[0]
        self.last[lane] = self.time, None if is_nameless else name
        self.lines.append("%d clk %sIT (%d) %08x %08x O %s : X" % (self.time, self.core(lane), self.time, address, word, mode))
        if program and word >> 26 == 0x25:
            self.lines.append("%d clk %sR X30 %016x" % (self.time, self.core(lane), address + 4))

    def write(self, place):
        (place / "t").write_text("\n".join(self.lines) + "\n")
        (place / "kernel.elf").write_bytes(elf(KERNEL, {"kernel": (0, len(self.kernel))}, self.kernel))
        images = ["--image=kernel.elf"]
        for program in self.programs:
            name = "p%d.elf" % program.number
            (place / name).write_bytes(elf(program.base, program.functions, program.words))
            lane = "cpu%d=" % program.number if self.fixed and program.number < 2 and self.chance.random() < 0.5 else ""
            if program is not self.without:
                images.insert(self.chance.randrange(len(images) + 1), "--image=" + lane + name)
        return images


def counts(trawl, place, *words):
    """Executed instructions by function, by their PCs."""
    done = quick.run([trawl, "coverage", "--by=instruction", "--format=json", *words, "t"], cwd=place, timeout=TIMEOUT_S)
    found = collections.Counter()
    assert done.stdout, done.stderr
    for row in json.loads(done.stdout):
        found[(row["function"] or "").partition("+")[0]] += row["executed"]
    return found, done.stderr.decode()


def self_times(trawl, place, *words):
    done = quick.run([trawl, "profile", "--format=json", *words, "t"], cwd=place, timeout=TIMEOUT_S)
    found = collections.Counter()
    for row in json.loads(done.stdout):
        found[row["function"]] += row["self"]
        assert int(row["address"], 16) in (0, 2) or not (int(row["address"], 16) >> 52 & 15) or int(row["address"], 16) >> 63, row
    return found, done.stderr.decode()


@pytest.mark.parametrize("part", range(PARTS))
def test_overlapping_images(trawl, checker, quick_place, part):
    for seed in range(part, SEEDS, PARTS):
        trace = Trace(seed)
        images = trace.write(quick_place)
        executed, said = counts(trawl, quick_place, *images)
        wanted = {name: count for name, count in trace.executed.items() if name}
        found = {name: count for name, count in executed.items() if name and not name.startswith("0x")}
        checker.check("seed %d" % seed, found == wanted, "%s, not %s (%s)" % (found, wanted, said))
        plain = self_times(trawl, quick_place, *images)[0]
        ways = [["--chunk-size=200"]]
        if seed % 8 == 0:
            ways += [["--index=x", "--force-index"], ["--index=x"], ["--chunk-size=1"], ["--threads=1"]]
        for words in ways:
            found, said = self_times(trawl, quick_place, *images, *words)
            checker.check("seed %d %s" % (seed, words), found == plain, "%s, not %s (%s)" % (found, plain, said))


def test_by_user(trawl, checker, quick_place):
    """Two images with the same code, told apart by what the user says: the core, the time, or both in a list."""
    words = [0x91000400] * 8 + [RET]
    for name in ("a", "b"):
        (quick_place / (name + ".elf")).write_bytes(elf(BASE, {"of_" + name: (0, len(words))}, words))
    (quick_place / "t").write_text("".join("%d clk cpu%d IT (%d) %08x 91000400 O EL1h_n : ADD\n" % (t, t % 2, t, BASE + t // 2 % 8 * 4) for t in range(32)))
    (quick_place / "list").write_text("# overlays\n\n  cpu0=a.elf@0x0 ..15\ncpu0=b.elf 16..\n./b.elf 0..99\n")
    for words, wanted in (
        (["--image=a.elf", "--image=b.elf"], {"of_a": 32}),
        (["--image=cpu1=a.elf", "--image=cpu0=b.elf"], {"of_a": 16, "of_b": 16}),
        (["--image=cpu1=a.elf"], {"of_a": 16, "": 16}),
        (["--image=a.elf 0..9", "--image=b.elf 10..19"], {"of_a": 10, "of_b": 10, "": 12}),
        (["--image=@list"], {"of_a": 8, "of_b": 24}),
    ):
        found, said = counts(trawl, quick_place, *words)
        checker.check("%s" % words, dict(found) == wanted, "%s, not %s (%s)" % (dict(found), wanted, said))
        checker.check("%s: warned" % words, ("same code" in said) == (len(words) == 2 and "=" not in words[0][8:] and ".." not in words[0]), said)


def test_only_image(trawl, checker, quick_place):
    """One program under a kernel has an image. Another one, elsewhere at its addresses, runs for longer and has none."""
    words = [0x91000000 | n << 10 for n in range(256)]
    kernel = [0x92000000 | n << 10 for n in range(64)]
    lines, wanted = [], collections.Counter()

    def run(base, code, mode, name):
        for at, word in code:
            lines.append("%d clk IT (%d) %08x %08x O %s : X" % (len(lines), len(lines), base + 4 * at, word, mode))
            wanted[name] += 1

    for part in range(200):
        run(KERNEL, enumerate(kernel), "EL1h", "kernel")
        if part % 4 == 3:
            run(BASE, list(enumerate(words))[:64] * 2, "EL0t", "own")
        else:
            run(BASE, [(at, word ^ 1 << 5) for at, word in enumerate(words)][64:192], "EL0t", "")
    (quick_place / "t").write_text("\n".join(lines) + "\n")
    (quick_place / "own.elf").write_bytes(elf(BASE, {"own": (0, len(words))}, words))
    (quick_place / "kernel.elf").write_bytes(elf(KERNEL, {"kernel": (0, len(kernel))}, kernel))
    for words in ([], ["--chunk-size=200"], ["--threads=1"]):
        found, said = counts(trawl, quick_place, "--image=own.elf", "--image=kernel.elf", *words)
        checker.check("%s" % words, found == wanted, "%s, not %s (%s)" % (found, wanted, said))
        checker.check("%s: said" % words, "its names are used where the instructions are its own" in said, said)
    plain = self_times(trawl, quick_place, "--image=own.elf", "--image=kernel.elf")[0]
    for words in (["--index=x", "--force-index"], ["--index=x"]):
        found, _ = self_times(trawl, quick_place, "--image=own.elf", "--image=kernel.elf", *words)
        checker.expect("%s" % words, found, plain)
    # Without a kernel, what fits is what another program has in common with the image.
    (quick_place / "t").write_text("\n".join(line for line in lines if "EL0t" in line) + "\n")
    found, said = self_times(trawl, quick_place, "--image=own.elf")
    checker.check("no kernel", "own" not in found and "its names are not used" in said, "%s (%s)" % (found, said))


def test_server(trawl, checker, quick_place):
    """Answers have addresses of the machine, whichever program is there."""
    for seed in range(4):
        trace = Trace(seed)
        images = trace.write(quick_place)
        instructions = [line.split() for line in trace.lines if " IT " in line]
        pcs = {int(words[next(i for i, word in enumerate(words) if word == "IT") + 2].split(":")[0], 16) for words in instructions}
        with Served(trawl, [quick_place / "t"], *images, cwd=quick_place) as served:
            for event in trace.chance.sample(range(len(instructions)), 6):
                frames = served.ask("stack", at=event)[1]["frames"]
                checker.check(f"seed {seed}, event {event}", frames and int(frames[0]["pc"], 16) in pcs, frames)
                place = served.ask("step", at=event, how="stay")[1]
                checker.check(f"seed {seed}, step {event}", place["pc"] is None or int(place["pc"], 16) in pcs, place)


def test_index(trawl, checker, quick_place):
    """An index of shards is that of the whole trace; it fits with the same images or none, and a PC may be asked without its program."""
    for seed in range(0, 24, 3):
        trace = Trace(seed)
        images = trace.write(quick_place)
        run = lambda *words: quick.run([trawl, *words], cwd=quick_place, timeout=TIMEOUT_S)
        run("index", "-q", "--force-index", "--index=whole", *images, "t")
        for number in (1, 2, 3):
            run("index", "-q", "--shard=%d/3" % number, "--index=part%d" % number, *images, "t")
        done = run("merge", "part1", "part2", "part3", "-o", "merged")
        same = (quick_place / "whole").read_bytes() == (quick_place / "merged").read_bytes()
        checker.check("seed %d: shards" % seed, same, done.stderr.decode())
        by_images = run("profile", "--format=json", "--index=whole", "--no-index", *images, "t").stdout
        alone = run("profile", "--format=json", "--index=whole", "--no-index", "t").stdout
        checker.check("seed %d: names of the index" % seed, by_images == alone, "%s, not %s" % (alone, by_images))
        shared = [at for at in {program.base + 4 * i for program in trace.programs for i in range(8)} if any(" %08x " % at in line for line in trace.lines)]
        for at in sorted(shared)[:4]:
            wanted = next(int(line.split()[0]) for line in trace.lines if " %08x " % at in line and " IT " in line)
            done = run("state", "--index=whole", "--format=json", "t", "--at", "pc:%#x" % at, "pc")
            found = json.loads(done.stdout or b"{}").get("position", {}).get("time")
            checker.check("seed %d: pc:%#x" % (seed, at), found == wanted, "%s, not %s (%s)" % (found, wanted, done.stderr.decode()))


class Spaces:
    """Processes with much code in common, each in its address space. The first instruction that a program executes in a space is its own, so
    from then on the space says which program it is, wherever it goes on. A space may be given to another program (exec)."""

    def __init__(self, seed):
        chance = self.chance = random.Random(seed)
        self.by_user = chance.random() < 0.4  # all code is alike; the user says which program is of which space
        self.register = chance.choice(["TTBR0_EL1", "CONTEXTIDR_EL1", "VTTBR_EL2"])
        self.programs = []
        common = [0x91000000 | (chance.randrange(1 << 12) << 10) for _ in range(12)]
        for number in range(chance.randint(2, 3)):
            words = list(common)
            for at in range(0, len(words), 6):
                words[at] = words[at] if self.by_user else 0x92000000 | number << 10 | at << 14
            self.programs.append(words)
        self.lines, self.executed, self.time = [], collections.Counter(), 0
        lanes = chance.choice([1, 1, 2])
        self.values = [0x41000000 + 0x1000 * i + ((i + 1 << 48) if self.register != "CONTEXTIDR_EL1" else 0) for i in range(4)]
        program_of = {i: i % len(self.programs) for i in range(4)}
        at = {i: 0 for i in range(4)}
        known = [set() for _ in range(lanes)]
        running = [None] * lanes
        for _ in range(chance.randint(20, 60)):
            lane = chance.randrange(lanes)
            core = "cpu%d " % lane if lanes > 1 else ""
            space = chance.randrange(4)
            if not self.by_user and chance.random() < 0.1:
                program_of[space] = chance.randrange(len(self.programs))
                at[space] = 0
                for each in known:
                    each.discard(space)
            if running[lane] != space:
                running[lane] = space
                self.instruction(core, KERNEL, 0xD5182000, "EL1h")
                self.lines.append("%d clk %sR %s %016x" % (self.time, core, self.register, self.values[space]))
            else:
                self.instruction(core, KERNEL, 0xD5033FDF, "EL1h")
            if space not in known[lane] and not self.by_user:
                at[space] = 0
                known[lane].add(space)
            for _ in range(chance.randint(1, 8)):
                self.executed["p%d" % program_of[space]] += 1
                self.instruction(core, BASE + 4 * at[space], self.programs[program_of[space]][at[space]], "EL0t")
                at[space] = (at[space] + 1) % len(common)

    def instruction(self, core, address, word, mode):
        self.time += 1
        self.lines.append("%d clk %sIT (%d) %08x %08x O %s : X" % (self.time, core, self.time, address, word, mode))

    def write(self, place):
        (place / "t").write_text("\n".join(self.lines) + "\n")
        images = []
        for number, words in enumerate(self.programs):
            name = "p%d" % number
            (place / (name + ".elf")).write_bytes(elf(BASE, {name: (0, len(words))}, words))
            if not self.by_user:
                images.append("--image=%s.elf" % name)
            for space in range(number, 4, len(self.programs)) if self.by_user else ():
                shown = self.register.replace("_EL2", "") if self.register[0] == "V" else self.register
                images.append("--image=%s=0x%x=%s.elf" % (shown, self.values[space], name))
        self.chance.shuffle(images)
        return images


@pytest.mark.parametrize("part", range(PARTS))
def test_spaces(trawl, checker, quick_place, part):
    for seed in range(part, SEEDS, PARTS):
        trace = Spaces(seed)
        images = trace.write(quick_place)
        wanted = dict(trace.executed)
        for words in [[], ["--chunk-size=200"], *([["--chunk-size=1", "--threads=1"]] if seed % 8 == 0 else [])]:
            executed, said = counts(trawl, quick_place, *images, *words)
            found = {name: count for name, count in executed.items() if name and not name.startswith("0x")}
            checker.check("seed %d %s" % (seed, words), found == wanted, "%s, not %s (%s)" % (found, wanted, said))
            checker.check("seed %d: nothing said" % seed, "same code" not in said and "in an address space" not in said, said)
        if seed % 8 == 0:
            plain = self_times(trawl, quick_place, *images)[0]
            for words in (["--index=x", "--force-index"], ["--index=x"]):
                found, said = self_times(trawl, quick_place, *images, *words)
                checker.check("seed %d %s" % (seed, words), found == plain, "%s, not %s (%s)" % (found, plain, said))


def test_what_is_not_there(trawl, checker, quick_place):
    """An image of a core or a space that the trace does not have is reported, in passes and in questions."""
    words = [0x91000400] * 8 + [RET]
    (quick_place / "a=b.elf").write_bytes(elf(BASE, {"f": (0, len(words))}, words))
    lines = ["0 clk cpu0 R TTBR0_EL1 0001000041000000"]
    lines += ["%d clk cpu%d IT (%d) %08x 91000400 O EL0t : ADD" % (t, t % 2, t, BASE + t // 2 % 8 * 4) for t in range(16)]
    (quick_place / "t").write_text("\n".join(lines) + "\n")
    for image, wanted in (
        ("cpu7=./a=b.elf", "no core is called 'cpu7'"),
        ("TTBR0_EL1=0x99=a=b.elf", "in an address space called 'TTBR0_EL1=0x99'"),
        ("cpu1=./a=b.elf", None),
        ("EL1 ttbr0_el1=0x1000041000000=a=b.elf@0x0 0..99", None),
    ):
        for command in (["profile", "t"], ["coverage", "t"], ["state", "t", "pc"]):
            if command[0] == "state" and wanted and "space" in wanted:
                continue
            done = quick.run([trawl, *command, "--image=" + image], cwd=quick_place, timeout=TIMEOUT_S)
            said = done.stderr.decode()
            is_right = wanted in said if wanted else "called" not in said
            checker.check("%s, %s" % (image, command), is_right and done.returncode == 0, said)
