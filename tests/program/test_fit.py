"""Tables fit the terminal: names are cut in the middle, with an ellipsis, in a terminal or where COLUMNS says how wide it is;
nowhere else, and not with --wide. What is shown is compared with the same table in full.
"""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
LOG = CORPUS / "xray" / "threads.fdr.xray"
IMAGE = CORPUS / "xray" / "threads.elf"
ELLIPSIS = "…"
MIN = 20  # columns that a name keeps


def shown(trawl, *words, columns=None, terminal=None):
    """The lines of a profile, to a pipe or to a terminal of so many columns."""
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns is not None:
        env["COLUMNS"] = columns
    command = [trawl, "profile", "--memory-index", "--image", IMAGE, LOG, *words]
    if not terminal:
        return subprocess.run(command, capture_output=True, text=True, check=True, env=env, timeout=60).stdout.splitlines()
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, terminal, 0, 0))
    process = subprocess.Popen(command, stdout=its, stderr=subprocess.DEVNULL, env=env)
    os.close(its)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return text.decode().replace("\r\n", "\n").splitlines()


def check_cut(full, cut, columns):
    """Numbers are the same; a name is whole, or its two ends with an ellipsis between."""
    assert len(full) == len(cut)
    start = full[0].index("Function")
    assert any(ELLIPSIS in line for line in cut)
    for whole, line in zip(full, cut):
        assert len(line) <= max(columns, start + MIN) and line[:start] == whole[:start]
        name, got = whole[start:], line[start:]
        if got != name:
            head, mark, tail = got.partition(ELLIPSIS)
            assert mark and name.startswith(head) and name.endswith(tail) and abs(len(head) - len(tail)) <= 1


@pytest.mark.parametrize("columns", [100, 112, 80, 1])
def test_cut(trawl, columns):
    full = shown(trawl)
    check_cut(full, shown(trawl, columns=str(columns)), columns)
    if columns > 1:
        check_cut(full, shown(trawl, terminal=columns), columns)
    check_cut(full, shown(trawl, terminal=200, columns=str(columns)), columns)  # COLUMNS comes first


@pytest.mark.parametrize("words", [["find", "traces/hash-a64.it.tarmac", "x0 == 1 && x1 != 0 && x2 < 0xffff && x3 < 0xfffffffffff"],
                                   ["origin", "traces/corrupt-a64.it.tarmac", "x20", "--at", "line:3507"], ["writes", "traces/hash-a64.it.tarmac", "x1"]])
def test_values(trawl, words):
    """A value or an instruction that was cut would be read as another."""
    command = [trawl, words[0], "--memory-index", CORPUS / words[1], *words[2:]]
    env = {**os.environ, "COLUMNS": "50"}
    full, cut = (subprocess.run([*command, *wide], capture_output=True, text=True, check=True, env=env, timeout=60).stdout for wide in (["--wide"], []))
    rest = [line[full.split("\n")[0].index(heading) :] for heading in ("Value", "Instruction") for line in full.split("\n") if heading in full.split("\n")[0]]
    assert rest and all(text.split("  ")[0].strip() in cut for text in rest)


def test_whole(trawl):
    full = shown(trawl)
    assert not any(ELLIPSIS in line for line in full) and max(map(len, full)) < 200
    assert shown(trawl, terminal=200) == full
    assert shown(trawl, terminal=max(map(len, full))) == full
    assert shown(trawl, "--wide", terminal=80) == full
    assert shown(trawl, "--wide", columns="80") == full
    for nonsense in ("", "0", "-5", "80x", " 80", "99999999999999999999999"):
        assert shown(trawl, columns=nonsense) == full, nonsense


def test_other_formats(trawl, tmp_path):
    """What programs read, and files, are never cut."""
    for words in (["--format", "csv"], ["--format", "json"]):
        assert shown(trawl, *words, columns="20") == shown(trawl, *words)
    shown(trawl, "-o", tmp_path / "file", columns="20")
    assert (tmp_path / "file").read_text().splitlines() == shown(trawl)


def test_characters(trawl, tmp_path):
    """Cut between characters, also where each has several bytes."""
    names = tmp_path / "names"
    name = "ä" * 15 + "€" * 20 + "😀" * 15
    names.write_text(f"0000000000080610 T {name}\n")
    trace = CORPUS / "traces" / "corrupt-a64.it.tarmac"
    command = [trawl, "profile", "--memory-index", "--image", names, trace]
    said = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "COLUMNS": "40"}, timeout=60).stdout.decode()
    assert "ä" * 10 + ELLIPSIS + "😀" * 9 + "\n" in said, said
