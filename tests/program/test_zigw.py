"""tools/zigw asks for what the requested steps need, and for nothing else, where nothing can be installed.

    tests/run.py zigw
"""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
TOOLS = ["bash", "sh", "env", "cat", "grep", "sed", "head", "tail", "cksum", "flock", "mkdir", "mktemp", "rm", "mv", "chmod", "ls", "ln",
         "uname", "python3", "realpath", "sleep", "dirname"]  # fmt: skip
WITHOUT_LIBRARIES = [["build", "-Dbare"], ["build", "-Dbare", "--prefix", "test"], ["build", "-Dstatic=libraries"], ["build", "--help"],
                     ["build", "-l"], ["build", "fmt"], ["build", "lint"], ["build", "uninstall"], ["build", "uninstall", "--prefix", "test"],
                     ["version"]]  # fmt: skip
WITH_LIBRARIES = [["build"], ["build", "-Dlto"], ["build", "test"], ["build", "demo"], ["build", "--prefix", "uninstall"]]


@pytest.fixture
def machine(place):
    """The environment of a machine with a Zig that tells how it was called, without apt-get and pkg-config."""
    tools = place / "tools"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).symlink_to(shutil.which(name))
    zig = place / "zig"
    zig.write_text('#!/bin/bash\necho "zig $*"\n[[ " $* " != *" -Dfails "* ]] || exit 7\n[[ " $* " != *" -Dsleeps "* ]] || exec sleep 60\n')
    zig.chmod(0o755)
    return {"PATH": str(tools), "HOME": str(place), "TERM": "dumb", "TRAWL_ZIG": str(zig)}


def zigw(machine, words):
    return subprocess.run([ROOT / "tools" / "zigw", *words], env=machine, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


@pytest.mark.parametrize("words", WITHOUT_LIBRARIES, ids=" ".join)
def test_without(machine, words):
    done = zigw(machine, words)
    assert done.returncode == 0 and done.stdout.startswith("zig ") and done.stdout.split()[-1] == words[-1], (done.stdout, done.stderr)


@pytest.mark.parametrize("words", WITH_LIBRARIES, ids=" ".join)
def test_with(machine, words):
    done = zigw(machine, words)
    assert done.returncode == 1 and not done.stdout and "liburing-dev" in done.stderr and "pkg-config" in done.stderr, done


@pytest.mark.parametrize("manager, said", [("dnf", "dnf install -y pkgconf-pkg-config liburing-devel xxhash-devel elfutils-libelf-devel elfutils-devel "),
                                           ("apk", "apk add pkgconf liburing-dev xxhash-dev elfutils-dev jemalloc-dev "),
                                           ("pacman", "pacman -S --needed pkgconf liburing xxhash libelf jemalloc ")])  # fmt: skip
def test_other_systems(machine, place, manager, said):
    """Packages have the names of the system's own package manager, each once, and nobody claims that this was tried."""
    (place / "tools" / manager).symlink_to("/bin/true")
    done = zigw(machine, ["build"])
    assert done.returncode == 1 and said in done.stderr and "not tested" in done.stderr, done


def test_status(machine):
    """The status is that of Zig, and a signal ends it, too."""
    assert zigw(machine, ["build", "-Dbare", "-Dfails"]).returncode == 7
    with subprocess.Popen([ROOT / "tools" / "zigw", "build", "-Dbare", "-Dsleeps"], env=machine, stdout=subprocess.PIPE) as running:
        assert running.stdout.readline().startswith(b"zig ")
        running.send_signal(signal.SIGTERM)
        assert running.wait(TIMEOUT_S) != 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
def test_read_only_tree(machine, place):
    """Where the tree cannot be written to, the cache is elsewhere, and the programs are where the user says."""
    place.chmod(0o777)
    for words, is_right in ((["build", "-Dbare"], False), (["build", "-Dbare", "--prefix", "x"], True), (["build", "--help"], True)):
        done = subprocess.run([ROOT / "tools" / "zigw", *words], env=machine, capture_output=True, text=True, timeout=TIMEOUT_S,
                              user=65534, group=65534, extra_groups=[], check=False)  # fmt: skip
        if done.stdout.startswith("zig build -Dbare\n"):
            pytest.skip("the tree can be written to by everybody")
        assert (done.returncode == 0) == is_right, done
        assert ("--cache-dir" in done.stdout) == is_right and ("--prefix" in done.stderr) != is_right, done


def test_header_from_package(machine, place):
    """A bare build gets its only header itself, where it is not installed and nothing can be."""
    if subprocess.run(["unshare", "-m", "mount", "--bind", place, "/usr/include"], capture_output=True, check=False).returncode:
        pytest.skip("no mounts of its own")
    (place / "empty").mkdir()
    (place / "tools" / "apt-get").write_text('#!/bin/bash\n[[ $* == "-qq download libxxhash-dev" ]] && echo >libxxhash-dev_0_all.deb\n')
    (place / "tools" / "dpkg-deb").write_text(
        '#!/bin/bash\n[[ $* == "-x libxxhash-dev_0_all.deb ." ]] && mkdir -p usr/include && echo >usr/include/xxhash.h\n'
    )
    hidden = ["unshare", "-m", "bash", "-c", 'mount --bind "$1" /usr/include && exec "${@:2}"', "-", place / "empty"]
    wanted = place / ".cache" / "trawl" / "xxhash" / "usr" / "include" / "xxhash.h"
    for tool in ("apt-get", "dpkg-deb"):
        (place / "tools" / tool).chmod(0o755)
    (place / "tools" / "mount").symlink_to(shutil.which("mount"))
    unshare = shutil.which("unshare")
    for said in ("getting xxhash.h", ""):
        done = subprocess.run([unshare, *hidden[1:], ROOT / "tools" / "zigw", "build", "-Dbare"], env=machine, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)  # fmt: skip
        assert done.returncode == 0 and done.stdout == f"zig build -Dxxhash={wanted} -Dbare\n", done
        assert said in done.stderr and bool(said) == bool(done.stderr), done
    (place / "tools" / "apt-get").unlink()
    shutil.rmtree(place / ".cache" / "trawl" / "xxhash")
    done = subprocess.run([unshare, *hidden[1:], ROOT / "tools" / "zigw", "build", "-Dbare"], env=machine, capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=False)  # fmt: skip
    assert done.returncode == 1 and "apt-get install -y libxxhash-dev\n" in done.stderr, done
