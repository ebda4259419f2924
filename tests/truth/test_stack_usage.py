"""How far stacks were used (`trawl stack --usage`), against what the machine and kernels themselves recorded.

    tests/run.py stack_usage

Of FreeRTOS programs the stack pointers of each task, by the kernel's variable of the running one, and where the kernel says that it saved
the registers of a task (pxTopOfStack), read from the text of the trace; of other systems the stack pointers in each of their stacks. Random
programs switch between stacks that run over their neighbors, and are switched there; the lowest stack pointer of each is known by
construction.
"""

import json
import lzma
import random
import re
import subprocess
from pathlib import Path

import kernel_types
import pytest
import quick

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TASKS, STACK_WORDS = 7, 256  # corpus/programs/rtos.h
STACK, NAME = 48, 52  # members of TCB_t in corpus/os/jobs.elf: pxStack, pcTaskName
SEEDS = 60
CURRENT, TCBS = 0x20000100, 0x20004000  # of the random kernel: the variable of the running task, and [bottom, top] of each
SYSTEM = """system random
symbol pxCurrentTCB
task-name pxCurrentTCB->pcTaskName
running u32(0x20000100)
stack-bottom u32($task)
stack-top u32($task+4)
"""


def symbol(image, name):
    for line in subprocess.run(["nm", image], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.endswith(f" {name}"):
            return int(line.split()[0], 16)
    raise KeyError(name)


def usage(trawl, *words, **more):
    result = quick.run([str(trawl), "stack", "--usage", "--format", "json", *map(str, words)], text=True, **more)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr


class Text:
    """The stack pointers in the lines of a trace: (number of stores before it, name of the register, value, whether an exception or a handler wrote it), and all stores."""

    def __init__(self, path):
        self.pointers, self.stores = [], []
        is_exception = is_handler = False
        for line in lzma.open(path, "rt"):
            if " clk E " in line:
                is_exception = "reset" not in line.lower()
            elif re.search(r" clk I[TS] ", line):
                is_exception, is_handler = False, " handler :" in line
            elif match := re.search(r" clk R (r13\w*|MSP|PSP|SP_\w+) +([0-9a-fA-F]+)", line):
                self.pointers.append((len(self.stores), match[1], int(match[2], 16), is_exception or is_handler))
            elif match := re.search(r" clk MW(\d) ([0-9a-fA-F]+) ([0-9a-fA-F]+)", line):
                self.stores.append((int(match[2], 16), int(match[1]), int(match[3], 16)))


def test_kernel(checker, place):
    """The lowest stack pointer of each task of FreeRTOS, the lowest byte that was saved, the bounds, and who went beyond them."""
    path, image = place / "jobs.tarmac.xz", CORPUS / "os/jobs.elf"
    path.write_bytes((CORPUS / "os/jobs.tarmac.xz").read_bytes())
    text, current = Text(path), symbol(image, "pxCurrentTCB")
    memory, low, top, running, at = {}, {}, {}, 0, 0
    saved, main = {}, []
    for number, register, value, is_exception in text.pointers:
        for address, size, stored in text.stores[at:number]:
            for i in range(size):
                memory[address + i] = stored >> 8 * i & 255
            if address == current:
                running = stored
            if running and address == running and running in saved:  # pxTopOfStack
                saved[running] = min(saved[running], stored)
        at = number
        if register == "PSP" and running:
            saved[running] = min(saved.get(running, value), value)
            top[running] = max(top.get(running, 0), value)  # with which its first instruction begins
            if not is_exception:
                low[running] = min(low.get(running, value), value)
        elif register == "MSP":
            main.append(value)

    def word(address):
        return sum(memory[address + i] << 8 * i for i in range(4))

    rows, messages = usage(checker.trawl, "--image", image, path)
    found = {row["task"]: row for row in rows}
    for task in low:
        name = "".join(chr(memory[task + NAME + i]) for i in range(12)).split("\0")[0]
        if name == "IDLE":  # never pushes anything
            checker.check("no IDLE", name not in found, found)
            continue
        row = found.pop(name)
        wanted = low[task], word(task + STACK), top[task]
        checker.check(f"{name}: lowest, bottom, top", tuple(int(row[key], 16) for key in ("lowest_sp", "bottom", "top")) == wanted, f"{wanted}: {row}")
        checker.check(f"{name}: saved", int(row["lowest_saved"], 16) == saved[task], f"{saved[task]:x}: {row}")
        beyond = max(0, wanted[1] - saved[task])
        sizes = row["bytes"], row["used_bytes"], row["free_bytes"], row["beyond_bytes"]
        size, used = wanted[2] - wanted[1], wanted[2] - saved[task]
        checker.check(f"{name}: sizes", sizes == (size, used, max(0, size - used), beyond or None), row)
        checker.check(f"{name}: path", row["path"].split(";")[0] == name and row["bounds"] == "freertos", row)
        checker.check(f"{name}: message", (f"the stack of {name} went below its end" in messages) == (beyond > 0), messages)
    checker.check("one overflow", messages.count("overflow:") == 1 and "parser" in messages, messages)
    row = found.pop("Reset_Handler")
    checker.check("main: lowest", int(row["lowest_sp"], 16) == min(main) and row["top"] == hex(symbol(image, "_estack")), row)
    checker.check("no others", not found, found)

    words = "--image", image, path
    early, _ = usage(checker.trawl, *words, "--at", "event:8000")
    checker.check("until an event", {row["task"] for row in early} < {row["task"] for row in rows}, early)
    only, _ = usage(checker.trawl, *words, "--task", "pars*")
    checker.check("one task", [row["task"] for row in only] == ["parser"], only)
    piped, _ = usage(checker.trawl, "--image", image, "-", input=lzma.open(path).read().decode())
    checker.check("from a pipe", [row["lowest_saved"] for row in piped] == [row["lowest_saved"] for row in rows], piped)


@pytest.mark.parametrize("name", ["rtos-m.it", "rtos-a32.it", "rtos-a64.it", "rtos-a64.es", "rtos-a32.es"])
def test_stacks_of_a_system(checker, place, name):
    """Each stack of the array in the image that was pushed to has a row, with the lowest stack pointer in it."""
    image, path = CORPUS / f"stacks/{name.split('.')[0]}.elf", place / f"{name}.tarmac.xz"
    path.write_bytes((CORPUS / f"stacks/{name}.tarmac.xz").read_bytes())
    start, size = symbol(image, "stacks"), STACK_WORDS * (8 if "a64" in name else 4)
    low, saved, values = {}, {}, {}
    for _, register, value, is_exception in Text(path).pointers:
        stack = (value - 1 - start) // size
        if 0 <= stack < TASKS and register != "MSP":
            saved[stack] = min(saved.get(stack, value), value)
            if not is_exception:
                low[stack] = min(low.get(stack, value), value)
                values.setdefault(stack, set()).add(value)
    rows, messages = usage(checker.trawl, "--image", image, path)
    found = {(int(row["lowest_sp"], 16) - start) // size: row for row in rows if 0 <= int(row["lowest_sp"], 16) - start < TASKS * size}
    for stack in low:
        if stack not in found:  # its task only ever had one value
            checker.check(f"{name} {stack}: not pushed to", len(values[stack]) <= 2, values[stack])
            continue
        row = found[stack]
        checker.check(f"{name} {stack}: lowest", int(row["lowest_sp"], 16) == low[stack], f"{low[stack]:x} {row}")
        checker.check(f"{name} {stack}: saved", int(row["lowest_saved"], 16) <= saved[stack], f"{saved[stack]:x} {row}")
        checker.check(f"{name} {stack}: whose", row["task"].startswith("task_") and row["path"].startswith(row["task"].split()[0]), row)
    checker.check(f"{name}: at least five, no overflow", len(found) >= 5 and not messages.count("overflow:"), (found, messages))


class Machine:
    """Tasks of a kernel on stacks next to each other, which push, pop, go back to a frame pointer, take a length from a register, and switch."""

    BYTES = 512

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.lines, self.time = [], 0
        count = rng.randrange(2, 6)
        tops = [0x10000 + self.BYTES * (i + 1) for i in range(count)]
        rng.shuffle(tops)
        self.sp, self.low, self.at, self.moved = list(tops), {}, {}, set()
        self.tops, self.seen = tops, []
        now = 0
        for task, top in enumerate(tops):
            self.store(TCBS + 16 * task, top - self.BYTES)
            self.store(TCBS + 16 * task + 4, top)
        self.switch(now)
        for _ in range(rng.randrange(30, 200)):
            if rng.random() < 0.2:
                now = rng.randrange(count)
                self.switch(now)
            else:
                self.move(now)

    def store(self, address, value):
        self.lines.append(f"{self.time} clk MW4 {address:08x} {value:08x}")

    def instruction(self, code, text):
        self.time += 1
        self.lines.append(f"{self.time} clk IT ({self.time}) {0x80000 + 4 * self.time:08x} {code} T svc : {text}")

    def switch(self, task):
        self.instruction("6008", "str r0,[r1]")
        self.store(CURRENT, TCBS + 16 * task)
        self.set(task, "46cd", "mov sp,r9", self.sp[task], False)

    def set(self, task, code, text, value, is_move):
        self.instruction(code, text)
        event = self.time  # the stores before the first instruction are one, too
        self.lines.append(f"{self.time} clk R r13_svc {value:08x}")
        if task not in self.seen:
            self.seen.append(task)
        if is_move and value != self.sp[task]:
            self.moved.add(task)
        self.sp[task] = value
        if value < self.low.get(task, 1 << 64):
            self.low[task], self.at[task] = value, event

    def move(self, task):
        rng, sp = self.rng, self.sp[task]
        size = 16 * rng.randrange(1, 12)
        what = rng.choice(["push", "push", "pop", "alloca", "frame"])
        if what == "push" and sp - size > self.tops[task] - self.BYTES - 200:
            self.set(task, f"{0xB080 | size // 4:04x}", f"sub sp,#{size}", sp - size, True)
        elif what == "alloca" and sp - size > self.tops[task] - self.BYTES - 200:
            self.set(task, "ebad0d09", "sub.w sp,sp,r9", sp - size, True)
        elif what == "frame" and sp < self.tops[task]:
            self.set(task, "46bd", "mov sp,r7", rng.randrange(sp, self.tops[task] + 1, 16), True)
        elif sp + size <= self.tops[task]:
            self.set(task, f"{0xB000 | size // 4:04x}", f"add sp,#{size}", sp + size, True)


def system_words(place):
    """The options for the random kernel: an image with its types, and what is known of its tasks."""
    kernel, system = place / "kernel.elf", place / "system.txt"
    kernel.write_bytes(kernel_types.FREERTOS)
    system.write_text(SYSTEM)
    return ["--memory-index", "--image", kernel, "--os", system]


def test_random(checker, place):
    over, words = 0, system_words(place)
    for seed in range(SEEDS):
        machine, path = Machine(seed), place / "t.tarmac"
        path.write_text("\n".join(machine.lines) + "\n")
        rows, messages = usage(checker.trawl, path, *words)
        wanted = sorted((machine.low[task], machine.at[task]) for task in machine.seen if task in machine.moved)
        found = sorted((int(row["lowest_sp"], 16), row["event"]) for row in rows)
        crossed = sorted(task for task in machine.seen for other in machine.seen if task != other and machine.low[task] < machine.tops[other] < machine.tops[task])
        over += bool(crossed)
        checker.check(f"seed {seed}", found == wanted, f"wanted {[(hex(a), b) for a, b in wanted]}, found {[(hex(a), b) for a, b in found]}, crossed {crossed}")
    checker.check("some ran over", over >= 10, over)


# As Zephyr 3.5 begins on a Cortex-M3: the boot changes to the process stack pointer, onto what interrupts get later; its idle thread's stack is
# right above. The first instruction of the handler is of the same event as the exception.
BOOT = f"""\
0 clk MW4 {TCBS:08x} 20002950
0 clk MW4 {TCBS + 4:08x} 20002a50
1 clk IT (1) 00001000 b508 T thread : push {{r3, lr}}
1 clk MW4 20002e48 00000000
1 clk MW4 20002e4c 00000000
1 clk R r13_main 20002e48
1 clk R MSP 20002e48
2 clk IT (2) 000013f4 f3808809 T thread : msr psp, r0
2 clk R PSP 20002950
3 clk IT (3) 00001400 f3808814 T thread : msr control, r0
3 clk R CONTROL 00000002
4 clk IT (4) 00001560 b508 T thread : push {{r3, lr}}
4 clk MW4 20002948 00000000
4 clk MW4 2000294c 00000000
4 clk R r13_process 20002948
4 clk R PSP 20002948
5 clk IT (5) 00001564 bd08 T thread : pop {{r3, pc}}
5 clk MR4 20002948 00000000
5 clk MR4 2000294c 00001571
5 clk R r13_process 20002950
5 clk R PSP 20002950
6 clk IT (6) 00001570 f3808808 T thread : msr msp, r0
6 clk R r13_main 20002950
6 clk R MSP 20002950
6 clk MW4 {CURRENT:08x} {TCBS:08x}
7 clk IT (7) 00001574 f3808809 T thread : msr psp, r0
7 clk R r13_process 20002a50
7 clk R PSP 20002a50
8 clk IT (8) 00002384 b508 T thread : push {{r3, lr}}
8 clk MW4 20002a48 00000000
8 clk MW4 20002a4c 00000000
8 clk R r13_process 20002a48
8 clk R PSP 20002a48
9 clk E 00001ac8 0000000f CoreEvent_SysTick
9 clk MW4 20002a28 00000000
9 clk MW4 20002a2c 00000000
9 clk MW4 20002a30 00000000
9 clk MW4 20002a34 00000000
9 clk MW4 20002a38 00000000
9 clk MW4 20002a3c 00000000
9 clk MW4 20002a40 00002386
9 clk MW4 20002a44 61000000
9 clk R r14 fffffffd
9 clk R r13_process 20002a28
9 clk R PSP 20002a28
9 clk R CONTROL 00000000
9 clk IT (9) 00001ac8 b508 T handler : push {{r3, lr}}
9 clk MW4 20002948 00000000
9 clk MW4 2000294c fffffffd
9 clk R r13_main 20002948
9 clk R MSP 20002948
"""


def test_stack_above_the_boot(checker, place):
    path = place / "boot.tarmac"
    path.write_text(BOOT)
    rows, messages = usage(checker.trawl, path, *system_words(place))
    found = sorted((row["lowest_sp"], row["lowest_saved"]) for row in rows)
    checker.check("two stacks", found == [("0x20002948", "0x20002948"), ("0x20002a48", "0x20002a28")], found)
    checker.check("no overflow", "overflow" not in messages, messages)


@pytest.mark.parametrize("other", [["--lines"], ["--unwind", "calls"], ["--hide", "main"]])
def test_other_reports(checker, other):
    """What belongs to stacks at a point is refused with --usage, and works without it."""
    words = [checker.trawl, "stack", "--memory-index", "--image", CORPUS / "elf/recursion-a64.elf", CORPUS / "traces/recursion-a64.it.tarmac", *other]
    status, out, err, _ = quick.answer([str(word) for word in [*words, "--usage"]], 60, b"")
    checker.check("with --usage", status == 2 and not out and f"'{other[0]}' cannot be combined" in err.decode(), (status, err))
    status, out, err, _ = quick.answer([str(word) for word in words], 60, b"")
    checker.check("alone", status == 0 and out, (status, err))
