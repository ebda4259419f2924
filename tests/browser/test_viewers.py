"""Exports in the programs with which people open them: speedscope's page and its schema, go's pprof with lines and inlined functions
(test_export.py tests its sums by function).

    tests/run.py viewers

Needs speedscope and playwright-core from npm (globally, or where NODE_PATH points), chromium, node, python3-jsonschema and go; tests
that lack one are skipped.
"""

import csv
import functools
import http.server
import json
import re
import shutil
import subprocess
import threading
import urllib.parse
from pathlib import Path

import pytest
from node_packages import browser_tools, find_package

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 120
SORT = [CORPUS / "traces" / "sort-a64.it.tarmac", "--image", CORPUS / "elf" / "sort-a64.elf"]
EXPORTED = [
    [*SORT],
    [*SORT, "--returned-only"],
    [CORPUS / "traces" / "twocores-a64.it.tarmac", "--image", CORPUS / "elf" / "twocores-a64.elf"],
    [CORPUS / "traces" / "recursion-a32.es.tarmac"],
    [CORPUS / "xray" / "threads.fdr.xray"],
    [CORPUS / "xray" / "recursion.fdr.xray", "--image", CORPUS / "xray" / "recursion.elf"],
]


def run(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, (words, done.stderr[-600:])
    return done.stdout


def profile_of(trawl, words):
    """Self and total time of each function, by name."""
    rows = csv.DictReader(run([trawl, "profile", *words, "--format", "csv"]).splitlines())
    return {row["function"]: (int(row["self"]), int(row["total"])) for row in rows}


@pytest.fixture(scope="module")
def speedscope():
    """The directory of speedscope's page."""
    package = find_package("speedscope")
    if not package:
        pytest.skip("no speedscope of npm")
    return package / "dist" / "release"


@pytest.mark.parametrize("words", EXPORTED, ids=lambda words: words[0].name)
def test_schema(trawl, speedscope, words):
    """An export conforms to the published schema."""
    jsonschema = pytest.importorskip("jsonschema", reason="no python3-jsonschema")
    schema = json.loads((speedscope / "file-format-schema.json").read_text())
    exported = json.loads(run([trawl, "export", "--format", "speedscope", *words]))
    jsonschema.validate(exported, schema)
    assert sum(len(profile["events"]) for profile in exported["profiles"]) > 10
    exported["profiles"][0]["events"][0]["type"] = "X"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(exported, schema)


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def address(speedscope, place):
    """Speedscope's page, served together with the files in `place`."""
    shutil.copytree(speedscope, place, dirs_exist_ok=True)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=place)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def number(text):
    """The number in "1,791 (99%)"."""
    return int(text.split()[0].replace(",", ""))


def test_page(trawl, address, place):
    """Speedscope's page shows the times of the profile."""
    tools, lacking = browser_tools()
    if lacking:
        pytest.skip(f"no {', '.join(lacking)}")
    chromium, node, playwright = tools
    run([trawl, "export", "--format", "speedscope", *SORT, "-o", place / "p.json"])
    url = f"{address}/index.html#profileURL={urllib.parse.quote(address + '/p.json', safe='')}"
    shown = json.loads(run([node, Path(__file__).with_name("speedscope_page.mjs"), url, place, playwright, chromium]))
    assert shown["title"].startswith(str(SORT[0])) and not shown["faults"], shown
    found = {name: (number(own), number(total)) for total, own, name in shown["rows"][1:]}
    profile = profile_of(trawl, SORT)
    assert len(found) > 10 and found == {name: times for name, times in profile.items() if times != (0, 0)}


@pytest.fixture(scope="module")
def pprof():
    """The command for go's pprof; its message about a missing image is not an error."""
    if not shutil.which("go"):
        pytest.skip("no go")
    words = [shutil.which("go"), "tool", "pprof", "-nodefraction=0", "-edgefraction=0", "-nodecount=100000"]
    if subprocess.run([*words[:3], "-help"], capture_output=True, timeout=TIMEOUT_S, check=False).returncode not in (0, 2):
        pytest.skip("go has no pprof")
    return words


ROW = re.compile(r" *(\d+)\w* +[\d.]+% +[\d.]+% +(\d+)\w* +[\d.]+%  (.*)")


def top_of(pprof, options, path):
    rows = map(ROW.fullmatch, run([*pprof, "-top", *options, path]).splitlines())
    return {row[3]: (int(row[1]), int(row[2])) for row in rows if row}


def test_pprof_lines(trawl, pprof, place):
    """Times by line are those of the profile by line."""
    run([trawl, "export", "--format", "pprof", "--lines", *SORT, "-o", place / "p.pb.gz"])
    wanted = {}
    for row in csv.DictReader(run([trawl, "profile", "--by", "line", *SORT, "--format", "csv"]).splitlines()):
        if row["file"]:
            key = f"{Path(row['file']).name}:{row['line']}"
            wanted[key] = wanted.get(key, 0) + int(row["self"])
    found = {}
    for name, (own, _) in top_of(pprof, ["-lines"], place / "p.pb.gz").items():
        if ":" in name:
            key = name.rpartition("/")[2]
            found[key] = found.get(key, 0) + own
    assert len(wanted) > 20 and {key: own for key, own in found.items() if own} == {key: own for key, own in wanted.items() if own}


def test_pprof_inlines(trawl, pprof, place):
    """Functions that were inlined have their own times."""
    words = [CORPUS / "traces" / "pointers-a64.it.tarmac", "--image", CORPUS / "elf" / "pointers-a64.elf"]
    run([trawl, "export", "--format", "pprof", "--inlines", *words, "-o", place / "p.pb.gz"])
    found = {name.removesuffix(" (inline)"): own for name, (own, _) in top_of(pprof, [], place / "p.pb.gz").items()}
    rows = csv.DictReader(run([trawl, "profile", "--by", "inline", *words, "--format", "csv"]).splitlines())
    wanted = {}
    for row in rows:
        wanted[row["function"]] = wanted.get(row["function"], 0) + int(row["self"])
    assert len(wanted) > len(profile_of(trawl, words)) and {name: own for name, own in found.items() if own} == wanted
