"""Checks Ctrl-C while a report reads a trace: the report is that of the lines read so far, byte for byte the one for a trace with only
these lines; it says so, with status 3. Tests with pipes wait until they are empty, and end inside a line; tests with files interrupt at
random moments.

    tests/run.py interrupted [-k TEXT]
"""

import fcntl
import gzip
import os
import re
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRACE = ROOT / "corpus/traces/hash-a64.it.tarmac"
IMAGE = ROOT / "corpus/elf/hash-a64.elf"
TIMEOUT_S = 60
PARTS_WANTED, TRIES = 4, 400
REPORTS = {
    "profile": ["profile"],
    "profile-threads": ["profile", "--threads=4", "--chunk-size=64K"],
    "lines": ["profile", "--by=line", f"--image={IMAGE}"],
    "flamegraph": ["flamegraph", f"--image={IMAGE}"],
    "calltree": ["calltree", f"--image={IMAGE}"],
    "callinfo": ["callinfo", f"--image={IMAGE}", "@", "main"],
    "perfetto": ["export", "--format=perfetto"],
    "chrome": ["export", "--format=chrome"],
    "registers": ["export", "--format=csv", "--table=registers"],
    "coverage": ["coverage", f"--image={IMAGE}"],
}
SAID = re.compile(r"interrupted: this covers its first (\d+) lines? \((\d+) bytes\)")


def repeated(times):
    """The trace of the corpus repeatedly, with ascending times."""
    lines = TRACE.read_text().splitlines(keepends=True)
    first = re.match(r"(\d+) (\S+) ", lines[0])
    step = int(re.match(r"(\d+) ", lines[-1])[1]) + 1 if first else 0
    texts = []
    for round_number in range(times):
        texts.append("".join(re.sub(r"^(\d+)", lambda m: str(int(m[1]) + round_number * step), line) for line in lines))
    return "".join(texts).encode()


@pytest.fixture(scope="module")
def text():
    return repeated(12)


def command(trawl, report, trace):
    words = REPORTS[report]
    return [trawl, *(trace if word == "@" else word for word in words), *([] if "@" in words else [trace])]


def report_of(trawl, report, lines, place):
    """The output of the report for a trace with only these lines, under the name of the other trace."""
    part = place / "t.tarmac"
    part.write_bytes(lines)
    run = subprocess.run(
        command(trawl, report, "-"), stdin=open(part, "rb"), capture_output=True, timeout=TIMEOUT_S, cwd=place
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def wait_until_read(fd):
    """Waits until a pipe is empty."""
    for _ in range(TIMEOUT_S * 100):
        if struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"    "))[0] == 0:
            return
        time.sleep(0.01)
    raise AssertionError("the pipe is not read")


def ended(process):
    kept, process.stdin = process.stdin, None  # keeps the pipe open
    out, err = process.communicate(timeout=TIMEOUT_S)
    if kept:
        kept.close()
    return process.returncode, out, err.decode()


def start(trawl, report, trace, place, **how):
    return subprocess.Popen(
        command(trawl, report, trace), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place, **how
    )


@pytest.mark.parametrize("report", REPORTS)
def test_pipe(trawl, place, text, report):
    place = Path(place)
    lines = text + b"99999999 clk IT (9"
    process = start(trawl, report, "-", place, stdin=subprocess.PIPE)
    process.stdin.write(lines)
    process.stdin.flush()
    wait_until_read(process.stdin.fileno())
    process.send_signal(signal.SIGINT)
    status, out, err = ended(process)
    said = SAID.search(err)
    assert status == 3 and said, f"{status} {err}"
    size = int(said[2])
    assert 0 < size <= len(text) and text[:size].count(b"\n") == int(said[1])
    assert out == report_of(trawl, report, text[:size], place)


def meet(trawl, report, trace, place):
    """Interrupts runs at different moments, until some were interrupted while they read."""
    delay_s, met = 0.01, []
    for _ in range(TRIES):
        process = start(trawl, report, trace, place, stdin=subprocess.DEVNULL)
        time.sleep(delay_s)
        process.send_signal(signal.SIGINT)
        status, out, err = ended(process)
        assert status in (0, 3, -signal.SIGINT) or "before there was anything" in err, (status, err)
        assert (status == 3) == bool(SAID.search(err)), err
        if status == 3:
            met.append((out, SAID.search(err)))
        if len(met) == PARTS_WANTED:
            return met
        delay_s *= 0.9 if status == 0 else 1.1
    pytest.skip("no run was met while it read")


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("report", ["profile", "flamegraph", "perfetto"])
def test_file(trawl, place, text, report, packed):
    place = Path(place)
    whole = text * 8
    trace = place / "t.tarmac"
    trace.write_bytes(gzip.compress(whole, 1) if packed else whole)
    for out, said in meet(trawl, report, "t.tarmac", place):
        size = int(said[2])
        assert whole[:size].count(b"\n") == int(said[1]) and whole[:size].endswith(b"\n")
        expected = report_of(trawl, report, whole[:size], place)
        assert out.replace(b"t.tarmac", b"-") == expected.replace(b"t.tarmac", b"-")
        trace.write_bytes(gzip.compress(whole, 1) if packed else whole)


def test_second_one_ends_it(trawl, place, text):
    """While a report is written, signals are not caught."""
    process = start(trawl, "profile", "-", place, stdin=subprocess.PIPE)
    os.set_blocking(process.stdin.fileno(), True)
    process.stdin.write(text)
    process.stdin.flush()
    wait_until_read(process.stdin.fileno())
    process.send_signal(signal.SIGTERM)
    assert ended(process)[0] == -signal.SIGTERM


def test_index_is_not_left(trawl, place, text):
    """An index that is built is complete, or does not exist."""
    Path(place, "t.tarmac").write_bytes(text * 8)
    delay_s = 0.01
    for _ in range(20):
        process = subprocess.Popen([trawl, "index", "t.tarmac"], cwd=place, stderr=subprocess.DEVNULL)
        time.sleep(delay_s)
        process.send_signal(signal.SIGINT)
        status = process.wait(TIMEOUT_S)
        assert status in (0, -signal.SIGINT)
        index = Path(place, "t.tarmac.index")
        assert index.exists() or status, "no index, and no reason"
        assert set(os.listdir(place)) <= {"t.tarmac", index.name}
        if index.exists():  # it may exist when the signal comes
            assert subprocess.run([trawl, "verify", "t.tarmac"], cwd=place, timeout=TIMEOUT_S).returncode == 0
            index.unlink()
        delay_s *= 0.8 if status == 0 else 1.2


def test_coverage_of_several(trawl, place, text):
    """Traces after the interrupted one are not read, which is reported."""
    for name in ("t.tarmac", "u.tarmac"):
        Path(place, name).write_bytes(text)
    process = subprocess.Popen(
        [trawl, "coverage", f"--image={IMAGE}", "-", "t.tarmac", "u.tarmac"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place,
    )
    process.stdin.write(text)
    process.stdin.flush()
    wait_until_read(process.stdin.fileno())
    process.send_signal(signal.SIGINT)
    status, out, err = ended(process)
    assert status == 3 and SAID.search(err) and "2 more traces were not read" in err, err
    alone = subprocess.run([trawl, "coverage", f"--image={IMAGE}", "t.tarmac"], capture_output=True, cwd=place, timeout=TIMEOUT_S)
    assert alone.returncode == 0 and (out == alone.stdout or b"%" not in alone.stdout)


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_ctf(trawl, checker, place, text, number):
    """An export to a directory that is ended leaves a whole one, or none of its files: from an index, and from the trace."""
    (place / "t").write_bytes(text)
    subprocess.run([trawl, "index", "-q", "t"], cwd=place, check=True, timeout=TIMEOUT_S)
    for round_number in range(30):
        for words in ([], ["--no-index"]):
            out = place / f"{round_number}{''.join(words)}"
            with subprocess.Popen([trawl, "export", "--format", "ctf", "-q", *words, "-o", out, "t"], cwd=place, stderr=subprocess.PIPE) as run:
                while run.poll() is None and not (out.exists() and any(out.iterdir())) and not words:
                    pass
                time.sleep(0.001 * round_number)
                run.send_signal(number)
                said = run.communicate(timeout=TIMEOUT_S)[1]
            left = sorted(path.name for path in out.iterdir()) if out.exists() else []
            checker.check(f"{words} {round_number}: {run.returncode} {left} {said}",
                          "metadata" in left if run.returncode in (0, 3) else not out.exists() or "metadata" in left)
