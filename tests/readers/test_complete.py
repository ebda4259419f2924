"""The tables of `trawl export` have everything that libtrawl has of events, register writes, accesses and calls.

    tests/run.py complete

The members of libtrawl's structures are read from its header, so that one that is added there and not in a table fails here; then each of
them is computed from the table, for every row of some traces, and compared with what the library answers.
"""

import csv
import io
import re
from pathlib import Path

import pytest
import quick

ROOT = Path(__file__).resolve().parents[2]
TRACES = {
    **{f"{name}.{form}": (f"traces/{name}.{form}.tarmac", f"elf/{name}.elf")
       for name, form in (("sort-a64", "it"), ("recursion-t32", "it"), ("longjmp-a64", "it"), ("exceptions-a32", "es"), ("twocores-a64", "it"))},
    "jobs": ("os/jobs.tarmac.xz", "os/jobs.elf"),
}
# Which columns have a member of a structure of idx/trawl.h.
MEMBERS = {
    "trawl_event": ("events", {"event": "event", "lane": "lane", "in_lane": "lane_event", "time": "time", "line": "line", "position": "position",
                               "pc": "pc isa", "flags": "isa outcome host_call"}),
    "trawl_register_write_columns": ("registers", {"event": "event", "lane": "lane", "offset": "register first_byte", "mask": "first_byte size",
                                                   "value": "value", "known": "value"}),
    "trawl_access_columns": ("memory", {"event": "event", "address": "address", "size_bytes": "size", "mask": "size", "value": "value",
                                        "kind": "kind value"}),
    "trawl_load_columns": ("memory", {"event": "event", "address": "address", "size_bytes": "size"}),
    "trawl_call": ("calls", {"call": "call", "entry": "entry_event", "exit": "exit_event", "pc": "entry_pc", "depth": "depth",
                             "parent": "parent", "is_open": "state", "how": "state kind interrupt guess", "began": "began_event"}),
    "trawl_call_columns": ("calls", {"call": "call", "entry": "entry_event", "exit": "exit_event", "pc": "entry_pc", "depth": "depth",
                                     "parent": "parent", "is_open": "state", "inside": "call depth"}),
}
LEFT, TAIL_EXIT, TAIL_ENTRY, EXCEPTION, TASK, RESUMED, SUSPENDED, GUESSED, INTERRUPT = (1 << bit for bit in (0, 1, 2, 3, 4, 5, 6, 8, 9))
ISAS = {"A32": 0, "T32": 1, "A64": 2}
MASK = 2**64 - 1
R13, R15 = 13 * 8, 15 * 8
BANKED = ("exceptions-a32.es", "jobs")


def number(text):
    return int(text, 0) if text else None


def table(trawl, what, trace, image, *words):
    done = quick.run([trawl, "export", "--format", "csv", "--table", what, "--image", image, *words, trace])
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def opened(library, trawl, place, name):
    trace, image = (ROOT / "corpus" / path for path in TRACES[name])
    done = quick.run([trawl, "index", "--image", image, "--index", place / "index", trace])
    assert done.returncode == 0, done.stderr
    return trace, image, library.open(place / "index")


def test_members(trawl, checker):
    header = (ROOT / "idx" / "trawl.h").read_text()
    trace, image = (ROOT / "corpus" / path for path in TRACES["sort-a64.it"])
    for structure, (what, columns) in MEMBERS.items():
        body = re.sub(r"//[^\n]*", "", re.search(r"^struct %s \{\n(.*?)^\};" % structure, header, re.M | re.S)[1])
        members = [name for line in body.split(";") for name in re.findall(r"\*?(\w+)\s*(?:,|$)", line.strip())]
        checker.expect("members with their columns", sorted(members), sorted(columns), at=structure)
        there = set(table(trawl, what, trace, image)[0])
        checker.expect("columns that are not there", {name for names in columns.values() for name in names.split()} - there, set(), at=what)
    assert not checker.failed


@pytest.mark.parametrize("name", TRACES)
def test_events(trawl, library, place, checker, name):
    trace, image, index = opened(library, trawl, place, name)
    with index:
        names = [index.lane(lane).name.decode() for lane in range(index.info.lanes)]
        wanted = index.events(0, index.info.events)
        rows = table(trawl, "events", trace, image)
    checker.expect("events", len(rows), len(wanted), at=name)
    for row, (lane, in_lane, time, line, position, pc, flags) in zip(rows, wanted):
        found = (row["lane"], number(row["lane_event"]), number(row["time"]), number(row["line"]), number(row["position"]))
        checker.check("an event", found == (names[lane], in_lane, time, line, position), (name, row))
        checker.check("a host call", row["host_call"] == str(flags >> 4 & 1), (name, row))
        checker.check("an exception", (row["outcome"] == "exception") == (flags >> 5 & 1 == 1 and not flags & 4), (name, row))
        if flags & 4:
            found = (number(row["pc"]) | (row["isa"] == "T32"), ISAS[row["isa"]], row["outcome"])
            checker.check("an instruction", found == (pc, flags & 3, "executed" if flags & 8 else "skipped"), (name, row, pc, flags))
        else:
            checker.check("no instruction", not row["isa"] and pc == 2, (name, row))
    assert not checker.failed


@pytest.mark.parametrize("name", TRACES)
def test_registers(trawl, library, place, checker, name):
    """Bytes by event. The index alone has those of r13 and r14 of which another bank is seen from then on, which nothing writes."""
    trace, image, index = opened(library, trawl, place, name)
    with index:
        names = [index.lane(lane).name.decode() for lane in range(index.info.lanes)]
        layout = {}  # offsets of a name, which depend on the instruction set
        for register in index.layout():
            layout.setdefault(register.name.decode(), set()).add(register.offset)
        wanted = {}
        for event, lane, offset, mask, value in index.register_log(0, index.info.events, 4096):
            for byte in range(8):
                if mask >> byte & 1:
                    wanted[event, names[lane], offset + byte] = value >> 8 * byte & 0xFF
        rows = table(trawl, "registers", trace, image)
    found = {}
    for row in rows:
        for byte in range(int(row["size"])):
            places = [(int(row["event"]), row["lane"], offset + int(row["first_byte"]) + byte) for offset in layout[row["register"]]]
            if row["value"]:
                found[next((one for one in places if one in wanted), places[0])] = int(row["value"], 16) >> 8 * byte & 0xFF
    checker.expect("bytes that only the table has", sorted(found.keys() - wanted.keys())[:3], [], at=name)
    changed = wanted.keys() - found.keys()
    checker.check("bytes that only the index has", all(R13 <= offset < R15 for _, _, offset in changed) and (not changed or name in BANKED), (name, sorted(changed)[:3]))
    checker.expect("bytes", {key for key in found.keys() & wanted.keys() if found[key] != wanted[key]}, set(), at=name)
    assert not checker.failed


@pytest.mark.parametrize("name", TRACES)
def test_accesses(trawl, library, place, checker, name):
    """Accesses of the index are stores, and loads that tell something new; loads are all of them, without values."""
    trace, image, index = opened(library, trawl, place, name)
    with index:
        stores, values, loads = {}, {}, set()
        for event, address, _, mask, value, kind in index.accesses(0, index.info.events, 4096):
            for byte in range(8):
                if mask >> byte & 1:
                    known = None if kind == 1 else value >> 8 * byte & 0xFF
                    (values if kind == 2 else stores)[event, address + byte & MASK] = known
        for event, address, size in index.loads(0, index.info.events, 4096):
            loads |= {(event, address + byte & MASK) for byte in range(size)}
        rows = table(trawl, "memory", trace, image)
    found = {"load": {}, "store": {}}
    for row in rows:
        for byte in range(int(row["size"])):
            value = int(row["value"], 16) >> 8 * byte & 0xFF if row["value"] else None
            found[row["kind"]][int(row["event"]), int(row["address"], 16) + byte & MASK] = value
    checker.expect("bytes stored", found["store"], stores, at=name)
    checker.expect("bytes loaded", sorted(found["load"].keys() ^ loads)[:3], [], at=name)
    checker.expect("values loaded", {key: value for key, value in values.items() if found["load"].get(key) != value}, {}, at=name)
    checker.check("there are stores and loads", stores and loads and values, name)
    assert not checker.failed


def how_of(row):
    """The flags that state and kind stand for; one that goes on is told by began_event how it began."""
    kind, state = row["kind"].split(", "), row["state"].split(", ")
    return ((LEFT if "left" in state else 0) | (SUSPENDED if "switched away" in state else 0) | (RESUMED if "resumed" in kind else 0) |
            (EXCEPTION if kind[0] == "exception" else 0) | (TASK if kind[0] == "task" else 0) |
            INTERRUPT * int(row["interrupt"]) | GUESSED * int(row["guess"]))  # fmt: skip


@pytest.mark.parametrize("name", TRACES)
def test_calls(trawl, library, place, checker, name):
    trace, image, index = opened(library, trawl, place, name)
    with index:
        lanes = {index.lane(lane).name.decode(): lane for lane in range(index.info.lanes)}
        inside = {(lane, row[0]): row[-1] for lane in lanes.values() for row in index.calls(lane, 0, 100000)}
        wanted = [index.call(lane, call) for lane in lanes.values() for call in range(index.lane(lane).calls)]
        rows = table(trawl, "calls", trace, image)
    roots = {int(row["call"]): row for row in rows if row["depth"] == "0"}
    calls = [row for row in rows if row["depth"] != "0"]
    checker.expect("calls", len(calls), len(wanted), at=name)
    ends = {int(row["call"]): int(row["call"]) for row in rows}
    for row in reversed(rows):
        if row["parent"]:
            ends[int(row["parent"])] = max(ends[int(row["parent"])], ends[int(row["call"])])
    number_of, counts = {}, {}
    for row, call in zip(calls, wanted):
        lane = lanes[row["lane"]]
        number_of[int(row["call"])] = counts[lane] = counts.get(lane, -1) + 1
        parent = 2**64 - 2 if int(row["parent"]) in roots else number_of[int(row["parent"])]
        found = (number_of[int(row["call"])], int(row["entry_event"]), int(row["exit_event"]), int(row["entry_pc"], 16), int(row["depth"]),
                 parent, "open" in row["state"], int(row["began_event"]))
        checker.check("a call", found == (call.call, call.entry, call.exit, call.pc, call.depth, call.parent, call.is_open, call.began),
                      (name, row, [getattr(call, field[0]) for field in call._fields_]))
        told = LEFT | SUSPENDED | RESUMED | EXCEPTION | TASK | GUESSED | INTERRUPT
        checker.check("how it began and ended", how_of(row) == call.how & told, (name, row, call.how))
        if not call.how & (RESUMED | EXCEPTION | TASK | GUESSED):
            checker.check("tail calls", (row["kind"] == "tail call") == bool(call.how & TAIL_ENTRY), (name, row, call.how))
        checker.check("calls in it", ends[int(row["call"])] - int(row["call"]) == inside[lane, call.call], (name, row))
    assert not checker.failed
