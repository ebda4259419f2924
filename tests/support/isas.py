"""The instruction sets that TRAWL_ISA can select, some of which each machine has."""

import functools
import os
import platform

import quick

# The first exists on every machine; the others are compared with it.
ISAS = ["scalar", "neon"] if platform.machine() == "aarch64" else ["scalar", "avx2", "avx512"]


def environment(isa, **more):
    return dict(os.environ, TRAWL_ISA=isa, **more)


def find_isas(trawl):
    """Those that this machine has."""
    return [isa for isa in ISAS if lack_of(trawl, isa) is None]


@functools.cache
def lack_of(trawl, isa):
    """Trawl's message if this machine lacks the instruction set."""
    ended = quick.run([trawl, "--version"], env=environment(isa))
    return ended.stderr.decode().strip() if ended.returncode else None
