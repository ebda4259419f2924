"""The server and the browser as commands that end: the server gets the requests listed here, the browser gets keys. Their results can
then be checked like those of any other command."""

import http.client
import json
import os
import pty
import signal
import subprocess
import threading

from served import NotServed, Served

TIMEOUT_S = 60
API = "/api/v1/"
# Every kind of request to a server. A note is made, changed and removed.
QUESTIONS = [
    "trace", "view?at=90&rows=9", "fold?how=all&at=90", "step?how=into&at=90", "find?line=90&at=start", "registers?at=90",
    "memory?at=90&address=sp&size=64", "writes?at=90&of=sp&way=backward&count=3", "stack?at=90", "chart?columns=40&rows=9",
    "pane?at=90&name=disassembly", "functions?find=", "profile?lane=0&from=9&to=120", "flame?lane=0&from=9&to=120",
    "edges?lane=0&from=9&to=120&of=0x8000", "value?at=90&of=sp", "history?lane=0&from=9&to=120&of=sp&columns=9",
    "density?columns=20", "counts?at=90", "+note?at=7&text=seven", "+note?at=9&text=nine", "+note?at=9&text=", "notes",
]
# The dynamic loader itself ends the program if a thread has no memory for the thread-local data of libraries that are loaded later.
THREADS_OWN = b"cannot allocate memory for thread-local data"
# libdw itself ends the program if it gets no memory, or fails an assertion, regardless of earlier answers.
GAVE_UP = (b"libdw failed, probably for lack of memory", b"libdw: Cannot allocate memory")
NONE = 0  # no answer, because the connection was dropped
# Moves, folds, opens every pane, searches, prompts, and quits.
KEYS = b"jjj-{}+]]]e/0008\nn0N?STR\nm0x8000\n\t\t4\t\tv\tl90\nt40\npmain\nn&sp\n&\nd\tF2z\x0c\x1bq" + b"q" * 4 + b"y"


def is_face(command):
    return "browser" in command[0] or command[1:2] in (["serve"], ["browse"])


def answer(served, question):
    """(code, text) of the answer to one request, from a page that makes its first request."""
    is_change = question.startswith("+")
    try:
        status, _, body = served.request(API + question.lstrip("+"), method="POST" if is_change else "GET", body=b"" if is_change else None)
    except (OSError, http.client.HTTPException):
        return NONE, b""
    return status, body


def run_server(words, **how):
    """(status, answers as lines `CODE QUESTION BODY`, messages)."""
    try:
        with Served(words[0], words[1:], words=(), **how) as served:
            lines = [b"%d %s %s\n" % (code, question.encode(), body.strip())
                     for question in QUESTIONS for code, body in [answer(served, question)]]
    except NotServed as failure:
        return failure.status, b"", failure.complaints
    return "no end" if served.status is None else served.status, b"".join(lines), served.complaints.encode()


def run_browser(words, env, kill_after_s=None, **how):
    """(status, nothing, what the terminal showed if it failed). The browser may be killed after some time."""
    ours, theirs = pty.openpty()
    shown = bytearray()
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env={**env, "TERM": "xterm"}, **how)
    os.close(theirs)

    def watch():
        try:
            while block := os.read(ours, 1 << 16):
                shown.extend(block)
        except OSError:
            pass

    watcher = threading.Thread(target=watch)
    watcher.start()
    os.write(ours, KEYS)
    if kill_after_s is not None:
        threading.Timer(kill_after_s, process.kill).start()
    try:
        status = process.wait(TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        status = "no end"
    watcher.join()
    os.close(ours)
    return status, b"", bytes(shown) if status else b""


def run_face(words, **how):
    is_server = "serve" in words or any(word.endswith("gui-browser") for word in words)
    return run_server(words, **how) if is_server else run_browser(words, **how)


def fault_of_server(whole, ending):
    """What is wrong with the answers of a server after a failure, or None: each answer must be correct, or a refusal with a reason."""
    if ending.status == 127 and THREADS_OWN in ending.err:
        return None
    if not ending.out:
        return None if ending.status == 1 and ending.err else f"status {ending.status}, no answers"
    if ending.status != whole.status and not (ending.status == 1 and any(said in ending.err for said in GAVE_UP)):
        return f"status {ending.status}"
    for right, told in zip(whole.out.split(b"\n"), ending.out.split(b"\n")):
        code, _, rest = told.partition(b" ")
        if told == right or code == b"%d" % NONE:
            continue
        question, _, body = rest.partition(b" ")
        if int(code or 0) < 400 or "error" not in json.loads(body or b"{}"):
            # Notes depend on which requests were refused.
            if not (question.lstrip(b"+").startswith(b"note") and code == b"200"):
                return f"{told[:300]} and not {right[:300]}"
    return None


def fault_of_browser(whole, ending):
    """The same for the browser: it either runs to its end, or ends with a message."""
    return None if ending.status in (0, whole.status) or (ending.status == 1 and ending.err) else f"status {ending.status}"


def fault_of_face(command, whole, ending):
    return (fault_of_browser if "browse" in command or command[0] == "tarmac-browser" else fault_of_server)(whole, ending)
