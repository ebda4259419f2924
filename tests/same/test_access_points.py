"""The access points of compressed traces: text shown with an index is that of the uncompressed trace, at any place; only what is
necessary is decompressed; and damaged places are detected.
"""

import functools
import lzma
import os
import random
import re
import struct
from pathlib import Path

import pytest
import quick
import xxh3
from extent import pick
from packed import FORMATS, gz

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120
ACCESS_POINTS = 18
TRACE_BYTES = 5_000_000  # with access points some 2 MB apart
PIECES_BYTES = 7_000_000  # so that each of three pieces has places that no fingerprint covers
LINE = re.compile(rb"(?m)^(\d+)( )")
# Those that consist of one frame or block have places up to which text is checked, but decompression can only start at the beginning.
KINDS = ("gz", "members.gz", "independent.gz", "bgzf", "seekable.zst", "blocks.xz", "lz4", "blocks.lz4", "bz2", "zst", "xz", "linked.lz4")
HERE = [pytest.param(kind, marks=() if FORMATS[kind] else pytest.mark.skip("its program is not here")) for kind in KINDS]


@functools.cache
def make_trace(size_bytes):
    """A trace of the corpus repeatedly, with ascending times, and digits that limit its compression."""
    part = lzma.decompress((ROOT / "corpus/stacks/coroutines-a64.it.tarmac.xz").read_bytes())
    last = max(int(time) for time, _ in LINE.findall(part)) + 1
    text, start = b"", 0
    while len(text) < size_bytes:
        text += LINE.sub(lambda match: b"%d%s" % (int(match[1]) + start, match[2]), part)
        start += last
    return text


@pytest.fixture(scope="session")
def trace():
    return make_trace(TRACE_BYTES)


def run(trawl, folder, *words):
    done = quick.run([trawl, *words], folder, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


def folders(tmp_path, plain, packed):
    for name, data in (("plain", plain), ("packed", packed)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t").write_bytes(data)
    return tmp_path / "plain", tmp_path / "packed"


def section(index, number=ACCESS_POINTS):
    """The section's place in an index: (offset, bytes), or None."""
    for at in range(32, 32 + 24 * struct.unpack_from("<I", index, 24)[0], 24):
        found, _, offset, size = struct.unpack_from("<IIQQ", index, at)
        if found == number:
            return offset, size
    return None


def questions(draw, events):
    for _ in range(4):
        yield "show", "--at", f"event:{draw.randrange(events)}", "t"
    yield "show", "--at", "event:0", "--context", "0", "t"
    yield "show", "--at", f"event:{events - 1}", "--context", "100", "t"
    yield "state", "--at", f"event:{draw.randrange(events)}", "t"
    yield "writes", "--context", "2", "--last", "30", "t", "x19"
    for _ in range(3):
        yield "show", "--at", f"line:{draw.randrange(1, events)}", "--context", "3", "t"
        yield "show", "--at", f"byte:{draw.randrange(TRACE_BYTES)}", "t"
    yield "show", "--at", "start", "t"
    yield "show", "--at", "end", "t"
    yield "show", "--at", "line:1", "--format", "csv", "t"
    yield "callinfo", "--context", "1", "t", "0x80610"


def refused():
    yield "show", "--at", "line:99999999", "t"
    yield "show", "--at", "byte:99999999", "t"


@pytest.mark.parametrize("kind", HERE)
def test_text_is_that_of_the_plain_trace(trawl, tmp_path, trace, kind):
    plain, packed = folders(tmp_path, trace, FORMATS[kind](trace))
    for folder in (plain, packed):
        assert run(trawl, folder, "index", "t")[0] == 0
    index = (packed / "t.index").read_bytes()
    place = section(index)
    assert place
    assert not section((plain / "t.index").read_bytes())
    events = int(re.search(rb"(?m)^events +(\d+)$", run(trawl, plain, "info", "t")[1])[1])
    draw = random.Random(kind)
    asked = list(questions(draw, events))
    for words in pick(draw.sample(asked, len(asked) // 2), asked):
        right = run(trawl, plain, *words)
        assert right[0] == 0 and right[1], right
        assert run(trawl, packed, *words) == right, words
    for words in refused():
        right = run(trawl, plain, *words)
        assert right[0] == 1 and run(trawl, packed, *words) == right, words
    assert place[1] <= (packed / "t").stat().st_size / 50
    assert run(trawl, packed, "verify", "t")[0] == 0
    # The index is the same for any number of threads.
    for threads in pick(("3",), ("1", "3")):
        assert run(trawl, packed, "index", "--force-index", "--threads", threads, "--chunk-size", "100000", "t")[0] == 0
        assert (packed / "t.index").read_bytes() == index, threads


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def last_part(index):
    """The text of the last part of the section: its checksum, and its position."""
    offset, size = section(index)
    count, at = varint(index, offset + 4)
    for _ in range(count):
        number, at = varint(index, at)
        part_bytes, at = varint(index, at)
    assert number == 7
    return offset + size - part_bytes, offset + size


def damage_unseen(path, share):
    """Changes a byte at this fraction of a file, without an effect on its fingerprint."""
    data, times = bytearray(path.read_bytes()), path.stat()
    assert len(data) > 300_000
    pages = {(len(data) - 4096) * i // 63 // 4096 * 4096 for i in range(64)}
    at = next(at for at in range(int(len(data) * share), len(data)) if all(not page <= at < page + 4096 for page in pages))
    data[at] ^= 0x55
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_only_what_is_shown_is_decompressed(trawl, tmp_path, trace):
    """Damage elsewhere is not found: a byte without an effect on the fingerprint, in a file that is not read completely."""
    plain, packed = folders(tmp_path, trace, gz(trace))
    for folder in (plain, packed):
        assert run(trawl, folder, "index", "t")[0] == 0
    damage_unseen(packed / "t", 1 / 4)
    words = ("show", "--at", "time:50000", "--context", "20", "t")
    assert run(trawl, packed, *words) == run(trawl, plain, *words)
    status, _, err = run(trawl, packed, "grep", "-c", "t", "STR")
    assert status == 3 and b"compressed data" in err


def test_a_line_is_found_without_all_before_it(trawl, tmp_path, trace):
    """With the index: text before the line is damaged, without an effect on the fingerprint."""
    plain, packed = folders(tmp_path, trace, gz(trace))
    for folder in (plain, packed):
        assert run(trawl, folder, "index", "t")[0] == 0
    damage_unseen(packed / "t", 1 / 4)
    lines = trace.count(b"\n")
    for at in (f"line:{lines - 100}", f"byte:{len(trace) - 5000}", "end"):
        right = run(trawl, plain, "show", "--at", at, "t")
        assert right[0] == 0 and run(trawl, packed, "show", "--at", at, "t") == right, at
    # If that text is to be shown, the file is read from its beginning, and the change is detected.
    status, _, err = run(trawl, packed, "show", "--at", "byte:0", "--context", "100000", "t")
    assert status == 1 and b"is not the trace that its index was built from" in err


@pytest.mark.parametrize("kind", HERE)
def test_damage_that_leaves_the_size_is_noticed(trawl, tmp_path, trace, kind):
    """For a file that is read completely because a part of it has changed: its own checksum detects the damage, wherever it is."""
    plain, packed = folders(tmp_path, trace, FORMATS[kind](trace))
    assert run(trawl, packed, "index", "t")[0] == 0
    right = run(trawl, plain, "show", "--at", "byte:0", "--context", "100000", "t")[1]
    sound = (packed / "t").read_bytes()
    times = (packed / "t").stat()
    for eighth in pick(random.Random(kind).sample(range(1, 6), 1), range(1, 6)):
        (packed / "t").write_bytes(sound)
        os.utime(packed / "t", ns=(times.st_atime_ns, times.st_mtime_ns))
        damage_unseen(packed / "t", eighth / 8)
        status, out, err = run(trawl, packed, "show", "--at", "byte:0", "--context", "100000", "t")
        is_noticed = status == 1 and b"is not the trace that its index was built from" in err
        assert is_noticed or out == right, (eighth, status, err, len(out))


# The compression of each piece of a trace; None: uncompressed.
PIECES = ("gz", None, "zst", "bgzf", "bz2", None, "xz", "lz4")


def in_pieces(folder, text, kinds):
    """The names of the files, in order; pieces end inside lines."""
    folder.mkdir(exist_ok=True)
    step = len(text) // len(kinds) + 1
    for number, kind in enumerate(kinds):
        piece = text[number * step : (number + 1) * step]
        (folder / f"p.{number}").write_bytes(FORMATS[kind](piece) if kind else piece)
    return [f"p.{number}" for number in range(len(kinds))]


def of_pieces(trawl, folder, names, command, *rest):
    return run(trawl, folder, command, names[0], *rest, *(word for name in names[1:] for word in ("--then", name)))


def about_pieces(events, lines, text_bytes):
    for event in (0, events // 3, events // 2, events - 1):
        yield "show", "--at", f"event:{event}", "--context", "3"
    for line in (1, lines // 2, lines):
        yield "show", "--at", f"line:{line}"
    for number in range(len(PIECES)):
        yield "show", "--at", f"byte:{min(text_bytes - 1, number * (text_bytes // len(PIECES) + 1))}", "--format", "csv"
        yield "state", "--at", f"p.{number}:5"
    yield "writes", "--context", "1", "--last", "40", "x19"
    yield "grep", "-c", "STR"
    yield ("info",)


def places_of_files(answer):
    """From `info`: the line and byte of the text where each file begins."""
    return answer[0], [line.split()[-2:] for line in answer[1].splitlines() if line.startswith(b"p.")]


def test_pieces_of_a_trace_are_begun_inside(trawl, tmp_path, trace):
    kinds = [kind if kind and FORMATS[kind] else None for kind in PIECES]
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    in_pieces(plain, trace, [None] * len(kinds))
    names = in_pieces(packed, trace, kinds)
    for folder in (plain, packed):
        assert of_pieces(trawl, folder, names, "index", "--quiet")[0] == 0
    index = (packed / "p.0.files.index").read_bytes()
    assert section(index) and not section((plain / "p.0.files.index").read_bytes())
    assert of_pieces(trawl, packed, names, "verify")[0] == 0
    events = int(re.search(rb"(?m)^events +(\d+)$", of_pieces(trawl, plain, names, "info")[1])[1])
    for words in about_pieces(events, trace.count(b"\n"), len(trace)):
        right, got = of_pieces(trawl, plain, names, *words), of_pieces(trawl, packed, names, *words)
        if words == ("info",):
            right, got = places_of_files(right), places_of_files(got)
            assert len(right[1]) == len(names)
        assert right[0] == 0 and got == right, words
    for threads in ("1", "3"):
        assert of_pieces(trawl, packed, names, "index", "--force-index", "--threads", threads, "--chunk-size", "100000", "--quiet")[0] == 0
        assert (packed / "p.0.files.index").read_bytes() == index, threads


def test_only_the_piece_that_is_shown_is_decompressed(trawl, tmp_path):
    """Other pieces are damaged without an effect on their fingerprints; the damage is detected when it is read."""
    trace = make_trace(PIECES_BYTES)
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    kinds = ["gz", "gz", "bgzf"]
    in_pieces(plain, trace, [None] * 3)
    names = in_pieces(packed, trace, kinds)
    for folder in (plain, packed):
        assert of_pieces(trawl, folder, names, "index", "--quiet")[0] == 0
    for name in ("p.0", "p.2"):
        damage_unseen(packed / name, 1 / 3)
    words = ("show", "--at", f"byte:{len(trace) // 2}", "--context", "30")
    assert of_pieces(trawl, packed, names, *words) == of_pieces(trawl, plain, names, *words)
    status, _, err = of_pieces(trawl, packed, names, "show", "--at", f"byte:{len(trace) // 7}", "--context", "20000")
    assert status == 1 and b"p.0: is not the trace that its index was built from" in err


def test_windows_that_are_damaged_are_noticed(trawl, tmp_path, trace):
    plain, packed = folders(tmp_path, trace, gz(trace))
    for folder in (plain, packed):
        assert run(trawl, folder, "index", "t")[0] == 0
    sound = (packed / "t.index").read_bytes()
    start, end = last_part(sound)
    words = ("show", "--at", "time:50000", "--context", "2000", "t")
    right = run(trawl, plain, *words)
    draw = random.Random(1)
    for has_check in (True, False):
        for _ in range(4):
            index = bytearray(sound)
            for at in draw.sample(range(start + 4, end), 40):
                index[at] ^= 1 << draw.randrange(8)
            if has_check:  # as if it had been written so
                index[start : start + 4] = struct.pack("<I", xxh3.hash64(bytes(index[start + 4 : end])) & 0xFFFFFFFF)
            (packed / "t.index").write_bytes(index)
            assert run(trawl, packed, *words) == right
