"""Compares stacks unwound by SFrame with the true ones that the tracer recorded: `trawl flamegraph --unwind sframe` at every instruction of
the traces in corpus/sframe, `trawl stack` at some. Then again without the rules of every second function of the image."""

import collections
import json
import random
import struct
from pathlib import Path

import pytest
import quick
import sframe_reader

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "sframe"
POINTS = 40  # of each trace, for `trawl stack`
POINTS_MIN = 100  # of each trace, for the flame graph
# Written in assembly, without directives from which an assembler could make rules: the stack is unknown after long_jump has overwritten its
# return address.
BARE, LOST = "set_jump", "long_jump"


def run(*words):
    done = quick.run([str(word) for word in words], timeout=120)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr.decode())
    return done.stdout.decode()


class Truth:
    """What tools/truth_stacks.py wrote: the stack from each instruction on, None where unknown."""

    def __init__(self, path):
        self.changes = []
        for line in path.read_text().splitlines():
            insn, *frames = line.split()
            frames = [frame.rsplit("@", 1) for frame in frames]
            known = frames[0] != ["?"]
            self.changes.append((int(insn), [(name, int(pc, 16)) for name, pc in frames] if known else None))

    def counts(self, insn_count):
        """How often each stack of names occurs after an instruction, and how often it is unknown."""
        counts, unknown = collections.Counter(), 0
        ends = [insn for insn, _ in self.changes[1:]] + [insn_count]
        for (insn, frames), end in zip(self.changes, ends):
            if not frames or frames[0][0] == LOST:
                unknown += end - insn
            else:
                counts[";".join(name for name, _ in reversed(frames))] += end - insn
        return counts, unknown


def rob(image, path):
    """Writes the image with every second function of its SFrame made empty, so that it has no rules."""
    data = bytearray(image.read_bytes())
    sections, _, order = sframe_reader.elf_sections(data)
    at = next(section[4] for section in sections if section[0] == ".sframe")
    version, auxiliary = data[at + 2], data[at + 7]
    (count,) = struct.unpack_from(order + "I", data, at + 8)
    (entries,) = struct.unpack_from(order + "I", data, at + 20)
    width, size_at = {1: (17, 4), 2: (20, 4), 3: (16, 8)}[version]
    for number in range(0, count, 2):
        entry = at + 28 + auxiliary + entries + number * width
        data[entry + size_at : entry + size_at + 4] = bytes(4)
    path.write_bytes(data)
    return path


def check_all_points(checker, trace, image, truth):
    insn_count = json.loads(run(checker.trawl, "info", trace, "--format", "json"))["trace"]["instructions"]
    wanted, unknown = truth.counts(insn_count)
    text = run(checker.trawl, "flamegraph", trace, "--image", image, "--unwind", "sframe", "--every", "1")
    found = collections.Counter()
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        found[stack] += int(count)
    # The last instruction has no next one from which to unwind.
    missing = wanted - found
    fault = "" if missing.total() <= 1 and (found - wanted).total() <= unknown + 1 else (missing, found - wanted)
    checker.no_fault(f"{trace.name}, {image.name}: every instruction", fault)
    return wanted.total()


def check_points(checker, trace, image, truth):
    rng = random.Random(1)
    known = [change for change in truth.changes if change[1] and change[1][0][0] != LOST]
    for insn, frames in rng.sample(known, min(POINTS, len(known))):
        # The first event is the reset.
        words = [checker.trawl, "stack", trace, "--image", image, "--format", "json", "--at", f"event:{insn + 1}"]
        found = json.loads(run(*words))
        # Callers are shown at their calls.
        callers = [int(frame["pc"], 16) + 4 for frame in found[1:]]
        sources = {frame["source"] for frame in found[1:]}
        wanted = [pc for _, pc in frames[1:]]
        allowed = {"sframe", "calls"} if frames[0][0] == BARE else {"sframe"}
        fault = f"got {found}, wanted {frames}" if callers != wanted or sources - allowed else ""
        checker.no_fault(f"{trace.name}: instruction {insn}", fault)


@pytest.mark.parametrize("source", sorted(CORPUS.glob("*.stacks")), ids=lambda path: path.stem)
def test_traces(checker, place, source):
    trace = place / source.with_suffix(".tarmac").name
    trace.symlink_to(source.with_suffix(".tarmac"))
    image, truth = source.with_suffix(".elf"), Truth(source)
    points = check_all_points(checker, trace, image, truth)
    check_all_points(checker, trace, rob(image, place / "robbed.elf"), truth)
    check_points(checker, trace, image, truth)
    checker.check("enough points", points >= POINTS_MIN, points)
