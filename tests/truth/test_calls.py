"""The times of each call, compared with those of the frames that the machine recorded.

    tests/run.py calls

corpus/stacks has, for each trace, at which line a frame was pushed and popped, and which task runs. From these and the times of the lines
follow, for each frame that returned, when it was entered, how long it took, how long it was on the core, and how long the calls in it took.
`trawl calls` must have the same calls, its latencies the same order statistics, and `--values` the registers that the lines show.
"""

import bisect
import collections
import csv
import io
import re
from xml.etree import ElementTree

import pytest
import quick
from test_stacks import STACKS, Trace

TIMEOUT_S = 120
TRACES = ["rtos-a64.it", "rtos-a32.it", "rtos-m.it", "coroutines-a64.it", "frameless-t32.it"]
WITHOUT_IMAGE = [*TRACES, "freertos-m.it"]  # what needs none; the first three and the last are 1,449 calls in tasks


class Frame:
    def __init__(self, entry, start, kind):
        self.entry, self.start, self.kind = entry, start, kind
        self.busy = self.inside = 0  # ticks


def true_frames(path, instructions):
    """[(entry, time of the entry, elapsed, busy, self)] of the frames that were popped; [(entry, time, nesting)] of handlers among them."""
    tasks, current, found, handlers, at = {"0": []}, "0", [], [], None
    lines = [line for line, _ in instructions]

    def pass_time(now):
        for depth, frame in enumerate(tasks[current]):
            frame.busy += now - at
            frame.inside += now - at if depth + 1 < len(tasks[current]) else 0

    def pop(now):
        frame = tasks[current].pop()
        if frame.kind == "e":
            handlers.append((frame.entry, frame.start, sum(outer.kind == "e" for outer in tasks[current])))
        found.append((frame.entry, frame.start, now - frame.start, frame.busy, frame.busy - frame.inside))

    for text in path.read_text().splitlines()[1:]:
        line, what, value, *rest = text.split()
        if int(line) > lines[-1]:
            break
        now = instructions[bisect.bisect_left(lines, int(line))][1]
        if at is not None:
            pass_time(now)
        at = now
        if what in "ctes":
            stack = tasks[current]
            if what == "t":
                what = "T" if stack[-1].kind in "eT" else what
                if stack[-1].kind != "e":
                    pop(now)
            tasks[current].append(Frame(int(value, 16), now, what))
        elif what == "w":
            current = value
            if rest[0] == "n":
                tasks[current] = []
        else:
            for _ in range(int(value)):
                pop(now)
    return found, handlers


def rows_of(trawl, *words):
    result = quick.run([trawl, "calls", "--format", "csv", *map(str, words)], timeout=TIMEOUT_S)
    assert result.returncode in (0, 3), result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout.decode())))


def image_of(trace):
    return ["--image", trace.image] if trace.image.exists() else []


@pytest.fixture(params=TRACES)
def trace(request, place):
    return Trace(STACKS / (request.param + ".tarmac.xz"), place)


@pytest.mark.parametrize("trace", WITHOUT_IMAGE, indirect=True)
def test_times(trawl, place, checker, trace):
    wanted, handlers = true_frames(STACKS / (trace.path.name + ".stacks"), trace.instructions)
    image = image_of(trace)
    rows = rows_of(trawl, *image, trace.path)

    def figures(rows):
        return collections.Counter(tuple(int(row[key], 0) for key in ("address", "entry_time", "elapsed", "time", "self")) for row in rows)

    # The machine takes the frame of a function that switches stacks for popped, trawl for switched away.
    whole = [row for row in rows if row["end"] in ("", "tail call")]
    missing, more = collections.Counter(wanted) - figures(rows), figures(whole) - collections.Counter(wanted)
    checker.check("%s: entry, elapsed time, time on the core and self time of each call" % trace.name,
                  wanted and not missing and not more, (len(wanted), sorted(missing)[:5], sorted(more)[:5]))
    found = [(int(row["address"], 0), int(row["entry_time"]), int(row["nesting"]))
             for row in rows_of(trawl, *image, trace.path, "--interrupts") if row["end"] in ("", "tail call")]
    checker.expect("%s: handlers and how they are nested" % trace.name, sorted(found), sorted(handlers))
    checker.check("%s: calls that wait" % trace.name, "rtos" not in trace.name or any(int(row["waiting"]) for row in whole))
    assert not checker.failed


def test_order_and_latency(trawl, checker, trace):
    """Sorted and cut rows are those of the whole table; percentiles are the nearest ranks of its elapsed times."""
    options = ["--image", trace.image, trace.path]
    rows = rows_of(trawl, *options)
    checker.expect("order of entries", rows, sorted(rows, key=lambda row: int(row["entry_time"])), at=trace.name)
    for key in ("time", "elapsed", "waiting", "self"):
        wanted = sorted(rows, key=lambda row, key=key: -int(row[key]))[:5]
        checker.expect("the longest by " + key, rows_of(trawl, *options, "--sort", key, "--top", "5"), wanted, at=trace.name)
    by_function = collections.defaultdict(list)
    for row in rows:
        by_function[row["function"]].append(int(row["elapsed"]))
    found = rows_of(trawl, *options, "--latency")
    wanted = {}
    for function, times in by_function.items():
        times.sort()
        wanted[function] = [len(times), times[0]] + [times[-(-len(times) * part // 100) - 1] for part in (50, 90, 99)] + [times[-1]]
    checker.expect("latencies", {row["function"]: [int(row[key]) for key in ("calls", "minimum", "median", "p90", "p99", "maximum")]
                                 for row in found}, wanted, at=trace.name)
    steps = [0] + [first * 10**power for power in range(12) for first in (1, 2, 5)]
    counted = collections.Counter()
    for row in rows_of(trawl, *options, "--histogram"):
        counted[row["function"]] += int(row["calls"])
        low, high = int(row["from"]), int(row["below"])
        times = by_function[row["function"]]
        checker.expect("steps of histograms", (high, int(row["calls"])),
                       (steps[steps.index(low) + 1], sum(low <= time < high for time in times)), at=(trace.name, row))
    checker.expect("histograms have all calls", dict(counted), {name: len(times) for name, times in by_function.items()}, at=trace.name)
    name = max(by_function, key=lambda function: len(by_function[function]))
    checker.expect("a function by its name", rows_of(trawl, *options, name), [row for row in rows if row["function"] == name], at=trace.name)
    last, wanted = {}, []
    for row in rows:
        wanted.append(str(int(row["entry_time"]) - last[row["lane"], row["address"]]) if (row["lane"], row["address"]) in last else "")
        last[row["lane"], row["address"]] = int(row["entry_time"])
    found = {row["entry_time"] + row["function"]: row["interval"] for row in rows_of(trawl, *options, "--sort", "interval")}
    checker.expect("intervals", found, {row["entry_time"] + row["function"]: interval for row, interval in zip(rows, wanted)}, at=trace.name)
    assert not checker.failed


def ranks(times):
    times = sorted(times)
    return [times[0], *(times[-(-len(times) * part // 100) - 1] for part in (50, 90, 99)), times[-1]]


NAMES = ("minimum", "median", "p90", "p99", "maximum")


def paths_of(trace, names):
    """By the path of functions from the root on: the elapsed times, and those on the core, of the frames that the machine popped."""
    found, tasks, current, at, busy = collections.defaultdict(list), {"0": []}, "0", None, {"0": []}
    names = {**dict(trace.functions), **names}
    lines = [line for line, _ in trace.instructions]
    for text in (STACKS / (trace.path.name + ".stacks")).read_text().splitlines()[1:]:
        line, what, value, *rest = text.split()
        if int(line) > lines[-1]:
            break
        now = trace.instructions[bisect.bisect_left(lines, int(line))][1]
        for depth in range(len(tasks[current])):
            busy[current][depth] += now - at
        at = now

        def pop():
            path = tuple(names.get(entry, hex(entry)) for entry, _, _ in tasks[current])  # noqa: B023
            entry, start, _ = tasks[current].pop()  # noqa: B023
            found[path].append((now - start, busy[current].pop()))  # noqa: B023

        if what in "ctes":
            stack = tasks[current]
            if what == "t":
                what = "T" if stack[-1][2] in "eT" else what
                if stack[-1][2] != "e":
                    pop()
            stack.append((int(value, 16), now, what))
            busy[current].append(0)
        elif what == "w":
            current = value
            if rest[0] == "n":
                tasks[current], busy[current] = [], []
        else:
            for _ in range(int(value)):
                pop()
    return found


def test_latency_on_the_core_and_by_path(trawl, checker, trace):
    """Of each function, and of each path to it: order statistics of the elapsed times and of those on the core, and where the longest were.
    `profile --latency` says the same, and the picture of a histogram has a bar for each of its rows."""
    options = ["--image", trace.image, trace.path]
    rows = rows_of(trawl, *options)
    by_function = collections.defaultdict(list)
    for row in rows:
        by_function[row["function"]].append(row)
    found = rows_of(trawl, *options, "--latency")
    has_tasks = "time_minimum" in found[0]
    for row in found:
        own = by_function[row["function"]]
        for prefix, key in (("", "elapsed"), *((("time_", "time"),) if has_tasks else ())):
            wanted = ranks([int(one[key]) for one in own])
            checker.expect(f"latencies, {key}", [int(row[prefix + name]) for name in NAMES], wanted, at=(trace.name, row["function"]))
            first = min(int(one["entry_time"]) for one in own if int(one[key]) == wanted[-1])
            checker.expect(f"where the longest was, {key}", int(row[prefix + "maximum_time"]), first, at=(trace.name, row["function"]))
    words = ["--format", "csv", "--latency", *map(str, options)]
    shown = [quick.run([trawl, command, *words], timeout=TIMEOUT_S).stdout for command in ("calls", "profile")]
    checker.check("profile --latency", shown[0] and shown[0] == shown[1], at=trace.name)
    by_path = rows_of(trawl, *options, "--latency", "--by", "path")
    checker.expect("calls of all paths", sum(int(row["calls"]) for row in by_path), len(rows), at=trace.name)
    truth = paths_of(trace, {int(row["address"], 0): row["function"] for row in rows})
    compared = 0
    for row in by_path:
        # The machine takes what switches away for popped, and calls of the outermost function are not calls of the trace.
        path = next((path for path in truth if path[-len(row["path"].split(";")) :] == tuple(row["path"].split(";")) and len(path) <= len(row["path"].split(";")) + 1), None)
        if path is None or len(truth[path]) != int(row["calls"]):
            continue
        compared += 1
        checker.expect("by path, elapsed", [int(row[name]) for name in NAMES], ranks([elapsed for elapsed, _ in truth[path]]), at=(trace.name, path))
        if has_tasks:
            checker.expect("by path, on the core", [int(row["time_" + name]) for name in NAMES], ranks([busy for _, busy in truth[path]]), at=(trace.name, path))
    checker.check("paths were compared", compared > len(by_path) // 2, (compared, len(by_path)), at=trace.name)
    picture = quick.run([trawl, "calls", "--svg", *map(str, options)], timeout=TIMEOUT_S).stdout
    bars = ElementTree.fromstring(picture).findall("{http://www.w3.org/2000/svg}rect")
    checker.expect("bars of the picture", len(bars), len(rows_of(trawl, *options, "--histogram")), at=trace.name)
    assert not checker.failed


WRITTEN = re.compile(rb"R\s+([XRr])(\d+)(?:_\w+)?\s+([0-9a-fA-F]+)\s*$")


@pytest.mark.parametrize("trace", WITHOUT_IMAGE, indirect=True)
def test_values(trawl, checker, trace):
    """Arguments and results are what the lines wrote last before the entry and before the exit; conditions see the same."""
    lines = trace.path.read_bytes().split(b"\n")
    starts = {line for line, _ in trace.instructions}
    at_line, registers = {}, {}
    for number, line in enumerate(lines, 1):
        if number in starts:
            at_line[number] = dict(registers)
        match = WRITTEN.search(line)
        if match:
            registers[int(match[2])] = int(match[3], 16)
    at_time = {time: at_line[line] for line, time in reversed(trace.instructions)}
    rows = rows_of(trawl, *image_of(trace), "--values", "--memory-index", trace.path)
    for row in rows:
        if not row["entry_line"] or row["entry_line"] not in map(str, starts):
            continue
        before = at_line[int(row["entry_line"])]
        wanted = " ".join(hex(before[i]) if i in before else "?" for i in range(4))
        if int(row["entry_line"]) > trace.instructions[0][0]:
            checker.expect("%s: arguments" % trace.name, row["arguments"], wanted, at=row)
        if not row["end"] and int(row["exit_time"]) in at_time:
            checker.expect("%s: results" % trace.name, row["result"], hex(at_time[int(row["exit_time"])][0]), at=row)
    value = int(rows[len(rows) // 2]["arguments"].split()[1], 16)
    register = "x1" if "a64" in trace.name else "r1"
    found = rows_of(trawl, *image_of(trace), "--values", "--memory-index", "--where", "%s == %#x" % (register, value), trace.path)
    checker.expect("%s: calls under a condition" % trace.name, found, [row for row in rows if row["arguments"].split()[1:2] == [hex(value)]])
    assert not checker.failed
