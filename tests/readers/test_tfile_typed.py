"""Values of trace files by the types of their programs, compared with the answers of GDB's tdump.

    tests/run.py tfile_typed

tests/recorded/tdump has GDB's answers (tools/compare_tdump.py --record). Then images with damaged debugging information: random bytes, and
references between entries that make types contain themselves.
"""

import csv
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

import compare_tdump
import pytest
import quick
from checker import Checker

TESTS = pathlib.Path(__file__).resolve().parents[1]
TIMEOUT_S = 60
SPOILED = 60
SECTIONS = [".debug_info", ".debug_abbrev", ".debug_addr", ".debug_loclists", ".debug_loc", ".debug_str"]


needs_readelf = pytest.mark.skipif(not shutil.which("readelf"), reason="there is no readelf")


class Check(Checker):
    def run(self, *words):
        return quick.answer([self.trawl, *map(str, words)], TIMEOUT_S)


@pytest.fixture
def check(trawl):
    return Check(trawl)


@pytest.mark.parametrize("name", compare_tdump.NAMES)
def test_answers(check, place, name):
    trace, image = compare_tdump.trace_named(name, place), compare_tdump.image_named(name)
    wanted = compare_tdump.values_of_gdb(compare_tdump.answer_named(TESTS / "recorded" / "tdump", name).read_text())
    found = compare_tdump.values_of_trawl(check.trawl, trace, image, len(wanted))
    different = compare_tdump.different_rows(name, found, wanted)
    check.check(name, not different and sum(map(len, wanted)) > 10, different[:2])


@pytest.mark.parametrize("name", compare_tdump.NAMES)
def test_series(check, place, name):
    """The same values as columns: a cell is what GDB's tdump says at that frame, and empty where it has no value."""
    trace, image = compare_tdump.trace_named(name, place), compare_tdump.image_named(name)
    frames = compare_tdump.values_of_gdb(compare_tdump.answer_named(TESTS / "recorded" / "tdump", name).read_text())
    wanted = [dict(rows) for rows in frames if len(dict(rows)) == len(rows)]
    columns = sorted({column for rows in wanted for column in rows if not column.startswith("$") and column})
    status, out, err, _ = check.run("tfile", "series", "--image", image, "--", trace, *columns)
    check.check(f"{name}: a table", status == 0, err)
    found = list(csv.DictReader(out.decode().splitlines()))
    for number, rows in enumerate(frames):
        for column, value in dict(rows).items():
            if column in columns and [row[0] for row in rows].count(column) == 1:
                # The type stands before pointers but for those in lists of arguments and variables.
                cell, value = (re.sub(r"^\((?:[^()]|\([^()]*\))*\) (?=0x|<)", "", text) for text in (found[number][column], value))
                missing = value.startswith(("<", "error: "))
                check.check(f"{name}: frame {number}: {column}", cell == ("" if missing else value), (cell, value))


def test_series_forms(check, place):
    """Numbers stay numbers in JSON and in plots; what no frame knows is refused."""
    trace, image = compare_tdump.CORPUS / "values.tf", compare_tdump.CORPUS / "values.elf"
    _, out, _, _ = check.run("tfile", "series", "--image", image, "--format", "json", trace, "number", "real", "squares[3]", "by_value")
    first = json.loads(out)[0]
    check.check("JSON", (first["number"], first["real"], first["squares[3]"], first["by_value"]) == (0, 0, 9, "{x = 0, y = 0}"), first)
    status, out, err, _ = check.run("tfile", "series", "--image", image, "--format", "svg", trace, "number", "squares[3]")
    check.check("a plot with both panels", status == 0 and out.count(b"<path") >= 2 or out.count(b"<polyline") >= 2, (status, err, out[-300:]))
    for words, why in (([], "an image with debugging information"), (["--image", image], "no symbol"), (["--image", compare_tdump.CORPUS / "walk.elf"], "no image has debugging")):
        status, out, err, _ = check.run("tfile", "series", *words, trace, "nowhere")
        check.check(f"refused: {why}", status == 1 and not out and why in err.decode(), (status, err))


def test_time_line(check):
    """Chrome's trace events: the numbers of the table, at the time that the frame collected, or at its number."""
    for name, words in (("values", ["number", "real", "squares[3]", "node->corners[0].x", "rsp", "by_value"]), ("stacks", ["rsp", "visits:i32", "digest:u64"])):
        trace, image = compare_tdump.CORPUS / f"{name}.tf", compare_tdump.CORPUS / f"{'walk' if name == 'stacks' else name}.elf"
        options = ["tfile", "series", "--image", image, "--format"]
        rows = json.loads(check.run(*options, "json", trace, *words)[1])
        times = {row["frame"]: row["frame"] for row in rows}
        if name == "stacks":
            times = {row["frame"]: row["trace_timestamp"] for row in json.loads(check.run(*options, "json", trace, "trace_timestamp")[1])}
        status, out, err, _ = check.run(*options, "chrome", trace, *words)
        events = json.loads(out)["traceEvents"]
        check.check(f"{name}: ends", status == 0 and not err, (status, err))
        found = [(event["ts"], event["name"], event["args"]["value"]) for event in events if event["ph"] == "C"]
        wanted = []
        for row in rows:
            for word in words:
                value = int(row[word], 16) if isinstance(row[word], str) and row[word].startswith("0x") else row[word]
                if isinstance(value, (int, float)):
                    wanted.append((times[row["frame"]], word, value))
        check.check(f"{name}: counters", found == wanted and len(found) > 20, (found[:4], wanted[:4]))
        check.check(f"{name}: frames", [event["args"]["frame"] for event in events if event["ph"] == "i"] == [row["frame"] for row in rows], len(rows))


def test_words(check):
    """What tdump does not show: types, signatures, addresses; and no values without debugging information."""
    trace, image = compare_tdump.CORPUS / "values.tf", compare_tdump.CORPUS / "values.elf"
    _, out, _, _ = check.run("tfile", "show", "--format", "json", "--image", image, trace, 0)
    rows = {row["name"]: row for row in json.loads(out) if row["kind"] in ("argument", "local")}
    check.check("type", rows["node"]["type"] == "const struct node *", rows["node"])
    check.check("size", rows["squares"]["bytes"] == 20 and rows["squares"]["address"], rows["squares"])
    _, out, _, _ = check.run("tfile", "show", "--image", image, trace, 0)
    signature = ("in int values(int number, const struct node *node, struct point by_value, double real, "
                 "const char *text, ...):")
    check.check("signature", signature in out.decode(), out[:300])
    _, out, _, _ = check.run("tfile", "show", trace, 0)
    check.check("without an image", b"shadow = " not in out and b"rip " in out, out[:300])
    # A trace file does not say where the storage of a thread is. An invalid expression is reported as one.
    for old, new, wanted in [("collect counter", "collect of_thread", "<error: the location of thread-local storage is unknown>"),
                             ("collect counter", "collect counter ? 1", "<error: '? 1' is not understood>"),
                             ("collect counter", "collect nobody", '<error: no symbol "nobody" in current context.>'),
                             ("collect counter", "collect complex_one", "<unavailable>"),
                             ("collect counter", "collect (((((counter)))))", "7"),
                             ("collect counter", "collect " + 500 * "(", "<error: '")]:
        data = trace.read_bytes().replace(
            f":cmd:0:{len(old):x}:{old.encode().hex()}\n".encode(), f":cmd:0:{len(new):x}:{new.encode().hex()}\n".encode())
        with tempfile.NamedTemporaryFile(suffix=".tf") as other:
            other.write(data)
            other.flush()
            _, out, err, _ = check.run("tfile", "show", "--format", "json", "--image", image, other.name, 2)
            values = [row["value"] for row in json.loads(out or b"[]") if row["name"] == new[len("collect "):]]
            check.check(new[:40], len(values) == 1 and values[0].startswith(wanted), (values, err))


def section(image, name):
    """The place of a section in a file, from readelf."""
    text = subprocess.run(["readelf", "-SW", image], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] == name:
            return int(words[4], 16), int(words[5], 16)
    return None


@needs_readelf
def test_spoiled(check, place):
    picks = random.Random(17)
    for name in compare_tdump.PROGRAMS:
        image, trace = compare_tdump.CORPUS / f"{name}.elf", compare_tdump.CORPUS / f"{name}.tf"
        data = image.read_bytes()
        places = [place for place in (section(image, part) for part in SECTIONS) if place]
        first, size = section(image, ".debug_info")
        references = [at for at in range(first, first + size - 4) if 11 < int.from_bytes(data[at : at + 4], "little") < size]
        for turn in range(SPOILED):
            spoiled = bytearray(data)
            for _ in range(picks.choice([1, 5, 40])):
                if turn % 2:
                    source, target = picks.choice(references), picks.choice(references)
                    spoiled[target : target + 4] = data[source : source + 4]
                else:
                    start, length = picks.choice(places)
                    spoiled[start + picks.randrange(length)] = picks.randrange(256)
            path = place / "spoiled.elf"
            path.write_bytes(spoiled)
            status, _, err, killed = check.run("tfile", "show", "--image", path, trace, *range(6))
            check.check(f"{name}: spoiled {turn}", status in (0, 1, 3) and not killed, (status, err[:200]))


@needs_readelf
def test_endless(check, place):
    """Location expressions that jump back to themselves: DW_OP_skip in place of each DW_OP_fbreg of two bytes."""
    image, trace = compare_tdump.CORPUS / "values.elf", compare_tdump.CORPUS / "values.tf"
    data = bytearray(image.read_bytes())
    first, size = section(image, ".debug_info")
    count = 0
    for at in range(first, first + size - 4):
        if data[at : at + 2] == b"\x03\x91":
            data[at + 1 : at + 4] = b"\x2f\xfd\xff"
            count += 1
    path = place / "endless.elf"
    path.write_bytes(data)
    status, out, _, killed = check.run("tfile", "show", "--image", path, trace, 0)
    check.check("endless", status == 0 and not killed and count > 5 and
                 b"\nsquares = <error: its location cannot be read>\n" in out, (status, count, out[:300]))
