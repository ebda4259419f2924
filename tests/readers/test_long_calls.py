"""Exports of long calls only (`trawl export --min-duration`, `--top`): against trees of calls from which logs are written, and against the
whole exports of recorded traces.

    tests/run.py long_calls
"""

import json
import random
from pathlib import Path

import pytest
import quick
from xray_write import make_log

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 60
EVENTS = "BEi"


def grow(rng, depth, ticks):
    """What happens in a call, in order: events (None) and calls (lists), and the ticks before each and at the end."""
    inside = []
    for _ in range(rng.randrange(0, 5) if depth else 0):
        inside.append((rng.randrange(1, ticks), None if rng.random() < 0.3 else grow(rng, depth - 1, ticks // 4)))
    return {"inside": inside, "rest": rng.randrange(1, ticks)}


def write(call, lines, happened, around):
    """Adds a call to the text of a log, and to the list of what happened: (word, call) in the order of the log."""
    has_argument = len(happened) % 3 == 0
    lines.append("enter%s 1 %d" % ("-args" if has_argument else "", call["before"]))
    if has_argument:
        lines.append("argument %d" % len(happened))
    happened.append(("B", call))
    call["around"], call["ticks"] = around, call["rest"]
    for before, inner in call["inside"]:
        call["ticks"] += before
        if inner is None:
            lines.append("custom %d payload%d" % (before, len(happened)))
            happened.append(("i", call))
        else:
            inner["before"] = before
            write(inner, lines, happened, call)
            call["ticks"] += inner["ticks"]
    lines.append("exit 1 %d" % call["rest"])
    happened.append(("E", call))


def make(path, seed, trees=12, depth=5):
    rng = random.Random(seed)
    lines, happened = ["fdr 5 buffer-size 1000000", "buffer 7 pid 3", "cpu 0 1000"], []
    for _ in range(trees):
        call = grow(rng, depth, 1 << 20)
        call["before"] = rng.randrange(1, 1000)
        write(call, lines, happened, None)
    path.write_bytes(make_log("\n".join(lines) + "\n"))
    return happened


def calls_of(happened):
    return [call for word, call in happened if word == "B"]


class Exporter:
    def __init__(self, trawl):
        self.trawl = trawl

    def run(self, *words, status=0, **more):
        done = quick.run([str(word) for word in [self.trawl, "export", *words]], timeout=TIMEOUT_S, **more)
        assert done.returncode == status, done.stderr
        return done

    def chrome(self, *words):
        return [event for event in json.loads(self.run(*words).stdout)["traceEvents"] if event["ph"] in EVENTS]

    def rows(self, *words):
        return [json.loads(line) for line in self.run("--format", "jsonl", *words).stdout.splitlines()]


@pytest.fixture
def exporter(trawl):
    return Exporter(trawl)


def check(exporter, path, happened, options, kept):
    whole = exporter.chrome(path)
    assert [event["ph"] for event in whole] == [word for word, _ in happened]
    expected = [event for event, (_, call) in zip(whole, happened) if id(call) in kept]
    done = exporter.run(*options, path)
    events = [event for event in json.loads(done.stdout)["traceEvents"] if event["ph"] in EVENTS]
    assert events == expected
    calls = len(calls_of(happened))
    lost = sum(1 for word, call in happened if word == "i" and id(call) not in kept)
    told = done.stderr.decode()
    assert "%d shorter call" % (calls - len(kept)) in told and "%d kept" % len(kept) in told
    assert not lost or "and %d event" % lost in told
    rows = exporter.rows(path)
    long_rows = exporter.rows(*options, path)
    assert [row for row in long_rows if row["depth"]] == [
        row for row in rows if row["depth"] and row["ticks"] >= min(call["ticks"] for call in calls_of(happened) if id(call) in kept)]


@pytest.mark.parametrize("seed", range(3))
def test_minimum(exporter, place, seed):
    path = place / "log.xray"
    happened = make(path, seed)
    lengths = sorted(call["ticks"] for call in calls_of(happened))
    for ticks in (lengths[len(lengths) // 10], lengths[len(lengths) // 2], lengths[-3]):
        kept = {id(call) for call in calls_of(happened) if call["ticks"] >= ticks}
        assert 0 < len(kept) < len(lengths)
        check(exporter, path, happened, ["--min-duration", ticks], kept)
        check(exporter, path, happened, ["--min-duration", "%d.%03dus" % divmod(ticks, 1000)], kept)
        check(exporter, path, happened, ["--min-duration", "%dns" % ticks], kept)


@pytest.mark.parametrize("seed", range(3))
def test_longest(exporter, place, seed):
    path = place / "log.xray"
    happened = make(path, seed)
    ranked = sorted(calls_of(happened), key=lambda call: -call["ticks"])
    for top in (1, 2, 9, 50):
        assert ranked[top - 1]["ticks"] != ranked[top]["ticks"]
        kept = {id(call) for call in ranked[:top]}
        check(exporter, path, happened, ["--top", top], kept)
        check(exporter, path, happened, ["--top", 100000, "--min-duration", ranked[top - 1]["ticks"]], kept)


def test_all_calls_are_long(exporter, place):
    path = place / "log.xray"
    make(path, 7)
    whole = exporter.run(path)
    for options in (["--min-duration", 0], ["--min-duration", 1], ["--top", 1000000]):
        done = exporter.run(*options, path)
        assert done.stdout == whole.stdout and done.stderr == whole.stderr


def test_equally_long(exporter, place):
    """Of calls that are equally long, no more than were asked for."""
    path = place / "log.xray"
    path.write_bytes(make_log("fdr 5\nbuffer 7 pid 3\ncpu 0 1000\nenter 1 1\n" + "enter 2 1\nexit 2 5\n" * 60 + "exit 1 1\n"))
    assert len([event for event in exporter.chrome("--top", 9, path) if event["ph"] == "B"]) == 9
    assert len([row for row in exporter.rows("--top", 9, path) if row["depth"]]) == 9
    # A call that ends first of those that are equally long has the calls around it.
    path.write_bytes(make_log("fdr 5\nbuffer 7 pid 3\ncpu 0 1000\nenter 1 1\nenter 2 0\nenter 3 0\nexit 3 5\nexit 2 0\nexit 1 0\n"))
    events = [(event["ph"], event["name"]) for event in exporter.chrome("--top", 1, path)]
    assert events == [("B", "#1"), ("B", "#2"), ("B", "#3"), ("E", "#3"), ("E", "#2"), ("E", "#1")]


def test_nothing_is_so_long(exporter, place):
    path = place / "log.xray"
    happened = make(path, 1)
    longest = max(call["ticks"] for call in calls_of(happened))
    for form in ("chrome", "perfetto", "speedscope", "firefox", "csv"):
        done = exporter.run("--format", form, "--min-duration", longest + 1, "-o", place / "out", path, status=1)
        assert b"the longest takes %d ticks" % longest in done.stderr and not (place / "out").exists()


def test_open_calls(exporter, place):
    """Calls that never return last until the end; a call that is clipped begins where the range does, and keeps its marks."""
    path = place / "log.xray"
    path.write_bytes(make_log("fdr 5\nbuffer 7 pid 3\ncpu 0 1000\nenter 1 1\nenter 2 5\nexit 2 9\nenter 3 1\nenter 4 90\nexit 4 1\n"))
    names = [event["name"] for event in exporter.chrome("--min-duration", 90, path) if event["ph"] == "B"]
    assert names == ["#1", "#3"]
    clipped = exporter.chrome("--min-duration", 10, "--time", "1007..1040", path)
    assert [(event["ph"], event["name"], event.get("args")) for event in clipped] == [
        ("B", "#1", {"clipped": True}), ("B", "#3", None), ("E", "#3", {"clipped": True}), ("E", "#1", {"clipped": True})]


@pytest.mark.parametrize("form", ["perfetto", "speedscope", "firefox", "ctf", "arrow"])
def test_every_format(exporter, place, form):
    """Each has fewer bytes, the same for any number of threads, and is what a pipe gives."""
    sizes, log = [], CORPUS / "xray" / "threads.fdr.xray"
    for name, options in (("whole", []), ("long", ["--min-duration", "100us"]), ("one", ["--min-duration", "100us", "--threads", 1])):
        out = place / name
        exporter.run("--format", form, *options, "-o", out, log)
        files = sorted(out.iterdir()) if out.is_dir() else [out]
        sizes.append(b"".join(file.read_bytes() for file in files))
    assert len(sizes[1]) < len(sizes[0]) and sizes[1] == sizes[2]


@pytest.mark.parametrize("name", ["recursion-a64.it", "longjmp-a64.it", "exceptions-t32.es"])
def test_traces(exporter, name):
    """Tarmac traces: the table has the rows of the whole one, and viewers get as many calls."""
    path = CORPUS / "traces" / (name + ".tarmac")
    rows = exporter.rows(path)
    ticks = sorted(row["time"] for row in rows)[len(rows) // 2] + 1
    expected = [row for row in rows if row["time"] >= ticks]
    assert 0 < len(expected) < len(rows)
    assert exporter.rows("--min-duration", ticks, path) == expected
    begun = [event for event in exporter.chrome("--min-duration", ticks, path) if event["ph"] == "B"]
    assert len(begun) == len(expected)
    for top in (1, 2, 5):  # the trace is read twice
        longest = sorted((row["time"] for row in rows), reverse=True)[:top]
        assert sorted((row["time"] for row in exporter.rows("--top", top, path)), reverse=True) == longest
        assert len([event for event in exporter.chrome("--top", top, path) if event["ph"] == "B"]) >= top


@pytest.mark.parametrize("name, function, ticks", [("shared.basic", "#16777222", 301), ("crash.fdr", "#2", 52)])
def test_of_a_function(exporter, name, function, ticks):
    """With --function, the outermost rows of a log are calls and no threads."""
    path = CORPUS / "xray" / (name + ".xray")
    rows = exporter.rows("--function", function, path)
    expected = [row for row in rows if row["ticks"] >= ticks]
    assert 0 < len(expected) < len(rows)
    done = exporter.run("--format", "jsonl", "--function", function, "--min-duration", ticks, path)
    assert [json.loads(line) for line in done.stdout.splitlines()] == expected
    assert b"%d kept" % len(expected) in done.stderr


def test_refusals(exporter, place):
    log = CORPUS / "xray" / "threads.fdr.xray"
    for words in (["--min-duration", "1.5"], ["--min-duration", "1m"], ["--min-duration", ""], ["--min-duration", "1.5ns"],
                  ["--min-duration", "s"], ["--top", "0"], ["--top", "x"], ["--top", 3, "--format", "pprof"],
                  ["--min-duration", 3, "--format", "csv", "--table", "functions"]):
        exporter.run(*words, log, status=2)
    path = place / "log.xray"
    path.write_bytes(make_log("fdr 5 frequency 0\nbuffer 7 pid 3\ncpu 0 1000\nenter 1 1\nexit 1 9\n"))
    assert b"how long a tick of this trace lasts is not known" in exporter.run("--min-duration", "1us", path, status=1).stderr
    exporter.run("--min-duration", "9", path)


def test_times_since_the_beginning(exporter):
    """+1.5ms is what 0.0015 is."""
    log = CORPUS / "xray" / "threads.fdr.xray"
    whole = exporter.run("--time", "0.0005..0.0015", log).stdout
    for times in ("+500us..+1.5ms", "500us..1500us", "+0.0005..1.5ms", "+500000ns..+0.0015s"):
        assert exporter.run("--time", times, log).stdout == whole
    for times in ("+1.5x..+2s", "+..2s", "++1s..+2s", "1.5ns..2ns"):
        exporter.run("--time", times, log, status=2)
    tarmac = next((CORPUS / "traces").glob("recursion-a64*.tarmac"))
    exporter.run("--time", "+1s..+2s", tarmac, status=1)
