#!/usr/bin/env python3
"""Opens trace events of trawl in speedscope's own importer (run by node), and compares the calls that it finds with those
written.

    compare_speedscope.py SPEEDSCOPE_DIRECTORY [--bin DIR] [LOG_OR_TRACE...]

The directory is that of the npm package `speedscope`. Without logs or traces, those of the corpus are used.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("readers", "support")]

import test_trace_events  # noqa: E402

TIMEOUT_S = 120


def export(trawl, path, output):
    """Yields the commands that write the trace events of a log or trace."""
    yield [trawl, "export", "--open-frames", "-o", output, path]
    if path.suffix == ".xray" and not path.name.startswith(("crash", "typed")):  # in those logs, the last calls have no end
        yield [trawl, "xray", "convert", "-f", "trace_event", "-o", output, path]


def written(text):
    """The calls of each thread, in the order in which they end."""
    threads = defaultdict(list)
    for event in json.loads(text)["traceEvents"]:
        threads[event["pid"], event["tid"]].append(event)
    return sorted(calls for of in threads.values() if (calls := test_trace_events.written(of)))


def main():
    parser = argparse.ArgumentParser(description="Compares what speedscope opens with what trawl wrote.")
    parser.add_argument("speedscope", metavar="SPEEDSCOPE_DIRECTORY")
    parser.add_argument("--bin", type=Path, default=ROOT / "zig-out" / "bin", metavar="DIR", help="where trawl is")
    parser.add_argument("inputs", nargs="*", type=Path, metavar="LOG_OR_TRACE", help="default: the corpus")
    arguments = parser.parse_args()
    inputs = arguments.inputs or sorted([*(ROOT / "corpus").glob("xray/*.xray"), *(ROOT / "corpus").glob("traces/*.tarmac")])
    same = different = 0
    with tempfile.TemporaryDirectory() as directory:
        output = Path(directory) / "events.json"
        for path in inputs:
            for command in export(arguments.bin / "trawl", path, output):
                subprocess.run(command, timeout=TIMEOUT_S, stderr=subprocess.DEVNULL)
                done = subprocess.run(["node", ROOT / "tools" / "compare_speedscope.js", arguments.speedscope, output],
                                      capture_output=True, timeout=TIMEOUT_S, text=True)
                if done.returncode:
                    print(done.stderr, end="")
                    return 2
                found = json.loads(done.stdout)
                got = sorted([(name, depth) for name, depth, _ in calls] for calls in found["profiles"])
                is_same = not found["lost"] and got == written(output.read_text())
                has_length = all(weight > 0 for calls in found["profiles"] for _, _, weight in calls)
                same += is_same and has_length
                different += not (is_same and has_length)
                if not (is_same and has_length):
                    print("DIFFERENT", *command[1:3], path.name, *found["lost"][:1])
    print("%d same, %d different" % (same, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
