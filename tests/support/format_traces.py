"""Traces whose indexes use features that do not occur in the corpus."""


def runs(count, length, choose):
    """Values that remain the same for a while."""
    values = []
    while len(values) < count:
        values += [choose()] * length
    return values[:count]


def sums(steps):
    total, values = 0, []
    for step in steps:
        total = total + step & 2**64 - 1
        values.append(total)
    return values


def numbers_of_every_coding(count, draw):
    """Sequences for which different shapes and codings of blocks are the shortest."""
    few = [draw.getrandbits(40) for _ in range(7)]
    codings = {
        "offsets": lambda: draw.getrandbits(9),
        "dictionary": lambda: draw.choice(few),
        "patched offsets": lambda: draw.getrandbits(60) if draw.random() < 0.02 else draw.getrandbits(9),
        "patched dictionary": lambda: draw.getrandbits(60) if draw.random() < 0.02 else draw.choice(few),
    }
    yield [draw.getrandbits(64) for _ in range(count)]  # of full width
    yield [5] * count
    yield runs(count, 2, lambda: draw.getrandbits(44))  # so many that a bitmap stores where they start
    yield runs(count, 5, lambda: draw.randrange(2**44))
    for choose in codings.values():
        yield [choose() for _ in range(count)]
        yield sums(choose() for _ in range(count))
        yield runs(count, 9, choose)


def coding_trace(draw, count=2500):
    """A register for each sequence, written once in each event."""
    sequences = list(numbers_of_every_coding(count, draw))
    lines = []
    for i in range(count):
        lines.append("%d clk IT (%d) %08x d503201f O EL1h_s : NOP" % (10 * i, i + 1, 0x80000 + 4 * (i % 97)))
        lines += ["%d clk R X%d %016x" % (10 * i, number, values[i]) for number, values in enumerate(sequences)]
    return lines


def late_trace():
    """Cores whose events continue after events of other cores, up to an instruction or exception."""
    lines = []
    for time in range(10, 200, 10):
        lines.append("%d clk cpu0 R X0 %016x" % (time, time))
        lines += ["%d clk cpu1 IT (%d) %08x d503201f O EL1h_s : NOP" % (time + i, time, 0x9000 + time) for i in range(5)]
        lines.append("%d clk cpu0 IT (%d) %08x d503201f O EL1h_s : NOP" % (time, time, 0x8000 + time))
        lines.append("%d clk cpu0 R X0 %016x" % (time, time + 1))
        lines.append("%d clk cpu0 MW4 %08x %08x" % (time, 0x10000 + time, time))
        lines.append("%d clk cpu0 E DebugEvent" % time)
    return lines


def cores_trace(draw, cores=300, registers=16, events=6000):
    """Each core writes all its registers; then some write one register at a time, sometimes with the same value."""
    lines, values = [], [draw.getrandbits(64) for _ in range(50)]
    for core in range(cores):
        lines.append("1 clk cpu%d IT (1) 00008000 d503201f O EL1h_s : NOP" % core)
        lines += ["1 clk cpu%d R X%d %016x" % (core, number, draw.choice(values)) for number in range(registers)]
    for time in range(2, events + 2):
        core = draw.randrange(cores) if draw.random() < 0.5 else draw.randrange(9)
        lines.append("%d clk cpu%d IT (%d) %08x d503201f O EL1h_s : NOP" % (time, core, time, 0x8000 + 4 * time))
        lines.append("%d clk cpu%d R X%d %016x" % (time, core, draw.randrange(registers), draw.choice(values)))
    return lines


def memory_trace(draw, count=1500):
    """Accesses of all sizes to little memory, some of them to unknown memory, with host calls between them."""
    lines = []
    for i in range(count):
        lines.append("%d clk IT (%d) %08x d503201f O EL1h_s : NOP" % (i, i, 0x80000))
        address = draw.choice([0x10000, 0x10FF8, 0x7FFFFFFFFFF0]) + draw.randrange(64)
        size = draw.choice([1, 2, 4, 8])
        digits = "".join(draw.choice("0123456789abcdef") for _ in range(2 * size))
        if draw.random() < 0.05:
            digits = "?" * (2 * size)
        lines.append("%d clk M%s%d %016x %s" % (i, draw.choice("RRW"), size, address, digits))
        if draw.random() < 0.03:
            lines += host_call(i, draw)
    return lines


def host_call(time, draw):
    """The debug host fills a buffer with known address and length. The same event stores to a part of it, and shows another part."""
    block, buffer, length = 0x20000, 0x10000 + draw.randrange(80), draw.randrange(1, 40)
    return [
        "%d clk R X0 %016x" % (time, 6),
        "%d clk R X1 %016x" % (time, block),
        "%d clk MW8 %016x %016x" % (time, block + 8, buffer),
        "%d clk MW8 %016x %016x" % (time, block + 16, length),
        "%d clk IT (0) 00080004 d45e0000 O EL1h_s : HLT #0xf000" % time,
        "%d clk MW1 %016x %02x" % (time, buffer + draw.randrange(length), draw.getrandbits(8)),
        "%d clk MR1 %016x %02x" % (time, buffer + draw.randrange(length), draw.getrandbits(8)),
    ]


def registers_trace(draw, count=200):
    """Registers with their own names, of several widths, on two cores."""
    names = ["ELR_EL1", "r13_svc", "spsr_svc", "TTBR0_EL1", "FFR", "CONTROL", "S3_0_C15_C2_1"]
    lines = []
    for i in range(count):
        core = draw.randrange(2)
        lines.append("%d clk cpu%d IT (%d) %08x e1a00000 A svc_s : NOP" % (i, core, i + 1, 0x8000 + 4 * (i % 50)))
        for name in draw.sample(names, draw.randrange(4)):
            digits = draw.choice([1, 2, 8, 8, 16, 16, 32, 128]) if name not in ("r13_svc",) else 8
            lines.append("%d clk cpu%d R %s %0*x" % (i, core, name, digits, draw.getrandbits(4 * digits)))
    return lines
