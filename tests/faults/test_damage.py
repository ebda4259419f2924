"""Checks that a damaged index leads to the right answer, because it is rebuilt, or with --no-index to none.

    tests/run.py damage

Every fifth byte of a small index is changed in turn (--thorough: every byte), and one of the questions below is asked. If the question
does not use the byte, it gets its answer; if it does, the damage is detected, and the index is rebuilt or the question refused. Nothing
crashes or is shown twice, and no answer differs from that of the sound index.
"""

import itertools

import extent
import index_reader
import pytest
import quick

TIMEOUT_S = 60
PARTS = 8  # of the bytes, to be shared by workers
SEGMENT = "--segment-events=8"

# Two cores, calls, an exception, loads and stores, a host call with a buffer, a damaged line.
LINES = """\
1 clk cpu0 IT (1) 00008000 e3a00006 A svc_s : MOV r0,#6
1 clk cpu0 R r0 00000006
2 clk cpu0 IT (2) 00008004 e59f1000 A svc_s : LDR r1,[pc]
2 clk cpu0 MR4 0000800c 00010000
2 clk cpu0 R r1 00010000
2 clk cpu0 R r13_svc 00020000
3 clk cpu1 IT (1) 00008100 e3a02007 A svc_s : MOV r2,#7
3 clk cpu1 R r2 00000007
4 clk cpu0 IT (3) 00008008 eb000002 A svc_s : BL 0x8018
4 clk cpu0 R r14_svc 0000800c
5 clk cpu0 IT (4) 00008018 e5810000 A svc_s : STR r0,[r1]
5 clk cpu0 MW4 00010000 00000006
6 clk cpu0 IT (5) 0000801c e5812004 A svc_s : STR r2,[r1,#4]
6 clk cpu0 MW4 00010004 00010100
7 clk cpu0 IT (6) 00008020 e5813008 A svc_s : STR r3,[r1,#8]
7 clk cpu0 MW4 00010008 00000010
8 clk cpu0 IT (7) 00008024 ef123456 A svc_s : SVC #0x123456
9 clk cpu0 IT (8) 00008028 e5914100 A svc_s : LDR r4,[r1,#256]
9 clk cpu0 MR4 00010100 64636261
9 clk cpu0 R r4 64636261
10 clk cpu1 IT (2) 00008104 e5832000 A svc_s : STR r2,[r3]
10 clk cpu1 MW8 00010200 1122334455667788
11 clk cpu0 IT (9) 0000802c e12fff1e A svc_s : BX lr
12 clk cpu0 IT (10) 0000800c e3a05001 A svc_s : MOV r5,#1
12 clk cpu0 R r5 00000001
12 clk cpu0 R cpsr gggg
13 clk cpu0 E 00000010 00000004 CoreEvent_UNDEFINED_INSN
14 clk cpu0 IT (11) 00000004 e1a00000 A svc_s : NOP
"""

QUERIES = [
    "trawl state t --registers all",
    "trawl state t --at event:4 --memory 0x10000:0x20 --format json",
    "trawl state t --at event:2 --diff end",
    "trawl state t --at pc:0x8018 --memory r1:16 --lane cpu0",
    "trawl writes t r0 --all",
    "trawl writes t 0x10000:16 --all",
    "trawl writes t 0x10100:8",
    "trawl pc t 0x8018 0x6 0x8104",
    "trawl pc t r14 --at time:9 --count",
    "trawl stack t --at event:7",
    "trawl stack t --at line:20 --format csv",
    "trawl info t",
    "trawl info t --functions --format json",
]
REPORTS = [
    "trawl calltree t",
    "trawl profile t",
    "trawl callinfo t 0x8018 0x6",
]


def run(programs, directory, line):
    words = line.split()
    words[0] = str(programs / words[0])
    done = quick.run(words, directory, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


def make(programs, directory, trace, options):
    """Writes a trace and builds its index. Returns the index."""
    (directory / "t").write_bytes(trace)
    status, _, err = run(programs, directory, "trawl index --no-sync %s t" % options)
    assert status in (0, 3), err
    return directory / "t.index", (directory / "t.index").read_bytes()


def judge(programs, directory, index, whole, spoiled, line, expected):
    """Asks a damaged index. Returns what is wrong with the answers, or None."""
    index.write_bytes(spoiled)
    refused = run(programs, directory, line + " --no-index")
    # A file that does not begin like an index is not ours, so another name is used.
    named = b"t.index" if spoiled[:8] == whole[:8] else b"t.trawl"
    if refused != expected and (refused[0] != 1 or refused[1] or named not in refused[2]):
        return "--no-index: %r" % (refused,)
    if index.read_bytes() != spoiled:
        return "--no-index: the index was changed"
    healed = run(programs, directory, line + " " + SEGMENT)
    # While building, damaged lines are reported with their places, before the answer reports their number.
    if healed[:2] != expected[:2] or not healed[2].endswith(expected[2]):
        return "%r" % (healed,)
    if index.read_bytes() not in (whole, spoiled):
        return "another index was built"
    return None


@pytest.mark.parametrize("part", range(PARTS))
def test_every_byte(checker, programs, quick_place, part):
    index, whole = make(programs, quick_place, LINES.encode(), SEGMENT)
    answers = {line: run(programs, quick_place, line) for line in QUERIES + REPORTS}
    for line, answer in answers.items():
        assert answer[0] == 3 and answer[1], "%s: %s" % (line, answer)
    questions, rebuilt = itertools.cycle(answers), 0
    for at in range(part * len(whole) // PARTS, (part + 1) * len(whole) // PARTS, extent.pick(5, 1)):
        spoiled = bytearray(whole)
        spoiled[at] ^= 1 << at % 8
        line = next(questions)
        fault = judge(programs, quick_place, index, whole, bytes(spoiled), line, answers[line])
        rebuilt += index.read_bytes() == whole
        checker.check("byte %d, %s" % (at, line), fault is None, fault)
    assert rebuilt > 0, "no damage was ever found"


def test_nothing_is_shown_twice(programs, quick_place):
    """What was shown before the damage was found is not shown again; the damage of the index is reported once."""
    told = b"trawl: warning: index file t.index is damaged; building it\n"
    lines = ["%d clk IT (%d) %08x e1a00000 A svc_s : NOP\n" % (i, i, 0x8000 + i % 3 * 4) for i in range(1, 40001)]
    index, whole = make(programs, quick_place, "".join(lines).encode(), "--segment-events=1000")
    for line in "trawl pc t 0x8000", "trawl pc t 0x8004 --format json", "trawl pc t 0x8000 -o out":
        status, out, err = run(programs, quick_place, line)
        expected = (status, out, told + err), (quick_place / "out").exists() and (quick_place / "out").read_bytes()
        segments = [row[0] for row in index_reader.Index(whole).segment_rows]
        for at in segments[len(segments) * 6 // 10], segments[len(segments) * 9 // 10]:
            (quick_place / "out").unlink(missing_ok=True)
            spoiled = bytearray(whole)
            spoiled[at : at + 80] = bytes(80)
            index.write_bytes(spoiled)
            found = run(programs, quick_place, line + " --segment-events=1000")
            files = (quick_place / "out").exists() and (quick_place / "out").read_bytes()
            assert (found, files) == expected, "%s, damaged at %d: other output" % (line, at)
            assert index.read_bytes() == whole, "%s, damaged at %d: not rebuilt" % (line, at)
