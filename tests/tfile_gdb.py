"""Runs inside GDB, for tests: shows every frame of a trace file, one line of JSON each behind a "=".

`asked` names a JSON file: the trace file, the registers, and for each frame addresses and sizes.
"""

import json

import gdb

MISSING = ".."


def value(text):
    """A number as GDB prints its bytes, None where it has none."""
    try:
        shown = gdb.execute(f"output/x {text}", to_string=True)
        return None if "unavailable" in shown else int(shown, 16)
    except gdb.error as error:
        if "not available" in str(error):
            return None
        raise


def byte(address):
    try:
        return gdb.selected_inferior().read_memory(address, 1)[0].hex()
    except gdb.error:  # of memory, unavailable or without a place
        return MISSING


def signed(number):
    return number - 2**64 if number >= 2**63 else number


def show(number, registers, windows):
    gdb.execute(f"tfind {number}", to_string=True)
    vectors = {name for name in registers if gdb.parse_and_eval("$" + name).type.code == gdb.TYPE_CODE_UNION}
    names = ["trawl_event", "trawl_time", "trawl_unknown", "trawl_unknown_vector"]
    frame = {
        "number": value("$trace_frame"),
        "tracepoint": value("$tracepoint"),
        "variables": {name: signed(value("$" + name)) for name in names},
        "registers": {name: value(f"${name}.q.u[0]" if name in vectors else f"${name}") for name in registers},
        "memory": ["".join(byte(int(at, 16) + i) for i in range(size)) for at, size in windows],
    }
    print("=" + json.dumps(frame))


def main():
    with open(asked) as file:  # set on GDB's command line
        wanted = json.load(file)
    gdb.execute("set pagination off")
    gdb.execute(f"target tfile {wanted['file']}", to_string=True)
    for number, windows in enumerate(wanted["memory"]):
        show(number, wanted["registers"], windows)


main()
