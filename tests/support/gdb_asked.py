"""Runs inside GDB, for tests: asks a trace that is its target for what it knows, and writes JSON after "=".

`asked` is what to do: {"points": [[thread, position, [registers], address, size]...]}, or {"stops": [[commands, command]...]}, or
{"steps": [[command, count]...]}.
"""

import json
import re

import gdb


def quiet(command):
    return gdb.execute(command, to_string=True)


def register(name):
    """Its value; None: it is unavailable. A vector is one number."""
    try:
        if "<unavailable>" in quiet(f"info registers {name}"):
            return None
        value = gdb.selected_frame().read_register(name)
    except gdb.error:  # GDB has no frame if it does not know the link register
        return "no frame"
    if value.type.code == gdb.TYPE_CODE_UNION:
        parts = value["b"]["u"]
        return sum(int(parts[at]) << 8 * at for at in range(16))
    if value.type.code == gdb.TYPE_CODE_FLT:
        return int(quiet(f"output/x ${name}"), 16)
    return int(value) & (1 << 8 * value.type.sizeof) - 1


def memory(address, size):
    """The bytes, as far as GDB gets them: .. for each that it does not."""
    found = []
    for at in range(address, address + size):
        try:
            found.append(gdb.selected_inferior().read_memory(at, 1)[0].hex())
        except gdb.error:
            found.append("..")
    return "".join(found)


def frames():
    found = []
    try:
        frame = gdb.newest_frame()
        while frame is not None and len(found) < 60:
            if frame.type() != gdb.INLINE_FRAME:
                found.append(frame.name() or hex(frame.pc()))
            frame = frame.older()
    except gdb.error:  # none where the link register is not known
        pass
    return found


def at_point(thread, position, registers, address, size):
    quiet(f"monitor goto {position}")
    quiet("maintenance flush register-cache")
    quiet("maintenance flush dcache")
    quiet(f"thread {thread}")
    quiet("frame 0")
    return {
        "registers": {name: register(name) for name in registers},
        "memory": memory(address, size),
        "frames": frames(),
    }


def line():
    match = re.search(r"^event .* line (\d+)", quiet("monitor where"), re.MULTILINE)
    return int(match[1]) if match else None


def stops(commands, go):
    """The lines of the trace at which a command stops for a breakpoint or watchpoint, until it stops for another reason."""
    found, reasons = [], []
    gdb.events.stop.connect(reasons.append)
    for command in commands:
        quiet(command)
    while len(found) < 1000:
        quiet(go)
        if not isinstance(reasons[-1], gdb.BreakpointEvent):
            break
        found.append(line())
    gdb.events.stop.disconnect(reasons.append)
    quiet("delete")
    return found


def steps(command, count):
    """The line of the trace where each of so many steps stops, until there is no further one."""
    found = []
    for _ in range(count):
        try:
            quiet(command)
        except gdb.error as error:  # finish in the outermost frame; a frame without a link register
            if "not available" not in str(error):
                break
        at = line()
        if len(found) > 9 and set(found[-9:]) == {at}:
            break
        found.append(at)  # the same again if a step leads into an inlined function
    return found


gdb.execute("set pagination off")
if "points" in asked:
    gdb.execute("set backtrace past-main on")
    result = [at_point(*point) for point in asked["points"]]
elif "stops" in asked:
    result = [stops(*one) for one in asked["stops"]]
else:
    result = [steps(*one) for one in asked["steps"]]
print("=" + json.dumps(result))
