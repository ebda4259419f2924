"""Compares `trawl profile --by line` and `--by inline` with a plain model: a regular expression over the text of the trace finds
instructions and their times; source lines and inlined functions come from llvm-symbolizer.

    tests/run.py line_profile
"""

import collections
import csv
import io
from pathlib import Path

import pytest
import quick
import symbolizer
import test_coverage
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 120
NAMES = ["recursion-a64", "recursion-t32", "conditional-a32", "conditional-t32", "sort-a64", "sort-a32", "twocores-a64", "exceptions-a32"]


def ticks_of(instructions):
    """PC to [ticks, executed], from [(time, core, pc, whether it was executed)]."""
    figures = collections.defaultdict(lambda: [0, 0])
    for core in {core for _, core, _, _ in instructions}:
        own = [one for one in instructions if one[1] == core]
        for this, following in zip(own, own[1:] + own[-1:]):
            figures[this[2]][0] += following[0] - this[0]
            figures[this[2]][1] += this[3]
    return figures


def by_line(figures, chains):
    """(file, line) to (ticks, visits, executed)."""
    lines = collections.defaultdict(lambda: (0, 0, 0))
    for pc, (ticks, executed) in figures.items():
        _, path, line = chains[pc][0]
        key = (Path(path).name, str(line)) if line else ("", "")
        before = lines[key]
        lines[key] = (before[0] + ticks, max(before[1], executed), before[2] + executed)
    return dict(lines)


def by_function(figures, chains):
    """Function to [its own ticks, those of them in inlined copies, ticks with everything inlined into it, executed]."""
    functions = collections.defaultdict(lambda: [0, 0, 0, 0])
    for pc, (ticks, executed) in figures.items():
        names = [name for name, _, _ in chains[pc]]
        own = functions[names[0]]
        own[0] += ticks
        own[1] += ticks if len(names) > 1 else 0
        own[3] += executed
        for name in set(names):
            functions[name][2] += ticks
    return {name: tuple(found) for name, found in functions.items()}


pytestmark = pytest.mark.skipif(not symbolizer.tool(), reason="no llvm-symbolizer")


class Places(Checker):
    def run(self, *words, status=0, stdin=None):
        done = quick.run([self.trawl, "profile", *map(str, words)], input=stdin, timeout=TIMEOUT_S)
        self.check(f"{words}: status", done.returncode == status, (done.returncode, done.stderr))
        return done.stdout if status == 0 else done.stderr

    def rows(self, *words):
        return list(csv.DictReader(io.StringIO(self.run(*words, "--format", "csv").decode())))

    def lines(self, *words):
        rows = self.rows(*words, "--by", "line")
        found = {(Path(row["file"]).name, row["line"]): (int(row["self"]), int(row["visits"]), int(row["executed"])) for row in rows}
        self.check(f"{words}: each line once", len(found) == len({(row["file"], row["line"]) for row in rows}))
        return found

    def functions(self, *words):
        return {row["function"]: tuple(int(row[key]) for key in ("self", "self_inlined", "with_inlined", "executed"))
                for row in self.rows(*words, "--by", "inline")}


def check_trace(places, trace, image):
    instructions = test_coverage.instructions_of(trace.read_bytes())
    figures = ticks_of(instructions)
    chains = symbolizer.chains(image, figures)
    given = [trace, "--image", image]
    expected = by_line(figures, chains)
    places.check(f"{trace.name}: by line", places.lines(*given) == expected,
                 sorted(set(places.lines(*given).items()) ^ set(expected.items()))[:6])
    found, wanted = places.functions(*given), by_function(figures, chains)
    places.check(f"{trace.name}: by function", found == wanted, sorted(set(found.items()) ^ set(wanted.items()))[:6])
    self_ticks = sum(int(row["self"]) for row in places.rows(*given))
    places.check(f"{trace.name}: the profile's sum", sum(row[0] for row in found.values()) == self_ticks)
    middle = instructions[len(instructions) // 2][0]
    early = ticks_of([one for one in instructions if one[0] <= middle])
    places.check(f"{trace.name}: --time", places.functions(*given, "--time", f"..{middle}") == by_function(early, chains))
    part = [*given, "--by", "line", "--lane-events", f"{len(instructions) // 4}..{len(instructions) // 2}"]
    places.check(f"{trace.name}: --lane-events in pieces", places.run(*part) == places.run(*part, "--threads", "3", "--chunk-size", "2000"))
    for what in ("line", "inline"):
        whole = places.run(*given, "--by", what)
        for words in (["--threads", "1"], ["--threads", "4", "--chunk-size", "3000"]):
            places.check(f"{trace.name}: {what} {words}", places.run(*given, "--by", what, *words) == whole)
        places.check(f"{trace.name}: {what} from a pipe", places.run("-", *given[1:], "--by", what, stdin=trace.read_bytes()) == whole)
    return sum(len(chain) > 1 for chain in chains.values())


@pytest.fixture
def places(trawl):
    return Places(trawl)


def test_options(places):
    trace, image = TRACES / "recursion-a64.it.tarmac", IMAGES / "recursion-a64.elf"
    given = [trace, "--image", image, "--by", "line"]
    of_one = places.rows(*given, "--function", "hanoi")
    places.check("--function", sum(int(row["self"]) for row in of_one) == places.functions(*given[:3])["hanoi"][2])
    rows = places.rows(*given, "--sort", "name")
    places.check("--sort name", [(row["file"], int(row["line"] or 0)) for row in rows] == sorted((row["file"], int(row["line"] or 0)) for row in rows))
    rows = places.rows(*given, "--sort", "count")
    places.check("--sort count", [int(row["executed"]) for row in rows] == sorted((int(row["executed"]) for row in rows), reverse=True))
    places.check("--top", len(places.rows(*given, "--top", "3")) == 3)
    for words, said in ((["--depth", "2"], b"count instructions: --depth"), (["--sort", "total"], b"functions"), (["--task", "x"], b"tasks")):
        places.check(f"{words}", said in places.run(*given, *words, status=2))
    places.check("--by", b"inline" in places.run(trace, "--by", "branch", status=2))
    places.check("an XRay log", b"instructions" in places.run(ROOT / "corpus" / "xray" / "recursion.fdr.xray", "--by", "line", status=1))
    places.check("without an image", {row["file"] for row in places.rows(trace, "--by", "line")} == {""})


@pytest.mark.parametrize("name", NAMES)
def test_traces(places, name):
    inlined = sum(check_trace(places, trace, IMAGES / f"{name}.elf") for trace in sorted(TRACES.glob(f"{name}.[ei][st].tarmac")))
    places.check("something was inlined", inlined > 5, inlined)
