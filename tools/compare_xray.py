#!/usr/bin/env python3
"""Compares `trawl xray` with llvm-xray on XRay logs.

    compare_xray.py LLVM_XRAY [--bin DIR] [LOG...]

The default is the logs of the corpus. Each log is compared unchanged, and as YAML of version 1, the only version that llvm-xray reads as YAML.
Logs that llvm-xray refuses are counted. The differences that docs/differences-from-llvm-xray.md lists are normalized first: the order of
threads and vertices, quoted and rounded numbers of trace events and the start of their times, ids and names of custom events, the ends of
lines for flame graphs.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 120
ROUNDING_US = 0.5


def as_is(text):
    return text


def sorted_lines(text):
    return sorted(text.splitlines())


def stack_lines(text):
    """The lines without the `;` before the value, and without stacks in which no call ended."""
    lines = (re.sub(r"; (\d+)$", r" \1", line) for line in text.splitlines())
    return sorted(line for line in lines if not line.endswith(" 0"))


def figures(text):
    """The lines with numbers: which of equal stacks comes first, or is shown at all, does not matter."""
    return sorted(line for line in text.splitlines() if line.startswith(("Unique", "Sum", "Count")))


def by_thread(text):
    return sorted(block.strip() for block in re.split(r"^Thread ", text, flags=re.MULTILINE))


def yaml_calls(text):
    return sorted(re.sub(r"func-id: \d+, function: (?:'[^']*'|[^,]*), (?=.*kind: custom-event)", "", line)
                  for line in text.splitlines() if "\\x" not in line and '"' not in line)


def dumped(text):
    return sorted(text.split("\n[New Block]"))


def events(text):
    """Trace events with absolute times, and each event's stack by name."""
    trace = json.loads(text)
    frames, base = trace["stackFrames"], trace.get("otherData", {"start_ticks": "0", "ticks_per_second": 1})
    start = int(base["start_ticks"]) * (1e6 / base["ticks_per_second"] if base["ticks_per_second"] else 1)

    def stack(number):
        frame = frames[str(number)]
        above = stack(frame["parent"]) if "parent" in frame else ()
        return above + (frame["name"],)

    return [(e["name"], e["ph"], int(e["tid"]), int(e["pid"]), start + float(e["ts"]), stack(e["sf"])) for e in trace["traceEvents"]]


def same_events(ours, theirs):
    """Whether events are the same. Events of different threads at the same time may be in any order."""
    def order(event):
        return event[2:4] + (event[5], event[1])

    if len(ours) != len(theirs):
        return False
    pairs = zip(*(sorted(all_of, key=lambda event: event[2:4]) for all_of in (ours, theirs)))
    return all(order(a) == order(b) and abs(a[4] - b[4]) <= ROUNDING_US for a, b in pairs)


def equal(ours, theirs):
    return ours == theirs


# Command and options; what makes the outputs comparable; how they are compared. {map} is replaced by the image.
CASES = [(words.split(), even, same) for words, even, same in (
    ("account", as_is, equal),
    ("account -m {map}", as_is, equal),
    ("account -m {map} -f csv", as_is, equal),
    ("account -d -s sum -r dsc -p 3", as_is, equal),
    ("account -recursive-calls-only -m {map}", as_is, equal),
    ("stack -m {map}", figures, equal),
    ("stack -m {map} -per-thread-stacks", by_thread, equal),
    ("stack -m {map} -aggregate-threads", as_is, equal),
    ("stack -all-stacks -stack-format=flame -aggregation-type=count -m {map}", stack_lines, equal),
    ("stack -all-stacks -stack-format=flame -aggregation-type=count -aggregate-threads", stack_lines, equal),
    ("graph -m {map}", sorted_lines, equal),
    ("graph -m {map} -e med -v sum -c count -b max", sorted_lines, equal),
    ("graph -d -e 99p -v 90p -c 90p -b 99p", sorted_lines, equal),
    ("convert -f yaml -y -m {map}", yaml_calls, equal),
    ("convert -f yaml", yaml_calls, equal),
    ("convert -f trace_event -y -m {map}", events, same_events),
    ("fdr-dump", as_is, equal),
    ("fdr-dump -verify", dumped, equal),
)]


# The commands that are compared for logs as YAML. There, llvm-xray's leaves of stacks depend on records of other threads
# between those of a thread, and its trace events of version 1 have no processes.
IN_YAML = ("account", "graph", "convert -f yaml")


def image_of(log):
    """The image of a log of the corpus: the one named like the log up to the first dot, otherwise that of `recursion`."""
    named = {"typed-buffers": "typed", "clang14": "recursion-14", "nopie": "recursion-nopie"}
    stem = log.name.split(".")[0]
    image = log.parent / (named.get(stem, stem) + ".elf")
    return image if image.exists() else log.parent / "recursion.elf"


def run(program, words, log):
    done = subprocess.run([*program, *words, log], capture_output=True, timeout=TIMEOUT_S, errors="surrogateescape")
    return done.returncode, done.stdout


def as_yaml(ours, log, directory):
    """The log as YAML, with a version number other than its own."""
    _, text = run(ours, ["convert", "-f", "yaml"], log)
    path = Path(directory) / (log.name + ".yaml")
    path.write_text(re.sub(r"version:( *)\d", r"version:\g<1>1", text, count=1), errors="surrogateescape")
    return path


def compare(theirs, ours, log, image):
    """Yields the outcome of each case: "same", "refused" or "DIFFERENT", and the command."""
    for words, even, same in CASES:
        if log.suffix == ".yaml" and not " ".join(words).startswith(IN_YAML):
            continue
        words = [word.format(map=image) for word in words]
        if words[0] == "fdr-dump" and log.read_bytes()[2:4] != b"\1\0":
            continue
        status, wanted = run(theirs, words, log)
        if status:
            yield "refused", words
            continue
        _, got = run(ours, words, log)
        yield "same" if same(even(got), even(wanted)) else "DIFFERENT", words


def main():
    parser = argparse.ArgumentParser(description="Compares trawl xray with llvm-xray on XRay logs.")
    parser.add_argument("llvm_xray", metavar="LLVM_XRAY")
    parser.add_argument("--bin", type=Path, default=ROOT / "zig-out" / "bin", metavar="DIR", help="where trawl is")
    parser.add_argument("logs", nargs="*", type=Path, metavar="LOG")
    arguments = parser.parse_args()
    logs = arguments.logs or sorted((ROOT / "corpus" / "xray").glob("*.xray"))
    counts = {"same": 0, "refused": 0, "DIFFERENT": 0}
    ours = [arguments.bin / "trawl", "xray"]
    with tempfile.TemporaryDirectory() as directory:
        for log in logs:
            for form in (log, as_yaml(ours, log, directory)):
                for outcome, words in compare([arguments.llvm_xray], ours, form, image_of(log)):
                    counts[outcome] += 1
                    if outcome != "same":
                        print(outcome, form.name, *words)
    print("%d same, %d different, %d refused by llvm-xray" % (counts["same"], counts["DIFFERENT"], counts["refused"]))
    return 1 if counts["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
