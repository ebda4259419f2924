"""`trawl origin --all` on traces of the corpus against a slicer over their text, which takes what instructions do from the disassembly (support/text_slicer.py).

    tests/run.py text_slices                every trace of the corpus, some values
    tests/run.py text_slices --thorough     many values

The corpus has both main dialects and gem5's, A64, A32, T32, floating point and vectors, big-endian data, two cores, exceptions, exclusive accesses,
semihosting, and accesses over the ends of words and lines.
"""

import csv
import io
import random
from pathlib import Path

import extent
import pytest
import quick
from text_slicer import Reader

TRACES = Path(__file__).resolve().parents[2] / "corpus" / "traces"
SIZES = {"x": 8, "r": 4, "v": 16, "d": 8}
WRITTEN = {"x": "x%d", "r": "r%d", "v": "q%d", "d": "d%d"}
DUAL = ("sort-a64.es", "fp-a32.es", "recursion-t32.es", "exceptions-a64.gem5", "twocores-a64.gem5", "exceptions-a64.it", "semihosting-a32be.it")


def ask(trawl, name, command, register, line, *words):
    ends = ["--bi"] if "be." in name else []
    words = [trawl, command, "-q", "--memory-index", *ends, TRACES / f"{name}.tarmac", register, "--at", f"line:{line}", *words, "--format", "csv"]
    done = quick.run(words)
    assert done.returncode in (0, 3), (words, done.stderr[-400:])  # 3: the trace is cut
    return frozenset(int(row["line"]) for row in csv.DictReader(io.StringIO(done.stdout.decode())) if row["event"])


def read(name):
    return Reader((TRACES / f"{name}.tarmac").read_text(), "be." in name)


@pytest.mark.parametrize("name", sorted(path.stem for path in TRACES.glob("*.tarmac")))
def test_slices(trawl, checker, name):
    reader, chance = read(name), random.Random(name)
    first = reader.events[0].line  # what lines before the first instruction say of registers has an event, too
    for _ in range(extent.pick(6, 60)):
        made = []
        while not made:
            number = chance.randrange(20, len(reader.events) - 3)  # the last may be cut
            event = reader.events[number]
            made = sorted({place[:3] for place in event.flows if len(place) == 4 and place[1] in SIZES})
        place, has_addresses = chance.choice(made), chance.random() < 0.3
        register = WRITTEN[place[1]] % place[2]
        wanted = reader.slice_of(number, [(*place, i) for i in range(SIZES[place[1]])], has_addresses)
        found = ask(trawl, name, "origin", register, event.line, "--addresses" if has_addresses else "--all")
        wanted, found = (frozenset(line for line in lines if line >= first) for lines in (wanted, found))
        wrong = found != wanted and f"lacks {sorted(wanted - found)[-5:]}, has {sorted(found - wanted)[-5:]}"
        checker.no_fault(f"slices of {name}", wrong, at=f"{register} at line {event.line}, addresses {has_addresses}")


@pytest.mark.parametrize("name", DUAL)
def test_duality(trawl, checker, name):
    """An event is in the slice of another exactly if it reaches that one: 20 by 10 pairs of a trace."""
    reader, chance = read(name), random.Random(name)
    single = [(event.line, WRITTEN[place[1]] % place[2]) for event in reader.events[20:] if (place := reader.made_one(event))]
    starts, targets = chance.sample(single, 20), chance.sample(single, 10)
    reached = [ask(trawl, name, "reaches", register, line) for line, register in starts]
    slices = [ask(trawl, name, "origin", register, line, "--all") for line, register in targets]
    for (start, _), forwards in zip(starts, reached):
        for (target, _), back in zip(targets, slices):
            if start < target:
                wrong = (target in forwards) != (start in back) and (target in forwards, start in back)
                checker.no_fault(f"duality in {name}", wrong, at=f"{start} and {target}")
