"""A run that was taken over by its input can only access what its command line names: attempts from inside (by a library that is loaded
with it, when it ends) are refused, and --no-sandbox allows them.

    tests/run.py sandbox
"""

import ctypes
import os
import subprocess
from pathlib import Path

import faces
import pytest
from compilers import compilers

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
TRIES = """\
// Tries what a program that was taken over would try, and tells a letter for each: y or n.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char tell(int did)
{
    return did ? 'y' : 'n';
}

static int opens(const char *directory, const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv(directory), name);
    return open(path, flags, 0600) >= 0;
}

__attribute__((destructor)) static void try(void)
{
    char *const nobody[] = {NULL};
    char told[7] = {tell(opens("OUTSIDE", "secret", O_RDONLY)),
                    tell(opens("OUTSIDE", "new", O_WRONLY | O_CREAT)),
                    tell(opens("OUTSIDE", "secret", O_WRONLY | O_TRUNC)),
                    tell(socket(AF_INET, SOCK_STREAM, 0) >= 0),
                    tell(opens("INSIDE", "t", O_RDONLY)),
                    tell(opens("INSIDE", "beside", O_WRONLY | O_CREAT))};
    int fd = atoi(getenv("TELL"));
    if (write(fd, told, 6) != 6)
        _exit(99);
    syscall(SYS_execve, "/bin/true", nobody, nobody); // ends with status 0
}
"""
# Attempts: to read, make and overwrite files elsewhere; to connect; to read and write named files, or files next to them.
CONFINED, FREE = "nnnnyy", "yyyyyy"
# Commands that show sources may read them anywhere; the server has sockets, too. What answers an agent has files, but no network.
BROWSES, SERVES, STARTS = "ynnnyy", "ynnyyy", "yyynyy"
LANDLOCK_CREATE_RULESET, VERSION = 444, 1


def has_landlock():
    return ctypes.CDLL(None, use_errno=True).syscall(LANDLOCK_CREATE_RULESET, None, 0, VERSION) >= 3


class Place:
    def __init__(self, programs, root):
        self.trawl = programs / "trawl"
        self.inside, self.outside, self.temporary = root / "inside", root / "outside", root / "tmp"
        for directory in self.inside, self.outside, self.temporary:
            directory.mkdir()
        lines = (ROOT / "corpus" / "traces" / "recursion-a64.es.tarmac").read_bytes().split(b"\n")[:200]
        (self.inside / "t").write_bytes(b"\n".join(lines) + b"\n")
        self.library = root / "tries.so"
        (root / "tries.c").write_text(TRIES)
        subprocess.run([*compilers()[0], "-shared", "-fPIC", "-o", self.library, root / "tries.c"], check=True)

    def run(self, *words, said=b"", **settings):
        """Runs a command, also the server and the browser, to its end. Returns its status and what was possible from inside, for each process."""
        (self.outside / "secret").write_text("secret")
        (self.outside / "new").unlink(missing_ok=True)
        ours, theirs = os.pipe()
        environment = {**os.environ, "LD_PRELOAD": str(self.library), "TELL": str(theirs), "TMPDIR": str(self.temporary),
                       "INSIDE": str(self.inside), "OUTSIDE": str(self.outside), **settings}
        how = {"cwd": self.inside, "env": environment, "pass_fds": [theirs]}
        if faces.is_face(["trawl", *words]):
            status, _, err = faces.run_face([str(self.trawl), *words], **how)
        else:
            done = subprocess.run([self.trawl, *words], capture_output=True, input=said, timeout=TIMEOUT_S, check=False, **how)
            status, err = done.returncode, done.stderr
        os.close(theirs)
        with os.fdopen(ours) as told:
            return status, told.read(), err.decode(errors="replace")


@pytest.fixture
def sandboxed(programs, place):
    if "asan" in programs.parts or "tsan" in programs.parts or not has_landlock():
        pytest.skip("no Landlock")
    return Place(programs, place)


def test_confined(sandboxed):
    for words in (["profile", "t", "--memory-index"], ["index", "t"], ["state", "t", "--at", "end"], ["vcd", "t", "-o", "out"],
                  ["index", "--follow", "--force-index", "t"], ["diff", "t", "t"], ["export", "t", "--table", "events", "--format", "csv"],
                  ["profile", "t", "--by", "line"]):
        status, told, err = sandboxed.run(*words)
        assert (status, told) == (0, CONFINED), "%s: %r" % (words, (status, told, err))


def test_faces_are_confined(sandboxed):
    sandboxed.run("index", "t")  # a browser that quits before its index is made ends without the destructor
    for words, allowed in ((["browse", "t"], BROWSES), (["serve", "-q", "--no-open", "--notes", "t"], SERVES)):
        status, told, err = sandboxed.run(*words)
        assert (status, told) == (0, allowed), "%s: %r" % (words, (status, told, err))


def test_agents_have_no_network(sandboxed):
    """Neither the commands that answer an agent, nor what starts them."""
    question = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "profile", "arguments": {}}}\n'
    for words, told in ((["mcp", "t"], CONFINED + STARTS), (["mcp", "t", "--no-sandbox"], CONFINED + FREE)):
        assert sandboxed.run(*words, said=question)[:2] == (0, told), words


def test_free(sandboxed):
    for words, settings in ((["profile", "t", "--no-sandbox"], {}), (["profile", "--no-sandbox", "t"], {}), (["profile", "t"], {"TRAWL_SANDBOX": "off"})):
        status, told, err = sandboxed.run(*words, **settings)
        assert (status, told) == (0, FREE), "%s: %r" % (words, (status, told, err))


def test_outputs(sandboxed):
    """An output or index can be made wherever it is named: in another directory, or through links."""
    away = sandboxed.temporary.parent / "away"
    away.mkdir()
    (sandboxed.inside / "link").symlink_to(away / "linked")
    (sandboxed.inside / "u").write_bytes((sandboxed.inside / "t").read_bytes())
    (sandboxed.inside / "u.index").symlink_to(away / "u.index")
    for words, made in (
        (["profile", "t", "-o", "../away/a"], "a"), (["profile", "t", "-o../away/b"], "b"),
        (["profile", "t", "--output=../away/c"], "c"), (["index", "t", "--index", "../away/d"], "d"),
        (["index", "t", "--index=../away/e"], "e"), (["profile", "t", "-o", "link"], "linked"), (["index", "u"], "u.index"),
    ):
        status, _, err = sandboxed.run(*words)
        assert status == 0 and (away / made).exists(), "%s: %r" % (words, (status, err))


def test_images(sandboxed):
    away = sandboxed.temporary.parent / "images"
    away.mkdir()
    image = ROOT / "corpus" / "elf" / "recursion-a64.elf"
    (away / "i.elf").write_bytes(image.read_bytes())
    for word in ("--image=../images/i.elf", "--image=../images/i.elf@0x0"):
        status, _, err = sandboxed.run("profile", "t", word)
        assert status == 0, "%s: %r" % (word, err)
