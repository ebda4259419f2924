"""Chooses a fixed sample of traces and records a directory's answers to their commands.

The format is read by tests/random/test_random.py: NAME.answers is next to NAME.tarmac (and NAME.elf), with one JSON object per line: tool,
arguments, exit status, out, err, file.
"""

import hashlib
import json
import os
import re
import tempfile

from cli import command_lines
from commands import commands_for
from coverage import features, reach_command_lines, reach_trace
from damage import message_traces
from kinds import KINDS, make_scenario, make_trace, scenario_names
from prng import Rng
from runner import prepare, prepare_fixed, run_command

TRACE_BYTES_MAX = 16000
ANSWERS_BYTES_MAX = 40000
VCD_BYTES_MAX = 100
SEEDS_MAX = 6000
QUOTAS = {"program": 16, "chaos": 16, "mutated": 12, "headers": 8, "times": 6}
QUOTA = 3
COMMAND_LINE_CASE = "command-lines"


def record(directory, target, seed, scratch):
    """Write the sample with the directory's answers; return the exit status."""
    cases = os.path.join(target, "cases")
    os.makedirs(cases, exist_ok=True)
    for name in os.listdir(cases):
        os.unlink(os.path.join(cases, name))
    count, total = 0, 0
    for name, trace, commands in chosen(directory, seed):
        total += write_case(directory, cases, name, trace, commands, scratch)
        count += 1
    print("%d traces, %d bytes" % (count, total))
    return 0


def chosen(directory, seed):
    """Yield (name, trace, commands) of all traces of the sample."""
    trace = make_scenario("duplicate names show their value")
    yield COMMAND_LINE_CASE, trace, command_lines()
    wanted = {feature for feature in features() if feature[0] != "quirk"}
    wanted -= reach_command_lines(directory)
    for name in scenario_names():
        trace = make_scenario(name)
        wanted -= reach_trace(directory, trace, 1)
        yield "quirk-" + file_name(name), trace, commands_for(trace, Rng(1))
    for label, trace in message_traces():
        fresh = reach_trace(directory, trace, 1) & wanted
        if fresh:
            wanted -= fresh
            yield "message-" + file_name(label), trace, commands_for(trace, Rng(1))[:2]
    for number, trace in chosen_seeds(directory, seed, wanted):
        yield "seed-%d-%s" % (number, trace.kind), trace, commands_for(trace, Rng(number))


def chosen_seeds(directory, seed, wanted):
    """Yield (seed, trace) until every feature is reached and every kind has its share."""
    left = {kind: QUOTAS.get(kind, QUOTA) for kind, (_, weight) in KINDS.items()
            if weight and kind not in ("quirk", "large")}
    for number in range(seed, seed + SEEDS_MAX):
        trace = make_trace(number)
        if len(trace.data) + len(trace.image or b"") > TRACE_BYTES_MAX or trace.kind not in left:
            continue
        fresh = reach_trace(directory, trace, number) & wanted
        if fresh or left[trace.kind] > 0:
            left[trace.kind] -= 1
            wanted -= fresh
            yield number, trace
        if not wanted and max(left.values()) <= 0:
            return


def file_name(text):
    """Return a text as part of a file name."""
    text = text.replace("+", "plus ").replace(" -", " minus ")
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def write_case(directory, cases, name, trace, commands, scratch):
    """Write the files of one case; return their total size in bytes."""
    with tempfile.TemporaryDirectory(dir=scratch) as cwd:
        prepare(cwd, trace)
        if name == COMMAND_LINE_CASE:
            prepare_fixed(cwd)
        answers = answer_lines(directory, commands, cwd)
    parts = {".tarmac": trace.data, ".elf": trace.image, ".answers": answers}
    for suffix, data in parts.items():
        if data is not None:
            with open(os.path.join(cases, name + suffix), "wb") as file:
                file.write(data)
    return sum(len(data) for data in parts.values() if data is not None)


def answer_lines(directory, commands, cwd):
    """Return the answers to all commands, except those that are too long to keep."""
    lines, seen = [], set()
    for command in commands:
        key = (command.tool, tuple(command.arguments))
        if key in seen:
            continue
        seen.add(key)
        line = answer_line(directory, command, cwd)
        if len(line) <= ANSWERS_BYTES_MAX:
            lines.append(line)
    return b"".join(lines)


def answer_line(directory, command, cwd):
    """Return the answer to one command as a line of JSON."""
    answer = run_command(directory, command.tool, command.arguments, cwd, command.output)
    fields = {"tool": command.tool, "arguments": command.arguments, "status": answer.status}
    for field, data in (("out", answer.out), ("err", answer.err), ("file", answer.file)):
        if data:
            fields[field] = data.decode("latin-1")
    if command.output:
        fields["output"] = command.output
    if command.tool == "vcd" and answer.file and len(answer.file) > VCD_BYTES_MAX:
        del fields["file"]
        fields["file_sha256"] = hashlib.sha256(answer.file).hexdigest()
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"
