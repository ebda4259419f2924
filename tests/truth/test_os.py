"""What tasks of an operating system do at a point, against a kernel whose objects are known by construction.

    tests/run.py os

Random traces of a kernel that keeps tasks and objects as FreeRTOS does: each step moves a task from one list to another, and writes what the
kernel would (the list that an item is in, who holds a mutex, the number of mutexes that a task holds). `trawl tasks` must show the states,
waits, owners and circles of the scenario at any point; with lines of a file in place of the built-in ones it must show what these say.
"""

import collections
import csv
import io
import json
import lzma
import random
import re
import shutil
import subprocess
from pathlib import Path

import kernel_types
import pytest
import quick
import test_export
import test_machine_calls as machine
import test_task_keys as keyed

SEEDS = 40
TIMEOUT_S = 60
CURRENT, READY, DELAYED, SUSPENDED, PENDING, DELETED, MUTEX, GROUP = 0x20000100, 0x20000104, 0x20000174, 0x200001AC, 0x200001C8, 0x200001E4, 0x20000200, 0x20000204
LIST_BYTES, PRIORITIES = 28, 4
STATE_LIST, EVENT_VALUE, EVENT_LIST, PRIORITY, NAME, HELD, NOTIFY = 4 + 16, 24, 24 + 16, 44, 52, 64, 68  # members of TCB_t
HOLDER, TO_SEND, TO_RECEIVE, ITEM_SIZE = 8, 16, 44, 80  # members of Queue_t
IN_USE = 0x80000000


class Kernel:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.time, self.history = [], 0, []
        self.tasks, self.objects = {}, {}
        self.running = 0
        for i in range(self.rng.randrange(2, 7)):
            self.make_object(0x20002000 + 0x80 * i)
        for i in range(self.rng.randrange(2, 6)):
            self.make_task(0x20001000 + 0x60 * i, f"task{i}")
        for i in range(self.rng.randrange(20, 80)):
            self.step()
            self.history.append((len(self.lines), self.rows()))

    def write(self, address, value, size=4):
        self.lines.append("%d clk MW%d %08x %0*x" % (self.time, size, address, 2 * size, value & (1 << 8 * size) - 1))

    def instruction(self):
        self.time += 1
        self.lines.append("%d clk IT (%d) 00020000 4770 T thread : bx lr" % (self.time, self.time))

    def end_list(self, at):
        self.write(at + 8, 0xFFFFFFFF)  # the value of the item at its end

    def make_object(self, at):
        kind = self.rng.choice(["mutex", "semaphore", "queue", "event group"])
        self.instruction()
        if kind == "event group":
            self.end_list(at + 4)
        else:
            self.write(at, 0 if kind == "mutex" else at)
            self.write(at + HOLDER, 0)
            self.write(at + ITEM_SIZE, 4 if kind == "queue" else 0)
            for offset in (TO_SEND, TO_RECEIVE):
                self.end_list(at + offset)
        self.objects[at] = {"kind": kind, "holder": 0, "name": None}
        if kind == "mutex" and not any(o["name"] for o in self.objects.values()):
            self.objects[at]["name"] = "xMutex"
            self.write(MUTEX, at)
        elif kind == "event group" and not any(o["name"] == "xGroup" for o in self.objects.values()):
            self.objects[at]["name"] = "xGroup"
            self.write(GROUP, at)

    def make_task(self, at, name):
        self.instruction()
        for i, byte in enumerate(name.encode().ljust(12, b"\0")):
            self.write(at + NAME + i, byte, 1)
        task = {"name": name, "priority": self.rng.randrange(PRIORITIES), "held": 0, "state": "ready", "object": 0, "kind": None}
        self.tasks[at] = task
        self.write(at + PRIORITY, task["priority"])
        self.write(at + HELD, 0)
        self.write(at + NOTIFY, 0, 1)
        self.put(at, "ready")
        self.run(at)

    def put(self, at, state, event_list=0, event_value=0):
        """Moves a task to the list of its state."""
        task = self.tasks[at]
        places = {"ready": READY + LIST_BYTES * task["priority"], "delayed": DELAYED + LIST_BYTES * self.rng.randrange(2), "suspended": SUSPENDED, "deleted": DELETED}
        place = places.get(state) or self.rng.choice([places["delayed"], places["suspended"]])
        self.write(at + STATE_LIST, place)
        self.write(at + EVENT_LIST, event_list)
        self.write(at + EVENT_VALUE, event_value)
        self.write(at + NOTIFY, state == "notified", 1)
        task["state"] = "blocked" if state == "notified" else state

    def run(self, at):
        self.running = at
        self.write(CURRENT, at)
        self.time += 1

    def step(self):
        rng = self.rng
        at = rng.choice(list(self.tasks))
        task = self.tasks[at]
        self.instruction()
        if task["state"] == "deleted":
            return
        task["object"], task["kind"] = 0, None
        what = rng.choice(["ready", "delayed", "suspended", "notified", "wait", "wait", "wait", "hold", "pending", "run", "run", "deleted" if rng.random() < 0.2 else "ready"])
        if what == "wait":
            place, about = rng.choice(list(self.objects.items()))
            kind, value = about["kind"], rng.randrange(PRIORITIES)
            if kind == "event group":
                inside, value = place + 4, value | IN_USE
            elif kind != "mutex" and rng.random() < 0.4:
                inside, kind = place + TO_SEND, "room in a queue"
            else:
                inside = place + TO_RECEIVE
            self.put(at, "blocked", inside, value)
            task["object"], task["kind"] = place, kind
        elif what == "hold":
            free = [place for place, about in self.objects.items() if about["kind"] == "mutex" and not about["holder"]]
            if free:
                place = rng.choice(free)
                self.objects[place]["holder"] = at
                self.write(place + HOLDER, at)
                task["held"] += 1
                self.write(at + HELD, task["held"])
            self.put(at, "ready")
        elif what == "pending":  # the scheduler is suspended
            self.put(at, "delayed", PENDING)
            task["state"] = "ready"
        elif what == "run":
            self.put(at, "ready")
            self.run(at)
        else:
            self.put(at, what)

    def rows(self):
        """{address: what trawl says}."""
        rows = {}
        for at, task in self.tasks.items():
            about = self.objects.get(task["object"], {"holder": 0, "name": None})
            holder = self.tasks[about["holder"]]["name"] if task["kind"] == "mutex" and about["holder"] else None
            is_running = at == self.running
            rows[at] = [task["name"], "running" if is_running else task["state"], str(task["priority"]), task["held"], task["kind"], task["object"] or None, about["name"], holder]
        return rows


def asked(trawl, words, path, statuses=(0,)):
    done = quick.run([trawl, "tasks", "--memory-index", *words, path], timeout=TIMEOUT_S)
    assert done.returncode in statuses, (words, done.returncode, done.stderr)
    return done


def rows_of(done):
    number = lambda value: None if value is None else int(value, 16)
    return {number(row["address"]): [row[key] for key in ("task", "state", "priority", "held", "waits_for")] + [number(row["object"]), row["object_name"], row["owner"]]
            for row in json.loads(done.stdout)}


def circles(rows):
    """The tasks that wait for each other."""
    holders = {row[0]: row[7] for row in rows.values()}
    found = set()
    for name in holders:
        at, seen = name, []
        while at and at not in seen:
            seen.append(at)
            at = holders.get(at)
        if at == name:
            found.add(name)
    return found


@pytest.fixture
def kernel(place):
    (place / "kernel.elf").write_bytes(kernel_types.FREERTOS_OBJECTS)
    return place / "kernel.elf"


def test_states(checker, place, kernel):
    dead, waits = 0, set()
    for seed in range(SEEDS):
        made = Kernel(seed)
        path = place / "t.tarmac"
        path.write_text("\n".join(made.lines) + "\n")
        for line, rows in made.rng.sample(made.history, 4) + made.history[-1:]:
            done = asked(checker.trawl, ["--image", kernel, "--at", f"line:{line}", "--format", "json"], path)
            found = rows_of(done)
            checker.check("the states of the scenario", found == rows, (seed, line, [(hex(a), found.get(a), rows[a]) for a in rows if found.get(a) != rows[a]]))
            said = {row["task"] for row in json.loads(done.stdout) if row["deadlock"]}
            checker.check("tasks that wait for each other", said == circles(rows) and (b"deadlock: " in done.stderr) == bool(said), (seed, line, said, done.stderr))
            dead += bool(said)
            waits |= {row[4] for row in rows.values()}
    checker.check("there were deadlocks, and waits of all kinds", dead > 2 and len(waits) == 6, (dead, waits))


def test_systems(checker, place, kernel):
    """--os: by name, none, and the lines of a file."""
    made = Kernel(3)
    path, mine = place / "t.tarmac", place / "mine"
    path.write_text("\n".join(made.lines) + "\n")
    words = ["--image", kernel, "--format", "json"]
    truth = made.history[-1][1]
    checker.check("by its name", rows_of(asked(checker.trawl, [*words, "--os", "freertos"], path)) == truth)
    for wrong, said in (("threadx", b"no image has such a kernel"), ("none", b"no operating system is known"), ("nothing", b"neither a system")):
        done = asked(checker.trawl, [*words, "--os", wrong], path, (1, 2))
        checker.check(f"--os {wrong}", said in done.stderr and not done.stdout, done)
    mine.write_text("# mine\nsystem other\n  symbol nothing\n\nsystem mine\n  symbol pxCurrentTCB\n  let T = ((TCB_t *)$task)\n  running pxCurrentTCB\n  name {T}->pcTaskName\n"
                    "  state urgent if {T}->uxPriority > 1\n  state bogus if {T}->nothing\n  state idle if {T}->uxPriority == 0\n  state low if 1\n  held {T}->uxPriority + 5\n")
    found = {row[0]: (row[1], row[3]) for row in rows_of(asked(checker.trawl, [*words, "--os", mine], path)).values()}
    wanted = {row[0]: ("urgent" if int(row[2]) > 1 else "idle" if row[2] == "0" else "low", int(row[2]) + 5) for row in truth.values()}
    checker.check("lines of a file", found == wanted, (found, wanted))
    for text, said in (("symbol x\n", b":1: expected: system NAME"), ("system a\n  state x\n", b":2: expected: state WORD if CONDITION"), ("system a\n\n  nothing\n", b":3: no line begins so"),
                       ("system a\n name {X}\n", b":2: { without a 'let'"), ("system a\nsystem a\n", b":2: expected: system NAME, each once"), ("", b"describes no system"),
                       ("system a\n waits x\n", b":2: expected: WORD = EXPRESSION"), ("system a\n let = 5\n", b":2: expected: let NAME = TEXT"), ("system a\n name " + "x" * 3000, b":2: the line is too long"),
                       ("system a\n" + " let X = y\n" + " let X = {X}{X}\n" * 12 + " name {X}\n", b"its expression is too long"), ("system a\n" + " symbol x\n" * 1001, b"more lines than 1000"),
                       ("system a\n" + " let X = y\n" * 101, b"more than 100 lines 'let'"), ("#" * 70000, b"more than 65536 bytes"), ("system a\n  owner\n", b":2: "), ("system a\n  fold\n", b":2: a name is missing")):
        mine.write_text(text)
        done = asked(checker.trawl, [*words, "--os", mine], path, (1, 2))
        checker.check("a wrong file is refused", said in done.stderr and not done.stdout and done.stderr.count(b"\n") == 1, (text[:60], done.stderr))


def test_names(checker, place):
    """Reports by task have the names of the system that is meant, and those of an option before them."""
    image, path, kernel, mine = machine.write_image(place / "image.elf"), place / "t.tarmac", place / "kernel.elf", place / "mine"
    kernel.write_bytes(kernel_types.FREERTOS)
    made = keyed.pend_sv(20)
    stores = "".join(keyed.stores(key + kernel_types.TASK_NAME_OFFSET, f"name{number}") for number, key in enumerate(sorted(key for key in made.by_key if isinstance(key, int))))
    path.write_text(stores + made.text())
    mine.write_text("system mine\n symbol pxCurrentTCB\n task-name pxCurrentTCB->nothing\n task-name pxCurrentTCB->pcTaskName[3] + 0x100\n"
                    "system keyed\n symbol nothing\n task-key pxCurrentTCB\n")

    def names(*words, status=0):
        done = quick.run([checker.trawl, "profile", "--by", "task", "--memory-index", "--format", "json", "--image", image, "--image", kernel, *words, path], timeout=TIMEOUT_S)
        assert done.returncode == status, done.stderr
        return {row["task"] for row in json.loads(done.stdout)} if not status else done.stderr.decode()

    def has(found, start):
        return any(name.startswith(start) for name in found)

    checker.check("the kernel's", has(names(), "name0"), names())
    checker.check("by its name", names("--os", "freertos") == names())
    checker.check("none", not has(names("--os", "none"), "name"), names("--os", "none"))
    checker.check("a file's", has(names("--os", mine), "0x1"), names("--os", mine))
    checker.check("an option goes before", "0x77" in names("--os", mine, "--task-name", "0x77"), names("--os", mine, "--task-name", "0x77"))
    checker.check("a system that it is not", "zephyr" in names("--os", "zephyr", status=1))
    mine.write_text("system mine\n symbol pxCurrentTCB\n task-name pxCurrentTCB->pcTaskName\n task-key pxCurrentTCB\n")
    keys = {f"{key:#x}" for key in made.by_key if isinstance(key, int)}
    checker.check("the key of a file", keys <= {name.split()[-1] for name in names("--os", mine)}, (keys, names("--os", mine)))


def test_points(checker, place, kernel):
    """Before anything has run there is no task; a damaged image is refused."""
    made = Kernel(7)
    path = place / "t.tarmac"
    path.write_text("\n".join(made.lines) + "\n")
    done = asked(checker.trawl, ["--image", kernel, "--at", "start", "--format", "csv"], path)
    checker.check("no task at the start", done.stdout.count(b"\n") == 1 and b"no task" in done.stderr, done)
    data = bytearray(kernel_types.FREERTOS_OBJECTS)
    rng = random.Random(1)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(rng.randrange(1, 30)):
            damaged[rng.randrange(52, len(damaged))] = rng.randrange(256)
        (place / "damaged.elf").write_bytes(damaged)
        done = quick.run([checker.trawl, "tasks", "--memory-index", "--image", place / "damaged.elf", path], timeout=TIMEOUT_S)
        checker.check("a damaged image", done.returncode in (0, 1, 2, 3), done)


class Lists:
    """The memory of corpus/os/jobs.tarmac.xz as its text has it, and the lists of its kernel: offsets are those that GDB has for the image."""

    STATE_ITEM, EVENT_ITEM, PRIORITY, NAME, HELD = 0x4, 0x18, 0x2C, 0x34, 0x44
    HOLDER, TO_SEND, TO_RECEIVE, ITEM_SIZE, LIST_BYTES = 0x8, 0x10, 0x24, 0x40, 0x14
    CURRENT, READY, DELAYED, SUSPENDED, PENDING = 0x20000088, 0x20000004, (0x200000B4, 0x200000C8), 0x20000090, 0x200000DC
    VARIABLES = {0x20004130: "bus", 0x20004128: "config", 0x2000412C: "display", 0x20004124: "samples"}

    def __init__(self):
        self.memory, self.seen = {}, set()

    def take(self, line):
        words = line.split()
        if len(words) > 4 and re.fullmatch(r"M[RW]\d", words[2]):
            address, value = int(words[3], 16), int(words[4], 16)
            for i in range(int(words[2][2])):
                self.memory[address + i] = value >> 8 * i & 255
            if address == self.CURRENT:
                self.seen.add(value)

    def word(self, address):
        return sum(self.memory.get(address + i, 0) << 8 * i for i in range(4))

    def tasks_in(self, at):
        """The owners of a list's items, from the item at its end on."""
        end, found = at + 8, []
        place = self.word(end + 4)
        while place and place != end and len(found) < 100:
            found.append(self.word(place + 12))
            place = self.word(place + 4)
        return found

    def name(self, task):
        return bytes(self.memory[task + self.NAME + i] for i in range(12)).split(b"\0")[0].decode()

    def rows(self):
        rows, pending = {}, set(self.tasks_in(self.PENDING))
        lists = [("ready", self.READY + self.LIST_BYTES * i) for i in range(6)] + [("delayed", at) for at in self.DELAYED] + [("suspended", self.SUSPENDED)]
        names = {self.word(at): name for at, name in self.VARIABLES.items()}
        for state, at in lists:
            for task in self.tasks_in(at):
                inside, kind, place, holder = self.word(task + self.EVENT_ITEM + 16), None, None, None
                if task in pending:
                    state_of = "ready"
                elif inside:
                    state_of = "blocked"
                    place = next(place for place in names if inside - place in (self.TO_SEND, self.TO_RECEIVE))
                    if inside - place == self.TO_SEND:
                        kind = "room in a queue"
                    else:
                        kind = "mutex" if not self.word(place) else "queue" if self.word(place + self.ITEM_SIZE) else "semaphore"
                    holder = self.word(place + self.HOLDER) if kind == "mutex" else 0
                else:
                    state_of = state
                if task == self.word(self.CURRENT):
                    state_of = "running"
                rows[task] = [self.name(task), state_of, str(self.word(task + self.PRIORITY)), self.word(task + self.HELD), kind, place, names.get(place), self.name(holder) if holder else None]
        return rows


def test_lists(checker):
    """A run of FreeRTOS itself: tasks are in the state of the list in which the kernel has them."""
    corpus = Path(__file__).resolve().parents[2] / "corpus/os"
    lines = lzma.decompress((corpus / "jobs.tarmac.xz").read_bytes()).decode().splitlines()
    kernel, rng = Lists(), random.Random(1)
    points, kinds = set(rng.sample(range(17000, len(lines)), 600)), set()  # the scheduler runs by then
    pc, self_code = 0, range(0x20C8, 0x22B0)  # from depth_of to main, without the kernel
    for number, line in enumerate(lines, 1):
        kernel.take(line)
        words = line.split()
        pc = int(words[4], 16) if words[2] == "IT" else pc
        # The next line begins an event, and the program runs, not its kernel in the middle of moving a task.
        is_end = (number == len(lines) or lines[number].split()[2] in ("IT", "IS", "E")) and pc in self_code
        if not is_end or not any(number - i in points for i in range(8)):
            continue
        points -= {number - i for i in range(8)}
        done = asked(checker.trawl, ["--image", corpus / "jobs.elf", "--at", f"line:{number}", "--format", "json"], corpus / "jobs.tarmac.xz")
        found, rows = rows_of(done), kernel.rows()
        rows = {task: row for task, row in rows.items() if task in kernel.seen or task in found}
        checker.check("the kernel's lists", found == rows, (number, [(found.get(task), rows.get(task)) for task in {*found, *rows} if found.get(task) != rows.get(task)]))
        kinds |= {(row[1], row[4]) for row in rows.values()}
    checker.check("states of many kinds", len(kinds) > 6, kinds)


def test_states_over_time(checker, place):
    """The tracks of states in exports are the states that `tasks` shows at points; in the Common Trace Format the same."""
    corpus = Path(__file__).resolve().parents[2] / "corpus/os"
    words = ["--image", corpus / "jobs.elf", "--memory-index"]
    done = quick.run([checker.trawl, "export", "--format", "chrome", "--by", "task", *words, corpus / "jobs.tarmac.xz"], timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    events = json.loads(done.stdout)["traceEvents"]
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["ph"] == "M"}
    spans = collections.defaultdict(list)
    for event in events:
        name = names[event["pid"], event["tid"]]
        if name.endswith(": state") and event["ph"] == "B":
            spans[name[:-7]].append([event["ts"], None, event["name"]])
        elif name.endswith(": state") and event["ph"] == "E":
            spans[name[:-7]][-1][1] = event["ts"]
    checker.check("a track for each task", len(spans) == 9 and all(b is not None and a < b for track in spans.values() for a, b, _ in track), list(spans))
    for track in spans.values():
        checker.check("one state after the other", all(a[1] <= b[0] + 1 and a[2] != b[2] for a, b in zip(track, track[1:])), track)
    done = quick.run([checker.trawl, "export", "--format", "ctf", "--by", "task", "-o", place / "ctf", *words, corpus / "jobs.tarmac.xz"], timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    trace = test_export.Ctf(place / "ctf")
    found = [[[time, time + fields[1], fields[0]] for time, kind, fields in events if kind == 5] for events in trace.lanes]
    rounded = [[[round(a), round(b), word] for a, b, word in track] for track in spans.values()]
    checker.check("states of ctf", [track for track in found if track] == rounded, (found, rounded))
    if shutil.which("babeltrace2"):
        done = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", "--names=none", place / "ctf"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        rows = re.findall(r'^\[(\d+)\] state: .*\{ "(\w+)", (\d+) \}$', done.stdout, re.M)
        theirs = sorted((int(time), int(time) + int(ticks), word) for time, word, ticks in rows)
        checker.check("states of babeltrace2", done.returncode == 0 and theirs == sorted(tuple(one) for track in rounded for one in track), (done.stderr[:200], theirs[:4]))
    else:
        checker.skip("babeltrace2", "not installed")
    rng = random.Random(2)
    for time in sorted(rng.sample(range(9000, 33000), 40)):
        rows = rows_of(asked(checker.trawl, ["--image", corpus / "jobs.elf", "--at", f"time:{time}", "--format", "json"], corpus / "jobs.tarmac.xz"))
        for row in rows.values():
            states = {word for a, b, word in spans[row[0]] if a - 1 <= time <= b}
            checker.check("the state at a time", row[1] in states, (time, row, states))


class Interrupts:
    """From the text of a run on a core of the M profile, where each instruction says whether it is of a handler: when a task ran again after
    the entry of each handler, and since when each was pending by a store of the program."""

    ICSR, ISPR, ICPR, STIR = 0xE000ED04, 0xE000E200, 0xE000E280, 0xE000EF00

    def __init__(self, lines):
        self.entries = []  # [line, exception, to task, pending since, register]
        self.waiting, self.since = [], {}
        time = 0
        for number, line in enumerate(lines, 1):
            words = line.split()
            time = int(words[0])
            if words[2] == "E" and "RESET" not in line:
                exception = int(words[4], 16)
                self.entries.append([number, exception, None, *self.since.pop(exception, (None, None))])
                self.waiting.append((time, self.entries[-1]))
                if self.entries[-1][3] is not None:
                    self.entries[-1][3] = time - self.entries[-1][3]
            elif words[2] == "IT" and words[7] == "thread":
                for entry, row in self.waiting:
                    row[2] = time - entry
                self.waiting = []
            elif words[2] == "MW4":
                self.store(int(words[3], 16), int(words[4], 16), time)

    def store(self, address, value, time):
        asked = []
        if address == self.ICSR:
            asked = [(14, "ICSR.PENDSVSET") for _ in range(value >> 28 & 1)]
            denied = [14] * (value >> 27 & 1)
        elif address == self.STIR:
            asked, denied = [(16 + (value & 0x1FF), "STIR")], []
        else:
            numbers = [16 + bit for bit in range(32) if value >> bit & 1]
            asked = [(number, "ISPR") for number in numbers if address == self.ISPR]
            denied = numbers if address == self.ICPR else []
        for number in denied:
            self.since.pop(number, None)
        for number, name in asked:
            self.since.setdefault(number, (time, name))


@pytest.mark.parametrize("seed", [None, *range(6)])
def test_interrupts(checker, place, seed):
    """Latencies of interrupts; with stores to all registers by which software asks for one, put in where instructions of tasks store."""
    corpus = Path(__file__).resolve().parents[2] / "corpus/os"
    lines = lzma.decompress((corpus / "jobs.tarmac.xz").read_bytes()).decode().splitlines()
    rng = random.Random(seed)
    asks = [(address, 1 << 8 | rng.getrandbits(8)) for address in (Interrupts.ISPR, Interrupts.ICPR)] + [(Interrupts.STIR, 8), (Interrupts.STIR, 9), (Interrupts.ICSR, 1 << 27)]
    only = [number for number in range(1, len(lines) - 1) if " MW4 2000" in lines[number] and " IT " in lines[number - 1] and " MW4 " not in lines[number + 1]]
    stores = only if seed is not None else []
    for number in rng.sample(stores, min(len(stores), 600)):
        lines[number] = re.sub(r"MW4 \S+ \S+", "MW4 %08x %08x" % rng.choice(asks), lines[number])
    (place / "run.tarmac").write_text("\n".join(lines) + "\n")
    wanted = Interrupts(lines)
    words = ["--image", corpus / "jobs.elf", "--memory-index", "--format", "csv", place / "run.tarmac"]
    done = quick.run([checker.trawl, "calls", "--pending", *words], timeout=TIMEOUT_S)
    assert done.returncode in (0, 3), done.stderr
    found = {int(row["entry_line"]): row for row in csv.DictReader(io.StringIO(done.stdout.decode()))}
    if seed is None:
        checker.check("every handler is there", set(found) == {line for line, *_ in wanted.entries}, set(found) ^ {line for line, *_ in wanted.entries})
    kinds = collections.Counter()
    for line, exception, to_task, pending, name in wanted.entries:
        row = found.get(line)
        if not row:
            continue
        kinds[name] += 1
        checker.check("from the entry to a task", row["to_task"] == ("" if to_task is None else str(to_task)), (seed, line, to_task, row))
        checker.check("from the request to the entry", (row["pending"], row["request"]) == ("" if pending is None else str(pending), name or ""), (seed, line, exception, pending, name, row))
    checker.check("handlers with and without requests", len(found) > 100 and kinds["ICSR.PENDSVSET"] > 30 and kinds[None] > 30, kinds)
    if seed is not None:
        checker.check("requests of all kinds", kinds["ISPR"] + kinds["STIR"] > 3, kinds)
        return
    # The same in the durations of each handler, and from one on that is in the middle.
    done = quick.run([checker.trawl, "calls", "--pending", "--latency", *words], timeout=TIMEOUT_S)
    for row in csv.DictReader(io.StringIO(done.stdout.decode())):
        for name in ("to_task", "pending"):
            all_of = sorted(int(one[name]) for one in found.values() if one["function"] == row["function"] and one[name])
            ranks = [str(all_of[max(0, -(-len(all_of) * percent // 100) - 1)]) if all_of else "" for percent in (0, 50, 90, 99, 100)]
            checker.check("durations", [row[f"{name}_{key}"] for key in ("minimum", "median", "p90", "p99", "maximum")] == ranks, (row, ranks))
    middle = wanted.entries[60][0]
    done = quick.run([checker.trawl, "calls", "--pending", "--time", "%d.." % int(found[middle]["entry_time"]), *words], timeout=TIMEOUT_S)
    for row in csv.DictReader(io.StringIO(done.stdout.decode())):
        checker.check("the same in a range", [row[key] for key in ("to_task", "pending")] == [found[int(row["entry_line"])][key] for key in ("to_task", "pending")], row)
