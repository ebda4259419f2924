#!/usr/bin/env python3
"""Source lines in stack, state, calltree and callinfo against llvm-symbolizer's, from images and from an index that kept them.

    tests/run.py report_lines
"""

import collections
import csv
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import coverage_check
import symbolizer
from checker import Checker, skip

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 120
NAMES = ["recursion-a64", "recursion-t32", "sort-a64", "twocores-a64", "exceptions-a32"]


class Lines(Checker):
    def run(self, *words, status=0):
        done = subprocess.run([self.trawl, *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
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


def check_index(checker, folder):
    trace = folder / "t.tarmac"
    trace.write_bytes((TRACES / "sort-a64.it.tarmac").read_bytes())
    image = ["--image", IMAGES / "sort-a64.elf"]
    checker.run("index", trace, *image)
    for words in (["stack", "--at", "event:800", "--lines", "--unwind", "calls"], ["state", "--at", "event:800", "--lines"], ["callinfo", "sort.c:40"]):
        checker.check(f"{words}: from the index", checker.run(words[0], trace, *words[1:]) == checker.run(words[0], trace, *words[1:], *image))


def check_refusals(checker):
    given = [TRACES / "sort-a64.it.tarmac", "--image", IMAGES / "sort-a64.elf"]
    checker.check("no such line", "no code of that line" in checker.run("callinfo", *given, "sort.c:99999", status=1))
    checker.check("no such file", "no code of that line" in checker.run("callinfo", *given, "ort.c:40", status=1))
    whole = checker.run("callinfo", *given, "sort.c:40")
    checker.check("a path", checker.run("callinfo", *given, "corpus/programs/sort.c:40").count(" - time:") == whole.count(" - time:") > 0)
    checker.check("an XRay log", "means nothing" in checker.run("calltree", "--lines", ROOT / "corpus" / "xray" / "recursion.fdr.xray", status=2))


def main():
    checker = Lines(Path(sys.argv[1]).resolve() / "trawl")
    if not symbolizer.tool():
        return skip("report_lines", "no llvm-symbolizer")
    for name in NAMES:
        trace, image = TRACES / f"{name}.it.tarmac", IMAGES / f"{name}.elf"
        given = [trace, "--image", image]
        instructions = coverage_check.instructions_of(trace.read_bytes())
        check_calltree(checker, name, given, image)
        if "twocores" not in name:
            check_points(checker, name, [*given, "--memory-index"], image, instructions)
        check_callinfo(checker, name, given, image, instructions)
    check_refusals(checker)
    with tempfile.TemporaryDirectory() as folder:
        check_index(checker, Path(folder))
    return checker.end()


if __name__ == "__main__":
    sys.exit(main())
