"""Runs a small random program and writes its trace: calls, tail calls, jumps, interrupts."""

from dataclasses import dataclass

from lines import LineWriter, Style
from noise import noise_lines
from sample import Trace, from_lines

LR_NAMES = {
    "A": ["r14", "R14", "lr", "LR_irq", "r14_svc", "w14", "x14", "e14", "R14_main_s"],
    "O": ["x30", "X30", "E30", "e30", "x30"],
}
SP_NAMES = {
    "A": ["r13", "R13_svc", "sp", "SP", "sp_el0", "MSP", "msp_s", "x13", "w13"],
    "O": ["xsp", "sp", "SP_EL1", "sp_el0", "e31", "XSP"],
}


class Budget(Exception):
    """The trace has as many lines as it is allowed to have."""


class LongJump(Exception):
    """Control returns to a frame further out."""

    def __init__(self, levels):
        super().__init__()
        self.levels = levels


@dataclass
class Function:
    """A function of the program: its address and its instruction-set state."""

    address: int
    isa: str
    frame: int
    saves_lr: bool


class Machine:
    """Executes the program and writes what happens."""

    def __init__(self, rng, writer, functions, limit, noise_percent):
        self.rng = rng
        self.writer = writer
        self.functions = functions
        self.limit = limit
        self.noise_percent = noise_percent
        self.sp = 0x100000 + 16 * rng.below(64)
        self.registers_first = rng.chance(40)
        self.clock = rng.pick(["step", "step", "step", "same", "jump", "reset"])
        self.bush_depth = rng.pick([2, 3, 3, 5, 12])
        self.plain_names = rng.chance(50)
        self.tags = set()

    def advance_clock(self):
        """Advance the time as the clock of this trace does."""
        writer, rng = self.writer, self.rng
        if self.clock == "step" or rng.chance(40):
            writer.time += 1
        elif self.clock == "jump":
            writer.time += rng.below(1000)
        elif self.clock == "reset" and rng.chance(6):
            writer.time = rng.below(writer.time + 1)
            self.tags.add("time goes back")

    def execute(self, pc, isa, width=4, registers=(), executed=True, text=None):
        """Write one instruction with its register updates; return the next address."""
        if len(self.writer.lines) >= self.limit:
            raise Budget()
        self.advance_clock()
        first = self.registers_first
        if first:
            self.write_registers(registers)
        self.writer.instruction(pc, isa, width, executed, text)
        if not first:
            self.write_registers(registers)
        if self.rng.chance(self.noise_percent):
            noise_lines(self.rng, self.writer, self.tags)
        return pc + width

    def write_registers(self, registers):
        """Write (name, value, digits) updates at the current time."""
        for name, value, digits in registers:
            self.writer.register(name, value, digits)

    def width(self, isa):
        """Return a random instruction width for a state."""
        return self.rng.pick([2, 2, 4]) if isa == "T" else 4

    def link_update(self, isa, value):
        """Return the register line that sets the link register."""
        family = "O" if isa == "O" else "A"
        name = LR_NAMES[family][0] if self.plain_names else self.rng.pick(LR_NAMES[family])
        return (name, value, digits_of(name, isa))

    def stack_update(self, isa):
        """Return the register line that shows the stack pointer."""
        family = "O" if isa == "O" else "A"
        name = SP_NAMES[family][0] if self.plain_names else self.rng.pick(SP_NAMES[family])
        return (name, self.sp, digits_of(name, isa))

    def run(self, function, depth, return_to):
        """Execute a whole function and the return to its caller."""
        isa, pc = function.isa, function.address
        if function.frame:
            self.sp -= function.frame
            pc = self.execute(pc, isa, self.width(isa), [self.stack_update(isa)])
        for _ in range(self.rng.between(1, 5)):
            pc = self.body_step(function, pc, depth)
        if function.frame:
            self.sp += function.frame
            pc = self.execute(pc, isa, self.width(isa), [self.stack_update(isa)])
        if self.rng.chance(8) and depth < 40:
            self.tags.add("tail call")
            self.execute(pc, isa, text="B other")
            self.run(self.rng.pick(self.functions), depth + 1, return_to)
            return
        self.execute(pc, isa, self.width(isa), text="BX lr")

    def body_step(self, function, pc, depth):
        """Execute one random piece of a function's body."""
        rng, isa = self.rng, function.isa
        action = rng.pick_weighted([
            ("plain", 30), ("call", self.call_weight(depth)), ("loop", 5), ("skip", 5),
            ("irq", 3), ("longjmp", 1), ("early", 3), ("hop", 2)])
        if action == "call":
            return self.call(function, pc, depth)
        if action == "loop":
            for _ in range(rng.between(1, 3)):
                self.execute(pc, isa, 4)
        elif action == "skip":
            self.tags.add("condition failed")
            return self.execute(pc, isa, self.width(isa), executed=False)
        elif action == "irq":
            self.interrupt(isa)
        elif action == "longjmp" and depth > 2:
            self.tags.add("longjmp")
            raise LongJump(rng.between(1, depth - 1))
        elif action == "early":
            return self.early_link_call(function, pc, depth)
        elif action == "hop":
            return self.execute(pc, isa) + 4 * rng.between(1, 9)
        return self.execute(pc, isa, self.width(isa))

    def call_weight(self, depth):
        """Return how likely a call is at a depth; low enough at greater depths that programs return."""
        return 60 if depth < self.bush_depth else 28 if depth < 7 else 9

    def call(self, function, pc, depth):
        """Call another function (BL or BLX) and return to the address after the call."""
        callee = self.rng.pick(self.functions)
        isa, width = function.isa, 4
        after = pc + width
        link = after | 1 if isa == "T" else after
        self.execute(pc, isa, width, [self.link_update(isa, link)], text="BL callee")
        return self.finish_call(callee, after, depth, isa)

    def early_link_call(self, function, pc, depth):
        """Set the link register some instructions before the jump that makes the call."""
        rng, isa = self.rng, function.isa
        gap = rng.between(0, 9)
        width = self.width(isa)
        slack = rng.pick([0, 0, 4, 8, 60, 62, 64, 68, -4, -60, -64])
        after = pc + width * (gap + 1)
        target = after + slack
        link = target | 1 if isa == "T" else target
        pc = self.execute(pc, isa, width, [self.link_update(isa, link)])
        for _ in range(gap):
            pc = self.execute(pc, isa, width)
        self.tags.add("early link")
        return self.finish_call(rng.pick(self.functions), target, depth, isa)

    def finish_call(self, callee, after, depth, isa):
        """Run the callee and show the stack pointer as it was before the call."""
        saved = self.sp
        try:
            self.run(callee, depth + 1, after)
        except LongJump as jump:
            self.sp = saved
            if jump.levels > 1:
                raise LongJump(jump.levels - 1) from jump
            self.write_registers([self.stack_update(isa)])
        return after

    def interrupt(self, isa):
        """Enter a handler without a call and return."""
        rng = self.rng
        self.tags.add("interrupt")
        if rng.chance(60):
            self.writer.raw(rng.pick(["E ", "EXC", "E 0000 irq", "IT EXC [5] irq"]))
        saved = self.sp
        if rng.chance(40):
            self.sp = 0x200000
            self.write_registers([self.stack_update(isa)])
        pc = 0x18 + 4 * rng.below(8)
        for _ in range(rng.between(1, 4)):
            pc = self.execute(pc, isa)
        self.sp = saved
        if rng.chance(70):
            self.write_registers([self.stack_update(isa)])


def digits_of(name, isa):
    """Return how many hex digits a register line of this name needs."""
    short = name.lower()
    if short[0] in "xe" or short.startswith("xsp"):
        return 16
    if short.startswith("sp"):
        return 16 if isa == "O" else 8
    return 8


def make_functions(rng, isa):
    """Return the functions of a program; with isa "mix", each has its own state."""
    base = rng.pick([0x8000, 0x10000, 0x400000, 0xFFFFFFFF80001000 if isa == "O" else 0x100])
    functions = []
    for _ in range(rng.between(2, 14)):
        state = rng.pick(["A", "T", "O"]) if isa == "mix" else isa
        functions.append(Function(base, state, rng.pick([0, 16, 16, 32, 64]), rng.chance(50)))
        base += rng.pick([0x20, 0x40, 0x100, 0x400])
    return functions


def make_program(rng, limit=None, noise_percent=None):
    """Return the trace of a random program."""
    isa = rng.pick_weighted([("A", 4), ("T", 3), ("O", 5), ("mix", 3)])
    style = Style(rng)
    style.implicit = isa == "T" and rng.chance(30)
    writer = LineWriter(rng, style)
    functions = make_functions(rng, isa)
    limit = limit or rng.pick([rng.between(5, 60), rng.between(30, 400), rng.between(100, 400)])
    percent = rng.pick([0, 0, 5, 20, 50]) if noise_percent is None else noise_percent
    machine = Machine(rng, writer, functions, limit, percent)
    if rng.chance(70):
        machine.write_registers([machine.stack_update(functions[0].isa)])
    run_to_budget(machine, functions[0])
    trace = Trace(from_lines(writer.lines), "program", tags=machine.tags)
    trace.functions = [(f.address, f.isa) for f in functions]
    if style.implicit:
        trace.options.append("--implicit-thumb")
    return trace


def run_to_budget(machine, first):
    """Run the first function of the program repeatedly until the trace is full."""
    try:
        while True:
            try:
                machine.run(first, 0, 0)
            except LongJump:
                continue
    except Budget:
        return
