"""Compresses bytes in every way that trawl can read, with other programs."""

import bz2
import gzip
import lzma
import shutil
import struct
import subprocess
import zlib


GZIP_LEVEL = 6  # the default of gzip; Python's default takes several times as long


def by_program(*words):
    def pack(data):
        return subprocess.run(words, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout

    return pack if shutil.which(words[0]) else None


def in_parts(pack, size_bytes):
    """Consecutive streams, frames or members."""
    return pack and (lambda data: b"".join(pack(data[i : i + size_bytes]) for i in range(0, len(data), size_bytes)))


def xz(data, **how):
    """With the dictionary of the default level, but little search: a hundred times as fast."""
    return lzma.compress(data, filters=[{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 8 << 20}], **how)


def times(a, b):
    """The product of two polynomials modulo that of gzip's CRC; the highest bit is that of x^0."""
    product = 0
    for bit in range(31, -1, -1):
        product ^= b if a >> bit & 1 else 0
        b = b >> 1 ^ (0xEDB88320 if b & 1 else 0)
    return product


def repeated(part, count, level=9):
    """One gzip member that contains the same text `count` times, compressed only once."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    body = packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH)  # refers to nothing before it
    shift, square, crc, crc_of_part = 1 << 31, 1 << 23, 0, zlib.crc32(part)  # x^0, x^8
    for bit in range(len(part).bit_length()):
        shift = times(shift, square) if len(part) >> bit & 1 else shift
        square = times(square, square)
    for _ in range(count):
        crc = times(crc, shift) ^ crc_of_part
    head = b"\x1f\x8b\x08" + bytes(7)
    return head + body * count + packer.flush() + struct.pack("<II", crc, len(part) * count & 0xFFFFFFFF)


def bgzf(data, block_bytes=50000):
    """Like bgzip: members that contain their size, and an empty one at the end."""
    out = []
    for start in [*range(0, len(data), block_bytes), len(data)]:
        part = data[start : start + block_bytes]
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = packer.compress(part) + packer.flush()
        head = b"\x1f\x8b\x08\x04" + bytes(5) + b"\xff\x06\x00BC\x02\x00" + struct.pack("<H", len(body) + 25)
        out.append(head + body + struct.pack("<II", zlib.crc32(part), len(part)))
    return b"".join(out)


def gz(data):
    return gzip.compress(data, GZIP_LEVEL)


def named_gzip(data):
    """With all optional fields of a header."""
    body = gz(data)[10:]
    head = b"\x1f\x8b\x08\x1e" + bytes(5) + b"\x03" + struct.pack("<H", 5) + b"extra" + b"name\0" + b"comment\0"
    return head + struct.pack("<H", zlib.crc32(head) & 0xFFFF) + body


def seekable_zstd(pack):
    """Frames, and the table of the seekable format in a skippable frame."""

    def seekable(data):
        frames = [pack(data[i : i + 70000]) for i in range(0, len(data), 70000)]
        sizes = [len(data[i : i + 70000]) for i in range(0, len(data), 70000)]
        table = b"".join(struct.pack("<II", len(frame), size) for frame, size in zip(frames, sizes))
        foot = table + struct.pack("<IBI", len(frames), 0, 0x8F92EAB1)
        return b"".join(frames) + struct.pack("<II", 0x184D2A5E, len(foot)) + foot

    return pack and seekable


def skipped_first(pack):
    """With the beginning of files from pzstd."""
    return pack and (lambda data: struct.pack("<II", 0x184D2A50, 4) + b"pzst" + pack(data))


ZSTD = by_program("zstd", "-qc")

# Each by its name; None if its program is missing.
FORMATS = {
    "gz": gz,
    "stored.gz": lambda data: gzip.compress(data, 0),
    "named.gz": named_gzip,
    "members.gz": in_parts(gz, 30000),
    "padded.gz": lambda data: gz(data) + bytes(1000),
    "pigz.gz": by_program("pigz", "-c"),
    "independent.gz": by_program("pigz", "-i", "-b", "32", "-c"),
    "bgzf": bgzf,
    "padded.bgzf": lambda data: bgzf(data) + bytes(512),  # followed by zeros, as on a tape
    "zst": ZSTD,
    "fast.zst": by_program("zstd", "-qc", "--fast=3", "--no-check"),
    "frames.zst": in_parts(ZSTD, 70000),
    "seekable.zst": seekable_zstd(ZSTD),
    "skipped.zst": skipped_first(ZSTD),
    "xz": xz,
    "blocks.xz": by_program("xz", "-1", "-c", "-T2", "--block-size=65536"),
    "streams.xz": in_parts(xz, 100000),
    "crc32.xz": lambda data: xz(data, check=lzma.CHECK_CRC32) + xz(b""),
    "lz4": by_program("lz4", "-qc"),
    "linked.lz4": by_program("lz4", "-qc", "-B4", "-BD", "-BX", "-9"),
    "blocks.lz4": by_program("lz4", "-qc", "-B4", "-BX"),
    "unchecked.lz4": by_program("lz4", "-qc", "-B5", "--no-frame-crc"),
    "frames.lz4": in_parts(by_program("lz4", "-qc"), 90000),
    "bz2": bz2.compress,
    "small.bz2": lambda data: bz2.compress(data, 1),
    "streams.bz2": in_parts(bz2.compress, 120000),
}
# Formats whose text has checksums, in total or for each block, so that any changed byte is detected.
PLAIN = ("gz", "bgzf", "zst", "frames.zst", "xz", "blocks.xz", "lz4", "blocks.lz4", "bz2", "small.bz2")
