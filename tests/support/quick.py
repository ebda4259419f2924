"""Runs a program many times without loading it each time: it is loaded once, with tests/support/fork_server.c, and each run is a fork of
it that begins with main. Loading trawl takes several times as long as most test runs. If that library cannot be used (static programs,
programs with sanitizers), the program is started as usual.
"""

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

TIMEOUT_S = 60
GREETING = b"fork"
REQUEST = struct.Struct("=5I")
ANSWER = struct.Struct("=iIIIQ")
# These variables are read before main, so they are the same in all runs of a server.
OF_LOADING = ("LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_CONF")

used_s = 0.0  # of processor time, for all runs of servers
library, servers = None, {}


def use(path):
    """Sets the path of the library. Before that, or without a library, every program is started as usual."""
    global library
    library = path if path.exists() else None


class TellPipe:
    """A pipe that a program inherits as `theirs`. After the `with`, `told` is what was written to it."""

    def __enter__(self):
        self.ours, self.theirs = os.pipe()
        return self

    def __exit__(self, *_):
        os.close(self.theirs)
        with os.fdopen(self.ours, "rb") as ours:
            self.told = ours.read()


class Server:
    """A loaded program, whose runs use the part of `environment` that affects loading. `is_there`: it answers."""

    def __init__(self, program, environment):
        loading = {name: environment[name] for name in OF_LOADING if name in environment}
        loading["LD_PRELOAD"] = ":".join(filter(None, [str(library), loading.get("LD_PRELOAD")]))
        self.process = subprocess.Popen([program], env=loading, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)  # fmt: skip
        self.is_there = self.process.stdout.read(len(GREETING)) == GREETING
        if not self.is_there:
            self.end()

    def end(self):
        self.process.communicate()

    def run(self, words, directory, environment, given, timeout_s, is_told=False):
        """Like run_told(); without `is_told`, descriptor 3 is closed."""
        global used_s
        variables = [b"%b=%b" % (os.fsencode(name), os.fsencode(value)) for name, value in environment.items() if name != "LD_PRELOAD"]
        body = b"\0".join([os.fsencode(os.path.abspath(directory or ".")), *map(os.fsencode, words), *variables, given])
        head = REQUEST.pack(REQUEST.size - 4 + len(body), timeout_s, 2 + is_told, len(words), len(variables))
        self.process.stdin.write(head + body)
        self.process.stdin.flush()
        status, *sizes, used_us = ANSWER.unpack(self.process.stdout.read(ANSWER.size))
        used_s += used_us / 1e6
        out, err, told = (self.process.stdout.read(size) for size in sizes)
        if status == -1:
            raise subprocess.TimeoutExpired(words, timeout_s, out, err)
        done = subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), out, err)
        done.told = told
        return done


def server_of(program, environment):
    """The server that was loaded with this environment, or None."""
    path = os.path.realpath(program)
    if not library or not Path(path).is_relative_to(library.parent.parent):
        return None
    key = (path, *map(environment.get, OF_LOADING))
    if key not in servers:
        servers[key] = Server(key[0], environment)
    return servers[key] if servers[key].is_there else None


def end_servers():
    for server in servers.values():
        if server.is_there:
            server.end()
    servers.clear()


def run(words, cwd=None, env=None, input=None, timeout=TIMEOUT_S, text=False, check=False):  # noqa: A002
    """Like subprocess.run with capture_output; standard input is `input`, or empty."""
    words = [os.fspath(word) for word in words]
    given = (input.encode() if text else input) if input else b""
    server = server_of(words[0], env or os.environ)
    if server:
        done = server.run(words, cwd, env or os.environ, given, timeout)
    else:
        done = subprocess.run(words, cwd=cwd, env=env, input=given, timeout=timeout, capture_output=True)
    if text:
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    if check:
        done.check_returncode()
    return done


def answer(words, timeout_s, stdin=b"", cwd=None, env=None):
    """Status, standard output and standard error of a run, and whether it was killed because it took too long."""
    try:
        done = run(words, cwd, env, stdin, timeout_s)
    except subprocess.TimeoutExpired as late:
        return -signal.SIGKILL, late.stdout or b"", late.stderr or b"", True
    return done.returncode, done.stdout, done.stderr, False


# Prints the most memory, in KB, that a program had, and ends with its status. What starts a program is to be small
# itself: the system counts what the program's process had before as well.
MEASURE = """
import os, resource, sys
ended = os.waitstatus_to_exitcode(os.waitpid(os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:]), 0)[1])
os.write(int(sys.argv[1]), b"%d" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(ended if ended >= 0 else 128 - ended)
"""


def run_measured(words, cwd, timeout=TIMEOUT_S, env=None):
    """As run() without input, of a new process; `peak_bytes` of what is returned is the most memory that it touched.

    A limit of the system on memory (ulimit -d) would count what the allocator keeps in reserve as well."""
    with TellPipe() as pipe:
        done = subprocess.run([sys.executable, "-SEc", MEASURE, str(pipe.theirs), *words], cwd=cwd, env=env, timeout=timeout,
                              pass_fds=[pipe.theirs], stdin=subprocess.DEVNULL, capture_output=True)  # fmt: skip
    done.peak_bytes = int(pipe.told) * 1024
    return done


def run_told(words, cwd, env, variable, timeout):
    """Like run() without input. `told` of the result is what was written to a descriptor that is passed in `variable`."""
    server = server_of(words[0], env)
    if server:
        return server.run(words, cwd, {**env, variable: "3"}, b"", timeout, True)
    with TellPipe() as pipe:
        done = subprocess.run(words, cwd=cwd, env={**env, variable: str(pipe.theirs)}, pass_fds=[pipe.theirs], timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True)  # fmt: skip
    done.told = pipe.told
    return done
