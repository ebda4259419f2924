"""The chart of calls from `trawl serve`, compared with a simple model: the calls around the event in the middle of each column. The logs
contain random calls, calls that are thousands deep, and calls that never return.

    tests/run.py serve_chart
"""

import random
import struct

import pytest
from checker import Checker
from served import Served

LEVELS_MAX = 200
STRETCHES = 12
ENTRY, EXIT = 0, 1


def wander(rng, steps, depth_max, up):
    """Whether each step enters a call; `up` is how often, in phases that go up and down."""
    depth, rate = 0, up
    for i in range(steps):
        if i % 97 == 0:
            rate = rng.choice((up, 1 - up, 0.5))
        is_entry = depth == 0 or (depth < depth_max and rng.random() < rate)
        depth += 1 if is_entry else -1
        yield is_entry


def ramps(rng, depth, count):
    """Goes to a depth and nearly all the way back, repeatedly."""
    kept = 3
    yield from [True] * kept
    for _ in range(count):
        way = depth - rng.randrange(depth // 2)
        yield from [True] * way
        yield from [False] * way
        if rng.random() < 0.3:
            yield from (False, True)


def never_back(rng, runs):
    """Runs whose outermost calls never return, each inside the previous one."""
    for _ in range(runs):
        yield from [True] * 3
        yield from wander_back(rng, 40)


def wander_back(rng, steps):
    depth = 0
    for is_entry in wander(rng, steps, 9, 0.6):
        depth += 1 if is_entry else -1
        yield is_entry
    yield from [False] * depth


SHAPES = {
    "random": lambda rng: wander(rng, 9000, 40, 0.6),
    "deep": lambda rng: wander(rng, 30000, 100000, 0.95),
    "ramps": lambda rng: ramps(rng, 2500, 6),
    "never back": lambda rng: never_back(rng, 700),
    "flat": lambda rng: (i % 2 == 0 for i in range(5000)),
}


class Thread:
    """The records of a thread, and its calls: entry, last event, level. A record that ends a call belongs to its caller."""

    def __init__(self, rng, steps):
        self.records, self.calls, stack = [], [], []
        for event, is_entry in enumerate(steps):
            if is_entry:
                stack.append(len(self.calls))
                self.calls.append([event, None, len(stack)])
                self.records.append((ENTRY, rng.randrange(1, 30)))
            else:
                self.calls[stack[-1]][1] = event - 1
                entry = self.calls[stack.pop()][0]
                self.records.append((EXIT, self.records[entry][1]))
        for call in stack:
            self.calls[call][1] = len(self.records) - 1

    def bars(self, first, end, columns, above, levels):
        """Bars as in the chart, and whether some below them are left out."""
        width, open_, done, is_cut = end - first, {}, [], False
        for column in range(columns + 1):
            event = first + width * (2 * column + 1) // (2 * columns)
            around = {level: (entry, exit_) for entry, exit_, level in self.around(event)} if column < columns else {}
            is_cut |= max(around, default=0) > above + levels
            for level in [level for level in open_ if open_[level][0] != around.get(level)]:
                (entry, exit_), begun = open_.pop(level)
                done.append((level - 1, begun, column, entry, exit_))
            for level, call in around.items():
                if above < level <= above + levels and level not in open_:
                    open_[level] = (call, column)
        return sorted(done), is_cut

    def around(self, event):
        if not hasattr(self, "at"):
            self.at, stack, call = [], (), 0  # for each event, the innermost call and the calls around it
            for number, (action, _) in enumerate(self.records):
                if action == ENTRY:
                    stack = (self.calls[call], stack)
                    call += 1
                else:
                    stack = stack[1]
                self.at.append(stack)
        stack = self.at[event]
        while stack:
            yield stack[0]
            stack = stack[1]


def log_of(threads):
    """A basic log, and the numbers of each thread's events in the trace."""
    records = [b""]
    for tid, thread in enumerate(threads, 1):
        records += [struct.pack("<HBBiQII8x", 0, 0, action, function, 1000 + 7 * i, tid, 1) for i, (action, function) in enumerate(thread.records)]
    return struct.pack("<HHIQ16x", 3, 0, 3, 1000000000) + b"".join(records)


class Charts(Checker):
    def __init__(self, trawl, directory):
        super().__init__(trawl)
        self.directory = directory
        self.random = random.Random(4)

    def chart(self, served, name, lane, thread, before):
        events = len(thread.records)
        for number in range(STRETCHES):
            width = max(1, int(events ** self.random.random())) if number else events
            first = self.random.randrange(events - width + 1)
            wish = {"lane": lane, "from": first, "to": first + width, "columns": self.random.choice((1, 37, 400))}
            wish["levels"] = self.random.choice((1, 9, LEVELS_MAX))
            wish["above"] = self.random.choice((0, 0, 5, 700))
            status, answer = served.ask("chart", **wish)
            expected, is_cut = thread.bars(first, first + width, wish["columns"], wish["above"], wish["levels"])
            told = sorted((depth, begin, end, entry - before, exit_ - before) for depth, begin, end, _, entry, exit_, *_ in answer.get("bars", []))
            self.check(f"{name}: {wish}", status == 200 and told == expected, (status, len(told), len(expected), [bar for bar in told if bar not in expected][:3], [bar for bar in expected if bar not in told][:3]))
            self.check(f"{name}: tells that it is cut, {wish}", answer.get("is_cut") == is_cut, (answer.get("is_cut"), is_cut))

    def logs(self, name, threads):
        log = self.directory / name.replace(" ", "-")
        log.write_bytes(log_of(threads))
        before = 0
        with Served(self.trawl, [log]) as served:
            for lane, thread in enumerate(threads):
                self.chart(served, name, lane, thread, before)
                before += len(thread.records)
        self.check(f"{name}: ends in order", served.status == 0, served.complaints)


@pytest.fixture
def checks(trawl, place):
    return Charts(trawl, place)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(checks, name):
    checks.logs(name, [Thread(checks.random, SHAPES[name](checks.random))])


def test_threads(checks):
    checks.logs("threads", [Thread(checks.random, SHAPES[name](checks.random)) for name in ("random", "ramps", "flat")])
