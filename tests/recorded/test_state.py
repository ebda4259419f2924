"""Registers, memory, their writers and call depth at every event of random traces, compared with recorded hashes. tools/compare_state.py
recorded them where they agreed with Arm's Tarmac Trace Utilities.
"""

import os
import pathlib
import subprocess

import pytest
import state_text
from kinds import make_trace

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANSWERS = ROOT / "tests" / "recorded" / "state.answers"
TIMEOUT_S = 60
SEGMENT_EVENTS = (3, 1000)
PARTS = 4  # of the answers, to be shared by workers


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


@pytest.mark.parametrize("segment_events", SEGMENT_EVENTS)
@pytest.mark.parametrize("part", range(PARTS))
def test_hashes(checker, prefix, library, place, part, segment_events):
    for line in ANSWERS.read_text().splitlines()[part::PARTS]:
        name, wanted = line.split()
        data, path = make_index(prefix, name, segment_events, place)
        with library.open(path) as index:
            checker.expect(name, state_text.state_hash(index, data), wanted)
