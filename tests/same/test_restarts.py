"""The restart points of compressed traces: text shown by an index is that of the plain trace, wherever it is; what
does not have to be decompressed for it is not; and points that are damaged are noticed.
"""

import gzip
import lzma
import os
import random
import re
import struct
from pathlib import Path

import pytest
import quick
import xxh3
from packed import FORMATS

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120
RESTARTS = 18
LINE = re.compile(rb"(?m)^(\d+)( )")
# Those that are one member, frame or block have no points but the beginning, but for gzip.
WITH_POINTS = ("gz", "members.gz", "bgzf", "seekable.zst", "blocks.xz", "lz4", "blocks.lz4", "bz2")
WITHOUT = ("zst", "xz", "linked.lz4")


def make_trace(size_bytes):
    """A trace of the corpus again and again, with times that rise, and digits that keep it from packing too well."""
    part = lzma.decompress((ROOT / "corpus/stacks/coroutines-a64.it.tarmac.xz").read_bytes())
    last = max(int(time) for time, _ in LINE.findall(part)) + 1
    text, start = b"", 0
    while len(text) < size_bytes:
        text += LINE.sub(lambda match: b"%d%s" % (int(match[1]) + start, match[2]), part)
        start += last
    return text


@pytest.fixture(scope="session")
def trace():
    return make_trace(9_000_000)


def run(trawl, folder, *words):
    done = quick.run([trawl, *words], cwd=folder, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="session")
def plain(trawl, trace, tmp_path_factory):
    """A folder with the plain trace `t` and its index."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "t").write_bytes(trace)
    assert run(trawl, folder, "index", "t")[0] == 0
    return folder


def packed_folder(trawl, tmp_path, data):
    """A folder with `t` that is compressed, and its index."""
    (tmp_path / "t").write_bytes(data)
    assert run(trawl, tmp_path, "index", "t")[0] == 0
    return tmp_path


def section(index, number=RESTARTS):
    """Where the section is in an index: (offset, bytes), or None."""
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


@pytest.mark.parametrize("kind", WITH_POINTS + WITHOUT)
def test_text_is_that_of_the_plain_trace(trawl, tmp_path, trace, plain, kind):
    if not FORMATS[kind]:
        pytest.skip("its program is not here")
    packed = packed_folder(trawl, tmp_path, FORMATS[kind](trace))
    index = (packed / "t.index").read_bytes()
    place = section(index)
    assert (place is not None) == (kind in WITH_POINTS)
    assert not section((plain / "t.index").read_bytes())
    events = int(re.search(rb"(?m)^events +(\d+)$", run(trawl, plain, "info", "t")[1])[1])
    for words in questions(random.Random(kind), events):
        right = run(trawl, plain, *words)
        assert right[0] == 0 and right[1], right
        assert run(trawl, packed, *words) == right, words
    if not place:
        return
    assert place[1] <= (packed / "t").stat().st_size / 50
    assert run(trawl, packed, "verify", "t")[0] == 0
    # The same index whoever reads the trace.
    for threads in ("1", "3"):
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
    """The text of the last part of the section: its check, and where it is."""
    offset, size = section(index)
    count, at = varint(index, offset + 4)
    for _ in range(count):
        number, at = varint(index, at)
        part_bytes, at = varint(index, at)
    assert number == 7
    return offset + size - part_bytes, offset + size


def test_only_what_is_shown_is_decompressed(trawl, tmp_path, trace, plain):
    """Damage anywhere else is not met: a byte that no fingerprint sees, in a file that is not read as a whole."""
    packed = packed_folder(trawl, tmp_path, gzip.compress(trace))
    path = packed / "t"
    data, times = bytearray(path.read_bytes()), path.stat()
    assert len(data) > 600_000
    pages = {(len(data) - 4096) * i // 63 // 4096 * 4096 for i in range(64)}
    at = next(at for at in range(len(data) // 4, len(data)) if all(not page <= at < page + 4096 for page in pages))
    data[at] ^= 0x55
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    words = ("show", "--at", "time:50000", "--context", "20", "t")
    assert run(trawl, packed, *words) == run(trawl, plain, *words)
    status, _, err = run(trawl, packed, "grep", "-c", "t", "STR")
    assert status == 3 and b"compressed data" in err


def test_windows_that_are_damaged_are_noticed(trawl, tmp_path, trace, plain):
    packed = packed_folder(trawl, tmp_path, gzip.compress(trace))
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
            if has_check:  # as if it was written so
                index[start : start + 4] = struct.pack("<I", xxh3.hash64(bytes(index[start + 4 : end])) & 0xFFFFFFFF)
            (packed / "t.index").write_bytes(index)
            assert run(trawl, packed, *words) == right
