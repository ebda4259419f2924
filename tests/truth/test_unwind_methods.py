"""Stacks by each unwinding method, and by the calls of traces, compared with the true ones that the tracer recorded: how often each is
wrong, how often they disagree, and which is then right.

    tests/run.py unwind_methods [--table]

Unwound stacks cannot show functions, or handlers, that were replaced by a tail call.
"""

import bisect
import collections
import json
import lzma
import random
import re
from pathlib import Path

import pytest
import quick
import true_stacks

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
POINTS_EACH = 4  # of each trace
POINTS_MIN = 176
EVERY_MIN = 800  # of each trace of corpus/stacks
METHODS = {"a64": ["auto", "fp", "calls"], "a32": ["auto", "exidx", "fp", "calls"]}
# The number of wrong stacks at those points, by method and whether the trace shows the stack pointer, which gem5's style does not. Frame
# pointers are wrong for functions without one: those in assembly, and the first and last instructions of others. All wrong stacks must be
# reported as doubtful.
WRONG_MAX = {("auto", True): 0, ("exidx", True): 0, ("fp", True): 48, ("calls", True): 0,
             ("auto", False): 0, ("fp", False): 0, ("calls", False): 0}  # fmt: skip
# How often stacks by calls may be right when they differ from stacks by rules.
RULES_WORSE_MAX = 0

def run_stack(*words):
    """(frames, whether a message states that some may be missing or wrong)"""
    done = quick.run([str(word) for word in words], timeout=60)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{words}: {done.stderr.decode()[:300]}")
    return json.loads(done.stdout), b"ends early" in done.stderr or b"doubtful" in done.stderr


def true_names(frames, is_unwound):
    """Functions, innermost first, without those that were replaced by a tail call."""
    names, was_tail = [], False
    for frame in frames:
        gone = ("call", "tail", "exception") if is_unwound else ("call", "tail")
        if not was_tail or frame["kind"] not in gone:
            names.append(frame["name"])
        if frame["kind"] == "drop":
            break
        was_tail = frame["kind"] == "tail"
    return names


def read_truth(path, image):
    """The records with a complete stack, and the entry of each function, because one may have two names."""
    records = [json.loads(line) for line in path.read_text().splitlines()][1:]
    functions = true_stacks.functions(image)
    entries = {name: f"{entry:x}" for entry, name in functions}
    starts = [entry for entry, _ in functions]
    # MOV LR, PC and a branch is a call, too.
    moves = re.findall(rb"\b([0-9a-f]{8})[: ]e1a0e00f\b", path.with_suffix("").read_bytes())
    calls = {int(address, 16) + 4 for address in moves}
    for record in records:
        for frame in record["stack"]:
            entries[frame["name"]] = frame["entry"]
            if frame["kind"] == "tail" and int(frame["call"], 16) in calls:
                frame["kind"] = "call"
        # A function may continue in the next one, or branch there from its end.
        if not record["last"]:
            at = bisect.bisect(starts, int(record["next"], 16) & ~1) - 1
            record["stack"][0]["name"] = functions[at][1]
    return [record for record in records if record["depth"] == len(record["stack"])], entries


class Counts:
    def __init__(self):
        self.points, self.wrong, self.silent = collections.Counter(), collections.Counter(), []
        self.sources = collections.Counter()
        self.differ = self.rules_right = self.calls_right = 0

    def take(self, trace, image, record, entries, methods, has_sp):
        right = {}
        for method in methods:
            frames, is_told = run_stack(self.trawl, "stack", "--unwind", method, "--image", image, trace,
                              "--at", f"line:{record['line']}", "--format", "json")  # fmt: skip
            names = [(frame["function"] or "?").split("+")[0] for frame in frames]
            # Stacks that only calls show are shown like calls.
            is_unwound = any(frame["source"] != "calls" for frame in frames)
            wanted = true_names(record["stack"], is_unwound)
            found = [entries.get(name, name) for name in names]
            right[method] = found == [entries.get(name, name) for name in wanted]
            self.points[method, has_sp] += 1
            self.wrong[method, has_sp] += not right[method]
            if not right[method] and not is_told and method != "calls":
                self.silent.append(f"{trace.name}, line {record['line']} by {method}: {names}, not {wanted}")
            self.sources.update((method, frame["source"]) for frame in frames[1:])
        self.differ += right["auto"] != right["calls"]
        self.rules_right += right["auto"] and not right["calls"]
        self.calls_right += right["calls"] and not right["auto"]


def true_counts(truth, trace, image):
    """How often each stack of names occurs before an instruction, except the first."""
    names = {}
    for entry, name in true_stacks.functions(image):
        names.setdefault(entry, name)
    starts = sorted(names)

    def name_of(entry):  # for a vector, that of the table
        return names[starts[max(0, bisect.bisect(starts, entry) - 1)]]

    # A function that continues in the next one, or branches there from its end, is treated as one with it.
    places = true_stacks.places(trace)[1:]
    numbers = truth.numbers_at_lines([line for line, _ in places])
    stacks = [(truth.unwindable[at], pc) for at, (_, pc) in zip(numbers, places)]
    one = {name_of(pc): name_of(entries[-1]) for entries, pc in stacks if name_of(pc) != name_of(entries[-1])}

    def first_of(name):
        while name in one:
            name = one[name]
        return name

    counts = collections.Counter(";".join(first_of(name_of(entry)) for entry in entries) for entries, _ in stacks)
    return counts, first_of


PACKED = sorted((CORPUS / "stacks").glob("*.tarmac.xz"))


def image_of(packed):
    return packed.with_name(packed.name.split(".")[0] + ".elf")


def show(checker, counts):
    for (method, has_sp), points in sorted(counts.points.items()):
        about = "" if has_sp else ", without the stack pointer"
        checker.tell(f"{method}{about}: {counts.wrong[method, has_sp]} of {points} wrong")
    checker.tell(f"rules and calls differ at {counts.differ}: rules are right at {counts.rules_right}, calls at {counts.calls_right}")
    for (method, source), frames in sorted(counts.sources.items()):
        checker.tell(f"{method}: {frames} frames by {source}")


def test_points(checker, table, place):
    counts = Counts()
    counts.trawl = checker.trawl
    for path in sorted((CORPUS / "traces").glob("*.truth")):
        name, style = path.name.split(".")[:2]
        records, entries = read_truth(path, CORPUS / "elf" / f"{name}.elf")
        trace = place / path.stem
        trace.symlink_to(path.with_suffix(""))
        methods = METHODS["a64" if "-a64" in name else "a32"]
        rng = random.Random(path.name)  # independent of other traces
        for record in rng.sample(records, min(POINTS_EACH, len(records))):
            counts.take(trace, CORPUS / "elf" / f"{name}.elf", record, entries, methods, style != "gem5")
    for key, points in counts.points.items():
        checker.check(key, counts.wrong[key] <= WRONG_MAX[key], f"{counts.wrong[key]} wrong of {points}, {WRONG_MAX[key]} allowed")
    checker.check("rules are wrong where calls are right", counts.calls_right <= RULES_WORSE_MAX, counts.calls_right)
    checker.no_fault("wrong without a word", counts.silent)
    total = sum(points for (method, _), points in counts.points.items() if method == "auto")
    checker.check("points", total >= POINTS_MIN, total)
    if table:
        show(checker, counts)


@pytest.mark.parametrize("packed", [path for path in PACKED if image_of(path).exists()], ids=lambda path: path.name.removesuffix(".tarmac.xz"))
def test_every_stack(checker, place, packed):
    """Checks stacks that are wrong, or reported as doubtful although they are right."""
    trace, image = place / packed.name.removesuffix(".xz"), image_of(packed)
    trace.write_bytes(lzma.decompress(packed.read_bytes()))
    wanted, first_of = true_counts(true_stacks.Truth(packed.with_name(trace.name + ".stacks")), trace, image)
    done = quick.run([checker.trawl, "flamegraph", trace, "--image", image, "--unwind", "auto", "--every", "1"], text=True, timeout=300, check=True)  # fmt: skip
    found = collections.Counter()
    for line in done.stdout.splitlines():
        stack, count = line.rsplit(" ", 1)
        found[";".join(map(first_of, stack.split(";")))] += int(count)
    missing = wanted - found
    checker.no_fault("messages", done.stderr)
    checker.no_fault(f"stacks of {wanted.total()}", missing and (missing.total(), missing.most_common(2)))
    checker.check("stacks were compared", wanted.total() >= EVERY_MIN, wanted.total())
