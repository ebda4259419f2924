"""The instruction sets that TRAWL_ISA names, of which each machine has some."""

import os
import platform
import subprocess

# The first is there on every machine, and what the others are held against.
ISAS = ["scalar", "neon"] if platform.machine() == "aarch64" else ["scalar", "avx2", "avx512"]


def environment(isa, **more):
    return dict(os.environ, TRAWL_ISA=isa, **more)


def find_isas(trawl):
    """Those of this machine; says which it lacks, and how many those are."""
    found = []
    for isa in ISAS:
        ended = subprocess.run([trawl, "--version"], env=environment(isa), capture_output=True, check=False)
        if ended.returncode == 0:
            found.append(isa)
        else:
            print("SKIPPED %s: %s" % (isa, ended.stderr.decode().strip()))
    return found, len(ISAS) - len(found)
