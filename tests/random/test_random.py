"""Runs the recorded commands on the sample traces and compares everything that the tools print."""

import hashlib
import json
import os
import re
import tempfile

import pytest
import quick

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases")
TRACE, IMAGE = "t.tarmac", "i.elf"
TIMEOUT_S = 60
# The reference ignores --index; trawl makes the index and then reports from it.
INDEX, INDEX_TALK = "x.index", re.compile(r"(?m)^(?:Ignoring index file name since|index file x\.index) .*\n")


def case_names():
    return sorted(name.removesuffix(".answers") for name in os.listdir(CASES) if name.endswith(".answers"))


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
        os.unlink(index)  # without reading the trace, there is no progress to show
    program = os.path.join(directory, "tarmac-" + expected["tool"])
    done = quick.run([program] + expected["arguments"], cwd=cwd, timeout=TIMEOUT_S)
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


def check_case(checker, directory, name):
    """Run all commands of a case."""
    with open(os.path.join(CASES, name + ".answers"), encoding="ascii") as stream:
        recorded = [json.loads(line) for line in stream]
    with tempfile.TemporaryDirectory() as cwd:
        prepare(cwd, name)
        for expected in recorded:
            checker.no_fault(f"tarmac-{expected['tool']} {' '.join(expected['arguments'])}", run(directory, expected, cwd))


@pytest.mark.parametrize("name", case_names())
def test_cases(checker, programs, name):
    check_case(checker, programs, name)
