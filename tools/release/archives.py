"""The archives: the source, and a static program for each processor."""

import subprocess

from common import ROOT, ReleaseError, build, files_below, run, version, write_tar

ARCHITECTURES = ["x86_64", "aarch64"]
NAMES = ["browser", "callinfo", "calltree", "flamegraph", "profile", "vcd"]  # tarmac-...


def make_source(out):
    """OUT/trawl-VERSION.tar.xz: what the repository has; returns its path."""
    try:
        names = run(["git", "ls-files", "-z"]).split("\0")[:-1]
    except (OSError, ReleaseError):  # made of such an archive itself
        names = [name for name, _ in files_below(ROOT) if not name.startswith(("zig-out/", ".zig-cache/"))]
    top = f"trawl-{version()}"
    path = out / f"{top}.tar.xz"
    write_tar(path, top, [(name, ROOT / name) for name in names])
    return path


def make_static(scratch, out, architecture, libraries):
    """OUT/trawl-VERSION-linux-ARCH.tar.xz: a program that needs nothing of the machine; returns its path.
    `libraries`: where static libraries for it are, or None for a program without."""
    prefix = scratch / architecture
    build("--prefix", str(prefix), f"-Dtarget={architecture}-linux-musl", *([f"-Dstatic={libraries}"] if libraries else ["-Dbare"]))
    program = prefix / "bin/trawl"
    check_static(program)
    top = f"trawl-{version()}-linux-{architecture}"
    (scratch / "NOTICE").write_text(notice(libraries))
    members = [("bin/trawl", program), ("LICENSE", ROOT / "LICENSE"), ("README.md", ROOT / "README.md"), ("CHANGELOG.md", ROOT / "CHANGELOG.md"),
               ("NOTICE", scratch / "NOTICE"), ("include/trawl.h", prefix / "include/trawl.h"), ("lib/libtrawl.a", prefix / "lib/libtrawl.a")]
    members += [(f"bin/tarmac-{name}", prefix / f"bin/tarmac-{name}") for name in NAMES]
    path = out / f"{top}.tar.xz"
    write_tar(path, top, members + manuals(scratch))
    return path


def manuals(scratch):
    """Manual pages and completions, by a program that runs here."""
    share = scratch / "share"
    if not share.exists():
        build("--prefix", str(scratch / "here"))
        run(["tools/manuals", "make", scratch / "here/bin/trawl", share])
    return [(f"share/{name}", path) for name, path in files_below(share)]


def check_static(program):
    said = subprocess.run(["readelf", "-dl", program], capture_output=True, text=True, check=False)
    if said.returncode != 0 or "NEEDED" in said.stdout or "INTERP" in said.stdout:
        raise ReleaseError(f"{program} is not static, or readelf is not here")


def notice(libraries):
    if not libraries:
        return ("This program is linked without the libraries that read ELF images, compressed files, YAML and\n"
                "XML, and without a terminal interface: it names functions by address and has no browser.\n")
    return "This program contains these libraries, each under its own licence:\n\n" + (libraries / "LIBRARIES").read_text()


