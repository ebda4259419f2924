"""Counts the claims of a test, and reports failures.

A claim is what is said of the program, such as "registers of hash-a64": it holds if each of the comparisons made for it does, be it one or
a hundred thousand. Counting comparisons would say which test loops most, not which guards most."""

from contextlib import contextmanager

SHOWN_MAX = 400  # of the result and of the expected one
DETAIL_MAX = 2 * SHOWN_MAX + 20


class Checker:
    def __init__(self, trawl):
        self.trawl = trawl
        self.claims = {}  # whether each holds so far
        self.faults, self.skipped, self.told = [], {}, []

    def check(self, what, is_right, detail="", at=None):
        """Compares once for a claim; `at`: the case, which is shown if it fails."""
        self.claims[what] = self.claims.get(what, True) and bool(is_right)
        if not is_right:
            self.faults.append(f"FAILED {what}{'' if at is None else f' at {at}'}: {str(detail)[:DETAIL_MAX]}")
            print(self.faults[-1])

    @property
    def passed(self):
        return sum(self.claims.values())

    @property
    def failed(self):
        return len(self.claims) - self.passed

    def expect(self, what, found, wanted, at=None):
        self.check(what, found == wanted, f"{str(found)[:SHOWN_MAX]}, not {str(wanted)[:SHOWN_MAX]}", at)

    def no_fault(self, what, fault, at=None):
        """Checks that a fault, or its description, is empty."""
        self.check(what, not fault, fault, at)

    @contextmanager
    def attempt(self, what):
        """Checks that the body of the `with` raises nothing."""
        try:
            yield
        except Exception as fault:  # noqa: BLE001
            self.check(what, False, repr(fault))
        else:
            self.check(what, True)

    def skip(self, what, reason):
        """Reports once that a part is skipped."""
        self.skipped.setdefault(what, f"SKIPPED {what}: {reason}")

    def tell(self, line):
        """Prints information after all tests."""
        self.told.append(line)
