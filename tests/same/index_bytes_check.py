#!/usr/bin/env python3
"""Checks that an index is the same, byte for byte, however it is made: for any size of chunks, any
number of threads, with io_uring and without, by any instruction set.

    tests/run.py index_bytes [-k TEXT]

Segments are small here, so that events, open calls, what loads show, unknown stores and host calls
lie across their edges. Every index is verified as well. -k takes only traces whose name contains the
text.
"""

import argparse
import hashlib
import itertools
import os
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

TIMEOUT_S = 60
WORKERS = 2
RANDOM_TRACES = 40
SEGMENTS = [1, 3, 50, 1 << 17]
PROGRAMS = ["trawl index", "tarmac-profile --only-index"]
# Chunk size, threads, how to write; the first is what the others are held against. Each takes the
# next of the instruction sets that there are.
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


def build(directory, program, segment_events, way, isa):
    """The hash of the index, or the status and what was said."""
    chunk, threads, io = way
    command = [
        *program, "--index=x", "--force-index", "--threads=%d" % threads, "--chunk-size=" + chunk,
        "--segment-events=%d" % segment_events, "t.tarmac",
    ]
    index = Path(directory, "x")
    index.unlink(missing_ok=True)
    ended = subprocess.run(
        command, cwd=directory, capture_output=True, timeout=TIMEOUT_S,
        env=environment(isa, TRAWL_IO=io),
    )
    if b"io_uring" in ended.stderr:  # the kernel refuses it
        return build(directory, program, segment_events, (chunk, threads, "pwrite"), isa)
    if not index.exists():
        return "status %d: %s" % (ended.returncode, ended.stderr[:300])
    return hashlib.sha256(index.read_bytes()).hexdigest()


def check(job):
    bin_directory, isas, number, name, data, options = job
    segment_events = SEGMENTS[number % len(SEGMENTS)]
    faults = []
    with tempfile.TemporaryDirectory(prefix="trawl-bytes-") as directory:
        Path(directory, "t.tarmac").write_bytes(data)
        for program in PROGRAMS:
            words = program.split() + options
            words[0] = os.path.join(bin_directory, words[0])
            expected = build(directory, words, segment_events, WAYS[0], isas[0])
            for way, isa in zip(WAYS[1:], itertools.cycle(isas[1:] or isas)):
                found = build(directory, words, segment_events, way, isa)
                if found != expected:
                    faults.append("%s %s %s: %s, not %s" % (program, way, isa, found, expected))
            if expected.startswith("status"):
                continue
            trawl = [os.path.join(bin_directory, "trawl"), "verify", "x"]
            verified = subprocess.run(trawl, cwd=directory, capture_output=True, timeout=TIMEOUT_S)
            if verified.returncode:
                faults.append("%s: %s" % (program, verified.stderr[:300]))
    return name, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", nargs="?", default=str(ROOT / "zig-out" / "bin"))
    parser.add_argument("-k", default="", metavar="TEXT")
    arguments = parser.parse_args()
    bin_directory = os.path.abspath(arguments.bin)
    isas, skipped = find_isas(os.path.join(bin_directory, "trawl"))
    work = [
        (bin_directory, isas, number, name, data, options)
        for number, (name, data, options) in enumerate(jobs())
        if arguments.k in name
    ]
    passed = failed = 0
    with ProcessPoolExecutor(WORKERS) as pool:
        for name, faults in pool.map(check, work):
            passed += not faults
            failed += bool(faults)
            for fault in faults:
                print("FAILED %s: %s" % (name, fault))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
