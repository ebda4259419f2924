#!/usr/bin/env python3
"""Checks the plan of the house: every file includes only its own floor and floors below it, and
every C file is built.

A floor is a directory, and its files may include each other. Two directories on one floor
(src/cli and src/report) do not include each other.

Kinds of traces (src/trace/*/) do not include each other, and only the table of kinds and the reports
that are a kind's own (src/cmd/*/) include what is inside of one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# From top to bottom.
FLOORS = [
    ["src/main.c"],
    ["src/cmd"],
    ["src/tui"],
    ["src/browse"],
    ["src/session"],
    ["src/analysis"],
    ["src/trace"],
    ["src/flow"],
    ["src/elf"],
    ["idx"],
    ["src/cli", "src/report"],
    ["simd"],
    ["src/base"],
]
KIND = re.compile(r"src/trace/([^/]+)/")
# Who includes a kind's insides besides: what is hard-wired to the registers of Arm cores.
KNOWS_KINDS = {
    "src/trace/kinds.c",
    "src/analysis/unwind_tfile.h",
    "src/analysis/vcd_core.h",
}
# As build.zig has them; a quoted include is also looked for beside the file that has it.
INCLUDE_DIRS = ["src", "."]
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def floor_of(path):
    """The directory (or file) of FLOORS that holds `path`, and how far down it is."""
    for depth, places in enumerate(FLOORS):
        for place in places:
            if path == place or path.startswith(place + "/"):
                return place, depth
    return None, None


def sources(*patterns):
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix()


def resolve(path, name):
    """The file of the repository that `#include "name"` means in `path`, or None."""
    for directory in [Path(path).parent, *map(Path, INCLUDE_DIRS)]:
        candidate = (ROOT / directory / name).resolve()
        if candidate.is_file() and ROOT in candidate.parents:
            return candidate.relative_to(ROOT).as_posix()
    return None


def include_faults(path):
    place, depth = floor_of(path)
    if place is None:
        yield f"{path}: stands on no floor"
        return
    for name in INCLUDE.findall((ROOT / path).read_bytes()):
        name = name.decode()
        included = resolve(path, name)
        if included is None:
            yield f'{path}: includes "{name}", which is no file of the repository'
            continue
        kind = KIND.match(included)
        own_folders = (f"src/trace/{kind[1]}/", f"src/cmd/{kind[1]}/") if kind else ()
        if kind and not path.startswith(own_folders) and path not in KNOWS_KINDS:
            yield f"{path}: includes {included}, which is inside of a kind of trace"
        below, below_depth = floor_of(included)
        if below is None or (below != place and below_depth <= depth):
            yield f"{path}: includes {included}, which is not below {place}"


def build_faults(path, built):
    if path not in built:
        yield f"{path}: is not in build.zig"


def main():
    built = set(re.findall(r'"((?:src|idx|simd|tests/unit)/[^"]*\.c)"', (ROOT / "build.zig").read_text()))
    outcomes = []
    for path in sources("src/**/*.[ch]", "src/**/*.inc", "idx/**/*.[ch]", "simd/**/*.[ch]", "simd/**/*.inc"):
        outcomes.append(list(include_faults(path)))
    for path in sources("src/**/*.c", "idx/**/*.c", "simd/**/*.c", "tests/unit/*.c"):
        outcomes.append(list(build_faults(path, built)))
    for path in sorted(built):
        outcomes.append([] if (ROOT / path).is_file() else [f"{path}: is in build.zig but not here"])
    for faults in outcomes:
        for fault in faults:
            print(f"FAILED {fault}")
    failed = sum(1 for faults in outcomes if faults)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
