#!/usr/bin/env python3
"""Calls that are told by the functions of an image: the same of the trace in chunks of any size by any number of
threads, through a pipe and from an index that was built with it; an index that was built without is used as it is,
with a word.

    tests/run.py image_calls
"""

import lzma
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import index_reader
import libtrawl

ROOT = Path(__file__).resolve().parents[2]
STACKS = ROOT / "corpus" / "stacks"
TRACES = {"siblings-Os-a64.it": "siblings-Os-a64", "rtos-a32.es": "rtos-a32", "rtos-m.it": "rtos-m"}
REPORTS = ["profile t", "calltree --format csv t", "flamegraph t"]
CUTS = [("1", 1), ("1", 4), ("100", 3), ("5000", 2)]
SHT_SYMTAB = 2
WORD = "its calls were found by"


class Check:
    def __init__(self, programs, folder):
        self.trawl, self.folder = programs / "trawl", folder
        self.passed = self.failed = 0

    def run(self, line, stdin=None):
        command, *rest = line.split()
        done = subprocess.run([self.trawl, command, *rest], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              input=stdin, check=False)
        return done.returncode, done.stdout, done.stderr

    def expect(self, what, found, wanted):
        self.passed += found == wanted
        self.failed += found != wanted
        if found != wanted:
            print(f"FAILED {what}: {str(found)[:400]}, not {str(wanted)[:400]}")


def with_image(line):
    command, rest = line.split(" ", 1)
    return f"{command} --image i.elf {rest}"


def check_cuts(check, name):
    text = (check.folder / "t").read_text()
    for line in REPORTS:
        wanted = check.run(with_image(line))
        check.expect(f"{name}: {line} changes", wanted[1] != check.run(line)[1], True)
        for size, threads in CUTS:
            cut = f" --chunk-size {size} --threads {threads}"
            check.expect(f"{name}: {line}{cut}", check.run(with_image(line) + cut), wanted)
        piped = check.run(with_image(line)[:-1] + "-", text)
        check.expect(f"{name}: {line} through a pipe", piped, wanted)


def functions_of(check, library):
    with library.open(check.folder / "t.index") as index:
        return index.info.functions


def calls_of(rows):
    """What a profile says but for names, which come last."""
    return [row.rsplit(",", 1)[0] for row in rows.splitlines()]


def without_sizes(image):
    """The same image with functions that have no sizes."""
    data = bytearray(image)
    is_64 = data[4] == 2
    header = int.from_bytes(data[40:48] if is_64 else data[32:36], "little")
    size, count = struct.unpack_from("<HH", data, 58 if is_64 else 46)
    for at in range(header, header + size * count, size):
        kind = int.from_bytes(data[at + 4 : at + 8], "little")
        offset, length = struct.unpack_from("<QQ", data, at + 24) if is_64 else struct.unpack_from("<II", data, at + 16)
        for entry in range(offset, offset + length, 24 if is_64 else 16) if kind == SHT_SYMTAB else []:
            place, width = (entry + 16, 8) if is_64 else (entry + 8, 4)
            data[place : place + width] = bytes(width)
    return bytes(data)


def check_index(check, name, library):
    encodings = {line: check.run(line) for line in REPORTS}
    wanted = {line: check.run(with_image(line)) for line in REPORTS}
    check.expect(f"{name}: index", check.run("index t")[0], 0)
    check.expect(f"{name}: no functions", functions_of(check, library), 0)
    for line in REPORTS:
        status, _, said = check.run(with_image(line))
        check.expect(f"{name}: {line} from an index without", (status, said.count(WORD), said.count("\n")), (0, 1, 1))
        check.expect(f"{name}: {line} without, as ever", check.run(line), encodings[line])
        check.expect(f"{name}: {line} in memory", check.run(with_image(line) + " --memory-index"), wanted[line])
    for command, count in (("stack --at end", 1), ("state --at end", 0)):
        check.expect(f"{name}: {command}", check.run(with_image(command + " t"))[2].count(WORD), count)
    check.expect(f"{name}: index again", check.run("index --image i.elf t")[0], 0)
    check.expect(f"{name}: functions", functions_of(check, library) != 0, True)
    index = index_reader.Index((check.folder / "t.index").read_bytes())
    check.expect(f"{name}: functions by a second reader", index.images_functions, functions_of(check, library))
    before = (check.folder / "t.index").read_bytes()
    for line in REPORTS:
        check.expect(f"{name}: {line} from an index with", check.run(with_image(line)), wanted[line])
        check.expect(f"{name}: {line} from it alone", check.run(line)[2], "")
    check.expect(f"{name}: it fits", check.run("index --image i.elf t")[0], 0)
    check.expect(f"{name}: and stays", (check.folder / "t.index").read_bytes(), before)
    said = check.run("profile --image other.elf t")[2]
    check.expect(f"{name}: other images", (said.count(WORD), "of other images" in said), (1, True))
    (check.folder / "t.index").unlink()
    made = check.run("stack --image i.elf --at end t"), functions_of(check, library)
    check.expect(f"{name}: by a question", (made[0][0], made[1]), (0, index.images_functions))
    (check.folder / "t.index").unlink()
    forced, plain = (check.run(f"profile --format csv {options} t")[1] for options in ("--image i.elf --force-image", ""))
    check.expect(f"{name}: of a forced image only names", calls_of(forced), calls_of(plain))


def main():
    programs = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "zig-out" / "bin").resolve()
    passed = failed = 0
    for name, image in TRACES.items():
        with tempfile.TemporaryDirectory() as folder:
            check = Check(programs, Path(folder))
            (check.folder / "t").write_bytes(lzma.decompress((STACKS / f"{name}.tarmac.xz").read_bytes()))
            shutil.copy(STACKS / f"{image}.elf", check.folder / "i.elf")
            (check.folder / "other.elf").write_bytes(without_sizes((check.folder / "i.elf").read_bytes()))
            check_cuts(check, name)
            check_index(check, name, libtrawl.Library(programs.parent / "lib" / "libtrawl.so"))
            passed, failed = passed + check.passed, failed + check.failed
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
