"""Logs of RISC-V: registers, memory, loads and profiles are those that a plain reader of the log computes, in every form of the log, and
for any chunk size, number of threads and shards.

    tests/run.py riscv

The logs in corpus/riscv are real ones of Spike. Other forms (commits alone, the old grammar) are made of them here.
"""

import json
import lzma
import random
import re
import struct
from collections import Counter
from pathlib import Path

import pytest
import quick

from extent import pick

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "riscv"
LOGS = ["hello64.both", "hello64.2harts", "hello32.both", "vec64.both", "vec512.commits"]
TIMEOUT_S = 120
COMMIT = re.compile(r"(?:core +(\d+): )?([0-3]) 0x([0-9a-f]+) \(0x([0-9a-f]+)\)(.*)$")
LOADS = {0: (1, True), 1: (2, True), 2: (4, True), 3: (8, False), 4: (1, False), 5: (2, False), 6: (4, False)}


def text_of(name):
    return lzma.decompress((CORPUS / f"{name}.log.xz").read_bytes()).decode()


def commits_of(text):
    """The same run with --log-commits alone."""
    return "".join(line for line in text.splitlines(keepends=True) if COMMIT.match(line))


def old_form(text):
    """Commits as Spike wrote them before 2020: without the hart, and x 5 for x5."""
    lines = []
    for line in commits_of(text).splitlines(keepends=True):
        line = line.split(": ", 1)[1]
        lines.append(re.sub(r" ([xfv])(\d) +0x", r" \1 \2 0x", line))
    return "".join(lines)


def rvfi_form(text):
    """The run as CVA6 writes it: stores as wide as registers, no CSRs, PCs of 16 digits, causes without values."""
    lines, interrupted = [], False
    for line in text.splitlines():
        if "exception interrupt" in line:
            interrupted = True
        elif "exception" in line:
            lines.append(f"ILLEGAL_INSTR exception @ 0x{line.split('epc 0x')[1].rjust(16, '0')} (0xffffffff)")
        match = COMMIT.match(line)
        if not match:
            continue
        pc, code, rest = int(match[3], 16), match[4], re.sub(r" c\d+_\w+ 0x\w+", "", match[5])
        width = len(match[3])
        if width == 8:
            pc |= 0xFFFFFFFF00000000 if pc >> 31 else 0
            rest = re.sub(r" f\d+ +0x\w+", "", rest)
        if " f" in rest:
            rest = re.sub(r" mem 0x\w+$", "", rest)
        rest = re.sub(r" mem (0x\w+) 0x(\w+)", lambda found: f" mem {found[1]} 0x{found[2].rjust(width, '5')}", rest)
        rest = re.sub(r" ([xf])(\d) +0x", r" \1 \2 0x", rest)
        lines.append(f"core   {'INTERRUPT ' if interrupted else ''}0: 0x{pc:016x} (0x{int(code, 16):08x}) DASM({int(code, 16):08x})")
        lines.append(f"{match[2]} 0x{pc:016x} (0x{code}){rest}")
        interrupted = False
    return "\n".join(lines) + "\n"


class Step:
    """A retired instruction."""

    def __init__(self, match):
        self.hart = int(match[1] or 0)
        self.pc, self.code, self.size = int(match[3], 16), int(match[4], 16), len(match[4]) // 2
        self.registers, self.loads, self.stores, self.length, self.element = {}, [], [], None, 0  # of vectors
        words, at = match[5].split(), 0
        while at < len(words):
            word = words[at]
            if word == "mem":
                address = int(words[at + 1], 16)
                is_store = at + 2 < len(words) and words[at + 2].startswith("0x")
                if is_store:
                    digits = words[at + 2][2:]
                    self.stores.append((address, (len(digits) + 1) // 2, int(digits, 16)))
                else:
                    self.loads.append(address)
                at += 3 if is_store else 2
            elif re.fullmatch(r"e\d+|mf?\d+|l\d+", word):
                self.length = int(word[1:]) if word[0] == "l" else self.length
                self.element = int(word[1:]) // 8 if word[0] == "e" else self.element
                at += 1
            elif word in "xfv":
                self.registers[word + words[at + 1]] = words[at + 2]
                at += 3
            else:
                self.registers[re.sub(r"c\d+_", "", word)] = words[at + 1]
                at += 2

    def load_size(self):
        """Of a scalar load or an atomic; None: another one."""
        opcode, kind = self.code & 0x7F, self.code >> 12 & 7
        if self.size == 4 and opcode == 0x03:
            return LOADS[kind][0]
        if self.size == 4 and (opcode == 0x07 and kind in (2, 3) or opcode == 0x2F):
            return 1 << kind
        return None


def steps_of(text):
    return [Step(match) for match in map(COMMIT.match, text.splitlines()) if match]


def run(trawl, *words):
    done = quick.run([trawl, *map(str, words)], timeout=TIMEOUT_S)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def values(registers):
    """Register values as trawl prints them."""
    return {name: item["value"] for name, item in registers.items() if item["known"] and name != "x0"}


def expect_state(checker, trawl, trace, steps, point, where):
    registers, memory = {}, {}
    for step in steps[: point + 1]:
        registers.setdefault(step.hart, {}).update(step.registers)
        for address, size, value in step.stores:
            memory.update(zip(range(address, address + size), value.to_bytes(size, "little"), strict=False))
    csrs = {name for known in registers.values() for name in known if not re.fullmatch(r"[xfv]\d+", name)}
    status, out, err = run(trawl, "state", trace, "--at", f"event:{point}", "--format", "json")
    checker.check(f"{where}: state is answered", out.startswith("{"), err)
    lanes = {lane["lane"]: values(lane["registers"]) for lane in json.loads(out)["lanes"]}
    if csrs:
        status, out, err = run(trawl, "state", trace, *csrs, "--at", f"event:{point}", "--format", "json")
        for lane in json.loads(out)["lanes"]:
            lanes[lane["lane"]].update(values(lane["registers"]))
    for hart, known in registers.items():
        found = lanes.get(f"hart{hart}") or next(iter(lanes.values()))  # the only one, without a name
        wrong = {name: (value, found.get(name)) for name, value in known.items()
                 if name != "x0" and int(found.get(name) or "-1", 16) != int(value, 16)}  # fmt: skip
        checker.check(f"{where}: registers are those of the log", not wrong, f"event {point}: {wrong}")
        more = set(found) - set(known) - {"tval", "epc"}
        checker.check(f"{where}: no other register is known", not more, f"event {point}: {more}")
    if memory:
        address = random.Random(point).choice(sorted(memory))
        status, out, err = run(trawl, "state", trace, f"{address:#x}:1", "--at", f"event:{point}", "--format", "json")
        found = json.loads(out)["memory"][0]["bytes"]
        checker.check(f"{where}: memory is that of the log", found == f"{memory[address]:02x}", f"event {point}, {address:#x}: {found}")


def write(place, name, text):
    path = place / name
    path.write_text(text)
    return path


def forms_of(name):
    text = text_of(name)
    forms = {name: text, f"{name} commits": commits_of(text)}
    if "2harts" not in name:
        forms[f"{name} old"] = old_form(text)
    if "both" in name:
        forms[f"{name} crlf"] = text.replace("\n", "\r\n")
    return forms


@pytest.mark.parametrize("name", LOGS)
def test_states(trawl, checker, quick_place, name):
    """Registers, control and status registers, vectors and memory at points of every form."""
    for form, text in forms_of(name).items():
        trace, steps = write(quick_place, form.replace(" ", "."), text), steps_of(text)
        checker.check(f"{form}: has instructions", len(steps) > 1000)
        status, out, err = run(trawl, "index", "-q", "--force-index", trace)
        checker.check(f"{form}: is indexed without damage", status == 0 and not err, err)
        chance = random.Random(form)
        points = [chance.randrange(len(steps)) for _ in range(pick(6, 100))] + [0, len(steps) - 1]
        for point in [*points, *[i for i, step in enumerate(steps) if step.registers.get("v9") or "f4" in step.registers][:2]]:
            expect_state(checker, trawl, trace, steps, point, form)


def expected_loads(steps):
    return [(event, address, step.load_size()) for event, step in enumerate(steps) for address in step.loads]


@pytest.mark.parametrize("name", ["hello64.both", "hello32.both"])
def test_rvfi(trawl, checker, quick_place, name):
    """RVFI text of the same run has the same registers, memory and calls."""
    text, image = text_of(name), CORPUS / f"{name.split('.')[0]}.elf"
    trace, steps = write(quick_place, f"{name}.rvfi", rvfi_form(text)), steps_of(text)
    for step in steps:
        step.registers = {register: value for register, value in step.registers.items()
                          if re.fullmatch(r"[xf]\d+" if "64" in name else r"x\d+", register)}  # fmt: skip
    chance = random.Random(name)
    for point in [*(chance.randrange(len(steps)) for _ in range(pick(6, 100))), 0, len(steps) - 1]:
        expect_state(checker, trawl, trace, steps, point, f"{name} rvfi")
    whole = write(quick_place, name, text)
    answers = [run(trawl, "profile", path, "--image", image, "--format", "csv")[1] for path in (whole, trace)]
    checker.check(f"{name}: RVFI text has the same profile", answers[0] == answers[1] and "main" in answers[0], answers)


@pytest.mark.parametrize("name", ["hello64.both", "vec64.both", "hello32.both"])
def test_loads(trawl, checker, quick_place, name):
    """Every load is listed, with the size that its code says."""
    text = text_of(name)
    trace, steps = write(quick_place, name, text), steps_of(text)
    for address in sorted({address for step in steps for address in step.loads})[: pick(12, 1000)]:
        wanted = [event for event, at, _ in expected_loads(steps) if at == address]
        sizes = {size for _, at, size in expected_loads(steps) if at == address and size}
        status, out, err = run(trawl, "reads", trace, f"{address:#x}:8", "--all", "--format", "json")
        rows = json.loads(out)
        events = [row["event"] for row in rows]
        checker.check(f"{name}: loads are those of the log", set(wanted) <= set(events), f"{address:#x}: {wanted} {events} {err}")
        exact = {row["size"] for row in rows if int(row["address"], 16) == address and row["event"] in wanted}
        checker.check(f"{name}: loads have their sizes", sizes <= exact, f"{address:#x}: {sizes} {exact}")


def memory_of(path):
    """The bytes that an image of 64 bits puts into memory, by address."""
    data, memory = path.read_bytes(), {}
    offset, size, count = struct.unpack_from("<32xQ14xHH", data)
    for at in range(offset, offset + size * count, size):
        kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", data, at)
        if kind == 1:
            memory.update(enumerate(data[start : start + length], address))
    return memory


@pytest.mark.parametrize(("program", "kinds_min"), [("vec-loads64", 15), ("vec-masked64", 14)])
def test_vector_loads(trawl, checker, quick_place, program, kinds_min):
    """What an element of a vector load read is what memory has there by the image and the stores so far. It is known, but for loads that
    were resumed, and those with a mask that do not show which elements they read; then it may be unknown, and is never another value."""
    name = f"{program}.commits"
    steps, memory, wanted, kinds = steps_of(text_of(name)), memory_of(CORPUS / f"{program}.elf"), {}, set()
    trace = write(quick_place, name, text_of(name))
    for event, step in enumerate(steps):
        is_vector = step.size == 4 and step.code & 0x7F == 0x07
        fields, mode, variant = (step.code >> 29) + 1, step.code >> 26 & 3, step.code >> 20 & 31
        is_whole, is_mask = not mode and variant == 8, not mode and variant == 11
        size = step.element if mode & 1 else {0: 1, 5: 2, 6: 4, 7: 8}[step.code >> 12 & 7] if is_vector else 0
        elements = (step.length or 0) * fields
        has_ends = bool(step.loads) and not mode and step.loads[-1] - step.loads[0] == (elements - 1) * size
        is_plain = (mode or variant in (0, 16)) and step.length is not None and (len(step.loads) == elements or has_ends)
        is_plain |= is_whole or (is_mask and len(step.loads) == (step.length + 7) // 8)
        loaded = {address + i for address in step.loads for i in range(size)}
        for address in step.loads if is_vector else []:
            kinds.add((step.code & 0xFDF0707F, bool(is_plain)))
            read = [memory.get(address + i, 0) for i in range(8)]
            wanted.setdefault(address, {}).setdefault(event, (bytes(read), [is_plain and address + i in loaded for i in range(8)]))
        for address, size, value in step.stores:
            memory.update(zip(range(address, address + size), value.to_bytes(size, "little"), strict=False))
    checker.check("there are loads of all kinds", len(kinds) >= kinds_min and len({plain for _, plain in kinds}) == 2, str(kinds))
    for address in sorted(wanted)[:: pick(6, 1)]:
        _, out, _ = run(trawl, "reads", trace, f"{address:#x}:8", "--all", "--format", "json")
        rows = [row for row in json.loads(out) if int(row["address"], 16) == address and row["event"] in wanted[address]]
        checker.check("each load is listed", {row["event"] for row in rows} == set(wanted[address]), hex(address))
        for row in rows:
            read, is_shown = wanted[address][row["event"]]
            is_number = row["value"].startswith("0x")  # otherwise bytes in the order of memory
            value = re.findall("..", row["value"].removeprefix("0x"))[:: -1 if is_number else 1]
            wrong = [i for i, byte in enumerate(value[:8]) if byte != f"{read[i]:02x}" and (is_shown[i] or byte != "..")]
            checker.no_fault("values are those of memory", wrong and f"{row}, not {read.hex()}", at=hex(address))


def test_qemu(trawl, checker, quick_place):
    """The registers after each instruction, vectors whole, are those that QEMU's machine had in a run of the same program."""
    name, known, tried = "vec-flow64.both", {}, Counter()
    trace = write(quick_place, name, text_of(name))
    steps = [(int(pc, 16), dict(word.split("=") for word in words)) for pc, *words in map(str.split, (CORPUS / "vec-flow64.qemu").read_text().splitlines())]
    points = set(random.Random(7).sample(range(1, len(steps)), pick(24, len(steps) - 1)))
    run(trawl, "index", "-q", trace)
    for number, (pc, changed) in enumerate(steps):
        known.update(changed)
        if number not in points:
            continue
        at = 5 + number - 1  # Spike's boot ROM comes first; the state is that before the instruction at `pc`
        _, out, _ = run(trawl, "state", trace, "--at", f"event:{at}", "--format", "json")
        found = {register: value["value"] for register, value in json.loads(out)["lanes"][0]["registers"].items() if value["known"]}
        same = {register: int(found[register], 16) == int(value, 16) for register, value in known.items() if register in found}
        if known["x11"] == steps[0][1]["x11"]:
            same.pop("x11", None)  # what the boot ROM passes, where each machine has its own
        tried.update(register[0] for register in same)
        checker.no_fault("registers are those of QEMU", [register for register, is_same in same.items() if not is_same], at=f"{number} {pc:#x}")
    checker.check("vectors are among them", tried["v"] > 8 * len(points) // 2 and tried["x"] > 4 * len(points), str(tried))


@pytest.mark.parametrize("name", ["calls64.both", "calls32.both", "hello32.both", "hello64.2harts"])
def test_qemu_points(trawl, checker, quick_place, name):
    """The same at chosen instructions of each hart, where QEMU took interrupts and read timers as the log shows: what came before, in events."""
    trace, known, tried = write(quick_place, name, text_of(name)), {}, 0
    lines = [line.split() for line in (CORPUS / f"{name.removesuffix('.both')}.qemu").read_text().splitlines()]
    run(trawl, "index", "-q", trace)
    points = set(random.Random(name).sample(range(len(lines)), pick(8, len(lines))))
    for number, (event, hart, pc, *changed) in enumerate(lines):
        of_hart = known.setdefault(hart, {})
        of_hart.update(word.split("=") for word in changed)
        if number not in points:
            continue
        _, out, _ = run(trawl, "state", trace, "--at", f"event:{event}", "--format", "json")
        lanes = json.loads(out)["lanes"]
        registers = next(lane["registers"] for lane in lanes if len(lanes) == 1 or lane["lane"] == f"hart{hart}")
        found = {register: registers[register]["value"] for register in of_hart if registers[register]["known"]}
        tried += len(found)
        wrong = {register: (value, of_hart[register]) for register, value in found.items() if int(value, 16) != int(of_hart[register], 16)}
        checker.no_fault(f"{name}: registers are those of QEMU", wrong, at=f"{event} {pc}")
        checker.no_fault(f"{name}: and known, if they are not 0", sorted(set(of_hart) - set(found)), at=f"{event} {pc}")
    checker.check(f"{name}: some are compared", tried > 5 * len(points), tried)


def functions_of(path):
    """The functions of an image: (address, size, name)."""
    data = path.read_bytes()
    is_64 = data[4] == 2
    header = struct.unpack_from("<16xHHIQQQIHHHHHH" if is_64 else "<16xHHIIIIIHHHHHH", data)
    offset, size, count = header[5], header[10], header[11]
    sections = [struct.unpack_from("<IIQQQQIIQQ" if is_64 else "<IIIIIIIIII", data, offset + i * size) for i in range(count)]
    functions = {}
    for section in sections:
        if section[1] != 2:
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], section[9]):
            if is_64:
                name, info, _, _, value, length = struct.unpack_from("<IBBHQQ", data, at)
            else:
                name, value, length, info, _, _ = struct.unpack_from("<IIIBBH", data, at)
            if info & 15 == 2 and length:
                functions[value] = (length, data[names + name : data.index(b"\0", names + name)].decode())
    return functions


@pytest.mark.parametrize("name", ["hello64.both", "hello32.both", "hello64.l"])
def test_profile(trawl, checker, quick_place, name):
    """Self times are numbers of instructions; calls are entries; columns say what they count."""
    text = text_of(name)
    trace = write(quick_place, name, text)
    image = CORPUS / f"{name.split('.')[0]}.elf"
    functions, own = functions_of(image), Counter()
    if name.endswith(".l"):
        pcs = [int(match[1], 16) for match in re.finditer(r"^core +0: 0x([0-9a-f]+) \(0x[0-9a-f]{8,16}\)", text, re.M)]
    else:
        pcs = [step.pc for step in steps_of(text)]
    for pc in pcs:
        for start, (size, function) in functions.items():
            if start <= pc < start + size:
                own[function] += 1
    status, out, err = run(trawl, "profile", trace, "--image", image, "--format", "json")
    found = {row["function"]: row for row in json.loads(out)}
    for function, count in own.items():
        row = found.get(function, {})
        is_last = function == "main"  # the last instruction takes no time
        checker.check(f"{name}: self times are instructions", row.get("self", -1) + is_last == count,
                      f"{function}: {count}, {row}")  # fmt: skip
    status, out, err = run(trawl, "profile", trace, "--image", image)
    checker.check(f"{name}: the unit is said", out.startswith("Self [instructions]"), out[:80])


@pytest.mark.parametrize("name", LOGS)
def test_same(trawl, checker, quick_place, name):
    """The index is the same for any chunk size, threads and instruction set, and from shards."""
    trace = write(quick_place, name, text_of(name))
    options = ["-q", "--force-index", "--segment-events", "512"]
    run(trawl, "index", *options, "--threads", "1", "--index", quick_place / "one", trace)
    wanted = (quick_place / "one").read_bytes()
    for chunk in pick([1, 4099, 65536], [1, 97, 333, 1000, 4099, 9999, 65536]):
        for threads in pick([2], [1, 2, 5]):
            run(trawl, "index", *options, "--chunk-size", chunk, "--threads", threads, "--index", quick_place / "more", trace)
            checker.check(f"{name}: an index does not depend on chunks", (quick_place / "more").read_bytes() == wanted, f"{chunk} {threads}")
    for simd in ["scalar", "avx2"]:
        done = quick.run([trawl, "index", *options, "--index", str(quick_place / "more"), str(trace)], timeout=TIMEOUT_S, env={"TRAWL_ISA": simd})
        checker.check(f"{name}: nor on instruction sets", (quick_place / "more").read_bytes() == wanted, f"{simd} {done.stderr}")
    for count in pick([3], [2, 3, 7]):
        parts = [quick_place / f"part{i}" for i in range(1, count + 1)]
        for i, part in enumerate(parts, 1):
            run(trawl, "index", *options, "--shard", f"{i}/{count}", "--index", part, trace)
        (quick_place / "merged").unlink(missing_ok=True)
        status, _, err = run(trawl, "merge", *parts, "-o", quick_place / "merged")
        checker.check(f"{name}: nor on shards", status == 0 and (quick_place / "merged").read_bytes() == wanted, err)
        surveys = [quick_place / f"survey{i}" for i in range(1, count + 1)]
        for i, survey in enumerate(surveys, 1):
            status, _, err = run(trawl, "index", *options, "--survey", "--shard", f"{i}/{count}", "--index", survey, trace)
            checker.check(f"{name}: surveys are made", status == 0, f"{status} {err}")
        for i, part in enumerate(parts, 1):
            part.unlink()
            status, _, err = run(trawl, "index", *options, "--shard", f"{i}/{count}", "--after", quick_place / "survey*", "--index", part, trace)
            checker.check(f"{name}: shards are made from surveys", status == 0, f"{status} {err}")
        (quick_place / "merged").unlink(missing_ok=True)
        status, _, err = run(trawl, "merge", *parts, "-o", quick_place / "merged")
        checker.check(f"{name}: nor on surveys", status == 0 and (quick_place / "merged").read_bytes() == wanted, err)


def damage(text, chance):
    """Lines of the program in between, merged and cut lines. Returns the text, the lines that are left whole, and how many are damaged."""
    lines, whole, damaged = [], [], 0
    for line in text.splitlines():
        kind = chance.random()
        if kind < 0.02:
            lines.append(chance.choice(["Hello, world", "warning: tohost and fromhost symbols not in ELF; can't communicate with target",
                                        "", "U", "[    0.000000] Linux version 6.1"]))  # fmt: skip
        if kind > 0.99 and COMMIT.match(line):
            lines.append(line[: chance.randrange(12, line.index(")"))])
            damaged += 1
        else:
            lines.append(line)
            whole.append(line)
    return "\n".join(lines) + "\n", whole, damaged


@pytest.mark.parametrize("name", ["hello64.both", "hello64.2harts", "vec64.both"])
def test_damaged(trawl, checker, quick_place, name):
    """Text of the program is left out with a note; a cut line costs that line."""
    text, whole, damaged = damage(commits_of(text_of(name)), random.Random(name))
    trace, steps = write(quick_place, f"{name}.damaged", text), steps_of("\n".join(whole))
    status, out, err = run(trawl, "info", trace, "--format", "json")
    about = json.loads(out)
    about = about.get("trace", about)
    checker.check(f"{name}: damaged lines are counted", about.get("damaged_lines") == damaged, f"{damaged} {about} {err[:300]}")
    checker.check(f"{name}: other lines are events", about.get("instructions") == len(steps), f"{len(steps)} {about}")
    for point in [0, len(steps) // 3, len(steps) - 1]:
        expect_state(checker, trawl, trace, steps, point, f"{name} damaged")


def test_cut(trawl, checker, quick_place):
    """A log that ends anywhere in a line."""
    text = commits_of(text_of("vec64.both"))
    lines = text.splitlines(keepends=True)
    for number in pick([16, 33, 80], range(10, 120)):
        for cut in pick(range(5, len(lines[number]), 7), range(len(lines[number]))):
            trace = write(quick_place, "cut", "".join(lines[:number]) + lines[number][:cut])
            status, out, err = run(trawl, "profile", trace)
            checker.check("a cut log has a profile", status in (0, 1, 3) and out, f"line {number} at {cut}: {err}")


COMMANDS = [
    ["profile"], ["flamegraph"], ["calltree"], ["calls"], ["coverage"], ["annotate", "--function", "rec"], ["stack", "--at", "event:300"],
    ["export", "--format", "perfetto"], ["export", "--format", "callgrind"], ["coverage", "--format", "lcov"], ["vcd"], ["doctor"],
    ["pc", "0x80000132"], ["writes", "x2"], ["writes", "mepc"], ["reads", "0x80002000"], ["find", "x10==1"], ["grep", "ecall"],
]  # fmt: skip
IMAGES = {"profile", "flamegraph", "calltree", "calls", "coverage", "annotate", "stack", "export"}


@pytest.mark.parametrize("name", ["hello64.both", "hello64.l"])
def test_commands(trawl, checker, quick_place, name):
    """Every command answers, and the same from a compressed log."""
    plain = write(quick_place, "log", text_of(name))
    packed = quick_place / "log.xz"
    packed.write_bytes((CORPUS / f"{name}.log.xz").read_bytes())
    for command, *rest in COMMANDS:
        words = [*rest, *(["--image", CORPUS / "hello64.elf"] if command in IMAGES else [])]
        answers = {}
        for trace in (plain, packed):
            status, out, err = run(trawl, command, trace, *words)
            answers[trace] = re.sub(re.escape(str(trace)) + r"|^bytes .*$|log(\.xz)?", "LOG", out, flags=re.M)
            is_answer = status == 0 and out or command in ("reads", "writes", "find")
            checker.check(f"{name}: {command} answers", is_answer, f"{trace} {words}: {status} {err}")
        checker.check(f"{name}: {command} reads compressed logs", answers[plain] == answers[packed], f"{words} {answers}")
    status, out, err = run(trawl, "flamegraph", plain, "--image", CORPUS / "hello64.elf")
    total = sum(int(line.rsplit(" ", 1)[1]) for line in out.splitlines())
    for form in ("callgrind", "pprof"):
        profile = quick_place / form
        status, _, err = run(trawl, "export", plain, "--format", form, "-o", profile)
        told = profile.read_bytes().lower()
        checker.check(f"{name}: {form} counts instructions", status == 0 and b"instructions" in told and b"ticks" not in told, err)
    status, out, err = run(trawl, "info", plain, "--format", "json")
    checker.check(f"{name}: a flame graph has all instructions but the last", total + 1 == json.loads(out)["trace"]["instructions"], total)


def test_exceptions(trawl, checker, quick_place):
    """Exceptions have the names that lines give them, and their PCs and values as registers."""
    trace = write(quick_place, "log", text_of("hello64.both"))
    status, out, err = run(trawl, "pc", trace, "6", "--format", "csv")
    wanted = re.findall(r"exception ((?:trap|interrupt)[ \w#]+), epc", text_of("hello64.both"))
    checker.check("exceptions are listed by their names", all(name in line for name, line in zip(wanted, out.splitlines()[1:], strict=True)), out)
    for register in ("epc", "tval"):
        values_written = re.findall(rf"(?<![a-z]){register} 0x([0-9a-f]+)$", text_of("hello64.both"), re.M)
        status, out, err = run(trawl, "writes", trace, register, "--all", "--format", "json")
        found = [int(row["value"], 16) for row in json.loads(out)]
        checker.check(f"{register} is a register", found == [int(value, 16) for value in values_written], f"{found} {err}")
