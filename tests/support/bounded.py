"""Runs programs with limits, for tests."""

import os
import signal
import subprocess


def run_bounded(command, timeout_s, stdin=b"", **options):
    """Runs a command in a separate process group. Returns its status, the output of the streams that `options` (of Popen) make pipes,
    and whether it had to be killed."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **options)
    try:
        out, err = process.communicate(stdin, timeout=timeout_s)
        return process.returncode, out, err, False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return process.returncode, out, err, True


def within(words, cpu_s=None, address_kb=None):
    """The command with limits of the system, and without core files. Setting limits in a fork of a test worker, which is large, would
    take longer than most programs."""
    limits = "ulimit -c 0" + (f" -t {cpu_s}" if cpu_s else "") + (f" -v {address_kb}" if address_kb else "")
    return ["bash", "-c", f'{limits}; exec "$@"', "-", *map(str, words)]
