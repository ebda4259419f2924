"""Counts which features of the specification the generated inputs reach.

A feature counts as reached only if an answer of the tools shows it: a message on
stderr, a pattern in the output, or what a quirk expects.
"""

import collections
import re
import tempfile
from concurrent.futures import ProcessPoolExecutor

from cli import command_lines
from commands import TRACE, commands_for
from damage import message_traces
from errors import MESSAGES, WARNINGS
from kinds import make_scenario, make_trace, scenario_names
from prng import Rng
from runner import prepare, prepare_fixed, run_command
from sample import Trace

OTHER_MESSAGES = {
    "partial last line": r"ignoring parse error on partial last line \(trace truncated\?\)",
    "no events": r"error: trace file contains no events at all",
    "cannot open the trace": r"^missing: open: No such file or directory",
    "not a directory": r"open: Not a directory",
    "bad image": r'Cannot open ELF file "missing"',
    "image is a directory": r'Cannot open ELF file "dir"',
    "endianness mismatch": r"Endianness mismatch between image and provided endianness",
    "progress": r"\rReading trace file \(\d+%\)",
    "progress above 100 %": r"\rReading trace file \(10[12]%\)",
    "progress finished": r"\rReading trace file \(finished\)\n",
    "long option unknown": r"'--\w+': unrecognised option name",
    "short option unknown": r"'-\w': unrecognised option name",
    "long option needs value": r"'--\w[\w-]*': option expects a value",
    "short option needs value": r"'-\w': option expects a value",
    "option takes no value": r"'--\w[\w-]*': option expects no value",
    "badly formatted option": r"'---x': badly formatted option",
    "lone hyphen": r"'-': badly formatted option",
    "unexpected positional": r"': unexpected positional argument",
    "missing positional": r"expected additional arguments \(starting with 'TRACEFILE'\)",
    "missing function": r"expected at least one function name",
    "unknown diagnostic": r"unknown diagnostic type 'x'",
    "try help": r"\n +try 'tarmac-\w+ --help' for help\n",
}
OUTPUTS = {
    "help of callinfo": r"usage: tarmac-callinfo \[options\] TRACEFILE FUNCTION\.\.\.\n",
    "help of calltree": r"usage: tarmac-calltree \[options\] TRACEFILE\n",
    "help of profile": r"usage: tarmac-profile \[options\] TRACEFILE\n",
    "help of flamegraph": r"usage: tarmac-flamegraph \[options\] TRACEFILE\n",
    "list of diagnostics": r"List of diagnostic types:\n--debug=call_heuristics: debug call",
    "debug: transfer": r"transfer of control @ \d+, sp=[0-9a-f]+, pc=[0-9a-f]+\n",
    "debug: return": r"  looks like return for call @ \d+\n",
    "debug: call": r"  inserting as pending call with sp=[0-9a-f]+ lr=[0-9a-f]+\n",
    "debug: unknown stack pointer": r"sp=ffffffffffffffff, ",
    "calls three deep": r"\n            o t:",
    "calls eight deep": r"\n {32}o t:",
    "entry without instruction (pc 0x2)": r"pc:0x2 ",
    "name with whole PC": r" \+ 0x[0-9a-f]+",
    "name with value": r"@0x[0-9a-f]+",
    "Thumb PC in the tree": r"o t:\d+ l:\d+ pc:0x[0-9a-f]*[13579bdf] ",
    "64-bit PC": r"pc:0xffffffff8[0-9a-f]{7}",
    "profile row": r"\n0x[0-9a-f]+ +\d+ +\d+ +\S",
    "profile row without name": r"\n0x[0-9a-f]+ +\d+ +\d+ +\n",
    "stack of three": r"^[^;\n]+;[^;\n]+;[^;\n]+ \d+$",
    "zero count": r"^\S.* 0$",
    "count modulo 2^64": r" 184467440737095\d{5}$",
    "callinfo visit": r"^ - time: \d+ \(line:\d+, pos:\d+\)$",
    "callinfo: symbol found": r"^Symbol '.*' at 0x[0-9a-f]+ \(\d+ bytes\) called from :$",
    "callinfo: symbol unknown": r"^Symbol '.*' not found !$",
    "callinfo: no image": r"^No image, symbol '.*' can not be looked up !$",
}
KINDS_OF_TAG = ["tail call", "longjmp", "interrupt", "condition failed", "early link", "bit range",
                "time goes back", "continuation", "blank line", "register without event",
                "line without event", "event at new time", "header lines",
                "partly written register", "times"]


def patterns():
    """Return (group, name, compiled pattern) for everything that an answer can show."""
    table = [("error", message, re.compile(r":\d+: " + re.escape(message) + r"\n"))
             for message in MESSAGES]
    table += [("warning", message, re.compile(r":\d+: " + re.escape(message) + r"\n"))
              for message in WARNINGS]
    table += [("other message", name, re.compile(text, re.M))
              for name, text in OTHER_MESSAGES.items()]
    table += [("output", name, re.compile(text, re.M)) for name, text in OUTPUTS.items()]
    return table


PATTERNS = patterns()


def features():
    """Return all (group, name) in the order of the report."""
    table = [(group, name) for group, name, _ in PATTERNS]
    table += [("quirk", name) for name in scenario_names()]
    return table + [("planted and read", tag) for tag in KINDS_OF_TAG]


def shown_by(answer):
    """Return the features that one answer shows."""
    text = as_text(answer)
    return {(group, name) for group, name, pattern in PATTERNS if pattern.search(text)}


def as_text(answer):
    """Return all parts of an answer as text."""
    parts = (answer.out, answer.err, answer.file or b"")
    return b"".join(parts).decode("latin-1")


def reach_trace(directory, trace, seed):
    """Return the features that a trace reaches with a directory's tools."""
    reached = set()
    with tempfile.TemporaryDirectory() as cwd:
        prepare(cwd, trace)
        for command in commands_for(trace, Rng(seed)):
            answer = run_command(directory, command.tool, command.arguments, cwd, command.output)
            reached |= shown_by(answer)
            if answer.status == 0:
                reached |= {("planted and read", tag) for tag in trace.tags & set(KINDS_OF_TAG)}
        if trace.expectations and all(met(directory, e, cwd) for e in trace.expectations):
            reached |= {("quirk", tag) for tag in trace.tags}
    return reached


def met(directory, expectation, cwd):
    """Return whether the tool shows what a quirk expects."""
    arguments = expectation.options + [TRACE] + expectation.arguments
    answer = run_command(directory, expectation.tool, arguments, cwd)
    return re.search(expectation.pattern, as_text(answer), re.S) is not None


def reach_job(job):
    """Return the features reached by one seed, quirk, made trace, or the command lines."""
    directory, item = job
    if item == "cli":
        return reach_command_lines(directory)
    if isinstance(item, str):
        return reach_trace(directory, make_scenario(item), 1)
    if isinstance(item, Trace):
        return reach_trace(directory, item, 1)
    return reach_trace(directory, make_trace(item), item)


def reach_command_lines(directory):
    """Return the features reached by odd command lines."""
    reached = set()
    with tempfile.TemporaryDirectory() as cwd:
        prepare(cwd, make_scenario("duplicate names show their value"))
        prepare_fixed(cwd)
        for command in command_lines():
            arguments = command.peer_arguments or command.arguments
            reached |= shown_by(run_command(directory, command.tool, arguments, cwd))
    return reached


def report(directory, count, seed, jobs):
    """Print how many inputs reach each feature; return 1 if one is never reached."""
    counts = collections.Counter()
    items = ["cli"] + scenario_names() + [trace for _, trace in message_traces()]
    items += range(seed, seed + count)
    with ProcessPoolExecutor(jobs) as pool:
        for reached in pool.map(reach_job, [(directory, item) for item in items], chunksize=8):
            counts.update(reached)
    missing = [feature for feature in features() if not counts[feature]]
    for feature in features():
        print("%7d  %-17s %s" % (counts[feature], feature[0], feature[1]))
    for group, name in missing:
        print("NOT REACHED: %s: %s" % (group, name))
    print("%d inputs, %d of %d features reached" % (
        len(items), len(features()) - len(missing), len(features())))
    return 1 if missing else 0
