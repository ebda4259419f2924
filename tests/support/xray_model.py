"""XRay logs and their reports, slow and simple: the reference for `trawl xray`.

Reads a log record by record according to the documentation of the format, and shares nothing with the reader in C: one pass over the
bytes of each buffer, a dictionary for each record, and lists of all durations. It does not handle damaged logs, except for buffers that
end inside a record.
"""

import heapq
import itertools
import struct
from collections import defaultdict

FUNCTIONS = {0: "enter", 1: "exit", 2: "tail-exit", 3: "enter-args"}
METADATA = ["new-buffer", "end", "cpu", "wrap", "wall", "custom", "argument", "extents", "typed", "pid"]


class Log:
    """The header, and for each (pid, tid) the records in order of time."""

    def __init__(self, data):
        self.order = "<" if data[2] in (0, 1) and data[3] == 0 and data[0] else ">"
        self.data = data
        self.version, self.type = self.unpack("HH", 0)
        (self.frequency,) = self.unpack("Q", 8)
        (self.buffer_size,) = self.unpack("Q", 16)
        self.cut_buffers = 0
        self.threads = self.read_fdr() if self.type == 1 else self.read_basic()

    def unpack(self, layout, at):
        return struct.unpack_from(self.order + layout, self.data, at)

    # --- Basic logs ---

    def read_basic(self):
        threads = defaultdict(list)
        for at in range(32, len(self.data) - 31, 32):
            (kind,) = self.unpack("H", at)
            if kind == 0:
                cpu, action, function, tsc, tid, pid = self.unpack("BBiQII", at + 2)
                key = (pid if self.version >= 3 else 0, tid)
                threads[key].append({"kind": FUNCTIONS[action], "function": function, "tsc": tsc, "cpu": cpu,
                                     "args": []})
            else:
                _, tid, pid, value = self.unpack("iIIQ", at + 4)
                record = threads[pid if self.version >= 3 else 0, tid][-1]
                record["args"].append(value)
        return dict(sorted(threads.items()))

    # --- Flight data recorder logs ---

    def metadata_kind(self, at):
        """The name of the metadata record at a position; None: a function record."""
        byte = self.data[at]
        if self.order == ">":
            return METADATA[byte & 0x7F] if byte & 0x80 else None
        return METADATA[byte >> 1] if byte & 1 else None

    def buffers(self):
        """The first and the last byte of the records of each buffer."""
        at = 32
        while at < len(self.data):
            if self.version == 1:
                yield at, min(at + self.buffer_size, len(self.data))
                at += self.buffer_size
            elif self.metadata_kind(at) == "extents":
                (size,) = self.unpack("Q", at + 1)
                end = at + 16 + size
                # The extents were too small: what follows does not begin a buffer.
                while end < len(self.data) and self.metadata_kind(end) != "extents":
                    end += 1
                yield at + 16, min(at + 16 + size, len(self.data))
                at = end
            else:
                at += 1

    def read_fdr(self):
        found = {}
        for at, end in self.buffers():
            buffer = self.read_buffer(at, end)
            found.setdefault((buffer["key"], buffer["wall"], buffer["first"]), buffer)
        threads = defaultdict(list)
        for (key, _, _), buffer in sorted(found.items()):
            threads[key] += buffer["records"]
        return dict(sorted(threads.items()))

    def read_buffer(self, at, end):
        about = {"tid": 0, "pid": 0, "first": None, "wall": (0, 0), "records": [], "tsc": 0, "cpu": 0}
        while at < end:
            kind = self.metadata_kind(at)
            size = 8 if kind is None else 16
            if at + size <= end and kind in ("custom", "typed"):
                size += self.unpack("i", at + 1)[0]
            if at + size > end:
                self.cut_buffers += 1
                break
            if kind == "end":
                break
            if kind is None:
                self.read_function(about, at)
            else:
                self.read_metadata(about, kind, at, size)
            at += size
        about["key"] = about["pid"], about["tid"]
        return about

    def read_function(self, about, at):
        word, delta = self.unpack("II", at)
        action, function = (word >> 28 & 7, word & 0xFFFFFFF) if self.order == ">" else (word >> 1 & 7, word >> 4)
        about["tsc"] += delta
        about["records"].append({"kind": FUNCTIONS[action], "function": function, "tsc": about["tsc"],
                                 "cpu": about["cpu"], "args": []})

    def read_metadata(self, about, kind, at, size):
        if kind == "new-buffer":
            about["tid"] = self.unpack("I", at + 1)[0]
        elif kind == "pid":
            about["pid"] = self.unpack("I", at + 1)[0]
        elif kind == "wall":
            about["wall"] = self.unpack("QI", at + 1)
        elif kind in ("cpu", "wrap"):
            if kind == "cpu":
                about["cpu"] = self.unpack("H", at + 1)[0]
            about["tsc"] = self.unpack("Q", at + (3 if kind == "cpu" else 1))[0]
            about["first"] = about["tsc"] if about["first"] is None else about["first"]
        elif kind == "argument":
            record = about["records"][-1]
            record["args"].append(self.unpack("Q", at + 1)[0])
            record.setdefault("written", record["kind"])  # real logs have arguments after plain entries
            record["kind"] = "enter-args" if record["kind"] == "enter" else record["kind"]
        elif kind in ("custom", "typed"):
            tsc = about["tsc"]
            if self.version >= 5:
                tsc = about["tsc"] = about["tsc"] + self.unpack("i", at + 5)[0]
            type_at = at + (9 if self.version >= 5 else 13)
            about["records"].append({"kind": kind, "tsc": tsc, "cpu": about["cpu"], "args": [],
                                     "type": self.unpack("H", type_at)[0] if kind == "typed" else 0,
                                     "data": self.data[at + 16 : at + size]})


def calls(records, deduce):
    """Each call when it ends: (stack of functions, its own one last; ticks; whether it made calls). The last item is (None, exits
    without entry, open calls)."""
    stack, unmatched = [], 0  # of [function, tsc, made calls]
    for record in records:
        if record["kind"] in ("enter", "enter-args"):
            if stack:
                stack[-1][2] = True
            stack.append([record["function"], record["tsc"], False])
        elif record["kind"] in ("exit", "tail-exit"):
            depth = len(stack)
            while depth and stack[depth - 1][0] != record["function"]:
                depth = depth - 1 if deduce else 0
            unmatched += not depth
            while depth and len(stack) >= depth:
                _, tsc, is_inner = stack[-1]
                yield [frame[0] for frame in stack], abs(record["tsc"] - tsc), is_inner
                stack.pop()
    yield None, unmatched, len(stack)


def durations(log, deduce=False, recursive_only=False):
    """The sorted durations of each function and of each (caller, callee); exits without entry."""
    functions, edges, unmatched = defaultdict(list), defaultdict(list), 0
    for records in log.threads.values():
        nests = defaultdict(lambda: [0, False])
        for stack, ticks, _ in calls(records, deduce):
            if stack is None:
                unmatched += ticks
                continue
            if recursive_only and not is_recursive(nests, stack):
                continue
            functions[stack[-1]].append(ticks)
            edges[stack[-2] if len(stack) > 1 else 0, stack[-1]].append(ticks)
    return {key: sorted(of) for key, of in functions.items()}, {key: sorted(of) for key, of in edges.items()}, unmatched


def is_recursive(nests, stack):
    """Whether the function of a call that ends is twice on the stack, or was in this nest. Inner calls end first, so the deepest of a
    nest comes first."""
    function, depth = stack[-1], stack.count(stack[-1])
    nest = nests[function]
    nest[1] = nest[1] or depth >= 2
    answer = nest[1]
    if depth == 1:
        nest[1] = False
    return answer


def figures(values):
    """Count, minimum, median, 90th and 99th percentile, maximum, sum."""
    n = len(values)
    return n, values[0], values[n // 2], values[n * 9 // 10], values[n * 99 // 100], values[-1], sum(values)


def account_csv(log, **how):
    """The output of `trawl xray account -f csv`."""
    functions, _, _ = durations(log, **how)
    lines = ["funcid,count,min,median,90%ile,99%ile,max,sum,debug,function"]
    for function, values in sorted(functions.items()):
        count, *ticks = figures(values)
        seconds = ",".join("%e" % (tick / log.frequency if log.frequency else tick) for tick in ticks)
        lines.append('%d,%d,%s,"(unknown)","#%d"' % (function, count, seconds, function))
    return "\n".join(lines) + "\n"


def ended_calls(records):
    """The stack of each call that was ended by an exit, and its ticks without those of inner calls. A call that is still open at the end
    has no time, so it takes none from others."""
    stack = []  # of [function, tsc, ticks of inner calls]
    for record in records:
        if record["kind"] in ("enter", "enter-args"):
            stack.append([record["function"], record["tsc"], 0])
        elif record["kind"] in ("exit", "tail-exit") and record["function"] in [call[0] for call in stack]:
            ended = None
            while ended != record["function"]:
                path = tuple(call[0] for call in stack)
                ended, tsc, inside = stack.pop()
                ticks = abs(record["tsc"] - tsc)
                if stack:
                    stack[-1][2] += ticks
                yield path, ticks - inside


def collapsed(log, aggregate, by_count):
    """The sorted lines of `trawl xray stack --all-stacks`: self time, or calls."""
    chosen = defaultdict(int)
    for (_, tid), records in log.threads.items():
        for stack, ticks in ended_calls(records):
            chosen[(() if aggregate else ("thread_%d" % tid,)) + stack] += 1 if by_count else ticks
    label = lambda part: part if isinstance(part, str) else "#%d" % part  # noqa: E731
    return sorted(";".join(map(label, stack)) + " %d" % value for stack, value in chosen.items() if value > 0)


def call_events(thread, records):
    """(time, whether it begins, function, thread) for all calls of a thread, which nest."""
    open_calls = []
    for record in records:
        kind, function = record["kind"], record.get("function")
        if kind.startswith("enter"):
            open_calls.append(function)
            yield record["tsc"], True, function, thread
        elif kind.endswith("exit") and function in open_calls:
            while True:
                ended = open_calls.pop()
                yield record["tsc"], False, ended, thread
                if ended == function:
                    break


def trace_events(log, is_sorted):
    """The results of call_events for all threads, in order of time or thread by thread."""
    lanes = [call_events(thread, records) for thread, records in sorted(log.threads.items())]
    return list(heapq.merge(*lanes, key=lambda event: event[0]) if is_sorted else itertools.chain(*lanes))
