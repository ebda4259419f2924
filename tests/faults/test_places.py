"""Checks where trawl writes, and with which permissions: nobody's link leads it elsewhere, no file of another user is lost, an index is
no more public than its trace, and nothing is left when a command is interrupted or cannot write.

    tests/run.py places [-k TEXT]

Tests that need another user are skipped unless we are root.
"""

import os
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from bounded import run_bounded

ROOT = Path(__file__).resolve().parents[2]

TIMEOUT_S = 60
NOBODY, OTHER = 65534, 65533
TRACE = "".join(f"{i} clk IT ({i}) {0x8000 + 4 * (i % 64):08x} e1a00000 A svc_s : NOP\n" for i in range(1, 400))
VICTIM = "precious\n"


def demand(condition, text):
    if not condition:
        raise AssertionError(text)


def need_root():
    if os.geteuid() != 0:
        pytest.skip("needs to be root")


class Scratch:
    """A directory with a trace t.tarmac."""

    def __init__(self, directory, programs):
        self.directory = Path(directory)
        self.programs = programs
        self.trace = self.directory / "t.tarmac"
        self.trace.write_text(TRACE)
        self.directory.chmod(0o755)

    def run(self, *arguments, user=None, groups=(), umask=0o022, env=None, preload=None):
        """Runs trawl in the directory. Returns its status and its messages on standard error."""

        def become():
            os.umask(umask)
            if user is not None:
                os.setgroups(list(groups))
                os.setgid(user)
                os.setuid(user)

        environment = dict(os.environ, **(env or {}))
        status, _, err, killed = run_bounded(
            [str(self.programs / "trawl"), *map(str, arguments)],
            TIMEOUT_S,
            cwd=self.directory,
            env=environment,
            preexec_fn=become,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        demand(not killed, f"no end of {arguments}")
        return status, err.decode(errors="replace")

    def ask(self, *options, **how):
        return self.run("state", "--at", "end", "t.tarmac", "-o", "/dev/null", *options, **how)

    def make_sticky(self, mode=0o1777):
        self.directory.chmod(mode)

    def make_victim(self, name="victim"):
        """A file that another user wants us to replace, in a directory where only we may write."""
        home = self.directory / "home"
        home.mkdir(exist_ok=True)
        victim = home / name
        victim.write_text(VICTIM)
        return victim

    def plant(self, name, target, user=NOBODY):
        path = self.directory / name
        os.symlink(target, path)
        os.lchown(path, user, user)
        return path

    def names(self):
        return sorted(path.name for path in self.directory.iterdir())


@pytest.fixture(scope="module")
def common_programs(programs):
    """The programs in a directory where every user may run them."""
    with tempfile.TemporaryDirectory(prefix="trawl-programs-") as directory:
        os.chmod(directory, 0o755)
        shutil.copy(programs / "trawl", directory)
        yield Path(directory)


@pytest.fixture
def scratch(common_programs, place):
    return Scratch(place, common_programs)


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


# --- Links and files of others ----------------------------------------------------------------------


def test_output_leaves_planted_link(scratch):
    need_root()
    scratch.make_sticky()
    victim = scratch.make_victim()
    scratch.plant("out", victim)
    status, err = scratch.run("profile", "t.tarmac", "-o", "out")
    demand(victim.read_text() == VICTIM, "the victim was replaced")
    demand(status == 1 and "another user" in err, f"{status}: {err}")
    demand(os.path.islink(scratch.directory / "out"), "the link is gone")


def test_output_leaves_planted_link_to_nothing(scratch):
    need_root()
    scratch.make_sticky()
    target = scratch.make_victim().with_name("new")
    scratch.plant("out", target)
    status, _ = scratch.run("profile", "t.tarmac", "-o", "out")
    demand(status == 1 and not target.exists(), f"{status}, made: {target.exists()}")


def test_output_leaves_planted_directory(scratch):
    need_root()
    scratch.make_sticky()
    victim = scratch.make_victim()
    scratch.plant("dir", victim.parent)
    status, _ = scratch.run("profile", "t.tarmac", "-o", "dir/victim")
    demand(status == 1 and victim.read_text() == VICTIM, f"{status}: {victim.read_text()[:20]!r}")


def test_output_leaves_planted_file(scratch):
    need_root()
    scratch.make_sticky()
    planted = scratch.directory / "out"
    planted.write_text(VICTIM)
    planted.chmod(0o666)
    os.chown(planted, NOBODY, NOBODY)
    for user in (None, OTHER):
        status, _ = scratch.run("profile", "t.tarmac", "-o", "out", user=user)
        demand(status == 1 and planted.read_text() == VICTIM, f"user {user}: {status}")


def test_output_leaves_planted_fifo(scratch):
    need_root()
    scratch.make_sticky()
    planted = scratch.directory / "out"
    os.mkfifo(planted, 0o666)
    os.chown(planted, NOBODY, NOBODY)
    reader = os.open(planted, os.O_RDONLY | os.O_NONBLOCK)
    status, _ = scratch.run("profile", "t.tarmac", "-o", "out")
    got = os.read(reader, 100)
    os.close(reader)
    demand(status == 1 and got == b"", f"{status}: {got!r}")


def test_output_follows_own_links(scratch):
    victim = scratch.make_victim()
    scratch.make_sticky()
    os.symlink("home/victim", scratch.directory / "out")
    os.symlink("home", scratch.directory / "dir")
    for name in ("out", "dir/victim"):
        victim.write_text(VICTIM)
        status, err = scratch.run("profile", "t.tarmac", "-o", name)
        demand(status == 0 and victim.read_text() != VICTIM, f"{name}: {status}: {err}")
    demand(os.path.islink(scratch.directory / "out"), "the link is gone")


def test_output_follows_links_where_nobody_else_writes(scratch):
    need_root()
    victim = scratch.make_victim()
    scratch.plant("out", victim)  # by a user to whom the directory's owner allows it
    status, err = scratch.run("profile", "t.tarmac", "-o", "out")
    demand(status == 0 and victim.read_text() != VICTIM, f"{status}: {err}")


def test_output_follows_links_of_the_owner(scratch):
    need_root()
    scratch.make_sticky()
    os.chown(scratch.directory, NOBODY, NOBODY)
    victim = scratch.make_victim()
    scratch.plant("out", victim)
    status, err = scratch.run("profile", "t.tarmac", "-o", "out")
    demand(status == 0 and victim.read_text() != VICTIM, f"{status}: {err}")


def test_output_goes_to_standard_output(scratch):
    """By its name in /dev: a pipe, and a file in /tmp that another process has opened for us."""
    programs = str(scratch.programs / "trawl")
    command = [programs, "profile", "t.tarmac", "-o", "/dev/stdout"]
    plain = subprocess.run(command[:3], cwd=scratch.directory, capture_output=True, timeout=TIMEOUT_S).stdout
    piped = subprocess.run(command, cwd=scratch.directory, capture_output=True, timeout=TIMEOUT_S)
    demand(piped.returncode == 0 and piped.stdout == plain, f"pipe: {piped}")
    scratch.make_sticky()
    given = scratch.directory / "given"
    given.write_text("")
    if os.geteuid() == 0:
        os.chown(given, NOBODY, NOBODY)
    with open(given, "wb") as file:
        done = subprocess.run(command, cwd=scratch.directory, stdout=file, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
    demand(done.returncode == 0 and given.read_bytes() == plain, f"file: {done}")


def test_output_to_a_directory_fails(scratch):
    (scratch.directory / "d").mkdir()
    for name in ("d", "d/", ".", "/", "missing/", "missing/x", "t.tarmac/x"):
        status, err = scratch.run("profile", "t.tarmac", "-o", name)
        demand(status == 1 and name in err, f"{name}: {status}: {err}")
    demand(scratch.names() == ["d", "t.tarmac"] and scratch.trace.read_text() == TRACE, scratch.names())


def test_index_leaves_planted_link(scratch):
    need_root()
    scratch.make_sticky()
    for content in (VICTIM, ""):
        victim = scratch.make_victim()
        victim.write_text(content)
        link = scratch.plant("t.tarmac.index", victim)
        status, err = scratch.run("index", "t.tarmac")
        demand(victim.read_text() == content, "the victim was replaced")
        demand(status == 0 and (scratch.directory / "t.tarmac.trawl").exists(), f"{status}: {err}")
        (scratch.directory / "t.tarmac.trawl").unlink()
        status, err = scratch.run("index", "--index", "t.tarmac.index", "t.tarmac")
        demand(status == 1 and victim.read_text() == content, f"named: {status}: {err}")
        link.unlink()


def test_index_leaves_planted_link_to_nothing(scratch):
    need_root()
    scratch.make_sticky()
    target = scratch.make_victim().with_name("new")
    scratch.plant("t.tarmac.index", target)
    status, err = scratch.run("index", "t.tarmac")
    demand(status == 0 and not target.exists(), f"{status}: {err}, made: {target.exists()}")


def test_question_leaves_planted_links(scratch):
    need_root()
    scratch.make_sticky()
    victim = scratch.make_victim()
    victim.write_text("")
    for name in ("t.tarmac.index", "t.tarmac.trawl"):
        scratch.plant(name, victim)
    status, err = scratch.ask()
    demand(status == 0 and victim.read_text() == "", f"{status}: {err}")


def test_index_that_fits_is_read_whoever_made_it(scratch):
    need_root()
    scratch.make_sticky()
    demand(scratch.run("index", "t.tarmac")[0] == 0, "no index")
    os.chown(scratch.directory / "t.tarmac.index", NOBODY, NOBODY)
    os.chown(scratch.directory, OTHER, OTHER)
    _, err = scratch.ask("-v")
    demand("looks ok; using it" in err, err)


# --- Files that do not show what they belong to ------------------------------------------------------


def test_index_leaves_what_it_cannot_read(scratch):
    need_root()
    scratch.directory.chmod(0o777)
    foreign = scratch.directory / "t.tarmac.index"
    foreign.write_text(VICTIM)
    foreign.chmod(0o222)
    status, err = scratch.run("index", "t.tarmac", user=NOBODY)
    demand(foreign.exists() and foreign.read_text() == VICTIM, "it was replaced")
    demand(status == 0 and (scratch.directory / "t.tarmac.trawl").exists(), f"{status}: {err}")
    status, err = scratch.run("index", "--index", "t.tarmac.index", "t.tarmac", user=NOBODY)
    demand(status == 1 and "cannot be read" in err and foreign.read_text() == VICTIM, f"named: {status}: {err}")
    status, err = scratch.run("index", "--force-index", "--index", "t.tarmac.index", "t.tarmac", user=NOBODY)
    demand(status == 1 and foreign.read_text() == VICTIM, f"forced: {status}: {err}")
    (scratch.directory / "t.tarmac.trawl").unlink()
    status, err = scratch.ask(user=NOBODY)
    demand(status == 0 and foreign.read_text() == VICTIM, f"question: {status}: {err}")


def test_index_whose_reading_fails_stays_alone(scratch):
    """The memory of a process has nothing at 0, where a file begins: reading fails."""
    link = scratch.directory / "t.tarmac.index"
    os.symlink("/proc/self/mem", link)
    status, err = scratch.run("index", "t.tarmac")
    demand(status == 1 and "Input/output error" in err, f"{status}: {err}")
    status, err = scratch.ask()
    demand(status == 0, f"question: {status}: {err}")
    status, err = scratch.run("profile", "t.tarmac", "-o", "/dev/null")
    demand(status == 0, f"report: {status}: {err}")
    demand(scratch.names() == ["t.tarmac", "t.tarmac.index"], scratch.names())


# --- Permissions -------------------------------------------------------------------------------------


def test_index_has_the_rights_of_its_trace(scratch):
    index = scratch.directory / "t.tarmac.index"
    for mode in (0o600, 0o640, 0o644, 0o664, 0o660, 0o604, 0o444, 0o400):
        for umask in (0o022, 0o077, 0):
            scratch.trace.chmod(mode)
            status, err = scratch.run("index", "--force-index", "t.tarmac", umask=umask)
            demand(status == 0, err)
            demand(mode_of(index) == mode | 0o200, f"{mode:o} gives {mode_of(index):o}, umask {umask:o}")


def test_index_takes_rights_away(scratch):
    """The older index had more permissions than its trace."""
    index = scratch.directory / "t.tarmac.index"
    demand(scratch.run("index", "t.tarmac")[0] == 0, "no index")
    index.chmod(0o666)
    scratch.trace.chmod(0o640)
    demand(scratch.run("index", "--force-index", "t.tarmac")[0] == 0, "no index")
    demand(mode_of(index) == 0o640, f"{mode_of(index):o}")


def test_index_has_the_group_of_its_trace(scratch):
    need_root()
    index = scratch.directory / "t.tarmac.index"
    scratch.directory.chmod(0o777)
    os.chown(scratch.trace, NOBODY, 12345)
    # mode of the trace, user, additional groups; group and mode of the index
    for mode, user, groups, group, wanted in (
        (0o640, None, (), 12345, 0o640),
        (0o640, NOBODY, (12345,), 12345, 0o640),
        (0o640, NOBODY, (), NOBODY, 0o600),
        (0o644, OTHER, (), OTHER, 0o644),
        (0o664, OTHER, (), OTHER, 0o644),
        (0o604, OTHER, (), OTHER, 0o600),
        (0o606, OTHER, (12345,), 12345, 0o606),
    ):
        scratch.trace.chmod(mode)
        if user == OTHER and 12345 in groups:
            os.chown(scratch.trace, OTHER, 12345)
        status, err = scratch.run("index", "t.tarmac", user=user, groups=groups)
        demand(status == 0, f"{mode:o}, {user}: {err}")
        found = index.stat()
        demand(
            (found.st_gid, mode_of(index)) == (group, wanted),
            f"{mode:o}, {user}: group {found.st_gid}, mode {mode_of(index):o}",
        )
        index.unlink()


def access_list(*entries):
    """In Linux's format: version 2, then tag, permissions and user or group of each entry."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def test_index_has_the_access_list_of_its_trace(scratch):
    name, none = "system.posix_acl_access", 0xFFFFFFFF
    owner, user, group, mask, others = 1, 2, 4, 16, 32
    index = scratch.directory / "t.tarmac.index"
    # One user may read it, but not the group, to which the mode alone, 0640, would give access.
    one = access_list((owner, 6, none), (user, 4, OTHER), (group, 0, none), (mask, 4, none), (others, 0, none))
    try:
        os.setxattr(scratch.trace, name, one)
    except OSError as error:
        pytest.skip(f"no access lists: {error}")
    demand(scratch.run("index", "t.tarmac")[0] == 0, "no index")
    demand(os.getxattr(index, name) == one and mode_of(index) == 0o640, "another list")
    index.unlink()
    # The directory lets a user read new files who may not read the trace.
    os.removexattr(scratch.trace, name)
    scratch.trace.chmod(0o640)
    os.setxattr(scratch.directory, "system.posix_acl_default", one)
    demand(scratch.run("index", "t.tarmac")[0] == 0, "no index")
    demand(name not in os.listxattr(index) and mode_of(index) == 0o640, "the directory's list")


def test_index_of_root_is_the_traces_owners(scratch):
    need_root()
    os.chown(scratch.trace, NOBODY, NOBODY)
    scratch.trace.chmod(0o600)
    demand(scratch.run("index", "t.tarmac")[0] == 0, "no index")
    demand((scratch.directory / "t.tarmac.index").stat().st_uid == NOBODY, "not the owner's")


def test_index_of_any_kind_has_the_rights_of_its_trace(scratch):
    """XRay logs and trace files have separate passes."""
    for source in (ROOT / "corpus" / "xray" / "threads.fdr.xray", ROOT / "corpus" / "tfile" / "passes.tf"):
        trace = scratch.directory / f"copy{source.suffix}"
        trace.write_bytes(source.read_bytes())
        trace.chmod(0o600)
        status, err = scratch.run("index", trace.name)
        demand(status in (0, 3), err)
        demand(mode_of(str(trace) + ".index") == 0o600, f"{source.name}: {mode_of(str(trace) + '.index'):o}")


# --- Remains -----------------------------------------------------------------------------------------


def wait_for(condition):
    for _ in range(2000):
        if condition():
            return True
        time.sleep(0.01)
    return False


def opens_in(process, directory):
    """Whether the process has a file in the directory open."""
    try:
        links = os.listdir(f"/proc/{process.pid}/fd")
        return any(os.readlink(f"/proc/{process.pid}/fd/{link}").startswith(str(directory)) for link in links)
    except OSError:
        return False


def interrupted(scratch, *arguments):
    """Interrupts a command as soon as it has a file in TMPDIR; nothing may remain there."""
    with tempfile.TemporaryDirectory(prefix="trawl-places-") as temporary:
        temporary = Path(temporary).resolve()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            process = subprocess.Popen(
                [str(scratch.programs / "trawl"), *arguments],
                cwd=scratch.directory,
                env=dict(os.environ, TMPDIR=str(temporary)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            is_under_way = wait_for(
                lambda: os.listdir(temporary) or opens_in(process, temporary) or process.poll() is not None
            )
            process.send_signal(number)
            status = process.wait(TIMEOUT_S)
            demand(is_under_way and status == -number, f"{number.name}: ended with {status} before")
            demand(os.listdir(temporary) == [], f"{number.name}: left {os.listdir(temporary)}")


def make_large(scratch):
    with open(scratch.trace, "w") as file:
        for _ in range(4000):
            file.write(TRACE)


def test_question_interrupted_leaves_nothing(scratch):
    make_large(scratch)
    interrupted(scratch, "state", "--memory-index", "--at", "end", "t.tarmac")
    demand(scratch.names() == ["t.tarmac"], scratch.names())


def test_bench_interrupted_leaves_nothing(scratch):
    make_large(scratch)
    command = [str(scratch.programs / "trawl"), "bench", "--rounds", "1000", "t.tarmac"]
    process = subprocess.Popen(command, cwd=scratch.directory, stdout=subprocess.DEVNULL)
    wait_for(lambda: opens_in(process, scratch.directory / "t.tarmac") and time.sleep(0.5) is None)
    process.send_signal(signal.SIGINT)
    demand(process.wait(TIMEOUT_S) == -signal.SIGINT, "was not interrupted")
    demand(scratch.names() == ["t.tarmac"], scratch.names())


def test_question_without_room_leaves_nothing(scratch):
    with tempfile.TemporaryDirectory(prefix="trawl-places-") as temporary:
        nowhere = Path(temporary) / "nowhere"
        status, err = scratch.ask("--memory-index", env={"TMPDIR": str(nowhere)})
        demand(status == 1 and str(nowhere) in err and "No such file" in err, f"{status}: {err}")


# --- Long names -------------------------------------------------------------------------------------


def test_error_with_a_long_name_has_its_reason(scratch):
    deep = scratch.directory
    for _ in range(8):
        deep = deep / ("d" * 120)
        deep.mkdir()
    missing = deep / "missing.tarmac"
    for arguments in (["profile", missing], ["state", "--at", "end", missing], ["xray", "account", missing]):
        status, err = scratch.run(*arguments)
        demand(status == 1, f"{arguments[0]}: {status}")
        demand("No such file or directory" in err, f"{arguments[0]}: {err}")
        demand("missing.tarmac" in err, f"{arguments[0]}: {err}")
    status, err = scratch.run("profile", "t.tarmac", "-o", deep / "no" / "out")
    demand(status == 1 and "No such file or directory" in err, err)
    status, err = scratch.run("profile", "t.tarmac", "--image", deep / "no.elf")
    demand(status == 1 and "No such file or directory" in err, err)
    # An error inside an error.
    bad = deep / "bad.tarmac"
    bad.write_text(TRACE)
    (deep / "bad.tarmac.index").mkdir()
    status, err = scratch.run("index", "--index", deep / "bad.tarmac.index", bad)
    demand(status == 1 and "is not an index of trawl" in err, err)
    status, err = scratch.run("profile", "x" * 5000)
    demand(status == 1 and "File name too long" in err, err)


def test_trace_without_room_for_a_suffix(scratch):
    name = "t" * 250
    (scratch.directory / name).write_text(TRACE)
    before = scratch.names()
    status, err = scratch.run("state", "--at", "end", name, "-o", "/dev/null")
    demand(status == 0, f"question: {status}: {err}")
    status, err = scratch.run("profile", name, "-o", "/dev/null")
    demand(status == 0, f"report: {status}: {err}")
    status, err = scratch.run("index", name)
    demand(status == 1 and "File name too long" in err, f"index: {status}: {err}")
    demand(scratch.names() == before, scratch.names())
    status, err = scratch.run("index", "--index", "short.index", name)
    demand(status == 0, f"named: {status}: {err}")
