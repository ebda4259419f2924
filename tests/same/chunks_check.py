#!/usr/bin/env python3
"""Checks that what the reports say depends neither on how a trace is cut into chunks, nor on the
number of threads or the instruction set, nor on whether it comes from a file or a pipe.

    tests/run.py chunks [-k TEXT]

Each report runs once on the whole trace with one thread, then cut in other ways; standard output,
standard error and status must be the same bytes. The traces: those of tests/support/hard_traces.py, random
ones of tools/tracegen, and the corpus. -k takes only traces whose name contains the text.
"""

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import hard_traces
from isas import environment, find_isas

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "tracegen"))

from kinds import make_trace  # noqa: E402

TRACE = "t.tarmac"
TIMEOUT_S = 60
WORKERS = 2
RANDOM_TRACES = 200
LARGE_BYTES = 1 << 20
WHOLE = ("1G", 1, False)
# Chunk size, threads, whether through a pipe. A chunk of one byte is one line.
CUTS = [
    ("1", 1, False), ("1", 5, True), ("2", 2, False), ("17", 5, False), ("64", 2, True),
    ("64", 1, False), ("100", 5, False), ("1", 2, False), ("1K", 2, False), ("1K", 1, True),
    ("64K", 5, False), ("17", 1, True), ("1G", 2, True),
]
ADDRESS = re.compile(rb"(?:IT|IS|IF|ES) (?:\(\d+\) )?\(?([0-9A-Fa-f]{1,15}) ")


def questions(data, exceptions=True):
    """Addresses to ask callinfo for: a few of the trace, and the exceptions."""
    found = list(dict.fromkeys(match.group(1) for match in ADDRESS.finditer(data)))
    asked = ["0x" + address.decode() for address in found[:: max(1, len(found) // 4)]]
    return asked + (["0x6"] if exceptions else []) + ["0x1000"]


def few_commands(data):
    return [
        ["tarmac-calltree", "--debug=call_heuristics", "--show-progress-meter", TRACE],
        ["tarmac-profile", TRACE],
        ["tarmac-callinfo", TRACE] + questions(data),
        ["tarmac-vcd", "--no-date", "-o", "/dev/stdout", TRACE],
        ["trawl", "calltree", TRACE],
        ["trawl", "profile", "--returned-only", "--format=json", TRACE],
    ]


def all_commands(data):
    return few_commands(data) + [
        ["tarmac-flamegraph", TRACE],
        ["tarmac-vcd", "--no-date", "--use-tarmac-timestamps", "-o", "/dev/stdout", TRACE],
        ["trawl", "vcd", TRACE],
        ["trawl", "vcd", "--use-tarmac-timestamps", "--segment-events=7", TRACE],
        ["trawl", "vcd", "--events=5..60", TRACE],
        ["trawl", "profile", TRACE],
        ["trawl", "profile", "--strict", "--format=csv", TRACE],
        ["trawl", "calltree", "--returned-only", "--format=csv", "--events=5..60", TRACE],
        ["trawl", "calltree", "--format=json", "--time=20..90", TRACE],
        ["trawl", "callinfo", TRACE] + questions(data),
        ["trawl", "callinfo", "--format=csv", TRACE] + questions(data, exceptions=False),
        ["trawl", "callinfo", "--format=json", "--events=3..40", TRACE] + questions(data, exceptions=False),
        ["trawl", "flamegraph", TRACE],
        ["trawl", "flamegraph", "--open-frames", "--format=svg", TRACE],
    ]


def hard_jobs():
    """Yields (name, trace, options, commands, cuts of each command)."""
    for name, data, options in hard_traces.hand_written():
        if len(data) > LARGE_BYTES:
            yield name, data, options, few_commands(data), rotated(3)
        elif name.startswith("shuffled"):
            yield name, data, options, few_commands(data), rotated(3)
        else:
            yield name, data, options, all_commands(data), rotated(7)


def rotated(count):
    """For each command some of the cuts: together they come to all."""
    endless = itertools.cycle(CUTS)
    while True:
        yield list(itertools.islice(endless, count))


def random_jobs():
    for seed in range(1, RANDOM_TRACES + 1):
        trace = make_trace(seed, None, False)
        yield "random %d" % seed, trace.data, trace.options, few_commands(trace.data), rotated(2)


def corpus_jobs():
    for number, path in enumerate(sorted((ROOT / "corpus" / "traces").glob("*.tarmac"))):
        data = path.read_bytes()
        commands = few_commands(data)
        cuts = rotated(2)
        next(cuts) if number % 2 else None
        chosen = [number % 2, 2, 3, 4 + number % 2]
        yield path.name, data, [], [commands[i] for i in chosen], cuts


def reads_again(command):
    """Whether a command looks at the trace a second time, at lines of exceptions for their names, say."""
    return "vcd" in command[0] + command[1] or (command[:2] == ["trawl", "callinfo"] and "0x6" in command)


def run(programs, command, options, data, cut, isa):
    """Runs a command with its trace cut in a way; returns what it says, the trace by its name."""
    chunk_size, threads, is_piped = cut
    is_piped = is_piped and not reads_again(command)
    head = 2 if command[0] == "trawl" else 1
    where = ("-" if head == 2 else "/dev/stdin") if is_piped else TRACE
    words = [str(programs / command[0])] + command[1:head]
    words += options + ["--chunk-size=" + chunk_size, "--threads=%d" % threads]
    if command[0] == "tarmac-vcd" and cut != WHOLE:
        words.append("--segment-events=%d" % (1 + len(chunk_size) * threads))
    words += [where if word == TRACE else word for word in command[head:]]
    try:
        done = subprocess.run(words, input=data if is_piped else b"", capture_output=True,
                              timeout=TIMEOUT_S, check=False, env=environment(isa))
    except subprocess.TimeoutExpired:
        return ["no end", b"", b""]
    out, err = done.stdout, done.stderr
    if is_piped:
        name = where.encode()
        out = re.sub(rb"(?<=>)%s(?=<| \xc2\xb7)" % re.escape(name), TRACE.encode(), out)
        err = re.sub(rb"(?m)(^|: )%s:" % re.escape(name), rb"\1%s:" % TRACE.encode(), err)
    return [done.returncode, out, err]


def without_meter(said):
    """A pipe has no size and therefore no meter."""
    return [said[0], said[1], re.sub(rb"\rReading trace file \([^)]*\)\n?", b"", said[2])]


def first_difference(expected, found):
    for what, a, b in zip(("status", "stdout", "stderr"), expected, found):
        if a == b:
            continue
        if what == "status":
            return "status %s, expected %s" % (b, a)
        for number, (x, y) in enumerate(itertools.zip_longest(a.split(b"\n"), b.split(b"\n")), 1):
            if x != y:
                return "%s line %d: %r, expected %r" % (what, number, (y or b"")[:200], (x or b"")[:200])
    return "?"


def check(job):
    """Runs all of a trace's commands; returns the number of passes, and a text per failure."""
    programs, isas, name, data, options, commands = job
    passed, failures = 0, []
    next_isa = itertools.cycle(isas[1:] + isas[:1])
    with tempfile.TemporaryDirectory(prefix="chunks-") as directory:
        os.chdir(directory)
        Path(TRACE).write_bytes(data)
        for command, cuts in commands:
            expected = run(programs, command, options, data, WHOLE, isas[0])
            if not isinstance(expected[0], int) or expected[0] not in (0, 1, 3):
                failures.append("%s: %s: status %s" % (name, " ".join(command), expected[0]))
            for cut, isa in zip(cuts, next_isa):
                found = run(programs, command, options, data, cut, isa)
                wanted = expected
                if cut[2] and "--show-progress-meter" in command:
                    wanted, found = without_meter(expected), without_meter(found)
                if found == wanted:
                    passed += 1
                else:
                    failures.append("%s: %s, chunks of %s, %d threads, %s%s: %s" % (
                        name, " ".join(command), cut[0], cut[1], isa, ", pipe" if cut[2] else "",
                        first_difference(wanted, found)))
        os.chdir("/")
    return passed, failures


def parse_arguments():
    parser = argparse.ArgumentParser(description="Checks that no way of running changes anything.")
    parser.add_argument("programs", nargs="?", type=Path, default=ROOT / "zig-out" / "bin")
    parser.add_argument("-k", metavar="TEXT", default="", help="only traces with TEXT in their name")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    programs = arguments.programs.resolve()
    isas, skipped = find_isas(programs / "trawl")
    jobs = []
    for name, data, options, commands, cuts in itertools.chain(hard_jobs(), random_jobs(), corpus_jobs()):
        if arguments.k in name:
            jobs.append((programs, isas, name, data, options, list(zip(commands, cuts))))
    passed = failed = 0
    with ProcessPoolExecutor(WORKERS) as pool:
        for count, failures in pool.map(check, jobs, chunksize=4):
            passed += count
            failed += len(failures)
            for text in failures:
                print("FAILED " + text)
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
