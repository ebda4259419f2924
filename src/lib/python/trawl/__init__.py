"""Execution traces: where time went, what every register and byte held, who wrote it, and where a value comes from.

    import trawl

    t = trawl.open("run.tarmac", images=["prog.elf"])
    print(t.profile(top=10))
    now = t.state("pc:main#3")
    now["x0"], now.memory("buffer:64")
    t.events["time"]                          # a column of all events, as a NumPy array
    t.find("x0 == 0 && pc in memcpy")["event"]
    t.origin("x0", at="event:1200")

Every position is an event number, or a text as on the command line: `line:120`, `time:5000`, `pc:main#3`, `event:1200`, `start`, `end`. An
*event* counts in the trace, a *lane event* in its core or thread. Reports give the figures of the commands of the same names, and take
their options as keywords: `t.profile(by="line", function="main")`. `trawl show --help` and others describe them.

Columns are NumPy arrays, for which NumPy must be installed; and everything with columns is also a source for Arrow: `pyarrow.table(t.events)`,
`polars.from_arrow(t.profile())`, DuckDB.

A trace can be used by several threads, one after the other: it has a lock.
"""

from __future__ import annotations

import ctypes
import operator
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex

from trawl import _library
from trawl._library import BEFORE_ALL, EVERY_LANE, NOTHING, NotFoundError, TrawlError, UsageError, ask, tell, text_of

if TYPE_CHECKING:
    import numpy

__all__ = ["Event", "Lane", "Line", "Memory", "NotFoundError", "Rows", "State", "Table", "Trace", "TrawlError", "UsageError", "open"]
__version__ = text_of(tell("version"))

BLOCK_ROWS = 1 << 17


class Event(NamedTuple):
    """One event; its `pc` is None if it has no instruction. `flags` are those of trawl.h: 8 executed, 16 a host call, 32 an exception."""

    event: int
    lane: int
    lane_event: int
    time: int
    line: int
    position: int
    pc: int | None
    flags: int


class Lane(NamedTuple):
    """A core or thread."""

    number: int
    name: str
    events: int
    instructions: int
    calls: int


class Line(NamedTuple):
    """A source line; numbers are 0 if they are not known."""

    file: str
    directory: str | None
    line: int
    column: int


class Memory(NamedTuple):
    """Bytes of memory: those that are not known are 0 in `values` and 0 in `known`, the others 1 in `known`."""

    values: bytes
    known: bytes

    @property
    def is_known(self) -> bool:
        """Whether all of it is."""
        return 0 not in self.known


def open(path: str | os.PathLike[str], images: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (), *,
         index: str | os.PathLike[str] | None = None, in_memory: bool = False, threads: int = 0, options: Iterable[str] = ()) -> Trace:  # noqa: A001  pylint: disable=redefined-builtin
    """Open a trace, and its index, which is built if there is none that fits.

    images      ELF files with the program's names, or one of them: FILE, FILE@OFFSET, CORE=FILE
    index       where the index is, or is built (default: next to the trace)
    in_memory   build one for this object alone, and leave no file
    threads     for building it (default: one for each processor)
    options     further options of `trawl state`, as ["--strip-prefix=^[0-9]+ "]
    """
    return Trace(path, images, index=index, in_memory=in_memory, threads=threads, options=options)


# --- Columns ---------------------------------------------------------------------------------------


class Rows(Mapping[str, "numpy.ndarray"]):
    """Rows of numbers, column by column: a mapping from names of columns to NumPy arrays.

    A slice is a range of events: `t.events[1000:2000]["pc"]`. Iterating over `blocks()` takes little memory for any size.
    """

    def __init__(self, trace: Trace, rows: str, *, lane: int = EVERY_LANE, what: str | None = None,
                 events: tuple[int, int] | None = None):
        self._trace, self._rows, self._lane, self._what, self._range = trace, rows, lane, what, events
        scan = self._open()
        self.columns: tuple[str, ...] = tuple(text_of(tell("scan_column_name", scan, i)) for i in range(tell("scan_column_count", scan)))
        tell("scan_close", scan)

    def __repr__(self) -> str:
        return f"<trawl rows: {self._rows} ({', '.join(self.columns)})>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, key: str | slice) -> Any:
        if isinstance(key, slice):
            first, end, step = key.indices(len(self._trace))
            if step != 1 or self._rows == "calls":
                raise UsageError("a slice is a range of events, without a step; calls have none")
            return Rows(self._trace, self._rows, lane=self._lane, what=self._what, events=(first, max(first, end)))
        return self.read(key)[key]

    def read(self, *columns: str) -> dict[str, numpy.ndarray]:
        """Several columns at once (all, if none is named), each decoded once."""
        import numpy  # pylint: disable=import-outside-toplevel

        wanted = columns or self.columns
        if self._range and self._range[0] == self._range[1]:
            return {name: numpy.empty(0, numpy.uint64) for name in wanted}
        scan = self._open()
        try:
            rows = tell("scan_rows_at_most", scan)
            if rows != NOTHING:
                arrays = {name: numpy.empty(rows, numpy.uint64) for name in wanted}
                count = self._fill(scan, arrays, rows)
                return arrays if count == rows else {name: array[:count].copy() for name, array in arrays.items()}
            parts = list(self._blocks(scan, wanted, BLOCK_ROWS, is_fresh=True))
            return {name: numpy.concatenate([part[name] for part in parts] or [numpy.empty(0, numpy.uint64)]) for name in wanted}
        finally:
            tell("scan_close", scan)

    def blocks(self, *columns: str, rows: int = BLOCK_ROWS) -> Iterator[dict[str, numpy.ndarray]]:
        """Blocks of at most `rows` rows. Their arrays are filled again for the next block: copy what shall stay."""
        scan = self._open()
        try:
            yield from self._blocks(scan, columns or self.columns, rows, is_fresh=False)
        finally:
            tell("scan_close", scan)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Batches for Arrow."""
        del requested_schema  # the types are as they are
        stream = _library.ArrowArrayStream()
        ask("scan_arrow", self._open(), BLOCK_ROWS, ctypes.byref(stream))
        return _library.capsule(stream, b"arrow_array_stream")

    def _open(self) -> ctypes.c_void_p:
        options = _library.made(_library.ScanOptions)
        options.lane, options.what = self._lane, os.fsencode(self._what) if self._what else None
        if self._range:
            # An empty range has no last event; it is never read.
            options.has_range, options.first, options.last = 1, self._range[0], max(self._range[1] - 1, self._range[0])
        scan = ctypes.c_void_p()
        with self._trace.lock:
            ask("scan_open", ctypes.byref(scan), self._trace.open_handle(), self._rows.encode(), ctypes.byref(options))
        return scan

    def _fill(self, scan: ctypes.c_void_p, arrays: dict[str, numpy.ndarray], capacity: int) -> int:
        unknown = set(arrays) - set(self.columns)
        if unknown:
            raise KeyError(f"{unknown.pop()}: {self._rows} have {', '.join(self.columns)}")
        pointers = (ctypes.c_void_p * len(self.columns))(*(arrays[name].ctypes.data if name in arrays else None for name in self.columns))
        count = ctypes.c_uint64()
        ask("scan_next", scan, pointers, capacity, ctypes.byref(count))
        return count.value

    def _blocks(self, scan: ctypes.c_void_p, columns: tuple[str, ...], rows: int, *, is_fresh: bool) -> Iterator[dict[str, numpy.ndarray]]:
        import numpy  # pylint: disable=import-outside-toplevel

        arrays: dict[str, numpy.ndarray] = {}
        while not (self._range and self._range[0] == self._range[1]):
            if is_fresh or not arrays:
                arrays = {name: numpy.empty(rows, numpy.uint64) for name in columns}
            count = self._fill(scan, arrays, rows)
            if not count:
                return
            yield {name: array[:count] for name, array in arrays.items()}


class Table(Mapping[str, Any]):
    """What a report answers: a mapping from names of columns to arrays; `rows()` gives its rows as dicts.

    Numbers are NumPy arrays, masked where cells are empty; they are the table's own memory, not copies, and cannot be written. Texts are
    arrays of str, or None. A report that is no table has only `text`.
    """

    def __init__(self, handle: ctypes.c_void_p):
        self._handle = handle
        self._about: dict[str, Any] = {}
        for i in range(tell("table_column_count", handle)):
            about = _library.made(_library.TableColumn)
            ask("table_column", handle, i, ctypes.byref(about))
            self._about[text_of(about.name)] = about
        self.columns: tuple[str, ...] = tuple(self._about)
        self.units: dict[str, str] = {name: text_of(about.unit) for name, about in self._about.items()}
        self.row_count: int = tell("table_row_count", handle)
        self.text: str | None = None if self.columns else text_of(tell("table_text", handle))
        self.messages: list[str] = text_of(tell("table_messages", handle)).splitlines()
        self.is_partial: bool = bool(tell("table_is_partial", handle))

    def __del__(self) -> None:
        tell("table_free", self._handle)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        if self.text is not None:
            return self.text
        printed = {"address": hex, "share": "{:.2%}".format}  # by unit
        lists = [[name, *("" if value is None else printed.get(self.units[name], str)(value) for value in self.list(name))] for name in self.columns]
        widths = [max(map(len, column)) for column in lists]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in zip(*lists))

    def __getitem__(self, name: str) -> Any:
        import numpy  # pylint: disable=import-outside-toplevel

        about, count = self._about[name], self.row_count
        if about.cell == 2:  # a text
            return numpy.array(self.list(name), dtype=object)
        cell, pointer = (ctypes.c_double, about.doubles) if about.cell else (ctypes.c_uint64, about.numbers)
        if not count:
            return numpy.empty(0, cell)
        memory: Any = (cell * count).from_address(ctypes.addressof(pointer.contents))
        memory.table = self  # which stays as long as the array
        values = numpy.frombuffer(memory, cell)
        values.flags.writeable = False
        if not about.has_value:
            return values
        bits = numpy.ctypeslib.as_array(about.has_value, ((count + 7) // 8,))
        return numpy.ma.MaskedArray(values, numpy.unpackbits(bits, count=count, bitorder="little") == 0)

    def list(self, name: str) -> list[Any]:
        """A column as a list, for which NumPy is not needed."""
        about = self._about[name]
        has_value = about.has_value
        where = [i for i in range(self.row_count) if not has_value or has_value[i // 8] >> i % 8 & 1]
        cells: list[Any] = [None] * self.row_count
        if about.cell == 2:  # a text
            ends = about.ends[:about.distinct_texts + 1]
            texts = [text_of(ctypes.string_at(about.bytes + ends[n], ends[n + 1] - ends[n])) for n in range(about.distinct_texts)]
            for i in where:
                cells[i] = texts[about.texts[i]]
        else:
            values = about.doubles if about.cell else about.numbers
            for i in where:
                cells[i] = values[i]
        return cells

    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts."""
        for cells in zip(*(self.list(name) for name in self.columns)):
            yield dict(zip(self.columns, cells))

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Its columns, without copying them, for Arrow."""
        del requested_schema  # the types are as they are
        schema, array = _library.ArrowSchema(), _library.ArrowArray()
        ask("table_arrow", self._handle, ctypes.byref(schema), ctypes.byref(array))
        return _library.capsule(schema, b"arrow_schema"), _library.capsule(array, b"arrow_array")


# --- A point ---------------------------------------------------------------------------------------


class State(Mapping[str, "int | None"]):
    """What a core's registers and memory hold at a point: a mapping from names of registers to values, None where they are not known.

    It iterates over the registers that `trawl state` lists; other names of them can be asked for, too.
    """

    def __init__(self, trace: Trace, event: int, lane: int):
        self.trace, self.event, self.lane = trace, event, lane

    def __repr__(self) -> str:
        return f"<trawl state at event {self.event} of lane {self.lane}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.trace.register_names)

    def __len__(self) -> int:
        return len(self.trace.register_names)

    def __getitem__(self, register: str) -> int | None:
        try:
            found = self.memory(register)
        except (UsageError, NotFoundError) as error:
            raise KeyError(str(error)) from None
        order: Literal["big", "little"] = "big" if self.trace.is_big_endian and ":" in register else "little"
        return int.from_bytes(found.values, order) if found.is_known else None

    def memory(self, what: str, size: int = 0) -> Memory:
        """Bytes of memory ("0x8000:64", "sp:16", "buffer"; or an address and `size`), or of a register, the lowest first."""
        if size:
            what = f"{what}:{size}"
        bytes_of, count = ctypes.c_uint8 * (size or 256), ctypes.c_uint64()
        while True:
            values, known = bytes_of(), bytes_of()
            with self.trace.lock:
                ask("trace_bytes", self.trace.open_handle(), self.lane, self.event, what.encode(), values, known, len(values), ctypes.byref(count))
            if count.value <= len(values):
                return Memory(bytes(values[:count.value]), bytes(known[:count.value]))
            bytes_of = ctypes.c_uint8 * count.value

    def value(self, expression: str) -> int:
        """The value of an expression over registers, symbols and memory: "x0 + 4", "u32(sp)"."""
        value = ctypes.c_uint64()
        with self.trace.lock:
            ask("trace_value", self.trace.open_handle(), self.lane, self.event, expression.encode(), ctypes.byref(value))
        return value.value


# --- A trace ---------------------------------------------------------------------------------------


class Trace:
    """An open trace; see trawl.open. Its length is the number of its events. It closes itself, or with `with`."""

    def __init__(self, path: str | os.PathLike[str], images: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (), *,
                 index: str | os.PathLike[str] | None = None, in_memory: bool = False, threads: int = 0, options: Iterable[str] = ()):
        how = _library.made(_library.TraceOptions)
        named = [os.fspath(image) for image in ([images] if isinstance(images, (str, os.PathLike)) else images)]
        words = list(options)
        how.images, how.image_count = _library.strings(named), len(named)
        how.words, how.word_count = _library.strings(words), len(words)
        how.index_path, how.is_in_memory, how.threads = os.fsencode(index) if index else None, in_memory, threads
        handle = ctypes.c_void_p()
        self.lock = threading.RLock()
        self.handle: ctypes.c_void_p | None = None
        ask("trace_open", ctypes.byref(handle), os.fsencode(path), ctypes.byref(how))
        self.handle = handle
        self.path = os.fspath(path)
        about = _library.made(_library.TraceInfo)
        tell("trace_info", handle, ctypes.byref(about))
        self.kind, self.tick_unit = text_of(about.kind), text_of(about.tick_unit)
        self.messages: list[str] = text_of(about.messages).splitlines()
        self.ticks_per_second: int | None = about.ticks_per_second or None
        self.line_count: int = about.lines
        self.damaged_lines: int = about.damaged_lines
        self.is_big_endian = bool(about.is_big_endian)
        self.lanes: tuple[Lane, ...] = tuple(self._lane(i) for i in range(about.lanes))
        self.register_names: tuple[str, ...] = tuple(self._register_names(about.registers))
        self._event_count: int = about.events

    def __len__(self) -> int:
        return self._event_count

    def __repr__(self) -> str:
        return f"<trawl trace {self.path}: {self.kind}, {len(self)} events>"

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "handle"):  # it has begun to be one
            self.close()

    def close(self) -> None:
        """Close it. What was read from it stays; asking more is an error."""
        with self.lock:  # another thread may be asking
            handle, self.handle = self.handle, None
            if handle:
                tell("trace_close", handle)

    # Points.

    def at(self, position: SupportsIndex | str | None, lane: SupportsIndex | str | None = None) -> int:
        """The event of a position: an event number stays what it is, None is the last event."""
        if position is not None and not isinstance(position, str):
            number = operator.index(position)
            if not 0 <= number < len(self) and number != BEFORE_ALL:
                raise UsageError(f"event {number}: there are {len(self)}, numbered from 0")
            return number
        event = ctypes.c_uint64()
        with self.lock:
            ask("trace_point", self.open_handle(), ("end" if position is None else position).encode(), EVERY_LANE if lane is None else self.lane(lane),
                ctypes.byref(event))
        return event.value

    def lane(self, lane: SupportsIndex | str) -> int:
        """The number of a lane, by its name."""
        names = [about.name for about in self.lanes]
        if isinstance(lane, str):
            if lane in names:
                return names.index(lane)
        elif 0 <= (number := operator.index(lane)) < len(names):
            return number
        raise NotFoundError(f"{lane!s}: no such lane; there are {', '.join(names)}")

    def event(self, position: SupportsIndex | str) -> Event:
        """The event of a position."""
        about = _library.made(_library.TraceEvent)
        with self.lock:
            ask("trace_event", self.open_handle(), self.at(position), ctypes.byref(about))
        return Event(about.event, about.lane, about.lane_event, about.time, about.line, about.position,
                     None if about.pc == NOTHING else about.pc, about.flags)

    def state(self, at: SupportsIndex | str | None = None, lane: SupportsIndex | str | None = None) -> State:
        """Registers and memory after the event at a position, as the core of that event has them, or `lane`."""
        event = self.at(at, lane)
        if lane is None:
            lane = 0 if event == BEFORE_ALL else self.event(event).lane
        return State(self, event, self.lane(lane))

    # Names.

    def name(self, address: int) -> str | None:
        """The function, with an offset, that an address is in."""
        with self.lock:
            return text_of(tell("trace_name", self.open_handle(), address)) or None

    def symbol(self, name: str) -> tuple[int, int]:
        """Address and size of a symbol."""
        address, size = ctypes.c_uint64(), ctypes.c_uint64()
        with self.lock:
            ask("trace_symbol", self.open_handle(), name.encode(), ctypes.byref(address), ctypes.byref(size))
        return address.value, size.value

    def line(self, address: int) -> Line | None:
        """The source line of the code at an address."""
        about = _library.made(_library.TraceLine)
        try:
            with self.lock:
                ask("trace_line", self.open_handle(), address, ctypes.byref(about))
        except NotFoundError:
            return None
        return Line(text_of(about.file), text_of(about.directory) or None, about.line, about.column)

    # Columns.

    @property
    def events(self) -> Rows:
        """All events: event, lane, lane_event, time, line, position, pc, flags."""
        return Rows(self, "events")

    @property
    def calls(self) -> Rows:
        """All calls: lane, call, entry, exit (lane events), begin, end (times), pc, depth, parent, is_open."""
        return Rows(self, "calls")

    @property
    def accesses(self) -> Rows:
        """Stores, and loads that show something: event, address, size, mask, value, kind (0 store, 1 of an unknown value, 2 load)."""
        return Rows(self, "accesses")

    @property
    def loads(self) -> Rows:
        """All loads: event, address, size."""
        return Rows(self, "loads")

    def values(self, register: str, lane: SupportsIndex | str = 0) -> Rows:
        """The values of a register over time: event, value, known (a bit for each byte), a row for each write."""
        return Rows(self, "values", lane=self.lane(lane), what=register)

    # Reports.

    def report(self, name: str, *arguments: str, **options: Any) -> Table:
        """Any report, with options of the command: top=10 is --top=10, next=True is --next, a list gives an option several times."""
        words = []
        for option, value in options.items():
            option = "--" + option.rstrip("_").replace("_", "-")
            for one in value if isinstance(value, (list, tuple)) else [value]:
                is_number = hasattr(one, "__index__") and not isinstance(one, bool)
                if option == "--at" and is_number:
                    one = "start" if one == BEFORE_ALL else f"event:{one}"
                elif option == "--lane" and is_number:
                    one = self.lanes[self.lane(one)].name
                if one is True:
                    words.append(option)
                elif one is not False and one is not None:
                    words.append(f"{option}={os.fspath(one) if isinstance(one, os.PathLike) else one}")
        words += ["--", *arguments]
        table = ctypes.c_void_p()
        with self.lock:
            ask("trace_report", self.open_handle(), name.encode(), _library.strings(words), len(words), ctypes.byref(table))
        return Table(table)

    def profile(self, **options: Any) -> Table:
        """Where time went: a row for each function; by="line", "inline", "caller", "task"; function=, time=, lane=, top="""
        return self.report("profile", **options)

    def call_times(self, function: str | None = None, **options: Any) -> Table:
        """Calls with their times, as `trawl calls`: sort="elapsed", top=10."""
        return self.report("calls", **({"function": function} if function else {}), **options)

    def stack(self, at: SupportsIndex | str | None = None, **options: Any) -> Table:
        """The calls that are active at a position, the innermost first."""
        return self.report("stack", **({} if at is None else {"at": at}), **options)

    def find(self, condition: str, **options: Any) -> Table:
        """The points at which a condition begins to hold: "x0 == 0 && pc in memcpy"."""
        return self.report("find", condition, **options)

    def origin(self, what: str, at: SupportsIndex | str | None = None, **options: Any) -> Table:
        """Where a value comes from: the copies back to what computed it; all=True for everything that it depends on."""
        return self.report("origin", what, **({} if at is None else {"at": at}), **options)

    def reaches(self, what: str, at: SupportsIndex | str | None = None, **options: Any) -> Table:
        """What a value has influenced."""
        return self.report("reaches", what, **({} if at is None else {"at": at}), **options)

    def writes(self, what: str, at: SupportsIndex | str | None = None, **options: Any) -> Table:
        """The writes of a register or memory, with function and value: all; with `at` the last one up to there, unless next=True or last=N."""
        return self._accesses("writes", what, at, options)

    def reads(self, what: str, at: SupportsIndex | str | None = None, **options: Any) -> Table:
        """The reads of memory, likewise."""
        return self._accesses("reads", what, at, options)

    def visits(self, address: SupportsIndex | str, **options: Any) -> Table:
        """Each time that an instruction was executed or skipped."""
        return self.report("pc", address if isinstance(address, str) else hex(address), **options)

    def check(self, **options: Any) -> Table:
        """What is wrong in the run."""
        return self.report("check", **options)

    def diff(self, other: str | os.PathLike[str], **options: Any) -> Table:
        """Where another trace differs from this one."""
        return self.report("diff", os.fspath(other), **options)

    # -

    def _accesses(self, name: str, what: str, at: SupportsIndex | str | None, options: dict[str, Any]) -> Table:
        if at is not None:
            options = {"at": at, **options}
        elif not {"last", "next", "previous"} & options.keys():
            options = {"all": True, **options}
        return self.report(name, what, **options)

    def open_handle(self) -> ctypes.c_void_p:
        """For the library; an error once it is closed."""
        if not self.handle:
            raise UsageError(f"{self.path}: is closed")
        return self.handle

    def _lane(self, number: int) -> Lane:
        about = _library.made(_library.TraceLane)
        ask("trace_lane", self.handle, number, ctypes.byref(about))
        return Lane(number, text_of(about.name), about.events, about.instructions, about.calls)

    def _register_names(self, count: int) -> Iterator[str]:
        for number in range(count):
            about = _library.made(_library.TraceRegister)
            ask("trace_register", self.handle, number, ctypes.byref(about))
            if about.is_shown and about.name:
                yield text_of(about.name)
