"""The plots of `trawl tfile series --format svg`: each frame with a value is under a horizontal line at its height, nothing is drawn where
none was collected, and values are written in full.

    tests/run.py plot
"""

import random
import re
import struct

import pytest
import quick
from checker import Checker
from test_tfile_index import trace_file

LEFT, WIDTH, TOP, HEIGHT = 160, 800, 40, 100
HEAD = b"tp T1:1000:E:0:0\ntp T2:1000:E:0:0\n"
STACK = 0xFFFF_8880_0000_1000
ADDRESS = 0x2000


def panels(svg):
    """For each panel, its labels (name, highest, lowest) and its line as horizontal parts: (from, to, height)."""
    found = []
    for part in svg.split('<rect class="panel"')[1:]:
        labels = re.findall(r"<text [^>]*>([^<]*)</text>", part)[:3]
        parts, x, y = [], None, None
        path = re.search(r' d="([^"]*)"', part)
        steps = path[1] if path else ""
        assert re.fullmatch(r"(?:[MHV][-\d.]+(?: [-\d.]+)?)*", steps), "only horizontal and vertical lines"
        for letter, first, second in re.findall(r"([MHV])([-\d.]+)(?: ([-\d.]+))?", steps):
            if letter == "M":
                x, y = float(first), float(second)
            elif letter == "V":
                y = float(first)
            else:
                parts.append((x, float(first), y))
                x = float(first)
        found.append((labels, parts))
    return found


def check_panel(check, what, parts, values, top):
    """`values` has None for frames without a value. Rounding may move a step by a pixel."""
    known = [value for value in values if value is not None]
    low, high = min(known), max(known)
    width = WIDTH / len(values)
    for frame, value in enumerate(values):
        middle = LEFT + (frame + 0.5) * width
        heights = [height for start, end, height in parts if start <= middle <= end]
        if value is None:
            check.expect(f"{what}: frame {frame}", heights, [])
            continue
        wanted = top + HEIGHT * (1 - (value - low) / (high - low) if high > low else 0.5)
        check.check(f"{what}: frame {frame}", heights and min(abs(height - wanted) for height in heights) < 0.5, (heights, wanted))
    if values[-1] is not None:
        check.expect(f"{what}: up to the edge", max(end for _, end, _ in parts), LEFT + WIDTH)


@pytest.mark.parametrize("count", [1, 2, 9, 100, 267])
def test_plot(trawl, place, count):
    check, draw = Checker(trawl), random.Random(count)
    stacks = [STACK + 8 * draw.randrange(5) for _ in range(count)]
    numbers = [draw.randrange(-50, 50) if draw.random() < 0.7 or frame == count - 1 else None for frame in range(count)]
    frames = []
    for stack, number in zip(stacks, numbers):
        data = b"R" + struct.pack("<Q", stack)
        if number is not None:
            data += b"M" + struct.pack("<QHi", ADDRESS, 4, number)
        frames.append((1, data))
    description = b'tdesc <target><feature name="f"><reg name="sp" bitsize="64"/></feature></target>\n'
    path = place / "made.tf"
    path.write_bytes(trace_file(frames, 8, description + HEAD))
    words = [trawl, "tfile", "series", "--format", "svg", path, "sp", f"{ADDRESS:#x}:i32", f"{ADDRESS:#x}:f32"]
    svg = quick.run(list(map(str, words)), check=True).stdout.decode()
    (sp, sp_line), (memory, memory_line), _ = panels(svg)
    check.expect("labels of addresses", sp, ["sp", hex(max(stacks)), hex(min(stacks))])
    known = [number for number in numbers if number is not None]
    check.expect("labels of numbers", memory, [f"{ADDRESS:#x}:i32", str(max(known)), str(min(known))])
    check_panel(check, "addresses", sp_line, stacks, TOP)
    check_panel(check, "numbers", memory_line, numbers, TOP + 130)
    check.check("a dark scheme", "prefers-color-scheme: dark" in svg)
    assert not check.failed, check.faults[:5]


def test_many_frames(trawl, place):
    """More frames than columns: a column shows its lowest and highest value, and a long gap stays one."""
    values = [frame % 7 for frame in range(10000)]
    frames = [(1, b"M" + struct.pack("<QHI", ADDRESS, 4, value) if not 3000 <= frame < 6000 else b"") for frame, value in enumerate(values)]
    path = place / "many.tf"
    path.write_bytes(trace_file(frames, 8, HEAD))
    run = quick.run([str(trawl), "tfile", "series", "--format", "svg", str(path), f"{ADDRESS:#x}:u32"], check=True)
    ((_, parts),) = panels(run.stdout.decode())
    inside = [part for part in parts if part[0] < LEFT + 475 and part[1] > LEFT + 245]
    assert not inside and min(part[0] for part in parts) == LEFT and max(part[1] for part in parts) == LEFT + WIDTH
