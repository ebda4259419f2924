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
    return next(iter(run(trawl, trace, "state", f"--registers={name}", f"--at={at}")["registers"].values()))["value"]


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
    "LDP w": ("29400be1", "O", [("MW8", 0xffe0, "0000801c0000fff0")]),
    "LDP q": ("ad4003e0", "O", [("MW16", 0xffe0, "0" * 28 + "1234"), ("MW16", 0xfff0, "0" * 32)]),
    "LDR q": ("3dc003e0", "O", [("MW16", 0xffe0, "0" * 28 + "1234")]),
    "LDR x, pre-indexed": ("f85f0c20", "O", [("MW8", 0xffe0, "0" * 12 + "1234")]),
    "LDXP": ("c87f0440", "O", [("MR16", 0xffe0, "0" * 28 + "1234")]),
    "LD1": ("4c402000", "O", [("MW16", 0xffe0, "0" * 28 + "1234"), ("MW16", 0xfff0, "0" * 32)]),
    "LD1W of SVE": ("a540a000", "O", [("MW32", 0xffe0, "0" * 60 + "1234")]),
    "LDM of A32": ("e8930006", "A", [("MW8", 0xffe0, "0000801c0000fff0")]),
    "POP of A32": ("e8bd8010", "A", [("MW8", 0xffe0, "0000801c0000fff0")]),
    "LDRD of A32": ("e1c020d0", "A", [("MW8", 0xffe0, "0000801c0000fff0")]),
    "VLDM of A32": ("ecb00b04", "A", [("MW8", 0xffe0, "1234"), ("MW8", 0xffe8, "1234")]),
    "POP of T16": ("bd10", "T", [("MW8", 0xffe0, "0000801c0000fff0")]),
    "LDM of T32": ("e8b000f0", "T", [("MW8", 0xffe0, "1234"), ("MW8", 0xffe8, "1234")]),
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
