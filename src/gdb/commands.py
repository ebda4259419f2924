"""Commands of GDB for a trace that trawl serves. `trawl gdb` has them; elsewhere: (gdb) source .../share/trawl/commands.py

They take any expression, also with blanks, and make GDB look again after the position has changed, as it cannot know of that.
"""

import gdb


def monitor(text):
    return gdb.execute("monitor " + text, to_string=True)


def look_again():
    for command in ("maintenance flush register-cache", "maintenance flush dcache", "frame"):
        gdb.execute(command)


def place_of(expression):
    """What trawl calls the place of an expression: ADDRESS:SIZE. Of one without an address, such as a variable in a register, trawl knows itself
    where it is, and a register it knows by its name."""
    try:
        value = gdb.parse_and_eval(expression)
        if value.address is not None:
            return f"{int(value.address):#x}:{value.type.strip_typedefs().sizeof}"
    except gdb.error:
        pass
    return expression.strip().lstrip("$")


class Goto(gdb.Command):
    """Go to a position of the trace: event:N, line:N, time:N, pc:ADDR, pc:ADDR#K, start, end, or a bookmark (monitor bookmark NAME)."""

    def __init__(self):
        super().__init__("trawl-goto", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _from_tty):
        print(monitor("goto " + argument).split("GDB does not know yet")[0], end="")
        look_again()


class Line(gdb.Command):
    """Go to a line of the trace."""

    def __init__(self):
        super().__init__("trawl-line", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _from_tty):
        gdb.execute("trawl-goto line:" + argument)


class Find(gdb.Command):
    """Go to where a condition begins to hold next on this core: trawl-find queue.length > 3. Ctrl-C ends it."""

    def __init__(self):
        super().__init__("trawl-find", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _from_tty):
        try:
            while (answer := monitor("find " + argument)).startswith("not up to"):
                pass
        except KeyboardInterrupt:
            answer = "interrupted\n"
        print(answer.split("GDB does not know yet")[0], end="")
        look_again()


class Writer(gdb.Command):
    """The last writes to what an expression denotes: trawl-writer jobs[i].next"""

    def __init__(self):
        super().__init__("trawl-writer", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        print(monitor("writes " + place_of(argument)), end="")


class Reader(gdb.Command):
    """The last reads of what an expression denotes: trawl-reader jobs[i].next"""

    def __init__(self):
        super().__init__("trawl-reader", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        print(monitor("reads " + place_of(argument)), end="")


class Origin(gdb.Command):
    """Where the value of an expression comes from, back to what computed it: trawl-origin jobs[i].next"""

    def __init__(self):
        super().__init__("trawl-origin", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        print(monitor("origin " + place_of(argument)), end="")


for command in (Goto, Line, Find, Writer, Reader, Origin):
    command()
