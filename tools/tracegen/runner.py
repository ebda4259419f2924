"""Runs a tool on the files of a scratch directory and keeps its answer."""

import os
import re
import subprocess
from dataclasses import dataclass

from commands import IMAGE, TRACE

TIMEOUT_S = 60
TIMED_OUT = 999
# The reference ignores --index; trawl makes the index and then reports from it.
INDEX_TALK = re.compile(rb"(?m)^(?:Ignoring index file name since|index file \S+) .*\n")


@dataclass
class Answer:
    """The answer of a tool: exit status, both streams, and its output file if it has one."""

    status: int
    out: bytes
    err: bytes
    file: bytes = None

    def crashed(self):
        """Return whether a signal ended the tool."""
        return self.status < 0

    def timed_out(self):
        """Return whether the tool was stopped after the time limit."""
        return self.status == TIMED_OUT


def run_command(directory, tool, arguments, cwd, output=None, piped=b""):
    """Run one tool of a directory, with `piped` on standard input, and return its answer."""
    path = os.path.join(cwd, output) if output else None
    if path and os.path.exists(path):
        os.unlink(path)
    if "--show-progress-meter" in arguments:
        replace_file(os.path.join(cwd, "x.index"), None)  # the meter shows progress on the trace, not on an index
    program = os.path.join(directory, "tarmac-" + tool)
    try:
        done = subprocess.run([program] + arguments, cwd=cwd, input=piped, capture_output=True,
                              close_fds=False, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return Answer(TIMED_OUT, b"", b"timeout after %d s" % TIMEOUT_S)
    err = done.stderr
    if any(argument.startswith("--index") for argument in arguments):
        err = INDEX_TALK.sub(b"", err)
    return Answer(done.returncode, done.stdout, err, read_optional(path))


def read_optional(path):
    """Return the bytes of a file, or None if there is none."""
    if not path or not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def prepare(cwd, trace):
    """Write a trace and its image into the scratch directory."""
    replace_file(os.path.join(cwd, TRACE), trace.data)
    replace_file(os.path.join(cwd, IMAGE), trace.image)


def prepare_fixed(cwd):
    """Make the files that command lines use in addition to trace and image."""
    os.makedirs(os.path.join(cwd, "dir"), exist_ok=True)
    replace_file(os.path.join(cwd, "empty"), b"")


def replace_file(path, data):
    """Write a file, replacing an old one, or remove it if there is no data."""
    if os.path.lexists(path):
        os.unlink(path)
    if data is not None:
        with open(path, "wb") as file:
            file.write(data)
