"""Memory that something else than the stores of the trace changes: devices, DMA, other masters, debuggers.

    tests/run.py outside

Random small traces load and store a few words, while something outside changes bytes of some of them. A model of single bytes knows what
the trace shows: from a load that shows another value on, memory is what it showed; since the byte was touched last, it is unknown; before
the first access to it a load counts, unless the place is known to be changed from outside. `writes` lists these changes and between which
events they were. With several segments, changes between the last access in one and the first in another are found as well; there, only the
accesses that an index keeps limit how long the old value is known to have lasted.
"""

import csv
import io
import random
import re

import pytest
import quick

TIMEOUT_S = 60
SEEDS = 200
BASE, BYTES = 0x40001000, 32
OUTSIDE = re.compile(r"changed from outside, between (\d+) and (\d+)")


class Trace:
    """Lines, and for each byte the accesses that touched it: (event, is a load, value, whether it was changed from outside before)."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.lines, self.events = [], chance.randrange(5, 60)
        self.touched = [[] for _ in range(BYTES)]
        memory = [chance.randrange(256) for _ in range(BYTES)]
        devices = [chance.random() < 0.4 for _ in range(BYTES // 4) for _ in range(4)]
        for event in range(self.events):
            time = event + 1
            self.lines.append("%d clk IT (%d) %08x d503201f O EL1h_n : NOP" % (time, time, 0x8000 + 4 * event))
            for at in range(BYTES):
                if devices[at] and chance.random() < 0.1:
                    memory[at] = chance.randrange(256)
            for _ in range(chance.choice([0, 1, 1, 2])):
                size = chance.choice([1, 2, 4, 8])
                at = chance.randrange(BYTES // size) * size
                is_load = chance.random() < 0.6
                if not is_load:
                    memory[at : at + size] = [chance.randrange(256) for _ in range(size)]
                digits = "".join("%02x" % byte for byte in reversed(memory[at : at + size]))
                self.lines.append("%d clk M%s%d %08x %s" % (time, "WR"[is_load], size, BASE + at, digits))
                for byte in range(at, at + size):
                    seen = self.touched[byte]
                    changed = is_load and bool(seen) and seen[-1][2] != memory[byte]
                    seen.append((event, is_load, memory[byte], changed))

    def text(self):
        return "\n".join(self.lines) + "\n"

    def value(self, byte, event):
        """What the byte was after an event; None: unknown."""
        seen = self.touched[byte]
        before = [access for access in seen if access[0] <= event]
        after = [access for access in seen if access[0] > event]
        if before:
            is_lost = after and after[0][3] and before[-1][0] < event
            return None if is_lost else before[-1][2]
        is_device = any(changed for *_, changed in seen)
        return after[0][2] if after and after[0][1] and not is_device else None

    def changes(self):
        """{event: (the last event before it at which a byte had the earlier value, first byte, bytes)}"""
        found = {}
        for byte, seen in enumerate(self.touched):
            for before, access in zip(seen, seen[1:]):
                if access[3]:
                    found.setdefault(access[0], []).append((before[0] if before[0] < access[0] else max(access[0] - 1, 0), byte))
        return {event: (min(since for since, _ in all), min(at for _, at in all), max(at for _, at in all))
                for event, all in found.items()}  # fmt: skip


def index(trawl, place, *words):
    quick.run([trawl, "index", "-q", "--force-index", *words, "t"], cwd=place, timeout=TIMEOUT_S)


def listed(trawl, place):
    """The changes from outside that `writes` lists, as in Trace.changes."""
    words = ["writes", "--format", "csv", "--index=x", "t", "%#x:%d" % (BASE, BYTES), "--all"]
    rows = csv.DictReader(io.StringIO(quick.run([trawl, *words], cwd=place, timeout=TIMEOUT_S).stdout.decode()))
    found = {}
    for row in rows:
        change = OUTSIDE.fullmatch(row["kind"])
        if change:
            assert change[2] == row["event"]
            first = int(row["address"], 16) - BASE
            found[int(row["event"])] = int(change[1]), first, first + int(row["size"]) - 1
    return found


@pytest.mark.parametrize("part", range(4))
def test_outside(trawl, library, checker, quick_place, part):
    for seed in range(part, SEEDS, 4):
        trace = Trace(seed)
        (quick_place / "t").write_text(trace.text())
        index(trawl, quick_place, "--index=x")
        wrong = []
        with library.open(quick_place / "x") as opened:
            for event in range(trace.events):
                values, known = opened.memory(event, BASE, BYTES)
                found = [value if is_known else None for value, is_known in zip(values, known)]
                wrong += ["event %d, byte %d: %s, not %s" % (event, at, got, trace.value(at, event))
                          for at, got in enumerate(found) if got != trace.value(at, event)]  # fmt: skip
        checker.check("seed %d" % seed, not wrong, "; ".join(wrong[:3]))
        stores = {access[0] for seen in trace.touched for access in seen if not access[1]}
        wanted = {event: change for event, change in trace.changes().items() if event not in stores}
        got = {event: change for event, change in listed(trawl, quick_place).items() if event not in stores}
        checker.check("seed %d: writes" % seed, got == wanted, "%s, not %s" % (got, wanted))
        check_segments(trawl, library, checker, quick_place, seed, trace)


def check_segments(trawl, library, checker, place, seed, trace):
    """With many segments, nothing is wrong, and what was just stored is known."""
    index(trawl, place, "--index=s", "--segment-events=8")
    wrong = []
    with library.open(place / "s") as opened:
        for event in range(trace.events):
            values, known = opened.memory(event, BASE, BYTES)
            for at, (value, is_known) in enumerate(zip(values, known)):
                wanted = trace.value(at, event)
                touched = any(access[0] == event and (access[3] or not access[1]) for access in trace.touched[at])
                is_device = any(changed for *_, changed in trace.touched[at])
                is_first = not any(access[0] <= event for access in trace.touched[at])
                if (is_known and value != wanted and not (is_first and is_device)) or (
                        not is_known and wanted is not None and (touched or not is_device)):  # fmt: skip
                    wrong.append("event %d, byte %d: %s, not %s" % (event, at, is_known and value, wanted))
    checker.check("seed %d: in segments" % seed, not wrong, "; ".join(wrong[:3]))
