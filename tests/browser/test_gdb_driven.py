"""GDB itself, driven over `trawl gdbserver`: registers, memory and stacks at random points against `trawl state` and the machine's own
stacks; lists of stops and steps, forwards and backwards, against each other and the text of the trace. Skipped without gdb-multiarch.

    tests/run.py gdb_driven
"""

import csv
import io
import json
import lzma
import random
import re
import shutil
import subprocess
from pathlib import Path

import extent
import pytest
import quick
import true_stacks
from gdb_client import Client

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES, STACKS = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf", ROOT / "corpus" / "stacks"
PROGRAMS = ROOT / "corpus" / "programs"
ASKED = ROOT / "tests" / "support" / "gdb_asked.py"
TIMEOUT_S = 240
GDB = shutil.which("gdb-multiarch")
POINTS = extent.pick(24, 300)  # of 13 traces: more than 300 together
# A64, A32, Thumb, M profile with an RTOS, RTOS in A64, two cores, one that hangs, exceptions, a big-endian one.
NAMES = ["sort-a64.it", "hash-a64.es", "recursion-a32.it", "recursion-t32.es", "twocores-a64.it", "hang-a64.it", "exceptions-a64.it",
         "exceptions-t32.it", "sort-a32be.it", "rtos-m.it", "rtos-a64.it", "frames-t32.it", "coroutines-a64.it"]  # fmt: skip
INSTRUCTION = re.compile(r"^[ \d]*(?:clk|tic|ps) (?:cpu\d )? *(?:I[TS] \(|ES +\([0-9a-f]+:)")
PLACE = re.compile(r"^\d+ clk (?:cpu\d )?I[TS] \(\d+\) ([0-9a-f]+)")
STORE = re.compile(r"^\d+ clk MW(\d+) ([0-9a-f]+)(?::[0-9a-f]+)? ([0-9a-f_]+)")
FLUSHES = ["maintenance flush register-cache", "maintenance flush dcache"]
START, LAST = ["monitor goto start", *FLUSHES], ["monitor goto end", *FLUSHES]
LEAVES = re.compile(r" : (?:B|B\.W|BX|RET|LDP +x29|MOV +sp|ADD +sp|POP\S*) ")
pytestmark = pytest.mark.skipif(not GDB, reason="no gdb-multiarch")


class Case:
    def __init__(self, trawl, name, place):
        self.trawl, self.name = trawl, name
        self.is_stacks = not (TRACES / f"{name}.tarmac").exists()
        self.trace = TRACES / f"{name}.tarmac"
        self.image = (STACKS if self.is_stacks else IMAGES) / (name.split(".")[0] + ".elf")
        if self.is_stacks:
            self.trace = place / f"{name}.tarmac"
            self.trace.write_bytes(lzma.decompress((STACKS / f"{name}.tarmac.xz").read_bytes()))
        self.index = place / "index"
        self.options = ["--index", self.index, "--image", self.image, *(["--bi"] if "be." in name else [])]
        quick.run(list(map(str, [trawl, "index", *self.options, self.trace])), timeout=TIMEOUT_S)
        self.is_a64 = "a64" in name

    def gdb(self, asked, *before):
        remote = " ".join(f"'{word}'" for word in map(str, [self.trawl, "gdbserver", *self.options, self.trace]))
        words = [GDB, "-q", "-nx", "-batch", "-ex", "set width 0", "-ex", "set remotetimeout 100", self.image, "-ex", f"target remote | {remote}"]
        for command in before:
            words += ["-ex", command]
        words += ["-ex", f"python asked = {asked!r}; exec(open({str(ASKED)!r}).read())"]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=TIMEOUT_S)
        answers = re.findall(r"^=(.*)$", done.stdout, re.MULTILINE)
        assert answers, (done.stdout + done.stderr)[-2000:]
        return json.loads(answers[-1])

    def state(self, position, lane, *what):
        words = [self.trawl, "state", "--format", "json", *self.options, "--at", position, "--registers", "all", *what]
        if lane:
            words += ["--lane", lane]
        done = quick.run(list(map(str, [*words, self.trace])), text=True, timeout=TIMEOUT_S)
        return json.loads(done.stdout) if done.returncode in (0, 3) and done.stdout else None


@pytest.fixture(params=NAMES)
def case(request, trawl, tmp_path):
    return Case(trawl, request.param, tmp_path)


def registers_of(case):
    if case.is_a64:
        return [*(f"x{i}" for i in range(31)), "sp", "v0", "v7", "v31"]
    return [*(f"r{i}" for i in range(13)), "sp", "lr", "d0", "d15"]


def instructions_of(case):
    """The lines of the instructions, but for those that are one event with the entry of an exception before them."""
    found, is_entry = [], False
    for number, line in enumerate(case.trace.read_text(errors="replace").splitlines(), 1):
        if INSTRUCTION.match(line):
            found += [] if is_entry else [number]
            is_entry = False
        is_entry |= bool(re.search(r" clk (?:cpu\d )?E | EXC ", line))
    return found


def test_points(checker, case):
    """At random instructions, what GDB has in registers and memory is what `trawl state` has after the event before it."""
    lines = instructions_of(case)[1:]
    text = case.trace.read_text(errors="replace").splitlines()
    chosen = sorted(random.Random(case.name).sample(lines, min(POINTS, len(lines))))
    wanted, asked, known = [], [], 0
    lanes = [lane["lane"] for lane in case.state("start", None)["lanes"]]
    for line in chosen:
        core = re.search(r" (cpu\d) ", text[line - 1]) if len(lanes) > 1 else None
        lane = core[1] if core else lanes[0]
        before = case.state(f"line:{line - 1}", lane, "--memory", "sp:48") or case.state(f"line:{line - 1}", lane, "--memory", "0:48")
        registers = next(one["registers"] for one in before["lanes"] if one["lane"] == lane)
        wanted.append((line, registers, before["memory"][0]["bytes"]))
        asked.append([lanes.index(lane) + 1, f"line:{line}", registers_of(case), int(before["memory"][0]["address"], 16), 48])
    for (line, registers, shown), got in zip(wanted, case.gdb({"points": asked})):
        for name, value in got["registers"].items():
            own = registers.get(name)
            right = int(own["value"], 16) if own and own["known"] else None
            known += right is not None
            if value == "no frame":
                link = registers["x30" if case.is_a64 else "lr"]
                checker.check(f"{case.name}: GDB has no frame without a link", not link["known"] or not registers["sp"]["known"], link, (line, name))
            elif not (name == "sp" and not case.is_a64 and right is None and value == 0):  # GDB needs one
                checker.expect(f"{case.name}: {name[0]} of GDB", value, right, (line, name))
        checker.expect(f"{case.name}: memory of GDB", got["memory"], shown, line)
    checker.check(f"{case.name}: most were known", known > 5 * len(chosen), (known, len(chosen)))


@pytest.mark.parametrize("name", ["rtos-m.it", "rtos-a64.it", "frames-t32.it", "frames-a64.it", "coroutines-a64.it"])
def test_true_backtraces(checker, trawl, tmp_path, name):
    """Where code has rules for unwinding, GDB's frames are the machine's."""
    case = Case(trawl, name, tmp_path)
    lines = instructions_of(case)
    truth = true_stacks.Truth(STACKS / f"{name}.tarmac.stacks", lines[-1])
    text = case.trace.read_text().splitlines()
    # Where a frame is taken down already and control has not left yet, compilers give GDB no rules.
    after = zip(lines, lines[1:], lines[2:])
    lines = [group[0] for group in after if not any(LEAVES.search(text[line - 1]) for line in group)]
    chosen = sorted(random.Random(name).sample(lines, min(POINTS, len(lines))))
    functions = dict(true_stacks.functions(case.image))
    assembly = {label for file in PROGRAMS.glob("*.S") for label in re.findall(r"^(\w+):", file.read_text(), re.MULTILINE)} - {"_start"}
    found = case.gdb({"points": [[1, f"line:{line}", [], 0, 0] for line in chosen]})
    asked, wrong = 0, []
    handlers = [truth.handlers[number] for number in truth.numbers_at_lines(chosen)]
    for (line, entries, _), are_handlers, got in zip(truth.at_lines(chosen), handlers, found):
        names = [functions.get(entry, hex(entry)) for entry in entries[::-1]]
        if not got["frames"] or any(are_handlers) or assembly.intersection(names) or any(name.startswith("0x") for name in names):
            continue  # without rules, GDB guesses
        asked += 1
        if got["frames"][: len(names)] != names:  # GDB does not know that a task ends there
            wrong.append((line, got["frames"], names))
    checker.expect(f"{name}: backtraces", wrong, [])
    checker.check(f"{name}: backtraces were compared", asked > len(chosen) // 8, (asked, len(chosen)))


def reading_of(case):
    """The instructions of the text of a trace: (line, pc); the stores: (line of the instruction, address, bytes)."""
    instructions, stores = [], []
    entry = None  # of an exception, which is one event with the first instruction of its handler
    for number, line in enumerate(case.trace.read_text().splitlines(), 1):
        if match := PLACE.match(line):
            instructions.append((entry or number, int(match[1], 16)))
            entry = None
        elif match := STORE.match(line):
            stores.append((entry or instructions[-1][0], int(match[2], 16), bytes.fromhex(match[3].replace("_", ""))[::-1]))
        elif " clk E " in line and instructions:
            entry = number
    return instructions, stores


def changes_of(stores, address, size):
    """The instructions that store another value there than was known."""
    memory, found = {}, []
    for line, at, data in stores:
        before = [memory.get(address + i) for i in range(size)]
        memory.update((at + i, byte) for i, byte in enumerate(data))
        if before != [memory.get(address + i) for i in range(size)] and None not in before:
            found += [line] if found[-1:] != [line] else []
    return found


@pytest.mark.parametrize("name", ["sort-a64.it", "recursion-a32.it", "recursion-t32.it", "rtos-m.it"])
def test_stops(checker, trawl, tmp_path, name):
    """Breakpoints, with and without a condition, and watchpoints: the list forwards is the reverse of the list backwards, and both are
    what the text says."""
    case = Case(trawl, name, tmp_path)
    instructions, stores = reading_of(case)
    after = dict(zip([line for line, _ in instructions], [line for line, _ in instructions[1:]]))
    drawn, visits, wanted, asked = random.Random(name), {}, [], []
    for line, pc in instructions:
        visits.setdefault(pc, []).append(line)
    register = "x0" if case.is_a64 else "r0"
    pcs = [pc for pc in visits if 4 <= len(visits[pc]) <= 30 and pc != instructions[0][1]]
    for pc in drawn.sample(pcs, extent.pick(2, 20)):
        states = [case.state(f"line:{at - 1}", None)["lanes"][0]["registers"][register] for at in visits[pc]]
        odd = [at for at, own in zip(visits[pc], states) if not own["known"] or int(own["value"], 16) & 1]
        for setting, right in ((f"break *{pc:#x}", visits[pc]), (f"break *{pc:#x} if ${register} & 1", odd)):
            wanted.append((setting, right, right))
            asked += [[[*START, setting], "continue"], [[*LAST, setting], "reverse-continue"]]
    # Behind the last instruction GDB does not look any more.
    lists = {at: changes_of(stores, at, 4) for at in {at for _, at, data in stores if len(data) == 4}}
    places = [at for at, changes in lists.items() if 2 <= len(changes) <= 30 and after.keys() >= set(changes)]
    for address in drawn.sample(sorted(places), min(len(places), extent.pick(2, 20))):
        # GDB stops behind the instruction, backwards before it; what was not known before is not a change for it.
        setting, changes = f"watch *(int *) {address:#x}", changes_of(stores, address, 4)
        first = min(line for line, at, data in stores if at < address + 4 and address < at + len(data))
        start = [f"monitor goto line:{after[first]}", *FLUSHES, setting]
        wanted.append((setting, [after[line] for line in changes], changes))
        asked += [[start, "continue"], [[*LAST, setting], "reverse-continue"]]
    found = [one for at in range(0, len(asked), 24) for one in case.gdb({"stops": asked[at : at + 24]})]
    for number, (setting, forwards, backwards) in enumerate(wanted):
        ahead, back = found[2 * number : 2 * number + 2]
        kind = setting.split()[0] + (", conditional" if " if " in setting else "")
        checker.expect(f"{name}: {kind} forwards", ahead, forwards, setting)
        back = back[::-1][-len(backwards) :] if "watch" in setting else back[::-1]
        checker.expect(f"{name}: {kind} backwards", back, backwards, setting)


def test_back_from_the_end(checker, trawl, tmp_path):
    """GDB steps over a breakpoint at the last instruction, comes to the end, and can go back (it waited for ever)."""
    case = Case(trawl, "recursion-a32.it", tmp_path)
    instructions, _ = reading_of(case)
    line, pc = instructions[-1]
    start = [f"monitor goto line:{instructions[-3][0]}", *FLUSHES, f"break *{pc:#x}", "continue", "continue"]
    (found,) = case.gdb({"stops": [[start, "reverse-continue"]]})
    checker.expect("back from the end", found[::-1], [at for at, to in instructions if to == pc])


@pytest.mark.parametrize("name", ["sort-a64.it", "recursion-a32.it", "sort-t32.it"])
def test_source_steps(checker, trawl, tmp_path, name):
    """1,000 steps of lines of the source; each stands where a line begins or a function was entered, and the trace goes on from one to the
    next; then steps of instructions up to both ends."""
    case = Case(trawl, name, tmp_path)
    instructions, _ = reading_of(case)
    lines = {line for line, _ in instructions}
    (found,) = case.gdb({"steps": [["step", 1000]]}, "break main", "continue")
    checker.check(f"{name}: so many steps", len(found) == 1000 or found[-1] is None, (len(found), found[-1]))
    positions = [at for at in found if at is not None]
    checker.expect(f"{name}: forwards all the time", positions, sorted(positions))
    checker.check(f"{name}: many places", len(set(positions)) > len(positions) // 2, len(set(positions)))
    checker.check(f"{name}: at instructions", set(positions) <= lines)
    (back,) = case.gdb({"steps": [["reverse-stepi", 50]]}, f"monitor goto line:{instructions[40][0]}", *FLUSHES)
    checker.expect(f"{name}: back to the start", list(dict.fromkeys(back)), [line for line, _ in instructions[:40]][::-1])
    (first,) = case.gdb({"steps": [["stepi", 10]]})
    checker.expect(f"{name}: from the start", first, [line for line, _ in instructions[1:11]])
    (ahead,) = case.gdb({"steps": [["stepi", 50]]}, f"monitor goto line:{instructions[-40][0]}", *FLUSHES)
    checker.expect(f"{name}: on to the end", list(dict.fromkeys(at for at in ahead if at)), [line for line, _ in instructions[-39:]])


@pytest.mark.parametrize("name", ["sort-a64.it", "recursion-a32.it"])
def test_finishes(checker, trawl, tmp_path, name):
    """`finish` stands behind the call that `up` shows, and `reverse-finish` at it."""
    case = Case(trawl, name, tmp_path)
    instructions, _ = reading_of(case)
    pcs = dict(instructions)
    deep = [f"break {'hanoi' if 'recursion' in name else 'swap'}", *["continue"] * 5, "delete"]
    (found,) = case.gdb({"steps": [["finish", 12]]}, *deep)
    (back,) = case.gdb({"steps": [["reverse-finish", 12]]}, *deep)
    order = [line for line, _ in instructions]
    seen = set()  # instructions after a call
    for at, after in zip(order, order[1:]):
        if pcs[after] != pcs[at] + 4:
            seen.add(pcs[at] + 4)
    for at in back:
        checker.check(f"{name}: at a call", pcs[order[order.index(at) + 1]] != pcs[at] + 4, hex(pcs[at]), at)
    for at in found:
        checker.check(f"{name}: behind a call", at is None or pcs[at] in seen, at)
    checker.check(f"{name}: finishes", len(found) > 0 and len(back) > 0, (len(found), len(back)))


def test_riscv(checker, trawl, tmp_path):
    """A log of Spike: breakpoints in both directions at the instructions of the text, with the registers that it shows."""
    log, image = tmp_path / "hello64.log", ROOT / "corpus" / "riscv" / "hello64.elf"
    log.write_bytes(lzma.decompress((ROOT / "corpus" / "riscv" / "hello64.both.log.xz").read_bytes()))
    case = Case.__new__(Case)
    case.trawl, case.name, case.trace, case.image, case.options = trawl, "hello64", log, image, ["--memory-index", "--image", image]
    visits, written, after = {}, {}, {}
    last = None
    for number, line in enumerate(log.read_text().splitlines(), 1):
        if match := re.match(r"core +0: 0x([0-9a-f]+) \(0x", line):
            pc = int(match[1], 16)
            visits.setdefault(pc, []).append(number)
            after[number] = dict(written)
        elif match := re.match(r"core +0: \d 0x[0-9a-f]+ \(0x[0-9a-f]+\) x(\d+) +0x([0-9a-f]+)", line):
            written[int(match[1])] = int(match[2], 16)
            last = number
    checker.check("the log has writes", last is not None and len(visits) > 20, len(visits))
    pcs = [pc for pc in visits if 2 <= len(visits[pc]) <= 30 and pc >= 0x80000000]
    chosen = random.Random(1).sample(pcs, min(4, len(pcs)))
    found = case.gdb({"stops": [one for pc in chosen for one in ([[*START, f"break *{pc:#x}"], "continue"], [[*LAST, f"break *{pc:#x}"], "reverse-continue"])]})
    for number, pc in enumerate(chosen):
        checker.expect("riscv: forwards", found[2 * number], visits[pc], hex(pc))
        checker.expect("riscv: backwards", found[2 * number + 1][::-1], visits[pc], hex(pc))
    points = [visits[pc][-1] for pc in chosen]
    for line, got in zip(points, case.gdb({"points": [[1, f"line:{line}", [f"x{i}" for i in range(1, 32)], 0, 0] for line in points]})):
        checker.expect("riscv: registers", got["registers"], {f"x{i}": after[line].get(i) for i in range(1, 32)}, line)


@pytest.mark.parametrize("name", ["vec64.both", "vec512.commits", "hello32.both"])
def test_riscv_features(checker, trawl, tmp_path, name):
    """Vector registers and control and status registers, where a log shows them, have in GDB what the lines of the log say."""
    log = tmp_path / f"{name}.log"
    log.write_bytes(lzma.decompress((ROOT / "corpus" / "riscv" / f"{name}.log.xz").read_bytes()))
    known, states = {}, []
    for line in log.read_text().splitlines():
        if re.match(r"core +0: [0-3] 0x", line):
            known.update({found[2]: int(found[3], 16) for found in re.finditer(r" (c\d+_)?(v\d+|(?<=_)\w+) +0x([0-9a-f]+)", line)})
            states.append(dict(known))
    system = [one for one in states[-1] if one[0] != "v" or one in ("vl", "vtype")]
    checker.check(f"{name}: the log shows such registers", len(system) > 1 and ("vec" in name) == ("v1" in states[-1]), sorted(states[-1]))
    with Client([trawl, "gdbserver", "--memory-index", log]) as client:
        sizes, document = dict(client.layout()), client.document("features:read:target.xml")
        bits = {"vec64": 128, "vec512": 512}.get(name.split(".")[0])
        checker.expect(f"{name}: features", [f"riscv.{one}" in document for one in ("cpu", "fpu", "csr", "vector")], [True, True, True, bits is not None])
        checker.expect(f"{name}: vectors", sizes.get("v31"), bits and bits // 8)
        checker.expect(f"{name}: width of the others", sizes[system[0]], 4 if "32" in name else 8)
        checker.check(f"{name}: a number for each", len(set(re.findall(r'regnum="(\d+)"', document))) == document.count("regnum"))
        for event in random.Random(name).sample(range(len(states)), 60):
            client.monitor(f"goto event:{event + 1}")
            found = client.registers()
            for register in [*system, *(f"v{i}" for i in range(32) if bits)]:
                checker.expect(f"{name}: {register[0] if register[1:].isdigit() else register}", found[register], states[event].get(register), (register, event))
    last = len(states) - 2
    own = next((one for one in sorted(states[last]) if re.fullmatch(r"v[1-9]\d*", one)), None)
    asked = [f"p/x ${system[0]}", *([f"p/x ${own}.l[1]", f"p/x ${own}.b[3]", "p $v31"] if own else [])]
    words = [GDB, "-q", "-nx", "-batch", "-ex", f"target remote | {trawl} gdbserver --memory-index {log}", "-ex", f"monitor goto event:{last + 1}"]
    words += [word for command in ["maintenance flush register-cache", *asked] for word in ("-ex", command)]
    text = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S).stdout
    wanted = [hex(states[last][system[0]])]
    if own:
        wanted += [hex(states[last][own] >> 64 & 2**64 - 1), hex(states[last][own] >> 24 & 255), "<unavailable>"]
    checker.expect(f"{name}: GDB's own words", re.findall(r"^\$\d+ = (.*)", text, re.MULTILINE), wanted)


def test_boot_rom(checker, trawl, tmp_path):
    """Where no image has the code, GDB steps by what the log shows: from the boot ROM of Spike into the program."""
    log, image = tmp_path / "hello64.log", ROOT / "corpus" / "riscv" / "hello64.elf"
    log.write_bytes(lzma.decompress((ROOT / "corpus" / "riscv" / "hello64.both.log.xz").read_bytes()))
    case = Case.__new__(Case)
    case.trawl, case.name, case.trace, case.image, case.options = trawl, "hello64", log, image, ["--memory-index", "--image", image]
    lines = [number for number, line in enumerate(log.read_text().splitlines(), 1) if re.match(r"core +0: 0x[0-9a-f]+ \(0x", line)]
    (ahead,) = case.gdb({"steps": [["stepi", 30]]})
    checker.expect("riscv: steps from the boot ROM", ahead, lines[1:31])
    (back,) = case.gdb({"steps": [["reverse-stepi", 29]]}, f"monitor goto line:{lines[30]}", *FLUSHES)
    checker.expect("riscv: and back", back, lines[1:30][::-1])


# --- Frames of trace files ------------------------------------------------------------------------

TFILES = ROOT / "corpus" / "tfile"


def ask_gdb(image, opening, commands):
    """What each command of GDB says."""
    words = [GDB, "-q", "-nx", "-batch", "-ex", "set width 0", "-ex", "set remotetimeout 100", "-ex", "set auto-solib-add off", "-ex", "set can-use-hw-watchpoints 0",
             image, *(word for command in opening for word in ("-ex", command))]  # fmt: skip
    for number, command in enumerate(commands):
        words += ["-ex", f"echo =={number}==\\n", "-ex", command]
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S)
    text = re.sub(r"^trawl: .*\n|^\[Inferior 1 .*detached\]\n", "", done.stdout, flags=re.MULTILINE)
    found = dict(re.findall(r"==(\d+)==\n(.*?)(?=\n?==\d+==|\Z)", text, re.DOTALL))
    return [found.get(str(number), "") for number in range(len(commands))]


@pytest.mark.parametrize("name, program, places", [("steps", "walk", ["0x404064"]), ("i386", "walk-i386", ["$esp"]), ("values-a64", "values-a64", ["$sp", "&first"]),
                                                   ("full", "walk", ["0x404064", "$sp"]), ("stacks", "walk", ["$sp"])])  # fmt: skip
def test_frames(checker, trawl, name, program, places):
    """The frames of a trace file are what GDB's own `tfind` shows of them; steps go from one to the next and back, breakpoints to those of
    their address."""
    file, image = TFILES / f"{name}.tf", TFILES / f"{program}.elf"
    served = [f"target remote | {trawl} gdbserver --memory-index --image {image} {file}"]
    count = int(re.search(r"of (\d+) frames", ask_gdb(image, served, ["monitor where"])[0])[1])
    looks = ["info registers", "bt -frame-arguments none", *(f"x/8xb {place}" for place in places)]
    own, ours = [], []
    for frame in (frames := random.Random(name).sample(range(count), min(count, 12))):
        own += [f"tfind {frame}", *looks]
        ours += [f"monitor goto event:{frame}", "maintenance flush register-cache", "maintenance flush dcache", *looks]
    truth, found, shown = ask_gdb(image, [f"target tfile {file}"], own), ask_gdb(image, served, ours), 0
    for number, frame in enumerate(frames):
        right = truth[number * (len(looks) + 1) + 1 :][: len(looks)]
        got = found[number * (len(looks) + 3) + 3 :][: len(looks)]
        shown += "0x" in right[0]
        for look, one, other in zip(looks, right, got):
            other = re.sub(r" from \S*ld-linux\S*", "", other)
            if look.startswith("x/"):  # what is not collected, each says in its own words
                one, other = (re.sub(r".*(Cannot access|unavailable).*", "unknown", text, flags=re.DOTALL) for text in (one, other))
            if look.startswith("bt"):  # where it ends for want of memory, too
                one, other = (re.findall(r"^#\d+ .*? in (\w+) \(|^#\d+  (\w+) \(", text, re.MULTILINE)[:2] for text in (one, other))
                one, other = one[: min(len(one), len(other))], other[: min(len(one), len(other))]
            if look == "info registers" and re.search(r"^[re]?[ip][pc] +<unavailable>", one, re.MULTILINE):  # that of the tracepoint is known
                one, other = (re.sub(r"^[re]?[ip][pc] .*\n", "", text, flags=re.MULTILINE) for text in (one, other))
            if isinstance(one, str):
                one, other = one.strip(), other.strip()
            checker.expect(f"{name}: {look.split()[0]} of GDB", other, one, (frame, look))
    checker.check(f"{name}: registers were shown", shown > len(frames) // 3, shown)
    frames_shown = subprocess.run([trawl, "tfile", "frames", "--format", "csv", file], capture_output=True, text=True, timeout=TIMEOUT_S, check=False).stdout
    pcs = [int(row["pc"], 16) for row in csv.DictReader(io.StringIO(frames_shown))]
    checker.expect(f"{name}: all frames", len(pcs), count)
    (ahead,) = ask_gdb(image, served, ["python for i in range(%d): print('at', hex(int(gdb.parse_and_eval('(long) $pc')))); gdb.execute('stepi', to_string=True)" % count])
    checker.expect(f"{name}: steps", [int(one, 16) for one in re.findall(r"^at (0x[0-9a-f]+)", ahead, re.MULTILINE)], pcs)
    (back,) = ask_gdb(image, [*served, "monitor goto end"],
                      ["python for i in range(%d): gdb.execute('reverse-stepi', to_string=True); print('at', hex(int(gdb.parse_and_eval('(long) $pc'))))" % count])  # fmt: skip
    checker.expect(f"{name}: steps back", [int(one, 16) for one in re.findall(r"^at (0x[0-9a-f]+)", back, re.MULTILINE)][::-1], pcs)
    pc = pcs[-1]
    visits = [frame for frame, at in enumerate(pcs) if at == pc]
    stops = ask_gdb(image, [*served, f"break *{pc:#x}"], [word for _ in visits for word in ("continue", "monitor where")] + ["continue", "stepi"]
                    + [word for _ in visits for word in ("reverse-continue", "monitor where")] + ["reverse-continue"])  # fmt: skip
    numbers = [int(one) for text in stops for one in re.findall(r"^frame (\d+) ", text, re.MULTILINE)]
    ahead = [frame for frame in visits if frame] or visits
    checker.expect(f"{name}: breakpoints forwards", numbers[: len(ahead)], ahead)
    checker.expect(f"{name}: breakpoints backwards", numbers[-len(visits) :], (visits * 2)[: len(visits)][::-1])
    checker.check(f"{name}: the end", re.search("No more reverse-execution history|end of recorded history", stops[-1]), stops[-1])
