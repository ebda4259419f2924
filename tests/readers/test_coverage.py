"""Compares `trawl coverage` with a plain model: a regular expression over the text of the trace counts executions; source lines are decoded
by readelf. All formats agree, and lcov's own programs read its format if they are installed.

    tests/run.py coverage
"""

import collections
import csv
import io
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import quick
import symbolizer
from checker import Checker
from test_index_names import rows_of

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 120
IT = re.compile(rb"^(\d+) clk (?:(\w+) )?I([TS]) \(\d+\) ([0-9a-f]+)", re.MULTILINE)
ES = re.compile(rb"^ *(\d+) tic (?:(\w+) )?ES +\(([0-9a-f]+):[0-9a-f]+\) .*?: +(CCFAIL )?", re.MULTILINE)
NAMES = ["recursion-a64", "recursion-t32", "conditional-a32", "conditional-t32", "sort-a64", "twocores-a64", "exceptions-a32"]


def instructions_of(text):
    """[(time, core, pc, whether it was executed)] of a trace of either style."""
    found = [(int(time), core.decode(), int(pc, 16), kind == b"T") for time, core, kind, pc in IT.findall(text)]
    return found or [(int(time), core.decode(), int(pc, 16), not failed) for time, core, pc, failed in ES.findall(text)]


def counted(instructions):
    """PC to [executed, skipped]."""
    counts = collections.defaultdict(lambda: [0, 0])
    for _, _, pc, is_executed in instructions:
        counts[pc][not is_executed] += 1
    return dict(counts)


def lines_of(tool, image, counts):
    """(file, line) to visits, for every line that has code."""
    rows, visits = rows_of(tool, image), {}
    pcs = sorted(counts)
    at = 0
    for (start, file, line), following in zip(rows, rows[1:] + [(1 << 64, None, None)]):
        while at < len(pcs) and pcs[at] < start:
            at += 1
        most = 0
        while at < len(pcs) and pcs[at] < following[0]:
            most = max(most, counts[pcs[at]][0])
            at += 1
        if line and following[0] > start:
            key = (file.decode(), line)
            visits[key] = max(visits.get(key, 0), most)
    return visits


class Coverage(Checker):
    def run(self, *words, status=0, stdin=None):
        done = quick.run([self.trawl, "coverage", *map(str, words)], input=stdin, timeout=TIMEOUT_S)
        self.check(f"{words}: status", done.returncode == status, (done.returncode, done.stderr))
        return done.stdout if status == 0 else done.stderr

    def rows(self, *words):
        return list(csv.DictReader(io.StringIO(self.run(*words, "--format", "csv").decode())))

    def counts(self, *words):
        return {int(row["address"], 16): [int(row["executed"]), int(row["skipped"])] for row in self.rows(*words, "--by", "instruction")}


def check_counts(coverage, trace, image, folder):
    """Executions are correct, for the whole trace and for a range of times, however the work is divided."""
    instructions = instructions_of(trace.read_bytes())
    coverage.check(f"{trace.name}: the model sees it", len(instructions) > 100)
    whole = coverage.counts(trace, "--image", image)
    coverage.check(f"{trace.name}: counts", whole == counted(instructions))
    middle = instructions[len(instructions) // 2][0]
    coverage.check(f"{trace.name}: --time", coverage.counts(trace, "--image", image, "--time", f"..{middle}")
                   == counted(one for one in instructions if one[0] <= middle))
    expected = coverage.run(trace, "--image", image)
    for words in (["--threads", "1"], ["--threads", "4", "--chunk-size", "3000"]):
        coverage.check(f"{trace.name}: {words}", coverage.run(trace, "--image", image, *words) == expected)
    coverage.check(f"{trace.name}: from a pipe", coverage.run("-", "--image", image, stdin=trace.read_bytes()) == expected)
    copy = shutil.copy(trace, folder / trace.name)
    twice = coverage.counts(trace, copy, "--image", image)
    coverage.check(f"{trace.name}: twice", twice == {pc: [2 * n for n in both] for pc, both in whole.items()})
    return counted(instructions)


def check_lines(coverage, tool, trace, image, counts):
    expected = lines_of(tool, image, counts)
    rows = coverage.rows(trace, "--image", image, "--by", "line")
    found = {(Path(row["file"]).name, int(row["line"])): int(row["visits"]) for row in rows}
    coverage.check(f"{trace.name}: lines", found == expected and len(found) == len(rows),
                   sorted(set(found.items()) ^ set(expected.items()))[:8])
    files = coverage.rows(trace, "--image", image, "--by", "file")
    sums = collections.Counter(file for file, _ in expected)
    visited = collections.Counter(file for (file, _), visits in expected.items() if visits)
    coverage.check(f"{trace.name}: files", {Path(row["file"]).name: (int(row["lines"]), int(row["lines_visited"])) for row in files}
                   == {file: (count, visited[file]) for file, count in sums.items()}, files)
    return expected


def check_functions(coverage, trace, image, counts):
    """Each function is entered as often as its first instruction is executed, and nothing is counted twice."""
    rows = coverage.rows(trace, "--image", image)
    for row in rows:
        visits = counts.get(int(row["address"], 16), [0, 0])[0]
        coverage.check(f"{trace.name}: {row['function']}", int(row["visits"]) == visits, row)
    reached = sum(1 for executed, _ in counts.values() if executed)
    coverage.check(f"{trace.name}: instructions", 0 < sum(int(row["instructions"]) for row in rows) <= reached)
    return rows


def read_lcov(text):
    """((file, line) to visits, function to visits) of a tracefile."""
    lines, functions, file = {}, {}, None
    for line in text.decode().splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            file = value
        elif key == "DA":
            number, visits = value.split(",")
            lines[file, int(number)] = int(visits)
        elif key == "FNDA":
            visits, name = value.split(",", 1)
            functions[file, name] = int(visits)
    return lines, functions


def check_formats(coverage, trace, image):
    given = [trace, "--image", image]
    rows = coverage.rows(*given, "--by", "line")
    expected = {(row["file"], int(row["line"])): int(row["visits"]) for row in rows}
    functions = {(row["file"], row["function"]): int(row["visits"]) for row in coverage.rows(*given) if row["file"]}
    text = coverage.run(*given, "--format", "lcov")
    coverage.check(f"{trace.name}: lcov", read_lcov(text) == (expected, functions))
    document = ElementTree.fromstring(coverage.run(*given, "--format", "cobertura"))
    found = {(of.get("filename"), int(line.get("number"))): int(line.get("hits")) for of in document.iter("class") for line in of.findall("lines/line")}
    coverage.check(f"{trace.name}: cobertura", found == expected)
    coverage.check(f"{trace.name}: cobertura's sums", (int(document.get("lines-valid")), int(document.get("lines-covered")))
                   == (len(expected), sum(1 for visits in expected.values() if visits)))
    members = json.loads(coverage.run(*given, "--by", "line", "--format", "json"))
    members = members if isinstance(members, list) else next(iter(members.values()))
    coverage.check(f"{trace.name}: json", {(row["file"], row["line"]): row["visits"] for row in members} == expected)


CONDITIONAL = re.compile(rb"^(\d+) clk (?:(\w+) )?I[TS] \(\d+\) ([0-9a-f]+) [0-9a-f]+ O \S+ : (\S+)", re.MULTILINE)


def read_branches(text):
    """(file, line, block, outcome) to count, and the sums that the tracefile states for files."""
    path, found, sums = None, {}, collections.Counter()
    for line in text.decode().splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            path = value
        elif key == "BRDA":
            number, block, outcome, count = map(int, value.split(","))
            found[path, number, block, outcome] = count
        elif key in ("BRF", "BRH"):
            sums[key] += int(value)
    return found, sums


def check_branches(coverage, trace, image, folder):
    """Conditional branches of an A64 trace, in lcov's tracefile, in Cobertura's XML, and of two traces together."""
    outcomes = collections.defaultdict(lambda: [0, 0])
    found = [(core, int(pc, 16), name.decode()) for _, core, pc, name in CONDITIONAL.findall(trace.read_bytes())]
    for core in {one[0] for one in found}:
        own = [one for one in found if one[0] == core]
        for (_, pc, name), (_, following, _) in zip(own, own[1:]):
            if re.fullmatch(r"B\.\w+|CBN?Z|TBN?Z", name):
                outcomes[pc][following == pc + 4] += 1
    given = [trace, "--image", image]
    told, sums = read_branches(coverage.run(*given, "--format", "lcov"))
    pairs = sorted((told[path, line, block, 0], told[path, line, block, 1]) for path, line, block, outcome in told if not outcome)
    expected = sorted(tuple(pair) for pair in outcomes.values())
    coverage.check(f"{trace.name}: branches", expected and pairs == expected, (pairs, expected))
    met = sum(count != 0 for pair in expected for count in pair)
    coverage.check(f"{trace.name}: sums of branches", (sums["BRF"], sums["BRH"]) == (2 * len(expected), met), sums)
    copy = shutil.copy(trace, folder / trace.name)
    twice, _ = read_branches(coverage.run(copy, *given, "--format", "lcov"))
    coverage.check(f"{trace.name}: branches of two traces", twice == {key: 2 * count for key, count in told.items()})
    if symbolizer.tool():
        chains = symbolizer.chains(image, outcomes)
        by_line = collections.Counter((chains[pc][0][1], chains[pc][0][2]) for pc in outcomes)
        found = collections.Counter((path, line) for path, line, _, outcome in told if not outcome)
        coverage.check(f"{trace.name}: lines of branches", {(Path(path).name, line): count for (path, line), count in found.items()}
                       == {(Path(path).name, line): count for (path, line), count in by_line.items()}, (found, by_line))
    document = ElementTree.fromstring(coverage.run(*given, "--format", "cobertura"))
    coverage.check(f"{trace.name}: cobertura's branches", (int(document.get("branches-valid")), int(document.get("branches-covered")))
                   == (2 * len(expected), met))
    parts = [line.get("condition-coverage") for line in document.iter("line") if line.get("branch") == "true"]
    coverage.check(f"{trace.name}: cobertura's conditions", sum(int(part.split("/")[1][:-1]) for part in parts) == 2 * len(expected), parts)
    piped = quick.run([coverage.trawl, "coverage", "-", "--image", image, "--format", "lcov"], input=trace.read_bytes(), timeout=TIMEOUT_S)
    coverage.check(f"{trace.name}: a pipe has none", piped.returncode == 0 and b"BRDA" not in piped.stdout and b"DA:" in piped.stdout)
    tool = shutil.which("genhtml")
    if not tool:
        coverage.skip("genhtml", "not installed")
        return
    coverage.run(*given, "--format", "lcov", "-o", folder / "branches.info")
    done = subprocess.run([tool, "--branch-coverage", "--ignore-errors", "source", "-o", folder / "html", folder / "branches.info"], cwd=ROOT,
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    coverage.check(f"{trace.name}: genhtml", f"({met} of {2 * len(expected)} branches)" in done.stdout, (done.stdout[-500:], done.stderr[-300:]))


@pytest.fixture
def coverage(trawl):
    return Coverage(trawl)


def test_lcov(coverage, place):
    """lcov's own reader computes the same sums."""
    trace, image = TRACES / "recursion-a64.it.tarmac", IMAGES / "recursion-a64.elf"
    tool = shutil.which("lcov") or pytest.skip("no lcov")
    coverage.run(trace, "--image", image, "--format", "lcov", "-o", place / "run.info")
    done = subprocess.run([tool, "--summary", place / "run.info", "--ignore-errors", "source"], capture_output=True, timeout=TIMEOUT_S, check=False)
    rows = coverage.rows(trace, "--image", image, "--by", "line")
    said = f"({sum(1 for row in rows if row['visits'] != '0')} of {len(rows)} lines)"
    coverage.check("lcov --summary", said in (done.stdout + done.stderr).decode(), (said, done.stdout, done.stderr))


def test_lanes(coverage):
    trace, image = TRACES / "twocores-a64.it.tarmac", IMAGES / "twocores-a64.elf"
    instructions = instructions_of(trace.read_bytes())
    cores = sorted({core for _, core, _, _ in instructions})
    coverage.check("two cores", len(cores) == 2, cores)
    for core in cores:
        own = [one for one in instructions if one[1] == core]
        coverage.check(f"--lane {core}", coverage.counts(trace, "--image", image, "--lane", core) == counted(own))
        # Event 0 is the state of the registers at the start.
        coverage.check(f"--lane {core} --lane-events", coverage.counts(trace, "--image", image, "--lane", core, "--lane-events", "1..50")
                       == counted(own[:50]))


def test_refusals(coverage, place):
    trace, image = TRACES / "recursion-a64.it.tarmac", IMAGES / "recursion-a64.elf"
    coverage.check("no image", b"--image" in coverage.run(trace, status=1))
    coverage.check("no trace", b"TRACE" in coverage.run(status=2))
    coverage.check("--by", b"instruction" in coverage.run(trace, "--by", "branch", status=2))
    coverage.check("no file", b"missing" in coverage.run(place / "missing", "--image", image, status=1))
    coverage.check("one of two is missing", b"missing" in coverage.run(trace, place / "missing", "--image", image, status=1))
    log = ROOT / "corpus" / "xray" / "recursion.fdr.xray"
    coverage.check("an XRay log", b"instructions" in coverage.run(log, "--image", image, status=1))
    bare = place / "bare.elf"
    if shutil.which("strip"):
        done = subprocess.run(["objcopy", "--strip-debug", image, bare], capture_output=True, check=False)
        if done.returncode == 0:
            coverage.check("no source lines", b"no source lines" in coverage.run(trace, "--image", bare, "--by", "line", status=1))
            coverage.check("functions without lines", len(coverage.rows(trace, "--image", bare)) > 5)


def test_moved_images(coverage, place):
    """Loaders put a position-independent program elsewhere in each run: what runs in several traces is counted together."""
    trace, image = TRACES / "sort-a64.it.tarmac", place / "pie.elf"
    image.write_bytes((data := (IMAGES / "sort-a64.elf").read_bytes())[:16] + b"\3" + data[17:])  # ET_DYN
    moved = place / "moved.tarmac"
    moved.write_text(re.sub(r"\b0008([0-9a-f]{4}) ([0-9a-f]{8}) O", r"0108\1 \2 O", trace.read_text()))
    alone, there = coverage.counts(trace, "--image", image), coverage.counts(moved, "--image", image)
    coverage.check("the other run is elsewhere", there == {pc + 0x1000000: both for pc, both in alone.items()})
    for traces, base in (([trace, moved], 0x1000000), ([moved, trace], 0)):
        both = coverage.counts(*traces, "--image", image)
        coverage.check("both runs", both == {pc + base: [2 * n for n in counts] for pc, counts in alone.items()})
        branches = [line for line in coverage.run(*traces, "--image", image, "--format", "lcov").decode().split("\n") if line.startswith("BRDA")]
        one = [line for line in coverage.run(trace, "--image", image, "--format", "lcov").decode().split("\n") if line.startswith("BRDA")]
        doubled = [",".join([*line.split(",")[:-1], str(2 * int(line.split(",")[-1]))]) if line[-1] != "-" else line for line in one]
        coverage.check("branches of both runs", branches == doubled and len(one) > 5, (branches[:3], doubled[:3]))


@pytest.mark.parametrize("name", NAMES)
def test_traces(coverage, place, name):
    image, tool = IMAGES / f"{name}.elf", shutil.which("readelf")
    for trace in sorted(TRACES.glob(f"{name}.[ei][st].tarmac")):
        counts = check_counts(coverage, trace, image, place)
        if tool:
            check_lines(coverage, tool, trace, image, counts)
        check_functions(coverage, trace, image, counts)
        check_formats(coverage, trace, image)
    if not tool:
        coverage.skip("source lines", "no readelf")


@pytest.mark.parametrize("name", ["recursion-a64", "sort-a64", "twocores-a64"])
def test_branches(coverage, place, name):
    check_branches(coverage, TRACES / f"{name}.it.tarmac", IMAGES / f"{name}.elf", place)
