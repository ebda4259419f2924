"""Debugging information from a server (debuginfod's protocol), simulated here: it is asked by build-id if DEBUGINFOD_URLS is set, and never
otherwise.

    tests/run.py debug_server
"""

import contextlib
import ctypes
import json
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import quick
from checker import Checker
from test_debug_files import BUILD_ID, IMAGES, NOTE, OTHER_ID, TRACES, objcopy

TIMEOUT_S = 120
NAME = "sort-a64"


class Server(ThreadingHTTPServer):
    """Answers for each build-id with the bytes in `files`; None means that it closes the connection."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked = {}, []
        self.released = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        content = self.server.files.get(self.path, b"")
        if content == "silence":
            self.server.released.wait(TIMEOUT_S)
            return
        if content is None:
            return
        if content == "redirect":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
            return
        if content == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            with contextlib.suppress(OSError):  # given up
                while not self.server.released.wait(0.1):
                    self.wfile.write(b"x")
            return
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Asking(Checker):
    def __init__(self, trawl, folder, server):
        super().__init__(trawl)
        self.folder, self.server = folder, server
        self.runs = 0

    def report(self, image, *, urls=None, words=("profile", "--by", "line"), more=None, warning=b""):
        """The report, and the requests to the server; what is said must be one line with `warning`. Nothing is cached from one run to the next."""
        self.runs += 1
        home = self.folder / f"home{self.runs}"
        home.mkdir()
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DEBUGINFOD")}
        environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), **(more or {})}
        if urls is not None:
            environment["DEBUGINFOD_URLS"] = urls
        self.server.asked.clear()
        done = quick.run([self.trawl, *words, "--image", str(image), str(TRACES / f"{NAME}.it.tarmac")], env=environment, timeout=TIMEOUT_S)
        self.check(f"{words} {urls}: status and messages: {warning}", done.returncode == 0 and warning in done.stderr and done.stderr.count(b"\n") == bool(warning),
                   (done.returncode, done.stderr))
        return done.stdout, list(self.server.asked)


def make(folder):
    """prog, with a build-id and without DWARF; whole.debug, which has its DWARF; other.debug, with another build-id."""
    for name, digits in (("whole", BUILD_ID), ("other", OTHER_ID)):
        note = folder / "note"
        note.write_bytes(NOTE + bytes.fromhex(digits))
        subprocess.run([objcopy(), f"--add-section=.note.gnu.build-id={note}", IMAGES / f"{NAME}.elf", folder / name], check=True)
        subprocess.run([objcopy(), "--only-keep-debug", folder / name, folder / f"{name}.debug"], check=True)
    subprocess.run([objcopy(), "--strip-debug", folder / "whole", folder / "prog"], check=True)
    return folder / "prog"


def has_client():
    try:
        return bool(ctypes.CDLL("libdebuginfod.so.1"))
    except OSError:
        return False


@pytest.fixture
def asking(trawl, place):
    return Asking(trawl, place, Server())


@pytest.mark.skipif(not objcopy() or not has_client(), reason="no libdebuginfod, or no objcopy for AArch64")
def test_server(asking):
    folder = asking.folder
    image, server, wanted = make(folder), asking.server, f"/buildid/{BUILD_ID}/debuginfo"
    whole, none = asking.report(folder / "whole")[0], asking.report(image)[0]
    asking.check("without a server", whole != none and b"lib.h" in whole and not server.asked, none[:200])
    server.files[wanted] = (folder / "whole.debug").read_bytes()
    for words in (("profile", "--by", "line"), ("profile", "--by", "inline"), ("calltree", "--inlines", "--lines")):
        found, asked = asking.report(image, urls=server.address(), words=words)
        asking.check(f"{words}: from the server", found == asking.report(folder / "whole", words=words)[0] and asked == [wanted], (asked, found[:200]))
    for urls in (None, ""):
        found, asked = asking.report(image, urls=urls)
        asking.check(f"never asked: {urls}", found == none and not asked, asked)
    found, asked = asking.report(folder / "whole", urls=server.address())
    asking.check("an image that has all asks nobody", found == whole and not asked, asked)
    found, asked = asking.report(image, urls=server.address(), words=("profile",))
    asking.check("a report without lines asks nobody", not asked, asked)
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "annotate", "arguments": {"function": "main"}}}
    found = subprocess.run([asking.trawl, "mcp", "--image", image, TRACES / f"{NAME}.it.tarmac"], input=json.dumps(question).encode() + b"\n", timeout=TIMEOUT_S,
                           env={**os.environ, "DEBUGINFOD_URLS": server.address()}, capture_output=True, check=True)
    asking.check("an agent asks nobody", b"main" in found.stdout and not found.stderr and not server.asked, (found.stdout, server.asked))
    found, asked = asking.report(image, urls=f"http://127.0.0.1:1 {server.address()}")
    asking.check("the second of two servers", found == whole, asked)
    found, asked = asking.report(image, urls=server.address(), more={"TRAWL_SANDBOX": "off"})
    asking.check("without a sandbox", found == whole, asked)
    data = server.files[wanted]
    for what, content, warning in (
            ("not there", b"", b""), ("of another program", (folder / "other.debug").read_bytes(), b"of another program"),
            ("no ELF file", b"<html>", b"no ELF file"), ("cut", data[:2000], b"or cut"),
            ("a broken connection", None, b""), ("redirected for ever", "redirect", b"DEBUGINFOD_URLS")):  # fmt: skip
        server.files[wanted] = content
        found, asked = asking.report(image, urls=server.address(), warning=warning)
        asking.check(f"{what}: no error", found == none and asked, (asked, found[:200]))
    for content in ("silence", "drip"):
        server.files[wanted] = content
        found, asked = asking.report(image, urls=server.address(), more={"DEBUGINFOD_TIMEOUT": "1"}, warning=b"took too long")
        asking.check(f"{content}: the server is given up", found == none and asked, (asked, found[:200]))
    server.released.set()
