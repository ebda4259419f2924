"""Profiles of XRay's profiling mode, which have sums for each stack and no calls: every report and export against a second reader, written
from the format of compiler-rt, and the counts of the real one against what its program does.

    tests/run.py xray_profiling
"""

import csv
import io
import json
import random
import re
import struct
from collections import Counter
from pathlib import Path

import pytest
import quick
from test_export import read_callgrind, samples_of_pprof

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "xray"
REAL, IMAGE = CORPUS / "profiling.xrayprof", CORPUS / "profiling.elf"
NAMES = {1: "body(long)", 2: "serve(long)", 3: "leaf(long)", 4: "attempt(long)", 5: "recurse(long)", 6: "fail(long)"}
SIZE = 60  # of the run that made it
MAGIC, VERSION = 0x7872617970726F66, 0x20180424
TIMEOUT_S = 60


def write(blocks, order="<", pid=9):
    """A profile of blocks (thread, [(functions from the outermost in, calls, ticks)])."""
    data = [struct.pack(order + "4Q", MAGIC, VERSION, 1234, pid)]
    for number, (thread, records) in enumerate(blocks):
        body = b"".join(struct.pack(f"{order}{len(path) + 1}iQq", *reversed(path), 0, calls, ticks) for path, calls, ticks in records)
        data += [struct.pack(order + "IIQ", 16 + len(body), number, thread), body]
    return b"".join(data)


def read(data, order="<"):
    """The blocks of a profile, as `write` takes them."""
    assert struct.unpack_from(order + "2Q", data) == (MAGIC, VERSION)
    at, blocks = 32, []
    while at < len(data):
        size, number, thread = struct.unpack_from(order + "IIQ", data, at)
        assert number == len(blocks)
        end, at, records = at + size, at + 16, []
        while at < end:
            path = []
            while (function := struct.unpack_from(order + "i", data, at + 4 * len(path))[0]):
                path.insert(0, function)
            calls, ticks = struct.unpack_from(order + "Qq", data, at + 4 * len(path) + 4)
            records.append((tuple(path), calls, ticks))
            at += 4 * len(path) + 20
        assert at == end
        blocks.append((thread, records))
    return blocks


class Sums:
    """What a profile means: calls, ticks and own ticks of each stack of each thread. A stack takes at least as long as the calls in it, and
    has at least one call."""

    def __init__(self, blocks):
        self.calls, self.ticks, self.own = Counter(), Counter(), Counter()
        for thread, records in blocks:
            for path, calls, ticks in records:
                for depth in range(1, len(path) + 1):
                    self.calls[thread, path[:depth]] += 0
                self.calls[thread, path] += calls
                self.ticks[thread, path] += max(ticks, 0)
        self.unreturned = sum(not calls for calls in self.calls.values())
        self.lacking, inside = 0, Counter()
        for thread, path in sorted(self.calls, key=lambda stack: -len(stack[1])):
            stack = thread, path
            self.lacking += self.calls[stack] > 0 and self.ticks[stack] < inside[stack]
            self.ticks[stack] = max(self.ticks[stack], inside[stack])
            self.own[stack] = self.ticks[stack] - inside[stack]
            self.calls[stack] = max(self.calls[stack], 1)
            inside[thread, path[:-1]] += self.ticks[stack]
        self.threads = {thread: inside[thread, ()] for thread, _ in blocks}

    def of_functions(self, name, only=None):
        """{name: (calls, own, total)}; a function within itself counts once in its total."""
        calls, own, total = Counter(), Counter(), Counter()
        for thread, path in self.calls:
            if only in (None, thread):
                calls[name(path[-1])] += self.calls[thread, path]
                own[name(path[-1])] += self.own[thread, path]
                total[name(path[-1])] += 0 if path[-1] in path[:-1] else self.ticks[thread, path]
        return {function: (calls[function], own[function], total[function]) for function in calls}

    def collapsed(self, name):
        lines = Counter()
        for (thread, path), own in self.own.items():
            if own:
                of = [f"tid{thread}"] if len(self.threads) > 1 else []
                lines[";".join([*of, "[thread]", *map(name, path)])] += own
        return dict(lines)


@pytest.fixture
def run(trawl, place):
    def run_words(*words, status=0):
        done = quick.run([trawl, *map(str, words)], cwd=place, timeout=TIMEOUT_S)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    return run_words


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def profile_of(text):
    return {row["function"]: (int(row["calls"]), int(row["self"]), int(row["total"])) for row in table(text)}


def said(text):
    numbers = [re.search(pattern + r".*: (\d+)$", text, re.MULTILINE) for pattern in ("no call had returned", "whose time is too short")]
    return [int(number[1]) if number else 0 for number in numbers]


def as_id(function):
    return f"#{function % 2**32}"


def random_blocks(seed):
    draw, blocks = random.Random(seed), []
    for thread in draw.sample(range(1, 2**40), draw.randrange(1, 5)):
        paths = {()}
        for _ in range(draw.randrange(1, 60)):
            path = draw.choice(sorted(paths))
            paths.add((*path, draw.choice([1, 2, 3, 7, 2**24 + 5, -3])))
        records = [(path, draw.choice([0, 1, 2, 900]), draw.randrange(-50, 10**draw.randrange(2, 9))) for path in sorted(paths) if path]
        blocks += [(thread, records[:20]), (thread, records[20:])] if len(records) > 20 else [(thread, records)]
    draw.shuffle(blocks)
    return blocks


def check_reports(run, path, sums, name, options=()):
    threads = f"tid{next(iter(sums.threads))}"
    found = profile_of(run("profile", "--format", "csv", *options, path)[0])
    outside = found.pop("[thread]")
    assert found == sums.of_functions(name)
    assert outside == (len(sums.threads), 0, sum(sums.threads.values()))
    out, err = run("profile", "--format", "csv", "--lane", threads, *options, path)
    assert said(err) == [sums.unreturned, sums.lacking]
    found = profile_of(out)
    del found["[thread]"]
    assert found == sums.of_functions(name, int(threads[3:]))
    for command in (["flamegraph"], ["export", "--format", "collapsed"]):
        lines = [line.rpartition(" ") for line in run(*command, *options, path)[0].splitlines()]
        assert {stack: int(own) for stack, _, own in lines if int(own)} == sums.collapsed(name)
    # Speedscope: a sample for each stack with time of its own.
    profile = json.loads(run("export", "--format", "speedscope", *options, path)[0])
    frames, weights = [frame["name"] for frame in profile["shared"]["frames"]], Counter()
    assert len(profile["profiles"]) == len(sums.threads)
    for lane in profile["profiles"]:
        assert lane["type"] == "sampled" and len(lane["samples"]) == len(lane["weights"]) and lane["unit"] == "none"
        assert lane["endValue"] - lane["startValue"] == sum(lane["weights"]) == sums.threads[int(lane["name"][3:])]
        for sample, weight in zip(lane["samples"], lane["weights"], strict=True):
            of = [lane["name"]] if len(sums.threads) > 1 else []
            weights[";".join([*of, *(frames[frame] for frame in sample)])] += weight
    assert weights == sums.collapsed(name)


def check_exports(run, place, path, sums, name, options=()):
    run("export", "--format", "pprof", "-o", place / "pprof", *options, path)
    own, calls = Counter(), Counter()
    for stack, count, ticks, labels in samples_of_pprof((place / "pprof").read_bytes()):
        key = int(labels["thread"][3:]), ";".join(reversed(stack))
        own[key] += ticks
        calls[key] += count
    wanted = Counter()
    for (thread, functions), count in sums.calls.items():
        wanted[thread, ";".join(["[thread]", *map(name, functions)])] += count
    assert {key: count for key, count in calls.items() if ";" in key[1]} == dict(wanted)
    assert sum(own.values()) == sum(sums.threads.values())
    found = read_callgrind(run("export", "--format", "callgrind", *options, path)[0].encode())
    assert {function: (calls, own) for function, (own, calls) in found.items() if function != "[thread]"} == {
        function: values[:2] for function, values in sums.of_functions(name).items()}
    found = Counter()
    for row in table(run("export", "--format", "csv", "--table", "functions", *options, path)[0]):
        if row["function"] != "[thread]":
            found[int(row["lane"][3:]), row["function"]] += int(row["self"])
    wanted = {(thread, function): own for thread in sums.threads for function, (_, own, _) in sums.of_functions(name, thread).items()}
    assert dict(found) == wanted
    shown = json.loads(run("info", "--format", "json", path)[0])
    assert shown["threads"] == len(sums.threads)
    assert {lane["lane"]: lane["ticks"] for lane in shown["lanes"]} == {f"tid{thread}": ticks for thread, ticks in sums.threads.items()}


def test_real(run, place):
    """What runs in the program: log_end, in body, writes the profile. Calls of serve go on deeper after an exception."""
    data = REAL.read_bytes()
    blocks = read(data)
    assert write(blocks, pid=struct.unpack_from("<Q", data, 24)[0])[32:] == data[32:]
    sums = Sums(blocks)
    check_reports(run, REAL, sums, NAMES.get, ["--image", IMAGE])
    check_exports(run, place, REAL, sums, NAMES.get, ["--image", IMAGE])
    serves = [SIZE, SIZE // 2]
    thrown = sum(number % 24 == 11 for size in serves for number in range(size))
    recursions = 4 * sum(number % 4 == 0 for size in serves for number in range(size))
    assert {function: calls for function, (calls, _, _) in sums.of_functions(NAMES.get).items()} == {
        "body(long)": 1, "serve(long)": 2, "attempt(long)": sum(serves), "fail(long)": sum(serves), "recurse(long)": recursions,
        "leaf(long)": sum(serves) + thrown + recursions + 1}
    assert sums.unreturned == 1 and sums.lacking and len(sums.threads) == 3


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("seed", range(8))
def test_random(run, place, seed, order):
    path = place / "profile"
    blocks = random_blocks(seed)
    path.write_bytes(write(blocks, order))
    sums = Sums(blocks)
    check_reports(run, path, sums, as_id)
    check_exports(run, place, path, sums, as_id)


def test_filters(run, place):
    path = place / "profile"
    path.write_bytes(write([(7, [((1,), 1, 100), ((1, 2), 4, 80), ((1, 2, 3), 8, 30), ((1, 3), 2, 10)])]))
    assert profile_of(run("profile", "--format", "csv", "--hide", "#2", path)[0])["#1"] == (1, 10, 20)
    assert run("flamegraph", "--function", "#2", path)[0] == "#2 50\n#2;#3 30\n"
    assert profile_of(run("profile", "--format", "csv", "--depth", 2, path)[0])["#2"] == (4, 80, 80)
    callers = table(run("profile", "--format", "csv", "--by", "caller", path)[0])
    assert {(row["caller"], row["function"]): int(row["calls"]) for row in callers} == {
        ("", "[thread]"): 1, ("[thread]", "#1"): 1, ("#1", "#2"): 4, ("#2", "#3"): 8, ("#1", "#3"): 2}
    # Twice the calls of function 3.
    other = place / "other"
    other.write_bytes(write([(7, [((1,), 1, 100), ((1, 2), 4, 80), ((1, 2, 3), 16, 60), ((1, 3), 2, 10)])]))
    assert re.search(r"^ *40 +70 +[+]30 .* 10 +18 +#3$", run("profile", path, "--diff", other)[0], re.MULTILINE)
    assert "[thread];#1;#2;#3 30 60" in run("flamegraph", path, "--diff", other)[0].splitlines()
    assert run("flamegraph", "-o", place / "picture.svg", path) == ("", "") and b"<svg" in (place / "picture.svg").read_bytes()


# What needs single calls, or anything else that sums do not have.
REFUSED = [["calls"], ["calltree"], ["stack"], ["find", "pc == 0"], ["diff", "profile"], ["index"], ["state"], ["writes", "0"], ["browse"],
           ["serve"], ["export"], ["export", "--format", "perfetto"], ["export", "--format", "csv"], ["callinfo", "#1"], ["vcd", "-o", "x.vcd"],
           ["coverage"], ["tasks"], ["xray", "account"], ["xray", "convert"], ["profile", "--time", "1..2"], ["profile", "--returned-only"],
           ["profile", "--lane-events", "1..2"], ["profile", "--by", "line"], ["profile", "--latency"], ["flamegraph", "--returned-only"],
           ["export", "--format", "speedscope", "--top", "3"], ["profile", "--index", "x.index"], ["gdbserver"], ["pc", "0"],
           ["grep", "x"], ["origin", "r0"], ["check"], ["tfile", "info"], ["bench"], ["anonymize"], ["prefix"]]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_refused(run, place, trawl, words):
    (place / "profile").write_bytes(REAL.read_bytes())
    position = {"find": 1, "writes": 1, "callinfo": 1, "pc": 1, "grep": 1, "origin": 1}.get(words[0], len(words))
    words = [*words[:position], "profile", *words[position:]]
    done = quick.run([trawl, *words], cwd=place, timeout=TIMEOUT_S)
    assert done.returncode in (1, 2) and not done.stdout and done.stderr.count(b"\n") <= 2, done
    assert sorted(file.name for file in place.iterdir()) == ["profile"]


def test_damage(run, place):
    path = place / "profile"
    whole = write([(7, [((1,), 1, 100), ((1, 2), 4, 80)]), (8, [((3,), 2, 50)])])
    first_block = 32 + 16 + 24 + 28
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        if size < 32:
            out, err = run("profile", path, status=1)
            assert err.count("\n") == 1 and not out
        else:
            out, err = run("profile", "--format", "csv", path, status=1 if size < 32 + 16 + 24 else 0 if size == first_block else 3)
            assert ("damaged places" in err) == (size not in (32, first_block))
    block = 32
    path.write_bytes(whole[:-1])
    run("profile", "--strict", path, status=1)
    for offset, form, value, message in [
            (first_block, "<I", 15, "no block of a thread begins here"), (block, "<I", 0xFFFFFFFF, "ends inside the block"),
            (block, "<I", 16 + 30, "ends inside the record"), (block + 24, "<Q", 2**63 - 1, "more calls or ticks"),
            (block + 32, "<q", 2**62, "more calls or ticks"), (block + 16, "<i", 0, "a record of no function")]:
        data = bytearray(whole)
        struct.pack_into(form, data, offset, value)
        path.write_bytes(data)
        assert message in run("profile", path, status=3)[1], message
    data = bytearray(whole)
    struct.pack_into("<Q", data, 8, VERSION + 1)
    path.write_bytes(data)
    assert "version 0x20180425" in run("profile", path, status=1)[1]
    # As many threads as there can be, and one more; and a very deep stack.
    path.write_bytes(write([(thread, [((1,), 1, 1)]) for thread in range(65537)]))
    assert "too many threads" in run("profile", path, status=3)[1]
    path.write_bytes(write([(1, [((1, 2) * 20000, 1, 1)])]))
    assert profile_of(run("profile", "--format", "csv", path)[0])["#1"] == (20000, 0, 1)


def test_noise(run, trawl, place):
    """Any bytes behind the header give an answer or a message."""
    path, whole = place / "profile", REAL.read_bytes()
    draw = random.Random(5)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 8)):
            data[draw.randrange(32, len(data))] = draw.randrange(256)
        path.write_bytes(data)
        for words in (["profile"], ["flamegraph"], ["export", "--format", "speedscope"], ["info"], ["doctor"]):
            done = quick.run([trawl, *words, path], cwd=place, timeout=TIMEOUT_S)
            assert done.returncode in (0, 1, 3), (words, done)
