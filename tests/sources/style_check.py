#!/usr/bin/env python3
"""Runs what `zig build fmt -Dcheck` and `zig build lint` run, as far as the tools for it are there.

    tests/run.py style
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A line of tools/lint for each linter.
JUDGEMENT = re.compile(r"^(\S+) +(ok|complains|skipped: .*)$", re.MULTILINE)


def run(*command):
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return ended.returncode, ended.stdout.decode(errors="replace")


def check_format():
    """Passed, failed, skipped."""
    status, output = run("tools/format", "tools/zigw", "--check")
    if status == 0:
        return 1, 0, 0
    if "needs clang-format" in output:
        print("SKIPPED format: " + output.strip().split(": ", 1)[-1])
        return 0, 0, 1
    print(f"FAILED format:\n{output}")
    return 0, 1, 0


def check_lint():
    status, output = run("tools/lint")
    judgements = [judgement for _, judgement in JUDGEMENT.findall(output)]
    for name, judgement in JUDGEMENT.findall(output):
        if judgement.startswith("skipped"):
            print(f"SKIPPED {name}: {judgement[len('skipped: '):]}")
    passed = judgements.count("ok")
    failed = judgements.count("complains")
    if status != 0 or not judgements:
        print(f"FAILED lint:\n{output}")
        failed = max(failed, 1)
    return passed, failed, len(judgements) - passed - judgements.count("complains")


def main():
    passed, failed, skipped = map(sum, zip(check_format(), check_lint()))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
