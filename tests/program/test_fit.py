"""Tables fit the terminal: names are cut in the middle, with an ellipsis, in a terminal or where COLUMNS says how wide it is;
nowhere else, and not with --wide. What is shown is compared with the same table in full. Columns are those of a terminal: wide
characters take two, marks none (src/base/utf8_widths.h).
"""

import ctypes
import fcntl
import locale
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata
from pathlib import Path

import pytest
import utf8_widths

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
    assert "ä" * 10 + ELLIPSIS + "😀" * 4 + "\n" in said, said


def columns_of(text):
    """The columns of a text in a terminal."""
    return sum(utf8_widths.width_of(ord(character)) for character in text)


def check_lines(lines, column):
    """The second column of names begins in the same column of the terminal in each line."""
    for line in lines:
        assert columns_of(line[: line.rindex(line.split()[-1])]) == column, line


TRACE = CORPUS / "traces" / "sort-a64.it.tarmac"


def by_caller(trawl, place, names, *words, columns=None):
    """The lines of a profile with callers, whose functions have these names, and the column where the callers begin."""
    listed = subprocess.run(["nm", CORPUS / "elf" / "sort-a64.elf"], capture_output=True, text=True, check=True).stdout
    addresses = [line.split()[0] for line in listed.splitlines() if line.split()[1] in "tT"]
    (place / "names").write_text("".join(f"{address} T {name}\n" for address, name in zip(addresses, names * len(addresses))))
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [trawl, "profile", "--memory-index", "--by", "caller", "--image", place / "names", TRACE, *words]
    said = subprocess.run(command, capture_output=True, check=True, env=env | ({"COLUMNS": str(columns)} if columns else {}), timeout=60)
    heading, *lines = said.stdout.decode().splitlines()
    return [line for line in lines if len(line.split()) == len(re.split("  +", heading.strip()))], heading.index("Caller")


def test_widths(trawl, place):
    """Wide characters and marks, at the borders of their ranges, in the columns that a terminal gives them."""
    ranges = [border for width in (0, 2) for pair in utf8_widths.ranges(width) for border in pair]
    codes = sorted({code + step for code in ranges for step in (-1, 0, 1)} | set(range(0xA1, 0x180)))
    shown_codes = [code for code in codes if utf8_widths.width_of(code) is not None and unicodedata.category(chr(code)) not in ("Cc", "Cs", "Co", "Cf", "Zs", "Zl", "Zp")]
    assert len(shown_codes) > 900
    each = 16
    names = ["f" + "".join(map(chr, shown_codes[at : at + each])) for at in range(0, len(shown_codes), each)]
    for at in range(0, len(names), 8):
        lines, column = by_caller(trawl, place, names[at : at + 8])
        assert len({line.split()[-1] for line in lines}) > 2
        check_lines(lines, column)


@pytest.mark.parametrize("columns", range(108, 116))
def test_wide_names_are_cut(trawl, place, columns):
    """At any column; a mark stays with what it is on."""
    names = ["日本語の関数の名前はとても長い" * 2, "xa日本語の関数の名前はとても長いz" * 2, "e\u0301" * 25 + "日本語" * 4, "plain_and_long_name_of_a_function_which_is_cut"]
    lines, column = by_caller(trawl, place, names, columns=columns)
    check_lines(lines, column)
    assert any(ELLIPSIS in line for line in lines)
    for line in lines:
        assert columns_of(line) <= columns, line
        assert ELLIPSIS + "\u0301" not in line, line


@pytest.mark.skipif(unicodedata.unidata_version != utf8_widths.written_version(), reason="another Unicode here than the table is of")
def test_table_of_widths(checker):
    """src/base/utf8_widths.h is what the script makes, and says what the C library says: two other readers of Unicode's data."""
    checker.expect("utf8_widths.h", utf8_widths.WRITTEN.read_text().split(), utf8_widths.header().split())
    locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    wcwidth = ctypes.CDLL(None).wcwidth
    assigned = [code for code in range(0xA0, 0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co", "Zl", "Zp")]
    differ = [hex(code) for code in assigned if wcwidth(code) != utf8_widths.width_of(code)]
    known = [hex(code) for code in (*range(0x3248, 0x3250), *range(0x4DC0, 0x4E00))]  # the C library widens them against Unicode
    checker.expect("wcwidth of the C library", [code for code in differ if code not in known], [])
