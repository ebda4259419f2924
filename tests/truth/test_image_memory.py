"""Read-only bytes of an image that fits are known memory.

    tests/run.py image_memory

Random images have code, constants and writable data. A random trace of the program loads and stores some of them. A model knows what the
trace shows of each byte; of the others, those in read-only sections that the trace never stores to are those of the image, unless
--no-image-memory is given or the image is of another program.
"""

import random
import re
import struct

import pytest
import quick
from small_elf import HEADER_BYTES, section_header

TIMEOUT_S = 60
SEEDS = 200
CODE, DATA, WRITABLE, BYTES = 0x8000, 0x9000, 0xA000, 32
NAMES = b"\0.text\0.rodata\0.data\0.shstrtab\0"


def image(words, constants, data):
    """An AArch64 image with code, constants and writable data."""
    code = struct.pack("<%dI" % len(words), *words)
    parts = [(1, 6, CODE, code), (7, 2, DATA, constants), (15, 3, WRITABLE, data)]
    body, sections = b"", bytes(64)
    for name, flags, address, contents in parts:
        sections += section_header(name, 1, flags, address, HEADER_BYTES + len(body), len(contents), 0, 0, 4, 0)
        body += contents
    sections += section_header(21, 3, 0, 0, HEADER_BYTES + len(body), len(NAMES), 0, 0, 1, 0)
    body += NAMES
    body = body.ljust((len(body) + 7) & ~7, b"\0")
    header = b"\x7fELF\2\1\1" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, CODE, 0, HEADER_BYTES + len(body), 0, 64, 56, 0, 64, 5, 4)
    return header + body + sections


class Trace:
    def __init__(self, seed):
        chance = self.chance = random.Random(seed)
        self.words = [0xD503201F if chance.random() < 0.5 else 0x91000000 | chance.randrange(1 << 10) for _ in range(16)]
        self.constants = bytes(chance.randrange(256) for _ in range(BYTES))
        self.data = bytes(chance.randrange(256) for _ in range(BYTES))
        self.lines, self.touched = [], {}
        memory = {DATA + i: byte for i, byte in enumerate(self.constants)} | {WRITABLE + i: byte for i, byte in enumerate(self.data)}
        for event in range(16):
            self.lines.append("%d clk IT (%d) %08x %08x O EL1h_n : X" % (event + 1, event + 1, CODE + 4 * event, self.words[event]))
            for _ in range(chance.choice([0, 0, 1])):
                size = chance.choice([1, 2, 4, 8])
                at = chance.choice([DATA, WRITABLE]) + chance.randrange(BYTES // size) * size
                is_load = at < WRITABLE and chance.random() < 0.9
                for byte in range(at, at + size):
                    memory[byte] = memory[byte] if is_load else chance.randrange(256)
                    self.touched.setdefault(byte, []).append((event, is_load, memory[byte]))
                digits = "".join("%02x" % memory[byte] for byte in reversed(range(at, at + size)))
                self.lines.append("%d clk M%s%d %08x %s" % (event + 1, "WR"[is_load], size, at, digits))

    def value(self, at, event, has_image):
        seen = self.touched.get(at, [])
        before = [access for access in seen if access[0] <= event]
        if before:
            return before[-1][2]
        if seen:
            return seen[0][2] if seen[0][1] else None
        is_read_only = has_image and at < WRITABLE
        return self.constants[at - DATA] if is_read_only else None

    def wanted(self, event, has_image):
        return ["%02x" % byte if (byte := self.value(at, event, has_image)) is not None else ".."
                for first in (DATA, WRITABLE) for at in range(first, first + BYTES)]  # fmt: skip


def shown(trawl, place, event, *words):
    words = ["state", "--index=x", *words, "--format=json", "t", "%#x:%d" % (DATA, BYTES), "%#x:%d" % (WRITABLE, BYTES), "--at", "event:%d" % event]
    text = quick.run([trawl, *words], cwd=place, timeout=TIMEOUT_S).stdout.decode()
    return [pair for digits in re.findall(r'"bytes": *"([0-9a-f.]*)"', text) for pair in re.findall("..", digits)]


@pytest.mark.parametrize("part", range(4))
def test_image_memory(trawl, checker, quick_place, part):
    for seed in range(part, SEEDS, 4):
        trace = Trace(seed)
        (quick_place / "t").write_text("\n".join(trace.lines) + "\n")
        (quick_place / "p.elf").write_bytes(image(trace.words, trace.constants, trace.data))
        other = image([word ^ 0x1F for word in trace.words], bytes(BYTES), trace.data)
        (quick_place / "other.elf").write_bytes(other)
        event = trace.chance.randrange(16)
        cases = [(True, ["--image", "p.elf"]), (False, ["--image", "p.elf", "--no-image-memory"]), (False, ["--image", "other.elf"]), (False, [])]
        for has_image, words in cases if seed % 10 == 0 else cases[:1]:
            found, wanted = shown(trawl, quick_place, event, *words), trace.wanted(event, has_image)
            checker.check("seed %d %s" % (seed, words), found == wanted, "%s, not %s" % (found, wanted))


def test_text(trawl, quick_place):
    """The report says which bytes are of the image."""
    trace = Trace(1)
    trace.lines = [line for line in trace.lines if " IT " in line]
    (quick_place / "t").write_text("\n".join(trace.lines) + "\n")
    (quick_place / "p.elf").write_bytes(image(trace.words, trace.constants, trace.data))
    text = quick.run([trawl, "state", "--index=x", "--image=p.elf", "t", "0x9000:40"], cwd=quick_place, timeout=TIMEOUT_S).stdout.decode()
    assert "0x9000:32 are not in the trace, but in the image" in text, text
