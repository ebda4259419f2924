"""Compares --hide in every report with plain models.

    tests/run.py hide

A hidden call is left out with everything called in it and its time, except for handlers that interrupt it. For the traces of corpus/stacks,
the true stack of each instruction determines what remains in profile, flame graph and stacks; the complete call tree determines what remains
in call tree and export, in every format. Unwound stacks have no frame of a hidden function, nor any inside it. For XRay logs, from the
corpus and random, hidden calls are removed from the records, time stops during them, and xray_model.py reports on the rest.
"""

import collections
import json
import lzma
import pathlib
import random
import re
import shutil

import pytest
import quick
import test_export
import test_xray_reports
import true_stacks
import xray_model
from checker import Checker

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
STACKS = CORPUS / "stacks"
XRAY = CORPUS / "xray"
TIMEOUT_S = 120
POINTS = 3
TICK_US = 1
OTHER_LOG = XRAY / "nopie.fdr.xray"
HIDES = re.compile(r"--hide leaves out (\d+) tick")


class HideChecker(Checker):
    def run(self, *words):
        done = quick.run([str(self.trawl), *map(str, words)], text=True, timeout=TIMEOUT_S)  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def bytes_of(self, *words):
        return quick.run([str(self.trawl), *map(str, words)], timeout=TIMEOUT_S).stdout

    def rows(self, *words):
        return true_stacks.rows(self.trawl, *words)


# --- Traces ------------------------------------------------------------------------------------------------------


def shown(frames, hides):
    """What remains of a stack of (entry, whether it is a handler), from the root up; and whether its innermost frame is hidden."""
    kept, is_hidden = [], False
    for entry, is_handler in frames:
        is_hidden = hides(entry) or (is_hidden and not is_handler)
        if not is_hidden:
            kept.append(entry)
    return kept, is_hidden


class Trace:
    def __init__(self, trawl, packed, directory):
        self.name = packed.name.removesuffix(".tarmac.xz")
        self.path = directory / packed.name.removesuffix(".xz")
        self.path.write_bytes(lzma.decompress(packed.read_bytes()))
        self.image = STACKS / (self.name.split(".")[0] + ".elf")
        rows = true_stacks.rows(trawl, "profile", "--format", "csv", "--image", self.image, self.path)
        self.names = {int(row["address"], 16) & ~1: row["function"] for row in rows}
        self.instructions = true_stacks.instructions(self.path)
        self.lines = [line for line, _ in self.instructions]
        self.truth = true_stacks.Truth(packed.with_name(self.path.name + ".stacks"), self.lines[-1])

    def name_of(self, entry):
        """The name that trawl shows."""
        return self.names[entry]

    def frames(self, change):
        return list(zip(self.truth.changes[change][1], self.truth.handlers[change]))

    def left(self, hides):
        """Ticks by the remaining stack, and the ticks that are hidden."""
        ends = [time for _, time in self.instructions[1:]] + [true_stacks.last_time(self.path)]
        times, hidden = collections.Counter(), 0
        answers = {}
        for change, (_, start), end in zip(self.truth.numbers_at_lines(self.lines), self.instructions, ends):
            if change not in answers:
                answers[change] = shown(self.frames(change), hides)
            kept, is_hidden = answers[change]
            if is_hidden:
                hidden += end - start
            else:
                times[tuple(kept)] += end - start
        return times, hidden


def hiding_call(rows, hides):
    """The remaining rows of a call tree: (row, depth)."""
    levels, left = [], []  # of the calls around: (whether it is hidden, depth of the calls in it)
    for row in rows:
        del levels[int(row["depth"]) :]
        around, depth = levels[-1] if levels else (False, 0)
        is_handler = row["kind"].startswith("exception")
        is_hidden = hides(int(row["entry_pc"], 16) & ~1) or (around and not is_handler)
        levels.append((is_hidden, depth + (not is_hidden)))
        if not is_hidden:
            left.append((row, depth))
    return left


def check_trace(checker, trace, name, patterns):
    options = ["--image", trace.image, trace.path]
    hiding = [word for pattern in patterns for word in ("--hide", pattern)]
    what = f"{trace.name} {name}"

    def hides(entry):
        plain = trace.name_of(entry).split("+")[0]
        return any(re.fullmatch(pattern.replace("*", ".*"), plain) for pattern in patterns)

    times, hidden = trace.left(hides)
    status, _, said = checker.run("profile", *hiding, *options)
    if not times:
        checker.check(f"{what}: nothing is left", status != 0 and "leaves out everything" in said, said)
        return
    told = HIDES.search(said)
    checker.check(f"{what}: ticks that are said to be hidden", (int(told[1]) if told else 0) == hidden, (hidden, said))

    wanted = collections.Counter()
    for stack, ticks in times.items():
        wanted[stack[-1]] += ticks
    found = collections.Counter()
    for row in checker.rows("profile", "--format", "csv", *hiding, *options):
        found[int(row["address"], 16) & ~1] += int(row["self"])
    checker.check(f"{what}: self times", +wanted == +found, +wanted - found or +found - wanted)

    collapsed = collections.Counter()
    for line in checker.run("flamegraph", *hiding, *options)[1].splitlines():
        stack, ticks = line.rsplit(" ", 1)
        collapsed[stack] += int(ticks)
    wanted = collections.Counter()
    for stack, ticks in times.items():
        wanted[";".join(map(trace.name_of, stack))] += ticks
    checker.check(f"{what}: stacks of the flame graph", +wanted == +collapsed, (+wanted - collapsed, +collapsed - wanted))

    whole = checker.rows("calltree", "--format", "csv", *options)
    left = hiding_call(whole, hides)
    rows = checker.rows("calltree", "--format", "csv", *hiding, *options)
    checker.check(f"{what}: call tree", rows == [{**row, "depth": str(depth)} for row, depth in left])
    events = json.loads(checker.run("export", *hiding, *options)[1])["traceEvents"]
    begun = [event["name"] for event in events if event["ph"] == "B"]
    checker.check(f"{what}: export", begun == [row["function"] for row, _ in left])
    check_formats(checker, what, [*hiding, *options], [row["function"] for row, _ in left], wanted)
    check_stacks(checker, trace, what, hiding, hides)


def begun_in(lanes):
    return [event[1] for events in lanes for event in events if event[0] == "B"]


def check_formats(checker, what, words, begun, ticks):
    """Formats of events have the remaining calls in their order; formats of sums have the ticks of the remaining stacks."""
    perfetto, _ = test_export.read_perfetto(checker.bytes_of("export", "--format", "perfetto", *words))
    checker.check(f"{what}: perfetto", begun_in(perfetto.values()) == begun)
    speedscope, _ = test_export.read_speedscope(checker.bytes_of("export", "--format", "speedscope", *words))
    checker.check(f"{what}: speedscope", begun_in(speedscope) == begun)
    found = collections.Counter()
    for stack, _, own, _ in test_export.samples_of_pprof(checker.bytes_of("export", "--format", "pprof", *words)):
        found[";".join(stack[::-1])] += own
    checker.check(f"{what}: pprof", +found == +ticks, (+found - ticks, +ticks - found))
    own = collections.Counter()
    for stack, count in ticks.items():
        own[stack.rsplit(";", 1)[-1]] += count
    sums = test_export.read_callgrind(checker.bytes_of("export", "--format", "callgrind", *words))
    found = collections.Counter({name: ticks for name, (ticks, _) in sums.items()})
    checker.check(f"{what}: callgrind", +found == +own, (+found - own, +own - found))


def check_stacks(checker, trace, what, hiding, hides):
    words = ["stack", "--unwind", "calls", "--format", "csv", "--image", trace.image]
    for line in sorted(random.Random(what).sample(trace.lines, POINTS)):
        change = next(trace.truth.numbers_at_lines([line]))
        whole = checker.rows(*words, "--at", f"line:{line}", trace.path)
        rows = checker.rows(*words, *hiding, "--at", f"line:{line}", trace.path)
        if [int(row["entry"], 16) & ~1 for row in whole] != trace.truth.changes[change][1][::-1]:
            continue  # the instruction is a call or a return, and trawl shows the stack after it
        kept, _ = shown(trace.frames(change), hides)
        found = [int(row["entry"], 16) & ~1 for row in rows]
        checker.check(f"{what}: stack at line {line}", found == kept[::-1], (found, kept))
        checker.check(f"{what}: frames keep their numbers at line {line}", all(row in whole for row in rows), rows)


# --- What is unwound -----------------------------------------------------------------------------------------------

# Traces that contain what each method of unwinding needs.
UNWOUND = [
    ("sframe", "sframe/recursion-a64-v3.tarmac", "sframe/recursion-a64-v3.elf"),
    ("dwarf", "traces/recursion-a64.it.tarmac", "elf/recursion-a64.elf"),
    ("fp", "traces/recursion-a64.it.tarmac", "elf/recursion-a64.elf"),
    ("exidx", "traces/recursion-a32.it.tarmac", "elf/recursion-a32.elf"),
    ("auto", "traces/recursion-t32.es.tarmac", "elf/recursion-t32.elf"),
]


def check_unwound(checker, method, trace, image):
    words = ["--unwind", method, "--memory-index", "--image", CORPUS / image, CORPUS / trace]
    lines = checker.run("flamegraph", *words)[1].splitlines()
    whole = {stack: int(ticks) for stack, ticks in (line.rsplit(" ", 1) for line in lines)}
    ticks = collections.Counter()
    for stack, count in whole.items():
        ticks.update({name.split("+")[0].split(" ")[0]: count for name in set(stack.split(";")[1:])})
    names = [name for name, count in ticks.most_common() if not name.startswith("0x") and count < sum(whole.values()) / 2][:3]
    checker.check(f"{trace} {method}: has stacks", len(names) >= 2 and max(stack.count(";") for stack in whole) > 2, names)
    for name in names:
        wanted = {stack: count for stack, count in whole.items()
                  if name not in [frame.split("+")[0].split(" ")[0] for frame in stack.split(";")]}  # fmt: skip
        _, found, said = checker.run("flamegraph", "--hide", name, *words)
        found = {stack: int(count) for stack, count in (line.rsplit(" ", 1) for line in found.splitlines())}
        checker.check(f"{trace} {method}: flame graph without {name}", found == wanted, (set(found.items()) ^ set(wanted.items()), said))
        told = HIDES.search(said)
        checker.check(f"{trace} {method}: ticks without {name}", told and int(told[1]) == sum(whole.values()) - sum(wanted.values()), said)
        check_unwound_stacks(checker, f"{trace} {method} without {name}", name, words)


def check_unwound_stacks(checker, what, name, words):
    entries = {row["entry_line"] for row in checker.rows("calltree", "--format", "csv", *words[3:]) if row["function"] == name}
    at, hidden = random.Random(what).sample(sorted(entries), min(POINTS, len(entries))), 0
    for line in at:
        words_at = ["stack", "--format", "csv", "--at", f"line:{line}", *words]
        whole = checker.rows(*words_at)
        inside = [number for number, row in enumerate(whole) if row["function"].split("+")[0].split(" ")[0] == name]
        wanted = whole[inside[-1] + 1 :] if inside else whole
        hidden += len(inside)
        found = checker.rows(*words_at, "--hide", name)
        checker.check(f"{what}: stack at line {line}", found == wanted, (found, wanted))
    checker.check(f"{what}: stacks had it", hidden > 0, at)


# --- XRay --------------------------------------------------------------------------------------------------------


def without(records, hidden, deduce):
    """Records without those in calls of hidden functions, during which time stops; and for how many ticks it stopped."""
    left, stack, outer, since, still = [], [], 0, 0, 0
    for record in records:
        kind = record["kind"]
        if kind.startswith("enter"):
            stack.append(record["function"])
            if not outer and record["function"] in hidden:
                outer, since = len(stack), record["tsc"]
            if not outer:
                left.append({**record, "tsc": record["tsc"] - still})
        elif kind.endswith("exit"):
            depth = len(stack)
            while depth and stack[depth - 1] != record["function"]:
                depth = depth - 1 if deduce else 0
            was_outer = outer
            if depth:
                del stack[depth - 1 :]
            if outer and len(stack) < outer:
                still += abs(record["tsc"] - since)
                outer = 0
            if not was_outer or (depth and depth < was_outer):
                left.append({**record, "tsc": record["tsc"] - still})
    return left, still


class Rest:
    """A log without hidden calls."""

    def __init__(self, log, hidden, deduce):
        self.frequency = log.frequency
        parts = {key: without(records, hidden, deduce) for key, records in log.threads.items()}
        self.threads = {key: records for key, (records, _) in parts.items()}
        self.still = sum(still for _, still in parts.values())


def check_xray_log(checker, what, path, log, hidden):
    options = [word for function in sorted(hidden) for word in ("--hide", f"#{function}")]
    for flags, deduce in (([], False), (["-d"], True)):
        rest = Rest(log, hidden, deduce)
        _, found, said = checker.run("xray", "account", "-f", "csv", *flags, *options, path)
        checker.check(f"{what}: account {flags}", found == xray_model.account_csv(rest, deduce=deduce), said)
        told = HIDES.search(said)
        checker.check(f"{what}: hidden ticks {flags}", (int(told[1]) if told else 0) == rest.still, (rest.still, said))
    rest = Rest(log, hidden, True)
    for kind in ("time", "count"):
        words = ["xray", "stack", "--all-stacks", "--aggregation-type", kind, *options, path]
        found = sorted(checker.run(*words)[1].splitlines())
        wanted = xray_model.collapsed(rest, False, kind == "count")
        checker.check(f"{what}: stacks by {kind}", found == wanted, set(found) ^ set(wanted))
    wanted = xray_model.durations(rest, deduce=True)[1]
    _, found, _ = checker.run("xray", "graph", "-d", "-e", "count", *options, path)
    edges = {(int(a), int(b)): int(n) for a, b, n in re.findall(r'F(\d+) -> F(\d+) \[label="(\d+)"', found)}
    checker.check(f"{what}: graph", edges == {edge: len(values) for edge, values in wanted.items()}, edges)
    check_xray_diff(checker, what, path, log, hidden, options)
    check_xray_events(checker, what, path, log, hidden, options)


def percent(before, after):
    return 100 * (after - before) / before


def check_xray_diff(checker, what, path, log, hidden, options):
    """What --hide leaves of a log, compared with the other corpus log, in which it hides the same functions."""
    other = xray_model.Log(OTHER_LOG.read_bytes())
    edges = [xray_model.durations(Rest(one, hidden, True), deduce=True)[1] for one in (log, other)]
    for figure, of in (("count", len), ("sum", lambda values: sum(values))):
        _, found, _ = checker.run("xray", "graph-diff", "-d", "-e", figure, *options, path, OTHER_LOG)
        labels = {tuple(int(name.lstrip("F#")) for name in edge): label for *edge, label in
                  re.findall(r'tooltip="(F0|#\d+) -> (#\d+)" label="([^"]*)"', found)}  # fmt: skip
        checker.check(f"{what}: edges of graph-diff", set(labels) == set(edges[0]) | set(edges[1]), set(labels))
        right = True
        for edge, label in labels.items():
            before, after = (of(edges[side].get(edge, [])) / one.frequency ** (figure == "sum") for side, one in ((0, log), (1, other)))
            is_in_both = edge in edges[0] and edge in edges[1]
            if is_in_both and before and log.frequency and other.frequency:
                right &= abs(float(label.rstrip("%")) - percent(before, after)) < 0.006 + 1e-6 * abs(percent(before, after))
            elif not is_in_both:
                right &= label == ""
        checker.check(f"{what}: graph-diff by {figure}", right, labels)


def check_xray_events(checker, what, path, log, hidden, options):
    """The remaining events have their original times."""
    words = ["xray", "convert", "--output-format", "trace_event", "--no-sort"]
    whole = json.loads(checker.run(*words, path)[1])["traceEvents"]
    left = json.loads(checker.run(*words, *options, path)[1])
    stacks, wanted = collections.defaultdict(list), []
    for event in whole:
        stack = stacks[event["tid"], event["pid"]]
        if event["ph"] == "B":
            stack.append(event["name"] in {str(function) for function in hidden} or any(stack))
        if not stack[-1]:
            wanted.append(event)
        if event["ph"] == "E":
            stack.pop()
    # trawl separates equal times of two events by less than a tick.
    times = [(event.pop("ts"), other.pop("ts")) for event, other in zip(left["traceEvents"], wanted)]
    checker.check(f"{what}: trace events", left["traceEvents"] == wanted)
    checker.check(f"{what}: their times", all(abs(a - b) < TICK_US for a, b in times))
    names = {frame["name"] for frame in left["stackFrames"].values()}
    checker.check(f"{what}: their stacks", not names & {str(function) for function in hidden}, names)


def check_xray_reports(checker, what, path, hidden):
    """The commands for all kinds of traces: a stack with a hidden function is removed, the others are unchanged."""
    options = [word for function in sorted(hidden) for word in ("--hide", f"#{function}")]
    whole = checker.run("flamegraph", path)[1].splitlines()
    names = {f"#{function}" for function in hidden}
    wanted = [line for line in whole if not names & set(line.rsplit(" ", 1)[0].split(";"))]
    status, found, said = checker.run("flamegraph", *options, path)
    checker.check(f"{what}: flame graph", found.splitlines() == wanted, said)
    if status:
        return
    ticks = [sum(int(line.rsplit(" ", 1)[1]) for line in lines) for lines in (whole, wanted)]
    told = HIDES.search(said)
    checker.check(f"{what}: ticks that are said to be hidden", (int(told[1]) if told else 0) == ticks[0] - ticks[1], said)
    rows = checker.rows("profile", "--format", "csv", *options, path)
    checker.check(f"{what}: profile", sum(int(row["self"]) for row in rows) == ticks[1], rows)
    rows = [{**row, "kind": "", "entry_pc": f"{int(row['function_id'] or 0):x}0"}
            for row in checker.rows("calltree", "--format", "csv", path)]  # fmt: skip
    left = hiding_call(rows, lambda entry: entry >> 4 in hidden)
    found = checker.rows("calltree", "--format", "csv", *options, path)
    checker.check(f"{what}: call tree", [row["entry_position"] for row in found] == [row["entry_position"] for row, _ in left])
    checker.check(f"{what}: its depths", [int(row["depth"]) for row in found] == [depth for _, depth in left])
    events = json.loads(checker.run("export", *options, path)[1])["traceEvents"]
    begun = sum(event["ph"] == "B" for event in events)
    checker.check(f"{what}: export", begun == len([row for row, _ in left if row["function_id"]]), begun)
    check_xray_formats(checker, what, path, options, names, [row["function"] for row in found if row["function_id"]])


def check_xray_formats(checker, what, path, options, names, begun):
    """Formats of events have the calls of the call tree; formats of sums have the stacks without a hidden function, unchanged."""
    perfetto, _ = test_export.read_perfetto(checker.bytes_of("export", "--format", "perfetto", *options, path))
    checker.check(f"{what}: perfetto", begun_in(perfetto.values()) == begun, begun_in(perfetto.values()))
    speedscope, _ = test_export.read_speedscope(checker.bytes_of("export", "--format", "speedscope", *options, path))
    checker.check(f"{what}: speedscope", begun_in(speedscope) == begun, begun_in(speedscope))
    whole, left = (list(test_export.samples_of_pprof(checker.bytes_of("export", "--format", "pprof", *words, path)))
                   for words in ([], options))  # fmt: skip
    checker.check(f"{what}: pprof", left == [sample for sample in whole if not names & set(sample[0])], left)
    own, samples = collections.Counter(), collections.Counter()
    for stack, _, nanoseconds, _ in left:
        own[stack[0]] += nanoseconds
        samples[stack[0]] += 1
    sums = test_export.read_callgrind(checker.bytes_of("export", "--format", "callgrind", *options, path))
    # Each sample of pprof is rounded.
    checker.check(f"{what}: callgrind", set(sums) == set(own) and all(abs(sums[name][0] - own[name]) <= samples[name] for name in own), sums)




def check_xray_stacks(checker, what, path, hidden, time):
    options = [word for function in sorted(hidden) for word in ("--hide", f"#{function}")]
    whole = checker.rows("stack", "--at", f"time:{time}", "--format", "csv", path)
    stacks = collections.defaultdict(list)
    for row in whole:
        stacks[row["lane"]].insert(0, row)
    wanted = []
    for rows in stacks.values():
        ids = [int(row["function_id"]) in hidden for row in rows]
        wanted += rows[: ids.index(True) if True in ids else len(rows)][::-1]
    found = checker.rows("stack", "--at", f"time:{time}", "--format", "csv", *options, path)
    checker.check(f"{what}: stack", found == wanted, (found, wanted))


# --- Messages ---------------------------------------------------------------------------------------------------


@pytest.fixture
def checker(trawl):
    return HideChecker(trawl)


def test_words(checker):
    log = XRAY / "recursion.fdr.xray"
    image = XRAY / "recursion.elf"
    for words in (["profile", "--image", image, log], ["xray", "account", "-m", image, log]):
        status, whole, _ = checker.run(*words)
        got, out, said = checker.run(*words, "--hide", "no_such_function")
        checker.check(f"{words[0]}: a name that hides nothing is told",
                      (got, out) == (status, whole) and "hides nothing" in said, said)  # fmt: skip
    status, out, said = checker.run("xray", "convert", "--hide", "main", log)
    checker.check("a log as records cannot lack calls", (status, out) == (2, "") and "trace_event" in said, (status, said))
    status, _, said = checker.run("callinfo", "--hide", "main", "main", log)
    checker.check("callinfo is of the function that it names", status == 2, (status, said))
    by_name = checker.run("profile", "--image", image, "--hide", "fib(long)", log)
    by_pattern = checker.run("profile", "--image", image, "--hide", "f[i]?(*", log)
    checker.check("a pattern is that of file names", by_name == by_pattern and HIDES.search(by_name[2]), by_pattern)


@pytest.mark.parametrize("packed", [packed for packed in sorted(STACKS.glob("*.it.tarmac.xz")) if (STACKS / (packed.name.split(".")[0] + ".elf")).exists()],
                         ids=lambda packed: packed.name.removesuffix(".tarmac.xz"))
def test_traces(checker, place, packed):
    trace = Trace(checker.trawl, packed, place)
    calls = [trace.name_of(entry).split("+")[0] for entry, _ in trace.truth.calls.most_common()]
    inner = next((name for name in calls if name not in ("vectors", "_start", "main")), calls[0])
    check_trace(checker, trace, f"without {inner}", [inner])
    check_trace(checker, trace, "without t* and main", ["t*", "main"])
    check_trace(checker, trace, "without all", ["*"])


@pytest.mark.parametrize("way", UNWOUND, ids=lambda way: way[0])
def test_unwound(checker, way):
    check_unwound(checker, *way)


def check_log(checker, what, path):
    data = path.read_bytes()
    log = xray_model.Log(data)
    functions = sorted({record["function"] for records in log.threads.values() for record in records if "function" in record})
    hidden = set(random.Random(what).sample(functions, max(1, len(functions) // 4)))
    check_xray_log(checker, what, path, log, hidden)
    check_xray_reports(checker, what, path, hidden)
    times = sorted(record["tsc"] for records in log.threads.values() for record in records)
    check_xray_stacks(checker, what, path, hidden, times[len(times) // 2])


@pytest.mark.parametrize("number", [0, 7, test_xray_reports.LONG])
def test_random_logs(checker, place, number):
    (place / "log.xray").write_bytes(test_xray_reports.random_log(number)[1])
    check_log(checker, f"random log {number}", place / "log.xray")


@pytest.mark.parametrize("name", ["recursion.fdr.xray", "threads.basic.xray", "exceptions.fdr.xray", "tailcall.fdr.xray"])
def test_logs(checker, place, name):
    check_log(checker, name, pathlib.Path(shutil.copy(XRAY / name, place)))
