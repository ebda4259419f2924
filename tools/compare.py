#!/usr/bin/env python3
"""Compares the tarmac-* tools of two directories, byte for byte, on the same inputs."""

import argparse
import collections
import glob
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tracegen"))

import coverage  # noqa: E402
import golden  # noqa: E402
from cli import command_lines  # noqa: E402
from commands import TRACE, Command, commands_for  # noqa: E402
from damage import message_traces  # noqa: E402
from improvements import check_improvement, improvements  # noqa: E402
from judge import (CRASH, DIFFERENT, EARLY_LINK, INTENDED, SAME, UNSTABLE, describe,  # noqa: E402
                   judge, judge_accepted, judge_vcd, writes_link_early)
from kinds import KINDS, make_scenario, make_trace, scenario_names  # noqa: E402
from prng import Rng  # noqa: E402
from runner import prepare, prepare_fixed, run_command  # noqa: E402
from sample import Trace  # noqa: E402


class Report:
    """Counts verdicts and keeps the text of each verdict other than plain agreement."""

    def __init__(self):
        self.verdicts = collections.Counter()
        self.reasons = collections.Counter()
        self.texts = []

    def add(self, label, command, verdict, reason, ours, peer):
        """Record one comparison."""
        self.verdicts[verdict] += 1
        if verdict == SAME:
            return
        self.reasons["%s: %s" % (verdict, reason or "see above")] += 1
        if verdict in (DIFFERENT, UNSTABLE):
            self.texts.append("%s %s\n  %s\n%s" % (
                verdict.upper(), label, command.text(), describe(ours, peer)))

    def merge(self, other):
        """Add the counts and texts of another report."""
        self.verdicts.update(other.verdicts)
        self.reasons.update(other.reasons)
        self.texts += other.texts


def read_trace(cwd):
    """Return the bytes of the trace in a scratch directory."""
    with open(os.path.join(cwd, TRACE), "rb") as file:
        return file.read()


def compare_commands(arguments, cwd, label, commands, report):
    """Run commands with the tools of both directories and record the verdicts."""
    for command in commands:
        def ask_peer(asked=command.arguments):
            return run_command(arguments.peer, command.tool, asked, cwd, command.output)

        peer = ask_peer()
        ours = run_command(arguments.ours, command.tool, command.arguments, cwd, command.output)
        if command.peer_arguments:
            refusal, peer = peer, ask_peer(command.peer_arguments)
            verdict, reason = judge_accepted(command, ours, refusal, peer)
        else:
            verdict, reason = judge(command, ours, peer, ask_peer)
        if verdict in (DIFFERENT, UNSTABLE) and command.tool == "vcd":
            big_endian = run_command(arguments.ours, command.tool, command.arguments + ["--bi"], cwd,
                                     command.output)
            excuse = judge_vcd(ours, big_endian, peer, ask_peer)
            if excuse:
                verdict, reason = (SAME, "") if excuse == SAME else (INTENDED, excuse)
        if verdict == DIFFERENT and writes_link_early(read_trace(cwd)):
            verdict, reason = UNSTABLE, EARLY_LINK
        report.add(label, command, verdict, reason, ours, peer)


def compare_seed(arguments, seed):
    """Compare everything about the trace of one seed."""
    report = Report()
    trace = make_trace(seed, arguments.kind, arguments.allow_x)
    return compare_trace(arguments, trace, "seed %d (%s)" % (seed, trace.kind), seed, report)


def compare_scenario(arguments, name):
    """Compare everything about the trace of one quirk."""
    return compare_trace(arguments, make_scenario(name), "quirk '%s'" % name, 1, Report())


def compare_message(arguments, labelled):
    """Compare what the tools say about one malformed line."""
    label, trace = labelled
    return compare_trace(arguments, trace, "message '%s'" % label, 1, Report())


def compare_file(arguments, path):
    """Compare everything about a trace that is a file."""
    trace = load_trace(path, arguments.image or find_image(path))
    return compare_trace(arguments, trace, path, 1, Report())


def compare_trace(arguments, trace, label, seed, report):
    """Run all commands for a trace in a scratch directory."""
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as cwd:
        prepare(cwd, trace)
        compare_commands(arguments, cwd, label, commands_for(trace, Rng(seed)), report)
    return report


def compare_command_lines(arguments, _):
    """Compare the table of wrong and odd command lines."""
    report = Report()
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as cwd:
        prepare(cwd, make_scenario("duplicate names show their value"))
        prepare_fixed(cwd)
        compare_commands(arguments, cwd, "command line", command_lines(), report)
    return report


def compare_improvement(arguments, improvement):
    """Compare our report on what the reference refuses with its report on an equal trace."""
    report = Report()
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as cwd:
        for tool, ours, peer in check_improvement(
                arguments.ours, arguments.peer, improvement, cwd):
            verdict = SAME if ours == peer else DIFFERENT
            report.add("improvement '%s'" % improvement.name, Command(tool, []), verdict, "",
                       ours, peer)
    return report


def load_trace(path, image):
    """Read a trace file and the image that goes with it."""
    with open(path, "rb") as file:
        trace = Trace(file.read(), "file", names=["main", "_start", "memcpy", "qsort"])
    if image:
        with open(image, "rb") as file:
            trace.image = file.read()
    return trace


def find_image(path):
    """Return the ELF file that belongs to a trace by name, or None."""
    base = re.sub(r"\..*$", "", os.path.basename(path))
    parent = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    found = glob.glob(os.path.join(glob.escape(parent), "elf", glob.escape(base) + ".elf"))
    return found[0] if found else None


def run_job(job):
    """Run one (function, arguments, item) in a worker."""
    function, arguments, item = job
    return function(arguments, item)


def jobs_for(arguments):
    """Return the jobs that the command line asks for."""
    jobs = []
    if not arguments.traces or arguments.random:
        jobs.append((compare_command_lines, arguments, None))
        jobs += [(compare_improvement, arguments, item) for item in improvements()]
        jobs += [(compare_message, arguments, item) for item in message_traces()]
        jobs += [(compare_scenario, arguments, name) for name in scenario_names()]
    jobs += [(compare_file, arguments, path) for path in arguments.traces or []]
    seeds = range(arguments.seed, arguments.seed + arguments.random)
    return jobs + [(compare_seed, arguments, seed) for seed in seeds]


def run_jobs(arguments):
    """Run all jobs in several processes; print differences as they are found."""
    total, shown, begin = Report(), 0, time.monotonic()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for report in pool.map(run_job, jobs_for(arguments), chunksize=4):
            for text in report.texts:
                shown += 1
                if shown <= arguments.show:
                    print(text, flush=True)
            total.merge(report)
    summarize(total, time.monotonic() - begin)
    return total


def summarize(total, seconds):
    """Print the totals."""
    for reason, count in sorted(total.reasons.items()):
        print("%7d  %s" % (count, reason))
    count = sum(total.verdicts.values())
    names = [(SAME, "equal"), (DIFFERENT, "different"), (INTENDED, "differ on purpose"),
             (CRASH, "reference crashed"), (UNSTABLE, "reference unstable")]
    print("%d comparisons in %.0f s: %s" % (count, seconds, ", ".join(
        "%d %s" % (total.verdicts[verdict], name) for verdict, name in names)))


def parse_arguments():
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ours", help="directory of our tarmac-* tools")
    parser.add_argument("peer", nargs="?", help="directory of the reference's tools")
    parser.add_argument("--traces", nargs="+", metavar="FILE", help="compare on these traces")
    parser.add_argument("--image", metavar="ELF", help="image for --traces (default: by name)")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="so many random traces")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="first seed")
    parser.add_argument("--kind", choices=sorted(KINDS), help="only this kind of random trace")
    parser.add_argument("--allow-x", action="store_true", help="also what crashes the reference")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default 2)")
    parser.add_argument("--show", type=int, default=40, help="differences to print (default 40)")
    parser.add_argument("--scratch", metavar="DIR", help="where scratch files go")
    parser.add_argument("--coverage", action="store_true",
                        help="count what the inputs reach, as the answers of OURS show")
    parser.add_argument("--record", metavar="DIR", help="write sample traces with OURS' answers")
    arguments = parser.parse_args()
    arguments.ours = os.path.abspath(arguments.ours)
    arguments.peer = arguments.peer and os.path.abspath(arguments.peer)
    if not arguments.peer and not (arguments.coverage or arguments.record):
        parser.error("the reference's directory is needed to compare")
    return arguments


def main():
    """Compare, report coverage, or record."""
    arguments = parse_arguments()
    if arguments.record:
        return golden.record(arguments.ours, arguments.record, arguments.seed, arguments.scratch)
    if arguments.coverage:
        directory = arguments.peer or arguments.ours
        return coverage.report(directory, arguments.random or 1500, arguments.seed, arguments.jobs)
    total = run_jobs(arguments)
    return 1 if total.verdicts[DIFFERENT] or total.verdicts[UNSTABLE] else 0


if __name__ == "__main__":
    sys.exit(main())
