"""Checks that an index is the same, byte for byte, however it is built: for any size of chunks, any number of threads, with and without
io_uring, with any instruction set.

Segments are small here, so that events, open calls, loaded values, unknown stores and host calls span several of them. Every index is
also verified.
"""

import hashlib
import itertools
from pathlib import Path

import extent
import hard_traces
import pytest
import quick
from isas import environment, find_isas
from kinds import make_trace

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
PARTS = 6  # of the traces, to be shared by workers
RANDOM_TRACES = extent.pick(8, 40)
LONG_BYTES = 1 << 14
SEGMENTS = [1, 3, 50, 1 << 17]
PROGRAMS = [["trawl", "index", "--no-sync"], ["tarmac-profile", "--only-index"]]
# Chunk size, threads, how to write; the others are compared with the first. Each uses the next of the available instruction sets.
WAYS = [("1G", 1, "pwrite"), ("1", 5, "uring"), ("64", 2, "pwrite"), ("1K", 3, "uring")]


def jobs():
    """Yields (name, trace, options)."""
    for name, data, options in hard_traces.hand_written():
        if len(data) < 1 << 20:
            yield name, data, options
    for seed in range(1, RANDOM_TRACES + 1):
        trace = make_trace(seed, None, False)
        yield "random %d" % seed, trace.data, trace.options
    for path in sorted((ROOT / "corpus" / "traces").glob("*.tarmac")):
        yield path.name, path.read_bytes(), []
    yield "old return address", hard_traces.old_return_address(), []


def build(directory, program, segment_events, way, isa):
    """The hash of the index, or the status and the message."""
    chunk, threads, io = way
    command = [
        *program, "--index=x", "--force-index", "--threads=%d" % threads, "--chunk-size=" + chunk,
        "--segment-events=%d" % segment_events, "t.tarmac",
    ]
    index = directory / "x"
    index.unlink(missing_ok=True)
    ended = quick.run(command, directory, environment(isa, TRAWL_IO=io), timeout=TIMEOUT_S)
    if b"io_uring" in ended.stderr:  # the kernel refuses it
        return build(directory, program, segment_events, (chunk, threads, "pwrite"), isa)
    if not index.exists():
        return "status %d: %s" % (ended.returncode, ended.stderr[:300])
    return hashlib.sha256(index.read_bytes()).hexdigest()


def is_sampled(data):
    """Whether only some ways are tried for a trace, because it is long."""
    return len(data) > LONG_BYTES and not extent.IS_THOROUGH


def programs_of(number):
    """In a sample one of them, alternating after all sizes of segments."""
    return extent.pick(PROGRAMS[number // len(SEGMENTS) % 2 :][:1], PROGRAMS)


def ways_of(number, data):
    """All ways; for a long trace one of those with about a chunk for each line, alternating."""
    return [way for i, way in enumerate(WAYS[1:]) if not is_sampled(data) or i != (number // len(SEGMENTS)) % 2]


def check(checker, programs, place, number, job):
    name, data, options = job
    segment_events = SEGMENTS[number % len(SEGMENTS)]
    isas = find_isas(programs / "trawl")
    (place / "t.tarmac").write_bytes(data)
    for program in programs_of(number):
        words = [programs / program[0], *program[1:], *options]
        expected = build(place, words, segment_events, WAYS[0], isas[0])
        for way, isa in zip(ways_of(number, data), itertools.cycle(isas[1:] or isas)):
            found = build(place, words, segment_events, way, isa)
            checker.check("%s: %s %s %s" % (name, program, way, isa), found == expected, "%s, not %s" % (found, expected))
        if expected.startswith("status"):
            continue
        verified = quick.run([programs / "trawl", "verify", "x"], place, timeout=TIMEOUT_S)
        checker.check("%s: %s is verified" % (name, program), verified.returncode == 0, verified.stderr)


@pytest.mark.parametrize("part", range(PARTS))
def test_index_is_the_same_bytes(checker, programs, quick_place, part):
    for number, job in itertools.islice(enumerate(jobs()), part, None, PARTS):
        check(checker, programs, quick_place, number, job)
