"""Kills at random moments, full disks, builders and readers at the same time: no part of an index is ever used as an index, nothing is
left, and the next run works.

    tests/run.py [--thorough] kill

Builders of indexes, and writers of other files, are killed (SIGKILL) at a random moment of the time that they usually take. A tmpfs with
less and less space is written to, if one can be mounted. Several processes build an index while others ask it and one kills them.
"""

import json
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import extent
import faces
import pytest
import test_memory
from served import Served

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120
KILLS = extent.pick(6, 100)  # for each command
FACE_KILLS = extent.pick(10, 100)
SEED = 7
LINES = 60_000
DISK_KB = [16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024]
BUILDERS, READERS, ROUNDS = 4, 4, 6


def make_trace(path, lines=LINES):
    with open(path, "w") as file:
        for i in range(1, lines):
            file.write(f"{i} clk IT ({i}) {0x8000 + 4 * (i % 64):08x} e1a00000 A svc_s : NOP\n{i} clk R r{i % 13} {i * 2654435761 % 2**32:08x}\n")


class Place:
    def __init__(self, programs, directory):
        self.trawl, self.directory = str(programs / "trawl"), directory

    def start(self, words):
        return subprocess.Popen([self.trawl, *words], cwd=self.directory, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words):
        process = self.start(words)
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, err

    def left(self, known):
        return sorted(set(os.listdir(self.directory)) - set(known))

    def left_but_last(self, known):
        """Without what a kill at the last moment leaves, when the file gets its name: the next writer removes that."""
        return [name for name in self.left(known) if not (name.startswith(".trawl-") and name.endswith(".tmp"))]


# --- Kills ----------------------------------------------------------------------------------------

# The commands to kill, and what they make.
VICTIMS = [
    (["index", "t", "--force-index", "--no-sync", "--segment-events", "500"], "t.index"),
    (["index", "t", "--force-index"], "t.index"),
    (["vcd", "t", "-o", "made"], "made"),
    (["index", "t", "--format", "ttu", "-o", "made"], "made"),
    (["export", "t", "-o", "made", "--memory-index"], "made"),
    (["state", "t", "--at", "end"], "t.index"),
    (["profile", "t", "-o", "made", "--force-index"], "made"),
    (["index", "t", "--follow", "--force-index", "--segment-events", "500", "--chunk-size", "64K"], "t.index"),
    (["export", "t", "--table", "memory", "--format", "arrow", "-o", "made"], "made"),
    (["profile", "t", "--by", "line", "--memory-index", "-o", "made"], "made"),
    (["diff", "t", "t", "--force-index"], "t.index"),
]


def check_kills(place, words, made):
    """After a kill, there is either what was there before, or what a complete run makes."""
    draw = random.Random(f"{SEED} {words}")
    make_trace(place.directory / "t")
    started = time.monotonic()
    place.run(*words)
    usual_s = time.monotonic() - started
    whole = (place.directory / made).read_bytes() if (place.directory / made).exists() else None
    for count in range(KILLS):
        for name in place.left(["t"]) if count % 2 else []:
            os.unlink(place.directory / name)
        process = place.start(words)
        time.sleep(usual_s * draw.random() * 1.1)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=TIMEOUT_S)
        left = place.left_but_last(["t", "t.index", "made"])
        assert not left, "%s: %s is left" % (words, left)
        if made == "t.index" and (place.directory / made).exists():
            status, _, err = place.run("verify", "t")
            assert status == 0, "%s: verify: %r" % (words, err)
        elif (place.directory / made).exists():
            assert (place.directory / made).read_bytes() == whole, "%s: a part of the output" % words
    status, _, err = place.run(*words)
    assert status in (0, 1, 2), "%s: the next run: %r" % (words, err)
    left = place.left(["t", "t.index", "made"])
    assert not left, "%s: %s is left by the next run" % (words, left)
    status, _, err = place.run("state", "t", "--at", "end")
    assert status == 0, "%s: the next question: %r" % (words, err)


def check_killed_faces(place):
    """The server, which writes notes, and the browser: after a kill, the notes are those before or after a change."""
    draw = random.Random(SEED)
    make_trace(place.directory / "t", 10_000)
    place.run("index", "t")
    notes = place.directory / "t.notes.json"
    for count in range(FACE_KILLS):
        with Served(place.trawl, ["t"], "--notes", cwd=place.directory) as served:
            threading.Timer(0.02 * draw.random(), served.process.kill).start()
            told = [faces.answer(served, f"+note?at={1 + i % 50}&text={count}.{i}") for i in range(200)]
        kept = json.loads(notes.read_text())["notes"] if notes.exists() else []
        last = max((i for i, (code, _) in enumerate(told) if code == 200), default=None)
        newest = {note["text"] for note in kept}
        assert last is None or newest & {f"{count}.{last}", f"{count}.{last + 1}"}, "a note that was taken is lost: %s, %s" % (last, kept)
        assert not place.left_but_last(["t", "t.index", notes.name]), place.left(["t", "t.index", notes.name])
    with Served(place.trawl, ["t"], "--notes", cwd=place.directory) as served:
        faces.answer(served, "+note?at=1&text=last")
    assert not place.left(["t", "t.index", notes.name]), place.left(["t", "t.index", notes.name])
    for words in (["browse", "t", "--force-index"], ["browse", "t", "--memory-index"]):
        for _ in range(FACE_KILLS):
            status, _, err = faces.run_browser([place.trawl, *words], dict(os.environ), cwd=place.directory, kill_after_s=0.05 * draw.random())
            assert status in (0, -signal.SIGKILL), "%s: %s" % (words, (status, err))
            assert not place.left_but_last(["t", "t.index", notes.name]), place.left(["t", "t.index", notes.name])
            assert place.run("verify", "t")[0] == 0, "%s: verify" % words


# --- Full disks -----------------------------------------------------------------------------------


WRITERS = [
    ["index", "big", "--index", "disk/i", "--force-index"],
    ["index", "big", "--follow", "--index", "disk/i", "--force-index"],
    ["vcd", "big", "-o", "disk/v"],
    ["index", "--format", "ttu", "big", "-o", "disk/t"],
    ["profile", "big", "-o", "disk/p", "--memory-index"],
    ["export", "big", "--table", "events", "--format", "arrow", "-o", "disk/a", "--memory-index"],
    ["export", "big", "--format", "ctf", "-o", "disk/c", "--memory-index"],
]


def check_full_disk(place):
    """Either status 1 with a message and nothing left, or everything."""
    disk = place.directory / "disk"
    disk.mkdir()
    make_trace(place.directory / "big", 20_000)
    for io in ("uring", "pwrite"):
        for kb in DISK_KB:
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kb}k", "none", disk], capture_output=True, check=False)
            if mounted.returncode != 0:
                pytest.skip("no tmpfs can be mounted")
            try:
                for words in WRITERS:
                    os.environ["TRAWL_IO"] = io
                    status, _, err = place.run(*words)
                    made = os.listdir(disk)
                    assert (status == 0 and len(made) == 1) or (status == 1 and err and not made), "%s, %d KB, %s: %r" % (words, kb, io, (status, err, made))
                    if made == ["i"]:
                        assert place.run("verify", "disk/i")[0] == 0, "%s, %d KB: not sound" % (words, kb)
                    for name in made:
                        test_memory.remove(disk / name)
            finally:
                os.environ.pop("TRAWL_IO", None)
                subprocess.run(["umount", disk], check=True)


# --- Several at the same time ----------------------------------------------------------------------


def check_crowd(place):
    """Builders replace an index repeatedly while readers ask it: every answer is right."""
    make_trace(place.directory / "t", 10_000)
    build = ["index", "t", "--force-index", "--no-sync", "--segment-events", "300"]
    ask = ["state", "t", "--at", "event:5000", "-q"]
    place.run(*build)
    _, right, _ = place.run(*ask)
    draw = random.Random(SEED)
    for _ in range(ROUNDS):
        builders = [place.start(build) for _ in range(BUILDERS)]
        readers = [place.start(ask) for _ in range(READERS)]
        time.sleep(0.01)
        draw.choice(builders).send_signal(signal.SIGKILL)
        for reader in readers:
            out, err = reader.communicate(timeout=TIMEOUT_S)
            assert reader.returncode == 0 and out == right, "a reader: %d, %r" % (reader.returncode, err)
        for builder in builders:
            _, err = builder.communicate(timeout=TIMEOUT_S)
            assert builder.returncode in (0, -signal.SIGKILL), "a builder: %d, %r" % (builder.returncode, err)
        if place.left(["t", "t.index"]):  # of a kill just before the file got its name: the next builder removes it
            place.run(*build)
        assert not place.left(["t", "t.index"]), place.left(["t", "t.index"])
    status, _, err = place.run("verify", "t")
    assert status == 0, err


@pytest.fixture
def victim(programs, place):
    return Place(programs, place)


@pytest.mark.parametrize("words, made", VICTIMS, ids=lambda words: words if isinstance(words, str) else " ".join(words))
def test_kills(victim, words, made):
    check_kills(victim, words, made)


def test_killed_faces(victim):
    check_killed_faces(victim)


def test_full_disk(victim):
    check_full_disk(victim)


def test_crowd(victim):
    check_crowd(victim)
