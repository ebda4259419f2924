#!/usr/bin/env python3
"""Compares an index of trawl with the output of tarmac-indextool of Arm's Tarmac Trace Utilities for the same trace: nodes, registers,
memory, which event wrote them, call depth, and the list by PC.

    tools/compare_state.py PREFIX INDEXTOOL --traces corpus/traces/*.tarmac
    tools/compare_state.py PREFIX INDEXTOOL --random 1000 --seed 1 --kind state

PREFIX is where trawl and its tests are installed (zig-out). Small traces are compared at every node,
others at some nodes. A trace is left out if INDEXTOOL refuses it, crashes or hangs.

Two differences are intended: a region that a host call writes is truncated at the end of the address space (INDEXTOOL
forgets such a region), and a region of no bytes at address 0 is ignored (INDEXTOOL takes it for all of memory).
"""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support"), os.path.join(ROOT, "tools", "tracegen")]

import libtrawl  # noqa: E402
from kinds import KINDS, make_trace  # noqa: E402
from state_text import REGISTER_BYTES, depth, merge, state_hash, windows_of  # noqa: E402

TIMEOUT_S = 300
BUILD_TIMEOUT_S = 10  # to build its index: on some traces it hangs
SMALL_LINES = 400
FLAGS = "internal_flags"
DIFFERENCES_MAX = 8


class Left(Exception):
    """The trace cannot be compared."""


# --- The reference -------------------------------------------------------------------------------

Node = collections.namedtuple("Node", "line lines position size_bytes time pc depth")


class State:
    """Registers and memory as a dump of the reference shows them; lines are counted as in its index."""

    def __init__(self):
        self.registers = {}  # name: (line of the latest write, bytes or None)
        self.pieces = []  # [line of the latest write, address, bytes or None]

    def add(self, text):
        """Read a line of a dump, without the blanks before it."""
        if text.startswith("Memory last"):
            self.pieces.append([int(text[:-1].rsplit(" ", 1)[1]), None, []])
        elif ", last modified" in text:
            name, line, values = re.fullmatch(r"(\w+), last modified at line (\d+): (.*)", text).groups()
            self.registers[name] = int(line), [None if v == ".." else int(v, 16) for v in values.split()]
        else:
            self.add_row(text)

    def add_row(self, text):
        """Read a row of a dump of memory. All rows of a piece begin with the first bytes of the piece; rows after the first
        misprint their own bytes."""
        piece = self.pieces[-1]
        cells = [text[17 + 3 * i:19 + 3 * i] for i in range(16)]
        shown = [int(cell, 16) for cell in cells if cell.strip()]
        if piece[1] is None:
            piece[1] = int(text[:16], 16) + next(i for i, cell in enumerate(cells) if cell.strip())
            piece[2] = shown
        else:
            known = [value for value in piece[2] if value is not None]
            known = max(known, shown, key=len)
            total = len(piece[2]) + len(shown)
            piece[2] = known + [None] * (total - len(known))

    def memory(self):
        """Yield (address, line, value) of each byte; a value is None if it was misprinted."""
        for line, address, values in self.pieces:
            for i, value in enumerate(values):
                yield address + i, line, value


class Peer:
    """tarmac-indextool and its index of one trace."""

    def __init__(self, program, trace, options, directory):
        self.trace = trace
        self.command = [program, "--index=" + os.path.join(directory, "peer"), "--omit-index-offsets"]
        try:
            self.run("--only-index", *options, timeout_s=BUILD_TIMEOUT_S)
        except subprocess.SubprocessError as error:
            raise Left(str(error).rsplit("']' ", 1)[-1]) from None
        head = self.run("--header")
        self.header_lines = int(re.search(r"file header: (\d+)", head).group(1))
        self.maps = [self.read_map(flags) for flags in (0, 1)]

    def run(self, *words, timeout_s=TIMEOUT_S):
        """Return what it prints."""
        done = subprocess.run([*self.command, *words, self.trace], capture_output=True, timeout=timeout_s, check=True)
        return done.stdout.decode("latin-1")

    def read_map(self, flags):
        """{register: (offset, bytes)} in AArch32 or AArch64 state."""
        rows = re.findall(r"(\w+) offset=(\w+) size=(\w+)", self.run("--regmap", "--iflags=%d" % flags))
        return {name: (int(offset, 16), int(size, 16)) for name, offset, size in rows}

    def nodes(self, with_state):
        """Yield (Node, State) of each node."""
        text = self.run("--seq-with-mem" if with_state else "--seq")
        for block in text.split("Node:\n")[1:]:
            lines = block.splitlines()
            values = [re.search(r": (?:start )?(\w+)(?:, extent (\w+))?", line).groups() for line in lines[:5]]
            state = State()
            for line in lines[5:]:
                state.add(line[6:])
            yield Node(int(values[0][0]), int(values[0][1]), int(values[1][0], 16), int(values[1][1], 16),
                       int(values[2][0]), 2 if values[3][0] == "invalid" else int(values[3][0], 16),
                       int(values[4][0])), state

    def state_at(self, line):
        """The State at a line of the index."""
        state = State()
        for text in self.run("--full-mem-at-line=%d" % line).splitlines():
            state.add(text)
        return state

    def by_pc(self):
        """The list of (PC, line)."""
        rows = re.findall(r"PC: (\w+)\n +Line: (\d+)", self.run("--bypc"))
        return [(int(pc, 16), int(line)) for pc, line in rows]


# --- Comparing -----------------------------------------------------------------------------------


class Comparison:
    """One trace: compares what the reference and the index say about it."""

    def __init__(self, peer, index, data, chooser):
        self.peer, self.index, self.data, self.chooser = peer, index, data, chooser
        self.differences = []
        self.compared = collections.Counter()
        self.line_of = [self.index.event(i).line - peer.header_lines for i in range(index.info.events)]
        self.windows = windows_of(data)

    def same(self, what, theirs, ours):
        """Record a comparison."""
        self.compared[what.split(" ")[0]] += 1
        if theirs != ours:
            self.differences.append("%s: %s, not %s" % (what, ours, theirs))

    def line(self, event):
        """The line of the reference's index at which an event begins; 0 if there is no event."""
        return 0 if event is None else self.line_of[event]

    def compare_node(self, number, node):
        """Compare a node's place, time and depth."""
        if number >= len(self.line_of):
            return self.same("node %d" % number, node, None)
        event = self.index.event(number)
        is_last = number + 1 == len(self.line_of)
        behind = None if is_last else self.index.event(number + 1)
        info, end = self.index.info, len(self.data)
        if info.damaged_lines:  # a last line without newline belongs to no node: others are refused
            end = self.data.rfind(b"\n") + 1
        end = end if is_last else behind.position
        end_line = info.lines + 1 - info.damaged_lines if is_last else behind.line
        ours = Node(event.line - self.peer.header_lines, end_line - event.line, event.position,
                    end - event.position, event.time, event.pc, depth(self.index, number))
        for field in Node._fields:
            self.same("%s of node %d" % (field, number), getattr(node, field), getattr(ours, field))
        for line in {event.line, end_line - 1, (event.line + end_line - 1) // 2}:
            self.same("event at line %d" % line, number, self.index.event_at_line(line))
        return None

    def compare_registers(self, number, state):
        """Compare every byte of the register space and the latest write to each register."""
        flags = state.registers.pop(FLAGS, (0, [0]))[1][0]
        wanted = {}
        places = self.peer.maps[flags & 1]
        for name, (line, values) in state.registers.items():
            offset, size_bytes = places[name]
            wanted.update((offset + i, value) for i, value in enumerate(values) if value is not None)
            written = self.index.register_written(0, number, offset, size_bytes)
            self.same("write of %s at node %d" % (name, number), line, self.line(written))
        values, known = self.index.registers(0, number, 0, REGISTER_BYTES)
        ours = {i: values[i] for i in range(REGISTER_BYTES) if known[i]}
        self.compared["register"] += len(wanted)
        if ours != wanted:
            self.differences.append("registers at node %d: %s" % (number, describe(wanted, ours)))

    def compare_memory(self, number, state, every_write):
        """Compare which bytes of memory are known, their values, and which event wrote them."""
        wanted = {}
        for address, line, value in state.memory():
            wanted[address] = value
            if every_write or self.chooser.random() < 0.05:
                write = self.index.memory_written(number, address, 1)
                self.same("store to %#x at node %d" % (address, number), line, self.line(write and write.event))
        for line, address, values in state.pieces:
            write = self.index.memory_written(number, address, len(values))
            self.same("store to %d bytes of %#x at node %d" % (len(values), address, number), line,
                      self.line(write and write.event))
        ours = {}
        windows = merge(self.windows + [(at, min(2**64, at + 1)) for at in wanted])
        for start, end in windows:
            values, known = self.index.memory(number, start, end - start)
            ours.update((start + i, values[i]) for i in range(end - start) if known[i])
        for address, value in wanted.items():
            if value is None and address in ours:
                wanted[address] = ours[address]
        self.compared["memory"] += len(wanted)
        if ours != wanted:
            self.differences.append("memory at node %d: %s" % (number, describe(wanted, ours)))

    def compare_by_pc(self):
        """Compare the list by PC with walks from visit to visit."""
        wanted = sorted(set(self.peer.by_pc()))  # the list has an exception at address 6 twice
        pcs = {self.index.event(i).pc & ~1 for i in range(len(self.line_of))} | {libtrawl.EXCEPTIONS}
        found = []
        for pc in sorted(pcs - {2}):
            event = self.index.next_visit(libtrawl.ANY_LANE, pc, libtrawl.START)
            while event is not None:
                found.append((pc, self.line(event)))
                event = self.index.next_visit(libtrawl.ANY_LANE, pc, event)
        self.compared["visit"] += len(wanted)
        if found != wanted:
            self.differences.append("list by PC: ours only %s, theirs only %s" % (
                sorted(set(found) - set(wanted))[:3], sorted(set(wanted) - set(found))[:3]))

    def compare(self, samples):
        """Compare everything: states at every node of a small trace, and at `samples` nodes of others."""
        is_small = self.data.count(b"\n") <= SMALL_LINES
        count = 0
        for number, (node, state) in enumerate(self.peer.nodes(is_small)):
            self.compare_node(number, node)
            count += 1
            if is_small and number < len(self.line_of):
                self.compare_registers(number, state)
                self.compare_memory(number, state, True)
        self.same("number of nodes", count, len(self.line_of))
        if not is_small:
            for number in sorted(self.chooser.sample(range(count), min(samples, count)) + [count - 1]):
                state = self.peer.state_at(self.line_of[number])
                self.compare_registers(number, state)
                self.compare_memory(number, state, False)
        self.compare_by_pc()


def describe(wanted, ours):
    """A short text of the differences between two {address: value}."""
    texts = []
    for at in sorted(set(wanted) | set(ours)):
        if wanted.get(at) != ours.get(at):
            texts.append("%#x %s not %s" % (at, *("?" if v is None else "%02x" % v for v in (ours.get(at), wanted.get(at)))))
    return ", ".join(texts[:6]) + (" and %d more" % (len(texts) - 6) if len(texts) > 6 else "")


# --- Traces --------------------------------------------------------------------------------------


def compare_data(arguments, data, options):
    """Compare one trace; return what was compared, the differences, and the answer to record. Raises
    Left."""
    with tempfile.TemporaryDirectory() as directory:
        trace, index = os.path.join(directory, "t.tarmac"), os.path.join(directory, "index")
        with open(trace, "wb") as file:
            file.write(data)
        peer = Peer(arguments.indextool, trace, options, directory)
        segment = [] if data.count(b"\n") > SMALL_LINES and not arguments.segment_events else [
            "--segment-events", str(arguments.segment_events or 1 + len(data) % 37)]
        made = subprocess.run([os.path.join(arguments.prefix, "tests", "make-index"), "--ttu", *options, *segment, trace, index],
                              capture_output=True, timeout=TIMEOUT_S, check=False)
        if made.returncode:
            return collections.Counter(), ["no index: " + made.stderr.decode("latin-1")], ""
        library = libtrawl.Library(os.path.join(arguments.prefix, "lib", "libtrawl.so"))
        try:
            with library.open(index) as opened:
                opened.verify()
                comparison = Comparison(peer, opened, data, random.Random(len(data)))
                comparison.compare(arguments.samples)
                answer = state_hash(opened, data) if arguments.record else ""
        except libtrawl.Refused as error:
            return collections.Counter(), ["refused: %s" % error], ""
        return comparison.compared, comparison.differences, answer


def kind_of(differences):
    """What a difference is about, without its numbers."""
    return re.sub(r"[ :].*", "", differences[0]) if differences else None


def minimize(arguments, data, options, wanted):
    """Remove lines as long as a difference of the wanted kind remains."""
    lines, step = data.splitlines(keepends=True), max(1, data.count(b"\n") // 2)
    while step:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + step:]
            try:
                found = kind_of(compare_data(arguments, b"".join(fewer), options)[1])
            except Left:
                found = None
            if found == wanted:
                lines = fewer
            else:
                at += step
        step //= 2
    return b"".join(lines)


def compare_one(work):
    """Compare one trace and report the result."""
    arguments, label, source = work
    if isinstance(source, int):
        made = make_trace(source, arguments.kind)
        data, options = made.data, [word for word in made.options if word in ("--bi", "--implicit-thumb")]
    else:
        with open(source, "rb") as file:
            data = file.read()
        options = ["--bi"] if "be." in os.path.basename(source) else []
    try:
        compared, differences, answer = compare_data(arguments, data, options)
    except Left as reason:
        return label, None, [str(reason)], b"", ""
    small = b""
    if differences and arguments.minimize:
        small = minimize(arguments, data, options, kind_of(differences))
        differences = compare_data(arguments, small, options)[1] + [" ".join(["options:", *options])]
    return label, compared, differences, small, answer


def works(arguments):
    """Yield (arguments, label, seed or path) of each trace."""
    for path in arguments.traces:
        yield arguments, path, path
    for seed in range(arguments.seed, arguments.seed + arguments.random):
        yield arguments, "%s-%d" % (arguments.kind, seed), seed


def main():
    """Compare traces of files and seeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", help="where trawl is installed with its tests")
    parser.add_argument("indextool", help="the reference")
    parser.add_argument("--traces", nargs="*", default=[], metavar="FILE", help="compare on these")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="compare on N random traces")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first random trace")
    parser.add_argument("--kind", choices=sorted(KINDS), default="state", help="kind of random traces (default: state)")
    parser.add_argument("--samples", type=int, default=20, help="nodes of a larger trace (default 20)")
    parser.add_argument("--segment-events", type=int, help="events a segment (default: few in small traces)")
    parser.add_argument("--minimize", action="store_true", help="show the lines that make a difference")
    parser.add_argument("--record", metavar="FILE", help="add the answers to FILE where both agree")
    parser.add_argument("--jobs", type=int, default=2, help="traces at a time (default 2)")
    arguments = parser.parse_args()
    total, failed, left, answers = collections.Counter(), 0, 0, []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for label, compared, differences, small, answer in pool.map(compare_one, works(arguments)):
            for text in differences[:DIFFERENCES_MAX]:
                print("%s %s: %s" % ("LEFT OUT" if compared is None else "DIFFERENT", label, text))
            left += compared is None
            failed += compared is not None and bool(differences)
            total += compared or {}
            if answer and not differences:
                answers.append("%s %s\n" % (label, answer))
            if small:
                print(small.decode("latin-1"))
            sys.stdout.flush()
    if arguments.record:
        with open(arguments.record, "a", encoding="ascii") as file:
            file.writelines(answers)
    print(", ".join("%d %s" % (count, what) for what, count in sorted(total.items())))
    print("%d traces differ, %d left out" % (failed, left))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
