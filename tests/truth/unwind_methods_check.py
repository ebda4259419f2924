#!/usr/bin/env python3
"""Stacks by each way of unwinding, and by the calls that traces show, against the true ones that the
tracer recorded: how often each is wrong, how often they disagree, and who is right then.

    tests/run.py unwind_methods [--table]

What is unwound cannot show functions that a tail call took the place of, be it of a handler.
"""

import bisect
import collections
import json
import lzma
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import true_stacks

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
POINTS_EACH = 8  # of each trace
POINTS_MIN = 350
EVERY_MIN = 100_000
METHODS = {"a64": ["auto", "fp", "calls"], "a32": ["auto", "exidx", "fp", "calls"]}
# Wrong stacks at those points, by method and whether the trace shows the stack pointer, which gem5's
# style does not. Wrong are what a long jump left, tasks that an exception return begins, and of frame
# pointers what has none: functions in assembly, and the first and last instructions of others.
WRONG_MAX = {("auto", True): 7, ("exidx", True): 11, ("fp", True): 50, ("calls", True): 7,
             ("auto", False): 0, ("fp", False): 0, ("calls", False): 0}  # fmt: skip
# Of stacks by rules and by calls that differ, those of calls may be the right ones so often.
RULES_WORSE_MAX = 0
# Of the stacks after every instruction of the traces in corpus/stacks. Kernels whose vectors are functions of
# their own, which nobody can unwind, are left out. In the others handlers that bring back another task are wrong.
EVERY_WRONG_MAX = {"coroutines-t32": 25, "rtos-m": 666, "frameless-t32": 4, "frames-t32": 4, "siblings-O2-a32": 16, "siblings-Os-a64": 18, "siblings-Os-t32": 17}
HAVE_TASKS = ("rtos-a", "freertos")


def run_json(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, timeout=60, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{words}: {done.stderr.decode()[:300]}")
    return json.loads(done.stdout)


def true_names(frames, is_unwound):
    """Functions from the innermost out, without those that a tail call took the place of."""
    names, was_tail = [], False
    for frame in frames:
        gone = ("call", "tail", "exception") if is_unwound else ("call", "tail")
        if not was_tail or frame["kind"] not in gone:
            names.append(frame["name"])
        if frame["kind"] == "drop":
            break
        was_tail = frame["kind"] == "tail"
    return names


def read_truth(path):
    """Records with a whole stack, and the entry of each function, as one may have two names."""
    records = [json.loads(line) for line in path.read_text().splitlines()][1:]
    entries = {frame["name"]: frame["entry"] for record in records for frame in record["stack"]}
    return [record for record in records if record["depth"] == len(record["stack"])], entries


class Counts:
    def __init__(self):
        self.points, self.wrong = collections.Counter(), collections.Counter()
        self.sources = collections.Counter()
        self.differ = self.rules_right = self.calls_right = 0

    def take(self, trace, image, record, entries, methods, has_sp):
        right = {}
        for method in methods:
            frames = run_json(self.trawl, "stack", "--unwind", method, "--image", image, trace,
                              "--at", f"line:{record['line']}", "--format", "json")  # fmt: skip
            names = [(frame["function"] or "?").split("+")[0] for frame in frames]
            # What calls tell alone is shown as they do.
            is_unwound = any(frame["source"] != "calls" for frame in frames)
            wanted = true_names(record["stack"], is_unwound)
            found = [entries.get(name, name) for name in names]
            right[method] = found == [entries.get(name, name) for name in wanted]
            self.points[method, has_sp] += 1
            self.wrong[method, has_sp] += not right[method]
            self.sources.update((method, frame["source"]) for frame in frames[1:])
        self.differ += right["auto"] != right["calls"]
        self.rules_right += right["auto"] and not right["calls"]
        self.calls_right += right["calls"] and not right["auto"]


def true_counts(truth, trace, image):
    """How often each stack of names stands before an instruction, but the first."""
    names = {}
    for entry, name in true_stacks.functions(image):
        names.setdefault(entry, name)
    lines = [line for line, _ in true_stacks.instructions(trace)]
    stacks = (entries for _, entries, _ in truth.at_lines(lines[1:]))
    starts = sorted(names)

    def name_of(entry):  # of a vector, that of the table
        return names[starts[max(0, bisect.bisect(starts, entry) - 1)]]

    return collections.Counter(";".join(map(name_of, entries)) for entries in stacks)


def check_every_stack(trawl, directory):
    """(stacks compared, what is wrong)"""
    faults, compared = [], 0
    for packed in sorted((CORPUS / "stacks").glob("*.tarmac.xz")):
        name = packed.name.split(".")[0]
        if name.startswith(HAVE_TASKS):
            continue
        trace, image = directory / packed.name.removesuffix(".xz"), packed.with_name(f"{name}.elf")
        trace.write_bytes(lzma.decompress(packed.read_bytes()))
        wanted = true_counts(true_stacks.Truth(packed.with_name(trace.name + ".stacks")), trace, image)
        text = subprocess.run([trawl, "flamegraph", trace, "--image", image, "--unwind", "auto", "--every", "1"],
                              capture_output=True, text=True, timeout=300, check=True).stdout  # fmt: skip
        found = collections.Counter()
        for line in text.splitlines():
            stack, count = line.rsplit(" ", 1)
            found[stack] += int(count)
        missing = wanted - found
        compared += wanted.total()
        if missing.total() > EVERY_WRONG_MAX.get(name, 0):
            faults.append(f"{trace.name}: {missing.total()} of {wanted.total()} stacks: {missing.most_common(2)}")
    return compared, faults


def show(counts):
    for (method, has_sp), points in sorted(counts.points.items()):
        about = "" if has_sp else ", without the stack pointer"
        print(f"{method}{about}: {counts.wrong[method, has_sp]} of {points} wrong")
    print(f"rules and calls differ at {counts.differ}: rules are right at {counts.rules_right}, calls at {counts.calls_right}")
    for (method, source), frames in sorted(counts.sources.items()):
        print(f"{method}: {frames} frames by {source}")


def main():
    counts = Counts()
    counts.trawl = Path(sys.argv[1]).resolve() / "trawl"
    with tempfile.TemporaryDirectory(prefix="trawl-methods-") as directory:
        for path in sorted((CORPUS / "traces").glob("*.truth")):
            records, entries = read_truth(path)
            name, style = path.name.split(".")[:2]
            trace = Path(directory) / path.stem
            trace.symlink_to(path.with_suffix(""))
            methods = METHODS["a64" if "-a64" in name else "a32"]
            rng = random.Random(path.name)  # so that another trace changes nothing here
            for record in rng.sample(records, min(POINTS_EACH, len(records))):
                counts.take(trace, CORPUS / "elf" / f"{name}.elf", record, entries, methods, style != "gem5")
        compared, wrong_everywhere = check_every_stack(counts.trawl, Path(directory))
    if "--table" in sys.argv:
        show(counts)
    faults = [f"{key}: {counts.wrong[key]} wrong of {points}, {WRONG_MAX[key]} allowed"
              for key, points in counts.points.items() if counts.wrong[key] > WRONG_MAX[key]]  # fmt: skip
    if counts.calls_right > RULES_WORSE_MAX:
        faults.append(f"rules are wrong where calls are right {counts.calls_right} times")
    faults += wrong_everywhere
    if compared < EVERY_MIN:
        faults.append(f"only {compared} stacks of corpus/stacks")
    total = sum(points for (method, _), points in counts.points.items() if method == "auto")
    if total < POINTS_MIN:
        faults.append(f"only {total} points")
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{compared + sum(counts.points.values()) - sum(counts.wrong.values())} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
