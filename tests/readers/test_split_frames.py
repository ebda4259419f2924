"""Frames split by lines, inlined functions and instructions, in flame graphs and in exports. Own times by line and by inlined
function equal those of a plain model over the trace with llvm-symbolizer's lines. Without the split parts, stacks equal
those that were not split.

    tests/run.py split_frames
"""

import collections
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
import quick
import symbolizer
import test_coverage
import test_line_profile
from checker import Checker
from test_export import fields, one, packed

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES, STACKS = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf", ROOT / "corpus" / "stacks"
TIMEOUT_S = 120
NAMES = ["recursion-a64", "recursion-t32", "conditional-a32", "sort-a64", "sort-t32", "twocores-a64", "exceptions-a32"]
LINE = re.compile(r"^(.*) (\S+:\d+)$")


def split(frame):
    """A frame's function and line, "" if it has none."""
    match = LINE.match(frame)
    return (match[1], match[2]) if match else (frame, "")


def stacks_of(text):
    """Stack to ticks."""
    found = collections.Counter()
    for line in text.splitlines():
        stack, _, ticks = line.rpartition(" ")
        found[tuple(stack.split(";"))] += int(ticks)
    return found


def without_zeros(counter):
    return {key: value for key, value in counter.items() if value}


def read_callgrind(text):
    """{(function, file, place): own} and {(caller, place, callee): [calls, ticks]}; a place is a tuple of numbers."""
    own, calls = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    function = path = callee = count = None
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key in ("fl", "fi"):
            path = value
        elif key == "fn":
            function = value
        elif key == "cfn":
            callee = value
        elif key == "calls":
            count = int(value.split()[0])
        elif line[:1].isdigit():
            *place, ticks = (int(word, 0) for word in line.split())
            if count is None:
                own[function, Path(path).name, tuple(place)] += ticks
            else:
                calls[function, tuple(place), callee][0] += count
                calls[function, tuple(place), callee][1] += ticks
                count = None
    return own, calls


def read_pprof(data):
    """Stacks of (function, file:line), the innermost first, to ticks."""
    strings = [text.decode() for number, text in fields(data) if number == 6]
    functions = {one(text, 1): (strings[one(text, 2)], strings[one(text, 4, 0)]) for number, text in fields(data) if number == 5}
    locations = {}
    for number, text in fields(data):
        if number == 4:
            function, path = functions[one(one(text, 4), 1)]
            line = one(one(text, 4), 2, 0)
            locations[one(text, 1)] = (function, f"{Path(path).name}:{line}" if line else "")
    found = collections.Counter()
    for number, sample in fields(data):
        if number == 2:
            stack = tuple(locations[location] for location in packed(one(sample, 1)))
            found[stack] += packed(one(sample, 2))[1]
    return found


pytestmark = pytest.mark.skipif(not symbolizer.tool(), reason="no llvm-symbolizer")


class Split(Checker):
    def run(self, *words, status=0):
        done = quick.run([self.trawl, *map(str, words)], timeout=TIMEOUT_S)
        self.check(f"{words}: status", done.returncode == status, (done.returncode, done.stderr[-300:]))
        return done.stdout if status == 0 else done.stderr

    def stacks(self, *words):
        return stacks_of(self.run("flamegraph", *words).decode())


def by_last(stacks, key):
    found = collections.Counter()
    for stack, ticks in stacks.items():
        found[key(stack[-1])] += ticks
    return without_zeros(found)


def check_stacks(checker, name, given):
    """However stacks are split, they are the same without the split parts."""
    plain = without_zeros(checker.stacks(*given))
    lines, inlines, both = (checker.stacks(*given, *words) for words in (["--lines"], ["--inlines"], ["--lines", "--inlines"]))
    joined = collections.Counter()
    for stack, ticks in lines.items():
        joined[tuple(split(frame)[0] for frame in stack)] += ticks
    checker.check(f"{name}: without lines", without_zeros(joined) == plain,
                  sorted(set(without_zeros(joined).items()) ^ set(plain.items()))[:4])
    joined = collections.Counter()
    for stack, ticks in both.items():
        joined[tuple(split(frame)[0] for frame in stack)] += ticks
    checker.check(f"{name}: inlined, without lines", without_zeros(joined) == without_zeros(inlines),
                  sorted(set(without_zeros(joined).items()) ^ set(without_zeros(inlines).items()))[:4])
    return lines, inlines


def check_trace(checker, trace, image):
    given = [trace, "--image", image]
    figures = test_line_profile.ticks_of(test_coverage.instructions_of(trace.read_bytes()))
    chains = symbolizer.chains(image, figures)
    lines, inlines = check_stacks(checker, trace.name, given)
    expected = collections.Counter()
    for (path, line), (ticks, _, _) in test_line_profile.by_line(figures, chains).items():
        expected[f"{path}:{line}" if path else ""] += ticks
    expected = without_zeros(expected)
    found = by_last(lines, lambda frame: split(frame)[1])
    checker.check(f"{trace.name}: own time by line", found == expected, sorted(set(found.items()) ^ set(expected.items()))[:4])
    functions = {name: row[0] for name, row in test_line_profile.by_function(figures, chains).items() if row[0]}
    found = by_last(inlines, lambda frame: frame)
    if "exceptions" not in trace.name:  # there, handlers branch to code of other functions
        checker.check(f"{trace.name}: own time by inlined function", found == functions,
                      sorted(set(found.items()) ^ set(functions.items()))[:4])
    for words in (["--threads", "1"], ["--threads", "3", "--chunk-size", "2000"]):
        checker.check(f"{trace.name}: {words}", checker.stacks(*given, "--lines", *words) == lines)
    check_callgrind(checker, trace.name, given, figures, lines)
    pprof = read_pprof(checker.run("export", "--format", "pprof", "--lines", *given))
    heads = 1 if "twocores" in trace.name else 0  # a pprof has lanes as labels
    stacks = collections.Counter()
    for stack, ticks in lines.items():
        stacks[tuple(split(frame) for frame in reversed(stack[heads:]))] += ticks
    checker.check(f"{trace.name}: stacks of pprof", without_zeros(pprof) == without_zeros(stacks))
    return sum(split(frame)[1] != "" for stack in lines for frame in stack)


def check_callgrind(checker, name, given, figures, lines):
    own, _ = read_callgrind(checker.run("export", "--format", "callgrind", "--lines", *given).decode())
    found = collections.Counter()
    for (_, path, (line,)), ticks in own.items():
        found[f"{path}:{line}" if line else ""] += ticks
    checker.check(f"{name}: callgrind by line", without_zeros(found) == by_last(lines, lambda frame: split(frame)[1]))
    text = checker.run("export", "--format", "callgrind", "--instructions", *given)
    own, calls = read_callgrind(text.decode())
    found = collections.Counter()
    for (_, _, (pc, _)), ticks in own.items():
        found[pc] += ticks
    checker.check(f"{name}: callgrind by instruction", without_zeros(found) == {pc: row[0] for pc, row in figures.items() if row[0]})
    checker.check(f"{name}: calls come from instructions", all(place[0] in figures for _, place, _ in calls),
                  [place for place in calls if place[1][0] not in figures][:4])
    # The functions below the outermost ones were called, once for each call of the profile.
    plain = checker.run("export", "--format", "callgrind", *given).decode()
    wanted = sum(int(count) for count in re.findall(r"^calls=(\d+) ", plain, re.MULTILINE))
    checker.check(f"{name}: calls of callgrind", sum(count for count, _ in calls.values()) == wanted,
                  (sum(count for count, _ in calls.values()), wanted))
    if not shutil.which("callgrind_annotate"):
        checker.skip("callgrind_annotate", "not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "out").write_bytes(text)
        done = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", Path(folder) / "out"], capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)
    total = sum(row[0] for row in figures.values())
    checker.check(f"{name}: callgrind_annotate", not done.stderr and re.search(rf"^{total:,} \(100\.0%\)  PROGRAM TOTALS", done.stdout, re.MULTILINE),
                  (total, done.stdout[:600], done.stderr[:300]))


@pytest.fixture
def checker(trawl):
    return Split(trawl)


def test_options(checker):
    given = [TRACES / "recursion-a64.it.tarmac", "--image", IMAGES / "recursion-a64.elf"]
    focused = checker.stacks(*given, "--function", "hanoi", "--lines")
    checker.check("--function", {split(stack[0])[0] for stack in focused} == {"hanoi"})
    checker.check("--function: time", sum(focused.values()) == sum(checker.stacks(*given, "--function", "hanoi").values()))
    middle = checker.stacks(*given, "--lines", "--lane-events", "100..400")
    checker.check("--lane-events", sum(middle.values()) == sum(checker.stacks(*given, "--lane-events", "100..400").values()))
    checker.check("svg", b"hanoi recursion.c:" in checker.run("flamegraph", "--lines", "--format", "svg", *given))
    for command, words, said in (("flamegraph", ["--lines", "--hide", "hanoi"], b"--hide"),
                                 ("flamegraph", ["--inlines", "--unwind", "auto"], b"--unwind"),
                                 ("export", ["--lines"], b"--format collapsed"),
                                 ("export", ["--instructions", "--format", "pprof"], b"--format callgrind")):
        checker.check(f"{words}: refused", said in checker.run(command, *words, *given, status=2))
    log = ROOT / "corpus" / "xray" / "recursion.fdr.xray"
    checker.check("an XRay log", b"--lines does not apply" in checker.run("flamegraph", "--lines", log, status=2))
    without = without_zeros(checker.stacks(given[0], "--lines"))
    checker.check("without an image", without == without_zeros(checker.stacks(given[0])))


@pytest.mark.parametrize("name", NAMES)
def test_traces(checker, name):
    split_frames = sum(check_trace(checker, trace, IMAGES / f"{name}.elf") for trace in sorted(TRACES.glob(f"{name}.[ei][st].tarmac")))
    checker.check("frames have lines", split_frames > 50, split_frames)


def test_stacks(checker):
    for trace in sorted(STACKS.glob("*.it.tarmac.xz")):
        image = STACKS / trace.name.replace(".it.tarmac.xz", ".elf")
        if image.exists():
            check_stacks(checker, trace.name, [trace, "--image", image])
