"""A wheel that is made of the installed files, installed by pip where nothing else of trawl is, and where there is no network.

    tests/run.py wheel
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 300
USE = """
import sys, trawl
t = trawl.open(sys.argv[1], [sys.argv[2]], in_memory=True)
print(trawl.__file__, trawl.__version__, t.profile(top=1).list("function")[0], t.state("end")["sp"])
"""


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False, **options)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


def make(prefix, place):
    return Path(run(ROOT / "tools/release/wheel.py", prefix, place, "--tag", f"linux_{os.uname().machine}").strip())


def check_module(checker, python, there, place, **environment):
    """The module that is installed below `there`; returns its version."""
    said = run(python, "-c", USE, CORPUS / "traces/recursion-a64.it.tarmac", CORPUS / "elf/recursion-a64.elf", cwd=place, env={**clean(), **environment}).split()
    checker.check("the module that was installed", said[0].startswith(str(there)), said)
    checker.expect("a function", said[2], "fibonacci")
    return said[1]


def clean():
    return {name: value for name, value in os.environ.items() if name not in ("TRAWL_LIBRARY", "PYTHONPATH")}


def test_wheel(prefix, checker, place):
    if not can(sys.executable, "-m", "pip", "--version"):
        pytest.skip("pip is not installed")
    path = make(prefix, place)
    first = path.read_bytes()
    make(prefix, place)
    checker.check("the same bytes", path.read_bytes() == first)
    checker.check("nothing twice", len(set(zipfile.ZipFile(path).namelist())) == len(zipfile.ZipFile(path).namelist()))
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", place / "there", path)
    version = check_module(checker, sys.executable, place / "there", place, PYTHONPATH=str(place / "there"))
    checker.expect("the program and the module are of one version", run(place / "there/bin/trawl", "--version").split()[1], version)


def test_without_network(prefix, checker, place):
    """A virtual environment, pip with the file, `trawl demo`: none of them can reach anything but itself."""
    alone = next((words for words in (["unshare", "-n"], ["unshare", "-rn"]) if can(*words, "true")), None)
    if not alone:
        pytest.skip("no unshare, or no right to a network of one's own")
    if not can(sys.executable, "-m", "pip", "--python", sys.executable, "--version"):
        pytest.skip("no pip of version 22.3 or later, which installs into an environment from outside")
    path, there = make(prefix, place), place / "there"
    run(*alone, sys.executable, "-m", "venv", "--without-pip", there)
    run(*alone, sys.executable, "-m", "pip", "--python", there / "bin/python", "install", "--quiet", "--disable-pip-version-check", path, env=clean())
    said = run(*alone, there / "bin/trawl", "demo", place / "demo", env=clean())
    checker.check("a profile", "work" in said and "print_number" in said, said)
    version = check_module(checker, there / "bin/python", there, place)
    checker.expect("the program and the module are of one version", run(there / "bin/trawl", "--version").split()[1], version)


def can(*words):
    try:
        return subprocess.run([str(word) for word in words], capture_output=True, timeout=TIMEOUT_S, check=False).returncode == 0
    except OSError:
        return False
