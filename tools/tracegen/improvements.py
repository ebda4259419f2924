"""Traces that trawl reads and the reference does not, each with a trace that both read in the same way."""

from dataclasses import dataclass

from commands import TOOLS, TRACE, VCD_FILE
from quirks import arm, call_lines
from runner import Answer, prepare, run_command
from sample import Trace, from_lines


@dataclass
class Improvement:
    """Two traces that must give the same report: the first by trawl, the second by the reference."""

    name: str
    ours: bytes
    peer: bytes
    through_pipe: bool = False


def replaced(name, ours_line, peer_line):
    """Return an improvement on a single line within a call.

        Blanks make both lines equally long: callinfo prints positions in the file.
    """
    length = max(len(ours_line), len(peer_line))

    def trace(line):
        return from_lines(call_lines(["r14 00008008"], between=[padded(line, length)]))
    return Improvement(name, trace(ours_line), trace(peer_line))


def padded(line, length):
    """Return a line of the given length, with blanks added after its time."""
    return line.replace(" clk ", " clk" + " " * (length - len(line) + 1), 1)


def improvements():
    """Return all improvements that can be compared this way."""
    plain = from_lines(call_lines(["r14 00008008"]) + [arm(50, 0x800C)])
    two_words = "25 clk MW16 1000 0011223344556677 8899aabbccddeeff"
    return [
        replaced("16-byte value in one word",
                 "25 clk MW16 1000 00112233445566778899aabbccddeeff", two_words),
        replaced("underscores in both words",
                 "25 clk MR16 1000 00112233_44556677 8899aabb_ccddeeff",
                 two_words.replace("MW", "MR")),
        replaced("underscore between the halves",
                 "25 clk MR16 1000 0011223344556677_8899aabbccddeeff",
                 two_words.replace("MW", "MR")),
        replaced("unknown type beginning with M", "25 clk MODE svc", "25 clk NODE svc"),
        Improvement("trace from a pipe", plain, plain, True),
    ]


def check_improvement(ours, peer, improvement, cwd):
    """Yield (tool, our answer, the reference's answer), without the parts that differ in any case."""
    for tool in TOOLS:
        extra = {"callinfo": ["0x8000", "0x9000"], "vcd": ["--no-date"]}.get(tool, [])
        output = VCD_FILE if tool == "vcd" else None
        if improvement.through_pipe and tool == "vcd":
            continue  # vcd reads the trace twice
        prepare(cwd, Trace(improvement.peer))
        theirs = run_command(peer, tool, [TRACE] + extra, cwd, output)
        prepare(cwd, Trace(improvement.ours))
        if improvement.through_pipe:
            found = run_command(ours, tool, ["/dev/stdin"] + extra, cwd, piped=improvement.ours)
        else:
            found = run_command(ours, tool, [TRACE] + extra, cwd, output)
        yield tool, without_messages(found), without_messages(theirs)


def without_messages(answer):
    """Return an answer without standard error, where names may differ."""
    return Answer(answer.status, answer.out, b"", answer.file)
