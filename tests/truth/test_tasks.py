"""Tasks in flame graph, call tree and profile, compared with the true ones of corpus/stacks; and how tasks are selected and named.

    tests/run.py tasks

The flame graph has the true ticks of every stack of every task; the call tree has the true stack of the running task at random points;
and every format of `export` has the former in a track for each task. --task selects the rows of a profile that belong to the given
tasks, by name, pattern or an address in the stack. Invalid expressions for --task-name end with a message.
"""

import collections
import json
import random
import re

import pytest
import quick
import test_export
import true_stacks
from checker import Checker
from test_stacks import STACKS, TASK_NAMES, Trace, is_interrupt

POINTS = 200
TIMEOUT_S = 60
HOSTILE = ["", "(", "(" * 200, "-" * 250 + "1", "1/0", "1%0", "u64(", "u64(0)", "*(char**)", "(char*)", "*(char**)(",
           "*(char**)(0xffffffffffffffff)", "(char*)(0xffffffffffffffff)", "x999", "no_such_symbol",
           "0x" + "f" * 40, "%s%n", "\x1b]0;title\x07", "1 2", "sp.sp", "a" * 100000]  # fmt: skip


class TasksChecker(Checker):
    def run(self, *words):
        return quick.run([str(self.trawl), *map(str, words)], timeout=TIMEOUT_S)

    def rows(self, *words):
        return true_stacks.rows(self.trawl, *words)


def true_task(name):
    """The task's name in the truth: the first one has a name only if the program gives it one."""
    return name[2:] if name.startswith("0x") else name if name == "interrupts" else "0"


def part_interrupts(trace):
    """What interrupts do belongs to none of the tasks, in the truth, too."""
    for number, (line, entries, _) in enumerate(trace.truth.changes):
        handlers = [at for at, is_handler in enumerate(trace.truth.handlers[number]) if is_handler and is_interrupt(trace, entries[at])]
        if handlers:
            trace.truth.changes[number] = line, entries[handlers[0] :], "interrupts"
    # A task that was interrupted before its first instruction has not run.
    numbers = sorted(set(trace.truth.numbers_at_lines([line for line, _ in trace.instructions])))
    trace.truth.changes = [trace.truth.changes[number] for number in numbers]
    return trace


def true_ticks(trace):
    """The ticks of each stack of each task."""
    wanted = collections.Counter()
    ends = [time for _, time in trace.instructions[1:]] + [true_stacks.last_time(trace.path)]
    stacks = trace.truth.at_lines([line for line, _ in trace.instructions])
    for (_, entries, task), (_, start), end in zip(stacks, trace.instructions, ends):
        wanted[task, tuple(entries)] += end - start
    return +wanted


def addresses(checker, trace, naming):
    """{function: its first address}"""
    return {row["function"]: int(row["address"], 16) & ~1
            for row in checker.rows("profile", "--format", "csv", *naming, trace.path)}  # fmt: skip


def check_rows(checker, trace, naming):
    """The profile has each function in each task in which it ran, and no other row; all its calls are in some task."""
    rows = checker.rows("profile", "--format", "csv", *naming, trace.path)
    found = {(true_task(row["task"]), int(row["address"], 16) & ~1) for row in rows}
    wanted = {(task, entry) for _, entries, task in trace.truth.changes for entry in entries}
    checker.check(f"{trace.name}: functions of tasks", found == wanted and len(rows) == len(found), (found - wanted, wanted - found))
    calls = collections.Counter()
    for row in rows:
        calls[int(row["address"], 16) & ~1] += int(row["calls"])
    true = trace.truth.calls | collections.Counter([trace.truth.changes[0][1][0]])  # the function in which the trace begins was not called
    has_run = {entry for _, entries, _ in trace.truth.changes for entry in entries}
    true = collections.Counter({entry: count for entry, count in true.items() if entry in has_run})
    checker.check(f"{trace.name}: calls of tasks", calls == true, (calls - true, true - calls))


def check_names(checker, trace, options):
    """Tasks are named after the function that they begin with, and their stacks if several begin with the same one."""
    function_at = dict(trace.functions)
    begun = collections.Counter(function_at[entry] for entry in dict((task, entries[0]) for _, entries, task in reversed(trace.truth.changes) if entries and task != "interrupts").values())
    found = {row["task"] for row in checker.rows("profile", "--format", "csv", "--by", "task", *options, trace.path)}
    found.discard("interrupts")
    shared = {name for name in found if re.search(" 0x[0-9a-f]+$", name)}
    checker.check(f"{trace.name}: names", collections.Counter(name.split(" ")[0] for name in found) == begun and
                  {name.split(" ")[0] for name in shared} == {name for name, count in begun.items() if count > 1}, (found, begun))  # fmt: skip
    found = {row["task"] for row in checker.rows("profile", "--format", "csv", "--by", "task", "--memory-index", trace.path)} - {"interrupts"}
    checker.check(f"{trace.name}: names without an image", all(re.fullmatch("task 0x[0-9a-f]+", name) for name in found) and
                  len(found) == begun.total(), found)  # fmt: skip


def check_flame(checker, trace, naming):
    names = addresses(checker, trace, naming)
    found = collections.Counter()
    for line in true_stacks.run(checker.trawl, "flamegraph", *naming, trace.path).splitlines():
        stack, ticks = line.rsplit(" ", 1)
        task, *frames = stack.split(";")
        found[true_task(task), tuple(names[frame] for frame in frames)] += int(ticks)
    wanted = true_ticks(trace)
    checker.check(f"{trace.name}: flame graph by task", +found == +wanted, (+found - wanted, +wanted - found))
    whole = true_stacks.run(checker.trawl, "flamegraph", "--image", trace.image, trace.path).splitlines()
    total = sum(int(line.rsplit(" ", 1)[1]) for line in whole)
    checker.check(f"{trace.name}: ticks of all tasks", sum(found.values()) == total, (sum(found.values()), total))


# --- Tracks in other programs ---------------------------------------------------------------------


def chrome_tracks(text):
    lanes, times = test_export.read_chrome(text)
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in json.loads(text)["traceEvents"] if event["ph"] == "M"}
    # Events with equal times are separated by millionths.
    return [(names[lane], lanes[lane], [int(time) for time in times[lane]]) for lane in lanes]


def perfetto_tracks(data):
    lanes, times = test_export.read_perfetto(data)
    return list(zip(test_export.names_of_perfetto(data), lanes.values(), [times[lane] for lane in lanes], strict=True))


def speedscope_tracks(text):
    lanes, times = test_export.read_speedscope(text)
    return list(zip([profile["name"] for profile in json.loads(text)["profiles"]], lanes, times, strict=True))


TRACKS = {"chrome": chrome_tracks, "perfetto": perfetto_tracks, "speedscope": speedscope_tracks}


def ticks_of(tracks):
    """The ticks of each stack of each track, from the beginnings and ends of its calls."""
    found = collections.Counter()
    for name, events, times in tracks:
        stack, before = [], None
        for event, time in zip(events, times, strict=True):
            if stack:
                found[name, tuple(stack)] += time - before
            before = time
            if event[0] == "B":
                stack.append(event[1])
            else:
                stack.pop()
        assert not stack, name
    return +found


def ticks_of_pprof(data):
    found = collections.Counter()
    for stack, _, own, labels in test_export.samples_of_pprof(data):
        found[labels["task"], tuple(stack[::-1])] += own
    return +found


def ticks_of_flame(checker, *words):
    found = collections.Counter()
    for line in true_stacks.run(checker.trawl, "flamegraph", *words).splitlines():
        stack, ticks = line.rsplit(" ", 1)
        task, *frames = stack.split(";")
        found[task, tuple(frames)] += int(ticks)
    return +found


def check_tracks(checker, trace, naming):
    """A track has the true ticks of every stack of its task."""
    names, wanted = addresses(checker, trace, naming), true_ticks(trace)
    placed = lambda found: collections.Counter(  # noqa: E731
        {(true_task(task), tuple(names[frame] for frame in stack)): ticks for (task, stack), ticks in found.items()})
    for form, tracks_of in TRACKS.items():
        tracks = tracks_of(checker.run("export", "--format", form, *naming, trace.path).stdout)
        found = placed(ticks_of(tracks))
        checker.check(f"{trace.name}: tracks of {form}", found == wanted, (found - wanted, wanted - found))
        checker.check(f"{trace.name}: a track a task in {form}",
                      sorted(true_task(name) for name, _, _ in tracks) == sorted({task for task, _ in wanted}), tracks[0][0])  # fmt: skip
    found = placed(ticks_of_pprof(checker.run("export", "--format", "pprof", *naming, trace.path).stdout))
    checker.check(f"{trace.name}: tasks of pprof", found == wanted, (found - wanted, wanted - found))
    for task in sorted({row["task"] for row in checker.rows("profile", "--format", "csv", *naming, trace.path)}):
        text = checker.run("export", "--format", "callgrind", *naming, "--task", task, trace.path).stdout
        found = {names[name]: own for name, (own, _) in test_export.read_callgrind(text).items() if own}
        true = collections.Counter()
        for (of, stack), ticks in wanted.items():
            true[stack[-1]] += ticks * (of == true_task(task))
        checker.check(f"{trace.name}: task {task} alone in callgrind", found == +true, found)


def check_tracks_of_part(checker, trace, options, directory):
    """Filters leave in tracks what they leave in the flame graph, and neither threads nor an index change any byte."""
    middle = trace.instructions[len(trace.instructions) // 3][1], trace.instructions[len(trace.instructions) // 2][1]
    function = max(checker.rows("profile", "--format", "csv", *options, trace.path), key=lambda row: int(row["total"]) * (row["calls"] > "1"))
    for words in (["--time", f"{middle[0]}..{middle[1]}"], ["--lane-events", "1000..1400"], ["--function", function["function"]],
                  ["--returned-only"], ["--depth", "2"], ["--task", "*a*"], ["--task-name", "7"]):  # fmt: skip
        words = ["--by", "task", *words, *options, trace.path]
        wanted = ticks_of_flame(checker, *words)
        for form, tracks_of in TRACKS.items():
            found = ticks_of(tracks_of(checker.run("export", "--format", form, *words).stdout))
            checker.check(f"{trace.name}: {form} of {words[2:4]}", found == wanted, (found - wanted, wanted - found))
        found = ticks_of_pprof(checker.run("export", "--format", "pprof", *words).stdout)
        checker.check(f"{trace.name}: pprof of {words[2:4]}", found == wanted, (found - wanted, wanted - found))
        merged = words[2:4] == ["--task-name", "7"]
        checker.check(f"{trace.name}: tasks of {words[2:4]}", not merged or {name for name, _ in wanted} == {"0x7", "interrupts"}, wanted)
    words = ["--by", "task", *options, trace.path]
    for form in (*TRACKS, "pprof", "collapsed", "csv"):
        plain = checker.run("export", "--format", form, *words, "--memory-index").stdout
        for how in (["--threads", "1"], ["--threads", "3", "--chunk-size", "7K"], ["--index", directory / "index"],
                    ["--index", directory / "index"]):  # fmt: skip
            checker.check(f"{trace.name}: {form} with {how[:2]}", plain == checker.run("export", "--format", form, *words, *how).stdout)
    checker.check(f"{trace.name}: collapsed is that of flamegraph", checker.run("export", "--format", "collapsed", *words).stdout ==
                  checker.run("flamegraph", *words).stdout)  # fmt: skip
    shown, exported = checker.rows("calltree", "--format", "csv", *words), checker.rows("export", "--format", "csv", *words)
    checker.check(f"{trace.name}: csv has what calltree has", shown == [{name: row[name] for name in shown[0]} for row in exported], exported[:2])


def check_refused(checker, trace):
    for form, words in (("callgrind", ["--by", "task"]), ("callgrind", ["--task-name", "7"]), ("tfile", ["--by", "task"]),
                        ("tfile", ["--task", "x"]), ("chrome", ["--by", "core"])):  # fmt: skip
        done = checker.run("export", "--format", form, *words, trace.path)
        checker.check(f"{form} with {words}", done.returncode == 2 and not done.stdout and words[0].encode() in done.stderr
                      and done.stderr.count(b"\n") == 2, done.stderr)  # fmt: skip
    log = STACKS.parent / "xray" / "threads.fdr.xray"
    done = checker.run("export", "--by", "task", log)
    checker.check("a log has no tasks", done.returncode == 2 and b"--by does not apply" in done.stderr, done.stderr)


@pytest.fixture
def checker(trawl):
    return TasksChecker(trawl)


def test_cores(checker):
    """Tracks of several cores have the core in their names."""
    words = ["--by", "task", "--image", STACKS.parent / "elf" / "twocores-a64.elf", STACKS.parent / "traces" / "twocores-a64.gem5.tarmac"]
    lanes = {row["lane"] for row in checker.rows("calltree", "--format", "csv", *words)}
    for form, tracks_of in TRACKS.items():
        names = [name for name, _, _ in tracks_of(checker.run("export", "--format", form, *words).stdout)]
        checker.check(f"cores in {form}", len(lanes) == 2 and {name.split(": ")[0] for name in names} == lanes and
                      len(names) == len(set(names)), names)  # fmt: skip
    labels = [labels for *_, labels in test_export.samples_of_pprof(checker.run("export", "--format", "pprof", *words).stdout)]
    checker.check("cores in pprof", {label["thread"] for label in labels} == lanes and all(label["task"] for label in labels), labels[:3])


# -------------------------------------------------------------------------------------------------


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
    """--task, with the names that tasks have without an expression."""
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
        # Shares refer to what is shown.
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


def check_later_runs(checker, trace, options):
    """If the name is unknown when a task first runs, later runs are searched: task_sorts continues where its own return address is on
    the stack."""
    rows = checker.rows("profile", "--format", "csv", *options, "--task-name", "u64(sp+8)", trace.path)
    entry = next(entry for entry, name in trace.functions if name == "task_sorts")
    after = min(address for address, _ in trace.functions if address > entry)
    names = {row["task"] for row in rows if int(row["address"], 16) == entry}
    checker.check(f"{trace.name}: a name that a later run shows", len(names) == 1 and
                  all(name.startswith("0x") and entry < int(name, 16) < after for name in names), names)  # fmt: skip


def check_hostile(checker, trace):
    for text in HOSTILE:
        done = checker.run("profile", "--image", trace.image, "--task-name", text, trace.path)
        is_told = done.returncode in (1, 2) and not done.stdout and 1 <= done.stderr.count(b"\n") <= 2
        is_right = is_told or done.returncode == 0
        checker.check(f"--task-name {text[:30]!r}", is_right and b"\x1b" not in done.stderr + done.stdout,
                      (done.returncode, done.stderr))  # fmt: skip


@pytest.mark.parametrize("name", TASK_NAMES)
def test_traces(checker, place, name):
    trace = part_interrupts(Trace(STACKS / f"{name}.tarmac.xz", place))
    options = ["--image", trace.image]
    naming = [*options, "--task-name", TASK_NAMES[name]]
    check_rows(checker, trace, naming)
    check_names(checker, trace, options)
    check_flame(checker, trace, naming)
    check_tree(checker, trace, naming)
    check_tracks(checker, trace, naming)
    check_choice(checker, trace, options)


def test_of_one(checker, place):
    trace = part_interrupts(Trace(STACKS / "rtos-a64.it.tarmac.xz", place))
    options = ["--image", trace.image]
    check_later_runs(checker, trace, options)
    check_hostile(checker, trace)
    check_tracks_of_part(checker, trace, options, place)
    check_refused(checker, trace)
