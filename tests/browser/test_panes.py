"""Compares the panes of the browser with the index of the trace, read by libtrawl, and checks that all text is readable in any theme.

    tests/run.py panes

Skipped by name if there is no tmux.
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
    """Those of the core at the position, regardless of the core of the previous event."""
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
            # Back again: the values that the core will have there, if it is the same core.
            screen.keys("Up")
            wanted = changes(index, lanes[after], after, after + 1)
            assert shown_changes(screen, "then") == {name: pair[::-1] for name, pair in wanted.items()}
    assert found > 10
    screen.keys("q")


# --- Themes ---

BASE = [(0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)]
LEVELS = [0, 95, 135, 175, 215, 255]
READABLE = 3.0  # the contrast in WCAG for large text and symbols
KEYS = ["m", "'xsp-32", "Enter", "R", "c", "/", "'MOV", "Enter", "Down", "a"]


def colour(number):
    """A colour of xterm's palette."""
    if number < 16:
        return BASE[number % 8]
    number -= 16
    return LEVELS[number // 36], LEVELS[number // 6 % 6], LEVELS[number % 6]


def brightness(rgb):
    parts = [value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in rgb]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    low, high = sorted((brightness(a), brightness(b)))
    return (high + 0.05) / (low + 0.05)


def cells(text):
    """(character, foreground, background, attributes) of each cell that is not blank; None: the terminal's own colour."""
    ink = paper = None
    attributes = set()
    for codes, shown in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b\n])", text):
        if shown:
            if shown != " ":
                yield shown, ink, paper, frozenset(attributes)
            continue
        numbers = [int(code or 0) for code in codes.split(";")]
        while numbers:
            code = numbers.pop(0)
            if code == 0:
                ink = paper = None
                attributes = set()
            elif code in (38, 48) and numbers[0] == 5:
                ink, paper = (numbers[1], paper) if code == 38 else (ink, numbers[1])
                numbers = numbers[2:]
            elif 30 <= code <= 39:
                ink = None if code == 39 else code - 30
            elif 40 <= code <= 49:
                paper = None if code == 49 else code - 40
            else:
                attributes.add(code)


@pytest.mark.parametrize("theme", ["dark", "light", "none", "option"])
def test_all_can_be_read(trawl, place, theme):
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place)
    settings = Path(place, "settings", "trawl")
    settings.mkdir(parents=True)
    (settings / "browse.conf").write_text("theme light\n" if theme == "light" else "")
    env = {"XDG_CONFIG_HOME": str(settings.parent), **({"NO_COLOR": "1"} if theme == "none" else {})}
    options = ["--no-colour"] if theme == "option" else []
    with Screen([str(trawl), "browse", *options, "sort-a64.it.tarmac"], 150, 60, cwd=place, env=env) as screen:
        assert screen.wait_for("Core regs at")
        screen.keys("':event:900", "Enter", *KEYS)
        shown = set(cells(screen.capture(with_styles=True)))
    own = {"light": (255, 255, 255), "dark": (0, 0, 0)}.get(theme)
    inks = {ink for _, ink, _, _ in shown}
    if own is None:
        assert inks == {None} and {paper for _, _, paper, _ in shown} == {None}
        assert any(7 in attributes for *_, attributes in shown)  # the status line, matches and changes
        return
    assert len(inks) > 5
    for character, ink, paper, _ in shown:
        text = (0, 0, 0) if theme == "light" else BASE[7]
        pair = text if ink is None else colour(ink), own if paper is None else colour(paper)
        assert contrast(*pair) >= READABLE, (character, ink, paper)


# --- The mouse ---


def press(screen, button, column, row):
    """As the simplest terminals report it: \033[M and three bytes."""
    release = 3
    for code in (button, release):
        screen.tmux("send-keys", "-l", "\033[M" + "".join(chr(32 + number) for number in (code, column + 1, row + 1)))
    return screen.settle()[0].splitlines()


def test_mouse(screen):
    """A click goes to the event of a row, or into a pane; the wheel moves by three events."""
    wheel_up, wheel_down = 64, 65
    screen.keys("':event:900", "Enter")

    def time_of(lines):
        return int(re.search(r"Time:(\d+)", "\n".join(lines))[1])

    shown = screen.capture().splitlines()
    row = 5
    while not re.match(r" *\d+ clk \w+ IT", shown[row]):
        row += 1
    clicked = press(screen, 0, 10, row)
    assert time_of(clicked) == int(shown[row].split()[0]) != time_of(shown)
    down = press(screen, wheel_down, 10, row)
    assert time_of(down) > time_of(clicked)
    assert time_of(press(screen, wheel_up, 10, row)) == time_of(clicked)
    # A click into the registers: Down then applies to them.
    pane = next(i for i, line in enumerate(down) if line.startswith("x0="))
    press(screen, 0, 4, pane)
    screen.keys("Down")
    assert time_of(screen.capture().splitlines()) == time_of(clicked)
    press(screen, 0, 10, 2)
    screen.keys("q")
