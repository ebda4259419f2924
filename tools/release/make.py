#!/usr/bin/env python3
"""Makes all files of a release, each from a clean build:

    tools/release/make.py OUT [--bare]

the Debian package, static programs and wheels for Python (manylinux, musllinux) for x86-64 and AArch64, the source, the bill of materials,
and SHA256SUMS. The same sources give the same bytes. tools/release/static_libraries builds the libraries of the static programs, once, in the user's cache. With --bare, the programs
have no libraries, and read no images. The package is checked with lintian if installed.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import archives
import bill
import debian
import wheel
from common import ROOT, ReleaseError, build, version


def digests(paths):
    """Name to (SHA-256, SHA-1)."""
    return {path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), hashlib.sha1(path.read_bytes()).hexdigest()) for path in paths}


def static_libraries():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trawl" / "static-libraries"
    # Its messages are shown: it takes long, and uses older sources of a library if the newest are not to be had.
    if subprocess.run([ROOT / "tools/release/static_libraries", cache, *archives.ARCHITECTURES, *(f"{name}-gnu" for name in archives.ARCHITECTURES)], check=False).returncode != 0:
        raise ReleaseError("no static libraries")
    return cache


def wheels(scratch, out, architecture, libraries):
    """Makes a wheel for each C library, both with the static program; returns their paths."""
    program, licenses, glibc = scratch / architecture / "bin/trawl", libraries / architecture / "licenses", scratch / f"{architecture}-gnu"
    build("lib2", "--prefix", str(glibc), f"-Dtarget={architecture}-linux-gnu.2.28", f"-Dstatic={libraries}")
    return [wheel.make(glibc, out, f"manylinux_2_28_{architecture}", program, licenses),
            wheel.make(scratch / architecture, out, f"musllinux_1_2_{architecture}", program, licenses)]


def make_all(scratch, out, is_bare):
    made = [archives.make_source(out), debian.make(scratch, out)]
    libraries = None if is_bare else static_libraries()
    here = scratch / "here"  # a program for this machine
    build("--prefix", str(here))
    contained = {}
    for architecture in archives.ARCHITECTURES:
        made.append(archives.make_static(scratch, out, architecture, libraries, here / "share"))
        contained[made[-1].name] = list(archives.contained(libraries, architecture)) if libraries else []
        if libraries:
            for path in wheels(scratch, out, architecture, libraries):
                contained[path.name] = contained[made[-1].name]
                made.append(path)
    print(debian.check(made[1]), end="")
    made.append(bill.make(here / "bin/trawl", out, digests(made), contained))
    (out / "SHA256SUMS").write_text("".join(f"{sums[0]}  {name}\n" for name, sums in sorted(digests(made).items())))
    return made


def main():
    parser = argparse.ArgumentParser(description="Makes all files of a release.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--bare", action="store_true", help="static programs without libraries")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if "\n## Unreleased\n" in (ROOT / "CHANGELOG.md").read_text():
        print(f"CHANGELOG.md lists changes as unreleased, and this release is called {version()}")
    for old in arguments.out.glob(f"*{version()}*"):
        old.unlink()
    try:
        with tempfile.TemporaryDirectory(prefix="trawl-release-") as scratch:
            made = make_all(Path(scratch), arguments.out.resolve(), arguments.bare)
    except (ReleaseError, OSError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    for path in [*made, arguments.out / "SHA256SUMS"]:
        print(f"{path.stat().st_size:>10}  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
