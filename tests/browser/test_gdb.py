"""`trawl gdbserver`: the state at points, and lists of stops forwards and backwards, against what the machine recorded and what the text
of the trace says; hostile clients; and GDB itself, if it is installed.

    tests/run.py gdb
"""

import csv
import io
import json
import random
import re
import shutil
import socket
import struct
import subprocess
from pathlib import Path

import pytest
from gdb_client import Client, framed

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 120
GDB = shutil.which("gdb-multiarch")
# A64, A32, Thumb, two cores, big-endian, exceptions, host calls.
NAMES = ["corrupt-a64.it", "hash-a64.es", "recursion-a32.it", "recursion-t32.es", "twocores-a64.it", "sort-a32be.it", "exceptions-a64.it",
         "semihosting-a64.it", "fp-a64.it", "fp-a32.es"]  # fmt: skip
RECORDS = 30
INSTRUCTION = re.compile(r"^\d+ clk I[TS] \(\d+\) ([0-9a-f]+)")
LOAD = re.compile(r"^\d+ clk MR(\d+) ([0-9a-f]+)(?::[0-9a-f]+)? [0-9a-f_]+")
STORE = re.compile(r"^\d+ clk MW(\d+) ([0-9a-f]+)(?::[0-9a-f]+)? ([0-9a-f_]+)")


def server_of(trawl, name, *words):
    image = IMAGES / (name.split(".")[0] + ".elf")
    order = ["--bi"] if "be." in name else []
    return [trawl, "gdbserver", "--memory-index", "--image", image, *order, *words, TRACES / f"{name}.tarmac"]


# --- The state, and the machine's own record ------------------------------------------------------


def names_of(record, is_a64):
    wanted = {f"x{i}" if is_a64 else "lr" if i == 14 else f"r{i}": int(value, 16) for i, value in enumerate(record["x"]) if is_a64 or i < 13 or i == 14}
    return {**wanted, "sp": int(record["sp"], 16), "pc": int(record["next"], 16) & ~1}


@pytest.mark.parametrize("name", NAMES)
def test_state(checker, trawl, name):
    """After a step over each recorded instruction, all that is known is as the machine had it, and it mostly is known."""
    lines = (TRACES / f"{name}.tarmac.truth").read_text().splitlines()
    head, *records = map(json.loads, lines)
    is_a64, known, unknown, seen = head["isa"] == "a64", 0, 0, 0
    with Client(server_of(trawl, name)) as client:
        for record in records[:: 1 + len(records) // RECORDS]:
            if record["last"]:
                continue
            client.monitor(f"goto line:{record['line']}")
            client.ask(f"Hg{record['core'] + 1:x}")
            checker.check(f"{name}: a step", client.ask(f"vCont;s:{record['core'] + 1:x}").startswith("T05"), "", record["line"])
            found = client.registers("big" if head["big_endian"] else "little")
            for register, value in names_of(record, is_a64).items():
                own = found[register]
                known, unknown = known + (own is not None), unknown + (own is None)
                checker.check(f"{name}: {register}", own in (None, value), (own, value), record["line"])
            for window in record["memory"]:
                wanted = bytes.fromhex(window["bytes"])
                for at in range(len(wanted)):
                    if int(window["seen"][at // 4], 16) >> (3 - at % 4) & 1 and "semihosting" not in name:
                        byte = client.memory(int(window["at"], 16) + at, 1)
                        checker.check(f"{name}: memory", byte == wanted[at : at + 1], (byte, wanted[at]), (record["line"], at))
                        seen += 1
        checker.check(f"{name}: pc is always known", found["pc"] is not None)
    checker.check(f"{name}: registers were known", known > unknown, (known, unknown))
    checker.check(f"{name}: bytes were compared", seen > 50 or "semihosting" in name, seen)


# --- Stops, and the text --------------------------------------------------------------------------


class Reading:
    """The instructions and stores of a trace, as its lines say; each is known by the number of its line, a store by its instruction's."""

    def __init__(self, name):
        self.instructions, self.stores = [], []  # (line, pc); (line, address, bytes)
        self.loads = []  # (line, bytes, address)
        for number, line in enumerate((TRACES / f"{name}.tarmac").read_text().splitlines(), 1):
            if match := INSTRUCTION.match(line):
                self.instructions.append((number, int(match[1], 16)))
            elif match := STORE.match(line):
                digits = match[3].replace("_", "")
                self.stores.append((self.instructions[-1][0], int(match[2], 16), bytes.fromhex(digits)[::-1]))
            elif match := LOAD.match(line):
                self.loads.append((self.instructions[-1][0], int(match[1]), int(match[2], 16)))
        self.pcs = [pc for _, pc in self.instructions]

    def visits(self, pc):
        return [line for line, at in self.instructions if at == pc]

    def changes(self, address, size):
        """The instructions that store another value there than what is known."""
        memory, found = {}, []
        for line, at, data in self.stores:
            before = [memory.get(address + i) for i in range(size)]
            memory.update((at + i, byte) for i, byte in enumerate(data))
            after = [memory.get(address + i) for i in range(size)]
            if any(at <= address + i < at + len(data) for i in range(size)) and (before != after or None in before):
                found += [line] if found[-1:] != [line] else []
        return found


    def accesses(self, address, size, with_stores):
        """The instructions that read, or also those that write, any of the bytes."""
        all_ = [(line, at, count) for line, count, at in self.loads]
        all_ += [(line, at, len(data)) for line, at, data in self.stores if with_stores]
        return sorted({line for line, at, count in all_ if at < address + size and address < at + count})


@pytest.mark.parametrize("name", ["corrupt-a64.it", "recursion-a32.it", "hash-a64.it"])
def test_breakpoints(checker, trawl, name):
    reading = Reading(name)
    with Client(server_of(trawl, name)) as client:
        for pc in random.Random(name).sample(sorted(set(reading.pcs)), 12):
            visits, found = reading.visits(pc), []
            if len(visits) > 300:
                continue
            client.monitor("goto start")
            client.ask(f"Z0,{pc:x},4")
            here = [client.line()] if pc == reading.pcs[0] else []  # where it begins, it does not stop
            while "replaylog" not in client.ask("vCont;c"):
                found.append(client.line())
            checker.expect(f"{name}: forwards", here + found, visits, f"{pc:#x}")
            back = []
            while "replaylog" not in client.ask("bc"):
                back.append(client.line())
            checker.expect(f"{name}: backwards", back[::-1], visits, f"{pc:#x}")
            client.ask(f"z0,{pc:x},4")


def watched(client, kind, address):
    """The lines at which a watchpoint stops, forwards and backwards, and the answers; as GDB goes over the stops."""
    stops, back, answers = [], [], []
    client.monitor("goto start")
    client.ask(f"Z{kind},{address:x},4")
    while "replaylog" not in (answer := client.ask("vCont;c")):
        answers.append(answer)
        stops.append(client.line())
        client.ask(f"z{kind},{address:x},4")
        client.ask("vCont;s:1")
        client.ask(f"Z{kind},{address:x},4")
    while "replaylog" not in client.ask("bc"):
        client.ask(f"z{kind},{address:x},4")
        client.ask("bs")
        back.append(client.line())
        client.ask(f"Z{kind},{address:x},4")
    client.ask(f"z{kind},{address:x},4")
    return stops, back[::-1], answers


@pytest.mark.parametrize("name", ["corrupt-a64.it", "hash-a64.it"])
def test_watchpoints(checker, trawl, name):
    """Forwards a stop is before the access, backwards after it."""
    reading = Reading(name)
    addresses = sorted({address for _, address, _ in reading.stores} | {address for *_, address in reading.loads})
    ways = [(2, "watch", lambda at: reading.changes(at, 4)), (3, "rwatch", lambda at: reading.accesses(at, 4, False)),
            (4, "awatch", lambda at: reading.accesses(at, 4, True))]  # fmt: skip
    with Client(server_of(trawl, name)) as client:
        for address in random.Random(name).sample(addresses, min(12, len(addresses))):
            for kind, word, lines in ways:
                wanted = lines(address)
                if len(wanted) > 300:
                    continue
                stops, back, answers = watched(client, kind, address)
                checker.check(f"{name}: {word}: the reason", all(re.search(rf"T05{word}:{address:x};", answer) for answer in answers), answers[:1])
                checker.expect(f"{name}: {word} forwards", stops, wanted, f"{address:#x}")
                checker.expect(f"{name}: {word} backwards", back, wanted, f"{address:#x}")


def test_steps(checker, trawl):
    reading = Reading("corrupt-a64.it")
    with Client(server_of(trawl, "corrupt-a64.it")) as client:
        pcs = []
        for _ in range(300):
            pcs.append(client.registers()["pc"])
            client.ask("vCont;s:1")
        checker.expect("forwards", pcs, reading.pcs[:300])
        back = []
        for _ in range(300):
            client.ask("bs")
            back.append(client.registers()["pc"])
        checker.expect("backwards", back[::-1], pcs)
        checker.check("the start", "replaylog:begin" in client.ask("bs"))
        client.ask("vCont;r80000,80028:1")
        checker.check("a range", not 0x80000 <= client.registers()["pc"] < 0x80028, hex(client.registers()["pc"]))
        client.monitor("goto end")
        checker.check("the end", "replaylog:end" in client.ask("vCont;s:1"))


def test_conditions(checker, trawl):
    """Conditions in the bytecode of agents: x0 & 1, then an ill-formed one, which GDB decides, and one that loops."""
    reading = Reading("hash-a64.it")
    pc = next(pc for pc in reading.pcs if 30 <= len(reading.visits(pc)) < 400)
    with Client(server_of(trawl, "hash-a64.it")) as client:
        client.ask(f"Z0,{pc:x},4")
        values = []
        for _ in range(25):
            client.ask("vCont;c")
            values.append((client.line(), client.registers()["x0"]))
        client.monitor("goto start")
        odd = bytes([0x26, 0, 0, 0x22, 1, 0x0F, 0x27])
        checker.expect("set", client.ask(f"Z0,{pc:x},4;X{len(odd):x},{odd.hex()}"), "OK")
        found = []
        while "replaylog" not in client.ask("vCont;c"):
            found.append((client.line(), client.registers()["x0"]))
        checker.expect("only odd values", [at for at, _ in found if at <= values[-1][0]], [at for at, value in values if value & 1])
        checker.check("of all visits", found and all(value & 1 for _, value in found), found[:3])
        checker.check("some of each", 0 < len(found) < len(reading.visits(pc)), (len(found), len(reading.visits(pc))))
        back = []
        while "replaylog" not in client.ask("bc"):
            back.append((client.line(), client.registers()["x0"]))
        checker.expect("backwards", back[::-1], found)
        for what, code in (("ill-formed", b"\x02\x27"), ("endless", b"\x21\x00\x00"), ("without an end", b"\x22\x00"), ("memory that is unknown", b"\x22\x00\x17\x27")):
            client.monitor("goto start")
            client.ask(f"Z0,{pc:x},4;X{len(code):x},{code.hex()}")
            client.ask("vCont;c")
            checker.expect(f"{what}: GDB decides", client.line(), reading.visits(pc)[0])


@pytest.mark.parametrize("name", ["hash-a64.it", "sort-a64.it", "recursion-a32.it"])
def test_memory_conditions(checker, trawl, tmp_path, name):
    """Conditions on memory that changes between the visits, in both directions and over segments, against the stores of the text."""
    reading, draw, index = Reading(name), random.Random(name), tmp_path / "index"
    image = IMAGES / (name.split(".")[0] + ".elf")
    subprocess.run([trawl, "index", "--index", index, "--segment-events", "512", "--image", image, TRACES / f"{name}.tarmac"], check=True, capture_output=True)
    addresses = sorted({at for _, at, data in reading.stores if len(data) in (4, 8)}, key=lambda at: -sum(1 for _, to, _ in reading.stores if to == at))[:8]
    pcs = [pc for pc in sorted(set(reading.pcs)) if 15 <= len(reading.visits(pc)) <= 400]
    with Client([trawl, "gdbserver", "--index", index, "--image", image, TRACES / f"{name}.tarmac"]) as client:
        for address in addresses:
            pc, size = draw.choice(pcs), draw.choice([1, 2, 4])
            memory, wanted, stores = {}, [], iter([*reading.stores, (10**9, 0, b"")])
            line, at, data = next(stores)
            for visit in reading.visits(pc):
                while line < visit:
                    memory.update((at + i, byte) for i, byte in enumerate(data))
                    line, at, data = next(stores)
                known = [memory.get(address + i) for i in range(size)]
                wanted += [(visit, None in known or known[0] & 3 == 1)]
            code = f"25{address:016x}{ {1: 0x17, 2: 0x18, 4: 0x19}[size]:02x}22030f22011327"
            client.monitor("goto start")
            client.ask(f"Z0,{pc:x},4;X{len(code) // 2:x},{code}")
            found, back = [], []
            while "replaylog" not in client.ask("vCont;c"):
                found.append(client.line())
            while "replaylog" not in client.ask("bc"):
                back.append(client.line())
            client.ask(f"z0,{pc:x},4")
            # Before the first store, memory may be known from a load.
            first = next((line for line, at, data in reading.stores if at <= address and address + size <= at + len(data)), 0)
            checker.expect(f"{name}: memory", [at for at in found if at > first], [at for at, stops in wanted if stops and at > first], (hex(address), hex(pc), size))
            checker.expect(f"{name}: memory backwards", back[::-1], found, (hex(address), hex(pc), size))


# --- Hostile clients ------------------------------------------------------------------------------


def test_origin(checker, trawl):
    """A pointer over whose lowest byte a name ran: both parts are followed."""
    with Client(server_of(trawl, "corrupt-a64.it")) as client:
        client.monitor("goto pc:0x807d0")
        answer = client.monitor("origin x20")
        for line, what in ((3500, "x20 loaded"), (2740, "0x81068:1 stored"), (471, "0x81069:7 stored"), (350, "x19[1..7] computed")):
            checker.check(f"origin at line {line}", re.search(rf"line {line} .*{re.escape(what)}", answer), answer)


def test_find(checker, trawl):
    """Conditions go from point to point, and end behind the last one."""
    with Client(server_of(trawl, "corrupt-a64.it")) as client:
        client.monitor("goto start")
        for line in (471, 2740):  # as `trawl find` says
            answer = client.monitor("find changed(u64(0x81068)) || written(u64(0x81068))")
            checker.check("the next point of a condition", re.search(rf"line {line} ", answer), answer)
        answer = client.monitor("find written(u64(0x81068))")
        checker.check("no further point", "does not begin to hold" in answer, answer)
        answer = client.monitor("find u64(0x81068")
        checker.check("a fault in a condition", "expected closing" in answer, answer)


def test_reads(checker, trawl):
    """The last reads are those of the text, with the values that it shows."""
    name = "corrupt-a64.it"
    reading = Reading(name)
    addresses = sorted({address for _, size, address in reading.loads if size == 8})
    with Client(server_of(trawl, name)) as client:
        client.monitor("goto end")
        for address in random.Random(1).sample(addresses, 12):
            answer = client.monitor(f"reads {address:#x}:8")
            wanted = reading.accesses(address, 8, False)[-10:][::-1]
            checker.expect("reads", [int(line) for line in re.findall(r" line (\d+)", answer)], wanted, hex(address))
        client.monitor("goto start")
        checker.check("none before the start", "no read" in client.monitor(f"reads {addresses[0]:#x}:8"))
        checker.check("not of registers", "a register" in client.monitor("reads x0"))


def test_reads_over_segments(checker, trawl, tmp_path):
    """A list of reads ends after some segments of the index and says so, and goes on from there: together they are all."""
    name, index = "hash-a64.it", tmp_path / "index"
    reading = Reading(name)
    subprocess.run([trawl, "index", "--index", index, "--segment-events", "512", TRACES / f"{name}.tarmac"], check=True, capture_output=True)
    addresses = sorted({address for _, _, address in reading.loads})
    with Client([trawl, "gdbserver", "--index", index, TRACES / f"{name}.tarmac"]) as client:
        cut = 0
        for address in random.Random(2).sample(addresses, 20):
            client.monitor("goto end")
            wanted, found = reading.accesses(address, 4, False)[::-1], []
            while len(found) < 60:
                answer = client.monitor(f"reads {address:#x}:4")
                lines = [int(line) for line in re.findall(r"^event .* line (\d+)", answer, re.MULTILINE)]
                found += lines
                earlier = re.search(r"there may be earlier ones: monitor (goto event:\d+), and ask again", answer)
                cut += earlier is not None
                if not lines or not (earlier or len(lines) == 10):
                    break
                client.monitor(earlier[1] if earlier else "goto event:" + re.findall(r"^event (\d+)", answer, re.MULTILINE)[-1])
            checker.expect("all reads", found, wanted[: len(found)] if len(found) >= 60 else wanted, hex(address))
        checker.check("some lists were cut", cut > 3, cut)


def code_of(image):
    """What an ELF file loads: {address: byte}."""
    data = image.read_bytes()
    is_64, order = data[4] == 2, "<" if data[5] == 1 else ">"
    offset = struct.unpack_from(order + ("Q" if is_64 else "I"), data, 32 if is_64 else 28)[0]
    size, count = struct.unpack_from(order + "HH", data, 54 if is_64 else 42)
    found = {}
    for at in range(offset, offset + size * count, size):
        if is_64:
            kind, _, start, address, _, length = struct.unpack_from(order + "IIQQQQ", data, at)
        else:
            kind, start, address, _, length = struct.unpack_from(order + "IIIII", data, at)
        if kind == 1:
            found.update((address + i, byte) for i, byte in enumerate(data[start : start + length]))
    return found


@pytest.mark.parametrize("name", ["corrupt-a64.it", "hash-a64.es", "recursion-a32.it", "recursion-t32.es", "sort-t32.it"])
def test_code(checker, trawl, name):
    """Without an image, memory has the code that the lines of the trace show: it is that of the image."""
    code, pcs = code_of(IMAGES / (name.split(".")[0] + ".elf")), []
    for line in (TRACES / f"{name}.tarmac").read_text().splitlines():
        if match := re.match(r"^[ \d]*(?:clk|tic|ps) +(?:I[TS] \(\d+\) ([0-9a-f]+) ([0-9a-f]+)|ES +\(([0-9a-f]+):([0-9a-f]+)\))", line):
            pcs.append((int(match[1] or match[3], 16), len(match[2] or match[4]) // 2))
    pcs = sorted(set(pcs))
    checker.check(f"{name}: instructions", len(pcs) > 30, len(pcs))
    with Client([trawl, "gdbserver", "--memory-index", TRACES / f"{name}.tarmac"]) as client:
        client.monitor(f"goto event:{len(pcs)}")
        for pc, size in pcs:
            checker.expect(f"{name}: code", client.memory(pc, size).hex(), bytes(code[pc + i] for i in range(size)).hex(), hex(pc))
        start, size = pcs[len(pcs) // 2]
        checker.expect(f"{name}: from the middle", client.memory(start + size - 2, 2).hex(), bytes(code[start + size - 2 + i] for i in range(2)).hex())
        checker.expect(f"{name}: no code where nothing is executed", client.memory(0x7F000000, 4), b"")


def scalable_trace(path, length, with_sve=True):
    """A trace of a core with SVE: 40 events, and what each leaves in z, p, ffr."""
    draw, lines, states = random.Random(length), [], []
    known = {}
    for time in range(40):
        lines.append(f"{time} clk IT ({time}) {0x8000 + 4 * (time % 10):08x} 2538c000 O EL1h_n : MOV      z0.b,#0")
        value = draw.randbytes(length)
        match draw.randrange(4) if with_sve else 3:
            case 0:
                known[name := f"z{draw.randrange(8)}"] = value
                lines.append(f"{time} clk R {name.upper()} {value[::-1].hex()}")
            case 1:
                known[name := f"p{draw.randrange(4)}"] = value[: length // 8]
                lines.append(f"{time} clk R {name.upper()} {value[: length // 8][::-1].hex()}")
            case 2:
                known[f"z{8 + time % 4}"] = value[:16] + bytes(length - 16)  # writing v clears the rest
                lines.append(f"{time} clk R V{8 + time % 4} {value[:16][::-1].hex()}")
            case _:
                lines.append(f"{time} clk R X1 {time:016x}")
        if with_sve and time == 20:
            known["ffr"] = value[: length // 8]
            lines.append(f"{time} clk R FFR {value[: length // 8][::-1].hex()}")
        states.append(dict(known))
    path.write_text("\n".join(lines) + "\n")
    return states


def test_no_code_of_exceptions(checker, trawl):
    """The address that stands for exceptions in searches is no code."""
    with Client([trawl, "gdbserver", "--memory-index", TRACES / "exceptions-t32.it.tarmac"]) as client:
        client.monitor("goto line:54")  # the next exception is one event with an instruction
        for address in range(0, 16, 2):
            checker.expect("no code", client.memory(address, 4), b"", hex(address))


@pytest.mark.parametrize("length", [16, 32, 64, 256])
def test_scalable_vectors(checker, trawl, tmp_path, length):
    """The registers of SVE are described where the trace shows them, with the length that it shows, and have what was written."""
    trace = tmp_path / "sve.tarmac"
    states = scalable_trace(trace, length)
    with Client([trawl, "gdbserver", "--memory-index", trace]) as client:
        sizes = dict(client.layout())
        checker.expect("sizes", [sizes[name] for name in ("z0", "z31", "p0", "p15", "ffr", "vg", "fpsr", "fpcr")], [length] * 2 + [length // 8] * 3 + [8, 4, 4])
        checker.check("no v beside them", "v0" not in sizes and "org.gnu.gdb.aarch64.fpu" not in client.document("features:read:target.xml"))
        for event, wanted in enumerate(states[:-1]):
            client.monitor(f"goto event:{event + 1}")
            found = client.registers()
            checker.expect("vg", found["vg"], length // 8, event)
            for name in [*(f"z{i}" for i in range(32)), *(f"p{i}" for i in range(16)), "ffr"]:
                own = None if name not in wanted else int.from_bytes(wanted[name], "little")
                checker.expect(f"{name[0]} of SVE", found[name], own, (name, event))
    if GDB:
        words = [GDB, "-q", "-nx", "-batch", "-ex", f"target remote | {trawl} gdbserver --memory-index {trace}", "-ex", "monitor goto event:39"]
        last = states[38]
        vector = next(name for name in last if name[0] == "z" and int(name[1:]) < 8)
        for command in ("maintenance flush register-cache", "p $vg", f"p/x ${vector}.b.u[{length - 1}]", f"p/x $v{vector[1:]}.q.u[0]", "p $z31"):
            words += ["-ex", command]
        text = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S).stdout
        answers = re.findall(r"^\$\d+ = (.*)", text, re.MULTILINE)
        wanted = [str(length // 8), hex(last[vector][-1]), hex(int.from_bytes(last[vector][:16], "little")), "<unavailable>"]
        checker.expect("GDB's own words", answers, wanted)
    scalable_trace(trace, 32, with_sve=False)
    with Client([trawl, "gdbserver", "--memory-index", trace]) as client:
        names = dict(client.layout())
        checker.check("no SVE where none is shown", "v0" in names and "z0" not in names)


@pytest.mark.parametrize("name", ["corrupt-a64.it", "recursion-a32.it", "recursion-t32.es"])
def test_calls(checker, trawl, name):
    """The calls that are open are those on the machine's own stack; where each began is an instruction at its entry."""
    lines = (TRACES / f"{name}.tarmac.truth").read_text().splitlines()
    records = [record for record in map(json.loads, lines[1:]) if not record["last"] and record["depth"] == len(record["stack"]) >= 1]
    shown = subprocess.run([trawl, "profile", "--format", "csv", "--memory-index", "--image", IMAGES / (name.split(".")[0] + ".elf"),
                            TRACES / f"{name}.tarmac"], capture_output=True, text=True, timeout=TIMEOUT_S, check=True).stdout  # fmt: skip
    symbols = {int(row["address"], 16) & ~1: row["function"] for row in csv.DictReader(io.StringIO(shown))}
    with Client(server_of(trawl, name)) as client:
        for record in records[:: 1 + len(records) // RECORDS]:
            client.monitor(f"goto line:{record['line']}")
            client.ask("vCont;s:1")
            found = re.findall(r"^#\d+ +(\S+)  event \d+  time \d+ \S+  line (\d+)", client.monitor("calls"), re.MULTILINE)
            wanted = [symbols.get(int(frame["entry"], 16) & ~1) for frame in record["stack"][:-1]]  # the trace begins in the last
            checker.expect(f"{name}: calls", [function for function, _ in found], wanted, record["line"])


def test_bookmarks(checker, trawl):
    with Client(server_of(trawl, "corrupt-a64.it")) as client:
        client.monitor("goto line:1203")
        here = client.line()
        client.monitor("bookmark crash")
        client.monitor("goto end")
        client.monitor("bookmark last")
        client.monitor("goto start")
        checker.check("a list", re.search(rf"^crash: event .* line {here} .*\nlast: the end", client.monitor("bookmark")), client.monitor("bookmark"))
        client.monitor("goto crash")
        checker.expect("there again", client.line(), here)
        client.monitor("bookmark crash2")
        client.monitor("goto start")
        client.monitor("bookmark crash")
        client.monitor("goto crash2")
        checker.expect("another name", client.line(), here)
        client.monitor("goto last")
        checker.expect("the end", client.line(), None)
        for name in ("a:b", "start", "x" * 32, "two words"):
            checker.check("names that could be positions", "cannot be a name" in client.monitor(f"bookmark {name}"), name)
        for number in range(110):
            client.monitor(f"bookmark n{number}")
        checker.check("so many", client.monitor("bookmark").count("\n") <= 101)


def test_interrupt(checker, trawl, tmp_path):
    """A search of a condition at each instruction ends when it is interrupted, and can go on from there."""
    text = (TRACES / "hash-a64.it.tarmac").read_text().splitlines(keepends=True)
    body = [re.sub(r"^\d+ clk", "0 clk", line) for line in text if INSTRUCTION.match(line)]
    trace = tmp_path / "long.tarmac"
    trace.write_text("".join(text) + "".join(body) * 40)
    words = [trawl, "gdbserver", "--memory-index", trace]
    with Client(words) as client:
        ask = "qRcmd," + b"find pc == 0x10 || x0 == 0x1234567890123".hex()
        client.send(framed(ask) + b"\x03")
        answer = client.receive()
        said = bytes.fromhex(answer).decode()
        checker.check("it ends", "not up to event" in said or "does not begin" in said, said)
        while "not up to event" in said:
            said = client.monitor("find pc == 0x10 || x0 == 0x1234567890123")
        checker.check("to the end", "does not begin" in said, said)
        code = "26000025123456789012345613" "27"
        pc = INSTRUCTION.match(body[len(body) // 2])[1]
        checker.expect("a condition", client.ask(f"Z0,{pc},4;X{len(code) // 2:x},{code}"), "OK")
        client.send(framed("vCont;c") + b"\x03")
        answer = client.receive()
        checker.check("a run ends", answer.startswith(("T02", "T05replaylog:end")), answer)


def test_ssh(checker, trawl, tmp_path):
    """GDB starts the server by ssh, as on another machine: the program of that name runs what it is told."""
    fake = tmp_path / "ssh"
    fake.write_text('#!/bin/sh\ntest "$1" = elsewhere || exit 1\nshift\nexec sh -c "$*"\n')
    fake.chmod(0o755)
    words = ["sh", "-c", f"PATH={tmp_path}:$PATH exec ssh elsewhere " + " ".join(map(str, server_of(trawl, "corrupt-a64.it")))]
    with Client(words) as client:
        checker.check("an answer through ssh", client.ask("?").startswith("T05thread:1"))
        checker.check("and registers", client.registers()["pc"] == 0x80000)
    if GDB:
        remote = "ssh elsewhere " + " ".join(map(str, server_of(trawl, "corrupt-a64.it")))
        done = subprocess.run([GDB, "-q", "-nx", "-batch", IMAGES / "corrupt-a64.elf", "-ex", f"target remote | PATH={tmp_path}:$PATH {remote}", "-ex", "break panic",
                               "-ex", "continue"], capture_output=True, text=True, timeout=TIMEOUT_S)  # fmt: skip
        checker.check("GDB through ssh", "Breakpoint 1, panic" in done.stdout, done.stdout + done.stderr)


@pytest.mark.skipif(not GDB, reason="no gdb-multiarch")
def test_commands(checker, trawl):
    """`trawl gdb` starts GDB with commands of its own, which take expressions with blanks."""
    asked = ["trawl-goto pc:0x807d0", "trawl-origin $x20", "trawl-writer * (unsigned long *) 0x81068", "trawl-reader *(unsigned long *) 0x81068",
             "trawl-line 350", "trawl-find changed(u64(0x81068))", "python print('looked', gdb.parse_and_eval('$pc') == 0x807bc)"]  # fmt: skip
    words = [trawl, "gdb", "--memory-index", "--image", IMAGES / "corrupt-a64.elf", TRACES / "corrupt-a64.it.tarmac"]
    done = subprocess.run(list(map(str, words)), input="\n".join(asked) + "\n", capture_output=True, text=True, timeout=TIMEOUT_S)
    text = done.stdout + done.stderr
    for what, line in (("trawl-goto", "line 3512"), ("trawl-origin", r"line 2740 .*0x81068:1 stored"), ("trawl-writer", r"line 471 "), ("trawl-reader", "line 1537"),
                       ("trawl-find", r"line 2740 .*name_job\+0x8\n")):  # fmt: skip
        checker.check(what, re.search(line, text), text)
    checker.check("GDB looks again", "looked True" in text, text[-800:])


def test_refused(checker, trawl):
    with Client(server_of(trawl, "corrupt-a64.it")) as client:
        for packet in ("P0=00", "G00", "M80000,1:00", "X80000,1:a"):
            checker.check("writes", client.ask(packet).startswith("E.the past"), packet)
        checker.expect("unknown kinds of watchpoints", client.ask("Z5,80000,4"), "")
        checker.check("memory that the trace never showed", client.ask("m7000000,4").startswith("E"))
        checker.check("a watchpoint of all memory", client.ask("Z2,0,ffffffffffffffff").startswith("E"))
        checker.check("a thread that is not there", client.ask("Hg7f").startswith("E"))
        for line in ("goto nowhere", "goto", "goto event:999999999", "writes", "writes nothing_here", "origin", "origin nothing_here", "visits", "dance", ""):
            checker.check(f"monitor {line}", client.monitor(line))
        for number in range(10100):
            answer = client.ask(f"Z0,{0x1000000 + 4 * number:x},4")
            checker.check("breakpoints are limited", (answer == "OK") == (number < 10000), answer, number)
        checker.check("and still searched", "replaylog:end" in client.ask("vCont;c"))
        checker.expect("no memory of a killed one", client.ask("vKill;1"), "OK")


@pytest.mark.parametrize("seed", range(6))
def test_hostile(checker, trawl, seed):
    """Whatever comes, the server ends in time with a documented status, and not by a signal."""
    draw = random.Random(seed)
    client = Client(server_of(trawl, "corrupt-a64.it"), acks=True)
    whole = ["qSupported:xmlRegisters=arm", "vCont;s:1", "vCont;r0,ffffffffffffffff:1", "m80000,ffffffffffffffff", "mffffffffffffffff,10", "p20", "pffffffff",
             "qXfer:features:read:target.xml:ffffffffffffffff,1", "qXfer:memory-map:read::0,0", "Z0,80000,4;X5,26", "Z2,3efffe0,10", "z9,,", "Hc-1", "bc", "bs",
             "qRcmd,676f746f20", "qRcmd,6", "vCont;q", "vCont", "T0", "qThreadExtraInfo,1", "x80000,40"]  # fmt: skip
    data = b""
    for _ in range(400):
        packet = draw.choice(whole).encode()
        match draw.randrange(6):
            case 0:
                packet = bytes(draw.randrange(256) for _ in range(draw.randrange(40)))
            case 1:
                packet = packet[: draw.randrange(len(packet) + 1)]
            case 2:
                packet = packet.replace(b"1", bytes([draw.randrange(256)]))
            case 3:
                packet *= draw.choice([1, 3, 9000])
        data += framed(packet) if draw.random() < 0.8 else draw.choice([b"$" + packet, packet, b"$" + packet + b"#zz", b"\x03", b"+", b"-"])
    try:
        client.process.communicate(data, TIMEOUT_S)
    except subprocess.TimeoutExpired:
        client.process.kill()
        client.process.wait()
    checker.check("ends as it should", client.process.returncode in (0, 1, 3), client.process.returncode)


def test_port(checker, trawl):
    """One client after the other; other addresses only with --public."""
    process = subprocess.Popen([*map(str, server_of(trawl, "corrupt-a64.it")), "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        host, port = process.stdout.readline().decode().strip().rsplit(":", 1)
        for _ in range(2):
            with socket.create_connection((host, int(port)), TIMEOUT_S) as connection:
                connection.settimeout(TIMEOUT_S)
                connection.sendall(framed("?"))
                answer = b""
                while b"#" not in answer:
                    answer += connection.recv(4096)
                checker.check("an answer", answer.startswith(b"+$T05thread:1;#"), answer)
    finally:
        process.terminate()
        process.communicate()
    refused = subprocess.run([*map(str, server_of(trawl, "corrupt-a64.it")), "--listen", "0.0.0.0:0"], capture_output=True, timeout=TIMEOUT_S)
    checker.check("others need --public", refused.returncode == 2 and b"--public" in refused.stderr, refused.stderr)


# --- GDB itself -----------------------------------------------------------------------------------


def by_gdb(trawl, name, *commands):
    image = IMAGES / (name.split(".")[0] + ".elf")
    words = [GDB, "-q", "-nx", "-batch", "-ex", "set width 0", "-ex", "set remotetimeout 60", str(image)]
    remote = " ".join(f"'{word}'" for word in map(str, server_of(trawl, name)))
    for command in [f"target remote | {remote}", *commands]:
        words += ["-ex", command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S)
    return done.stdout + done.stderr


@pytest.mark.skipif(not GDB, reason="no gdb-multiarch")
@pytest.mark.parametrize("name", ["corrupt-a64.it", "recursion-a32.it", "recursion-t32.es", "sort-a64.it"])
def test_backtraces(checker, trawl, name):
    """At recorded instructions, the functions that GDB finds are those on the machine's stack."""
    lines = (TRACES / f"{name}.tarmac.truth").read_text().splitlines()
    records = [record for record in map(json.loads, lines[1:]) if not record["last"] and record["depth"] == len(record["stack"]) >= 2]
    records = records[:: 1 + len(records) // RECORDS]
    commands = []
    for record in records:
        commands += [f"monitor goto line:{record['line']}", "maintenance flush register-cache", "maintenance flush dcache", "stepi", "echo ==\\n", "bt -frame-arguments none"]
    found = by_gdb(trawl, name, *commands).split("==\n")[1:]
    checker.expect(f"{name}: points", len(found), len(records))
    shown = subprocess.run([trawl, "profile", "--format", "csv", "--memory-index", "--image", IMAGES / (name.split(".")[0] + ".elf"),
                            TRACES / f"{name}.tarmac"], capture_output=True, text=True, timeout=TIMEOUT_S, check=True).stdout  # fmt: skip
    symbols = {int(row["address"], 16) & ~1: row["function"] for row in csv.DictReader(io.StringIO(shown))}
    for text, record in zip(found, records):
        frames = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?([\w.]+)", text, re.MULTILINE)
        wanted = [symbols.get(int(frame["entry"], 16) & ~1) for frame in record["stack"][:-1]]  # GDB ends at main
        checker.check(f"{name}: frames", frames == wanted, (frames, wanted), record["line"])


@pytest.mark.skipif(not GDB, reason="no gdb-multiarch")
def test_corrupted(checker, trawl):
    """From the crash back to who corrupted the pointer, as docs/gdb.md tells it."""
    watch = "watch *(unsigned long *)((char *)&jobs + 3 * 24 + 16)"  # jobs[3].next: the image has lines, and no types
    text = by_gdb(trawl, "corrupt-a64.it", "break panic", "continue", watch, "reverse-continue", "bt")
    checker.check("the crash", "Breakpoint 1, panic" in text, text)
    checker.check("the write", re.search(r"Hardware watchpoint 2.*Old value = \d+\nNew value = \d+", text, re.DOTALL), text[-1500:])
    checker.check("who wrote", re.search(r"#0 .*name_job.*\n#1 .*main", text), text[-1500:])
    text = by_gdb(trawl, "corrupt-a64.it", "break panic", "continue", "r" + watch, "reverse-continue", "delete 1", "a" + watch, "reverse-continue")
    checker.check("who read", re.search(r"Hardware read watchpoint 2.*Value = \d+", text, re.DOTALL), text[-1500:])
    checker.check("an access", re.search(r"Hardware access \(read/write\) watchpoint 3.*Old value = \d+\nNew value = \d+", text, re.DOTALL), text[-1500:])
    text = by_gdb(trawl, "corrupt-a64.it", "break work", "continue", "continue", "reverse-finish", "echo at\\n", "bt 1", "reverse-stepi", "finish")
    checker.check("reverse-finish", re.search(r"at\n#0 .*run_jobs", text), text)
