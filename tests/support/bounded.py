"""Running a program with a bound on its time, for the test drivers."""

import os
import signal
import subprocess


def run_bounded(command, timeout_s, stdin=b"", **options):
    """Runs a command in a process group of its own; returns its status, what it wrote to the streams
    that `options` (those of Popen) make pipes, and whether it had to be killed."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **options)
    try:
        out, err = process.communicate(stdin, timeout=timeout_s)
        return process.returncode, out, err, False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return process.returncode, out, err, True
