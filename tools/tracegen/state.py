"""Traces for testing state: overlapping registers, stores, loads of unknown memory, calls to the host."""

from sample import Trace, from_lines

# Few addresses, so that accesses overlap: words, the edge of a page, and the end of the address space without
# its last byte, at which the reference crashes or hangs.
BASES = (0x1000, 0x1000, 0x1ff8, 0x40fff8, 0xffffffffffffffd8)
SPREAD = 40
PARAMETERS = 0x3000  # for calls to the host; nothing else writes there, so that the parameters are valid
HOST_CALLS = {"A": ("ef123456", "e10f0070"), "T": ("beab", "dfab", "babc"), "O": ("d45e0000",)}
NOPS = {"A": "e1a00000", "T": "bf00", "O": "d503201f"}
OPERATIONS = (0x06, 0x0d, 0x15, 0x16, 0x30)
NUMBERED = (("r", 16, 4), ("w", 31, 4), ("x", 31, 8), ("s", 32, 4), ("d", 32, 8), ("v", 32, 16), ("q", 32, 16),
            ("p", 32, 16), ("z", 32, 32), ("E", 40, 8))
SINGLE = (("wsp", 4), ("xsp", 8), ("psr", 4), ("fpscr", 4), ("fpsr", 4), ("vpr", 4), ("cpsr", 4), ("lr", 4),
          ("msp", 4), ("pc", 8), ("elsewhere", 8))


class StateWriter:
    """Lines of a trace, and its current instruction set."""

    def __init__(self, rng):
        self.rng = rng
        self.lines, self.time, self.state = [], 0, rng.pick("AATOOO")

    def line(self, text, says_time=80):
        """Add a line at the current time; `says_time` percent of lines have it, the others inherit it."""
        self.lines.append("%d clk %s" % (self.time, text) if self.rng.chance(says_time) else text)

    def address(self, size_bytes=8):
        """An address for an access of `size_bytes` bytes."""
        return min(self.rng.pick(BASES) + self.rng.below(SPREAD), 2**64 - 1 - size_bytes)

    def instruction(self, bits=None, says_time=80):
        """An instruction, sometimes of another set, sometimes not executed."""
        if self.rng.chance(6):
            self.state = self.rng.pick("ATO")
        bits = bits or NOPS[self.state]
        kind = "IS" if self.rng.chance(15) else "IT"
        self.line("%s (1) %08x %s %s mode : text" % (kind, 0x8000 + 4 * self.rng.below(24), bits, self.state),
                  says_time)

    def register(self):
        """A write to any register, of all or some of its bytes."""
        if self.rng.chance(70):
            prefix, count, size_bytes = self.rng.pick(NUMBERED)
            name = "%s%d" % (prefix, self.rng.below(min(count, 6)) if self.rng.chance(80) else self.rng.below(count))
        else:
            name, size_bytes = self.rng.pick(SINGLE)
        digits = self.rng.hex(2 * size_bytes)
        if self.rng.chance(15) and name not in ("cpsr", "pc"):
            digits = "".join("--" if self.rng.chance(40) else digits[i:i + 2] for i in range(0, len(digits), 2))
        elif self.rng.chance(10) and size_bytes >= 8 and name not in ("pc", "elsewhere"):
            return self.line("R %s<%d:%d> %s" % (name, 31, 16, digits[:4]))
        self.line("R %s %s" % (name, digits))

    def access(self):
        """A contiguous load or store, known or not."""
        size_bytes = self.rng.pick((1, 2, 4, 4, 8, 8))
        value = "x" * (2 * size_bytes) if self.rng.chance(20) else self.rng.hex(2 * size_bytes)
        suffix = self.rng.pick(("", "", "", "", "X", "C"))
        self.line("M%s%d%s %08x %s" % (self.rng.pick("RRW"), size_bytes, suffix, self.address(), value))

    def pair(self):
        """A load or store of 16 bytes."""
        self.line("M%s16 %08x %s %s" % (self.rng.pick("RW"), self.address(16), self.rng.hex(16), self.rng.hex(16)))

    def diagram(self):
        """An LD or ST diagram, in which some bytes are not accessed or not known."""
        shape = self.rng.pick((("..",), ("..", "known"), ("..", "##", "known"), ("known",)))
        pieces, kind = [], "known"
        for _ in range(16):
            kind = self.rng.pick(shape) if self.rng.chance(35) else kind
            pieces.append(self.rng.hex(2) if kind == "known" else kind)
        words = ["".join(pieces[i:i + 4]) for i in range(0, 16, 4)]
        self.line("%s %016x %s" % (self.rng.pick(("LD", "ST")), self.address(16), " ".join(words)))

    def host_call(self):
        """A call to the debug host; most of its parameters are known."""
        size_bytes, prefix = (8, "x") if self.state == "O" else (4, "r")
        block = PARAMETERS + 8 * self.rng.below(4)
        self.line("R %s0 %0*x" % (prefix, 2 * size_bytes, self.rng.pick(OPERATIONS)))
        self.line("R %s1 %0*x" % (prefix, 2 * size_bytes, block))
        self.time += self.rng.below(2)  # sometimes the accesses are before the call in its own node
        for i in range(3):
            start = self.rng.pick(BASES[:3] + (PARAMETERS,)) + self.rng.below(SPREAD)
            value = start if self.rng.chance(50) else 1 + self.rng.below(SPREAD)
            if self.rng.chance(90):
                self.line("M%s%d %08x %0*x" % (self.rng.pick("RW"), size_bytes, block + i * size_bytes,
                                               2 * size_bytes, value))
        self.instruction(self.rng.pick(HOST_CALLS[self.state]), 100)

    def step(self):
        """One or a few lines."""
        self.time += self.rng.pick((0, 0, 1, 1, 3))
        makers = ((self.instruction, 30), (self.register, 22), (self.access, 30), (self.pair, 4),
                  (self.diagram, 10), (self.host_call, 5))
        self.rng.pick_weighted([(maker, weight) for maker, weight in makers])()


def make_state(rng, steps=None):
    """A walk through registers and memory."""
    writer = StateWriter(rng)
    if rng.chance(20):
        writer.lines.append("Tarmac Text Rev 1")
    for _ in range(steps or rng.between(2, 120)):
        writer.step()
    return Trace(from_lines(writer.lines), "state", options=["--bi"] if rng.chance(25) else [])
