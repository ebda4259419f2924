"""XRay logs of several processes as one trace (`--with FILE`, `--with NAME=FILE`): the calls of every lane against a slow model, for logs of
processes that fork and of others; logs that real programs wrote; what is refused; an index; damage.

    tests/run.py xray_processes
"""

import csv
import gzip
import io
import random
import re
import struct
from collections import Counter
from pathlib import Path

import pytest
import quick
from checker import Checker
from served import Served
from test_xray_fork import CHILD, FORMS, GRANDCHILD, PARENT, Process, family
from xray_write import Writer

TIMEOUT_S = 60
XRAY = Path(__file__).resolve().parents[2] / "corpus" / "xray"
FORK_PARENT, FORK_CHILD, FORK_OTHER = (XRAY / f"fork-{name}.fdr.xray" for name in ("parent", "child", "other"))
FORK, OTHER = XRAY / "fork.elf", XRAY / "recursion-14.elf"


class Check(Checker):
    def run(self, *words, allowed=(0, 3), stdin=b""):
        status, out, err, killed = quick.answer([self.trawl, *map(str, words)], TIMEOUT_S, stdin)
        self.check(words, not killed and status in allowed, f"status {status}: {err[:300]}")
        return out.decode(errors="replace"), err.decode(errors="replace")

    def calls(self, *words):
        """Lane, function, entry, exit, and whether it ended, of every call."""
        out, _ = self.run("export", "--format", "csv", *words)
        return sorted((row["lane"], int(row["function_id"]), int(row["entry_time"]), int(row["exit_time"]), row["state"] != "open")
                      for row in csv.DictReader(io.StringIO(out)) if row["function_id"] and row["state"] != "no entry")

    def counts(self, *words):
        out, _ = self.run("profile", "--format", "csv", *words)
        return {row["function"]: int(row["calls"]) for row in csv.DictReader(io.StringIO(out))}

    def account(self, *words):
        """The ended calls of each function, the sum of all times, and the messages."""
        out, err = self.run("xray", "account", "-f", "csv", *words)
        rows = list(csv.DictReader(io.StringIO(out)))
        names = {row["funcid"]: f"#{row['funcid']}" if row["function"].startswith("#") else row["function"] for row in rows}
        return {names[row["funcid"]]: int(row["count"]) for row in rows}, sum(float(row["sum"]) for row in rows), err

    def refuse(self, *words, text, status=1):
        _, err = self.run(*words, allowed=(status,))
        self.check(words, text in err and err.count("\n") <= 2, f"wanted {text!r}: {err[:300]!r}")


@pytest.fixture
def check(trawl):
    return Check(trawl)


# --- The model -----------------------------------------------------------------------------------


def lane_calls(records, seen):
    """The calls of a lane that has no record that is in an earlier log, except for the entries of calls that are open after the last of
    them, which begin there: [function, entry, exit, whether it ended]."""
    calls, stack, forked, last = [], [], 0, None
    for record in records:
        action, function, time = record
        is_shared = id(record) in seen
        if is_shared:
            forked = time
        else:
            for call in stack:
                call[1] = forked if call[1] is None else call[1]
            last = time
        if action == "enter":
            stack.append([function, None if is_shared else time])
            continue
        if all(call[0] != function for call in stack):
            continue
        while True:
            call = stack.pop()
            if call[1] is not None:
                calls.append((call[0], call[1], time, True))
                last = time
            if call[0] == function:
                break
    return calls + [(call[0], call[1], last, False) for call in stack if call[1] is not None]


def model(processes, has_pid):
    found, seen, names = [], set(), Counter()
    for number, process in enumerate(processes):
        threads, labels = {}, {}
        for (pid, tid), buffers in process.threads.items():
            if pid not in labels:
                names[pid] += 1
                labels[pid] = f"pid{pid}" + (f"-{names[pid]}" if names[pid] > 1 else "") if has_pid else f"log{number + 1}"
            threads.setdefault((labels[pid], tid), []).extend(buffers)
        for (label, tid), buffers in threads.items():
            records = [record for _, records in buffers for record in records]
            found += [(f"{label}.tid{tid}", *call) for call in lane_calls(records, seen)]
        seen |= {id(record) for buffers in threads.values() for _, records in buffers for record in records}
    return sorted(found)


def write(check, place, processes, form):
    kind, version, words, is_yaml = FORMS[form]
    paths = {}
    for number, process in enumerate(processes):
        path = paths[process] = place / f"{number}.xray"
        path.write_bytes(process.log(kind, version, words))
        if is_yaml:
            path.write_text(check.run("xray", "convert", "-f", "yaml", path)[0])
    return paths


def joined(paths):
    first, *others = paths
    return [first, *(word for path in others for word in ("--with", path))]


@pytest.mark.parametrize("throws", [False, True], ids=["returns", "throws"])
@pytest.mark.parametrize("form", FORMS)
def test_fork(check, place, form, throws):
    processes = family(random.Random(f"{form} {throws}"), throws, FORMS[form][0] == "fdr" and not FORMS[form][3])
    paths = write(check, place, processes, form)
    parent, child, grandchild = processes
    for order in ([parent, child], [child, parent], [child, grandchild], [grandchild, parent, child]):
        files = joined([paths[process] for process in order])
        wanted = model(order, FORMS[form][1] >= 3)
        check.expect(f"{form}: {[process.pid for process in order]}", check.calls(*files), wanted)
        totals = Counter(f"#{call[1]}" for call in wanted)
        got = check.counts(*files)
        got.pop("[thread]")
        check.expect("profile", got, dict(totals))
        ended = Counter(f"#{call[1]}" for call in wanted if call[4])
        check.expect("account", check.account("-d", "--join", *(paths[process] for process in order))[0], dict(ended))


@pytest.mark.parametrize("seed", range(6))
def test_others(check, place, seed):
    """Processes that have nothing to do with each other, and logs in several forms."""
    draw = random.Random(seed)
    processes = []
    for pid in (7, 8, 7):
        process = Process(draw, pid)
        process.time = draw.randrange(1000, 5000)
        for tid in draw.sample(range(1, 9), 2):
            for _ in range(2):
                process.new_buffer((pid, tid))
                process.run((pid, tid), 30, seed % 2)
        processes.append(process)
    paths = []
    for process, form in zip(processes, draw.sample(["fdr5", "fdr3", "basic3", "yaml", "fdr5-big", "basic3-big"], 3)):
        folder = place / f"{len(paths)}"
        folder.mkdir()
        paths.append(write(check, folder, [process], form)[process])
    check.expect("calls", check.calls(*joined(paths)), model(processes, True))
    packed = place / "second.xray.gz"
    packed.write_bytes(gzip.compress(paths[1].read_bytes()))
    check.expect("compressed", check.calls(*joined([paths[0], packed, paths[2]])), model(processes, True))


def test_chain(check, place):
    """A child goes on under its own ids in its next buffer; its child does so in turn. Calls that were open at a fork end there."""
    main = (PARENT, 100)
    parent = Process(random.Random("chain"), PARENT)
    parent.new_buffer(main)
    parent.run(main, 30, False)
    child = parent.fork(CHILD)
    child.run(main, 9, False)
    child.threads[(CHILD, CHILD)] = []
    child.stacks[(CHILD, CHILD)] = child.stacks[main]
    child.new_buffer((CHILD, CHILD))
    child.run((CHILD, CHILD), 20, False)
    second = child.fork(GRANDCHILD)
    second.run((CHILD, CHILD), 6, False)
    second.stacks[(GRANDCHILD, GRANDCHILD)] = second.stacks[(CHILD, CHILD)]
    second.new_buffer((GRANDCHILD, GRANDCHILD))
    second.run((GRANDCHILD, GRANDCHILD), 30, False)
    child.run((CHILD, CHILD), 12, False)
    parent.run(main, 25, False)
    paths = write(check, place, [parent, child, second], "fdr5")

    def records(process):
        return [record for buffers in process.threads.values() for _, some in buffers for record in some]

    wanted, seen = [], set()
    for process, lane in ((parent, f"pid{PARENT}.tid100"), (child, f"pid{CHILD}.tid{CHILD}"), (second, f"pid{GRANDCHILD}.tid{GRANDCHILD}")):
        wanted += [(lane, *call) for call in lane_calls(records(process), seen)]
        seen |= {id(record) for record in records(process)}
    for order in ([parent, child, second], [second, child, parent], [child, second, parent]):
        check.expect(str([process.pid for process in order]), check.calls(*joined([paths[process] for process in order])), sorted(wanted))


# --- Real programs -------------------------------------------------------------------------------


def test_real(check):
    """corpus/xray/programs/fork.cpp with size 12, and another program that ran at the same time."""
    parent = {"body(long)": 1, "serve(long)": 1, "wait_for(int, long)": 1, "work(long)": 3 + 12, "leaf(long)": 30 + 240}
    child = {"body(long)": 1, "serve(long)": 1, "work(long)": 12, "leaf(long)": 120}
    both = {name: parent.get(name, 0) + child.get(name, 0) for name in parent}
    for first, second in ((FORK_PARENT, FORK_CHILD), (FORK_CHILD, FORK_PARENT)):
        files = [first, "--with", second, "--image", FORK]
        check.expect("together", check.counts(*files), both | {"[thread]": 2})
        lanes = {row["lane"] for row in csv.DictReader(io.StringIO(check.run("export", "--format", "csv", *files)[0]))}
        ids = sorted(int(re.fullmatch(r"pid(\d+)\.tid\d+", lane)[1]) for lane in lanes)
        check.expect("two processes", len(ids), 2)
        for lane in lanes:
            own = check.counts(*files, "--lane", lane)
            check.expect(lane, own, (child if lane == f"pid{ids[1]}.tid{ids[1]}" else parent) | {"[thread]": 1})
    alone = check.counts(FORK_OTHER, "--image", OTHER)
    named = [FORK_PARENT, "--with", FORK_CHILD, "--with", f"other={FORK_OTHER}", "--image", f"other={OTHER}", "--image", FORK]
    out, _ = check.run("profile", "--format", "csv", *named)
    rows = [(row["function"], int(row["calls"])) for row in csv.DictReader(io.StringIO(out))]
    check.expect("three", sorted(rows), sorted([("[thread]", 3), *both.items(), *((n, c) for n, c in alone.items() if n != "[thread]")]))
    out, _ = check.run("profile", "--format", "csv", f"{FORK_PARENT}", "--with", f"other={FORK_OTHER}", "--image", FORK)
    names = {row["function"] for row in csv.DictReader(io.StringIO(out)) if int(row["function_id"] or 0) >> 24}
    check.expect("a program without an image", {name[0] for name in names}, {"#"})


def test_join(check, place):
    """The reports of `trawl xray` with --join: the two threads that the logs show for a child's thread are one."""
    both = {"body(long)": 2, "serve(long)": 2, "wait_for(int, long)": 1, "work(long)": 27, "leaf(long)": 390}
    calls = check.calls(FORK_PARENT, "--with", FORK_CHILD)
    seconds_wanted = sum(left - entered for _, _, entered, left, ended in calls if ended) / 1e9
    for logs in ([FORK_PARENT, FORK_CHILD], [FORK_CHILD, FORK_PARENT]):
        counts, seconds, err = check.account("--join", "-m", FORK, *logs)
        check.expect("account", counts, {name: count - (name == "body(long)") for name, count in both.items()})
        check.check("the sum of times", abs(seconds - seconds_wanted) < 1e-6 * seconds_wanted, f"{seconds} {seconds_wanted}")
        check.check("what is read once", "in two of the logs" in err and "exits without" not in err, err)
        _, err = check.run("xray", "account", "-m", FORK, *logs, allowed=(3,))
        check.check("what finds the entries", "--join finds their entries" in err, err)
        out, _ = check.run("xray", "stack", "--join", "--all", "--aggregation-type", "count", "-m", FORK, *logs)
        stacks = [line.rsplit(" ", 1) for line in out.splitlines()]
        leaves = Counter()
        for stack, count in stacks:
            leaves[stack.rstrip(";").split(";")[-1]] += int(count)
        check.expect("stack", dict(leaves), counts)
        out, _ = check.run("xray", "graph", "--join", "-m", FORK, "-e", "count", *logs)
        edges = sum(int(count) for count in re.findall(r'->.*label="(\d+)', out))
        check.expect("graph", edges, sum(counts.values()))
        out, _ = check.run("xray", "waits", "--join", "--min-duration", "0", "--format", "csv", "-m", FORK, *logs)
        check.expect("waits", {row["lane"] for row in csv.DictReader(io.StringIO(out))},
                     {row["lane"] for row in csv.DictReader(io.StringIO(check.run("export", "--format", "csv", logs[0], "--with", logs[1])[0]))})
    check.expect("one log", check.account("--join", "-m", FORK, FORK_PARENT), check.account("-m", FORK, FORK_PARENT))
    slow, none = place / "slow.xray", place / "none.xray"
    slow.write_bytes(log_of(7, hz=123456))
    none.write_bytes(FORK_CHILD.read_bytes()[:32])
    check.refuse("xray", "account", "--join", FORK_PARENT, slow, text="clock")
    check.run("xray", "account", "--join", FORK_PARENT, none)
    check.refuse("xray", "account", "--join", FORK_PARENT, place / "missing.xray", text="No such file")
    check.refuse("xray", "stack", "--join", none, place / "other.xray", text="No such file")

def test_commands(check, place):
    """Every command that takes a log of one process; an index gives the same answers."""
    index = place / "made.index"
    files = [FORK_PARENT, "--with", FORK_CHILD, "--image", FORK]
    check.run("index", FORK_PARENT, "--with", FORK_CHILD, "--index", index)
    for words in (["profile"], ["calls"], ["flamegraph", "--format", "collapsed"], ["calltree"], ["export", "--format", "chrome"],
                  ["export", "--format", "csv"], ["stack", "--at", "time:+100us"], ["calls", "--latency", "--by", "path"]):
        plain = check.run(*words, *files)[0]
        check.check(str(words), "pid" in plain or words[0] in ("profile", "flamegraph") or "--latency" in words, plain[:200])
        check.expect(f"{words}: index", check.run(*words, *files, "--index", index, "--no-index")[0], plain)
    check.expect("verify", "no damage" in check.run("verify", index)[0], True)
    info = check.run("info", FORK_PARENT, "--with", FORK_CHILD)[0]
    check.expect("info", dict(re.findall(r"^(processes|shared buffers) +(\d+)$", info, re.M)), {"processes": "2", "shared buffers": "1"})
    with Served(check.trawl, [FORK_PARENT], "--memory-index", "--with", FORK_CHILD) as served:
        calls = {row["pc"]: row["calls"] for row in served.ask("functions")[1]["functions"]}
        check.expect("serve", calls, {"0x2": 2, "0x4": 2, "0x6": 1, "0x8": 27, "0xa": 390})
    # An index of other files, of fewer, or with other names is built again.
    for other in ([FORK_PARENT], [FORK_PARENT, "--with", FORK_OTHER], [FORK_PARENT, "--with", f"x={FORK_CHILD}"]):
        check.expect(str(other), check.run("profile", *other, "--index", index)[0], check.run("profile", *other, "--memory-index")[0])


@pytest.mark.parametrize("seed", range(4))
def test_percentiles(check, place, seed):
    """Percentiles by function and by path, of one lane and of a part of the time, for two processes: of calls as far as they are in that part."""
    draw, processes, lanes = random.Random(seed), [], {}
    for pid in (7, 8):
        process = Process(draw, pid)
        process.new_buffer((pid, pid))
        process.run((pid, pid), 200, False)
        processes.append(process)
        stack, calls = [], []
        for action, function, time in process.threads[(pid, pid)][0][1]:
            if action == "enter":
                stack.append((function, time))
                continue
            calls.append((";".join(f"#{name}" for name, _ in stack), stack[-1][1], time))
            stack.pop()
        lanes[f"pid{pid}.tid{pid}"] = (calls + [(";".join(f"#{n}" for n, _ in stack[: i + 1]), stack[i][1], time) for i in range(len(stack))], process)
    paths = write(check, place, processes, "fdr5")
    times = {time for calls, _ in lanes.values() for _, begin, end in calls for time in (begin, end)}
    free = [time for time in range(1100, max(times) - 300) if not times & {time - 1, time, time + 1}]
    for lane in (None, *lanes):
        for window in (None, tuple(sorted(draw.sample(free, 2)))):
            low, high = window or (0, 2**60)
            for by_path in (False, True):
                wanted = {}
                for name in [lane] if lane else lanes:
                    for path, begin, end in lanes[name][0]:
                        if begin < high and end > low:
                            key = path if by_path else path.rpartition(";")[2]
                            wanted.setdefault(key, []).append(min(end, high) - max(begin, low))
                words = [*(["--lane", lane] if lane else []), *(["--time", f"{low}..{high}"] if window else []), *(["--by", "path"] if by_path else [])]
                out, _ = check.run("calls", "--latency", "--format", "csv", *words, *joined([paths[process] for process in processes]))
                got = {row["path" if by_path else "function"]: [int(row[key]) for key in ("calls", "minimum", "median", "p90", "p99", "maximum")]
                       for row in csv.DictReader(io.StringIO(out))}
                right = {}
                for key, ticks in wanted.items():
                    ticks.sort()
                    ranks = [ticks[max(-(-len(ticks) * percent // 100), 1) - 1] for percent in (50, 90, 99)]
                    right[key] = [len(ticks), ticks[0], *ranks, ticks[-1]]
                check.expect(f"{lane} {window} {by_path}", got, right)


# --- What is refused -----------------------------------------------------------------------------


def log_of(pid, *, seconds=7, hz=None, time=1000):
    writer = Writer("fdr", "5", *(["hz", str(hz)] if hz else []))
    writer.buffer("1", "at", str(seconds), "0", "pid", str(pid))
    writer.cpu("0", str(time))
    writer.line("enter", "1", "0")
    writer.line("exit", "1", "10")
    return writer.result()


def test_refusals(check, place):
    one, two = place / "one.xray", place / "two.xray"
    one.write_bytes(log_of(1))

    def against(data, *, text, words=(), status=1):
        two.write_bytes(data)
        check.refuse("profile", one, "--with", two, *words, text=text, status=status)

    slow = bytearray(log_of(2))
    struct.pack_into("<Q", slow, 8, 1234)
    against(slow, text="has 1234 ticks a second")
    against(log_of(2, seconds=9, time=900), text="clock was started anew")
    against(b"no log at all\n", text="not an XRay log")
    against(log_of(2)[:20], text="ends inside its header")
    check.refuse("profile", one, "--with", place / "none.xray", text="none.xray")
    check.refuse("profile", one, "--with", one, text="the same file", status=2)
    for name in ("1", "a b", "averylongname1", "a.b"):
        check.refuse("profile", one, "--with", f"{name}={FORK_CHILD}", text="a program's name is a letter", status=2)
    two.write_bytes(log_of(2))
    check.refuse("profile", one, "--with", two, "--image", f"other={FORK}", text="no log has this name")
    check.refuse("profile", one, "--with", f"b={two}", "--image", f"b={FORK}", "--image", f"b={OTHER}", text="'b' is")
    check.refuse("profile", one, "--then", two, text="--then does not apply", status=2)
    check.refuse("profile", XRAY / "profiling.xrayprof", "--with", two, text="files of that kind cannot be merged")


def test_clocks(check, place):
    """Wall clocks tell where a log was written after another boot, if the frequency is known."""
    one, two = place / "one.xray", place / "two.xray"
    hz = 1_000_000_000
    for seconds, ticks, is_refused in ((107, 101, False), (107, 150, False), (3 * 86400, 5000, True), (7 + 4000, 1, True)):
        for path, pid, at, time in ((one, 1, 7, hz), (two, 2, seconds, ticks * hz)):
            data = bytearray(log_of(pid, seconds=at, time=time))
            struct.pack_into("<Q", data, 8, hz)
            path.write_bytes(data)
        _, err = check.run("profile", one, "--with", two, allowed=(1,) if is_refused else (0,))
        check.expect(f"{seconds} s, {ticks} s", "clock was started anew" in err, is_refused)


def test_objects(check, place):
    """Ids of programs stay apart, up to as many objects as fit into an id."""
    paths = []
    for number in range(18):
        paths.append(place / f"{number}.xray")
        paths[-1].write_bytes(log_of(number + 1))
    words = [word for number, path in enumerate(paths[1:16], 1) for word in ("--with", f"p{number}={path}")]
    check.expect("sixteen", set(check.counts(paths[0], *words).values()), {1, 16})
    check.refuse("profile", paths[0], *words, "--with", f"p16={paths[16]}", text="more than 16 objects")
    same = [word for path in paths[1:] for word in ("--with", path)]
    check.expect("of one program", check.counts(paths[0], *same), {"#1": 18, "[thread]": 18})


def test_other_program(check, place):
    """The name that the runtime gives a log tells its program: two programs are told apart by a name only."""
    paths = [place / f"xray-log.{program}.x{number}" for number, program in enumerate(("web", "web", "db"))]
    for number, path in enumerate(paths):
        path.write_bytes(log_of(number + 1))
    for words, is_told in (([], False), (["--with", paths[1]], False), (["--with", paths[2]], True), (["--with", f"db={paths[2]}"], False)):
        _, err = check.run("profile", paths[0], *words, allowed=(0,))
        check.expect(str(words), "seems to be of another program than web" in err, is_told)


def test_damage(check, place):
    """Damage of a log is that of the whole; whatever the bytes are, a documented status ends it."""
    parent, child = FORK_PARENT.read_bytes(), FORK_CHILD.read_bytes()
    one, two = place / "one.xray", place / "two.xray"
    two.write_bytes(child[:-5])
    _, err = check.run("profile", FORK_PARENT, "--with", two, allowed=(3,))
    check.expect("a cut log", "the log ends inside" in err, True)
    draw = random.Random(49)
    for _ in range(60):
        for path, data in ((one, bytearray(parent)), (two, bytearray(child))):
            for _ in range(draw.randrange(4)):
                at, length = draw.randrange(len(data)), draw.randrange(1, 64)
                kind = draw.randrange(3)
                if kind == 0:
                    data[at] ^= 1 << draw.randrange(8)
                elif kind == 1:
                    data[at:at] = data[at : at + length]
                else:
                    del data[at : at + length]
            path.write_bytes(data)
        check.run("export", "--format", "csv", one, "--with", two, allowed=(0, 1, 3))
