"""Stacks of GDB trace files: for real files compared with GDB's own, by SFrame and by frame pointers; for files from `trawl export`
compared with the original traces.

    tests/run.py tfile_stack

A stack must equal GDB's, or its beginning if trawl reports that unwinding ended early. Without gdb-multiarch or gdb that part is skipped by
name.
"""

import json
import pathlib
import shutil
from collections import Counter

import pytest
import quick
from checker import Checker

TESTS = pathlib.Path(__file__).resolve().parents[1]
CORPUS = TESTS.parent / "corpus"
GDB = shutil.which("gdb-multiarch") or shutil.which("gdb")
TIMEOUT_S = 120

# File, image, its load address, how stacks are unwound, and how many stacks must be complete.
REAL = [
    ("stacks", "walk", 0, "auto", 27),
    ("stacks", "walk", 0, "sframe", 27),
    ("stacks-fp", "walk-fp", 0, "auto", 24),
    ("stacks-fp", "walk-fp", 0, "fp", 24),
    ("pie", "walk-pie", 0x555555554000, "auto", 24),
    ("steps", "walk", 0, "auto", 0),  # the tracepoint collected nothing of the stack
    ("full", "walk", 0, "auto", 0),
]


class Check(Checker):
    def __init__(self, trawl, directory):
        super().__init__(trawl)
        self.directory = directory

    def run(self, *words):
        status, out, err, killed = quick.answer([str(word) for word in words], TIMEOUT_S)
        assert not killed and status in (0, 3) and b"Traceback" not in err, f"{words}: {err.decode()}"
        return out.decode(), err.decode()

    # --- Real files ------------------------------------------------------------------------------

    def ask_gdb(self, name, image, offset):
        """GDB's stack at each frame."""
        path = CORPUS / "tfile" / f"{name}.tf"
        frames = self.run(self.trawl, "tfile", "frames", path, "--format", "tsv")[0].count("\n") - 1
        asked = {"file": str(path), "image": str(image), "offset": offset, "frames": frames}
        script = self.directory / f"{name}.json"
        script.write_text(json.dumps(asked))
        said, _ = self.run(GDB, "-q", "-batch", "-nx", "-ex", f"py asked = '{script}'",
                           "-x", TESTS / "support" / "tfile_bt_gdb.py")  # fmt: skip
        told = [json.loads(line[1:]) for line in said.splitlines() if line.startswith("=")]
        self.expect(f"{name}: stacks that GDB told", len(told), frames)
        return told

    def check_real(self, name, image, offset, how, whole):
        image = CORPUS / "tfile" / f"{image}.elf"
        same = 0
        for number, wanted in enumerate(self.ask_gdb(name, image, offset)):
            found, said = self.run(self.trawl, "stack", CORPUS / "tfile" / f"{name}.tf", "--image", image,
                                   "--at", f"event:{number}", "--unwind", how, "--format", "json")  # fmt: skip
            stack = [[int(frame["pc"], 16), frame["function"]] for frame in json.loads(found)]
            is_early = "unwinding ends early" in said
            # GDB infers no PC if the tracepoint has steps; trawl knows that it has none.
            self.expect(f"{name}: frame {number} by {how}", stack, wanted[: len(stack)] if is_early and wanted else wanted or stack)
            same += not is_early
        self.expect(f"{name}: whole stacks by {how}", same, whole)

    def check_flames(self):
        """A flame graph is the sum of all stacks, each counted once or by its weight."""
        image = CORPUS / "tfile" / "walk.elf"
        stacks = self.ask_gdb("stacks", image, 0)
        path = CORPUS / "tfile" / "stacks.tf"
        wanted = Counter(";".join(name for _, name in reversed(stack)) for stack in stacks)
        self.expect("flame graph", self.flames(path, image), wanted)
        words = ["series", path, "$hits", "--format", "json"]
        values = [row["$hits"] for row in json.loads(self.run(self.trawl, "tfile", *words)[0])]
        weighted = Counter()
        for stack, value in zip(stacks, values):
            weighted[";".join(name for _, name in reversed(stack))] += value or 0
        self.expect("weights", self.flames(path, image, "--weight", "$hits"), +weighted)

    def flames(self, path, image, *words):
        text, _ = self.run(self.trawl, "flamegraph", path, "--image", image, *words)
        found = Counter()
        for line in text.splitlines():
            stack, count = line.rsplit(" ", 1)
            found[stack] += int(count)
        return +found

    # --- Exported traces -------------------------------------------------------------------------

    def check_export(self, source):
        """All states of an AArch64 trace, exported as a trace file: the stacks of the file are those of the trace."""
        trace = self.directory / source.name
        shutil.copy(source, trace)
        image, file = source.with_suffix(".elf"), trace.with_suffix(".tf")
        self.run(self.trawl, "export", "--format", "tfile", trace, "--every", "1", "--lane-events", "1..", "-o", file)
        of_file = self.flames(file, image)
        of_trace = self.flames(trace, image, "--unwind", "sframe")
        # If unwinding ends early, a trace continues with its own calls; and it knows who called long_jump.
        missing = of_trace - of_file
        few = 1 if "longjmp" not in source.name else 120
        self.expect(f"{source.name}: stacks", (missing.total() <= few, of_file.total()), (True, of_trace.total()))


@pytest.fixture
def check(trawl, place):
    return Check(trawl, place)


needs_gdb = pytest.mark.skipif(not GDB, reason="there is no gdb-multiarch or gdb")


@needs_gdb
@pytest.mark.parametrize("case", REAL, ids=lambda case: f"{case[0]}-{case[3]}")
def test_real(check, case):
    check.check_real(*case)


@needs_gdb
def test_flames(check):
    check.check_flames()


@pytest.mark.parametrize("source", sorted((CORPUS / "sframe").glob("*.tarmac")), ids=lambda path: path.stem)
def test_export(check, source):
    check.check_export(source)
