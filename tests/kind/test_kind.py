"""A kind of trace that only the program tests/trawl-toy knows (tests/kind/toy.c): every command that is not for one kind works with it,
and nothing else in the repository mentions it.

    tests/run.py kind
"""

import shutil
from pathlib import Path

import pytest
import quick
from checker import Checker
from tmux_screen import Screen

ROOT = Path(__file__).resolve().parents[2]

# Two lanes; alpha: 0x100 calls 0x200, which calls 0x300, which returns; 0x200 returns; 0x200 again, which stays open. beta: no calls. One
# line cannot be read.
TRACE = """#toy
e alpha 10 100
r 0 5
m 8000 11223344
e beta 11 900
e alpha 20 200
call
r 1 7
e alpha 30 300
call
m 8004 55667788
e alpha 35 304
ret
r 0 6
nonsense
e alpha 40 204
ret
e beta 41 904
e alpha 50 104
e alpha 60 200
call
m 8000 1
e alpha 70 204
"""


class Toy(Checker):
    def __init__(self, program, folder):
        super().__init__(program)
        self.program, self.folder = program, folder
        (folder / "t").write_text(TRACE)

    def run(self, *words):
        ended = quick.run([self.program, *words], cwd=self.folder, text=True, timeout=60)
        return ended.returncode, ended.stdout, ended.stderr

    def expect(self, words, *parts, status=3, without=()):
        """Checks that the output has all parts, and that the errors state what was left out."""
        got, out, err = self.run(*words.split())
        missing = [part for part in parts if part not in out + err]
        missing += ["not " + part for part in without if part in out + err]
        self.check(words, got == status and not missing, f"status {got}, without {missing}\n{out}{err}")


def rows(toy, *words):
    status, out, _ = toy.run(*words, "--format", "csv")
    return status, [line.split(",") for line in out.splitlines()]


def check_reports(toy, *how):
    """The same reports from the trace and from its index."""
    suffix = " ".join(how)
    toy.expect(f"profile t {suffix}", "0x200", "0x300", without=("Core",))
    toy.expect(f"profile t --format csv {suffix}", "0x200")
    toy.expect(f"flamegraph t {suffix}", "alpha", "beta")
    toy.expect(f"calltree t {suffix}", "t:20 l:6 pc:0x200 - t:40 l:16 pc:0x204", "t:30 l:9 pc:0x300 - t:35")
    toy.expect(f"calltree t --format csv {suffix}", "lane", "alpha")
    toy.expect(f"callinfo t 0x200 {suffix}", "time: 20 (line:6", "time: 60 (line:20")
    toy.expect(f"export t {suffix}", '"ph":"B"', "alpha")


def check_browser(toy):
    """Its lines, its registers, its calls."""
    with Screen([str(toy.program), "browse", "t"], 80, 24, cwd=toy.folder) as screen:
        screen.settle()
        text = screen.keys("Down", "{", "c")[0]
    wanted = ("m 8000 11223344  + 0x200  4 instructions, 20 ticks", "t1=0x0000000000000007", "Registers (general) at line: 16",
              "#0   0x104", "t   Time:40   Line:6   PC:0x104")
    missing = [part for part in wanted if part not in text]
    toy.check("browse", not missing, (missing, text))


@pytest.fixture
def toy(prefix, place):
    return Toy(prefix / "tests" / "trawl-toy", place)


@pytest.fixture
def indexed(toy):
    toy.expect("index t")
    assert (toy.folder / "t.index").is_file()
    return toy


def test_help(toy):
    toy.expect("help", "profile", status=0)
    toy.expect("profile --help", "usage", status=0)


def test_reports(toy):
    check_reports(toy, "--memory-index")


def test_reports_from_an_index(indexed):
    indexed.expect("verify t", "no damage", status=0)
    check_reports(indexed)
    indexed.expect("profile -v t", "read from the index")


def test_questions(indexed):
    indexed.expect("info t", "calls", "beta")
    indexed.expect("state t --at time:36 --lane alpha --registers t0,t1 --memory 0x8000:8",
                   "0x0000000000000006", "0x0000000000000007", "44 33 22 11")
    indexed.expect("state t --at time:36 --lane alpha", "t0     0x0000000000000006", without=("psr", "v0"))
    indexed.expect("state t --at time:36 --lane alpha --registers T0", "no register is called 'T0'", status=2)
    indexed.expect("export --format tfile t --lane alpha --at start -o t.tf", "not those of an Arm core", status=1)
    indexed.expect("writes t 0x8000:4 --all --format csv", ",20,", "0x11223344", "0x00000001")
    indexed.expect("writes t t0 --lane alpha --all --format csv", "0x0000000000000005", "0x0000000000000006")
    indexed.expect("pc t 0x200 --count", "2")
    indexed.expect("stack t --at time:35 --lane alpha --unwind calls --format csv", "0x204", "0x200", "0x100")
    indexed.expect("bench t --rounds 1", "profile", "index")
    indexed.expect("profile t --lane gamma", "no engine is called 'gamma'", status=1)
    indexed.expect("profile t --implicit-thumb", "is a toy trace, to which --implicit-thumb does not apply", status=2)


@pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux")
def test_browser(indexed):
    check_browser(indexed)


def test_nothing_else_knows_of_it():
    assert not [path for folder in ("src", "idx", "simd", "bench") for path in (ROOT / folder).rglob("*")
                if path.is_file() and b"toy" in path.read_bytes()]
