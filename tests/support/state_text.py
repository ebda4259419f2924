"""The state at an event according to an index, as text: for tests that store or compare answers."""

import hashlib
import re

import libtrawl

REGISTER_BYTES = 0x2314  # of the register space; lines cannot name anything after them
CELL_BYTES = 8
NEAR = 48  # bytes before and after accessed memory that are also examined
ACCESS = re.compile(rb"\b(?:M\w+|[RW]0[1248]|LD|ST)\s+(?:X\s+)?(?:\([^)]*\)\s+)?([0-9a-fA-F]{3,16})\b")


def merge(ranges):
    """Ranges [start, end) in order, without overlaps."""
    merged = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def windows_of(data):
    """Ranges of addresses around everything that the lines of a trace access."""
    touched = {int(word, 16) for word in ACCESS.findall(data)}
    return merge((max(0, at - NEAR), min(2**64, at + NEAR)) for at in touched)


def depth(index, number):
    """The number of calls that are active at an event and return later."""
    call, found = index.call_at(0, number), 0
    while call:
        found += not call.is_open
        call = None if call.parent == libtrawl.NONE else index.call(0, call.parent)
    return found


def hex_of(values, known):
    """Two digits for each byte, or dots."""
    return "".join("%02x" % value if is_known else ".." for value, is_known in zip(values, known))


def event_text(index, number, windows):
    """Everything known at an event of a trace with one lane, and which events wrote it."""
    event = index.event(number)
    lines = ["event %d line %d at %d time %d pc %#x flags %d depth %d" % (
        number, event.line, event.position, event.time, event.pc, event.flags, depth(index, number))]
    values, known = index.registers(0, number, 0, REGISTER_BYTES)
    for at in range(0, REGISTER_BYTES, CELL_BYTES):
        if any(known[at:at + CELL_BYTES]):
            written = index.register_written(0, number, libtrawl.BACKWARD, at, CELL_BYTES)
            lines.append("register %#x %s of %s" % (at, hex_of(values[at:at + CELL_BYTES], known[at:]), written))
    for start, end in windows:
        values, known = index.memory(number, start, end - start)
        for at in range(0, end - start, CELL_BYTES):
            count = min(CELL_BYTES, end - start - at)
            write = index.memory_written(number, libtrawl.BACKWARD, start + at, count)
            shown = hex_of(values[at:at + count], known[at:])
            lines.append("memory %#x %s of %s" % (start + at, shown, write and "%s %d" % (
                libtrawl.WRITE_KINDS[write.kind], write.event)))
    return "\n".join(lines) + "\n"


def state_hash(index, data):
    """A hash of what is known at every event."""
    windows = windows_of(data)
    hashed = hashlib.sha256()
    for number in range(index.info.events):
        hashed.update(event_text(index, number, windows).encode())
    return hashed.hexdigest()[:16]
