"""Tables of `trawl export`: calls, events, writes to registers and accesses to memory as CSV, lines of JSON and Arrow.

The expected contents come from the text of the traces, read by regular expressions. All formats agree; filters select from the whole
table; threads, chunks and pipes change nothing. Arrow is read by its own reader, and by pyarrow if installed.

    tests/run.py tables
"""

import csv
import io
import json
import re
from pathlib import Path

import arrow_reader
import pytest
import quick
from checker import Checker
from test_coverage import instructions_of

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 120
NAMES = ["sort-a64.it", "sort-t32.it", "fp-a64.it", "fp-a32.it", "twocores-a64.it", "exceptions-a64.it", "recursion-t32.it"]
TABLES = ["calls", "events", "registers", "memory"]
HEX = {"pc", "address", "value", "entry_pc", "exit_pc", "site_pc", "resume_pc"}
TEXTS = {"lane", "function", "isa", "outcome", "register", "kind", "state", "task"}
ACCESS = re.compile(rb"^(\d+) clk (?:(\w+) )?M([RW])(\d+)X? ([0-9a-f]+):\w+ ([0-9a-fA-F_]+)$", re.MULTILINE)
WRITE = re.compile(rb"^(\d+) clk (?:(cpu\d) )?R (\w+) ([0-9a-fA-F_]+)$", re.MULTILINE)
MODE = re.compile(rb"^(\d+) clk (?:(cpu\d) )?IT \(\d+\) \w+ \w+ O EL(\d)([th])")


class Tables(Checker):
    def run(self, *words, status=(0,), given=None):
        done = quick.run([self.trawl, "export", *map(str, words)], timeout=TIMEOUT_S, input=given)  # fmt: skip
        assert done.returncode in status, (words, done.returncode, done.stderr[-300:])
        return done.stdout if status == (0,) else done.stderr

    def rows(self, *words):
        return [number_of(json.loads(line)) for line in self.run("--format", "jsonl", *words).splitlines()]


def number_of(row):
    """A row with addresses as numbers, as in Arrow."""
    return {key: int(value, 16) if key in HEX and value is not None else value for key, value in row.items()}


def from_csv(text):
    def cell(key, value):
        if value == "":
            return None
        return int(value, 16) if key in HEX else value if key in TEXTS else int(value)

    return [{key: cell(key, value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text.decode()))]


def pyarrow_rows(data):
    try:
        import pyarrow.ipc
    except ImportError:
        return None
    table = pyarrow.ipc.open_file(io.BytesIO(data)).read_all()
    table.validate(full=True)
    return table.to_pylist()


def check_formats(tables, words):
    """Every table in every format."""
    for table in TABLES:
        given = ["--table", table, *words]
        rows = tables.rows(*given)
        label = f"{Path(words[-1]).name}: {table}"
        tables.check(f"{label}: rows", len(rows) > 5)
        tables.check(f"{label}: CSV", from_csv(tables.run("--format", "csv", *given)) == rows)
        data = tables.run("--format", "arrow", *given)
        tables.check(f"{label}: Arrow", arrow_reader.read(data)[0] == rows)
        theirs = pyarrow_rows(data)
        if theirs is None:
            tables.skip("Arrow by its own library", "no pyarrow")
        else:
            tables.check(f"{label}: pyarrow", theirs == rows)


def check_events(tables, label, text, words):
    rows = tables.rows("--table", "events", *words)
    found = [(row["time"], row["lane"] or "", row["pc"], row["outcome"] == "executed") for row in rows if row["pc"] is not None]
    tables.check(f"{label}: events", found == instructions_of(text), (len(found), len(instructions_of(text))))
    tables.check(f"{label}: numbers of events", [row["event"] for row in rows] == list(range(len(rows))))
    lines = text.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    tables.check(f"{label}: places", all(starts[row["line"] - 1] == row["position"] and
                 lines[row["line"] - 1].startswith(b"%d clk " % row["time"]) for row in rows))  # fmt: skip


def check_memory(tables, label, text, words):
    rows = tables.rows("--table", "memory", *words)
    found = sorted((row["time"], row["lane"] or "", row["kind"], row["address"], row["size"], row["value"]) for row in rows)
    wanted = []
    for time, lane, kind, size, address, value in ACCESS.findall(text):
        digits, start, left = value.replace(b"_", b""), int(address, 16), int(size)
        assert len(digits) == 2 * left
        while left:  # 8 bytes at a time, lowest first
            step = min(left, 8)
            wanted.append((int(time), lane.decode(), "load" if kind == b"R" else "store", start, step,
                           int(digits[-2 * step :], 16)))  # fmt: skip
            digits, start, left = digits[: -2 * step], start + step, left - step
    tables.check(f"{label}: memory", found == sorted(wanted), (len(found), len(wanted)))


def whole_registers(rows):
    """Joins cells of 8 bytes to the values that they are parts of: (time, lane, register, first byte, value)."""
    whole, before = [], None
    for row in rows:
        key = (row["event"], row["register"], row["first_byte"])
        if key == before and row["first_byte"] % 16:
            whole[-1] = (*whole[-1][:4], whole[-1][4] | row["value"] << 64)
        else:
            whole.append((row["time"], row["lane"] or "", row["register"].lower(), row["first_byte"], row["value"]))
        before = (*key[:2], row["first_byte"] + row["size"])
    return whole


BANKED = re.compile(r"^(sp|lr|r1[34])_(el\d|usr|svc|irq|abt|und|fiq|mon|hyp)$")


def place_of(name, is_aarch64):
    """The name of a register of a trace in the table, and its first byte there."""
    number = int(name[1:]) if name[1:].isdigit() else 0
    if is_aarch64:
        return {"cpsr": "psr", "x30": "x30"}.get(name, re.sub(r"^[qds](?=\d+$)", "v", name)), 0
    if name[0] == "s" and name[1:].isdigit():
        return f"d{number // 2}", number % 2 * 4
    return {"cpsr": "psr", "r14": "lr", "r13": "sp"}.get(name, name), 0


def writes_of_other_modes(text):
    """The writes to stack pointers of AArch64 that are not those of the mode in which the core is."""
    modes, unused = {}, set()
    for line in text.split(b"\n"):
        write, mode = WRITE.match(line), MODE.match(line)
        if mode:
            lane, level, stack = mode.groups(b"")[1:]
            modes[lane] = b"sp_el0" if stack == b"t" else b"sp_el" + level
        elif write and write[3].lower().startswith(b"sp_el"):
            lane, name = write.groups(b"")[1:3]
            if modes.get(lane, name.lower()) != name.lower():
                unused.add(write.groups(b""))
    return unused


def check_registers(tables, label, text, words):
    found = whole_registers(tables.rows("--table", "registers", *words))
    wanted, unused = [], writes_of_other_modes(text)
    for write in WRITE.findall(text):
        time, lane, name, value = write
        name, number = name.decode().lower(), int(value.replace(b"_", b""), 16)
        places = [place_of(BANKED.sub(r"\1", name), "a64" in label)] if write not in unused else []
        if BANKED.match(name):  # it is stored under its own name
            places.append((name, 0))
        if places[0][0][0] == "q" and places[0][0][1:].isdigit():  # a Q register of A32: two of 8 bytes
            first = 2 * int(places[0][0][1:])
            halves = [(f"d{first}", 0, number & (1 << 64) - 1), (f"d{first + 1}", 0, number >> 64)]
            wanted += [(int(time), lane.decode(), *half) for half in halves]
            continue
        wanted += [(int(time), lane.decode(), *place, number) for place in places]
    rest = sorted(set(found) ^ set(wanted))
    tables.check(f"{label}: registers", rest == [], rest[:6])


def check_filters(tables, label, words):
    for table in TABLES[1:]:
        given = ["--table", table, *words]
        rows = tables.rows(*given)
        some = tables.rows("--time", "40..90", *given)
        tables.check(f"{label}: {table} by time", some == [row for row in rows if 40 <= row["time"] <= 90] and some)
    given = ["--table", "events", *words]
    rows, counts = tables.rows(*given), {}
    wanted = []
    for row in rows:
        number = counts[row["lane"]] = counts.get(row["lane"], -1) + 1
        wanted += [row] if 30 <= number <= 70 else []
    tables.check(f"{label}: by events", tables.rows("--lane-events", "30..70", *given) == wanted)


@pytest.fixture
def tables(trawl):
    return Tables(trawl)


def test_lanes(tables):
    words = ["--table", "memory", "--image", IMAGES / "twocores-a64.elf", TRACES / "twocores-a64.it.tarmac"]
    rows = tables.rows(*words)
    tables.check("lanes", {row["lane"] for row in rows} == {"cpu0", "cpu1"})
    tables.check("a lane", tables.rows("--lane", "cpu1", *words) == [row for row in rows if row["lane"] == "cpu1"])
    tables.check("no such lane", b"cpu0" in tables.run("--format", "csv", "--lane", "cpu7", *words, status=(1,)))


def long_trace(events):
    """More events than fit in one batch, on two cores, with a register whose name first appears late."""
    lines = []
    for i in range(events):
        core, pc = i % 3 // 2, 0x8000 + 4 * (i % 1000)
        lines.append(f"{i} clk cpu{core} IT ({i}) {pc:08x} d503201f O EL1h_n : NOP\n")
        if i % 5 == 0:
            lines.append(f"{i} clk cpu{core} R X{i % 30} {i:016x}\n")
        if i % 7 == 0:
            lines.append(f"{i} clk cpu{core} MW8 {0x9000 + i:08x}:{0x9000 + i:012x} 00000000_{i:08x}\n")
        if i > events // 2 and i % 1000 == 0:
            lines.append(f"{i} clk cpu{core} R LATE_EL1 {i:016x}\n")
    return "".join(lines).encode()


def test_long(tables, place):
    events = 200_000
    trace = place / "long.tarmac"
    trace.write_bytes(long_trace(events))
    for table, count in [("events", events), ("registers", (events + 4) // 5 + 99), ("memory", (events + 6) // 7)]:
        for kind in ["csv", "jsonl", "arrow"]:
            words = ["--format", kind, "--table", table]
            one = tables.run(*words, "--threads", "1", trace)
            label = f"long: {table} as {kind}"
            tables.check(f"{label}: threads", tables.run(*words, "--threads", "2", trace) == one)
            tables.check(f"{label}: chunks", tables.run(*words, "--chunk-size", "64K", trace) == one)
            tables.check(f"{label}: a pipe", tables.run(*words, "-", given=trace.read_bytes()) == one)
            if kind == "csv":
                tables.check(f"{label}: rows", one.count(b"\n") == count + 1, one.count(b"\n"))
            if kind == "arrow":
                rows, batches = arrow_reader.read(one)
                tables.check(f"{label}: batches", len(rows) == count and batches == 4, (len(rows), batches))
    late = [row for row in tables.rows("--table", "registers", trace) if row["register"] == "LATE_EL1"]
    tables.check("long: a register of a late name", len(late) == 99 and all(row["value"] == row["time"] for row in late))


def test_refusals(tables):
    trace = TRACES / "sort-a64.it.tarmac"
    log = ROOT / "corpus" / "xray" / "threads.fdr.xray"

    def is_refused(label, word, *words, status=2):
        tables.check(label, word in tables.run(*words, status=(status,)))

    is_refused("a table of another format", b"--table needs", "--table", "events", trace)
    is_refused("an unknown table", b"registers or memory", "--format", "csv", "--table", "everything", trace)
    is_refused("filters of calls", b"--table calls", "--format", "csv", "--table", "memory", "--depth", "3", trace)
    is_refused("an index", b"no index", "--format", "csv", "--table", "memory", "--force-index", trace)
    is_refused("a log", b"--table calls", "--format", "csv", "--table", "memory", log)
    is_refused("nothing there", b"", "--format", "csv", "--table", "memory", "--time", "900000..900001", trace, status=1)
    tables.check("calls of a log", len(tables.rows("--table", "calls", log)) > 3)
    data = tables.run("--format", "arrow", log)
    tables.check("a log as Arrow", all(isinstance(row["seconds"], float) for row in arrow_reader.read(data)[0]))


@pytest.mark.parametrize("name", NAMES)
def test_traces(tables, name):
    trace, image = TRACES / f"{name}.tarmac", IMAGES / f"{name.split('.')[0]}.elf"
    words, text = ["--image", image, trace], trace.read_bytes()
    check_formats(tables, words)
    check_events(tables, name, text, words)
    check_memory(tables, name, text, words)
    check_registers(tables, name, text, words)
    check_filters(tables, name, words)
