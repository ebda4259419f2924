"""What a line of a trace does to registers and memory, where producers write it in unusual ways.

    tests/run.py effects

Each case is a short trace, and what `state` or `writes` say of it. Each question is asked of the whole trace at once, and of the trace cut
into chunks of a line.
"""

import json

import pytest
import quick

TIMEOUT_S = 60
GEM5 = "{} clk cpu0 IT ({}) {:08x}:{:012x} {} O EL1h_s :   {}"


def run(trawl, trace, command, *words):
    answers, index = [], trace.with_suffix(".index")
    for cut in ((), ("--chunk-size=1",)):
        built = quick.answer([str(trawl), "index", "-q", "--force-index", *cut, f"--index={index}", str(trace)], TIMEOUT_S)
        assert built[0] == 0, built[2].decode()
        status, out, err, _ = quick.answer([str(trawl), command, f"--index={index}", "--format=json", str(trace), *words], TIMEOUT_S)
        answers.append((status, out, err))
    assert answers[0] == answers[1], f"{command} {words}: chunks differ: {answers}"
    status, out, err = answers[0]
    assert status == 0 and out, (status, err.decode())
    return json.loads(out)


def memory(trawl, trace, span, at="end"):
    return run(trawl, trace, "state", f"--memory={span}", f"--at={at}")["memory"][0]["bytes"]


def register(trawl, trace, name, at="end"):
    return next(iter(run(trawl, trace, "state", f"--registers={name}", f"--at={at}")["lanes"][0]["registers"].values()))["value"]


def stores(trawl, trace, span):
    return [(row["line"], row["kind"]) for row in run(trawl, trace, "writes", "--all", span)]


def lines(*texts):
    return "".join(text + "\n" for text in texts)


def instruction(time, address, encoding, text, isa="O"):
    mode = "EL1h_s" if isa == "O" else "svc_s"
    return f"{time} clk cpu0 IT ({time}) {address:08x}:{address:012x} {encoding} {isa} {mode} :   {text}"


def access(time, word, address, value):
    return f"{time} clk cpu0 {word} {address:08x}:{address:012x} {value}"


FRAME = lines(
    instruction(1, 0x8028, "a9bf7bfd", "STP"),
    access(1, "MW8", 0xffe0, "000000000000fff0"),
    access(1, "MW8", 0xffe8, "000000000000801c"))
FRAME_BYTES = "f0ff0000000000001c80000000000000"

# What a load of gem5 writes: the instruction, its state, and its accesses.
LOADS = {
    "LDP x": ("a9407be1", "O", [("MW16", 0xffe0, "0" * 28 + "801c")]),
    "LDP x, post-indexed": ("a8c17bfd", "O", [("MW16", 0xffe0, "0" * 28 + "801c")]),
    "LDP w": ("29400be1", "O", [("MW8", 0xffe0, "000000000000fff0")]),
    "LDP q": ("ad4003e0", "O", [("MW16", 0xffe0, "0" * 28 + "1234"), ("MW16", 0xfff0, "0" * 32)]),
    "LDR q": ("3dc003e0", "O", [("MW16", 0xffe0, "0" * 28 + "1234")]),
    "LDR x, pre-indexed": ("f85f0c20", "O", [("MW8", 0xffe0, "000000000000fff0")]),
    "LDXP": ("c87f0440", "O", [("MR16", 0xffe0, "0" * 28 + "1234")]),
    "LD1": ("4c402000", "O", [("MW16", 0xffe0, "0" * 28 + "1234"), ("MW16", 0xfff0, "0" * 32)]),
    "LD1W of SVE": ("a540a000", "O", [("MW32", 0xffe0, "0" * 60 + "1234")]),
    "LDM of A32": ("e8930006", "A", [("MW8", 0xffe0, "000000000000fff0")]),
    "POP of A32": ("e8bd8010", "A", [("MW8", 0xffe0, "000000000000fff0")]),
    "LDRD of A32": ("e1c020d0", "A", [("MW8", 0xffe0, "000000000000fff0")]),
    "VLDM of A32": ("ecb00b04", "A", [("MW8", 0xffe0, "fff0"), ("MW8", 0xffe8, "801c")]),
    "POP of T16": ("bd10", "T", [("MW8", 0xffe0, "000000000000fff0")]),
    "LDM of T32": ("e8b000f0", "T", [("MW8", 0xffe0, "fff0"), ("MW8", 0xffe8, "801c")]),
}


@pytest.mark.parametrize("name", LOADS)
def test_loads_of_gem5_change_nothing(trawl, place, name):
    """gem5 writes W for loads that it divides into several operations; the encoding tells."""
    encoding, isa, accesses = LOADS[name]
    trace = place / "t.tarmac"
    trace.write_text(FRAME + lines(instruction(2, 0x8030, encoding, name, isa), *(access(2, *one) for one in accesses)))
    assert stores(trawl, trace, "0xffe0:32") == [(1, "store")], name
    assert memory(trawl, trace, "0xffe0:16") == FRAME_BYTES
    status, _, err, _ = quick.answer([str(trawl), "doctor", str(trace)], TIMEOUT_S)
    assert status == 0, err.decode()


def test_half_of_an_access(trawl, place):
    """Memory that only such a load shows is unknown: half of its bytes are not in the record, and which half is not said."""
    trace = place / "t.tarmac"
    load = lines(instruction(1, 0x8030, "a9407be1", "LDP"), access(1, "MW16", 0xffe0, "0" * 28 + "801c"))
    trace.write_text(load)
    assert memory(trawl, trace, "0xffe0:16") == "." * 32
    trace.write_text(FRAME + lines(instruction(2, 0x8030, "c8230440", "STXP"), access(2, "MW16", 0xffe0, "0" * 28 + "801c")))
    assert stores(trawl, trace, "0xffe0:16") == [(1, "store"), (4, "unknown store")]
    assert memory(trawl, trace, "0xffe0:16") == "." * 32


STORES = {
    "STP": lines(instruction(2, 0x8030, "a9007be1", "STP"), access(2, "MW16", 0xffe0, "0" * 28 + "1234")),
    "SWP": lines(instruction(2, 0x8030, "f8208041", "SWP"), access(2, "MR8", 0xffe0, "0" * 16), access(2, "MW8", 0xffe0, "0" * 12 + "1234")),
    "CAS": lines(instruction(2, 0x8030, "c8e07c41", "CASA"), access(2, "MW8", 0xffe0, "0" * 12 + "1234")),
    "an exception that stores after a load": lines(
        instruction(2, 0x8030, "6803", "LDR", "T"), access(2, "MR4", 0x1000, "0" * 8), access(2, "MW4", 0xffe0, "00001234")),
    "an exception instead of a load": lines(
        instruction(2, 0x8030, "6803", "LDR", "T"), "2 clk cpu0 E 00000000 0000001f CoreEvent_EXT", access(2, "MW4", 0xffe0, "00001234")),
    "a load that is not executed": lines(
        instruction(2, 0x8030, "e5902000", "LDR", "A").replace(" IT ", " IS "), access(2, "MW4", 0xffe0, "00001234")),
    "another core": lines(
        instruction(2, 0x8030, "f9400002", "LDR"), access(2, "MW8", 0xffe0, "0" * 12 + "1234").replace("cpu0", "cpu1")),
    "the bus of a Cortex-M0": lines(
        "2 ns IT 00008030 6803 LDR r3,[r0]", "3 ns MW4_D 0000ffe0 00001234", "3 ns IT 00008032 6003 STR r3,[r0]"),
}


@pytest.mark.parametrize("name", STORES)
def test_stores_stay_stores(trawl, place, name):
    trace = place / "t.tarmac"
    trace.write_text(STORES[name])
    assert [kind for _, kind in stores(trawl, trace, "0xffe0:4")] == ["store"], name
    assert memory(trawl, trace, "0xffe0:4") == "34120000"


def test_ttu_takes_them_as_written(trawl, place):
    """Under the tarmac-* names the record word decides."""
    trace, vcd = place / "t.tarmac", place / "t.vcd"
    trace.write_text(FRAME + lines(instruction(2, 0x8030, "29400be1", "LDP"), access(2, "MW8", 0xffe0, "0000801c0000fff0")))
    words = {}
    for name in ("tarmac-vcd", "trawl"):
        command = [str(trawl.with_name(name)), *(["vcd"] if name == "trawl" else []), "-o", str(vcd), str(trace)]
        assert quick.answer(command, TIMEOUT_S)[0] == 0
        words[name] = [line.split()[0] for line in vcd.read_text().splitlines() if line[:2] in ("sR", "sW")]
    assert words == {"tarmac-vcd": ["sW", "sW", "sW"], "trawl": ["sW", "sW", "sR"]}


NOP = instruction(1, 0x8000, "d503201f", "NOP")
NOP_A32 = instruction(1, 0x8000, "e1a00000", "NOP", "A")


def written(name, value, first=NOP):
    return lines(first, f"1 clk cpu0 R {name} {value}")


VALUES = [
    # A line and what it says of a register.
    (written("LR", "0000000000008123"), {"x30": "0x0000000000008123", "lr": "0x0000000000008123", "x14": None}),
    (written("lr", "00008123"), {"x30": "0x0000000000008123", "x14": None}),
    (written("FP", "00000000000080f0"), {"x29": "0x00000000000080f0", "fp": "0x00000000000080f0", "x11": None}),
    (written("lr_svc", "00008123", NOP_A32), {"r14": "0x00008123", "lr": "0x00008123"}),
    (written("LR", "00008123", NOP_A32), {"r14": "0x00008123", "x30": None}),
    (written("fp_svc", "00000011", NOP_A32), {"r11": "0x00000011", "fp": "0x00000011"}),
    (written("sl", "00000010", NOP_A32), {"r10": "0x00000010", "sl": "0x00000010"}),
    (written("sb_usr", "00000009", NOP_A32), {"r9": "0x00000009", "sb": "0x00000009"}),
    (written("IP", "00000012", NOP_A32), {"r12": "0x00000012", "ip": "0x00000012"}),
    (written("FP_CTRL", "00000011", NOP_A32), {"r11": None, "FP_CTRL": "0x00000011"}),
    (written("SP", "7ff0"), {"sp": "0x0000000000007ff0", "x13": None}),
    (written("r0", "8", NOP_A32), {"r0": "0x00000008"}),
    (written("X0", "12"), {"x0": "0x0000000000000012"}),
    (written("r0", "0x12345678", NOP_A32), {"r0": "0x12345678"}),
    (written("X0", "0x1234"), {"x0": "0x0000000000001234"}),
    (written("cpsr", "0x600001d3", NOP_A32), {"psr": "0x600001d3"}),
    (written("r0", "xxxxxxxx", NOP_A32), {"r0": None}),
    (written("r0", "0000xxxx", NOP_A32), {"r0": "0x0000...."}),
    (written("r0", "0x0000XXzz", NOP_A32), {"r0": "0x0000...."}),
    (written("r0", "x", NOP_A32), {"r0": None}),
    (written("r0", "x1", NOP_A32), {"r0": None}),
    (written("r0", "1x", NOP_A32), {"r0": "0x000000.."}),
    (written("psr", "xx0xxXxx", NOP_A32), {"psr": None}),
    (written("X12", "00000000xxxxxxxx"), {"x12": "0x00000000........"}),
    (written("SP_EL1", "xxxxxxxx00000000"), {"sp": "0x........00000000"}),
    (written("SCTLR_EL1", "00000000xxxxxx01"), {"SCTLR_EL1": "0x00000000......01"}),
    (written("V1", "xxxxxxxxxxxxxxxx1122334455667788"), {"v1": "0x" + 16 * "." + "1122334455667788"}),
    (written("ZA0H.B[3]", "00112233445566778899aabbccddeeff"), {"ZA0H.B[3]": "0x00112233445566778899aabbccddeeff"}),
    (written("ZA[12]", "0011"), {"za[12]": "0x0011"}),
    (written("za0h.s[3]", "11" * 64), {"ZA0H.S[3]": "0x" + "11" * 64}),
    (written("H3", "3c00"), {"v3": "0x" + "0" * 28 + "3c00", "h3": "0x3c00", "b3": "0x00", "s3": "0x00003c00"}),
    (written("b31", "7f"), {"v31": "0x" + "0" * 30 + "7f", "B31": "0x7f"}),
    (written("h3", "3cxx"), {"h3": "0x3c.."}),
    (written("h5", "3c00", NOP_A32), {"s5": "0x....3c00"}),
    (written("h32", "3c00"), {"h32": "0x3c00"}),
    (written("H3_EL1", "3c00"), {"H3_EL1": "0x3c00"}),
    (written("V1.D[1]", "1122334455667788"), {"v1": "0x1122334455667788" + 16 * "."}),
    (written("P0", "11110007_11110006_11110005_11110004_11110003_11110002_11110001_11110000"),
     {"p0": "0x1111000711110006111100051111000411110003111100021111000111110000", "p1": None}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_registers(trawl, place, number):
    text, wanted = VALUES[number]
    trace = place / "t.tarmac"
    trace.write_text(text)
    for name, value in wanted.items():
        found = register(trawl, trace, name)
        unknown = found is None or set(found) <= set("0x.") and "." in found and "0" not in found[2:]
        assert value is None and unknown or found == value, (text, name, found)
    assert quick.answer([str(trawl), "profile", str(trace)], TIMEOUT_S)[0] == 0


VECTOR = "1122334455667788_99aabbccddeeff00"


@pytest.mark.parametrize("name, value, low", [
    ("V1", VECTOR, "112233445566778899aabbccddeeff00"),
    ("q1", VECTOR, "112233445566778899aabbccddeeff00"),
    ("D1", "1122334455667788", "0" * 16 + "1122334455667788"),
    ("S1", "11223344", "0" * 24 + "11223344"),
    ("H1", "1122", "0" * 28 + "1122"),
    ("b1", "11", "0" * 30 + "11"),
    ("V1.D[1]", "1122334455667788", "1122334455667788" + "1" * 16),
    ("V1<63:0>", "1122334455667788", "1" * 16 + "1122334455667788"),
])  # fmt: skip
def test_neon_clears_the_rest_of_z(trawl, place, name, value, low):
    """A write to v, q, d or s of AArch64 clears the rest of z, as far as vectors of the trace have been seen to reach; not before."""
    trace = place / "t.tarmac"
    text = lines(
        NOP, f"1 clk cpu0 R V2 {VECTOR}", f"1 clk cpu0 R Z1 {'1' * 64}", f"1 clk cpu0 R Z3 {'3' * 64}",
        instruction(2, 0x8004, "d503201f", "NOP"), f"2 clk cpu0 R {name} {value}",
        instruction(3, 0x8008, "d503201f", "NOP"), f"3 clk cpu0 R Z1 {'2' * 64}", f"3 clk cpu0 R V4 {VECTOR}")
    trace.write_text(text)
    unknown = "0x" + "." * (512 - 64)
    assert register(trawl, trace, "z1", "line:4") == unknown + "1" * 64
    assert register(trawl, trace, "z1", "line:6") == unknown + "0" * 32 + low
    assert register(trawl, trace, "z1") == unknown + "2" * 64
    assert register(trawl, trace, "z2") == unknown + "." * 32 + VECTOR.replace("_", "")
    assert register(trawl, trace, "z3") == unknown + "3" * 64
    assert register(trawl, trace, "z4") == unknown + "0" * 32 + VECTOR.replace("_", "")
    assert quick.answer([str(trawl), "verify", str(trace.with_suffix(".index"))], TIMEOUT_S)[0] == 0


def test_aarch32_keeps_the_rest_of_z(trawl, place):
    trace = place / "t.tarmac"
    trace.write_text(lines(
        NOP, f"1 clk cpu0 R Z1 {'1' * 64}", instruction(2, 0x8004, "e1a00000", "NOP", "A"), f"2 clk cpu0 R q1 {VECTOR}"))
    assert register(trawl, trace, "z1") == "0x" + "." * (512 - 64) + "1" * 32 + VECTOR.replace("_", "")


def test_unknown_values_replace_known_ones(trawl, place):
    """A register or memory that becomes unknown does not keep its old value, whatever writes it later in part."""
    trace = place / "t.tarmac"
    trace.write_text(lines(
        NOP, "1 clk cpu0 R X1 1111111122222222", access(1, "MW8", 0x1000, "1122334455667788"),
        instruction(2, 0x8004, "d503201f", "NOP"), "2 clk cpu0 R X1 xxxxxxxxxxxxxxxx", access(2, "MW4", 0x1000, "00xx00zz"),
        instruction(3, 0x8008, "d503201f", "NOP"), "3 clk cpu0 R W1 33333333", access(3, "MR4", 0x2000, "xxxx0000"),
        instruction(4, 0x800c, "d503201f", "NOP"), "4 clk cpu0 MR4 xxxxxxxx 00000000"))
    assert register(trawl, trace, "x1", "line:1") == "0x1111111122222222"
    assert register(trawl, trace, "x1", "line:4") in (None, "0x" + 16 * ".")
    assert register(trawl, trace, "x1") == "0x0000000033333333"
    assert memory(trawl, trace, "0x1000:8") == "..00..0044332211"
    assert memory(trawl, trace, "0x2000:4") == "0000...."
    assert [row["line"] for row in run(trawl, trace, "writes", "--all", "x1")] == [1, 4, 7]
    assert quick.answer([str(trawl), "verify", str(trace.with_suffix(".index"))], TIMEOUT_S)[0] == 0


def test_truncated_values_are_damage(trawl, place):
    trace = place / "t.tarmac"
    trace.write_text(written("r0", "8", NOP_A32)[:-1])
    assert quick.answer([str(trawl), "profile", str(trace)], TIMEOUT_S)[0] == 3


@pytest.mark.parametrize("name, size_bytes", [
    ("ZA", 4096), ("ZA0H.B[3]", 65), ("ZA0H.S[2]<1023:512>", 64), ("ZA<524287:0>", 65536),
])  # fmt: skip
def test_long_values_are_told(trawl, place, name, size_bytes):
    """A value beyond the bound is not kept, which every report says, from the trace and from its index."""
    trace, value = place / "t.tarmac", "12" * size_bytes
    trace.write_text(lines(NOP, f"1 clk cpu0 R {name} {value}", f"1 clk cpu0 R {name} {value}", "1 clk cpu0 R ZT0 " + "34" * 64))
    for words in (["profile"], ["profile", "--chunk-size=1"], ["state", "--at=end"], ["profile"]):
        status, _, messages, _ = quick.answer([str(trawl), words[0], *words[1:], str(trace)], TIMEOUT_S)
        assert status == 0 and b"2 register values of more than 64 bytes, the first in line 2: they are not kept" in messages
    assert register(trawl, trace, "zt0") == "0x" + "34" * 64


def test_numbers_with_0x(trawl, place):
    trace = place / "t.tarmac"
    trace.write_text(lines("1 clk cpu0 IT (1) 0x00008000:0x000000008000_NS 0xe5801000 A svc_s : STR r1,[r0]",
                           "1 clk cpu0 MW4 0x00001000:0x000000001000_NS 0x12345678",
                           "2 clk cpu0 ES (0x00008004:0xe1a00000) A svc_s: NOP"))
    assert memory(trawl, trace, "0x1000:4") == "78563412"
    assert run(trawl, trace, "info")["trace"]["instructions"] == 2
