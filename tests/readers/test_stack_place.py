"""Where the innermost function is: at the instruction that is executed next, in every view of a point, with rules for unwinding and without.

    tests/run.py stack_place
"""

import csv
import io
import json

import pytest
import quick
from compilers import ROOT
from served import Served

PROGRAMS = ["exceptions-a64", "longjmp-t32", "twocores-a64", "tailcall-a32"]
POINTS = 12


@pytest.mark.parametrize("name", PROGRAMS)
def test_next_instruction(trawl, place, name):
    (place / "t").write_bytes((ROOT / f"corpus/traces/{name}.it.tarmac").read_bytes())
    image = ["--image", ROOT / f"corpus/elf/{name}.elf"]

    def run(*words):
        done = quick.run([trawl, *words], cwd=place)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def place_of(*words):
        """The PC of the innermost frame in all formats."""
        pcs = {json.loads(run("stack", "t", *words, "--format", "json"))[0]["pc"]}
        pcs.add(next(csv.DictReader(io.StringIO(run("stack", "t", *words, "--format", "csv"))))["pc"])
        heads, first, *_ = run("stack", "t", *words).splitlines()
        assert heads.split()[:2] == ["Frame", "PC"]
        return pcs | {first.split()[1]}

    run("index", "t", *image)
    with Served(trawl, [place / "t"], *image) as served:
        _, info = served.ask("trace")
        for event in range(1, info["events"] - 1, info["events"] // POINTS):
            _, answer = served.ask("stack", at=event)
            wanted = {answer["frames"][0]["pc"]}
            at = ["--at", f"event:{event}"]
            assert place_of(*at) == wanted, event
            assert place_of(*at, *image) == wanted, event
            assert place_of(*at, *image, "--unwind", "calls") == wanted, event
            assert place_of(*at, *image, "--unwind", "fp") == wanted, event


def test_at_the_end(trawl, place):
    """No instruction comes next: the last one, with rules and without."""
    (place / "t").write_bytes((ROOT / "corpus/traces/hang-a64.it.tarmac").read_bytes())
    found = set()
    for more in ([], ["--image", ROOT / "corpus/elf/hang-a64.elf"]):
        done = quick.run([trawl, "stack", "t", "--at", "end", "--memory-index", "--format", "json", *more], cwd=place)
        found.add(json.loads(done.stdout)[0]["pc"])
    assert len(found) == 1
