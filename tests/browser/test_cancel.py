"""Checks what the browser shows while it builds the index of a trace: the text at once, then the state in the part read so far, which must
equal that of the complete index; and that building can be cancelled on its own, and started again.

    tests/run.py cancel

Skipped by name if there is no tmux.
"""

import os
import random
import re
import shutil
from pathlib import Path

import pytest
from tmux_screen import Screen

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "corpus/traces/hash-a64.it.tarmac").read_bytes()
TEXT_MB = 300
TEXT_ONLY = "Only the text"
CANCELLED = "no index: canceled"
BUILDING = ("indexing: ", CANCELLED)
WHOLE = "F1 keys  / search"
PLACES = 12


def write_trace(path, size_mb=TEXT_MB):
    with open(path, "wb") as trace:
        for _ in range(size_mb * 1000000 // len(TEXT)):
            trace.write(TEXT)


def cancel(screen, hint):
    """Cancels as soon as the screen says how: in the text, or when part of the trace is known."""
    if not screen.wait_for(hint):
        pytest.skip("the index was built before anything was shown")
    screen.tmux("send-keys", "F9")
    if not screen.wait_for(CANCELLED, 3):
        pytest.skip("the index was built before it could be cancelled")


@pytest.fixture
def screen(trawl, place):
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    write_trace(Path(place, "t.tarmac"))
    with Screen([str(trawl), "browse", "--threads=1", "t.tarmac"], cwd=place, height=40) as screen:
        cancel(screen, "F9 cancel the index")
        yield screen


def go_to_text(screen):
    """Goes to the text after the known part, and to its end."""
    screen.keys("End", "End")
    assert TEXT_ONLY in screen.capture()


def known_events(screen):
    """The number of known events."""
    screen.keys("End", "y")
    said = re.search(r"The position is event:(\d+)", screen.capture())
    return int(said[1])


def state_at(screen, event):
    screen.keys(f"':event:{event}", "Enter")
    lines = screen.capture().splitlines()
    status = next(line for line in lines if line.startswith("Tarmac file"))
    shown = [re.sub(r"   (indexing|no index).*", "", line).rstrip() for line in lines if "F1 keys" not in line]
    assert TEXT_ONLY not in "\n".join(lines) and "PC:0x" in status
    return shown


def test_text_stays_without_index(screen, place):
    go_to_text(screen)
    size = os.path.getsize(Path(place, "t.tarmac"))
    assert f" of {size}   {CANCELLED}" in screen.capture()
    screen.keys("k")
    assert TEXT_ONLY in screen.capture()
    screen.keys("Home")
    assert TEXT_ONLY not in screen.capture() and CANCELLED in screen.capture()
    assert os.listdir(place) == ["t.tarmac"]
    screen.keys("q")
    assert "[ended 0]" in screen.capture() and os.listdir(place) == ["t.tarmac"]


def test_it_is_built_again(screen, place):
    go_to_text(screen)
    screen.tmux("send-keys", "c")
    assert screen.wait_for(WHOLE, 60)
    shown = screen.capture()
    assert TEXT_ONLY not in shown and sorted(os.listdir(place)) == ["t.tarmac", "t.tarmac.index"]
    assert "Line:" in shown and not any(word in shown for word in BUILDING)
    screen.keys("q")


def test_what_is_known_is_what_the_index_tells(screen):
    """Registers, memory at the stack, and the surrounding lines, at random places."""
    screen.keys("m", "'xsp-32", "Enter", "F5")  # the depth of calls is not known yet
    events = known_events(screen)
    assert events > 1000
    assert "x0=????" in screen.capture()  # the last event may get more lines
    rng = random.Random(5)
    places = [rng.randrange(500, events - 60) for _ in range(PLACES)]
    early = [state_at(screen, event) for event in places]
    assert all("??" not in "\n".join(line for line in shown if line.startswith("x0=")) for shown in early)
    screen.tmux("send-keys", "F9")
    assert screen.wait_for("The index is built again")
    screen.keys("Escape")
    assert screen.wait_for(WHOLE, 60)
    for event, shown in zip(places, early, strict=True):
        whole = state_at(screen, event)
        assert len(whole) == len(shown)
        for a, b in zip(shown, whole, strict=True):
            # A byte of memory that only a later load shows is not known yet; the last line may be incomplete.
            known = re.escape(a).replace(r"\?\?", "..")
            assert re.fullmatch(known, b), f"event {event}:\n{a}\n{b}"
    screen.keys("q")


@pytest.mark.parametrize("option, shown", [("--at=line:70000", "Line:7000"), ("--at=end", "")])
def test_place_on_the_command_line(trawl, place, option, shown):
    """The known part is browsed from that place on, as soon as it contains the place."""
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    write_trace(Path(place, "t.tarmac"), 2 * TEXT_MB)
    with Screen([str(trawl), "browse", "--threads=1", option, "t.tarmac"], cwd=place, width=120, height=40) as screen:
        cancel(screen, "F9 cancel the index" if shown else "c cancel it")
        status = next(line for line in screen.capture().splitlines() if CANCELLED in line)
        if not shown:
            assert TEXT_ONLY in screen.capture()
            return
        assert shown in status and "Time:0 " not in status
        screen.tmux("send-keys", "F9")
        assert screen.wait_for("The index is built again")
        screen.keys("Escape")
        assert screen.wait_for(WHOLE, 60)
        whole = next(line for line in screen.capture().splitlines() if line.startswith("Tarmac file"))
        assert whole.split("   PC")[0] == status.split("   PC")[0]
        screen.keys("q")


def test_second_of_two_traces(trawl, place):
    """Its index can also be cancelled and built again, while that of the first is kept."""
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    Path(place, "a.tarmac").write_bytes(TEXT)
    write_trace(Path(place, "b.tarmac"))
    with Screen([str(trawl), "browse", "--threads=1", "a.tarmac", "b.tarmac"], cwd=place) as screen:
        cancel(screen, "c cancel it")
        assert TEXT_ONLY in screen.capture() and sorted(os.listdir(place)) == ["a.tarmac", "a.tarmac.index", "b.tarmac"]
        screen.tmux("send-keys", "c")
        assert screen.wait_for(WHOLE[:7], 60)
        assert "b.tarmac.index" in os.listdir(place)
        screen.keys("q")
        assert "[ended 0]" in screen.capture()
