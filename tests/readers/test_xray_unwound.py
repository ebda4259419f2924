"""Calls of XRay logs without their own exit, for example after C++ exceptions: compares the reports from the log and from its index with a
slow reader (xray_model.py).

    tests/run.py xray_unwound
"""

import csv
import io
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import quick
import test_xray_reports
import xray_model
from checker import Checker
from index_draft import Draft, decode, encode
from index_reader import IDENTITY
from xray_write import Writer

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
DEDUCES_CALLS = 1 << 5
OPTIONS_ROW = 4
THREAD = "[thread]"
SAID = re.compile(rb"calls without an exit, .*: (\d+)$", re.MULTILINE)


class Calls:
    """Each call of a log as (stack, ticks, ticks of the calls in it), how many calls ended in which way, and how many were unwound."""

    def __init__(self, log):
        self.calls, self.unwound, self.open = [], 0, 0
        self.ends = Counter()  # by (function, ticks, state)
        for records in log.threads.values():
            self.thread([record for record in records if "function" in record])

    def thread(self, records):
        if not records:
            return
        open_calls, time = [[THREAD, records[0]["tsc"], 0]], 0
        for record in records:
            time = max(time, record["tsc"])
            if record["kind"].startswith("enter"):
                open_calls.append([record["function"], time, 0])
            elif record["function"] in [call[0] for call in open_calls]:
                while open_calls[-1][0] != record["function"]:
                    self.unwound += 1
                    self.leave(open_calls, time, "left")
                self.leave(open_calls, time, "tail call" if record["kind"] == "tail-exit" else "returned")
        self.open += len(open_calls) - 1
        while open_calls:
            self.leave(open_calls, time, "open")

    def leave(self, open_calls, time, state):
        stack = tuple(call[0] for call in open_calls)
        _, entered, inside = open_calls.pop()
        if open_calls:
            open_calls[-1][2] += time - entered
        self.calls.append((stack, time - entered, inside))
        if stack[-1] != THREAD:
            self.ends[str(stack[-1]), time - entered, state] += 1

    def profile(self):
        """For each function: self, total, calls. A call inside another call of the same function adds nothing to the total."""
        rows = defaultdict(lambda: [0, 0, 0])
        for stack, ticks, inside in self.calls:
            row = rows[stack[-1]]
            row[0] += ticks - inside
            row[1] += 0 if stack[-1] in stack[:-1] else ticks
            row[2] += 1
        return {str(function): tuple(row) for function, row in rows.items()}

    def collapsed(self):
        selves = defaultdict(int)
        for stack, ticks, inside in self.calls:
            selves[";".join(part if part == THREAD else "#%d" % part for part in stack)] += ticks - inside
        return dict(selves)


class UnwoundCalls(Checker):
    def run(self, *words):
        words = [str(word) for word in [self.trawl, *words]]
        return quick.run(words, timeout=TIMEOUT_S)

    def said(self, name, done, wanted):
        """Calls ended by the exit of another function are reported in one line, if there are any."""
        counts = SAID.findall(done.stderr)
        self.check(name + " said", counts == ([b"%d" % wanted] if wanted else []))

    def reports(self, name, model, *words):
        done = self.run("profile", "--format", "csv", *words)
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        got = {row["function_id"] or THREAD: (int(row["self"]), int(row["total"]), int(row["calls"])) for row in rows}
        self.check(name + " profile", got == model.profile())
        self.said(name + " profile", done, model.unwound)
        done = self.run("flamegraph", *words)
        got = defaultdict(int)  # the sum over all threads, whose names precede their roots
        for line in done.stdout.decode().splitlines():
            stack, value = line.rsplit(" ", 1)
            got[stack[stack.index(THREAD) :]] += int(value)
        self.check(name + " flamegraph", got == model.collapsed())
        self.said(name + " flamegraph", done, model.unwound)
        done = self.run("calltree", "--format", "csv", *words)
        depths = sorted(int(row["depth"]) for row in csv.DictReader(io.StringIO(done.stdout.decode()))
                        if not row.get("state", "").startswith("no entry"))
        self.said(name + " calltree", done, model.unwound)
        self.check(name + " calltree", max(depths, default=0) <= max((len(call[0]) for call in model.calls), default=0))

    def ends(self, name, model, *words):
        """How calls ended, in the words used for all kinds of traces; --returned-only shows those that ended by their own exit."""
        for option, wanted in ([], model.ends), (["--returned-only"], {key: count for key, count in model.ends.items() if key[2] in ("returned", "tail call")}):
            done = self.run("calltree", "--format", "csv", *option, *words)
            found = Counter((row["function_id"], int(row["ticks"]), row["state"]) for row in csv.DictReader(io.StringIO(done.stdout.decode()))
                            if row["function_id"] and row["state"] != "no entry")  # fmt: skip
            self.check(name + " ends %s" % option, found == wanted)
        marks = Counter()
        for event in json.loads(self.run("export", *words).stdout)["traceEvents"]:
            if event["ph"] == "E":
                marks.update(event.get("args", {"returned": True}))
        wanted = Counter()
        for (_, _, state), count in model.ends.items():
            wanted[state] += count
        self.check(name + " ends in trace events", marks == +wanted)

    def log(self, name, data, directory):
        path, index = directory / "log", directory / "log.other"
        path.write_bytes(data)
        model = Calls(xray_model.Log(data))
        self.reports(name, model, path)
        self.ends(name, model, path)
        self.check(name + " option", self.run("profile", path).stdout ==
                   self.run("profile", "--deduce-sibling-calls", path).stdout)
        done = self.run("index", "--force-index", "--no-sync", "--index", index, path)
        self.said(name + " index", done, model.unwound)
        self.reports(name + " from its index", model, "--index", index, "--no-index", path)
        self.ends(name + " from its index", model, "--index", index, "--no-index", path)
        stacks = [self.run("stack", *words, path) for words in (["--memory-index"], ["--index", index, "--no-index"])]
        for done in stacks:
            self.said(name + " stack", done, model.unwound)
        self.check(name + " stack", stacks[0].stdout == stacks[1].stdout and
                   len(stacks[0].stdout.splitlines()) == 1 + model.open)
        return path, index

    def other_meaning(self, log, index):
        """An index in which calls were matched by another rule is built again before it is used."""
        right = self.run("stack", "--at", "event:100", "--memory-index", log).stdout
        old = without_option(index.read_bytes())
        index.write_bytes(old)
        told = self.run("stack", "-v", "--at", "event:100", "--index", index, log)
        self.check("an index by another rule", told.stdout == right and index.read_bytes() != old)
        self.check("an index by another rule is named", b"was made with other options" in told.stderr)

    def growth(self, directory):
        """Twice as many exceptions do not make more stacks."""
        sizes = []
        for count in (500, 1000):
            path = directory / "log"
            path.write_bytes(throwing(count))
            texts = [self.run("flamegraph", *words, path).stdout for words in ([], ["--format", "svg"])]
            sizes.append([text.count(b"\n") for text in texts])
        self.check("growth %s" % sizes, sizes[0] == sizes[1])


def throwing(count):
    """A function that catches is called `count` times; the two functions that it calls never return."""
    writer = Writer("fdr", "5")
    writer.buffer("7", "pid", "3")
    writer.cpu("0", "1000")
    writer.line("enter", "1", "1")
    for _ in range(count):
        for action, function in (("enter", 2), ("enter", 3), ("enter", 4), ("exit", 2), ("enter", 5), ("exit", 5)):
            writer.line(action, str(function), "3")
    writer.line("exit", "1", "1")
    return writer.result()


def without_option(data):
    """The index with bit 5 of its options cleared."""
    draft = Draft(data)
    (identity,) = decode(draft.sections[IDENTITY][1])
    identity[OPTIONS_ROW] ^= DEDUCES_CALLS
    draft.sections[IDENTITY][1] = encode(identity)
    return draft.build()


@pytest.fixture
def calls(trawl):
    return UnwoundCalls(trawl)


@pytest.mark.parametrize("path", sorted((ROOT / "corpus" / "xray").glob("*.xray")), ids=lambda path: path.name)
def test_corpus(calls, place, path):
    log, index = calls.log(path.name, path.read_bytes(), place)
    if path.name == "exceptions.fdr.xray":
        calls.other_meaning(log, index)


@pytest.mark.parametrize("number", test_xray_reports.SHORT_LOGS)
def test_random(calls, place, number):
    calls.log(*test_xray_reports.random_log(number), place)


def test_throwing(calls, place):
    calls.log("throwing", throwing(50), place)


def test_growth(calls, place):
    calls.growth(place)
