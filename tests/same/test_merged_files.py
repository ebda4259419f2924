"""Files of several cores that are merged by time are answered like one file of all cores, byte for byte except for names of files. A
model in this file makes that file."""

import heapq
import json
import os
import random
import re
from collections import deque
from pathlib import Path

import quick
from packed import FORMATS

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 120
STAMP = re.compile(rb"^( *(\d+) (?:clk|ns) +)((?:cpu|core)\d+ )?")

ASKED = [
    ["profile"],
    ["profile", "--threads", "3", "--chunk-size", "100"],
    ["calltree"],
    ["flamegraph"],
    ["export", "--format", "chrome"],
    ["callinfo", "0x80610"],
    ["doctor"],
    ["index", "--quiet"],
    ["profile"],
    ["profile", "--lane", "cpu1"],
    ["state", "--at", "end", "--lane", "cpu1"],
    ["stack", "--at", "event:700", "--lane", "cpu0"],
    ["writes", "sp", "--all", "--context", "1"],
    ["writes", "0x81014:4", "--all"],
    ["pc", "0x80610"],
    ["show", "--at", "line:1216"],
    ["show", "--at", "byte:60001"],
    ["grep", "-c", "RET"],
    ["vcd", "--registers", "all", "-o", "-"],
]


def run(trawl, words, place):
    done = quick.run([trawl, *words], cwd=place, timeout=TIMEOUT_S)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def with_files(files):
    return [word for name in files[1:] for word in ("--with", name)]


def ask(trawl, place, asked, files):
    command, *rest = asked
    return run(trawl, [command, files[0], *rest, *with_files(files)], place)


def without_places(text, names):
    """Without the column that only several files have, and without names of files."""
    words = tuple([f"{name}:" for name in names] + ["File:line"])
    known = {*names, "t", *(f"{name}.files.index" for name in names), "t.index"}
    text = re.sub(r"the first in (line |\S+:)\d+", "the first", text)  # of the loads that contradict memory
    return [[word for word in line.split() if not word.startswith(words) and word.rstrip(":;") not in known] for line in text.splitlines()]


def merged(files):
    """The lines of one file of all cores, and the file and line of each. `files`: (core, lines)."""
    heads = []
    for number, (core, lines) in enumerate(files):
        time, shift, groups = 0, 0, deque()
        for at, line in enumerate(lines):
            found = STAMP.match(line)
            if found:
                time = int(found.group(2))
                core = found.group(3).strip() if found.group(3) else core
                shift = 0 if found.group(3) else len(core) + 1
                line = line if found.group(3) else found.group(1) + core + b" " + line[found.end(1) :]
            elif line.startswith(b" "):
                line = b" " * shift + line
            groups.append((time, number, at, line, bool(found)))
        heads.append(groups)
    order, next_times = [], [(head[0][0], number) for number, head in enumerate(heads) if head]
    heapq.heapify(next_times)
    while next_times:
        chosen = heads[heapq.heappop(next_times)[1]]
        while True:
            order.append(chosen.popleft())
            if not chosen or chosen[0][4]:
                break
        if chosen:
            heapq.heappush(next_times, chosen[0][:2])
    return b"".join(line.rstrip(b"\n") + b"\n" for _, _, _, line, _ in order), [(number, at + 1) for _, number, at, _, _ in order]


def lines_of_cores(data, strips):
    """The lines of each core of a trace, in order."""
    core, cores = None, {}
    for line in data.splitlines(keepends=True):
        found = STAMP.match(line)
        core = found.group(3).strip() if found and found.group(3) else core
        if strips and found:
            line = found.group(1) + line[found.end() :]
        cores.setdefault(core, []).append(line)
    return sorted(cores.items())


def compare(checker, trawl, place, files, what, packs=()):
    """Compares files, as (name, core, lines), with the model's single file."""
    text, _ = merged([(core, lines) for _, core, lines in files])
    (place / "t").write_bytes(text)
    names = [name for name, _, _ in files]
    for number, (name, _, lines) in enumerate(files):
        data = b"".join(lines)
        (place / name).write_bytes(packs[number % len(packs)](data) if packs else data)
    for asked in ASKED:
        expected, got = ask(trawl, place, asked, ["t"]), ask(trawl, place, asked, names)
        same = without_places(got[1], names) == without_places(expected[1], names)
        checker.check(f"{what}: {' '.join(asked)}", got[0] == expected[0] and same and bool(got[2]) == bool(expected[2]), (expected, got))
    for path in place.iterdir():
        path.unlink()


def test_cores_in_files(trawl, checker, place):
    for trace in ("twocores-a64.it.tarmac", "twocores-a64.gem5.tarmac"):
        data = (CORPUS / "traces" / trace).read_bytes()
        for strips in (False, True):
            files = [(f"{core.decode()}.tarmac", core, lines) for core, lines in lines_of_cores(data, strips)]
            compare(checker, trawl, place, files, f"{trace}, {'without' if strips else 'with'} names")
        compare(checker, trawl, place, files, f"{trace}, compressed", [pack for pack in FORMATS.values() if pack])


def random_files(rng, count):
    """Cores that write and read memory at random times, with lines without a time, some of which belong to the previous line."""
    files = []
    for core in range(count):
        time, lines = rng.randrange(4), [b"Tarmac Text Rev 3t\n"] * rng.randrange(2)
        for _ in range(rng.randrange(1, 60)):
            time += rng.choice((0, 0, 1, 3, 50))
            kind = rng.randrange(5)
            if kind == 0:
                lines.append(b"%d clk IT (1) %08x e1a00000 A svc_s : NOP\n" % (time, 0x8000 + 4 * rng.randrange(64)))
            elif kind == 1:
                lines.append(b"%d clk R r%d %08x\n" % (time, rng.randrange(13), rng.randrange(1 << 32)))
            elif kind == 2:
                lines.append(b"%d clk MW4 %08x %08x\n" % (time, 0x1000 + 4 * rng.randrange(8), rng.randrange(1 << 32)))
            elif kind == 3:
                lines.append(b"R r%d %08x\n" % (rng.randrange(13), rng.randrange(1 << 32)))
            else:
                column = len(b"%d clk LD " % time)
                lines.append(b"%d clk LD 0000000000001000 ######## ######## 00000001 00000002\n" % time)
                lines.append(b" " * column + b"0000000000001010 00000003 ######## ######## ########\n")
        lines = lines if any(STAMP.match(line) for line in lines) else [*lines, b"1 clk R r0 00000001\n"]
        if rng.randrange(3) == 0:
            lines[-1] = lines[-1].rstrip(b"\n")
        files.append((b"cpu%d" % core, lines))
    return files


def test_random_files(trawl, checker, place):
    rng = random.Random(22)
    for turn in range(25):
        files = random_files(rng, rng.randrange(2, 7))
        text, places = merged(files)
        (place / "t").write_bytes(text)
        names = [f"{core.decode()}.x" for core, _ in files]
        for name, (_, lines) in zip(names, files):
            (place / name).write_bytes(b"".join(lines))
        for words in (["show", "--at", "start", "--context", "99999", "--format", "json"], ["grep", ".", "--format", "json"]):
            _, expected, _ = ask(trawl, place, words, ["t"])
            _, got, err = ask(trawl, place, words, names)
            rows = json.loads(got or "[]")
            told = [row.pop("file_line", None) for row in rows]
            wanted = [f"{names[number]}:{line}" for number, line in places]
            checker.check(f"turn {turn}: text", rows == json.loads(expected), (expected[:300], got[:300], err))
            checker.check(f"turn {turn}: places", told == wanted, (told[:20], wanted[:20]))
        for words in (["state", "--at", "end"], ["writes", "0x1000:32", "--all"], ["vcd", "--registers", "all", "-o", "-"]):
            expected, got = ask(trawl, place, words, ["t"]), ask(trawl, place, words, names)
            checker.check(f"turn {turn}: {words}", without_places(got[1], names) == without_places(expected[1], names), (expected, got))
        number, line = rng.choice(places)
        _, by_place, err = ask(trawl, place, ["show", "--at", f"{names[number]}:{line}", "--context", "0"], names)
        _, by_line, _ = ask(trawl, place, ["show", "--at", f"line:{places.index((number, line)) + 1}", "--context", "0"], names)
        checker.check(f"turn {turn}: {names[number]}:{line}", by_place and by_place == by_line, (by_place, by_line, err))
        for path in place.iterdir():
            path.unlink()


def test_a_thousand_cores(trawl, checker, place):
    """In separate files and in one, compared with a simple interpretation of the lines."""
    files = random_files(random.Random(1000), 1000)
    text, places = merged(files)
    (place / "t").write_bytes(text)
    for core, lines in files:
        (place / f"{core.decode()}.x").write_bytes(b"".join(lines))

    def in_file(line):
        number, line_in_file = places[line - 1]
        return f"the first in {files[number][0].decode()}.x:{line_in_file}"

    core, registers, executed, word, writer = None, {}, {}, None, None
    for line in text.decode().splitlines():
        words = line.split()
        if words[1:2] == ["clk"]:
            core, words = words[2], words[3:]
        if words[0] == "IT":
            executed[core] = executed.get(core, 0) + 1
        elif words[0] == "R":
            registers[core, words[1]] = int(words[2], 16)
        elif words[0] == "MW4" and int(words[1], 16) == 0x1004:
            word, writer = int(words[2], 16), core
    for name, more in (("t", []), ("cpu0.x", ["--with", "cpu*.x"])):
        status, out, err = run(trawl, ["info", name, *more, "--format", "json"], place)
        told = json.loads(out or "{}")
        checker.check(f"{name}: files", len(told.get("files", [])) == (1000 if more else 0), err)
        lanes = {row["lane"]: row["instructions"] for row in told.get("lanes", []) if row["instructions"]}
        checker.check(f"{name}: cores", lanes == executed, (len(lanes), len(executed), err))
        checker.check(f"{name}: lines", told.get("trace", told).get("lines") == len(places), err)
        status, out, err = run(trawl, ["writes", name, "0x1004:4", "--all", *more, "--format", "json"], place)
        rows = [row for row in json.loads(out or "[]") if row["kind"] == "store"]  # loads show that something else changed it
        checker.check(f"{name}: one memory", rows and int(rows[-1]["value"], 16) == word and rows[-1]["lane"] == writer, (rows[-1:], word, err))
        for number in range(0, 1000, 97):
            wanted = {register: value for (of, register), value in registers.items() if of == f"cpu{number}"}
            for register, value in wanted.items():
                status, out, err = run(trawl, ["state", name, register, "--lane", f"cpu{number}", "--at", "end", *more], place)
                checker.check(f"{name}: {register} of cpu{number}", out and f"0x{value:08x}" in out, (out, hex(value), err))
                break
        for words in (["profile"], ["profile", "--lane", "cpu999"], ["doctor"]):
            expected, got = ask(trawl, place, words, ["t"]), run(trawl, [words[0], name, *words[1:], *more], place)
            # A finding names the line in its file.
            said = re.sub(r"the first in line (\d+)", lambda at: in_file(int(at[1])), expected[1]) if more else expected[1]
            checker.check(f"{name}: {words}", without_places(got[1], [name]) == without_places(said, []), (expected, got))


def test_names(trawl, checker, place):
    for name, core in (("a.x", 1), ("core7.trace.1", 2), ("cpu-big", 3)):
        (place / name).write_bytes(b"%d clk IT (1) 00008000 e1a00000 A svc_s : NOP\n" % core)
    for files, wanted in (
        (["a.x", "core7.trace.1", "cpu-big"], ["cpu0", "core7", "cpu-big"]),
        (["a.x", "cpu.x=core7.trace.1", "core1=cpu-big", "cpu9=a.x"], ["cpu9", "cpu.x", "core1"]),
    ):
        status, out, err = ask(trawl, place, ["info", "--format", "json"], files)
        told = json.loads(out or "{}")
        checker.check(f"{files}", [row["lane"] for row in told.get("files", [])] == wanted, (told.get("files"), err))
        checker.check(f"lanes of {files}", [row["lane"] for row in told.get("lanes", [])] == wanted, (told.get("lanes"), err))
    status, out, err = run(trawl, ["info", "a.x", "--with", "core9=a.x", "--format", "json"], place)
    checker.check("one file is named", [row["lane"] for row in json.loads(out or "{}").get("lanes", [])] == ["core9"], (out, err))
    status, out, _ = run(trawl, ["info", "a.x", "--with", "c*", "--format", "json"], place)
    checker.check("pattern", [row["file"] for row in json.loads(out)["files"]] == ["a.x", "core7.trace.1", "cpu-big"], out)


def test_places(trawl, checker, place, quick_place):
    """The other file may be anywhere, with any form of name: a confined process may read it."""
    for number, where in enumerate((place, quick_place)):
        (where / f"f{number}").write_bytes(b"%d clk IT (1) 00008000 e1a00000 A svc_s : NOP\n" % number)
    # Not a pattern of directories that other tests make and remove: reading those may leave some out.
    (quick_place / "runs1").mkdir()
    os.link(quick_place / "f1", quick_place / "runs1" / "f1")
    for words in (["--with", f"cpu1={quick_place}/f1"], [f"--with=cpu1={quick_place}/f1"], ["--with", f"{quick_place}/f*"], [f"--with={quick_place}/f?"],
                  [f"--with={quick_place}/runs?/f1"]):
        status, out, err = run(trawl, ["info", "f0", *words, "--format", "json"], place)
        checker.check(" ".join(words), status == 0 and len(json.loads(out)["lanes"]) == 2, err)


def test_refusals(trawl, checker, place):
    line = b"1 clk IT (1) 00008000 e1a00000 A svc_s : NOP\n"
    (place / "a").write_bytes(line)
    (place / "b").write_bytes(line)
    (place / "timeless").write_bytes(b"IT (1) 00008000 e1a00000 A svc_s : NOP\n")
    (place / "log").write_bytes((CORPUS / "xray" / "arguments.fdr.xray").read_bytes())
    for words, wanted in (
        (["profile", "a", "--with", "timeless"], "timeless: its lines have no times"),
        (["profile", "timeless", "--with", "a"], "timeless: its lines have no times"),
        (["profile", "a", "--with", "cpu1=b", "--with", "cpu1=a"], "two files are of core 'cpu1'"),
        (["profile", "a", "--with", "b", "--then", "b"], "cannot be combined with"),
        (["profile", "a", "--with", "big=b"], "cannot name a core so"),
        (["profile", "a", "--with", "none"], "none"),
        (["index", "a", "b", "--with", "b"], "needs a single TRACE"),
        (["profile", "log", "--with", "log"], "log"),
    ):
        status, _, err = run(trawl, words, place)
        checker.check(" ".join(words), status in (1, 2) and wanted in err and err.count("\n") <= 2, (status, err))


def test_changes(trawl, checker, place):
    """Any change of a file, or of the name of its core, is detected."""
    files = random_files(random.Random(5), 3)
    for number, (_, lines) in enumerate(files):
        (place / f"p{number}").write_bytes(b"".join(lines))
        os.utime(place / f"p{number}", (1000000000 + number, 1000000000 + number))
    names = ["p0", "p1", "p2"]
    use = ["state", "--no-index", "--at", "end"]
    build = ["index", "--force-index"]
    checker.check("built", ask(trawl, place, build, names)[0] == 0 and "index" not in ask(trawl, place, use, names)[2])
    checker.check("verified", ask(trawl, place, ["verify"], names)[0] == 0)
    for other in (["p0", "p2", "p1"], ["p0", "cpu7=p1", "p2"]):
        checker.check(f"{other}", "p0.files.index" in ask(trawl, place, use, other)[2])
    checker.check("as pieces", "p0.files.index" in run(trawl, ["state", "p0", *use[1:], "--then", "p1", "--then", "p2"], place)[2])
    for name in names:
        ask(trawl, place, build, names)
        with (place / name).open("ab") as file:
            file.write(b"9999 clk R r0 00000001\n")
        checker.check(f"{name} grown", "p0.files.index" in ask(trawl, place, use, names)[2])
