"""A small random number generator whose sequence does not depend on the version of Python."""

MASK = (1 << 64) - 1


class Rng:
    """SplitMix64 with the few drawing methods that the makers need."""

    def __init__(self, seed):
        self.state = (seed * 0x9E3779B97F4A7C15 + 0x1234567) & MASK

    def u64(self):
        """Return the next 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, limit):
        """Return a number from 0 to limit - 1."""
        return self.u64() % limit

    def between(self, low, high):
        """Return a number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent):
        """Return true in `percent` of a hundred cases."""
        return self.below(100) < percent

    def pick(self, items):
        """Return one of the items."""
        return items[self.below(len(items))]

    def pick_weighted(self, pairs):
        """Return one item out of (item, weight) pairs."""
        point = self.below(sum(weight for _, weight in pairs))
        for item, weight in pairs:
            if point < weight:
                return item
            point -= weight
        raise AssertionError("weights do not add up")

    def hex(self, digits):
        """Return `digits` random hex digits."""
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(digits))

    def fork(self):
        """Return an independent generator seeded from this one."""
        return Rng(self.u64())
