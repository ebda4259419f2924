"""Runs `zig build fmt -Dcheck` and `zig build lint`, as far as their tools are installed. clang-tidy takes a tenth of
the time of all tests: it runs here with --thorough, and by itself in .ci/run.

    tests/run.py style
"""

import re
import subprocess
from pathlib import Path

import extent
import pytest

ROOT = Path(__file__).resolve().parents[2]
# A line of tools/lint for each linter.
JUDGEMENT = re.compile(r"^(\S+) +(ok|complains|skipped: .*)$", re.MULTILINE)


def run(*command):
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return ended.returncode, ended.stdout.decode(errors="replace")


def test_format():
    status, output = run("tools/format", "tools/zigw", "--check")
    if status and "needs clang-format" in output:
        pytest.skip(output.strip().split(": ", 1)[-1])
    assert status == 0, output


def test_lint(checker):
    status, output = run("tools/lint", *extent.pick(["python", "shellcheck"], []))
    for name, judgement in JUDGEMENT.findall(output):
        if judgement.startswith("skipped"):
            checker.skip(name, judgement[len("skipped: "):])
        else:
            checker.check(name, judgement == "ok", output)
    checker.check("lint", status == 0, output)
