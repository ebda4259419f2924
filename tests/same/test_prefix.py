"""Lines with something before them, which --strip-prefix leaves out: every report is that of the trace without it, for chunks of any
size, and by several threads. Lines and bytes remain those of the file.

    tests/run.py prefix
"""

import re
from pathlib import Path

import pytest
import quick
from checker import Checker

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
# Draws accesses by LD and ST, which continue in the columns of the line before.
DRAWINGS = """\
1 clk cpu0 IT (1) 00008000 f9000020 O EL3h_s : STR X0,[X1]
1 clk cpu0 R X1 0000000000001000
1 clk cpu0 ST 0000000000001000 ........ ........ 01234567 89abcdef 01000 S:00 NM
              0000000000001010 ........ ........ ........ 11112222 01010 S:00 NM
2 clk cpu0 IT (2) 00008004 94000003 O EL3h_s : BL 8010
2 clk cpu0 R X30 0000000000008008
3 clk cpu0 IT (3) 00008010 d65f03c0 O EL3h_s : RET
4 clk cpu0 IT (4) 00008008 14000000 O EL3h_s : B 8008
"""
FORMS = {
    "hash": (lambda n, line: "# " + line, "# "),
    "time": (lambda n, line: f"[{n * 7:>12}.{n % 1000:03}] " + line, r"\[ *[0-9]+\.[0-9]{3}\] "),
    "words": (lambda n, line: f"UVM_INFO tb/tarmac.sv({n % 97}) @ {n}ns: reporter [TARMAC] " + line, r"UVM_INFO [^]]*\] "),
    "color": (lambda n, line: f"\033[{31 + n % 7}m{line}\033[0m", r".\[[0-9;]*m"),
    "some": (lambda n, line: ("# " if n % 3 else "") + line, "^# "),
    "repeated": (lambda n, line: "# " * (n % 3) + line, "(# )+"),
}
REPORTS = [
    ["profile", "t"],
    ["profile", "--chunk-size", "1", "--threads", "3", "t"],
    ["profile", "--chunk-size", "333", "--threads", "3", "t"],
    ["calltree", "t"],
    ["flamegraph", "--chunk-size", "5000", "t"],
    ["export", "--format", "speedscope", "t"],
    ["vcd", "-o", "-", "--registers", "all", "t"],
    ["coverage", "--format", "csv", "t"],
    ["state", "--memory-index", "--at", "line:2000", "t"],
    ["state", "--at", "end", "t"],
    ["stack", "--at", "line:1999", "t"],
    ["writes", "t", "x1"],
    ["callinfo", "t", "0x8010"],
    ["info", "t"],
    ["state", "--at", "time:900", "t"],
    ["doctor", "t"],
]
# These differ because the text does.
OF_TEXT = re.compile(rb"(?m)^.*(?:bytes|index|part of the trace).*\n|, byte \d+|, pos:\d+|\$date[^$]*\$end")


@pytest.fixture(scope="module")
def plain():
    """The lines of each trace."""
    long = max((CORPUS / "traces").glob("*.tarmac"), key=lambda path: (path.stat().st_size < 1 << 20, path.stat().st_size))
    return {"corpus": long.read_text().splitlines(), "drawings": DRAWINGS.splitlines()}


def answers(trawl, place, lines, options):
    (place / "t").write_text("".join(line + "\n" for line in lines))
    for old in place.glob("t.*"):
        old.unlink()
    for words in REPORTS:
        run = quick.run([trawl, words[0], *options, *words[1:]], cwd=place, env=None, input=b"")
        yield words, run.returncode, OF_TEXT.sub(b"", run.stdout), OF_TEXT.sub(b"", run.stderr)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("trace", ["corpus", "drawings"])
def test_stripped(trawl, place, checker, plain, trace, form):
    put, expression = FORMS[form]
    lines = plain[trace][:6000]
    wanted = list(answers(trawl, place, lines, []))
    made = [put(n, line) for n, line in enumerate(lines)]
    for (words, *right), (_, *given) in zip(wanted, answers(trawl, place, made, ["--strip-prefix", expression])):
        checker.expect(f"{' '.join(words)} of {trace} with {form}", given, right)
    found = quick.run([trawl, "profile", "t"], cwd=place, env=None, input=b"")
    if form in ("hash", "time", "color"):
        hint = re.search(rb"give --strip-prefix '(.*)'\n", found.stderr)
        checker.check(f"{form} is found in {trace}", hint)
        stripped = quick.run([trawl, "profile", "--strip-prefix", hint[1].decode() if hint else "", "t"], cwd=place, env=None, input=b"")
        checker.check(f"what is found for {form} is right", stripped.stdout == wanted[0][2])


def test_index(trawl, place, checker):
    """An index is only used for the prefix that it was made with; a wrong expression is refused."""
    (place / "t").write_text("".join("# " + line + "\n" for line in DRAWINGS.splitlines()))
    index = quick.run([trawl, "index", "--strip-prefix", "# ", "t"], cwd=place, env=None, input=b"")
    checker.check("an index is made", index.returncode == 0)
    same = quick.run([trawl, "state", "-v", "--no-index", "--strip-prefix", "# ", "t", "x1"], cwd=place, env=None, input=b"")
    checker.check("and used", b"0x0000000000001000" in same.stdout)
    other = quick.run([trawl, "profile", "t"], cwd=place, env=None, input=b"")
    checker.check("not for the trace as it is", other.returncode == 1)
    for wrong in (r"(#", r"(#)\1", r"[[:alpha:]]", "x" * 5000):
        bad = quick.run([trawl, "profile", "--strip-prefix", wrong, "t"], cwd=place, env=None, input=b"")
        checker.check(f"{wrong[:20]} is refused", bad.returncode == 2 and b"--strip-prefix" in bad.stderr)
    merged = quick.run([trawl, "profile", "--strip-prefix", "# ", "t", "--with", "cpu1=u"], cwd=place, env=None, input=b"")
    checker.check("without the other file", merged.returncode != 0)
    (place / "u").write_text("# 1 clk IT (1) 00009000 d503201f O EL3h_s : NOP\n# 3 clk IT (2) 00009004 d503201f O EL3h_s : NOP\n")
    merged = quick.run([trawl, "callinfo", "--strip-prefix", "# ", "--with", "cpu1=u", "t", "0x9004"], cwd=place, env=None, input=b"")
    checker.check("files of cores are merged by times after the prefix", merged.returncode == 0 and b"cpu1" in merged.stdout)
