"""Running a program within bounds, for tests."""

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


def within(words, cpu_s=None, address_kb=None):
    """The command within limits of the system, and without core files. A worker of tests is large: setting limits in a fork of it would
    take longer than most programs."""
    limits = "ulimit -c 0" + (f" -t {cpu_s}" if cpu_s else "") + (f" -v {address_kb}" if address_kb else "")
    return ["bash", "-c", f'{limits}; exec "$@"', "-", *map(str, words)]
