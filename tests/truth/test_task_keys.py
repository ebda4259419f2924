"""Tasks that are told apart by what the machine says of them: a variable of a kernel, or a register.

    tests/run.py task_keys

Random small traces of kernels that say which task runs, with the time of each task known by construction: a kernel of the M profile that
switches in PendSV, with nested and chained interrupts; one of A64 that switches by a return and by exception returns, with a variable or a
register; and one with a single stack, whose programs run at the same addresses with the same stack pointer, which only their address spaces
tell apart. Times by task are those of the program for each size of chunks, from an index, from shards that are merged, and after an update
of an index of the beginning.
"""

import collections
import csv
import io

import gdb_client
import kernel_types
import pytest
import quick
import test_machine_calls as machine

SEEDS = 200
VARIABLE = 0x20000100
TIMEOUT_S = 60


class Keyed:
    """What the tests of all kinds need of a trace: the time of each key, and how the key is given. Before the first switch there is none."""

    key, options = None, ()
    interrupts = ()  # their handlers: what runs in these belongs to no task

    def __init__(self, seed):
        self.by_key = collections.Counter()
        self.steps = []  # line, key and address of each instruction
        super().__init__(seed)

    def step(self, bits, to=None):
        pc = self.pc
        super().step(bits, to)
        self.last = "interrupts" if any(frame.function in self.interrupts for frame in self.frames) else self.key
        self.by_key[self.last] += 1
        self.steps.append((len(self.lines), self.key, pc))

    def access(self, kind, address, value, size):
        self.lines.append("%d clk M%s%d %08x %0*x" % (self.time, kind, size, address, 2 * size, value))


class Task:
    def __init__(self, key, stack, entry):
        self.key, self.stack, self.entry = key, stack, entry
        self.sp, self.pc, self.frames, self.is_new = stack, entry, [machine.Frame(entry, None, stack)], True


class KeyedM(Keyed, machine.M):
    pass


def pend_sv(seed):
    """A kernel of the M profile. It stores the key in the handler of the switch, or in an interrupt before it; and in each interrupt it may
    read the key. Tasks are deleted, and others get their descriptors and stacks."""
    trace = KeyedM(seed)
    chance = trace.chance
    names = {number: machine.start(machine.FUNCTIONS + number) for number in range(3)}
    trace.interrupts = names.values()
    trace.options = ["--task-key", chance.choice(["u32(0x20000100)", "u32(0x20000000 + 0x100)", "u32(0x20000100) & ~0"])]
    trace.register("r13_main", 0x90000)
    trace.step("bf00")
    trace.call(1)
    first = chance.choice([0x20001000, 0x20001080])
    pool = [Task(first + 0x80 * number, 0x80000 + 0x4000 * number, machine.start(1 + number)) for number in range(chance.randrange(2, 5))]
    if chance.random() < 0.5:  # made while main runs, as tasks are created
        trace.step("6018")
        trace.access("R", VARIABLE, 0, 4)
        trace.access("W", VARIABLE, pool[0].key, 4)
    running, main_sp, stored = None, trace.sp - 0x20, None

    def handler(number, link):
        trace.mode, trace.pc = "handler", names[number]
        trace.frames = [*trace.frames, machine.Frame(names[number], None, trace.sp)]
        trace.register("r13_main", trace.sp)
        trace.register("r14", link)
        trace.step("bf00")

    def read():
        if stored and chance.random() < 0.5:
            trace.step("6818")
            trace.access("R", VARIABLE, stored.key, 4)

    for _ in range(chance.randrange(2, 14)):
        if trace.lines[-2].endswith(" 4798 T thread : X"):
            trace.step("bf00")
        next_one = chance.choice(pool)
        trace.event("%08x 0000000e CoreEvent_PendSV" % names[0])
        if running:
            running.pc, running.sp, running.frames = trace.pc, trace.sp, trace.frames
            trace.register("r13_process", trace.sp - 0x20)
        trace.sp = main_sp
        handler(0, 0xFFFFFFFD if running else 0xFFFFFFF9)
        read()
        if running and chance.random() < 0.2:  # it ends, and another one begins with its descriptor and stack
            at = pool.index(running)
            entry = chance.choice([machine.start(n) for n in range(1, machine.FUNCTIONS) if abs(machine.start(n) - running.pc) > 16])
            pool[at] = Task(running.key, running.stack, entry)
            next_one = pool[at] if next_one is running else next_one
        trace.step("6018")
        trace.access("W", VARIABLE, next_one.key, 4)
        stored = next_one
        if chance.random() < 0.3:  # a device interrupts the handler
            back, frames, sp = trace.pc, trace.frames, trace.sp
            trace.event("%08x 00000010 CoreEvent_IRQ0" % names[1])
            trace.sp -= 0x20
            handler(1, 0xFFFFFFF1)
            read()
            trace.step("4770", back)
            trace.sp, trace.frames = sp, frames
            trace.register("r13_main", sp)
            trace.register("r14", 0xFFFFFFFD)
            trace.step("bf00")
        read()
        trace.register("r13_process", next_one.sp - 0x20)
        trace.step("4770", next_one.pc)
        is_chained = chance.random() < 0.2 and not next_one.is_new
        trace.key, running, next_one.is_new = next_one.key, next_one, False
        trace.frames = next_one.frames
        if is_chained:
            trace.event("%08x 0000000f CoreEvent_SysTick" % names[2])
            trace.sp = main_sp
            handler(2, 0xFFFFFFFD)
            read()
            trace.step("4770", next_one.pc)
        trace.mode, trace.is_process = "thread", True
        trace.sp, trace.frames = next_one.sp, next_one.frames
        trace.register("r13_process", trace.sp)
        for _ in range(chance.randrange(1, 8)):
            trace.random_step()
    trace.end()
    return trace


class KeyedA64(Keyed, machine.A64):
    SWITCH, has_image = 0x30000, True

    def kernel_sp(self, sp):
        self.sp = sp
        self.step("9100001f")
        self.register("SP_EL1", sp)


def switches(seed):
    """A kernel of A64 with tasks in its own mode: they switch in a routine that all of them call, or in an interrupt."""
    trace = KeyedA64(seed)
    chance, by_register = trace.chance, trace.chance.random() < 0.4
    shift = chance.choice([0, 4])
    place = "TPIDR_EL1" if by_register else "u64(0x20000100)"
    trace.options = ["--task-key", f"{place} >> {shift}" if shift else place]
    trace.interrupts = machine.VECTOR, machine.VECTOR + 0x80
    trace.register("SP_EL1", trace.sp)
    trace.call(1)
    pool = [Task(0x20001000 + 0x80 * number, 0x80000 + 0x4000 * number, machine.start(1 + number)) for number in range(chance.randrange(2, 5))]
    running = None

    def store(task):
        if by_register:
            trace.step("d518d080")
            trace.register("TPIDR_EL1", task.key << shift)
        else:
            trace.step("f9000020")
            trace.access("W", VARIABLE, task.key << shift, 8)

    def interrupt():
        """One that switches nothing."""
        back, frames, sp, other = trace.pc, trace.frames, trace.sp, machine.VECTOR + 0x80
        trace.event("%08x:%012x 00000001 CoreEvent_CURRENT_SPx_FIQ" % (other, other))
        trace.register("ELR_EL1", back)
        trace.pc, trace.frames = other, [*frames, machine.Frame(other, None, sp)]
        trace.step("d503201f")
        trace.step("d69f03e0", back)
        trace.frames = frames
        trace.step("d503201f")

    def leave(task):
        trace.pc, trace.frames, trace.key, task.is_new = task.pc, task.frames, task.key, False
        trace.sp = task.sp

    for _ in range(chance.randrange(2, 14)):
        next_one = chance.choice([task for task in pool if task is not running])
        by_call = chance.random() < 0.5 or not running
        by_return = by_call if chance.random() < 0.7 else not by_call  # an interrupt may go on with one that called, and a call with one of these
        if by_call:
            while not trace.at_call():
                trace.step("d503201f")
            back, frames, sp = trace.pc + 4, trace.frames, trace.sp
            trace.step("%08x" % (0x94000000 | (trace.SWITCH - trace.pc) // 4 & 0x3FFFFFF), trace.SWITCH)
            trace.register("X30", back)
            trace.frames = [*frames, machine.Frame(trace.SWITCH, back, sp)]
        else:
            back, frames, sp = trace.pc, trace.frames, trace.sp
            trace.event("%08x:%012x 00000001 CoreEvent_CURRENT_SPx_IRQ" % (machine.VECTOR, machine.VECTOR))
            trace.register("ELR_EL1", back)
            trace.pc, trace.frames = machine.VECTOR, [*frames, machine.Frame(machine.VECTOR, None, sp)]
            trace.step("d503201f")
        if running:
            running.pc, running.frames, running.sp = back, frames, sp
        store(next_one)
        if chance.random() < 0.3:
            interrupt()
        trace.kernel_sp(next_one.sp)
        trace.register("X30" if by_return else "ELR_EL1", next_one.pc)
        trace.step("d65f03c0" if by_return else "d69f03e0", next_one.pc)
        leave(next_one)
        running = next_one
        trace.step("d503201f")
        for _ in range(chance.randrange(1, 8)):
            trace.random_step()
    trace.end()
    return trace


class KeyedKernel(Keyed, machine.Kernel):
    VECTORS, has_image = 0x200000, True


def spaces(seed):
    """A kernel with one stack, and programs at the same addresses, often at the same place with the same stack pointer."""
    trace = KeyedKernel(seed)
    chance, kernel_sp = trace.chance, 0x800000
    names = [["TTBR0_EL1"], ["CONTEXTIDR_EL1"], ["CONTEXTIDR_EL1", "TTBR0_EL1"]]
    registers = chance.choice(names)
    trace.options = ["--task-key", registers[-1]] if chance.random() < 0.3 else []
    pool = [Task((0x0001000000040000 if registers[-1] == "TTBR0_EL1" else 1) * (1 + number), 0x90000, machine.FIRST) for number in range(3)]
    running = pool[0]

    def space(task):
        for name in registers:
            trace.step("d5182000")
            trace.register(name, task.key if name == registers[-1] else task.key >> 48)

    trace.mode, trace.key, trace.frames = "EL1h_n", None, [machine.Frame(0x210000, None, kernel_sp)]
    trace.pc = 0x210000
    trace.register("SP_EL1", kernel_sp)
    trace.step("d503201f")
    space(running)
    for number in range(chance.randrange(3, 20)):
        if number:
            is_call = chance.random() < 0.6
            if is_call:
                trace.step("d4000001")
            running.pc, running.sp, running.frames = trace.pc, trace.sp, trace.frames
            trace.event("%016x 00000400 CoreEvent_LOWER_64_%s" % (trace.VECTORS, "SYNC" if is_call else "IRQ"))
            trace.register("ELR_EL1", trace.pc)
            trace.mode, trace.pc = "EL1h_n", trace.VECTORS
            trace.frames = [machine.Frame(trace.VECTORS, None, kernel_sp)]
            trace.step("d503201f")
            if chance.random() < 0.6:
                running = chance.choice(pool)
                space(running)
        trace.step("d5184117")
        trace.register("SP_EL0", running.sp)
        trace.register("ELR_EL1", running.pc)
        trace.step("d69f03e0", running.pc)
        trace.mode, trace.sp, trace.frames, trace.key = "EL0t_n", running.sp, running.frames, running.key
        trace.step("d503201f")
        for _ in range(chance.randrange(0, 4)):
            trace.random_step()
    trace.end()
    return trace


KINDS = {make.__name__: make for make in (pend_sv, switches, spaces)}


def run(*words, **options):
    done = quick.run([str(word) for word in words], text=True, timeout=TIMEOUT_S, **options)
    assert done.returncode in (0, 3), f"{words}: status {done.returncode}: {done.stderr[:300]}"
    return done.stdout


def times(trawl, path, keys, options):
    """The time of each key, and of interrupts; None: of tasks without one of these."""
    found = collections.Counter()
    for row in csv.DictReader(io.StringIO(run(trawl, "profile", "--by", "task", "--format", "csv", *options, path))):
        word = (row.get("task") or "").split()[-1:]
        key = int(word[0], 16) if word and word[0].startswith("0x") else None
        found["interrupts" if row.get("task") == "interrupts" else key if key in keys else None] += int(row["self"])
    return +found


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(checker, place, kind):
    image = machine.write_image(place / "image.elf")
    for seed in range(SEEDS):
        trace, path = KINDS[kind](seed), place / "t.tarmac"
        path.write_text(trace.text())
        options = [*(["--image", image] if trace.has_image else []), *trace.options]
        trace.by_key[trace.last] -= 1  # the last instruction has no duration
        keys = set(trace.by_key) - {None, "interrupts"}
        wanted = +trace.by_key
        if kind == "spaces" and len(keys) < 2:
            continue
        found = times(checker.trawl, path, keys, options)
        checker.check(f"{kind}, seed {seed}", found == wanted, f"{options}: wanted {wanted}, found {found}")
        if seed % 20:
            continue
        for size in (64, 300):
            again = times(checker.trawl, path, keys, [*options, "--chunk-size", size])
            checker.check(f"{kind}, seed {seed}, chunks of {size}", again == found, f"{found} and {again}")
        indexed = times(checker.trawl, path, keys, [*options, "--force-index"])
        checker.check(f"{kind}, seed {seed}, from an index", indexed == found, f"{found} and {indexed}")
        index = (place / "t.tarmac.index").read_bytes()
        for number in (1, 2, 3):
            run(checker.trawl, "index", "--shard", f"{number}/3", "--index", place / f"part{number}", *options, path)
        run(checker.trawl, "merge", "-o", place / "merged", *[place / f"part{number}" for number in (1, 2, 3)])
        checker.check(f"{kind}, seed {seed}, merged", (place / "merged").read_bytes() == index)
        (place / "t.tarmac.index").unlink()


def stores(address, text):
    """Lines that store a name, before the first event."""
    data = text.encode().ljust(12, b"\0")
    return "".join("0 clk MW4 %08x %08x\n" % (address + at, int.from_bytes(data[at : at + 4], "little")) for at in range(0, 12, 4))


def task_names(trawl, path, *options):
    return {row["task"] for row in csv.DictReader(io.StringIO(run(trawl, "profile", "--by", "task", "--format", "csv", *options, path)))}


def test_names_of_kernels(checker, place):
    """Tasks have the names that FreeRTOS and Linux give them, without being asked for, if the image has the types; each has one name."""
    image, path = machine.write_image(place / "image.elf"), place / "t.tarmac"
    kernels = {machine.processes: place / "linux.elf", pend_sv: place / "freertos.elf"}
    kernels[machine.processes].write_bytes(kernel_types.LINUX)
    kernels[pend_sv].write_bytes(kernel_types.FREERTOS)
    offsets = {machine.processes: kernel_types.COMM_OFFSET, pend_sv: kernel_types.TASK_NAME_OFFSET}
    for make, kernel in kernels.items():
        for seed in range(0, SEEDS, 10):
            trace = make(seed)
            keys = {key for key, _ in trace.by_task} if make is machine.processes else set(trace.by_key) - {None, "interrupts"}
            called = {key: f"name{number}" for number, key in enumerate(sorted(keys))}
            path.write_text("".join(stores(key + offsets[make], name) for key, name in called.items()) + trace.text())
            options = ["--image", image, "--image", kernel, *getattr(trace, "options", ())]
            found = task_names(checker.trawl, path, *options)
            wanted = {f"{name} {key:#x}" for key, name in called.items()}
            if len(keys) > 1:
                checker.check(f"{make.__name__}, seed {seed}", wanted == {name for name in found if any(name.endswith(f"{key:#x}") for key in keys)}, (wanted, found))
            (place / "t.tarmac.index").unlink(missing_ok=True)


def test_only_task(checker, place):
    """A key also names the only task of a trace, in the trace and from an index."""
    path = place / "t.tarmac"
    path.write_text("18 clk IT (18) ffff800008000c00 d10503ff O EL1h_n : SUB SP, SP, #0x140\n18 clk R SP_EL1 ffff80000a003ec0\n"
                    "21 clk IT (21) ffff800008000c04 d518411c O EL1h_n : MSR SP_EL0, X28\n21 clk R SP_EL0 ffff000001000000\n"
                    "22 clk IT (22) ffff800008002040 d503201f O EL1h_n : NOP\n")
    for where in ("the trace", "its index"):
        checker.check(where, task_names(checker.trawl, path) == {"task 0xffff000001000000"}, task_names(checker.trawl, path))
        run(checker.trawl, "index", "--quiet", path)


def test_threads_of_gdb(checker, place):
    """Each task is a thread of GDB, which is where it is if it runs, and otherwise where it continues."""
    image, path = machine.write_image(place / "image.elf"), place / "t.tarmac"
    for seed in range(0, SEEDS, 20):
        trace = switches(seed)
        path.write_text(trace.text())
        words = [checker.trawl, "gdbserver", "--by", "task", "--memory-index", "--image", image, *trace.options, path]
        with gdb_client.Client(words) as client:
            ids = client.ask("qfThreadInfo")[1:].split(",")
            names = {one: bytes.fromhex(client.ask(f"qThreadExtraInfo,{one}")).decode().split()[-1] for one in ids}
            keys = {int(name, 16): one for one, name in names.items() if name.startswith("0x") and int(name, 16) in trace.by_key}
            of_tasks = set(trace.by_key) - {"interrupts"}  # a thread is where it was interrupted, also in the interrupt
            checker.check(f"seed {seed}: threads", set(keys) == of_tasks - {None} and len(ids) == len(of_tasks), names)
            for line, now, _ in trace.steps[:: 1 + len(trace.steps) // 10]:
                client.monitor(f"goto line:{line}")
                checker.check(f"seed {seed}: current thread", now is None or client.ask("qC") == f"QC{keys[now]}", now, line)
                for key, one in keys.items():
                    later = [pc for at, of, pc in trace.steps if of == key and at >= line]
                    client.ask(f"Hg{one}")
                    found = client.registers()["pc"]
                    checker.check(f"seed {seed}: pc", not later or found == later[0], (hex(key), found, later[:1]), line)
