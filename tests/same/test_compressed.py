"""Compressed traces: every question is answered as for the uncompressed file, byte for byte, for every compression. A truncated or
damaged one gives its sound part, with the place of the damage and status 3. A file that decompresses to very much takes time, but no
memory.

    tests/run.py compressed
"""

import lzma
import os
import random
import re
import subprocess
from pathlib import Path

import extent
import pytest
import quick
from checker import Checker
from packed import FORMATS, PLAIN, gz, repeated, xz

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 120
BOMB_BYTES_MAX = 200 << 20  # two threads hold up to five chunks of 2 MB, each with its transfers, some ten times as large
DAMAGE = re.compile(rb"(?m)^trawl: (?:warning: )?t: the compressed data (.*) at byte (\d+)(?:; the (?:trace is read|index is of the trace) up to byte (\d+) of its text)?$")

TARMAC = [
    ["profile", "t"],
    ["profile", "--format", "csv", "--threads", "3", "--chunk-size", "4096", "t"],
    ["profile", "--threads", "1", "t"],
    ["calltree", "t"],
    ["flamegraph", "t"],
    ["flamegraph", "--format", "svg", "t"],
    ["callinfo", "t", "0x80610"],
    ["export", "t"],
    ["grep", "-c", "t", "8"],
    ["grep", "t", "STR"],
    ["show", "--at", "line:200", "t"],
    ["show", "--at", "byte:12345", "t"],
    ["show", "--at", "end", "t"],
    ["doctor", "t"],
]
# Questions that use an index, which the first builds and the others read; and questions that read the text again.
QUESTIONS = [
    ["index", "--segment-events", "2000", "t"],
    ["profile", "t"],
    ["state", "--at", "end", "t"],
    ["state", "--at", "line:300", "t"],
    ["state", "--at", "byte:20000", "t"],
    ["stack", "--at", "event:200", "t"],
    ["writes", "t", "sp"],
    ["pc", "--context", "2", "t", "0x80610"],
    ["callinfo", "--context", "1", "t", "0x80610"],
    ["callinfo", "t", "6"],
    ["show", "--at", "event:100", "t"],
    ["grep", "--context", "1", "t", "STR"],
    ["vcd", "-o", "-", "t"],
    ["vcd", "--registers", "all", "-o", "-", "t"],
    ["index", "t"],
]
XRAY_QUESTIONS = [["index", "t"], ["stack", "--at", "event:20", "t"], ["calltree", "t"], ["xray", "account", "t"]]
TFILE_QUESTIONS = [["index", "t"], ["state", "--at", "event:0", "t"], ["writes", "t", "sp"], ["tfile", "frames", "t"]]
XRAY = [
    ["profile", "t"],
    ["calltree", "t"],
    ["flamegraph", "t"],
    ["export", "t"],
    ["xray", "account", "t"],
    ["xray", "stack", "t"],
    ["xray", "graph", "t"],
    ["xray", "convert", "--output-format", "yaml", "t"],
    ["doctor", "t"],
]
TFILE = [
    ["tfile", "frames", "t"],
    ["tfile", "show", "t", "0"],
    ["doctor", "t"],
]


def by_turns(number, everything):
    """Every third one; for the next compressions the others."""
    return extent.pick(everything[number % 3 :: 3], everything)


class Check(Checker):
    def __init__(self, trawl, place):
        super().__init__(trawl)
        self.plain, self.packed = place / "plain", place / "packed"
        for folder in (self.plain, self.packed):
            folder.mkdir()

    def run(self, folder, words):
        status, out, err, killed = quick.answer([self.trawl, *words], TIMEOUT_S, cwd=folder)
        return ("killed" if killed else status), out, err

    def formats(self):
        for name, pack in FORMATS.items():
            if pack:
                yield name, pack
            else:
                self.skip(name, "its program is not here")

    def same(self, name, data, commands):
        """All answers, for each compression."""
        (self.plain / "t").write_bytes(data)
        wanted = [self.run(self.plain, words) for words in commands]
        for words, right in zip(commands, wanted):
            self.check(f"{name}: {' '.join(words)}: {right[0]} {right[2][:200]}", right[0] in (0, 3) and right[1])
        for number, (kind, pack) in enumerate(self.formats()):
            (self.packed / "t").write_bytes(pack(data))
            for words, right in by_turns(number, list(zip(commands, wanted))):
                got = self.run(self.packed, words)
                self.check(f"{name}.{kind}: {' '.join(words)}: {right[0]} {right[2][:200]}; {got[0]} {got[2][:200]}", got == right)

    def asked(self, name, data, commands):
        """The same from an index, next to each file. What the index reports about its own size differs."""
        (self.plain / "t").write_bytes(data)
        wanted = [self.run(self.plain, words) for words in commands]
        wanted_about = self.about(self.plain)
        for words, right in zip(commands, wanted):
            self.check(f"{name}: {' '.join(words)}: {right[0]} {right[2][:200]}", right[0] in (0, 3))
        for number, (kind, pack) in enumerate(self.formats()):
            (self.packed / "t").write_bytes(pack(data))
            (self.packed / "t.index").unlink(missing_ok=True)
            for words, right in [(commands[0], wanted[0]), *by_turns(number, list(zip(commands, wanted))[1:])]:
                got = self.run(self.packed, words)
                self.check(f"{name}.{kind}: {' '.join(words)}: {right[0]} {right[2][:200]}; {got[0]} {got[2][:200]}", got == right)
            self.check(f"{name}.{kind}: info", self.about(self.packed) == wanted_about)
            status, _, err = self.run(self.packed, ["verify", "t"])
            self.check(f"{name}.{kind}: verify: {err[:200]}", status == 0)
        self.changed(name)
        for folder in (self.plain, self.packed):
            (folder / "t.index").unlink()

    def about(self, folder):
        status, out, err = self.run(folder, ["info", "--format", "csv", "t"])
        return status, re.sub(rb"(?m)^.*(index|of the trace|sections?).*$", b"", out), err

    def changed(self, name):
        """An index does not fit a file that was changed, even if its text is the same."""
        packed = bytearray((self.packed / "t").read_bytes())
        packed[len(packed) // 2] ^= 1
        (self.packed / "t").write_bytes(packed)
        status, _, err = self.run(self.packed, ["verify", "t"])
        self.check(f"{name}: changed, verify: {status} {err[:200]}", status == 1 and err)

    def index_of_damaged(self, data):
        """Its answers are those for the text before the damage, and report it."""
        packed = gz(data)
        (self.packed / "t").write_bytes(packed[: len(packed) // 2])
        for words in (["index", "t"], ["state", "--at", "end", "t"], ["info", "t"], ["profile", "t"], ["calltree", "--index", "t.index", "t"]):
            status, _, err = self.run(self.packed, words)
            self.check(f"index of a cut file: {words}: {status} {err[:300]}", status == 3 and DAMAGE.search(err))
        (self.packed / "t.index").unlink()

    def cut(self, data, kind, random_):
        (self.plain / "t").write_bytes(data)
        whole = self.run(self.plain, ["grep", "t", "."])[1]
        if not FORMATS[kind]:
            self.skip(kind, "its program is not here")
        else:
            packed = FORMATS[kind](data)
            for at in (len(packed) - 1, len(packed) * 9 // 10, len(packed) // 2, 40, *random_.sample(range(30, len(packed)), 4)):
                (self.packed / "t").write_bytes(packed[:at])
                status, out, err = self.run(self.packed, ["grep", "t", "."])
                # The last line may be incomplete.
                kept = out[: out.rfind(b"\n", 0, len(out) - 1) + 1]
                told = DAMAGE.search(err)
                is_end = kind == "bgzf" and not told  # which can end after any member
                self.check(f"{kind} cut at {at}: status {status}, {err[:300]}", status in (1, 3) or is_end)
                self.check(f"{kind} cut at {at}: other text", whole.startswith(kept))
                self.check(f"{kind} cut at {at}: {err[:300]}", is_end or (told and int(told[2]) <= at))
            for at in random_.sample(range(len(packed) // 8, len(packed) - 12), 6):
                bad = bytearray(packed)
                bad[at] ^= 1 << random_.randrange(8)
                (self.packed / "t").write_bytes(bad)
                status, _, err = self.run(self.packed, ["profile", "t"])
                self.check(f"{kind} damaged at {at}: status {status}, {err[:300]}", status in (1, 3))
                told = DAMAGE.search(err)
                # The checksum of a bzip2 block is checked at its end, and a wrong bit may turn its text into binary data.
                is_none = kind == "bz2" and b"is binary data" in err
                self.check(f"{kind} damaged at {at}: {err[:300]}", is_none or (told and int(told[2]) <= len(packed)))

    def strict(self, data):
        packed = gz(data)
        (self.packed / "t").write_bytes(packed[: len(packed) // 2])
        status, _, err = self.run(self.packed, ["profile", "--strict", "t"])
        self.check(f"strict: {status} {err[:200]}", status == 1 and b"are truncated" in err)

    def bombs(self, name):
        """400 MB of zeros, and of lines that are all jumps: with less memory than the text, with and without a limit."""
        line = b"1 clk IT (1) 00010000 e1a00000 A svc_s : NOP\n"
        part = bytes(1 << 20) if name == "zeros" else line * ((1 << 20) // len(line))
        makers = {"gz": lambda: repeated(part, 400), "members.gz": lambda: gz(part * 16) * 25, "xz": lambda: xz(part * 16) * 25}
        for kind in ("zst", "bz2", "lz4"):
            if FORMATS[kind]:
                makers[kind] = lambda kind=kind: FORMATS[kind](part * 16) * 25
        for kind in makers if name == "zeros" else extent.pick(("zst",), makers):
            if kind in makers:
                packed = makers[kind]()
                (self.packed / "t").write_bytes(packed)
                done = quick.run_measured([str(self.trawl), "profile", "--threads", "2", "t"], self.packed, TIMEOUT_S)
                wanted = (1,) if name == "zeros" else (0,)
                self.check(f"bomb of {name} by {kind}: {done.returncode} {done.stderr[:300]}", done.returncode in wanted)
                is_plain = not {"asan", "tsan"} & set(self.trawl.parts)  # sanitizers take memory of their own
                self.check(f"memory of {name} by {kind}: {done.peak_bytes}", done.peak_bytes < BOMB_BYTES_MAX or not is_plain)
                status, _, err = self.run(self.packed, ["profile", "--max-memory", "64M", "t"])
                self.check(f"bomb of {name} by {kind} in 64M: {status} {err[:300]}", status in wanted and b"no memory" not in err)

    def others(self, data):
        """What is reported about compressed files, and what is not decompressed."""
        (self.packed / "t").write_bytes(gz(gz(data)))
        status, _, err = self.run(self.packed, ["profile", "t"])
        self.check(f"compressed twice: {status} {err[:200]}", status == 1 and b"is compressed" in err)
        (self.packed / "t").write_bytes(gz(data) + b"garbage")
        status, _, err = self.run(self.packed, ["profile", "t"])
        self.check(f"garbage: {status} {err[:200]}", status == 3 and b"are followed by something else" in err)
        (self.packed / "t").write_bytes(gz(b""))
        status, _, err = self.run(self.packed, ["profile", "t"])
        self.check(f"empty: {status} {err[:200]}", status == 1 and b"no events at all" in err)


STACKS = lzma.decompress((CORPUS / "stacks/coroutines-a64.it.tarmac.xz").read_bytes())
SAME = {
    "coroutines": TARMAC,
    "traces/exceptions-a64.es.tarmac": TARMAC[:5],
    "traces/cut-t32.it.tarmac": TARMAC[:5],
    "xray/arguments.fdr.xray": XRAY,
    "xray/exceptions.basic.xray": XRAY,
    "tfile/full.tf": TFILE,
    "tfile/torn.tf": TFILE,
}
ASKED = {"coroutines": QUESTIONS, "xray/arguments.fdr.xray": XRAY_QUESTIONS, "tfile/full.tf": TFILE_QUESTIONS}


@pytest.fixture
def check(trawl, place):
    return Check(trawl, place)


def content(name):
    return STACKS if name == "coroutines" else (CORPUS / name).read_bytes()


@pytest.mark.parametrize("name", SAME)
def test_same(check, name):
    check.same(name, content(name), SAME[name])


@pytest.mark.parametrize("name", ASKED)
def test_asked(check, name):
    check.asked(name, content(name), ASKED[name])


@pytest.mark.parametrize("kind, library", [("gz", "libisal.so.2"), ("zst", "libzstd.so.1"), ("lz4", "liblz4.so.1")])
def test_library(trawl, place, kind, library):
    """A library is loaded when a file wants it: without it, only such files cannot be read."""
    if b"/ld-" not in trawl.read_bytes()[:4096]:
        pytest.skip("the program is static")
    (place / library).touch()
    (place / "t").write_bytes(STACKS)
    (place / f"t.{kind}").write_bytes(FORMATS[kind](STACKS))
    without = {**os.environ, "LD_LIBRARY_PATH": str(place)}
    asked = [subprocess.run([trawl, "profile", "--memory-index", name], cwd=place, env=without, capture_output=True, timeout=TIMEOUT_S)
             for name in ("t", f"t.{kind}")]
    assert asked[0].returncode == 0, asked[0].stderr
    assert asked[1].returncode == 1 and not asked[1].stdout
    assert re.fullmatch(rb"trawl: reading \w+ needs %b \(Debian's package [\w-]+\): .*\n" % library.encode(), asked[1].stderr), asked[1].stderr


def test_index_of_damaged(check):
    check.index_of_damaged(STACKS)


@pytest.mark.parametrize("kind", PLAIN)
def test_cut(check, kind):
    check.cut(STACKS * 2, kind, random.Random(kind))


def test_strict(check):
    check.strict(STACKS)


def test_others(check):
    check.others(STACKS)


@pytest.mark.parametrize("name", ["zeros", "lines"])
def test_bombs(check, name):
    check.bombs(name)
