"""No option is ignored: every option that a command's help lists, given with every kind of trace, either
changes what the command does, or is refused by one sentence and status 2.

    tests/run.py options

Options that may change nothing are listed in ALLOWED, with the reason; an unused row there is a failure.
"""

import lzma
import os
import re
import struct
import subprocess
import tempfile
from pathlib import Path

import hard_traces
import pytest
import quick

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 60
KINDS = ["tarmac", "xray", "tfile"]
IMAGES = {"tarmac": "t.elf", "xray": "x.elf", "tfile": "w.elf"}
LANES = {"tarmac": "cpu1", "xray": "tid5235", "tfile": "tp4"}
FUNCTIONS = {"tarmac": "work_fibonacci", "xray": "#3", "tfile": "_Z3inv"}
WANTED = {"tarmac": "x0", "xray": "x0", "tfile": "rsp"}
MIDDLE = {"tarmac": "300..400", "xray": "5..9", "tfile": "3..9"}

# Commands by a label, with the words before and after the trace, by kind if they differ.
COMMANDS = {
    "index": ([], []),
    "index --format ttu --output own.ttu": ([], []),
    "profile": ([], []),
    "flamegraph": ([], []),
    "flamegraph --unwind sframe": (["--every", "50", "--image", "s.elf"], []),
    "calltree": ([], []),
    "calltree --format csv": ([], []),
    "callinfo": ({"tarmac": ["--image", "t.elf"], "xray": ["--image", "x.elf"]}, {"tarmac": ["_Z5fiboni", "0x80690"], "xray": ["#3"], "tfile": ["main"]}),
    "callinfo --format csv": ([], {"tarmac": ["0x80690"], "xray": ["#3"], "tfile": ["0x80690"]}),
    "export": ([], []),
    "export --format csv": ([], []),
    "export --format collapsed": ([], []),
    "export --format perfetto": ([], []),
    "export --format speedscope": ([], []),
    "export --format callgrind": ([], []),
    "export --format pprof": ([], []),
    "export --format parquet --output table --partition x": ([], []),
    "export --format tfile": (["--lane", "cpu0", "--every", "100", "--pc", "_Z5fiboni", "--image", "t.elf"], []),
    "vcd": ([], []),
    "state": ({"tarmac": ["--at", "event:1000"], "xray": ["--at", "event:30"], "tfile": ["--at", "event:5"]}, []),
    "writes": ({"tarmac": ["--at", "event:1000", "--last", "3"], "xray": [], "tfile": ["--at", "event:5", "--last", "3"]},
               WANTED),
    "writes --all": ([], WANTED),
    "pc": ([], {"tarmac": "pc", "xray": "0x80930", "tfile": "0x401166"}),
    "stack": ({"tarmac": ["--at", "event:1500"], "xray": ["--at", "time:1795209900918300000"],
               "tfile": ["--at", "event:5"]}, []),
    "show": (["--at", "pc:_Z5fiboni#2", "--image", "t.elf"], []),
    "grep": ([], "IT"),
    "info": ([], []),
    "info --functions": ([], []),
    "doctor": ([], []),
    "verify": ([], []),
    "bench": (["--rounds", "1"], []),
    "tfile frames": ([], []),
    "tfile show": ([], ["5"]),
    "tfile series": (["--image", "w.elf"], ["rax", "visits:x32"]),
}

# Values by option, with others for some kinds or commands.
VALUES = {
    "image": IMAGES, "load-offset": "0x1000", "time": {"tarmac": "100..200", "xray": MIDDLE["xray"], "tfile": "1..2"},
    "lane-events": MIDDLE, "events": MIDDLE, "lane": LANES, "function": FUNCTIONS, "depth": "1", "index": "own.index", "output": "out.file",
    "threads": "1", "chunk-size": "100", "max-memory": "64M", "segment-events": "500", "format": "json", "sort": "name", "top": "2",
    "unwind": {"tarmac": "sframe", "xray": "sframe", "tfile": "fp"}, "every": "70", "weight": "hits", "widths": "sum", "at": {"tarmac": "event:700", "xray": "event:12", "tfile": "event:7"},
    "registers": "x3", "memory": {"tarmac": "0x80000:16", "xray": "0x80000:16", "tfile": "sp:16"}, "diff": "event:900",
    "pc": "0x80930", "last": "2", "rounds": "2", "by": "task", "task": "0x828b0", "task-name": "1", "task-key": "TPIDR_EL1", "os": "none",
    "context": "2", "hide": FUNCTIONS, "shard": "1/2", "cut": "5", "after": "own.survey",
    "isa": "rv32", "byte-order": "big", "output-dir": "indexes", "pattern": "*.log", "jobs": "2", "summary": "json", "table": "events", "counter": "x0", "then": "t.tarmac", "with": "cpu9=s.tarmac",
    "other-then": "t.tarmac", "other-with": "cpu9=t.tarmac", "other-image": IMAGES,
    "partition": "x", "compression": "none", "min-duration": {"tarmac": "50", "xray": "100us", "tfile": "50"}, "space": "EL1", "strip-prefix": "[0-9]+ clk ",
}
COMMAND_VALUES = {
    ("export", "format"): "csv", ("export --format csv", "format"): "collapsed",
    ("export --format collapsed", "format"): "csv", ("export --format tfile", "format"): "csv",
    ("export --format perfetto", "format"): "csv", ("export --format speedscope", "format"): "csv",
    ("export --format parquet --output table --partition x", "format"): "csv",
    ("export --format parquet --output table --partition x", "table"): "functions",
    ("export --format callgrind", "format"): "csv", ("export --format pprof", "format"): "csv",
    ("export --format tfile", "lane"): "cpu1", ("export --format tfile", "every"): "3", ("flamegraph", "format"): "svg",
    ("state", "lane"): {"tarmac": "cpu1", "xray": "tid5235", "tfile": "tp4"}, ("stack", "at"): {"tarmac": "event:700", "xray": "start", "tfile": "event:7"},
    ("export --format tfile", "pc"): "0x80934", ("pc", "lane"): "cpu0", ("callinfo --format csv", "lane"): {"tarmac": "cpu0", "xray": "tid5235", "tfile": "tp4"},
    ("callinfo", "demangle"): [], ("writes --all", "at"): "event:7",
    ("writes --all", "lane"): {"tarmac": "cpu1", "xray": "tid5235", "tfile": "tp9"},
    ("flamegraph --unwind sframe", "format"): "svg", ("tfile series", "format"): "json",
}

# Another trace or more words, with and without the option, for options that would otherwise have no visible effect.
NEEDS_IMAGE = {"load-offset", "demangle", "no-demangle", "no-offsets", "lines", "inlines"}
TRACES = {
    "strict": {"tarmac": "damaged.tarmac", "xray": "damaged.xray", "tfile": "torn.tf"},
    "implicit-thumb": {"tarmac": "thumb.tarmac"},
    "deduce-sibling-calls": {"xray": "open.xray"},
    "returned-only": {"tarmac": "hang.tarmac", "xray": "open.xray"},
    "lane": {"tfile": "many.tf"},
    "by": {"tarmac": "tasks.tarmac"},
    "task": {"tarmac": "tasks.tarmac"},
    "task-name": {"tarmac": "tasks.tarmac"},
}
# Options whose effect is visible with an existing index of another shape, or in a new one.
WITH_INDEX = {"force-index", "memory-index"}
INTO_INDEX = {"bi"}

RUNS = "how it runs: must not show"
NAMES = "for the names of what is listed, which is nothing unless asked for"
ALLOWED = {
    ("*", "*", "threads"): RUNS,
    ("*", "tarmac", "chunk-size"): RUNS,
    ("*", "tarmac", "physical"): "the trace has one address space (golden spaces.test has more)",
    ("*", "tarmac", "no-image-memory"): "the trace shows what is asked for (image_memory asks for more)",
    ("*", "tarmac", "task-key"): "tells tasks apart of a system that says which task runs (task_keys)",
    ("*", "tarmac", "os"): "names tasks where an image has the types of a kernel (os)",
    ("*", "*", "max-memory"): RUNS,
    ("*", "tarmac", "no-demangle"): "what happens anyhow",
    ("*", "tfile", "no-demangle"): "what happens anyhow",
    ("*", "xray", "demangle"): "what happens anyhow",
    ("index", "*", "no-sync"): RUNS,
    ("index --format ttu --output own.ttu", "tarmac", "no-sync"): RUNS,
    ("index --format ttu --output own.ttu", "tarmac", "image"): "for its byte order, which is that of the trace without",
    ("index", "*", "jobs"): RUNS,
    ("index", "*", "follow"): "ends at once, as no program has the trace open for writing",
    ("*", "xray", "memory-index"): "a log tells the same as its index, which nothing reads unasked but 'stack'",
    ("*", "*", "quiet"): "there is no meter where standard error is no terminal",
    ("*", "*", "wide"): "tables fit a terminal, and here is none (test_fit.py)",
    ("info", "tarmac", "demangle"): NAMES,
    ("show", "tarmac", "implicit-thumb"): "lines are where they are, however they are read",
    ("grep", "tarmac", "strip-prefix"): "for the times by which --with merges",
    ("verify", "*", "strip-prefix"): "for the times by which --with merges",
    ("info", "xray", "image"): NAMES,
    ("info", "xray", "demangle"): NAMES,
    ("info", "xray", "no-demangle"): NAMES,
    ("export", "xray", "no-index"): "none is built; trace events are of the log itself",
    ("export --format perfetto", "xray", "no-index"): "as of trace events",
    ("export --format csv", "xray", "no-index"): "the log itself has the arguments of calls",
    ("export --format parquet --output table --partition x", "xray", "no-index"): "the same",
    ("export --format speedscope", "xray", "no-index"): "as of trace events",
    ("writes --all", "*", "at"): "where registers of an ADDR are read, which has none here",
    ("pc", "tfile", "at"): "where registers of an ADDR are read, which has none here",
    ("tfile series", "tfile", "demangle"): "for --function; what is asked for is shown as it is typed",
    ("tfile series", "tfile", "image"): "the same again",
    ("export --format tfile", "tarmac", "demangle"): "symbols are looked up by the names that the image has",
    ("callinfo", "tarmac", "image"): "the same again",
    ("callinfo", "xray", "image"): "the same again",
    ("callinfo --format csv", "tarmac", "image"): "an address is shown as it is typed",
    ("callinfo --format csv", "tarmac", "demangle"): "an address is shown as it is typed",
}


class Run:
    """Traces and images for commands, each of which runs in a separate directory."""

    def __init__(self, trawl, scratch):
        self.trawl, self.inputs, self.scratch = trawl, scratch / "inputs", scratch
        self.inputs.mkdir()
        self.make_inputs()
        self.known = {path.name: identity(path) for path in self.inputs.iterdir()}
        self.outcomes = {}

    def copy(self, source, name, replace=()):
        data = (CORPUS / source).read_bytes()
        for old, new in replace:
            assert data.count(old) >= 1 and len(old) == len(new), "%s has no %s" % (source, old)
            data = data.replace(old, new)
        (self.inputs / name).write_bytes(data)
        return data

    def make_inputs(self):
        lines = self.copy("traces/twocores-a64.it.tarmac", "t.tarmac").splitlines(keepends=True)
        middle = len(lines) // 2
        broken = lines[:middle] + [b"1 clk cpu0 IT (x) nonsense\n"] + lines[middle:]
        (self.inputs / "damaged.tarmac").write_bytes(b"".join(broken))
        (self.inputs / "thumb.tarmac").write_text("".join(line + "\n" for line in hard_traces.implicit_thumb()))
        self.copy("traces/hang-a64.it.tarmac", "hang.tarmac")
        tasks = lzma.decompress((CORPUS / "stacks/coroutines-a64.it.tarmac.xz").read_bytes())
        (self.inputs / "tasks.tarmac").write_bytes(tasks)
        # One name that can be demangled, and a function that is entered inside its symbol.
        entered = [struct.pack("<QQ", 0x80690, 336), struct.pack("<QQ", 0x80688, 344)]
        self.copy("elf/twocores-a64.elf", "t.elf", [(b"\0fibonacci\0", b"\0_Z5fiboni\0"), entered])
        self.copy("elf/hash-a64.elf", "other.elf")
        data = self.copy("xray/threads.fdr.xray", "t.xray")
        (self.inputs / "damaged.xray").write_bytes(data[:-100])
        self.copy("xray/typed-buffers.fdr.xray", "open.xray")
        self.copy("xray/threads.elf", "x.elf")
        self.copy("sframe/recursion-a64-v3.elf", "s.elf", [(b"\0fibonacci\0", b"\0_Z5fiboni\0")])
        lines = self.copy("sframe/recursion-a64-v3.tarmac", "s.tarmac").splitlines(keepends=True)
        (self.inputs / "s-damaged.tarmac").write_bytes(b"".join(lines[:500] + [b"1 clk IT (x) nonsense\n"] + lines[500:]))
        self.copy("tfile/stacks.tf", "t.tf")
        self.copy("tfile/many.tf", "many.tf")
        self.copy("tfile/torn.tf", "torn.tf")
        entered = [struct.pack("<QQ", 0x401166, 187), struct.pack("<QQ", 0x401160, 193)]
        self.copy("tfile/walk.elf", "w.elf", [(b"\0insert\0", b"\0_Z3inv\0"), (b"\0leaf\0", b"\0_Z1a\0"), entered])

    def outcome(self, words, before=()):
        """Status, outputs, and every file that is new or has changed afterwards."""
        key = repr((words, before))
        if key not in self.outcomes:  # an option is often compared with the same command line
            self.outcomes[key] = self.outcome_of(words, before)
        return self.outcomes[key]

    def outcome_of(self, words, before):
        named = " ".join(word for command in [*before, words] for word in command)
        with tempfile.TemporaryDirectory(dir=self.scratch) as work:
            for name in self.known:
                if name in named:
                    os.link(self.inputs / name, Path(work) / name)
            for command in [*before, words]:
                done = quick.run([self.trawl, *command], work, {**os.environ, "TMPDIR": work}, timeout=TIMEOUT_S)
            files = {str(path.relative_to(work)): path.read_bytes() for path in Path(work).rglob("*")
                     if path.is_file() and self.known.get(path.name) != identity(path)}
        # Times may differ.
        return done.returncode, done.stdout, re.sub(rb"\d+", b"#", done.stderr), files

    def options(self, command):
        """(name, whether it takes a value) of all options in the help."""
        text = subprocess.run([self.trawl, "help", "options", *command.split(" --")[0].split()], capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=True).stdout
        return [(name, bool(value)) for name, value in
                re.findall(r"^    (?:-\w, )?--([a-z-]+)(=\S+)?(?:$|  )", text.split("positional arguments")[0], re.MULTILINE)]


def identity(path):
    """Changes when a file is written to, or replaced by another one."""
    about = path.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


def of_kind(value, kind):
    value = value.get(kind) if isinstance(value, dict) else value
    return [value] if isinstance(value, str) else list(value or [])


def words_of(label, kind, option, has_value):
    """The command line without the option, and the words to add."""
    ahead, behind = COMMANDS[label]
    trace = TRACES.get(option, {}).get(kind, {"tarmac": "t.tarmac", "xray": "t.xray", "tfile": "t.tf"}[kind])
    if label == "flamegraph --unwind sframe" and kind == "tarmac":
        trace = "s-damaged.tarmac" if option == "strict" else "s.tarmac"
    if option == "implicit-thumb":
        ahead = {"state": ["--at", "event:3"], "stack": ["--at", "event:3"]}.get(label, [])
        behind = {"pc": "0x1000", "callinfo": "0x1000", "callinfo --format csv": "0x1000"}.get(label, behind)
    has_image = option in NEEDS_IMAGE or kind == "tfile" and option in ("function", "depth", "unwind")
    has_image = has_image and label not in ("callinfo", "export --format tfile", "flamegraph --unwind sframe", "tfile series")
    image = ["--image", IMAGES[kind]] if has_image else []
    other = ["--image", "other.elf"] if option == "force-image" and kind == "tarmac" else []
    words = [*label.split(), *other, *of_kind(ahead, kind), *image, trace, *of_kind(behind, kind)]
    if option in WITH_INDEX and label != "verify":
        words.append("-v")
    value = of_kind(COMMAND_VALUES.get((label, option), VALUES.get(option, [])), kind)
    assert len(value) == has_value, "%s needs a value to be tried with" % option
    return words, ["--" + option, *value]


def judge(run, label, kind, option, has_value):
    """The effect of the option."""
    words, more = words_of(label, kind, option, has_value)
    trace = next(word for word in words if word.endswith((".tarmac", ".xray", ".tf")))
    before = [["index", "--segment-events", "300", trace]] if option in WITH_INDEX or label == "verify" else []
    if (label, option) == ("verify", "index"):
        before.append(["index", "--index", "own.index", trace])
    without = run.outcome(words, before)
    if without[0] not in (0, 3):
        return "not read" if without[0] in (1, 2) and not without[1] and without[2].count(b"\n") <= 2 else "FAILS"
    with_it = run.outcome(words + more, before)
    if with_it[0] == 2:
        # One sentence, and, if the command line itself is invalid, a hint to the help.
        sentences = [line for line in with_it[2].splitlines() if not line.startswith(b"try '")]
        is_clean = before or not with_it[3]
        return "refused" if len(sentences) == 1 and not with_it[1] and is_clean else "FAILS"
    if with_it != without:
        return "does something"
    if option in INTO_INDEX and label != "index":
        into = ["--index", "own.index"]
        if run.outcome(words + into)[3].get("own.index") != run.outcome(words + into + more)[3].get("own.index"):
            return "does something"
    return "IGNORED"


def reason_for(label, kind, option):
    for row in [(label, kind, option), (label, "*", option), ("*", kind, option), ("*", "*", option)]:
        if row in ALLOWED:
            return row
    return None


@pytest.fixture(scope="session")
def run(trawl):
    """Inputs are made once for all tests of a worker."""
    with tempfile.TemporaryDirectory() as scratch:
        yield Run(trawl, Path(scratch))


def trials(run, label):
    """(kind, option, whether it has a value) of everything to be tried with a command."""
    options = [option for option in run.options(label) if option[0] == "format" or "--" + option[0] not in label.split()]
    return [(kind, *option) for kind in KINDS for option in options]


@pytest.mark.parametrize("label", COMMANDS)
def test_command(checker, run, label):
    read = set()
    for kind, option, has_value in trials(run, label):
        verdict = judge(run, label, kind, option, has_value)
        is_right = verdict in ("does something", "refused", "not read") or (verdict == "IGNORED" and reason_for(label, kind, option))
        checker.check(f"{kind}, --{option}", is_right, verdict)
        read |= {kind} if verdict != "not read" else set()
    # It must not look like success if nothing is read.
    checker.check("reads some kind of trace", read)


@pytest.mark.parametrize("row", ALLOWED, ids=" ".join)
def test_row_is_needed(run, row):
    """Checks that the row allows something that really is ignored."""
    labels = [label for label in COMMANDS if row[0] in (label, "*")]
    tried = ((label, *trial) for label in labels for trial in trials(run, label))
    assert any(reason_for(*trial[:3]) == row and judge(run, *trial) == "IGNORED" for trial in tried)
