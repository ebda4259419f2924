"""Reads a GDB trace file, for tests: a second reader, written from GDB's manual."""

import re
import struct

MAGIC = b"\x7fTRACE0\n"
LINE_BYTES_MAX = 999  # of lines in the head, as read by GDB
FRAME_BYTES_MAX = 2**31 - 1


class Frame:
    """The blocks of one frame: the registers by name, memory as (address, bytes), variables by name."""

    def __init__(self, tracepoint):
        self.tracepoint = tracepoint
        self.block, self.memory, self.variables = None, [], {}

    def byte(self, address):
        """The byte at an address; None: not collected."""
        for start, data in self.memory:
            if start <= address < start + len(data):
                return data[address - start]
        return None


class TraceFile:
    """A whole file. Any fault raises an exception."""

    def __init__(self, data, big_endian=False):
        self.order = ">" if big_endian else "<"
        assert data.startswith(MAGIC), "no magic"
        head, _, self.binary = data[len(MAGIC) :].partition(b"\n\n")
        self.lines = head.decode("ascii").split("\n")
        assert all(len(line) <= LINE_BYTES_MAX for line in self.lines), "a line that GDB refuses"
        self.block_bytes = int(self.values("R")[0], 16)
        self.status = self.values("status")[0]
        self.description = "\n".join(self.values("tdesc"))
        self.variables = {}
        for text in self.values("tsv"):
            number, _, _, name = text.split(":")
            self.variables[int(number, 16)] = bytes.fromhex(name).decode()
        self.tracepoints = self.read_tracepoints()  # {number: address}
        self.registers = self.layout()
        self.frames = list(self.walk())

    def values(self, prefix):
        """The rest of the lines that begin with a word."""
        return [line[len(prefix) + 1 :] for line in self.lines if line.startswith(prefix + " ")]

    def read_tracepoints(self):
        tracepoints = {}
        for text in self.values("tp"):
            match = re.fullmatch(r"T(\w+):(\w+):E:0:0", text)
            if match:
                assert int(match[1], 16) not in tracepoints, "a tracepoint twice"
                tracepoints[int(match[1], 16)] = int(match[2], 16)
        return tracepoints

    def layout(self):
        """(name, offset, size) of each register, in the order of their numbers."""
        registers, number = [], -1
        for name, bits, rest in re.findall(r'<reg name="(\w+)" bitsize="(\d+)"([^>]*)/>', self.description):
            given = re.search(r'regnum="(\d+)"', rest)
            number = int(given[1]) if given else number + 1
            registers.append((number, name, int(bits) // 8))
        offset, places = 0, []
        for _, name, size in sorted(registers):
            places.append((name, offset, size))
            offset += size
        assert self.block_bytes <= offset, "a block that is larger than its registers"
        return places

    def walk(self):
        at = 0
        while True:
            (tracepoint,) = struct.unpack_from(self.order + "h", self.binary, at)
            if tracepoint == 0:
                assert self.binary[at:] == bytes(4), "no end as GDB writes it"
                return
            assert tracepoint in self.tracepoints, "a tracepoint without definition"
            (size,) = struct.unpack_from(self.order + "I", self.binary, at + 2)
            assert size <= FRAME_BYTES_MAX and at + 6 + size <= len(self.binary), "a frame without end"
            yield self.frame(tracepoint, self.binary[at + 6 : at + 6 + size])
            at += 6 + size

    def frame(self, tracepoint, data):
        frame, at = Frame(tracepoint), 0
        while at < len(data):
            kind = data[at : at + 1]
            if kind == b"R":
                frame.block = data[at + 1 : at + 1 + self.block_bytes]
                at += 1 + self.block_bytes
            elif kind == b"M":
                address, length = struct.unpack_from(self.order + "QH", data, at + 1)
                frame.memory.append((address, data[at + 11 : at + 11 + length]))
                at += 11 + length
            elif kind == b"V":
                number, value = struct.unpack_from(self.order + "iq", data, at + 1)
                frame.variables[self.variables[number]] = value
                at += 13
            else:
                raise AssertionError(f"a block of kind {kind}")
        assert at == len(data), "a block that passes the end of its frame"
        return frame

    def register(self, frame, name):
        """The value of a register; None: it is outside of the block."""
        for other, offset, size in self.registers:
            if other == name and offset + size <= self.block_bytes:
                return int.from_bytes(frame.block[offset : offset + size], "big" if self.order == ">" else "little")
        return None
