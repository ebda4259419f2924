"""Static members and pointers to members of C++ in trace files, compared with the answers of GDB 13.1 for the same bytes.

    tests/run.py tfile_members

The programs are of corpus/tfile/programs/members.cpp. tests/recorded/members.txt has what GDB prints for EXPRESSIONS, which is the same for
DWARF 4, where static members are members, and DWARF 5, where they are variables.
"""

import json
from pathlib import Path

import pytest
import quick
from test_tfile_floats import write

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS.parent / "corpus" / "tfile"
TIMEOUT_S = 60
EXPRESSIONS = ["point", "box", "flat", "to_y", "to_first", "to_none", "base_first", "to_method", "to_norm", "no_method", "holder", "table",
               "Point::count", "Base::shared", "point.count", "point.shared", "Point::limit", "Point::ratio", "Flat::total", "flat.total",
               "&Point::count", "Point::last", "to_virtual", "space::in", "space::In::depth", "space::in.d", "::flat", "::Flat::total",
               "::space::in.d", "&space::in", "(space::In *)&space::in", "((::space::In *)&space::in)->d", "*(struct space::In *)&space::in",
               "(Flat *)&flat", "&point", "(space::In *)0"]


@pytest.fixture
def run(trawl):
    return lambda *words: quick.run([trawl, "tfile", "series", "--demangle", *map(str, words)], timeout=TIMEOUT_S)


@pytest.mark.parametrize("version", [4, 5])
def test_as_gdb(run, place, version):
    image = CORPUS / f"members-dwarf{version}.elf"
    path = write(place / "trace.tf", image, names=(".data", ".bss"))
    wanted = (TESTS / "recorded" / "members.txt").read_text().splitlines()
    assert len(wanted) == len(EXPRESSIONS)
    for expression, value in zip(EXPRESSIONS, wanted, strict=True):
        done = run("--image", image, "--format", "json", path, expression)
        assert done.returncode == 0, done
        assert str(json.loads(done.stdout)[0][expression]) == value, expression


@pytest.mark.parametrize(("expression", "why"), [("Nothing::count", "no symbol"), ("Point::nothing", "no static member named nothing"),
                                                 ("Point::x", "no static member named x"), ("Point::", "not understood"), ("space::nothing", "no symbol"),
                                                 ("nowhere::in", "no symbol"), ("::in", "no symbol"), ("space::In::d", "no static member"), ("(space::On *)&flat", "no symbol"), ("(In::space *)&flat", "no static member"), ("::", "not understood")])
def test_refused(run, place, expression, why):
    image = CORPUS / "members-dwarf5.elf"
    done = run("--image", image, write(place / "trace.tf", image), expression)
    assert done.returncode == 1 and not done.stdout and why in done.stderr.decode(), done
