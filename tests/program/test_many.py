"""Many traces in one command: directories, paths of indexes, what is repeated after a kill, and the summary."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import quick

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TRACES = sorted(path for path in (CORPUS / "traces").glob("*.tarmac"))
TIMEOUT_S = 120


def run(trawl, place, *words):
    done = quick.run([trawl, "index", *words], place, text=True, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


def tree(place):
    """Two directories with a name that is in both, a link to the parent, a file that is not a trace, and names that are left out."""
    for name in ("a/deep", "b"):
        (place / name).mkdir(parents=True)
    shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place / "a" / "same.tarmac")
    shutil.copy(CORPUS / "traces" / "recursion-a64.es.tarmac", place / "b" / "same.tarmac")
    shutil.copy(CORPUS / "traces" / "cut-a64.it.tarmac", place / "a" / "deep" / "cut.tarmac")
    shutil.copy(CORPUS / "xray" / "recursion.fdr.xray", place / "b")
    shutil.copy(CORPUS / "tfile" / "passes.tf", place / "b")
    shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place / "b" / "run.log")
    (place / "b" / "bad.tarmac").write_text("hello\n")
    (place / "b" / "old.tarmac.index").write_text("not touched")
    (place / "a" / "deep" / "up").symlink_to(place)


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_directories(trawl, checker, place):
    tree(place)
    status, out, err = run(trawl, place, "--output-dir", "out/new", "--summary", "json", "a", "b")
    rows = rows_of(out)
    traces = [row["trace"] for row in rows]
    checker.check("all of them, the one that failed last", traces ==
                  ["a/deep/cut.tarmac", "a/same.tarmac", "b/passes.tf", "b/recursion.fdr.xray", "b/same.tarmac", "b/bad.tarmac"], traces)  # fmt: skip
    checker.check("statuses", [row["status"] for row in rows] == ["built, trace damaged", *["built"] * 4, "failed"] and status == 1, rows)
    checker.check("what was wrong", "no instructions found" in rows[-1]["message"] and "bad.tarmac" in err.splitlines()[-1], err)
    checker.check("figures", rows[1]["lines"] == 3830 and rows[1]["bytes"] == (place / "a/same.tarmac").stat().st_size and rows[2]["lines"] is None)
    indexes = [row["index"] for row in rows[:-1]]
    checker.check("indexes", len(set(indexes)) == 5 and all((place / index).stat().st_size == row["index_bytes"] for index, row in zip(indexes, rows)))
    checker.check("below", indexes[0] == "out/new/deep/cut.tarmac.index" and rows[-1]["index"] is None, indexes)
    checker.check("nothing else was written", sorted(path.name for path in (place / "b").iterdir()) ==
                  ["bad.tarmac", "old.tarmac.index", "passes.tf", "recursion.fdr.xray", "run.log", "same.tarmac"])  # fmt: skip
    before = {index: (place / index).stat().st_mtime_ns for index in indexes}
    (place / indexes[1]).unlink()
    again = rows_of(run(trawl, place, "--output-dir", "out/new", "--summary", "json", "b", "a", "a/same.tarmac")[1])
    checker.check("by the same names, whatever the order", sorted(row["index"] for row in again[:-1]) == sorted(indexes), again)
    built = [row["trace"] for row in again if row["status"].startswith("built")]
    checker.check("only what is missing", built == ["a/same.tarmac"], again)
    checker.check("others stay", all((place / index).stat().st_mtime_ns == at for index, at in before.items() if index != indexes[1]))
    for index, trace in ((indexes[1], "a/same.tarmac"), (indexes[4], "b/same.tarmac")):
        used = subprocess.run([trawl, "profile", "--no-index", "--index", index, trace], cwd=place, capture_output=True, timeout=TIMEOUT_S)
        plain = subprocess.run([trawl, "profile", "--memory-index", trace], cwd=place, capture_output=True, timeout=TIMEOUT_S)
        checker.check(f"{trace}: its own index", used.stdout == plain.stdout and used.returncode == 0, used.stderr)


def test_formats(trawl, checker, place):
    tree(place)
    by_json = rows_of(run(trawl, place, "--summary", "json", "a")[1])
    text = run(trawl, place, "--summary", "csv", "a")[1]
    rows = list(csv.DictReader(io.StringIO(text)))
    checker.check("csv", [row["trace"] for row in rows] == [row["trace"] for row in by_json] and rows[1]["status"] == "fits", text)
    people = run(trawl, place, "--summary", "table", "a")[1].splitlines()
    checker.check("table", people[0].split()[:2] == ["Trace", "Index"] and len(people) == 3, people)
    one = rows_of(run(trawl, place, "--summary", "json", "a/same.tarmac")[1])
    checker.check("of one", len(one) == 1 and one[0]["index"] == "a/same.tarmac.index" and one[0]["status"] == "fits", one)
    by_pattern = rows_of(run(trawl, place, "--summary", "json", "--pattern", "*.log", "b")[1])
    checker.check("pattern", [row["trace"] for row in by_pattern] == ["b/run.log"], by_pattern)


def test_same_for_any_jobs(trawl, checker, place):
    """For any number of jobs, the same rows in the same order, and the same indexes."""
    (place / "t").mkdir()
    for trace in TRACES[:12]:
        shutil.copy(trace, place / "t")
    seen = set()
    for jobs in ("1", "3", "16"):
        out = place / f"out{jobs}"
        rows = rows_of(run(trawl, place, "--jobs", jobs, "--output-dir", out, "--summary", "json", "t")[1])
        seen.add(tuple((row["trace"], row["status"], row["lines"], row["index_bytes"]) for row in rows))
        made = {path.name: path.read_bytes() for path in out.iterdir()}
        checker.check(f"{jobs} at a time", len(made) == 12 and made == {path.name: path.read_bytes() for path in (place / "out1").iterdir()})
    checker.check("rows", len(seen) == 1, seen)


def test_killed(trawl, checker, place):
    """What was completed before a kill is not repeated, and no incomplete index is left."""
    (place / "t").mkdir()
    text = (CORPUS / "traces" / "recursion-a64.es.tarmac").read_bytes()
    for number in range(30):
        (place / "t" / f"{number:02}.tarmac").write_bytes(text)
    words = ["--jobs", "1", "--output-dir", "out", "--summary", "json", "t"]
    with subprocess.Popen([trawl, "index", *words], cwd=place, stdout=subprocess.PIPE, text=True) as child:
        told = [json.loads(child.stdout.readline()) for _ in range(5)]
        child.send_signal(signal.SIGKILL)
    rows = rows_of(run(trawl, place, *words)[1])
    statuses = [row["status"] for row in rows]
    checker.check("all are there", len(rows) == 30 and all((place / row["index"]).exists() for row in rows), rows)
    checker.check("goes on where it was", statuses[: len(told)] == ["fits"] * len(told), statuses)
    checker.check("sound", {row["index_bytes"] for row in rows} == {told[0]["index_bytes"]})
    left = [name for name in os.listdir(place / "out") if not name.endswith(".index")]
    checker.check("nothing else is left", left == [], left)


def test_refused(trawl, checker, place):
    tree(place)
    (place / "empty").mkdir()
    (place / "file").write_text("mine")
    trace = "a/same.tarmac"
    for words, wanted in (
        (["--index", "x", "a"], "--index needs a single trace"), (["--index", "x", "--output-dir", "o", trace], "--output-dir"),
        (["--shard", "1/2", "--index", "x", "a"], "--index needs a single"), (["--follow", "a"], "a single trace"),
        (["--memory-index", "--output-dir", "o", trace], "--memory-index"), (["--follow", "--summary", "json", trace], "--follow"),
        (["--jobs", "0", "a"], "from 1 to 16"), (["--jobs", "x", "a"], "from 1 to 16"), (["--jobs", "-1", "a"], "from 1 to 16"),
        (["--summary", "xml", "a"], "table, csv or json"), (["--jobs", "2", "--max-memory", "64M", "a"], "--max-memory"),
    ):  # fmt: skip
        status, _, err = run(trawl, place, *words)
        checker.check(f"{words}", status == 2 and wanted in err and err.count("\n") == 2, err)
    for words, wanted in ((["empty"], "no file named as traces are"), (["--pattern", "*.zz", "a"], "matches '*.zz'"),
                          (["--output-dir", "file", "a"], "file"), (["--output-dir", "file/x", "a"], "file")):  # fmt: skip
        status, _, err = run(trawl, place, *words)
        checker.check(f"{words}", status == 1 and wanted in err, err)
    checker.check("a file stays", (place / "file").read_text() == "mine")
    status, out, err = run(trawl, place, "--summary", "json", "none.tarmac", trace)
    rows = rows_of(out)
    checker.check("one that is missing", status == 1 and [row["status"] for row in rows] == ["built", "failed"], (out, err))
    deep = place / "deep"
    deep.mkdir()
    at = os.open(deep, os.O_RDONLY)
    for _ in range(60):  # deeper than any path can be long
        os.mkdir("d" * 100, dir_fd=at)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)
    status, _, err = run(trawl, place, "deep")
    checker.check("too deep", status == 1 and err.count("\n") == 1, err[-300:])
    subprocess.run(["rm", "-rf", deep], check=False)
