"""Checks that reports from an index are the same as from the trace, and that an index is built completely or not at all.

For the first, reports run on the trace, then on an index of it (--no-index: from nothing else), for the traces of
tests/support/hard_traces.py, random ones of tools/tracegen, and those of the corpus, unchanged, truncated and damaged. Standard output,
standard error and status must be identical.
"""

import itertools
import os
import random
import re
import resource
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import extent
import hard_traces
import pytest
import quick
from differences import first_difference, questions
from kinds import make_trace

ROOT = Path(__file__).resolve().parents[2]
TRACE = "t.tarmac"
TIMEOUT_S = 60
PARTS = 10  # of the traces, to be shared by workers
RANDOM_TRACES = extent.pick(15, 80)
SEGMENTS = [1, 2, 7, 100, 1023, 1500, 1 << 17]
# What -v prints about how a report was made, not about the trace.
HOW = re.compile(rb"(?m)^trawl: (\d+ bytes?, \d+ lines? in|time of all workers|read from the index|index file).*\n")
# Of the stack pointers of two instruction sets, an index has AArch64's and that of the last event. Generated traces have both in one lane,
# so reports from the index may lack one. Tests in tests/golden check it for traces of machines.
NO_SP = re.compile(rb"^trawl: warning: [^\n]*: no line writes SP: [^\n]*\n", re.MULTILINE)


# --- The same from an index ------------------------------------------------------------------------


def ttu_commands(data):
    return [
        ["tarmac-calltree", TRACE],
        ["tarmac-profile", TRACE],
        ["tarmac-flamegraph", TRACE],
        ["tarmac-callinfo", TRACE] + questions(data),
    ]


def right_commands(data):
    return [
        ["trawl", "calltree", TRACE],
        ["trawl", "calltree", "--returned-only", "--format=csv", "--lane-events=5..60", TRACE],
        ["trawl", "calltree", "--format=json", "--time=20..90", TRACE],
        ["trawl", "profile", "-v", TRACE],
        ["trawl", "profile", "--returned-only", "--format=json", TRACE],
        ["trawl", "profile", "--strict", "--format=csv", TRACE],
        ["trawl", "flamegraph", TRACE],
        ["trawl", "callinfo", TRACE] + questions(data),
        ["trawl", "callinfo", "--format=csv", "--lane-events=3..40", TRACE] + questions(data),
        ["trawl", "profile", "--lane=cpu1", TRACE],
    ]


def mutated(data, seed):
    """The trace truncated somewhere, with some of its bytes changed."""
    rng = random.Random(seed)
    changed = bytearray(data[: rng.randrange(len(data) // 2, len(data))])
    for _ in range(rng.randrange(1, 30)):
        changed[rng.randrange(len(changed))] = rng.choice(b"0:( \nxITRM#")
    return bytes(changed)


def traces():
    """Yields (name, trace, options)."""
    for name, data, options in hard_traces.hand_written():
        yield name, data, options
    for seed in range(1, RANDOM_TRACES + 1):
        trace = make_trace(seed, None, False)
        yield "random %d" % seed, trace.data, trace.options
    for number, path in enumerate(sorted((ROOT / "corpus" / "traces").glob("*.tarmac"))):
        data = path.read_bytes()
        yield path.name, data, []
        yield path.name + " mutated", mutated(data, number), []


def run(programs, place, command, options, extra=()):
    head = 2 if command[0] == "trawl" else 1
    words = [str(programs / command[0])] + command[1:head] + list(options) + list(extra) + command[head:]
    try:
        done = quick.run(words, cwd=place, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return ["no end", b"", b""]
    return [done.returncode, done.stdout, NO_SP.sub(b"", HOW.sub(b"", done.stderr))]


def compare(checker, programs, place, label, builder, commands, options, segment_events):
    """Builds an index and compares the output of commands that use it. Returns the output of each for the trace."""
    index = builder[0] + ".index"
    built = run(programs, place, builder, options, ["--index=" + index, "--segment-events=%d" % segment_events])
    said = []
    for command in commands:
        expected = run(programs, place, command, options)
        if not (place / index).exists():
            # Then the report fails like the build.
            checker.check("%s: %s builds nothing" % (label, builder), built[0] == expected[0] == 1, built)
            break
        found = run(programs, place, command, options, ["--index=" + index, "--no-index"])
        checker.check("%s: %s" % (label, " ".join(command)), expected == found, first_difference(expected, found))
        said.append((command, expected))
    return said


def compare_readings(checker, programs, place, label, options, said):
    """The index of one reading at its default path: reports of the other reading use it only if it also fits them."""
    for command, expected in said:
        found = run(programs, place, command, options)
        checker.check("%s: %s: beside the other's index" % (label, " ".join(command)), expected == found,
                      first_difference(expected, found))  # fmt: skip


def compare_in_memory(checker, programs, place, label, options, said):
    for command, expected in said:
        found = run(programs, place, command, options, ["--memory-index"])
        checker.check("%s: %s: index in memory" % (label, " ".join(command)), expected == found,
                      first_difference(expected, found))  # fmt: skip


def asked_of(name, commands, number):
    """Every third command for hand-made traces, every fifth for those of which there are many, alternating."""
    is_one_of_many = name.startswith(("random", "shuffled")) or name.endswith(("tarmac", "mutated"))
    every = extent.pick(5 if is_one_of_many else 3, 1)
    return commands[(number + number // every) % every :: every]


def every_third(said, number):
    """Others for each trace, so that together they are all."""
    return said[number % 3 :: 3]


def check_reports(checker, programs, place, number, job):
    """Compares all reports on a trace."""
    name, data, options = job
    segment_events = SEGMENTS[number % len(SEGMENTS)]
    label = "%s (segments of %d)" % (name, segment_events)
    (place / TRACE).write_bytes(data)
    readings = (
        (["tarmac-profile", "--only-index", TRACE], ttu_commands(data), "trawl.index"),
        (["trawl", "index", "--no-sync", TRACE], right_commands(data), "tarmac-profile.index"),
    )
    said = [compare(checker, programs, place, label, builder, asked_of(name, commands, number), options, segment_events)
            for builder, commands, _ in readings]  # fmt: skip
    for (_, _, other), answers in zip(readings, said):
        if (place / other).exists():
            compare_in_memory(checker, programs, place, label, options, every_third(answers, number + 1))
            (place / other).replace(place / (TRACE + ".index"))
            compare_readings(checker, programs, place, label, options, every_third(answers, number))


# --- Complete or not at all -------------------------------------------------------------------------


class Place:
    """A directory with a trace, in which commands run."""

    def __init__(self, programs, directory, data=None):
        self.programs, self.directory = programs, directory
        self.trace = directory / TRACE
        self.index = directory / (TRACE + ".index")
        self.trace.write_bytes(data or (ROOT / "corpus/traces/recursion-a64.it.tarmac").read_bytes())

    def run(self, line, env=None, preexec_fn=None):
        words = line.split()
        words[0] = str(self.programs / words[0])
        if preexec_fn:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, cwd=self.directory, env=env,
                                  timeout=TIMEOUT_S, check=False, preexec_fn=preexec_fn)
        else:
            done = quick.run(words, self.directory, env, timeout=TIMEOUT_S)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def expect(self, line, status, said, **options):
        """Runs a command; its status and part of its output must be these."""
        found, out, err = self.run(line, **options)
        assert found == status and said in out + err, "%s: status %s: %s" % (line, found, (out + err)[:400])

    def names(self):
        return sorted(entry.name for entry in self.directory.iterdir())


def set_age(path, seconds):
    """Moves the time of a file; below 0: older."""
    info = path.stat()
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns + int(seconds * 10**9)))


def check_fresh(place):
    place.expect("trawl index -v t.tarmac", 0, "index file t.tarmac.index does not exist; building it")
    inode = place.index.stat().st_ino
    place.expect("trawl index -v t.tarmac", 0, "index file t.tarmac.index looks ok; not rebuilding it")
    place.expect("trawl index --no-index t.tarmac", 0, "")
    place.expect("trawl profile -v t.tarmac", 0, "index file t.tarmac.index looks ok; using it")
    assert place.index.stat().st_ino == inode
    place.expect("trawl index --force-index t.tarmac", 0, "")
    assert place.index.stat().st_ino != inode


def check_older(place):
    place.run("trawl index t.tarmac")
    set_age(place.index, -10)
    place.expect("trawl index --no-index t.tarmac", 1, "index file t.tarmac.index is older than trace file t.tarmac")
    place.expect("trawl profile -v t.tarmac", 0, "is older than trace file t.tarmac; not using it")
    place.expect("trawl index -v t.tarmac", 0, "is older than trace file t.tarmac; rebuilding it")
    place.expect("trawl index -v t.tarmac", 0, "looks ok")


def check_touched(place):
    place.run("trawl index t.tarmac")
    set_age(place.trace, -10)
    place.expect("trawl index -v t.tarmac", 0, "was made from other contents of trace file t.tarmac; rebuilding it")


def check_changed(place):
    place.run("trawl index t.tarmac")
    info, data = place.trace.stat(), bytearray(place.trace.read_bytes())
    data[1000] ^= 1
    place.trace.write_bytes(data)
    os.utime(place.trace, ns=(info.st_atime_ns, info.st_mtime_ns))
    place.expect("trawl index -v t.tarmac", 3, "was made from other contents of trace file t.tarmac; rebuilding it")


def check_options(place):
    place.run("trawl index t.tarmac")
    place.expect("trawl index -v --bi t.tarmac", 0, "was made with other options; rebuilding it")
    place.expect("trawl profile -v t.tarmac", 0, "using it")  # memory has no effect on it
    place.expect("trawl index -v --implicit-thumb t.tarmac", 0, "was made with other options; rebuilding it")
    place.expect("trawl profile -v t.tarmac", 0, "was made with other options; not using it")
    place.expect("tarmac-profile -v --index=t.tarmac.index t.tarmac", 0, "was made with other options; rebuilding it")


def check_damage(place):
    """A report works without a damaged index; an index is rebuilt."""
    _, expected, _ = place.run("trawl calltree t.tarmac")
    place.run("trawl index --segment-events=500 t.tarmac")
    whole = place.index.read_bytes()
    rng = random.Random(1)
    for cut in [1, 7, 8, 100, 511, 512, len(whole) - 1]:
        place.index.write_bytes(whole[:cut])
        assert place.run("trawl calltree t.tarmac")[:2] == (0, expected), "cut at %d" % cut
    for at in [9, 16, 40] + [rng.randrange(len(whole)) for _ in range(300)]:
        changed = bytearray(whole)
        changed[at] ^= 1 << rng.randrange(8)
        place.index.write_bytes(changed)
        assert place.run("trawl calltree t.tarmac")[:2] == (0, expected), "byte %d" % at
    place.index.write_bytes(whole[:-1])
    place.expect("trawl index --no-index t.tarmac", 1, "index file t.tarmac.index is damaged")
    place.expect("trawl profile --no-index t.tarmac", 1, "t.tarmac.index: damaged")
    place.expect("trawl index -v t.tarmac", 0, "is damaged; rebuilding it")
    place.index.write_bytes(b"")
    place.expect("trawl index -v t.tarmac", 0, "is damaged; rebuilding it")
    place.index.write_bytes(whole[:8] + b"\x09" + whole[9:])
    place.expect("trawl index -v t.tarmac", 0, "was not generated by this version of the tool; rebuilding it")
    assert place.run("trawl calltree --no-index t.tarmac")[:2] == (0, expected)


def check_verified_trace(place):
    """Verification reads the whole trace, whose hashes do not depend on how it was read."""
    piece, rng = 1 << 20, random.Random(6)
    data = place.trace.read_bytes()
    data *= 3 * piece // len(data)
    place.trace.write_bytes(data)
    place.run("trawl index t.tarmac")
    whole = place.index.read_bytes()
    for way in "--chunk-size=1G --threads=1", "--chunk-size=3K --threads=3":
        place.run("trawl index --force-index %s t.tarmac" % way)
        assert place.index.read_bytes() == whole, way
    place.expect("trawl verify t.tarmac", 0, "")
    for at in [0, piece - 1, piece, len(data) - 1] + [rng.randrange(len(data)) for _ in range(10)]:
        with open(place.trace, "r+b") as trace:
            trace.seek(at)
            trace.write(bytes([data[at] ^ 1]))
        first = at // piece * piece
        place.expect("trawl verify t.tarmac", 1, "bytes %d to %d differ\n" % (first, min(first + piece, len(data)) - 1))
        place.trace.write_bytes(data)
    place.trace.write_bytes(b"\n" + data[1:-1] + b"!")
    place.expect("trawl verify t.tarmac", 1, "bytes 0 to %d differ, and others after" % (piece - 1))


def check_foreign_files(place):
    place.index.write_bytes(b"TarmacIndexV0017 of somebody else")
    place.expect("trawl index -v t.tarmac", 0, "t.tarmac.index is an index of the Tarmac Trace Utilities, not an index of trawl; leaving it alone")
    place.expect("trawl profile -v t.tarmac", 0, "index file t.tarmac.trawl looks ok; using it")
    assert place.index.read_bytes() == b"TarmacIndexV0017 of somebody else"
    place.expect("trawl index --index=t.tarmac t.tarmac", 1, "t.tarmac: is not an index of trawl, so it is not replaced")
    place.expect("tarmac-profile --no-index --index=t.tarmac t.tarmac", 1, "t.tarmac: magic number did not match")
    (place.directory / (TRACE + ".trawl")).write_bytes(b"not this either")
    place.expect("trawl index t.tarmac", 1, "is not an index of trawl, so it is not replaced")
    os.mkfifo(place.directory / "fifo")
    place.expect("trawl index --index=fifo t.tarmac", 1, "fifo: is not an index of trawl")
    place.expect("trawl index --index=. t.tarmac", 1, "is not an index of trawl")


def check_builders(place):
    """Several at the same time: each succeeds, and they leave one index."""
    words = [str(place.programs / "trawl"), "index", "--force-index", TRACE]
    for _ in range(10):
        running = [subprocess.Popen(words, cwd=place.directory) for _ in range(4)]
        assert [builder.wait(TIMEOUT_S) for builder in running] == [0] * 4
        assert place.names() == [TRACE, TRACE + ".index"]
        place.expect("trawl index --no-index t.tarmac", 0, "")


def check_several(place):
    data = place.trace.read_bytes()
    for name, text in [("a", data), ("b", b""), ("c", data[:-100]), ("d", data)]:
        (place.directory / name).write_bytes(text)
    for threads in 1, 2, 5:
        status, out, err = place.run("trawl index --force-index --threads=%d a b missing c d t.tarmac" % threads)
        assert (status, out) == (1, ""), err
        lines = err.splitlines()
        assert [line.split(":")[1].strip() for line in lines] == ["c", "c", "b", "missing"], err  # failed ones come last
        assert [name for name in place.names() if name.endswith(".index")] == [
            "a.index", "c.index", "d.index", "t.tarmac.index"]
    place.expect("trawl index a c d", 3, "damaged lines left out: 1")
    place.expect("trawl index a d", 0, "")
    place.expect("trawl index --index=x a d", 2, "--index needs a single trace")


def check_refused(place):
    """If nothing can be written, nothing is left, and the message names the file."""
    place.expect("trawl index --index=missing/x t.tarmac", 1, "missing/x: ")
    place.expect("tarmac-profile --only-index --index=missing/x t.tarmac", 1, "missing/x: ")
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # noqa: E731
    for io in "pwrite", "uring", "":
        environment = dict(os.environ, TRAWL_IO=io)
        status, _, err = place.run("trawl index t.tarmac", preexec_fn=small, env=environment)
        assert status == 1 and "t.tarmac.index: " in err, err
        assert place.names() == [TRACE], place.names()
    place.run("trawl index t.tarmac")
    whole = place.index.read_bytes()
    place.expect("trawl index --force-index t.tarmac", 1, "t.tarmac.index: ", preexec_fn=small)
    assert place.index.read_bytes() == whole
    place.expect("trawl index --force-index t.tarmac", 1, "TRAWL_IO: 'x': expected uring or pwrite",
                 env=dict(os.environ, TRAWL_IO="x"))
    if os.geteuid() != 0:
        os.chmod(place.directory, 0o555)
        place.expect("trawl index --force-index t.tarmac", 1, "t.tarmac.index: ")
        os.chmod(place.directory, 0o755)


def check_killed(place):
    """A kill leaves either no index, or a complete one."""
    data = place.trace.read_bytes()
    place.trace.write_bytes(data * 60)
    words = [str(place.programs / "trawl"), "index", "--force-index", TRACE]
    for number in range(30):
        builder = subprocess.Popen(words, cwd=place.directory)
        time.sleep(number * 0.004)
        builder.send_signal(signal.SIGKILL)
        builder.wait(TIMEOUT_S)
        assert place.names() in ([TRACE], [TRACE, TRACE + ".index"]), place.names()
        if place.index.exists():
            place.expect("trawl index --no-index t.tarmac", 0, "")
            place.index.unlink()


def check_pipes(place):
    place.expect("trawl index -", 1, "-: is not a file, so it cannot have an index")
    place.expect("trawl profile --index=x /dev/null", 1, "/dev/null: is not a file, so it cannot have an index")
    assert place.names() == [TRACE]


@pytest.mark.parametrize("part", range(PARTS))
def test_reports_say_the_same_from_an_index(checker, programs, quick_place, part):
    for number, job in itertools.islice(enumerate(traces()), part, None, PARTS):
        with tempfile.TemporaryDirectory(dir=quick_place) as directory:
            check_reports(checker, programs, Path(directory), number, job)


BUILT = [check_fresh, check_older, check_touched, check_changed, check_options, check_damage, check_verified_trace,
         check_foreign_files, check_builders, check_several, check_refused, check_killed, check_pipes]  # fmt: skip


@pytest.mark.parametrize("check", BUILT, ids=lambda check: check.__name__.removeprefix("check_"))
def test_index_is_whole_or_not_there(programs, place, check):
    check(Place(programs, place))
