#!/usr/bin/env python3
"""Makes a wheel for Python of an installation of trawl: the module, libtrawl2 and the program.

    tools/release/wheel.py PREFIX OUT --tag musllinux_1_2_x86_64 [--program FILE] [--licenses DIR]

Nothing in it depends on the version of Python (py3-none): the module reaches the library by ctypes. The tag says which machines have what
the library needs of them: of its C library, and no other library, if it was built with -Dstatic. `trawl` on PyPI belongs to somebody else,
so the distribution is called trawl-trace; the module and the command are `trawl`. The same files give the same wheel.
"""

import argparse
import base64
import hashlib
import re
import sys
import time
import zipfile
from pathlib import Path

from common import ROOT, epoch, files_below, run, version

NAME = "trawl_trace"
MODULE = ["__init__.py", "_library.py", "py.typed"]


def metadata():
    """Core metadata, with the guide to the module as its description."""
    return (f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {version()}\n"
            "Summary: Execution traces of Arm and RISC-V machines, XRay logs and GDB trace files\n"
            "Requires-Python: >=3.9\nProvides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n"
            "Description-Content-Type: text/markdown\n\n" + (ROOT / "docs/python.md").read_text())  # fmt: skip


def members(prefix, program, licenses, tag):
    """(name, bytes, whether it is a program) of all files but the record."""
    about = f"{NAME}-{version()}.dist-info"
    for name in MODULE:
        yield f"trawl/{name}", (ROOT / "src/lib/python/trawl" / name).read_bytes(), False
    yield "trawl/_lib/libtrawl2.so.1", stripped(prefix / "lib/libtrawl2.so.1"), False
    yield f"{NAME}-{version()}.data/scripts/trawl", stripped(program), True
    yield f"{about}/METADATA", metadata().encode(), False
    yield f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: trawl\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode(), False
    yield f"{about}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), False
    for name, path in sorted(files_below(licenses)) if licenses else []:
        yield f"{about}/licenses/{name}", path.read_bytes(), False


def stripped(path):
    """A program or library without what only debuggers read. Those of other machines are stripped when they are built."""
    copy = path.resolve().with_name(path.name + ".stripped")
    try:
        run(["strip", "--strip-unneeded", "-o", copy, path])
        return copy.read_bytes()
    except Exception:  # pylint: disable=broad-except
        return path.read_bytes()
    finally:
        copy.unlink(missing_ok=True)


def make(prefix, out, tag, program, licenses=None):
    """Makes OUT/trawl_trace-VERSION-py3-none-TAG.whl; returns its path."""
    path = out / f"{NAME}-{version()}-py3-none-{tag}.whl"
    date = time.gmtime(max(epoch(), 315532800))[:6]  # of 1980 or later
    record = f"{NAME}-{version()}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(name, data, is_program):
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100755 if is_program else 0o100644) << 16
            wheel.writestr(entry, data)

        for name, data, is_program in members(prefix, program, licenses, tag):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
            add(name, data, is_program)
        add(record, "".join([*lines, f"{record},,\n"]).encode(), False)
    return path


def main():
    """Make one wheel."""
    parser = argparse.ArgumentParser(description="Makes a wheel for Python of an installation of trawl.")
    parser.add_argument("prefix", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tag", required=True, help="the machines that it is for: musllinux_1_2_x86_64, linux_x86_64")
    parser.add_argument("--program", type=Path, help="the program, if it is not PREFIX/bin/trawl: a static one runs with any C library")
    parser.add_argument("--licenses", type=Path, help="of what the library contains: PREFIX/ARCH/licenses of static_libraries")
    arguments = parser.parse_args()
    if not re.fullmatch(r"\w+", arguments.tag):
        parser.error(f"--tag: '{arguments.tag}': expected one tag of a platform")
    print(make(arguments.prefix, arguments.out, arguments.tag, arguments.program or arguments.prefix / "bin/trawl", arguments.licenses))


if __name__ == "__main__":
    sys.exit(main())
