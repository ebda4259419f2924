#!/usr/bin/env python3
"""Debugging information in a file of its own: found by build-id and by .gnu_debuglink, as objcopy makes them, and only where it is
that of the image. Reports are then those of the image that has all of it.

    tests/run.py debug_files
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 120
NAMES = ["recursion-a64", "sort-t32"]
BUILD_ID = "ab" + "0123456789" * 2 + "cd"
OTHER_ID = "ab" + "9876543210" * 2 + "cd"
NOTE = (4).to_bytes(4, "little") + (len(BUILD_ID) // 2).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"GNU\0"


def objcopy():
    return shutil.which("llvm-objcopy") or shutil.which("aarch64-linux-gnu-objcopy")


class DebugFiles(Checker):
    def __init__(self, trawl, folder):
        super().__init__(trawl)
        self.folder = folder
        self.made = 0

    def copy(self, *words):
        subprocess.run([objcopy(), *map(str, words)], check=True, capture_output=True, timeout=TIMEOUT_S)

    def report(self, trace, image, by="line"):
        done = subprocess.run([self.trawl, "profile", "--by", by, "--image", str(image), str(trace)], capture_output=True, timeout=TIMEOUT_S,
                              check=False)
        self.check(f"{image}: status and messages", done.returncode == 0 and not done.stderr, (done.returncode, done.stderr))
        return done.stdout

    def place(self):
        """A new directory, and where the program and its debug file go."""
        self.made += 1
        place = self.folder / str(self.made)
        place.mkdir()
        return place

    def split(self, image):
        """A directory with prog.elf, which names prog.debug, and that."""
        place = self.place()
        self.copy("--only-keep-debug", image, place / "prog.debug")
        self.copy("--strip-debug", f"--add-gnu-debuglink={place / 'prog.debug'}", image, place / "prog.elf")
        return place


def check_link(files, trace, image):
    whole = {by: files.report(trace, image, by) for by in ("line", "inline")}
    place = files.split(image)
    for by, expected in whole.items():
        files.check(f"{image.name}: beside the image, by {by}", files.report(trace, place / "prog.elf", by) == expected)
    (place / ".debug").mkdir()
    (place / "prog.debug").rename(place / ".debug" / "prog.debug")
    files.check(f"{image.name}: in .debug", files.report(trace, place / "prog.elf") == whole["line"])
    linked = files.place()
    (linked / "prog").symlink_to(place / "prog.elf")
    files.check(f"{image.name}: where a link leads", files.report(trace, linked / "prog") == whole["line"])
    (place / ".debug" / "prog.debug").unlink()
    missing = files.report(trace, place / "prog.elf")
    files.check(f"{image.name}: missing is no error", missing != whole["line"] and b"lib.c" not in missing, missing[:200])


def check_checksum(files, trace, image):
    place = files.split(image)
    damaged = bytearray((place / "prog.debug").read_bytes())
    damaged[-1] ^= 1
    (place / "prog.debug").write_bytes(damaged)
    files.check(f"{image.name}: another checksum", b"lib.c" not in files.report(trace, place / "prog.elf"))
    for content in (b"", b"\x7fELF", bytes(1000), damaged[:3000]):
        (place / "prog.debug").write_bytes(content)
        files.check(f"{image.name}: {content[:8]}", b"lib.c" not in files.report(trace, place / "prog.elf"))
    (place / "prog.debug").unlink()
    (place / "prog.debug").mkdir()
    files.check(f"{image.name}: a directory", b"lib.c" not in files.report(trace, place / "prog.elf"))


def with_build_id(files, image, digits, place, name):
    note = place / "note"
    note.write_bytes(NOTE + bytes.fromhex(digits))
    files.copy(f"--add-section=.note.gnu.build-id={note}", image, place / name)
    return place / name


def check_build_id(files, trace, image):
    for theirs in (BUILD_ID, OTHER_ID):
        place = files.place()
        own, other = with_build_id(files, image, BUILD_ID, place, "whole"), with_build_id(files, image, theirs, place, "other")
        files.copy("--strip-debug", own, place / "prog.elf")
        target = place / ".build-id" / BUILD_ID[:2]
        target.mkdir(parents=True)
        files.copy("--only-keep-debug", other, target / f"{BUILD_ID[2:]}.debug")
        found = files.report(trace, place / "prog.elf")
        files.check(f"{image.name}: build-id {theirs}", (found == files.report(trace, image)) == (theirs == BUILD_ID), found[:200])


def check_links_of_others(files, trace, image):
    """A name that leads elsewhere, is cut or has no end is none."""
    place = files.split(image)
    files.copy("--strip-debug", image, place / "bare.elf")
    (place / "deeper").mkdir()
    sound = subprocess.run([objcopy(), "-O", "binary", "--only-section=.gnu_debuglink", "--set-section-flags=.gnu_debuglink=alloc",
                            str(place / "prog.elf"), str(place / "link")], capture_output=True, check=False)
    checksum = (place / "link").read_bytes()[-4:] if sound.returncode == 0 else bytes(4)
    names = [b"../prog.debug", b"/etc/passwd", b"prog.debug"[:4], b"", b"x" * 300]
    for number, name in enumerate(names):
        content = name + bytes(4 - len(name) % 4) + checksum
        for end in (len(content), len(content) - 4, len(name)):
            (place / "link").write_bytes(content[:end] or b"\0")
            target = place / "deeper" / f"prog{number}.elf"
            files.copy(f"--add-section=.gnu_debuglink={place / 'link'}", place / "bare.elf", target)
            files.check(f"{image.name}: the name {name[:20]}, {end} bytes", b"lib.c" not in files.report(trace, target))


def main():
    if not objcopy():
        print("SKIPPED debug_files: no objcopy for AArch64")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="trawl-debug-files-") as scratch:
        files = DebugFiles(Path(sys.argv[1]).resolve() / "trawl", Path(scratch))
        for name in NAMES:
            trace, image = TRACES / f"{name}.it.tarmac", IMAGES / f"{name}.elf"
            files.check(f"{name}: has lines", b"lib.c" in files.report(trace, image))
            for check in (check_link, check_checksum, check_build_id, check_links_of_others):
                check(files, trace, image)
    print(f"{files.passed} passed, {files.failed} failed")
    return 1 if files.failed else 0


if __name__ == "__main__":
    sys.exit(main())
