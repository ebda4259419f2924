"""Lines that have little or no meaning, but that a reader must accept."""

PLAIN_REGISTERS = [
    ("r0", 8), ("R7", 8), ("r12", 8), ("w5", 8), ("w30", 8), ("x3", 16), ("X29", 16), ("e7", 16),
    ("d3", 16), ("D31", 16), ("s9", 8), ("v2", 32), ("q15", 32), ("z1", 64), ("p0", 4),
    ("psr", 8), ("CPSR", 8), ("fpscr", 8), ("FPSR", 8), ("vpr", 8), ("R8_fiq", 8), ("r_foo", 8),
    ("S3_0_C15_C2_1", 8), ("wsp", 8), ("z4", 512)]
UNKNOWN_REGISTERS = ["psp", "xpsr", "apsr", "elr_el1", "spsr_irq", "TTBR0_EL1", "r16", "x31", "pc",
                     "SCTLR", "spx", "v32", "MIDR"]
SILENT_TYPES = ["CADI", "P", "CACHE", "TTW", "BR", "INFO_EXCEPTION_REASON", "SIGNAL"]
LOUD_TYPES = ["FOO", "BAR", "branch", "ms", "#", "--", "x_1", "Clk", "CPU0", "IRQ"]


def noise_lines(rng, writer, tags):
    """Add one to three random lines that are not errors."""
    for _ in range(rng.pick([1, 1, 1, 2, 3])):
        maker = rng.pick(NOISE_MAKERS)
        time = None
        if rng.chance(15):
            writer.time += rng.below(3)
            tags.add("event at new time")
        elif rng.chance(5):
            time = max(0, writer.time - rng.below(4))
            tags.add("time goes back")
        maker(rng, writer, tags, time)


def ordinary_register(rng, writer, tags, time):
    """A write to a register that does not affect calls."""
    name, digits = rng.pick(PLAIN_REGISTERS)
    writer.raw("R %s %s" % (name, spaced_value(rng, digits)), time)


def spaced_value(rng, digits):
    """Return a value, sometimes split into words or with unknown bytes."""
    text = rng.hex(digits)
    if digits % 4 == 0 and rng.chance(30):
        half = digits // 2
        return text[:half] + rng.pick([" ", ":", "_", " : "]) + text[half:]
    if rng.chance(10) and digits in (8, 16):
        return rng.pick(["0", "00", "-", "--------", ""])
    if rng.chance(10):
        return "--" + text[2:]
    return text


def unknown_register(rng, writer, tags, time):
    """A register that makes no event."""
    tags.add("register without event")
    writer.raw("R %s %s" % (rng.pick(UNKNOWN_REGISTERS), rng.hex(8)), time)


def special_register(rng, writer, tags, time):
    """fpcr and cpsr, whose values have their own rules."""
    writer.raw(rng.pick([
        "R cpsr 600001d3", "R cpsr nzCvq", "R cpsr 1", "R cpsr 12:34", "R cpsr 600001d3 svc",
        "R fpcr 00000000", "R fpcr 0000:03000000", "R fpcr 00"]).replace("nzCvq", "0"), time)


def partial_register(rng, writer, tags, time):
    """Bit ranges and parenthesized extra information."""
    tags.add("bit range")
    writer.raw(rng.pick([
        "R V0<127:64> %s" % rng.hex(16), "R x2 <31:0> %s" % rng.hex(8), "R r1<7:0> 0",
        "R x5 (AA64) %s" % rng.hex(16), "R r3<15:8> ab", "R d1<63:32> %s" % rng.hex(8)]), time)


def memory(rng, writer, tags, time):
    """A contiguous memory access of some size and spelling."""
    size = rng.pick([1, 2, 4, 8])
    kind = rng.pick(["MR", "MW"]) + str(size) + rng.pick(["", "", "X", "_NS"])
    address = writer.hex(0x10000 + rng.below(256))
    physical = rng.pick(["", "", ":%s" % address, ":%s_NS" % address, ":_S"])
    value = rng.pick([rng.hex(2 * size), "x" * (2 * size), "..", "hello", rng.hex(2 * size) + " {"])
    writer.raw("%s %s%s %s" % (kind, address, physical, value), time)


def odd_memory(rng, writer, tags, time):
    """Memory lines of the rarer kinds."""
    writer.raw(rng.pick([
        "R01 1000 55", "W04 1000 00112233", "MR4 X 1000 00000001", "MR4 (priv data) 1000 1",
        "MR4 1000 (ABORTED)", "MR4____I 1000 {}", "MW8____D 1000 0011223344556677", "MCR4 TRANSFER",
        "MR16 1000 0011223344556677 8899aabbccddeeff", "MR4____A 1000 x", "R08 1000 1 ;"]), time)


def diagram(rng, writer, tags, time):
    """An LD or ST line, sometimes with continuation lines below its address."""
    prefix = writer.prefix(time) + rng.pick(["LD", "ST"]) + rng.pick([" ", "  "])
    writer.bare(prefix + diagram_row(rng, writer))
    while rng.chance(35):
        tags.add("continuation")
        writer.bare(" " * len(prefix) + diagram_row(rng, writer))


def diagram_row(rng, writer):
    """Return an address and sixteen bytes drawn as a diagram."""
    pool = ["..", "..", "##", None, None]
    parts = [rng.pick(pool) or rng.hex(2) for _ in range(16)]
    if rng.chance(10):
        parts = [".."] * 16
    gap = rng.pick([8, 4, 16])
    words = ["".join(parts[i:i + gap]) for i in range(0, 16, gap)]
    return writer.hex(0x1000 + 16 * rng.below(64)) + " " + " ".join(words)


def text_event(rng, writer, tags, time):
    """A text event with a silent type or a loud one."""
    kind = rng.pick(SILENT_TYPES) if rng.chance(60) else rng.pick(LOUD_TYPES)
    writer.raw(kind + rng.pick(["", " something", " a {b}", "  x;y"]), time)


def exception(rng, writer, tags, time):
    """A CPU exception or a debug event."""
    writer.raw(rng.pick([
        "E", "E 00000018 irq", "EXC", "EXC {}", "IT EXC x", "ES Reset", "IS EXC",
        "E DebugEvent_x {", "IF Reset (1)"]), time)


def ignored(rng, writer, tags, time):
    """Lines without event: the Tarmac keyword and system operations."""
    tags.add("line without event")
    writer.raw(rng.pick(["Tarmac Text Rev 3t", "Tarmac", "R DC x", "R TLBI", "R IC 1", "R AT 3"]),
               time)


def blank(rng, writer, tags, time):
    """Blank lines and lines without prefix."""
    tags.add("blank line")
    writer.bare(rng.pick(["", "   ", "\t", "\r", ",", "R r4 00000001", "B clk"]))


NOISE_MAKERS = [
    ordinary_register, ordinary_register, ordinary_register, unknown_register, special_register,
    partial_register, memory, memory, odd_memory, diagram, diagram, text_event, text_event,
    exception, ignored, blank]
