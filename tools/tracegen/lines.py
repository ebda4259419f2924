"""Writes the lines of a trace in one of the dialects, or in a mix of them."""

IT_FORMS = ["it", "it_phys", "it_bare", "it_nomode", "it_comma"]
FORMS = IT_FORMS + ["es", "encoding_first", "encoding_single"]
TIME_MODES = ["always", "once", "glued", "fraction", "unitless", "fraction_glued"]
UNITS = ["clk", "ns", "cs", "cyc", "tic", "ps", "us"]
MODES = {"A": ["svc_s", "usr", "irq"], "T": ["thread", "svc", "handler"], "O": ["EL0t", "EL3h_s"]}
MNEMONICS = ["NOP", "MOV r0,r1", "ADD x0,x1,#1", "LDR w2,[x3]", "B {pc}+8 ; 0x8008", ""]


class Style:
    """How the lines of one trace look."""

    def __init__(self, rng):
        self.form = rng.pick(FORMS)
        self.mixed = rng.chance(15)
        self.time_mode = rng.pick_weighted([(mode, 2) for mode in TIME_MODES] + [("always", 8)])
        self.unit = rng.pick(UNITS)
        self.cpu = rng.pick(["", "", "", "cpu0 ", "cpu0.core1 ", "cpu "])
        self.hex_width = rng.pick([8, 8, 8, 16, 1])
        self.upper = rng.chance(20)
        self.implicit = False
        self.indent = rng.pick(["", "", "", " ", "\t", "     "])


class LineWriter:
    """Collects the lines of a trace; knows the clock and the style."""

    def __init__(self, rng, style=None, start_time=None):
        self.rng = rng
        self.style = style or Style(rng)
        self.lines = []
        self.time = rng.between(0, 1000) if start_time is None else start_time
        self.shown_time = None
        self.count = 0

    def prefix(self, time=None):
        """Return indent, time, unit and CPU name of a line."""
        time = self.time if time is None else time
        stamp = self.stamp(time)
        self.shown_time = time
        return self.style.indent + stamp + self.style.cpu

    def stamp(self, time):
        """Return the time as this style writes it, with a blank after it."""
        mode, unit = self.style.time_mode, self.style.unit
        if mode == "once" and time == self.shown_time:
            return ""
        if mode == "glued":
            return "%d%s " % (time, unit)
        if mode == "unitless":
            return "%d " % time
        if mode.startswith("fraction"):
            gap = "" if mode == "fraction_glued" else " "
            return "%d.%06d%s%s " % (time // 10**6, time % 10**6, gap, unit)
        return "%d %s " % (time, unit)

    def raw(self, text, time=None):
        """Add a line with the usual prefix."""
        self.lines.append(self.prefix(time) + text)

    def bare(self, text):
        """Add a line as it is."""
        self.lines.append(text)

    def hex(self, value, width=None):
        """Return an address in this trace's width and case."""
        text = "%0*x" % (width or self.style.hex_width, value)
        return text.upper() if self.style.upper else text

    def instruction(self, address, isa, width=4, executed=True, text=None, encoding=None):
        """Add an instruction line."""
        self.count += 1
        encoding = encoding or self.rng.hex(2 * width)
        text = self.rng.pick(MNEMONICS) if text is None else text
        self.raw(self.instruction_text(address, isa, executed, encoding, text))

    def instruction_text(self, address, isa, executed, encoding, text):
        """Return an instruction record without its time."""
        style = self.style
        form = self.rng.pick(FORMS) if style.mixed else style.form
        if style.implicit:
            return self.implicit_text(address, executed, encoding, text)
        state = self.spell_state(isa, len(encoding))
        mode = self.rng.pick(MODES[isa])
        tail = "%s %s : %s" % (state, mode, text)
        if form == "es":
            failed = "" if executed else "CCFAIL "
            return "ES (%s:%s) %s %s : %s%s" % (
                self.hex(address), encoding, state, mode, failed, text)
        return self.it_text(form, address, executed, encoding, state, tail, text)

    def it_text(self, form, address, executed, encoding, state, tail, text):
        """Return an IT or IS record in one of its forms."""
        word = "IT" if executed else "IS"
        if executed and self.rng.chance(5):
            word = "IF"
        place, count = self.hex(address), self.count
        if form == "it_phys":
            return "%s (%d) %s:%s_NS %s %s" % (word, count, place, place, encoding, tail)
        if form == "it_comma":
            return "%s (%d) %s:%s_S,%s %s %s" % (word, count, place, place, place, encoding, tail)
        if form == "it_bare":
            return "%s %s %s %s" % (word, place, encoding, tail)
        if form == "it_nomode":
            return "%s (%d) %s %s %s : %s" % (word, count, place, encoding, state, text)
        if form == "encoding_first":
            return self.encoding_first(word, place, encoding, state, tail, text)
        if form == "encoding_single":
            return "%s (%s) %s %s" % (word, place, encoding, tail)
        return "%s (%d) %s %s %s" % (word, count, place, encoding, tail)

    def encoding_first(self, word, place, encoding, state, tail, text):
        """Return the form in which the address is in parentheses and repeated."""
        if state in ("T16", "T32") and self.rng.chance(50):
            return "%s (%s:%s) %s %s %s" % (word, place, place, encoding, state, text or "NOP")
        return "%s (%s:%s) %s %s" % (word, place, place, encoding, tail)

    def implicit_text(self, address, executed, encoding, text):
        """Return a record without instruction-set state (Thumb is implied)."""
        word = "IT" if executed else "IS"
        return "%s (%d) %s %s %s" % (
            word, self.count, self.hex(address), encoding, text or "NOP")

    def spell_state(self, isa, digits):
        """Return one of the spellings of an instruction-set state."""
        if isa != "T":
            return isa
        return self.rng.pick(["T", "T16" if digits == 4 else "T32"])

    def register(self, name, value, digits, time=None):
        """Add a register line."""
        self.raw("R %s %0*x" % (name, digits, value), time)
