"""A run of Zephyr, against what its kernel and the machine wrote: tasks with their states, stacks, and the time of each task.

    tests/run.py zephyr

The text of the trace is read line by line. Threads are those of the kernel's list of all; what each does is said by its lists (of the running
one, of those that are ready, of timeouts, of a wait queue) and the bits of its thread_state. The core has two banks of stack pointers, one of
which handlers use.
"""

import csv
import io
import json
import lzma
import random
import re
import struct
from pathlib import Path

import pytest
import quick

ZEPHYR = Path(__file__).resolve().parents[2] / "corpus/os/zephyr"
TIMEOUT_S = 60
KERNEL, TIMEOUTS = 0x200008F4, 0x200000C0  # _kernel, timeout_list
CURRENT, RUN_QUEUE, THREADS = 8, 24, 32  # in struct z_kernel
PENDED_ON, STATE, PRIORITY, TIMEOUT, NEXT, NAME = 8, 13, 14, 24, 116, 120  # in struct k_thread
DEAD, PENDING, PRESTART, SUSPENDED, IDLE_PRIORITY = 8, 2, 4, 16, 15
DUMMY = 0x20002888  # the thread that the kernel begins with, on the stack of interrupts
# Stacks by their first byte: size, in what it is.
STACKS = {0x20002150: 2048, 0x20002950: 256, 0x20002A50: 1024, 0x20003E50: 1024, 0x20000950: 1024, 0x20000D50: 1024, 0x20001150: 1024, 0x20001550: 1024, 0x20001950: 1024, 0x20001D50: 1024}


class Memory:
    def __init__(self, image):
        self.bytes = {}
        at, = struct.unpack_from("<I", image, 28)
        count, = struct.unpack_from("<H", image, 44)
        for i in range(count):
            kind, offset, address, _, size = struct.unpack_from("<5I", image, at + 32 * i)
            if kind == 1:
                self.bytes.update((address + k, image[offset + k]) for k in range(size))

    def store(self, size, address, value):
        for k in range(size):
            self.bytes[address + k] = value >> 8 * k & 255

    def load(self, address, size=4):
        return sum(self.bytes.get(address + k, 0) << 8 * k for k in range(size))

    def text(self, address):
        end = address
        while self.bytes.get(end):
            end += 1
        return bytes(self.bytes[k] for k in range(address, end)).decode("latin-1")

    def linked(self, head):
        found, node = [], self.load(head)
        while node and node != head:
            found.append(node)
            node = self.load(node)
        return found

    def threads(self):
        """Name, priority, state and wait queue of each thread in the kernel's list."""
        rows, thread, current = {}, self.load(KERNEL + THREADS), self.load(KERNEL + CURRENT)
        timeouts, ready = self.linked(TIMEOUTS), self.linked(KERNEL + RUN_QUEUE)
        while thread:
            bits, priority, queue = self.load(thread + STATE, 1), struct.unpack("b", bytes([self.load(thread + PRIORITY, 1)]))[0], self.load(thread + PENDED_ON)
            does = ("running" if thread == current else "dead" if bits & DEAD else "blocked" if bits & PENDING else "delayed" if thread + TIMEOUT in timeouts
                    else "ready" if thread in ready else "prestart" if bits & PRESTART else "idle" if priority == IDLE_PRIORITY else "suspended" if bits & SUSPENDED else None)
            rows[thread] = (self.text(thread + NAME), str(priority), does, queue if does == "blocked" else None)
            thread = self.load(thread + NEXT)
        return rows


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The image, and the trace with times that count its instructions, with its index."""
    place = tmp_path_factory.mktemp("zephyr")
    (place / "zephyr.elf").write_bytes(lzma.decompress((ZEPHYR / "zephyr.elf.xz").read_bytes()))
    time, lines = 0, []
    for line in lzma.decompress((ZEPHYR / "zephyr.tarmac.xz").read_bytes()).decode().splitlines():
        time += " IT " in line
        lines.append(re.sub(r"IT \(0\)", f"IT ({time})", re.sub(r"^0", str(time), line)))
    (place / "run.tarmac").write_text("\n".join(lines) + "\n")
    return place / "zephyr.elf", place / "run.tarmac", lines


def asked(trawl, run, command, *words):
    done = quick.run([trawl, command, "--image", run[0], *words, run[1]], timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode(), done.stderr.decode()


def test_tasks(checker, run):
    """Points between instructions of threads, also while threads are set up."""
    memory, draw, kinds = Memory(run[0].read_bytes()), random.Random(1), set()
    lines = run[2]
    free = [n for n in range(30000, len(lines)) if " IT " in lines[n] and "T thread" in lines[n]]
    points = set(draw.sample(free, 40)) | set(draw.sample([n for n in free if n > 94000], 60))
    for number, line in enumerate(lines):
        if number in points:
            wanted = memory.threads()
            for words in ([], ["--os", "zephyr"]) if number % 7 == 0 else ([],):
                out = asked(checker.trawl, run, "tasks", "--at", f"line:{number}", "--format", "json", *words)[0]
                found = {int(row["address"], 16): (row["task"], row["priority"], row["state"], row["object"] and int(row["object"], 16)) for row in json.loads(out or "[]")}
                # A thread that is set up has its bits before it is in the list, and one that has ended is no longer there; one of which only a part was moved
                # from a list to another has no state, and no row.
                more = {thread for thread in found.keys() - wanted.keys() if thread == DUMMY or memory.load(thread + STATE, 1) & (PRESTART | DEAD)}
                rows = {thread: row for thread, row in wanted.items() if row[2]}
                checker.check("threads of the kernel's list", {thread: row for thread, row in found.items() if thread not in more} == rows, (number, found, wanted))
            kinds |= {row[2] for row in wanted.values() if row[2]}
        store = re.match(r"\d+ clk MW(\d) ([0-9a-f]+) ([0-9a-f_]+)", line)
        if store:
            memory.store(int(store[1]), int(store[2], 16), int(store[3].replace("_", ""), 16))
    checker.check("many states", {"running", "ready", "blocked", "delayed", "prestart", "idle"} <= kinds, kinds)


def test_stacks(checker, run):
    """The lowest value that an instruction gave either stack pointer in each stack; handlers give tasks theirs, without using them."""
    low, is_exception, is_handler = {}, False, False
    for line in run[2]:
        if " clk E " in line or " IT " in line:
            is_exception, is_handler = " clk E " in line, "T handler" in line
        pointer = re.search(r" R (MSP|PSP) ([0-9a-f]+)", line)
        if pointer and not is_exception and not (is_handler and pointer[1] == "PSP"):
            value = int(pointer[2], 16)
            for start, size in STACKS.items():
                if start < value <= start + size:
                    low[start] = min(low.get(start, value), value)
    for words in ([], ["--os", "zephyr"]):
        out, messages = asked(checker.trawl, run, "stack", "--usage", "--format", "json", *words)
        rows = {int(row["bottom"], 16): row for row in json.loads(out)}
        checker.check("nothing overflows", "overflow" not in messages, messages)
        checker.check("each stack", set(rows) == set(low), (sorted(map(hex, rows)), sorted(map(hex, low))))
        for start, row in rows.items():
            checker.check("the lowest stack pointer", int(row["lowest_sp"], 16) == low.get(start) and int(row["top"], 16) - start == STACKS[start], (hex(low.get(start, 0)), row))


def test_times(checker, run):
    """The instructions of each task, of which the kernel says that it runs; those of handlers are of no task."""
    memory, counts = Memory(run[0].read_bytes()), {}
    for line in run[2]:
        if " IT " in line and "T thread" in line:
            thread = memory.load(KERNEL + CURRENT)
            name = memory.text(thread + NAME) if thread else ""
            counts[name] = counts.get(name, 0) + 1
        store = re.match(r"\d+ clk MW(\d) ([0-9a-f]+) ([0-9a-f_]+)", line)
        if store:
            memory.store(int(store[1]), int(store[2], 16), int(store[3].replace("_", ""), 16))
    for words in ([], ["--os", "zephyr"]):
        found = {}
        for row in csv.DictReader(io.StringIO(asked(checker.trawl, run, "profile", "--by", "task", "--format", "csv", *words)[0])):
            found[row["task"]] = found.get(row["task"], 0) + int(row["self"])
        names = [name for name in counts if name.isascii() and name and name != "main"]  # main runs before it has a name
        checker.check("names of threads", len(names) > 6 and set(names) <= set(found), (counts, found))
        for name in names:
            checker.check("instructions of a task", found.get(name) == counts[name], (name, counts[name], found.get(name)))
