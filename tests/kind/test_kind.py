"""A kind of trace that only the program tests/trawl-toy knows (tests/kind/toy.c): every command that is not for one kind works with it,
and nothing else in the repository mentions it.

    tests/run.py kind
"""

import shutil
from pathlib import Path

import pytest
import quick
from checker import Checker
from gdb_client import Client
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
    with Screen([str(toy.program), "browse", "--at", "event:0", "t"], 80, 24, cwd=toy.folder) as screen:
        screen.settle()
        text = screen.keys("Down", "{", "c")[0]
    wanted = ("m 8000 11223344  + 0x200  4 instructions, 20 ticks", "t1=0000000000000007", "Toy regs at line: 16",
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
    indexed.expect("state t --at time:36 --lane alpha", "T64 executed")
    indexed.expect("writes t 0x8000:4 --all --format csv", ",20,", "0x11223344", "0x00000001")
    indexed.expect("writes t t0 --lane alpha --all --format csv", "0x0000000000000005", "0x0000000000000006")
    indexed.expect("pc t 0x200 --count", "2")
    indexed.expect("stack t --at time:35 --lane alpha --unwind calls --format csv", "0x204", "0x200", "0x100")
    indexed.expect("bench t --rounds 1", "profile", "index")
    indexed.expect("profile t --lane gamma", "no engine is called 'gamma'", status=1)
    indexed.expect("profile t --implicit-thumb", "is a toy trace, to which --implicit-thumb does not apply", status=2)


# A function with a frame, whose record is where its frame pointer t13 points: the caller's frame pointer and the return address. 0x300
# returns to 0x204, and 0x200 to 0x104.
FRAMES = """#toy
e alpha 10 100
r 0 5
r 1 abc
r 13 9040
r 14 fe0
r 15 9000
e alpha 20 200
call
m 9000 9040
m 9004 0
m 9008 104
m 900c 0
m 9040 0
m 9044 0
m 9048 0
m 904c 0
r 13 9000
e alpha 30 300
call
r 15 8ff0
m 8ff0 9000
m 8ff4 0
m 8ff8 204
m 8ffc 0
r 13 8ff0
e alpha 35 304
r 0 6
ret
e alpha 40 204
"""
SYMBOLS = """0000000000000100 0000000000000010 T first
0000000000000200 0000000000000010 T second
0000000000000300 0000000000000010 T third
"""


@pytest.fixture
def framed(toy):
    (toy.folder / "f").write_text(FRAMES)
    (toy.folder / "f.sym").write_text(SYMBOLS)
    toy.expect("index f", status=0)
    return toy


def test_architecture(framed):
    """What the row of the toy's architecture says: its arguments, its frames, its instruction set, its registers in browsers."""
    calls = rows(framed, "calls", "f", "--values", "--image", "f.sym")[1]
    framed.check("arguments", any("0x5 0xabc" in row for row in calls), calls)
    framed.check("result", any("0x6" in row for row in calls), calls)
    for how in ("fp", "calls"):
        framed.expect(f"stack f --at time:30 --unwind {how} --image f.sym --format csv", "third", "second", "first", status=0)
    framed.expect("stack f --at time:30 --unwind fp --image f.sym", "frame pointer", status=0)
    framed.expect("export --table events --format csv f", "is a toy trace, which has only --table calls", status=2)
    status, _, err = framed.run("profile", "f", "--image", str(ROOT / "corpus" / "elf" / "hash-a64.elf"))
    framed.check("image of another machine", status == 1 and "the trace is of a toy core" in err, (status, err))


def test_debugging(framed):
    """GDB's target has the toy's registers, in its order."""
    with Client([framed.program, "gdbserver", framed.folder / "f"]) as client:
        framed.check("description", "org.toy.core" in client.document("features:read:target.xml"), "")
        framed.check("layout", [name for name, _ in client.layout()] == [f"t{i}" for i in range(15)] + ["top", "here"], client.layout())
        for _ in range(3):
            client.ask("vCont;s:1")
        found = client.registers()
        wanted = {"t0": 5, "t1": 0xABC, "t13": 0x8FF0, "top": 0x8FF0, "here": 0x304}
        framed.check("registers", {name: found[name] for name in wanted} == wanted, found)
        framed.check("an unknown one", found["t5"] is None, found)
    framed.expect("export --format tfile f --at time:30 -o f.tf", status=0)
    framed.check("trace file", b"org.toy.core" in (framed.folder / "f.tf").read_bytes(), "")


@pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux")
def test_browser(indexed):
    check_browser(indexed)


def test_nothing_else_knows_of_it():
    assert not [path for folder in ("src", "idx", "simd", "bench") for path in (ROOT / folder).rglob("*")
                if path.is_file() and b"toy" in path.read_bytes()]
