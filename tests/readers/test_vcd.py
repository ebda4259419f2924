"""Reads the output of `trawl vcd` and `tarmac-vcd` for the corpus, as a strict reader of Value Change Dumps, and compares the registers of
`trawl vcd` with those that the tracer recorded.

    tests/run.py vcd
"""

import json
import pathlib
import re

import pytest
import quick

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "corpus" / "traces"
TIMEOUT_S = 60
STEPS = 1000
PARTS = 4  # the parts of the traces that workers share
REGISTERS_MIN = 4000
VAR = re.compile(r"\$var (reg|integer|bit|string) (\d+) ([!-~]+) (\S+) \$end")
TIME_OF_LINE = re.compile(rb"(\d+) clk ")


class Dump:
    """The variables of a VCD file, and their values as its changes are read."""

    def __init__(self, text):
        head, mark, body = text.partition("$enddefinitions $end\n")
        assert mark, "no end of definitions"
        self.lines = body.split("\n")
        assert self.lines.pop() == "", "no newline at the end"
        self.variables, self.widths, scope = {}, {}, None
        for line in head.split("\n"):
            if line.startswith("$scope"):
                scope = line.split()[2]
            match = VAR.fullmatch(line)
            if match:
                kind, width, identifier, name = match.groups()
                assert identifier not in self.widths, "identifier %s twice" % identifier
                assert (scope, name) not in self.variables, "variable %s twice" % name
                self.variables[scope, name] = identifier
                self.widths[identifier] = None if kind == "string" else int(width)
        self.values, self.now = {}, None

    def change(self, line):
        """Read a change of a variable."""
        if line[0] in "01xz":
            value, identifier = line[0], line[1:]
        else:
            value, identifier = line.split(" ")
        width = self.widths[identifier]
        if width is None:
            assert re.fullmatch(r"s[!-~\x80-\xff]*", value), line
        else:
            assert re.fullmatch(r"b?[01xz]{1,%d}" % width, value), line
            assert value[0] == "b" or width == 1, line
        self.values[identifier] = value.lstrip("b")

    def read(self, rises):
        """Yield each time, when all values at that time are read. With `rises`, times must be ascending."""
        begun = False
        for line in self.lines:
            if line in ("$dumpvars", "$end"):
                assert (line == "$dumpvars") != begun, "$dumpvars"
                begun = True
            elif line.startswith("#"):
                now = int(line[1:])
                assert not rises or self.now is None or now > self.now, "time does not rise"
                if self.now is not None:
                    yield self.now
                self.now = now
            else:
                self.change(line)
        yield self.now


def ends_in_a_line(trace):
    return not (TRACES / trace).read_bytes().endswith(b"\n")


def run(programs, words):
    """Return the output of a program."""
    done = quick.run([programs / words[0]] + words[1:], cwd=TRACES, timeout=TIMEOUT_S)
    is_cut = words[0] == "trawl" and any(
        word.endswith(".tarmac") and ends_in_a_line(word) for word in words)
    assert done.returncode in ((0, 3) if is_cut else (0,)), "status %d: %s" % (
        done.returncode, done.stderr[:200])
    return done.stdout.decode("latin-1")


def wanted_registers(trace):
    """Return {time: registers} from the truth, for times at which exactly one instruction was executed."""
    lines = (TRACES / trace).read_bytes().split(b"\n")
    times = [TIME_OF_LINE.match(line) for line in lines]
    if not times[0]:
        return {}
    truth = [json.loads(line) for line in (TRACES / (trace + ".truth")).read_text().splitlines()]
    counts, found = {}, {}
    for line, time in zip(lines, times):
        if time and re.search(rb" I[TS] ", line):
            counts[int(time.group(1))] = counts.get(int(time.group(1)), 0) + 1
    for record in truth[1:]:
        time = int(times[record["line"] - 1].group(1))
        if counts.get(time) == 1 and truth[0]["cores"] == 1:
            names = ["x%d" % i for i in range(31)]
            if truth[0]["isa"] == "a32":
                names = ["r%d" % i for i in range(13)]
            found[time * STEPS] = dict(zip(names, record["x"]))
            if not trace.startswith("exceptions-"):  # there, the banked sp registers are one register
                found[time * STEPS]["sp"] = record["sp"]
    return found


def check_registers(dump, wanted, time):
    """Compare the registers that are known at a time; return how many were compared."""
    compared = 0
    for (_, name), identifier in dump.variables.items():
        shown, value = dump.values[identifier], wanted.get(name)
        if value and "x" not in shown:
            assert int(shown, 2) == int(value, 16), "%s at %d is %s, not %s" % (name, time, shown, value)
            compared += 1
    return compared


def compare(programs, trace):
    """Check the files made from a trace; return the number of registers compared."""
    for dump in (Dump(run(programs, ["tarmac-vcd", "-o", "/dev/stdout", trace])),
                 Dump(run(programs, ["trawl", "vcd", trace]))):
        assert dump.variables
        for _ in dump.read(True):
            pass
    wanted, compared = wanted_registers(trace), 0
    dump = Dump(run(programs, ["trawl", "vcd", "--use-tarmac-timestamps", trace]))
    for time in dump.read(True):
        if time in wanted:
            compared += check_registers(dump, wanted[time], time)
    return compared


@pytest.mark.parametrize("part", range(PARTS))
def test_corpus(checker, programs, part):
    compared = 0
    for path in sorted(TRACES.glob("*.tarmac"))[part::PARTS]:
        with checker.attempt(path.name):
            compared += compare(programs, path.name)
    checker.check("registers were compared", compared >= REGISTERS_MIN // PARTS // 2, compared)


SVE = """\
1 clk cpu0 IT (1) 00008000:000000008000 d503201f O EL1h_s :   NOP
1 clk cpu0 R Z1 {ones}
1 clk cpu0 R P2 0000000{width}
2 clk cpu0 IT (2) 00008004:000000008004 d503201f O EL1h_s :   NOP
2 clk cpu0 R V1 00000000000000000000000000000003
3 clk cpu0 IT (3) 00008008:000000008008 d503201f O EL1h_s :   NOP
3 clk cpu0 R Z1 {ones}
3 clk cpu0 R Z2 xx{short}
4 clk cpu0 IT (4) 0000800c:00000000800c d503201f O EL1h_s :   NOP
4 clk cpu0 R V3 11111111111111111111111111111111
"""


@pytest.mark.parametrize("vector_bytes", [32, 48, 256])
def test_scalable_vectors(programs, tmp_path, vector_bytes):
    """With --registers all, z and p are as long as the vectors of the trace; without them in the trace, they are not declared."""
    trace, ones = tmp_path / "t.tarmac", "1" * (2 * vector_bytes)
    trace.write_text(SVE.format(ones=ones, short="22" * (vector_bytes - 1), width=5))
    for chunk in ([], ["--chunk-size=1"], ["--segment-events=1"]):
        dump = Dump(run(programs, ["trawl", "vcd", "--registers=all", *chunk, str(trace)]))
        names = {name: identifier for (_, name), identifier in dump.variables.items()}
        assert dump.widths[names["z1"]] == 8 * vector_bytes and dump.widths[names["p2"]] == vector_bytes
        seen = [[dump.values[names[name]] for name in ("z1", "z2", "z3", "p2", "v1")] for _ in dump.read(True)][-5:-1]
        number = format(int(ones, 16), "b")
        partly = "x" * 8 + format(int("22" * (vector_bytes - 1), 16), "0%db" % (8 * vector_bytes - 8))
        full = [row[:3] for row in seen]
        assert full == [[number, "x", "x"], ["11", "x", "x"], [number, partly, "x"], [number, partly, format(int("1" * 32, 16), "b")]]
        assert [row[4] for row in seen] == [format(int("1" * 32, 16), "b"), "11"] + [format(int("1" * 32, 16), "b")] * 2
        assert int(seen[0][3].lstrip("x"), 2) == 5
    trace.write_text(SVE.partition("1 clk cpu0 R Z1")[0] + "1 clk cpu0 R V1 " + "1" * 32 + "\n")
    assert not [name for _, name in Dump(run(programs, ["trawl", "vcd", "--registers=all", str(trace)])).variables if name[0] in "zp" and name[1:].isdigit()]
    trace.write_text(SVE.partition("1 clk cpu0 R Z1")[0] + "1 clk cpu0 R P1 1111\n")
    dump = Dump(run(programs, ["trawl", "vcd", "--registers=all", str(trace)]))
    assert {dump.widths[identifier] for (_, name), identifier in dump.variables.items() if name in ("p0", "p1", "p15")} == {16}
