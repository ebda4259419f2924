"""Traces of GDB in the Common Trace Format ('tsave -ctf'): every answer is that for the trace file which GDB saved of the same run; damage
and other traces in that format are told.

    tests/run.py tfile_ctf
"""

import csv
import io
import json
import random
import re
import shutil
import struct
from pathlib import Path

import pytest
import quick

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "tfile"
FILE, DIRECTORY, IMAGE = CORPUS / "saved.tf", CORPUS / "saved.ctf", CORPUS / "walk.elf"
TIMEOUT_S = 60
MAGIC = 0xC1FC1FC1


@pytest.fixture
def run(trawl, place):
    def run_words(*words, status=0):
        done = quick.run([trawl, *map(str, words)], cwd=place, timeout=TIMEOUT_S)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    return run_words


def packets(data, order):
    """(number of the tracepoint, the bytes) of each packet; all sizes are those of the packet before."""
    at = 0
    while at < len(data):
        magic, content, size, number = struct.unpack_from(order + "3IH", data, at)
        assert magic == MAGIC and content <= size and size % 8 == 0
        yield number, data[at : at + size // 8]
        at += size // 8
    assert at == len(data)


def frames_of(run, trace, image=IMAGE):
    """All but their places, which are those in the trace file that is made of the stream."""
    rows = csv.DictReader(io.StringIO(run("tfile", "frames", "--image", image, "--format", "csv", trace)[0]))
    return [{key: value for key, value in row.items() if key != "byte"} for row in rows]


@pytest.mark.parametrize("by", ["", "-16"], ids=["gdb-13", "gdb-16"])
@pytest.mark.parametrize("name", ["", "datastream"])
def test_same_answers(run, name, by):
    file, directory, image = CORPUS / f"saved{by}.tf", CORPUS / f"saved{by}.ctf", CORPUS / f"walk{by}.elf"
    trace = directory / name
    frames = frames_of(run, file, image)
    assert len(frames) == sum(number > 0 for number, _ in packets((directory / "datastream").read_bytes(), "<")) > 10
    assert frames_of(run, trace, image) == frames
    columns = ["rip", "rsp", "rax", "hits", "trace_timestamp", "visits:i32", "digest:u64", "mean:x32", "rsp:x64"]
    assert run("tfile", "series", "--image", image, trace, *columns) == run("tfile", "series", "--image", image, file, *columns)
    assert run("flamegraph", "--image", image, trace)[0] == run("flamegraph", "--image", image, file)[0]
    about, same = (json.loads(run("info", "--image", image, "--format", "json", path)[0]) for path in (trace, file))
    for key in ("frames", "frames_reported", "frames_created", "stop", "buffer_bytes", "buffer_free_bytes", "circular", "register_bytes"):
        assert about[key] == same[key], key
    for key in ("tracepoints", "variables"):
        assert about[key] == same[key], key
    assert about["damaged_places"] == 0
    for condition in ("$hits == -3", "pc in leaf"):
        found = [run("find", "--image", image, "--format", "csv", path, condition)[0] for path in (trace, file)]
        assert [re.sub(r",\d+", "", line) for line in found[0].splitlines()] == [re.sub(r",\d+", "", line) for line in found[1].splitlines()]


def test_index(run, place):
    """The index is beside the directory, not in it, where other programs would take it for a stream."""
    shutil.copytree(DIRECTORY, place / "trace")
    run("index", "--image", IMAGE, "trace")
    assert sorted(file.name for file in (place / "trace").iterdir()) == ["datastream", "metadata"] and (place / "trace.index").exists()
    run("verify", "trace.index")
    run("index", "--image", IMAGE, "trace/")
    assert sorted(file.name for file in (place / "trace").iterdir()) == ["datastream", "metadata"]


def swapped(data):
    """The same stream as a big-endian host writes it."""
    out = bytearray()
    for number, packet in packets(data, "<"):
        packet, at = bytearray(packet), 16
        content = struct.unpack_from("<I", packet, 4)[0] // 8

        def swap(size, at):
            at = -(-at // size) * size
            packet[at : at + size] = packet[at : at + size][::-1]
            return at + size

        def text(at):
            return packet.index(0, at) + 1

        while at < content:
            at = -(-at // 4) * 4
            event = struct.unpack_from("<I", packet, at)[0]
            at = swap(4, at)
            if event == 0:
                at += 2416
            elif event == 1:
                at = swap(4, swap(8, at))
            elif event == 2:
                at = swap(8, at)
                length = struct.unpack_from("<H", packet, at)[0]
                at = swap(2, at) + length
            elif event == 4:
                for _ in range(8):
                    at = swap(4, at)
            elif event == 5:
                at = text(swap(4, swap(4, swap(8, at))))
            elif event == 6:
                at = swap(8, swap(8, at))
                for _ in range(6):
                    at = swap(4, at)
                at = text(at)
                for _ in range(2):
                    at = -(-at // 4) * 4
                    count = struct.unpack_from("<I", packet, at)[0]
                    at = swap(4, at)
                    for _ in range(count):
                        at = text(at)
                at = -(-text(text(at)) // 4) * 4
                count = struct.unpack_from("<I", packet, at)[0]
                at = swap(4, at)
                for _ in range(count):
                    at = text(at)
            else:
                assert event == 3, event
        for at in (0, 4, 8):
            swap(4, at)
        swap(2, 12)
        out += packet
    return bytes(out)


def test_other_order(run, place):
    """A big-endian host that saved the trace of the same little-endian target, which the image tells."""
    shutil.copytree(DIRECTORY, place / "trace")
    (place / "trace" / "datastream").write_bytes(swapped((DIRECTORY / "datastream").read_bytes()))
    for words in (["tfile", "frames", "--format", "csv"], ["tfile", "series"]):
        # The description of the target is not in the directory: the image tells the machine and thereby the registers.
        columns = ["rip", "hits", "visits:i32"] if words[1] == "series" else []
        assert run(*words, "--image", IMAGE, place / "trace", *columns) == run(*words, "--image", IMAGE, DIRECTORY, *columns)


def test_refused(run, place):
    stream = place / "stream"
    stream.write_bytes((DIRECTORY / "datastream").read_bytes())
    assert "needs its metadata" in run("info", stream, status=1)[1]
    other = place / "other"
    other.mkdir()
    (other / "datastream").write_bytes(stream.read_bytes())
    (other / "metadata").write_text('/* CTF 1.8 */ event { name = "sched_switch"; };')
    assert "not of GDB" in run("info", other, status=1)[1]
    (other / "datastream").write_bytes(b"\xc1\x1f\xfc\xc1")
    shutil.copy(DIRECTORY / "metadata", other / "metadata")
    run("info", other, status=3)


def test_damage(run, trawl, place):
    """Every cut leaves the frames before it; any bytes give an answer or a message."""
    shutil.copytree(DIRECTORY, place / "trace")
    whole, stream = (DIRECTORY / "datastream").read_bytes(), place / "trace" / "datastream"
    ends, at = [], 0
    for _, packet in packets(whole, "<"):
        at += len(packet)
        ends.append(at)
    for size in [*ends[:12], *range(1, len(whole), 1777)]:
        stream.write_bytes(whole[:size])
        # The header says how many frames there were.
        out, _ = run("tfile", "frames", "--image", IMAGE, "--format", "csv", place / "trace", status=1 if size < 4 else 3)
        if size > ends[0]:
            assert len(out.splitlines()) - 1 >= sum(end <= size for end in ends) - 1
    draw = random.Random(3)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 10)):
            data[draw.randrange(4, min(len(data), draw.choice([200, 3000, len(data)])))] = draw.randrange(256)
        stream.write_bytes(data)
        for words in (["info"], ["tfile", "frames"]):
            done = quick.run([trawl, *words, place / "trace"], cwd=place, timeout=TIMEOUT_S)
            assert done.returncode in (0, 1, 3), (words, done)
