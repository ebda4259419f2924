"""Checks what panes of the browser show against the index of the trace, by libtrawl.

    tests/run.py panes

Skipped by name where there is no tmux.
"""

import random
import re
import shutil
from pathlib import Path

import pytest
from libtrawl import Library
from tmux_screen import Screen

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
A64_STATE = 2
PLACES = 8
BACKWARD = 1
REGISTERS = [f"x{i}" for i in range(31)]


@pytest.fixture
def screen(trawl, place):
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    shutil.copy(CORPUS / "traces" / "twocores-a64.it.tarmac", place)
    with Screen([str(trawl), "browse", "twocores-a64.it.tarmac"], 150, 50, cwd=place) as screen:
        assert screen.wait_for("Core regs at")
        yield screen


def number_of(index, lane, event, register):
    values, known = index.registers(lane, event, register.offset, register.size_bytes)
    return int.from_bytes(values, "little") if all(known) else None


def changes(index, lane, after, until):
    """The general registers that a core wrote between two states, with their values before and after."""
    changed = {}
    for name in REGISTERS:
        register = index.register_named(A64_STATE, name.encode())
        written = index.register_written(lane, until, BACKWARD, register.offset, register.size_bytes)
        if written is not None and written > after:
            changed[name] = tuple(number_of(index, lane, event, register) for event in (after, until))
    return changed


def shown_changes(screen, word):
    text = screen.capture()
    pattern = rf"\b(x\d+)=0x([0-9a-f?]+) {word} 0x([0-9a-f?]+)"
    found = {name: (before, now) for name, now, before in re.findall(pattern, text)}
    return {name: tuple(None if "?" in value else int(value, 16) for value in pair) for name, pair in found.items()}


def test_registers_with_the_value_before(screen, programs, place):
    """Of the core at the position, whichever core the event before was of."""
    screen.keys("r", "R", "Tab", "b", ">", ">", ">", ">", ">", ">", ">", ">", "Tab")
    rng = random.Random(7)
    library = Library(programs.parent / "lib" / "libtrawl.so")
    found = 0
    with library.open(Path(place, "twocores-a64.it.tarmac.index")) as index:
        lanes = [index.event(event).lane for event in range(index.info.events)]
        turns = [i for i in range(100, len(lanes) - 1) if lanes[i] != lanes[i + 1]]
        assert len(turns) > 3
        for after in rng.sample(turns, min(len(turns), PLACES)) + rng.sample(range(100, len(lanes) - 1), PLACES):
            screen.keys(f"':event:{after}", "Enter", "Down")
            wanted = changes(index, lanes[after + 1], after, after + 1)
            shown = shown_changes(screen, "was")
            assert shown == wanted, f"after event {after}"
            found += len(wanted)
            # Back again: what the core there, if it is the same, will have.
            screen.keys("Up")
            wanted = changes(index, lanes[after], after, after + 1)
            assert shown_changes(screen, "then") == {name: pair[::-1] for name, pair in wanted.items()}
    assert found > 10
    screen.keys("q")
