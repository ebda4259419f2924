#!/usr/bin/env python3
"""Compares the values that `trawl tfile show` prints with those of GDB's tdump, for trace files of corpus/tfile.

    compare_tdump.py [--gdb GDB] [--record DIRECTORY] DIRECTORY_OF_TRAWL [NAME...]

A NAME is that of a trace file and of its image, which has debugging information (default: all of PROGRAMS; those of AArch64 are read by
gdb-multiarch). "NAME:half" is the file with only the first half of each block of memory; "NAME:bare" is the file without registers.
--record writes GDB's answers, one file per NAME, for tests/readers/test_tfile_typed.py to compare with. Registers and trace state variables
are not compared: they are separate blocks.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "corpus" / "tfile"
PROGRAMS = ("values", "values-fast", "values-a64", "values-a64-fast")
NAMES = [name + lack for name in PROGRAMS for lack in ("", ":half", ":bare")]
TIMEOUT_S = 120
FRAMES_MAX = 100

SCRIPT = """
import gdb
gdb.execute("set pagination off")
gdb.execute("set width 0")
gdb.execute("target tfile {trace}", to_string=True)
for number in range({frames}):
    gdb.execute(f"tfind {{number}}", to_string=True)
    print(f"=== {{number}}")
    try:
        gdb.execute("tdump")
    except gdb.error as error:
        print("error:", error)
"""


def lacking(blocks, register_bytes, lack):
    """The blocks of a frame without those that `lack` names."""
    kept, at = b"", 0
    while at < len(blocks):
        kind = blocks[at : at + 1]
        size = {b"R": 1 + register_bytes, b"V": 13}.get(kind)
        if kind == b"M":
            length = int.from_bytes(blocks[at + 9 : at + 11], "little")
            half = length // 2 if lack == "half" else length
            kept += blocks[at : at + 9] + half.to_bytes(2, "little") + blocks[at + 11 : at + 11 + half]
            size = 11 + length
        elif kind == b"V" or lack != "bare":
            kept += blocks[at : at + size]
        at += size
    return kept


def trace_named(name, directory):
    """The trace file; if it lacks something, it is made in `directory`."""
    base, _, lack = name.partition(":")
    path = CORPUS / f"{base}.tf"
    if not lack:
        return path
    head, _, frames = path.read_bytes().partition(b"\n\n")
    register_bytes = int(re.search(rb"^R (\w+)$", head, re.MULTILINE)[1], 16)
    out, at = head + b"\n\n", 0
    while frames[at : at + 2] != b"\0\0":
        size = int.from_bytes(frames[at + 2 : at + 6], "little")
        blocks = lacking(frames[at + 6 : at + 6 + size], register_bytes, lack)
        out += frames[at : at + 2] + len(blocks).to_bytes(4, "little") + blocks
        at += 6 + size
    made = Path(directory) / f"{base}-{lack}.tf"
    made.write_bytes(out + bytes(4))
    return made


def image_named(name):
    return CORPUS / f"{name.partition(':')[0]}.elf"


def answer_named(directory, name):
    return Path(directory) / f"{name.replace(':', '-')}.txt"


def frame_count(trawl, trace):
    words = [trawl, "tfile", "frames", "--format", "json", trace]
    text = subprocess.run(words, check=True, capture_output=True, timeout=TIMEOUT_S).stdout
    return min(len(json.loads(text)), FRAMES_MAX)


def of_gdb(gdb, trace, image, frames):
    """For each frame, a line "=== N" and then lines NAME = VALUE."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(SCRIPT.format(trace=trace, frames=frames))
        script.flush()
        words = [gdb, "-q", "-batch", "-nx", "-ex", "set sysroot /nonexistent", "-ex", f"file {image}",
                 "-x", script.name]
        text = subprocess.run(words, capture_output=True, timeout=TIMEOUT_S, text=True, check=True).stdout
    # Registers are printed in columns.
    lines = [line for line in text.splitlines()
             if line.startswith(("===", "error:")) or (" = " in line and not re.match(r"\w+ {2,}", line))]
    return "\n".join(lines) + "\n"


def values_of_gdb(text):
    frames = []
    for line in text.splitlines():
        if line.startswith("==="):
            frames.append([])
        elif line.startswith("error:"):
            frames[-1].append(("", line))
        elif not line.startswith("$seen"):
            # Elements beyond the pieces that a location has; GDB 13 takes them for pointers into nowhere.
            line = line.replace("<synthetic pointer>", "<optimized out>")
            frames[-1].append(tuple(line.split(" = ", 1)))
    return frames


def values_of_trawl(trawl, trace, image, frames):
    words = [trawl, "tfile", "show", "--format", "json", "--image", image, trace, *map(str, range(frames))]
    text = subprocess.run(words, check=True, capture_output=True, timeout=TIMEOUT_S).stdout
    found = [[] for _ in range(frames)]
    for row in json.loads(text):
        if row["kind"] in ("value", "argument", "local"):
            found[row["frame"]].append((row["name"], row["value"]))
    return found


def different_rows(name, found, wanted):
    """The lines that only one of them has."""
    lines = []
    for number, (have, want) in enumerate(zip(found, wanted)):
        # tdump stops at the first expression that has no value.
        ends = [place for place, (_, value) in enumerate(want) if value.startswith("error: ")]
        if ends:
            have, want = have[: ends[0]], want[: ends[0]]
        rows = sorted(set(have) ^ set(want))
        lines += [f"{name}: frame {number}: only {'trawl' if row in have else 'GDB'}: {row[0]} = {row[1]}" for row in rows]
        if have != want and not rows:
            lines.append(f"{name}: frame {number}: the same in another order")
    return lines


def main():
    parser = argparse.ArgumentParser(description="Compares the values of trawl tfile show with those of GDB's tdump.")
    parser.add_argument("directory", type=Path, help="where trawl is")
    parser.add_argument("names", nargs="*", default=NAMES, help="trace files of corpus/tfile")
    parser.add_argument("--gdb", help="the debugger to ask (default: gdb, or gdb-multiarch)")
    parser.add_argument("--record", type=Path, metavar="DIRECTORY", help="write what it answers")
    arguments = parser.parse_args()
    count, lines, trawl = 0, [], arguments.directory / "trawl"
    with tempfile.TemporaryDirectory() as directory:
        for name in arguments.names:
            trace, image = trace_named(name, directory), image_named(name)
            frames = frame_count(trawl, trace)
            gdb = arguments.gdb or ("gdb-multiarch" if "a64" in name else "gdb")
            text = of_gdb(gdb, trace, image, frames)
            if arguments.record:
                answer_named(arguments.record, name).write_text(text)
            wanted = values_of_gdb(text)
            lines += different_rows(name, values_of_trawl(trawl, trace, image, frames), wanted)
            count += sum(map(len, wanted))
    print("\n".join([*lines, f"{count} values, {len(lines)} lines of difference"]))
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
