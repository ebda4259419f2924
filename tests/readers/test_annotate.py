"""Compares `trawl annotate` with a plain model: a regular expression over the text of the trace finds instructions, their times and what
followed them; source lines and inlined functions come from llvm-symbolizer.

    tests/run.py annotate
"""

import collections
import csv
import html.parser
import io
import json
import re
from pathlib import Path

import pytest
import quick
import symbolizer
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES, SOURCES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf", ROOT / "corpus" / "programs"
TIMEOUT_S = 120
IT = re.compile(rb"^(\d+) clk (?:(\w+) )?I([TS]) \(\d+\) ([0-9a-f]+) ([0-9a-f]+) \S+ \S+ : (.*?)\r?$", re.MULTILINE)
ES = re.compile(rb"^ *(\d+) tic (?:(\w+) )?ES +\(([0-9a-f]+):([0-9a-f]+)\) \S+ \S+: +(CCFAIL )?(.*?)\r?$", re.MULTILINE)
# No traces with exceptions: after an exception, the next instruction does not show whether a branch was taken.
NAMES = ["recursion-a64", "recursion-t32", "recursion-a32", "conditional-a32", "conditional-t32", "sort-a64", "sort-t32", "twocores-a64"]


class Seen:
    """What the model counts for a PC."""

    def __init__(self, size_bytes, text):
        self.size_bytes, self.text = size_bytes, text
        self.ticks = self.executed = self.skipped = self.taken = self.passed = 0


def instructions_of(text):
    """[(time, core, pc, bytes, whether it was executed, disassembly)]."""
    found = [(int(time), core, int(pc, 16), len(code) // 2, kind == b"T", said)
             for time, core, kind, pc, code, said in IT.findall(text)]
    return found or [(int(time), core, int(pc, 16), len(code) // 2, not failed, said) for time, core, pc, code, failed, said in ES.findall(text)]


def model_of(instructions):
    seen = {}
    for core in {one[1] for one in instructions}:
        own = [one for one in instructions if one[1] == core]
        for this, following in zip(own, own[1:] + [None]):
            time, _, pc, size_bytes, is_executed, text = this
            known = seen.setdefault(pc, Seen(size_bytes, text.decode()))
            known.executed += is_executed
            known.skipped += not is_executed
            known.passed += not is_executed
            if following:
                known.ticks += following[0] - time
                if is_executed:
                    known.passed += following[2] == pc + size_bytes
                    known.taken += following[2] != pc + size_bytes
    return seen


class Balanced(html.parser.HTMLParser):
    """Finds elements that are not closed, and attributes that would load or run something."""

    VOID = {"meta"}

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.faults += [name for name, _ in attrs if name in ("src", "href") or name.startswith("on")]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        self.text.append(data)


pytestmark = pytest.mark.skipif(not symbolizer.tool(), reason="no llvm-symbolizer")


class Annotate(Checker):
    def run(self, *words, status=0, stdin=None):
        done = quick.run([self.trawl, "annotate", *map(str, words)], input=stdin, timeout=TIMEOUT_S)
        self.check(f"{words}: status", done.returncode == status, (done.returncode, done.stderr))
        return done.stdout if status == 0 else done.stderr

    def functions(self, *words):
        return json.loads(self.run(*words, "--format", "json"))["functions"]


def functions_of(trawl, trace, image):
    done = quick.run([trawl, "coverage", "--image", image, trace, "--format", "csv"], check=True, timeout=TIMEOUT_S)
    return sorted({row["function"] for row in csv.DictReader(io.StringIO(done.stdout.decode())) if int(row["instructions"])})


def check_instruction(annotate, where, shown, seen, chain):
    pc = int(shown["address"], 16)
    at = f"{pc:#x}"
    annotate.check(f"{where}: figures", (shown["ticks"], shown["executed"], shown["skipped"]) == (seen.ticks, seen.executed, seen.skipped), shown, at)
    annotate.check(f"{where}: text", shown["text"] == seen.text.replace("\t", " "), (shown["text"], seen.text), at)
    if shown["is_branch"]:
        annotate.check(f"{where}: branches", (shown["taken"], shown["not_taken"]) == (seen.taken, seen.passed), (shown, seen.taken, seen.passed), at)
    else:
        annotate.check(f"{where}: no branch", (shown["taken"], shown["not_taken"], seen.taken) == (0, 0, 0), (shown, seen.taken), at)
    name, path, line = chain[0]
    annotate.check(f"{where}: line", (shown["file"], shown["line"]) == ((path, line) if line else (None, None)) or
                   (Path(shown["file"] or "").name, shown["line"]) == (Path(path).name, line), (shown, chain), at)
    told = [(one["function"], one["call_file"], one["call_line"]) for one in shown["inlined"]]
    wanted = [(this[0], Path(around[1]).name, around[2]) for this, around in zip(chain, chain[1:])]
    wanted += [(chain[-1][0], None, 0)] if wanted else []
    annotate.check(f"{where}: inlined", told == wanted, (told, wanted), at)


def check_lines(annotate, where, function):
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for shown in function["instructions"]:
        if shown["file"]:
            line = sums[shown["file"], shown["line"]]
            line[0] += shown["ticks"]
            line[1] = max(line[1], shown["executed"])
            line[2] += shown["executed"]
    told = {(line["file"], line["line"]): [line["ticks"], line["visits"], line["executed"]] for line in function["lines"]}
    annotate.check(f"{where}: lines", {key: told.get(key) for key in sums} == sums)
    annotate.check(f"{where}: other lines", all(figures == [0, 0, 0] for key, figures in told.items() if key not in sums))
    for line in function["lines"]:
        source = SOURCES / Path(line["file"]).name
        text = source.read_text(encoding="utf-8", errors="replace").splitlines()[line["line"] - 1] if source.exists() else None
        annotate.check(f"{where}: text of the source", line["text"] == text, (line, text))


def check_trace(annotate, trace, image):
    seen = model_of(instructions_of(trace.read_bytes()))
    chains = symbolizer.chains(image, seen)
    shown = set()
    for name in functions_of(annotate.trawl, trace, image):
        for function in annotate.functions(trace, "--image", image, "--function", name, "--source", SOURCES):
            where = f"{trace.name} {name}"
            annotate.check(f"{where}: name", function["function"] == name)
            annotate.check(f"{where}: ticks", function["ticks"] == sum(one["ticks"] for one in function["instructions"]))
            check_lines(annotate, where, function)
            for one in function["instructions"]:
                pc = int(one["address"], 16)
                shown.add(pc)
                check_instruction(annotate, where, one, seen[pc], chains[pc])
    annotate.check(f"{trace.name}: all of it", len(shown) > len(seen) * 0.9, (len(shown), len(seen)))
    return sum(known.taken > 0 and known.passed > 0 for known in seen.values())


@pytest.fixture
def annotate(trawl):
    return Annotate(trawl)


def test_formats(annotate, place):
    trace, image = TRACES / "conditional-t32.it.tarmac", IMAGES / "conditional-t32.elf"
    given = [trace, "--image", image, "--function", "main", "--source", SOURCES]
    function = annotate.functions(*given)[0]
    text = annotate.run(*given).decode()
    annotate.check("text: an instruction a line", all(f"{one['address']}  {one['text']}" in text for one in function["instructions"]))
    annotate.check("text: the source", all(line["text"].expandtabs(4).strip() in text for line in function["lines"]))
    page = Balanced()
    page.feed(annotate.run(*given, "--format", "html").decode())
    annotate.check("html: sound, and loads nothing", not page.faults and not page.open, (page.faults, page.open))
    told = "".join(page.text)
    annotate.check("html: instructions", all(f"{one['address']}  {one['text']}" in told for one in function["instructions"]))
    annotate.check("html: the source", all(line["text"].strip() in told for line in function["lines"]))
    for form in ("text", "html", "json"):
        whole = annotate.run(*given, "--format", form)
        for words in (["--threads", "1"], ["--threads", "4", "--chunk-size", "3000"]):
            annotate.check(f"{form} {words}", annotate.run(*given, "--format", form, *words) == whole)
    hostile = place / "hostile.tarmac"
    hostile.write_bytes(trace.read_bytes().replace(b" : ", b" : <script>\x1b[31m\xff"))
    page = Balanced()
    said = annotate.run(hostile, *given[1:], "--format", "html")
    annotate.check("html: what the trace says is text", b"<script" not in said and b"\x1b" not in said)
    annotate.check("text: what the trace says is inert", b"\x1b" not in annotate.run(hostile, *given[1:]))
    moved = place / "moved.elf"
    moved.write_bytes(image.read_bytes().replace(b"corpus/programs", b"corpus/elsewher"))
    without = annotate.functions(trace, "--image", moved, "--function", "main", "--source", place)[0]
    annotate.check("no source", {line["text"] for line in without["lines"]} == {None}
                   and [one["address"] for one in without["instructions"]] == [one["address"] for one in function["instructions"]])


def test_refusals(annotate):
    trace, image = TRACES / "recursion-a64.it.tarmac", IMAGES / "recursion-a64.elf"
    annotate.check("no function", b"--function" in annotate.run(trace, "--image", image, status=2))
    annotate.check("another function", b"fibonaci" in annotate.run(trace, "--image", image, "--function", "fibonaci", status=1))
    annotate.check("no image", b"--image" in annotate.run(trace, "--function", "main", status=1))
    annotate.check("a pipe", b"file" in annotate.run("-", "--image", image, "--function", "main", status=1, stdin=trace.read_bytes()))
    log = ROOT / "corpus" / "xray" / "recursion.fdr.xray"
    annotate.check("an XRay log", b"instructions" in annotate.run(log, "--function", "main", status=1))


@pytest.mark.parametrize("name", NAMES)
def test_traces(annotate, name):
    both_ways = sum(check_trace(annotate, trace, IMAGES / f"{name}.elf") for trace in sorted(TRACES.glob(f"{name}.[ei][st].tarmac")))
    annotate.check("branches that went both ways", both_ways > 3, both_ways)
