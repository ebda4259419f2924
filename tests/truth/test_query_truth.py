"""Registers, memory and the stack according to trawl compared with the truth that the tracer recorded.

    tests/run.py query_truth

Every record of a truth file (corpus/README.md) has the state after one instruction. Known values must agree with it, and everything that
the trace has shown by then must be known: every register that a line has written, every byte that an instruction has touched according to
the record. Left out is what a trace cannot show: a banked stack pointer or link register whose last line was of another mode, bytes that a
host call may have written again (how many, no line says), and the stacks that the heuristic for calls does not see (test_truth.py).
"""

import bisect
import json
import pathlib
import re

import pytest
import quick

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
# Traces whose stacks are compared only by test_truth.py, which knows what cannot be determined.
NOT_COMPARED = ("longjmp-", "exceptions-", "tailcall-", "pointers-a64.")
TIMEOUT_S = 60
SHOWN_MIN = 100  # so that a comparison of nothing does not pass

REGISTER_LINE = re.compile(rb"(?:(cpu\d+) )?R (\w+)(?:\W|$)")
# Bits of cpsr that the truth of A32 does not maintain.
CPSR_MASK_A32 = ~(1 << 25 | 1 << 26 | 0x3F << 10) & 0xFFFFFFFF


class Shown:
    """What the lines of a trace have written: for each register of a core, the lines and the names."""

    def __init__(self, trace):
        self.lines = {}  # (core, canonical name) -> ([line], [name])
        for number, line in enumerate(trace.read_bytes().split(b"\n"), 1):
            match = REGISTER_LINE.search(line)
            if not match:
                continue
            core, name = int((match.group(1) or b"cpu0")[3:]), match.group(2).decode().lower()
            for canonical in self.canonical(name):
                lines, names = self.lines.setdefault((core, canonical), ([], []))
                lines.append(number)
                names.append(name)

    @staticmethod
    def canonical(name):
        """The registers, with their names in the truth, all of whose bytes a line with that name writes."""
        base = name.split("_")[0]
        kind, digits = base.rstrip("0123456789"), base[len(base.rstrip("0123456789")) :]
        if kind in ("x", "w", "r") and digits:
            number = int(digits)
            return ["sp"] if kind == "r" and number == 13 else [f"x{number}"]
        if kind in ("v", "q", "d") and digits:
            return [kind + digits]
        return {"sp": ["sp"], "xsp": ["sp"], "lr": ["x14"], "cpsr": ["cpsr"]}.get(base, [])

    def last(self, core, name, line):
        """The name that last wrote the register up to a line, or None."""
        lines, names = self.lines.get((core, name), ([], []))
        at = bisect.bisect_right(lines, line)
        return names[at - 1] if at else None


class Comparison:
    """The comparison of one trace with its truth."""

    def __init__(self, bin_dir, truth, directory):
        self.trawl = bin_dir / "trawl"
        records = [json.loads(line) for line in truth.read_text().splitlines()]
        self.head, self.records = records[0], records[1:]
        self.trace = directory / truth.with_suffix("").name
        self.trace.symlink_to(truth.with_suffix(""))
        self.shown = Shown(self.trace)
        self.name = self.trace.name
        self.compared, self.shown_count, self.faults = 0, 0, []
        self.is_a64 = self.head["isa"] == "a64"
        self.has_host = self.name.startswith("semihosting-")
        self.has_lanes = self.head["cores"] > 1

    def ask(self, command, record, *arguments, without_lane=False):
        words = [self.trawl, command, self.trace, "--format", "json", "--at", f"byte:{record['byte']}"]
        if self.head["big_endian"]:
            words.append("--bi")
        if self.has_lanes and not without_lane:
            words += ["--lane", f"cpu{record['core']}"]
        run = quick.run([*words, *arguments], timeout=TIMEOUT_S)
        if run.returncode not in (0, 3):
            raise RuntimeError(run.stderr.decode())
        return json.loads(run.stdout)

    def fault(self, record, text):
        self.faults.append(f"{self.name}:{record['line']}: {text}")

    def compare(self, record, name, found, wanted, must_be_known):
        """Compares digits, highest first, of which some may be unknown."""
        wanted = wanted.rjust(len(found), "0")
        self.compared += 1
        self.shown_count += must_be_known
        if any(f not in (".", w) for f, w in zip(found, wanted)):
            self.fault(record, f"{name} is {wanted}, found {found}")
        elif must_be_known and "." in found:
            self.fault(record, f"{name} is {wanted} and was shown, found {found}")

    def is_of_mode(self, record, register, name):
        """Whether a line that wrote the register under that name meant the bank of the record's mode."""
        bank = name.partition("_")[2]
        if not bank or not register == "sp" and self.is_a64:
            return True
        if self.is_a64:
            return bank == {"EL0t": "el0", "EL1t": "el0"}.get(record["mode"], "el1")
        return bank == record["mode"]

    def check_registers(self, record):
        names = [f"x{i}" if self.is_a64 else f"r{i}" for i in range(len(record["x"]))]
        wanted = dict(zip([f"x{i}" for i in range(len(names))], record["x"]))
        wanted["sp"] = record["sp"]
        if not self.is_a64:
            del wanted["x13"]
        vector = "v" if self.is_a64 else "d"
        vectors = [f"{vector}{i}" for i in range(32)]
        wanted.update({v: record["v"].get(v[1:], "0") for v in vectors})
        state = self.ask("state", record, "--registers", "general,vector")
        found = state["lanes"][0]["registers"]
        for register, value in wanted.items():
            own = register if self.is_a64 or register[0] != "x" else "lr" if register == "x14" else "r" + register[1:]
            last = self.shown.last(record["core"], register, record["line"] + self.lines_of(record))
            if last and not self.is_of_mode(record, register, last):
                continue
            digits = found[own]["value"]
            if digits is None:
                digits = "0x" + "." * (2 * (16 if register[0] == "v" else 8 if self.is_a64 or register[0] == "d" else 4))
            self.compare(record, own, digits[2:], value, last is not None)
        return state

    def lines_of(self, record):
        """Lines after the instruction's own line that show its effects: up to the next instruction."""
        after = self.following.get(record["line"])
        return after or 0

    def check_flags(self, record, state):
        last = self.shown.last(record["core"], "cpsr", record["line"])
        digits = state["lanes"][0]["registers"]["psr"]["value"]
        if not last or digits is None or "gem5" in self.name:
            return
        mask = 0xFFFFFFFF if self.is_a64 else CPSR_MASK_A32
        self.compare(record, "psr", f"{int(digits, 16) & mask:08x}", f"{int(record['cpsr'], 16) & mask:08x}", True)

    def check_memory(self, record):
        ranges = []
        for window in record["memory"]:
            ranges += ["--memory", f"0x{window['at']}:{len(window['bytes']) // 2}"]
        state = self.ask("state", record, "--registers", "sp" if self.is_a64 else "r0", *ranges)
        for window, found in zip(record["memory"], state["memory"]):
            for i in range(len(window["bytes"]) // 2):
                address = int(window["at"], 16) + i
                byte = found["bytes"][2 * i : 2 * i + 2]
                is_seen = int(window["seen"][i // 4], 16) >> (3 - i % 4) & 1
                if is_seen and byte == ".." and self.has_host:
                    is_seen = self.last_writer(record, address) != "host write"
                self.compare(record, f"0x{address:x}", byte, window["bytes"][2 * i : 2 * i + 2], is_seen)

    def last_writer(self, record, address):
        written = self.ask("writes", record, f"0x{address:x}", without_lane=True)
        return written[0]["kind"] if written else None

    def check_stack(self, record):
        if self.name.startswith(NOT_COMPARED) or "gem5" in self.name:
            return
        if record["depth"] != len(record["stack"]):
            return
        wanted, pending_tail = [], False
        for frame in record["stack"]:  # for a chain of tail calls, the lowest frame
            if pending_tail:
                wanted[-1] = int(frame["entry"], 16)
            else:
                wanted.append(int(frame["entry"], 16))
            pending_tail = frame["kind"] == "tail"
        found = [int(frame["entry"], 16) for frame in self.ask("stack", record)]
        self.compared += 1
        if found != wanted:
            self.fault(record, f"stack is {wanted}, found {found}")

    def run(self):
        self.following = self.count_following()
        for record in self.records:
            state = self.check_registers(record)
            self.check_flags(record, state)
            self.check_memory(record)
            self.check_stack(record)
        return self

    def count_following(self):
        """For the line of each record, the number of following lines that are not instructions of the core."""
        instruction = re.compile(rb"(?:^|\s)(?:I[TS]|ES)\s")
        lines = self.trace.read_bytes().split(b"\n")
        counts = {}
        for record in self.records:
            at = record["line"]
            while at < len(lines) and not instruction.search(lines[at]):
                at += 1
            counts[record["line"]] = at - record["line"]
        return counts


@pytest.mark.parametrize("truth", sorted((CORPUS / "traces").glob("*.truth")), ids=lambda path: path.name.removesuffix(".tarmac.truth"))
def test_traces(checker, programs, place, truth):
    comparison = Comparison(programs, truth, place).run()
    checker.check("values were compared", comparison.compared)
    checker.no_fault(truth.name, comparison.faults)
    checker.check("values that the trace shows", comparison.shown_count >= SHOWN_MIN, comparison.shown_count)
