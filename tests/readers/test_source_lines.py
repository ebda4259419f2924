"""Source lines and inlined functions equal those of llvm-symbolizer (and so of `addr2line -i`): at every distinct PC of the traces of the
corpus, and at addresses throughout a program with at least 10 MB of debugging information; this is trawl itself unless another is given.

    tests/run.py source_lines
    tests/run.py source_lines --image PROGRAM
"""

import collections
import csv
import io
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import quick
import symbolizer
import test_line_profile
import test_split_frames
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 600
PC = re.compile(rb"(?:^\d+ clk (?:\w+ )?I[TS] \(\d+\) |^ *\d+ tic (?:\w+ )?ES +\()([0-9a-f]+)", re.MULTILINE)
AARCH64 = 183
ADDRESSES = 4000
DEBUG_BYTES = 10 << 20
MACHINE_AT, SECTIONS_AT = 18, 40


pytestmark = [pytest.mark.skipif(not symbolizer.tool(), reason="no llvm-symbolizer"),
              pytest.mark.skipif(not shutil.which("readelf"), reason="no readelf")]


class Lines(Checker):
    def rows(self, command, trace, image, by):
        done = quick.run([self.trawl, command, "--force-image", "--image", image, trace, "--by", by, "--format", "csv"], timeout=TIMEOUT_S)
        self.check(f"{trace}: status", done.returncode in (0, 3), (done.returncode, done.stderr))  # 3: the trace is damaged
        return csv.DictReader(io.StringIO(done.stdout.decode()))

    def compare(self, trace, image, addresses):
        """Compares the line at each address. Returns the chain of inlined functions at each address."""
        chains = symbolizer.chains(image, addresses)
        told = {int(row["address"], 16): (Path(row["file"]).name, int(row["line"] or 0)) for row in self.rows("coverage", trace, image, "instruction")}
        for address in addresses:
            _, path, line = chains[address][0]
            file, number = told.get(address, ("", None))
            self.check(f"{image}: lines", (file, number) == (Path(path).name, line) if line else number == 0,
                       (file, number, chains[address]), f"{address:#x}")
        return chains


@pytest.fixture
def lines(trawl):
    return Lines(trawl)


def test_corpus(lines):
    images, inlined = 0, 0
    for image in sorted(IMAGES.glob("*.elf")):
        traces = sorted(TRACES.glob(f"{image.stem}.*.tarmac"))
        for trace in traces:
            addresses = sorted({int(pc, 16) & ~1 for pc in PC.findall(trace.read_bytes())})
            if addresses:
                inlined += sum(len(chain) > 1 for chain in lines.compare(trace, image, addresses).values())
                images += trace == traces[-1]
    lines.check("images", images > 20, images)
    lines.check("inlined functions", inlined > 500, inlined)


def code_of(program):
    """[(address, size)] of the functions in the symbol table of a program."""
    listed = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ *\d+: ([0-9a-f]+) +(\d+) FUNC ", listed, re.MULTILINE)
    return sorted({(int(address, 16), int(size)) for address, size in found if int(size) > 3})


def aliases_of(program):
    """Names of functions that share their address with others; a report shows only one of them."""
    listed = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True, check=True).stdout
    names = collections.defaultdict(set)
    for address, name in re.findall(r"^ *\d+: ([0-9a-f]+) .* FUNC .* \d+ (\S+)$", listed, re.MULTILINE):
        names[address].add(own_name(name))
    return {name for of in names.values() if len(of) > 1 for name in of}


def own_name(name):
    """The name without namespaces, which Zig's linker puts before it, and without the address that a report adds if two symbols have the
    name."""
    return name.split("@")[0].rsplit(".", 1)[-1]


def chains_of_export(text):
    """PC to [(function, line)], innermost first, from the callgrind export of instructions with inlined functions; chains
        in which a name occurs twice are left out."""
    own, calls = test_split_frames.read_callgrind(text)
    callers = {(pc, callee): (caller, line) for (caller, (pc, line), callee), (count, _) in calls.items() if not count}
    found = {}
    for function, _, (pc, line) in own:
        chain = [(function, line)]
        while (pc, chain[-1][0]) in callers and len(chain) < 64:
            chain.append(callers[pc, chain[-1][0]])
        if pc not in found or (len(chain), line != 0) > (len(found[pc]), found[pc][0][1] != 0):
            found[pc] = chain  # not the entry for a function as a whole
    return found


def check_chains(lines, image, trace, chains):
    """Compares the inlined functions at each address, innermost first, with all lines. The outermost function is not compared: it is the
        one that was called, and a trace without calls has only one."""
    done = quick.run([lines.trawl, "export", "--format", "callgrind", "--instructions", "--inlines", "--force-image", "--image", image, trace], text=True, timeout=TIMEOUT_S)
    lines.check("export: status", done.returncode == 0, done.stderr[-300:])
    found, compared = chains_of_export(done.stdout), 0
    for address, chain in chains.items():
        told = found.get(address, [])
        names = [own_name(name) for name, _, _ in chain]
        if len(set(names)) != len(names) or len({name for name, _ in told}) != len(told):
            continue
        wanted = [(name, line) for name, _, line in chain]
        compared += len(chain) > 1
        lines.check(f"{image}: chains", [own_name(name) for name, _ in told[:-1]] == names[:-1] and [line for _, line in told] == [line for _, line in wanted],
                    (told, wanted), f"{address:#x}")
    lines.check("chains of inlined functions", compared > 500, compared)


def debug_bytes(program):
    listed = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout
    return sum(int(size, 16) for size in re.findall(r"\.debug_\w+ +PROGBITS +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)", listed))


def largest(programs):
    """Of the programs built for any machine, the one with the most debugging information."""
    candidates = [programs / "trawl", programs.parent / "tests" / "aarch64" / "trawl"]
    return max((program for program in candidates if program.exists()), key=debug_bytes)


def check_large(lines, program, folder):
    """The image is for another machine: its machine number is changed, because it is read with a trace of Arm."""
    image, trace = folder / "large.elf", folder / "large.tarmac"
    data = bytearray(program.read_bytes())
    data[MACHINE_AT:MACHINE_AT + 2] = AARCH64.to_bytes(2, "little")
    image.write_bytes(data)
    functions = code_of(image)
    step = max(1, sum(size for _, size in functions) // ADDRESSES) | 1
    addresses = sorted({at & ~1 for start, size in functions for at in range(start + 1 & ~1, start + size, step)})
    trace.write_text("".join(f"{time} clk IT ({time}) {at:08x} d503201f O EL3h_s : NOP\n" for time, at in enumerate(addresses)))
    chains = lines.compare(trace, image, addresses)
    figures = {at: [1, 1] for at in addresses[:-1]} | {addresses[-1]: [0, 1]}
    rows = [(row["function"], int(row["with_inlined"])) for row in lines.rows("profile", trace, image, "inline")]
    # The linker puts namespaces before the names of the source, so several functions may have the same name in the source. The outermost
    # function has the linker's name, inlined functions have that of the source. An address in two functions of one name counts for each.
    found, plain = collections.Counter(), {at: [(own_name(name), path, line) for name, path, line in chain] for at, chain in chains.items()}
    for name, ticks in rows:
        found[own_name(name)] += ticks
    wanted = test_line_profile.by_function(figures, plain)
    twice = {name for chain in plain.values() for name, _, _ in chain if [other for other, _, _ in chain].count(name) > 1}
    unlike = twice | aliases_of(image)
    inner = {name: wanted[name][2] for chain in plain.values() for name, _, _ in chain[:-1] if name not in unlike}
    lines.check("functions that were inlined", len(inner) > 100, len(inner))
    lines.check("inlined functions, by their sums", {name: found[name] for name in inner} == inner,
                [(name, found[name], inner[name]) for name in inner if found[name] != inner[name]][:8])
    check_chains(lines, image, trace, chains)


def test_large(lines, prefix, place):
    """TRAWL_LARGE_IMAGE names a program to use instead of the largest one that was built."""
    program = Path(os.environ.get("TRAWL_LARGE_IMAGE") or largest(prefix / "bin"))
    if debug_bytes(program) < DEBUG_BYTES:
        lines.skip("10 MB of debugging information", f"{program} has {debug_bytes(program)} bytes")
    check_large(lines, program, place)
