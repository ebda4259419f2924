"""Inputs that are made to be slow take no longer than others of their size. The clock is not used: processor time is limited to many
times what is needed, and to a fraction of what these inputs took before hash tables were seeded, and names were read only once instead
of once for each symbol.

    tests/run.py costs
"""

import subprocess
from pathlib import Path

import pytest
import small_elf
from bounded import within
from costly_input import calls_of, colliding_addresses

CPU_S = 4
FUNCTIONS = 200_000


def suffixes(count, length):
    """An image whose symbols are all suffixes of one long string."""
    step = length // count
    return small_elf.image(b"\0" + b"a" * length + b"\0", [(1 + i * step, 0x8000 + 4 * i, 4) for i in range(count)])


def run(trawl, place, command):
    done = subprocess.run(within([trawl, *command], CPU_S), cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode in (0, 1), (command, done)  # 1: there is no such name


def annotated(programs, sources):
    corpus = Path(__file__).resolve().parents[2] / "corpus"
    return subprocess.run(within(
        [programs / "trawl", "annotate", corpus / "traces" / "recursion-a64.it.tarmac", "--image", corpus / "elf" / "recursion-a64.elf",
         "--source", sources, "--function", "main", "--format", "json"], CPU_S), stdin=subprocess.DEVNULL, capture_output=True).stdout


def source_is_cut(programs, place):
    """Whether only the beginning of a source file is shown that claims to have a terabyte, as if it ended there."""
    name = "recursion.c"
    source = (Path(__file__).resolve().parents[2] / "corpus" / "programs" / name).read_bytes()
    shown = []
    for size in (len(source), 1 << 40):
        (place / str(size)).mkdir()
        with open(place / str(size) / name, "wb") as file:
            file.write(source)
            file.truncate(size)
        shown.append(annotated(programs, place / str(size)))
    return b"pegs[0] = 4" in shown[0] and shown[0] == shown[1]


@pytest.fixture(scope="module")
def colliding():
    return calls_of(colliding_addresses(FUNCTIONS))


@pytest.mark.parametrize("command", ["profile", "flamegraph", "export"])
def test_addresses(trawl, place, colliding, command):
    (place / "t").write_bytes(colliding)
    more = [] if command == "export" else ["--memory-index"]
    run(trawl, place, [command, "t", "-q", "--threads", "1", *more])


@pytest.mark.parametrize("command", [["profile"], ["callinfo", "b"]], ids=" ".join)
def test_names(trawl, place, command):
    (place / "short").write_bytes(calls_of([0x8000 + 4 * 70_000]))
    (place / "names.elf").write_bytes(suffixes(250_000, 1_000_000))
    run(trawl, place, [command[0], "short", "-q", "--image", "names.elf", "--memory-index", *command[1:]])


def test_source(programs, place):
    assert source_is_cut(programs, place)
