"""A client of GDB's remote serial protocol, for what `trawl gdbserver` answers."""

import re
import subprocess
import xml.etree.ElementTree as ET

TIMEOUT_S = 60


def framed(text):
    """A packet with its checksum."""
    data = text.encode("latin-1") if isinstance(text, str) else text
    return b"$" + data + b"#%02x" % (sum(data) & 0xFF)


class Client:
    """Starts a server and talks to it over its standard input and output."""

    def __init__(self, words, acks=False):
        self.process = subprocess.Popen(list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.buffer = b""
        self.acks = True
        if not acks:
            assert self.ask("QStartNoAckMode") == "OK"
            self.acks = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends the connection. Returns the status and what was said."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.read()
        said = self.process.stderr.read()
        return self.process.wait(TIMEOUT_S), said

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self):
        """The text of the next packet; None: the server has ended."""
        while not (match := re.search(rb"\$((?:[^#])*)#[0-9a-f]{2}", self.buffer, re.DOTALL)):
            more = self.process.stdout.read1(65536)
            if not more:
                return None
            self.buffer += more
        self.buffer = self.buffer[match.end() :]
        if self.acks:
            self.send(b"+")
        return re.sub(rb"}(.)", lambda escaped: bytes([escaped[1][0] ^ 0x20]), match[1], flags=re.DOTALL).decode("latin-1")

    def ask(self, text):
        self.send(framed(text))
        return self.receive()

    # --- What the packets mean ------------------------------------------------------------------

    def document(self, name):
        text = ""
        while True:
            part = self.ask(f"qXfer:{name}:{len(text):x},3fff")
            text += part[1:]
            if part[0] != "m":
                return text

    def layout(self):
        """[(name, bytes)] of the registers in packet g: in the order of their numbers, as GDB takes them."""
        described, found, number = ET.fromstring(self.document("features:read:target.xml")), [], 0
        for one in described.iter("reg"):
            number = int(one.get("regnum", number))
            found.append((number, one.get("name"), int(one.get("bitsize")) // 8))
            number += 1
        return [(name, size) for _, name, size in sorted(found)]

    def registers(self, order="little"):
        """The value of each register; None: unavailable."""
        digits, values = self.ask("g"), {}
        for name, size in self.layout_known():
            own, digits = digits[: 2 * size], digits[2 * size :]
            values[name] = None if "x" in own else int.from_bytes(bytes.fromhex(own), order)
        return values

    def layout_known(self):
        if not hasattr(self, "known"):
            self.known = self.layout()
        return self.known

    def memory(self, address, size):
        """The bytes that are known from an address on."""
        answer = self.ask(f"m{address:x},{size:x}")
        return b"" if answer.startswith("E") else bytes.fromhex(answer)

    def monitor(self, line):
        answer = self.ask("qRcmd," + line.encode().hex())
        return "" if answer == "OK" else bytes.fromhex(answer).decode()

    def line(self):
        """The line of the trace of the instruction that comes next; None at the end."""
        match = re.search(r"^event .* line (\d+)", self.monitor("where"))
        return int(match[1]) if match else None
