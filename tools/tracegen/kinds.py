"""The kinds of traces, how often each is made, and the trace of a seed."""

from chaos import make_chaos
from damage import (make_crash, make_error, make_headers, make_mutated, make_tiny, make_truncated,
                    make_warnings)
from images import make_image
from noise import noise_lines
from lines import LineWriter
from prng import Rng
from program import make_program
from quirks import SCENARIOS, make_quirk
from state import make_state
from times import make_times
from sample import Trace, from_lines


def make_noise(rng):
    """Mostly lines that are not instructions."""
    writer = LineWriter(rng)
    trace = Trace(b"", "noise")
    for _ in range(rng.between(1, 60)):
        noise_lines(rng, writer, trace.tags)
        if rng.chance(20):
            writer.time += rng.below(3)
            writer.instruction(0x8000 + 4 * rng.below(16), rng.pick(["A", "T", "O"]))
    trace.data = from_lines(writer.lines)
    trace.functions = [(0x8000, "A"), (0x8020, "O")]
    return trace


def make_large(rng):
    """A program or a random walk of a few thousand lines, sometimes with an error near the end."""
    maker = rng.pick([make_program, make_chaos])
    trace = maker(rng, rng.between(1500, 6000))
    trace.kind = "large"
    if rng.chance(30):
        trace.data = trace.data.replace(b"\n", b"\r\n")
    if rng.chance(20):
        trace.data += b"IT (" + rng.pick([b"", b"\n"])
    return trace


KINDS = {
    "program": (make_program, 30),
    "chaos": (make_chaos, 25),
    "noise": (make_noise, 6),
    "error": (make_error, 10),
    "headers": (make_headers, 8),
    "warnings": (make_warnings, 3),
    "mutated": (make_mutated, 12),
    "truncated": (make_truncated, 4),
    "times": (make_times, 6),
    "tiny": (make_tiny, 2),
    "quirk": (make_quirk, 8),
    "large": (make_large, 1),
    "crash": (make_crash, 0),
    "state": (make_state, 0),
}


def make_trace(seed, kind=None, allow_x=False):
    """Return the trace of a seed; without a kind, of a random one."""
    rng = Rng(seed)
    pairs = [(name, weight) for name, (_, weight) in KINDS.items()]
    if allow_x:
        pairs.append(("crash", 10))
    drawn = rng.pick_weighted(pairs)
    trace = KINDS[kind or drawn][0](rng.fork())
    if trace.image is None and rng.chance(50):
        trace.image, trace.names = make_image(rng.fork(), trace.functions)
    return trace


def make_scenario(name):
    """Return the trace of one named quirk."""
    return make_quirk(Rng(1), name)


def scenario_names():
    """Return the names of all quirks."""
    return sorted(SCENARIOS)
