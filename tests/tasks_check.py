#!/usr/bin/env python3
"""Tasks in flame graph, call tree and profile against the true ones of corpus/stacks, and what chooses and names them.

    tests/tasks_check.py DIRECTORY_OF_TRAWL

The flame graph has the true ticks of every stack of every task, the call tree the true stack of the running task at
random points; --task has of a profile the rows of the tasks that it names, by name, pattern or an address in the
stack; expressions of --task-name that mean nothing end with a sentence.
"""

import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import true_stacks
from checker import Checker
from stacks_check import STACKS, TASK_NAMES, Trace

POINTS = 200
TIMEOUT_S = 60
HOSTILE = ["", "(", "(" * 200, "-" * 250 + "1", "1/0", "1%0", "u64(", "u64(0)", "*(char**)", "(char*)", "*(char**)(",
           "*(char**)(0xffffffffffffffff)", "(char*)(0xffffffffffffffff)", "x999", "no_such_symbol",
           "0x" + "f" * 40, "%s%n", "\x1b]0;title\x07", "1 2", "sp.sp", "a" * 100000]  # fmt: skip


class TasksChecker(Checker):
    def run(self, *words):
        return subprocess.run([str(self.trawl), *map(str, words)], capture_output=True, timeout=TIMEOUT_S, check=False)

    def rows(self, *words):
        return true_stacks.rows(self.trawl, *words)


def true_task(name):
    """As the truth calls it: the first one has a name only where the program gives it one."""
    return name[2:] if name.startswith("0x") else "0"


def check_flame(checker, trace, naming):
    names = {row["function"]: int(row["address"], 16) & ~1
             for row in checker.rows("profile", "--format", "csv", *naming, trace.path)}  # fmt: skip
    found = collections.Counter()
    for line in true_stacks.run(checker.trawl, "flamegraph", *naming, trace.path).splitlines():
        stack, ticks = line.rsplit(" ", 1)
        task, *frames = stack.split(";")
        found[true_task(task), tuple(names[frame] for frame in frames)] += int(ticks)
    wanted = collections.Counter()
    ends = [time for _, time in trace.instructions[1:]] + [true_stacks.last_time(trace.path)]
    stacks = trace.truth.at_lines([line for line, _ in trace.instructions])
    for (_, entries, task), (_, start), end in zip(stacks, trace.instructions, ends):
        wanted[task, tuple(entries)] += end - start
    checker.check(f"{trace.name}: flame graph by task", +found == +wanted, (+found - wanted, +wanted - found))
    whole = true_stacks.run(checker.trawl, "flamegraph", "--image", trace.image, trace.path).splitlines()
    total = sum(int(line.rsplit(" ", 1)[1]) for line in whole)
    checker.check(f"{trace.name}: ticks of all tasks", sum(found.values()) == total, (sum(found.values()), total))


def check_tree(checker, trace, naming):
    rows = checker.rows("calltree", "--format", "csv", *naming, trace.path)
    by_task = collections.defaultdict(list)
    for row in rows:
        by_task[true_task(row["task"])].append(row)
    points = sorted(random.Random(trace.name).sample([line for line, _ in trace.instructions], POINTS))
    for line, entries, task in trace.truth.at_lines(points):
        around = [row for row in by_task[task] if int(row["entry_line"]) <= line <= int(row["exit_line"])]
        stack = []
        for row in around:
            del stack[int(row["depth"]) :]
            stack.append(int(row["entry_pc"], 16) & ~1)
        if stack != entries:
            checker.check(f"{trace.name}: call tree by task at line {line}", False, (task, stack, entries))
            return
    checker.check(f"{trace.name}: call tree by task", True)


def check_choice(checker, trace, options):
    """--task, of what tasks are called without an expression."""
    words = ["profile", "--format", "csv", *options]
    whole = checker.rows(*words, "--by", "task", trace.path)
    tasks = sorted({row["task"] for row in whole})
    chosen = {f"the name {task}": (task, {task}) for task in tasks}
    chosen["a pattern"] = ("*[aeiou]*", {task for task in tasks if re.search("[aeiou]", task)})
    chosen["a pattern of all"] = ("*", set(tasks))
    for task in tasks:
        stack = re.search(r"0x([0-9a-f]+)$", task)
        if stack:
            chosen[f"an address in the stack of {task}"] = (hex(int(stack[1], 16) - 8), {task})
            chosen[f"the stack of {task}"] = ("0x" + stack[1], {task})
    for what, (wanted, names) in chosen.items():
        found = checker.rows(*words, "--by", "task", "--task", wanted, trace.path)
        # Shares are of what is shown.
        plain = lambda rows: [(row["task"], row["self"], row["total"], row["calls"], row["address"]) for row in rows]  # noqa: E731
        checker.check(f"{trace.name}: --task by {what}", plain(found) == plain([row for row in whole if row["task"] in names]),
                      (plain(found)[:3], tasks))  # fmt: skip
        lines = true_stacks.run(checker.trawl, "flamegraph", *options, "--by", "task", "--task", wanted, trace.path).splitlines()
        ticks = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
        checker.check(f"{trace.name}: flame graph, --task by {what}", ticks == sum(int(row["self"]) for row in found), ticks)
        tree = checker.rows("calltree", "--format", "csv", *options, "--by", "task", "--task", wanted, trace.path)
        checker.check(f"{trace.name}: call tree, --task by {what}", {row["task"] for row in tree} <= names and tree, len(tree))
    for wanted in ("no_such_task", "0x1", "0xzz", ""):
        done = checker.run(*words, "--task", wanted, trace.path)
        checker.check(f"{trace.name}: no task is called '{wanted}'",
                      done.returncode == 1 and not done.stdout and done.stderr.count(b"\n") == 1, done.stderr)  # fmt: skip


def check_hostile(checker, trace):
    for text in HOSTILE:
        done = checker.run("profile", "--image", trace.image, "--task-name", text, trace.path)
        is_told = done.returncode in (1, 2) and not done.stdout and 1 <= done.stderr.count(b"\n") <= 2
        is_right = is_told or done.returncode == 0
        checker.check(f"--task-name {text[:30]!r}", is_right and b"\x1b" not in done.stderr + done.stdout,
                      (done.returncode, done.stderr))  # fmt: skip


def main():
    checker = TasksChecker(pathlib.Path(sys.argv[1]).resolve() / "trawl")
    for name, expression in TASK_NAMES.items():
        with tempfile.TemporaryDirectory() as directory:
            trace = Trace(STACKS / f"{name}.tarmac.xz", pathlib.Path(directory))
            options = ["--image", trace.image]
            naming = [*options, "--task-name", expression]
            check_flame(checker, trace, naming)
            check_tree(checker, trace, naming)
            check_choice(checker, trace, options)
            if name == "rtos-a64.it":
                check_hostile(checker, trace)
    print(f"{checker.passed} passed, {checker.failed} failed")
    return checker.failed != 0


if __name__ == "__main__":
    sys.exit(main())
