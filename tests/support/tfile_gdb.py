"""Runs inside GDB, for tests: shows every frame of a trace file as one line of JSON each, after "=".

`asked` is the path of a JSON file with the trace file, the registers, the variables, and for each frame the addresses and sizes of
memory; "frames" contains their numbers, unless all are shown.
"""

import json

import gdb

MISSING = ".."


def value(text):
    """A number from GDB's output of its bytes; None: there is none."""
    try:
        shown = gdb.execute(f"output/x {text}", to_string=True)
        return None if "unavailable" in shown or shown == "void" else int(shown, 16)
    except gdb.error as error:
        if "not available" in str(error) or "unavailable" in str(error):
            return None
        raise


def byte(address):
    try:
        return gdb.selected_inferior().read_memory(address, 1)[0].hex()
    except gdb.error:  # from memory, unavailable, or without an address
        return MISSING


def signed(number):
    return number - 2**64 if number and number >= 2**63 else number


def lane_of(name):
    """The field of a vector that contains it as a number, in GDB: of AArch64, of x86, or none."""
    fields = [field.name for field in gdb.parse_and_eval("$" + name).type.fields()]
    return "q.u[0]" if "q" in fields else "uint128"


def show(number, registers, variables, windows):
    gdb.execute("tfind none", to_string=True)  # otherwise a frame that GDB cannot read would block the next
    gdb.execute(f"tfind {number}", to_string=True)
    vectors = {name for name in registers if gdb.parse_and_eval("$" + name).type.code == gdb.TYPE_CODE_UNION}
    frame = {
        "number": value("$trace_frame"),
        "tracepoint": value("$tracepoint"),
        "variables": {name: signed(value("$" + name)) for name in variables},
        "registers": {
            name: value(f"${name}.{lane_of(name)}" if name in vectors else f"${name}") for name in registers
        },
        "memory": ["".join(byte(int(at, 16) + i) for i in range(size)) for at, size in windows],
    }
    print("=" + json.dumps(frame))


def main():
    with open(asked) as file:  # set on GDB's command line
        wanted = json.load(file)
    gdb.execute("set pagination off")
    gdb.execute(f"target tfile {wanted['file']}", to_string=True)
    numbers = wanted.get("frames", range(len(wanted["memory"])))
    for number, windows in zip(numbers, wanted["memory"]):
        show(number, wanted["registers"], wanted["variables"], windows)


main()
