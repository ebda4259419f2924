"""What checks of a program have in common: they count, and say what was wrong."""

DETAIL_MAX = 600


class Checker:
    def __init__(self, trawl):
        self.trawl = trawl
        self.passed = self.failed = 0
        self.faults, self.skipped = [], set()

    def check(self, what, is_right, detail=""):
        self.passed += bool(is_right)
        self.failed += not is_right
        if not is_right:
            self.faults.append(f"FAILED {what}: {str(detail)[:DETAIL_MAX]}")
            print(self.faults[-1])

    def skip(self, what, reason):
        """Says that a part is skipped, once."""
        if what not in self.skipped:
            print(f"SKIPPED {what}: {reason}")
        self.skipped.add(what)

    def end(self):
        """Says the sum, and returns what the program is to end with."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def skip(suite, reason):
    """Says that a whole suite is skipped, and returns what the program is to end with."""
    print(f"SKIPPED {suite}: {reason}")
    print("0 passed, 0 failed, 1 skipped")
    return 0
