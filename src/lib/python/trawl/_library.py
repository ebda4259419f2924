"""libtrawl2 (trawl2.h) by ctypes: structures, functions, and failures as exceptions."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_uint8, c_uint64, c_void_p
from typing import Any

FAILED_IO, FAILED_INPUT, FAILED_LIMIT, FAILED_MEMORY, FAILED_NOT_FOUND, FAILED_USAGE = range(1, 7)
BEFORE_ALL, NOTHING, EVERY_LANE = 2**64 - 1, 2**64 - 2, 2**64 - 3


class TrawlError(Exception):
    """What the library could not do. `line` and `offset` are its place in the input, or None."""

    def __init__(self, text: str, line: int | None = None, offset: int | None = None):
        super().__init__(text)
        self.line = line
        self.offset = offset


class UsageError(TrawlError, ValueError):
    """Asked for something that makes no sense: an option, an expression, a number."""


class NotFoundError(TrawlError, LookupError):
    """What was asked for does not exist in the trace."""


def _structure(name: str, *fields: tuple[str, Any]) -> type[ctypes.Structure]:
    """A structure that begins with its size."""
    return type(name, (ctypes.Structure,), {"_fields_": [("struct_bytes", c_uint64), *fields]})


def _numbers(*names: str) -> list[tuple[str, Any]]:
    return [(name, c_uint64) for name in names]


Failure = _structure("Failure", *_numbers("result", "line", "offset"), ("text", ctypes.c_char * 480))
TraceOptions = _structure("TraceOptions", ("images", POINTER(c_char_p)), ("image_count", c_uint64), ("index_path", c_char_p),
                          ("is_in_memory", c_uint64), ("threads", c_uint64), ("words", POINTER(c_char_p)), ("word_count", c_uint64))
TraceInfo = _structure("TraceInfo", ("kind", c_char_p), ("tick_unit", c_char_p), ("messages", c_char_p),
                       *_numbers("ticks_per_second", "events", "lanes", "lines", "damaged_lines", "address_bytes", "machine", "registers",
                                 "is_big_endian", "is_snapshots"))
TraceLane = _structure("TraceLane", ("name", c_char_p), *_numbers("events", "instructions", "calls"))
TraceEvent = _structure("TraceEvent", *_numbers("event", "lane", "lane_event", "time", "line", "position", "pc", "flags"))
TraceRegister = _structure("TraceRegister", ("name", c_char_p), *_numbers("size_bytes", "flags", "is_shown"))
TraceLine = _structure("TraceLine", ("file", c_char_p), ("directory", c_char_p), *_numbers("line", "column"))
ScanOptions = _structure("ScanOptions", *_numbers("has_range", "first", "last", "lane"), ("what", c_char_p))
TableColumn = _structure("TableColumn", ("name", c_char_p), ("unit", c_char_p), ("cell", c_uint64), ("has_value", POINTER(c_uint8)),
                         ("numbers", POINTER(c_uint64)), ("doubles", POINTER(c_double)), ("texts", POINTER(c_int32)),
                         ("ends", POINTER(c_int32)), ("bytes", c_void_p), ("distinct_texts", c_uint64))


class ArrowSchema(ctypes.Structure):
    """Of Arrow's C data interface; only moved, never looked into."""

    _fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p), ("private_data", c_void_p)]


class ArrowArray(ctypes.Structure):
    """The same."""

    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                ("n_children", ctypes.c_int64), ("buffers", c_void_p), ("children", c_void_p), ("dictionary", c_void_p),
                ("release", c_void_p), ("private_data", c_void_p)]


class ArrowArrayStream(ctypes.Structure):
    """The same."""

    _fields_ = [("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p), ("release", c_void_p),
                ("private_data", c_void_p)]


_U64, _OUT, _BYTES = c_uint64, POINTER(c_uint64), POINTER(c_uint8)
# Functions that can fail: their arguments before the failure.
_FALLIBLE = {
    "trace_open": [POINTER(c_void_p), c_char_p, POINTER(TraceOptions)],
    "trace_lane": [c_void_p, _U64, POINTER(TraceLane)],
    "trace_point": [c_void_p, c_char_p, _U64, _OUT],
    "trace_event": [c_void_p, _U64, POINTER(TraceEvent)],
    "trace_event_of_lane": [c_void_p, _U64, _U64, _OUT],
    "trace_value": [c_void_p, _U64, _U64, c_char_p, _OUT],
    "trace_register": [c_void_p, _U64, POINTER(TraceRegister)],
    "trace_bytes": [c_void_p, _U64, _U64, c_char_p, _BYTES, _BYTES, _U64, _OUT],
    "trace_memory": [c_void_p, _U64, _U64, _U64, _BYTES, _BYTES],
    "trace_accesses": [c_void_p, _U64, _U64, c_char_p, c_int, c_int, c_void_p, _U64, _OUT],
    "trace_symbol": [c_void_p, c_char_p, _OUT, _OUT],
    "trace_line": [c_void_p, _U64, POINTER(TraceLine)],
    "trace_report": [c_void_p, c_char_p, POINTER(c_char_p), _U64, POINTER(c_void_p)],
    "scan_open": [POINTER(c_void_p), c_void_p, c_char_p, POINTER(ScanOptions)],
    "scan_next": [c_void_p, POINTER(c_void_p), _U64, _OUT],
    "scan_arrow": [c_void_p, _U64, POINTER(ArrowArrayStream)],
    "table_column": [c_void_p, _U64, POINTER(TableColumn)],
    "table_arrow": [c_void_p, POINTER(ArrowSchema), POINTER(ArrowArray)],
}
_OTHERS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "guard_files": (None, []),
    "trace_close": (None, [c_void_p]),
    "trace_info": (None, [c_void_p, POINTER(TraceInfo)]),
    "trace_name": (c_char_p, [c_void_p, _U64]),
    "scan_close": (None, [c_void_p]),
    "scan_column_count": (_U64, [c_void_p]),
    "scan_column_name": (c_char_p, [c_void_p, _U64]),
    "scan_rows_at_most": (_U64, [c_void_p]),
    "table_free": (None, [c_void_p]),
    "table_row_count": (_U64, [c_void_p]),
    "table_column_count": (_U64, [c_void_p]),
    "table_text": (c_char_p, [c_void_p]),
    "table_messages": (c_char_p, [c_void_p]),
    "table_is_partial": (_U64, [c_void_p]),
}


def _path() -> str:
    """Where the library is: named by the user, in the wheel, in the installation, or the system's."""
    named = os.environ.get("TRAWL_LIBRARY")
    if named:
        return named
    here = pathlib.Path(__file__).resolve().parent
    for place in (here / "_lib", *(parent / "lib" for parent in list(here.parents)[:4])):
        if (place / "libtrawl2.so.1").exists():
            return str(place / "libtrawl2.so.1")
    return ctypes.util.find_library("trawl2") or "libtrawl2.so.1"


_library = ctypes.CDLL(_path())
for _name, _arguments in _FALLIBLE.items():
    _function = getattr(_library, "trawl_" + _name)
    _function.restype, _function.argtypes = c_int, [*_arguments, POINTER(Failure)]
for _name, (_result, _arguments) in _OTHERS.items():
    _function = getattr(_library, "trawl_" + _name)
    _function.restype, _function.argtypes = _result, _arguments


def made(structure: type[ctypes.Structure]) -> Any:
    """A structure, empty, with its size."""
    return structure(struct_bytes=ctypes.sizeof(structure))


def strings(texts: list[str]) -> Any:
    """Texts as an array of C."""
    return (c_char_p * len(texts))(*(os.fsencode(text) for text in texts))


def text_of(bytes_or_none: bytes | None) -> str:
    """A text of the library."""
    return (bytes_or_none or b"").decode("utf-8", "replace")


def ask(name: str, *arguments: Any) -> None:
    """Call a function that can fail."""
    failure = made(Failure)
    result = getattr(_library, "trawl_" + name)(*arguments, ctypes.byref(failure))
    if not result:
        return
    text = text_of(failure.text)
    if result == FAILED_MEMORY:
        raise MemoryError(text)
    kind = {FAILED_USAGE: UsageError, FAILED_NOT_FOUND: NotFoundError}.get(result, TrawlError)
    raise kind(text, failure.line or None, None if failure.offset == BEFORE_ALL else failure.offset)


def tell(name: str, *arguments: Any) -> Any:
    """Call another function."""
    return getattr(_library, "trawl_" + name)(*arguments)


# --- Capsules --------------------------------------------------------------------------------------

_python = ctypes.pythonapi
_DESTRUCTOR = ctypes.CFUNCTYPE(None, c_void_p)
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, _DESTRUCTOR)(("PyCapsule_New", _python))
_capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _python))
# Structures in capsules, by their addresses, until the capsules are gone.
_kept: dict[int, ctypes.Structure] = {}


def _destructor(name: bytes) -> Any:
    def destroy(capsule: int) -> None:
        structure = _kept.pop(_capsule_pointer(capsule, name))
        if structure.release:  # nobody took it
            ctypes.CFUNCTYPE(None, c_void_p)(structure.release)(ctypes.addressof(structure))

    return _DESTRUCTOR(destroy)


_destructors = {name: _destructor(name) for name in (b"arrow_schema", b"arrow_array", b"arrow_array_stream")}


def capsule(structure: ctypes.Structure, name: bytes) -> Any:
    """A structure of Arrow as other modules take it."""
    address = ctypes.addressof(structure)
    _kept[address] = structure
    return _new_capsule(address, name, _destructors[name])
