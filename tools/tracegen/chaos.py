"""A random walk over few addresses, stack pointers and link values.

program.py makes call trees as compilers do. This module makes those that no
compiler would: overlapping calls, duplicate keys, returns out of order.
"""

from lines import LineWriter, Style
from noise import noise_lines
from program import LR_NAMES, SP_NAMES, digits_of
from sample import Trace, from_lines


class Chaos:
    """The state of the walk."""

    def __init__(self, rng, writer):
        self.rng = rng
        self.writer = writer
        self.isa = rng.pick(["A", "T", "O"])
        self.switches = rng.chance(25)
        base = rng.pick([0x8000, 0x1000, 0x40000000])
        self.targets = [base + 4 * rng.below(64) for _ in range(rng.between(2, 6))]
        self.stacks = [0x1000 + 16 * rng.below(4) for _ in range(rng.between(1, 4))]
        self.links = []
        self.pc = self.targets[0]
        self.tags = set()

    def step(self):
        """Do one random thing."""
        action = self.rng.pick_weighted([
            (self.plain, 30), (self.jump, 12), (self.call, 25), (self.go_back, 22),
            (self.move_stack, 12), (self.loose_link, 4), (self.noise, 4), (self.switch, 2)])
        action()

    def tick(self):
        """Let time pass, or not, or run backwards."""
        self.writer.time = max(0, self.writer.time + self.rng.pick([0, 1, 1, 1, 1, 2, 7, -1]))

    def instruction(self, executed=True):
        """Write one instruction at the current address."""
        width = self.rng.pick([2, 4]) if self.isa == "T" else 4
        self.tick()
        self.writer.instruction(self.pc, self.isa, width, executed)
        self.pc += width

    def plain(self):
        """An instruction or a few."""
        for _ in range(self.rng.pick([1, 1, 2, 3, 7, 8])):
            self.instruction(self.rng.chance(95))

    def jump(self):
        """Go somewhere without setting the link register."""
        self.instruction()
        self.pc = self.rng.pick(self.targets)

    def call(self):
        """Set the link register near the return address and go somewhere."""
        self.instruction()
        link = self.pc + self.rng.pick([0, 0, 0, 0, 4, 63, 64, -63, -64, 2])
        if self.isa == "T" and self.rng.chance(90):
            link |= 1
        self.links.append(link)
        self.write(LR_NAMES, link)
        self.pc = self.rng.pick(self.targets)

    def go_back(self):
        """Go to one of the return addresses that were set."""
        self.instruction()
        recent = self.links[-6:]
        if recent:
            self.pc = self.rng.pick(recent)
            if self.isa == "T":
                self.pc &= ~1

    def move_stack(self):
        """Show another stack pointer, once or twice, in this event or in the next."""
        for _ in range(self.rng.pick([1, 1, 2])):
            if self.rng.chance(50):
                self.tick()
            self.write(SP_NAMES, self.rng.pick(self.stacks))

    def loose_link(self):
        """Set the link register to anything."""
        self.write(LR_NAMES, self.rng.pick(self.targets) + self.rng.below(8))

    def noise(self):
        """Add lines that do not matter."""
        noise_lines(self.rng, self.writer, self.tags)

    def switch(self):
        """Change the instruction set."""
        if self.switches:
            self.isa = self.rng.pick(["A", "T", "O"])

    def write(self, names, value):
        """Write a register under one of its names, sometimes only in part."""
        name = self.rng.pick(names["O" if self.isa == "O" else "A"])
        digits = digits_of(name, self.isa)
        text = "%0*x" % (digits, value)
        if self.rng.chance(5):
            text = "--" * (digits // 2 - 2) + text[-4:]
            self.tags.add("partly written register")
        self.writer.raw("R %s %s" % (name, text))


def make_chaos(rng, limit=None):
    """Return the trace of a random walk."""
    writer = LineWriter(rng, Style(rng))
    chaos = Chaos(rng, writer)
    limit = limit or rng.pick([20, 60, 150, 400])
    if rng.chance(75):
        chaos.write(SP_NAMES, rng.pick(chaos.stacks))
    while len(writer.lines) < limit:
        chaos.step()
    trace = Trace(from_lines(writer.lines), "chaos", tags=chaos.tags)
    trace.functions = [(address, chaos.isa) for address in chaos.targets]
    return trace
