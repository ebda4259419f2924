"""Compares runs of two builds of a program with what is known of both by construction.

    tests/run.py builds

Programs are made of functions that are lists of operations. A build lays them out at addresses of its own, with names as compilers write
them for copies and parts of functions, and a run executes it: so both traces, both images, and which instructions of the two runs are the
same, are known without reading any of them. `trawl diff --other-image` must find exactly the operations that differ, and `profile --diff`
the time and calls of each function in the source.
"""

import collections
import csv
import difflib
import io
import json
import lzma
import random
import re
import struct
from pathlib import Path

import pytest
import quick
import small_elf

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 60
GAP = 8  # LANE_DIFF_GAP
DATA = 0x200000
R_X, R_W = 5, 6
SUFFIXES = ["", ".constprop.%d", ".isra.%d", ".constprop.%d.isra.%d", ".lto_priv.%d", ".llvm.%d", ".localalias"]


class Build:
    """Functions {name: [operation]} at addresses, as A64 code; `order` is where each is. Parts of a function are functions of their own:
    "work.part" is one that is called, "work.cold" one that is jumped to and jumps back into nothing: it returns."""

    def __init__(self, functions, order, names, start=0x80000, data=("config", "table", "state"), filler=0):
        self.functions, self.names = functions, names
        self.addresses, at = {}, start
        for name in order:
            at += 4 * filler
            self.addresses[name] = at
            at += 4 * sum(self.length(op) for op in functions[name])
        self.end = at
        self.data = {name: DATA + 0x1000 * i + 0x48 + filler * 8 for i, name in enumerate(data)}
        self.code = {}
        for name in order:
            self.encode(name)

    @staticmethod
    def length(op):
        return {"load": 2}.get(op[0], 1)

    def encode(self, name):
        at = self.addresses[name]
        for op in self.functions[name]:
            if op[0] == "set":  # movz x9, #n
                words = [0xD2800009 | op[1] << 5]
            elif op[0] == "add":  # add x9, x9, #n
                words = [0x91000129 | op[1] << 10]
            elif op[0] == "call":
                words = [0x94000000 | (self.addresses[op[1]] - at) >> 2 & 0x3FFFFFF]
            elif op[0] == "jump":
                words = [0x14000000 | (self.addresses[op[1]] - at) >> 2 & 0x3FFFFFF]
            elif op[0] == "loop":  # cbnz x9, start of the function: op[1] times
                words = [0xB5000009 | (self.addresses[name] - at) >> 2 << 5 & 0xFFFFE0]
            elif op[0] == "load":  # adrp x10, page; ldr x9, [x10, #low]
                target = self.data[op[1]] + op[2]
                pages = (target >> 12) - (at >> 12)
                words = [0x9000000A | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5, 0xF9400149 | (target >> 3 & 0x1FF) << 10]
            else:
                words = [0xD65F03C0]
            for i, word in enumerate(words):
                self.code[at] = word, name, (op if op[0] != "loop" else ("loop",)) + (i,)
                at += 4

    def run(self, times=200000):
        """[pc] of main, and of each call."""
        pcs, stack, counts = [], [], collections.Counter()
        at = self.addresses["main"]
        while at is not None and len(pcs) < times:
            pcs.append(at)
            word, name, op = self.code[at]
            at += 4
            if op[0] == "call":
                stack.append(at)
                at = self.addresses[op[1]]
            elif op[0] == "jump":
                at = self.addresses[op[1]]
            elif op[0] == "return":
                at = stack.pop() if stack else None
            elif op[0] == "loop":
                rounds = next(o[1] for o in self.functions[name] if o[0] == "loop")
                counts[name, len(stack)] += 1
                if counts[name, len(stack)] % rounds:
                    at = self.addresses[name]
        assert at is None, "it does not end"
        return pcs

    def write(self, place, name):
        pcs = self.run()
        with (place / (name + ".t")).open("w") as file:
            for time, pc in enumerate(pcs):
                file.write("%d clk IT (%d) %08x %08x O EL1h_s : -\n" % (time, time, pc, self.code[pc][0]))
        symbols = [(self.names[f].encode(), at, 4 * sum(map(self.length, self.functions[f])), 1, 2) for f, at in self.addresses.items()]
        symbols += [(f.encode(), at, 64, 5, 1) for f, at in self.data.items()]
        start = min(self.addresses.values())
        text = b"".join(struct.pack("<I", self.code.get(at, (0xD503201F,))[0]) for at in range(start, self.end, 4))
        (place / (name + ".elf")).write_bytes(elf(start, text, symbols))
        return pcs


def elf(start, text, symbols):
    strings, table = b"\0", bytes(24)
    for name, at, size, section, kind in symbols:
        table += struct.pack("<IBBHQQ", len(strings), 0x10 | kind, 0, section, at, size)
        strings += name + b"\0"
    names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.data\0"
    parts, at, places = [], 64 + 2 * 56, []
    for part in (text, table, strings, names):
        at = (at + 7) & ~7
        places.append(at)
        parts.append((at, part))
        at += len(part)
    sections_at = (at + 7) & ~7
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, start, 64, sections_at, 0, 64, 56, 2, 64, 6, 4)
    header += struct.pack("<IIQQQQQQ", 1, R_X, places[0], start, start, len(text), len(text), 4)
    image = bytearray(header + struct.pack("<IIQQQQQQ", 1, R_W, 0, DATA, DATA, 0, 0x4000, 8)).ljust(sections_at, b"\0")
    for place, part in parts:
        image[place : place + len(part)] = part
    section = struct.Struct("<IIQQQQIIQQ").pack
    image += bytes(64) + section(1, 1, 6, start, places[0], len(text), 0, 0, 4, 0) + section(7, 2, 0, 0, places[1], len(table), 3, 1, 8, 24)
    image += section(15, 3, 0, 0, places[2], len(strings), 0, 0, 1, 0) + section(23, 3, 0, 0, places[3], len(names), 0, 0, 1, 0)
    image += section(33, 8, 3, DATA, 0, 0x4000, 0, 0, 8, 0)
    return bytes(image)


def source(name):
    """The function in the source."""
    return name.split(".")[0]


def program(rng):
    """A program of functions that call functions after them, some with a part."""
    names = ["main"] + ["f%d" % i for i in range(rng.randrange(3, 8))]
    functions = {}
    for i, name in enumerate(names):
        body = [rng.choice([("set", rng.randrange(4096)), ("add", rng.randrange(1, 4096)), ("load", rng.choice(["config", "table", "state"]), 8 * rng.randrange(8))])
                for _ in range(rng.randrange(4, 14))]
        later = names[i + 1 :]
        for _ in range(rng.randrange(3) if later else 0):
            body.insert(rng.randrange(len(body)), ("call", rng.choice(later)))
        if later and not any(op[0] == "call" for op in body):
            body.insert(rng.randrange(len(body)), ("call", later[0]))
        if not later or rng.random() < 0.3:
            if not any(op[0] == "call" for op in body):
                body.append(("loop", rng.randrange(2, 6)))
        if i and rng.random() < 0.4:
            part = name + ".part"
            functions[part] = [("set", rng.randrange(4096)) for _ in range(rng.randrange(2, 6))] + [("return",)]
            body.insert(rng.randrange(len(body)), ("call", part))
        functions[name] = body + [("return",)]
    return functions


def build(rng, functions):
    order = list(functions)
    rng.shuffle(order)
    names = {}
    for name in functions:
        if name.endswith(".part"):
            names[name] = source(name) + rng.choice([".part.%d", ".constprop.%d.part.%d", ".part.%d.lto_priv.%d"])
        else:
            names[name] = name + (rng.choice(SUFFIXES) if name != "main" else "")
        while "%d" in names[name]:
            names[name] = names[name].replace("%d", str(rng.randrange(20)), 1)
    return Build(functions, order, names, start=0x80000 + 4 * rng.randrange(1 << 16), filler=rng.randrange(4))


def changed(rng, functions):
    """A copy with one function that differs: its name."""
    functions = {name: list(body) for name, body in functions.items()}
    name = rng.choice([n for n in functions if n != "main"])
    body = functions[name]
    at = rng.randrange(len(body) - 1)
    how = rng.randrange(3)
    if how == 0:
        for _ in range(rng.randrange(1, 4)):
            body.insert(at, ("add", rng.randrange(1, 4096)))
    elif how == 1 and body[at][0] in ("set", "add", "load"):
        del body[at]
    else:
        body[at] = ("set", 3001) if body[at][0] not in ("call", "loop") else body[at]
        body.insert(at, ("set", 3002))
    return functions, name


def execute(trawl, *words, statuses=(0,)):
    done = quick.run([trawl, *words], timeout=TIMEOUT_S)
    assert done.returncode in statuses, (words, done.returncode, done.stderr)
    return done


def keys(made, pcs):
    """What an instruction is in both builds. That of a pair which has the page says nothing."""
    return [(source(made.code[pc][1]), made.code[pc][2][0] if made.code[pc][2][0] == "load" and not made.code[pc][2][-1] else made.code[pc][2]) for pc in pcs]


def compare(checker, place, what, a, b):
    """What trawl finds between two runs, and what is different between them."""
    runs = [keys(made, made.write(place, name)) for name, made in (("a", a), ("b", b))]
    done = execute(checker.trawl, "diff", "--format", "json", "--max-regions", "1000000", "--image", place / "a.elf", place / "a.t", place / "b.t",
                   "--other-image", place / "b.elf", statuses=(0, 1))
    answer = json.loads(done.stdout)
    is_same = runs[0] == runs[1]
    checker.check(f"{what}: equal or not", answer["equal"] == is_same and done.returncode == (not is_same), (what, answer["region_count"], done.stderr))
    at = [0, 0]
    for region in answer["regions"]:
        starts = [len(runs[i]) if region[f"event_{side}"] is None else region[f"event_{side}"] for i, side in enumerate("ab")]
        checker.check(f"{what}: equal between regions", runs[0][at[0] : starts[0]] == runs[1][at[1] : starts[1]], (what, region))
        at = [starts[0] + region["count_a"], starts[1] + region["count_b"]]
    checker.check(f"{what}: equal after the last", runs[0][at[0] :] == runs[1][at[1] :], (what, at))
    matcher = difflib.SequenceMatcher(None, runs[0], runs[1], autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks()) if len(runs[0]) < 3000 else 0
    checker.check(f"{what}: no worse than difflib", answer["same"] >= same, (what, answer["same"], same))
    return answer, runs


def test_moved(checker, place):
    """Code that only moved, and got other names, is no difference."""
    for seed in range(60):
        rng = random.Random(seed)
        functions = program(rng)
        answer, _ = compare(checker, place, "moved", build(rng, functions), build(rng, functions))
        checker.check("moved: no difference", answer["equal"], (seed, answer["regions"][:2]))


def test_changed(checker, place):
    """Of a function that changed, what changed; and it stands first."""
    for seed in range(60):
        rng = random.Random(1000 + seed)
        functions = program(rng)
        other, name = changed(rng, functions)
        answer, runs = compare(checker, place, "changed", build(rng, functions), build(rng, other))
        if runs[0] == runs[1]:
            continue
        first = answer["first"]
        names = {source(first[side]["function"].split("+")[0]) for side in "ab" if first[side]}
        checker.check("changed: the function that changed is first", source(name) in names, (seed, name, first))
        functions_of = {source((region[f"function_{side}"] or "").split("+")[0]) for region in answer["regions"] for side in "ab" if region[f"only_{side}"]}
        checker.check("changed: in few functions", len(functions_of) <= 3, (seed, name, functions_of))


def test_another_call(checker, place):
    """A call of another function, and a load of another variable, differ although the encodings are alike."""
    rng = random.Random(7)
    base = {"main": [("set", 1), ("call", "f"), ("load", "table", 8), ("set", 2), ("return",)], "f": [("set", 3), ("return",)], "g": [("set", 3), ("return",)]}
    for what, at, op in (("call", 1, ("call", "g")), ("load", 2, ("load", "state", 8)), ("offset", 2, ("load", "table", 16)), ("constant", 3, ("set", 4))):
        other = {name: list(body) for name, body in base.items()}
        other["main"][at] = op
        answer, _ = compare(checker, place, what, build(rng, base), build(rng, other))
        checker.check(f"{what}: a difference", not answer["equal"])


def figures(made):
    """{function: [self, total, calls]} of a run, each moment once in the total of a function; and the same by caller."""
    rows = collections.defaultdict(lambda: [0, 0, 0])
    by_caller = collections.defaultdict(lambda: [0, 0, 0])
    stack = [("main", None)]
    rows["main"][2] += 1
    by_caller["main", None][2] += 1
    pcs = made.run()
    for pc in pcs[:-1]:  # the last instruction takes no time
        _, _, op = made.code[pc]
        rows[stack[-1][0]][0] += 1
        by_caller[stack[-1]][0] += 1
        for name in {name for name, _ in stack}:
            rows[name][1] += 1
        for pair in set(stack):
            by_caller[pair][1] += 1
        if op[0] == "call":
            name = source(op[1])
            is_part = name == stack[-1][0] and op[1] != name
            stack.append(stack[-1] if is_part else (name, stack[-1][0]))
            if not is_part:
                rows[name][2] += 1
                by_caller[stack[-1]][2] += 1
        elif op[0] == "return":
            stack.pop()
    return rows, by_caller


def table(trawl, *words):
    return list(csv.DictReader(io.StringIO(execute(trawl, "profile", "--format", "csv", *words).stdout.decode())))


def test_profile(checker, place):
    """Time and calls of each function in the source, of two and of four builds, by function and by caller."""
    for seed in range(30):
        rng = random.Random(2000 + seed)
        functions = program(rng)
        made = [build(rng, functions)] + [build(rng, changed(rng, functions)[0]) for _ in range(3)]
        for name, one in zip("abcd", made):
            one.write(place, name)
        truth = [figures(one) for one in made]
        words = ["--image", place / "a.elf", place / "a.t", "--diff", place / "b.t", "--other-image", place / "b.elf"]
        rows = {row["function"]: [[int(row[f"{figure}_{run}"]) for figure in ("self", "total", "calls")] for run in "ab"] for row in table(checker.trawl, *words)}
        expected = {name: [truth[i][0][name] for i in range(2)] for name in {*truth[0][0], *truth[1][0]}}
        checker.check("two builds", rows == expected, (seed, rows, expected))
        rows = {(row["function"], row["caller"] or None): [[int(row[f"{figure}_{run}"]) for figure in ("self", "total", "calls")] for run in "ab"]
                for row in table(checker.trawl, *words, "--by", "caller")}
        expected = {name: [truth[i][1][name] for i in range(2)] for name in {*truth[0][1], *truth[1][1]}}
        checker.check("two builds by caller", rows == expected, (seed, rows, expected))
        for run in "cd":
            words += ["--diff", place / (run + ".t"), "--other-image", place / (run + ".elf")]
        for sort, figure in (("self", 0), ("total", 1)):
            answer = table(checker.trawl, *words, "--sort", sort)
            rows = {row["function"]: [int(row[f"{sort}_{run}"]) for run in "abcd"] + [int(row[f"calls_{run}"]) for run in "abcd"] for row in answer}
            expected = {name: [t[0][name][figure] for t in truth] + [t[0][name][2] for t in truth] for name in set().union(*(t[0] for t in truth))}
            checker.check(f"four builds by {sort}", rows == expected, (seed, rows, expected))
            most = [max(abs(int(row[f"{sort}_{run}"]) - int(row[f"{sort}_a"])) for run in "bcd") for row in answer]
            checker.check("the largest change first", most == sorted(most, reverse=True), most)


def test_by_caller(checker, place):
    """The profile of one run divided by callers adds up."""
    rng = random.Random(5)
    made = build(rng, program(rng))
    made.write(place, "a")
    _, by_caller = figures(made)
    words = ["--image", place / "a.elf", place / "a.t"]
    whole = {row["function"]: int(row["self"]) for row in table(checker.trawl, *words)}
    divided = collections.Counter()
    for row in table(checker.trawl, *words, "--by", "caller"):
        divided[row["function"]] += int(row["self"])
    checker.check("self times of callers add up", whole == dict(divided), (whole, divided))


def test_flamegraph(checker, place):
    """Stacks of two builds that only moved differ by nothing."""
    rng = random.Random(11)
    functions = program(rng)
    for name in "ab":
        build(rng, functions).write(place, name)
    done = execute(checker.trawl, "flamegraph", "--image", place / "a.elf", place / "a.t", "--diff", place / "b.t", "--other-image", place / "b.elf")
    lines = [line.rsplit(" ", 2) for line in done.stdout.decode().splitlines()]
    checker.check("the same stacks", lines and all(a == b for _, a, b in lines), lines)


def test_list_of_images(checker, place):
    """A list of images is expanded for each run."""
    rng = random.Random(13)
    functions = program(rng)
    made = build(rng, functions)
    made.write(place, "a")
    made.write(place, "b")
    (place / "list").write_text("%s\n" % (place / "a.elf") + "".join("%s@0x%x\n" % (place / "b.elf", 0x1000000 * i) for i in range(1, 40)))
    rows = table(checker.trawl, "--image", "@%s" % (place / "list"), place / "a.t", "--diff", place / "b.t")
    checker.check("a list for both", rows and all(row["self_a"] == row["self_b"] for row in rows), rows)


@pytest.mark.parametrize(
    "words, said",
    [(["diff", "a.t", "b.t", "--other-image", "b.elf"], "image"),
     (["diff", "--image", "a.elf", "a.t", "b.t", "--other-image", "b.elf", "--registers"], "--registers"),
     (["profile", "--image", "a.elf", "a.t", "--other-image", "b.elf"], "--other-image"),
     (["profile", "a.t", *(["--diff", "b.t"] * 7)], "at most 6"),
     (["profile", "a.t", "--by", "caller", "--by", "line"], "--by caller")],
)
def test_refused(checker, place, words, said):
    rng = random.Random(17)
    functions = program(rng)
    for name in "ab":
        build(rng, functions).write(place, name)
    done = quick.run([checker.trawl, *words], cwd=place, timeout=TIMEOUT_S)
    checker.check(" ".join(words[:1]) + ": refused", done.returncode == 2 and said in done.stderr.decode() and not done.stdout, done)


def renamed(data, names):
    """An image with other names of functions: {old: (function whose name it is to have, characters of that to leave out)}."""
    data = bytearray(data)
    entries = {name: at for at, name in small_elf.function_entries(data)}
    for old, (new, skipped) in names.items():
        struct.pack_into("<I", data, entries[old], struct.unpack_from("<I", data, entries[new])[0] + skipped)
    return data


def test_namesakes(checker, place):
    """Functions of one name in two files are two; one that was renamed is one, by its file and line."""
    image, trace = (CORPUS / "elf/sort-a64.elf").read_bytes(), CORPUS / "traces/sort-a64.it.tarmac"
    (place / "a.elf").write_bytes(renamed(image, {"print": ("swap", 0)}))
    (place / "b.elf").write_bytes(renamed(image, {"print": ("swap", 0), "heap_sort": ("is_sorted", 3)}))
    truth = {row["function"]: row["self"] for row in table(checker.trawl, "--memory-index", "--image", CORPUS / "elf/sort-a64.elf", trace)}
    rows = table(checker.trawl, "--memory-index", "--image", place / "a.elf", trace, "--diff", trace, "--other-image", place / "b.elf")
    swaps = sorted(row["self_a"] for row in rows if row["function"] == "swap")
    checker.check("two functions of one name", swaps == sorted([truth["swap"], truth["print"]]), (swaps, truth))
    checker.check("as many in the other build", swaps == sorted(row["self_b"] for row in rows if row["function"] == "swap"), rows)
    names = {row["function"]: row["self_a"] for row in rows}
    checker.check("one that was renamed", names.get("heap_sort -> sorted") == truth["heap_sort"] and "heap_sort" not in names, names)


MOVED = re.compile(rb"^(\S+ clk I[TS] \(\d+\) )([0-9a-f]{8})\b", re.M)


@pytest.mark.parametrize("name", ["sort-a64", "sort-a32", "sort-t32", "recursion-t32", "hash-a64", "fp-t32"])
def test_moved_corpus(checker, place, name):
    """A program elsewhere, with the same encodings, is equal; by its addresses it is not."""
    trace = CORPUS / f"traces/{name}.it.tarmac"
    distance = 0x100000
    (place / "b.t").write_bytes(MOVED.sub(lambda found: found[1] + b"%08x" % (int(found[2], 16) + distance), trace.read_bytes()))
    image = CORPUS / f"elf/{name}.elf"
    words = ["diff", "--memory-index", "--image", image, trace, place / "b.t"]
    done = execute(checker.trawl, *words, "--other-image", "%s@0x%x" % (image, distance), "--other-image", image, "--format", "json", statuses=(0, 1))
    checker.check("equal elsewhere", done.returncode == 0, (name, json.loads(done.stdout)["regions"][:2]))
    execute(checker.trawl, *words, "--force-image", statuses=(1,))


MOVED_LOG = re.compile(rb"^(core +0: (?:\d )?0x)([0-9a-f]{8,16})(?= \()", re.M)


@pytest.mark.parametrize("name", ["hello64", "hello32", "calls64", "calls32"])
def test_moved_log(checker, place, name):
    """The same of RISC-V programs, with compressed instructions."""
    log = lzma.decompress((CORPUS / f"riscv/{name}.both.log.xz").read_bytes())
    distance = 0x100000
    image = CORPUS / f"riscv/{name}.elf"
    (place / "a.log").write_bytes(log)
    (place / "b.log").write_bytes(MOVED_LOG.sub(lambda found: found[1] + b"%0*x" % (len(found[2]), int(found[2], 16) + (distance if int(found[2], 16) >> 31 else 0)), log))
    words = ["diff", "--memory-index", "--image", image, place / "a.log", place / "b.log"]
    done = execute(checker.trawl, *words, "--other-image", "%s@0x%x" % (image, distance), "--other-image", image, "--format", "json", statuses=(0, 1))
    checker.check("equal elsewhere", done.returncode == 0, (name, json.loads(done.stdout)["regions"][:2]))
    execute(checker.trawl, *words, "--force-image", statuses=(1,))


def small_image(is_wide, start, code, size):
    """An image with main at an address, of a size, and bytes behind it that have no name."""
    ehdr, phdr, shdr, symbol = ("<HHIQQQIHHHHHH", "<IIQQQQQQ", "<IIQQQQIIQQ", "<IBBHQQ") if is_wide else ("<HHIIIIIHHHHHH", "<IIIIIIII", "<IIIIIIIIII", "<IIIBBH")
    ehdr_bytes, phdr_bytes, shdr_bytes, symbol_bytes = ((16 + struct.calcsize(ehdr)), *map(struct.calcsize, (phdr, shdr, symbol)))
    strings, names = b"\0main\0", b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    table = bytes(symbol_bytes) + (struct.pack(symbol, 1, 0x12, 0, 1, start, size) if is_wide else struct.pack(symbol, 1, start, size, 0x12, 0, 1))
    parts, places, at = b"", [], ehdr_bytes + phdr_bytes
    for part in (code, table, strings, names):
        part = part.ljust(len(part) + 7 & ~7, b"\0")
        places.append(at)
        parts += part
        at += len(part)
    header = b"\x7fELF" + bytes([1 + is_wide, 1, 1]) + bytes(9) + struct.pack(ehdr, 2, 183 if is_wide else 40, 1, start & ~1, ehdr_bytes, at, 0, ehdr_bytes, phdr_bytes, 1, shdr_bytes, 5, 4)
    base = start & ~1
    segment = (1, R_X, places[0], base, base, len(code), len(code), 4) if is_wide else (1, places[0], base, base, len(code), len(code), R_X, 4)
    sections = bytes(shdr_bytes) + struct.pack(shdr, 1, 1, 6, base, places[0], len(code), 0, 0, 4, 0)
    sections += struct.pack(shdr, 7, 2, 0, 0, places[1], len(table), 3, 1, 8, symbol_bytes)
    sections += struct.pack(shdr, 15, 3, 0, 0, places[2], len(strings), 0, 0, 1, 0) + struct.pack(shdr, 23, 3, 0, 0, places[3], len(names), 0, 0, 1, 0)
    return header + struct.pack(phdr, *segment) + parts + sections


def far(base, scale):
    """An A64 load by a page and an offset in it."""
    return lambda pc, target: [0x90000000 | ((target >> 12) - (pc >> 12) & 3) << 29 | ((target >> 12) - (pc >> 12) >> 2 & 0x7FFFF) << 5, base | (target & 0xFFF) // scale << 10]


def half(base):
    return lambda pc, target: [base | (target - pc - 8 >> 4 & 15) << 8 | target - pc - 8 & 15]


def t32(pc):
    return pc + 4 & ~3


LOADS = {  # bytes that are loaded, and the code; encodings as llvm-mc 14 has them
    **{f"A64 ldr {name}": ("A64", size, lambda pc, target, base=base: [base | target - pc >> 2 << 5]) for name, base, size in (
        ("w", 0x18000000, 4), ("x", 0x58000000, 8), ("sw", 0x98000000, 4), ("s", 0x1C000000, 4), ("d", 0x5C000000, 8), ("q", 0x9C000000, 16))},
    "A64 far b": ("A64", 1, far(0x39400000, 1)), "A64 far sh": ("A64", 2, far(0x79800000, 2)), "A64 far sw": ("A64", 4, far(0xB9800000, 4)),
    "A64 far x": ("A64", 8, far(0xF9400000, 8)), "A64 far s": ("A64", 4, far(0xBD400000, 4)), "A64 far d": ("A64", 8, far(0xFD400000, 8)),
    "A64 far q": ("A64", 16, far(0x3DC00000, 16)),
    **{f"T32 {name}": ("T32", size, lambda pc, target, base=base, scale=scale: [base | (target - t32(pc)) // scale]) for name, base, size, scale in (
        ("ldr 16", 0x4800, 4, 4), ("ldr", 0xF8DF0000, 4, 1), ("ldrb", 0xF89F0000, 1, 1), ("ldrsb", 0xF99F0000, 1, 1), ("ldrh", 0xF8BF0000, 2, 1), ("ldrsh", 0xF9BF0000, 2, 1),
        ("ldrd", 0xE9DF0100, 8, 4), ("vldr s", 0xED9F0A00, 4, 4), ("vldr d", 0xED9F0B00, 8, 4), ("vldr 16", 0xED9F0900, 2, 2))},
    **{f"A32 {name}": ("A32", size, lambda pc, target, base=base, scale=scale: [base | (target - pc - 8) // scale]) for name, base, size, scale in (
        ("ldr", 0xE59F0000, 4, 1), ("ldrb", 0xE5DF0000, 1, 1), ("vldr s", 0xED9F0A00, 4, 4), ("vldr d", 0xED9F0B00, 8, 4))},
    "A32 ldrh": ("A32", 2, half(0xE1DF00B0)), "A32 ldrsb": ("A32", 1, half(0xE1DF00D0)), "A32 ldrsh": ("A32", 2, half(0xE1DF00F0)), "A32 ldrd": ("A32", 8, half(0xE1CF00D0)),
}


@pytest.mark.parametrize("name", LOADS)
def test_literals(checker, place, name):
    """A literal elsewhere is the same if all of its bytes are, and only then."""
    isa, size, encode = LOADS[name]
    rng = random.Random(name)
    pool = bytes(rng.randrange(0x80, 0x100) for _ in range(16))

    def write(side, start, distance, pool):
        pcs, code = [], b""
        for word in [*encode(start, start + distance)]:
            pcs.append((start + len(code), word))
            code += struct.pack("<HH", word >> 16, word & 0xFFFF) if isa == "T32" and word >> 16 else struct.pack("<H" if isa == "T32" else "<I", word)
        within = distance + 16 if "far" not in name else len(code)  # constants that are far belong to no function
        code = code.ljust(distance, b"\0") + pool
        (place / (side + ".elf")).write_bytes(small_image(isa == "A64", start | (isa == "T32"), code, within))
        letter, mode = {"A64": ("O", "EL1h_s"), "A32": ("A", "svc_s"), "T32": ("T", "svc_s")}[isa]
        (place / (side + ".t")).write_text("".join("%d clk IT (%d) %08x %0*x %s %s : -\n" % (i, i, pc, 8 if word >> 16 else 4, word, letter, mode) for i, (pc, word) in enumerate(pcs)))

    def equal():
        done = execute(checker.trawl, "diff", "--memory-index", "--format", "json", "--image", place / "a.elf", place / "a.t", place / "b.t", "--other-image", place / "b.elf", statuses=(0, 1))
        return json.loads(done.stdout)["equal"]

    write("a", 0x80000, 32, pool)
    write("b", 0x90040, 48, pool)
    checker.check("a literal that moved is no difference", equal(), name)
    for at in range(16):
        write("b", 0x90040, 48, pool[:at] + bytes([pool[at] ^ 1 << rng.randrange(8)]) + pool[at + 1 :])
        checker.check("a byte of it, and no other, is one", equal() == (at >= size), (name, at))
