#!/usr/bin/env python3
"""Measures how much of the sources the fuzz targets reach: a table of targets, a table of folders, and the least covered files.

    tests/fuzz/coverage.py DIRECTORY [CORPUS]

DIRECTORY contains trawl-seeds, built for coverage (tools/zigw build coverage). Inputs are the seeds in
tests/fuzz/corpus and those in CORPUS, a directory with one for each target.
"""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEEDS = ROOT / "tests" / "fuzz" / "corpus"
TIMEOUT_S = 1800
LEAST_FILES, INPUTS_MAX = 40, 1500


def tool(name):
    return shutil.which(name) or shutil.which(name + "-14") or sys.exit("coverage: no %s" % name)


def gather(target, corpora, place):
    """Puts all inputs of a target in one directory, the seeds first."""
    (place / target).mkdir(parents=True)
    inputs = [file for corpus in corpora if (corpus / target).is_dir() for file in sorted((corpus / target).iterdir())]
    for number, file in enumerate(inputs[:INPUTS_MAX]):
        (place / target / str(number)).symlink_to(file)
    return min(len(inputs), INPUTS_MAX)


def run_target(program, target, place, profile):
    environment = {**os.environ, "LLVM_PROFILE_FILE": str(profile) + "-%2m.profraw"}
    subprocess.run([program, place, target], env=environment, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False)
    raw = sorted(profile.parent.glob(profile.name + "-*.profraw"))
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", "-o", str(profile) + ".profdata", *raw], check=True)
    for file in raw:
        file.unlink()
    return str(profile) + ".profdata"


def lines_of(program, profile):
    """{file: (lines that count, lines that were reached)} of the sources."""
    done = subprocess.run([tool("llvm-cov"), "export", "-summary-only", "-instr-profile", profile, program],
                          stdout=subprocess.PIPE, check=True)
    files = json.loads(done.stdout)["data"][0]["files"]
    counts = {}
    for file in files:
        path = os.path.relpath(os.path.abspath(file["filename"]), ROOT)
        if path.split("/")[0] in ("src", "idx", "simd"):
            lines = file["summary"]["lines"]
            counts[path] = (lines["count"], lines["covered"])
    return counts


def share(pairs):
    count, covered = (sum(column) for column in zip(*pairs))
    return "%6d of %6d lines, %5.1f %%" % (covered, count, 100 * covered / max(count, 1))


def by_folder(counts):
    folders = collections.defaultdict(list)
    for path, pair in counts.items():
        folders[os.path.dirname(path)].append(pair)
    for folder, pairs in sorted(folders.items()):
        print("%-22s %s" % (folder, share(pairs)))


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    program = directory / "trawl-seeds"
    corpora = [SEEDS, *(pathlib.Path(argument).resolve() for argument in sys.argv[2:])]
    profiles = []
    with tempfile.TemporaryDirectory(prefix="trawl-coverage-") as name:
        place = pathlib.Path(name)
        for target in sorted(path.name for path in SEEDS.iterdir()):
            inputs = gather(target, corpora, place)
            profiles.append(run_target(program, target, place, directory / target))
            print("%-12s %5d inputs  %s" % (target, inputs, share(lines_of(program, profiles[-1]).values())), flush=True)
    merged = directory / "all.profdata"
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", "-o", merged, *profiles], check=True)
    counts = lines_of(program, merged)
    print("%-12s               %s\n" % ("all", share(counts.values())))
    by_folder(counts)
    print()
    for path, (count, covered) in sorted(counts.items(), key=lambda item: item[1][1] - item[1][0])[:LEAST_FILES]:
        print("%5d of %5d lines not reached  %s" % (count - covered, count, path))


if __name__ == "__main__":
    sys.exit(main())
