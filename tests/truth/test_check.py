"""Faults that a program is known to have, and what trawl finds in its trace.

    tests/run.py check

corpus/programs/faults.c has faults of every kind, faults_jumps.c those around long jumps, faults_tasks.c those of tasks and interrupts,
faults_cores.c those between two cores: each in a line that says which one in a comment. `trawl check` must find each of them, at this line, and nothing else; and nothing in the same
program without faults, nor in the other programs of the corpus. Answers do not depend on how the index was cut, and every format has the
same findings.
"""

import collections
import csv
import json
import lzma
import random
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import kernel_types
import pytest
import quick
import small_elf

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 120
PROGRAMS = {"": "faults.c", "-tasks": "faults_tasks.c", "-cores": "faults_cores.c", "-jumps": "faults_jumps.c"}
# Which program, on what, and how its trace is called.
TRACES = [
    *(("", isa, f"{style}.tarmac") for isa in ("a64", "a32", "t32") for style in ("it", "es")),
    *(("", isa, "both.log") for isa in ("rv32", "rv64")),
    *(("-tasks", isa, "it.tarmac") for isa in ("a64", "a32", "m")),
    ("-tasks", "a32", "es.tarmac"),
    ("-cores", "a64", "it.tarmac"),
    *(("-jumps", isa, "it.tarmac") for isa in ("a64", "a32", "t32")),
    *(("-jumps", isa, "both.log") for isa in ("rv32", "rv64")),
]
EACH_TRACE = pytest.mark.parametrize("program, isa, style", TRACES, ids=["".join(words).replace(".", "-") for words in TRACES])
PLANTED_OF_EACH_PART = 12
PARTS = {
    "undefined": {"undefined-decision", "undefined-address"},
    "stack": {"dead-frame", "return-address", "stack-overflow", "outside-stack"},
    "heap": {"use-after-free", "past-block", "double-free", "bad-free", "wrong-free", "leak"},
    "locks": {"unlock", "others-lock", "relock", "lock-order", "held-waiting", "still-held"},
}
# What is wrong in other programs of the corpus, on purpose.
KNOWN = {
    "conditional-a32": {"dead-frame": "thumb_classify"},  # stores below the stack pointer
    "conditional-t32": {"dead-frame": "thumb_classify"},
}


def planted(program):
    found = set()
    for number, line in enumerate((CORPUS / "programs" / PROGRAMS[program]).read_text().splitlines(), 1):
        match = re.search(r"// -> (\S+)$", line)
        if match:
            found.add((match[1], number))
    return found


def check(trawl, trace, image, *options):
    return quick.run([trawl, "check", "--memory-index", "--image", str(image), str(trace), *map(str, options)], timeout=TIMEOUT_S)


def findings(trawl, trace, image, *options):
    result = check(trawl, trace, image, "--all", "--format", "json", *options)
    assert result.returncode in (0, 1, 3), result.stderr
    return json.loads(result.stdout)


def line_of(finding):
    match = re.search(r"faults\w*\.c:(\d+)$", finding["source"] or "")
    return int(match[1]) if match else None


def line_of_fault(finding, faults):
    """GCC counts the end of a function for its last brace, clang for the line before."""
    line = line_of(finding)
    if finding["kind"] == "return-address" and line and ("return-address", line) not in faults:
        return line - 1
    return line


def test_planted_of_each_part():
    """At least a dozen faults of values, stacks, heaps and locks."""
    counts = collections.Counter()
    for program in PROGRAMS:
        for kind, _ in planted(program):
            counts[next(part for part, kinds in PARTS.items() if kind in kinds)] += 1
    assert min(counts[part] for part in PARTS) >= PLANTED_OF_EACH_PART, counts


@EACH_TRACE
def test_planted_faults(trawl, checker, program, isa, style):
    name = f"faults{program}-{isa}"
    faults = planted(program)
    found = findings(trawl, CORPUS / f"check/{name}.{style}.xz", CORPUS / f"check/{name}.elf")
    lines = {(one["kind"], line_of_fault(one, faults)) for one in found}
    for kind, line in sorted(faults):
        checker.check(f"{name}.{style}: finds {kind} in line {line}", (kind, line) in lines)
    checker.expect(f"{name}.{style}: finds nothing else", lines - faults, set())


@EACH_TRACE
def test_faultless(trawl, checker, program, isa, style):
    name = f"faultless{program}-{isa}"
    result = check(trawl, CORPUS / f"check/{name}.{style}.xz", CORPUS / f"check/{name}.elf")
    checker.expect(f"{name}.{style}: status without faults", result.returncode, 0)
    checker.expect(f"{name}.{style}: says nothing without faults", result.stdout, b"")


# What memcheck calls each kind that it knows. It has no frames that ended within 128 bytes of the stack pointer, no locks, and it tells
# the end of a block from what follows by space of its own, as trawl tells it by the functions of the heap.
MEMCHECK_KINDS = {
    "UninitCondition": {"undefined-decision"},
    "UninitValue": {"undefined-address"},
    "InvalidRead": {"use-after-free", "past-block", "dead-frame"},
    "InvalidWrite": {"use-after-free", "past-block", "dead-frame"},
    "InvalidFree": {"double-free", "bad-free"},
    "MismatchedFree": {"wrong-free"},
    "Leak_DefinitelyLost": {"leak"},
}


@pytest.mark.skipif(not (shutil.which("valgrind") and shutil.which("clang")), reason="Valgrind or clang is not installed")
def test_memcheck(checker, place):
    """The program with faults on this machine, under Valgrind's memcheck: the same faults of values and of the heap, in the same lines."""
    program, report = place / "faults", place / "report.xml"
    sources = [str(CORPUS / "programs" / name) for name in ("faults.c", "faults_host.c")]
    words = ["clang", "-O0", "-gdwarf-4", "-std=gnu11", "-fno-builtin", "-fno-omit-frame-pointer", "-w", "-o", str(program), *sources, "-lstdc++"]
    subprocess.run(words, check=True, timeout=TIMEOUT_S)
    words = ["valgrind", "-q", "--leak-check=full", "--xml=yes", f"--xml-file={report}", str(program)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
    planted_here = {(kind, line) for kind, line in planted("") if any(kind in kinds for kinds in MEMCHECK_KINDS.values())}
    met = set()
    for error in ElementTree.parse(report).getroot().findall("error"):
        frames = [int(frame.findtext("line")) for frame in error.find("stack").findall("frame") if frame.findtext("file") == "faults.c"]
        kinds = MEMCHECK_KINDS[error.findtext("kind")]
        fits = {(kind, line) for kind, line in planted_here if line == frames[0] and kind in kinds | {"dead-frame"}}
        checker.check(f"{error.findtext('kind')} in line {frames[0]} is planted", fits)
        met |= fits
    missed = {(kind, line) for kind, line in planted_here - met if kind != "dead-frame"}
    checker.expect("memcheck finds all faults of values and of the heap", missed, set())
    checker.check("and frames that ended", any(kind == "dead-frame" for kind, _ in met), met)


def test_corpus(trawl, checker):
    for trace in sorted(CORPUS.glob("traces/*.it.tarmac")) + sorted(CORPUS.glob("stacks/*.it.tarmac.xz")) + sorted(CORPUS.glob("riscv/calls*.both.log.xz")):
        name = trace.name.split(".")[0]
        image = trace.parent.parent / "elf" / f"{name}.elf" if trace.parent.name == "traces" else trace.parent / f"{name}.elf"
        if not image.exists() or name.startswith("cut"):
            continue
        found = {one["kind"]: one["function"] for one in findings(trawl, trace, image)}
        checker.expect(f"{name}: what is found", found, KNOWN.get(name, {}))


def test_tasks(trawl, checker):
    """A task of FreeRTOS whose stack, a block of the heap, is too small: it runs over the block before it."""
    found = findings(trawl, CORPUS / "os/jobs.tarmac.xz", CORPUS / "os/jobs.elf")
    over = [one for one in found if one["kind"] == "stack-overflow"]
    checker.expect("the function that is too deep", {one["function"] for one in over}, {"depth_of"})
    # By the kernel's table, and by the heap.
    what = r"the stack of parser ran below its end, into a block of \d+ bytes: .*, below the stack's 296 bytes at 0x20000ae0"
    checker.check("what the stack is", all(re.match(what, one["detail"]) for one in over), over)
    over = findings(trawl, CORPUS / "os/jobs.tarmac.xz", CORPUS / "os/jobs.elf", "--os", "none", "--only", "stack")
    checker.check("what the stack is without its kernel", over and all("the stack's 304 bytes" in one["detail"] for one in over), over)
    # What the frames do to the block before the stack is the overflow, and no fault of its own. Two tasks that take two mutexes in
    # both orders, and hold one over a delay, deadlock.
    checker.expect("what is found", {one["kind"] for one in found}, {"stack-overflow", "held-waiting", "lock-order"})
    order = {(one["kind"], one["function"], one["cause_function"]) for one in found if one["kind"] == "lock-order"}
    checker.expect("FreeRTOS's mutexes in both orders", order, {("lock-order", "settings", "settings")})


SYSTEM = """system mine
symbol pxCurrentTCB
running pxCurrentTCB
name pxCurrentTCB->pcTaskName
stack-bottom pxCurrentTCB->pxStack + {above}
stack-top pxCurrentTCB->pxEndOfStack
pairs lock=xQueueSemaphoreTake:xQueueGenericReset
"""


def test_system_of_a_file(trawl, checker, place):
    """Bounds of stacks and functions of locks by --os FILE: here of stacks that end 60 words above where they really do."""
    trace, image, file = CORPUS / "os/jobs.tarmac.xz", CORPUS / "os/jobs.elf", place / "mine.txt"
    file.write_text(SYSTEM.replace("{above}", "60"))
    details = [one["detail"] for one in findings(trawl, trace, image, "--os", file, "--only", "stack")]
    owners = {match[1] for text in details if (match := re.match(r"the stack of (\w+) ran below its end", text))}
    checker.expect("the two that use more than the 152 bytes that are left", owners, {"parser", "radio"})
    saved = "the stack of radio ran below its end, into a block of 400 bytes: the stack pointer is 0x20000550, below"
    checker.check("what is saved at a switch counts", any(text.startswith(saved) for text in details), details)
    checker.check("its locks", any(one["kind"] == "lock-order" for one in findings(trawl, trace, image, "--os", file, "--only", "locks")))
    for text, status, words in ((SYSTEM.replace("{above}", "0"), 1, b""), (SYSTEM.replace("{above}", "0") + "pairs a:b\n", 2, b"a:b"), ("nonsense\n", 2, b"mine.txt")):
        file.write_text(text)
        result = check(trawl, trace, image, "--os", file)
        checker.expect(f"status of {text[-20:]!r}", result.returncode, status)
        checker.check(f"message of {text[-20:]!r}", words in result.stderr, result.stderr)


def test_network_and_files(trawl, checker, place):
    """FreeRTOS with lwIP and littlefs: everything has come through, and nothing is found."""
    trace, image = CORPUS / "os/netfiles/netfiles.tarmac.xz", CORPUS / "os/netfiles/netfiles.elf"
    result = check(trawl, trace, image)
    checker.expect("status", result.returncode, 0)
    checker.expect("nothing is found", result.stdout, b"")
    for name, value in (("finished", 5), ("bytes_echoed", 40), ("datagrams_received", 1), ("files_read", 2)):
        words = [trawl, "state", "--memory-index", "--image", image, trace, "--at", "end", name]
        state = quick.run(list(map(str, words)), timeout=TIMEOUT_S).stdout.decode()
        checker.check(f"{name} at the end", re.search(rf"^0x[0-9a-f]+ +{value:02x} 00 00 00", state, re.M), state)


def test_causes(trawl, checker):
    found = findings(trawl, CORPUS / "check/faults-a64.it.tarmac.xz", CORPUS / "check/faults-a64.elf")
    causes = collections.defaultdict(set)
    for one in found:
        causes[one["kind"]].add((one["cause"], one["cause_function"]))
    checker.check("a freed block tells where it was freed", ("freed", "freed_read") in causes["use-after-free"], causes)
    checker.check("an overwritten return address tells who wrote it", ("overwritten", "write_over") in causes["return-address"], causes)
    checker.check("a lock tells where it was taken", ("taken", "held_waiting") in causes["held-waiting"], causes)
    checker.check("an undefined value tells where it was loaded", ("loaded", "undefined_local") in causes["undefined-decision"], causes)
    # A copy is followed to the block that was copied.
    copied = next(one for one in found if one["function"] == "undefined_copy_of_block")
    checker.expect("a copy is followed to where it was loaded", copied["cause_function"], "memcpy")


@pytest.mark.parametrize("name", ["a64.it", "a32.it", "t32.it", "a64.es", "tasks-m.it"])
def test_cut_before_the_stack_pointer(trawl, checker, place, name):
    """A simulator that is killed ends its trace anywhere: nothing is wrong with a push whose stack pointer is not shown any more."""
    lines = lzma.open(CORPUS / f"check/faultless-{name}.tarmac.xz", "rt").read().split("\n")
    places = [number for number, line in enumerate(lines) if re.search(r"\bR (r13\w*|SP_\w+|SP|MSP|PSP) ", line)]
    path = place / "t.tarmac"
    for number in random.Random(name).sample(places, 6):
        path.write_text("\n".join(lines[:number]) + "\n")
        found = findings(trawl, path, CORPUS / f"check/faultless-{name.split('.')[0]}.elf")
        checker.check(f"{name} before line {number + 1}", not [one for one in found if one["kind"] == "dead-frame"], found)


def test_cuts(trawl, checker):
    trace, image = CORPUS / "check/faults-t32.it.tarmac.xz", CORPUS / "check/faults-t32.elf"
    whole = findings(trawl, trace, image)
    for size in (64, 1000, 65536):
        checker.expect(f"segments of {size} events", findings(trawl, trace, image, "--segment-events", size), whole)
    for threads in (1, 3):
        checker.expect(f"{threads} threads", findings(trawl, trace, image, "--threads", threads), whole)


def test_parts(trawl, checker):
    trace, image = CORPUS / "check/faults-a64.it.tarmac.xz", CORPUS / "check/faults-a64.elf"
    planted_kinds = {kind for kind, _ in planted("")}
    for part, kinds in PARTS.items():
        found = findings(trawl, trace, image, "--only", part)
        checker.expect(f"--only {part}", {one["kind"] for one in found}, kinds & planted_kinds)


def test_pairs(trawl, checker):
    """Functions of the user's own: those of the program, by another family."""
    trace, image = CORPUS / "check/faults-a64.it.tarmac.xz", CORPUS / "check/faults-a64.elf"
    found = findings(trawl, trace, image, "--only", "locks", "--pairs", "lock=push:free_list")
    checker.check("a pair of locks", any(one["kind"] == "unlock" and one["function"] == "freed_list" for one in found), found)
    for text, words in (("malloc", b"two names"), ("a:b", b"heap's or a lock's")):
        result = check(trawl, trace, image, "--pairs", text)
        checker.expect(f"--pairs {text}: status", result.returncode, 2)
        checker.check(f"--pairs {text}: says why", words in result.stderr, result.stderr)


def test_suppressions(trawl, checker, place):
    trace, image = CORPUS / "check/faults-a64.it.tarmac.xz", CORPUS / "check/faults-a64.elf"
    result = check(trawl, trace, image, "--write-suppressions", place / "known.txt")
    checker.expect("status with findings", result.returncode, 1)
    checker.check("20 are shown", result.stdout.count(b"\n\n") == 19, result.stdout.count(b"\n\n"))
    result = check(trawl, trace, image, "--suppress", place / "known.txt")
    checker.expect("status when all are suppressed", result.returncode, 0)
    checker.expect("all are suppressed", result.stdout, b"")
    (place / "one.txt").write_text("# a comment\n\nleak leak_*\n")
    kinds = {one["kind"] for one in findings(trawl, trace, image, "--suppress", place / "one.txt")}
    checker.check("a pattern suppresses", "leak" not in kinds and "double-free" in kinds, kinds)
    result = check(trawl, trace, image, "--suppress", place / "missing.txt")
    checker.expect("status without the file", result.returncode, 2)


def test_formats(trawl, checker):
    trace, image = CORPUS / "check/faults-a64.it.tarmac.xz", CORPUS / "check/faults-a64.elf"
    rows = findings(trawl, trace, image)
    sarif = json.loads(check(trawl, trace, image, "--all", "--format", "sarif").stdout)
    results = sarif["runs"][0]["results"]
    checker.expect("SARIF has the kinds", [one["ruleId"] for one in results], [one["kind"] for one in rows])
    places = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results]
    checker.expect("SARIF has the lines", places, [line_of(one) for one in rows])
    rules = {one["id"] for one in sarif["runs"][0]["tool"]["driver"]["rules"]}
    checker.check("SARIF describes them", {one["ruleId"] for one in results} <= rules)
    text = check(trawl, trace, image, "--all").stdout.decode()
    checker.expect("text has all", len(re.findall(r"^\d+\. ", text, re.M)), len(rows))
    csv = check(trawl, trace, image, "--all", "--format", "csv").stdout.decode()
    checker.expect("CSV has all", csv.count("\n"), len(rows) + 1)


def test_without_a_stack(trawl, checker):
    """A program that computes its stack pointer in two steps has not left a frame."""
    for log in ("vec64.both", "vec512.commits"):
        result = check(trawl, CORPUS / f"riscv/{log}.log.xz", CORPUS / "riscv/vec64.elf")
        checker.expect(f"{log}: status", result.returncode, 0)
        checker.expect(f"{log}: nothing is found", result.stdout, b"")


def test_live(trawl, checker, place):
    """What is in use of the heap after each call; at the end what the program never frees."""
    trace, image = CORPUS / "check/faultless-a64.it.tarmac.xz", CORPUS / "check/faultless-a64.elf"
    checker.expect("--live: status", check(trawl, trace, image, "--live", place / "live.csv").returncode, 0)
    rows = list(csv.DictReader(open(place / "live.csv")))
    checker.check("events ascend", [int(row["event"]) for row in rows] == sorted(int(row["event"]) for row in rows))
    checker.expect("what is never freed: 16 bytes, and two stacks", (int(rows[-1]["bytes"]), int(rows[-1]["blocks"])), (16 + 2 * 512, 3))
    steps = [int(after["blocks"]) - int(before["blocks"]) for before, after in zip(rows, rows[1:])]
    checker.expect("each step is one block", {abs(step) for step in steps} - {1, 0}, set())
    check(trawl, trace, image, "--live", place / "live.svg")
    picture = ElementTree.parse(place / "live.svg").getroot()
    most = max(int(row["bytes"]) for row in rows)
    checker.check("the picture says the most", f"{most} bytes in use at most" in "".join(picture.itertext()), most)
    bad = check(trawl, trace, image, "--live", place / "missing" / "live.csv")
    checker.expect("a file that cannot be written", bad.returncode, 2)


def test_pipe(trawl, checker):
    """What comes through a pipe is kept, as its text is read again for the instructions: by all that follow values."""
    image, packed = CORPUS / "check/faults-a64.elf", CORPUS / "check/faults-a64.it.tarmac.xz"
    text = lzma.open(packed).read()
    for words in (["check", "--all"], ["check", "--format", "sarif"], ["origin", "x0"], ["reaches", "x0", "--at", "event:100"]):
        file = quick.run([trawl, words[0], "--memory-index", "--image", str(image), str(packed), *words[1:]], timeout=TIMEOUT_S)
        pipe = quick.run([trawl, words[0], "--image", str(image), "-", *words[1:]], input=text, timeout=TIMEOUT_S)
        checker.expect(f"{words} of a pipe: status", pipe.returncode, file.returncode)
        checker.expect(f"{words} of a pipe: the same", pipe.stdout.replace(b'"-"', b"?"), file.stdout.replace(str(packed).encode(), b"-").replace(b'"-"', b"?"))
    for given, status in ((b"", 2), (b"not a trace", 2), (text[:50000], 1)):
        pipe = quick.run([trawl, "check", "--image", str(image), "-"], input=given, timeout=TIMEOUT_S)
        checker.expect(f"{len(given)} bytes: status", pipe.returncode, status)
        checker.check(f"{len(given)} bytes: one line", status == 1 or pipe.stderr.count(b"\n") == 1, pipe.stderr)


def test_known(trawl, checker, place):
    """Memory that nothing has written, and that the user says is set."""
    trace, image = CORPUS / "check/faults-a64.it.tarmac.xz", CORPUS / "check/faults-a64.elf"
    result = check(trawl, trace, image, "--known", "0x1000:16")
    checker.expect("--known", result.returncode, 1)
    for bad in ("x0:8", "nothing:8"):
        checker.expect(f"--known {bad}", check(trawl, trace, image, "--known", bad).returncode, 2)


@pytest.mark.parametrize("program", ("faults-a64.it.tarmac", "faults-tasks-m.it.tarmac", "faults-rv64.both.log"))
def test_threads(trawl, checker, place, program):
    """The same bytes by any number of threads, which read ahead segment by segment, and from a compressed trace, which is read by one."""
    packed, image = CORPUS / f"check/{program}.xz", CORPUS / f"check/{program.split('.')[0]}.elf"
    trace = place / program
    trace.write_bytes(lzma.decompress(packed.read_bytes()))
    one = check(trawl, packed, image, "--all", "--threads", "1").stdout.replace(str(packed).encode(), b"TRACE")
    checker.expect("findings", bool(one), True)
    for threads in (1, 2, 5):
        for size in (64, 1000, 65536):
            many = check(trawl, trace, image, "--all", "--threads", threads, "--segment-events", size).stdout
            checker.expect(f"{threads} threads, segments of {size} events", many.replace(str(trace).encode(), b"TRACE") == one, True)


def test_threads_in_a_damaged_index(trawl, checker, place):
    """Damage is met at the same place, whoever reads ahead."""
    trace, image = place / "faults.tarmac", CORPUS / "check/faults-a64.elf"
    trace.write_bytes(lzma.decompress((CORPUS / "check/faults-a64.it.tarmac.xz").read_bytes()))
    index = place / "faults.index"
    words = [trawl, "check", "--index", str(index), "--image", str(image), str(trace)]
    quick.run([trawl, "index", "--segment-events", "64", "--index", str(index), "--image", str(image), str(trace)], timeout=TIMEOUT_S)
    sound, told = index.read_bytes(), 0
    for at in range(len(sound) // 16, len(sound), len(sound) // 16):
        damaged = bytearray(sound)
        damaged[at : at + 64] = bytes(byte ^ 0x55 for byte in damaged[at : at + 64])
        answers = set()
        for threads in (1, 2, 5):
            index.write_bytes(damaged)
            result = quick.run([*words, "--threads", str(threads)], timeout=TIMEOUT_S)
            answers.add((result.returncode, result.stdout, result.stderr))
        told += any(b"damage" in answer[2] for answer in answers)
        checker.expect(f"damage at {at}", len(answers), 1)
    checker.check("damage is met", told)


def test_new_page_each_time(trawl, checker, place):
    """A store to another page at each event: the shadow has a limit, and the answer says that it was reached."""
    for pages, is_told in ((1000, False), (65537, True)):
        trace = place / f"pages{pages}.tarmac"
        trace.write_text("".join(f"{i} clk IT ({i}) 00001000 f8000441 O EL1h_n : STR x1,[x2],#0\n"
                                 f"{i} clk MW8 {0x10000000 + 4096 * i:016x} 0000000000000001\n" for i in range(pages)))
        result = quick.run([trawl, "check", "--memory-index", str(trace)], timeout=TIMEOUT_S)
        checker.expect(f"{pages} pages: status", result.returncode, 0)
        checker.expect(f"{pages} pages: told", "more memory was used than can be watched" in str(result.stderr), is_told)


# Functions at addresses, and what they do: (PC, code, text, register that it writes with its value).
TAKER, LOCK, UNLOCK, HANDLER, MAIN = 0x1000, 0x2000, 0x2100, 0x280, 0x3000
FUNCTIONS = {TAKER: b"take", LOCK: b"pthread_mutex_lock", UNLOCK: b"pthread_mutex_unlock", HANDLER: b"irq_handler", MAIN: b"main"}
NOP, RET, ERET = 0xD503201F, 0xD65F03C0, 0xD69F03E0


class LockRun:
    """A program that takes locks by a function of its own."""

    def __init__(self, is_interrupted=False):
        self.lines, self.time, self.is_interrupted = ["0 clk R cpsr 000003c5", "0 clk R X0 00000000"], 0, is_interrupted

    def step(self, pc, code, *registers):
        self.time += 1
        self.lines.append(f"{self.time} clk IT ({self.time}) {pc:08x} {code:08x} O EL1h_n : x")
        self.lines += [f"{self.time} clk R {name} {value:016X}" for name, value in registers]
        return pc + 4

    def call(self, pc, to):
        return self.step(pc, 0x94000000 | ((to - pc) // 4) & 0x3FFFFFF, ("X30", pc + 4))

    def use(self, pc, function, lock):
        """Calls a function with a lock; before its first instruction, there is an interrupt."""
        back = self.call(self.step(pc, NOP, ("X0", lock)), function)
        if self.is_interrupted:
            self.time += 1
            self.lines += [f"{self.time} clk E {HANDLER:08x} 00000280 CoreEvent_CURRENT_SPx_IRQ", f"{self.time} clk R ELR_EL1 {function:016x}"]
            at = self.step(HANDLER, NOP)
            self.step(at, ERET)
            self.is_interrupted = False
        self.step(self.step(function, NOP, ("X0", 0)), RET)
        return back

    def take(self, pc, lock):
        back = self.call(pc, TAKER)
        at = self.step(TAKER, NOP, ("X19", back))
        at = self.use(at, LOCK, lock)
        self.step(self.step(at, NOP, ("X30", back)), RET)
        return back


def found_in(checker, place, run, part="locks", *options):
    (place / "run.elf").write_bytes(small_elf.named(FUNCTIONS))
    (place / "run.tarmac").write_text("\n".join(run.lines) + "\n")
    return [(one["kind"], one["event"]) for one in findings(checker.trawl, place / "run.tarmac", place / "run.elf", "--only", part, *options)]


def test_taken_for_others(checker, place):
    """A function that takes a lock for its caller, as was seen, has not left it behind; one that never had it released has."""
    run, pc = LockRun(), MAIN
    for _ in range(3):
        pc = run.use(run.take(pc, 0x8000), UNLOCK, 0x8000)
    run.step(run.take(pc, 0x8000), NOP)
    checker.expect("held by a caller that still runs", found_in(checker, place, run), [])
    run = LockRun()
    run.step(run.take(MAIN, 0x8000), NOP)
    checker.expect("never released", [kind for kind, _ in found_in(checker, place, run)], ["still-held"])


def test_interrupt_at_entry(checker, place):
    """An interrupt before the first instruction of a function of a lock does not take it."""
    run = LockRun(is_interrupted=True)
    run.use(run.use(MAIN, LOCK, 0x8000), UNLOCK, 0x8000)
    checker.expect("the lock is the task's", found_in(checker, place, run), [])


def test_left_by_a_jump(trawl, checker):
    """A lock that is held by a function which a long jump leaves: where it was left."""
    for isa, style in (("a64", "it.tarmac"), ("t32", "it.tarmac"), ("rv32", "both.log")):
        found = findings(trawl, CORPUS / f"check/faults-jumps-{isa}.{style}.xz", CORPUS / f"check/faults-jumps-{isa}.elf", "--only", "locks")
        causes = {(one["function"], one["cause"], one["cause_function"]) for one in found if one["kind"] == "still-held"}
        checker.expect(f"{isa}: who left a lock", causes, {(name, "left by a jump", "long_jump") for name in ("take_and_jump", "take_deep")})


SUB_SP, STORE, LOAD, ADD_SP_X4, BR_X6 = 0xD10103FF, 0xF90003E0, 0xF9400020, 0x8B2463FF, 0xD61F00C0


@pytest.mark.parametrize("address, wanted", ((0x8F80, ["dead-frame"]), (0x8FC0, [])))
def test_thrown(checker, place, address, wanted):
    """An unwinder that adds what is thrown away to the stack pointer and branches to who catches it ends the frames between them."""
    run = LockRun()
    at = run.call(run.step(run.step(MAIN, NOP, ("SP_EL1", 0x9000)), SUB_SP, ("SP_EL1", 0x8FC0)), TAKER)
    inner = run.step(run.step(TAKER, SUB_SP, ("SP_EL1", 0x8F80)), STORE)
    run.lines.append(f"{run.time} clk MW8 0000000000008F80 0000000000000001")
    run.call(inner, LOCK)
    thrower = run.step(run.step(LOCK, SUB_SP, ("SP_EL1", 0x8F40)), ADD_SP_X4, ("SP_EL1", 0x8FC0))
    run.step(thrower, BR_X6)
    catcher = run.step(at + 4, NOP, ("X1", address))
    run.step(catcher, LOAD)
    run.lines.append(f"{run.time} clk MR8 {address:016X} 0000000000000001")
    run.step(catcher + 4, NOP)
    checker.expect("what is found", [kind for kind, _ in found_in(checker, place, run, "stack")], wanted)


STACK = """system mine
symbol pxCurrentTCB
task-name pxCurrentTCB->pcTaskName
running 1
stack-bottom 0x8f00
stack-top 0x9000
"""
MOVE_SP_X1, ADD_X1, STORE_X1 = 0x910003E1, 0x91000021, 0xF9000020


@pytest.mark.parametrize("is_spilled", (False, True))
@pytest.mark.parametrize("of_sp, address, wanted", ((True, 0x9000, True), (True, 0x8FF8, False), (True, 0x9020, True), (False, 0x9000, False), (True, 0x8EF8, True), (True, 0x9100, False)))
def test_outside_of_the_stack(checker, place, of_sp, address, wanted, is_spilled):
    """A store right outside of a stack is a fault if its address was computed from the stack pointer, also by a variable."""
    run = LockRun()
    at = run.step(run.step(MAIN, NOP, ("SP_EL1", 0x9000)), SUB_SP, ("SP_EL1", 0x8FC0))
    at = run.step(at, MOVE_SP_X1 if of_sp else NOP, ("X1", 0x8FC0))
    offset = address - 0x8FC0
    at = run.step(at, ADD_X1 | offset << 10 if offset >= 0 else 0xD1000021 | -offset << 10, ("X1", address))
    if is_spilled:
        at = run.step(at, 0xF90007E1)  # str x1,[sp,#8]
        run.lines.append(f"{run.time} clk MW8 0000000000008FC8 {address:016X}")
        at = run.step(at, 0xF94007E1, ("X1", address))  # ldr x1,[sp,#8]
        run.lines.append(f"{run.time} clk MR8 0000000000008FC8 {address:016X}")
    at = run.step(at, STORE_X1)
    run.lines.append(f"{run.time} clk MW8 {address:016X} 0000000000000001")
    run.step(at, NOP)
    (place / "os.txt").write_text(STACK)
    (place / "kernel.elf").write_bytes(kernel_types.FREERTOS)
    found = found_in(checker, place, run, "stack", "--os", place / "os.txt", "--image", place / "kernel.elf")
    checker.expect("what is found", [kind for kind, _ in found], ["outside-stack"] if wanted else [])


def test_stack_of_another(checker, place):
    """An address that was computed from the stack pointer of another task, right below the stack that is in use, is no fault."""
    run = LockRun()
    at = run.step(run.step(MAIN, NOP, ("SP_EL1", 0x8EE0)), MOVE_SP_X1, ("X1", 0x8EE0))
    at = run.step(run.step(at, NOP, ("SP_EL1", 0x9000)), SUB_SP, ("SP_EL1", 0x8FC0))
    at = run.step(at, STORE_X1)
    run.lines.append(f"{run.time} clk MW8 0000000000008EE0 0000000000000001")
    run.step(at, NOP)
    (place / "os.txt").write_text(STACK)
    (place / "kernel.elf").write_bytes(kernel_types.FREERTOS)
    checker.expect("what is found", found_in(checker, place, run, "stack", "--os", place / "os.txt", "--image", place / "kernel.elf"), [])


def test_statuses(trawl, checker, place):
    """0: nothing is found, 1: something is, 2: the run cannot be checked, 3: parts of the trace are damaged."""
    text = lzma.open(CORPUS / "check/faultless-a64.it.tarmac.xz", "rt").read().split("\n")
    (place / "damaged.tarmac").write_text("\n".join(text[:1000] + ["1000 clk IT (1000) zzzz"] + text[1000:]))
    for name, image, status, words in (("check/faultless-a64.it.tarmac.xz", "check/faultless-a64.elf", 0, b""),
                                       ("check/faults-a64.it.tarmac.xz", "check/faults-a64.elf", 1, b""),
                                       ("xray/threads.fdr.xray", "xray/threads.elf", 2, b"an XRay log has no registers"),
                                       ("tfile/full.tf", "tfile/walk.elf", 2, b"a GDB trace file has no instructions"),
                                       (place / "damaged.tarmac", "check/faultless-a64.elf", 3, b"could not be read")):
        result = check(trawl, CORPUS / name, CORPUS / image)
        checker.expect(f"{name}: status", result.returncode, status)
        checker.check(f"{name}: message", words in result.stderr, result.stderr)
