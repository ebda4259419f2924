"""Indexes of XRay logs: compared with a reader written from idx/FORMAT.md, a slow reader of logs, libtrawl, and the reports from the log
itself; and damaged indexes.

    tests/run.py xray_index
"""

import random
import re
from pathlib import Path

import extent
import index_reader
import libtrawl
import pytest
import quick
import test_format
import test_xray_reports
import xray_model
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
FLIPS = extent.pick(15, 100)
KINDS = ["enter", "exit", "tail-exit", "enter-args"]

REPORTS = [
    ["info"], ["info", "--functions", "--format", "json"], ["profile"], ["profile", "--format", "json"],
    ["profile", "--lane-events", "5..40"], ["flamegraph"], ["flamegraph", "--format", "svg"], ["calltree"],
    ["calltree", "--format", "csv"], ["stack"], ["export", "--format", "csv"], ["export"],
]


class Indexes(Checker):
    def __init__(self, trawl, library):
        super().__init__(trawl)
        self.library = library
        self.kinds = set()  # kinds of events that were compared

    def run(self, *words):
        done = quick.run([str(word) for word in [self.trawl, *words]], timeout=TIMEOUT_S)
        return done.returncode, done.stdout, done.stderr

    def index(self, log, index, *words):
        status, *_ = self.run("index", "--force-index", "--no-sync", "--index", index, *words, log)
        return status

    # --- What is in it ---

    @staticmethod
    def events_of(index):
        """The events of each thread."""
        found = {}
        for lane, about in enumerate(index.log_lanes):
            found[about[0], about[1]] = []
            for number in range(index.lanes[lane][1]):
                event = index.event(index._first_of_lane(lane) + number)
                found[about[0], about[1]].append((KINDS[event.flags >> 8], event.pc >> 1, event.time))
        return {key: events for key, events in found.items() if events}

    @staticmethod
    def events_of_log(log):
        """The same from the log, with times that never fall."""
        found = {}
        for key, records in log.threads.items():
            time = 0
            for record in records:
                if "function" not in record:
                    continue
                time = max(time, record["tsc"])
                kind = record.get("written", record["kind"])
                found.setdefault(key, []).append((kind, record["function"], time))
        return found

    def contents(self, name, log, path, segment_events):
        self.check(name + " index", self.index(log, path, "--segment-events", segment_events) in (0, 3))
        ours = index_reader.Index(path.read_bytes())
        test_format.check_parts(ours)
        self.check(name + " pieces", ours.piece_hashes() == test_format.piece_hashes(log.read_bytes()))
        model = self.events_of_log(xray_model.Log(log.read_bytes()))
        got = self.events_of(ours)
        self.check(name + " events", got == model)
        self.kinds |= {kind for events in got.values() for kind, *_ in events}
        with self.library.open(path) as theirs:
            test_format.Comparison(ours, theirs, random.Random(name)).all()
        self.check(name + " libtrawl", self.run("verify", "--index", path, log)[0] == 0)

    def bytes_of(self, name, log, directory, segment_events):
        """The bytes do not depend on the number of threads."""
        made = []
        for threads in (1, 2, 7):
            path = directory / "index"
            self.index(log, path, "--segment-events", segment_events, "--threads", threads)
            made.append(path.read_bytes())
        self.check(name + " bytes", made[0] == made[1] == made[2])

    # --- What reads it ---

    def reports(self, name, log, index, *words):
        for report in REPORTS:
            of_log = self.run(*report, *words, log)
            of_index = self.run(*report, *words, "--index", index, "--no-index", log)
            # Two refusals would be equal, too, so check that only a log without events is refused.
            self.check("%s %s answers" % (name, report), of_log[0] in (0, 3) or b"no events" in of_log[2])
            if report[0] == "info":
                of_index = of_index[0], self.without_index(name, of_index[1], index), of_index[2]
            self.check("%s %s %s" % (name, report, words), of_log == of_index)

    def without_index(self, name, output, index):
        """What `info` prints without the part on the index, which must have the index's name and size."""
        told = re.search(rb"\nindex  .*?\n(?=\n)|  .index.: \{.*?\},\n", output, re.DOTALL)
        figures = bool(told) and (b"%d" % index.stat().st_size) in told[0] and bytes(index) in told[0]
        self.check(name + " info of the index", figures)
        return output.replace(told[0], b"", 1) if told else output

    def stacks(self, name, log, index, draw):
        """Points throughout the log, and at its ends."""
        size = log.stat().st_size
        times = [int(line.split()[2]) for line in self.run("info", log)[1].decode().splitlines()
                 if line.startswith(("first time", "last time"))]
        lanes = re.findall(r'"lane": "([^"]+)"', self.run("info", "--format", "json", log)[1].decode())
        points = ["start", "end", "event:999999"]
        points += ["byte:%d" % draw.randrange(size + 2) for _ in range(4)]
        points += ["time:%d" % draw.randrange(times[0] - 2, times[1] + 3) for _ in range(4)] if times else []
        for point in points:
            of_log = self.run("stack", "--memory-index", "--at", point, log)
            self.check("%s stack %s" % (name, point),
                       of_log == self.run("stack", "--index", index, "--no-index", "--at", point, log))
            self.check("%s stack %s answers" % (name, point),
                       of_log[0] in (0, 3) or point.startswith(("byte:", "event:9")) or b"no events" in of_log[2])
        for lane in lanes: # events are counted in each lane
            of_log = self.run("stack", "--memory-index", "--at", "event:1", "--lane", lane, log)
            self.check("%s stack of %s" % (name, lane), of_log == self.run(
                "stack", "--index", index, "--no-index", "--at", "event:1", "--lane", lane, log))
            self.check("%s stack of %s answers" % (name, lane), of_log[0] in (0, 3) or b"no events" in of_log[2])

    # --- Damage ---

    def damage(self, name, log, index, draw):
        """A wrong bit leads to the log being read, or to a refusal, and never to another answer."""
        data, right = index.read_bytes(), self.run("profile", log)
        stack = self.run("stack", "--at", "event:300", "--lane", "tid5235", "--memory-index", log)
        for at in draw.sample(range(len(data)), FLIPS):
            spoiled = bytearray(data)
            spoiled[at] ^= 1 << draw.randrange(8)
            index.write_bytes(spoiled)
            refused = self.run("profile", "--index", index, "--no-index", log)
            self.check("%s byte %d refused" % (name, at), refused == right or refused[0] == 1)
            self.check("%s byte %d" % (name, at), self.run("profile", "--index", index, log)[:2] == right[:2])
            index.write_bytes(spoiled)
            got = self.run("stack", "--at", "event:300", "--lane", "tid5235", "--index", index, log)
            self.check("%s byte %d stack" % (name, at), got[:2] == stack[:2])

    def log(self, name, data, directory):
        log, index = directory / "log", directory / "log.other"
        draw = random.Random(name)
        log.write_bytes(data)
        if len(data) < 60000:
            self.contents(name, log, index, draw.choice([1, 7, 1000, 131072]))
        self.bytes_of(name, log, directory, draw.choice([64, 5000]))
        self.index(log, index, "--segment-events", draw.choice([50, 131072]))
        self.reports(name, log, index)
        self.stacks(name, log, index, draw)


@pytest.fixture
def indexes(trawl, library):
    return Indexes(trawl, library)


@pytest.mark.parametrize("path", sorted((ROOT / "corpus" / "xray").glob("*.xray")), ids=lambda path: path.name)
def test_corpus(indexes, place, path):
    indexes.log(path.name, path.read_bytes(), place)


@pytest.mark.parametrize("number", range(test_xray_reports.RANDOM_LOGS))
def test_random(indexes, place, number):
    name, data = test_xray_reports.random_log(number)
    indexes.log(name, data, place)


@pytest.mark.parametrize("name", ["threads", "exceptions", "tailcall"])
def test_listed_calls(indexes, place, name):
    """Indexes that list their calls, as trawl made them up to 1.1, are read, and have the calls that follow from the events of a new one."""
    log, path = ROOT / "corpus" / "xray" / f"{name}.fdr.xray", ROOT / "corpus" / "xray" / f"{name}.listed.index"
    indexes.index(log, place / "index", "--segment-events", 1000)
    listed, nested = index_reader.Index(path.read_bytes()), index_reader.Index((place / "index").read_bytes())
    indexes.check("kinds of indexes", index_reader.NESTING in nested.sections and index_reader.NESTING not in listed.sections)
    indexes.expect("calls", nested.calls, listed.calls)
    indexes.expect("events", indexes.events_of(nested), indexes.events_of(listed))
    test_format.check_parts(listed)
    with indexes.library.open(path) as theirs:
        test_format.Comparison(listed, theirs, random.Random(name)).all()


def test_damage(indexes, place):
    name = "threads.fdr.xray"
    log, index = place / "log", place / "log.other"
    log.write_bytes((ROOT / "corpus" / "xray" / name).read_bytes())
    indexes.index(log, index, "--segment-events", 50)
    indexes.damage(name, log, index, random.Random(name))


def test_every_kind_of_event_is_compared(indexes, place):
    for name in ("arguments.fdr.xray", "tailcall.fdr.xray"):
        path = ROOT / "corpus" / "xray" / name
        indexes.contents(name, path, place / "index", 1000)
    indexes.expect("kinds", indexes.kinds, set(KINDS))
