"""What a maker returns: the bytes of a trace and what belongs to them."""

from dataclasses import dataclass, field


@dataclass
class Expectation:
    """A tool, its options, and a pattern that its whole output must show."""

    tool: str
    pattern: str
    options: list = field(default_factory=list)
    arguments: list = field(default_factory=list)


@dataclass
class Trace:
    """A generated trace with the options it needs and the features planted in it."""

    data: bytes
    kind: str = ""
    options: list = field(default_factory=list)
    names: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    image: bytes = None
    tags: set = field(default_factory=set)
    expectations: list = field(default_factory=list)


def from_lines(lines, newline="\n"):
    """Join lines (text or bytes) into the bytes of a trace, each line ended."""
    ending = newline.encode()
    return b"".join(as_bytes(line) + ending for line in lines)


def as_bytes(line):
    """Return a line as bytes; text stands for its Latin-1 bytes."""
    return line if isinstance(line, bytes) else line.encode("latin-1")
