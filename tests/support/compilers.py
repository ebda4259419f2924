"""C compilers for tests."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def compilers():
    """The C compilers of the machine; without any, Zig's."""
    found = [[path] for path in (shutil.which(name) for name in ("gcc", "clang")) if path]
    return found or [[ROOT / "tools" / "zigw", "cc"]]
