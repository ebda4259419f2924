"""Arguments and results of calls by their types, compared with those that the source passes.

    tests/run.py call_values

corpus/programs/arguments.c has a function for each way in which AAPCS64 and AAPCS32 (hard and soft floating point) pass arguments and return
results: in registers, on the stack, in both, by reference, in vector registers, and structures of one kind of number. It is compiled without
optimization, so DWARF says only where the prologues will store them. `trawl calls --values` must have what main passes, and `--where` finds
calls by it. Programs with optimization have their arguments where location lists say.
"""

import csv
import io
import pathlib
import random
import re

import pytest
import quick
from extent import pick

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["arguments-a64", "arguments-a32", "arguments-soft-t32"]
# As GDB prints values of C.
TRUTH = {
    "add": ("a=3, b=-5", "-2"),
    "wide": ("a=7, b=1311768467463790320, c=200 '\\310'", "1311768467463790113"),
    "many": ("a=1, b=-2, c=3, d=-4, e=5, f=25769803782, g=-7, h=-8, i=9 '\\t', j=-10", "25769803769"),
    "half": ("value=2.5", "1.25"),
    "blend": ("a=1.5, b=0.25, n=-3, c=2.5, d=1000", "1003.25"),
    "make_small": ("from={a = -300, b = 254 '\\376'}, step=7", "{a = -293, b = 255 '\\377'}"),
    "make_pair": ("before=9 '\\t', from={low = 4294967280, high = -73588229205}", "{low = 4294967289, high = 73588229205}"),
    "make_large": ("from={words = {1, 2, 3, 4}}, add_to=40", "{words = {1, 42, 3, 4}}"),
    "middle": ("box={from = {x = 0, y = 1}, to = {x = 3, y = -4}}", "{x = 1.5, y = -1.5}"),
    "weigh": ("from={weight = 0.5, count = 41}, by=3", "{weight = 1.5, count = 42}"),
    "next_color": ("from=GREEN, wraps=true", "BLUE"),
    "follow": ('from=<first>, why="tag"', "<last>"),
    "is_even": ("value=201 '\\311'", "false"),
    "nothing": ("", ""),
    "crowd": ("a=1, b=2, c=3, d=4, e=5.5, f=6, g=7, h=8, i=9, j=10.5", "56"),
}
# Conditions at the entry: where, and whether they hold.
WHERE = [
    ("add", "b == -5", True), ("add", "b == 5", False), ("many", "j == -10 && f == 0x600000006", True), ("many", "i > 9", False),
    ("wide", "c == 200 && a == 7", True), ("make_small", "step == 7", True), ("follow", "from == &first && why[0] == 0x74", True),
    ("follow", "from->next == &last", True), ("next_color", "from == GREEN", True), ("next_color", "from == BLUE", False),
]


def calls(trawl, name, *words, trace=None):
    image = ROOT / "corpus" / "typed" / (name + ".elf")
    trace = trace or ROOT / "corpus" / "typed" / (name + ".it.tarmac")
    result = quick.run([trawl, "calls", "--memory-index", "--format=csv", "--image=%s" % image, trace, *words])
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout.decode())))


@pytest.mark.parametrize("name", PROGRAMS)
def test_rules(trawl, checker, name):
    rows = {row["function"]: row for row in calls(trawl, name, "--values") if row["caller"] == "main"}
    for function, wanted in TRUTH.items():
        found = tuple(re.sub(r"0x[0-9a-f]+ ", "", rows[function][key]) for key in ("arguments", "result"))
        checker.expect("arguments and results", found, wanted, at=(name, function))
    for function, condition, holds in WHERE:
        found = calls(trawl, name, function, "--where", condition)
        checker.expect("calls by their arguments", len(found), int(holds), at=(name, function, condition))
        condition = re.sub(r"(?<![>.&])\b([a-z]\w*)\b(?=( ==| >|->|\[))", r"%s::\1" % function, condition)
        found = calls(trawl, name, "--where", condition)
        checker.expect("the same with FUNCTION::NAME", len(found), int(holds), at=(name, condition))
    # The tag is in a writable section, and the trace does not show all of it: a call may be missing, and that is said.
    image = ROOT / "corpus" / "typed" / (name + ".elf")
    result = quick.run([trawl, "calls", "--memory-index", "--image=%s" % image, ROOT / "corpus" / "typed" / (name + ".it.tarmac"), "follow",
                        "--where", "from->tag[1] == 0x6e"])
    checker.check("unknown conditions are said", b"unknown at the entry of 1 call" in result.stderr, result.stderr)
    assert not checker.failed


def test_damaged(trawl, place, checker):
    """Types of which any byte may be wrong: an answer or one line, with the time of one question."""
    image = (ROOT / "corpus" / "typed" / "arguments-a64.elf").read_bytes()
    trace, draw = ROOT / "corpus" / "typed" / "arguments-a64.it.tarmac", random.Random(3)
    start = image.index(b"arguments.c") - 4000
    for turn in range(pick(30, 300)):
        spoiled = bytearray(image)
        for _ in range(draw.choice([1, 10, 100])):
            spoiled[draw.randrange(max(start, 4096), len(image) - 2000)] = draw.randrange(256)
        (place / "spoiled.elf").write_bytes(spoiled)
        result = quick.run([trawl, "calls", "--memory-index", "--image=%s" % (place / "spoiled.elf"), trace, "--values"])
        checker.check("damaged types of arguments", result.returncode in (0, 1, 2, 3), (turn, result.returncode, result.stderr[:200]))
    assert not checker.failed


@pytest.mark.parametrize("damaged", [7, 9, 14])
def test_damaged_trace(trawl, place, checker, damaged):
    """What is damaged is said once, by the pass that builds the index, not again by that over the index; ten places at most."""
    lines = (ROOT / "corpus" / "typed" / "arguments-a64.it.tarmac").read_bytes().splitlines(keepends=True)
    for number in range(damaged):
        lines[100 + 40 * number] = b"1 clk R x0 12g4\n"
    (place / "t").write_bytes(b"".join(lines))
    image = "--image=%s" % (ROOT / "corpus" / "typed" / "arguments-a64.elf")
    for command in (["calls", "--values"], ["calls", "--values", "--memory-index"], ["export", "--table", "calls", "--values", "--format", "csv"]):
        (place / "t.index").unlink(missing_ok=True)
        for turn in ("built", "from the index"):
            result = quick.run([trawl, *command, "t", image], place)
            told = re.findall(rb"^trawl: t:\d+: .*", result.stderr, re.M)
            checker.expect("status", result.returncode, 3, at=(command, turn))
            checker.expect("places", len(told), min(damaged, 10), at=(command, turn, result.stderr))
            checker.expect("each once", len(set(told)), len(told), at=(command, turn))
    assert not checker.failed


def test_lists(trawl, checker):
    """clang drops a result that nobody uses, and says that its own rules no longer hold: it is not guessed."""
    trace = ROOT / "corpus" / "traces" / "corrupt-a64.it.tarmac"
    rows = calls(trawl, "corrupt-a64", "add_job", "work", "--values", trace=trace)
    texts = ["boot", "sensors", "radio", "display", "idle", "update"]
    ticks = [20, 31, 12, 25, 9, 17]
    added = [re.sub(r"0x[0-9a-f]+ ", "", row["arguments"]) for row in rows if row["function"] == "add_job"]
    checker.expect("arguments by location lists", added,
                   ['number=%d, ticks=%d, name="%s"' % item for item in zip(range(6), ticks, texts)])
    checker.expect("results that were dropped", {row["result"] for row in rows if row["function"] == "add_job"}, {"<unavailable>"})
    found = [row["arguments"].split()[-1] for row in calls(trawl, "corrupt-a64", "work", "--values", "--where", "job->ticks > 20", trace=trace)]
    checker.expect("calls by what their arguments point to", found, ["<jobs+72>", "<jobs+24>", "<jobs+72>"])
    assert not checker.failed
