"""Uses the installed libtrawl2 and its Python module as other programs would.

    tests/run.py trace_library
    tests/with_pypi numpy pyarrow cffi -- tests/run.py trace_library

The truth is what the commands of the same names print as CSV and JSON; for times of calls, `trawl calls`; for columns of events, the table
of `trawl export`. NumPy, pyarrow and cffi read too, where they are installed.
"""

import csv
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

import pytest
from compilers import compilers

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
EXAMPLES = ROOT / "docs" / "example"
HEADER = ROOT / "src" / "lib" / "trawl2.h"
ABI = ROOT / "src" / "lib" / "trawl2.abi"
TIMEOUT_S = 120
# A trace, its image, an address to look at.
TRACES = [("traces/recursion-a64.it.tarmac", "elf/recursion-a64.elf"), ("traces/sort-a32.it.tarmac", "elf/sort-a32.elf"),
          ("traces/twocores-a64.it.tarmac", "elf/twocores-a64.elf")]  # fmt: skip
REPORTS = [
    ("profile", [], {}), ("profile", [], {"by": "line"}), ("profile", [], {"latency": True}), ("calls", [], {"sort": "elapsed"}),
    ("find", ["changed(sp)"], {}), ("stack", [], {"at": "event:200"}), ("writes", ["sp"], {"all": True}), ("origin", ["sp"], {}),
    ("pc", ["main"], {}), ("callinfo", ["main"], {}), ("check", [], {}), ("coverage", [], {}), ("grep", ["LD"], {}),
    ("show", [], {"at": "line:100"}), ("reaches", ["sp"], {"at": "event:20"}), ("reads", ["sp:8"], {"all": True}),
]  # fmt: skip

has_numpy = pytest.mark.skipif(not importlib.util.find_spec("numpy"), reason="NumPy is not installed")


@pytest.fixture(name="module", scope="module")
def _module(prefix):
    os.environ["TRAWL_LIBRARY"] = str(prefix / "lib" / "libtrawl2.so.1")
    sys.path.insert(0, str(ROOT / "src" / "lib" / "python"))
    import trawl  # pylint: disable=import-outside-toplevel

    return trawl


@pytest.fixture(name="opened", scope="module", params=TRACES, ids=[pathlib.Path(path).name for path, _ in TRACES])
def _opened(request, module, tmp_path_factory):
    """A trace with its index in a file, and the words for commands about it."""
    path = tmp_path_factory.mktemp("trace") / "run.tarmac"
    shutil.copy(CORPUS / request.param[0], path)
    image = CORPUS / request.param[1]
    return module.open(path, [image]), [str(path), "--image", str(image), "--demangle"]


def table_of(words):
    """What a command prints as CSV."""
    done = subprocess.run([*map(str, words), "--format=csv"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def as_csv(value, unit):
    """A cell as CSV has it."""
    if value is None:
        return ""
    return f"{value:#x}" if unit == "address" else f"{value:.6f}" if unit == "share" else str(value)


# --- The header ----------------------------------------------------------------------------------


@pytest.mark.parametrize("compiler", compilers(), ids=lambda words: pathlib.Path(words[0]).name)
@pytest.mark.parametrize("standard", ["c11", "c++17"])
def test_header(compiler, standard, tmp_path):
    language = "c++" if "+" in standard else "c"
    source = tmp_path / "all.c"
    source.write_text('#include <trawl2.h>\n#include <trawl.h>\nint main(void) { return TRAWL_DONE; }\n')
    subprocess.run([*compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{HEADER.parent}",
                    f"-I{ROOT / 'idx'}", "-c", source, "-o", tmp_path / "all.o"], check=True, timeout=TIMEOUT_S)  # fmt: skip


def declared():
    """The names of all functions in the header."""
    return set(re.findall(r"\b(trawl_\w+)\(", re.sub(r"(?m)^\s*//.*$", "", HEADER.read_text())))


def test_exports(prefix, checker):
    """The library defines what the header declares and nothing else, each with a version."""
    library = prefix / "lib" / "libtrawl2.so.1"
    shown = subprocess.run(["readelf", "-W", "--dyn-syms", library], capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout
    defined = {row.split()[-1] for row in shown.splitlines() if " FUNC " in row and " UND " not in row}
    checker.expect("names", sorted(name.split("@")[0] for name in defined), sorted(declared()))
    checker.expect("without a version", [name for name in defined if "@@TRAWL_2" not in name], [])


def test_cffi(module):
    """The header is read as it is, by the two steps that it names."""
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef(re.sub(r'(?m)^(#.*|extern "C" \{|\})$', "", HEADER.read_text()))
    library = ffi.dlopen(os.environ["TRAWL_LIBRARY"])
    assert ffi.string(library.trawl_version()).decode() == module.__version__
    for name in ("trawl_failure", "trawl_trace_options", "trawl_trace_info", "trawl_trace_event", "trawl_scan_options", "trawl_table_column"):
        ours = getattr(sys.modules["trawl._library"], "".join(map(str.title, name.split("_")[1:])))
        assert ffi.sizeof(f"struct {name}") == sys.modules["ctypes"].sizeof(ours), name


RUST = '''#![allow(warnings)]
include!("trawl2.rs");
use std::{ffi::{CStr, CString}, mem::{size_of, zeroed}, ptr};
fn main() {
    let path = CString::new(std::env::args().nth(1).unwrap()).unwrap();
    unsafe {
        let mut how: trawl_trace_options = zeroed();
        (how.struct_bytes, how.is_in_memory) = (size_of::<trawl_trace_options>() as u64, 1);
        let mut trace = ptr::null_mut();
        assert_eq!(trawl_trace_open(&mut trace, path.as_ptr(), &how, ptr::null_mut()), trawl_result_TRAWL_DONE);
        let mut info: trawl_trace_info = zeroed();
        info.struct_bytes = size_of::<trawl_trace_info>() as u64;
        trawl_trace_info(trace, &mut info);
        println!("{} {} {}", CStr::from_ptr(trawl_version()).to_str().unwrap(), CStr::from_ptr(info.kind).to_str().unwrap(), info.events);
        trawl_trace_close(trace);
    }
}
'''


def test_bindgen(prefix, module, tmp_path):
    """The header is read as it is by bindgen, and a program in Rust uses what it makes."""
    if not shutil.which("bindgen"):
        pytest.skip("bindgen is not installed")
    subprocess.run(["bindgen", HEADER, "-o", tmp_path / "trawl2.rs", "--allowlist-function", "trawl_.*"], check=True, timeout=TIMEOUT_S)
    assert set(re.findall(r"pub fn (trawl_\w+)", (tmp_path / "trawl2.rs").read_text())) == declared()
    if not shutil.which("rustc"):
        pytest.skip("without rustc, only what bindgen writes was checked")
    (tmp_path / "main.rs").write_text(RUST)
    subprocess.run(["rustc", "--edition=2021", "-L", prefix / "lib", "-l", "trawl2", "-C", f"link-arg=-Wl,-rpath,{prefix / 'lib'}", tmp_path / "main.rs",
                    "-o", tmp_path / "main"], check=True, timeout=TIMEOUT_S)  # fmt: skip
    path = CORPUS / TRACES[0][0]
    said = subprocess.run([tmp_path / "main", path], capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout
    trace = module.open(path, in_memory=True)
    assert said.split() == [module.__version__, trace.kind, str(len(trace))]


# --- Reports -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "arguments", "options"), REPORTS, ids=[" ".join([row[0], *row[2]]) for row in REPORTS])
def test_report(opened, trawl, checker, name, arguments, options):
    trace, words = opened
    table = trace.report(name, *arguments, **options)
    given = [f"--{key}" if value is True else f"--{key}={value}" for key, value in options.items()]
    own = words if name != "grep" and name != "show" else words[:1]
    expected = table_of([trawl, name, *own, *given, *arguments])
    found = [{key: as_csv(value, table.units[key]) for key, value in row.items()} for row in table.rows()]
    checker.expect(f"{name}: rows", len(found), len(expected))
    for number, (one, other) in enumerate(zip(found, expected)):
        checker.expect(f"{name}: row {number}", one, other)


def test_state(opened, trawl, checker):
    trace, words = opened
    for event in (0, 100, len(trace) - 1):
        done = subprocess.run([str(trawl), "state", *words, f"--at=event:{event}", "--format=json", "--registers=general"], capture_output=True, text=True,
                         timeout=TIMEOUT_S, check=False)  # fmt: skip
        answer = json.loads(done.stdout)
        assert json.loads(trace.report("state", at=event, format="json", registers="general").text) == answer
        checker.expect("event", trace.event(event).event, event)


def test_failures(opened, module, checker):
    trace, _ = opened
    for what, kind, offset, ask in [
        ("an expression", module.UsageError, 5, lambda: trace.find("x0 ==")),
        ("a symbol", module.NotFoundError, None, lambda: trace.symbol("nix")),
        ("a line", module.NotFoundError, None, lambda: trace.at("line:99999999")),
        ("an option", module.UsageError, None, lambda: trace.profile(frob=1)),
        ("a report", module.UsageError, None, lambda: trace.report("index")),
        ("help", module.UsageError, None, lambda: trace.profile(help=True)),
        ("an event", module.UsageError, None, lambda: trace.state(10**9)),
        ("a trace", module.TrawlError, None, lambda: module.open("/nix")),
    ]:
        with pytest.raises(kind) as caught:
            ask()
        checker.expect(what, caught.value.offset, offset)
    with pytest.raises(KeyError):
        trace.state(0)["nix"]


def test_prints_nothing(module, capfd):
    """Damage, warnings and misuse go to who asked."""
    path, image = CORPUS / TRACES[0][0], CORPUS / TRACES[1][1]
    trace = module.open(path, [image], in_memory=True)
    trace.profile(), trace.check()  # pylint: disable=expression-not-assigned
    with pytest.raises(module.UsageError):
        trace.find("(")
    assert trace.messages or trace.profile().messages
    assert capfd.readouterr() == ("", "")


def test_memory_index(module, tmp_path):
    """With an index in memory nothing is written, and reports use it."""
    path = tmp_path / "run.tarmac"
    shutil.copy(CORPUS / TRACES[0][0], path)
    trace = module.open(path, in_memory=True)
    assert trace.find("changed(sp)").row_count
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.tarmac"]


def test_damaged(module, tmp_path):
    lines = (CORPUS / TRACES[0][0]).read_text().splitlines(keepends=True)
    path = tmp_path / "damaged.tarmac"
    path.write_text("".join([*lines[:300], "300 clk IT (300) zzzz\n", *lines[300:]]))
    trace = module.open(path, in_memory=True)
    assert trace.damaged_lines == 1
    assert trace.messages
    assert trace.profile().is_partial


def test_threads(opened):
    """Several threads may ask one trace."""
    trace, _ = opened
    expected, answers = trace.profile().list("self"), []
    threads = [threading.Thread(target=lambda: answers.append((trace.profile().list("self"), trace.state(100)["sp"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer[0] for answer in answers] == [expected] * 4


USES = {
    "state": lambda trace: trace.state(0), "columns": lambda trace: trace.events, "values": lambda trace: trace.values("sp"),
    "a report": lambda trace: trace.profile(), "a name": lambda trace: trace.name(0), "a line": lambda trace: trace.line(0),
    "a symbol": lambda trace: trace.symbol("main"), "a point": lambda trace: trace.at("end"), "an event": lambda trace: trace.event(0),
}  # fmt: skip


def test_closed(opened, module, checker):
    """A trace that is closed refuses, and so does what was taken from it; what was read stays."""
    trace = module.open(opened[0].path)
    state, events, table = trace.state(5), trace.events, trace.profile()
    trace.close()
    trace.close()
    later = {"a register": lambda _: state["sp"], "memory": lambda _: state.memory("sp:8"), "a value": lambda _: state.value("1 + sp"),
             "blocks": lambda _: next(events.blocks()), "Arrow": lambda _: events.__arrow_c_stream__()}  # fmt: skip
    for what, use in {**USES, **later}.items():
        if what != "blocks" or importlib.util.find_spec("numpy"):
            with pytest.raises((module.UsageError, KeyError)) as caught:
                use(trace)
            checker.check(what, "is closed" in str(caught.value), caught.value)
    checker.check("a table stays", table.list("self"))


def test_positions(opened, module, checker):
    """The same point by its number, its name, and the numbers of NumPy."""
    trace, _ = opened
    start = trace.at("start")
    checker.expect("the start stays", trace.at(start), start)
    checker.expect("before the first event", repr(trace.state(start)), repr(trace.state("start")))
    checker.expect("a stack at the start", trace.stack(start).row_count, trace.stack("start").row_count)
    for wrong in (-1, len(trace), 2**64, 2**70):
        with pytest.raises(module.UsageError):
            trace.at(wrong)
    for lane in (len(trace.lanes), -1, "nix"):
        with pytest.raises(module.NotFoundError):
            trace.at("end", lane)
    checker.expect("a lane by its number", repr(trace.stack(100, lane=0)), repr(trace.stack(100, lane=trace.lanes[0].name)))
    if importlib.util.find_spec("numpy"):
        event = trace.events[100:101]["event"][0]
        checker.expect("a number of NumPy", trace.event(event), trace.event(100))
        checker.expect("as a position of a report", repr(trace.stack(event)), repr(trace.stack(100)))


def test_printed(opened, checker):
    """A table as text: addresses as the commands write them, shares in percent, other numbers whole."""
    trace, _ = opened
    table = trace.profile(top=3)
    head, *lines = (re.split(" {2,}", line) for line in repr(table).splitlines())
    shown = [dict(zip(head, line)) for line in lines]
    checker.expect("addresses", [row["address"] for row in shown], [f"{address:#x}" for address in table.list("address")])
    checker.expect("shares", [row["self_share"] for row in shown], [f"{share * 100:.2f}%" for share in table.list("self_share")])
    checker.expect("ticks", [row["self"] for row in shown], list(map(str, table.list("self"))))


def test_fork(opened):
    """A child asks the trace that its parent has opened."""
    trace, _ = opened
    expected = trace.profile().list("self"), trace.state(100)["sp"]
    ends = os.pipe()
    child = os.fork()
    if not child:
        answer = trace.profile().list("self"), trace.state(100)["sp"]
        os.write(ends[1], b"1" if answer == expected else b"0")
        os._exit(0)  # pylint: disable=protected-access
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as said:
        assert said.read() == b"1"
    os.waitpid(child, 0)


def test_close_while_asked(opened, module):
    """Another thread gets its answer, or is told that the trace is closed."""
    for _ in range(5):
        trace, said = module.open(opened[0].path), []

        def ask(trace=trace, said=said):
            try:
                while True:
                    said.append(trace.state(100)["sp"])
            except (module.UsageError, KeyError) as error:
                said.append(str(error))

        thread = threading.Thread(target=ask)
        thread.start()
        while len(said) < 20 and thread.is_alive():
            pass
        trace.close()
        thread.join()
        assert "is closed" in said[-1]


@pytest.mark.parametrize("spoil", ["cut", "flipped", "empty", "no index"])
def test_damaged_index(opened, module, tmp_path, spoil):
    """An index that is damaged is made again, or fails with a sentence."""
    path, index = tmp_path / "run.tarmac", tmp_path / "run.tarmac.index"
    shutil.copy(opened[0].path, path)
    expected = module.open(path).profile().list("self")
    whole = index.read_bytes()
    index.write_bytes({"cut": whole[:len(whole) // 2], "flipped": bytes(byte ^ 0x55 if i % 997 == 5 else byte for i, byte in enumerate(whole)),
                       "empty": b"", "no index": b"x" * 5000}[spoil])  # fmt: skip
    try:
        trace = module.open(path)
        assert trace.profile().list("self") == expected
        trace.state(len(trace) - 1).get("sp")
    except module.TrawlError as error:
        assert "index" in str(error)


# --- Columns -------------------------------------------------------------------------------------


@has_numpy
def test_not_copied(opened, checker):
    """A report's numbers lie where the library has them, for NumPy and Arrow alike; blocks are filled where they are read."""
    import numpy  # pylint: disable=import-outside-toplevel

    trace, _ = opened
    table = trace.profile()
    first = table["self"]
    checker.check("the same memory", numpy.shares_memory(first, table["self"]))
    checker.check("not to be written", not first.flags.writeable and not first.flags.owndata)
    if importlib.util.find_spec("pyarrow"):
        import pyarrow  # pylint: disable=import-outside-toplevel

        batch = pyarrow.record_batch(table)
        checker.expect("the same memory for Arrow", batch["self"].buffers()[1].address, first.ctypes.data)
    expected = table.list("self")
    del table
    checker.expect("it stays", first.tolist(), expected)
    blocks = trace.events.blocks("pc", rows=50)
    checker.expect("one array for all blocks", len({next(blocks)["pc"].ctypes.data for _ in range(3)}), 1)


@has_numpy
def test_columns(opened, checker):
    trace, _ = opened
    events = trace.events.read()
    for number in range(0, len(trace), max(1, len(trace) // 50)):
        about = trace.event(number)
        checker.expect(f"event {number}", [int(events[name][number]) for name in ("event", "lane", "lane_event", "time", "line", "position")],
                      list(about[:6]))  # fmt: skip
    checker.expect("a slice", trace.events[10:20]["time"].tolist(), events["time"][10:20].tolist())
    checker.expect("an empty slice", len(trace.events[10:10]["time"]), 0)
    checker.expect("blocks", sum(len(block["pc"]) for block in trace.events.blocks("pc", rows=7)), len(trace))
    stored = trace.accesses.read()
    checker.expect("stores before", all(int(event) < len(trace) for event in stored["event"]), True)
    name = "sp" if "a64" in trace.path or trace.state(0).get("sp") is not None else "r13"
    values = trace.values(name).read()
    for event, value, known in zip(*(values[column][:50].tolist() for column in ("event", "value", "known"))):
        held = trace.state(event, lane=0)[name]
        checker.expect(f"{name} at {event}", held if held is not None else "?", value if held is not None else "?")
        checker.check(f"{name} at {event}: known", (held is not None) == (known in (15, 255)))


@has_numpy
def test_times_of_calls(opened, checker):
    """Begin and end of calls, as `trawl calls` has them: without the outermost functions, which no call entered."""
    trace, _ = opened
    calls = trace.calls.read()
    found = sorted(zip(calls["begin"].tolist(), calls["end"].tolist(), (calls["pc"] & ~calls["pc"].dtype.type(1)).tolist()))
    listed = trace.report("calls")
    expected = sorted(zip(listed.list("entry_time"), listed.list("exit_time"), listed.list("address")))
    for row in found:
        checker.check(f"{row}", row in expected)
    checker.check("all but the outermost", 0 <= len(expected) - len(found) <= 2 * len(trace.lanes))


@has_numpy
def test_arrow(opened, checker):
    arrow = pytest.importorskip("pyarrow")
    trace, _ = opened
    table = arrow.table(trace.events)
    events = trace.events.read()
    for name in events:
        checker.expect(name, table[name].to_pylist(), events[name].tolist())
    report = trace.report("calls")
    batch = arrow.record_batch(report)
    batch.validate(full=True)
    checker.expect("rows", [{key: value for key, value in row.items()} for row in batch.to_pylist()], list(report.rows()))
    del report
    checker.check("kept", batch.num_rows > 0 and batch.to_pylist())
    unused = trace.events.__arrow_c_stream__()
    del unused


# --- Viewers -------------------------------------------------------------------------------------


@pytest.fixture(name="viewers", scope="module")
def _viewers(prefix, tmp_path_factory):
    """The same viewer in C, C++ and Python: the words that run each."""
    place = tmp_path_factory.mktemp("viewers")
    flags = [f"-I{prefix / 'include'}", f"-L{prefix / 'lib'}", "-ltrawl2", f"-Wl,-rpath,{prefix / 'lib'}"]
    viewers = {"Python": [sys.executable, EXAMPLES / "viewer.py"]}
    for language, compiler, name in [("C", "gcc", "viewer.c"), ("C++", "g++", "viewer.cpp")]:
        if shutil.which(compiler):
            standard = [] if language == "C" else ["-std=c++17"]
            subprocess.run([compiler, *standard, "-Wall", "-Wextra", "-Werror", EXAMPLES / name, *flags, "-o", place / name[:-2]], check=True,
                           timeout=TIMEOUT_S)  # fmt: skip
            viewers[language] = [place / name[:-2]]
    return viewers


def test_viewers(viewers, module, trawl, checker):
    path, image = CORPUS / TRACES[0][0], CORPUS / TRACES[0][1]
    where = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT / "src" / "lib" / "python"), os.environ.get("PYTHONPATH", "")]))
    trace = module.open(path, [image], in_memory=True)
    event = trace.at("pc:fibonacci#3")
    profile = table_of([trawl, "profile", path, "--image", image, "--top=5"])
    stack = table_of([trawl, "stack", path, "--image", image, "--memory-index", f"--at=event:{event}"])
    expected = ["profile", *(f" {row['self']} {row['total']} {row['calls']} {row['function']}" for row in profile), "stack",
                *(f" {row['frame']} {int(row['pc'], 16)} {row['function']}" for row in stack)]  # fmt: skip
    expected += [f"{name} {trace.state(event)[name]}" for name in ("x0", "x1", "sp")]
    for language, words in viewers.items():
        lines = (EXAMPLES / ("viewer." + {"C": "c", "C++": "cpp", "Python": "py"}[language])).read_text().splitlines()
        checker.check(f"{language}: short", len(lines) <= 60)
        done = subprocess.run([*map(str, words), path, image, "pc:fibonacci#3"], capture_output=True, text=True, env=where, check=False,
                              timeout=TIMEOUT_S)  # fmt: skip
        checker.expect(f"{language}: status", (done.returncode, done.stderr), (0, ""))
        checker.expect(f"{language}: answer", done.stdout.splitlines(), expected)
        done = subprocess.run([*map(str, words), "/nix", image, "start"], capture_output=True, text=True, env=where, check=False,
                              timeout=TIMEOUT_S)  # fmt: skip
        checker.expect(f"{language}: failure", (done.returncode, done.stderr), (1, "viewer: /nix: open: No such file or directory\n"))


@has_numpy
def test_first(prefix, place, checker):
    """A profile, a plot and a slice in 15 lines; where matplotlib is not installed, with one that only keeps what is plotted."""
    if not importlib.util.find_spec("matplotlib"):
        (place / "matplotlib").mkdir()
        (place / "matplotlib" / "__init__.py").write_text("")
        (place / "matplotlib" / "pyplot.py").write_text(
            "def step(x, y, where): assert len(x) == len(y) > 100; open('sp.svg', 'w').write('<svg')\nxlabel = ylabel = savefig = print\n")
    where = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT / "src" / "lib" / "python"), str(place), os.environ.get("PYTHONPATH", "")]),
                 TRAWL_LIBRARY=str(prefix / "lib" / "libtrawl2.so.1"), MPLBACKEND="svg", MPLCONFIGDIR=str(place))  # fmt: skip
    trace = place / "run.tarmac"
    shutil.copyfile(CORPUS / TRACES[0][0], trace)
    words = [sys.executable, EXAMPLES / "first.py", trace, CORPUS / TRACES[0][1], "fibonacci"]
    done = subprocess.run(list(map(str, words)), cwd=place, env=where, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    checker.expect("status", (done.returncode, done.stderr), (0, ""))
    checker.check("short", len((EXAMPLES / "first.py").read_text().splitlines()) <= 15)
    checker.check("a profile and a slice", "self_share" in done.stdout and done.stdout.count("fibonacci") >= 2, done.stdout)
    checker.check("a plot", "<svg" in (place / "sp.svg").read_text())


@has_numpy
def test_page(module, place, monkeypatch):
    """The first block of docs/python.md runs; without polars, which CI has not, up to it."""
    monkeypatch.chdir(place)
    pyarrow = pytest.importorskip("pyarrow")
    shutil.copyfile(CORPUS / "traces" / "corrupt-a64.it.tarmac", "run.tarmac")
    shutil.copyfile(CORPUS / "elf" / "corrupt-a64.elf", "prog.elf")
    block = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)[1]
    known = {"pyarrow": pyarrow}
    if importlib.util.find_spec("polars"):
        known["polars"] = importlib.import_module("polars")
    else:
        block = "".join(line for line in block.splitlines(keepends=True) if "polars" not in line)
    exec(compile(block, "docs/python.md", "exec"), known)
    assert len(known["t"].find("x9 == 0 && pc in name_job")["event"]) > 0, "the condition begins to hold somewhere"


@has_numpy
def test_notebook(module, monkeypatch):
    """Its cells run, one after the other."""
    monkeypatch.chdir(EXAMPLES)
    known = {}
    for cell in json.loads((EXAMPLES / "tour.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), known)  # pylint: disable=exec-used
    assert known["t"].profile()["self"].sum() == known["t"].profile()["total"].max()
    assert isinstance(known["t"], module.Trace)


# --- The interface -------------------------------------------------------------------------------


# By what trawl2.h promises of structures, they may grow at their ends.
GROWS = """[suppress_type]
type_kind = struct
has_data_member_inserted_at = end
"""
# What happens to the interface, as a change of the stored one, and whether programs that were linked before still run.
CHANGES = {
    "a function is gone": (r"(<elf-symbol name='trawl_)version(' .*\n)", r"\1version\2    \1gone\2", False),
    "a parameter is of another type": (r"(<function-decl name='trawl_trace_close'.*\n.*<parameter type-id=')[^']*", r"\1type-id-1", False),
    "a member has moved": (r"(name='trawl_trace_event' size-in-bits=')576((?s:.*?))<data-member.*\n.*name='pc'.*\n *</data-member>\n(.*offset-in-bits=')512", r"\g<1>512\2\g<3>448", False),
    "a number stands for something else": (r"(name='TRAWL_FAILED_LIMIT' value=')3", r"\g<1>7", False),
    "a structure has grown": (r"(name='trawl_trace_event' size-in-bits=')576((?s:.*?))<data-member.*\n.*name='flags'.*\n *</data-member>\n", r"\g<1>512\2", True),
    "a function is new": (r" *<elf-symbol name='trawl_guard_files'.*\n", "", True),
}


def test_abi(prefix, checker, accept, tmp_path):
    """Programs that were linked with the interface of the last release still run: it may only grow. --accept stores it, at a release."""
    if not shutil.which("abidiff"):
        pytest.skip("abidiff is not installed")
    older, ours, grows = tmp_path / "older.abi", tmp_path / "ours.abi", tmp_path / "grows"
    subprocess.run(["abidw", "--exported-interfaces-only", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--drop-private-types",
                    "--header-file", HEADER.name, "--out-file", ours, prefix / "lib" / "libtrawl2.so.1"], check=True, cwd=HEADER.parent, timeout=TIMEOUT_S)  # fmt: skip
    if accept:
        ABI.write_text(re.sub(r" path='[^']*?((/[^/']*){3})'", r" path='\1'", ours.read_text()))
    grows.write_text(GROWS)

    def difference(text):
        older.write_text(text)
        done = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", grows, older, ours], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
        assert done.returncode >= 0 and not done.returncode & 3, (done.returncode, done.stderr)
        return done.stdout if done.returncode else ""

    stored = ABI.read_text()
    checker.expect("as it was", difference(stored), "")
    for name, (pattern, other, is_fine) in CHANGES.items():
        changed = re.sub(pattern, other, stored, count=1)
        checker.check(f"{name}: a change", changed != stored)
        seen = difference(changed)
        checker.check(f"{name}: {'fine' if is_fine else 'seen'}", (seen == "") == is_fine, seen)


# --- The words about it --------------------------------------------------------------------------


def test_declarations(checker):
    """Each function of the header has a comment of its own."""
    lines = HEADER.read_text().splitlines()
    for before, line in zip(lines, lines[1:]):
        if re.match(r"(?!//)\S.*\btrawl_\w+\(", line):
            checker.check(f"a comment: {line}", before.startswith("//") or "trawl_table_row_count(" in before, before)


def test_docstrings(module, checker):
    """What `help(trawl)` shows says something about all that is public."""
    for name in module.__all__:
        value = getattr(module, name)
        own = vars(value).items() if isinstance(value, type) and value.__module__ == "trawl" else ()
        for member, what in ((name, value), *((f"{name}.{member}", what) for member, what in own if not member.startswith("_") and (callable(what) or isinstance(what, property)))):
            checker.check(f"a docstring: {member}", (what.__doc__ or "").strip()[:1].isupper(), what.__doc__)


def test_types(module, monkeypatch):
    """mypy has no complaint about the module, and none about programs that use it."""
    mypy = pytest.importorskip("mypy.api", reason="no mypy (of PyPI)")
    folder = pathlib.Path(module.__file__).parent
    monkeypatch.setenv("MYPYPATH", str(folder.parent))
    for words in (["--strict", folder], ["--check-untyped-defs", *EXAMPLES.glob("*.py")]):
        out, err, status = mypy.run(["--ignore-missing-imports", "--cache-dir=/dev/null", *map(str, words)])
        assert status == 0, out + err
