"""Counts the checks of a test, and reports failures."""

from contextlib import contextmanager

SHOWN_MAX = 400  # of the result and of the expected one
DETAIL_MAX = 2 * SHOWN_MAX + 20


class Checker:
    def __init__(self, trawl):
        self.trawl = trawl
        self.passed = self.failed = 0
        self.faults, self.skipped, self.told = [], {}, []

    def check(self, what, is_right, detail=""):
        self.passed += bool(is_right)
        self.failed += not is_right
        if not is_right:
            self.faults.append(f"FAILED {what}: {str(detail)[:DETAIL_MAX]}")
            print(self.faults[-1])

    def expect(self, what, found, wanted):
        self.check(what, found == wanted, f"{str(found)[:SHOWN_MAX]}, not {str(wanted)[:SHOWN_MAX]}")

    def no_fault(self, what, fault):
        """Checks that a fault, or its description, is empty."""
        self.check(what, not fault, fault)

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
