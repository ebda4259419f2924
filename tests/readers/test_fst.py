"""`trawl vcd -o FILE.fst`, read back by GTKWave's fst2vcd, shows the same as the VCD: every variable has the same values at the same times.
A missing vcd2fst is reported, and nothing is left of a failed conversion.

    tests/run.py fst
"""

import os
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120
TRACES = ["sort-a64.it", "fp-a32.it", "twocores-a64.it", "semihosting-a64.it"]
VARIABLE = re.compile(r"\$var \w+ (\d+) (\S+) (\S+)(?: \[.*\])? \$end")


def changes(text):
    """{(scope, variable): [(time, value)]}, only of values that differ from the previous one."""
    head, _, body = text.partition("$enddefinitions $end")
    names, scope, found, now = {}, [], defaultdict(list), 0
    for line in head.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scope.append(words[2])
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif match := VARIABLE.match(line.strip()):
            names[match[2]] = (".".join(scope), match[3])
    for line in body.splitlines():
        if not line or line[0] == "$":
            continue
        if line[0] == "#":
            now = int(line[1:])
            continue
        value, identifier = line.split(" ") if " " in line else (line[0], line[1:])
        if value[0] in "sb":
            value = value[1:] if value[0] == "s" else value[1:].lstrip("0") or "0"
        if not set(value) - {"x"}:
            continue
        value = "z" if not set(value) - {"z"} else value
        values = found[names[identifier]]
        if not values or values[-1][1] != value:
            values.append((now, value))
    return dict(found)


def run(trawl, *words, **given):
    return subprocess.run([trawl, *map(str, words)], capture_output=True, timeout=TIMEOUT_S, check=False, **given)


@pytest.mark.skipif(not (shutil.which("vcd2fst") and shutil.which("fst2vcd")), reason="no vcd2fst and fst2vcd")
@pytest.mark.parametrize("name", TRACES)
def test_values(checker, place, name):
    words = [ROOT / "corpus" / "traces" / f"{name}.tarmac", f"--image={ROOT / 'corpus' / 'elf' / name.split('.')[0]}.elf"]
    file = place / "run.fst"
    plain = run(checker.trawl, "vcd", *words)
    made = run(checker.trawl, "vcd", "-o", file, *words)
    checker.check("made", made.returncode == plain.returncode and not made.stderr.strip(b"\n").startswith(b"trawl: vcd"), made)
    checker.check("nothing else", [path.name for path in place.iterdir()] == ["run.fst"])
    back = subprocess.run(["fst2vcd", "-f", file], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    ours, theirs = changes(plain.stdout.decode()), changes(back.stdout)
    other = [key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)]
    checker.check("values", len(ours) > 30 and not other, [(key, ours.get(key), theirs.get(key)) for key in other][:1])


def test_failures(checker, place):
    trace = ROOT / "corpus" / "traces" / "sort-a64.it.tarmac"
    done = run(checker.trawl, "vcd", "-o", place / "run.fst", trace, env={**os.environ, "PATH": str(place)})
    checker.check("without vcd2fst", done.returncode == 1 and b"gtkwave" in done.stderr, done)
    (place / "vcd2fst").write_text("#!/bin/sh\nexit 3\n")
    (place / "vcd2fst").chmod(0o755)
    (place / "run.fst").write_text("old")
    done = run(checker.trawl, "vcd", "-o", place / "run.fst", trace, env={**os.environ, "PATH": str(place)})
    checker.check("a vcd2fst that fails", done.returncode == 1 and b"vcd2fst failed" in done.stderr, done)
    checker.check("what was there stays", (place / "run.fst").read_text() == "old" and len(list(place.iterdir())) == 2)
    done = run(checker.trawl, "export", "--format", "fst", trace)
    checker.check("export says who makes it", done.returncode == 2 and b"trawl vcd -o FILE.fst" in done.stderr, done)



