"""Flame graphs: the contents of the file, and what its script shows.

A separate reader reads the frames of an SVG, both those drawn and those hidden until a zoom, and compares them with the collapsed stacks of
the same trace: the same stacks with the same times, none lost. Then the script of the SVG runs in node, in a minimal page (flame/page.js),
and what it shows after a zoom or a search is compared with the frames. Without node this part is skipped.

    tests/run.py flame
"""

import json
import lzma
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import quick
import small_elf
from bounded import run_bounded
from hard_traces import branch_with_link

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS.parent / "corpus"
TIMEOUT_S = 60
SIDE, NARROWEST, GAP_FROM, GAP, ROW = 12, 0.3, 3, 0.8, 19
LEVELS_MAX = 512

HAS_NODE = shutil.which("node") is not None
WITHOUT_NODE = "the script of flame graphs", "node is not there"
WORDS = {"named": ["--image", CORPUS / "stacks" / "throw-a64.elf", "--no-offsets"], "nameless": []}


class Frame:
    """A frame of the file; its numbers are those in the file."""

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
    """Time by stack, as in collapsed stacks."""
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
    """(name, x, width) of the boxes that a zoom shows, in preorder: the frames below the zoomed one, and those above it that are wide
    enough."""
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


def check_zoom(checker, label, frames, seen, zoomed, width):
    expected = sorted(expected_boxes(frames, zoomed, width), key=lambda box: (round(box[1], 2), -box[2], box[0]))
    boxes = sorted(seen["boxes"], key=lambda box: (box["x"], -box["width"], box["title"].split("\n")[0]))
    expected = expected[-len(boxes):] if len(expected) > LEVELS_MAX else expected
    checker.check(f"{label}: {len(boxes)} boxes where {len(expected)} are wide enough", len(boxes) == len(expected))
    matched = {(b["title"].split("\n")[0], b["x"], b["width"]) for b in boxes}
    for name, x, box_width in expected:
        shown = box_width - GAP if box_width >= GAP_FROM else box_width
        if not any(m[0] == name and abs(m[1] - x) < 0.011 and abs(m[2] - shown) < 0.011 for m in matched):
            checker.check(f"{label}: {name} is not at {x:.2f}, {shown:.2f} wide", False)
            return
    rows = {box["y"] for box in boxes}
    checker.check(f"{label}: boxes within the page", all(66 <= y and y + 18 <= seen["height"] for y in rows))
    inside = sum(1 for b in expected) - len(ancestors(frames[zoomed]))
    left = frames[zoomed].end - zoomed - 1 - inside
    says = next((note for note in seen["notes"] if note.startswith("Not drawn: ")), "")
    told = int(says.split()[2].replace(",", "")) if says else 0
    if any(not frame.is_drawn for frame in frames):
        checker.check(f"{label}: {left} frames are not drawn, it says {says!r}", told == left)


def ancestors(frame):
    found = []
    while frame:
        found.append(frame)
        frame = frame.parent
    return found


def svg_of(trawl, folder, trace, *words):
    path = folder / "o.svg"
    for name, more in ((path, ["-o", path]), (folder / "o.txt", ["--format", "collapsed", "-o", folder / "o.txt"])):
        command = [trawl, "flamegraph", "-q", "--memory-index", *words, *more, trace]
        run_bounded([str(word) for word in command], TIMEOUT_S, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ElementTree.parse(path).getroot(), (folder / "o.txt").read_text()


def check_file(checker, label, root, collapsed):
    frames = read_frames(root)
    stacks = {}
    for line in collapsed.splitlines():
        stack, _, ticks = line.rpartition(" ")
        if int(ticks):
            stacks[stack] = stacks.get(stack, 0) + int(ticks)
    shown = stacks_of(frames)
    if frames[0].name == "all":
        shown = {stack.split(";", 1)[1]: ticks for stack, ticks in shown.items()}
    checker.check(f"{label}: {len(shown)} stacks in the picture, {len(stacks)} collapsed", shown == stacks)
    return frames


def widest_hidden(frames, count):
    """The indices of the widest frames with hidden children, and of some hidden frames."""
    around = {id(frame.parent): frame.parent for frame in frames if not frame.is_drawn and frame.parent.is_drawn}
    places = {id(frame): i for i, frame in enumerate(frames)}
    best = sorted(around.values(), key=lambda frame: -frame.width)[:count]
    hidden = [i for i, frame in enumerate(frames) if not frame.is_drawn][:: max(1, len(frames) // count)]
    return [places[id(frame)] for frame in best] + hidden[:count]


def check_page(checker, label, root, frames):
    for width in (1200, 700):
        zooms = [0, *widest_hidden(frames, 4), 0]
        page = Page(root, width, [["zoom", i] for i in zooms])
        checker.check(f"{label}: the script runs: {page.error}", page.seen is not None)
        for zoomed, seen in zip(zooms, (page.seen or [])[1:]):
            check_zoom(checker, f"{label} {width} zoom {zoomed}", frames, seen, zoomed, width)


def check_search(checker, label, root, frames):
    """Frames that are too narrow to be drawn are found, too, and Enter shows one."""
    hidden = next(i for i, frame in enumerate(frames) if not frame.is_drawn and frame.name not in
                  {other.name for other in frames if other.is_drawn})
    name = frames[hidden].name
    page = Page(root, 1200, [["search", f"^{name}$"], ["enter"], ["key", "ArrowDown"], ["key", "Escape"]])
    checker.check(f"{label}: the script runs: {page.error}", page.seen is not None)
    if not page.seen:
        return
    count = sum(1 for frame in frames if frame.name == name)
    checker.check(f"{label}: {page.seen[1]['matched']!r} of {count}", page.seen[1]["matched"].startswith(f"{count} found"))
    found = [box for box in page.seen[2]["boxes"] if "hit" in box["class"].split()]
    checker.check(f"{label}: Enter shows {name}", any(box["title"].startswith(name + "\n") for box in found))
    checker.check(f"{label}: Enter selects {name}", page.seen[2]["focused"].startswith(name + "\n"))
    checker.check(f"{label}: Down goes to the caller", page.seen[3]["focused"].startswith(frames[hidden].parent.name))
    checker.check(f"{label}: Escape goes back out", "zoom=0" in page.seen[4]["hash"])


def deep_trace(folder, levels):
    """A trace of a recursion: each level calls the next, then all return."""
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
    put(0x10000 + 16 * (levels - 1) + 4, "NOP", 0xD503201F)
    for level in reversed(range(levels)):
        address = 0x10000 + 16 * level
        put(address + 8, "RET", 0xD65F03C0)
    put(0x8008, "NOP", 0xD503201F)
    path = folder / "deep.tarmac"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_deep(checker, place):
    """Frames deeper than a picture has levels are reached by zooming."""
    root, collapsed = svg_of(checker.trawl, place, deep_trace(place, 900))
    frames = check_file(checker, "deep", root, collapsed)
    deep = [i for i, frame in enumerate(frames) if not frame.is_drawn]
    checker.check(f"deep: {len(deep)} frames wait for zooming", len(deep) > 300)
    if not HAS_NODE:
        checker.skip(*WITHOUT_NODE)
        return
    page = Page(root, 1200, [["zoom", 500]])
    shown = {box["title"].split("\n")[0] for box in page.seen[1]["boxes"]}
    checker.check("deep: a zoom shows what is above level 512", frames[-1].depth > 800 and any(
        frame.name in shown for frame in frames if frame.depth == frames[500].depth + 300))
    checker.check("deep: within the page", len(shown) <= LEVELS_MAX and min(box["y"] for box in page.seen[1]["boxes"]) >= 66)


def test_levels(checker, place):
    """Lines have complete stacks up to 4096 levels, unless another number is requested."""
    levels = 4200
    trace = deep_trace(place, levels)

    def collapsed(*words):
        done = quick.run([checker.trawl, "flamegraph", *words, trace, "--memory-index"], text=True, check=True)  # fmt: skip
        lines = done.stdout.splitlines()
        ticks = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
        return max(line.count(";") for line in lines), ticks, done.stderr

    whole = collapsed("--depth", "10000")
    limited = collapsed()
    checker.check(f"levels: as many as are asked for: {whole}", whole[0] >= levels and not whole[2])
    checker.check(f"levels: time of deeper ones counts for the last: {limited}", limited[:2] == (4096, whole[1]))
    checker.check(f"levels: it is told: {limited[2]}", "more than 4096 levels" in limited[2] and "--depth" in limited[2])


def test_call_tree(checker, place):
    """Lines are indented up to 4096 levels, unless another number or a table is requested."""
    levels = 4200
    trace = deep_trace(place, levels)

    def calltree(*words):
        return quick.run([checker.trawl, "calltree", "--memory-index", *words, trace], text=True, check=True, timeout=120)

    def depths(text):
        return [(len(line) - len(line.lstrip())) // 4 for line in text.splitlines() if line.lstrip().startswith("o ")]

    limited = calltree()
    whole = calltree("--depth", "10000")
    rows = calltree("--format", "csv").stdout.splitlines()
    checker.check("call tree: as many levels as are asked for", max(depths(whole.stdout)) >= levels and not whole.stderr)
    checker.check("call tree: 4096 levels", depths(limited.stdout) == [depth for depth in depths(whole.stdout) if depth <= 4096])
    checker.check(f"call tree: it is told: {limited.stderr}", "more than 4096 levels" in limited.stderr and "--depth" in limited.stderr)
    checker.check("call tree: a table has all rows", len(rows) == 1 + len(depths(whole.stdout)))


SEPARATING = "<[T; N] as\nFmt>::fmt"  # ends a frame, and a line, unless it is escaped
ESCAPED = "<[T: N] as?Fmt>::fmt"


def map_of(names):
    """An instrumentation map of {number: name}."""
    rows = [f"- {{ id: {number}, address: {16 * number:#x}, function: {16 * number:#x}, kind: {kind}, always-instrument: true, "
            f"function-name: {json.dumps(name)}, version: 2 }}\n"
            for number, name in names.items() for kind in ("function-enter", "function-exit")]  # fmt: skip
    return "---\n" + "".join(rows) + "...\n"


@pytest.mark.parametrize("kind", ("tarmac", "xray"))
def test_separators(checker, place, kind):
    """In collapsed stacks, no name ends a frame or a line; a picture has the name itself."""
    if kind == "tarmac":
        trace, image = deep_trace(place, 2), place / "names.elf"
        image.write_bytes(small_elf.named({0x8000: b"main", 0x10000: SEPARATING.encode(), 0x10010: b"leaf"}))
        words = ["--image", image, "--no-offsets"]
    else:
        trace, image = place / "run.xray", place / "names.yaml"
        trace.write_bytes((CORPUS / "xray" / "recursion.fdr.xray").read_bytes())
        image.write_text(map_of({number: SEPARATING if number == 2 else f"f{number}" for number in range(1, 9)}))
        words = ["--image", image]
    commands = {
        "flamegraph": ["flamegraph", *words, trace, "--memory-index"],
        "diff": ["flamegraph", *words, trace, "--diff", trace, "--memory-index"],
        "export": ["export", "--format", "collapsed", *words, trace, "--memory-index"],
    }
    if kind == "xray":
        commands["stack"] = ["xray", "stack", "-m", image, "--stack-format", "flame", trace]
    for name, command in commands.items():
        lines = quick.run([checker.trawl, *command], text=True, check=True).stdout.splitlines()
        frames = {frame for line in lines for frame in line.rsplit(" ", 2 if name == "diff" else 1)[0].split(";")}
        checker.check(f"{kind} {name}: {sorted(frames)}", ESCAPED in frames and not any("N]" in frame for frame in frames - {ESCAPED}))
        checker.check(f"{kind} {name}: counts", all(line.rsplit(" ", 1)[1].isdigit() for line in lines))
    picture = quick.run([checker.trawl, "flamegraph", *words, trace, "--memory-index", "--format", "svg"], text=True, check=True).stdout
    checker.check(f"{kind}: the picture has the semicolon", "[T; N]" in picture and "[T: N]" not in picture)


@pytest.mark.parametrize("label", WORDS)
def test_picture(checker, place, label):
    trace = place / "t.tarmac"
    trace.write_bytes(lzma.decompress((CORPUS / "stacks" / "throw-a64.it.tarmac.xz").read_bytes()))
    root, collapsed = svg_of(checker.trawl, place, trace, *WORDS[label])
    frames = check_file(checker, label, root, collapsed)
    checker.check(f"{label}: some frames wait for zooming", any(not frame.is_drawn for frame in frames))
    if HAS_NODE:
        check_page(checker, label, root, frames)
        check_search(checker, label, root, frames)
    else:
        checker.skip(*WITHOUT_NODE)
