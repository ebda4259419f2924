"""The commands that are run on a trace: tools, options, functions to ask for."""

import re
from dataclasses import dataclass, field

TRACE, IMAGE, OUTPUT = "t.tarmac", "i.elf", "out.txt"
CALL_TOOLS = ["callinfo", "calltree", "profile", "flamegraph"]
TOOLS = CALL_TOOLS + ["vcd"]
VCD_FILE = TRACE + ".vcd"
ADDRESS = re.compile(rb"(?:IT|IS|IF|ES) (?:\(\d+\) )?\(?([0-9A-Fa-f]{1,16})")
COMMON_OPTIONS = [
    ["--li"], ["--bi"], ["--implicit-thumb"], ["-v"], ["-q"], ["--show-progress-meter"],
    ["--index=x.index"], ["--index="], ["--debug=call_heuristics"], ["--debug=list"],
    ["--load-offset=0x100"], ["--load-offset", "-16"], ["--verbose", "--quiet"], ["-vq"],
    ["--show-progress-meter", "-q"], ["-q", "--show-progress-meter"]]


@dataclass
class Command:
    """A tool with its arguments; if the peer refuses them, also the arguments with the same meaning for the peer."""

    tool: str
    arguments: list
    peer_arguments: list = None
    intended: str = None
    output: str = None
    tags: set = field(default_factory=set)

    def text(self):
        """Return the command as one line."""
        return "tarmac-%s %s" % (self.tool, " ".join(quoted(a) for a in self.arguments))


def quoted(argument):
    """Return an argument so that a shell reads it back unchanged."""
    return argument if re.fullmatch(r"[\w./=:,+-]+", argument) else "'%s'" % argument


def commands_for(trace, rng):
    """Return the commands for a trace that may have an image."""
    commands = plain_commands(trace, rng)
    if trace.image is not None:
        commands += image_commands(trace, rng)
    for _ in range(2):
        commands.append(random_command(trace, rng))
    for expectation in trace.expectations:
        commands.append(Command(expectation.tool,
                                expectation.options + [TRACE] + expectation.arguments))
    return commands + vcd_commands(trace, rng)


def vcd_commands(trace, rng):
    """Return conversions with counted and with real times, with and without the image."""
    options = [[], ["--use-tarmac-timestamps"]]
    if trace.image is not None:
        for given in options:
            given += rng.pick([[], ["--image=" + IMAGE], ["--image=" + IMAGE, "--no-offsets"]])
    options[rng.between(0, 1)] += rng.pick([[], ["--li"], ["--bi"], ["--show-progress-meter"]])
    named = rng.pick([["-o", OUTPUT], ["-o" + OUTPUT], ["--output=" + OUTPUT]])
    return [
        Command("vcd", trace.options + ["--no-date"] + options[0] + [TRACE], output=VCD_FILE),
        Command("vcd", trace.options + options[1] + [TRACE, "--no-date"] + named, output=OUTPUT),
    ]


def plain_commands(trace, rng):
    """Return a command of each tool, with only the options that the trace needs."""
    needed = trace.options
    tree = ["--debug=call_heuristics"] if rng.chance(60) else []
    meter = ["--show-progress-meter"] if rng.chance(30) else []
    return [
        Command("calltree", needed + tree + meter + [TRACE]),
        Command("profile", needed + [TRACE]),
        Command("flamegraph", needed + [TRACE]),
        Command("callinfo", needed + [TRACE] + questions(trace, rng)),
    ]


def image_commands(trace, rng):
    """Return commands of each tool with the image, some with further options."""
    given = trace.options + ["--image=" + IMAGE]
    short = ["--no-offsets"] if rng.chance(50) else []
    offset = ["--load-offset=%d" % rng.pick([4, 0x100, -0x20])] if rng.chance(40) else []
    return [
        Command("calltree", given + short + [TRACE]),
        Command("profile", given + short + [TRACE]),
        Command("flamegraph", given + short + offset + [TRACE]),
        Command("callinfo", given + offset + [TRACE] + questions(trace, rng)),
    ]


def random_command(trace, rng):
    """Return a tool with random options before and after the trace."""
    tool = rng.pick(CALL_TOOLS)
    before, behind = list(trace.options), []
    for _ in range(rng.between(1, 3)):
        (before if rng.chance(60) else behind).extend(rng.pick(COMMON_OPTIONS))
    if trace.image is not None and rng.chance(60):
        before.extend(rng.pick([["--image=" + IMAGE], ["--image", IMAGE]]))
    if tool != "callinfo" and rng.chance(30):
        behind.append("--no-offsets")
    command = Command(tool, before + [TRACE] + behind)
    if tool == "flamegraph" and rng.chance(60):
        command.output = OUTPUT
        command.arguments += rng.pick([["-o", OUTPUT], ["-o" + OUTPUT], ["--output=" + OUTPUT],
                                       ["--output", OUTPUT]])
    if tool == "callinfo":
        command.arguments += questions(trace, rng)
    return command


def questions(trace, rng):
    """Return functions for callinfo: addresses of the trace, names, and unknown ones."""
    found = ADDRESS.findall(trace.data[:20000])
    addresses = ["0x%x" % int(rng.pick(found), 16) for _ in range(3)] if found else []
    asked = addresses + [name for name in trace.names[:5] if not name.startswith("-")]
    asked += [rng.pick(["0x6", "0x6", "0x2", "0x7", "0x0"])]
    asked += [rng.pick(["unknown", "0xdeadbeef", "0x", "0X8000", "8000", "0x8001", "main", ""])]
    return asked
