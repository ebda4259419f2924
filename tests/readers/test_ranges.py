"""Compares call trees of random ranges of times and events with a plain model: the whole call tree, and the list of events
that a second reader finds in the index.

    tests/run.py ranges

A call that extends beyond the range is clipped at that end: at its time, and at the line of the last, or first, event in the range. Call
trees are made from the trace with several sizes of chunks and numbers of threads, and from its index.
"""

import csv
import io
import random
from pathlib import Path

import extent
import index_reader
import pytest
import quick

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
RANGES = extent.pick(10, 50)
TRACES = ["traces/tailcall-t32.it", "traces/exceptions-a64.gem5", "traces/twocores-a64.it", "traces/exceptions-t32.es",
          "xray/threads.fdr.xray", "xray/tailcall.basic.xray", "xray/wrap.fdr.xray", "xray/exceptions.fdr.xray"]
WAYS = [["--chunk-size=1", "--threads=3"], ["--chunk-size=700", "--threads=2"], ["--threads=1"], ["--index"]]
XRAY_WAYS = [["--threads=3"], ["--threads=1"], ["--index"]]
OPEN_END = 1 << 64


class Range:
    """A range from one time or event to another, both inclusive."""

    def __init__(self, rng, events):
        rows = events[rng.choice(sorted(events))]
        times = sorted(max(0, rng.choice(rows)[0] + rng.randrange(-2, 3)) for _ in range(2))
        numbers = sorted(rng.randrange(len(rows) + 2) for _ in range(2))
        how = rng.randrange(5)
        if how == 4:  # a range without events is possible
            times[1] = times[0] + rng.randrange(3)
        self.times = times if how != 1 else [0, OPEN_END]
        self.events = numbers if how in (1, 2) else [0, OPEN_END]

    def words(self):
        for name, (first, last) in (("time", self.times), ("events", self.events)):
            if (first, last) != (0, OPEN_END):
                yield "--%s=%d..%d" % (name, first, last)

    def clip(self, rows, call):
        """The (time, line) of entry and exit, and whether the call is clipped; None if the call is not in the range."""
        numbers = {line: number for number, (_, line) in enumerate(rows)}
        (entry_time, entry_line), (exit_time, exit_line) = call
        entry, end = numbers[entry_line], numbers[exit_line]
        (first_time, last_time), (first_event, last_event) = self.times, self.events
        if end < first_event or entry > last_event or exit_time < first_time or entry_time > last_time:
            return None
        up_to = [number for number, (time, _) in enumerate(rows) if number <= self.events[1] and time <= self.times[1]]
        if entry < first_event and first_event in up_to:
            first_time = max(first_time, rows[first_event][0])
        if end > last_event:
            last_time = min(last_time, rows[last_event][0])
        inside = [number for number in up_to if number >= self.events[0] and rows[number][0] >= self.times[0]]
        cuts_entry = entry < first_event or entry_time < first_time
        cuts_exit = end > last_event or exit_time > last_time
        if cuts_entry and up_to:
            entry_line = rows[inside[0] if inside else up_to[-1]][1]
        if cuts_exit and up_to:
            exit_line = rows[up_to[-1]][1]
        entry_time = max(entry_time, first_time)
        return entry_time, entry_line, max(entry_time, min(exit_time, last_time)), exit_line, cuts_entry or cuts_exit


def run(trawl, *words):
    done = quick.run([trawl, *map(str, words)], timeout=TIMEOUT_S)
    return done.returncode, done.stdout.decode()


def calls_of(text):
    """(lane, depth, (time, line) of entry and exit, state, function) of each row of a call tree."""
    for row in csv.DictReader(io.StringIO(text)):
        line = "line" if "entry_line" in row else "position"
        ends = [(int(row[end + "_time"]), int(row[end + "_" + line])) for end in ("entry", "exit")]
        yield row["lane"], int(row["depth"]), ends, row["state"], row["function"]


def events_of(path, trawl):
    """The (time, line) of every event of each lane."""
    index = Path(str(path) + ".index")
    assert run(trawl, "index", path)[0] in (0, 3)
    reader = index_reader.Index(index.read_bytes())
    index.unlink()
    names = [name.decode() for name in reader.lane_names]
    found = {name if len(names) > 1 else "": [] for name in names}
    for number in range(reader.event_count):
        event = reader.event(number)
        place = event.line if reader.has_lines else event.position
        found[names[event.lane] if len(names) > 1 else ""].append((event.time, place))
    return found


def expected(whole, events, wanted):
    for lane, depth, ends, state, function in whole:
        rows = events[lane if lane in events else ""]
        found = wanted.clip(rows, ends) if rows else None
        if found:
            yield lane, depth, [found[0:2], found[2:4]], found[4] or "clipped" in state, function


def check_trace(checker, trawl, path, rng):
    events = events_of(path, trawl)
    whole = list(calls_of(run(trawl, "calltree", "--format=csv", path)[1]))
    for _ in range(RANGES):
        wanted = Range(rng, events)
        answer = list(expected(whole, events, wanted))
        for way in XRAY_WAYS if ".xray" in path.name else WAYS:
            words = ["calltree", "--format=csv", *wanted.words(), *way, path]
            if way == ["--index"]:
                words = ["calltree", "--format=csv", *wanted.words(), "--index=%s.i" % path, path]
            status, text = run(trawl, *words)
            got = [(*call[:3], "clipped" in call[3], call[4]) for call in calls_of(text)]
            differs = [pair for pair in zip(got, answer) if pair[0] != pair[1]][:1]
            is_right = got == answer and (status in (0, 3)) == bool(answer)
            checker.check(" ".join(words[2:-1]), is_right, (status, len(got), len(answer), differs))


@pytest.mark.parametrize("name", TRACES)
def test_ranges(checker, trawl, place, name):
    source = ROOT / "corpus" / (name if "xray" in name else name + ".tarmac")
    path = place / source.name
    path.write_bytes(source.read_bytes())
    check_trace(checker, trawl, path, random.Random(name))
