"""Traces in which lines have another meaning if the lines before them are missing: hand-made, for tests that cut them anywhere."""

import random

LR, SP = 0x90000, 0x8000


def branch_with_link(site, target):
    """The encoding of an AArch64 BL to the target."""
    return 0x94000000 | (target - site) >> 2 & 0x3FFFFFF


def instruction(time, pc, state="O", bits="d503201f", cpu=""):
    """An instruction line in the IT style; time None: without a time."""
    clock = "" if time is None else "%d clk " % time
    return "%s%sIT (1) %08x %s %s mode : text" % (clock, cpu + " " if cpu else "", pc, bits, state)


def register(time, name, value, digits=16, cpu=""):
    clock = "" if time is None else "%d clk " % time
    return "%s%sR %s %0*x" % (clock, cpu + " " if cpu else "", name, digits, value)


class Machine:
    """Lines of a core that calls and returns, by default an AArch64 core."""

    def __init__(self, state="O", cpu="", time=0):
        self.state, self.cpu, self.time = state, cpu, time
        self.pc, self.sp, self.stack, self.lines = 0x1000, SP, [], []
        self.wide = state == "O"

    def set(self, name, value):
        names = {"lr": ("X30", "r14"), "sp": ("XSP", "r13")}
        digits = 16 if self.wide else 8
        name = names[name][0 if self.wide else 1] if name in names else name
        self.lines.append(register(self.time, name, value, digits, self.cpu))

    def step(self, count=1):
        for _ in range(count):
            self.time += 1
            self.lines.append(instruction(self.time, self.pc, self.state, cpu=self.cpu))
            self.pc += 4

    def call(self, target):
        self.step()
        thumb = 1 if self.state.startswith("T") else 0
        self.set("lr", self.pc | thumb)
        self.stack.append((self.pc, self.sp))
        self.pc = target
        self.step()
        self.sp -= 32
        self.set("sp", self.sp)
        self.step()

    def leave(self):
        self.step()
        self.pc, self.sp = self.stack.pop()
        self.set("sp", self.sp)
        self.step()
        self.set("sp", self.sp)  # visible only from the next node on

    def jump(self, target):
        self.step()
        self.pc = target
        self.step()


def work(machine, rounds=6):
    """Some calls: nested ones, recursion, a jump out of two frames, a frame that remains."""
    for i in range(rounds):
        machine.call(0x2000)
        machine.call(0x3000 + 0x100 * (i % 3))
        machine.step(2)
        machine.leave()
        machine.leave()
        machine.step(3)
    for _ in range(5):
        machine.call(0x2000)
    for _ in range(3):
        machine.leave()
    machine.stack.pop()
    machine.leave()
    machine.call(0x4000)
    machine.step(4)
    return machine.lines


def continuations():
    """Rows that look like times if the LD above them is missing; one sequence is longer than any run-in."""
    lines = [instruction(5, 0x1000)]
    for length in (1, 2, 200):
        lines.append("      LD 0000000000080030 ........ ........ 00000000 03f00000")
        lines += ["         %016d 01234567 ........ ######## 89abcdef" % (80020 - i) for i in range(length)]
        lines += [register(None, "X30", 0x1008), instruction(None, 0x1004)]
        lines += ["      ST 80030 ................................", "     80020 IT (1) 1008 d503201f O m : x"]
        lines += ["      LD 80030 ................................", "        "]  # a row that is invalid
        lines += work(Machine(time=100))
    return lines


def untimed_behind_continuations():
    """Calls without their own time, after rows that look like lines with times."""
    lines = []
    for turn in range(12):
        lines.append("%d clk LD 0000000000080030 ........ ........ 00000000 03f00000" % (100 * turn))
        at = lines[-1].index("0000")
        lines += [" " * at + "%016d 01234567 ........ ######## 89abcdef" % (50 * turn + i) for i in range(90)]
        lines += [line.split(" clk ", 1)[1] for line in work(Machine(), 1)]
    return lines


def told_once_in_a_while():
    """Lines whose time and core are given only on a line far above."""
    streams = [work(Machine(cpu="cpu%d" % i, time=100 * i), 40) for i in range(3)]
    lines = []
    while any(streams):
        for i, stream in enumerate(streams):
            some, streams[i] = stream[:120], stream[120:]
            lines += some[:1] + [line.split(" clk cpu%d " % i, 1)[1] for line in some[1:]]
    return lines


def clock_resets():
    lines = []
    for i, time in enumerate((0, 1000, 10, 500, 2000, 3, 1990, 5000)):
        machine = Machine(time=time)
        machine.pc += 4 * i
        lines += work(machine, 2)
        lines += ["%d clk EXC [0x01] IRQ" % (time // 2), register(time // 3, "XSP", SP)]
    return lines


def torn(seed):
    """Randomly torn lines, so that some begin with a number that is not a time."""
    rng = random.Random(seed)
    lines = []
    for line in work(Machine("A")) + continuations() + work(Machine()):
        at = rng.randrange(1, len(line)) if rng.random() < 0.1 else len(line)
        lines += [part for part in (line[:at], line[at:]) if part]
    return lines


def not_understood():
    """Another simulator's log, in which two words are equally often the first."""
    lines = ["core 0: 0x1000", "500: system.cpu: T0", "12 8000", "{}", "step 5"]
    return [line for _ in range(40) for line in lines] + ["step 6", "core 7"]


def registers_at_new_times():
    machine = Machine()
    lines = []
    for i, line in enumerate(work(machine)):
        words = line.split(" ", 2)
        if i % 3 == 0 and words[2].startswith("R "):
            line = "%d clk %s" % (int(words[0]) + 1, words[2])
        lines.append(line)
        if i % 4 == 0:
            lines.append("%d clk R FOO 1" % (int(words[0]) + 1))
        if i % 5 == 0:
            lines += [register(None, "r0", i, 8), "%d clk MR4 00001000 00000000" % int(words[0])]
    return lines


def long_header(tail):
    """Lines without an event, some with times, then the given lines."""
    header = ["Tarmac Text Rev 3t", "7 clk R UNKNOWN 1", "R pc 00001000", "12 clk Tarmac more"]
    return header * 60 + tail


def before_aarch64():
    """Writes to names that mean other registers before the first instruction, and after it."""
    return [
        register(1, "s5", 0x3F800000, 8), register(1, "d3", 1), register(1, "r14", 0x1004, 8),
        register(1, "X30", 0x1004), register(2, "r13", SP, 8), register(2, "XSP", SP),
        register(3, "d3", 2), "R s4", "R sp %016x" % SP, "R sp %08x" % SP,
        instruction(4, 0x1000), instruction(4, 0x5000), register(5, "d31", 1),
        register(5, "r14", 0x5008, 8), instruction(6, 0x5004), instruction(6, 0x6000),
        register(7, "X14", 0x6008), instruction(8, 0x6004, "A"), instruction(9, 0x7000, "A"),
        register(9, "lr", 0x7005, 8), instruction(9, 0x7004, "T16", "46c0"), instruction(9, 0x1004),
        "R X30 --------00001234", "R X30 00000000--------", instruction(10, 0x1008, "A"),
        register(11, "W30", 0x100C, 8), instruction(12, 0x100C), instruction(12, 0x8000),
        register(13, "e30", 0x8004), instruction(14, 0x8004), instruction(14, 0x100C),
    ]


def untimed():
    lines = [line.split(" clk ", 1)[1] if i % 3 else line for i, line in enumerate(work(Machine()))]
    return [line + " behind" if line.startswith("IT") else line for line in lines] + ["", "   ", "9"]


def strange_times():
    times = ["1.5 clk", "271ns", "10.356us", "272 tic", "0.0000005", "3 us", "12345678901.5 ns", "40 ms"]
    lines = []
    for i, line in enumerate(work(Machine())):
        lines.append(times[i % 8] + " " + line.split(" clk ", 1)[1] if i % 4 == 0 else line)
    return lines


def endless_time():
    """The highest possible time: an event at this time starts no node, and the clock may go back after it."""
    lines = work(Machine(), 2)
    top = str(2**64 - 1)
    return [top + " clk R X30 0000000000001008", top + " clk IT (1) 1000 d503201f O m : x"] + lines + [
        top + " clk IT (1) 1000 d503201f O m : x", top + " clk EXC"] + work(Machine(), 2) + [
        top + " clk R XSP 0000000000008000", "5 clk IT (1) 1000 d503201f O m : x"]


def interleaved(cores, nameless):
    """The core changes with every line; sometimes a line does not name it."""
    names = ["cpu%d" % i for i in range(cores)]
    streams = [work(Machine(cpu=name, time=100 * i)) for i, name in enumerate(names)]
    lines = []
    for i in range(max(len(stream) for stream in streams)):
        for stream in streams:
            lines += stream[i : i + 1]
            if nameless and i % nameless == 0 and i < len(stream):
                lines.append(register(None, "X30", 0x1008 + 4 * i))
    return lines


def long_names():
    """Names of which only the first bytes are significant."""
    base = "cpu" + "x" * 40
    streams = [work(Machine(cpu=base + tail)) for tail in ("a", "yyyyb", "yyyyc")]
    return [line for lines in zip(*streams) for line in lines]


def many_lanes():
    """More names than lanes are allowed; all of them occur again later."""
    lines = []
    for turn in range(3):
        for i in range(280):
            number = i if turn != 1 else 279 - i
            lines += [instruction(turn, 0x1000 + 4 * turn, cpu="cpu%d" % number), "R FOO 1"]
            lines += ["%d clk cpu%d FOO%d x" % (turn, number, number % 7)] if i % 5 == 0 else []
            lines += ["%d clk cpu%d IT (1) zz" % (turn, number)] if i % 50 == 0 else []
    return lines


FAULTS = [
    "3 clk IT (1) 00001000 d503201f Q m : x", "R X0 12", "4 clk R", "MR4 1000", "LD 1000 zz",
    "99999999999999999999 clk R X0 0", "7 clk IT (1) 00001000", "{", "ES (1000:zz) O m : x",
    "cpu1 IT zz", "900 clk R X30 0000000000001000 ;", "M 5", "77 clk FOO {",
]


def damaged(every, cpu=""):
    """An unreadable line, repeated: it changes no time, and interrupts the flow if it was an instruction."""
    lines = []
    for i, line in enumerate(work(Machine(cpu=cpu))):
        lines.append(line)
        if i % every == 0:
            lines.append(FAULTS[(i // every) % len(FAULTS)])
    return lines


def warnings():
    """Things that are reported once each, wherever and however often they occur."""
    lines = []
    for i, line in enumerate(work(Machine())):
        lines += [line, "FOO%d text" % (i % 5), "R DC 0", "MODE x"] if i % 2 else [line, "BAR", "R IC"]
    return ["HEAD x"] + lines + ["FOO1 {", "NEW {", "NEW x"]


def mixed_states():
    lines = []
    for state in ("A", "T16", "O", "T32", "A", "O"):
        lines += work(Machine(state), 2)
    return lines


def implicit_thumb():
    return [line.replace(" T16 mode :", "") if i % 3 else line
            for i, line in enumerate(work(Machine("T16")))]


def long_lines():
    """Lines longer than a run-in, so that a chunk can begin inside one and knows nothing."""
    lines = []
    for i, line in enumerate(work(Machine(), 3)):
        lines.append(line + " " + "x" * 9000 if i % 7 == 0 and " IT " in line else line)
    return lines


def overlong(at_end):
    """A line above the limit, between others or as the last one."""
    lines = work(Machine(), 2)
    giant = "50 clk IT (1) 1000 d503201f O m : " + "x" * (9 << 19)
    return lines + [giant] if at_end else lines + [giant] + work(Machine(time=400), 2)


def odd_bytes():
    lines = work(Machine(), 2)
    lines[5] += "\r\r"
    lines[8] += "\0tail"
    lines[11:11] = ["\r", "\0", " \t\v\f ", "\r\r"]
    return lines


POOL = (FAULTS + work(Machine(), 1) + work(Machine("T16"), 1)[:30] + work(Machine("A"), 1)[:30]
        + work(Machine(cpu="cpu1"), 1)[:30] + before_aarch64() + [
            "      LD 0000000000080030 ........ ........ 00000000 03f00000",
            "         0000000000080020 01234567 ........ ######## 89abcdef",
            "      ST 00080030 ........ ........ 00000000 03f00000", "Tarmac x", "50 clk Tarmac",
            "E DebugEvent_x", "EXC", "60 clk EXC", "cpu0 EXC", "BR x", "FOO", "R TLBI", "", "   ",
            "20 clk cpu0 R XSP 0000000000009000", "cpu2 MW4 1000 00000000"])


def shuffled(seed):
    """Random lines, drawn from some of every kind."""
    rng = random.Random(seed)
    pool = rng.sample(POOL, rng.choice((12, 30, len(POOL))))
    return [rng.choice(pool) for _ in range(rng.choice((20, 80, 300)))]


def as_bytes(lines, newline=b"\n", ends=True):
    return newline.join(line.encode("latin-1") for line in lines) + (newline if ends else b"")


def old_return_address():
    """A return address that is shown long before control comes from a program without an exception."""
    return as_bytes([
        "16 clk R ELR_EL1 000000000040000c",
        "27 clk R X30 ffff800008004100",
        "30 clk IT (30) ffff800008004104 17fff7cf O EL1h_n : B 0xffff800008002040",
        "31 clk IT (31) 0000000000400048 ca024421 O EL0t_n : EOR X1, X1, X2, LSL #17",
        "33 clk IT (33) ffff800008002048 d69f03e0 O EL1h_n : ERET",
        "34 clk IT (34) 0000000000400000 94000002 O EL0t_n : BL 0x400008",
    ])


def hand_written():
    """Yields (name, bytes, options) of each trace."""
    plain = work(Machine())
    yield "empty", b"", []
    yield "one newline", b"\n", []
    yield "blank lines", b"\n \n\r\n\n", []
    yield "one line", as_bytes(plain[:1]), []
    yield "no events", as_bytes(long_header([])), []
    yield "plain", as_bytes(plain), []
    yield "A32", as_bytes(work(Machine("A"))), []
    yield "T32", as_bytes(work(Machine("T16"))), []
    yield "CRLF", as_bytes(continuations() + plain, b"\r\n"), []
    yield "no final newline", as_bytes(plain, ends=False), []
    yield "no final newline, CR", as_bytes(plain, ends=False) + b"\r", []
    yield "partial last line", as_bytes(plain + ["9 clk IT (1"], ends=False), []
    yield "partial last line that reads", as_bytes(plain + ["9 clk R X30 0000000000001000"], ends=False), []
    yield "partial first line", b"9 clk IT (1", []
    yield "continuations", as_bytes(continuations()), []
    yield "untimed behind continuations", as_bytes(untimed_behind_continuations()), []
    yield "told once in a while", as_bytes(told_once_in_a_while()), []
    yield "clock resets", as_bytes(clock_resets()), []
    for seed in range(4):
        yield f"torn lines {seed}", as_bytes(torn(seed)), []
    yield "not understood", as_bytes(not_understood()), []
    yield "hardly understood", as_bytes(not_understood() + ["CADI x"]), []
    yield "registers at new times", as_bytes(registers_at_new_times()), []
    yield "long header", as_bytes(long_header(plain)), []
    yield "fault in the header", as_bytes(long_header(["R X0 12"] + plain)), []
    yield "fault behind a header", as_bytes(long_header(plain[:9] + ["R X0 12"] + plain)), []
    yield "warnings in the header", as_bytes(long_header(["R DC"] + warnings())), []
    yield "before AArch64", as_bytes(before_aarch64()), []
    yield "untimed", as_bytes(untimed()), []
    yield "strange times", as_bytes(strange_times()), []
    yield "endless time", as_bytes(endless_time()), []
    yield "two cores", as_bytes(interleaved(2, 0)), []
    yield "three cores, lines without a name", as_bytes(interleaved(3, 4)), []
    yield "long names of cores", as_bytes(long_names()), []
    yield "more cores than lanes", as_bytes(many_lanes()), []
    yield "damage", as_bytes(damaged(7)), []
    yield "damage on cores", as_bytes(damaged(3, "cpu0")), []
    yield "warnings", as_bytes(warnings()), []
    yield "mixed states", as_bytes(mixed_states()), []
    yield "implicit Thumb", as_bytes(implicit_thumb()), ["--implicit-thumb"]
    yield "long lines", as_bytes(long_lines()), []
    yield "odd bytes", as_bytes(odd_bytes()), []
    yield "line above the limit", as_bytes(overlong(False)), []
    yield "last line above the limit", as_bytes(overlong(True)), []
    yield "partial last line above the limit", as_bytes(overlong(True), ends=False), []
    for seed in range(60):
        yield "shuffled %d" % seed, as_bytes(shuffled(seed), ends=seed % 4 > 0), []
