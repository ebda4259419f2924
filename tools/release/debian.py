"""The Debian package: program, library, header, manual pages, completions and documents in one."""

import hashlib
import os
import re
import shutil
from email.utils import formatdate

import bill
from common import ROOT, ReleaseError, build, documents, epoch, files_below, run, version, write_gzip

REVISION = 1
DESCRIPTION = """\
fast batch analyzer of execution traces
 trawl reads multi-gigabyte traces of processors (Tarmac in every dialect,
 LLVM XRay logs, GDB trace files), compressed or not, and gives profiles,
 flame graphs and call trees, or an index of them that answers what the whole
 state of the machine was at a point, who wrote a value, and which calls led
 there.
 .
 The package has the library that reads such an index, and the programs
 under the names of Arm's Tarmac Trace Utilities.
"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: trawl
Comment: The program contains what it uses of jemalloc, libiberty and compiler-rt,
 whose terms are in /usr/share/doc/trawl/licenses.

Files: *
Copyright: 2026 The trawl developers
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
"""


def maintainer():
    """The packager, from the environment like Debian's own tools."""
    return f"{os.environ.get('DEBFULLNAME', 'trawl')} <{os.environ.get('DEBEMAIL', 'nobody@localhost')}>"


def make(scratch, out):
    """Makes OUT/trawl_VERSION_ARCH.deb; returns its path."""
    for program in ("dpkg-deb", "dpkg-shlibdeps", "strip"):
        if not shutil.which(program):
            raise ReleaseError(f"no {program} here: it is in Debian's package dpkg-dev or binutils")
    root = scratch / "deb" / "root"
    architecture = run(["dpkg", "--print-architecture"]).strip()
    build("--prefix", "/usr", DESTDIR=str(root))
    place_library(root / "usr", run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"]).strip())
    strip(root / "usr")
    pack_manuals(root / "usr/share/man")
    write_documents(root / "usr/share/doc/trawl")
    name = out / f"trawl_{version()}-{REVISION}_{architecture}.deb"
    write_control(root, architecture, dependencies(scratch / "deb", root))
    for directory, _, names in os.walk(root):
        os.chmod(directory, 0o755)
        for file in names:
            path = os.path.join(directory, file)
            os.utime(path, (epoch(), epoch()), follow_symlinks=False)
    run(["dpkg-deb", "-Zxz", "--root-owner-group", "--build", root, name], env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})
    return name


def place_library(usr, triplet):
    """Moves the library to where Debian has libraries of an architecture."""
    directory = usr / "lib" / triplet
    moved = [path for path in (usr / "lib").iterdir()]
    directory.mkdir()
    for path in moved:
        path.rename(directory / path.name)
    for settings in (directory / "pkgconfig").iterdir():
        text = settings.read_text()
        text = re.sub(r"^prefix=.*$", "prefix=/usr", text, flags=re.MULTILINE)
        settings.write_text(re.sub(r"^libdir=.*$", f"libdir=${{prefix}}/lib/{triplet}", text, flags=re.MULTILINE))
    (usr / "lib/python3").mkdir()
    (usr / "share/trawl/python").rename(usr / "lib/python3/dist-packages")


def strip(usr):
    run(["strip", "--remove-section=.comment", "--remove-section=.note", usr / "bin/trawl"])
    for library in usr.glob("lib/*/libtrawl*.*"):
        if not library.is_symlink():
            is_shared = ".so" in library.name
            run(["strip", "--strip-unneeded" if is_shared else "--strip-debug", library])
            library.chmod(0o644)


def pack_manuals(man):
    for page in list(man.rglob("*.[1-8]")):
        write_gzip(page.with_name(page.name + ".gz"), page.read_bytes())
        page.unlink()


def write_documents(directory):
    for name, path in documents():
        if name not in ("CHANGELOG.md", "LICENSE"):  # which Debian has under other names
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, directory / name)
    (directory / "examples").symlink_to("docs/example")
    (directory / "copyright").write_text(COPYRIGHT)
    write_licenses(directory / "licenses")
    write_gzip(directory / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    entry = f"trawl ({version()}-{REVISION}) unstable; urgency=medium\n\n  * Release {version()}.\n\n -- {maintainer()}  {formatdate(epoch())}\n"
    write_gzip(directory / "changelog.Debian.gz", entry.encode())
    for path in directory.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def write_licenses(directory):
    """Those of the libraries that the program contains."""
    directory.mkdir()
    for name in bill.IN_PROGRAM:
        shutil.copy(f"/usr/share/doc/{name}/copyright", directory / name.removesuffix("-dev"))
    library = re.search(r'\.lib_dir = "(.*)"', run([ROOT / "tools" / "zigw", "env"])).group(1)
    shutil.copy(os.path.join(library, "..", "LICENSE"), directory / "compiler-rt")


def dependencies(directory, root):
    """The dependencies that dpkg-shlibdeps finds; it must be run within a source package."""
    (directory / "debian").mkdir()
    (directory / "debian/control").write_text("Source: trawl\n\nPackage: trawl\nArchitecture: any\n")
    libraries = next(root.glob("usr/lib/*/libtrawl.so"))
    shared = [libraries, libraries.with_name("libtrawl2.so")]
    said = run(["dpkg-shlibdeps", "-O", f"-l{libraries.parent}", "-S" + str(root), root / "usr/bin/trawl", *shared], cwd=directory)
    return said.split("shlibs:Depends=", 1)[1].strip()


def write_control(root, architecture, depends):
    control = root / "DEBIAN"
    control.mkdir()
    members = files_below(root / "usr")
    size = sum((path.lstat().st_size + 1023) // 1024 for _, path in members)
    (control / "control").write_text(
        f"Package: trawl\nVersion: {version()}-{REVISION}\nArchitecture: {architecture}\nMaintainer: {maintainer()}\n"
        f"Installed-Size: {size}\nDepends: {depends}, {', '.join(bill.LOADED)}\nRecommends: libmicrohttpd12t64 | libmicrohttpd12\nSection: devel\nPriority: optional\nDescription: {DESCRIPTION}")
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  usr/{name}\n" for name, path in sorted(members) if not path.is_symlink()]
    (control / "md5sums").write_text("".join(sums))
    major, minor, _ = version().split(".")  # before 1.0, a minor number may change the interface
    below = f"{major}.{int(minor) + 1}~" if major == "0" else f"{int(major) + 1}~"
    libraries = ("libtrawl", "libtrawl2")
    (control / "shlibs").write_text("".join(f"{name} {major} trawl (>= {version()}), trawl (<< {below})\n" for name in libraries))
    (control / "triggers").write_text("activate-noawait ldconfig\n")
    for path in control.iterdir():
        path.chmod(0o644)


def check(path):
    """Checks the package with lintian, if installed; returns its output."""
    if not shutil.which("lintian"):
        return "not checked: no lintian here\n"
    words = ["lintian", "--allow-root", "--fail-on", "error"]
    if "DEBEMAIL" not in os.environ:
        print("DEBEMAIL is not set: the package names nobody as its maintainer")
        words += ["--suppress-tags", "bogus-mail-host,bogus-mail-host-in-debian-changelog"]
    return run([*words, path])
