"""An index that has every section that an index can have at once, more than its header lists, in all readers and through all rewrites.

    tests/run.py sections
"""

import lzma
import pathlib
import random

import format_traces
import index_reader
import libtrawl
import pytest
import quick
import test_format
from test_overlapping_images import BASE, RET, elf

ROOT = pathlib.Path(__file__).resolve().parents[2]
TASKS = ROOT / "corpus" / "stacks" / "coroutines-a64.it.tarmac.xz"
IMAGE = TASKS.with_name("coroutines-a64.elf")
OPTIONS = ["-q", "--force-index", "--segment-events=256"]
TIMEOUT_S = 120
SEED = 1
LOOP = 725
# Those of other kinds of traces, and of compressed ones.
OTHERS = {index_reader.XRAY, index_reader.TFILE, index_reader.ACCESS_POINTS}


def two_programs(place):
    """Two programs at one address, and a core that executes first one, then the other."""
    images, lines = [], []
    for number in range(2):
        words = [0x91000000 | (number + 1 + 2 * i) << 10 for i in range(8)] + [RET]
        (place / ("p%d.elf" % number)).write_bytes(elf(BASE, {"of_p%d" % number: (0, len(words))}, words))
        images.append("--image=p%d.elf" % number)
        lines += ["%d clk cpu7 IT (9) %08x %08x O EL0t : ADD" % (10 * number + i, BASE + 4 * i, word) for i, word in enumerate(words)]
    return images, lines


def every_kind_of_line(place):
    draw = random.Random(SEED)
    tasks = [line.replace(" clk ", " clk cpu9 ", 1) for line in lzma.decompress(TASKS.read_bytes()).decode().splitlines()]
    images, programs = two_programs(place)
    # So many that a segment has steps by PC, and that the next one begins within what is late.
    loop = ["%d clk cpu4 IT (1) %08x d503201f O EL1h_n : NOP" % (i, 0x8000 + 4 * (i % 8)) for i in range(LOOP)]
    lines = tasks + loop + format_traces.late_trace() + programs
    lines += [line.replace(" clk ", " clk cpu6 ", 1) for line in format_traces.memory_trace(draw, 300)]
    for at, text in enumerate((
        "IT (1) 00008000 d503201f O EL1h_n : NOP", "MW8 0000000000500000:0000091000_NS 0000000000000001",
        "IT (2) 00008004 d503201f O EL1h_n : NOP", "MR8 0000000000500000:0000091000_NS 0000000000000002",
        "IT (3) 00008008 d503201f O EL1h_n : NOP", "R X3 xxxxxxxxxxxxxxxx",
        "IT (4) 00009008 d503201f O EL1h_n : NOP",  # nothing leads here
    )):  # fmt: skip
        lines.append("%d clk cpu5 %s" % (at // 2, text))
    lines += format_traces.cores_trace(draw, events=1500)
    middle = len(lines) // 2
    (place / "t0").write_text("\n".join(lines[:middle]) + "\n")
    (place / "t1").write_text("\n".join(lines[middle:]) + "\n")
    return [f"--image={IMAGE}", *images], ["t0", "--then=t1"]


@pytest.fixture
def made(trawl, place):
    images, traces = every_kind_of_line(place)

    def run(*words):
        done = quick.run([trawl, *words], cwd=place, timeout=TIMEOUT_S)
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    run("index", *OPTIONS, "--index=x", *images, *traces)
    return run, images, traces


def test_all_sections(made, library, place):
    run, _, traces = made
    data = (place / "x").read_bytes()
    ours = index_reader.Index(data)
    missing = set(range(1, index_reader.FORMS + 1)) - {index_reader.FURTHER} - OTHERS - set(ours.sections)
    assert not missing, "the index is without the sections %s" % sorted(missing)
    test_format.check_parts(ours)
    with library.open(place / "x") as theirs:
        test_format.Comparison(ours, theirs, random.Random(SEED)).all()
    run("verify", "--index=x", *traces)


def test_rewrites(made, place):
    """Merged from shards, or with the names replaced, the index has the same sections."""
    run, images, traces = made
    whole = (place / "x").read_bytes()
    parts = ["part%d" % number for number in (1, 2, 3)]
    text = (place / "t0").stat().st_size + (place / "t1").stat().st_size
    cuts = [f"--cut={text * number // 3}" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        run("index", *OPTIONS, f"--shard={number}/3", *cuts, "--index=" + part, *images, *traces)
    run("merge", *parts, "-o", "merged")
    assert (place / "merged").read_bytes() == whole, "the shards make another index"
    # Another name for a function.
    image = place / "p0.elf"
    image.write_bytes(image.read_bytes().replace(b"of_p0", b"is_p0"))
    run("index", "-q", "--index=x", *images, *traces)
    renamed = (place / "x").read_bytes()
    before, after = index_reader.Index(whole), index_reader.Index(renamed)
    test_format.check_parts(after)
    changed = {number for number in before.sections if before.sections[number] != after.sections.get(number)}
    assert changed == {index_reader.SYMBOLS}, "the sections %s changed" % sorted(changed)
    assert b"is_p0" in renamed and b"of_p0" not in renamed


def test_damage(made, library, place):
    """A spoiled list of further sections is refused by both readers, and so is one that an older reader would have to skip."""
    whole = (place / "x").read_bytes()
    header = [index_reader.little(whole[at : at + 4]) for at in range(32, 512, 24)]
    row = 32 + 24 * header.index(index_reader.FURTHER)
    assert whole[row + 4] & 1, "older readers would not refuse it"
    offset, size = (index_reader.little(whole[row + at : row + at + 8]) for at in (8, 16))
    assert offset + size == len(whole)
    chance = random.Random(SEED)
    for at in [offset, offset + 4, len(whole) - 1] + [chance.randrange(offset, len(whole)) for _ in range(20)]:
        spoiled = bytearray(whole)
        spoiled[at] ^= 1 << chance.randrange(8)
        (place / "y").write_bytes(spoiled)
        with pytest.raises(index_reader.Damaged):
            index_reader.Index(bytes(spoiled))
        with pytest.raises(libtrawl.Refused), library.open(place / "y"):
            pass
