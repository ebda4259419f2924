"""A trace that is rewritten while a command shows its text: every command detects it."""

import array
import fcntl
import lzma
import subprocess
import termios
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
PIPE_BYTES = 65536
COMMANDS = [
    ["writes", "--all", "--context", "200", "t", "x0"],
    ["pc", "--context", "100000", "t", "0x80610"],
    ["callinfo", "--context", "100000", "t", "0x80610"],
    ["state", "--context", "10000", "t", "--at", "event:1000"],
    ["stack", "--context", "10000", "t", "--at", "event:1000"],
    ["show", "--at", "line:3000", "--context", "5000", "t"],
    ["grep", "t", "."],
    ["grep", "--context", "5", "t", "X"],
]


def waits_with(pipe):
    """The number of bytes in a pipe."""
    held = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, held)
    return held[0]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_a_trace_written_anew_is_noticed(trawl, tmp_path, words):
    data = lzma.decompress((ROOT / "corpus/stacks/coroutines-a64.it.tarmac.xz").read_bytes())
    trace = tmp_path / "t"
    trace.write_bytes(data)
    assert subprocess.run([trawl, "index", "t"], cwd=tmp_path, timeout=TIMEOUT_S).returncode == 0
    right = subprocess.run([trawl, *words], cwd=tmp_path, capture_output=True, timeout=TIMEOUT_S)
    assert right.returncode == 0 and len(right.stdout) > 4 * PIPE_BYTES
    # With its output in a pipe that nobody reads, a command stops when half of its text is written.
    process = subprocess.Popen([trawl, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None and waits_with(process.stdout) < PIPE_BYTES // 2:
        pass
    assert process.poll() is None
    trace.write_bytes(data.replace(b" clk ", b" CLK "))
    _, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == (2 if words[0] == "grep" else 1) and b"changed while it was read" in err, err
