"""Makes every allocation of every command fail in turn. The command then reports that there is no memory and ends with status 1, or it
does not need that memory and behaves as without the failure. Its output until then is correct, and only ends early; a file is complete
or does not exist. The same if no allocation succeeds from some point on, and if the address space of the process is limited.

    tests/run.py [--thorough] memory

A preloaded library makes allocations fail (failing_memory.c). If a command makes more than a few allocations, only some random ones are
tried; --thorough tries all allocations of all commands.
"""

import bz2
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import extent
import faces
import pytest
import quick
import small_elf
from bounded import within
from checker import Checker

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
SEED = 9
TIMEOUT_S = 60
ALL_UP_TO = 4  # for each command; most of the first ones are those of every start
SAMPLED = 4
NO_MEMORY = re.compile(rb"\bmemory\b|Cannot allocate", re.IGNORECASE)
TRACE_LINES = 400

# Limits of address space: from what the loader needs to what is enough for all commands here.
LIMIT_KB = range(24_800, 72_000, 800)

# The first allocations of many commands are the same, so each is listed only as often as it has different allocations. Words of the form
# @NAME are files made by prepare().
TARMAC = ["@t", "--threads", "1"]
IMAGE = ["--image", "corpus/elf/recursion-a64.elf"]
STORED = ["@indexed", "--threads", "1"]
NAMED = ["@named", "--threads", "1"]  # its index has the names of the image
NOTES = "named.notes.json"  # stored by the server
PACKED = {"t.gz": gzip, "t.xz": lzma, "t.bz2": bz2}
PIECES = ["@then", "--then", "@t.xz", "--then", "@t.bz2", "--threads", "1"]  # the index has the access points of each piece
COMMANDS = [
    ["trawl"],
    ["trawl", "--version"],
    ["trawl", "profile", "--help"],
    ["trawl", "profile", *TARMAC, *IMAGE, "--demangle"],
    ["trawl", "profile", *TARMAC, "--format", "json", "--sort", "name"],
    ["trawl", "profile", *TARMAC, "--image", "mangled.elf", "--demangle"],
    ["trawl", "profile", *TARMAC, *IMAGE, "-o", "@out", "--format", "csv"],
    ["trawl", "profile", "@t", "--threads", "2", "--chunk-size", "2000"],
    ["trawl", "profile", *NAMED],
    ["trawl", "profile", *NAMED, *IMAGE],
    ["trawl", "profile", "@damaged", "--threads", "1"],
    ["trawl", "profile", "--threads", "1", "corpus/xray/recursion.fdr.xray", "--image", "corpus/xray/recursion.elf"],
    ["trawl", "calltree", *TARMAC, *IMAGE],
    ["trawl", "calltree", *TARMAC, *IMAGE, "--format", "json"],
    ["trawl", "calltree", "--inlines", "--lines", *TARMAC, *IMAGE],
    ["trawl", "calltree", "--threads", "1", "--depth", "3", "corpus/xray/arguments.fdr.xray"],
    ["trawl", "callinfo", *TARMAC, *IMAGE, "fibonacci", "0x6"],
    ["trawl", "callinfo", *NAMED, "fibonacci"],
    ["trawl", "flamegraph", *TARMAC, *IMAGE],
    ["trawl", "flamegraph", *TARMAC, *IMAGE, "--format", "svg", "-o", "@out"],
    ["trawl", "flamegraph", "--unwind", "sframe", "--every", "100", "--memory-index", "corpus/sframe/recursion-a64-v3.tarmac", "--image", "corpus/sframe/recursion-a64-v3.elf"],
    ["trawl", "flamegraph", "--threads", "1", "corpus/tfile/stacks.tf", "--image", "corpus/tfile/walk.elf"],
    ["trawl", "vcd", *TARMAC, *IMAGE],
    ["trawl", "vcd", "@t", "--threads", "2", "-o", "@out"],
    ["trawl", "coverage", *TARMAC, *IMAGE],
    ["trawl", "annotate", "--function", "main", "--format", "html", *TARMAC, *IMAGE],
    ["trawl", "profile", "--by", "inline", *TARMAC, *IMAGE],
    ["trawl", "coverage", *TARMAC, "@indexed", *IMAGE, "--format", "cobertura", "-o", "@out"],
    ["trawl", "coverage", "@t", *IMAGE, "--threads", "2", "--by", "instruction", "--chunk-size", "2000"],
    ["trawl", "profile", "--by", "line", *TARMAC, *IMAGE],
    ["trawl", "flamegraph", "--lines", "--inlines", *TARMAC, *IMAGE],
    ["trawl", "annotate", "--function", "main", "--format", "json", *STORED, *IMAGE],
    ["trawl", "index", *TARMAC, *IMAGE, "--index", "@out"],
    ["trawl", "index", "--follow", *TARMAC, "--index", "@out"],
    ["trawl", "index", "--shard", "2/2", "@t", *IMAGE, "--index", "@out"],
    ["trawl", "merge", "@part2", "@part1", "-o", "@out"],
    ["trawl", "index", "--survey", "--shard", "2/2", "@damaged", "--chunk-size", "2000", "--index", "@out"],
    ["trawl", "index", "--shard", "2/2", "--after", "@survey*", "@damaged", "--index", "@out"],
    ["trawl", "index", "--format", "ttu", "@semihosting", "--threads", "1", "-o", "@out"],
    ["trawl", "index", "--format", "ttu", "@t", "--threads", "2", "--chunk-size", "2000", "-o", "@out"],
    ["trawl", "export", *TARMAC, *IMAGE, "--format", "ctf", "-o", "@out"],
    ["trawl", "export", *TARMAC, *IMAGE, "--format", "chrome"],
    ["trawl", "export", *TARMAC, *IMAGE, "--by", "task"],
    *(["trawl", "export", *TARMAC, *IMAGE, "--format", form] for form in ("speedscope", "firefox", "callgrind", "pprof")),
    ["trawl", "export", *TARMAC, *IMAGE, "--format", "arrow", "-o", "@out"],
    *(["trawl", "export", *TARMAC, *IMAGE, "--format", "arrow", "--table", table] for table in ("events", "memory")),
    ["trawl", "export", "@t", "--threads", "2", "--format", "jsonl", "--table", "registers", "-o", "@out"],
    ["trawl", "export", "@t", "--threads", "2", "--format", "parquet", "--table", "writes", "-o", "@out"],
    ["trawl", "export", *TARMAC, *IMAGE, "--format", "parquet", "--table", "functions", "-o", "@out"],
    ["trawl", "export", "--threads", "1", "corpus/xray/events.fdr.xray"],
    *(["trawl", "export", "--threads", "1", "--format", form, "corpus/xray/events.fdr.xray"]
      for form in ("perfetto", "speedscope", "firefox", "callgrind", "pprof")),
    ["trawl", "export", "--format", "tfile", *NAMED, *IMAGE, "--every", "100", "--memory", "sp:8", "-o", "@out"],
    ["trawl", "index", *TARMAC, "--index", "@out"],
    ["trawl", "index", "@semihosting", "--threads", "2", "--segment-events", "1024", "--index", "@out"],
    ["trawl", "index", "--threads", "1", "corpus/xray/arguments.fdr.xray", "--index", "@out"],
    ["trawl", "index", "--threads", "1", "corpus/tfile/passes.tf", "--index", "@out"],
    ["trawl", "state", *NAMED, *IMAGE, "--at", "event:200", "--memory", "sp:64"],
    ["trawl", "state", *STORED, "--at", "event:50", "--diff", "event:300", "--memory", "sp:64", "--format", "json"],
    ["trawl", "state", *TARMAC, "--at", "start", "--memory-index"],
    ["trawl", "state", "corpus/tfile/passes.tf", "--at", "event:1"],
    ["trawl", "writes", *STORED, "x0", "--all", "--format", "csv"],
    ["trawl", "writes", *STORED, "sp:16", "--at", "end", "--last", "4"],
    ["trawl", "writes", "corpus/tfile/passes.tf", "rsp", "--all"],
    ["trawl", "show", *STORED, "--at", "event:9"],
    ["trawl", "pc", *STORED, "--context", "1", "0x8000"],
    ["trawl", "pc", *NAMED, *IMAGE, "fibonacci", "lr-4"],
    ["trawl", "stack", *NAMED, *IMAGE, "--at", "event:300"],
    ["trawl", "stack", *NAMED, *IMAGE, "--at", "event:300", "--unwind", "sframe"],
    ["trawl", "stack", "@log", "--threads", "1", "--at", "byte:2000"],
    ["trawl", "stack", "corpus/tfile/stacks.tf", "--image", "corpus/tfile/walk.elf", "--at", "event:3"],
    ["trawl", "stack", "corpus/xray/crash.fdr.xray", "--threads", "1", "--image", "corpus/xray/crash.elf"],
    ["trawl", "info", *NAMED, *IMAGE, "--functions"],
    ["trawl", "info", *NAMED, "--functions"],
    ["trawl", "info", *NAMED, "--sizes", "--format", "json"],
    ["trawl", "info", "corpus/tfile/full.tf"],
    ["trawl", "info", "corpus/xray/threads.fdr.xray"],
    ["trawl", "doctor", "corpus/traces/cut-a64.it.tarmac"],
    ["trawl", "doctor", "corpus/xray/threads.fdr.xray"],
    ["trawl", "diff", "--registers", "--memory", "--times", *STORED, "@changed"],
    ["trawl", "diff", "--format", "json", "--memory-index", *TARMAC, "@changed", *IMAGE],
    ["trawl", "diff", "--times", "--memory-index", "@cores", "--threads", "1", "@fewer"],
    ["trawl", "profile", *TARMAC, "--diff", "@changed"],
    ["trawl", "flamegraph", *TARMAC, "--diff", "@changed"],
    ["trawl", "flamegraph", *TARMAC, "--diff", "@changed", "--format", "svg", "-o", "@out"],
    ["trawl", "verify", "@indexed"],
    ["trawl", "sframe", "corpus/sframe/sframe-x86_64-v2.elf"],
    ["trawl", "sframe", "corpus/sframe/shapes-aarch64-v3.elf", "--check"],
    ["trawl", "sframe", "corpus/sframe/shapes-aarch64-v3.elf", "--stats", "--format", "json"],
    ["trawl", "sframe", "corpus/sframe/shapes-x86_64-v3.elf", "--lookup", "4000b0", "4000bb"],
    ["trawl", "sframe", "convert", "corpus/sframe/shapes-x86_64-v3.elf", "-o", "@out"],
    ["trawl", "xray", "account", "corpus/xray/recursion.fdr.xray", "-m", "corpus/xray/recursion.elf"],
    ["trawl", "xray", "account", "corpus/xray/threads.basic.xray", "-f", "csv"],
    ["trawl", "xray", "account", "corpus/xray/lines.fdr.xray", "-m", "corpus/xray/lines.elf", "-o", "@out"],
    ["trawl", "xray", "stack", "corpus/xray/recursion.fdr.xray", "--all-stacks", "-m", "corpus/xray/recursion.elf"],
    ["trawl", "xray", "stack", "corpus/xray/threads.fdr.xray", "--per-thread-stacks"],
    ["trawl", "xray", "graph", "corpus/xray/recursion.fdr.xray", "-m", "corpus/xray/recursion.elf"],
    ["trawl", "xray", "graph-diff", "corpus/xray/recursion.fdr.xray", "corpus/xray/nopie.fdr.xray"],
    ["trawl", "xray", "convert", "corpus/xray/events.fdr.xray", "-f", "yaml"],
    ["trawl", "xray", "convert", "corpus/xray/arguments.fdr.xray", "-f", "raw"],
    ["trawl", "xray", "convert", "corpus/xray/arguments.fdr.xray", "-f", "trace_event"],
    ["trawl", "xray", "extract", "corpus/xray/recursion.elf", "-s"],
    ["trawl", "xray", "dump", "corpus/xray/typed.fdr.xray"],
    ["trawl", "xray", "dump", "--verify", "corpus/xray/typed.fdr.xray"],
    ["trawl", "xray", "account", "@yaml"],
    ["trawl", "tfile", "frames", "corpus/tfile/passes.tf"],
    ["trawl", "tfile", "show", "corpus/tfile/passes.tf", "0"],
    ["trawl", "tfile", "show", "corpus/tfile/values.tf", "1", "--image", "corpus/tfile/values.elf"],
    ["trawl", "tfile", "series", "corpus/tfile/passes.tf", "rip", "--format", "json"],
    *(["trawl", "profile", "@" + packed, "--threads", "1"] for packed in PACKED),
    ["trawl", "profile", "@t", "--then", "@changed", "--then", "@t.gz", *IMAGE, "--threads", "1"],
    ["trawl", "index", "@t", "--then", "@changed", "--threads", "1", "--index", "@out"],
    ["trawl", "index", "@t", "--with", "cpu1=changed", "--threads", "1", "--index", "@out"],
    ["trawl", "calltree", "@t", "--with", "cpu1=changed", "--memory-index", "--threads", "1"],
    ["trawl", "index", "@semihosting", "--lane", "cpu1=other", "--follow", "--threads", "1", "--index", "@out"],
    ["trawl", "index", "@semihosting", "--then", "@other", "--follow", "--threads", "1", "--index", "@out"],
    ["trawl", "diff", "@t", "--then", "@changed", "@changed", "--other-with", "cpu1=t", "--memory-index", "--threads", "1"],
    ["trawl", "profile", "@t", "--diff", "@changed", "--other-then", "@t", "--memory-index", "--threads", "1"],
    ["trawl", "info", "@t", "--with", "cpu1=t.xz", "--memory-index"],
    ["trawl", "show", *PIECES, "--at", "line:700"],
    ["trawl", "writes", *PIECES, "x0", "--context", "1", "--last", "5"],
    ["tarmac-profile", "@t", *IMAGE],
    ["tarmac-calltree", "@t", *IMAGE],
    ["tarmac-callinfo", "@t", *IMAGE, "fibonacci"],
    ["tarmac-flamegraph", "@t", *IMAGE],
    ["tarmac-vcd", "@t", "--no-date", "-o", "@out"],
]

# Names of C++, Rust with Punycode, and D; the trace calls these addresses.
MANGLED = {0x80000: b"_ZN5space4nameIiEEvT_", 0x80610: b"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y", 0x806D0: b"_D8demangle4testFZv"}

SERVER = ["trawl", "serve", "-q", "--no-open", "--notes", *NAMED, *IMAGE]
FACES = [
    SERVER,
    ["trawl", "serve", "-q", "--no-open", "--memory-index", *TARMAC],
    ["tarmac-gui-browser", *IMAGE, "@indexed"],
    ["trawl", "browse", *STORED, *IMAGE],
    ["trawl", "browse", "--memory-index", *TARMAC],
    ["trawl", "browse", *PIECES],
    ["trawl", "browse", "--memory-index", "@t.xz", "--threads", "1"],
    ["trawl", "serve", "-q", "--no-open", *PIECES],
    ["tarmac-browser", *IMAGE, "@indexed"],
]

# Of this one every allocation, as what is noted of lines is in the index: each once.
NOTED = ["trawl", "index", "@noted", "--threads", "1", "--chunk-size", "1", "--index", "@out"]

CONFINED = [
    ["trawl", "profile", "corpus/traces/sort-a64.es.tarmac", "--image", "corpus/elf/sort-a64.elf", "--threads", "4"],
    ["trawl", "index", "corpus/traces/sort-a64.es.tarmac", "--threads", "4", "--no-sync", "--index", "@out"],
    ["trawl", "vcd", "corpus/traces/sort-a64.es.tarmac", "--threads", "2"],
    ["trawl", "xray", "stack", "corpus/xray/threads.fdr.xray", "--all-stacks"],
]


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def content_of(path):
    """The bytes of a file, or of all files in a directory; None: it does not exist."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return b"".join(b"%s: %s\n" % (str(file.relative_to(path)).encode(), file.read_bytes()) for file in files)
    return path.read_bytes() if path.exists() else None


class Ending:
    """How a run ended: status, output, the bytes of @out, and whether an allocation failed."""

    def __init__(self, status, out, err, file, told):
        self.status, self.out, self.err, self.file, self.told = status, out, err, file, told

    def same(self, other):
        return (self.status, self.out, self.err, self.file) == (other.status, other.out, other.err, other.file)


class Place:
    """A separate directory for each worker, because commands write next to their traces."""

    def __init__(self, directory, programs, shim):
        self.directory = directory
        (self.directory / "corpus").symlink_to(CORPUS)
        self.programs, self.shim = programs, shim
        self.prepare()

    def path(self, name):
        return self.directory / name

    def prepare(self):
        lines = (CORPUS / "traces" / "recursion-a64.es.tarmac").read_bytes().split(b"\n")
        head = b"\n".join(lines[:TRACE_LINES]) + b"\n"
        self.path("t").write_bytes(head)
        self.path("indexed").write_bytes(head)
        for name, module in PACKED.items():
            self.path(name).write_bytes(module.compress(head))
        self.path("damaged").write_bytes(head[:5000] + b"12 tic ES !damage\x1b\n3 tic EXC what\n" + head[5000:])
        self.path("changed").write_bytes(b"\n".join(lines[:200] + lines[240:TRACE_LINES]) + b"\n")
        lines = (CORPUS / "traces" / "semihosting-a64.es.tarmac").read_bytes().split(b"\n")
        self.path("semihosting").write_bytes(b"\n".join(lines[:5000]) + b"\n")
        self.path("other").write_bytes(b"\n".join(lines[:5000]) + b"\n")
        self.path("mangled.elf").write_bytes(small_elf.named(MANGLED))
        self.path("named").write_bytes(head)
        self.path("noted").write_bytes(b"1 clk IT (1) 00008000 d503201f O EL1h_s : NOP\n" + b"2 clk WHAT x\n" * 3)
        for name, left_out in (("cores", None), ("fewer", 77)):
            lines = (b"%d clk cpu%d IT (%d) %08x d503201f O el1h_s : NOP\n" % (i, i % 6, i, 0x8000 + i // 6 * 4) for i in range(240) if i != left_out)
            self.path(name).write_bytes(b"".join(lines))
        self.run(["trawl", "index", "indexed"])
        self.run(["trawl", "index", "changed"])
        self.path("then").write_bytes(head)
        self.run(["trawl", "index", "then", "--then", "t.xz", "--then", "t.bz2"])
        for number in ("1", "2"):
            self.run(["trawl", "index", "--shard", f"{number}/2", "semihosting", "--segment-events", "256", "--index", f"part{number}"])
        self.run(["trawl", "index", "--survey", "--shard", "1/2", "damaged", "--index", "survey1"])
        self.run(["trawl", "index", "named", *IMAGE])
        shutil.copy(CORPUS / "xray" / "recursion.fdr.xray", self.path("log"))
        self.run(["trawl", "index", "log", "--image", "corpus/xray/recursion.elf"])
        yaml = self.run(["trawl", "xray", "convert", "corpus/xray/arguments.fdr.xray", "-f", "yaml"])
        self.path("yaml").write_bytes(yaml.out)

    SHIM = "libfailing_memory.so"
    FAILING = "FAIL_MEMORY_"  # the start of the variables that select what fails
    before = ()  # words that start a program

    def run(self, command, limit=None, **failing):
        """Runs a command in which an allocation fails, or with limited address space."""
        for made in ("out", NOTES):
            remove(self.path(made))
        words = [*self.before, str(self.programs / command[0])] + [w[1:] if w[:1] == "@" else w for w in command[1:]]
        environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(self.directory)}
        environment.pop("LD_PRELOAD", None)
        if failing:
            environment["LD_PRELOAD"] = str(self.shim)
            environment |= {self.FAILING + name: str(value) for name, value in failing.items()}
        try:
            if faces.is_face(command):
                status, out, err, told = self.run_face(words, environment)
            else:
                words = within(words, address_kb=limit) if limit else words
                done = quick.run_told(words, self.directory, environment, self.FAILING + "TELL", TIMEOUT_S)
                status, out, err, told = done.returncode, done.stdout, done.stderr, done.told
        except subprocess.TimeoutExpired:
            status, out, err, told = "no end", b"", b"", b""
        file = content_of(self.path(NOTES if "--notes" in command else "out"))
        return Ending(status, out, err, file, told)

    def run_face(self, words, environment):
        with quick.TellPipe() as pipe:
            how = {"cwd": self.directory, "env": {**environment, self.FAILING + "TELL": str(pipe.theirs)}, "pass_fds": [pipe.theirs]}
            status, out, err = faces.run_face(words, **how)
        return status, out, err, pipe.told


def failed_status(command):
    """The status of a command that has failed."""
    return 2 if command[1:2] in (["diff"], ["grep"]) or command[1] == "sframe" and "--check" in command else 1


def fault_of(command, whole, ending):
    """What is wrong with how a run without memory ended, or None."""
    if ending.same(whole):
        return None
    if faces.is_face(command):
        return faces.fault_of_face(command, whole, ending)
    if ending.status != failed_status(command):
        return f"status {ending.status}"
    if not NO_MEMORY.search(ending.err):
        return "no message about memory"
    if not whole.out.startswith(ending.out) and whole.out:
        return "another answer on standard output"
    if ending.file not in (None, whole.file):
        return "another file"
    return None


def left_behind(place, before):
    """Files that a run left; removes them."""
    left = [name for name in os.listdir(place.directory) if name not in before]
    for name in left:
        remove(place.path(name))
    return sorted(set(left) - {"out", NOTES})


def chosen(count, drawn):
    if extent.IS_THOROUGH or count <= ALL_UP_TO + SAMPLED:
        return range(1, count + 1)
    return [*range(1, ALL_UP_TO + 1), *sorted(drawn.sample(range(ALL_UP_TO + 1, count + 1), SAMPLED))]


class Tally(Checker):
    seen = 0  # the number of things that may fail

    def add(self, fault, command, how, ending):
        self.no_fault(f"{' '.join(command)}: {how}", fault and (fault, ending.err[:300]))


def try_command(place, command, tally, all_numbers=False):
    """Makes each allocation of a command fail in turn, and for some, all later ones, too."""
    drawn = random.Random(f"{SEED} {command}")
    before = os.listdir(place.directory)
    whole = place.run(command)
    counted = place.run(command, AT=0)
    count = int(counted.told or b"0")
    tally.add(None if counted.same(whole) else "another ending", command, "none fails", counted)
    tally.seen += count
    left_behind(place, before)
    numbers = range(1, count + 1) if all_numbers else chosen(count, drawn)
    for how, tried in (("AT", numbers), ("FROM", extent.pick(drawn.sample(numbers, min(3, len(numbers))), numbers))):
        for number in tried:
            ending = place.run(command, **{how: number})
            fault = fault_of(command, whole, ending)
            left = left_behind(place, before)
            tally.add(fault or (f"leaves {left}" if left else None), command, f"{how} {number} of {count}", ending)


def try_limits(place, command, tally):
    """Runs a command with less and less address space. If the loader cannot load the program, the loader prints the message."""
    before = os.listdir(place.directory)
    whole = place.run(command)
    left_behind(place, before)
    for kb in LIMIT_KB:
        ending = place.run(command, limit=kb)
        is_loaded = ending.status != 127 or b"loading shared libraries" not in ending.err
        fault = fault_of(command, whole, ending) if is_loaded else None
        left = left_behind(place, before)
        tally.add(fault or (f"leaves {left}" if left else None), command, f"within {kb} KB", ending)


def place_of(kind, prefix):
    """For a fixture: a directory that is removed at the end."""
    shim, program = prefix / "tests" / kind.SHIM, prefix / "tests" / "preloadable" / "trawl"
    if not shim.exists() or not program.exists():
        pytest.skip(f"no {shim.name}")
    with tempfile.TemporaryDirectory(prefix="trawl-failing-") as root, tempfile.TemporaryDirectory(prefix="trawl-programs-") as programs:
        for name in {command[0] for command in COMMANDS + FACES}:
            (Path(programs) / name).symlink_to(program)
        yield kind(Path(root), Path(programs), shim)


@pytest.fixture(scope="session")
def failing(prefix):
    """A directory where allocations can be made to fail."""
    yield from place_of(Place, prefix)


@pytest.fixture
def tally(trawl):
    return Tally(trawl)


@pytest.mark.parametrize("command", COMMANDS + FACES, ids=" ".join)
def test_allocations(failing, tally, command):
    try_command(failing, command, tally)
    tally.check("the library sees allocations", tally.seen or command == ["trawl"])


def test_notes(failing, tally):
    try_command(failing, NOTED, tally, all_numbers=True)


@pytest.mark.parametrize("command", CONFINED, ids=" ".join)
def test_address_space(failing, tally, command):
    try_limits(failing, command, tally)
