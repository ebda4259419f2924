"""Debugging information in a separate file: trawl finds it by build-id and by .gnu_debuglink, as made by objcopy, and uses it only if it
belongs to the image. Reports then equal those from the complete image.

    tests/run.py debug_files
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import quick
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


pytestmark = pytest.mark.skipif(not objcopy(), reason="no objcopy for AArch64")


class DebugFiles(Checker):
    def __init__(self, trawl, folder):
        super().__init__(trawl)
        self.folder = folder
        self.made = 0

    def copy(self, *words):
        subprocess.run([objcopy(), *map(str, words)], check=True, capture_output=True, timeout=TIMEOUT_S)

    def report(self, trace, image, by="line"):
        done = quick.run([self.trawl, "profile", "--by", by, "--image", str(image), str(trace)], timeout=TIMEOUT_S)
        self.check(f"{image}: status and messages", done.returncode == 0 and not done.stderr, (done.returncode, done.stderr))
        return done.stdout

    def place(self):
        """Makes a directory for the program and its debug file."""
        self.made += 1
        place = self.folder / str(self.made)
        place.mkdir()
        return place

    def split(self, image):
        """A directory with prog.elf, which names prog.debug, and with prog.debug."""
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


def check_hostile(files, trace, image):
    """Files without an end, and files of other kinds, are not read just because of their names."""
    place = files.split(image)
    debug = place / "prog.debug"
    with open(debug, "r+b") as file:
        file.truncate(1 << 40)  # trawl would have to compute its checksum
    files.check(f"{image.name}: a terabyte", b"lib.c" not in files.report(trace, place / "prog.elf"))
    for what, make in (("a FIFO", os.mkfifo), ("a device", lambda path: path.symlink_to("/dev/zero")), ("itself", lambda path: path.symlink_to("prog.elf")),
                       ("a link to itself", lambda path: path.symlink_to("prog.debug"))):
        debug.unlink()
        make(debug)
        files.check(f"{image.name}: {what}", b"lib.c" not in files.report(trace, place / "prog.elf"))


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
    """A name that leads elsewhere, is truncated or unterminated is ignored."""
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


@pytest.fixture
def files(trawl, place):
    return DebugFiles(trawl, place)


def test_other_kinds(files):
    """Trace files and XRay logs use debug files, too."""
    corpus = ROOT / "corpus"
    cases = ((corpus / "tfile" / "values.elf", ["tfile", "show"], [corpus / "tfile" / "values.tf", "0"], b"squares = "),
             (corpus / "xray" / "lines.elf", ["xray", "account", "--format", "csv"], [corpus / "xray" / "lines.fdr.xray"], b"lines.c"))
    for image, command, rest, sign in cases:
        place = files.split(image)
        words = {}
        for name, path in (("whole", image), ("split", place / "prog.elf"), ("missing", place / "prog.elf")):
            if name == "missing":
                (place / "prog.debug").unlink()
            option = ["--image", path]
            done = quick.run([files.trawl, *command, *map(str, option), *map(str, rest)], timeout=TIMEOUT_S)
            files.check(f"{image.name}, {name}: status", done.returncode == 0, (done.returncode, done.stderr))
            words[name] = done.stdout
        files.check(f"{image.name}: with its debug file", words["split"] == words["whole"] and sign in words["whole"], words["split"][:300])
        files.check(f"{image.name}: without", sign not in words["missing"], words["missing"][:300])


SHARED_SOURCE = """
struct thing_of_both { int first; struct thing_of_both *next; long array[7]; };
enum kinds_of_both { KIND_ONE, KIND_TWO, KIND_THREE };
static inline __attribute__((always_inline)) int inlined_in_both(int x, struct thing_of_both *s)
{ s->first += x; return x * 3 + s->array[x & 3]; }
struct thing_of_both thing;
int outer_NAME(int y) { return inlined_in_both(y, &thing) + inlined_in_both(y + 1, &thing); }
int main(int count, char **words) { enum kinds_of_both kind = KIND_TWO; return outer_NAME(count) + kind; }
"""


def make_shared(place, compiler):
    """Two programs whose common part dwz moved to the file `shared`, a copy of one of them before that, and a trace of all of its code."""
    for name in ("one", "two"):
        (place / f"{name}.c").write_text(SHARED_SOURCE.replace("NAME", name))
        subprocess.run([compiler, "-g", "-O1", "-nostdlib", "-static", "-Wl,-e,main", "-Wl,--build-id", "-o", place / name, place / f"{name}.c"],
                       check=True, capture_output=True, timeout=TIMEOUT_S)
    shutil.copy(place / "one", place / "whole")
    subprocess.run(["dwz", "-m", "shared", "-M", "shared", "one", "two"], cwd=place, check=True, capture_output=True, timeout=TIMEOUT_S)
    listed = subprocess.run(["nm", "-S", place / "whole"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout
    lines = []
    for start, size, _, name in (line.split() for line in listed.splitlines() if len(line.split()) == 4):
        for pc in range(int(start, 16), int(start, 16) + int(size, 16), 4) if name in ("outer_one", "main") else ():
            lines.append(f"{len(lines)} clk IT ({len(lines)}) {pc:08x} d503201f O EL1h_s : NOP\n")
    (place / "t.tarmac").write_text("".join(lines))


def test_dwz(files):
    compiler = shutil.which("aarch64-linux-gnu-gcc")
    if not compiler or not shutil.which("dwz") or not shutil.which("nm"):
        files.skip("dwz", "no dwz, or no compiler for AArch64")
        return
    place = files.place()
    make_shared(place, compiler)

    def rows(image):
        done = quick.run([files.trawl, "profile", "--by", "inline", "--force-image", "--image", str(image), str(place / "t.tarmac")], timeout=TIMEOUT_S)
        files.check(f"dwz: {image.name}: status", done.returncode == 0, (done.returncode, done.stderr))
        return done.stdout

    whole = rows(place / "whole")
    files.check("dwz: has inlined functions", b"inlined_in_both" in whole and whole.count(b"\n") == 4, whole)
    files.check("dwz: moved", rows(place / "one") == whole, rows(place / "one"))
    (place / "shared").rename(place / "elsewhere")
    missing = rows(place / "one")
    files.check("dwz: missing is no error", missing != whole and b"outer_one" in missing, missing)
    data = (place / "elsewhere").read_bytes()
    target = place / ".build-id" / build_id_of(place / "elsewhere")[:2]
    target.mkdir(parents=True)
    (place / "elsewhere").rename(target / f"{build_id_of(place / 'elsewhere')[2:]}.debug")
    files.check("dwz: by build-id", rows(place / "one") == whole)
    for cut in range(0, len(data), max(1, len(data) // 40)):
        (place / "shared").write_bytes(data[:cut])
        rows(place / "one")
        damaged = bytearray(data)
        damaged[cut] ^= 0xff
        (place / "shared").write_bytes(damaged)
        rows(place / "one")


def build_id_of(path):
    data = path.read_bytes()
    at = data.index(b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0") + 16
    return data[at : at + 20].hex()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("check", [check_link, check_checksum, check_hostile, check_build_id, check_links_of_others], ids=lambda check: check.__name__.removeprefix("check_"))
def test_images(files, check, name):
    trace, image = TRACES / f"{name}.it.tarmac", IMAGES / f"{name}.elf"
    files.check(f"{name}: has lines", b"lib.c" in files.report(trace, image))
    check(files, trace, image)
