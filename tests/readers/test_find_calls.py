"""`trawl find` on XRay logs: conditions about calls, against the table of calls.

    tests/run.py find_calls
"""

import csv
import io
import random
from pathlib import Path

import pytest
import quick

CORPUS = Path(__file__).resolve().parents[2] / "corpus/xray"
TIMEOUT_S = 60
LOGS = ["arguments.fdr", "arguments.basic", "threads.fdr", "recursion.basic", "exceptions.fdr"]


def run(trawl, *words, status=0):
    done = quick.run([trawl, *words], timeout=TIMEOUT_S)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def table(trawl, *words):
    return list(csv.DictReader(io.StringIO(run(trawl, *words).stdout.decode())))


def calls_of(trawl, log, image):
    """What a condition can say of each call. A thread's own row is no call."""
    calls = []
    for row in table(trawl, "export", "--format", "csv", "--table", "calls", *image, log):
        if int(row["depth"]) == 0 or row["state"] == "no entry":
            continue
        arguments = [int(row[f"argument_{i}"], 16) if row[f"argument_{i}"] else None for i in range(1, 5)]
        calls.append({"time": int(row["entry_time"]), "lane": row["lane"], "function": row["function"], "depth": int(row["depth"]), "elapsed": int(row["ticks"]),
                      **{f"arg{i}": value for i, value in enumerate(arguments)}})
    return calls


def condition(rng, calls):
    """A condition, and a function that says whether it holds; None: it is unknown."""
    what = rng.choice(["arg0", "arg0", "elapsed", "depth", "time", "pc", "both", "either", "not"])
    if what in ("both", "either", "not"):
        (a, holds_a), (b, holds_b) = condition(rng, calls), condition(rng, calls)
        if what == "not":
            return f"!({a})", lambda call: None if holds_a(call) is None else not holds_a(call)

        def both(call):
            known = [holds_a(call), holds_b(call)]
            return False if False in known else None if None in known else True

        def either(call):
            known = [holds_a(call), holds_b(call)]
            return True if True in known else None if None in known else False

        return (f"({a}) && ({b})", both) if what == "both" else (f"({a}) || ({b})", either)
    like = rng.choice(calls)
    if what == "pc":
        return f"pc in {like['function']}", lambda call: call["function"] == like["function"]
    limit = like[what] if like[what] is not None else rng.randrange(100)
    sign, compare = rng.choice([("==", lambda a, b: a == b), (">", lambda a, b: a > b), ("<=", lambda a, b: a <= b), ("!=", lambda a, b: a != b)])
    return f"{what} {sign} {limit}", lambda call: None if call[what] is None else compare(call[what], limit)


@pytest.mark.parametrize("name", LOGS)
def test_conditions(checker, name):
    log, image = CORPUS / f"{name}.xray", CORPUS / f"{name.partition('.')[0]}.elf"
    image = ["--no-demangle", *(["--image", image] if image.exists() else [])]  # names with blanks and parentheses are no names of an expression
    calls = calls_of(checker.trawl, log, image)
    names = {call["function"] for call in calls if call["function"] and call["function"].replace("_", "a").isalnum()}
    rng = random.Random(name)
    for _ in range(60):
        text, holds = condition(rng, [call for call in calls if call["function"] in names] or calls)
        if "pc in #" in text or "pc in None" in text:
            continue
        wanted = sorted((call["time"], call["lane"], call["function"]) for call in calls if holds(call))
        found = [(int(row["time"]), row["lane"], row["function"]) for row in table(checker.trawl, "find", "--format", "csv", "--memory-index", *image, log, text)]
        checker.check("the calls at which it holds", sorted(found) == wanted, (name, text, found[:3], wanted[:3], len(found), len(wanted)))
        count = table(checker.trawl, "find", "--format", "csv", "--memory-index", "--count", *image, log, text)
        checker.check("how many", int(count[0]["points"]) == len(wanted), (name, text, count))
        for word, place in (("--first", 0), ("--last", -1)):
            one = [(int(row["time"]), row["lane"], row["function"]) for row in table(checker.trawl, "find", "--format", "csv", "--memory-index", word, *image, log, text)]
            checker.check(word, one == (found[place:][:1] if found else []), (name, text, one))


def test_pipe(checker):
    log = CORPUS / "arguments.fdr.xray"
    words = ["find", "--format", "csv", "--memory-index"]
    wanted = run(checker.trawl, *words, log, "arg0 > 0").stdout
    done = quick.run([checker.trawl, *words, "-", "arg0 > 0"], input=log.read_bytes(), timeout=TIMEOUT_S)
    checker.check("from a pipe", done.stdout == wanted and wanted.count(b"\n") > 1, done)


def test_refused(checker):
    log = CORPUS / "arguments.fdr.xray"
    for words, said in ((["x0 == 0"], b"'x0'"), (["changed(time)"], b""), (["pc in nothing"], b"nothing"), (["time > 0", "--next"], b"--at, --next"), (["time > 0", "--at", "end"], b"--at, --next")):
        done = quick.run([checker.trawl, "find", "--memory-index", log, *words], timeout=TIMEOUT_S)
        checker.check(" ".join(words), done.returncode in (1, 2) and said in done.stderr and not done.stdout, done)
