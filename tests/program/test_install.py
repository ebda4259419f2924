"""What `zig build` installs works in its place, and `zig build uninstall` removes all of it.

    tests/run.py install
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 600
INSTALLED = ["bin/trawl", "bin/tarmac-profile", "lib/libtrawl.so", "lib/libtrawl.a", "include/trawl.h",
             "lib/pkgconfig/trawl.pc", "share/man/man1/trawl.1", "share/man/man1/trawl-xray-account.1",
             "share/man/man1/tarmac-vcd.1", "share/man/man7/trawl-positions.7",
             "share/bash-completion/completions/tarmac-vcd", "share/zsh/site-functions/_trawl",
             "share/fish/vendor_completions.d/trawl.fish"]


def build(*words, **environment):
    done = subprocess.run([ROOT / "tools" / "zigw", "build", *words], cwd=ROOT, env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, "build %s: status %d: %s" % (" ".join(words), done.returncode, done.stdout[-800:])
    return done.stdout.decode(errors="replace")


def files_in(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir())


def check_install(prefix, words, environment):
    """Installs, runs the installed programs, and uninstalls; a file of another user stays."""
    build(*words, **environment)
    found = files_in(prefix)
    assert not set(INSTALLED) - set(found), "not installed: %s" % (set(INSTALLED) - set(found))
    help_text = subprocess.run([prefix / "bin" / "trawl", "help"], capture_output=True, timeout=60, check=True).stdout
    assert b"profile" in help_text
    (prefix / "bin" / "other").write_text("of another package\n")
    build("uninstall", *words, **environment)
    assert files_in(prefix) == ["bin/other"], "left: %s" % files_in(prefix)
    build("uninstall", *words, **environment)  # when nothing is left


def test_demo(place):
    """The commands that the demo shows are valid."""
    output = build("demo", "--prefix", str(place / "demo"))
    shown = [line.split() for line in output.splitlines() if "profile --top" in line]
    assert len(shown) == 1, "no command is shown"
    again = subprocess.run(shown[0], cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert again.returncode == 0 and again.stdout.decode() in output, again.stderr


def test_prefix(place):
    check_install(place / "own", ["--prefix", str(place / "own")], {})


def test_destination(place):
    check_install(place / "image" / "usr", ["--prefix", "/usr"], {"DESTDIR": str(place / "image")})


def test_package():
    """What build.zig.zon lists is all that a build, the tests and a release of it use."""
    listed = re.search(r"\.paths = \.\{(.*?)\}", (ROOT / "build.zig.zon").read_text(), re.S).group(1)
    try:
        found = subprocess.run(["git", "ls-tree", "--name-only", "HEAD"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git, or no repository of it")
    wanted = {name for name in found.stdout.split() if not name.startswith(".")}
    assert set(re.findall(r'"([^"]+)"', listed)) == wanted
