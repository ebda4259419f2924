"""Checks that the index which the browser builds behind the text can be cancelled by itself, and built again.

    tests/run.py cancel

Skipped by name where there is no tmux.
"""

import os
import shutil
from pathlib import Path

import pytest
from tmux_screen import Screen

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "corpus/traces/hash-a64.it.tarmac").read_bytes()
TEXT_MB = 300
TEXT_ONLY = "Only the text"


@pytest.fixture
def screen(trawl, place):
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    with open(Path(place, "t.tarmac"), "wb") as trace:
        for _ in range(TEXT_MB * 1000000 // len(TEXT)):
            trace.write(TEXT)
    with Screen([str(trawl), "browse", "--threads=1", "t.tarmac"], cwd=place) as screen:
        assert screen.wait_for("indexing: ")
        screen.tmux("send-keys", "c")
        if not screen.wait_for("no index: cancelled", 3):
            pytest.skip("the index was built before it could be cancelled")
        yield screen


def test_text_stays_without_index(screen, place):
    screen.keys("j")
    assert TEXT_ONLY in screen.capture() and "byte 22 of" in screen.capture()
    assert os.listdir(place) == ["t.tarmac"]
    screen.keys("q")
    assert "[ended 0]" in screen.capture() and os.listdir(place) == ["t.tarmac"]


def test_it_is_built_again(screen, place):
    screen.tmux("send-keys", "c")
    assert screen.wait_for("F1 keys", 60)
    assert TEXT_ONLY not in screen.capture() and sorted(os.listdir(place)) == ["t.tarmac", "t.tarmac.index"]
    screen.keys("q")
