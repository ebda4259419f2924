#!/usr/bin/env python3
"""Runs all tests, or the given suites, with pytest, three at a time for each processor, because many of them wait.

    tests/run.py [--prefix DIR] [--jobs N] [--thorough] [SUITE...] [--option...]

SUITE is the NAME of tests/FOLDER/test_NAME.py, `unit` or `seeds`. The last line is "N passed, N failed". --thorough tries all cases of
slow tests instead of a sample. Further options are passed to pytest: -k TEXT for tests whose names contain a text, --accept for stored
answers, --table for measurements. `pytest tests` does the same; this script also chooses a suitable Python, and how to share the work.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS / "support"))

import extent  # noqa: E402

ROOT = TESTS.parent
# Where tools/zigw installs pytest if the machine has none.
FETCHED = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trawl" / "pytest"
NEEDED = ("pytest", "xdist")
JOBS_MAX = 24  # beyond that, the longest test takes longer than all others together
LACKING = """run.py: the tests need pytest and pytest-xdist, one of:
    tools/zigw build test              gets them, with all else that tests need
    apt-get install python3-pytest python3-pytest-xdist
    pip install pytest pytest-xdist"""


def have_all(python):
    """Whether another Python has the required modules."""
    return subprocess.run([python, "-c", "import " + ", ".join(NEEDED)], capture_output=True, check=False).returncode == 0


def command_of_pytest():
    """The command of a Python with pytest; None: there is none."""
    if all(importlib.util.find_spec(name) for name in NEEDED):
        return [sys.executable]
    if Path("/usr/bin/python3").exists() and have_all("/usr/bin/python3"):
        return ["/usr/bin/python3"]
    if FETCHED.is_dir():
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(FETCHED), os.environ.get("PYTHONPATH")]))
        return [sys.executable]
    return None


def file_of(name):
    """The file of a suite."""
    found = {"unit": TESTS / "unit" / "main.c", "seeds": TESTS / "fuzz" / "seeds.c"}.get(name)
    found = found or next(TESTS.glob(f"*/test_{name}.py"), None)
    return found or sys.exit(f"run.py: no suite {name}")


def split_off_options(words):
    """Splits the words into ours and those of pytest, which begin at the first option that is not ours."""
    for place, word in enumerate(words):
        if word.startswith("-") and not word.startswith(("--prefix", "--jobs", "-n", "--thorough", "--help")):
            return words[:place], words[place:]
    return words, []


def main():
    parser = argparse.ArgumentParser(description="Runs all tests, or the given suites.")
    parser.add_argument("--prefix", type=Path, default=ROOT / "zig-out", metavar="DIR", help="other programs")
    jobs = min(3 * (os.cpu_count() or 1), JOBS_MAX)
    parser.add_argument("-n", "--jobs", default=str(jobs), metavar="N", help="how many at a time (default: 3 for each processor)")
    parser.add_argument("--thorough", action="store_true", help="all of what takes long, which takes hours")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="only these suites")
    words, options = split_off_options(sys.argv[1:])
    arguments = parser.parse_args(words)
    files = [file_of(name) for name in arguments.suites] or [TESTS]
    os.chdir(ROOT)
    if arguments.thorough:
        os.environ[extent.VARIABLE] = "thorough"
    python = command_of_pytest() or sys.exit(LACKING)
    is_shared = (len(files) > 1 or files == [TESTS]) and "--accept" not in options
    jobs = ["-n", arguments.jobs, "--dist=loadgroup"] if is_shared else ["-n", "0"]
    command = [*python, "-m", "pytest", "-q", *jobs, f"--prefix={arguments.prefix.resolve()}", *options, *map(str, files)]
    sys.stdout.flush()
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
