"""An index that is merged from the parts of shards is, byte for byte, the index of the whole trace: for any number of shards, any
division, and any order of merging; and parts that do not belong together are refused."""

import lzma
import os
import random
import re
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


def surveys_of(trawl, trace, place, count, *options):
    for old in place.glob("survey*"):
        old.unlink()
    surveys = [place / f"survey{number}" for number in range(1, count + 1)]
    for number, survey in enumerate(surveys, 1):
        run(trawl, "index", "-q", "--survey", "--shard", f"{number}/{count}", "--index", survey, *SEGMENTS, *options, trace)
    return surveys


def surveyed_parts(trawl, trace, place, count, *options):
    """Parts of shards that read only their pieces, and why some of them could not."""
    surveys_of(trawl, trace, place, count, *options)
    parts, reasons = [], set()
    for number in range(1, count + 1):
        parts.append(place / f"part{number}")
        words = ["--shard", f"{number}/{count}", "--after", place / "survey*", "--index", parts[-1], *SEGMENTS, *options]
        _, _, said = run(trawl, "index", *words, trace)
        reasons.update(line.partition("because ")[2] for line in said.splitlines() if "because" in line)
    return parts, reasons


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
    """Divided at any byte: inside lines, between an instruction and its effects, in continuations, host calls and exceptions."""
    trace = CORPUS / "traces" / name
    size = trace.stat().st_size
    wanted = whole(trawl, trace, quick_place)
    chance = random.Random(name)
    for _ in range(pick(4, 200)):
        cuts = sorted(chance.randrange(size + 2) for _ in range(chance.randrange(1, 5)))
        options = [word for cut in cuts for word in ("--cut", cut)] + ["--chunk-size", chance.choice(["100", "5000", "2M"])]
        parts, _ = parts_of(trawl, trace, quick_place, len(cuts) + 1, *options)
        equal(checker, f"cut at {cuts}", merged(trawl, parts, quick_place), wanted)


@pytest.mark.parametrize("name", STACKS)
def test_calls(trawl, checker, quick_place, name):
    """Calls that are open where the trace is divided: of tasks, in handlers, left by long jumps and tail calls; with an image and
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
    """A trace that ends anywhere, for example after SP was raised above calls that had not returned."""
    lines = (CORPUS / "traces" / "longjmp-a64.es.tarmac").read_bytes().splitlines(keepends=True)
    chance = random.Random(5)
    for end in sorted(chance.sample(range(len(lines) // 10, len(lines)), pick(24, 400))):
        trace = quick_place / "t"
        trace.write_bytes(b"".join(lines[:end]))
        parts, _ = parts_of(trawl, trace, quick_place, 1)
        equal(checker, f"the first {end} lines", merged(trawl, parts, quick_place), whole(trawl, trace, quick_place))


def test_long_vectors(trawl, checker, quick_place):
    """How far writes to v clear z depends on the widest z before, of each core, in whatever piece it was."""
    chance, text = random.Random(9), ""
    for time in range(1, 400):
        isa, encoding = ("A", "e1a00000") if chance.random() < 0.1 else ("O", "d503201f")
        core = f"{time} clk cpu{chance.randrange(2)}"
        text += f"{core} IT ({time}) 00008000:000000008000 {encoding} {isa} EL1h_s :   NOP\n"
        for _ in range(chance.randrange(4)):
            number, digits = chance.randrange(4), 32 * (1 + time // 100) if chance.random() < 0.05 else 0
            name = f"Z{number}" if digits else chance.choice(["V%d", "D%d", "S%d"]) % number
            digits = digits or {"V": 32, "D": 16, "S": 8}[name[0]]
            text += f"{core} R {name} {chance.randrange(16 ** digits):0{digits}x}\n"
    trace = quick_place / "t"
    trace.write_text(text)
    wanted = whole(trawl, trace, quick_place)
    for _ in range(pick(8, 100)):
        cuts = sorted(chance.randrange(len(text)) for _ in range(chance.choice([1, 2, 4])))
        options = [word for cut in cuts for word in ("--cut", cut)] + ["--chunk-size", chance.choice(["1", "100", "3000", "2M"])]
        equal(checker, f"cut at {cuts}", whole(trawl, trace, quick_place, "--threads", "3", *options[-2:]), wanted)
        parts, statuses = parts_of(trawl, trace, quick_place, len(cuts) + 1, *options)
        equal(checker, f"shards cut at {cuts}, {statuses}", merged(trawl, parts, quick_place), wanted)
        parts, reasons = surveyed_parts(trawl, trace, quick_place, len(cuts) + 1, *options)
        equal(checker, f"surveys cut at {cuts}, {reasons}", merged(trawl, parts, quick_place), wanted)


@pytest.mark.parametrize("name", [path.name for path in TRACES])
def test_surveys(trawl, checker, quick_place, name):
    """Shards that know the state before their pieces from surveys, with chunks of any size."""
    trace = CORPUS / "traces" / name
    wanted = whole(trawl, trace, quick_place)
    chance = random.Random(name)
    for _ in range(pick(1, 20)):
        cuts = sorted(chance.randrange(trace.stat().st_size) for _ in range(chance.choice([1, 2, 4])))
        options = [word for cut in cuts for word in ("--cut", cut)] + ["--chunk-size", chance.choice(["1000", "50000", "2M"])]
        parts, reasons = surveyed_parts(trawl, trace, quick_place, len(cuts) + 1, *options)
        equal(checker, f"cut at {cuts}", merged(trawl, parts, quick_place), wanted)
        known = {"its cores have two stack pointers", "times do not rise where a piece begins"}
        checker.check(f"cut at {cuts}: served", reasons <= known, reasons)


@pytest.mark.parametrize("name", STACKS)
def test_surveys_of_calls(trawl, checker, quick_place, name):
    trace = quick_place / "t"
    trace.write_bytes(lzma.decompress((CORPUS / "stacks" / f"{name}.tarmac.xz").read_bytes()))
    wanted = whole(trawl, trace, quick_place)
    parts, reasons = surveyed_parts(trawl, trace, quick_place, 4)
    equal(checker, f"{reasons}", merged(trawl, parts, quick_place), wanted)
    checker.check("served", reasons == ({"its cores have two stack pointers"} if "-m." in name else set()), reasons)


def test_surveys_of_noise(trawl, checker, quick_place):
    """Damaged lines, unknown words, cores that appear and disappear, times that go back, lines that begin anywhere."""
    chance = random.Random(11)
    for attempt in range(pick(20, 600)):
        lines = (CORPUS / "traces" / chance.choice([*HARD, "recursion-a64.es.tarmac"])).read_bytes().splitlines(keepends=True)
        start = chance.randrange(len(lines) - 400)
        lines = lines[start : start + 400]
        for _ in range(chance.choice([0, 3, 40])):
            at = chance.randrange(len(lines))
            lines[at] = chance.choice([b"", b"garbage\n", lines[at][:20] + b"\n", b"7 clk NEWS x\n", b"900000 ns IT (1) 00001000 e1a00000 A svc_s : nop\n",
                                       lines[chance.randrange(len(lines))], lines[at].replace(b" IT ", b" cpu1 IT ")])  # fmt: skip
        trace = quick_place / "t"
        trace.write_bytes(b"".join(lines))
        status, _, _ = run(trawl, "index", "-q", "--force-index", "--index", quick_place / "whole", *SEGMENTS, trace)
        if status not in (0, 3):
            continue
        count = chance.choice([2, 3, 6])
        parts, _ = surveyed_parts(trawl, trace, quick_place, count)
        equal(checker, f"attempt {attempt}", merged(trawl, parts, quick_place), (quick_place / "whole").read_bytes())


def test_text_before(trawl, checker, quick_place):
    """The text before a piece is not read: it may be anything, except in the pages of the fingerprint."""
    text = (CORPUS / "traces" / "sort-a64.it.tarmac").read_bytes()
    trace = quick_place / "t"
    trace.write_bytes(b"".join(re.sub(rb"(?m)^\d+", lambda found, k=k: b"%d" % (int(found[0]) + k * 10**9), text) for k in range(8)))
    size = trace.stat().st_size
    surveys_of(trawl, trace, quick_place, 4)

    def last(*words):
        run(trawl, "index", "-q", "--shard", "4/4", *words, "--index", quick_place / "p", *SEGMENTS, trace)
        return (quick_place / "p").read_bytes()

    wanted = last("--after", quick_place / "survey*")
    equal(checker, "by the text", last(), wanted)
    times = trace.stat()
    at = next(at for at in range(4096 * 20, size // 2, 4096) if all(abs(at - page * (size - 4096) // 63) > 8192 for page in range(64)))
    with trace.open("r+b") as file:
        file.seek(at)
        file.write(b"x" * 100)
    os.utime(trace, ns=(times.st_atime_ns, times.st_mtime_ns))
    equal(checker, "by surveys", last("--after", quick_place / "survey*"), wanted)
    checker.check("which was not read", last() != wanted)


def test_refused_surveys(trawl, checker, quick_place):
    trace = CORPUS / "traces" / "sort-a64.it.tarmac"
    other = CORPUS / "traces" / "sort-a64.es.tarmac"
    (quick_place / "other").mkdir()
    surveys = surveys_of(trawl, trace, quick_place, 4)
    foreign = surveys_of(trawl, other, quick_place / "other", 4)
    parts, _ = parts_of(trawl, trace, quick_place, 4)
    fewer = quick_place / "fewer"
    run(trawl, "index", "-q", "--survey", "--shard", "2/3", "--index", fewer, trace)
    changed = bytearray(surveys[1].read_bytes())
    changed[-300] ^= 1
    (quick_place / "changed").write_bytes(changed)
    whole(trawl, trace, quick_place)
    out, index = quick_place / "out", quick_place / "whole"
    for what, words, wanted in (
        ("missing", [surveys[0], surveys[2]], "the survey of piece 2 of 4 is missing"),
        ("doubled", [*surveys, surveys[1]], "is survey 2, like"),
        ("foreign", [surveys[0], foreign[1], surveys[2]], "made of another trace"),
        ("other count", [surveys[0], fewer, surveys[2]], "one of 3 surveys, not of 4"),
        ("a part", [surveys[0], parts[1], surveys[2]], "is a part of an index (for 'trawl merge'), not a survey"),
        ("an index", [surveys[0], index], "is an index of trawl, not a survey"),
        ("a trace", [trace], "is not a survey"),
        ("changed", [surveys[0], quick_place / "changed", surveys[2]], "damaged"),
        ("nothing", [quick_place / "none*"], "No such file"),
    ):
        status, _, said = run(trawl, "index", "--shard", "4/4", *(word for path in words for word in ("--after", path)), "--index", out, *SEGMENTS, trace)
        checker.check(what, status == 1 and wanted in said and said.count("\n") == 1, said)
        checker.check(f"{what}: nothing is left", not out.exists())
    checker.check("merged", "is a survey (for 'trawl index --shard K/N --after'), not a part of an index" in merged(trawl, [parts[0], surveys[1], *parts[2:]], quick_place))
    for words in (["--survey"], ["--after", surveys[0]], ["--survey", "--shard", "1/2"], ["--survey", "--shard", "2/2", "--after", surveys[0], "--index", out]):
        status, _, said = run(trawl, "index", *words, trace)
        checker.check(f"{words}", status == 2 and "help" in said, said)
    packed = quick_place / "t.gz"
    packed.write_bytes(FORMATS["gz"](trace.read_bytes()))
    status, _, said = run(trawl, "index", "--survey", "--shard", "2/2", "--cut", 1000, "--index", out, packed)
    checker.check("compressed", status == 1 and "cannot be surveyed" in said and said.count("\n") == 1, said)


def test_surveys_after_the_piece_do_not_matter(trawl, checker, quick_place):
    """Nobody reads them."""
    trace = CORPUS / "traces" / "sort-a64.it.tarmac"
    surveys = surveys_of(trawl, trace, quick_place, 4)
    parts, _ = parts_of(trawl, trace, quick_place, 4)
    (quick_place / "other").mkdir()
    foreign = surveys_of(trawl, CORPUS / "traces" / "sort-a64.es.tarmac", quick_place / "other", 4)
    changed = bytearray(surveys[2].read_bytes())
    changed[-300] ^= 1
    (quick_place / "changed").write_bytes(changed)
    out = quick_place / "out"
    for what, later in (("changed", quick_place / "changed"), ("of another trace", foreign[3]), ("twice", surveys[1])):
        after = [word for path in (later, surveys[0], later) for word in ("--after", path)]
        status, _, said = run(trawl, "index", "--shard", "2/4", *after, "--index", out, *SEGMENTS, trace)
        checker.check(f"{what}: {said}", status == 0 and not said)
        equal(checker, what, out.read_bytes(), parts[1].read_bytes())


def test_in_place_of_an_index(trawl, checker, quick_place):
    """What is given by a wrong option is named, with what to do, in one line."""
    trace, part, survey, theirs, text = (quick_place / name for name in ("t", "part", "survey", "theirs", "text"))
    trace.write_bytes((CORPUS / "traces" / "sort-a64.it.tarmac").read_bytes())
    run(trawl, "index", "-q", "--shard", "1/2", "--index", part, trace)
    run(trawl, "index", "-q", "--survey", "--shard", "1/2", "--index", survey, trace)
    run(trawl, "index", "-q", "--format", "ttu", "-o", theirs, trace)
    text.write_text("notes of mine\n")
    for file, what in (
        (part, "is only a part of an index ('trawl merge' joins the parts)"),
        (survey, "is a survey (for 'trawl index --shard K/N --after'), not an index of trawl"),
        (theirs, "is an index of the Tarmac Trace Utilities, not an index of trawl"),
        (text, "is not an index of trawl"),
    ):
        before = file.read_bytes()
        for words, end in (
            (["profile"], ", so it is not replaced"), (["profile", "--no-index"], ""), (["index"], ", so it is not replaced"),
            (["stack", "--at", "end"], ", so it is not replaced"), (["stack", "--at", "end", "--no-index"], ""), (["verify"], ""),
        ):  # fmt: skip
            status, _, said = run(trawl, *words, "--index", file, trace)
            checker.check(f"{words}: {said}", status == 1 and said == f"trawl: {file}: {what}{end}\n")
        checker.check(f"{file} stays", file.read_bytes() == before)
    for file, what in (
        (part, "is a part of an index, or a survey, of trawl; give the trace"),
        (survey, "is a part of an index, or a survey, of trawl; give the trace"),
        (theirs, "is an index of the Tarmac Trace Utilities; give the trace"),
    ):
        for command in ("profile", "index", "info", "doctor"):
            status, _, said = run(trawl, command, file)
            checker.check(f"{command}: {said}", status == 1 and f"{file}: {what} that it was made from\n" in said)
        status, _, said = run(trawl, "verify", file)
        checker.check(f"verify: {said}", status == 1 and said.count("\n") == 1 and "index" in said and "has no index" not in said)


def test_many(trawl, checker, quick_place):
    """More shards than segments: most of them contain nothing."""
    trace = CORPUS / "traces" / HARD[0]
    wanted = whole(trawl, trace, quick_place)
    parts, _ = parts_of(trawl, trace, quick_place, 100)
    equal(checker, "100 shards", merged(trawl, parts, quick_place), wanted)


def test_two_stacks(trawl, checker, quick_place):
    """For a core with two stack pointers, which one is active is passed on to the next shard."""
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
    """Names from images are stored; for compressed text, the places to divide must be given."""
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
    """Parts that do not make an index are named, and nothing is written."""
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
    index, text, theirs, pipe = (quick_place / name for name in ("whole", "text", "theirs", "pipe"))
    text.write_text("notes of mine\n")
    run(trawl, "index", "-q", "--format", "ttu", "-o", theirs, trace)
    os.mkfifo(pipe)
    for what, words, wanted in (
        ("missing", [parts[0], parts[1], parts[3]], "part 3 of 4 is missing"),
        ("several missing", [parts[3]], "3 of 4 parts are missing, the first is 1"),
        ("doubled", [*parts, parts[1]], "is part 2, like"),
        ("foreign", [parts[0], foreign[1], *parts[2:]], "built from another trace"),
        ("other options", [parts[0], big[1], *parts[2:]], "built with other options"),
        ("other count", [parts[0], fewer, *parts[2:]], "one of 3 parts"),
        ("cut elsewhere", [parts[0], moved, *parts[2:]], "cut at a different place"),
        ("an index", [parts[0], index], "is an index of trawl, not a part of an index"),
        ("an index of others", [parts[0], theirs], "is an index of the Tarmac Trace Utilities, not a part of an index"),
        ("text", [text], "is not a part of an index"),
        ("nothing there", [quick_place / "none"], "No such file"),
        ("a directory", [quick_place], f"{quick_place}: is not a part of an index"),
        ("a pipe", [parts[0], pipe], "is not a part of an index"),
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
    """Any change of a part is detected, or has no effect: there is never another index, and never a crash."""
    trace = CORPUS / "traces" / "twocores-a64.it.tarmac"
    wanted = whole(trawl, trace, quick_place)
    parts, _ = parts_of(trawl, trace, quick_place, 2)
    sound = [part.read_bytes() for part in parts]
    chance = random.Random(7)
    for attempt in range(pick(40, 4000)):
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
    checker.check("the same twice", ", like " in merged(trawl, parts, quick_place))
