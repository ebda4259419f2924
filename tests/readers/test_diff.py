"""Compares the output of `trawl diff` for two runs with the changes that were made to one of them.

    tests/run.py diff

Traces of the corpus are split into instructions and changed: interrupts are inserted, ranges are removed, moved or repeated, single
instructions are replaced. The regions in the output must account for every instruction of both runs: the instructions between two regions
are equal in both, the numbers only in A or B are correct, and the first region is where a plain comparison finds the first difference. If
the optimum is known, trawl must find it; otherwise Python's difflib is the measure. Runs in two dialects are equal, an index gives the same
result as its trace, and the result does not depend on how the index is divided into segments.
"""

import bisect
import difflib
import json
import os
import random
import re
import shutil
import xml.etree.ElementTree
from pathlib import Path

import extent
import pytest
import quick

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 120
GAP = 8  # LANE_DIFF_GAP
INSTRUCTION = re.compile(rb"^\d+ clk I[TS] \(\d+\) ([0-9a-f]+) ")
TRACES = ["sort-a64", "exceptions-a64", "sort-t32", "recursion-a32", "hash-a64"]
HANDLER = 0x7F000000


def read_run(path):
    """[(pc, lines)] of a trace in the `it` style, its lines without their times; and the lines before the first instruction."""
    head, run = [], []
    for line in path.read_bytes().splitlines(keepends=True):
        match = INSTRUCTION.match(line)
        body = line.split(b" ", 1)[1] if line[:1].isdigit() else line
        if match:
            run.append((int(match[1], 16), [body]))
        else:
            (run[-1][1] if run else head).append(body)
    return head, run


def write_run(path, head, run):
    """Writes a run with a different time for each instruction; returns the line number of each."""
    line, lines = 1, []
    with path.open("wb") as file:
        for body in head:
            file.write(b"0 " + body)
            line += 1
        for time, (_, bodies) in enumerate(run, 1):
            lines.append(line)
            for body in bodies:
                file.write(b"%d " % time + body)
                line += 1
    return lines


def handler(length, start=HANDLER):
    return [(start + 4 * i, [b"clk IT (1) %08x d503201f O EL1h_s : NOP\n" % (start + 4 * i)]) for i in range(length)]


def execute(command, place):
    return quick.run(command, cwd=place, timeout=TIMEOUT_S)


def diff(trawl, place, a, b, *options, statuses=(0, 1)):
    done = execute([trawl, "diff", "--format", "json", *options, a, b], place)
    assert done.returncode in statuses, (done.returncode, done.stderr)
    return json.loads(done.stdout), done.returncode


class Runs:
    def __init__(self, checker, place, head):
        self.checker, self.place, self.head = checker, place, head

    def compare(self, what, a, b, *options):
        """Writes both runs, compares them with trawl, and checks that the output accounts for all of both."""
        runs = [[pc for pc, _ in run] for run in (a, b)]
        lines = [write_run(self.place / name, self.head, run) for name, run in (("a.t", a), ("b.t", b))]
        answer, status = diff(self.checker.trawl, self.place, "a.t", "b.t", "--max-regions", "1000000", *options)
        check = self.checker.check
        is_same = runs[0] == runs[1]
        check(f"{what}: equal", answer["equal"] == is_same and status == (not is_same), (status, is_same))
        check(f"{what}: counts", [answer[side]["count"] for side in "ab"] == [len(run) for run in runs], answer)
        at, only = [0, 0], [0, 0]
        for region in answer["regions"]:
            starts = [self.number(region[f"line_{side}"], lines[i]) for i, side in enumerate("ab")]
            apart = [starts[i] - at[i] for i in range(2)]
            is_right = apart[0] == apart[1] and runs[0][at[0] : starts[0]] == runs[1][at[1] : starts[1]]
            is_right &= not at[0] or apart[0] >= GAP
            counts = [region["count_a"], region["count_b"]]
            inside = [region["only_a"], region["only_b"]]
            is_right &= counts[0] - inside[0] == counts[1] - inside[1] >= 0
            check(f"{what}: region at {starts}", is_right, region)
            at = [starts[i] + counts[i] for i in range(2)]
            only = [only[i] + inside[i] for i in range(2)]
        check(f"{what}: the end", runs[0][at[0] :] == runs[1][at[1] :], at)
        check(f"{what}: sums", only == [answer["only_a"], answer["only_b"]], (only, answer["only_a"]))
        check(f"{what}: regions", answer["region_count"] == len(answer["regions"]))
        self.check_first(what, answer, runs, lines)
        return answer

    def number(self, line, lines):
        """The number of the instruction that a line belongs to; None is the end of a run, after its last instruction."""
        return len(lines) if line is None else bisect.bisect_right(lines, line) - 1

    def check_first(self, what, answer, runs, lines):
        parts = next((i for i, (a, b) in enumerate(zip(*runs)) if a != b), min(map(len, runs)))
        if runs[0] == runs[1]:
            self.checker.check(f"{what}: nothing is first", answer["first"] is None)
            return
        for i, side in enumerate("ab"):
            first = answer["first"][side]
            number = len(runs[i]) if first is None else self.number(first["line"], lines[i])
            is_right = number == parts and (first is None or int(first["pc"], 16) == runs[i][parts] & ~1)
            self.checker.check(f"{what}: parts at {parts} of {side}", is_right, first)


def traces(name):
    return CORPUS / "traces" / f"{name}.it.tarmac"


@pytest.mark.parametrize("name", TRACES)
def test_interrupts(checker, place, name):
    """Exactly the instructions that were inserted or left out are reported."""
    head, run = read_run(traces(name))
    runs = Runs(checker, place, head)
    rng = random.Random(name)
    runs.compare("itself", run, run)
    for lengths in ([1], [114], [300, 5000], [1, 20, 256, 257, 1000]):
        longer = list(run)
        places = sorted(rng.sample(range(0, len(run), 40), len(lengths)), reverse=True)
        for at, length in zip(places, lengths):
            longer[at:at] = handler(length)
        for a, b, side in ((run, longer, "b"), (longer, run, "a")):
            answer = runs.compare(f"{lengths} put in {side}", a, b)
            is_right = answer[f"only_{side}"] == sum(lengths) and answer["region_count"] == len(lengths)
            checker.check(f"{lengths} put in {side}: that alone", is_right, answer["regions"])


def change(rng, run):
    """One edit of a run, and the maximum number of instructions that it changes on each side."""
    at = rng.randrange(len(run) - 60)
    length = rng.choice([1, 2, 5, 30, rng.randrange(1, len(run) // 4)])
    piece = run[at : at + length]
    kind = rng.randrange(5)
    if kind == 0:
        return run[:at] + handler(length) + run[at:], length
    if kind == 1:
        return run[:at] + run[at + length :], len(piece)
    if kind == 2:
        return run[:at] + piece * 3 + run[at + length :], 2 * len(piece)
    if kind == 3:
        to = rng.randrange(len(run) - length)
        rest = run[:at] + run[at + length :]
        return rest[:to] + piece + rest[to:], 2 * len(piece)
    return run[:at] + handler(length, HANDLER + 4 * at) + run[at + length :], 2 * len(piece)


@pytest.mark.parametrize("name", TRACES)
def test_edits(checker, place, name):
    """Random edits: at most twice as many instructions are reported as were changed, and at most slightly more than difflib finds."""
    head, run = read_run(traces(name))
    runs = Runs(checker, place, head)
    rng = random.Random(name)
    for number in range(12):
        edited, most = run, 0
        for _ in range(rng.choice([1, 1, 2, 5])):
            edited, changed = change(rng, edited)
            most += changed
        answer = runs.compare(f"edit {number}", run, edited)
        said = answer["only_a"] + answer["only_b"]
        checker.check(f"edit {number}: not much more than was done", said <= 2 * most + 64, (said, most))
        if len(run) + len(edited) < 8000 and number < 4:
            keys = [[pc for pc, _ in one] for one in (run, edited)]
            blocks = difflib.SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks()
            found = sum(map(len, keys)) - 2 * sum(block.size for block in blocks)
            checker.check(f"edit {number}: as difflib", said <= 1.5 * found + 64, (said, found))


def test_dialects(checker, trawl, place):
    """A run in two dialects is equal, also in memory and in registers that both dialects show."""
    for name in ("sort-a64", "sort-a32", "sort-t32", "exceptions-a64", "fp-a64", "neon-a64", "pointers-a32"):
        for style in ("es", "gem5"):
            other = CORPUS / "traces" / f"{name}.{style}.tarmac"
            if not other.exists():
                continue
            shutil.copy(traces(name), place / "a.t")
            shutil.copy(other, place / "b.t")
            # The effects of an exception belong to the instruction before it in `it`, and to the one after it in other dialects.
            for options in ([], ["--registers", "--memory"]):
                answer, status = diff(trawl, place, "a.t", "b.t", *options)
                if not options or not name.startswith("exceptions"):
                    checker.check(f"{name} in {style}", answer["equal"] and status == 0, answer["regions"][:3])
            has_no_sp = any(one.lower() == "sp" for one in answer["registers_left_out"])
            checker.check(f"{name} in {style}: sp is not shown", has_no_sp == (style == "gem5"), answer)


WRITE = re.compile(rb"^clk R (\S+) ([0-9A-Fa-f]+)$")
STORE = re.compile(rb"^clk MW\d+ (\S+) ([0-9a-f_]+)$")


def effect(bodies, pattern):
    """The last value that an instruction wrote to each register or address."""
    return {match[1]: match[2].replace(b"_", b"").lower() for body in bodies if (match := pattern.match(body.strip()))}


def flip(body, pattern):
    """The line with another value."""
    match = pattern.match(body.strip())
    at = match.start(2)
    return body[:at] + (b"1" if body[at : at + 1] != b"1" else b"2") + body[at + 1 :]


@pytest.mark.parametrize("name", TRACES)
def test_writes(checker, place, name):
    """Values that were changed in some places, with interrupts between them."""
    head, run = read_run(traces(name))
    runs = Runs(checker, place, head)
    rng = random.Random(name)
    for pattern, option, other in ((WRITE, "--registers", "--memory"), (STORE, "--memory", "--registers")):
        writers = [i for i, (_, bodies) in enumerate(run) if any(pattern.match(body.strip()) for body in bodies)]
        for count in extent.pick((0, 5), (0, 1, 5, 40)):
            changed = [(pc, list(bodies)) for pc, bodies in run]
            for i in rng.sample(writers, count):
                _, bodies = changed[i]
                lines = [at for at, body in enumerate(bodies) if pattern.match(body.strip())]
                bodies[lines[-1]] = flip(bodies[lines[-1]], pattern)
            wanted = [i for i in range(len(run)) if effect(run[i][1], pattern) != effect(changed[i][1], pattern)]
            check_changed(runs, f"{count} {option}", run, changed, wanted, option)
            runs.compare(f"{count} of {option}: not asked", run, changed)
            check_changed(runs, f"{count} {other}", run, changed, [], other)
            check_changed(runs, f"{count} both", run, changed, wanted, option, other)
            longer = changed[:900] + handler(50) + changed[900:]
            answer = diff(checker.trawl, place, *written(runs, run, longer), option)[0]
            figures = [answer["changed"], answer["only_a"], answer["only_b"]]
            checker.check(f"{count} {option} and an interrupt", figures == [len(wanted), 0, 50], figures)


def written(runs, a, b):
    for path, run in (("a.t", a), ("b.t", b)):
        write_run(runs.place / path, runs.head, run)
    return "a.t", "b.t"


def check_changed(runs, what, run, changed, wanted, *options):
    """`wanted`: the instructions with different effects."""
    check = runs.checker.check
    answer, status = diff(runs.checker.trawl, runs.place, *written(runs, run, changed), "--max-regions", "100000",
                          *options)  # fmt: skip
    check(f"{what}: status", status == bool(wanted) and answer["equal"] == (not wanted), (status, len(wanted)))
    check(f"{what}: changed", answer["changed"] == len(wanted), (answer["changed"], len(wanted)))
    check(f"{what}: the rest is the same", answer["same"] == len(run) - len(wanted), answer["same"])
    lines = write_run(runs.place / "a.t", runs.head, run)
    inside, numbers = 0, [runs.number(region["line_a"], lines) for region in answer["regions"]]
    for number, region in zip(numbers, answer["regions"]):
        those = [i for i in wanted if number <= i < number + region["count_a"]]
        inside += len(those)
        is_right = those and those[0] == number and those[-1] == number + region["count_a"] - 1
        check(f"{what}: region at {number}", is_right and region["changed"] == len(those), (region, those))
    check(f"{what}: all are in regions", inside == len(wanted), (inside, len(wanted)))


def test_chosen_values(checker, trawl, place):
    """Two writes by one instruction, with values chosen so that an earlier hash was equal to that of two others."""
    for name, x0, x1 in (("a.t", 0x1111, 0x2222), ("b.t", 0x3333, 0xB6F7A94A50DCDEEB)):
        lines = []
        for i in range(40):
            lines.append("%d clk IT (%d) %08x a9400440 O el1h_s : LDP x0,x1,[x2]\n" % (i, i, 0x1000 + 4 * i))
            values = (x0, x1) if i == 20 else (i, i)
            lines += ["%d clk R X%d %016x\n" % (i, number, value) for number, value in enumerate(values)]
        (place / name).write_text("".join(lines))
    answer, _ = diff(trawl, place, "a.t", "b.t", "--registers", statuses=(1,))
    checker.check("one instruction did something else", (answer["changed"], answer["same"]) == (1, 39), answer)


def test_times(checker, trawl, place):
    """Durations are compared on request. The first instruction after a difference has none."""
    pcs = list(range(0x1000, 0x1800, 4))
    synthetic(place / "a.t", pcs)
    text = (place / "a.t").read_bytes().splitlines(keepends=True)
    later = [re.sub(rb"^\d+", b"%d" % (time + 7 * (time >= 300) + 1000), line) for time, line in enumerate(text)]
    (place / "b.t").write_bytes(b"".join(later))
    answer, status = diff(trawl, place, "a.t", "b.t")
    checker.check("not asked for", status == 0 and answer["equal"], answer)
    answer, status = diff(trawl, place, "a.t", "b.t", "--times")
    regions = [(region["event_a"], region["what"], region["changed"]) for region in answer["regions"]]
    checker.check("one took longer", status == 1 and regions == [(300, "changed", 1)], regions)
    checker.check("what is compared", answer["compared"] == ["instructions", "times"], answer["compared"])


def test_nothing_to_compare(checker, trawl, place):
    """What a trace does not show is reported as not compared; options that do not apply are refused."""
    head, run = read_run(traces("sort-a64"))
    write_run(place / "a.t", head, run)
    write_run(place / "b.t", [], [(pc, bodies[:1]) for pc, bodies in run])
    done = execute([trawl, "diff", "--registers", "--memory", "a.t", "b.t"], place)
    is_said = done.stderr.count(b"b.t: shows no writes to") == 2
    checker.check("told", done.returncode == 0 and is_said, (done.returncode, done.stderr))
    shutil.copy(CORPUS / "xray" / "recursion.fdr.xray", place / "log.xray")
    done = execute([trawl, "diff", "--registers", "log.xray", "log.xray"], place)
    checker.check("refused", done.returncode == 2 and b"does not apply" in done.stderr, (done.returncode, done.stderr))


def test_cores(checker, trawl, place):
    """Each core is compared separately, for any interleaving."""
    source = CORPUS / "traces" / "twocores-a64.it.tarmac"
    lines = source.read_bytes().splitlines(keepends=True)
    shutil.copy(source, place / "a.t")
    kept = [i for i, line in enumerate(lines) if b" cpu1 I" in line]
    dropped = kept[50:57]
    (place / "b.t").write_bytes(b"".join(line for i, line in enumerate(lines) if i not in dropped))
    answer, status = diff(trawl, place, "a.t", "b.t")
    lanes = {lane["a"]["name"]: lane for lane in answer["lanes"]}
    checker.check("one core differs", status == 1 and set(lanes) == {"cpu0", "cpu1"}, answer["lanes"])
    checker.check("cpu0 does not", not lanes["cpu0"]["region_count"], lanes)
    checker.check("cpu1 does", lanes["cpu1"]["only_a"] == 7 and not lanes["cpu1"]["only_b"], lanes)
    answer, status = diff(trawl, place, "a.t", "b.t", "--lane", "cpu0")
    checker.check("cpu0 alone", status == 0 and len(answer["lanes"]) == 1, answer)
    # Other names: cores are paired by their order.
    (place / "c.t").write_bytes(source.read_bytes().replace(b" cpu0 ", b" big0 ").replace(b" cpu1 ", b" big1 "))
    answer, status = diff(trawl, place, "a.t", "c.t")
    checker.check("other names", status == 0 and len(answer["lanes"]) == 2, answer)
    # The result does not depend on how their indexes are divided into segments.
    shutil.copy(source, place / "e.t")
    for path, size in (("a.t", "7"), ("e.t", "100")):
        execute([trawl, "index", "--force-index", "--segment-events", size, path], place)
    answer, status = diff(trawl, place, "a.t", "e.t", "--registers", "--memory", "--times", "--no-index")
    checker.check("cut elsewhere", status == 0 and answer["equal"], answer["regions"][:2])
    (place / "d.t").write_bytes(b"".join(line for line in lines if b" cpu1 " not in line))
    answer, status = diff(trawl, place, "a.t", "d.t")
    lone = [lane for lane in answer["lanes"] if lane["b"] is None]
    checker.check("a core that only A has", status == 1 and len(lone) == 1 and lone[0]["only_a"] > 100, answer["lanes"])


def many_cores(path, rng, cores, changed):
    """Writes a trace of interleaved cores; those in `changed` leave out some instructions."""
    runs = {core: [0x1000 + 4 * (i * 7 % 250) for i in range(400)] for core in range(cores)}
    for core in changed:
        del runs[core][100 + core : 103 + 2 * core]
    lines, left = [], {core: iter(run) for core, run in runs.items()}
    while left:
        core = rng.choice(sorted(left))
        for pc in [pc for _, pc in zip(range(rng.randrange(1, 9)), left[core])] or left.pop(core) and []:
            lines.append("%d clk cpu%d IT (%d) %08x d503201f O el1h_s : NOP\n" % (len(lines), core, len(lines), pc))
    path.write_text("".join(lines))
    return runs


@pytest.mark.parametrize("cores", [3, 4, 5, 40])
@pytest.mark.parametrize("options", [[], ["--times"], ["--registers"]], ids=["plain", "times", "registers"])
def test_many_cores(checker, trawl, place, cores, options):
    """Whether lanes are read one by one or all at once, the result for each is the same as for the lane alone."""
    rng = random.Random(cores)
    a = many_cores(place / "a.t", rng, cores, [])
    b = many_cores(place / "b.t", rng, cores, [1, cores - 1])
    answer, _ = diff(trawl, place, "a.t", "b.t", *options, statuses=(1,))
    checker.check("all cores", len(answer["lanes"]) == cores, answer["lanes"])
    for lane in answer["lanes"]:
        core = int(lane["a"]["name"][3:])
        alone, _ = diff(trawl, place, "a.t", "b.t", "--lane", lane["a"]["name"], *options)
        checker.check(f"cpu{core}", alone["lanes"] == [lane], (alone["lanes"], lane))
        checker.check(f"cpu{core}: left out", lane["only_a"] == len(a[core]) - len(b[core]) and not lane["only_b"], lane)
        places = [region for region in answer["regions"] if region["lane"] == lane["a"]["name"]]
        checker.check(f"cpu{core}: regions", places == alone["regions"], (places, alone["regions"]))


def test_ways(checker, trawl, place):
    """The result is the same for a trace and for its index, however the index is divided and built."""
    head, run = read_run(traces("exceptions-a64"))
    longer = run[:300] + handler(700) + run[300:900] + run[1000:]
    write_run(place / "a.t", head, run)
    write_run(place / "b.t", head, longer)
    formats = (["--format", "table"], ["--format", "csv"], ["--format", "json", "--registers", "--memory", "--times"])
    wanted = [execute([trawl, "diff", "--memory-index", *one, "a.t", "b.t"], place) for one in formats]
    for ways in (["--memory-index", "--threads", "1"], ["--segment-events", "7", "--force-index"], ["--no-index"],
                 ["--segment-events", "1023", "--force-index"], ["--no-index", "--threads", "3"]):  # fmt: skip
        for one, right in zip(formats, wanted):
            done = execute([trawl, "diff", *ways, *one, "a.t", "b.t"], place)
            is_same = (done.stdout, done.returncode) == (right.stdout, right.returncode)
            checker.check(f"{ways} {one}", is_same and done.returncode == 1 and done.stdout, done.stderr)
    # The indexes without their traces.
    for path in ("a.t", "b.t"):
        (place / path).rename(place / f"{path}.away")
    answer, status = diff(trawl, place, "a.t", "b.t", *formats[2], "--no-index")
    right = json.loads(wanted[2].stdout)
    is_same = all(answer[key] == right[key] for key in ("regions", "units", "compared", "lanes"))
    checker.check("without the traces", status == 1 and is_same, answer["units"])
    for path in ("a.t", "b.t"):
        (place / f"{path}.away").rename(place / path)
    execute(["gzip", "-k", "b.t"], place)
    answer, _ = diff(trawl, place, "a.t", "b.t.gz", *formats[2])
    checker.check("compressed", answer["regions"] == json.loads(wanted[2].stdout)["regions"], answer["regions"])


def synthetic(path, pcs):
    with path.open("wb") as file:
        for time, pc in enumerate(pcs):
            file.write(b"%d clk IT (1) %08x d503201f O EL1h_s : NOP\n" % (time, pc))


def test_hostile(checker, trawl, place):
    """Comparing runs that are hard to align terminates, in bounded memory, and accounts for everything."""
    rng = random.Random(1)
    count = 60000
    cases = {
        "one PC, more often": ([0x1000] * count, [0x1000] * (count + 5), (0, 5)),
        "one PC, and another": ([0x1000] * count, [0x2000] * count, (count, count)),
        "nothing in common": (range(0, 4 * count, 4), range(4 * count, 8 * count, 4), (count, count)),
        "random, of two": ([4 * rng.randrange(2) for _ in range(count)],
                           [4 * rng.randrange(2) for _ in range(count)], None),
        "random, of many": ([4 * rng.randrange(5000) for _ in range(count)],
                            [4 * rng.randrange(5000) for _ in range(count)], None),
        "backwards": (range(0, 4 * count, 4), range(4 * count - 4, -4, -4), None),
        "loops of two lengths": ([4 * (i % 7) for i in range(count)], [4 * (i % 8) for i in range(count)], None),
        "little": ([0x1000], [0x1000] * 3, (0, 2)),
    }  # fmt: skip
    for what, (a, b, wanted) in cases.items():
        synthetic(place / "a.t", a)
        synthetic(place / "b.t", b)
        command = [trawl, "diff", "--memory-index", "--format", "json", "a.t", "b.t"]
        done = execute(command, place)
        checker.check(what, done.returncode == 1, (done.returncode, done.stderr))
        if done.returncode != 1:
            continue
        answer = json.loads(done.stdout)
        got = (answer["only_a"], answer["only_b"])
        checker.check(f"{what}: sums", (len(a) - got[0], len(b) - got[1]) == (answer["same"],) * 2, answer["same"])
        checker.check(f"{what}: as it should be", wanted is None or got == wanted, got)


def test_statuses(checker, trawl, place):
    synthetic(place / "a.t", range(0x1000, 0x1400, 4))
    synthetic(place / "b.t", range(0x1000, 0x1404, 4))
    (place / "damaged.t").write_bytes((place / "a.t").read_bytes().replace(b"(1) 00001100", b"(1) 0000x1zz", 1))
    shutil.copy(CORPUS / "xray" / "recursion.fdr.xray", place / "log.xray")
    shutil.copy(CORPUS / "tfile" / "steps.tf", place / "steps.tf")
    cases = {
        "equal": (["a.t", "a.t"], 0),
        "different": (["a.t", "b.t"], 1),
        "no such file": (["a.t", "none.t"], 2),
        "no such file first": (["none.t", "a.t"], 2),
        "bad option": (["a.t", "b.t", "--frobnicate"], 2),
        "one trace": (["a.t"], 2),
        "no index": (["a.t", "b.t", "--no-index"], 2),
        "damaged": (["a.t", "damaged.t"], 3),
        "damaged first": (["damaged.t", "a.t"], 3),
        "nothing in common": (["a.t", "log.xray"], 2),
        "frames and instructions": (["a.t", "steps.tf", "--memory-index"], 2),
        "frames and records": (["steps.tf", "log.xray", "--memory-index"], 2),
        "no such lane": (["a.t", "b.t", "--lane", "cpu9"], 2),
        "itself": (["log.xray", "log.xray"], 0),
    }
    environment = {**os.environ, "TRAWL_ISA": "none"}
    done = quick.run([trawl, "diff", "a.t", "a.t"], cwd=place, env=environment)
    checker.check("environment", done.returncode == 2 and done.stderr, done.stderr)
    for what, (words, status) in cases.items():
        done = execute([trawl, "diff", *words], place)
        checker.check(what, done.returncode == status, (done.returncode, done.stdout[:200], done.stderr))
        checker.check(f"{what}: said", status in (0, 1) or done.stderr, done.stderr)
        for index in place.glob("*.index"):
            index.unlink()


def test_other_kinds(checker, trawl, place):
    """Logs and trace files, compared with themselves and with others of their kind."""
    for a, b, is_equal in (("xray/recursion.fdr.xray", "xray/recursion.fdr.xray", True),
                           ("xray/threads.fdr.xray", "xray/threads.fdr.xray", True),
                           ("xray/recursion.fdr.xray", "xray/tailcall.fdr.xray", False),
                           ("tfile/steps.tf", "tfile/steps.tf", True),
                           ("tfile/steps.tf", "tfile/values.tf", False)):  # fmt: skip
        shutil.copy(CORPUS / a, place / "a")
        shutil.copy(CORPUS / b, place / "b")
        answer, status = diff(trawl, place, "a", "b", "--memory-index", statuses=(0, 1, 3))
        checker.check(f"{a} and {b}", answer["equal"] == is_equal, answer)
        checker.check(f"{a} and {b}: units", answer["units"] != "instructions", answer["units"])
        checker.check(f"{a}: is counted", answer["a"]["count"] > 0, answer)


def test_log(checker, trawl, place):
    """A log without some records of a thread, and a log in which one entry is an exit."""
    source = CORPUS / "xray" / "recursion.fdr.xray"
    yaml = execute([trawl, "xray", "convert", "-f", "yaml", source], place).stdout.splitlines(keepends=True)
    calls = [i for i, line in enumerate(yaml) if b"kind: function-" in line]
    middle = len(calls) // 2
    for what, changed, wanted in (("as it is", yaml, (0, 0)),
                                  ("without six", [line for i, line in enumerate(yaml) if i not in calls[middle : middle + 6]], (6, 0)),
                                  ("an exit for an entry", None, (1, 1))):  # fmt: skip
        if changed is None:
            entry = next(i for i in calls[middle:] if b"kind: function-enter," in yaml[i])
            changed = list(yaml)
            changed[entry] = changed[entry].replace(b"function-enter", b"function-exit")
        (place / "b.yaml").write_bytes(b"".join(changed))
        shutil.copy(source, place / "a.xray")
        answer, status = diff(trawl, place, "a.xray", "b.yaml", "--memory-index", statuses=(0, 1, 3))
        got = (answer["only_a"], answer["only_b"])
        # An exit from a function that is not open is damage.
        statuses = (0,) if wanted == (0, 0) else (1, 3)
        checker.check(what, got == wanted and status in statuses, (got, status, answer["regions"][:3]))
        checker.check(f"{what}: count", answer["a"]["count"] == len(calls), (answer["a"], len(calls)))


# --- Profiles --------------------------------------------------------------------------------------


def report(checker, place, *words, statuses=(0,)):
    done = execute([checker.trawl, *words], place)
    checker.check(f"{words}: status", done.returncode in statuses, (done.returncode, done.stderr))
    return done.stdout


def profile(checker, place, path, *options):
    """{function: [self, total, calls]}; functions with the same name are added up."""
    rows = {}
    for row in json.loads(report(checker, place, "profile", "--format", "json", "--memory-index", *options, path)):
        name = row["function"] or row.get("address") or "#%s" % row["function_id"]
        old = rows.setdefault(name, [0, 0, 0])
        rows[name] = [sum(pair) for pair in zip(old, (row["self"], row["total"], row["calls"]))]
    return rows


PAIRS = [
    ("sort-a64", "sort-a64", True), ("exceptions-a64", "exceptions-a64", False), ("recursion-a32", "recursion-a32", True),
    ("xray/threads.fdr.xray", "xray/recursion.fdr.xray", True), ("sort-a64", "hash-a64", False),
]  # fmt: skip


def put_pair(place, a, b, has_names):
    """Two runs, as a.t and b.t; of a Tarmac trace, the second run lacks a part of the instructions. Returns the image options."""
    if a.startswith("xray"):
        shutil.copy(CORPUS / a, place / "a.t")
        shutil.copy(CORPUS / b, place / "b.t")
        return []
    for name, path in ((a, "a.t"), (b, "b.t")):
        head, run = read_run(traces(name))
        write_run(place / path, head, run if path == "a.t" else run[: len(run) // 3] + run[len(run) // 2 :])
    return ["--image", str(CORPUS / "elf" / f"{a}.elf"), "--force-image"] if has_names else []


@pytest.mark.parametrize("a, b, has_names", PAIRS)
def test_profiles(checker, place, a, b, has_names):
    """Every figure is the one in the profile of its run, and the differences follow from them."""
    images = put_pair(place, a, b, has_names)
    own = [profile(checker, place, path, *images) for path in ("a.t", "b.t")]
    for options in ([], ["--sort", "total"], ["--sort", "count"], ["--sort", "name"]):
        words = ["profile", "--format", "json", *images, *options, "a.t", "--diff", "b.t"]
        rows = json.loads(report(checker, place, *words))
        found = {row["function"]: row for row in rows}
        checker.check("the functions", set(found) == set(own[0]) | set(own[1]) and len(rows) == len(found), found)
        for name, row in found.items():
            for i, side in enumerate("ab"):
                figures = [row[f"self_{side}"], row[f"total_{side}"], row[f"calls_{side}"]]
                checker.check(f"{name} in {side}", figures == own[i].get(name, [0, 0, 0]), (figures, own[i].get(name)))
            for figure in ("self", "total"):
                before, after = row[f"{figure}_a"], row[f"{figure}_b"]
                checker.check(f"{name}: change", row[f"{figure}_change"] == after - before, row)
                share = row[f"{figure}_change_share"]
                is_right = (share is None) == (not before) and (not before or abs(share - (after - before) / before) < 1e-6)
                checker.check(f"{name}: share", is_right, row)
        keys = {"total": "total_change", "count": None, "name": "function"}
        key = keys.get(options[-1], "self_change") if options else "self_change"
        figures = [row[key] if key else row["calls_b"] - row["calls_a"] for row in rows]
        order = figures if key == "function" else [-abs(figure) for figure in figures]
        checker.check(f"order by {options}", order == sorted(order), order[:5])
    top = json.loads(report(checker, place, "profile", "--format", "json", *images, "a.t", "--diff", "b.t", "--top", "2"))
    checker.check("the first two", len(top) == 2, top)
    text = report(checker, place, "profile", *images, "a.t", "--diff", "b.t").decode()
    checker.check("text", "Self A" in text and "%" in text, text[:300])
    itself = json.loads(report(checker, place, "profile", "--format", "json", *images, "a.t", "--diff", "a.t"))
    checker.check("itself", not any(row["self_change"] or row["total_change"] for row in itself), itself[:2])
    for words in (["--by", "line"], ["--by", "task"], ["--index", "x"]):
        if words[0] == "--index" or not a.startswith("xray"):
            done = execute([checker.trawl, "profile", *words, "a.t", "--diff", "b.t"], place)
            checker.check(f"{words} is refused", done.returncode == 2, (done.returncode, done.stderr))


# --- Flame graphs ----------------------------------------------------------------------------------


def stacks(text, count):
    """{stack: counts} of collapsed stacks."""
    found = {}
    for line in text.decode().splitlines():
        stack, *numbers = line.rsplit(" ", count)
        assert stack not in found, line
        found[stack] = [int(number) for number in numbers]
    return found


@pytest.mark.parametrize("a, b, has_names", PAIRS)
def test_flame_graphs(checker, place, a, b, has_names):
    """Both counts of each stack are those of its run, and the picture has the sums of the second run."""
    images = put_pair(place, a, b, has_names)
    own = [stacks(report(checker, place, "flamegraph", *images, path), 1) for path in ("a.t", "b.t")]
    both = stacks(report(checker, place, "flamegraph", *images, "a.t", "--diff", "b.t"), 2)
    sums = [sum(counts[i] for counts in both.values()) for i in range(2)]
    checker.check("sums", sums == [sum(counts[0] for counts in one.values()) for one in own], sums)
    if not a.startswith("xray"):
        for stack in {*own[0], *own[1], *both}:
            wanted = [one.get(stack, [0])[0] for one in own]
            checker.check(stack, both.get(stack, [0, 0]) == wanted, (both.get(stack), wanted))
    report(checker, place, "flamegraph", *images, "a.t", "--diff", "b.t", "-o", "d.svg")
    boxes = xml.etree.ElementTree.parse(place / "d.svg").getroot().iter("{http://www.w3.org/2000/svg}g")
    drawn = [(box.get("class"), box[0].text) for box in boxes if (box.get("class") or "").startswith("f ")]
    number = lambda text, what: int(re.search(what + r" ([\d,]+)", text)[1].replace(",", ""))  # noqa: E731
    root = drawn[0][1]
    checker.check("the whole", [number(root, "before: total"), number(root, "\ntotal")] == sums, root)
    for kind, text in drawn:
        before, after = number(text, "before: total [0-9,]+, self"), number(text, "\nself")
        colour = "r" if after > before else "b" if after < before else "n"
        checker.check(f"colour of {text!r}", kind.split()[1].startswith(colour), kind)
    changes = [abs(number(text, "\nself") - number(text, "before: total [0-9,]+, self")) for _, text in drawn]
    strongest = [kind for (kind, _), change in zip(drawn, changes) if change and change == max(changes)]
    checker.check("the greatest is strongest", a == b or all(kind[-1] in "56" for kind in strongest) or not strongest, strongest)
    for widths, runs in (("second", [1]), ("first", [0]), ("sum", [0, 1])):
        report(checker, place, "flamegraph", *images, "a.t", "--diff", "b.t", "--widths", widths, "-o", "w.svg")
        root = xml.etree.ElementTree.parse(place / "w.svg").getroot()
        boxes = [box for box in root.iter("{http://www.w3.org/2000/svg}g") if (box.get("class") or "").startswith("f ")]
        whole = [number(boxes[0][0].text, "before: total"), number(boxes[0][0].text, "\ntotal")]
        checker.check(f"widths of {widths}: the whole", whole == sums and int(boxes[0].get("data-w")) == sum(sums[run] for run in runs))
        for box in boxes:
            totals = [number(box[0].text, "before: total"), number(box[0].text, "\ntotal")]
            checker.check(f"width of {box[0].text!r}", int(box.get("data-w")) == sum(totals[run] for run in runs), box.get("data-w"))
        notes = [note.text for note in root.iter("{http://www.w3.org/2000/svg}text") if "draws them" in note.text]
        if widths == "sum":
            checker.check("widths of both: nothing is absent", not notes, notes)
            continue
        shown, other = runs[0], 1 - runs[0]
        # What is drawn has time in the run, itself or below it.
        absent = [counts[other] for stack, counts in both.items()
                  if counts[other] and not any(counts_below[shown] for below, counts_below in both.items()
                                               if below == stack or below.startswith(stack + ";"))]  # fmt: skip
        wanted = f": {len(absent):,} stack{'s' if len(absent) != 1 else ''}, {sum(absent):,} "
        checker.check(f"absent from the {widths} run{wanted}", (len(notes) == 1 and wanted in notes[0]) if absent else not notes, notes)
    for words in (["--widths", "sum"], ["--widths", "none", "-o", "w.svg"]):
        done = execute([checker.trawl, "flamegraph", *words, "a.t", "--diff", "b.t"], place)
        checker.check(f"{words} is refused", done.returncode == 2 and b"--widths" in done.stderr, (done.returncode, done.stderr))
    for words in (["--unwind", "auto"], ["--index", "x"], ["--lines"]):
        if not a.startswith("xray"):
            done = execute([checker.trawl, "flamegraph", *words, "a.t", "--diff", "b.t"], place)
            checker.check(f"{words} is refused", done.returncode == 2, (done.returncode, done.stderr))


# --- Damage ----------------------------------------------------------------------------------------


def test_damaged_indexes(checker, trawl, place):
    """A changed byte in either index leads to a new index, and to the same answer."""
    head, run = read_run(traces("exceptions-a64"))
    write_run(place / "a.t", head, run)
    write_run(place / "b.t", head, run[:300] + handler(700) + run[300:900] + run[1000:])
    words = [trawl, "diff", "--registers", "--memory", "--times", "--format", "json", "a.t", "b.t"]
    wanted = execute([*words, "--segment-events", "300"], place)
    sound = {name: (place / name).read_bytes() for name in ("a.t.index", "b.t.index")}
    rng = random.Random(5)
    told = 0
    for number in range(60):
        for name, data in sound.items():
            (place / name).write_bytes(data)
        name = rng.choice(sorted(sound))
        spoiled = bytearray(sound[name])
        spoiled[rng.randrange(512, len(spoiled))] ^= 1 << rng.randrange(8)
        (place / name).write_bytes(spoiled)
        done = execute([*words, "--no-index"], place)
        is_right = (done.returncode == 1 and done.stdout == wanted.stdout) or (done.returncode == 2 and done.stderr)
        checker.check(f"{number}: as it is", is_right, (done.returncode, done.stderr))
        told += done.returncode == 2
        done = execute(words, place)
        checker.check(f"{number}: built anew", done.returncode == 1 and done.stdout == wanted.stdout, done.stderr)
    checker.check("some damage mattered", told > 20, told)
