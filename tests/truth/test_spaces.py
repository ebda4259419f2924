"""Memory by address space: a virtual address is the place that the core's translation tables give it at the event.

    tests/run.py spaces

A small machine runs processes, kernels, virtual machines and secure firmware on one or two cores. It translates addresses by its own tables,
writes a trace with both addresses of each access, and remembers what every byte of physical memory was after each event and which event
stored it. The machine is the truth: what libtrawl knows of a virtual address must be what the machine had there, and it must know what the
trace showed. An address is only asked for if the trace shows where it is: the last access to its page in its space, or otherwise the first
after it, was made with the same table.
"""

import json
import random
import zlib

import index_reader
import libtrawl
import pytest
import quick
from gdb_client import Client
from served import Served

TIMEOUT_S = 60
SEEDS = 200
PAGE = 0x1000
USER, KERNEL, PLACES = 0x500000, 0xFFFF000000000000, 0x80001000
KINDS = ("processes", "cores", "tags", "remapped", "worlds", "machines")


class Context:
    """What a core executes in: its mode, the registers that select its tables, and these, page by page: (world, physical page)."""

    def __init__(self, mode, registers, table, tags=(0,), kernel=None):
        self.mode, self.registers, self.table, self.tags, self.kernel = mode, registers, table, tags, kernel


def contexts_of(kind, chance):
    pages = [(USER + PAGE * i) for i in range(3)]
    physical = [0x90000000 + PAGE * i for i in range(16)]
    chance.shuffle(physical)
    take = lambda world="_NS": {page: (world, physical.pop()) for page in pages}
    if kind == "worlds":
        table = [PLACES + PAGE * i for i in range(3)]
        return [Context("EL3h_s", {}, {page: ("", page) for page in table}),
                Context("EL1h_n", {}, {page: ("_NS", page) for page in table})]  # fmt: skip
    if kind == "machines":
        found = [Context("EL1h_n", {"TTBR0_EL1": 0x41000000, "VTTBR_EL2": 0x51000000 + 0x10000 * i | i << 48}, take()) for i in range(2)]
        return found + [Context("EL2h_n", {}, {page: ("_NS", page) for page in (0x90000000, 0x90001000)})]
    tags = (0, 0xB4 << 56, 0x01 << 56) if kind == "tags" else (0,)
    linear = {KERNEL + page: ("_NS", page) for page in physical}
    found = [Context("EL0t_n", {"TTBR0_EL1": 0x41000000 + 0x1000 * i | i << 48}, take(), tags, linear) for i in range(3)]
    if chance.random() < 0.5:  # memory that two of them share
        found[1].table[pages[0]] = found[0].table[pages[0]]
    return found


class Machine:
    def __init__(self, seed):
        self.chance = chance = random.Random(seed)
        self.kind = KINDS[seed % len(KINDS)]
        self.contexts = contexts_of(self.kind, chance)
        self.lanes = 2 if self.kind == "cores" or chance.random() < 0.2 else 1
        self.memory, self.stored, self.shown = {}, {}, {}  # by place: bytes, the event that stored, whether the trace showed it
        self.lines, self.events, self.asked = [], [], []
        self.seen = {}  # (context, page of it): [(event, place)]
        self.history = []  # after each event: (memory, stored, shown), of what changed
        self.current = [None] * self.lanes
        self.values = [{} for _ in range(self.lanes)]
        for event in range(chance.randrange(20, 90)):
            self.step(event)

    def place(self, context, address):
        table = context.kernel if address >> 63 else context.table
        world, page = table[address & ~0xFF00000000000FFF if not address >> 63 else address & ~0xFFF]
        return world, page + address % PAGE

    @staticmethod
    def initial(place):
        return zlib.crc32(("%s %x" % place).encode()) & 0xFF

    def byte(self, place):
        return self.memory[place] if place in self.memory else self.initial(place)

    def emit(self, lane, event, text):
        core = "cpu%d " % lane if self.lanes > 1 else ""
        self.lines.append("%d clk %s%s" % (event + 1, core, text))

    def step(self, event):
        chance, lane = self.chance, self.chance.randrange(self.lanes)
        context = self.current[lane]
        if context is None or chance.random() < 0.2:
            context = self.current[lane] = chance.choice(self.contexts)
            mode = {"E": "EL1h_n"}.get(context.mode[0] if context.mode == "EL0t_n" else "", context.mode)
            self.emit(lane, event, "IT (%d) %016x:%012x_NS d5182000 O %s : MSR" % (event + 1, 0x8000, 0x8000, mode))
            for name, value in context.registers.items():
                if self.values[lane].get(name) != value:
                    self.emit(lane, event, "R %s %016x" % (name, value))
                self.values[lane][name] = value
            self.events.append((lane, context if context.mode == "EL0t_n" else None))
        else:
            if self.kind == "remapped" and chance.random() < 0.15:
                page = chance.choice(sorted(context.table))
                context.table[page] = ("_NS", 0xA0000000 + PAGE * event)
            mode = "EL1h_n" if context.kernel and chance.random() < 0.3 else context.mode
            self.emit(lane, event, "IT (%d) %016x:%012x_NS f9000001 O %s : STR" % (event + 1, 0x8000, 0x8000, mode))
            self.access(lane, event, context, mode == "EL1h_n" and context.kernel)
            self.events.append((lane, context))
        for asked in list(self.contexts):
            for page, where in asked.table.items():
                self.asked.append((event, asked, page, where))
        self.history.append((dict(self.memory), dict(self.stored), dict(self.shown)))

    def access(self, lane, event, context, is_kernel):
        chance = self.chance
        size = chance.choice([1, 2, 4, 8])
        page = chance.choice(sorted(context.kernel if is_kernel and chance.random() < 0.7 else context.table))
        address = page + chance.randrange(24 // size) * size
        is_load = chance.random() < 0.5
        world, physical = self.place(context, address)
        places = [(world, physical + i) for i in range(size)]
        if not is_load:
            self.memory.update((place, chance.randrange(256)) for place in places)
            self.stored.update((place, event) for place in places)
        self.shown.update((place, True) for place in places)
        digits = "".join("%02x" % self.byte(place) for place in reversed(places))
        tag = 0 if address >> 63 else chance.choice(context.tags)
        self.emit(lane, event, "M%s%d %016x:%012x%s %s" % ("WR"[is_load], size, tag | address, physical, world, digits))
        self.seen.setdefault((context, page), []).append((event, self.place(context, page)))

    def is_shown(self, context, page, event, where):
        seen = self.seen.get((context, page), [])
        before = [place for at, place in seen if at <= event]
        after = [place for at, place in seen if at > event]
        return (before[-1] if before else after[0] if after else None) == where


def misplaced(machine, opened, reader):
    """Where the library and a second reader of the index look up an address differently."""
    for event, context, page, _ in machine.asked[:: max(1, len(machine.asked) // 12)]:
        lane = machine.events[event][0]
        opened.see_memory(lane=lane)
        place, kind = opened.place(event, page)
        theirs = reader.place_of(lane, event, page)
        if theirs != (None if kind else place):
            yield "event %d, %#x: at %#x (%d), not %s" % (event, page, place, kind, theirs and hex(theirs))
    opened.see_memory()


def faults(machine, opened, may_guess):
    """What the library says wrongly of pages of the space that a core has at an event."""
    for event, context, page, where in machine.asked:
        if machine.events[event][1] is not context or not machine.is_shown(context, page, event, where):
            continue
        if may_guess and opened.place(event, page)[1] == 1:
            continue  # it says so
        memory, stored, shown = machine.history[event]
        for tag in context.tags:
            values, known = opened.memory(event, tag | page, 24)
            for i in range(24):
                place = where[0], where[1] + i
                truth = memory[place] if place in memory else machine.initial(place)
                if known[i] and values[i] != truth:
                    yield "event %d, %#x: %#x, not %#x" % (event, tag | page + i, values[i], truth)
                if not known[i] and place in shown:
                    yield "event %d, %#x: unknown" % (event, tag | page + i)
        last = max((stored.get((where[0], where[1] + i), -1) for i in range(24)))
        found = opened.memory_writes(event, libtrawl.BACKWARD, page, 24, 1)
        if found != ([last] if last >= 0 else []):
            yield "event %d, %#x: written by %s, not %s" % (event, page, found, last)


@pytest.mark.parametrize("part", range(4))
def test_spaces(trawl, library, checker, quick_place, part):
    for seed in range(part, SEEDS, 4):
        machine = Machine(seed)
        (quick_place / "t").write_text("\n".join(machine.lines) + "\n")
        for options in ([], ["--segment-events=8"], ["--chunk-size=300"]):
            words = ["index", "-q", "--force-index", "--index=x", *options, "t"]
            quick.run([trawl, *words], cwd=quick_place, timeout=TIMEOUT_S)
            with library.open(quick_place / "x") as opened:
                # A segment without any translation does not tell the exception level.
                wrong = list(faults(machine, opened, "--segment-events=8" in options and machine.kind == "worlds"))
                if not options:  # all in one segment
                    wrong += misplaced(machine, opened, index_reader.Index((quick_place / "x").read_bytes()))
            checker.check("seed %d (%s) %s" % (seed, machine.kind, options), not wrong, "; ".join(wrong[:3]))


# --- Asked by the user ----------------------------------------------------------------------------

TWO = 0x5122334455667700  # what process 2 stored at USER


@pytest.fixture
def processes(quick_place):
    """Three processes; the first two have USER at different places, the third never accesses it."""
    lines, event = [], 0
    for process, value in ((1, TWO + 1), (2, TWO), (3, None), (1, TWO + 1)):
        lines += ["%d clk IT (%d) 00008000 d5182000 O EL1h_n : MSR" % (event, event), "%d clk R TTBR0_EL1 %016x" % (event, 0x41000000 + 0x1000 * process)]
        for kind in "WR" if value else "":
            page, data = (USER, 0x90000000 + PAGE * process), value
            lines += ["%d clk IT (%d) 00008000 f9000001 O EL0t_n : X" % (event + 1, event), "%d clk M%s8 %016x:%012x_NS %016x" % (event + 1, kind, *page, data)]
            event += 1
        lines += ["%d clk IT (%d) 00008000 f9000001 O EL0t_n : X" % (event + 1, event), "%d clk MW8 %016x:%012x_NS %016x" % (event + 1, USER + PAGE * 9, 0x95000000, 0)]
        event += 2
    (quick_place / "t").write_text("\n".join(lines) + "\n")
    return quick_place


def first(process):
    return "TTBR0_EL1=0x%x" % (0x41000000 + 0x1000 * process)


def test_commands(trawl, checker, processes):
    def rows(*words):
        done = quick.run([trawl, *words, "--format=json"], cwd=processes, timeout=TIMEOUT_S)
        return json.loads(done.stdout or b"null"), done.stderr.decode()

    for command in ("writes", "reads"):
        for words, count in (([first(1), "0x500000:8"], 2), ([first(2), "0x500000:8"], 1), (["physical", "0x90002000:8"], 1)):
            answer, said = rows(command, "t", words[1], "--all", "--space", words[0])
            checker.check("%s %s" % (command, words), len(answer) == count and "guess" not in said, "%s %s" % (answer, said))
        both = [rows(command, "t", "0x90002000:8", "--all", option)[0] for option in ("--physical", "--space=physical")]
        checker.check("%s --physical" % command, both[0] == both[1] and len(both[0]) == 1, both)
    found, said = rows("find", "t", "u64(0x500000) == %#x" % TWO, "--space", first(2))
    checker.check("find", len(found) == 1 and not said, "%s %s" % (found, said))
    found, said = rows("writes", "t", "0x500000:8", "--all", "--space", first(3))
    checker.check("writes of a space that never accesses the page: it is said", "at several physical addresses" in said, said)
    for command in ("stack", "state", "reads", "find"):
        what = {"stack": [], "state": ["pc"], "reads": ["0x500000:8"], "find": ["pc == 0x8000"]}[command]
        done = quick.run([trawl, command, "t", *what, "--space=TTBR0_EL1=0x77"], cwd=processes, timeout=TIMEOUT_S)
        checker.check("%s: an unknown space" % command, done.returncode == 1 and b"no such address space" in done.stderr, done.stderr)


def test_server(trawl, checker, processes):
    with Served(trawl, [processes / "t"]) as served:
        for space, value in ((first(1), TWO + 1), (first(2), TWO), ("", TWO + 1)):
            status, answer = served.ask("memory", at=13, address="0x500000", size=8, space=space)
            wanted = value.to_bytes(8, "little").hex()
            checker.check("memory in '%s'" % space, status == 200 and answer["bytes"] == wanted and answer["doubt"] is None, answer)
        status, answer = served.ask("memory", at=13, address="0x90002000", size=8, space="physical")
        checker.check("physical memory", answer["bytes"] == TWO.to_bytes(8, "little").hex(), answer)
        status, answer = served.ask("memory", at=13, address="0x500000", size=8, space=first(3))
        checker.check("a guess", "another space" in (answer["doubt"] or ""), answer)
        status, answer = served.ask("memory", at=13, address="0x500000", size=8, space="nothing")
        checker.check("an unknown space", status == 404, (status, answer))
        status, answer = served.ask("memory", at=13, address="0x500000", size=8)
        checker.check("the next question is of the core again", answer["bytes"] == (TWO + 1).to_bytes(8, "little").hex(), answer)


def test_debugger(trawl, checker, processes):
    with Client([trawl, "gdbserver", "--memory-index", processes / "t"]) as client:
        client.monitor("goto end")
        for name, wanted in (("core", TWO + 1), (first(2), TWO), (first(1), TWO + 1)):
            said = client.monitor("space " + name)
            found = client.ask("m500000,8")
            checker.check("space %s" % name, found == wanted.to_bytes(8, "little").hex(), "%s, %s" % (found, said))
        client.monitor("space physical")
        found = client.ask("m90002000,8")
        checker.check("physical", found == TWO.to_bytes(8, "little").hex(), found)
        client.monitor("space " + first(3))
        client.ask("m500000,8")
        said = client.monitor("space")
        checker.check("what there is", said.count("TTBR0_EL1=") >= 4 and "had to be guessed" in said, said)
        checker.check("an unknown space", "no such address space" in client.monitor("space nothing"), "")


def test_agents(trawl, checker, processes):
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "state", "arguments": {"memory": "0x500000:8", "space": first(2)}}}
    begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
    lines = "".join(json.dumps(line) + "\n" for line in (begin, {"jsonrpc": "2.0", "method": "notifications/initialized"}, ask))
    done = quick.run([trawl, "mcp", "t"], cwd=processes, input=lines.encode(), timeout=TIMEOUT_S)
    checker.check("state in a space", TWO.to_bytes(8, "little").hex() in done.stdout.decode().replace(" ", ""), done.stdout[-600:])
