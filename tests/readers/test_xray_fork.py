"""XRay logs of processes that fork, whose records from before the fork are in the logs of both, and of programs with exceptions: compares
`trawl xray` with a slow model of their calls.

    tests/run.py xray_fork
"""

import copy
import csv
import io
import itertools
import random
import re
from collections import Counter

import pytest
import quick
from checker import Checker
from xray_write import Writer

TIMEOUT_S = 60
# Type, version and further words of the header; whether a log is converted to YAML.
FORMS = {
    "fdr5": ("fdr", 5, [], False),
    "fdr5-big": ("fdr", 5, ["big"], False),
    "fdr3": ("fdr", 3, [], False),
    "fdr2": ("fdr", 2, [], False),
    "fdr1": ("fdr", 1, ["buffer-size", "4096"], False),
    "basic3": ("basic", 3, [], False),
    "basic3-big": ("basic", 3, ["big"], False),
    "basic1": ("basic", 1, [], False),
    "yaml": ("fdr", 5, [], True),
}
PARENT, CHILD, GRANDCHILD = 40, 41, 42
BLOCKED = re.compile(rb"; -d counts them: (\d+)$", re.MULTILINE)
UNMATCHED = re.compile(rb"exits without their entry, left out: (\d+)$", re.MULTILINE)
SHARED = re.compile(rb"buffers that begin as in an earlier log, as after a fork; [^:]*: (\d+)$", re.MULTILINE)


class Process:
    """Threads with buffers of records (action, function, time); a record has an identity, which a copy shares."""

    def __init__(self, draw, pid):
        self.draw, self.pid, self.time, self.number = draw, pid, 1000, itertools.count()
        self.threads = {}  # (pid, tid): [(number, [record])]
        self.stacks = {}  # of open functions

    def fork(self, pid):
        child = copy.copy(self)
        child.pid, child.number = pid, itertools.count(1000 * pid)
        child.threads = {key: [(number, list(records)) for number, records in buffers] for key, buffers in self.threads.items()}
        child.stacks = copy.deepcopy(self.stacks)
        return child

    def new_buffer(self, key):
        self.threads.setdefault(key, []).append((next(self.number), []))

    def run(self, key, count, throws):
        """Adds records to the last buffer of a thread: calls; some functions are left without an exit."""
        stack = self.stacks.setdefault(key, [])
        for _ in range(count):
            self.time += self.draw.randrange(1, 50)
            if len(stack) < 2 or self.draw.random() < 0.5:
                stack.append(self.draw.randrange(1, 6))
                self.add(key, "enter", stack[-1])
                continue
            if throws and self.draw.random() < 0.1:
                stack.pop()
            function = stack.pop()
            self.add(key, "tail-exit" if self.draw.random() < 0.1 else "exit", function)

    def add(self, key, action, function):
        self.threads[key][-1][1].append([action, function, self.time])

    def log(self, kind, version, words):
        writer = Writer(kind, str(version), *words)
        for (pid, tid), buffers in self.threads.items():
            for number, records in buffers:
                if kind == "basic":
                    for action, function, time in records:
                        writer.line(action, str(function), str(time), str(tid), *([str(pid)] if version >= 3 else []))
                    continue
                writer.buffer(str(tid), "at", "7", str(number), *(["pid", str(pid)] if version >= 3 else []))
                last = records[0][2] if records else 0
                writer.cpu("0", str(last))
                for action, function, time in records:
                    writer.line(action, str(function), str(time - last))
                    last = time
                if version == 1:
                    writer.end()
        return writer.result()


class Model:
    """The calls of several logs. Those that end at a record of an earlier log count there."""

    def __init__(self, processes, deduces, has_pid=True):
        self.has_stacks = deduces  # otherwise they may be very deep
        self.counts, self.stacks, self.self_ticks = Counter(), Counter(), Counter()
        self.blocked = self.unmatched = 0
        seen = set()
        for process in processes:
            threads = {}
            for (pid, tid), buffers in process.threads.items():
                threads.setdefault((pid if has_pid else 0, tid), []).extend(buffers)
            for buffers in threads.values():
                self.thread([record for _, records in buffers for record in records], seen, deduces)
            seen |= {id(record) for buffers in threads.values() for _, records in buffers for record in records}

    def thread(self, records, seen, deduces):
        open_calls, open_count = [], Counter()  # [function, entered, ticks inside]
        for record in records:
            action, function, time = record
            if action == "enter":
                open_calls.append([function, time, 0])
                open_count[function] += 1
                continue
            is_shared = id(record) in seen
            has_function = open_count[function] > 0
            if not has_function or (open_calls[-1][0] != function and not deduces):
                self.blocked += has_function and not is_shared
                self.unmatched += not has_function and not is_shared
                continue
            is_last = False
            while not is_last:
                is_last = open_calls[-1][0] == function
                open_count[open_calls[-1][0]] -= 1
                self.leave(open_calls, time, is_shared)

    def leave(self, open_calls, time, is_shared):
        stack = ";".join(f"#{call[0]}" for call in open_calls) if self.has_stacks else ""
        function, entered, inside = open_calls.pop()
        if open_calls:
            open_calls[-1][2] += time - entered
        if not is_shared:
            self.counts[function] += 1
            self.stacks[stack] += 1
            self.self_ticks[stack] += time - entered - inside


class Check(Checker):
    def run(self, *words, allowed=(0,)):
        status, out, err, killed = quick.answer([self.trawl, "xray", *map(str, words)], TIMEOUT_S)
        self.check(words, not killed and status in allowed, f"status {status}: {err[:300]}")
        return out.decode(), err

    def account(self, *words, allowed=(0,)):
        out, err = self.run("account", "-f", "csv", *words, allowed=allowed)
        return {int(row["funcid"]): int(row["count"]) for row in csv.DictReader(io.StringIO(out))}, err

    def flame(self, *words):
        out, _ = self.run("stack", "--all-stacks", "--aggregate-threads", *words, allowed=(0, 3))
        return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in out.splitlines()}


def told(pattern, err):
    found = pattern.search(err)
    return int(found[1]) if found else 0


@pytest.fixture
def check(trawl):
    return Check(trawl)


def family(draw, throws, is_ring):
    """A process, its child and that one's child; other threads of the parent continue in it only, and use new buffers, of which a ring
    overwrites one."""
    parent = Process(draw, PARENT)
    main, other = (PARENT, 100), (PARENT, 101)
    for key in (main, other, main, main):
        parent.new_buffer(key)
        parent.run(key, 20, throws)
    child = parent.fork(CHILD)
    child.run(main, 9, throws)
    grandchild = child.fork(GRANDCHILD)
    grandchild.run(main, 12, throws)
    child.run(main, 7, throws)
    for key in (main, other, other):
        parent.run(key, 10, throws)
        parent.new_buffer(key)
        parent.run(key, 15, throws)
    if is_ring:
        parent.threads[main].pop(0)
    return [parent, child, grandchild]


@pytest.mark.parametrize("throws", [False, True], ids=["returns", "throws"])
@pytest.mark.parametrize("form", FORMS)
def test_fork(check, place, form, throws):
    kind, version, words, is_yaml = FORMS[form]
    processes, paths = family(random.Random(f"{form} {throws}"), throws, kind == "fdr" and not is_yaml), {}
    for process in processes:
        path = paths[process] = place / f"{process.pid}.xray"
        path.write_bytes(process.log(kind, version, words))
        if is_yaml:
            text, _ = check.run("convert", "-f", "yaml", path)
            path.write_text(text)
    has_pid = version >= 3
    parent, child, grandchild = processes
    for order in ([parent], [parent, child], [child, parent], [child, grandchild], [grandchild, parent, child]):
        what = f"{form}: {[process.pid for process in order]}"
        files = [paths[process] for process in order]
        model, plain = Model(order, True, has_pid), Model(order, False, has_pid)
        counts, err = check.account("-d", *files, allowed=(0, 3))
        check.expect(f"{what}: counts", counts, dict(model.counts))
        check.expect(f"{what}: exits without entries", told(UNMATCHED, err), model.unmatched)
        check.expect(f"{what}: shared buffers are told", bool(told(SHARED, err)), len(order) > 1)
        counts, err = check.account(*files, allowed=(0, 3))
        check.expect(f"{what}: counts without -d", counts, dict(plain.counts))
        check.expect(f"{what}: calls left out", told(BLOCKED, err), plain.blocked)
        check.expect(f"{what}: exits without entries, without -d", told(UNMATCHED, err), plain.unmatched)
        check.expect(f"{what}: stacks", check.flame("--aggregation-type", "count", *files), dict(model.stacks))
        ticks = {stack: ticks for stack, ticks in model.self_ticks.items() if ticks}
        check.expect(f"{what}: ticks", check.flame(*files), ticks)
        hidden = check.account("-d", "--hide", "#5", *files, allowed=(0, 3))[0]
        wanted = Counter()
        for stack, calls in model.stacks.items():
            wanted[int(stack.rpartition("#")[2])] += calls * ("#5" not in stack.split(";"))
        check.expect(f"{what}: without a hidden function", hidden, dict(+wanted))
        out, _ = check.run("graph", "-d", "-e", "count", *files, allowed=(0, 3))
        edges = Counter()
        for callee, calls in re.findall(r'-> F(\d+) \[label="(\d+)"\]', out):
            edges[int(callee)] += int(calls)
        check.expect(f"{what}: graph", edges, model.counts)


def basic(version, words, chunks):
    """A basic log of chunks of records, each of one thread, in this order."""
    writer = Writer("basic", str(version), *words)
    for (pid, tid), records in chunks:
        for action, function, time in records:
            writer.line(action, str(function), str(time), str(tid), *([str(pid)] if version >= 3 else []))
    return writer.result()


RUNS = {"basic3": (3, [], False), "basic3-big": (3, ["big"], False), "basic1": (1, [], False), "yaml": (3, [], True)}


@pytest.mark.parametrize("form", RUNS)
def test_runs(check, place, form):
    """In basic mode, a process writes the records that it has not written yet when it forks, and its child writes them as well: they begin
    at any record of the parent's, which may be in one run with those before them, or among those of other threads."""
    version, words, is_yaml = RUNS[form]
    has_pid, main, other = version >= 3, (PARENT, 100), (PARENT, 101)
    parent = Process(random.Random(form), PARENT)
    for count in (30, 25, 40):
        for key in (main, other):
            parent.new_buffer(key)
            parent.run(key, count, False)
    parent.new_buffer(main)
    parent.run(main, 21, False)
    child = parent.fork(CHILD)
    child.threads = {main: child.threads[main][-2:]}
    child.run(main, 20, False)
    second = parent.fork(GRANDCHILD)
    parent.run(main, 5, False)
    second.threads = {main: second.threads[main][-1:]}
    second.run(main, 11, False)
    parent.run(other, 30, False)
    parent.run(main, 30, False)
    paths = {}
    for process in (parent, child, second):
        paths[process] = place / f"{process.pid}.xray"
        buffers = [(key, buffer) for key, buffers in process.threads.items() for buffer in buffers]
        chunks = [(key, records) for key, (_, records) in sorted(buffers, key=lambda item: item[1][1][0][2])]
        paths[process].write_bytes(basic(version, words, chunks))
        if is_yaml:
            paths[process].write_text(check.run("convert", "-f", "yaml", paths[process])[0])
    for order in ([parent, child], [child, parent], [parent, child, second], [second, child, parent], [child, second, parent]):
        what = f"{form}: {[process.pid for process in order]}"
        model = Model(order, True, has_pid)
        files = [paths[process] for process in order]
        counts, err = check.account("-d", *files, allowed=(0, 3))
        check.expect(f"{what}: counts", counts, dict(model.counts))
        check.expect(f"{what}: exits without entries", told(UNMATCHED, err), model.unmatched)
        check.expect(f"{what}: shared buffers are told", told(SHARED, err) > 0, True)
        check.expect(f"{what}: stacks", check.flame("--aggregation-type", "count", *files), dict(model.stacks))
        check.expect(f"{what}: ticks", check.flame(*files), {stack: ticks for stack, ticks in model.self_ticks.items() if ticks})


@pytest.mark.parametrize("words", [[], ["big"]], ids=["little", "big"])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_one_log(check, place, order, words):
    """The file of a process in basic mode is open when it forks twice: all write what it had not written, followed by their own."""
    main, draw = (PARENT, 100), random.Random("one log")
    parent = Process(draw, PARENT)
    parent.new_buffer(main)
    parent.run(main, 40, False)
    parent.new_buffer((PARENT, 101))
    parent.run((PARENT, 101), 12, False)
    written = [(key, records) for key in (main, (PARENT, 101)) for _, records in parent.threads[key]]
    parent.new_buffer(main)
    parent.run(main, 15, False)
    ends = []
    for pid in (CHILD, GRANDCHILD):
        child = parent.fork(pid)
        before = child.threads[main][-1][1]
        child.threads = {}
        child.new_buffer((pid, 100))
        child.run((pid, 100), 14, False)
        ends.append((child, [(main, before), ((pid, 100), child.threads[(pid, 100)][0][1])]))
        parent.run(main, 6, False)
    ends.append((parent, [(main, parent.threads[main][-1][1])]))
    path = place / "one.xray"
    path.write_bytes(basic(3, words, written + [chunk for number in order for chunk in ends[number][1]]))
    model = Model([process for process, _ in ends], True)
    counts, err = check.account("-d", path, allowed=(0, 3))
    check.expect("counts", counts, dict(model.counts))
    check.expect("exits without entries", told(UNMATCHED, err), model.unmatched)
    check.expect("told", b"runs of records that two processes wrote" in err, True)
    check.expect("stacks", check.flame("--aggregation-type", "count", path), dict(model.stacks))
    check.expect("ticks", check.flame(path), {stack: ticks for stack, ticks in model.self_ticks.items() if ticks})


def test_pieces(check, place):
    """Threads of large logs are read in pieces, with the same result: what an exit ends may be in an earlier piece."""
    draw = random.Random("pieces")
    parent = Process(draw, PARENT)
    key = (PARENT, 100)
    for _ in range(24):
        parent.new_buffer(key)
        parent.run(key, 7000, True)
        parent.add(key, "exit", 6)  # of a function that was never entered
    child = parent.fork(CHILD)
    for process in (parent, child):
        process.run(key, 5000, True)
    files = []
    for process in (parent, child):
        files.append(place / f"{process.pid}.xray")
        files[-1].write_bytes(process.log("fdr", 5, []))
    for order in ([parent], [parent, child]):
        paths = files[: len(order)]
        plain = Model(order, False)
        results = [check.account("--threads", threads, *paths, allowed=(3,)) for threads in (1, 2, 5)]
        check.expect("any number of threads", [result == results[0] for result in results], [True] * 3)
        counts, err = results[0]
        check.expect("counts", counts, dict(plain.counts))
        check.expect("calls left out", (told(BLOCKED, err), plain.blocked > 1000), (plain.blocked, True))
        check.expect("exits without entries", told(UNMATCHED, err), plain.unmatched)
        stacks = [check.flame("--threads", threads, "--aggregation-type", "count", *paths) for threads in (1, 2, 5)]
        check.expect("stacks", stacks, [dict(Model(order, True).stacks)] * 3)
