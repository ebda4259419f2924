#!/usr/bin/env python3
"""Writes a random Tarmac trace; the same seed gives the same trace on every machine."""

import argparse
import sys

from kinds import KINDS, make_scenario, make_trace, scenario_names


def parse_arguments():
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="number that decides everything")
    parser.add_argument("--kind", choices=sorted(KINDS), help="kind of trace (default: random)")
    parser.add_argument("--quirk", metavar="NAME", help="trace of one quirk (--list names them)")
    parser.add_argument("--list", action="store_true", help="list kinds and quirks")
    parser.add_argument("--allow-x", action="store_true", help="also make lines that crash TTU")
    parser.add_argument("--image", metavar="FILE", help="write the trace's ELF image, if any")
    parser.add_argument("--describe", action="store_true", help="print kind, options and tags")
    parser.add_argument("-o", "--output", metavar="FILE", help="trace file (default: stdout)")
    return parser.parse_args()


def write_file(name, data):
    """Write bytes to a file, or to standard output if there is no name."""
    if not name:
        sys.stdout.buffer.write(data)
        return
    with open(name, "wb") as file:
        file.write(data)


def describe(trace):
    """Print what the trace contains, on standard error."""
    print("kind: %s" % trace.kind, file=sys.stderr)
    print("options: %s" % " ".join(trace.options), file=sys.stderr)
    print("tags: %s" % ", ".join(sorted(trace.tags)), file=sys.stderr)
    print("image: %d bytes" % len(trace.image or b""), file=sys.stderr)


def main():
    """Make what the command line asks for."""
    arguments = parse_arguments()
    if arguments.list:
        print("kinds:  " + " ".join(sorted(KINDS)))
        print("quirks: " + "\n        ".join(scenario_names()))
        return
    if arguments.quirk:
        trace = make_scenario(arguments.quirk)
    else:
        trace = make_trace(arguments.seed, arguments.kind, arguments.allow_x)
    write_file(arguments.output, trace.data)
    if arguments.image and trace.image is not None:
        write_file(arguments.image, trace.image)
    if arguments.describe:
        describe(trace)


if __name__ == "__main__":
    main()
