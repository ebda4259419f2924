"""Source lines and inlined functions of addresses, from llvm-symbolizer."""

import json
import shutil
import subprocess

TIMEOUT_S = 300


def tool():
    """Its path; None: not installed."""
    return shutil.which("llvm-symbolizer")


def chains(image, addresses):
    """{address: [(function, path, line)]}, the innermost first; "" and 0: unknown."""
    if not addresses:
        return {}
    wanted = "".join(f"{address:#x}\n" for address in addresses)
    done = subprocess.run([tool(), f"--obj={image}", "--output-style=JSON", "--inlines", "--no-demangle"], input=wanted, capture_output=True,
                          text=True, timeout=TIMEOUT_S, check=True)
    found = {}
    for line in done.stdout.splitlines():
        told = json.loads(line)
        found[int(told["Address"], 16)] = [(one["FunctionName"], one["FileName"], one["Line"]) for one in told["Symbol"]]
    return found
