"""The names of addresses: what a symbol names, and what it does not, from images and from an index."""

import json

import pytest
import quick
import small_elf
from compilers import ROOT
from served import Served
from small_elf import SHN_ABS, STT_FUNC, STT_NOTYPE

# second's slow path is before it, in no function, as in newlib's strcmp for Thumb; first has ended there.
SYMBOLS = {
    "main": (0x1000, 8),
    "first": (0x1008, 4),
    "second": (0x1014, 4),
    "label": (0x1018, 0, 1, STT_NOTYPE),
    "stack_size": (0x1010, 0, SHN_ABS, STT_NOTYPE),
    "rom_function": (0x1010, 4, SHN_ABS, STT_FUNC),
}
CODE = [(0x1000, 0x94000005), (0x1014, 0x17FFFFFE), (0x100C, 0xD503201F), (0x1010, 0xD65F03C0), (0x1004, 0xD503201F)]


@pytest.fixture
def run(programs, place):
    strings, symbols = b"\0", []
    for name, (address, *rest) in SYMBOLS.items():
        symbols.append((len(strings), address, *rest))
        strings += name.encode() + b"\0"
    (place / "a.elf").write_bytes(small_elf.image(strings, symbols))
    lines = ["0 clk R SP_EL1 0000000000009000"]
    for at, (pc, code) in enumerate(CODE, 1):
        lines.append(f"{at} clk IT ({at}) {pc:016x} {code:08x} O EL1h_s : x")
        if pc == 0x1000:
            lines.append(f"{at} clk R X30 0000000000001004")
    (place / "a.tarmac").write_text("\n".join(lines) + "\n")

    def run(*words):
        done = quick.run([programs / "trawl", *words], cwd=place)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "json" in words else done.stdout.decode()

    return run


def test_slow_path_before_its_function(run):
    for options in (["--memory-index", "--image", "a.elf"], ["--image", "a.elf"], []):
        if not options:
            run("index", "--image", "a.elf", "a.tarmac")
        rows = run("profile", "--format", "json", *options, "a.tarmac")
        assert {row["function"]: row["calls"] for row in rows} == {"main": 1, "second": 1}


def test_routines_without_a_type(programs, place):
    """Assembly that gives its routines a size, but no type, as Linux does: what runs in each counts to it, on whatever stack it begins."""
    strings, symbols = b"\0", []
    for name, address, size, *kind in [("main", 0x1000, 0x100), ("vectors", 0x2000, 0x800, 1, STT_NOTYPE), ("entry", 0x3000, 0x40, 1, STT_NOTYPE),
                                       ("back", 0x3040, 0x40, 1, STT_NOTYPE)]:  # fmt: skip
        symbols.append((len(strings), address, size, *kind))
        strings += name.encode() + b"\0"
    (place / "a.elf").write_bytes(small_elf.image(strings, symbols))
    lines, time = ["0 clk R SP_EL1 0000000000009000"], 0
    for pc, code in [(0x1000, 0xD503201F), (0x2200, 0x14000003), (0x220C, 0xD10543FF), (0x2210, 0x1400037C), (0x3000, 0xD503201F), (0x3004, 0x1400000F),
                     (0x3040, 0xD503201F), (0x3044, 0xD503201F), (0x3048, 0xD69F03E0), (0x1004, 0xD503201F), (0x1008, 0xD503201F)]:  # fmt: skip
        time += 1
        if pc == 0x2200:
            lines += [f"{time} clk E 0000000000002200 00000200 CoreEvent_CURRENT_SPx_SYNC", f"{time} clk R ELR_EL1 0000000000001004"]
        lines.append(f"{time} clk IT ({time}) {pc:016x} {code:08x} O EL1h_n : x")
        if pc in (0x220C, 0x3044):
            lines.append(f"{time} clk R SP_EL1 {0x8EB0 if pc == 0x220C else 0x9000:016x}")
    (place / "a.tarmac").write_text("\n".join(lines) + "\n")
    done = quick.run([programs / "trawl", "profile", "--format", "json", "--memory-index", "--image", "a.elf", "a.tarmac"], cwd=place)
    assert {row["function"]: row["self"] for row in json.loads(done.stdout)} == {"main": 2, "vectors+0x200": 3, "entry": 2, "back": 3}
    words = ["stack", "--unwind", "calls", "--format", "json", "--memory-index", "--at", "time:7", "--image", "a.elf", "a.tarmac"]
    frames = json.loads(quick.run([programs / "trawl", *words], cwd=place).stdout)
    assert [frame["function"].split("+")[0] for frame in frames] == ["back", "vectors", "main"]


def test_symbols_end(run):
    wanted = {0x1004: "main+0x4", 0x100C: None, 0x1010: None, 0x1014: "second"}
    for options in (["--image", "a.elf"], []):
        run("index", "--image", "a.elf", "a.tarmac")
        for pc, name in wanted.items():
            (row,) = run("pc", "a.tarmac", hex(pc), "--format", "json", *options)
            assert row["function"] == name, (hex(pc), row)
    # but an absolute symbol is a number to calculate with
    assert run("pc", "a.tarmac", "stack_size", "--format", "json", "--image", "a.elf")[0]["time"] == 4


def test_values(trawl, place):
    """At panic of a trace: a return address is named by its call, although it is the next function's start; data behind the code has
    no name of a function."""
    image = ROOT / "corpus/elf/corrupt-a64.elf"
    trace = place / "a.tarmac"
    trace.write_bytes((ROOT / "corpus/traces/corrupt-a64.it.tarmac").read_bytes())
    with Served(trawl, [trace], "--image", image) as served:
        _, memory = served.ask("memory", at=1624, address="sp", size=64, word=8)
        _, registers = served.ask("registers", at=1624)
        _, stack = served.ask("stack", at=1624)
        _, value = served.ask("value", at=1624, place="x30")
    words = {number: name for number, name, _ in memory["words"] if number}
    named = {one["name"]: one.get("name_of") for one in registers["registers"]}
    assert (words["0x80790"], words["0x806b4"], words["0x808d8"]) == ("run_jobs+0x70", "main+0xa4", ".rodata+0x40")
    assert (named["x30"], named["x1"]) == ("run_jobs+0x70", ".rodata+0x16")
    assert value.get("name_of", "run_jobs+0x70") == "run_jobs+0x70"
    assert [frame["name"] for frame in stack["frames"]] == ["panic+0x4", "run_jobs+0x6c", "main+0xa0", "_start+0x20"]


@pytest.mark.parametrize("isa, code", [("t32", 0x105C4), ("a32", 0x10798)])
def test_bit_0_of_values(trawl, place, isa, code):
    """Bit 0 of a pointer to code of 32-bit Arm is the Thumb bit, and that of one to data belongs to the address; with the image, and with an
    index that has its names."""
    image, trace = ROOT / f"corpus/elf/sort-{isa}.elf", place / "a.tarmac"
    text = (ROOT / f"corpus/traces/sort-{isa}.it.tarmac").read_text()
    values = {"r1": (0x11001, "numbers+0x1"), "r2": (code | 1, "quick_sort"), "r3": (code + 5, "quick_sort+0x4"), "r4": (0x11000, "numbers")}
    trace.write_text(text + "".join(f"999999 clk R {name} {value:08x}\n" for name, (value, _) in values.items()))
    quick.run([trawl, "index", "-q", "--image", image, trace])
    events = json.loads(quick.run([trawl, "info", "--format", "json", trace]).stdout)["trace"]["events"]
    for options in (["--image", image], []):
        with Served(trawl, [trace], *options) as served:
            _, registers = served.ask("registers", at=events - 1)
        named = {one["name"]: one.get("name_of") for one in registers["registers"]}
        assert {name: named[name] for name in values} == {name: wanted for name, (_, wanted) in values.items()}, options
