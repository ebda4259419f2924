"""A unit of time that appears only after the first lines, and is finer than theirs: every report is that of the same trace in which all
times are in the finest unit, for chunks of any size, by several threads, of compressed text, of several files, and from an index.

    tests/run.py units
"""

import gzip
import re
import shutil
from pathlib import Path

import pytest
import quick

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
LINES = 3000  # much more than the first 64 KiB
REPORTS = [
    ["profile"],
    ["profile", "--format", "json"],
    ["profile", "--chunk-size", "1", "--threads", "3"],
    ["profile", "--chunk-size", "5000", "--threads", "3"],
    ["calltree"],
    ["calltree", "--chunk-size", "333", "--threads", "2"],
    ["calltree", "--format", "csv"],
    ["flamegraph"],
    ["flamegraph", "--format", "pprof", "-o", "-"],
    ["export", "--format", "chrome"],
    ["export", "--format", "perfetto"],
    ["export", "--format", "speedscope"],
    ["export", "--format", "firefox"],
    ["export", "--table", "calls"],
    ["vcd", "-o", "-"],
    ["callinfo", "--call-time"],
    ["coverage", "--format", "csv"],
    ["doctor"],
    ["info"],
    ["state", "--at", "end"],
    ["stack", "--at", "line:2900"],
    ["state", "--at", "line:20", "--format", "json"],
    ["writes", "x1", "--format", "csv"],
    ["info"],
    ["profile"],
    ["calltree"],
    ["flamegraph"],
    ["export", "--format", "chrome"],
    ["export", "--format", "speedscope"],
]
# These differ because the text does.
OF_TEXT = re.compile(rb"(?m)^.*(?:index|part of the trace|bytes(?:/instruction)? +[0-9.]+$).*\n|\$date[^$]*\$end")
# Where which unit appears: the number of a line, and the power of ten by which its unit is finer than that of most lines.
FORMS = {"late": {2500: 3}, "first of the rest": {1200: 3}, "twice": {1500: 3, 2900: 6}, "point": {2500: 6, 2600: 6},
         "last": {LINES - 1: 6}}  # fmt: skip
UNITS = {0: "ns", 3: "ps", 6: "fs"}


def traces(form):
    """The trace whose unit becomes finer, and the one in the finest unit."""
    source = (CORPUS / "traces/sort-a64.it.tarmac").read_text().splitlines()[:LINES]
    assert len(source) == LINES
    places, finest = FORMS[form], max(FORMS[form].values())
    changing, fine = [], []
    for number, line in enumerate(source):
        time, _, rest = line.split(" ", 2)
        finer = places.get(number, 0)
        ticks = int(time) * 10**finest + 10 ** (finest - finer) * (finer > 0)
        if finer and form == "point":
            changing.append(f"{ticks // 10**6}.{ticks % 10**6:06}".rjust(24) + f" ns {rest}")
        else:
            changing.append(f"{ticks // 10 ** (finest - finer):>24} {UNITS[finer]} {rest}")
        fine.append(f"{ticks:>24} {UNITS[finest]} {rest}")
    damage = "garbage without a time ".ljust(80, "?")
    changing[1100] = fine[1100] = damage  # is reported once
    return ["".join(line + "\n" for line in lines).encode() for lines in (changing, fine)]


def answers(trawl, place, how, text):
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    names = ["t"]
    if how == "compressed":
        (place / "t").write_bytes(gzip.compress(text, mtime=0))
    elif how == "in files":
        cut = text.index(b"\n", len(text) // 2) + 1
        names = ["t", "u"]
        (place / "t").write_bytes(text[:cut])
        (place / "u").write_bytes(text[cut:])
    else:
        (place / "t").write_bytes(text)
    for words in REPORTS:
        more = ["0x1000"] if words[0] == "callinfo" else []
        files = [names[0], *[f"--with={name}" for name in names[1:]]]
        run = quick.run([trawl, words[0], *words[2 if words[0] == "writes" else 1:], *files, *(words[1:2] if words[0] == "writes" else more)],
                        cwd=place, env=None, input=b"")  # fmt: skip
        yield words, run.returncode, OF_TEXT.sub(b"", run.stdout), OF_TEXT.sub(b"", run.stderr)


@pytest.mark.parametrize("how", ["plain", "compressed", "in files"])
@pytest.mark.parametrize("form", FORMS)
def test_finer(trawl, tmp_path, checker, form, how):
    changing, fine = traces(form)
    wanted = list(answers(trawl, tmp_path / "dir", how, fine))
    for (words, *right), (_, *given) in zip(wanted, answers(trawl, tmp_path / "dir", how, changing)):
        checker.expect(f"{' '.join(words)} of {form}, {how}", given, right)


def test_index(trawl, tmp_path, checker):
    """The same bytes for chunks of any size, and of a trace that is followed; no parts of a trace whose pieces differ."""
    run = lambda *words, **how: quick.run([trawl, *words], cwd=tmp_path, env=None, input=b"", **how)  # noqa: E731
    changing, _ = traces("twice")
    (tmp_path / "t").write_bytes(changing)
    forms = {"whole": [], "lines": ["--chunk-size=1", "--threads=3"], "followed": ["--follow"]}
    for name, options in forms.items():
        checker.expect(name, run("index", "-q", *options, "t", "--index", name).returncode, 0)
        checker.expect(f"bytes of {name}", (tmp_path / name).read_bytes() == (tmp_path / "whole").read_bytes(), True)
    for number, survey in ((2, []), (3, []), (2, ["--survey"])):
        part = run("index", "-q", *survey, f"--shard={number}/3", "t", "--index", "part")
        checker.expect(f"part {number} {survey}", [part.returncode, b"can only be indexed as a whole" in part.stderr], [1, True])


def test_pipe(trawl, tmp_path, checker):
    """A pipe cannot be read again, and a table is written while the trace is read: what is rounded is said."""
    changing, _ = traces("late")
    (tmp_path / "t").write_bytes(changing)
    text = b"1 time in a finer unit than in the first lines in line 2501: they are rounded down to the unit of the trace"
    for words, sent in ((["profile", "-"], changing), (["export", "--table", "events", "--format", "csv", "t"], b"")):
        run = quick.run([trawl, *words], cwd=tmp_path, env=None, input=sent)
        checker.expect(" ".join(words), [run.returncode, text in run.stderr], [0, True])
