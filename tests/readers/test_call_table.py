"""The table of calls that `trawl export` writes is complete: which call was made in which, where each begins and ends, what it took by itself.

    tests/run.py call_table

It is held against itself (calls nest, times add up), the table of events, `trawl calls`, the profile, and for XRay logs the trace events of
the same log; and asked in SQL for latencies by path, if DuckDB is installed.
"""

import collections
import csv
import io
import itertools
import json
from pathlib import Path

import arrow_reader
import parquet_reader
import pytest
import quick

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 60
TRACES = {
    **{f"{name}.{form}": (CORPUS / f"traces/{name}.{form}.tarmac", CORPUS / f"elf/{name}.elf")
       for name, form in (("sort-a64", "it"), ("recursion-t32", "it"), ("longjmp-a64", "it"), ("exceptions-a32", "es"), ("twocores-a64", "it"), ("hang-a64", "gem5"))},
    "jobs": (CORPUS / "os/jobs.tarmac.xz", CORPUS / "os/jobs.elf"),
}
LOGS = ["arguments.fdr", "arguments.basic", "events.fdr", "threads.fdr", "exceptions.fdr", "crash.fdr", "tailcall.fdr"]


def run(trawl, *words, status=0):
    done = quick.run([trawl, *words], timeout=TIMEOUT_S)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def number(text):
    try:
        return int(text, 16 if text.startswith("0x") else 10)
    except ValueError:
        return text or None


def table(trawl, *words):
    """Rows of numbers where they are numbers; "" is None."""
    text = run(trawl, *words).stdout.decode()
    return [{key: value or None if key in ("function", "lane", "task", "payload") else number(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


def exported(trawl, what, trace, *words):
    return table(trawl, "export", "--format", "csv", "--table", what, "--memory-index", *words, trace)


def check_tree(checker, name, rows):
    """Numbers are those of rows, calls are inside their parents, and times add up."""
    inside = collections.Counter()
    duration = "time" if "time" in rows[0] else "ticks"
    checker.check("numbers of calls", [row["call"] for row in rows] == list(range(len(rows))), name)
    for row in rows:
        if row["parent"] is None:
            continue
        parent = rows[row["parent"]]
        inside[row["parent"]] += row[duration]
        is_inside = parent["entry_time"] <= row["entry_time"] and row["entry_time"] + row[duration] <= parent["entry_time"] + parent[duration]
        is_inside &= parent["entry_event"] <= row["entry_event"] <= row["exit_event"] <= parent["exit_event"] or row["entry_event"] == row["exit_event"]
        checker.check("a call is in its parent", is_inside and parent["call"] < row["call"] and row["depth"] == parent["depth"] + 1 and row["lane"] == parent["lane"], (name, row, parent))
    for row in rows:
        checker.check("self times", row["self"] == row[duration] - inside[row["call"]], (name, row, inside[row["call"]]))


@pytest.mark.parametrize("name", TRACES)
def test_traces(checker, name):
    trace, image = TRACES[name]
    rows = exported(checker.trawl, "calls", trace, "--image", image)
    check_tree(checker, name, rows)
    events = {(row["lane"], row["lane_event"]): row for row in exported(checker.trawl, "events", trace)} if name != "jobs" else {}
    for row in rows if events else []:
        for end in ("entry", "exit"):
            event = events[row["lane"], row[f"{end}_event"]]
            checker.check("events at the ends", (event["time"], event["line"]) == (row[f"{end}_time"], row[f"{end}_line"]), (name, row, event))
    for words in ([], ["--by", "task"]) if name == "jobs" else ([],):
        rows = exported(checker.trawl, "calls", trace, "--image", image, *words)
        check_tree(checker, name, rows)
        of_profile, of_rows = collections.Counter(), collections.Counter()
        for row in table(checker.trawl, "profile", "--format", "csv", "--memory-index", "--image", image, *words, trace):
            of_profile[row.get("task"), row["function"]] += row["self"]
        for row in rows:
            of_rows[row.get("task"), row["function"]] += row["self"]
        if not words:
            checker.check("self times of the profile", +of_profile == +of_rows, (name, {key: (of_profile[key], of_rows[key]) for key in {*of_profile, *of_rows} if of_profile[key] != of_rows[key]}))
    if name != "jobs":
        listed = table(checker.trawl, "calls", "--format", "csv", "--memory-index", "--image", image, trace)
        ours = collections.Counter((row["function"], row["entry_time"], row["time"], row["self"]) for row in exported(checker.trawl, "calls", trace, "--image", image))
        checker.check("the same as calls", ours == collections.Counter((row["function"], row["entry_time"], row["time"], row["self"]) for row in listed), name)


@pytest.mark.parametrize("name", ["sort-a64.it", "jobs", "arguments"])
def test_values(checker, place, name):
    """Arguments and results are those that `calls --values` has, in every format; parts of a call have those of the whole."""
    trace, image = {**TRACES, "arguments": (CORPUS / "typed/arguments-a32.it.tarmac", CORPUS / "typed/arguments-a32.elf")}[name]
    words = ["--image", image, "--memory-index", trace]
    listed = {(row["entry_line"], row["function"]): row for row in table(checker.trawl, "calls", "--format", "csv", "--values", *words)}
    rows = table(checker.trawl, "export", "--format", "csv", "--table", "calls", "--by", "task", "--values", *words)
    plain = table(checker.trawl, "export", "--format", "csv", "--table", "calls", "--by", "task", *words)
    checker.check("nothing else changes", plain == [{key: value for key, value in row.items() if key not in ("arguments", "result")} for row in rows], name)
    begun = {(row["task"], row["began_event"], row["function"]): row for row in rows if row["entry_event"] == row["began_event"]}
    compared = results = 0
    for row in rows:
        whole = begun.get((row["task"], row["began_event"], row["function"]))
        checker.check("parts have the arguments of the whole", not whole or row["arguments"] == whole["arguments"], (name, row, whole))
        checker.check("results are of calls that return", row["result"] is None or row["state"] == "returned", (name, row))
        call = whole and listed.get((whole["entry_line"], row["function"]))
        if not call or row["depth"] == 0:
            continue
        compared += 1
        checker.check("arguments", row["arguments"] == call["arguments"], (name, row, call))
        if row["state"] == "returned":
            results += row["result"] is not None
            checker.check("result", row["result"] == call["result"], (name, row, call))
    checker.check("there are calls with results", compared > len(rows) / 2 and results, (name, compared, results))
    export = ["export", "--table", "calls", "--by", "task", "--values", *words]
    run(checker.trawl, *export, "--format", "arrow", "-o", place / "a.arrow")
    run(checker.trawl, *export, "--format", "parquet", "-o", place / "table")
    lines = run(checker.trawl, *export, "--format", "jsonl").stdout.splitlines()
    for form, found in (("JSONL", map(json.loads, lines)), ("Arrow", arrow_reader.read((place / "a.arrow").read_bytes())[0]),
                        ("Parquet", parquet_reader.read_table(place / "table"))):  # fmt: skip
        for row, other in itertools.zip_longest(rows, found):
            is_same = all(row[key] == (other[key] and number(other[key])) for key in ("arguments", "result"))
            checker.check(form, is_same and row["call"] == other["call"], (name, row, other))


def test_filters(checker):
    """Parents are those that are shown."""
    trace, image = TRACES["recursion-t32.it"]
    whole = exported(checker.trawl, "calls", trace, "--image", image)
    names = collections.Counter(row["function"] for row in whole)
    for words in (["--depth", "2"], ["--function", names.most_common(1)[0][0]], ["--hide", names.most_common()[-1][0]]):
        rows = exported(checker.trawl, "calls", trace, "--image", image, *words)
        checker.check("numbers of calls", [row["call"] for row in rows] == list(range(len(rows))), words)
        by_place = {row["entry_event"]: row for row in whole}
        for row in rows:
            around = by_place[row["entry_event"]]["parent"]
            shown = {one["entry_event"]: one["call"] for one in rows}
            while around is not None and whole[around]["entry_event"] not in shown:
                around = whole[around]["parent"]
            checker.check("the parent that is shown", row["parent"] == (None if around is None else shown[whole[around]["entry_event"]]), (words, row))
            checker.check("the same time by itself", row["self"] == by_place[row["entry_event"]]["self"], (words, row))


@pytest.mark.parametrize("name", LOGS)
def test_logs(checker, name):
    """Arguments and events of XRay logs, as trace events have them."""
    log = CORPUS / f"xray/{name}.xray"
    rows = exported(checker.trawl, "calls", log)
    check_tree(checker, name, rows)
    said = json.loads(run(checker.trawl, "export", "--format", "chrome", log).stdout)["traceEvents"]
    entries = [event for event in said if event["ph"] == "B"]
    wanted = [[event.get("args", {}).get(f"argument{i}") for i in range(4)] for event in entries]
    found = [[row[f"argument_{i}"] for i in range(1, 5)] for row in rows if row["state"] != "no entry" and row["depth"]]
    checker.check("arguments", [[int(str(v), 0) if v is not None else None for v in one] for one in wanted] == found, (name, wanted[:5], found[:5]))
    instants = exported(checker.trawl, "instants", log) if any(event["ph"] == "i" for event in said) else []
    payloads = [event for event in said if event["ph"] == "i"]
    checker.check("events", len(instants) == len(payloads) and [row["kind"] for row in instants] == [event["name"] for event in payloads], (name, instants[:3], payloads[:3]))
    for row, event in zip(instants, payloads):
        data = event.get("args", {}).get("data")
        checker.check("payloads", data is None or bytes.fromhex(row["payload"] or "").decode("latin-1").isprintable() is False or bytes.fromhex(row["payload"]).decode() == data, (name, row, event))


def test_refused(checker):
    done = run(checker.trawl, "export", "--format", "csv", "--table", "instants", TRACES["sort-a64.it"][0], status=1)
    checker.check("a trace without events of its program", b"has no events of its program" in done.stderr and not done.stdout, done)


def test_sql(checker, place):
    """Latencies by path are a question in SQL."""
    duckdb = pytest.importorskip("duckdb")
    trace, image = TRACES["recursion-t32.it"]
    (place / "calls.csv").write_bytes(run(checker.trawl, "export", "--format", "csv", "--table", "calls", "--memory-index", "--image", image, trace).stdout)
    found = duckdb.sql(f"""
        with recursive calls as (select * from read_csv_auto('{place}/calls.csv')),
        paths as (select call, function as path, time from calls where parent is null
                  union all select calls.call, paths.path || ' < ' || calls.function, calls.time from calls join paths on calls.parent = paths.call)
        select path, count(*), max(time) from paths group by path""").fetchall()
    rows = exported(checker.trawl, "calls", trace, "--image", image)
    paths, wanted = [], {}
    for row in rows:
        paths.append(row["function"] if row["parent"] is None else f"{paths[row['parent']]} < {row['function']}")
        count, longest = wanted.get(paths[-1], (0, 0))
        wanted[paths[-1]] = count + 1, max(longest, row["time"])
    checker.check("by path", {path: (count, longest) for path, count, longest in found} == wanted, (found[:3], list(wanted.items())[:3]))
