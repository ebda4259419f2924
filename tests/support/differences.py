"""Compares runs of the same command."""

import itertools
import re

ADDRESS = re.compile(rb"(?:IT|IS|IF|ES) (?:\(\d+\) )?\(?([0-9A-Fa-f]{1,15}) ")


def questions(data, exceptions=True):
    """Addresses for callinfo: some of the trace, and the exceptions."""
    found = list(dict.fromkeys(match.group(1) for match in ADDRESS.finditer(data)))
    asked = ["0x" + address.decode() for address in found[:: max(1, len(found) // 4)]]
    return asked + (["0x6"] if exceptions else []) + ["0x1000"]


def first_difference(expected, found):
    """The first difference in words, for (status, standard output, standard error)."""
    for what, a, b in zip(("status", "stdout", "stderr"), expected, found):
        if a == b:
            continue
        if what == "status":
            return "status %s, expected %s" % (b, a)
        for number, (x, y) in enumerate(itertools.zip_longest(a.split(b"\n"), b.split(b"\n")), 1):
            if x != y:
                return "%s line %d: %r, expected %r" % (what, number, (y or b"")[:200], (x or b"")[:200])
    return "?"
