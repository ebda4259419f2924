#!/usr/bin/env python3
"""The calls that trawl finds against the true call stacks that the tracer recorded.

    tests/truth_check.py DIRECTORY_OF_TRAWL

Every record of a truth file (corpus/README.md) holds the stack after one instruction. The call tree
must have the same functions on the way from the root to that instruction's line. What the heuristic
cannot see by its nature is left out: a tail call is part of the function that made it, so only the
lowest function of a chain of tail calls counts; programs that jump out of frames or take exceptions
are not compared, nor gem5's style, which never shows the stack pointer.
"""

import csv
import io
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus"
NOT_COMPARED = ("longjmp-", "exceptions-")
TIMEOUT_S = 60
TRACES_MIN = 40


def true_stack(frames):
    """Names from the root up, chains of tail calls reduced to the function that was called."""
    names = []
    pending_tail = False
    for frame in frames:  # innermost first
        if not pending_tail:
            names.append(frame["name"])
        else:
            names[-1] = frame["name"]
        pending_tail = frame["kind"] == "tail"
    return names[::-1]


def read_truth(path):
    """The records of a truth file that hold a whole stack."""
    lines = path.read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return records[0], [r for r in records[1:] if r["depth"] == len(r["stack"])]


def read_calls(bin_dir, trace, image):
    """Rows of the call tree, open frames included, by lane."""
    command = [bin_dir / "trawl", "calltree", "--open-frames", "--format", "csv", "--image", image, trace]
    run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    is_cut = not trace.read_bytes().endswith(b"\n") and "ends inside a line" in run.stderr
    assert run.returncode == (3 if is_cut else 0), f"calltree of {trace.name}: status {run.returncode}: {run.stderr[:300]}"
    lanes = {}
    for row in csv.DictReader(io.StringIO(run.stdout)):
        lanes.setdefault(row["lane"], []).append(
            (int(row["depth"]), int(row["entry_line"]), int(row["exit_line"]), row["function"]))
    return lanes


def stack_at(rows, line):
    """Names from the root to the innermost call that holds the line. Rows are in preorder."""
    stack = []
    for depth, entry, last, name in rows:
        if depth == len(stack) and entry <= line <= last:
            stack.append(name)
        elif entry > line:
            break
    return stack


def check_trace(bin_dir, truth_path):
    """(records compared, lines that tell what differs)."""
    trace = truth_path.with_suffix("")
    head, records = read_truth(truth_path)
    lanes = read_calls(bin_dir, trace, CORPUS / "elf" / head["image"])
    differences = []
    for record in records:
        lane = f"cpu{record['core']}" if head["cores"] > 1 else ""
        found = stack_at(lanes.get(lane, []), record["line"])
        wanted = true_stack(record["stack"])
        if found != wanted:
            differences.append(f"{trace.name}:{record['line']}: true {wanted}, found {found}")
    return len(records), differences


def main():
    bin_dir = pathlib.Path(sys.argv[1]).resolve()
    passed = failed = compared_traces = 0
    for truth in sorted((CORPUS / "traces").glob("*.truth")):
        if truth.name.startswith(NOT_COMPARED) or ".gem5." in truth.name:
            continue
        try:
            compared, differences = check_trace(bin_dir, truth)
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            print(f"FAILED {truth.name}: {error}")
            failed += 1
            continue
        compared_traces += compared > 0
        failed += len(differences)
        passed += compared - len(differences)
        for line in differences[:3]:
            print(f"FAILED {line}")
    if compared_traces < TRACES_MIN:
        print(f"FAILED only {compared_traces} traces have a truth to be compared with")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
