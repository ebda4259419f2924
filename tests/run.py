#!/usr/bin/env python3
"""Runs every suite of tests and sums them up.

A suite is a program whose last line is "N passed, N failed", with ", N skipped" where it has
skipped some, and whose status is 0 when nothing failed. One that says something else, takes too
long, or tests nothing at all, counts as a failure.

    run.py [--prefix DIR] [SUITE...]

With arguments only the suites of those names run. --prefix tests the programs of another DIR/bin and
DIR/tests than zig-out; a *_check.py takes the directory of the programs as its argument.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

from bounded import run_bounded

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 1800
SHOWN_LINES_MAX = 200
REPEATED_LINES_MAX = 5  # of each suite that failed, at the end again
COUNTS = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")


def suites(prefix):
    """The suites as (name, command); those that are files of their own run when they exist."""
    tests = ROOT / "tests"
    programs = prefix / "bin"
    yield "unit", [prefix / "tests" / "trawl-unit"]
    yield "seeds", [prefix / "tests" / "trawl-seeds"]
    yield "golden", [sys.executable, tests / "golden.py", "--bin", programs]
    if (tests / "random" / "cases").is_dir():
        yield "random", [sys.executable, tests / "random" / "check.py", programs]
    yield "floors", [sys.executable, tests / "floors.py"]
    for driver in sorted(tests.glob("*_check.py")):
        yield driver.name[: -len("_check.py")], [sys.executable, driver, programs]


def judge(command):
    """Runs a suite; returns passed, failed, skipped and its output."""
    words = [str(part) for part in command]
    try:
        status, output, _, killed = run_bounded(
            words, TIMEOUT_S, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except OSError as error:
        return 0, 1, 0, str(error)
    output = output.decode(errors="replace")
    if killed:
        output += f"\nno end after {TIMEOUT_S} s"
    lines = output.rstrip("\n").split("\n")
    match = COUNTS.fullmatch(lines[-1])
    if not match:
        return 0, 1, 0, output + f"\nends without a count, with status {status}"
    passed, failed, skipped = (int(count or 0) for count in match.groups())
    if passed + failed + skipped == 0:
        return 0, 1, 0, output + "\nnothing was tested"
    if failed == 0 and status != 0:
        return passed, 1, skipped, output + f"\nall passed, but it ended with status {status}"
    return passed, failed, skipped, output


def first_failures(name, lines):
    """What failed first in a suite: its lines that say so, or else its last one."""
    said = [line for line in lines if line.startswith(("FAIL", "not ok "))] or lines[-1:]
    return [f"{name}: {line[:400]}" for line in said[:REPEATED_LINES_MAX]]


def main():
    parser = argparse.ArgumentParser(description="Runs every suite of tests and sums them up.")
    parser.add_argument("--prefix", type=Path, default=ROOT / "zig-out", metavar="DIR", help="other programs")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="only these suites")
    arguments = parser.parse_args()
    wanted = arguments.suites
    total_passed = total_failed = 0
    failed_suites, failures = [], []
    for name, command in suites(arguments.prefix.resolve()):
        if wanted and name not in wanted:
            continue
        start = time.monotonic()
        passed, failed, skipped, output = judge(command)
        lines = output.rstrip("\n").split("\n")
        if failed:
            failed_suites.append(name)
            failures += first_failures(name, lines)
            if len(lines) > SHOWN_LINES_MAX:
                print(f"[{len(lines) - SHOWN_LINES_MAX} lines left out]")
            print("\n".join(lines[-SHOWN_LINES_MAX:]))
        elif skipped:
            print("\n".join(line for line in lines if line.startswith("SKIPPED") or " # SKIP " in line))
        took = time.monotonic() - start
        counts = f"{passed} passed, {failed} failed, {skipped} skipped"
        print(f"{name:12} {took:7.2f} s  {counts}", flush=True)
        total_passed += passed
        total_failed += failed
    if failed_suites:
        print("failed suites: " + ", ".join(failed_suites))
        print("\n".join(failures))
    if total_passed + total_failed == 0:
        print("no suite of that name")
        total_failed = 1
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed else 0


if __name__ == "__main__":
    sys.exit(main())
