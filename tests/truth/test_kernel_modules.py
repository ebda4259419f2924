"""Modules of a kernel: relocatable files, whose code the kernel has put somewhere.

    tests/run.py kernel_modules

A module made here, with code in several sections, data, a branch that is relocated, and line numbers' worth of nothing: its functions have
their names wherever the trace shows its instructions, or where the user says that it is; what is in other regions has none.
"""

import csv
import io
import random
import struct

import pytest
import quick

TIMEOUT_S = 60
CALL26, NOP, RET = 283, 0xD503201F, 0xD65F03C0
TEXT, EXIT = 0x100, 0x80  # bytes of the sections of code that stay: .text and, aligned to 32, .exit.text


def section(name, kind, flags=0, at=0, size=0, link=0, info=0, align=1, each=0):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, 0, at, size, link, info, align, each)


def module(words, exit_words, init_words):
    """The file: .text with f0 and f1, .exit.text with bye, .init.text with hello, .data with table. f1 begins with a call of bye."""
    names = b"\0.text\0.init.text\0.data\0.exit.text\0.gnu.linkonce.this_module\0.symtab\0.strtab\0.shstrtab\0.rela.text\0"
    at = lambda name: names.index(b"\0" + name + b"\0") + 1  # noqa: E731
    strings = b"\0f0\0f1\0bye\0hello\0table\0"
    of = lambda name: strings.index(b"\0" + name + b"\0") + 1  # noqa: E731
    code = b"".join(struct.pack("<I", word) for word in words)
    leaving = b"".join(struct.pack("<I", word) for word in exit_words)
    starting = b"".join(struct.pack("<I", word) for word in init_words)
    symbols = [(0, 0, 0, 0, 0), (of(b"f0"), 0x12, 1, 0, 0x80), (of(b"f1"), 0x12, 1, 0x80, 0x80), (of(b"bye"), 0x12, 4, 0, EXIT),
               (of(b"hello"), 0x12, 2, 0, 0x40), (of(b"table"), 0x11, 3, 0x10, 0x40)]  # fmt: skip
    table = b"".join(struct.pack("<IBBHQQ", name, info, 0, number, value, size) for name, info, number, value, size in symbols)
    relocation = struct.pack("<QQq", 0x80, 3 << 32 | CALL26, 0)
    parts = [code, starting, b"\1" * 0x80, leaving, b"\2" * 64, table, strings, names, relocation]
    kinds = [(at(b".text"), 1, 6, 32, 0, 0, 0), (at(b".init.text"), 1, 6, 8, 0, 0, 0), (at(b".data"), 1, 3, 8, 0, 0, 0), (at(b".exit.text"), 1, 6, 32, 0, 0, 0),
             (at(b".gnu.linkonce.this_module"), 1, 3, 64, 0, 0, 0), (at(b".symtab"), 2, 0, 8, 7, 1, 24), (at(b".strtab"), 3, 0, 1, 0, 0, 0),
             (at(b".shstrtab"), 3, 0, 1, 0, 0, 0), (at(b".rela.text"), 4, 0, 8, 6, 1, 24)]  # fmt: skip
    headers, body, offset = [section(0, 0)], b"", 64
    for part, (name, kind, flags, align, link, info, each) in zip(parts, kinds, strict=True):
        pad = -offset % 64
        body += b"\0" * pad
        offset += pad
        headers.append(section(name, kind, flags, offset, len(part), link, info, align, each))
        body += part
        offset += len(part)
    pad = -offset % 8
    header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 1, 183, 1, 0, 0, offset + pad, 0, 64, 0, 0, 64, len(headers), 8)
    return header + body + b"\0" * pad + b"".join(headers)


def run(*words):
    done = quick.run([str(word) for word in words], text=True, timeout=TIMEOUT_S)
    assert done.returncode in (0, 3), f"{words}: status {done.returncode}: {done.stderr[:300]}"
    return done.stdout, done.stderr


@pytest.mark.parametrize("seed", range(10))
def test_functions_have_their_names(checker, place, seed):
    chance = random.Random(seed)
    add = lambda: 0x91000000 | chance.randrange(4096) << 10 | chance.randrange(31) << 5 | chance.randrange(31)  # noqa: E731
    words = [add() for _ in range(TEXT // 4)]
    leaving, starting = [add() for _ in range(EXIT // 4)], [add() for _ in range(16)]
    words[0x20] = 0x94000000
    for code in (words, leaving, starting):
        code[-1] = RET
    words[0x1F] = RET
    (place / "m.ko").write_bytes(module(words, leaving, starting))
    base = 0xFFFF80007A000000 + chance.randrange(256) * 4096
    loaded = [*words, *leaving]
    loaded[0x20] |= (TEXT - 0x80) // 4
    lines, time = [f"0 clk R SP_EL1 {0xFFFF800080000000:016x}"], 0

    def step(pc, word, *more):
        nonlocal time
        time += 1
        lines.extend([f"{time} clk IT ({time}) {pc:016x} {word:08x} O EL1h_n : X", *[f"{time} clk {line}" for line in more]])

    init = base + 0x200000
    for at, word in enumerate(starting[:-1]):  # inserted: the code that runs once is elsewhere
        step(init + 4 * at, word)
    kernel, back = 0xFFFF800080010000, 0
    for start, count in ((0, 0x20), (0x80, 0x20)):
        back = kernel + 4
        step(kernel, 0xD63F0000, f"R X30 {back:016x}")
        for at in range(count):
            pc, word = base + start + 4 * at, loaded[start // 4 + at]
            if word >> 26 == 0x25:  # f1 calls bye, all of which runs
                step(pc, word, f"R X30 {pc + 4:016x}")
                for inside in range(EXIT // 4):
                    step(base + TEXT + 4 * inside, loaded[TEXT // 4 + inside])
            elif word == RET:
                step(pc, word)
            else:
                step(pc, word)
        kernel = back
        step(kernel, NOP)
        kernel += 4
    step(kernel, NOP)
    path = place / "t.tarmac"
    path.write_text("\n".join(lines) + "\n")
    for image in (place / "m.ko", f"{place / 'm.ko'}@{base:#x}"):
        out, said = run(checker.trawl, "profile", "--format", "csv", "--image", image, path)
        found = {row["function"]: (int(row["address"], 16), int(row["calls"])) for row in csv.DictReader(io.StringIO(out)) if row["function"]}
        wanted = {"f0": base, "f1": base + 0x80, "bye": base + TEXT}
        checker.check(f"seed {seed}, {str(image)[-24:]}", {name: at for name, (at, _) in found.items()} == wanted and
                      all(calls == 1 for _, calls in found.values()), (found, wanted, said))  # fmt: skip
        checker.check(f"seed {seed}, no warning", "warning" not in said, said)


def test_damaged_modules(checker, place):
    """A module with any wrong byte is laid out, refused or read otherwise, and nothing else."""
    chance = random.Random(5)
    whole = module([NOP] * (TEXT // 4), [NOP] * (EXIT // 4), [NOP] * 16)
    path = place / "t.tarmac"
    path.write_text("1 clk IT (1) ffff80007a000000 d503201f O EL1h_n : NOP\n")
    for number in range(150):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            at = chance.choice([chance.randrange(64), chance.randrange(len(data) - 640, len(data)), chance.randrange(len(data))])
            data[at] = chance.choice([0, 1, 0x7F, 0xFF, chance.randrange(256)])
        (place / "m.ko").write_bytes(data[: chance.choice([len(data), len(data), chance.randrange(len(data))])])
        done = quick.run([str(checker.trawl), "profile", "--image", str(place / "m.ko"), str(path)], text=True, timeout=TIMEOUT_S)
        checker.check(f"damage {number}", done.returncode in (0, 1, 3), (done.returncode, done.stderr[-200:]))
