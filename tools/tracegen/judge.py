"""Decides whether two answers agree, and if not, whether they are allowed to differ."""

import difflib
import re

SAME, DIFFERENT, CRASH, UNSTABLE, INTENDED = "same", "different", "crash", "unstable", "intended"
ERROR_BLOCK = re.compile(rb"^[^\n]*:\d+: ([^\n]+)\n([^\n]*)\n *\^+\n\n", re.M)
MEMORY_MESSAGES = (b"expected memory", b"expected physical memory", b"unclosed '('",
                   b"unexpected memory access size", b"unrecognised parenthesised",
                   b"expected closing paren", b"expected second word")
WIDE_VALUE = re.compile(rb"\b(?:M\w*|[RW])16\w*\s.*(?:\b(?:[0-9A-Fa-f]_*){32}\b|\s[0-9A-Fa-f]+_)")
TYPE = re.compile(rb"(?:^|\s)(M[\w.#-]*)")
UNWRITABLE = "unwritable output is an error"
NOWHERE = re.compile(r"(?:-o|--output=)?(?:nodir|none)/")
KNOWN_TYPE = re.compile(rb"M[A-Z]*[RW]\w*")
INSTRUCTION = re.compile(rb"(?:^|\s)(?:IT|IS|IF|ES)\s", re.M)
LINK = re.compile(rb"\sR\s+(?:[xwe]0*30|lr|[rxwe]0*14)(?!\d)", re.I)
EARLY_LINK = "LR written before the first instruction, in a state that the reference leaves to chance"


VCD_RUNS = 24
BYTE_ORDER = "VCD: byte order, or the state before the first instruction, that the reference leaves to chance"
CROWDED = "VCD: no file is left behind where the conversion stops"


def judge_vcd(ours, ours_big_endian, peer, again):
    """Return a reason if an answer of tarmac-vcd differs only where the reference's answer is random."""
    for _ in range(VCD_RUNS):
        if peer == ours:
            return SAME
        if peer.file and peer.file == ours_big_endian.file and peer.status == ours.status:
            return BYTE_ORDER
        if peer.status == 1 and peer.file == b"" and peer.err == ours.err and not ours.file:
            return CROWDED
        peer = again()
    return None


def judge(command, ours, peer, again):
    """Compare two answers; again() gives another answer of the peer."""
    if ours.crashed() or ours.timed_out():
        return DIFFERENT, ""
    if peer.crashed():
        return CRASH, "reference ended by signal %d" % -peer.status
    if peer.timed_out():
        return CRASH, "reference ran too long"
    if ours == peer:
        return SAME, ""
    reason = intended_reason(peer) or hidden_failure(command, ours, peer)
    if reason:
        return INTENDED, reason
    if any(again() != peer for _ in range(3)):
        return UNSTABLE, "reference gives different answers from run to run"
    return DIFFERENT, ""


def writes_link_early(trace):
    """Return whether a trace writes LR before its first instruction.

        The reference reads the instruction-set state at that moment from uninitialized memory: which
        register is LR differs from tool to tool and from one set of options to the next.
    """
    first = INSTRUCTION.search(trace)
    return bool(LINK.search(trace, 0, first.start() if first else len(trace)))


def judge_accepted(command, ours, refusal, peer):
    """Compare an answer with the refusal of the same command, and with the peer's answer to another command."""
    if ours == refusal:
        return SAME, ""
    if ours == peer:
        return INTENDED, command.intended
    return DIFFERENT, ""


def hidden_failure(command, ours, peer):
    """Return a reason if trawl reports that it cannot write, and the reference does not."""
    nowhere = any(NOWHERE.match(argument) for argument in command.arguments)
    silent = peer.status == 0 and not peer.out
    return UNWRITABLE if nowhere and silent and ours.status == 1 and ours.err else None


def intended_reason(peer):
    """Return why trawl reads a line that the reference refuses, or None."""
    for message, line in ERROR_BLOCK.findall(peer.err):
        if message.startswith(b"expected second word") and WIDE_VALUE.search(line):
            return "16-byte value in one word"
        if message.startswith(MEMORY_MESSAGES):
            kind = TYPE.search(line)
            if kind and not KNOWN_TYPE.fullmatch(kind.group(1)):
                return "unknown type beginning with M"
    return None


def describe(ours, peer, limit=24):
    """Return the first lines of a unified diff of two answers."""
    lines = list(difflib.unified_diff(
        as_text(peer), as_text(ours), "reference", "ours", lineterm="", n=1))
    cut = ["... %d more lines" % (len(lines) - limit)] if len(lines) > limit else []
    return "\n".join("    " + line[:300] for line in lines[:limit] + cut)


def as_text(answer):
    """Return an answer as lines that can be compared."""
    parts = ["status %d" % answer.status]
    for name, data in (("out", answer.out), ("err", answer.err), ("file", answer.file)):
        if data is None:
            parts.append("no %s" % name)
            continue
        text = data.decode("latin-1").replace("\r", "<CR>").replace("\0", "<NUL>")
        parts += ["%s: %s" % (name, line) for line in text.split("\n")]
    return parts
