"""The calls that trawl finds, compared with the true call stacks that the tracer recorded.

    tests/run.py truth

Every record of a truth file (corpus/README.md) has the stack after one instruction. The call tree must have the same functions on the
path from the root to that instruction's line, including exceptions. A function that ended with a tail call is gone, and a task begins a
separate stack. The profile must count every instruction for its function.
"""

import csv
import io
import json
import pathlib

import pytest
import quick

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 60
TRACES_MIN = 60
# Points at which encodings are not enough: functions that are only reached by branches, and whose neighbours are not called either.
UNTOLD = {
    "exceptions-a32.es": 1, "exceptions-a32.it": 1, "exceptions-a64.es": 3, "exceptions-a64.gem5": 3,
    "exceptions-a64.it": 3, "longjmp-a32.es": 1, "longjmp-a32.it": 1,
    "tailcall-a64.es": 1, "tailcall-a64.gem5": 1, "tailcall-a64.it": 1,
}  # fmt: skip


def true_stack(frames):
    """The entries from the root upwards; a chain of tail calls is reduced to the last function."""
    entries, was_tail = [], False
    for frame in frames:  # innermost first
        if not was_tail or frame["kind"] not in ("call", "tail"):
            entries.append(int(frame["entry"], 16) & ~1)
        if frame["kind"] == "drop":
            break
        was_tail = frame["kind"] == "tail"
    return entries[::-1]


def read_truth(path):
    """The records of a truth file with a complete stack."""
    lines = path.read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return records[0], [r for r in records[1:] if r["depth"] == len(r["stack"])]


def run(*words):
    done = quick.run(words, text=True, timeout=TIMEOUT_S)
    assert done.returncode in (0, 3), f"{words}: status {done.returncode}: {done.stderr[:300]}"
    return done.stdout


def read_calls(bin_dir, trace):
    """Rows of the call tree, by lane."""
    lanes = {}
    for row in csv.DictReader(io.StringIO(run(bin_dir / "trawl", "calltree", "--format", "csv", trace))):
        lanes.setdefault(row["lane"], []).append(
            (int(row["depth"]), int(row["entry_line"]), int(row["exit_line"]), int(row["entry_pc"], 16) & ~1,
             row["kind"]))  # fmt: skip
    return lanes


def stack_at(rows, line):
    """The entries from the root to the innermost call that contains the line. Rows are in preorder."""
    stack = []
    for depth, entry, last, pc, kind in rows:
        if depth == len(stack) and entry <= line <= last:
            stack.append((pc, kind))
        elif entry > line:
            break
    begins_task = len(stack) > 1 and stack[1][1].startswith("task")
    return [pc for pc, _ in stack[begins_task:]]


def check_trace(bin_dir, truth_path):
    """(number of records compared, lines with differences)."""
    trace = truth_path.with_suffix("")
    head, records = read_truth(truth_path)
    lanes = read_calls(bin_dir, trace)
    only = next(iter(lanes)) if head["cores"] == 1 else None
    differences = []
    for record in records:
        lane = f"cpu{record['core']}" if only is None else only
        found = stack_at(lanes.get(lane, []), record["line"])
        wanted = true_stack(record["stack"])
        if found != wanted:
            names = [frame["name"] for frame in record["stack"]]
            differences.append(f"{trace.name}:{record['line']}: true {names} {list(map(hex, wanted))}, "
                               f"found {list(map(hex, found))}")  # fmt: skip
    return len(records), differences


def check_sum(bin_dir, trace):
    """The sum of self times is the whole run of all cores."""
    rows = list(csv.DictReader(io.StringIO(run(bin_dir / "trawl", "profile", "--format", "csv", trace))))
    roots = [row for row in csv.DictReader(io.StringIO(run(bin_dir / "trawl", "calltree", "--format", "csv", trace)))
             if row["depth"] == "0"]  # fmt: skip
    whole = sum(int(row["exit_time"]) - int(row["entry_time"]) for row in roots)
    found = sum(int(row["self"]) for row in rows)
    return [] if found == whole else [f"{trace.name}: self times add up to {found}, the run is {whole}"]


TRUTHS = sorted((CORPUS / "traces").glob("*.truth"))


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda path: path.name.removesuffix(".tarmac.truth"))
def test_traces(checker, programs, truth):
    compared, differences = check_trace(programs, truth)
    untold = UNTOLD.get(truth.name.removesuffix(".tarmac.truth"), 0)
    checker.check(f"stacks at {compared} points", len(differences) <= untold, differences[:3])
    checker.no_fault("self times", check_sum(programs, truth.with_suffix("")))


def test_there_are_traces():
    assert sum(bool(read_truth(truth)[1]) for truth in TRUTHS) >= TRACES_MIN
