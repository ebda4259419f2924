"""Stacks, self times and calls that trawl finds, compared with the true ones of corpus/stacks (corpus/README.md).

    tests/run.py stacks [--table] [--only TEXT]

At 1,000 random instructions of each trace, the call tree has the functions of the true stack, in order; at some of them, `trawl stack`
has them, and the stack of every other task. The profile has the true self time and number of calls of each function, also for each task.
Everything is tested once without the image, only with encodings, and once with it. --table prints the results as Markdown, and --only
the errors in traces whose names contain TEXT.
"""

import collections
import lzma
import pathlib
import random

import pytest
import true_stacks

ROOT = pathlib.Path(__file__).resolve().parents[2]
STACKS = ROOT / "corpus" / "stacks"
POINTS = 1000
STACK_POINTS = 4  # for `trawl stack`
TRACES_MIN = 21
PACKED = sorted(STACKS.glob("*.tarmac.xz"))
# Errors without the image: stacks of the 1,000, functions with a wrong self time, functions with a wrong number of calls. With the image
# there are none.
UNTOLD = {
    "coroutines-a64.it": (4, 2, 1),
    "coroutines-t32.it": (3, 2, 1),
    "protected-a64.it": (4, 4, 2),
    "rtos-a32.es": (108, 2, 2),
    "rtos-a32.it": (138, 4, 2),
    "rtos-a64.es": (108, 0, 4),
    "rtos-a64.it": (118, 7, 4),
    "rtos-m.it": (17, 3, 1),
    "siblings-O2-a32.it": (2, 2, 1),
    "siblings-O2-a64.it": (6, 6, 3),
    "siblings-Os-a64.it": (4, 6, 3),
    "siblings-Os-t32.it": (2, 2, 1),
}  # fmt: skip
NOTHING = (0, 0, 0)


# Expressions for the truth's id of the running task.
TASK_NAMES = {
    "coroutines-a64.it": "u64(current_task)",
    "coroutines-t32.it": "u32(current_task)",
    "rtos-a32.es": "u32(current_task)",
    "rtos-a32.it": "u32(current_task)",
    "rtos-a64.es": "u64(current_task)",
    "rtos-a64.it": "u64(current_task)",
    "rtos-m.it": "u32(current_task)",
}


def is_interrupt(trace, entry):
    """Whether it is the beginning of the handler of an interrupt, rather than of one that the task has called."""
    if "a64" in trace.name:
        return entry >> 7 & 3 != 0
    return entry & 0x1F in (0x18, 0x1C) if "a32" in trace.name else "svc" not in dict(trace.functions).get(entry, "").lower()


class Trace:
    def __init__(self, packed, directory):
        self.name = packed.name.removesuffix(".tarmac.xz")
        self.path = directory / packed.name.removesuffix(".xz")
        self.path.write_bytes(lzma.decompress(packed.read_bytes()))
        self.instructions = true_stacks.instructions(self.path)
        lines = [line for line, _ in self.instructions]
        self.truth = true_stacks.Truth(packed.with_name(self.path.name + ".stacks"), lines[-1])
        self.points = sorted(random.Random(self.name).sample(lines, min(POINTS, len(lines))))
        self.image = STACKS / (self.name.split(".")[0] + ".elf")
        self.functions = true_stacks.functions(self.image) if self.image.exists() else []

    def self_times(self):
        """Self times by entry."""
        times = collections.Counter()
        for (_, entry), ticks in self.self_times_of_tasks().items():
            times[entry] += ticks
        return times

    def self_times_of_tasks(self):
        """Self times by task and entry; interrupts belong to none. An instruction lasts until the next one, and the last one until the end of
        the trace."""
        times = collections.Counter()
        ends = [time for _, time in self.instructions[1:]] + [true_stacks.last_time(self.path)]
        numbers = self.truth.numbers_at_lines([line for line, _ in self.instructions])
        for number, (_, start), end in zip(numbers, self.instructions, ends):
            _, entries, task = self.truth.changes[number]
            handlers = [entry for entry, is_handler in zip(entries, self.truth.handlers[number]) if is_handler]
            times["interrupts" if any(is_interrupt(self, entry) for entry in handlers) else task, entries[-1]] += end - start
        return times

    def stacks_of_tasks(self, line):
        """The entries, innermost first, of each task that had run by a line, as they were last."""
        return {task: entries[::-1] for at, entries, task in self.truth.changes if at <= line}


def wrong_stacks(trawl, trace, options):
    """(line, true entries, found entries) of the points where they differ."""
    found = true_stacks.Calls(trawl, trace.path, *options).at_lines(trace.points)
    wanted = trace.truth.at_lines(trace.points)
    return [(line, true, entries) for (line, true, _), (_, entries) in zip(wanted, found) if true != entries]


def wrong_functions(trawl, trace, options):
    """The differences in self times and in numbers of calls: (entry, true, found)."""
    times, calls = collections.Counter(), collections.Counter()
    for row in true_stacks.rows(trawl, "profile", "--format", "csv", *options, trace.path):
        entry = int(row["address"], 16) & ~1
        times[entry] += int(row["self"])
        calls[entry] += int(row["calls"])
    wanted = trace.self_times()
    return (
        [(hex(f), wanted[f], times[f]) for f in wanted | times if wanted[f] != times[f]],
        [(hex(f), count, calls[f]) for f, count in trace.truth.calls.items() if count != calls[f]],
    )


def stacks_disagree(trawl, trace, options, directory):
    """How `trawl stack` differs from the call tree, at some points where the call tree is right: in the depth of the stack, and in its
    functions."""
    options = [*options, "--no-offsets"]
    points = trace.points[:: POINTS // STACK_POINTS]
    ends = lines_before_changes(trace)
    found = true_stacks.Calls(trawl, trace.path, *options).at_lines(points)
    for (line, entries), (_, wanted, task) in zip(found, trace.truth.at_lines(points)):
        if entries != wanted or line in ends:
            continue
        rows = true_stacks.rows(
            trawl, "stack", "--format", "csv", "--unwind", "calls", "--index", directory / "index",
            "--at", f"line:{line}", *options, trace.path)  # fmt: skip
        if [int(row["entry"], 16) & ~1 for row in rows] != entries[::-1]:
            return f"line {line}: {[hex(entry) for entry in entries[::-1]]}; `stack` has {[row['entry'] for row in rows]}"
    return ""


def lines_before_changes(trace):
    """Lines of instructions after which the stack is another one: `trawl stack` shows where the trace goes on."""
    lines = [line for line, _ in trace.instructions]
    changes = {line for line, _, _ in trace.truth.changes}
    return {line for line, after in zip(lines, lines[1:]) if any(at in changes for at in range(line + 1, after + 1))}


def wrong_tasks(trawl, trace, options, expression):
    """(task, entry) whose self time in `profile --task-name` is wrong."""
    words = [trawl, "profile", "--format", "csv", "--task-name", expression, *options]
    rows = true_stacks.rows(*words, trace.path)
    assert rows == true_stacks.rows(*words, "--memory-index", trace.path), "another answer without an index"
    found = collections.Counter()
    for row in rows:
        # The first task has a name only if the program gives it one.
        task = row["task"][2:] if row["task"].startswith("0x") else row["task"] if row["task"] == "interrupts" else "0"
        found[task, int(row["address"], 16) & ~1] += int(row["self"])
    wanted = trace.self_times_of_tasks()
    return [(task, hex(entry)) for task, entry in wanted | found if found[task, entry] != wanted[task, entry]]


def wrong_waiting(trawl, trace, options, expression):
    """(line, task) whose stack in `stack` is wrong, at some points."""
    wrong, ends = [], lines_before_changes(trace)
    for line in trace.points[50 :: POINTS // STACK_POINTS]:
        if line in ends:
            continue
        found = collections.defaultdict(list)
        for row in true_stacks.rows(
                trawl, "stack", "--format", "csv", "--at", f"line:{line}", "--task-name", expression, *options, trace.path):  # fmt: skip
            found[row["task"]].append(int(row["entry"], 16) & ~1)
        wrong += [
            (line, task)
            for task, entries in trace.stacks_of_tasks(line).items()
            if entries != found.get("0x" + task, []) and (task != "0" or entries not in found.values())
        ]
    return wrong


def tasks_fault(trawl, trace):
    """What is wrong with tasks, or ""."""
    expression, options = TASK_NAMES[trace.name], ["--image", trace.image]
    times = wrong_tasks(trawl, trace, options, expression)
    waiting = wrong_waiting(trawl, trace, options, expression)
    return f"self times of {times}, stacks of {waiting}" if times or waiting else ""


@pytest.mark.parametrize("packed", PACKED, ids=lambda path: path.name.removesuffix(".tarmac.xz"))
def test_stacks(checker, place, table, packed):
    trace = Trace(packed, place)
    for with_image, options in enumerate([[], ["--image", trace.image]] if trace.image.exists() else [[]]):
        wrong = wrong_stacks(checker.trawl, trace, options)
        wrong_self, wrong_calls = wrong_functions(checker.trawl, trace, options)
        counts = (len(wrong), len(wrong_self), len(wrong_calls))
        allowed = NOTHING if with_image else UNTOLD.get(trace.name, NOTHING)
        checker.check(f"{options}: of {len(trace.points)} stacks, self times and calls wrong", all(count <= most for count, most in zip(counts, allowed)),
                      (counts, f"{allowed} are known", wrong[:5], wrong_self[:5], wrong_calls[:5]))
        if table:
            share = 100 * (len(trace.points) - len(wrong)) / len(trace.points)
            checker.tell(f"| {trace.name} | {'with' if with_image else 'without'} | {share:.1f} | {counts[1]} | {counts[2]} |")
    if trace.functions and trace.name.endswith(".it"):
        checker.no_fault("`stack`", stacks_disagree(checker.trawl, trace, ["--image", trace.image], place))
    if trace.name in TASK_NAMES:
        checker.no_fault("tasks", tasks_fault(checker.trawl, trace))


def test_there_are_traces():
    assert len(PACKED) >= TRACES_MIN
