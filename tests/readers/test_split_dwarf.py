"""Split DWARF: programs whose compilers moved debugging information to .dwo files, separate or in packages (.dwp), compared with the same
programs with all of it inside, and with llvm-symbolizer.

    tests/run.py split_dwarf
"""

import collections
import csv
import io
import os
import random
import shutil
import subprocess

import pytest
import quick
import symbolizer
from checker import Checker

TIMEOUT_S = 60
DAMAGES = 60
SOURCES = {
    "b.h": """
extern volatile int sink;
static inline __attribute__((always_inline)) int add(int a, int b) { sink += a; if (a > 100) __builtin_trap(); return a + b * 3; }
static inline __attribute__((always_inline)) int twice(int x) { return add(x, x) + 1; }
""",
    "a.c": """#include "b.h"
int other(int x);
int main(int count) { int s = 0; for (int i = 0; i < count + 3; i++) { if (i & 1) s += twice(i);
 else s ^= add(i, count); } return other(s) & 1; }
""",
    "c.c": """#include "b.h"
volatile int sink;
__attribute__((cold, noinline)) static void bad(int x) { sink = x; sink = twice(x); }
int other(int x) { if (x == 77) bad(x);
 return add(x, 2); }
""",
}
# Name, compiler, options, linker command.
BUILDS = (
    ("a64-gcc4", "aarch64-linux-gnu-gcc", ["-gdwarf-4"], ["aarch64-linux-gnu-gcc"]),
    ("a64-gcc5", "aarch64-linux-gnu-gcc", ["-gdwarf-5"], ["aarch64-linux-gnu-gcc"]),
    ("a64be-gcc5", "aarch64-linux-gnu-gcc", ["-gdwarf-5", "-mbig-endian"], ["aarch64-linux-gnu-gcc", "-mbig-endian"]),
    ("a64-gcc5z", "aarch64-linux-gnu-gcc", ["-gdwarf-5", "-gz"], ["aarch64-linux-gnu-gcc", "-gz"]),
    ("t32-gcc5", "arm-linux-gnueabihf-gcc", ["-gdwarf-5", "-mthumb"], ["arm-linux-gnueabihf-gcc"]),
    ("a32-gcc4", "arm-linux-gnueabihf-gcc", ["-gdwarf-4", "-marm"], ["arm-linux-gnueabihf-gcc"]),
    ("a64-clang4", "clang", ["--target=aarch64-linux-gnu", "-gdwarf-4"], ["aarch64-linux-gnu-gcc"]),
    ("a64-clang5", "clang", ["--target=aarch64-linux-gnu", "-gdwarf-5"], ["aarch64-linux-gnu-gcc"]),
)


def tool(name):
    return shutil.which(name) or shutil.which(f"{name}-14")


def run(*words, place=None):
    return subprocess.run([str(word) for word in words], cwd=place, capture_output=True, text=True, timeout=TIMEOUT_S, check=True).stdout


class Split(Checker):
    def __init__(self, trawl, folder):
        super().__init__(trawl)
        self.folder, self.made = folder, 0

    def place_of(self, name):
        """Makes a new directory."""
        self.made += 1
        place = self.folder / f"{self.made}-{name}"
        place.mkdir()
        return place

    def report(self, place, image, *words):
        done = quick.run([self.trawl, *words, str(place / "t.tarmac"), "--force-image", "--image", str(image)], timeout=TIMEOUT_S)
        self.check(f"{image}: {words}: status and messages", done.returncode == 0 and not done.stderr, (done.returncode, done.stderr))
        return done.stdout

    def reports(self, place, image):
        """All reports of inlined functions. Callers are printed by where their code begins, so all of it is looked up."""
        return [self.report(place, image, *words) for words in (["profile", "--by", "inline"], ["flamegraph", "--inlines", "--lines"])]


def build(place, compiler, options, linker):
    """Builds prog with split DWARF in obj/, and whole with all DWARF inside."""
    (place / "obj").mkdir()
    for name, text in SOURCES.items():
        (place / name).write_text(text)
    for kind, more in (("prog", ["-gsplit-dwarf"]), ("whole", [])):
        for name in ("a", "c"):
            run(tool(compiler), "-O2", "-g", *options, *more, "-ffreestanding", "-fno-pic", "-I..", "-c", f"../{name}.c", "-o", f"{name}.{kind}.o",
                place=place / "obj")
        run(*linker, "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none", "-Wl,-e,main", "obj/a." + kind + ".o", "obj/c." + kind + ".o", "-o", kind,
            place=place)


def code_of(place, image):
    listed = run("readelf", "-SW", place / image)
    row = next(line.split("]", 1)[1].split() for line in listed.splitlines() if "] .text " in line)
    start, offset, size = (int(word, 16) for word in row[2:5])
    return start, (place / image).read_bytes()[offset:offset + size]


def make_trace(place, step):
    start, code = code_of(place, "whole")
    pcs = range(start, start + len(code), step)
    state = "O EL1h_s" if step == 4 else "T svc_s"
    (place / "t.tarmac").write_text("".join(f"{i} clk IT ({i}) {pc:08x} {'d503201f' if step == 4 else 'bf00'} {state} : NOP\n" for i, pc in enumerate(pcs)))
    return list(pcs)


def check_truth(split, name, place, pcs):
    """trawl reads the program with all DWARF inside as llvm-symbolizer does."""
    chains = symbolizer.chains(place / "whole", pcs)
    wanted = collections.Counter(chain[0][0] for chain in chains.values() if len(chain) > 1)
    rows = csv.DictReader(io.StringIO(split.report(place, place / "whole", "profile", "--by", "inline", "--format", "csv").decode()))
    found = {row["function"]: int(row["executed"]) for row in rows}
    split.check(f"{name}: inlined functions", wanted and all(found[function] == count for function, count in wanted.items() if function in ("add", "twice")),
                (wanted, found))


def check_places(split, name, place, whole):
    missing = split.place_of(name)
    bare = split.reports(place, shutil.copy(place / "prog", missing / "prog"))
    split.check(f"{name}: where it was compiled", bare == whole, bare)
    hidden = place / "elsewhere"
    (place / "obj").rename(hidden)
    none = split.reports(place, missing / "prog")
    split.check(f"{name}: missing is no error", none != whole and b"add" not in none[0] and b"a.c:4" in none[1], none)
    for file in hidden.glob("*.dwo"):
        shutil.copy(file, missing)
    split.check(f"{name}: beside the image", split.reports(place, missing / "prog") == whole)
    hidden.rename(place / "obj")
    return missing


def check_package(split, name, place, missing, whole):
    packer = tool("llvm-dwp")
    if not packer or "gcc5" in name:  # llvm-dwp 14 does not terminate on these
        return None
    run(packer, "-e", "prog", "-o", place / "p.dwp", place=place)
    for file in missing.glob("*.dwo"):
        file.unlink()
    (place / "obj").rename(place / "elsewhere")
    shutil.copy(place / "p.dwp", missing / "prog.dwp")
    split.check(f"{name}: a package", split.reports(place, missing / "prog") == whole)
    return missing / "prog.dwp"


def check_damage(split, name, place, file, image, whole):
    """Truncated, with changed bytes, of another program, or not a file: no report is ended by a signal, and lines are still shown."""
    data, numbers = file.read_bytes(), random.Random(name)
    for i in range(DAMAGES):
        damaged = bytearray(data[:numbers.randrange(len(data))] if i % 3 == 0 else data)
        for _ in range(numbers.choice((1, 1, 3, 20)) if i % 3 else 0):
            damaged[numbers.randrange(len(damaged))] = numbers.choice((0, 1, 0x7f, 0x80, 0xff, numbers.randrange(256)))
        file.write_bytes(damaged)
        found = split.report(place, image, "flamegraph", "--inlines", "--lines")
        split.check(f"{name}: damage {i}: lines", b"a.c:4" in found, found[:200])
    for what, make in (("a FIFO", os.mkfifo), ("a directory", os.mkdir), ("a device", lambda path: os.symlink("/dev/zero", path)),
                       ("itself", lambda path: os.symlink(path, path)), ("the program", lambda path: shutil.copy(image, path))):
        file.unlink()
        make(file)
        found = split.reports(place, image)
        split.check(f"{name}: {what}", found != whole and b"a.c:4" in found[1], found)
        if file.is_dir():
            file.rmdir()
            file.write_bytes(b"")
    file.unlink()
    file.write_bytes(data)
    split.check(f"{name}: whole again", split.reports(place, image) == whole)


def check_build(split, name, compiler, options, linker):
    place = split.place_of(name)
    build(place, compiler, options, linker)
    if code_of(place, "prog") != code_of(place, "whole"):
        split.check(f"{name}: the same code", False)
        return
    pcs = make_trace(place, 2 if name.startswith("t32") else 4)
    whole = split.reports(place, place / "whole")
    if symbolizer.tool():
        check_truth(split, name, place, pcs)
    split.check(f"{name}: something is inlined", b"twice" in whole[0] and b";add b.h:" in whole[1], whole)
    missing = check_places(split, name, place, whole)
    package = check_package(split, name, place, missing, whole)
    file = package or next(missing.glob("a*.dwo"))
    if not package:
        (place / "obj").rename(place / "elsewhere")
    check_damage(split, name, place, file, missing / "prog", whole)


def needs(how):
    if not (tool(how[1]) and shutil.which(how[3][0]) and shutil.which("readelf")):
        pytest.skip(f"no compiler for {how[0]}, or no readelf")


@pytest.fixture
def split(trawl, place):
    return Split(trawl, place)


@pytest.mark.parametrize("how", BUILDS, ids=lambda how: how[0])
def test_build(split, how):
    needs(how)
    check_build(split, *how)


def test_another_unit(split, place):
    """A .dwo file of another compilation, with another id, is not used."""
    for name in ("a64-gcc5", "a64-gcc5z"):
        how = next(one for one in BUILDS if one[0] == name)
        needs(how)
        (place / name).mkdir()
        build(place / name, *how[1:])
    make_trace(place / "a64-gcc5", 4)
    source = (place / "a64-gcc5" / "obj" / "a.prog.dwo").read_bytes()
    target = place / "other"
    target.mkdir()
    shutil.copy(place / "a64-gcc5" / "prog", target / "prog")
    (place / "a64-gcc5" / "obj").rename(place / "elsewhere")
    (target / "c.prog.dwo").write_bytes(source)
    (target / "a.prog.dwo").write_bytes(source)
    found = split.report(place / "a64-gcc5", target / "prog", "flamegraph", "--inlines", "--lines")
    split.check("another unit's file", b" a.c:4;add" in found and b" c.c:5;add" not in found and b" c.c:5 " in found, found)
