"""A wheel that is made of the installed files, installed by pip where nothing else of trawl is.

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


def test_wheel(prefix, checker, place):
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("pip is not installed")
    tag = f"linux_{os.uname().machine}"
    path = Path(run(ROOT / "tools/release/wheel.py", prefix, place, "--tag", tag).strip())
    first = path.read_bytes()
    run(ROOT / "tools/release/wheel.py", prefix, place, "--tag", tag)
    checker.check("the same bytes", path.read_bytes() == first)
    checker.check("nothing twice", len(set(zipfile.ZipFile(path).namelist())) == len(zipfile.ZipFile(path).namelist()))
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", place / "there", path)
    clean = {name: value for name, value in os.environ.items() if name not in ("TRAWL_LIBRARY", "PYTHONPATH")}
    clean["PYTHONPATH"] = str(place / "there")
    said = run(sys.executable, "-c", USE, CORPUS / "traces/recursion-a64.it.tarmac", CORPUS / "elf/recursion-a64.elf", env=clean, cwd=place).split()
    checker.check("the module that was installed", said[0].startswith(str(place / "there")), said)
    checker.expect("a function", said[2], "fibonacci")
    checker.expect("the program and the module are of one version", run(place / "there/bin/trawl", "--version").split()[1], said[1])
