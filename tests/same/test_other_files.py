"""The other of two traces in several files: everything that compares or shows two runs gives the same results for pieces and for files
of cores as for one file, on either side; it is clear which files belong to which trace, or the command is refused with a clear message."""

import csv
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from served import Served
from test_merged_files import CORPUS, lines_of_cores, merged, run
from tmux_screen import Screen

TRACE = CORPUS / "traces" / "twocores-a64.it.tarmac"
KINDS = ("plain", "pieces", "cores")

COMPARED = [
    ["diff", "--format", "json"],
    ["diff", "--registers", "--memory", "--times", "--format", "csv"],
    ["diff", "--lane", "cpu1", "--format", "json"],
    ["profile", "--format", "json"],
    ["profile", "--lane", "cpu0", "--format", "csv"],
    ["flamegraph"],
]


def runs():
    """Two runs of two cores, by core; the second lacks some instructions of the first."""
    good = lines_of_cores(TRACE.read_bytes(), True)
    bad = [(core, [line for i, line in enumerate(lines) if i // 40 % 9 != 4]) for core, lines in good]
    return {"good": good, "bad": bad}


def write_run(place, name, cores):
    text, _ = merged(cores)
    third = len(text) // 3
    (place / name).write_bytes(text)
    for number, piece in enumerate((text[:third], text[third : third + 50], text[third + 50 :])):
        (place / f"{name}.{number}").write_bytes(piece)
    for core, lines in cores:
        (place / f"{name}-{core.decode()}").write_bytes(b"".join(lines))


def words_of(name, kind, prefix=""):
    """The trace, and its other files."""
    return {"plain": ([name], []),
            "pieces": ([f"{name}.0"], [f"--{prefix}then", f"{name}.?"]),
            "cores": ([f"{name}-cpu0"], [f"--{prefix}with", f"cpu0={name}-cpu0", f"--{prefix}with", f"cpu1={name}-cpu1"])}[kind]


def without_names(text):
    for name in ("good", "bad"):
        for of_file in (f"{name}.0", f"{name}-cpu0"):
            text = text.replace(of_file, name)
    return text


def without_columns(text):
    """The same without the columns and members that only several files have."""
    try:
        value = json.loads(text)
    except ValueError:
        return [line for line in without_names(text).splitlines()]

    def strip(value):
        if isinstance(value, dict):
            return {key: strip(member) for key, member in value.items() if "file" not in key and key != "context"}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return strip(json.loads(without_names(json.dumps(value))))


@pytest.mark.parametrize("asked", COMPARED, ids=" ".join)
def test_comparing(trawl, checker, place, asked):
    for name, cores in runs().items():
        write_run(place, name, cores)
    answers = {}
    for left in KINDS:
        for right in KINDS:
            (first, own), (second, others) = words_of("good", left), words_of("bad", right, "other-")
            compared = second if asked[0] == "diff" else ["--diff", *second]
            command, *options = asked
            answers[left, right] = run(trawl, [command, *options, *first, *own, *compared, *others], place)
    status, out, err = answers["plain", "plain"]
    # Calls in the bad run are shown from a flow with gaps; which line they are in depends on the files.
    known = ("gaps in the flow of instructions", "another value than memory had", "calls that rest on a guess")
    doubts = [line for line in err.splitlines() if not any(text in line for text in known)]
    checker.check("compares", status == (1 if asked[0] == "diff" else 0) and out and not doubts, (status, out[:300], err))
    for sides, (status_of, out_of, err_of) in answers.items():
        checker.check(f"{sides}", status_of == status and without_columns(out_of) == without_columns(out), (out, out_of, err_of))


def test_refusals(trawl, checker, place):
    write_run(place, "good", runs()["good"])
    for name in ("log", "log2"):
        (place / name).write_bytes((CORPUS / "xray" / "arguments.fdr.xray").read_bytes())
    for words, status, said in (
        (["diff", "good", "good", "--other-then", "none*"], 2, "'--other-then': 'none*': no file matches"),
        (["diff", "good", "good", "--other-then", "good.1", "--other-with", "good.2"], 2, "'--other-then' cannot be combined with '--other-with'"),
        (["profile", "good", "--other-then", "good.1"], 2, "'--other-then' goes with another trace, and none is given"),
        (["serve", "good", "--other-with", "good.1"], 2, "'--other-with' goes with another trace, and none is given"),
        (["profile", "good", "--diff", "log", "--other-then", "log2"], 2, "log: is an XRay log, to which --other-then does not apply"),
        (["diff", "good", "log", "--other-then", "log2"], 2, "log: is an XRay log, to which --other-then does not apply"),
        (["serve", "good", "log", "--other-then", "log2"], 1, "log: is an XRay log, which cannot be in several files"),
        (["browse", "log", "log", "--other-then", "log2"], 1, "log: is an XRay log, which cannot be in several files"),
        (["diff", "good", "good", "--other-with", "big=good"], 2, "cannot name a core so"),
        (["state", "good", "--other-then", "good.1"], 2, "unknown option"),
    ):
        got, out, err = run(trawl, words, place)
        checker.check(" ".join(words), got == status and said in err and not out and err.count("\n") <= 2, (got, err))
    # The last --diff of a picture counts, and files belong to it.
    first, _, _ = run(trawl, ["flamegraph", "good", "--diff", "good.1", "--diff", "good.0", "--other-then", "good.[12]"], place)
    _, same, _ = run(trawl, ["flamegraph", "good", "--diff", "good"], place)
    _, got, err = run(trawl, ["flamegraph", "good", "--diff", "log", "--diff", "good.0", "--other-then", "good.[12]"], place)
    checker.check("the last", first == 0 and got == same, (same, got, err))
    # Each --diff of a profile counts, and has its own files.
    status, got, err = run(trawl, ["profile", "good", "--format", "csv", "--diff", "good", "--diff", "good.0", "--other-then", "good.[12]"], place)
    rows = list(csv.DictReader(got.splitlines()))
    checker.check("each", status == 0 and rows and all(row["self_a"] == row["self_b"] == row["self_c"] for row in rows), (got, err))


def test_lanes(trawl, checker, place):
    """--lane NAME=FILE is the same as --with NAME=FILE; --lane NAME selects what is shown."""
    write_run(place, "good", runs()["good"])
    lanes = ["--lane", "cpu0=good-cpu0", "--lane=cpu1=good-cpu1"]
    withs = ["--with", "cpu0=good-cpu0", "--with=cpu1=good-cpu1"]
    for words in (["profile"], ["profile", "--lane", "cpu1"], ["info", "--format", "json"], ["index"], ["state", "x1", "--lane", "cpu1"]):
        command, *options = words
        expected, got = (run(trawl, [command, "good-cpu0", *files, *options], place) for files in (withs, lanes))
        checker.check(" ".join(words), got == expected and got[0] == 0, (expected, got))
    for words, status, said in (
        (["profile", "good", "--lane", "cpu1=none"], 1, "none: open"),
        (["profile", "good", "--lane", "cpu=1=good"], 1, "1=good: open"),
        (["profile", "good", "--lane", "=good"], 2, "cannot name a core so"),
        (["profile", "good", "--lane", "cpu7"], 1, "cpu7"),
        (["index", "good", "good.0", "--lane", "cpu1=good"], 2, "needs a single TRACE"),
    ):
        got, _, err = run(trawl, words, place)
        checker.check(" ".join(words), got == status and said in err, (got, err))


def test_places(trawl, checker, place, quick_place):
    """The files may be anywhere, with any form of name: a confined process may read them."""
    for number, where in enumerate((place, quick_place)):
        (where / f"f{number}").write_bytes(b"%d clk IT (1) 00008000 e1a00000 A svc_s : NOP\n" % number)
    (quick_place / "g0").write_bytes(b"")
    for words in (["diff", "f0", "f0", "--with", f"cpu1={quick_place}/f1", "--other-with", f"cpu1={quick_place}/f1"],
                  ["diff", "f0", f"{quick_place}/g0", "--then", f"{quick_place}/f?", "--other-then", "f?", f"--other-then={quick_place}/f*"],
                  ["diff", "f0", "f0", f"--lane=cpu1={quick_place}/f1", f"--other-with=cpu1={quick_place}/f1"]):
        status, out, err = run(trawl, [*words, "--memory-index"], place)
        checker.check(" ".join(words), status == 0, (out, err))


@pytest.mark.parametrize("kind", KINDS)
def test_serving(trawl, checker, place, kind):
    """Each of several other traces has its own files."""
    for name, cores in runs().items():
        write_run(place, name, cores)
    (first, own), (second, others), (third, more) = words_of("good", kind), words_of("bad", kind, "other-"), words_of("good", "pieces", "other-")
    with Served(trawl, [*first, *own, *second, *others, *third, *more], cwd=place) as served, Served(trawl, ["good", "bad", "good"], cwd=place) as plain:
        for trace in range(3):
            for question, words in (("view", {"row": 700, "rows": 30, "columns": 200}), ("view", {"row": 2700, "rows": 30, "columns": 200}), ("registers", {"at": 900}), ("stack", {"at": 1200}), ("profile", {"lane": 0}), ("trace", {})):
                got, expected = (of.ask(question, trace=trace, **words) for of in (served, plain))
                same = without_columns(json.dumps(got[1])) == without_columns(json.dumps(expected[1]))
                checker.check(f"{question} of {trace}", got[0] == expected[0] == 200 and (same or question == "trace"), (expected, got))
            checker.check(f"lines of {trace}", got[1]["lines"] == expected[1]["lines"] and got[1]["events"] == expected[1]["events"], got)


@pytest.mark.parametrize("kind", KINDS)
def test_browsing(trawl, place, kind):
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    for name, cores in runs().items():
        write_run(place, name, cores)
    (first, own), (second, others) = words_of("good", kind), words_of("bad", kind, "other-")
    for words in (["good"], ["bad"], [first[0], *own], [second[0], *(word.replace("other-", "") for word in others)]):
        run(trawl, ["index", *words], place)
    with Screen([str(trawl), "browse", *first, *own, *second, *others], 160, 40, cwd=place) as screen, \
         Screen([str(trawl), "browse", "good", "bad"], 160, 40, cwd=place) as plain:
        for each in (screen, plain):
            assert each.wait_for("F1 keys", other="than memory had"), each.capture()
            each.keys("Escape")  # what makes the trace doubtful names its file
        for keys in ((), ("~",), ("BTab", "End"), ("BTab", "End")):
            shown = []
            for each in (screen, plain):
                each.keys(*keys) if keys else each.settle()
                shown.append([line for line in each.capture().splitlines() if "file:" not in line and "file" not in line.lower()])
            assert shown[0] == shown[1], (keys, shown)


def test_text_before_the_index(trawl, place):
    """The text that is browsed while the index is built is that of all files."""
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    cores = lines_of_cores(TRACE.read_bytes(), True)
    for core, lines in cores:
        stretched = []
        with (place / core.decode()).open("wb") as file:
            for turn in range(500):
                for line in lines:
                    head, _, rest = line.lstrip().partition(b" ")
                    stretched.append(b"%d %s" % (int(head) + turn * 100000, rest) if head.isdigit() else line)
            file.write(b"".join(stretched))
    command = [str(trawl), "browse", "--threads=1", "cpu0", "--with", "cpu1"]
    with Screen(command, 120, 40, cwd=place) as screen:
        if not screen.wait_for("F9 cancel the index"):
            pytest.skip("the index was built before anything was shown")
        screen.tmux("send-keys", "F9")
        if not screen.wait_for("no index: canceled", 3):
            pytest.skip("the index was built before it could be cancelled")
        screen.keys("':line:2000", "Enter")
        shown = screen.settle()[0]
    wanted = subprocess.run([trawl, "show", "cpu0", "--with", "cpu1", "--at", "line:2000", "--context", "3"], cwd=place, capture_output=True, text=True, timeout=60, check=False).stdout
    text = [line.split(" ", 1)[-1].strip() for line in wanted.splitlines()]
    assert any(line and line[-30:] in shown for line in text), (wanted, shown)
