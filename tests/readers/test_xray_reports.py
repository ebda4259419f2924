"""Compares the reports of `trawl xray`, on the logs of the corpus and on random logs of every version and byte order, with a
separate reader (xray_model.py).
"""

import hashlib
import json
import random
import struct
from pathlib import Path

import extent
import pytest
import quick
import xray_model
from checker import Checker
from xray_write import Writer, make_log

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
RANDOM_LOGS = 14
LONG, DAYS = RANDOM_LOGS, RANDOM_LOGS + 1
SHORT_LOGS = [*range(RANDOM_LOGS), DAYS]
CALLS = extent.pick(200, 300)
SHT_SYMTAB, SHT_DYNSYM = 2, 11
DEPTH = 400000
LONG_RECORDS = 180000  # more than a megabyte, so that threads are divided into pieces
# SHA-256 of the output of `llvm-xray-14 fdr-dump` (14.0.6) for packed_fdr(random.Random(7), 5, [], ...) below.
PACKED_DUMP = "17010c71f997281e12029a325c6a79465980090d8fedbdf027af0adff35223bf"

# Each of these has one fault, and trawl reads the rest. llvm-xray cannot read them.
BROKEN = {
    "unknown-kind": ("fdr 5\nbuffer 7 pid 3\ncpu 0 1000\nenter 1 5\nexit 1 5\nbytes 1500000000000000\nbytes 0000000000000000\n"
                     "buffer 7 at 9 0 pid 3\ncpu 0 2000\nenter 2 0\nexit 2 7\n", {1: [5], 2: [7]}),
    "unknown-action": ("fdr 5\nbuffer 7 pid 3\ncpu 0 1000\nenter 1 5\nexit 1 5\nbytes 1800000001000000\n"
                       "buffer 7 at 9 0 pid 3\ncpu 0 2000\nenter 2 0\nexit 2 7\n", {1: [5], 2: [7]}),
    # Valid but unusual: a buffer of another thread within the extents of the first.
    "inner-buffer": ("fdr 5\nbuffer 7 pid 3\ncpu 0 1000\nenter 1 5\ncustom 1 abc\nexit 1 5\n"
                     "bytes 01080000000000000000000000000000\n"
                     "bytes 09020000000000000005000000000000\n"
                     "bytes 050000d0070000000000000000000000\nenter 2 0\nexit 2 7\n", {1: [6], 2: [7]}),
    "no-entry": ("fdr 3\nbuffer 7 pid 3\ncpu 0 1000\nexit 4 1\nenter 1 5\nexit 9 1\nexit 1 5\n", {1: [6]}),
    "cut": ("fdr 4\nbuffer 7 pid 3\ncpu 0 1000\nenter 1 5\nexit 1 5\nenter 2 5\nexit 2 1\ncut 3\n", {1: [5]}),
    "long-extents": ("fdr 5\nbuffer 7 pid 3 extents 1000000\ncpu 0 1000\nenter 1 5\nexit 1 5\n", {1: [5]}),
    "duplicate": ("fdr 5\nbuffer 7 at 1 1 pid 3\ncpu 0 1000\nenter 1 5\nexit 1 5\n"
                  "buffer 7 at 1 1 pid 3\ncpu 0 1000\nenter 1 5\nexit 1 5\n", {1: [5]}),
    "basic-action": ("basic 3\nenter 1 10 7 3\nbytes 00000009010000000000000000000000"
                     "07000000030000000000000000000000\nexit 1 15 7 3\n", {1: [5]}),
}


def durations_of(rng):
    """A random number of ticks, up to seconds."""
    return rng.randrange(1 << rng.choice((1, 4, 8, 11, 16, 24, 31)))


def random_walk(rng, count, functions):
    """(action, function, ticks since the previous record): calls, some without entry or exit."""
    stack = []
    for _ in range(count):
        if stack and (len(stack) > 12 or rng.random() < 0.5):
            function = stack.pop() if rng.random() < 0.98 else rng.randrange(1, functions)
            yield rng.choice(("exit", "exit", "tail-exit")), function, durations_of(rng)
        else:
            stack.append(rng.randrange(1, functions))
            yield rng.choice(("enter", "enter", "enter-args")), stack[-1], durations_of(rng)


def random_fdr(rng, version, order, threads, records, per_buffer):
    """A log whose buffers are in any order."""
    writer = Writer("fdr", str(version), *order, "buffer-size", str(96 + 34 * per_buffer))
    buffers = []
    for thread in range(threads):
        tsc, left, number = rng.randrange(1 << 40), [], 0
        for action, function, ticks in random_walk(rng, records, rng.choice((3, 30))):
            if not left:
                left = [None] * per_buffer
                number += 1
                buffers.append((thread, number, tsc, []))
            left.pop()
            tsc += ticks
            buffers[-1][3].append((action, function, ticks))
    rng.shuffle(buffers)
    for thread, number, tsc, lines in buffers:
        writer.buffer(str(100 + thread), *["at", str(number), "0"], *(["pid", "9"] if version >= 3 else []))
        writer.cpu(str(thread % 3), str(tsc))
        for action, function, ticks in lines:
            writer.line(action, str(function), str(ticks))
            if action == "enter-args":
                writer.argument(str(ticks))
            elif version >= 4 and ticks % 41 == 0:
                writer.custom("0" if version >= 5 else str(tsc), "odd\\x00" + "x" * (ticks % 7))
        if version == 1:
            writer.end()
    return writer.result()


def packed_fdr(rng, version, order, threads, buffers):
    """A log of more than a megabyte in two forms: each buffer with its own extents, and up to nine buffers in one extent."""
    alone = Writer("fdr", str(version), *order, "buffer-size", "65536")
    packed = Writer("fdr", str(version), *order, "buffer-size", "65536")
    clocks = [rng.randrange(1 << 40) for _ in range(threads)]
    room = 0
    for number in range(buffers):
        thread = rng.randrange(threads)
        alone.buffer(str(100 + thread), "at", str(number // 3), str(number), *(["pid", "9"] if version >= 3 else []))
        alone.cpu(str(thread % 3), str(clocks[thread]))
        for action, function, ticks in random_walk(rng, rng.choice((0, 1, 15, 16, 17, 100, 700)), 30):
            ticks %= 1 << 20
            clocks[thread] += ticks
            alone.line(action, str(function), str(ticks))
            if action == "enter-args":
                alone.argument(str(ticks))
            elif version >= 4 and ticks % 41 == 0:
                alone.custom("0" if version >= 5 else str(clocks[thread]), "odd" + "x" * (ticks % 7))
        records = alone.buffers[-1][0]
        if room:
            packed.buffers[-1][0].extend(records)
        else:
            packed.buffers.append((bytearray(records), None))
            room = rng.randrange(10)
        room = max(room - 1, 0)
    return alone.result(), packed.result()


def random_basic(rng, version, order, threads, records):
    writer = Writer("basic", str(version), *order)
    for thread in range(threads):
        tsc = rng.randrange(1 << 50)
        for action, function, ticks in random_walk(rng, records, 20):
            tsc += ticks
            writer.line(action, str(function), str(tsc), str(100 + thread), "9")
            if action == "enter-args":
                writer.line("argument", str(function), str(ticks), str(100 + thread), "9")
    return writer.result()


def random_days(rng):
    """A log with a call of so many ticks that trawl does not store calls for the second pass, but reads the log again."""
    log = bytearray(random_basic(rng, 3, [], 2, 10_000))
    writer = Writer("basic", "3")
    writer.line("enter", "1", "1000", "200", "9")
    writer.line("exit", "1", str(1000 + (1 << 52)), "200", "9")
    return bytes(log) + writer.result()[32:]


def random_log(number):
    """The name and bytes of a random log."""
    if number == LONG:
        return "long", random_fdr(random.Random(99), 5, [], 2, LONG_RECORDS // 2, 2000)
    if number == DAYS:
        return "days", random_days(random.Random(99))
    rng = random.Random(number)
    order = ["big"] if number % 2 else []
    version = number // 2 % 7 + 1
    if version > 5:
        return "basic-%d-%d" % (version - 4, number), random_basic(rng, version - 4, order, 3, CALLS)
    return "fdr-%d-%d" % (version, number), random_fdr(rng, version, order, 3, CALLS, 50)


def picoseconds(ticks, frequency):
    """Truncated to nanoseconds unless a tick is shorter; if the frequency is unknown, a tick is a microsecond."""
    picos = ticks * 10**12 // frequency if frequency else ticks * 10**6
    return picos if frequency > 10**9 else picos - picos % 1000


def event_times(events, frequency):
    """The times of events as texts: microseconds since the first event, ascending in each thread."""
    start, last = min((event[0] for event in events), default=0), {}
    for tsc, _, _, thread in events:
        time = picoseconds(tsc - start, frequency)
        if thread in last and time <= last[thread]:
            step = 10 ** sum(last[thread] // 10**6 >> bits > 0 for bits in (32, 36, 39, 42, 46, 49))
            time = last[thread] // step * step + step
        last[thread] = time
        micros, rest = divmod(time, 10**6)
        yield "%d.%06d" % (micros, rest) if rest % 1000 else "%d.%03d" % (micros, rest // 1000)


class Reports(Checker):
    def run(self, *words):
        done = quick.run([self.trawl, "xray", *words], timeout=TIMEOUT_S)
        if done.returncode not in (0, 3):
            raise AssertionError("status %d: %r" % (done.returncode, done.stderr[-300:]))
        return done.stdout

    def account(self, name, path, log):
        for words, how in (((), {}), (("-d",), {"deduce": True}), (("-recursive-calls-only",), {"recursive_only": True})):
            wanted = xray_model.account_csv(log, **how).encode()
            for threads in ("1", "2"):
                got = self.run("account", "-f", "csv", *words, "--threads", threads, path)
                self.check("%s account %s %s" % (name, words, threads), got == wanted)

    def stack(self, name, path, log):
        for aggregate in (False, True):
            for by_count in (False, True):
                words = ["--aggregate-threads"] if aggregate else []
                words.append("--aggregation-type=" + ("count" if by_count else "time"))
                got = sorted(self.run("stack", "-all-stacks", *words, path).decode().splitlines())
                self.check("%s stack %s" % (name, words), got == xray_model.collapsed(log, aggregate, by_count))

    def graph(self, name, path, log):
        _, edges, _ = xray_model.durations(log)
        for field, at in (("count", 0), ("med", 2), ("99p", 4), ("sum", 6)):
            wanted = set()
            for (caller, callee), values in edges.items():
                figure = xray_model.figures(values)[at]
                label = "%d" % figure if field == "count" else "%e" % (figure / (log.frequency or 1))
                wanted.add('F%d -> F%d [label="%s"];' % (caller, callee, label))
            lines = self.run("graph", "-e", field, path).decode().splitlines()
            self.check("%s graph %s" % (name, field), {line for line in lines if " -> " in line} == wanted)

    def convert(self, name, path, log, directory):
        raw = directory / "raw"
        self.run("convert", "-f", "raw", "-o", raw, path)
        again = xray_model.Log(raw.read_bytes())
        calls = {key: [(r["kind"], r["function"], r["tsc"], r["args"]) for r in records if "function" in r]
                 for key, records in log.threads.items()}
        got = {key: [(r["kind"], r["function"], r["tsc"], r["args"]) for r in records]
               for key, records in again.threads.items()}
        self.check(name + " convert raw", got == {key: of for key, of in calls.items() if of})
        self.trace_events(name, path, log)
        lines = self.run("convert", "-f", "yaml", path).decode().splitlines()
        records = sum(len(of) for of in log.threads.values())
        self.check(name + " convert yaml", sum(line.startswith("  - { type: ") for line in lines) == records)

    def yaml(self, name, path, directory):
        """The log as YAML gives the same reports as the log."""
        text = directory / "yaml"
        text.write_bytes(self.run("convert", "-f", "yaml", path))
        self.check(name + " yaml again", self.run("convert", "-f", "yaml", text) == text.read_bytes())
        for words in (["account", "-f", "csv"], ["stack", "-all-stacks"], ["graph", "-e", "sum"], ["convert", "-f", "raw"]):
            self.check("%s yaml %s" % (name, words), self.run(*words, text) == self.run(*words, path))

    def trace_events(self, name, path, log):
        for words in ([], ["--no-sort"]):
            texts = [self.run("convert", "-f", "trace_event", "--threads", threads, *words, path) for threads in "12"]
            trace = json.loads(texts[0], parse_float=str)
            got = [(event["ts"], event["ph"] == "B", event["name"], event["pid"], event["tid"])
                   for event in trace["traceEvents"]]
            events = list(xray_model.trace_events(log, not words))
            wanted = [(time, begins, str(function), *thread) for time, (_, begins, function, thread)
                      in zip(event_times(events, log.frequency), events)]
            label = "%s convert trace_event %s" % (name, words)
            self.check(label, got == wanted)
            self.check(label + " base", trace["otherData"] == {
                "start_ticks": str(min((event[0] for event in events), default=0)), "ticks_per_second": log.frequency})
            self.check(label + " stacks", self.has_stacks(trace))
            self.check(label + " threads", texts[0] == texts[1])

    @staticmethod
    def has_stacks(trace):
        """Whether the stack of each event is the open calls at that time, and no stack occurs twice."""
        stacks, frames = {}, trace["stackFrames"]
        for event in trace["traceEvents"]:
            stack = stacks.setdefault((event["pid"], event["tid"]), [])
            frame = frames[str(event["sf"])]
            if event["ph"] == "B":
                if frame.get("parent") != (stack[-1] if stack else None) or frame["name"] != event["name"]:
                    return False
                stack.append(event["sf"])
            elif stack.pop() != event["sf"]:
                return False
        places = {(frame["name"], frame.get("parent")) for frame in frames.values()}
        return len(places) == len(frames)

    def log(self, name, data, directory):
        path = directory / "log"
        path.write_bytes(data)
        log = xray_model.Log(data)
        self.account(name, path, log)
        self.stack(name, path, log)
        self.graph(name, path, log)
        if name != "long":
            self.convert(name, path, log, directory)
        if name not in ("long", "days"):
            self.yaml(name, path, directory)

    def broken(self, name, text, wanted, directory):
        path = directory / "log"
        path.write_bytes(make_log(text))
        lines = self.run("account", "-f", "csv", path).decode().splitlines()[1:]
        got = {int(line.split(",")[0]): round(float(line.split(",")[7]) * 1e9) for line in lines}
        self.check("broken " + name, got == {function: sum(of) for function, of in wanted.items()})

    def packed(self, directory):
        """Several buffers in one extent are read like buffers with their own extents."""
        alone, packed = directory / "alone", directory / "packed"
        reports = [["account", "-f", "csv"], ["stack", "-all-stacks"], ["graph", "-e", "sum"], ["dump", "-verify"],
                   ["convert", "-f", "raw"], ["convert", "-f", "yaml"], ["convert", "-f", "trace_event"]]
        for number, (version, order) in enumerate([(5, []), (5, ["big"]), (4, []), (3, ["big"]), (2, [])]):
            for path, data in zip((alone, packed), packed_fdr(random.Random(7), version, order, 3, 1500)):
                path.write_bytes(data)
            self.check("packed is large", packed.stat().st_size > 1 << 20)
            all_threads = extent.pick(("127"[number % 3],), ("1", "2", "7"))
            for words in extent.pick(reports if number == 0 else reports[number % 2 :: 2], reports):
                wanted = self.run(*words, alone)
                for threads in () if words[0] == "dump" else all_threads:
                    got = self.run(*words, "--threads", threads, packed)
                    self.check("packed %d %s %s %s" % (version, order, words, threads), got == wanted)
                if words[0] == "dump":
                    self.check("packed %d %s dump" % (version, order), self.run(*words, packed) == wanted)
            if version == 5 and not order:
                dump = hashlib.sha256(self.run("fdr-dump", packed)).hexdigest()
                self.check("packed as llvm-xray shows it", dump == PACKED_DUMP)

    def stripped(self, directory):
        """For an image without a symbol table, the exported symbols are used."""
        image, log = ROOT / "corpus" / "xray" / "recursion.elf", ROOT / "corpus" / "xray" / "recursion.fdr.xray"
        data = bytearray(image.read_bytes())
        at, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
        for header in range(at, at + 64 * count, 64):
            if struct.unpack_from("<I", data, header + 4)[0] == SHT_SYMTAB:
                struct.pack_into("<I", data, header + 4, SHT_DYNSYM)
        path = directory / "image"
        path.write_bytes(data)
        named = self.run("account", "-m", image, log)
        self.check("stripped", named == self.run("account", "-m", path, log) != self.run("account", log))

    def maps(self, directory):
        """Maps in YAML name functions as their images do, and are written back unchanged."""
        for image in sorted((ROOT / "corpus" / "xray").glob("*.elf")):
            text = directory / "map"
            text.write_bytes(self.run("extract", "-s", image))
            self.check("map of %s again" % image.name, self.run("extract", "-s", text) == text.read_bytes())
            log = next(image.parent.glob(image.stem.split("-")[0] + ".*.xray"), None)
            if not log:
                continue  # of a profile
            self.check("names of " + image.name, self.run("graph", "-m", "0=%s" % text, log) == self.run("graph", "-m", "0=%s" % image, log))

    def deep(self, directory):
        """Exits of functions that are not open, above many open calls: searching all of them for each exit would take minutes."""
        writer = Writer("fdr", "5")
        writer.buffer("7", "pid", "3")
        writer.cpu("0", "1000")
        for shift in (4 << 4, 100 << 4 | 2, 4 << 4 | 2):
            writer.add(b"".join(struct.pack("<II", (i % 50 << 4) + shift, 1) for i in range(DEPTH)))
        path = directory / "log"
        path.write_bytes(writer.result())
        for words in (["account", "-d"], ["stack"], ["convert", "-f", "trace_event", "-o", "/dev/null"]):
            self.run(*words, path)
            self.check("deep " + words[0], True)

    def frequencies(self, directory):
        """Times of trace events at any frequency, with calls without duration and a clock that goes back."""
        for frequency in (0, 1, 3000000, 10**9, 2400000000, 1 << 34, (1 << 35) + 1, 10**12, 7 * 10**12):
            rng = random.Random(frequency)
            writer = Writer("fdr", "5", "frequency", str(frequency))
            for thread, start in (("7", 1 << 60), ("8", (1 << 60) + 12345)):
                writer.buffer(thread, "pid", "3")
                for at in range(0, 4000, 800):
                    writer.cpu("0", str(start + at))
                    for action, function, _ in random_walk(rng, 60, 5):
                        writer.line(action, str(function), str(rng.choice((0, 0, 1, 2, 50))))
            path = directory / "log"
            path.write_bytes(writer.result())
            self.trace_events("frequency %d" % frequency, path, xray_model.Log(path.read_bytes()))

    def wide(self, directory):
        """Exits that end more calls than are looked at in one step, in two threads."""
        writer = Writer("fdr", "5")
        for thread in ("7", "8"):
            writer.buffer(thread, "pid", "3")
            writer.cpu("0", "1000")
            writer.line("enter", "1", "0")
            for ended in (1, 255, 256, 257, 700):
                writer.line("enter", "2", "3")
                for function in range(ended):
                    writer.line("enter", str(3 + function % 9), "1")
                writer.line("exit", "2", "5")
        path = directory / "log"
        path.write_bytes(writer.result())
        self.trace_events("wide", path, xray_model.Log(path.read_bytes()))


@pytest.fixture
def reports(trawl):
    return Reports(trawl)


@pytest.mark.parametrize("path", sorted((ROOT / "corpus" / "xray").glob("*.xray")), ids=lambda path: path.name)
def test_corpus(reports, place, path):
    reports.log(path.name, path.read_bytes(), place)


@pytest.mark.parametrize("number", [*SHORT_LOGS, LONG])
def test_random(reports, place, number):
    name, data = random_log(number)
    reports.log(name, data, place)


@pytest.mark.parametrize("name", BROKEN)
def test_broken(reports, place, name):
    reports.broken(name, *BROKEN[name], place)


@pytest.mark.parametrize("what", ["stripped", "packed", "maps", "deep", "frequencies", "wide"])
def test_logs_that_are(reports, place, what):
    getattr(reports, what)(place)
