"""Compares show, grep and --context with the text itself: with lines as Python splits them, and with what GNU grep finds."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
import quick
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
TRACES = ["recursion-a32.it.tarmac", "twocores-a64.it.tarmac", "fp-a32.it.tarmac"]
PATTERNS = ["clk", "(foo|bar|quux)", "(LDP|STP|ldp|stp).*sp", "svc_s : X+*", "clk X+?", "((BL|RET)|(MW4 |(R) x)).*0", "(clk|)I", "(RET)?", "(IT|IS)+*", "(BL|RET)+ ", "(a|[(]|R) ", "x(19|2.)|(R|W)8", "R r1[^ ]", "0$", "^[0-9]+ clk IT", "BL? +", "(MW|MR)[1248] ", "[[:xdigit:]]{16}", ".", "E",
            "r[0-9]+ 0000[0-9a-f]{4}$", "\\bR\\b", "(R|IT) .*0.*1.*2", "^$", "x|y|z", " [^ ]+ [^ ]+$"]


class Texts(Checker):
    def run(self, *words, stdin=b""):
        words = [str(word) for word in (self.trawl, *words)]
        status, out, err, killed = quick.answer(words, TIMEOUT_S, stdin)
        assert not killed, words
        return status, out, err.decode(errors="replace")


def grep(*words):
    done = subprocess.run(["grep", *map(str, words)], capture_output=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=False)
    return done.stdout


def shown(lines, number, context):
    """What show prints, as described in src/query/text_around.h."""
    first, last = max(1, number - context), min(len(lines), number + context)
    width = len(str(number + context))
    return b"".join(b"%s%*d  %s\n" % (b"> " if i == number else b"  ", width, i, lines[i - 1]) for i in range(first, last + 1))


def lines_of(text):
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def check_grep(checks, path, name):
    text = path.read_bytes()
    for pattern in PATTERNS:
        status, out, err = checks.run("grep", path, pattern, "--count")
        wanted = grep("-n", "-E", pattern, path)
        checks.check(f"count {pattern} {name}", (status, out) == (0 if wanted else 1, grep("-c", "-E", pattern, path)), f"{out} {err}")
        for words in ([], ["--threads", "3"]):
            status, out, err = checks.run("grep", path, pattern, *words)
            checks.check(f"lines {pattern} {name} {words}", (status, out) == (0 if wanted else 1, wanted), err)
        status, out, err = checks.run("grep", "-", pattern, stdin=text)
        checks.check(f"pipe {pattern} {name}", out == wanted, err)
        for context in (0, 1, 4):
            wanted = grep("-n", "-E", f"-C{context}", pattern, path) if context else grep("-n", "-E", pattern, path)
            out = checks.run("grep", path, pattern, "--context", context)[1]
            if context == 0:  # there are no marks between neighbours
                out = out.replace(b"--\n", b"")
            checks.check(f"context {context} {pattern} {name}", out == wanted, (out[:200], wanted[:200]))
        status, rows, _ = checks.run("grep", path, pattern, "--format", "json")
        rows = json.loads(rows)
        checks.check(f"json {pattern} {name}: status", status == (0 if rows else 1), status)
        is_right = all(text[row["position"]:].startswith(row["text"].encode()) and
                       text.count(b"\n", 0, row["position"]) + 1 == row["line"] for row in rows[:50])
        checks.check(f"json {pattern} {name}", is_right and len(rows) == int(grep("-c", "-E", pattern, path)))


def check_show_of_text(checks, path, name, text, lines):
    draw = random.Random(name)
    for number in [1, 2, len(lines) - 1, len(lines)] + [draw.randint(1, len(lines)) for _ in range(8)]:
        context = draw.choice([0, 1, 3, 17])
        status, out, err = checks.run("show", path, "--at", f"line:{number}", "--context", context)
        checks.check(f"show line {number} {name}", (status, out) == (0, shown(lines, number, context)), err)
    for _ in range(8):
        position = draw.randrange(len(text))
        number = text.count(b"\n", 0, position) + 1
        out = checks.run("show", path, "--at", f"byte:{position}", "--context", 2)[1]
        checks.check(f"show byte {position} {name}", out == shown(lines, number, 2), out)
    for at, number in (("start", 1), ("end", len(lines))):
        out = checks.run("show", path, "--at", at)[1]
        checks.check(f"show {at} {name}", out == shown(lines, number, 5), out)


def check_show(checks, path, name):
    """Lines are counted where there is no index, and found by it where there is one."""
    text = path.read_bytes()
    lines = lines_of(text)
    index = path.with_name(path.name + ".index")
    check_show_of_text(checks, path, name, text, lines)
    checks.check(f"no index is built for that {name}", not index.exists())
    assert checks.run("index", path)[0] == 0 and index.exists()
    check_show_of_text(checks, path, f"{name} indexed", text, lines)
    out = checks.run("show", "-", "--at", "line:3", "--context", 1, stdin=text)[1]
    checks.check(f"show pipe {name}", out == shown(lines, 3, 1), out)
    for event in (0, 7, 400):
        state = json.loads(checks.run("state", path, "--at", f"event:{event}", "--format", "json")[1])["position"]
        rows = json.loads(checks.run("show", path, "--at", f"event:{event}", "--context", 1, "--format", "json")[1])
        current = [row for row in rows if row["current"]]
        checks.check(f"show event {event} {name}", [row["line"] for row in current] == [state["line"]], rows)
        checks.check(f"text of event {event} {name}", current[0]["text"].encode() == lines[state["line"] - 1], rows)


def check_contexts(checks, path, name):
    """The context of each row consists of the lines around its line."""
    lines = lines_of(path.read_bytes())
    pc = json.loads(checks.run("stack", path, "--at", "event:300", "--format", "json")[1])[0]["pc"]
    for words in (["pc", path, pc], ["stack", path, "--at", "event:300"], ["callinfo", path, pc],
                  ["writes", path, "x0" if "a64" in name else "r0", "--all"], ["grep", path, "R "]):
        plain = json.loads(checks.run(*words, "--format", "json")[1])
        rows = json.loads(checks.run(*words, "--format", "json", "--context", 2)[1])
        is_right = all(row.pop("context").encode() == shown(lines, row["line"], 2) for row in rows[:200])
        checks.check(f"context of {words[0]} {name}", is_right and len(rows) == len(plain) and rows[:200] == plain[:200])
    at = ("state", path, "--at", "event:300", "--context", 2)
    point = json.loads(checks.run(*at, "--format", "json")[1])["position"]
    around = shown(lines, point["line"], 2)
    checks.check(f"context of state {name}", point["context"].encode() == around and around in checks.run(*at)[1], point)
    out = checks.run("pc", path, pc, "--context", 1)[1]
    for row in json.loads(checks.run("pc", path, pc, "--format", "json")[1])[:20]:
        checks.check(f"below {row['line']} {name}", shown(lines, row["line"], 1) in out, out[:300])


def check_odd(checks, path):
    """Line ends, tabs, bytes that control a terminal, no newline at the end, an empty file."""
    path.write_bytes(b"1 clk R r0 00000001\r\n2 clk\tR r0 00000002\n\n3 \x1b[31mred\n4 clk R r0 00000004")
    status, out, err = checks.run("show", path, "--at", "line:3", "--context", 9)
    wanted = b"   1  1 clk R r0 00000001\n   2  2 clk\tR r0 00000002\n>  3  \n   4  3 ?[31mred\n   5  4 clk R r0 00000004\n"
    checks.check("odd lines", (status, out) == (0, wanted), out)
    checks.check("odd end", checks.run("grep", path, "1$")[1] == b"1:1 clk R r0 00000001\n")
    checks.check("odd empty line", checks.run("grep", path, "^$")[1] == b"3:\n")
    for words, part, wanted in (
        (["show", path, "--at", "line:6"], "has 5 lines", 1),
        (["show", path, "--at", "line:0"], "above 0", 2),
        (["show", path, "--at", "byte:1000"], "bytes", 1),
        (["show", path, "--at", "foo"], "not a position", 2),
        (["show", path, "--context", "x"], "at most 100000", 2),
        (["show", path.parent / "none"], "none", 1),
        (["grep", path, "nothing"], "no line matches", 1),
        (["grep", path, "("], "(", 2),
        (["grep", path], "REGEX", 2),
        (["grep", ROOT / "corpus" / "tfile" / "steps.tf", "x"], "has no lines", 2),
        (["grep", path.parent / "none", "x"], "none", 2),
        (["grep", path, "x", "-o", path.parent / "none" / "out"], "none", 2),
    ):
        status, out, err = checks.run(*words)
        checks.check(f"misuse {words[0]} {words[-1]}", status == wanted and part in err and not out, (status, err))
    path.write_bytes(b"")
    status, out, err = checks.run("show", path)
    checks.check("show nothing", status == 1 and "0 lines" in err, err)
    checks.check("count nothing", checks.run("grep", path, "x", "-c")[:2] == (1, b"0\n"))
    checks.check("no rows", checks.run("grep", path, "x", "--format", "csv")[:2] == (1, b"line,position,text\n"))


@pytest.fixture
def checks(trawl):
    return Texts(trawl)


@pytest.fixture
def path(place, name):
    return Path(shutil.copy(ROOT / "corpus" / "traces" / name, place))


@pytest.mark.parametrize("name", TRACES)
def test_grep(checks, path, name):
    check_grep(checks, path, name)


@pytest.mark.parametrize("name", TRACES)
def test_show(checks, path, name):
    check_show(checks, path, name)
    check_contexts(checks, path, name)


def test_odd(checks, place):
    check_odd(checks, place / "odd.tarmac")
