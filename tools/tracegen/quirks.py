"""Small traces that show one quirk or rule each, with what the output must contain."""

import elf
from elf import ElfWriter, Symbol
from sample import Expectation, Trace, from_lines

SCENARIOS = {}


def scenario(name):
    """Register a maker of (lines, expectations) or of a whole trace under a name."""
    def register(maker):
        SCENARIOS[name] = maker
        return maker
    return register


def make_quirk(rng, name=None):
    """Return the trace of one scenario."""
    name = name or rng.pick(sorted(SCENARIOS))
    made = SCENARIOS[name](rng)
    trace = made if isinstance(made, Trace) else Trace(from_lines(made[0]), expectations=made[1])
    trace.kind = "quirk"
    trace.tags.add(name)
    return trace


def arm(time, address, state="A", text="NOP"):
    """Return an instruction line of four bytes."""
    return "%d clk IT (1) %08x e1a00000 %s svc : %s" % (time, address, state, text)


def seen(pattern, tool="calltree", options=(), arguments=()):
    """Return the expectation that a tool prints something."""
    return Expectation(tool, pattern, list(options), list(arguments))


def debug(pattern):
    """Return the expectation of a line of the call debug output."""
    return seen(pattern, options=["--debug=call_heuristics"])


CALL = r"    o t:"
NO_CALL = r"\A(?!.*    o t:)o t:"


def call_lines(updates, gap=0, target=0x9000, back=0x8008, state="A", between=()):
    """Return a call: register updates at the instruction that sets the link register, then fillers, body, return."""
    lines = [arm(1, 0x8000 - 4 * gap, state), arm(2, 0x8004 - 4 * gap, state)]
    lines += ["2 clk R %s" % update for update in updates]
    lines += [arm(3 + i, 0x8008 - 4 * gap + 4 * i, state) for i in range(gap)]
    lines += list(between)
    lines += [arm(30, target, state), arm(31, target + 4, state), arm(40, back, state)]
    return lines + [arm(41, back + 4, state)]


def link_alias(name, value, state, expected):
    """Register the scenario that a register name is, or is not, the link register."""
    @scenario("link register: %s in %s" % (name.split("<")[0], state))
    def make(rng):
        lines = call_lines(["%s %s" % (name, value)], state=state)
        return lines, [seen(CALL if expected else NO_CALL)]


for alias in ("r14", "R14", "lr", "LR_irq", "r14_svc", "w14", "W14"):
    link_alias(alias, "00008008", "A", True)
for alias in ("x14", "e14", "E14"):
    link_alias(alias, "0000000000008008", "A", True)
for alias in ("x30", "X30", "E30", "e30", "x30_foo", "x30<63:0>"):
    link_alias(alias, "0000000000008008", "O", True)
for alias in ("lr", "r14", "w14", "elr", "w29"):
    link_alias(alias, "00008008", "O", False)
for alias in ("elr", "spsr", "r15", "lx", "psp"):
    link_alias(alias, "00008008", "A", False)


@scenario("link register written in bit ranges")
def link_ranges(rng):
    """Two halves make one value; the second is in the node of the first."""
    updates = ["x30<31:0> 00008008", "x30<63:32> 00000000"]
    return call_lines(updates, state="O"), [seen(CALL)]


@scenario("link register written with -- bytes")
def link_dashes(rng):
    """Bytes written as -- keep the previous value."""
    return call_lines(["r14 00008000", "r14 ------08"]), [seen(CALL)]


@scenario("link register with unknown bytes")
def link_unknown(rng):
    """A value that is not fully known makes no call."""
    return call_lines(["r14 ----8008"]), [seen(NO_CALL)]


@scenario("w30 alone is no known link register")
def link_half(rng):
    """Half of x30 is not a known value; with the other half it is."""
    return call_lines(["w30 00008008"], state="O"), [seen(NO_CALL)]


@scenario("surplus digits run on into the next register")
def surplus_digits(rng):
    """24 digits for r13 also write r14."""
    return call_lines(["r13 000080080000000000001000"]), [seen(CALL), debug("sp=1000, pc=9000")]


def window(gap, expected):
    """Register the scenario of a link register written some instructions before the jump."""
    @scenario("link register window of %d" % (gap + 1))
    def make(rng):
        lines = call_lines(["r14 00008008"], gap)
        return lines, [seen(CALL if expected else NO_CALL)]


for instructions in (5, 6, 7, 8):
    window(instructions, instructions < 7)


def distance(delta, expected):
    """Register the scenario of a link value some bytes off the next address."""
    @scenario("link value %+d bytes off" % delta)
    def make(rng):
        value = 0x8008 + delta
        lines = call_lines(["r14 %08x" % value], back=value)
        return lines, [debug("inserting" if expected else r"\A(?!.*inserting)")]


for off, counts in ((63, True), (64, False), (-63, True), (-64, False), (4, True), (-4, True)):
    distance(off, counts)


def thumb_return(back, link, expected):
    """Register the scenario of a Thumb call with or without bit 0 of the link value."""
    @scenario("Thumb link value %x, return to %x" % (link, back))
    def make(rng):
        lines = call_lines(["r14 %08x" % link], back=back, state="T")
        return lines, [debug("looks like return" if expected else r"\A(?!.*looks like return)")]


thumb_return(0x8008, 0x8009, True)
thumb_return(0x8008, 0x8008, False)


@scenario("skipped instructions count in the window")
def failed_counts(rng):
    """Lines of failed conditions count like others towards the age of the link register."""
    lines = call_lines(["r14 00008008"], 7)
    lines = [line.replace("IT", "IS") if "8000 " in line else line for line in lines]
    return lines, [seen(NO_CALL)]


@scenario("any discontinuity closes the window")
def discontinuity(rng):
    """After a jump between them, the value of the link register no longer makes a call."""
    lines = call_lines(["r14 00008008"], 0, between=[arm(5, 0x8800), arm(6, 0x8804)])
    return lines, [debug("transfer of control @ 4, sp=ffffffffffffffff, pc=8800\n  inserting")]


@scenario("duplicate key keeps the old line")
def duplicate_key(rng):
    """The same call again before its return: the first line is kept."""
    lines = ["0 clk R r13 00001000", arm(1, 0x8000), "1 clk R r14 00008004", arm(2, 0x9000),
             arm(3, 0x8000), "3 clk R r14 00008004", arm(4, 0xA000), arm(5, 0x8004)]
    return lines, [debug("looks like return for call @ 4\n")]


@scenario("intervals overlap without nesting")
def overlap(rng):
    """Two calls that return in the wrong order."""
    lines = ["0 clk R r13 00001000", arm(1, 0x8000), "1 clk R r14 00008004", arm(2, 0x9000),
             "2 clk R r14 00009004", arm(3, 0xA000), arm(4, 0x8004), arm(5, 0x9004),
             arm(6, 0x9008)]
    return lines, [debug("return for call @ 4\n.*return for call @ 6\n")]


@scenario("unknown stack pointer is 2^64-1")
def unknown_stack(rng):
    """Calls are matched without any stack pointer."""
    return call_lines(["r14 00008008"]), [debug("sp=ffffffffffffffff, pc=9000"), seen(CALL)]


@scenario("higher stack pointer drops calls")
def stack_drop(rng):
    """An SP above that of a pending call, written twice."""
    between = ["5 clk R r13 00002000", arm(6, 0x9004), "7 clk R r13 00002000", arm(8, 0x9008),
               "9 clk R r13 00001000", arm(9, 0x900C)]
    lines = ["0 clk R r13 00001000", arm(1, 0x8000), "1 clk R r14 00008004", arm(2, 0x9000)]
    return lines + between + [arm(20, 0x8004)], [seen(NO_CALL)]


@scenario("stack pointer counts one node late")
def stack_late(rng):
    """A single write of a higher SP drops nothing: the previous node's value counts."""
    lines = ["0 clk R r13 00001000", arm(1, 0x8000), "1 clk R r14 00008004", arm(2, 0x9000),
             "5 clk R r13 00002000", "5 clk R r13 00001000", arm(6, 0x9004), arm(20, 0x8004)]
    return lines, [seen(CALL)]


@scenario("call that never returns is not shown")
def never_returns(rng):
    """The tree contains only calls with a matching return."""
    return call_lines(["r14 00008008"])[:-2], [debug("inserting"), seen(NO_CALL)]


@scenario("call to the next address is no transfer")
def call_next(rng):
    """BL to the instruction after it."""
    lines = [arm(1, 0x8000), "1 clk R r14 00008004", arm(2, 0x8004), arm(3, 0x8008)]
    return lines, [debug(r"\A(?!transfer)")]


@scenario("last node has no instruction: pc 0x2")
def last_node(rng):
    """A register at a new time after the last instruction."""
    return [arm(1, 0x8000), "2 clk R r0 00000001"], [seen("- t:2 l:2 pc:0x2 : \n")]


@scenario("call site without instruction: pc 0x2")
def site_node(rng):
    """The node before a call's entry may hold no instruction."""
    lines = call_lines(["r14 00008008"], between=["25 clk R r0 00000000"])
    return lines, [seen(r"  - t:25 l:4 pc:0x2 - t:40")]


@scenario("no instruction at all")
def no_instruction(rng):
    """Events, but nothing executed."""
    lines = ["Tarmac", "1 clk R r0 00000000", "2 clk P"]
    return lines, [seen("o t:0 l:1 pc:0x0 - t:0 l:1 pc:0x0 : \n")]


@scenario("instruction joins a node begun by an event")
def joined_node(rng):
    """A register at a new time starts the node; the instruction joins it."""
    lines = [arm(10, 0x8000), "11 clk R r0 00000000", arm(11, 0x8004)]
    return lines, [seen(r"\(line:2, pos:", "callinfo", arguments=["0x8004"])]


@scenario("unknown register starts no node")
def unknown_starts_nothing(rng):
    """Its line belongs to the previous node, though its time is used."""
    lines = [arm(10, 0x8000), "20 clk R FOO 1", "R r1 00000001", arm(20, 0x8004)]
    return lines, [seen(r"time: 20 \(line:3, pos:", "callinfo", arguments=["0x8004"])]


@scenario("ignored line carries its time on")
def tarmac_time(rng):
    """The time of a Tarmac line is inherited by the next line without time."""
    lines = [arm(10, 0x8000), "33 Tarmac Text", "IT (2) 8004 e1a00000 A svc : x"]
    return lines, [seen(r"time: 33 \(line:3", "callinfo", arguments=["0x8004"])]


@scenario("time going back is raised")
def time_back(rng):
    """Times never fall."""
    lines = [arm(30, 0x8000), "25 clk R r0 00000000", arm(25, 0x8004)]
    return lines, [seen(r"time: 30 \(line:3", "callinfo", arguments=["0x8004"])]


@scenario("error lines do not count the header")
def error_line(rng):
    """An error in line 5 after two header lines is reported as line 3."""
    lines = ["Tarmac", "R psp 0", arm(1, 0x8000), "P", "IT zz", "P"]
    return lines, [seen(r"t\.tarmac:3: expected a hex value")]


@scenario("error before any event is line 1")
def early_error(rng):
    """Regardless of the number of lines before it."""
    return ["Tarmac", "Tarmac", "Tarmac", "IT zz", "P"], [seen(r":1: expected a hex value")]


@scenario("warnings before the first event are line 1")
def early_warning(rng):
    """Later warnings count every line."""
    lines = ["Tarmac", "R DC 1", "R IC 1", arm(1, 0x8000), "FOO", "FOO", "BAR"]
    return lines, [seen(r":1: unsupported.*:1: unsupp.*:5: unknown.*'FOO'.*:7: unknown.*'BAR'")]


@scenario("warning once for each type")
def warning_once(rng):
    """The second FOO is silent."""
    return [arm(1, 0x8000), "FOO", "BAR", "FOO"], [seen(r"\A(?!.*FOO.*FOO).*FOO.*BAR")]


@scenario("partial last line in error")
def partial_last(rng):
    """It is reported and ignored."""
    data = from_lines([arm(1, 0x8000)]) + b"2 clk IT (zz"
    pattern = r"ignoring parse error on partial last line \(trace truncated\?\)"
    return Trace(data, expectations=[seen(pattern), seen("- t:1 l:1 pc:0x8000")])


@scenario("partial last line alone")
def partial_alone(rng):
    """Then there are no events."""
    return Trace(b"IT (zz", expectations=[seen("ignoring.*error: trace file contains no events")])


@scenario("sound last line without newline")
def unended_line(rng):
    """It counts like any other line."""
    data = from_lines([arm(1, 0x8000)]) + arm(2, 0x8004).encode()
    return Trace(data, expectations=[seen("- t:2 l:2 pc:0x8004")])


@scenario("CRLF line ends")
def crlf(rng):
    """Carriage returns at the end of a line are not part of the line."""
    data = from_lines(call_lines(["r14 00008008"]), "\r\n")
    return Trace(data, expectations=[seen(CALL)])


@scenario("line of one carriage return")
def lone_return(rng):
    """It is lexed as a blank."""
    return [arm(1, 0x8000), "\r", arm(2, 0x8004)], [seen("unknown Tarmac event type ''")]


@scenario("lexing stops where a rule ends")
def lazy_lexer(rng):
    """Invalid characters further on are ignored."""
    lines = [arm(1, 0x8000, text="x {"), "E e {", "FOO a {", "R r0 00000001 x {", "EXC {",
             "MR4 100 1 {", "R DC x {", "LD 100 ................................{", "Tarmac {"]
    return lines, [seen(r"\A(?!.*Unrecognised)")]


@scenario("first token of the text is lexed")
def eager_token(rng):
    """A brace at the start of the disassembly is fatal."""
    return [arm(1, 0x8000, text="{x}"), "P"], [seen("Unrecognised token")]


@scenario("byte order mark is fatal")
def byte_order_mark(rng):
    """The first token cannot be lexed."""
    data = b"\xef\xbb\xbf" + from_lines([arm(1, 0x8000)])
    return Trace(data, expectations=[seen("Unrecognised token")])


@scenario("NUL byte ends a line's tokens")
def nul_byte(rng):
    """An empty event type."""
    return ["1 clk \0IT zz", arm(1, 0x8000)], [seen("unknown Tarmac event type ''")]


@scenario("continuation line of LD")
def continuation(rng):
    """Lines whose first token is below the address continue the transfer."""
    row = "00001000 00112233445566778899aabbccddeeff"
    lines = [arm(1, 0x8000), "2 clk LD " + row, "         " + row, "         " + row]
    return lines + [arm(3, 0x8004)], [seen(r"\A(?!.*unknown)")]


@scenario("continuation in another column is a time")
def no_continuation(rng):
    """If the address is one column off, it is taken for the time."""
    lines = [arm(1, 0x8000), "2 clk LD 1000 ................................",
             "        1000 ................................", arm(3, 0x8004)]
    return lines, [seen("unknown Tarmac event type '[.]+'")]


@scenario("blank line in the column of the address fails")
def blank_continuation(rng):
    """A line of blanks is taken as a continuation."""
    lines = [arm(1, 0x8000), "2 clk LD 1000 ................................", " " * 9, "P"]
    return lines, [seen("expected load/store memory address")]


@scenario("encoding before state: last number is the address")
def encoding_address(rng):
    """IT (8000:7) puts the instruction at 7."""
    return ["1 clk IT (8000:7) 48f6 T16 LDR"], [seen("pc:0x7 ")]


@scenario("a token that spells a state is one")
def state_wins(rng):
    """IT (9000) e1 A: A is not the encoding."""
    return ["1 clk IT (9000) a A : x"], [seen("pc:0x9000")]


@scenario("width of nine digits")
def odd_width(rng):
    """36 bits count as four bytes."""
    lines = ["1 clk IT (1) 8000 0e1a00000 A svc : x", arm(2, 0x8004)]
    return lines, [debug(r"\A(?!transfer)")]


@scenario("hyphens for an encoding")
def hyphens(rng):
    """A failed fetch; the width is the number of hyphens."""
    lines = ["1 clk ES (8000:----) T svc : x", "2 clk ES (8002:--------) T svc : CCFAIL x",
             arm(3, 0x8006, "T")]
    return lines, [debug(r"\A(?!transfer)"), seen("pc:0x8001")]


@scenario("implicit Thumb")
def implicit_thumb(rng):
    """Lines without state, and one with."""
    lines = ["1 clk IT (1) 8000 46c0 NOP", "2 clk IT (2) 8002 46c0 MOV r0", arm(3, 0x8004)]
    trace = Trace(from_lines(lines), options=["--implicit-thumb"])
    trace.expectations = [seen("o t:1 l:1 pc:0x8001 - t:3 l:3 pc:0x8004", options=trace.options)]
    return trace


@scenario("prefixes of every kind")
def prefixes(rng):
    """Units, glued units, fractions, CPU names."""
    stamps = ["1 clk", "2ns", "0.000003", "0.000004us cpu0", "5 cyc cpu0.core1", "6 cpu", "cpu1", "",
              "7.5.6"]
    lines = ["%s IT (1) %x e1a00000 A svc : x" % (stamp, 0x8000 + 4 * i)
             for i, stamp in enumerate(stamps)]
    return lines, [seen("o t:1 l:1 pc:0x8000 - t:7500000 l:9 pc:0x8020")]


@scenario("unknown unit becomes the type")
def unknown_unit(rng):
    """ms is no unit."""
    return ["1 ms IT (1) 8000 e1 A : x"], [seen("unknown Tarmac event type 'ms'")]


@scenario("large fraction loses digits")
def large_fraction(rng):
    """Above 2^53 a double cannot hold every microsecond."""
    lines = ["9007199254.740993us IT (1) 8000 e1a00000 A svc : x"]
    return lines, [seen("t:9007199254740992")]


@scenario("greatest time is no time")
def greatest_time(rng):
    """The reference uses 2^64-1 for "none yet"."""
    lines = ["%d IT (1) 8000 e1a00000 A svc : x" % (2**64 - 1), arm(10, 0x8004)]
    return lines, [seen("o t:10 l:2 pc:0x8004")]


@scenario("system register name taken for s3")
def system_register(rng):
    """S3_0_C15_C2_1 needs eight digits."""
    return [arm(1, 0x8000), "R S3_0_C15_C2_1 1", "P"], [seen("expected register contents\n")]


@scenario("callinfo skips a line that follows directly")
def callinfo_skip(rng):
    """Of five visits in five lines, three are shown."""
    lines = [arm(i, 0x8000) for i in range(1, 6)]
    pattern = r"line:1, .*line:3, .*line:5, "
    bad = r"\A(?!.*line:2, )(?!.*line:4, )"
    return lines, [seen(pattern, "callinfo", arguments=["0x8000"]),
                   seen(bad, "callinfo", arguments=["0x8000"])]


@scenario("callinfo 0x6 lists exceptions")
def callinfo_exceptions(rng):
    """Exceptions are in the list of PC 6."""
    lines = [arm(1, 0x8000), "2 clk E irq", arm(3, 0x8004), "5 clk EXC", "IT EXC x"]
    return lines, [seen(r"time: 2 \(line:2.*time: 5 \(line:4", "callinfo", arguments=["0x6"])]


@scenario("callinfo lists start afresh with each function")
def callinfo_afresh(rng):
    """A line that follows the last one of another list is not skipped."""
    lines = [arm(1, 0x8000), arm(2, 0x8004), arm(3, 0x8008)]
    return lines, [seen("line:1, .*line:2, .*line:3, ", "callinfo",
                        arguments=["0x8000", "0x8004", "0x8008"])]


@scenario("instruction at 6 shares the list of exceptions")
def callinfo_six(rng):
    """A node that has both makes one entry."""
    lines = [arm(1, 0x6), "1 clk EXC", arm(2, 0x8000), "4 clk EXC"]
    return lines, [seen(r"\A - time: 1 \(line:1, pos:0\)\n - time: 4 \(line:4, pos:[0-9]+\)\n\Z",
                        "callinfo", arguments=["0x6"])]


@scenario("only the line before counts for a continuation")
def broken_continuation(rng):
    """A Tarmac line in between ends the transfer."""
    lines = [arm(1, 0x8000), "2 clk LD 1000 ................................", "Tarmac",
             "         1000 ................................", arm(3, 0x8004)]
    return lines, [seen("unknown Tarmac event type '[.]+'")]


@scenario("callinfo address drops bit 0")
def callinfo_thumb(rng):
    """0x8001 and 0x8000 are the same."""
    return [arm(1, 0x8000, "T")], [seen(r"line:1", "callinfo", arguments=["0x8001"])]


@scenario("callinfo without image")
def callinfo_name(rng):
    """Names cannot be looked up."""
    return [arm(1, 0x8000)], [seen("No image, symbol 'f' can not be looked up !", "callinfo",
                                   arguments=["f"])]


def with_image(lines, symbols, expectations, bits=64, big_endian=False):
    """Return a trace with an image of these symbols."""
    image = ElfWriter(bits, big_endian).image([Symbol("low", 0x10)] + symbols)
    return Trace(from_lines(lines), image=image, expectations=expectations)


def imaged(pattern, tool="calltree", options=(), arguments=()):
    """Return an expectation of a tool run with the image."""
    return seen(pattern, tool, ["--image=i.elf"] + list(options), arguments)


@scenario("offset after a name is the whole PC")
def name_offset(rng):
    """main + 0x8000, not + 0x10."""
    lines = call_lines(["r14 00008008"])
    symbols = [Symbol("main", 0x7FF0, 0x100), Symbol("callee", 0x8FF0, 0x100)]
    return with_image(lines, symbols, [imaged(r"main \+ 0x8000\n.*callee \+ 0x9000\n")])


@scenario("--no-offsets works for the root only")
def root_offset(rng):
    """In calltree and flame graph; in profile it works for all."""
    lines = call_lines(["r14 00008008"])
    symbols = [Symbol("main", 0x7FF0, 0x100), Symbol("callee", 0x8FF0, 0x100)]
    option = ["--no-offsets"]
    return with_image(lines, symbols, [
        imaged(r": main\n.*callee \+ 0x9000\n", options=option),
        imaged(r"main;callee \+ 0x9000 ", "flamegraph", option),
        imaged(r" main\n.* callee\n", "profile", option)])


@scenario("load offset counts for callinfo names only")
def load_offset(rng):
    """Other tools look names up without it."""
    symbols = [Symbol("main", 0x7000, 0x100), Symbol("f", 0x8000, 0x10)]
    option = ["--load-offset=0x1000"]
    return with_image([arm(1, 0x8000)], symbols, [
        imaged("Symbol 'main' at 0x8000 .*line:1", "callinfo", option, ["main"]),
        imaged(": f\n", options=option)])


@scenario("symbols at the lowest address are never found")
def lowest_symbol(rng):
    """Neither by size nor as the nearest symbol below."""
    image = ElfWriter(32).image([Symbol("low", 0x8000, 0x100), Symbol("high", 0x9000)])
    return Trace(from_lines([arm(1, 0x8000)]), image=image,
                 expectations=[imaged(r"pc:0x8000 : \n")])


@scenario("duplicate names show their value")
def duplicate_names(rng):
    """NAME@0xVALUE in lists, NAME#k in arguments."""
    symbols = [Symbol("f", 0x8000, 16), Symbol("f", 0x9000, 16, binding=elf.LOCAL)]
    return with_image(call_lines(["r14 00008008"]), symbols, [
        imaged(r"f@0x8000\n.*f@0x9000\n"),
        imaged(r"at 0x9000", "callinfo", arguments=["f#1"]),
        imaged(r"at 0x8000", "callinfo", arguments=["f"]),
        imaged(r"Symbol 'f#7' not found !", "callinfo", arguments=["f#7"])], 32, True)


@scenario("mapping symbols are left out")
def mapping_symbols(rng):
    """$a and similar names, with any suffix."""
    symbols = [Symbol("f", 0x7FF0), Symbol("$a.x", 0x8000), Symbol("$d", 0x8000, 4)]
    return with_image([arm(1, 0x8000)], symbols, [imaged(r": f \+ 0x8000\n")])


@scenario("inner symbol with size wins")
def nested_symbols(rng):
    """The symbol with the highest start whose size covers the address; symbols without size only if there is no other."""
    symbols = [Symbol("outer", 0x7000, 0x4000), Symbol("bare", 0x7FF0), Symbol("in", 0x7F00, 0x200)]
    return with_image([arm(1, 0x8000)], symbols, [imaged(r": in \+ 0x8000\n")])


@scenario("Thumb symbols keep bit 0")
def thumb_symbol(rng):
    """The value 0x8001 is where the function starts."""
    symbols = [Symbol("t", 0x8001, 8)]
    return with_image([arm(1, 0x8000, "T")], symbols, [
        imaged(r": t\n"), imaged("at 0x8001 .*line:1", "callinfo", arguments=["t"])], 32)


@scenario("undefined and absolute symbols count")
def undefined_symbols(rng):
    """Weak symbols count, too."""
    symbols = [Symbol("u", 0x8000, 8, elf.NOTYPE, elf.WEAK, elf.UNDEFINED),
               Symbol("a", 0x9000, 8, elf.OBJECT, elf.LOCAL, elf.ABSOLUTE)]
    return with_image(call_lines(["r14 00008008"]), symbols, [imaged(r": u\n.*: a\n")])


@scenario("endianness mismatch")
def endianness(rng):
    """The option overrides the image, with a note."""
    note = "Endianness mismatch between image and provided endianness"
    return with_image([arm(1, 0x8000)], [], [imaged(note, options=["--bi"])])


@scenario("recursion counts repeatedly in the profile")
def recursion(rng):
    """A function inside itself is counted twice."""
    lines = [arm(1, 0x8000), "1 clk R r14 00008004", arm(2, 0x9000), arm(3, 0x9004),
             "3 clk R r14 00009008", arm(4, 0x9000), arm(5, 0x9008), arm(9, 0x8004)]
    return lines, [seen(r"0x9000 +2  ", "profile")]


@scenario("zero counts are printed")
def zero_count(rng):
    """A call that takes no time still has its line."""
    lines = [arm(5, 0x8000), "5 clk R r14 00008004", arm(5, 0x9000), arm(5, 0x8004)]
    return lines, [seen("0x8000;0x9000 0\n", "flamegraph")]


@scenario("counts are modulo 2^64")
def wrapped_count(rng):
    """Time can fall after it has reached its greatest value."""
    lines = [arm(10, 0x8000), arm(2**64 - 1, 0x8004), arm(5, 0x8008)]
    return lines, [seen("0x8000 18446744073709551611\n", "flamegraph"),
                   seen("0x8000      1           18446744073709551612 ", "profile")]


@scenario("flame graph without a writable file says nothing")
def silent_output(rng):
    """The reference exits with status 0."""
    return [arm(1, 0x8000)], [seen(r"\A\Z", "flamegraph", ["-o", "none/x"])]


@scenario("calls nine deep")
def deep_calls(rng):
    """Nine nested calls, and their returns."""
    lines = ["0 clk R r13 00001000"]
    for depth in range(9):
        lines += [arm(2 * depth, 0x8000 + 0x100 * depth), "%d clk R r14 %08x" % (
            2 * depth, 0x8004 + 0x100 * depth)]
    lines.append(arm(20, 0x8900))
    lines += [arm(30 - depth, 0x8004 + 0x100 * depth) for depth in range(8, -1, -1)]
    return lines, [seen(r"\n {36}o t:")]
