"""The archives: the source, and a static program for each processor."""

import subprocess

from common import ROOT, ReleaseError, build, documents, files_below, run, version, write_tar

ARCHITECTURES = ["x86_64", "aarch64"]


def make_source(out):
    """Makes OUT/trawl-VERSION.tar.xz from the files of the repository; returns its path."""
    try:
        names = run(["git", "ls-files", "-z"]).split("\0")[:-1]
    except (OSError, ReleaseError):  # the sources come from such an archive
        names = [name for name, _ in files_below(ROOT) if not name.startswith(("zig-out/", ".zig-cache/")) and "__pycache__" not in name]
    top = f"trawl-{version()}"
    path = out / f"{top}.tar.xz"
    write_tar(path, top, [(name, ROOT / name) for name in names])
    return path


def make_static(scratch, out, architecture, libraries, share):
    """Makes OUT/trawl-VERSION-linux-ARCH.tar.xz, a program without dependencies; returns its path. `libraries`: where
    tools/release/static_libraries put them, or None for a program without libraries; `share`: manual pages and completions."""
    prefix = scratch / architecture
    target = f"-Dtarget={architecture}-linux-musl"
    build("--prefix", str(prefix), target, f"-Dstatic={libraries}" if libraries else "-Dbare")
    program = prefix / "bin/trawl"
    check_static(program)
    top = f"trawl-{version()}-linux-{architecture}"
    (scratch / "NOTICE").write_text(notice(libraries, architecture))
    members = documents()
    members += [("bin/trawl", program), ("NOTICE", scratch / "NOTICE"), ("Dockerfile", ROOT / "tools/release/Dockerfile"),
                ("include/trawl.h", prefix / "include/trawl.h"), ("lib/libtrawl.a", prefix / "lib/libtrawl.a")]
    members += [(f"bin/{name.name}", name) for name in (prefix / "bin").glob("tarmac-*")]
    if libraries:
        members += [(f"licenses/{name}", path) for name, path in files_below(libraries / architecture / "licenses")]
    path = out / f"{top}.tar.xz"
    write_tar(path, top, members + [(f"share/{name}", path) for name, path in files_below(share)])
    return path


def check_static(program):
    said = subprocess.run(["readelf", "-dl", program], capture_output=True, text=True, check=False)
    if said.returncode != 0 or "NEEDED" in said.stdout or "INTERP" in said.stdout:
        raise ReleaseError(f"{program} is not static, or readelf is not here")


def notice(libraries, architecture):
    if not libraries:
        return ("This program is linked without the libraries that read ELF images, compressed files, YAML and\n"
                "XML, and without a terminal interface: it names functions by address and has no browser.\n")
    return ("These libraries are in the program, built of the source packages of Debian that are named here, which\n"
            "any mirror of Debian has; musl and compiler-rt are those of Zig. Their terms are in licenses/. Whoever\n"
            "wants the program with another version of one of them builds it anew: tools/release/static_libraries\n"
            "in trawl's source says how.\n\n"
            + "".join(f"    {name}: {source} {number}\n" for name, source, number in contained(libraries, architecture)))


def contained(libraries, architecture):
    """(name, source package, version) of each library in a static program."""
    for path in sorted((libraries / architecture / "versions").iterdir()):
        source, number = path.read_text().split(" by ")[0].split(" ")
        yield path.name, source, number
