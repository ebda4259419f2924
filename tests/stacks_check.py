#!/usr/bin/env python3
"""Stacks, self times and calls that trawl finds against the true ones of corpus/stacks.

    tests/stacks_check.py DIRECTORY_OF_TRAWL [--table [OTHER_TRAWL]]

At 1,000 random instructions of each trace the call tree has the functions of the true stack, in order, and `trawl stack`
has them at some. Without the image the encodings alone have to tell.
"""

import argparse
import collections
import pathlib
import random
import sys

import true_stacks

ROOT = pathlib.Path(__file__).resolve().parent.parent
STACKS = ROOT / "corpus" / "stacks"
POINTS = 1000


def sample(trace):
    instructions = true_stacks.instructions(trace)
    lines = [line for line, _ in instructions]
    return instructions, sorted(random.Random(trace.name).sample(lines, min(POINTS, len(lines))))


def wrong_stacks(trawl, trace, truth, points, options):
    found = true_stacks.Calls(trawl, trace, *options).at_lines(points)
    return [
        (line, wanted, entries)
        for (line, wanted, _), (_, entries) in zip(truth.at_lines(points), found)
        if wanted != entries
    ]


def true_self(truth, instructions):
    """An instruction lasts until the next one."""
    self_times = collections.Counter()
    ends = [time for _, time in instructions[1:]] + [instructions[-1][1]]
    stacks = truth.at_lines([line for line, _ in instructions])
    for (_, entries, _), (_, start), end in zip(stacks, instructions, ends):
        self_times[entries[-1]] += end - start
    return self_times


def wrong_functions(trawl, trace, truth, instructions, options):
    """(functions whose self time is wrong, functions whose count is wrong)."""
    found_self, found_calls = collections.Counter(), collections.Counter()
    for row in true_stacks.rows(trawl, "profile", "--format", "csv", *options, trace):
        address = int(row["address"], 16) & ~1
        found_self[address] += int(row["self"])
        found_calls[address] += int(row["calls"])
    wanted_self = true_self(truth, instructions)
    wrong_self = [(hex(f), wanted_self[f], found_self[f]) for f in wanted_self | found_self if wanted_self[f] != found_self[f]]
    wrong_calls = [(hex(f), truth.calls[f], found_calls[f]) for f in truth.calls if truth.calls[f] != found_calls[f]]
    return wrong_self, wrong_calls


def options_of(trace):
    image = STACKS / (trace.name.split(".")[0] + ".elf")
    return {"without": [], "with": ["--image", image]}


def measure(trawl, trace, memory):
    truth = true_stacks.Truth(trace.with_name(trace.name + ".stacks"))
    instructions, points = sample(trace)
    result = {}
    for name, options in options_of(trace).items():
        options = [*options, *memory]
        wrong = wrong_stacks(trawl, trace, truth, points, options)
        wrong_self, wrong_calls = wrong_functions(trawl, trace, truth, instructions, options)
        result[name] = (len(points), wrong, wrong_self, wrong_calls)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--table", nargs="*")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    trawl = arguments.bin_dir / "trawl"
    for trace in sorted(t for t in STACKS.glob("*.tarmac") if arguments.only in t.name):
        for name, (points, wrong, wrong_self, wrong_calls) in measure(trawl, trace, ["--memory-index"]).items():
            print(f"{trace.name:30} {name:8} stacks {points - len(wrong)}/{points}, functions with wrong self {len(wrong_self)}, calls {len(wrong_calls)}")
            for line, wanted, found in wrong[:3] if arguments.only else []:
                print("   ", line, list(map(hex, wanted)), list(map(hex, found)))
            if arguments.only:
                print("   ", wrong_self, wrong_calls)


if __name__ == "__main__":
    sys.exit(main())
