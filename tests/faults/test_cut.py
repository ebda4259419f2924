"""Checks that a file that is truncated or changed while trawl reads it leads to an error message or a report, and never to a signal:
traces, XRay logs, trace files of GDB, tables of rules, images and indexes.

    tests/run.py cut

Each command runs repeatedly while its file is truncated at other places, at other times, or is overwritten. It is no failure if the
change does not happen during the reading: only how a command ends is checked, not when.
"""

import os
import random
import shutil
import struct
import subprocess
import time
from pathlib import Path

import pytest
from costly_input import xray_buffer

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
TRIES = 12
PAGE = 4096
IMAGE = ROOT / "corpus" / "sframe" / "stacks-x86_64-v2.elf"


# --- Files ------------------------------------------------------------------------------------------


def make_xray(path):
    """A log of version 5 with four threads, with calls that nest and end."""
    function = [struct.pack("<II", f << 4 | action << 1, 3) for f in (1, 2, 3) for action in (0, 1)]
    one = b"".join(function[i] for i in (0, 2, 4, 5, 3, 2, 3, 1))
    header = struct.pack("<HHIQQ", 5, 1, 3, 1000000000, 1 << 20).ljust(32, b"\0")
    buffers = [xray_buffer(1 + i % 4, i, one * 1500) for i in range(60)]
    path.write_bytes(header + b"".join(buffers))


def make_tarmac(path):
    lines = "".join(
        f"{i} clk IT ({i}) {0x8000 + 4 * (i % 64):08x} e1a00000 A svc_s : NOP\n{i} clk R r{i % 13} {i:08x}\n"
        f"{i} clk MW4 {0x20000000 + i % 4096 * 4:08x} {i:08x}\n"
        for i in range(1, 100000)
    )
    path.write_text(lines)


def make_tfile(path):
    header = b"\x7fTRACE0\nR 80\nstatus 1;tstop::0;tframes:4000;tcreated:4000\ntp T1:8000:E:0:0\n\n"
    frames = []
    for i in range(4000):
        body = b"R" + struct.pack("<I", i) * 32 + b"M" + struct.pack("<QH", 0x1000 + i, 256) + bytes(256)
        frames.append(struct.pack("<HI", 1, len(body)) + body)
    path.write_bytes(header + b"".join(frames) + b"\0\0")


# --- Changes to the files ----------------------------------------------------------------------------


def cut(path, size, chance):
    os.truncate(path, chance.randrange(0, size))


def cut_at_page(path, size, chance):
    os.truncate(path, chance.randrange(0, size) // PAGE * PAGE)


def write_over(path, size, chance):
    with open(path, "r+b") as file:
        for _ in range(50):
            file.seek(chance.randrange(0, size))
            file.write(chance.randbytes(2000))
            file.flush()


def write_zeros(path, size, chance):
    with open(path, "r+b") as file:
        start = chance.randrange(0, size)
        file.seek(start)
        file.write(bytes(size - start))


SPOILERS = [cut, cut_at_page, write_over, write_zeros]


# --- Checks -----------------------------------------------------------------------------------------


def say(command, spoiler, process, err):
    return f"FAIL {' '.join(command[1:])}, {spoiler.__name__}: status {process.returncode}: {err[-300:]!r}"


def try_command(command, spoiled, directory, chance):
    """Runs the command on fresh copies of the file, which are changed meanwhile. Returns the failures."""
    keep = Path(str(spoiled) + ".whole")
    shutil.copy2(spoiled, keep)
    size = keep.stat().st_size
    started = time.monotonic()
    subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S)
    usual_s = time.monotonic() - started
    failures = []
    # The result of a check is its answer: zeros may make a table that is readable but wrong.
    told, failed = (subprocess.PIPE, 2) if "--check" in command else (subprocess.DEVNULL, 1)
    for number in range(TRIES):
        shutil.copyfile(keep, spoiled)
        shutil.copystat(keep, spoiled)
        spoiler = SPOILERS[number % len(SPOILERS)]
        process = subprocess.Popen(command, cwd=directory, stdout=told, stderr=subprocess.PIPE)
        time.sleep(usual_s * chance.random())
        spoiler(spoiled, size, chance)
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        if process.returncode < 0 or process.returncode not in (0, 1, 3, failed) or (process.returncode in (1, failed) and not (out or err)):
            failures.append(say(command, spoiler, process, err.decode(errors="replace")))
    shutil.copyfile(keep, spoiled)
    shutil.copystat(keep, spoiled)
    return failures


def commands_of(kind):
    """Commands that read a kind of file: (file, arguments)."""
    index = ["index", "--force-index", "--no-sync", "--segment-events", "2000"]
    if kind == "xray":
        yield from (
            index + ["t"],
            ["profile", "t"],
            ["calltree", "--depth", "2", "t"],
            ["export", "t"],
            ["xray", "account", "t"],
            ["xray", "stack", "t"],
            ["xray", "graph", "t"],
            ["xray", "convert", "-f", "trace_event", "t"],
            ["xray", "convert", "-f", "yaml", "t"],
        )
    elif kind == "tfile":
        yield from (index + ["t"], ["tfile", "frames", "t"], ["tfile", "series", "t", "pc"], ["info", "t"])
    else:
        yield from (index + ["t"], ["profile", "t"], ["calltree", "t"], ["vcd", "-o", "/dev/null", "t"])


def check_traces(kind, make, directory):
    make(directory / "t")
    for arguments in commands_of(kind):
        yield arguments, directory / "t"


def check_indexes(trawl, directory):
    make_tarmac(directory / "t")
    subprocess.run([trawl, "index", "t"], cwd=directory, check=True, timeout=TIMEOUT_S)
    yield ["profile", "--no-index", "t"], directory / "t.index"
    yield ["state", "--no-index", "--at", "end", "t"], directory / "t.index"
    yield ["writes", "--no-index", "--all", "r1", "t"], directory / "t.index"
    yield ["verify", "t.index"], directory / "t.index"


def check_images(trawl, directory):
    make_tarmac(directory / "t")
    shutil.copyfile(trawl, directory / "image")
    yield ["profile", "--image", "image", "t"], directory / "image"
    shutil.copyfile(IMAGE, directory / "rules")
    yield ["sframe", "rules"], directory / "rules"
    yield ["sframe", "--check", "rules"], directory / "rules"


def check_rules(trawl, directory):
    shutil.copyfile(IMAGE, directory / "image")
    command = [trawl, "sframe", "convert", "-o", "rules", "image"]
    subprocess.run(command, cwd=directory, check=True, timeout=TIMEOUT_S)
    yield ["sframe", "--stats", "rules"], directory / "rules"
    yield ["sframe", "rules", "--lookup", "401136", "401140"], directory / "rules"


CHECKS = {
    "tarmac": lambda _, directory: check_traces("tarmac", make_tarmac, directory),
    "xray": lambda _, directory: check_traces("xray", make_xray, directory),
    "tfile": lambda _, directory: check_traces("tfile", make_tfile, directory),
    "index": check_indexes,
    "image": check_images,
    "rules": check_rules,
}


@pytest.mark.parametrize("name", CHECKS)
def test_files(checker, place, name):
    chance = random.Random(name)
    for words, spoiled in CHECKS[name](checker.trawl, place):
        failures = try_command([checker.trawl, *words], spoiled, place, chance)
        checker.no_fault(" ".join(map(str, words)), failures)
