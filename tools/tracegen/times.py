"""Traces with strange times: huge, fractional, missing, without a space before the unit, backwards."""

from lines import LineWriter, Style
from sample import Trace, from_lines


def make_times(rng):
    """A few instructions and registers with times of every spelling."""
    writer = LineWriter(rng, Style(rng))
    writer.style.indent = ""
    lines = []
    value = rng.pick([0, 5, 10**6, 2**32 - 3, 2**53, 2**63 - 2])
    address = 0x8000
    for _ in range(rng.between(3, 40)):
        value = max(0, value + rng.pick([0, 0, 1, 1, 3, 10**6, -1, -50]))
        stamp = rng.pick(SPELLINGS)(rng, value)
        address = address + 4 if rng.chance(80) else 0x8000 + 4 * rng.below(32)
        text = writer.instruction_text(address, "A", rng.chance(95), rng.hex(8), "NOP")
        if rng.chance(40):
            text = rng.pick(["R r14 %08x" % (address + 4), "R r13 00001000", "P x", "E", "Tarmac",
                             "R psp 1", "MR4 1000 00000000"])
        lines.append(stamp + rng.pick(["", "", "cpu0 ", "cpu "]) + text)
    return Trace(from_lines(lines), "times", tags={"times"})


def plain(rng, value):
    """A decimal number and perhaps a unit."""
    return "%d %s" % (value, rng.pick(["", "clk ", "ns ", "us ", "tic ", "ps "]))


def padded(rng, value):
    """A decimal number with leading zeros."""
    return "%024d%s" % (value, rng.pick([" ", " clk ", "ns ", "cyc "]))


def glued(rng, value):
    """A number with its unit directly after it."""
    return "%d%s " % (value, rng.pick(["clk", "ns", "cs", "cyc", "tic", "ps", "us"]))


def fraction(rng, value):
    """A number with a decimal point and more or fewer than six decimals."""
    value %= 10**18
    shape = rng.pick(["%d.%06d", "%d.%06d", "%d.%06d4999", "%d.%06d5", "%d.%06d.7"])
    return shape % (value // 10**6, value % 10**6) + rng.pick([" ", "us ", " ns "])


def short_fraction(rng, value):
    """Fractions with no digits on one side of the point."""
    return rng.pick(["%d. " % (value % 10**9), ".%d " % (value % 10**9),
                     "%d..5 " % (value % 10**9), "%d.5us " % (value % 10**9)])


def missing(rng, value):
    """No time at all."""
    return rng.pick(["", " ", "\t"])


SPELLINGS = [plain, plain, plain, padded, glued, fraction, short_fraction, missing]
