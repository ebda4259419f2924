#!/usr/bin/env python3
"""Compares the indexes that `trawl index --format ttu` writes with those that Arm's Tarmac Trace Utilities make themselves.

    tools/compare_ttu_index.py DIRECTORY --traces corpus/traces/*.tarmac
    tools/compare_ttu_index.py DIRECTORY --random 1000 --kind state
    tools/compare_ttu_index.py DIRECTORY --traces corpus/traces/sort*.tarmac --screens 40

DIRECTORY contains their programs, unmodified. For each trace, tarmac-indextool makes one index, and trawl another. Compared are:
- the contents of both files, as the second reader of the tests reads them (likeness level B), at all events of small traces and at
  samples of others; the reader first checks that our index is sound;
- the answers of tarmac-indextool from each index: the header except for offsets, --seq, --bypc, --full-mem-at-line for lines all over
  the trace, for line 0 and beyond the end, and with --memory --seq-with-mem for small traces;
- with --screens N, what two of their tarmac-browser show after each of N random keys.

A trace is left out if their program refuses it, crashes or hangs. --record FILE writes a digest of the common contents for each trace.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tools" / "tracegen")]

import ttu_reader  # noqa: E402
from kinds import KINDS, make_trace  # noqa: E402
from tmux_screen import Screen  # noqa: E402

TIMEOUT_S = 60
MEMORY_LINES_MAX = 3000  # for a trace whose whole memory is dumped after each event
REGION_SAMPLES = 200  # events at which such a region is searched for
KEYS = ["Down", "Down", "Up", "PageDown", "PageUp", "Home", "End", "C-l", "-", "+", "[", "]", "{", "}", "a", "Enter", "n", "N",
        "e", "E", "Tab", "r", "S", "D", "V", "F6", "F7", "t", "l", "p", "P", "m", "1", "4", "8", "d", "<", ">", "Left", "Right"]


class Left(Exception):
    """The trace cannot be compared."""


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, timeout=TIMEOUT_S, check=False, **more)


class Pair:
    """A trace with their index and ours."""

    def __init__(self, arguments, trace, options, place):
        self.trace, self.options, self.place = trace, options, Path(place)
        self.theirs, self.ours = self.place / "theirs", self.place / "ours"
        self.indextool = Path(arguments.directory).resolve() / "tarmac-indextool"
        self.browser = self.indextool.parent / "tarmac-browser"
        try:
            made = run([self.indextool, *options, "-q", "--only-index", "--force-index", f"--index={self.theirs}", trace])
        except subprocess.TimeoutExpired as error:
            raise Left("they hang") from error
        if made.returncode:
            raise Left("they refuse it: %s" % made.stderr.decode("latin-1").split("\n")[0])
        own = run([Path(arguments.prefix) / "bin" / "trawl", "index", *options, "--format", "ttu", "--no-sync",
                   *arguments.own_options, "-o", self.ours, trace])
        if b"no instructions found" in own.stderr:
            raise Left("it has no instructions")
        if own.returncode not in (0, 3):
            raise AssertionError("ours fails: %s" % own.stderr.decode("latin-1"))

    def ask(self, index, query):
        found = run([self.indextool, "--no-index", f"--index={index}", "--omit-index-offsets", *query, self.trace])
        return b"\n".join(line for line in found.stdout.split(b"\n") if not line.startswith(b"Root of")), found.returncode


def has_empty_region(index):
    """Whether a host call wrote a region of no bytes: an empty item, or, at address 0, all of memory."""
    return any(item.space == b"m" and not item.is_known and item.line and (item.hi < item.lo or item.hi - item.lo == ttu_reader.TOP)
               for number in ttu_reader.samples_of(len(index.events), REGION_SAMPLES)
               for item in index.items(index.events[number].root))


def compare_files(pair, samples, differences):
    """Returns a digest of what is the same."""
    theirs, ours = ttu_reader.read(pair.theirs), ttu_reader.read(pair.ours)
    numbers = ttu_reader.samples_of(len(ours.events), samples)
    if has_empty_region(theirs):
        raise Left("a host call wrote no bytes, which splits what is there")
    try:
        ttu_reader.check_all(ours, os.path.getsize(pair.trace), numbers)
    except ttu_reader.Wrong as error:
        differences.append(f"ours is not sound: {error}")
        return ""
    texts = [index.text(numbers).split("\n") for index in (theirs, ours)]
    if texts[0] != texts[1]:
        at = next((i for i, pair in enumerate(zip(*texts)) if pair[0] != pair[1]), min(map(len, texts)))
        differences.append("file:\n    theirs %s\n    ours   %s" % tuple((text[at:at + 1] or ["(end)"])[0] for text in texts))
    return ours.digest(numbers)


def queries_of(lines, arguments):
    yield ["--header"]
    yield ["--seq"]
    yield ["--bypc"]
    for line in sorted({0, lines + 1, *ttu_reader.samples_of(lines + 1, arguments.samples)}):
        yield [f"--full-mem-at-line={line}"]
    if arguments.memory and lines <= MEMORY_LINES_MAX:
        yield ["--seq-with-mem"]


def compare_answers(pair, lines, arguments, differences):
    for query in queries_of(lines, arguments):
        if pair.ask(pair.theirs, query) != pair.ask(pair.ours, query):
            differences.append("indextool " + query[0])


def answer(chooser, key, lines):
    """The text that is typed if a key asks for something."""
    if key in "pPm":
        return chooser.choice(["sp", "pc", "lr", "0x8000", "0x10000"])
    return str(chooser.randrange(1, max(lines, 2)))


def compare_screens(pair, lines, arguments, differences):
    chooser = random.Random(f"{arguments.seed} {pair.trace.name}")
    screens = [Screen([str(pair.browser), "--no-index", f"--index={index}", pair.trace.name], 91, 50, cwd=pair.trace.parent)
               for index in (pair.theirs, pair.ours)]
    done = []
    try:
        for screen in screens:
            screen.wait_for("Tarmac file")
        for _ in range(arguments.screens):
            key = chooser.choice(KEYS)
            keys = [key]
            if key in ("t", "l", "p", "P", "m", "d"):
                keys += ["'" + answer(chooser, key, lines), "Enter"]
            done.append(" ".join(keys))
            shown = [screen.keys(*keys) for screen in screens]
            if shown[0] != shown[1]:
                differences.append("screen, behind %s:\n%s" % (", ".join(done[-8:]), "\n".join(
                    f"    theirs {a}\n    ours   {b}" for a, b in zip(shown[0][0].split("\n"), shown[1][0].split("\n")) if a != b)))
                return
    finally:
        for screen in screens:
            screen.close()


def compare(arguments, label, data, options):
    """(differences, digest) of one trace. Raises Left."""
    with tempfile.TemporaryDirectory(prefix="compare-ttu-") as place:
        trace = Path(place) / "t.tarmac"
        trace.write_bytes(data)
        differences, lines = [], data.count(b"\n")
        try:
            pair = Pair(arguments, trace, options, place)
        except AssertionError as error:
            return [str(error)], ""
        digest = compare_files(pair, arguments.samples, differences)
        if not arguments.files_only:
            compare_answers(pair, lines, arguments, differences)
        if arguments.screens:
            compare_screens(pair, lines, arguments, differences)
        return differences, digest


def minimize(arguments, data, options):
    """Removes lines as long as a difference remains."""
    lines, step = data.splitlines(keepends=True), max(1, data.count(b"\n") // 2)
    while step:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + step:]
            try:
                is_different = bool(compare(arguments, "", b"".join(fewer), options)[0])
            except Left:
                is_different = False
            if is_different:
                lines = fewer
            else:
                at += step
        step //= 2
    return b"".join(lines)


def compare_one(work):
    arguments, label, source = work
    if isinstance(source, int):
        made = make_trace(source, arguments.kind)
        data, options = made.data, [word for word in made.options if word in ("--bi", "--implicit-thumb")]
    else:
        data, options = Path(source).read_bytes(), ["--bi"] if "be." in os.path.basename(source) else []
    try:
        differences, digest = compare(arguments, label, data, options)
    except Left as reason:
        return label, None, str(reason), ""
    if differences and arguments.minimize:
        small = minimize(arguments, data, options)
        differences.append(" ".join(["options:", *options]) + "\n" + small.decode("latin-1"))
    return label, differences, "", digest


def works(arguments):
    for path in arguments.traces:
        yield arguments, os.path.basename(path), path
    for seed in range(arguments.seed, arguments.seed + arguments.random):
        yield arguments, f"{arguments.kind}-{seed}", seed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="with their programs")
    parser.add_argument("--prefix", default=ROOT / "zig-out", help="where trawl is installed")
    parser.add_argument("--own-options", default=[], type=str.split, help="further options of 'trawl index'")
    parser.add_argument("--traces", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="compare on N random traces")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=sorted(KINDS), default="state")
    parser.add_argument("--samples", type=int, default=20, help="events of a trace whose memory is compared")
    parser.add_argument("--memory", action="store_true", help="compare --seq-with-mem, too")
    parser.add_argument("--files-only", action="store_true", help="do not ask tarmac-indextool")
    parser.add_argument("--screens", type=int, default=0, metavar="N", help="press N random keys in two browsers")
    parser.add_argument("--minimize", action="store_true", help="show the lines that make a difference")
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--at-once", type=int, default=2)
    arguments = parser.parse_args()
    failed = left = total = 0
    digests = []
    with ThreadPoolExecutor(arguments.at_once) as pool:
        for label, differences, reason, digest in pool.map(compare_one, works(arguments)):
            total += 1
            left += differences is None
            failed += bool(differences)
            if differences is None:
                print(f"LEFT OUT {label}: {reason}", flush=True)
            for text in differences or []:
                print(f"DIFFERENT {label}: {text}", flush=True)
            if differences == []:
                digests.append(f"{label} {digest}\n")
    if arguments.record:
        with open(arguments.record, "a", encoding="ascii") as file:
            file.writelines(digests)
    print(f"{total - failed - left} equal, {failed} different, {left} left out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
