#!/usr/bin/env python3
"""Runs the recorded commands on the sample traces and compares all that the tools say."""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases")
TRACE, IMAGE = "t.tarmac", "i.elf"
TIMEOUT_S = 60
# The reference ignores --index; trawl makes the index and then reports from it.
INDEX, INDEX_TALK = "x.index", re.compile(r"(?m)^(?:Ignoring index file name since|index file x\.index) .*\n")


def case_names(only):
    """Return the names of the cases whose name contains a text."""
    names = [name[:-len(".answers")] for name in os.listdir(CASES) if name.endswith(".answers")]
    return sorted(name for name in names if only in name)


def prepare(cwd, name):
    """Put a case's trace and image into a scratch directory, under fixed names."""
    os.mkdir(os.path.join(cwd, "dir"))
    with open(os.path.join(cwd, "empty"), "wb"):
        pass
    for suffix, target in ((".tarmac", TRACE), (".elf", IMAGE)):
        source = os.path.join(CASES, name + suffix)
        if os.path.exists(source):
            os.symlink(source, os.path.join(cwd, target))


def run(directory, expected, cwd):
    """Run one recorded command; return the names of the fields that differ."""
    output = os.path.join(cwd, expected["output"]) if "output" in expected else None
    if output and os.path.exists(output):
        os.unlink(output)
    index = os.path.join(cwd, INDEX)
    if "--show-progress-meter" in expected["arguments"] and os.path.exists(index):
        os.unlink(index)  # without the trace there is no progress to show
    program = os.path.join(directory, "tarmac-" + expected["tool"])
    done = subprocess.run([program] + expected["arguments"], cwd=cwd, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_S, check=False)
    file = b""
    if output and os.path.exists(output):
        with open(output, "rb") as stream:
            file = stream.read()
    found = {"status": done.returncode, "out": done.stdout.decode("latin-1"),
             "err": done.stderr.decode("latin-1"), "file": file.decode("latin-1")}
    if "file_sha256" in expected:
        found["file_sha256"] = hashlib.sha256(file).hexdigest()
        del found["file"]
    if any(argument.startswith("--index") for argument in expected["arguments"]):
        found["err"] = INDEX_TALK.sub("", found["err"])
        expected = dict(expected, err=INDEX_TALK.sub("", expected.get("err", "")))
    return [field for field in found if found[field] != expected.get(field, "")]


def check_case(directory, name):
    """Run all commands of a case; return (number passed, lines about failures)."""
    passed, failures = 0, []
    with open(os.path.join(CASES, name + ".answers"), encoding="ascii") as stream:
        recorded = [json.loads(line) for line in stream]
    with tempfile.TemporaryDirectory() as cwd:
        prepare(cwd, name)
        for expected in recorded:
            wrong = run(directory, expected, cwd)
            if wrong:
                failures.append("%s: tarmac-%s %s: %s" % (
                    name, expected["tool"], " ".join(expected["arguments"]), ", ".join(wrong)))
            else:
                passed += 1
    return passed, failures


def main():
    """Check all cases, or those whose name contains a text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", help="directory of the tarmac-* tools")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their name")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time (default 2)")
    arguments = parser.parse_args()
    directory = os.path.abspath(arguments.directory)
    passed, failed = 0, 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        names = case_names(arguments.only)
        for count, failures in pool.map(lambda name: check_case(directory, name), names):
            passed += count
            failed += len(failures)
            for line in failures:
                print("FAILED " + line)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
