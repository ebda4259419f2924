#!/usr/bin/env python3
"""Names that an index keeps of an image: the same as with the image, replaced alone, and nowhere under the tarmac-*
names.

    index_names_check.py [ZIG_OUT_BIN]
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import format_check
import index_reader
import libtrawl

ROOT = Path(__file__).resolve().parent.parent
TRACES = ROOT / "corpus" / "traces"
IMAGES = ROOT / "corpus" / "elf"
REPORTS = ["profile t", "calltree t", "flamegraph t", "state t --at line:700", "writes t sp", "pc t 0x80610",
           "profile t --function main", "stack t --at line:500 --unwind calls", "info t --functions"]


class Names:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.passed = self.failed = 0
        shutil.copy(TRACES / "recursion-a64.it.tarmac", folder / "t")
        for image in ("recursion-a64", "sort-a64"):
            shutil.copy(IMAGES / (image + ".elf"), folder / (image + ".elf"))

    def run(self, line):
        words = line.split()
        done = subprocess.run([self.programs / words[0], *words[1:]], cwd=self.folder, capture_output=True, timeout=60,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def expect(self, what, found, wanted):
        self.passed += found == wanted
        self.failed += found != wanted
        if found != wanted:
            print(f"FAILED {what}: {str(found)[:400]}, not {str(wanted)[:400]}")

    def data(self):
        return (self.folder / "t.index").read_bytes()


def symbols_offset(data):
    """Where the section begins, which is the last in the file."""
    index = index_reader.Index(data)
    return len(data) - len(index.sections[index_reader.SYMBOLS])


def check_reports(names):
    without = {line: names.run("trawl " + line) for line in REPORTS[:3]}
    names.expect("index", names.run("trawl index --image recursion-a64.elf t")[0], 0)
    for line in REPORTS:
        command, rest = line.split(" ", 1)
        names.expect(line, names.run("trawl " + line)[:2], names.run(f"trawl {command} --image recursion-a64.elf {rest}")[:2])
    names.expect("a name", b"main" in names.run("trawl profile t")[1], True)
    names.expect("an image goes before", names.run("trawl profile --image sort-a64.elf t"),
                 names.run("trawl profile --image sort-a64.elf --memory-index t"))
    for line, wanted in without.items():
        names.expect(line + " --memory-index", names.run("trawl " + line + " --memory-index"), wanted)
    for line in ("tarmac-profile", "tarmac-calltree"):
        names.expect(line, names.run(line + " t"), names.run(line + " --memory-index t"))


def check_symbols(names, library):
    """The same functions as nm finds."""
    tool = shutil.which("nm")
    listed = subprocess.run([tool, "recursion-a64.elf"], cwd=names.folder, capture_output=True, check=True) if tool else None
    index = index_reader.Index(names.data())
    with library.open(names.folder / "t.index") as theirs:
        format_check.Comparison(index, theirs, format_check.random.Random(1)).symbols()
        theirs.verify()
    for address, name in re.findall(rb"^([0-9a-f]+) [Tt] ([a-z_]+)$", listed.stdout if listed else b"", re.MULTILINE):
        at = {row[0] for row in index.symbols[0] if row[1] == int(address, 16)}
        names.expect("symbol " + name.decode(), name in at, True)
        names.expect("name of " + address.decode(), index.symbol_at(int(address, 16))[0] in at, True)


def check_replacing(names, library):
    before, inode = names.data(), (names.folder / "t.index").stat().st_ino
    names.run("trawl index --image recursion-a64.elf t")
    names.expect("the same image", (names.folder / "t.index").stat().st_ino, inode)
    with library.open(names.folder / "t.index") as reader:
        names.expect("another image", names.run("trawl index --image sort-a64.elf t")[0], 0)
        names.expect("who reads the old one", reader.symbol_named(b"main")[0], b"main")
        reader.verify()
    after, end = names.data(), symbols_offset(before)
    names.expect("the rest of the file", after[512:end], before[512:end])
    names.expect("names", after[end:] != before[end:], True)
    names.expect("verify", names.run("trawl verify t")[0], 0)
    names.expect("moved", names.run("trawl index --image recursion-a64.elf@0x1000 t")[0], 0)
    names.expect("moved names", names.run("trawl profile t")[1],
                 names.run("trawl profile --image recursion-a64.elf@0x1000 t")[1])
    names.run("trawl index --image recursion-a64.elf t")
    names.expect("and back", names.data(), before)
    names.expect("nothing is left", sorted(p.name for p in names.folder.iterdir()),
                 ["recursion-a64.elf", "sort-a64.elf", "t", "t.index"])


def check_damage(names):
    """Without its names an index is of no use to a report, which reads the trace then."""
    data = names.data()
    wanted = names.run("trawl profile t --memory-index")[1]
    named = names.run("trawl profile t")[1]
    for at in range(symbols_offset(data), len(data), 17):
        spoiled = bytearray(data)
        spoiled[at] ^= 0x41
        (names.folder / "t.index").write_bytes(spoiled)
        out = names.run("trawl profile t --no-index")
        names.expect(f"byte {at} spoiled", out[1] in (wanted, named) or out[0] == 1, True)
        names.expect(f"byte {at} spoiled, a question", names.run("trawl pc t 0x80610 --count")[0], 0)
    (names.folder / "t.index").write_bytes(data)


def main():
    programs = (Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "zig-out" / "bin").resolve()
    library = libtrawl.Library(programs.parent / "lib" / "libtrawl.so")
    with tempfile.TemporaryDirectory() as folder:
        names = Names(programs, Path(folder))
        check_reports(names)
        check_symbols(names, library)
        check_replacing(names, library)
        check_damage(names)
    print(f"{names.passed} passed, {names.failed} failed")
    return 1 if names.failed else 0


if __name__ == "__main__":
    sys.exit(main())
