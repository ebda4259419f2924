"""Calls in the formats of other programs: each format of `trawl export`, read by its own reader, contains the calls of the trace events and
the sums of the profile. The readers here were written from the descriptions of the formats. If callgrind_annotate, go (for its pprof) or
Python's perfetto module is installed, it reads the file, too.

    tests/run.py export
"""

import csv
import functools
import gzip
import io
import json
import re
import shutil
import struct
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import posixpath
import pytest
import quick
from checker import Checker
from small_elf import named

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
TARMAC = ["sort-a64.it", "recursion-t32.es", "exceptions-a64.it", "twocores-a64.gem5", "longjmp-a32.it", "hang-a64.it"]
LOGS = ["threads.fdr", "recursion.basic", "events.fdr", "arguments.fdr", "exceptions.fdr", "typed.fdr"]


class ExportChecker(Checker):
    def run(self, *words, status=(0, 3)):
        done = quick.run([self.trawl, *map(str, words)], timeout=TIMEOUT_S)
        assert done.returncode in status, (words, done.returncode, done.stderr[-300:])
        return done.stdout


# --- Protobuf ------------------------------------------------------------------------------------


def varint(message, at):
    """A number, and the offset of its end."""
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(message):
    """The fields of a message as (number, value): numbers and bytes, by their encoding."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        value, at = varint(message, at)
        if key & 7 == 0:
            yield key >> 3, value
        else:
            assert key & 7 == 2, key
            assert at + value <= len(message), (at, value)
            yield key >> 3, message[at : at + value]
            at += value


def one(message, number, default=None):
    """A field that occurs at most once."""
    found = [value for field, value in fields(message) if field == number]
    assert len(found) <= 1, (number, found)
    return found[0] if found else default


def packed(message):
    numbers, at = [], 0
    while at < len(message):
        value, at = varint(message, at)
        numbers.append(value)
    return numbers


# --- Events in their order -----------------------------------------------------------------------

# Each reader returns {lane: [("B", name) | ("E",) | ("i", name)]} and the time of each, in nanoseconds or ticks.


def read_chrome(text):
    lanes, times = defaultdict(list), defaultdict(list)
    for event in json.loads(text)["traceEvents"]:
        lane = (event["pid"], event["tid"])
        if event["ph"] == "M":
            lanes[lane] = []
            continue
        lanes[lane].append((event["ph"], *([event["name"]] if event["ph"] != "E" else [])))
        times[lane].append(event["ts"])
    return lanes, times


def read_perfetto(data):
    tracks, names, lanes, times = {}, {}, defaultdict(list), defaultdict(list)
    for number, packet in fields(data):
        assert number == 1
        interned, event, track = one(packet, 12), one(packet, 11), one(packet, 60)
        assert one(packet, 10) == 1
        assert one(packet, 13) == (1 if not tracks else 2)
        if interned and one(interned, 2):
            entry = one(interned, 2)
            assert one(entry, 1) not in names
            names[one(entry, 1)] = one(entry, 2).decode()
        if track:
            thread = one(track, 4)
            tracks[one(track, 1)] = (one(thread, 1), one(thread, 2))
            lanes[tracks[one(track, 1)]] = []
            assert one(thread, 5) is not None
        if event:
            lane, kind = tracks[one(event, 11)], one(event, 9)
            name = names[one(event, 10)] if kind == 1 else one(event, 23, b"").decode()
            lanes[lane].append(("BEi"[kind - 1], *([name] if kind != 2 else [])))
            times[lane].append(one(packet, 8))
    return lanes, times


def names_of_perfetto(data):
    """Names of the tracks in their order."""
    threads = [one(one(packet, 60), 4) for number, packet in fields(data) if one(packet, 60)]
    return [one(thread, 5).decode() for thread in threads]


def read_speedscope(text):
    whole = json.loads(text)
    names = [frame["name"] for frame in whole["shared"]["frames"]]
    assert len(set(map(str, names))) <= len(names)
    lanes, times = [], []
    for profile in whole["profiles"]:
        stack, events = [], []
        at = profile["startValue"]
        for event in profile["events"]:
            assert profile["startValue"] <= at <= event["at"] <= profile["endValue"], (event, at)
            at = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
                events.append(("B", names[event["frame"]]))
            else:
                assert stack.pop() == event["frame"]
                events.append(("E",))
        assert not stack
        lanes.append(events)
        times.append([event["at"] for event in profile["events"]])
    return lanes, times


def own_times(lanes, times):
    """{function: own time}, from the begin and end of calls."""
    own = Counter()
    for events, at in zip(lanes, times, strict=True):
        stack, before = [], 0
        for event, time in zip(events, at, strict=True):
            if stack:
                own[stack[-1]] += time - before
            before = time
            if event[0] == "B":
                stack.append(event[1])
            else:
                stack.pop()
    return +own


def check_events(checker, label, words):
    chrome, chrome_times = read_chrome(checker.run("export", *words))
    data = checker.run("export", "--format", "perfetto", *words)
    perfetto, perfetto_times = read_perfetto(data)
    speedscope, speedscope_times = read_speedscope(checker.run("export", "--format", "speedscope", *words))
    calls = [[event for event in events if event[0] != "i"] for events in chrome.values()]
    checker.check(f"{label}: calls of perfetto", perfetto == chrome, [len(events) for events in perfetto.values()])
    checker.check(f"{label}: calls of speedscope", speedscope == calls)
    # Trace events with equal times are separated by the smallest step that a reader can distinguish: less than a microsecond here.
    has_seconds = label.startswith("log")
    scale = 1000 if has_seconds else 1
    near = all(abs(ours - theirs * scale) < 1 for lane, theirs_of in chrome_times.items()
               for ours, theirs in zip(perfetto_times[lane], theirs_of, strict=True))
    checker.check(f"{label}: times of perfetto", near)
    begins = [[time for time, event in zip(chrome_times[lane], chrome[lane], strict=True) if event[0] != "i"] for lane in chrome]
    near = all(abs(ours - theirs) < 0.001 for ours_of, theirs_of in zip(speedscope_times, begins, strict=True)
               for ours, theirs in zip(ours_of, theirs_of, strict=True))
    checker.check(f"{label}: times of speedscope", near)
    check_perfetto_itself(checker, label, data, perfetto)
    if not has_seconds:
        own = {name: own for name, (own, _) in profile_of(checker, words).items() if own}
        checker.check(f"{label}: own time of speedscope", own_times(*read_speedscope(
            checker.run("export", "--format", "speedscope", *words))) == own, own)  # fmt: skip


def check_perfetto_itself(checker, label, data, lanes):
    try:
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
    except ImportError:
        checker.skip("perfetto", "no module perfetto")
        return
    trace = Trace()
    trace.ParseFromString(data)
    events = Counter(packet.track_event.type for packet in trace.packet if packet.HasField("track_event"))
    wanted = Counter("BEi".index(event[0]) + 1 for events_of in lanes.values() for event in events_of)
    checker.check(f"{label}: perfetto's own reader", events == wanted, events)


def check_perfetto_places(checker, label, words):
    """Each slice has the line and PC where its call begins."""
    names, found = {}, []
    for _, packet in fields(checker.run("export", "--format", "perfetto", *words)):
        for number, entry in fields(one(packet, 12, b"")):
            if number == 3:
                names[one(entry, 1)] = one(entry, 2).decode()
        event = one(packet, 11, b"")
        if one(event, 9) == 1:
            notes = [note for number, note in fields(event) if number == 4 and one(note, 1)]
            found.append({names[one(note, 1)]: one(note, 3, one(note, 7)) for note in notes})
    calls = json.loads(checker.run("calltree", "--format", "json", *words))
    wanted = [{"line": call["entry_line"], "pc": int(call["entry_pc"], 16) & ~1} for call in calls]
    checker.check(f"{label}: places of perfetto", found == wanted, found[:2])


def counters_of(data):
    """{name of a counter: [(time, value)]}."""
    tracks, values = {}, defaultdict(list)
    for _, packet in fields(data):
        track = one(packet, 60, b"")
        if track and any(number == 8 for number, _ in fields(track)):
            tracks[one(track, 1)] = one(track, 2).decode()
            values[tracks[one(track, 1)]] = []
        event = one(packet, 11, b"")
        if one(event, 9) == 4:
            value = one(event, 30)
            values[tracks[one(event, 11)]].append((one(packet, 8), value - (1 << 64) if value >> 63 else value))
    return dict(values)


def values_written(checker, what, words):
    """(time, value) of each write that changes the value, from `trawl writes`."""
    found = []
    for row in csv.DictReader(io.StringIO(checker.run("writes", *words, what, "--all", "--format", "csv").decode())):
        value = row["value"]
        if ".." not in value and (not found or found[-1][1] != int(value, 16)):
            found.append((int(row["time"]), int(value, 16)))
    return found


@pytest.fixture
def checker(trawl):
    return ExportChecker(trawl)


def test_counters(checker):
    trace, image = ROOT / "corpus" / "traces" / "sort-a64.it.tarmac", ROOT / "corpus" / "elf" / "sort-a64.elf"
    words = [trace, f"--image={image}", "--memory-index"]
    asked = ["sp", "x0", "u32:numbers", "s8:numbers+4", "numbers+8:2"]
    data = checker.run("export", "--format", "perfetto", *(f"--counter={what}" for what in asked), *words)
    found, start = counters_of(data), int(checker.run("calltree", "--format", "csv", *words).split(b"\n")[1].split(b",")[2])
    checker.check("counters", list(found) == asked, list(found))
    for what, written in [("sp", "sp"), ("x0", "x0"), ("u32:numbers", "numbers:4"), ("numbers+8:2", "numbers+8:2"),
                          ("s8:numbers+4", "numbers+4:1")]:  # fmt: skip
        wanted = [(max(0, time - start), value) for time, value in values_written(checker, written, words)]
        if what[0:3] == "s8:":
            wanted = [(time, value - 256 if value > 127 else value) for time, value in wanted]
        checker.check(f"counter {what}", found[what] == wanted and len(wanted) > 1, (found[what][:5], wanted[:5]))
    part = counters_of(checker.run("export", "--format", "perfetto", "--counter=sp", "--time", "500..900", *words))["sp"]
    checker.check("a counter in a range", part[0][0] == 500 - start and [value for _, value in part[1:]] ==
                  [value for time, value in found["sp"] if 500 <= time + start <= 900 and (time, value) != part[0]], part[:3])  # fmt: skip
    cores = [ROOT / "corpus" / "traces" / "twocores-a64.it.tarmac", "--memory-index"]
    data = checker.run("export", "--format", "perfetto", "--counter=sp", "--counter=s16:sp", *words)
    checker.check("the low bytes of a counter", [value & 0xffff for _, value in counters_of(data)["s16:sp"]] ==
                  [value & 0xffff for _, value in counters_of(data)["sp"]])  # fmt: skip
    found = counters_of(checker.run("export", "--format", "perfetto", "--counter=sp", *cores))
    checker.check("a counter of each core", list(found) == ["sp cpu0", "sp cpu1"], list(found))
    found = counters_of(checker.run("export", "--format", "perfetto", "--counter=sp", "--lane=cpu1", *cores))
    checker.check("a counter of one core", list(found) == ["sp cpu1"], list(found))
    for what, value_of in (("(x0 + 2 * x1) & 0xffff", lambda x0, x1: x0 + 2 * x1 & 0xFFFF), ("x0 == x1", lambda x0, x1: int(x0 == x1))):
        values, wanted = {}, []
        writes = [(time, name, value) for name in ("x0", "x1") for time, value in values_written(checker, name, words)]
        for time in sorted({time for time, _, _ in writes}):
            values.update({name: value for at, name, value in writes if at == time})
            value = value_of(**values) if len(values) == 2 else None
            if value is not None and (not wanted or wanted[-1][1] != value):
                wanted.append((max(0, time - start), value))
        found = counters_of(checker.run("export", "--format", "perfetto", f"--counter={what}", *words))[what]
        checker.check(f"counter {what}", found == wanted and len(wanted) > 1, (found[:5], wanted[:5]))
    for what, said in [("nosuch", b"nosuch"), ("v0", b"8 bytes"), ("u32:sp+8", b"memory whose"), ("u64:", b"")]:
        done = quick.run([checker.trawl, "export", "--format", "perfetto", f"--counter={what}", *map(str, words)], timeout=TIMEOUT_S)  # fmt: skip
        checker.check(f"no counter {what}", done.returncode in (1, 2) and not done.stdout and said in done.stderr, done.stderr)
    checker.run("export", "--counter=sp", *words, status=(2,))
    checker.run("export", "--format=perfetto", "--counter=sp", ROOT / "corpus" / "xray" / "threads.fdr.xray", status=(2,))


def check_packed(checker, label, words, directory):
    """A file whose name ends in .gz is compressed; the bytes are the same each time."""
    for kind in ("chrome", "perfetto", "speedscope", "firefox", "callgrind", "pprof", "collapsed", "csv", "jsonl",
                 "arrow"):
        plain, packed = checker.run("export", "--format", kind, *words), []
        for name in ("one.gz", "two.gz"):
            checker.run("export", "--format", kind, "-o", directory / name, *words)
            packed.append((directory / name).read_bytes())
        checker.check(f"{label}: {kind} packed", gzip.decompress(packed[0]) == plain and packed[0] == packed[1])
        if shutil.which("gzip"):
            done = subprocess.run(["gzip", "-t", directory / "one.gz"], capture_output=True, timeout=TIMEOUT_S, check=False)
            checker.check(f"{label}: gzip reads {kind}", done.returncode == 0, done.stderr)


# --- Common Trace Format -------------------------------------------------------------------------


class Ctf:
    """A trace in the layout of `export --format ctf`, read as its own metadata describes it."""

    def __init__(self, directory):
        text = (directory / "metadata").read_text()
        assert text.startswith("/* CTF 1.8 */")
        self.names = {int(number): re.sub(r"\\\\(.)", r"\\1", name) for name, number in
                      re.findall(r'^    "((?:[^"\\\\]|\\\\.)*)" = (\d+),$', text, re.M)}  # fmt: skip
        self.has_addresses = "address_t pc" in text
        files = sorted(directory.glob("lane_*"), key=lambda path: int(path.name[5:]))
        self.lanes = [list(self.events(path.read_bytes())) for path in files]

    def events(self, data):
        """(time, kind, fields) of each event."""
        at, before = 0, 0
        while at < len(data):
            magic, stream, first, last, content, size = struct.unpack_from("<IIQQQQ", data, at)
            assert magic == 0xC1FC1FC1 and stream == 0 and content == size and at + size // 8 <= len(data)
            end, at = at + size // 8, data.index(0, at + 40) + 1
            times = []
            while at < end:
                kind, time = struct.unpack_from("<BQ", data, at)
                assert before <= time and first <= time <= last
                before, at = time, at + 9
                times.append(time)
                fields, at = self.fields(kind, data, at)
                yield time, kind, fields
            assert at == end and (not times or (times[0], times[-1]) == (first, last))

    def fields(self, kind, data, at):
        def text(at):
            end = data.index(0, at)
            return data[at:end].decode(), end + 1

        if kind < 2:
            name = self.names[struct.unpack_from("<I", data, at)[0]]
            if kind == 1 or not self.has_addresses:
                return (name,), at + 4
            return (name, *struct.unpack_from("<QQ", data, at + 4)), at + 20
        if kind == 2:
            what, at = text(at)
            return (what,), at
        if kind == 3:
            return struct.unpack_from("<Q", data, at), at + 8
        what, at = text(at)
        if kind == 5:
            return (what, *struct.unpack_from("<Q", data, at)), at + 8
        function, at = text(at)
        payload, at = text(at)
        return (what, function, payload, *struct.unpack_from("<Q", data, at)), at + 8


def leaves_what_it_entered(events):
    stack = []
    for _, kind, fields in events:
        if kind == 0:
            stack.append(fields[0])
        elif kind == 1 and stack.pop() != fields[0]:
            return False
    return not stack


def check_ctf(checker, label, words, directory):
    place = directory / "ctf"
    shutil.rmtree(place, ignore_errors=True)
    checker.run("export", "--format", "ctf", "-o", place, *words)
    trace = Ctf(place)
    wanted, times = read_perfetto(checker.run("export", "--format", "perfetto", *words))
    found = [[("B", fields[0]) if kind == 0 else ("E",) if kind == 1 else ("i", fields[0]) for _, kind, fields in events if
              kind in (0, 1, 4)] for events in trace.lanes]  # fmt: skip
    checker.check(f"{label}: calls of ctf", found == list(wanted.values()), [len(lane) for lane in found])
    if not label.startswith("log"):
        at = [[time for time, kind, _ in events if kind != 2] for events in trace.lanes]
        checker.check(f"{label}: times of ctf", at == list(times.values()))
        calls = json.loads(checker.run("calltree", "--format", "json", *words))
        places = [fields for events in trace.lanes for _, kind, fields in events if kind == 0]
        checker.check(f"{label}: places of ctf", [place[1:] for place in places] ==
                      [(int(call["entry_pc"], 16) & ~1, call["entry_line"]) for call in calls])  # fmt: skip
    checker.check(f"{label}: what ctf leaves", all(leaves_what_it_entered(events) for events in trace.lanes))
    if not shutil.which("babeltrace2"):
        checker.skip("babeltrace2", "not installed")
        return
    done = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", "--names=none", place], capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=False)  # fmt: skip
    rows = re.findall(r"^\[(\d+)\] (\w+): \{ (\"(?:[^\"\\\\]|\\\\.)*\") \}, \{ ?(.*?) ?\}$", done.stdout, re.M)
    theirs = Counter((int(time), kind) for time, kind, _, _ in rows)
    kinds = ["enter", "leave", "mark", "argument", "event"]
    ours = Counter((time, kinds[kind]) for events in trace.lanes for time, kind, _ in events)
    checker.check(f"{label}: babeltrace2", done.returncode == 0 and theirs == ours, (done.stderr[:300], theirs - ours, ours - theirs))
    names = Counter(re.match(r'\( (?:\{ )?"(.*?)"', fields)[1] for _, kind, _, fields in rows if kind == "enter")
    known = Counter(fields[0] for events in trace.lanes for _, kind, fields in events if kind == 0)
    checker.check(f"{label}: functions of babeltrace2", names == known or "\\" in str(names), (names, known))


def check_ctf_refusals(checker, directory, trace):
    """Existing files are not replaced, and nothing is left of a failed export."""
    place = directory / "taken"
    place.mkdir()
    (place / "mine").write_text("")
    checker.run("export", "--format", "ctf", "-o", place, trace, status=(1,))
    checker.check("ctf: a directory that is not empty", [path.name for path in place.iterdir()] == ["mine"])
    checker.run("export", "--format", "ctf", trace, status=(1,))
    checker.run("export", "--format", "ctf", "--function", "nosuch", "-o", directory / "none", trace, status=(1,))
    checker.check("ctf: nothing is left", not (directory / "none").exists())
    (place / "mine").unlink()
    checker.run("export", "--format", "ctf", "-o", place, trace)
    checker.check("ctf: an empty directory", {path.name for path in place.iterdir()} == {"lane_0", "metadata"})


# --- Sums ----------------------------------------------------------------------------------------


def profile_of(checker, words):
    """{function: [self, calls]} of the profile; functions with the same name are added up."""
    sums = defaultdict(lambda: [0, 0])
    for row in json.loads(checker.run("profile", "--format", "json", *words)):
        name = row["function"] or row["address"]
        sums[name][0] += row["self"]
        sums[name][1] += row["calls"]
    return dict(sums)


def read_callgrind(text):
    """{function: [own, calls]}; functions without a caller have 0 calls."""
    names, sums, function, callee = {}, defaultdict(lambda: [0, 0]), None, None
    lines = iter(text.decode().split("\n"))
    assert next(lines) == "# callgrind format"
    for line in lines:
        if match := re.fullmatch(r"(c?)fn=\((\d+)\) (.*)", line):
            names.setdefault(match[2], match[3])
            assert names[match[2]] == match[3]
            if match[1]:
                callee = match[3]
            else:
                function = match[3]
        elif match := re.fullmatch(r"calls=(\d+) \d+", line):
            sums[callee][1] += int(match[1])
            assert re.fullmatch(r"\d+ \d+", next(lines))
        elif match := re.fullmatch(r"\d+ (\d+)", line):
            sums[function][0] += int(match[1])
        else:
            assert line == "" or re.match(r"(version|creator|cmd|positions|events): |c?fi?l?=", line), line
    return dict(sums)


def samples_of_pprof(data):
    """(stack from the innermost function out, calls, own, labels) of each sample."""
    strings = [text.decode() for number, text in fields(data) if number == 6]
    assert strings[0] == ""
    functions = {one(text, 1): strings[one(text, 2)] for number, text in fields(data) if number == 5}
    locations = {one(text, 1): functions[one(one(text, 4), 1)] for number, text in fields(data) if number == 4}
    types = [(strings[one(text, 1)], strings[one(text, 2)]) for number, text in fields(data) if number == 1]
    assert types[0] == ("calls", "count") and types[1][0] == "time", types
    for number, sample in fields(data):
        if number != 2:
            continue
        calls, own = packed(one(sample, 2))
        labels = {strings[one(label, 1)]: strings[one(label, 2, 0)] for field, label in fields(sample) if field == 3}
        yield [locations[location] for location in packed(one(sample, 1))], calls, own, labels


def read_pprof(data):
    """{function: [own, calls]}, the threads, and the calls of outermost functions."""
    sums, threads, roots = defaultdict(lambda: [0, 0]), set(), 0
    for stack, calls, own, labels in samples_of_pprof(data):
        assert set(labels) <= {"thread"} and labels.get("thread") != "", labels
        threads.add(labels.get("thread"))
        sums[stack[0]][0] += own
        sums[stack[0]][1] += calls
        roots += calls if len(stack) == 1 else 0
    return dict(sums), threads, roots


@functools.cache
def has_pprof():
    """Whether go has its pprof ready; some versions have to build it first."""
    if not shutil.which("go"):
        return False
    try:
        done = subprocess.run(["go", "tool", "-n", "pprof"], capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def rows_of_table(table):
    """The number of rows of a table of columns, checked for each column."""
    for name, column in table.items():
        assert not isinstance(column, list) or len(column) == table["length"], (name, table["length"])
    return table["length"]


def read_firefox(text):
    """{function: own time} over all lanes and their stacks, checked by src/types/profile.ts of the Firefox Profiler."""
    profile = json.loads(text)
    shared, own, lanes = profile["shared"], Counter(), []
    assert profile["meta"]["preprocessedProfileVersion"] == 61
    stacks, frames, functions, strings = (shared[name] for name in ("stackTable", "frameTable", "funcTable", "stringArray"))
    rows_of_table(shared["sources"])
    assert all(frame < rows_of_table(frames) for frame in stacks["frame"])
    assert all(prefix is None or prefix < i for i, prefix in zip(range(rows_of_table(stacks)), stacks["prefix"], strict=True))
    assert frames["func"] == list(range(rows_of_table(functions)))
    names = [strings[name] for name in functions["name"]]
    for thread in profile["threads"]:
        samples, at = thread["samples"], 0
        rows_of_table(thread["markers"])
        assert samples["weightType"] == "tracing-ms"
        for row in range(rows_of_table(samples)):
            time, weight = (round(samples[column][row] * 1e6) for column in ("time", "weight"))
            assert time >= at and weight > 0
            at = time + weight
            if samples["stack"][row] is not None:
                own[names[frames["func"][stacks["frame"][samples["stack"][row]]]]] += weight
        lanes.append(thread["name"])
    places = defaultdict(set)
    for name, source, line in zip(names, functions["source"], functions["lineNumber"], strict=True):
        places[name].add((None, 0) if source is None else (strings[shared["sources"]["filename"][source]], line))
    return own, lanes, dict(places)


def check_firefox(checker, label, words, profile):
    own, lanes, places = read_firefox(checker.run("export", "--format", "firefox", *words))
    checker.check(f"{label}: lanes of firefox", len(lanes) == len(read_chrome(checker.run("export", *words))[0]))
    if not label.startswith("log"):
        checker.check(f"{label}: own time of firefox", own == {name: own for name, (own, _) in profile.items() if own}, own)
        theirs = places_of_speedscope(checker.run("export", "--format", "speedscope", *words))
        checker.check(f"{label}: places of firefox", places == theirs, (places, theirs))
    else:
        begins, times = read_perfetto(checker.run("export", "--format", "perfetto", *words))
        without = [[event for event in events if event[0] != "i"] for events in begins.values()]
        at = [[time for time, event in zip(times[lane], begins[lane], strict=True) if event[0] != "i"] for lane in begins]
        checker.check(f"{label}: own time of firefox", own == own_times(without, at), own)


def check_sums(checker, label, words, directory):
    profile = profile_of(checker, words)
    callgrind = checker.run("export", "--format", "callgrind", *words)
    found = read_callgrind(callgrind)
    checker.check(f"{label}: own time of callgrind", {name: own for name, (own, _) in found.items()} ==
                  {name: own for name, (own, _) in profile.items()}, (found, profile))
    missing = sum(calls for _, calls in profile.values()) - sum(calls for _, calls in found.values())
    lanes = len(read_chrome(checker.run("export", *words))[0])
    data = checker.run("export", "--format", "pprof", *words)
    found, labels, roots = read_pprof(data)
    checker.check(f"{label}: calls of callgrind", missing == roots >= lanes, (missing, roots, lanes))
    checker.check(f"{label}: sums of pprof", found == profile, (found, profile))
    checker.check(f"{label}: threads of pprof", 1 <= len(labels) <= lanes, labels)
    check_firefox(checker, label, words, profile)
    if shutil.which("callgrind_annotate"):
        (directory / "callgrind.out").write_bytes(callgrind)
        done = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", directory / "callgrind.out"],
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        # Names in C++ contain colons and brackets: the name follows the file.
        rows = re.findall(r"^ *([\d,]+) \([ \d.]+%\)  [^:\n]+:(.*?)(?: \[.*\])?$", done.stdout, re.M)
        seen = {name: int(own.replace(",", "")) for own, name in rows}
        checker.check(f"{label}: callgrind_annotate", not done.stderr and
                      seen == {name: own for name, (own, _) in profile.items() if own}, (seen, done.stderr))
    else:
        checker.skip("callgrind_annotate", "not installed")
    if has_pprof():
        (directory / "pprof.out").write_bytes(data)
        done = subprocess.run(["go", "tool", "pprof", "-raw", directory / "pprof.out"], capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)
        rows = re.findall(r"^ +(\d+) +(\d+): ([\d ]+)$", done.stdout, re.M)
        checker.check(f"{label}: go's pprof", sum(int(ticks) for _, ticks, _ in rows) ==
                      sum(own for own, _ in profile.values()), done.stdout[:300] + done.stderr[:300])
    else:
        checker.skip("go tool pprof", "not to be had")


# --- Source lines --------------------------------------------------------------------------------


def places_of_speedscope(text):
    """{function: (path, line)}; functions with the same name together."""
    found = defaultdict(set)
    for frame in json.loads(text)["shared"]["frames"]:
        found[frame["name"]].add((frame.get("file"), frame.get("line", 0)))
    return dict(found)


def places_of_pprof(data):
    strings = [text.decode() for number, text in fields(data) if number == 6]
    lines = {one(one(text, 4), 1): one(one(text, 4), 2, 0) for number, text in fields(data) if number == 4}
    found = defaultdict(set)
    for number, text in fields(data):
        if number == 5:
            assert lines[one(text, 1)] == one(text, 5, 0)
            found[strings[one(text, 2)]].add((strings[one(text, 4, 0)] or None, one(text, 5, 0)))
    return dict(found)


def places_of_callgrind(text):
    """The places of functions; those in calls must be the same as those of the callees."""
    lines = text.decode().split("\n")
    found, called, path, callee_path, name, callee = defaultdict(set), defaultdict(set), None, None, None, None
    for line, following in zip(lines, lines[1:]):
        key, _, value = line.partition("=")
        value = re.sub(r"^\(\d+\) ", "", value)
        if key in ("fl", "cfi"):
            callee_path = None if value == "???" else value
            path = callee_path if key == "fl" else path
        elif key == "fn":
            name, callee_path = value, path
            found[name].add((path, int(following.split()[0])))
        elif key == "cfn":
            callee = value
        elif key == "calls":
            called[callee].add((callee_path, int(value.split()[1])))
            assert (path, int(following.split()[0])) in found[name]
            callee_path = path
    assert all(places <= found[name] for name, places in called.items()), (found, called)
    return dict(found)


def addresses_of(checker, words):
    """{function: its addresses}, from the profile."""
    found = defaultdict(set)
    for row in json.loads(checker.run("profile", "--format", "json", *words)):
        found[row["function"] or row["address"]].add(row["address"])
    return found


def check_places(checker, label, words):
    """Functions have the source place of their entry address according to another reader of DWARF."""
    addr2line = shutil.which("llvm-addr2line") or shutil.which("llvm-symbolizer")
    if not addr2line:
        checker.skip("source lines", "no llvm-addr2line")
        return
    addresses = addresses_of(checker, words)
    flat = sorted({address for of_function in addresses.values() for address in of_function})
    image = words[-1].partition("=")[2]
    done = subprocess.run([addr2line, "--output-style=GNU", "-e", image, *flat], capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=True)
    places = {}
    for address, text in zip(flat, done.stdout.split("\n")):
        path, _, line = text.partition(" (")[0].rpartition(":")
        places[address] = (None, 0) if path == "??" else (posixpath.normpath(path), int(line) if line.isdigit() else 0)
    wanted = {name: {places[address] for address in of_function} for name, of_function in addresses.items()}
    for form, reader in (("speedscope", places_of_speedscope), ("pprof", places_of_pprof),
                         ("callgrind", places_of_callgrind)):
        found = {name: {(path and posixpath.normpath(path), line) for path, line in of_function} for name, of_function in
                 reader(checker.run("export", "--format", form, *words)).items()}
        checker.check(f"{label}: source lines of {form}", found == wanted, (found, wanted))
    checker.check(f"{label}: has source lines", any(path for of_function in wanted.values() for path, _ in of_function))


def spoiled(image):
    """The image with an unterminated last string in its DWARF."""
    data = bytearray(image)
    offset, (size, count, names) = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, offset + number * size) for number in range(count)]
    for name, _, _, _, start, length in sections:
        name += sections[names][4]
        if data[name : data.index(0, name)] == b".debug_str":
            data[start + length - 1] = ord("x")
    return bytes(data)


def check_spoiled(checker, directory, trace, image):
    """With damaged DWARF, lines are missing, which is reported."""
    (directory / "spoiled.elf").write_bytes(spoiled(image.read_bytes()))
    for form, reader in (("speedscope", places_of_speedscope), ("pprof", places_of_pprof),
                         ("callgrind", places_of_callgrind)):
        done = quick.run([checker.trawl, "export", "--format", form, trace, "--image", directory / "spoiled.elf"], timeout=TIMEOUT_S)
        found = reader(done.stdout)
        checker.check(f"damaged DWARF: {form}", done.returncode == 0 and "main" in found and
                      all(places == {(None, 0)} for places in found.values()) and
                      done.stderr.count(b"source lines are left out") == 1, done.stderr)


# --- What is hostile -----------------------------------------------------------------------------


def check_names(checker, directory):
    """Names with any bytes leave every file readable."""
    odd = {0x8000: b'quote"\\back\n\x1b[31m\xff\xfe', 0x8010: "\u202eé世".encode() + b"\x00"[:0], 0x8020: b"x" * 100000,
           0x8030: b"(2) fn=(1) other", 0x8040: b" "}
    (directory / "odd.elf").write_bytes(named(odd))
    lines, pc = [], 0x8000
    for number, target in enumerate([0x8010, 0x8020, 0x8030, 0x8040]):
        code = 0x94000000 | (target - pc) // 4
        lines.append(f"{2 * number} clk IT ({2 * number}) {pc:08x} {code:08x} O EL1h_n : BL x\n{2 * number} clk R X30 {pc + 4:016x}\n")
        pc = target
    (directory / "odd.tarmac").write_text("".join(lines) + f"90 clk IT (90) {pc:08x} d503201f O EL1h_n : NOP\n")
    words = ["--force-image", "--image", directory / "odd.elf", directory / "odd.tarmac"]
    names = [event[1] for events in read_perfetto(checker.run("export", "--format", "perfetto", *words))[0].values()
             for event in events if event[0] == "B"]
    checker.check("odd names: perfetto", len(names) == 5 and all(name.isprintable() for name in names), names)
    speedscope = read_speedscope(checker.run("export", "--format", "speedscope", *words))[0]
    checker.check("odd names: speedscope", len([event for event in speedscope[0] if event[0] == "B"]) == 5)
    sums = read_callgrind(checker.run("export", "--format", "callgrind", *words))
    checker.check("odd names: callgrind", sum(own for own, _ in sums.values()) == 90, sums)
    sums, _, _ = read_pprof(checker.run("export", "--format", "pprof", *words))
    checker.check("odd names: pprof", sum(own for own, _ in sums.values()) == 90 and len(sums) == 5, sums)


def check_same(checker, label, words):
    """The bytes do not depend on threads or chunks."""
    for form in ("perfetto", "speedscope", "firefox", "callgrind", "pprof"):
        plain = checker.run("export", "--format", form, *words, "--threads", "1")
        checker.check(f"{label}: {form} by threads", plain == checker.run("export", "--format", form, *words, "--threads", "3"))


def words_of(name, folder="traces", ending=".tarmac", images="elf"):
    """A trace and its image."""
    return [ROOT / "corpus" / folder / (name + ending), f"--image={ROOT / 'corpus' / images / name.partition('.')[0]}.elf"]


INPUTS = {name: words_of(name) for name in TARMAC} | {f"log {name}": words_of(name, "xray", ".xray", "xray") for name in LOGS}
INPUTS["without names"] = words_of(TARMAC[0])[:1]


@pytest.mark.parametrize("label", INPUTS)
def test_formats(checker, place, label):
    words = INPUTS[label]
    check_events(checker, label, words)
    check_sums(checker, label, words, place)
    check_ctf(checker, label, words, place)
    check_same(checker, label, words)


@pytest.mark.parametrize("name", TARMAC)
def test_places(checker, name):
    check_places(checker, name, INPUTS[name])
    check_perfetto_places(checker, name, INPUTS[name])


def test_packed(checker, place):
    check_packed(checker, TARMAC[0], INPUTS[TARMAC[0]], place)


def test_spoiled(checker, place):
    check_spoiled(checker, place, INPUTS[TARMAC[0]][0], ROOT / "corpus" / "elf" / "sort-a64.elf")


def test_ctf_refusals(checker, place):
    check_ctf_refusals(checker, place, INPUTS[TARMAC[0]][0])


def test_names(checker, place):
    check_names(checker, place)
