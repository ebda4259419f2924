#!/usr/bin/env python3
"""Runs every suite of tests and sums them up.

A suite is a program whose last line is "N passed, N failed", with ", N skipped" where it has
skipped some, and whose status is 0 when nothing failed. One that says something else, takes too
long, or tests nothing at all, counts as a failure. tests/FOLDER/NAME_check.py is the suite NAME; it gets
the directory of the programs as its argument, and finds the modules of all these folders.

    tests/run.py [--prefix DIR] [SUITE...]
    tests/run.py SUITE --option...            one suite with options of its own (-- before mere words)

With arguments only the suites of those names run. --prefix tests the programs of another DIR/bin and
DIR/tests than zig-out.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
sys.path.insert(0, str(TESTS / "support"))

from bounded import run_bounded  # noqa: E402

TIMEOUT_S = 1800
SHOWN_LINES_MAX = 200
REPEATED_LINES_MAX = 5  # of each suite that failed, at the end again
COUNTS = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")


def suites(prefix):
    """The suites as (name, command)."""
    yield "unit", [prefix / "tests" / "trawl-unit"]
    yield "seeds", [prefix / "tests" / "trawl-seeds"]
    for check in sorted(TESTS.glob("*/*_check.py"), key=lambda path: path.name):
        yield check.name[: -len("_check.py")], [sys.executable, check, prefix / "bin"]


def environment():
    """The variables of this process, by which suites find each other's modules and those of support."""
    folders = sorted({str(path.parent) for path in [*TESTS.glob("*/*_check.py"), TESTS / "support" / "checker.py"]})
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*folders, *filter(None, [os.environ.get("PYTHONPATH")])])}


def judge(command):
    """Runs a suite; returns passed, failed, skipped and its output."""
    words = [str(part) for part in command]
    try:
        status, output, _, killed = run_bounded(
            words, TIMEOUT_S, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
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


def run_one(prefix, name, options):
    """Becomes the program of a suite, with options of its own."""
    command = dict(suites(prefix)).get(name)
    if command is None:
        sys.exit(f"no suite {name}")
    words = [str(part) for part in [*command, *options]]
    os.chdir(ROOT)
    os.execve(words[0], words, environment())


def split_off_options(words):
    """Our words, and those of a suite: from the first option on that stands after its name."""
    for place, word in enumerate(words):
        if place and word.startswith("-") and not word.startswith("--prefix"):
            return words[:place], words[place:]
    return words, []


def main():
    parser = argparse.ArgumentParser(description="Runs every suite of tests and sums them up.")
    parser.add_argument("--prefix", type=Path, default=ROOT / "zig-out", metavar="DIR", help="other programs")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="only these suites")
    words, options = split_off_options(sys.argv[1:])
    arguments = parser.parse_args(words)
    wanted = arguments.suites
    if options:
        if len(wanted) != 1:
            parser.error("options of a suite go with one suite")
        run_one(arguments.prefix.resolve(), wanted[0], [option for option in options if option != "--"])
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
