"""A trace in several files: every question about its pieces is answered as for the whole, byte for byte except for names of files, for
any division and any compression of each piece; and a change of any piece is detected."""

import json
import os
from pathlib import Path

import quick
from packed import FORMATS

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "traces"
TIMEOUT_S = 120

ASKED = [
    ["profile"],
    ["profile", "--threads", "3", "--chunk-size", "100"],
    ["profile", "--threads", "1", "--chunk-size", "4K"],
    ["calltree"],
    ["flamegraph"],
    ["export", "--format", "chrome"],
    ["callinfo", "0x80610"],
    ["doctor"],
    ["index", "--quiet"],
    ["profile"],
    ["state", "--at", "end", "--format", "json"],
    ["stack", "--at", "event:200"],
    ["stack", "--at", "line:1500"],
    ["writes", "sp", "--all", "--context", "1"],
    ["pc", "0x80610"],
    ["show", "--at", "line:1216"],
    ["show", "--at", "byte:60001"],
    ["show", "--at", "event:500"],
    ["grep", "-c", "RET"],
    ["vcd", "--registers", "all", "-o", "-"],
    ["vcd", "-o", "-"],
]


def run(trawl, words, place):
    done = quick.run([trawl, *words], cwd=place, timeout=TIMEOUT_S)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def ask(trawl, place, asked, files):
    """Asks about the files as one trace: after the first word, a question has options and operands."""
    command, *rest = asked
    then = [word for name in files[1:] for word in ("--then", name)]
    return run(trawl, [command, files[0], *rest, *then], place)


def without_places(text):
    """Without the columns that only several files have, regardless of alignment."""
    return [[word for word in line.split() if not word.startswith(("File:line", "p.")) and word != "t"] for line in text.splitlines()]


def in_json(text):
    """The same for JSON."""

    def strip(value):
        if isinstance(value, dict):
            return {key: strip(member) for key, member in value.items() if key != "file_line"}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return strip(json.loads(text))


def cut(data, places):
    ends = [*places, len(data)]
    return [data[start:end] for start, end in zip([0, *places], ends)]


def cuts_of(data):
    """Places to divide: after lines, inside some, with empty pieces, and byte by byte at the beginning."""
    line = data.index(b"\n", len(data) // 2) + 1
    return [[line], [60000, 60000, 60001, 120000], [0, 1, 2, 3, 4, 200], [len(data) - 1, len(data)], [1000 * i for i in range(1, 120)]]


def compare(checker, trawl, place, pieces, what, expected):
    names = [f"p.{i}" for i in range(len(pieces))]
    for name, piece in zip(names, pieces):
        (place / name).write_bytes(piece)
    for asked, (status, out, err) in zip(ASKED, expected):
        got = ask(trawl, place, asked, names)
        same_out = in_json(got[1]) == in_json(out) if "json" in asked and got[1] and out else without_places(got[1]) == without_places(out)
        checker.check(f"{what}: {' '.join(asked)}", got[0] == status and same_out and bool(got[2]) == bool(err), got)
    (place / "p.0.files.index").unlink(missing_ok=True)
    for name in names:
        os.unlink(place / name)


def test_pieces(trawl, checker, place):
    for trace in ["exceptions-a64.it.tarmac", "cut-a64.es.tarmac", "corrupt-a64.it.tarmac"]:
        data = (CORPUS / trace).read_bytes()
        (place / "t").write_bytes(data)
        expected = [ask(trawl, place, asked, ["t"]) for asked in ASKED]
        (place / "t.index").unlink(missing_ok=True)
        for places in cuts_of(data)[: None if trace.startswith("exc") else 2]:
            pieces = cut(data, [min(at, len(data)) for at in places])
            compare(checker, trawl, place, pieces, f"{trace} in {len(pieces)}", expected)
        if trace.startswith("exceptions"):
            packs = [pack for pack in FORMATS.values() if pack]
            pieces = [pack(piece) for pack, piece in zip(packs, cut(data, [10000 * i for i in range(1, len(packs))]))]
            compare(checker, trawl, place, [*pieces[:-1], data[10000 * (len(packs) - 1) :]], "compressed", expected)


def test_places(trawl, checker, place):
    """FILE:LINE is the place in the piece, as an editor shows it."""
    data = (CORPUS / "exceptions-a64.it.tarmac").read_bytes()
    lines = data.split(b"\n")
    starts = [0, len(b"\n".join(lines[:1000])) + 1, len(b"\n".join(lines[:2000])) + 6]
    names = [f"trace.{number}" for number in (1, 2, 10)]
    for name, piece in zip(names, cut(data, starts[1:])):
        (place / name).write_bytes(piece)
    for arguments in (["--then", "trace.*"], ["--then=trace.2", "--then", "trace.10"]):
        status, out, err = run(trawl, ["info", "trace.1", *arguments, "--format", "json"], place)
        checker.check("index of a pattern", run(trawl, ["index", "trace.1", *arguments], place)[0] == 0 and run(trawl, ["verify", "trace.1", *arguments], place)[0] == 0)
        told = [(row["file"], row["position"], row["line"]) for row in json.loads(out)["files"]]
        checker.check("info", status == 0 and told == list(zip(names, starts, [1, 1001, 2001])), (told, err))
    then = ["--then", "trace.*"]
    for number, wanted in ((1000, "trace.1:1000"), (1001, "trace.2:1"), (2001, "trace.2:1001"), (2002, "trace.10:2"), (2100, "trace.10:100")):
        _, out, err = run(trawl, ["show", "trace.1", *then, "--at", wanted, "--context", "0", "--format", "json"], place)
        told = out and [(row["line"], row["file_line"], row["text"]) for row in json.loads(out)]
        checker.check(wanted, told == [(number, wanted, lines[number - 1].decode())], (told, err))
        _, by_place, _ = run(trawl, ["state", "trace.1", *then, "--at", f"./{wanted}"], place)
        _, by_name, err = run(trawl, ["state", "trace.1", *then, "--at", wanted], place)
        _, by_line, _ = run(trawl, ["state", "trace.1", *then, "--at", f"line:{number}"], place)
        checker.check(f"state at {wanted}", by_name and by_name == by_line and not by_place, (by_name, by_line, err))
    status, out, err = run(trawl, ["grep", "trace.1", "ERET", *then], place)
    found = [f"{name}:{number + 1}:" for name in names for number, line in enumerate((place / name).read_bytes().split(b"\n")) if b"ERET" in line]
    checker.check("grep", [line.split("1")[0] for line in found] != [] and all(line.startswith(at) for line, at in zip(out.splitlines(), found)), out[:300])
    for wrong in ("trace.1:0", "trace.1:1001", "trace.3:1", "trace.10:99999"):
        status, _, err = run(trawl, ["show", "trace.1", *then, "--at", wrong], place)
        checker.check(f"refused {wrong}", status != 0 and wrong in err, err)


def test_damage_has_its_place(trawl, checker, place):
    (place / "a").write_bytes(b"1 clk IT (1) 00008000 e1a00000 A svc_s : NOP\n" * 3)
    (place / "b").write_bytes(b"2 clk IT (2) 00008004 e1a00000 A svc_s : NOP\n3 clk IT (3) 0000800x\n")
    for words in (["profile", "a"], ["index", "a"], ["profile", "a"], ["profile", "--strict", "a"]):
        status, _, err = run(trawl, [*words, "--then", "b"], place)
        checker.check(f"{words}", status != 0 and "b:2:" in err and "byte 5" in err + "byte 5" * ("--strict" in words), err)


def test_changes(trawl, checker, place):
    """After any change to one of the files, their old index is not used for the new ones."""
    data = (CORPUS / "exceptions-a64.it.tarmac").read_bytes()
    pieces = cut(data, [60000, 120000])

    def lay():
        for number, piece in enumerate(pieces):
            (place / f"p{number}").write_bytes(piece)
            os.utime(place / f"p{number}", (1000000000 + 100 * number, 1000000000 + 100 * number))

    files = ["--then", "p1", "--then", "p2"]
    use = ["state", "p0", "--no-index", "--at", "end", *files]

    def touch(number):
        return lambda: os.utime(place / f"p{number}", (1000000050, 1000000050))

    def swap():
        (place / "p1").write_bytes(pieces[2])
        (place / "p2").write_bytes(pieces[1])

    changes = {
        "the first touched": touch(0),
        "the second touched": touch(1),
        "the last touched": touch(2),
        "one appended to": lambda: (place / "p1").open("ab").write(b"\n") and None,
        "one cut": lambda: os.truncate(place / "p0", 59999),
        "two swapped": swap,
    }
    for what, change in changes.items():
        lay()
        status, _, err = run(trawl, ["index", "p0", "--force-index", *files], place)
        checker.check(f"before {what}", status == 0 and run(trawl, use, place)[2] == "", err)
        change()
        status, _, err = run(trawl, use, place)
        checker.check(what, "p0.files.index" in err, (status, err))
    lay()
    run(trawl, ["index", "p0", "--force-index", *files], place)
    checker.check("verified", run(trawl, ["verify", "p0", *files], place)[0] == 0)
    checker.check("other order", "p0.files.index" in run(trawl, ["state", "p0", "--no-index", "--at", "end", "--then", "p2", "--then", "p1"], place)[2])
    stamp = os.stat(place / "p1")
    changed = bytearray(pieces[1])
    changed[30000] ^= 1
    (place / "p1").write_bytes(changed)
    os.utime(place / "p1", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    status, _, err = run(trawl, ["verify", "p0", *files], place)
    checker.check("verify names the file", status == 1 and "p1" in err, err)


def test_rights(trawl, checker, place):
    """Nobody can read the index who may not read all of the files."""
    data = (CORPUS / "exceptions-a64.it.tarmac").read_bytes()
    for modes, wanted in (((0o644, 0o644), 0o644), ((0o644, 0o600), 0o600), ((0o600, 0o644), 0o600), ((0o640, 0o644), 0o600)):
        for number, (piece, mode) in enumerate(zip(cut(data, [60000]), modes)):
            (place / f"p{number}").unlink(missing_ok=True)
            (place / f"p{number}").write_bytes(piece)
            os.chmod(place / f"p{number}", mode)
        status, _, err = run(trawl, ["index", "p0", "--force-index", "--then", "p1"], place)
        got = os.stat(place / "p0.files.index").st_mode & 0o777
        checker.check(f"{modes}", status == 0 and got == wanted, (oct(got), err))
        os.unlink(place / "p0.files.index")


def test_refusals(trawl, checker, place):
    (place / "a").write_bytes(b"1 clk IT (1) 00008000 e1a00000 A svc_s : NOP\n")
    os.mkfifo(place / "fifo")
    (place / "dir").mkdir()
    for words, wanted in (
        (["profile", "a", "--then", "none"], "none"),
        (["profile", "a", "--then", "none*"], "no file matches"),
        (["profile", "a", "--then", "fifo"], "is not a regular file"),
        (["profile", "a", "--then", "dir"], "is not a regular file"),
        (["profile", "-", "--then", "a"], "is not a regular file"),
        (["index", "a", "a", "--then", "a"], "needs a single TRACE"),
    ):
        status, _, err = run(trawl, words, place)
        checker.check(" ".join(words), status in (1, 2) and wanted in err and err.count("\n") <= 2, err)
