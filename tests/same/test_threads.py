"""Everything that uses threads, with many of them and small pieces of work: the result is that of one thread. With the programs of
`tools/zigw build tsan`, this shows that there are no data races.

    tests/run.py threads

Traces of each kind: reports, indexes, waveforms, exports, questions that build an index, and the browser, which builds one in the
background while keys are pressed.
"""

import os
import pty
import random
import select
import tempfile
import time
from pathlib import Path

import pytest
import quick
from hard_traces import Machine

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 300
BROWSER_S = 120
TARMAC, TWO_CORES, STACKS, XRAY, TFILE = "t.tarmac", "cores.tarmac", "stacks.tarmac", "t.xray", "t.tf"
CUT = ["--chunk-size", "1K"]
# Command, options only for small chunks.
COMMANDS = [
    (["profile", TARMAC, "--memory-index"], CUT),
    (["profile", TARMAC, "--memory-index", "--time", "5..99"], ["--chunk-size", "1"]),
    (["profile", TWO_CORES, "--memory-index"], CUT),
    (["calltree", TARMAC, "--memory-index"], CUT),
    (["calltree", TWO_CORES, "--memory-index", "--format", "json"], CUT),
    (["callinfo", TARMAC, "--memory-index", "0x80000"], CUT),
    (["flamegraph", TARMAC, "--memory-index"], CUT),
    (["flamegraph", STACKS, "--memory-index"], ["--chunk-size", "64K"]),
    (["flamegraph", STACKS, "--memory-index", "--depth", "20"], []),
    (["index", STACKS, "--force-index", "--no-sync", "--index", "out"], ["--chunk-size", "32K"]),
    (["index", TARMAC, "--force-index", "--no-sync", "--segment-events", "100", "--index", "out"], CUT),
    (["index", TWO_CORES, "--force-index", "--no-sync", "--segment-events", "64", "--index", "out"], CUT),
    (["vcd", TARMAC, "-o", "out"], CUT),
    (["vcd", TWO_CORES, "-o", "out", "--segment-events", "50"], CUT),
    (["export", TARMAC, "--memory-index"], CUT),
    (["state", TARMAC, "--memory-index", "--at", "end"], []),
    (["check", TARMAC, "--memory-index", "--all", "--segment-events", "100"], []),
    (["index", XRAY, "--force-index", "--no-sync", "--segment-events", "20", "--index", "out"], []),
    (["profile", XRAY, "--memory-index"], []),
    (["calltree", XRAY, "--memory-index"], []),
    (["flamegraph", XRAY, "--memory-index"], []),
    (["export", XRAY, "--memory-index"], []),
    (["info", XRAY], []),
    (["xray", "account", XRAY], []),
    (["xray", "stack", XRAY, "--all-stacks"], []),
    (["xray", "graph", XRAY], []),
    (["xray", "graph-diff", XRAY, XRAY], []),
    (["xray", "convert", XRAY, "--format", "yaml"], []),
    (["xray", "convert", XRAY, "--format", "trace_event"], []),
    (["index", TFILE, "--force-index", "--no-sync", "--segment-events", "3", "--index", "out"], []),
    (["info", TFILE], []),
    (["tfile", "frames", TFILE], []),
    (["tfile", "series", TFILE, "rip"], []),
    (["flamegraph", TFILE, "--memory-index"], []),
]


def two_cores(data):
    """The lines of one core, repeated for another one, alternating."""
    lines = []
    for line in data.split(b"\n"):
        words = line.split(b" ", 2)
        if len(words) == 3 and words[0].isdigit():
            lines += [b" ".join((words[0], words[1], core, words[2])) for core in (b"cpu0", b"cpu1")]
    return b"\n".join(lines) + b"\n"


def many_stacks(calls=3000):
    """Two cores with thousands of different stacks: small subtrees, and some deep ones."""
    lines = []
    for number, cpu in enumerate(("cpu0", "cpu1")):
        chance, machine = random.Random(number), Machine(cpu=cpu, time=number)
        for call in range(calls):
            levels = 60 if call % 500 < 60 else 7
            while machine.stack and (len(machine.stack) >= levels or chance.random() < 0.45):
                machine.leave()
            machine.call(0x2000 + 0x100 * chance.randrange(9))
        lines += machine.lines
    return "\n".join(lines).encode() + b"\n"


def make_traces(place):
    (place / STACKS).write_bytes(many_stacks())
    head = b"\n".join((CORPUS / "traces" / "recursion-a64.it.tarmac").read_bytes().split(b"\n")[:6000]) + b"\n"
    (place / TARMAC).write_bytes(head)
    (place / TWO_CORES).write_bytes(two_cores(head[: len(head) // 2]))
    (place / XRAY).write_bytes((CORPUS / "xray" / "threads.fdr.xray").read_bytes())
    (place / TFILE).write_bytes((CORPUS / "tfile" / "passes.tf").read_bytes())


def run(program, words, place):
    (place / "out").unlink(missing_ok=True)
    done = quick.run([program, *words], cwd=place, timeout=TIMEOUT_S, env={**os.environ, "LC_ALL": "C"})
    out = place / "out"
    return done.returncode, done.stdout, done.stderr, out.read_bytes() if out.exists() else None


def check_command(program, words, cut, place):
    one = run(program, [*words, "--threads", "1"], place)
    assert one[0] in (0, 3), "one thread: %r" % (one[:3],)
    for threads in ("2", "7"):
        many = run(program, [*words, *cut, "--threads", threads], place)
        assert many == one, "%s threads: status %d, %r" % (threads, many[0], many[2][-2000:])


def press(terminal, keys):
    """Sends keys, with time for drawing the screen after each. Returns what was drawn."""
    drawn = b""
    for key in keys:
        os.write(terminal, key)
        while select.select([terminal], [], [], 0.3)[0]:
            try:
                got = os.read(terminal, 65536)
            except OSError:
                return drawn
            drawn += got
            if not got:
                return drawn
    return drawn


def check_browser(program, place):
    """Keys before the index exists, while it is built, and after; then the browser ends."""
    (place / (TARMAC + ".index")).unlink(missing_ok=True)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(place)
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
        os.execv(program, [str(program), "browse", TARMAC, "--segment-events", "100"])
    drawn = press(terminal, [b"j", b"j", b" ", b"/x0\r", b"n", b"j", b"G", b"g", b"-", b"+", b"q"])
    end, status = time.monotonic() + BROWSER_S, None
    while status is None and time.monotonic() < end:
        drawn += press(terminal, [b"q"] if time.monotonic() > end - BROWSER_S / 2 else [b""])
        done, ended = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(ended) if done else None
        time.sleep(0.1)
    if status is None:
        os.kill(child, 9)
        os.waitpid(child, 0)
    os.close(terminal)
    assert status == 0 and b"Sanitizer" not in drawn and len(drawn) > 1000, "status %s: %r" % (status, drawn[-3000:])


@pytest.fixture(scope="module")
def place():
    """A directory with traces, for all tests of a worker."""
    with tempfile.TemporaryDirectory(prefix="trawl-threads-") as name:
        make_traces(Path(name))
        yield Path(name)


@pytest.mark.parametrize("words, cut", COMMANDS, ids=lambda words: " ".join(words))
def test_commands(trawl, place, words, cut):
    check_command(trawl, words, cut, place)


def test_browser(trawl, place):
    check_browser(trawl, place)
