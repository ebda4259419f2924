"""Traces with errors and warnings in them: in headers, in the middle, on the last line."""

import re

from chaos import make_chaos
from errors import MESSAGES, random_error, random_warning
from program import make_program
from sample import Trace, as_bytes, from_lines

EVENTLESS = ["Tarmac Text Rev 3t", "10 Tarmac", "R TTBR0_EL1 00000000", "R DC 1", "R pc", "R pc 1",
             "5 clk R psp 00001000", "MCR4 TRANSFER", "LD 1000 ................................",
             "R TLBI x", "12ns R elr_el1 0", "R x31 0"]
TOKEN_CHARACTERS = b"0123456789abcdefgxzAOTRMW_-.#:()<>[], \t{;*\x00\r\"=\xe9"


def base_lines(rng, limit=60):
    """Return a valid trace and its lines."""
    trace = make_program(rng, rng.between(3, limit)) if rng.chance(70) else make_chaos(rng)
    return trace, trace.data.split(b"\n")[:-1][:limit]


def finish(trace, lines, kind, end=b"\n"):
    """Put lines back into a trace."""
    trace.data = b"\n".join(lines) + end
    trace.kind = kind
    return trace


def with_time(rng, text):
    """Put a time, or nothing, before a record."""
    return as_bytes(rng.pick(["", "7 ", "99 clk ", "1.5 ", "12ns cpu1 ", "   "]) + text)


def make_error(rng):
    """A malformed line somewhere, often the last one, and often without newline."""
    trace, lines = base_lines(rng)
    message, text = random_error(rng)
    place = rng.pick([0, len(lines), rng.below(len(lines) + 1)])
    partial = rng.chance(50)
    line = with_time(rng, text)
    if partial:
        lines.append(line)
        return finish(trace, lines, "error", rng.pick([b"", b"", b"\r"]))
    lines.insert(place, line)
    return finish(trace, lines, "error")


def message_traces():
    """Return (label, trace) for every malformed line, in the middle and as a partial last line."""
    traces = []
    for message in sorted(MESSAGES):
        for number, text in enumerate(MESSAGES[message]):
            for prefix, end in (("5 clk ", b"\nP\n"), ("", b"\n"), ("\t7ns cpu0 ", b"")):
                data = from_lines(["1 clk IT (1) 8000 e1a00000 A svc : x", "Tarmac"])
                data += as_bytes(prefix + text) + end
                label = "%s %d%s" % (message, number, "" if end else " partial")
                traces.append((label, Trace(data, "message")))
    return traces


def make_headers(rng):
    """Lines without event at the start, and often warnings and an error later."""
    trace, lines = base_lines(rng)
    header = [as_bytes(rng.pick(EVENTLESS)) for _ in range(rng.between(1, 9))]
    lines = header + lines
    for _ in range(rng.pick([0, 1, 1, 2, 5])):
        lines.insert(rng.below(len(lines) + 1), with_time(rng, random_warning(rng)[1]))
    if rng.chance(40):
        lines.insert(rng.between(1, len(lines)), with_time(rng, random_error(rng)[1]))
    trace.tags.add("header lines")
    return finish(trace, lines, "headers", rng.pick([b"\n", b"\n", b"", b"\r\n"]))


def make_warnings(rng):
    """Many warnings, most of them given twice."""
    trace, lines = base_lines(rng)
    for _ in range(rng.between(1, 12)):
        lines.insert(rng.below(len(lines) + 1), with_time(rng, random_warning(rng)[1]))
    return finish(trace, lines, "warnings")


def make_mutated(rng):
    """Traces with single bytes and words changed, so that most lines are damaged in odd places."""
    trace, lines = base_lines(rng, 40)
    if rng.chance(60):
        lines = lines[:rng.between(1, len(lines))]
        lines[-1] = mutate(rng, lines[-1])
        return finish(trace, lines, "mutated", rng.pick([b"", b"", b"\n"]))
    for _ in range(rng.pick([1, 1, 2, 3])):
        place = rng.below(len(lines))
        lines[place] = mutate(rng, lines[place])
    return finish(trace, lines, "mutated", rng.pick([b"", b"\n", b"\n"]))


def mutate(rng, line):
    """Return a changed line, but never one on which the reference aborts."""
    for _ in range(20):
        changed = rng.pick(MUTATIONS)(rng, line)
        if rng.chance(30):
            changed = rng.pick(MUTATIONS)(rng, changed)
        if not crashes_reference(changed):
            return changed.replace(b"\n", b" ")
    return line


def replace_byte(rng, line):
    """Change one byte."""
    place = rng.below(len(line) + 1)
    return line[:place] + one_byte(rng) + line[place + 1:]


def insert_byte(rng, line):
    """Insert one byte."""
    place = rng.below(len(line) + 1)
    return line[:place] + one_byte(rng) + line[place:]


def delete_bytes(rng, line):
    """Remove a few bytes."""
    place = rng.below(len(line) + 1)
    return line[:place] + line[place + rng.between(1, 4):]


def cut(rng, line):
    """Truncate the line."""
    return line[:rng.below(len(line) + 1)]


def swap_words(rng, line):
    """Swap, repeat or remove words."""
    words = line.split(b" ")
    one, other = rng.below(len(words)), rng.below(len(words))
    words[one], words[other] = words[other], words[one]
    if rng.chance(40):
        words.insert(one, words[other])
    if rng.chance(30):
        del words[rng.below(len(words))]
    return b" ".join(words)


def other_record(rng, line):
    """Put a malformed record after the time of this line."""
    words = line.split(b" ")
    return b" ".join(words[:2]) + b" " + as_bytes(random_error(rng)[1])


def one_byte(rng):
    """Return a byte that is likely to matter."""
    if rng.chance(95):
        place = rng.below(len(TOKEN_CHARACTERS))
        return TOKEN_CHARACTERS[place:place + 1]
    return bytes([rng.below(256)])


MUTATIONS = [replace_byte, replace_byte, insert_byte, insert_byte, delete_bytes, cut, swap_words,
             other_record]
LONG_NUMBER = re.compile(rb"(?<![0-9A-Fa-f])0*[1-9A-Fa-f][0-9A-Fa-f]{16,}")
LONG_DECIMAL = re.compile(rb"(?<![0-9])0*[1-9][0-9]{18,}")
NO_DIGITS = re.compile(rb"(^|\s|\()\.+[0-9]*\.?[a-z]*(\s|$)")
BARE_ADDRESS = re.compile(rb"\b(IT|IS|IF)\s+[0-9A-Fa-f]+[^ ]*\s+(A|O|T|T16|T32)\b")
RANGE = re.compile(rb"R [^<]*<")


def crashes_reference(line):
    """Return whether the line may reach one of the places where the reference crashes."""
    if RANGE.search(line) and not re.search(rb"(?i)R (r[0-9]+|[vxd][0-9]+|sp\w*) *<", line):
        return True
    if re.search(rb"[RW][0-9]{4,}", line):
        return True
    patterns = (NO_DIGITS, BARE_ADDRESS)
    if any(pattern.search(line) for pattern in patterns):
        return True
    return bool((LONG_NUMBER.search(line) or LONG_DECIMAL.search(line)) and b" R " not in line)


def make_crash(rng):
    """A line that makes the reference abort (only on demand)."""
    trace, lines = base_lines(rng)
    lines.insert(rng.below(len(lines) + 1), as_bytes(rng.pick([
        "99999999999999999999 R r0 00000001", ". R r0 00000001", "..5 P", "IT 8000 A svc :",
        "MR4 10000000000000000 1", "R foo<7:0> 01", "IT (1) 8000 12345678123456781 A : x",
        "99999999999999999999999.5 P", "MR99999999999999999999 1 1"])))
    return finish(trace, lines, "crash")


def make_truncated(rng):
    """A valid trace truncated at any byte, with CRLF or without."""
    trace, lines = base_lines(rng)
    newline = rng.pick([b"\n", b"\n", b"\r\n", b"\r\r\n"])
    data = newline.join(lines) + newline
    if rng.chance(80):
        data = data[:rng.between(1, len(data))]
    trace.data, trace.kind = data, "truncated"
    return trace


def make_tiny(rng):
    """Files with almost nothing in them."""
    choices = [b"", b"\n", b"\r\n", b"\r", b"\n\n\n", b" ", b"Tarmac", b"Tarmac\n", b"P\n", b"10\n",
               b"10", b"R r0 1", b"IT", b"IT\n", b"R DC 1\n", b"E\n", b"\0", b"\0\n", b"{", b"{\n",
               b"cpu0\n", b"10 clk\n", b"10 clk E", b"IT (1) 8000 e1a00000 A svc : x",
               b"10 IT (1) 8000 e1a00000 A svc : x\n", b"R r14 00000000\n" * 3]
    data = b"".join(rng.pick(choices) for _ in range(rng.pick([1, 1, 1, 2, 3])))
    return Trace(data, "tiny")
