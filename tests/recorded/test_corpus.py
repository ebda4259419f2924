"""Compares the tarmac-* reports on every trace of the corpus, with its image and without, with the reviewed answers in
tests/recorded/corpus/.

    tests/run.py corpus [-k TEXT] [--accept]

An answer is a command, run in the folder of the corpus, and its status, standard output and standard error; for large outputs only the
number of lines and a SHA-256 digest. --accept records differences: review the change before committing it. -k takes only traces whose name
contains the text.
"""

import difflib
import hashlib
import json
import re
from pathlib import Path

import pytest
import quick

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
ANSWERS = ROOT / "tests" / "recorded" / "corpus"
TIMEOUT_S = 60
TEXT_BYTES_MAX = {"tarmac-profile": 1 << 20, "tarmac-flamegraph": 1 << 20}
TEXT_BYTES_MAX_ELSE = 3000
FUNCTIONS_MAX = 8
ADDRESS = re.compile(rb"(?:IT|IS|ES) +(?:\(\d+\) +)?\(?([0-9a-f]{8,16})[ :]")


def addresses(data):
    """Some addresses of a trace, from its first instruction to far into it; and the exceptions."""
    found = ADDRESS.findall(data)
    picked = [found[i] for i in (0, 9, 99, 999) if i < len(found)] + found[-1:]
    return ["0x6"] + ["0x" + address.decode() for address in dict.fromkeys(picked)]


def functions(truth):
    """Names of functions that were on the stack at some time, and one that was not."""
    names = set()
    for line in truth.read_text().splitlines():
        names.update(frame["name"] for frame in json.loads(line).get("stack", []))
    return sorted(names)[:FUNCTIONS_MAX] + ["no_such_function"]


def commands(corpus, name):
    """The commands for a trace, as lists of words."""
    trace = "traces/%s.tarmac" % name
    image = "--image=elf/%s.elf" % name.rsplit(".", 1)[0]
    asked = addresses((corpus / trace).read_bytes())
    yield ["tarmac-profile", trace]
    yield ["tarmac-profile", image, trace]
    yield ["tarmac-flamegraph", trace]
    yield ["tarmac-flamegraph", image, trace]
    yield ["tarmac-calltree", trace]
    yield ["tarmac-calltree", image, trace]
    yield ["tarmac-calltree", "--debug=call_heuristics", trace]
    yield ["tarmac-callinfo", trace] + asked
    yield ["tarmac-callinfo", image, trace] + functions(corpus / (trace + ".truth"))
    vcd = ["--no-date", "-o", "/dev/stdout", trace]
    yield ["tarmac-vcd"] + vcd
    yield ["tarmac-vcd", "--use-tarmac-timestamps", image] + vcd
    yield ["trawl", "vcd", image, trace]


def described(stream, text, bytes_max):
    """A stream of output in the form of an answer."""
    lines = text.count(b"\n")
    ends = "" if text.endswith(b"\n") or not text else ", no final newline"
    head = "--- %s: %d lines%s" % (stream, lines, ends)
    if len(text) > bytes_max:
        return "%s, sha256 %s\n" % (head, hashlib.sha256(text).hexdigest())
    return head + "\n" + text.decode("latin-1") + ("\n" if ends else "")


def answer(programs, corpus, words):
    status, out, err, killed = quick.answer([programs / words[0], *words[1:]], TIMEOUT_S, cwd=corpus)
    bytes_max = TEXT_BYTES_MAX.get(words[0], TEXT_BYTES_MAX_ELSE)
    return "=== %s\n--- status: %s\n%s%s" % (
        " ".join(words), "no end" if killed else status, described("stdout", out, bytes_max),
        described("stderr", err, bytes_max))


def split_answers(text):
    """The answers of a file, by their commands."""
    return {part.split("\n", 1)[0]: "=== " + part for part in re.split(r"(?m)^=== ", text)[1:]}


def check(programs, corpus, name, accept):
    """Runs the commands of a trace. Returns the number of answers that are as recorded, and the differences."""
    file = ANSWERS / (name + ".answers")
    recorded = split_answers(file.read_text(encoding="latin-1")) if file.exists() else {}
    passed, differences, found = 0, [], {}
    for words in commands(corpus, name):
        key = " ".join(words)
        found[key] = answer(programs, corpus, words)
        expected = recorded.pop(key, "")
        if found[key] == expected:
            passed += 1
            continue
        differences.append("\n".join(["%s: %s" % (name, key)] + list(difflib.unified_diff(
            expected.splitlines(), found[key].splitlines(), "expected", "found", lineterm=""))))
    differences += ["%s: not asked any more: %s" % (name, key) for key in recorded]
    if accept and differences:
        file.write_text("".join(found.values()), encoding="latin-1")
    return passed, differences


NAMES = sorted(path.name.removesuffix(".tarmac") for path in (CORPUS / "traces").glob("*.tarmac"))


@pytest.mark.parametrize("name", NAMES)
def test_traces(checker, programs, accept, name):
    passed, differences = check(programs, CORPUS, name, accept)
    checker.check("answers are recorded", passed or differences)
    for text in differences:
        checker.check("as recorded", accept, text)


def test_no_answers_are_stale():
    assert {path.name.removesuffix(".answers") for path in ANSWERS.glob("*.answers")} <= set(NAMES)
