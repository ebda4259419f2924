"""A run of ThreadX, against the lists that its kernel keeps.

    tests/run.py threadx

The text of the trace is read line by line. A task is in the state of the list that has it: those of ready ones by priority, those of a mutex, a
semaphore and a queue; of the others its own state says what they do.
"""

import json
import lzma
import random
import re
from pathlib import Path

import pytest
import quick
from test_zephyr import Memory

THREADX = Path(__file__).resolve().parents[2] / "corpus/os/threadx"
TIMEOUT_S = 60
CURRENT, PRIORITIES, CREATED = 0x2000008C, 0x200000A0, 0x20000120
READY_NEXT, NAME, PRIORITY, STATE, SUSPENDED_NEXT, CREATED_NEXT, HELD = 32, 40, 44, 48, 112, 136, 160  # of TX_THREAD
OBJECTS = {0x20000714: ("mutex", "config", 24), 0x200006F4: ("semaphore", "ready", 12), 0x200006A0: ("queue", "jobs", 40)}  # where is the list of who waits
OWNER = 12  # of TX_MUTEX
OWN = {1: "completed", 2: "terminated", 3: "suspended", 4: "delayed"}
CODE = range(0x1B70, 0x1CA4)  # of the program's tasks


class Kernel(Memory):
    def ring(self, first, next_at):
        found = []
        while first and first not in found:
            found.append(first)
            first = self.load(first + next_at)
        return found

    def take(self, line):
        store = re.match(r"\d+ clk MW(\d) ([0-9a-f]+) ([0-9a-f_]+)", line)
        if store:
            self.store(int(store[1]), int(store[2], 16), int(store[3].replace("_", ""), 16))

    def name(self, task):
        return self.text(self.load(task + NAME))

    def rows(self):
        ready = {task for priority in range(32) for task in self.ring(self.load(PRIORITIES + 4 * priority), READY_NEXT)}
        waits = {task: at for at, (_, _, where) in OBJECTS.items() for task in self.ring(self.load(at + where), SUSPENDED_NEXT)}
        rows = {}
        for task in self.ring(self.load(CREATED), CREATED_NEXT):
            at = waits.get(task)
            state = "running" if task == self.load(CURRENT) else "ready" if task in ready else "blocked" if at else OWN.get(self.load(task + STATE))
            kind, name, _ = OBJECTS[at] if at else (None, None, None)
            owner = self.name(self.load(at + OWNER)) if kind == "mutex" else None
            rows[task] = (self.name(task), str(self.load(task + PRIORITY)), state, self.load(task + HELD), kind, name, owner)
        return rows


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The image, and the trace with its index."""
    place = tmp_path_factory.mktemp("threadx")
    for name, packed in (("threadx.elf", "threadx.elf.xz"), ("run.tarmac", "threadx.tarmac.xz")):
        (place / name).write_bytes(lzma.decompress((THREADX / packed).read_bytes()))
    return place / "threadx.elf", place / "run.tarmac"


def asked(trawl, run, number, *words):
    done = quick.run([trawl, "tasks", "--image", run[0], "--at", "line:%d" % number, "--format", "json", *words, run[1]], timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    return {int(row["address"], 16): row for row in json.loads(done.stdout)}, done.stderr


def test_tasks(checker, run):
    """At points in the program, not in its kernel."""
    kernel, draw, kinds = Kernel(run[0].read_bytes()), random.Random(2), set()
    lines = run[1].read_text().splitlines()
    pc_of = {number: int(line.split()[4], 16) for number, line in enumerate(lines, 1) if " clk IT " in line}
    points = set(draw.sample([number for number, pc in pc_of.items() if pc in CODE and number > 20000], 120))
    for number, line in enumerate(lines, 1):
        if number in points:
            wanted = kernel.rows()
            found, _ = asked(checker.trawl, run, number, *(["--os", "threadx"] if number % 2 else []))
            found = {task: (row["task"], row["priority"], row["state"], row["held"], row["waits_for"], row["object_name"], row["owner"]) for task, row in found.items()}
            checker.check("tasks of the kernel's lists", found == wanted, (number, found, wanted))
            kinds |= {(row[2], row[4]) for row in wanted.values()}
        kernel.take(line)
    checker.check("many states", {("running", None), ("ready", None), ("blocked", "mutex"), ("blocked", "semaphore"), ("blocked", "queue"), ("delayed", None), ("suspended", None)} <= kinds, kinds)
    assert not checker.failed


def test_a_mutex_is_given(checker, run):
    """While a mutex is given to a task that waited, that task owns it and is not ready yet: no deadlock."""
    kernel, given = Kernel(run[0].read_bytes()), 0
    mutex = next(at for at, (kind, _, _) in OBJECTS.items() if kind == "mutex")
    for number, line in enumerate(run[1].read_text().splitlines(), 1):
        owner = kernel.load(mutex + OWNER)
        if " clk IT " in line and owner and kernel.load(owner + STATE) == 13 and number > 20000:
            given += 1
            if given % 20 == 1:
                found, said = asked(checker.trawl, run, number)
                checker.check("no deadlock", b"deadlock" not in said and all(row["deadlock"] is None for row in found.values()), (number, said))
                checker.expect("it is about to be ready", found[owner]["state"], "ready", at=number)
        kernel.take(line)
    checker.check("a mutex was given", given > 20, given)
    assert not checker.failed
