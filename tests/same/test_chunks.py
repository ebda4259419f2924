"""Checks that reports depend neither on the division of a trace into chunks, nor on the number of threads or the instruction set, nor on
whether it comes from a file or a pipe.

Each report runs once on the whole trace with one thread, then with other divisions; standard output, standard error and status must be
identical. The traces are those of tests/support/hard_traces.py, random ones of tools/tracegen, and the corpus.
"""

import itertools
import re
import subprocess
from pathlib import Path

import extent
import hard_traces
import pytest
import quick
from differences import first_difference, questions
from isas import ISAS, environment, find_isas, lack_of
from kinds import make_trace

ROOT = Path(__file__).resolve().parents[2]
TRACE = "t.tarmac"
TIMEOUT_S = 60
PARTS = 4  # of the traces, to be shared by workers
RANDOM_TRACES = extent.pick(16, 120)
MEDIUM_BYTES, LARGE_BYTES = 1 << 14, 1 << 20
WHOLE = ("1G", 1, False)
# Chunk size, threads, whether through a pipe. A chunk of one byte is one line.
CUTS = [
    ("1", 1, False), ("1", 5, True), ("2", 2, False), ("17", 5, False), ("64", 2, True),
    ("64", 1, False), ("100", 5, False), ("1", 2, False), ("1K", 2, False), ("1K", 1, True),
    ("64K", 5, False), ("17", 1, True), ("1G", 2, True),
]


def few_commands(data):
    return [
        ["tarmac-calltree", "--debug=call_heuristics", "--show-progress-meter", TRACE],
        ["tarmac-profile", TRACE],
        ["tarmac-callinfo", TRACE] + questions(data),
        ["tarmac-vcd", "--no-date", "-o", "/dev/stdout", TRACE],
        ["trawl", "calltree", TRACE],
        ["trawl", "profile", "--returned-only", "--format=json", TRACE],
    ]


def segment_commands():
    """Segments that end inside the event of a core."""
    return [["trawl", "vcd", "--use-tarmac-timestamps", "--segment-events=%d" % events, TRACE] for events in (1, 3, 7)]


def all_commands(data):
    return few_commands(data) + segment_commands() + [
        ["tarmac-flamegraph", TRACE],
        ["tarmac-vcd", "--no-date", "--use-tarmac-timestamps", "-o", "/dev/stdout", TRACE],
        ["trawl", "vcd", TRACE],
        ["trawl", "vcd", "--lane-events=5..60", TRACE],
        ["trawl", "profile", TRACE],
        ["trawl", "profile", "--strict", "--format=csv", TRACE],
        ["trawl", "calltree", "--returned-only", "--format=csv", "--lane-events=5..60", TRACE],
        ["trawl", "calltree", "--format=json", "--time=20..90", TRACE],
        ["trawl", "callinfo", TRACE] + questions(data),
        ["trawl", "callinfo", "--format=csv", TRACE] + questions(data, exceptions=False),
        ["trawl", "callinfo", "--format=json", "--lane-events=3..40", TRACE] + questions(data, exceptions=False),
        ["trawl", "flamegraph", TRACE],
        ["trawl", "flamegraph", "--open-frames", "--format=svg", TRACE],
    ]


def rotated(count):
    """Some of the divisions for each command, so that all of them are used over all traces."""
    endless = itertools.cycle(CUTS)
    while True:
        yield list(itertools.islice(endless, count))


def hand_written():
    """Yields (name, trace, options, commands, divisions for each command)."""
    one, few, many = rotated(1), rotated(extent.pick(1, 2)), rotated(extent.pick(1, 3))
    for number, (name, data, options) in enumerate(hard_traces.hand_written()):
        is_large = len(data) > LARGE_BYTES or name.startswith("shuffled")
        commands = few_commands(data) if is_large else all_commands(data)
        commands = extent.pick(commands[number % 3 :: 3], commands)  # the others for the next trace
        cuts = few if is_large else one if len(data) > MEDIUM_BYTES else many
        yield name, data, options, commands, list(itertools.islice(cuts, len(commands)))


def random_traces():
    cuts = rotated(2)
    for seed in range(1, RANDOM_TRACES + 1):
        trace = make_trace(seed, None, False)
        commands = few_commands(trace.data)
        yield "random %d" % seed, trace.data, trace.options, commands, list(itertools.islice(cuts, len(commands)))


def corpus():
    cuts = rotated(extent.pick(1, 2))
    for number, path in enumerate(sorted((ROOT / "corpus" / "traces").glob("*.tarmac"))):
        data = path.read_bytes()
        commands = few_commands(data)
        chosen = extent.pick([commands[number % len(commands)]], commands)
        yield path.name, data, [], chosen, list(itertools.islice(cuts, len(chosen)))


def reads_again(command):
    """Whether a command reads the trace again, for example at lines of exceptions for their names."""
    return "vcd" in command[0] + command[1] or (command[:2] == ["trawl", "callinfo"] and "0x6" in command)


def run(programs, place, command, options, data, cut, isa):
    """Runs a command with its trace divided in a certain way. Returns its output, with the trace called by its name."""
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
        done = quick.run(words, place, environment(isa), data if is_piped else b"", TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return ["no end", b"", b""]
    out, err = done.stdout, done.stderr
    if is_piped:
        name = where.encode()
        out = re.sub(rb"(?<=>)%s(?=<| \xc2\xb7)" % re.escape(name), TRACE.encode(), out)
        err = re.sub(rb"(?m)(^|: )%s:" % re.escape(name), rb"\1%s:" % TRACE.encode(), err)
    return [done.returncode, out, err]


def without_meter(said):
    """A pipe has no size, and therefore no meter."""
    return [said[0], said[1], re.sub(rb"\rReading trace file \([^)]*\)\n?", b"", said[2])]


def check(checker, programs, place, job):
    """Runs all commands on a trace."""
    name, data, options, commands, cuts_of_each = job
    isas = find_isas(programs / "trawl")
    next_isa = itertools.cycle(isas[1:] + isas[:1])
    (place / TRACE).write_bytes(data)
    for command, cuts in zip(commands, cuts_of_each):
        expected = run(programs, place, command, options, data, WHOLE, isas[0])
        checker.check("%s: %s: ends" % (name, " ".join(command)), expected[0] in (0, 1, 3), expected[0])
        for cut, isa in zip(cuts, next_isa):
            found = run(programs, place, command, options, data, cut, isa)
            wanted = expected
            if cut[2] and "--show-progress-meter" in command:
                wanted, found = without_meter(expected), without_meter(found)
            checker.check("%s: %s, chunks of %s, %d threads, %s%s" % (
                name, " ".join(command), cut[0], cut[1], isa, ", pipe" if cut[2] else ""),
                found == wanted, first_difference(wanted, found))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("jobs", [hand_written, random_traces, corpus], ids=lambda jobs: jobs.__name__)
def test_any_cut_says_the_same(checker, programs, place, jobs, part):
    for job in itertools.islice(jobs(), part, None, PARTS):
        check(checker, programs, place, job)


@pytest.mark.parametrize("number", range(len(CUTS)))
def test_rows_of_a_moment_stand_in_one_order(checker, programs, place, number):
    """For several cores with interleaved lines, and every division."""
    data = hard_traces.as_bytes(hard_traces.interleaved(3, 4))
    commands = segment_commands()
    check(checker, programs, place, ("three cores", data, [], commands, [[CUTS[number]]] * len(commands)))


@pytest.mark.parametrize("isa", ISAS)
def test_instruction_set_is_there(trawl, isa):
    """Reports which of the instruction sets this machine could not compare."""
    lack = lack_of(trawl, isa)
    if lack is not None:
        pytest.skip(lack)
