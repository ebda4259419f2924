"""Makes system calls fail in turn: open, map, read, write, sync, rename, threads, submissions and completions of io_uring. Whatever
fails, a run either ends as without the failure, or with status 1 and a message. It leaves nothing, no incomplete file has a name, and
the next run works.

    tests/run.py [--thorough] faults

Calls are counted in a run without failures (tests/support/failing_calls.c). Then each of the first calls fails with each of
its possible errors, or does half of what was requested; some later ones fail with one of these. --thorough tries all calls
with all errors.
"""

import errno
import os
import random
import re

import extent
import faces
import hard_traces
import pytest
import test_memory
from test_memory import IMAGE, NAMED, STORED, Tally, left_behind

SEED = 1
ALL_UP_TO, SAMPLED = 1, 2
SHORT = 0
# The possible errors of each call.
ERRORS = {
    "open": [errno.EMFILE, errno.EIO], "openat": [errno.ENOSPC, errno.EACCES], "mmap": [errno.ENOMEM],
    "read": [errno.EIO, SHORT], "pread": [errno.EIO, SHORT], "preadv2": [errno.EIO],
    "write": [errno.ENOSPC, errno.EINTR, SHORT], "pwrite": [errno.ENOSPC, errno.EIO, errno.EINTR, SHORT], "fsync": [errno.EIO],
    "ftruncate": [errno.EIO], "fallocate": [errno.ENOSPC], "renameat": [errno.EACCES, errno.EIO],
    "linkat": [errno.EEXIST, errno.EPERM], "unlinkat": [errno.EACCES], "fstat": [errno.EIO],
    "fstatat": [errno.EACCES], "flock": [errno.EINTR, errno.ENOLCK], "fchmod": [errno.EPERM], "thread": [errno.EAGAIN],
    "uring-init": [errno.ENOMEM, errno.EPERM], "uring-register": [errno.ENOMEM],
    "uring-submit": [errno.EIO, errno.EAGAIN], "uring-completion": [errno.ENOSPC, SHORT],
}
OF_READING = ("open", "openat", "read", "pread", "preadv2", "fstat", "fstatat")
TWO = ["--threads", "2"]
CHUNKS = ["--chunk-size", "2000", "--segment-events", "40"]


def with_threads(command):
    """The command with two threads, if it has an option for that."""
    words = list(command)
    if "--threads" in words:
        words[words.index("--threads") + 1] = "2"
    return words


# @NAME is a file in the directory: t is a trace, indexed one with its index, out the output.
COMMANDS = [
    ["trawl", "index", "@t", *TWO, *CHUNKS, "--index", "@out"],
    ["trawl", "index", "@large", *TWO, "--index", "@out"],
    ["trawl", "index", "corpus/xray/recursion.fdr.xray", *TWO, "--segment-events", "64", "--index", "@out"],
    ["trawl", "index", "corpus/tfile/passes.tf", *TWO, "--index", "@out"],
    ["trawl", "index", "@semihosting", *TWO, "--index", "@out", "--no-sync"],
    ["trawl", "index", "--format", "ttu", "@medium", *TWO, "-o", "@out"],
    ["trawl", "profile", "@t", *TWO, "--chunk-size", "2000", *IMAGE],
    ["trawl", "profile", "@t", *TWO, "--memory-index", "-o", "@out", "--format", "csv"],
    ["trawl", "profile", *STORED],
    ["trawl", "calltree", "@t", *TWO, "--format", "json"],
    ["trawl", "vcd", "@t", *TWO, "-o", "@out", "--segment-events", "50"],
    ["trawl", "export", "--format", "tfile", *STORED, "--every", "50", "-o", "@out"],
    ["trawl", "state", *STORED, "--at", "event:200", "--memory", "sp:64"],
    ["trawl", "state", "@t", *TWO, "--at", "end", "--memory-index"],
    ["trawl", "stack", *NAMED, *IMAGE, "--at", "event:150"],
    ["trawl", "verify", "@indexed"],
    ["trawl", "doctor", "@t"],
    ["trawl", "xray", "account", "corpus/xray/recursion.fdr.xray", *TWO, "-o", "@out"],
    ["trawl", "xray", "stack", "corpus/xray/threads.fdr.xray", "--all-stacks", *TWO],
    ["trawl", "xray", "account", "@yaml"],
    ["trawl", "tfile", "series", "corpus/tfile/passes.tf", "rip", *TWO],
    ["trawl", "sframe", "convert", "corpus/sframe/shapes-x86_64-v3.elf", "-o", "@out"],
    # Only the index has the names of functions.
    ["trawl", "profile", *NAMED],
    ["trawl", "flamegraph", "@named", *TWO],
    ["trawl", "callinfo", *NAMED, "fibonacci"],
    ["trawl", "info", *NAMED, "--functions"],
    ["trawl", "state", *NAMED, "--at", "event:200"],
    ["trawl", "stack", "@log", *TWO, "--at", "byte:2000"],
    ["trawl", "index", "--follow", "@t", *TWO, *CHUNKS, "--index", "@out"],
    ["trawl", "annotate", "--function", "main", *STORED, *IMAGE, "-o", "@out"],
    ["trawl", "diff", *STORED, "@changed", *IMAGE],
    ["trawl", "export", "@t", *TWO, "--format", "ctf", "-o", "@out"],
    *test_memory.FACES,
    ["tarmac-profile", "@t", *IMAGE],
    ["tarmac-vcd", "@t", "--no-date", "-o", "@out"],
]


# For all commands: threads that cannot be created, and io_uring's refusals.
ALL_COMMANDS = [
    *(with_threads(command) for command in test_memory.COMMANDS if with_threads(command) not in COMMANDS),
    *(["trawl", "index", "@" + packed, *TWO, *CHUNKS, "--index", "@out"] for packed in test_memory.PACKED),
    *(["trawl", "show", "@" + packed, "--at", "line:90"] for packed in test_memory.PACKED),
    *(["trawl", "export", "@t", *TWO, *CHUNKS, "--table", table, "--format", "csv"] for table in ("events", "registers", "memory")),
    ["trawl", "grep", "@t", "0008", *TWO],
    ["trawl", "diff", "@t", "@changed", *TWO, "--memory-index"],
    ["trawl", "flamegraph", "@t", *TWO, "--unwind", "auto", "--every", "20", *IMAGE, "-o", "@out"],
    ["tarmac-calltree", "@t", "--force-index", "--index", "@out"],
]
THREADED = {"thread": ERRORS["thread"], **{name: errors for name, errors in ERRORS.items() if name.startswith("uring-")}}


def trace_of_values(count):
    """A trace that no index makes smaller."""
    drawn = random.Random(SEED)
    lines = (hard_traces.register(time, "X0", drawn.getrandbits(64)) for time in range(count))
    return (hard_traces.instruction(0, 0x80000) + "\n" + "\n".join(lines) + "\n").encode()


class Place(test_memory.Place):
    FAILING = "FAIL_CALL_"
    SHIM = "libfailing_calls.so"

    def prepare(self):
        super().prepare()
        self.path("large").write_bytes(trace_of_values(100_000))  # so large that a ring is set up to write its index
        self.path("medium").write_bytes(trace_of_values(10_000))

    def without_index(self, command):
        """What the command writes to standard output without an index."""
        stored = [self.path(word[1:] + ".index") for word in command if word in ("@named", "@log")]
        for path in stored:
            path.rename(path.with_suffix(".away"))
        out = self.run(command).out
        for path in stored:
            path.unlink(missing_ok=True)  # made by a question
            path.with_suffix(".away").rename(path)
        return out


def is_without_text(whole, ending):
    """Whether an answer is complete except for the text of an instruction, for which the trace is read again, and this was reported."""
    left_out = re.sub(rb"(?m) (executed|skipped): .*$", rb" \1", whole.out)
    return (ending.status, ending.out) == (whole.status, left_out) and b"text of its lines is left out" in ending.err


def without_size(out):
    """The output of `info` without the part about the index: its path and size."""
    return re.sub(rb"(?m)^index  .*\n(.+\n)*", b"", out)


def is_told_of_index(whole, without, ending):
    """Whether a run reported that it continues without the index, whose names are then missing. It may rebuild the index if something
    else needs it."""
    told = re.search(rb"^trawl: warning: index file \S+ (cannot be read \(.*\)|is damaged); ", ending.err, re.MULTILINE)
    return told is not None and ending.status == whole.status and without_size(ending.out) == without_size(without)


def is_told_of_lines(whole, ending):
    """Whether an annotation was written without source lines, because the image could not be read, and this was reported."""
    told = b"its source lines are left out" in ending.err and ending.status == whole.status
    return told and (ending.file or b"").partition(b"\n")[0] == (whole.file or b"-").partition(b"\n")[0]


def fault_of(command, whole, without, ending):
    """What is wrong with how a run ended in which a call failed, or None. `without`: its output without an index."""
    if faces.is_face(command):
        return faces.fault_of_face(command, whole, ending)
    if (ending.status, ending.out, ending.file) == (whole.status, whole.out, whole.file):
        return None  # it continued without the call, possibly with a message
    if is_without_text(whole, ending):
        return None
    if is_told_of_index(whole, without, ending) or is_told_of_lines(whole, ending):
        return None
    if ending.status != test_memory.failed_status(command):
        return f"status {ending.status}"
    if not ending.err:
        return "no message"
    if not whole.out.startswith(ending.out):
        return "another answer on standard output"
    if ending.file not in (None, whole.file):
        return "another file"
    return None


def counts_of(ending):
    return {name: int(count) for name, count in (line.split() for line in ending.told.decode().splitlines())}


def chosen(count, errors, drawn):
    """Which calls fail, and how: (number, error). No errors: none."""
    if not errors:
        return []
    if extent.IS_THOROUGH:
        return [(number, error) for error in errors for number in range(1, count + 1)]
    first = [(number, error) for error in errors for number in range(1, min(count, ALL_UP_TO) + 1)]
    others = range(ALL_UP_TO + 1, count + 1)
    return first + [(number, drawn.choice(errors)) for number in sorted(drawn.sample(others, min(SAMPLED, len(others))))]


def name_of(error):
    return errno.errorcode[error] if error else "half of it"


def errors_of(command):
    """All errors; for a trace that is only large, those of writing."""
    return {name: errors for name, errors in ERRORS.items() if name not in OF_READING} if "@large" in command else ERRORS


def try_command(place, command, tally, errors):
    drawn = random.Random(f"{SEED} {command}")
    before = os.listdir(place.directory)
    whole, without = place.run(command), place.without_index(command)
    counted = place.run(command, NAME="none")
    tally.add(None if counted.same(whole) else "another ending", command, "none fails", counted)
    left_behind(place, before)
    for name, count in counts_of(counted).items():
        cases = [("AT", number, error) for number, error in chosen(count, errors.get(name, []), drawn)]
        cases += [("FROM", 1, error) for error in errors.get(name, []) if count and error not in (SHORT, errno.EINTR)]
        for how, number, error in cases:
            ending = place.run(command, NAME=name, ERRNO=error, **{how: number})
            fault = fault_of(command, whole, without, ending)
            left = left_behind(place, before)
            tally.seen += 1
            tally.add(fault or (f"leaves {left}" if left else None), command, f"{name} {how} {number} of {count}: {name_of(error)}", ending)
    after = place.run(command)
    tally.add(None if after.same(whole) else "another ending", command, "after all", after)
    left_behind(place, before)


@pytest.fixture(scope="session")
def failing(prefix):
    """A directory where system calls can be made to fail."""
    yield from test_memory.place_of(Place, prefix)


@pytest.fixture
def tally(trawl):
    return Tally(trawl)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_calls(failing, tally, command):
    try_command(failing, command, tally, extent.pick(errors_of(command), ERRORS))
    tally.check("the library sees calls", tally.seen)


@pytest.mark.parametrize("command", ALL_COMMANDS, ids=" ".join)
def test_threads(failing, tally, command):
    try_command(failing, command, tally, THREADED)
