#!/usr/bin/env python3
"""A sample of commands under Valgrind's memcheck: nothing depends on uninitialized values, and no byte outside of allocations is
accessed. The sanitizers of `tools/zigw build asan` cannot detect the former.

    tests/support/valgrind.py [--sample]
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 900
FOUND = 77
LINES = 400
SAMPLE = [
    ["index", "t", "--force-index", "--no-sync", "--segment-events", "50", "--index", "made"],
    ["profile", "t", "--memory-index"],
    ["state", "t", "--index", "kept", "--at", "end", "--memory", "0x3f00000:64"],
    ["stack", "t", "--index", "kept", "--at", "end", "--image", "corpus/elf/recursion-a64.elf"],
    ["xray", "account", "x"],
]
COMMANDS = SAMPLE + [
    ["calltree", "t", "--memory-index", "--format", "json"],
    ["callinfo", "t", "--memory-index", "0x80000", "--image", "corpus/elf/recursion-a64.elf"],
    ["flamegraph", "t", "--memory-index", "--format", "svg"],
    ["vcd", "t", "-o", "made"],
    ["export", "t", "--memory-index"],
    ["export", "t", "--memory-index", "--by", "task"],
    ["writes", "t", "--index", "kept", "--all", "x0"],
    ["pc", "t", "--index", "kept", "80000"],
    ["diff", "t", "s", "--memory-index", "--registers", "--memory", "--times"],
    ["profile", "t", "--diff", "s"],
    ["flamegraph", "t", "--diff", "s", "--format", "svg"],
    ["verify", "kept"],
    ["info", "t"],
    ["doctor", "t"],
    ["index", "x", "--force-index", "--no-sync", "--segment-events", "9", "--index", "made"],
    ["stack", "x", "--at", "end"],
    ["profile", "x", "--memory-index"],
    ["xray", "convert", "x", "--format", "yaml"],
    ["xray", "graph", "x"],
    ["index", "f", "--force-index", "--no-sync", "--index", "made"],
    ["tfile", "frames", "f"],
    ["state", "f", "--memory-index", "--at", "event:0"],
    ["sframe", "corpus/sframe/shapes-aarch64-v3.elf", "--check"],
    ["sframe", "corpus/sframe/shapes-x86_64-v3.elf", "--lookup", "4000b0"],
]


def prepare(trawl, place):
    lines = (CORPUS / "traces" / "recursion-a64.es.tarmac").read_bytes().split(b"\n")[:LINES]
    (place / "t").write_bytes(b"\n".join(lines) + b"\n")
    (place / "s").write_bytes(b"\n".join(lines[:300] + lines[340:]) + b"\n")
    shutil.copy(CORPUS / "xray" / "recursion.fdr.xray", place / "x")
    shutil.copy(CORPUS / "tfile" / "passes.tf", place / "f")
    (place / "corpus").symlink_to(CORPUS)
    subprocess.run([trawl, "index", "t", "--no-sync", "--index", "kept"], cwd=place, check=True, timeout=TIMEOUT_S)


def check(trawl, words, place):
    # jemalloc, which is part of the program, does its own bookkeeping: without it, Valgrind sees every allocation. Valgrind supports
    # neither AVX-512 nor io_uring.
    environment = {**os.environ, "LC_ALL": "C", "TRAWL_ISA": "avx2", "TRAWL_IO": "pwrite"}
    command = ["valgrind", "-q", "--error-exitcode=%d" % FOUND, "--soname-synonyms=somalloc=NONE", "--child-silent-after-fork=yes", trawl, *words]
    started = time.monotonic()
    done = subprocess.run(command, cwd=place, capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S,
                          check=False, env=environment)
    seconds = time.monotonic() - started
    if done.returncode in (0, 1, 3) and b"== Invalid" not in done.stderr and b"uninitialised" not in done.stderr:
        return True, seconds
    print("FAIL %s: status %d:\n%s" % (" ".join(words), done.returncode, done.stderr.decode(errors="replace")[:3000]))
    return False, seconds


def main():
    trawl = ROOT / "zig-out" / "bin" / "trawl"
    if not shutil.which("valgrind"):
        print("SKIPPED no valgrind\n0 passed, 0 failed, 1 skipped")
        return 0
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="trawl-valgrind-") as name:
        place = Path(name)
        prepare(trawl, place)
        for words in SAMPLE if "--sample" in sys.argv else COMMANDS:
            is_good, _ = check(trawl, words, place)
            passed += is_good
            failed += not is_good
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
