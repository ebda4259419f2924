#!/usr/bin/env python3
"""Counts the instructions and memory that hostile inputs take at one, two and four times a size: nothing should grow faster than n log
n. Takes minutes, because Valgrind counts.

    tests/faults/growth.py [-k TEXT]

Prints a row for each family of inputs: instructions in millions at each size, the factor for each doubling of the size, and the greatest
resident memory without Valgrind in MB.
"""

import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import quick  # noqa: E402
from costly_input import calls_of, colliding_addresses, xray_buffer  # noqa: E402
from hard_traces import branch_with_link  # noqa: E402
TRAWL = ROOT / "zig-out" / "bin" / "trawl"
TIMEOUT_S = 1200


def instruction(time, pc, cpu=""):
    return "%d clk %sIT (%d) %08x e1a00000 A svc_s : NOP" % (time, cpu, time, pc)


def as_bytes(lines):
    return "\n".join(lines).encode() + b"\n"


def colliding(count):
    return calls_of(colliding_addresses(count))


def deep(count):
    """Calls that never return, each made inside the previous one."""
    lines = ["Tarmac Text Rev 3t", "0 tic ES  EXC Reset"]
    for i in range(count):
        site, entry = 0x8004 + 64 * i, 0x8040 + 64 * i
        lines += ["%d tic ES  (%016x:%08x) O el1h_s: BL f" % (2 * i + 1, site, branch_with_link(site, entry)), " " * 20 + "R X30 %016x" % (site + 4)]
        lines += [" " * 20 + "R SP_EL1 %016x" % (0x3F00000000 - 16 * i), "%d tic ES  (%016x:d503201f) O el1h_s: NOP" % (2 * i + 2, entry)]
    return as_bytes(lines)


def unknown_words(count):
    return as_bytes([instruction(i + 1, 0x8000) if i % 2 else "%d clk WORD%d text" % (i + 1, i) for i in range(2 * count)])


def damaged_lines(count):
    return as_bytes([instruction(i + 1, 0x8000) if i % 2 else "%d clk R r0 zz%d" % (i + 1, i) for i in range(2 * count)])


def scattered_words(count):
    draw = random.Random(2)
    lines = []
    for i in range(count):
        lines += [instruction(i + 1, 0x8000 + 4 * (i % 64)), "%d clk MW8 %016x %016x" % (i + 1, draw.getrandbits(61) << 3, i)]
    return as_bytes(lines)


def falling_times(count):
    return as_bytes([instruction(10**9 - i, 0x8000 + 4 * (i % 64)) for i in range(count)])


def many_cores(count):
    return as_bytes([instruction(i + 1, 0x8000, "core%d " % (i % 250)) for i in range(count)])


def long_lines(count):
    return as_bytes([instruction(i + 1, 0x8000) + " " + "x" * 3000 for i in range(count // 30)])


def xray_threads(count):
    """A buffer for each thread."""
    function = [struct.pack("<II", 1 << 4 | action << 1, 3) for action in (0, 1)]
    header = struct.pack("<HHIQQ", 5, 1, 3, 1000000000, 1 << 20).ljust(32, b"\0")
    return header + b"".join(xray_buffer(i + 1, i, b"".join(function)) for i in range(count))


def xray_open(count):
    """Entries without exits."""
    header = struct.pack("<HHIQQ", 5, 1, 3, 1000000000, 1 << 20).ljust(32, b"\0")
    entries = b"".join(struct.pack("<II", (1 + i % 1000) << 4, 3) for i in range(count))
    return header + xray_buffer(1, 1, entries)


def tfile_frames(count):
    header = b"\x7fTRACE0\nR 80\nstatus 1;tstop::0;tframes:%d;tcreated:%d\ntp T1:8000:E:0:0\n\n" % (count, count)
    body = b"R" + bytes(128) + b"M" + struct.pack("<QH", 0x1000, 16) + bytes(16)
    return header + (struct.pack("<HI", 1, len(body)) + body) * count + b"\0\0"


INDEX = ["index", "t", "--force-index", "--no-sync", "--threads", "1"]
TTU_INDEX = ["index", "t", "--format", "ttu", "-o", "out", "--no-sync", "--threads", "1"]
PROFILE = ["profile", "t", "--memory-index", "--threads", "1", "-q"]
FAMILIES = [
    ("addresses that collided in a hash", colliding, 4000, PROFILE),
    ("open calls, each in the one before", deep, 6000, PROFILE),
    ("the same, indexed", deep, 6000, INDEX),
    ("the same, indexed for the Tarmac Trace Utilities", deep, 6000, TTU_INDEX),
    ("unknown words, all different", unknown_words, 10000, PROFILE),
    ("damaged lines", damaged_lines, 10000, PROFILE),
    ("words of memory all over, indexed", scattered_words, 8000, INDEX),
    ("the same, all writes asked for", scattered_words, 8000, ["writes", "t", "0x0:8", "--all", "--memory-index", "--threads", "1"]),
    ("the same, indexed for the Tarmac Trace Utilities", scattered_words, 8000, TTU_INDEX),
    ("times that fall, indexed", falling_times, 10000, INDEX),
    ("250 cores in turn, indexed", many_cores, 10000, INDEX),
    ("long lines", long_lines, 20000, PROFILE),
    ("threads of an XRay log", xray_threads, 2000, PROFILE),
    ("threads of an XRay log, indexed", xray_threads, 2000, INDEX),
    ("open entries of an XRay log", xray_open, 30000, PROFILE),
    ("the same, indexed", xray_open, 30000, INDEX),
    ("frames of a trace file, indexed", tfile_frames, 4000, INDEX),
]


def measure(words, place):
    environment = {**os.environ, "TRAWL_ISA": "avx2", "TRAWL_IO": "pwrite", "TRAWL_SANDBOX": "off"}
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", TRAWL, *words]
    done = subprocess.run(command, cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
    collected = re.search(rb"Collected : (\d+)", done.stderr)
    assert collected and done.returncode in (0, 3), done.stderr[-400:]
    plain = quick.run_measured([str(TRAWL), *words], place, TIMEOUT_S, environment)
    return int(collected[1]) / 1e6, plain.peak_bytes / (1 << 20)


def main():
    parser = argparse.ArgumentParser(description="Measures how the costs of hostile inputs grow.")
    parser.add_argument("-k", default="", metavar="TEXT", help="only families with this text")
    wanted = parser.parse_args().k
    print("| input | size | Minstructions at 1, 2, 4 | growth | MB |\n|---|---|---|---|---|")
    for name, make, size, words in FAMILIES:
        if wanted not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="trawl-growth-") as directory:
            rows = []
            for times in (1, 2, 4):
                (Path(directory) / "t").write_bytes(make(size * times))
                rows.append(measure(words, directory))
        costs, megabytes = zip(*rows)
        growth = ", ".join("%.2f" % (b / a) for a, b in zip(costs, costs[1:]))
        print("| %s: `%s` | %d | %s | %s | %s |" % (name, words[0], size, ", ".join("%.0f" % c for c in costs), growth, ", ".join("%.0f" % m for m in megabytes)), flush=True)


if __name__ == "__main__":
    main()
