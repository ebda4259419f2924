"""Calls as the machine makes them, where a trace shows less than all of it.

    tests/run.py machine_calls

Random small traces of programs whose calls are known by construction: interrupts after branches, calls and returns, before the first
instruction of what they lead to; instructions of newer extensions; instructions that no decoder knows, and pauses of the trace, inside functions that an image shows; tasks
that start anew on the stack of one that has ended, or beside the first stack, with nested and tail-chained interrupts (M profile), also
chained to the switch, or before the first instruction of its handler; threads of a kernel for A64 that go on by ERET outside of exceptions; calls between the security states of the M profile; loops whose last
instruction is executed only once; system calls through trampolines, as Linux makes them with KPTI. The self time and the number of calls
of each function, and the stack at the end, are those of the program, whatever the size of chunks.
"""

import collections
import csv
import io
import random

import pytest
import quick
import small_elf
import test_export

TIMEOUT_S = 60
SEEDS = 200
FUNCTIONS, FIRST, FUNCTION_BYTES = 6, 0x10000, 0x100
VECTOR = 0x2280


class Frame:
    def __init__(self, function, back, sp):
        self.function, self.back, self.sp = function, back, sp


class Trace:
    """A core and the lines that it writes. `pc` is that of the next instruction."""

    state, mode, digits = "O", "EL1h_n", 16

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.lines, self.time, self.ahead = [], 0, 0
        self.self_times, self.calls = collections.Counter(), collections.Counter()
        self.has_image = False
        self.stacks = {}  # functions from the innermost outward, by time
        self.pc, self.frames = FIRST, [Frame(FIRST, None, 0x90000)]
        self.calls[FIRST] += 1
        self.sp = 0x90000

    def function(self):
        return self.frames[-1].function

    def step(self, bits, to=None):
        """Executes an instruction, given as digits, and goes to the next or another one."""
        self.time, self.ahead = self.time + 1, 0
        self.lines.append("%d clk IT (%d) %08x %s %s %s : X" % (self.time, self.time, self.pc, bits, self.state, self.mode))
        self.self_times[self.function()] += 1
        self.stacks[self.time] = self.pc, [frame.function for frame in reversed(self.frames)]
        self.pc = self.pc + len(bits) // 2 if to is None else to

    def register(self, name, value, digits=None):
        self.lines.append("%d clk R %s %0*x" % (self.time + self.ahead, name, digits or self.digits, value))

    def event(self, text):
        self.ahead = 1
        self.lines.append("%d clk E %s" % (self.time + 1, text))

    def other(self):
        """A function to call, but not from its own first instruction, which would look like a line that is there twice."""
        return self.chance.choice([number for number in range(1, FUNCTIONS) if start(number) != self.pc])

    def end(self):
        """So that the effect of the last branch is visible."""
        self.step("d503201f" if self.state == "O" else "bf00")

    def text(self):
        return "\n".join(self.lines) + "\n"


def start(number):
    return FIRST + FUNCTION_BYTES * number


class A64(Trace):
    """A program that calls, returns, branches to other functions, and loops. The first `least` functions do not return."""

    least = 1

    def set_sp(self, sp):
        self.sp = sp
        self.step("910043ff")
        self.register("SP_EL1", sp)

    def at_call(self):
        """Whether calls are made at this address. No other branches are: LR points behind it for long."""
        return self.pc % 16 == 12

    def call(self, number):
        while not self.at_call():
            self.step("d503201f")
        direct = self.chance.random() < 0.6
        back = self.pc + 4
        offset = (start(number) - self.pc) // 4 & 0x3FFFFFF
        self.step("%08x" % (0x94000000 | offset) if direct else "d63f0020", start(number))
        self.register("X30", back)
        self.frames.append(Frame(start(number), back, self.sp))
        self.calls[start(number)] += 1

    def call_each(self):
        """So that each function is known without an image."""
        for number in range(1, FUNCTIONS):
            self.call(number)
            self.step("d503201f")
            self.ret()

    def leave(self):
        frame = self.frames[-1]
        if self.sp != frame.sp:
            self.set_sp(frame.sp)
        if self.at_call():
            self.step("d503201f")

    def ret(self):
        self.leave()
        if self.frames[-1].back == self.pc:  # it would look like a line that is there twice
            self.step("d503201f")
        self.step("d65f03c0", self.frames[-1].back)
        self.frames.pop()

    def tail(self, number):
        self.leave()
        offset = (start(number) - self.pc) // 4 & 0x3FFFFFF
        self.step("%08x" % (0x14000000 | offset), start(number))
        self.frames[-1].function = start(number)
        self.calls[start(number)] += 1

    def place(self):
        """An address of the function that is not soon after a return address."""
        while True:
            pc = self.function() + 4 * self.chance.randrange(1, 48)
            if all(not frame.back or not 0 <= pc - frame.back <= 16 for frame in self.frames) and abs(pc - self.pc) > 4:
                return pc

    def random_step(self):
        chance, room = self.chance, self.function() + FUNCTION_BYTES - self.pc
        what = chance.random()
        if room < 0x20:
            what = 0.99 if len(self.frames) == self.least else 0.5
        if what < 0.3:
            self.step("d503201f")
        elif what < 0.45 and len(self.frames) < 12:
            self.call(self.other())
        elif what < 0.65 and len(self.frames) > self.least:
            self.ret()
        elif what < 0.75 and len(self.frames) > self.least:
            self.tail(chance.choice([n for n in range(1, FUNCTIONS) if start(n) != self.function()]))
        elif what < 0.85 and self.sp == self.frames[-1].sp:
            self.set_sp(self.sp - 16 * chance.randrange(1, 4))
        else:
            if self.at_call():
                self.step("d503201f")
            to = self.function() + 4 * chance.randrange(0, 32)
            to += 4 * (to == self.pc or to == self.pc + 4) * 3
            self.step("%08x" % (0x54000000 | ((to - self.pc) // 4 & 0x7FFFF) << 5), to)


def interrupted(seed):
    """Interrupts at any place. Their return address is in the trace or not. Functions are known by an image, or because each was called."""
    trace = A64(seed)
    chance = trace.chance
    trace.has_image, shows_elr = chance.random() < 0.5, chance.random() < 0.5
    trace.register("SP_EL1", trace.sp)
    if not trace.has_image:
        trace.call_each()
    for _ in range(chance.randrange(4, 40)):
        trace.random_step()
        if chance.random() < 0.4:
            back = trace.pc
            trace.event("%08x:%012x 00000001 CoreEvent_CURRENT_SPx_IRQ" % (VECTOR, VECTOR))
            if shows_elr:
                trace.register("ELR_EL1", back)
            trace.pc = VECTOR
            trace.frames.append(Frame(VECTOR, back, trace.sp))
            trace.calls[VECTOR] += 1
            for _ in range(chance.randrange(1, 3)):
                trace.step("d503201f")
            trace.step("d69f03e0", back)
            trace.frames.pop()
    trace.end()
    return trace


class Newer(A64):
    """The same program for cores with more extensions: FEAT_CMPBR, BC.cond, signed pointers, MOPS, GCS, HINT forms."""

    QUIET = """d503229f d503225f d503227f d50322df d503251f d503209f d50320bf d50323bf d50323ff d503207f d50b7700 d52b7721 d503217f
               19010440 19410440 19810440 1d010440 1d410440 1d810440 19c10440 19c14440 19c18440 d8004c00 d503103f""".split()
    LANDING = "d503241f d503245f d503249f d503233f d503237f".split()  # with which functions begin

    def step(self, bits, to=None):
        pick = self.chance.choice
        if bits == "d503201f" and self.chance.random() < 0.5:
            bits = pick(self.QUIET + self.LANDING * self.has_image)
        elif bits == "d63f0020":
            bits = pick([bits, "d73f0822", "d63f083f", "d73f0c22", "d63f0c3f"])
        elif bits == "d65f03c0":
            bits = pick([bits, "d65f0bff", "d65f0fff", "d65f0be2"])
        elif bits.startswith("54") and to is not None and self.chance.random() < 0.8:
            offset, condition = (to - self.pc) // 4, pick([0, 1, 2, 3, 6, 7])
            forms = [0x54000010 | (offset & 0x7FFFF) << 5, 0x74020001, 0xF4020001, 0x74028001, 0x7402C001, 0x75020001, 0xF5008001]
            form = pick(forms)
            bits = "%08x" % (form if form >> 24 == 0x54 or form < 0x60000000 else form | condition << 21 | (offset & 0x1FF) << 5)
        super().step(bits, to)


def newer(seed):
    trace = Newer(seed)
    trace.has_image = trace.chance.random() < 0.7
    trace.register("SP_EL1", trace.sp)
    if not trace.has_image:
        trace.call_each()
    for _ in range(trace.chance.randrange(4, 60)):
        trace.random_step()
    trace.end()
    return trace


def gaps(seed):
    """Steps inside a function that its instructions do not explain: encodings of the future, replays, pauses."""
    trace = A64(seed)
    chance, trace.has_image = trace.chance, True
    trace.register("SP_EL1", trace.sp)
    for _ in range(chance.randrange(4, 40)):
        if chance.random() < 0.3:
            if trace.at_call():
                trace.step("d503201f")
            if chance.random() < 0.5:  # a pause
                trace.step("d503201f")
                trace.time += chance.randrange(100)
                trace.self_times[trace.function()] += trace.time - int(trace.lines[-1].split()[0])
            else:
                trace.step(chance.choice(["19010440", "00000000", "ffffffff", "c1200000"]))
            trace.pc = trace.place()
        else:
            trace.random_step()
    trace.end()
    return trace


class M(Trace):
    """A core of the M profile; functions are as long as those of A64."""

    state, mode, digits = "T", "thread", 8

    def bl(self, number):
        offset = start(number) - self.pc - 4
        self.step("%04x%04x" % (0xF000 | offset >> 12 & 0x7FF, 0xF800 | offset >> 1 & 0x7FF), start(number))

    def call(self, number):
        back = self.pc + 4
        if self.chance.random() < 0.7:
            self.bl(number)
        else:
            back -= 2
            self.step("4798", start(number))
        self.register("r14", back | 1)
        self.frames.append(Frame(start(number), back, self.sp))
        self.calls[start(number)] += 1

    def ret(self):
        if self.sp != self.frames[-1].sp:
            self.set_sp(self.frames[-1].sp)
        while self.frames[-1].back - self.pc in (0, 2):  # nothing would show that it returns
            self.step("bf00")
        self.step("4770", self.frames[-1].back)
        self.frames.pop()

    def set_sp(self, sp):
        self.sp = sp
        self.step("b082")
        self.register("r13_process" if self.mode == "thread" and self.is_process else "r13_main", sp)

    is_process = False

    def random_step(self):
        chance, room = self.chance, self.function() + FUNCTION_BYTES - self.pc
        what = chance.random()
        if what < 0.35 and len(self.frames) < 6 and room > 0x20:
            self.call(self.other())
        elif (what < 0.65 or room < 0x20) and len(self.frames) > 1:
            self.ret()
        elif what < 0.8 and self.sp == self.frames[-1].sp and room > 0x20:
            self.set_sp(self.sp - 8 * chance.randrange(1, 4))
        elif room < 0x20:
            self.step("e7fe", self.function())
        else:
            self.step("bf00")


class Task:
    def __init__(self, stack):
        self.stack = stack
        self.is_new, self.has_run = True, False
        self.pc = self.sp = 0
        self.frames = []


def tasks(seed):
    """Tasks on their own stacks, some of which end, so that others start anew on these. Interrupts nest and are chained."""
    trace = M(seed)
    chance = trace.chance
    names = {number: start(FUNCTIONS + number) for number in range(3)}  # handlers: switch, device, device
    trace.register("r13_main", 0x90000)
    trace.step("bf00")
    trace.call(1)
    main_sp = trace.sp - 0x20
    stacks = [0x90000 + 0x400, 0x80000, 0x88000]  # the first is just above that of main
    pool = [Task(stack) for stack in stacks[: chance.randrange(2, 4)]]
    running, left = None, set()

    def handler(number, link):
        trace.mode, trace.pc = "handler", names[number]
        trace.frames = [*trace.frames, Frame(names[number], None, trace.sp)]
        trace.calls[names[number]] += 1
        trace.register("r13_main", trace.sp)
        trace.register("r14", link)
        for _ in range(chance.randrange(1, 3)):
            trace.step("bf00")

    def nested():
        """A device interrupts the handler."""
        back, frames, sp = trace.pc, trace.frames, trace.sp
        trace.event("%08x 00000010 CoreEvent_IRQ0" % names[1])
        trace.sp -= 0x20
        handler(1, 0xFFFFFFF1)
        trace.step("4770", back)
        trace.sp, trace.frames = sp, frames
        trace.register("r13_main", sp)
        trace.register("r14", 0xFFFFFFFD)

    for _ in range(chance.randrange(2, 14)):
        # The switch. Nothing shows where an indirect call went that is interrupted at once and never continues.
        if trace.lines[-2].endswith(" 4798 T thread : X"):
            trace.step("bf00")
        trace.event("%08x 0000000e CoreEvent_PendSV" % names[0])
        if running:
            running.pc, running.sp, running.frames = trace.pc, trace.sp, trace.frames
            trace.register("r13_process", trace.sp - 0x20)
        else:
            main_sp = trace.sp - 0x20
        interrupted_frames = trace.frames
        trace.sp = main_sp
        if chance.random() < 0.2:  # a device interrupts its handler before its first instruction
            trace.frames = [*trace.frames, Frame(names[0], None, trace.sp)]
            trace.register("r13_main", trace.sp)
            trace.register("r14", 0xFFFFFFFD if running else 0xFFFFFFF9)
            trace.event("%08x 00000010 CoreEvent_IRQ0" % names[1])
            trace.sp -= 0x20
            handler(1, 0xFFFFFFF1)
            trace.step("4770", names[0])
            trace.frames, trace.sp = interrupted_frames, main_sp
        handler(0, 0xFFFFFFFD if running else 0xFFFFFFF9)
        if chance.random() < 0.5:
            nested()
        if chance.random() < 0.2:  # the exception that follows at once comes back to the same place
            trace.step("4770")
            trace.event("%08x 0000000e CoreEvent_PendSV" % names[0])
            trace.frames = interrupted_frames
            handler(0, 0xFFFFFFFD if running else 0xFFFFFFF9)
        while True:
            if running and running.has_run and chance.random() < 0.4:
                pool[pool.index(running)] = Task(running.stack)
                left.add((running.pc, running.sp))
            next_one = chance.choice(pool)
            if next_one.is_new:
                # Not where another one was left with the same stack pointer, or just by it, which nothing could tell apart.
                near = [pc for pc, sp in left if sp == next_one.stack]
                number = chance.choice([n for n in range(1, FUNCTIONS) if all(abs(start(n) - pc) > 16 for pc in near)] or [5])
                next_one.pc, next_one.sp, next_one.is_new = start(number), next_one.stack, False
                next_one.frames = [Frame(start(number), None, next_one.sp)]
            trace.step("bf00")
            trace.register("r13_process", next_one.sp - 0x20)
            if chance.random() < 0.2:  # a function that it calls returns from the exception, by a register
                trace.call(trace.other())
                trace.step("bf00")
                while next_one.pc - trace.pc in (0, 2):  # nothing would show that it returns
                    trace.step("bf00")
                trace.step("4718", next_one.pc)
            else:
                trace.step("4770", next_one.pc)
            # One that is chained to it interrupts the next task, unless nothing tells that one from another, which ended on its stack.
            is_told = (next_one.pc, next_one.sp) != (next_one.frames[0].function, next_one.stack) or all(sp != next_one.stack for _, sp in left)
            if trace.lines[-1].split()[5] == "4770" and is_told and chance.random() < 0.3:
                trace.frames = next_one.frames
                trace.event("%08x 0000000f CoreEvent_SysTick" % names[2])
                handler(2, 0xFFFFFFFD)
                if chance.random() < 0.5:  # and asks for another switch, before the task has executed anything
                    trace.step("4770")
                    trace.event("%08x 0000000e CoreEvent_PendSV" % names[0])
                    running, trace.frames = next_one, next_one.frames
                    handler(0, 0xFFFFFFFD)
                    continue
                trace.step("4770", next_one.pc)
            break
        trace.calls[next_one.frames[0].function] += not next_one.has_run
        next_one.has_run = True
        trace.mode, trace.is_process, running = "thread", True, next_one
        trace.sp, trace.frames = next_one.sp, next_one.frames
        trace.register("r13_process", trace.sp)
        for _ in range(chance.randrange(1, 8)):
            trace.random_step()
    trace.end()
    return trace


def worlds(seed):
    """Calls from Non-secure to Secure code through SG, directly or by a linker's veneer (LDR PC), and from Secure to Non-secure by BLXNS. A
    Non-secure interrupt may come before SG, whose line has the Secure state, while the stack is still the Non-secure one."""
    trace = M(seed)
    chance, sps, world = trace.chance, {"_s": 0x30001000, "_ns": 0x20001000}, "_s"
    trace.mode = "thread_s"
    for suffix, sp in sps.items():
        trace.register("r13_main" + suffix, sp)
    called = {}  # of each frame: the world and stack pointer of its caller
    trace.sp = sps["_s"]

    def enter(other):
        nonlocal world
        sps[world] = trace.sp
        world, trace.mode, trace.sp = other, "thread" + other, sps[other]

    def move(sp):
        trace.sp = sp
        trace.register("r13_main" + world, sp)

    def interrupt(link):
        frames, back, sp, handler, time = trace.frames, trace.pc, trace.sp, start(FUNCTIONS), trace.time
        trace.event("%08x 0000000f CoreEvent_SysTick" % handler)
        trace.mode, trace.pc, trace.frames = "handler_ns", handler, [*frames, Frame(handler, None, sp)]
        move(sp - 0x20)
        trace.register("r14", 0xFFFFFFB8)
        trace.calls[handler] += 1
        trace.step("bf00")
        trace.step("4770", back)
        trace.frames = frames
        move(sp)
        trace.register("r14", link)
        for at in range(time + 1, trace.time + 1):  # who is interrupted shows only by what follows
            del trace.stacks[at]

    def other(of):
        """A function of a world, whose code is not that of the other one."""
        return chance.choice([number for number in ((2, 4) if of == "_s" else (1, 3, 5)) if start(number) != trace.pc])

    for _ in range(chance.randrange(4, 50)):
        frame, what = trace.frames[-1], chance.random()
        room = frame.function + FUNCTION_BYTES - trace.pc
        if what < 0.25 and len(trace.frames) < 8 and room > 0x20:  # into the other world
            number, back, sp = other("_ns" if world == "_s" else "_s"), trace.pc + (2 if world == "_s" else 4), trace.sp
            if world == "_s":
                trace.step("478c", start(number))
                trace.register("r14", 0xFEFFFFFF)
                move(trace.sp - 8)
            elif chance.random() < 0.5:
                trace.bl(number)
                trace.register("r14", back | 1)
            else:
                veneer = other(world)
                trace.bl(veneer)
                trace.register("r14", back | 1)
                trace.frames.append(Frame(start(veneer), back, None))
                trace.calls[start(veneer)] += 1
                number = other("_s")
                trace.step("f85ff000", start(number))
                trace.frames.pop()
            if world == "_ns" and chance.random() < 0.3:
                interrupt(back | 1)
            trace.frames.append(Frame(start(number), back, None))
            called[len(trace.frames)] = world, sp
            trace.calls[start(number)] += 1
            enter("_ns" if world == "_s" else "_s")
            trace.frames[-1].sp = trace.sp
            if world == "_s":
                trace.step("e97fe97f")
        elif what < 0.4 and len(trace.frames) < 8 and room > 0x20:
            called[len(trace.frames) + 1] = world, trace.sp
            trace.call(other(world))
        elif (what < 0.7 or room < 0x20) and len(trace.frames) > 1:
            if trace.sp != frame.sp:
                trace.step("b002")
                move(frame.sp)
            caller, sp = called[len(trace.frames)]
            while frame.back - trace.pc in (0, 2):  # nothing would show that it returns
                trace.step("bf00")
            trace.step("4774" if world == "_s" and caller == "_ns" else "4770", frame.back)
            if caller != world:
                enter(caller)
                if trace.sp != sp:
                    move(sp)
            trace.frames.pop()
        elif what < 0.85 and trace.sp == frame.sp:
            trace.step("b082")
            move(trace.sp - 8 * chance.randrange(1, 5))
        elif room < 0x20:
            trace.step("e7fe", frame.function)
        else:
            trace.step("bf00")
    trace.end()
    return trace


def loops(seed):
    """Low-overhead loops: the first round ends with LE, the others may not show it."""
    trace = M(seed)
    chance = trace.chance
    trace.register("r13_main", trace.sp)
    for _ in range(chance.randrange(2, 12)):
        trace.random_step()
        if trace.function() + FUNCTION_BYTES - trace.pc < 0x40:
            trace.step("e7fe", trace.function())
            continue
        rounds, shows_all = chance.randrange(1, 6), chance.random() < 0.2
        trace.step("f040e001")  # DLS
        trace.register("r14", rounds)
        head, length = trace.pc, chance.randrange(1, 4)
        for number in range(rounds):
            for _ in range(length):
                trace.step("bf00")
            end = trace.pc
            offset = end + 4 - head
            bits = "f00f%04x" % (0xC001 | (offset & 2) << 10 | offset >> 1 & 0x7FE)
            is_last = number + 1 == rounds
            if number == 0 or shows_all:
                trace.step(bits, None if is_last else head)
            else:
                trace.pc = end + 4 if is_last else head
            if not is_last:
                trace.register("r14", rounds - number - 1)
    trace.end()
    return trace


class Kernel(A64):
    """A program in EL0 that calls the kernel; `totals` has the time in each function and what it calls."""

    mode = "EL0t_n"

    def __init__(self, seed):
        super().__init__(seed)
        self.totals = collections.Counter()

    def step(self, bits, to=None):
        super().step(bits, to)
        self.totals.update({frame.function for frame in self.frames})

    def set_sp(self, sp):
        self.sp = sp
        self.step("910043ff")
        self.register("SP_EL0", sp)

    def in_kernel(self, pc, bits, to=None):
        self.pc = pc
        self.step(bits, to)


def trampolines(seed):
    """The way into the kernel and out of it goes through vectors that are elsewhere, by RET and BR, with the stack as at the exception."""
    trace = Kernel(seed)
    chance, kernel_sp = trace.chance, 0x800000
    trace.has_image = chance.random() < 0.5
    trace.register("SP_EL0", trace.sp)
    trace.register("SP_EL1", kernel_sp)
    trampoline, vectors, handler, work = 0xF00000, 0x200000, 0x200800, 0x201000
    if not trace.has_image:
        trace.call_each()
    for _ in range(chance.randrange(4, 40)):
        trace.random_step()
        if chance.random() < 0.3:
            trace.step("d4000001")
            back, frames = trace.pc, trace.frames
            trace.event("%016x 00000400 CoreEvent_LOWER_64_SYNC" % (trampoline + 0x400))
            trace.register("ELR_EL1", back)
            trace.mode = "EL1h_n"
            trace.frames = [*frames, Frame(trampoline, None, kernel_sp)]
            goes_in, goes_out = chance.random() < 0.7, chance.random() < 0.7
            if goes_in:
                trace.in_kernel(trampoline + 0x400, "94000002", trampoline + 0x408)
                trace.register("X30", trampoline + 0x404)
                trace.step("d503201f")
                trace.register("X30", vectors + 0x404)
                trace.step("d65f03c0", vectors + 0x404)
            else:
                trace.in_kernel(trampoline + 0x400, "d503201f")
                trace.pc = trampoline + 0x404
            trace.step("d10503ff")
            trace.register("SP_EL1", kernel_sp - 0x140)
            trace.step("%08x" % (0x14000000 | (handler - trace.pc) // 4 & 0x3FFFFFF), handler)
            if chance.random() < 0.7:
                trace.step("%08x" % (0x94000000 | (work - trace.pc) // 4 & 0x3FFFFFF), work)
                trace.register("X30", handler + 4)
                trace.step("d503201f")
                trace.step("d65f03c0", handler + 4)
            trace.step("910503ff")
            trace.register("SP_EL1", kernel_sp)
            if goes_out:
                trace.register("X30", trampoline + 0x800)
                trace.step("d61f03c0", trampoline + 0x800)
                trace.step("d503201f")
            trace.step("d69f03e0", back)
            trace.mode, trace.frames = "EL0t_n", frames
    trace.end()
    return trace


def copy_of(frames):
    return [Frame(frame.function, frame.back, frame.sp) for frame in frames]


class Process:
    def __init__(self, number, trace):
        self.key, self.kernel_sp = 0xFFFF000001000000 + number * 0x1280, 0xFFFF800080004000 + number * 0x8000
        self.pc, self.sp, self.frames, self.resume = trace.pc, trace.sp, copy_of(trace.frames), None
        self.least, self.is_new = 2, True
        self.signals = []  # where each was delivered: pc, sp, frames


class Processes(Kernel):
    """Processes under a kernel that keeps `current` in SP_EL0 while it runs: they fork, so their stacks are at the same addresses, are
    switched, and get signals. `by_task` has the total of each function and key, without interrupts, which belong to no process."""

    least = 2
    VECTORS, SWITCH, STUB, RESTORER = 0xFFFF800000010400, 0xFFFF800000012000, 0xFFFF800000013000, 0xF00000

    def __init__(self, seed):
        super().__init__(seed)
        self.by_task, self.running, self.interrupts = collections.Counter(), None, 0
        self.has_faults, self.shows_all = self.chance.random() < 0.5, self.chance.random() < 0.5
        self.register("SP_EL0", self.sp)
        self.register("SP_EL1", 0xFFFF800080004000)
        self.call(1)
        self.step("d503201f")
        self.running = Process(0, self)
        self.pool = [self.running]

    def step(self, bits, to=None):
        super().step(bits, to)
        self.count()

    def count(self):
        key = self.running.key if self.running else 0xFFFF000001000000
        self.is_interrupt = any(frame.function == self.VECTORS + 0x80 for frame in self.frames)
        self.interrupts += self.is_interrupt
        if not self.is_interrupt:
            self.by_task.update({(key, frame.function) for frame in self.frames})

    def kernel_sp(self, sp):
        self.step("910503ff")
        self.register("SP_EL1", sp)

    def enter(self, event, is_fault=False):
        """An exception from the program, up to where the kernel has set `current`. A fault comes in the place of an instruction."""
        running = self.running
        running.pc, running.sp, running.frames = self.pc, self.sp, self.frames
        vector = self.VECTORS + (0x80 if event == "IRQ" else 0)
        if is_fault:
            self.lines.append("%d clk E %016x 00000400 CoreEvent_LOWER_64_SYNC" % (self.time, vector))
        else:
            self.event("%016x 00000400 CoreEvent_LOWER_64_%s" % (vector, event))
        if not is_fault or self.shows_all:
            self.register("ELR_EL1", self.pc)
        self.mode, self.pc = "EL1h_n", vector
        self.frames = [*self.frames, Frame(vector, None, running.kernel_sp)]
        self.kernel_sp(running.kernel_sp - 0x140)
        self.step("d518411c")
        self.register("SP_EL0", running.key)

    def leave_to(self, pc, sp):
        running = self.running
        self.step("d5184117")
        self.register("SP_EL0", sp)
        self.kernel_sp(running.kernel_sp)
        self.step("d69f03e0", pc)
        self.mode, self.sp, self.frames = "EL0t_n", sp, running.frames

    def switch(self, to):
        """Calls the routine that switches; control continues where `to` had called it, or in the entry stub of a new process."""
        back = self.pc + 4
        self.step("%08x" % (0x94000000 | (self.SWITCH - self.pc) // 4 & 0x3FFFFFF), self.SWITCH)
        self.register("X30", back)
        self.frames = [*self.frames, Frame(self.SWITCH, back, self.running.kernel_sp - 0x140)]
        self.running.resume = back, self.frames[:-1]
        new_pc, frames = to.resume or (self.STUB, [Frame(self.STUB, None, to.kernel_sp)])
        self.register("X30", new_pc)
        self.kernel_sp(to.kernel_sp - 0x140)
        self.step("d518411c")
        self.register("SP_EL0", to.key)
        self.step("d65f03c0", new_pc)
        self.running, self.frames = to, frames

    def back_to_program(self):
        """Also by way of a page fault at once, after which ELR is what it was, so that some simulators do not show it."""
        running = self.running
        if self.has_faults and self.chance.random() < 0.3:
            self.register("X30", 0x10000)
            kernel = self.frames
            self.leave_to(running.pc, running.sp)
            # The instruction before lasts until the next one.
            self.time, self.frames = self.time + 1, kernel
            self.count()
            self.frames = running.frames
            self.enter("SYNC", is_fault=True)
        is_thread, running.is_new = running.is_new and running.least == 1, False  # nothing would show where it was before
        if len(running.signals) < 2 and not is_thread and self.chance.random() < 0.3:
            running.signals.append((running.pc, running.sp, running.frames))
            number, sp = self.chance.randrange(1, FUNCTIONS), running.sp - 0x1250
            running.frames = [*running.frames, Frame(start(number), self.RESTORER, sp)]
            self.calls[start(number)] += 1
            self.register("X30", self.RESTORER)
            self.leave_to(start(number), sp)
            self.step("d503201f")
        else:
            self.register("X30", 0x10000)
            self.leave_to(running.pc, running.sp)

    def end_signal(self):
        """The handler returns to the code that ends it by a system call."""
        running = self.running
        depth = len(running.signals[-1][2])
        while len(self.frames) > depth + 1:
            self.ret()
        self.ret()
        self.frames = [*self.frames, Frame(self.RESTORER, None, self.sp)]
        self.step("d4000001")
        self.enter("SYNC")
        running.pc, running.sp, running.frames = running.signals.pop()
        self.register("X30", 0x10000)
        self.leave_to(running.pc, running.sp)
        self.step("d503201f")


def processes(seed, kind=Processes):
    trace = kind(seed)
    chance, trace.has_image = trace.chance, True
    for _ in range(chance.randrange(6, 40)):
        for _ in range(chance.randrange(1, 6)):
            depth = len(trace.running.signals[-1][2]) + 1 if trace.running.signals else trace.running.least
            trace.least = depth
            trace.random_step()
        trace.running.frames = trace.frames
        if trace.running.signals and chance.random() < 0.4:
            trace.end_signal()
            continue
        is_call = chance.random() < 0.6
        if is_call:
            trace.step("d4000001")
        trace.enter("SYNC" if is_call else "IRQ")
        what = chance.random()
        if is_call and what < 0.3 and len(trace.pool) < 4:
            child = Process(len(trace.pool), trace)
            child.pc, child.sp, child.frames = trace.running.pc, trace.running.sp, copy_of(trace.running.frames)
            child.signals = [(pc, sp, copy_of(frames)) for pc, sp, frames in trace.running.signals]
            if not child.signals and chance.random() < 0.3:  # a thread, with a stack of its own
                child.sp, child.least = 0x1000000 + 0x20000 * len(trace.pool), 1
                child.frames = [Frame(child.pc & ~0xFF, None, child.sp)]
            trace.pool.append(child)
            trace.switch(child)
        elif what < 0.6 and len(trace.pool) > 1:
            trace.switch(chance.choice([other for other in trace.pool if other is not trace.running]))
        trace.back_to_program()
    trace.end()
    return trace


class Thread:
    """One of Threads; `resume` says how it goes on: by "ERET" or "RET", at `pc`."""

    def __init__(self, number):
        self.key, self.stack = 0x500000 + 0x1000 * number, 0x90000 + 0x10000 * number
        self.pc, self.sp, self.resume = start(0), self.stack, "ERET"
        self.frames = [Frame(start(0), None, self.sp)]


class Threads(A64):
    """Threads of a kernel such as ThreadX for A64: all run in EL1t, and what an interrupt finds goes to the stack of the thread, in a routine
    that returns on that of the system. A thread that waits calls a routine that branches to the scheduler; one that was interrupted goes on by
    ERET, from the scheduler as well, which no exception leads to; and often the next interrupt comes before its first instruction."""

    mode = "EL1t_n"
    ROUTINES = VECTORS, HANDLER, SAVE, WORK, RESTORE, SUSPEND, SCHEDULE = tuple(0x200000 + 0x1000 * number for number in range(7))
    CURRENT, SYSTEM = 0x400000, 0x80000

    def __init__(self, seed):
        super().__init__(seed)
        self.has_image, self.is_idle, self.pool = True, False, [Thread(0)]
        self.running = self.pool[0]
        self.register("SP_EL0", self.sp)
        self.frames = self.running.frames
        self.access_current("R", self.running.key)

    def step(self, bits, to=None):
        super().step(bits, to)
        if self.is_idle:
            del self.stacks[self.time]

    def set_sp(self, sp):
        self.sp = sp
        self.step("910043ff")
        self.register("SP_EL0", sp)

    def access_current(self, how, key):
        self.step("f9000022" if how == "W" else "f9400022")
        self.lines.append("%d clk M%s8 %016x %016x" % (self.time, how, self.CURRENT, key))

    def branch(self, to):
        """To another function of the kernel, in place of this one."""
        self.step("%08x" % (0x14000000 | (to - self.pc) // 4 & 0x3FFFFFF), to)
        self.frames[-1].function = to

    def link(self, to):
        back = self.pc + 4
        self.step("%08x" % (0x94000000 | (to - self.pc) // 4 & 0x3FFFFFF), to)
        self.register("X30", back)
        self.frames = [*self.frames, Frame(to, back, self.sp)]

    def back(self):
        self.step("d65f03c0", self.frames[-1].back)
        self.frames = self.frames[:-1]

    def interrupt(self):
        """Up to where the handler has done its work, on the stack of the system."""
        if not self.is_idle:
            self.running.pc, self.running.sp, self.running.frames, self.running.resume = self.pc, self.sp, self.frames, "ERET"
        self.event("%016x 00000080 CoreEvent_CURRENT_SP0_IRQ" % (self.VECTORS + 0x80))
        self.register("ELR_EL1", self.pc)
        self.mode, self.pc = "EL1h_n", self.VECTORS + 0x80
        self.frames = [*copy_of(self.frames), Frame(self.VECTORS, None, self.sp)]
        self.step("%08x" % (0x14000000 | (self.HANDLER - self.pc) // 4 & 0x3FFFFFF), self.HANDLER)
        self.frames.append(Frame(self.HANDLER, None, self.sp))
        self.step("d50040bf")
        self.mode = "EL1t_n"
        self.set_sp(self.sp - 16)
        self.link(self.SAVE)
        self.set_sp(self.sp - 0x30)
        self.set_sp(self.SYSTEM)
        self.back()
        self.link(self.WORK)
        self.step("d503201f")
        self.back()
        self.branch(self.RESTORE)

    def leave_to(self, thread):
        """By ERET or RET, from whatever routine."""
        self.set_sp(thread.sp - 16)
        if thread.resume == "RET":
            self.register("X30", thread.pc)
        self.set_sp(thread.sp)
        self.step("d69f03e0" if thread.resume == "ERET" else "d65f03c0", thread.pc)
        self.running, self.frames, self.sp = thread, thread.frames, thread.sp

    def schedule(self):
        """From a routine that branches to it."""
        self.branch(self.SCHEDULE)
        self.is_idle = True
        if self.chance.random() < 0.3:
            self.access_current("W", 0)
            frames = self.frames
            self.interrupt()
            self.step("d69f03e0", self.SCHEDULE)
            self.frames = frames
        if len(self.pool) < 4 and self.chance.random() < 0.4:
            self.pool.append(Thread(len(self.pool)))
        thread = self.chance.choice(self.pool)
        self.access_current("W", thread.key)
        self.leave_to(thread)
        self.is_idle = False

    def interrupted(self):
        """Whether the thread was interrupted, which then, or later, goes on."""
        self.interrupt()
        if self.chance.random() < 0.5:
            self.leave_to(self.running)
        else:
            self.schedule()

    def wait(self):
        thread = self.running
        while not self.at_call():
            self.step("d503201f")
        self.link(self.SUSPEND)
        thread.pc, thread.sp, thread.frames, thread.resume = self.frames[-1].back, self.sp, self.frames[:-1], "RET"
        self.frames = copy_of(self.frames)
        self.set_sp(self.sp - 0x60)
        self.set_sp(self.SYSTEM)
        self.schedule()


def threads(seed):
    trace = Threads(seed)
    chance = trace.chance
    for _ in range(chance.randrange(6, 40)):
        for _ in range(chance.randrange(1, 6)):
            trace.random_step()
        if chance.random() < 0.4:
            trace.wait()
        else:
            trace.interrupted()
        while trace.running.resume == "ERET" and chance.random() < 0.3:
            trace.interrupted()
        trace.step("d503201f")
    trace.end()
    return trace


KINDS = {make.__name__: make for make in (interrupted, newer, gaps, tasks, worlds, loops)}


def run(*words):
    done = quick.run([str(word) for word in words], text=True, timeout=TIMEOUT_S)
    assert done.returncode in (0, 3), f"{words}: status {done.returncode}: {done.stderr[:300]}"
    return done.stdout


def counts(trawl, path, options):
    """The self time and the number of calls of each function."""
    found = csv.DictReader(io.StringIO(run(trawl, "profile", "--format", "csv", *options, path)))
    rows = [(int(row["address"], 16) & ~1, int(row["self"]), int(row["calls"])) for row in found]
    return {address: (ticks, calls) for address, ticks, calls in rows}


def write_image(path, routines=(), code_bytes=1 << 40):
    strings, symbols = b"\0", []
    for number, at in enumerate([*map(start, range(FUNCTIONS)), *routines]):
        symbols.append((len(strings), at, FUNCTION_BYTES))
        strings += b"f%d\0" % number
    path.write_bytes(small_elf.image(strings, symbols, code=(0, code_bytes)))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(checker, place, kind):
    image = write_image(place / "image.elf")
    for seed in range(SEEDS):
        trace, path = KINDS[kind](seed), place / "t.tarmac"
        path.write_text(trace.text())
        options = ["--image", image] if trace.has_image else []
        wanted = {address: (trace.self_times[address], trace.calls[address]) for address in trace.self_times | trace.calls}
        trace_ticks = trace.time - int(trace.lines[-1].split()[0])
        assert trace_ticks == 0
        found = counts(checker.trawl, path, options)
        if kind == "newer":
            said = quick.run([str(word) for word in (checker.trawl, "profile", *options, path)], text=True, timeout=TIMEOUT_S).stderr
            checker.check(f"{kind}, seed {seed}, has no gaps", not said, said)
        # The last instruction has no duration.
        address, (ticks, calls) = trace.function(), wanted[trace.function()]
        wanted[address] = (ticks - 1, calls)
        checker.check(f"{kind}, seed {seed}", found == wanted, f"wrong {differing(wanted, found)}")
        if seed % 20 == 0:
            for size in (64, 300):
                again = counts(checker.trawl, path, [*options, "--chunk-size", size])
                checker.check(f"{kind}, seed {seed}, chunks of {size}", again == found, differing(found, again))


@pytest.mark.parametrize("make", [newer, gaps, loops, tasks, worlds, processes], ids=lambda make: make.__name__)
def test_stacks(checker, place, make):
    """The function of each frame at points of the trace, whose next instruction is the one that is asked for."""
    image, path, index = write_image(place / "image.elf"), place / "t.tarmac", place / "t.index"
    for seed in range(SEEDS):
        trace = make(seed)
        path.write_text(trace.text())
        run(checker.trawl, "index", "-q", "--force-index", "--index", index, "--image", image, path)
        times = [time for time in trace.stacks if time > 1]
        for time in trace.chance.sample(times, min(4, len(times))):
            words = ("stack", "--index", index, "--unwind", "calls", "--format", "csv", "--at", f"time:{time - 1}", path)
            rows = list(csv.DictReader(io.StringIO(run(checker.trawl, *words))))
            found = [int(row["pc"] or row["entry"], 16) & ~0xFF for row in rows]
            wanted = [function & ~0xFF for function in trace.stacks[time][1]]
            is_marked = any(row["source"] == "guess" for row in rows)
            checker.check(f"{make.__name__}, seed {seed}, at {time}", found == wanted or is_marked, (list(map(hex, wanted)), list(map(hex, found))))


@pytest.mark.parametrize("key", ["", "u64(0x400000)"], ids=["by stacks", "by key"])
def test_threads(checker, place, key):
    """The stacks of threads, none of which is a guess, and that code counts for its own function."""
    image, path, index = write_image(place / "image.elf", Threads.ROUTINES), place / "t.tarmac", place / "t.index"
    options = ["--task-key", key] if key else []
    for seed in range(SEEDS):
        trace = threads(seed)
        path.write_text(trace.text())
        made = [checker.trawl, "index", "-q", "--force-index", "--index", index, "--image", image, *options, path]
        said = quick.run([str(word) for word in made], text=True, timeout=TIMEOUT_S).stderr
        checker.check(f"threads, seed {seed}, has no doubts", not said, said)
        times = [time for time in trace.stacks if time > 1]
        for time in trace.chance.sample(times, min(3, len(times))):
            words = ("stack", "--index", index, "--unwind", "calls", "--format", "csv", *options, "--at", f"time:{time - 1}", path)
            rows = list(csv.DictReader(io.StringIO(run(checker.trawl, *words))))
            # By key, the place of a thread whose handler was left for a scheduler, which was interrupted in turn, may be shown there.
            found = [int((not key and row["pc"]) or row["entry"], 16) & ~0xFF for row in rows]
            wanted = [function & ~0xFF for function in trace.stacks[time][1]]
            checker.check(f"threads, seed {seed}, at {time}", found == wanted and all(row["source"] == "calls" for row in rows),
                          (list(map(hex, wanted)), list(map(hex, found))))  # fmt: skip


def test_trampolines(checker, place):
    """What the kernel does for a program counts to the program's functions, whichever way it goes there and back."""
    image = write_image(place / "image.elf")
    for seed in range(SEEDS):
        trace, path = trampolines(seed), place / "t.tarmac"
        path.write_text(trace.text())
        options = ["--image", image] if trace.has_image else []
        functions = [start(number) for number in range(FUNCTIONS)]
        trace.totals.subtract({frame.function for frame in trace.frames})  # the last instruction has no duration
        wanted = {at: (trace.totals[at], trace.calls[at]) for at in functions if trace.calls[at]}
        for size in [[], ["--chunk-size", 64], ["--chunk-size", 300]][: 3 if seed % 20 == 0 else 1]:
            rows = csv.DictReader(io.StringIO(run(checker.trawl, "profile", "--format", "csv", *options, *size, path)))
            found = {int(row["address"], 16): (int(row["total"]), int(row["calls"])) for row in rows if int(row["address"], 16) in functions}
            checker.check(f"trampolines, seed {seed}, {size}", found == wanted, differing(wanted, found))


def test_processes(checker, place):
    """The time of each function, with what it calls and what the kernel does for it, in each process."""
    image = write_image(place / "image.elf")
    for seed in range(SEEDS):
        trace, path = processes(seed), place / "t.tarmac"
        path.write_text(trace.text())
        key = trace.running.key
        if not trace.is_interrupt:
            trace.by_task.subtract({(key, frame.function) for frame in trace.frames})  # the last instruction has no duration
        trace.interrupts -= trace.is_interrupt
        wanted = {(key, at): ticks for (key, at), ticks in trace.by_task.items() if FIRST < at < start(FUNCTIONS) and ticks}
        for size in [[], ["--chunk-size", 64], ["--chunk-size", 300]][: 3 if seed % 20 == 0 else 1]:
            rows = list(csv.DictReader(io.StringIO(run(checker.trawl, "profile", "--by", "task", "--format", "csv", "--image", image, *size, path))))
            found = collections.Counter()
            if "task" in rows[0] and len(trace.pool) > 1:
                for row in rows:
                    if FIRST < int(row["address"], 16) < start(FUNCTIONS) and int(row["total"]) and row["task"] != "interrupts":
                        found[int(row["task"].split()[-1], 16), int(row["address"], 16)] += int(row["total"])
                checker.check(f"processes, seed {seed}, {size}", found == wanted, differing_by_task(wanted, found))
                if not size and seed % 20 == 0:
                    calls = list(csv.DictReader(io.StringIO(run(checker.trawl, "calls", "--by", "task", "--format", "csv", "--image", image, path))))
                    handlers = [row for row in calls if int(row["address"], 16) in (trace.VECTORS, trace.VECTORS + 0x80)]
                    checker.check(f"calls by task, seed {seed}", handlers and all(("interrupts" in row.values()) == (int(row["address"], 16) > trace.VECTORS)
                                  for row in handlers), handlers[:3])  # fmt: skip
                there = sum(int(row["self"]) for row in rows if row["task"] == "interrupts")
                checker.check(f"interrupts, seed {seed}, {size}", there == trace.interrupts, (there, trace.interrupts))


def test_descriptor_used_again(checker, place):
    """A new process has the descriptor of one that has ended, and a stack of its own, below the other's: it has no callers in the kernel."""
    trace, path = Processes(0), place / "t.tarmac"
    image = write_image(place / "image.elf", [Processes.SWITCH, Processes.STUB], 0xFFFFFFFFFFFF0000)
    parent = trace.running
    for lower in (0, 0x100000):
        trace.step("d4000001")
        trace.enter("SYNC")
        child = Process(1, trace)
        child.pc, child.sp, child.frames, child.kernel_sp = parent.pc, parent.sp, copy_of(parent.frames), child.kernel_sp - lower
        trace.switch(child)
        trace.step("d503201f")
        begun = trace.time
        trace.register("X30", 0x10000)
        for process in (child, parent):
            trace.leave_to(process.pc, process.sp)
            trace.step("d503201f")
            if process is child:
                trace.step("d4000001")
                trace.enter("SYNC")
                trace.switch(parent)
    path.write_text(trace.text())
    words = ("stack", "--memory-index", "--unwind", "calls", "--format", "csv", "--image", image, "--at", f"time:{begun}", path)
    found = [row["entry"] for row in csv.DictReader(io.StringIO(run(checker.trawl, *words)))]
    checker.check("the new process", found == [f"0x{Processes.STUB:x}"], found)


def differing_by_task(wanted, found):
    return {(hex(k), hex(a)): (wanted.get((k, a)), found.get((k, a))) for k, a in wanted | found if wanted.get((k, a)) != found.get((k, a))}


def test_idle_is_named(checker, place):
    """A task whose key is the address of init_task is idle; others are named after where they began."""
    trace = next(trace for trace in map(processes, range(SEEDS)) if len(trace.pool) > 1)
    path, image = place / "t.tarmac", place / "idle.elf"
    path.write_text(trace.text())
    strings, key = b"\0f1\0init_task\0", trace.pool[0].key
    data = small_elf.image(strings, [(1, start(1), FUNCTION_BYTES), (4, key, 0x1280, 1, 1)])
    code = small_elf.section_header(1, 8, 6, 0, 0, 1 << 40, 0, 0, 4, 0)
    assert code in data
    image.write_bytes(data.replace(code, small_elf.section_header(1, 8, 6, 0, 0, (1 << 64) - 1, 0, 0, 4, 0)))  # reaches the kernel
    rows = csv.DictReader(io.StringIO(run(checker.trawl, "profile", "--by", "task", "--format", "csv", "--image", image, path)))
    names = {row["task"] for row in rows}
    checker.check("names", f"idle {key:#x}" in names and not any("idle" in name for name in names - {f"idle {key:#x}"}), names)


def test_guesses_are_marked(checker, place):
    """Control is suddenly in the middle of another function: its call is a guess, and nothing else is."""
    image, path = write_image(place / "image.elf"), place / "t.tarmac"
    trace = A64(0)
    trace.register("SP_EL1", trace.sp)
    trace.call(1)
    trace.call(2)
    trace.step("d503201f")
    trace.pc = start(4) + 0x40
    for _ in range(3):
        trace.step("d503201f")
    path.write_text(trace.text())
    done = quick.run([str(checker.trawl), "calltree", "--image", str(image), str(path)], text=True, timeout=TIMEOUT_S)
    marked = [line.split(" : ")[1].split()[0] for line in done.stdout.splitlines() if "(guess)" in line and " : " in line]
    checker.check("call tree", marked == ["f4"], done.stdout)
    checker.check("count", "1 call that rests on a guess" in done.stderr, done.stderr)
    rows = list(csv.DictReader(io.StringIO(run(checker.trawl, "calltree", "--format", "csv", "--image", image, path))))
    checker.check("call tree as CSV", [row["function"] for row in rows if "guess" in row.values()] == ["f4"], rows)
    rows = list(csv.DictReader(io.StringIO(run(
        checker.trawl, "stack", "--memory-index", "--unwind", "calls", "--format", "csv", "--image", image, "--at", f"line:{len(trace.lines)}", path
    ))))  # fmt: skip
    for form, marks in (("chrome", '"guess":true'), ("speedscope", "f4 (guess)"), ("firefox", "f4 (guess)")):
        text = run(checker.trawl, "export", "--format", form, "--image", image, path)
        checker.check(f"exported as {form}", text.count(marks) == 1, text)
    run(checker.trawl, "export", "--format", "perfetto", "-o", place / "p", "--image", image, path)
    checker.check("exported as perfetto", (place / "p").read_bytes().count(b"guess") == 1)
    run(checker.trawl, "export", "--format", "ctf", "-o", place / "ctf", "--image", image, path)
    checker.check("exported as ctf", sum(one.read_bytes().count(b"guess") for one in (place / "ctf").iterdir()) == 1)
    collapsed = run(checker.trawl, "flamegraph", "--image", image, path).splitlines()
    checker.check("flame graph", [line.rsplit(" ", 1)[0].split(";")[-1] for line in collapsed if "guess" in line] == ["f4 (guess)"], collapsed)
    own = int(next(line for line in collapsed if "guess" in line).rsplit(" ", 1)[1])
    text = run(checker.trawl, "flamegraph", "--format", "svg", "--image", image, path)
    checker.check("picture", text.count("f4 (guess)") >= 1, text[:300])
    found = test_export.read_callgrind(run(checker.trawl, "export", "--format", "callgrind", "--image", image, path).encode())
    checker.check("callgrind", found.get("f4 (guess)", (0,))[0] == own and "f4" not in found, found)
    run(checker.trawl, "export", "--format", "pprof", "-o", place / "pprof", "--image", image, path)
    samples = test_export.samples_of_pprof((place / "pprof").read_bytes())
    checker.check("pprof", [own for stack, _, own, _ in samples if stack[0] == "f4 (guess)"] == [own] and all("f4" not in stack for stack, *_ in samples), samples)
    by_line = run(checker.trawl, "flamegraph", "--lines", "--image", image, path)
    checker.check("by line", {line.split(";")[-2] for line in by_line.splitlines() if ";f4" in line} == {"(guess)"}, by_line)
    profile = list(csv.DictReader(io.StringIO(run(checker.trawl, "profile", "--format", "csv", "--image", image, path))))
    checker.check("profile", {row["function"]: row["guesses"] for row in profile if row["guesses"] != "0"} == {"f4": "1"}, profile)
    checker.check("stack", [row["source"] for row in rows] == ["guess"] + ["calls"] * (len(rows) - 1) and len(rows) > 1, rows)


def stack(trawl, path, *options):
    rows = csv.DictReader(io.StringIO(run(trawl, "stack", "--memory-index", "--format", "csv", *options, path)))
    return [(int(row["pc"], 16), int(row["entry"] or "0", 16)) for row in rows]


@pytest.mark.parametrize("by", ["calls", "auto"])
def test_nobody_called_what_replaced_the_root(checker, place, by):
    """The reset handler's first instruction branches to main; boot code enters the program by ERET, to the next address."""
    image, path = write_image(place / "image.elf"), place / "t.tarmac"
    options = ["--unwind", by, "--image", image]
    trace = M(0)
    trace.register("r13_main", trace.sp)
    trace.step("f000b8fe", start(2))
    trace.call(3)
    trace.step("bf00")
    path.write_text(trace.text())
    found = stack(checker.trawl, path, "--at", f"line:{len(trace.lines)}", *options)
    checker.check(f"reset, {by}", [entry for _, entry in found] == [start(3), start(2)], found)
    trace = A64(0)
    trace.pc = FIRST + FUNCTION_BYTES - 4
    trace.register("SP_EL1", 0x80000)
    trace.register("SP_EL0", trace.sp)
    trace.step("d69f03e0")
    trace.mode = "EL0t_n"
    trace.frames = [Frame(start(1), None, trace.sp)]
    trace.call(3)
    trace.step("d503201f")
    path.write_text(trace.text())
    found = stack(checker.trawl, path, "--at", f"line:{len(trace.lines)}", *options)
    checker.check(f"ERET, {by}", [entry for _, entry in found] == [start(3), start(1)], found)


def differing(wanted, found):
    return {hex(a): (wanted.get(a), found.get(a)) for a in wanted | found if wanted.get(a) != found.get(a)}


def test_places_of_interrupted_functions(checker, place):
    """In a handler, the PC of each frame is in the frame's function, and that of the interrupted one is where it goes on."""
    image = write_image(place / "image.elf")
    for seed in range(40):
        trace, path = interrupted(seed), place / "t.tarmac"
        options = ["--image", image] if trace.has_image else []
        path.write_text(trace.text())
        steps = [(number, int(line.split()[4], 16)) for number, line in enumerate(trace.lines, 1) if " IT (" in line]
        handlers = [at for at, (_, pc) in enumerate(steps) if pc == VECTOR and at + 4 < len(steps)]
        for at in handlers[:: max(1, len(handlers) // 3)]:
            rows = list(csv.DictReader(io.StringIO(run(
                checker.trawl, "stack", "--memory-index", "--unwind", "calls", "--format", "csv", "--at", f"line:{steps[at][0]}", *options, path
            ))))  # fmt: skip
            found = [(int(row["pc"], 16), int(row["entry"], 16)) for row in rows[1:]]
            back = next(pc for _, pc in steps[at:] if pc < VECTOR or pc > VECTOR + 0x80)
            is_inside = all(0 <= pc - entry < FUNCTION_BYTES for pc, entry in found)
            # Where the interrupt came before the first instruction of a function, the one around it is at its call, or its branch.
            goes_on = found and (found[0][0] == back or (found[0][0] == steps[at - 1][1] and back & ~0xFF != found[0][1]))
            checker.check(f"seed {seed}, line {steps[at][0]}", not found or (goes_on and is_inside), (hex(back), found))


def test_handlers_that_return_where_they_interrupted(checker, place):
    """Handlers of the M profile return by BX LR of a function that they branched to, when what they interrupted is about to do the same: a
    task, or another handler, which is then chained to a third one."""
    image, path = write_image(place / "image.elf"), place / "t.tarmac"
    shared, task, back = start(3), start(1), start(1) + 4
    for is_nested in (False, True):
        trace = M(0)
        trace.is_process, trace.pc = True, task
        trace.register("r13_main", 0x20008000)
        trace.register("r13_process", 0x20001000)
        trace.register("CONTROL", 2)
        trace.bl(3)
        trace.register("r14", back | 1)

        def enter(number, link, frame, name, moves=True):
            trace.event("%08x 00000018 CoreEvent_EXT_INT%d" % (start(number), number))
            trace.mode, trace.pc = "handler", start(number)
            if moves:
                trace.register(name, frame)
            trace.register("r14", link)

        def leave():
            trace.step("%04x%04x" % (0xF000 | (shared - trace.pc - 4 >> 12 & 0x7FF), 0xB800 | (shared - trace.pc - 4 >> 1 & 0x7FF)), shared)
            trace.function = lambda: shared

        def stepped(function, bits, to=None):
            trace.function = lambda: function
            trace.step(bits, to)

        enter(4, 0xFFFFFFFD, 0x20000FE0, "r13_process")
        stepped(start(4), "bf00")
        trace.function = lambda: start(4)
        leave()
        if is_nested:
            enter(5, 0xFFFFFFF1, 0x20007FE0, "r13_main")
            stepped(start(5), "bf00")
            trace.function = lambda: start(5)
            leave()
            stepped(shared, "4770", shared)  # back to the first handler
            trace.register("r13_main", 0x20008000)
            trace.register("r14", 0xFFFFFFFD)
            stepped(shared, "4770")
            enter(2, 0xFFFFFFFD, 0, "", False)
            trace.function = lambda: start(2)
            leave()
        stepped(shared, "4770", shared)  # back to the task
        trace.mode = "thread"
        trace.register("r13_process", 0x20001000)
        trace.register("r14", back | 1)
        stepped(shared, "4770", back)
        stepped(task, "bf00")
        stepped(task, "bf00")
        path.write_text(trace.text())
        found = stack(checker.trawl, path, "--unwind", "calls", "--image", image, "--at", "end")
        checker.check(f"stack, nested {is_nested}", [pc & ~0xFF for pc, _ in found] == [task], list(map(hex, (pc for pc, _ in found))))
        rows = csv.DictReader(io.StringIO(run(checker.trawl, "profile", "--by", "task", "--format", "csv", "--image", image, path)))
        ticks = sum(int(row["self"]) for row in rows if row["task"] == "interrupts")
        wanted = sum(1 for line in trace.lines if " IT (" in line and " handler " in line)
        checker.check(f"time of interrupts, nested {is_nested}", ticks == wanted, (wanted, ticks))


def test_stacks_of_modes_above_those_of_tasks(checker, place):
    """The first task of A32 is begun from Supervisor mode; tasks run in System mode. An interrupt's handler runs in Supervisor mode, on a stack above all of theirs, and switches to a
    task that begins, whose stack is above that of the first, and back again. The interrupted function goes on where the link register says."""
    image, path = write_image(place / "image.elf"), place / "t.tarmac"
    trace, first, second, back = Trace(0), 0x20001000, 0x20002000, start(1) + 8
    trace.state, trace.mode, trace.digits, trace.pc = "A", "svc_s", 8, FIRST
    trace.register("r13_svc", 0x20003000)
    trace.register("r13_irq", 0x20004000)

    def bl(number):
        after = trace.pc + 4
        trace.step("%08x" % (0xEB000000 | (start(number) - trace.pc - 8) // 4 & 0xFFFFFF), start(number))
        trace.register("r14_" + ("usr" if trace.mode == "sys" else "svc"), after)

    def switch(to, sp, resume):
        trace.event("00000018 00000018 CoreEvent_IRQ")
        trace.mode, resumed, trace.pc = "irq_s", trace.pc, 0x18
        trace.register("r14_irq", resumed + 4)
        trace.step("e59ff00c", start(2))
        trace.step("f1020013")  # CPS
        trace.mode = "svc_s"
        bl(3)
        trace.step("e24dd020")
        trace.register("r13_svc", 0x20002FE0)
        inside = trace.time
        trace.step("e28dd020")
        trace.register("r13_svc", 0x20003000)
        trace.step("e12fff1e", start(2) + 8)
        trace.step("f102001f")
        trace.mode = "sys"
        trace.register("r13_usr", sp - 8)
        trace.step("f8bd0a00", resume)
        trace.register("r13_usr", sp)
        return resumed, inside

    trace.step("f102001f")
    trace.mode = "sys"
    trace.register("r13_usr", first - 8)
    trace.step("f8bd0a00", start(1))
    trace.register("r13_usr", first)
    trace.step("e1a00000")
    bl(4)
    trace.step("e24dd010")
    trace.register("r13_usr", first - 16)
    interrupted_pc, inside = switch(start(5), second, start(5))
    trace.step("e1a00000")
    switch(start(4), first - 16, interrupted_pc)
    trace.step("e1a00000")
    trace.step("e1a00000")
    path.write_text(trace.text())
    for at, wanted in (("end", [start(4), start(1)]), (f"time:{inside}", [start(3), start(2), 0, start(4), start(1)])):
        found = stack(checker.trawl, path, "--unwind", "calls", "--image", image, "--at", at)
        checker.check(f"at {at}", [pc & ~0xFF for pc, _ in found] == wanted, [hex(pc) for pc, _ in found])
    checker.check("the place of the interrupted function", found[3][0] == interrupted_pc, [hex(pc) for pc, _ in found])


def test_place_that_the_machine_stacked(checker, place):
    """A handler of the M profile from which control does not return, as where the task is deleted: the machine has put where the task would
    go on into its frame, with and without registers of floating point, below an aligned stack pointer; also if another handler is chained."""
    image, path = write_image(place / "image.elf"), place / "t.tarmac"
    for link, used, above, is_chained in ((0xFFFFFFFD, 0x20, 0, False), (0xFFFFFFFD, 0x20, 4, False), (0xFFFFFFED, 0x68, 0, False), (0xFFFFFFFD, 0x20, 0, True)):
        trace, sp = M(0), 0x20001000 - above
        trace.is_process, trace.pc = True, start(1)
        for name, value in (("r13_main", 0x20008000), ("r13_process", sp), ("CONTROL", 2)):
            trace.register(name, value)
        trace.step("bf00")
        trace.step("d0fe", start(1) + 0x40)  # a branch: the next instruction is elsewhere
        frame = (sp - used) & ~7
        for number in (3, 4) if is_chained else (3,):
            trace.event("%08x 0000000e CoreEvent_PendSV" % start(number))
            trace.mode, trace.pc = "handler", start(number)
            for i, value in enumerate((0, 1, 2, 3, 12, 14, start(1) + 0x40, 0x01000000) if number == 3 else ()):
                trace.lines.append("%d clk MW4 %08x %08x" % (trace.time + 1, frame + 4 * i, value))
            trace.register("r13_process", frame)
            trace.register("r14", link)
            trace.step("bf00")
            if is_chained and number == 3:
                trace.step("4770", start(4))
        trace.step("bf00")
        path.write_text(trace.text())
        found = stack(checker.trawl, path, "--unwind", "calls", "--image", image, "--at", "end")
        checker.check(f"{link:x}, {above}, chained {is_chained}", [pc for pc, _ in found[1:]] == [start(1) + 0x40], [hex(pc) for pc, _ in found])


def test_interrupts_between_worlds(checker, place):
    """An interrupt comes after BXNS, before the first Non-secure instruction: it is stacked where the Non-secure task is. Another one is
    chained to it."""
    image, path = write_image(place / "image.elf"), place / "t.tarmac"
    for is_chained in (False, True):
        trace, back = M(0), start(1) + 8
        trace.mode, trace.pc = "thread_ns", start(1)
        for name, value in (("main_s", 0x30008000), ("process_s", 0x30001000), ("main_ns", 0x20008000), ("process_ns", 0x20001000)):
            trace.register("r13_" + name, value)
        trace.register("CONTROL_S", 2)
        trace.register("CONTROL_NS", 2)
        trace.step("bf00")
        trace.step("bf00")
        trace.bl(2)
        trace.register("r14", back | 1)
        trace.mode = "thread_s"
        trace.step("e97fe97f")
        trace.register("r14", back)
        trace.step("bf00")
        trace.step("4774", back)
        for number in (3, 4) if is_chained else (3,):
            trace.event("%08x 0000000f CoreEvent_SysTick" % start(number))
            trace.mode, trace.pc = "handler_ns", start(number)
            trace.register("r13_process_ns", 0x20000FE0)
            trace.register("r14", 0xFFFFFFBC)
            trace.register("CONTROL_NS", 0)
            trace.step("bf00")
            trace.step("4770", back)
        trace.mode = "thread_ns"
        trace.register("r13_process_ns", 0x20001000)
        trace.register("CONTROL_NS", 2)
        trace.step("bf00")
        trace.step("bf00")
        path.write_text(trace.text())
        handler = max(at for at, line in enumerate(trace.lines, 1) if " handler_ns " in line)
        for at, wanted in ((f"line:{handler - 3}", [start(4 if is_chained else 3), start(1)]), ("end", [start(1)])):
            found = stack(checker.trawl, path, "--unwind", "calls", "--image", image, "--at", at)
            checker.check(f"chained {is_chained}, at {at}", [pc & ~0xFF for pc, _ in found] == wanted, [hex(pc) for pc, _ in found])
        rows = csv.DictReader(io.StringIO(run(checker.trawl, "profile", "--by", "task", "--format", "csv", "--image", image, path)))
        tasks = {row["task"] for row in rows}
        checker.check(f"chained {is_chained}, tasks", len(tasks) == 2 and "interrupts" in tasks, tasks)


def test_signed_return_addresses(checker, place):
    """Return addresses are signed above the bits that addresses have, 32 to 52, in either half of memory; TCR_EL1, or else images, tell how
    many these are.
    The stack by frame pointers is that of the calls, wherever signatures begin."""
    path, image, depth = place / "t.tarmac", place / "image.elf", 5
    for seed in range(SEEDS):
        chance = random.Random(seed)
        bits, is_high = chance.randrange(32, 53), chance.random() < 0.5
        size = 0x10000
        base = (chance.randrange(1 << bits) & ~0xFFFF) % ((1 << bits) - size)
        base = base | (1 << 64) - (1 << bits) if is_high else base + 0x10000
        strings, symbols, lines, time = b"\0", [], [], 0
        for number in range(depth):
            symbols.append((len(strings), base + 0x100 * number, 0x100))
            strings += b"f%d\0" % number
        image.write_bytes(small_elf.image(strings, symbols, (base, size)))
        sp, back = (1 << bits - 1) - 0x10000, 0
        lines.append(f"0 clk R X29 {0:016x}\n0 clk R SP_EL1 {sp:016x}")
        has_sizes = chance.random() < 0.5
        if has_sizes:
            sizes = [64 - bits, chance.randrange(12, 40)]
            lines.append(f"0 clk R TCR_EL1 {sizes[is_high] | sizes[1 - is_high] << 16 | 0x80 << 32:016x}")
        frame = 0
        for number in range(depth):
            pc = base + 0x100 * number
            signature = chance.getrandbits(64) & (((1 << 55) - (1 << bits)) | 0xFF << 56 if bits < 55 else 0)
            signed = back and back ^ signature

            def step(code, *more):
                nonlocal time, pc
                time += 1
                lines.extend([f"{time} clk IT ({time}) {pc:016x} {code} O EL1h_n : X", *[f"{time} clk {line}" for line in more]])
                pc += 4

            step("d503233f", f"R X30 {signed:016x}")
            sp -= 32
            step("a9be7bfd", f"MW8 {sp:016x} {frame:016x}", f"MW8 {sp + 8:016x} {signed:016x}", f"R SP_EL1 {sp:016x}")
            step("910003fd", f"R X29 {sp:016x}")
            frame, back = sp, pc + 4
            step("%08x" % (0x94000000 | (0x100 - 12) // 4), f"R X30 {back:016x}")
        lines.pop()
        lines.pop()
        path.write_text("\n".join(lines) + "\n")
        words = [checker.trawl, "stack", "--memory-index", "--unwind", "fp", "--format", "csv", *([] if has_sizes else ["--image", image]), path]
        found = [(int(row["pc"], 16) - base) // 0x100 for row in csv.DictReader(io.StringIO(run(*words)))]
        checker.check(f"seed {seed}: {bits} bits", found == list(reversed(range(depth))), (found, hex(base), has_sizes))


def test_causes_of_exceptions(checker, place):
    """A stack says what an exception was taken for: a system call by its number, with the name that the kernel's table has for it, as the
    kernel's own load shows; a page fault with its address; an interrupt."""
    vectors, table, write, program = 0x200800, 0x300000, 0x201000, 0x10000
    strings = b"\0vectors\0sys_call_table\0__arm64_sys_write\0main\0"
    symbols = [(1, vectors, 0x800), (9, table, 0x1000, 1, 1), (24, write, 0x100), (42, program, 0x1000)]
    image, path = place / "image.elf", place / "t.tarmac"
    image.write_bytes(small_elf.image(strings, symbols))
    chance, lines, wanted, time = random.Random(1), [], [], 0

    def step(pc, code, mode, *more):
        nonlocal time
        time += 1
        lines.extend([f"{time} clk IT ({time}) {pc:016x} {code} O {mode} : X", *[f"{time} clk {line}" for line in more]])

    step(program, "d503201f", "EL0t_n", "R SP_EL0 0000000000090000", "R SP_EL1 0000000000800000")
    pc = program + 4
    for _ in range(60):
        what, number, address = chance.choice(["call", "fault", "fetch", "interrupt"]), chance.choice([64, 64, 5, 1000]), chance.getrandbits(40)
        if what == "call":
            step(pc, "d2800808", "EL0t_n", f"R X8 {number:016x}")
            step(pc + 4, "d4000001", "EL0t_n")
            pc += 8
        else:
            step(pc, "d503201f", "EL0t_n")
            pc += 4
        vector = vectors + (0x480 if what == "interrupt" else 0x400)
        lines.append(f"{time + 1} clk E {vector:016x} 00000400 CoreEvent_LOWER_64_{'IRQ' if what == 'interrupt' else 'SYNC'}")
        lines.append(f"{time + 1} clk R ELR_EL1 {pc:016x}")
        syndromes = {"call": 0x56000000, "fault": chance.choice([0x9200004F, 0x96000007]), "fetch": 0x82000007}
        if what in syndromes:
            lines.append(f"{time + 1} clk R ESR_EL1 {syndromes[what]:016x}")
        if what in ("fault", "fetch"):
            lines.append(f"{time + 1} clk R FAR_EL1 {address:016x}")
        step(vector, "d503201f", "EL1h_n")
        if what == "call" and number == 64 and not any(" MR8 " in line for line in lines):
            step(vector + 4, "f8605801", "EL1h_n", f"MR8 {table + 8 * number:016x} {write:016x}", f"R X1 {write:016x}")
            vector += 4
        texts = {
            "call": f"syscall {number}" + " (write)" * (number == 64),
            "fault": f"page fault at {address:#x}",
            "fetch": f"page fault of an instruction at {address:#x}",
            "interrupt": "interrupt",
        }
        wanted.append((time, texts[what]))
        step(vector + 4, "d503201f", "EL1h_n", "R X8 0000000000000007")
        step(vector + 8, "d69f03e0", "EL1h_n")
    step(pc, "d503201f", "EL0t_n")
    path.write_text("\n".join(lines) + "\n")
    for at, text in wanted:
        rows = list(csv.DictReader(io.StringIO(run(checker.trawl, "stack", "--unwind", "calls", "--format", "csv", "--image", image, "--at", f"time:{at}", path))))
        checker.check(f"at {at}", [row["exception"] for row in rows if row.get("exception")] == [text], (text, rows))
    rows = list(csv.DictReader(io.StringIO(run(checker.trawl, "stack", "--format", "csv", "--image", image, "--at", "time:1", path))))
    checker.check("outside of exceptions", all("exception" not in row for row in rows), rows)


def test_caller_from_before_the_trace(checker, place):
    """A task that was far down its calls when the trace began returns from these, and then calls: who called is in the stack, with doubt."""
    image, path = write_image(place / "image.elf"), place / "t.tarmac"
    for seed in range(20):
        trace = A64(seed)
        sp = 0xA0000 + 0x10000 * trace.chance.randrange(8)
        trace.register("SP_EL1", trace.sp)
        trace.call(1)
        trace.step("d503201f")
        trace.set_sp(sp)
        trace.register("X30", start(3) + 0x24)
        trace.step("d65f03c0", start(3) + 0x24)  # to the other task, in the middle of a function
        trace.frames = [Frame(start(2), None, sp + 0x40), Frame(start(3), None, sp)]
        trace.call(5)
        trace.step("d503201f")
        trace.ret()
        if seed % 2:
            trace.set_sp(sp + 0x40)
        trace.register("X30", start(2) + 0x40)
        trace.step("d65f03c0", start(2) + 0x40)
        trace.frames.pop()
        trace.call(4)
        trace.step("d503201f")
        trace.step("d503201f")
        path.write_text(trace.text())
        words = [str(checker.trawl), "stack", "--memory-index", "--unwind", "calls", "--format", "csv", "--image", str(image), str(path)]
        done = quick.run(words, text=True, timeout=TIMEOUT_S)
        found = [row["function"].split("+")[0] for row in csv.DictReader(io.StringIO(done.stdout))]
        checker.check(f"seed {seed}", found == ["f4", "f2"] and "doubtful from frame 2 on: f2 was entered" in done.stderr, (found, done.stderr))


class BegunInKernel(Processes):
    """The trace begins where the first process calls the routine that switches: its key is shown only when it runs again."""

    begun = False

    def __init__(self, seed):
        self.by_key = collections.Counter()
        super().__init__(seed)

    def count(self):
        super().count()
        self.last = "interrupts" if self.is_interrupt else self.running.key if self.running else None
        self.by_key[self.last] += 1

    def switch(self, to):
        if not self.begun:
            self.begun = True
            self.lines.clear()
            self.by_key.clear()
            self.frames = self.frames[-1:]
            self.frames[0].function = self.pc  # not known to be an interrupt
            self.register("SP_EL1", self.running.kernel_sp - 0x140)
        super().switch(to)


def test_key_of_the_first_task(checker, place):
    """The time of each process where the first one was in the kernel when the trace began."""
    image, path, seen = write_image(place / "image.elf"), place / "t.tarmac", 0
    for seed in range(SEEDS):
        trace = processes(seed, BegunInKernel)
        if not trace.begun or len(trace.by_key - collections.Counter(["interrupts"])) < 2 or trace.by_key[trace.pool[0].key] < 20:
            continue
        seen += 1
        path.write_text(trace.text())
        trace.by_key[trace.last] -= 1  # the last instruction has no duration
        for size in [[], ["--chunk-size", 64], ["--chunk-size", 300]][: 3 if seed % 20 == 0 else 1]:
            found = collections.Counter()
            for row in csv.DictReader(io.StringIO(run(checker.trawl, "profile", "--by", "task", "--format", "csv", "--image", image, *size, path))):
                word = row["task"].split()[-1]
                found[int(word, 16) if word.startswith("0x") else word] += int(row["self"])
            checker.check(f"seed {seed}, {size}", +found == +trace.by_key, (found, trace.by_key))
    checker.check("there are such traces", seen > SEEDS // 4, seen)


# A process that another core has run, up to the middle of a function, continues on this one, by a page fault at once.
MOVED = """\
1 clk cpu1 IT (1) ffff800080020000 d503201f O EL1h_n : NOP
1 clk cpu1 R SP_EL0 ffff000001000000
1 clk cpu1 R SP_EL1 ffff800080004000
2 clk cpu1 IT (2) ffff800080020004 d503201f O EL1h_n : NOP
3 clk cpu1 IT (3) ffff800080020008 d5184100 O EL1h_n : MSR SP_EL0,x0
3 clk cpu1 R SP_EL0 ffff000002000000
4 clk cpu1 IT (4) ffff80008002000c 9100001f O EL1h_n : MOV sp,x0
4 clk cpu1 R SP_EL1 ffff800080008000
5 clk cpu1 IT (5) ffff800080020010 d5184020 O EL1h_n : MSR ELR_EL1,x0
5 clk cpu1 R ELR_EL1 0000000000400128
6 clk cpu1 IT (6) ffff800080020014 d5184100 O EL1h_n : MSR SP_EL0,x0
6 clk cpu1 R SP_EL0 0000ffff00001000
7 clk cpu1 IT (7) ffff800080020018 d69f03e0 O EL1h_n : ERET
8 clk cpu1 E ffff800080010400 00000400 CoreEvent_LOWER_64_SYNC
{elr}9 clk cpu1 IT (8) ffff800080010400 d503201f O EL1h_n : NOP
10 clk cpu1 IT (9) ffff800080010404 d5184100 O EL1h_n : MSR SP_EL0,x0
10 clk cpu1 R SP_EL0 ffff000002000000
11 clk cpu1 IT (10) ffff800080010408 d503201f O EL1h_n : NOP
"""


@pytest.mark.parametrize("elr, pc", [("8 clk cpu1 R ELR_EL1 0000000000400128\n", "0x400128"), ("", "")])
def test_process_of_another_core(checker, place, elr, pc):
    """Where the interrupted function continues is what ELR says; where that is not shown, it is unknown, and not the function's beginning."""
    path, image = place / "t.tarmac", place / "image.elf"
    path.write_text(MOVED.format(elr=elr))
    image.write_bytes(small_elf.image(b"\0program\0kernel\0", [(1, 0x400100, 0x100), (9, 0xFFFF800080010000, 0x20000)]))
    words = ["stack", "--unwind", "calls", "--at", "end", "--format", "csv", "--image", image, path]
    rows = list(csv.DictReader(io.StringIO(run(checker.trawl, *words))))
    checker.expect("the interrupted function", (rows[1]["pc"], rows[1]["function"]), (pc, "program+0x28" if pc else ""))
