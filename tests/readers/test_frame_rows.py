"""Compares what trawl reads from call frame information and from Arm's exception tables with GNU readelf: the row of every PC of the images
in corpus/, and of some damaged images.

    tests/run.py frame_rows
"""

import bisect
import collections
import random
import re
import shutil
from pathlib import Path

import pytest
import quick

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
IMAGES = sorted([*CORPUS.glob("elf/*.elf"), *CORPUS.glob("sframe/*.elf"), *CORPUS.glob("tfile/*.elf")])
IMAGES = [image for image in IMAGES if "ppc64" not in image.name]  # of which trawl has no stacks
ROWS_MIN = 2300  # in all images
REGISTERS = 33  # registers with higher numbers are not used for stacks
SPOILED_EACH = 6
X86_64 = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()
I386 = "eax ecx edx ebx esp ebp esi edi".split()
RA = {"EM_386": 8, "EM_X86_64": 16, "EM_ARM": 14, "EM_AARCH64": 30, "EM_S390": 14}


def run(*words, status=(0,)):
    done = quick.run([str(word) for word in words], timeout=120)
    assert done.returncode in status, f"{words}: status {done.returncode}: {done.stderr.decode()[:300]}"
    return done.stdout.decode(errors="replace")


class Rows:
    """Rows by their starts. Each applies up to the next row or the end of the function; if functions overlap, the later start counts."""

    def __init__(self):
        self.functions = []  # (start, end, [(start of the row, row)])

    def add(self, start, end, rows):
        if start < end:
            self.functions.append((start, end, rows))

    def starts(self):
        return {row for start, end, rows in self.functions for row, _ in rows if start <= row < end}

    def sort(self):
        self.functions.sort(key=lambda function: function[0])
        self.keys = [function[0] for function in self.functions]

    def at(self, pc):
        number = bisect.bisect_right(self.keys, pc) - 1
        if number < 0 or pc >= self.functions[number][1]:
            return None
        rows = self.functions[number][2]
        at = bisect.bisect_right([start for start, _ in rows], pc) - 1
        return rows[at][1] if at >= 0 else None


# --- What trawl reads ----------------------------------------------------------------------------


def ours(program, image):
    """({source: Rows}, number of entries that cannot be read)."""
    found, damaged = collections.defaultdict(Rows), 0
    functions = collections.defaultdict(list)
    for line in run(program, image).splitlines():
        source, *words = line.split()
        if source == "damaged":
            damaged = int(words[0])
            continue
        start, end = int(words[0], 16), int(words[1], 16)
        places = dict(word.split("=", 1) for word in words[2:] if "=" in word)
        places = {name: re.sub(r":.*", "", place) for name, place in places.items()}
        ra = places.pop("ra", None)
        row = (places.pop("cfa", words[2]), tuple(sorted(places.items())), ra)
        functions[source].append((start, end, row))
    for source, rows in functions.items():
        for start, end, row in rows:
            found[source].add(start, end, [(start, row)])
        found[source].sort()
    return found, damaged


# --- What readelf reads --------------------------------------------------------------------------


def number_of(name, machine):
    if name == "ra":
        return RA[machine]
    names = {"EM_X86_64": X86_64, "EM_386": I386}.get(machine, [])
    if name in names:
        return names.index(name)
    if name[0] in "dvbf":  # vector and floating-point registers
        return REGISTERS
    if name in ("sp", "wsp"):
        return 31
    return int(re.sub(r"\D", "", name))


def place_text(text, machine):
    """A column of readelf, written as frame_rows does."""
    if text == "exp":
        return "exp"
    if text == "vexp":
        return "vexp"
    if re.fullmatch(r"[cv][+-]\d+", text) or text == "s":
        return text
    return f"r{number_of(text, machine)}"


def cfa_text(text, machine):
    if text == "exp":
        return "exp"
    name, sign, offset = re.fullmatch(r"(\w+)([+-])(\d+)", text).groups()
    return f"r{number_of(name, machine)}{sign}{offset}"


def readelf_rows(image, machine, code):
    found, columns, common = Rows(), [], {}
    ras, section, begins = {}, "", None
    rows, function = [], None

    def end():
        if function and any(first <= function[0] < last for first, last in code):
            # If a function is in both sections, the row of .debug_frame comes first.
            found.add(*function, list(rows))

    for line in run("readelf", "--debug-dump=frames-interp", "-W", image).splitlines():
        if match := re.match(r"Contents of the (\S+) section", line):
            section = match[1]
        elif match := re.match(r"([0-9a-f]+) \S+ \S+ CIE .*ra=(\d+)", line):
            end()
            function, rows, begins = None, [], (section, int(match[1], 16))
            ras[begins] = int(match[2])
            common[begins] = None
        elif match := re.match(r"\S+ \S+ \S+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)", line):
            end()
            begins = (section, int(match[1], 16))
            function, rows = (int(match[2], 16), int(match[3], 16)), []
            columns = None
            if common.get(begins):
                rows.append((function[0], common[begins]))
        elif line.strip().startswith("LOC"):
            columns = line.split()[2:]
        elif columns is not None and "ZERO" not in line and (match := re.match(r"([0-9a-f]{8,}) (\S+) *(.*)", line)):
            places = {}
            # If a register is in another register, readelf prints the number and the name of that one.
            for name, text in zip(columns, re.sub(r" \(\w+\)", "", match[3]).split()):
                number = ras[begins] if name == "ra" else number_of(name, machine)
                if text != "u" and number < REGISTERS:
                    places[f"r{number}"] = place_text(text, machine)
            row = (cfa_text(match[2], machine), tuple(sorted(places.items())), f"r{ras[begins]}")
            if function is None:
                common[begins] = row
            else:
                rows[:] = [old for old in rows if old[0] != int(match[1], 16)]
                rows.append((int(match[1], 16), row))
    end()
    found.sort()
    return found


def readelf_exidx(image):
    """[(start, row or a word)] by `readelf -u`, whose text is interpreted here."""
    entries, base, offset, places, ends = [], 13, 0, {}, None

    def end():
        if not entries:
            return
        if ends:
            entries[-1] = (entries[-1][0], ends)
            return
        row = {f"r{register}": f"c{at - offset:+d}" for register, at in places.items()}
        entries[-1] = (entries[-1][0], (f"r{base}{offset:+d}", tuple(sorted(row.items())), "r15" if 15 in places else "r14"))

    for line in run("readelf", "-u", "-W", image).splitlines():
        if match := re.match(r"(0x[0-9a-f]+)(?: <[^>]*>)?: (\S+)(.*)", line):
            end()
            entries.append((int(match[1], 16), None))
            base, offset, places, ends = 13, 0, {}, None
            if "cantunwind" in line:
                ends = "cantunwind"
        elif match := re.search(r"\bvsp = vsp ([+-]) (\d+)", line):
            offset += int(match[1] + match[2])
        elif match := re.search(r"\bvsp = r(\d+)", line):
            base, offset = int(match[1]), 0
        elif match := re.search(r"\bpop \{(.*)\}", line):
            for kind, first, last in re.findall(r"([rD])(\d+)(?:-D(\d+))?", match[1]):
                if kind == "r":
                    places[int(first)] = offset
                offset += 4 if kind == "r" else 8 * (int(last or first) - int(first) + 1)
    end()
    return entries


# --- Both ----------------------------------------------------------------------------------------


def about(image):
    """(name of the machine, executable ranges)."""
    head = run("readelf", "-hlSW", image)
    names = {"AArch64": "EM_AARCH64", "ARM": "EM_ARM", "Advanced Micro Devices X86-64": "EM_X86_64",
             "Intel 80386": "EM_386", "IBM S/390": "EM_S390"}  # fmt: skip
    machine = names[re.search(r"Machine:\s+(.*)", head)[1].strip()]
    code = [(int(match[1], 16), int(match[1], 16) + int(match[2], 16))
            for match in re.finditer(r"LOAD\s+\S+ (0x\S+) \S+ \S+ (0x\S+) R.E", head)]  # fmt: skip
    return machine, code


def check_dwarf(checker, image, found):
    machine, code = about(image)
    wanted = readelf_rows(image, machine, code)
    pcs = wanted.starts() | found.starts()
    pcs |= {pc - 1 for pc in pcs} | {end for _, end, _ in wanted.functions}
    faults = []
    for pc in sorted(pcs):
        mine, theirs = found.at(pc), wanted.at(pc)
        if mine:  # readelf prints "u" also for registers without a rule
            mine = (mine[0], tuple(place for place in mine[1] if place[1] != "u"), mine[2])
        if mine != theirs:
            faults.append(f"{pc:#x}: {mine}, readelf has {theirs}")
    checker.no_fault(f"{image.name}: DWARF", faults[:3])
    return len(wanted.starts())


def check_exidx(checker, image, found):
    entries = readelf_exidx(image)
    mine = [(start, rows[0][1]) for start, _, rows in found.functions]
    mine = [(start, row if len(row) == 3 and row[1] else row[0]) for start, row in mine]
    last = mine and mine[-1]
    faults = [pair for pair in zip(mine, entries) if pair[0] != pair[1]]
    checker.no_fault(f"{image.name}: exception tables", faults[:3] or (len(mine) != len(entries) and (last, len(mine), len(entries))))
    return len(entries)


def spoil(image, directory, seed):
    """Images with changed bytes in the sections that trawl reads; reading them must do no harm."""
    rng = random.Random(seed)
    places = []
    for line in run("readelf", "-SW", image).splitlines():
        match = re.search(r"\] (\.eh_frame|\.debug_frame|\.ARM\.ex\w+) +\S+ +\S+ (\S+) (\S+)", line)
        if match:
            places.append((int(match[2], 16), int(match[3], 16)))
    data = bytearray(image.read_bytes())
    for offset, size in places:
        for _ in range(rng.randint(1, 1 + size // 16)):
            data[offset + rng.randrange(size)] = rng.randrange(256)
    path = directory / f"spoiled-{seed}.elf"
    path.write_bytes(data)
    return path


pytestmark = pytest.mark.skipif(not shutil.which("readelf"), reason="there is no readelf")


@pytest.fixture(scope="session")
def program(prefix):
    return prefix / "tests" / "frame-rows"


def test_rows(checker, program):
    rows = 0
    for image in IMAGES:
        found, damaged = ours(program, image)
        checker.no_fault(f"{image.name}: nothing is damaged", damaged and f"{damaged} entries")
        rows += check_dwarf(checker, image, found["dwarf"])
        if "exidx" in found:
            rows += check_exidx(checker, image, found["exidx"])
    checker.check("enough rows", rows >= ROWS_MIN, rows)


def test_spoiled(program, place):
    for number, image in enumerate(IMAGES):
        for turn in range(SPOILED_EACH):
            path = spoil(image, place, number * SPOILED_EACH + turn)
            run(program, path, status=(0, 1))
            path.unlink()
