"""Compares source lines and inlined functions in stack, state, calltree and callinfo with those of llvm-symbolizer, from images and from an
index that stores them.

    tests/run.py report_lines
"""

import collections
import csv
import io
import json
from pathlib import Path

import pytest
import quick
import symbolizer
import test_coverage
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 120
NAMES = ["recursion-a64", "recursion-t32", "sort-a64", "twocores-a64", "exceptions-a32", "pointers-a32", "fp-t32"]


pytestmark = pytest.mark.skipif(not symbolizer.tool(), reason="no llvm-symbolizer")


class Lines(Checker):
    def run(self, *words, status=0):
        done = quick.run([self.trawl, *map(str, words)], text=True, timeout=TIMEOUT_S)
        self.check(f"{words}: status", done.returncode == status, (done.returncode, done.stderr[-300:]))
        return done.stdout if status == 0 else done.stderr

    def rows(self, *words):
        return list(csv.DictReader(io.StringIO(self.run(*words, "--format", "csv"))))


def place_of(chain):
    _, path, line = chain[0]
    return f"{Path(path).name}:{line}" if line else ""


def places_of(image, addresses):
    return {address: place_of(chain) for address, chain in symbolizer.chains(image, addresses).items()}


def check_calltree(checker, name, given, image):
    rows = checker.rows("calltree", *given, "--lines")
    asked = {int(row[key], 16) & ~1 for row in rows for key in ("site_pc", "entry_pc") if row[key]}
    places = places_of(image, asked)
    wrong = [row for row in rows for key, place in (("site_pc", "site_place"), ("entry_pc", "entry_place"))
             if row[place] != (places[int(row[key], 16) & ~1] if row[key] else "")]
    checker.check(f"{name}: calltree", rows and not wrong, wrong[:2])
    checker.check(f"{name}: something is known", any(row["site_place"] for row in rows))
    shown = checker.run("calltree", *given, "--lines")
    checker.check(f"{name}: calltree as text", all(f" {row['entry_place']} - " in shown for row in rows if row["entry_place"]))
    return rows


def check_points(checker, name, given, image, instructions):
    for number in range(0, len(instructions), max(1, len(instructions) // 6)):
        at = ["--at", f"event:{number}"]
        rows = checker.rows("stack", *given, *at, "--lines")
        places = places_of(image, {int(row["pc"], 16) for row in rows if row["pc"]})
        wrong = [row for row in rows if row["place"] != (places[int(row["pc"], 16)] if row["pc"] else "")]
        checker.check(f"{name}: stack {at}", not wrong, wrong)
        told = json.loads(checker.run("state", *given, *at, "--lines", "--format", "json"))["position"]
        place = places_of(image, {int(told["pc"], 16)})[int(told["pc"], 16)] if told["pc"] else ""
        checker.check(f"{name}: state {at}", (told["place"] or "") == place, (told, place))
        text = checker.run("state", *given, *at, "--lines")
        checker.check(f"{name}: state {at}, text", not place or f" {place} " in text.splitlines()[1], text[:200])


def check_callinfo(checker, name, given, image, instructions):
    visits = collections.Counter(pc for _, _, pc, _ in instructions)
    near = {pc - step for pc in visits for step in (0, 2, 4)}
    places = places_of(image, near)
    by_line = collections.defaultdict(set)
    for pc in visits:
        by_line[places[pc]].add(pc)
    for line in sorted(by_line)[:: max(1, len(by_line) // 12)]:
        if not line:
            continue
        found = collections.Counter(int(row["address"], 16) for row in checker.rows("callinfo", *given, line))
        begins = {pc for pc in by_line[line] if line not in (places[pc - 2], places[pc - 4])}
        checker.check(f"{name}: {line}: every piece of it", begins <= set(found), (begins, found))
        checker.check(f"{name}: {line}: visits", all(count == visits[pc] and places[pc] == line for pc, count in found.items()), found)


def numbered(trace):
    """[(line, core, pc)] of the instructions of a trace."""
    return [(number, match[2].decode() if match[2] else "", int(match[4], 16))
            for number, line in enumerate(trace.read_bytes().splitlines(), 1) if (match := test_coverage.IT.match(line))]


def stretches(own, ends, names):
    """The stretches of a call in inlined functions: {(first line, last line, name, depth)}. `own` are its instructions (line, pc);
    `ends` are the (first, last) lines of the calls that it makes; `names` are the inlined functions at each PC, outermost first, each
    with those around it."""
    found, open_frames, last = set(), [], None
    events = sorted([(line, line, pc) for line, pc in own] + [(first, after, None) for first, after in ends], key=lambda event: event[0])
    for line, end, pc in events:
        if pc is not None:
            there = names[pc]
            while open_frames and open_frames[-1][1] not in there:
                start, name = open_frames.pop()
                found.add((start, last, name[-1][0], len(name)))
            open_frames += [(line, name) for name in there[len(open_frames):]]
        last = end
    while open_frames:
        start, name = open_frames.pop()
        found.add((start, last, name[-1][0], len(name)))
    return found


def levels(chain):
    """Each inlined function of a chain, with those around it: names, and the lines at which they are inlined."""
    inward = [(chain[i][0], chain[i + 1][2]) for i in range(len(chain) - 1)][::-1]
    return [tuple(inward[:i + 1]) for i in range(len(inward))]


def modelled(rows, instructions, names):
    """All inlined stretches, computed from a call tree without them and the instructions of its lane."""
    calls = [{"first": int(row["entry_line"]), "last": int(row["exit_line"]), "own": [], "ends": [], "depth": int(row["depth"])} for row in rows]
    path, begun = [], iter(calls)
    following = next(begun, None)
    for line, _, pc in instructions:
        while following and following["first"] <= line:
            del path[following["depth"]:]
            if path:
                path[-1]["ends"].append((following["first"], following["last"]))
            path.append(following)
            following = next(begun, None)
        while len(path) > 1 and path[-1]["last"] < line:
            path.pop()
        if path:
            path[-1]["own"].append((line, pc))
    return collections.Counter(one for call in calls for one in stretches(call["own"], call["ends"], names))


def check_inlines(checker, name, given, trace, image):
    plain, rows = checker.rows("calltree", *given), checker.rows("calltree", *given, "--inlines")
    instructions = numbered(trace)
    names = {pc: levels(chain) for pc, chain in symbolizer.chains(image, {pc for _, _, pc in instructions}).items()}
    for core in sorted({row["lane"] for row in plain}):
        own = [one for one in instructions if one[1] == core or len({row["lane"] for row in plain}) == 1]
        wanted = modelled([row for row in plain if row["lane"] == core], own, names)
        found, path = collections.Counter(), []
        for row in (row for row in rows if row["lane"] == core):
            del path[int(row["depth"]):]
            depth = path[-1] + 1 if row["kind"] == "inlined" and path else 0
            path.append(depth)
            if depth:
                found[int(row["entry_line"]), int(row["exit_line"]), row["function"], depth] += 1
        checker.check(f"{name} {core}: inlined functions in the call tree", found == wanted, (sorted(found - wanted)[:3], sorted(wanted - found)[:3]))
        checker.check(f"{name} {core}: some are", bool(wanted) or "sort" not in name)

    def calls(of):
        return [[row[key] for key in row if key not in ("depth",)] for row in of if row["kind"] != "inlined"]
    checker.check(f"{name}: the calls themselves", calls(rows) == calls(plain))
    cut = ["--chunk-size", "1K"]
    checker.check(f"{name}: in chunks", checker.rows("calltree", *given, "--inlines", *cut, "--threads", "3") == rows)
    checker.check(f"{name}: as text", checker.run("calltree", *given, "--inlines").count(" (inlined)\n") == 2 * sum(row["kind"] == "inlined" for row in rows))


@pytest.fixture
def checker(trawl):
    return Lines(trawl)


def test_index(checker, place):
    trace = place / "t.tarmac"
    trace.write_bytes((TRACES / "sort-a64.it.tarmac").read_bytes())
    image = ["--image", IMAGES / "sort-a64.elf"]
    checker.run("index", trace, *image)
    for words in (["stack", "--at", "event:800", "--lines", "--unwind", "calls"], ["state", "--at", "event:800", "--lines"], ["callinfo", "sort.c:40"]):
        checker.check(f"{words}: from the index", checker.run(words[0], trace, *words[1:]) == checker.run(words[0], trace, *words[1:], *image))


def test_refusals(checker):
    given = [TRACES / "sort-a64.it.tarmac", "--image", IMAGES / "sort-a64.elf"]
    checker.check("no such line", "no code of that line" in checker.run("callinfo", *given, "sort.c:99999", status=1))
    checker.check("no such file", "no code of that line" in checker.run("callinfo", *given, "ort.c:40", status=1))
    whole = checker.run("callinfo", *given, "sort.c:40")
    checker.check("a path", checker.run("callinfo", *given, "corpus/programs/sort.c:40").count(" - time:") == whole.count(" - time:") > 0)
    checker.check("an index", "cannot be combined with --inlines" in checker.run("calltree", "--inlines", "--index", "x", *given, status=2))
    checker.check("hidden functions", "cannot be combined with --inlines" in checker.run("calltree", "--inlines", "--hide", "main", *given, status=2))
    checker.check("an XRay log", "does not apply" in checker.run("calltree", "--lines", ROOT / "corpus" / "xray" / "recursion.fdr.xray", status=2))


@pytest.mark.parametrize("name", NAMES)
def test_traces(checker, name):
    trace, image = TRACES / f"{name}.it.tarmac", IMAGES / f"{name}.elf"
    given = [trace, "--image", image]
    instructions = test_coverage.instructions_of(trace.read_bytes())
    check_calltree(checker, name, given, image)
    check_inlines(checker, name, given, trace, image)
    if "twocores" not in name:
        check_points(checker, name, [*given, "--memory-index"], image, instructions)
    check_callinfo(checker, name, given, image, instructions)
