"""Trace events that `trawl export` and `trawl xray convert` write, read as other programs do: they sort the begin and end events of each
thread separately, by time as floating-point numbers, and merge them again. This is a plain model of speedscope; tools/compare_speedscope.py
uses speedscope itself.

    tests/run.py trace_events
"""

import json
from collections import defaultdict
from pathlib import Path

import pytest
import quick
from checker import Checker
from hard_traces import branch_with_link
from xray_write import make_log

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 40
DEEP = 400000  # walking over all open calls at the end of each call would take minutes
UNITS = {"ns": 1e-9, "ps": 1e-12, "us": 1e-6}

# Nested calls without duration, consecutive calls of one function, a clock that goes back, more than one
# tick per nanosecond, a late time, missing exits.
LOGS = {
    "at one time": "fdr 5\nbuffer 7 pid 3\ncpu 0 {}\n" + "enter 1 5\nenter 2 0\nenter 3 0\nexit 3 0\nexit 2 0\n"
    "enter 2 0\nexit 2 0\nenter 2 0\nenter 2 0\nexit 2 0\nexit 2 0\nexit 1 0\nenter 1 0\nexit 1 3\n",
    "gigahertz": "fdr 5 frequency 2400000000\nbuffer 7 pid 3\ncpu 0 {}\n" + "enter 1 1\nenter 2 1\nexit 2 1\nexit 1 1\n" * 40,
    "clock": "fdr 5\nbuffer 7 pid 3\ncpu 0 {}\nenter 1 900\nenter 2 5\ncpu 1 200\nenter 3 0\nexit 3 4\nexit 2 1\nexit 1 9\n",
    "no frequency": "fdr 5 frequency 0\nbuffer 7 pid 3\ncpu 0 {}\nenter 1 1\nenter 2 0\nexit 2 0\nexit 1 1\n",
    "unwound": "fdr 5\nbuffer 7 pid 3\ncpu 0 {}\n" + "enter 1 1\nenter 2 0\nenter 3 4\nenter 4 0\nexit 1 3\n" * 9,
    "late": "fdr 5\nbuffer 7 pid 3\ncpu 0 {}\nenter 1 1\nexit 1 5\ncpu 0 900000000000000000\n"
    + "enter 1 1\nenter 2 0\nexit 2 0\nexit 1 1\n" * 9,
}


class Unreadable(Exception):
    pass


def key_of(event):
    """The key by which speedscope identifies a function."""
    return event["name"] + (" " + json.dumps(event["args"]) if "args" in event else "")


def opened(events):
    """The calls of a thread as a reader finds them: (function, depth, ticks) in the order of their ends."""
    begins = sorted((e for e in events if e["ph"] == "B"), key=lambda e: e["ts"])
    ends = sorted((e for e in events if e["ph"] == "E"), key=lambda e: e["ts"])
    calls, stack, b, e = [], [], 0, 0
    while b < len(begins) or e < len(ends):
        is_begin = e == len(ends) or (b < len(begins) and (
            begins[b]["ts"] < ends[e]["ts"] or
            (begins[b]["ts"] == ends[e]["ts"] and key_of(begins[b]) == key_of(ends[e]))))
        if is_begin:
            stack.append(begins[b])
            b += 1
            continue
        if not stack or stack[-1]["name"] != ends[e].get("name"):
            raise Unreadable("%s ends, but %s is open" % (ends[e], stack[-1:]))
        begin = stack.pop()
        calls.append((begin["name"], len(stack), ends[e]["ts"] - begin["ts"]))
        e += 1
    if stack:
        raise Unreadable("%d calls never end" % len(stack))
    return calls


def written(events):
    """The calls in the order of the file, which is how they nest; without ticks."""
    calls, stack = [], []
    for event in events:
        if event["ph"] == "B":
            stack.append(event["name"])
        elif event["ph"] == "E":
            calls.append((stack.pop(), len(stack)))
    return calls + [(name, depth) for depth, name in reversed(list(enumerate(stack)))]


class Events(Checker):
    def run(self, *words, stdin=None):
        words = [str(word) for word in [self.trawl, *words]]
        return quick.run(words, timeout=TIMEOUT_S, input=stdin).stdout

    def events(self, name, text):
        """The trace; checks that each of its threads can be opened."""
        trace, threads = json.loads(text), defaultdict(list)
        for event in trace["traceEvents"]:
            if event["ph"] in "BE":
                threads[event["pid"], event["tid"]].append(event)
        try:
            calls = {key: opened(of) for key, of in threads.items()}
        except (Unreadable, KeyError) as error:
            self.check(name + " opens", False, error)
            return trace
        same = {key: [call[:2] for call in of] for key, of in calls.items()}
        self.check(name + " calls", same == {key: written(of) for key, of in threads.items()})
        self.check(name + " lengths", all(call[2] > 0 for of in calls.values() for call in of))
        return trace

    def log(self, path):
        self.events("export " + path.name, self.run("export", path))
        is_whole = not any(name in path.name for name in ("crash", "typed", "fork-child"))  # open calls have no end there
        for words in (["--threads", "1"], ["--no-sort"]) if is_whole else ():
            text = self.run("xray", "convert", "-f", "trace_event", *words, path)
            trace = self.events("convert %s %s" % (words, path.name), text)
            starts = [event["ts"] for event in trace["traceEvents"]]
            self.check("convert %s begins at 0" % path.name, not starts or min(starts) == 0)
            self.check("convert %s base" % path.name, int(trace.get("otherData", {}).get("start_ticks", -1)) >= 0)

    def traces(self):
        for path in sorted((ROOT / "corpus" / "traces").glob("*.tarmac")):
            self.events("export " + path.name, self.run("export", "--open-frames", path))

    def units(self):
        """A time in ns has that duration; so has one with a decimal point, and one without a space before the unit."""
        text = (ROOT / "corpus" / "traces" / "recursion-a64.it.tarmac").read_text()
        plain = json.loads(self.run("export", "-", stdin=text.encode()))["traceEvents"]
        longest = max(event.get("ts", 0) for event in plain)
        for unit, seconds in UNITS.items():
            for how, changed in (("", text.replace(" clk ", " %s " % unit)),
                                 ("glued ", text.replace(" clk ", "%s " % unit)),
                                 ("point ", text.replace(" clk ", ".0 %s " % unit))):
                trace = self.events(how + unit, self.run("export", "-", stdin=changed.encode()))
                last = max(event.get("ts", 0) for event in trace["traceEvents"])
                self.check("length in %s%s" % (how, unit), abs(last - longest * seconds * 1e6) < seconds * 1e6 / 1000 + 5e-6, last)  # ends at the same time are a
                                                                                                                                     # millionth apart
                told = trace["otherData"]["ticks_per_second"]
                self.check("ticks in %s%s" % (how, unit), told == round(1 / seconds) * (10**6 if how == "point " else 1))
        for unit in ("tic", "cyc", "cs", ""):
            changed = text.replace(" clk ", " %s " % unit if unit else " ")
            trace = json.loads(self.run("export", "-", stdin=changed.encode()))
            self.check("no length in " + unit, trace["traceEvents"] == plain)

    def deep(self, directory):
        path = directory / "deep.tarmac"
        with open(path, "w") as trace:
            for i in range(DEEP):
                pc = 0x8000 + 8 * i
                branch = branch_with_link(pc, pc + 8)
                trace.write("%d clk IT (%d) %08x %08x O EL1h_n : BL target\n%d clk R X30 %016x\n" % (i, i, pc, branch, i, pc + 4))
        self.check("deep", self.run("export", "--open-frames", path).count(b'"E"') >= DEEP - 1)


LOGS_OF_CORPUS = sorted((ROOT / "corpus" / "xray").glob("*.xray"))


@pytest.fixture
def events(trawl):
    return Events(trawl)


@pytest.mark.parametrize("path", LOGS_OF_CORPUS, ids=lambda path: path.name)
def test_logs_of_the_corpus(events, path):
    events.log(path)


@pytest.mark.parametrize("name", LOGS)
def test_logs(events, place, name):
    path = place / name
    # The time is so late that a double cannot represent its nanoseconds.
    path.write_bytes(make_log(LOGS[name].format("1795209922890426560")))
    events.log(path)


def test_traces(events):
    events.traces()


def test_units(events):
    events.units()


def test_deep(events, place):
    events.deep(place)
