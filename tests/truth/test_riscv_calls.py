"""Calls of RISC-V: stacks, self times and origins of values against plain readers of the log.

    tests/run.py riscv_calls

corpus/riscv/NAME.stacks has the functions that were active at some instructions, innermost first, as call frame information gives them
(readelf --debug-dump=frames-interp, with the registers and memory that the log shows): corpus/README.md. The programs have recursion, tail
calls, long jumps, far calls, calls by t0, millicode (-msave-restore), variable frames, timer interrupts, ecall, and tasks of FreeRTOS. In
logs of commits alone nothing but the next PC shows a trap.
"""

import csv
import io
import lzma
import random
import re
from bisect import bisect_right
from collections import Counter
from pathlib import Path

import pytest
import quick
from test_riscv import commits_of, functions_of, steps_of

from extent import pick

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "riscv"
TIMEOUT_S = 120
FORMS = ["calls64.both", "calls64.commits", "calls32.both", "calls32.commits", "freertos64.commits", "throws64.commits"]


def run(trawl, place, *words):
    done = quick.run([trawl, *map(str, words)], cwd=place)
    assert done.returncode in (0, 3), (words, done.stderr[-400:])
    return done.stdout.decode() if isinstance(done.stdout, bytes) else done.stdout


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


class Form:
    """A log in one form: its file in a place, its image, the functions."""

    def __init__(self, name, place):
        program, kind = name.split(".")
        packed = CORPUS / f"{program}.both.log.xz"
        packed = packed if packed.exists() and kind in ("both", "commits") else CORPUS / f"{program}.{kind}.log.xz"
        self.text = lzma.decompress(packed.read_bytes()).decode()
        if kind == "commits":
            self.text = commits_of(self.text)
        self.log, self.image, self.program = f"{name}.log", CORPUS / f"{program}.elf", program
        (place / self.log).write_text(self.text)
        self.functions = sorted(functions_of(self.image))
        self.sizes = {start: size for start, (size, _) in functions_of(self.image).items()}

    def function_of(self, pc):
        """The start of the function that has an address; of code without one, such as handlers in assembly, the address."""
        at = bisect_right(self.functions, pc) - 1
        start = self.functions[at] if at >= 0 else pc
        return start if start <= pc < start + self.sizes.get(start, 0) else pc


@pytest.mark.parametrize("name", FORMS)
def test_stacks(trawl, place, checker, name):
    """The stack at an instruction is that which call frame information gives."""
    form = Form(name, place)
    stacks = [list(line.split()) for line in (CORPUS / f"{form.program}.stacks").read_text().splitlines()]
    run(trawl, place, "index", "-q", "--image", form.image, form.log)
    for number, *functions in random.Random(name).sample(stacks, min(len(stacks), pick(40, 1000))):
        if number == "0":
            continue
        words = ["stack", "-q", form.log, "--image", form.image, "--at", f"time:{int(number) - 1}", "--unwind=calls", "--format", "csv"]
        found = [form.function_of(int(row["entry"], 16)) for row in rows_of(run(trawl, place, *words))]
        wanted = [int(function, 16) for function in functions]
        checker.no_fault(
            f"{name}: stacks are those of call frame information",
            found[: len(wanted)] != wanted and f"{[hex(x) for x in found]}, not {[hex(x) for x in wanted]}",
            at=number,
        )


@pytest.mark.parametrize("name", [*FORMS, "throws64.both", "hello64.both", "hello64.commits", "hello64.2harts", "hello32.both", "e40p-floats.both", "ibex32.both"])
def test_self_times(trawl, place, checker, name):
    """The self time of a function is the number of its instructions that retired. (The last one of each hart has no end, if no trap follows.)"""
    form = Form(name, place)
    steps = steps_of(form.text)
    last = {step.hart: number for number, step in enumerate(steps)}
    trapped = [re.split(rf"core +{hart}: \d 0x", form.text)[-1].count(f"core{hart:4}: exception") for hart in last]
    last = {hart: number for (hart, number), has_trapped in zip(last.items(), trapped, strict=True) if not has_trapped}
    wanted = Counter(form.function_of(step.pc) for number, step in enumerate(steps) if number not in last.values())
    found = Counter()
    for row in rows_of(run(trawl, place, "profile", "-q", form.log, "--image", form.image, "--format", "csv")):
        found[form.function_of(int(row["address"], 16))] += int(row["self"])
    for function in form.functions:
        checker.no_fault(
            f"{name}: self times are sums of instructions",
            wanted[function] != found[function] and f"{found[function]}, not {wanted[function]}",
            at=hex(function),
        )


@pytest.mark.parametrize("name", ["calls64.commits", "freertos64.commits"])
def test_chunks(trawl, place, checker, name):
    """Calls do not depend on where a log is cut into chunks, also if nothing shows its traps."""
    form = Form(name, place)
    words = ["calls", "-q", form.log, "--image", form.image, "--format", "csv"]
    whole = run(trawl, place, *words, "--threads", 1)
    for chunk in pick([4099, 65536], [97, 1000, 4099, 9999, 65536]):
        cut = run(trawl, place, *words, "--chunk-size", chunk, "--threads", 2)
        checker.check(f"{name}: calls do not depend on chunks", cut == whole, chunk)


@pytest.mark.parametrize("first", range(7))
def test_first_traps(trawl, place, checker, first):
    """Traps that a log of commits does not show: after switches, tail calls, calls, returns and branches, and which of them comes first, before
    a handler is known. The calls are those of the log that names each exception. An instruction that traps has no commit, so that a function
    whose first instruction it is begins with the next one."""
    both, image = lzma.decompress((CORPUS / f"traps{first}.both.log.xz").read_bytes()).decode(), CORPUS / "traps.elf"
    (place / "both.log").write_text(both)
    (place / "commits.log").write_text(commits_of(both))
    found = {}
    for log in ("both.log", "commits.log"):
        words = ["calls", "-q", log, "--image", image, "--format", "csv"]
        rows = rows_of(run(trawl, place, *words))
        found[log] = Counter((row["function"].removesuffix("+0x4"), row["lane"], row["self"], row["end"]) for row in rows)
        for chunk in (97, 1000):
            cut = rows_of(run(trawl, place, *words, "--chunk-size", chunk, "--threads", 2))
            checker.check(f"{log}: calls do not depend on chunks", cut == rows, chunk)
    checker.check("calls are those of the log that names traps", found["both.log"] == found["commits.log"], f"{found['both.log'] - found['commits.log']} {found['commits.log'] - found['both.log']}")
    traps = sum(count for key, count in found["commits.log"].items() if key[0] == "trap")
    checker.check("each trap is a call of the handler", traps == len(re.findall(", epc", both)), traps)


def test_coroutines(trawl, place, checker):
    """A coroutine that goes on by `jalr ra, t0` is called by whoever resumes it, and ends where it gives way by `jalr t0, ra`; one with a stack of
    its own is a task."""
    text, image = lzma.decompress((CORPUS / "traps0.both.log.xz").read_bytes()).decode(), CORPUS / "traps.elf"
    (place / "both.log").write_text(text)
    rows = rows_of(run(trawl, place, "calls", "-q", "both.log", "--image", image, "--format", "csv"))
    resumed = len(re.findall(r"core +0: 3 0x\w+ \(0x000280e7\)", text))
    generator = [row for row in rows if row["function"].startswith("generator")]
    checker.check("each turn of the coroutine is a call", len(generator) == 1 + resumed == 5, len(generator))
    checker.check("by the one that resumes it", {(row["caller"], row["end"]) for row in generator} == {("coroutines", "")}, generator)
    lanes = {row["function"]: row["lane"] for row in rows if row["function"] in ("coroutines", "worker", "inner")}
    checker.check("one with its own stack is a task", lanes["worker"] == lanes["inner"] != lanes["coroutines"], lanes)
    switches = Counter(row["caller"] for row in rows if row["function"] == "swap" and row["end"] == "switched away")
    checker.check("which is switched to and from", switches == {"coroutines": 5, "inner": 3, "worker": 2}, switches)


# --- A simulator and RTL -------------------------------------------------------------------------------------------------------------------


def rtl_of(text):
    """The same run as CVA6 writes it: two lines for each instruction, no CSRs, stores as wide as a register."""
    lines = []
    for line in commits_of(text).splitlines():
        mode, pc, code, rest = re.match(r"core +0: (\d) (0x[0-9a-f]+) \(0x([0-9a-f]+)\)(.*)", line).groups()
        rest = re.sub(r" c\d+_\w+ +0x[0-9a-f]+", "", rest)
        rest = re.sub(r" ([xf])(\d) +0x", r" \1 \2 0x", rest)
        rest = re.sub(r"(mem 0x[0-9a-f]+ 0x)([0-9a-f]+)", lambda found: found[1] + found[2].zfill(16), rest)
        lines.append(f"core   0: {pc} (0x{code:0>8}) DASM({code:0>8})\n{mode} {pc} (0x{code}){rest}\n")
    return "".join(lines)


def test_compare(trawl, place, checker):
    """The runs of a simulator and of RTL are compared instruction by instruction, with registers and memory."""
    form = Form("calls64.both", place)
    rtl = rtl_of(form.text).splitlines(keepends=True)
    chance = random.Random(4)

    def compare(lines, *words):
        (place / "rtl.log").write_text("".join(lines))
        done = quick.run([trawl, "diff", "-q", form.log, "rtl.log", "--registers", "--memory", "--format", "csv", *words], cwd=place)
        return done.returncode, rows_of(done.stdout.decode() if isinstance(done.stdout, bytes) else done.stdout)

    checker.check("a simulator and RTL that do the same are equal", compare(rtl) == (0, []), compare(rtl))
    for kind in ("x", "mem"):
        places = [i for i, line in enumerate(rtl) if re.search(r" x ?\d+ 0x" if kind == "x" else r"mem 0x\w+ 0x", line)]
        for at in chance.sample(places, pick(4, 40)):
            wrong = list(rtl)
            value = r"( x ?\d+ 0x\w*)(\w)" if kind == "x" else r"(mem 0x\w+ 0x\w*)(\w)"
            wrong[at] = re.sub(value, lambda found: found[1] + "%x" % (int(found[2], 16) ^ 1), rtl[at])
            status, rows = compare(wrong)
            first = int(rows[0]["event_b"]) if rows else None
            checker.check(f"a wrong value of {kind} is found where it is", status == 1 and first == at // 2, f"{at // 2}: {rows[:1]}")
    csr = [line.replace("c768_mstatus 0x8000000a00006", "c768_mstatus 0x8000000a00007") for line in form.text.splitlines(keepends=True)]
    status, _ = compare(csr)
    checker.check("a wrong system register is a difference", status == 1, status)
    status, _ = compare(csr, "--ignore", "mstatus")
    checker.check("but not if it is ignored", status == 0, status)
    status, _ = compare(rtl, "--ignore", "nonsense")
    checker.check("a register that neither has cannot be ignored", status == 2, status)


# --- Origins ---------------------------------------------------------------------------------------------------------------------------

ABI = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()
FLOAT = [f"ft{n}" for n in range(8)] + ["fs0", "fs1"] + [f"fa{n}" for n in range(8)] + [f"fs{n}" for n in range(2, 12)] + [
    f"ft{n}" for n in range(8, 12)]
INSTRUCTION = re.compile(r"core +0: 0x([0-9a-f]+) \(0x[0-9a-f]+\) (\S+) *(.*)$")
ACCESS = re.compile(r"f?([ls])([bhwd])(u?)$")
MOVES = {"mv": None, "sext.w": 4, "zext.b": 1, "fmv.d": None}
NOTHING = {"li", "lui", "auipc"}
NO_RESULT = {"j", "jr", "ret", "beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz", "bnez", "blez", "bgez", "bltz", "bgtz", "nop", "fence"}


def register(name):
    """x10 of a0; None: it is none."""
    name = name.strip()
    return f"x{ABI.index(name)}" if name in ABI else f"f{FLOAT.index(name)}" if name in FLOAT else None


class Slicer:
    """Which instructions made each byte of the registers and of memory, from the text of the log alone: its mnemonics and operands."""

    def __init__(self, text, width):
        self.width, self.bytes, self.history = width, {}, []
        lines = text.splitlines()
        steps = iter(steps_of(text))
        pending = None
        self.parents, self.values = [], []  # of each instruction: {byte: [(instruction, byte)...]}
        for line in lines:
            found = INSTRUCTION.match(line)
            if found:
                pending = (int(found[1], 16), found[2], [word for word in found[3].split(",") if word])
            elif pending and re.match(r"core +0: [0-3] 0x", line):
                step = next(steps)
                self.take(step, pending[1].removeprefix("c."), pending[2])

    def of(self, place, low, count):
        return [self.bytes.get((place, low + i)) for i in range(count)]

    def take(self, step, name, operands):
        number, parents = len(self.parents), {}
        names = [register(re.sub(r".*\((\w+)\)", r"\1", word)) for word in operands]
        sources, target = [one for one in names[1:] if one and one != "x0"], names[0] if names else None
        access = ACCESS.match(re.sub(r"sp$", "", name))
        is_known = True
        if access and len(operands) == 2 and "(" in operands[1]:
            size = {"b": 1, "h": 2, "w": 4, "d": 8}[access[2]]
            if access[1] == "l":
                width = 8 if target[0] == "f" else self.width
                for i in range(width):
                    if i < size:
                        parents[target, i] = [self.bytes.get(("m", step.loads[0] + i))]
                    else:
                        parents[target, i] = [] if access[3] or target[0] == "f" else [self.bytes.get(("m", step.loads[0] + size - 1))]
            else:
                for i in range(size):
                    parents["m", step.stores[0][0] + i] = [self.bytes.get((target, i))] if target != "x0" else []
        elif name in MOVES or (name in ("addi", "addiw") and operands[-1].strip() == "0" and len(operands) == 3):
            size = MOVES.get(name, 4 if name == "addiw" else None) or 8
            name = "sext.w" if name == "addiw" else name
            for i in range(8 if target[0] == "f" else self.width):
                parents[target, i] = self.of(sources[0], min(i, size - 1), 1) if sources and (i < size or name == "sext.w") else []
        elif name in NOTHING or (name == "jal" and step.registers):
            target = next(iter(step.registers), None)
            parents = {(target, i): [] for i in range(self.width)}
        elif name in ("jalr", "csrw", "csrs", "csrr", "csrc", "csrsi", "mret", "fsflags", "frflags") or name.startswith("csr"):
            is_known = name in ("jalr", "mret", "csrw", "csrs", "csrsi")
            for one in step.registers:
                if re.fullmatch(r"x\d+", one):
                    parents.update({(one, i): [] if name == "jalr" else ["unknown"] for i in range(self.width)})
        elif name in NO_RESULT or not step.registers:
            pass
        else:
            two = name if not name.startswith("f") else ""
            sources = sources + ([target] if len(operands) == 2 and two in TWO and target != "x0" else [])
            size = 4 if name.endswith("w") and self.width == 8 else self.width
            taken = []
            for place, one in enumerate(sources):
                distance = name.rstrip("w") in ("sll", "srl", "sra") and place == 1
                taken += self.of(one, 0, 8 if one[0] == "f" else 1 if distance else size)
            for one in step.registers:
                if re.fullmatch(r"[xf]\d+", one):
                    parents.update({(one, i): taken for i in range(8 if one[0] == "f" else self.width)})
        for one in step.registers:  # whatever else the text does not explain
            if re.fullmatch(r"[xf]\d+", one) and (one, 0) not in parents:
                parents.update({(one, i): ["unknown"] for i in range(8 if one[0] == "f" else self.width)})
        self.parents.append({place: [one for one in made if one is not None] for place, made in parents.items()})
        self.history.append({one for one, _ in parents if one != "m"})
        for place in parents:
            self.bytes[place] = (number, place)
        return is_known

    def slice_of(self, number, name):
        """The instructions that made a register as it is after one that wrote it; None: the text does not tell."""
        count = 8 if name[0] == "f" else self.width
        todo, seen = [(number, (name, i)) for i in range(count)], set()
        while todo:
            one = todo.pop()
            if one == "unknown":
                return None
            if one not in seen:
                seen.add(one)
                todo += self.parents[one[0]][one[1]]
        return {made for made, _ in seen}


TWO = {"add", "sub", "xor", "or", "and", "addw", "subw", "addi", "addiw", "slli", "srli", "srai", "andi", "addi16sp"}


@pytest.mark.parametrize("name", ["calls64.both", "calls32.both"])
def test_origins(trawl, place, checker, name):
    """The slice of a register is the set of instructions that the text of the log gives."""
    form = Form(name, place)
    slicer = Slicer(form.text, 8 if "64" in name else 4)
    run(trawl, place, "index", "-q", form.log)
    chance, tried = random.Random(name), 0
    while tried < pick(40, 1000):
        number = chance.randrange(20, len(slicer.parents))
        written = [one for one in slicer.history[number] if one[0] in "xf" and one != "x0"]
        wanted = slicer.slice_of(number, written[0]) if written else None
        if wanted is None or len(wanted) > 3000:
            continue
        tried += 1
        words = ["origin", "-q", form.log, written[0], "--at", f"time:{number}", "--all", "--format", "csv"]
        found = {int(row["time"]) for row in rows_of(run(trawl, place, *words)) if row["event"]}
        checker.no_fault(
            f"{name}: what values were computed from",
            found != wanted and f"lacks {sorted(wanted - found)[-5:]}, has {sorted(found - wanted)[-5:]}",
            at=f"{written[0]} at {number}",
        )


FLOW_IN, FLOW_OUT, FLOW_BLOCKS = 0x80001040, 0x800015C0, 22  # of vec-flow64.elf


def vector_loads_of(text):
    """Of each instruction, the addresses that it loads from."""
    loads = []
    for code, rest in re.findall(r"core +0: [0-3] 0x[0-9a-f]+ \(0x([0-9a-f]+)\)(.*)", text):
        code, element = int(code, 16), re.search(r" e(\d+) ", rest)
        size = {0: 1, 5: 2, 6: 4, 7: 8, 1: 2, 2: 4, 3: 8}[code >> 12 & 7] if code & 0x7F == 7 else 8
        size = int(element[1]) // 8 if code & 0x7F == 7 and element and code >> 26 & 1 else size
        loads.append({int(address, 16) + i for address in re.findall(r" mem 0x([0-9a-f]+)(?= mem|$)", rest) for i in range(size)})
    return loads


def test_vector_origins(trawl, place, checker):
    """Values that went through vectors. Which bytes of the input an output depends on was found by changing each of them and running the program
    again: all are among those that the origin names, and none of another block of the program, with whose registers it has nothing to do."""
    text, log = lzma.decompress((CORPUS / "vec-flow64.both.log.xz").read_bytes()).decode(), "flow.log"
    (place / log).write_text(text)
    loads, block = vector_loads_of(text), 64
    flows = [list(map(int, line.split())) for line in (CORPUS / "vec-flow64.flows").read_text().splitlines()]
    checker.check("there are flows of all blocks", {flow[0] // block for flow in flows} == set(range(FLOW_BLOCKS)), len(flows))
    run(trawl, place, "index", "-q", log)
    for output, *inputs in random.Random(1).sample(flows, pick(80, len(flows))):
        words = ["origin", "-q", log, f"{FLOW_OUT + output:#x}:1", "--all", "--format", "csv"]
        events = [int(row["event"]) for row in rows_of(run(trawl, place, *words)) if row["event"]]
        read = {address - FLOW_IN for event in events for address in loads[event]}
        checker.no_fault("all that a value depends on is named", [one for one in inputs if one not in read], at=f"{output}")
        others = {one // block for one in read if 0 <= one < FLOW_BLOCKS * block} - {output // block}
        checker.no_fault("and nothing of other blocks", others, at=f"{output}")
        checker.no_fault("through instructions that are known", not events, at=f"{output}")


def test_vector_copies(trawl, place, checker):
    """What loads and stores of vectors copy is followed byte by byte: a byte that was copied is that which was loaded."""
    text, log = lzma.decompress((CORPUS / "vec-flow64.both.log.xz").read_bytes()).decode(), "flow.log"
    (place / log).write_text(text)
    run(trawl, place, "index", "-q", log)
    flows = {int(line.split()[0]): list(map(int, line.split()[1:])) for line in (CORPUS / "vec-flow64.flows").read_text().splitlines()}
    for output in [byte for byte in flows if byte // 64 in (0, 12)]:
        checker.no_fault("the program copies", len(flows[output]) != 1 and flows[output], at=output)
        words = ["origin", "-q", log, f"{FLOW_OUT + output:#x}:1", "--format", "csv"]
        rows = rows_of(run(trawl, place, *words))
        where = [row["where"] for row in rows][-1] if rows else ""
        checker.no_fault("a copied byte is that which was loaded", where != f"{FLOW_IN + flows[output][0]:#x}:1" and where, at=output)
