"""`trawl demo` in an empty directory: its files, its profile, and that each command it says to type works."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENDLESS = ("browse", "serve")  # of what it says to type, what waits for a person


def run(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"})


@pytest.mark.parametrize("name", [None, "-x"])
def test_first_minute(trawl, tmp_path, name):
    """What it shows is what the shown command shows, and the next commands answer; also where its directory has the name of an option."""
    done = run([trawl, "demo", *(["--", name] if name else [])], tmp_path)
    assert done.returncode == 0 and not done.stderr, done.stderr
    made = tmp_path / re.search(r"^    cd (.*)$", done.stdout, re.M)[1]
    assert made.name == (name or "trawl-demo") and not re.search(r"^    cd -", done.stdout, re.M)
    assert (made / "run.tarmac").read_bytes() == (ROOT / "corpus/traces/corrupt-a64.it.tarmac").read_bytes()
    assert (made / "prog.elf").read_bytes() == (ROOT / "corpus/typed/corrupt-a64.elf").read_bytes()
    shown = re.search(r"^\$ trawl (.*)\n((?:.+\n)+)\n", done.stdout, re.M)
    assert run(["sh", "-c", f"'{trawl}' {shown[1]}"], tmp_path).stdout == shown[2]
    steps = re.findall(r"^    trawl (.*?)(?:   |$)", done.stdout, re.M)
    assert len(steps) > len(ENDLESS)
    for step in steps:
        if step.startswith(ENDLESS):
            step += " --help"
        answer = run(["sh", "-c", f"'{trawl}' {step}"], made)
        assert answer.returncode == 0 and answer.stdout, (step, answer.stderr)


def test_second_time(trawl, tmp_path):
    """Its own files stay, with their times, so that an index of them fits; others are not replaced."""
    first = run([trawl, "demo", "a b"], tmp_path)
    path = tmp_path / "a b" / "run.tarmac"
    os.utime(path, (1, 1))
    assert run([trawl, "demo", "a b"], tmp_path).stdout == first.stdout
    assert path.stat().st_mtime == 1
    for other in (b"", b"mine\n", path.read_bytes() + b"\n", path.read_bytes()[:-1]):
        path.write_bytes(other)
        refused = run([trawl, "demo", "a b"], tmp_path)
        assert (refused.returncode, refused.stdout, path.read_bytes()) == (1, "", other)
        assert re.fullmatch(r"trawl: a b/run\.tarmac: exists, and is not from the demo: .*\n", refused.stderr)


@pytest.mark.parametrize("name", ["none/deeper", "file", "x" * 5000])
def test_no_place(trawl, tmp_path, name):
    (tmp_path / "file").touch()
    done = run([trawl, "demo", name], tmp_path)
    assert (done.returncode, done.stdout) == (1, "") and len(done.stderr.splitlines()) == 1, done.stderr


def test_fifo(trawl, tmp_path):
    """What is not a file is not waited for."""
    os.mkfifo(tmp_path / "run.tarmac")
    done = run([trawl, "demo", "."], tmp_path)
    assert done.returncode == 1 and "run.tarmac: exists, and is not from the demo" in done.stderr, done.stderr
