"""What the parts of a release share: version, date, running programs, archives that do not show who made them."""

import gzip
import lzma
import os
import re
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 3600


class ReleaseError(Exception):
    """A failure, described in one line."""


def version():
    return re.search(r'\.version = "([^"]+)"', (ROOT / "build.zig.zon").read_text()).group(1)


def run(words, **settings):
    """The output of a program. If it fails, raises ReleaseError with the end of its output."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False, **{"cwd": ROOT, **settings})
    except subprocess.TimeoutExpired:
        raise ReleaseError(f"{' '.join(map(str, words))}: not done after {TIMEOUT_S} s") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-8:]
        raise ReleaseError(f"{' '.join(map(str, words))}: status {done.returncode}\n" + "\n".join(said))
    return done.stdout


def epoch():
    """The date of all files of the release: SOURCE_DATE_EPOCH, or the date of the last commit."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(run(["git", "log", "-1", "--format=%ct"]))
    except (OSError, ReleaseError):
        return int((ROOT / "build.zig.zon").stat().st_mtime)


def build(*words, **environment):
    run([ROOT / "tools" / "zigw", "build", "-Dlto", *words], env={**os.environ, **environment})


def write_gzip(path, data):
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(data)


def write_tar(path, top, members):
    """Writes (name, path) pairs below a directory `top` to a tar.xz; the bytes do not depend on the machine."""
    date = epoch()

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = date
        if not entry.issym():
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with lzma.open(path, "wb", preset=6) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, source in sorted(members):
            archive.add(source, f"{top}/{name}", recursive=False, filter=plain)


def documents():
    """(name, path) of the documents that go with a program: all that the README leads to, under their own names, so that links work."""
    names = ["README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "idx/FORMAT.md", "corpus/README.md", "bench/RESULTS.md"]
    names += [f"docs/{name}" for name, _ in files_below(ROOT / "docs") if not name.startswith("man/")]
    return [(name, ROOT / name) for name in sorted(names)]


def files_below(directory):
    """(name, path) of all files and links below a directory."""
    return [(path.relative_to(directory).as_posix(), path) for path in directory.rglob("*") if path.is_symlink() or path.is_file()]
