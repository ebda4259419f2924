"""Uses the installed libtrawl as another program would.

    tests/run.py library

Compiles docs/example/stack.c and tree.c with the flags of pkg-config, shared and static, and compares their output with the call tree, with
the record of the tracer, and with a second reader. Checks that the header is valid C11 and C++, and that the libraries define only their
own names.
"""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess

import hard_traces
import index_reader
import libtrawl
import pytest
import quick
from compilers import compilers

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "corpus" / "traces"
EXAMPLE = ROOT / "docs" / "example" / "stack.c"
TREE = ROOT / "docs" / "example" / "tree.c"
IMAGE = ROOT / "corpus" / "elf" / "recursion-a64.elf"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
COMPARED = ["recursion-a64.it.tarmac", "recursion-t32.es.tarmac", "pointers-a64.es.tarmac", "sort-a32.it.tarmac"]
TIMEOUT_S = 120
FUNCTIONS_MIN = 15


def run(words, **options):
    """Return the output of a command."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=TIMEOUT_S,
                          check=False, **options)
    assert done.returncode == 0, "%s: status %d: %s" % (words[0], done.returncode, done.stderr[:500])
    return done.stdout


def pkg_config(prefix, *words):
    """What pkg-config prints for a library outside its default directories."""
    where = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"))
    return run(["pkg-config", *words, "trawl"], env=where).split()


each_compiler = pytest.mark.parametrize("compiler", compilers(), ids=lambda words: pathlib.Path(words[0]).name)
each_linkage = pytest.mark.parametrize("is_static", [False, True], ids=["shared", "static"])


# --- The example ---------------------------------------------------------------------------------


def build_example(prefix, directory, compiler, is_static, source=EXAMPLE):
    """Compile an example; return the program."""
    program = directory / source.stem
    libraries = pkg_config(prefix, "--libs")
    if is_static:
        libraries = [prefix / "lib" / "libtrawl.a" if word == "-ltrawl" else word for word in libraries]
    else:
        libraries.append("-Wl,-rpath," + str(prefix / "lib"))
    run([*compiler, "-std=c11", *STRICT, *pkg_config(prefix, "--cflags"), "-o", program, source, *libraries])
    return program


def wanted_calls(rows, line):
    """(depth, first line) of the calls around a line, from the innermost outwards."""
    around = [(int(row["depth"]), int(row["entry_line"])) for row in rows
              if int(row["depth"]) and int(row["entry_line"]) <= line <= int(row["exit_line"])]
    return around[::-1]


def check_stack(text, record, rows):
    """Compare what the example prints with the truth and the call tree."""
    registers = dict(re.findall(r"^(SP|PC) (\S+)$", text, re.MULTILINE))
    assert int(registers["PC"], 16) & ~1 == int(record["pc"], 16), "PC %s" % registers["PC"]
    assert int(registers["SP"], 16) == int(record["sp"], 16), "SP %s" % registers["SP"]
    calls = [(int(depth), int(line)) for depth, line in re.findall(r"^(\d+): \S+ since line (\d+)$", text, re.MULTILINE)]
    wanted = wanted_calls(rows, record["line"])
    assert calls == wanted, "line %d: %s, not %s" % (record["line"], calls, wanted)
    return len(calls)


@each_compiler
@each_linkage
def test_example(prefix, place, compiler, is_static):
    """Shows the stack at the points that the tracer recorded."""
    library = libtrawl.Library(prefix / "lib" / "libtrawl.so")
    program = build_example(prefix, place, compiler, is_static)
    depth_max = 0
    for trace in COMPARED:
        index = place / "index"
        run([prefix / "tests" / "make-index", TRACES / trace, index])
        rows = run([prefix / "bin" / "trawl", "calltree", "--format", "csv", TRACES / trace])
        rows = list(csv.DictReader(io.StringIO(rows)))
        records = [json.loads(line) for line in (TRACES / (trace + ".truth")).read_text().splitlines()]
        with library.open(index) as opened:
            opened.verify()
            for record in records[1:]:
                event = opened.event_at_line(record["line"])
                depth_max = max(depth_max, check_stack(run([program, index, event]), record, rows))
    assert depth_max >= 3, "no deep stack was compared"
    failed = subprocess.run([program, EXAMPLE, "0"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert failed.returncode == 1 and "not an index of trawl" in failed.stderr, failed.stderr


def wanted_tree(index, lane, depth):
    """What tree.c must print for a lane, from the second reader."""
    lines = ["%s, %d events" % (index.kind, index.event_count)]
    for number in range(index.lanes[lane][9]):
        call = index.call(lane, number)
        if call.depth > depth:
            continue
        symbol, inside = index.symbol_at(call.pc & ~1), index.inside(lane, number)
        name = symbol[0].decode() if symbol else "%#x" % (call.pc & ~1)
        more = " and %d inside" % inside if call.depth == depth and inside else ""
        lines.append("%s%s %d-%d%s" % (2 * (call.depth - 1) * " ", name, call.entry, call.exit, more))
    return lines


@each_compiler
@each_linkage
def test_tree(prefix, place, compiler, is_static):
    """Pages through call trees, with and without the names in the index."""
    program, shown = build_example(prefix, place, compiler, is_static, TREE), 0
    path, many = place / "index", place / "many.tarmac"
    many.write_text("".join(line + "\n" for line in hard_traces.work(hard_traces.Machine(), 200)))
    for name, image in [(COMPARED[0], IMAGE), *((trace, None) for trace in COMPARED), ("twocores-a64.it.tarmac", None),
                        (many, None)]:
        if image:
            run([prefix / "bin" / "trawl", "index", "-q", "--no-sync", "--image", image, "--index", path, TRACES / name])
        else:
            run([prefix / "tests" / "make-index", TRACES / name, path])
        index = index_reader.Index(path.read_bytes())
        for lane in range(len(index.lanes)):
            for depth in (1, 2, 3, 5, 1000):
                wanted = wanted_tree(index, lane, depth)
                found = run([program, path, lane, depth]).splitlines()
                assert found == wanted, "%s, lane %d, depth %d: %s" % (name, lane, depth, found[:20])
                shown = max(shown, len(wanted))
    assert shown > 200, "no tree of several pages was compared"


def test_small_threads(prefix, place):
    """On threads with 128 KB of stack it answers as on the main thread: the kinds of traces, with and without names and lines."""
    for number, (words, trace) in enumerate((
            ([], TRACES / "recursion-a64.it.tarmac"), (["--image", IMAGE], TRACES / "recursion-a64.it.tarmac"), ([], TRACES / "sort-a32.it.tarmac"),
            (["--segment-events", "256"], TRACES / "sort-a64.it.tarmac"), ([], ROOT / "corpus/xray/threads.fdr.xray"), ([], ROOT / "corpus/tfile/many.tf"))):  # fmt: skip
        index = place / f"small{number}"
        run([prefix / "bin" / "trawl", "index", "-q", *words, "--index", index, trace])
        said = run([prefix / "tests" / "small-threads", index])
        assert said.endswith("the same on all threads\n") and int(said.split()[0]) > 100, (words, trace, said)


def test_bytes(prefix, place):
    """An index in memory gives the same answers as the file, at any address; a truncated one is refused."""
    library, path = libtrawl.Library(prefix / "lib" / "libtrawl.so"), place / "index"
    run([prefix / "tests" / "make-index", TRACES / COMPARED[0], path])
    data = path.read_bytes()
    with library.open(path) as mapped, library.open_bytes(data) as held:
        held.verify()
        last = held.info.events - 1
        assert held.registers(0, last, 0, 512) == mapped.registers(0, last, 0, 512)
    for size_bytes in [*range(0, 600), *range(600, len(data), 97)]:
        try:
            library.open_bytes(data[:size_bytes])
        except libtrawl.Refused:
            continue
        raise AssertionError("%d of %d bytes are an index" % (size_bytes, len(data)))


# --- The files -----------------------------------------------------------------------------------


@each_compiler
@pytest.mark.parametrize("language", [["-xc", "-std=c11"], ["-xc++", "-std=c++11"]], ids=["c11", "c++11"])
def test_header(prefix, place, compiler, language):
    """The header compiles on its own, in C and C++, also if included twice.

        It is compiled to an object: Zig's driver warns about -fsyntax-only, and about a header as its input.
    """
    source = place / ("header.cpp" if "c++" in language[0] else "header.c")
    source.write_text("#include <trawl.h>\n#include <trawl.h>\nint used(void);\nint used(void) { return TRAWL_OK; }\n")
    run([*compiler, *language, *STRICT, *pkg_config(prefix, "--cflags"), "-c", "-o", place / "header.o", source])


def defined_names(words):
    """Global names that a library defines, by nm."""
    tool = shutil.which("nm") or shutil.which("llvm-nm")
    if not tool:
        pytest.skip("nm is not installed")
    lines = run([tool, "--defined-only", *words]).splitlines()
    return [line.split()[-1] for line in lines if re.match(r"[0-9a-f]+ [A-Z] ", line)]


def test_names(prefix):
    """The library exports exactly what the header declares, and no other name can clash."""
    header = (prefix / "include" / "trawl.h").read_text()
    declared = set(re.findall(r"^TRAWL_API [^(]*?(trawl_\w+)\(", header, re.MULTILINE))
    version = "@@LIBTRAWL_2"
    dynamic = [name for name in defined_names(["-D", prefix / "lib" / "libtrawl.so"]) if not name.startswith("LIBTRAWL_")]
    assert all(version in name for name in dynamic), dynamic
    exported = {name.split("@")[0] for name in dynamic}
    assert len(declared) >= FUNCTIONS_MIN
    assert exported == declared, "exported or declared only: %s" % sorted(exported ^ declared)
    inside = set(defined_names(["-g", prefix / "lib" / "libtrawl.a"])) - declared
    clashing = sorted(name for name in inside if not name.startswith("trawl_private_"))
    assert not clashing, "these could clash: %s" % clashing


@each_compiler
def test_alone(prefix, place, compiler):
    """All of the reader, not only what a program asks of it, needs nothing but libc."""
    source, program = place / "alone.c", place / "alone"
    source.write_text("int main(void) { return 0; }\n")
    run([*compiler, "-o", program, source, "-Wl,--whole-archive", prefix / "lib" / "libtrawl.a", "-Wl,--no-whole-archive", "-Wl,--no-undefined"])
    run([program])


def test_version(prefix):
    """pkg-config has the version of the build file, and the files that it names exist."""
    version = re.search(r'\.version = "([^"]+)"', (ROOT / "build.zig.zon").read_text()).group(1)
    assert pkg_config(prefix, "--modversion") == [version]
    assert (prefix / "lib" / ("libtrawl.so." + version)).is_file()
