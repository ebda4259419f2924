"""Runs the build without system libraries for AArch64, in an emulator on other machines: its output, and every byte of its indexes, must
equal those of this machine's programs, with NEON and without.

    tests/run.py bare
"""

import shutil
import subprocess
from pathlib import Path

import platform
import pytest
from isas import environment

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120
TRACES = ["recursion-a64.it", "recursion-a64.es", "recursion-a64.gem5"]
ISAS = ["scalar", "neon"]
# Unit tests that depend on bytes and not on the system, selected by a part of their names.
UNIT_TESTS = ["agree", "reference", "shape", "number", "columns", "block", "hex"]
REPORTS = [
    ["profile"], ["calltree", "--format=csv"], ["flamegraph"], ["vcd"], ["callinfo", "0x80000"],
    ["state", "--at=end"], ["stack", "--at=event:999"], ["writes", "sp", "--all"], ["pc", "0x80000"],
]


@pytest.fixture(scope="session")
def runner():
    """The words before a program for AArch64."""
    if platform.machine() == "aarch64":
        return []
    found = shutil.which("qemu-aarch64") or pytest.skip("there is no qemu-aarch64 (Debian's package qemu-user)")
    # In a small address space: it searches for room page by page, and stores a word for each page.
    return [found, "-R", "4G"]


def run(words, isa, directory):
    ended = subprocess.run(words, cwd=directory, capture_output=True, timeout=TIMEOUT_S, check=False,
                           env=environment(isa, TRAWL_IO="pwrite"))
    return ended.returncode, ended.stdout, ended.stderr


def check_unit(runner, program, name):
    status, out, err = run(runner + [program, name], "", ROOT)
    return "unit tests '%s'" % name, status == 0 and not out.startswith(b"0 passed"), out + err


def check_trace(runner, own, bare, trace, directory):
    """Yields (name, whether it is as expected, output)."""
    shutil.copy(trace, directory / "t.tarmac")
    index = directory / "t.tarmac.index"
    build = ["index", "--force-index", "--no-sync", "--segment-events=1000", "t.tarmac"]
    run([own] + build, "", directory)
    expected_index = index.read_bytes()
    for isa in ISAS:
        said = run(runner + [bare] + build, isa, directory)
        yield "%s: index by %s" % (trace.name, isa), index.read_bytes() == expected_index, said
        for report in REPORTS:
            words = report[:1] + ["t.tarmac"] + report[1:]
            # The first report is made from the index, the second from the trace.
            words += ["--no-index"] if isa == "neon" and report[0] in ("profile", "calltree") else []
            expected, found = run([own] + words, "", directory), run(runner + [bare] + words, isa, directory)
            yield "%s: %s by %s" % (trace.name, " ".join(words), isa), found == expected and not found[0], (expected, found)


def check_refusal(runner, bare, directory):
    said = run(runner + [bare, "profile", "--image=x.elf", "t.tarmac"], "", directory)
    yield "an image", said[0] == 1 and b"x.elf: this build of trawl reads no ELF images" in said[2], said


@pytest.fixture(scope="session")
def bare(prefix):
    return prefix / "tests" / "aarch64"


def judge(checker, results):
    for what, is_right, said in results:
        checker.check(what, is_right, said)


@pytest.mark.parametrize("name", UNIT_TESTS)
def test_units(checker, runner, bare, name):
    judge(checker, [check_unit(runner, bare / "trawl-unit", name)])


@pytest.mark.parametrize("trace", TRACES)
def test_traces(checker, runner, bare, place, trace):
    judge(checker, check_trace(runner, checker.trawl, bare / "trawl", ROOT / "corpus" / "traces" / (trace + ".tarmac"), place))


def test_refusal(checker, runner, bare, place):
    judge(checker, check_refusal(runner, bare / "trawl", place))
