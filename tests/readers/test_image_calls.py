"""Calls recognized by the functions of an image are the same from the trace in chunks of any size with any number of threads, through a
pipe, and from an index built with the image. An index built without the image is used unchanged, with a message.

    tests/run.py image_calls
"""

import lzma
import shutil
import struct
from pathlib import Path

import index_reader
import pytest
import quick
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
STACKS = ROOT / "corpus" / "stacks"
TRACES = {"siblings-Os-a64.it": "siblings-Os-a64", "rtos-a32.es": "rtos-a32", "rtos-m.it": "rtos-m"}
REPORTS = ["profile t", "calltree --format csv t", "flamegraph t"]
CUTS = [("1", 1), ("1", 4), ("100", 3), ("5000", 2)]
SHT_SYMTAB = 2
WORD = "its calls were found by"


class Check(Checker):
    def __init__(self, trawl, folder):
        super().__init__(trawl)
        self.folder = folder

    def run(self, line, stdin=None):
        command, *rest = line.split()
        done = quick.run([self.trawl, command, *rest], cwd=self.folder, text=True, timeout=60, input=stdin)
        return done.returncode, done.stdout, done.stderr


def with_image(line):
    command, rest = line.split(" ", 1)
    return f"{command} --image i.elf {rest}"


def functions_of(check, library):
    with library.open(check.folder / "t.index") as index:
        return index.info.functions


def calls_of(rows):
    """The rows of a profile without their last column, the names."""
    return [row.rsplit(",", 1)[0] for row in rows.splitlines()]


def without_sizes(image):
    """The same image, in which functions have no sizes."""
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


@pytest.fixture(params=TRACES)
def check(request, trawl, place):
    (place / "t").write_bytes(lzma.decompress((STACKS / f"{request.param}.tarmac.xz").read_bytes()))
    shutil.copy(STACKS / f"{TRACES[request.param]}.elf", place / "i.elf")
    (place / "other.elf").write_bytes(without_sizes((place / "i.elf").read_bytes()))
    return Check(trawl, place)


def test_index(check, library):
    encodings = {line: check.run(line) for line in REPORTS}
    wanted = {line: check.run(with_image(line)) for line in REPORTS}
    for line in REPORTS:
        check.expect(f"index", check.run("index --force-index t")[0], 0)
        check.expect(f"no functions", functions_of(check, library), 0)
        check.expect(f"{line} without, as ever", check.run(line), encodings[line])
        check.expect(f"{line} as it is", check.run(with_image(line) + " --no-index")[2].count(WORD), 1)
        status, shown, said = check.run(with_image(line))
        check.expect(f"{line} from an index without", (status, shown), wanted[line][:2])
        check.expect(f"{line} says so", "was made without the functions" in said, True)
        check.expect(f"{line} keeps a better one", check.run(with_image(line)), wanted[line])
        check.expect(f"{line} in memory", check.run(with_image(line) + " --memory-index"), wanted[line])
    for command, is_renewed in (("state --at end", False), ("stack --at end", True)):
        check.expect(f"index", check.run("index --force-index t")[0], 0)
        check.run(with_image(command + " t"))
        check.expect(f"{command}", functions_of(check, library) != 0, is_renewed)
    check.expect(f"index again", check.run("index --image i.elf t")[0], 0)
    check.expect(f"functions", functions_of(check, library) != 0, True)
    index = index_reader.Index((check.folder / "t.index").read_bytes())
    check.expect(f"functions by a second reader", index.images_functions, functions_of(check, library))
    before = (check.folder / "t.index").read_bytes()
    for line in REPORTS:
        check.expect(f"{line} from an index with", check.run(with_image(line)), wanted[line])
        check.expect(f"{line} from it alone", check.run(line)[2], "")
    check.expect(f"it fits", check.run("index --image i.elf t")[0], 0)
    check.expect(f"and stays", (check.folder / "t.index").read_bytes(), before)
    said = check.run("profile --image other.elf t --no-index")[2]
    check.expect(f"other images", (said.count(WORD), "of other images" in said), (1, True))
    said = check.run("profile --image other.elf t")[2]
    check.expect(f"other images renew it", "was made without the functions" in said, True)
    (check.folder / "t.index").unlink()
    made = check.run("stack --image i.elf --at end t"), functions_of(check, library)
    check.expect(f"by a question", (made[0][0], made[1]), (0, index.images_functions))
    (check.folder / "t.index").unlink()
    forced, plain = (check.run(f"profile --format csv {options} t")[1] for options in ("--image i.elf --force-image", ""))
    check.expect(f"of a forced image only names", calls_of(forced), calls_of(plain))


def test_cuts(check):
    text = (check.folder / "t").read_text()
    for line in REPORTS:
        wanted = check.run(with_image(line))
        check.expect(f"{line} changes", wanted[1] != check.run(line)[1], True)
        for size, threads in CUTS:
            cut = f" --chunk-size {size} --threads {threads}"
            check.expect(f"{line}{cut}", check.run(with_image(line) + cut), wanted)
        piped = check.run(with_image(line)[:-1] + "-", text)
        check.expect(f"{line} through a pipe", piped, wanted)
