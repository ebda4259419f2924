#!/usr/bin/env python3
"""Registers, memory, their writers and call depth at every event of random traces, against recorded
hashes. They were recorded by tools/compare_state.py where Arm's Tarmac Trace Utilities agreed.

    tests/run.py state
    tests/run.py state -- KIND-SEED        print what is hashed
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import libtrawl
import state_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "tracegen"))

from kinds import make_trace  # noqa: E402

ANSWERS = ROOT / "tests" / "recorded" / "state.answers"
TIMEOUT_S = 60
SEGMENT_EVENTS = (3, 1000)


def make_index(prefix, name, segment_events, directory):
    """Make the trace of a name, KIND-SEED, and its index; return the trace and the index's path."""
    kind, seed = name.rsplit("-", 1)
    trace = make_trace(int(seed), kind)
    path, index = os.path.join(directory, "t.tarmac"), os.path.join(directory, "index")
    with open(path, "wb") as file:
        file.write(trace.data)
    options = [word for word in trace.options if word in ("--bi", "--implicit-thumb")]
    subprocess.run([prefix / "tests" / "make-index", "--ttu", *options, "--segment-events", str(segment_events),
                    path, index], timeout=TIMEOUT_S, check=True)
    return trace.data, index


def show(prefix, library, name, directory):
    """Print what the hash of a trace is made from."""
    data, path = make_index(prefix, name, SEGMENT_EVENTS[0], directory)
    sys.stdout.write(data.decode("latin-1"))
    with library.open(path) as index:
        for number in range(index.info.events):
            sys.stdout.write(state_text.event_text(index, number, state_text.windows_of(data)))


def check(prefix, library, directory):
    """Compare all hashes; return how many passed and failed."""
    passed = failed = 0
    for line in ANSWERS.read_text().splitlines():
        name, wanted = line.split()
        for segment_events in SEGMENT_EVENTS:
            data, path = make_index(prefix, name, segment_events, directory)
            with library.open(path) as index:
                found = state_text.state_hash(index, data)
            passed += found == wanted
            failed += found != wanted
            if found != wanted:
                print("FAILED %s with %d events a segment" % (name, segment_events))
    return passed, failed


def main():
    prefix = pathlib.Path(sys.argv[1]).resolve().parent
    library = libtrawl.Library(prefix / "lib" / "libtrawl.so")
    with tempfile.TemporaryDirectory() as directory:
        if len(sys.argv) > 2:
            return show(prefix, library, sys.argv[2], directory)
        passed, failed = check(prefix, library, directory)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
