"""Asks indexes that contain wrong values with correct checksums.

    tests/run.py lies

Small real indexes are split, one column after the other gets other values, and the index is joined again. The values do not ascend, are
outside of what the directory claims or of what they count, or are claimed to be more than there are bytes for. The targets of tests/fuzz
ask all questions of libtrawl of each index and replay it, in processes with limited time and memory. Some wrong values that once caused
accesses outside of memory are given to the program, which must find the damage. And a new index is checked before it is used.
"""

import os
import pathlib
import random
import struct
import subprocess

import extent
import pytest
import quick
from bounded import run_bounded
from compilers import compilers
from index_draft import STEPS, WIDE, Draft, decode, encode, encode_alike, extremes
from index_reader import IDENTITY, LANES, MASK64, MESSAGES, REGIONS, SEGMENTS, Segment

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
TIMEOUT_S = 600
SEED = 1
BASES = "blocks fp-a32-small lanes one-segment reads recursion-a64-small semihosting-a64-small source-lines forms symbols xray-nested xray-wrap".split()
# The number of changes of each column, and of each kind of container.
LIES_A_COLUMN, CONTAINERS = extent.pick(1, 5), 2
INDEXES_MIN = extent.pick(50, 100)  # of each base
COUNTS = [1 << 20, 1 << 24, 1 << 32, 1 << 45, 1 << 48]


# --- Wrong values ----------------------------------------------------------------------------------


def lies_about(values, draw):
    """Columns with which to replace one that has these values."""
    greatest, count = max(values), len(values)
    claims = extremes(values)
    far = [0, 1, count, greatest + 1, 1 << 24, 1 << 32, 1 << 48, 1 << 63, MASK64 - 7, MASK64]
    place = draw.randrange(count)
    far += [values[place] + step for step in (-1, 1, 7, 26, 64, 336, 2819)]
    for value in {value & MASK64 for value in far}:
        changed = values[:place] + [value] + values[place + 1 :]
        yield encode(changed, WIDE)
        if values[place] != value and claims[place // 1024][0] != claims[place // 1024][1]:
            yield encode(changed, STEPS, claims)
            yield encode(changed, WIDE, claims)
    if len(set(values)) > 1:
        narrow = [(least, min(least + 1, most)) for least, most in claims]
        yield from (encode(values, shape, narrow) for shape in (STEPS, WIDE))
        yield from (encode(values[::-1], shape) for shape in (STEPS, WIDE))
        yield encode(draw.sample(values, count), WIDE)
    yield encode([(value + draw.choice([1, 64, MASK64])) & MASK64 for value in values], WIDE)
    yield encode(values[:-1])
    yield encode(values + [values[-1]], WIDE)
    for value in (0, 1, values[0], greatest, MASK64):
        yield encode_alike(value, count)
        yield encode_alike(value, draw.choice(COUNTS))
    yield encode_alike(values[0], count + 1)


def lies_of_series(data, draw):
    """The same for a part with several columns."""
    columns = decode(data)
    number = draw.randrange(len(columns))
    for lie in lies_about(columns[number], draw):
        yield b"".join(map(encode, columns[:number])) + lie + b"".join(map(encode, columns[number + 1 :]))


def containers(draft):
    """Containers of parts: (name, {number: bytes}, a function to change a part)."""
    for what, several in ("segment", draft.segments), ("checkpoint", draft.checkpoints), ("group", draft.groups):
        for i, parts in enumerate(several):
            yield "%s %d" % (what, i), parts, parts.__setitem__
    for number, parts in draft.sections.items():
        lie = lambda part, data, number=number: draft.lies.__setitem__((number, part), lambda _: data)
        yield "section %d" % number, parts, lie


def lies_together(draft, draw):
    """Columns of equal length that all get the same other length: (name, index)."""
    for name, parts, change in containers(draft):
        before = dict(parts)
        columns = {}
        for number, data in parts.items():
            try:
                values = decode(data)
            except Exception:  # a text
                continue
            if len(values) == 1 and values[0]:
                columns.setdefault(len(values[0]), {})[number] = values[0]
        for length, of_length in columns.items():
            count = draw.choice(COUNTS)
            for number, values in of_length.items():
                change(number, encode_alike(values[0], count))
            yield "%s: %d columns of %d rows claim %d" % (name, len(of_length), length, count), draft.build()
            draft.lies.clear()
            parts.update(before)


def lies_alone(draft, draw):
    """One changed column of the index: (name, index)."""
    seen = {}
    places = list(draft.places())
    draw.shuffle(places)
    for name, is_series, change, data in places:
        kind = (name.split()[0], *name.split()[2:]) if not name.startswith("section") else name
        seen[kind] = seen.get(kind, 0) + 1
        columns = decode(data) if seen[kind] <= CONTAINERS else []
        if not columns or not columns[0]:
            continue
        lies = list(lies_of_series(data, draw) if is_series else lies_about(columns[0], draw))
        for i, lie in enumerate(draw.sample(lies, min(LIES_A_COLUMN, len(lies)))):
            change(lie)
            yield "%s, lie %d" % (name, i), draft.build()
        change(data)
        draft.lies.clear()


def lies_of_base(data, draw):
    yield from lies_alone(Draft(data), draw)
    yield from lies_together(Draft(data), draw)


# --- All questions -------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASES)
def test_all_questions(prefix, place, base):
    """The questions of the targets in tests/fuzz."""
    for target in CORPUS.iterdir():
        (place / target.name).mkdir(parents=True)
    draw, names = random.Random(f"{SEED} {base}"), {}
    for name, data in lies_of_base((CORPUS / "index" / base).read_bytes(), draw):
        number = "%05d" % len(names)
        names[number] = name
        (place / "index" / number).write_bytes(data)
        (place / "replay" / number).write_bytes(bytes([draw.randrange(4)]) + data)
    status, output, _, killed = run_bounded([prefix / "tests" / "trawl-seeds", place], TIMEOUT_S, stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT)
    failed = [line.split("/")[-2:] for line in output.decode().splitlines() if line.startswith("FAILED")]
    assert not killed, "no end"
    assert not failed, "\n".join("%s target, %s" % (target, names[number]) for target, number in failed[:40])
    assert status == 0 and len(names) >= INDEXES_MIN, "%d indexes, status %d" % (len(names), status)


# --- The program ---------------------------------------------------------------------------------

TRACE = """\
1 clk IT (1) 00008000 e3a00006 A svc_s : MOV r0,#6
1 clk R r0 00000006
1 clk R r13_svc 00020000
2 clk IT (2) 00008004 e3a01801 A svc_s : MOV r1,#0x10000
2 clk R r1 00010000
"""
LINES = 40
WORDS = 0x10000 // 8


def trace_lines():
    """Stores to one word after the other, and an unreadable line."""
    lines = [TRACE, "3 clk FOO bar\n"]
    for i in range(LINES):
        pc, time = 0x8008 + 4 * i, 4 + i
        lines.append("%d clk IT (%d) %08x e5810000 A svc_s : STR r0,[r1]\n" % (time, time, pc))
        lines.append("%d clk MW4 %08x %08x\n" % (time, 0x10000 + 8 * i, i))
    return "".join(lines)


def host_call_lines(calls, start, length):
    """Reads of a file by a debug host, all into the same buffer."""
    lines = [TRACE]
    for i, word in enumerate((1, start, length)):
        lines.append("%d clk IT (%d) 00008008 e5810000 A svc_s : STR r0,[r1]\n" % (3 + i, 3 + i))
        lines.append("%d clk MW4 %08x %08x\n" % (3 + i, 0x10000 + 4 * i, word))
    for i in range(calls):
        lines.append("%d clk IT (%d) 00008010 ef123456 A svc_s : SVC #0x123456\n" % (6 + 2 * i, 6 + 2 * i))
        lines.append("%d clk IT (%d) 00008014 eafffffd A svc_s : B 0x8010\n" % (7 + 2 * i, 7 + 2 * i))
    return "".join(lines)


class Program:
    def __init__(self, programs, directory):
        self.trawl, self.directory = programs / "trawl", directory

    def run(self, *words, env=None):
        done = quick.run([self.trawl, *words], cwd=self.directory, timeout=TIMEOUT_S, env=env)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def make(self, text):
        (self.directory / "t").write_text(text)
        status, _, said = self.run("index", "--no-sync", "--force-index", "t")
        assert status in (0, 3), said
        return (self.directory / "t.index").read_bytes()


@pytest.fixture
def program(programs, place):
    return Program(programs, place)


def words_fall(draft):
    words = [WORDS + i for i in range(LINES)]
    draft.segments[0][Segment.WORDS] = encode(words[:3] + [words[4], words[3]] + words[5:], WIDE)


def words_beyond_range(draft):
    words = [WORDS + i for i in range(LINES)]
    draft.segments[0][Segment.WORDS] = encode(words[:3] + [words[0] + 2819] + words[4:], STEPS, extremes(words))


def words_far(draft):
    words = [WORDS + i for i in range(LINES)]
    draft.segments[0][Segment.WORDS] = encode(words[:3] + [words[0] + 26] + words[4:], WIDE)


def words_claim_little(draft):
    words = [WORDS + i for i in range(LINES)]
    draft.segments[0][Segment.WORDS] = encode(words, STEPS, [(words[0], words[7])])


def rows_beyond_events(draft):
    (events,) = decode(draft.segments[0][Segment.RECORD_EVENTS])
    draft.segments[0][Segment.RECORD_EVENTS] = encode(events[:-1] + [MASK64 - 1], WIDE)


def many_messages(draft):
    draft.lies[MESSAGES, 1] = lambda _: encode_alike(0, 1 << 45)


def many_lane_calls(draft):
    (figures,) = decode(draft.sections[LANES][2])
    figures[9] = 1 << 60
    draft.lies[LANES, 2] = lambda _: encode(figures, WIDE)


def many_regions(draft):
    for part, value in (1, 0), (2, 0x20000), (3, 5):
        draft.sections.setdefault(REGIONS, {})[part] = encode_alike(value, 1 << 22)
    draft.flags[REGIONS] = b"\1\0\0\0"


MEMORY = ["state", "t", "--at", "event:20", "--memory", "0x10000:64"]
TOLD = [
    (words_fall, MEMORY),
    (words_beyond_range, MEMORY),
    (words_far, MEMORY),
    (words_claim_little, ["writes", "t", "0x10000:320", "--all"]),
    (rows_beyond_events, ["writes", "t", "0x10000:320", "--all"]),
    (many_messages, ["calltree", "t"]),
    (many_lane_calls, ["stack", "t", "--at", "event:9"]),
    (many_regions, ["state", "t"]),
]


def test_told(program):
    """Damage is detected, and no answer given."""
    whole = program.make(trace_lines())
    index = program.directory / "t.index"
    for lie, question in TOLD:
        index.write_bytes(whole)
        sound = program.run(*question, "--no-index")
        assert sound[0] in (0, 3) and sound[1], "%s: %r" % (question, sound)
        draft = Draft(whole)
        lie(draft)
        index.write_bytes(draft.build())
        status, shown, said = program.run(*question, "--no-index")
        assert status == 1 and not shown and "damaged" in said, "%s: %r" % (lie.__name__, (status, shown, said))
        healed = program.run(*question)
        assert healed[:2] == sound[:2], "%s: %r" % (lie.__name__, healed)


def test_alike(program):
    """Host calls that repeat the same effect take almost no bytes in an index, and are accepted."""
    for calls, start, length in (500, 0x20001, 0xFFE), (500, 0x20000, 0x1000), (3000, 0x20001, 0x7FFFFFE):
        data = program.make(host_call_lines(calls, start, length))
        assert len(data) < 40 * calls, "%d bytes" % len(data)
        status, shown, said = program.run("writes", "t", "%#x:1" % (start + length - 1), "--no-index")
        assert status == 0 and str(2 * calls + 3) in shown.split(), repr((status, shown, said))


# --- Wrongly written indexes ------------------------------------------------------------------------

SPOIL = """\
// Flips a bit of the byte at $SPOIL_AT of files as it is written.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    off64_t at = atoll(getenv("SPOIL_AT"));
    char *copy = malloc(count + 1);
    memcpy(copy, bytes, count);
    if (at >= offset && at - offset < (off64_t)count)
        copy[at - offset] ^= 1;
    ssize_t done = syscall(SYS_pwrite64, fd, copy, count, offset);
    free(copy);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
    return pwrite64(fd, bytes, count, offset);
}
"""


def test_made(program):
    """A new index that cannot be read is not used: nothing is left, and the status shows it."""
    if "asan" in program.trawl.parts:
        return  # its runtime would have to be loaded first
    whole = program.make(trace_lines())
    (program.directory / "t.index").unlink()
    shim = program.directory / "spoil.so"
    (program.directory / "spoil.c").write_text(SPOIL)
    subprocess.run([*compilers()[0], "-shared", "-fPIC", "-o", shim, program.directory / "spoil.c"],
                   check=True)
    left = sorted(program.directory.iterdir())
    sections = [struct.unpack_from("<IIQQ", whole, at) for at in range(32, 512, 24)]
    spoiled = [offset + size - 1 for number, _, offset, size in sections if number in (IDENTITY, SEGMENTS, LANES)]
    for at in [200, *spoiled]:
        surroundings = {"LD_PRELOAD": str(shim), "SPOIL_AT": str(at), "TRAWL_IO": "pwrite"}
        status, shown, said = program.run("index", "--no-sync", "t", env={**os.environ, **surroundings})
        assert status == 1 and "cannot be read" in said, "byte %d: %r" % (at, (status, shown, said))
        assert sorted(program.directory.iterdir()) == left, "byte %d: something is left" % at
