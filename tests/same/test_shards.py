"""An index that is merged of the parts of shards is, byte for byte, the one that is made of the whole trace: for any number
of shards, wherever they are cut, whatever the order of merging; and parts that do not belong together are refused."""

import lzma
import random
import shutil
from pathlib import Path

import pytest
import quick

from extent import pick
from packed import FORMATS

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TRACES = sorted((CORPUS / "traces").glob("*.tarmac"))
HARD = ["exceptions-a64.it.tarmac", "twocores-a64.it.tarmac", "semihosting-a64.es.tarmac", "corrupt-a64.it.tarmac"]
STACKS = ["rtos-a64.it", "rtos-a32.es", "rtos-m.it", "freertos-m.it", "coroutines-a64.it", "longjmp-t32.it", "siblings-O2-a64.it"]
SEGMENTS = ["--segment-events", "64"]
TIMEOUT_S = 120


def run(trawl, *words, cwd=None):
    done = quick.run([trawl, *map(str, words)], cwd=cwd, timeout=TIMEOUT_S)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def whole(trawl, trace, place, *options):
    run(trawl, "index", "-q", "--force-index", "--index", place / "whole", *SEGMENTS, *options, trace)
    return (place / "whole").read_bytes()


def parts_of(trawl, trace, place, count, *options):
    parts = [place / f"part{number}" for number in range(1, count + 1)]
    statuses = {run(trawl, "index", "-q", "--shard", f"{number}/{count}", "--index", part, *SEGMENTS, *options, trace)[0]
                for number, part in enumerate(parts, 1)}  # fmt: skip
    return parts, statuses


def merged(trawl, parts, place):
    (place / "merged").unlink(missing_ok=True)
    status, _, said = run(trawl, "merge", *parts, "-o", place / "merged")
    return (place / "merged").read_bytes() if status == 0 else said


def equal(checker, what, found, wanted):
    detail = found if isinstance(found, str) else "other bytes"
    checker.check(what, found == wanted and len(wanted) > 512, detail)


@pytest.mark.parametrize("name", [path.name for path in TRACES])
def test_corpus(trawl, checker, quick_place, name):
    """Each trace in a few pieces, named in any order."""
    trace = CORPUS / "traces" / name
    wanted = whole(trawl, trace, quick_place)
    chance = random.Random(name)
    for count in pick([chance.choice([2, 3, 5, 8])], [1, 2, 3, 5, 8, 100]):
        parts, statuses = parts_of(trawl, trace, quick_place, count, "--threads", chance.choice("123"))
        chance.shuffle(parts)
        equal(checker, f"{count} shards, {statuses}", merged(trawl, parts, quick_place), wanted)


@pytest.mark.parametrize("name", HARD)
def test_cuts(trawl, checker, quick_place, name):
    """Cut at any byte: within lines, between an instruction and what it did, in continuations, host calls, exceptions."""
    trace = CORPUS / "traces" / name
    size = trace.stat().st_size
    wanted = whole(trawl, trace, quick_place)
    chance = random.Random(name)
    for _ in range(pick(6, 200)):
        cuts = sorted(chance.randrange(size + 2) for _ in range(chance.randrange(1, 5)))
        options = [word for cut in cuts for word in ("--cut", cut)] + ["--chunk-size", chance.choice(["100", "5000", "2M"])]
        parts, _ = parts_of(trawl, trace, quick_place, len(cuts) + 1, *options)
        equal(checker, f"cut at {cuts}", merged(trawl, parts, quick_place), wanted)


@pytest.mark.parametrize("name", STACKS)
def test_calls(trawl, checker, quick_place, name):
    """Calls that are open where the trace is cut: of tasks, in handlers, left by long jumps and tail calls; with an image and
    without."""
    trace = quick_place / "t"
    trace.write_bytes(lzma.decompress((CORPUS / "stacks" / f"{name}.tarmac.xz").read_bytes()))
    elf = CORPUS / "stacks" / f"{name.split('.')[0]}.elf"
    chance = random.Random(name)
    for image in [[], ["--image", elf]] if elf.exists() else [[]]:
        options = [*image, "--segment-events", chance.choice(["100", "10000"])]
        wanted = whole(trawl, trace, quick_place, *options)
        for count in pick([chance.choice([2, 5])], [2, 3, 5, 20]):
            cuts = sorted(chance.randrange(trace.stat().st_size) for _ in range(count - 1))
            words = [*options, *(word for cut in cuts for word in ("--cut", cut)), "--chunk-size", chance.choice(["3000", "2M"])]
            parts, statuses = parts_of(trawl, trace, quick_place, count, *words)
            equal(checker, f"{image} cut at {cuts}, {statuses}", merged(trawl, parts, quick_place), wanted)


def test_ends(trawl, checker, quick_place):
    """A trace that ends anywhere, as after the stack pointer was raised above calls that had not returned."""
    lines = (CORPUS / "traces" / "longjmp-a64.es.tarmac").read_bytes().splitlines(keepends=True)
    chance = random.Random(5)
    for end in sorted(chance.sample(range(len(lines) // 10, len(lines)), pick(40, 400))):
        trace = quick_place / "t"
        trace.write_bytes(b"".join(lines[:end]))
        parts, _ = parts_of(trawl, trace, quick_place, 1)
        equal(checker, f"the first {end} lines", merged(trawl, parts, quick_place), whole(trawl, trace, quick_place))


def test_many(trawl, checker, quick_place):
    """More shards than segments: most of them have nothing."""
    trace = CORPUS / "traces" / HARD[0]
    wanted = whole(trawl, trace, quick_place)
    parts, _ = parts_of(trawl, trace, quick_place, 100)
    equal(checker, "100 shards", merged(trawl, parts, quick_place), wanted)


def test_two_stacks(trawl, checker, quick_place):
    """Which stack pointer is in use crosses the cuts of a core that has two."""
    for trace in sorted((CORPUS.parent / "tests" / "dialects").glob("*.dialect")):
        text = quick_place / "t"
        text.write_bytes(trace.read_bytes().split(b"--- trace\n", 1)[1] * 3)
        options = ["--segment-events", "3"]
        status, _, _ = run(trawl, "index", "-q", "--force-index", "--index", quick_place / "whole", *options, text)
        if status not in (0, 3):
            continue
        parts, _ = parts_of(trawl, text, quick_place, 4, *options)
        equal(checker, trace.stem, merged(trawl, parts, quick_place), (quick_place / "whole").read_bytes())


def test_names_and_packed(trawl, checker, quick_place):
    """Names of images are kept; of compressed text where it is cut has to be said."""
    trace = CORPUS / "traces" / "sort-a64.it.tarmac"
    image = ["--image", CORPUS / "elf" / "sort-a64.elf"]
    wanted = whole(trawl, trace, quick_place, *image)
    parts, _ = parts_of(trawl, trace, quick_place, 3, *image)
    equal(checker, "with names", merged(trawl, parts, quick_place), wanted)
    checker.check("the index is used", run(trawl, "verify", trace, "--index", quick_place / "merged")[0] == 0)
    for kind, pack in FORMATS.items():
        if not pack:
            continue
        packed = quick_place / f"t.{kind}"
        packed.write_bytes(pack(trace.read_bytes()))
        wanted = whole(trawl, packed, quick_place)
        parts, _ = parts_of(trawl, packed, quick_place, 3, "--cut", 1000, "--cut", 100_000)
        equal(checker, f"{kind}", merged(trawl, parts, quick_place), wanted)
        status, _, said = run(trawl, "index", "--shard", "1/2", "--index", quick_place / "p", packed)
        checker.check(f"{kind} without cuts", status == 1 and "--cut" in said, said)


def test_refused(trawl, checker, quick_place):
    """What does not make one index is named, and nothing is written."""
    trace = CORPUS / "traces" / "sort-a64.it.tarmac"
    other = CORPUS / "traces" / "sort-a64.es.tarmac"
    (quick_place / "other").mkdir()
    (quick_place / "bytes").mkdir()
    parts, _ = parts_of(trawl, trace, quick_place, 4)
    foreign, _ = parts_of(trawl, other, quick_place / "other", 4)
    big, _ = parts_of(trawl, trace, quick_place / "bytes", 4, "--bi")
    fewer = quick_place / "fewer"
    run(trawl, "index", "-q", "--shard", "2/3", "--index", fewer, *SEGMENTS, trace)
    moved = quick_place / "moved"
    run(trawl, "index", "-q", "--shard", "2/4", "--cut", 5, "--cut", 6, "--cut", 7, "--index", moved, *SEGMENTS, trace)
    whole(trawl, trace, quick_place)
    index, text = quick_place / "whole", quick_place / "text"
    text.write_text("notes of mine\n")
    for what, words, wanted in (
        ("missing", [parts[0], parts[1], parts[3]], "part 3 of 4 is missing"),
        ("several missing", [parts[3]], "3 of 4 parts are missing, the first is 1"),
        ("doubled", [*parts, parts[1]], "part 2 again"),
        ("foreign", [parts[0], foreign[1], *parts[2:]], "built from another trace"),
        ("other options", [parts[0], big[1], *parts[2:]], "built with other options"),
        ("other count", [parts[0], fewer, *parts[2:]], "one of 3 parts"),
        ("cut elsewhere", [parts[0], moved, *parts[2:]], "cut elsewhere"),
        ("an index", [parts[0], index], "not a part of an index"),
        ("text", [text], "not a part of an index"),
        ("nothing there", [quick_place / "none"], "No such file"),
        ("a directory", [quick_place], str(quick_place)),
    ):
        said = merged(trawl, words, quick_place)
        checker.check(what, isinstance(said, str) and wanted in said and said.count("\n") == 1, said)
        checker.check(f"{what}: nothing is left", not (quick_place / "merged").exists())
    for words in (["merge", *parts, "-o", text], ["index", "--shard", "1/2", "--index", text, trace],
                  ["index", "--shard", "1/2", "--index", index, trace], ["merge", *parts, "-o", parts[0]]):  # fmt: skip
        status, _, said = run(trawl, *words)
        checker.check("stays", status == 1 and "leaving it alone" in said, said)
    for words in (["--shard", "1/2"], ["--shard", "0/2"], ["--shard", "3/2"], ["--shard", "1"], ["--shard", "x/2"], ["--shard", "-1/2"],
                  ["--shard", "1/2", "--follow"], ["--cut", "5"], ["--shard", "1/2", "--cut", "5", "--cut", "6"],
                  ["--shard", "1/3", "--cut", "5", "--cut", "4"], ["--shard", "1/99999999"]):  # fmt: skip
        status, _, said = run(trawl, "index", *words, *(["--index", quick_place / "p"] if len(words) > 2 else []), trace)
        checker.check(f"{words}", status == 2 and "help" in said, said)
    for trace in (CORPUS / "xray" / "fiboni.fdr.xray", CORPUS / "tfile" / "work.tf"):
        found = trace if trace.exists() else next(trace.parent.glob(f"*{trace.suffix}"))
        status, _, said = run(trawl, "index", "--shard", "1/2", "--index", quick_place / "p", found)
        checker.check(f"{found.name}", status == 1 and "cannot be cut into shards" in said, said)


def test_damaged(trawl, checker, quick_place):
    """Whatever is done to a part is noticed, or does not matter: never another index, never a crash."""
    trace = CORPUS / "traces" / "twocores-a64.it.tarmac"
    wanted = whole(trawl, trace, quick_place)
    parts, _ = parts_of(trawl, trace, quick_place, 2)
    sound = [part.read_bytes() for part in parts]
    chance = random.Random(7)
    for attempt in range(pick(60, 4000)):
        which = attempt % 2
        data = bytearray(sound[which])
        if attempt % 5 == 0:
            del data[chance.randrange(len(data)) :]
        else:
            for _ in range(chance.choice([1, 1, 3])):
                at = chance.choice([chance.randrange(len(data)), chance.randrange(512), len(data) - 1 - chance.randrange(600)])
                data[at] ^= 1 << chance.randrange(8)
        parts[which].write_bytes(data)
        found = merged(trawl, parts, quick_place)
        is_noticed = isinstance(found, str) and str(parts[which]) in found and found.count("\n") == 1
        checker.check(f"damage {attempt}", is_noticed or found == wanted, found if isinstance(found, str) else "other bytes")
        parts[which].write_bytes(sound[which])
    shutil.copy(parts[0], parts[1])
    checker.check("the same twice", "again" in merged(trawl, parts, quick_place))
