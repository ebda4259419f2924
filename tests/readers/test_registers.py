"""Registers that a trace names in addition to those of every core have their own timelines.

    tests/run.py registers

Random traces of several cores write registers of many names, each in several widths, by ranges of bits, with unknown digits, in upper and
lower case. `state` and `writes` must agree with a small model. The index is byte-identical for any size of chunks and any number of
threads, which find names in different orders. If there are too many names, the stored ones depend only on the trace, and the first name
that is not stored is reported.
"""

import csv
import hashlib
import io
import json
import random

import pytest
import quick
from test_vcd import Dump

TIMEOUT_S = 120
SEEDS = 25
NAMES_MAX = 3072  # LIMIT_NAMED_REGISTERS
WAYS = [("1G", 1), ("1", 3), ("64", 2), ("300", 5), ("4K", 2)]
NAMES = [
    "ELR_EL1", "ESR_EL1", "SCTLR", "FFR", "CONTROL", "PRIMASK", "spsr_svc", "TTBR0_EL1", "PSP", "BASEPRI",
    "S3_0_C15_C2_1", "ID_AA64PFR0_EL1", "a.b", "tcm-0", "n" * 63,
]
# Lines with values that cannot be stored: they are read and ignored.
UNREADABLE = ["", "svc", "<3:0> 5", "<7:x> 55", "<71", ": 55", "g", "1" * 129, "(old) (x)"]


class Model:
    """The bytes of each register of each core, from the lines of the trace."""

    def __init__(self):
        self.values = {}  # (core, name) -> {byte: (value, event)}
        self.widths = {}
        self.writes = {}  # (core, name) -> events

    def write(self, core, name, event, low, digits, is_range):
        name = name.lower()
        width = len(digits) // 2
        pairs = [digits[2 * i : 2 * i + 2] for i in range(width)][::-1]
        written = {low + i: int(pair, 16) for i, pair in enumerate(pairs) if pair != "--"}
        if not is_range and pairs[-1] != "--":
            written.update({i: 0 for i in range(width, (width + 7) // 8 * 8)})
        shown = 1
        while shown < low + width:
            shown *= 2
        self.widths[name] = max(self.widths.get(name, 0), shown)
        self.values.setdefault((core, name), {}).update({at: (value, event) for at, value in written.items()})
        self.writes.setdefault((core, name), []).append((event, set(written)))

    def text(self, core, name):
        held, width = self.values.get((core, name), {}), self.widths[name]
        if not any(at in held for at in range(width)):
            return None
        return "0x" + "".join("%02x" % held[at][0] if at in held else ".." for at in reversed(range(width)))

    def events(self, core, name):
        width = range(self.widths[name])
        return sorted({event for event, written in self.writes.get((core, name), []) if written & set(width)})


def random_case(draw, name):
    return draw.choice([name, name, name.upper(), name.lower()])


def register_line(draw, name):
    """(text after R, first byte, digits, whether it is a range)"""
    if draw.random() < 0.15:
        low = draw.choice([0, 1, 4, 8])
        count = draw.choice([1, 4, 8])
        digits = "%0*x" % (2 * count, draw.getrandbits(8 * count))
        return "%s <%d:%d> %s" % (name, 8 * (low + count) - 1, 8 * low, digits), low, digits, True
    count = draw.choice([1, 4, 4, 4, 8, 8, 16, 32, 64])
    digits = "%0*x" % (2 * count, draw.getrandbits(8 * count))
    if draw.random() < 0.1:
        at = 2 * draw.randrange(count)
        digits = digits[:at] + "--" + digits[at + 2 :]
    text = digits
    if len(digits) >= 16 and draw.random() < 0.5:
        text = draw.choice([":", " ", "_"]).join(digits[i : i + 8] for i in range(0, len(digits), 8))
    if draw.random() < 0.05:
        text, digits = "0x" + digits[:1], "0" + digits[:1]
        if "-" in digits:
            text, digits = "7", "07"
    return "%s %s%s" % (name, "(aarch64) " if draw.random() < 0.1 else "", text), 0, digits, False


def make_trace(draw):
    cores = [""] if draw.random() < 0.3 else ["cpu%d" % i for i in range(draw.randrange(1, 4))]
    names = draw.sample(NAMES, draw.randrange(1, len(NAMES))) + ["REG%d" % draw.randrange(400) for _ in range(30)]
    model, lines, event = Model(), [], -1
    for time in range(draw.randrange(20, 200)):
        core = draw.choice(cores)
        head = "%d clk %s" % (time + 1, core + " " if core else "")
        event += 1
        lines.append(head + "IT (%d) %08x e1a00000 A svc_s : NOP" % (time, 0x8000 + 4 * (time % 60)))
        for _ in range(draw.randrange(4)):
            name = random_case(draw, draw.choice(names))
            if draw.random() < 0.1:
                lines.append(head + "R %s %s" % (name, draw.choice(UNREADABLE)))
                continue
            text, low, digits, is_range = register_line(draw, name)
            lines.append(head + "R " + text)
            model.write(core, name, event, low, digits, is_range)
    return "\n".join(lines) + "\n", cores, model, event


class Runner:
    def __init__(self, trawl, directory, text):
        self.trawl, self.directory = trawl, directory
        self.trace = directory / "t.tarmac"
        self.trace.write_text(text)

    def run(self, *words):
        status, out, err, _ = quick.answer([self.trawl, *words], TIMEOUT_S, cwd=self.directory)
        return status, out.decode(), err.decode()

    def good(self, *words):
        status, out, err = self.run(*words)
        assert status == 0, "%s: status %d: %s" % (words, status, err[:500])
        return out

    def index(self, chunk, threads, segment_events=7):
        words = ["--index=x", "--force-index", "--threads=%d" % threads, "--chunk-size=" + chunk]
        status, _, err = self.run("index", *words, "--segment-events=%d" % segment_events, str(self.trace))
        assert status == 0, "status %d: %s" % (status, err[:500])
        return hashlib.sha256((self.directory / "x").read_bytes()).hexdigest(), err


def equal(what, found, wanted):
    assert found == wanted, "%s: %s, not %s" % (what, found, wanted)


def check_same_bytes(runner):
    first = runner.index(*WAYS[0])
    for way in WAYS[1:]:
        equal("the index by %s, and what is said" % (way,), runner.index(*way), first)
    return first


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_random(trawl, place, seed):
    draw = random.Random(seed)
    text, cores, model, last = make_trace(draw)
    runner = Runner(trawl, place, text)
    check_same_bytes(runner)
    state = json.loads(runner.good("state", "--index=x", "--registers=system", "--all", "--format=json", "t.tarmac"))
    for lane in state["lanes"]:
        core = lane["lane"] or ""
        found = {name.lower(): held["value"] for name, held in lane["registers"].items()}
        wanted = {name: model.text(core, name) for name in model.widths}
        wanted.update({name: None for name in ("psr", "fpcr", "fpsr", "fpscr", "vpr")})
        equal("seed %d: registers of '%s'" % (seed, core), {k: v for k, v in found.items() if v},
              {k: v for k, v in wanted.items() if v})
    for core in cores:
        asked = sorted(name for name in model.widths if "-" not in name)  # a minus in a name is an operator in an expression
        for name in draw.sample(asked, min(5, len(asked))):
            lane = ["--lane=" + core] if core else []
            status, out, err = runner.run("writes", "--index=x", *lane, "--all", "--format=csv", "t.tarmac", name)
            assert status == 0 or "no such" in err or "--lane" in err, err
            if status:
                continue
            rows = list(csv.DictReader(io.StringIO(out)))
            equal("seed %d: writes of %s in '%s'" % (seed, name, core), [int(row["event"]) for row in rows],
                  model.events(core, name))
    check_waveforms(runner, seed, cores, model)
    plain = json.loads(runner.good("state", "--index=x", "--format=json", "t.tarmac"))
    for lane in plain["lanes"]:
        equal("registers shown by default", set(map(str.lower, lane["registers"])) & set(model.widths), set())


def vcd_values(text):
    """(value after the last change, width) of each variable, by scope and name."""
    dump = Dump(text)
    for _ in dump.read(True):
        pass
    return {key: (dump.values[identifier], dump.widths[identifier]) for key, identifier in dump.variables.items()}


def check_waveforms(runner, seed, cores, model):
    """A VCD of all registers ends with the value of each register whose bytes are all known."""
    runner.good("vcd", "--registers=all", "-o", "all.vcd", "--chunk-size=500", "--segment-events=7", "t.tarmac")
    found = {}
    for (scope, name), value in vcd_values((runner.directory / "all.vcd").read_text()).items():
        core = "" if scope == "CPU" and cores == [""] else scope
        if name.lower() in model.widths:
            found[core, name.lower()] = value
    for core in cores:
        for name, width in model.widths.items():
            if not any(key[0] == core for key in found):
                continue  # a core without events
            text = model.text(core, name)
            value, bits = found[core, name]
            equal("seed %d: width of %s" % (seed, name), bits, 8 * width)
            if text and "." not in text:
                equal("seed %d: %s of '%s' in waveforms" % (seed, name, core), int(value, 2), int(text, 16))
            else:
                equal("seed %d: %s of '%s', which is not known" % (seed, name, core), set(value) <= set("01x"), True)
    core_alone = runner.good("vcd", "t.tarmac")
    equal("names that are shown by default", [name for name in model.widths if " %s $end" % name in core_alone.lower()], [])


def test_limit(trawl, place):
    """The names that are stored are the first ones in the trace, however many a chunk contains."""
    lines = ["1 clk IT (1) 00008000 e1a00000 A svc_s : NOP"]
    names = ["N%d" % i for i in range(NAMES_MAX - 100)]
    names += ["M%d" % (i % 150) for i in range(1000)] + ["L%d" % i for i in range(2 * NAMES_MAX)]
    names += ["N%d" % i for i in range(50)]
    lines += ["1 clk R %s %08x" % (name, i) for i, name in enumerate(names)]
    lines.insert(500, "1 clk R X0 0000000000000000 0 >")
    lines.insert(600, "1 clk R X0 12g")
    runner = Runner(trawl, place, "\n".join(lines) + "\n")
    for way in [("1G", 2), ("1", 3), ("1000", 2), ("40K", 2)]:
        status, _, err = runner.run("index", "--index=x", "--force-index", "--threads=%d" % way[1],
                                    "--chunk-size=" + way[0], "t.tarmac")
        data = hashlib.sha256((place / "x").read_bytes()).hexdigest()
        if way == ("1G", 2):
            first = data, err
            assert err.count("more registers than an index keeps") == 1 and "'M100'" in err, err
        equal("the index by %s" % (way,), (data, err), first)
    status, out, _ = runner.run("state", "--index=x", "--registers=n0,m99,N2971", "t.tarmac")
    equal("registers that are kept", (status, "N2971" in out), (3, True))
    status, _, err = runner.run("state", "--index=x", "--registers=m100", "t.tarmac")
    equal("a register that is not kept", (status, "no register is called 'm100'" in err), (2, True))
    for words in (["info"], ["state"], ["writes", "--all"], ["stack"], ["pc"], ["profile"]):
        after = {"writes": ["sp"], "pc": ["0x8000"]}.get(words[0], [])
        _, _, err = runner.run(*words, "--index=x", "t.tarmac", *after)
        equal("%s of names that are left out" % words, "first one left out is 'M100'" in err, True)
        equal("%s says so once" % words, err.count("left out is"), 1)
    _, out, _ = runner.run("doctor", "t.tarmac")
    assert "more than 3072 registers are named" in out, out
    _, _, err = runner.run("vcd", "--registers=all", "-o", "t.vcd", "t.tarmac")
    assert "more than 3072 registers are named" in err, err


def test_hostile(trawl, place):
    """Invalid names have no effect, not even on a terminal."""
    lines = ["1 clk IT (1) 00008000 e1a00000 A svc_s : NOP"]
    lines += ["1 clk R %s 1234" % name for name in ("\x1b[31mRED", "a\x00b", "\x07", "x" * 64, "y" * 5000, "\u00e9", "ok")]
    runner = Runner(trawl, place, "\n".join(lines) + "\n")
    status, out, err = runner.run("state", "--memory-index", "--registers=all", "t.tarmac")
    assert status in (0, 3) and "ok" in out, (status, out, err)
    assert not set(map(chr, (*range(9), *range(11, 32)))) & set(out + err), (out, err)
    assert "xxxx" not in out and "yyyy" not in out, out


# A Cortex-M core from reset: it makes a process stack, switches to it, and takes an exception. Each line has
# the value of sp after its event; the trace never writes registers with the names sp or r13.
STACKS = [
    ("0 clk R cpsr 01000000", None), ("0 clk R r13_main 20001000", "20001000"), ("0 clk R MSP 20001000", "20001000"),
    ("1 clk IT (1) 00008000 2016 T thread : MOVS r0,#0x16", "20001000"),
    ("2 clk IT (2) 00008002 b510 T thread : PUSH {r4,lr}", None), ("2 clk R r13_main 20000ff8", None),
    ("2 clk R MSP 20000ff8", "20000ff8"),
    ("3 clk IT (3) 00008004 f3808809 T thread : MSR PSP,r0", None), ("3 clk R r13_process 20002000", None),
    ("3 clk R PSP 20002000", "20000ff8"),
    ("4 clk IT (4) 00008008 f3808814 T thread : MSR CONTROL,r0", None), ("4 clk R CONTROL 00000002", "20002000"),
    ("5 clk IT (5) 0000800c b510 T thread : PUSH {r4,lr}", None), ("5 clk R PSP 20001ff8", "20001ff8"),
    ("6 clk E 0000800e 0000000f CoreEvent_SysTick", None), ("6 clk R PSP 20001fd8", None), ("6 clk R r14 fffffffd", None),
    ("6 clk R cpsr 0100000f", "20000ff8"),
    ("7 clk IT (6) 00009000 b510 T handler : PUSH {r4,lr}", None), ("7 clk R MSP 20000ff0", "20000ff0"),
    ("8 clk IT (7) 00009002 f3808809 T handler : MSR PSP,r0", None), ("8 clk R PSP 20003000", "20000ff0"),
    ("9 clk IT (8) 00009006 e8bd T handler : POP {r4,lr}", None), ("9 clk R MSP 20000ff8", None),
    ("9 clk R r14 fffffffd", "20000ff8"),
    ("10 clk IT (9) 0000900a 4770 T handler : BX lr", None), ("10 clk R PSP 20003020", None), ("10 clk R cpsr 01000000", "20003020"),
    ("11 clk IT (10) 0000800e bf00 T thread : NOP", "20003020"),
]


def test_stacks(trawl, place):
    """On the M profile, sp is the stack in use, for any chunks and segments."""
    runner = Runner(trawl, place, "".join(line + "\n" for line, _ in STACKS))
    wanted = {int(line.split()[0]): sp for line, sp in STACKS if sp}
    for segment_events in (1, 2, 5, 100):
        found = {runner.index(chunk, threads, segment_events) for chunk, threads in WAYS}
        equal("indexes of segments of %d events" % segment_events, len(found), 1)
        for time, sp in wanted.items():
            out = runner.good("state", "--index=x", "--registers=sp", "--format=json", "--at=time:%d" % time, "t.tarmac")
            value = json.loads(out)["lanes"][0]["registers"]["sp"]["value"]
            equal("sp at time %d, segments of %d events" % (time, segment_events), value, "0x" + sp)
        runner.good("vcd", "--use-tarmac-timestamps", "-o", "t.vcd", "--segment-events=%d" % segment_events, "t.tarmac")
        dump = Dump((place / "t.vcd").read_text())
        for now in dump.read(True):
            if now // 1000 in wanted:
                value = dump.values[dump.variables["CPU", "sp"]]
                equal("sp of a VCD at time %d" % (now // 1000), "%08x" % int(value, 2), wanted[now // 1000])


def test_chunks_of_waveforms(trawl, place):
    """Named registers do not affect the others, whatever the chunks."""
    lines = []
    for time in range(300):
        lines.append("%d clk IT (%d) %08x e1a00000 O EL1h_s : NOP" % (time, time, 0x8000 + 4 * time))
        lines.append("%d clk R %s %016x" % (time, ("ELR_EL1", "X1", "SPSR_EL1", "X2")[time % 4], time))
    runner = Runner(trawl, place, "\n".join(lines) + "\n")
    dumps = {}
    for words in (["--chunk-size=1G"], ["--chunk-size=300"], ["--chunk-size=1", "--threads=3"], ["--registers=all"]):
        runner.good("vcd", *words, "-o", "t.vcd", "t.tarmac")
        dump = Dump((place / "t.vcd").read_text())
        names = [dump.variables["CPU", name] for name in ("x1", "x2")]
        dumps[tuple(words)] = [[dump.values[name] for name in names] for _ in dump.read(True)]
    for words, values in dumps.items():
        equal("x1 and x2 by %s" % (words,), values, dumps["--chunk-size=1G",])
    equal("x2 at the end", int(values[-1][1], 2), 299)


def test_expressions(trawl, place):
    lines = ["1 clk IT (1) 00008000 e1a00000 A svc_s : NOP", "1 clk R TTBR0 00009000", "1 clk MW4 00009010 12345678"]
    runner = Runner(trawl, place, "\n".join(lines) + "\n")
    out = runner.good("state", "--memory-index", "--memory=ttbr0+16:4", "--format=json", "t.tarmac")
    equal("memory where a register points", json.loads(out)["memory"][0]["bytes"], "78563412")
