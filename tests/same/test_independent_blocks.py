"""gzip members with marks of independent blocks, as `pigz -i` writes them: their parts are decompressed independently, and the result is
the text of the member, also if marks are wrong, the checksum is wrong, or other data follows.

    tests/run.py independent_blocks
"""

import functools
import random
import re
import zlib

import pytest
import quick
from packed import FORMATS
from test_access_points import section

TIMEOUT_S = 120
EMPTY = b"\x00\x00\x00\xff\xff"
MARK = b"\x00\x00\xff\xff" + EMPTY
BLOCK_BYTES = 100_000
HEAD = b"\x1f\x8b\x08\x00" + bytes(5) + b"\x03"
FAULT = re.compile(rb"t: the compressed data (.*) at byte (\d+); the trace is read up to byte (\d+) of its text\n")


def make_text(size_bytes, seed=1):
    """Lines of random numbers, which compress to a third."""
    draw, lines, size = random.Random(seed), [], 0
    while size < size_bytes:
        lines.append(b"%d clk R r0 %032x\n" % (len(lines), draw.getrandbits(128)))
        size += len(lines[-1])
    return b"".join(lines)


TEXT = make_text(6_000_000)


def trailer(text):
    return zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFFFFFF).to_bytes(4, "little")


@functools.cache
def member(text, refers_back=(), level=1):
    """Blocks with a mark between them; after those whose numbers are in `refers_back`, the next block refers to text before its mark."""
    packer, out = zlib.compressobj(level, zlib.DEFLATED, -15), [HEAD]
    for number, start in enumerate(range(0, len(text), BLOCK_BYTES)):
        if number:
            out.append(packer.flush(zlib.Z_SYNC_FLUSH if number - 1 in refers_back else zlib.Z_FULL_FLUSH) + EMPTY)
        out.append(packer.compress(text[start : start + BLOCK_BYTES]))
    return b"".join(out) + packer.flush() + trailer(text)


def told(trawl, folder, packed, *options):
    """Status, text and message of a command that reads all lines."""
    (folder / "t").write_bytes(packed)
    done = quick.run([trawl, "grep", *options, "t", "."], folder, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def whole(trawl, tmp_path):
    """The result for the uncompressed text."""
    return told(trawl, tmp_path, TEXT)


def check(trawl, folder, packed, whole):
    for threads in ("1", "2", "5"):
        assert told(trawl, folder, packed, "--threads", threads) == whole, threads


def test_marks_are_there():
    assert member(TEXT).count(MARK) == (len(TEXT) - 1) // BLOCK_BYTES
    assert len(member(TEXT)) > 8 * 256 * 1024
    if FORMATS["independent.gz"]:
        packed = FORMATS["independent.gz"](TEXT)
        assert packed.count(MARK) > 20


def test_text_is_that_of_the_member(trawl, tmp_path, whole):
    check(trawl, tmp_path, member(TEXT), whole)
    if FORMATS["independent.gz"]:
        check(trawl, tmp_path, FORMATS["independent.gz"](TEXT), whole)


@pytest.mark.parametrize("level", [0, 6, 9])
def test_levels(trawl, tmp_path, whole, level):
    check(trawl, tmp_path, member(TEXT, level=level), whole)


@pytest.mark.parametrize("refers_back", [range(100), (30,), (55, 58), (1,)])
def test_marks_that_lie(trawl, tmp_path, whole, refers_back):
    """The data after these marks needs text from before them, which is only detected when it is used."""
    check(trawl, tmp_path, member(TEXT, refers_back), whole)


def test_marks_by_chance(trawl, tmp_path):
    """In the middle of stored blocks, where nothing begins, even if it could be read as a block."""
    step, text = 70_000, bytearray(TEXT)
    for at in range(step, len(text), step):
        what = MARK + b"\x00" + (40_000).to_bytes(2, "little") + (65_535 - 40_000).to_bytes(2, "little")
        text[at : at + len(what)] = what
    text = bytes(text)
    packer = zlib.compressobj(0, zlib.DEFLATED, -15)
    packed = HEAD + packer.compress(text) + packer.flush() + trailer(text)
    assert packed.count(MARK) > 50
    right = told(trawl, tmp_path, text)
    assert right[0] == 0 and len(right[1]) > len(TEXT) / 2
    check(trawl, tmp_path, packed, right)


def test_more_than_a_member(trawl, tmp_path, whole):
    """Zeros, and further members, some with marks and some without."""
    half = len(TEXT) // 2
    plain = zlib.compressobj(6, zlib.DEFLATED, 31)
    last = plain.compress(TEXT[half:]) + plain.flush()
    for packed in (member(TEXT) + bytes(1000), member(TEXT[:half]) + member(TEXT[half:]), member(TEXT[:half]) + last,
                   member(TEXT) + member(b""), member(TEXT) + bytes(8)):
        check(trawl, tmp_path, packed, whole)


def fault_of(answer):
    found = FAULT.search(answer[2])
    assert answer[0] == 3 and found, answer[2]
    return found[1], int(found[2]), int(found[3])


def test_faults_are_those_of_the_whole(trawl, tmp_path):
    """A wrong checksum or length, data that follows, and truncation are reported as without marks."""
    packed = member(TEXT)
    for at in (len(packed) - 8, len(packed) - 1):
        wrong = bytearray(packed)
        wrong[at] ^= 1
        assert fault_of(told(trawl, tmp_path, wrong))[::2] == (b"have a wrong checksum", len(TEXT))
    assert fault_of(told(trawl, tmp_path, packed + b"garbage!"))[::2] == (b"are followed by something else", len(TEXT))
    draw = random.Random(3)
    for at in [len(packed) - 4, *(draw.randrange(len(packed) // 2, len(packed)) for _ in range(6))]:
        text, fault = zlib.decompressobj(-15).decompress(packed[len(HEAD) : at]), fault_of(told(trawl, tmp_path, packed[:at]))
        assert fault[0] == b"are truncated" and fault[2] == len(text), (at, fault)


def test_damage_is_noticed(trawl, tmp_path, whole):
    """Damage anywhere is detected, and no text before it is lost."""
    packed, draw = member(TEXT), random.Random(4)
    for _ in range(8):
        at = draw.randrange(len(packed) // 8, len(packed) - 8)
        wrong = bytearray(packed)
        wrong[at] ^= 1 << draw.randrange(8)
        answer = told(trawl, tmp_path, wrong)
        reason, packed_byte, _ = fault_of(answer)
        assert reason in (b"are damaged", b"have a wrong checksum", b"are truncated"), reason
        sound = zlib.decompressobj(-15).decompress(packed[len(HEAD) : at - 1000])
        kept = sound[: sound.rfind(b"\n")]
        assert answer[1][: len(kept)] == whole[1][: len(kept)], at


@pytest.mark.parametrize("last_bytes", [0, 1, 50_000, 99_999])
def test_parts_are_places_to_begin(trawl, tmp_path, last_bytes):
    """Also if everything is read block by block, as for building an index; the end is a part of a block."""
    text = TEXT[: len(TEXT) // BLOCK_BYTES * BLOCK_BYTES - BLOCK_BYTES + last_bytes]
    text = text[: text.rfind(b"\n") + 1] if last_bytes > 1 else text
    makers = [member] + [pack for pack in [FORMATS["independent.gz"]] if pack]
    for make in makers:
        (tmp_path / "t").write_bytes(make(text))
        assert quick.run([trawl, "index", "--force-index", "t"], tmp_path, timeout=TIMEOUT_S).returncode in (0, 3)
        assert section((tmp_path / "t.index").read_bytes())
        shown = quick.run([trawl, "show", "--at", "line:70000", "t"], tmp_path, timeout=TIMEOUT_S)
        assert shown.returncode == 0 and text.split(b"\n")[69999] in shown.stdout
