#!/usr/bin/env python3
"""Writes XRay logs from text: every version, both byte orders, valid and invalid ones.

    xray_write.py [-o LOG] < TEXT

A line is a word and its values; the text after # is a comment. The first line is the header:
    fdr 5 [big] [frequency HZ] [buffer-size BYTES] [document]
    basic 3 [big] [frequency HZ]

`document` writes version 1 exactly as its document says: with thread ids of 16 bits. In a flight data
recorder log, each buffer is

    buffer THREAD [at SECONDS MICROS] [pid PID] [extents BYTES]
    enter|exit|tail-exit|enter-args FUNCTION DELTA
    argument VALUE
    cpu NUMBER TSC | wrap TSC
    custom TIME TEXT | typed TYPE TIME TEXT      TIME: ticks since the last record in version 5, else the TSC
    end                                          version 1: EndOfBuffer

Its extents, or in version 1 the bytes that fill it up, are made when the next buffer begins. In a basic
log, each line is a record:

    enter|exit|tail-exit|enter-args FUNCTION TSC THREAD [PID]
    argument FUNCTION VALUE THREAD [PID]

Anywhere: `bytes HEX...`, and as the last line `cut BYTES`, which removes the last bytes of the file. TEXT is
one word in which \\xNN, \\s (a space) and the like stand for bytes.
"""

import argparse
import struct
import sys

ACTIONS = {"enter": 0, "exit": 1, "tail-exit": 2, "enter-args": 3}
NEW_BUFFER, END_OF_BUFFER, CPU, WRAP, WALL, CUSTOM, ARGUMENT, EXTENTS, TYPED, PID = range(10)
FLAGS = 3  # constant and nonstop TSC
UNUSED = 0xAA  # real writers leave garbage in unused bytes


def payload_of(word):
    return word.replace("\\s", " ").encode("latin-1").decode("unicode_escape").encode("latin-1")


class Writer:
    """One log, line by line."""

    def __init__(self, kind, version, *options):
        words = list(options)
        self.kind, self.version = kind, int(version)
        self.order = ">" if "big" in words else "<"
        self.document = "document" in words
        frequency = int(words[words.index("frequency") + 1]) if "frequency" in words else 1000000000
        self.buffer_size = int(words[words.index("buffer-size") + 1]) if "buffer-size" in words else 4096
        self.head = bytearray(self.pack("HHIQQQ", self.version, kind == "fdr", FLAGS, frequency, self.buffer_size, 0))
        self.buffers = []  # (bytes, extents or None)

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def add(self, data):
        """Appends to the current buffer; before the first one, to the header."""
        if self.buffers:
            self.buffers[-1][0].extend(data)
        else:
            self.head += data

    def metadata(self, kind, layout="", *values):
        first = 0x80 | kind if self.order == ">" else kind << 1 | 1
        body = self.pack(layout, *values)
        return bytes([first]) + body + bytes([UNUSED]) * (15 - len(body))

    def line(self, word, *values):
        """Reads a line: a word and its values, all texts."""
        if word == "bytes":
            self.add(bytes.fromhex("".join(values)))
        elif self.kind == "basic":
            self.basic(word, *values)
        elif word in ACTIONS:
            self.call(ACTIONS[word], int(values[0]), int(values[1]))
        else:
            getattr(self, word)(*values)

    def buffer(self, thread, *options):
        words = dict(zip(options, options[1:]))
        at = options.index("at") if "at" in options else None
        seconds, micros = (int(word) for word in options[at + 1 : at + 3]) if at is not None else (len(self.buffers), 0)
        extents = int(words["extents"]) if "extents" in words else None
        self.buffers.append((bytearray(), extents))
        self.add(self.metadata(NEW_BUFFER, "H" if self.document else "i", int(thread)))
        self.add(self.metadata(WALL, "QI", seconds, micros))
        if "pid" in words:
            self.add(self.metadata(PID, "i", int(words["pid"])))

    def call(self, action, function, delta):
        word = action << 28 | function if self.order == ">" else function << 4 | action << 1
        self.add(self.pack("II", word, delta))

    def argument(self, value):
        self.add(self.metadata(ARGUMENT, "Q", int(value) % (1 << 64)))

    def cpu(self, number, tsc):
        self.add(self.metadata(CPU, "HQ", int(number), int(tsc)))

    def wrap(self, tsc):
        self.add(self.metadata(WRAP, "Q", int(tsc)))

    def custom(self, time, text):
        data = payload_of(text)
        if self.version >= 5:
            head = self.metadata(CUSTOM, "ii", len(data), int(time))
        elif self.version == 4:
            head = self.metadata(CUSTOM, "iQH", len(data), int(time), 0)
        else:
            head = self.metadata(CUSTOM, "iQ", len(data), int(time))
        self.add(head + data)

    def typed(self, kind, time, text):
        data = payload_of(text)
        layout = "iiH" if self.version >= 5 else "iQH"
        self.add(self.metadata(TYPED, layout, len(data), int(time), int(kind)) + data)

    def end(self):
        self.add(self.metadata(END_OF_BUFFER))

    def basic(self, word, function, second, thread, pid="0"):
        if word == "argument":
            record = self.pack("HHiIIQQ", 1, 0, int(function), int(thread), int(pid), int(second) % (1 << 64), 0)
        else:
            record = self.pack("HBBiQIIQ", 0, 0, ACTIONS[word], int(function), int(second), int(thread), int(pid), 0)
        self.add(record)

    def result(self):
        log = bytearray(self.head)
        for data, extents in self.buffers:
            if self.version >= 2:
                log += self.metadata(EXTENTS, "Q", len(data) if extents is None else extents)
            log += data
            if self.version == 1:
                log += bytes([UNUSED]) * (self.buffer_size - len(data))
        return bytes(log)


def make_log(text):
    """The log that a text describes."""
    lines = [words for line in text.splitlines() if (words := line.partition("#")[0].split())]
    writer = Writer(*lines[0])
    for words in lines[1:]:
        if words[0] == "cut":
            return writer.result()[: -int(words[1])]
        writer.line(*words)
    return writer.result()


def main():
    parser = argparse.ArgumentParser(description="Writes XRay logs from text on standard input.")
    parser.add_argument("-o", "--output", metavar="LOG", help="default: standard output")
    arguments = parser.parse_args()
    log = make_log(sys.stdin.read())
    if arguments.output:
        with open(arguments.output, "wb") as file:
            file.write(log)
    else:
        sys.stdout.buffer.write(log)


if __name__ == "__main__":
    main()
