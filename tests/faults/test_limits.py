"""Extreme numbers: times, addresses and sizes at the ends of 64 bits, counts in images for which no file has room, more cores than are
distinguished, millions of open calls and functions.

    tests/run.py [--thorough] limits

--thorough, which takes about an hour: 10 million open calls, a million functions, and 2^32 lines and events through a pipe.
"""

import os
import re
import shutil
import struct
import subprocess
import time
from pathlib import Path

import extent
import pytest
import quick
import small_elf
from bounded import within
from checker import Checker
from hard_traces import branch_with_link

ROOT = Path(__file__).resolve().parents[2]
CPU_S, TIMEOUT_S = 20, 120
FULL_CPU_S = 7200
LANES = 70000
LANES_KEPT = 65536  # LIMIT_LANES
LAST = (1 << 64) - 1
IMAGES = ("corpus/elf/recursion-a64.elf", "corpus/sframe/recursion-a64-v3.elf", "corpus/elf/exceptions-t32.elf")
SECTION_BYTES_TRIED = 48
# In ELF's header: program headers, section headers, their sizes and numbers, and the section of names.
HEADER_FIELDS_64 = ((24, 8), (32, 8), (40, 8), (52, 2), (54, 2), (56, 2), (58, 2), (60, 2), (62, 2))
HEADER_FIELDS_32 = ((24, 4), (28, 4), (32, 4), (40, 2), (42, 2), (44, 2), (46, 2), (48, 2), (50, 2))

ENDS = f"""{LAST - 5} clk IT (1) fffffffffffffff0 d503201f O el1h_s : NOP
{LAST - 5} clk R XSP ffffffffffffffff
{LAST - 4} clk IT (2) fffffffffffffff4 d503201f O el1h_s : NOP
{LAST - 4} clk MW8 fffffffffffffff8 1122334455667788
{LAST - 3} clk IT (3) fffffffffffffff8 d503201f O el1h_s : NOP
{LAST - 3} clk MW8 0000000000000000 99aabbccddeeff00
{LAST - 3} clk MW4 fffffffffffffffe 01020304
{LAST} clk IT (4) fffffffffffffffc d503201f O el1h_s : NOP
"""


class Limits(Checker):
    def __init__(self, trawl, place):
        super().__init__(trawl)
        self.place = place

    def run(self, *words):
        done = quick.run([self.trawl, *words], self.place, timeout=TIMEOUT_S)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def answers(self, words, *parts):
        """Checks status 0, and that all parts are in the output."""
        status, out, err = self.run(*words)
        self.check(" ".join(words), status == 0 and all(part in out for part in parts), f"status {status}: {out}{err}")

    def refuses(self, words, part):
        """Checks status 1, no output, and one line of message."""
        status, out, err = self.run(*words)
        is_refused = status == 1 and not out and part in err and err.count("\n") == 1
        self.check(" ".join(words), is_refused, f"status {status}: {out}{err}")


# --- The ends of 64 bits ----------------------------------------------------------------------------


@pytest.fixture
def checker(trawl, place):
    return Limits(trawl, place)


def test_ends(checker):
    (checker.place / "ends").write_text(ENDS)
    checker.answers(["index", "ends"])
    checker.answers(["verify", "ends"], "no damage")
    for more in (["--memory-index"], ["--no-index"], ["--chunk-size", "100", "--memory-index"]):
        checker.answers(["profile", "ends", *more], "5     100.0%", "0xfffffffffffffff0")
        checker.answers(["calltree", "ends", *more], f"t:{LAST - 5} l:1", f"t:{LAST} l:8 pc:0xfffffffffffffffc")
    at_end = ["state", "ends", "--at", f"time:{LAST}", "--memory"]
    checker.answers([*at_end, "0xfffffffffffffff8:8"], "88 77 66 55 44 33 04 03", "sp     0xffffffffffffffff")
    checker.answers([*at_end, "0:8"], "02 01 ee dd cc bb aa 99")  # what was written at the end of memory continues at 0
    checker.answers(["writes", "ends", f"{LAST}:1", "--all", "--format", "csv"], "0x11", "0x03")
    checker.answers(["pc", "ends", "0xfffffffffffffffc"], str(LAST))
    checker.answers(["stack", "ends", "--at", "end"], "0xfffffffffffffffc")
    checker.answers(["profile", "ends", "--time", f"{LAST}.."], "0xfffffffffffffff0")
    checker.answers(["export", "ends"], '"ts":5')
    checker.answers(["vcd", "ends"], "$enddefinitions")
    checker.refuses([*at_end, "0xfffffffffffffff8:9"], "pass the end of the address space")
    checker.refuses([*at_end, "sp:2"], "pass the end of the address space")
    checker.refuses(["writes", "ends", "0xfffffffffffffffe:4", "--all"], "pass the end of the address space")
    checker.refuses(["state", "ends", "--at", f"event:{LAST}"], "only 4 events")
    checker.refuses(["state", "ends", "--at", f"line:{LAST}"], "only 8 lines")
    checker.refuses(["profile", "ends", "--lane-events", f"{LAST}.."], "events are 0 to 3")


# --- Names that share their bytes -------------------------------------------------------------------


CODE = 0x8000
WALK = "".join(f"{i} clk IT ({i}) {CODE + 4 * (i % 9):08x} d503201f O EL1h_n : NOP\n" for i in range(1, 200))
FILES = """.text
f: {files}
{lines}
fe:
.section .debug_info,"",@progbits
.4byte 2f-1f
1: .2byte 5
.byte 1,8
.4byte .debug_abbrev
.byte 1
.4byte .debug_line
.8byte f
.8byte fe-f
2:
.section .debug_abbrev,"",@progbits
.byte 1,0x11,0,0x10,0x17,0x11,1,0x12,7,0,0,0
"""


def test_names(checker):
    """Names of symbols that are ends of one string, or all the same long one: neither an index nor a list of all of them is out of
    proportion to the file."""
    (checker.place / "walk").write_text(WALK)
    for what, step, count, fits in (("few", 24, 100, True), ("ends", 24, 4000, False), ("same", 0, 4000, False)):
        strings = b"\0" + b"a" * 24 * count + b"\0"
        symbols = [(1 + step * i, CODE + 4 * i, 4) for i in range(count)]
        (checker.place / "image").write_bytes(small_elf.image(strings, symbols))
        image = ["--image", "image"]
        if what == "same":
            checker.refuses(["profile", "walk", *image], "names that symbols share")
            continue
        first = "a" * 24 * count
        checker.answers(["profile", "walk", *image], first)
        status, _, err = checker.run("index", "walk", *image, "--force-index", "--index", "i")
        size = (checker.place / "i").stat().st_size
        is_kept = size > 24 * count * count // 2
        checker.check(f"index: {what}", status == 0 and is_kept == fits and ("no names of it are kept" in err) != fits and size < 1_000_000, (size, err))
        checker.answers(["verify", "walk", "--index", "i"], "no damage")
        checker.answers(["profile", "walk", "--index", "i"], first if fits else hex(CODE + 4))
        if fits:
            checker.answers(["coverage", "walk", *image], first)
        else:
            checker.refuses(["coverage", "walk", *image], "share their bytes")


def test_paths(checker):
    """The same for source files."""
    if not shutil.which("as") or not shutil.which("ld"):
        pytest.skip("needs an assembler")
    (checker.place / "walk").write_text(WALK)
    for directories, names, fits in ((2, 200, True), (40, 900, False)):
        paths = [(i + 1, j + 1) for i in range(directories) for j in range(names)]
        files = "\n".join(f'.file {n} "/{"d" * i}" "{"b" * j}"' for n, (i, j) in enumerate(paths, 1))
        lines = "\n".join(f".loc {n} 1\n.4byte 0xd503201f" for n in range(1, len(paths) + 1))
        (checker.place / "f.s").write_text(FILES.format(files=files, lines=lines))
        for words in (["as", "-gdwarf-5", "-o", "f.o", "f.s"], ["ld", "-O2", f"-Ttext={CODE:#x}", "-e", "0", "-o", "f", "f.o"]):
            if subprocess.run(words, cwd=checker.place, stderr=subprocess.DEVNULL, check=False).returncode:
                pytest.skip("needs an assembler that writes DWARF 5")
        image = bytearray((checker.place / "f").read_bytes())
        image[18:20] = struct.pack("<H", 183)
        (checker.place / "f").write_bytes(image)
        status, _, err = checker.run("index", "walk", "--image", "f", "--force-index", "--index", "i")
        size = (checker.place / "i").stat().st_size
        is_told = "no source lines of it are kept" in err
        checker.check(f"index: {len(paths)} files", status == 0 and is_told != fits and (len(paths) < size < 1_000_000) == fits, (size, err))
        by_file = ["coverage", "walk", "--image", "f", "--by", "file"]
        checker.answers(by_file, "/dd/bbb") if fits else checker.refuses(by_file, "share their bytes")


# --- Cores ------------------------------------------------------------------------------------------


def test_lanes(checker):
    """If there are more cores than are distinguished, the first are kept, and the lines of the others counted."""
    lines = (f"{i} clk cpu{i} IT ({i}) 8000 d503201f O el1h_s : NOP\n" for i in range(LANES))
    (checker.place / "lanes").write_text("".join(lines))
    for words in (["profile", "lanes", "--memory-index"], ["index", "lanes"]):
        status, _, err = checker.run(*words, "-q")
        is_told = status == 3 and str(LANES_KEPT) in err and str(LANES - LANES_KEPT) in err
        checker.check(" ".join(words), is_told, f"status {status}: {err}")


# --- Images with too large numbers -------------------------------------------------------------------


def sections(image):
    """Names, offsets and sizes, from a separate reader; and the position of the table of headers."""
    is_64 = image[4] == 2
    at = struct.unpack_from("<Q" if is_64 else "<I", image, 40 if is_64 else 32)[0]
    entry, count, names = struct.unpack_from("<HHH", image, 58 if is_64 else 46)
    rows = []
    for i in range(count):
        header = at + i * entry
        layout = "<IIQQQQ" if is_64 else "<IIIIII"
        name, _, _, _, offset, size = struct.unpack_from(layout, image, header)
        rows.append((name, offset, size, header, entry))
    strings = rows[names][1]
    return [(image[strings + n : image.index(b"\0", strings + n)].decode(), o, s, h, e) for n, o, s, h, e in rows]


def spoiled(image):
    """Images in each of which one number is as large as possible."""
    for at, size in HEADER_FIELDS_64 if image[4] == 2 else HEADER_FIELDS_32:
        yield f"header +{at}", image[:at] + b"\xff" * size + image[at + size :]
    width = 8 if image[4] == 2 else 4
    for name, offset, size, header, entry in sections(image):
        for at in range(header, header + entry, 4):
            yield f"header of {name} +{at - header}", image[:at] + b"\xff" * 4 + image[at + 4 :]
        if name in (".symtab", ".dynsym", ".sframe", ".eh_frame", ".ARM.exidx", ".ARM.extab") or name.startswith(".debug_"):
            for at in range(offset, offset + min(size, SECTION_BYTES_TRIED), extent.pick(6, 2)):
                yield f"{name} +{at - offset}", image[:at] + b"\xff" * width + image[at + width :]


@pytest.mark.parametrize("path", IMAGES)
def test_images(checker, path):
    (checker.place / "small").write_text(ENDS)
    for what, image in spoiled((ROOT / path).read_bytes()):
        (checker.place / "image").write_bytes(image)
        for words in (["stack", "small", "--at", "end", "--memory-index", "--image", "image"], ["sframe", "image"]):
            status, _, err = checker.run(*words)
            is_right = status in (0, 1, 2, 3) and (status == 0 or err)
            checker.check(f"{words[0]}, {what}", bool(is_right), f"status {status}: {err}")


# --- Many -------------------------------------------------------------------------------------------


def test_stack(checker):
    """A small stack (ulimit -s) changes nothing."""
    image, trace = ROOT / "corpus/elf/corrupt-a64.elf", "t.tarmac"
    (checker.place / trace).write_bytes((ROOT / "corpus/traces/corrupt-a64.it.tarmac").read_bytes())
    commands = (
        ["profile"], ["coverage", f"--image={image}"], ["annotate", f"--image={image}", "--function=work"], ["stack", "--at=end"],
        ["calltree", "--lines", "--inlines", f"--image={image}"], ["diff", trace], ["export", "--table=events", "--format=csv"],
    )  # fmt: skip
    for words in (*([name, trace, *rest] for name, *rest in commands), ["writes", trace, "x0", "--all"]):
        command = [checker.trawl, *words, "--threads=2"]
        whole = subprocess.run(command, cwd=checker.place, capture_output=True, timeout=TIMEOUT_S, check=False)
        small = subprocess.run(["bash", "-c", 'ulimit -s 128; exec "$@"', "-", *command], cwd=checker.place, capture_output=True, timeout=TIMEOUT_S, check=False)
        checker.check(f"{words}: {small.returncode} {small.stderr}", small.stdout and (small.returncode, small.stdout) == (whole.returncode, whole.stdout))


def resident_mb(pid):
    """The peak so far. The kernel's figure at the end would include the worker that started the process."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) >> 10 if found else 0


def feed(checker, pieces, *words, cpu_s=CPU_S):
    """Runs a command on a pipe. Also returns its resident memory in MB, and its processor time."""
    with open(checker.place / "out", "wb") as out, open(checker.place / "err", "wb") as err:
        process = subprocess.Popen(within([checker.trawl, *words], cpu_s), cwd=checker.place, stdin=subprocess.PIPE, stdout=out, stderr=err)
        for piece in pieces:
            process.stdin.write(piece)
        process.stdin.close()
        peak_mb = done = 0
        while not done:
            peak_mb = max(peak_mb, resident_mb(process.pid))
            time.sleep(0.005)
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
    shown = (checker.place / "out").read_text()
    return os.waitstatus_to_exitcode(status), shown, (checker.place / "err").read_text(), (peak_mb, usage.ru_utime + usage.ru_stime)


def open_calls(count):
    """Two functions that call each other and never return."""
    piece = b"1 clk IT (1) 8000 94000400 O m : BL\n1 clk IT (1) 9000 97fffc00 O m : BL\n" * 500
    for _ in range(count // 1000):
        yield piece


def called_functions(count):
    """Functions, each called from a separate place, none of which returns to another."""
    for i in range(count):
        site, entry = 0x8000 + 4 * i, 0x400_0000 + 16 * i
        yield b"%d clk IT (1) %x %08x O m : BL\n%d clk IT (1) %x d65f03c0 O m : RET\n" % (2 * i, site, branch_with_link(site, entry), 2 * i + 1, entry)


def check_many(checker, calls, functions, cpu_s):
    status, out, err, (peak_mb, used_s) = feed(checker, open_calls(calls), "profile", "-", "-q", "--format", "csv", cpu_s=cpu_s)
    is_right = status == 0 and f",{calls // 2},0x8000," in out and f",{calls // 2},0x9000," in out
    checker.check(f"{calls} open calls", is_right, f"status {status}: {out}{err}")
    checker.tell(f"{calls} open calls: {peak_mb} MB, {used_s:.1f} s of processor time")
    status, out, err, (peak_mb, used_s) = feed(checker, called_functions(functions), "profile", "-", "-q", "--format", "csv", cpu_s=cpu_s)
    is_right = status == 0 and out.count("\n") == functions + 2
    checker.check(f"{functions} functions", is_right, f"status {status}, {out.count(chr(10))} lines: {err}")
    checker.tell(f"{functions} functions: {peak_mb} MB, {used_s:.1f} s of processor time")


@pytest.mark.thorough
def test_2_32(checker):
    """A call after 2^32 events, followed by a damaged line."""
    count = 1 << 32
    piece = b"IT (1) 7ffc d503201f O m : N\n" * (1 << 14)
    tail = b"100 clk IT (2) 8000 94000400 O m : BL\n102 clk IT (2) 9000 d503201f O m : N\n105 clk IT (3) 9004 d65f03c0 O m : RET\n"
    tail += b"110 clk IT (3) 8004 d503201f O m : N\n120 clk IT (1) zz\n"
    pieces = (piece if i < count >> 14 else tail for i in range((count >> 14) + 1))
    words = ["calltree", "-", "--lane-events", f"{count}.."]
    status, out, err, (peak_mb, used_s) = feed(checker, pieces, *words, cpu_s=FULL_CPU_S)
    is_right = f"o t:102 l:{count + 2} pc:0x9000 - t:105 l:{count + 3} pc:0x9004" in out and f"-:{count + 5}:" in err
    checker.check("2^32 lines and events", status == 3 and is_right, f"status {status}: {out}{err}")
    checker.tell(f"2^32 lines: {peak_mb} MB, {used_s:.1f} s of processor time")


def test_many(checker):
    check_many(checker, 100_000, 20_000, CPU_S)


@pytest.mark.thorough
def test_very_many(checker):
    check_many(checker, 10_000_000, 1_000_000, FULL_CPU_S)
