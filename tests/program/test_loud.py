"""No report is silent about what it does not show: each command, with each kind of trace, in each way in which there is little or nothing
to report, says so in a sentence on standard error, ends with the status that `trawl --help` lists, and leaves no empty file. The browser
ends at once when its input ends.

    tests/run.py loud

What is wrong with the trace, or with the filter, is a row of CASES; what may differ by command is listed in EXCEPTIONS, with the reason. An
unused row there is a failure.
"""

import os
import pty
import re
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 60
OK, BAD, USAGE, DAMAGED = 0, 1, 2, 3

TARMAC = (CORPUS / "traces" / "twocores-a64.it.tarmac").read_bytes()
XRAY = (CORPUS / "xray" / "arguments.fdr.xray").read_bytes()
TFILE = (CORPUS / "tfile" / "steps.tf").read_bytes()
WRAPPED = (CORPUS / "xray" / "wrap.fdr.xray").read_bytes()
# Logs that end before their first record.
HEADS = {"xray": XRAY[:32], "tfile": TFILE[: TFILE.index(b"\n\n") + 2]}
# Code at other addresses.
OTHER_IMAGE = CORPUS / "elf" / "sort-t32.elf"
OWN_IMAGES = {"tarmac": CORPUS / "elf" / "twocores-a64.elf", "xray": CORPUS / "xray" / "arguments.elf",
              "tfile": CORPUS / "tfile" / "walk.elf"}

# Commands by a label: words before the trace, words after it, and the kinds of traces.
ALL, CALLS = ("tarmac", "xray", "tfile"), ("tarmac", "xray")
COMMANDS = {
    "index": ([], [], ALL),
    "profile": ([], [], CALLS),
    "calltree": ([], [], CALLS),
    "calltree --format json": ([], [], CALLS),
    "callinfo": ([], {"tarmac": ["0x80690"], "xray": ["#1"]}, CALLS),
    "flamegraph": ([], [], ALL),
    "flamegraph --format svg": ([], [], CALLS),
    "export": ([], [], CALLS),
    "vcd": ([], [], ("tarmac",)),
    "state": ([], [], ("tarmac", "tfile")),
    "writes": (["--all"], {"tarmac": ["x0"], "tfile": ["rsp"]}, ("tarmac", "tfile")),
    "pc": ([], {"tarmac": ["0x80690"], "tfile": ["0x401166"]}, ("tarmac", "tfile")),
    "stack": ([], [], CALLS),
    "info": ([], [], ALL),
    "doctor": ([], [], ALL),
    "verify": ([], [], ALL),
    "bench": ([], [], ("tarmac",)),
    "browse": ([], [], ALL),
    "xray account": ([], [], ("xray",)),
    "xray stack": ([], [], ("xray",)),
    "xray graph": ([], [], ("xray",)),
    "xray graph-diff": ([], ["t.trace"], ("xray",)),
    "xray convert": (["-f", "yaml"], [], ("xray",)),
    "xray convert -f trace_event": ([], [], ("xray",)),
    "xray dump": ([], [], ("xray",)),
    "tfile frames": ([], [], ("tfile",)),
    "tfile series": ([], ["rsp"], ("tfile",)),
    "tfile show": ([], ["0"], ("tfile",)),
}
FAMILIES = {"xray", "tfile"}
# Commands without an output file, and those that make one with another name.
WITHOUT_OUTPUT = {"index", "doctor", "verify", "browse"}


def command_of(label):
    """The command without its options."""
    words = label.split()
    return " ".join(words[: 2 if words[0] in FAMILIES else 1])


def unknown_lines():
    return b"".join(b"%d ns cluster FROB %d\n" % (i, i) for i in range(500))


def cut(kind):
    return {"tarmac": TARMAC[: len(TARMAC) // 2 - 7], "xray": XRAY[: len(XRAY) - 37], "tfile": TFILE[: len(TFILE) - 11]}[kind]


# A function in each kind's image, and a misspelling of it.
NAMES = {"tarmac": "fibonacci", "xray": r"plain\(long\)", "tfile": "insert"}
NEAR = {"tarmac": "fibonaci", "xray": "plan(long)", "tfile": "insrt"}
# Commands of a family whose filters apply to trace files.
TFILE_FILTERS = {"tfile frames", "tfile series"}

# The cases: the bytes of the trace by kind (a function; None: it does not apply), options (None if the command has none of them), correct
# statuses, and the required message.
FULL = {"tarmac": TARMAC, "xray": XRAY, "tfile": TFILE}
CASES = {
    "empty file": (lambda kind: b"" if kind == "tarmac" else None, [], {BAD}, r"empty|no events"),
    "empty log": (lambda kind: HEADS.get(kind), [], {BAD}, r"no (events|records?|frames)|there is no|the file has 0 of them"),
    "nothing understood": (lambda kind: unknown_lines() if kind == "tarmac" else None, [], {BAD},
                           r"no instructions found in 500 lines.*'cluster'"),
    "little understood": (lambda kind: TARMAC[:8000] + unknown_lines() if kind == "tarmac" else None, [], {DAMAGED},
                          r"unknown records: 499: 'cluster'"),
    "entries that are not in the log": (lambda kind: WRAPPED if kind == "xray" else None, [], {DAMAGED},
                                        r"12 exits have no entry|exits without their entry, left out: 12"),
    "image that fits nothing": (lambda kind: TARMAC if kind == "tarmac" else None, ["--image", "other.elf"], {OK},
                                r"neither begins nor ends in other.elf"),
    "cut": (lambda kind: cut(kind), [], {DAMAGED}, r"damage|cut|incomplete|left out|ends"),
    "function that there is not": (FULL.get, ["--function", "nosuchfunction"], {BAD}, r"nosuchfunction"),
    "function nearly named": (FULL.get, ["--function", "NEAR", "--image", "own.elf"], {BAD}, r"did you mean '?NAME"),
    "range past the end": (FULL.get, ["--lane-events", "900000000..900000001"], {BAD}, r"range|events|--lane-events|lets|ends|no frame is selected"),
    "time past the end": (FULL.get, ["--time", "9000000000000000000..9000000000000000001"], {BAD},
                          r"range|time|--time|lets|ends"),
    "lane that there is not": (FULL.get, ["--lane", "cpu9"], {BAD}, r"cpu9.*(cpu0|tid|tp)"),
}


# Exceptions for a command and case: statuses and words, with the reason.
DOCTOR = {OK, DAMAGED}
EXCEPTIONS = {
    # The report of doctor is about faults: it ends with success, or with the status of damage.
    ("doctor", "empty file"): (DOCTOR, r"the file is empty"),
    ("doctor", "empty log"): (DOCTOR, r"there is no|no frames|has 0 of them|0 frames|without its end"),
    ("doctor", "nothing understood"): ({DAMAGED}, r"no line is an instruction.*not understood"),
    ("doctor", "little understood"): ({DAMAGED}, r"not understood"),
    ("doctor", "image that fits nothing"): (DOCTOR, r""),
    # What the head of a trace file claims.
    ("info", "empty log"): ({BAD, DAMAGED}, r"no events|has 0 of them"),
    ("tfile frames", "empty log"): ({BAD, DAMAGED}, r"has 0 of them"),
    ("tfile series", "empty log"): ({BAD, DAMAGED}, r"has 0 of them"),
    ("tfile show", "empty log"): ({BAD}, r"has no frame 0, only 0 frames"),
    # These match no calls.
    ("xray convert", "entries that are not in the log"): ({OK}, r""),
    ("xray dump", "entries that are not in the log"): ({OK}, r""),
    # Without an index there is nothing to verify, for any trace.
    **{("verify", case): ({BAD}, r"t.trace: has no index: there is no t.trace.index") for case in
       ("empty file", "empty log", "nothing understood", "little understood", "entries that are not in the log",
        "cut")},
}


def captured(words, **how):
    return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, **how)


def in_terminal(words, **how):
    """Runs a command in a terminal in which somebody types q."""
    screen, terminal = pty.openpty()
    typing = threading.Thread(target=type_and_read, args=(screen,), daemon=True)
    typing.start()
    ended = subprocess.run(words, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, **how)
    os.close(terminal)
    typing.join(TIMEOUT_S)
    os.close(screen)
    return ended


def type_and_read(screen):
    os.write(screen, b"qq")
    try:
        while os.read(screen, 65536):
            pass
    except OSError:
        pass  # the command has ended, and nobody else has the terminal


class Job:
    def __init__(self, trawl, label, kind, case):
        self.trawl, self.label, self.kind, self.case = trawl, label, kind, case
        self.name = "%s, %s: %s" % (kind, label, case)

    def words(self):
        before, after, _ = COMMANDS[self.label]
        after = after[self.kind] if isinstance(after, dict) else after
        options = [NEAR[self.kind] if word == "NEAR" else word for word in CASES[self.case][1]]
        return [*self.label.split(), *before, *options], ["t.trace", *after]

    def takes_options(self, helps):
        wanted, text = CASES[self.case][1][:1], helps[command_of(self.label)]
        if self.kind == "tfile" and command_of(self.label) not in TFILE_FILTERS and wanted in (["--function"], ["--time"]):
            return False  # these do not apply, and are refused (test_options.py)
        if wanted == ["--lane"]:  # --lane=NAME=FILE is an option of commands that take several files
            return bool(re.search(r"^ *--lane=NAME ", text, re.M))
        return all(re.search(r"(^| )%s[= ]" % option, text, re.M) for option in wanted)

    def run(self):
        data = CASES[self.case][0](self.kind)
        before, after = self.words()
        _, _, statuses, said = CASES[self.case]
        said = said.replace("NAME", NAMES[self.kind])
        statuses, said = EXCEPTIONS.get((self.label, self.case), (statuses, said))
        with tempfile.TemporaryDirectory(prefix="trawl-loud-") as directory:
            Path(directory, "t.trace").write_bytes(data)
            Path(directory, "other.elf").write_bytes(OTHER_IMAGE.read_bytes())
            Path(directory, "own.elf").write_bytes(OWN_IMAGES[self.kind].read_bytes())
            output = [] if self.label in WITHOUT_OUTPUT else ["-o", "out"]
            run = in_terminal if self.label == "browse" else captured
            ended = run([self.trawl, *before, *output, *after], cwd=directory, timeout=TIMEOUT_S, env={**os.environ, "TERM": "xterm"})
            err, out = ended.stderr.decode(errors="replace"), Path(directory, "out")
            faults = []
            if ended.returncode not in statuses:
                faults.append("status %d" % ended.returncode)
            if not re.search(said, err + (ended.stdout.decode() if self.label == "doctor" else ""), re.S):
                faults.append("does not say it")
            if out.exists() and not out.stat().st_size:
                faults.append("leaves an empty file")
            return ["%s: %s: %s" % (self.name, "; ".join(faults), err.strip()[:300])] if faults else []


def jobs(trawl, label, helps):
    for kind in COMMANDS[label][2]:
        for case, (data, *_) in CASES.items():
            job = Job(trawl, label, kind, case)
            if data(kind) is not None and job.takes_options(helps):
                yield job


@pytest.mark.parametrize("label", COMMANDS)
def test_commands(checker, label):
    name = command_of(label)
    text = subprocess.run([checker.trawl, "help", "options", *name.split()], capture_output=True, timeout=TIMEOUT_S).stdout.decode()
    for job in jobs(checker.trawl, label, {name: text}):
        checker.no_fault(job.name, job.run())


def test_exceptions_are_of_something():
    """Every row of EXCEPTIONS is for an existing command and case."""
    assert not [row for row in EXCEPTIONS if row[0] not in COMMANDS or row[1] not in CASES]
