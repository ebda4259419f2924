#!/usr/bin/env python3
"""Flame graphs: what the file holds, and what its script shows.

The frames of an SVG, drawn and to zoom to, are read by a reader of its own and held against the collapsed stacks of the
same trace: the same stacks with the same times, none lost. Then its script runs in node on as much of a page as it asks
for (flame/page.js), and what it shows after a zoom or a search is held against what the frames say. Without node that
part is skipped.

    tests/run.py flame
"""

import json
import lzma
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from bounded import run_bounded
from hard_traces import branch_with_link

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS.parent / "corpus"
TIMEOUT_S = 60
SIDE, NARROWEST, GAP_FROM, GAP, ROW = 12, 0.3, 3, 0.8, 19
LEVELS_MAX = 512

counts = {"passed": 0, "failed": 0, "skipped": 0}


def check(is_right, what):
    counts["passed" if is_right else "failed"] += 1
    if not is_right:
        print(f"FAILED {what}")


class Frame:
    """A frame of the file: numbers as they were written."""

    def __init__(self, name, depth, start, width, self_ticks, is_drawn):
        self.name, self.depth, self.start, self.width = name, depth, start, width
        self.self_ticks, self.is_drawn = self_ticks, is_drawn
        self.parent, self.end = None, 0


def drawn_frames(field):
    for group in field:
        lines = group.find("{*}title").text.split("\n")
        self_ticks = int(lines[2].split()[1].replace(",", ""))
        place = [int(group.get(f"data-{key}")) for key in "dsw"]
        yield Frame(lines[0], *place, self_ticks, True)


def hidden_frames(text, drawn):
    """The frames in preorder, by the description in flame_hidden.h."""
    if text is None:
        yield from drawn
        return
    name_lines, lines = text.split("\n\n", 1)
    names = [line.split(" ", 1)[1] for line in name_lines.split("\n") if line]
    before = None
    for line in lines.split("\n"):
        if line.startswith("+"):
            for _ in range(int(line)):
                before = next(drawn)
                yield before
        elif line:
            depth, name, start, width, _, self_ticks, _, address = line.split(",")
            name = names[int(name)] if name else "0x" + address
            start = before.start + int(start or 0)
            before = Frame(name, int(depth), start, int(width), int(self_ticks or 0), False)
            yield before


def read_frames(root):
    field = root.find("*[@id='frames']")
    hidden = root.find("*[@id='hidden']")
    frames = list(hidden_frames(hidden.text if hidden is not None else None, drawn_frames(field)))
    open_frames = []
    for i, frame in enumerate(frames):
        while len(open_frames) > frame.depth:
            open_frames.pop().end = i
        frame.parent = open_frames[-1] if open_frames else None
        open_frames.append(frame)
    for frame in open_frames:
        frame.end = len(frames)
    return frames


def stacks_of(frames):
    """Time by stack, as collapsed stacks have it."""
    stacks, path = {}, []
    for frame in frames:
        path = path[: frame.depth] + [frame.name]
        if frame.self_ticks:
            key = ";".join(path)
            stacks[key] = stacks.get(key, 0) + frame.self_ticks
    return stacks


def nested(element):
    nodes = [element.text] if element.text else []
    for child in element:
        nodes.append(nested(child))
        if child.tail:
            nodes.append(child.tail)
    return [element.tag.split("}")[-1], dict(element.attrib), nodes]


class Page:
    """What the script shows, step by step."""

    def __init__(self, root, width, steps):
        question = json.dumps({"root": nested(root), "width": width, "steps": steps})
        answer = subprocess.run(
            ["node", TESTS / "readers" / "flame_page.js"], input=question, capture_output=True, text=True, timeout=TIMEOUT_S
        )
        self.error = answer.stderr
        self.seen = json.loads(answer.stdout) if answer.returncode == 0 else None


def expected_boxes(frames, zoomed, width):
    """(name, x, width) of what a zoom shows, in preorder: the frames below, and those on it that are wide enough."""
    inner = width - 2 * SIDE
    scale = inner / max(frames[zoomed].width, 1)
    above, frame = [], frames[zoomed]
    while frame:
        above.append((frame.name, SIDE, inner))
        frame = frame.parent
    boxes, i = above[::-1], zoomed + 1
    while i < frames[zoomed].end:
        frame = frames[i]
        if frame.width < NARROWEST / scale or frame.depth >= frames[zoomed].depth + LEVELS_MAX:
            i = frame.end
            continue
        boxes.append((frame.name, SIDE + (frame.start - frames[zoomed].start) * scale, frame.width * scale))
        i += 1
    return boxes


def check_zoom(label, frames, seen, zoomed, width):
    expected = sorted(expected_boxes(frames, zoomed, width), key=lambda box: (round(box[1], 2), -box[2], box[0]))
    boxes = sorted(seen["boxes"], key=lambda box: (box["x"], -box["width"], box["title"].split("\n")[0]))
    expected = expected[-len(boxes):] if len(expected) > LEVELS_MAX else expected
    check(len(boxes) == len(expected), f"{label}: {len(boxes)} boxes where {len(expected)} are wide enough")
    matched = {(b["title"].split("\n")[0], b["x"], b["width"]) for b in boxes}
    for name, x, box_width in expected:
        shown = box_width - GAP if box_width >= GAP_FROM else box_width
        if not any(m[0] == name and abs(m[1] - x) < 0.011 and abs(m[2] - shown) < 0.011 for m in matched):
            check(False, f"{label}: {name} is not at {x:.2f}, {shown:.2f} wide")
            return
    rows = {box["y"] for box in boxes}
    check(all(66 <= y and y + 18 <= seen["height"] for y in rows), f"{label}: boxes within the page")
    inside = sum(1 for b in expected) - len(ancestors(frames[zoomed]))
    left = frames[zoomed].end - zoomed - 1 - inside
    says = next((note for note in seen["notes"] if note.startswith("Not drawn: ")), "")
    told = int(says.split()[2].replace(",", "")) if says else 0
    if any(not frame.is_drawn for frame in frames):
        check(told == left, f"{label}: {left} frames are not drawn, it says {says!r}")


def ancestors(frame):
    found = []
    while frame:
        found.append(frame)
        frame = frame.parent
    return found


def svg_of(programs, folder, trace, *words):
    path = folder / "o.svg"
    for name, more in ((path, ["-o", path]), (folder / "o.txt", ["--format", "collapsed", "-o", folder / "o.txt"])):
        command = [programs / "trawl", "flamegraph", "-q", "--memory-index", *words, *more, trace]
        run_bounded([str(word) for word in command], TIMEOUT_S, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ElementTree.parse(path).getroot(), (folder / "o.txt").read_text()


def check_file(label, root, collapsed):
    frames = read_frames(root)
    stacks = {}
    for line in collapsed.splitlines():
        stack, _, ticks = line.rpartition(" ")
        if int(ticks):
            stacks[stack] = stacks.get(stack, 0) + int(ticks)
    shown = stacks_of(frames)
    if frames[0].name == "all":
        shown = {stack.split(";", 1)[1]: ticks for stack, ticks in shown.items()}
    check(shown == stacks, f"{label}: {len(shown)} stacks in the picture, {len(stacks)} collapsed")
    return frames


def widest_hidden(frames, count):
    """Frames with something hidden on them, the widest first, and hidden frames themselves."""
    around = {id(frame.parent): frame.parent for frame in frames if not frame.is_drawn and frame.parent.is_drawn}
    places = {id(frame): i for i, frame in enumerate(frames)}
    best = sorted(around.values(), key=lambda frame: -frame.width)[:count]
    hidden = [i for i, frame in enumerate(frames) if not frame.is_drawn][:: max(1, len(frames) // count)]
    return [places[id(frame)] for frame in best] + hidden[:count]


def check_page(label, root, frames):
    for width in (1200, 700):
        zooms = [0, *widest_hidden(frames, 4), 0]
        page = Page(root, width, [["zoom", i] for i in zooms])
        check(page.seen is not None, f"{label}: the script runs: {page.error}")
        for zoomed, seen in zip(zooms, (page.seen or [])[1:]):
            check_zoom(f"{label} {width} zoom {zoomed}", frames, seen, zoomed, width)


def check_search(label, root, frames):
    """Frames that are too narrow are found, too, and Enter shows one."""
    hidden = next(i for i, frame in enumerate(frames) if not frame.is_drawn and frame.name not in
                  {other.name for other in frames if other.is_drawn})
    name = frames[hidden].name
    page = Page(root, 1200, [["search", f"^{name}$"], ["enter"], ["key", "ArrowDown"], ["key", "Escape"]])
    check(page.seen is not None, f"{label}: the script runs: {page.error}")
    if not page.seen:
        return
    count = sum(1 for frame in frames if frame.name == name)
    check(page.seen[1]["matched"].startswith(f"{count} found"), f"{label}: {page.seen[1]['matched']!r} of {count}")
    found = [box for box in page.seen[2]["boxes"] if "hit" in box["class"].split()]
    check(any(box["title"].startswith(name + "\n") for box in found), f"{label}: Enter shows {name}")
    check(page.seen[2]["focused"].startswith(name + "\n"), f"{label}: Enter selects {name}")
    check(page.seen[3]["focused"].startswith(frames[hidden].parent.name), f"{label}: Down goes to the caller")
    check("zoom=0" in page.seen[4]["hash"], f"{label}: Escape goes back out")


def deep_trace(folder, levels):
    """A recursion: each level calls the next, then all return."""
    lines, time = [], 0

    def put(pc, text, word):
        nonlocal time
        lines.append(f"{time} clk IT ({time}) {pc:08x} {word:08x} O EL1h_s : {text}")
        time += 1

    put(0x8000, "NOP", 0xD503201F)
    for level in range(levels):
        address = 0x10000 + 16 * level
        site = 0x8004 if level == 0 else address - 12
        put(site, "BL", branch_with_link(site, address))
        lines.append(f"{time} clk R X30 {site + 4:016x}")
        lines.append(f"{time} clk R SP_EL1 {0x90000000 - 16 * level:016x}")
        put(address, "NOP", 0xD503201F)
    for level in reversed(range(levels)):
        address = 0x10000 + 16 * level
        put(address + 8, "RET", 0xD65F03C0)
    put(0x8008, "NOP", 0xD503201F)
    path = folder / "deep.tarmac"
    path.write_text("\n".join(lines) + "\n")
    return path


def check_deep(programs, folder, has_node):
    """Frames deeper than a picture has levels are reached by zooming."""
    root, collapsed = svg_of(programs, folder, deep_trace(folder, 900))
    frames = check_file("deep", root, collapsed)
    deep = [i for i, frame in enumerate(frames) if not frame.is_drawn]
    check(len(deep) > 300, f"deep: {len(deep)} frames wait for zooming")
    if not has_node:
        return
    page = Page(root, 1200, [["zoom", 500]])
    shown = {box["title"].split("\n")[0] for box in page.seen[1]["boxes"]}
    check(frames[-1].depth > 800 and any(frame.name in shown for frame in frames if frame.depth == frames[500].depth + 300),
          "deep: a zoom shows what is above level 512")
    check(len(shown) <= LEVELS_MAX and min(box["y"] for box in page.seen[1]["boxes"]) >= 66, "deep: within the page")


def check_levels(programs, folder):
    """Lines have all of their stacks: so many levels, unless others are asked for."""
    levels = 4200
    trace = deep_trace(folder, levels)

    def collapsed(*words):
        done = subprocess.run([programs / "trawl", "flamegraph", *words, trace, "--memory-index"], capture_output=True,
                              text=True, check=True)  # fmt: skip
        lines = done.stdout.splitlines()
        ticks = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
        return max(line.count(";") for line in lines), ticks, done.stderr

    whole = collapsed("--depth", "10000")
    limited = collapsed()
    check(whole[0] >= levels and not whole[2], f"levels: as many as are asked for: {whole}")
    check(limited[:2] == (4096, whole[1]), f"levels: time of deeper ones counts for the last: {limited}")
    check("more than 4096 levels" in limited[2] and "--depth" in limited[2], f"levels: it is told: {limited[2]}")


def check_call_tree(programs, folder):
    """Lines are indented: so many levels, unless others or a table are asked for."""
    levels = 4200
    trace = deep_trace(folder, levels)

    def calltree(*words):
        return subprocess.run([programs / "trawl", "calltree", "--memory-index", *words, trace], capture_output=True, text=True, check=True, timeout=120)

    def depths(text):
        return [(len(line) - len(line.lstrip())) // 4 for line in text.splitlines() if line.lstrip().startswith("o ")]

    limited = calltree()
    whole = calltree("--depth", "10000")
    rows = calltree("--format", "csv").stdout.splitlines()
    check(max(depths(whole.stdout)) >= levels and not whole.stderr, "call tree: as many levels as are asked for")
    check(depths(limited.stdout) == [depth for depth in depths(whole.stdout) if depth <= 4096], "call tree: 4096 levels")
    check("more than 4096 levels" in limited.stderr and "--depth" in limited.stderr, f"call tree: it is told: {limited.stderr}")
    check(len(rows) == 1 + len(depths(whole.stdout)), "call tree: a table has all rows")


def main():
    programs = Path(sys.argv[1] if len(sys.argv) > 1 else TESTS.parent / "zig-out" / "bin").resolve()
    has_node = shutil.which("node") is not None
    if not has_node:
        counts["skipped"] += 1
        print("SKIPPED the script of flame graphs: node is not there")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace = folder / "t.tarmac"
        trace.write_bytes(lzma.decompress((CORPUS / "stacks" / "throw-a64.it.tarmac.xz").read_bytes()))
        image = CORPUS / "stacks" / "throw-a64.elf"
        for label, words in (("named", ["--image", image, "--no-offsets"]), ("nameless", [])):
            root, collapsed = svg_of(programs, folder, trace, *words)
            frames = check_file(label, root, collapsed)
            check(any(not frame.is_drawn for frame in frames), f"{label}: some frames wait for zooming")
            if has_node:
                check_page(label, root, frames)
                check_search(label, root, frames)
        check_deep(programs, folder, has_node)
        check_levels(programs, folder)
        check_call_tree(programs, folder)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
