"""libtrawl for Python, for the functions that tests need."""

import ctypes
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

START, NONE, ANY_LANE = (2**64 - 1 - i for i in range(3))
EXCEPTIONS = 6
OK, NOT_FOUND = 0, 5
FORWARD, BACKWARD = 0, 1
HAS_INSTRUCTION = 4
WRITE_KINDS = ("store", "unknown store", "host", "outside")


class ErrorText(ctypes.Structure):
    _fields_ = [("status", c_int), ("line", c_uint64), ("offset", c_uint64), ("text", c_char * 480)]


class Info(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in (
        "trace_bytes trace_mtime_ns fingerprint_low fingerprint_high options events lines header_lines "
        "damaged_lines damaged_bytes refused_lane_lines lanes segments segment_events index_bytes").split()] + [
        ("kind", c_char_p)] + [(name, c_uint64) for name in (
            "kind_version ticks_per_second address_bytes machine functions").split()] + [
        ("is_snapshots", c_bool), ("is_by_lanes", c_bool)]


class Lane(ctypes.Structure):
    _fields_ = [("name", c_char_p)] + [(name, c_uint64) for name in (
        "line_events events instructions root transfers calls_returned calls_dropped calls_unreturned calls").split()
    ] + [("is_snapshot", c_bool), ("process_id", c_uint64), ("thread_id", c_uint64)]


class Event(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in "event lane in_lane time line position pc".split()] + [
        ("flags", c_uint32)]


class Call(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in "call entry exit pc depth parent".split()] + [
        ("is_open", c_bool), ("how", c_uint32), ("began", c_uint64)]


class Task(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in "task stack stack_low entry".split()]

    def row(self):
        return self.task, self.stack, self.stack_low, self.entry


class TaskRun(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in "run task first last".split()]

    def row(self):
        return self.run, self.task, self.first, self.last


class MemoryView(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in ("lane", "event", "space")] + [("is_physical", ctypes.c_bool)]


class Place(ctypes.Structure):
    _fields_ = [("place", c_uint64), ("size_bytes", c_uint64), ("kind", c_int)]


class Write(ctypes.Structure):
    _fields_ = [("event", c_uint64), ("kind", c_int), ("address", c_uint64), ("size_bytes", c_uint64)]


class Size(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("bytes", c_uint64)]


class Register(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("offset", c_uint64), ("size_bytes", c_uint64), ("flags", c_uint32),
                ("isas", c_uint32), ("shown", c_uint32), ("dwarf", c_uint32)]


class Symbol(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("address", c_uint64), ("size_bytes", c_uint64)]

    def row(self):
        return self.name, self.address, self.size_bytes


class Line(ctypes.Structure):
    _fields_ = [("address", c_uint64), ("end", c_uint64), ("file", c_char_p), ("line", c_uint32), ("column", c_uint32)]

    def row(self):
        return self.address, self.end, self.file, self.line, self.column


class Columns(ctypes.Structure):
    """Columns of a block of rows, with room for `capacity` rows."""

    @classmethod
    def of(cls, capacity):
        made = cls()
        made.arrays = [(c_uint64 * capacity)() for _ in cls._fields_]
        for (name, _), array in zip(cls._fields_, made.arrays):
            setattr(made, name, ctypes.cast(array, POINTER(c_uint64)))
        return made

    def rows(self, count):
        return list(zip(*(array[:count] for array in self.arrays)))


def columns_of(names):
    return [(name, POINTER(c_uint64)) for name in names.split()]


class EventColumns(Columns):
    _fields_ = columns_of("lane in_lane time line position pc flags")


class AccessColumns(Columns):
    _fields_ = columns_of("event address size_bytes mask value kind")


class LoadColumns(Columns):
    _fields_ = columns_of("event address size_bytes")


class Load(ctypes.Structure):
    _fields_ = [("event", c_uint64), ("address", c_uint64), ("size_bytes", c_uint64)]

    def row(self):
        return self.event, self.address, self.size_bytes


class MemoryAccess(ctypes.Structure):
    _fields_ = [("event", c_uint64), ("address", c_uint64), ("size_bytes", c_uint64), ("is_read", ctypes.c_bool),
                ("is_written", ctypes.c_bool)]


class CallColumns(Columns):
    _fields_ = columns_of("call entry exit pc depth parent is_open inside")


class RegisterWriteColumns(Columns):
    _fields_ = columns_of("event lane offset mask value")


class RegisterValueColumns(Columns):
    _fields_ = columns_of("event value known")


class RegisterPlace(ctypes.Structure):
    _fields_ = [("segment", c_uint64), ("timeline", c_uint64), ("write", c_uint64)]


class AccessPlace(ctypes.Structure):
    _fields_ = [("event", c_uint64), ("number", c_uint64)]


class Refused(Exception):
    """The library returned an error."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# The arguments between index and error, of functions that have both.
ARGUMENTS = {
    "trawl_lane_": [c_uint64, POINTER(Lane), c_size_t],
    "trawl_event_": [c_uint64, POINTER(Event), c_size_t],
    "trawl_event_of_lane": [c_uint64, c_uint64, POINTER(c_uint64)],
    "trawl_instruction_of": [c_uint64, POINTER(c_uint64)],
    "trawl_instruction_before": [c_uint64, c_uint64, POINTER(c_uint64)],
    "trawl_event_at_line": [c_uint64, POINTER(c_uint64)],
    "trawl_event_at_position": [c_uint64, POINTER(c_uint64)],
    "trawl_event_at_time": [c_uint64, c_uint64, POINTER(c_uint64)],
    "trawl_visit": [c_uint64, c_uint64, c_uint64, c_int, POINTER(c_uint64)],
    "trawl_register_": [c_uint64, POINTER(Register), c_size_t],
    "trawl_register_named_": [c_uint32, c_char_p, c_size_t, POINTER(Register), c_size_t],
    "trawl_register_with_": [c_uint32, c_uint32, POINTER(Register), c_size_t],
    "trawl_register_of_dwarf_": [c_uint32, c_uint32, POINTER(Register), c_size_t],
    "trawl_registers": [c_uint64, c_uint64, c_uint64, c_size_t, c_void_p, c_void_p],
    "trawl_register_written": [c_uint64, c_uint64, c_int, c_uint64, c_size_t, POINTER(c_uint64)],
    "trawl_see_memory_": [POINTER(MemoryView), c_size_t],
    "trawl_place_": [c_uint64, c_uint64, POINTER(Place), c_size_t],
    "trawl_memory": [c_uint64, c_uint64, c_size_t, c_void_p, c_void_p],
    "trawl_memory_written_": [c_uint64, c_int, c_uint64, c_uint64, POINTER(Write), c_size_t],
    "trawl_memory_writes_": [c_uint64, c_int, c_uint64, c_uint64, POINTER(Write), c_size_t, c_size_t, POINTER(c_size_t)],
    "trawl_stored_words": [c_uint64, c_uint64, c_uint64, POINTER(c_uint64), c_size_t, POINTER(c_size_t)],
    "trawl_sizes_": [POINTER(Size), c_size_t, c_size_t, POINTER(c_size_t)],
    "trawl_call_": [c_uint64, c_uint64, POINTER(Call), c_size_t],
    "trawl_call_at_": [c_uint64, c_uint64, POINTER(Call), c_size_t],
    "trawl_calls_entered": [c_uint64, c_uint64, POINTER(c_uint64)],
    "trawl_task_": [c_uint64, c_uint64, POINTER(Task), c_size_t],
    "trawl_task_run_": [c_uint64, c_uint64, POINTER(TaskRun), c_size_t],
    "trawl_task_run_at_": [c_uint64, c_uint64, POINTER(TaskRun), c_size_t],
    "trawl_functions": [c_uint64, c_uint64, POINTER(c_uint64), POINTER(c_uint64), c_size_t, POINTER(c_size_t)],
    "trawl_symbol_count": [POINTER(c_uint64)],
    "trawl_symbol_": [c_uint64, POINTER(Symbol), c_size_t],
    "trawl_symbol_at_": [c_uint64, POINTER(Symbol), c_size_t],
    "trawl_symbol_named_": [c_char_p, POINTER(Symbol), c_size_t],
    "trawl_line_count": [POINTER(c_uint64)],
    "trawl_line_": [c_uint64, POINTER(Line), c_size_t],
    "trawl_line_at_": [c_uint64, POINTER(Line), c_size_t],
    "trawl_events_": [c_uint64, c_size_t, POINTER(EventColumns), c_size_t, POINTER(c_size_t)],
    "trawl_register_writes": [c_uint64, c_uint64, c_int, c_uint64, c_size_t, POINTER(c_uint64), c_size_t, POINTER(c_size_t)],
    "trawl_accesses_": [POINTER(AccessPlace), c_uint64, c_size_t, POINTER(AccessColumns), c_size_t, POINTER(c_size_t)],
    "trawl_loads_": [POINTER(AccessPlace), c_uint64, c_size_t, POINTER(LoadColumns), c_size_t, POINTER(c_size_t)],
    "trawl_loads_of_": [c_uint64, POINTER(Load), c_size_t, c_size_t, POINTER(c_size_t)],
    "trawl_memory_reads_": [c_uint64, c_int, c_uint64, c_uint64, POINTER(Load), c_size_t, c_size_t, POINTER(c_size_t)],
    "trawl_memory_accessed_": [c_uint64, c_int, c_uint64, c_uint64, POINTER(MemoryAccess), c_size_t],
    "trawl_register_log_": [POINTER(RegisterPlace), c_uint64, c_size_t, POINTER(RegisterWriteColumns), c_size_t, POINTER(c_size_t)],
    "trawl_register_values_": [
        c_uint64, c_uint64, c_uint64, c_uint64, c_size_t, c_size_t, POINTER(RegisterValueColumns), c_size_t, POINTER(c_size_t)],
    "trawl_register_within": [c_uint64, c_uint64, c_uint64, c_uint64, c_size_t, c_uint64, c_uint64, POINTER(c_uint64)],
    "trawl_calls_": [c_uint64, c_uint64, c_size_t, POINTER(CallColumns), c_size_t, POINTER(c_size_t)],
    "trawl_siblings_": [c_uint64, c_uint64, c_size_t, POINTER(CallColumns), c_size_t, POINTER(c_size_t)],
    "trawl_verify": [],
}


class Library:
    """The shared library at a path."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        self.c.trawl_open.argtypes = [POINTER(c_void_p), c_char_p, POINTER(ErrorText)]
        self.c.trawl_open_bytes.argtypes = [POINTER(c_void_p), c_char_p, c_char_p, c_size_t, POINTER(ErrorText)]
        self.c.trawl_close.argtypes = [c_void_p]
        self.c.trawl_close.restype = None
        self.c.trawl_register_count.argtypes = [c_void_p]
        self.c.trawl_register_count.restype = c_uint64
        self.c.trawl_info_.argtypes = [c_void_p, POINTER(Info), c_size_t]
        self.c.trawl_info_.restype = None
        for name, arguments in ARGUMENTS.items():
            getattr(self.c, name).argtypes = [c_void_p, *arguments, POINTER(ErrorText)]

    def open(self, path):
        """Return the Index at a path."""
        handle, error = c_void_p(), ErrorText()
        if self.c.trawl_open(byref(handle), str(path).encode(), byref(error)) != OK:
            raise Refused(error.status, error.text.decode("latin-1"))
        return Index(self.c, handle)

    def open_bytes(self, data):
        """Return the Index in some bytes, which must stay valid."""
        handle, error = c_void_p(), ErrorText()
        if self.c.trawl_open_bytes(byref(handle), b"bytes", data, len(data), byref(error)) != OK:
            raise Refused(error.status, error.text.decode("latin-1"))
        return Index(self.c, handle)


class Index:
    """An open index. What is not found is None; other failures raise Refused."""

    def __init__(self, c, handle):
        self.c, self.handle = c, handle
        self.info = Info()
        c.trawl_info_(handle, byref(self.info), ctypes.sizeof(Info))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.c.trawl_close(self.handle)

    def ask(self, name, *arguments):
        """Call a function of the library. Return whether it found what was asked."""
        error = ErrorText()
        status = getattr(self.c, name)(self.handle, *arguments, byref(error))
        if status not in (OK, NOT_FOUND):
            raise Refused(status, error.text.decode("latin-1"))
        return status == OK

    def _number(self, name, *arguments):
        found = c_uint64()
        return found.value if self.ask(name, *arguments, byref(found)) else None

    def _filled(self, kind, name, *arguments):
        found = kind()
        return found if self.ask(name, *arguments, byref(found), ctypes.sizeof(found)) else None

    def verify(self):
        self.ask("trawl_verify")

    def lane(self, number):
        return self._filled(Lane, "trawl_lane_", number)

    def event(self, number):
        return self._filled(Event, "trawl_event_", number)

    def event_of_lane(self, lane, in_lane):
        return self._number("trawl_event_of_lane", lane, in_lane)

    def instruction_of(self, event):
        return self._number("trawl_instruction_of", event)

    def instruction_before(self, lane, in_lane):
        return self._number("trawl_instruction_before", lane, in_lane)

    def event_at_line(self, line):
        return self._number("trawl_event_at_line", line)

    def event_at_position(self, position):
        return self._number("trawl_event_at_position", position)

    def event_at_time(self, lane, time):
        return self._number("trawl_event_at_time", lane, time)

    def visit(self, lane, pc, event, direction):
        return self._number("trawl_visit", lane, pc, event, direction)

    def _bytes(self, name, size_bytes, *arguments):
        values, known = (c_uint8 * size_bytes)(), (c_uint8 * size_bytes)()
        self.ask(name, *arguments, size_bytes, values, known)
        return bytes(values), bytes(known)

    def layout(self):
        """All registers."""
        return [self._filled(Register, "trawl_register_", i) for i in range(self.c.trawl_register_count(self.handle))]

    def register_named(self, isa, name):
        return self._filled(Register, "trawl_register_named_", isa, name, len(name))

    def registers(self, lane, event, offset, size_bytes):
        """(values, known) of bytes of the register space."""
        return self._bytes("trawl_registers", size_bytes, lane, event, offset)

    def register_written(self, lane, event, direction, offset, size_bytes):
        return self._number("trawl_register_written", lane, event, direction, offset, size_bytes)

    def see_memory(self, lane=ANY_LANE, event=NONE, space=NONE, is_physical=False):
        """Sets how addresses of memory are understood in further questions."""
        view = MemoryView(lane, event, space, is_physical)
        return self.ask("trawl_see_memory_", byref(view), ctypes.sizeof(view))

    def place(self, event, address):
        """(place, kind) of an address; kind 0: known, 1: guessed, 2: unknown."""
        found = self._filled(Place, "trawl_place_", event, address)
        return found.place, found.kind

    def memory(self, event, address, size_bytes):
        """(values, known) of bytes of memory."""
        return self._bytes("trawl_memory", size_bytes, event, address)

    def memory_written(self, event, direction, address, size_bytes):
        """The nearest Write to any of the bytes."""
        return self._filled(Write, "trawl_memory_written_", event, direction, address, size_bytes)

    def memory_writes(self, event, direction, address, size_bytes, capacity):
        """Events that wrote to any of the bytes, the nearest first."""
        writes, count = (Write * capacity)(), c_size_t()
        self.ask("trawl_memory_writes_", event, direction, address, size_bytes, writes, ctypes.sizeof(Write), capacity,
                 byref(count))
        return [write.event for write in writes[: count.value]]

    def loads(self, first, until, capacity):
        """(event, address, bytes) of all loads of some events, read in blocks of `capacity`."""
        place, found = AccessPlace(first, 0), []
        while True:
            block = self._block("trawl_loads_", LoadColumns, capacity, byref(place), until)
            found += block
            if len(block) < capacity:
                return found

    def loads_of(self, event, capacity):
        """(the first loads of an event, how many it has)"""
        loads, count = (Load * capacity)(), c_size_t()
        self.ask("trawl_loads_of_", event, loads, ctypes.sizeof(Load), capacity, byref(count))
        return [load.row() for load in loads[: min(count.value, capacity)]], count.value

    def memory_reads(self, event, direction, address, size_bytes, capacity):
        """(event, address, bytes) of events that read any of the bytes, the nearest first."""
        reads, count = (Load * capacity)(), c_size_t()
        self.ask("trawl_memory_reads_", event, direction, address, size_bytes, reads, ctypes.sizeof(Load), capacity,
                 byref(count))
        return [read.row() for read in reads[: count.value]]

    def memory_accessed(self, event, direction, address, size_bytes):
        return self._filled(MemoryAccess, "trawl_memory_accessed_", event, direction, address, size_bytes)

    def stored_words(self, after, until, address, capacity):
        """Addresses of the words that were stored to in (after, until], from an address on."""
        words, count = (c_uint64 * capacity)(), c_size_t()
        self.ask("trawl_stored_words", after, until, address, words, capacity, byref(count))
        return words[: count.value]

    def sizes(self):
        """{part of the index: its bytes}"""
        sizes, count = (Size * 64)(), c_size_t()
        self.ask("trawl_sizes_", sizes, ctypes.sizeof(Size), 64, byref(count))
        return {size.name: size.bytes for size in sizes[: count.value]}

    def call(self, lane, number):
        return self._filled(Call, "trawl_call_", lane, number)

    def call_at(self, lane, in_lane):
        return self._filled(Call, "trawl_call_at_", lane, in_lane)

    def tasks(self, lane):
        """(task, stack, lowest, entry) of each."""
        return self._rows(Task, "trawl_task_", lane)

    def task_runs(self, lane):
        """(run, task, first, last) of each."""
        return self._rows(TaskRun, "trawl_task_run_", lane)

    def task_run_at(self, lane, in_lane):
        found = self._filled(TaskRun, "trawl_task_run_at_", lane, in_lane)
        return found and found.row()

    def _rows(self, kind, name, lane):
        rows = []
        while found := self._filled(kind, name, lane, len(rows)):
            rows.append(found.row())
        return rows

    def symbols(self):
        return [self._filled(Symbol, "trawl_symbol_", i).row() for i in range(self._number("trawl_symbol_count"))]

    def symbol_at(self, address):
        found = self._filled(Symbol, "trawl_symbol_at_", address)
        return found and found.row()

    def symbol_named(self, name):
        found = self._filled(Symbol, "trawl_symbol_named_", name)
        return found and found.row()

    def lines(self):
        return [self._filled(Line, "trawl_line_", i).row() for i in range(self._number("trawl_line_count"))]

    def line_at(self, address):
        found = self._filled(Line, "trawl_line_at_", address)
        return found and found.row()

    # --- Blocks

    def _block(self, name, kind, capacity, *arguments):
        columns, count = kind.of(capacity), c_size_t()
        self.ask(name, *arguments, capacity, byref(columns), ctypes.sizeof(columns), byref(count))
        return columns.rows(count.value)

    def events(self, first, capacity):
        return self._block("trawl_events_", EventColumns, capacity, first)

    def calls(self, lane, first, capacity):
        return self._block("trawl_calls_", CallColumns, capacity, lane, first)

    def calls_entered(self, lane, in_lane):
        count = c_uint64()
        self.ask("trawl_calls_entered", lane, in_lane, byref(count))
        return count.value

    def siblings(self, lane, first, capacity):
        return self._block("trawl_siblings_", CallColumns, capacity, lane, first)

    def accesses(self, first, until, capacity):
        """All accesses of some events, read in blocks of `capacity`."""
        place, found = AccessPlace(first, 0), []
        while True:
            block = self._block("trawl_accesses_", AccessColumns, capacity, byref(place), until)
            found += block
            if len(block) < capacity:
                return found

    def register_log(self, first, until, capacity):
        """All writes to registers in some segments, read in blocks of `capacity`."""
        place, found = RegisterPlace(first, 0, 0), []
        while True:
            block = self._block("trawl_register_log_", RegisterWriteColumns, capacity, byref(place), until)
            found += block
            if len(block) < capacity:
                return found

    def register_values(self, lane, after, offset, size_bytes, capacity):
        """(event, value, mask of known bytes) after each later write to the bytes, read in blocks of `capacity`."""
        found = []
        while True:
            block = self._block("trawl_register_values_", RegisterValueColumns, capacity, lane, after, START, offset, size_bytes)
            found += block
            if len(block) < capacity:
                return found
            after = block[-1][0]

    def register_within(self, lane, after, until, offset, size_bytes, low, high):
        """The next event with such a value of the bytes, or with an unknown one; None: there is none."""
        event = c_uint64()
        is_found = self.ask("trawl_register_within", lane, after, until, offset, size_bytes, low, high, byref(event))
        return event.value if is_found else None

    def register_writes(self, lane, event, direction, offset, size_bytes, capacity):
        events, count = (c_uint64 * capacity)(), c_size_t()
        self.ask("trawl_register_writes", lane, event, direction, offset, size_bytes, events, capacity, byref(count))
        return events[: count.value]

    def functions(self, lane, pc, capacity):
        """[(pc of the entry, calls)]"""
        pcs, calls, count = (c_uint64 * capacity)(), (c_uint64 * capacity)(), c_size_t()
        self.ask("trawl_functions", lane, pc, pcs, calls, capacity, byref(count))
        return list(zip(pcs[: count.value], calls[: count.value]))
