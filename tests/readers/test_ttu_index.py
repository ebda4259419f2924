"""Reads indexes for the browsers of Arm's Tarmac Trace Utilities (`trawl index --format ttu`) with a second reader, and compares them with
recorded digests and with libtrawl.

    tests/run.py ttu_index

tools/compare_ttu_index.py recorded the digests in tests/recorded/ttu_index.answers only for traces of which their own tarmac-indextool makes
an index with the same contents.
"""

import bisect
import gzip
import os
import random
import resource
import subprocess
from pathlib import Path

import libtrawl
import pytest
import quick
import ttu_reader
from kinds import KINDS, make_trace

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "corpus" / "traces"
ANSWERS = ROOT / "tests" / "recorded" / "ttu_index.answers"
TIMEOUT_S = 60
SAMPLES = 20
PARTS = 4  # the parts of the answers that workers share
REGISTER_BYTES = 0x2314
HEADER = "Tarmac Text Rev 3t\n"


def run(trawl, *words, cwd=None, **more):
    command = [trawl, "index", *map(str, words)]
    if more:
        return subprocess.run(command, cwd=cwd, capture_output=True, timeout=TIMEOUT_S, check=False, **more)
    return quick.run(command, cwd, timeout=TIMEOUT_S)


def make(trawl, trace, index, *options, **more):
    """Makes an index, and returns its bytes."""
    made = run(trawl, "--format", "ttu", "--no-sync", *options, "-o", index, trace, **more)
    assert made.returncode in (0, 3), made.stderr
    return index.read_bytes()


def trace_of(name, place):
    """The path and options of a trace of the corpus, or of the trace made from KIND-SEED."""
    if (TRACES / name).exists():
        return TRACES / name, ["--bi"] if "be." in name else []
    kind, seed = name.rsplit("-", 1)
    made = make_trace(int(seed), kind)
    path = place / "t.tarmac"
    path.write_bytes(made.data)
    return path, [word for word in made.options if word in ("--bi", "--implicit-thumb")]


def sound(data, trace):
    """The index, after it was checked, and the events at which its memory was checked."""
    index = ttu_reader.Index(data)
    numbers = ttu_reader.samples_of(len(index.events), SAMPLES)
    ttu_reader.check_all(index, trace.stat().st_size, numbers)
    return index, numbers


@pytest.mark.parametrize("part", range(PARTS))
def test_recorded(checker, trawl, place, part):
    for line in ANSWERS.read_text().splitlines()[part::PARTS]:
        name, wanted = line.split()
        trace, options = trace_of(name, place)
        index, numbers = sound(make(trawl, trace, place / "index", *options), trace)
        checker.expect(name, index.digest(numbers), wanted)


# --- Against libtrawl ----------------------------------------------------------------------------


def line_of(library_index, write, header_lines):
    return library_index.event(write.event).line - header_lines if write else 0


def compare_memory(theirs, number, ours, header_lines):
    known, unknown = ours
    for address, data, line in known:
        values, is_known = theirs.memory(number, address, len(data))
        assert all(is_known) and bytes(values) == data, f"event {number}: memory at {address:#x}"
        write = theirs.memory_written(number, libtrawl.BACKWARD, address, len(data))
        assert line_of(theirs, write, header_lines) == line, f"event {number}: who wrote {address:#x}"
    for lo, hi, line in unknown:
        write = theirs.memory_written(number, libtrawl.BACKWARD, lo, hi - lo + 1)
        assert line_of(theirs, write, header_lines) == line, f"event {number}: who wrote {lo:#x}"


def compare_registers(theirs, number, ours):
    values, is_known = theirs.registers(0, number, 0, REGISTER_BYTES)
    wanted = {at: values[at] for at in range(REGISTER_BYTES) if is_known[at]}
    found = {at: byte for at, (byte, _) in ours.items() if at < REGISTER_BYTES}
    assert found == wanted, f"event {number}: registers"


@pytest.mark.parametrize("name", ["semihosting-a32be.it", "exceptions-t32.es", "fp-a32.it", "neon-a64.es", "twocores-a64.it",
                                  "recursion-a64.gem5"])
def test_same_as_libtrawl(trawl, prefix, library, place, name):
    trace, options = trace_of(name + ".tarmac", place)
    index, numbers = sound(make(trawl, trace, place / "index", *options), trace)
    subprocess.run([prefix / "tests" / "make-index", "--ttu", *options, trace, place / "own"], timeout=TIMEOUT_S, check=True)
    with library.open(place / "own") as theirs:
        assert theirs.info.events == len(index.events)
        for number, event in enumerate(index.events):
            own = theirs.event(number)
            assert (own.time, own.pc, own.position, own.line) == (event.time, event.pc, event.position,
                                                                  event.line + index.header_lines)
        for number in numbers:
            compare_registers(theirs, number, index.registers(index.events[number]))
            compare_memory(theirs, number, index.memory(index.events[number]), index.header_lines)


# --- The same bytes ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["semihosting-a64.it", "exceptions-a32.es", "hash-a64.es", "twocores-a64.gem5"])
def test_same_for_any_chunks_threads_and_packing(trawl, place, name):
    trace = TRACES / (name + ".tarmac")
    index = place / "index"
    wanted = make(trawl, trace, index, "--threads", 1)
    for options in (["--threads", 2], ["--threads", 7, "--chunk-size", 100], ["--threads", 3, "--chunk-size", 1],
                    ["--max-memory", "64M"]):
        assert make(trawl, trace, index, *options) == wanted, options
    packed = place / "t.gz"
    packed.write_bytes(gzip.compress(trace.read_bytes()))
    assert make(trawl, packed, index) == wanted, "compressed"
    with open(trace, "rb") as file:
        assert make(trawl, "-", index, stdin=file) == wanted, "from standard input"
    piped = run(trawl, "--format", "ttu", "-o", index, "-", input=trace.read_bytes())
    assert piped.returncode == 0 and index.read_bytes() == wanted, "from a pipe"


# --- Made-up traces ------------------------------------------------------------------------------


def recursion(depth):
    """Nested calls that all return: BL at 8000 to itself, and a return from each."""
    lines, time = [], 0
    for level in range(depth):
        sp = 0x100000000 - 16 * level
        lines += [f"{time} clk IT (1) 00008000 97ffffff O EL1h_s : BL 0x8000", f"{time} clk R X30 {0x8004:016x}",
                  f"{time} clk R xsp {sp:016x}", f"{time + 1} clk R xsp {sp:016x}"]
        time += 2
    for level in reversed(range(depth)):
        sp = 0x100000000 - 16 * level
        lines += [f"{time} clk IT (1) 00009000 d65f03c0 O EL1h_s : RET", f"{time} clk R xsp {sp:016x}",
                  f"{time + 1} clk R xsp {sp:016x}", f"{time + 1} clk IT (1) 00008004 d503201f O EL1h_s : NOP"]
        time += 2
    return lines


def stores_and_loads(count, known):
    """Stores to many words in a scattered order, then loads of all; with `known` False, only the loads show the values."""
    lines = []
    for number in range(count):
        address = 0x10000 + 8 * (number * 7919 % count)
        lines += [f"{number} clk IT (1) {0x8000 + 4 * (number % 64):08x} f9000000 O EL1h_s : STR x0,[x0]",
                  f"{number} clk MW8 {address:016x} " + (f"{address:016x}" if known else "x" * 16)]
    for number in range(count):
        address = 0x10000 + 8 * number
        lines += [f"{count + number} clk IT (1) 00008100 f9400000 O EL1h_s : LDR x0,[x0]",
                  f"{count + number} clk MR8 {address:016x} {number:016x}"]
    return lines


def priority(address):
    """The priority of an item of memory, which anybody can compute (src/compat/ttu/versions.h)."""
    mask = (1 << 64) - 1
    hashed = (address + 0x9e3779b97f4a7c15) & mask
    hashed = (hashed ^ hashed >> 30) * 0xbf58476d1ce4e5b9 & mask
    hashed = (hashed ^ hashed >> 27) * 0x94d049bb133111eb & mask
    return (hashed ^ hashed >> 31) >> 33


def rising(numbers):
    """The places of the longest ascending subsequence."""
    tops, places, before = [], [], []
    for place, number in enumerate(numbers):
        at = bisect.bisect_left(tops, number)
        before.append(places[at - 1] if at else None)
        tops[at:at + 1], places[at:at + 1] = [number], [place]
    found, place = [], places[-1]
    while place is not None:
        found.append(place)
        place = before[place]
    return found[::-1]


def deep_addresses():
    """Addresses of words whose tree is as deep as their number: the items for the gaps between them have lower priorities."""
    draw = random.Random(1)
    drawn = sorted(draw.getrandbits(60) * 8 for _ in range(300_000))
    addresses = [address for address in drawn if priority(address) >= 1 << 30 > priority(address + 8)]
    return [addresses[place] for place in rising([priority(address) for address in addresses])]


def written(place, lines, end="\n"):
    trace = place / "t.tarmac"
    trace.write_text("\n".join(lines) + end)
    return trace


def test_deep_calls(trawl, place):
    depth = 6000  # more than shared arrays may have
    trace = written(place, recursion(depth))
    index, _ = sound(make(trawl, trace, place / "index"), trace)
    assert max(event.depth for event in index.events) > depth - 10


def test_many_items(trawl, place):
    count = 20_000
    trace = written(place, stores_and_loads(count, True))
    index, _ = sound(make(trawl, trace, place / "index"), trace)
    known, unknown = index.memory(index.events[-1])
    assert len(known) == count and not unknown
    assert [item.line for item in index.items(index.events[-1].root) if item.space == b"m"] != sorted(range(count))


def test_many_cells(trawl, place):
    """A value that a load shows late is known from the creation of its cell on, and not before."""
    count = 6000
    trace = written(place, stores_and_loads(count, False))
    index, _ = sound(make(trawl, trace, place / "index"), trace)
    for number in (0, 1, count // 2, count - 1, 2 * count - 1):
        stored = min(number + 1, count)
        known, _ = index.memory(index.events[number])
        assert sorted(line for _, _, line in known) == [2 * i + 1 for i in range(stored)]
        assert all(int.from_bytes(data, "little") == (address - 0x10000) // 8 for address, data, _ in known)


@pytest.mark.parametrize("per_event", [1, 2000])
def test_deep_trees_are_refused(trawl, place, per_event):
    lines, addresses = [], deep_addresses()
    assert len(addresses) > 500
    for number, address in enumerate(addresses):
        if number % per_event == 0:
            lines.append(f"{number} clk IT (1) 00008000 f9000000 O EL1h_s : STR x0,[x0]")
        lines.append(f"{number - number % per_event} clk MW8 {address:016x} 0000000000000001")
    lines += [f"{len(lines) + i} clk IT (1) 00008000 d503201f O EL1h_s : NOP" for i in range(1000)]  # an interval without such stores
    made = run(trawl, "--format", "ttu", "-o", place / "index", written(place, lines))
    assert made.returncode == 1 and b"too deep" in made.stderr and not (place / "index").exists(), made


def test_header_and_cut_end(trawl, place):
    """Lines before the first event, and an unreadable line without newline at the end."""
    lines = [HEADER.strip(), "1 clk IT (1) 00008000 d503201f O EL1h_s : NOP", "2 clk IT (2) 00008004 d503201f O EL1h_s : NOP"]
    whole = written(place, lines)
    size = whole.stat().st_size
    first, _ = sound(make(trawl, whole, place / "index"), whole)
    cut = written(place, [*lines, "3 clk IT (3) 00008"], "")
    second, _ = sound(make(trawl, cut, place / "index"), cut)
    for index in (first, second):
        assert index.header_lines == 1 and len(index.events) == 2
        assert index.events[-1].position + index.events[-1].size_bytes == size
        assert index.events[-1].lines == 1
    unended = written(place, lines, "")
    third, _ = sound(make(trawl, unended, place / "index"), unended)
    assert third.events[-1].position + third.events[-1].size_bytes == size - 1


def test_cut_end_that_they_read(trawl, place):
    """A last line that was cut, which the Tarmac Trace Utilities take as it is: it is in the index, with a warning."""
    lines = ["1 clk IT (1) 00008000 d503201f O EL1h_s : NOP", "1 clk R X1 00"]
    cut = written(place, lines, "")
    other = run(trawl, "--index", place / "other", cut)
    assert other.returncode == 3 and b":2: the trace ends inside a line: expected register contents" in other.stderr, other
    made = run(trawl, "--format", "ttu", "-o", place / "index", cut)
    assert made.returncode == 3, made
    assert b":2: the trace ends inside a line: expected register contents; the index has it as the Tarmac" in made.stderr, made
    index, _ = sound((place / "index").read_bytes(), cut)
    assert [(event.line, event.lines) for event in index.events] == [(1, 2)]
    strict = run(trawl, "--format", "ttu", "--strict", "-o", place / "strict", cut)
    assert strict.returncode == 1 and b"expected register contents" in strict.stderr and not (place / "strict").exists()
    whole = run(trawl, "--format", "ttu", "-o", place / "index", written(place, [*lines, "2 clk IT (2) 00008004 d503201f O EL1h_s : NOP"], ""))
    assert whole.returncode == 0 and b"inside" not in whole.stderr, whole


def test_damaged_lines_are_of_the_event_before(trawl, place):
    lines = ["1 clk IT (1) 00008000 d503201f O EL1h_s : NOP", "1 clk R X1 zz", "2 clk IT (2) 00008004 d503201f O EL1h_s : NOP"]
    trace = written(place, lines)
    made = run(trawl, "--format", "ttu", "-o", place / "index", trace)
    assert made.returncode == 3 and b"damaged lines left out: 1" in made.stderr
    index, _ = sound((place / "index").read_bytes(), trace)
    assert [(event.line, event.lines) for event in index.events] == [(1, 2), (3, 1)]
    assert run(trawl, "--format", "ttu", "--strict", "-o", place / "other", trace).returncode == 1
    assert not (place / "other").exists()


# --- Where it is written -------------------------------------------------------------------------


def test_is_no_older_than_its_trace(trawl, place):
    """Otherwise their programs would build it again."""
    trace = written(place, ["1 clk IT (1) 00008000 d503201f O EL1h_s : NOP"])
    later = trace.stat().st_mtime_ns + 10**13
    os.utime(trace, ns=(later, later))
    make(trawl, trace, place / "index")
    assert (place / "index").stat().st_mtime >= trace.stat().st_mtime


def test_only_where_it_is_asked_for(trawl, place):
    trace = written(place, ["1 clk IT (1) 00008000 d503201f O EL1h_s : NOP"])
    own = place / "t.tarmac.index"
    make(trawl, trace, place / "other")
    assert not own.exists()
    foreign = make(trawl, trace, own)
    assert run(trawl, trace).returncode == 0  # trawl puts its own index elsewhere
    assert own.read_bytes() == foreign and (place / "t.tarmac.trawl").exists()


def test_trace_is_never_replaced(trawl, place):
    trace = written(place, ["1 clk IT (1) 00008000 d503201f O EL1h_s : NOP"])
    before = trace.read_bytes()
    for path in (trace, place / "." / "t.tarmac"):
        made = run(trawl, "--format", "ttu", "-o", path, trace)
        assert made.returncode == 1 and b"would replace the trace" in made.stderr and trace.read_bytes() == before


def test_rights_are_those_of_the_trace(trawl, place):
    trace = written(place, ["1 clk IT (1) 00008000 d503201f O EL1h_s : NOP"])
    trace.chmod(0o640)
    make(trawl, trace, place / "index")
    assert (place / "index").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("size_bytes", [0, 39, 100_000, 600_000, 5_000_000, -1])
def test_no_room(trawl, place, size_bytes):
    """If writing fails, the reason is reported, and an existing file stays."""
    trace = written(place, stores_and_loads(20_000, True))
    size_bytes = size_bytes if size_bytes >= 0 else len(make(trawl, trace, place / "index")) - 1
    (place / "index").write_text("before")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))  # noqa: E731
    made = run(trawl, "--format", "ttu", "-o", place / "index", trace, preexec_fn=limit)
    assert made.returncode == 1 and b"index: write: File too large" in made.stderr, made
    assert (place / "index").read_text() == "before" and len(list(place.iterdir())) == 2


OTHER = ROOT / "corpus" / "traces" / "sort-a64.it.tarmac"


@pytest.mark.parametrize("words, said", [
    (["--format", "ttu", "@"], "--format ttu needs -o FILE"),
    (["--format", "other", "-o", "i", "@"], "--format expects trawl or ttu, not 'other'"),
    (["-o", "i", "@"], "-o goes with --format ttu"),
    (["--format", "trawl", "-o", "i", "@"], "-o goes with --format ttu"),
    (["--format", "ttu", "-o", "i", "@", "@"], "--format ttu goes with one trace only"),
    (["--format", "ttu", "-o", "i", "/"], "--format ttu goes with one trace only"),
    *((["--format", "ttu", "-o", "i", *option, "@"], f"--format ttu cannot be combined with {option[0]}") for option in (
        ["--index", "j"], ["--follow"], ["--no-index"], ["--memory-index"], ["--force-index"], ["--jobs", "2"],
        ["--shard", "1/2"], ["--output-dir", "d"], ["--summary", "csv"], ["--segment-events", "5"], ["--then", str(OTHER)],
        ["--with", str(OTHER)], ["--pattern", "*"])),
])
def test_options(trawl, place, words, said):
    trace = written(place, ["1 clk IT (1) 00008000 d503201f O EL1h_s : NOP"])
    made = run(trawl, *(str(trace) if word == "@" else word for word in words), cwd=place)
    assert made.returncode == 2 and said in made.stderr.decode(), made.stderr
    assert [path.name for path in place.iterdir()] == ["t.tarmac"]


@pytest.mark.parametrize("name", ["xray/recursion.fdr.xray", "tfile/passes.tf"])
def test_other_traces_have_none(trawl, place, name):
    made = run(trawl, "--format", "ttu", "-o", place / "index", ROOT / "corpus" / name)
    assert made.returncode != 0 and b"cannot index" in made.stderr and not (place / "index").exists()


def test_what_is_no_trace_has_none(trawl, place):
    trace = written(place, ["nothing", "of", "a trace"])
    made = run(trawl, "--format", "ttu", "-o", place / "index", trace)
    assert made.returncode == 1 and not (place / "index").exists()


def test_kinds_are_there():
    assert {line.rsplit("-", 1)[0] for line in ANSWERS.read_text().split("\n") if line and ".tarmac" not in line} <= set(KINDS)
