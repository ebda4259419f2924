"""Runs every command where no process, and so no thread, may be added: RLIMIT_NPROC, which does not bind root, as another user, and
pids.max of a cgroup. The kernel then has no thread for writes by io_uring, either. A command gives the same answer as elsewhere, or ends
with a message; none waits for ever.

    tests/run.py no_process
"""

import os
import subprocess
import tempfile
from pathlib import Path

import faces
import pytest
import test_faults
import test_memory
from bounded import run_bounded

TIMEOUT_S = 60
NOBODY = 65534
LARGE = "large"  # an index of this trace takes several buffers
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "prlimit", "--nproc=0"]
CGROUPS = [Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup")]
COMMANDS = [command for command in dict.fromkeys(map(tuple, test_memory.COMMANDS + test_memory.FACES)) if len(command) > 1]
OF_LARGE = [
    ("trawl", "index", "@large", "--index", "@out"),
    ("trawl", "index", "@large", "--index", "@out", "--threads", "1"),
    ("trawl", "index", "@large", "--index", "@out", "--max-memory", "100M"),
    ("trawl", "index", "@large", "--index", "@out", "--shard", "1/2"),
    ("trawl", "state", "@large", "--at", "end", "--memory-index"),
    ("trawl", "vcd", "@large", "-o", "@out"),
]


def fault_of(command, whole, ending):
    if ending.status == "no end":
        return "no end"
    if faces.is_face(command):
        return faces.fault_of_face(command, whole, ending)
    if (ending.status, ending.out, ending.file) != (whole.status, whole.out, whole.file):
        return f"status {ending.status}"
    return None


class Place(test_memory.Place):
    def prepare(self):
        super().prepare()
        self.path(LARGE).write_bytes(test_faults.trace_of_values(100_000))


@pytest.fixture(scope="module")
def place(prefix):
    if os.geteuid() != 0:
        pytest.skip("needs to be root, to become another user")
    for made in test_memory.place_of(Place, prefix):
        made.programs.chmod(0o755)
        made.directory.chmod(0o777)
        for path in made.directory.iterdir():
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)  # only their owner can tell whether another process writes them
        program = made.programs / "trawl"
        if subprocess.run([*AS_NOBODY, "test", "-x", program, "-a", "-r", made.path("corpus"), "-a", "-r", made.path("t")], check=False).returncode:
            pytest.skip("needs a tree that others may read")
        yield made


@pytest.mark.parametrize("command", COMMANDS + OF_LARGE, ids=" ".join)
def test_command(place, checker, monkeypatch, command):
    """With io_uring, although only larger files are written by it unless it is asked for."""
    command = list(command)
    whole = place.run(command)
    files = os.listdir(place.directory)
    monkeypatch.setenv("TRAWL_IO", "uring")
    monkeypatch.setattr(place, "before", AS_NOBODY)
    ending = place.run(command)
    fault = fault_of(command, whole, ending)
    checker.no_fault(" ".join(command), fault and (fault, ending.err[:300]))
    left = test_memory.left_behind(place, files)
    checker.expect(f"{' '.join(command)}: left", left, [])


@pytest.fixture
def cgroup():
    """A cgroup whose only process may not add another one."""
    for parent in CGROUPS:
        try:
            group = Path(tempfile.mkdtemp(dir=parent, prefix="trawl-"))
        except OSError:
            continue
        if (group / "pids.max").exists():
            (group / "pids.max").write_text("1")
            yield group
            group.rmdir()
            return
        group.rmdir()
    pytest.skip("needs a cgroup with a limit of processes")


def test_pids_max(place, cgroup, checker):
    for io in ("", "uring"):
        place.path("out").unlink(missing_ok=True)
        words = ["bash", "-c", 'echo $$ > "$0"; exec "$@"', cgroup / "cgroup.procs", place.programs / "trawl",
                 "index", "-q", place.path(LARGE), "--index", place.path("out")]  # fmt: skip
        status, _, err, killed = run_bounded(words, TIMEOUT_S, stderr=subprocess.PIPE, env={**os.environ, "TRAWL_IO": io})
        checker.expect(f"index {io}", (status, killed, err), (0, False, b""))
