"""The return value of a maker: the bytes of a trace and what belongs to it."""

from dataclasses import dataclass, field


@dataclass
class Expectation:
    """A tool, its options, and a pattern that its whole output must contain."""

    tool: str
    pattern: str
    options: list = field(default_factory=list)
    arguments: list = field(default_factory=list)


@dataclass
class Trace:
    """A generated trace with the options that it needs and the features put into it."""

    data: bytes
    kind: str = ""
    options: list = field(default_factory=list)
    names: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    image: bytes = None
    tags: set = field(default_factory=set)
    expectations: list = field(default_factory=list)


def from_lines(lines, newline="\n"):
    """Join lines (text or bytes) into the bytes of a trace, each with a newline."""
    ending = newline.encode()
    return b"".join(as_bytes(line) + ending for line in lines)


def as_bytes(line):
    """Return a line as bytes; text is encoded in Latin-1."""
    return line if isinstance(line, bytes) else line.encode("latin-1")
